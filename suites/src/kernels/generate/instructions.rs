//! Instructions of SPIR-V that are assembled one by one, many of which no translator makes of OpenCL C: each is given
//! operands of a type of any size, as numbers or as vectors, and what it gives is computed here.

use super::builder::CaseBuilder;
use crate::choices::Choices;
use crate::kernels::case::{Arg, Contents, KernelCase, Kind, Range, Unit, Want};
use crate::kernels::code::number::{INTEGERS, Integer, UINT};
use crate::kernels::math::format::{FORMATS, Format};
use crate::rule;
use classay_vocabulary::Need;
use rspirv::binary::Assemble as _;
use rspirv::dr::{Builder, Error, InsertPoint, Instruction as Built, Operand};
use rspirv::spirv::{
    AddressingModel, BuiltIn, Capability, Decoration, ExecutionModel, FunctionControl,
    MemoryAccess, MemoryModel, Op, StorageClass, Word,
};

/// Instructions of a case.
const TOGETHER: usize = 12;

/// Work-items, each with operands of its own.
const ITEMS: usize = 24;

/// What an instruction is given and what it gives, lane by lane but where it says otherwise.
#[derive(Clone, Copy)]
enum Form {
    /// Two integers of a type, of which the second is one of these; the same type.
    Both(Second, fn(i128, i128) -> i128),
    /// An integer; the same type.
    Alone(fn(i128) -> i128),
    /// Two integers; whether something holds of them.
    Compares(fn(i128, i128) -> bool),
    /// Two truths; another.
    Truths(fn(bool, bool) -> bool),
    /// One truth for each lane; one of all.
    Of(fn(&[bool]) -> bool),
    /// A truth and two integers: one of them.
    Chooses,
    /// An integer; the same number in an unsigned or a signed type of another size, or the nearest one, or its last bits.
    Resizes { from: bool, to: bool, nearest: bool },
    /// A number with a fraction; whether something holds of it.
    Judges(fn(f64) -> bool),
    /// Two; whether something holds of them.
    Orders(fn(f64, f64) -> bool),
    /// Two small numbers of a format; another.
    Computes(fn(f64, f64) -> f64),
    /// A number with a fraction; the whole number towards zero.
    ToWhole { signed: bool },
    /// A small whole number; the same with a fraction.
    FromWhole { signed: bool },
    /// A number that both formats have; the same in another format.
    Reformats,
    /// Two vectors; lanes of them, as literals say.
    Shuffles,
    /// A vector and a place; the lane there.
    Extracts,
    /// A vector, a number and a place; the vector with the number there.
    Inserts,
}

/// What the second operand may be.
#[derive(Clone, Copy)]
enum Second {
    Any,
    /// Below the number of bits.
    Shift,
    /// Anything but 0, and but -1 of signed types.
    Divisor,
}

/// An instruction, with the signedness of its integers where that matters.
type Row = (Op, bool, Form);

fn floored(x: i128, y: i128) -> i128 {
    let rest = x % y;
    if rest != 0 && (rest < 0) != (y < 0) {
        rest + y
    } else {
        rest
    }
}

fn is_normal(x: f64) -> bool {
    // No operand is so small that it is not normal.
    x.is_finite() && x != 0.0
}

/// Every one ("SPIR-V Specification, Instructions").
const ALL: &[Row] = &[
    (Op::IAdd, false, Form::Both(Second::Any, |x, y| x + y)),
    (Op::ISub, false, Form::Both(Second::Any, |x, y| x - y)),
    (
        Op::IMul,
        false,
        Form::Both(Second::Any, |x, y| x.wrapping_mul(y)),
    ),
    (Op::UDiv, false, Form::Both(Second::Divisor, |x, y| x / y)),
    (Op::SDiv, true, Form::Both(Second::Divisor, |x, y| x / y)),
    (Op::UMod, false, Form::Both(Second::Divisor, |x, y| x % y)),
    (Op::SRem, true, Form::Both(Second::Divisor, |x, y| x % y)),
    (Op::SMod, true, Form::Both(Second::Divisor, floored)),
    (
        Op::ShiftLeftLogical,
        false,
        Form::Both(Second::Shift, |x, y| x << y),
    ),
    (
        Op::ShiftRightLogical,
        false,
        Form::Both(Second::Shift, |x, y| x >> y),
    ),
    (
        Op::ShiftRightArithmetic,
        true,
        Form::Both(Second::Shift, |x, y| x >> y),
    ),
    (Op::BitwiseAnd, false, Form::Both(Second::Any, |x, y| x & y)),
    (Op::BitwiseOr, false, Form::Both(Second::Any, |x, y| x | y)),
    (Op::BitwiseXor, false, Form::Both(Second::Any, |x, y| x ^ y)),
    (Op::SNegate, true, Form::Alone(|x| -x)),
    (Op::Not, true, Form::Alone(|x| !x)),
    (
        Op::BitCount,
        false,
        Form::Alone(|x| i128::from(x.count_ones())),
    ),
    (Op::CopyObject, false, Form::Alone(|x| x)),
    (Op::IEqual, false, Form::Compares(|x, y| x == y)),
    (Op::INotEqual, false, Form::Compares(|x, y| x != y)),
    (Op::UGreaterThan, false, Form::Compares(|x, y| x > y)),
    (Op::UGreaterThanEqual, false, Form::Compares(|x, y| x >= y)),
    (Op::ULessThan, false, Form::Compares(|x, y| x < y)),
    (Op::ULessThanEqual, false, Form::Compares(|x, y| x <= y)),
    (Op::SGreaterThan, true, Form::Compares(|x, y| x > y)),
    (Op::SGreaterThanEqual, true, Form::Compares(|x, y| x >= y)),
    (Op::SLessThan, true, Form::Compares(|x, y| x < y)),
    (Op::SLessThanEqual, true, Form::Compares(|x, y| x <= y)),
    (Op::LogicalEqual, false, Form::Truths(|x, y| x == y)),
    (Op::LogicalNotEqual, false, Form::Truths(|x, y| x != y)),
    (Op::LogicalOr, false, Form::Truths(|x, y| x || y)),
    (Op::LogicalAnd, false, Form::Truths(|x, y| x && y)),
    (Op::Any, false, Form::Of(|all| all.contains(&true))),
    (Op::All, false, Form::Of(|all| !all.contains(&false))),
    (Op::Select, false, Form::Chooses),
    (
        Op::UConvert,
        false,
        Form::Resizes {
            from: false,
            to: false,
            nearest: false,
        },
    ),
    (
        Op::SConvert,
        false,
        Form::Resizes {
            from: true,
            to: true,
            nearest: false,
        },
    ),
    (
        Op::SatConvertSToU,
        false,
        Form::Resizes {
            from: true,
            to: false,
            nearest: true,
        },
    ),
    (
        Op::SatConvertUToS,
        false,
        Form::Resizes {
            from: false,
            to: true,
            nearest: true,
        },
    ),
    (Op::IsNan, false, Form::Judges(f64::is_nan)),
    (Op::IsInf, false, Form::Judges(f64::is_infinite)),
    (Op::IsFinite, false, Form::Judges(f64::is_finite)),
    (Op::IsNormal, false, Form::Judges(is_normal)),
    (Op::SignBitSet, false, Form::Judges(f64::is_sign_negative)),
    (
        Op::LessOrGreater,
        false,
        Form::Orders(|x, y| x < y || x > y),
    ),
    (
        Op::Ordered,
        false,
        Form::Orders(|x, y| !x.is_nan() && !y.is_nan()),
    ),
    (
        Op::Unordered,
        false,
        Form::Orders(|x, y| x.is_nan() || y.is_nan()),
    ),
    (Op::FOrdEqual, false, Form::Orders(|x, y| x == y)),
    (Op::FOrdNotEqual, false, Form::Orders(|x, y| x < y || x > y)),
    (Op::FOrdLessThan, false, Form::Orders(|x, y| x < y)),
    (Op::FOrdGreaterThan, false, Form::Orders(|x, y| x > y)),
    (Op::FOrdLessThanEqual, false, Form::Orders(|x, y| x <= y)),
    (Op::FOrdGreaterThanEqual, false, Form::Orders(|x, y| x >= y)),
    (
        Op::FUnordEqual,
        false,
        Form::Orders(|x, y| !(x < y || x > y)),
    ),
    (Op::FUnordNotEqual, false, Form::Orders(|x, y| x != y)),
    (
        Op::FUnordLessThan,
        false,
        Form::Orders(|x, y| x.is_nan() || y.is_nan() || x < y),
    ),
    (
        Op::FUnordGreaterThan,
        false,
        Form::Orders(|x, y| x.is_nan() || y.is_nan() || x > y),
    ),
    (
        Op::FUnordLessThanEqual,
        false,
        Form::Orders(|x, y| x.is_nan() || y.is_nan() || x <= y),
    ),
    (
        Op::FUnordGreaterThanEqual,
        false,
        Form::Orders(|x, y| x.is_nan() || y.is_nan() || x >= y),
    ),
    (Op::FAdd, false, Form::Computes(|x, y| x + y)),
    (Op::FSub, false, Form::Computes(|x, y| x - y)),
    (Op::FMul, false, Form::Computes(|x, y| x * y)),
    (Op::FRem, false, Form::Computes(|x, y| x % y)),
    (Op::ConvertFToU, false, Form::ToWhole { signed: false }),
    (Op::ConvertFToS, false, Form::ToWhole { signed: true }),
    (Op::ConvertUToF, false, Form::FromWhole { signed: false }),
    (Op::ConvertSToF, false, Form::FromWhole { signed: true }),
    (Op::FConvert, false, Form::Reformats),
    (Op::VectorShuffle, false, Form::Shuffles),
    (Op::VectorExtractDynamic, false, Form::Extracts),
    (Op::VectorInsertDynamic, false, Form::Inserts),
];

/// The type of an operand or of a result.
#[derive(Clone, Copy, PartialEq)]
enum Lane {
    Integer(Integer),
    Real(Format),
    Truth,
}

/// An operand: its type, its lanes, and the bits that each work-item has in each of them.
struct Given {
    of: Lane,
    lanes: usize,
    bits: Vec<Vec<u64>>,
}

/// An instruction in a kernel.
struct Piece {
    op: Op,
    given: Vec<Given>,
    literals: Vec<u32>,
    of: Lane,
    lanes: usize,
    /// What each work-item gets in each lane.
    wanted: Vec<Vec<u64>>,
}

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
    fn draw(
        choices: &mut Choices,
        (op, signed, form): Row,
        turn: usize,
        formats: &[Format],
    ) -> Piece {
        let lanes = [1, 4, 2, 3, 1][turn % 5];
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
                let given = Given::reals(choices, format, lanes, &REALS[..11]);
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
            Form::Inserts => {
                let lanes = lanes.max(2);
                let given = Given::integers(choices, own, lanes);
                let one = Given::integers(choices, own, 1);
                let place = Given::places(choices, lanes);
                (vec![given, one, place], Lane::Integer(own), lanes)
            }
        };
        let literals: Vec<u32> = match form {
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
            Form::Inserts if bits(2, 0) as usize == lane => bits(1, 0),
            Form::Inserts => bits(0, lane),
        };
        (0..self.lanes).map(lane).collect()
    }

    /// Its name and its types, as in `OpSDiv of 4 numbers of 16 bits`.
    fn name(&self) -> String {
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

/// A module that is being made.
struct Module {
    b: Builder,
    /// The type of 64 bits, and a pointer to such memory.
    long: Word,
    /// The work-item's number, and the pointer to the operands of all.
    id: Word,
    from: Word,
    /// Numbers of operands so far, of each work-item.
    read: u64,
}

impl Module {
    fn lane(&mut self, of: Lane) -> Word {
        match of {
            Lane::Integer(of) => self.b.type_int(of.bits.into(), 0),
            Lane::Real(format) => self.b.type_float(8 * format.bytes() as u32, None),
            Lane::Truth => self.b.type_bool(),
        }
    }

    fn type_of(&mut self, of: Lane, lanes: usize) -> Word {
        let lane = self.lane(of);
        match lanes {
            1 => lane,
            n => self.b.type_vector(lane, n as u32),
        }
    }

    /// Appends an instruction, and gives its result.
    fn push(&mut self, op: Op, ty: Word, operands: Vec<Operand>) -> Result<Word, Error> {
        let id = self.b.id();
        let built = Built::new(op, Some(ty), Some(id), operands);
        self.b.insert_into_block(InsertPoint::End, built)?;
        Ok(id)
    }

    /// The address of a work-item's number so many arrays of one for each behind the beginning.
    fn place(&mut self, of: Word, array: u64) -> Result<Word, Error> {
        let pointer = self
            .b
            .type_pointer(None, StorageClass::CrossWorkgroup, self.long);
        let first = self.b.constant_bit64(self.long, array * ITEMS as u64);
        let at = self.b.i_add(self.long, None, self.id, first)?;
        self.b
            .in_bounds_ptr_access_chain(pointer, None, of, at, vec![])
    }

    /// The next operand.
    fn operand(&mut self, given: &Given) -> Result<Word, Error> {
        let mut lanes = Vec::new();
        for _ in 0..given.lanes {
            let at = self.place(self.from, self.read)?;
            self.read += 1;
            let access = Some(MemoryAccess::ALIGNED);
            let aligned = vec![Operand::LiteralBit32(8)];
            let long = self.b.load(self.long, None, at, access, aligned)?;
            let bits = match given.of {
                Lane::Integer(of) => of.bits,
                Lane::Real(format) => 8 * format.bytes() as u8,
                Lane::Truth => 64,
            };
            let word = self.b.type_int(bits.into(), 0);
            let narrow = match bits {
                64 => long,
                _ => self.b.u_convert(word, None, long)?,
            };
            let ty = self.lane(given.of);
            lanes.push(match given.of {
                Lane::Integer(_) => narrow,
                Lane::Real(_) => self.b.bitcast(ty, None, narrow)?,
                Lane::Truth => {
                    let zero = self.b.constant_bit64(self.long, 0);
                    self.b.i_not_equal(ty, None, narrow, zero)?
                }
            });
        }
        match lanes[..] {
            [one] => Ok(one),
            _ => {
                let ty = self.type_of(given.of, given.lanes);
                self.b.composite_construct(ty, None, lanes)
            }
        }
    }

    /// Writes what an instruction gives.
    fn store(&mut self, piece: &Piece, result: Word, to: Word) -> Result<(), Error> {
        let ty = self.lane(piece.of);
        for lane in 0..piece.lanes {
            let one = match piece.lanes {
                1 => result,
                _ => self.b.composite_extract(ty, None, result, [lane as u32])?,
            };
            let (one, bits) = match piece.of {
                Lane::Integer(of) => (one, of.bits),
                Lane::Real(format) => {
                    let bits = 8 * format.bytes() as u8;
                    let word = self.b.type_int(bits.into(), 0);
                    (self.b.bitcast(word, None, one)?, bits)
                }
                Lane::Truth => {
                    let [no, yes] = [0, 1].map(|n| self.b.constant_bit64(self.long, n));
                    (self.b.select(self.long, None, one, yes, no)?, 64)
                }
            };
            let long = match bits {
                64 => one,
                _ => self.b.u_convert(self.long, None, one)?,
            };
            let at = self.place(to, lane as u64)?;
            let aligned = vec![Operand::LiteralBit32(8)];
            self.b
                .store(at, long, Some(MemoryAccess::ALIGNED), aligned)?;
        }
        Ok(())
    }
}

/// A module with the kernel `apply(global ulong *from, global ulong *to, …)`, which leaves what each instruction gives in
/// memory of its own.
fn module(pieces: &[Piece]) -> Result<Vec<u32>, Error> {
    let mut b = Builder::new();
    b.set_version(1, 0);
    let lanes = |of: Lane| {
        let mut pieces = pieces.iter();
        pieces.any(|one| one.of == of || one.given.iter().any(|given| given.of == of))
    };
    let bits = |n: u8| {
        let mut all = INTEGERS.into_iter();
        let format = FORMATS
            .into_iter()
            .find(|f| 8 * f.bytes() == usize::from(n));
        all.any(|of| of.bits == n && lanes(Lane::Integer(of)))
            || format.is_some_and(|format| lanes(Lane::Real(format)))
    };
    let mut all = vec![Capability::Kernel, Capability::Addresses, Capability::Int64];
    all.extend(bits(8).then_some(Capability::Int8));
    all.extend(bits(16).then_some(Capability::Int16));
    all.extend(lanes(Lane::Real(Format::Half)).then_some(Capability::Float16));
    all.extend(lanes(Lane::Real(Format::Double)).then_some(Capability::Float64));
    all.into_iter().for_each(|one| b.capability(one));
    b.memory_model(AddressingModel::Physical64, MemoryModel::OpenCL);
    let void = b.type_void();
    let long = b.type_int(64, 0);
    let three = b.type_vector(long, 3);
    let input = b.type_pointer(None, StorageClass::Input, three);
    let global = b.type_pointer(None, StorageClass::CrossWorkgroup, long);
    let kind = b.type_function(void, vec![global; pieces.len() + 1]);
    let ids = b.variable(input, None, StorageClass::Input, None);
    let builtin = Operand::BuiltIn(BuiltIn::GlobalInvocationId);
    b.decorate(ids, Decoration::BuiltIn, vec![builtin]);
    b.decorate(ids, Decoration::Constant, vec![]);
    let kernel = b.begin_function(void, None, FunctionControl::NONE, kind)?;
    let from = b.function_parameter(global)?;
    let mut to = Vec::new();
    for _ in pieces {
        to.push(b.function_parameter(global)?);
    }
    b.begin_block(None)?;
    let aligned = vec![Operand::LiteralBit32(32)];
    let all = b.load(three, None, ids, Some(MemoryAccess::ALIGNED), aligned)?;
    let id = b.composite_extract(long, None, all, vec![0])?;
    let mut module = Module {
        b,
        long,
        id,
        from,
        read: 0,
    };
    for (piece, to) in pieces.iter().zip(to) {
        let mut operands = Vec::new();
        for given in &piece.given {
            operands.push(Operand::IdRef(module.operand(given)?));
        }
        operands.extend(piece.literals.iter().map(|n| Operand::LiteralBit32(*n)));
        let ty = module.type_of(piece.of, piece.lanes);
        let result = module.push(piece.op, ty, operands)?;
        module.store(piece, result, to)?;
    }
    let mut b = module.b;
    b.ret()?;
    b.end_function()?;
    b.entry_point(ExecutionModel::Kernel, kernel, "apply", vec![ids]);
    Ok(b.module().assemble())
}

/// What a kernel of instructions computes, of which each of a few cases has others.
pub fn instructions(choices: &mut Choices) -> KernelCase {
    let mut case = CaseBuilder::new("a kernel from SPIR-V computes what each instruction says");
    case.need(&[Need::Il, Need::Bits64]);
    let first = choices.below(ALL.len());
    let turn = choices.below(60);
    let formats: &[Format] = match choices.below(4) {
        0 => &[Format::Float],
        1 => &[Format::Half, Format::Float],
        _ => &[Format::Float, Format::Double],
    };
    let pieces: Vec<Piece> = (0..TOGETHER)
        .map(|n| {
            // Next to each other are those of one sort: a case has some of each.
            let row = ALL[(first + n * ALL.len() / TOGETHER) % ALL.len()];
            Piece::draw(choices, row, turn + n, formats)
        })
        .collect();
    for piece in &pieces {
        for of in piece.given.iter().map(|given| given.of).chain([piece.of]) {
            match of {
                Lane::Real(format) => {
                    case.need_type(format.name());
                }
                Lane::Integer(_) | Lane::Truth => {}
            }
        }
    }
    // Every instruction stands in a function or at its place: building does not fail.
    case.case.module = module(&pieces).unwrap_or_default();
    let mut all = Vec::new();
    for given in pieces.iter().flat_map(|piece| &piece.given) {
        for lane in 0..given.lanes {
            all.extend(given.bits.iter().map(|item| item[lane]));
        }
    }
    let from = case.object(Kind::Buffer, 8 * all.len(), Contents::Longs(all));
    let mut args = vec![Arg::from(from)];
    let mut looks = Vec::new();
    for piece in &pieces {
        let to = case.buffer(8 * ITEMS * piece.lanes);
        args.push(Arg::from(to));
        let lanes = 0..piece.lanes;
        let wanted: Vec<u64> = lanes
            .flat_map(|lane| piece.wanted.iter().map(move |item| item[lane]))
            .collect();
        looks.push((to, format!("what {} gave", piece.name()), wanted));
    }
    case.launch("apply", args, Range::new(vec![ITEMS as u64], None));
    for (to, name, wanted) in looks {
        let want = Want::same(Unit::Long, Contents::Longs(wanted));
        case.look(to, &[rule::KIND_IL], &name, want);
    }
    case.case
}
