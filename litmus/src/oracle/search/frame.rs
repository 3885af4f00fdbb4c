//! A node of the search, and what all searches of a program have found.

use super::family::Family;
use crate::oracle::bits::Row;
use crate::oracle::deadline::Deadline;
use crate::oracle::error::Error;
use crate::oracle::limits::Limits;
use crate::oracle::state::State;
use std::collections::HashSet;

/// What all skeletons of a program add to.
#[derive(Debug)]
pub struct Findings {
    /// The outcomes found.
    pub states: HashSet<State>,
    /// Families whose outcomes are all among them, or are kept out by the filter.
    pub(super) families: Vec<Family>,
    /// For each check of the model, whether it is a flag that was raised.
    pub raised: Vec<bool>,
    /// Number of consistent executions, or families of them, that were visited.
    pub executions: u64,
    /// Number of search nodes.
    pub nodes: u64,
    /// Why the search has ended early, if it has.
    pub ended: Option<Error>,
    /// An outcome has been found that ends the search.
    pub decided: bool,
    /// Most outcomes to keep.
    pub(super) most: usize,
    deadline: Deadline,
}

impl Findings {
    /// Nothing found yet for a model of so many checks.
    pub fn new(checks: usize, limits: &Limits) -> Findings {
        Findings {
            states: HashSet::new(),
            families: Vec::new(),
            raised: vec![false; checks],
            executions: 0,
            nodes: 0,
            ended: None,
            decided: false,
            most: limits.states,
            deadline: limits.deadline.clone(),
        }
    }

    /// Whether the search goes on.
    pub(super) fn go_on(&mut self) -> bool {
        if self.ended.is_none() {
            self.ended = self.deadline.check().err();
        }
        self.ended.is_none() && !self.decided
    }

    /// Adds an outcome; false when there are too many.
    pub(super) fn add(&mut self, state: State) -> bool {
        if self.states.len() < self.most || self.states.contains(&state) {
            self.states.insert(state);
            return true;
        }
        self.ended = Some(Error::States { limit: self.most });
        false
    }
}

/// A node of the search.
#[derive(Debug, Clone, Default)]
pub struct Frame<const W: usize> {
    /// Writes that each read may choose.
    pub rf: Vec<Row<W>>,
    /// Certain pairs of each order, transitively closed.
    pub orders: Vec<Vec<Row<W>>>,
    /// Values of reads, where known.
    pub values: Vec<Option<i64>>,
    /// Nodes of the model to compute, smallest first.
    pub live: Vec<u32>,
    /// Required checks that are open.
    pub checks: Vec<u32>,
    /// Flags that are open and have not been found raised before.
    pub flags: Vec<u32>,
    /// Flags that every completion raises.
    pub raised: Vec<u32>,
    /// Orders that do not yet contain all that their base may become.
    pub bases: Vec<u32>,
    /// Some order may still conflict with its base.
    pub conflict: bool,
    /// Orders, as bits of [`Model::choices`], that have pairs beyond those of their base.
    pub beyond: u64,
}

impl<const W: usize> Frame<W> {
    /// Makes it like another.
    pub fn copy_from(&mut self, other: &Frame<W>) {
        self.rf.clone_from(&other.rf);
        self.orders.clone_from(&other.orders);
        self.values.clone_from(&other.values);
        self.live.clone_from(&other.live);
        self.checks.clone_from(&other.checks);
        self.flags.clone_from(&other.flags);
        self.raised.clone_from(&other.raised);
        self.bases.clone_from(&other.bases);
        self.beyond = other.beyond;
    }
}
