//! Queues, commands and host calls: names to numbers, once every thread has been read.
//!
//! While threads are lowered, each keeps a list of the API calls it makes, names and all, and puts
//! an empty call in their place. [`Host::resolve`] numbers the commands in the order of the calls,
//! fills the calls in, and asks [`CommandOrder`] whether all fits together.

use crate::program::{
    Command, CommandError, CommandId, CommandKind, CommandOrder, HostCall, Instr, Program, Queue,
    QueueId, Thread, Where,
};
use crate::syntax::error::{Outcome, Problem, Span, nearest};
use crate::syntax::tree::Name;

/// A host call before its names are resolved.
pub(crate) enum CallTree {
    /// Enqueues a command.
    Enqueue {
        kind: CommandKind,
        /// The kernel, or the event; commands that nothing waits for need no name.
        name: Option<Name>,
        queue: Name,
        waits: Vec<Name>,
        span: Span,
    },
    /// `clWaitForEvents`
    Wait { events: Vec<Name>, span: Span },
    /// `clFinish` or `clFlush`
    OfQueue {
        call: fn(QueueId) -> HostCall,
        queue: Name,
        span: Span,
    },
}

impl CallTree {
    fn span(&self) -> Span {
        match self {
            CallTree::Enqueue { span, .. }
            | CallTree::Wait { span, .. }
            | CallTree::OfQueue { span, .. } => *span,
        }
    }

    /// An empty call, in the place of this one until names can be resolved.
    pub fn placeholder() -> Instr {
        Instr::Host(HostCall::Wait(Vec::new()))
    }
}

/// What a test says of the host, beside the threads' bodies.
#[derive(Default)]
pub(crate) struct Host {
    /// Declared queues.
    pub queues: Vec<(Queue, Span)>,
    /// For each thread its calls, in order.
    pub calls: Vec<Vec<CallTree>>,
    /// For each thread the kernel that it names.
    pub kernels: Vec<Option<Name>>,
    /// For each thread where its placement stands.
    pub places: Vec<Span>,
}

impl Host {
    /// Resolves every name; `threads` get their kernels and calls.
    pub fn resolve(&self, threads: &mut [Thread]) -> Outcome<(Vec<Queue>, Vec<Command>)> {
        self.check_queues()?;
        let names = self.names()?;
        let mut commands = Vec::with_capacity(names.len());
        for (thread, calls) in threads.iter_mut().zip(&self.calls) {
            let mut resolved = Vec::with_capacity(calls.len());
            for call in calls {
                resolved.push(self.call(call, &names, &mut commands)?);
            }
            let mut resolved = resolved.into_iter();
            fill(&mut thread.body, &mut resolved);
        }
        for (thread, kernel) in threads.iter_mut().zip(&self.kernels) {
            if let Some(name) = kernel {
                thread.kernel = Some(self.kernel(name, &names, &commands)?);
            }
        }
        let queues = self.queues.iter().map(|(queue, _)| queue.clone()).collect();
        Ok((queues, commands))
    }

    /// Checks that the commands of a finished program fit together.
    pub fn check(&self, program: &Program) -> Outcome<()> {
        match CommandOrder::of(program) {
            Ok(_) => Ok(()),
            Err(error) => Err(self.problem(&error)),
        }
    }

    fn problem(&self, error: &CommandError) -> Problem {
        let (span, label) = match error.at {
            Where::Call(thread, call) => (
                self.calls
                    .get(thread.index())
                    .and_then(|calls| calls.get(call as usize))
                    .map(CallTree::span),
                "this call",
            ),
            Where::Thread(thread) => (self.places.get(thread.index()).copied(), "this thread"),
            Where::Program => (None, "the test"),
        };
        let problem = span
            .unwrap_or_default()
            .problem(error.what.to_string(), label);
        match error.what.help() {
            Some(help) => problem.help(help),
            None => problem,
        }
    }

    fn check_queues(&self) -> Outcome<()> {
        for (i, (queue, span)) in self.queues.iter().enumerate() {
            if let Some((_, first)) = self.queues[..i].iter().find(|(q, _)| q.name == queue.name) {
                return Err(span
                    .second(format!("the queue {} is declared twice", queue.name))
                    .also(*first, "the first one"));
            }
        }
        Ok(())
    }

    /// The name of each command, those without one named after what they do.
    fn names(&self) -> Outcome<Vec<String>> {
        let mut given: Vec<&Name> = Vec::new();
        let enqueued = || {
            self.calls.iter().flatten().filter_map(|c| match c {
                CallTree::Enqueue { kind, name, .. } => Some((kind, name.as_ref())),
                CallTree::Wait { .. } | CallTree::OfQueue { .. } => None,
            })
        };
        for (kind, name) in enqueued() {
            let Some(name) = name else { continue };
            if let Some(first) = given.iter().find(|n| n.text == name.text) {
                let message = match kind {
                    CommandKind::Kernel => format!("{} is enqueued twice", name.text),
                    CommandKind::Marker
                    | CommandKind::Barrier
                    | CommandKind::Map { .. }
                    | CommandKind::Unmap { .. } => format!("two commands are named {}", name.text),
                };
                return Err(name.span.second(message).also(first.span, "the first one"));
            }
            given.push(name);
        }
        let mut next = 0;
        Ok(enqueued()
            .map(|(kind, name)| match name {
                Some(name) => name.text.clone(),
                None => loop {
                    let name = format!("{}{next}", stem(kind));
                    next += 1;
                    if given.iter().all(|n| n.text != name) {
                        break name;
                    }
                },
            })
            .collect())
    }

    fn call(
        &self,
        call: &CallTree,
        names: &[String],
        commands: &mut Vec<Command>,
    ) -> Outcome<HostCall> {
        let events = |events: &[Name]| -> Outcome<Vec<CommandId>> {
            events.iter().map(|e| event(e, names)).collect()
        };
        Ok(match call {
            CallTree::Enqueue {
                kind, queue, waits, ..
            } => {
                let id = CommandId(commands.len() as u32);
                commands.push(Command {
                    name: names[id.index()].clone(),
                    kind: *kind,
                    queue: self.queue(queue)?,
                    waits: events(waits)?,
                });
                HostCall::Enqueue(id)
            }
            CallTree::Wait { events: list, .. } => HostCall::Wait(events(list)?),
            CallTree::OfQueue { call, queue, .. } => call(self.queue(queue)?),
        })
    }

    fn queue(&self, name: &Name) -> Outcome<QueueId> {
        let known: Vec<&str> = self.queues.iter().map(|(q, _)| q.name.as_str()).collect();
        let text = &name.text;
        let at = known.iter().position(|q| q == text).ok_or_else(|| {
            let message = format!("there is no queue {text}");
            let help = format!("declare it in the init list, as in queue {text} = in_order;");
            unknown(name, message, "unknown queue", &known, help)
        })?;
        Ok(QueueId(at as u32))
    }

    fn kernel(&self, name: &Name, names: &[String], commands: &[Command]) -> Outcome<CommandId> {
        position(name, names).ok_or_else(|| {
            let kernels = commands.iter().filter(|c| c.kind == CommandKind::Kernel);
            let kernels: Vec<&str> = kernels.map(|c| c.name.as_str()).collect();
            let text = &name.text;
            let message = format!("no host thread enqueues the kernel {text}");
            let help =
                format!("a host thread enqueues it with clEnqueueNDRangeKernel(queue, {text})");
            unknown(name, message, "never enqueued", &kernels, help)
        })
    }
}

/// A name that stands for nothing; help where none of the known ones was meant.
fn unknown(name: &Name, message: String, label: &str, known: &[&str], help: String) -> Problem {
    let near = nearest(&name.text, known.iter().copied());
    name.problem(message, label).did_you_mean(near, || help)
}

fn stem(kind: &CommandKind) -> &'static str {
    match kind {
        CommandKind::Kernel => "kernel",
        CommandKind::Marker => "marker",
        CommandKind::Barrier => "barrier",
        CommandKind::Map { .. } => "map",
        CommandKind::Unmap { .. } => "unmap",
    }
}

fn position(name: &Name, names: &[String]) -> Option<CommandId> {
    let at = names.iter().position(|n| *n == name.text)?;
    Some(CommandId(at as u32))
}

fn event(name: &Name, names: &[String]) -> Outcome<CommandId> {
    position(name, names).ok_or_else(|| {
        let known: Vec<&str> = names.iter().map(String::as_str).collect();
        let message = format!("no command is named {}", name.text);
        let help = "the event of a kernel has the kernel's name, that of another command its label";
        unknown(name, message, "unknown event", &known, help.to_owned())
    })
}

/// Puts the calls where their empty ones stand.
fn fill(body: &mut [Instr], calls: &mut impl Iterator<Item = HostCall>) {
    for instr in body {
        if let Instr::Host(call) = instr
            && let Some(next) = calls.next()
        {
            *call = next;
        }
        for block in instr.blocks_mut() {
            fill(block, calls);
        }
    }
}
