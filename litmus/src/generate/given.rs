//! Tests that are given rather than generated, classified and mutated as those are.

use super::classify::{Judge, in_parallel};
use super::mutants::mutants;
use super::{Class, Error};
use crate::oracle::{Model, Readings};
use crate::program::{Predicate, Program, Quantifier};

/// A test that was given, or a mutant of one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Given {
    /// The program. It asks that its outcome be unreachable where every reading forbids it, and whether it can be
    /// reached otherwise.
    pub program: Program,
    /// What the outcome is to the model.
    pub class: Class,
    /// The mutants of a conformance test; a mutant has none.
    pub mutants: Vec<Given>,
}

/// Classifies tests by a model, or by all readings of its text, and mutates those whose outcome it forbids. The outcome
/// of a test that asks about all ends is the one that it denies.
///
/// # Errors
/// Where the oracle cannot judge a test.
pub fn given<'m>(
    programs: &[Program],
    readings: impl Into<Readings<'m>>,
    sc: &'m Model,
    workers: usize,
) -> Result<Vec<Given>, Error> {
    let judge = Judge::new(readings, sc);
    let all = in_parallel(workers, programs, |program| {
        let program = existential(program);
        let (_, verdict) = judge.judge(&program)?;
        let mutants = match verdict.class {
            Class::Conformance => mutants(&program, &judge)?,
            Class::Contested | Class::Weak | Class::Sc | Class::Racy => Vec::new(),
        };
        let mutants = mutants.into_iter().map(|mutant| {
            let words: Vec<&str> = mutant.changes.iter().map(|c| c.word.as_str()).collect();
            let mut changed = crate::mutation::apply(&program, &mutant.changes);
            changed.name = format!("{}~{}", program.name, words.join("~"));
            asking(changed, mutant.verdict.class, Vec::new())
        });
        let mutants = mutants.collect();
        Ok(asking(program, verdict.class, mutants))
    });
    all.into_iter().collect()
}

/// A program with the question that goes with its class.
fn asking(mut program: Program, class: Class, mutants: Vec<Given>) -> Given {
    program.condition.quantifier = match class {
        Class::Conformance => Quantifier::NotExists,
        Class::Contested | Class::Weak | Class::Sc | Class::Racy => Quantifier::Exists,
    };
    Given {
        program,
        class,
        mutants,
    }
}

/// The program, asking whether its outcome can be reached.
fn existential(program: &Program) -> Program {
    let mut program = program.clone();
    let condition = &mut program.condition;
    if condition.quantifier == Quantifier::Forall {
        let all = std::mem::replace(&mut condition.predicate, Predicate::Bool(true));
        condition.predicate = Predicate::Not(Box::new(all));
    }
    condition.quantifier = Quantifier::Exists;
    program
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{shipped, shipped_vulkan, syntax};

    fn of(model: &str, tests: &[(&str, &str)], name: &str) -> Given {
        let (name, text) = tests.iter().find(|(n, _)| *n == name).expect("a test");
        let program = syntax::read_litmus(name, text).expect("a test");
        let [model, sc] = [model, "sc"].map(|name| Model::named(name).expect("a model"));
        let mut all = given(&[program], &model, &sc, 1).expect("it is judged");
        all.remove(0)
    }

    #[test]
    fn given_tests_are_classified_and_mutated() {
        let forbidden = of("vulkan", shipped_vulkan(), "MP+rel+acq");
        assert_eq!(forbidden.class, Class::Conformance);
        assert_eq!(
            forbidden.program.condition.quantifier,
            Quantifier::NotExists
        );
        let allowed = |mutant: &Given| {
            let asks = mutant.program.condition.quantifier == Quantifier::Exists;
            asks && mutant.class != Class::Conformance && mutant.mutants.is_empty()
        };
        assert!(!forbidden.mutants.is_empty() && forbidden.mutants.iter().all(allowed));
        let weak = of("opencl-3.1", shipped(), "SB+rlx");
        assert_eq!((weak.class, weak.mutants.len()), (Class::Weak, 0));
        // What must always be is the other way round an outcome that is forbidden.
        let always = of("vulkan", shipped_vulkan(), "MP+barrier");
        assert_eq!(always.class, Class::Conformance);
    }
}
