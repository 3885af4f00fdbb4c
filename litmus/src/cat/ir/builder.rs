//! Making a graph: equal nodes become one, and operators are folded where their operands say so.

use super::{Graph, Group, NodeId, Op};
use crate::cat::vocabulary::{BaseRel, BaseSet};
use std::collections::HashMap;
use std::sync::Arc;

/// Builds a graph.
#[derive(Debug, Default)]
pub struct Builder {
    ops: Vec<Op>,
    index: HashMap<Op, NodeId>,
    groups: Vec<Group>,
    names: HashMap<NodeId, (Arc<str>, bool)>,
}

impl Builder {
    /// What a node computes.
    pub fn op(&self, node: NodeId) -> Op {
        self.ops[node.index()]
    }

    /// Notes that a model calls a node by a name. The first name stays, unless it is one of the
    /// prelude's.
    pub fn call(&mut self, node: NodeId, name: &Arc<str>, prelude: bool) {
        let named = self.names.entry(node).or_insert((name.clone(), prelude));
        if named.1 && !prelude {
            *named = (name.clone(), false);
        }
    }

    fn raw(&mut self, op: Op) -> NodeId {
        if let Some(&node) = self.index.get(&op) {
            return node;
        }
        let node = NodeId(self.ops.len() as u32);
        self.ops.push(op);
        self.index.insert(op, node);
        node
    }

    /// A set of the program.
    pub fn set(&mut self, set: BaseSet) -> NodeId {
        match set {
            BaseSet::Never => self.raw(Op::EmptySet),
            other => self.raw(Op::SetBase(other)),
        }
    }

    /// A relation of the program.
    pub fn rel(&mut self, rel: BaseRel) -> NodeId {
        if rel == BaseRel::Id {
            let all = self.set(BaseSet::All);
            return self.raw(Op::Id(all));
        }
        self.raw(Op::RelBase(rel))
    }

    /// The empty set.
    pub fn empty_set(&mut self) -> NodeId {
        self.raw(Op::EmptySet)
    }

    /// The empty relation.
    pub fn empty(&mut self) -> NodeId {
        self.raw(Op::Empty)
    }

    /// Reads-from.
    pub fn rf(&mut self) -> NodeId {
        self.raw(Op::Rf)
    }

    /// A total order of the search.
    pub fn order(&mut self, order: u32) -> NodeId {
        self.raw(Op::Order(order))
    }

    fn is(&self, node: NodeId, op: Op) -> bool {
        self.op(node) == op
    }

    fn is_all(&self, set: NodeId) -> bool {
        self.is(set, Op::SetBase(BaseSet::All))
    }

    fn is_full(&self, rel: NodeId) -> bool {
        matches!(self.op(rel), Op::Cross(s, t) if self.is_all(s) && self.is_all(t))
    }

    /// `s | t`
    pub fn set_union(&mut self, s: NodeId, t: NodeId) -> NodeId {
        if s == t || self.is(t, Op::EmptySet) || self.is_all(s) {
            return s;
        }
        if self.is(s, Op::EmptySet) || self.is_all(t) {
            return t;
        }
        self.raw(Op::SetUnion(s.min(t), s.max(t)))
    }

    /// `s & t`
    pub fn set_inter(&mut self, s: NodeId, t: NodeId) -> NodeId {
        if s == t || self.is_all(t) || self.is(s, Op::EmptySet) {
            return s;
        }
        if self.is_all(s) || self.is(t, Op::EmptySet) {
            return t;
        }
        self.raw(Op::SetInter(s.min(t), s.max(t)))
    }

    /// `s \ t`
    pub fn set_diff(&mut self, s: NodeId, t: NodeId) -> NodeId {
        if s == t {
            return self.empty_set();
        }
        if self.is(t, Op::EmptySet) || self.is(s, Op::EmptySet) {
            return s;
        }
        self.raw(Op::SetDiff(s, t))
    }

    /// `domain(r)`
    pub fn domain(&mut self, r: NodeId) -> NodeId {
        self.raw(Op::Domain(r))
    }

    /// `range(r)`
    pub fn range(&mut self, r: NodeId) -> NodeId {
        self.raw(Op::Range(r))
    }

    /// `r | q`
    pub fn union(&mut self, r: NodeId, q: NodeId) -> NodeId {
        if r == q || self.is(q, Op::Empty) {
            return r;
        }
        if self.is(r, Op::Empty) {
            return q;
        }
        self.raw(Op::Union(r.min(q), r.max(q)))
    }

    /// `r & q`
    pub fn inter(&mut self, r: NodeId, q: NodeId) -> NodeId {
        if r == q || self.is(r, Op::Empty) {
            return r;
        }
        if self.is(q, Op::Empty) {
            return q;
        }
        for (a, b) in [(r, q), (q, r)] {
            match self.op(a) {
                Op::Cross(s, t) => {
                    let left = self.mask_left(s, b);
                    return self.mask_right(left, t);
                }
                Op::Diff(full, minus) if self.is_full(full) => return self.diff(b, minus),
                _ => {}
            }
        }
        if let (Op::Id(s), Op::Id(t)) = (self.op(r), self.op(q)) {
            let both = self.set_inter(s, t);
            return self.id(both);
        }
        self.raw(Op::Inter(r.min(q), r.max(q)))
    }

    /// `r \ q`
    pub fn diff(&mut self, r: NodeId, q: NodeId) -> NodeId {
        if r == q {
            return self.empty();
        }
        if self.is(q, Op::Empty) || self.is(r, Op::Empty) {
            return r;
        }
        self.raw(Op::Diff(r, q))
    }

    /// `r; q`
    pub fn seq(&mut self, r: NodeId, q: NodeId) -> NodeId {
        if self.is(r, Op::Empty) {
            return r;
        }
        if self.is(q, Op::Empty) {
            return q;
        }
        if let Op::Id(s) = self.op(r) {
            return self.mask_left(s, q);
        }
        if let Op::Id(s) = self.op(q) {
            return self.mask_right(r, s);
        }
        self.raw(Op::Seq(r, q))
    }

    /// `[s]; r`
    pub fn mask_left(&mut self, s: NodeId, r: NodeId) -> NodeId {
        if self.is_all(s) || self.is(r, Op::Empty) {
            return r;
        }
        if self.is(s, Op::EmptySet) {
            return self.empty();
        }
        match self.op(r) {
            Op::Id(t) => {
                let both = self.set_inter(s, t);
                self.id(both)
            }
            Op::Cross(t, u) => {
                let both = self.set_inter(s, t);
                self.cross(both, u)
            }
            Op::MaskLeft(t, q) => {
                let both = self.set_inter(s, t);
                self.mask_left(both, q)
            }
            _ => self.raw(Op::MaskLeft(s, r)),
        }
    }

    /// `r; [s]`
    pub fn mask_right(&mut self, r: NodeId, s: NodeId) -> NodeId {
        if self.is_all(s) || self.is(r, Op::Empty) {
            return r;
        }
        if self.is(s, Op::EmptySet) {
            return self.empty();
        }
        match self.op(r) {
            Op::Id(t) => {
                let both = self.set_inter(s, t);
                self.id(both)
            }
            Op::Cross(t, u) => {
                let both = self.set_inter(u, s);
                self.cross(t, both)
            }
            Op::MaskRight(q, t) => {
                let both = self.set_inter(s, t);
                self.mask_right(q, both)
            }
            _ => self.raw(Op::MaskRight(r, s)),
        }
    }

    /// `r+`
    pub fn plus(&mut self, r: NodeId) -> NodeId {
        match self.op(r) {
            Op::Plus(_) | Op::Empty | Op::Id(_) => r,
            _ => self.raw(Op::Plus(r)),
        }
    }

    /// `r?`
    pub fn opt(&mut self, r: NodeId) -> NodeId {
        let id = self.rel(BaseRel::Id);
        self.union(id, r)
    }

    /// `r*`
    pub fn star(&mut self, r: NodeId) -> NodeId {
        let plus = self.plus(r);
        self.opt(plus)
    }

    /// `r^-1`
    pub fn inverse(&mut self, r: NodeId) -> NodeId {
        match self.op(r) {
            Op::Inverse(q) => q,
            Op::Empty | Op::Id(_) => r,
            Op::Cross(s, t) => self.cross(t, s),
            _ => self.raw(Op::Inverse(r)),
        }
    }

    /// `s * t`
    pub fn cross(&mut self, s: NodeId, t: NodeId) -> NodeId {
        if self.is(s, Op::EmptySet) || self.is(t, Op::EmptySet) {
            return self.empty();
        }
        self.raw(Op::Cross(s, t))
    }

    /// `[s]`
    pub fn id(&mut self, s: NodeId) -> NodeId {
        if self.is(s, Op::EmptySet) {
            return self.empty();
        }
        self.raw(Op::Id(s))
    }

    /// `_ * _`
    pub fn full(&mut self) -> NodeId {
        let all = self.set(BaseSet::All);
        self.cross(all, all)
    }

    /// Opens a group of `count` recursive relations.
    pub fn open_group(&mut self, count: usize) -> (u32, Vec<NodeId>) {
        let group = self.groups.len() as u32;
        let vars: Vec<NodeId> = (0..count)
            .map(|i| self.raw(Op::RecVar(group, i as u32)))
            .collect();
        self.groups.push(Group {
            vars: vars.clone(),
            bodies: Vec::new(),
            fix: vars.first().copied().unwrap_or(NodeId(0)),
        });
        (group, vars)
    }

    /// Closes a group; false when a definition uses one of its own names under a complement, so
    /// that no least fixed point need exist.
    pub fn close_group(&mut self, group: u32, bodies: Vec<NodeId>) -> bool {
        let fix = self.raw(Op::Fix(group));
        let monotone = bodies.iter().all(|body| self.polarity(*body, group).1 == 0);
        let entry = &mut self.groups[group as usize];
        entry.bodies = bodies;
        entry.fix = fix;
        monotone
    }

    /// How often the group's names occur positively and negatively below a node (1 for any).
    fn polarity(&self, root: NodeId, group: u32) -> (u8, u8) {
        let mut signs = vec![(0u8, 0u8); root.index() + 1];
        for index in 0..=root.index() {
            signs[index] = match self.ops[index] {
                Op::RecVar(g, _) if g == group => (1, 0),
                Op::Diff(a, b) | Op::SetDiff(a, b) => {
                    let (a, b) = (signs[a.index()], signs[b.index()]);
                    (a.0 | b.1, a.1 | b.0)
                }
                // An inner group that is defined through the outer one.
                Op::RecVar(g, i) => {
                    let inner = &self.groups[g as usize];
                    match inner.bodies.get(i as usize) {
                        Some(body) if body.index() < root.index() => {
                            let reaches = self.reaches(*body, group);
                            (u8::from(reaches), 0)
                        }
                        _ => (0, 0),
                    }
                }
                op => op
                    .inputs()
                    .into_iter()
                    .flatten()
                    .fold((0, 0), |(p, n), input| {
                        let (ip, inn) = signs[input.index()];
                        (p | ip, n | inn)
                    }),
            };
        }
        signs[root.index()]
    }

    fn reaches(&self, root: NodeId, group: u32) -> bool {
        let mut found = vec![false; root.index() + 1];
        for index in 0..=root.index() {
            let op = self.ops[index];
            found[index] = matches!(op, Op::RecVar(g, _) if g == group)
                || op.inputs().into_iter().flatten().any(|i| found[i.index()]);
        }
        found[root.index()]
    }

    /// Keeps only what `roots` need.
    pub fn finish(self, roots: &[NodeId]) -> Graph {
        let mut keep = vec![false; self.ops.len()];
        let mut stack: Vec<NodeId> = roots.to_vec();
        while let Some(node) = stack.pop() {
            if std::mem::replace(&mut keep[node.index()], true) {
                continue;
            }
            let op = self.ops[node.index()];
            stack.extend(op.inputs().into_iter().flatten());
            if let Op::RecVar(g, _) = op {
                let group = &self.groups[g as usize];
                stack.extend(group.vars.iter().chain(&group.bodies).copied());
                stack.push(group.fix);
            }
        }
        let mut number = vec![NodeId(0); self.ops.len()];
        let mut ops = Vec::new();
        let mut names = Vec::new();
        for (old, op) in self.ops.iter().enumerate() {
            if keep[old] {
                number[old] = NodeId(ops.len() as u32);
                ops.push(op.renumbered(|n| number[n.index()]));
                let name = self.names.get(&NodeId(old as u32));
                names.push(name.map(|(name, _)| name.clone()));
            }
        }
        let groups = self
            .groups
            .iter()
            .map(|g| Group {
                vars: g.vars.iter().map(|n| number[n.index()]).collect(),
                bodies: g.bodies.iter().map(|n| number[n.index()]).collect(),
                fix: number[g.fix.index()],
            })
            .collect();
        Graph {
            ops,
            groups,
            names,
            roots: roots.iter().map(|n| number[n.index()]).collect(),
        }
    }
}
