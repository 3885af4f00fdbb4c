//! The scalar types of OpenCL C that every device has.

use classay_vocabulary::words;
use serde::{Deserialize, Serialize};

words! {
    /// A scalar type.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum Scalar {
        /// 8 bits.
        Char = "char",
        /// 8 bits without sign.
        Uchar = "uchar",
        /// 16 bits.
        Short = "short",
        /// 16 bits without sign.
        Ushort = "ushort",
        /// 32 bits.
        Int = "int",
        /// 32 bits without sign.
        Uint = "uint",
        /// 64 bits.
        Long = "long",
        /// 64 bits without sign.
        Ulong = "ulong",
        /// Single precision.
        Float = "float",
    }
}

impl Scalar {
    /// Bytes.
    pub fn bytes(self) -> usize {
        match self {
            Scalar::Char | Scalar::Uchar => 1,
            Scalar::Short | Scalar::Ushort => 2,
            Scalar::Int | Scalar::Uint | Scalar::Float => 4,
            Scalar::Long | Scalar::Ulong => 8,
        }
    }

    /// Bits.
    pub fn bits(self) -> u32 {
        8 * self.bytes() as u32
    }

    /// Whether it is an integer type with a sign.
    pub fn signed(self) -> bool {
        match self {
            Scalar::Char | Scalar::Short | Scalar::Int | Scalar::Long => true,
            Scalar::Uchar | Scalar::Ushort | Scalar::Uint | Scalar::Ulong | Scalar::Float => false,
        }
    }
}
