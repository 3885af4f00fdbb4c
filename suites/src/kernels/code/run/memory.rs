//! Memory of a launch: cells, pointers, and who used what when.

use super::super::Atomic;
use super::super::number::Value;

/// What memory holds at one place: a number, a lane of none, or a pointer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Cell {
    /// Nothing yet.
    Unset,
    Number(Value),
    Pointer(Pointer),
}

/// Which memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Memory {
    /// The work-item's own.
    Private,
    /// The work-group's.
    Local,
    /// That of buffers.
    Global,
    /// That of tables.
    Constant,
}

/// A place in an object, or right behind it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pointer {
    pub memory: Memory,
    /// The object's first cell.
    pub from: usize,
    /// Its cells.
    pub cells: usize,
    /// The cell that the pointer leads to.
    pub at: usize,
}

impl Pointer {
    /// The first of so many cells.
    pub fn first(memory: Memory, from: usize, cells: usize) -> Pointer {
        Pointer {
            memory,
            from,
            cells,
            at: from,
        }
    }

    /// So many cells further, where that is in the object or right behind it; beyond, "the behavior is undefined" (C99
    /// 6.5.6).
    pub fn moved(self, by: i128) -> Option<Pointer> {
        let at = usize::try_from(self.at as i128 + by).ok()?;
        let inside = (self.from..=self.from + self.cells).contains(&at);
        inside.then_some(Pointer { at, ..self })
    }

    /// The part of so many cells that begins so many cells further, as an object of its own.
    pub fn part(self, by: usize, cells: usize) -> Option<Pointer> {
        let from = self.at + by;
        let inside = from >= self.from && from + cells <= self.from + self.cells;
        inside.then_some(Pointer::first(self.memory, from, cells))
    }
}

/// Who used a cell of shared memory, and between which barriers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Use {
    pub group: u32,
    /// Barriers of the cell's region that the group had passed.
    pub phase: u32,
    pub item: u32,
}

/// In the place of a number: several.
const SEVERAL: u32 = u32::MAX;

impl Use {
    /// Whether a use by another is neither before nor after it.
    fn meets(self, other: Use) -> bool {
        self.group != other.group || (self.phase == other.phase && self.item != other.item)
    }

    /// Both.
    fn and(self, other: Use) -> Use {
        Use {
            group: if self.group == other.group {
                self.group
            } else {
                SEVERAL
            },
            phase: other.phase,
            item: if self.phase == other.phase && self.item != other.item {
                SEVERAL
            } else {
                other.item
            },
        }
    }
}

/// A cell that several work-items can use.
#[derive(Debug, Clone, Copy, Default)]
pub struct Shared {
    /// The number, where there is one.
    pub value: Option<Value>,
    wrote: Option<Use>,
    read: Option<Use>,
    /// Who changed it atomically, and by which family of functions.
    changed: Option<(Use, Atomic)>,
}

impl Shared {
    /// A cell of a buffer before a launch.
    pub fn of(value: Value) -> Shared {
        Shared {
            value: Some(value),
            ..Shared::default()
        }
    }

    /// What it holds, for this reader; `None` where another's write may come between.
    pub fn read(&mut self, by: Use) -> Option<Option<Value>> {
        if self.wrote.is_some_and(|wrote| wrote.meets(by)) || self.changes(by, None) {
            return None;
        }
        self.read = Some(self.read.map_or(by, |read| read.and(by)));
        Some(self.value)
    }

    /// Gives it a number; `None` where another may use it at the same time.
    pub fn write(&mut self, value: Value, by: Use) -> Option<()> {
        if self.wrote.is_some_and(|wrote| wrote.meets(by))
            || self.read.is_some_and(|read| read.meets(by))
            || self.changes(by, None)
        {
            return None;
        }
        self.wrote = Some(by);
        self.value = Some(value);
        Some(())
    }

    /// Whether someone changes it at the same time by a function of another family than this one.
    fn changes(&self, by: Use, family: Option<Atomic>) -> bool {
        let changed = self.changed.filter(|(_, other)| Some(*other) != family);
        changed.is_some_and(|(changed, _)| changed.meets(by))
    }

    /// What it holds before an atomic function gives it another number, which `to` is made of; `None` where another uses
    /// it in another way at the same time: only of one family the order does not matter.
    pub fn change(
        &mut self,
        by: Use,
        family: Atomic,
        to: impl FnOnce(Value) -> Value,
    ) -> Option<Option<()>> {
        if self.wrote.is_some_and(|wrote| wrote.meets(by))
            || self.read.is_some_and(|read| read.meets(by))
            || self.changes(by, Some(family))
        {
            return None;
        }
        let before = self.changed.filter(|(_, other)| *other == family);
        self.changed = Some((before.map_or(by, |(changed, _)| changed.and(by)), family));
        self.value = self.value.map(to);
        Some(self.value.map(|_| ()))
    }

    /// What the next launch finds.
    pub fn between_launches(&mut self) {
        (self.wrote, self.read, self.changed) = (None, None, None);
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::number::LANES;
    use super::*;

    fn by(group: u32, phase: u32, item: u32) -> Use {
        Use { group, phase, item }
    }

    #[test]
    fn uses_of_one_phase_race_where_one_writes() {
        let mut cell = Shared::of([1; LANES]);
        assert!(cell.read(by(0, 0, 1)).is_some());
        assert!(cell.read(by(0, 0, 2)).is_some());
        assert!(
            cell.write([2; LANES], by(0, 0, 1)).is_none(),
            "another reads it"
        );
        assert!(
            cell.write([2; LANES], by(0, 1, 1)).is_some(),
            "after a barrier"
        );
        assert!(cell.write([3; LANES], by(0, 1, 1)).is_some(), "its own");
        assert!(cell.read(by(0, 1, 2)).is_none(), "another wrote it");
        assert_eq!(cell.read(by(0, 2, 2)), Some(Some([3; LANES])));
        assert!(cell.read(by(1, 5, 2)).is_none(), "no barrier orders groups");
        cell.between_launches();
        assert!(cell.read(by(1, 0, 2)).is_some());
    }

    #[test]
    fn atomic_functions_of_one_family_meet_and_nothing_else() {
        let mut cell = Shared::of([1; LANES]);
        let twice = |value: Value| value.map(|n| 2 * n);
        assert!(cell.change(by(0, 0, 1), Atomic::Add, twice).is_some());
        assert!(cell.change(by(0, 0, 2), Atomic::Add, twice).is_some());
        assert!(cell.change(by(0, 0, 3), Atomic::Or, twice).is_none());
        assert!(cell.read(by(0, 0, 2)).is_none(), "another changes it");
        assert!(cell.write([0; LANES], by(0, 0, 2)).is_none());
        assert_eq!(cell.read(by(0, 1, 2)), Some(Some([4; LANES])));
        assert!(cell.change(by(0, 1, 3), Atomic::Or, twice).is_none());
        assert!(cell.change(by(0, 2, 3), Atomic::Or, twice).is_some());
        assert!(
            cell.change(by(1, 0, 3), Atomic::Or, twice).is_none(),
            "another group read it"
        );
        let mut cell = Shared::of([1; LANES]);
        assert!(cell.change(by(0, 0, 3), Atomic::Or, twice).is_some());
        assert!(cell.change(by(1, 0, 3), Atomic::Or, twice).is_some());
        assert!(cell.read(by(1, 5, 3)).is_none(), "of two groups");
        assert_eq!(
            Shared::default().change(by(0, 0, 0), Atomic::Or, twice),
            Some(None)
        );
    }

    #[test]
    fn readers_of_several_groups_keep_writers_out_for_ever() {
        let mut cell = Shared::of([1; LANES]);
        assert!(cell.read(by(0, 0, 1)).is_some());
        assert!(cell.read(by(1, 0, 1)).is_some());
        assert!(cell.write([2; LANES], by(1, 9, 1)).is_none());
    }

    #[test]
    fn pointers_stay_in_their_objects() {
        let pointer = Pointer::first(Memory::Local, 10, 4);
        assert_eq!(pointer.moved(4).and_then(|p| p.moved(-4)), Some(pointer));
        assert_eq!(pointer.moved(5), None);
        assert_eq!(pointer.moved(-1), None);
        assert_eq!(
            pointer.part(2, 2),
            Some(Pointer::first(Memory::Local, 12, 2))
        );
        assert_eq!(pointer.part(2, 3), None);
    }
}
