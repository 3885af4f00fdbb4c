//! Work-items that get nowhere.
//!
//! A work-item is determined by its slots, its private memory and what it reads. If these are
//! all as they were when it was at the same instruction before, it has come round a circle:
//! if it has read nothing that others can change, it will do so for ever, and the launch ends
//! at once. If it has read shared memory, it waits for somebody to change that. This
//! may be right, as long as somebody is there who can; so a group whose items all wait (in
//! circles or at a barrier) is let wait for as long as the launch allows.
//!
//! Now and then a group that has run for long is watched for one round of its items, step by
//! step, and its items are compared with what they were when the round began. A loop that is
//! longer than the watch, or that counts, is not recognized; for these there is a limit of time.
//! (Loops that nothing leads out of never get here: the compiler of kernels knows them.)

use crate::interp::code::{Ins, Kernel, Pc};
use crate::launch::Launch;
use std::time::Duration;
use touchstone_ir::AddressSpace;

/// Steps of a group between two watches.
const INTERVAL: u64 = 1 << 23;

/// Steps that an item is watched, at most: a circle of half as many is found.
pub(super) const STEPS: u64 = 1 << 13;

/// What the next instruction of an item means for its circle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Effect {
    /// Nothing beyond the item.
    Own,
    /// It reads what others may change. Read-modify-writes count as reads: one that changes
    /// memory finds another value the next time and makes the item differ.
    Reads,
    /// It writes what others may read.
    Writes,
}

/// The effect of an instruction.
pub(super) fn effect(kernel: &Kernel, pc: Pc) -> Effect {
    let own = |site: u16| kernel.sites[usize::from(site)].space == AddressSpace::Private;
    let read = |site| {
        if own(site) {
            Effect::Own
        } else {
            Effect::Reads
        }
    };
    let write = |site| {
        if own(site) {
            Effect::Own
        } else {
            Effect::Writes
        }
    };
    match kernel.code[pc as usize] {
        Ins::Load8 { site, .. }
        | Ins::Load16 { site, .. }
        | Ins::Load32 { site, .. }
        | Ins::Load64 { site, .. }
        | Ins::Load32X { site, .. }
        | Ins::Load64X { site, .. }
        | Ins::Load32S { site, .. }
        | Ins::Load64S { site, .. }
        | Ins::AtomicLoad32 { site, .. }
        | Ins::AtomicLoad64 { site, .. }
        | Ins::Rmw32 { site, .. }
        | Ins::Rmw64 { site, .. }
        | Ins::Cas32 { site, .. }
        | Ins::Cas64 { site, .. } => read(site),
        Ins::Store8 { site, .. }
        | Ins::Store16 { site, .. }
        | Ins::Store32 { site, .. }
        | Ins::Store64 { site, .. }
        | Ins::Store32X { site, .. }
        | Ins::Store64X { site, .. }
        | Ins::Store32S { site, .. }
        | Ins::Store64S { site, .. }
        | Ins::AtomicStore32 { site, .. }
        | Ins::AtomicStore64 { site, .. }
        | Ins::MemSet { site, .. } => write(site),
        Ins::MemCopy {
            dst_site, src_site, ..
        } => match write(dst_site) {
            Effect::Own => read(src_site),
            other @ (Effect::Reads | Effect::Writes) => other,
        },
        // What is printed goes to the host.
        Ins::Print { .. } => Effect::Writes,
        // Children are others, and so are those who wait for events.
        Ins::Device { .. } => Effect::Writes,
        // The others do not touch memory. Steps begin at those that do and at jumps backward.
        _ => Effect::Own,
    }
}

/// What a watch of one item has found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// It goes round in a circle that nobody can break.
    Endless,
    /// It goes round in a circle and reads shared memory on the way.
    Waits,
    /// It does something else.
    Works,
}

/// Why a group is ended although nothing of what it does is wrong by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It has waited for too long.
    Waited(Duration),
    /// It has run for too long.
    Ran(Duration),
}

/// The account of one group's run.
#[derive(Debug)]
pub(super) struct Watch {
    group_time: Option<Duration>,
    wait_time: Option<Duration>,
    steps: u64,
    /// The thread's processor time when the group was first asked.
    began: Option<Duration>,
    /// The same when the group was first found waiting.
    waiting_since: Option<Duration>,
    /// What the present round has found, while one is being watched.
    round: Option<Found>,
}

impl Watch {
    pub(super) fn new(launch: &Launch) -> Watch {
        Watch {
            group_time: launch.group_time,
            wait_time: launch.wait_time,
            steps: 0,
            began: None,
            waiting_since: None,
            round: None,
        }
    }

    /// Whether the next item is to be watched: until one is found at work.
    pub(super) fn is_on(&self) -> bool {
        self.round == Some(Found::Waits)
    }

    /// Notes what an item does in a round that is watched.
    pub(super) fn note(&mut self, found: Found) {
        if let Some(round) = &mut self.round
            && found == Found::Works
        {
            *round = Found::Works;
        }
    }

    /// Called now and then with how many steps were taken: says whether the time is over.
    pub(super) fn spent(&mut self, steps: u64) -> Option<Verdict> {
        self.steps += steps;
        let limit = self.group_time?;
        let now = processor_time();
        let began = *self.began.get_or_insert(now);
        (now.saturating_sub(began) > limit).then_some(Verdict::Ran(limit))
    }

    /// Called at the end of each round with whether items are ready for another: says whether the group
    /// has waited for too long. Without any the group has come to a barrier or to its end.
    pub(super) fn round_ended(&mut self, ready: bool) -> Option<Verdict> {
        let found = self.round.take().map(|found| match ready {
            true => found,
            false => Found::Works,
        });
        if self.steps >= INTERVAL {
            self.steps = 0;
            self.round = Some(Found::Waits);
        }
        match found? {
            Found::Works | Found::Endless => {
                self.waiting_since = None;
                None
            }
            Found::Waits => {
                let limit = self.wait_time?;
                let now = processor_time();
                let since = *self.waiting_since.get_or_insert(now);
                (now.saturating_sub(since) >= limit).then_some(Verdict::Waited(limit))
            }
        }
    }
}

/// Processor time of this thread so far: what other threads and a stopped process take
/// does not count.
#[cfg(target_os = "linux")]
fn processor_time() -> Duration {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: writes one timespec. It cannot fail for this clock.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) };
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// Time since the first call.
#[cfg(not(target_os = "linux"))]
fn processor_time() -> Duration {
    static FIRST: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
    FIRST.get_or_init(std::time::Instant::now).elapsed()
}
