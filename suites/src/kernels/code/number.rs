//! Integers as OpenCL C has them: their types, conversions and operators.
//!
//! A value is its lanes' bits; a scalar has one lane. What an operator gives is computed exactly, in 128 bits,
//! and then brought to its type, so that it shows where the type does not hold it.

/// An integer type: `char` to `ulong`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Integer {
    /// 8, 16, 32 or 64.
    pub bits: u8,
    /// Two's complement, as every signed type of OpenCL C is (6.3.1 "Built-in Scalar Data Types").
    pub signed: bool,
}

/// The most lanes of a value.
pub const LANES: usize = 16;

/// The bits of each lane; lanes that a type does not have are zero.
pub type Value = [u64; LANES];

/// An integer type, or a vector of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Type {
    /// The type of each lane.
    pub of: Integer,
    /// 1 for scalars; 2, 3, 4, 8 or 16 for vectors.
    pub lanes: u8,
}

const fn integer(bits: u8, signed: bool) -> Integer {
    Integer { bits, signed }
}

/// Every integer type.
pub const INTEGERS: [Integer; 8] = [UINT, INT, ULONG, LONG, UCHAR, CHAR, USHORT, SHORT];
/// `char`, which is signed.
pub const CHAR: Integer = integer(8, true);
/// `uchar`.
pub const UCHAR: Integer = integer(8, false);
/// `short`.
pub const SHORT: Integer = integer(16, true);
/// `ushort`.
pub const USHORT: Integer = integer(16, false);
/// `int`.
pub const INT: Integer = integer(32, true);
/// `uint`.
pub const UINT: Integer = integer(32, false);
/// `long`.
pub const LONG: Integer = integer(64, true);
/// `ulong`.
pub const ULONG: Integer = integer(64, false);

impl Integer {
    /// Its name in OpenCL C.
    pub fn name(self) -> &'static str {
        match (self.bits, self.signed) {
            (8, true) => "char",
            (8, false) => "uchar",
            (16, true) => "short",
            (16, false) => "ushort",
            (32, true) => "int",
            (32, false) => "uint",
            (_, true) => "long",
            (_, false) => "ulong",
        }
    }

    /// The unsigned type of its size.
    pub fn unsigned(self) -> Integer {
        integer(self.bits, false)
    }

    /// The signed type of its size.
    pub fn signed(self) -> Integer {
        integer(self.bits, true)
    }

    /// The type that the integer promotions make of it (C99 6.3.1.1): `int` holds every narrower type.
    pub fn promoted(self) -> Integer {
        if self.bits < 32 { INT } else { self }
    }

    /// The type that the usual arithmetic conversions give two operands (C99 6.3.1.8).
    pub fn common(self, other: Integer) -> Integer {
        let (a, b) = (self.promoted(), other.promoted());
        match a.bits.cmp(&b.bits) {
            std::cmp::Ordering::Greater => a,
            std::cmp::Ordering::Less => b,
            std::cmp::Ordering::Equal => integer(a.bits, a.signed && b.signed),
        }
    }

    /// The number that bits are.
    pub fn number(self, bits: u64) -> i128 {
        let shift = 64 - u32::from(self.bits);
        if self.signed {
            i128::from(((bits << shift) as i64) >> shift)
        } else {
            i128::from((bits << shift) >> shift)
        }
    }

    /// The bits of a number, modulo the size of the type.
    pub fn wrap(self, number: i128) -> u64 {
        let shift = 64 - u32::from(self.bits);
        ((number as u64) << shift) >> shift
    }

    /// Whether the type holds a number.
    pub fn holds(self, number: i128) -> bool {
        self.number(self.wrap(number)) == number
    }

    /// The least number.
    pub fn least(self) -> i128 {
        if self.signed {
            -(1 << (self.bits - 1))
        } else {
            0
        }
    }

    /// The greatest number.
    pub fn greatest(self) -> i128 {
        (1 << (self.bits - u8::from(self.signed))) - 1
    }

    /// The nearest number that the type holds.
    pub fn saturate(self, number: i128) -> u64 {
        self.wrap(number.clamp(self.least(), self.greatest()))
    }

    /// The type of one lane.
    pub fn scalar(self) -> Type {
        self.vector(1)
    }

    /// The vector of so many.
    pub fn vector(self, lanes: u8) -> Type {
        Type { of: self, lanes }
    }
}

impl Type {
    /// Its name in OpenCL C.
    pub fn name(self) -> String {
        match self.lanes {
            1 => self.of.name().into(),
            lanes => format!("{}{lanes}", self.of.name()),
        }
    }

    /// The bytes that it has in memory: a vector of three has the size of one of four ("Alignment of Data Types").
    pub fn bytes(self) -> usize {
        usize::from(self.of.bits) / 8 * usize::from(self.lanes).next_power_of_two()
    }

    /// The same with other lanes of another type.
    pub fn with(self, of: Integer) -> Type {
        Type { of, ..self }
    }

    /// What a comparison of two such gives: `int` for scalars, a signed vector of its size else.
    pub fn truth(self) -> Type {
        match self.lanes {
            1 => INT.scalar(),
            _ => self.with(self.of.signed()),
        }
    }

    /// A scalar of this number.
    pub fn value(self, number: i128) -> Value {
        let mut value = [0; LANES];
        value[..usize::from(self.lanes)].fill(self.of.wrap(number));
        value
    }

    /// The number that a scalar is.
    pub fn number(self, value: &Value) -> i128 {
        self.of.number(value[0])
    }

    /// Lane by lane.
    pub fn each(self, lane: impl FnMut(usize) -> u64) -> Value {
        let mut value = [0; LANES];
        let lanes = 0..usize::from(self.lanes);
        for (to, bits) in value.iter_mut().zip(lanes.map(lane)) {
            *to = bits;
        }
        value
    }

    /// Each lane and one more, or one less: "the unary operators … operate on … vector types"; `None` where a signed type
    /// does not hold it.
    pub fn counted(self, value: &Value, up: bool) -> Option<Value> {
        let next = |n: usize| self.of.number(value[n]) + if up { 1 } else { -1 };
        let mut lanes = 0..usize::from(self.lanes);
        let defined = !self.of.signed || lanes.all(|n| self.of.holds(next(n)));
        defined.then(|| self.each(|n| self.of.wrap(next(n))))
    }

    /// What a condition makes of a lane: 1 for scalars, all bits for vectors.
    pub fn truth_of(self, holds: bool) -> u64 {
        let yes = if self.lanes == 1 { 1 } else { -1 };
        self.truth().of.wrap(if holds { yes } else { 0 })
    }
}

/// A binary operator that gives a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arithmetic {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    And,
    Or,
    Xor,
    Left,
    Right,
}

/// Every one.
pub const ARITHMETIC: [Arithmetic; 10] = {
    use Arithmetic::*;
    [
        Add, Subtract, Xor, Multiply, And, Or, Left, Right, Divide, Remainder,
    ]
};

impl Arithmetic {
    /// The operator's text.
    pub fn text(self) -> &'static str {
        match self {
            Arithmetic::Add => "+",
            Arithmetic::Subtract => "-",
            Arithmetic::Multiply => "*",
            Arithmetic::Divide => "/",
            Arithmetic::Remainder => "%",
            Arithmetic::And => "&",
            Arithmetic::Or => "|",
            Arithmetic::Xor => "^",
            Arithmetic::Left => "<<",
            Arithmetic::Right => ">>",
        }
    }

    /// Whether it is a shift, whose type is that of its left operand alone.
    pub fn shifts(self) -> bool {
        matches!(self, Arithmetic::Left | Arithmetic::Right)
    }

    /// The type in which operands of these types meet.
    pub fn meets(self, left: Type, right: Type) -> Type {
        match (left.lanes, self.shifts()) {
            (1, true) => left.of.promoted().scalar(),
            (1, false) => left.of.common(right.of).scalar(),
            (_, _) => left,
        }
    }

    /// What it gives of two numbers of a type, and whether the language says so: where it does not, what
    /// the safe form that takes its place gives. `right` of a shift is its bits.
    ///
    /// Shifts take their right operand modulo the width, "viewed as an unsigned integer value" ("Shift
    /// Operators"); a quotient by zero and one that its type does not hold are "an unspecified value"
    /// ("Arithmetic Operators").
    pub fn of(self, ty: Integer, left: i128, right: i128) -> (u64, bool) {
        let by = (right as u64 & (u64::from(ty.bits) - 1)) as u32;
        let exact = match self {
            Arithmetic::Add => left + right,
            Arithmetic::Subtract => left - right,
            Arithmetic::Multiply => left.wrapping_mul(right),
            Arithmetic::Divide | Arithmetic::Remainder => {
                let odd = right == 0 || !ty.holds(left / right);
                if odd {
                    return (ty.wrap(left), false);
                }
                match self {
                    Arithmetic::Divide => left / right,
                    _ => left % right,
                }
            }
            Arithmetic::And => left & right,
            Arithmetic::Or => left | right,
            Arithmetic::Xor => left ^ right,
            Arithmetic::Left => return (ty.wrap(left << by), true),
            Arithmetic::Right => left >> by,
        };
        (ty.wrap(exact), !ty.signed || ty.holds(exact))
    }
}

/// A comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Comparison {
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Equal,
    Unequal,
}

/// Every one.
pub const COMPARISONS: [Comparison; 6] = {
    use Comparison::*;
    [Less, Equal, Greater, LessOrEqual, GreaterOrEqual, Unequal]
};

impl Comparison {
    /// The operator's text.
    pub fn text(self) -> &'static str {
        match self {
            Comparison::Less => "<",
            Comparison::LessOrEqual => "<=",
            Comparison::Greater => ">",
            Comparison::GreaterOrEqual => ">=",
            Comparison::Equal => "==",
            Comparison::Unequal => "!=",
        }
    }

    /// Whether it holds of two numbers.
    pub fn holds(self, left: i128, right: i128) -> bool {
        match self {
            Comparison::Less => left < right,
            Comparison::LessOrEqual => left <= right,
            Comparison::Greater => left > right,
            Comparison::GreaterOrEqual => left >= right,
            Comparison::Equal => left == right,
            Comparison::Unequal => left != right,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_hold_their_numbers_and_no_others() {
        for ty in INTEGERS {
            assert!(ty.holds(ty.least()) && ty.holds(ty.greatest()), "{ty:?}");
            assert!(!ty.holds(ty.least() - 1) && !ty.holds(ty.greatest() + 1));
            assert_eq!(ty.number(ty.saturate(1 << 100)), ty.greatest());
            assert_eq!(ty.number(ty.wrap(ty.greatest() + 1)), ty.least());
        }
        assert_eq!(CHAR.number(0xff), -1);
        assert_eq!(UCHAR.number(0xff), 255);
    }

    #[test]
    fn vectors_are_counted_lane_by_lane() {
        let ty = UCHAR.vector(2);
        let counted = |value, up| ty.counted(&value, up).map(|value| value[..3].to_vec());
        let value = ty.each(|n| [255, 0][n]);
        assert_eq!(counted(value, true), Some(vec![0, 1, 0]));
        assert_eq!(counted(value, false), Some(vec![254, 255, 0]));
        let signed = CHAR.vector(2);
        assert_eq!(signed.counted(&signed.value(127), true), None);
    }

    #[test]
    fn operands_meet_as_c99_says() {
        assert_eq!(CHAR.common(USHORT), INT);
        assert_eq!(INT.common(UINT), UINT);
        assert_eq!(UINT.common(LONG), LONG);
        assert_eq!(LONG.common(ULONG), ULONG);
    }

    #[test]
    fn operators_give_what_the_language_says() {
        let of = |op: Arithmetic, ty: Integer, left, right| {
            let (bits, defined) = op.of(ty, left, right);
            defined.then(|| ty.number(bits))
        };
        use Arithmetic::*;
        // The shift is by the amount modulo the width, whatever its sign.
        assert_eq!(of(Left, INT, 1, 33), Some(2));
        assert_eq!(of(Left, INT, 1, -1), Some(INT.least()));
        assert_eq!(of(Right, INT, -8, 1), Some(-4));
        assert_eq!(of(Right, UINT, 0x8000_0000, 31), Some(1));
        assert_eq!(of(Right, LONG, -1, 64), Some(-1));
        assert_eq!(of(Add, INT, INT.greatest(), 1), None);
        assert_eq!(of(Add, UINT, UINT.greatest(), 1), Some(0));
        assert_eq!(
            of(Multiply, ULONG, ULONG.greatest(), ULONG.greatest()),
            Some(1)
        );
        assert_eq!(of(Divide, INT, -7, 2), Some(-3));
        assert_eq!(of(Remainder, INT, -7, 2), Some(-1));
        assert_eq!(of(Divide, INT, INT.least(), -1), None);
        assert_eq!(of(Divide, UINT, 7, 0), None);
    }
}
