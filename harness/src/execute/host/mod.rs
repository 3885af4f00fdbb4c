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

mod answers;
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
mod printed;
mod programs;
mod run;
mod settle;
#[cfg(test)]
mod tests;
mod translate;
mod watch;

pub use api::{Api, SetupError, address, room};
pub use atomics::Shared;
pub use fixtures::Fixtures;
pub use programs::{BuildFailed, names};
pub use translate::as_module;

use super::ended::NotRun;
use classay_suites::host::{HostProgram, Record, Slot, SlotKind};
use play::{Part, Player};
use run::{Run, Setting};
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// A program with its fixtures. It is played before another program's fixtures are asked for.
pub struct Play(Arc<Setting>);

impl Play {
    /// A program, with its fixtures made where there are none yet.
    pub fn of(fixtures: &mut Fixtures, program: HostProgram) -> Result<Play, NotRun> {
        watch::over(&program);
        Ok(Play(Arc::new(Setting {
            fixtures: fixtures.of(&program)?,
            program: Arc::new(program),
            api: fixtures.api.clone(),
            deadlines: fixtures.deadlines.clone(),
            device: fixtures.device.clone(),
            callback: play::callback,
        })))
    }

    /// Plays the program once; `number` is that of the run in its tokens.
    pub fn run(&self, number: u32) -> Record {
        let (run, program) = (Run::new(&self.0, number), &self.0.program);
        let thread = |steps: &[_]| Player::new(&run, Part::Before).play(steps);
        thread(&program.begin);
        if let (Some((first, others)), false) = (program.threads.split_first(), run.ended()) {
            std::thread::scope(|scope| {
                for steps in others {
                    scope.spawn(|| thread(steps));
                }
                thread(first);
            });
        }
        Player::new(&run, Part::End).play(&program.end);
        self.finish(&run)
    }

    /// What was observed; what is left is given up.
    fn finish(&self, run: &Arc<Run>) -> Record {
        printed::stop();
        let mut record = std::mem::take(&mut run.observed().record);
        record.finished.get_or_insert_with(|| run.nanoseconds());
        run::leave(run.number);
        if run.left_behind.load(Ordering::Acquire) {
            // Commands that never end keep their memory for as long as this process lives: taken from
            // under them it would be someone else's when they come to write.
            std::mem::forget(run.clone());
            return record;
        }
        let Setting {
            program,
            api,
            fixtures,
            ..
        } = &*self.0;
        for (n, info) in program.slots.iter().enumerate().rev() {
            let slot = Slot(n as u16);
            if fixtures.iter().any(|(fixture, _)| *fixture == slot) {
                continue;
            }
            match (run.take(slot), info.kind) {
                (0, _) => {}
                (held, SlotKind::Svm(context)) => api.free(run.load(context), held),
                // Sub-devices have their own calls; what is the host's own goes with the run.
                (held, kind) => {
                    if let Some(release) = kind.release() {
                        api.release(release, held);
                    }
                }
            }
        }
        record
    }
}
