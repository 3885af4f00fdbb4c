//! The numbers of each precision, as `f64`s that are exactly these.

/// How a conversion rounds ("Rounding Modes").
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// None is named: towards zero to an integer, to the nearest from one.
    Default,
    /// To the nearest, to the even one of two.
    Even,
    Zero,
    Up,
    Down,
}

/// Every one.
pub const MODES: [Mode; 5] = [Mode::Default, Mode::Even, Mode::Zero, Mode::Up, Mode::Down];

impl Mode {
    /// How it ends the name of a function.
    pub fn text(self) -> &'static str {
        match self {
            Mode::Default => "",
            Mode::Even => "_rte",
            Mode::Zero => "_rtz",
            Mode::Up => "_rtp",
            Mode::Down => "_rtn",
        }
    }

    /// The whole number that a number becomes.
    pub fn whole(self, x: f64) -> f64 {
        match self {
            Mode::Default | Mode::Zero => x.trunc(),
            Mode::Even => x.round_ties_even(),
            Mode::Up => x.ceil(),
            Mode::Down => x.floor(),
        }
    }
}

/// A floating-point format of IEEE 754.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// `half`.
    Half,
    /// `float`.
    Float,
    /// `double`.
    Double,
}

/// Every one.
pub const FORMATS: [Format; 3] = [Format::Half, Format::Float, Format::Double];

impl Format {
    /// The name of the type.
    pub fn name(self) -> &'static str {
        match self {
            Format::Half => "half",
            Format::Float => "float",
            Format::Double => "double",
        }
    }

    /// Bytes of a number.
    pub fn bytes(self) -> usize {
        match self {
            Format::Half => 2,
            Format::Float => 4,
            Format::Double => 8,
        }
    }

    /// Bits of the fraction.
    fn fraction(self) -> i32 {
        match self {
            Format::Half => 10,
            Format::Float => 23,
            Format::Double => 52,
        }
    }

    /// The exponent of the least normal number.
    pub fn least_exponent(self) -> i32 {
        match self {
            Format::Half => -14,
            Format::Float => -126,
            Format::Double => -1022,
        }
    }

    /// The exponent of the greatest number.
    pub fn greatest_exponent(self) -> i32 {
        1 - self.least_exponent()
    }

    /// The least normal number.
    pub fn least_normal(self) -> f64 {
        libm::ldexp(1.0, self.least_exponent())
    }

    /// The greatest number.
    pub fn greatest(self) -> f64 {
        let all = 2.0 - libm::ldexp(1.0, -self.fraction());
        libm::ldexp(all, self.greatest_exponent())
    }

    /// The distance from 1 to the next number (`FLT_EPSILON`, `HALF_EPSILON`, `DBL_EPSILON`).
    pub fn epsilon(self) -> f64 {
        libm::ldexp(1.0, -self.fraction())
    }

    /// The number that some bits are.
    pub fn number(self, bits: u64) -> f64 {
        let (sign, magnitude) = self.parts(bits);
        let fraction = magnitude & ((1 << self.fraction()) - 1);
        let exponent = (magnitude >> self.fraction()) as i32;
        let unit = self.least_exponent() - self.fraction();
        let value = if exponent == self.greatest_exponent() * 2 + 1 {
            match fraction {
                0 => f64::INFINITY,
                _ => f64::NAN,
            }
        } else if exponent == 0 {
            libm::ldexp(fraction as f64, unit)
        } else {
            let whole = fraction | 1 << self.fraction();
            libm::ldexp(whole as f64, unit + exponent - 1)
        };
        if sign { -value } else { value }
    }

    /// The bits of a number that the format has; of a NaN, a quiet one of its sign, with as many bits of its fraction as
    /// there is room for.
    pub fn bits(self, number: f64) -> u64 {
        let sign = u64::from(number.is_sign_negative()) << (8 * self.bytes() - 1);
        let beyond = ((2 * self.greatest_exponent() + 1) as u64) << self.fraction();
        if number.is_nan() {
            let fraction = (number.to_bits() & ((1 << 52) - 1)) >> (52 - self.fraction());
            return sign | beyond | 1 << (self.fraction() - 1) | fraction;
        }
        if number.is_infinite() {
            return sign | beyond;
        }
        let number = number.abs();
        if number < self.least_normal() {
            let unit = self.fraction() - self.least_exponent();
            // In two steps: the factor of a `double` is no `double`.
            let halves = libm::ldexp(libm::ldexp(number, unit / 2), unit - unit / 2);
            return sign | halves as u64;
        }
        let exponent = libm::ilogb(number);
        let whole = libm::ldexp(number, self.fraction() - exponent) as u64;
        let fraction = whole & ((1 << self.fraction()) - 1);
        sign | ((exponent - self.least_exponent() + 1) as u64) << self.fraction() | fraction
    }

    /// Whether bits are negative, and the others.
    fn parts(self, bits: u64) -> (bool, u64) {
        let top = 1 << (8 * self.bytes() - 1);
        (bits & top != 0, bits & (top - 1))
    }

    /// The place of a number that the format has among all of them: -0 stands before +0.
    pub fn key(self, number: f64) -> i64 {
        let (sign, magnitude) = self.parts(self.bits(number));
        match sign {
            true => !(magnitude as i64),
            false => magnitude as i64,
        }
    }

    /// The number at a place.
    pub fn at(self, key: i64) -> f64 {
        match key < 0 {
            true => -self.number(!key as u64),
            false => self.number(key as u64),
        }
    }

    /// Whether a number is too small to be normal, and no zero.
    pub fn subnormal(self, number: f64) -> bool {
        number != 0.0 && number.abs() < self.least_normal()
    }

    /// The distance of numbers of the size of a value; the larger one at a power of two.
    pub fn ulp(self, value: f64) -> f64 {
        let exponent = match value.abs() < self.least_normal() {
            true => self.least_exponent(),
            false if value.is_infinite() => self.greatest_exponent(),
            false => libm::ilogb(value).min(self.greatest_exponent()),
        };
        libm::ldexp(1.0, exponent - self.fraction())
    }

    /// A value in units of its last place, made whole by a function, where that is not beyond the greatest number.
    fn made_whole(self, value: f64, whole: impl Fn(f64) -> f64) -> f64 {
        if self == Format::Double || value == 0.0 || !value.is_finite() {
            return value;
        }
        let unit = self.ulp(value);
        whole(value / unit) * unit
    }

    /// The least number not below a value. An infinity counts as the number that came after the greatest one ("Result
    /// overflow within the specified ULP error is permitted").
    pub fn up(self, value: f64) -> f64 {
        let up = self.made_whole(value, f64::ceil);
        if up > self.greatest() {
            return f64::INFINITY;
        }
        if self == Format::Double || up >= -self.greatest() {
            return up;
        }
        match value <= -libm::ldexp(1.0, self.greatest_exponent() + 1) {
            true => f64::NEG_INFINITY,
            false => -self.greatest(),
        }
    }

    /// The greatest number not above a value.
    pub fn down(self, value: f64) -> f64 {
        -self.up(-value)
    }

    /// The number that a value becomes where it is rounded like this. A finite one that is rounded towards zero, or away
    /// from the infinity that it is beside, becomes no infinity, however great it is.
    pub fn rounded(self, value: f64, mode: Mode) -> f64 {
        let away = match mode {
            Mode::Default | Mode::Even => return self.nearest(value),
            _ if value.is_nan() => return value,
            Mode::Zero => false,
            Mode::Up => value > 0.0,
            Mode::Down => value < 0.0,
        };
        let rounded = match (value < 0.0) == away {
            true => self.down(value),
            false => self.up(value),
        };
        let greatest = self.greatest();
        match value.is_finite() && !away {
            true => rounded.clamp(-greatest, greatest),
            false => rounded,
        }
    }

    /// The number that an integer becomes.
    pub fn of_integer(self, n: i128, mode: Mode) -> f64 {
        let near = n as f64;
        // Of the two numbers of an `f64` around it the one on its other side says which way the integer lies.
        let exact = near as i128 == n;
        if self == Format::Double {
            let above = near as i128 > n;
            let up = match mode {
                Mode::Default | Mode::Even => return near,
                Mode::Zero => n < 0,
                Mode::Up => true,
                Mode::Down => false,
            };
            return match (up, above) {
                (true, false) if !exact => near.next_up(),
                (false, true) => near.next_down(),
                _ => near,
            };
        }
        // Rounded once: a bit that is lost stays as an odd last bit.
        let odd = match exact || near.to_bits() % 2 == 1 {
            true => near,
            false if (near as i128) < n => near.next_up(),
            false => near.next_down(),
        };
        self.rounded(odd, mode)
    }

    /// The nearest number, the even one of two; infinity where that would be beyond the greatest.
    pub fn nearest(self, value: f64) -> f64 {
        let nearest = self.made_whole(value, f64::round_ties_even);
        match nearest.abs() > self.greatest() {
            true => f64::INFINITY.copysign(value),
            false => nearest,
        }
    }
}

/// A sum, rounded to odd: one that is no `f64` becomes the neighbour whose last bit is set, so that rounding it once more,
/// to fewer bits, gives the number nearest to the sum itself.
pub fn to_odd(x: f64, y: f64) -> f64 {
    let sum = x + y;
    // What is lost, exactly (Knuth's two-sum).
    let of_y = sum - x;
    let lost = (x - (sum - of_y)) + (y - of_y);
    let is_even = sum.to_bits().is_multiple_of(2);
    match lost != 0.0 && lost.is_finite() && sum != 0.0 && is_even {
        true => f64::from_bits(match (lost > 0.0) == (sum > 0.0) {
            true => sum.to_bits() + 1,
            false => sum.to_bits() - 1,
        }),
        false => sum,
    }
}
