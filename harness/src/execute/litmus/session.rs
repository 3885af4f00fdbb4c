//! Launches of a built test in an environment until the budget is spent.

use super::launch::Flight;
use super::launcher::Launcher;
use super::processors::Placed;
use super::stress::Stressors;
use crate::environment::{Arrangement, Environment, GROWTH};
use crate::execute::ended::{Ended, NotRun};
use classay_reports::record::{Evidence, EvidenceKind, Launch, Outcome, clusters};
use classay_reports::stats::Confidence;
use classay_reports::stats::cluster::Clustered;
use classay_reports::stats::sequence::{Stop, Stopped};
use classay_vocabulary::Budget;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use std::collections::{BTreeSet, VecDeque};
use std::time::Instant;

/// Under a time budget launches grow while they are expected to take no longer than this, in seconds, with as much
/// for each instance as the last that ended.
const LONG_LAUNCH: f64 = 0.2;

/// Launches until the budget is spent.
pub fn run(
    mut launcher: Launcher<'_>,
    seed: u64,
    budget: Budget,
    on_launch: &mut dyn FnMut(Launch),
) -> Result<Ended, NotRun> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut started = Instant::now();
    let mut ended = Ended::default();
    let _placed = Placed::of(&mut launcher, &mut rng)?;
    let mut planned: u64 = 0;
    let mut index = 0;
    let mut size = launcher.arrangement.first;
    let mut waiting: VecDeque<Flight> = VecDeque::new();
    let mut seconds_each = 0.0;
    let mut watch = Watch::of(budget);
    loop {
        let wanted = match budget {
            Budget::Instances(n) => {
                let left = n.saturating_sub(planned);
                u32::try_from(left).unwrap_or(u32::MAX).min(size)
            }
            Budget::Seconds(s) | Budget::Enough { seconds: s, .. } => {
                if watch.stopped.is_none() && (index < 2 || started.elapsed().as_secs_f64() < s) {
                    size
                } else {
                    0
                }
            }
        };
        if wanted > 0 {
            let flight = launcher.enqueue(index, wanted, &mut rng)?;
            waiting.push_back(flight);
            planned += u64::from(wanted);
            index += 1;
        }
        if wanted == 0 || waiting.len() == launcher.sets.len() {
            let Some(flight) = waiting.pop_front() else {
                break;
            };
            let first = flight.index == 0;
            let launch = launcher.land(flight)?;
            if first {
                // Compilers that specialise a kernel when it is first enqueued have done so
                // now: what is not launch was build, and the clock starts.
                let wall = started.elapsed().as_secs_f64();
                ended.build_seconds += (wall - launch.seconds).max(0.0);
                started = Instant::now();
            }
            ended.device_seconds += launch.seconds;
            seconds_each = launch.seconds / launch.instances.max(1) as f64;
            watch.see(&launch);
            on_launch(launch);
        }
        let larger = size.saturating_mul(GROWTH);
        let larger = larger.min(launcher.arrangement.instances);
        let is_short = seconds_each * f64::from(larger) <= LONG_LAUNCH;
        if wanted > 0 && (is_short || budget.seconds().is_none()) {
            size = larger;
        }
    }
    ended.evidence.push(Evidence {
        kind: EvidenceKind::Environment,
        text: description(&launcher),
    });
    if let Some(why) = watch.reason() {
        ended.evidence.push(Evidence {
            kind: EvidenceKind::Stopped,
            text: why,
        });
    }
    Ok(ended)
}

/// What the store keeps of the environment: its name, its digest, its knobs, and what this test on
/// this device makes of them.
fn description(launcher: &Launcher<'_>) -> String {
    #[derive(serde::Serialize)]
    struct Description<'a> {
        name: String,
        digest: String,
        knobs: &'a Environment,
        arrangement: &'a Arrangement,
        #[serde(skip_serializing_if = "Option::is_none")]
        host_threads: Option<usize>,
    }
    let description = Description {
        name: launcher.environment.label(),
        digest: launcher.environment.digest(),
        knobs: launcher.environment,
        arrangement: &launcher.arrangement,
        host_threads: launcher.stressors.as_ref().map(Stressors::running),
    };
    // Numbers and names: nothing in it can fail to become JSON.
    serde_json::to_string(&description).unwrap_or_default()
}

/// Looks at launches as they come, to end when enough is known.
struct Watch {
    rule: Option<Stop>,
    launches: Vec<Launch>,
    /// So many launches are looked at next.
    next: usize,
    stopped: Option<Stopped>,
}

/// Launches before the first look.
const FIRST_LOOK: usize = 30;

impl Watch {
    fn of(budget: Budget) -> Watch {
        let rule = match budget {
            Budget::Enough { enough, .. } => Some(Stop {
                relative_half_width: enough.precision,
                upper_bound: enough.below,
                instances: None,
            }),
            Budget::Instances(_) | Budget::Seconds(_) => None,
        };
        Watch {
            rule,
            launches: Vec::new(),
            next: FIRST_LOOK,
            stopped: None,
        }
    }

    fn see(&mut self, launch: &Launch) {
        let Some(rule) = &self.rule else { return };
        self.launches.push(launch.clone());
        if self.stopped.is_none() && self.launches.len() >= self.next {
            let of = |outcome: Option<&Outcome>| Clustered::of(&clusters(&self.launches, outcome));
            let outcomes = self.launches.iter().flat_map(|launch| &launch.outcomes);
            let each: BTreeSet<&Outcome> = outcomes.map(|o| &o.outcome).collect();
            let others = each.into_iter().map(|outcome| of(Some(outcome)));
            self.stopped = rule.at(&of(None), others, Confidence::P95);
            // Ever more seldom, so that looking stays cheap.
            self.next += self.next / 4 + 1;
        }
    }

    /// Why it ended before its time, if it did.
    fn reason(&self) -> Option<String> {
        let why = match self.stopped? {
            Stopped::Narrow => "the interval is as narrow as was asked for",
            Stopped::Bounded => "the rate is known to be below what was asked for",
            Stopped::Spent => return None,
        };
        Some(format!("after {} launches: {why}", self.launches.len()))
    }
}
