//! Reads the setting: `fault,fault,…`.
//!
//! ```text
//! fault    = deed '@' function [':' when]  |  'lie=' claim  |  weakening
//! deed     = 'crash' | 'abort' | 'hang' | 'exit=' 0…255 | 'error=' status | 'skip'
//!          | 'delay=' milliseconds | 'stdout' | 'stderr' | 'corrupt' | 'ignore-wait-list'
//!          | 'double-callback' | 'early-callback' | 'equal-times' | 'reversed-times'
//! function = the name of an entry point  |  '*'
//! when     = N | N'+' | '*' | '%'P | '~'probability'/'seed          (1 where nothing is said)
//! ```

use super::act::{Deed, Shape};
use super::lies::Lie;
use super::registry::{CORRUPTIBLE, SKIPPABLE};
use super::source::Weakening;
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
        } else if let Some(weakening) = Weakening::parse(word) {
            faults.weakenings.push(weakening);
        } else {
            faults.at_calls.push(at_call(word)?);
        }
    }
    Ok(faults)
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
        "corrupt" => plain(Deed::Shape(Shape::Corrupt))?,
        "ignore-wait-list" => plain(Deed::Shape(Shape::IgnoreWaits))?,
        "double-callback" => plain(Deed::Shape(Shape::DoubleCallback))?,
        "early-callback" => plain(Deed::Shape(Shape::EarlyCallback))?,
        "equal-times" => plain(Deed::Shape(Shape::EqualTimes))?,
        "reversed-times" => plain(Deed::Shape(Shape::ReversedTimes))?,
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
        Deed::Shape(Shape::Corrupt) => among(CORRUPTIBLE),
        Deed::Shape(Shape::DoubleCallback | Shape::EarlyCallback) => among(&["clSetEventCallback"]),
        Deed::Shape(Shape::EqualTimes | Shape::ReversedTimes) => {
            among(&["clGetEventProfilingInfo"])
        }
        Deed::Answer(opencl_sys::CL_SUCCESS) => among(SKIPPABLE),
        Deed::Shape(Shape::IgnoreWaits) => {
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
        | Deed::Answer(_) => Ok(()),
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
        assert_eq!(faults.weakenings, [Weakening::RelaxOrders]);
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
