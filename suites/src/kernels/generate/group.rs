//! Work-groups: barriers in generated control flow, local memory, private memory.

use super::builder::{CaseBuilder, args, cl};
use crate::choices::Choices;
use crate::kernels::case::{Arg, KernelCase, Launch, Range, Step, Want};
use crate::rule;
use classay_vocabulary::Need;
use std::fmt::Write as _;

/// A round of an exchange: each work-item writes its value, passes a barrier, reads another's, and
/// mixes the two.
#[derive(Debug, Clone, Copy)]
struct Exchange {
    /// The work-item that is read is so many further on, around the group.
    shift: u32,
    /// What the sum is multiplied with.
    factor: u32,
    /// What is added.
    add: u32,
    /// Through local or global memory.
    local: bool,
}

/// Control flow that every work-item of a group takes alike.
#[derive(Debug, Clone)]
enum Flow {
    Exchange(Exchange),
    /// An exchange in a function.
    Call(Exchange),
    /// `if (group % modulus == rest)`, or its else.
    Branch {
        modulus: u32,
        rest: u32,
        then: Vec<Flow>,
        otherwise: Vec<Flow>,
    },
    /// So many passes, and the group's number modulo something more.
    Loop {
        passes: u32,
        modulus: u32,
        body: Vec<Flow>,
    },
    /// A switch on the pass of the loop around it, or on the group.
    Switch {
        cases: Vec<Vec<Flow>>,
    },
    /// A loop that all leave in its middle.
    Leave {
        passes: u32,
        first: Vec<Flow>,
        rest: Vec<Flow>,
    },
}

/// How many exchanges a program has at most, counting each once.
const MOST: usize = 10;

fn exchange(choices: &mut Choices, group: u32) -> Exchange {
    Exchange {
        shift: choices.between(1, group.max(2) as usize - 1) as u32,
        factor: choices.below(1000) as u32 * 2 + 3,
        add: choices.below(1 << 20) as u32,
        local: choices.percent(70),
    }
}

fn flow(choices: &mut Choices, group: u32, depth: u32, left: &mut usize) -> Vec<Flow> {
    let mut list = Vec::new();
    for _ in 0..choices.between(1, 3) {
        if *left == 0 {
            break;
        }
        let kind = if depth == 0 {
            choices.below(4)
        } else {
            choices.below(10)
        };
        list.push(match kind {
            0..=2 => {
                *left -= 1;
                Flow::Exchange(exchange(choices, group))
            }
            3 => {
                *left -= 1;
                Flow::Call(exchange(choices, group))
            }
            4 | 5 => {
                let modulus = choices.between(2, 3) as u32;
                Flow::Branch {
                    modulus,
                    rest: choices.below(modulus as usize) as u32,
                    then: flow(choices, group, depth - 1, left),
                    otherwise: if choices.percent(50) {
                        flow(choices, group, depth - 1, left)
                    } else {
                        Vec::new()
                    },
                }
            }
            6 | 7 => Flow::Loop {
                passes: choices.between(1, 4) as u32,
                modulus: choices.between(1, 3) as u32,
                body: flow(choices, group, depth - 1, left),
            },
            8 => Flow::Switch {
                cases: (0..choices.between(2, 3))
                    .map(|_| flow(choices, group, depth - 1, left))
                    .collect(),
            },
            _ => Flow::Leave {
                passes: choices.between(2, 4) as u32,
                first: flow(choices, group, depth - 1, left),
                rest: flow(choices, group, depth - 1, left),
            },
        });
    }
    list
}

/// Writes the control flow as OpenCL C.
struct Writer {
    text: String,
    indent: usize,
    loops: usize,
    /// `work_group_barrier` with this scope instead of `barrier`.
    scope: Option<&'static str>,
    /// Every barrier is one of both memories.
    combined: bool,
}

impl Writer {
    fn line(&mut self, line: &str) {
        let _ = writeln!(self.text, "{:1$}{line}", "", self.indent * 4);
    }

    fn barrier(&self, local: bool) -> String {
        let flags = match (self.combined, local) {
            (true, _) => "CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE",
            (false, true) => "CLK_LOCAL_MEM_FENCE",
            (false, false) => "CLK_GLOBAL_MEM_FENCE",
        };
        match self.scope {
            Some(scope) => format!("work_group_barrier({flags}, memory_scope_{scope});"),
            None => format!("barrier({flags});"),
        }
    }

    fn exchange(&mut self, e: Exchange) {
        let cells = if e.local { "cells" } else { "mine" };
        let barrier = self.barrier(e.local);
        self.line(&format!("{cells}[me] = value;"));
        self.line(&barrier);
        self.line(&format!(
            "value = (value + {cells}[(me + {}u) % size]) * {}u + {}u;",
            e.shift, e.factor, e.add
        ));
        self.line(&barrier);
    }

    fn block(&mut self, head: &str, list: &[Flow]) {
        self.line(&format!("{head} {{"));
        self.indent += 1;
        self.list(list);
        self.indent -= 1;
        self.line("}");
    }

    fn list(&mut self, list: &[Flow]) {
        for flow in list {
            match flow {
                Flow::Exchange(e) => self.exchange(*e),
                Flow::Call(e) => {
                    let cells = if e.local { "in_cells" } else { "in_mine" };
                    let to = if e.local { "cells" } else { "mine" };
                    self.line(&format!(
                        "value = {cells}({to}, me, size, value, {}u, {}u, {}u);",
                        e.shift, e.factor, e.add
                    ));
                }
                Flow::Branch {
                    modulus,
                    rest,
                    then,
                    otherwise,
                } => {
                    self.block(&format!("if (group % {modulus}u == {rest}u)"), then);
                    if !otherwise.is_empty() {
                        self.block("else", otherwise);
                    }
                }
                Flow::Loop {
                    passes,
                    modulus,
                    body,
                } => {
                    let i = self.next();
                    let head =
                        format!("for (uint {i} = 0; {i} < {passes}u + group % {modulus}u; {i}++)");
                    self.block(&head, body);
                }
                Flow::Switch { cases } => {
                    self.line(&format!("switch (group % {}u) {{", cases.len()));
                    for (n, case) in cases.iter().enumerate() {
                        let label = if n + 1 == cases.len() {
                            "default:".to_string()
                        } else {
                            format!("case {n}:")
                        };
                        self.block(&label, case);
                        self.line("break;");
                    }
                    self.line("}");
                }
                Flow::Leave {
                    passes,
                    first,
                    rest,
                } => {
                    let i = self.next();
                    self.line(&format!("uint {i} = 0;"));
                    self.line("while (1) {");
                    self.indent += 1;
                    self.list(first);
                    self.line(&format!("if (++{i} == {passes}u) break;"));
                    self.list(rest);
                    self.indent -= 1;
                    self.line("}");
                }
            }
        }
    }

    fn next(&mut self) -> String {
        self.loops += 1;
        format!("i{}", self.loops)
    }
}

/// What the values of a group become.
fn run(list: &[Flow], group: u32, values: &mut Vec<u32>) {
    let exchange = |e: &Exchange, values: &mut Vec<u32>| {
        let size = values.len();
        *values = (0..size)
            .map(|me| {
                let other = values[(me + e.shift as usize) % size];
                values[me]
                    .wrapping_add(other)
                    .wrapping_mul(e.factor)
                    .wrapping_add(e.add)
            })
            .collect();
    };
    for flow in list {
        match flow {
            Flow::Exchange(e) | Flow::Call(e) => exchange(e, values),
            Flow::Branch {
                modulus,
                rest,
                then,
                otherwise,
            } => {
                let taken = if group % modulus == *rest {
                    then
                } else {
                    otherwise
                };
                run(taken, group, values);
            }
            Flow::Loop {
                passes,
                modulus,
                body,
            } => {
                for _ in 0..passes + group % modulus {
                    run(body, group, values);
                }
            }
            Flow::Switch { cases } => run(&cases[group as usize % cases.len()], group, values),
            Flow::Leave {
                passes,
                first,
                rest,
            } => {
                for pass in 1..=*passes {
                    run(first, group, values);
                    if pass < *passes {
                        run(rest, group, values);
                    }
                }
            }
        }
    }
}

/// A range of up to six work-groups of so many work-items, of one to three dimensions.
fn range(choices: &mut Choices, group: u32) -> Range {
    let dimensions = choices.one_of(&[1, 1, 1, 2, 2, 3]);
    if dimensions == 1 {
        let groups = choices.between(1, 6) as u64;
        return Range::line(u64::from(group) * groups, u64::from(group));
    }
    let (mut local, mut left) = (Vec::new(), group);
    for _ in 1..dimensions {
        let divisors: Vec<u32> = (1..=left).filter(|n| left.is_multiple_of(*n)).collect();
        let own = choices.pick(&divisors).unwrap_or(1);
        local.push(u64::from(own));
        left /= own;
    }
    local.push(u64::from(left));
    let most = if dimensions == 2 { 3 } else { 2 };
    let global = local
        .iter()
        .map(|size| size * choices.between(1, most) as u64);
    Range::new(global.collect(), local)
}

/// Exchanges between barriers, in loops, branches and functions.
pub fn barrier(choices: &mut Choices) -> KernelCase {
    let mut case = CaseBuilder::new("work-items exchange values between barriers in control flow");
    let group = choices.one_of(&[2, 3, 4, 7, 8, 16, 31, 64]);
    let scope = match choices.below(10) {
        0..3 => Some("work_group"),
        3 | 4 => Some("device"),
        _ => None,
    };
    case.need_if(scope.is_some(), &[Need::C20]);
    case.need_if(scope == Some("device"), &[Need::ScopeDevice]);
    let range = range(choices, group);
    let groups = (range.items() / u64::from(group)) as u32;
    let argument = choices.percent(50);
    let mut left = MOST;
    let mut list = vec![Flow::Exchange(exchange(choices, group))];
    list.extend(flow(choices, group, 3, &mut left));
    let mut writer = Writer {
        text: String::new(),
        indent: 0,
        loops: 0,
        scope,
        combined: choices.percent(15),
    };
    for (name, region, local) in [("in_cells", "local", true), ("in_mine", "global", false)] {
        let barrier = writer.barrier(local);
        writer.line(&format!(
            "uint {name}({region} uint *cells, uint me, uint size, uint value, uint shift, uint factor, uint add) {{"
        ));
        writer.line("    cells[me] = value;");
        writer.line(&format!("    {barrier}"));
        writer.line("    value = (value + cells[(me + shift) % size]) * factor + add;");
        writer.line(&format!("    {barrier}"));
        writer.line("    return value;\n}");
    }
    let parameter = if argument { ", local uint *cells" } else { "" };
    writer.line(&format!(
        "kernel void exchange(global uint *out, global uint *all{parameter}) {{"
    ));
    writer.indent = 1;
    if !argument {
        writer.line(&format!("local uint cells[{group}];"));
    }
    let dimensions = range.global.len();
    let number = |of: &str, among: &str| {
        let next = |text, d| format!("({text} * get_{among}({d}) + get_{of}({d}))");
        (0..dimensions - 1)
            .rev()
            .fold(format!("get_{of}({})", dimensions - 1), next)
    };
    let sizes = (0..dimensions).map(|d| format!("get_local_size({d})"));
    let sizes: Vec<String> = sizes.collect();
    writer.line(&format!(
        "uint me = (uint){};",
        number("local_id", "local_size")
    ));
    writer.line(&format!("uint size = (uint)({});", sizes.join(" * ")));
    writer.line(&format!(
        "uint group = (uint){};",
        number("group_id", "num_groups")
    ));
    writer.line("global uint *mine = all + group * size;");
    writer.line("uint value = (group * size + me) * 7u + 1u;");
    writer.list(&list);
    writer.line("out[group * size + me] = value;");
    writer.indent = 0;
    writer.line("}");
    case.case.source = writer.text;
    let items = (group * groups) as usize;
    let out = case.buffer(4 * items);
    let all = case.buffer(4 * items);
    let mut args = args![out, all];
    if argument {
        args.push(Arg::Local(4 * group as usize));
    }
    case.launch("exchange", args, range);
    let mut wanted = Vec::new();
    for g in 0..groups {
        let mut values: Vec<u32> = (0..group).map(|me| (g * group + me) * 7 + 1).collect();
        run(&list, g, &mut values);
        wanted.extend(values);
    }
    let want = Want::words(wanted).racy();
    let rules = [rule::WG_BARRIER, rule::MM_BARRIER_WG];
    case.look(out, &rules, "the exchanged values", want);
    case.case
}

/// Local memory, static and of arguments, is a group's own.
pub fn local(choices: &mut Choices) -> KernelCase {
    let mut case =
        CaseBuilder::new("each work-group fills its local memory and finds it as it left it");
    let group = choices.one_of(&[1, 4, 16, 33]);
    let groups = choices.between(2, 12) as u32;
    // Arrays of every type and length, of which few end where the next type may begin.
    let mut array = || {
        let (ty, size) = choices.one_of(&[
            ("uchar", 1),
            ("ushort", 2),
            ("uint", 4),
            ("uint", 4),
            ("ulong", 8),
        ]);
        let length = choices.one_of(&[1u32, 3, 5, 64, 67, 100, 256]);
        (ty, size, length)
    };
    let arguments: Vec<_> = (0..3).map(|_| array()).collect();
    let statics: Vec<_> = (0..2).map(|_| array()).collect();
    let mut parameters = String::new();
    let mut declared = String::new();
    let (mut fills, mut checks) = (String::new(), String::new());
    let mut args = Vec::new();
    for (n, (ty, size, length)) in arguments.iter().chain(&statics).enumerate() {
        if n < arguments.len() {
            // A pointer to vectors leads to where a vector may lie, whatever lies before it; memory that has no room
            // for one may lie anywhere.
            let lanes = match choices.one_of(&[1, 2, 4, 8, 16]) {
                lanes if lanes <= *length as usize => lanes,
                _ => 1,
            };
            let vector = match lanes {
                1 => (*ty).to_owned(),
                lanes => format!("{ty}{lanes}"),
            };
            let _ = write!(parameters, ", local {vector} *v{n}");
            let _ = writeln!(declared, "    local {ty} *a{n} = (local {ty} *)v{n};");
            let _ = writeln!(
                checks,
                "        bad += (uintptr_t)v{n} % {} != 0;",
                lanes * size
            );
            args.push(Arg::Local(size * *length as usize));
        } else {
            let _ = writeln!(declared, "    local {ty} a{n}[{length}];");
        }
        // Bits that look random, of the group, the pass, the array and the element.
        let shift = 64 - 8 * size;
        let value = format!("({ty})((token + {n}u * 256u + i) * 0x9e3779b97f4a7c15UL >> {shift})");
        let _ = writeln!(
            fills,
            "        for (uint i = me; i < {length}u; i += size) a{n}[i] = {value};"
        );
        let _ = writeln!(
            checks,
            "        for (uint i = 0; i < {length}u; i++) bad += a{n}[i] != {value};"
        );
    }
    case.case.source = cl!("local.cl", parameters, declared, fills, checks);
    let items = group * groups;
    let wrong = case.buffer(4 * items as usize);
    args.insert(0, wrong.into());
    case.step(Step::Launch(Launch {
        kernel: "fill".into(),
        args,
        range: Range::line(u64::from(items), u64::from(group)),
        times: choices.between(1, 2) as u32,
        ..Launch::default()
    }));
    let name = "cells of local memory that changed";
    let want = Want::zeros();
    case.look(wrong, &[rule::RG_LOCAL, rule::RG_DISJOINT], name, want);
    case.case
}

/// Private memory is a work-item's own, across barriers.
pub fn private(choices: &mut Choices) -> KernelCase {
    let mut case = CaseBuilder::new("each work-item keeps its private arrays over barriers");
    let group = choices.one_of(&[1u32, 5, 8, 32]);
    let groups = choices.between(1, 5) as u32;
    let words = choices.one_of(&[3u32, 16, 100, 700]);
    let stride = choices.one_of(&[1u32, 3, 7]);
    case.case.source = cl!("private.cl", words, stride);
    let items = group * groups;
    let wrong = case.unwritten(items as usize);
    let range = Range::line(u64::from(items), u64::from(group));
    case.launch("keep", args![wrong], range);
    let name = "cells of private memory that changed";
    let want = Want::zeros();
    case.look(wrong, &[rule::RG_PRIVATE, rule::RG_DISJOINT], name, want);
    case.case
}
