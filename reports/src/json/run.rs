//! A run as one JSON object. The keys are fixed, and `schema/report.schema.json` says what each is; a change
//! that could break a reader raises [`SCHEMA_VERSION`], and keys may be added without raising it.

use super::ExpectationJson;
use crate::difference::Gate;
use crate::difference::OutcomeChange;
use crate::record::Verdict;
use crate::report::freedoms::{FreedomFacts, Sight};
use crate::report::{Baseline, CaseFacts, OutcomeFacts, Report, RuleFacts};
use crate::stats::Interval;
use crate::store::Run;
use serde_json::{Map, Value, json};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

/// The version of the form, the value of the key `version`.
pub const SCHEMA_VERSION: u32 = 3;

/// The schema, in JSON Schema's draft 2020-12.
pub const SCHEMA: &str = include_str!("../../schema/report.schema.json");

/// The object.
pub fn run(report: &Report<'_>) -> Value {
    let context = report.context;
    json!({
        "schema": "classay-report",
        "version": SCHEMA_VERSION,
        "run": described(report.run),
        "plan": object(&context.plan),
        "machine": report.run.moments.iter().map(noted).collect::<Vec<_>>(),
        "totals": totals(report),
        "cases": report.cases.iter().map(|c| case(report, c)).collect::<Vec<_>>(),
        "rules": report.rules.iter().map(rule).collect::<Vec<_>>(),
        "freedoms": report.freedoms.iter().map(freedom).collect::<Vec<_>>(),
        "faults": context.faults.as_ref().map(|faults| &faults.lines),
        "tuning": context.tuning,
        "progress": context.progress,
        "comparison": context.baseline.as_ref().map(comparison),
        "missing": context.missing,
    })
}

pub(super) fn object(pairs: &[(String, String)]) -> Value {
    let pairs = pairs
        .iter()
        .map(|(name, value)| (name.clone(), json!(value)));
    Value::Object(pairs.collect::<Map<_, _>>())
}

fn moment(at: OffsetDateTime) -> Value {
    // A time that RFC 3339 cannot write (a year beyond 9999) is none that a run had.
    json!(at.format(&Rfc3339).ok())
}

pub(super) fn described(run: &Run) -> Value {
    json!({
        "id": run.id.to_string(),
        "status": run.status,
        "created": moment(run.record.created),
        "finished": run.finished.map_or(Value::Null, moment),
        "classay": run.record.version,
        // As text: not every reader of JSON keeps 64 bits.
        "seed": run.record.seed.to_string(),
        "plan_hash": run.plan_hash.as_str(),
        "planned": run.planned,
        "reach": run.reach.as_ref().map(|reach| json!({
            "rules_exercised": reach.exercised,
            "rules_that_apply": reach.apply,
            "not_reached": reach.unreached,
        })),
        "device": run.device.as_ref().map(|device| json!({
            "selector": device.selector,
            "platform": device.platform,
            "platform_version": device.platform_version,
            "name": device.name,
            "vendor": device.vendor,
            "version": device.version,
            "driver": device.driver,
            "capabilities": object(&device.capabilities),
            "findings": device.findings,
        })),
    })
}

/// How the machine was at a moment.
fn noted(at: &crate::record::Moment) -> Value {
    json!({
        "at": moment(at.at),
        "load": at.load,
        "clock_mhz": at.clock_mhz,
        "machine": at.machine,
    })
}

/// Verdicts and how many cases ended so.
pub(super) fn tally(count: &dyn Fn(Verdict) -> usize) -> Value {
    let verdicts = Verdict::ALL.iter();
    let counts = verdicts.map(|verdict| (verdict.name().to_owned(), json!(count(*verdict))));
    Value::Object(counts.collect())
}

fn totals(report: &Report<'_>) -> Value {
    json!({
        "cases": report.cases.len(),
        "verdicts": tally(&|verdict| report.count(verdict)),
        "instances": report.instances(),
        "launches": report.launches(),
        "seconds": report.seconds(),
        "build_seconds": report.cases.iter().map(|case| case.result.build_seconds).sum::<f64>(),
    })
}

fn case(report: &Report<'_>, case: &CaseFacts<'_>) -> Value {
    let result = case.result;
    let standing = report.context.expectations.of(result);
    let about = case.about;
    json!({
        "case": result.case,
        "test": result.test,
        "file": result.file,
        "verdict": result.verdict,
        "reason": result.reason,
        "instances": result.instances,
        "launches": result.launches.len(),
        "seconds": result.seconds,
        "build_seconds": result.build_seconds,
        "device_seconds": result.device_seconds,
        "attempts": result.attempts,
        "failed_attempts": result.failed_attempts,
        "rules": about.map(|about| &about.rules),
        "expected": about.and_then(|about| about.expected).map(|expected| expected.name()),
        "target": case.target.as_ref().map(rate),
        "violations": result.violations,
        "lacks": result.lacks,
        "outcomes": case.outcomes.iter().map(outcome).collect::<Vec<_>>(),
        "expectation": ExpectationJson::of(standing),
        "evidence": result.evidence,
    })
}

pub(super) fn ends(interval: Interval) -> Value {
    json!([interval.low, interval.high])
}

pub(super) fn rate(facts: &OutcomeFacts) -> Value {
    let drift = facts.stationarity;
    json!({
        "count": facts.all.count,
        "instances": facts.all.instances,
        "rate": facts.rate(),
        "interval95": ends(facts.interval),
        "bound95": facts.bound(),
        "bound95_however_it_clusters": facts.never.map(|never| never.whatever),
        "processes": facts.all.processes,
        "processes_showing": facts.all.showing,
        "launches": facts.all.launches,
        "degrees_of_freedom": facts.all.design_effect.map(|_| facts.all.degrees),
        "design_effect": facts.all.design_effect,
        "drift": drift.map(|found| json!({
            "p": found.p_value(), "first": found.first, "last": found.last,
        })),
    })
}

fn outcome(facts: &OutcomeFacts) -> Value {
    let mut all = rate(facts);
    all["outcome"] = json!(facts.text);
    all["typed"] = json!(facts.outcome);
    all["target"] = json!(facts.target);
    all
}

fn rule(facts: &RuleFacts<'_>) -> Value {
    let rule = facts.rule;
    json!({
        "id": rule.id,
        "section": rule.section,
        "statement": rule.statement,
        "kind": rule.kind.name(),
        "standing": facts.standing().name(),
        "cases": tally(&|verdict| facts.cases.of(verdict)),
        "broken_by": facts.broken_by.iter().map(|result| &result.case).collect::<Vec<_>>(),
    })
}

fn freedom(facts: &FreedomFacts) -> Value {
    let freedom = facts.freedom;
    let mut value = json!({
        "name": freedom.name(),
        "rule": freedom.rule(),
        "what": freedom.seen(),
        "obstacle": facts.sight.obstacle(),
    });
    if let Sight::Possible { all, interval } = &facts.sight {
        value["seen"] = json!(all.count);
        value["possible"] = json!(all.instances);
        value["launches"] = json!(all.launches);
        value["rate"] = json!(all.rate());
        value["interval95"] = ends(*interval);
        value["bound95"] = json!(facts.bound());
    }
    value
}

/// A run, compared with a baseline; also what `classay compare --json` says.
fn comparison(baseline: &Baseline) -> Value {
    let found = &baseline.differences;
    json!({
        "baseline": described(&baseline.run),
        "name": baseline.name,
        "passes": found.passes(Gate::Rates(baseline.rate)),
        "false_discovery_rate": baseline.rate,
        "same_seed": baseline.same_seed,
        "new_failures": found.new_failures().collect::<Vec<_>>(),
        "other_failures": found.others().collect::<Vec<_>>(),
        "failed": found.failures,
        "other_verdicts": found.verdicts,
        "only_before": found.missing,
        "only_after": found.added,
        "compared": found.outcomes.len(),
        "changed": found.changed(baseline.rate).map(changed).collect::<Vec<_>>(),
    })
}

pub(super) fn changed(change: &OutcomeChange) -> Value {
    let c = &change.comparison;
    json!({
        "case": change.case,
        "outcome": change.outcome,
        "before": { "count": c.first.count, "instances": c.first.instances },
        "after": { "count": c.second.count, "instances": c.second.instances },
        "difference": c.difference.0,
        "difference95": ends(c.difference.1),
        "ratio": c.ratio.map(|(ratio, _)| ratio),
        // An end without a limit is null.
        "ratio95": c.ratio.map(|(_, interval)| ends(interval)),
        "p": c.p_value,
        "q": change.q_value,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::sample;

    fn validator() -> jsonschema::Validator {
        let schema: Value = serde_json::from_str(SCHEMA).expect("the schema is JSON");
        jsonschema::options()
            .should_validate_formats(true)
            .build(&schema)
            .expect("the schema is a schema")
    }

    fn complaints(value: &Value) -> Vec<String> {
        validator()
            .iter_errors(value)
            .map(|error| format!("{}: {error}", error.instance_path()))
            .collect()
    }

    #[test]
    fn every_report_keeps_the_schema() {
        let results = sample::all();
        let run_ = sample::run(&results);
        for context in [sample::context(&results), crate::report::Context::default()] {
            let value = run(&Report::new(&run_, &results, &context));
            assert_eq!(complaints(&value), [] as [String; 0]);
        }
        let none = crate::report::Context::default();
        let value = run(&Report::new(&run_, &[], &none));
        assert_eq!(complaints(&value), [] as [String; 0]);
    }

    /// The schema refuses: a key too many, one too few, a wrong type.
    #[test]
    fn the_schema_refuses_what_it_does_not_describe() {
        let results = sample::all();
        let run_ = sample::run(&results);
        let context = sample::context(&results);
        let good = run(&Report::new(&run_, &results, &context));
        let bad: [&dyn Fn(&mut Value); 5] = [
            &|v| v["version"] = json!(1),
            &|v| v["cases"][0]["verdict"] = json!("maybe"),
            &|v| v["cases"][0]["target"]["rate"] = json!("0.5"),
            &|v| v["rules"][0]["standing"] = json!(1),
            &|v| {
                if let Some(all) = v["cases"][0].as_object_mut() {
                    all.remove("outcomes");
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
        let results = [sample::message_passing(), sample::skipped()];
        let run_ = sample::run(&results);
        let context = sample::context(&results);
        let value = run(&Report::new(&run_, &results, &context));
        insta::assert_snapshot!(serde_json::to_string_pretty(&value).expect("JSON"));
    }
}
