//! Which accesses a program makes, that none of them race, and what each read must see.
//!
//! An access lasts from one moment to another: a command's from its start to its completion, a host
//! thread's from the call to the return, and a map keeps what it maps from the start of the map to the
//! completion of the unmap, as a reader or as a writer. [`conflict`](super::conflict) says which accesses
//! conflict; they race unless one ends before the other begins. With no race, playing the accesses in
//! any order that the relation allows gives each read its one value.

use super::conflict::{Agent, Cell, Use, cells, uses_of};
use super::order::{Fate, Invalid, Moment, Order};
use super::program::{
    ANY_CELL, AccessId, CommandId, HostPointer, Kind, MapMode, ObjectId, Place, Program, Range,
    Step, What, Writer,
};
use std::collections::BTreeMap;

/// A read that a run reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Read {
    /// A range that a kernel reads.
    Kernel {
        /// The kernel.
        command: CommandId,
        /// Which of its ranges.
        range: u8,
    },
    /// What a read command brings to the host.
    Command(CommandId),
    /// A host thread's access.
    Access(AccessId),
}

impl Read {
    /// Who reads.
    pub fn who(self) -> Writer {
        match self {
            Read::Kernel { command, .. } | Read::Command(command) => Writer::Command(command),
            Read::Access(access) => Writer::Access(access),
        }
    }
}

/// What a cell holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Value {
    /// A writer's token, for this cell of the object that it wrote.
    Of(Writer, u8),
    /// Anything.
    Anything,
}

impl Value {
    /// The token; none where it may be anything.
    pub fn token(self) -> Option<(Writer, u8)> {
        match self {
            Value::Of(writer, cell) => Some((writer, cell)),
            Value::Anything => None,
        }
    }
}

/// What memory does in a valid program.
#[derive(Debug, Clone, Default)]
pub struct Memory {
    reads: BTreeMap<Read, Vec<(Cell, Value)>>,
    writes: BTreeMap<Cell, Vec<Write>>,
}

/// One write to a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Write {
    /// By whom.
    pub writer: Writer,
    /// What; a copy writes others' tokens.
    pub value: Value,
    /// It happens after this.
    pub from: Moment,
    /// And before this.
    pub to: Moment,
}

/// A use of memory from one moment to another.
struct Access {
    of: Use,
    from: Moment,
    /// From when on it keeps host threads away.
    from_host: Moment,
    /// None where it lasts until the end.
    to: Option<Moment>,
    /// The map that it goes through, and whether it is the map itself.
    map: Option<(CommandId, bool)>,
    who: String,
}

impl Memory {
    /// What memory does, or a race.
    pub fn of(program: &Program, order: &Order) -> Result<Memory, Invalid> {
        races(program, order)?;
        Ok(play(program, order))
    }

    /// Every read that a run reports, with the cells in the order of the report and what each must
    /// hold.
    pub fn reads(&self) -> &BTreeMap<Read, Vec<(Cell, Value)>> {
        &self.reads
    }

    /// Every write to a cell after the object's creation, earlier ones first.
    pub fn writes(&self, cell: Cell) -> &[Write] {
        self.writes.get(&cell).map_or(&[], Vec::as_slice)
    }
}

/// The moments from and to of a read.
pub fn moments(program: &Program, read: Read) -> Option<(Moment, Moment)> {
    match read {
        Read::Kernel { command, .. } | Read::Command(command) => {
            Some((Moment::Start(command), Moment::End(command)))
        }
        Read::Access(id) => program.steps().find_map(|(place, step)| {
            (*step == Step::Access(id)).then_some((Moment::Call(place), Moment::Return(place)))
        }),
    }
}

fn accesses(program: &Program, order: &Order) -> Vec<Access> {
    let mut accesses = Vec::new();
    for (id, command) in program.commands() {
        if never_runs(program, order, id) {
            continue;
        }
        let is_map = matches!(command.what, What::Map { .. });
        accesses.extend(uses_of(program, id).into_iter().map(|of| Access {
            from_host: keeps_host_from(program, order, id, of.object),
            of,
            from: Moment::Start(id),
            to: last_use(program, order, id),
            map: is_map.then_some((id, true)),
            who: format!("{}command {id}", if is_map { "the map of " } else { "" }),
        }));
    }
    for (place, step) in program.steps() {
        let Step::Access(id) = step else {
            continue;
        };
        let access = &program.accesses[id.index()];
        accesses.push(Access {
            of: Use::of_host(program, access.range, access.write),
            from: Moment::Call(place),
            from_host: Moment::Call(place),
            to: Some(Moment::Return(place)),
            map: access.map.map(|map| (map, false)),
            who: format!("host access {id}"),
        });
    }
    accesses
}

/// From when on a use keeps host threads away: of the memory that a transfer points to from the call on ("The
/// contents of the buffer that _ptr_ points to cannot be used until the read command has completed",
/// clEnqueueReadBuffer).
pub fn keeps_host_from(
    program: &Program,
    order: &Order,
    id: CommandId,
    object: ObjectId,
) -> Moment {
    match program.objects[object.index()].kind {
        Kind::Host => Moment::Call(order.enqueued(id)),
        _ => Moment::Start(id),
    }
}

/// When a command no longer uses its memory; of a map, when its unmap is complete: never, if that fails.
pub fn last_use(program: &Program, order: &Order, id: CommandId) -> Option<Moment> {
    if program.what(id).mapped().is_none() {
        return Some(Moment::End(id));
    }
    let mut unmaps = program.unmaps(id);
    let unmap = unmaps.find(|unmap| order.fate(*unmap) != Fate::Fails);
    unmap.map(Moment::End)
}

/// Whether a command uses no memory because it waits for what fails. What the application must keep apart from every
/// other use is none of these.
pub fn never_runs(program: &Program, order: &Order, id: CommandId) -> bool {
    let what = program.what(id);
    let moves = matches!(
        what,
        What::Read(_) | What::Write(_) | What::Copy { .. } | What::Fill(_) | What::Map { .. }
    );
    order.fate(id) == Fate::Fails && (moves || what.kernel().is_some())
}

fn races(program: &Program, order: &Order) -> Result<(), Invalid> {
    let accesses = accesses(program, order);
    for (n, a) in accesses.iter().enumerate() {
        for b in &accesses[n + 1..] {
            // A host access through a map is inside the map's own.
            let maps = a.map.zip(b.map);
            let together = maps.is_some_and(|(a, b)| a.0 == b.0 && a.1 != b.1);
            let apart = |a: &Access, b: &Access| match a.of.agent {
                Agent::Host => a.to.is_some_and(|to| order.surely(to, b.from_host)),
                Agent::Kernel(_) | Agent::Command => {
                    a.to.is_some_and(|to| order.surely(to, b.from))
                }
            };
            if together || apart(a, b) || apart(b, a) {
                continue;
            }
            let Some(shared) = a.of.conflict(&b.of, program) else {
                continue;
            };
            let (first, second) = (a.who.clone(), b.who.clone());
            return Err(match first == second {
                true => Invalid::Twice { shared, who: first },
                false => Invalid::Race {
                    shared,
                    first,
                    second,
                },
            });
        }
    }
    Ok(())
}

/// Plays the accesses in one order; without races any gives the same.
fn play(program: &Program, order: &Order) -> Memory {
    let mut replay = Replay::begin(program, order);
    let steps: BTreeMap<_, _> = program.steps().collect();
    for moment in order.moments() {
        match moment {
            // What fails does not run.
            Moment::Start(id) | Moment::End(id) if order.fate(id) == Fate::Fails => {}
            Moment::Start(id) => replay.start(id),
            Moment::End(id) => replay.end(id),
            Moment::Call(place) | Moment::Return(place) => {
                if let Some(Step::Access(id)) = steps.get(&place) {
                    replay.access(*id, place, moment);
                }
            }
            Moment::Run(_) => {}
        }
    }
    replay.memory
}

/// Memory as it is while a program is played in the order that its rules give.
struct Replay<'p> {
    program: &'p Program,
    order: &'p Order,
    now: BTreeMap<Cell, Value>,
    /// What copies have read and not yet written.
    copied: BTreeMap<CommandId, Vec<Value>>,
    memory: Memory,
}

impl<'p> Replay<'p> {
    fn begin(program: &'p Program, order: &'p Order) -> Replay<'p> {
        let mut now = BTreeMap::new();
        for (id, object) in program.objects() {
            if program.root(id).0 == id {
                for cell in 0..object.cells {
                    now.insert((id, cell), Value::Of(Writer::Creation(id), cell));
                }
            }
        }
        Replay {
            program,
            order,
            now,
            copied: BTreeMap::new(),
            memory: Memory::default(),
        }
    }

    fn see(&self, range: Range) -> Vec<(Cell, Value)> {
        let cells = cells(self.program, range).into_iter();
        cells.map(|cell| (cell, self.now[&cell])).collect()
    }

    fn put(
        &mut self,
        range: Range,
        writer: Writer,
        (from, to): (Moment, Moment),
        value: &dyn Fn(usize, u8) -> Value,
    ) {
        for (n, cell) in cells(self.program, range).into_iter().enumerate() {
            let value = value(n, cell.1);
            self.now.insert(cell, value);
            self.memory.writes.entry(cell).or_default().push(Write {
                writer,
                value,
                from,
                to,
            });
        }
    }

    /// What a host thread reads when it begins to, and what it leaves when it is done.
    fn access(&mut self, id: AccessId, place: Place, moment: Moment) {
        let access = self.program.accesses[id.index()];
        let (call, back) = (Moment::Call(place), Moment::Return(place));
        if !access.write && moment == call {
            let seen = self.see(access.range);
            self.memory.reads.insert(Read::Access(id), seen);
        } else if access.write && moment == back {
            let writer = Writer::Access(id);
            let token = |_, cell| Value::Of(writer, cell);
            self.put(access.range, writer, (call, back), &token);
        }
    }

    /// What a command reads when it starts.
    fn start(&mut self, id: CommandId) {
        let what = self.program.what(id);
        for (n, range) in (0..).zip(what.data().0) {
            let seen = self.see(*range);
            if what.copies() {
                let seen = seen.into_iter().map(|(_, value)| value);
                self.copied.insert(id, seen.collect());
                continue;
            }
            let read = match what.kernel() {
                Some(_) => Read::Kernel {
                    command: id,
                    range: n,
                },
                None => Read::Command(id),
            };
            self.memory.reads.insert(read, seen);
        }
    }

    /// What a command leaves when it ends.
    fn end(&mut self, id: CommandId) {
        let what = self.program.what(id);
        let writer = Writer::Command(id);
        let during = (Moment::Start(id), Moment::End(id));
        let open = self.order.fate(id) != Fate::Completes;
        let copied = self.copied.remove(&id).unwrap_or_default();
        for range in what.data().1 {
            self.put(*range, writer, during, &|n, cell| {
                if open {
                    Value::Anything
                } else if what.copies() {
                    copied.get(n).copied().unwrap_or(Value::Anything)
                } else if let What::Fill(_) = what {
                    Value::Of(writer, ANY_CELL)
                } else {
                    Value::Of(writer, cell)
                }
            });
        }
        if let What::Map {
            range,
            mode: MapMode::Invalidate,
        } = what
        {
            for cell in cells(self.program, *range) {
                self.now.insert(cell, Value::Anything);
            }
        }
    }
}

/// Whether a buffer's memory is the application's own, so that a map gives its address.
pub fn in_place(kind: Kind) -> bool {
    matches!(kind, Kind::Buffer(HostPointer::Use | HostPointer::UseSvm))
}

#[cfg(test)]
mod tests;
