//! The order of commands against queues that run: a machine of host threads, queues and commands
//! takes every step it can, and what always comes first is what the order must say.

use super::random::{self, Dice};
use crate::program::{
    CommandId, CommandKind, CommandOrder, HostCall, Instr, Placement, Point, Program, QueueOrder,
    ThreadId,
};
use std::collections::HashSet;

/// How far a command is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Status {
    Unknown,
    Queued,
    Running,
    Complete,
}

/// A state of the machine: calls entered and returned by each thread, and each command.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct State {
    entered: Vec<u32>,
    returned: Vec<u32>,
    commands: Vec<Status>,
}

struct Machine<'p> {
    program: &'p Program,
    calls: Vec<Vec<HostCall>>,
}

impl Machine<'_> {
    fn complete(state: &State, command: CommandId) -> bool {
        state.commands[command.index()] == Status::Complete
    }

    /// Commands that were enqueued before a call in the same queue.
    fn earlier(&self, thread: usize, call: u32, queue: crate::program::QueueId) -> Vec<CommandId> {
        self.calls[thread][..call as usize]
            .iter()
            .filter_map(|c| match c {
                HostCall::Enqueue(id) if self.program.commands[id.index()].queue == queue => {
                    Some(*id)
                }
                HostCall::Enqueue(_)
                | HostCall::Wait(_)
                | HostCall::Finish(_)
                | HostCall::Flush(_) => None,
            })
            .collect()
    }

    fn returns(&self, state: &State, thread: usize, call: u32) -> bool {
        match &self.calls[thread][call as usize] {
            HostCall::Enqueue(id) => match self.program.commands[id.index()].kind {
                CommandKind::Map { blocking: true, .. } => Self::complete(state, *id),
                CommandKind::Kernel
                | CommandKind::Marker
                | CommandKind::Barrier
                | CommandKind::Map { .. }
                | CommandKind::Unmap { .. } => true,
            },
            HostCall::Wait(events) => events.iter().all(|e| Self::complete(state, *e)),
            HostCall::Flush(_) => true,
            HostCall::Finish(queue) => self
                .earlier(thread, call, *queue)
                .iter()
                .all(|c| Self::complete(state, *c)),
        }
    }

    fn starts(&self, state: &State, id: CommandId) -> bool {
        let command = &self.program.commands[id.index()];
        let (thread, call) = self.enqueued(id);
        let earlier = self.earlier(thread, call, command.queue);
        let ready = command.waits.iter().all(|w| Self::complete(state, *w));
        let all_before = self.program.queues[command.queue.index()].order == QueueOrder::InOrder
            || (command.waits.is_empty()
                && matches!(command.kind, CommandKind::Marker | CommandKind::Barrier));
        let before = earlier.iter().all(|c| {
            let holds = all_before || self.program.commands[c.index()].kind == CommandKind::Barrier;
            !holds || Self::complete(state, *c)
        });
        ready && before
    }

    fn enqueued(&self, id: CommandId) -> (usize, u32) {
        for (t, calls) in self.calls.iter().enumerate() {
            if let Some(k) = calls.iter().position(|c| *c == HostCall::Enqueue(id)) {
                return (t, k as u32);
            }
        }
        panic!("{id:?} is never enqueued");
    }

    fn steps(&self, state: &State) -> Vec<State> {
        let mut out = Vec::new();
        for t in 0..self.calls.len() {
            let (entered, returned) = (state.entered[t], state.returned[t]);
            if entered > returned {
                if self.returns(state, t, returned) {
                    let mut next = state.clone();
                    next.returned[t] += 1;
                    out.push(next);
                }
            } else if (entered as usize) < self.calls[t].len() {
                let mut next = state.clone();
                next.entered[t] += 1;
                if let HostCall::Enqueue(id) = &self.calls[t][entered as usize] {
                    next.commands[id.index()] = Status::Queued;
                }
                out.push(next);
            }
        }
        for c in (0..self.program.commands.len() as u32).map(CommandId) {
            let status = match state.commands[c.index()] {
                Status::Queued if self.starts(state, c) => Status::Running,
                Status::Running => Status::Complete,
                Status::Queued | Status::Unknown | Status::Complete => continue,
            };
            let mut next = state.clone();
            next.commands[c.index()] = status;
            out.push(next);
        }
        out
    }

    fn begun(state: &State, point: Point) -> bool {
        match point {
            Point::Host(t, made) => state.returned[t.index()] >= made,
            Point::Kernel(c) => {
                matches!(
                    state.commands[c.index()],
                    Status::Running | Status::Complete
                )
            }
            Point::Free => false,
        }
    }

    fn ended(state: &State, point: Point) -> bool {
        match point {
            Point::Host(t, made) => state.entered[t.index()] > made,
            Point::Kernel(c) => Self::complete(state, c),
            Point::Free => false,
        }
    }
}

fn calls(program: &Program) -> Vec<Vec<HostCall>> {
    let of = |body: &[Instr]| {
        body.iter()
            .filter_map(|i| match i {
                Instr::Host(call) => Some(call.clone()),
                _ => None,
            })
            .collect()
    };
    program.threads.iter().map(|t| of(&t.body)).collect()
}

/// Every state that a program's commands can be in; none where there are too many.
fn states(machine: &Machine<'_>) -> Option<HashSet<State>> {
    let threads = machine.calls.len();
    let first = State {
        entered: vec![0; threads],
        returned: vec![0; threads],
        commands: vec![Status::Unknown; machine.program.commands.len()],
    };
    let mut seen = HashSet::from([first.clone()]);
    let mut open = vec![first];
    while let Some(state) = open.pop() {
        let next = machine.steps(&state);
        let over = state.commands.iter().all(|c| *c == Status::Complete);
        assert!(!next.is_empty() || over, "stuck in {state:?}");
        for state in next {
            if seen.insert(state.clone()) {
                open.push(state);
            }
        }
        if seen.len() > 4000 {
            return None;
        }
    }
    Some(seen)
}

#[test]
fn the_order_is_what_queues_that_run_always_keep() {
    let (mut compared, mut ordered) = (0, 0);
    for seed in 0..400 {
        let mut program = random::program(seed);
        if program.commands.is_empty() {
            super::with_commands::add_commands(&mut program, &mut Dice::new(seed + 7_000_000));
        }
        let order = CommandOrder::of(&program).unwrap_or_else(|e| panic!("{e}: {program:#?}"));
        let machine = Machine {
            program: &program,
            calls: calls(&program),
        };
        let Some(states) = states(&machine) else {
            continue;
        };
        let mut points = Vec::new();
        for (t, thread) in program.threads.iter().enumerate() {
            match (thread.placement, thread.kernel) {
                (Placement::Host, _) => {
                    for made in 0..=machine.calls[t].len() as u32 {
                        points.push(Point::Host(ThreadId(t as u32), made));
                    }
                }
                (Placement::Device(_), Some(kernel)) => points.push(Point::Kernel(kernel)),
                (Placement::Device(_), None) => panic!("a work-item without a kernel"),
            }
        }
        for a in &points {
            for b in &points {
                if matches!((a, b), (Point::Host(s, _), Point::Host(t, _)) if s == t) || a == b {
                    continue;
                }
                let always = states
                    .iter()
                    .all(|s| !Machine::begun(s, *b) || Machine::ended(s, *a));
                assert_eq!(
                    order.before(*a, *b),
                    always,
                    "seed {seed}: {a:?} {b:?} {program:#?}"
                );
                compared += 1;
                ordered += u32::from(always);
            }
        }
    }
    assert!(compared > 5_000 && ordered > 1_000, "{compared} {ordered}");
}
