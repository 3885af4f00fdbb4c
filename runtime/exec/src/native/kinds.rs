//! What kinds of values instructions give, and the type that each slot has from block to block.

use super::flow::Flow;
use super::operands;
use crate::interp::code::{Fill, Ins, Kernel, Slot};
use crate::scalar::math::Meaning;
use cranelift_codegen::ir::{Type, types};
use touchstone_ir::{Intrinsic, Scalar};

/// What kind of value an instruction gives.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// 64 bits.
    Wide,
    /// 32 bits with zeros above.
    Narrow,
    Single,
    Double,
    /// What memory or other slots hold.
    Bits32,
    Bits64,
}

/// What kind of value a conversion gives.
fn converted(to: Scalar) -> Kind {
    match to {
        Scalar::F32 => Kind::Single,
        Scalar::F64 => Kind::Double,
        Scalar::I64 => Kind::Wide,
        Scalar::Bool | Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::F16 => Kind::Narrow,
    }
}

/// What kind of value a function gives: of those that are frequent it is known, as they give what they take.
fn called(meaning: Meaning) -> Kind {
    use Intrinsic::{Ceil, Fabs, Floor, Fma, Fmax, Fmin, Mad, Rint, Rsqrt, Sqrt, Trunc};
    use Intrinsic::{SClamp, SMax, SMin, UClamp, UMax, UMin};
    match meaning {
        Meaning::Conversion(c) => converted(c.to.1),
        Meaning::Intrinsic(
            Ceil | Fabs | Floor | Fma | Fmax | Fmin | Mad | Rint | Rsqrt | Sqrt | Trunc | SClamp
            | SMax | SMin | UClamp | UMax | UMin,
            scalar @ (Scalar::F32 | Scalar::I32),
        ) => converted(scalar),
        Meaning::Intrinsic(..) => Kind::Wide,
    }
}

#[rustfmt::skip]
fn kind(kernel: &Kernel, ins: &Ins) -> Kind {
    match ins {
        Ins::Convert { conversion, .. } => converted(kernel.conversions[usize::from(*conversion)].to.1),
        Ins::Call1 { f, .. } => called(kernel.meanings1[usize::from(*f)]),
        Ins::Call2 { f, .. } => called(kernel.meanings2[usize::from(*f)]),
        Ins::Call3 { f, .. } => called(kernel.meanings3[usize::from(*f)]),
        Ins::FAdd32 { .. } | Ins::FSub32 { .. } | Ins::FMul32 { .. } | Ins::FDiv32 { .. } => Kind::Single,
        Ins::FAdd64 { .. } | Ins::FSub64 { .. } | Ins::FMul64 { .. } | Ins::FDiv64 { .. } => Kind::Double,
        Ins::Add32 { .. } | Ins::Sub32 { .. } | Ins::Mul32 { .. } | Ins::Shl32 { .. } | Ins::LShr32 { .. }
        | Ins::AShr32 { .. } | Ins::SDiv32 { .. } | Ins::SRem32 { .. } | Ins::Mask8 { .. } | Ins::Mask16 { .. }
        | Ins::Mask32 { .. } | Ins::Eq { .. } | Ins::Ne { .. } | Ins::ULt { .. } | Ins::ULe { .. }
        | Ins::SLt32 { .. } | Ins::SLe32 { .. } | Ins::SLt64 { .. } | Ins::SLe64 { .. }
        | Ins::FEq32 { .. } | Ins::FNe32 { .. } | Ins::FLt32 { .. } | Ins::FLe32 { .. } | Ins::FOrd32 { .. }
        | Ins::FEq64 { .. } | Ins::FNe64 { .. } | Ins::FLt64 { .. } | Ins::FLe64 { .. } | Ins::FOrd64 { .. }
        | Ins::AtomicLoad32 { .. } | Ins::Rmw32 { .. } | Ins::Cas32 { .. } | Ins::Call { .. } => Kind::Narrow,
        Ins::Load8 { .. } | Ins::Load16 { .. } | Ins::Load32 { .. } | Ins::Load32X { .. }
        | Ins::Load32S { .. } => Kind::Bits32,
        Ins::Load64 { .. } | Ins::Load64X { .. } | Ins::Load64S { .. } => Kind::Bits64,
        _ => Kind::Wide,
    }
}

/// The type of floats that an instruction computes with.
#[rustfmt::skip]
pub(super) fn computes_with(ins: &Ins) -> Option<Type> {
    match ins {
        Ins::FAdd32 { .. } | Ins::FSub32 { .. } | Ins::FMul32 { .. } | Ins::FDiv32 { .. }
        | Ins::FEq32 { .. } | Ins::FNe32 { .. } | Ins::FLt32 { .. } | Ins::FLe32 { .. } => Some(types::F32),
        Ins::FAdd64 { .. } | Ins::FSub64 { .. } | Ins::FMul64 { .. } | Ins::FDiv64 { .. }
        | Ins::FEq64 { .. } | Ins::FNe64 { .. } | Ins::FLt64 { .. } | Ins::FLe64 { .. } => Some(types::F64),
        _ => None,
    }
}

/// The slots that an instruction passes on as they are.
#[rustfmt::skip]
fn passed(ins: &Ins) -> Option<Vec<Slot>> {
    Some(match *ins {
        Ins::Move { a, .. } | Ins::InsertDyn { a, .. } => vec![a],
        Ins::Select { a, b, .. } | Ins::And { a, b, .. } | Ins::Or { a, b, .. } | Ins::Xor { a, b, .. }
        | Ins::UDiv { a, b, .. } | Ins::URem { a, b, .. } => vec![a, b],
        Ins::ExtractDyn { a, n, .. } => (a..a + n as Slot).collect(),
        _ => return None,
    })
}

/// The type of each slot's variable. One is of 32 bits if all values that it ever has are.
pub(super) fn types_of(kernel: &Kernel, flow: &Flow) -> Vec<Type> {
    let mut wide = vec![false; kernel.frame];
    // How often it is used as a float, a double, or otherwise.
    let mut singles = vec![0i32; kernel.frame];
    let mut doubles = vec![0i32; kernel.frame];
    wide[..kernel.params_end].fill(true);
    let mut passes: Vec<(Vec<Slot>, usize)> = Vec::new();
    let code = flow
        .blocks
        .iter()
        .flat_map(|b| &kernel.code[b.first as usize..b.end as usize]);
    for ins in code {
        let floats = computes_with(ins);
        let kind = kind(kernel, ins);
        let passed = passed(ins);
        let neutral = passed.is_some() || matches!(kind, Kind::Bits32 | Kind::Bits64);
        operands::slots(kernel, ins, |role, first, count| {
            if first < 0 {
                return;
            }
            let is_written = role == operands::Role::Written;
            for slot in first as usize..first as usize + usize::from(count) {
                let (single, double) = match is_written {
                    true => (kind == Kind::Single, kind == Kind::Double),
                    false => (floats == Some(types::F32), floats == Some(types::F64)),
                };
                if single {
                    singles[slot] += 1;
                } else if double {
                    doubles[slot] += 1;
                } else if !neutral {
                    singles[slot] -= 1;
                    doubles[slot] -= 1;
                }
                if is_written {
                    match (kind, &passed) {
                        (_, Some(from)) => passes.push((from.clone(), slot)),
                        (Kind::Wide | Kind::Double | Kind::Bits64, None) => wide[slot] = true,
                        (Kind::Narrow | Kind::Single | Kind::Bits32, None) => {}
                    }
                }
            }
        });
    }
    loop {
        let mut news = false;
        for (from, to) in &passes {
            let is_wide = |&slot: &Slot| match usize::try_from(slot) {
                Ok(slot) => wide[slot],
                Err(_) => match kernel.fills[(-1 - isize::from(slot)) as usize] {
                    Fill::Const(bits) => bits > u64::from(u32::MAX),
                    Fill::Query(..) | Fill::PrivateBase | Fill::Local(_) => true,
                },
            };
            if !wide[*to] && from.iter().any(is_wide) {
                wide[*to] = true;
                news = true;
            }
        }
        if !news {
            break;
        }
    }
    let of = |slot: usize| match (wide[slot], singles[slot] > 0, doubles[slot] > 0) {
        (false, true, _) => types::F32,
        (false, false, _) => types::I32,
        (true, _, true) => types::F64,
        (true, _, false) => types::I64,
    };
    (0..kernel.frame).map(of).collect()
}
