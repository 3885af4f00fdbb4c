//! Relational functions and operators of a format, and what selects its numbers and their bits: each of them in turn, and
//! of vectors of each size in turn ("Relational Functions", "Relational Operators").

use crate::choices::Choices;
use crate::kernels::case::{Arg, Contents, Kind, Unit, Want};
use crate::kernels::code::judged::{Judged, RELATIONS, Relation, TRUTHS, Truth};
use crate::kernels::code::number::{COMPARISONS, Type};
use crate::kernels::code::real::{ANY, Domain};
use crate::kernels::generate::builder::{CaseBuilder, load, store, vector};
use crate::kernels::generate::joined::Lines;
use crate::kernels::math::format::Format;
use crate::rule;

/// Numbers of each argument: a multiple of each size of a vector.
const NUMBERS: usize = 48;

/// Sizes of vectors.
const WIDTHS: [u8; 6] = [1, 2, 4, 3, 8, 16];

/// Quiet NaNs of many bits.
const NANS: Domain = Domain {
    keeps: 0x803f_ffff,
    sets: 0x7fc0_0000,
};

/// Numbers that are not normal, and zeros.
const TINY: Domain = Domain {
    keeps: 0x807f_ffff,
    sets: 0,
};

/// Everything that is judged.
fn all() -> Vec<Judged> {
    let relations = RELATIONS.into_iter().map(Judged::Relation);
    let comparisons = COMPARISONS.into_iter().map(Judged::Compare);
    let truths = TRUTHS.into_iter().map(Judged::Truth);
    let others = [
        Judged::Select { signed: true },
        Judged::Select { signed: false },
        Judged::Choice,
        Judged::Bitselect,
    ];
    let all = relations.chain(comparisons).chain(truths);
    all.chain(others).collect()
}

/// One of them on vectors of a size.
struct Asked {
    judged: Judged,
    format: Format,
    lanes: u8,
    /// The argument of an operator that is a scalar beside a vector.
    scalar: Option<usize>,
    /// The bits of each argument.
    arguments: Vec<Vec<u64>>,
}

/// A kernel that asks all of them, its launch, and the looks at what it left.
pub(super) fn add(choices: &mut Choices, case: &mut CaseBuilder, format: Format) {
    let turn = choices.below(WIDTHS.len());
    let asked = all().into_iter().enumerate().map(|(n, judged)| {
        let lanes = WIDTHS[(turn + n) % WIDTHS.len()];
        Asked::draw(choices, judged, format, lanes)
    });
    let asked: Vec<Asked> = asked.collect();
    let name = format.name();
    let size = format.bytes();
    let given = asked.iter().flat_map(|one| one.arguments.iter().flatten());
    let given: Vec<u8> = given
        .flat_map(|bits| bits.to_le_bytes().into_iter().take(size))
        .collect();
    let from = case.object(Kind::Buffer, given.len(), Contents::Bytes(given));
    let mut parameters = format!("global const {name} *from");
    let mut body = String::new();
    let mut args = vec![Arg::from(from)];
    let (mut before, mut outs) = (0, Vec::new());
    for (n, one) in asked.iter().enumerate() {
        let gives = one.gives();
        parameters += &format!(", global {} *to{n}", gives.of.name());
        body += &one.body(n, before);
        before += one.arguments.len() * NUMBERS;
        let bytes = NUMBERS * usize::from(gives.of.bits) / 8;
        let out = case.object(Kind::Buffer, bytes, Contents::Every(0xa5a5_a5a5));
        args.push(out.into());
        outs.push(out);
    }
    let lines = Lines::drawn(choices, NUMBERS as u64, 3);
    case.case.source += &format!(
        "kernel void judge({parameters}) {{\n    size_t i = {};\n{body}}}\n",
        lines.place()
    );
    case.launch("judge", args, lines.range);
    for (one, out) in asked.iter().zip(outs) {
        let (unit, wanted) = one.wanted();
        let of = vector(name, usize::from(one.lanes));
        let form = one.judged.form(format, one.lanes, ["x", "y", "z"]);
        let want = Want::same(unit, Contents::Bytes(wanted));
        case.look(out, &[rule::C_REALS], &format!("{form} of {of}"), want);
    }
}

impl Asked {
    fn draw(choices: &mut Choices, judged: Judged, format: Format, lanes: u8) -> Asked {
        let count = judged.types(format, lanes).0.len();
        let mut arguments: Vec<Vec<u64>> = (0..count)
            .map(|n| {
                let numbers = (0..NUMBERS).map(|_| number(choices, judged, format, n));
                numbers.collect()
            })
            .collect();
        if let [first, second, ..] = &mut arguments[..] {
            for (x, y) in first.iter().zip(second) {
                if choices.percent(25) {
                    *y = *x;
                }
            }
        }
        let scalar =
            (may_widen(judged) && lanes > 1 && choices.percent(30)).then(|| choices.below(2));
        if let Some(numbers) = scalar.and_then(|n| arguments.get_mut(n)) {
            for vector in numbers.chunks_mut(lanes.into()) {
                let first = vector.first().copied().unwrap_or(0);
                vector.fill(first);
            }
        }
        Asked {
            judged,
            format,
            lanes,
            scalar,
            arguments,
        }
    }

    fn gives(&self) -> Type {
        self.judged.types(self.format, self.lanes).1
    }

    /// The statements that ask it of what stands behind so many numbers.
    fn body(&self, n: usize, before: usize) -> String {
        let lanes = usize::from(self.lanes);
        let types = self.judged.types(self.format, self.lanes).0;
        let mut text = format!("    if (i < {}) {{\n", NUMBERS / lanes);
        for (k, ty) in types.into_iter().enumerate() {
            let begin = before + k * NUMBERS;
            let (ty, from) = match self.judged.takes_float(k) {
                true => (vector(self.format.name(), lanes), format!("from + {begin}")),
                false => {
                    let of = ty.of.name();
                    (ty.name(), format!("(global const {of}*)from + {begin}"))
                }
            };
            let (ty, value) = match self.scalar == Some(k) {
                true => (self.format.name().into(), format!("({from})[i * {lanes}]")),
                false => (ty, load(lanes, &format!("({from})"), "i")),
            };
            text += &format!("        {ty} {} = {value};\n", ["x", "y", "z"][k.min(2)]);
        }
        let form = self.judged.form(self.format, self.lanes, ["x", "y", "z"]);
        let kept = store(lanes, &form, &format!("to{n}"), "i");
        text + &format!("        {kept}\n    }}\n")
    }

    /// What it must leave.
    fn wanted(&self) -> (Unit, Vec<u8>) {
        let size = usize::from(self.gives().of.bits) / 8;
        let bytes = (0..NUMBERS).flat_map(|at| {
            let bits = |n: usize| self.arguments.get(n).map_or(0, |numbers| numbers[at]);
            let lane = result(self.judged, self.format, self.lanes, [0, 1, 2].map(bits));
            let lane = lane.unwrap_or_default().to_le_bytes();
            lane.into_iter().take(size)
        });
        let unit = match size {
            4 => Unit::Word,
            8 => Unit::Long,
            _ => Unit::Byte,
        };
        (unit, bytes.collect())
    }
}

/// What it gives of bits, some of which may be of a number that is not normal.
fn result(judged: Judged, format: Format, lanes: u8, bits: [u64; 3]) -> Option<u64> {
    let mut n = 0..;
    let normal = bits.map(|bits| {
        let number = format.number(bits);
        let takes = n.next().is_some_and(|n| judged.takes_float(n));
        match takes && format.subnormal(number) {
            // It is as good as zero.
            true if of_kinds(judged) => 0,
            // A larger one of its sign that keeps its place among all others.
            true => format.bits(libm::ldexp(number, 60)),
            false => bits,
        }
    });
    judged.lane(format, lanes, normal)
}

/// Whether it is an operator of which one operand may be a scalar beside a vector.
fn may_widen(judged: Judged) -> bool {
    matches!(
        judged,
        Judged::Compare(_) | Judged::Truth(Truth::And | Truth::Or)
    )
}

/// Whether only the kind of a number matters: what is not normal is then known, whether it is flushed to zero or not.
fn of_kinds(judged: Judged) -> bool {
    use Relation::{Finite, Infinite, Nan, Normal, Ordered, Unordered};
    matches!(
        judged,
        Judged::Relation(Finite | Infinite | Nan | Normal | Ordered | Unordered)
    )
}

/// The bits of an argument.
fn number(choices: &mut Choices, judged: Judged, format: Format, argument: usize) -> u64 {
    let [high, low] = [(); 2].map(|()| choices.below(1 << 32) as u64);
    let bits = high << 32 | low;
    let compared = matches!(judged, Judged::Relation(_) | Judged::Compare(_));
    // Numbers of `double` are never flushed (`CL_DEVICE_DOUBLE_FP_CONFIG` has `CL_FP_DENORM`).
    let exact = compared && format == Format::Double;
    let domain = match choices.below(8) {
        7 if exact || of_kinds(judged) => TINY,
        6 if compared => NANS,
        _ => choices.pick(judged.domains(argument)).unwrap_or(ANY),
    };
    let domain = match judged.takes_float(argument) {
        true => domain.of(format),
        false => domain,
    };
    let all = u64::MAX >> (64 - 8 * format.bytes());
    (bits & domain.keeps | domain.sets) & all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::math::format::FORMATS;

    #[test]
    fn each_is_known_of_all_numbers_that_are_drawn() {
        let mut choices = Choices::new(3);
        for format in FORMATS {
            for judged in all() {
                for lanes in [1, 2] {
                    let asked = Asked::draw(&mut choices, judged, format, lanes);
                    for at in 0..NUMBERS {
                        let bits = |n: usize| asked.arguments.get(n).map_or(0, |all| all[at]);
                        let lane = result(judged, format, lanes, [0, 1, 2].map(bits));
                        assert!(lane.is_some(), "{judged:?} of {format:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn numbers_that_are_not_normal_are_of_their_own_kind() {
        let normal = Judged::Relation(Relation::Normal);
        assert_eq!(result(normal, Format::Float, 1, [1, 0, 0]), Some(0));
        let finite = Judged::Relation(Relation::Finite);
        assert_eq!(result(finite, Format::Half, 2, [1, 0, 0]), Some(0xffff));
        let less = Judged::Relation(Relation::Less);
        assert_eq!(result(less, Format::Double, 1, [1, 2, 0]), Some(1));
        assert_eq!(result(less, Format::Double, 1, [0, 1, 0]), Some(1));
    }
}
