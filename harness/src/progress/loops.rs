//! Whether a device ends loops that turn too often: some drivers do, silently.

use super::played::{environment, observe, patient};
use crate::Error;
use crate::environment::Row;
use crate::plan::{Case, LitmusTest};
use crate::worker::session::Session;
use crate::worker::triage::Ending;
use classay_litmus::progress::Among;
use classay_litmus::syntax;
use std::time::Duration;

/// Turns of a loop that waits for nobody.
const TURNS: u32 = 100_000;

/// Counts them.
fn text() -> String {
    format!(
        "OPENCL turns\n{{ [x] = 0; }}\nP0@wg 0, dev 0 (global atomic_int* x) {{\n  int r0 = 0;\n  \
         while (r0 < {}) {{ r0 = atomic_fetch_add_explicit(x, 1, memory_order_relaxed); }}\n}}\nforall (0:r0={})\n",
        TURNS - 1,
        TURNS - 1
    )
}

/// After how many turns the device ends a loop; `None` where it does not, or does not play it.
///
/// # Errors
///
/// The device is gone, or the user interrupted.
pub fn limit(session: &mut Session, patience: Duration) -> Result<Option<u32>, Error> {
    let program =
        syntax::read_litmus("turns", &text()).map_err(|e| Error::Bug(e.message().into()))?;
    let program = Among::WorkGroups.placed(&program, session.known().capabilities.api);
    let case = Case {
        environment: environment(Row::ByTeam, 1, 0),
        ..super::played::case("turns", LitmusTest::new(&program))
    };
    let attempt = observe(session, &case, patient(patience))?;
    Ok(match attempt.ending {
        Ending::Finished(_) => {
            let outcomes = attempt.launches.iter().flat_map(|launch| &launch.outcomes);
            let turned =
                outcomes.filter_map(|one| u32::try_from(*one.outcome.state()?.first()?).ok());
            turned.min().map(|last| last + 1).filter(|n| *n < TURNS)
        }
        Ending::NotRun(_) | Ending::Died(_) => None,
    })
}
