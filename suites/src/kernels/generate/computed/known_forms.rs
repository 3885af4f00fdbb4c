//! Expressions that compilers exchange for shorter ones: shifts there and back, rotations, quotients that are multiplied
//! again, masks that complete each other, bytes that are put together, comparisons of sums.

use super::author::Author;
use super::pieces::Results;
use crate::kernels::code::number::*;
use crate::kernels::code::*;

/// An operator and its two operands.
macro_rules! make {
    ($author:expr, $left:expr, $op:ident, $right:expr) => {{
        let (left, right) = ($left, $right);
        $author.make.arithmetic(Arithmetic::$op, left, right)
    }};
}

impl Author<'_> {
    /// Some of these, of one or two numbers.
    pub(super) fn known_forms(&mut self, body: &mut Vec<Stmt>, results: &mut Results) {
        let of = self.integer();
        let ty = of.scalar();
        let [x, y] = [(); 2].map(|()| {
            let value = self.leaf();
            self.declare(body, ty, value)
        });
        for _ in 0..self.choices.between(2, 4) {
            let [x, y] = [x, y].map(|id| self.make.variable(id, ty));
            let value = match self.choices.below(9) {
                7 | 8 => self.greatest_quotient(of, body),
                0 => self.there_and_back(x),
                1 => self.turned(x, of),
                2 => self.multiples(x),
                3 => self.masked(x, y),
                4 => self.bytes_together(x),
                5 => self.carried(x, y),
                _ => self.signs(x, y),
            };
            let wide = value.ty.of;
            self.result(body, results, wide, value);
        }
    }

    /// A shift by a number and one by the same or the next, the other way or the same, perhaps of another type between.
    fn there_and_back(&mut self, x: Expr) -> Expr {
        let bits = usize::from(x.ty.of.promoted().bits);
        let by = self.choices.between(1, bits - 2);
        let again = by + usize::from(self.choices.percent(20));
        let (first, second) = match self.choices.below(4) {
            0 => (Arithmetic::Right, Arithmetic::Left),
            1 => (Arithmetic::Right, Arithmetic::Right),
            _ => (Arithmetic::Left, Arithmetic::Right),
        };
        let mut value = self.make.with(x, first, by as i128);
        if self.choices.percent(50) {
            // As the idiom that extends a sign, or does not.
            let signed = self.choices.percent(60);
            let other = Integer {
                signed,
                ..value.ty.of
            };
            value = self.make.cast(other.scalar(), value);
        }
        self.make.with(value, second, again as i128)
    }

    /// The bits turned around by two shifts that meet, or that do not quite.
    fn turned(&mut self, x: Expr, of: Integer) -> Expr {
        let of = of.unsigned();
        let x = self.make.cast(of.scalar(), x);
        let bits = usize::from(of.bits);
        let by = self.choices.between(1, bits - 1);
        let rest = match self.choices.percent(80) {
            true => bits - by,
            false => (bits - by + 1) % bits,
        };
        let left = self.make.with(x.clone(), Arithmetic::Left, by as i128);
        let right = self.make.with(x, Arithmetic::Right, rest as i128);
        let op = self
            .choices
            .one_of(&[Arithmetic::Or, Arithmetic::Add, Arithmetic::Xor]);
        let both = self.make.arithmetic(op, left, right);
        self.make.cast(of.scalar(), both)
    }

    /// A quotient that is multiplied, subtracted or divided again, by numbers that are powers of two, beside them, or any.
    fn multiples(&mut self, x: Expr) -> Expr {
        let ty = x.ty;
        let by = |author: &mut Self| {
            let power = 1_i128 << author.choices.below(usize::from(ty.of.bits));
            let number = match author.choices.below(4) {
                0 => power,
                1 => power + 1,
                2 => (power - 1).max(1),
                _ => author.choices.between(1, 100) as i128,
            };
            let negative = ty.of.signed && author.choices.percent(30);
            if negative { -number } else { number }.clamp(ty.of.least(), ty.of.greatest())
        };
        let (k, other) = (by(self), by(self));
        let other = if self.choices.percent(60) { k } else { other };
        let first = x.clone();
        match self.choices.below(6) {
            0 => {
                let quotient = self.make.with(x, Arithmetic::Divide, k);
                self.make.with(quotient, Arithmetic::Multiply, other)
            }
            1 => {
                let quotient = self.make.with(x, Arithmetic::Divide, k);
                let whole = self.make.with(quotient, Arithmetic::Multiply, other);
                make!(self, first, Subtract, whole)
            }
            2 => {
                let quotient = self.make.with(x, Arithmetic::Divide, k);
                self.make.with(quotient, Arithmetic::Divide, other)
            }
            3 => {
                let product = self.make.with(x, Arithmetic::Multiply, k);
                self.make.with(product, Arithmetic::Divide, other)
            }
            4 => {
                let rest = self.make.with(x, Arithmetic::Remainder, k);
                let is_none = self.make.compared(rest, Comparison::Equal, 0);
                let quotient = self.make.with(first, Arithmetic::Divide, other);
                make!(self, quotient, Add, is_none)
            }
            _ => {
                let product = self.make.with(x, Arithmetic::Multiply, k);
                let again = self.make.with(first, Arithmetic::Multiply, other);
                make!(self, product, Add, again)
            }
        }
    }

    /// A quotient or a rest of a number that the compiler does not know, by one that it knows: the number is near a
    /// multiple of the other, and among the greatest or the least of its type, where a product with an inverse that is
    /// rounded goes wrong first.
    fn greatest_quotient(&mut self, of: Integer, body: &mut Vec<Stmt>) -> Expr {
        const DIVISORS: [i128; 19] = [
            3,
            5,
            6,
            7,
            9,
            10,
            11,
            14,
            19,
            21,
            25,
            28,
            60,
            100,
            641,
            10007,
            (1 << 31) + 1,
            (1 << 32) - 3,
            (1 << 63) + 5,
        ];
        let ty = of.scalar();
        let by = self.choices.one_of(&DIVISORS).min(of.greatest());
        let end = match of.signed && self.choices.percent(40) {
            true => of.least(),
            false => of.greatest(),
        };
        let back = self.choices.below(5) as i128 * end.signum();
        let beside = self.choices.one_of(&[-1, 0, 0, 1]);
        let number = ((end / by - back) * by + beside).clamp(of.least(), of.greatest());
        let number = self.make.constant(ty, number);
        let id = self.declare(body, ty, number);
        self.function.variables[id].volatile = true;
        let number = self.make.variable(id, ty);
        let by = if of.signed && self.choices.percent(30) {
            -by
        } else {
            by
        };
        let op = match self.choices.percent(70) {
            true => Arithmetic::Divide,
            false => Arithmetic::Remainder,
        };
        self.make.with(number, op, by)
    }

    /// Two masks of which one may be the other's complement, and lowest bits.
    fn masked(&mut self, x: Expr, y: Expr) -> Expr {
        let of = x.ty.of;
        let mask = self.number(of);
        let other = match self.choices.percent(70) {
            true => of.number(of.wrap(!mask)),
            false => self.number(of),
        };
        let first = x.clone();
        match self.choices.below(6) {
            0 => {
                let op = self
                    .choices
                    .one_of(&[Arithmetic::Or, Arithmetic::Xor, Arithmetic::Add]);
                let one = self.make.with(x, Arithmetic::And, mask);
                let rest = self.make.with(y, Arithmetic::And, other);
                self.make.arithmetic(op, one, rest)
            }
            1 => {
                let all = self.make.with(x, Arithmetic::Or, mask);
                self.make.with(all, Arithmetic::And, other)
            }
            2 => {
                let differ = make!(self, x, Xor, y);
                let kept = self.make.with(differ, Arithmetic::And, mask);
                make!(self, first, Xor, kept)
            }
            3 => {
                let less = self.make.with(x, Arithmetic::Subtract, 1);
                make!(self, first, And, less)
            }
            4 => {
                let ty = of.promoted().scalar();
                let negative = self.make.expr(ty, Kind::Negate(x.into()));
                make!(self, first, And, negative)
            }
            _ => {
                let both = make!(self, x, And, y.clone());
                let differ = make!(self, first, Xor, y);
                let half = self.make.with(differ, Arithmetic::Right, 1);
                make!(self, both, Add, half)
            }
        }
    }

    /// The bytes of a number put together again: as they were, turned round, or one of them at two places.
    fn bytes_together(&mut self, x: Expr) -> Expr {
        let to = self.choices.one_of(&[UINT, ULONG, USHORT]);
        let x = self.make.cast(to.scalar(), x);
        let count = usize::from(to.bits / 8);
        let turned = self.choices.percent(60);
        let odd = self.choices.below(2 * count);
        let narrow = self.choices.one_of(&[UCHAR, UCHAR, CHAR]);
        let mut all = None;
        for n in 0..count {
            let from = if n == odd { 0 } else { n };
            let place = if turned { count - 1 - n } else { n };
            let byte = self
                .make
                .with(x.clone(), Arithmetic::Right, 8 * from as i128);
            let byte = self.make.cast(narrow.scalar(), byte);
            let byte = self.make.cast(to.scalar(), byte);
            let byte = self.make.with(byte, Arithmetic::Left, 8 * place as i128);
            all = Some(match all {
                None => byte,
                Some(all) => make!(self, all, Or, byte),
            });
        }
        let all = all.unwrap_or(x);
        self.make.cast(to.scalar(), all)
    }

    /// Sums, differences and products that are compared with what they were made of.
    fn carried(&mut self, x: Expr, y: Expr) -> Expr {
        let ty = x.ty;
        let first = x.clone();
        let op = self.choices.one_of(&[
            Arithmetic::Add,
            Arithmetic::Subtract,
            Arithmetic::Multiply,
            Arithmetic::Xor,
        ]);
        let constant = self.choices.percent(40);
        let second = match constant {
            true => {
                let number = self.number(ty.of);
                self.make.constant(ty, number)
            }
            false => y.clone(),
        };
        let both = self.make.arithmetic(op, x, second.clone());
        let both = match self.choices.percent(50) {
            true => self.make.cast(ty, both),
            false => both,
        };
        let than = match self.choices.below(3) {
            0 => first,
            1 => second.clone(),
            _ => self.make.arithmetic(op, y, second),
        };
        let compare = self.choices.one_of(&COMPARISONS);
        self.make.comparison(compare, both, than)
    }

    /// Choices that are a smaller or greater number, a magnitude, a sign, or a number of two.
    fn signs(&mut self, x: Expr, y: Expr) -> Expr {
        let ty = x.ty;
        let compare = self.choices.one_of(&COMPARISONS);
        let (first, second) = (x.clone(), y.clone());
        match self.choices.below(4) {
            0 => {
                let seen = self.make.comparison(compare, x, y);
                let of = ty.of.promoted().scalar();
                let choice = Kind::Choice(seen.into(), first.into(), second.into());
                self.make.expr(of, choice)
            }
            1 => {
                let seen = self.make.compared(x, compare, 0);
                let of = ty.of.promoted().scalar();
                let negative = self.make.expr(of, Kind::Negate(first.clone().into()));
                let first = self.make.cast(of, first);
                let choice = Kind::Choice(seen.into(), negative.into(), first.into());
                self.make.expr(of, choice)
            }
            2 => {
                let (more, less) = (
                    self.make.comparison(Comparison::Greater, x, y),
                    self.make.comparison(Comparison::Less, first, second),
                );
                make!(self, more, Subtract, less)
            }
            _ => {
                let seen = self.make.comparison(compare, x, y);
                let not = self.make.expr(INT.scalar(), Kind::Not(seen.into()));
                let sum = make!(self, first, Add, second);
                let sum = self.make.cast(ty, sum);
                make!(self, sum, Add, not)
            }
        }
    }
}
