//! How long a silent worker is waited for.
//!
//! A worker that says nothing either computes, and a slow driver on a busy machine may do so for long, or
//! waits for what does not come: a hang. The system tells the two apart: processes of the worker's group that
//! use a processor, or want one and get none, are at work. One that waits is waited for much less long, and
//! lends its turn on the machine to another case meanwhile; so does one that works for longer than that. While
//! others have the processor that it wants, its time does not run.

use super::death::How;
use super::turns::Turn;
use crate::activity::Activity;
use std::path::Path;
use std::time::{Duration, Instant};

/// How long the worker may be silent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Patience {
    /// While nothing of it wants a processor.
    pub waiting: Duration,
    /// Whatever it does.
    pub working: Duration,
}

impl Patience {
    /// So long, whatever the worker does.
    pub fn of(both: Duration) -> Patience {
        Patience {
            waiting: both,
            working: both,
        }
    }

    /// So many times as long.
    pub fn times(self, times: u32) -> Patience {
        Patience {
            waiting: self.waiting * times,
            working: self.working * times,
        }
    }
}

/// How often a silent worker is looked at.
const LOOK: Duration = Duration::from_millis(200);

/// The part of the time since the last look from which on a group is at work.
const AT_WORK: f64 = 0.05;

/// Watches one worker while a case runs on it.
pub struct Vigil<'a> {
    group: u32,
    patience: Patience,
    /// When it last said something.
    said: Instant,
    /// Since when it has been waiting, as far as is known.
    waits: Instant,
    looked: Instant,
    used: Option<Duration>,
    /// How long, since it spoke, it wanted a processor that others had.
    denied: Duration,
    turn: Option<&'a Turn>,
}

impl<'a> Vigil<'a> {
    /// Of the worker that leads this group, which has begun a case just now.
    pub fn new(group: u32, patience: Patience, turn: Option<&'a Turn>) -> Vigil<'a> {
        let now = Instant::now();
        Vigil {
            group,
            patience,
            said: now,
            waits: now,
            looked: now,
            used: None,
            denied: Duration::ZERO,
            turn,
        }
    }

    /// It said something.
    pub fn spoke(&mut self) {
        let now = Instant::now();
        (self.said, self.waits, self.looked, self.used) = (now, now, now, None);
        self.denied = Duration::ZERO;
        if let Some(turn) = self.turn {
            turn.resume();
        }
    }

    /// It said nothing: whether it is still waited for, or what it did.
    pub fn silent(&mut self) -> Option<How> {
        let now = Instant::now();
        if now - self.looked >= LOOK {
            self.look(now);
        }
        if now - self.said >= self.while_at_work() {
            return Some(How::Silent(self.patience.working));
        }
        // A group that was never seen at work has been waiting since it spoke.
        (now - self.waits >= self.patience.waiting).then_some(How::Silent(self.patience.waiting))
    }

    /// How long it may work: what counts is the time in which it could, up to twice that in all.
    fn while_at_work(&self) -> Duration {
        self.patience.working + self.denied.min(self.patience.working)
    }

    /// When it is decided next.
    pub fn next(&self) -> Instant {
        let ends = [
            self.looked + LOOK,
            self.said + self.while_at_work(),
            self.waits + self.patience.waiting,
        ];
        ends.into_iter().min().unwrap_or(self.looked)
    }

    fn look(&mut self, now: Instant) {
        let Some(seen) = Activity::of(Path::new("/proc"), self.group) else {
            // Where the system does not say, silence is waiting.
            self.looked = now;
            return;
        };
        let since = now - self.looked;
        let used = self.used.map(|before| seen.used.saturating_sub(before));
        let busy = used.is_some_and(|used| used.as_secs_f64() > AT_WORK * since.as_secs_f64());
        if let Some(used) = used.filter(|_| seen.runnable) {
            self.denied += since.saturating_sub(used);
        }
        (self.looked, self.used) = (now, Some(seen.used));
        if busy || seen.runnable {
            self.waits = now;
        }
        if let Some(turn) = self.turn {
            // One that has worked in silence for longer than others are waited for may never end: it goes on, but
            // not in the place of those that have not begun.
            let is_at_work = busy || seen.runnable;
            match is_at_work && now - self.said < self.patience.waiting {
                true => turn.resume(),
                false => turn.lend(),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sys;
    use std::os::unix::process::CommandExt;
    use std::process::{Child, Command};

    /// A process that leads a group, and its end.
    struct Leader(Child);

    impl Leader {
        fn of(script: &str) -> Leader {
            let mut command = Command::new("sh");
            command.args(["-c", script]).process_group(0);
            Leader(command.spawn().expect("a shell"))
        }
    }

    impl Drop for Leader {
        fn drop(&mut self) {
            crate::sys::kill_group(self.0.id());
            let _ = self.0.wait();
        }
    }

    #[test]
    fn who_gets_half_a_processor_is_waited_for_longer() {
        let script = "while :; do :; done";
        let (one, other) = (Leader::of(script), Leader::of(script));
        let processor = sys::processors(sys::this_thread())[0];
        for leader in [&one, &other] {
            let id = leader.0.id() as i32;
            sys::set_processors(id, &[processor]).expect("it lives");
        }
        let patience = Patience::of(Duration::from_millis(1500));
        let mut vigil = Vigil::new(one.0.id(), patience, None);
        while vigil.silent().is_none() {
            std::thread::sleep(vigil.next().saturating_duration_since(Instant::now()));
        }
        assert!(vigil.denied > patience.working / 5, "{:?}", vigil.denied);
        vigil.spoke();
        assert_eq!(vigil.while_at_work(), patience.working);
    }

    /// What becomes of a silent worker.
    fn end_of(script: &str, patience: Patience) -> How {
        let leader = Leader::of(script);
        let mut vigil = Vigil::new(leader.0.id(), patience, None);
        loop {
            if let Some(how) = vigil.silent() {
                return how;
            }
            let left = vigil.next().saturating_duration_since(Instant::now());
            std::thread::sleep(left);
        }
    }

    #[test]
    fn who_waits_is_waited_for_less_than_who_works() {
        let patience = Patience {
            waiting: Duration::from_millis(600),
            working: Duration::from_millis(3000),
        };
        assert_eq!(
            end_of("sleep 100; true", patience),
            How::Silent(patience.waiting)
        );
        assert_eq!(
            end_of("while :; do :; done", patience),
            How::Silent(patience.working)
        );
        // What it started works for it.
        assert_eq!(
            end_of("(while :; do :; done) & wait", patience),
            How::Silent(patience.working)
        );
    }
}
