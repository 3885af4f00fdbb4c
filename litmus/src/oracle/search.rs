//! The search for consistent executions of one skeleton.
//!
//! A node of the search holds, for each read, the writes it may still choose, and for each order
//! the pairs that are certain. [`Bounds`] are computed forward, [`Adjoint`] backward, until nothing
//! follows any more; then one choice is split. Three observations keep the tree small:
//!
//! - When the upper bounds already satisfy every open check, every way of completing the choices is
//!   consistent, and only values are left to enumerate.
//! - Choices that no observed value depends on, coherence above all, need one witness each, not an
//!   enumeration; and none at all when the outcome has been found before.
//! - A node of the model whose bounds have met, or that only satisfied checks read, is not computed
//!   again below.

use super::State;
use super::adjoint::Adjoint;
use super::bits::{
    Row, and, close, count, each, first, has, irreflexive, is_none, meet, minus, none, or, put,
    take,
};
use super::eval::{Bounds, Side, Truth};
use super::skeleton::{Skeleton, Written};
use crate::cat::ir::{NodeId, Op};
use crate::cat::{Model, OrderDomain, Property, Role, order_bit};
use crate::program::{LocId, Observable, Predicate};
use std::collections::HashSet;

/// What all skeletons of a program add to.
#[derive(Debug)]
pub struct Findings {
    /// The outcomes found.
    pub states: HashSet<State>,
    /// For each check of the model, whether it is a flag that was raised.
    pub raised: Vec<bool>,
    /// Number of consistent executions, or families of them, that were visited.
    pub executions: u64,
    /// Number of search nodes.
    pub nodes: u64,
}

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

/// A node of the search.
#[derive(Debug, Clone, Default)]
struct Frame<const W: usize> {
    /// Writes that each read may choose.
    rf: Vec<Row<W>>,
    /// Certain pairs of each order, transitively closed.
    orders: Vec<Vec<Row<W>>>,
    /// Values of reads, where known.
    values: Vec<Option<i64>>,
    /// Nodes of the model to compute, smallest first.
    live: Vec<u32>,
    /// Required checks that are open.
    checks: Vec<u32>,
    /// Flags that are open and have not been found raised before.
    flags: Vec<u32>,
    /// Flags that every completion raises.
    raised: Vec<u32>,
    /// Orders that do not yet contain all that their base may become.
    bases: Vec<u32>,
    /// Some order may still conflict with its base.
    conflict: bool,
    /// Orders, as bits of [`Model::choices`], that have pairs beyond those of their base.
    beyond: u64,
}

impl<const W: usize> Frame<W> {
    fn copy_from(&mut self, other: &Frame<W>) {
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
    frames: Vec<Frame<W>>,
    live: Vec<bool>,
    needed: Vec<bool>,
    /// Whether one complete execution is wanted, and that execution once it is found.
    wanted: bool,
    witness: Option<Witness>,
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
        findings: &'a mut Findings,
    ) {
        Search::new(model, skeleton, candidates, question, findings).visit(0);
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
            frames: vec![root],
            live: vec![false; nodes],
            needed: vec![false; nodes],
            wanted: false,
            witness: None,
            deepest: 0,
        }
    }

    /// Searches below a frame; true when a consistent execution was found.
    fn visit(&mut self, depth: usize) -> bool {
        self.findings.nodes += 1;
        if !self.propagate(depth) {
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

    /// Draws every conclusion; false when the frame has no consistent completion.
    fn propagate(&mut self, depth: usize) -> bool {
        {
            let raised = &self.findings.raised;
            self.frames[depth].flags.retain(|f| !raised[*f as usize]);
        }
        let consistent = self.conclude(depth);
        for node in 0..self.frames[depth].live.len() {
            self.live[self.frames[depth].live[node] as usize] = false;
        }
        if consistent {
            self.settle(depth);
        }
        consistent
    }

    fn conclude(&mut self, depth: usize) -> bool {
        // Which choices changed since the nodes were computed; at first, all may have.
        let mut moved = !0;
        loop {
            if !self.skeleton.needs.is_empty() && !self.values(depth) {
                return false;
            }
            self.load(depth);
            let undecided = self.undecided(depth);
            for index in 0..self.frames[depth].live.len() {
                let node = self.frames[depth].live[index] as usize;
                if self.model.choices[node] & moved == 0 {
                    continue;
                }
                self.bounds.node(node, Side::Lower);
                let open = self.model.choices[node] & undecided != 0;
                if open || matches!(self.model.ops[node], Op::Fix(_)) {
                    self.bounds.node(node, Side::Upper);
                } else {
                    self.bounds.meet(node);
                }
            }
            let mut open = Vec::new();
            for &check in &self.frames[depth].checks {
                match self.bounds.truth(&self.model.checks[check as usize]) {
                    Truth::Fails => return false,
                    Truth::Holds => {}
                    Truth::Open => open.push(check),
                }
            }
            self.frames[depth].checks = open;
            moved = 0;
            for index in 0..self.frames[depth].bases.len() {
                let order = self.frames[depth].bases[index] as usize;
                match self.follow_base(depth, order) {
                    None => return false,
                    Some(true) => moved |= order_bit(order),
                    Some(false) => {}
                }
            }
            if moved != 0 {
                continue;
            }
            match self.look_back(depth, undecided) {
                None => return false,
                Some(0) => return true,
                Some(more) => moved = more,
            }
        }
    }

    /// Which choices are not fully decided, as bits of [`Model::choices`].
    fn undecided(&self, depth: usize) -> u64 {
        let frame = &self.frames[depth];
        let mut bits = u64::from(frame.rf.iter().any(|writes| count(writes) > 1));
        for (order, certain) in frame.orders.iter().enumerate() {
            // A total order has half of the pairs that it decides.
            let all: u32 = self.pairs[order].iter().map(count).sum();
            let known: u32 = certain.iter().map(count).sum();
            if known * 2 != all {
                bits |= order_bit(order);
            }
        }
        bits
    }

    /// Puts the frame's choices into the model's nodes.
    fn load(&mut self, depth: usize) {
        let n = self.n;
        let frame = &self.frames[depth];
        if let Some(node) = self.rf_node {
            for row in 0..n {
                self.bounds.set(node, row, none(), none());
            }
            for (read, writes) in frame.rf.iter().enumerate() {
                let decided = count(writes) == 1;
                for write in each(writes) {
                    put(&mut self.bounds.upper[node * n + write], read);
                    if decided {
                        put(&mut self.bounds.lower[node * n + write], read);
                    }
                }
            }
        }
        for (order, node) in self.order_nodes.iter().enumerate() {
            let Some(node) = *node else { continue };
            let certain = &frame.orders[order];
            for (row, (certain, pairs)) in certain.iter().zip(&self.pairs[order]).enumerate() {
                self.bounds.set(node, row, *certain, *pairs);
            }
            for (a, row) in certain.iter().enumerate() {
                for b in each(row) {
                    take(&mut self.bounds.upper[node * n + b], a);
                }
            }
        }
    }

    /// Adds a pair to an order; false when the order has the reverse.
    fn add_edge(&mut self, depth: usize, order: usize, a: usize, b: usize) -> bool {
        self.frames[depth].beyond |= order_bit(order);
        let rows = &mut self.frames[depth].orders[order];
        if a == b || has(&rows[b], a) {
            return false;
        }
        if !has(&rows[a], b) {
            let mut after = rows[b];
            put(&mut after, b);
            for (x, row) in rows.iter_mut().enumerate() {
                if x == a || has(row, a) {
                    or(row, &after);
                }
            }
        }
        true
    }

    /// Adds what an order's base makes certain. None on a conflict, else whether anything is new.
    fn follow_base(&mut self, depth: usize, order: usize) -> Option<bool> {
        let base = self.model.orders[order].base?;
        let rows = &mut self.frames[depth].orders[order];
        let mut changed = false;
        for ((row, base), pairs) in rows
            .iter_mut()
            .zip(self.bounds.low(base))
            .zip(&self.pairs[order])
        {
            let certain = and(base, pairs);
            if !is_none(&minus(&certain, row)) {
                or(row, &certain);
                changed = true;
            }
        }
        if changed {
            close(rows);
            if !irreflexive(rows) {
                return None;
            }
        }
        Some(changed)
    }

    /// Removes choices that would break a check. None on a conflict, else which choices changed, as
    /// bits of [`Model::choices`].
    fn look_back(&mut self, depth: usize, undecided: u64) -> Option<u64> {
        let n = self.n;
        let frame = &self.frames[depth];
        if undecided == 0 || (frame.checks.is_empty() && frame.bases.is_empty()) {
            return Some(0);
        }
        // Only what an undecided choice can still change is worth looking at.
        for node in &frame.live {
            let node = *node as usize;
            self.live[node] = self.model.choices[node] & undecided != 0;
        }
        self.adjoint.clear(&frame.live);
        for &check in &frame.checks {
            let check = &self.model.checks[check as usize];
            if self.live[check.node.index()] {
                self.adjoint.seed(&mut self.bounds, check);
            }
        }
        for &order in &frame.bases {
            let order = order as usize;
            let Some(base) = self.model.orders[order].base else {
                continue;
            };
            if !self.live[base.index()] {
                continue;
            }
            // A pair of the base must not be the reverse of a certain pair.
            let mut reverse = vec![none(); n];
            for (a, row) in frame.orders[order].iter().enumerate() {
                for b in each(row) {
                    put(&mut reverse[b], a);
                }
            }
            self.adjoint.add(base.index(), reverse.into_iter());
        }
        for index in (0..frame.live.len()).rev() {
            let node = frame.live[index] as usize;
            if self.live[node] {
                self.adjoint.pass(&self.bounds, node, &self.live);
            }
        }
        let mut moved = 0;
        if let Some(node) = self.rf_node
            && let Some(breaking) = self.adjoint.of(node)
        {
            for (write, reads) in breaking.iter().enumerate() {
                for read in each(reads) {
                    let row = &mut self.frames[depth].rf[read];
                    if has(row, write) {
                        take(row, write);
                        if is_none(row) {
                            return None;
                        }
                        moved |= 1;
                    }
                }
            }
        }
        for order in 0..self.order_nodes.len() {
            let Some(node) = self.order_nodes[order] else {
                continue;
            };
            for a in 0..n {
                let Some(breaking) = self.adjoint.of(node) else {
                    break;
                };
                let wrong = and(&breaking[a], &self.pairs[order][a]);
                for b in each(&wrong) {
                    if has(&self.frames[depth].orders[order][b], a) {
                        continue;
                    }
                    if !self.add_edge(depth, order, b, a) {
                        return None;
                    }
                    moved |= order_bit(order);
                }
            }
        }
        Some(moved)
    }

    /// Sorts out what is still open for the frames below.
    fn settle(&mut self, depth: usize) {
        let mut frame = std::mem::take(&mut self.frames[depth]);
        let model = self.model;
        let bounds = &self.bounds;
        let raised = &mut frame.raised;
        frame
            .flags
            .retain(|f| match bounds.raised(&model.checks[*f as usize]) {
                Truth::Holds => {
                    raised.push(*f);
                    false
                }
                Truth::Fails => false,
                Truth::Open => true,
            });
        let mut bases = std::mem::take(&mut frame.bases);
        frame.conflict = false;
        if depth == 0 {
            self.merge_checks(&mut frame.checks);
        }
        let open = frame.checks.iter().chain(&frame.flags).fold(0, |all, c| {
            all | model.choices[model.checks[*c as usize].node.index()]
        });
        bases.retain(|o| {
            let order = *o as usize;
            let Some(base) = model.orders[order].base else {
                return false;
            };
            // An order that nothing reads any more, and that only its base has shaped, exists
            // exactly if the base has no cycle; where a check says so the order can be forgotten.
            if order != 0
                && !self.wanted
                && (open | frame.beyond) & order_bit(order) == 0
                && self.acyclic_by_check(base)
            {
                return false;
            }
            // The order may still grow against the base until it contains all that the base may
            // become; as it stands, there is no conflict if both together have no cycle.
            let mut both: Vec<Row<W>> = frame.orders[order].clone();
            let mut contained = true;
            for (a, row) in both.iter_mut().enumerate() {
                let possible = and(&bounds.high(base)[a], &self.pairs[order][a]);
                contained &= is_none(&minus(&possible, row));
                or(row, &possible);
            }
            frame.conflict |= !contained && !super::bits::acyclic(&both);
            !contained
        });
        frame.bases = bases;
        self.needed.fill(false);
        let mut need = |node: NodeId| self.needed[node.index()] = true;
        for check in frame.checks.iter().chain(&frame.flags) {
            need(model.checks[*check as usize].node);
        }
        for order in &frame.bases {
            if let Some(base) = model.orders[*order as usize].base {
                need(base);
            }
        }
        let mut kept = Vec::with_capacity(frame.live.len());
        for index in (0..frame.live.len()).rev() {
            let node = frame.live[index] as usize;
            let op = model.ops[node];
            if let Op::Fix(group) = op {
                // A recursive relation may be read in ways that its own definition passes on, so
                // an open group is kept whole.
                let group = &model.groups[group as usize];
                if group.vars.iter().all(|v| bounds.frozen(v.index())) {
                    continue;
                }
                for body in &group.bodies {
                    self.needed[body.index()] = true;
                }
            } else if !self.needed[node] || bounds.frozen(node) {
                continue;
            }
            kept.push(node as u32);
            for input in op.inputs().into_iter().flatten() {
                self.needed[input.index()] = true;
            }
        }
        kept.reverse();
        frame.live = kept;
        self.frames[depth] = frame;
    }

    /// Whether a required check, passed or still open, says that a node has no cycle.
    fn acyclic_by_check(&self, node: NodeId) -> bool {
        self.model.checks.iter().enumerate().any(|(index, check)| {
            check.role == Role::Require
                && !check.negated
                && check.property == Property::Acyclic
                && check.node == node
                && self.question.required.is_none_or(|r| r[index])
        })
    }

    /// Keeps one of the checks that are the same over this skeleton.
    fn merge_checks(&self, checks: &mut Vec<u32>) {
        let mut seen = Vec::new();
        checks.retain(|check| {
            let check = &self.model.checks[*check as usize];
            let key = (
                self.without_empty(check.node),
                check.property,
                check.negated,
            );
            let new = !seen.contains(&key);
            if new {
                seen.push(key);
            }
            new
        });
    }

    /// A node without the operands of its unions that are empty over this skeleton.
    fn without_empty(&self, mut node: NodeId) -> NodeId {
        while let Op::Union(a, b) = self.model.ops[node.index()] {
            if super::bits::empty(self.bounds.high(a)) {
                node = b;
            } else if super::bits::empty(self.bounds.high(b)) {
                node = a;
            } else {
                break;
            }
        }
        node
    }

    /// Computes values that have become known; false when a path's need is not met.
    fn values(&mut self, depth: usize) -> bool {
        let mut values = std::mem::take(&mut self.frames[depth].values);
        self.spread(&self.frames[depth].rf, &mut values);
        let met = self.needs_met(&values);
        self.frames[depth].values = values;
        met
    }

    fn needs_met(&self, values: &[Option<i64>]) -> bool {
        self.skeleton.needs.iter().all(|need| {
            let value = need.condition.eval(&|e| values[need.start + e as usize]);
            value.is_none_or(|v| (v != 0) == need.holds)
        })
    }

    fn written(&self, write: usize, values: &[Option<i64>]) -> Option<i64> {
        match self.skeleton.events[write].written {
            Written::Nothing => None,
            Written::Initial(v) => Some(v),
            Written::Value(sym, start) => sym.eval(&|e| values[start + e as usize]),
        }
    }

    /// Carries known values along decided reads.
    fn spread(&self, rf: &[Row<W>], values: &mut [Option<i64>]) {
        loop {
            let mut changed = false;
            for read in 0..self.n {
                if values[read].is_some() || count(&rf[read]) != 1 {
                    continue;
                }
                for write in each(&rf[read]) {
                    if let Some(value) = self.written(write, values) {
                        values[read] = Some(value);
                        changed = true;
                    }
                }
            }
            if !changed {
                return;
            }
        }
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
        for (order, certain) in frame.orders.iter().enumerate() {
            if self.order_nodes[order].is_none() && self.model.orders[order].base.is_none() {
                continue;
            }
            for a in 0..self.n {
                for b in each(&minus(&self.pairs[order][a], &certain[a])) {
                    if !has(&certain[b], a) {
                        return Split::Pair(order, a, b);
                    }
                }
            }
        }
        Split::Nothing
    }

    /// Whether the determined outcome of a frame has been found before.
    fn seen(&self, depth: usize) -> bool {
        let frame = &self.frames[depth];
        let mut values = frame.values.clone();
        self.spread(&frame.rf, &mut values);
        let last: Vec<usize> = (0..self.finals.len())
            .filter_map(|f| each(&self.maximal(depth, f)).next())
            .collect();
        self.outcome(&values, &last)
            .is_some_and(|state| self.findings.states.contains(&state))
    }

    /// The outcome of known values; none while some observed value is unknown.
    fn outcome(&self, values: &[Option<i64>], last: &[usize]) -> Option<State> {
        let mut state = Vec::with_capacity(self.question.observables.len());
        for observable in self.question.observables {
            state.push(match *observable {
                Observable::Register(t, r) => {
                    let start = self.skeleton.starts[t.index()];
                    let sym = &self.skeleton.paths[t.index()].registers[r.index()];
                    sym.eval(&|e| values[start + e as usize])?
                }
                Observable::Memory(location, element) => {
                    let place = (location, element);
                    match self.finals.iter().position(|(p, _)| *p == place) {
                        Some(index) => self.written(last[index], values)?,
                        None => {
                            let declared = &self.skeleton.program.locations[location.index()];
                            declared.ty.wrap(declared.init[element as usize])
                        }
                    }
                }
            });
        }
        Some(State(state))
    }

    /// Enumerates the outcomes of a frame all of whose completions are consistent.
    fn complete(&mut self, depth: usize) -> bool {
        self.deepest = depth;
        let mut free = Vec::new();
        let mut rf = self.frames[depth].rf.clone();
        for read in each(&self.relevant) {
            if count(&rf[read]) > 1 {
                free.push((read, self.representatives(&rf[read])));
            }
        }
        let last: Vec<Row<W>> = (0..self.finals.len())
            .map(|f| self.maximal(depth, f))
            .collect();
        let values = self.frames[depth].values.clone();
        let found = self.assign(&free, &mut rf, &values, &last);
        if found {
            for index in 0..self.frames[depth].raised.len() {
                let flag = self.frames[depth].raised[index] as usize;
                self.findings.raised[flag] = true;
            }
        }
        found
    }

    /// One write for each value that a read can return, where all values are constants.
    fn representatives(&self, writes: &Row<W>) -> Row<W> {
        let mut values = Vec::new();
        let mut kept = none();
        for write in each(writes) {
            let value = match self.skeleton.events[write].written {
                Written::Initial(v) | Written::Value(&super::value::Sym::Const(v), _) => v,
                Written::Value(..) | Written::Nothing => return *writes,
            };
            if !values.contains(&value) {
                values.push(value);
                put(&mut kept, write);
            }
        }
        kept
    }

    fn assign(
        &mut self,
        free: &[(usize, Row<W>)],
        rf: &mut [Row<W>],
        values: &[Option<i64>],
        last: &[Row<W>],
    ) -> bool {
        let Some(((read, writes), rest)) = free.split_first() else {
            let mut values = values.to_vec();
            self.findings.executions += 1;
            return self.solve(rf, &mut values, &[], last);
        };
        let mut found = false;
        for write in each(writes) {
            rf[*read] = none();
            put(&mut rf[*read], write);
            found |= self.assign(rest, rf, values, last);
        }
        found
    }

    /// Completes the values, guessing where they depend on themselves, and records the outcomes.
    fn solve(
        &mut self,
        rf: &[Row<W>],
        values: &mut [Option<i64>],
        guessed: &[(usize, i64)],
        last: &[Row<W>],
    ) -> bool {
        self.spread(rf, values);
        // What was guessed must be what is written.
        for (read, guess) in guessed {
            for write in each(&rf[*read]) {
                if self.written(write, values).is_some_and(|v| v != *guess) {
                    return false;
                }
            }
        }
        if !self.needs_met(values) {
            return false;
        }
        let unknown = each(&self.relevant).find(|r| values[*r].is_none());
        let Some(read) = unknown else {
            return self.record(values, last);
        };
        let ty = self.skeleton.type_of(read);
        let mut found = false;
        for index in 0..self.seeds.len() {
            let seed = self.seeds[index];
            if ty.is_some_and(|ty| ty.wrap(seed) != seed) {
                continue;
            }
            let mut guess = values.to_vec();
            guess[read] = Some(seed);
            let mut more = guessed.to_vec();
            more.push((read, seed));
            found |= self.solve(rf, &mut guess, &more, last);
        }
        found
    }

    /// Records the outcomes of known values: one for each choice of last writes.
    fn record(&mut self, values: &[Option<i64>], last: &[Row<W>]) -> bool {
        let mut chosen: Vec<usize> = last
            .iter()
            .map(|writes| each(writes).next().unwrap_or(0))
            .collect();
        let mut found = false;
        loop {
            if let Some(state) = self.outcome(values, &chosen)
                && self.counts(&state)
            {
                found = true;
                if self.wanted {
                    self.keep(values, state);
                    return true;
                }
                if !self.findings.states.contains(&state) {
                    self.findings.states.insert(state);
                }
            }
            // The next combination of last writes.
            let mut position = 0;
            loop {
                let Some(writes) = last.get(position) else {
                    return found;
                };
                let above = minus(writes, &first(chosen[position] + 1));
                if let Some(next) = each(&above).next() {
                    chosen[position] = next;
                    break;
                }
                chosen[position] = each(writes).next().unwrap_or(0);
                position += 1;
            }
        }
    }

    /// Keeps the execution of the deepest frame, which is complete.
    fn keep(&mut self, values: &[Option<i64>], outcome: State) {
        let frame = &self.frames[self.deepest];
        let list = |rows: &[Row<W>]| rows.iter().map(|row| each(row).collect()).collect();
        self.witness = Some(Witness {
            rf: list(&frame.rf),
            orders: frame.orders.iter().map(|rows| list(rows)).collect(),
            values: values.to_vec(),
            outcome,
        });
    }

    fn counts(&self, state: &State) -> bool {
        self.question.filter.is_none_or(|filter| {
            filter.eval(&|observable| state.value(self.question.observables, observable))
        })
    }
}
