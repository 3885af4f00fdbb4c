//! The numbers that a function is called with.

use super::{Drawn, Space};
use crate::choices::Choices;
use crate::kernels::math::format::Format;
use crate::kernels::math::functions::{Domain, Form, Function};

/// Numbers that a function is asked for: a multiple of each size of a vector.
const NUMBERS: usize = 48;

/// Numbers of a kernel whose arguments are in its text.
const KNOWN: usize = 12;

/// Sizes of vectors.
pub(super) const SIZES: usize = 8;

/// Lanes of what a function takes in a turn.
fn lanes_of(form: Form, turn: usize) -> usize {
    match form {
        Form::Whole | Form::Vector => 1 + turn % 4,
        Form::Cross => [4, 3, 4][turn % 3],
        _ => [1, 2, 4, 3, 1, 8, 1, 16][turn % SIZES],
    }
}

/// A call of a function, in a turn that says of how many lanes it is.
pub(super) fn draw<'f>(
    choices: &mut Choices,
    function: &'f Function,
    format: Format,
    turn: usize,
) -> Drawn<'f> {
    let known = choices.percent(20);
    let lanes = match lanes_of(function.form, turn) {
        // What is in the text is written out; an `int` there is one for all lanes.
        _ if known && function.takes_int => 1,
        lanes if known => lanes.min(4),
        lanes => lanes,
    };
    let total = function.takes.len() + usize::from(function.takes_int);
    let scalars = lanes > 1 && choices.percent(50);
    let operator = function.form == Form::Operator;
    // What is assigned to is no scalar beside a vector, and no integer.
    let assigned = operator && choices.percent(30);
    let beside = match operator {
        true => Some(if assigned { 1 } else { choices.below(2) }),
        false => None,
    };
    let whole = beside.filter(|_| (scalars || lanes == 1) && choices.percent(35));
    let whole = whole.zip(choices.pick(&["int", "short", "char"]));
    let scalar: Vec<bool> = (0..total)
        .map(|n| match function.form {
            Form::Operator => scalars && beside == Some(n),
            Form::ScalarFrom(from) => scalars && n >= from,
            Form::ScalarBefore(before) => scalars && n < before,
            _ => false,
        })
        .collect();
    let numbers = if known { KNOWN } else { NUMBERS };
    let mut arguments: Vec<Vec<f64>> = function
        .takes
        .iter()
        .map(|domain| {
            let mut exponent = 0;
            let numbers = (0..numbers).map(|n| {
                if n % lanes == 0 {
                    // The lanes of a vector are of like size, where that matters.
                    let most = format.greatest_exponent() - 3;
                    exponent = choices.below((most - most / -5) as usize) as i32 + most / -5;
                }
                number(choices, format, *domain, exponent)
            });
            numbers.collect()
        })
        .collect();
    // Vectors without a length, and such as have no finite one.
    for (numbers, domain) in arguments.iter_mut().zip(function.takes) {
        for vector in numbers.chunks_mut(lanes) {
            if matches!(domain, Domain::Finite | Domain::Directed) && choices.percent(8) {
                vector.fill(0.0);
            }
            if *domain == Domain::Directed && choices.percent(15) {
                beyond(choices, vector);
            }
        }
    }
    if let Some(numbers) = whole.and_then(|(at, _)| arguments.get_mut(at)) {
        // No integer is -0.
        numbers.fill_with(|| f64::from(choices.below(200) as i32 - 100));
    }
    // What is a scalar is the same in each lane.
    for (argument, _) in arguments
        .iter_mut()
        .zip(&scalar)
        .filter(|(_, scalar)| **scalar)
    {
        for vector in argument.chunks_mut(lanes) {
            let first = vector.first().copied().unwrap_or(0.0);
            vector.fill(first);
        }
    }
    if let Some((from, least)) = function.ordered
        && let Some([low, high]) = arguments.get_mut(from..from + 2)
    {
        in_order(choices, format, lanes, least, [low, high]);
    }
    if whole.is_none() {
        meet(choices, function, format, lanes, &scalar, &mut arguments);
    }
    let mut ints: Vec<i32> = (0..numbers).map(|_| int(choices)).collect();
    if function.name == "ldexp" {
        within_reach(choices, format, &arguments[0], &mut ints);
    }
    if function.takes_int && scalar.last() == Some(&true) {
        for vector in ints.chunks_mut(lanes) {
            let first = vector.first().copied().unwrap_or(0);
            vector.fill(first);
        }
    }
    let space = match function.stores {
        Some(_) => choices.one_of(&[
            Space::Private,
            Space::Local,
            Space::Global,
            Space::Private,
            Space::Local,
            Space::Global,
            Space::Generic,
        ]),
        None => Space::Private,
    };
    // A vector of three has the room of four: an array of these is no list of its numbers. What is not all known is looked
    // at before the host sees it.
    let space = match space {
        Space::Global if lanes == 3 || function.seen != "@" => Space::Local,
        _ => space,
    };
    Drawn {
        function,
        format,
        lanes,
        scalar,
        whole,
        assigned,
        arguments,
        ints,
        known,
        rounded: false,
        space,
    }
}

/// Makes some lanes of a vector infinite, and seldom a NaN.
fn beyond(choices: &mut Choices, vector: &mut [f64]) {
    let nan = choices.percent(25);
    for x in vector.iter_mut() {
        if choices.percent(50) {
            *x = f64::INFINITY.copysign(*x);
        }
    }
    if nan && let Some(x) = choices.pick(&(0..vector.len()).collect::<Vec<usize>>()) {
        vector[x] = f64::NAN;
    }
}

/// Brings numbers in order, the lesser first, at least so far apart; where they need not be apart, some are the same.
fn in_order(
    choices: &mut Choices,
    format: Format,
    lanes: usize,
    least: f64,
    [low, high]: [&mut Vec<f64>; 2],
) {
    for (low, high) in low.chunks_mut(lanes).zip(high.chunks_mut(lanes)) {
        let same = least == 0.0 && choices.percent(15);
        for (low, high) in low.iter_mut().zip(high) {
            if *low > *high {
                std::mem::swap(low, high);
            }
            if same {
                *high = *low;
            }
            if least > 0.0 && *high - *low < least {
                *high = format.nearest(*low + least);
            }
        }
    }
}

/// How an argument is made of another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Meeting {
    Same,
    Negated,
    Above,
    Below,
}

impl Meeting {
    fn draw(choices: &mut Choices) -> Meeting {
        use Meeting::*;
        choices.one_of(&[Same, Same, Same, Negated, Above, Below])
    }

    /// The number that it makes of one; no number that is not normal.
    fn of(self, format: Format, x: f64) -> f64 {
        if x == 0.0 || !x.is_finite() {
            return if self == Meeting::Negated { -x } else { x };
        }
        let number = match self {
            Meeting::Same => x,
            Meeting::Negated => -x,
            Meeting::Above => format.at(format.key(x) + 1),
            Meeting::Below => format.at(format.key(x) - 1),
        };
        match number.is_finite() && !format.subnormal(number) {
            true => number,
            false => x,
        }
    }
}

/// Makes two arguments meet: in some calls, and some lanes, one is the other, is it with the other sign, or next to it.
fn meet(
    choices: &mut Choices,
    function: &Function,
    format: Format,
    lanes: usize,
    scalar: &[bool],
    arguments: &mut [Vec<f64>],
) {
    // Of the functions with few bits right nothing is known where their values vanish.
    if function.name.starts_with("fast_") {
        return;
    }
    let takes = |n: usize| function.takes.get(n).copied();
    let count = function.takes.len();
    let able = |from: usize, to: usize| {
        let free = match function.ordered {
            // The edges stay as they are.
            Some((first, _)) => (first..first + 2).contains(&from) && to != from,
            None => to != from,
        };
        let edge = function
            .ordered
            .is_some_and(|(first, _)| (first..first + 2).contains(&to));
        let fits =
            takes(from) == takes(to) || matches!(takes(to), Some(Domain::Near | Domain::Wide));
        free && !edge && fits && (lanes == 1 || scalar.get(to) == Some(&false))
    };
    let pairs = (0..count).flat_map(|from| (0..count).map(move |to| (from, to)));
    let pairs: Vec<(usize, usize)> = pairs.filter(|(from, to)| able(*from, *to)).collect();
    let whole = matches!(function.form, Form::Whole | Form::Vector | Form::Cross);
    let calls = arguments.first().map_or(0, Vec::len) / lanes;
    for call in 0..calls {
        let all = match whole && choices.percent(15) {
            true => choices.pick(&pairs).zip(Some(Meeting::draw(choices))),
            false => None,
        };
        for lane in 0..lanes {
            let place = call * lanes + lane;
            let one = match all.is_none() && choices.percent(25) {
                true => choices.pick(&pairs).zip(Some(Meeting::draw(choices))),
                false => None,
            };
            let Some(((from, to), meeting)) = all.or(one) else {
                continue;
            };
            let above = matches!(
                takes(to),
                Some(Domain::Above | Domain::PlainAbove | Domain::Part)
            );
            let meeting = match meeting {
                Meeting::Negated | Meeting::Below if above => Meeting::Same,
                other => other,
            };
            let number = meeting.of(format, arguments[from][place]);
            // No more than 1 is a part.
            let beyond = takes(to) == Some(Domain::Part) && number > 1.0;
            arguments[to][place] = if beyond { 1.0 } else { number };
        }
    }
}

/// An `int`, mostly a small one, seldom one at which the type ends.
fn int(choices: &mut Choices) -> i32 {
    let n = match choices.below(9) {
        0 | 1 => choices.below(4),
        2..=5 => choices.below(20),
        6 => choices.below(2200),
        7 => choices.below(300),
        _ => {
            let ends = [i32::MAX, i32::MIN, i32::MAX - 1, i32::MIN + 1];
            return choices.one_of(&ends);
        }
    } as i32;
    match choices.percent(50) {
        true => -n,
        false => n,
    }
}

/// Makes some exponents such as lead from their number to another one of the format, or next to the ends of it: those
/// are as wide as two of its exponents are apart, where any that is small leads to a few and any that is great beyond all.
fn within_reach(choices: &mut Choices, format: Format, numbers: &[f64], exponents: &mut [i32]) {
    let (least, greatest) = (format.least_exponent(), format.greatest_exponent());
    for (x, n) in numbers.iter().zip(exponents) {
        if x.is_finite() && *x != 0.0 && choices.percent(40) {
            let to = least - 1 + choices.below((greatest - least + 3) as usize) as i32;
            *n = to - libm::ilogb(*x);
        }
    }
}

/// A number of a domain; no number that is not normal and might be taken for zero, as those of `double` may not
/// (`CL_DEVICE_DOUBLE_FP_CONFIG` has `CL_FP_DENORM`).
fn number(choices: &mut Choices, format: Format, domain: Domain, exponent: i32) -> f64 {
    let drawn = match domain {
        Domain::Finite | Domain::Directed if choices.percent(6) => 0.0,
        Domain::Edges => match choices.below(16) {
            0 | 1 => 0f64.copysign(choices.one_of(&[1.0, -1.0])),
            2 => choices.one_of(&[f64::INFINITY, f64::NEG_INFINITY, f64::NAN]),
            3 => choices.one_of(&[1.0, 1.0, -1.0]),
            _ => inside(choices, format, Domain::Plain, exponent),
        },
        Domain::Poles => match choices.below(16) {
            0 | 1 => 0f64.copysign(choices.one_of(&[1.0, -1.0])),
            2 => f64::INFINITY,
            3..=6 => -((1 + choices.below(40)) as f64),
            7 => choices.one_of(&[1.0, 2.0]),
            _ => inside(choices, format, Domain::Turns, exponent),
        },
        Domain::Plain | Domain::PlainAbove | Domain::Part | Domain::Finite | Domain::Directed => {
            inside(choices, format, domain, exponent)
        }
        Domain::Signed | Domain::Ordered => match choices.below(16) {
            0 | 1 => 0f64.copysign(choices.one_of(&[1.0, -1.0])),
            2 if domain == Domain::Ordered => {
                let ends = [f64::INFINITY, format.greatest(), format.least_normal()];
                choices.one_of(&ends) * choices.one_of(&[1.0, -1.0])
            }
            _ => inside(choices, format, Domain::Plain, exponent),
        },
        _ => match choices.below(20) {
            0..=11 => inside(choices, format, domain, exponent),
            12..=14 => {
                let bits = choices.below(1 << 32) as u64;
                let more = choices.below(1 << 32) as u64;
                format.number((bits << 32 | more) >> (64 - 8 * format.bytes()))
            }
            _ => special(choices, format),
        },
    };
    let number = format.nearest(drawn);
    match format.subnormal(number) && format != Format::Double {
        true => 1.0,
        false => number,
    }
}

fn special(choices: &mut Choices, format: Format) -> f64 {
    let size = match choices.below(15) {
        0 | 1 => 0.0,
        2 | 3 => 1.0,
        4 => 0.5,
        5 => 2.0,
        6 => 3.0,
        7 => 1.5,
        8 | 9 => f64::INFINITY,
        10 => f64::NAN,
        11 => format.greatest(),
        12 => format.least_normal(),
        13 if format == Format::Double => format.at(1 << choices.below(51)),
        _ => 1.0 + format.epsilon(),
    };
    match choices.percent(40) {
        true => -size,
        false => size,
    }
}

/// A number of a domain that is neither special nor of any size.
fn inside(choices: &mut Choices, format: Format, domain: Domain, exponent: i32) -> f64 {
    let part = choices.below(1 << 24) as f64 / f64::from(1 << 24);
    let negative = choices.percent(50);
    let sized = |exponent: i32| libm::ldexp(1.0 + part, exponent);
    let size = match domain {
        // Numbers of few bits, of which quotients and products are whole, and halfway between others.
        Domain::Near | Domain::Above | Domain::Plain if choices.percent(15) => {
            (1 + choices.below(64)) as f64 / 4.0
        }
        Domain::Near
        | Domain::Above
        | Domain::Plain
        | Domain::PlainAbove
        | Domain::Signed
        | Domain::Edges
        | Domain::Ordered => sized(choices.below(12) as i32 - 6),
        Domain::Unit | Domain::Part => part,
        Domain::Turns if choices.percent(12) => {
            // Where a half that is added is lost, or makes too much: next to it, and where it is the last bit.
            let whole = 1.0 / format.epsilon();
            let more = choices.below(16) as f64;
            choices.one_of(&[
                format.at(format.key(0.5) - 1),
                format.at(format.key(0.5) + 1),
                whole + more,
                whole / 2.0 + more + 0.5,
            ])
        }
        Domain::Turns | Domain::Poles if choices.percent(50) => choices.below(400) as f64 / 4.0,
        Domain::Turns | Domain::Poles => part * 100.0,
        Domain::Wide | Domain::Finite | Domain::Directed => {
            sized(exponent - choices.below(3) as i32)
        }
    };
    let above = matches!(domain, Domain::Above | Domain::PlainAbove | Domain::Part);
    if negative && !above { -size } else { size }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::math::bounds;
    use crate::kernels::math::functions::FUNCTIONS;

    fn calls(name: &str, seed: u64) -> Drawn<'static> {
        let mut all = FUNCTIONS.iter();
        let function = all
            .find(|function| function.name == name)
            .expect("it is there");
        draw(
            &mut Choices::new(seed),
            function,
            Format::Float,
            seed as usize,
        )
    }

    #[test]
    fn arguments_meet_where_the_function_says_something_of_that() {
        for name in ["step", "fmin", "max", "fdim", "remquo", "distance"] {
            let meets = |seed: &u64| {
                let drawn = calls(name, *seed);
                let mut pairs = drawn.arguments[0].iter().zip(&drawn.arguments[1]);
                pairs.any(|(x, y)| x == y)
            };
            let seeds = (0..40).filter(meets).count();
            assert!(seeds >= 36, "{name}: {seeds}");
        }
    }

    #[test]
    fn one_operand_may_be_a_scalar_or_an_integer() {
        let (mut sides, mut integers, mut assigned) = ([0, 0], 0, 0);
        for seed in 0..200 {
            let drawn = calls("/", seed);
            let scalars: Vec<usize> = (0..2).filter(|n| drawn.scalar[*n]).collect();
            assert!(scalars.len() < 2 && (drawn.lanes > 1 || scalars.is_empty()));
            for n in scalars {
                sides[n] += 1;
                let mut vectors = drawn.arguments[n].chunks(drawn.lanes);
                let same = |lanes: &[f64]| lanes.iter().all(|x| x.to_bits() == lanes[0].to_bits());
                assert!(vectors.all(same));
            }
            if let Some((n, _)) = drawn.whole {
                integers += 1;
                assert!(drawn.arguments[n].iter().all(|x| *x == x.trunc()));
                assert!(
                    drawn.lanes == 1 || drawn.scalar[n],
                    "no vector is converted"
                );
            }
            if drawn.assigned {
                assigned += 1;
                assert!(!drawn.scalar[0] && drawn.whole.is_none_or(|(n, _)| n == 1));
            }
        }
        assert!(sides[0] > 5 && sides[1] > 20 && integers > 20 && assigned > 20);
    }

    #[test]
    fn a_quotient_that_is_rounded_correctly_is_one_number() {
        let mut drawn = calls("/", 4);
        drawn.arguments = vec![vec![1.0; NUMBERS], vec![3.0; NUMBERS]];
        let right = |drawn: &Drawn| {
            let (_, gives) = drawn.wanted(drawn.function.of)[0].clone();
            bounds(Format::Float, 2.5, gives)
        };
        let free = right(&drawn);
        assert!(free.low < free.high, "{free:?}");
        drawn.rounded = true;
        let third = Format::Float.key(Format::Float.number(0x3eaa_aaab));
        let one = right(&drawn);
        assert_eq!([one.low, one.high], [third; 2]);
    }

    #[test]
    fn exponents_lead_from_any_number_to_any_other() {
        let far = |seed: u64| {
            let drawn = calls("ldexp", seed);
            let mut calls = drawn.arguments[0].iter().zip(&drawn.ints);
            calls.any(|(x, n)| {
                n.unsigned_abs() > 127 && libm::ldexp(*x, *n).abs() < 3e38 && *x != 0.0
            })
        };
        assert!((0..40).filter(|seed| far(*seed)).count() >= 20);
    }

    #[test]
    fn bounds_stay_in_order_and_scalars_are_the_same_in_each_lane() {
        let (mut same, mut ends) = (0, 0);
        for seed in 0..40 {
            let drawn = calls("clamp", seed);
            let [x, low, high] = &drawn.arguments[..] else {
                panic!("three arguments")
            };
            for ((x, low), high) in x.iter().zip(low).zip(high) {
                assert!(low <= high, "seed {seed}");
                same += usize::from(low == high);
                ends += usize::from(x == low || x == high);
            }
            let drawn = calls("smoothstep", seed);
            let [low, high] = [&drawn.arguments[0], &drawn.arguments[1]];
            assert!(
                low.iter().zip(high).all(|(low, high)| low < high),
                "seed {seed}"
            );
            for (numbers, scalar) in drawn.arguments.iter().zip(&drawn.scalar) {
                let mut vectors = numbers.chunks(drawn.lanes);
                let spread = vectors.all(|lanes| lanes.iter().all(|x| *x == lanes[0]));
                assert!(spread || !scalar, "seed {seed}");
            }
        }
        assert!(same > 40 && ends > 40, "{same} {ends}");
    }
}
