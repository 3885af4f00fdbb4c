//! Where the things of a program are done, each by one step.

use super::in_callback;
use super::invalid::{Invalid, wrong};
use crate::commands::program::{Place, Program, Step};
use crate::commands::walk::Sort;
use std::collections::{BTreeMap, BTreeSet};

/// Where.
pub(super) struct Places {
    pub enqueued: Vec<Place>,
    pub registered: Vec<Place>,
    pub signalled: Vec<Place>,
    pub set: Vec<Option<(Place, i32)>>,
}

/// Where things are done, each once, in a program that names only what is there.
pub(super) fn of(program: &Program) -> Result<Places, Invalid> {
    let mut done: BTreeMap<(Sort, usize), Vec<Place>> = BTreeMap::new();
    let mut statuses = BTreeMap::new();
    for (place, step) in program.steps() {
        if let Some(thing) = step.does() {
            done.entry(thing).or_default().push(place);
        }
        if let Step::Wait(events) = step {
            let contexts = events.iter().map(|event| program.context_of(*event));
            if contexts.collect::<BTreeSet<_>>().len() != 1 {
                return wrong(format!("{place} waits for events of one context"));
            }
        } else if let Step::Set { status, .. } = step {
            if *status > 0 {
                return wrong(format!(
                    "{place} sets a status of {status}: it is 0 or negative"
                ));
            }
            statuses.insert(place, *status);
        } else if let Step::Inspect(id) = step
            && !program.commands[id.index()].what.is_own_read()
        {
            return wrong(format!(
                "{place} inspects command {id}, which reads to no memory of its own"
            ));
        }
        let blocks = matches!(step, Step::Wait(_) | Step::Await(_) | Step::Finish(_))
            || matches!(step, Step::Enqueue(id) if program.commands[id.index()].blocking);
        if blocks && in_callback(place) {
            return wrong(format!("{place} blocks, which a callback may not"));
        }
    }
    let all = |sort: Sort, done_by: &'static str| {
        let places = (0..program.count(sort)).map(|n| {
            let places = done.get(&(sort, n)).map_or(&[][..], Vec::as_slice);
            match (places, sort) {
                ([place], _) => Ok(Some(*place)),
                ([], Sort::User) => Ok(None),
                (many, _) => Err(Invalid::NotOnce {
                    what: format!("{} {n}", sort.name()),
                    done: done_by,
                    times: many.len(),
                }),
            }
        });
        places.collect::<Result<Vec<Option<Place>>, Invalid>>()
    };
    let once = |sort, done| Ok(all(sort, done)?.into_iter().flatten().collect());
    let _: Vec<Place> = once(Sort::Access, "made")?;
    let set = all(Sort::User, "set")?.into_iter();
    let status = |place: Place| statuses.get(&place).map(|status| (place, *status));
    Ok(Places {
        enqueued: once(Sort::Command, "enqueued")?,
        registered: once(Sort::Callback, "registered")?,
        signalled: once(Sort::Signal, "given")?,
        set: set.map(|place| place.and_then(status)).collect(),
    })
}
