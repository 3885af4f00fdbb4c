//! Backward evaluation: from the checks to the choices that would break them.
//!
//! For each node this computes the pairs that would break a check if they were in the node, given
//! what is certain elsewhere. At a cycle check these are the pairs that would close a cycle; an
//! operator passes them to each operand in the light of the other operand's certain pairs. What
//! arrives at reads-from are the writes that a read cannot choose any more, and what arrives at an
//! order are the pairs that must go the other way round. It is unit propagation over the model's
//! own graph: coherence, visibility and the axioms of any model prune through the same door.

use super::bits::{Row, and, each, first, has, is_none, meet, minus, none, or, put, transpose};
use super::eval::Bounds;
use crate::cat::ir::{NodeId, Op};
use crate::cat::{Check, Property};

/// The breaking pairs of every node.
#[derive(Debug)]
pub struct Adjoint<const W: usize> {
    n: usize,
    rows: Vec<Row<W>>,
    /// Nodes that have some.
    touched: Vec<bool>,
    scratch: Vec<Row<W>>,
}

impl<const W: usize> Adjoint<W> {
    /// Room for a model's nodes.
    pub fn new(nodes: usize, n: usize) -> Adjoint<W> {
        Adjoint {
            n,
            rows: vec![none(); nodes * n],
            touched: vec![false; nodes],
            scratch: vec![none(); n],
        }
    }

    /// Forgets everything about the given nodes.
    pub fn clear(&mut self, nodes: &[u32]) {
        for &node in nodes {
            let node = node as usize;
            if std::mem::replace(&mut self.touched[node], false) {
                self.rows[node * self.n..][..self.n].fill(none());
            }
        }
    }

    /// The breaking pairs of a node, if it has any.
    pub fn of(&self, node: usize) -> Option<&[Row<W>]> {
        self.touched[node].then(|| &self.rows[node * self.n..][..self.n])
    }

    /// Adds breaking pairs to a node.
    pub fn add(&mut self, node: usize, pairs: impl Iterator<Item = Row<W>>) {
        self.touched[node] = true;
        for (row, more) in self.rows[node * self.n..][..self.n].iter_mut().zip(pairs) {
            or(row, &more);
        }
    }

    /// The pairs that break a check directly.
    pub fn seed(&mut self, bounds: &mut Bounds<'_, W>, check: &Check) {
        if check.negated {
            return;
        }
        let n = self.n;
        let node = check.node.index();
        match check.property {
            Property::Empty => self.add(node, std::iter::repeat_n(first(n), n)),
            Property::Irreflexive => self.add(node, (0..n).map(unit)),
            Property::Acyclic => {
                let closed = bounds.closed_low(check.node);
                self.touched[node] = true;
                let rows = &mut self.rows[node * n..][..n];
                for (i, row) in rows.iter_mut().enumerate() {
                    put(row, i);
                }
                for (i, successors) in closed.iter().enumerate() {
                    for j in each(successors) {
                        put(&mut rows[j], i);
                    }
                }
            }
        }
    }

    /// Passes a node's breaking pairs to its operands.
    pub fn pass(&mut self, bounds: &Bounds<'_, W>, index: usize, live: &[bool]) {
        if !self.touched[index] {
            return;
        }
        let n = self.n;
        // Operands have smaller numbers than the node.
        let (before, rest) = self.rows.split_at_mut(index * n);
        let breaking = &rest[..n];
        let mut operands = Operands {
            n,
            rows: before,
            touched: &mut self.touched,
            live,
        };
        match bounds.model.ops[index] {
            Op::SetBase(_)
            | Op::RelBase(_)
            | Op::EmptySet
            | Op::Empty
            | Op::Rf
            | Op::Order(_)
            | Op::RecVar(..)
            | Op::Fix(_) => {}
            Op::SetUnion(a, b) => {
                for operand in [a, b] {
                    if let Some(out) = operands.get(operand) {
                        or(&mut out[0], &breaking[0]);
                    }
                }
            }
            Op::SetInter(a, b) => {
                for (operand, other) in [(a, b), (b, a)] {
                    if let Some(out) = operands.get(operand) {
                        or(&mut out[0], &and(&breaking[0], &bounds.low(other)[0]));
                    }
                }
            }
            Op::SetDiff(a, b) => {
                if let Some(out) = operands.get(a) {
                    or(&mut out[0], &minus(&breaking[0], &bounds.high(b)[0]));
                }
            }
            Op::Domain(r) => {
                if let Some(out) = operands.get(r) {
                    for i in each(&breaking[0]) {
                        out[i] = first(n);
                    }
                }
            }
            Op::Range(r) => {
                if let Some(out) = operands.get(r) {
                    for out in out {
                        or(out, &breaking[0]);
                    }
                }
            }
            Op::Union(a, b) => {
                for operand in [a, b] {
                    if let Some(out) = operands.get(operand) {
                        for (out, d) in out.iter_mut().zip(breaking) {
                            or(out, d);
                        }
                    }
                }
            }
            Op::Inter(a, b) => {
                for (operand, other) in [(a, b), (b, a)] {
                    if let Some(out) = operands.get(operand) {
                        for ((out, d), o) in out.iter_mut().zip(breaking).zip(bounds.low(other)) {
                            or(out, &and(d, o));
                        }
                    }
                }
            }
            Op::Diff(a, b) => {
                if let Some(out) = operands.get(a) {
                    for ((out, d), b) in out.iter_mut().zip(breaking).zip(bounds.high(b)) {
                        or(out, &minus(d, b));
                    }
                }
            }
            Op::Seq(a, b) => through_composition(&mut operands, breaking, bounds, a, b),
            Op::Plus(a) => {
                let closed = bounds.low(NodeId(index as u32));
                if let Some(out) = operands.get(a) {
                    through_closure(out, breaking, closed, &mut self.scratch);
                }
            }
            Op::Inverse(a) => {
                if let Some(out) = operands.get(a) {
                    for (i, d) in breaking.iter().enumerate() {
                        for j in each(d) {
                            put(&mut out[j], i);
                        }
                    }
                }
            }
            Op::Cross(s, t) => through_product(&mut operands, breaking, bounds, s, t),
            Op::Id(s) => {
                if let Some(out) = operands.get(s) {
                    for (i, d) in breaking.iter().enumerate() {
                        if has(d, i) {
                            put(&mut out[0], i);
                        }
                    }
                }
            }
            Op::MaskLeft(s, r) => through_left_mask(&mut operands, breaking, bounds, s, r),
            Op::MaskRight(r, s) => through_right_mask(&mut operands, breaking, bounds, r, s),
        }
    }
}

/// The breaking pairs of a node's operands.
struct Operands<'a, const W: usize> {
    n: usize,
    rows: &'a mut [Row<W>],
    touched: &'a mut [bool],
    live: &'a [bool],
}

impl<const W: usize> Operands<'_, W> {
    /// Those of one operand; none when its value is settled.
    fn get(&mut self, node: NodeId) -> Option<&mut [Row<W>]> {
        let i = node.index();
        if !self.live[i] {
            return None;
        }
        self.touched[i] = true;
        Some(&mut self.rows[i * self.n..][..self.n])
    }
}

fn unit<const W: usize>(i: usize) -> Row<W> {
    let mut row = none();
    put(&mut row, i);
    row
}

/// A pair `(p, q)` breaks a closure when it links a certain path to `p` with one from `q` over a
/// breaking pair.
fn through_closure<const W: usize>(
    out: &mut [Row<W>],
    breaking: &[Row<W>],
    closed: &[Row<W>],
    scratch: &mut [Row<W>],
) {
    transpose(scratch, closed);
    for (x, d) in breaking.iter().enumerate() {
        if is_none(d) {
            continue;
        }
        // The events from which a breaking pair of `x` is reached for certain.
        let mut ends = *d;
        for z in each(d) {
            or(&mut ends, &scratch[z]);
        }
        or(&mut out[x], &ends);
        for p in each(&closed[x]) {
            or(&mut out[p], &ends);
        }
    }
}

/// Of `a; b`: a pair breaks where a certain one of the other side completes it.
fn through_composition<const W: usize>(
    operands: &mut Operands<'_, W>,
    breaking: &[Row<W>],
    bounds: &Bounds<'_, W>,
    a: NodeId,
    b: NodeId,
) {
    if let Some(out) = operands.get(a) {
        let (possible, b) = (bounds.high(a), bounds.low(b));
        for ((out, d), possible) in out.iter_mut().zip(breaking).zip(possible) {
            if is_none(d) {
                continue;
            }
            for y in each(possible) {
                if meet(&b[y], d) {
                    put(out, y);
                }
            }
        }
    }
    if let Some(out) = operands.get(b) {
        for (a, d) in bounds.low(a).iter().zip(breaking) {
            if is_none(d) {
                continue;
            }
            for y in each(a) {
                or(&mut out[y], d);
            }
        }
    }
}

/// Of `s * t`: an event breaks where a certain one of the other set completes the pair.
fn through_product<const W: usize>(
    operands: &mut Operands<'_, W>,
    breaking: &[Row<W>],
    bounds: &Bounds<'_, W>,
    s: NodeId,
    t: NodeId,
) {
    let (low_s, low_t) = (bounds.low(s)[0], bounds.low(t)[0]);
    if let Some(out) = operands.get(s) {
        for (i, d) in breaking.iter().enumerate() {
            if meet(d, &low_t) {
                put(&mut out[0], i);
            }
        }
    }
    if let Some(out) = operands.get(t) {
        for i in each(&low_s) {
            or(&mut out[0], &breaking[i]);
        }
    }
}

/// Of `[s]; r`.
fn through_left_mask<const W: usize>(
    operands: &mut Operands<'_, W>,
    breaking: &[Row<W>],
    bounds: &Bounds<'_, W>,
    s: NodeId,
    r: NodeId,
) {
    let low_s = bounds.low(s)[0];
    if let Some(out) = operands.get(r) {
        for i in each(&low_s) {
            or(&mut out[i], &breaking[i]);
        }
    }
    if let Some(out) = operands.get(s) {
        for (i, (d, r)) in breaking.iter().zip(bounds.low(r)).enumerate() {
            if meet(d, r) {
                put(&mut out[0], i);
            }
        }
    }
}

/// Of `r; [s]`.
fn through_right_mask<const W: usize>(
    operands: &mut Operands<'_, W>,
    breaking: &[Row<W>],
    bounds: &Bounds<'_, W>,
    r: NodeId,
    s: NodeId,
) {
    let low_s = bounds.low(s)[0];
    if let Some(out) = operands.get(r) {
        for (out, d) in out.iter_mut().zip(breaking) {
            or(out, &and(d, &low_s));
        }
    }
    if let Some(out) = operands.get(s) {
        for (d, r) in breaking.iter().zip(bounds.low(r)) {
            or(&mut out[0], &and(d, r));
        }
    }
}
