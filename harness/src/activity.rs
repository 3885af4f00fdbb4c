//! Who is at work: processes and threads that use a processor, or want one and get none. What is silent and at
//! work may only be slow, on a busy machine very much so; what is silent and waits may wait for ever.

use crate::sys;
use std::path::Path;
use std::time::Duration;

/// Whether a thread of this process other than the calling one runs, wants to run, or waits for a disk; false where
/// the system does not say.
pub fn others_are_at_work() -> bool {
    let own = sys::this_thread().to_string();
    let tasks = std::fs::read_dir("/proc/self/task").into_iter().flatten();
    let others = tasks.flatten().filter(|task| *task.file_name() != *own);
    let mut stats = others.filter_map(|task| Stat::read(&task.path().join("stat")));
    stats.any(|stat| stat.is_runnable())
}

/// What the processes of a group do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Activity {
    /// Processor time that they have used, of those that still exist.
    pub used: Duration,
    /// A thread of theirs runs, wants to run, or waits for a disk.
    pub runnable: bool,
}

/// Ticks of a second in which the system counts processor time, on every Linux.
const TICKS: u64 = 100;

impl Activity {
    /// As the system's process files say; `None` where there are none.
    pub fn of(files: &Path, group: u32) -> Option<Activity> {
        let mut all = Activity {
            used: Duration::ZERO,
            runnable: false,
        };
        for entry in std::fs::read_dir(files).ok()?.flatten() {
            let name = entry.file_name();
            let is_process = name.to_str().is_some_and(|n| n.parse::<u32>().is_ok());
            // A process may end between two looks.
            let stat = is_process.then(|| Stat::read(&entry.path().join("stat")));
            let Some(stat) = stat.flatten().filter(|stat| stat.group == group) else {
                continue;
            };
            all.used += Duration::from_millis(stat.ticks * (1000 / TICKS));
            let Ok(threads) = std::fs::read_dir(entry.path().join("task")) else {
                continue;
            };
            let stats = threads
                .flatten()
                .map(|t| Stat::read(&t.path().join("stat")));
            all.runnable |= stats.flatten().any(|stat| stat.is_runnable());
        }
        Some(all)
    }
}

/// What a process file `stat` says.
#[derive(Debug, PartialEq, Eq)]
struct Stat {
    state: char,
    group: u32,
    ticks: u64,
}

impl Stat {
    fn is_runnable(&self) -> bool {
        matches!(self.state, 'R' | 'D')
    }

    fn read(file: &Path) -> Option<Stat> {
        Stat::parse(&std::fs::read_to_string(file).ok()?)
    }

    /// Of `pid (name) state parent group … user system …`; a name may hold spaces and parentheses.
    fn parse(text: &str) -> Option<Stat> {
        let (_, rest) = text.rsplit_once(')')?;
        let fields: Vec<&str> = rest.split_ascii_whitespace().collect();
        let number = |at: usize| fields.get(at)?.parse::<u64>().ok();
        Some(Stat {
            state: fields.first()?.chars().next()?,
            group: u32::try_from(number(2)?).ok()?,
            ticks: number(11)? + number(12)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_may_hold_what_it_likes() {
        let text = "7 (a ) R b) S 1 42 7 0 -1 4194560 1 0 0 0 30 12 0 0 20 0 1 0 5 0 0";
        let stat = Stat {
            state: 'S',
            group: 42,
            ticks: 42,
        };
        assert_eq!(Stat::parse(text), Some(stat));
        assert_eq!(Stat::parse("7 (a) S 1"), None);
        assert_eq!(Stat::parse(""), None);
    }

    #[test]
    fn another_thread_at_work_is_seen() {
        use std::sync::atomic::{AtomicBool, Ordering};
        static STOP: AtomicBool = AtomicBool::new(false);
        let worker = std::thread::spawn(|| {
            while !STOP.load(Ordering::Relaxed) {
                std::hint::spin_loop()
            }
        });
        assert!(others_are_at_work());
        STOP.store(true, Ordering::Relaxed);
        worker.join().expect("an end");
    }
}
