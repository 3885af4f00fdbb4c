//! Outcomes.

use crate::program::Observable;

/// An outcome: the values of [`Program::observables`], in that order.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct State(pub Vec<i64>);

impl State {
    /// The value of one observable; zero for one that the outcome does not record.
    pub fn value(&self, observables: &[Observable], wanted: Observable) -> i64 {
        observables
            .iter()
            .position(|o| *o == wanted)
            .map_or(0, |i| self.0[i])
    }
}
