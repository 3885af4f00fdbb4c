//! The question a test asks about its final states.

pub use classay_vocabulary::Quantifier;

use super::{LocId, RegId, ThreadId};

/// Something whose final value an outcome records.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Observable {
    /// A thread's register.
    Register(ThreadId, RegId),
    /// An element of a location.
    Memory(LocId, u32),
}

classay_vocabulary::words! {
    /// Comparison in a predicate, as questions write it.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum Relation {
        /// Also `==`.
        Eq = "=",
        /// Also `<>`.
        Ne = "!=",
        /// Less.
        Lt = "<",
        /// Less or equal.
        Le = "<=",
        /// Greater.
        Gt = ">",
        /// Greater or equal.
        Ge = ">=",
    }
}

/// One side of a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Atom {
    /// A final value.
    Observe(Observable),
    /// A constant.
    Const(i64),
}

/// A predicate over a final state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Predicate {
    /// Always true or always false.
    Bool(bool),
    /// A comparison.
    Compare(Relation, Atom, Atom),
    /// `not`, `~`
    Not(Box<Predicate>),
    /// `/\`; at least two parts.
    And(Vec<Predicate>),
    /// `\/`; at least two parts.
    Or(Vec<Predicate>),
}

/// Quantifier and predicate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Condition {
    /// The quantifier.
    pub quantifier: Quantifier,
    /// The predicate.
    pub predicate: Predicate,
}

impl Relation {
    /// The relation that is written so; `==` and `<>` are other ways to write two of them.
    pub fn of_sign(sign: &str) -> Option<Relation> {
        Relation::named(match sign {
            "==" => "=",
            "<>" => "!=",
            other => other,
        })
    }

    /// Whether it holds between two values.
    pub fn holds(self, left: i64, right: i64) -> bool {
        match self {
            Relation::Eq => left == right,
            Relation::Ne => left != right,
            Relation::Lt => left < right,
            Relation::Le => left <= right,
            Relation::Gt => left > right,
            Relation::Ge => left >= right,
        }
    }
}

impl Predicate {
    /// Whether the predicate holds in the final state that `value` describes.
    pub fn eval(&self, value: &dyn Fn(Observable) -> i64) -> bool {
        let atom = |a: &Atom| match *a {
            Atom::Observe(o) => value(o),
            Atom::Const(c) => c,
        };
        match self {
            Predicate::Bool(b) => *b,
            Predicate::Compare(relation, left, right) => relation.holds(atom(left), atom(right)),
            Predicate::Not(p) => !p.eval(value),
            Predicate::And(parts) => parts.iter().all(|p| p.eval(value)),
            Predicate::Or(parts) => parts.iter().any(|p| p.eval(value)),
        }
    }

    /// Calls `each` for both sides of every comparison, in order.
    pub fn each_atom(&self, each: &mut dyn FnMut(Atom)) {
        match self {
            Predicate::Bool(_) => {}
            Predicate::Compare(_, left, right) => {
                each(*left);
                each(*right);
            }
            Predicate::Not(p) => p.each_atom(each),
            Predicate::And(parts) | Predicate::Or(parts) => {
                for part in parts {
                    part.each_atom(each);
                }
            }
        }
    }

    /// Calls `each` for every observable mentioned, in order, duplicates included.
    pub fn each_observable(&self, each: &mut dyn FnMut(Observable)) {
        self.each_atom(&mut |atom| {
            if let Atom::Observe(observable) = atom {
                each(observable);
            }
        });
    }
}
