//! Lets the commands of a skeleton read and write where its order allows.
//!
//! The moments of the program are gone through in an order that the relation allows. A command may
//! read a cell when all that write it so far end before it starts, and write a cell when all that use
//! it so far do; what comes later sees to itself. Among the ranges that are possible those are
//! preferred that show most: reads of what was written last, writes over what was just read. A command
//! that waits for what fails does not run, so it may name any cell: were it to run, it would write over
//! what others left, and what it names is what is read later, rather than written.

use super::profile::Work;
use super::skeleton::Skeleton;
use crate::choices::Choices;
use crate::commands::memory::{cells, never_runs};
use crate::commands::order::{Invalid, Moment, Order};
use crate::commands::program::*;
use crate::commands::shrink::cut::{Unit, without};
use crate::commands::walk::Sort;
use std::collections::{BTreeMap, BTreeSet};

/// One who uses a cell.
#[derive(Clone, Copy)]
struct User {
    to: Moment,
    write: bool,
    /// When it came, for preferring what is recent.
    age: usize,
}

struct Filler<'d> {
    choices: &'d mut Choices,
    program: Program,
    order: Order,
    users: BTreeMap<(ObjectId, u8), Vec<User>>,
    age: usize,
    /// What is drawn is for a command that will not run: it may name cells that others use, who would
    /// see it run.
    idle_command: bool,
    /// Cells that only commands which will not run have named to write to since the last who does, and
    /// their ends.
    spared: BTreeMap<(ObjectId, u8), Moment>,
    /// What was mapped last for reading, of each object.
    mapped: BTreeMap<ObjectId, Range>,
    /// Accesses that found no cell.
    idle: BTreeSet<AccessId>,
}

/// The program with its data.
pub fn fill(choices: &mut Choices, skeleton: Skeleton) -> Result<Program, Invalid> {
    let Skeleton { program, works } = skeleton;
    let order = Order::of(&program)?;
    let moments: Vec<Moment> = order.moments().collect();
    let accesses = program.steps().filter_map(|(place, step)| match step {
        Step::Access(id) => Some((place, *id)),
        _ => None,
    });
    let accesses: BTreeMap<Place, AccessId> = accesses.collect();
    let mut filler = Filler {
        choices,
        program,
        order,
        users: BTreeMap::new(),
        age: 1,
        idle_command: false,
        spared: BTreeMap::new(),
        mapped: BTreeMap::new(),
        idle: BTreeSet::new(),
    };
    for moment in moments {
        match moment {
            Moment::Start(id) => {
                filler.idle_command = never_runs(&filler.program, &filler.order, id);
                filler.command(id, works[id.index()]);
                filler.idle_command = false;
            }
            Moment::Call(place) => {
                if let Some(id) = accesses.get(&place) {
                    filler.access(*id, place);
                }
            }
            Moment::Return(_) | Moment::End(_) | Moment::Run(_) => {}
        }
        filler.age += 1;
    }
    Ok(filler.done())
}

impl Filler<'_> {
    fn can(&self, cell: (ObjectId, u8), from: Moment, write: bool) -> bool {
        self.idle_command
            || self.users.get(&cell).is_none_or(|users| {
                users
                    .iter()
                    .all(|u| !(u.write || write) || self.order.surely(u.to, from))
            })
    }

    /// How much a use of the cell from a moment on would show.
    fn worth(&self, cell: (ObjectId, u8), from: Moment, write: bool) -> u32 {
        let users = self.users.get(&cell).map_or(&[][..], Vec::as_slice);
        // Those that may read it at the same time must not disturb each other.
        let together = |u: &User| !u.write && !write && !self.order.surely(u.to, from);
        let together = if users.iter().any(together) { 8 } else { 0 };
        // What a command that must not run would have left is seen by who reads it, unless others write.
        let spared = self.spared.get(&cell).filter(|_| !self.idle_command);
        let spared = match spared {
            Some(_) if write => return 1,
            Some(end) if self.order.surely(*end, from) => 60,
            Some(_) | None => 0,
        };
        let last = users
            .iter()
            .filter(|u| u.write || write)
            .map(|u| u.age)
            .max();
        spared
            + together
            + match last {
                Some(age) => 2 + (30 / (1 + self.age - age)) as u32,
                None => 1,
            }
    }

    fn use_cells(&mut self, range: Range, to: Moment, write: bool) {
        for cell in cells(&self.program, range) {
            if self.idle_command {
                if write {
                    self.spared.insert(cell, to);
                }
                continue;
            }
            if write {
                self.spared.remove(&cell);
            }
            let age = self.age;
            let user = User { to, write, age };
            self.users.entry(cell).or_default().push(user);
        }
    }

    /// A range of one of these objects that may be used from a moment on.
    fn range(
        &mut self,
        objects: &[ObjectId],
        from: Moment,
        write: bool,
        strides: u8,
        without: Option<Range>,
    ) -> Option<Range> {
        let taken: BTreeSet<_> = without
            .into_iter()
            .flat_map(|r| cells(&self.program, r))
            .collect();
        let mut possible = Vec::new();
        for &object in objects {
            let end = self.program.objects[object.index()].cells;
            for first in 0..end {
                for count in 1..=3 {
                    for stride in 1..=strides {
                        let range = Range {
                            object,
                            first,
                            count,
                            stride,
                        };
                        if range.end() > usize::from(end) || count == 1 && stride > 1 {
                            continue;
                        }
                        let of = cells(&self.program, range);
                        if of
                            .iter()
                            .all(|c| self.can(*c, from, write) && !taken.contains(c))
                        {
                            let worth = of.iter().map(|c| self.worth(*c, from, write)).max();
                            // The beginning of an object may go another way through an implementation.
                            let begins = if first == 0 { 3 } else { 1 };
                            possible.push((range, begins * worth.unwrap_or(1)));
                        }
                    }
                }
            }
        }
        self.choices.weighted(&possible)
    }

    /// Likewise; where none of these objects has one, another of the same kind of memory.
    fn range_like(
        &mut self,
        objects: &[ObjectId],
        from: Moment,
        write: bool,
        strides: u8,
    ) -> Option<Range> {
        let found = self.range(objects, from, write, strides, None);
        if found.is_some() {
            return found;
        }
        let first = objects.first()?;
        let kind = self.program.objects[first.index()].kind;
        let others = self.objects(|k| {
            k == kind || matches!((k, kind), (Kind::Buffer(_), Kind::SubBuffer { .. }))
        });
        self.range(&others, from, write, strides, None)
    }

    /// Objects that the kind of work at hand can use beside this one.
    fn objects(&self, fits: impl Fn(Kind) -> bool) -> Vec<ObjectId> {
        let all = self.program.objects();
        all.filter(|(_, object)| fits(object.kind))
            .map(|(id, _)| id)
            .collect()
    }

    fn command(&mut self, id: CommandId, work: Work) {
        let (start, end) = (Moment::Start(id), Moment::End(id));
        let what = self.program.what(id).clone();
        let device = self.program.device_of(id);
        let what = match (work, what) {
            (Work::Empty, what) => what,
            (_, What::Kernel(kernel)) => {
                let all = self.objects(|k| device == 0 || k != Kind::Variable);
                What::Kernel(self.kernel(kernel, &all, id))
            }
            (_, What::Native(kernel)) => {
                let all = self.objects(|k| !k.is_svm() && k != Kind::Variable);
                What::Native(self.kernel(kernel, &all, id))
            }
            // A read is inspected later, so it stays one without cells; a race makes the draft invalid.
            (_, mut what @ (What::Read(_) | What::Write(_) | What::Fill(_))) => {
                let strides = match what {
                    What::Read(transfer) | What::Write(transfer) if transfer.rect => 3,
                    _ => 1,
                };
                let write = !matches!(what, What::Read(_));
                let objects: Vec<ObjectId> = what.ranges().map(|range| range.object).collect();
                match self.range_like(&objects, start, write, strides) {
                    Some(found) => {
                        self.use_cells(found, end, write);
                        for range in what.ranges_mut() {
                            *range = found;
                        }
                        what
                    }
                    None if matches!(what, What::Fill(_)) => What::Marker,
                    None => what,
                }
            }
            (_, What::Copy { from, rect, .. }) => self.copy(id, from.object, rect),
            (_, What::Map { range, mode }) => {
                let to = self.program.unmaps(id).next().map_or(end, Moment::End);
                // What is mapped twice may be so at one address.
                let again = self.mapped.get(&range.object).copied().filter(|range| {
                    let of = cells(&self.program, *range);
                    mode == MapMode::Read && of.iter().all(|c| self.can(*c, start, false))
                });
                let found = match again.filter(|_| self.choices.percent(60)) {
                    Some(range) => Some(range),
                    None => self.range_like(&[range.object], start, mode.writes(), 1),
                };
                match found {
                    Some(range) => {
                        if mode == MapMode::Read {
                            self.mapped.insert(range.object, range);
                        }
                        self.use_cells(range, to, mode.writes());
                        What::Map { range, mode }
                    }
                    None => What::Map { range, mode },
                }
            }
            (_, What::Migrate { objects, to_host }) => {
                let svm = |k: Kind| k.is_svm();
                let like = objects
                    .first()
                    .map(|o| svm(self.program.objects[o.index()].kind));
                let all = self.objects(|k| {
                    Some(svm(k)) == like
                        && !matches!(k, Kind::SvmSystem | Kind::Variable | Kind::SubBuffer { .. })
                });
                let free = |object: &ObjectId| {
                    let mut cells = self.program.whole(*object).cells();
                    cells.all(|cell| self.can((*object, cell), start, true))
                };
                let free: Vec<ObjectId> = all.into_iter().filter(free).collect();
                for object in &free {
                    self.use_cells(self.program.whole(*object), end, true);
                }
                if free.is_empty() {
                    What::Marker
                } else {
                    What::Migrate {
                        objects: free,
                        to_host,
                    }
                }
            }
            (_, what @ (What::Unmap(_) | What::Free(_) | What::Marker | What::Barrier)) => what,
        };
        self.program.commands[id.index()].what = what;
    }

    fn kernel(&mut self, mut kernel: Kernel, objects: &[ObjectId], id: CommandId) -> Kernel {
        let (start, end) = (Moment::Start(id), Moment::End(id));
        let mut reads = self.choices.between(0, Kernel::RANGES);
        let writes = self.choices.between(0, Kernel::RANGES);
        if reads + writes == 0 {
            reads = 1;
        }
        // Writes first: a kernel reads nothing that it writes, for its work-items do so in any order.
        for _ in 0..writes {
            let other = kernel.writes.first().copied();
            if let Some(range) = self.range(objects, start, true, 2, other) {
                kernel.writes.push(range);
            }
        }
        for _ in 0..reads {
            let written = kernel.writes.iter();
            let written: BTreeSet<_> = written.flat_map(|r| cells(&self.program, *r)).collect();
            if let Some(range) = self.range(objects, start, false, 2, None)
                && !cells(&self.program, range)
                    .iter()
                    .any(|c| written.contains(c))
            {
                kernel.reads.push(range);
            }
        }
        for range in kernel.reads.clone() {
            self.use_cells(range, end, false);
        }
        for range in kernel.writes.clone() {
            self.use_cells(range, end, true);
        }
        kernel
    }

    fn copy(&mut self, id: CommandId, object: ObjectId, rect: bool) -> What {
        let (start, end) = (Moment::Start(id), Moment::End(id));
        let svm = self.program.objects[object.index()].kind.is_svm();
        let others = self.objects(|k| k.is_svm() == svm && k != Kind::Variable);
        let strides = if rect { 2 } else { 1 };
        let Some(from) = self.range(&[object], start, false, strides, None) else {
            return What::Marker;
        };
        let to = (0..8).find_map(|_| {
            let to = self.range(&others, start, true, strides, Some(from))?;
            (to.count == from.count).then_some(to)
        });
        // Buffers and their parts overlap, too: a copy within one is left out.
        let apart = |to: &Range| {
            self.program.root(to.object).0 != self.program.root(from.object).0
                || to.object == from.object && !rect
        };
        match to.filter(apart) {
            Some(to) => {
                self.use_cells(from, end, false);
                self.use_cells(to, end, true);
                What::Copy { from, to, rect }
            }
            None => What::Marker,
        }
    }

    fn access(&mut self, id: AccessId, place: Place) {
        let access = self.program.accesses[id.index()];
        let (call, back) = (Moment::Call(place), Moment::Return(place));
        let range = match access.map {
            // The map keeps others away; a write takes all of what it invalidates.
            Some(map) => self.program.what(map).mapped().copied(),
            None => self.range(&[access.range.object], call, access.write, 1, None),
        };
        if let (Some(range), None) = (range, access.map) {
            self.use_cells(range, back, access.write);
        }
        match range {
            Some(range) => self.program.accesses[id.index()].range = range,
            None => {
                self.idle.insert(id);
            }
        }
    }

    /// The program, without accesses that found no cell.
    fn done(self) -> Program {
        if self.idle.is_empty() {
            return self.program;
        }
        let idle = self.idle.into_iter();
        let idle: Vec<Unit> = idle.map(|id| Unit::Thing(Sort::Access, id.0)).collect();
        without(&self.program, &idle).unwrap_or(self.program)
    }
}
