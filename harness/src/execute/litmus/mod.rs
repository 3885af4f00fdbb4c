//! How a litmus test is run on a device: built, launched, collected, counted.
//!
//! [`built`] builds tests, alone or many in one program; [`session`] runs a built test in an
//! environment until its budget is spent, [`launch`] keeps its launches in flight, [`plan`] draws
//! what a launch permutes and writes it down for the kernels, [`aim`] learns how long the last at a
//! meeting waits for the others, [`tally`] turns rows into outcomes,
//! [`commands`] plays tests whose host threads enqueue commands, an instance at a time.
//! [`host`] plays host threads and [`stress`] those that only disturb; [`standalone`] writes it all
//! as a C program instead. A [`Workshop`] keeps what is
//! built and the memory of launches ([`pool`]), so that a test can be run in one environment after the
//! other.

mod aim;
mod built;
pub mod commands;
mod host;
mod host_steps;
mod launch;
mod plan;
mod pool;
mod session;
mod standalone;
mod stress;
mod tally;

use super::cl::Bench;
use super::{Ended, NotRun};
use crate::device::OpenDevice;
use crate::environment::{Environment, resolve};
use built::{Built, Written};
use classay_litmus::program::Program;
use classay_reports::record::Launch;
use classay_vocabulary::Budget;
use pool::Pool;
pub use standalone::Standalone;

/// Tests that are kept built, with what they share. One to a worker.
#[derive(Default)]
pub struct Workshop {
    rooms: Vec<Room>,
}

/// The tests of as many devices, in one context.
struct Room {
    devices: usize,
    // Declared before the bench, whose context they live in.
    built: Vec<Built>,
    pool: Pool,
    bench: Bench,
}

impl Room {
    fn open(device: &OpenDevice, devices: usize) -> Result<Room, NotRun> {
        let bench = Bench::open(
            &device.platform_devices[..devices],
            device.capabilities.version,
        )?;
        Ok(Room {
            devices,
            built: Vec::new(),
            pool: Pool::default(),
            bench,
        })
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

impl Workshop {
    /// Builds tests and keeps them: all in one program, or each alone where that does not build.
    /// Gives for each test the seconds of its build, those of a program shared equally by its tests.
    /// A test that is kept already is built again only if it is another.
    pub fn load(
        &mut self,
        device: &OpenDevice,
        programs: Vec<Program>,
    ) -> Vec<Result<f64, NotRun>> {
        let mut results = Vec::new();
        let mut written: Vec<(usize, Written)> = Vec::new();
        for (at, program) in programs.into_iter().enumerate() {
            if self.kept(&program).is_some() {
                results.push(Ok(0.0));
                continue;
            }
            // What it takes is put in place of this once it is known.
            results.push(Ok(0.0));
            match Written::new(device, program, at) {
                Ok(test) => written.push((at, test)),
                Err(why) => results[at] = Err(why),
            }
        }
        while let Some((_, first)) = written.first() {
            let devices = first.devices();
            let (now, later) = written
                .into_iter()
                .partition(|(_, w)| w.devices() == devices);
            written = later;
            self.load_into(device, devices, now, &mut results);
        }
        results
    }

    fn load_into(
        &mut self,
        device: &OpenDevice,
        devices: usize,
        tests: Vec<(usize, Written)>,
        results: &mut [Result<f64, NotRun>],
    ) {
        let room = match self.room(device, devices) {
            Ok(room) => room,
            Err(why) => {
                for (at, _) in tests {
                    results[at] = Err(why.clone());
                }
                return;
            }
        };
        let (positions, tests): (Vec<usize>, Vec<Written>) = tests.into_iter().unzip();
        match Built::all(&room.bench, &device.capabilities, tests) {
            Ok(built) => {
                for (at, test) in positions.into_iter().zip(built) {
                    results[at] = test.map(|test| {
                        let seconds = test.build_seconds;
                        room.built.push(test);
                        seconds
                    });
                }
            }
            Err(tests) => {
                for (at, test) in positions.into_iter().zip(tests) {
                    results[at] = Built::one(&room.bench, &device.capabilities, test).map(|test| {
                        let seconds = test.build_seconds;
                        room.built.push(test);
                        seconds
                    });
                }
            }
        }
    }

    fn room(&mut self, device: &OpenDevice, devices: usize) -> Result<&mut Room, NotRun> {
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
    fn kept(&self, program: &Program) -> Option<(usize, usize)> {
        self.rooms.iter().enumerate().find_map(|(r, room)| {
            let at = room.built.iter().position(|b| b.program == *program)?;
            Some((r, at))
        })
    }

    /// Runs one litmus test until the budget is spent: one that is kept, or else builds it, alone, in
    /// a context of its own. `on_launch` is called once for each launch, in order, as its counts are
    /// known; the counts of each launch have been checked to add up to its instances.
    pub fn run(
        &mut self,
        device: &OpenDevice,
        program: &Program,
        order: &Order<'_>,
        on_launch: &mut dyn FnMut(Launch),
    ) -> Result<Ended, NotRun> {
        if let Some((room, at)) = self.kept(program) {
            let Room {
                built, pool, bench, ..
            } = &mut self.rooms[room];
            let ended = play(device, bench, pool, &built[at], order, on_launch)?;
            return Ok(ended);
        }
        let written = Written::new(device, program.clone(), 0)?;
        let mut room = Room::open(device, written.devices())?;
        let built = Built::one(&room.bench, &device.capabilities, written)?;
        let mut ended = play(
            device,
            &mut room.bench,
            &mut room.pool,
            &built,
            order,
            on_launch,
        )?;
        ended.build_seconds += built.build_seconds;
        Ok(ended)
    }
}

fn play(
    device: &OpenDevice,
    bench: &mut Bench,
    pool: &mut Pool,
    built: &Built,
    order: &Order<'_>,
    on_launch: &mut dyn FnMut(Launch),
) -> Result<Ended, NotRun> {
    let arrangement = resolve(
        order.environment,
        &device.capabilities,
        &built.test,
        built.largest_group,
        &built.sub_groups,
    )
    .map_err(|unfit| NotRun::skip(unfit.reason))?;
    bench.want_queues(arrangement.queues as usize)?;
    session::Session::open(bench, pool, built, order.environment, arrangement)?.run(
        order.seed,
        order.budget,
        on_launch,
    )
}
