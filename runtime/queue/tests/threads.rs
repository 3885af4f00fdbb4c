//! The engine on threads of the system: what one command writes, others and the host read, without any
//! order but the one that the engine gives.
//!
//! `tests/model` explores interleavings, with atomics that are sequentially consistent and records that
//! are locked. Here memory is plain, and every access has only the engine to order it: a race detector
//! (`ci/tsan.sh`) reports an order that is too weak even where the processor would keep it; without
//! one, the sums come out wrong where it would not. Each of the happens-before edges that the crate's
//! text lists has its reader here:
//!
//! | edge | written by | read by |
//! | --- | --- | --- |
//! | enqueue → command | the host thread, `input` | the command |
//! | event → dependents, command → the next | a command, `output` | those that wait for it |
//! | user event → dependents | the thread that sets it, `input` of the event | those that wait for it |
//! | event → who waits, queue → who finishes it | a command, `output` | the host thread |
//! | event → notice | a command, `output` | the notice |
//! | parent → child | a command, `input` of its children | the child |
//! | child → parent's event | a child, `output` | all that read the parent's |

use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use touchstone_queue::{
    Choice, Command, Core, Lane, Pool, Queue, Role, State, Submission, Trigger, adopt, ask, set,
    wait,
};

const CHOICES: [Choice; 4] = [
    Choice::Eager,
    Choice::OneAtATime,
    Choice::LastFirst,
    Choice::Random(7),
];
const ROUNDS: u64 = 8;
/// Commands of one host thread in one round.
const COMMANDS: usize = 300;

/// Plain memory that several threads use.
#[derive(Default)]
struct Plain(UnsafeCell<u64>);

// SAFETY: what this file is about: the engine orders the accesses.
unsafe impl Sync for Plain {}

impl Plain {
    fn get(&self) -> u64 {
        // SAFETY: no access at the same time, if the engine keeps its promises.
        unsafe { *self.0.get() }
    }

    fn put(&self, value: u64) {
        // SAFETY: as above.
        unsafe { *self.0.get() = value };
    }
}

struct Node {
    core: Core<Node>,
    queue: Option<Arc<Queue<Node>>>,
    lane: Arc<Lane>,
    input: Plain,
    output: Plain,
    /// What has ended before this runs.
    before: Vec<Arc<Node>>,
    /// What this enqueues when it runs, to the queues that they name.
    children: Vec<Arc<Node>>,
    /// What the sum of the outputs of notices is to be added to. Relaxed: it orders nothing.
    told: Arc<AtomicU64>,
    /// Where the inputs of commands are noted as these run; none where the lock would order what only the
    /// engine is to order.
    ran: Option<Arc<Mutex<Vec<u64>>>>,
}

impl Node {
    /// What `output` is in the end.
    fn sum(&self) -> u64 {
        let before = self.before.iter().map(|node| node.result());
        before.fold(self.input.get(), u64::wrapping_add)
    }

    /// It and its children left what they should.
    fn check(&self) {
        assert_eq!(self.output.get(), self.sum());
        for child in &self.children {
            assert_eq!(child.output.get(), self.input.get());
        }
    }

    /// What it and its children left, once it is complete.
    fn result(&self) -> u64 {
        let children = self.children.iter().map(|node| node.output.get());
        children.fold(self.output.get(), u64::wrapping_add)
    }

    fn enqueue_children(self: &Arc<Self>) {
        for child in &self.children {
            child.input.put(self.input.get());
            adopt(self, child);
            let queue = child.queue.as_ref().expect("children have queues");
            queue.enqueue(child, Vec::new());
        }
    }
}

impl Command for Node {
    type Notice = ();

    fn core(&self) -> &Core<Self> {
        &self.core
    }

    fn queue(&self) -> Option<&Queue<Self>> {
        self.queue.as_deref()
    }

    fn perform(self: &Arc<Self>) -> Result<(), i32> {
        // Some take long enough for those who wait to sleep.
        if self.input.get().is_multiple_of(61) {
            std::thread::sleep(Duration::from_micros(80));
        }
        self.enqueue_children();
        self.output.put(self.sum());
        if let Some(ran) = &self.ran {
            ran.lock().expect("no panic").push(self.input.get());
        }
        Ok(())
    }

    fn discard(&self) {}

    fn notify(self: &Arc<Self>, (): (), _: Trigger, _: Option<i32>) {
        self.told.fetch_add(self.result(), Ordering::Relaxed);
    }

    fn lane(&self) -> &Arc<Lane> {
        &self.lane
    }

    fn now(&self) -> u64 {
        0
    }
}

/// What all threads of a round have.
struct Round {
    pool: Arc<Pool<Node>>,
    lane: Arc<Lane>,
    told: Arc<AtomicU64>,
    users: Vec<Arc<Node>>,
}

impl Round {
    fn node(&self, core: Core<Node>, input: u64, before: Vec<Arc<Node>>) -> Node {
        let node = Node {
            core,
            queue: None,
            lane: Arc::clone(&self.lane),
            input: Plain::default(),
            output: Plain::default(),
            before,
            children: Vec::new(),
            told: Arc::clone(&self.told),
            ran: None,
        };
        node.input.put(input);
        node
    }

    /// A host thread with an in-order and an out-of-order queue of its own; gives the sum that
    /// its notices tell.
    fn play(&self, random: &mut ChaCha8Rng) -> u64 {
        let mut below = |end: usize| (random.next_u32() as usize) % end;
        let queue = |out_of_order| {
            let pool = Arc::clone(&self.pool);
            Arc::new(Queue::new(pool, out_of_order, 2, Submission::AtEnqueue))
        };
        let queues = [queue(false), queue(true)];
        let device = queue(true);
        let mut made: Vec<Arc<Node>> = Vec::new();
        let mut asked: Vec<Arc<Node>> = Vec::new();
        let mut last_in_order = None;
        for _ in 0..COMMANDS {
            let which = below(2);
            let mut list = Vec::new();
            if below(8) == 0 {
                list.push(Arc::clone(&self.users[below(self.users.len())]));
            }
            if !made.is_empty() {
                list.extend((0..below(3)).map(|_| Arc::clone(&made[below(made.len())])));
            }
            let mut before = list.clone();
            if which == 0 {
                before.extend(last_in_order.take());
            }
            let core = Core::queued(Role::default(), 0);
            let mut node = self.node(core, below(1 << 20) as u64, before);
            node.queue = Some(Arc::clone(&queues[which]));
            let parent = below(8) == 0;
            let child = |_| {
                let core = Core::queued(Role::default(), 0);
                let mut child = self.node(core, 0, Vec::new());
                child.queue = Some(Arc::clone(&device));
                Arc::new(child)
            };
            node.children = (0..if parent { 3 } else { 0 }).map(child).collect();
            let node = Arc::new(node);
            if which == 0 {
                last_in_order = Some(Arc::clone(&node));
            }
            queues[which].enqueue(&node, list);
            if below(4) == 0 {
                ask(&node, Trigger::Complete, ());
                asked.push(Arc::clone(&node));
            }
            if below(6) == 0 {
                assert_eq!(wait(&node), State::Complete);
                node.check();
            }
            if below(12) == 0 {
                queues[which].finish();
                node.check();
            }
            made.push(node);
        }
        queues.iter().for_each(|queue| queue.finish());
        made.iter().for_each(|node| node.check());
        let told = asked.iter().map(|node| node.result());
        told.fold(0, u64::wrapping_add)
    }
}

#[test]
fn plain_memory_is_ordered_by_the_engine_alone() {
    for seed in 0..ROUNDS {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let mut round = Round {
            pool: Pool::new(0, || (), CHOICES[seed as usize % CHOICES.len()]),
            lane: Lane::new("lane"),
            told: Arc::default(),
            users: Vec::new(),
        };
        round.users = (0..6)
            .map(|_| Arc::new(round.node(Core::user(0), 0, Vec::new())))
            .collect();
        let expected = std::thread::scope(|scope| {
            let hosts: Vec<_> = (0..2)
                .map(|_| {
                    let mut random = ChaCha8Rng::seed_from_u64(random.next_u64());
                    let round = &round;
                    scope.spawn(move || round.play(&mut random))
                })
                .collect();
            for (number, user) in round.users.iter().enumerate() {
                std::thread::yield_now();
                user.output.put(number as u64);
                assert!(set(user, None, &round.pool));
            }
            let sums = hosts
                .into_iter()
                .map(|host| host.join().expect("a thread panicked"));
            sums.fold(0, u64::wrapping_add)
        });
        for _ in 0..60_000 {
            if round.told.load(Ordering::Relaxed) == expected {
                break;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        assert_eq!(round.told.load(Ordering::Relaxed), expected);
        round.lane.close();
        round.pool.close();
    }
}

/// Commands that became ready together run as was chosen, and what comes behind a barrier after those before it.
#[test]
fn ready_commands_run_in_the_chosen_order() {
    let order = |choice| {
        let round = Round {
            pool: Pool::new(0, || (), choice),
            lane: Lane::new("lane"),
            told: Arc::default(),
            users: Vec::new(),
        };
        let pool = Arc::clone(&round.pool);
        let queue = Arc::new(Queue::new(pool, true, 2, Submission::AtFlush));
        let ran: Arc<Mutex<Vec<u64>>> = Arc::default();
        for input in 1..=8 {
            let role = Role {
                prompt: input == 5,
                after_all: input == 5,
                before_all: input == 5,
            };
            let mut node = round.node(Core::queued(role, 0), input, Vec::new());
            node.queue = Some(Arc::clone(&queue));
            node.ran = Some(Arc::clone(&ran));
            queue.enqueue(&Arc::new(node), Vec::new());
        }
        queue.finish();
        round.pool.close();
        ran.lock().expect("no panic").clone()
    };
    assert_eq!(order(Choice::OneAtATime), [1, 2, 3, 4, 5, 6, 7, 8]);
    assert_eq!(order(Choice::LastFirst), [4, 3, 2, 1, 5, 8, 7, 6]);
    let random = |seed| order(Choice::Random(seed));
    let drawn: Vec<_> = (0..8).map(random).collect();
    assert!(drawn.iter().any(|order| !order.is_sorted()), "{drawn:?}");
    for mut order in drawn {
        assert_eq!(order[4], 5, "{order:?}");
        order.sort_unstable();
        assert_eq!(order, [1, 2, 3, 4, 5, 6, 7, 8]);
    }
}
