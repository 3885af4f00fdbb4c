//! The rules that a case puts to the test.

use crate::plan::{Case, Work};
use classay_litmus::Breaches;
use classay_litmus::oracle::Limits;
use classay_suites::catalogue;
use classay_suites::family::Family;
use classay_suites::rule::RuleId;
use classay_vocabulary::Need;
use std::collections::BTreeSet;

/// The rules of a case, whose seed is set: those whose breach could change what is observed.
pub fn covers(case: &Case, breaches: &Breaches) -> BTreeSet<RuleId> {
    covers_within(case, breaches, &Limits::default())
}

/// The same, as far as the oracle goes within these limits.
pub fn covers_within(case: &Case, breaches: &Breaches, limits: &Limits) -> BTreeSet<RuleId> {
    About::within(case, Some(breaches), limits).rules
}

/// What is known of a case before it runs.
#[derive(Debug, Clone, Default)]
pub struct About {
    /// What a generated case needs of a device; of litmus tests nothing is said here.
    pub needs: BTreeSet<Need>,
    /// The rules that it puts to the test.
    pub rules: BTreeSet<RuleId>,
}

impl About {
    /// Of a case whose seed is set, as far as the oracle goes within these limits; without the breaches of a model,
    /// litmus tests are about no rule.
    pub fn within(case: &Case, breaches: Option<&Breaches>, limits: &Limits) -> About {
        fn of(case: &impl Family) -> About {
            About {
                needs: case.needs(),
                rules: case.covers(),
            }
        }
        match case.body.work(case.seed) {
            Ok(Work::Litmus(program)) => {
                let shown = breaches.map(|breaches| breaches.shown_by(&program, limits));
                let shown = shown.into_iter().flatten();
                About {
                    rules: shown.filter_map(catalogue::find).collect(),
                    ..About::default()
                }
            }
            Ok(Work::Commands(plan)) => of(&*plan),
            Ok(Work::Kernel(case)) => of(&*case),
            Ok(Work::Api(case)) => of(&*case),
            Err(_) => About::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{self, seed};
    use classay_suites::catalogue::Kind;
    use std::collections::{BTreeMap, BTreeSet};

    /// Cases of each kind that are looked at.
    const EACH: u32 = 200;

    #[test]
    fn every_clause_of_a_rule_of_the_suites_has_a_case_and_a_fault() {
        let mut cases = plan::drawn(EACH);
        cases.extend(plan::small(EACH));
        let breaches = Breaches::of(crate::judge::model::LATEST).expect("the models");
        let of_suites = |rule: &&catalogue::Rule| {
            let area = rule.id.as_str().split('.').next().unwrap_or_default();
            rule.kind == Kind::Must && ["cb", "ex", "sp", "rg", "sv"].contains(&area)
        };
        let mut wanted: BTreeMap<&str, BTreeSet<RuleId>> = BTreeMap::new();
        for rule in catalogue::all().iter().filter(of_suites) {
            for kind in rule.clauses.iter().flat_map(|clause| &clause.cases) {
                wanted.entry(kind).or_default().insert(rule.id);
            }
        }
        let mut shown: BTreeMap<String, BTreeSet<RuleId>> = BTreeMap::new();
        for mut case in cases {
            let id = case.id.as_str().to_string();
            let Some((kind, _)) = id.rsplit_once('/') else {
                continue;
            };
            let rules = shown.entry(kind.to_string()).or_default();
            // Most kinds show what they are about in their first cases.
            if wanted.get(kind).is_none_or(|all| all.is_subset(rules)) {
                continue;
            }
            case.seed = seed::of_case(7, &case.id);
            rules.extend(covers(&case, &breaches));
        }
        let mut wrong = Vec::new();
        for rule in catalogue::all().iter().filter(of_suites) {
            let id = rule.id;
            if rule.clauses.is_empty() {
                wrong.push(format!("{id} has no clauses"));
            }
            for clause in &rule.clauses {
                let says = &clause.says;
                for kind in &clause.cases {
                    if !shown.get(kind).is_some_and(|rules| rules.contains(&id)) {
                        wrong.push(format!("{id}, {says}: no case of {kind} is about it"));
                    }
                }
                for fault in &clause.faults {
                    let own = classay_faults::find(fault)
                        .is_some_and(|fault| fault.rules().any(|rule| rule == id.as_str()));
                    if !own {
                        wrong.push(format!("{id}, {says}: no fault {fault} breaks it"));
                    }
                }
                if clause.cases.is_empty() || clause.faults.is_empty() {
                    wrong.push(format!("{id}, {says}: it needs a case and a fault"));
                }
            }
        }
        assert_eq!(wrong, [""; 0]);
    }
}
