//! Pointers of which several may lead into one object: what is stored through one is what the others find from then on.

use super::builder::{CaseBuilder, noise};
use crate::choices::Choices;
use crate::kernels::case::{Arg, Contents, KernelCase, Kind, Range, Want};
use crate::rule;
use classay_vocabulary::Need;
use std::fmt::Write;

/// Elements that a work-item has of each object.
const OWN: usize = 8;

/// Types of elements, and their bytes.
const TYPES: [(&str, usize); 4] = [("uint", 4), ("ulong", 8), ("ushort", 2), ("uchar", 1)];

/// Pointers of the function.
const POINTERS: [&str; 3] = ["p", "q", "r"];

/// An element that a pointer leads to: of which pointer, and at which index, which the text may have from a parameter.
#[derive(Debug, Clone, Copy)]
struct Element {
    pointer: usize,
    index: usize,
    parameter: Option<usize>,
}

impl Element {
    fn text(self) -> String {
        let index = self
            .parameter
            .map_or(self.index.to_string(), |n| format!("k{n}"));
        match (self.index, self.parameter) {
            (0, None) => format!("*{}", POINTERS[self.pointer]),
            _ => format!("{}[{index}]", POINTERS[self.pointer]),
        }
    }

    fn address(self) -> String {
        match self.text().strip_prefix('*') {
            Some(pointer) => pointer.into(),
            None => format!("&{}", self.text()),
        }
    }
}

/// What the function does, one after the other.
#[derive(Debug, Clone, Copy)]
enum Act {
    /// What an element holds is remembered.
    Load(Element),
    /// What was remembered, and a number, are stored.
    Store(Element, Option<usize>, u64),
    /// `to += from`.
    Add(Element, Element),
    /// A byte is stored through a pointer to bytes, which may lead to an object of any type (C99 6.5).
    Byte(usize, usize, u8),
    /// Elements are copied in a loop.
    Slide(Slide),
    /// A function exchanges two elements, and adds one to the second.
    Exchange(Element, Element),
}

/// Elements that are copied, upwards or downwards, each with a number added.
#[derive(Debug, Clone, Copy)]
struct Slide {
    to: usize,
    from: usize,
    first: [usize; 2],
    count: usize,
    up: bool,
    by: u64,
}

/// The function that is drawn.
struct Function {
    acts: Vec<Act>,
    /// Which object each pointer leads into.
    objects: [usize; 3],
    /// The parameters of indices.
    parameters: [usize; 2],
    bytes: usize,
    loads: usize,
}

impl Function {
    fn draw(choices: &mut Choices, bytes: usize, apart: bool) -> Function {
        let objects = match apart {
            false => choices.one_of(&[[0, 0, 0], [0, 0, 1], [0, 1, 0], [1, 0, 0], [0, 0, 0]]),
            true => choices.one_of(&[[0, 0, 0], [0, 0, 1], [0, 1, 0]]),
        };
        let parameters = [(); 2].map(|()| choices.below(OWN));
        let mut acts = Vec::new();
        let mut loads = 0;
        // Few elements, so that they meet, often the one that each pointer leads to.
        let few: Vec<usize> = (0..choices.between(1, 2))
            .map(|_| match choices.percent(40) {
                true => 0,
                false => choices.below(OWN),
            })
            .collect();
        for _ in 0..choices.between(5, 16) {
            let element = |choices: &mut Choices| {
                let parameter = choices.percent(30).then(|| choices.below(2));
                Element {
                    pointer: choices.below(3),
                    index: match parameter {
                        Some(n) => parameters[n],
                        None => choices.pick(&few).unwrap_or(0),
                    },
                    parameter,
                }
            };
            if choices.percent(30) {
                // What is there before and after something is stored through another pointer.
                let (of, mut to) = (element(choices), element(choices));
                if choices.percent(60) {
                    (to.index, to.parameter) = (of.index, of.parameter);
                }
                let store = Act::Store(to, None, choices.below(200) as u64);
                acts.extend([Act::Load(of), store, Act::Load(of)]);
                loads += 2;
                continue;
            }
            if choices.percent(25) {
                // What is stored is read by another pointer before something else is stored in its place.
                let to = element(choices);
                let of = Element {
                    pointer: choices.below(3),
                    ..to
                };
                let [first, second] = [(); 2].map(|()| choices.below(200) as u64);
                let store = |number| Act::Store(to, None, number);
                acts.extend([store(first), Act::Load(of), store(second)]);
                loads += 1;
                continue;
            }
            acts.push(match choices.below(12) {
                0..=3 => {
                    loads += 1;
                    Act::Load(element(choices))
                }
                4..=6 => {
                    let to = element(choices);
                    let of = (loads > 0 && choices.percent(70)).then(|| choices.below(loads));
                    Act::Store(to, of, choices.below(200) as u64)
                }
                7 | 8 => Act::Add(element(choices), element(choices)),
                9 => Act::Byte(
                    choices.below(3),
                    choices.below(OWN * bytes),
                    choices.below(256) as u8,
                ),
                10 => {
                    let count = choices.between(2, OWN - 1);
                    let mut first = || choices.below(OWN - count + 1);
                    Act::Slide(Slide {
                        first: [first(), first()],
                        to: choices.below(3),
                        from: choices.below(3),
                        count,
                        up: choices.percent(60),
                        by: choices.below(3) as u64,
                    })
                }
                _ => Act::Exchange(element(choices), element(choices)),
            });
        }
        loads += 1;
        acts.push(Act::Load(Element {
            pointer: choices.below(3),
            index: few[0],
            parameter: None,
        }));
        Function {
            acts,
            objects,
            parameters,
            bytes,
            loads,
        }
    }

    /// The function and its helper, for pointers to this memory.
    fn text(&self, memory: &str, ty: &str) -> String {
        let mut text = format!(
            "static void exchange({memory} {ty} *one, {memory} {ty} *two) {{\n    {ty} held = *one;\n    *one = *two;\n    *two = held + 1;\n}}\n\nstatic void act({memory} {ty} *p, {memory} {ty} *q, {memory} {ty} *r, uint k0, uint k1, global {ty} *seen) {{\n"
        );
        let mut loads = 0;
        for act in &self.acts {
            // Into a text, which takes all.
            let _ = match *act {
                Act::Load(of) => {
                    loads += 1;
                    writeln!(text, "    {ty} x{} = {};", loads - 1, of.text())
                }
                Act::Store(to, None, number) => writeln!(text, "    {} = {number};", to.text()),
                Act::Store(to, Some(n), number) => {
                    writeln!(text, "    {} = x{n} + {number};", to.text())
                }
                Act::Add(to, by) => writeln!(text, "    {} += {};", to.text(), by.text()),
                Act::Byte(pointer, at, byte) => writeln!(
                    text,
                    "    (({memory} uchar *){})[{at}] = {byte};",
                    POINTERS[pointer]
                ),
                Act::Slide(of) => {
                    let count = match of.up {
                        true => format!("for (uint i = 0; i < {}; i++)", of.count),
                        false => format!("for (uint i = {}; i-- > 0;)", of.count),
                    };
                    let [to, from] = [of.to, of.from].map(|n| POINTERS[n]);
                    let ([into, out_of], by) = (of.first, of.by);
                    writeln!(
                        text,
                        "    {count} {to}[{into} + i] = {from}[{out_of} + i] + {by};"
                    )
                }
                Act::Exchange(one, two) => {
                    writeln!(text, "    exchange({}, {});", one.address(), two.address())
                }
            };
        }
        for n in 0..loads {
            let _ = writeln!(text, "    seen[{n}] = x{n};");
        }
        text + "}\n\n"
    }

    /// What a work-item leaves in its parts of the objects, and what it remembers.
    fn done(&self, objects: &mut [Vec<u8>; 2]) -> Vec<u64> {
        let bytes = self.bytes;
        let read = |objects: &[Vec<u8>; 2], pointer: usize, index: usize| {
            let part = &objects[self.objects[pointer]][bytes * index..][..bytes];
            part.iter()
                .rev()
                .fold(0, |all, byte| all << 8 | u64::from(*byte))
        };
        let write = |objects: &mut [Vec<u8>; 2], pointer: usize, index: usize, number: u64| {
            let part = &mut objects[self.objects[pointer]][bytes * index..][..bytes];
            part.copy_from_slice(&number.to_le_bytes()[..bytes]);
        };
        let mut seen: Vec<u64> = Vec::new();
        for act in &self.acts {
            match *act {
                Act::Load(of) => seen.push(read(objects, of.pointer, of.index)),
                Act::Store(to, of, number) => {
                    let number = number.wrapping_add(of.map_or(0, |n| seen[n]));
                    write(objects, to.pointer, to.index, number);
                }
                Act::Add(to, by) => {
                    let sum = read(objects, to.pointer, to.index)
                        .wrapping_add(read(objects, by.pointer, by.index));
                    write(objects, to.pointer, to.index, sum);
                }
                Act::Byte(pointer, at, byte) => objects[self.objects[pointer]][at] = byte,
                Act::Slide(of) => {
                    for n in 0..of.count {
                        let n = if of.up { n } else { of.count - 1 - n };
                        let number = read(objects, of.from, of.first[1] + n).wrapping_add(of.by);
                        write(objects, of.to, of.first[0] + n, number);
                    }
                }
                Act::Exchange(one, two) => {
                    let held = read(objects, one.pointer, one.index);
                    let other = read(objects, two.pointer, two.index);
                    write(objects, one.pointer, one.index, other);
                    write(objects, two.pointer, two.index, held.wrapping_add(1));
                }
            }
        }
        seen
    }
}

/// Work-items with parts of two objects of their own, which a function has up to three pointers into.
pub fn pointers(choices: &mut Choices) -> KernelCase {
    let mut case =
        CaseBuilder::new("what is stored through one pointer is what another to the same finds");
    let (ty, bytes) = choices.one_of(&TYPES);
    let memory = choices.one_of(&["global", "global", "local", "private"]);
    let function = Function::draw(choices, bytes, memory != "global");
    let (items, group) = choices.one_of(&[(1, 1), (5, 1), (12, 4), (64, 16), (33, 11)]);
    // A generic pointer is written without the memory.
    let generic = choices.percent(20);
    case.need_if(generic, &[Need::GenericAddressSpace, Need::C20]);
    let mut source = function.text(if generic { "" } else { memory }, ty);
    let [p, q, r] = function.objects;
    let loads = function.loads;
    let own = format!("get_global_id(0) * {OWN}");
    let seen = format!("seen + get_global_id(0) * {loads}");
    // Of global memory each pointer is an argument, so that the kernel does not know which are alike.
    let _ = match memory {
        "global" => write!(
            source,
            "kernel void pointers(global {ty} *p, global {ty} *q, global {ty} *r, uint k0, uint k1, global {ty} *seen) {{\n    act(p + {own}, q + {own}, r + {own}, k0, k1, {seen});\n}}\n"
        ),
        _ => {
            let (room, mine) = match memory {
                "local" => (
                    format!("{group} * {OWN}"),
                    format!(" + get_local_id(0) * {OWN}"),
                ),
                _ => (OWN.to_string(), String::new()),
            };
            write!(
                source,
                "kernel void pointers(global {ty} *a, global {ty} *b, uint k0, uint k1, global {ty} *seen) {{\n    {memory} {ty} part0[{room}];\n    {memory} {ty} part1[{room}];\n    {memory} {ty} *m0 = part0{mine}, *m1 = part1{mine};\n    for (uint i = 0; i < {OWN}; i++) {{\n        m0[i] = a[{own} + i];\n        m1[i] = b[{own} + i];\n    }}\n    act(m{p}, m{q}, m{r}, k0, k1, {seen});\n    for (uint i = 0; i < {OWN}; i++) {{\n        a[{own} + i] = m0[i];\n        b[{own} + i] = m1[i];\n    }}\n}}\n"
            )
        }
    };
    case.case.source = source;
    let contents = [(); 2].map(|()| noise(choices));
    let part = OWN * bytes;
    let mut before = contents
        .each_ref()
        .map(|contents| contents.bytes(items * part));
    let objects = contents.map(|contents| case.object(Kind::Buffer, items * part, contents));
    let out = case.object(Kind::Buffer, items * loads * bytes, Contents::Zero);
    let mut args: Vec<Arg> = match memory {
        "global" => [p, q, r].map(|n| objects[n].into()).to_vec(),
        _ => objects.map(Arg::from).to_vec(),
    };
    args.extend(function.parameters.map(|n| Arg::Uint(n as u32)));
    args.push(out.into());
    case.launch("pointers", args, Range::line(items as u64, group));
    let mut remembered = Vec::new();
    for item in 0..items {
        let mut parts = before
            .each_ref()
            .map(|all| all[item * part..][..part].to_vec());
        for number in function.done(&mut parts) {
            remembered.extend(&number.to_le_bytes()[..bytes]);
        }
        for (all, part) in before.iter_mut().zip(parts) {
            all[item * part.len()..][..part.len()].copy_from_slice(&part);
        }
    }
    let rules = [rule::C_OBJECTS];
    case.look(
        out,
        &rules,
        "what was read through pointers",
        Want::bytes(remembered),
    );
    for (n, (object, bytes)) in objects.into_iter().zip(before).enumerate() {
        // Of global memory no pointer may lead into one.
        if memory == "global" && !function.objects.contains(&n) {
            continue;
        }
        let name = "what was written through pointers";
        case.look(object, &rules, name, Want::bytes(bytes));
    }
    case.case
}
