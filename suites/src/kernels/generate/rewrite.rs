//! Kernels written otherwise: code that never runs, conditions and loops that are none, operations that leave a number
//! as it is. The kernel has two parameters of which the compiler does not know that one is 0 and the other 1; so
//! what it makes of the other text must give the same.

use super::computed::{Around, Author};
use crate::kernels::code::number::*;
use crate::kernels::code::*;

/// The parameters that are 0 and 1.
#[derive(Debug, Clone, Copy)]
pub(super) struct Opaque {
    pub zero: VarId,
    pub one: VarId,
}

/// Their numbers, as arguments.
pub(super) const OPAQUE: [i128; 2] = [0, 1];

/// The most statements and expressions of a kernel that are written otherwise: what compilers build soon.
const MOST: usize = 60;

/// A kernel that is written otherwise.
struct Rewriter<'a, 'c> {
    author: &'a mut Author<'c>,
    opaque: Opaque,
    /// Numbers that are there: scalars of which every value is defined.
    visible: Vec<(VarId, Type)>,
    /// How many percent of statements and of expressions become others.
    statements: usize,
    expressions: usize,
    left: usize,
    /// All work-items of a group come here, those that have not returned and none has.
    together: bool,
}

impl Author<'_> {
    /// Parameters that are 0 and 1, after all others.
    pub(super) fn opaque(&mut self) -> Opaque {
        let [zero, one] =
            ["zero", "one"].map(|name| self.parameter(name, Shape::Number(UINT.scalar())));
        Opaque { zero, one }
    }

    /// A kernel of the program with such parameters, written otherwise, under another name; gives its number.
    pub(super) fn rewrite(&mut self, kernel: usize, opaque: Opaque, name: &str) -> usize {
        let mut function = self.program.functions[kernel].clone();
        function.name = name.into();
        let body = std::mem::take(&mut function.body);
        self.function = function;
        self.helpers.clear();
        self.sources.clear();
        let mut rewriter = Rewriter {
            opaque,
            visible: Vec::new(),
            statements: self.choices.one_of(&[0, 15, 30, 60]),
            expressions: self.choices.one_of(&[0, 3, 8, 20]),
            left: MOST,
            together: true,
            author: self,
        };
        let body = rewriter.block(body, true);
        self.end(body)
    }
}

/// Whether a statement has a `break` or a `continue` of a loop or a switch around it.
fn leaves(stmt: &Stmt) -> bool {
    let any = |body: &[Stmt]| body.iter().any(leaves);
    match stmt {
        Stmt::Break | Stmt::Continue => true,
        Stmt::If(_, then, otherwise) => any(then) || any(otherwise),
        // A `continue` in a switch is about the loop around it.
        Stmt::Switch(_, arms) => arms.iter().any(|arm| any(&arm.body)),
        _ => false,
    }
}

/// Whether some work-items may return in a statement.
fn returns(stmt: &Stmt) -> bool {
    let any = |body: &[Stmt]| body.iter().any(returns);
    match stmt {
        Stmt::Return(_) => true,
        Stmt::If(_, then, otherwise) => any(then) || any(otherwise),
        Stmt::Switch(_, arms) => arms.iter().any(|arm| any(&arm.body)),
        Stmt::For(of) => any(&of.body),
        Stmt::While(_, body) | Stmt::DoWhile(body, _) => any(body),
        _ => false,
    }
}

impl Rewriter<'_, '_> {
    /// Whether something is to become something else, one of `percent` in a hundred.
    fn draws(&mut self, percent: usize) -> bool {
        let draws = self.left > 0 && percent > 0 && self.author.choices.percent(percent);
        self.left -= usize::from(draws);
        draws
    }

    fn read(&mut self, id: VarId) -> Expr {
        self.author.make.variable(id, UINT.scalar())
    }

    /// A condition that holds, or one that does not.
    fn condition(&mut self, holds: bool) -> Expr {
        let (zero, one) = (self.read(self.opaque.zero), self.read(self.opaque.one));
        let make = &mut self.author.make;
        let choice = self.author.choices.below(4);
        match (holds, choice) {
            (true, 0) => make.compared(zero, Comparison::Equal, 0),
            (true, 1) => make.comparison(Comparison::Less, zero, one),
            (true, 2) => one,
            (true, _) => make.compared(one, Comparison::Less, 2),
            (false, 0) => make.compared(one, Comparison::Equal, 0),
            (false, 1) => make.comparison(Comparison::GreaterOrEqual, zero, one),
            (false, 2) => zero,
            (false, _) => make.compared(zero, Comparison::Greater, 0),
        }
    }

    /// Statements that never run. What they change is there, so the compiler must reckon with them.
    fn dead(&mut self) -> Vec<Stmt> {
        let unsigned = self.visible.iter().filter(|(_, ty)| !ty.of.signed);
        let unsigned: Vec<_> = unsigned.copied().collect();
        if unsigned.is_empty() {
            return vec![Stmt::Return(None)];
        }
        let (sum, ty) = unsigned[self.author.choices.below(unsigned.len())];
        let visible = self.visible.iter();
        self.author.sources = visible.map(|&(id, ty)| (Place::variable(id), ty)).collect();
        let around = Around {
            sum,
            ty,
            depth: 1,
            in_loop: false,
            through_switch: false,
        };
        let mut body = self.author.inner(around);
        self.author.sources.clear();
        match self.author.choices.below(6) {
            0 => body.push(Stmt::Return(None)),
            1 if self.together => body.push(Stmt::Barrier {
                local: true,
                global: true,
            }),
            _ => {}
        }
        body
    }

    /// A block, in which what is declared ends; the outermost one is that of the kernel.
    fn block(&mut self, body: Vec<Stmt>, outermost: bool) -> Vec<Stmt> {
        let known = self.visible.len();
        let mut written = Vec::new();
        for stmt in body {
            let together = std::mem::replace(&mut self.together, false);
            let stmt = self.inside(stmt);
            self.together = outermost && together && !returns(&stmt);
            if self.draws(self.statements / 2) {
                let (never, dead) = (self.condition(false), self.dead());
                written.push(Stmt::If(never, dead, Vec::new()));
            }
            match stmt {
                Stmt::Declare(id, init) => {
                    if let (Some(Init::Number(value)), 1) = (&init, self.lanes(id)) {
                        self.visible.push((id, value.ty));
                    }
                    written.push(Stmt::Declare(id, init));
                }
                other if self.draws(self.statements) => written.push(self.around(other)),
                other => written.push(other),
            }
        }
        self.visible.truncate(known);
        written
    }

    /// How many lanes a variable has that is a number; else none.
    fn lanes(&self, id: VarId) -> u8 {
        match self.author.function.variables[id].shape {
            Shape::Number(ty) => ty.lanes,
            _ => 0,
        }
    }

    /// Something around a statement with which it runs once, as before.
    fn around(&mut self, stmt: Stmt) -> Stmt {
        let ty = UINT.scalar();
        let forms = if leaves(&stmt) { 2 } else { 6 };
        match self.author.choices.below(forms) {
            0 => {
                let always = self.condition(true);
                let dead = match self.author.choices.percent(50) {
                    true => self.dead(),
                    false => Vec::new(),
                };
                Stmt::If(always, vec![stmt], dead)
            }
            1 => {
                let (never, dead) = (self.condition(false), self.dead());
                Stmt::If(never, dead, vec![stmt])
            }
            2 => {
                let variable = self.author.variable(Shape::Number(ty));
                let [seen, one] = [variable, self.opaque.one].map(|id| self.read(id));
                Stmt::For(For {
                    variable,
                    first: self.read(self.opaque.zero),
                    goes_on: self.author.make.comparison(Comparison::Less, seen, one),
                    next: (Arithmetic::Add, self.read(self.opaque.one)),
                    body: vec![stmt],
                })
            }
            3 => Stmt::DoWhile(vec![stmt], self.condition(false)),
            form => {
                let on = self.read(self.opaque.zero);
                let arm = |label: i128, default, body| Arm {
                    labels: vec![ty.value(label)],
                    default,
                    body,
                    ends: true,
                };
                let dead = self.dead();
                Stmt::Switch(
                    on,
                    match form {
                        4 => vec![arm(0, false, vec![stmt]), arm(1, true, dead)],
                        _ => vec![arm(3, false, dead), arm(7, true, vec![stmt])],
                    },
                )
            }
        }
    }

    /// What is inside of a statement.
    fn inside(&mut self, stmt: Stmt) -> Stmt {
        match stmt {
            Stmt::Declare(id, Some(Init::Number(value))) => {
                Stmt::Declare(id, Some(Init::Number(self.expr(value))))
            }
            Stmt::Assign(place, value) => Stmt::Assign(self.place(place), self.expr(value)),
            Stmt::Compound(place, value) => Stmt::Compound(self.place(place), self.compound(value)),
            Stmt::If(condition, then, otherwise) => Stmt::If(
                self.expr(condition),
                self.block(then, false),
                self.block(otherwise, false),
            ),
            Stmt::For(mut of) => {
                of.goes_on = self.expr(of.goes_on);
                of.body = self.block(of.body, false);
                Stmt::For(of)
            }
            Stmt::While(condition, body) => {
                Stmt::While(self.expr(condition), self.block(body, false))
            }
            Stmt::DoWhile(body, condition) => {
                Stmt::DoWhile(self.block(body, false), self.expr(condition))
            }
            Stmt::Switch(on, arms) => {
                let on = self.expr(on);
                let arms = arms.into_iter().map(|arm| Arm {
                    body: self.block(arm.body, false),
                    ..arm
                });
                Stmt::Switch(on, arms.collect())
            }
            other => other,
        }
    }

    /// What a compound assignment gives its place: it stays one, as the place may be found once only.
    fn compound(&mut self, of: Expr) -> Expr {
        let kind = match of.kind {
            Kind::Implicit(inner) => Kind::Implicit(Box::new(self.compound(*inner))),
            Kind::Arithmetic(op, left, by) if matches!(left.kind, Kind::Held) => {
                Kind::Arithmetic(op, left, Box::new(self.expr(*by)))
            }
            other => other,
        };
        Expr { kind, ..of }
    }

    fn place(&mut self, mut place: Place) -> Place {
        for step in &mut place.path {
            if let Step::Index(index) = step {
                *index = self.expr(index.clone());
            }
        }
        place
    }

    /// The same expression, with others in its parts.
    fn expr(&mut self, of: Expr) -> Expr {
        let ty = of.ty;
        let boxed = |rewriter: &mut Self, of: Box<Expr>| Box::new(rewriter.expr(*of));
        let kind = match of.kind {
            Kind::Read(place) => Kind::Read(self.place(place)),
            Kind::Negate(a) => Kind::Negate(boxed(self, a)),
            Kind::Plus(a) => Kind::Plus(boxed(self, a)),
            Kind::Complement(a) => Kind::Complement(boxed(self, a)),
            Kind::Not(a) => Kind::Not(boxed(self, a)),
            Kind::Arithmetic(op, a, b) => Kind::Arithmetic(op, boxed(self, a), boxed(self, b)),
            Kind::Comparison(op, a, b) => Kind::Comparison(op, boxed(self, a), boxed(self, b)),
            Kind::And(a, b) => Kind::And(boxed(self, a), boxed(self, b)),
            Kind::Or(a, b) => Kind::Or(boxed(self, a), boxed(self, b)),
            Kind::Choice(c, a, b) => Kind::Choice(boxed(self, c), boxed(self, a), boxed(self, b)),
            Kind::Implicit(a) => Kind::Implicit(boxed(self, a)),
            Kind::Cast(a) => Kind::Cast(boxed(self, a)),
            other => other,
        };
        let of = self.author.make.expr(ty, kind);
        // A constant may have to be one; lanes have forms of their own.
        if ty.lanes > 1 || matches!(of.kind, Kind::Constant(_)) || !self.draws(self.expressions) {
            return of;
        }
        self.unchanged(of)
    }

    /// The value of an expression by an operation that leaves it as it is.
    fn unchanged(&mut self, of: Expr) -> Expr {
        use Arithmetic::*;
        let ty = of.ty;
        let [zero, one] = [self.opaque.zero, self.opaque.one].map(|id| {
            let number = self.read(id);
            self.author.make.cast(ty, number)
        });
        let choice = self.author.choices.below(12);
        let make = &mut self.author.make;
        let promoted = ty.of.promoted().scalar();
        let changed = match choice {
            0 => make.arithmetic(Add, of, zero),
            1 => make.arithmetic(Subtract, of, zero),
            2 => make.arithmetic(Or, of, zero),
            3 => make.arithmetic(Xor, zero, of),
            4 => make.arithmetic(Multiply, of, one),
            5 => make.arithmetic(Divide, of, one),
            6 => make.arithmetic(Left, of, zero),
            7 => make.arithmetic(Right, of, zero),
            8 => {
                let all = make.expr(promoted, Kind::Complement(zero.into()));
                make.arithmetic(And, of, all)
            }
            9 => {
                let other = make.expr(promoted, Kind::Complement(of.into()));
                make.expr(promoted, Kind::Complement(other.into()))
            }
            _ => {
                let other = make.cast(ty, one);
                let (condition, yes, no) = match choice {
                    10 => (self.condition(true), of, other),
                    _ => (self.condition(false), other, of),
                };
                let common = yes.ty.of.common(no.ty.of).scalar();
                let kind = Kind::Choice(condition.into(), yes.into(), no.into());
                self.author.make.expr(common, kind)
            }
        };
        self.author.make.cast(ty, changed)
    }
}
