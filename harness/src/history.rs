//! Reads the runs of a driver's versions from their stores, and puts them side by side.
//!
//! Whether cases are the same program is decided here, by what was planned; what differs between versions by
//! `classay_reports::history`, with the engine of [`mod@crate::compare`].

use crate::Error;
use crate::about;
use crate::compare;
use crate::judge::ChosenModel;
use crate::plan::{Body, Case, Plan};
use crate::run::Covers;
use classay_reports::history::{Context, History, Planned, Version, grouped};
use classay_reports::record::{CaseId, CaseResult};
use classay_reports::report::Expected;
use classay_reports::store::{PlanHash, PlannedCase, Run};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::{Duration, Instant};

/// How long the oracle may think about which outcomes are weak, all tests together.
const PATIENCE: Duration = Duration::from_secs(60);

/// A run, as a user names it: `STORE`, `STORE#RUN`, `NAME=STORE` or `NAME=STORE#RUN`. What is a file as a whole
/// is a store, whatever characters it has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Input {
    /// What to call its version; none for what the driver reports.
    pub name: Option<String>,
    /// The store.
    pub store: PathBuf,
    /// The run's number; none for the last.
    pub run: Option<u32>,
}

impl FromStr for Input {
    type Err = String;

    fn from_str(text: &str) -> Result<Input, String> {
        let (name, rest) = match text.split_once('=') {
            Some((name, rest)) if !name.is_empty() && !Path::new(text).exists() => {
                (Some(name.to_owned()), rest)
            }
            Some(_) | None => (None, text),
        };
        let numbered = rest.rsplit_once('#').and_then(|(store, run)| {
            let run = run.parse().ok()?;
            (!Path::new(rest).exists()).then_some((store, run))
        });
        let (store, run) = match numbered {
            Some((store, run)) => (store, Some(run)),
            None => (rest, None),
        };
        if store.is_empty() {
            return Err("no store is named".into());
        }
        Ok(Input {
            name,
            store: store.into(),
            run,
        })
    }
}

/// Reads these runs. `sorted` puts the versions of a driver in the order of their numbers; rates are reported as
/// changed at this false discovery rate.
///
/// # Errors
///
/// A store is not there, cannot be read, or has no result; a run is named twice; there is one run alone.
pub fn load(inputs: &[Input], sorted: bool, false_discovery: f64) -> Result<History, Error> {
    let mut context = Context {
        rules: about::rules(),
        false_discovery,
        ..Context::default()
    };
    let mut seen = BTreeSet::new();
    let mut covered = Covered::default();
    let mut versions = Vec::new();
    let mut candidates = Candidates::default();
    for input in inputs {
        let (run, results) = compare::load(&input.store, input.run)?;
        let place = input
            .store
            .canonicalize()
            .unwrap_or_else(|_| input.store.clone());
        if !seen.insert((place, run.id)) {
            return Err(Error::Usage(format!(
                "run {} of {} is named twice",
                run.id,
                input.store.display()
            )));
        }
        let planned = compare::open(&input.store)?.planned_cases(run.id)?;
        candidates.add(&run, &results, &planned);
        let (planned, unread) = covered.planned(&run, planned);
        if unread > 0 {
            context.notes.push(format!(
                "{unread} cases of {} were planned by another version of classay: they are compared with none.",
                input.store.display()
            ));
        }
        versions.push(Version {
            name: input.name.clone().unwrap_or_default(),
            store: input.store.display().to_string(),
            planned,
            run,
            results,
        });
    }
    if let [only] = versions.as_slice() {
        return Err(Error::Nothing(format!(
            "a history takes two runs or more, and {} is one; `classay report` says what one run found",
            only.store
        )));
    }
    let (mut groups, unordered) = grouped(versions, sorted);
    for driver in unordered {
        context.notes.push(format!(
            "Some versions of {driver} have no number: they are in the order given."
        ));
    }
    for group in &mut groups {
        name(group, &mut context.notes);
        differing(group, &mut context.notes);
    }
    context.weak = candidates.weak(&mut context.notes);
    Ok(History::new(groups, context))
}

/// Gives each version of a driver a name that no other has.
fn name(group: &mut [Version], notes: &mut Vec<String>) {
    for version in group.iter_mut().filter(|version| version.name.is_empty()) {
        let reported = version.version();
        version.name = match &reported {
            Some(reported) => reported.short().to_owned(),
            None if version.reported().is_empty() => version.store.clone(),
            None => version.reported().to_owned(),
        };
    }
    let mut times: BTreeMap<String, usize> = BTreeMap::new();
    for version in group.iter_mut() {
        let times = times.entry(version.name.clone()).or_default();
        *times += 1;
        if *times > 1 {
            version.name = format!("{} ({times})", version.name);
        }
    }
    let mut reported: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for version in group.iter() {
        reported
            .entry(version.reported())
            .or_default()
            .push(&version.name);
    }
    for (reported, names) in reported {
        if names.len() > 1 {
            notes.push(format!(
                "{} are runs of one driver version, {reported}: what differs between them is chance, or something \
                 that the version does not name.",
                names.join(", ")
            ));
        }
    }
}

/// Says what else differs between the runs of a driver, so that not everything that changed is the driver's.
fn differing(group: &[Version], notes: &mut Vec<String>) {
    let mut say = |what: &str, values: BTreeSet<String>, so: &str| {
        if values.len() > 1 {
            let values = values.into_iter().collect::<Vec<_>>().join(", ");
            notes.push(format!("The {what} differ ({values}): {so}."));
        }
    };
    let of = |value: &dyn Fn(&Version) -> String| -> BTreeSet<String> {
        group
            .iter()
            .map(value)
            .filter(|value| !value.is_empty())
            .collect()
    };
    say(
        "seeds",
        of(&|version| version.run.record.seed.to_string()),
        "generated cases are other programs and are compared only between runs of one seed; litmus tests are the same",
    );
    say(
        "versions of classay",
        of(&|version| version.run.record.version.clone()),
        "generated cases may be other programs and are compared only between runs of one version",
    );
    say(
        "memory models",
        of(&|version| {
            Plan::from_text(&version.run.record.plan).map_or(String::new(), |plan| plan.model)
        }),
        "a litmus test may end otherwise because another model judges it",
    );
    let machine = |version: &Version| {
        let first = version.run.moments.first();
        first.map_or(String::new(), |moment| moment.machine.processor.clone())
    };
    say("processors", of(&machine), "rates depend on the machine");
}

/// The rules that cases are about, each program worked out once a model.
#[derive(Default)]
struct Covered {
    models: BTreeMap<String, Option<Covers>>,
    known: BTreeMap<(String, String), Vec<String>>,
}

impl Covered {
    /// What a run planned, and how many of its cases cannot be read.
    fn planned(&mut self, run: &Run, planned: Vec<PlannedCase>) -> (Vec<Planned>, usize) {
        let model = Plan::from_text(&run.record.plan).map_or(String::new(), |plan| plan.model);
        let covers = self.models.entry(model.clone()).or_insert_with(|| {
            let model = ChosenModel::load(&model).ok()?;
            Some(Covers::by(&model))
        });
        let (mut all, mut unread) = (Vec::new(), 0);
        for planned in planned {
            let id = planned.case.clone();
            let Ok(case) = Case::from_planned(planned) else {
                unread += 1;
                continue;
            };
            let content = content(&case, run);
            let key = (model.clone(), content.clone());
            let rules = self.known.entry(key).or_insert_with(|| {
                let rules = covers.as_ref().map(|covers| covers.of(&case));
                rules
                    .into_iter()
                    .flatten()
                    .map(|rule| rule.to_string())
                    .collect()
            });
            all.push(Planned {
                case: id,
                content,
                rules: rules.clone(),
            });
        }
        (all, unread)
    }
}

/// What a case runs, so that equal programs have equal texts: a text is a program, and what is generated is
/// decided by the seed and by classay.
fn content(case: &Case, run: &Run) -> String {
    let classay = &run.record.version;
    let generated = match &case.body {
        Body::Litmus(_) | Body::Commands { .. } | Body::Kernel { .. } | Body::Api { .. } => {
            String::new()
        }
        Body::Small { .. } => classay.clone(),
        Body::Drawn { .. } | Body::DrawnKernel { .. } | Body::DrawnApi { .. } => {
            format!("{classay} {}", case.seed)
        }
    };
    // Names, numbers and texts: nothing in it can fail to become JSON.
    let body = serde_json::to_string(&case.body).unwrap_or_default();
    PlanHash::of(&format!("{generated}\n{body}"))
        .as_str()
        .to_owned()
}

/// Litmus tests whose target outcome some run shows, and not in every instance.
#[derive(Default)]
struct Candidates(BTreeMap<CaseId, (Case, String)>);

impl Candidates {
    fn add(&mut self, run: &Run, results: &[CaseResult], planned: &[PlannedCase]) {
        let shown = |result: &&CaseResult| {
            let targets = result.targets();
            !result.observables.is_empty() && targets > 0 && targets < result.instances
        };
        let shown: BTreeSet<&CaseId> = results
            .iter()
            .filter(shown)
            .map(|result| &result.case)
            .collect();
        let model = Plan::from_text(&run.record.plan).map_or(String::new(), |plan| plan.model);
        for planned in planned
            .iter()
            .filter(|planned| shown.contains(&planned.case))
        {
            if !self.0.contains_key(&planned.case)
                && let Ok(case) = Case::from_planned(planned.clone())
            {
                self.0.insert(case.id.clone(), (case, model.clone()));
            }
        }
    }

    /// Those whose target outcome a model allows, and no interleaving gives.
    fn weak(self, notes: &mut Vec<String>) -> BTreeSet<CaseId> {
        let until = Instant::now() + PATIENCE;
        let mut models: BTreeMap<String, Option<ChosenModel>> = BTreeMap::new();
        let (mut weak, mut late) = (BTreeSet::new(), 0);
        for (id, (case, model)) in self.0 {
            let model = models
                .entry(model.clone())
                .or_insert_with(|| ChosenModel::load(&model).ok());
            let (Some(model), Some(program)) = (model, case.body.litmus()) else {
                continue;
            };
            if Instant::now() > until {
                late += 1;
            } else if about::expected(model, program) == Some(Expected::Weak) {
                weak.insert(id);
            }
        }
        if late > 0 {
            notes.push(format!(
                "Whether the outcomes of {late} tests are weak was not worked out: that takes more than {} s.",
                PATIENCE.as_secs()
            ));
        }
        weak
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn input(text: &str) -> Input {
        text.parse().expect("an input")
    }

    #[test]
    fn an_input_is_a_store_with_a_name_and_a_run_where_they_are_given() {
        let of = |name: Option<&str>, store: &str, run| Input {
            name: name.map(str::to_owned),
            store: store.into(),
            run,
        };
        for (text, expected) in [
            ("a.db", of(None, "a.db", None)),
            ("dir/a.db#3", of(None, "dir/a.db", Some(3))),
            ("3.1=a.db", of(Some("3.1"), "a.db", None)),
            ("old one=a.db#12", of(Some("old one"), "a.db", Some(12))),
            ("a#b.db", of(None, "a#b.db", None)),
            ("=a.db", of(None, "=a.db", None)),
        ] {
            assert_eq!(input(text), expected, "{text}");
        }
        assert!("".parse::<Input>().is_err() && "x=".parse::<Input>().is_err());
    }

    #[test]
    fn what_is_a_file_as_a_whole_is_a_store() {
        let folder = tempfile::tempdir().expect("a folder");
        let odd = folder.path().join("a=b#1");
        std::fs::write(&odd, "").expect("a file");
        let text = odd.display().to_string();
        assert_eq!(input(&text).store, odd);
        assert_eq!((input(&text).name, input(&text).run), (None, None));
    }
}
