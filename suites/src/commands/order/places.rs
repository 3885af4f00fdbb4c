//! Where the things of a program are done, each by one step.

use super::in_callback;
use super::invalid::{Invalid, wrong};
use super::shape::Shape;
use crate::commands::program::{Place, Step, What};
use std::collections::BTreeSet;

/// Where.
pub(super) struct Places {
    pub enqueued: Vec<Place>,
    pub registered: Vec<Place>,
    pub signalled: Vec<Place>,
    pub set: Vec<Option<(Place, i32)>>,
}

impl Shape<'_> {
    /// Where things are done, each once.
    pub(super) fn places(&self) -> Result<Places, Invalid> {
        let p = self.program;
        let mut enqueued = vec![Vec::new(); p.commands.len()];
        let mut registered = vec![Vec::new(); p.callbacks.len()];
        let mut accessed = vec![Vec::new(); p.accesses.len()];
        let mut signalled = vec![Vec::new(); usize::from(p.signals)];
        let mut set: Vec<Vec<(Place, i32)>> = vec![Vec::new(); p.users.len()];
        for (place, step) in p.steps() {
            let blocks = match step {
                Step::Enqueue(id) => {
                    self.is_command(*id)?;
                    enqueued[id.index()].push(place);
                    p.commands[id.index()].blocking
                }
                Step::Register(id) => match registered.get_mut(id.index()) {
                    Some(places) => {
                        places.push(place);
                        false
                    }
                    None => return wrong(format!("there is no callback {}", id.0)),
                },
                Step::Access(id) => match accessed.get_mut(id.index()) {
                    Some(places) => {
                        places.push(place);
                        false
                    }
                    None => return wrong(format!("there is no access {}", id.0)),
                },
                Step::Set { user, status } => {
                    if *status > 0 {
                        return wrong(format!(
                            "{place} sets a status of {status}: it is 0 or negative"
                        ));
                    }
                    match set.get_mut(user.index()) {
                        Some(places) => {
                            places.push((place, *status));
                            false
                        }
                        None => return wrong(format!("there is no user event {}", user.0)),
                    }
                }
                Step::Signal(id) => match signalled.get_mut(id.index()) {
                    Some(places) => {
                        places.push(place);
                        false
                    }
                    None => return wrong(format!("there is no signal {}", id.0)),
                },
                Step::Await(id) => {
                    if id.0 >= p.signals {
                        return wrong(format!("there is no signal {}", id.0));
                    }
                    true
                }
                Step::Wait(events) => {
                    let mut contexts = BTreeSet::new();
                    for event in events {
                        contexts.insert(self.event(*event)?);
                    }
                    if contexts.len() != 1 {
                        return wrong(format!("{place} waits for events of one context"));
                    }
                    true
                }
                Step::Status(event) | Step::ReleaseEvent(event) => {
                    self.event(*event)?;
                    false
                }
                Step::Inspect(id) => {
                    self.is_command(*id)?;
                    if !matches!(p.commands[id.index()].what, What::Read(_)) {
                        return wrong(format!(
                            "{place} inspects command {}, which is no read",
                            id.0
                        ));
                    }
                    false
                }
                Step::Flush(queue) | Step::ReleaseQueue(queue) => {
                    self.queue(*queue)?;
                    false
                }
                Step::Finish(queue) => {
                    self.queue(*queue)?;
                    true
                }
                Step::ReleaseObject(object) => {
                    self.object(*object)?;
                    false
                }
                Step::Sleep(_) | Step::Yield(_) => false,
            };
            if blocks && in_callback(place) {
                return wrong(format!("{place} blocks, which a callback may not"));
            }
        }
        once(accessed, "access", "made")?;
        Ok(Places {
            enqueued: once(enqueued, "command", "enqueued")?,
            registered: once(registered, "callback", "registered")?,
            signalled: once(signalled, "signal", "given")?,
            set: at_most_once(set)?,
        })
    }
}

fn once(places: Vec<Vec<Place>>, what: &str, done: &'static str) -> Result<Vec<Place>, Invalid> {
    let one = |(n, places): (usize, Vec<Place>)| match places.as_slice() {
        [place] => Ok(*place),
        many => Err(Invalid::NotOnce {
            what: format!("{what} {n}"),
            done,
            times: many.len(),
        }),
    };
    places.into_iter().enumerate().map(one).collect()
}

fn at_most_once(set: Vec<Vec<(Place, i32)>>) -> Result<Vec<Option<(Place, i32)>>, Invalid> {
    let one = |(n, places): (usize, Vec<(Place, i32)>)| match places.as_slice() {
        [] => Ok(None),
        [place] => Ok(Some(*place)),
        many => Err(Invalid::NotOnce {
            what: format!("user event {n}"),
            done: "set",
            times: many.len(),
        }),
    };
    set.into_iter().enumerate().map(one).collect()
}
