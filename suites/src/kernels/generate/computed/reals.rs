//! Pieces about numbers with a fraction.

use super::author::Author;
use super::pieces::Results;
use crate::kernels::code::judged::{Judged, RELATIONS, Relation, TRUTHS, bits_of};
use crate::kernels::code::number::*;
use crate::kernels::code::real::{BEYOND, Domain, NEAR, Real, WHOLES};
use crate::kernels::code::*;
use crate::kernels::math::format::{Format, MODES};
use classay_vocabulary::Need;

impl Author<'_> {
    /// A function of `float`s of which every bit is known, and one of another type of it.
    pub(super) fn reals(&mut self, body: &mut Vec<Stmt>, results: &mut Results) {
        let function = self.real();
        if let Real::Judged(format, Judged::Compare(_)) = function
            && self.choices.percent(40)
        {
            return self.beside_itself(format, body, results);
        }
        let lanes = match function {
            // There are no casts of vectors to other types; of halves one is stored at a time.
            Real::CastTo(_) | Real::CastFrom(_) | Real::ToHalf(_) | Real::FromHalf => 1,
            _ => self.choices.one_of(&[1, 1, 2, 4, 3, 8, 16]),
        };
        let (types, gives) = function.types(lanes);
        let arguments = types.into_iter().enumerate();
        let mut arguments: Vec<Expr> = arguments
            .map(|(n, ty)| self.real_argument(function, n, ty))
            .collect();
        let compares = matches!(
            function,
            Real::Judged(_, Judged::Compare(_) | Judged::Relation(_))
        );
        if self.choices.percent(if compares { 70 } else { 30 }) {
            self.of_variables(compares, body, &mut arguments);
        }
        let names: Vec<String> = ["x", "y", "z"].map(String::from).into();
        self.about = function.text(lanes, &names[..arguments.len().min(3)]);
        let mut each: Vec<(Real, Vec<Expr>)> = (self.roundings(function).into_iter())
            .map(|function| (function, arguments.clone()))
            .collect();
        // A cast of what is known, too, such as the greatest number of the type.
        if let Real::CastFrom(of) = function {
            for number in [of.greatest(), self.number(of)] {
                let known = self.make.constant(of.scalar(), number);
                each.push((function, vec![known]));
            }
        }
        for (function, arguments) in each {
            let value = self.make.expr(gives, Kind::Real(function, arguments));
            match lanes {
                1 => {
                    let wide = self.choices.one_of(&[LONG, ULONG]);
                    self.result(body, results, wide, value);
                }
                _ => self.lanes(body, results, value),
            }
        }
    }

    /// A number, mostly a NaN or an infinity, compared with itself in every way: a NaN is unlike all, itself included.
    fn beside_itself(&mut self, format: Format, body: &mut Vec<Stmt>, results: &mut Results) {
        let lanes = self.choices.one_of(&[1, 1, 1, 2, 4]);
        let operators = COMPARISONS.into_iter().map(Judged::Compare);
        let functions = [Relation::Equal, Relation::Unequal, Relation::Unordered];
        let ty = bits_of(format).vector(lanes);
        let domain = match self.choices.percent(80) {
            true => BEYOND,
            false => NEAR,
        };
        let of = self.real_in(domain.of(format), ty);
        let id = self.declare(body, ty, of);
        self.sources.pop();
        for judged in operators.chain(functions.map(Judged::Relation)) {
            let function = Real::Judged(format, judged);
            self.about = function.text(lanes, &["x", "x"].map(String::from));
            let same = vec![self.make.variable(id, ty); 2];
            let value = self.make.expr(ty.truth(), Kind::Real(function, same));
            match lanes {
                1 => {
                    self.result(body, results, LONG, value);
                }
                _ => self.lanes(body, results, value),
            }
            self.are_about(results);
        }
    }

    /// A function, or where it rounds often each way to round: one number is as good for all.
    fn roundings(&mut self, function: Real) -> Vec<Real> {
        if self.choices.percent(40) {
            return vec![function];
        }
        let by = |mode| match function {
            Real::To(of, _, saturated) => Some(Real::To(of, mode, saturated)),
            Real::From(of, _) => Some(Real::From(of, mode)),
            Real::ToHalf(_) => Some(Real::ToHalf(mode)),
            _ => None,
        };
        let each: Option<Vec<Real>> = MODES.into_iter().map(by).collect();
        each.unwrap_or_else(|| vec![function])
    }

    /// The arguments in variables, and of a comparison now and then one of them twice.
    fn of_variables(&mut self, compares: bool, body: &mut Vec<Stmt>, arguments: &mut [Expr]) {
        for argument in arguments.iter_mut() {
            let ty = argument.ty;
            let id = self.declare(body, ty, argument.clone());
            // The bits of a number are no source of further ones.
            self.sources.pop();
            *argument = self.make.variable(id, ty);
        }
        if let [first, second, ..] = arguments
            && compares
            && self.choices.percent(50)
        {
            *second = first.clone();
        }
    }

    /// A precision: of the ones that a device must offer one that is taken, often.
    pub(super) fn format(&mut self) -> Format {
        let (format, need) = match self.offer {
            Some(need @ Need::Fp64) => (Format::Double, need),
            Some(need @ Need::Fp16) => (Format::Half, need),
            _ => return Format::Float,
        };
        if self.choices.percent(30) {
            return Format::Float;
        }
        self.needs.insert(need);
        format
    }

    fn judged(&mut self, judged: Judged) -> Real {
        Real::Judged(self.format(), judged)
    }

    fn selecting(&mut self) -> Judged {
        let signed = self.choices.percent(50);
        Judged::Select { signed }
    }

    fn real(&mut self) -> Real {
        // Of other precisions than that of `float` only what is judged is known to the last bit.
        if matches!(self.offer, Some(Need::Fp64 | Need::Fp16)) && self.choices.percent(40) {
            let judged = match self.choices.below(10) {
                8 | 9 => Judged::Truth(self.choices.one_of(&TRUTHS)),
                0..=2 => Judged::Compare(self.choices.one_of(&COMPARISONS)),
                3 => self.selecting(),
                4 => Judged::Choice,
                5 => Judged::Bitselect,
                _ => Judged::Relation(self.choices.one_of(&RELATIONS)),
            };
            return self.judged(judged);
        }
        let mode = self.choices.one_of(&MODES);
        let of = self.integer();
        self.turn += 1;
        match self.turn % 26 {
            24 | 25 => {
                let truth = self.choices.one_of(&TRUTHS);
                self.judged(Judged::Truth(truth))
            }
            0 | 9 => Real::To(of, mode, true),
            1 | 10 => Real::From(of, mode),
            2 => Real::To(of, mode, false),
            3 | 20 => {
                let comparison = self.choices.one_of(&COMPARISONS);
                self.judged(Judged::Compare(comparison))
            }
            4 | 12 => {
                let relation = self.choices.one_of(&RELATIONS);
                self.judged(Judged::Relation(relation))
            }
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
            16 => Real::CastFrom(of),
            17 => Real::CastTo(of),
            18 => Real::Negate,
            21 if self.choices.percent(50) => self.judged(Judged::Bitselect),
            22 => {
                let judged = self.selecting();
                self.judged(judged)
            }
            23 => self.judged(Judged::Choice),
            19 if self.choices.percent(70) => Real::ToHalf(mode),
            19 => Real::FromHalf,
            _ => Real::Remainder,
        }
    }

    /// Bits that are any numbers of a domain that the function says something of.
    fn real_argument(&mut self, function: Real, n: usize, ty: Type) -> Expr {
        // A compiler computes what is known. What is known to be beyond a type is the business of `kernels/conversions`:
        // one that cannot make it saturate makes nothing else of the kernel right.
        let known = self.choices.percent(20) && !matches!(function, Real::To(_, _, true));
        if matches!(function, Real::From(..) | Real::CastFrom(_)) {
            return match known {
                true => {
                    let number = self.number(ty.of);
                    self.make.constant(ty, number)
                }
                false => self.any(ty),
            };
        }
        let domain = self.choices.pick(function.domains(n));
        let Some(domain) = domain else {
            return self.any(ty);
        };
        let domain = match function.takes_float(n) {
            true => domain.of(function.format()),
            false => domain,
        };
        if known {
            let [high, low] = [(); 2].map(|()| self.choices.below(1 << 32) as u64);
            let bits = (high << 32 | low) & domain.keeps | domain.sets;
            return self.make.constant(ty, bits.into());
        }
        self.real_in(domain, ty)
    }

    /// Any numbers that are there.
    fn any(&mut self, ty: Type) -> Expr {
        match ty.lanes {
            1 => {
                let of = self.leaf();
                self.make.cast(ty, of)
            }
            _ => self.vector(ty),
        }
    }

    /// Bits that are any numbers of a domain.
    pub(super) fn real_in(&mut self, domain: Domain, ty: Type) -> Expr {
        let any = self.any(ty);
        // Numbers that are as often as not small have few bits in the place of a fraction.
        let spread = match ty.lanes {
            1 => {
                let spread = self.make.with(any, Arithmetic::Multiply, 0x9e37_79b1);
                self.make.cast(ty, spread)
            }
            _ => any,
        };
        let kept = self.make.with(spread, Arithmetic::And, domain.keeps.into());
        let set = self.make.with(kept, Arithmetic::Or, domain.sets.into());
        // What is narrower than an `int` has become one.
        self.make.cast(ty, set)
    }
}
