//! Lets the commands of a skeleton read and write where its order allows.
//!
//! The moments of the program are gone through in an order that the relation allows. A command may
//! use a cell when every use so far that conflicts with it ends before it starts; what comes later sees to
//! itself. Among the ranges that are possible those are
//! preferred that show most: reads of what was written last, writes over what was just read. A command
//! that waits for what fails does not run, so it may name any cell: were it to run, it would write over
//! what others left, and what it names is what is read later, rather than written.

use super::profile::Work;
use super::skeleton::Skeleton;
use crate::choices::Choices;
use crate::commands::conflict::{Agent, Cell, Kept, Use, cells};
use crate::commands::memory::{keeps_host_from, last_use, never_runs};
use crate::commands::order::{Invalid, Moment, Order};
use crate::commands::program::*;
use crate::commands::shrink::cut::{Unit, without};
use crate::commands::walk::Sort;
use std::collections::{BTreeMap, BTreeSet};

/// Most cells of a range where its length does not matter.
const USUAL: u8 = 3;

/// A use that has been chosen.
struct User {
    of: Use,
    /// Until when; none where that is the end.
    to: Option<Moment>,
    /// When it came, for preferring what is recent.
    age: usize,
}

/// Who is to use memory, and from when.
#[derive(Clone, Copy)]
enum By {
    Command(CommandId),
    Host(Place),
}

impl By {
    fn from(self) -> Moment {
        match self {
            By::Command(id) => Moment::Start(id),
            By::Host(place) => Moment::Call(place),
        }
    }
}

struct Filler<'d> {
    choices: &'d mut Choices,
    program: Program,
    order: Order,
    /// Most cells of a range.
    longest: u8,
    /// Native kernels may be given several buffers, or one at several places.
    several: bool,
    /// By the object that holds the data.
    users: BTreeMap<ObjectId, Vec<User>>,
    age: usize,
    /// What is drawn is for a command that will not run: it may name cells that others use, who would
    /// see it run.
    idle_command: bool,
    /// Cells that only commands which will not run have named to write to since the last who does, and
    /// their ends.
    spared: BTreeMap<Cell, Moment>,
    /// What was mapped last for reading, of each object.
    mapped: BTreeMap<ObjectId, Range>,
    /// Accesses that found no cell.
    idle: BTreeSet<AccessId>,
}

/// The program with its data.
pub fn fill(choices: &mut Choices, skeleton: Skeleton) -> Result<Program, Invalid> {
    let Skeleton {
        program,
        works,
        longest,
        several,
    } = skeleton;
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
        longest,
        several,
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
    /// What a use of a range would be.
    fn one(&self, by: By, range: Range, write: bool) -> Use {
        match by {
            By::Command(id) => Use::of_command(&self.program, id, range, write),
            By::Host(_) => Use::of_host(&self.program, range, write),
        }
    }

    fn users(&self, object: ObjectId) -> &[User] {
        let root = self.program.root(object).0;
        self.users.get(&root).map_or(&[], Vec::as_slice)
    }

    /// Whether a use so far ends before this one of an object begins.
    fn is_over(&self, user: &User, by: By, object: ObjectId) -> bool {
        let from = match (by, user.of.agent) {
            (By::Command(id), Agent::Host) => {
                keeps_host_from(&self.program, &self.order, id, object)
            }
            (By::Command(_) | By::Host(_), _) => by.from(),
        };
        user.to.is_some_and(|to| self.order.surely(to, from))
    }

    /// The cells of an object that others keep from this use of it, and what is its own; none where they keep
    /// the whole object.
    fn closed(&self, by: By, object: ObjectId, write: bool, own: &[Use]) -> Option<BTreeSet<Cell>> {
        let wish = self.one(by, self.program.whole(object), write);
        let beside = |u: &&User| !self.idle_command && !self.is_over(u, by, object);
        let others = self.users(object).iter().filter(beside).map(|u| &u.of);
        let mut closed = BTreeSet::new();
        for other in others.chain(own) {
            match other.keeps(&wish, &self.program) {
                Kept::Nothing => {}
                Kept::Cells => closed.extend(&other.cells),
                Kept::Object => return None,
            }
        }
        Some(closed)
    }

    /// Whether this use of a range conflicts with none so far.
    fn open(&self, by: By, range: Range, write: bool) -> bool {
        let closed = self.closed(by, range.object, write, &[]);
        let of = cells(&self.program, range);
        closed.is_some_and(|closed| of.iter().all(|cell| !closed.contains(cell)))
    }

    /// How much a use of the cell from a moment on would show.
    fn worth(&self, cell: Cell, by: By, write: bool) -> u32 {
        let from = by.from();
        let all = self.users(cell.0).iter();
        let users = all.filter(|u| u.of.cells.contains(&cell));
        // What was not yet in memory of the host when the command that takes it from there was enqueued.
        let known = |u: &User| u.to.is_some_and(|to| self.known_at_enqueue(by, to));
        let later = |u: &User| u.of.write && !write && !known(u);
        let host = self.program.objects[cell.0.index()].kind == Kind::Host;
        let relayed = if host && users.clone().any(later) {
            200
        } else {
            0
        };
        // Those that may read it at the same time must not disturb each other.
        let over = |u: &User| u.to.is_some_and(|to| self.order.surely(to, from));
        let together = |u: &User| !u.of.write && !write && !over(u);
        let together = if users.clone().any(together) { 8 } else { 0 };
        // What a command that must not run would have left is seen by who reads it, unless others write.
        let spared = self.spared.get(&cell).filter(|_| !self.idle_command);
        let spared = match spared {
            Some(_) if write => return 1,
            Some(end) if self.order.surely(*end, from) => 240,
            Some(_) | None => 0,
        };
        let last = users.filter(|u| u.of.write || write).map(|u| u.age).max();
        spared
            + relayed
            + together
            + match last {
                Some(age) => 2 + (120 / (1 + self.age - age)) as u32,
                None => 1,
            }
    }

    /// Whether the host knows that something has ended when it enqueues a command.
    fn known_at_enqueue(&self, by: By, end: Moment) -> bool {
        match by {
            By::Command(id) => {
                let call = Moment::Call(self.order.enqueued(id));
                self.order.surely(end, call)
            }
            By::Host(_) => true,
        }
    }

    /// The same, of how long a range of an object with so many cells is, and where it ends.
    fn worth_of_length(&self, range: Range, cells: u8) -> u32 {
        if self.longest <= USUAL {
            return 1;
        }
        let ends = if range.end() == usize::from(cells) {
            4
        } else {
            1
        };
        ends * u32::from(range.count)
    }

    fn use_cells(&mut self, by: By, range: Range, to: impl Into<Option<Moment>>, write: bool) {
        let (of, to) = (self.one(by, range, write), to.into());
        if self.idle_command {
            if let Some(to) = to.filter(|_| write) {
                self.spared.extend(of.cells.iter().map(|cell| (*cell, to)));
            }
            return;
        }
        if write {
            self.spared.retain(|cell, _| !of.cells.contains(cell));
        }
        let root = self.program.root(range.object).0;
        let age = self.age;
        let user = User { of, to, age };
        self.users.entry(root).or_default().push(user);
    }

    /// A range of one of these objects that may be used, beside what the same command uses.
    fn range(
        &mut self,
        objects: &[ObjectId],
        by: By,
        write: bool,
        strides: u8,
        own: &[Use],
    ) -> Option<Range> {
        let mut possible = Vec::new();
        for &object in objects {
            let Some(closed) = self.closed(by, object, write, own) else {
                continue;
            };
            let end = self.program.objects[object.index()].cells;
            for first in 0..end {
                for count in 1..=self.longest.min(end) {
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
                        if of.iter().all(|cell| !closed.contains(cell)) {
                            let worth = of.iter().map(|c| self.worth(*c, by, write)).max();
                            // The beginning of an object may go another way through an implementation.
                            let begins = if first == 0 { 3 } else { 1 };
                            let length = self.worth_of_length(range, end);
                            possible.push((range, begins * length * worth.unwrap_or(1)));
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
        by: By,
        write: bool,
        strides: u8,
    ) -> Option<Range> {
        let found = self.range(objects, by, write, strides, &[]);
        if found.is_some() {
            return found;
        }
        let first = objects.first()?;
        let kind = self.program.objects[first.index()].kind;
        let others = self.objects(|k| {
            k == kind || matches!((k, kind), (Kind::Buffer(_), Kind::SubBuffer { .. }))
        });
        self.range(&others, by, write, strides, &[])
    }

    /// Objects that the kind of work at hand can use beside this one.
    fn objects(&self, fits: impl Fn(Kind) -> bool) -> Vec<ObjectId> {
        let all = self.program.objects();
        all.filter(|(_, object)| fits(object.kind))
            .map(|(id, _)| id)
            .collect()
    }

    fn command(&mut self, id: CommandId, work: Work) {
        let (by, end) = (By::Command(id), Moment::End(id));
        let what = self.program.what(id).clone();
        let device = self.program.device_of(id);
        let what = match (work, what) {
            (Work::Empty, what) => what,
            (_, What::Kernel(kernel)) => {
                let all = self.objects(|k| k.is_kernels() && (device == 0 || k != Kind::Variable));
                What::Kernel(self.kernel(kernel, &all, id))
            }
            (_, What::Native(kernel)) => {
                let all = self.objects(|k| !k.is_svm() && k != Kind::Variable && k.is_kernels());
                What::Native(self.kernel(kernel, &all, id))
            }
            (_, What::Read(t) | What::Write(t)) if t.host.is_some() => self.host_transfer(id, t),
            (_, mut what @ (What::Read(_) | What::Write(_) | What::Fill(_))) => {
                let strides = match what {
                    What::Read(transfer) | What::Write(transfer) if transfer.rect => 3,
                    _ => 1,
                };
                let write = !matches!(what, What::Read(_));
                let objects: Vec<ObjectId> = what.ranges().map(|range| range.object).collect();
                match self.range_like(&objects, by, write, strides) {
                    Some(found) => {
                        self.use_cells(by, found, end, write);
                        for range in what.ranges_mut() {
                            *range = found;
                        }
                        what
                    }
                    // A blocking call orders others, so it stays; a race makes the draft invalid.
                    None if self.program.commands[id.index()].blocking => what,
                    None => What::Marker,
                }
            }
            (_, What::Copy { from, rect, .. }) => self.copy(id, from.object, rect),
            // One that fails maps nothing.
            (_, what @ What::Map { .. }) if self.idle_command => what,
            (_, What::Map { range, mode }) => {
                let to = last_use(&self.program, &self.order, id);
                // What is mapped twice may be so at one address.
                let again = self
                    .mapped
                    .get(&range.object)
                    .copied()
                    .filter(|range| mode == MapMode::Read && self.open(by, *range, false));
                let found = match again.filter(|_| self.choices.percent(60)) {
                    Some(range) => Some(range),
                    None => self.range_like(&[range.object], by, mode.writes(), 1),
                };
                match found {
                    Some(range) => {
                        if mode == MapMode::Read {
                            self.mapped.insert(range.object, range);
                        }
                        self.use_cells(by, range, to, mode.writes());
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
                    let whole = !matches!(
                        k,
                        Kind::SvmSystem | Kind::Variable | Kind::Host | Kind::SubBuffer { .. }
                    );
                    whole && Some(svm(k)) == like
                });
                let free = |o: &ObjectId| self.open(by, self.program.whole(*o), true);
                let free: Vec<ObjectId> = all.into_iter().filter(free).collect();
                for object in &free {
                    self.use_cells(by, self.program.whole(*object), end, true);
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
        let (by, end) = (By::Command(id), Moment::End(id));
        let native = matches!(self.program.what(id), What::Native(_));
        // One without memory objects has arguments all the same.
        if native && self.choices.percent(30) {
            return kernel;
        }
        let mut reads = self.choices.between(0, Kernel::RANGES);
        let writes = self.choices.between(0, Kernel::RANGES);
        if reads + writes == 0 {
            reads = 1;
        }
        // Writes first: a kernel reads nothing that it writes, for its work-items do so in any order.
        let mut own = Vec::new();
        let one = native && !self.several;
        for write in [vec![true; writes], vec![false; reads]].concat() {
            if one && !own.is_empty() {
                break;
            }
            if let Some(range) = self.range(objects, by, write, 2, &own) {
                own.push(self.one(by, range, write));
                match write {
                    true => kernel.writes.push(range),
                    false => kernel.reads.push(range),
                }
            }
        }
        for range in kernel.reads.clone() {
            self.use_cells(by, range, end, false);
        }
        for range in kernel.writes.clone() {
            self.use_cells(by, range, end, true);
        }
        kernel
    }

    fn copy(&mut self, id: CommandId, object: ObjectId, rect: bool) -> What {
        let (by, end) = (By::Command(id), Moment::End(id));
        let svm = self.program.objects[object.index()].kind.is_svm();
        let others =
            self.objects(|k| k.is_svm() == svm && !matches!(k, Kind::Variable | Kind::Host));
        let strides = if rect { 2 } else { 1 };
        let Some(from) = self.range(&[object], by, false, strides, &[]) else {
            return What::Marker;
        };
        let own = [self.one(by, from, false)];
        let to = (0..8).find_map(|_| {
            let to = self.range(&others, by, true, strides, &own)?;
            (to.count == from.count).then_some(to)
        });
        // A rectangular copy within one object is left out: its strides may make it overlap itself.
        match to.filter(|to| to.object != from.object || !rect) {
            Some(to) => {
                self.use_cells(by, from, end, false);
                self.use_cells(by, to, end, true);
                What::Copy { from, to, rect }
            }
            None => What::Marker,
        }
    }

    /// A read to memory of the host that others use, too, or a write from there.
    fn host_transfer(&mut self, id: CommandId, transfer: Transfer) -> What {
        let (by, end) = (By::Command(id), Moment::End(id));
        let write = matches!(self.program.what(id), What::Write(_));
        let strides = if transfer.rect { 3 } else { 1 };
        let near = self.range_like(&[transfer.range.object], by, write, strides);
        let memory = self.objects(|k| k == Kind::Host);
        // Before OpenCL 3.0 a blocking write "copies the data referred to by ptr and enqueues the write operation": its
        // call may take what is there then.
        let at_call = write && self.program.commands[id.index()].blocking;
        let host = near.filter(|_| !at_call).and_then(|near| {
            (0..8).find_map(|_| {
                let host = self.range(&memory, by, !write, strides, &[])?;
                (host.count == near.count).then_some(host)
            })
        });
        let Some((range, host)) = near.zip(host) else {
            // A blocking call orders others, so it stays; memory of its own is always free.
            let range = near.unwrap_or(transfer.range);
            return match self.program.commands[id.index()].blocking {
                true => self.alone(
                    id,
                    Transfer {
                        range,
                        host: None,
                        ..transfer
                    },
                ),
                false => What::Marker,
            };
        };
        self.use_cells(by, range, end, write);
        self.use_cells(by, host, end, !write);
        let host = Some(host);
        let transfer = Transfer {
            range,
            host,
            ..transfer
        };
        if write {
            What::Write(transfer)
        } else {
            What::Read(transfer)
        }
    }

    /// A transfer with memory of its own.
    fn alone(&mut self, id: CommandId, transfer: Transfer) -> What {
        let write = matches!(self.program.what(id), What::Write(_));
        self.use_cells(By::Command(id), transfer.range, Moment::End(id), write);
        if write {
            What::Write(transfer)
        } else {
            What::Read(transfer)
        }
    }

    fn access(&mut self, id: AccessId, place: Place) {
        let access = self.program.accesses[id.index()];
        let (by, back) = (By::Host(place), Moment::Return(place));
        let range = match access.map {
            // The map keeps others away; a write takes all of what it invalidates.
            Some(map) => self.program.what(map).mapped().copied(),
            None => self.range(&[access.range.object], by, access.write, 1, &[]),
        };
        if let (Some(range), None) = (range, access.map) {
            self.use_cells(by, range, back, access.write);
        }
        match range {
            Some(range) => self.program.accesses[id.index()].range = range,
            None => {
                self.idle.insert(id);
            }
        }
    }

    /// The program, without accesses and reads that found no cell.
    fn done(self) -> Program {
        if self.idle.is_empty() {
            return self.program;
        }
        let idle = self.idle.into_iter();
        let idle = idle.map(|id| Unit::Thing(Sort::Access, id.0));
        let nothing = |(place, step): (Place, &Step)| match step {
            Step::Inspect(id) if !self.program.what(*id).is_own_read() => Some(Unit::Step(place)),
            _ => None,
        };
        let units: Vec<Unit> = idle
            .chain(self.program.steps().filter_map(nothing))
            .collect();
        without(&self.program, &units).unwrap_or(self.program)
    }
}
