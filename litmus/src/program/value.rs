//! Types of the values that registers and locations hold.

classay_vocabulary::words! {
    /// A scalar type of OpenCL C that a litmus test can store. Values travel as `i64` and are always
    /// kept in the range of their type (`ulong` keeps its bits).
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
    pub enum ScalarType {
        /// 8-bit signed; plain accesses only.
        Char = "char",
        /// 8-bit unsigned; plain accesses only.
        UChar = "uchar",
        /// 16-bit signed; plain accesses only.
        Short = "short",
        /// 16-bit unsigned; plain accesses only.
        UShort = "ushort",
        /// 32-bit signed, the default.
        #[default]
        Int = "int",
        /// 32-bit unsigned.
        UInt = "uint",
        /// 64-bit signed.
        Long = "long",
        /// 64-bit unsigned.
        ULong = "ulong",
        /// A location of type `atomic_flag`, or the register that a test-and-set returns (0 or 1).
        Flag = "atomic_flag",
    }
}

impl ScalarType {
    /// The name of the atomic type in OpenCL C, where there is one.
    pub fn atomic_name(self) -> Option<&'static str> {
        match self {
            ScalarType::Int => Some("atomic_int"),
            ScalarType::UInt => Some("atomic_uint"),
            ScalarType::Long => Some("atomic_long"),
            ScalarType::ULong => Some("atomic_ulong"),
            ScalarType::Flag => Some("atomic_flag"),
            ScalarType::Char | ScalarType::UChar | ScalarType::Short | ScalarType::UShort => None,
        }
    }

    /// Width in bits.
    pub fn bits(self) -> u32 {
        match self {
            ScalarType::Char | ScalarType::UChar => 8,
            ScalarType::Short | ScalarType::UShort => 16,
            ScalarType::Int | ScalarType::UInt | ScalarType::Flag => 32,
            ScalarType::Long | ScalarType::ULong => 64,
        }
    }

    /// Brings a value into the type's range, as a conversion in C does.
    pub fn wrap(self, value: i64) -> i64 {
        match self {
            ScalarType::Char => value as i8 as i64,
            ScalarType::UChar => value as u8 as i64,
            ScalarType::Short => value as i16 as i64,
            ScalarType::UShort => value as u16 as i64,
            ScalarType::Int => value as i32 as i64,
            ScalarType::UInt => value as u32 as i64,
            ScalarType::Long | ScalarType::ULong => value,
            ScalarType::Flag => (value != 0) as i64,
        }
    }

    /// A value of this type as text; `ulong` prints its bits as unsigned.
    pub fn show(self, value: i64) -> String {
        match self == ScalarType::ULong {
            true => (value as u64).to_string(),
            false => value.to_string(),
        }
    }
}

impl ScalarType {
    /// Whether values below zero exist.
    pub fn is_signed(self) -> bool {
        match self {
            ScalarType::Char
            | ScalarType::Short
            | ScalarType::Int
            | ScalarType::Long
            | ScalarType::Flag => true,
            ScalarType::UChar | ScalarType::UShort | ScalarType::UInt | ScalarType::ULong => false,
        }
    }
}
