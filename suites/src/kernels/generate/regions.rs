//! Regions of memory: constants, program-scope variables, generic pointers, arguments, and kernels from
//! sources and binaries.

use super::builder::{CaseBuilder, args, cl};
use super::variables;
use crate::choices::Choices;
use crate::host::OfBinary;
use crate::kernels::case::{
    Arg, Build, Contents, KernelCase, Kind, Launch, ObjectId, Range, Step, Want,
};
use crate::rule;
use classay_vocabulary::Need;
use std::fmt::Write as _;

/// A kernel that uses all four regions, whose addresses and contents stay apart.
pub fn disjoint(choices: &mut Choices) -> KernelCase {
    let mut case =
        CaseBuilder::new("all regions at once: none changes another, and constants stay");
    let words = choices.one_of(&[8u32, 33, 64]);
    let group = choices.one_of(&[1u64, 4, 15]);
    let groups = choices.between(1, 4) as u64;
    let table: Vec<u32> = (0..words).map(|_| choices.below(1 << 30) as u32).collect();
    let listed = table
        .iter()
        .map(|w| format!("{w}u"))
        .collect::<Vec<_>>()
        .join(", ");
    case.case.source = cl!("disjoint.cl", words, listed);
    let items = (group * groups) as u32;
    let out = case.buffer((4 * items * words) as usize);
    let given = case.object(
        Kind::Buffer,
        4 * words as usize,
        Contents::Words(table.clone()),
    );
    let args = args![out, given, Arg::Local(4 * words as usize), words];
    case.launch("everywhere", args, Range::line(u64::from(items), group));
    let mut wanted = Vec::new();
    for item in 0..items {
        wanted.push(0);
        wanted.extend((1..words).map(|i| 0x40001 + i + item));
    }
    case.look(
        out,
        &[
            rule::RG_DISJOINT,
            rule::RG_CONSTANT,
            rule::RG_LOCAL,
            rule::RG_PRIVATE,
        ],
        "what the regions held",
        Want::words(wanted),
    );
    let want = Want::words(table);
    case.look(given, &[rule::RG_CONSTANT], "the constant buffer", want);
    case.case
}

/// Program-scope variables: initialized once, and kept from kernel to kernel.
pub fn program_scope(choices: &mut Choices) -> KernelCase {
    if choices.percent(60) {
        return variables::units(choices);
    }
    let mut case =
        CaseBuilder::new("program-scope variables begin with their initializers and are kept");
    case.need(&[Need::ProgramScopeVariables, Need::C20]);
    // The source is the case's own, so that no other case has touched its variables; each run makes
    // the values new by what it adds.
    let start = choices.below(1 << 30) as u32;
    let count = choices.between(2, 9) as u32;
    let wide = choices.below(1 << 30) as u64 * 5_000_000_011;
    case.case.source = cl!("program_scope.cl", start, count, wide);
    // Each device has variables of its own, however the launches of two of them follow each other.
    let devices = if choices.percent(40) { 2 } else { 1 };
    if devices > 1 {
        case.need(&[Need::Devices(2)]);
        case.case.queues = vec![1];
    }
    let on = |kernel: &str, out: ObjectId, queue: u8| {
        Step::Launch(Launch {
            queue,
            ..Launch::new(kernel, args![out], Range::line(1, 1))
        })
    };
    let outs = |case: &mut CaseBuilder, bytes: usize| -> Vec<ObjectId> {
        (0..devices).map(|_| case.buffer(bytes)).collect()
    };
    let (before, after) = (outs(&mut case, 28), outs(&mut case, 24));
    let mut others = Vec::new();
    for (kernel, outs) in [("first", &before), ("second", &after)] {
        for (queue, out) in outs.iter().enumerate() {
            case.step(on(kernel, *out, queue as u8));
            if devices > 1 {
                case.step(Step::Finish);
            }
        }
        // Another program of the same source and options has variables of its own, whichever comes first.
        for _ in 0..choices.below(3) {
            let out = case.buffer(28);
            case.run(Launch {
                rebuilt: true,
                ..Launch::new("first", args![out], Range::line(1, 1))
            });
            let name = "variables of another program of the source at the beginning";
            others.push((out, name));
        }
    }
    let own = before
        .into_iter()
        .map(|out| (out, "variables at the beginning"));
    for (out, name) in own.chain(others) {
        let rules = [rule::PREREQ_PROGRAM_INIT, rule::RG_PROGRAM_SCOPE];
        case.look(out, &rules, name, Want::words(vec![0, 1, 0, 0, 0, 3467, 1]));
    }
    for out in after {
        let name = "variables after a kernel";
        let want = Want::words(vec![5, 7, 7, 99, 1, 42]);
        case.look(out, &[rule::RG_PROGRAM_SCOPE], name, want);
    }
    case.case
}

/// Generic pointers to each region. What is asked about a pointer is drawn, so that a device that answers one
/// question wrongly can still show how it answers the others.
pub fn generic(choices: &mut Choices) -> KernelCase {
    let mut case = CaseBuilder::new("generic pointers lead where they led before");
    case.need(&[Need::GenericAddressSpace, Need::C20]);
    let group = choices.one_of(&[1u64, 2, 9]);
    let value = choices.below(1 << 20);
    // Bits: to_global, to_local, to_private, get_fence, and whether the pointers are those asked about.
    let asked = match choices.below(3) {
        0 => 31,
        1 => 1 << choices.below(5),
        _ => 1 + choices.below(31) as u32,
    };
    let ask = |bit: u32, question: &'static str| match asked & bit {
        0 => "",
        _ => question,
    };
    let kinds = [
        ask(1, "    if (to_global(p)) kind |= 1;\n"),
        ask(2, "    if (to_local(p)) kind |= 2;\n"),
        ask(4, "    if (to_private(p)) kind |= 4;\n"),
        ask(
            8,
            "    cl_mem_fence_flags flags = get_fence(p);\n    \
             if (flags & CLK_GLOBAL_MEM_FENCE) kind |= 8;\n    \
             if (flags & CLK_LOCAL_MEM_FENCE) kind |= 16;\n",
        ),
    ]
    .concat();
    let led = match asked & 16 {
        0 => "1",
        _ => {
            "to_global((uint *)(cells + item)) == cells + item && to_local((uint *)(near + me)) == near + me && !to_global((uint *)0) && !to_local((uint *)0) && !to_private((uint *)0)"
        }
    };
    case.case.source = cl!("generic.cl", kinds, value, led);
    let items = group * 3;
    let cells = case.buffer(4 * items as usize);
    let out = case.buffer(28 * items as usize);
    let args = args![cells, Arg::Local(4 * group as usize), out];
    case.launch("roam", args, Range::line(items, group));
    let mut wanted = Vec::new();
    for item in 0..items as u32 {
        wanted.extend([item + 1, item + 3, item + 5]);
        // The flags of a private pointer are the device's choice, but that they do not name local memory.
        let flags = if asked & 8 == 0 { 0 } else { 8 | 16 };
        wanted.extend([1 | 8, 2 | 16, 4].map(|kind| kind & (asked & 7 | flags)));
        wanted.push(1);
    }
    case.look(
        out,
        &[rule::RG_GENERIC],
        "values and regions through generic pointers",
        Want::words(wanted),
    );
    case.case
}

/// Types of elements of parameters with their sizes in bytes, and those that a device may lack.
const ELEMENTS: [(&str, usize); 9] = [
    ("char", 1),
    ("uchar", 1),
    ("short", 2),
    ("ushort", 2),
    ("int", 4),
    ("uint", 4),
    ("long", 8),
    ("ulong", 8),
    ("float", 4),
];
const RARE_ELEMENTS: [(&str, usize); 2] = [("double", 8), ("half", 2)];

/// A type of a parameter.
struct Parameter {
    name: String,
    bytes: usize,
    /// Those that hold something: the first ones, but of a `thing`.
    used: usize,
}

/// One of them; of elements that a device may lack, where one is given.
fn parameter(choices: &mut Choices, rare: Option<(&str, usize)>) -> Parameter {
    let whole = |name: &str, bytes| Parameter {
        name: name.into(),
        bytes,
        used: bytes,
    };
    match choices.below(16) {
        0 => return whole("large", 256),
        // What lies behind its longest member holds nothing.
        1 => {
            return Parameter {
                used: 20,
                ..whole("either", 24)
            };
        }
        2 | 3 => return whole("thing", 24),
        _ => {}
    }
    let (element, size) = match rare {
        Some(rare) if choices.percent(35) => rare,
        _ => choices.one_of(&ELEMENTS),
    };
    match choices.one_of(&[1usize, 1, 1, 2, 3, 4, 8, 16]) {
        1 => whole(element, size),
        lanes => Parameter {
            name: format!("{element}{lanes}"),
            bytes: size * lanes.next_power_of_two(),
            used: size * lanes,
        },
    }
}

/// Bytes that parameters have at most: of 1,024, the least CL_DEVICE_MAX_PARAMETER_SIZE of the full profile, without the
/// buffer.
const PARAMETER_BYTES: usize = 1000;

/// Arguments of every type, compared byte by byte with what was set; some come from a binary.
pub fn arguments(choices: &mut Choices) -> KernelCase {
    let mut case = CaseBuilder::new("a kernel finds each byte of its arguments");
    let count = match choices.percent(20) {
        true => choices.between(20, 60),
        false => choices.between(1, 8),
    };
    let (mut room, mut n) = (PARAMETER_BYTES, 0);
    let mut parameters = String::new();
    let mut body = String::new();
    let mut args = Vec::new();
    let mut after = String::new();
    let mut wanted = Vec::new();
    let rare = match choices.percent(30) {
        true => choices.pick(&RARE_ELEMENTS),
        false => None,
    };
    let mut before = "";
    for _ in 0..count {
        let Parameter {
            name,
            bytes: size,
            used,
        } = parameter(choices, rare);
        // Before it there may be nothing for as many bytes.
        let Some(rest) = usize::checked_sub(room, 2 * size) else {
            continue;
        };
        room = rest;
        if let Some((ty, _)) = rare.filter(|(ty, _)| name.starts_with(ty)) {
            before = case.need_type(ty);
        }
        let bytes = Contents::Noise(choices.below(1 << 30) as u32).bytes(size);
        let _ = write!(parameters, ", {name} a{n}");
        let place = wanted.len();
        // The fourth element of a vector of three, and the holes of a structure, hold nothing.
        let kept = match name.as_str() {
            "thing" => [&bytes[..1], &bytes[8..16]].concat(),
            _ => bytes[..used].to_vec(),
        };
        if name == "thing" {
            let _ = writeln!(
                body,
                "    out[{place}] = a{n}.a;\n    for (uint i = 0; i < 8; i++) out[{place} + 1 + i] = (uchar)(a{n}.b >> (8 * i));"
            );
        } else {
            let _ = writeln!(
                body,
                "    for (uint i = 0; i < {used}; i++) out[{place} + i] = ((const uchar *)&a{n})[i];"
            );
        }
        // Each work-item's parameters are its own, also when another has written to them before.
        if choices.percent(40) {
            let _ = match name.as_str() {
                "thing" => writeln!(after, "    a{n}.a ^= 90;\n    a{n}.b = ~a{n}.b;"),
                _ => writeln!(
                    after,
                    "    for (uint i = 0; i < {used}; i++) ((volatile private uchar *)&a{n})[i] ^= 90;"
                ),
            };
        }
        wanted.extend(kept);
        args.push(Arg::Bytes(bytes));
        n += 1;
    }
    case.case.source = cl!(
        "arguments.cl",
        before,
        parameters,
        length = wanted.len(),
        body = body.replace("(const uchar *)&", "(const private uchar *)&"),
        after
    );
    let binary = OfBinary::drawn(choices, 40);
    case.case.build = Build {
        through_binary: binary,
        ..Build::default()
    };
    let (items, group) = choices.one_of(&[(1, 1), (3, 1), (8, 4), (40, 2)]);
    let wanted = wanted.repeat(items);
    let out = case.buffer(wanted.len());
    args.insert(0, out.into());
    let copied = choices.below(4);
    let (cloned, disturbed) = (copied == 0, copied == 1);
    case.need_if(cloned || disturbed, &[Need::Api21]);
    case.run(Launch {
        cloned,
        disturbed,
        ..Launch::new("take", args, Range::line(items as u64, group))
    });
    let mut rules = vec![rule::RG_ARGS, rule::KIND_SOURCE];
    if binary.is_some() {
        rules[1] = rule::KIND_BINARY;
    }
    case.look(out, &rules, "bytes of the arguments", Want::bytes(wanted));
    case.case
}
