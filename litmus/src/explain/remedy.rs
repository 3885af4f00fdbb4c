//! What would allow a forbidden outcome: every mutation in one place, judged again.

use super::asking;
use crate::mutation::{Property, changes};
use crate::oracle::{Error, Limits, Model, judge};
use crate::program::{Predicate, Program};

/// A change after which a forbidden outcome can be seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remedy {
    /// What is changed, and from what to what.
    pub what: String,
    /// How many steps down that is.
    pub steps: u32,
    /// It makes the test's behaviour undefined, so that any outcome can be seen.
    pub undefined: bool,
}

/// The changes after which `outcome` can be seen, smallest first. Of the ways to change one
/// property of one place only the smallest are listed. `racy` says that the program's own
/// behaviour is undefined already, so that a change cannot make it so.
///
/// # Errors
/// A mutated program is beyond `limits`.
pub fn remedies(
    program: &Program,
    model: &Model,
    outcome: &Predicate,
    limits: &Limits,
    racy: bool,
) -> Result<Vec<Remedy>, Error> {
    let mut out = Vec::new();
    let mut done: Vec<((usize, Property), u32)> = Vec::new();
    for change in changes(program) {
        if done
            .iter()
            .any(|(place, steps)| *place == change.place && *steps < change.steps)
        {
            continue;
        }
        let judged = judge(&asking(&change.apply(program), outcome), model, limits)?;
        let undefined = judged.racy && !racy;
        if judged.holds || undefined {
            done.push((change.place, change.steps));
            out.push(Remedy {
                what: change.what,
                steps: change.steps,
                undefined,
            });
        }
    }
    Ok(out)
}
