//! Halves, floats of 16 bits, as numbers: for constants in the front end and for what executors compute.

use half::f16;

/// The half nearest to a double, the even one of two, as its bits. On the way through `float`, which has digits to
/// spare, what is lost sets the last one: so no number comes to lie half-way between two halves that does not.
pub fn nearest_half(f: f64) -> u16 {
    let n = f as f32;
    let wide = f64::from(n);
    if wide == f || n.is_nan() {
        return f16::from_f32(n).to_bits();
    }
    let toward_zero = n.to_bits() - u32::from(wide.abs() > f.abs());
    f16::from_f32(f32::from_bits(toward_zero | 1)).to_bits()
}

/// The number that the bits of a half are.
pub fn half_value(bits: u16) -> f64 {
    f16::from_bits(bits).to_f64()
}
