//! Built-in functions that are one operation for an executor.
//!
//! Functions of OpenCL C that also write through a pointer are split: `frexp`
//! is [`FrexpMantissa`](Intrinsic::FrexpMantissa) and
//! [`FrexpExponent`](Intrinsic::FrexpExponent), `sincos` is `Sin` and `Cos`,
//! `modf` is `Trunc` and `ModfFraction`, `fract` is `Floor` and `Fract`, `lgamma_r` is `Lgamma` and
//! `LgammaSign`, `remquo` is `Remainder` and `RemquoQuotient`. The `half_` and
//! `native_` forms are those with full precision.

use crate::types::{Scalar, Type};

/// How an intrinsic's operands and result relate; `T` is one scalar or vector type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Signature {
    /// `n` operands of the result's type, floats.
    Float(u8),
    /// `n` operands of the result's type, integers.
    Int(u8),
    /// Float `T` from (`T`, `I32` of the same shape).
    FloatInt,
    /// `I32` of the same shape from a float `T`.
    FloatToInt,
    /// `I32` of the same shape from two float `T`.
    Float2ToInt,
    /// Float `T` from integers of the same size.
    Nan,
    /// Like a comparison, from one float `T`.
    FloatTest,
    /// `Bool` from a vector of integers: the top bits.
    LaneTest,
}

macro_rules! intrinsics {
    ($($signature:expr => { $($name:ident = $text:literal, $doc:literal;)* })*) => {
        /// A built-in function. Elementwise on vectors.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Intrinsic { $($(#[doc = $doc] $name,)*)* }

        impl Intrinsic {
            /// Every intrinsic.
            pub const ALL: &'static [Intrinsic] = &[$($(Intrinsic::$name,)*)*];

            /// Its name in the textual form.
            pub const fn name(self) -> &'static str {
                match self { $($(Intrinsic::$name => $text,)*)* }
            }

            /// Its operand and result types.
            pub const fn signature(self) -> Signature {
                match self { $($(Intrinsic::$name => $signature,)*)* }
            }
        }
    };
}

intrinsics! {
    Signature::Float(1) => {
        Acos = "acos", "Arc cosine.";
        Acosh = "acosh", "Inverse hyperbolic cosine.";
        Acospi = "acospi", "Arc cosine over pi.";
        Asin = "asin", "Arc sine.";
        Asinh = "asinh", "Inverse hyperbolic sine.";
        Asinpi = "asinpi", "Arc sine over pi.";
        Atan = "atan", "Arc tangent.";
        Atanh = "atanh", "Inverse hyperbolic tangent.";
        Atanpi = "atanpi", "Arc tangent over pi.";
        Cbrt = "cbrt", "Cube root.";
        Ceil = "ceil", "To an integral value upward.";
        Cos = "cos", "Cosine.";
        Cosh = "cosh", "Hyperbolic cosine.";
        Cospi = "cospi", "Cosine of pi times x.";
        Degrees = "degrees", "Radians to degrees.";
        Erf = "erf", "Error function.";
        Erfc = "erfc", "Complementary error function.";
        Exp = "exp", "Exponential, base e.";
        Exp2 = "exp2", "Exponential, base 2.";
        Exp10 = "exp10", "Exponential, base 10.";
        Expm1 = "expm1", "`exp(x) - 1`.";
        Fabs = "fabs", "Magnitude.";
        Floor = "floor", "To an integral value downward.";
        Fract = "fract", "`fmin(x - floor(x), largest below 1)`.";
        FrexpMantissa = "frexp_mantissa", "Mantissa of `frexp`.";
        Lgamma = "lgamma", "Logarithm of the magnitude of gamma.";
        Log = "log", "Natural logarithm.";
        Log2 = "log2", "Logarithm, base 2.";
        Log10 = "log10", "Logarithm, base 10.";
        Log1p = "log1p", "`log(1 + x)`.";
        Logb = "logb", "Exponent as a float.";
        ModfFraction = "modf_fraction", "Fractional part of `modf`, with the sign of x.";
        Radians = "radians", "Degrees to radians.";
        Rint = "rint", "To an integral value, ties to even.";
        Round = "round", "To an integral value, ties away from zero.";
        Rsqrt = "rsqrt", "Reciprocal square root.";
        Sign = "sign", "-1, 0, 1 by sign; 0 for NaN.";
        Sin = "sin", "Sine.";
        Sinh = "sinh", "Hyperbolic sine.";
        Sinpi = "sinpi", "Sine of pi times x.";
        Sqrt = "sqrt", "Square root.";
        Tan = "tan", "Tangent.";
        Tanh = "tanh", "Hyperbolic tangent.";
        Tanpi = "tanpi", "Tangent of pi times x.";
        Tgamma = "tgamma", "Gamma.";
        Trunc = "trunc", "To an integral value toward zero.";
    }
    Signature::Float(2) => {
        Atan2 = "atan2", "Arc tangent of y / x.";
        Atan2pi = "atan2pi", "Arc tangent of y / x, over pi.";
        Copysign = "copysign", "Magnitude of x, sign of y.";
        Fdim = "fdim", "Positive difference.";
        Fmax = "fmax", "Maximum; a NaN loses against a number.";
        Fmin = "fmin", "Minimum; a NaN loses against a number.";
        Fmod = "fmod", "Remainder with the sign of x.";
        Hypot = "hypot", "Length of the hypotenuse.";
        Maxmag = "maxmag", "The one of larger magnitude.";
        Minmag = "minmag", "The one of smaller magnitude.";
        Nextafter = "nextafter", "Next representable value of x toward y.";
        Pow = "pow", "x to the power y.";
        Powr = "powr", "x to the power y, x at least 0.";
        Remainder = "remainder", "IEEE remainder.";
        Step = "step", "`step(edge, x)`: 0 if x < edge, else 1.";
    }
    Signature::Float(3) => {
        Fma = "fma", "Fused multiply-add, one rounding.";
        Mad = "mad", "Multiply-add, accuracy left open; computed as `Fma`.";
        Mix = "mix", "`x + (y - x) * a`.";
        Smoothstep = "smoothstep", "`smoothstep(edge0, edge1, x)`.";
        FClamp = "fclamp", "`clamp` of floats: `fmin(fmax(x, min), max)`.";
    }
    Signature::FloatInt => {
        Ldexp = "ldexp", "x times 2 to the k.";
        Pown = "pown", "x to an integer power.";
        Rootn = "rootn", "x to the power 1 / n.";
    }
    Signature::FloatToInt => {
        Ilogb = "ilogb", "Exponent as an integer.";
        FrexpExponent = "frexp_exponent", "Exponent of `frexp`.";
        LgammaSign = "lgamma_sign", "Sign of gamma.";
    }
    Signature::Float2ToInt => {
        RemquoQuotient = "remquo_quotient", "Low bits of the quotient of `remquo`, with its sign.";
    }
    Signature::Nan => {
        Nan = "nan", "A quiet NaN with a payload.";
    }
    Signature::FloatTest => {
        Isfinite = "isfinite", "Neither infinite nor NaN.";
        Isinf = "isinf", "Infinite.";
        Isnan = "isnan", "Not a number.";
        Isnormal = "isnormal", "Neither zero, subnormal, infinite nor NaN.";
        Signbit = "signbit", "The sign bit.";
    }
    Signature::Int(1) => {
        SAbs = "sabs", "Magnitude of a signed integer, as unsigned.";
        Clz = "clz", "Leading zeros; the width for 0.";
        Ctz = "ctz", "Trailing zeros; the width for 0.";
        Popcount = "popcount", "Bits that are 1.";
        BitReverse = "bit_reverse", "The bits in reverse order.";
    }
    Signature::Int(2) => {
        SAbsDiff = "sabs_diff", "Magnitude of the difference, signed operands.";
        UAbsDiff = "uabs_diff", "Magnitude of the difference, unsigned operands.";
        SAddSat = "sadd_sat", "Saturating signed sum.";
        UAddSat = "uadd_sat", "Saturating unsigned sum.";
        SSubSat = "ssub_sat", "Saturating signed difference.";
        USubSat = "usub_sat", "Saturating unsigned difference.";
        SHadd = "shadd", "Signed `(x + y) >> 1` without overflow.";
        UHadd = "uhadd", "Unsigned `(x + y) >> 1` without overflow.";
        SRhadd = "srhadd", "Signed `(x + y + 1) >> 1` without overflow.";
        URhadd = "urhadd", "Unsigned `(x + y + 1) >> 1` without overflow.";
        SMax = "smax", "Signed maximum.";
        UMax = "umax", "Unsigned maximum.";
        SMin = "smin", "Signed minimum.";
        UMin = "umin", "Unsigned minimum.";
        SMulHi = "smul_hi", "High half of the signed product.";
        UMulHi = "umul_hi", "High half of the unsigned product.";
        Rotate = "rotate", "Left rotation; the count modulo the width.";
        SMul24 = "smul24", "Product of the low 24 bits, signed.";
        UMul24 = "umul24", "Product of the low 24 bits, unsigned.";
    }
    Signature::Int(3) => {
        SClamp = "sclamp", "Signed `clamp(x, min, max)`.";
        UClamp = "uclamp", "Unsigned `clamp(x, min, max)`.";
        SMadSat = "smad_sat", "Saturating signed `a * b + c`.";
        UMadSat = "umad_sat", "Saturating unsigned `a * b + c`.";
    }
    Signature::LaneTest => {
        Any = "any", "Some element's top bit is 1.";
        All = "all", "Every element's top bit is 1.";
    }
}

impl Intrinsic {
    /// The type of its result, by the type of its first operand.
    pub fn result(self, first: Type) -> Type {
        match self.signature() {
            Signature::Float(_) | Signature::Int(_) | Signature::FloatInt => first,
            Signature::FloatToInt | Signature::Float2ToInt => first.with_element(Scalar::I32),
            Signature::Nan => first.with_element(match first.element().map_or(4, Scalar::size) {
                2 => Scalar::F16,
                8 => Scalar::F64,
                _ => Scalar::F32,
            }),
            Signature::FloatTest => first.compare_result(),
            Signature::LaneTest => Type::BOOL,
        }
    }

    /// How many operands it takes.
    pub const fn arity(self) -> usize {
        match self.signature() {
            Signature::Float(n) | Signature::Int(n) => n as usize,
            Signature::FloatInt | Signature::Float2ToInt => 2,
            Signature::FloatToInt | Signature::Nan | Signature::FloatTest | Signature::LaneTest => {
                1
            }
        }
    }
}
