//! Writes a function of a program, statement by statement, by random choices.

use super::structures::Kept;
use crate::choices::Choices;
use crate::kernels::code::make::Maker;
use crate::kernels::code::number::*;
use crate::kernels::code::*;
use classay_vocabulary::Need;
use std::collections::BTreeSet;

/// Who writes a program.
pub(in super::super) struct Author<'c> {
    pub choices: &'c mut Choices,
    pub make: Maker,
    pub program: Program,
    /// The function that is being written.
    pub function: Function,
    /// What expressions can read here: numbers, scalars and vectors.
    pub sources: Vec<(Place, Type)>,
    /// Functions of numbers that expressions can call.
    pub helpers: Vec<usize>,
    /// Kernels have parameters that are 0 and 1, so that they can be written otherwise.
    pub rewrites: bool,
    /// Kernels call every function, and do nothing else; in which of [`FORMS`](super::FORMS) forms.
    pub(super) every: Option<usize>,
    /// Kernels are launched as often as it takes some implementations to compile them in another way.
    pub(super) often: bool,
    /// Variables of each type, which have its ends in some work-items.
    pub ends: Vec<(Integer, VarId)>,
    /// What of that which not all devices have expressions may use, and what they do.
    pub(super) offer: Option<Need>,
    pub(super) needs: BTreeSet<Need>,
    /// Where the kernel can leave structures, where it is about memory.
    pub(super) kept: Option<Kept>,
    /// The functions that the next pieces are about, in turn.
    pub(super) turn: usize,
    /// What the piece that is being written is about, and what each result of the kernel is.
    pub(super) about: String,
    pub(super) columns: Vec<String>,
}

impl<'c> Author<'c> {
    /// Who writes by these choices.
    pub fn new(choices: &'c mut Choices) -> Author<'c> {
        Author {
            choices,
            make: Maker::default(),
            program: Program::default(),
            function: Function::new(""),
            sources: Vec::new(),
            helpers: Vec::new(),
            rewrites: false,
            every: None,
            often: false,
            ends: Vec::new(),
            offer: None,
            needs: BTreeSet::new(),
            kept: None,
            turn: 0,
            about: String::new(),
            columns: Vec::new(),
        }
    }

    /// Begins a function.
    pub fn begin(&mut self, name: &str, kernel: bool) {
        self.function = Function {
            kernel,
            ..Function::new(name)
        };
        self.sources.clear();
    }

    /// Ends it: it is in the program, with this body.
    pub fn end(&mut self, body: Vec<Stmt>) -> usize {
        let mut function = std::mem::replace(&mut self.function, Function::new(""));
        function.body = body;
        self.program.functions.push(function);
        self.program.functions.len() - 1
    }

    /// Leaves the function that is being written for one of its unit that is called from it; gives what to come back to.
    pub(super) fn leave(&mut self, name: &str) -> (Function, Vec<(Place, Type)>, Vec<usize>) {
        let unit = self.function.unit;
        let around = (
            std::mem::replace(&mut self.function, Function::new("")),
            std::mem::take(&mut self.sources),
            std::mem::take(&mut self.helpers),
        );
        self.begin(name, false);
        (self.function.unit, self.function.internal) = (unit, true);
        around
    }

    /// Goes on with the function that was left.
    pub(super) fn come_back(
        &mut self,
        (function, sources, helpers): (Function, Vec<(Place, Type)>, Vec<usize>),
    ) {
        (self.function, self.sources, self.helpers) = (function, sources, helpers);
    }

    /// A further variable, `v` and its number.
    pub fn variable(&mut self, shape: Shape) -> VarId {
        let name = format!("v{}", self.function.variables.len());
        self.named(&name, shape)
    }

    /// A further variable of a name.
    pub fn named(&mut self, name: &str, shape: Shape) -> VarId {
        self.function.variables.push(Variable {
            name: name.into(),
            shape,
            local: false,
            volatile: false,
        });
        self.function.variables.len() - 1
    }

    /// A further parameter, before all variables.
    pub fn parameter(&mut self, name: &str, shape: Shape) -> VarId {
        self.function.parameters += 1;
        self.named(name, shape)
    }

    /// A parameter that is a number which expressions read.
    pub fn number_parameter(&mut self, name: &str, ty: Type) -> VarId {
        let id = self.parameter(name, Shape::Number(ty));
        self.sources.push((Place::variable(id), ty));
        id
    }

    /// A variable with a first value, which expressions read from here on.
    pub fn declare(&mut self, body: &mut Vec<Stmt>, ty: Type, value: Expr) -> VarId {
        let id = self.variable(Shape::Number(ty));
        let value = self.make.implicit(ty, value);
        body.push(Stmt::Declare(id, Some(Init::Number(value))));
        self.sources.push((Place::variable(id), ty));
        id
    }

    /// The next one of these: what is drawn often is about each of them.
    pub(super) fn in_turn<T: Copy, const N: usize>(&mut self, items: &[T; N]) -> T {
        self.turn += 1;
        items[self.turn % N]
    }

    /// Any integer type.
    pub fn integer(&mut self) -> Integer {
        self.choices.one_of(&INTEGERS)
    }

    /// A number at which types end, or any.
    pub fn number(&mut self, of: Integer) -> i128 {
        match self.choices.below(8) {
            0..=2 => self.choices.below(8) as i128,
            3 => of.greatest(),
            4 => of.least(),
            5 => of.number(of.wrap(-1)),
            6 => of.number(of.wrap(1 << self.choices.below(usize::from(of.bits)))),
            _ => {
                let [high, low] = [(); 2].map(|()| self.choices.below(1 << 32) as i128);
                of.number(of.wrap(high << 32 | low))
            }
        }
    }

    /// A scalar that is there already, or a constant.
    pub fn leaf(&mut self) -> Expr {
        let scalars: Vec<usize> = (0..self.sources.len())
            .filter(|n| self.sources[*n].1.lanes == 1)
            .collect();
        if scalars.is_empty() || self.choices.percent(15) {
            let of = self.integer();
            let number = self.number(of);
            return self.make.constant(of.scalar(), number);
        }
        // The latest first: so what was computed goes on.
        let back = self.choices.below(scalars.len());
        let (place, ty) = self.sources[scalars[scalars.len() - 1 - back]].clone();
        self.make.read(place, ty)
    }

    /// A scalar of any type, so deep.
    pub fn expr(&mut self, depth: u32) -> Expr {
        if depth == 0 {
            return self.leaf();
        }
        match self.choices.below(16) {
            0 | 1 => self.leaf(),
            2..=8 => self.arithmetic(depth),
            9 => {
                let of = self.expr(depth - 1);
                let ty = of.ty.of.promoted().scalar();
                let kind = match self.choices.below(5) {
                    0 | 1 => Kind::Complement(of.into()),
                    2 => Kind::Plus(of.into()),
                    _ => Kind::Negate(of.into()),
                };
                self.make.expr(ty, kind)
            }
            10 | 11 => self.condition(depth),
            12 | 13 => {
                let condition = self.truth(depth);
                let (mut yes, mut no) = (self.expr(depth - 1), self.expr(depth - 1));
                // Of two types that differ in their sign alone the one without has the result.
                let unlike = [(INT, UINT), (UINT, INT), (LONG, ULONG), (ULONG, LONG)];
                if self.choices.percent(40) {
                    let (first, second) = self.choices.one_of(&unlike);
                    yes = self.make.cast(first.scalar(), yes);
                    no = self.make.cast(second.scalar(), no);
                }
                let ty = yes.ty.of.common(no.ty.of).scalar();
                self.make
                    .expr(ty, Kind::Choice(condition.into(), yes.into(), no.into()))
            }
            14 if !self.helpers.is_empty() => self.call(depth),
            _ => {
                let of = self.expr(depth - 1);
                let ty = self.integer().scalar();
                self.make.cast(ty, of)
            }
        }
    }

    fn arithmetic(&mut self, depth: u32) -> Expr {
        let op = self.choices.one_of(&ARITHMETIC);
        let left = self.expr(depth - 1);
        let right = match self.choices.percent(35) {
            true => self.beside(op, left.ty.of.promoted()),
            false => self.expr(depth - 1),
        };
        self.make.arithmetic(op, left, right)
    }

    /// A constant to the right of an operator, such as compilers have a shorter form for: powers of two and their
    /// neighbours, masks, counts of bits.
    fn beside(&mut self, op: Arithmetic, of: Integer) -> Expr {
        use Arithmetic::*;
        let bit = self.choices.below(usize::from(of.bits));
        let power = 1i128 << bit;
        let number = match op {
            Left | Right => bit as i128,
            And | Or | Xor => self.choices.one_of(&[power, power - 1, -power, !power]),
            Add | Subtract | Multiply | Divide | Remainder => {
                let near = self
                    .choices
                    .one_of(&[power, power, -power, power + 1, power - 1]);
                let small = self.choices.one_of(&[3, 5, 7, 10, 100, 641, -1, -3]);
                if self.choices.percent(70) {
                    near
                } else {
                    small
                }
            }
        };
        self.make.constant(of.scalar(), of.number(of.wrap(number)))
    }

    /// A scalar that is looked at for whether it is zero: a condition, some bits of a number, a number.
    pub fn truth(&mut self, depth: u32) -> Expr {
        match self.choices.below(5) {
            0 | 1 => {
                let of = self.expr(depth.saturating_sub(1));
                let bits = self.beside(Arithmetic::And, of.ty.of.promoted());
                self.make.arithmetic(Arithmetic::And, of, bits)
            }
            2 => self.expr(depth.saturating_sub(1)),
            _ => self.condition(depth),
        }
    }

    /// An `int` that is 0 or 1.
    pub fn condition(&mut self, depth: u32) -> Expr {
        let int = INT.scalar();
        let depth = depth.saturating_sub(1);
        match self.choices.below(8) {
            0..=4 => {
                let op = self.choices.one_of(&COMPARISONS);
                let (left, right) = (self.expr(depth), self.expr(depth));
                self.make.comparison(op, left, right)
            }
            5 => {
                let (left, right) = (self.expr(depth), self.truth(depth));
                self.make.expr(int, Kind::And(left.into(), right.into()))
            }
            6 => {
                let (left, right) = (self.expr(depth), self.expr(depth));
                self.make.expr(int, Kind::Or(left.into(), right.into()))
            }
            _ => {
                let of = self.truth(depth);
                self.make.expr(int, Kind::Not(of.into()))
            }
        }
    }

    /// A call of a function of numbers, or a lane of the vector that it gives.
    fn call(&mut self, depth: u32) -> Expr {
        let n = self.helpers[self.choices.below(self.helpers.len())];
        let function = &self.program.functions[n];
        let Some(Shape::Number(gives)) = function.gives else {
            return self.leaf();
        };
        let shapes: Vec<Shape> = function.variables[..function.parameters]
            .iter()
            .map(|v| v.shape)
            .collect();
        let arguments = shapes.into_iter().filter_map(|shape| match shape {
            Shape::Number(ty) if ty.lanes > 1 => Some(Argument::Number(self.vector(ty))),
            Shape::Number(ty) => {
                let value = self.expr(depth - 1);
                Some(Argument::Number(self.make.implicit(ty, value)))
            }
            _ => None,
        });
        let arguments = arguments.collect();
        let call = self.make.expr(gives, Kind::Call(n, arguments));
        if gives.lanes == 1 {
            return call;
        }
        let lane = self.choices.below(usize::from(gives.lanes)) as u8;
        self.make
            .expr(gives.of.scalar(), Kind::Lanes(call.into(), vec![lane]))
    }

    /// A small `uint`: an expression and a mask.
    pub fn small(&mut self, mask: u32) -> Expr {
        let of = self.leaf();
        let of = self.make.cast(UINT.scalar(), of);
        self.make.with(of, Arithmetic::And, mask.into())
    }

    /// A vector of scalars, of other vectors and scalars, or of one scalar.
    pub fn vector(&mut self, ty: Type) -> Expr {
        let mut parts = match self.choices.below(10) {
            0..=2 if ty.lanes > 2 => self.parts(ty),
            3 => vec![self.lane(ty.of)],
            _ => Vec::new(),
        };
        if parts.is_empty() {
            parts = (0..ty.lanes).map(|_| self.lane(ty.of)).collect();
        }
        self.make.expr(ty, Kind::Vector(parts))
    }

    fn lane(&mut self, of: Integer) -> Expr {
        let lane = self.leaf();
        self.make.implicit(of.scalar(), lane)
    }

    /// Vectors and scalars that have all lanes of a vector together.
    fn parts(&mut self, ty: Type) -> Vec<Expr> {
        let (mut parts, mut left) = (Vec::new(), ty.lanes);
        while left > 0 {
            let sizes = [2, 4, 1, 3, 8].into_iter();
            let sizes: Vec<u8> = sizes.filter(|n| *n <= left && *n < ty.lanes).collect();
            let lanes = self.choices.pick(&sizes).unwrap_or(1);
            parts.push(match lanes {
                1 => self.lane(ty.of),
                _ => self.part_of(ty.of.vector(lanes)),
            });
            left -= lanes;
        }
        parts
    }

    /// A vector that is there already, or lanes of one, brought to a type; where there is none, one of scalars.
    fn part_of(&mut self, ty: Type) -> Expr {
        let vectors = (0..self.sources.len()).filter(|n| self.sources[*n].1.lanes > 1);
        let vectors: Vec<usize> = vectors.collect();
        let Some(n) = self.choices.pick(&vectors) else {
            let lanes = (0..ty.lanes).map(|_| self.lane(ty.of)).collect();
            return self.make.expr(ty, Kind::Vector(lanes));
        };
        let (place, from) = self.sources[n].clone();
        let of = self.make.read(place, from);
        let of = match from.lanes == ty.lanes {
            true => of,
            false => self.swizzled(of, ty.lanes),
        };
        match from.of == ty.of {
            true => of,
            false => {
                let of = of.into();
                let saturated = self.choices.percent(30);
                self.make.expr(ty, Kind::Convert { of, saturated })
            }
        }
    }
}
