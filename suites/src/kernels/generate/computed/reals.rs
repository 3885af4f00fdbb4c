//! Pieces about numbers with a fraction.

use super::author::Author;
use super::pieces::Results;
use crate::kernels::code::number::*;
use crate::kernels::code::real::{MODES, RELATIONS, Real, WHOLES};
use crate::kernels::code::*;

impl Author<'_> {
    /// A function of `float`s of which every bit is known, and one of another type of it.
    pub(super) fn reals(&mut self, body: &mut Vec<Stmt>, results: &mut Results) {
        let function = self.real();
        let lanes = self.choices.one_of(&[1, 1, 2, 4, 3, 8, 16]);
        let (types, gives) = function.types(lanes);
        let arguments = types.into_iter().enumerate();
        let arguments: Vec<Expr> = arguments
            .map(|(n, ty)| self.real_argument(function, n, ty))
            .collect();
        let names: Vec<String> = ["x", "y", "z"].map(String::from).into();
        self.about = function.text(lanes, &names[..arguments.len().min(3)]);
        let value = self.make.expr(gives, Kind::Real(function, arguments));
        match lanes {
            1 => {
                let wide = self.choices.one_of(&[LONG, ULONG]);
                self.result(body, results, wide, value);
            }
            _ => self.lanes(body, results, value),
        }
    }

    fn real(&mut self) -> Real {
        let mode = self.choices.one_of(&MODES);
        let of = self.integer();
        self.turn += 1;
        match self.turn % 17 {
            0 | 9 => Real::To(of, mode, true),
            1 | 10 => Real::From(of, mode),
            2 => Real::To(of, mode, false),
            3 => Real::Compare(self.choices.one_of(&COMPARISONS)),
            4 | 12 => Real::Relation(self.choices.one_of(&RELATIONS)),
            5 => Real::Whole(self.choices.one_of(&WHOLES)),
            6 => Real::Fma,
            7 => Real::Add,
            8 => Real::Multiply,
            11 => Real::Subtract,
            13 => self
                .choices
                .one_of(&[Real::Minimum, Real::Maximum, Real::Absolute]),
            14 => self
                .choices
                .one_of(&[Real::CopySign, Real::Scale, Real::Positive]),
            15 => self.choices.one_of(&[Real::Next, Real::Exponent]),
            _ => Real::Remainder,
        }
    }

    /// Bits that are any numbers of a domain that the function says something of.
    fn real_argument(&mut self, function: Real, n: usize, ty: Type) -> Expr {
        let any = match ty.lanes {
            1 => {
                let of = self.leaf();
                self.make.cast(ty, of)
            }
            _ => self.vector(ty),
        };
        if matches!(function, Real::From(..)) {
            return any;
        }
        let domain = self.choices.pick(function.domains(n));
        let Some(domain) = domain else {
            return any;
        };
        // Numbers that are as often as not small have few bits in the place of a fraction.
        let spread = match ty.lanes {
            1 => self.make.with(any, Arithmetic::Multiply, 0x9e37_79b1),
            _ => any,
        };
        let kept = self.make.with(spread, Arithmetic::And, domain.keeps.into());
        self.make.with(kept, Arithmetic::Or, domain.sets.into())
    }
}
