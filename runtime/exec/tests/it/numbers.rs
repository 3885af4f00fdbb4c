//! Both engines convert numbers and compute built-in functions alike, for all types, roundings and
//! numbers at the edges.

use crate::support::*;
use touchstone_exec::{Arg, Engine, Launch};
use touchstone_ir::intrinsic::Signature;
use touchstone_ir::{
    Const, FunctionBuilder, Intrinsic, Module, NumKind, Op, Operand, Query, Reg, Rounding, Scalar,
    Type,
};

/// Bits that are numbers at the edges of some type, and others.
fn samples() -> Vec<u64> {
    let mut bits: Vec<u64> = vec![0, 1, 2, 3, 7, 8, 100, 0xff, 0x8000_0000_0000_0000, u64::MAX];
    for edge in [7, 8, 15, 16, 24, 31, 32, 53, 62, 63] {
        for near in -2i64..=2 {
            let n = (1i128 << edge) + i128::from(near);
            bits.push(n as u64);
            bits.push((-n) as u64);
            for half in [0.0, 0.5, 0.49] {
                bits.push((n as f64 + half).to_bits());
                bits.push((-(n as f64) - half).to_bits());
                bits.push(u64::from((n as f32 + half as f32).to_bits()));
                bits.push(u64::from((-(n as f32) - half as f32).to_bits()));
            }
        }
    }
    for f in [
        0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 1e-40, 1e-310, 3.9e9, 1e19, 1.9e19, 1e30, 1e300,
    ] {
        bits.push(f64::to_bits(f));
        bits.push(u64::from((f as f32).to_bits()));
    }
    for f in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.0] {
        bits.push(f.to_bits());
        bits.push(u64::from((f as f32).to_bits()));
    }
    let mut state = 1u64;
    bits.extend((0..150).map(|_| {
        state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
        state ^ (state >> 29)
    }));
    bits
}

/// What a kernel leaves that reads operands of a type from three places and stores what is made of them.
fn results(
    samples: &[u64],
    source: Scalar,
    make: &dyn Fn(&mut FunctionBuilder, &[Operand]) -> Reg,
    engine: Engine,
) -> Vec<u64> {
    let mut b = kernel(&[BUFFER, BUFFER]);
    let gid = b.query(Query::GlobalId, Const::i32(0));
    let n = samples.len() as i64;
    let operands: Vec<Operand> = (0..3)
        .map(|k| {
            let from = b.ptr_add(b.param(0), gid, 8, k * n * 8);
            b.load(Type::Scalar(source), from).into()
        })
        .collect();
    let made = make(&mut b, &operands);
    let to = b.ptr_add(b.param(1), gid, 8, 0);
    b.store(to, made);
    b.ret(None);
    let m: Module = module(b);
    // The second and third operands are others than the first.
    let turned = |by: usize| (0..samples.len()).map(move |i| samples[(i * 7 + by) % samples.len()]);
    let from: Vec<u64> = samples
        .iter()
        .copied()
        .chain(turned(3))
        .chain(turned(11))
        .collect();
    let (from, to) = (Longs::of(&from), Longs::of(&vec![0; samples.len()]));
    let exe = prepare(m);
    let mut map = from.map();
    // SAFETY: the buffer outlives the launch.
    unsafe {
        std::sync::Arc::make_mut(&mut map).add(
            to.address(),
            to.0.len() as u64 * 8,
            touchstone_exec::Permission::ReadWrite,
        );
    }
    let args = vec![Arg::Pointer(from.address()), Arg::Pointer(to.address())];
    let kernel = exe.kernel("k").expect("k").id;
    let items = samples.len() as u64;
    let mut launch = Launch::linear(kernel, args, items, items, map);
    launch.engine = engine;
    pool(1).run(&exe, launch).expect("runs");
    to.all()
}

/// Whether bits of a type are the same, or both are NaN.
fn same(scalar: Scalar, x: u64, y: u64) -> bool {
    let is_nan = |bits: u64| match scalar {
        Scalar::F32 => f32::from_bits(bits as u32).is_nan(),
        Scalar::F64 => f64::from_bits(bits).is_nan(),
        Scalar::F16 => bits & 0x7fff > 0x7c00,
        _ => false,
    };
    x == y || is_nan(x) && is_nan(y)
}

fn agree(
    samples: &[u64],
    (source, target): (Scalar, Scalar),
    what: &str,
    make: &dyn Fn(&mut FunctionBuilder, &[Operand]) -> Reg,
) {
    let interpreted = results(samples, source, make, Engine::Interpreter);
    let compiled = results(samples, source, make, Engine::Native);
    for (n, (x, y)) in interpreted.iter().zip(&compiled).enumerate() {
        let (sample, bits) = (samples[n], target.bits());
        assert!(
            same(target, *x, *y),
            "{what} of {sample:#x}: {x:#x} interpreted, {y:#x} compiled, {bits} bits"
        );
    }
}

const NUMBERS: [(NumKind, Scalar); 11] = [
    (NumKind::Signed, Scalar::I8),
    (NumKind::Unsigned, Scalar::I8),
    (NumKind::Signed, Scalar::I16),
    (NumKind::Unsigned, Scalar::I16),
    (NumKind::Signed, Scalar::I32),
    (NumKind::Unsigned, Scalar::I32),
    (NumKind::Signed, Scalar::I64),
    (NumKind::Unsigned, Scalar::I64),
    (NumKind::Float, Scalar::F16),
    (NumKind::Float, Scalar::F32),
    (NumKind::Float, Scalar::F64),
];

#[test]
fn conversions_are_alike() {
    let samples = samples();
    let roundings = [
        Rounding::Default,
        Rounding::TowardZero,
        Rounding::NearestEven,
        Rounding::Up,
        Rounding::Down,
    ];
    for from in NUMBERS {
        for to in NUMBERS {
            for rounding in roundings {
                for saturate in [false, true] {
                    // Only integers saturate.
                    if saturate && to.0 == NumKind::Float {
                        continue;
                    }
                    let what = format!("{from:?} to {to:?}, {rounding:?}, {saturate}");
                    agree(&samples, (from.1, to.1), &what, &|b, operands| {
                        let convert = Op::Convert {
                            value: operands[0],
                            from: from.0,
                            to: to.0,
                            rounding,
                            saturate,
                        };
                        b.emit(Type::Scalar(to.1), convert)
                    });
                }
            }
        }
    }
}

#[test]
fn functions_are_alike() {
    let samples = samples();
    for &intrinsic in Intrinsic::ALL {
        let types: &[Scalar] = match intrinsic.signature() {
            Signature::Float(_) => &[Scalar::F16, Scalar::F32, Scalar::F64],
            Signature::Int(_) => &[Scalar::I8, Scalar::I16, Scalar::I32, Scalar::I64],
            // None is made of instructions.
            _ => continue,
        };
        for &scalar in types {
            let what = format!("{intrinsic:?} on {scalar}");
            agree(&samples, (scalar, scalar), &what, &|b, operands| {
                b.intrinsic(intrinsic, operands[..intrinsic.arity()].to_vec())
            });
        }
    }
}
