//! What a report says of a run beyond its counts: the rules that each case is about, what the memory model
//! says of what it asks, its shape and annotation, pictures of what went wrong, and how to get at it again.
//!
//! - `annotations`: a litmus program's shape, scopes and orders, for the heat map;
//! - `notes`: the program of a failed case, the smallest one that was kept, and the commands that run it.
//!
//! All of it is worked out from the stored plan, without a device. It may take the oracle a while, so there
//! is a time after which the rest is left out; what is left out is told.

mod annotations;
mod notes;

use crate::judge::{self, ChosenModel, covers_within};
use crate::plan::{Body, Case, Plan};
use crate::run::Covers;
use classay_litmus::Breaches;
use classay_litmus::explain;
use classay_litmus::oracle::{self, Deadline, Judgement, Limits, Model, Standing};
use classay_litmus::program::{Program, Quantifier};
use classay_reports::record::{CaseId, CaseResult, Reach};
use classay_reports::report::{About, Context, Expected, Kind, Picture, Rule};
use classay_reports::store::{Run, RunStatus, Store, StoreError};
use classay_suites::catalogue;
use classay_vocabulary::Budget;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// How long the oracle may think about all cases together.
const PATIENCE: Duration = Duration::from_secs(60);
/// How long about one of them.
const EACH: Duration = Duration::from_secs(2);
/// Failed cases of which there are pictures.
const DRAWN: usize = 24;
/// Pictures of a case.
const PICTURES: usize = 2;

/// What a report says of this run, whose results these are.
///
/// # Errors
///
/// The store cannot be read.
pub fn context(store: &Store, run: &Run, results: &[CaseResult]) -> Result<Context, StoreError> {
    let mut context = Context {
        rules: rules(),
        ..Context::default()
    };
    let plan = Plan::from_text(&run.record.plan);
    match &plan {
        Ok(plan) => context.plan = planned(plan),
        Err(why) => context
            .missing
            .push(format!("What was planned is not shown: {why}.")),
    }
    let mut cases: Vec<Case> = Vec::new();
    let mut unread = 0;
    for planned in store.planned_cases(run.id)? {
        match Case::from_planned(planned) {
            Ok(case) => cases.push(case),
            Err(_) => unread += 1,
        }
    }
    if unread > 0 {
        context.missing.push(format!(
            "{unread} cases were planned by another version of classay: their rules and programs are not shown."
        ));
    }
    let asked = Asked::about(plan.ok().as_ref(), &mut context.missing);
    let results: BTreeMap<&CaseId, &CaseResult> = results.iter().map(|r| (&r.case, r)).collect();
    let device = run.device.as_ref().map_or("", |d| d.selector.as_str());
    let (mut late, mut drawn) = (0, 0);
    for case in &cases {
        let Some(result) = results.get(&case.id) else {
            continue;
        };
        let mut about = About::default();
        if Instant::now() < asked.until {
            asked.tell(case, &mut about);
            if result.verdict.is_failure() && drawn < DRAWN {
                about.pictures = asked.pictures(case, result);
                drawn += usize::from(!about.pictures.is_empty());
            }
        } else {
            late += 1;
        }
        if result.verdict.is_failure() {
            about.notes = notes::of(case, result, (run.record.seed, device), store.path());
        }
        context.cases.insert(case.id.clone(), about);
    }
    if late > 0 {
        context.missing.push(format!(
            "What {late} cases are about was not worked out: that takes more than {} s.",
            PATIENCE.as_secs()
        ));
    }
    Ok(context)
}

/// How far a run came that its time ended; `None` for one that is not over.
///
/// # Errors
///
/// The store cannot be read.
pub fn reach(
    store: &Store,
    run: &Run,
    results: &[CaseResult],
) -> Result<Option<Reach>, StoreError> {
    let plan = Plan::from_text(&run.record.plan).ok();
    let model = plan.and_then(|plan| ChosenModel::load(&plan.model).ok());
    let Some(model) = model.filter(|_| run.status == RunStatus::Done) else {
        return Ok(None);
    };
    let planned = store.planned_cases(run.id)?.into_iter();
    let cases: Vec<Case> = planned.filter_map(|c| Case::from_planned(c).ok()).collect();
    Ok(Some(Covers::by(&model).reach(&cases, results)))
}

/// The catalogue. Vulkan's rules are the oracle's: no OpenCL device can break them.
pub fn rules() -> Vec<Rule> {
    let rules = catalogue::all().iter();
    rules
        .filter(|rule| !rule.id.as_str().starts_with("vk."))
        .map(|rule| Rule {
            id: rule.id.to_string(),
            section: rule.section.clone(),
            statement: rule.statement.clone(),
            kind: match rule.kind {
                catalogue::Kind::Must => Kind::Must,
                catalogue::Kind::May => Kind::May,
                catalogue::Kind::Ub => Kind::Undefined,
            },
        })
        .collect()
}

/// The plan, for people.
fn planned(plan: &Plan) -> Vec<(String, String)> {
    let pair = |name: &str, value: String| (name.to_owned(), value);
    vec![
        pair("judged by", plan.model.clone()),
        pair(
            "asked for",
            match plan.asked {
                Budget::Seconds(s) => format!("about {s} s in all"),
                Budget::Enough { seconds, enough } => {
                    format!("at most about {seconds} s in all, {enough}")
                }
                Budget::Instances(n) => format!("{n} instances of each case"),
            },
        ),
        pair(
            "selected",
            match plan.selection.is_all() {
                true => "every case".into(),
                false => plan.selection.to_string(),
            },
        ),
        pair("cases", plan.cases.to_string()),
    ]
}

/// What all readings of a model say of the outcome that a test asks about; `None` where the oracle does not know it
/// at once.
pub fn expected(chosen: &ChosenModel, program: &Program) -> Option<Expected> {
    let mut program = program.clone();
    program.condition.quantifier = Quantifier::Exists;
    let ask = |model: &Model| oracle::judge(&program, model, &Asked::limits());
    let holds = |judgement: &Judgement| judgement.holds;
    let said = chosen.readings().ask(holds, ask).ok()?;
    let whole = |judgement: &Judgement| !judgement.bounded && !judgement.outside;
    Some(match said.standing(holds) {
        Standing::Undefined => Expected::Undefined,
        Standing::Contested => Expected::Contested,
        Standing::Forbidden => {
            let whole = whole(&said.allowed) && said.weakest.as_ref().is_none_or(whole);
            return whole.then_some(Expected::Forbidden);
        }
        Standing::Allowed if ask(chosen.sequential.as_ref()?).ok()?.holds => Expected::Interleaving,
        Standing::Allowed => Expected::Weak,
    })
}

/// What is asked about every case.
struct Asked {
    model: Option<ChosenModel>,
    breaches: Option<Breaches>,
    until: Instant,
}

impl Asked {
    fn about(plan: Option<&Plan>, missing: &mut Vec<String>) -> Asked {
        let model = plan.and_then(|plan| match ChosenModel::load(&plan.model) {
            Ok(model) => Some(model),
            Err(_) => {
                missing.push(format!(
                    "The model {} cannot be used any more: what it says is not shown.",
                    plan.model
                ));
                None
            }
        });
        Asked {
            breaches: model.as_ref().and_then(|m| Breaches::of(&m.given).ok()),
            model,
            until: Instant::now() + PATIENCE,
        }
    }

    fn limits() -> Limits {
        Limits {
            states: 200_000,
            deadline: Deadline::after(EACH),
            ..Limits::default()
        }
    }

    /// Fills in what does not depend on the result.
    fn tell(&self, case: &Case, about: &mut About) {
        if let Some(breaches) = &self.breaches {
            let rules = covers_within(case, breaches, &Asked::limits());
            about.rules = rules.into_iter().map(|rule| rule.to_string()).collect();
        }
        if let Body::Litmus(test) = &case.body {
            let program = test.program();
            // A question whether something always holds has no outcome of its own to look for.
            if program.condition.quantifier != Quantifier::Forall {
                about.annotation = annotations::of(program);
            }
            let model = self.model.as_ref();
            about.expected = model.and_then(|model| expected(model, program));
        }
    }

    /// Drawings of what a test did though every reading of the model forbids it.
    fn pictures(&self, case: &Case, result: &CaseResult) -> Vec<Picture> {
        let (Body::Litmus(test), Some(model)) = (&case.body, &self.model) else {
            return Vec::new();
        };
        judge::forbidden(test.program(), &result.histogram(), model, PICTURES)
            .into_iter()
            .filter_map(|(outcome, report)| {
                Some(Picture {
                    outcome,
                    svg: explain::svg(&report)?,
                    text: explain::text(&report),
                })
            })
            .collect()
    }
}
