//! Which processors a CPU's threads play on.
//!
//! A driver's threads sleep between launches, and a system that wakes two of them may put both on one
//! processor, where the first waits in vain for the second until it is moved: some tens of milliseconds in
//! which a test shows nothing, and what it shows later depends on where they end up. So the threads that
//! did the work of a launch, which are those whose time on a processor grew, get a processor each, drawn
//! anew whenever a test is played, and are set free again afterwards.

use super::launcher::Launcher;
use crate::execute::ended::NotRun;
use crate::sys;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::Rng;
use std::collections::BTreeMap;

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
    processors: Vec<(i32, Vec<usize>)>,
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
        let enough = sys::processors(sys::this_thread()).len();
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
            placed.pin(&workers, drawn);
        }
        Ok(placed)
    }

    fn pin(&mut self, workers: &[i32], drawn: usize) {
        let all = sys::processors(sys::this_thread());
        for (at, &worker) in workers.iter().take(all.len()).enumerate() {
            let was = sys::processors(worker);
            // A driver that has placed its threads itself knows better.
            if was != all {
                continue;
            }
            // A thread may end at any time, and then needs none.
            if sys::set_processors(worker, &[all[(at + drawn) % all.len()]]).is_ok() {
                self.processors.push((worker, was));
            }
        }
    }
}

impl Drop for Placed {
    fn drop(&mut self) {
        for (thread, processors) in self.processors.drain(..) {
            let _ = sys::set_processors(thread, &processors);
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
            nice: Vec::new(),
        };
        placed.pin(&[thread], 1);
        assert_eq!(sys::processors(thread), [all[1 % all.len()]]);
        drop(placed);
        assert_eq!(sys::processors(thread), all);
        drop(go);
        worker.join().expect("it ends");
    }
}
