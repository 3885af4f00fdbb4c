//! Values that are not known before reads have chosen their writes.
//!
//! Registers are used again and again, so a value is a graph whose expressions are shared, and seen
//! as a tree it can be exponentially larger. Whatever walks through one looks at most nodes once.

use crate::program::{BinOp, RmwOp, ScalarType, UnOp};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// How many nodes are walked through as a tree before shared ones are kept track of.
const SMALL: u32 = 128;

/// A value as a function of what the thread's reads return.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sym {
    /// Known.
    Const(i64),
    /// What a read returned; the number of the event within its thread.
    Read(u32),
    /// A unary operator.
    Unary(UnOp, Rc<Sym>),
    /// A binary operator; `&&` and `||` never occur, they are decisions.
    Binary(BinOp, Rc<Sym>, Rc<Sym>),
    /// A conversion.
    Wrap(ScalarType, Rc<Sym>),
    /// What a read-modify-write stores: operator, type, old value, operand.
    Rmw(RmwOp, ScalarType, Rc<Sym>, Rc<Sym>),
}

impl Sym {
    /// `op a`, folded where it can be.
    pub fn unary(op: UnOp, a: Sym) -> Sym {
        match a {
            Sym::Const(a) => Sym::Const(op.apply(a)),
            a => Sym::Unary(op, Rc::new(a)),
        }
    }

    /// `a op b`, folded where it can be: where it has one value whatever the reads return, or is one
    /// of its operands. What it depends on syntactically is for the caller to keep.
    pub fn binary(op: BinOp, a: Sym, b: Sym) -> Sym {
        let folded = match (&a, &b) {
            (Sym::Const(a), Sym::Const(b)) => Some(Sym::Const(op.apply(*a, *b))),
            (Sym::Const(c), other) => Sym::with_left(op, *c, other),
            (other, Sym::Const(c)) => Sym::with_right(op, other, *c),
            (a, b) => Sym::with_itself(op, a, b),
        };
        folded.unwrap_or_else(|| Sym::Binary(op, Rc::new(a), Rc::new(b)))
    }

    /// `c op x`
    fn with_left(op: BinOp, c: i64, x: &Sym) -> Option<Sym> {
        match (op, c) {
            (BinOp::Mul | BinOp::And | BinOp::Div | BinOp::Rem | BinOp::Shl | BinOp::Shr, 0) => {
                Some(Sym::Const(0))
            }
            (BinOp::Add | BinOp::Or | BinOp::Xor, 0) | (BinOp::Mul, 1) | (BinOp::And, -1) => {
                Some(x.clone())
            }
            (BinOp::Or, -1) => Some(Sym::Const(-1)),
            _ => None,
        }
    }

    /// `x op c`
    fn with_right(op: BinOp, x: &Sym, c: i64) -> Option<Sym> {
        match (op, c) {
            // A division by zero gives zero, see [`BinOp::apply`].
            (BinOp::Mul | BinOp::And | BinOp::Div | BinOp::Rem, 0) | (BinOp::Rem, 1) => {
                Some(Sym::Const(0))
            }
            (BinOp::Add | BinOp::Sub | BinOp::Or | BinOp::Xor | BinOp::Shl | BinOp::Shr, 0)
            | (BinOp::Mul | BinOp::Div, 1)
            | (BinOp::And, -1) => Some(x.clone()),
            (BinOp::Or, -1) => Some(Sym::Const(-1)),
            _ => None,
        }
    }

    /// `x op x`
    fn with_itself(op: BinOp, a: &Sym, b: &Sym) -> Option<Sym> {
        let value = match op {
            BinOp::Sub | BinOp::Xor | BinOp::Ne | BinOp::Lt | BinOp::Gt => Some(Sym::Const(0)),
            BinOp::Eq | BinOp::Le | BinOp::Ge => Some(Sym::Const(1)),
            BinOp::And | BinOp::Or => Some(a.clone()),
            BinOp::Add
            | BinOp::Mul
            | BinOp::Div
            | BinOp::Rem
            | BinOp::Shl
            | BinOp::Shr
            | BinOp::LogicalAnd
            | BinOp::LogicalOr => None,
        };
        value.filter(|_| a.alike(b))
    }

    /// Whether two values are the same expression; false for very large ones.
    pub fn alike(&self, other: &Sym) -> bool {
        let mut steps = SMALL;
        self.same(other, &mut steps)
    }

    fn same(&self, other: &Sym, steps: &mut u32) -> bool {
        let Some(left) = steps.checked_sub(1) else {
            return false;
        };
        *steps = left;
        let mut both = |a: &Rc<Sym>, b: &Rc<Sym>| Rc::ptr_eq(a, b) || a.same(b, steps);
        match (self, other) {
            (Sym::Const(a), Sym::Const(b)) => a == b,
            (Sym::Read(a), Sym::Read(b)) => a == b,
            (Sym::Unary(p, a), Sym::Unary(q, b)) => p == q && both(a, b),
            (Sym::Wrap(p, a), Sym::Wrap(q, b)) => p == q && both(a, b),
            (Sym::Binary(p, a, c), Sym::Binary(q, b, d)) => p == q && both(a, b) && both(c, d),
            (Sym::Rmw(p, s, a, c), Sym::Rmw(q, t, b, d)) => {
                p == q && s == t && both(a, b) && both(c, d)
            }
            (
                Sym::Const(_)
                | Sym::Read(_)
                | Sym::Unary(..)
                | Sym::Binary(..)
                | Sym::Wrap(..)
                | Sym::Rmw(..),
                _,
            ) => false,
        }
    }

    /// `a` converted to `ty`.
    pub fn wrap(ty: ScalarType, a: Sym) -> Sym {
        match a {
            Sym::Const(a) => Sym::Const(ty.wrap(a)),
            a => Sym::Wrap(ty, Rc::new(a)),
        }
    }

    /// What a read-modify-write of `old` with `operand` stores.
    pub fn rmw(op: RmwOp, ty: ScalarType, old: Sym, operand: Sym) -> Sym {
        match op {
            RmwOp::Exchange | RmwOp::TestAndSet => Sym::wrap(ty, operand),
            RmwOp::Add
            | RmwOp::Sub
            | RmwOp::Or
            | RmwOp::Xor
            | RmwOp::And
            | RmwOp::Min
            | RmwOp::Max => Sym::Rmw(op, ty, Rc::new(old), Rc::new(operand)),
        }
    }

    /// The value, when every read it depends on is known.
    pub fn eval(&self, read: &impl Fn(u32) -> Option<i64>) -> Option<i64> {
        let mut steps = SMALL;
        self.eval_small(read, &mut steps)
            .unwrap_or_else(|TooLarge| self.eval_large(read, &mut HashMap::new()))
    }

    fn eval_small(
        &self,
        read: &impl Fn(u32) -> Option<i64>,
        steps: &mut u32,
    ) -> Result<Option<i64>, TooLarge> {
        *steps = steps.checked_sub(1).ok_or(TooLarge)?;
        let mut value = |a: &Sym| a.eval_small(read, steps);
        Ok(match self {
            Sym::Const(c) => Some(*c),
            Sym::Read(e) => read(*e),
            Sym::Unary(op, a) => value(a)?.map(|a| op.apply(a)),
            Sym::Wrap(ty, a) => value(a)?.map(|a| ty.wrap(a)),
            Sym::Binary(op, a, b) => match (value(a)?, value(b)?) {
                (Some(a), Some(b)) => Some(op.apply(a, b)),
                (None, _) | (_, None) => None,
            },
            Sym::Rmw(op, ty, a, b) => match (value(a)?, value(b)?) {
                (Some(a), Some(b)) => Some(op.apply(*ty, a, b)),
                (None, _) | (_, None) => None,
            },
        })
    }

    /// The same, with the values of shared expressions kept by where they are.
    fn eval_large(
        &self,
        read: &impl Fn(u32) -> Option<i64>,
        known: &mut HashMap<*const Sym, Option<i64>>,
    ) -> Option<i64> {
        let mut value = |a: &Rc<Sym>| {
            let key = Rc::as_ptr(a);
            if let Some(value) = known.get(&key) {
                return *value;
            }
            let value = a.eval_large(read, known);
            if Rc::strong_count(a) > 1 {
                known.insert(key, value);
            }
            value
        };
        Some(match self {
            Sym::Const(c) => *c,
            Sym::Read(e) => read(*e)?,
            Sym::Unary(op, a) => op.apply(value(a)?),
            Sym::Wrap(ty, a) => ty.wrap(value(a)?),
            Sym::Binary(op, a, b) => op.apply(value(a)?, value(b)?),
            Sym::Rmw(op, ty, a, b) => op.apply(*ty, value(a)?, value(b)?),
        })
    }

    /// Calls `each` for every read the value depends on.
    pub fn reads(&self, each: &mut impl FnMut(u32)) {
        self.leaves(&mut HashSet::new(), &mut |leaf| match leaf {
            Leaf::Read(e) => each(e),
            Leaf::Const(_) => {}
        });
    }

    /// Calls `each` for every constant in the expression.
    pub fn constants(&self, each: &mut impl FnMut(i64)) {
        self.leaves(&mut HashSet::new(), &mut |leaf| match leaf {
            Leaf::Const(c) => each(c),
            Leaf::Read(_) => {}
        });
    }

    fn leaves(&self, seen: &mut HashSet<*const Sym>, each: &mut impl FnMut(Leaf)) {
        let mut below = |a: &Rc<Sym>| {
            if Rc::strong_count(a) == 1 || seen.insert(Rc::as_ptr(a)) {
                a.leaves(seen, each);
            }
        };
        match self {
            Sym::Const(c) => each(Leaf::Const(*c)),
            Sym::Read(e) => each(Leaf::Read(*e)),
            Sym::Unary(_, a) | Sym::Wrap(_, a) => below(a),
            Sym::Binary(_, a, b) | Sym::Rmw(_, _, a, b) => {
                below(a);
                below(b);
            }
        }
    }
}

/// There are too many nodes to walk through them as a tree.
struct TooLarge;

/// What expressions are made of.
enum Leaf {
    Const(i64),
    Read(u32),
}

#[cfg(test)]
mod tests {
    use super::*;

    const OPS: [BinOp; 16] = [
        BinOp::Add,
        BinOp::Sub,
        BinOp::Mul,
        BinOp::Div,
        BinOp::Rem,
        BinOp::And,
        BinOp::Or,
        BinOp::Xor,
        BinOp::Shl,
        BinOp::Shr,
        BinOp::Eq,
        BinOp::Ne,
        BinOp::Lt,
        BinOp::Le,
        BinOp::Gt,
        BinOp::Ge,
    ];
    const VALUES: [i64; 8] = [0, 1, -1, 2, 7, -63, i64::MIN, i64::MAX];

    #[test]
    fn folding_keeps_values() {
        let shared = Sym::unary(UnOp::BitNot, Sym::Read(0));
        let mut operands = vec![Sym::Read(0), Sym::Read(1), shared.clone()];
        operands.extend(VALUES.map(Sym::Const));
        for op in OPS {
            for (a, b) in operands
                .iter()
                .flat_map(|a| operands.iter().map(move |b| (a, b)))
            {
                let folded = Sym::binary(op, a.clone(), b.clone());
                for (x, y) in VALUES
                    .iter()
                    .flat_map(|x| VALUES.iter().map(move |y| (x, y)))
                {
                    let read = |e| Some(if e == 0 { *x } else { *y });
                    let (a, b) = (a.eval(&read).unwrap(), b.eval(&read).unwrap());
                    assert_eq!(folded.eval(&read), Some(op.apply(a, b)), "{op:?} {a} {b}");
                }
            }
        }
    }

    #[test]
    fn what_no_read_changes_is_known() {
        let x = || Sym::binary(BinOp::Add, Sym::Read(0), Sym::Const(3));
        for op in [BinOp::Xor, BinOp::Sub, BinOp::Ne] {
            assert_eq!(Sym::binary(op, x(), x()), Sym::Const(0));
        }
        for op in [BinOp::And, BinOp::Mul] {
            assert_eq!(Sym::binary(op, x(), Sym::Const(0)), Sym::Const(0));
            assert_eq!(Sym::binary(op, Sym::Const(0), x()), Sym::Const(0));
        }
        assert_eq!(Sym::binary(BinOp::Eq, x(), x()), Sym::Const(1));
        assert_eq!(Sym::binary(BinOp::Add, x(), Sym::Const(0)), x());
        assert_ne!(Sym::binary(BinOp::Sub, x(), Sym::Read(0)), Sym::Const(3));
    }

    #[test]
    fn shared_expressions_are_walked_once() {
        // As a tree it has 2^200 leaves.
        let mut value = Sym::Read(0);
        for _ in 0..200 {
            value = Sym::binary(BinOp::Add, value.clone(), value);
        }
        assert_eq!(value.eval(&|_| Some(0)), Some(0));
        assert_eq!(value.eval(&|_| None), None);
        let mut reads = 0;
        value.reads(&mut |_| reads += 1);
        assert!(reads < 10, "{reads}");
        let twice = Sym::binary(BinOp::Xor, value.clone(), value.clone());
        assert_eq!(twice.eval(&|_| Some(1)), Some(0));
    }
}
