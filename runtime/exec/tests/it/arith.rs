//! Operations against Rust's, through the whole interpreter.

use crate::support::*;
use proptest::prelude::*;
use std::sync::Arc;
use touchstone_exec::{Arg, Executable, Launch, LaunchError, TrapKind, ZeroDivision};
use touchstone_ir::{
    Cmp, Const, FloatOp, FunctionBuilder, IntOp, Intrinsic, Lanes, Loc, NumKind, Op, Operand,
    Query, Reg, Rounding, Scalar, Type, UnaryOp,
};

/// A kernel that applies operations to the values in the first two longs of a
/// buffer and stores their results in the longs from the third on.
fn binary(
    ty: Type,
    count: usize,
    results: impl Fn(&mut FunctionBuilder, Reg, Reg) -> Vec<Reg>,
) -> Arc<Executable> {
    let mut b = kernel(&[BUFFER]);
    let second = b.ptr_offset(b.param(0), 8);
    let x = b.load(ty, b.param(0));
    let y = b.load(ty, second);
    let results = results(&mut b, x, y);
    assert_eq!(results.len(), count);
    for (i, r) in results.into_iter().enumerate() {
        let p = b.ptr_offset(b.param(0), 16 + 8 * i as i64);
        b.store(p, r);
    }
    b.ret(None);
    prepare(module(b))
}

fn apply(exe: &Arc<Executable>, x: u64, y: u64, results: usize) -> Result<Vec<u64>, LaunchError> {
    apply_with(exe, x, y, results, ZeroDivision::Trap)
}

fn apply_with(
    exe: &Arc<Executable>,
    x: u64,
    y: u64,
    results: usize,
    zero_division: ZeroDivision,
) -> Result<Vec<u64>, LaunchError> {
    let mut longs = vec![x, y];
    longs.resize(2 + results, 0);
    let buffer = Longs::of(&longs);
    let mut launch = Launch::linear(
        exe.kernel("k").expect("k").id,
        vec![Arg::Pointer(buffer.address())],
        1,
        1,
        buffer.map(),
    );
    launch.zero_division = zero_division;
    pool(1).run(exe, launch)?;
    Ok(buffer.all()[2..].to_vec())
}

const INT_OPS: [IntOp; 13] = [
    IntOp::Add,
    IntOp::Sub,
    IntOp::Mul,
    IntOp::SDiv,
    IntOp::UDiv,
    IntOp::SRem,
    IntOp::URem,
    IntOp::And,
    IntOp::Or,
    IntOp::Xor,
    IntOp::Shl,
    IntOp::AShr,
    IntOp::LShr,
];

const INT_CMPS: [Cmp; 10] = [
    Cmp::Eq,
    Cmp::Ne,
    Cmp::SLt,
    Cmp::SLe,
    Cmp::SGt,
    Cmp::SGe,
    Cmp::ULt,
    Cmp::ULe,
    Cmp::UGt,
    Cmp::UGe,
];

const FLOAT_CMPS: [Cmp; 9] = [
    Cmp::FEq,
    Cmp::FNe,
    Cmp::FLt,
    Cmp::FLe,
    Cmp::FGt,
    Cmp::FGe,
    Cmp::FLtGt,
    Cmp::FOrdered,
    Cmp::FUnordered,
];

/// Numbers where arithmetic has corners.
fn corner() -> impl Strategy<Value = u64> {
    prop_oneof![
        any::<u64>(),
        0u64..20,
        (0u64..20).prop_map(|x| x.wrapping_neg()),
        (0u32..64).prop_map(|s| 1 << s),
        (0u32..64).prop_map(|s| (1u64 << s).wrapping_sub(1)),
    ]
}

macro_rules! integer_test {
    ($name:ident, $u:ty, $s:ty, $ty:expr) => {
        #[test]
        fn $name() {
            let exe = binary($ty, 26, |b, x, y| {
                let mut out = Vec::new();
                for op in INT_OPS {
                    out.push(b.int(op, x, y));
                }
                for cmp in INT_CMPS {
                    let c = b.compare(cmp, x, y);
                    out.push(b.convert(c, NumKind::Unsigned, Type::I64, NumKind::Unsigned));
                }
                out.push(b.unary(UnaryOp::Neg, x));
                out.push(b.unary(UnaryOp::Not, x));
                out.push(b.convert(x, NumKind::Signed, Type::I64, NumKind::Signed));
                out
            });
            proptest!(|(x in corner(), y in corner())| {
                let (a, b) = (x as $u, y as $u);
                let (sa, sb) = (a as $s, b as $s);
                let result = apply(&exe, x, y, 26);
                if b == 0 {
                    let Err(LaunchError::Trap(trap)) = result else {
                        panic!("no trap: {result:?}");
                    };
                    prop_assert_eq!(trap.kind, TrapKind::DivisionByZero);
                    // Quotients and remainders are at 3 to 6 of the results.
                    let told = apply_with(&exe, x, y, 26, ZeroDivision::Continue)?;
                    let expected = [0, 0, a as u64, a as u64];
                    prop_assert_eq!(&told[3..7], &expected);
                    return Ok(());
                }
                let bits = <$u>::BITS;
                let shift = (y % u64::from(bits)) as u32;
                let expected: Vec<u64> = [
                    a.wrapping_add(b),
                    a.wrapping_sub(b),
                    a.wrapping_mul(b),
                    sa.wrapping_div(sb) as $u,
                    a / b,
                    sa.wrapping_rem(sb) as $u,
                    a % b,
                    a & b,
                    a | b,
                    a ^ b,
                    a << shift,
                    (sa >> shift) as $u,
                    a >> shift,
                ]
                .map(u64::from)
                .into_iter()
                .chain(
                    [
                        a == b, a != b, sa < sb, sa <= sb, sa > sb, sa >= sb, a < b, a <= b, a > b,
                        a >= b,
                    ]
                    .map(u64::from),
                )
                .chain([u64::from(a.wrapping_neg()), u64::from(!a), sa as i64 as u64])
                .collect();
                prop_assert_eq!(result.expect("runs"), expected);
            });
        }
    };
}

#[allow(clippy::useless_conversion)]
mod integers {
    use super::*;
    integer_test!(i8s, u8, i8, Type::I8);
    integer_test!(i16s, u16, i16, Type::I16);
    integer_test!(i32s, u32, i32, Type::I32);
    integer_test!(i64s, u64, i64, Type::I64);
}

/// Bit patterns with many zeros, infinities and NaNs.
fn float_bits() -> impl Strategy<Value = f64> {
    prop_oneof![
        any::<f64>(),
        (-100i32..100).prop_map(f64::from),
        Just(0.0),
        Just(-0.0),
        Just(f64::INFINITY),
        Just(f64::NEG_INFINITY),
        Just(f64::NAN),
    ]
}

macro_rules! float_test {
    ($name:ident, $f:ty, $ty:expr) => {
        #[test]
        fn $name() {
            let exe = binary($ty, 14, |b, x, y| {
                let mut out = Vec::new();
                for op in [FloatOp::Add, FloatOp::Sub, FloatOp::Mul, FloatOp::Div] {
                    out.push(b.float(op, x, y));
                }
                for cmp in FLOAT_CMPS {
                    let c = b.compare(cmp, x, y);
                    out.push(b.convert(c, NumKind::Unsigned, Type::I64, NumKind::Unsigned));
                }
                out.push(b.unary(UnaryOp::FNeg, x));
                out
            });
            // NaNs are equal here: their bits are open.
            let same = |got: u64, expected: $f| {
                let got = <$f>::from_bits(got as _);
                (got.is_nan() && expected.is_nan()) || got.to_bits() == expected.to_bits()
            };
            proptest!(|(x in float_bits(), y in float_bits())| {
                let (a, b) = (x as $f, y as $f);
                let got = apply(&exe, a.to_bits().into(), b.to_bits().into(), 14).expect("runs");
                for (got, expected) in got.iter().zip([a + b, a - b, a * b, a / b]) {
                    prop_assert!(same(*got, expected), "{a} {b}: {got:#x} {expected}");
                }
                let nan = a.is_nan() || b.is_nan();
                let tests = [
                    a == b, a != b, a < b, a <= b, a > b, a >= b, a.partial_cmp(&b).is_some_and(|o| o.is_ne()), !nan, nan,
                ];
                prop_assert_eq!(&got[4..13], &tests.map(u64::from));
                prop_assert!(same(got[13], -a));
            });
        }
    };
}

float_test!(f32s, f32, Type::F32);
float_test!(f64s, f64, Type::F64);

#[test]
fn halves_are_rounded_after_each_operation() {
    let exe = binary(Type::F16, 2, |b, x, y| {
        vec![b.float(FloatOp::Add, x, y), b.float(FloatOp::Mul, x, y)]
    });
    let h = |x: f32| u64::from(half::f16::from_f32(x).to_bits());
    let got = apply(&exe, h(2048.0), h(1.0), 2).expect("runs");
    assert_eq!(got, [h(2048.0), h(2048.0)]);
    let got = apply(&exe, h(1.5), h(0.25), 2).expect("runs");
    assert_eq!(got, [h(1.75), h(0.375)]);
}

#[test]
fn integer_functions() {
    use Intrinsic::*;
    let two = [
        SAbsDiff, UAbsDiff, SAddSat, UAddSat, SSubSat, USubSat, SHadd, UHadd, SRhadd, URhadd, SMax,
        UMax, SMin, UMin, SMulHi, UMulHi, Rotate,
    ];
    let exe = binary(Type::I32, two.len() + 5, |b, x, y| {
        let mut out: Vec<Reg> = two
            .iter()
            .map(|&i| b.intrinsic(i, vec![x.into(), y.into()]))
            .collect();
        for i in [SAbs, Clz, Ctz, Popcount, BitReverse] {
            out.push(b.intrinsic(i, vec![x.into()]));
        }
        out
    });
    proptest!(|(x in corner(), y in corner())| {
        let (a, b) = (x as u32, y as u32);
        let (sa, sb) = (a as i32, b as i32);
        let (wa, wb) = (i64::from(sa), i64::from(sb));
        let (ua, ub) = (u64::from(a), u64::from(b));
        let expected = [
            sa.abs_diff(sb),
            a.abs_diff(b),
            sa.saturating_add(sb) as u32,
            a.saturating_add(b),
            sa.saturating_sub(sb) as u32,
            a.saturating_sub(b),
            ((wa + wb) >> 1) as u32,
            ((ua + ub) >> 1) as u32,
            ((wa + wb + 1) >> 1) as u32,
            ((ua + ub + 1) >> 1) as u32,
            sa.max(sb) as u32,
            a.max(b),
            sa.min(sb) as u32,
            a.min(b),
            ((wa * wb) >> 32) as u32,
            ((ua * ub) >> 32) as u32,
            a.rotate_left(b % 32),
            sa.unsigned_abs(),
            a.leading_zeros(),
            a.trailing_zeros(),
            a.count_ones(),
            (0..32).fold(0, |r, bit| r | (a >> bit & 1) << (31 - bit)),
        ];
        let got = apply(&exe, x, y, expected.len()).expect("runs");
        prop_assert_eq!(got, expected.map(u64::from).to_vec());
    });
}

#[test]
fn conversions_saturate_and_round() {
    let exe = binary(Type::F64, 4, |b, x, _| {
        let mut convert = |ty, to, rounding, saturate| {
            b.emit(
                ty,
                Op::Convert {
                    value: x.into(),
                    from: NumKind::Float,
                    to,
                    rounding,
                    saturate,
                },
            )
        };
        vec![
            convert(Type::I8, NumKind::Unsigned, Rounding::NearestEven, true),
            convert(Type::I32, NumKind::Signed, Rounding::Down, true),
            convert(Type::I64, NumKind::Signed, Rounding::Default, false),
            convert(Type::F32, NumKind::Float, Rounding::Up, false),
        ]
    });
    proptest!(|(x in -1e6f64..1e6)| {
        let got = apply(&exe, x.to_bits(), 0, 4).expect("runs");
        prop_assert_eq!(got[0], u64::from(x.round_ties_even() as u8));
        prop_assert_eq!(got[1], u64::from(x.floor() as i32 as u32));
        prop_assert_eq!(got[2], x as i64 as u64);
        let up = f32::from_bits(got[3] as u32);
        prop_assert!(f64::from(up) >= x && f64::from(up.next_down()) < x);
    });
}

/// Vector operations are those of the elements; comparisons give -1.
#[test]
fn vectors_work_by_element() {
    let v4 = Type::Vector(Scalar::I16, Lanes::L4);
    let exe = binary(v4, 7, |b, x, y| {
        let sum = b.int(IntOp::Add, x, y);
        let less = b.compare(Cmp::SLt, x, y);
        let min = b.select(less, x, y);
        let any = b.intrinsic(Intrinsic::Any, vec![less.into()]);
        let all = b.intrinsic(Intrinsic::All, vec![less.into()]);
        let wide = b.bitcast(x, Type::I64);
        let swapped = b.emit(v4, Op::Shuffle(x.into(), y.into(), vec![7, 0, 5, 2]));
        vec![sum, less, min, any, all, wide, swapped]
    });
    proptest!(|(x: u64, y: u64)| {
        let lanes = |v: u64| -> [i16; 4] { std::array::from_fn(|i| (v >> (16 * i)) as i16) };
        let pack = |v: [i16; 4]| v.iter().rev().fold(0u64, |p, &e| p << 16 | u64::from(e as u16));
        let (a, b) = (lanes(x), lanes(y));
        let less: [bool; 4] = std::array::from_fn(|i| a[i] < b[i]);
        let expected = [
            pack(std::array::from_fn(|i| a[i].wrapping_add(b[i]))),
            pack(less.map(|l| -i16::from(l))),
            pack(std::array::from_fn(|i| a[i].min(b[i]))),
            less.contains(&true).into(),
            (!less.contains(&false)).into(),
            x,
            pack([b[3], a[0], b[1], a[2]]),
        ];
        prop_assert_eq!(apply(&exe, x, y, 7).expect("runs"), expected.to_vec());
    });
}

/// Elements at an index read at run time; the index wraps.
#[test]
fn elements_have_dynamic_indices() {
    let mut b = kernel(&[BUFFER]);
    let gid = b.query(Query::GlobalId, Const::i32(0));
    let elements = (0..8).map(|i| Operand::Const(Const::i32(10 * i))).collect();
    let v = b.emit(
        Type::Vector(Scalar::I32, Lanes::L8),
        Op::Construct(elements),
    );
    let next = b.int(IntOp::Add, gid, Const::i64(1));
    let v = b.insert(v, next, Const::i32(7));
    let e = b.extract(v, gid);
    let f = b.extract(v, next);
    let sum = b.int(IntOp::Add, e, f);
    let p = b.ptr_add(b.param(0), gid, 4, 0);
    b.store(p, sum);
    b.ret(None);
    let words = Words::new(9);
    run_on(&prepare(module(b)), 1, 9, 3, &words).expect("runs");
    assert_eq!(words.all(), [7, 17, 27, 37, 47, 57, 67, 77, 7]);
}

#[test]
fn division_by_zero_says_where() {
    let mut b = kernel(&[BUFFER]);
    b.set_loc(Loc::new(12, 5));
    let z = b.load(Type::I32, b.param(0));
    b.int(IntOp::URem, Const::i32(1), z);
    b.ret(None);
    let words = Words::new(1);
    let error = run_on(&prepare(module(b)), 1, 1, 1, &words).expect_err("traps");
    assert_eq!(
        error.to_string(),
        "kernel k, work-item [0, 0, 0]: integer division by zero, in k at 12:5"
    );
}
