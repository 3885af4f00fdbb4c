//! Declarations, constants, and what stands for a division.

use super::super::Shape;
use super::super::number::{Arithmetic, Integer, Type, Value};

/// A division that gives its left operand where there is no quotient.
pub(super) fn division(op: Arithmetic, ty: Type) -> String {
    let (name, op) = (ty.name(), op.text());
    let zero = ty.value(0);
    let minus = ty.value(-1);
    let least = constant(ty, &ty.value(ty.of.least()));
    let mut odd = format!("b == {}", constant(ty, &zero));
    if ty.of.signed {
        let (and, or) = if ty.lanes == 1 {
            ("&&", "||")
        } else {
            ("&", "|")
        };
        odd = format!(
            "({odd}) {or} (a == {least} {and} b == {})",
            constant(ty, &minus)
        );
    }
    let quotient = match ty.lanes {
        1 => format!("({odd}) ? a : a {op} b"),
        _ => format!(
            "select(a {op} select(b, {}, {odd}), a, {odd})",
            constant(ty, &ty.value(1))
        ),
    };
    format!("static {name} $name({name} a, {name} b) {{ return {quotient}; }}")
}

/// What reads a value as another type of its size.
pub(super) fn union(from: Type, to: Type) -> String {
    let (from, to) = (from.name(), to.name());
    format!(
        "static {to} $name({from} a) {{ union {{ {from} from; {to} to; }} both; both.from = a; return both.to; }}"
    )
}

/// The names of lanes of a vector of so many; of several that they may have the one whose turn it is.
pub(super) fn lane_names(lanes: &[u8], of: u8, turn: u32) -> String {
    // A vector of three has the halves of one of four, of which two have a lane without a value.
    let whole = of.next_power_of_two();
    let are = |lane: &dyn Fn(u8) -> u8| (0..whole / 2).all(|n| lanes[usize::from(n)] == lane(n));
    if lanes.len() == usize::from(whole / 2) {
        let halves: [(&str, &dyn Fn(u8) -> u8); 4] = [
            ("lo", &|n| n),
            ("even", &|n| 2 * n),
            ("odd", &|n| 2 * n + 1),
            ("hi", &|n| n + whole / 2),
        ];
        let found = halves.into_iter().find(|(_, lane)| are(lane));
        if let (Some((name, _)), false) = (found, turn % 4 == 3) {
            return name.into();
        }
    }
    let letter = |lane: &u8| b"xyzw".get(usize::from(*lane)).copied().map(char::from);
    match lanes.iter().map(letter).collect() {
        Some(letters) if (of <= 4 || turn % 4 == 1) && lanes.len() <= 4 && turn % 5 != 4 => letters,
        // "The numeric indices must be preceded by the letter s or S", and digits of sixteen may be of either case.
        _ => {
            let lower: String = lanes.iter().map(|lane| format!("{lane:x}")).collect();
            match turn % 3 {
                0 => format!("s{lower}"),
                1 => format!("S{lower}"),
                _ => format!("s{}", lower.to_uppercase()),
            }
        }
    }
}

/// The names of lanes that are read, at times by way of a half of the vector.
pub(super) fn read_names(lanes: &[u8], of: u8, turn: u32) -> String {
    let &[lane] = lanes else {
        return lane_names(lanes, of, turn);
    };
    // Halves of three are a case of their own, and vectors of three are seldom drawn.
    let by_half = match of {
        ..3 => false,
        3 => !turn.is_multiple_of(3),
        _ => turn.is_multiple_of(3),
    };
    if !by_half {
        return lane_names(lanes, of, turn);
    }
    // Those of three have no fourth lane, which one half of each kind has.
    let middle = of.next_power_of_two() / 2;
    let (half, at) = match (turn / 3).is_multiple_of(2) {
        true if lane < middle => ("lo", lane),
        true => ("hi", lane - middle),
        false if lane.is_multiple_of(2) => ("even", lane / 2),
        false => ("odd", lane / 2),
    };
    format!("{half}.{}", lane_names(&[at], middle, turn / 6))
}

/// Whether the parenthesis that a text begins with closes at its end.
pub(super) fn closes_last(text: &str) -> bool {
    let mut depth = 0;
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at + 1 == text.len();
        }
    }
    false
}

/// A variable's declaration, or with no name the type of what a function gives.
pub(super) fn declared(name: &str, shape: Shape) -> String {
    match shape {
        Shape::Number(ty) => format!("{} {name}", ty.name()),
        Shape::Array(ty, length) => format!("{} {name}[{length}]", ty.name()),
        Shape::Grid(ty, rows, columns) => format!("{} {name}[{rows}][{columns}]", ty.name()),
        Shape::Struct(n) => format!("struct s{n} {name}"),
        Shape::Structs(n, length) => format!("struct s{n} {name}[{length}]"),
        Shape::Pointer(region, ty) => format!("{}{} *{name}", region.text(), ty.name()),
        Shape::ToStruct(region, n) => format!("{}struct s{n} *{name}", region.text()),
        Shape::ToPointer(region, ty) => {
            format!("{}{} *private *{name}", region.text(), ty.name())
        }
    }
}

/// A constant of a type.
pub(super) fn constant(ty: Type, value: &Value) -> String {
    let lanes = &value[..usize::from(ty.lanes)];
    if ty.lanes == 1 {
        let text = number(ty.of, ty.of.number(value[0]));
        return match ty.of.bits {
            32 | 64 => text,
            _ => format!("(({}){text})", ty.of.name()),
        };
    }
    let lanes: Vec<_> = match lanes.iter().all(|lane| *lane == lanes[0]) {
        true => vec![number(ty.of, ty.of.number(lanes[0]))],
        false => lanes
            .iter()
            .map(|bits| number(ty.of, ty.of.number(*bits)))
            .collect(),
    };
    format!("(({})({}))", ty.name(), lanes.join(", "))
}

/// A number. One that only the unsigned type of its size holds is written without a suffix, with digits of eight or of
/// sixteen, which give it that type (C99 6.4.4.1).
fn number(of: Integer, number: i128) -> String {
    if of.bits >= 32 && !of.signed && number > of.greatest() / 2 {
        return match number % 2 {
            0 => format!("{number:#x}"),
            _ => format!("0{number:o}"),
        };
    }
    let suffix = match (of.bits, of.signed) {
        (64, true) => "L",
        (64, false) => "UL",
        (_, true) => "",
        (_, false) => "u",
    };
    if number >= 0 {
        format!("{number}{suffix}")
    } else if number == of.least() && of.bits >= 32 {
        format!("({}{suffix} - 1)", number + 1)
    } else {
        format!("({number}{suffix})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_have_each_of_their_names() {
        let same = |lanes: &[u8], of, wanted: &[&str]| {
            let names = (0..60).map(|turn| lane_names(lanes, of, turn));
            let names: std::collections::BTreeSet<String> = names.collect();
            assert_eq!(names.into_iter().collect::<Vec<_>>(), wanted);
        };
        same(&[0, 1], 4, &["S01", "lo", "s01", "xy"]);
        same(&[2, 2, 1], 3, &["S221", "s221", "zzy"]);
        same(&[0, 1], 3, &["S01", "lo", "s01", "xy"]);
        same(&[0, 2], 3, &["S02", "even", "s02", "xz"]);
        same(&[1, 2], 3, &["S12", "s12", "yz"]);
        same(&[10, 3], 16, &["Sa3", "sA3", "sa3"]);
        let read = |lane, of| -> std::collections::BTreeSet<String> {
            (0..60).map(|turn| read_names(&[lane], of, turn)).collect()
        };
        for name in ["hi.x", "hi.lo", "even.y", "z", "s2"] {
            assert!(read(2, 3).contains(name), "{name}");
        }
        for name in ["hi.s1", "odd.s4", "s9"] {
            assert!(read(9, 16).contains(name), "{name}: {:?}", read(9, 16));
        }
        same(
            &[8, 9, 10, 11, 12, 13, 14, 15],
            16,
            &["S89abcdef", "hi", "s89ABCDEF", "s89abcdef"],
        );
    }
}
