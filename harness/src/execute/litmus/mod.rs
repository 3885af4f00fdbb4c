//! How a litmus test is run on a device: built, launched, collected, counted.
//!
//! [`built`] builds tests, alone or many in one program; [`launcher`] has what the launches of a built
//! test in an environment need, [`launch`] enqueues, collects and counts one, [`session`] keeps
//! them in flight until the budget is spent. [`plan`] draws
//! what a launch permutes and writes it down for the kernels ([`lines`] where fewer work-groups run together than
//! a test has), [`tally`] turns rows into outcomes,
//! [`commands`] plays tests whose host threads enqueue commands ([`lowering`], [`host_steps`]), an
//! instance at a time. [`host`] plays host threads and [`stress`] those that only disturb; [`standalone`] writes it all
//! as a C program instead. A [`Workshop`] keeps what is
//! built and the memory of launches ([`pool`]), so that a test can be run in one environment after the
//! other.

mod built;
pub mod commands;
mod host;
mod host_steps;
mod launch;
mod launcher;
mod lines;
mod lowering;
mod plan;
mod pool;
mod processors;
mod session;
mod standalone;
mod stress;
mod tally;

use super::bench::Bench;
use super::ended::{Ended, NotRun};
use crate::device::OpenDevice;
use crate::environment::{Environment, Modules, resolve};
use built::{Built, Written};
use classay_litmus::program::Program;
use classay_reports::record::Launch;
use classay_vocabulary::Budget;
use launcher::Launcher;
use pool::Pool;
pub use standalone::Standalone;
use std::collections::BTreeMap;

/// Tests that are kept built, with what they share. One to a worker.
#[derive(Default)]
pub struct Workshop {
    rooms: Vec<Room>,
}

/// The tests of as many devices, in one context.
struct Room {
    devices: u8,
    built: Vec<Built>,
    // Declared before the bench, in whose context its arrays lie.
    pool: Pool,
    bench: Bench,
}

impl Room {
    fn open(device: &OpenDevice, devices: u8) -> Result<Room, NotRun> {
        Ok(Room {
            devices,
            built: Vec::new(),
            pool: Pool::default(),
            bench: Bench::open(device, devices)?,
        })
    }

    /// Builds tests and keeps them; gives for each, in order, the seconds of its build.
    fn build(&mut self, device: &OpenDevice, tests: Vec<Written>) -> Vec<Result<f64, NotRun>> {
        let built = Built::all(&mut self.bench, &device.capabilities, tests).into_iter();
        let keep = |test: Result<Built, NotRun>| {
            self.built.push(test?);
            Ok(self.built[self.built.len() - 1].build_seconds)
        };
        built.map(keep).collect()
    }

    /// Runs one of the tests.
    fn play(
        &mut self,
        at: usize,
        device: &OpenDevice,
        order: &Order<'_>,
        on_launch: &mut dyn FnMut(Launch),
    ) -> Result<Ended, NotRun> {
        let built = &self.built[at];
        let arrangement = resolve(
            order.environment,
            &device.capabilities,
            &built.test,
            built.largest_group,
            &built.sub_groups,
        )
        .map_err(|unfit| NotRun::skip(unfit.reason))?;
        self.bench.want_queues(arrangement.queues as u8)?;
        self.bench.want_beside(arrangement.beside as usize)?;
        let (bench, pool) = (&self.bench, &mut self.pool);
        let launcher = Launcher::open(bench, pool, built, order.environment, arrangement)?;
        session::run(launcher, order.seed, order.budget, on_launch)
    }
}

/// How a litmus test is to be run.
pub struct Order<'a> {
    /// What surrounds it.
    pub environment: &'a Environment,
    /// Decides everything that is drawn.
    pub seed: u64,
    /// When to stop.
    pub budget: Budget,
}

/// Tests kept built, at most, where they are built one after another.
const MOST_KEPT: usize = 64;

impl Workshop {
    /// Builds tests and keeps them, for environments that leave what is built to the device: all in one program, or
    /// each alone where that does not build.
    /// Gives for each test the seconds of its build, those of a program shared equally by its tests.
    /// A test that is kept already is built again only if it is another; what is none is not built.
    pub fn load(
        &mut self,
        device: &OpenDevice,
        programs: Vec<Option<Program>>,
    ) -> Vec<Result<f64, NotRun>> {
        let modules = Environment::default().modules(&device.capabilities);
        self.load_as(device, programs, modules)
    }

    fn load_as(
        &mut self,
        device: &OpenDevice,
        programs: Vec<Option<Program>>,
        modules: Modules,
    ) -> Vec<Result<f64, NotRun>> {
        let mut results = Vec::new();
        let mut written: BTreeMap<u8, Vec<(usize, Written)>> = BTreeMap::new();
        for (at, program) in programs.into_iter().enumerate() {
            // What it takes is put in place of this once it is known.
            results.push(Ok(0.0));
            let Some(program) = program.filter(|program| self.kept(program, modules).is_none())
            else {
                continue;
            };
            match Written::new(device, program, modules, at) {
                Ok(test) => written.entry(test.devices()).or_default().push((at, test)),
                Err(why) => results[at] = Err(why),
            }
        }
        for (devices, tests) in written {
            let (places, tests): (Vec<usize>, Vec<Written>) = tests.into_iter().unzip();
            let built = match self.room(device, devices) {
                Ok(room) => room.build(device, tests),
                Err(why) => vec![Err(why); tests.len()],
            };
            for (at, built) in places.into_iter().zip(built) {
                results[at] = built;
            }
        }
        results
    }

    fn room(&mut self, device: &OpenDevice, devices: u8) -> Result<&mut Room, NotRun> {
        let at = match self.rooms.iter().position(|r| r.devices == devices) {
            Some(at) => at,
            None => {
                self.rooms.push(Room::open(device, devices)?);
                self.rooms.len() - 1
            }
        };
        Ok(&mut self.rooms[at])
    }

    /// Where a test is kept.
    fn kept(&self, program: &Program, modules: Modules) -> Option<(usize, usize)> {
        self.rooms.iter().enumerate().find_map(|(r, room)| {
            let is = |b: &Built| b.program == *program && b.modules == modules.of(program);
            let at = room.built.iter().position(is)?;
            Some((r, at))
        })
    }

    /// Runs one litmus test until the budget is spent: one that is kept, or else builds it, alone, and keeps it.
    /// `on_launch` is called once for each launch, in order, as its counts are known; the counts of each launch have
    /// been checked to add up to its instances.
    pub fn run(
        &mut self,
        device: &OpenDevice,
        program: &Program,
        order: &Order<'_>,
        on_launch: &mut dyn FnMut(Launch),
    ) -> Result<Ended, NotRun> {
        let mut build_seconds = 0.0;
        let modules = order.environment.modules(&device.capabilities);
        if self.kept(program, modules).is_none() {
            if self
                .rooms
                .iter()
                .map(|room| room.built.len())
                .sum::<usize>()
                >= MOST_KEPT
            {
                self.rooms.clear();
            }
            let built = self.load_as(device, vec![Some(program.clone())], modules);
            build_seconds = built.into_iter().sum::<Result<f64, NotRun>>()?;
        }
        let Some((room, at)) = self.kept(program, modules) else {
            let why = "internal error: a test that was built is not kept (this is a bug)";
            return Err(NotRun::failed(why.into()));
        };
        let ended = self.rooms[room].play(at, device, order, on_launch);
        if matches!(ended, Err(NotRun::Failed { .. })) {
            // What failed may have left the context useless.
            self.rooms.remove(room);
        }
        let mut ended = ended?;
        ended.build_seconds += build_seconds;
        Ok(ended)
    }
}
