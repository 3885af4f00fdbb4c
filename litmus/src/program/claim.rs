//! What Alloy tests claim of their programs.

use super::Relation;

/// That a formula over the executions that read the test's values has a solution, or none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    /// Whether it has one.
    pub satisfiable: bool,
    /// Whether it is about implementations with availability and visibility chains.
    pub chains: bool,
    /// How many pairs some relations have, beside that the execution is consistent.
    pub counts: Vec<Count>,
}

/// What a claim says of a relation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Count {
    /// The relation.
    pub of: Counted,
    /// How its number of pairs compares.
    pub relation: Relation,
    /// With what.
    pub with: i64,
}

classay_vocabulary::words! {
    /// A relation that claims count.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum Counted {
        /// Data races.
        Races = "dr",
        /// Release sequences: their heads with all their elements.
        ReleaseSequences = "rs",
    }
}
