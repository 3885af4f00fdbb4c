//! Names to places: the parser's tree in, a [`Program`] out.
//!
//! [`locations`] gathers what the init list and the threads' parameters say about each location,
//! [`thread`] keeps a thread's registers, [`statement`], [`expression`] and [`function`] turn its
//! C into instructions, [`host`] its calls of the OpenCL API, which [`command`] joins over all
//! threads; [`opcode`], [`listing`] and [`jumps`] do the same for the instructions of the VULKAN dialect.
//! [`condition`] resolves the question. The YAML reader shares all of it.

mod api;
pub(crate) mod command;
pub(crate) mod condition;
pub(crate) mod domain;
mod enumerators;
mod expression;
mod function;
mod host;
mod jumps;
mod listing;
pub(crate) mod locations;
pub(crate) mod opcode;
mod size;
mod statement;
pub(crate) mod thread;

use super::error::{Outcome, Span};
use super::tree::{Body, Init, Line, Place, Test, ThreadTree};
use crate::program::{
    Api, Condition, Placement, Predicate, Program, Queue, Thread, ThreadId, WorkItem,
};
use command::{CallTree, Host};
use condition::Names;
use locations::{Locations, LocationsBuilder};
use opcode::Opcode;
use std::collections::HashMap;
use thread::{InitialRegister, ThreadLowering};

/// Resolves a whole test.
pub(crate) fn program(test: Test) -> Outcome<Program> {
    let locations = gather_locations(&test)?;
    let mut initial = initial_registers(&test)?;
    let placements = placements(&test.threads);
    let mut threads = Vec::with_capacity(test.threads.len());
    let mut host = host(&test);
    for (t, (tree, placement)) in test.threads.iter().zip(placements).enumerate() {
        let registers = initial.remove(&t).unwrap_or_default();
        let (thread, calls) = thread(tree, placement, &locations, registers)?;
        threads.push(thread);
        host.calls.push(calls);
    }
    let synchronized = pairs(&test, &test.synchronized)?;
    let contributes = pairs(&test, &test.contributes)?;
    let frame = Frame {
        api: test.api,
        name: test.name,
        synchronized,
        contributes,
    };
    assemble(frame, locations, threads, &host, |names| {
        let (quantifier, predicate, span) = &test.question;
        let condition = Condition {
            quantifier: *quantifier,
            predicate: names.question(predicate, *span)?,
        };
        let filter = test.filter.as_ref();
        let filter = filter.map(|(filter, span)| names.question(filter, *span));
        let filter = filter.transpose()?;
        for operand in &test.listed {
            names.operand(operand)?;
        }
        Ok((condition, filter))
    })
}

/// What a test says beside its locations, threads and commands.
pub(crate) struct Frame {
    pub api: Api,
    pub name: String,
    pub synchronized: Vec<(ThreadId, ThreadId)>,
    pub contributes: Vec<(ThreadId, ThreadId)>,
}

/// Joins what was read of a test, resolves the names of its commands, and checks that they fit together;
/// `ask` gives the question and the filter, whose names it resolves.
pub(crate) fn assemble(
    frame: Frame,
    locations: Locations,
    mut threads: Vec<Thread>,
    host: &Host,
    ask: impl FnOnce(&Names<'_>) -> Outcome<(Condition, Option<Predicate>)>,
) -> Outcome<Program> {
    let (queues, commands) = host.resolve(&mut threads)?;
    let (condition, filter) = ask(&Names {
        locations: &locations,
        threads: &threads,
    })?;
    let program = Program {
        name: frame.name,
        api: frame.api,
        locations: locations.into_list(),
        threads,
        queues,
        commands,
        synchronized: frame.synchronized,
        contributes: frame.contributes,
        condition,
        filter,
    };
    host.check(&program)?;
    api::check(&program, &host.places)?;
    Ok(program)
}

/// What the test says of queues, and of its threads' kernels.
fn host(test: &Test) -> Host {
    let mut host = Host::default();
    for init in &test.init {
        if let Init::Queue { name, order } = init {
            let queue = Queue {
                name: name.text.clone(),
                order: *order,
            };
            host.queues.push((queue, name.span));
        }
    }
    for thread in &test.threads {
        host.kernels.push(thread.kernel.clone());
        host.places.push(thread.header);
    }
    host
}

/// Pairs of a test's threads.
fn pairs(test: &Test, stated: &[(u64, u64, Span)]) -> Outcome<Vec<(ThreadId, ThreadId)>> {
    let pairs = stated.iter();
    pairs
        .map(|(before, after, span)| pair(*before, *after, test.threads.len(), *span))
        .collect()
}

/// A pair of threads of which the first system-synchronizes with the second, or contributes to it.
pub(crate) fn pair(
    before: u64,
    after: u64,
    threads: usize,
    span: Span,
) -> Outcome<(ThreadId, ThreadId)> {
    if let Some(unknown) = [before, after].into_iter().find(|t| *t >= threads as u64) {
        return Err(span.problem(
            format!("the test has no thread {unknown}"),
            "no such thread",
        ));
    }
    if before == after {
        return Err(span.problem(
            "a thread is in program order, and neither synchronizes with itself nor contributes to itself",
            "twice the same thread",
        ));
    }
    Ok((ThreadId(before as u32), ThreadId(after as u32)))
}

fn gather_locations(test: &Test) -> Outcome<Locations> {
    let mut builder = LocationsBuilder::default();
    for init in &test.init {
        if let Init::Location {
            memory,
            class,
            ty,
            name,
            array,
            values,
            span,
        } = init
        {
            builder.declare(*memory, ty.as_ref(), name, *array, values, *span)?;
            if let Some(class) = class {
                builder.in_class(name, *class)?;
            }
        }
        if let Init::Alias { class, name, of } = init {
            builder.alias(name, of)?;
            if let Some(class) = class {
                builder.in_class(name, *class)?;
            }
        }
    }
    for tree in &test.threads {
        for param in &tree.params {
            builder.parameter(param)?;
        }
        if let Body::Listing(lines) = &tree.body {
            for line in lines {
                if let Line::Instruction(instruction) = line {
                    let opcode = Opcode::of(instruction)?;
                    builder.accessed(&opcode)?;
                }
            }
        }
    }
    builder.finish()
}

/// Registers that the init list sets, by thread.
fn initial_registers(test: &Test) -> Outcome<HashMap<usize, Vec<InitialRegister>>> {
    let mut initial: HashMap<usize, Vec<InitialRegister>> = HashMap::new();
    for init in &test.init {
        let Init::Register {
            thread,
            ty,
            name,
            value,
            span,
        } = init
        else {
            continue;
        };
        let Some(t) = usize::try_from(*thread)
            .ok()
            .filter(|t| *t < test.threads.len())
        else {
            return Err(span.problem(format!("the test has no thread {thread}"), "no such thread"));
        };
        let registers = initial.entry(t).or_default();
        if registers.iter().any(|r| r.name.text == name.text) {
            return Err(span.second(format!("{thread}:{} is initialised twice", name.text)));
        }
        let ty = match ty {
            Some(ty) => Some(thread::register_type(ty)?),
            None => None,
        };
        registers.push(InitialRegister {
            name: name.clone(),
            ty,
            value: *value,
        });
    }
    Ok(initial)
}

/// Placements as stated; a thread that states no work-group gets one of its own.
fn placements(threads: &[ThreadTree]) -> Vec<Placement> {
    let used: Vec<u32> = threads.iter().filter_map(|t| t.place.work_group).collect();
    let mut unused = (0..).filter(|group| !used.contains(group));
    let mut placement = |place: Place| match place.host {
        Some(_) => Placement::Host,
        None => Placement::Device(WorkItem {
            device: place.device.unwrap_or(0),
            queue_family: place.queue_family.unwrap_or(0),
            work_group: place.work_group.or_else(|| unused.next()).unwrap_or(0),
            sub_group: place.sub_group,
        }),
    };
    threads.iter().map(|t| placement(t.place)).collect()
}

fn thread(
    tree: &ThreadTree,
    placement: Placement,
    locations: &Locations,
    initial: Vec<InitialRegister>,
) -> Outcome<(Thread, Vec<CallTree>)> {
    let mut lowering = ThreadLowering::new(locations, initial);
    for param in &tree.params {
        lowering.parameter(param)?;
    }
    let body = match &tree.body {
        Body::Statements(statements) => lowering.body(statements)?,
        Body::Listing(lines) => {
            lowering.initial_registers()?;
            lowering.listing(lines)?
        }
    };
    let calls = lowering.take_calls();
    let thread = Thread {
        placement,
        kernel: None,
        registers: lowering.finish()?,
        body,
    };
    Ok((thread, calls))
}
