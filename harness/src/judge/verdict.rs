//! The verdict of a litmus test: its outcomes, compared with everything that the model allows.
//!
//! An outcome that the model forbids fails the case when it occurs once, and the reason names the
//! rules that forbid it. A program whose behaviour is undefined is not judged. What the oracle
//! cannot decide is judged by the test's own condition, and the reason says so.

use super::apart::apart;
use super::asked::asked;
use super::shown::ShownBy;
use super::{ChosenModel, outcome};
use classay_litmus::cat::reading;
use classay_litmus::explain;
use classay_litmus::oracle::{
    self, Deadline, Error, Explanation, Limits, Model, Refusal, Said, State,
};
use classay_litmus::program::{Observable, Predicate, Program};
use classay_reports::record::{
    Evidence, EvidenceKind, Outcome, OutcomeCount, RuleId, Verdict, Violation,
};
use classay_reports::text::outcome::outcome as text;
use classay_reports::verdict::{Judgement, verdict};
use std::collections::HashMap;
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
    /// What was violated, where a model says so.
    pub violations: Vec<Violation>,
    /// What explains the verdict.
    pub evidence: Vec<Evidence>,
    /// The freedoms that its instances could show, and the outcomes that do.
    pub freedoms: Vec<ShownBy>,
}

impl Judged {
    /// A verdict that needs no more explanation.
    pub fn of(verdict: Verdict, reason: String) -> Judged {
        Judged {
            verdict,
            reason,
            violations: Vec::new(),
            evidence: Vec::new(),
            freedoms: Vec::new(),
        }
    }
}

/// Judges what a device did with a test.
pub fn judge_case(program: &Program, histogram: &[OutcomeCount], chosen: &ChosenModel) -> Judged {
    let test = Test::new(program.clone(), chosen);
    if histogram.iter().all(|o| o.count == 0) {
        return test.by_condition(histogram, None);
    }
    let said = chosen.readings().ask(
        |allowed| !test.forbids_some(histogram, allowed),
        |model| test.allowed_by(model),
    );
    match said {
        Err(why) => test.by_condition(histogram, Some(why)),
        Ok(said) if said.allowed.racy => test.undefined(histogram, &said.allowed),
        Ok(said) => {
            let judged = test.by_model(histogram, &said);
            asked(judged, program, histogram, &test)
        }
    }
}

/// Whether a model lets a program end so.
pub(super) fn lets(allowed: &oracle::Judgement, state: &State) -> bool {
    allowed.racy || allowed.states.contains(state)
}

/// The values of a program's observables in every outcome that some reading of a model allows: the others
/// [`judge_case`] takes for forbidden. The error says why they are not known.
///
/// # Errors
///
/// The test is beyond the oracle, or racy; one sentence.
pub fn allowed_values(program: Program, chosen: &ChosenModel) -> Result<Vec<Vec<i64>>, String> {
    let allowed = Test::new(program, chosen).allowed_by(chosen.weakest())?;
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

/// A litmus test and the model that judges it.
pub(super) struct Test<'a> {
    /// The test.
    pub program: Program,
    /// What its outcomes record.
    pub observables: Vec<Observable>,
    /// The names of that.
    pub recorded: Vec<classay_vocabulary::Observable>,
    /// The model.
    pub chosen: &'a ChosenModel,
    /// As far as the oracle goes for all questions together; none where each has [`PATIENCE`].
    pub within: Option<Limits>,
}

impl<'a> Test<'a> {
    /// About this test.
    pub fn new(program: Program, chosen: &'a ChosenModel) -> Test<'a> {
        Test::filtered(without_filter(program), chosen)
    }

    /// About the outcomes of this test that its filter lets through.
    pub(super) fn filtered(program: Program, chosen: &'a ChosenModel) -> Test<'a> {
        Test {
            observables: program.observables(),
            recorded: program.recorded(),
            program,
            chosen,
            within: None,
        }
    }

    /// As far as the oracle goes for a question that is asked now.
    fn limits(&self) -> Limits {
        self.within.clone().unwrap_or_else(limits)
    }

    /// An outcome in words.
    fn text(&self, seen: &OutcomeCount) -> String {
        text(&seen.outcome, &self.recorded)
    }

    /// The verdict of its condition, and of what is known of each outcome.
    fn verdict(
        &self,
        histogram: &[OutcomeCount],
        judge: &dyn Fn(&OutcomeCount) -> Judgement,
    ) -> (Verdict, String) {
        let quantifier = self.program.condition.quantifier;
        verdict(quantifier, histogram, &self.recorded, judge)
    }

    /// Everything that a model allows; or why that is not known.
    pub(super) fn allowed_by(&self, model: &Model) -> Result<oracle::Judgement, String> {
        match apart(|| oracle::judge(&self.program, model, &self.limits())) {
            Ok(Ok(judgement)) => Ok(judgement),
            Ok(Err(Error::Late)) if self.within.is_none() => {
                Err(format!("that takes more than {} s", PATIENCE.as_secs()))
            }
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
                oracle::explain(&self.program, &self.chosen.model, &only, &limits).ok()
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
        apart(|| explain::report(&self.program, &self.chosen.model, &only, &limits()))
            .ok()?
            .ok()
    }

    /// The verdict of the test's own condition, and why no model has a say.
    fn by_condition(&self, histogram: &[OutcomeCount], unjudged: Option<String>) -> Judged {
        let (verdict, mut reason) = self.verdict(histogram, &|_| Judgement::Unjudged);
        if let Some(why) = unjudged {
            reason.push_str(&format!(
                "; {} does not judge it: {why}",
                self.chosen.name()
            ));
        }
        Judged::of(verdict, reason)
    }

    /// A program that may do anything.
    fn undefined(&self, histogram: &[OutcomeCount], allowed: &oracle::Judgement) -> Judged {
        let (verdict, reason) = self.verdict(histogram, &|_| Judgement::Racy);
        let race = allowed.flags.iter().any(|flag| flag == "mm.race");
        let reason = if race {
            reason
        } else {
            format!(
                "{} flags the program ({}), so its behaviour is undefined and is not judged",
                self.chosen.name(),
                allowed.flags.join(", ")
            )
        };
        Judged::of(verdict, reason)
    }

    /// Whether some outcome that was observed is not among those allowed.
    fn forbids_some(&self, histogram: &[OutcomeCount], allowed: &oracle::Judgement) -> bool {
        let states = histogram.iter().filter(|o| o.count > 0);
        let mut states = states.filter_map(|o| o.outcome.state());
        states.any(|values| {
            values.len() == self.observables.len() && !lets(allowed, &State(values.to_vec()))
        })
    }

    /// Which readings of the model forbid a state and which allow it, as the end of "which …".
    pub(super) fn readings(&self, state: &State) -> String {
        let verbs = [("forbids", "forbid"), ("allows", "allow")];
        self.compare(&|allowed| lets(allowed, state), verbs)
    }

    /// For which readings of the model something does not hold and for which it does, each with its verb (of
    /// one reading, of several).
    pub(super) fn compare(
        &self,
        holds: &dyn Fn(&oracle::Judgement) -> bool,
        verbs: [(&str, &str); 2],
    ) -> String {
        let base = self.chosen.name();
        let each = self.chosen.model.readings().map(|reading| {
            let model = Model::named(&reading::joined(base, [reading.name.as_str()]));
            (reading.name.as_str(), model.ok())
        });
        let whole = (base, Some((*self.chosen.model).clone()));
        let (mut without, mut with, mut unknown) = (Vec::new(), Vec::new(), Vec::new());
        for (name, model) in std::iter::once(whole).chain(each) {
            match model.map(|model| self.allowed_by(&model)) {
                Some(Ok(allowed)) if holds(&allowed) => with.push(name),
                Some(Ok(_)) => without.push(name),
                Some(Err(_)) | None => unknown.push(name),
            }
        }
        let list = |names: Vec<&str>, (one, several): (&str, &str)| match names.as_slice() {
            [] => format!("readings together {several}"),
            [name] => format!("{name} {one}"),
            names => format!("{} {several}", names.join(", ")),
        };
        let [forbid, allow] = verbs;
        let mut text = format!("{} and {}", list(without, forbid), list(with, allow));
        if !unknown.is_empty() {
            text.push_str(&format!("; not known of {}", unknown.join(", ")));
        }
        text
    }

    /// The verdict of a program that the model defines: of what it allows, and, where that is contested, of
    /// what the weakest reading allows beyond it.
    fn by_model(&self, histogram: &[OutcomeCount], Said { allowed, weakest }: &Said) -> Judged {
        let weakest = weakest.as_ref();
        let mut judgements: HashMap<&Outcome, Judgement> = HashMap::new();
        let mut forbidden: Vec<(&OutcomeCount, State)> = Vec::new();
        let mut undecided = false;
        for seen in histogram.iter().filter(|o| o.count > 0) {
            let judgement = match &seen.outcome {
                Outcome::State(values) if values.len() == self.observables.len() => {
                    let state = State(values.clone());
                    if allowed.states.contains(&state) {
                        Judgement::Allowed
                    } else if allowed.bounded || allowed.outside {
                        undecided = true;
                        Judgement::Unjudged
                    } else if weakest.is_some_and(|weakest| lets(weakest, &state)) {
                        let readings = self.readings(&state);
                        Judgement::Contested { readings }
                    } else if weakest.is_some_and(|weakest| weakest.bounded || weakest.outside) {
                        undecided = true;
                        Judgement::Unjudged
                    } else {
                        forbidden.push((seen, state));
                        continue;
                    }
                }
                Outcome::Incomplete => Judgement::Unjudged,
                Outcome::State(_) | Outcome::Required | Outcome::Violation(_) => {
                    let why = "it is no outcome of this test".into();
                    Judgement::Impossible { why }
                }
            };
            judgements.insert(&seen.outcome, judgement);
        }
        forbidden.sort_by_key(|(seen, _)| std::cmp::Reverse(seen.count));
        let (violations, evidence) = self.explained(&forbidden, &mut judgements);
        let judge = |o: &OutcomeCount| {
            let found = judgements.get(&o.outcome);
            found.cloned().unwrap_or(Judgement::Unjudged)
        };
        let (mut verdict, mut reason) = self.verdict(histogram, &judge);
        if verdict == Verdict::Pass
            && let Some(seen) = self.thin(histogram, allowed)
        {
            verdict = Verdict::Inconclusive;
            reason = format!(
                "`{}` holds a value out of thin air: no rule of {} forbids it, but implementations \
                 should ensure that there is none (mm.thin-air)",
                self.text(seen),
                self.chosen.name()
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
                self.chosen.name()
            ));
        }
        Judged {
            verdict,
            reason,
            violations,
            evidence,
            freedoms: self.freedoms(histogram, allowed),
        }
    }

    /// All that another model allows; none where the oracle does not see all of it.
    pub fn whole(&self, model: &oracle::Model) -> Option<oracle::Judgement> {
        apart(|| oracle::judge(&self.program, model, &limits()))
            .ok()?
            .ok()
            .filter(|judgement| !judgement.bounded && !judgement.outside)
    }

    /// The most frequent outcome that is allowed only by a value that depends on its own computation; none where
    /// the oracle does not see all outcomes.
    fn thin<'h>(
        &self,
        histogram: &'h [OutcomeCount],
        allowed: &oracle::Judgement,
    ) -> Option<&'h OutcomeCount> {
        let grounded = self.whole(self.chosen.without_thin_air.as_deref()?)?;
        let is_thin = |seen: &&OutcomeCount| {
            seen.outcome.state().is_some_and(|values| {
                let state = State(values.to_vec());
                allowed.states.contains(&state) && !grounded.states.contains(&state)
            })
        };
        histogram
            .iter()
            .filter(|seen| seen.count > 0)
            .filter(is_thin)
            .max_by_key(|seen| seen.count)
    }

    /// Finds the rules that forbid outcomes, and what to show of them.
    fn explained<'h>(
        &self,
        forbidden: &[(&'h OutcomeCount, State)],
        judgements: &mut HashMap<&'h Outcome, Judgement>,
    ) -> (Vec<Violation>, Vec<Evidence>) {
        let (mut violations, mut evidence) = (Vec::new(), Vec::new());
        if forbidden.is_empty() {
            return (violations, evidence);
        }
        let states = forbidden.iter().take(EXPLAINED).map(|(_, s)| s.clone());
        let answers = self.why(states.collect());
        let mut rules: Vec<RuleId> = Vec::new();
        let mut broken: Vec<&'h Outcome> = Vec::new();
        for (index, (seen, state)) in forbidden.iter().enumerate() {
            match answers.get(index) {
                Some(Some(Explanation::Impossible)) => {
                    let why = "no choice of what its reads return gives these values".into();
                    judgements.insert(&seen.outcome, Judgement::Impossible { why });
                    continue;
                }
                Some(Some(Explanation::Forbidden(refusal))) => {
                    let violation = self.violation(seen, refusal);
                    for rule in &violation.rules {
                        if !rules.contains(rule) {
                            rules.push(*rule);
                        }
                    }
                    // The most frequent one stands for all: one picture is enough to look at.
                    let drawn = evidence.is_empty().then(|| self.drawn(state)).flatten();
                    evidence.push(self.forbids(&violation, refusal, drawn));
                    violations.push(violation);
                }
                // The search for the reason was given up, or was not begun.
                Some(Some(Explanation::Allowed(_)) | None) | None => {}
            }
            broken.push(&seen.outcome);
        }
        let names: Vec<&str> = rules.iter().map(|rule| rule.as_str()).collect();
        let rule = match names.as_slice() {
            [] => self.chosen.name().to_string(),
            names => format!("{} ({})", self.chosen.name(), names.join(", ")),
        };
        for outcome in broken {
            let rule = rule.clone();
            judgements.insert(outcome, Judgement::Forbidden { rule });
        }
        (violations, evidence)
    }

    /// A forbidden outcome as a violation of the axioms that forbid it.
    fn violation(&self, seen: &OutcomeCount, refusal: &Refusal) -> Violation {
        let times = match seen.count {
            1 => "once".into(),
            n => format!("{n} times"),
        };
        Violation {
            rules: axioms(refusal),
            what: format!("`{}`, observed {times}", self.text(seen)),
        }
    }

    /// What is kept about a forbidden outcome, for people.
    fn forbids(&self, violation: &Violation, refusal: &Refusal, drawn: Option<String>) -> Evidence {
        let mut text = format!("{} forbids {}:\n", self.chosen.name(), violation.what);
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
            kind: EvidenceKind::Forbidden,
            text,
        }
    }
}

/// The axioms that forbid an outcome, each once.
pub fn axioms(refusal: &Refusal) -> Vec<RuleId> {
    let mut rules: Vec<RuleId> = Vec::new();
    for failure in &refusal.failures {
        let rule = RuleId::new(&failure.check);
        if !rules.contains(&rule) {
            rules.push(rule);
        }
    }
    rules
}

#[cfg(test)]
#[path = "verdict_tests.rs"]
mod tests;
