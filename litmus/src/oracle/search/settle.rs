//! What a frame leaves open for the frames below it: checks, flags, orders, and the nodes of the
//! model that they still read.

use super::Search;
use crate::cat::ir::{NodeId, Op};
use crate::cat::{Property, Role, order_bit};
use crate::oracle::bits::{self, Row, and, is_none, minus, or};
use crate::oracle::eval::Truth;

impl<const W: usize> Search<'_, W> {
    /// Sorts out what is still open for the frames below.
    pub(super) fn settle(&mut self, depth: usize) {
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
            frame.conflict |= !contained && !bits::acyclic(&both);
            !contained
        });
        frame.bases = bases;
        if frame.checks.is_empty() && frame.flags.is_empty() && frame.bases.is_empty() {
            frame.live.clear();
            self.frames[depth] = frame;
            return;
        }
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
            if bits::empty(self.bounds.high(a)) {
                node = b;
            } else if bits::empty(self.bounds.high(b)) {
                node = a;
            } else {
                break;
            }
        }
        node
    }
}
