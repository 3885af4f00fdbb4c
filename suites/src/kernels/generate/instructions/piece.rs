//! Operands of an instruction, and what it gives.

use super::table::{Form, Row, Second};
use super::{Given, ITEMS, Lane, Piece};
use crate::choices::Choices;
use crate::kernels::case::{Contents, Unit, Want};
use crate::kernels::code::number::{INTEGERS, Integer, UINT, ULONG};
use crate::kernels::generate::builder::{constant, numbers as numbers_of};
use crate::kernels::math::format::Format;
use crate::kernels::math::only;
use rspirv::spirv::Op;

/// Numbers with a fraction that each format has.
const REALS: [f64; 12] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    2.5,
    -2.5,
    3.0,
    1000.0,
    -1000.0,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
];

/// Floats that a half is, or that are far beyond the greatest one.
const QUANTIZED: [f64; 14] = [
    0.0,
    -0.0,
    1.0,
    -2.5,
    1.0 + 1.0 / 1024.0,
    -2047.0,
    65504.0,
    -65504.0,
    1e6,
    -1e30,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
    1.0 / 16384.0,
];

/// Elements of an array in a structure.
pub(super) const MEMBERS: usize = 3;

impl Given {
    /// What a function makes of each work-item and each lane.
    fn by(of: Lane, lanes: usize, mut each: impl FnMut() -> u64) -> Given {
        let item = |_| (0..lanes).map(|_| each()).collect();
        let bits = (0..ITEMS).map(item).collect();
        Given { of, lanes, bits }
    }

    /// Integers: ends of the type, small ones, and any.
    fn integers(choices: &mut Choices, of: Integer, lanes: usize) -> Given {
        Given::by(Lane::Integer(of), lanes, || {
            let any = choices.below(1 << 32) as i128 * 0x1_0000_0001_93b5;
            let ends = [0, 1, -1, of.least(), of.greatest(), of.greatest() - 1];
            match choices.below(10) {
                n @ 0..6 => of.wrap(ends[n]),
                6 => of.wrap(any % 100),
                _ => of.wrap(any),
            }
        })
    }

    fn truths(choices: &mut Choices, lanes: usize) -> Given {
        Given::by(Lane::Truth, lanes, || choices.percent(50).into())
    }

    fn reals(choices: &mut Choices, of: Format, lanes: usize, among: &[f64]) -> Given {
        Given::by(Lane::Real(of), lanes, || {
            of.bits(choices.pick(among).unwrap_or(0.0))
        })
    }

    fn places(choices: &mut Choices, most: usize) -> Given {
        let of = Lane::Integer(UINT);
        Given::by(of, 1, || choices.below(most) as u64)
    }
}

/// Small whole numbers of either sign, and without one.
fn small(signed: bool) -> Vec<f64> {
    let first = if signed { -40 } else { 0 };
    (first..41).map(f64::from).collect()
}
impl Piece {
    /// An instruction on operands of the type that comes in turn.
    pub(super) fn draw(
        choices: &mut Choices,
        (op, signed, form): Row,
        (turn, wide): (usize, bool),
        formats: &[Format],
    ) -> Piece {
        let lanes = match wide {
            true => [1, 8, 2, 16, 4][turn % 5],
            false => [1, 4, 2, 3, 1][turn % 5],
        };
        let of = |signed: bool, turn: usize| {
            let all: Vec<Integer> = INTEGERS
                .into_iter()
                .filter(|of| of.signed == signed)
                .collect();
            all[turn % all.len()]
        };
        let own = of(signed, turn);
        let format = formats[turn % formats.len()];
        // Sizes that are both the same and others come in turn, too.
        let other = turn / 4 + choices.below(2);
        let ints = |choices: &mut Choices| Given::integers(choices, own, lanes);
        let (given, of, to): (Vec<Given>, Lane, usize) = match form {
            Form::Both(second, _) => {
                let first = ints(choices);
                let second = match second {
                    Second::Any => ints(choices),
                    Second::Shift => Given::by(Lane::Integer(own), lanes, || {
                        choices.below(own.bits.into()) as u64
                    }),
                    Second::Divisor => {
                        let mut second = ints(choices);
                        let all = second.bits.iter_mut().flatten();
                        all.for_each(|bits| {
                            *bits = if signed { (*bits | 3) & !4 } else { *bits | 1 };
                        });
                        second
                    }
                };
                (vec![first, second], Lane::Integer(own), lanes)
            }
            Form::Alone(_) => (vec![ints(choices)], Lane::Integer(own), lanes),
            Form::Fills => {
                let lanes = lanes.max(2);
                let given = Given::integers(choices, own, lanes);
                (vec![given], Lane::Integer(own), lanes)
            }
            Form::Branches => {
                let given = vec![Given::truths(choices, 1), ints(choices), ints(choices)];
                (given, Lane::Integer(own), lanes)
            }
            Form::Steps(_) => {
                let given = Given::integers(choices, UINT, 1);
                (vec![given], Lane::Integer(ULONG), 1)
            }
            Form::Flags => (vec![Given::places(choices, 8)], Lane::Integer(UINT), 1),
            Form::Members => {
                let given = Given::integers(choices, own, MEMBERS);
                let place = Given::places(choices, MEMBERS);
                (vec![given, place], Lane::Integer(own), 1)
            }
            Form::Dots => {
                // As many as `dot` takes.
                let lanes = lanes.clamp(2, 4);
                // No sum of these is zero, the sign of which is open, and each format has all of them.
                let both = [[0.5, 1.5, 2.5, 3.5], [1.0, 2.0, 3.0, 4.0]];
                let both = both.map(|all| Given::reals(choices, format, lanes, &all));
                (both.into(), Lane::Real(format), 1)
            }
            Form::Compares(_) => {
                let (first, mut second) = (ints(choices), ints(choices));
                // Some are the same.
                second.bits[..4].clone_from_slice(&first.bits[..4]);
                (vec![first, second], Lane::Truth, lanes)
            }
            Form::Truths(_) => {
                let both = [(); 2].map(|()| Given::truths(choices, lanes));
                (both.into(), Lane::Truth, lanes)
            }
            Form::Of(_) => {
                let lanes = lanes.max(2);
                let mut given = Given::truths(choices, lanes);
                given.bits[0].fill(0);
                given.bits[1].fill(1);
                (vec![given], Lane::Truth, 1)
            }
            Form::Chooses => {
                let given = vec![Given::truths(choices, lanes), ints(choices), ints(choices)];
                (given, Lane::Integer(own), lanes)
            }
            Form::Resizes { from, to, nearest } => {
                let own = of(from, turn);
                // A type of the same size is none to convert to, but for what brings a number to the other sign.
                let other = other % if nearest { 4 } else { 3 } + 1;
                let to = of(to, turn + other);
                let given = Given::integers(choices, own, lanes);
                (vec![given], Lane::Integer(to), lanes)
            }
            Form::Judges(_) => {
                let given = Given::reals(choices, format, lanes, &REALS);
                (vec![given], Lane::Truth, lanes)
            }
            Form::Orders(_) => {
                let both = [(); 2].map(|()| Given::reals(choices, format, lanes, &REALS));
                (both.into(), Lane::Truth, lanes)
            }
            Form::Computes(_) => {
                // No remainder and no difference of these is zero, the sign of which is open.
                let whole: Vec<f64> = (1..21)
                    .flat_map(|n| [f64::from(n), -f64::from(n)])
                    .collect();
                let halves: Vec<f64> = whole.iter().map(|n| n + 0.5).collect();
                let both = [&halves, &whole].map(|all| Given::reals(choices, format, lanes, all));
                (both.into(), Lane::Real(format), lanes)
            }
            Form::Pairs(_) => (
                vec![ints(choices), ints(choices)],
                Lane::Integer(own),
                2 * lanes,
            ),
            Form::Shifts(_) => {
                let first = ints(choices);
                let by = Lane::Integer(of(false, turn + other));
                let by = Given::by(by, lanes, || choices.below(own.bits.into()) as u64);
                (vec![first, by], Lane::Integer(own), lanes)
            }
            Form::Scales => {
                let lanes = lanes.max(2);
                let whole: Vec<f64> = (-20..21).map(f64::from).filter(|n| *n != 0.0).collect();
                let halves: Vec<f64> = whole.iter().map(|n| n + 0.5).collect();
                let vector = Given::reals(choices, format, lanes, &halves);
                let scale = Given::reals(choices, format, 1, &whole);
                (vec![vector, scale], Lane::Real(format), lanes)
            }
            Form::Quantizes => {
                let given = Given::reals(choices, Format::Float, lanes, &QUANTIZED);
                (vec![given], Lane::Real(Format::Float), lanes)
            }
            Form::ToWhole { signed } => {
                let parts = [0.0, 0.25, 0.5, 0.75];
                let all: Vec<f64> = small(signed)
                    .into_iter()
                    .flat_map(|n| parts.map(|part| if n < 0.0 { n - part } else { n + part }))
                    .collect();
                let given = Given::reals(choices, format, lanes, &all);
                (vec![given], Lane::Integer(of(signed, turn / 3)), lanes)
            }
            Form::FromWhole { signed } => {
                let own = of(signed, turn / 3);
                let all = small(signed);
                let given = Given::by(Lane::Integer(own), lanes, || {
                    own.wrap(choices.pick(&all).unwrap_or(0.0) as i128)
                });
                (vec![given], Lane::Real(format), lanes)
            }
            Form::Reformats => {
                let to = match format {
                    Format::Float => Format::Double,
                    Format::Half | Format::Double => Format::Float,
                };
                let given = Given::reals(choices, format, lanes, &REALS);
                (vec![given], Lane::Real(to), lanes)
            }
            Form::Shuffles => {
                let to = lanes.max(2);
                let from = [2, 3, 4][turn / 3 % 3];
                let both = [from, 2 + turn % 3].map(|lanes| Given::integers(choices, own, lanes));
                (both.into(), Lane::Integer(own), to)
            }
            Form::Extracts => {
                let lanes = lanes.max(2);
                let given = Given::integers(choices, own, lanes);
                let place = Given::places(choices, lanes);
                (vec![given, place], Lane::Integer(own), 1)
            }
            Form::Turns => {
                let both = [(); 2].map(|()| Given::integers(choices, own, lanes));
                let turns = Given::places(choices, 8);
                let given = both.into_iter().chain([turns]).collect();
                (given, Lane::Integer(own), lanes)
            }
            Form::Inserts => {
                let lanes = lanes.max(2);
                let given = Given::integers(choices, own, lanes);
                let one = Given::integers(choices, own, 1);
                let place = Given::places(choices, lanes);
                (vec![given, one, place], Lane::Integer(own), lanes)
            }
        };
        let literals: Vec<u32> = match form {
            Form::Turns => vec![choices.below(3) as u32, choices.below(2) as u32],
            Form::Members => vec![choices.below(2) as u32],
            Form::Shuffles => {
                let all = given.iter().map(|given| given.lanes).sum();
                (0..to).map(|_| choices.below(all) as u32).collect()
            }
            _ => Vec::new(),
        };
        let mut piece = Piece {
            op,
            given,
            literals,
            of,
            lanes: to,
            wanted: Vec::new(),
        };
        let wanted = (0..ITEMS).map(|item| piece.gives(form, item));
        piece.wanted = wanted.collect();
        piece
    }

    /// What it gives a work-item.
    fn gives(&self, form: Form, item: usize) -> Vec<u64> {
        let bits = |n: usize, lane: usize| self.given[n].bits[item][lane];
        let whole = |n: usize, lane: usize| match self.given[n].of {
            Lane::Integer(of) => of.number(bits(n, lane)),
            Lane::Real(_) | Lane::Truth => bits(n, lane).into(),
        };
        let real = |n: usize, lane: usize| match self.given[n].of {
            Lane::Real(format) => format.number(bits(n, lane)),
            Lane::Integer(of) => of.number(bits(n, lane)) as f64,
            Lane::Truth => 0.0,
        };
        let truth = |n: usize, lane: usize| bits(n, lane) != 0;
        let to = |number: i128| match self.of {
            Lane::Integer(of) => of.wrap(number),
            Lane::Real(_) | Lane::Truth => 0,
        };
        let to_real = |number: f64| match self.of {
            Lane::Real(format) => format.bits(number),
            Lane::Integer(_) | Lane::Truth => 0,
        };
        let lane = |lane: usize| match form {
            Form::Both(_, apply) => to(apply(whole(0, lane), whole(1, lane))),
            Form::Alone(apply) => to(apply(whole(0, lane))),
            Form::Fills => bits(0, lane),
            Form::Branches if truth(0, 0) => bits(1, lane),
            Form::Branches => bits(2, lane),
            Form::Steps(apply) => {
                let after = UINT.wrap(apply(whole(0, 0)));
                after << 32 | bits(0, 0)
            }
            Form::Flags => bits(0, 0) ^ 2,
            Form::Members => bits(0, bits(1, 0) as usize),
            Form::Dots => {
                let products = (0..self.given[0].lanes).map(|lane| real(0, lane) * real(1, lane));
                to_real(products.sum())
            }
            Form::Compares(holds) => holds(whole(0, lane), whole(1, lane)).into(),
            Form::Truths(holds) => holds(truth(0, lane), truth(1, lane)).into(),
            Form::Of(holds) => {
                let all: Vec<bool> = self.given[0].bits[item]
                    .iter()
                    .map(|bit| *bit != 0)
                    .collect();
                holds(&all).into()
            }
            Form::Chooses if truth(0, lane) => bits(1, lane),
            Form::Chooses => bits(2, lane),
            Form::Resizes { nearest, .. } => match self.of {
                Lane::Integer(of) if nearest => of.saturate(whole(0, lane)),
                _ => to(whole(0, lane)),
            },
            Form::Judges(holds) => holds(real(0, lane)).into(),
            Form::Orders(holds) => holds(real(0, lane), real(1, lane)).into(),
            Form::Computes(apply) => to_real(apply(real(0, lane), real(1, lane))),
            Form::Pairs(apply) => {
                let (own, lanes) = (self.given[0].of, self.given[0].lanes);
                let bits = match own {
                    Lane::Integer(of) => of.bits,
                    Lane::Real(_) | Lane::Truth => 0,
                };
                let place = lane % lanes;
                let both = apply(whole(0, place), whole(1, place), bits.into());
                to(both[lane / lanes])
            }
            Form::Shifts(apply) => to(apply(whole(0, lane), whole(1, lane))),
            Form::Scales => to_real(real(0, lane) * real(1, 0)),
            Form::Quantizes => to_real(match real(0, lane) {
                x if x.abs() > Format::Half.greatest() => f64::INFINITY.copysign(x),
                x => x,
            }),
            Form::ToWhole { .. } => to(real(0, lane).trunc() as i128),
            Form::FromWhole { .. } | Form::Reformats => to_real(real(0, lane)),
            Form::Shuffles => {
                let place = self.literals[lane] as usize;
                match place.checked_sub(self.given[0].lanes) {
                    None => bits(0, place),
                    Some(place) => bits(1, place),
                }
            }
            Form::Extracts => bits(0, bits(1, 0) as usize),
            Form::Turns => {
                let (mut first, mut second) = (whole(0, lane), whole(1, lane));
                for _ in 0..bits(2, 0) {
                    let sum = first + if self.adds() { second } else { 0 };
                    (first, second) = (second, sum);
                }
                to(first)
            }
            Form::Inserts if bits(2, 0) as usize == lane => bits(1, 0),
            Form::Inserts => bits(0, lane),
        };
        (0..self.lanes).map(lane).collect()
    }

    /// What it leaves: the numbers of all work-items lane by lane, each in 64 bits, and any NaN where it gives one.
    pub(super) fn want(&self) -> Want {
        let lanes = 0..self.lanes;
        let longs = lanes.flat_map(|lane| self.wanted.iter().map(move |item| item[lane]));
        let Lane::Real(format) = self.of else {
            return Want::same(Unit::Long, Contents::Longs(longs.collect()));
        };
        // The other bits are zeros.
        let zeros = vec![0.0; 8 / format.bytes() - 1];
        let numbers = longs.flat_map(|bits| {
            let number = std::iter::once(format.number(bits)).chain(zeros.clone());
            number.map(|x| (constant(format.name(), format.bits(x)), only(format, x)))
        });
        numbers_of(format, numbers)
    }

    /// Whether it gives a structure of two members.
    pub(super) fn pairs(&self) -> bool {
        matches!(
            self.op,
            Op::IAddCarry | Op::ISubBorrow | Op::UMulExtended | Op::SMulExtended
        )
    }

    /// Whether each turn of its loop adds the numbers that it exchanges.
    pub(super) fn adds(&self) -> bool {
        self.literals[0] & 1 != 0
    }

    /// Whether its loop says where it goes on and where it ends.
    pub(super) fn merges(&self) -> bool {
        self.literals[1] != 0
    }

    /// Whether its structure is packed.
    pub(super) fn is_packed(&self) -> bool {
        self.literals[0] != 0
    }

    /// Whether its loop counts its turns in memory, and not by a value of its own.
    pub(super) fn counts_in_memory(&self) -> bool {
        self.literals[0] & 2 != 0
    }

    /// Its name and its types, as in `OpSDiv of 4 numbers of 16 bits`.
    pub(super) fn name(&self) -> String {
        let given = &self.given[0];
        let of = match given.of {
            Lane::Integer(of) => of.name(),
            Lane::Real(format) => format.name(),
            Lane::Truth => "bool",
        };
        let lanes = match given.lanes {
            1 => String::new(),
            n => n.to_string(),
        };
        let to = match self.of {
            Lane::Integer(to) if given.of != self.of => format!(" to {}", to.name()),
            Lane::Real(to) if given.of != self.of => format!(" to {}", to.name()),
            Lane::Integer(_) | Lane::Real(_) | Lane::Truth => String::new(),
        };
        format!("Op{:?} of {of}{lanes}{to}", self.op)
    }
}
