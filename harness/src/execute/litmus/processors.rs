//! Which processors a CPU's threads play on.
//!
//! A driver's threads sleep between launches, and a system that wakes two of them may put both on one
//! processor, where the first waits in vain for the second until it is moved: some tens of milliseconds in
//! which a test shows nothing, and what it shows later depends on where they end up. So the threads that
//! did the work of a launch, which are those whose time on a processor grew, get a processor each, drawn
//! anew whenever a test is played, and are set free again afterwards.
//!
//! Where they are fewer than the processors, the thread that waits for a launch may be one that works: Intel's CPU
//! runtime has one thread fewer than there are processors, each of which it confines to one, and plays in the waiting
//! one, too. That one gets a processor to which no other is confined. If it stayed where another has to be, it
//! would for a tenth of a second and more, since a system moves what waits before it moves what runs.

use super::launcher::Launcher;
use crate::execute::ended::NotRun;
use crate::sys;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::Rng;
use std::collections::{BTreeMap, BTreeSet};

/// What of the most that a thread worked makes another one a thread that works.
const WORKED: f64 = 0.05;

/// Launches to see who works, at most.
const LOOKS: u32 = 16;

/// The threads of this process, and the nanoseconds that each has run.
pub struct Threads(BTreeMap<i32, u64>);

impl Threads {
    /// As they are now; none where the system does not say.
    pub fn now() -> Threads {
        let tasks = std::fs::read_dir("/proc/self/task").into_iter().flatten();
        let ran = |task: std::fs::DirEntry| {
            let thread = task.file_name().to_str()?.parse().ok()?;
            let times = std::fs::read_to_string(task.path().join("schedstat")).ok()?;
            Some((thread, times.split(' ').next()?.parse().ok()?))
        };
        Threads(tasks.flatten().filter_map(ran).collect())
    }

    /// Those but the calling one that ran since then, most busy first.
    fn worked_since(&self, then: &Threads) -> Vec<i32> {
        let own = sys::this_thread();
        let since = |(&thread, &ran): (&i32, &u64)| {
            let before = then.0.get(&thread).copied().unwrap_or_default();
            (ran.saturating_sub(before), thread)
        };
        let mut worked: Vec<(u64, i32)> = self.0.iter().map(since).collect();
        worked.retain(|&(_, thread)| thread != own);
        worked.sort_unstable_by(|a, b| b.cmp(a));
        let most = worked.first().map_or(0, |&(ran, _)| ran);
        let enough = (most as f64 * WORKED) as u64;
        worked.retain(|&(ran, _)| ran > enough);
        worked.into_iter().map(|(_, thread)| thread).collect()
    }
}

/// Threads that have been given processors, or another nice value; dropped, they are as before.
pub struct Placed {
    /// What each was given.
    processors: Vec<(i32, usize)>,
    /// What they may run on otherwise.
    all: Vec<usize>,
    /// The threads there were when these were placed. One that is made later may run where its maker may.
    there: Threads,
    nice: Vec<(i32, i32)>,
}

impl Placed {
    /// Places the threads that do the work of launches, as the environment says. To see which these are,
    /// instances are cleared, each time more of them, and all of them a few times: of a short launch one thread may
    /// do all.
    ///
    /// # Errors
    ///
    /// A launch fails, or the system refuses the nice value.
    pub fn of(launcher: &mut Launcher<'_>, rng: &mut ChaCha8Rng) -> Result<Placed, NotRun> {
        // What is drawn does not depend on the machine.
        let drawn = rng.next_u32() as usize;
        let mut placed = Placed {
            processors: Vec::new(),
            all: sys::processors(sys::this_thread()),
            there: Threads::now(),
            nice: Vec::new(),
        };
        let (pinned, wanted) = (
            launcher.arrangement.pinned,
            launcher.environment.processors.nice,
        );
        if !pinned && wanted.is_none() {
            return Ok(placed);
        }
        let before = Threads::now();
        let enough = placed.all.len();
        let mut workers = Vec::new();
        let mut reach = launcher.arrangement.first;
        for _ in 0..LOOKS {
            reach = launcher.arrangement.reach(reach);
            launcher.clear(reach, &mut rng.clone())?;
            workers = Threads::now().worked_since(&before);
            if workers.len() >= enough {
                break;
            }
        }
        if let Some(nice) = wanted {
            for &worker in &workers {
                let was = sys::nice(worker);
                sys::set_nice(worker, nice).map_err(|error| {
                    NotRun::skip(format!("the system refuses the nice value {nice}: {error}"))
                })?;
                placed.nice.push((worker, was));
            }
        }
        if pinned {
            // Host threads run where the one that makes them does.
            let waiting = launcher.built.test.host_threads().is_empty();
            placed.pin(&workers, drawn, waiting);
        }
        Ok(placed)
    }

    fn pin(&mut self, workers: &[i32], drawn: usize, waiting: bool) {
        let own = sys::this_thread();
        self.there = Threads::now();
        let all = &self.all;
        let others = self.there.0.keys().copied().filter(|&thread| thread != own);
        let confined = others.filter_map(|thread| match sys::processors(thread)[..] {
            [only] => Some(only),
            _ => None,
        });
        let confined: BTreeSet<usize> = confined.collect();
        let places = (0..all.len()).map(|at| all[(at + drawn) % all.len()]);
        let mut free = places.filter(|place| !confined.contains(place));
        // A driver that has placed its threads itself knows better.
        let movable = workers
            .iter()
            .copied()
            .filter(|&worker| sys::processors(worker) == *all);
        let alone = workers.is_empty() && confined.is_empty();
        let waiting = (waiting && workers.len() < all.len() && !alone).then_some(own);
        for (thread, place) in movable.chain(waiting).zip(&mut free) {
            // A thread may end at any time, and then needs none.
            if sys::set_processors(thread, &[place]).is_ok() {
                self.processors.push((thread, place));
            }
        }
    }
}

impl Drop for Placed {
    fn drop(&mut self) {
        if !self.processors.is_empty() {
            let given = |thread: &i32| {
                let may = sys::processors(*thread);
                self.processors.iter().any(|(_, place)| may == [*place])
            };
            let later = Threads::now()
                .0
                .into_keys()
                .filter(|thread| !self.there.0.contains_key(thread));
            let placed = self.processors.iter().map(|(thread, _)| *thread);
            for thread in placed.chain(later.filter(given)) {
                let _ = sys::set_processors(thread, &self.all);
            }
        }
        for (thread, nice) in self.nice.drain(..) {
            let _ = sys::set_nice(thread, nice);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;
    use std::time::{Duration, Instant};

    #[test]
    fn who_worked_gets_a_processor_and_is_set_free_again() {
        let (say, heard) = mpsc::channel();
        let (go, wait) = mpsc::channel::<()>();
        let before = Threads::now();
        let worker = std::thread::spawn(move || {
            let began = Instant::now();
            let mut n = 0_u64;
            while began.elapsed() < Duration::from_millis(200) {
                n = std::hint::black_box(n + 1);
            }
            say.send(sys::this_thread()).expect("someone listens");
            // It has to live until its processors were looked at.
            let _ = wait.recv();
        });
        let thread = heard.recv().expect("it works");
        // Other tests of this program may work, too.
        assert!(Threads::now().worked_since(&before).contains(&thread));
        assert!(
            !Threads::now()
                .worked_since(&before)
                .contains(&sys::this_thread())
        );
        let all = sys::processors(thread);
        let mut placed = Placed {
            processors: Vec::new(),
            all: sys::processors(sys::this_thread()),
            there: Threads::now(),
            nice: Vec::new(),
        };
        placed.pin(&[thread], 1, true);
        assert_eq!(sys::processors(thread), [all[1 % all.len()]]);
        let own = sys::this_thread();
        if all.len() > 1 {
            // One worker is too few: this thread, which waits, may work.
            assert_eq!(sys::processors(own), [all[2 % all.len()]]);
        }
        let (say, heard) = mpsc::channel();
        let made = std::thread::spawn(move || {
            say.send(sys::this_thread()).expect("someone listens");
            std::thread::park();
        });
        let later = heard.recv().expect("it says so");
        assert_eq!(sys::processors(later), sys::processors(own));
        drop(placed);
        for thread in [thread, own, later] {
            assert_eq!(sys::processors(thread), all);
        }
        drop(go);
        made.thread().unpark();
        made.join().expect("it ends");
        worker.join().expect("it ends");
    }
}
