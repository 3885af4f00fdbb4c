//! Integer promotions and usual arithmetic conversions (C99 6.3.1, OpenCL C 6.4).

use super::Scalar;

/// The order in which the usual arithmetic conversions choose a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Rank(u8);

impl Rank {
    pub(crate) fn of(scalar: Scalar) -> Self {
        Self(match scalar {
            Scalar::Bool => 0,
            Scalar::Char | Scalar::UChar => 1,
            Scalar::Short | Scalar::UShort => 2,
            Scalar::Int | Scalar::UInt => 3,
            Scalar::Long | Scalar::ULong => 4,
            Scalar::Half => 5,
            Scalar::Float => 6,
            Scalar::Double => 7,
        })
    }
}

/// C99 6.3.1.1p2: what is narrower than `int` becomes `int`, which holds all its values.
pub(crate) fn promoted(scalar: Scalar) -> Scalar {
    let narrow = Rank::of(scalar) < Rank::of(Scalar::Int);
    if narrow { Scalar::Int } else { scalar }
}

/// C99 6.3.1.8: the type two operands have in common.
pub(crate) fn usual(a: Scalar, b: Scalar) -> Scalar {
    let (a, b) = (promoted(a), promoted(b));
    let (ra, rb) = (Rank::of(a), Rank::of(b));
    if ra != rb {
        return if ra > rb { a } else { b };
    }
    // The same rank: unsigned wins.
    if a.is_signed() { b } else { a }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_c99_says() {
        assert_eq!(usual(Scalar::Char, Scalar::UShort), Scalar::Int);
        assert_eq!(usual(Scalar::Int, Scalar::UInt), Scalar::UInt);
        assert_eq!(usual(Scalar::UInt, Scalar::Long), Scalar::Long);
        assert_eq!(usual(Scalar::Long, Scalar::ULong), Scalar::ULong);
        assert_eq!(usual(Scalar::ULong, Scalar::Float), Scalar::Float);
        assert_eq!(usual(Scalar::Float, Scalar::Double), Scalar::Double);
        assert_eq!(usual(Scalar::Bool, Scalar::Bool), Scalar::Int);
    }
}
