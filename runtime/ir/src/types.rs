//! The types a register or a memory access can have.

use crate::names::named;
use std::fmt;

named! {
    /// A scalar type. Integers carry no sign; `Bool` is one byte in memory.
    Scalar {
        /// True or false; 0 or 1 in a byte of memory.
        Bool = "bool",
        /// 8-bit integer.
        I8 = "i8",
        /// 16-bit integer.
        I16 = "i16",
        /// 32-bit integer.
        I32 = "i32",
        /// 64-bit integer.
        I64 = "i64",
        /// IEEE 754 binary16.
        F16 = "f16",
        /// IEEE 754 binary32.
        F32 = "f32",
        /// IEEE 754 binary64.
        F64 = "f64",
    }
}

impl Scalar {
    /// Size in memory, in bytes.
    pub const fn size(self) -> u32 {
        match self {
            Scalar::Bool | Scalar::I8 => 1,
            Scalar::I16 | Scalar::F16 => 2,
            Scalar::I32 | Scalar::F32 => 4,
            Scalar::I64 | Scalar::F64 => 8,
        }
    }

    /// Width of the value, in bits.
    pub const fn bits(self) -> u32 {
        match self {
            Scalar::Bool => 1,
            _ => self.size() * 8,
        }
    }

    /// Whether this is one of the floating-point types.
    pub const fn is_float(self) -> bool {
        matches!(self, Scalar::F16 | Scalar::F32 | Scalar::F64)
    }

    /// Whether this is one of the integer types (`Bool` is not).
    pub const fn is_int(self) -> bool {
        matches!(self, Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64)
    }

    /// The integer type of the same size in memory.
    pub const fn int_of_size(self) -> Scalar {
        match self {
            Scalar::Bool | Scalar::I8 => Scalar::I8,
            Scalar::I16 | Scalar::F16 => Scalar::I16,
            Scalar::I32 | Scalar::F32 => Scalar::I32,
            Scalar::I64 | Scalar::F64 => Scalar::I64,
        }
    }

    /// A mask of the value bits.
    pub const fn mask(self) -> u64 {
        match self {
            Scalar::Bool => 1,
            Scalar::I8 => 0xff,
            Scalar::I16 | Scalar::F16 => 0xffff,
            Scalar::I32 | Scalar::F32 => 0xffff_ffff,
            Scalar::I64 | Scalar::F64 => u64::MAX,
        }
    }
}

/// The number of elements of a vector type of OpenCL C.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Lanes {
    /// Two elements.
    L2 = 2,
    /// Three elements; as large in memory as four.
    L3 = 3,
    /// Four elements.
    L4 = 4,
    /// Eight elements.
    L8 = 8,
    /// Sixteen elements.
    L16 = 16,
}

impl Lanes {
    /// The number as a count.
    pub const fn count(self) -> u32 {
        self as u32
    }

    /// The vector length with `count` elements, if OpenCL C has it.
    pub const fn from_count(count: u32) -> Option<Lanes> {
        match count {
            2 => Some(Lanes::L2),
            3 => Some(Lanes::L3),
            4 => Some(Lanes::L4),
            8 => Some(Lanes::L8),
            16 => Some(Lanes::L16),
            _ => None,
        }
    }
}

named! {
    /// An OpenCL address space. Pointers of every space are 64-bit addresses, so
    /// that a conversion to generic keeps the bits.
    AddressSpace {
        /// Memory of one work-item.
        Private = "private",
        /// Memory of one work-group.
        Local = "local",
        /// Read-only memory of the program or the host.
        Constant = "constant",
        /// Memory of the device: buffers, SVM, program-scope variables.
        Global = "global",
        /// Private, local or global, known only at run time.
        Generic = "generic",
    }
}

/// The type of a register, or of one access to memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Type {
    /// One scalar.
    Scalar(Scalar),
    /// A vector of scalars (never of `Bool`).
    Vector(Scalar, Lanes),
    /// An address into the space named. What lies there is said by the access.
    Pointer(AddressSpace),
}

impl Type {
    /// Short for `Type::Scalar(Scalar::Bool)`.
    pub const BOOL: Type = Type::Scalar(Scalar::Bool);
    /// Short for `Type::Scalar(Scalar::I8)`.
    pub const I8: Type = Type::Scalar(Scalar::I8);
    /// Short for `Type::Scalar(Scalar::I16)`.
    pub const I16: Type = Type::Scalar(Scalar::I16);
    /// Short for `Type::Scalar(Scalar::I32)`.
    pub const I32: Type = Type::Scalar(Scalar::I32);
    /// Short for `Type::Scalar(Scalar::I64)`.
    pub const I64: Type = Type::Scalar(Scalar::I64);
    /// Short for `Type::Scalar(Scalar::F16)`.
    pub const F16: Type = Type::Scalar(Scalar::F16);
    /// Short for `Type::Scalar(Scalar::F32)`.
    pub const F32: Type = Type::Scalar(Scalar::F32);
    /// Short for `Type::Scalar(Scalar::F64)`.
    pub const F64: Type = Type::Scalar(Scalar::F64);

    /// Size in memory, in bytes. A vector of three is as large as one of four.
    pub const fn size(self) -> u32 {
        match self {
            Type::Scalar(s) => s.size(),
            Type::Vector(s, Lanes::L3) => s.size() * 4,
            Type::Vector(s, n) => s.size() * n.count(),
            Type::Pointer(_) => 8,
        }
    }

    /// Natural alignment in bytes: the size (OpenCL C section 6.2.5).
    pub const fn align(self) -> u32 {
        self.size()
    }

    /// The element type: the scalar itself, or that of the vector. None for pointers.
    pub const fn element(self) -> Option<Scalar> {
        match self {
            Type::Scalar(s) | Type::Vector(s, _) => Some(s),
            Type::Pointer(_) => None,
        }
    }

    /// Number of elements; 1 for scalars and pointers.
    pub const fn lanes(self) -> u32 {
        match self {
            Type::Scalar(_) | Type::Pointer(_) => 1,
            Type::Vector(_, n) => n.count(),
        }
    }

    /// The same shape with another element type. A pointer becomes a scalar.
    pub const fn with_element(self, element: Scalar) -> Type {
        match self {
            Type::Scalar(_) | Type::Pointer(_) => Type::Scalar(element),
            Type::Vector(_, n) => Type::Vector(element, n),
        }
    }

    /// The type of a comparison of two values of this type: `bool` for scalars
    /// and pointers, integers of the same size (0 or -1) for vectors.
    pub const fn compare_result(self) -> Type {
        match self {
            Type::Scalar(_) | Type::Pointer(_) => Type::BOOL,
            Type::Vector(s, n) => Type::Vector(s.int_of_size(), n),
        }
    }

    /// Whether the elements are integers.
    pub const fn is_int(self) -> bool {
        match self {
            Type::Scalar(s) | Type::Vector(s, _) => s.is_int(),
            Type::Pointer(_) => false,
        }
    }

    /// Whether the elements are floating point.
    pub const fn is_float(self) -> bool {
        match self {
            Type::Scalar(s) | Type::Vector(s, _) => s.is_float(),
            Type::Pointer(_) => false,
        }
    }

    /// The address space, for pointers.
    pub const fn space(self) -> Option<AddressSpace> {
        match self {
            Type::Pointer(space) => Some(space),
            Type::Scalar(_) | Type::Vector(..) => None,
        }
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Type::Scalar(s) => write!(f, "{s}"),
            Type::Vector(s, n) => write!(f, "{s}x{}", n.count()),
            Type::Pointer(space) => write!(f, "ptr.{space}"),
        }
    }
}
