//! A built test in an environment, and its launches.
//!
//! Queues are in order. A launch on one is: the environment written, the test kernel, the collecting
//! kernel, the rows read. One more launch is in flight than there are queues, each with rows and an
//! overflow list of its own, so the host counts one while the device plays the next. The instances'
//! memory is one for each queue ([`Stage`]), because its launches follow each other.
//!
//! A test that crosses devices or has host threads is played one launch at a time: everything is
//! finished before its parts start and before its instances are collected, which orders the host
//! threads' accesses after the clearing of the instances and before their collection.
//!
//! Memory that stress touches is an array of its own: no instance lies there, and it is never read
//! back, so nothing has to be ordered with it.

use super::super::cl::{Bench, In, Words};
use super::super::{Ended, NotRun};
use super::aim::{Aim, Try};
use super::built::Built;
use super::launch::{Flight, Set, overflow_each};
use super::plan::Plan;
use super::pool::Pool;
use super::stress::Stressors;
use super::tally::Tally;
use crate::environment::{Arrangement, Environment, Kind};
use classay_reports::record::{Evidence, EvidenceKind, Launch};
use classay_reports::stats::Confidence;
use classay_reports::stats::cluster::Cluster;
use classay_reports::stats::sequence::{Stop, Stopped};
use classay_vocabulary::Budget;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use std::collections::VecDeque;
use std::time::Instant;

/// A launch grows to at most this many times the one before it.
const GROWTH: u32 = 4;
/// Under a time budget a launch that takes longer than this, in seconds, is not followed by a
/// larger one.
const LONG_LAUNCH: f64 = 0.2;
/// Words of counts read back for a launch.
const MOST_ROW_WORDS: usize = 1 << 22;

/// A test ready to launch.
pub struct Session<'a> {
    pub(super) bench: &'a Bench,
    pub(super) built: &'a Built,
    pub(super) environment: &'a Environment,
    pub(super) arrangement: Arrangement,
    pub(super) stages: Vec<Stage>,
    pub(super) sets: Vec<Set>,
    pub(super) tally: Tally,
    pub(super) aim: Aim,
    pub(super) stressors: Option<Stressors>,
    pub(super) crosses: bool,
    pub(super) pool: &'a mut Pool,
}

/// What the launches of one queue have in common.
pub struct Stage {
    pub(super) mem: Words,
    pub(super) res: Words,
    pub(super) meet: Words,
    pub(super) scratch: Words,
    pub(super) env: Vec<Words>,
}

impl<'a> Session<'a> {
    /// Allocates what the launches need.
    pub fn open(
        bench: &'a Bench,
        pool: &'a mut Pool,
        built: &'a Built,
        environment: &'a Environment,
        arrangement: Arrangement,
    ) -> Result<Session<'a>, NotRun> {
        let test = &built.test;
        let crosses = test.shape.crosses_devices();
        let (lies, shared) = if crosses {
            (In::FineAtomics, In::FineAtomics)
        } else {
            let lies = match arrangement.kind {
                Kind::Buffer => In::Buffer,
                Kind::Coarse => In::Coarse,
                Kind::Fine => In::Fine,
                Kind::System => In::System,
            };
            (lies, In::Buffer)
        };
        let capacity = arrangement.instances as usize;
        let stress = &environment.stress;
        let mut stages = Vec::new();
        for _ in 0..arrangement.queues {
            let mut envs = Vec::new();
            for device in 0..built.tests.len().max(1) {
                let groups = test.shape.devices.get(device).map_or(0, |d| d.groups.len());
                let words = Plan::most_words(&arrangement, environment, groups);
                envs.push(pool.take(bench, words, In::Buffer)?);
            }
            stages.push(Stage {
                mem: pool.take(bench, arrangement.memory_words, lies)?,
                res: pool.take(bench, capacity * test.layout.columns as usize, shared)?,
                meet: pool.take(bench, arrangement.teams as usize * 16, shared)?,
                scratch: pool.take(bench, (stress.lines * stress.line) as usize, In::Buffer)?,
                env: envs,
            });
        }
        let most_slots = (MOST_ROW_WORDS / arrangement.collectors.max(1) as usize)
            .next_power_of_two()
            .clamp(8, 1 << 12);
        let tally = Tally::new(&test.layout, most_slots);
        let each = overflow_each(&arrangement) as usize;
        let overflow = arrangement.collectors as usize * each * tally.tuple_words();
        let mut sets = Vec::new();
        for _ in 0..=arrangement.queues {
            sets.push(Set {
                table: pool.take(bench, 1, In::Buffer)?,
                table_version: None,
                rows: pool.take(bench, 1, In::Buffer)?,
                overflow: pool.take(bench, overflow, In::Buffer)?,
                slots: 0,
            });
        }
        let host = &environment.host_stress;
        let stressors = (host.threads > 0).then(|| Stressors::start(host));
        let aim = Aim::new(&arrangement.lags);
        Ok(Session {
            bench,
            built,
            environment,
            arrangement,
            stages,
            sets,
            tally,
            aim,
            stressors,
            crosses,
            pool,
        })
    }

    /// Launches until the budget is spent.
    pub fn run(
        mut self,
        seed: u64,
        budget: Budget,
        on_launch: &mut dyn FnMut(Launch),
    ) -> Result<Ended, NotRun> {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut started = Instant::now();
        let mut ended = Ended::default();
        self.clear_all(&mut rng)?;
        let mut planned: u64 = 0;
        let mut index = 0;
        let mut size = self.arrangement.first;
        let mut waiting: VecDeque<Flight> = VecDeque::new();
        let mut slow = false;
        let mut watch = Watch::of(budget);
        loop {
            let wanted = match budget {
                Budget::Instances(n) => {
                    let left = n.saturating_sub(planned);
                    u32::try_from(left).unwrap_or(u32::MAX).min(size)
                }
                Budget::Seconds(s) | Budget::Enough { seconds: s, .. } => {
                    if watch.stopped.is_none() && (index < 2 || started.elapsed().as_secs_f64() < s)
                    {
                        size
                    } else {
                        0
                    }
                }
            };
            if wanted > 0 {
                let flight = self.enqueue(index, wanted, &mut rng)?;
                waiting.push_back(flight);
                planned += u64::from(wanted);
                index += 1;
            }
            if wanted == 0 || waiting.len() == self.sets.len() {
                let Some(flight) = waiting.pop_front() else {
                    break;
                };
                let first = flight.index == 0;
                let launch = self.land(flight)?;
                if first {
                    // Compilers that specialise a kernel when it is first enqueued have done so
                    // now: what is not launch was build, and the clock starts.
                    let wall = started.elapsed().as_secs_f64();
                    ended.build_seconds += (wall - launch.seconds).max(0.0);
                    started = Instant::now();
                }
                ended.device_seconds += launch.seconds;
                slow |= launch.seconds > LONG_LAUNCH;
                watch.see(&launch);
                on_launch(launch);
            }
            if wanted > 0 && !(slow && budget.seconds().is_some()) {
                size = size.saturating_mul(GROWTH).min(self.arrangement.instances);
            }
        }
        ended.evidence.push(Evidence {
            kind: EvidenceKind::Environment,
            text: self.description(),
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
    fn description(&self) -> String {
        #[derive(serde::Serialize)]
        struct Description<'a> {
            name: String,
            digest: String,
            knobs: &'a Environment,
            arrangement: &'a Arrangement,
            #[serde(skip_serializing_if = "Option::is_none")]
            host_threads: Option<usize>,
            lags: &'a [Try],
        }
        let description = Description {
            name: self.environment.label(),
            digest: self.environment.digest(),
            knobs: self.environment,
            arrangement: &self.arrangement,
            host_threads: self.stressors.as_ref().map(Stressors::running),
            lags: self.aim.tries(),
        };
        // Numbers and names: nothing in it can fail to become JSON.
        serde_json::to_string(&description).unwrap_or_default()
    }
}

/// Looks at launches as they come, to end when enough is known.
struct Watch {
    rule: Option<Stop>,
    clusters: Vec<Cluster>,
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
            clusters: Vec::new(),
            next: FIRST_LOOK,
            stopped: None,
        }
    }

    fn see(&mut self, launch: &Launch) {
        let Some(rule) = &self.rule else { return };
        let targets = launch.outcomes.iter().filter(|o| o.target);
        self.clusters.push(Cluster {
            count: targets.map(|o| o.count).sum(),
            instances: launch.instances,
        });
        if self.stopped.is_none() && self.clusters.len() >= self.next {
            self.stopped = rule.at(&self.clusters, Confidence::P95);
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
        Some(format!("after {} launches: {why}", self.clusters.len()))
    }
}

impl Drop for Session<'_> {
    fn drop(&mut self) {
        // Nothing may still use the memory when others get it.
        if self.bench.finish().is_err() {
            return;
        }
        let stages = self.stages.drain(..).flat_map(|stage| {
            let own = [stage.mem, stage.res, stage.meet, stage.scratch];
            own.into_iter().chain(stage.env)
        });
        let sets = self.sets.drain(..);
        let sets = sets.flat_map(|set| [set.table, set.rows, set.overflow]);
        stages.chain(sets).for_each(|words| self.pool.give(words));
    }
}
