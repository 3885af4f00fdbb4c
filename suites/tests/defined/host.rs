//! Host programs, whatever they were lowered from: what threads and callbacks may call while others do something else.
//! What comes before what is known here of host threads alone, by their steps, signals and registrations.

use super::clause::{Clause, Complaint};
use classay_suites::host::{Call, CallbackOf, Function, HostProgram, Op, Slot, Step, Value};
use std::collections::{BTreeMap, BTreeSet};

/// Everything that is undefined in it.
pub fn complaints(program: &HostProgram) -> BTreeSet<Complaint> {
    let host = Host::of(program);
    let mut found = BTreeSet::new();
    let mut tell = |clause, what| {
        found.insert(Complaint { clause, what });
    };
    host.releases(&mut tell);
    host.kernels(&mut tell);
    host.lives(&mut tell);
    host.callbacks(&mut tell);
    host.across_queues(&mut tell);
    found
}

/// What is undefined whatever orders commands: of programs of which events order the steps.
pub fn of_threads(program: &HostProgram) -> BTreeSet<Complaint> {
    let host = Host::of(program);
    let mut found = BTreeSet::new();
    let mut tell = |clause, what| {
        found.insert(Complaint { clause, what });
    };
    host.kernels(&mut tell);
    host.callbacks(&mut tell);
    found
}

/// Who does a step: the beginning, a thread, the end, or a callback.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum By {
    Begin,
    Thread(usize),
    End,
    Callback(usize),
}

struct Node<'p> {
    by: By,
    op: &'p Op,
}

struct Host<'p> {
    program: &'p HostProgram,
    nodes: Vec<Node<'p>>,
    /// Of each who does steps, the node of the first.
    first: BTreeMap<By, usize>,
    /// Of each node, for others who do steps: how many of theirs are over before it begins.
    before: Vec<BTreeMap<By, usize>>,
}

impl<'p> Host<'p> {
    fn of(program: &'p HostProgram) -> Host<'p> {
        let (mut nodes, mut first) = (Vec::new(), BTreeMap::new());
        let mut add = |by: By, steps: &'p [Step]| {
            first.insert(by, nodes.len());
            flatten(steps, by, &mut nodes);
        };
        add(By::Begin, &program.begin);
        for (n, steps) in program.threads.iter().enumerate() {
            add(By::Thread(n), steps);
        }
        add(By::End, &program.end);
        for (n, callback) in program.callbacks.iter().enumerate() {
            add(By::Callback(n), &callback.steps);
        }
        let mut host = Host {
            program,
            before: vec![BTreeMap::new(); nodes.len()],
            nodes,
            first,
        };
        while host.pass() {}
        host
    }

    /// Begin comes before threads and they before the end, a signal before who awaits it, a registration before the
    /// callback, and what is before one of these, too. Whether that was anything new.
    fn pass(&mut self) -> bool {
        let mut sources: Vec<Vec<usize>> = vec![Vec::new(); self.nodes.len()];
        for (n, node) in self.nodes.iter().enumerate() {
            match node.op {
                Op::Await(signal) => {
                    let gives = |node: &Node<'_>| matches!(node.op, Op::Signal(of) if of == signal);
                    sources[n].extend((0..self.nodes.len()).filter(|m| gives(&self.nodes[*m])));
                }
                Op::Call(call) => {
                    for value in &call.arguments {
                        let Value::Callback(id) = value else { continue };
                        let callback = By::Callback(id.index());
                        let begins = self.first.get(&callback).copied();
                        if let Some(m) = begins.filter(|m| self.by(*m) == Some(callback)) {
                            sources[m].push(n);
                        }
                    }
                }
                _ => {}
            }
        }
        let mut changed = false;
        for (n, mut sources) in sources.into_iter().enumerate() {
            let mut known = self.before[n].clone();
            let last = n.checked_sub(1);
            sources.extend(last.filter(|last| self.by(*last) == self.by(n)));
            for m in &sources {
                for (by, count) in &self.before[*m] {
                    let entry = known.entry(*by).or_default();
                    *entry = (*entry).max(*count);
                }
                let by = self.nodes[*m].by;
                let count = m - self.first[&by] + 1;
                let entry = known.entry(by).or_default();
                *entry = (*entry).max(count);
            }
            changed |= known != self.before[n];
            self.before[n] = known;
        }
        changed
    }

    fn by(&self, n: usize) -> Option<By> {
        self.nodes.get(n).map(|node| node.by)
    }

    fn is_before(&self, first: usize, then: usize) -> bool {
        let (a, b) = (self.nodes[first].by, self.nodes[then].by);
        match (a, b) {
            _ if a == b => first < then,
            (By::Begin, _) | (By::Thread(_), By::End) => true,
            _ => {
                let count = self.before[then].get(&a).copied().unwrap_or_default();
                first - self.first[&a] < count
            }
        }
    }

    fn calls(&self) -> impl Iterator<Item = (usize, &'p Call)> + '_ {
        let nodes = self.nodes.iter().enumerate();
        nodes.filter_map(|(n, node)| Some((n, calls(node.op)?)))
    }

    fn name(&self, slot: Slot) -> &str {
        &self.program.slots[slot.index()].name
    }

    /// Nothing but events is released while a command waits for a user event that is not set.
    fn releases(&self, tell: &mut dyn FnMut(Clause, String)) {
        let made: BTreeSet<Slot> = self
            .calls()
            .filter(|(_, call)| call.function == Function::CreateUserEvent)
            .filter_map(|(_, call)| call.made)
            .collect();
        let sets = |of: Slot| {
            self.calls().filter(move |(_, call)| {
                call.function == Function::SetUserEventStatus
                    && call.arguments.first() == Some(&Value::Slot(of))
            })
        };
        for (n, enqueue) in self.calls() {
            for user in waits(enqueue).into_iter().filter(|one| made.contains(one)) {
                for (m, release) in self.calls().filter(|(_, call)| releases(call.function)) {
                    let set = sets(user).any(|(set, _)| self.is_before(set, m));
                    if m != n && !set && !self.is_before(m, n) {
                        let what = format!(
                            "{} is called while {} may wait for {}",
                            release.function,
                            enqueue.function,
                            self.name(user)
                        );
                        tell(Clause::ReleasedBeforeSet, what);
                    }
                }
            }
        }
    }

    /// A kernel's arguments are set by one thread at a time, and not while another enqueues it.
    fn kernels(&self, tell: &mut dyn FnMut(Clause, String)) {
        let changes = |call: &Call| {
            use Function::{CloneKernel, SetKernelArg, SetKernelArgSVMPointer, SetKernelExecInfo};
            let all = [
                CloneKernel,
                SetKernelArg,
                SetKernelArgSVMPointer,
                SetKernelExecInfo,
            ];
            all.contains(&call.function)
        };
        let mut uses: BTreeMap<Slot, Vec<(usize, &Call)>> = BTreeMap::new();
        for (n, call) in self.calls() {
            let at = match call.function {
                Function::EnqueueNDRangeKernel | Function::EnqueueTask => 1,
                _ if changes(call) => 0,
                _ => continue,
            };
            if let Some(Value::Slot(kernel)) = call.arguments.get(at) {
                uses.entry(*kernel).or_default().push((n, call));
            }
        }
        for (kernel, uses) in uses {
            let one = |n: &usize| self.by(*n) == self.by(uses[0].0);
            if uses.iter().all(|(n, _)| one(n)) {
                continue;
            }
            for (n, change) in uses.iter().filter(|(_, call)| changes(call)) {
                for (m, other) in &uses {
                    if m != n && !self.is_before(*m, *n) && !self.is_before(*n, *m) {
                        let what = format!(
                            "{} and {} may use {} at the same time",
                            change.function,
                            other.function,
                            self.name(kernel)
                        );
                        tell(Clause::KernelState, what);
                    }
                }
            }
        }
    }

    /// What a call releases is not used afterwards, nor at the same time.
    fn lives(&self, tell: &mut dyn FnMut(Clause, String)) {
        let mut uses: BTreeMap<Slot, Vec<(usize, Function)>> = BTreeMap::new();
        let mut takes = Vec::new();
        let mut made: BTreeMap<Slot, Vec<usize>> = BTreeMap::new();
        for (n, call) in self.calls() {
            call.each(&mut |value| match value {
                Value::Slot(slot) => uses.entry(*slot).or_default().push((n, call.function)),
                Value::Take(slot) => {
                    uses.entry(*slot).or_default().push((n, call.function));
                    takes.push((n, *slot, call.function));
                }
                Value::Into(slot) => made.entry(*slot).or_default().push(n),
                _ => {}
            });
            if let Some(slot) = call.made {
                made.entry(slot).or_default().push(n);
            }
        }
        for (n, gone, function) in takes {
            let made = made.get(&gone).into_iter().flatten();
            for (m, other) in uses.get(&gone).into_iter().flatten() {
                let mut made = made.clone();
                let again = made.any(|made| self.is_before(n, *made) && self.is_before(*made, *m));
                if *m != n && !again && !self.is_before(*m, n) {
                    let name = self.name(gone);
                    let what = format!("{other} may use {name}, which {function} gives up");
                    tell(Clause::Released, what);
                }
            }
        }
    }

    /// A command waits only for events that are there, and for those of another queue only after a flush: the
    /// sentence names no moment, and the earliest is before the command is enqueued.
    fn across_queues(&self, tell: &mut dyn FnMut(Clause, String)) {
        let mut makers: BTreeMap<Slot, Vec<(usize, &Call)>> = BTreeMap::new();
        for (n, call) in self.calls() {
            for event in events_of(call) {
                makers.entry(event).or_default().push((n, call));
            }
        }
        let flushes = |call: &Call, queue: &Value, event: Slot| match call.function {
            Function::Flush | Function::Finish => call.arguments.first() == Some(queue),
            Function::WaitForEvents => {
                let mut of_it = false;
                call.each(&mut |value| of_it |= *value == Value::Slot(event));
                of_it
            }
            _ => call.arguments.first() == Some(queue) && blocks(call),
        };
        for (n, enqueue) in self.calls() {
            for event in waits(enqueue) {
                let makers = makers.get(&event).into_iter().flatten();
                let mut makers = makers.filter(|(m, _)| !self.is_before(n, *m)).peekable();
                let made =
                    makers.peek().is_none() || makers.clone().any(|(m, _)| self.is_before(*m, n));
                if !made {
                    let what = format!(
                        "{} may use {} too early",
                        enqueue.function,
                        self.name(event)
                    );
                    tell(Clause::NoEvent, what);
                }
                for (m, maker) in makers {
                    let (Some(queue), Some(own)) = (queue(maker), queue(enqueue)) else {
                        continue;
                    };
                    let flushed = self.calls().any(|(k, call)| {
                        flushes(call, queue, event)
                            && (k == *m || self.is_before(*m, k))
                            && self.is_before(k, n)
                    });
                    if queue != own && !flushed {
                        let event = self.name(event);
                        let what = format!(
                            "{} waits for {event}, whose queue is not flushed yet",
                            enqueue.function
                        );
                        tell(Clause::NeverEnds, what);
                    }
                }
            }
        }
    }

    /// What callbacks may not call; a native kernel is no callback.
    fn callbacks(&self, tell: &mut dyn FnMut(Clause, String)) {
        for node in &self.nodes {
            let By::Callback(n) = node.by else { continue };
            if matches!(self.program.callbacks[n].of, CallbackOf::Native { .. }) {
                continue;
            }
            let blocks = match node.op {
                Op::Call(call) => blocks(call),
                Op::Await(_) | Op::Sleep(_) | Op::Settle { .. } | Op::Exchange { .. } => true,
                _ => false,
            };
            if blocks {
                tell(
                    Clause::CallbackBlocks,
                    format!("callback {n} does {:?}", node.op),
                );
            }
        }
    }
}

fn flatten<'p>(steps: &'p [Step], by: By, nodes: &mut Vec<Node<'p>>) {
    for step in steps {
        match &step.op {
            // Once stands for all times: each begins when the one before is over.
            Op::Repeat { body: steps, .. } | Op::Sequence(steps) | Op::Settled(steps) => {
                flatten(steps, by, nodes);
            }
            op => nodes.push(Node { by, op }),
        }
    }
}

fn calls(op: &Op) -> Option<&Call> {
    match op {
        Op::Call(call) => Some(call),
        _ => None,
    }
}

/// The events that an enqueued command waits for.
fn waits(call: &Call) -> Vec<Slot> {
    let signature = call.function.signature();
    let enqueues = signature.name.starts_with("clEnqueue");
    let list = signature
        .parameters
        .iter()
        .position(|(name, _)| *name == "list");
    match list.and_then(|list| call.arguments.get(list)) {
        Some(Value::List(_, values)) if enqueues => values
            .iter()
            .filter_map(|value| match value {
                Value::Slot(slot) => Some(*slot),
                _ => None,
            })
            .collect(),
        _ => Vec::new(),
    }
}

/// Where a call enqueues a command.
fn queue(call: &Call) -> Option<&Value> {
    // One that replaces the queue of a command-buffer, which is not known here.
    if call.function == Function::EnqueueCommandBufferKHR {
        return match call.arguments.get(1) {
            Some(Value::List(_, queues)) => queues.first(),
            _ => None,
        };
    }
    let enqueues = call.function.name().starts_with("clEnqueue");
    call.arguments.first().filter(|_| enqueues)
}

/// The slots that get events of what a call enqueues or makes.
fn events_of(call: &Call) -> Vec<Slot> {
    let parameters = call.function.signature().parameters;
    let at = parameters.iter().position(|(name, _)| *name == "event");
    let made = call
        .made
        .filter(|_| call.function == Function::CreateUserEvent);
    match at.and_then(|at| call.arguments.get(at)) {
        Some(Value::Into(event)) => vec![*event],
        _ => made.into_iter().collect(),
    }
}

/// "any OpenCL APIs that release OpenCL objects except for event objects"; shared virtual memory is no object.
fn releases(function: Function) -> bool {
    function.signature().name.starts_with("clRelease") && function != Function::ReleaseEvent
}

fn blocks(call: &Call) -> bool {
    use Function::{
        CreateCommandQueue, CreateCommandQueueWithProperties, CreateContext, CreateContextFromType,
        Finish, WaitForEvents,
    };
    let parameters = call.function.signature().parameters;
    let at = parameters.iter().position(|(name, _)| *name == "blocking");
    let waits = at.and_then(|at| call.arguments.get(at));
    let makes = [
        CreateCommandQueue,
        CreateCommandQueueWithProperties,
        CreateContext,
        CreateContextFromType,
    ];
    // A build whose end is not reported to a callback blocks.
    let builds = [
        Function::BuildProgram,
        Function::CompileProgram,
        Function::LinkProgram,
    ];
    let notify = parameters.iter().position(|(name, _)| *name == "notify");
    let silent = notify.is_some_and(|at| call.arguments.get(at) == Some(&Value::Null));
    matches!(call.function, Finish | WaitForEvents)
        || makes.contains(&call.function)
        || waits.is_some_and(|blocking| *blocking != Value::from(false))
        || builds.contains(&call.function) && silent
}

#[cfg(test)]
mod tests {
    use super::*;
    use classay_suites::host::{Builder, SlotKind};

    /// The clauses that a program of two threads is against, which have a kernel, a buffer, a queue and a user event.
    fn against(write: impl FnOnce(&mut Builder, [Slot; 5]) -> [Vec<Step>; 2]) -> Vec<Clause> {
        let mut builder = Builder::default();
        let mut slot = |name: &str, kind| builder.slot(name, kind);
        let queue = slot("queue", SlotKind::Queue);
        let buffer = slot("buffer", SlotKind::Memory);
        let kernel = slot("kernel", SlotKind::Kernel);
        let gate = slot("gate", SlotKind::Event);
        let context = slot("context", SlotKind::Context);
        builder.begin(Call::of(Function::CreateUserEvent, context).makes(gate));
        let slots = [queue, buffer, kernel, gate, context];
        let threads = write(&mut builder, slots);
        threads.into_iter().for_each(|steps| builder.thread(steps));
        let found = complaints(&builder.finish());
        found.into_iter().map(|one| one.clause).collect()
    }

    fn marker(queue: Slot, gate: Slot) -> Step {
        let function = Function::EnqueueMarkerWithWaitList;
        Call::enqueue(function, queue, [], &[gate], None).into()
    }

    #[test]
    fn nothing_is_released_while_a_user_event_is_awaited() {
        let program = |second: bool, signals: bool| {
            against(|builder, [queue, buffer, _, gate, _]| {
                let set: Step = Call::set(gate, 0).into();
                let release: Step = builder.release(buffer).into();
                let signal = builder.signal();
                let (gives, awaits) = (Op::Signal(signal).into(), Op::Await(signal).into());
                match (second, signals) {
                    (false, false) => [vec![marker(queue, gate), release, set], vec![]],
                    (false, true) => [vec![release, marker(queue, gate), set], vec![]],
                    (true, false) => [vec![marker(queue, gate), set, gives], vec![release, awaits]],
                    (true, true) => [vec![marker(queue, gate), set, gives], vec![awaits, release]],
                }
            })
        };
        for second in [false, true] {
            assert_eq!(program(second, false), [Clause::ReleasedBeforeSet]);
            assert_eq!(program(second, true), []);
        }
        let event = against(|builder, [queue, _, _, gate, _]| {
            let release = builder.release(gate).into();
            let set = Call::set(gate, 0).into();
            [vec![marker(queue, gate), set, release], vec![]]
        });
        assert_eq!(event, [], "events may be released");
    }

    #[test]
    fn one_thread_at_a_time_changes_a_kernel() {
        let program = |same: bool| {
            against(|builder, [queue, buffer, kernel, _, _]| {
                let set: Step = Call::object_argument(kernel, 0, buffer).into();
                let launch: Step = Call::launch(queue, kernel, 1, &[], None).into();
                let signal = builder.signal();
                let (gives, awaits) = (Op::Signal(signal).into(), Op::Await(signal).into());
                match same {
                    true => [vec![set, gives], vec![awaits, launch]],
                    false => [vec![set, gives], vec![launch, awaits]],
                }
            })
        };
        assert_eq!(program(false), [Clause::KernelState]);
        assert_eq!(program(true), []);
    }

    #[test]
    fn queues_are_flushed_before_others_wait_for_their_commands() {
        enum By {
            Nothing,
            Flush,
            Late,
            Other,
            Wait,
        }
        let program = |by: By| {
            against(|builder, [queue, _, _, gate, _]| {
                let other = builder.slot("other", SlotKind::Queue);
                let event = builder.slot("event", SlotKind::Event);
                let function = Function::EnqueueMarkerWithWaitList;
                let first: Step = Call::enqueue(function, queue, [], &[gate], Some(event)).into();
                let then = marker(other, event);
                let flush = |queue| Call::of(Function::Flush, queue).into();
                match by {
                    By::Nothing => [vec![first, then], vec![]],
                    By::Flush => [vec![first, flush(queue), then], vec![]],
                    By::Late => [vec![first, then, flush(queue)], vec![]],
                    By::Other => [vec![flush(queue), first, flush(other), then], vec![]],
                    By::Wait => [vec![first, Call::wait(&[event]).into(), then], vec![]],
                }
            })
        };
        for by in [By::Nothing, By::Late, By::Other] {
            assert_eq!(program(by), [Clause::NeverEnds]);
        }
        for by in [By::Flush, By::Wait] {
            assert_eq!(program(by), []);
        }
    }

    #[test]
    fn events_are_there_before_they_are_waited_for() {
        let program = |first: bool| {
            against(|builder, [queue, _, _, gate, _]| {
                let event = builder.slot("event", SlotKind::Event);
                let function = Function::EnqueueMarkerWithWaitList;
                let makes: Step = Call::enqueue(function, queue, [], &[gate], Some(event)).into();
                let signal = builder.signal();
                let (gives, awaits) = (Op::Signal(signal).into(), Op::Await(signal).into());
                match first {
                    true => [vec![makes, gives], vec![awaits, marker(queue, event)]],
                    false => [vec![makes, gives], vec![marker(queue, event), awaits]],
                }
            })
        };
        assert_eq!(program(false), [Clause::NoEvent]);
        assert_eq!(program(true), []);
    }

    #[test]
    fn what_is_given_up_is_not_used() {
        let program = |late: bool| {
            against(|builder, [queue, ..]| {
                let release: Step = builder.release(queue).into();
                let flush: Step = Call::of(Function::Flush, queue).into();
                match late {
                    true => [vec![release, flush], vec![]],
                    false => [vec![flush, release], vec![]],
                }
            })
        };
        assert_eq!(program(true), [Clause::Released]);
        assert_eq!(program(false), []);
    }

    #[test]
    fn callbacks_do_not_block() {
        let program = |function| {
            against(|builder, [queue, _, _, gate, _]| {
                let of = CallbackOf::Event(gate);
                let callback = builder.callback(of, vec![Call::of(function, queue).into()]);
                let complete = classay_suites::host::Constant::find("CL_COMPLETE");
                let complete = complete.expect("a constant");
                [
                    vec![Call::register(gate, complete, callback).into()],
                    vec![],
                ]
            })
        };
        assert_eq!(program(Function::Finish), [Clause::CallbackBlocks]);
        assert_eq!(program(Function::Flush), []);
    }
}
