//! Reads the setting: `fault,fault,…`.
//!
//! ```text
//! fault    = name [':' when]  |  deed '@' function [':' when]  |  'lie=' claim
//! name     = one of the named faults; every call where nothing is said
//! deed     = 'crash' | 'abort' | 'hang' | 'exit=' 0…255 | 'error=' status | 'skip'
//!          | 'delay=' milliseconds | 'stdout' | 'stderr' | 'corrupt' | 'ignore-wait-list'
//!          | 'double-callback' | 'early-callback' | 'equal-times' | 'reversed-times'
//! function = the name of an entry point  |  '*'
//! when     = N | N'+' | '*' | '%'P | '~'probability'/'seed          (1 where nothing is said of a deed)
//! ```

use super::act::Deed;
use super::lies::Lie;
use super::named::{self, Breach, Kind, Named};
use super::registry::{CORRUPTIBLE, SKIPPABLE};
use super::when::{NoWhen, When};
use super::{Fault, Faults, Site, status};
use crate::library::Entry;

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
    Lie(#[from] super::lies::NoLie),
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
        if let Some(claim) = word.strip_prefix("lie=") {
            faults.lies.push(Lie::parse(claim)?);
        } else if let Some((named, when)) = by_name(word)? {
            match named.deed {
                Deed::Weaken(weakening) => faults.weakenings.push(weakening),
                deed => faults
                    .at_calls
                    .extend(
                        named
                            .functions()
                            .filter_map(Entry::find)
                            .map(|entry| Fault {
                                deed,
                                site: Site::Entry(entry),
                                when,
                            }),
                    ),
            }
        } else {
            faults.at_calls.push(at_call(word)?);
        }
    }
    Ok(faults)
}

/// A fault by its name; none if no fault has this name.
fn by_name(word: &str) -> Result<Option<(&'static Named, When)>, Wrong> {
    let (id, when) = match word.split_once(':') {
        Some((id, when)) => (id, Some(when)),
        None => (word, None),
    };
    let Some(named) = named::find(id) else {
        return Ok(None);
    };
    let when = match when {
        None => When::Always,
        Some(_) if named.kind() == Kind::Source => return Err(Wrong::NoValue(id.to_owned())),
        Some(when) => When::parse(when)
            .map_err(|error: NoWhen| Wrong::When(word.to_owned(), error.to_string()))?,
    };
    Ok(Some((named, when)))
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
    let plain = |deed| match value {
        None => Ok(deed),
        Some(_) => Err(Wrong::NoValue(name.to_owned())),
    };
    let deed = match name {
        "crash" => plain(Deed::Crash)?,
        "abort" => plain(Deed::Abort)?,
        "hang" => plain(Deed::Hang)?,
        "stdout" => plain(Deed::Stdout)?,
        "stderr" => plain(Deed::Stderr)?,
        "corrupt" => plain(Deed::Break(Breach::Corrupt))?,
        "ignore-wait-list" => plain(Deed::Break(Breach::WaitsIgnored))?,
        "double-callback" => plain(Deed::Break(Breach::CallbackTwice))?,
        "early-callback" => plain(Deed::Break(Breach::CallbackEarly))?,
        "equal-times" => plain(Deed::Break(Breach::TimesEqual))?,
        "reversed-times" => plain(Deed::Break(Breach::TimesSwapped))?,
        "delay" => value
            .and_then(|milliseconds| milliseconds.parse().ok())
            .map(Deed::Delay)
            .ok_or_else(|| Wrong::NotATime(head.to_owned()))?,
        "skip" => plain(Deed::Answer(opencl_sys::CL_SUCCESS))?,
        "exit" => value
            .and_then(|code| code.parse().ok())
            .map(Deed::Exit)
            .ok_or_else(|| Wrong::NotAnExitCode(head.to_owned()))?,
        "error" => value
            .and_then(status::parse)
            .map(Deed::Answer)
            .ok_or_else(|| Wrong::NotAStatus(head.to_owned()))?,
        _ => return Err(Wrong::UnknownFault(word.to_owned())),
    };
    let place = place.ok_or_else(|| Wrong::NoSite(head.to_owned()))?;
    let (function, when) = match place.split_once(':') {
        Some((function, when)) => (
            function,
            When::parse(when)
                .map_err(|error: NoWhen| Wrong::When(word.to_owned(), error.to_string()))?,
        ),
        None => (place, When::Nth(1)),
    };
    let site = if function == "*" {
        Site::Any
    } else {
        Site::Entry(
            Entry::find(function).ok_or_else(|| Wrong::UnknownFunction(function.to_owned()))?,
        )
    };
    applies(name, deed, site)?;
    Ok(Fault { deed, site, when })
}

/// A fault that cannot happen at its place would test nothing.
fn applies(name: &str, deed: Deed, site: Site) -> Result<(), Wrong> {
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
    match deed {
        Deed::Break(Breach::Corrupt) => among(CORRUPTIBLE),
        Deed::Break(Breach::CallbackTwice | Breach::CallbackEarly) => among(&["clSetEventCallback"]),
        Deed::Break(Breach::TimesEqual | Breach::TimesSwapped) => {
            among(&["clGetEventProfilingInfo"])
        }
        Deed::Answer(opencl_sys::CL_SUCCESS) => among(SKIPPABLE),
        Deed::Break(Breach::WaitsIgnored) => {
            let takes_a_list = match site {
                Site::Entry(entry) => crate::entry::waits(entry),
                Site::Any => true,
            };
            if takes_a_list {
                Ok(())
            } else {
                let list = "commands that take a wait list".to_owned();
                Err(Wrong::NotThere(name.to_owned(), function.to_owned(), list))
            }
        }
        Deed::Crash
        | Deed::Abort
        | Deed::Exit(_)
        | Deed::Hang
        | Deed::Stdout
        | Deed::Stderr
        | Deed::Delay(_)
        | Deed::Answer(_)
        | Deed::Weaken(_)
        // Named faults have their places in the table.
        | Deed::Break(_) => Ok(()),
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
             ignore-wait-list@clEnqueueNDRangeKernel:*,hang@*:100,relax-orders,lie=no-svm",
        )
        .expect("faults");
        let finish = Site::Entry(Entry::named("clFinish"));
        assert_eq!(faults.at_calls.len(), 8);
        assert_eq!(
            faults.at_calls[1],
            Fault {
                deed: Deed::Answer(-5),
                site: finish,
                when: When::Every(2)
            }
        );
        assert_eq!(faults.at_calls[2].deed, Deed::Answer(-5));
        assert_eq!(faults.at_calls[3].when, When::Nth(1));
        assert_eq!(faults.at_calls[7].site, Site::Any);
        assert_eq!(faults.lies.len(), 1);
        assert_eq!(
            faults.weakenings,
            [crate::faults::source::Weakening::RelaxOrders]
        );
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
            "lie=",
            "lie=atomic-nonsense",
            "relax-order",
            "list,crash@clFinish",
        ] {
            assert!(parse(setting).is_err(), "{setting}");
        }
    }
}
