//! Atomic functions, one statement after the other, and crowds in orders of their own.

use super::{cases, first, launch, number, objects, wanted, words};
use crate::kernels::case::{KernelCase, Permutation, Unit, Want};
use std::collections::BTreeSet;

/// The type of the objects of a case.
#[derive(Clone, Copy)]
struct Type {
    signed: bool,
    wide: bool,
    /// Its numbers are no integers.
    real: bool,
}

impl Type {
    fn of(source: &str) -> Type {
        let (before, _) = source.split_once(" *seen").expect("a declaration");
        let name = before.split_whitespace().last().expect("its type");
        Type {
            signed: !name.starts_with('u') && name != "size_t",
            wide: !matches!(name, "int" | "uint" | "float"),
            real: matches!(name, "float" | "double"),
        }
    }

    fn bytes(self) -> usize {
        if self.wide { 8 } else { 4 }
    }

    fn narrow(self, value: u64) -> u64 {
        if self.wide {
            value
        } else {
            value & 0xffff_ffff
        }
    }

    fn number(self, value: u64) -> i128 {
        match (self.signed, self.wide) {
            (true, true) => i128::from(value.cast_signed()),
            (true, false) => i128::from((value as u32).cast_signed()),
            (false, _) => i128::from(value),
        }
    }

    /// What a function makes of two numbers that are no integers; none for one that takes them as they are.
    fn real(self, function: &str, a: u64, b: u64) -> Option<u64> {
        let of = |bits: u64| match self.wide {
            true => f64::from_bits(bits),
            false => f32::from_bits(bits as u32).into(),
        };
        let (x, y) = (of(a), of(b));
        let after = match function {
            "fetch_add" => x + y,
            "fetch_sub" => x - y,
            "fetch_min" => x.min(y),
            "fetch_max" => x.max(y),
            _ => return None,
        };
        Some(match self.wide {
            true => after.to_bits(),
            false => (after as f32).to_bits().into(),
        })
    }

    fn load(self, bytes: &[u8], at: usize) -> u64 {
        let mut long = [0; 8];
        long[..self.bytes()].copy_from_slice(&bytes[at..at + self.bytes()]);
        u64::from_le_bytes(long)
    }
}

/// The hexadecimal numbers of a statement.
fn literals(text: &str) -> Vec<u64> {
    let parts = text.split("(0x").skip(1);
    let number = |part: &str| {
        let digits = part.split('u').next().expect("an end");
        u64::from_str_radix(digits, 16).expect("a number")
    };
    parts.map(number).collect()
}

/// What a work-item with a cell tells, by the statements of its kernel.
fn play(statements: &str, ty: Type, cell: u64) -> Vec<u64> {
    let (mut cell, mut expected) = (cell, 0);
    let mut out = Vec::new();
    // `FIRST(add)(p, 1)` calls a function by the name that its extension gave it.
    let plain = |line: &str| match line.split_once("FIRST(") {
        Some((head, call)) => format!("{head}atom_{}", call.replacen(")(", "(", 1)),
        None => line.to_owned(),
    };
    for line in statements.lines().map(|line| plain(line.trim())) {
        let line = line.as_str();
        let literal = literals(line);
        if line.starts_with("*seen = ") {
            expected = ty.narrow(literal[0]);
        } else if line.ends_with("(*seen);") {
            out.push(expected);
        } else if line.contains("atomic_compare_exchange_") {
            let equal = cell == expected;
            if equal {
                cell = ty.narrow(literal[0]);
            } else {
                expected = cell;
            }
            out.push(u64::from(equal));
        } else if line.contains("_cmpxchg(") {
            out.push(cell);
            if cell == ty.narrow(literal[0]) {
                cell = ty.narrow(literal[1]);
            }
        } else if line.starts_with("atomic_store") {
            cell = ty.narrow(literal[0]);
        } else if line.starts_with("out[") && line.contains("(p") {
            out.push(cell);
            let (_, function) = line.split_once("atom").expect("a function");
            let (_, function) = function.split_once('_').expect("its name");
            let function = function.split(['(', ',']).next().expect("its name");
            let operand = literal.first().copied().unwrap_or(0);
            let (a, b) = (ty.number(cell), ty.number(ty.narrow(operand)));
            let function = function.trim_end_matches("_explicit");
            let real = ty.real.then(|| ty.real(function, cell, ty.narrow(operand)));
            if let Some(Some(after)) = real {
                cell = after;
                continue;
            }
            let after = match function {
                "load" => a,
                "exchange" | "xchg" => b,
                "fetch_add" | "add" => a + b,
                "fetch_sub" | "sub" => a - b,
                "fetch_or" | "or" => a | b,
                "fetch_and" | "and" => a & b,
                "fetch_xor" | "xor" => a ^ b,
                "fetch_min" | "min" => a.min(b),
                "fetch_max" | "max" => a.max(b),
                "inc" => a + 1,
                "dec" => a - 1,
                other => panic!("no function {other}"),
            };
            cell = ty.narrow(after as u64);
        }
    }
    out.push(cell);
    out
}

#[test]
fn statements_with_atomic_functions_give_and_leave_what_is_wanted() {
    let mut forms = [0; 2];
    for (name, case) in cases("atomics/values", 80) {
        for (_, launch) in case.launches() {
            let [from, out, ..] = objects(launch)[..] else {
                panic!("{name}: two buffers")
            };
            let head = format!("kernel void {}(", launch.kernel);
            let text = case.source.split_once(&head).expect("its kernel").1;
            let text = text.split("\nkernel void").next().expect("its text");
            let ty = Type::of(text);
            let body = text.split_once("*seen = &").expect("a body").1;
            let is_old = !text.contains("local atomic_") && !text.contains("global atomic_");
            forms[usize::from(is_old)] += 1;
            let seen = wanted(&case, out);
            let cells = first(&case, from);
            let items = launch.range.items() as usize;
            let told = seen.len() / ty.bytes() / items;
            for item in 0..items {
                let out = play(body, ty, ty.load(&cells, item * ty.bytes()));
                assert_eq!(out.len(), told, "{name}");
                for (n, value) in out.into_iter().enumerate() {
                    let at = (item * told + n) * ty.bytes();
                    assert_eq!(value, ty.load(&seen, at), "{name}: item {item}, result {n}");
                }
            }
        }
    }
    assert!(forms.iter().all(|count| *count > 10), "{forms:?}");
}

#[test]
fn maxima_and_minima_of_unsigned_numbers_meet_the_highest_bit() {
    let mut met = BTreeSet::new();
    for (_, case) in cases("atomics/values", 80) {
        for line in case
            .source
            .lines()
            .filter(|line| line.contains("(uint)(0x"))
        {
            let high = literals(line)
                .first()
                .is_some_and(|operand| *operand >= 1 << 31);
            for name in [
                "atomic_max(",
                "atomic_min(",
                "atomic_fetch_max",
                "atomic_fetch_min",
            ] {
                if line.contains(name) {
                    met.insert((name, high));
                }
            }
        }
    }
    assert_eq!(met.len(), 8, "{met:?}");
}

/// One crowd of a case: the parameters of its kernel, and what is wanted of its objects.
struct Crowd<'c> {
    case: &'c KernelCase,
    name: String,
    operation: String,
    stride: u64,
    signed: bool,
    bits: u64,
    count: u64,
}

impl Crowd<'_> {
    /// Each change of an object by the item of a number.
    fn change(&self, before: u64, i: u64) -> u64 {
        let s = self.stride;
        let bit = 1 << (i % self.bits);
        let signed = |value: u64| value.cast_signed();
        match self.operation.as_str() {
            "Add" => before.wrapping_add(3 * s),
            "Sub" => before.wrapping_sub(3 * s),
            "Inc" => before.wrapping_add(1),
            "Dec" => before.wrapping_sub(1),
            "Or" => before | bit,
            "And" => before & !bit,
            "Xor" => before ^ bit,
            "Min" if self.signed => {
                let by = 2u64.wrapping_sub(i).wrapping_mul(s);
                if signed(by) < signed(before) {
                    by
                } else {
                    before
                }
            }
            "Min" => before.min((24_000 - i) * s),
            "Max" if self.signed => {
                let by = i.wrapping_sub(24_000).wrapping_mul(s);
                if signed(by) > signed(before) {
                    by
                } else {
                    before
                }
            }
            "Max" => before.max((i + 5) * s),
            "Exchange" => (i + 1) * s,
            "Compare" => before + s,
            other => panic!("no operation {other}"),
        }
    }

    /// All changes in an order, from a value: the values before, and the last.
    fn play(&self, mut value: u64, order: impl Iterator<Item = u64>) -> (Vec<u64>, u64) {
        let mut before = Vec::new();
        for i in order {
            before.push(value);
            value = self.change(value, i);
        }
        (before, value)
    }
}

/// The crowds of a case: every kernel `crowdN`.
fn crowds<'c>(
    name: &str,
    case: &'c KernelCase,
) -> Vec<(Crowd<'c>, u64, Option<u64>, Option<Permutation>)> {
    let about = case.about.split_once(": ").expect("a list").1;
    // `Add of int (Global), …`: commas inside of parentheses part nothing.
    let mut all = Vec::new();
    for (n, told) in about.split("), ").enumerate() {
        let operation = told.split(' ').next().expect("an operation").to_string();
        let ty = told.split(' ').nth(2).expect("a type");
        let (signed, real) = (!ty.starts_with('u'), matches!(ty, "float" | "double"));
        let wide = ty.ends_with("long") || ty == "double";
        let kernel = format!("crowd{n}");
        let launches = case.launches().map(|(_, launch)| launch);
        let launch = launches
            .into_iter()
            .find(|l| l.kernel == kernel)
            .expect("a kernel");
        if operation == "Flag" {
            continue;
        }
        let inside = told.contains("(Local");
        let items = if inside {
            launch.range.group()
        } else {
            launch.range.items()
        };
        let count = items * u64::from(super::uints(launch)[0]);
        let source = &case.source[case
            .source
            .find(&format!("kernel void {kernel}("))
            .expect("it")..];
        let end = source[1..]
            .find("kernel void crowd")
            .unwrap_or(source.len() - 1);
        let text = &source[..end];
        let stride = match operation.as_str() {
            "Inc" | "Dec" | "Or" | "And" | "Xor" => 1,
            "Compare" => {
                let at = text.find("old + (").expect("the next value");
                number(&text[at..], ")")
            }
            _ => number(text, &format!(") * ({ty})")),
        };
        let [left, out, _] = objects(launch)[..] else {
            panic!("{name}: three buffers")
        };
        let long = |bytes: &[u8]| match wide {
            _ if real => {
                let whole = match wide {
                    true => f64::from_le_bytes(bytes[..8].try_into().expect("eight bytes")),
                    false => f32::from_bits(words(bytes)[0]).into(),
                };
                (whole as i64).cast_unsigned()
            }
            true => u64::from_le_bytes(bytes[..8].try_into().expect("eight bytes")),
            false => {
                let word = words(bytes)[0];
                if signed {
                    i64::from(word.cast_signed()).cast_unsigned()
                } else {
                    word.into()
                }
            }
        };
        let initial = long(&first(case, left));
        let mut last = None;
        let mut values = None;
        for (object, want) in super::wants(case) {
            match want {
                Want::Same(_) if object == left => last = Some(long(&wanted(case, left))),
                Want::Permutation(p) if object == out => values = Some(*p),
                _ => {}
            }
        }
        let bits = if wide { 63 } else { 31 };
        all.push((
            Crowd {
                case,
                name: format!("{name}, crowd {n}"),
                operation,
                stride,
                signed,
                bits,
                count,
            },
            initial,
            last,
            values,
        ));
    }
    all
}

#[test]
fn a_crowd_leaves_the_same_in_every_order() {
    let mut seen = 0;
    for (name, case) in cases("atomics/crowd", 60) {
        for (crowd, initial, last, values) in crowds(&name, &case) {
            let count = crowd.count;
            let forwards: Vec<u64> = (0..count).collect();
            let backwards = forwards.iter().rev().copied();
            // Odd ones first.
            let apart = (0..count)
                .map(|n| (2 * n + 1) % (count | 1))
                .filter(|n| *n < count);
            let mut orders = vec![forwards.clone(), backwards.collect()];
            let apart: Vec<u64> = apart.collect();
            if apart
                .iter()
                .collect::<std::collections::BTreeSet<_>>()
                .len() as u64
                == count
            {
                orders.push(apart);
            }
            for order in orders {
                let (mut before, left) = crowd.play(initial, order.into_iter());
                if let Some(last) = last {
                    assert_eq!(left, last, "{} {}", crowd.name, crowd.operation);
                }
                if let Some(values) = values {
                    before.sort_unstable();
                    let wanted: Vec<u64> = (0..values.count)
                        .map(|n| values.first + n * values.step)
                        .collect();
                    assert_eq!(before, wanted, "{} {}", crowd.name, crowd.operation);
                }
                seen += 1;
            }
            let known = last.is_some() || values.is_some() || crowd.operation == "Exchange";
            assert!(known, "{}: something is wanted", crowd.name);
            assert!(!crowd.case.source.is_empty());
        }
    }
    assert!(seen > 300, "{seen}");
}

#[test]
fn values_whose_halves_agree_are_stored_and_loaded() {
    for (name, case) in cases("atomics/store", 40) {
        let shift = number(&case.source, "v = one << ");
        let wide = case.source.contains("atomic_ulong *p");
        assert_eq!(shift, if wide { 32 } else { 16 }, "{name}");
        let [cell, torn] = objects(launch(&case))[..] else {
            panic!("{name}: two buffers")
        };
        let bytes = case.objects[cell.index()].bytes;
        assert_eq!(bytes, if wide { 8 } else { 4 }, "{name}");
        let items = launch(&case).range.items() as usize;
        assert_eq!(super::wanted_words(&case, torn), vec![0; items], "{name}");
        assert!(super::same(&case, torn).racy, "{name}");
    }
}

#[test]
fn objects_begin_with_what_atomic_init_gives_them() {
    for (name, case) in cases("atomics/init", 40) {
        let launch = launch(&case);
        let value = super::uints(launch)[0];
        let to = objects(launch)[0];
        let each: Vec<u32> = (0..launch.range.items() as u32)
            .map(|n| value + n)
            .collect();
        assert_eq!(super::wanted_words(&case, to), each, "{name}");
        let before = words(&first(&case, to));
        assert!(
            before.iter().all(|word| *word == 3),
            "{name}: over other values"
        );
        let cells = if case.source.contains("here[16]") {
            16
        } else {
            u64::MAX
        };
        assert!(launch.range.group() <= cells, "{name}");
        assert_eq!(super::same(&case, to).unit, Unit::Word);
    }
}
