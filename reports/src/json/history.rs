//! The versions of a driver side by side, as one JSON object. The keys are fixed, and
//! `schema/history.schema.json` says what each is; a change that could break a reader raises
//! [`HISTORY_VERSION`], and keys may be added without raising it.

use super::run::{changed, described, rate, tally};
use crate::difference::Gate;
use crate::history::{
    Capability, CaseChange, Cell, Failure, Group, History, Rates, Row, RuleChange, Step, Version,
};
use crate::signature::Signature;
use serde_json::{Value, json};

/// The version of the form, the value of the key `version`.
pub const HISTORY_VERSION: u32 = 2;

/// The schema, in JSON Schema's draft 2020-12.
pub const HISTORY_SCHEMA: &str = include_str!("../../schema/history.schema.json");

/// The object.
pub fn history(history: &History, gate: Gate) -> Value {
    let q = history.context.false_discovery;
    json!({
        "schema": "classay-history",
        "version": HISTORY_VERSION,
        "gate": match gate { Gate::Failures => "failures", Gate::Rates(_) => "rates" },
        "false_discovery_rate": q,
        "worse": history.passes(gate).map(|passes| !passes),
        "drivers": history.groups.iter().map(|group| driver(group, gate, q)).collect::<Vec<_>>(),
        "notes": history.context.notes,
    })
}

fn driver(group: &Group, gate: Gate, q: f64) -> Value {
    let versions = group.versions.iter().enumerate();
    json!({
        "driver": group.driver,
        "worse": group.passes(gate).map(|passes| !passes),
        "versions": versions.map(|(place, v)| version(group, place, v)).collect::<Vec<_>>(),
        "steps": group.steps.iter().map(|s| step(group, s, q)).collect::<Vec<_>>(),
        "rules": group.rules.iter().map(|row| fared("rule", row)).collect::<Vec<_>>(),
        "kinds": group.kinds.iter().map(|row| fared("kind", row)).collect::<Vec<_>>(),
        "failures": group.failures.iter().map(failure).collect::<Vec<_>>(),
        "rates": group.rates.iter().map(rates).collect::<Vec<_>>(),
        "capabilities": group.capabilities.iter().map(capability).collect::<Vec<_>>(),
    })
}

fn version(group: &Group, place: usize, version: &Version) -> Value {
    let cases = version.tally();
    json!({
        "name": version.name,
        "store": version.store,
        "run": described(&version.run),
        "verdicts": tally(&|verdict| cases.of(verdict)),
        "unreached": version.unreached(),
        "rules_broken": group.broken(place),
    })
}

fn step(group: &Group, step: &Step, q: f64) -> Value {
    let scope = &step.scope;
    json!({
        "before": group.versions[step.from].name,
        "after": group.versions[step.from + 1].name,
        "compared": scope.compared.len(),
        "not_compared": {
            "other_programs": scope.other_programs,
            "unreached_before": scope.unreached_before,
            "unreached_after": scope.unreached_after,
            "only_before": scope.only_before,
            "only_after": scope.only_after,
        },
        "new_failures": step.found.new_failures().collect::<Vec<_>>(),
        "other_failures": step.found.others().collect::<Vec<_>>(),
        "failed": step.found.failures,
        "other_verdicts": step.found.verdicts,
        "rules": step.rules.iter().map(rule).collect::<Vec<_>>(),
        "cases": step.cases.iter().map(case).collect::<Vec<_>>(),
        "outcomes_compared": step.found.outcomes.len(),
        "changed": step.found.changed(q).map(changed).collect::<Vec<_>>(),
        "capabilities": step.capabilities.iter().map(|change| json!({
            "name": change.name,
            "turn": change.way.name(),
            "before": change.before,
            "after": change.after,
        })).collect::<Vec<_>>(),
    })
}

fn rule(change: &RuleChange) -> Value {
    json!({
        "rule": change.rule,
        "turn": change.turn.name(),
        "what": change.what,
        "cases": change.cases,
    })
}

fn case(change: &CaseChange) -> Value {
    let mut value = signature(&change.signature);
    value["turn"] = json!(change.turn.name());
    value["before"] = json!(change.before);
    value["after"] = json!(change.after);
    value["cases"] = json!(change.cases);
    value["missed"] = json!(change.missed);
    value
}

fn signature(signature: &Signature) -> Value {
    json!({
        "rules": signature.rules,
        "kind": signature.kind,
        "what": signature.what,
    })
}

fn fared<T: serde::Serialize>(name: &str, row: &Row<T>) -> Value {
    json!({
        name: row.of,
        "versions": row.cells.iter().map(cell).collect::<Vec<_>>(),
    })
}

fn cell(cell: &Cell) -> Value {
    json!({
        "mark": cell.mark.name(),
        "cases": tally(&|verdict| cell.cases.of(verdict)),
        "against": cell.against,
        "unreached": cell.unreached,
        "what": cell.what,
    })
}

fn failure(failure: &Failure) -> Value {
    let mut value = signature(&failure.signature);
    value["versions"] = json!(failure.cases);
    value
}

fn rates(rates: &Rates) -> Value {
    json!({
        "case": rates.case,
        "test": rates.test,
        "versions": rates.points.iter().map(|p| p.as_ref().map(rate)).collect::<Vec<_>>(),
        "changed": rates.changed,
    })
}

fn capability(capability: &Capability) -> Value {
    json!({ "name": capability.name, "versions": capability.values })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::tests::{broken_and_mended, one, two_drivers};

    fn complaints(value: &Value) -> Vec<String> {
        let schema: Value = serde_json::from_str(HISTORY_SCHEMA).expect("the schema is JSON");
        let validator = jsonschema::options()
            .should_validate_formats(true)
            .build(&schema)
            .expect("the schema is a schema");
        let errors = validator.iter_errors(value);
        errors
            .map(|error| format!("{}: {error}", error.instance_path()))
            .collect()
    }

    #[test]
    fn every_history_keeps_the_schema() {
        for of in [broken_and_mended(), two_drivers(), one()] {
            for gate in [Gate::Failures, Gate::Rates(0.05)] {
                assert_eq!(complaints(&history(&of, gate)), [] as [String; 0]);
            }
        }
    }

    /// The schema refuses: another version, a wrong word, a wrong type, a key too few.
    #[test]
    fn the_schema_refuses_what_it_does_not_describe() {
        let good = history(&broken_and_mended(), Gate::Failures);
        let bad: [&dyn Fn(&mut Value); 5] = [
            &|v| v["version"] = json!(1),
            &|v| v["drivers"][0]["rules"][0]["versions"][0]["mark"] = json!("fine"),
            &|v| v["drivers"][0]["steps"][0]["compared"] = json!("all"),
            &|v| v["drivers"][0]["steps"][0]["rules"][0]["turn"] = json!("gone"),
            &|v| {
                if let Some(all) = v["drivers"][0]["versions"][0].as_object_mut() {
                    all.remove("verdicts");
                }
            },
        ];
        for spoil in bad {
            let mut value = good.clone();
            spoil(&mut value);
            assert!(!complaints(&value).is_empty(), "{value}");
        }
    }

    #[test]
    fn the_whole_object() {
        let value = history(&broken_and_mended(), Gate::Failures);
        insta::assert_snapshot!(serde_json::to_string_pretty(&value).expect("JSON"));
    }
}
