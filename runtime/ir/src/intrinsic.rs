//! Built-in functions that are one operation for an executor.
//!
//! Functions of OpenCL C that also write through a pointer are split: `frexp`
//! is [`FrexpMantissa`](Intrinsic::FrexpMantissa) and
//! [`FrexpExponent`](Intrinsic::FrexpExponent), `sincos` is `Sin` and `Cos`,
//! `modf` is `Trunc` and `ModfFraction`, `fract` is `Floor` and `Fract`, `lgamma_r` is `Lgamma` and
//! `LgammaSign`, `remquo` is `Remainder` and `RemquoQuotient`. The `half_` and
//! `native_` forms are those with full precision.

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
    ($($(#[$doc:meta])* $name:ident = $text:literal : $signature:expr;)*) => {
        /// A built-in function. Elementwise on vectors.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Intrinsic { $($(#[$doc])* $name,)* }

        impl Intrinsic {
            /// Every intrinsic.
            pub const ALL: &'static [Intrinsic] = &[$(Intrinsic::$name,)*];

            /// Its name in the textual form.
            pub const fn name(self) -> &'static str {
                match self { $(Intrinsic::$name => $text,)* }
            }

            /// Its operand and result types.
            pub const fn signature(self) -> Signature {
                match self { $(Intrinsic::$name => $signature,)* }
            }
        }
    };
}

intrinsics! {
    /// Arc cosine.
    Acos = "acos": Signature::Float(1);
    /// Inverse hyperbolic cosine.
    Acosh = "acosh": Signature::Float(1);
    /// Arc cosine over pi.
    Acospi = "acospi": Signature::Float(1);
    /// Arc sine.
    Asin = "asin": Signature::Float(1);
    /// Inverse hyperbolic sine.
    Asinh = "asinh": Signature::Float(1);
    /// Arc sine over pi.
    Asinpi = "asinpi": Signature::Float(1);
    /// Arc tangent.
    Atan = "atan": Signature::Float(1);
    /// Inverse hyperbolic tangent.
    Atanh = "atanh": Signature::Float(1);
    /// Arc tangent over pi.
    Atanpi = "atanpi": Signature::Float(1);
    /// Cube root.
    Cbrt = "cbrt": Signature::Float(1);
    /// To an integral value upward.
    Ceil = "ceil": Signature::Float(1);
    /// Cosine.
    Cos = "cos": Signature::Float(1);
    /// Hyperbolic cosine.
    Cosh = "cosh": Signature::Float(1);
    /// Cosine of pi times x.
    Cospi = "cospi": Signature::Float(1);
    /// Radians to degrees.
    Degrees = "degrees": Signature::Float(1);
    /// Error function.
    Erf = "erf": Signature::Float(1);
    /// Complementary error function.
    Erfc = "erfc": Signature::Float(1);
    /// Exponential, base e.
    Exp = "exp": Signature::Float(1);
    /// Exponential, base 2.
    Exp2 = "exp2": Signature::Float(1);
    /// Exponential, base 10.
    Exp10 = "exp10": Signature::Float(1);
    /// `exp(x) - 1`.
    Expm1 = "expm1": Signature::Float(1);
    /// Magnitude.
    Fabs = "fabs": Signature::Float(1);
    /// To an integral value downward.
    Floor = "floor": Signature::Float(1);
    /// `fmin(x - floor(x), largest below 1)`.
    Fract = "fract": Signature::Float(1);
    /// Mantissa of `frexp`.
    FrexpMantissa = "frexp_mantissa": Signature::Float(1);
    /// Logarithm of the magnitude of gamma.
    Lgamma = "lgamma": Signature::Float(1);
    /// Natural logarithm.
    Log = "log": Signature::Float(1);
    /// Logarithm, base 2.
    Log2 = "log2": Signature::Float(1);
    /// Logarithm, base 10.
    Log10 = "log10": Signature::Float(1);
    /// `log(1 + x)`.
    Log1p = "log1p": Signature::Float(1);
    /// Exponent as a float.
    Logb = "logb": Signature::Float(1);
    /// Fractional part of `modf`, with the sign of x.
    ModfFraction = "modf_fraction": Signature::Float(1);
    /// Degrees to radians.
    Radians = "radians": Signature::Float(1);
    /// To an integral value, ties to even.
    Rint = "rint": Signature::Float(1);
    /// To an integral value, ties away from zero.
    Round = "round": Signature::Float(1);
    /// Reciprocal square root.
    Rsqrt = "rsqrt": Signature::Float(1);
    /// -1, 0, 1 by sign; 0 for NaN.
    Sign = "sign": Signature::Float(1);
    /// Sine.
    Sin = "sin": Signature::Float(1);
    /// Hyperbolic sine.
    Sinh = "sinh": Signature::Float(1);
    /// Sine of pi times x.
    Sinpi = "sinpi": Signature::Float(1);
    /// Square root.
    Sqrt = "sqrt": Signature::Float(1);
    /// Tangent.
    Tan = "tan": Signature::Float(1);
    /// Hyperbolic tangent.
    Tanh = "tanh": Signature::Float(1);
    /// Tangent of pi times x.
    Tanpi = "tanpi": Signature::Float(1);
    /// Gamma.
    Tgamma = "tgamma": Signature::Float(1);
    /// To an integral value toward zero.
    Trunc = "trunc": Signature::Float(1);

    /// Arc tangent of y / x.
    Atan2 = "atan2": Signature::Float(2);
    /// Arc tangent of y / x, over pi.
    Atan2pi = "atan2pi": Signature::Float(2);
    /// Magnitude of x, sign of y.
    Copysign = "copysign": Signature::Float(2);
    /// Positive difference.
    Fdim = "fdim": Signature::Float(2);
    /// Maximum; a NaN loses against a number.
    Fmax = "fmax": Signature::Float(2);
    /// Minimum; a NaN loses against a number.
    Fmin = "fmin": Signature::Float(2);
    /// Remainder with the sign of x.
    Fmod = "fmod": Signature::Float(2);
    /// Length of the hypotenuse.
    Hypot = "hypot": Signature::Float(2);
    /// The one of larger magnitude.
    Maxmag = "maxmag": Signature::Float(2);
    /// The one of smaller magnitude.
    Minmag = "minmag": Signature::Float(2);
    /// Next representable value of x toward y.
    Nextafter = "nextafter": Signature::Float(2);
    /// x to the power y.
    Pow = "pow": Signature::Float(2);
    /// x to the power y, x at least 0.
    Powr = "powr": Signature::Float(2);
    /// IEEE remainder.
    Remainder = "remainder": Signature::Float(2);
    /// `step(edge, x)`: 0 if x < edge, else 1.
    Step = "step": Signature::Float(2);

    /// Fused multiply-add, one rounding.
    Fma = "fma": Signature::Float(3);
    /// Multiply-add, accuracy left open; computed as `Fma`.
    Mad = "mad": Signature::Float(3);
    /// `x + (y - x) * a`.
    Mix = "mix": Signature::Float(3);
    /// `smoothstep(edge0, edge1, x)`.
    Smoothstep = "smoothstep": Signature::Float(3);
    /// `clamp` of floats: `fmin(fmax(x, min), max)`.
    FClamp = "fclamp": Signature::Float(3);

    /// x times 2 to the k.
    Ldexp = "ldexp": Signature::FloatInt;
    /// x to an integer power.
    Pown = "pown": Signature::FloatInt;
    /// x to the power 1 / n.
    Rootn = "rootn": Signature::FloatInt;
    /// Exponent as an integer.
    Ilogb = "ilogb": Signature::FloatToInt;
    /// Exponent of `frexp`.
    FrexpExponent = "frexp_exponent": Signature::FloatToInt;
    /// Sign of gamma.
    LgammaSign = "lgamma_sign": Signature::FloatToInt;
    /// Low bits of the quotient of `remquo`, with its sign.
    RemquoQuotient = "remquo_quotient": Signature::Float2ToInt;
    /// A quiet NaN with a payload.
    Nan = "nan": Signature::Nan;

    /// Neither infinite nor NaN.
    Isfinite = "isfinite": Signature::FloatTest;
    /// Infinite.
    Isinf = "isinf": Signature::FloatTest;
    /// Not a number.
    Isnan = "isnan": Signature::FloatTest;
    /// Neither zero, subnormal, infinite nor NaN.
    Isnormal = "isnormal": Signature::FloatTest;
    /// The sign bit.
    Signbit = "signbit": Signature::FloatTest;

    /// Magnitude of a signed integer, as unsigned.
    SAbs = "sabs": Signature::Int(1);
    /// Leading zeros; the width for 0.
    Clz = "clz": Signature::Int(1);
    /// Trailing zeros; the width for 0.
    Ctz = "ctz": Signature::Int(1);
    /// Bits that are 1.
    Popcount = "popcount": Signature::Int(1);
    /// Magnitude of the difference, signed operands.
    SAbsDiff = "sabs_diff": Signature::Int(2);
    /// Magnitude of the difference, unsigned operands.
    UAbsDiff = "uabs_diff": Signature::Int(2);
    /// Saturating signed sum.
    SAddSat = "sadd_sat": Signature::Int(2);
    /// Saturating unsigned sum.
    UAddSat = "uadd_sat": Signature::Int(2);
    /// Saturating signed difference.
    SSubSat = "ssub_sat": Signature::Int(2);
    /// Saturating unsigned difference.
    USubSat = "usub_sat": Signature::Int(2);
    /// Signed `(x + y) >> 1` without overflow.
    SHadd = "shadd": Signature::Int(2);
    /// Unsigned `(x + y) >> 1` without overflow.
    UHadd = "uhadd": Signature::Int(2);
    /// Signed `(x + y + 1) >> 1` without overflow.
    SRhadd = "srhadd": Signature::Int(2);
    /// Unsigned `(x + y + 1) >> 1` without overflow.
    URhadd = "urhadd": Signature::Int(2);
    /// Signed maximum.
    SMax = "smax": Signature::Int(2);
    /// Unsigned maximum.
    UMax = "umax": Signature::Int(2);
    /// Signed minimum.
    SMin = "smin": Signature::Int(2);
    /// Unsigned minimum.
    UMin = "umin": Signature::Int(2);
    /// High half of the signed product.
    SMulHi = "smul_hi": Signature::Int(2);
    /// High half of the unsigned product.
    UMulHi = "umul_hi": Signature::Int(2);
    /// Left rotation; the count modulo the width.
    Rotate = "rotate": Signature::Int(2);
    /// Product of the low 24 bits, signed.
    SMul24 = "smul24": Signature::Int(2);
    /// Product of the low 24 bits, unsigned.
    UMul24 = "umul24": Signature::Int(2);
    /// Signed `clamp(x, min, max)`.
    SClamp = "sclamp": Signature::Int(3);
    /// Unsigned `clamp(x, min, max)`.
    UClamp = "uclamp": Signature::Int(3);
    /// Saturating signed `a * b + c`.
    SMadSat = "smad_sat": Signature::Int(3);
    /// Saturating unsigned `a * b + c`.
    UMadSat = "umad_sat": Signature::Int(3);

    /// Some element's top bit is 1.
    Any = "any": Signature::LaneTest;
    /// Every element's top bit is 1.
    All = "all": Signature::LaneTest;
}

impl Intrinsic {
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
