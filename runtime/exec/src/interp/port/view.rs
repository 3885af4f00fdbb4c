//! What a work-item of the [weak](super::weak) memory must know.
//!
//! A [`View`] says how far each work-item has come, as far as its owner has to know: a value is known
//! if one of those who wrote or read it had done so by then. So a view is as large as there are
//! work-items that its owner heard of, however many places they use.
//!
//! Sequentially consistent operations make all work-items hear of all others. What they have in common
//! is kept once, in [`Agreed`], which only grows: a view that has joined it holds no more than how
//! much of it there was.

use std::collections::HashMap;
use touchstone_ir::Regions;

/// A time of the machine.
pub(super) type Time = u64;

/// Entries of what is agreed, after which they are given up for a time that makes all of them known.
const AGREED: usize = 1 << 20;

/// The two memories with a happens-before relation each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Region {
    Global,
    Local,
}

impl Region {
    pub(super) fn flag(self) -> Regions {
        match self {
            Region::Global => Regions::GLOBAL,
            Region::Local => Regions::LOCAL,
        }
    }
}

pub(super) const BOTH: [Region; 2] = [Region::Global, Region::Local];

/// Accesses of a work-item, counted.
pub(super) type Count = (u64, u64);

/// Those who wrote or read a value, in the order of the work-items, each with the number of its first
/// access to it; without those that knew it before as older than all that they can see.
#[derive(Clone, Debug, Default)]
pub(super) struct Knowers(Vec<Count>);

/// What must be known of one region.
#[derive(Clone, Debug, Default)]
struct Part {
    /// Everything up to here.
    floor: Time,
    /// How many accesses of a work-item, in the order of the work-items.
    done: Vec<Count>,
    /// What was agreed up to here, the first being 1.
    agreed: u64,
}

impl Part {
    fn join(&mut self, other: &Part) {
        self.floor = self.floor.max(other.floor);
        self.agreed = self.agreed.max(other.agreed);
        match other.done.as_slice() {
            [] => {}
            [(thread, count)] => self.know(*thread, *count),
            more => {
                let mine = std::mem::take(&mut self.done);
                self.done.reserve(mine.len().max(more.len()));
                let mut mine = mine.into_iter().peekable();
                for &(thread, count) in more {
                    while let Some(before) = mine.next_if(|(known, _)| *known < thread) {
                        self.done.push(before);
                    }
                    let known = mine.next_if(|(known, _)| *known == thread);
                    let known = known.map_or(0, |(_, count)| count);
                    self.done.push((thread, count.max(known)));
                }
                self.done.extend(mine);
            }
        }
    }

    /// So many accesses of a work-item have to be known.
    fn know(&mut self, thread: u64, count: u64) {
        match self.done.binary_search_by_key(&thread, |(known, _)| *known) {
            Ok(at) => self.done[at].1 = self.done[at].1.max(count),
            Err(at) => self.done.insert(at, (thread, count)),
        }
    }

    /// Whether one of those who knew a value was so far by what is known without agreement.
    fn met(&self, knowers: &[Count]) -> bool {
        if self.done.len() < knowers.len() {
            let met = |&(thread, done): &Count| count(knowers, thread).is_some_and(|at| at <= done);
            self.done.iter().any(met)
        } else {
            let met =
                |&(thread, at): &Count| count(&self.done, thread).is_some_and(|done| done >= at);
            knowers.iter().any(met)
        }
    }
}

/// The number that a list in the order of work-items has for one.
fn count(list: &[Count], thread: u64) -> Option<u64> {
    let at = list.binary_search_by_key(&thread, |(known, _)| *known);
    at.ok().map(|at| list[at].1)
}

/// What must be known.
#[derive(Clone, Debug, Default)]
pub(super) struct View([Part; 2]);

impl View {
    /// Of a work-item that has done nothing yet: everything up to these times.
    pub(super) fn from(floors: [Time; 2]) -> View {
        let mut view = View::default();
        for (part, floor) in view.0.iter_mut().zip(floors) {
            part.floor = floor;
        }
        view
    }

    pub(super) fn join(&mut self, other: &View, regions: Regions) {
        for region in BOTH {
            if regions.contains(region.flag()) {
                self.0[region as usize].join(&other.0[region as usize]);
            }
        }
    }

    pub(super) fn only(&self, regions: Regions) -> View {
        let mut view = View::default();
        view.join(self, regions);
        view
    }

    /// Takes all that is agreed.
    pub(super) fn join_agreed(&mut self, agreed: &Agreed, regions: Regions) {
        for region in BOTH {
            if regions.contains(region.flag()) {
                let (part, of) = (&mut self.0[region as usize], &agreed.parts[region as usize]);
                part.floor = part.floor.max(of.floor);
                part.agreed = part.agreed.max(of.version);
            }
        }
    }

    /// Whether a value of this time that these wrote or read has to be known, and with it that all
    /// before it are older.
    pub(super) fn knows(
        &self,
        agreed: &Agreed,
        region: Region,
        time: Time,
        knowers: &Knowers,
    ) -> bool {
        let part = &self.0[region as usize];
        let of = &agreed.parts[region as usize];
        time <= part.floor
            || part.met(&knowers.0)
            || part.agreed > 0 && of.knew(part.agreed, time, &knowers.0)
    }

    /// The owner, who has made so many accesses, makes one to a value of this time, which others wrote
    /// or read before. One that is known as old, or was accessed before, tells nothing new.
    pub(super) fn note(
        &mut self,
        owner: u64,
        accesses: &mut u64,
        region: Region,
        time: Time,
        knowers: &mut Knowers,
    ) {
        let part = &mut self.0[region as usize];
        if time <= part.floor {
            return;
        }
        let place = knowers.0.binary_search_by_key(&owner, |(known, _)| *known);
        if let Err(at) = place {
            *accesses += 1;
            part.know(owner, *accesses);
            knowers.0.insert(at, (owner, *accesses));
        }
    }
}

/// What is agreed on of one region.
#[derive(Debug, Default)]
struct AgreedPart {
    /// Everything up to here is known.
    floor: Time,
    /// How often something was added.
    version: u64,
    /// By work-item: from which version on how many of its accesses are known, both growing.
    done: HashMap<u64, Vec<(u64, u64)>>,
    entries: usize,
    /// Up to this version, what was agreed was given up for everything up to this time.
    given_up: (u64, Time),
}

impl AgreedPart {
    /// Whether a value was known at this version.
    fn knew(&self, version: u64, time: Time, knowers: &[Count]) -> bool {
        let (base, floor) = self.given_up;
        if version <= base {
            return time <= floor;
        }
        let known = |thread| {
            let steps: &Vec<(u64, u64)> = self.done.get(&thread)?;
            let later = steps.partition_point(|(from, _)| *from <= version);
            later.checked_sub(1).map(|at| steps[at].1)
        };
        let met = |&(thread, at): &Count| known(thread).is_some_and(|done| done >= at);
        knowers.iter().any(met)
    }

    fn join(&mut self, part: &Part, now: Time) {
        self.floor = self.floor.max(part.floor);
        self.version += 1;
        for &(thread, count) in &part.done {
            let steps = self.done.entry(thread).or_default();
            if steps.last().is_none_or(|(_, known)| *known < count) {
                steps.push((self.version, count));
                self.entries += 1;
            }
        }
        if self.entries > AGREED {
            self.done.clear();
            self.entries = 0;
            self.given_up = (self.version, now);
            self.floor = now;
        }
    }
}

/// The view that sequentially consistent operations join.
#[derive(Debug, Default)]
pub(super) struct Agreed {
    parts: [AgreedPart; 2],
}

impl Agreed {
    /// Adds all that a work-item knows at this moment, which no value is later than.
    pub(super) fn join(&mut self, view: &View, regions: Regions, now: Time) {
        for region in BOTH {
            if regions.contains(region.flag()) {
                self.parts[region as usize].join(&view.0[region as usize], now);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: Regions = Regions::GLOBAL;

    /// A work-item, and how many accesses it made.
    struct Item(u64, View, u64);

    impl Item {
        fn note(&mut self, time: Time, knowers: &mut Knowers) {
            let Item(id, view, accesses) = self;
            view.note(*id, accesses, Region::Global, time, knowers);
        }

        fn knows(&self, agreed: &Agreed, time: Time, knowers: &Knowers) -> bool {
            self.1.knows(agreed, Region::Global, time, knowers)
        }

        fn agree(&mut self, agreed: &mut Agreed, now: Time) {
            self.1.join_agreed(agreed, ALL);
            agreed.join(&self.1, ALL, now);
        }
    }

    fn items() -> [Item; 2] {
        [1, 2].map(|id| Item(id, View::default(), 0))
    }

    #[test]
    fn a_work_item_knows_what_it_noted_and_what_it_joined() {
        let agreed = Agreed::default();
        let [mut first, mut second] = items();
        let mut values = [Knowers::default(), Knowers::default()];
        first.note(1, &mut values[0]);
        let then = first.1.clone();
        first.note(2, &mut values[1]);
        assert!(first.knows(&agreed, 1, &values[0]) && first.knows(&agreed, 2, &values[1]));
        assert!(!second.knows(&agreed, 1, &values[0]));
        second.1.join(&then, ALL);
        assert!(second.knows(&agreed, 1, &values[0]));
        assert!(!second.knows(&agreed, 2, &values[1]));
    }

    #[test]
    fn what_was_agreed_later_is_not_known() {
        let mut agreed = Agreed::default();
        let [mut first, mut second] = items();
        let mut values = [Knowers::default(), Knowers::default()];
        first.note(1, &mut values[0]);
        first.agree(&mut agreed, 1);
        second.agree(&mut agreed, 1);
        first.note(2, &mut values[1]);
        first.agree(&mut agreed, 2);
        assert!(second.knows(&agreed, 1, &values[0]));
        assert!(!second.knows(&agreed, 2, &values[1]));
        second.agree(&mut agreed, 2);
        assert!(second.knows(&agreed, 2, &values[1]));
    }

    #[test]
    fn what_is_given_up_is_known() {
        let mut agreed = Agreed::default();
        let [mut first, mut second] = items();
        let mut value = Knowers::default();
        first.note(1, &mut value);
        first.agree(&mut agreed, 1);
        second.agree(&mut agreed, 1);
        // Many values, agreed one by one.
        let more = AGREED as u64 + 2;
        for time in 2..=more {
            first.note(time, &mut Knowers::default());
            first.agree(&mut agreed, time);
        }
        assert!(second.knows(&agreed, 1, &value));
        let mut new = Knowers::default();
        first.note(more + 1, &mut new);
        assert!(!second.knows(&agreed, more + 1, &new));
    }
}
