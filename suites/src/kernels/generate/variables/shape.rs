//! The shapes of variables: numbers, vectors, arrays, structures, and pointers to some of their numbers.

use crate::choices::Choices;
use crate::host::scalar::Scalar;

/// The structure that every unit knows.
pub(super) const THING: &str =
    "typedef struct { uchar a; ushort b[3]; ulong c; float d; int2 e; } thing;\n";

/// What is added to each number that is changed.
pub(super) const CHANGE: u64 = 3;

impl Scalar {
    /// Any number of it, by its bits.
    fn draw(self, choices: &mut Choices) -> u64 {
        if self == Scalar::Float {
            let quarters = choices.below(4000) as f32 - 2000.0;
            return (quarters / 4.0).to_bits().into();
        }
        let [high, low] = [(); 2].map(|()| choices.below(1 << 32) as u64);
        let bits = (high << 32 | low) >> (64 - self.bits());
        // What is added leads to no number that a type with a sign lacks.
        let sign = 1u64 << (self.bits() - 1);
        match self.signed() && (sign - CHANGE..sign).contains(&bits) {
            true => 0,
            false => bits,
        }
    }

    /// A number of its bits as it stands in a program.
    fn literal(self, bits: u64) -> String {
        match self {
            Scalar::Float => format!("{:?}f", f32::from_bits(bits as u32)),
            Scalar::Uchar | Scalar::Ushort => bits.to_string(),
            Scalar::Uint => format!("{bits}u"),
            Scalar::Ulong => format!("{bits}ul"),
            // What is a constant of its own without a sign need not be one of the type.
            Scalar::Char | Scalar::Short | Scalar::Int | Scalar::Long => {
                match self.told(bits) as i64 {
                    i64::MIN => "(-9223372036854775807l - 1l)".into(),
                    n if n == i64::from(i32::MIN) => "(-2147483647 - 1)".into(),
                    n if self == Scalar::Long => format!("{n}l"),
                    n => n.to_string(),
                }
            }
        }
    }

    /// A number of another type as it stands in a program, and the bits of the one of this type that it becomes ("a
    /// conversion of that value to an equivalent value", OpenCL C "Implicit Conversions"; C99 6.3.1.3, 6.3.1.4).
    fn converted(self, choices: &mut Choices) -> (String, u64) {
        let whole = choices.between(1, 99) as i64;
        let (text, number) = match (self, choices.below(3)) {
            (Scalar::Float, 0) => {
                return (format!("{whole}u"), (whole as f32).to_bits().into());
            }
            (Scalar::Float, _) => {
                return (format!("-{whole}"), (-whole as f32).to_bits().into());
            }
            (_, 0) => (format!("{whole}.75f"), whole),
            (of, _) if !of.signed() => match choices.percent(50) {
                true => (format!("-{whole}"), -whole),
                false => (format!("{:#x}", whole + (1 << 40)), whole + (1 << 40)),
            },
            (_, 1) => (format!("-{whole}.75f"), -whole),
            (Scalar::Long, _) => ("0xffffffffu".into(), 0xffff_ffff),
            _ => (format!("{whole}ul"), whole),
        };
        (text, number as u64 & (u64::MAX >> (64 - self.bits())))
    }

    /// The bits after something was added to it.
    pub(super) fn changed(self, bits: u64) -> u64 {
        match self {
            // So small that nothing is rounded.
            Scalar::Float => (f32::from_bits(bits as u32) + CHANGE as f32)
                .to_bits()
                .into(),
            _ => bits.wrapping_add(CHANGE) & (u64::MAX >> (64 - self.bits())),
        }
    }

    /// What a kernel tells of a number of these bits.
    pub(super) fn told(self, bits: u64) -> u64 {
        let unused = 64 - self.bits();
        match self.signed() {
            true => ((bits << unused) as i64 >> unused) as u64,
            false => bits,
        }
    }

    /// How it tells.
    pub(super) fn text(self, path: &str) -> String {
        match self {
            Scalar::Float => format!("as_uint({path})"),
            _ => format!("(ulong)({path})"),
        }
    }
}

/// What an element holds.
#[derive(Debug, Clone, Copy)]
pub(super) enum Number {
    /// A number, by its bits.
    Of(Scalar, u64),
    /// What an element of another variable holds, by their places.
    At(usize, usize),
    /// This, whatever happens.
    Is(u64),
}

/// An element of a variable that kernels read.
#[derive(Debug, Clone)]
pub(super) struct Element {
    /// The expression that reads it.
    pub path: String,
    pub number: Number,
    /// It has an address of its own.
    pub addressed: bool,
    /// Kernels change it, where it is in global memory.
    pub may_change: bool,
    /// The variable whose place it is compared with.
    pub target: Option<usize>,
}

impl Element {
    fn number(path: String, ty: Scalar, bits: u64, addressed: bool) -> Element {
        Element {
            path,
            number: Number::Of(ty, bits),
            addressed,
            may_change: true,
            target: None,
        }
    }
}

/// A variable of some shape.
pub(super) struct Drawn {
    /// Its declaration without storage class and address space.
    pub declares: String,
    /// Its initializer with the sign before it; empty where there is none.
    pub begins: String,
    pub elements: Vec<Element>,
}

/// Numbers in braces, of which some of the last may be missing; those that are, are 0.
fn list(choices: &mut Choices, ty: Scalar, count: usize) -> (String, Vec<u64>) {
    let named = match choices.percent(30) {
        true => choices.between(1, count),
        false => count,
    };
    let numbers = (0..count).map(|n| if n < named { ty.draw(choices) } else { 0 });
    let numbers: Vec<u64> = numbers.collect();
    let texts: Vec<String> = numbers[..named]
        .iter()
        .map(|bits| ty.literal(*bits))
        .collect();
    (format!("{{ {} }}", texts.join(", ")), numbers)
}

/// A vector of numbers, of one for all of them, or of a vector and numbers, and the bits of each.
fn vector(choices: &mut Choices, ty: Scalar, lanes: usize) -> (String, Vec<u64>) {
    let mut numbers: Vec<u64> = (0..lanes).map(|_| ty.draw(choices)).collect();
    let mut texts: Vec<String> = numbers.iter().map(|bits| ty.literal(*bits)).collect();
    match choices.below(4) {
        // One for all of them.
        0 => {
            let first = numbers[0];
            numbers.fill(first);
            texts.truncate(1);
        }
        // A vector in the vector.
        1 if lanes > 2 => {
            let at = choices.below(lanes - 1);
            let pair = format!("({}2)({}, {})", ty.name(), texts[at], texts[at + 1]);
            texts.splice(at..at + 2, [pair]);
        }
        _ => {}
    }
    (
        format!("({}{lanes})({})", ty.name(), texts.join(", ")),
        numbers,
    )
}

/// The elements of a vector.
fn lanes(path: &str, ty: Scalar, numbers: Vec<u64>) -> impl Iterator<Item = Element> {
    let path = path.to_owned();
    let each = numbers.into_iter().enumerate();
    each.map(move |(n, bits)| Element::number(format!("{path}.s{n:x}"), ty, bits, false))
}

/// A structure in braces, its members in order or by their names, and its elements.
fn thing(choices: &mut Choices, path: &str) -> (String, Vec<Element>) {
    let (a, c, d) = (
        Scalar::Uchar.draw(choices),
        Scalar::Ulong.draw(choices),
        Scalar::Float.draw(choices),
    );
    let (b_text, b) = list(choices, Scalar::Ushort, 3);
    let (e_text, e) = vector(choices, Scalar::Int, 2);
    let texts = [
        ("a", Scalar::Uchar.literal(a)),
        ("b", b_text),
        ("c", Scalar::Ulong.literal(c)),
        ("d", Scalar::Float.literal(d)),
        ("e", e_text),
    ];
    let named = choices.percent(30);
    let mut members: Vec<String> = texts
        .into_iter()
        .map(|(name, text)| match named {
            true => format!(".{name} = {text}"),
            false => text,
        })
        .collect();
    if named {
        members.reverse();
    }
    let mut elements = vec![Element::number(format!("{path}.a"), Scalar::Uchar, a, true)];
    let b = b.into_iter().enumerate();
    elements.extend(
        b.map(|(n, bits)| Element::number(format!("{path}.b[{n}]"), Scalar::Ushort, bits, true)),
    );
    elements.push(Element::number(format!("{path}.c"), Scalar::Ulong, c, true));
    elements.push(Element::number(format!("{path}.d"), Scalar::Float, d, true));
    elements.extend(lanes(&format!("{path}.e"), Scalar::Int, e));
    (format!("{{ {} }}", members.join(", ")), elements)
}

/// A variable of any shape but a pointer.
pub(super) fn draw(choices: &mut Choices, space: &str, name: &str) -> Drawn {
    let ty = choices.one_of(&Scalar::ALL);
    let word = ty.name();
    // "constant" ones have an initializer; what has none in global memory begins with zeros.
    if space == "global" && choices.percent(15) {
        let count = choices.between(1, 4);
        let element = |n: usize| Element::number(format!("{name}[{n}]"), ty, 0, true);
        return Drawn {
            declares: format!("{word} {name}[{count}]"),
            begins: String::new(),
            elements: (0..count).map(element).collect(),
        };
    }
    let (declares, text, elements) = match choices.below(8) {
        0 | 1 => {
            let (text, bits) = match choices.percent(35) {
                true => ty.converted(choices),
                false => {
                    let bits = ty.draw(choices);
                    (ty.literal(bits), bits)
                }
            };
            let element = Element::number(name.into(), ty, bits, true);
            (format!("{word} {name}"), text, vec![element])
        }
        2 => {
            let count = choices.one_of(&[2, 3, 4, 8, 16]);
            let (text, numbers) = vector(choices, ty, count);
            let elements = lanes(name, ty, numbers).collect();
            (format!("{word}{count} {name}"), text, elements)
        }
        3 | 4 => {
            let count = choices.between(1, 9);
            let (text, numbers) = list(choices, ty, count);
            let each = numbers.into_iter().enumerate();
            let elements =
                each.map(|(n, bits)| Element::number(format!("{name}[{n}]"), ty, bits, true));
            (format!("{word} {name}[{count}]"), text, elements.collect())
        }
        5 => {
            let (rows, columns) = (choices.between(2, 3), choices.between(1, 4));
            let mut texts = Vec::new();
            let mut elements = Vec::new();
            for row in 0..rows {
                let (text, numbers) = list(choices, ty, columns);
                texts.push(text);
                let each = numbers.into_iter().enumerate();
                elements.extend(each.map(|(n, bits)| {
                    Element::number(format!("{name}[{row}][{n}]"), ty, bits, true)
                }));
            }
            let text = format!("{{ {} }}", texts.join(", "));
            (format!("{word} {name}[{rows}][{columns}]"), text, elements)
        }
        6 => {
            let (text, elements) = thing(choices, name);
            (format!("thing {name}"), text, elements)
        }
        _ => {
            let both = [0, 1].map(|n| thing(choices, &format!("{name}[{n}]")));
            let text = format!("{{ {}, {} }}", both[0].0, both[1].0);
            let elements = both.into_iter().flat_map(|(_, elements)| elements);
            (format!("thing {name}[2]"), text, elements.collect())
        }
    };
    Drawn {
        declares,
        begins: format!(" = {text}"),
        elements,
    }
}

/// A pointer to an element of another variable of its address space.
pub(super) fn pointer(
    space: &str,
    name: &str,
    (variable, element): (usize, usize),
    target: &Element,
) -> Drawn {
    let word = match target.number {
        Number::Of(ty, _) => ty.name(),
        Number::At(..) | Number::Is(_) => "uint",
    };
    let path = &target.path;
    let unchanged = |path: String, number, target| Element {
        path,
        number,
        addressed: false,
        may_change: false,
        target,
    };
    Drawn {
        declares: format!("{word} *{space} {name}"),
        begins: format!(" = &{path}"),
        elements: vec![
            unchanged(format!("*{name}"), Number::At(variable, element), None),
            unchanged(format!("{name} == &{path}"), Number::Is(1), Some(variable)),
        ],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_other_types_become_those_of_the_type() {
        let mut choices = Choices::new(1);
        let mut seen = std::collections::BTreeMap::new();
        for _ in 0..2000 {
            for ty in Scalar::ALL {
                let (text, bits) = ty.converted(&mut choices);
                seen.insert((ty.name(), text), bits);
            }
        }
        for (ty, text, bits) in [
            ("float", "-3", 0xc040_0000),
            ("long", "0xffffffffu", 0xffff_ffff),
            ("uchar", "-3", 0xfd),
            ("uchar", "0x10000000003", 3),
            ("ulong", "-1", u64::MAX),
            ("char", "-3.75f", 0xfd),
            ("uint", "7.75f", 7),
        ] {
            assert_eq!(seen.get(&(ty, text.to_owned())), Some(&bits), "{ty} {text}");
        }
    }

    #[test]
    fn vectors_have_as_many_numbers_as_lanes() {
        let mut choices = Choices::new(2);
        let texts: Vec<String> = (0..40)
            .map(|_| {
                let (text, numbers) = vector(&mut choices, Scalar::Uint, 4);
                assert_eq!(numbers.len(), 4, "{text}");
                text
            })
            .collect();
        assert!(texts.iter().any(|text| !text.contains(',')));
        assert!(texts.iter().any(|text| text.contains("(uint2)(")));
    }
}
