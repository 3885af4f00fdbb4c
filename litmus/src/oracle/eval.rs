//! Forward evaluation of a model's graph between bounds.
//!
//! While some reads and orders are undecided, every node has a lower bound (the pairs that are in
//! it whatever is decided) and an upper bound (the pairs that may still be). Every operator but
//! difference carries bounds to bounds of the same side; difference takes its right operand from
//! the other side. Once the two bounds of a node meet, it is frozen for the subtree of the search.

use super::bits::{
    self, Row, acyclic, and, close, each, empty, has, irreflexive, is_none, minus, none, or, put,
};
use super::skeleton::Skeleton;
use crate::cat::ir::{NodeId, Op};
use crate::cat::{Check, Model, Property, Role};

/// The two bounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// What is certain.
    Lower,
    /// What is possible.
    Upper,
}

/// What is known of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Truth {
    /// The property holds however the search goes on.
    Holds,
    /// It holds in no way.
    Fails,
    /// Not decided.
    Open,
}

/// The bounds of every node over one skeleton.
#[derive(Debug)]
pub struct Bounds<'m, const W: usize> {
    /// The model.
    pub model: &'m Model,
    /// Number of events.
    pub n: usize,
    /// Lower bounds; node `i` has rows `i·n … (i+1)·n`, a set only its first row.
    pub lower: Vec<Row<W>>,
    /// Upper bounds.
    pub upper: Vec<Row<W>>,
    scratch: Vec<Row<W>>,
}

impl<'m, const W: usize> Bounds<'m, W> {
    /// Bounds over a skeleton, static nodes computed.
    pub fn new(model: &'m Model, skeleton: &Skeleton<'_>) -> Bounds<'m, W> {
        let n = skeleton.len();
        let mut bounds = Bounds {
            model,
            n,
            lower: vec![none(); model.ops.len() * n],
            upper: vec![none(); model.ops.len() * n],
            scratch: vec![none(); n],
        };
        for index in 0..model.ops.len() {
            if model.dynamic[index] {
                continue;
            }
            let at = index * n..(index + 1) * n;
            match model.ops[index] {
                Op::SetBase(set) => {
                    if n > 0 {
                        bounds.lower[at.start] = skeleton.set(set);
                    }
                }
                Op::RelBase(rel) => skeleton.relation(rel, &mut bounds.lower[at.clone()]),
                _ => bounds.node(index, Side::Lower),
            }
            bounds.upper[at.clone()].copy_from_slice(&bounds.lower[at]);
        }
        bounds
    }

    /// The value of every node in one execution: the write of each read as a list for each event, and the
    /// successors of each event in each order. Both bounds are that value.
    pub fn of_execution(
        model: &'m Model,
        skeleton: &Skeleton<'_>,
        choices: &[Vec<usize>],
        orders: &[Vec<Vec<usize>>],
    ) -> Bounds<'m, W> {
        let n = skeleton.len();
        let mut bounds: Bounds<'_, W> = Bounds::new(model, skeleton);
        for (index, op) in model.ops.iter().enumerate() {
            let successors: Vec<Vec<usize>> = match op {
                Op::Rf => {
                    let mut rows = vec![Vec::new(); n];
                    for (read, writes) in choices.iter().enumerate() {
                        for write in writes {
                            rows[*write].push(read);
                        }
                    }
                    rows
                }
                Op::Order(k) => orders[*k as usize].clone(),
                _ => continue,
            };
            for (row, successors) in successors.iter().enumerate() {
                let mut bits: Row<W> = none();
                successors.iter().for_each(|s| put(&mut bits, *s));
                bounds.set(index, row, bits, bits);
            }
        }
        for index in 0..model.ops.len() {
            if model.dynamic[index] {
                bounds.node(index, Side::Lower);
                bounds.node(index, Side::Upper);
            }
        }
        bounds
    }

    /// Rows of a node's lower bound.
    pub fn low(&self, node: NodeId) -> &[Row<W>] {
        &self.lower[node.index() * self.n..][..self.n]
    }

    /// Rows of a node's upper bound.
    pub fn high(&self, node: NodeId) -> &[Row<W>] {
        &self.upper[node.index() * self.n..][..self.n]
    }

    /// Sets both bounds of a chosen relation.
    pub fn set(&mut self, index: usize, row: usize, low: Row<W>, high: Row<W>) {
        self.lower[index * self.n + row] = low;
        self.upper[index * self.n + row] = high;
    }

    /// Computes one bound of a node from its inputs.
    pub fn node(&mut self, index: usize, side: Side) {
        if let Op::Fix(group) = self.model.ops[index] {
            self.fix(index, group as usize, side);
            return;
        }
        let n = self.n;
        let (same, other) = match side {
            Side::Lower => (&mut self.lower, &self.upper),
            Side::Upper => (&mut self.upper, &self.lower),
        };
        let (before, rest) = same.split_at_mut(index * n);
        let out = &mut rest[..n];
        if n == 0 {
            return;
        }
        let rows = |node: NodeId| &before[node.index() * n..][..n];
        let set = |node: NodeId| &before[node.index() * n];
        let opposite = |node: NodeId| &other[node.index() * n..][..n];
        match self.model.ops[index] {
            // Filled from the skeleton or the state of the search.
            Op::SetBase(_) | Op::RelBase(_) | Op::Rf | Op::Order(_) | Op::RecVar(..) => {}
            Op::Fix(_) => {}
            Op::EmptySet => out[0] = none(),
            Op::Empty => out.fill(none()),
            Op::SetUnion(a, b) => {
                out[0] = *set(a);
                or(&mut out[0], set(b));
            }
            Op::SetInter(a, b) => out[0] = and(set(a), set(b)),
            Op::SetDiff(a, b) => out[0] = minus(set(a), &opposite(b)[0]),
            Op::Domain(r) => {
                let mut row = none();
                for (i, successors) in rows(r).iter().enumerate() {
                    if !is_none(successors) {
                        put(&mut row, i);
                    }
                }
                out[0] = row;
            }
            Op::Range(r) => {
                let mut row = none();
                for successors in rows(r) {
                    or(&mut row, successors);
                }
                out[0] = row;
            }
            Op::Union(a, b) => {
                for ((out, a), b) in out.iter_mut().zip(rows(a)).zip(rows(b)) {
                    *out = *a;
                    or(out, b);
                }
            }
            Op::Inter(a, b) => {
                for ((out, a), b) in out.iter_mut().zip(rows(a)).zip(rows(b)) {
                    *out = and(a, b);
                }
            }
            Op::Diff(a, b) => {
                for ((out, a), b) in out.iter_mut().zip(rows(a)).zip(opposite(b)) {
                    *out = minus(a, b);
                }
            }
            Op::Seq(a, b) => bits::seq(out, rows(a), rows(b)),
            Op::Plus(a) => {
                out.copy_from_slice(rows(a));
                close(out);
            }
            Op::Inverse(a) => bits::transpose(out, rows(a)),
            Op::Cross(s, t) => {
                let (s, t) = (*set(s), *set(t));
                for (i, out) in out.iter_mut().enumerate() {
                    *out = if has(&s, i) { t } else { none() };
                }
            }
            Op::Id(s) => {
                let s = *set(s);
                out.fill(none());
                for i in each(&s) {
                    put(&mut out[i], i);
                }
            }
            Op::MaskLeft(s, r) => {
                let s = *set(s);
                for (i, (out, r)) in out.iter_mut().zip(rows(r)).enumerate() {
                    *out = if has(&s, i) { *r } else { none() };
                }
            }
            Op::MaskRight(r, s) => {
                let s = *set(s);
                for (out, r) in out.iter_mut().zip(rows(r)) {
                    *out = and(r, &s);
                }
            }
        }
    }

    /// Makes the lower bound of a node its upper bound too.
    pub fn meet(&mut self, index: usize) {
        let at = index * self.n..(index + 1) * self.n;
        self.upper[at.clone()].copy_from_slice(&self.lower[at]);
    }

    /// Iterates a recursive group from the empty relations to its least fixed point.
    fn fix(&mut self, index: usize, group: usize, side: Side) {
        let n = self.n;
        let model = self.model;
        let group = &model.groups[group];
        let Some(first) = group.vars.iter().map(|v| v.index()).min() else {
            return;
        };
        for var in &group.vars {
            self.side(side)[var.index() * n..][..n].fill(none());
        }
        loop {
            for inner in first..index {
                if !matches!(
                    model.ops[inner],
                    Op::SetBase(_) | Op::RelBase(_) | Op::Rf | Op::Order(_) | Op::RecVar(..)
                ) {
                    self.node(inner, side);
                }
            }
            let mut changed = false;
            for (var, body) in group.vars.iter().zip(&group.bodies) {
                let (var, body) = (var.index() * n, body.index() * n);
                let rows = self.side(side);
                for row in 0..n {
                    if rows[var + row] != rows[body + row] {
                        rows[var + row] = rows[body + row];
                        changed = true;
                    }
                }
            }
            if !changed {
                return;
            }
        }
    }

    fn side(&mut self, side: Side) -> &mut Vec<Row<W>> {
        match side {
            Side::Lower => &mut self.lower,
            Side::Upper => &mut self.upper,
        }
    }

    /// Whether a node's bounds have met.
    pub fn frozen(&self, index: usize) -> bool {
        let n = self.n;
        let rows = if self.model.ops[index].is_set() { 1 } else { n };
        let at = index * n;
        self.lower[at..at + rows.min(n)] == self.upper[at..at + rows.min(n)]
    }

    /// What is known of a check's property, negation included; `met` says that the bounds of its
    /// node are known to have met.
    pub fn truth(&self, check: &Check, met: bool) -> Truth {
        let (low, high) = (self.low(check.node), self.high(check.node));
        // All three properties are lost, never won, as pairs are added.
        let test = |r: &[Row<W>]| match check.property {
            Property::Acyclic => acyclic(r),
            Property::Irreflexive => irreflexive(r),
            Property::Empty => empty(r),
        };
        let plain = if !test(low) {
            Truth::Fails
        } else if met || test(high) {
            Truth::Holds
        } else {
            Truth::Open
        };
        match (plain, check.negated) {
            (Truth::Fails, true) => Truth::Holds,
            (Truth::Holds, true) => Truth::Fails,
            (truth, _) => truth,
        }
    }

    /// Whether a check's flag is raised.
    pub fn raised(&self, check: &Check) -> Truth {
        let truth = self.truth(check, false);
        match check.role {
            Role::Flag | Role::Require => truth,
            Role::UndefinedUnless => match truth {
                Truth::Holds => Truth::Fails,
                Truth::Fails => Truth::Holds,
                Truth::Open => Truth::Open,
            },
        }
    }

    /// The transitive closure of a node's lower bound.
    pub fn closed_low(&mut self, node: NodeId) -> &[Row<W>] {
        let at = node.index() * self.n;
        self.scratch.copy_from_slice(&self.lower[at..at + self.n]);
        close(&mut self.scratch);
        &self.scratch
    }
}
