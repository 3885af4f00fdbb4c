//! What must come before what in a program of commands, by the rules of the specification's section
//! "Host-Side and Device-Side Commands" and by nothing else: only what holds in every run counts.

use classay_suites::commands::program::*;
use std::collections::BTreeMap;

/// A moment of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Moment {
    /// A step begins.
    Call(Place),
    /// A step is over.
    Return(Place),
    /// A command starts.
    Start(usize),
    /// A command is complete, or was terminated.
    Complete(usize),
    /// A callback is called.
    Called(usize),
}

/// Moments, and what is known to come before what.
pub struct Order<'p> {
    /// The program.
    pub program: &'p Program,
    /// All steps with their places.
    pub steps: Vec<(Place, &'p Step)>,
    numbers: BTreeMap<Moment, usize>,
    moments: Vec<Moment>,
    before: Vec<Vec<usize>>,
    reached: Vec<Vec<u64>>,
    enqueued: Vec<Option<Place>>,
    fails: Vec<bool>,
}

impl<'p> Order<'p> {
    /// The order of a program whose ids all name something.
    pub fn of(program: &'p Program) -> Order<'p> {
        let steps = steps(program);
        let mut order = Order {
            program,
            numbers: BTreeMap::new(),
            moments: Vec::new(),
            before: Vec::new(),
            reached: Vec::new(),
            enqueued: vec![None; program.commands.len()],
            fails: Vec::new(),
            steps,
        };
        for (place, step) in order.steps.clone() {
            order.add(Moment::Call(place));
            order.add(Moment::Return(place));
            if let Step::Enqueue(id) = step {
                order.enqueued[id.index()].get_or_insert(place);
            }
        }
        for n in 0..program.commands.len() {
            order.add(Moment::Start(n));
            order.add(Moment::Complete(n));
        }
        (0..program.callbacks.len()).for_each(|n| order.add(Moment::Called(n)));
        order.fails = order.failures();
        order.fixed();
        order.close();
        while order.in_turn() {
            order.close();
        }
        order
    }

    fn add(&mut self, moment: Moment) {
        self.numbers.insert(moment, self.moments.len());
        self.moments.push(moment);
        self.before.push(Vec::new());
    }

    fn edge(&mut self, first: Moment, then: Moment) {
        let (first, then) = (self.numbers[&first], self.numbers[&then]);
        if !self.before[then].contains(&first) {
            self.before[then].push(first);
        }
    }

    /// The step that sets a user event; none where it is not exactly one.
    pub fn set(&self, user: UserId) -> Option<(Place, i32)> {
        let mut found = self.steps.iter().filter_map(|(place, step)| match step {
            Step::Set { user: of, status } if *of == user => Some((*place, *status)),
            _ => None,
        });
        found.next().filter(|_| found.next().is_none())
    }

    /// The step that enqueues a command.
    pub fn enqueued(&self, command: usize) -> Option<Place> {
        self.enqueued[command]
    }

    /// Whether a command waits for something that fails: then it does nothing.
    pub fn fails(&self, command: usize) -> bool {
        self.fails[command]
    }

    fn event_fails(fails: &[bool], order: &Order<'_>, event: Event) -> bool {
        match event {
            Event::Command(id) => fails[id.index()],
            Event::User(user) => order.set(user).is_some_and(|(_, status)| status < 0),
        }
    }

    fn failures(&self) -> Vec<bool> {
        let mut fails = vec![false; self.program.commands.len()];
        loop {
            let now: Vec<bool> = self
                .program
                .commands
                .iter()
                .map(|command| {
                    let mut wait = command.wait.iter();
                    wait.any(|event| Order::event_fails(&fails, self, *event))
                })
                .collect();
            if now == fails {
                return fails;
            }
            fails = now;
        }
    }

    /// When an event is complete; none of a user event that is not set once.
    fn complete(&self, event: Event) -> Option<Moment> {
        Some(match event {
            Event::Command(id) => Moment::Complete(id.index()),
            Event::User(user) => Moment::Call(self.set(user)?.0),
        })
    }

    /// What does not depend on the order of enqueues.
    fn fixed(&mut self) {
        let program = self.program;
        for (place, step) in self.steps.clone() {
            self.edge(Moment::Call(place), Moment::Return(place));
            if place.step > 0 {
                let last = Place {
                    step: place.step - 1,
                    ..place
                };
                self.edge(Moment::Return(last), Moment::Call(place));
            } else if let Who::Callback(id) = place.who {
                self.edge(Moment::Called(id.index()), Moment::Call(place));
            }
            match step {
                // "If an API function call X enqueues a command C, then X global-synchronizes-with C."
                Step::Enqueue(id) => {
                    self.edge(Moment::Call(place), Moment::Start(id.index()));
                    // "when a blocking call returns": "does not return until the command is complete".
                    if program.commands[id.index()].blocking {
                        self.edge(Moment::Complete(id.index()), Moment::Return(place));
                    }
                }
                // "E global-synchronizes-with an API call X that waits on E."
                Step::Wait(events) => {
                    for event in events {
                        if let Some(complete) = self.complete(*event) {
                            self.edge(complete, Moment::Return(place));
                        }
                    }
                }
                // "If a callback procedure P is registered on an event E, then E global-synchronizes-with all
                // operations of P", but "calling a callback for an event execution status other than CL_COMPLETE
                // in no way implies that the memory model or execution model … has changed".
                Step::Register(id) => {
                    let called = Moment::Called(id.index());
                    self.edge(Moment::Call(place), called);
                    let callback = &program.callbacks[id.index()];
                    if callback.at == Reached::Complete
                        && let Some(complete) = self.complete(callback.event)
                    {
                        self.edge(complete, called);
                    }
                }
                Step::Await(signal) => {
                    let given: Vec<Place> = self.given(*signal);
                    if let [given] = given[..] {
                        self.edge(Moment::Call(given), Moment::Return(place));
                    }
                }
                _ => {}
            }
        }
        for (n, command) in program.commands.iter().enumerate() {
            self.edge(Moment::Start(n), Moment::Complete(n));
            let failing = |event: &&Event| Order::event_fails(&self.fails, self, **event);
            let mut awaited: Vec<Event> = command.wait.clone();
            if self.fails[n] {
                // It may end as soon as one of those that fail has, whatever the others do.
                awaited = command.wait.iter().filter(failing).copied().collect();
                awaited.dedup();
                awaited.truncate(if awaited.len() == 1 { 1 } else { 0 });
            }
            // "If E is an event upon which a command C waits, then E global-synchronizes-with C."
            for event in awaited {
                if let Some(complete) = self.complete(event) {
                    self.edge(complete, Moment::Start(n));
                }
            }
        }
    }

    fn given(&self, signal: SignalId) -> Vec<Place> {
        let gives = |step: &Step| matches!(step, Step::Signal(of) if *of == signal);
        let given = self.steps.iter().filter(|(_, step)| gives(step));
        given.map(|(place, _)| *place).collect()
    }

    /// Adds what follows from the order of enqueues that is known by now; whether that was anything.
    fn in_turn(&mut self) -> bool {
        let edges: usize = self.before.iter().map(Vec::len).sum();
        let program = self.program;
        for first in 0..program.commands.len() {
            for then in 0..program.commands.len() {
                let queue = program.commands[first].queue;
                if first == then
                    || queue != program.commands[then].queue
                    || !self.enqueued_before(first, then)
                {
                    continue;
                }
                let in_order = !program.queues[queue.index()].out_of_order;
                // A marker or barrier without a list waits for all before it, and all behind a barrier wait for
                // it. "If commands C and C1 are enqueued in that sequence onto an in-order command-queue, then the
                // event … signaling C's completion global-synchronizes-with C1."
                let last = &program.commands[then];
                let gathers =
                    last.wait.is_empty() && matches!(last.what, What::Marker | What::Barrier);
                let holds = matches!(program.commands[first].what, What::Barrier);
                if (in_order || gathers || holds) && !self.fails[then] {
                    self.edge(Moment::Complete(first), Moment::Start(then));
                }
            }
            let queue = program.commands[first].queue;
            for (place, step) in self.steps.clone() {
                // "If a host thread executes a clFinish call X, then the events of all commands enqueued prior to X
                // in the command-queue global-synchronizes-with X."
                if matches!(step, Step::Finish(of) if *of == queue)
                    && self.is_enqueued_before(first, Moment::Call(place))
                {
                    self.edge(Moment::Complete(first), Moment::Return(place));
                }
            }
        }
        edges != self.before.iter().map(Vec::len).sum::<usize>()
    }

    fn enqueued_before(&self, first: usize, then: usize) -> bool {
        let then = self.enqueued[then].map(Moment::Call);
        then.is_some_and(|then| self.is_enqueued_before(first, then))
    }

    fn is_enqueued_before(&self, command: usize, moment: Moment) -> bool {
        let enqueued = self.enqueued[command].map(Moment::Return);
        enqueued.is_some_and(|enqueued| self.is_before(enqueued, moment))
    }

    /// The transitive closure, as the set of moments that each is after.
    fn close(&mut self) {
        let words = self.moments.len().div_ceil(64);
        let mut reached = vec![vec![0_u64; words]; self.moments.len()];
        loop {
            let mut changed = false;
            for then in 0..self.moments.len() {
                for first in &self.before[then] {
                    let (from, into) = if *first < then {
                        let (low, high) = reached.split_at_mut(then);
                        (&low[*first], &mut high[0])
                    } else if *first > then {
                        let (low, high) = reached.split_at_mut(*first);
                        (&high[0], &mut low[then])
                    } else {
                        continue;
                    };
                    for (into, from) in into.iter_mut().zip(from) {
                        changed |= *from & !*into != 0;
                        *into |= from;
                    }
                    let bit = 1 << (first % 64);
                    changed |= into[first / 64] & bit == 0;
                    into[first / 64] |= bit;
                }
            }
            if !changed {
                break;
            }
        }
        self.reached = reached;
    }

    /// Whether one moment comes before another in every run.
    pub fn is_before(&self, first: Moment, then: Moment) -> bool {
        let (Some(first), Some(then)) = (self.numbers.get(&first), self.numbers.get(&then)) else {
            return false;
        };
        self.reached[*then][first / 64] >> (first % 64) & 1 == 1
    }

    /// Whether a command is complete before another starts.
    pub fn is_after(&self, then: usize, first: usize) -> bool {
        self.is_before(Moment::Complete(first), Moment::Start(then))
    }

    /// Whether two commands may run at the same time. Those of an in-order queue never do, in whatever order
    /// two threads enqueued them.
    pub fn overlap(&self, a: usize, b: usize) -> bool {
        let queue = |n: usize| self.program.commands[n].queue;
        let in_order = !self.program.queues[queue(a).index()].out_of_order;
        let in_turn = queue(a) == queue(b) && in_order;
        !in_turn && !self.is_after(a, b) && !self.is_after(b, a)
    }

    /// What has to come just before each moment, and the moments.
    pub fn prerequisites(&self) -> (&[Moment], &[Vec<usize>]) {
        (&self.moments, &self.before)
    }
}

/// All steps of a program.
pub fn steps(program: &Program) -> Vec<(Place, &Step)> {
    let threads = program.threads.iter().enumerate();
    let threads = threads.flat_map(|(n, steps)| places(Who::Thread(n as u16), steps));
    let callbacks = program.callbacks.iter().enumerate();
    let callbacks = callbacks
        .flat_map(|(n, callback)| places(Who::Callback(CallbackId(n as u16)), &callback.steps));
    threads.chain(callbacks).collect()
}
