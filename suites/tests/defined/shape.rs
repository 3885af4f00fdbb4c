//! Whether a program names what is there, once where it has to, and keeps to its objects and contexts.

use super::clause::Clause;
use super::order::{self, Moment, Order};
use super::uses;
use classay_suites::commands::program::*;

/// Tells of what is not there or there twice; a program of which it does is not judged further.
pub fn judge(program: &Program, tell: &mut dyn FnMut(Clause, String)) {
    let mut bad = |what: String| tell(Clause::Malformed, what);
    let steps = order::steps(program);
    let mut once = |count: usize, name: &str, of: &dyn Fn(&Step) -> Option<usize>| {
        let mut times = vec![0; count];
        for n in steps.iter().filter_map(|(_, step)| of(step)) {
            match times.get_mut(n) {
                Some(times) => *times += 1,
                None => bad(format!("there is no {name} {n}")),
            }
        }
        for (n, _) in times.iter().enumerate().filter(|(_, times)| **times != 1) {
            bad(format!("{name} {n} is not done exactly once"));
        }
    };
    once(program.commands.len(), "command", &|step| match step {
        Step::Enqueue(id) => Some(id.index()),
        _ => None,
    });
    once(program.callbacks.len(), "callback", &|step| match step {
        Step::Register(id) => Some(id.index()),
        _ => None,
    });
    once(program.accesses.len(), "access", &|step| match step {
        Step::Access(id) => Some(id.index()),
        _ => None,
    });
    once(usize::from(program.signals), "signal", &|step| match step {
        Step::Signal(id) => Some(id.index()),
        _ => None,
    });
    let objects = program.objects.len();
    for (n, object) in program.objects.iter().enumerate() {
        if let Kind::SubBuffer { of, first } = object.kind {
            let whole = program.objects.get(of.index()).filter(|_| of.index() < n);
            let end = usize::from(first) + usize::from(object.cells);
            if whole.is_none_or(|whole| usize::from(whole.cells) < end) {
                bad(format!("object {n} is no part of object {of}"));
            }
        }
    }
    for (n, command) in program.commands.iter().enumerate() {
        if !has_two_ends(program, &command.what) {
            bad(format!(
                "command {n} is given memory of the host that it cannot have"
            ));
        }
    }
    for n in 0..program.commands.len() {
        if uses::named(program, n)
            .iter()
            .any(|object| object.index() >= objects)
        {
            bad(format!("command {n} names an object that is not there"));
        }
    }
}

/// Whether memory of the host alone is where a transfer points, with as many cells as the other end, and nowhere
/// else.
fn has_two_ends(program: &Program, what: &What) -> bool {
    let is_host = |range: &Range| {
        let object = program.objects.get(range.object.index());
        object.is_some_and(|object| object.kind == Kind::Host)
    };
    match what {
        What::Read(transfer) | What::Write(transfer) => {
            let fits = |host: Range| is_host(&host) && host.count == transfer.range.count;
            !is_host(&transfer.range) && transfer.host.is_none_or(fits)
        }
        What::Kernel(kernel) | What::Native(kernel) => {
            !kernel.reads.iter().chain(&kernel.writes).any(is_host)
        }
        What::Copy { from, to, .. } => !is_host(from) && !is_host(to),
        What::Fill(range) | What::Map { range, .. } => !is_host(range),
        What::Unmap(_) | What::Migrate { .. } | What::Free(_) | What::Marker | What::Barrier => {
            true
        }
    }
}

/// Tells of accesses out of bounds, of objects of two contexts that meet, and of host memory looked at too early.
pub fn bounds(order: &Order<'_>, tell: &mut dyn FnMut(Clause, String)) {
    let program = order.program;
    let out =
        |range: &Range| range.end() > usize::from(program.objects[range.object.index()].cells);
    for (n, command) in program.commands.iter().enumerate() {
        if uses::ranges(program, n).iter().any(out) {
            tell(
                Clause::OutOfBounds,
                format!("command {n} leaves its object"),
            );
        }
        let context = program.queues[command.queue.index()].context;
        let other = |event: &Event| context_of(program, *event) != context;
        let strange = |object: &ObjectId| program.objects[object.index()].context != context;
        if command.wait.iter().any(other) || uses::named(program, n).iter().any(strange) {
            tell(
                Clause::Context,
                format!("command {n} uses things of another context"),
            );
        }
        if let What::Migrate { objects, .. } = &command.what {
            let system = |object: &ObjectId| {
                matches!(
                    uses::kind(program, *object),
                    Kind::SvmSystem | Kind::Variable | Kind::Host
                )
            };
            if objects.iter().any(system) {
                let what = format!("command {n} migrates what is no allocation");
                tell(Clause::MigrateWhat, what);
            }
        }
    }
    for (place, step) in &order.steps {
        match step {
            Step::Access(id) if out(&program.accesses[id.index()].range) => {
                tell(Clause::OutOfBounds, format!("{place} leaves its object"));
            }
            Step::Wait(events) => {
                let mut contexts = events.iter().map(|event| context_of(program, *event));
                let first = contexts.next();
                if contexts.any(|context| Some(context) != first) {
                    let what = format!("{place} waits for events of two contexts");
                    tell(Clause::Context, what);
                }
            }
            Step::Inspect(id) => {
                let complete = Moment::Complete(id.index());
                if !order.is_before(complete, Moment::Call(*place)) {
                    let what = format!("{place} looks at what command {id} may not have read yet");
                    tell(Clause::NotRead, what);
                }
            }
            _ => {}
        }
    }
}

fn context_of(program: &Program, event: Event) -> ContextId {
    match event {
        Event::Command(id) => program.queues[program.commands[id.index()].queue.index()].context,
        Event::User(user) => program.users[user.index()],
    }
}
