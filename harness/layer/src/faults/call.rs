//! One call of an entry point, and what is to go wrong in it.

use super::action::{self, Action};
use super::active::{Active, EXIT_BAD_SETTING, STATE_VARIABLE};
use super::grammar::Site;
use crate::library::Entry;
use crate::say;
use classay_faults::ApiViolation;
use opencl_sys::{CL_INVALID_VALUE, CL_SUCCESS, cl_int};
use std::cell::RefCell;

/// A set of violations.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Violations([u64; 4]);

impl Violations {
    fn insert(&mut self, violation: ApiViolation) {
        self.0[violation as usize / 64] |= 1 << (violation as usize % 64);
    }

    fn has(self, violation: ApiViolation) -> bool {
        self.0[violation as usize / 64] >> (violation as usize % 64) & 1 == 1
    }

    fn is_empty(self) -> bool {
        self == Violations::default()
    }
}

/// One call of one entry point, and what is to happen in it.
#[derive(Debug, Default)]
pub(crate) struct Call {
    violations: Violations,
    #[expect(clippy::vec_box, reason = "their addresses stay while the list grows")]
    /// Arrays and patterns that take the place of the caller's, until the call returns.
    kept: RefCell<Vec<Box<[u128; 8]>>>,
}

impl Call {
    /// Looks up which faults happen at this call of `entry`. A fault may end the process here, or the call: then
    /// the status to answer with is the error.
    pub(crate) fn enter(entry: Entry) -> Result<Call, cl_int> {
        let Active { faults, counters } = Active::get();
        let mut call = Call::default();
        if faults.at_calls.is_empty() {
            return Ok(call);
        }
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
                call.happen(&fault.action, entry)?;
            }
        }
        Ok(call)
    }

    fn happen(&mut self, action: &Action, entry: Entry) -> Result<(), cl_int> {
        match action {
            Action::Crash => action::crash(entry),
            Action::Abort => action::abort(entry),
            Action::Exit(code) => action::exit(entry, *code),
            Action::Hang => action::hang(entry),
            Action::Stdout => action::rubbish(libc::STDOUT_FILENO),
            Action::Stderr => action::rubbish(libc::STDERR_FILENO),
            Action::Answer(status) => return Err(*status),
            Action::Delay(milliseconds) => action::delay(*milliseconds),
            Action::Violate(ApiViolation::Skipped) => return Err(CL_SUCCESS),
            Action::Violate(ApiViolation::Refused) => return Err(CL_INVALID_VALUE),
            Action::Violate(violation) => self.violations.insert(*violation),
        }
        Ok(())
    }

    /// Whether this call is to go wrong in this way.
    pub(crate) fn has(&self, violation: ApiViolation) -> bool {
        self.violations.has(violation)
    }

    /// Whether this call is to go wrong in one of these ways.
    pub(crate) fn has_any(&self, violations: &[ApiViolation]) -> bool {
        violations.iter().any(|violation| self.has(*violation))
    }

    /// Whether it is to go wrong in this way, whose occasion is there: it acts now.
    pub(crate) fn does(&self, violation: ApiViolation) -> bool {
        let has = self.has(violation);
        if has {
            crate::effects::of_act(violation);
        }
        has
    }

    /// Whether this call is to go as it should.
    pub(crate) fn is_clean(&self) -> bool {
        self.violations.is_empty()
    }

    /// The answer to a call whose object is missing, where the layer gives it.
    pub(crate) fn missing(&self, status: cl_int) -> cl_int {
        if self.has(ApiViolation::OverRelease) {
            CL_SUCCESS
        } else {
            status
        }
    }

    /// A block for the implementation to read from in this call.
    fn block(&self) -> *mut u8 {
        let mut kept = self.kept.borrow_mut();
        kept.push(Box::new([0; 8]));
        kept.last_mut()
            .map_or(std::ptr::null_mut(), |block| block.as_mut_ptr().cast())
    }

    /// An array for the implementation to read in this call.
    pub(crate) fn keep(&self, words: [usize; 3]) -> *const usize {
        let place = self.block().cast::<usize>();
        // SAFETY: three words fit into the 128 bytes of the block.
        unsafe { place.copy_from_nonoverlapping(words.as_ptr(), words.len()) };
        place
    }

    /// A pattern for the implementation to read in this call; one of more than 128 bytes is no
    /// pattern of OpenCL.
    pub(crate) fn keep_pattern(&self, bytes: &[u8]) -> Option<*const libc::c_void> {
        if bytes.len() > size_of::<[u128; 8]>() {
            return None;
        }
        let place = self.block();
        // SAFETY: the bytes fit into the block.
        unsafe { place.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
        Some(place.cast())
    }

    /// A call that goes wrong in one way.
    #[cfg(test)]
    pub(crate) fn broken(violation: ApiViolation) -> Call {
        let mut call = Call::default();
        call.violations.insert(violation);
        call
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
