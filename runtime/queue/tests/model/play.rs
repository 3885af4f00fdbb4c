//! Plays a program on the engine and notes what happens to each event.

use std::cell::RefCell;
use std::sync::{Arc, Mutex, MutexGuard};

use crate::engine::{
    Command, Core, Lane, Pool, Queue, Role, State, Times, Trigger, adopt, ask, set, wait,
};
use crate::program::{Enqueue, Kind, Program, Step};
use crate::sync;

/// What happened to one event. Locked with a lock of the system, between two steps of the
/// schedule, so noting changes nothing.
#[derive(Default)]
pub struct Record {
    /// Its queue and its number there.
    pub place: Option<(usize, u64)>,
    /// The events that it did wait for.
    pub list: Vec<usize>,
    /// How often it was performed, and discarded.
    pub performed: usize,
    pub discarded: usize,
    /// The states that were seen, by whomever, in the order of looking.
    pub seen: Vec<State>,
    /// Notices asked for.
    pub asked: Vec<Trigger>,
    /// Notices told, with the failure they told of.
    pub told: Vec<(Trigger, Option<i32>)>,
    /// How it was set, failing or not, and what `set` answered.
    pub sets: Vec<(bool, bool)>,
    /// Filled in when the event is deleted.
    pub last: Option<(State, Times)>,
}

/// All records of a program.
pub struct Records {
    events: Vec<Mutex<Record>>,
    device: usize,
}

impl Records {
    pub fn of(&self, event: usize) -> MutexGuard<'_, Record> {
        self.events[event].lock().expect("a thread panicked")
    }

    /// The queue of children.
    fn device(&self) -> usize {
        self.device
    }
}

thread_local! {
    /// The clock: every reading is later than the one before.
    static NOW: RefCell<u64> = const { RefCell::new(0) };
}

fn now() -> u64 {
    NOW.with_borrow_mut(|now| {
        *now += 1;
        *now
    })
}

/// A command, and what it waits for.
type Child = (Arc<Node>, Vec<Arc<Node>>);

struct Node {
    event: usize,
    core: Core<Node>,
    /// None for a user event.
    queue: Option<Arc<Shared>>,
    kind: Kind,
    /// What it enqueues, with the lists.
    children: Mutex<Vec<Child>>,
    tells_late: bool,
    tells_at_once: bool,
    lane: Arc<Lane>,
    records: Arc<Records>,
}

struct Shared {
    queue: Queue<Node>,
}

/// What is done when a notice is told.
struct Reaction {
    step: Step,
    host: Arc<Host>,
    queues: Vec<Option<Arc<Shared>>>,
}

impl Command for Node {
    type Notice = Option<Reaction>;

    fn core(&self) -> &Core<Self> {
        &self.core
    }

    fn queue(&self) -> Option<&Queue<Self>> {
        self.queue.as_ref().map(|shared| &shared.queue)
    }

    fn perform(self: &Arc<Self>) -> Result<(), i32> {
        self.records.of(self.event).performed += 1;
        self.look();
        // Others may run meanwhile.
        shuttle::thread::yield_now();
        self.look();
        self.enqueue_children();
        match self.kind {
            Kind::Work { fails: true } => Err(-5),
            Kind::Work { fails: false }
            | Kind::Prompt
            | Kind::Marker
            | Kind::MarkerWithList
            | Kind::Barrier
            | Kind::BarrierWithList => Ok(()),
        }
    }

    fn discard(&self) {
        self.records.of(self.event).discarded += 1;
        drop(self.take_children());
    }

    fn notify(self: &Arc<Self>, notice: Self::Notice, asked: Trigger, failure: Option<i32>) {
        assert!(self.core.state().has_reached(asked));
        assert!(self.core.state().is_final() || !self.tells_late);
        self.look();
        self.records.of(self.event).told.push((asked, failure));
        if let Some(mut reaction) = notice {
            reaction.host.step(&reaction.step, &mut reaction.queues);
            // Nobody else may flush what it enqueued.
            flush_all(&reaction.queues);
        }
    }

    fn lane(&self) -> &Arc<Lane> {
        &self.lane
    }

    fn tells_late(&self) -> bool {
        self.tells_late
    }

    fn tells_at_once(&self) -> bool {
        self.tells_at_once
    }

    fn now(&self) -> u64 {
        now()
    }
}

impl Node {
    fn take_children(&self) -> Vec<Child> {
        std::mem::take(&mut *self.children.lock().expect("a thread panicked"))
    }

    fn enqueue_children(self: &Arc<Self>) {
        for (child, list) in self.take_children() {
            adopt(self, &child);
            let (event, queue) = (child.event, self.records.device());
            let shared = child.queue.as_ref().expect("commands have queues");
            shared.queue.enqueue(&child, list);
            self.records.of(event).place = Some((queue, child.core.place()));
            // Others may run what was enqueued.
            shuttle::thread::yield_now();
        }
    }

    fn look(&self) {
        // The schedule goes on before the load; from there to the note it does not.
        let state = self.core.state();
        self.records.of(self.event).seen.push(state);
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        let (state, times) = (self.core.state(), self.core.times());
        let mut record = self.records.of(self.event);
        assert!(record.last.is_none(), "deleted twice");
        record.last = Some((state, times));
    }
}

/// What the host threads share.
struct Host {
    /// The queue of children.
    device: Arc<Shared>,
    /// Events that have been made and not been released.
    events: Mutex<Vec<Option<Arc<Node>>>>,
    pool: Arc<Pool<Node>>,
    lane: Arc<Lane>,
    records: Arc<Records>,
    tells_late: bool,
    tells_at_once: bool,
}

impl Host {
    fn event(&self, event: usize) -> Option<Arc<Node>> {
        self.events.lock().expect("a thread panicked")[event].clone()
    }

    fn publish(&self, node: Arc<Node>) {
        let event = node.event;
        self.events.lock().expect("a thread panicked")[event] = Some(node);
    }

    fn enqueue(&self, enqueue: &Enqueue, queues: &[Option<Arc<Shared>>]) {
        let Some(shared) = &queues[enqueue.queue] else {
            return;
        };
        let list: Vec<_> = enqueue
            .list
            .iter()
            .filter_map(|&event| self.event(event))
            .collect();
        let kind = match enqueue.kind {
            // Nothing of the list was there: an empty list means another command.
            Kind::MarkerWithList if list.is_empty() => Kind::Marker,
            Kind::BarrierWithList if list.is_empty() => Kind::Barrier,
            kind @ (Kind::Work { .. }
            | Kind::Prompt
            | Kind::Marker
            | Kind::MarkerWithList
            | Kind::Barrier
            | Kind::BarrierWithList) => kind,
        };
        let node = self.node(enqueue, kind, &list, shared);
        if enqueue.blocking {
            flush_all(queues);
            shared.queue.enqueue_and_wait(&node, list);
        } else {
            shared.queue.enqueue(&node, list);
        }
        self.records.of(enqueue.event).place = Some((enqueue.queue, node.core.place()));
        self.publish(node);
    }

    fn node(
        &self,
        enqueue: &Enqueue,
        kind: Kind,
        list: &[Arc<Node>],
        shared: &Arc<Shared>,
    ) -> Arc<Node> {
        self.records.of(enqueue.event).list = list.iter().map(|node| node.event).collect();
        Arc::new(Node {
            event: enqueue.event,
            core: Core::queued(role(kind), now()),
            queue: Some(Arc::clone(shared)),
            kind,
            children: Mutex::new(self.children(&enqueue.children)),
            tells_late: self.tells_late,
            tells_at_once: self.tells_at_once,
            lane: Arc::clone(&self.lane),
            records: Arc::clone(&self.records),
        })
    }

    /// What a command will enqueue, with those of the lists that are there: user events may have been released.
    fn children(&self, enqueues: &[Enqueue]) -> Vec<Child> {
        let mut made: Vec<Child> = Vec::new();
        for enqueue in enqueues {
            let sibling = |event| {
                let mut made = made.iter().map(|(node, _)| node);
                made.find(|node| node.event == event).cloned()
            };
            let listed = |&event: &usize| sibling(event).or_else(|| self.event(event));
            let list: Vec<_> = enqueue.list.iter().filter_map(listed).collect();
            let node = self.node(enqueue, enqueue.kind, &list, &self.device);
            made.push((node, list));
        }
        made
    }

    fn set(&self, event: usize, fails: bool) {
        if let Some(node) = self.event(event) {
            self.set_node(&node, fails);
        }
    }

    fn set_node(&self, node: &Arc<Node>, fails: bool) {
        let first = set(node, fails.then_some(-77), &self.pool);
        self.records.of(node.event).sets.push((fails, first));
    }

    fn step(self: &Arc<Self>, step: &Step, queues: &mut [Option<Arc<Shared>>]) {
        match step {
            Step::Enqueue(enqueue) => self.enqueue(enqueue, queues),
            Step::Flush(queue) => {
                if let Some(shared) = &queues[*queue] {
                    shared.queue.flush();
                }
            }
            Step::Finish(queue) => {
                flush_all(queues);
                if let Some(shared) = &queues[*queue] {
                    shared.queue.finish();
                }
            }
            Step::Wait(event) => {
                if let Some(node) = self.event(*event) {
                    flush_all(queues);
                    assert!(wait(&node).is_final());
                    node.look();
                }
            }
            Step::Ask(event, trigger, reaction) => {
                if let Some(node) = self.event(*event) {
                    self.records.of(*event).asked.push(*trigger);
                    let reaction = reaction.as_ref().map(|step| Reaction {
                        step: step.as_ref().clone(),
                        host: Arc::clone(self),
                        queues: queues.to_vec(),
                    });
                    ask(&node, *trigger, reaction);
                }
            }
            Step::Set(event, fails) => self.set(*event, *fails),
            Step::Look(event) => {
                if let Some(node) = self.event(*event) {
                    node.look();
                }
            }
            Step::ReleaseEvent(event) => {
                let released = self.events.lock().expect("a thread panicked")[*event].take();
                // Out of the lock: this may delete it, which is a step of the schedule.
                drop(released);
            }
            Step::ReleaseQueue(queue) => {
                if let Some(shared) = &queues[*queue] {
                    shared.queue.flush();
                }
                queues[*queue] = None;
            }
        }
    }
}

fn flush_all(queues: &[Option<Arc<Shared>>]) {
    for shared in queues.iter().flatten() {
        shared.queue.flush();
    }
}

fn role(kind: Kind) -> Role {
    Role {
        prompt: !matches!(kind, Kind::Work { .. }),
        after_all: matches!(kind, Kind::Marker | Kind::Barrier),
        before_all: matches!(kind, Kind::Barrier | Kind::BarrierWithList),
    }
}

/// Plays the program to its end, with all that it made deleted.
pub fn play(program: &Program) -> Arc<Records> {
    let records = Arc::new(Records {
        events: (0..program.events).map(|_| Mutex::default()).collect(),
        device: program.queues.len() - 1,
    });
    let pool = Pool::new(0, || (), program.choice);
    let lane = Lane::new("lane");
    let queues: Vec<_> = program
        .queues
        .iter()
        .map(|shape| {
            let queue = Queue::new(Arc::clone(&pool), shape.out_of_order, 2, shape.submission);
            Some(Arc::new(Shared { queue }))
        })
        .collect();
    let device = queues.last().and_then(Option::clone);
    let host = Arc::new(Host {
        device: device.expect("children have a queue"),
        events: Mutex::new(vec![None; program.events]),
        pool: Arc::clone(&pool),
        lane: Arc::clone(&lane),
        records: Arc::clone(&records),
        tells_late: program.tells_late,
        tells_at_once: program.tells_at_once,
    });
    let users: Vec<_> = (0..program.user_events)
        .map(|event| {
            let node = Arc::new(Node {
                event,
                core: Core::user(now()),
                queue: None,
                kind: Kind::Marker,
                children: Mutex::default(),
                tells_late: program.tells_late,
                tells_at_once: program.tells_at_once,
                lane: Arc::clone(&lane),
                records: Arc::clone(&records),
            });
            host.publish(Arc::clone(&node));
            node
        })
        .collect();
    let mut threads: Vec<_> = program
        .threads
        .iter()
        .map(|steps| {
            let (host, steps) = (Arc::clone(&host), steps.clone());
            let mut queues = queues.clone();
            shuttle::thread::spawn(move || {
                for step in &steps {
                    host.step(step, &mut queues);
                }
                flush_all(&queues);
            })
        })
        .collect();
    let (setter, sets) = (Arc::clone(&host), program.sets.clone());
    threads.push(shuttle::thread::spawn(move || {
        for &(event, fails) in &sets {
            setter.set_node(&users[event], fails);
            setter.set_node(&users[event], false);
        }
    }));
    for thread in threads {
        thread.join().expect("a thread panicked");
    }
    for shared in queues.iter().flatten() {
        shared.queue.finish();
    }
    drop(queues);
    // Notices may still be told, and find what they enqueue a place here.
    let events: Vec<_> = (0..program.events)
        .map(|event| host.events.lock().expect("a thread panicked")[event].take())
        .collect();
    drop(events);
    drop(host);
    lane.close();
    pool.close();
    sync::join_all();
    records
}
