//! Pieces about vectors: operators, conversions, lanes that are read and assigned, and other orders of them.

use super::author::Author;
use super::pieces::Results;
use crate::kernels::code::judged::bits_of;
use crate::kernels::code::number::*;
use crate::kernels::code::real::NEAR;
use crate::kernels::code::*;

impl Author<'_> {
    /// Operators of vectors, and of a vector and a scalar.
    pub(super) fn vector_operators(&mut self, body: &mut Vec<Stmt>, results: &mut Results) {
        let lanes = self.choices.one_of(&[2, 4, 3, 8, 16]);
        let ty = self.integer().vector(lanes);
        let [a, b, c] = [(); 3].map(|()| {
            let value = self.vector(ty);
            self.declare(body, ty, value)
        });
        let [left, right, third] = [a, b, c].map(|id| self.make.variable(id, ty));
        let value = match self.choices.below(6) {
            0 | 1 => {
                let op = self.choices.one_of(&ARITHMETIC);
                let (left, right) = self.beside_scalar(op.shifts(), left, right);
                match self.choices.percent(25) && !matches!(left.kind, Kind::Spread(_)) {
                    true => {
                        body.push(self.make.compound(Place::variable(a), ty, op, right));
                        left
                    }
                    false => self.make.arithmetic(op, left, right),
                }
            }
            4 => {
                let kind = match self.choices.below(6) {
                    0..=2 => Kind::Negate(left.into()),
                    3 => Kind::Plus(left.into()),
                    _ => Kind::Complement(left.into()),
                };
                self.make.expr(ty, kind)
            }
            5 if !ty.of.signed => return self.counted_lanes(a, ty, body, results),
            2 => {
                let op = self.choices.one_of(&COMPARISONS);
                let (left, right) = self.beside_scalar(false, left, right);
                self.make.comparison(op, left, right)
            }
            _ => self.chosen(left, [third, right]),
        };
        self.lanes(body, results, value);
    }

    /// Two operands, of which now and then one is a scalar that is widened: of a shift only the right one may be.
    fn beside_scalar(&mut self, shifts: bool, left: Expr, right: Expr) -> (Expr, Expr) {
        if !self.choices.percent(30) {
            return (left, right);
        }
        let scalar = self.scalar_for(left.ty);
        match !shifts && self.choices.percent(50) {
            true => (scalar, right),
            false => (left, scalar),
        }
    }

    /// A scalar that stands in the place of a vector. One of fewer bits may stand there as it is: it is converted to the
    /// type of the elements and then widened.
    pub(super) fn scalar_for(&mut self, ty: Type) -> Expr {
        let scalar = self.leaf();
        let scalar = match scalar.ty.of.bits < ty.of.bits {
            true => self.make.implicit(ty.of.scalar(), scalar),
            false => self.make.cast(ty.of.scalar(), scalar),
        };
        self.make.spread(ty.lanes, scalar)
    }

    /// One of two vectors, or of a vector and a scalar that is widened. What chooses lane by lane is the highest bit of a
    /// lane, not whether it is zero. A scalar chooses all; it is 0 or -1, with which `select`, to which the operator is
    /// "equivalent", agrees.
    fn chosen(&mut self, seen: Expr, [yes, no]: [Expr; 2]) -> Expr {
        let ty = seen.ty;
        let seen = match self.choices.below(4) {
            0 => seen,
            1 => {
                let holds = self.condition(2);
                self.make.expr(INT.scalar(), Kind::Negate(holds.into()))
            }
            _ => {
                let op = self.choices.one_of(&COMPARISONS);
                let (left, right) = self.beside_scalar(false, seen, no.clone());
                self.make.comparison(op, left, right)
            }
        };
        let (yes, no) = self.beside_scalar(false, yes, no);
        self.make
            .expr(ty, Kind::Choice(seen.into(), yes.into(), no.into()))
    }

    /// `++` and `--` of a vector, of each lane modulo its size: what it was before, and what it is then.
    fn counted_lanes(&mut self, id: VarId, ty: Type, body: &mut Vec<Stmt>, results: &mut Results) {
        let place = Place::variable(id);
        for _ in 0..self.choices.between(1, 3) {
            let up = self.choices.percent(50);
            match self.choices.percent(50) {
                true => {
                    let before = self.make.expr(ty, Kind::Post(place.clone(), up));
                    self.lanes(body, results, before);
                }
                false => body.push(Stmt::Step(place.clone(), up)),
            }
        }
        let after = self.make.variable(id, ty);
        self.lanes(body, results, after);
    }

    /// `&&`, `||` and `!` of vectors: all bits of a lane where it holds, whichever bits its operands have set.
    pub(super) fn vector_logic(&mut self, body: &mut Vec<Stmt>, results: &mut Results) {
        let lanes = self.choices.one_of(&[2, 4, 3, 8, 16]);
        let ty = self.integer().vector(lanes);
        let mut operand = |author: &mut Self| {
            let value = author.vector(ty);
            let id = author.declare(body, ty, value);
            let value = author.make.variable(id, ty);
            // Some lanes are zero.
            let few = author.choices.one_of(&[1, 2, 6]);
            author.make.with(value, Arithmetic::And, few)
        };
        let (left, right) = (operand(self), operand(self));
        let form = self.choices.below(5);
        let kind = match form {
            0..=3 => {
                let (left, right) = self.beside_scalar(false, left, right);
                match form < 2 {
                    true => Kind::And(left.into(), right.into()),
                    false => Kind::Or(left.into(), right.into()),
                }
            }
            _ => Kind::Not(left.into()),
        };
        let value = self.make.expr(ty.truth(), kind);
        self.lanes(body, results, value);
    }

    /// A vector in a variable, perhaps the other way round, and some of its lanes as results.
    pub(super) fn lanes(&mut self, body: &mut Vec<Stmt>, results: &mut Results, value: Expr) {
        let value = match self.choices.percent(30) {
            true => {
                let lanes = value.ty.lanes;
                self.swizzled(value, lanes)
            }
            false => value,
        };
        let ty = value.ty;
        let id = self.declare(body, ty, value);
        let first = self.choices.below(usize::from(ty.lanes)) as u8;
        // The last one, too, as its place is at the end of what is moved.
        let other = match first == ty.lanes - 1 {
            true => 0,
            false => ty.lanes - 1,
        };
        for lane in [first, other] {
            let place = Place::variable(id).then(Step::Lane(lane));
            results.push(self.make.read(place, ty.of.scalar()));
        }
    }

    /// Numbers whose highest bits are all set, or all are not; often but one of them.
    pub(super) fn all_alike(&mut self, set: bool, ty: Type) -> Expr {
        let odd = self.choices.below(2 * usize::from(ty.lanes)) as u8;
        let lanes = (0..ty.lanes).map(|n| {
            let lane = self.leaf();
            let lane = self.make.cast(ty.of.scalar(), lane);
            let (op, number) = match set != (n == odd) {
                true => (Arithmetic::Or, ty.of.least()),
                false => (Arithmetic::And, ty.of.greatest()),
            };
            let lane = self.make.with(lane, op, number);
            self.make.cast(ty.of.scalar(), lane)
        });
        let mut lanes: Vec<Expr> = lanes.collect();
        match (ty.lanes, lanes.pop()) {
            (1, Some(only)) => only,
            (_, last) => {
                lanes.extend(last);
                self.make.expr(ty, Kind::Vector(lanes))
            }
        }
    }

    /// Conversions of vectors, and other types of the same bytes.
    pub(super) fn vector_conversions(&mut self, body: &mut Vec<Stmt>, results: &mut Results) {
        if self.choices.percent(40) {
            return self.same_bytes(body, results);
        }
        let lanes = self.choices.one_of(&[2, 4, 3, 8, 16]);
        let (from, to) = (self.integer().vector(lanes), self.integer().vector(lanes));
        let of = self.vector(from);
        let of = self.declare(body, from, of);
        let of = self.make.variable(of, from);
        let form = self.choices.below(3);
        let value = self.converted(form, to, of);
        self.lanes(body, results, value);
    }

    /// A value as another type of as many bytes: by `as_type`, or by a union.
    fn same_bytes(&mut self, body: &mut Vec<Stmt>, results: &mut Results) {
        let from = self
            .integer()
            .vector(self.choices.one_of(&[1, 2, 4, 8, 16, 3]));
        let by_union = self.choices.percent(50);
        let types = INTEGERS
            .into_iter()
            .flat_map(|of| [1u8, 2, 4, 8, 16, 3].map(|lanes| of.vector(lanes)));
        let types: Vec<Type> = types
            .filter(|to| *to != from && from.bytes() == to.bytes())
            .filter(|to| by_union || (from.lanes, to.lanes) == (4, 3) || from.lanes == to.lanes)
            // The fourth lane of a vector of three has no value.
            .filter(|to| from.lanes != 3 || to.lanes == 3)
            .collect();
        let to = self.choices.pick(&types).unwrap_or(from);
        let of = match from.lanes {
            1 => {
                let of = self.expr(1);
                self.make.cast(from, of)
            }
            _ => self.vector(from),
        };
        let id = self.declare(body, from, of);
        let of = self.make.variable(id, from).into();
        let kind = match by_union {
            true => Kind::Union(of),
            false => Kind::Reinterpret(of),
        };
        let value = self.make.expr(to, kind);
        match to.lanes {
            1 => {
                self.result(body, results, to.of, value);
            }
            _ => self.lanes(body, results, value),
        }
    }

    /// So many lanes of a vector, some of them perhaps several times, now and then of lanes of it.
    pub(super) fn swizzled(&mut self, mut of: Expr, count: u8) -> Expr {
        // Halves of halves, too.
        while of.ty.lanes > 3 && self.choices.percent(50) {
            let picked = self.picked(of.ty.lanes);
            let ty = of.ty.of.vector(picked.len() as u8);
            of = self.make.expr(ty, Kind::Lanes(of.into(), picked));
        }
        let from = usize::from(of.ty.lanes);
        // Backwards, onwards from a lane, each second one, one lane for all, or any.
        let (first, step) = (self.choices.below(from), self.choices.below(5));
        let lane = |n: usize| match step {
            0 => 2 * from - 1 - first - n % from,
            1 => first + n,
            2 => first + 2 * n,
            3 => first,
            _ => first + n * (n + 1) / 2,
        };
        let lanes = (0..usize::from(count)).map(|n| (lane(n) % from) as u8);
        let (ty, lanes) = (of.ty.of.vector(count), lanes.collect());
        self.make.expr(ty, Kind::Lanes(of.into(), lanes))
    }

    /// Some lanes of so many, none twice: as many as a vector has.
    fn picked(&mut self, of: u8) -> Vec<u8> {
        let counts: Vec<u8> = [2, 3, 4, 8].into_iter().filter(|n| *n <= of).collect();
        let count = self.choices.pick(&counts).unwrap_or(2);
        let half = of / 2;
        match self.choices.below(5) {
            4 if of > 3 => return (0..half).collect(),
            0 if of > 3 => return (0..half).map(|n| 2 * n).collect(),
            1 if of > 3 => return (half..of).collect(),
            2 if of > 3 => return (0..half).map(|n| 2 * n + 1).collect(),
            _ => {}
        }
        let mut left: Vec<u8> = (0..of).collect();
        let picked = (0..count).map(|_| left.swap_remove(self.choices.below(left.len())));
        picked.collect()
    }

    /// Lanes of a vector that are assigned and changed together, in another order than they lie: of a variable, of an element
    /// of an array, and through a pointer.
    pub(super) fn some_lanes(&mut self, body: &mut Vec<Stmt>, results: &mut Results) {
        let ty = self
            .integer()
            .vector(self.choices.one_of(&[4, 3, 8, 16, 2]));
        let place = match self.choices.below(4) {
            0 | 1 => {
                let value = self.vector(ty);
                Place::variable(self.declare(body, ty, value))
            }
            way => {
                let all = self.variable(Shape::Array(ty, 3));
                let list = (0..3).map(|_| self.vector(ty)).collect();
                body.push(Stmt::Declare(all, Some(Init::List(list))));
                let at = self.small(1);
                match way {
                    2 => Place::variable(all).at(at),
                    _ => {
                        let pointer = self.variable(Shape::Pointer(Region::Private, ty));
                        let target = Target::To(Place::variable(all).at(at));
                        body.push(Stmt::Declare(pointer, Some(Init::Pointer(target))));
                        Place::variable(pointer).at(self.make.uint(0))
                    }
                }
            }
        };
        self.assign_lanes(body, &place, ty);
        self.lanes_of(results, &place, ty);
    }

    /// Lanes of a vector, wherever it lies, that are assigned and changed together, or one of them: the others stay.
    pub(super) fn assign_lanes(&mut self, body: &mut Vec<Stmt>, whole: &Place, ty: Type) {
        for _ in 0..self.choices.between(1, 3) {
            if self.choices.percent(30) {
                let lane = self.choices.below(usize::from(ty.lanes)) as u8;
                let (place, part) = (whole.clone().then(Step::Lane(lane)), ty.of.scalar());
                let by = self.leaf();
                body.push(match self.choices.percent(50) {
                    true => Stmt::Assign(place, self.make.implicit(part, by)),
                    false => {
                        let op = self.choices.one_of(&ARITHMETIC);
                        self.make.compound(place, part, op, by)
                    }
                });
                continue;
            }
            let lanes = self.picked(ty.lanes);
            let mut part = ty.of.vector(lanes.len() as u8);
            let mut place = whole.clone().then(Step::Lanes(ty.lanes, lanes));
            // Lanes of lanes are assigned in the vector that all of them are of.
            if self.choices.percent(35) {
                let lanes = self.picked(part.lanes);
                place = place.then(Step::Lanes(part.lanes, lanes.clone()));
                part = ty.of.vector(lanes.len() as u8);
            }
            let by = match self.choices.percent(50) {
                // Other lanes of the vector itself.
                true => {
                    let of = self.make.read(whole.clone(), ty);
                    self.swizzled(of, part.lanes)
                }
                false if self.choices.percent(30) => self.scalar_for(part),
                false => self.vector(part),
            };
            body.push(match self.choices.percent(50) {
                true => Stmt::Assign(place, by),
                false => {
                    let op = self.choices.one_of(&ARITHMETIC);
                    self.make.compound(place, part, op, by)
                }
            });
        }
    }

    /// Some lanes of a vector as results.
    pub(super) fn lanes_of(&mut self, results: &mut Results, whole: &Place, ty: Type) {
        let first = self.choices.below(usize::from(ty.lanes)) as u8;
        for n in 0..ty.lanes.min(4) {
            let lane = (first + n) % ty.lanes;
            let place = whole.clone().then(Step::Lane(lane));
            results.push(self.make.read(place, ty.of.scalar()));
        }
    }

    /// `shuffle` of one vector or `shuffle2` of two, by a mask of any numbers.
    pub(super) fn shuffled(&mut self, body: &mut Vec<Stmt>, results: &mut Results, vectors: usize) {
        let format = self.choices.percent(35).then(|| self.format());
        let of = format.map_or_else(|| self.integer(), bits_of);
        let ty = of.vector(self.choices.one_of(&[4, 2, 8, 16]));
        let mask_type = of.unsigned().vector(self.choices.one_of(&[4, 8, 2, 16]));
        let sources = (0..vectors).map(|_| {
            let value = match format {
                // None is a NaN, whose bits need not stay.
                Some(format) => self.real_in(NEAR.of(format), ty),
                None => self.vector(ty),
            };
            let id = self.declare(body, ty, value);
            self.make.variable(id, ty)
        });
        let sources: Vec<Expr> = sources.collect();
        let mask = match self.choices.percent(50) {
            true => self.vector(mask_type),
            false => {
                // Mostly elements that there are; of others a compiler has to leave out bits.
                let beyond = if self.choices.percent(20) { 2 } else { 1 };
                let most = beyond * sources.len() * usize::from(ty.lanes);
                let numbers: Vec<u64> = (0..mask_type.lanes)
                    .map(|_| self.choices.below(most) as u64)
                    .collect();
                let value = mask_type.each(|n| numbers[n]);
                self.make.expr(mask_type, Kind::Constant(value))
            }
        };
        let shuffled = Kind::Shuffle(sources, mask.into(), format);
        let value = self.make.expr(of.vector(mask_type.lanes), shuffled);
        self.lanes(body, results, value);
    }
}
