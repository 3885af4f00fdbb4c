//! What follows from the choices made: forward through the model, then backward, until nothing
//! moves any more.

use super::Search;
use crate::cat::ir::Op;
use crate::cat::order_bit;
use crate::oracle::bits::{
    and, close, count, each, has, irreflexive, is_none, minus, none, or, put, take,
};
use crate::oracle::eval::{Side, Truth};

impl<const W: usize> Search<'_, W> {
    /// Draws every conclusion; false when the frame has no consistent completion.
    pub(super) fn propagate(&mut self, depth: usize) -> bool {
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
            // Each round takes a choice away, so there are not many; with many events they are slow.
            if self.n > 64 && !self.findings.go_on() {
                return false;
            }
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
                let stated = &self.model.checks[check as usize];
                let decided = self.model.choices[stated.node.index()] & undecided == 0;
                match self.bounds.truth(stated, decided) {
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
    pub(super) fn add_edge(&mut self, depth: usize, order: usize, a: usize, b: usize) -> bool {
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
}
