//! Pieces of kernels that compute numbers: each is about one part of the language, and leaves a result.

use super::author::Author;
use crate::kernels::code::builtin::{BUILTINS, Builtin, OFFERED};
use crate::kernels::code::number::*;
use crate::kernels::code::real::{NEAR_ABOVE, Real};
use crate::kernels::code::*;
use std::mem::take;

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
    Reals,
}

/// Every one.
pub(super) const SUBJECTS: [Subject; 7] = {
    use Subject::*;
    [
        Operators,
        Conversions,
        Functions,
        Statements,
        Memory,
        WorkItems,
        Reals,
    ]
};

impl Subject {
    /// What it is called in sentences.
    pub(super) fn name(self) -> &'static str {
        match self {
            Subject::Operators => "operators",
            Subject::Conversions => "conversions",
            Subject::Functions => "functions",
            Subject::Statements => "statements",
            Subject::Memory => "arrays, structures and pointers",
            Subject::WorkItems => "work-item functions",
            Subject::Reals => "functions of float",
        }
    }
}

/// The size of the numbers that the function at a place is called with, among those that it takes, and their lanes, where a
/// kernel calls every function in so many forms. A kernel of many functions has few lanes, for compilers that make a
/// statement of each.
fn form_of(form: usize, place: usize, signed: bool) -> (usize, u8) {
    let (among, eighth) = (form % 4, form / 4);
    let vectors = (eighth / 4 + place + usize::from(signed)) % 2 == 1;
    let wide = match (place + eighth) % 12 {
        0 => 8,
        6 => 16,
        _ => 2,
    };
    let lanes = match vectors {
        true => [2, 3, 4, wide][(among + place) % 4],
        false => 1,
    };
    (eighth % 4 + place, lanes)
}

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
        match self.choices.below(20) {
            18 | 19 => self.effects(body, results),
            15..=17 => self.known_forms(body, results),
            12 => self.mixed(body, results),
            13 => self.vector_logic(body, results),
            0..=3 => {
                let (of, value) = (self.integer(), self.expr(3));
                self.result(body, results, of, value);
            }
            8 => self.known(body, results),
            9 => self.effects(body, results),
            10 => self.some_lanes(body, results),
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

    /// An expression of constants alone, which a compiler may compute, and the same of what is read each time.
    fn known(&mut self, body: &mut Vec<Stmt>, results: &mut Results) {
        let outside = take(&mut self.sources);
        let helpers = take(&mut self.helpers);
        let value = self.expr(3);
        (self.sources, self.helpers) = (outside, helpers);
        let read = self.reads(value.clone(), body);
        for value in [value, read] {
            let wide = value.ty.of;
            self.result(body, results, wide, value);
        }
    }

    /// The expression with variables that are read each time in the places of its constants.
    fn reads(&mut self, of: Expr, body: &mut Vec<Stmt>) -> Expr {
        let ty = of.ty;
        let mut inner = |of: Box<Expr>| Box::new(self.reads(*of, body));
        let kind = match of.kind {
            Kind::Constant(_) => {
                let id = self.declare(body, ty, of);
                self.function.variables[id].volatile = true;
                return self.make.variable(id, ty);
            }
            Kind::Negate(of) => Kind::Negate(inner(of)),
            Kind::Plus(of) => Kind::Plus(inner(of)),
            Kind::Complement(of) => Kind::Complement(inner(of)),
            Kind::Not(of) => Kind::Not(inner(of)),
            Kind::Cast(of) => Kind::Cast(inner(of)),
            Kind::Implicit(of) => Kind::Implicit(inner(of)),
            Kind::Arithmetic(op, a, b) => Kind::Arithmetic(op, inner(a), inner(b)),
            Kind::Comparison(op, a, b) => Kind::Comparison(op, inner(a), inner(b)),
            Kind::And(a, b) => Kind::And(inner(a), inner(b)),
            Kind::Or(a, b) => Kind::Or(inner(a), inner(b)),
            Kind::Choice(c, a, b) => Kind::Choice(inner(c), inner(a), inner(b)),
            Kind::Spread(of) => Kind::Spread(inner(of)),
            Kind::WorkItem(function, of) => Kind::WorkItem(function, inner(of)),
            Kind::Builtin(function, of) => {
                let each = of.into_iter().map(|of| self.reads(of, body));
                Kind::Builtin(function, each.collect())
            }
            Kind::Vector(parts) => {
                let each = parts.into_iter().map(|of| self.reads(of, body));
                Kind::Vector(each.collect())
            }
            kind => kind,
        };
        self.make.expr(ty, kind)
    }

    /// An integer to which a number with a fraction is added, or by which it is multiplied, in one assignment: "the usual
    /// arithmetic conversions are performed on the operands" (C99 6.5.16.2), and the result is made an integer again.
    fn mixed(&mut self, body: &mut Vec<Stmt>, results: &mut Results) {
        let of = self
            .choices
            .one_of(&[INT, UINT, LONG, ULONG, SHORT, USHORT]);
        let ty = of.scalar();
        let first = self.small(0xff);
        let id = self.result(body, results, of, first);
        for _ in 0..self.choices.between(1, 2) {
            let real = match (self.choices.below(3), of.signed) {
                (0, _) => Real::Add,
                (1, true) => Real::Subtract,
                _ => Real::Multiply,
            };
            let by = self.real_in(NEAR_ABOVE, UINT.scalar());
            let bits = UINT.scalar();
            let held = self.make.expr(ty, Kind::Held);
            let held = self
                .make
                .expr(bits, Kind::Real(Real::CastFrom(of), vec![held]));
            let value = self.make.expr(bits, Kind::Real(real, vec![held, by]));
            let value = self
                .make
                .expr(ty, Kind::Real(Real::CastTo(of), vec![value]));
            body.push(Stmt::Compound(Place::variable(id), value));
        }
    }

    /// A count that parts of expressions change: behind `&&`, `||` and `?` only as far as these come, and before a comma.
    fn effects(&mut self, body: &mut Vec<Stmt>, results: &mut Results) {
        let ty = self.choices.one_of(&[UINT, UCHAR, ULONG, USHORT]).scalar();
        let first = self.leaf();
        let count = self.declare(body, ty, first);
        // Nothing beside an expression that changes it reads it.
        self.sources.pop();
        let int = INT.scalar();
        for _ in 0..self.choices.between(1, 3) {
            let changed = self.changed(count, ty);
            let value = match self.choices.below(4) {
                0 => {
                    let (first, second) = (self.condition(2), changed);
                    self.make.expr(int, Kind::And(first.into(), second.into()))
                }
                1 => {
                    let (first, second) = (self.condition(2), changed);
                    self.make.expr(int, Kind::Or(first.into(), second.into()))
                }
                2 => {
                    let (condition, other) = (self.condition(2), self.changed(count, ty));
                    let meet = changed.ty.of.common(other.ty.of).scalar();
                    let choice = Kind::Choice(condition.into(), changed.into(), other.into());
                    self.make.expr(meet, choice)
                }
                _ => {
                    let (beside, op) = (self.expr(2), self.choices.one_of(&ARITHMETIC));
                    self.make.arithmetic(op, changed, beside)
                }
            };
            self.result(body, results, LONG, value);
        }
        let left = self.make.variable(count, ty);
        self.result(body, results, ULONG, left);
    }

    /// An expression that changes a count.
    fn changed(&mut self, count: VarId, ty: Type) -> Expr {
        let place = Place::variable(count);
        let after = |author: &mut Self, stmt: Stmt| {
            let of = author.make.variable(count, ty);
            let kind = match author.choices.percent(50) {
                true => Kind::After(stmt.into(), of.into()),
                false => Kind::Gives(stmt.into(), of.into()),
            };
            author.make.expr(ty, kind)
        };
        match self.choices.below(7) {
            0 => self.make.expr(ty, Kind::Post(place, true)),
            1 => self.make.expr(ty, Kind::Post(place, false)),
            2 => after(self, Stmt::Step(place, true)),
            3 => {
                let value = self.expr(1);
                let value = self.make.implicit(ty, value);
                after(self, Stmt::Assign(place, value))
            }
            _ => {
                let (op, by) = (self.choices.one_of(&ARITHMETIC), self.expr(1));
                let stmt = self.make.compound(place, ty, op, by);
                after(self, stmt)
            }
        }
    }

    /// A number or a vector by a function: converted (0), converted with saturation (1), or its bits as the type of the
    /// other sign.
    pub(super) fn converted(&mut self, form: usize, to: Type, of: Expr) -> Expr {
        let from = of.ty;
        let saturated = form == 1;
        match form {
            0 | 1 => {
                let of = of.into();
                self.make.expr(to, Kind::Convert { of, saturated })
            }
            _ => {
                let other = from.with(Integer {
                    signed: !from.of.signed,
                    ..from.of
                });
                self.make.expr(other, Kind::Reinterpret(of.into()))
            }
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
            _ => self.converted(form - 2, to, of),
        };
        let wide = self.choices.one_of(&[LONG, ULONG, INT, UINT]);
        self.result(body, results, wide, value);
    }

    /// An integer function, of a signed and of an unsigned type, or another order of lanes.
    pub(super) fn functions(&mut self, body: &mut Vec<Stmt>, results: &mut Results) {
        if self.every.is_none() && self.choices.percent(12) {
            self.about = "shuffle".into();
            let vectors = self.choices.between(1, 2);
            return self.shuffled(body, results, vectors);
        }
        let function = self.builtin();
        for signed in [true, false] {
            let taken = INTEGERS
                .into_iter()
                .filter(|of| of.signed == signed && function.takes(*of));
            let taken: Vec<Integer> = taken.collect();
            if taken.is_empty() {
                continue;
            }
            let (of, lanes) = match self.every {
                Some(form) => {
                    let place = BUILTINS.iter().position(|one| *one == function);
                    let (size, lanes) = form_of(form, place.unwrap_or(0), signed);
                    (taken[size % taken.len()], lanes)
                }
                None => {
                    let of = taken[self.choices.below(taken.len())];
                    (of, self.choices.one_of(&[1, 1, 1, 2, 4, 3, 8, 16]))
                }
            };
            // One lane of several says least of these.
            let lanes = match function {
                Builtin::Any | Builtin::All if self.every.is_some() && lanes == 1 => 3,
                _ => lanes,
            };
            self.function_of(function, of.vector(lanes), body, results);
        }
    }

    /// The next function, every other one of those that a device must offer where some are taken.
    fn builtin(&mut self) -> Builtin {
        let offered = OFFERED.into_iter();
        let offered: Vec<Builtin> = offered
            .filter(|one| one.need() == self.offer && self.offer.is_some())
            .collect();
        let turn = self.turn / 2;
        match offered.get(turn % offered.len().max(1)) {
            Some(function) if self.choices.percent(50) => {
                self.turn += 1;
                self.needs.extend(function.need());
                *function
            }
            _ => self.in_turn(&BUILTINS),
        }
    }

    /// A function of numbers or vectors of a type.
    fn function_of(
        &mut self,
        function: Builtin,
        ty: Type,
        body: &mut Vec<Stmt>,
        results: &mut Results,
    ) {
        let of = ty.of;
        let lanes = function.lanes().unwrap_or(ty.lanes);
        let ty = of.vector(lanes);
        let mut arguments = Vec::new();
        // "gentype max(gentype x, sgentype y)", and so on.
        let spread = matches!(function, Builtin::Max | Builtin::Min | Builtin::Clamp)
            && lanes > 1
            && self.choices.percent(40);
        // A compiler computes what is known. It is computed once more of what is read each time.
        let knows = lanes <= 4 && self.every.is_none() && self.choices.percent(15);
        let known = knows.then(|| {
            let (sources, ends) = (take(&mut self.sources), take(&mut self.ends));
            (sources, ends, take(&mut self.helpers))
        });
        for (n, ty) in function.arguments(ty).into_iter().enumerate() {
            if self.of_field(function, n, of, &mut arguments)
                || n > 0 && self.of_clamp(function, (ty, spread), &mut arguments)
            {
                continue;
            }
            arguments.push(match spread && n > 0 {
                true => {
                    let scalar = self.function_argument(function, n, ty.of.scalar());
                    self.make.spread(lanes, scalar)
                }
                false => self.function_argument(function, n, ty),
            });
        }
        if matches!(function, Builtin::Mul24 | Builtin::Mad24) && self.choices.percent(50) {
            arguments.swap(0, 1);
        }
        self.about = format!("{} of {}", function.name(), ty.name());
        let value = self.make.builtin(function, arguments);
        let read = known.map(|(sources, ends, helpers)| {
            (self.sources, self.ends, self.helpers) = (sources, ends, helpers);
            self.reads(value.clone(), body)
        });
        for value in std::iter::once(value).chain(read) {
            if value.ty.lanes > 1 {
                self.lanes(body, results, value);
            } else {
                let wide = self.choices.one_of(&[LONG, ULONG, INT, UINT]);
                self.result(body, results, wide, value);
            }
        }
        self.are_about(results);
    }

    /// Adds the bounds of `clamp`, where they are drawn together.
    fn of_clamp(
        &mut self,
        function: Builtin,
        (ty, spread): (Type, bool),
        arguments: &mut Vec<Expr>,
    ) -> bool {
        if function == Builtin::Clamp && arguments.len() == 1 {
            let bounded = if spread { ty.of.scalar() } else { ty };
            let bounds = self.bounds(bounded).into_iter().flatten();
            arguments.extend(bounds.map(|bound| match spread {
                true => self.make.spread(ty.lanes, bound),
                false => bound,
            }));
        }
        arguments.len() == 3
    }

    /// The bounds of `clamp`, the lower one first: of each lane its own, or one number twice, or the ends of the type; none
    /// where they are to be known numbers.
    fn bounds(&mut self, ty: Type) -> Option<[Expr; 2]> {
        let form = self.choices.below(8);
        let mut bound = || self.function_argument(Builtin::Max, 0, ty);
        Some(match form {
            0..=2 => return None,
            3 => {
                let bound = bound();
                [bound.clone(), bound]
            }
            4 => [ty.of.least(), ty.of.greatest()].map(|end| self.make.constant(ty, end)),
            _ => {
                let both = [bound(), bound()];
                [Builtin::Min, Builtin::Max].map(|end| self.make.builtin(end, both.to_vec()))
            }
        })
    }

    /// Adds the offset and the count of a field of bits, where an argument is one of them.
    fn of_field(
        &mut self,
        function: Builtin,
        n: usize,
        of: Integer,
        arguments: &mut Vec<Expr>,
    ) -> bool {
        let first = match function {
            Builtin::BitfieldInsert => 2,
            Builtin::BitfieldExtract { .. } => 1,
            _ => return false,
        };
        if n == first {
            let half = u32::from(of.bits) / 2;
            let [offset, count] = match self.choices.below(3) {
                // Fields that begin or end where the number does, some without a bit.
                0 => [half, half].map(|mask| self.small(mask)),
                1 => [half - 1, half - 1].map(|mask| self.small(mask)),
                _ => {
                    let count = self.choices.below(usize::from(of.bits) + 1);
                    let offset = self.choices.below(usize::from(of.bits) + 1 - count);
                    [offset, count].map(|n| self.make.uint(n as u32))
                }
            };
            arguments.extend([offset, count]);
        }
        n >= first
    }

    /// Further results are about what is being written.
    pub(super) fn are_about(&mut self, results: &Results) {
        self.columns.resize(results.len(), self.about.clone());
    }

    /// Declares variables of each type: its ends in some work-items, and what an input has in the others.
    pub(super) fn ends(&mut self, body: &mut Vec<Stmt>, ty: Type, inputs: &[VarId]) {
        for (at, of) in INTEGERS.into_iter().enumerate() {
            for pair in inputs.chunks_exact(2) {
                let [key, value] = [pair[0], pair[1]].map(|id| self.make.variable(id, ty));
                // Which work-items have which differs from variable to variable.
                let key = self.make.cast(UINT.scalar(), key);
                let key = self
                    .make
                    .with(key, Arithmetic::Multiply, 2 * at as i128 + 5);
                let key = self.make.with(key, Arithmetic::Right, 2);
                let key = self.make.with(key, Arithmetic::And, 7);
                let mut chosen = self.make.cast(of.scalar(), value);
                let ends = [of.least(), of.greatest(), of.number(of.wrap(-1)), 0];
                for (n, end) in ends.into_iter().enumerate() {
                    let holds = self
                        .make
                        .compared(key.clone(), Comparison::Equal, n as i128);
                    let end = self.make.constant(of.scalar(), end);
                    let ty = end.ty.of.common(chosen.ty.of).scalar();
                    let choice = Kind::Choice(holds.into(), end.into(), chosen.into());
                    chosen = self.make.expr(ty, choice);
                }
                let id = self.declare(body, of.scalar(), chosen);
                self.ends.push((of, id));
            }
        }
    }

    /// One of the variables of a type that have its ends, often, where there are such.
    fn end_of(&mut self, of: Integer) -> Option<Expr> {
        let those = self.ends.iter().filter(|(ty, _)| *ty == of);
        let those: Vec<VarId> = those.map(|(_, id)| *id).collect();
        let id = self
            .choices
            .pick(&those)
            .filter(|_| self.choices.percent(70))?;
        Some(self.make.variable(id, of.scalar()))
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
        if matches!(function, Builtin::Any | Builtin::All) && self.choices.percent(75) {
            return self.all_alike(function == Builtin::All, ty);
        }
        let value = match self.end_of(ty.of) {
            Some(end) if ty.lanes == 1 => end,
            Some(end) => {
                let others = (1..ty.lanes).map(|_| self.end_of(ty.of).unwrap_or(end.clone()));
                let others: Vec<Expr> = others.collect();
                let lanes = std::iter::once(end).chain(others).collect();
                self.make.expr(ty, Kind::Vector(lanes))
            }
            None if ty.lanes == 1 => {
                let of = self.expr(1);
                self.make.cast(ty, of)
            }
            None => self.vector(ty),
        };
        // So many bits are left of each factor, 24 and 8, that 32 hold their product, and a third number.
        match (function, n) {
            (Builtin::Mul24 | Builtin::Mad24, 0) => self.make.with(value, Arithmetic::Right, 8),
            (Builtin::Mul24 | Builtin::Mad24, 1) => {
                let third = function == Builtin::Mad24 && !ty.of.signed;
                let away = if third { 25 } else { 24 };
                // The highest bits or the lowest ones, with their sign.
                let high = match self.choices.percent(50) {
                    true => value,
                    false => self.make.with(value, Arithmetic::Left, away),
                };
                self.make.with(high, Arithmetic::Right, away)
            }
            // The high half of a product has another bit left.
            (Builtin::MadHi, 2) if ty.of.signed => {
                let value = self.make.with(value, Arithmetic::Right, 1);
                self.make.cast(ty, value)
            }
            (Builtin::Mad24, _) => self.make.with(value, Arithmetic::Right, 2),
            _ => value,
        }
    }

    /// What work-item functions say, of dimensions that stand there and that are computed.
    pub(super) fn work_items(&mut self, body: &mut Vec<Stmt>, results: &mut Results) {
        let function = self.in_turn(&WORK_ITEM);
        self.about = function.name().into();
        if self.choices.percent(70) {
            // Seldom one that no range has, of which the functions say what it is, too.
            let beyond = self.choices.percent(1);
            let dimension = if beyond {
                self.choices.one_of(&[3, 4, 31, 1 << 31, u32::MAX])
            } else {
                self.choices.below(3) as u32
            };
            let mut value = self.make.work_item(function, dimension);
            if beyond && self.choices.percent(50) {
                value = self.reads(value, body);
            }
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
