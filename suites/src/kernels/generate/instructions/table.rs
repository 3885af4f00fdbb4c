//! The instructions, with what each is given and what it gives.

use rspirv::spirv::Op;

/// What an instruction is given and what it gives, lane by lane but where it says otherwise.
#[derive(Clone, Copy)]
pub(super) enum Form {
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
    /// Two integers of a type of so many bits; two of them, side by side.
    Pairs(fn(i128, i128, u32) -> [i128; 2]),
    /// An integer, and places of a type of any size by which it is shifted; the same type.
    Shifts(fn(i128, i128) -> i128),
    /// A vector of numbers with a fraction, and one such number; their products.
    Scales,
    /// A `float`; the same where a half is the same number, and an infinity where it is beyond all of these.
    Quantizes,
    /// Two integers and a number of turns of a loop, each of which exchanges them, or adds the first to the second that
    /// becomes the first; the first.
    Turns,
    /// Two vectors of numbers with a fraction; the sum of the products of their lanes.
    Dots,
    /// A vector; the same, put lane by lane into a value that is undefined.
    Fills,
    /// A truth and two integers: one of them, from the branch that it takes.
    Branches,
    /// A word in memory that an atomic function changes so; what it gives, and in the upper half what it leaves.
    Steps(fn(i128) -> i128),
    /// A number below 8; in its bits that are not as they were, what a flag gives that is clear, set, and clear again.
    Flags,
    /// Three lanes that are put into a member of a structure, an array, and a place; the one there.
    Members,
}

/// What the second operand may be.
#[derive(Clone, Copy)]
pub(super) enum Second {
    Any,
    /// Below the number of bits.
    Shift,
    /// Anything but 0, and but -1 of signed types.
    Divisor,
}

/// An instruction, with the signedness of its integers where that matters.
pub(super) type Row = (Op, bool, Form);

fn floored(x: i128, y: i128) -> i128 {
    let rest = x % y;
    if rest != 0 && (rest < 0) != (y < 0) {
        rest + y
    } else {
        rest
    }
}

/// Whether one is less than the other: a NaN is not.
fn differ(x: f64, y: f64) -> bool {
    x.partial_cmp(&y).is_some_and(std::cmp::Ordering::is_ne)
}

fn is_normal(x: f64) -> bool {
    // No operand is so small that it is not normal.
    x.is_finite() && x != 0.0
}

/// Every one ("SPIR-V Specification, Instructions").
pub(super) const ALL: &[Row] = &[
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
    (Op::Phi, false, Form::Turns),
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
    (Op::LessOrGreater, false, Form::Orders(differ)),
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
    (Op::FOrdNotEqual, false, Form::Orders(differ)),
    (Op::FOrdLessThan, false, Form::Orders(|x, y| x < y)),
    (Op::FOrdGreaterThan, false, Form::Orders(|x, y| x > y)),
    (Op::FOrdLessThanEqual, false, Form::Orders(|x, y| x <= y)),
    (Op::FOrdGreaterThanEqual, false, Form::Orders(|x, y| x >= y)),
    (Op::FUnordEqual, false, Form::Orders(|x, y| !differ(x, y))),
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
    (Op::Phi, false, Form::Turns),
    (Op::FAdd, false, Form::Computes(|x, y| x + y)),
    (Op::FSub, false, Form::Computes(|x, y| x - y)),
    (Op::FMul, false, Form::Computes(|x, y| x * y)),
    (Op::FRem, false, Form::Computes(|x, y| x % y)),
    (Op::ConvertFToU, false, Form::ToWhole { signed: false }),
    (Op::ConvertFToS, false, Form::ToWhole { signed: true }),
    (Op::ConvertUToF, false, Form::FromWhole { signed: false }),
    (Op::ConvertSToF, false, Form::FromWhole { signed: true }),
    (Op::FConvert, false, Form::Reformats),
    (Op::Phi, false, Form::Turns),
    (Op::VectorShuffle, false, Form::Shuffles),
    (Op::VectorExtractDynamic, false, Form::Extracts),
    (Op::VectorInsertDynamic, false, Form::Inserts),
];

/// Such as no translator makes of OpenCL C, and few implementations are asked for: a case has one of them alone.
pub(super) const RARE: &[Row] = &[
    (
        Op::IAddCarry,
        false,
        Form::Pairs(|x, y, bits| [x + y, (x + y) >> bits]),
    ),
    (
        Op::ISubBorrow,
        false,
        Form::Pairs(|x, y, _| [x - y, i128::from(x < y)]),
    ),
    (
        Op::UMulExtended,
        false,
        Form::Pairs(|x, y, bits| {
            let product = x.unsigned_abs() * y.unsigned_abs();
            [product as i128, (product >> bits) as i128]
        }),
    ),
    (
        Op::SMulExtended,
        true,
        Form::Pairs(|x, y, bits| [x * y, (x * y) >> bits]),
    ),
    (Op::ShiftLeftLogical, false, Form::Shifts(|x, by| x << by)),
    (Op::ShiftRightLogical, false, Form::Shifts(|x, by| x >> by)),
    (
        Op::ShiftRightArithmetic,
        true,
        Form::Shifts(|x, by| x >> by),
    ),
    (
        Op::FMod,
        false,
        // Of these numbers every step is exact.
        Form::Computes(|x, y| x - y * (x / y).floor()),
    ),
    (Op::VectorTimesScalar, false, Form::Scales),
    (Op::QuantizeToF16, false, Form::Quantizes),
    (Op::Dot, false, Form::Dots),
    (Op::Undef, false, Form::Fills),
    (Op::SelectionMerge, false, Form::Branches),
    (Op::AtomicIIncrement, false, Form::Steps(|x| x + 1)),
    (Op::AtomicIDecrement, false, Form::Steps(|x| x - 1)),
    (Op::AtomicFlagTestAndSet, false, Form::Flags),
    (Op::AccessChain, false, Form::Members),
    (Op::InBoundsAccessChain, false, Form::Members),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_low_and_high_parts() {
        let pair = |op: Op, x: i128, y: i128| {
            let mut rows = RARE.iter().filter(|(own, ..)| *own == op);
            match rows.next() {
                Some((_, _, Form::Pairs(apply))) => apply(x, y, 8),
                _ => panic!("{op:?} gives no pair"),
            }
        };
        assert_eq!(pair(Op::UMulExtended, 255, 255), [65025, 254]);
        assert_eq!(pair(Op::SMulExtended, -2, 3), [-6, -1]);
        assert_eq!(pair(Op::IAddCarry, 200, 100), [300, 1]);
        assert_eq!(pair(Op::IAddCarry, 200, 55), [255, 0]);
        assert_eq!(pair(Op::ISubBorrow, 0, 1), [-1, 1]);
        assert_eq!(pair(Op::ISubBorrow, 1, 1), [0, 0]);
    }
}
