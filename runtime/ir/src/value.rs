//! Registers, constants, operands and source locations.

use crate::ids::Reg;
use crate::types::{AddressSpace, Scalar, Type};
use std::fmt;

/// A scalar or pointer constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Const {
    /// The scalar whose bits are the low bits of `bits`; the bits above its
    /// width are zero.
    Scalar {
        /// Its type.
        ty: Scalar,
        /// Its bits.
        bits: u64,
    },
    /// The null pointer of a space.
    Null(AddressSpace),
}

impl Const {
    /// A constant from bits; those above the width of `ty` are dropped.
    pub const fn scalar(ty: Scalar, bits: u64) -> Const {
        Const::Scalar {
            ty,
            bits: bits & ty.mask(),
        }
    }

    /// A boolean.
    pub const fn bool(value: bool) -> Const {
        Const::scalar(Scalar::Bool, value as u64)
    }

    /// A 32-bit integer.
    pub const fn i32(value: i32) -> Const {
        Const::scalar(Scalar::I32, value as u64)
    }

    /// A 64-bit integer.
    pub const fn i64(value: i64) -> Const {
        Const::scalar(Scalar::I64, value as u64)
    }

    /// A single-precision number.
    pub const fn f32(value: f32) -> Const {
        Const::scalar(Scalar::F32, value.to_bits() as u64)
    }

    /// A double-precision number.
    pub const fn f64(value: f64) -> Const {
        Const::scalar(Scalar::F64, value.to_bits())
    }

    /// Its type.
    pub const fn ty(self) -> Type {
        match self {
            Const::Scalar { ty, .. } => Type::Scalar(ty),
            Const::Null(space) => Type::Pointer(space),
        }
    }

    /// Its bits, zero-extended.
    pub const fn bits(self) -> u64 {
        match self {
            Const::Scalar { bits, .. } => bits,
            Const::Null(_) => 0,
        }
    }
}

impl fmt::Display for Const {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Const::Null(space) => write!(f, "null.{space}"),
            Const::Scalar { ty, bits } => match ty {
                Scalar::Bool => write!(f, "{}", bits != 0),
                Scalar::I8 => write!(f, "{}:i8", bits as i8),
                Scalar::I16 => write!(f, "{}:i16", bits as i16),
                Scalar::I32 => write!(f, "{}:i32", bits as i32),
                Scalar::I64 => write!(f, "{}:i64", bits as i64),
                Scalar::F16 => write!(f, "{bits:#06x}:f16"),
                Scalar::F32 => write!(f, "{:?}:f32", f32::from_bits(bits as u32)),
                Scalar::F64 => write!(f, "{:?}:f64", f64::from_bits(bits)),
            },
        }
    }
}

/// What an instruction reads: a register or a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operand {
    /// The value of a register.
    Reg(Reg),
    /// A constant.
    Const(Const),
}

impl From<Reg> for Operand {
    fn from(reg: Reg) -> Operand {
        Operand::Reg(reg)
    }
}

impl From<Const> for Operand {
    fn from(constant: Const) -> Operand {
        Operand::Const(constant)
    }
}

impl fmt::Display for Operand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Operand::Reg(r) => write!(f, "{r}"),
            Operand::Const(c) => write!(f, "{c}"),
        }
    }
}

/// A place in the source, both counted from 1; zero line means unknown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Loc {
    /// Line.
    pub line: u32,
    /// Column.
    pub column: u32,
}

impl Loc {
    /// No place: code that the compiler made.
    pub const NONE: Loc = Loc { line: 0, column: 0 };

    /// The place at a line and a column, both from 1.
    pub const fn new(line: u32, column: u32) -> Loc {
        Loc { line, column }
    }
}

impl fmt::Display for Loc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.line == 0 {
            f.write_str("?")
        } else {
            write!(f, "{}:{}", self.line, self.column)
        }
    }
}
