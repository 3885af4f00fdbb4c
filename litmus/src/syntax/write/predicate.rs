//! Predicates as conditions write them.

use crate::program::{Atom, Predicate, Program};

/// A predicate, without parentheses around it.
pub(crate) fn predicate(program: &Program, pred: &Predicate) -> String {
    match pred {
        Predicate::Bool(value) => value.to_string(),
        Predicate::Compare(relation, left, right) => {
            format!("{}{relation}{}", atom(program, left), atom(program, right))
        }
        Predicate::Not(inner) => format!("~({})", predicate(program, inner)),
        Predicate::And(parts) => join(program, parts, " /\\ "),
        Predicate::Or(parts) => join(program, parts, " \\/ "),
    }
}

fn join(program: &Program, parts: &[Predicate], sign: &str) -> String {
    let parts: Vec<String> = parts
        .iter()
        .map(|part| match part {
            Predicate::And(_) | Predicate::Or(_) => format!("({})", predicate(program, part)),
            Predicate::Bool(_) | Predicate::Compare(..) | Predicate::Not(_) => {
                predicate(program, part)
            }
        })
        .collect();
    parts.join(sign)
}

fn atom(program: &Program, atom: &Atom) -> String {
    match atom {
        Atom::Observe(observable) => program.observable_name(*observable),
        Atom::Const(value) => value.to_string(),
    }
}
