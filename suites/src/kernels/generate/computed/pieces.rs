//! Pieces of kernels that compute numbers: each is about one part of the language, and leaves a result.

use super::author::Author;
use crate::kernels::code::builtin::{BUILTINS, Builtin};
use crate::kernels::code::number::*;
use crate::kernels::code::*;

/// A result: an expression that reads it.
pub(super) type Results = Vec<Expr>;

/// What a kernel is mostly about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Subject {
    Operators,
    Conversions,
    Functions,
    Statements,
    Memory,
    WorkItems,
}

/// Every one.
pub(super) const SUBJECTS: [Subject; 6] = {
    use Subject::*;
    [
        Operators,
        Conversions,
        Functions,
        Statements,
        Memory,
        WorkItems,
    ]
};

impl Author<'_> {
    /// A variable of a scalar type with the value, and it as a result.
    pub(super) fn result(
        &mut self,
        body: &mut Vec<Stmt>,
        results: &mut Results,
        of: Integer,
        value: Expr,
    ) -> VarId {
        let ty = of.scalar();
        let id = self.declare(body, ty, value);
        results.push(self.make.variable(id, ty));
        id
    }

    /// Operators of scalars and vectors, and assignments that compute.
    pub(super) fn operators(&mut self, body: &mut Vec<Stmt>, results: &mut Results) {
        match self.choices.below(8) {
            0..=3 => {
                let (of, value) = (self.integer(), self.expr(3));
                self.result(body, results, of, value);
            }
            4 | 5 => {
                let (of, first) = (self.integer(), self.leaf());
                let id = self.result(body, results, of, first);
                for _ in 0..self.choices.between(1, 3) {
                    let op = self.choices.one_of(&ARITHMETIC);
                    let by = self.expr(1);
                    body.push(self.make.compound(Place::variable(id), of.scalar(), op, by));
                }
                if !of.signed {
                    body.push(Stmt::Step(Place::variable(id), self.choices.percent(50)));
                }
            }
            _ => self.vector_operators(body, results),
        }
    }

    fn vector_operators(&mut self, body: &mut Vec<Stmt>, results: &mut Results) {
        let lanes = self.choices.one_of(&[2, 4, 3, 8]);
        let ty = self.integer().vector(lanes);
        let [a, b, c] = [(); 3].map(|()| {
            let value = self.vector(ty);
            self.declare(body, ty, value)
        });
        let [left, right, third] = [a, b, c].map(|id| self.make.variable(id, ty));
        let value = match self.choices.below(4) {
            0 | 1 => {
                let op = self.choices.one_of(&ARITHMETIC);
                self.make.arithmetic(op, left, right)
            }
            2 => {
                let op = self.choices.one_of(&COMPARISONS);
                self.make.comparison(op, left, right)
            }
            _ => {
                let op = self.choices.one_of(&COMPARISONS);
                let seen = self.make.comparison(op, left, right);
                let other = self.make.variable(b, ty);
                self.make
                    .expr(ty, Kind::Choice(seen.into(), third.into(), other.into()))
            }
        };
        self.lanes(body, results, value);
    }

    /// A vector in a variable, perhaps the other way round, and some of its lanes as results.
    fn lanes(&mut self, body: &mut Vec<Stmt>, results: &mut Results, value: Expr) {
        let value = match self.choices.percent(30) {
            true => {
                let turned = (0..value.ty.lanes).rev().collect();
                self.make.expr(value.ty, Kind::Lanes(value.into(), turned))
            }
            false => value,
        };
        let ty = value.ty;
        let id = self.declare(body, ty, value);
        let first = self.choices.below(usize::from(ty.lanes)) as u8;
        let other = (first + 1) % ty.lanes;
        for lane in [first, other] {
            let place = Place::variable(id).then(Step::Lane(lane));
            results.push(self.make.read(place, ty.of.scalar()));
        }
    }

    /// Conversions of every form.
    pub(super) fn conversions(&mut self, body: &mut Vec<Stmt>, results: &mut Results) {
        let form = self.choices.below(8);
        if form >= 5 {
            return self.vector_conversions(body, results);
        }
        let (from, to) = (self.integer().scalar(), self.integer().scalar());
        let of = self.expr(1);
        let of = self.make.cast(from, of);
        if form == 0 {
            // As an assignment converts.
            self.result(body, results, to.of, of);
            return;
        }
        let value = match form {
            1 => self.make.cast(to, of),
            2 => self.make.expr(
                to,
                Kind::Convert {
                    of: of.into(),
                    saturated: false,
                },
            ),
            3 => self.make.expr(
                to,
                Kind::Convert {
                    of: of.into(),
                    saturated: true,
                },
            ),
            _ => {
                let other = from.with(Integer {
                    signed: !from.of.signed,
                    ..from.of
                });
                self.make.expr(other, Kind::Reinterpret(of.into()))
            }
        };
        let wide = self.choices.one_of(&[LONG, ULONG, INT, UINT]);
        self.result(body, results, wide, value);
    }

    fn vector_conversions(&mut self, body: &mut Vec<Stmt>, results: &mut Results) {
        let lanes = self.choices.one_of(&[2, 4, 3, 8]);
        let (from, to) = (self.integer().vector(lanes), self.integer().vector(lanes));
        let of = self.vector(from);
        let of = self.declare(body, from, of);
        let of = self.make.variable(of, from);
        let value = match self.choices.below(3) {
            0 => self.make.expr(
                to,
                Kind::Convert {
                    of: of.into(),
                    saturated: false,
                },
            ),
            1 => self.make.expr(
                to,
                Kind::Convert {
                    of: of.into(),
                    saturated: true,
                },
            ),
            _ => {
                let other = from.with(Integer {
                    signed: !from.of.signed,
                    ..from.of
                });
                self.make.expr(other, Kind::Reinterpret(of.into()))
            }
        };
        self.lanes(body, results, value);
    }

    /// An integer function, of a signed and of an unsigned type.
    pub(super) fn functions(&mut self, body: &mut Vec<Stmt>, results: &mut Results) {
        let function = self.in_turn(&BUILTINS);
        for signed in [true, false] {
            let taken = INTEGERS
                .into_iter()
                .filter(|of| of.signed == signed && function.takes(*of));
            let taken: Vec<Integer> = taken.collect();
            if let Some(of) = self.choices.pick(&taken) {
                self.function_of(function, of, body, results);
            }
        }
    }

    /// A function of scalars or vectors of a type.
    fn function_of(
        &mut self,
        function: Builtin,
        of: Integer,
        body: &mut Vec<Stmt>,
        results: &mut Results,
    ) {
        let lanes = self.choices.one_of(&[1, 1, 1, 2, 4, 3, 8]);
        let ty = of.vector(lanes);
        let mut arguments = Vec::new();
        for (n, ty) in function.arguments(ty).into_iter().enumerate() {
            arguments.push(self.function_argument(function, n, ty));
        }
        let value = self.make.builtin(function, arguments);
        if lanes > 1 {
            return self.lanes(body, results, value);
        }
        let wide = self.choices.one_of(&[LONG, ULONG, INT, UINT]);
        self.result(body, results, wide, value);
    }

    /// An argument that the function says what it gives of.
    fn function_argument(&mut self, function: Builtin, n: usize, ty: Type) -> Expr {
        if function == Builtin::Clamp && n > 0 {
            let middle = self.number(ty.of) / 2;
            let bound = if n == 1 {
                ty.of.least() / 2 + middle / 2
            } else {
                ty.of.greatest() / 2 + middle / 2
            };
            return self.make.constant(ty, bound);
        }
        let value = if ty.lanes == 1 {
            let of = self.expr(1);
            self.make.cast(ty, of)
        } else {
            self.vector(ty)
        };
        // So many bits are left of each factor that 32 hold their product, and a third number.
        match (function, n) {
            (Builtin::Mul24 | Builtin::Mad24, 0) => self.make.with(value, Arithmetic::Right, 10),
            (Builtin::Mul24 | Builtin::Mad24, 1) => self.make.with(value, Arithmetic::And, 0xff),
            (Builtin::Mad24, _) => self.make.with(value, Arithmetic::Right, 2),
            _ => value,
        }
    }

    /// What work-item functions say, of dimensions that stand there and that are computed.
    pub(super) fn work_items(&mut self, body: &mut Vec<Stmt>, results: &mut Results) {
        let function = self.in_turn(&WORK_ITEM);
        if self.choices.percent(70) {
            // Seldom one that no range has, of which the functions say what it is, too.
            let beyond = self.choices.percent(1);
            let dimension = if beyond {
                3
            } else {
                self.choices.below(3) as u32
            };
            let value = self.make.work_item(function, dimension);
            self.result(body, results, UINT, value);
            return;
        }
        let sum = self.make.uint(0);
        let sum = self.result(body, results, UINT, sum);
        let d = self.variable(Shape::Number(UINT.scalar()));
        let dimension = self.make.variable(d, UINT.scalar());
        let seen = self
            .make
            .expr(UINT.scalar(), Kind::WorkItem(function, dimension.into()));
        let before = self.make.variable(sum, UINT.scalar());
        let before = self.make.with(before, Arithmetic::Multiply, 31);
        let after = self.make.arithmetic(Arithmetic::Add, before, seen);
        let turn = Stmt::Assign(Place::variable(sum), after);
        body.push(self.count_to(d, 3, vec![turn]));
    }
}
