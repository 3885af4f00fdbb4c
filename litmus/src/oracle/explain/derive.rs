//! A pair of a relation taken apart into edges that people know.
//!
//! For every node of the model and every pair in it, [`Derivation`] computes how few edges of the
//! program and of the execution (program order, reads-from, coherence, from-reads, …) lead from one
//! event to the other in the way the node says: sums for `;`, the smaller side for `|`, shortest
//! paths for `+`, a least fixed point for `let rec`. Walking the sums back gives a shortest chain.
//! What a model defines by several edges and uses as a step of an order (`sw` in happens-before) stays
//! one edge with the model's name for it, and carries its chain as its parts.

use super::Edge;
use crate::cat::ir::{NodeId, Op};
use crate::cat::vocabulary::BaseRel;
use crate::oracle::bits::{each, has};
use crate::oracle::eval::Bounds;

/// Number of edges; [`NEVER`] where there is no chain.
type Cost = u32;

/// More than any chain.
const NEVER: Cost = Cost::MAX / 4;

/// Names of the literature for what synchronizes; of several names for one edge they come first.
const CONVENTIONAL: &[&str] = &["sw", "gsw", "lsw", "swra", "dob"];

/// The shortest chains of every node.
pub struct Derivation<'b, 'm, const W: usize> {
    bounds: &'b Bounds<'m, W>,
    /// For each node that is a relation, a row for each event.
    costs: Vec<Vec<Cost>>,
    /// Whether an event is an initial write.
    initial: Vec<bool>,
    /// The node that is asked about, which needs no name.
    root: NodeId,
    /// Pairs of recursive relations that are being taken apart.
    active: Vec<(NodeId, usize, usize)>,
}

impl<'b, 'm, const W: usize> Derivation<'b, 'm, W> {
    /// The chains of `root` and of everything that it reads.
    pub fn new(
        bounds: &'b Bounds<'m, W>,
        initial: Vec<bool>,
        root: NodeId,
    ) -> Derivation<'b, 'm, W> {
        let ops = &bounds.model.ops;
        let mut derivation = Derivation {
            bounds,
            costs: vec![Vec::new(); ops.len()],
            initial,
            root,
            active: Vec::new(),
        };
        // Recursive relations read later nodes, so nodes after the root may matter.
        for (index, op) in ops.iter().enumerate() {
            derivation.compute(index);
            if let Op::Fix(group) = op {
                derivation.settle(*group as usize, index);
            }
        }
        derivation
    }

    fn cost(&self, node: NodeId, from: usize, to: usize) -> Cost {
        self.costs[node.index()]
            .get(from * self.bounds.n + to)
            .copied()
            .unwrap_or(NEVER)
    }

    fn holds(&self, node: NodeId, from: usize, to: usize) -> bool {
        has(&self.bounds.low(node)[from], to)
    }

    /// The side of an intersection that says more: the one that executions choose, or the shorter.
    fn telling(&self, a: NodeId, b: NodeId, from: usize, to: usize) -> NodeId {
        let dynamic = &self.bounds.model.dynamic;
        match (dynamic[a.index()], dynamic[b.index()]) {
            (true, false) => a,
            (false, true) => b,
            _ if self.cost(a, from, to) <= self.cost(b, from, to) => a,
            _ => b,
        }
    }

    fn compute(&mut self, index: usize) {
        let n = self.bounds.n;
        let op = self.bounds.model.ops[index];
        if op.is_set() || matches!(op, Op::RecVar(..) | Op::Fix(_)) {
            if self.costs[index].is_empty() && !op.is_set() {
                self.costs[index] = vec![NEVER; n * n];
            }
            return;
        }
        let mut costs = vec![NEVER; n * n];
        let rows = self.bounds.low(NodeId(index as u32));
        for (from, row) in rows.iter().enumerate() {
            for to in each(row) {
                costs[from * n + to] = match op {
                    Op::Rf | Op::Order(_) | Op::Cross(..) => 1,
                    Op::RelBase(rel) => {
                        if joins(rel) {
                            1
                        } else {
                            2
                        }
                    }
                    Op::Id(_) => 0,
                    Op::Union(a, b) => self.cost(a, from, to).min(self.cost(b, from, to)),
                    Op::Inter(a, b) => self.cost(self.telling(a, b, from, to), from, to),
                    Op::Diff(a, _) | Op::MaskLeft(_, a) | Op::MaskRight(a, _) => {
                        self.cost(a, from, to)
                    }
                    Op::Inverse(a) => self.cost(a, to, from),
                    Op::Seq(..) if self.is_from_reads(op) => 1,
                    Op::Seq(a, b) => (0..n)
                        .map(|m| self.cost(a, from, m) + self.cost(b, m, to))
                        .min()
                        .map_or(NEVER, |c| c.min(NEVER)),
                    Op::Plus(a) => self.cost(a, from, to),
                    Op::Empty
                    | Op::RecVar(..)
                    | Op::Fix(_)
                    | Op::EmptySet
                    | Op::SetBase(_)
                    | Op::SetUnion(..)
                    | Op::SetInter(..)
                    | Op::SetDiff(..)
                    | Op::Domain(_)
                    | Op::Range(_) => NEVER,
                };
            }
        }
        if let Op::Plus(_) = op {
            for middle in 0..n {
                for from in 0..n {
                    let first = costs[from * n + middle];
                    if first < NEVER {
                        for to in 0..n {
                            let through = first + costs[middle * n + to];
                            let best = &mut costs[from * n + to];
                            *best = through.min(*best);
                        }
                    }
                }
            }
        }
        self.costs[index] = costs;
    }

    /// Computes a group of recursive relations, whose last node is `last`, until nothing changes.
    fn settle(&mut self, group: usize, last: usize) {
        let group = &self.bounds.model.groups[group];
        let first = group.vars.iter().map(|v| v.index()).min().unwrap_or(last);
        loop {
            let mut changed = false;
            for (var, body) in group.vars.iter().zip(&group.bodies) {
                if self.costs[var.index()] != self.costs[body.index()] {
                    self.costs[var.index()] = self.costs[body.index()].clone();
                    changed = true;
                }
            }
            if !changed {
                return;
            }
            for index in first..last {
                self.compute(index);
                if let Op::Fix(inner) = self.bounds.model.ops[index] {
                    self.settle(inner as usize, index);
                }
            }
        }
    }

    /// `rf^-1; co`, which everyone knows as from-reads.
    fn is_from_reads(&self, op: Op) -> bool {
        let ops = &self.bounds.model.ops;
        matches!(op, Op::Seq(a, b)
            if ops[b.index()] == Op::Order(0)
                && matches!(ops[a.index()], Op::Inverse(r) if ops[r.index()] == Op::Rf))
    }

    /// The shortest chain of those pairs of the root that begin and end with `ends`.
    pub fn best(&mut self, ends: impl Fn(usize, usize) -> bool) -> Option<Vec<Edge>> {
        let n = self.bounds.n;
        let pairs = (0..n).flat_map(|a| (0..n).map(move |b| (a, b)));
        let (from, to) = pairs
            .filter(|(a, b)| ends(*a, *b) && self.holds(self.root, *a, *b))
            .min_by_key(|(a, b)| self.cost(self.root, *a, *b))?;
        Some(self.chain(from, to))
    }

    /// The shortest chain of one pair of the root or more that returns to where it begins.
    pub fn cycle(&mut self) -> Option<Vec<Edge>> {
        let n = self.bounds.n;
        let steps = self.costs[self.root.index()].clone();
        // The number of pairs, where chains are equally long.
        let mut best: Option<(Cost, usize, Vec<usize>)> = None;
        for start in 0..n {
            let Some((cost, path)) = around(&steps, n, start) else {
                continue;
            };
            if best
                .as_ref()
                .is_none_or(|(c, length, _)| (cost, path.len()) < (*c, *length))
            {
                best = Some((cost, path.len(), path));
            }
        }
        let (_, _, path) = best?;
        let pairs = path.windows(2);
        Some(pairs.flat_map(|p| self.chain(p[0], p[1])).collect())
    }

    fn chain(&mut self, from: usize, to: usize) -> Vec<Edge> {
        let chain = self.walk(self.root, from, to, false, None);
        match chain {
            Some(edges) if !edges.is_empty() => edges,
            Some(_) => vec![edge(from, to, "id")],
            None => vec![edge(from, to, self.name(self.root).unwrap_or("any"))],
        }
    }

    fn name(&self, node: NodeId) -> Option<&'m str> {
        self.bounds.model.names[node.index()].as_deref()
    }

    /// The chain of a pair of a node; none for a pair that is being taken apart already. `step`
    /// says that it is a step of an order, `passed` is the name that the pair has so far.
    fn walk(
        &mut self,
        node: NodeId,
        from: usize,
        to: usize,
        step: bool,
        passed: Option<&'m str>,
    ) -> Option<Vec<Edge>> {
        let own = self.name(node).filter(|_| node != self.root);
        let name = match (passed, own) {
            (Some(p), Some(o)) if !known(p) && known(o) => Some(o),
            (passed, own) => passed.or(own),
        };
        let leaf = |label: &str| {
            let leaf = edge(from, to, label);
            Some(match name.filter(|n| known(n) && *n != label) {
                Some(name) => vec![Edge {
                    parts: vec![leaf],
                    ..edge(from, to, name)
                }],
                None => vec![leaf],
            })
        };
        let wanted = self.cost(node, from, to);
        if wanted >= NEVER {
            return None;
        }
        let op = self.bounds.model.ops[node.index()];
        match op {
            Op::Rf => leaf("rf"),
            Op::Order(k) => leaf(&self.bounds.model.orders[k as usize].name),
            Op::RelBase(rel) => leaf(name_of(rel)),
            Op::Cross(..) if self.initial[from] => leaf("init"),
            Op::Cross(..) => leaf(name.unwrap_or("any")),
            Op::Id(_) => Some(Vec::new()),
            Op::Seq(..) if self.is_from_reads(op) => leaf("fr"),
            Op::Union(a, b) => [a, b].into_iter().find_map(|side| {
                let fits = self.cost(side, from, to) == wanted;
                fits.then(|| self.walk(side, from, to, step, name))
                    .flatten()
            }),
            Op::Inter(a, b) => {
                let side = self.telling(a, b, from, to);
                self.walk(side, from, to, step, name)
            }
            Op::Diff(a, _) | Op::MaskLeft(_, a) | Op::MaskRight(a, _) => {
                self.walk(a, from, to, step, name)
            }
            Op::Seq(a, b) => {
                let fold = name.filter(|n| step || known(n));
                let inner = step && fold.is_none();
                let edges = (0..self.bounds.n).find_map(|m| {
                    if self.cost(a, from, m) + self.cost(b, m, to) != wanted {
                        return None;
                    }
                    let mut edges = self.walk(a, from, m, inner, None)?;
                    edges.extend(self.walk(b, m, to, inner, None)?);
                    Some(edges)
                })?;
                Some(match fold {
                    Some(name) if edges.len() > 1 => {
                        vec![Edge {
                            parts: edges,
                            ..edge(from, to, name)
                        }]
                    }
                    Some(name) if known(name) && !edges.iter().any(|e| e.label == name) => {
                        vec![Edge {
                            parts: edges,
                            ..edge(from, to, name)
                        }]
                    }
                    Some(_) | None => edges,
                })
            }
            Op::Plus(a) => {
                let mut edges = Vec::new();
                let (mut at, mut left) = (from, wanted);
                while left != self.cost(a, at, to) {
                    let next = (0..self.bounds.n).find(|m| {
                        let first = self.cost(a, at, *m);
                        *m != at && first < NEVER && first + self.cost(node, *m, to) == left
                    })?;
                    edges.extend(self.walk(a, at, next, true, None)?);
                    left -= self.cost(a, at, next);
                    at = next;
                }
                edges.extend(self.walk(a, at, to, true, None)?);
                Some(edges)
            }
            Op::Inverse(a) => Some(backward(self.walk(a, to, from, step, None)?)),
            Op::RecVar(group, position) => {
                let pair = (node, from, to);
                if self.active.contains(&pair) {
                    return None;
                }
                let groups = &self.bounds.model.groups;
                let body = *groups[group as usize].bodies.get(position as usize)?;
                self.active.push(pair);
                let edges = self.walk(body, from, to, true, None);
                self.active.pop();
                edges
            }
            Op::Empty
            | Op::Fix(_)
            | Op::EmptySet
            | Op::SetBase(_)
            | Op::SetUnion(..)
            | Op::SetInter(..)
            | Op::SetDiff(..)
            | Op::Domain(_)
            | Op::Range(_) => None,
        }
    }
}

/// A cheapest way of at least one step from an event back to it, and its cost.
fn around(steps: &[Cost], n: usize, start: usize) -> Option<(Cost, Vec<usize>)> {
    let mut best = vec![NEVER; n];
    let mut hops = vec![usize::MAX; n];
    let mut before = vec![start; n];
    let mut done = vec![false; n];
    for to in 0..n {
        best[to] = steps[start * n + to];
        hops[to] = 1;
    }
    loop {
        let open = (0..n).filter(|i| !done[*i] && best[*i] < NEVER);
        let at = open.min_by_key(|i| (best[*i], hops[*i]))?;
        if at == start {
            break;
        }
        done[at] = true;
        for to in 0..n {
            let cost = best[at].saturating_add(steps[at * n + to]).min(NEVER);
            if !done[to] && (cost, hops[at] + 1) < (best[to], hops[to]) {
                (best[to], hops[to], before[to]) = (cost, hops[at] + 1, at);
            }
        }
    }
    let mut path = vec![start];
    let mut at = start;
    loop {
        at = before[at];
        path.push(at);
        if at == start {
            break;
        }
    }
    path.reverse();
    Some((best[start], path))
}

fn edge(from: usize, to: usize, label: &str) -> Edge {
    Edge {
        from,
        to,
        label: label.to_owned(),
        parts: Vec::new(),
    }
}

/// A chain walked from its end to its beginning.
fn backward(edges: Vec<Edge>) -> Vec<Edge> {
    let turned = edges.into_iter().rev().map(|e| Edge {
        from: e.to,
        to: e.from,
        label: match e.label.strip_suffix("^-1") {
            Some(label) => label.to_owned(),
            None => format!("{}^-1", e.label),
        },
        parts: backward(e.parts),
    });
    turned.collect()
}

fn known(name: &str) -> bool {
    CONVENTIONAL.contains(&name)
}

/// Whether a relation of the program orders or joins two events in particular, rather than saying
/// what they have in common.
fn joins(rel: BaseRel) -> bool {
    !matches!(
        rel,
        BaseRel::Int
            | BaseRel::Loc
            | BaseRel::SameSubGroup
            | BaseRel::SameWorkGroup
            | BaseRel::SameDevice
    )
}

fn name_of(rel: BaseRel) -> &'static str {
    let named = BaseRel::NAMES.iter().find(|(known, _)| *known == rel);
    named.and_then(|(_, names)| names.first()).unwrap_or(&"")
}
