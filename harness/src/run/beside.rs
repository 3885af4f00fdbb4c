//! Cases that run beside each other: each thread has a worker of its own, and takes the next case when it has
//! a turn on the machine.
//!
//! Threads share what is next, how long cases take and how long they may be silent, each behind a lock; what
//! they find they send to the thread that keeps results, which is the only one that writes the store and
//! shows anything. A case is sent once, after its worker said its last word of it, so that what is kept of it
//! happened before.

use super::active::Halt;
use super::next::Next;
use super::schedule::{Learned, Pace, Until, kind};
use crate::judge::ChosenModel;
use crate::merge::add;
use crate::plan::Case;
use crate::threads::lock;
use crate::worker::session::{Limits, Session, Stop};
use crate::worker::turns::Turns;
use classay_reports::difference::finding::PLAYS;
use classay_reports::expectation::Expectations;
use classay_reports::record::{CaseResult, Verdict};
use classay_reports::signature::Signature;
use classay_vocabulary::Budget;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Instant;

/// Threads for each case that may compute: those beyond the first run while others wait.
const THREADS: usize = 3;

/// A case that took longer than so many seconds is not played again: what it shows, quicker ones may.
const QUICK: f64 = 1.0;

/// What a thread reports.
pub(super) enum News {
    /// The case at this place begins.
    Begins(usize),
    /// One ended so.
    Ends(Box<CaseResult>),
}

/// What the threads share.
pub(super) struct Beside<'a> {
    pub cases: &'a [Case],
    /// The cases to run.
    pub next: &'a Mutex<Next>,
    pub model: &'a ChosenModel,
    pub limits: Limits,
    pub until: Option<Until>,
    pub jobs: usize,
    pub pace: Mutex<Pace>,
    pub learned: &'a Mutex<Learned>,
    pub expectations: &'a Expectations,
    /// What failures show that were played again, in their words.
    pub confirmed: Mutex<BTreeSet<(Option<String>, String)>>,
}

impl Beside<'_> {
    /// Runs them on sessions like `first`; `keep` gets the news, on the thread that calls.
    ///
    /// # Errors
    ///
    /// The device is gone, the user interrupted, or `keep` failed.
    pub fn go(
        &self,
        first: &Session,
        keep: &mut dyn FnMut(News) -> Result<(), Halt>,
    ) -> Result<(), Halt> {
        let turns = Turns::new(self.jobs);
        let over = AtomicBool::new(false);
        let (send, news) = channel();
        let threads = (self.jobs * THREADS).min(lock(self.next).left());
        std::thread::scope(|scope| {
            let threads: Vec<_> = (0..threads)
                .map(|_| {
                    let (session, send) = (first.another().poisoned(), send.clone());
                    let (turns, over) = (&turns, &over);
                    scope.spawn(move || {
                        let ended = self.serve(session, turns, over, &send);
                        if ended.is_err() {
                            over.store(true, Ordering::Relaxed);
                        }
                        ended
                    })
                })
                .collect();
            drop(send);
            let mut kept = Ok(());
            for one in news {
                if kept.is_ok() {
                    kept = keep(one);
                }
                if kept.is_err() {
                    over.store(true, Ordering::Relaxed);
                }
            }
            for thread in threads {
                match thread.join() {
                    Ok(Ok(())) => {}
                    Ok(Err(stop)) => kept = kept.and(Err(Halt::Stop(stop))),
                    Err(panic) => std::panic::resume_unwind(panic),
                }
            }
            kept
        })
    }

    /// Plays a case again that is the first to show a failure, and not expected to, until it was played so often that a
    /// comparison with another run knows whether it fails each time.
    fn confirm(
        &self,
        session: &mut Session,
        case: &Case,
        limits: Limits,
        mut result: CaseResult,
    ) -> Result<CaseResult, Stop> {
        let is_new = || {
            let shown = Signature::all(&result);
            let mut confirmed = lock(&self.confirmed);
            let before = confirmed.len();
            confirmed.extend(shown.iter().map(Signature::words));
            confirmed.len() > before
        };
        let again = match result.verdict {
            Verdict::Fail => Budget::Instances(PLAYS.saturating_sub(result.instances).max(1)),
            Verdict::Crash if u64::from(result.attempts) < PLAYS => case.budget,
            _ => return Ok(result),
        };
        // So many instances as were asked for are played of a case that has no time.
        let asked = case.budget.seconds().is_none();
        if asked || result.seconds > QUICK || self.expectations.passes(&result) || !is_new() {
            return Ok(result);
        }
        let again = Case {
            budget: again,
            ..case.clone()
        };
        let limits = Limits {
            retries: (PLAYS - 1) as u32,
            ..limits
        };
        // What decides how a race ends may be the process.
        session.renew();
        match session.run(&again, limits, self.model, &mut |_| {}) {
            // It says how many of all tries ended so.
            Ok(more) if [more.verdict, result.verdict] == [Verdict::Crash; 2] => {
                let seconds = result.seconds + more.seconds;
                result = CaseResult { seconds, ..more };
            }
            Ok(more) => result = add(case, result, more, self.model),
            // What it showed by then counts.
            Err(Stop::TimeIsUp) => {}
            Err(stop) => return Err(stop),
        }
        Ok(result)
    }

    /// What one thread does.
    fn serve(
        &self,
        mut session: Session,
        turns: &Arc<Turns>,
        over: &AtomicBool,
        send: &Sender<News>,
    ) -> Result<(), Stop> {
        let late = || self.until.is_some_and(|u| Instant::now() >= u.last_begin);
        let wanted = || !over.load(Ordering::Relaxed) && lock(self.next).left() > 0 && !late();
        while let Some(turn) = turns.take(&wanted) {
            if !wanted() {
                break;
            }
            let Some(at) = lock(self.next).begin(self.cases) else {
                break;
            };
            let case = lock(&self.pace).case(&self.cases[at]);
            let kind = kind(&case);
            let limits = Limits {
                patience: lock(self.learned).patience(kind, self.limits.patience),
                until: self.until.map(|until| until.cut),
                ..self.limits
            };
            // Whoever keeps results listens until every thread has ended.
            let _ = send.send(News::Begins(at));
            session.take_turn(Some(turn));
            let is_warm = session.has_compiled();
            let ran = session.run(&case, limits, self.model, &mut |_| {});
            let ran = match ran {
                Ok(result) => self.confirm(&mut session, &case, limits, result),
                Err(stop) => Err(stop),
            };
            session.take_turn(None);
            match ran {
                Ok(result) => {
                    // The kind whose case happens to be a worker's first is not what makes it load the compiler.
                    let others = if is_warm { 0.0 } else { result.build_seconds };
                    let seconds = (result.seconds - others).max(0.0);
                    lock(self.next).ended(self.cases, at, seconds);
                    lock(&self.pace).took(&case, result.seconds);
                    lock(self.learned).saw(kind, &result);
                    let _ = send.send(News::Ends(Box::new(result)));
                }
                Err(Stop::TimeIsUp) => lock(self.next).cut(self.cases, at),
                Err(stop) => return Err(stop),
            }
        }
        session.close();
        Ok(())
    }
}
