//! A test built for a device, and its launches.
//!
//! The queue of the first device is in order. A launch there is: the environment written, the test
//! kernel, the collecting kernel, the rows read. Two launches are in flight with rows and overflow
//! lists of their own, so the host counts one while the device plays the next. The instances'
//! memory is one, because launches follow each other.
//!
//! A test that crosses devices or has host threads is played one launch at a time: everything is
//! finished before its parts start and before its instances are collected, which orders the host
//! threads' accesses after the clearing of the instances and before their collection.

use super::cl::{Bench, Built, Words};
use super::environment::{Environment, SubGroupShape};
use super::launch::{Flight, Set, overflow_each};
use super::tally::Tally;
use super::{Budget, Ended, NotRun};
use crate::device::Capabilities;
use classay_litmus::kernel::{TestKernel, collect, env};
use classay_litmus::program::Program;
use classay_reports::record::{Evidence, Launch};
use opencl3::device::Device;
use opencl3::kernel::Kernel;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use std::time::Instant;

/// Instances of the first launch: it teaches the table the common outcomes.
pub(super) const FIRST_LAUNCH: u32 = 1024;
/// A launch grows to at most this many times the one before it.
const GROWTH: u32 = 4;
/// Under a time budget a launch that takes longer than this, in seconds, is not followed by a
/// larger one.
const LONG_LAUNCH: f64 = 0.2;
/// Words of counts read back for a launch.
const MOST_ROW_WORDS: usize = 1 << 22;

/// A test ready to launch.
pub struct Session<'p> {
    pub(super) program: &'p Program,
    pub(super) test: TestKernel,
    pub(super) environment: Environment,
    pub(super) tests: Vec<Kernel>,
    pub(super) collect: Kernel,
    pub(super) mem: Words,
    pub(super) res: Words,
    pub(super) meet: Words,
    pub(super) env: Vec<Words>,
    pub(super) sets: [Set; 2],
    pub(super) tally: Tally,
    pub(super) _built: Built,
    pub(super) bench: Bench,
    pub(super) build_seconds: f64,
    pub(super) slot_pitch: u32,
    pub(super) res_pitch: u32,
    pub(super) crosses: bool,
}

impl<'p> Session<'p> {
    /// Builds the test and allocates its memory.
    pub fn open(
        devices: &[Device],
        capabilities: &Capabilities,
        program: &'p Program,
        test: TestKernel,
    ) -> Result<Session<'p>, NotRun> {
        let crosses = test.shape.crosses_devices();
        let bench = Bench::open(devices, capabilities.version)?;
        let started = Instant::now();
        let options = format!("-cl-std={}", capabilities.c_std);
        let built = bench
            .build(&test.source, &options)
            .map_err(|failure| NotRun::Failed {
                reason: format!("the test does not build: {}", failure.error),
                evidence: vec![
                    Evidence {
                        kind: "build-log".into(),
                        text: failure.log,
                    },
                    Evidence {
                        kind: "source".into(),
                        text: test.source.clone(),
                    },
                    Evidence {
                        kind: "build-options".into(),
                        text: options.clone(),
                    },
                ],
            })?;
        let mut tests = Vec::new();
        let mut largest = capabilities.max_work_group_size.max(1);
        for index in 0..test.shape.devices.len() {
            let kernel = bench.kernel(&built, &TestKernel::kernel_name(index))?;
            largest = largest.min(bench.max_group(index, &kernel)?.max(1));
            tests.push(kernel);
        }
        let collect = bench.kernel(&built, collect::COLLECT)?;
        let build_seconds = started.elapsed().as_secs_f64();

        let mut sub_groups = Vec::new();
        for (index, device) in test.shape.devices.iter().enumerate() {
            if !test.shape.uses_sub_groups() {
                sub_groups.push(None);
                continue;
            }
            let most = device
                .groups
                .iter()
                .map(|g| g.sub_groups.len())
                .max()
                .unwrap_or(1);
            let widest = device
                .groups
                .iter()
                .map(|g| g.widest_sub_group())
                .max()
                .unwrap_or(1);
            match bench.sub_group_shape(index, &tests[index], most, widest, largest) {
                Some((local, width)) => sub_groups.push(Some(SubGroupShape { local, width })),
                None => {
                    let what = format!("{most} sub-groups of {widest} work-items in a work-group");
                    return Err(NotRun::Skip {
                        reason: format!("the device lacks {what}"),
                        capability: what,
                    });
                }
            }
        }
        let environment = Environment::for_test(capabilities, &test, largest, &sub_groups);
        if let Some(&local) = environment.local_sizes.iter().find(|&&l| l > largest) {
            let what = format!("work-groups of {local} work-items");
            return Err(NotRun::Skip {
                reason: format!("the device lacks {what}"),
                capability: what,
            });
        }
        let local_bytes = u64::from(test.layout.local_words) * 4 * u64::from(environment.lanes);
        if local_bytes > capabilities.local_mem_size {
            let what = format!("{local_bytes} bytes of local memory");
            return Err(NotRun::Skip {
                reason: format!("the device lacks {what}"),
                capability: what,
            });
        }

        let capacity = environment.instances as usize;
        let slot_pitch = environment.instance_pitch as usize * capacity;
        let mem = bench.words(slot_pitch * test.layout.global_slots as usize, crosses)?;
        let res = bench.words(capacity * test.layout.columns as usize, crosses)?;
        let meet = bench.words(environment.teams as usize * 16, crosses)?;
        let env_words = env::PLACES
            + 2 * test
                .shape
                .devices
                .iter()
                .map(|d| d.groups.len())
                .max()
                .unwrap_or(0);
        let mut envs = Vec::new();
        for _ in 0..tests.len().max(1) {
            envs.push(bench.words(env_words, false)?);
        }
        let most_slots = (MOST_ROW_WORDS / environment.collectors.max(1) as usize)
            .next_power_of_two()
            .clamp(8, 1 << 12);
        let tally = Tally::new(&test.layout, most_slots);
        let each = overflow_each(&environment) as usize;
        let overflow = environment.collectors as usize * each * tally.tuple_words();
        let set = || -> Result<Set, NotRun> {
            Ok(Set {
                table: bench.words(1, false)?,
                table_version: None,
                rows: bench.words(1, false)?,
                overflow: bench.words(overflow, false)?,
                slots: 0,
            })
        };
        let sets = [set()?, set()?];
        Ok(Session {
            program,
            test,
            environment,
            tests,
            collect,
            mem,
            res,
            meet,
            env: envs,
            sets,
            tally,
            _built: built,
            bench,
            build_seconds,
            slot_pitch: slot_pitch as u32,
            res_pitch: capacity as u32,
            crosses,
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
        let mut ended = Ended {
            build_seconds: self.build_seconds,
            ..Ended::default()
        };
        self.clear_all(&mut rng)?;
        let mut planned: u64 = 0;
        let mut index = 0;
        let mut size = FIRST_LAUNCH.min(self.environment.instances);
        let mut waiting: Option<Flight> = None;
        let mut slow = false;
        loop {
            let wanted = match budget {
                Budget::Instances(n) => {
                    let left = n.saturating_sub(planned);
                    u32::try_from(left).unwrap_or(u32::MAX).min(size)
                }
                Budget::Seconds(s) => {
                    if index < 2 || started.elapsed().as_secs_f64() < s {
                        size
                    } else {
                        0
                    }
                }
            };
            let next = if wanted > 0 {
                let flight = self.enqueue(index, wanted, &mut rng)?;
                planned += u64::from(wanted);
                index += 1;
                Some(flight)
            } else {
                None
            };
            if let Some(flight) = waiting.take() {
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
                on_launch(launch);
            }
            let Some(flight) = next else { break };
            if !(slow && matches!(budget, Budget::Seconds(_))) {
                size = size.saturating_mul(GROWTH).min(self.environment.instances);
            }
            waiting = Some(flight);
        }
        ended.evidence.push(Evidence {
            kind: "environment".into(),
            text: serde_json::to_string(&self.environment).unwrap_or_default(),
        });
        Ok(ended)
    }
}

impl Drop for Session<'_> {
    fn drop(&mut self) {
        // Memory is released by the fields' own order; nothing may still use it then.
        let _ = self.bench.finish();
    }
}
