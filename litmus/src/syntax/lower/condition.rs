//! The question's names.
//!
//! `0:x` is the register `x` of thread 0. Where the thread has no such register but the test has
//! a location `x`, the final value of that location is meant: a location is a parameter of the
//! thread, and its address never equals a small number, so no other reading makes sense.

use super::locations::Locations;
use crate::program::{
    Atom, LocId, Observable, Predicate, RegId, Relation, ScalarType, Thread, ThreadId,
};
use crate::syntax::error::{Outcome, Problem, Span, nearest};
use crate::syntax::tree::{Name, Operand, Pred};

/// What a question can speak about.
pub(crate) struct Names<'p> {
    pub locations: &'p Locations,
    pub threads: &'p [Thread],
}

impl Names<'_> {
    /// Resolves a predicate; `span` is where it stands.
    pub fn question(&self, pred: &Pred, span: Span) -> Outcome<Predicate> {
        let predicate = self.predicate(pred)?;
        super::size::check_predicate(&predicate, span)?;
        Ok(predicate)
    }

    fn predicate(&self, pred: &Pred) -> Outcome<Predicate> {
        Ok(match pred {
            Pred::Bool(value) => Predicate::Bool(*value),
            Pred::Not(inner) => Predicate::Not(Box::new(self.predicate(inner)?)),
            Pred::And(parts) => Predicate::And(self.predicates(parts)?),
            Pred::Or(parts) => Predicate::Or(self.predicates(parts)?),
            Pred::Compare(relation, left, right) => {
                let left = self.operand(left)?;
                let right = self.operand(right)?;
                self.compare(*relation, left, right)
            }
        })
    }

    fn predicates(&self, parts: &[Pred]) -> Outcome<Vec<Predicate>> {
        parts.iter().map(|p| self.predicate(p)).collect()
    }

    /// A constant beside an observable is brought into its type: `0xffffffff` is -1 for an int.
    fn compare(&self, relation: Relation, left: Atom, right: Atom) -> Predicate {
        let fit = |constant: Atom, other: Atom| match (constant, other) {
            (Atom::Const(value), Atom::Observe(observable)) => {
                Atom::Const(fit(value, self.type_of(observable)))
            }
            (Atom::Const(_) | Atom::Observe(_), _) => constant,
        };
        Predicate::Compare(relation, fit(left, right), fit(right, left))
    }

    fn type_of(&self, observable: Observable) -> ScalarType {
        match observable {
            Observable::Register(t, r) => self.threads[t.index()].registers[r.index()].ty,
            Observable::Memory(l, _) => self.locations.get(l).ty,
        }
    }

    /// Resolves one side of a comparison.
    pub fn operand(&self, operand: &Operand) -> Outcome<Atom> {
        match operand {
            Operand::Const(value) => Ok(Atom::Const(*value)),
            Operand::Register { thread, name, span } => self.register(*thread, name, *span),
            Operand::Location { name, index, span } => self.location(name, *index, *span),
        }
    }

    fn register(&self, thread: u64, name: &Name, span: Span) -> Outcome<Atom> {
        let found = usize::try_from(thread)
            .ok()
            .and_then(|t| Some((t, self.threads.get(t)?)));
        let Some((t, threads)) = found else {
            return Err(span.problem(format!("the test has no thread {thread}"), "no such thread"));
        };
        let registers = &threads.registers;
        if let Some(r) = registers.iter().position(|r| r.name == name.text) {
            return Ok(Atom::Observe(Observable::Register(
                ThreadId(t as u32),
                RegId(r as u32),
            )));
        }
        if let Some(location) = self.locations.find(&name.text) {
            let behind = self.locations.get(location).alias;
            return Ok(memory(behind.unwrap_or(location), 0));
        }
        let problem = span.problem(
            format!("thread P{thread} has no register {}", name.text),
            "unknown register",
        );
        Err(
            match nearest(&name.text, registers.iter().map(|r| r.name.as_str())) {
                Some(near) => problem.help(format!("did you mean {thread}:{near}?")),
                None if registers.is_empty() => {
                    problem.help(format!("P{thread} declares no registers"))
                }
                None => {
                    let known: Vec<String> = registers
                        .iter()
                        .take(8)
                        .map(|r| format!("{thread}:{}", r.name))
                        .collect();
                    problem.help(format!("P{thread} has {}", known.join(", ")))
                }
            },
        )
    }

    fn location(&self, name: &Name, index: Option<u64>, span: Span) -> Outcome<Atom> {
        let Some(id) = self.locations.find(&name.text) else {
            return Err(self.unknown_location(name));
        };
        let location = self.locations.get(id);
        let id = location.alias.unwrap_or(id);
        let element = index.unwrap_or(0);
        if element >= u64::from(location.len()) {
            return Err(span.problem(
                format!(
                    "element {element} is outside {}, which has {}",
                    location.name,
                    location.len()
                ),
                "out of bounds",
            ));
        }
        Ok(memory(id, element as u32))
    }

    fn unknown_location(&self, name: &Name) -> Problem {
        let problem = name.problem(
            format!("the test has no location {}", name.text),
            "unknown location",
        );
        let owner = self
            .threads
            .iter()
            .enumerate()
            .find(|(_, thread)| thread.registers.iter().any(|r| r.name == name.text));
        match (owner, self.locations.nearest(&name.text)) {
            (Some((t, _)), _) => {
                problem.help(format!("write {t}:{} for the register of P{t}", name.text))
            }
            (None, Some(near)) => problem.help(format!("did you mean {near}?")),
            (None, None) => problem,
        }
    }
}

fn memory(location: LocId, element: u32) -> Atom {
    Atom::Observe(Observable::Memory(location, element))
}

/// A 32-bit pattern takes the sign of its type; anything wider stays and compares unequal.
fn fit(value: i64, ty: ScalarType) -> i64 {
    let pattern = (i64::from(i32::MIN)..=i64::from(u32::MAX)).contains(&value);
    let narrow = matches!(ty, ScalarType::Int | ScalarType::UInt);
    match pattern && narrow {
        true => ty.wrap(value),
        false => value,
    }
}
