//! Conversions between numbers (OpenCL C section 6.4.3).

use half::f16;
use touchstone_ir::{NumKind, Rounding, Scalar, nearest_half};

/// One conversion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Conversion {
    pub(crate) from: (NumKind, Scalar),
    pub(crate) to: (NumKind, Scalar),
    pub(crate) rounding: Rounding,
    pub(crate) saturate: bool,
}

/// A number between reading and writing: wide enough for every source.
#[derive(Clone, Copy, Debug)]
enum Number {
    Int(i128),
    Float(f64),
}

/// The bits of an integer as a number.
pub(crate) fn read_int(kind: NumKind, scalar: Scalar, bits: u64) -> i128 {
    match kind {
        NumKind::Signed => i128::from(sign_extend(scalar, bits)),
        NumKind::Unsigned | NumKind::Float => i128::from(bits),
    }
}

/// The bits of a two's complement integer, as one of 64 bits.
pub(crate) fn sign_extend(scalar: Scalar, bits: u64) -> i64 {
    match scalar {
        Scalar::Bool => bits as i64,
        Scalar::I8 => i64::from(bits as i8),
        Scalar::I16 | Scalar::F16 => i64::from(bits as i16),
        Scalar::I32 | Scalar::F32 => i64::from(bits as i32),
        Scalar::I64 | Scalar::F64 => bits as i64,
    }
}

/// The bits of a float as a double, exactly.
pub(crate) fn read_float(scalar: Scalar, bits: u64) -> f64 {
    match scalar {
        Scalar::F16 => f64::from(f16::from_bits(bits as u16)),
        Scalar::F32 => f64::from(f32::from_bits(bits as u32)),
        Scalar::F64 | Scalar::Bool | Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64 => {
            f64::from_bits(bits)
        }
    }
}

/// A function for the conversions that programs make most; None for the others.
pub(crate) fn direct(c: &Conversion) -> Option<fn(u64) -> u64> {
    use NumKind::{Float, Signed, Unsigned};
    if c.saturate || c.rounding != Rounding::Default {
        return None;
    }
    Some(match (c.from, c.to) {
        ((Signed, Scalar::I32), (Float, Scalar::F32)) => |a| (a as i32 as f32).to_bits().into(),
        ((Unsigned, Scalar::I32), (Float, Scalar::F32)) => |a| (a as u32 as f32).to_bits().into(),
        ((Signed, Scalar::I64), (Float, Scalar::F32)) => |a| (a as i64 as f32).to_bits().into(),
        ((Unsigned, Scalar::I64), (Float, Scalar::F32)) => |a| (a as f32).to_bits().into(),
        ((Signed, Scalar::I32), (Float, Scalar::F64)) => |a| f64::from(a as i32).to_bits(),
        ((Unsigned, Scalar::I32), (Float, Scalar::F64)) => |a| f64::from(a as u32).to_bits(),
        ((Signed, Scalar::I64), (Float, Scalar::F64)) => |a| (a as i64 as f64).to_bits(),
        ((Unsigned, Scalar::I64), (Float, Scalar::F64)) => |a| (a as f64).to_bits(),
        ((Float, Scalar::F32), (Float, Scalar::F64)) => {
            |a| f64::from(f32::from_bits(a as u32)).to_bits()
        }
        ((Float, Scalar::F64), (Float, Scalar::F32)) => {
            |a| (f64::from_bits(a) as f32).to_bits().into()
        }
        ((Float, Scalar::F32), (Signed, Scalar::I32)) => {
            |a| (f32::from_bits(a as u32) as i32 as u32).into()
        }
        ((Float, Scalar::F32), (Unsigned, Scalar::I32)) => {
            |a| (f32::from_bits(a as u32) as u32).into()
        }
        ((Float, Scalar::F64), (Signed, Scalar::I32)) => {
            |a| (f64::from_bits(a) as i32 as u32).into()
        }
        ((Float, Scalar::F64), (Signed, Scalar::I64)) => |a| f64::from_bits(a) as i64 as u64,
        _ => return None,
    })
}

impl Conversion {
    /// The bits of the result.
    pub(crate) fn apply(&self, bits: u64) -> u64 {
        let (from, source) = self.from;
        let number = match from {
            NumKind::Float => Number::Float(read_float(source, bits)),
            NumKind::Signed | NumKind::Unsigned => Number::Int(read_int(from, source, bits)),
        };
        let (to, target) = self.to;
        match to {
            NumKind::Float => match number {
                Number::Int(i) => int_to_float(i, target, self.rounding),
                Number::Float(f) => float_to_float(f, target, self.rounding),
            },
            NumKind::Signed | NumKind::Unsigned => match number {
                Number::Int(i) => self.int_to_int(i),
                Number::Float(f) => self.float_to_int(f),
            },
        }
    }

    /// Smallest and largest number of the target, an integer type.
    fn limits(&self) -> (i128, i128) {
        let (kind, target) = self.to;
        let bits = target.bits();
        match kind {
            NumKind::Signed => (-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
            NumKind::Unsigned | NumKind::Float => (0, (1 << bits) - 1),
        }
    }

    fn int_to_int(&self, i: i128) -> u64 {
        if self.to.1 == Scalar::Bool {
            return (i != 0).into();
        }
        let i = if self.saturate {
            let (min, max) = self.limits();
            i.clamp(min, max)
        } else {
            i
        };
        i as u64 & self.to.1.mask()
    }

    /// Out of range without saturation the result is the specification's to
    /// leave open; here it is the nearest number, too. NaN becomes 0.
    fn float_to_int(&self, f: f64) -> u64 {
        if self.to.1 == Scalar::Bool {
            return (f != 0.0).into();
        }
        let rounded = match self.rounding {
            Rounding::Default | Rounding::TowardZero => f.trunc(),
            Rounding::NearestEven => f.round_ties_even(),
            Rounding::Up => f.ceil(),
            Rounding::Down => f.floor(),
        };
        let (min, max) = self.limits();
        (rounded as i128).clamp(min, max) as u64 & self.to.1.mask()
    }
}

/// Compares the exact value with a double; None never, as neither is NaN.
fn exceeds(float: f64, exact: i128) -> bool {
    // Doubles that come from here are integral and at most 2^64, so exact as i128.
    float as i128 > exact
}

/// Moves a float one step toward zero, up or down where rounding to nearest
/// went the other way. `over`: the float is above the exact value; `under`: below.
macro_rules! nudge {
    ($float:expr, $over:expr, $under:expr, $negative:expr, $rounding:expr) => {{
        let (rounding, negative): (Rounding, bool) = ($rounding, $negative);
        let toward_zero = rounding == Rounding::TowardZero;
        let down = $over && (rounding == Rounding::Down || toward_zero && !negative);
        let up = $under && (rounding == Rounding::Up || toward_zero && negative);
        if down {
            $float.next_down()
        } else if up {
            $float.next_up()
        } else {
            $float
        }
    }};
}

fn int_to_float(i: i128, target: Scalar, rounding: Rounding) -> u64 {
    let negative = i < 0;
    match target {
        Scalar::F32 => {
            let f = i as f32;
            let wide = f64::from(f);
            let under = !exceeds(wide, i) && wide as i128 != i;
            nudge!(f, exceeds(wide, i), under, negative, rounding)
                .to_bits()
                .into()
        }
        Scalar::F16 => {
            // Past the range of a half, every number rounds alike, so the
            // clamp keeps what matters and makes the double exact.
            let f = i.clamp(-(1 << 40), 1 << 40) as f64;
            float_to_float(f, Scalar::F16, rounding)
        }
        Scalar::F64 | Scalar::Bool | Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64 => {
            let f = i as f64;
            let under = !exceeds(f, i) && f as i128 != i;
            nudge!(f, exceeds(f, i), under, negative, rounding).to_bits()
        }
    }
}

fn float_to_float(f: f64, target: Scalar, rounding: Rounding) -> u64 {
    match target {
        Scalar::F32 => {
            let n = f as f32;
            let wide = f64::from(n);
            nudge!(n, wide > f, wide < f, f < 0.0, rounding)
                .to_bits()
                .into()
        }
        Scalar::F16 => {
            let n = f16::from_bits(nearest_half(f));
            let wide = f64::from(n);
            let step = Half(n);
            nudge!(step, wide > f, wide < f, f < 0.0, rounding)
                .0
                .to_bits()
                .into()
        }
        Scalar::F64 | Scalar::Bool | Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64 => {
            f.to_bits()
        }
    }
}

/// A half with the neighbours that `nudge` asks for. It is never NaN there.
#[derive(Clone, Copy)]
struct Half(f16);

impl Half {
    fn next_up(self) -> Half {
        let bits = self.0.to_bits();
        Half(f16::from_bits(match bits {
            0x7c00 => bits,
            0x8000 => 1,
            _ if bits & 0x8000 == 0 => bits + 1,
            _ => bits - 1,
        }))
    }

    fn next_down(self) -> Half {
        let flipped = Half(f16::from_bits(self.0.to_bits() ^ 0x8000)).next_up();
        Half(f16::from_bits(flipped.0.to_bits() ^ 0x8000))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn conversion(
        from: (NumKind, Scalar),
        to: (NumKind, Scalar),
        rounding: Rounding,
        saturate: bool,
    ) -> Conversion {
        Conversion {
            from,
            to,
            rounding,
            saturate,
        }
    }

    const SIGNED: NumKind = NumKind::Signed;
    const UNSIGNED: NumKind = NumKind::Unsigned;
    const FLOAT: NumKind = NumKind::Float;

    #[test]
    fn float_to_integer_rounds_as_asked() {
        let to = |rounding, f: f32| {
            conversion((FLOAT, Scalar::F32), (SIGNED, Scalar::I32), rounding, false)
                .apply(f.to_bits().into()) as i32
        };
        assert_eq!(to(Rounding::Default, -2.7), -2);
        assert_eq!(to(Rounding::NearestEven, 2.5), 2);
        assert_eq!(to(Rounding::Up, 2.1), 3);
        assert_eq!(to(Rounding::Down, -2.1), -3);
        assert_eq!(to(Rounding::TowardZero, -2.9), -2);
    }

    #[test]
    fn integers_saturate_when_asked() {
        let c = |saturate| {
            conversion(
                (SIGNED, Scalar::I32),
                (UNSIGNED, Scalar::I8),
                Rounding::Default,
                saturate,
            )
        };
        assert_eq!(c(true).apply(-5i32 as u32 as u64), 0);
        assert_eq!(c(true).apply(300), 255);
        assert_eq!(c(false).apply(300), 44);
    }

    #[test]
    fn float_narrowing_honours_direction() {
        let c = |rounding| conversion((FLOAT, Scalar::F64), (FLOAT, Scalar::F32), rounding, false);
        let x = 1.0 + f64::EPSILON;
        let bits = |f: f32| u64::from(f.to_bits());
        assert_eq!(c(Rounding::Default).apply(x.to_bits()), bits(1.0));
        assert_eq!(c(Rounding::Up).apply(x.to_bits()), bits(1.0f32.next_up()));
        assert_eq!(c(Rounding::Down).apply(x.to_bits()), bits(1.0));
        assert_eq!(
            c(Rounding::Down).apply((-x).to_bits()),
            bits((-1.0f32).next_down())
        );
        assert_eq!(
            c(Rounding::TowardZero).apply(f64::MAX.to_bits()),
            bits(f32::MAX)
        );
        assert_eq!(
            c(Rounding::Default).apply(f64::MAX.to_bits()),
            bits(f32::INFINITY)
        );
    }

    /// The halves around a double, one of which rounding gives, and the number half-way between them.
    fn around(f: f64) -> (f64, f64, f64) {
        let mut low = Half(f16::from_f32(f as f32));
        while f64::from(low.0) > f {
            low = low.next_down();
        }
        while f64::from(low.next_up().0) <= f {
            low = low.next_up();
        }
        let (low, high) = (f64::from(low.0), f64::from(low.next_up().0));
        (low, high, low / 2.0 + high / 2.0)
    }

    #[test]
    fn doubles_become_halves_in_one_rounding() {
        let to = |rounding, f: f64| {
            let c = conversion((FLOAT, Scalar::F64), (FLOAT, Scalar::F16), rounding, false);
            read_float(Scalar::F16, c.apply(f.to_bits()))
        };
        let wholes = [
            0.0,
            1.0,
            3.0,
            1024.5,
            2049.0,
            65503.0,
            2f64.powi(-24),
            3.1 * 2f64.powi(-20),
        ];
        for whole in wholes {
            let (_, _, middle) = around(whole);
            // Bits that a float does not have, on either side of what lies half-way.
            for f in [whole, middle, middle.next_up(), middle.next_down()] {
                for f in [f, -f] {
                    let (low, high, middle) = around(f);
                    let (zero, other) = if f < 0.0 { (high, low) } else { (low, high) };
                    assert_eq!(to(Rounding::Down, f), low, "{f}");
                    assert_eq!(
                        to(Rounding::Up, f),
                        if f == low { low } else { high },
                        "{f}"
                    );
                    assert_eq!(
                        to(Rounding::TowardZero, f),
                        if f == other { other } else { zero },
                        "{f}"
                    );
                    let nearest = to(Rounding::NearestEven, f);
                    match f.total_cmp(&middle) {
                        std::cmp::Ordering::Less => assert_eq!(nearest, low, "{f}"),
                        std::cmp::Ordering::Greater => assert_eq!(nearest, high, "{f}"),
                        std::cmp::Ordering::Equal => {
                            assert_eq!(f16::from_f64(nearest).to_bits() & 1, 0, "{f}");
                        }
                    }
                }
            }
        }
        assert_eq!(to(Rounding::Default, 1e300), f64::INFINITY);
        assert_eq!(to(Rounding::TowardZero, 1e300), 65504.0);
        assert_eq!(to(Rounding::Default, 65520.0f64.next_down()), 65504.0);
        assert_eq!(to(Rounding::Default, 65520.0), f64::INFINITY);
        assert_eq!(to(Rounding::Up, 1e-300), 2f64.powi(-24));
        assert_eq!(
            to(Rounding::Default, 2f64.powi(-25).next_up()),
            2f64.powi(-24)
        );
    }

    #[test]
    fn half_neighbours_cross_zero() {
        assert_eq!(Half(f16::from_bits(0x8000)).next_up().0.to_bits(), 1);
        assert_eq!(Half(f16::from_bits(0)).next_down().0.to_bits(), 0x8001);
        assert_eq!(Half(f16::from_bits(0x7c00)).next_down().0, f16::MAX);
    }

    proptest! {
        #[test]
        fn agrees_with_rust(bits: u64) {
            let i64_f32 = conversion((SIGNED, Scalar::I64), (FLOAT, Scalar::F32), Rounding::Default, false);
            prop_assert_eq!(i64_f32.apply(bits), u64::from((bits as i64 as f32).to_bits()));
            let u64_f64 = conversion((UNSIGNED, Scalar::I64), (FLOAT, Scalar::F64), Rounding::Default, false);
            prop_assert_eq!(u64_f64.apply(bits), (bits as f64).to_bits());
            let f64_i32 = conversion((FLOAT, Scalar::F64), (SIGNED, Scalar::I32), Rounding::Default, true);
            prop_assert_eq!(f64_i32.apply(bits), u64::from(f64::from_bits(bits) as i32 as u32));
            let f64_u64 = conversion((FLOAT, Scalar::F64), (UNSIGNED, Scalar::I64), Rounding::Default, true);
            prop_assert_eq!(f64_u64.apply(bits), f64::from_bits(bits) as u64);
            let i32_i64 = conversion((SIGNED, Scalar::I32), (SIGNED, Scalar::I64), Rounding::Default, false);
            prop_assert_eq!(i32_i64.apply(bits & 0xffff_ffff), bits as i32 as i64 as u64);
        }

        #[test]
        fn directed_rounding_brackets_the_value(i: i64) {
            let to = |rounding| {
                let bits = conversion((SIGNED, Scalar::I64), (FLOAT, Scalar::F32), rounding, false).apply(i as u64);
                f32::from_bits(bits as u32) as i128
            };
            let (down, up) = (to(Rounding::Down), to(Rounding::Up));
            let exact = i128::from(i);
            prop_assert!(down <= exact && exact <= up);
            let zero = to(Rounding::TowardZero);
            prop_assert_eq!(zero, if i < 0 { up } else { down });
        }
    }
}
