//! The faults of this process, as its environment names them.
//!
//! The setting is read once, by the first call. A setting that does not parse ends the process with
//! exit code 2: a fault that silently does not happen would make a test that cannot fail.

use super::counter::Counters;
use super::grammar::{self, Faults};
use super::registry;
use super::spoof::Claim;
use crate::say;
use classay_faults::SourceMutation;
use std::sync::OnceLock;

/// The environment variable that lists the faults.
pub const VARIABLE: &str = "CLASSAY_LAYER_FAULTS";

/// The environment variable that names the file of counters.
pub const STATE_VARIABLE: &str = "CLASSAY_LAYER_STATE";

/// The exit code of a process whose setting cannot be obeyed.
pub const EXIT_BAD_SETTING: i32 = 2;

/// The faults of this process and the counters that they are timed by.
pub(super) struct Active {
    pub(super) faults: Faults,
    pub(super) counters: Counters,
}

impl Active {
    pub(super) fn get() -> &'static Active {
        static ACTIVE: OnceLock<Active> = OnceLock::new();
        ACTIVE.get_or_init(|| match Active::from_environment() {
            Ok(active) => active,
            Err(message) => {
                say::line(&message);
                say::quit(EXIT_BAD_SETTING)
            }
        })
    }

    fn from_environment() -> Result<Active, String> {
        let setting = match std::env::var(VARIABLE) {
            Ok(setting) => setting,
            Err(std::env::VarError::NotPresent) => String::new(),
            Err(std::env::VarError::NotUnicode(_)) => {
                return Err(format!("{VARIABLE} is not valid UTF-8"));
            }
        };
        if setting.trim() == "list" {
            say::bytes(libc::STDERR_FILENO, registry::listing().as_bytes());
            say::quit(0);
        }
        if setting.trim() == "list=json" {
            say::bytes(libc::STDERR_FILENO, classay_faults::json().as_bytes());
            say::quit(0);
        }
        let faults = grammar::parse(&setting)
            .map_err(|error| format!("{VARIABLE}: {error}; {VARIABLE}=list prints every fault"))?;
        let state = std::env::var_os(STATE_VARIABLE).filter(|path| !path.is_empty());
        let counters = Counters::new(state.map(Into::into))
            .map_err(|error| format!("{STATE_VARIABLE}: {error}"))?;
        Ok(Active { faults, counters })
    }
}

/// The faults that shape what a call carries, asked by the hooks.
pub(crate) fn claims() -> &'static [Claim] {
    &Active::get().faults.claims
}

/// Whether calls go wrong.
pub(crate) fn break_calls() -> bool {
    !Active::get().faults.at_calls.is_empty()
}

/// The mutations of kernel sources that are active.
pub(crate) fn mutations() -> &'static [SourceMutation] {
    &Active::get().faults.mutations
}
