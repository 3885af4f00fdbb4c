//! What a work-group does between barriers that all its work-items reach. Each form begins and ends where
//! nothing is about to be read or written by another.

use super::super::computed::Around;
use super::Phases;
use crate::kernels::code::number::*;
use crate::kernels::code::*;

/// A stretch of memory with a number for each work-item of the group.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shared {
    at: VarId,
    local: bool,
}

impl Shared {
    /// The number of this index.
    pub(super) fn place(self, index: Expr) -> Place {
        Place::variable(self.at).at(index)
    }
}

impl Phases<'_, '_> {
    fn uint(&mut self, id: VarId) -> Expr {
        self.author.make.variable(id, UINT.scalar())
    }

    pub(super) fn me(&mut self) -> Expr {
        self.uint(self.me)
    }

    pub(super) fn size(&mut self) -> Expr {
        self.uint(self.size)
    }

    pub(super) fn group(&mut self) -> Expr {
        self.uint(self.group)
    }

    pub(super) fn value(&mut self) -> Expr {
        self.author.make.variable(self.value, self.ty)
    }

    /// `value op= e`.
    pub(super) fn takes(&mut self, op: Arithmetic, by: Expr) -> Stmt {
        self.author
            .make
            .compound(Place::variable(self.value), self.ty, op, by)
    }

    pub(super) fn declared(&mut self, ty: Type, value: Expr, body: &mut Vec<Stmt>) -> VarId {
        let id = self.author.variable(Shape::Number(ty));
        let value = self.author.make.implicit(ty, value);
        body.push(Stmt::Declare(id, Some(Init::Number(value))));
        id
    }

    pub(super) fn shared(&mut self) -> Shared {
        let (at, local) = self.author.choices.one_of(&[
            (self.cells, true),
            (self.cells, true),
            (self.other, true),
            (self.mine, false),
        ]);
        Shared { at, local }
    }

    pub(super) fn barrier(&self, shared: Shared) -> Stmt {
        Stmt::Barrier {
            local: shared.local,
            global: !shared.local,
        }
    }

    pub(super) fn cell(&mut self, shared: Shared, index: Expr) -> Expr {
        self.author
            .make
            .read(Place::variable(shared.at).at(index), self.ty)
    }

    fn own(&mut self, shared: Shared) -> Place {
        let me = self.me();
        Place::variable(shared.at).at(me)
    }

    /// `cells[me] = value` and a barrier.
    pub(super) fn publish(&mut self, shared: Shared, body: &mut Vec<Stmt>) {
        let (place, value) = (self.own(shared), self.value());
        body.push(Stmt::Assign(place, value));
        body.push(self.barrier(shared));
    }

    /// `value = cells[me]` and a barrier.
    fn fetch(&mut self, shared: Shared, body: &mut Vec<Stmt>) {
        let place = self.own(shared);
        let value = self.author.make.read(place, self.ty);
        body.push(Stmt::Assign(Place::variable(self.value), value));
        body.push(self.barrier(shared));
    }

    /// `(me + shift) % size`.
    pub(super) fn neighbour(&mut self) -> Expr {
        let shift = self
            .author
            .choices
            .between(1, self.items.max(2) as usize - 1);
        let (me, size) = (self.me(), self.size());
        let on = self.author.make.with(me, Arithmetic::Add, shift as i128);
        self.author.make.arithmetic(Arithmetic::Remainder, on, size)
    }

    /// One form; those around others are at most so deep.
    pub(super) fn form(&mut self, body: &mut Vec<Stmt>, depth: u32) {
        let large = self.items > super::LARGE;
        match self.author.choices.below(if depth == 0 { 13 } else { 17 }) {
            0 => self.exchange(body),
            1 => self.reduce(body),
            2 => self.scan(body),
            3 => self.conditional(body),
            4 => self.backwards(body),
            5 if large => self.exchange(body),
            5 => self.sort(body),
            6 => self.trips(body),
            7 => self.call(body),
            8 => self.leader(body),
            9 => self.two_sides(body),
            10 => self.passed_on(body),
            // Atomic functions of 64 bits are an extension.
            11 | 12 if self.ty.of.bits == 32 => self.tally(body),
            11 | 12 => self.exchange(body),
            13 | 14 => self.across(body, depth - 1),
            15 => self.repeated(body, depth - 1),
            _ => self.told(body, depth - 1),
        }
    }

    pub(super) fn exchange(&mut self, body: &mut Vec<Stmt>) {
        let shared = self.shared();
        self.publish(shared, body);
        let index = self.neighbour();
        let read = self.cell(shared, index);
        let op =
            self.author
                .choices
                .one_of(&[Arithmetic::Add, Arithmetic::Xor, Arithmetic::Subtract]);
        body.push(self.takes(op, read));
        body.push(self.barrier(shared));
    }

    /// A tree in which ever fewer work-items add what another has, of any number of work-items.
    fn reduce(&mut self, body: &mut Vec<Stmt>) {
        let shared = self.shared();
        self.publish(shared, body);
        let uint = UINT.scalar();
        let size = self.size();
        let n = self.declared(uint, size, body);
        let mut turn = Vec::new();
        let half = self.uint(n);
        let half = self.author.make.with(half, Arithmetic::Add, 1);
        let half = self.author.make.with(half, Arithmetic::Right, 1);
        let half = self.declared(uint, half, &mut turn);
        let (me, by, bound) = (self.me(), self.uint(half), self.uint(n));
        let far = self.author.make.arithmetic(Arithmetic::Add, me, by);
        let condition = self
            .author
            .make
            .comparison(Comparison::Less, far.clone(), bound);
        let read = self.cell(shared, far);
        let op = self
            .author
            .choices
            .one_of(&[Arithmetic::Add, Arithmetic::Xor]);
        let place = self.own(shared);
        let add = self.author.make.compound(place, self.ty, op, read);
        turn.push(Stmt::If(condition, vec![add], Vec::new()));
        turn.push(self.barrier(shared));
        let next = self.uint(half);
        turn.push(Stmt::Assign(Place::variable(n), next));
        let left = self.uint(n);
        let goes_on = self.author.make.compared(left, Comparison::Greater, 1);
        body.push(Stmt::While(goes_on, turn));
        let first = self.author.make.uint(0);
        let sum = self.cell(shared, first);
        body.push(self.takes(Arithmetic::Xor, sum));
        body.push(self.barrier(shared));
    }

    /// An inclusive scan in which each adds what is ever farther before it.
    fn scan(&mut self, body: &mut Vec<Stmt>) {
        let shared = self.shared();
        self.publish(shared, body);
        let uint = UINT.scalar();
        let d = self.author.variable(Shape::Number(uint));
        let mut turn = Vec::new();
        let zero = self.author.make.constant(self.ty, 0);
        let seen = self.declared(self.ty, zero, &mut turn);
        let (me, by) = (self.me(), self.uint(d));
        let condition =
            self.author
                .make
                .comparison(Comparison::GreaterOrEqual, me.clone(), by.clone());
        let before = self.author.make.arithmetic(Arithmetic::Subtract, me, by);
        let read = self.cell(shared, before);
        turn.push(Stmt::If(
            condition,
            vec![Stmt::Assign(Place::variable(seen), read)],
            Vec::new(),
        ));
        turn.push(self.barrier(shared));
        let by = self.author.make.variable(seen, self.ty);
        let place = self.own(shared);
        turn.push(
            self.author
                .make
                .compound(place, self.ty, Arithmetic::Add, by),
        );
        turn.push(self.barrier(shared));
        let (at, size) = (self.uint(d), self.size());
        let goes_on = self.author.make.comparison(Comparison::Less, at, size);
        body.push(Stmt::For(For {
            variable: d,
            first: self.author.make.uint(1),
            goes_on,
            next: (Arithmetic::Left, self.author.make.uint(1)),
            body: turn,
        }));
        self.fetch(shared, body);
    }

    /// Some work-items store one thing, and others another.
    fn conditional(&mut self, body: &mut Vec<Stmt>) {
        let shared = self.shared();
        let modulus = self.author.choices.between(2, 5) as i128;
        let rest = self.author.choices.below(modulus as usize) as i128;
        let me = self.me();
        let of = self.author.make.with(me, Arithmetic::Remainder, modulus);
        let condition = self.author.make.compared(of, Comparison::Equal, rest);
        let (yes, no) = (self.own(shared), self.own(shared));
        let value = self.value();
        let factor = self.author.choices.between(2, 9) as i128;
        let other = self.value();
        let other = self.author.make.with(other, Arithmetic::Multiply, factor);
        let otherwise = Stmt::Assign(no, other);
        body.push(Stmt::If(
            condition,
            vec![Stmt::Assign(yes, value)],
            vec![otherwise],
        ));
        body.push(self.barrier(shared));
        let index = self.neighbour();
        let read = self.cell(shared, index);
        body.push(self.takes(Arithmetic::Add, read));
        body.push(self.barrier(shared));
    }

    /// A pointer to the own cell, from which those before it have negative indices.
    fn backwards(&mut self, body: &mut Vec<Stmt>) {
        let shared = self.shared();
        let region = if shared.local {
            Region::Local
        } else {
            Region::Global
        };
        let pointer = self.author.variable(Shape::Pointer(region, self.ty));
        let target = Target::To(self.own(shared));
        body.push(Stmt::Declare(pointer, Some(Init::Pointer(target))));
        let (zero, value) = (self.author.make.uint(0), self.value());
        body.push(Stmt::Assign(Place::variable(pointer).at(zero), value));
        body.push(self.barrier(shared));
        let back = self.author.choices.between(1, 4) as i128;
        let me = self.me();
        let condition = self
            .author
            .make
            .compared(me, Comparison::GreaterOrEqual, back);
        let ty = self.author.choices.one_of(&[INT, LONG]).scalar();
        let index = self.author.make.constant(ty, -back);
        let read = self
            .author
            .make
            .read(Place::variable(pointer).at(index), self.ty);
        let add = self.takes(Arithmetic::Add, read);
        let other = self.takes_number(Arithmetic::Xor, 0x55);
        body.push(Stmt::If(condition, vec![add], vec![other]));
        body.push(self.barrier(shared));
    }

    pub(super) fn takes_number(&mut self, op: Arithmetic, number: i128) -> Stmt {
        let by = self.author.make.constant(self.ty, number);
        self.takes(op, by)
    }

    /// Neighbours compare and exchange, in turns of odd and even pairs.
    fn sort(&mut self, body: &mut Vec<Stmt>) {
        let shared = self.shared();
        self.publish(shared, body);
        let uint = UINT.scalar();
        let r = self.author.variable(Shape::Number(uint));
        let (me, turn) = (self.me(), self.uint(r));
        let both = self.author.make.arithmetic(Arithmetic::Xor, me, turn);
        let odd = self.author.make.with(both, Arithmetic::And, 1);
        let even = self.author.make.compared(odd, Comparison::Equal, 0);
        let (me, size) = (self.me(), self.size());
        let next = self.author.make.with(me, Arithmetic::Add, 1);
        let inside = self
            .author
            .make
            .comparison(Comparison::Less, next.clone(), size);
        let condition = self.author.make.and(even, inside);
        let mut pair = Vec::new();
        let (own, far) = (self.own(shared), Place::variable(shared.at).at(next));
        let [a, b] = [own.clone(), far.clone()].map(|place| {
            let read = self.author.make.read(place, self.ty);
            self.declared(self.ty, read, &mut pair)
        });
        let [left, right] = [a, b].map(|id| self.author.make.variable(id, self.ty));
        let wrong = self
            .author
            .make
            .comparison(Comparison::Greater, left.clone(), right.clone());
        pair.push(Stmt::If(
            wrong,
            vec![Stmt::Assign(own, right), Stmt::Assign(far, left)],
            Vec::new(),
        ));
        let body_of = vec![Stmt::If(condition, pair, Vec::new()), self.barrier(shared)];
        let rounds = self.author.choices.between(2, 9) as u32;
        let sorting = self.author.count_to(r, rounds, body_of);
        body.push(sorting);
        self.fetch(shared, body);
    }

    /// As many turns as the work-item's number says, with its own way through them.
    fn trips(&mut self, body: &mut Vec<Stmt>) {
        let around = Around {
            sum: self.value,
            ty: self.ty,
            depth: 2,
            in_loop: false,
            through_switch: false,
        };
        let known = self.author.sources.len();
        self.author.flow(around, body);
        self.author.sources.truncate(known);
    }

    /// A function in which the group meets.
    fn call(&mut self, body: &mut Vec<Stmt>) {
        let function = self.functions[self.author.choices.below(2)];
        let at = self.author.choices.one_of(&[self.cells, self.other]);
        let target = if at == self.other {
            let zero = self.author.make.uint(0);
            Target::To(Place::variable(at).at(zero))
        } else {
            Target::From(at, None)
        };
        let shift = self.author.choices.between(1, 5) as u32;
        let shift = self.author.make.uint(shift);
        let numbers = [self.me(), self.size(), self.value(), shift].map(Argument::Number);
        let arguments = [Argument::Pointer(target)]
            .into_iter()
            .chain(numbers)
            .collect();
        body.push(Stmt::Call(
            function,
            arguments,
            Some(Place::variable(self.value)),
        ));
    }

    /// One work-item tells all others a number.
    fn leader(&mut self, body: &mut Vec<Stmt>) {
        let shared = self.shared();
        let leader = self.author.choices.below(self.items as usize) as i128;
        let me = self.me();
        let condition = self.author.make.compared(me, Comparison::Equal, leader);
        let (zero, value) = (self.author.make.uint(0), self.value());
        let place = Place::variable(shared.at).at(zero.clone());
        body.push(Stmt::If(
            condition,
            vec![Stmt::Assign(place, value)],
            Vec::new(),
        ));
        body.push(self.barrier(shared));
        let read = self.cell(shared, zero);
        body.push(self.takes(Arithmetic::Add, read));
        body.push(self.barrier(shared));
    }

    /// Two arrays that change their parts from turn to turn, by pointers that live across barriers.
    fn two_sides(&mut self, body: &mut Vec<Stmt>) {
        let local = Shape::Pointer(Region::Local, self.ty);
        let shared = Shared {
            at: self.cells,
            local: true,
        };
        self.publish(shared, body);
        let [from, to, third] = [(); 3].map(|()| self.author.variable(local));
        let zero = self.author.make.uint(0);
        let other = Target::To(Place::variable(self.other).at(zero));
        body.push(Stmt::Declare(
            from,
            Some(Init::Pointer(Target::From(self.cells, None))),
        ));
        body.push(Stmt::Declare(to, Some(Init::Pointer(other))));
        let index = self.neighbour();
        let [seen, me] = [index, self.me()].map(|index| {
            self.author
                .make
                .read(Place::variable(from).at(index), self.ty)
        });
        let sum = self.author.make.with(seen, Arithmetic::Multiply, 5);
        let sum = self.author.make.arithmetic(Arithmetic::Xor, sum, me);
        let place = self.own(Shared {
            at: to,
            local: true,
        });
        let turn = vec![
            Stmt::Assign(place, sum),
            self.barrier(shared),
            Stmt::Declare(third, Some(Init::Pointer(Target::From(from, None)))),
            Stmt::Point(from, Target::From(to, None)),
            Stmt::Point(to, Target::From(third, None)),
        ];
        let i = self.author.variable(Shape::Number(UINT.scalar()));
        let turns = self.author.choices.between(1, 4) as u32;
        body.push(self.author.count_to(i, turns, turn));
        self.fetch(
            Shared {
                at: from,
                local: true,
            },
            body,
        );
    }
}
