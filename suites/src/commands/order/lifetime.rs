//! That what a program names is used while it is there.

use super::invalid::Invalid;
use super::{Fate, Moment, Order};
use crate::commands::program::{
    CommandId, Event, Kind, Object, ObjectId, Place, Program, QueueId, Step, What,
};

/// Checks that things are used while they are there.
pub(super) fn check(program: &Program, order: &Order) -> Result<(), Invalid> {
    let mut uses: Vec<(Place, Thing)> = Vec::new();
    let mut releases: Vec<(Place, Thing)> = Vec::new();
    for (place, step) in program.steps() {
        let mut uses_of = |thing| uses.push((place, thing));
        match step {
            Step::Enqueue(id) => {
                let command = &program.commands[id.index()];
                uses_of(Thing::Queue(command.queue));
                command.wait.iter().for_each(|e| uses_of(Thing::Event(*e)));
                let objects = program.objects_of(&command.what);
                objects.for_each(|o| uses_of(Thing::Object(o)));
            }
            Step::Flush(queue) | Step::Finish(queue) => uses_of(Thing::Queue(*queue)),
            Step::Wait(events) => events.iter().for_each(|e| uses_of(Thing::Event(*e))),
            Step::Set { user, .. } => uses_of(Thing::Event(Event::User(*user))),
            Step::Register(id) => uses_of(Thing::Event(program.callbacks[id.index()].event)),
            Step::Status(event) => uses_of(Thing::Event(*event)),
            Step::Access(id) => {
                let access = &program.accesses[id.index()];
                uses_of(Thing::Object(access.range.object));
                if let Some(map) = access.map {
                    through_map(program, order, place, map)?;
                }
            }
            Step::Inspect(id) => {
                let there = order.surely(Moment::End(*id), Moment::Call(place));
                must(there, place, BEFORE, || format!("what command {id} brings"))?;
            }
            Step::ReleaseEvent(event) => releases.push((place, Thing::Event(*event))),
            Step::ReleaseQueue(queue) => releases.push((place, Thing::Queue(*queue))),
            Step::ReleaseObject(object) => releases.push((place, Thing::Object(*object))),
            Step::Signal(_) | Step::Await(_) | Step::Sleep(_) | Step::Yield(_) => {}
        }
    }
    for (place, thing) in uses.iter().chain(&releases) {
        if let Thing::Event(Event::Command(c)) = thing {
            let there = order.surely(Moment::Return(order.enqueued(*c)), Moment::Call(*place));
            must(there, *place, BEFORE, || thing.to_string())?;
        }
    }
    for (n, (release, thing)) in releases.iter().enumerate() {
        for (m, (other, released)) in releases.iter().enumerate() {
            let twice = n != m && thing == released;
            must(!twice, *other, AFTER, || thing.to_string())?;
        }
        for (place, used) in &uses {
            let before =
                used != thing || order.surely(Moment::Return(*place), Moment::Call(*release));
            must(before, *place, AFTER, || thing.to_string())?;
        }
        if let Thing::Object(object) = thing {
            let child = |o: &Object| matches!(o.kind, Kind::SubBuffer { of, .. } if of == *object);
            let children = program.objects.iter().any(child);
            let pending = program.commands().any(|(id, command)| {
                program.objects[object.index()].kind.is_svm()
                    && program.objects_of(&command.what).any(|o| o == *object)
                    && !order.surely(Moment::End(id), Moment::Call(*release))
            });
            let when = "in a release while it is needed";
            must(!children && !pending, *release, when, || thing.to_string())?;
        }
    }
    user_events_are_set(program, order, &releases)?;
    known_to_end(program, order, &releases)?;
    frees_last(program, order)?;
    maps_end(program, order)
}

/// Nothing but events is released while an enqueued command may wait for a user event that is not set: "the user
/// must ensure that the status of these user events being waited on are set using clSetUserEventStatus before any
/// OpenCL APIs that release OpenCL objects except for event objects are called" (clSetUserEventStatus).
fn user_events_are_set(
    program: &Program,
    order: &Order,
    releases: &[(Place, Thing)],
) -> Result<(), Invalid> {
    let when = "in a release while a user event that commands wait for may not be set";
    let set = |user| {
        let sets = |step: &Step| matches!(step, Step::Set { user: of, .. } if *of == user);
        let place = program.steps().find(|(_, step)| sets(step));
        place.map(|(place, _)| Moment::Call(place))
    };
    for (release, thing) in releases {
        let counts = match thing {
            Thing::Event(_) => false,
            Thing::Queue(_) => true,
            Thing::Object(object) => !program.objects[object.index()].kind.is_svm(),
        };
        let called = Moment::Call(*release);
        for (id, command) in program.commands().filter(|_| counts) {
            let enqueued = Moment::Call(order.enqueued(id));
            if order.surely(Moment::Return(*release), enqueued) {
                continue;
            }
            let mut users = command.wait.iter().filter_map(|event| match event {
                Event::User(user) => Some(*user),
                Event::Command(_) => None,
            });
            let open = users.all(|user| set(user).is_some_and(|set| order.surely(set, called)));
            must(open, *release, when, || thing.to_string())?;
        }
    }
    Ok(())
}

const BEFORE: &str = "before it is there";
const AFTER: &str = "after its release";

/// Says where something is used when it may not be there.
fn must(
    there: bool,
    place: Place,
    when: &'static str,
    what: impl FnOnce() -> String,
) -> Result<(), Invalid> {
    if there {
        return Ok(());
    }
    Err(Invalid::Lifetime {
        place,
        what: what(),
        when,
    })
}

/// What is freed is used by nothing that may come after.
fn frees_last(program: &Program, order: &Order) -> Result<(), Invalid> {
    let when = "although it may be freed before";
    for (free, command) in program.commands() {
        let What::Free(objects) = &command.what else {
            continue;
        };
        for object in objects {
            let what = || format!("object {object}");
            for (id, other) in program.commands() {
                let uses = program.objects_of(&other.what).any(|o| o == *object);
                let apart =
                    id == free || !uses || order.surely(Moment::End(id), Moment::Start(free));
                must(apart, order.enqueued(id), when, what)?;
            }
            for (place, step) in program.steps() {
                let uses = match step {
                    Step::Access(id) => program.accesses[id.index()].range.object == *object,
                    Step::ReleaseObject(id) => id == object,
                    _ => false,
                };
                let apart = !uses || order.surely(Moment::Return(place), Moment::Start(free));
                must(apart, place, when, what)?;
            }
        }
    }
    Ok(())
}

/// A command's queue or its event lasts until the end, or its completion is waited for: otherwise
/// nobody knows when it is done with its memory.
fn known_to_end(
    program: &Program,
    order: &Order,
    releases: &[(Place, Thing)],
) -> Result<(), Invalid> {
    let when = "in a release although its queue goes, too, and nothing waits for it";
    let released = |thing: Thing| releases.iter().find(|(_, t)| *t == thing);
    for (id, command) in program.commands() {
        let event = released(Thing::Event(Event::Command(id)));
        let queue = released(Thing::Queue(command.queue));
        if let (Some((event, _)), Some(_)) = (event, queue) {
            let waited = order.moments().any(|moment| {
                matches!(moment, Moment::Return(_)) && order.surely(Moment::End(id), moment)
            });
            must(waited, *event, when, || {
                format!("the event of command {id}")
            })?;
        }
    }
    Ok(())
}

/// A host access goes through a map after it is complete and before its unmap is enqueued.
fn through_map(
    program: &Program,
    order: &Order,
    place: Place,
    map: CommandId,
) -> Result<(), Invalid> {
    let what = || format!("the pointer of command {map}");
    let there = order.fate(map) != Fate::Fails
        && order.surely(Moment::End(map), Moment::Call(place))
        && order.surely(Moment::Return(order.enqueued(map)), Moment::Call(place));
    must(there, place, BEFORE, what)?;
    for unmap in program.unmaps(map) {
        let unmap = Moment::Call(order.enqueued(unmap));
        let before = order.surely(Moment::Return(place), unmap);
        must(before, place, "after its unmap", what)?;
    }
    Ok(())
}

/// Every map has one unmap, which is enqueued when the pointer is known; one that fails has none.
fn maps_end(program: &Program, order: &Order) -> Result<(), Invalid> {
    for (map, command) in program.commands() {
        let What::Map { .. } = command.what else {
            continue;
        };
        let unmaps: Vec<CommandId> = program.unmaps(map).collect();
        if order.fate(map) == Fate::Fails && unmaps.is_empty() {
            continue;
        }
        let [unmap] = unmaps.as_slice() else {
            return Err(Invalid::NotOnce {
                what: format!("the map of command {map}"),
                done: "ended",
                times: unmaps.len(),
            });
        };
        let place = order.enqueued(*unmap);
        let known = order.fate(map) != Fate::Fails
            && order.surely(Moment::Return(order.enqueued(map)), Moment::Call(place))
            && order.surely(Moment::End(map), Moment::Start(*unmap));
        must(known, place, BEFORE, || {
            format!("the pointer of command {map}")
        })?;
    }
    Ok(())
}

/// Something that can be released.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Thing {
    Event(Event),
    Queue(QueueId),
    Object(ObjectId),
}

impl std::fmt::Display for Thing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Thing::Event(Event::Command(id)) => write!(f, "the event of command {id}"),
            Thing::Event(Event::User(id)) => write!(f, "user event {id}"),
            Thing::Queue(id) => write!(f, "queue {id}"),
            Thing::Object(id) => write!(f, "object {id}"),
        }
    }
}
