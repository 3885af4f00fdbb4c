//! The rules that a case puts to the test.

use crate::judge::ChosenModel;
use crate::plan::{Case, Work};
use classay_litmus::oracle::{Explanation, Limits, explain};
use classay_litmus::program::{Predicate, Program, Quantifier};
use classay_suites::rule::RuleId;
use std::collections::BTreeSet;

/// The rules of a case, whose seed is set: those by which the outcome that a litmus test asks about is
/// forbidden, and for a generated case those whose breach could change what is observed.
pub fn covers(case: &Case, model: &ChosenModel) -> BTreeSet<RuleId> {
    match case.body.work(case.seed) {
        Ok(Work::Litmus(program)) => forbidden_by(&program, model),
        Ok(Work::Commands(plan)) => plan.covers(),
        Ok(Work::Kernel(case)) => case.covers(),
        Err(_) => BTreeSet::new(),
    }
}

fn forbidden_by(program: &Program, model: &ChosenModel) -> BTreeSet<RuleId> {
    let asked = program.condition.predicate.clone();
    let asked = match program.condition.quantifier {
        Quantifier::Exists | Quantifier::NotExists => asked,
        Quantifier::Forall => Predicate::Not(Box::new(asked)),
    };
    match explain(program, &model.model, &asked, &Limits::default()) {
        Ok(Explanation::Forbidden(refusal)) => refusal
            .failures
            .iter()
            .filter_map(|failure| RuleId::find(&failure.check))
            .collect(),
        Ok(Explanation::Allowed(_) | Explanation::Impossible) | Err(_) => BTreeSet::new(),
    }
}
