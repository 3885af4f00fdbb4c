//! What a run leaves behind, as plain data: these types travel from the worker to the store and
//! from the store to every report. Counts are unsigned and exact; times are seconds.

pub use classay_vocabulary::{
    CaseId, EvidenceKind, Freedom, FreedomCount, Need, Observable, Outcome, RuleId, Verdict,
    Violation,
};

use crate::stats::cluster::{Cluster, Clustered};
use crate::stats::sequence::always;
use crate::stats::{Confidence, Interval};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use time::OffsetDateTime;

/// How often one outcome occurred.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutcomeCount {
    /// What they showed.
    pub outcome: Outcome,
    /// Instances that ended so.
    pub count: u64,
    /// It is a target outcome: one for which the predicate of the test's condition holds, or a violation.
    pub target: bool,
}

/// One launch: the cluster of the statistics.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Launch {
    /// Number of the launch within its case, from 0.
    pub index: u64,
    /// Which of the worker processes of its case played it, from 0: the cluster above the launch.
    #[serde(default)]
    pub process: u32,
    /// Instances in it; the counts add up to this.
    pub instances: u64,
    /// Time of the launch, in seconds; by the device's profiling where it has one.
    pub seconds: f64,
    /// Outcomes that occurred; never a count of zero.
    pub outcomes: Vec<OutcomeCount>,
    /// Freedoms that its instances could show, each once; never one that none could.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub freedoms: Vec<FreedomCount>,
}

/// How far a run came in its time: which rules it put to the test, and what it did not come to.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Reach {
    /// Rules that a case which ran is about.
    pub exercised: usize,
    /// Rules that a planned case is about, but for those of which every case that was reached needs what the
    /// device lacks.
    pub apply: usize,
    /// Planned cases.
    pub planned: usize,
    /// Those that the run's time did not reach, in the order of the plan.
    pub unreached: Vec<CaseId>,
}

/// Something kept because it explains a verdict.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evidence {
    /// What it is.
    pub kind: EvidenceKind,
    /// The text.
    pub text: String,
}

/// Everything known about a case that ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CaseResult {
    /// The case.
    pub case: CaseId,
    /// The test's own name.
    pub test: String,
    /// The file it came from; empty for a shipped or generated test.
    pub file: String,
    /// The verdict.
    pub verdict: Verdict,
    /// One sentence: why this verdict.
    pub reason: String,
    /// Instances run.
    pub instances: u64,
    /// Wall time of the case, in seconds.
    pub seconds: f64,
    /// Part of it spent in the implementation's compiler, in seconds.
    pub build_seconds: f64,
    /// Part of it spent in launches, in seconds (device time where profiled).
    pub device_seconds: f64,
    /// How many times the case was tried (more than 1 after a crash or a timeout).
    pub attempts: u32,
    /// Of these, how many crashed or timed out.
    pub failed_attempts: u32,
    /// What the states among its outcomes have values of; empty for what is no litmus test.
    pub observables: Vec<Observable>,
    /// The launches, in order.
    pub launches: Vec<Launch>,
    /// What it was seen to violate, each kind once or twice: by its own rules, or by a memory model, whose
    /// rules forbid an outcome.
    pub violations: Vec<Violation>,
    /// What the device lacks of what the case needs, where it was skipped for that.
    pub lacks: Vec<Need>,
    /// What explains the verdict.
    pub evidence: Vec<Evidence>,
}

/// The part of these cases' time that went to the driver's compiler, from 0 to 1; `None` where none took time.
pub fn compiler_share<'a>(results: impl IntoIterator<Item = &'a CaseResult>) -> Option<f64> {
    let add = |(all, built): (f64, f64), result: &CaseResult| {
        (all + result.seconds, built + result.build_seconds)
    };
    let (all, built) = results.into_iter().fold((0.0, 0.0), add);
    (all > 0.0).then(|| (built / all).min(1.0))
}

impl CaseResult {
    /// A case that ended so, with nothing that was observed.
    pub fn new(case: CaseId, verdict: Verdict, reason: impl Into<String>) -> CaseResult {
        CaseResult {
            case,
            test: String::new(),
            file: String::new(),
            verdict,
            reason: reason.into(),
            instances: 0,
            seconds: 0.0,
            build_seconds: 0.0,
            device_seconds: 0.0,
            attempts: 1,
            failed_attempts: 0,
            observables: Vec::new(),
            launches: Vec::new(),
            violations: Vec::new(),
            lacks: Vec::new(),
            evidence: Vec::new(),
        }
    }

    /// What to call it: the test's own name, or the case's where it has none.
    pub fn name(&self) -> &str {
        if self.test.is_empty() {
            self.case.name()
        } else {
            &self.test
        }
    }

    /// The rules of its violations, those of one violation together.
    pub fn broken(&self) -> BTreeSet<&[RuleId]> {
        self.violations.iter().map(|v| v.rules.as_slice()).collect()
    }

    /// Every rule that a violation of it names, also one that stands for a run alone.
    pub fn broken_rules(&self) -> BTreeSet<RuleId> {
        let outcomes = self.launches.iter().flat_map(|launch| &launch.outcomes);
        let shown = outcomes.filter_map(|o| o.outcome.violation());
        let all = self.violations.iter().chain(shown);
        all.flat_map(|violation| &violation.rules)
            .copied()
            .collect()
    }

    /// Instances that ended in a target outcome.
    pub fn targets(&self) -> u64 {
        let outcomes = self.launches.iter().flat_map(|launch| &launch.outcomes);
        outcomes
            .filter(|o| o.target)
            .fold(0, |sum, o| sum.saturating_add(o.count))
    }

    /// The launches, in order, as clusters of an outcome; of the target outcomes, for `None`. Their instances
    /// are those whose outcomes are known.
    pub fn clusters(&self, outcome: Option<&Outcome>) -> Vec<Cluster> {
        clusters(&self.launches, outcome)
    }

    /// The launches, in order, as clusters of a freedom: of the instances that could show it, those that did.
    /// Launches that could not are left out.
    pub fn freedom(&self, freedom: Freedom) -> impl Iterator<Item = Cluster> {
        self.launches.iter().flat_map(move |launch| {
            let counts = launch.freedoms.iter();
            counts
                .filter(move |count| count.freedom == freedom)
                .map(|count| Cluster {
                    process: launch.process,
                    count: count.seen,
                    instances: count.of,
                })
        })
    }

    /// Whether it ended because enough was known, which the data themselves decided.
    pub fn stopped_early(&self) -> bool {
        self.evidence
            .iter()
            .any(|e| e.kind == EvidenceKind::Stopped)
    }

    /// The 95 % interval of a rate, beside which the others were seen: one that holds at all times where the
    /// data decided when to stop, the usual one else.
    pub fn interval(&self, all: &Clustered, others: &[Clustered]) -> Interval {
        if self.stopped_early() {
            always(all, others.iter().copied(), Confidence::P95)
        } else {
            all.interval(Confidence::P95)
        }
    }

    /// Total counts over all launches, outcomes in order of first occurrence.
    pub fn histogram(&self) -> Vec<OutcomeCount> {
        histogram(&self.launches)
    }
}

/// Total counts over these launches, outcomes in order of first occurrence.
pub fn histogram(launches: &[Launch]) -> Vec<OutcomeCount> {
    let mut total: Vec<OutcomeCount> = Vec::new();
    for o in launches.iter().flat_map(|launch| &launch.outcomes) {
        match total.iter_mut().find(|t| t.outcome == o.outcome) {
            Some(t) => t.count = t.count.saturating_add(o.count),
            None => total.push(o.clone()),
        }
    }
    total
}

/// These launches as clusters of an outcome; of the target outcomes, for `None`.
pub fn clusters(launches: &[Launch], outcome: Option<&Outcome>) -> Vec<Cluster> {
    clusters_where(launches, &|o| match outcome {
        Some(outcome) => o.outcome == *outcome,
        None => o.target,
    })
}

/// These launches as clusters of the outcomes that are wanted.
pub fn clusters_where(launches: &[Launch], wanted: &dyn Fn(&OutcomeCount) -> bool) -> Vec<Cluster> {
    let sum = |counts: &mut dyn Iterator<Item = u64>| counts.fold(0u64, u64::saturating_add);
    let cluster = |launch: &Launch| {
        let outcomes = launch.outcomes.iter();
        Cluster {
            process: launch.process,
            count: sum(&mut outcomes.clone().filter(|o| wanted(o)).map(|o| o.count)),
            instances: sum(&mut outcomes.map(|o| o.count)),
        }
    };
    launches.iter().map(cluster).collect()
}

/// The device a run used, with what decides its behaviour.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeviceRecord {
    /// As the user chose it: `touchstone`, `system`, a path.
    pub selector: String,
    /// CL_PLATFORM_NAME.
    pub platform: String,
    /// CL_PLATFORM_VERSION.
    pub platform_version: String,
    /// CL_DEVICE_NAME.
    pub name: String,
    /// CL_DEVICE_VENDOR.
    pub vendor: String,
    /// CL_DEVICE_VERSION.
    pub version: String,
    /// CL_DRIVER_VERSION.
    pub driver: String,
    /// Capabilities, as the harness understood them, in a stable order: name and value.
    pub capabilities: Vec<(String, String)>,
    /// Contradictions between what the device reports and what it does.
    pub findings: Vec<String>,
}

/// The machine that a run is on, as far as it does not change.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct MachineRecord {
    /// Its name in the network; empty where the system does not say.
    pub host: String,
    /// The operating system with its version, and the kernel's.
    pub system: String,
    /// The processor's name; empty where the system does not say.
    pub processor: String,
    /// Logical processors.
    pub processors: u32,
    /// Bytes of memory.
    pub memory: u64,
}

/// How the machine was at a moment of a run: rates of weak outcomes depend on it.
#[derive(Debug, Clone, PartialEq)]
pub struct Moment {
    /// When, in UTC, to the microsecond.
    pub at: OffsetDateTime,
    /// The machine.
    pub machine: MachineRecord,
    /// Processes that ran or waited to run, averaged over the last minute.
    pub load: Option<f64>,
    /// Clock of the processors, their mean, in MHz.
    pub clock_mhz: Option<f64>,
}
