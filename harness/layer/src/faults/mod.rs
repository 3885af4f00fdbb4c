//! What the layer can break.
//!
//! | file | what it does |
//! | --- | --- |
//! | `registry` | the list of faults: name, form, what each breaks, where it applies |
//! | `grammar` | reads the list in `CLASSAY_LAYER_FAULTS`; takes no word that it does not know |
//! | `when` | at which calls a fault happens |
//! | `counter` | counts calls, in one process or across processes |
//! | `act` | faults that end or disturb the process |
//! | `named` | the table of faults that have a name of their own, with the rules that they break |
//! | `command` | what can go wrong with any command: its list, its event, whether it blocks |
//! | `waits` | wait lists that are not what the program gave |
//! | `order` | queues that keep another order, or let go of work |
//! | `sync` | clFinish, clFlush and clWaitForEvents that do less; releases that lose work |
//! | `events` | status, callbacks and profiling times that are wrong |
//! | `user_events` | user events that do not do what they are told |
//! | `kernels` | arguments and index spaces that are not the program's |
//! | `transfers` | offsets, sizes, pitches and patterns that are not the program's |
//! | `memory` | what memory objects and maps promise the host |
//! | `svm` | shared virtual memory |
//! | `later` | things to do when a command has completed |
//! | `corrupt` | data that comes back changed |
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
pub(crate) mod command;
pub(crate) mod corrupt;
pub(crate) mod counter;
pub(crate) mod events;
pub(crate) mod grammar;
pub(crate) mod kernels;
pub(crate) mod later;
pub(crate) mod lies;
pub(crate) mod memory;
pub mod named;
pub(crate) mod order;
pub(crate) mod registry;
pub(crate) mod source;
pub(crate) mod status;
pub(crate) mod svm;
pub(crate) mod sync;
pub(crate) mod transfers;
pub(crate) mod user_events;
pub(crate) mod waits;
pub(crate) mod when;

use crate::library::Entry;
use crate::say;
use act::Deed;
use counter::Counters;
use lies::Lie;
use named::{Breach, Breaches};
use opencl_sys::{CL_SUCCESS, cl_int};
use source::Weakening;
use std::cell::RefCell;
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
        if setting.trim() == "list=json" {
            say::bytes(libc::STDERR_FILENO, named::json().as_bytes());
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

/// Whether calls go wrong.
pub(crate) fn break_calls() -> bool {
    !Active::get().faults.at_calls.is_empty()
}

/// The weakenings of kernel sources that are active.
pub(crate) fn weakenings() -> &'static [Weakening] {
    &Active::get().faults.weakenings
}

/// One call of one entry point, and what is to happen in it.
#[derive(Debug, Default)]
pub(crate) struct Call {
    breaches: Breaches,
    #[expect(clippy::vec_box, reason = "their addresses stay while the list grows")]
    /// Arrays and patterns that take the place of the caller's, until the call returns.
    kept: RefCell<Vec<Box<[u128; 8]>>>,
}

impl Call {
    /// Tells the faults that `entry` is called. A fault may end the process here, or the call: then
    /// the status to answer with is the error.
    pub(crate) fn enter(entry: Entry) -> Result<Call, cl_int> {
        let Active { faults, counters } = Active::get();
        crate::effects::of_call(entry, !faults.at_calls.is_empty());
        let mut call = Call::default();
        if faults.at_calls.is_empty() {
            return Ok(call);
        }
        kernels::let_go(entry);
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
            Deed::Break(breach) => self.breaches.insert(*breach),
            // Asked of the whole setting when a program is created.
            Deed::Weaken(_) => {}
        }
        Ok(())
    }

    /// Whether this call is to go wrong in this way.
    pub(crate) fn has(&self, breach: Breach) -> bool {
        self.breaches.has(breach)
    }

    /// Likewise, of a breach whose occasion is there: it acts now.
    pub(crate) fn does(&self, breach: Breach) -> bool {
        let has = self.has(breach);
        if has {
            crate::effects::of_act(breach);
        }
        has
    }

    /// Whether this call is to go as it should.
    pub(crate) fn is_clean(&self) -> bool {
        self.breaches.is_empty()
    }

    /// The answer to a call whose object is missing, where the layer gives it.
    pub(crate) fn missing(&self, status: cl_int) -> cl_int {
        if self.has(Breach::OverRelease) {
            CL_SUCCESS
        } else {
            status
        }
    }

    /// Room for the implementation to read from in this call.
    fn room(&self) -> *mut u8 {
        let mut kept = self.kept.borrow_mut();
        kept.push(Box::new([0; 8]));
        kept.last_mut()
            .map_or(std::ptr::null_mut(), |block| block.as_mut_ptr().cast())
    }

    /// An array for the implementation to read in this call.
    pub(crate) fn keep(&self, words: [usize; 3]) -> *const usize {
        let place = self.room().cast::<usize>();
        // SAFETY: three words lie within the 128 bytes of the room.
        unsafe { place.copy_from_nonoverlapping(words.as_ptr(), words.len()) };
        place
    }

    /// A pattern for the implementation to read in this call; one of more than 128 bytes is no
    /// pattern of OpenCL.
    pub(crate) fn keep_pattern(&self, bytes: &[u8]) -> Option<*const libc::c_void> {
        if bytes.len() > size_of::<[u128; 8]>() {
            return None;
        }
        let place = self.room();
        // SAFETY: the bytes fit into the room.
        unsafe { place.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
        Some(place.cast())
    }

    /// A call that goes wrong in one way.
    #[cfg(test)]
    pub(crate) fn broken(breach: Breach) -> Call {
        let mut call = Call::default();
        call.breaches.insert(breach);
        call
    }

    /// The implementation has answered.
    pub(crate) fn leave(&self) {
        later::settle();
    }
}

/// A status as a result.
pub(crate) fn outcome(status: cl_int) -> Result<(), cl_int> {
    if status == CL_SUCCESS {
        Ok(())
    } else {
        Err(status)
    }
}
