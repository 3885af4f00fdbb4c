//! Taking things out of a program, each with what hangs on it.

use crate::commands::program::*;
use crate::commands::walk::{Names, Sort};
use std::collections::BTreeSet;

/// Something that can be taken out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Unit {
    /// A host thread with its steps.
    Thread(u16),
    /// A thing that others name, with all that does: a queue with its commands, a command with the waits for it. A
    /// map and its unmap go together.
    Thing(Sort, u16),
    /// A step, with what only it does.
    Step(Place),
    /// An entry of a command's wait list, by its number.
    Entry(CommandId, u16),
    /// An event of a `Wait` step, by its number.
    Waited(Place, u16),
}

/// The units of one kind, in the order in which taking them out is tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// [`Unit::Thread`].
    Threads,
    /// [`Unit::Thing`].
    Things(Sort),
    /// [`Unit::Step`].
    Steps,
    /// [`Unit::Entry`].
    Entries,
    /// [`Unit::Waited`].
    Waited,
}

impl Class {
    /// All, big things first.
    pub const ALL: [Class; 11] = [
        Class::Threads,
        Class::Things(Sort::Queue),
        Class::Things(Sort::Command),
        Class::Things(Sort::Callback),
        Class::Things(Sort::Object),
        Class::Things(Sort::User),
        Class::Things(Sort::Signal),
        Class::Things(Sort::Access),
        Class::Steps,
        Class::Entries,
        Class::Waited,
    ];

    /// The units of this kind in a program, last ones first: what comes later needs what is earlier.
    pub fn units(self, p: &Program) -> Vec<Unit> {
        let numbers = |n: usize| (0..n as u16).rev();
        let mut units: Vec<Unit> = match self {
            Class::Threads => return numbers(p.threads.len()).map(Unit::Thread).collect(),
            Class::Things(sort) => {
                let thing = |n| Unit::Thing(sort, n);
                return numbers(p.count(sort)).map(thing).collect();
            }
            Class::Steps => p.steps().map(|(place, _)| Unit::Step(place)).collect(),
            Class::Entries => {
                let of = |(id, command): (CommandId, &Command)| {
                    (0..command.wait.len() as u16).map(move |n| Unit::Entry(id, n))
                };
                p.commands().flat_map(of).collect()
            }
            Class::Waited => {
                let of = |(place, step): (Place, &Step)| {
                    let Step::Wait(events) = step else {
                        return Vec::new();
                    };
                    let events = 0..events.len() as u16;
                    events.map(|n| Unit::Waited(place, n)).collect()
                };
                p.steps().flat_map(of).collect()
            }
        };
        units.reverse();
        units
    }
}

/// The program without these and what hangs on them; `None` where no thread is left.
pub fn without(program: &Program, units: &[Unit]) -> Option<Program> {
    let mut cut = Cut {
        gone: units.iter().copied().collect(),
        program: program.clone(),
    };
    cut.drop_entries();
    cut.close();
    cut.rebuild()
}

struct Cut {
    program: Program,
    gone: BTreeSet<Unit>,
}

impl Cut {
    fn has(&self, unit: Unit) -> bool {
        self.gone.contains(&unit)
    }

    /// Whether all that something names is there, but for entries of its lists.
    fn keeps(&self, named: &(impl Names + Clone)) -> bool {
        let there = &mut |sort, n: &mut u16| !self.has(Unit::Thing(sort, *n));
        named.clone().visit(there)
    }

    /// Takes single entries out of their lists.
    fn drop_entries(&mut self) {
        for (id, command) in (0..).map(CommandId::at).zip(&mut self.program.commands) {
            keep(&mut command.wait, |n, _| {
                !self.gone.contains(&Unit::Entry(id, n))
            });
        }
        let places: Vec<Place> = self.program.steps().map(|(place, _)| place).collect();
        let lists = self.program.lists_mut().flatten();
        for (place, step) in places.into_iter().zip(lists) {
            if let Step::Wait(events) = step {
                keep(events, |n, _| !self.gone.contains(&Unit::Waited(place, n)));
            }
        }
    }

    /// Takes out what hangs on what is taken out, until nothing does.
    fn close(&mut self) {
        loop {
            let p = &self.program;
            let mut more = Vec::new();
            for (place, step) in p.steps() {
                let who = match place.who {
                    Who::Thread(n) => Unit::Thread(n),
                    Who::Callback(id) => Unit::Thing(Sort::Callback, id.0),
                };
                // What only this step does goes with it, and it with that.
                let gone = self.has(Unit::Step(place)) || self.has(who);
                if let (true, Some((sort, n))) = (gone, step.does()) {
                    more.push(Unit::Thing(sort, n as u16));
                }
                if gone || !self.keeps(step) {
                    more.push(Unit::Step(place));
                }
            }
            self.lost(Sort::Command, &p.commands, &mut more);
            self.lost(Sort::Callback, &p.callbacks, &mut more);
            self.lost(Sort::Access, &p.accesses, &mut more);
            self.lost(Sort::Object, &p.objects, &mut more);
            for (n, command) in (0..).zip(&p.commands) {
                if let What::Unmap(map) = command.what
                    && self.has(Unit::Thing(Sort::Command, n))
                {
                    more.push(Unit::Thing(Sort::Command, map.0));
                }
            }
            let before = self.gone.len();
            self.gone.extend(more);
            if self.gone.len() == before {
                return;
            }
        }
    }

    /// The things of a list that name what is gone.
    fn lost(&self, sort: Sort, list: &[impl Names + Clone], more: &mut Vec<Unit>) {
        let lost = (0..).zip(list).filter(|(_, one)| !self.keeps(*one));
        more.extend(lost.map(|(n, _)| Unit::Thing(sort, n)));
    }

    /// The program of what is left, with new numbers.
    fn rebuild(self) -> Option<Program> {
        let new = |sort, n: u16| {
            let earlier = (0..n).filter(|n| !self.has(Unit::Thing(sort, *n)));
            (!self.has(Unit::Thing(sort, n))).then(|| earlier.count() as u16)
        };
        let there = &mut |sort, n: &mut u16| match new(sort, *n) {
            Some(new) => {
                *n = new;
                true
            }
            None => false,
        };
        let is = |sort, n| !self.has(Unit::Thing(sort, n));
        let mut p = self.program.clone();
        let places: Vec<Place> = p.steps().map(|(place, _)| place).collect();
        let mut places = places.into_iter();
        for steps in p.lists_mut() {
            steps.retain_mut(|step| {
                let place = places.next();
                let gone = place.is_none_or(|place| self.has(Unit::Step(place)));
                !gone && step.visit(there)
            });
        }
        let mut kept = |sort, n, one: &mut dyn Names| is(sort, n) && one.visit(there);
        keep(&mut p.threads, |n, _| !self.has(Unit::Thread(n)));
        keep(&mut p.queues, |n, _| is(Sort::Queue, n));
        keep(&mut p.users, |n, _| is(Sort::User, n));
        keep(&mut p.objects, |n, o| kept(Sort::Object, n, o));
        keep(&mut p.commands, |n, c| kept(Sort::Command, n, c));
        keep(&mut p.callbacks, |n, c| kept(Sort::Callback, n, c));
        keep(&mut p.accesses, |n, a| kept(Sort::Access, n, a));
        p.signals = (0..p.signals).filter(|n| is(Sort::Signal, *n)).count() as u16;
        (!p.threads.is_empty()).then_some(p)
    }
}

/// Keeps those of a list of which a function of their numbers says so.
fn keep<T>(list: &mut Vec<T>, mut kept: impl FnMut(u16, &mut T) -> bool) {
    let mut numbers = 0..;
    list.retain_mut(|one| numbers.next().is_some_and(|n| kept(n, one)));
}
