//! What a case's tries add up to: one result, which never hides a death.

use super::death::Death;
use super::whereabouts::Left;
use crate::execute::{Ended, NotRun};
use crate::judge::{ChosenModel, Judged, ShownBy, judge_case, judge_commands, named};
use crate::plan::{Body, Case, Work};
use classay_reports::record::{CaseResult, Launch, OutcomeCount, Verdict, Violation};

/// One try of a case.
#[derive(Debug, Default)]
pub struct Attempt {
    /// Its launches.
    pub launches: Vec<Launch>,
    /// Its wall time.
    pub seconds: f64,
    /// How it ended.
    pub ending: Ending,
}

/// How a try ended.
#[derive(Debug)]
pub enum Ending {
    /// It ran to its end.
    Finished(Ended),
    /// A capability is missing, or the implementation failed.
    NotRun(NotRun),
    /// The worker died.
    Died(Death),
}

impl Default for Ending {
    fn default() -> Ending {
        Ending::Finished(Ended::default())
    }
}

impl Attempt {
    /// Whether its worker crashed.
    pub fn crashed(&self) -> bool {
        match &self.ending {
            Ending::Died(death) => death.how.verdict() == Verdict::Crash,
            Ending::Finished(_) | Ending::NotRun(_) => false,
        }
    }

    /// Whether its worker hung.
    pub fn hung(&self) -> bool {
        matches!(&self.ending, Ending::Died(_)) && !self.crashed()
    }

    /// Whether the implementation failed before it had anything of the case: there is no text or count to show for it.
    pub fn never_began(&self) -> bool {
        match &self.ending {
            Ending::NotRun(NotRun::Failed { evidence, .. }) => {
                evidence.is_empty() && self.launches.is_empty()
            }
            Ending::NotRun(NotRun::Skip { .. }) | Ending::Finished(_) | Ending::Died(_) => false,
        }
    }

    /// What is left of the case, where a call that must be refused ended its worker.
    pub fn left(&self) -> Option<Left> {
        match &self.ending {
            Ending::Died(death) => death.whereabouts.left.filter(|_| self.crashed()),
            Ending::Finished(_) | Ending::NotRun(_) => None,
        }
    }

    /// Seconds in the compiler, of one that ran to its end.
    ///
    /// # Errors
    /// One that did not; in a sentence why.
    pub fn build_seconds(&self) -> Result<f64, String> {
        match &self.ending {
            Ending::Finished(ended) => Ok(ended.build_seconds),
            Ending::NotRun(why) => Err(why.reason().to_string()),
            Ending::Died(death) => Err(death.told()),
        }
    }
}

/// The result of a case from its tries, of which there is at least one, judged by `model`. Those that ran to
/// their end are parts of one observation, each in a process of its own.
pub fn conclude(case: &Case, mut attempts: Vec<Attempt>, model: &ChosenModel) -> CaseResult {
    let total = attempts.len();
    // Where each played what the one before it had left, all are one.
    let goes_on = attempts.iter().any(|attempt| attempt.left().is_some());
    if goes_on {
        gather(&mut attempts);
    }
    let seconds = attempts.iter().map(|a| a.seconds).sum();
    let mut deaths = Vec::new();
    let mut ended: Vec<Attempt> = Vec::new();
    let mut partial: Vec<Launch> = Vec::new();
    for attempt in attempts {
        match attempt.ending {
            Ending::Died(death) => {
                // Launches that came before the death were counted by the same rules as all others.
                if attempt.launches.len() > partial.len() {
                    partial = attempt.launches;
                }
                deaths.push(death);
            }
            Ending::Finished(_) | Ending::NotRun(_) => ended.push(attempt),
        }
    }
    let mut result = CaseResult {
        test: case.test.clone(),
        file: case.file.clone(),
        seconds,
        attempts: u32::try_from(total).unwrap_or(u32::MAX),
        failed_attempts: u32::try_from(deaths.len()).unwrap_or(u32::MAX),
        observables: case.body.observables(),
        ..CaseResult::new(case.id.clone(), Verdict::Inconclusive, "")
    };
    let have_end = !ended.is_empty();
    if have_end {
        take_ends(case, ended, model, &mut result);
    } else {
        result.launches = partial;
        if !result.launches.is_empty() {
            judge(case, model, &mut result);
        }
    }
    result.instances = result
        .launches
        .iter()
        .fold(0, |sum, l| sum.saturating_add(l.instances));
    if !deaths.is_empty() {
        result.reason = match goes_on {
            true => died_on_the_way(&deaths, have_end, &result),
            false => died(&deaths, total, have_end, &result),
        };
        let mut ends = deaths.iter().map(|death| death.how.verdict());
        let hung = ends.all(|end| end == Verdict::Timeout);
        result.verdict = match (have_end, result.verdict) {
            (true, Verdict::Pass) if !goes_on => Verdict::Flaky,
            _ if hung => Verdict::Timeout,
            _ => Verdict::Crash,
        };
        // The kernel that did not end was drawn by a worker; it is drawn once more for what it is about.
        let about = match case.body.work(case.seed) {
            Ok(Work::Kernel(kernel)) if hung => kernel.about(),
            _ => Vec::new(),
        };
        for death in &deaths {
            result.evidence.extend(death.evidence());
            let violation = death.violation(&about);
            let new = violation.filter(|one| !result.violations.contains(one));
            result.violations.extend(new);
        }
    }
    result
}

/// Gives the last of them the launches of all.
fn gather(attempts: &mut [Attempt]) {
    let Some((last, before)) = attempts.split_last_mut() else {
        return;
    };
    let mut all: Vec<Launch> = Vec::new();
    for attempt in before {
        all.append(&mut attempt.launches);
    }
    all.append(&mut last.launches);
    for (index, launch) in (0..).zip(&mut all) {
        launch.index = index;
    }
    last.launches = all;
}

/// The sentence for a case of which some calls ended their worker and those behind them were played by the next.
fn died_on_the_way(deaths: &[Death], have_end: bool, result: &CaseResult) -> String {
    let [first, ..] = deaths else {
        return String::new();
    };
    let calls = match deaths.len() {
        1 => "1 call".to_string(),
        n => format!("{n} calls"),
    };
    let mut text = format!("{} in {calls} that must be refused", first.how);
    if !have_end {
        text.push_str("; what is behind the last of them was not tried");
    }
    if !result.launches.is_empty() && !result.reason.is_empty() {
        text.push_str(&format!("; the others give: {}", result.reason));
    }
    text
}

/// Fills in the tries that ended. One that was not run speaks for all: what a device lacks it lacks in every
/// process, and what fails in one has failed. Only what failed before anything was launched, where another process
/// played the case, is flaky.
fn take_ends(case: &Case, attempts: Vec<Attempt>, model: &ChosenModel, result: &mut CaseResult) {
    let mut not_run = None;
    let mut judged = false;
    let mut not_run_count = 0;
    let total = attempts.len();
    let unbegun = attempts.iter().filter(|a| a.never_began()).count();
    for (process, attempt) in (0..).zip(attempts) {
        for launch in attempt.launches {
            let index = result.launches.len() as u64;
            result.launches.push(Launch {
                index,
                process,
                ..launch
            });
        }
        match attempt.ending {
            Ending::Finished(ended) => {
                judged = true;
                result.build_seconds += ended.build_seconds;
                result.device_seconds += ended.device_seconds;
                for violation in ended.violations {
                    if !result.violations.contains(&violation) {
                        result.violations.push(violation);
                    }
                }
                // Later processes say the same of where they played, but for what they drew.
                for evidence in ended.evidence {
                    let said = result
                        .evidence
                        .iter()
                        .any(|said| said.kind == evidence.kind);
                    if process == 0 || !said {
                        result.evidence.push(evidence);
                    }
                }
            }
            Ending::NotRun(why) => {
                not_run_count += 1;
                not_run = not_run.or(Some(why));
            }
            // The deaths say how.
            Ending::Died(_) => {}
        }
    }
    if judged {
        judge(case, model, result);
    }
    match not_run {
        Some(NotRun::Skip { lacks, reason }) => {
            result.verdict = Verdict::Skip;
            result.reason = reason;
            result.lacks = lacks;
        }
        Some(NotRun::Failed {
            reason,
            rules,
            evidence,
        }) => {
            let mut reason = reason;
            if !rules.is_empty() {
                let what = reason.clone();
                reason = format!("{what}, which {} forbids", named(&rules));
                result.violations.push(Violation { rules, what });
            }
            if judged && unbegun == not_run_count {
                result.failed_attempts += u32::try_from(unbegun).unwrap_or(u32::MAX);
                result.reason = format!(
                    "{reason} ({unbegun} of {total} attempts); an attempt that ended gives: {}",
                    result.reason
                );
                if result.verdict == Verdict::Pass {
                    result.verdict = Verdict::Flaky;
                }
            } else {
                result.verdict = Verdict::Fail;
                result.reason = reason;
            }
            result.evidence.extend(evidence);
        }
        None => {}
    }
}

/// Judges the counts of a result. What a launch showed is a violation also where the worker did not live to list
/// what it saw.
fn judge(case: &Case, model: &ChosenModel, result: &mut CaseResult) {
    let Judged {
        verdict,
        reason,
        violations,
        evidence,
        freedoms,
    } = judged(&case.body, &result.histogram(), model);
    result.verdict = verdict;
    result.reason = reason;
    let outcomes = result.histogram();
    let shown = outcomes.iter().filter(|outcome| outcome.count > 0);
    let shown = shown.filter_map(|outcome| outcome.outcome.violation());
    for violation in shown.cloned().chain(violations) {
        if !result.violations.contains(&violation) {
            result.violations.push(violation);
        }
    }
    result.evidence.extend(evidence);
    for launch in &mut result.launches {
        ShownBy::count(&freedoms, launch);
    }
}

/// Judges what a case's launches showed.
pub fn judged(body: &Body, histogram: &[OutcomeCount], model: &ChosenModel) -> Judged {
    match body.litmus() {
        Some(test) => judge_case(test, histogram, model),
        None => judge_commands(histogram),
    }
}

/// The sentence for a case whose worker died at least once: the rate, and how.
fn died(deaths: &[Death], total: usize, have_end: bool, result: &CaseResult) -> String {
    let mut text = match (deaths, total) {
        ([only], 1) => format!("{} (1 attempt)", only.how),
        ([first, ..], _) => {
            let same = deaths.iter().all(|d| d.how.kind() == first.how.kind());
            let how = if same {
                first.how.to_string()
            } else {
                let mut ways: Vec<String> = Vec::new();
                for way in deaths.iter().map(|death| death.how.to_string()) {
                    if !ways.contains(&way) {
                        ways.push(way);
                    }
                }
                ways.join("; or ")
            };
            format!("{how} ({} of {total} attempts)", deaths.len())
        }
        ([], _) => String::new(),
    };
    if have_end {
        text.push_str(&format!("; an attempt that ended gives: {}", result.reason));
    } else if !result.reason.is_empty() {
        text.push_str(&format!(
            "; the launches before that give: {}",
            result.reason
        ));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::LitmusTest;
    use crate::worker::death::How;
    use classay_reports::record::CaseId;
    use classay_reports::record::{EvidenceKind, Outcome, RuleId};
    use classay_suites::rule;
    use classay_vocabulary::Budget;
    use classay_vocabulary::Need;

    /// Nothing writes the 1.
    const READ: &str = "OPENCL read
{ [x]=0; }
P0 (global atomic_int* x) {
  int r0 = atomic_load_explicit(x, memory_order_relaxed, memory_scope_device);
}
~exists (0:r0=1)
";

    fn case() -> Case {
        Case {
            id: CaseId::new("litmus", "classic", "MP"),
            test: "MP".into(),
            file: String::new(),
            body: Body::Litmus(LitmusTest::read(READ).expect("a test")),
            environment: crate::environment::Environment::default(),
            seed: 1,
            budget: Budget::Instances(10),
            place: 0,
            keep: None,
        }
    }

    fn model() -> ChosenModel {
        ChosenModel::load("opencl-3.0").expect("a model")
    }

    fn launches(targets: u64) -> Vec<Launch> {
        let outcome = |value, count, target| OutcomeCount {
            outcome: Outcome::State(vec![value]),
            count,
            target,
        };
        let mut outcomes = vec![outcome(0, 10 - targets, false)];
        if targets > 0 {
            outcomes.push(outcome(1, targets, true));
        }
        vec![Launch {
            index: 0,
            process: 0,
            instances: 10,
            seconds: 0.5,
            outcomes,
            freedoms: Vec::new(),
        }]
    }

    fn ended(targets: u64) -> Attempt {
        Attempt {
            launches: launches(targets),
            seconds: 1.0,
            ending: Ending::default(),
        }
    }

    fn died(how: How, before: Vec<Launch>) -> Attempt {
        Attempt {
            launches: before,
            seconds: 2.0,
            ending: Ending::Died(Death {
                how,
                stderr: "boom\n".into(),
                ..Death::default()
            }),
        }
    }

    #[test]
    fn a_case_that_ended_is_judged_by_its_counts() {
        let pass = conclude(&case(), vec![ended(0)], &model());
        assert_eq!(
            (pass.verdict, pass.attempts, pass.failed_attempts),
            (Verdict::Pass, 1, 0)
        );
        assert_eq!(pass.instances, 10);
        let fail = conclude(&case(), vec![ended(1)], &model());
        assert_eq!(fail.verdict, Verdict::Fail);
    }

    #[test]
    fn what_a_launch_showed_is_a_violation_that_nobody_need_list() {
        let violation = Violation {
            rules: vec![RuleId::new("ex.state.profiling")],
            what: "late".into(),
        };
        let mut cut = ended(0);
        cut.launches[0].outcomes.push(OutcomeCount {
            outcome: Outcome::Violation(violation.clone()),
            count: 1,
            target: true,
        });
        let result = conclude(&case(), vec![cut], &model());
        assert_eq!(result.violations, [violation]);
    }

    #[test]
    fn what_ended_in_several_processes_is_one_observation() {
        let all = conclude(&case(), vec![ended(0), ended(0), ended(0)], &model());
        let at: Vec<_> = all.launches.iter().map(|l| (l.index, l.process)).collect();
        assert_eq!(at, [(0, 0), (1, 1), (2, 2)]);
        assert_eq!((all.instances, all.attempts), (30, 3));
        assert_eq!((all.seconds, all.verdict), (3.0, Verdict::Pass));
        // An outcome that one process alone showed was shown.
        let one = conclude(&case(), vec![ended(0), ended(1), ended(0)], &model());
        assert_eq!(one.verdict, Verdict::Fail);
        let why = NotRun::failed("the counts do not add up".into());
        let failed = not_run(why.with(EvidenceKind::Counts, "3 of 4".into()));
        let failed = conclude(&case(), vec![ended(0), failed], &model());
        assert_eq!(failed.verdict, Verdict::Fail);
        assert_eq!(failed.reason, "the counts do not add up");
    }

    fn not_run(why: NotRun) -> Attempt {
        Attempt {
            ending: Ending::NotRun(why),
            ..Attempt::default()
        }
    }

    #[test]
    fn a_process_that_got_no_context_is_not_the_test_s_failure() {
        let no_context = || not_run(NotRun::failed("clCreateContext gives error -9999".into()));
        let result = conclude(&case(), vec![no_context(), ended(0), ended(0)], &model());
        assert_eq!(
            (result.verdict, result.attempts, result.failed_attempts),
            (Verdict::Flaky, 3, 1)
        );
        let why =
            "clCreateContext gives error -9999 (1 of 3 attempts); an attempt that ended gives: ";
        assert!(result.reason.starts_with(why), "{}", result.reason);
        let failed = conclude(&case(), vec![no_context(), ended(1)], &model());
        assert_eq!(failed.verdict, Verdict::Fail, "what it showed is forbidden");
        let never = conclude(&case(), vec![no_context(), no_context()], &model());
        assert_eq!(never.verdict, Verdict::Fail);
        assert_eq!(never.reason, "clCreateContext gives error -9999");
    }

    #[test]
    fn a_pass_after_a_crash_is_no_pass() {
        let result = conclude(
            &case(),
            vec![died(How::Signal(11), vec![]), ended(0)],
            &model(),
        );
        assert_eq!(result.verdict, Verdict::Flaky);
        assert_eq!((result.attempts, result.failed_attempts), (2, 1));
        assert!(result.reason.contains("SIGSEGV"), "{}", result.reason);
        assert!(
            result.reason.contains("1 of 2 attempts"),
            "{}",
            result.reason
        );
        assert!(
            result.reason.contains("never observed"),
            "{}",
            result.reason
        );
        assert_eq!(result.instances, 10);
        assert_eq!(result.seconds, 3.0);
        assert!(
            result
                .evidence
                .iter()
                .any(|e| e.kind == EvidenceKind::Stderr && e.text == "boom\n")
        );
    }

    #[test]
    fn what_is_behind_a_call_that_ended_its_worker_is_of_the_same_case() {
        let in_a_call = |before: Vec<Launch>| {
            let mut attempt = died(How::Signal(11), before);
            if let Ending::Died(death) = &mut attempt.ending {
                death.whereabouts.left = Some(Left {
                    from: 0,
                    without: 3,
                });
            }
            attempt
        };
        let to_end = vec![in_a_call(launches(0)), in_a_call(vec![]), ended(1)];
        let result = conclude(&case(), to_end, &model());
        assert_eq!((result.verdict, result.instances), (Verdict::Crash, 20));
        let at: Vec<_> = result.launches.iter().map(|l| l.index).collect();
        assert_eq!(at, [0, 1]);
        let reason =
            "the worker was killed by SIGSEGV in 2 calls that must be refused; the others give";
        assert!(result.reason.starts_with(reason), "{}", result.reason);
        // A pass of the others is no flaky case, and what was left out is said.
        let passed = conclude(&case(), vec![in_a_call(vec![]), ended(0)], &model());
        assert_eq!(passed.verdict, Verdict::Crash);
        let cut = conclude(&case(), vec![in_a_call(launches(0))], &model());
        assert!(cut.reason.contains("was not tried"), "{}", cut.reason);
    }

    #[test]
    fn launches_before_the_death_are_kept() {
        let result = conclude(
            &case(),
            vec![
                died(How::Silent(std::time::Duration::from_secs(60)), launches(0)),
                died(How::Silent(std::time::Duration::from_secs(60)), vec![]),
            ],
            &model(),
        );
        assert_eq!(result.verdict, Verdict::Timeout);
        assert_eq!(result.instances, 10);
        assert_eq!(result.failed_attempts, 2);
        assert!(
            result.reason.contains("2 of 2 attempts"),
            "{}",
            result.reason
        );
    }

    #[test]
    fn different_deaths_are_all_reported_and_a_crash_wins() {
        let result = conclude(
            &case(),
            vec![
                died(How::Silent(std::time::Duration::from_secs(60)), vec![]),
                died(How::Exit(7), vec![]),
            ],
            &model(),
        );
        assert_eq!(result.verdict, Verdict::Crash);
        assert!(
            result.reason.contains("no sign of life"),
            "{}",
            result.reason
        );
        assert!(result.reason.contains("code 7"), "{}", result.reason);
    }

    #[test]
    fn skips_and_failures_keep_their_words() {
        let attempt = |ending| Attempt {
            ending,
            ..Attempt::default()
        };
        let skipped = conclude(
            &case(),
            vec![attempt(Ending::NotRun(NotRun::Skip {
                lacks: vec![Need::ScopeDevice],
                reason: "the device lacks atomic scope device".into(),
            }))],
            &model(),
        );
        assert_eq!(skipped.verdict, Verdict::Skip);
        assert_eq!(skipped.lacks, [Need::ScopeDevice]);
        let failed = conclude(
            &case(),
            vec![attempt(Ending::NotRun(NotRun::Failed {
                reason: "the build fails".into(),
                rules: vec![rule::KIND_SOURCE],
                evidence: vec![],
            }))],
            &model(),
        );
        assert_eq!(
            (failed.verdict, failed.reason.as_str()),
            (
                Verdict::Fail,
                "the build fails, which ex.kind.source (Categories of Kernels) forbids"
            )
        );
        let broken = failed.violations.iter().map(|violation| &violation.rules);
        assert!(broken.eq([&[rule::KIND_SOURCE]]));
    }
}
