//! Which rules of a memory model a test puts to the test.
//!
//! A test of which the model without a rule allows more outcomes than the model with it fails on an
//! implementation that breaks the rule, once one of those outcomes occurs. A rule that permits something
//! (that happens-before of one region is nothing to the other) is put to the test by outcomes that there
//! would not be without it. A test with the same outcomes under both can tell nothing about the rule, and
//! neither can one with undefined behaviour. Nor can outcomes that only some readings of the text forbid: an
//! implementation does not fail for them.

use crate::cat::error::Result;
use crate::cat::{Model, Role, ways_to_miss};
use crate::kernel::Shape;
use crate::mutation::{only_seq_cst, relax_defaults};
use crate::oracle::{Judgement, Limits, State, judge};
use crate::program::Program;
use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::sync::Arc;

/// "Default order is seq_cst": no part of a model, but of what a program means.
const DEFAULTS: &str = "mm.init";
/// "Free of races and seq_cst only: sequentially consistent": what the other rules come to for such
/// programs.
const SEQUENTIAL: &str = "mm.sc.drf";

/// A model, and what it becomes without each of its rules.
#[derive(Debug)]
pub struct Breaches {
    whole: Model,
    /// Forbids what every reading of the text forbids; none where it has one.
    weakest: Option<Arc<Model>>,
    without: Vec<(String, Vec<Model>)>,
}

impl Breaches {
    /// Of the model that comes with classay by this name.
    ///
    /// # Errors
    ///
    /// There is none.
    pub fn of(model: &str) -> Result<Breaches> {
        let whole = Model::named(model)?;
        let required = whole.checks.iter().filter(|c| c.role == Role::Require);
        let mut rules: BTreeSet<String> = required.map(|c| c.name.to_string()).collect();
        rules.extend(ways_to_miss().into_iter().map(|(rule, _)| rule.to_owned()));
        let without = rules
            .into_iter()
            .map(|rule| Ok((rule.clone(), Model::without(model, &rule)?)))
            .collect::<Result<_>>()?;
        Ok(Breaches {
            weakest: whole.bounds().map(|bounds| bounds.weakest),
            whole,
            without,
        })
    }

    /// The rules that a test can put to the test: those of the model, and what programs leave out.
    pub fn rules(&self) -> impl Iterator<Item = &str> {
        let known = self.without.iter().map(|(rule, _)| rule.as_str());
        known.chain([DEFAULTS])
    }

    /// The rules that a test puts to the test, by their ids; none for a test that no OpenCL program can
    /// run, and none where the oracle gives up within these limits.
    pub fn shown_by(&self, program: &Program, limits: &Limits) -> BTreeSet<&str> {
        let mut shown = BTreeSet::new();
        if Shape::of(program).is_err() {
            return shown;
        }
        let Ok(allowed) = judge(program, &self.whole, limits) else {
            return shown;
        };
        if allowed.racy {
            return shown;
        }
        let weakest = OnceCell::new();
        let fails = |state: &State| {
            self.weakest.as_ref().is_none_or(|model| {
                let said = weakest.get_or_init(|| judge(program, model, limits).ok());
                let said: Option<&Judgement> = said.as_ref();
                said.is_some_and(|said| !said.racy && !said.states.contains(state))
            })
        };
        let differs = |changed: &Program, model: &Model| {
            judge(changed, model, limits).is_ok_and(|without| {
                let mut more = without.states.difference(&allowed.states);
                !allowed.states.is_subset(&without.states) || more.any(fails)
            })
        };
        let sequential = only_seq_cst(program);
        for (rule, models) in &self.without {
            if (rule != SEQUENTIAL || sequential) && models.iter().any(|m| differs(program, m)) {
                shown.insert(rule.as_str());
            }
        }
        if let Some(relaxed) = relax_defaults(program)
            && differs(&relaxed, &self.whole)
        {
            shown.insert(DEFAULTS);
        }
        shown
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{shipped, syntax};
    use std::collections::BTreeMap;
    use std::fmt::Write;

    /// Every rule of the model, with the shipped tests that show its breach: a rule without any would be
    /// one that a run never puts to the test.
    #[test]
    fn the_shipped_tests_show_the_breach_of_every_rule() {
        for model in ["opencl-3.1", "opencl-3.0"] {
            let breaches = Breaches::of(model).expect("a model");
            let mut tests: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
            for rule in breaches.rules() {
                tests.entry(rule).or_default();
            }
            for (name, text) in shipped() {
                let program = syntax::read_litmus(name, text).expect("a shipped test");
                for rule in breaches.shown_by(&program, &Limits::default()) {
                    tests.entry(rule).or_default().push(name);
                }
            }
            let mut table = String::new();
            for (rule, tests) in &tests {
                assert!(
                    !tests.is_empty(),
                    "no shipped test shows a breach of {rule} in {model}"
                );
                let _ = writeln!(table, "{rule}: {}", tests.join(" "));
            }
            insta::assert_snapshot!(model, table);
        }
    }

    #[test]
    fn a_racy_test_and_one_that_cannot_run_show_nothing() {
        let breaches = Breaches::of("opencl-3.1").expect("a model");
        for wanted in ["MP+plain", "MP+enqueue+wait"] {
            let (name, text) = shipped()
                .iter()
                .find(|(name, _)| name.trim_end_matches(".litmus") == wanted)
                .expect("a shipped test");
            let program = syntax::read_litmus(name, text).expect("a shipped test");
            assert_eq!(
                breaches.shown_by(&program, &Limits::default()),
                BTreeSet::new()
            );
        }
    }
}
