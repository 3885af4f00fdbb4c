//! Which model of forward progress a device is seen to keep.
//!
//! The shipped programs of progress wait for each other in spin loops, and each ends under some models of progress
//! alone, as the oracle says ([`classay_litmus::oracle::Progress`]). Here they are played as litmus tests whose loops
//! never give up, many instances at once, by workers under a watchdog: what does not come to its end is killed, and
//! refutes every model under which it has to end. A model is *seen to be kept* where every program that ends under
//! it came to its end. Neither API promises any of this among work-groups, so that nothing fails for it; what a
//! device does promise it has to keep ([`Promise`]).
//!
//! Instances do not weaken a model: an implementation that keeps one for the work-groups of a launch keeps it for
//! those of each instance, whose numbers are in the order of the launch's, instance by instance as number by number
//! ([`Row`]). The lowest that is left in an instance is, once all before it have ended, the lowest of all.
//!
//! Some drivers end loops after so many turns, silently, which is no progress. So the turns of a long loop are
//! counted first ([`loops`]); where there is such a limit, loops give up well below it, and whoever gave up shows
//! nothing. And every program asks whether what it waited for came.

mod loops;
mod played;
mod standing;

pub use played::{Fate, Played};
pub use standing::{Promise, Seen, Standing};

use crate::device::Selector;
#[cfg(doc)]
use crate::environment::Row;
use crate::interrupt::Interrupt;
use crate::worker::session::Session;
use crate::{Error, open};
use classay_litmus::oracle::{Graph, Limits, Progress as Model};
use classay_litmus::program::Program;
use classay_litmus::progress::Among;
use classay_litmus::syntax;
use classay_reports::record::DeviceRecord;
use std::time::Duration;

/// How much longer a program is waited for, once more, before it counts as the first that breaks a promise.
const CONFIRMING: u32 = 5;

/// What is asked of a device.
pub struct Progress<'a> {
    /// The device.
    pub device: &'a Selector,
    /// What the programs' threads are, one after the other.
    pub among: &'a [Among],
    /// How long a launch may take before it counts as one that does not end.
    pub patience: Duration,
    /// Ends it.
    pub interrupt: &'a Interrupt,
}

/// What there is to tell.
#[derive(Debug, Clone, Copy)]
pub enum Event<'a> {
    /// The device is open; and after so many turns it ends loops, where it does.
    Begun(&'a DeviceRecord, Option<u32>),
    /// A program was played whose threads are these.
    Played(Among, &'a Waiting, &'a Played),
    /// All were whose threads are alike.
    Settled(&'a Seen),
}

/// A shipped program of progress.
#[derive(Debug, Clone)]
pub struct Waiting {
    /// Its name.
    pub name: &'static str,
    /// Its text.
    pub text: &'static str,
    /// As read.
    pub program: Program,
    /// The models under which it always ends.
    pub ends_under: Vec<Model>,
}

/// Every shipped program of progress, those that more models end first.
///
/// # Errors
///
/// One of them cannot be read or judged, which is a bug.
pub fn programs() -> Result<Vec<Waiting>, Error> {
    let all = classay_litmus::shipped_progress().iter();
    let read = |&(name, text): &(&'static str, &'static str)| {
        let wrong = |why: String| Error::Bug(format!("the program of progress {name}: {why}"));
        let program = syntax::read_litmus(name, text).map_err(|e| wrong(e.message().into()))?;
        let graph = Graph::of(&program, &Limits::default()).map_err(|e| wrong(e.to_string()))?;
        let ends_under = Model::ALL.into_iter();
        let ends_under = ends_under
            .filter(|model| graph.terminates(*model))
            .collect();
        Ok(Waiting {
            name,
            text,
            program,
            ends_under,
        })
    };
    let mut all: Vec<Waiting> = all.map(read).collect::<Result<_, Error>>()?;
    all.sort_by_key(|waiting| std::cmp::Reverse(waiting.ends_under.len()));
    Ok(all)
}

impl Progress<'_> {
    /// Plays the programs, and tells how it goes.
    ///
    /// # Errors
    ///
    /// The device does not open, or no longer, or the user interrupted.
    pub fn run(&self, tell: &mut dyn FnMut(Event<'_>)) -> Result<(), Error> {
        let programs = programs()?;
        let mut session = open::device(self.device, self.interrupt)?;
        let limit = loops::limit(&mut session, self.patience)?;
        tell(Event::Begun(&session.known().record, limit));
        for among in self.among {
            let promise = Promise::of(&session.known().capabilities, *among);
            let mut all = Vec::new();
            let mut doubted = promise != Promise::Nothing;
            for waiting in &programs {
                let mut play =
                    |patience| self.play(&mut session, waiting, (*among, limit), patience);
                let mut done = play(self.patience)?;
                if doubted && matches!(done.fate, Fate::Stuck(_)) {
                    done = play(self.patience.saturating_mul(CONFIRMING))?;
                    doubted = !matches!(done.fate, Fate::Stuck(_));
                }
                tell(Event::Played(*among, waiting, &done));
                all.push((waiting, done));
            }
            tell(Event::Settled(&Seen::of(*among, promise, &all)));
        }
        session.close();
        Ok(())
    }

    fn play(
        &self,
        session: &mut Session,
        waiting: &Waiting,
        (among, limit): (Among, Option<u32>),
        patience: Duration,
    ) -> Result<Played, Error> {
        let api = session.known().capabilities.api;
        let program = among.placed(&waiting.program, api);
        played::play(session, waiting.name, &program, (among, limit), patience)
    }
}

#[cfg(test)]
mod tests;
