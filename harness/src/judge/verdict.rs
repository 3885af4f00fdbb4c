//! The verdict of a case: its outcomes, held against everything that the model allows.
//!
//! An outcome that the model forbids fails the case when it occurs once, and the reason names the
//! rules that forbid it. A program whose behaviour is undefined is not judged. What the oracle
//! cannot decide is judged by the test's own question, and the reason says so.

use super::apart::apart;
use super::{ChosenModel, outcome};
use classay_litmus::explain;
use classay_litmus::oracle::{self, Deadline, Error, Explanation, Limits, Model, Refusal, State};
use classay_litmus::program::{Observable, Predicate, Program};
use classay_litmus::syntax;
use classay_reports::record::{Evidence, OutcomeCount, Verdict};
use classay_reports::verdict::{Judgement, verdict};
use classay_vocabulary::Quantifier;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

/// How long the oracle may think about one case, and again about why outcomes are forbidden.
const PATIENCE: Duration = Duration::from_secs(10);

/// How many forbidden outcomes of a case are explained, the most frequent first.
const EXPLAINED: usize = 4;

/// A verdict with its reason and what explains it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judged {
    /// The verdict.
    pub verdict: Verdict,
    /// One sentence.
    pub reason: String,
    /// The rules that were broken.
    pub evidence: Vec<Evidence>,
}

/// Judges what a device did with a test.
pub fn judge_case(
    source: &str,
    question: Quantifier,
    histogram: &[OutcomeCount],
    chosen: &ChosenModel,
) -> Judged {
    if histogram.iter().all(|o| o.count == 0) {
        return by_question(question, histogram, None);
    }
    let program = match syntax::read_litmus("the case", source) {
        Ok(program) => program,
        Err(error) => {
            let why = format!("its text cannot be read: {}", error.message());
            return by_question(question, histogram, Some((chosen, why)));
        }
    };
    let asked = Asked::new(program, chosen);
    match asked.allowed() {
        Err(why) => by_question(question, histogram, Some((chosen, why))),
        Ok(allowed) if allowed.racy => undefined(question, histogram, chosen, &allowed),
        Ok(allowed) => by_model(question, histogram, chosen, &asked, &allowed),
    }
}

/// The values of a program's observables in every outcome that a model allows, as [`judge_case`] takes them;
/// the error says why they are not known.
///
/// # Errors
///
/// The test is beyond the oracle, or racy; one sentence.
pub fn allowed_values(program: Program, chosen: &ChosenModel) -> Result<Vec<Vec<i64>>, String> {
    let asked = Asked {
        observables: program.observables(),
        program: without_filter(program),
        model: chosen.model.clone(),
    };
    let allowed = asked.allowed()?;
    if allowed.racy {
        return Err(format!(
            "{} flags the program ({}), so its behaviour is undefined",
            chosen.name(),
            allowed.flags.join(", ")
        ));
    }
    if allowed.bounded || allowed.outside {
        return Err(format!(
            "{} does not decide about all outcomes of the program",
            chosen.name()
        ));
    }
    Ok(allowed.states.into_iter().map(|state| state.0).collect())
}

/// The program with a filter that lets everything through and mentions what its own mentions, so
/// that outcomes have the same observables: those that the test's author has no interest in are
/// allowed or forbidden like all others.
fn without_filter(mut program: Program) -> Program {
    program.filter = program
        .filter
        .map(|filter| Predicate::Or(vec![Predicate::Bool(true), filter]));
    program
}

/// As far as the oracle goes for a question about a case that is asked now.
fn limits() -> Limits {
    Limits {
        states: 200_000,
        deadline: Deadline::after(PATIENCE),
        ..Limits::default()
    }
}

/// What the oracle is asked about.
pub(super) struct Asked {
    /// The test, with a filter that lets everything through.
    pub program: Program,
    /// What its outcomes record.
    pub observables: Vec<Observable>,
    model: Arc<Model>,
}

impl Asked {
    /// About this test.
    pub fn new(program: Program, chosen: &ChosenModel) -> Asked {
        Asked {
            observables: program.observables(),
            program: without_filter(program),
            model: chosen.model.clone(),
        }
    }

    /// Everything that the model allows; or why that is not known.
    pub fn allowed(&self) -> Result<oracle::Judgement, String> {
        match apart(|| oracle::judge(&self.program, &self.model, &limits())) {
            Ok(Ok(judgement)) => Ok(judgement),
            Ok(Err(Error::Late)) => Err(format!("that takes more than {} s", PATIENCE.as_secs())),
            Ok(Err(error)) => Err(error.to_string()),
            Err(error) => Err(error.to_string()),
        }
    }

    /// Why these states, which the model does not allow, are forbidden; one answer each, none for
    /// those that it takes too long to explain.
    fn why(&self, states: Vec<State>) -> Vec<Option<Explanation>> {
        let answers = apart(|| {
            let limits = limits();
            let why = |state: State| {
                let only = outcome::predicate(&self.observables, &state);
                oracle::explain(&self.program, &self.model, &only, &limits).ok()
            };
            states.into_iter().map(why).collect()
        });
        answers.unwrap_or_default()
    }

    /// An execution with this state, drawn as text, with the cycle that is forbidden; none where
    /// that takes too long.
    fn drawn(&self, state: &State) -> Option<String> {
        self.report(state).map(|report| explain::text(&report))
    }

    /// Everything there is to say about a state; none where that takes too long.
    pub fn report(&self, state: &State) -> Option<explain::Report> {
        let only = outcome::predicate(&self.observables, state);
        apart(|| explain::report(&self.program, &self.model, &only, &limits()))
            .ok()?
            .ok()
    }
}

/// The verdict of the test's own question, and why no model has a say.
fn by_question(
    question: Quantifier,
    histogram: &[OutcomeCount],
    unjudged: Option<(&ChosenModel, String)>,
) -> Judged {
    let (verdict, mut reason) = verdict(question, histogram, &|_| Judgement::Unjudged);
    if let Some((chosen, why)) = unjudged {
        reason.push_str(&format!("; {} does not judge it: {why}", chosen.name()));
    }
    Judged {
        verdict,
        reason,
        evidence: Vec::new(),
    }
}

/// A program that may do anything.
fn undefined(
    question: Quantifier,
    histogram: &[OutcomeCount],
    chosen: &ChosenModel,
    allowed: &oracle::Judgement,
) -> Judged {
    let (verdict, reason) = verdict(question, histogram, &|_| Judgement::Racy);
    let race = allowed.flags.iter().any(|flag| flag == "mm.race");
    let reason = if race {
        reason
    } else {
        format!(
            "{} flags the program ({}), so its behaviour is undefined and is not judged",
            chosen.name(),
            allowed.flags.join(", ")
        )
    };
    Judged {
        verdict,
        reason,
        evidence: Vec::new(),
    }
}

/// The verdict of a program that the model defines.
fn by_model(
    question: Quantifier,
    histogram: &[OutcomeCount],
    chosen: &ChosenModel,
    asked: &Asked,
    allowed: &oracle::Judgement,
) -> Judged {
    let mut judgements: HashMap<&str, Judgement> = HashMap::new();
    let mut forbidden: Vec<(&OutcomeCount, State)> = Vec::new();
    let mut undecided = false;
    for seen in histogram.iter().filter(|o| o.count > 0) {
        let text = seen.outcome.as_str();
        match outcome::state(&asked.program, &asked.observables, text) {
            Some(state) if allowed.states.contains(&state) => {
                judgements.insert(text, Judgement::Allowed);
            }
            Some(_) if allowed.bounded || allowed.outside => {
                undecided = true;
                judgements.insert(text, Judgement::Unjudged);
            }
            Some(state) => forbidden.push((seen, state)),
            // An instance that gave up a loop, or that left no result.
            None if text.starts_with('(') => {
                judgements.insert(text, Judgement::Unjudged);
            }
            None => {
                let why = "it is no outcome of this test".into();
                judgements.insert(text, Judgement::Impossible { why });
            }
        }
    }
    forbidden.sort_by_key(|(seen, _)| std::cmp::Reverse(seen.count));
    let evidence = explained(&forbidden, chosen, asked, &mut judgements);
    let judge = |o: &OutcomeCount| {
        let found = judgements.get(o.outcome.as_str());
        found.cloned().unwrap_or(Judgement::Unjudged)
    };
    let (mut verdict, mut reason) = verdict(question, histogram, &judge);
    if verdict == Verdict::Pass
        && let Some(seen) = thin(histogram, chosen, asked, allowed)
    {
        verdict = Verdict::Inconclusive;
        reason = format!(
            "`{seen}` holds a value out of thin air: no rule of {} forbids it, but implementations \
             should ensure that there is none (mm.thin-air)",
            chosen.name()
        );
    }
    if undecided {
        let why = if allowed.bounded {
            format!("loops are repeated only {} times", limits().loop_bound)
        } else {
            "an index leaves its array, and what happens then is undefined".into()
        };
        reason.push_str(&format!(
            "; {} does not decide about all outcomes: {why}",
            chosen.name()
        ));
    }
    Judged {
        verdict,
        reason,
        evidence,
    }
}

/// The most frequent outcome that is allowed only by a value that depends on its own computation; none where
/// the oracle does not see all outcomes.
fn thin<'a>(
    histogram: &'a [OutcomeCount],
    chosen: &ChosenModel,
    asked: &Asked,
    allowed: &oracle::Judgement,
) -> Option<&'a str> {
    let model = chosen.modest.as_ref()?;
    let modest = apart(|| oracle::judge(&asked.program, model, &limits()))
        .ok()?
        .ok()
        .filter(|modest| !modest.bounded && !modest.outside)?;
    let thin = |seen: &&OutcomeCount| {
        outcome::state(&asked.program, &asked.observables, &seen.outcome)
            .is_some_and(|state| allowed.states.contains(&state) && !modest.states.contains(&state))
    };
    histogram
        .iter()
        .filter(|seen| seen.count > 0)
        .filter(thin)
        .max_by_key(|seen| seen.count)
        .map(|seen| seen.outcome.as_str())
}

/// Finds the rules that forbid outcomes, and what to show of them.
fn explained<'a>(
    forbidden: &[(&'a OutcomeCount, State)],
    chosen: &ChosenModel,
    asked: &Asked,
    judgements: &mut HashMap<&'a str, Judgement>,
) -> Vec<Evidence> {
    if forbidden.is_empty() {
        return Vec::new();
    }
    let states = forbidden.iter().take(EXPLAINED).map(|(_, s)| s.clone());
    let answers = asked.why(states.collect());
    let mut evidence = Vec::new();
    let mut rules: Vec<String> = Vec::new();
    let mut broken: Vec<&'a str> = Vec::new();
    for (index, (seen, state)) in forbidden.iter().enumerate() {
        match answers.get(index) {
            Some(Some(Explanation::Impossible)) => {
                let why = "no choice of what its reads return gives these values".into();
                judgements.insert(&seen.outcome, Judgement::Impossible { why });
                continue;
            }
            Some(Some(Explanation::Forbidden(refusal))) => {
                for failure in &refusal.failures {
                    if !rules.iter().any(|r| **r == *failure.check) {
                        rules.push(failure.check.to_string());
                    }
                }
                // The most frequent one stands for all: one picture is enough to look at.
                let drawn = evidence.is_empty().then(|| asked.drawn(state)).flatten();
                evidence.push(told(seen, chosen, refusal, drawn));
            }
            // The search for the reason was given up, or was not begun.
            Some(Some(Explanation::Allowed(_)) | None) | None => {}
        }
        broken.push(&seen.outcome);
    }
    let rule = match rules.as_slice() {
        [] => chosen.name().to_string(),
        rules => format!("{} ({})", chosen.name(), rules.join(", ")),
    };
    for outcome in broken {
        let rule = rule.clone();
        judgements.insert(outcome, Judgement::Forbidden { rule });
    }
    evidence
}

/// What is kept about a forbidden outcome.
fn told(
    seen: &OutcomeCount,
    chosen: &ChosenModel,
    refusal: &Refusal,
    drawn: Option<String>,
) -> Evidence {
    let times = match seen.count {
        1 => "once".into(),
        n => format!("{n} times"),
    };
    let mut text = format!(
        "{} forbids `{}`, observed {times}:\n",
        chosen.name(),
        seen.outcome
    );
    for failure in &refusal.failures {
        let labels: Vec<&str> = failure.cycle.iter().map(|e| e.label.as_str()).collect();
        text.push_str(&format!(
            "{} ({}:{}): {}\n",
            failure.check,
            failure.file,
            failure.line,
            if labels.is_empty() {
                "no total order passes".into()
            } else {
                labels.join("; ")
            }
        ));
    }
    if let Some(drawn) = drawn {
        text.push('\n');
        text.push_str(&drawn);
    }
    Evidence {
        kind: "forbidden".into(),
        text,
    }
}

#[cfg(test)]
#[path = "verdict_tests.rs"]
mod tests;
