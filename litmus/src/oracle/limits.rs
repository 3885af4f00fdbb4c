//! How far the oracle goes.

use super::deadline::Deadline;

/// How far the oracle goes.
#[derive(Debug, Clone)]
pub struct Limits {
    /// How often a loop whose condition depends on a read is repeated.
    pub loop_bound: u32,
    /// Most events of one execution.
    pub events: usize,
    /// Most paths of one thread.
    pub paths: usize,
    /// Most combinations of paths.
    pub combinations: u64,
    /// Most outcomes.
    pub states: usize,
    /// Fewest ways of choosing what reads return for which symmetric threads are looked for; below
    /// that, looking costs more than it saves.
    pub symmetry: u64,
    /// Fewest ways of choosing what observed reads return for which outcomes are looked for by families, and fewest
    /// outcomes of one; below that, one by one is as fast.
    pub families: u64,
    /// When to give up; never, unless stated.
    pub deadline: Deadline,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            loop_bound: 2,
            events: 512,
            paths: 4096,
            combinations: 1_000_000,
            states: 4_000_000,
            symmetry: 256,
            families: 1024,
            deadline: Deadline::default(),
        }
    }
}
