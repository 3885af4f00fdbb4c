//! What atomic functions give and leave where nothing else touches the object.

use super::form::{Form, Forms, Function, Region, Type, form};
use crate::choices::Choices;
use crate::kernels::case::{Contents, KernelCase, Kind, Range, Unit, Want};
use crate::kernels::generate::builder::{CaseBuilder, INT64, args, cl};
use crate::rule;
use classay_vocabulary::Need;
use std::fmt::Write;

/// The functions that give what the object held, of any type.
const FUNCTIONS: [&str; 2] = ["exchange", "load"];

/// Those that are of integers alone.
const OF_INTEGERS: [&str; 7] = [
    "fetch_add",
    "fetch_sub",
    "fetch_or",
    "fetch_xor",
    "fetch_and",
    "fetch_min",
    "fetch_max",
];

/// Those that are of floats where a device has them.
const OF_FLOATS: [(&str, Function); 4] = [
    ("fetch_add", Function::Sum),
    ("fetch_max", Function::Extreme),
    ("fetch_sub", Function::Sum),
    ("fetch_min", Function::Extreme),
];

/// Which of these a case has: a device may have some.
const EXTENDED: [&[Function]; 3] = [
    &[Function::Sum],
    &[Function::Extreme],
    &[Function::Sum, Function::Extreme],
];

/// And of objects in which memory.
const REGIONS: [&[Region]; 4] = [
    &[Region::Global, Region::Local],
    &[Region::Global, Region::Local],
    &[Region::Global],
    &[Region::Local],
];

/// Those that are older, without an operand.
const COUNTING: [&str; 2] = ["inc", "dec"];

/// What a function leaves of a value, both as wide as the type.
fn left(ty: Type, function: &str, value: u64, operand: u64) -> u64 {
    let less = if ty.signed() {
        signed(ty, value) < signed(ty, operand)
    } else {
        value < operand
    };
    let result = match function {
        "fetch_add" => value.wrapping_add(operand),
        "fetch_sub" => value.wrapping_sub(operand),
        "fetch_or" => value | operand,
        "fetch_xor" => value ^ operand,
        "fetch_and" => value & operand,
        "fetch_min" => {
            if less {
                value
            } else {
                operand
            }
        }
        "fetch_max" => {
            if less {
                operand
            } else {
                value
            }
        }
        "exchange" => operand,
        "inc" => value.wrapping_add(1),
        "dec" => value.wrapping_sub(1),
        _ => value,
    };
    narrow(ty, result)
}

/// What a function of floats leaves, where no implementation may leave anything else: a sum that is exact, the lesser or the
/// greater of two numbers that are not zeros of two signs. What becomes of a NaN is its own affair.
fn left_of_floats(ty: Type, function: &str, value: u64, operand: u64) -> Option<u64> {
    let (a, b) = (number(ty, value), number(ty, operand));
    if a.is_nan() || b.is_nan() || a == 0.0 && b == 0.0 {
        return None;
    }
    let sum = |b: f64| {
        let sum = match ty {
            Type::Double => a + b,
            _ => f64::from((a + b) as f32),
        };
        // What the sum lost of each of the two.
        let of_b = sum - a;
        let exact = a == sum - of_b && b == of_b;
        exact.then_some(sum)
    };
    let left = match function {
        "fetch_add" => sum(b)?,
        "fetch_sub" => sum(-b)?,
        "fetch_min" => a.min(b),
        "fetch_max" => a.max(b),
        _ => return None,
    };
    Some(match ty {
        Type::Double => left.to_bits(),
        _ => u64::from((left as f32).to_bits()),
    })
}

/// A function that is called, and what one of floats leaves of these objects: another function where that is not known.
fn known<'n>(ty: Type, name: &'n str, cells: &[u64], operand: u64) -> (&'n str, Option<Vec<u64>>) {
    if !ty.real() || FUNCTIONS.contains(&name) {
        return (name, None);
    }
    let left = |cell: &u64| left_of_floats(ty, name, *cell, operand);
    match cells.iter().map(left).collect() {
        Some(lefts) => (name, Some(lefts)),
        None => ("exchange", None),
    }
}

/// What a source of OpenCL C 1.x has to ask for.
pub(super) fn enable(ty: Type) -> String {
    let double = "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n";
    match ty {
        Type::Double => format!("{double}{INT64}"),
        _ => INT64.to_string(),
    }
}

/// The bits that the type has.
fn narrow(ty: Type, value: u64) -> u64 {
    if ty.long() {
        value
    } else {
        value & u64::from(u32::MAX)
    }
}

fn signed(ty: Type, value: u64) -> i64 {
    if ty.long() {
        value as i64
    } else {
        i64::from(value as u32 as i32)
    }
}

/// A value as programs have them, or one at which halves and signs meet. Of numbers that are no integers it is a whole
/// or a half, a zero or a NaN.
fn value(choices: &mut Choices, ty: Type) -> u64 {
    if ty.real() {
        let number = choices.between(1, 1 << 20) as f64 / 2.0;
        // What differs from a zero in its sign alone is another value, and a NaN is the same as itself: bytes are
        // compared ("memcmp").
        let number = match choices.below(12) {
            0 => 0.0,
            1 => -0.0,
            2 => f64::NAN,
            _ => number,
        };
        return match ty {
            // The lower half of the number is not zero, and sums of some of them are exact.
            Type::Double => (number * f64::from((1 << 28) + 1)).to_bits(),
            _ => u64::from((number as f32).to_bits()),
        };
    }
    let edge = [
        0,
        0,
        1,
        u64::MAX,
        1 << 31,
        (1 << 31) - 1,
        1 << 32,
        (1 << 32) + 5,
        1 << 63,
    ];
    let any = (choices.below(1 << 32) as u64) << 32 | choices.below(1 << 32) as u64;
    let value = match choices.below(3) {
        0 => any,
        _ => choices.pick(&edge).unwrap_or(0),
    };
    narrow(ty, value)
}

/// A number by its bits, of a type whose values are no integers.
fn number(ty: Type, bits: u64) -> f64 {
    match ty {
        Type::Double => f64::from_bits(bits),
        _ => f32::from_bits(bits as u32).into(),
    }
}

/// Orders that a load or a store may not have are none.
fn plain(form: Form, load: bool) -> Form {
    let order = match (form.order, load) {
        ("acquire", true) | ("release", false) | ("seq_cst", _) => form.order,
        _ => "relaxed",
    };
    Form { order, ..form }
}

/// Types that have functions without `memory_order`, which are older.
const OLD: [Type; 5] = [Type::Uint, Type::Int, Type::Long, Type::Ulong, Type::Float];

/// `FIRST(add)` is the function's name in the extensions that the functions of 32 bits come from, where a device has these.
const FIRST: &str = "\
#if defined(cl_khr_global_int32_base_atomics) && defined(cl_khr_global_int32_extended_atomics) \
&& defined(cl_khr_local_int32_base_atomics) && defined(cl_khr_local_int32_extended_atomics)
#pragma OPENCL EXTENSION cl_khr_global_int32_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_global_int32_extended_atomics : enable
#pragma OPENCL EXTENSION cl_khr_local_int32_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_local_int32_extended_atomics : enable
#define FIRST(name) atom_##name
#else
#define FIRST(name) atomic_##name
#endif
";

/// A call of an older function by the name of the one that does the same.
fn old(ty: Type, how: Called, name: &str, arguments: &str) -> String {
    let name = match name {
        "exchange" | "load" => "xchg",
        name => name.trim_start_matches("fetch_"),
    };
    match (ty.long(), how) {
        (true, _) => format!("atom_{name}({arguments})"),
        (false, Called::First) if !ty.real() => format!("FIRST({name})({arguments})"),
        (false, _) => format!("atomic_{name}({arguments})"),
    }
}

/// Each work-item does a sequence of atomic functions on an object of its own, of any type and of some others:
/// their results, what compare-exchanges put in the place of what they expected, and what is left.
pub fn values(choices: &mut Choices) -> KernelCase {
    let mut case = CaseBuilder::new("what atomic functions give and leave");
    let forms = Forms::drawn(choices, 35);
    let legacy = forms.legacy;
    let first = match legacy {
        true => choices.one_of(&OLD),
        false => choices.one_of(&Type::ALL),
    };
    let beside: &[Type] = match (legacy, first.long()) {
        (true, false) => &[Type::Uint, Type::Int, Type::Float],
        (true, true) => &[Type::Long, Type::Ulong, Type::Float],
        (false, false) => &[Type::Uint, Type::Int],
        (false, true) => &[Type::Uint, Type::Ulong],
    };
    let generic = !legacy && choices.percent(25);
    case.need_if(generic, &[Need::GenericAddressSpace, Need::C20]);
    let first_names = legacy && choices.percent(35);
    let how = match (legacy, generic) {
        (true, _) if first_names => Called::First,
        (true, _) => Called::Old,
        (false, true) => Called::Generic,
        (false, false) => Called::Named,
    };
    // An implementation that lacks one of these cannot build the case.
    let place = match legacy {
        true => "private",
        false => choices.one_of(&["private", "private", "local", "global"]),
    };
    // Functions of floats that are of an extension, and the regions in which they are called.
    let extended = match first.real() && !legacy && choices.percent(60) {
        true => choices.one_of(&EXTENDED),
        false => &[],
    };
    let regions = choices.one_of(&REGIONS);
    let mut types = vec![first];
    types.extend(beside.iter().filter(|ty| **ty != first));
    case.case.source = types.iter().map(|ty| enable(*ty)).collect();
    if first_names {
        case.case.source += FIRST;
    }
    // Implementations have other code for each type in each memory.
    let of = |ty| [(ty, Region::Global), (ty, Region::Local)];
    for (n, of) in types.into_iter().flat_map(of).enumerate() {
        let extended = if regions.contains(&of.1) {
            extended
        } else {
            &[]
        };
        each(
            choices,
            &mut case,
            &format!("each{n}"),
            of,
            (how, forms, place, extended),
        );
    }
    case.case
}

/// How functions are called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Called {
    /// Those without `memory_order`.
    Old,
    /// The same by the names that they had in extensions, where there are these.
    First,
    /// With pointers that name their memory.
    Named,
    /// With generic pointers.
    Generic,
}

/// The functions of floats, with these of an extension.
fn of_floats(extended: &[Function]) -> Vec<&'static str> {
    let there = OF_FLOATS
        .iter()
        .filter(|(_, function)| extended.contains(function));
    there.map(|(name, _)| *name).chain(FUNCTIONS).collect()
}

/// The kernel of a type, its launch, and what that must leave.
fn each(
    choices: &mut Choices,
    case: &mut CaseBuilder,
    name: &str,
    (ty, region): (Type, Region),
    (how, forms, place, extended): (Called, Forms, &str, &[Function]),
) {
    let legacy = forms.legacy;
    case.need(ty.needs());
    let t = ty.name();
    // The bits of a value as a kernel gets and gives them, and the two ways between.
    let word = if ty.long() { "ulong" } else { "uint" };
    let (value_of, bits_of) = if ty.real() {
        (format!("as_{t}"), format!("as_{word}"))
    } else {
        (format!("({t})"), format!("({word})"))
    };
    let of_floats = of_floats(extended);
    // A pointer that names no memory may lead to either.
    let reached: &[Region] = match how {
        Called::Generic => &[Region::Global, Region::Local],
        Called::Old | Called::First | Called::Named => &[region],
    };
    if ty.real() {
        for (function, region) in extended
            .iter()
            .flat_map(|f| reached.iter().map(move |r| (*f, *r)))
        {
            case.need(ty.needs_for(function, region).as_slice());
        }
    }
    let functions: &[&str] = match (ty.real(), legacy) {
        (true, _) => &of_floats,
        (false, true) => &[OF_INTEGERS.as_slice(), &COUNTING, &FUNCTIONS].concat(),
        (false, false) => &[OF_INTEGERS.as_slice(), &FUNCTIONS].concat(),
    };
    let items = choices.between(1, 6);
    let mut cells: Vec<u64> = (0..items).map(|_| value(choices, ty)).collect();
    let first = cells.clone();
    let mut results: Vec<Vec<u64>> = vec![Vec::new(); items];
    let mut body = String::new();
    let mut count = 0;
    let literal = |value: u64| {
        let suffix = if ty.long() { "ul" } else { "u" };
        format!("{value_of}(0x{value:x}{suffix})")
    };
    let turn = choices.below(functions.len());
    for n in 0..choices.between(4, 16) {
        let form = form(choices, case, region, forms);
        let operand = value(choices, ty);
        let what = choices.below(12);
        // What the first work-item has is expected, or what differs from that in one bit, or something else.
        let expected = match what {
            0 => cells[0],
            1 if !ty.real() => cells[0] ^ 1 << choices.below(8 * ty.unit().bytes()),
            1 | 2 => value(choices, ty),
            _ => 0,
        };
        let name = functions[(turn + n) % functions.len()];
        let swap = |cells: &mut Vec<u64>| {
            let found = cells.iter_mut().filter(|cell| **cell == expected);
            found.for_each(|cell| *cell = operand);
        };
        match what {
            // Numbers that are no integers are exchanged, without a comparison.
            0..=2 if legacy && !ty.real() => {
                let arguments = format!("p, {}, {}", literal(expected), literal(operand));
                let call = old(ty, how, "cmpxchg", &arguments);
                let _ = writeln!(body, "    out[{count}] = {bits_of}({call});");
                count += 1;
                for (cell, results) in cells.iter().zip(&mut results) {
                    results.push(*cell);
                }
                swap(&mut cells);
            }
            0..=2 if !legacy => {
                // Whether one of these failed for nothing, `==` does not say of zeros and of NaN.
                let plain = !ty.real() || number(ty, expected).is_normal();
                let weak = choices.percent(40) && plain;
                let (expects, operands) = (literal(expected), literal(operand));
                let call = form.compare(weak, &format!("p, seen, {operands}"));
                // A weak one may fail though it found what it expected.
                let call = match weak {
                    false => format!("out[{count}] = {call};"),
                    true => format!("while (!(out[{count}] = {call}) && *seen == {expects});"),
                };
                let _ = writeln!(
                    body,
                    "    *seen = {expects};\n    {call}\n    out[{}] = {bits_of}(*seen);",
                    count + 1
                );
                count += 2;
                for (cell, results) in cells.iter().zip(&mut results) {
                    results.extend([u64::from(*cell == expected), *cell]);
                }
                swap(&mut cells);
            }
            3 if !legacy => {
                let call = plain(form, false).call("store", &format!("p, {}", literal(operand)));
                let _ = writeln!(body, "    {call};");
                cells.fill(operand);
            }
            _ => {
                let with = format!("p, {}", literal(operand));
                let (name, lefts) = known(ty, name, &cells, operand);
                let (name, call) = match (legacy, name) {
                    (true, "load") => ("exchange", old(ty, how, "exchange", &with)),
                    (true, "inc" | "dec") => (name, old(ty, how, name, "p")),
                    (true, name) => (name, old(ty, how, name, &with)),
                    (false, "load") => (name, plain(form, true).call(name, "p")),
                    (false, name) => (name, form.call(name, &with)),
                };
                let _ = writeln!(body, "    out[{count}] = {bits_of}({call});");
                count += 1;
                for (cell, results) in cells.iter().zip(&mut results) {
                    results.push(*cell);
                }
                cells = lefts.unwrap_or_else(|| {
                    let left = |cell: &u64| left(ty, name, *cell, operand);
                    cells.iter().map(left).collect()
                });
            }
        }
    }
    // What is left comes last.
    for (cell, results) in cells.iter().zip(&mut results) {
        results.push(*cell);
    }
    let own = own(region, (t, how), items, &value_of);
    let more = match place {
        "global" => format!(", global {t} *all_seen"),
        _ => String::new(),
    };
    let expected = expected(place, (t, how), items);
    let space = match region {
        Region::Local => "local",
        Region::Global | Region::Svm(_) => "global",
    };
    case.case.source += &cl!(
        "values.cl",
        name,
        word,
        t,
        results = count + 1,
        more,
        expected,
        own,
        body,
        count,
        bits_of,
        space
    );
    let unit: Unit = ty.unit();
    let list = |values: Vec<u64>| Contents::numbers(unit, values);
    let from = case.object(Kind::Buffer, items * unit.bytes(), list(first));
    let out = case.buffer(items * (count + 1) * unit.bytes());
    let range = Range::line(items as u64, items as u64);
    let mut args = args![from, out];
    if place == "global" {
        args.push(case.buffer(items * unit.bytes()).into());
    }
    case.launch(name, args, range);
    let want = Want::same(unit, list(results.concat()));
    let rules = [rule::MM_RMW_LAST, rule::MM_ATOMICITY];
    let says = format!("what the functions on {t} gave, and what is left");
    case.look(out, &rules, &says, want);
}

/// Where a compare-exchange has what it expects, and leaves what it found.
fn expected(place: &str, (t, how): (&str, Called), items: usize) -> String {
    let (declared, room) = match place {
        "local" => (
            format!("    local {t} all_seen[{items}];\n"),
            "all_seen[get_local_id(0)]",
        ),
        "global" => (String::new(), "all_seen[item]"),
        _ => (format!("    {t} expected;\n"), "expected"),
    };
    let space = match how {
        Called::Generic => String::new(),
        Called::Old | Called::First | Called::Named => format!("{place} "),
    };
    format!("{declared}    {space}{t} *seen = &{room};\n")
}

/// The object of each work-item, which `p` leads to: of an atomic type, or of the type itself.
fn own(region: Region, (t, how): (&str, Called), items: usize, value_of: &str) -> String {
    let atomic = match how {
        Called::Old | Called::First => t.into(),
        Called::Named | Called::Generic => format!("atomic_{t}"),
    };
    let space = |name: &'static str| match how {
        Called::Generic => "",
        Called::Old | Called::First | Called::Named => name,
    };
    match region {
        Region::Local => {
            let first = format!("{value_of}(from[item])");
            let begin = match how {
                Called::Old | Called::First => format!("*p = {first}"),
                Called::Named | Called::Generic => format!("atomic_init(p, {first})"),
            };
            let space = space("local ");
            format!(
                "    local {atomic} here[{items}];\n    volatile {space}{atomic} *p = &here[get_local_id(0)];\n    {begin};\n"
            )
        }
        Region::Global | Region::Svm(_) => {
            let space = space("global ");
            format!("    volatile {space}{atomic} *p = (volatile global {atomic} *)&from[item];\n")
        }
    }
}
