//! Read-modify-writes of one object by a crowd of two sides: the host and a kernel, kernels in two
//! queues, or kernels on two devices. What is left, and that the values before lead from one to the
//! next, is known whatever the order.

use super::sides::{cell, leave_when, meet, quit, repeat, talk, when, with_host};
use crate::choices::Choices;
use crate::host::exchange::{Change, Is, Num, Operation as Act, Order, Reg};
use crate::kernels::case::{Contents, KernelCase, Kind, Launch, ObjectId, Range, Step, Unit, Want};
use crate::kernels::generate::builder::{CaseBuilder, INT64, args, cl};
use crate::rule::{self, RuleId};
use classay_vocabulary::Need;

/// What can be done to a type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
    /// All functions.
    Number,
    /// Exchanges and comparisons.
    Float,
    /// The same and additions: its width is that of an address.
    Address,
}

/// A type: its name, its element, what can be done to it, and whether it is signed.
#[derive(Debug, Clone, Copy)]
struct Type {
    name: &'static str,
    unit: Unit,
    class: Class,
    signed: bool,
}

const fn ty(name: &'static str, unit: Unit, class: Class, signed: bool) -> Type {
    Type {
        name,
        unit,
        class,
        signed,
    }
}

const TYPES: [Type; 10] = [
    ty("int", Unit::Word, Class::Number, true),
    ty("uint", Unit::Word, Class::Number, false),
    ty("long", Unit::Long, Class::Number, true),
    ty("ulong", Unit::Long, Class::Number, false),
    ty("float", Unit::Word, Class::Float, false),
    ty("double", Unit::Long, Class::Float, false),
    ty("size_t", Unit::Long, Class::Address, false),
    ty("ptrdiff_t", Unit::Long, Class::Address, true),
    ty("intptr_t", Unit::Long, Class::Address, true),
    ty("uintptr_t", Unit::Long, Class::Address, false),
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operation {
    Add,
    Sub,
    Or,
    And,
    Xor,
    Min,
    Max,
    Exchange,
    CompareStrong,
    CompareWeak,
}

use Operation::*;

/// Who the two sides are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sides {
    Host,
    Queues,
    /// Kernels in two queues, on a variable of the program.
    Variable,
    Devices,
}

const TURN: Reg = Reg(0);
const BEFORE: Reg = Reg(1);
const DONE: Reg = Reg(2);
const TRY: Reg = Reg(3);

/// Tries of a compare-exchange before a side gives up.
const TRIES: u32 = 1 << 20;

/// A crowd of two sides.
pub fn crowd(choices: &mut Choices) -> KernelCase {
    let sides = choices.one_of(&[
        Sides::Host,
        Sides::Host,
        Sides::Host,
        Sides::Queues,
        Sides::Variable,
        Sides::Devices,
    ]);
    let ty = choices.one_of(&TYPES);
    let operation = choices.pick(operations(ty)).unwrap_or(Exchange);
    let mut case = CaseBuilder::new(format!(
        "a crowd of two sides ({sides:?}): {operation:?} of {}",
        ty.name
    ));
    case.need(&[Need::C20, Need::C11Atomics]);
    let (kind, scope, rules) = memory(choices, &mut case, sides);
    case.need_if(ty.unit == Unit::Long, &[Need::Int64Atomics, Need::Bits64]);
    case.need_if(ty.name == "double", &[Need::Fp64]);
    let (order, orders) = choices.one_of(&[
        ("relaxed", Order::Relaxed),
        ("acq_rel", Order::AcqRel),
        ("seq_cst", Order::SeqCst),
    ]);
    case.need_if(orders == Order::AcqRel, &[Need::OrderAcqRel]);
    case.need_if(orders == Order::SeqCst, &[Need::OrderSeqCst]);
    let local = choices.one_of(&[1u32, 2, 8]);
    let items = local * choices.between(1, 4) as u32;
    let passes = choices.one_of(&[10u32, 100, 400]);
    let kernel = items * passes;
    // The host is as long busy as a kernel, roughly.
    let host = kernel.clamp(50, 400);
    let crowd = u64::from(kernel) + u64::from(if sides == Sides::Host { host } else { kernel });
    // Floats are exchanged as their bits: numbers from 1.0 on, one after the other.
    let float = ty.class == Class::Float;
    let first = match (float, ty.unit) {
        (true, Unit::Long) => 0x3ff0_0000_0000_0000,
        (true, Unit::Byte | Unit::Word) => 0x3f80_0000,
        (false, _) => 0,
    };
    let initial = initial(operation, ty, crowd, first);
    case.case.source = source(ty, operation, sides, [order, scope], first);
    let size = ty.unit.bytes();
    let shared = case.object(kind, size, Contents::numbers(ty.unit, vec![initial]));
    let here = case.object(kind, 4, Contents::Zero);
    let quit = quit(&mut case, kind);
    // Each side writes the values that it found to memory of its own.
    let second = crowd as u32 - kernel;
    let outs = [kernel, second].map(|n| case.object(kind, size * n as usize, Contents::Zero));
    let args = |side: usize| args![shared, here, quit, outs[side], passes, side as u32 * kernel];
    let range = || Range::line(items.into(), local.into());
    if sides == Sides::Variable {
        let set = Launch::new("set", args![shared], Range::line(1, 1));
        case.run(set);
        case.step(Step::Finish);
    }
    case.launch("crowd", args(0), range());
    match sides {
        Sides::Host => {
            let acts = host_part(
                operation,
                ty,
                orders,
                [shared, here, outs[1]],
                [kernel, host],
                first,
            );
            talk(&mut case, acts, &rules);
        }
        Sides::Queues | Sides::Variable | Sides::Devices => {
            case.case.queues = vec![u8::from(sides == Sides::Devices)];
            let second = Launch {
                queue: 1,
                ..Launch::new("crowd", args(1), range())
            };
            case.run(second);
        }
    }
    case.step(Step::Finish);
    let out = case.buffer(size * (crowd as usize + 1));
    let args = args![shared, outs[0], outs[1], out, kernel, second];
    case.launch("last", args, Range::line(1, 1));
    looks(
        &mut case,
        [shared, out],
        operation,
        ty,
        crowd,
        first,
        &rules,
    );
    case.case
}

/// What can be done to a type.
fn operations(ty: Type) -> &'static [Operation] {
    match ty.class {
        Class::Number => &[
            Add,
            Add,
            Sub,
            Or,
            And,
            Xor,
            Min,
            Max,
            Exchange,
            CompareStrong,
            CompareWeak,
        ],
        Class::Float => &[Exchange, CompareStrong, CompareWeak],
        Class::Address => &[Add, Exchange, CompareStrong],
    }
}

/// The value that the object begins with. No sum leaves the type from there.
fn initial(operation: Operation, ty: Type, crowd: u64, first: u64) -> u64 {
    match operation {
        Sub => 3 * crowd + 4,
        And => 0x7fff_ffff,
        Min => 1_000_000_000,
        Max if ty.signed => 1_000_000_u64.wrapping_neg(),
        Add | Or | Xor | Max => 0,
        Exchange | CompareStrong | CompareWeak => first,
    }
}

/// What kind of memory there is, the scope of the kernels' operations, and the rules that are put to
/// the test.
fn memory(
    choices: &mut Choices,
    case: &mut CaseBuilder,
    sides: Sides,
) -> (Kind, &'static str, Vec<RuleId>) {
    let tail = [rule::MM_ATOMICITY, rule::MM_RMW_LAST];
    let all = "all_svm_devices";
    match sides {
        Sides::Host | Sides::Devices => {
            let kind = with_host(choices, case);
            let mut rules = vec![rule::SV_FINE_ATOMICS_TYPES, rule::SV_FINE_ATOMICS];
            if sides == Sides::Host {
                rules.push(rule::MM_HOST);
            }
            rules.extend(tail);
            (kind, all, rules)
        }
        Sides::Queues | Sides::Variable => {
            let kind = choices.one_of(&[
                Kind::SvmCoarse,
                Kind::SvmCoarse,
                Kind::SvmFine,
                Kind::SvmAtomics,
            ]);
            case.need_memory(kind);
            let scope = choices.one_of(&["device", all]);
            let mut rules = vec![rule::SP_CROSS_KERNEL_SVM];
            case.need_if(sides == Sides::Variable, &[Need::ProgramScopeVariables]);
            if scope == all {
                case.need(&[Need::ScopeAllDevices]);
                if kind != Kind::SvmAtomics {
                    rules.push(rule::SV_SCOPE_DOWN);
                }
            } else {
                case.need(&[Need::ScopeDevice]);
            }
            rules.extend(tail);
            (kind, scope, rules)
        }
    }
}

/// The kernels. Elements of `out` have the bits of the values before.
fn source(ty: Type, operation: Operation, sides: Sides, words: [&str; 2], first: u64) -> String {
    let [order, scope] = words;
    let t = ty.name;
    let (bits, width) = match ty.unit {
        Unit::Long => ("ulong", "ul"),
        Unit::Byte | Unit::Word => ("uint", "u"),
    };
    let float = ty.class == Class::Float;
    let to = |value: &str| {
        if float {
            format!("as_{t}(({bits})({first}{width} + {value}))")
        } else {
            format!("({t})({value})")
        }
    };
    let from = |value: &str| {
        if float {
            format!("as_{bits}({value})")
        } else {
            format!("({bits})({value})")
        }
    };
    let plain = |name: &str, value: String| {
        let call = format!(
            "atomic_{name}_explicit(p, {value}, memory_order_{order}, memory_scope_{scope})"
        );
        format!("before = {};", from(&call))
    };
    let operations = match operation {
        Add => plain("fetch_add", to("3")),
        Sub => plain("fetch_sub", to("3")),
        Or => plain("fetch_or", to("1 << (i % 31)")),
        And => plain("fetch_and", to("~(1 << (i % 31))")),
        Xor => plain("fetch_xor", to("1 << (i % 31)")),
        Min if ty.signed => plain("fetch_min", format!("({t})2 - ({t})i")),
        Min => plain("fetch_min", to("1000000 - i")),
        Max if ty.signed => plain("fetch_max", format!("({t})i - ({t})900000")),
        Max => plain("fetch_max", to("i + 5")),
        Exchange => plain("exchange", to("i + 1")),
        CompareStrong | CompareWeak => {
            let name = if operation == CompareWeak {
                "weak"
            } else {
                "strong"
            };
            let next = if float {
                format!("as_{t}(as_{bits}(old) + 1)")
            } else {
                "old + 1".into()
            };
            format!(
                "{t} old = atomic_load_explicit(p, memory_order_relaxed, memory_scope_{scope});
        uint tries = 0;
        while (!atomic_compare_exchange_{name}_explicit(p, &old, {next}, memory_order_{order}, memory_order_relaxed, memory_scope_{scope})) {{
            if (++tries == {TRIES}u) {{ atomic_store_explicit(quit, 1u, memory_order_relaxed, memory_scope_{scope}); return; }}
        }}
        before = {};",
                from("old")
            )
        }
    };
    let (declared, place) = if sides == Sides::Variable {
        let declared = format!(
            "\
global atomic_{t} variable;
kernel void set(volatile global {t} *shared) {{ atomic_init(&variable, shared[0]); }}
"
        );
        (declared, "&variable")
    } else {
        (String::new(), "shared")
    };
    let pragmas = match (ty.unit, ty.name) {
        (Unit::Long, "double") => format!("{INT64}{FP64}"),
        (Unit::Long, _) => INT64.to_string(),
        (Unit::Byte | Unit::Word, _) => String::new(),
    };
    // The last value: told to those who look at it.
    let told = if sides == Sides::Variable {
        format!(
            "{t} left = atomic_load_explicit(&variable, memory_order_relaxed, memory_scope_{scope});
    *(volatile global {t} *)shared = left;"
        )
    } else {
        format!("{t} left = *(volatile global {t} *)shared;")
    };
    cl!(
        "exchange_crowd.cl",
        pragmas,
        declared,
        t,
        bits,
        place,
        scope,
        operations,
        told,
        left = from("left")
    )
}

const FP64: &str = "\
#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
";

/// What the host does, beside the kernel.
fn host_part(
    operation: Operation,
    ty: Type,
    order: Order,
    objects: [ObjectId; 3],
    counts: [u32; 2],
    first: u64,
) -> Vec<Act> {
    let [shared, here, out] = objects;
    let [kernel, host] = counts;
    let at = cell(shared, ty.unit, 0u64);
    // The number of the operation among all, as in the kernel.
    let number = |plus: u64| Num::reg(TURN).more(u64::from(kernel)).more(plus);
    let change = |how: Change, by: Num| {
        vec![Act::Change {
            how,
            at: at.clone(),
            by,
            order,
            before: BEFORE,
        }]
    };
    let with_bit = |how: Change, and: bool| {
        let mut acts = vec![
            Act::Put(TRY, number(0)),
            // The remainder by 31.
            repeat(
                u64::from(u32::MAX),
                DONE,
                vec![
                    when(TRY, Is::Below, 31u64, vec![Act::Leave]),
                    Act::Put(TRY, Num::reg(TRY).more(31u64.wrapping_neg())),
                ],
            ),
        ];
        // There is no shift here: the bit of each number is chosen from all.
        for n in 0..31u64 {
            let mask = if and { !(1u64 << n) } else { 1 << n };
            acts.push(when(TRY, Is::Equal, n, change(how, Num::of(mask))));
        }
        acts
    };
    let mut acts = match operation {
        Add => change(Change::Add, Num::of(3)),
        Sub => change(Change::Sub, Num::of(3)),
        Or => with_bit(Change::Or, false),
        And => with_bit(Change::And, true),
        Xor => with_bit(Change::Xor, false),
        Min if ty.signed => change(
            Change::MinSigned,
            Num::of(2u64.wrapping_sub(kernel.into())).and(TURN, u64::MAX),
        ),
        Min => change(
            Change::Min,
            Num::of(1_000_000 - u64::from(kernel)).and(TURN, u64::MAX),
        ),
        Max if ty.signed => change(Change::MaxSigned, number(900_000_u64.wrapping_neg())),
        Max => change(Change::Max, number(5)),
        Exchange => change(Change::Exchange, number(first + 1)),
        CompareStrong | CompareWeak => vec![
            Act::Load(BEFORE, at.clone(), Order::Relaxed),
            repeat(
                TRIES,
                TRY,
                vec![
                    Act::Swap {
                        at: at.clone(),
                        expected: BEFORE,
                        new: Num::reg(BEFORE).more(1),
                        order,
                        weak: operation == CompareWeak,
                        done: DONE,
                    },
                    leave_when(DONE, 1),
                ],
            ),
        ],
    };
    acts.push(Act::Write(
        cell(out, ty.unit, Num::reg(TURN)),
        Num::reg(BEFORE),
    ));
    vec![
        // It is better to begin together, but nothing depends on it.
        meet(here),
        repeat(host, TURN, acts),
    ]
}

/// What has to be there at the end.
fn looks(
    case: &mut CaseBuilder,
    objects: [ObjectId; 2],
    operation: Operation,
    ty: Type,
    crowd: u64,
    first: u64,
    rules: &[RuleId],
) {
    let [shared, out] = objects;
    let mask = (1u64 << crowd.min(31)) - 1;
    let parity = (0..crowd).fold(0u64, |p, i| p ^ 1 << (i % 31));
    let last = match operation {
        Add => Some(3 * crowd),
        Sub => Some(4),
        Or => Some(mask),
        And => Some(0x7fff_ffff & !mask),
        Xor => Some(parity),
        Min if ty.signed => Some(2u64.wrapping_sub(crowd - 1)),
        Min => Some(1_000_000 - (crowd - 1)),
        Max if ty.signed => Some((crowd - 1).wrapping_sub(900_000)),
        Max => Some(crowd - 1 + 5),
        // Anyone's.
        Exchange => None,
        CompareStrong | CompareWeak => Some(first + crowd),
    };
    if let Some(last) = last {
        let contents = Contents::numbers(ty.unit, vec![last]);
        let want = Want::same(ty.unit, contents).racy();
        case.look(shared, rules, "what is left", want);
    }
    let values = match operation {
        Add => Some((0, 3, 1)),
        Sub => Some((4, 3, 1)),
        // With the last one.
        Exchange | CompareStrong | CompareWeak => Some((first, 1, 1)),
        Or | And | Xor | Min | Max => None,
    };
    if let Some((first, step, more)) = values {
        let want = Want::permutation(ty.unit, crowd + more, first, step);
        case.look(out, rules, "the values before, and the last", want);
    }
}
