//! Loops, branches, switches and functions whose way depends on the work-item's numbers.

use super::author::Author;
use super::pieces::Results;
use crate::kernels::code::number::*;
use crate::kernels::code::*;

/// What statements change, and what they stand in.
#[derive(Debug, Clone, Copy)]
pub(in super::super) struct Around {
    /// The variable, of an unsigned type.
    pub sum: VarId,
    /// Its type.
    pub ty: Type,
    /// How deep statements may still be.
    pub depth: u32,
    /// `break` and `continue` are about a loop.
    pub in_loop: bool,
    /// `continue` is about a loop, and a switch stands between.
    pub through_switch: bool,
}

impl Around {
    fn inside(self, in_loop: bool) -> Around {
        Around {
            depth: self.depth.saturating_sub(1),
            in_loop,
            through_switch: self.through_switch && !in_loop,
            ..self
        }
    }
}

impl Author<'_> {
    /// A sum that statements change, and it as a result.
    pub(super) fn statements(&mut self, body: &mut Vec<Stmt>, results: &mut Results) {
        let ty = self.choices.one_of(&[UINT, ULONG, USHORT]).scalar();
        let first = self.leaf();
        let sum = self.declare(body, ty, first);
        let around = Around {
            sum,
            ty,
            depth: 2,
            in_loop: false,
            through_switch: false,
        };
        for _ in 0..self.choices.between(1, 2) {
            self.flow(around, body);
        }
        results.push(self.make.variable(sum, ty));
    }

    /// `sum op= e`.
    fn change(&mut self, around: Around) -> Stmt {
        use Arithmetic::*;
        let op = self.choices.one_of(&[Add, Xor, Subtract, Multiply]);
        let by = self.expr(1);
        self.make
            .compound(Place::variable(around.sum), around.ty, op, by)
    }

    /// Statements in a block.
    pub(in super::super) fn inner(&mut self, around: Around) -> Vec<Stmt> {
        let known = self.sources.len();
        let mut body = vec![self.change(around)];
        for _ in 0..self.choices.below(3) {
            self.flow(around, &mut body);
        }
        if around.in_loop && self.choices.percent(50) {
            let condition = self.condition(2);
            let leave = if self.choices.percent(50) {
                Stmt::Continue
            } else {
                Stmt::Break
            };
            body.push(Stmt::If(condition, vec![leave], Vec::new()));
            body.push(self.change(around));
        } else if around.through_switch && self.choices.percent(50) {
            let condition = self.condition(2);
            body.push(Stmt::If(condition, vec![Stmt::Continue], Vec::new()));
            body.push(self.change(around));
        }
        self.sources.truncate(known);
        body
    }

    /// What a turn of a loop does. It calls no function, which may have loops of its own.
    fn turn(&mut self, around: Around) -> Vec<Stmt> {
        let helpers = std::mem::take(&mut self.helpers);
        let body = self.inner(around.inside(true));
        self.helpers = helpers;
        body
    }

    /// One statement, with those inside of it.
    pub(in super::super) fn flow(&mut self, around: Around, body: &mut Vec<Stmt>) {
        if around.depth == 0 {
            return body.push(self.change(around));
        }
        match self.choices.below(9) {
            0 => body.push(self.change(around)),
            1 | 2 => {
                let condition = self.truth(2);
                let then = self.inner(around.inside(around.in_loop));
                let otherwise = match self.choices.percent(50) {
                    true => self.inner(around.inside(around.in_loop)),
                    false => Vec::new(),
                };
                body.push(Stmt::If(condition, then, otherwise));
            }
            3 | 4 => self.counted(around, body),
            5 | 6 => self.counting_down(around, body),
            _ => self.switch(around, body),
        }
    }

    /// A loop with a count of the work-item's own.
    fn counted(&mut self, around: Around, body: &mut Vec<Stmt>) {
        if self.choices.percent(30) {
            return self.counted_otherwise(around, body);
        }
        let ty = UINT.scalar();
        let i = self.variable(Shape::Number(ty));
        let (least, count) = (self.choices.below(3) as i128, self.small(7));
        let bound = self.make.with(count, Arithmetic::Add, least);
        let bound = self.declare(body, ty, bound);
        let [seen, bound] = [i, bound].map(|id| self.make.variable(id, ty));
        let goes_on = self.make.comparison(Comparison::Less, seen, bound);
        self.sources.push((Place::variable(i), ty));
        let inside = self.turn(around);
        self.sources.pop();
        let step = self.choices.one_of(&[1u32, 1, 2]);
        body.push(Stmt::For(For {
            variable: i,
            first: self.make.uint(0),
            goes_on,
            next: (Arithmetic::Add, self.make.uint(step)),
            body: inside,
        }));
    }

    /// A loop that counts numbers of any type: up or down to one that it meets, modulo the size of the type; up to the
    /// greatest number or down to the least; below zero; by shifts.
    fn counted_otherwise(&mut self, around: Around, body: &mut Vec<Stmt>) {
        use Arithmetic::{Add, Left, Multiply, Subtract};
        let form = self.choices.below(5);
        let of = match (form, self.integer()) {
            (0 | 4, of) => of.unsigned(),
            (3, of) => of.signed(),
            (_, of) => of,
        };
        let ty = of.scalar();
        let turns = self.small(7);
        let turns = self.make.cast(ty, turns);
        let step = self.choices.one_of(&[1i128, 2, 3]);
        let end_after = |author: &mut Self, body: &mut Vec<Stmt>, first: Expr, op, by: Expr| {
            let end = author.make.arithmetic(op, first, by);
            let end = author.declare(body, ty, end);
            author.make.variable(end, ty)
        };
        let (first, end, compares, op) = match form {
            0 => {
                let op = self.choices.one_of(&[Add, Subtract]);
                let first = self.leaf();
                let first = self.declare(body, ty, first);
                let first = self.make.variable(first, ty);
                let by = self.make.with(turns, Multiply, step);
                let end = end_after(self, body, first.clone(), op, by);
                (first, end, Comparison::Unequal, op)
            }
            1 => {
                let first = self.make.constant(ty, of.greatest() - 7 - step);
                let end = end_after(self, body, first.clone(), Add, turns);
                (first, end, Comparison::LessOrEqual, Add)
            }
            2 => {
                let first = self.make.constant(ty, of.least() + 7 + step);
                let end = end_after(self, body, first.clone(), Subtract, turns);
                (first, end, Comparison::GreaterOrEqual, Subtract)
            }
            3 => {
                let zero = self.make.constant(ty, 0);
                (turns, zero, Comparison::GreaterOrEqual, Subtract)
            }
            _ => {
                let bit = usize::from(of.bits) - 1 - self.choices.below(8);
                let first = self.make.constant(ty, 1 << bit);
                let zero = self.make.constant(ty, 0);
                (first, zero, Comparison::Unequal, Left)
            }
        };
        let i = self.variable(Shape::Number(ty));
        let seen = self.make.variable(i, ty);
        let goes_on = self.make.comparison(compares, seen, end);
        self.sources.push((Place::variable(i), ty));
        let inside = self.turn(around);
        self.sources.pop();
        body.push(Stmt::For(For {
            variable: i,
            first,
            goes_on,
            next: (op, self.make.constant(ty, step)),
            body: inside,
        }));
    }

    /// `while` or `do … while` over a number that each turn begins by making smaller.
    fn counting_down(&mut self, around: Around, body: &mut Vec<Stmt>) {
        let ty = UINT.scalar();
        let count = self.small(7);
        let more = self.make.with(count, Arithmetic::Add, 1);
        let left = self.declare(body, ty, more);
        let mut inside = vec![Stmt::Step(Place::variable(left), false)];
        inside.extend(self.turn(around));
        let seen = self.make.variable(left, ty);
        let goes_on = self.make.compared(seen, Comparison::Greater, 0);
        body.push(match self.choices.percent(50) {
            true => Stmt::While(goes_on, inside),
            false => Stmt::DoWhile(inside, goes_on),
        });
        // What counts down is nobody else's.
        self.sources
            .retain(|(place, _)| !matches!(place.root, Root::Variable(id) if id == left));
    }

    /// A switch of which some parts go on into the next.
    fn switch(&mut self, around: Around, body: &mut Vec<Stmt>) {
        // Labels that differ in the upper half alone, too.
        let wide = self.choices.percent(25);
        let at_end = !wide && self.choices.percent(30);
        let (on, first) = match self.choices.percent(60) {
            _ if at_end => self.beside_end(),
            _ if wide => {
                let of = self.leaf();
                let of = self.make.cast(ULONG.scalar(), of);
                let spread = self
                    .make
                    .with(of, Arithmetic::Multiply, 0x9e37_79b9_7f4a_7c15);
                let ty = self.choices.one_of(&[LONG, ULONG]).scalar();
                let kept = self.make.with(spread, Arithmetic::And, 3 << 32 | 3);
                (self.make.cast(ty, kept), 0)
            }
            true => (self.small(7), 0),
            false => {
                let of = self.small(7);
                let of = self.make.cast(INT.scalar(), of);
                (self.make.with(of, Arithmetic::Subtract, 4), -4)
            }
        };
        let count = self.choices.between(2, 5);
        let default = self.choices.below(count + 1);
        let mut arms = Vec::new();
        for n in 0..count {
            let label = |n: usize| match wide {
                true => on.ty.value((n as i128 & 1) | (n as i128 >> 1) << 32),
                false => on.ty.value(first + n as i128),
            };
            let mut labels = vec![label(n)];
            if n == 0 && self.choices.percent(30) {
                labels.push(label(7));
            }
            let ends = self.choices.percent(50);
            // A `continue` in it is the loop's that it stands in; a `break` is the switch's.
            let inside = self.inner(Around {
                through_switch: around.in_loop || around.through_switch,
                ..around.inside(false)
            });
            arms.push(Arm {
                labels,
                default: n == default,
                body: inside,
                ends,
            });
        }
        body.push(Stmt::Switch(on, arms));
        // What a `continue` in the switch goes past.
        if around.in_loop {
            body.push(self.change(around));
        }
    }

    /// One of eight numbers of any type, and the first of them: around the greatest and the least, or zero.
    fn beside_end(&mut self) -> (Expr, i128) {
        let of = self.integer();
        let first = self.choices.one_of(&[-4, of.greatest() - 3, of.least()]);
        // Modulo the size of the type.
        let unsigned = of.unsigned();
        let number = self.small(7);
        let number = self.make.cast(unsigned.scalar(), number);
        let begin = unsigned.number(unsigned.wrap(first));
        let number = self.make.with(number, Arithmetic::Add, begin);
        (self.make.cast(of.scalar(), number), first)
    }

    /// A number or a vector that a function is given or gives.
    fn passed(&mut self) -> Type {
        let lanes = self.choices.one_of(&[1, 1, 1, 1, 1, 1, 1, 3, 2, 4, 8, 16]);
        self.integer().vector(lanes)
    }

    /// What a function of numbers gives.
    fn given(&mut self, gives: Type, depth: u32) -> Option<Argument> {
        let value = match gives.lanes {
            1 => {
                let value = self.expr(depth);
                self.make.implicit(gives, value)
            }
            _ => self.vector(gives),
        };
        Some(Argument::Number(value))
    }

    /// A function of numbers and vectors that returns early or late.
    pub(super) fn helper(&mut self, name: &str) -> usize {
        self.begin(name, false);
        let gives = self.passed();
        self.function.gives = Some(Shape::Number(gives));
        for n in 0..self.choices.between(1, 3) {
            let ty = self.passed();
            let id = self.number_parameter(&format!("a{n}"), ty);
            if ty.lanes > 1 {
                let lane = self.choices.below(usize::from(ty.lanes)) as u8;
                let place = Place::variable(id).then(Step::Lane(lane));
                self.sources.push((place, ty.of.scalar()));
            }
        }
        let mut body = Vec::new();
        let ty = self.choices.one_of(&[UINT, ULONG]).scalar();
        let first = self.leaf();
        let sum = self.declare(&mut body, ty, first);
        let around = Around {
            sum,
            ty,
            depth: 1,
            in_loop: false,
            through_switch: false,
        };
        if self.choices.percent(60) {
            let condition = self.condition(2);
            let early = Stmt::Return(self.given(gives, 1));
            body.push(Stmt::If(condition, vec![early], Vec::new()));
        }
        for _ in 0..self.choices.between(1, 2) {
            self.flow(around, &mut body);
        }
        body.push(Stmt::Return(self.given(gives, 2)));
        self.end(body)
    }
}
