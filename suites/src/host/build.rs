//! How programs of kernels are built.

use crate::choices::Choices;
use serde::{Deserialize, Serialize};

/// How a program is built.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Build {
    /// The `-cl-std` value; the device's highest where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub std: Option<String>,
    /// Further options.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub options: String,
    /// Other programs, built before in the same context, which must not matter.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub before: Vec<OtherProgram>,
    /// Builds of the program itself before the one that counts, which must not matter.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub earlier: Vec<EarlierBuild>,
    /// Values of specialization constants by their numbers, in the order in which they are set before the build: of one
    /// that is set twice the last one counts ("clSetProgramSpecializationConstant").
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub specialized: Vec<(u32, SpecializationValue)>,
    /// How translation units are linked, where there are several.
    #[serde(default, skip_serializing_if = "Linking::is_plain")]
    pub linking: Linking,
    /// The source is built, its binary taken, and the kernels come from a program of that binary, built so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub through_binary: Option<OfBinary>,
}

/// How a program of a binary is built. Other options than those of the binary are implementation-defined
/// ("clBuildProgram").
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OfBinary {
    /// With the options with which the binary was built; `true` says the same.
    #[serde(alias = "true")]
    SameOptions,
    /// With NULL, "as if options were the same as when the program binary was originally built".
    NoOptions,
}

impl OfBinary {
    /// So often in a hundred.
    pub(crate) fn drawn(choices: &mut Choices, percent: usize) -> Option<OfBinary> {
        let is_binary = choices.percent(percent);
        is_binary.then(|| {
            use OfBinary::{NoOptions, SameOptions};
            choices.one_of(&[SameOptions, NoOptions, NoOptions])
        })
    }
}

/// How translation units become a program.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
)]
#[serde(deny_unknown_fields)]
pub struct Linking {
    /// All but the first are linked to a library, which the first is then linked with.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub library: bool,
    /// What is linked are programs of the binaries of compiled units, and of the library.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub binaries: bool,
}

impl Linking {
    /// The options with which a library is made.
    pub const LIBRARY: &str = "-create-library";

    /// Whether all units are compiled and linked as they are.
    pub fn is_plain(&self) -> bool {
        *self == Linking::default()
    }
}

/// Another program.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OtherProgram {
    /// Its source.
    pub source: String,
    /// Further options.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub options: String,
}

/// A build of a program before the one that counts.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EarlierBuild {
    /// Further options.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub options: String,
    /// Values of specialization constants, set before it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub specialized: Vec<(u32, SpecializationValue)>,
}

/// A value of a specialization constant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(untagged)]
pub enum SpecializationValue {
    /// Of a boolean one: "_spec_value_ should be a pointer to a {cl_uchar_TYPE} value".
    Flag(bool),
    /// Of one of 32 bits.
    Word(u32),
    /// True for a boolean one, by another byte than 1: "any other value will set it to true".
    True {
        /// The byte, which is not 0.
        byte: u8,
    },
    /// Of one of another size.
    Number {
        /// Its size: 8, 16 or 64.
        bits: u8,
        /// The number.
        number: u64,
    },
}

impl SpecializationValue {
    /// What clSetProgramSpecializationConstant is given.
    pub fn bytes(self) -> Vec<u8> {
        match self {
            SpecializationValue::Flag(on) => vec![on.into()],
            SpecializationValue::Word(word) => word.to_ne_bytes().to_vec(),
            SpecializationValue::True { byte } => vec![byte],
            SpecializationValue::Number { bits, number } => match bits {
                8 => vec![number as u8],
                16 => (number as u16).to_ne_bytes().to_vec(),
                _ => number.to_ne_bytes().to_vec(),
            },
        }
    }
}
