//! How kernels of phases begin and end, and forms around others: values that live across barriers, loops that
//! all work-items of a group take alike, groups that end early.

use super::Phases;
use crate::kernels::code::number::*;
use crate::kernels::code::*;

impl Phases<'_, '_> {
    /// The variables, with their first values.
    pub(super) fn begin(&mut self, dimensions: u32, all: VarId, from: VarId) -> Vec<Stmt> {
        let uint = |id: VarId, value: Expr| Stmt::Declare(id, Some(Init::Number(value)));
        let me = self.linear(WorkItem::LocalId, WorkItem::LocalSize, dimensions);
        let group = self.linear(WorkItem::GroupId, WorkItem::NumGroups, dimensions);
        let sizes: Vec<Expr> = (0..dimensions)
            .map(|d| self.author.make.work_item(WorkItem::LocalSize, d))
            .collect();
        let size = sizes
            .into_iter()
            .reduce(|a, b| self.author.make.arithmetic(Arithmetic::Multiply, a, b));
        let size = size.unwrap_or_else(|| self.author.make.uint(1));
        let mut body = vec![
            uint(self.me, me),
            uint(self.size, size),
            uint(self.group, group),
        ];
        let first = self.first();
        let target = Target::To(Place::variable(all).at(first));
        body.push(Stmt::Declare(self.mine, Some(Init::Pointer(target))));
        let index = self.index();
        let value = self
            .author
            .make
            .read(Place::variable(from).at(index), self.ty);
        body.push(Stmt::Declare(self.value, Some(Init::Number(value))));
        let values = (1..5).map(|n| {
            let me = self.me();
            let product = self.author.make.with(me, Arithmetic::Multiply, n);
            self.author.make.implicit(self.ty, product)
        });
        let values = values.collect();
        body.push(Stmt::Declare(self.keep, Some(Init::List(values))));
        body
    }

    /// The linear number of ids of so many dimensions.
    fn linear(&mut self, id: WorkItem, size: WorkItem, dimensions: u32) -> Expr {
        let make = &mut self.author.make;
        let mut index = make.work_item(id, dimensions - 1);
        for d in (0..dimensions - 1).rev() {
            let (size, id) = (make.work_item(size, d), make.work_item(id, d));
            let rows = make.arithmetic(Arithmetic::Multiply, index, size);
            index = make.arithmetic(Arithmetic::Add, rows, id);
        }
        index
    }

    /// `group * size`.
    fn first(&mut self) -> Expr {
        let (group, size) = (self.group(), self.size());
        self.author
            .make
            .arithmetic(Arithmetic::Multiply, group, size)
    }

    /// `group * size + me`.
    fn index(&mut self) -> Expr {
        let (first, me) = (self.first(), self.me());
        self.author.make.arithmetic(Arithmetic::Add, first, me)
    }

    /// `out[group * size + me] = value`, with what was kept.
    fn store(&mut self, out: VarId, body: &mut Vec<Stmt>) {
        for n in 0..4 {
            let index = self.author.make.uint(n);
            let kept = self
                .author
                .make
                .read(Place::variable(self.keep).at(index), self.ty);
            body.push(self.takes(Arithmetic::Xor, kept));
        }
        let (index, value) = (self.index(), self.value());
        body.push(Stmt::Assign(Place::variable(out).at(index), value));
    }

    /// The end, at which some work-items return before others.
    pub(super) fn end(&mut self, body: &mut Vec<Stmt>, out: VarId) {
        if self.author.choices.percent(30) {
            let me = self.me();
            let of = self.author.make.with(me, Arithmetic::Remainder, 3);
            let condition = self.author.make.compared(of, Comparison::Equal, 1);
            let mut early = vec![self.takes_number(Arithmetic::Multiply, 7)];
            self.store(out, &mut early);
            early.push(Stmt::Return(None));
            body.push(Stmt::If(condition, early, Vec::new()));
        }
        self.store(out, body);
    }

    /// Some groups end here, whole.
    pub(super) fn ends_early(&mut self, body: &mut Vec<Stmt>, out: VarId) {
        let condition = self.of_group(2);
        let mut early = Vec::new();
        self.store(out, &mut early);
        early.push(Stmt::Return(None));
        body.push(Stmt::If(condition, early, Vec::new()));
    }

    /// `group % modulus == 1`.
    fn of_group(&mut self, modulus: i128) -> Expr {
        let group = self.group();
        let of = self.author.make.with(group, Arithmetic::Remainder, modulus);
        self.author.make.compared(of, Comparison::Equal, 1)
    }

    /// Numbers that are made before other forms, some in an array by an index of the work-item's own, and
    /// used behind them.
    pub(super) fn across(&mut self, body: &mut Vec<Stmt>, depth: u32) {
        let ty = self.author.integer().scalar();
        let made = self.author.expr(2);
        let made = self.declared(ty, made, body);
        let index = |phases: &mut Self| {
            let me = phases.me();
            phases.author.make.with(me, Arithmetic::And, 3)
        };
        let (at, kept) = (index(self), self.value());
        body.push(Stmt::Assign(Place::variable(self.keep).at(at), kept));
        for _ in 0..self.author.choices.between(1, 2) {
            self.form(body, depth);
        }
        let made = self.author.make.variable(made, ty);
        body.push(self.takes(Arithmetic::Add, made));
        let at = index(self);
        let kept = self
            .author
            .make
            .read(Place::variable(self.keep).at(at), self.ty);
        body.push(self.takes(Arithmetic::Xor, kept));
    }

    /// Forms again and again, so often as the group's number says.
    pub(super) fn repeated(&mut self, body: &mut Vec<Stmt>, depth: u32) {
        let uint = UINT.scalar();
        let i = self.author.variable(Shape::Number(uint));
        let (least, modulus) = (
            self.author.choices.between(1, 2),
            self.author.choices.between(1, 3),
        );
        let group = self.group();
        let more = self
            .author
            .make
            .with(group, Arithmetic::Remainder, modulus as i128);
        let bound = self.author.make.with(more, Arithmetic::Add, least as i128);
        let turn = self.turn(i, depth);
        let at = self.author.make.variable(i, uint);
        let goes_on = self.author.make.comparison(Comparison::Less, at, bound);
        body.push(Stmt::For(For {
            variable: i,
            first: self.author.make.uint(0),
            goes_on,
            next: (Arithmetic::Add, self.author.make.uint(1)),
            body: turn,
        }));
    }

    /// Forms, and a number that changes with the turn.
    fn turn(&mut self, i: VarId, depth: u32) -> Vec<Stmt> {
        let mut turn = Vec::new();
        self.form(&mut turn, depth.min(1));
        let at = self.author.make.variable(i, UINT.scalar());
        turn.push(self.takes(Arithmetic::Add, at));
        turn
    }

    /// Forms so often as one work-item has told the others.
    pub(super) fn told(&mut self, body: &mut Vec<Stmt>, depth: u32) {
        let shared = self.shared();
        self.publish(shared, body);
        let leader = self.author.choices.below(self.items as usize) as u32;
        let leader = self.author.make.uint(leader);
        let seen = self.cell(shared, leader);
        let count = self.author.make.with(seen, Arithmetic::And, 3);
        let count = self.author.make.cast(UINT.scalar(), count);
        let count = self.declared(UINT.scalar(), count, body);
        body.push(self.barrier(shared));
        let i = self.author.variable(Shape::Number(UINT.scalar()));
        let turn = self.turn(i, depth);
        let [at, count] = [i, count].map(|id| self.author.make.variable(id, UINT.scalar()));
        let goes_on = self.author.make.comparison(Comparison::Less, at, count);
        body.push(Stmt::For(For {
            variable: i,
            first: self.author.make.uint(0),
            goes_on,
            next: (Arithmetic::Add, self.author.make.uint(1)),
            body: turn,
        }));
    }
}
