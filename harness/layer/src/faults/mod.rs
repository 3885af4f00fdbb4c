//! What the layer can break.
//!
//! | file | what it does |
//! | --- | --- |
//! | `registry` | the list of faults: name, form, what each breaks, where it applies |
//! | `grammar` | reads the list in `CLASSAY_LAYER_FAULTS`; takes no word that it does not know |
//! | `when` | at which calls a fault happens |
//! | `counter` | counts calls, in one process or across processes |
//! | `act` | faults that end or disturb the process |
//! | `corrupt` | data that comes back changed |
//! | `events` | callbacks and profiling times that are wrong |
//! | `lies` | devices described as what they are not |
//! | `source` | kernel sources weakened before the compiler sees them |
//!
//! The setting is read once, by the first call. A setting that does not parse ends the process with
//! exit code 2: a fault that silently does not happen would make a test that cannot fail.
//!
//! To add a fault: name it in `registry`, read it in `grammar`, and let it act in
//! `Call::enter` (before any call), in a hook of its entry point's row (around one call), or in
//! `Call::leave`.

pub(crate) mod act;
pub(crate) mod corrupt;
pub(crate) mod counter;
pub(crate) mod events;
pub(crate) mod grammar;
pub(crate) mod lies;
pub(crate) mod registry;
pub(crate) mod source;
pub(crate) mod status;
pub(crate) mod when;

use crate::library::Entry;
use crate::say;
use act::{Deed, Shape};
use counter::Counters;
use lies::Lie;
use opencl_sys::{cl_event, cl_int, cl_uint};
use source::Weakening;
use std::sync::OnceLock;
use when::When;

/// The environment variable that lists the faults.
pub const VARIABLE: &str = "CLASSAY_LAYER_FAULTS";

/// The environment variable that names the file of counters.
pub const STATE_VARIABLE: &str = "CLASSAY_LAYER_STATE";

/// The exit code of a process whose setting cannot be obeyed.
pub const EXIT_BAD_SETTING: i32 = 2;

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
    pub(crate) deed: Deed,
    pub(crate) site: Site,
    pub(crate) when: When,
}

/// Everything that is to be broken in this process.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Faults {
    pub(crate) at_calls: Vec<Fault>,
    pub(crate) lies: Vec<Lie>,
    pub(crate) weakenings: Vec<Weakening>,
}

/// The faults of this process and the counters that they are timed by.
struct Active {
    faults: Faults,
    counters: Counters,
}

impl Active {
    fn get() -> &'static Active {
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
        let faults = grammar::parse(&setting)
            .map_err(|error| format!("{VARIABLE}: {error}; {VARIABLE}=list prints every fault"))?;
        let state = std::env::var_os(STATE_VARIABLE).filter(|path| !path.is_empty());
        let counters = Counters::new(state.map(Into::into))
            .map_err(|error| format!("{STATE_VARIABLE}: {error}"))?;
        Ok(Active { faults, counters })
    }
}

/// The faults that shape what a call carries, asked by the hooks.
pub(crate) fn lies() -> &'static [Lie] {
    &Active::get().faults.lies
}

/// The weakenings of kernel sources that are active.
pub(crate) fn weakenings() -> &'static [Weakening] {
    &Active::get().faults.weakenings
}

/// One call of one entry point, and what is to happen in it.
#[derive(Debug, Default)]
pub(crate) struct Call {
    shapes: [bool; Shape::COUNT],
}

impl Call {
    /// Tells the faults that `entry` is called. A fault may end the process here, or the call: then
    /// the status to answer with is the error.
    pub(crate) fn enter(entry: Entry) -> Result<Call, cl_int> {
        let Active { faults, counters } = Active::get();
        let mut call = Call::default();
        let mut counts = [None, None];
        for fault in &faults.at_calls {
            let place = match fault.site {
                Site::Entry(wanted) if wanted == entry => 0,
                Site::Entry(_) => continue,
                Site::Any => 1,
            };
            let number = match counts[place] {
                Some(number) => number,
                None => {
                    let number = counters.next(fault.site).unwrap_or_else(|error| {
                        say::line(&format!("{STATE_VARIABLE}: {error}"));
                        say::quit(EXIT_BAD_SETTING)
                    });
                    counts[place] = Some(number);
                    number
                }
            };
            if fault.when.includes(number) {
                call.happen(&fault.deed, entry)?;
            }
        }
        Ok(call)
    }

    fn happen(&mut self, deed: &Deed, entry: Entry) -> Result<(), cl_int> {
        match deed {
            Deed::Crash => act::crash(entry),
            Deed::Abort => act::abort(entry),
            Deed::Exit(code) => act::exit(entry, *code),
            Deed::Hang => act::hang(entry),
            Deed::Stdout => act::rubbish(libc::STDOUT_FILENO),
            Deed::Stderr => act::rubbish(libc::STDERR_FILENO),
            Deed::Answer(status) => return Err(*status),
            Deed::Delay(milliseconds) => act::delay(*milliseconds),
            Deed::Shape(shape) => self.shapes[*shape as usize] = true,
        }
        Ok(())
    }

    /// Whether this call is to go wrong in this way.
    pub(crate) fn has(&self, shape: Shape) -> bool {
        self.shapes[shape as usize]
    }

    /// A call that goes wrong in one way.
    #[cfg(test)]
    pub(crate) fn shaped(shape: Shape) -> Call {
        let mut call = Call::default();
        call.shapes[shape as usize] = true;
        call
    }

    /// The wait list that the implementation is to see.
    pub(crate) fn wait_list(
        &self,
        count: cl_uint,
        list: *const cl_event,
    ) -> (cl_uint, *const cl_event) {
        if self.has(Shape::IgnoreWaits) {
            (0, std::ptr::null())
        } else {
            (count, list)
        }
    }

    /// The implementation has answered.
    pub(crate) fn leave(&self) {
        corrupt::settle();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_list_is_passed_on_unless_it_is_to_be_ignored() {
        let list = [std::ptr::null_mut(); 2];
        let (count, seen) = Call::default().wait_list(2, list.as_ptr());
        assert_eq!((count, seen), (2, list.as_ptr()));
        let (count, seen) = Call::shaped(Shape::IgnoreWaits).wait_list(2, list.as_ptr());
        assert_eq!((count, seen), (0, std::ptr::null()));
    }
}
