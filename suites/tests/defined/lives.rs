//! The lives of events, queues and memory: nothing is used before it is there, nor without a reference; and
//! what callbacks may not do.

use super::clause::Clause;
use super::order::{Moment, Order};
use super::uses;
use classay_suites::commands::program::*;

/// Tells of every wrong use.
pub fn judge(order: &Order<'_>, tell: &mut dyn FnMut(Clause, String)) {
    for (place, step) in &order.steps {
        for event in events(order.program, step) {
            if !known(order, event, *place) {
                let what =
                    format!("{place} names the event of command {event:?} before it is there");
                tell(Clause::NoEvent, what);
            }
        }
        if let Who::Callback(_) = place.who
            && blocks(order.program, step)
        {
            tell(Clause::CallbackBlocks, format!("{place} blocks"));
        }
        match step {
            Step::ReleaseEvent(event) => {
                let uses = |step: &Step| events(order.program, step).contains(event);
                gone(order, *place, &uses, tell);
            }
            Step::ReleaseQueue(queue) => {
                let uses = |step: &Step| queue_of(order.program, step) == Some(*queue);
                gone(order, *place, &uses, tell);
                set_before(order, *place, tell);
            }
            Step::ReleaseObject(object) => released(order, *place, *object, tell),
            _ => {}
        }
    }
    for user in 0..order.program.users.len() {
        let user = UserId(user as u16);
        let sets = |step: &Step| matches!(step, Step::Set { user: of, .. } if *of == user);
        if order.steps.iter().filter(|(_, step)| sets(step)).count() > 1 {
            tell(
                Clause::SetTwice,
                format!("user event {user} is set more than once"),
            );
        }
    }
    for (n, command) in order.program.commands.iter().enumerate() {
        if let What::Free(objects) = &command.what {
            objects
                .iter()
                .for_each(|object| freed(order, n, *object, tell));
        }
    }
}

/// The events that a step names, which have to be there.
fn events(program: &Program, step: &Step) -> Vec<Event> {
    match step {
        Step::Enqueue(id) => program.commands[id.index()].wait.clone(),
        Step::Wait(events) => events.clone(),
        Step::Set { user, .. } => vec![Event::User(*user)],
        Step::Register(id) => vec![program.callbacks[id.index()].event],
        Step::Status(event) | Step::ReleaseEvent(event) => vec![*event],
        _ => Vec::new(),
    }
}

/// The queue that a step names.
fn queue_of(program: &Program, step: &Step) -> Option<QueueId> {
    match step {
        Step::Enqueue(id) => Some(program.commands[id.index()].queue),
        Step::Flush(queue) | Step::Finish(queue) | Step::ReleaseQueue(queue) => Some(*queue),
        _ => None,
    }
}

fn known(order: &Order<'_>, event: Event, place: Place) -> bool {
    let Event::Command(id) = event else {
        return true;
    };
    let enqueued = order.enqueued(id.index());
    enqueued.is_some_and(|at| order.is_before(Moment::Return(at), Moment::Call(place)))
}

/// Whether a step may keep a callback from returning promptly.
fn blocks(program: &Program, step: &Step) -> bool {
    match step {
        Step::Finish(_) | Step::Wait(_) | Step::Await(_) | Step::Sleep(_) => true,
        Step::Enqueue(id) => program.commands[id.index()].blocking,
        _ => false,
    }
}

/// All steps that use something are over before it is released.
fn gone(
    order: &Order<'_>,
    release: Place,
    uses: &dyn Fn(&Step) -> bool,
    tell: &mut dyn FnMut(Clause, String),
) {
    for (place, step) in order.steps.iter().filter(|(place, _)| *place != release) {
        if uses(step) && !order.is_before(Moment::Return(*place), Moment::Call(release)) {
            let what = format!("{place} may use what {release} releases");
            tell(Clause::Released, what);
        }
    }
}

/// User events that enqueued commands wait for are set before something is released.
fn set_before(order: &Order<'_>, release: Place, tell: &mut dyn FnMut(Clause, String)) {
    for (n, command) in order.program.commands.iter().enumerate() {
        let enqueued = order.enqueued(n).map(Moment::Call);
        let later = |enqueued| order.is_before(Moment::Return(release), enqueued);
        if enqueued.is_some_and(later) {
            continue;
        }
        for event in &command.wait {
            let Event::User(user) = event else { continue };
            // What waited for it and is complete proves as well that it is set.
            let set = order.set(*user).map(|(place, _)| Moment::Call(place));
            let before = |set| order.is_before(set, Moment::Call(release));
            if !set.is_some_and(before) {
                let what = format!(
                    "{release} releases an object while command {n} may wait for user event {user}"
                );
                tell(Clause::ReleasedBeforeSet, what);
            }
        }
    }
}

/// An object is given up by the host.
fn released(
    order: &Order<'_>,
    place: Place,
    object: ObjectId,
    tell: &mut dyn FnMut(Clause, String),
) {
    let program = order.program;
    let uses = |step: &Step| match step {
        Step::Enqueue(id) => uses::named(program, id.index()).contains(&object),
        Step::Access(id) => program.accesses[id.index()].range.object == object,
        Step::ReleaseObject(other) => *other == object,
        _ => false,
    };
    gone(order, place, &uses, tell);
    match program.objects[object.index()].kind {
        Kind::Buffer(_) | Kind::SubBuffer { .. } => set_before(order, place, tell),
        // "clSVMFree does not wait for previously enqueued commands".
        Kind::SvmCoarse | Kind::SvmFine => {
            for n in 0..program.commands.len() {
                let complete = Moment::Complete(n);
                if uses::named(program, n).contains(&object)
                    && !order.fails(n)
                    && !order.is_before(complete, Moment::Call(place))
                {
                    let what = format!("{place} frees object {object}, which command {n} may use");
                    tell(Clause::Freed, what);
                }
            }
        }
        Kind::SvmSystem | Kind::Variable | Kind::Host => {}
    }
}

/// An allocation is given up by a command.
fn freed(order: &Order<'_>, free: usize, object: ObjectId, tell: &mut dyn FnMut(Clause, String)) {
    let program = order.program;
    if !matches!(
        program.objects[object.index()].kind,
        Kind::SvmCoarse | Kind::SvmFine
    ) {
        let what = format!("command {free} frees object {object}, which is no allocation");
        return tell(Clause::FreeWhat, what);
    }
    let mut may = |what: String| {
        tell(
            Clause::Freed,
            format!("command {free} frees object {object}, {what}"),
        )
    };
    for n in (0..program.commands.len()).filter(|n| *n != free && !order.fails(*n)) {
        if uses::named(program, n).contains(&object) && !order.is_after(free, n) {
            may(format!("which command {n} may use"));
        }
    }
    for (place, step) in &order.steps {
        let uses = match step {
            Step::Access(id) => program.accesses[id.index()].range.object == object,
            Step::ReleaseObject(other) => *other == object,
            _ => false,
        };
        if uses && !order.is_before(Moment::Return(*place), Moment::Start(free)) {
            may(format!("which {place} may use"));
        }
    }
}
