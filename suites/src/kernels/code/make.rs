//! Makes expressions, each with a number of its own.

use super::builtin::Builtin;
use super::number::{INT, Type, UINT};
use super::*;

/// What makes the expressions of a program.
#[derive(Debug, Default)]
pub struct Maker {
    ids: u32,
}

impl Maker {
    /// An expression of this type and kind.
    pub fn expr(&mut self, ty: Type, kind: Kind) -> Expr {
        self.ids += 1;
        Expr {
            id: self.ids,
            ty,
            kind,
        }
    }

    /// A scalar, or a vector of one number.
    pub fn constant(&mut self, ty: Type, number: i128) -> Expr {
        self.expr(ty, Kind::Constant(ty.value(number)))
    }

    /// A `uint`.
    pub fn uint(&mut self, number: u32) -> Expr {
        self.constant(UINT.scalar(), number.into())
    }

    /// What a place of this type holds.
    pub fn read(&mut self, place: Place, ty: Type) -> Expr {
        self.expr(ty, Kind::Read(place))
    }

    /// What a variable that is a number of this type holds.
    pub fn variable(&mut self, id: VarId, ty: Type) -> Expr {
        self.read(Place::variable(id), ty)
    }

    /// `left op right`.
    pub fn arithmetic(&mut self, op: Arithmetic, left: Expr, right: Expr) -> Expr {
        let ty = op.meets(left.ty, right.ty);
        self.expr(ty, Kind::Arithmetic(op, left.into(), right.into()))
    }

    /// `left op number`, of the type of what is left.
    pub fn with(&mut self, left: Expr, op: Arithmetic, number: i128) -> Expr {
        let right = self.constant(left.ty, number);
        self.arithmetic(op, left, right)
    }

    /// `left op right`, a condition.
    pub fn comparison(&mut self, op: Comparison, left: Expr, right: Expr) -> Expr {
        let ty = left.ty.truth();
        self.expr(ty, Kind::Comparison(op, left.into(), right.into()))
    }

    /// `left op number`, a condition.
    pub fn compared(&mut self, left: Expr, op: Comparison, number: i128) -> Expr {
        let right = self.constant(left.ty, number);
        self.comparison(op, left, right)
    }

    /// `left && right`, of scalars.
    pub fn and(&mut self, left: Expr, right: Expr) -> Expr {
        self.expr(INT.scalar(), Kind::And(left.into(), right.into()))
    }

    /// The value as this type, as an assignment has it.
    pub fn implicit(&mut self, ty: Type, of: Expr) -> Expr {
        match of.ty == ty {
            true => of,
            false => self.expr(ty, Kind::Implicit(of.into())),
        }
    }

    /// `(T)of`.
    pub fn cast(&mut self, ty: Type, of: Expr) -> Expr {
        match of.ty == ty {
            true => of,
            false => self.expr(ty, Kind::Cast(of.into())),
        }
    }

    /// A built-in function of arguments that have the right types.
    pub fn builtin(&mut self, function: Builtin, arguments: Vec<Expr>) -> Expr {
        let ty = arguments.first().map_or(INT.scalar(), |first| first.ty);
        self.expr(function.gives(ty), Kind::Builtin(function, arguments))
    }

    /// A part of something, by constants.
    pub fn part(&mut self, of: Place, path: &[Part]) -> Place {
        path.iter().fold(of, |place, part| match part {
            Part::Field(n) => place.then(Step::Field(*n)),
            Part::Element(n) => place.at(self.uint(*n as u32)),
        })
    }

    /// A scalar in the place of a vector that a vector of its type stands beside.
    pub fn spread(&mut self, lanes: u8, of: Expr) -> Expr {
        let ty = of.ty.of.vector(lanes);
        self.expr(ty, Kind::Spread(of.into()))
    }

    /// A work-item function, as a `uint`.
    pub fn work_item(&mut self, function: WorkItem, dimension: u32) -> Expr {
        let dimension = self.uint(dimension);
        self.expr(UINT.scalar(), Kind::WorkItem(function, dimension.into()))
    }

    /// `place op= by`.
    pub fn compound(&mut self, place: Place, ty: Type, op: Arithmetic, by: Expr) -> Stmt {
        let now = self.expr(ty, Kind::Held);
        let value = self.arithmetic(op, now, by);
        Stmt::Compound(place, self.implicit(ty, value))
    }
}
