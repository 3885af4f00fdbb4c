//! How a host program is played on a device.
//!
//! [`Fixtures`] holds what outlives a run. [`Play`] is a program with its fixtures; each
//! [`run`](Play::run) of it makes what the program begins with, plays its host threads ([`play`]), finishes
//! everything ([`settle`]), gives up what is left in slots, and gives back what was observed. Calls of the
//! API go through the table of functions ([`api`]) with memory that lives as long as the call does
//! ([`arguments`]). Nothing here judges.
//!
//! **Threads.** Each host thread of the program is a thread here. What they share is in the [`run`]: slots
//! are atomics, stored (release) when the call that made an object has returned and loaded (acquire) by
//! the steps that use it; a valid program orders the two. Signals are a flag under a lock with a
//! condition. Stamps come from one counter by sequentially consistent additions, so that a stamp drawn
//! before another, in whatever threads, is smaller. [`callbacks`] find their run through a table by number,
//! so that one that comes late, or twice, finds none instead of freed memory.

#![allow(unsafe_code)]

mod api;
mod arguments;
mod atomics;
mod bytes;
mod callbacks;
mod deadlines;
mod exchange;
mod fixtures;
mod kernels;
mod play;
mod programs;
mod run;
mod settle;
#[cfg(test)]
mod tests;

pub use atomics::Shared;
pub use fixtures::{Fixtures, SetupError};
pub use programs::names;

use super::NotRun;
use api::Api;
use classay_suites::host::{Function, HostProgram, Record, Slot, SlotKind};
use deadlines::Deadlines;
use fixtures::{Device, release};
use play::Player;
use run::Run;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// A program with its fixtures. It is played before another program's fixtures are asked for.
pub struct Play {
    program: Arc<HostProgram>,
    api: Arc<Api>,
    deadlines: Arc<Deadlines>,
    device: Arc<Device>,
    fixtures: Vec<(Slot, usize)>,
}

impl Play {
    /// A program, with its fixtures made where there are none yet.
    pub fn of(fixtures: &mut Fixtures, program: HostProgram) -> Result<Play, NotRun> {
        Ok(Play {
            fixtures: fixtures.of(&program)?,
            program: Arc::new(program),
            api: fixtures.api.clone(),
            deadlines: fixtures.deadlines.clone(),
            device: Arc::new(fixtures.device.clone()),
        })
    }

    /// Plays the program once; `number` is that of the run in its tokens.
    pub fn run(&self, number: u32) -> Record {
        let run = Run::new(
            &self.program,
            &self.api,
            &self.deadlines,
            &self.device,
            &self.fixtures,
            number,
        );
        let thread = |steps: &[_]| {
            let mut player = Player::before(&run);
            player.steps(steps);
            player.end();
        };
        thread(&self.program.begin);
        if let (Some((first, others)), false) = (self.program.threads.split_first(), run.ended()) {
            std::thread::scope(|scope| {
                for steps in others {
                    scope.spawn(|| thread(steps));
                }
                thread(first);
            });
        }
        let mut last = Player::of_end(&run);
        last.steps(&self.program.end);
        last.end();
        self.finish(&run)
    }

    /// What was observed; what is left is given up.
    fn finish(&self, run: &Arc<Run>) -> Record {
        let mut record = std::mem::take(&mut run.observed().record);
        record.finished.get_or_insert_with(|| run.nanoseconds());
        run::leave(run.number);
        if run.left_behind.load(Ordering::Acquire) {
            // Commands that never end keep their memory for as long as this process lives: taken from
            // under them it would be someone else's when they come to write.
            std::mem::forget(run.clone());
            return record;
        }
        for (n, info) in self.program.slots.iter().enumerate().rev() {
            let slot = Slot(n as u16);
            if self.fixtures.iter().any(|(fixture, _)| *fixture == slot) {
                continue;
            }
            let held = run.take(slot);
            if held != 0 {
                self.give_up(run, info.kind, held);
            }
        }
        record
    }

    fn give_up(&self, run: &Run, kind: SlotKind, held: usize) {
        let function = match kind {
            SlotKind::Context => Function::ReleaseContext,
            SlotKind::Queue => Function::ReleaseCommandQueue,
            SlotKind::Memory => Function::ReleaseMemObject,
            SlotKind::Sampler => Function::ReleaseSampler,
            SlotKind::Program => Function::ReleaseProgram,
            SlotKind::Kernel => Function::ReleaseKernel,
            SlotKind::Event => Function::ReleaseEvent,
            SlotKind::Svm(context) => {
                let words = [run.load(context) as u64, held as u64];
                // SAFETY: the run's own allocation; all commands on it are done.
                let _ = unsafe { self.api.call(Function::SVMFree, &words) };
                return;
            }
            // Sub-devices have their own calls; what is the host's own goes with the run.
            SlotKind::Platform | SlotKind::Device | SlotKind::Address | SlotKind::Host { .. } => {
                return;
            }
        };
        release(&self.api, function, held);
    }
}
