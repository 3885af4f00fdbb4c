//! What is known while a run goes on, and the lines that say it. Each fits 80 columns where names are short;
//! a terminal cuts what does not.

use classay_reports::record::{CaseResult, Launch, Verdict};
use classay_reports::report::Tally;
use classay_reports::stats::Confidence;
use classay_reports::stats::cluster::{Cluster, Clustered};
use classay_reports::text::Colour;
use classay_reports::text::layout::{cut, plain};
use classay_reports::text::number::{interval, rate, short};
use std::time::Duration;

/// Columns of a line that stays.
const WIDTH: usize = 80;
/// Columns of a name in the line of the case that runs.
const NAME: usize = 24;

/// A run as far as it has come.
pub struct View {
    total: usize,
    /// Cases that were done before this began.
    before: usize,
    counts: Tally,
    /// Instances of the cases that ended.
    instances: u64,
    test: String,
    /// The running case's launches.
    clusters: Vec<Cluster>,
    /// How far the run was when its end was set, and how long it had left.
    end: Option<(Duration, Duration)>,
}

impl View {
    /// Of a run of `total` cases of which `done` are done.
    pub fn new(done: usize, total: usize) -> View {
        View {
            total,
            before: done,
            counts: Tally::default(),
            instances: 0,
            test: String::new(),
            clusters: Vec::new(),
            end: None,
        }
    }

    /// The run will end when so much more time has gone by, at the latest.
    pub fn ends_in(&mut self, elapsed: Duration, left: Duration) {
        self.end = Some((elapsed, left));
    }

    /// Cases done.
    pub fn done(&self) -> usize {
        self.before + self.counts.all()
    }

    /// A case begins.
    pub fn begins(&mut self, test: &str) {
        self.test = plain(test);
        self.clusters.clear();
    }

    /// A launch of it ended.
    pub fn launched(&mut self, launch: &Launch) {
        let count = |targets: bool| {
            let outcomes = launch.outcomes.iter().filter(|o| o.target || !targets);
            outcomes.fold(0, |sum: u64, o| sum.saturating_add(o.count))
        };
        self.clusters.push(Cluster {
            process: launch.process,
            count: count(true),
            instances: count(false),
        });
    }

    /// It ended.
    pub fn ends(&mut self, result: &CaseResult) {
        self.counts.add(result.verdict);
        self.instances = self.instances.saturating_add(result.instances);
        self.clusters.clear();
    }

    /// How fast it goes, and how long it may take.
    pub fn pace(&self, elapsed: Duration) -> String {
        let running: u64 = self.clusters.iter().map(|c| c.instances).sum();
        let instances = self.instances.saturating_add(running);
        let seconds = elapsed.as_secs_f64().max(1e-3);
        let here = self.done() - self.before;
        let left = (self.total - self.done().min(self.total)) as f64;
        let mut text = format!("{} instances/s", short(instances as f64 / seconds));
        let by_cases = (here > 0).then(|| left * seconds / here as f64);
        let by_end = self.end.map(|(set, given)| {
            let gone = elapsed.saturating_sub(set);
            given.saturating_sub(gone).as_secs_f64()
        });
        // Cases share the time that there is; where nothing ends the run, the rest goes as what ran.
        if left > 0.0
            && let Some(seconds) = by_end.or(by_cases)
        {
            text += &format!(", {} left", about(seconds));
        }
        text
    }

    /// The verdicts so far, the worst first.
    pub fn verdicts(&self, colour: Colour) -> String {
        let shown: Vec<String> = Verdict::WORST_FIRST
            .into_iter()
            .filter_map(|verdict| {
                let count = self.counts.of(verdict);
                let text = format!("{count} {verdict}");
                (count > 0).then(|| colour.verdict(verdict, &text))
            })
            .collect();
        shown.join("  ")
    }

    /// The case that runs: its instances, and how often what it asks about was seen.
    pub fn case(&self) -> String {
        let name = cut(&self.test, NAME);
        let all = Clustered::of(&self.clusters);
        if all.instances == 0 {
            return name;
        }
        let seen = if all.count == 0 {
            "never".to_owned()
        } else {
            let ends = all.interval(Confidence::P95);
            let ends = interval(ends.low, ends.high);
            format!(
                "{} times: {} {ends}",
                short(all.count as f64),
                rate(all.rate())
            )
        };
        format!(
            "{name}  {} instances, target {seen}",
            short(all.instances as f64)
        )
    }

    /// How far the run is, where there is no live view.
    pub fn line(&self) -> String {
        format!(
            "{} of {} cases: {}",
            self.done(),
            self.total,
            self.verdicts(Colour::Off)
        )
    }
}

/// A case that failed, in a line that stays.
pub fn failure(result: &CaseResult, colour: Colour) -> String {
    let name = result.verdict.name();
    let rest = format!("{}: {}", result.name(), result.reason);
    let rest = cut(&plain(&rest), WIDTH - name.len() - 2);
    format!("{}  {rest}", colour.verdict(result.verdict, name))
}

/// A time in its largest useful unit.
fn about(seconds: f64) -> String {
    match seconds {
        s if s < 99.5 => format!("{s:.0} s"),
        s if s < 5970.0 => format!("{:.0} min", s / 60.0),
        s => format!("{:.1} h", s / 3600.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use classay_reports::record::{CaseId, Outcome, OutcomeCount};

    fn launch(targets: u64, other: u64) -> Launch {
        let outcome = |count, target| OutcomeCount {
            outcome: Outcome::State(vec![i64::from(target)]),
            count,
            target,
        };
        Launch {
            index: 0,
            process: 0,
            instances: targets + other,
            seconds: 0.1,
            outcomes: [outcome(targets, true), outcome(other, false)]
                .into_iter()
                .filter(|o| o.count > 0)
                .collect(),
            freedoms: Vec::new(),
        }
    }

    fn result(verdict: Verdict) -> CaseResult {
        CaseResult {
            test: "MP".into(),
            instances: 30_000,
            seconds: 1.0,
            device_seconds: 1.0,
            ..CaseResult::new(
                CaseId::new("litmus", "classic", "MP"),
                verdict,
                "observed\n it, ".to_string() + &"which is wrong ".repeat(9),
            )
        }
    }

    #[test]
    fn rates_come_with_launches() {
        let mut view = View::new(0, 10);
        view.begins("MP+rel+acq");
        assert_eq!(view.case(), "MP+rel+acq");
        view.launched(&launch(0, 3000));
        assert_eq!(view.case(), "MP+rel+acq  3.00k instances, target never");
        for _ in 0..9 {
            view.launched(&launch(30, 2970));
        }
        let text = view.case();
        assert!(text.starts_with("MP+rel+acq  30.0k instances, target 270 times: 0.0090 ["));
        assert!(text.chars().count() <= 80, "{text}");
    }

    #[test]
    fn the_run_is_counted_and_its_end_foreseen() {
        let mut view = View::new(4, 10);
        let two_seconds = Duration::from_secs(2);
        assert_eq!(view.pace(two_seconds), "0 instances/s");
        view.ends(&result(Verdict::Pass));
        view.ends(&result(Verdict::Fail));
        assert_eq!(view.done(), 6);
        assert_eq!(view.pace(two_seconds), "30.0k instances/s, 4 s left");
        assert_eq!(view.verdicts(Colour::Off), "1 fail  1 pass");
        assert!(view.verdicts(Colour::On).contains('\x1b'));
        assert_eq!(
            (about(600.0), about(7200.0)),
            ("10 min".into(), "2.0 h".into())
        );
    }

    #[test]
    fn where_the_budget_ends_the_run_its_end_is_known() {
        let mut view = View::new(0, 1000);
        let seconds = Duration::from_secs;
        view.ends_in(seconds(1), seconds(60));
        view.ends(&result(Verdict::Pass));
        assert_eq!(view.pace(seconds(21)), "1.43k instances/s, 40 s left");
        assert_eq!(view.pace(seconds(99)), "303 instances/s, 0 s left");
    }

    #[test]
    fn a_failure_is_one_line() {
        let line = failure(&result(Verdict::Fail), Colour::Off);
        assert!(line.starts_with("fail  MP: observed\\n it, which") && line.ends_with('…'));
        assert!((70..=80).contains(&line.chars().count()), "{line}");
    }
}
