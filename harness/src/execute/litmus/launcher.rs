//! What the launches of a built test in an environment need.
//!
//! Queues are in order. A launch on one is: the environment written, the test kernel, the collecting
//! kernel, the rows read. One more launch is in flight than there are queues, each with rows and an
//! overflow list of its own, so the host counts one while the device plays the next. The instances'
//! memory is one for each queue ([`Stage`]), because its launches follow each other.
//!
//! A test that crosses devices or queue families, or has host threads, is played one launch at a time: everything is
//! finished before its parts start, between its steps and before its instances are collected, which orders the host
//! threads' accesses after the clearing of the instances and before their collection. The steps of another are
//! commands of one queue, with between them what the test says.
//!
//! Memory that stress touches is an array of its own: no instance lies there, and it is never read
//! back, so nothing has to be ordered with it.

use super::built::Built;
use super::plan::Plan;
use super::pool::Pool;
use super::stress::Stressors;
use super::tally::Tally;
use crate::environment::{Arrangement, Environment, Images, Kind, ROW};
use crate::execute::bench::{Bench, In, Words};
use crate::execute::ended::NotRun;
use crate::execute::vulkan::SPARE_ROWS;
use classay_litmus::program::Api;

/// Words of counts read back for a launch.
const MOST_ROW_WORDS: usize = 1 << 22;

/// Tuples that a collector's overflow list must hold: all its instances of a full launch.
pub fn overflow_each(arrangement: &Arrangement) -> u32 {
    let (n, chunk) = (arrangement.collectors, arrangement.collect_chunk);
    arrangement.instances.div_ceil(n * chunk) * chunk
}

/// A test ready to launch.
pub struct Launcher<'a> {
    pub bench: &'a Bench,
    pub built: &'a Built,
    pub environment: &'a Environment,
    pub arrangement: Arrangement,
    pub stages: Vec<Stage>,
    pub sets: Vec<Set>,
    pub tally: Tally,
    pub stressors: Option<Stressors>,
    pub crosses: bool,
    /// So many places of instances, from the first on, were set to their start; launches leave them so.
    pub cleared: u32,
    pub pool: &'a mut Pool,
}

/// What the launches of one queue have in common.
pub struct Stage {
    pub mem: Words,
    pub res: Words,
    pub meet: Words,
    pub scratch: Words,
    pub env: Vec<Words>,
}

/// What each of the launches in flight has of its own.
pub struct Set {
    pub table: Words,
    pub table_version: Option<u64>,
    pub rows: Words,
    pub overflow: Words,
    pub slots: usize,
}

/// The memory of instances.
fn memory(
    bench: &Bench,
    pool: &mut Pool,
    built: &Built,
    words: usize,
    lies: In,
) -> Result<Words, NotRun> {
    match built.modules.images {
        Images::Texels => pool.take(bench, words, lies),
        Images::Planes => {
            let row = ROW as usize;
            let words = words.next_multiple_of(row) + SPARE_ROWS as usize * row;
            let memory = pool.take(bench, words, lies)?;
            bench.as_plane(&memory)?;
            Ok(memory)
        }
    }
}

impl<'a> Launcher<'a> {
    /// Allocates what the launches need.
    pub fn open(
        bench: &'a Bench,
        pool: &'a mut Pool,
        built: &'a Built,
        environment: &'a Environment,
        arrangement: Arrangement,
    ) -> Result<Launcher<'a>, NotRun> {
        let test = &built.test;
        let crosses = test.shape.crosses_devices();
        let shares = match built.program.api {
            Api::OpenCl => crosses,
            Api::Vulkan => !test.host_threads().is_empty(),
        };
        let mut steps = test.shape.steps.iter();
        let at_once = steps.any(|step| !step.parts.is_empty() && !step.host.is_empty());
        let (lies, shared) = if shares && arrangement.kind == Kind::NonCoherent {
            if at_once {
                // What a thread flushes is more than it wrote, and a shader may have written the rest.
                let why = "coherent memory, where host threads and shaders run at once";
                return Err(NotRun::skip(format!("the test needs {why}")));
            }
            (In::NonCoherent, In::NonCoherent)
        } else if shares {
            (In::Shared, In::Shared)
        } else {
            let lies = match arrangement.kind {
                Kind::Buffer | Kind::NonCoherent => In::Buffer,
                Kind::Coarse => In::Coarse,
                Kind::Fine => In::Fine,
                Kind::System => In::System,
            };
            (lies, In::Buffer)
        };
        let capacity = arrangement.capacity as usize;
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
                mem: memory(bench, pool, built, arrangement.memory_words, lies)?,
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
        Ok(Launcher {
            bench,
            built,
            environment,
            arrangement,
            stages,
            sets,
            tally,
            stressors,
            crosses,
            cleared: 0,
            pool,
        })
    }

    /// Work-groups of the test on the device at `index` of its shape.
    pub fn groups(&self, device: usize) -> usize {
        let devices = &self.built.test.shape.devices;
        devices.get(device).map_or(0, |d| d.groups.len())
    }
}

impl Drop for Launcher<'_> {
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
