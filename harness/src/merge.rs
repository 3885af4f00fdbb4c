//! Runs put together: the shards of one run, or runs of the same tests from different seeds.
//!
//! A case that is in one input alone is taken as it is. One that is in several was run several
//! times: its launches are appended, for a launch is a cluster of the statistics wherever it was
//! run, and its outcomes are judged anew. That takes the same program each time, from different
//! seeds: the same seed twice would be the same experiment counted twice, and what a case draws
//! from its seed is another program with another seed.
//!
//! Nothing here reads or writes a store.

use crate::device::same;
use crate::judge::{ChosenModel, Judged};
use crate::plan::{self, Body, Case, Part, Plan};
use crate::worker::triage;
use classay_reports::record::{CaseId, CaseResult, DeviceRecord, Launch, Verdict};
use std::collections::BTreeMap;

/// A run that is to be merged.
pub struct Input {
    /// What to call it: its store.
    pub name: String,
    /// The version of classay that ran it.
    pub version: String,
    /// Its plan.
    pub plan: Plan,
    /// Its device, where it came so far.
    pub device: Option<DeviceRecord>,
    /// Its cases, those without a result too.
    pub cases: Vec<Case>,
    /// Its results.
    pub results: Vec<CaseResult>,
}

/// What a user allows.
#[derive(Debug, Clone, Copy, Default)]
pub struct Leave {
    /// Shards may be missing.
    pub partial: bool,
    /// The devices may differ.
    pub any_device: bool,
}

/// Runs, merged.
#[derive(Debug)]
pub struct Merged {
    /// The plan of all.
    pub plan: Plan,
    /// The device, with a finding for each input whose device differs.
    pub device: Option<DeviceRecord>,
    /// The cases, in the order of the whole run.
    pub cases: Vec<Case>,
    /// Their results, in the same order.
    pub results: Vec<CaseResult>,
    /// Numbers of the shards that are missing.
    pub missing: Vec<u32>,
}

/// Merges runs, or says in a sentence why they do not belong together.
///
/// # Errors
///
/// The runs are not of the same tests, device or version, or would be counted twice; one sentence.
pub fn merge(inputs: Vec<Input>, leave: Leave) -> Result<Merged, String> {
    let first = inputs.first().ok_or("there is nothing to merge")?;
    for other in &inputs[1..] {
        alike(first, other)?;
    }
    let missing = missing_shards(&inputs)?;
    if !missing.is_empty() && !leave.partial {
        let of = first.plan.part.as_ref().map_or(0, |part| part.shard.of);
        let names: Vec<String> = missing.iter().map(u32::to_string).collect();
        let are = match missing.len() {
            1 => "is one",
            _ => "are some",
        };
        return Err(format!(
            "of {of} shards there {are} missing: {}; --partial merges what there is",
            names.join(", ")
        ));
    }
    let device = one_device(&inputs, leave.any_device)?;
    let model = ChosenModel::load(&first.plan.model)?;
    let mut plan = Plan {
        part: None,
        ..first.plan.clone()
    };
    let mut results: BTreeMap<CaseId, CaseResult> = BTreeMap::new();
    let mut cases: BTreeMap<CaseId, (Case, String, Vec<u64>)> = BTreeMap::new();
    for input in inputs {
        for case in input.cases {
            match cases.get_mut(&case.id) {
                None => {
                    let seeds = vec![case.seed];
                    cases.insert(case.id.clone(), (case, input.name.clone(), seeds));
                }
                Some((known, whose, seeds)) => {
                    addable(known, whose, seeds, &case, &input.name)?;
                    seeds.push(case.seed);
                }
            }
        }
        for result in input.results {
            let Some((case, _, _)) = cases.get(&result.case) else {
                return Err(format!(
                    "{} has a result of {}, which it does not plan",
                    input.name, result.case
                ));
            };
            let sum = match results.remove(&result.case) {
                None => result,
                Some(earlier) => add(case, earlier, result, &model),
            };
            results.insert(sum.case.clone(), sum);
        }
    }
    let mut cases: Vec<Case> = cases.into_values().map(|(case, _, _)| case).collect();
    cases.sort_by(|a, b| (a.place, &a.id).cmp(&(b.place, &b.id)));
    plan.cases = cases.len();
    plan.digest = plan::digest(&cases);
    let results = cases
        .iter()
        .filter_map(|case| results.remove(&case.id))
        .collect();
    Ok(Merged {
        plan,
        device,
        cases,
        results,
        missing,
    })
}

/// Whether two runs asked the same of the same.
fn alike(first: &Input, other: &Input) -> Result<(), String> {
    let differ = |what: &str, a: &str, b: &str| {
        Err(format!(
            "{} and {} differ in {what}: {a} and {b}",
            first.name, other.name
        ))
    };
    if first.version != other.version {
        return differ("the version of classay", &first.version, &other.version);
    }
    if first.plan.model != other.plan.model {
        return differ("the memory model", &first.plan.model, &other.plan.model);
    }
    let (a, b) = (&first.plan.environment, &other.plan.environment);
    if a.digest() != b.digest() {
        return differ("the environment", &a.label(), &b.label());
    }
    let whole = |part: &Option<Part>| match part {
        Some(part) => format!(
            "a shard of {} of the run {} with {} cases",
            part.shard.of, part.digest, part.cases
        ),
        None => "no shard".into(),
    };
    let (a, b) = (whole(&first.plan.part), whole(&other.plan.part));
    if a != b {
        return differ("the run that they are of", &a, &b);
    }
    Ok(())
}

/// The numbers of shards that are not there, where the inputs are shards.
fn missing_shards(inputs: &[Input]) -> Result<Vec<u32>, String> {
    let mut have: BTreeMap<u32, &str> = BTreeMap::new();
    let mut of = 0;
    for input in inputs {
        let Some(part) = &input.plan.part else {
            continue;
        };
        of = part.shard.of;
        if let Some(other) = have.insert(part.shard.index, &input.name) {
            return Err(format!(
                "{other} and {} are both shard {}: it would be counted twice",
                input.name, part.shard
            ));
        }
    }
    Ok((1..=of).filter(|n| !have.contains_key(n)).collect())
}

/// The device of all inputs.
fn one_device(inputs: &[Input], any: bool) -> Result<Option<DeviceRecord>, String> {
    let mut known = inputs
        .iter()
        .filter_map(|i| Some((i.name.as_str(), i.device.as_ref()?)));
    let Some((name, first)) = known.next() else {
        return Ok(None);
    };
    let mut device = first.clone();
    for (other, theirs) in known {
        for finding in &theirs.findings {
            if !device.findings.contains(finding) {
                device.findings.push(finding.clone());
            }
        }
        if !same::differs(first, theirs) {
            continue;
        }
        if !any {
            return Err(format!(
                "{name} was run on {}, and {other} on {}{}: rates of different devices are not one \
                 rate; `classay compare` compares them, and --any-device merges them \
                 all the same",
                same::title(first),
                same::title(theirs),
                if same::title(first) == same::title(theirs) {
                    " with other capabilities"
                } else {
                    ""
                },
            ));
        }
        let finding = format!("{other} was run on {}", same::title(theirs));
        if !device.findings.contains(&finding) {
            device.findings.push(finding);
        }
    }
    Ok(Some(device))
}

/// Whether the counts of a case of two inputs can be added.
fn addable(
    known: &Case,
    whose: &str,
    seeds: &[u64],
    case: &Case,
    name: &str,
) -> Result<(), String> {
    let id = &case.id;
    if known.body != case.body {
        return Err(format!(
            "{id} is one program in {whose} and another in {name}: their counts do not add up"
        ));
    }
    if seeds.contains(&case.seed) {
        return Err(format!(
            "{id} was run from the same seed in {whose} and in {name}: the same experiment would be \
             counted twice"
        ));
    }
    match &case.body {
        Body::Litmus(_)
        | Body::Small { .. }
        | Body::Commands { .. }
        | Body::Kernel { .. }
        | Body::Api { .. } => Ok(()),
        Body::Drawn { .. } | Body::DrawnKernel { .. } | Body::DrawnApi { .. } => Err(format!(
            "{id} is drawn from its seed, which is another in {whose} than in {name}: they are \
             different programs, and their counts do not add up"
        )),
    }
}

/// What two results of a case add up to.
pub fn add(case: &Case, a: CaseResult, b: CaseResult, model: &ChosenModel) -> CaseResult {
    let (worse, other) = if b.verdict.rank() < a.verdict.rank() {
        (&b, &a)
    } else {
        (&a, &b)
    };
    let mut sum = CaseResult {
        verdict: worse.verdict,
        reason: worse.reason.clone(),
        instances: a.instances.saturating_add(b.instances),
        seconds: a.seconds + b.seconds,
        build_seconds: a.build_seconds + b.build_seconds,
        device_seconds: a.device_seconds + b.device_seconds,
        attempts: a.attempts.saturating_add(b.attempts),
        failed_attempts: a.failed_attempts.saturating_add(b.failed_attempts),
        violations: worse.violations.clone(),
        lacks: worse.lacks.clone(),
        evidence: worse.evidence.clone(),
        launches: Vec::new(),
        ..a.clone()
    };
    add_new(&mut sum.violations, &other.violations);
    add_new(&mut sum.evidence, &other.evidence);
    // The processes of the one are not those of the other.
    let others = a.launches.iter().map(|launch| launch.process + 1).max();
    let later = b.launches.into_iter().map(|launch| Launch {
        process: launch.process + others.unwrap_or(0),
        ..launch
    });
    sum.launches = a.launches.into_iter().chain(later).collect();
    for (index, launch) in (0..).zip(&mut sum.launches) {
        launch.index = index;
    }
    // Counts are judged anew, since more of them say more; what ended a try otherwise stands.
    let counted = match sum.verdict {
        Verdict::Pass | Verdict::Fail | Verdict::Inconclusive | Verdict::Contested => {
            !sum.launches.is_empty()
        }
        Verdict::Crash | Verdict::Timeout | Verdict::Flaky | Verdict::Skip => false,
    };
    let histogram = sum.histogram();
    let seen = histogram.iter().any(|o| o.count > 0);
    if counted && seen {
        let judged: Judged = triage::judged(&case.body, &histogram, model);
        // A failure that no count shows, as of a call that returned an error, stays.
        if judged.verdict.rank() <= sum.verdict.rank() {
            sum.verdict = judged.verdict;
            sum.reason = judged.reason;
            add_new(&mut sum.violations, &judged.violations);
            add_new(&mut sum.evidence, &judged.evidence);
        }
    }
    sum
}

/// Adds those that are not there yet.
fn add_new<T: Clone + PartialEq>(all: &mut Vec<T>, more: &[T]) {
    for one in more {
        if !all.contains(one) {
            all.push(one.clone());
        }
    }
}
