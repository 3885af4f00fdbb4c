//! Buffers that say what kernels and the host may do with them, and who makes them.

use super::listed::{Flag, uses};
use crate::choices::Choices;
use classay_vocabulary::Need;
use serde::{Deserialize, Serialize};

/// A buffer of some flags, with which everything is done that these allow.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Flagged {
    /// Its flags.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub flags: Vec<Flag>,
    /// It is made by clCreateBufferWithProperties, with a list that is empty, or with none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub list: Option<bool>,
    /// It is a part of a buffer that has the flags.
    #[serde(default)]
    pub part: bool,
}

impl Flagged {
    /// What the device must offer for it.
    pub fn needs(&self) -> &'static [Need] {
        match self.list {
            Some(_) => &[Need::Api30],
            None => &[],
        }
    }

    /// Whether it has none of these flags.
    fn lacks(&self, flags: &[Flag]) -> bool {
        !self.flags.iter().any(|flag| flags.contains(flag))
    }

    /// Whether kernels may read it.
    pub fn kernels_read(&self) -> bool {
        self.lacks(&[Flag::WriteOnly])
    }

    /// Whether kernels may write it.
    pub fn kernels_write(&self) -> bool {
        self.lacks(&[Flag::ReadOnly])
    }

    /// Whether the host may read it.
    pub fn host_reads(&self) -> bool {
        self.lacks(&[Flag::HostWrites, Flag::NoHost])
    }

    /// Whether the host may write it.
    pub fn host_writes(&self) -> bool {
        self.lacks(&[Flag::HostReads, Flag::NoHost])
    }

    /// Whether it has its first contents from memory of the host.
    pub fn is_from_host(&self) -> bool {
        !self.lacks(&[Flag::Uses, Flag::Copies])
    }
}

/// A buffer of any flags.
pub fn flagged(choices: &mut Choices) -> Flagged {
    let [access, host] = uses(choices);
    let pointer = choices.one_of(&[
        None,
        Some(Flag::Copies),
        Some(Flag::Uses),
        Some(Flag::Allocates),
    ]);
    Flagged {
        flags: [access, host, pointer].into_iter().flatten().collect(),
        list: choices.one_of(&[None, None, Some(false), Some(true)]),
        part: choices.percent(35),
    }
}
