//! Which uses of memory conflict, as the specification draws the line for each kind of memory.
//!
//! It restricts *objects*, not cells: a device may have a memory of its own, between which and others whole
//! objects move. So two uses of one buffer, of one of its parts, or of parts of one buffer conflict where one
//! writes, whatever cells they use ("mixing overlapping reads and writes into the same memory objects from
//! different kernel-instances is only allowed when fine grained synchronization is used with Shared Virtual
//! Memory", Memory Objects; "Concurrent reading from, writing to and copying between both a buffer object and its
//! sub-buffer object(s) is undefined", clCreateSubBuffer; "The results of modifying a shared resource in one
//! command-queue while it is being used by another command-queue are undefined", Appendix A before 3.0.17). A
//! mapped object is held whole ("irrespective of whether the mapped regions span the entire memory object",
//! clEnqueueMapBuffer and clEnqueueSVMMap), and a map is a command that reads it: beside one for writing there is
//! none, wherever it lies.
//! Coarse-grained SVM is shared by cells among the kernels of one device ("concurrent access to the same memory
//! allocation from multiple kernels on a single device is valid", Shared Virtual Memory), by allocation otherwise.
//! Fine-grained SVM and variables at program scope are shared by cells, as is memory of the host that transfers
//! point to.

use super::order::Shared;
use super::program::{CommandId, Kind, ObjectId, Program, Range, What};

/// A cell of an object that holds data.
pub type Cell = (ObjectId, u8);

/// Who uses memory, as far as it matters for what others may use beside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Agent {
    /// A kernel on this device.
    Kernel(u8),
    /// Another command; a map uses memory from its command to the end of its unmap.
    Command,
    /// A host thread.
    Host,
}

/// A use of some cells of an object.
#[derive(Debug, Clone)]
pub struct Use {
    /// The object that is named.
    pub object: ObjectId,
    /// The cells, in the object that holds the data.
    pub cells: Vec<Cell>,
    /// Whether they are written.
    pub write: bool,
    /// By whom.
    pub agent: Agent,
    /// The command that does it itself, if one does.
    pub command: Option<CommandId>,
}

/// The cells of a range, in the object that holds the data.
pub fn cells(program: &Program, range: Range) -> Vec<Cell> {
    let (root, first) = program.root(range.object);
    range.cells().map(|cell| (root, first + cell)).collect()
}

/// Whether two objects have memory in common: "overlapping sub-buffer objects created with the same buffer object"
/// are no better together than a buffer and its part (clCreateSubBuffer), whatever cells are used.
fn overlap(program: &Program, one: ObjectId, other: ObjectId) -> bool {
    let extent = |object: ObjectId| {
        let (root, first) = program.root(object);
        let first = u16::from(first);
        let cells = program.objects[object.index()].cells;
        (root, first, first + u16::from(cells))
    };
    let (a, b) = (extent(one), extent(other));
    a.0 == b.0 && a.1 < b.2 && b.1 < a.2
}

/// What a use keeps from another one beside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kept {
    /// Nothing.
    Nothing,
    /// Its cells.
    Cells,
    /// All the data that they share, whatever cells they use.
    Object,
}

/// What a command uses itself; of a map, what it keeps until its unmap.
pub fn uses_of(program: &Program, id: CommandId) -> Vec<Use> {
    let command = &program.commands[id.index()];
    let (reads, writes) = command.what.data();
    let mut uses = Vec::new();
    let mut add = |range: Range, write| uses.push(Use::of_command(program, id, range, write));
    reads.iter().for_each(|range| add(*range, false));
    writes.iter().for_each(|range| add(*range, true));
    // The application must keep a migration apart from every other use.
    for &object in command.what.objects() {
        add(program.whole(object), true);
    }
    if let What::Map { range, mode } = &command.what {
        add(*range, mode.writes());
    }
    uses
}

impl Use {
    /// A use by a command.
    pub fn of_command(program: &Program, id: CommandId, range: Range, write: bool) -> Use {
        let command = &program.commands[id.index()];
        let agent = match command.what {
            What::Kernel(_) => Agent::Kernel(program.queues[command.queue.index()].device),
            What::Native(_)
            | What::Read(_)
            | What::Write(_)
            | What::Copy { .. }
            | What::Fill(_)
            | What::Map { .. }
            | What::Unmap(_)
            | What::Migrate { .. }
            | What::Free(_)
            | What::Marker
            | What::Barrier => Agent::Command,
        };
        Use {
            object: range.object,
            cells: cells(program, range),
            write,
            agent,
            command: Some(id),
        }
    }

    /// A use by a host thread.
    pub fn of_host(program: &Program, range: Range, write: bool) -> Use {
        Use {
            object: range.object,
            cells: cells(program, range),
            write,
            agent: Agent::Host,
            command: None,
        }
    }

    /// What this use and another may not share, where nothing orders them.
    pub fn keeps(&self, other: &Use, program: &Program) -> Kept {
        let root = program.root(self.object).0;
        if !(self.write || other.write) || root != program.root(other.object).0 {
            return Kept::Nothing;
        }
        let own = self.command.is_some() && self.command == other.command;
        let host = self.agent == Agent::Host && other.agent == Agent::Host;
        let by_cells = match program.objects[root.index()].kind {
            Kind::SvmFine | Kind::SvmSystem | Kind::Variable | Kind::Host => true,
            Kind::SvmCoarse => {
                own || host || matches!(self.agent, Agent::Kernel(_)) && self.agent == other.agent
            }
            Kind::Buffer(_) | Kind::SubBuffer { .. } => {
                let apart = || !overlap(program, self.object, other.object);
                (self.object == other.object || apart()) && (own || host)
            }
        };
        if by_cells { Kept::Cells } else { Kept::Object }
    }

    /// What two uses that nothing orders share and may not.
    pub fn conflict(&self, other: &Use, program: &Program) -> Option<Shared> {
        match self.keeps(other, program) {
            Kept::Nothing => None,
            Kept::Cells => self
                .cells
                .iter()
                .find(|cell| other.cells.contains(cell))
                .map(|&(of, cell)| Shared::Cell { of, cell }),
            Kept::Object => Some(Shared::Object(program.root(self.object).0)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::yaml;

    /// A buffer of eight cells with two parts of four, and an object of each other kind.
    fn program() -> Program {
        let text = "devices: 2
contexts: 1
cell_words: 1
queues: []
objects:
- {context: 0, cells: 8, kind: {buffer: copy}}
- {context: 0, cells: 4, kind: {sub-buffer: {of: 0, first: 0}}}
- {context: 0, cells: 4, kind: {sub-buffer: {of: 0, first: 4}}}
- {context: 0, cells: 8, kind: svm-coarse}
- {context: 0, cells: 8, kind: svm-fine}
- {context: 0, cells: 8, kind: svm-system}
- {context: 0, cells: 8, kind: variable}
commands: []
threads: [[]]
";
        yaml::read(text).expect("a program")
    }

    const BUFFER: u16 = 0;
    const PART: u16 = 1;
    const OTHER_PART: u16 = 2;
    const COARSE: u16 = 3;
    const FINE: [u16; 3] = [4, 5, 6];

    /// A write, or a read, of one cell of an object.
    fn one(object: u16, cell: u8, write: bool, agent: Agent) -> Use {
        let range = Range {
            object: ObjectId(object),
            first: cell,
            count: 1,
            stride: 1,
        };
        let of = Use::of_host(&program(), range, write);
        Use { agent, ..of }
    }

    fn conflicts(a: &Use, b: &Use) -> bool {
        let p = program();
        let found = a.conflict(b, &p).is_some();
        assert_eq!(found, b.conflict(a, &p).is_some(), "{a:?} {b:?}");
        found
    }

    const AGENTS: [Agent; 4] = [
        Agent::Kernel(0),
        Agent::Kernel(1),
        Agent::Command,
        Agent::Host,
    ];

    #[test]
    fn readers_never_conflict_and_one_cell_always_does_where_one_writes() {
        for object in 0..7 {
            for a in AGENTS {
                for b in AGENTS {
                    let (one, other) = (one(object, 1, false, a), one(object, 1, false, b));
                    assert!(!conflicts(&one, &other));
                    let written = Use { write: true, ..one };
                    assert!(conflicts(&written, &other));
                }
            }
        }
    }

    #[test]
    fn commands_share_no_buffer_whatever_cells_they_use() {
        for a in AGENTS {
            for b in AGENTS {
                let both_host = a == Agent::Host && b == Agent::Host;
                let pairs = [
                    (BUFFER, 0, BUFFER, 5),
                    (PART, 0, PART, 2),
                    (PART, 0, OTHER_PART, 0),
                ];
                for (object, cell, other, place) in pairs {
                    let (a, b) = (one(object, cell, true, a), one(other, place, false, b));
                    assert_eq!(conflicts(&a, &b), !both_host, "{a:?} {b:?}");
                }
                // A buffer and its part are one memory under two names, for host threads, too.
                let (a, b) = (one(BUFFER, 7, true, a), one(PART, 0, false, b));
                assert!(conflicts(&a, &b), "{a:?} {b:?}");
            }
        }
    }

    #[test]
    fn kernels_of_one_device_share_coarse_memory_by_cells() {
        let free = |a, b| a == b && a != Agent::Command;
        for a in AGENTS {
            for b in AGENTS {
                let (one, other) = (one(COARSE, 0, true, a), one(COARSE, 1, true, b));
                assert_eq!(conflicts(&one, &other), !free(a, b), "{a:?} {b:?}");
            }
        }
    }

    #[test]
    fn fine_memory_and_variables_are_shared_by_cells() {
        for object in FINE {
            for a in AGENTS {
                for b in AGENTS {
                    let (one, other) = (one(object, 0, true, a), one(object, 1, true, b));
                    assert!(!conflicts(&one, &other));
                }
            }
        }
    }

    #[test]
    fn a_command_may_use_an_object_in_two_places_but_not_under_two_names() {
        let by = |object, cell, write| Use {
            command: Some(CommandId(0)),
            ..one(object, cell, write, Agent::Kernel(0))
        };
        for object in [BUFFER, COARSE] {
            assert!(!conflicts(&by(object, 0, true), &by(object, 1, false)));
        }
        assert!(!conflicts(&by(PART, 0, true), &by(OTHER_PART, 0, false)));
        assert!(conflicts(&by(BUFFER, 7, true), &by(PART, 0, false)));
        assert!(!conflicts(&by(BUFFER, 7, false), &by(PART, 0, false)));
    }
}
