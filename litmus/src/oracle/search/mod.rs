//! The search for consistent executions of one skeleton.
//!
//! A node of the search holds, for each read, the writes it may still choose, and for each order
//! the pairs that are certain. [`Bounds`] are computed forward, [`Adjoint`] backward, until nothing
//! follows any more; then one choice is split. Five observations keep the tree small:
//!
//! - When the upper bounds already satisfy every open check, every way of completing the choices is
//!   consistent, and only values are left to enumerate.
//! - Choices that no observed value depends on, coherence above all, need one witness each, not an
//!   enumeration; and none at all when the outcome has been found before.
//! - A node of the model whose bounds have met, or that only satisfied checks read, is not computed
//!   again below.
//! - A node none of whose outcomes would be new is left: they are combinations of values that have all been
//!   found.
//! - Of executions that a symmetry of the threads carries to each other one is enough, and the
//!   outcomes of the others follow from its outcome.

mod conclude;
mod family;
mod frame;
mod outcome;
mod settle;

pub use frame::Findings;

use super::adjoint::Adjoint;
use super::bits::{Row, count, each, has, is_none, meet, minus, none, put, take};
use super::error::Error;
use super::eval::Bounds;
use super::limits::Limits;
use super::skeleton::Skeleton;
use super::state::State;
use super::symmetry::{self, Symmetries};
use crate::cat::ir::Op;
use crate::cat::{Model, OrderDomain, Role, order_bit};
use crate::program::{LocId, Observable, Predicate};
use family::Observed;
use frame::Frame;

/// What is asked of a program, the same for all its skeletons.
#[derive(Debug, Clone, Copy)]
pub struct Question<'a> {
    /// What an outcome records.
    pub observables: &'a [Observable],
    /// Which outcomes count.
    pub filter: Option<&'a Predicate>,
    /// Constants of the condition and the filter.
    pub constants: &'a [i64],
    /// Which of the model's required checks count; all of them where nothing is said. An order
    /// whose checks do not all count is free of its base.
    pub required: Option<&'a [bool]>,
    /// The search ends at an outcome of which this says so.
    pub until: Option<(&'a Predicate, bool)>,
}

/// One complete execution.
#[derive(Debug, Clone)]
pub struct Witness {
    /// The write of each read, as a list for each event.
    pub rf: Vec<Vec<usize>>,
    /// The successors of each event in each order.
    pub orders: Vec<Vec<Vec<usize>>>,
    /// The values of reads.
    pub values: Vec<Option<i64>>,
    /// The outcome.
    pub outcome: State,
}

/// Says of a complete execution, every node of the model computed, whether it is one that is looked for.
pub type Accept<'a, const W: usize> = &'a dyn Fn(&Bounds<'_, W>) -> bool;

/// What to split next.
#[derive(Debug, Clone, Copy)]
enum Split {
    /// Which write a read chooses.
    Read(usize),
    /// Which write of an observed element is the last; index in `Search::finals`.
    Final(usize),
    /// Which way round two events are in an order.
    Pair(usize, usize, usize),
    /// Nothing is left.
    Nothing,
}

/// The search over one skeleton.
pub struct Search<'a, const W: usize> {
    model: &'a Model,
    skeleton: &'a Skeleton<'a>,
    question: Question<'a>,
    findings: &'a mut Findings,
    n: usize,
    bounds: Bounds<'a, W>,
    adjoint: Adjoint<W>,
    rf_node: Option<usize>,
    order_nodes: Vec<Option<usize>>,
    /// Pairs that each order decides.
    pairs: Vec<Vec<Row<W>>>,
    relevant: Row<W>,
    /// Observed elements and their writes.
    finals: Vec<((LocId, u32), Row<W>)>,
    seeds: Vec<i64>,
    /// Where outcomes are looked for by families.
    observed: Option<Observed<W>>,
    symmetries: Symmetries,
    frames: Vec<Frame<W>>,
    live: Vec<bool>,
    needed: Vec<bool>,
    /// Whether one complete execution is wanted, and that execution once it is found.
    wanted: bool,
    witness: Option<Witness>,
    /// Which executions are wanted, if not any.
    accept: Option<Accept<'a, W>>,
    /// The frame being completed.
    deepest: usize,
}

impl<'a, const W: usize> Search<'a, W> {
    /// Finds every outcome of a skeleton whose reads have the given candidates.
    pub fn run(
        model: &'a Model,
        skeleton: &'a Skeleton<'a>,
        candidates: Vec<Row<W>>,
        question: Question<'a>,
        limits: &Limits,
        findings: &'a mut Findings,
    ) {
        let mut search = Search::new(model, skeleton, candidates, question, findings);
        search.look_for_families(limits.families);
        if search.observed.is_none() {
            search.look_for_symmetries(limits.symmetry);
        }
        if search.symmetries.is_empty() {
            search.visit(0);
            return;
        }
        // What other skeletons found need not have its images there, so nothing is skipped for it.
        let before = std::mem::take(&mut search.findings.states);
        search.visit(0);
        let Search {
            findings,
            symmetries,
            ..
        } = search;
        let complete = symmetries.close(&mut findings.states, findings.most);
        let mut other = before;
        if other.len() > findings.states.len() {
            std::mem::swap(&mut other, &mut findings.states);
        }
        findings.states.extend(other);
        if !complete || findings.states.len() > findings.most {
            findings.ended = Some(Error::States {
                limit: findings.most,
            });
        }
    }

    /// Looks for symmetries when the reads can choose in at least so many ways. A filter need not
    /// treat images alike, so there are none with one.
    fn look_for_symmetries(&mut self, least: u64) {
        let rf = &self.frames[0].rf;
        if self.ways(&self.relevant) < least || self.question.filter.is_some() {
            return;
        }
        self.symmetries = symmetry::find(
            self.model,
            self.skeleton,
            &self.bounds,
            rf,
            &self.skeleton.coherence_pairs(),
            self.question.observables,
        );
    }

    /// In how many ways some reads can choose at the root.
    fn ways(&self, reads: &Row<W>) -> u64 {
        each(reads).fold(1u64, |ways, r| {
            ways.saturating_mul(u64::from(count(&self.frames[0].rf[r])))
        })
    }

    /// Whether a symmetry carries every execution with such reads to an earlier one: to one in which the
    /// first read that chooses otherwise, among those that outcomes depend on, chooses a write of a
    /// smaller number.
    ///
    /// Of the images of an execution under all symmetries there is a first one, and nothing that
    /// leads to it is skipped. Where a read has one representative for each value, that one has the
    /// smallest number; so what stands for a first image may be skipped in turn, but only for an
    /// earlier one with an image of the same outcome and the same flags, and that ends.
    fn mirrored(&self, rf: &[Row<W>]) -> bool {
        self.symmetries.iter().any(|symmetry| {
            for read in each(&self.relevant) {
                let (own, other) = (&rf[read], &rf[symmetry.from[read]]);
                if count(own) != 1 || count(other) != 1 {
                    return false;
                }
                let chosen = each(own).next();
                let carried = each(other).next().map(|write| symmetry.to[write]);
                if chosen != carried {
                    return carried < chosen;
                }
            }
            false
        })
    }

    /// Finds one complete consistent execution whose outcome the filter lets through.
    pub fn witness(
        model: &'a Model,
        skeleton: &'a Skeleton<'a>,
        candidates: Vec<Row<W>>,
        question: Question<'a>,
        findings: &'a mut Findings,
    ) -> Option<Witness> {
        let mut search = Search::new(model, skeleton, candidates, question, findings);
        search.wanted = true;
        search.visit(0);
        search.witness
    }

    /// Whether some complete consistent execution whose outcome the filter lets through is accepted.
    pub fn accepted(
        model: &'a Model,
        skeleton: &'a Skeleton<'a>,
        candidates: Vec<Row<W>>,
        question: Question<'a>,
        findings: &'a mut Findings,
        accept: Accept<'a, W>,
    ) -> bool {
        let mut search = Search::new(model, skeleton, candidates, question, findings);
        search.wanted = true;
        search.accept = Some(accept);
        search.visit(0);
        search.witness.is_some()
    }

    fn new(
        model: &'a Model,
        skeleton: &'a Skeleton<'a>,
        candidates: Vec<Row<W>>,
        question: Question<'a>,
        findings: &'a mut Findings,
    ) -> Search<'a, W> {
        let n = skeleton.len();
        let bounds = Bounds::new(model, skeleton);
        let nodes = model.ops.len();
        let find = |op: Op| model.ops.iter().position(|o| *o == op);
        let coherence = skeleton.coherence_pairs();
        let mut finals: Vec<((LocId, u32), Row<W>)> = Vec::new();
        for observable in question.observables {
            if let Observable::Memory(location, element) = *observable {
                let place = (location, element);
                let mut writes = none();
                for (i, event) in skeleton.events.iter().enumerate() {
                    if event.kind.writes() && event.place == Some(place) {
                        put(&mut writes, i);
                    }
                }
                if !is_none(&writes) {
                    finals.push((place, writes));
                }
            }
        }
        let mut pairs = Vec::new();
        let mut orders = Vec::new();
        for order in &model.orders {
            match order.domain {
                OrderDomain::Coherence => {
                    orders.push(skeleton.initial_order(&coherence));
                    pairs.push(coherence.clone());
                }
                OrderDomain::Linear(set) => {
                    let set = if n > 0 { bounds.low(set)[0] } else { none() };
                    let mut rows = vec![none(); n];
                    for i in each(&set) {
                        rows[i] = set;
                        take(&mut rows[i], i);
                    }
                    orders.push(vec![none(); n]);
                    pairs.push(rows);
                }
            }
        }
        let of_role = |wanted: fn(Role) -> bool| -> Vec<u32> {
            (0..model.checks.len() as u32)
                .filter(|c| wanted(model.checks[*c as usize].role))
                .collect()
        };
        let counts = |check: u32| question.required.is_none_or(|r| r[check as usize]);
        let based = |order: u32| {
            let bit = order_bit(order as usize);
            model.orders[order as usize].base.is_some()
                && (order == 0
                    || (0..model.checks.len() as u32)
                        .filter(|c| {
                            let node = model.checks[*c as usize].node;
                            model.choices[node.index()] & bit != 0
                        })
                        .all(counts))
        };
        let root = Frame {
            rf: candidates,
            orders,
            values: vec![None; n],
            live: (0..nodes as u32)
                .filter(|i| model.dynamic[*i as usize])
                .collect(),
            checks: of_role(|r| r == Role::Require)
                .into_iter()
                .filter(|c| counts(*c))
                .collect(),
            flags: of_role(|r| r != Role::Require),
            raised: Vec::new(),
            conflict: false,
            beyond: 0,
            bases: (0..model.orders.len() as u32)
                .filter(|o| based(*o))
                .collect(),
        };
        let relevant = skeleton.relevant(&root.rf, question.observables);
        Search {
            model,
            skeleton,
            question,
            findings,
            n,
            bounds,
            adjoint: Adjoint::new(nodes, n),
            rf_node: find(Op::Rf),
            order_nodes: (0..model.orders.len() as u32)
                .map(|o| find(Op::Order(o)))
                .collect(),
            pairs,
            relevant,
            finals,
            seeds: skeleton.seeds(question.constants),
            observed: None,
            symmetries: Symmetries::default(),
            frames: vec![root],
            live: vec![false; nodes],
            needed: vec![false; nodes],
            wanted: false,
            witness: None,
            accept: None,
            deepest: 0,
        }
    }

    /// Searches below a frame; true when a consistent execution was found.
    fn visit(&mut self, depth: usize) -> bool {
        self.findings.nodes += 1;
        if !self.findings.go_on() || !self.propagate(depth) {
            return false;
        }
        if self.mirrored(&self.frames[depth].rf) {
            return false;
        }
        if self.wanted {
            if self.witness.is_some() {
                return true;
            }
            if matches!(self.split(depth), Split::Nothing) {
                return self.complete(depth);
            }
        }
        if self.covered(depth) {
            return true;
        }
        let frame = &self.frames[depth];
        if !self.wanted && frame.checks.is_empty() && frame.flags.is_empty() && !frame.conflict {
            return self.complete(depth);
        }
        let determined = self.determined(depth);
        let one_is_enough = determined && frame.flags.is_empty();
        if !self.wanted && one_is_enough && frame.raised.is_empty() && self.seen(depth) {
            return true;
        }
        let split = self.split(depth);
        if self.frames.len() == depth + 1 {
            self.frames.push(Frame::default());
        }
        let mut found = false;
        match split {
            Split::Nothing => {
                // Everything is decided, so nothing is open; see `propagate`.
                debug_assert!(false, "a check stays open though everything is decided");
                return false;
            }
            Split::Read(read) => {
                let candidates = self.frames[depth].rf[read];
                for write in each(&candidates) {
                    self.descend(depth);
                    let row = &mut self.frames[depth + 1].rf[read];
                    *row = none();
                    put(row, write);
                    found |= self.visit(depth + 1);
                    if found && one_is_enough && self.flags_settled(depth) {
                        break;
                    }
                }
            }
            Split::Final(index) => {
                let writes = self.finals[index].1;
                for last in each(&self.maximal(depth, index)) {
                    self.descend(depth);
                    let mut possible = true;
                    for write in each(&writes) {
                        possible &= write == last || self.add_edge(depth + 1, 0, write, last);
                    }
                    found |= possible && self.visit(depth + 1);
                    if found && one_is_enough && self.flags_settled(depth) {
                        break;
                    }
                }
            }
            Split::Pair(order, a, b) => {
                for (a, b) in [(a, b), (b, a)] {
                    self.descend(depth);
                    let possible = self.add_edge(depth + 1, order, a, b);
                    found |= possible && self.visit(depth + 1);
                    if found && one_is_enough && self.flags_settled(depth) {
                        break;
                    }
                }
            }
        }
        found
    }

    fn descend(&mut self, depth: usize) {
        let (before, after) = self.frames.split_at_mut(depth + 1);
        after[0].copy_from(&before[depth]);
    }

    /// Whether nothing more can be learnt about flags below a frame.
    fn flags_settled(&self, depth: usize) -> bool {
        let frame = &self.frames[depth];
        frame
            .flags
            .iter()
            .all(|f| self.findings.raised[*f as usize])
    }

    /// Whether every observed value follows from the decisions made.
    fn determined(&self, depth: usize) -> bool {
        let frame = &self.frames[depth];
        each(&self.relevant).all(|r| count(&frame.rf[r]) == 1)
            && (0..self.finals.len()).all(|f| count(&self.maximal(depth, f)) == 1)
    }

    /// The writes of an observed element that can still be the last.
    fn maximal(&self, depth: usize, index: usize) -> Row<W> {
        let writes = self.finals[index].1;
        let co = &self.frames[depth].orders[0];
        let mut last = writes;
        for write in each(&writes) {
            if meet(&co[write], &writes) {
                take(&mut last, write);
            }
        }
        last
    }

    fn split(&self, depth: usize) -> Split {
        if let Some(split) = self.split_unobserved(depth) {
            return split;
        }
        let frame = &self.frames[depth];
        let undecided = |r: &usize| count(&frame.rf[*r]) > 1;
        if let Some(read) = each(&self.relevant).find(undecided) {
            return Split::Read(read);
        }
        for index in 0..self.finals.len() {
            if count(&self.maximal(depth, index)) > 1 {
                return Split::Final(index);
            }
        }
        if let Some(read) = (0..self.n).find(undecided) {
            return Split::Read(read);
        }
        self.open_pair(depth, |_, _| true).unwrap_or(Split::Nothing)
    }

    /// A pair that an order has not decided, of those that are asked for.
    fn open_pair(&self, depth: usize, asked: impl Fn(usize, usize) -> bool) -> Option<Split> {
        let orders = self.frames[depth].orders.iter().enumerate();
        let counts = |order: usize| {
            self.order_nodes[order].is_some() || self.model.orders[order].base.is_some()
        };
        for (order, certain) in orders.filter(|(order, _)| counts(*order)) {
            for a in 0..self.n {
                let open = minus(&self.pairs[order][a], &certain[a]);
                if let Some(b) = each(&open).find(|b| !has(&certain[*b], a) && asked(a, *b)) {
                    return Some(Split::Pair(order, a, b));
                }
            }
        }
        None
    }
}
