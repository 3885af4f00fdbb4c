//! Reads the setting: `fault,fault,…`.
//!
//! ```text
//! fault    = name [':' when]  |  action '@' function [':' when]  |  'spoof=' claim
//! name     = one of the named faults; every call where nothing is said
//! action   = 'crash' | 'abort' | 'hang' | 'exit=' 0…255 | 'error=' status | 'skip'
//!          | 'delay=' milliseconds | 'stdout' | 'stderr' | 'corrupt' | 'ignore-wait-list'
//!          | 'double-callback' | 'early-callback' | 'equal-times' | 'reversed-times'
//! function = the name of an entry point  |  '*'
//! when     = N | N'+' | '*' | '%'P | '~'probability'/'seed          (1 where nothing is said of an action)
//! ```

use super::action::Action;
use super::spoof::{Claim, NoClaim};
use super::status;
use super::when::{NoWhen, When};
use crate::library::Entry;
use classay_faults::{ApiViolation, Carrier, SourceMutation};

/// Which calls a fault looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Site {
    /// Calls of one entry point.
    Entry(Entry),
    /// Calls of every entry point, counted together.
    Any,
}

/// A fault that happens at some calls of a function.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Fault {
    pub(crate) action: Action,
    pub(crate) site: Site,
    pub(crate) when: When,
}

/// Everything that is to be broken in this process.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Faults {
    pub(crate) at_calls: Vec<Fault>,
    pub(crate) claims: Vec<Claim>,
    pub(crate) mutations: Vec<SourceMutation>,
}

/// Where `corrupt` can happen.
pub(super) const CORRUPTIBLE: &[&str] = &[
    "clEnqueueReadBuffer",
    "clEnqueueMapBuffer",
    "clEnqueueSVMMap",
    "clEnqueueSVMMemcpy",
];

/// Where `skip` can happen: functions whose whole answer is a status.
pub(super) const SKIPPABLE: &[&str] = &[
    "clFinish",
    "clFlush",
    "clWaitForEvents",
    "clEnqueueWaitForEvents",
    "clEnqueueBarrier",
    "clSetKernelArg",
    "clSetKernelArgSVMPointer",
    "clSetKernelExecInfo",
    "clSetUserEventStatus",
    "clSetEventCallback",
];

/// Why a setting cannot be obeyed.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Wrong {
    #[error("unknown fault '{0}'")]
    UnknownFault(String),
    #[error("fault '{0}' does not say where: expected {0}@FUNCTION")]
    NoSite(String),
    #[error("'{0}' is no entry point of OpenCL")]
    UnknownFunction(String),
    #[error("fault '{0}': {1}")]
    When(String, String),
    #[error("'{0}' takes no value")]
    NoValue(String),
    #[error("'{0}' is no exit code: expected exit=CODE@FUNCTION with CODE from 0 to 255")]
    NotAnExitCode(String),
    #[error("'{0}' is no time: expected delay=MILLISECONDS@FUNCTION")]
    NotATime(String),
    #[error("'{0}' is no error: expected error=CODE@FUNCTION with CODE negative or a CL_ name")]
    NotAStatus(String),
    #[error("'{0}' cannot happen in {1}: it applies to {2}")]
    NotThere(String, String, String),
    #[error("{0}")]
    Claim(#[from] NoClaim),
}

/// Reads a whole setting.
///
/// # Errors
/// The first thing in it that means nothing.
pub(crate) fn parse(setting: &str) -> Result<Faults, Wrong> {
    let mut faults = Faults::default();
    for word in setting.split(',').map(str::trim) {
        if word.is_empty() && setting.trim().is_empty() {
            continue;
        }
        // `lie=` is the older word.
        let claim = word.strip_prefix("spoof=").or(word.strip_prefix("lie="));
        if let Some(claim) = claim {
            faults.claims.push(Claim::parse(claim)?);
        } else if !by_name(word, &mut faults)? {
            faults.at_calls.push(at_call(word)?);
        }
    }
    Ok(faults)
}

/// Adds a fault of the catalogue by its name; whether the layer carries one of this name.
fn by_name(word: &str, faults: &mut Faults) -> Result<bool, Wrong> {
    let (id, when) = match word.split_once(':') {
        Some((id, when)) => (id, Some(when)),
        None => (word, None),
    };
    let Some(entry) = classay_faults::find(id) else {
        return Ok(false);
    };
    match entry.carrier {
        Carrier::Call(violation) => {
            let when = when.map_or(Ok(When::Always), |when| at(word, when))?;
            let sites = entry.places().filter_map(Entry::find).map(Site::Entry);
            faults.at_calls.extend(sites.map(|site| Fault {
                action: Action::Violate(violation),
                site,
                when,
            }));
            Ok(true)
        }
        Carrier::Source(_) if when.is_some() => Err(Wrong::NoValue(id.to_owned())),
        Carrier::Source(mutation) => {
            faults.mutations.push(mutation);
            Ok(true)
        }
        Carrier::Capability(_) | Carrier::Touchstone(_) => Ok(false),
    }
}

/// The calls at which a fault happens.
fn at(word: &str, when: &str) -> Result<When, Wrong> {
    When::parse(when).map_err(|error: NoWhen| Wrong::When(word.to_owned(), error.to_string()))
}

fn at_call(word: &str) -> Result<Fault, Wrong> {
    let (head, place) = match word.split_once('@') {
        Some((head, place)) => (head, Some(place)),
        None => (word, None),
    };
    let (name, value) = match head.split_once('=') {
        Some((name, value)) => (name, Some(value)),
        None => (head, None),
    };
    let plain = |action| match value {
        None => Ok(action),
        Some(_) => Err(Wrong::NoValue(name.to_owned())),
    };
    let action = match name {
        "crash" => plain(Action::Crash)?,
        "abort" => plain(Action::Abort)?,
        "hang" => plain(Action::Hang)?,
        "stdout" => plain(Action::Stdout)?,
        "stderr" => plain(Action::Stderr)?,
        "corrupt" => plain(Action::Violate(ApiViolation::Corrupt))?,
        "ignore-wait-list" => plain(Action::Violate(ApiViolation::WaitsIgnored))?,
        "double-callback" => plain(Action::Violate(ApiViolation::CallbackTwice))?,
        "early-callback" => plain(Action::Violate(ApiViolation::CallbackEarly))?,
        "equal-times" => plain(Action::Violate(ApiViolation::TimesEqual))?,
        "reversed-times" => plain(Action::Violate(ApiViolation::TimesSwapped))?,
        "delay" => value
            .and_then(|milliseconds| milliseconds.parse().ok())
            .map(Action::Delay)
            .ok_or_else(|| Wrong::NotATime(head.to_owned()))?,
        "skip" => plain(Action::Violate(ApiViolation::Skipped))?,
        "exit" => value
            .and_then(|code| code.parse().ok())
            .map(Action::Exit)
            .ok_or_else(|| Wrong::NotAnExitCode(head.to_owned()))?,
        "error" => value
            .and_then(status::parse)
            .map(Action::Answer)
            .ok_or_else(|| Wrong::NotAStatus(head.to_owned()))?,
        _ => return Err(Wrong::UnknownFault(word.to_owned())),
    };
    let place = place.ok_or_else(|| Wrong::NoSite(head.to_owned()))?;
    let (function, when) = match place.split_once(':') {
        Some((function, when)) => (function, at(word, when)?),
        None => (place, When::Nth(1)),
    };
    let site = if function == "*" {
        Site::Any
    } else {
        Site::Entry(
            Entry::find(function).ok_or_else(|| Wrong::UnknownFunction(function.to_owned()))?,
        )
    };
    applies(name, action, site)?;
    Ok(Fault { action, site, when })
}

/// Whether the entry point is a command that takes a wait list: all but those of OpenCL 1.1.
fn takes_wait_list(entry: Entry) -> bool {
    let without = [
        "clEnqueueMarker",
        "clEnqueueBarrier",
        "clEnqueueWaitForEvents",
    ];
    entry.name().starts_with("clEnqueue") && !without.contains(&entry.name())
}

/// A fault that cannot happen at its place would test nothing.
fn applies(name: &str, action: Action, site: Site) -> Result<(), Wrong> {
    let function = match site {
        Site::Entry(entry) => entry.name(),
        Site::Any => "*",
    };
    let among = |functions: &[&str]| {
        if functions.contains(&function) {
            Ok(())
        } else {
            let list = functions.join(", ");
            Err(Wrong::NotThere(name.to_owned(), function.to_owned(), list))
        }
    };
    match action {
        Action::Violate(ApiViolation::Corrupt) => among(CORRUPTIBLE),
        Action::Violate(ApiViolation::CallbackTwice | ApiViolation::CallbackEarly) => among(&["clSetEventCallback"]),
        Action::Violate(ApiViolation::TimesEqual | ApiViolation::TimesSwapped) => {
            among(&["clGetEventProfilingInfo"])
        }
        Action::Violate(ApiViolation::Skipped) => among(SKIPPABLE),
        Action::Violate(ApiViolation::WaitsIgnored) => {
            let takes_a_list = match site {
                Site::Entry(entry) => takes_wait_list(entry),
                Site::Any => true,
            };
            if takes_a_list {
                Ok(())
            } else {
                let list = "commands that take a wait list".to_owned();
                Err(Wrong::NotThere(name.to_owned(), function.to_owned(), list))
            }
        }
        Action::Crash
        | Action::Abort
        | Action::Exit(_)
        | Action::Hang
        | Action::Stdout
        | Action::Stderr
        | Action::Delay(_)
        | Action::Answer(_)
        // Others are asked for by name, and have their places in the catalogue.
        | Action::Violate(_) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_no_fault() {
        assert_eq!(parse(""), Ok(Faults::default()));
        assert_eq!(parse("  "), Ok(Faults::default()));
    }

    #[test]
    fn every_form_is_read() {
        let faults = parse(
            "crash@clCreateKernel:3, error=CL_OUT_OF_RESOURCES@clFinish:%2,error=-5@clFlush:*,\
             exit=7@clBuildProgram,corrupt@clEnqueueReadBuffer:~0.5/9,skip@clFinish,\
             ignore-wait-list@clEnqueueNDRangeKernel:*,hang@*:100,relax-orders,spoof=no-svm,lie=no-pipes",
        )
        .expect("faults");
        let finish = Site::Entry(Entry::named("clFinish"));
        assert_eq!(faults.at_calls.len(), 8);
        assert_eq!(
            faults.at_calls[1],
            Fault {
                action: Action::Answer(-5),
                site: finish,
                when: When::Every(2)
            }
        );
        assert_eq!(faults.at_calls[2].action, Action::Answer(-5));
        assert_eq!(faults.at_calls[3].when, When::Nth(1));
        assert_eq!(faults.at_calls[7].site, Site::Any);
        assert_eq!(faults.claims.len(), 2);
        assert_eq!(faults.mutations, [SourceMutation::RelaxOrders]);
    }

    #[test]
    fn a_wrong_word_anywhere_is_refused() {
        for setting in [
            "crsh@clFinish",
            "crash",
            "crash=3@clFinish",
            "crash@clFinsh",
            "crash@clFinish:",
            "crash@clFinish:0",
            "crash@clFinish,",
            ",",
            "exit@clFinish",
            "exit=256@clFinish",
            "error=5@clFinish",
            "error=CL_NO_SUCH@clFinish",
            "corrupt@clFinish",
            "skip@clCreateBuffer",
            "skip@*",
            "delay@clFinish",
            "delay=-1@clFinish",
            "early-callback@clFinish",
            "equal-times@*",
            "ignore-wait-list@clFinish",
            "spoof=",
            "spoof=atomic-nonsense",
            "relax-order",
            "list,crash@clFinish",
        ] {
            assert!(parse(setting).is_err(), "{setting}");
        }
    }
}
