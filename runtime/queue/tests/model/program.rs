//! Generated programs: what host threads do with queues and events.
//!
//! Events are named by numbers: user events come first, then the commands of thread 0, of
//! thread 1 and so on. A thread may name an event that another has not made yet; then it
//! does without. Commands enqueue children while they are performed, to a queue that only these use; their lists have
//! user events and children of the same parent. A notice may have something done when it is told, on the lane's thread: all that a host
//! thread does, with the queues that the asking thread had.
//!
//! No program is stuck by its own fault: every user event is set by a thread that never waits, if
//! nobody was faster, and queues are flushed before anything is waited for.

use crate::engine::{Choice, Submission, Trigger};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

pub struct Program {
    /// The last one is the device's, which children are enqueued to and nothing else is.
    pub queues: Vec<QueueShape>,
    pub user_events: usize,
    /// Failing or not, in the order in which they are set.
    pub sets: Vec<(usize, bool)>,
    pub threads: Vec<Vec<Step>>,
    /// Which of the commands that are ready comes next.
    pub choice: Choice,
    /// Whether notices of the states before the last one wait for the last.
    pub tells_late: bool,
    /// Whether notices that are due are told by those who ask for them.
    pub tells_at_once: bool,
    /// Events in all.
    pub events: usize,
}

#[derive(Clone, Copy)]
pub struct QueueShape {
    pub out_of_order: bool,
    pub submission: Submission,
}

/// What a command is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// It does something, on a thread of the pool or of one that waits.
    Work {
        fails: bool,
    },
    /// It takes no time.
    Prompt,
    Marker,
    MarkerWithList,
    Barrier,
    BarrierWithList,
}

#[derive(Clone, Debug)]
pub struct Enqueue {
    pub event: usize,
    pub queue: usize,
    pub kind: Kind,
    pub list: Vec<usize>,
    pub blocking: bool,
    /// What it enqueues while it is performed.
    pub children: Vec<Enqueue>,
}

#[derive(Clone, Debug)]
pub enum Step {
    Enqueue(Enqueue),
    Flush(usize),
    Finish(usize),
    Wait(usize),
    /// Asks for a notice, and for what is to be done when it is told.
    Ask(usize, Trigger, Option<Box<Step>>),
    /// Sets a user event, failing or not, or tries to.
    Set(usize, bool),
    /// Looks at the state.
    Look(usize),
    /// Lets go of an event.
    ReleaseEvent(usize),
    /// Lets go of this thread's hold on a queue.
    ReleaseQueue(usize),
}

/// Notices that ask for notices that ask for notices.
const REACTIONS: usize = 3;

/// Children that have children.
const DESCENT: usize = 2;

impl Enqueue {
    /// It and all that descends from it.
    pub fn family(&self) -> Vec<&Enqueue> {
        let descendants = self.children.iter().flat_map(Enqueue::family);
        std::iter::once(self).chain(descendants).collect()
    }
}

impl Step {
    /// The command that this step enqueues, now or when it is told of something.
    pub fn enqueue(&self) -> Option<&Enqueue> {
        match self {
            Self::Enqueue(enqueue) => Some(enqueue),
            Self::Ask(_, _, reaction) => reaction.as_ref()?.enqueue(),
            Self::Flush(_)
            | Self::Finish(_)
            | Self::Wait(_)
            | Self::Set(..)
            | Self::Look(_)
            | Self::ReleaseEvent(_)
            | Self::ReleaseQueue(_) => None,
        }
    }
}

/// Small numbers from a stream.
struct Numbers(ChaCha8Rng);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        (self.0.next_u32() as usize) % end
    }

    fn one_in(&mut self, many: usize) -> bool {
        self.below(many) == 0
    }
}

impl Program {
    pub fn generate(seed: u64) -> Self {
        let mut numbers = Numbers(ChaCha8Rng::seed_from_u64(seed));
        let mut queues = (0..1 + numbers.below(3))
            .map(|_| QueueShape {
                out_of_order: numbers.one_in(2),
                submission: if numbers.one_in(4) {
                    Submission::AtFlush
                } else {
                    Submission::AtEnqueue
                },
            })
            .collect::<Vec<_>>();
        queues.push(QueueShape {
            out_of_order: true,
            submission: Submission::AtEnqueue,
        });
        let user_events = numbers.below(3);
        let mut sets: Vec<_> = (0..user_events)
            .map(|event| (event, numbers.one_in(4)))
            .collect();
        if numbers.one_in(2) {
            sets.reverse();
        }
        let choice = match numbers.below(6) {
            0 => Choice::OneAtATime,
            1 => Choice::LastFirst,
            2 => Choice::Random(seed),
            _ => Choice::Eager,
        };
        let mut program = Self {
            queues,
            user_events,
            sets,
            threads: Vec::new(),
            choice,
            tells_late: numbers.one_in(4),
            tells_at_once: numbers.one_in(4),
            events: user_events,
        };
        for _ in 0..1 + numbers.below(3) {
            let steps = 2 + numbers.below(5);
            let mut thread = Vec::new();
            for _ in 0..steps {
                thread.push(program.step(&mut numbers, REACTIONS));
            }
            program.threads.push(thread);
        }
        program
    }

    /// What one thread does next, with notices that have something done that many deep.
    fn step(&mut self, numbers: &mut Numbers, reactions: usize) -> Step {
        let queue = numbers.below(self.queues.len() - 1);
        let choice = numbers.below(18);
        if choice < 8 || self.events == 0 {
            return Step::Enqueue(self.enqueue(queue, numbers));
        }
        let event = numbers.below(self.events);
        match choice {
            8 => Step::Flush(queue),
            9 => Step::Finish(queue),
            10 => Step::Wait(event),
            11 | 12 => {
                let trigger = [Trigger::Submitted, Trigger::Running, Trigger::Complete];
                let trigger = trigger[numbers.below(3)];
                let reacts = reactions > 0 && !numbers.one_in(4);
                let reaction = reacts.then(|| Box::new(self.step(numbers, reactions - 1)));
                Step::Ask(event, trigger, reaction)
            }
            13 => Step::Look(event),
            16 | 17 if self.user_events > 0 => {
                Step::Set(numbers.below(self.user_events), numbers.one_in(4))
            }
            14 => Step::ReleaseEvent(event),
            _ => Step::ReleaseQueue(queue),
        }
    }

    fn enqueue(&mut self, queue: usize, numbers: &mut Numbers) -> Enqueue {
        let kind = match numbers.below(10) {
            0..5 => Kind::Work {
                fails: numbers.one_in(8),
            },
            5 => Kind::Prompt,
            6 => Kind::Marker,
            7 => Kind::MarkerWithList,
            8 => Kind::Barrier,
            _ => Kind::BarrierWithList,
        };
        let list = match kind {
            Kind::Marker | Kind::Barrier => 0,
            Kind::Work { .. } | Kind::Prompt => numbers.below(3),
            Kind::MarkerWithList | Kind::BarrierWithList => 1 + numbers.below(2),
        };
        let list = if self.events == 0 { 0 } else { list };
        // Duplicates are allowed.
        let list = (0..list).map(|_| numbers.below(self.events)).collect();
        let event = self.events;
        self.events += 1;
        let children = match kind {
            Kind::Work { .. } if numbers.one_in(3) => self.children(numbers, DESCENT),
            _ => Vec::new(),
        };
        Enqueue {
            event,
            queue,
            kind,
            list,
            blocking: numbers.one_in(6),
            children,
        }
    }

    fn children(&mut self, numbers: &mut Numbers, descent: usize) -> Vec<Enqueue> {
        let first = self.events;
        let count = 1 + numbers.below(3);
        self.events += count;
        let child = |n: usize| {
            let known: Vec<_> = (0..self.user_events).chain(first..first + n).collect();
            let waits = match known.len() {
                0 => 0,
                _ => numbers.below(3),
            };
            let list = (0..waits).map(|_| known[numbers.below(known.len())]);
            let list = list.collect();
            let kind = match numbers.one_in(4) {
                true => Kind::Prompt,
                false => Kind::Work {
                    fails: numbers.one_in(8),
                },
            };
            Enqueue {
                event: first + n,
                queue: self.queues.len() - 1,
                kind,
                list,
                blocking: false,
                children: Vec::new(),
            }
        };
        let mut children: Vec<_> = (0..count).map(child).collect();
        for child in &mut children {
            if descent > 1 && matches!(child.kind, Kind::Work { .. }) && numbers.one_in(3) {
                child.children = self.children(numbers, descent - 1);
            }
        }
        children
    }
}
