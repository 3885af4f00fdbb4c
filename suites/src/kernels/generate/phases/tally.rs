//! Work-items that change the same numbers by atomic functions, and read between barriers what all of them left. In
//! whichever order they come, that is the same: the functions between two barriers are of one family.

use super::Phases;
use crate::kernels::code::number::*;
use crate::kernels::code::*;

impl Phases<'_, '_> {
    /// `cells[…]`, changed by some work-items, some of them often, and then read by all.
    pub(super) fn tally(&mut self, body: &mut Vec<Stmt>) {
        let shared = self.shared();
        self.publish(shared, body);
        for _ in 0..self.author.choices.between(1, 2) {
            let first = self.atomic();
            let family = ATOMICS
                .into_iter()
                .filter(|one| one.family() == first.family());
            let family: Vec<Atomic> = family.collect();
            for _ in 0..self.author.choices.between(1, 3) {
                let atomic = self.author.choices.pick(&family).unwrap_or(first);
                let changes = self.changes(atomic, shared);
                let stmt = self.by_some(changes);
                body.push(stmt);
            }
            body.push(self.barrier(shared));
        }
        let at = match self.author.choices.percent(50) {
            true => self.author.make.uint(0),
            false => self.neighbour(),
        };
        let read = self.cell(shared, at);
        body.push(self.takes(Arithmetic::Xor, read));
        body.push(self.barrier(shared));
    }

    /// A function; sums are of numbers without a sign, which do not overflow.
    fn atomic(&mut self) -> Atomic {
        loop {
            let atomic = self.author.choices.one_of(&ATOMICS);
            if !self.ty.of.signed || atomic.family() != Atomic::Add {
                return atomic;
            }
        }
    }

    /// The statement of a number that all change, one of few, or that of a neighbour.
    fn changes(&mut self, atomic: Atomic, shared: super::forms::Shared) -> Stmt {
        let at = match self.author.choices.below(3) {
            0 => self.author.make.uint(0),
            1 => {
                let few = self.author.choices.between(1, self.items.min(5) as usize);
                let value = self.value();
                let value = self.author.make.cast(UINT.scalar(), value);
                self.author
                    .make
                    .with(value, Arithmetic::Remainder, few as i128)
            }
            _ => self.neighbour(),
        };
        let by = match self.author.choices.percent(30) {
            true => {
                let number = self.author.number(self.ty.of);
                self.author.make.constant(self.ty, number)
            }
            false => self.value(),
        };
        Stmt::Atomic(atomic, shared.place(at), by)
    }

    /// A statement for all, for some work-items, or some turns of it.
    fn by_some(&mut self, stmt: Stmt) -> Stmt {
        match self.author.choices.below(4) {
            0 => {
                let modulus = self.author.choices.between(2, 5) as i128;
                let me = self.me();
                let rest = self.author.make.with(me, Arithmetic::Remainder, modulus);
                let some = self.author.make.compared(rest, Comparison::Unequal, 0);
                Stmt::If(some, vec![stmt], Vec::new())
            }
            1 => {
                let d = self.author.variable(Shape::Number(UINT.scalar()));
                let turns = self.author.choices.between(1, 4) as u32;
                self.author.count_to(d, turns, vec![stmt])
            }
            _ => stmt,
        }
    }
}
