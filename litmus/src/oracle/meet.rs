//! Who meets at the barriers of Vulkan.
//!
//! A control barrier is one operation that all who take part execute together: "A is program-ordered
//! before (or equals) C, C is program-ordered before (or equals) B" speaks of one C. Which threads take
//! part is a choice of the execution where a test says how many are wanted, and more arrive; who arrives after
//! so many have met passes alone, after them. A thread whose barrier never has its number waits for ever: its path ends
//! there, and counts only where fewer than the number wait in the end.
//!
//! Threads arrive in program order and pass together, so meetings are found by running the barriers alone;
//! a circle of threads that wait for each other at different barriers is never passed.

use super::unfold::{BarrierId, Path};
use crate::program::{
    Api, Barrier, BarrierScope, Instr, Placement, Program, ThreadId, WorkItem, each_instr,
};
use std::collections::BTreeSet;

/// A barrier that is passed: the thread, and how many it has passed before.
type Passed = (usize, usize);

/// For each thread and each barrier that it passes, in order, the barriers that take part: one that is passed
/// together with it, or one before it where it is passed late.
pub type Meetings = Vec<Vec<Vec<Passed>>>;

/// Most ways of meeting that are followed for one combination of paths.
const MOST: usize = 4096;

/// Every way in which threads that take these paths meet; one with nothing in it for OpenCL, whose barriers
/// meet by their number.
pub fn ways(program: &Program, paths: &[&Path]) -> Vec<Meetings> {
    if program.api == Api::OpenCl || paths.iter().all(|path| path.arrivals.is_empty()) {
        return vec![Vec::new()];
    }
    let mut rounds = Rounds {
        program,
        paths,
        at: vec![0; paths.len()],
        met: vec![Vec::new(); paths.len()],
        found: BTreeSet::new(),
    };
    rounds.go_on();
    rounds.found.into_iter().collect()
}

struct Rounds<'a> {
    program: &'a Program,
    paths: &'a [&'a Path],
    /// How many barriers each thread has passed.
    at: Vec<usize>,
    met: Meetings,
    found: BTreeSet<Meetings>,
}

impl Rounds<'_> {
    /// The barrier at which a thread waits, if it is going to pass it.
    fn waits(&self, thread: usize) -> Option<&BarrierId> {
        let path = self.paths[thread];
        let passed = path.arrivals.len() - usize::from(path.blocked);
        (self.at[thread] < passed).then(|| &path.arrivals[self.at[thread]])
    }

    fn go_on(&mut self) {
        if self.found.len() >= MOST {
            return;
        }
        // Meetings of different threads may come in any order; the first thread that can meet decides.
        let threads = self.paths.len();
        let Some(first) = (0..threads).find(|t| self.waits(*t).is_some()) else {
            if self.blocked_for_ever() {
                self.found.insert(self.met.clone());
            }
            return;
        };
        // Somebody whose barrier has its number now; each such thread may be the next to go on.
        for leader in first..threads {
            let Some(barrier) = self.waits(leader) else {
                continue;
            };
            let wanted = barrier.wanted as usize;
            let before = match barrier.open_later {
                true => self.passed(leader, barrier),
                false => Vec::new(),
            };
            let others: Vec<usize> = (leader + 1..threads)
                .filter(|t| {
                    self.waits(*t)
                        .is_some_and(|b| self.same(leader, *t, barrier, b))
                })
                .collect();
            if !barrier.open_later && others.len() + 1 == wanted {
                // All who can take part are here, so nothing is gained by waiting.
                self.choose(&mut vec![leader], &others, wanted, &[]);
                return;
            }
            if wanted > 0 && others.len() + 1 >= wanted {
                self.choose(&mut vec![leader], &others, wanted, &[]);
            }
            if !before.is_empty() {
                self.choose(&mut vec![leader], &[], 1, &before);
            }
        }
    }

    /// Chooses the rest of a meeting among `others`, and goes on; it comes after what was passed `before`.
    fn choose(
        &mut self,
        chosen: &mut Vec<usize>,
        others: &[usize],
        wanted: usize,
        before: &[Passed],
    ) {
        if chosen.len() == wanted {
            let mut part = before.to_vec();
            part.extend(chosen.iter().map(|t| (*t, self.at[*t])));
            part.sort_unstable();
            for thread in &*chosen {
                self.at[*thread] += 1;
                self.met[*thread].push(part.clone());
            }
            self.go_on();
            for thread in &*chosen {
                self.at[*thread] -= 1;
                self.met[*thread].pop();
            }
            return;
        }
        for (index, thread) in others.iter().enumerate() {
            chosen.push(*thread);
            self.choose(chosen, &others[index + 1..], wanted, before);
            chosen.pop();
        }
    }

    /// Whether two threads wait at one barrier.
    fn same(&self, a: usize, b: usize, x: &BarrierId, y: &BarrierId) -> bool {
        x.group == y.group && x.label == y.label && meet(self.program, a, b, x.group)
    }

    /// The barriers passed that are the one that a thread waits at.
    fn passed(&self, thread: usize, barrier: &BarrierId) -> Vec<Passed> {
        let passed = (0..self.paths.len()).flat_map(|t| (0..self.at[t]).map(move |i| (t, i)));
        passed
            .filter(|(t, i)| self.same(thread, *t, barrier, &self.paths[*t].arrivals[*i]))
            .collect()
    }

    /// Whether those who are to be blocked are, everybody else having passed.
    fn blocked_for_ever(&self) -> bool {
        let blocked = |t: &usize| self.paths[*t].blocked;
        (0..self.paths.len()).filter(blocked).all(|t| {
            let Some(barrier) = self.paths[t].arrivals.last() else {
                return true;
            };
            let together = (0..self.paths.len()).filter(blocked).filter(|u| {
                let other = self.paths[*u].arrivals.last();
                other.is_some_and(|other| self.same(t, *u, barrier, other))
            });
            let opened = barrier.open_later && !self.passed(t, barrier).is_empty();
            !opened && together.count() < barrier.wanted as usize
        })
    }
}

/// Whether two threads are in one instance of a barrier's group.
pub fn meet(program: &Program, a: usize, b: usize, group: BarrierScope) -> bool {
    if a == b {
        return true;
    }
    let threads = &program.threads;
    match (threads[a].placement, threads[b].placement) {
        (Placement::Device(x), Placement::Device(y)) => match group {
            BarrierScope::SubGroup => x == y,
            BarrierScope::WorkGroup => x.group() == y.group(),
            BarrierScope::QueueFamily => WorkItem::family(x) == y.family(),
            BarrierScope::Device => x.device == y.device,
        },
        (Placement::Host, _) | (_, Placement::Host) => false,
    }
}

/// How many meet at a barrier of a thread: what the test says, or else all threads of the group whose code
/// has such a barrier.
pub fn wanted(program: &Program, thread: ThreadId, barrier: &Barrier) -> u32 {
    if let Some(quorum) = barrier.quorum {
        return quorum;
    }
    let has = |t: usize| {
        let mut found = false;
        each_instr(&program.threads[t].body, &mut |instr| {
            if let Instr::Barrier(other) = instr {
                found |= other.group == barrier.group && other.label == barrier.label;
            }
        });
        found
    };
    (0..program.threads.len())
        .filter(|t| meet(program, thread.index(), *t, barrier.group) && has(*t))
        .count() as u32
}
