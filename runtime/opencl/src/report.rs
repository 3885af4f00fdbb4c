//! What goes to standard error about commands that end abnormally: `TOUCHSTONE_REPORT`.
//!
//! Such a command tells its event and the callback of its context. An application that looks at neither goes on
//! as if nothing had happened: `clFinish` and blocking commands of an in-order queue succeed, as the
//! specification has them, and what the kernel was to write is missing. Its user is told.

use std::collections::BTreeSet;
use std::io::Write;
use std::sync::LazyLock;

use parking_lot::Mutex;

use crate::environment;
use crate::queue::command::Failure;

/// What is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Told {
    Nothing,
    /// The first failure of each kernel, where the application has no callback for it.
    First,
    Everything,
}

/// `TOUCHSTONE_REPORT`: 0 for nothing, 1 for everything, the first of each kernel if it is not set.
fn told() -> Told {
    static TOLD: LazyLock<Told> =
        LazyLock::new(|| match environment::word("TOUCHSTONE_REPORT").as_deref() {
            Some("0") => Told::Nothing,
            Some("1") => Told::Everything,
            Some(_) | None => Told::First,
        });
    *TOLD
}

/// What a context has told so far: whose failures.
#[derive(Default)]
pub struct Reports {
    known: Mutex<BTreeSet<String>>,
}

impl Reports {
    /// Tells the user of a failure, of which the application hears through a callback or does not.
    pub fn tell(&self, failure: &Failure, heard: bool) {
        let closing = match told() {
            Told::Nothing => return,
            Told::Everything => "",
            Told::First if heard || !self.known.lock().insert(failure.of.clone()) => return,
            Told::First => " (TOUCHSTONE_REPORT=1 also tells later failures of the same, 0 none)",
        };
        let Failure {
            message, advice, ..
        } = failure;
        let mut text =
            format!("touchstone: {message}; the command has failed, and its results are missing.");
        if !advice.is_empty() {
            text = format!("{text} {advice}");
        }
        // Where standard error is closed there is nowhere to report to.
        let _ = writeln!(std::io::stderr(), "{text}{closing}");
    }
}
