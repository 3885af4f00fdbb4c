//! The words for what dependencies and calls of the host do to memory: mnemonics of the VULKAN dialect, and values
//! of `domain` in YAML.

use crate::program::{DomainOp, LocId};
use serde::{Deserialize, Serialize};

/// A [`DomainOp`] without the location that it may be about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum DomainWord {
    Available,
    Visible,
    HostToDevice,
    DeviceToHost,
    Submit,
    Flush,
    Invalidate,
    Free,
}

/// Each with its mnemonic.
pub(crate) const DOMAINS: [(&str, DomainWord); 8] = [
    ("avdevice", DomainWord::Available),
    ("visdevice", DomainWord::Visible),
    ("domdevice", DomainWord::HostToDevice),
    ("domhost", DomainWord::DeviceToHost),
    ("submit", DomainWord::Submit),
    ("avhost", DomainWord::Flush),
    ("vishost", DomainWord::Invalidate),
    ("free", DomainWord::Free),
];

/// What is wrong with an instruction: it names no location where one belongs, or one where none does.
pub(crate) enum Misnamed {
    Missing,
    Superfluous,
}

impl DomainWord {
    /// That of an operation.
    pub fn of(operation: DomainOp) -> DomainWord {
        match operation {
            DomainOp::Available => DomainWord::Available,
            DomainOp::Visible => DomainWord::Visible,
            DomainOp::HostToDevice => DomainWord::HostToDevice,
            DomainOp::DeviceToHost => DomainWord::DeviceToHost,
            DomainOp::Submit => DomainWord::Submit,
            DomainOp::Flush(_) => DomainWord::Flush,
            DomainOp::Invalidate(_) => DomainWord::Invalidate,
            DomainOp::Free(_) => DomainWord::Free,
        }
    }

    /// Its mnemonic.
    pub fn mnemonic(self) -> &'static str {
        let found = DOMAINS.iter().find(|(_, word)| *word == self);
        found.map_or("nop", |(name, _)| name)
    }

    /// The operation, of a location where it is about one.
    pub fn operation(self, location: Option<LocId>) -> Result<DomainOp, Misnamed> {
        let of_all = |operation| match location {
            None => Ok(operation),
            Some(_) => Err(Misnamed::Superfluous),
        };
        let of_one = |about: fn(LocId) -> DomainOp| location.map(about).ok_or(Misnamed::Missing);
        match self {
            DomainWord::Available => of_all(DomainOp::Available),
            DomainWord::Visible => of_all(DomainOp::Visible),
            DomainWord::HostToDevice => of_all(DomainOp::HostToDevice),
            DomainWord::DeviceToHost => of_all(DomainOp::DeviceToHost),
            DomainWord::Submit => of_all(DomainOp::Submit),
            DomainWord::Flush => of_one(DomainOp::Flush),
            DomainWord::Invalidate => of_one(DomainOp::Invalidate),
            DomainWord::Free => of_one(DomainOp::Free),
        }
    }
}
