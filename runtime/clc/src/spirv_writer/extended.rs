//! Built-in functions, which are instructions of `OpenCL.std` or of the core, and `printf`.

use super::Check;
use super::function::Body;
use super::words::{Id, ids};
use rspirv::dr;
use rspirv::spirv::{Capability, Op, OpenclStd100Op as Std};
use touchstone_ir::intrinsic::Signature;
use touchstone_ir::{self as ir, AddressSpace, Intrinsic, Operand, Scalar, Type};

/// What a built-in function is.
enum Form {
    /// An extended instruction of the same operands.
    Plain(Std),
    /// One that also writes through a pointer to a value of this type: what it gives.
    Given(Std, Scalar),
    /// The same: what it writes.
    Written(Std),
    /// A question about a float.
    Test(Op),
    /// One about the top bits of a vector.
    Lanes(Op),
    /// Bits in reverse order.
    Reverse,
}

/// What a built-in function is; a pointer that it writes through is one to floats where `of` is given.
fn form(intrinsic: Intrinsic, of: Scalar) -> Form {
    use Form::{Given, Lanes, Plain, Reverse, Test, Written};
    match intrinsic {
        Intrinsic::Acos => Plain(Std::acos),
        Intrinsic::Acosh => Plain(Std::acosh),
        Intrinsic::Acospi => Plain(Std::acospi),
        Intrinsic::Asin => Plain(Std::asin),
        Intrinsic::Asinh => Plain(Std::asinh),
        Intrinsic::Asinpi => Plain(Std::asinpi),
        Intrinsic::Atan => Plain(Std::atan),
        Intrinsic::Atanh => Plain(Std::atanh),
        Intrinsic::Atanpi => Plain(Std::atanpi),
        Intrinsic::Cbrt => Plain(Std::cbrt),
        Intrinsic::Ceil => Plain(Std::ceil),
        Intrinsic::Cos => Plain(Std::cos),
        Intrinsic::Cosh => Plain(Std::cosh),
        Intrinsic::Cospi => Plain(Std::cospi),
        Intrinsic::Degrees => Plain(Std::degrees),
        Intrinsic::Erf => Plain(Std::erf),
        Intrinsic::Erfc => Plain(Std::erfc),
        Intrinsic::Exp => Plain(Std::exp),
        Intrinsic::Exp2 => Plain(Std::exp2),
        Intrinsic::Exp10 => Plain(Std::exp10),
        Intrinsic::Expm1 => Plain(Std::expm1),
        Intrinsic::Fabs => Plain(Std::fabs),
        Intrinsic::Floor => Plain(Std::floor),
        Intrinsic::Fract => Given(Std::fract, of),
        Intrinsic::FrexpMantissa => Given(Std::frexp, Scalar::I32),
        Intrinsic::Lgamma => Plain(Std::lgamma),
        Intrinsic::Log => Plain(Std::log),
        Intrinsic::Log2 => Plain(Std::log2),
        Intrinsic::Log10 => Plain(Std::log10),
        Intrinsic::Log1p => Plain(Std::log1p),
        Intrinsic::Logb => Plain(Std::logb),
        Intrinsic::ModfFraction => Given(Std::modf, of),
        Intrinsic::Radians => Plain(Std::radians),
        Intrinsic::Rint => Plain(Std::rint),
        Intrinsic::Round => Plain(Std::round),
        Intrinsic::Rsqrt => Plain(Std::rsqrt),
        Intrinsic::Sign => Plain(Std::sign),
        Intrinsic::Sin => Plain(Std::sin),
        Intrinsic::Sinh => Plain(Std::sinh),
        Intrinsic::Sinpi => Plain(Std::sinpi),
        Intrinsic::Sqrt => Plain(Std::sqrt),
        Intrinsic::Tan => Plain(Std::tan),
        Intrinsic::Tanh => Plain(Std::tanh),
        Intrinsic::Tanpi => Plain(Std::tanpi),
        Intrinsic::Tgamma => Plain(Std::tgamma),
        Intrinsic::Trunc => Plain(Std::trunc),
        Intrinsic::Atan2 => Plain(Std::atan2),
        Intrinsic::Atan2pi => Plain(Std::atan2pi),
        Intrinsic::Copysign => Plain(Std::copysign),
        Intrinsic::Fdim => Plain(Std::fdim),
        Intrinsic::Fmax => Plain(Std::fmax),
        Intrinsic::Fmin => Plain(Std::fmin),
        Intrinsic::Fmod => Plain(Std::fmod),
        Intrinsic::Hypot => Plain(Std::hypot),
        Intrinsic::Maxmag => Plain(Std::maxmag),
        Intrinsic::Minmag => Plain(Std::minmag),
        Intrinsic::Nextafter => Plain(Std::nextafter),
        Intrinsic::Pow => Plain(Std::pow),
        Intrinsic::Powr => Plain(Std::powr),
        Intrinsic::Remainder => Plain(Std::remainder),
        Intrinsic::Step => Plain(Std::step),
        Intrinsic::Fma => Plain(Std::fma),
        Intrinsic::Mad => Plain(Std::mad),
        Intrinsic::Mix => Plain(Std::mix),
        Intrinsic::Smoothstep => Plain(Std::smoothstep),
        Intrinsic::FClamp => Plain(Std::fclamp),
        Intrinsic::Ldexp => Plain(Std::ldexp),
        Intrinsic::Pown => Plain(Std::pown),
        Intrinsic::Rootn => Plain(Std::rootn),
        Intrinsic::Ilogb => Plain(Std::ilogb),
        Intrinsic::FrexpExponent => Written(Std::frexp),
        Intrinsic::LgammaSign => Written(Std::lgamma_r),
        Intrinsic::RemquoQuotient => Written(Std::remquo),
        Intrinsic::Nan => Plain(Std::nan),
        Intrinsic::Isfinite => Test(Op::IsFinite),
        Intrinsic::Isinf => Test(Op::IsInf),
        Intrinsic::Isnan => Test(Op::IsNan),
        Intrinsic::Isnormal => Test(Op::IsNormal),
        Intrinsic::Signbit => Test(Op::SignBitSet),
        Intrinsic::SAbs => Plain(Std::s_abs),
        Intrinsic::Clz => Plain(Std::clz),
        Intrinsic::Ctz => Plain(Std::ctz),
        Intrinsic::Popcount => Plain(Std::popcount),
        Intrinsic::BitReverse => Reverse,
        Intrinsic::SAbsDiff => Plain(Std::s_abs_diff),
        Intrinsic::UAbsDiff => Plain(Std::u_abs_diff),
        Intrinsic::SAddSat => Plain(Std::s_add_sat),
        Intrinsic::UAddSat => Plain(Std::u_add_sat),
        Intrinsic::SSubSat => Plain(Std::s_sub_sat),
        Intrinsic::USubSat => Plain(Std::u_sub_sat),
        Intrinsic::SHadd => Plain(Std::s_hadd),
        Intrinsic::UHadd => Plain(Std::u_hadd),
        Intrinsic::SRhadd => Plain(Std::s_rhadd),
        Intrinsic::URhadd => Plain(Std::u_rhadd),
        Intrinsic::SMax => Plain(Std::s_max),
        Intrinsic::UMax => Plain(Std::u_max),
        Intrinsic::SMin => Plain(Std::s_min),
        Intrinsic::UMin => Plain(Std::u_min),
        Intrinsic::SMulHi => Plain(Std::s_mul_hi),
        Intrinsic::UMulHi => Plain(Std::u_mul_hi),
        Intrinsic::Rotate => Plain(Std::rotate),
        Intrinsic::SMul24 => Plain(Std::s_mul24),
        Intrinsic::UMul24 => Plain(Std::u_mul24),
        Intrinsic::SClamp => Plain(Std::s_clamp),
        Intrinsic::UClamp => Plain(Std::u_clamp),
        Intrinsic::SMadSat => Plain(Std::s_mad_sat),
        Intrinsic::UMadSat => Plain(Std::u_mad_sat),
        Intrinsic::Any => Lanes(Op::Any),
        Intrinsic::All => Lanes(Op::All),
    }
}

impl Body<'_, '_> {
    /// Appends an extended instruction.
    fn extended(&mut self, std: Std, ty: Type, args: &[Id]) -> Id {
        let set = self.writer.words.opencl();
        let mut operands = vec![
            dr::Operand::IdRef(set),
            dr::Operand::LiteralExtInstInteger(std as u32),
        ];
        operands.extend(ids(args));
        let ty = self.writer.words.ty(ty);
        self.emit(Op::ExtInst, ty, operands)
    }

    /// A built-in function.
    pub(super) fn intrinsic(
        &mut self,
        ty: Type,
        intrinsic: Intrinsic,
        args: &[Operand],
    ) -> Check<Id> {
        let first = match args.first() {
            Some(&arg) => self.type_of(arg)?,
            None => ty,
        };
        if intrinsic.signature() == Signature::LaneTest
            && let (Form::Lanes(code), &[arg]) = (form(intrinsic, Scalar::I32), args)
        {
            let truths = self.top_bits(arg)?;
            return Ok(self.compute(code, ty, &[truths]));
        }
        let mut values = args
            .iter()
            .map(|&arg| self.value(arg))
            .collect::<Check<Vec<Id>>>()?;
        Ok(
            match form(intrinsic, first.element().unwrap_or(Scalar::I32)) {
                Form::Plain(std) => self.extended(std, ty, &values),
                Form::Given(std, of) => {
                    let other = self.writer.words.ty(first.with_element(of));
                    values.push(self.variable(other));
                    self.extended(std, ty, &values)
                }
                Form::Written(std) => {
                    let written = self.writer.words.ty(ty);
                    let variable = self.variable(written);
                    values.push(variable);
                    self.extended(std, first, &values);
                    self.emit(Op::Load, written, ids(&[variable]))
                }
                Form::Test(code) | Form::Lanes(code) => {
                    let truths = self.writer.words.truths(first);
                    let truths = self.emit(code, truths, ids(&values));
                    self.as_integers(ty, truths)
                }
                Form::Reverse => {
                    self.writer.words.capability(Capability::BitInstructions);
                    self.writer.words.extension("SPV_KHR_bit_instructions");
                    self.compute(Op::BitReverse, ty, &values)
                }
            },
        )
    }

    /// `printf`.
    pub(super) fn printf(&mut self, format: ir::Operand, args: &[ir::Operand]) -> Check<Id> {
        if self.type_of(format)? != Type::Pointer(AddressSpace::Constant) {
            return Err("printf of a format that is not constant".into());
        }
        let mut values = vec![self.value(format)?];
        for &arg in args {
            values.push(self.value(arg)?);
        }
        Ok(self.extended(Std::printf, Type::I32, &values))
    }
}
