//! What a generated program is likely to hold.

use crate::commands::program::{HostPointer, Kind};

/// A way to order one command after another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Idiom {
    /// The event in the wait list.
    WaitList,
    /// A marker without a list behind the first, its event in the wait list of the second.
    Marker,
    /// A marker with the event in its list.
    MarkerList,
    /// A barrier without a list between them in their queue.
    Barrier,
    /// A barrier with the event in its list before the second.
    BarrierList,
    /// The host waits for the event in between.
    HostWait,
    /// The host finishes the queue in between.
    Finish,
    /// A callback of the event sets a user event that is in the wait list.
    Callback,
    /// Another host thread waits for the event and sets a user event.
    OtherThread,
}

impl Idiom {
    /// All.
    pub const ALL: [Idiom; 9] = [
        Idiom::WaitList,
        Idiom::Marker,
        Idiom::MarkerList,
        Idiom::Barrier,
        Idiom::BarrierList,
        Idiom::HostWait,
        Idiom::Finish,
        Idiom::Callback,
        Idiom::OtherThread,
    ];
}

/// What a command is, before its data is chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Work {
    /// A kernel.
    Kernel,
    /// A native kernel.
    Native,
    /// A read.
    Read,
    /// A write.
    Write,
    /// A copy.
    Copy,
    /// A fill.
    Fill,
    /// A map, host accesses, and an unmap.
    Map,
    /// A migration.
    Migrate,
    /// A marker or a barrier of no use to the data.
    Empty,
}

/// Weights of a generator, and sizes.
#[derive(Debug, Clone)]
pub struct Profile {
    /// Fewest and most commands, beside those that order them.
    pub commands: (usize, usize),
    /// Most queues.
    pub queues: usize,
    /// Of a hundred queues, how many are out of order.
    pub out_of_order: usize,
    /// Devices of the program.
    pub devices: u8,
    /// What objects are.
    pub objects: Vec<(Kind, u32)>,
    /// Of a hundred buffers, how many get a sub-buffer.
    pub sub_buffers: usize,
    /// What commands are.
    pub works: Vec<(Work, u32)>,
    /// How they are ordered.
    pub idioms: Vec<(Idiom, u32)>,
    /// Of a hundred commands that wait for nothing, how many wait for a gate.
    pub gates: usize,
    /// Of a hundred reads and writes, how many block.
    pub blocking: usize,
    /// Of a hundred blocking commands that wait for no gate, how many get one.
    pub gated_blocks: usize,
    /// Of a hundred reads and writes of buffers, how many are of rectangles.
    pub rects: usize,
    /// Words of a cell: one of these.
    pub cell_words: Vec<u16>,
    /// Of a hundred gates, how many fail instead of opening.
    pub failures: usize,
    /// Of a hundred commands in queues out of order, how many come behind barriers that have gates of their
    /// own.
    pub gated_barriers: usize,
    /// Of a hundred programs, how many have a crowd of commands between one behind a gate and one that waits
    /// for them all.
    pub crowds: usize,
    /// Of a hundred times that gates are let go, how often other host threads wait for what is behind them.
    pub watchers: usize,
    /// Of a hundred programs, how many read memory once more when all is done.
    pub looks_back: usize,
    /// Of a hundred commands, how many get a callback that only tells.
    pub callbacks: usize,
    /// Of a hundred programs, in how many another host thread enqueues commands, too.
    pub threads: usize,
    /// Of a hundred programs, how many release queues and events early.
    pub releases: usize,
    /// Of a hundred programs with gates, in how many the host waits for a command of another queue before
    /// they open.
    pub independent: usize,
    /// Of a hundred commands behind a gate, how many have a twin behind the same.
    pub twins: usize,
    /// Longest time that a gate stays closed, in microseconds.
    pub longest_gate: usize,
}

const BUFFER: Kind = Kind::Buffer(HostPointer::Copy);

impl Profile {
    /// Queues of both kinds, kernels and transfers, every idiom.
    pub fn queue() -> Profile {
        Profile {
            commands: (2, 6),
            queues: 3,
            out_of_order: 50,
            devices: 1,
            objects: vec![(BUFFER, 1)],
            sub_buffers: 0,
            works: vec![
                (Work::Kernel, 8),
                (Work::Read, 3),
                (Work::Write, 2),
                (Work::Copy, 2),
                (Work::Fill, 2),
                (Work::Empty, 1),
            ],
            idioms: vec![
                (Idiom::WaitList, 6),
                (Idiom::Marker, 1),
                (Idiom::Barrier, 1),
                (Idiom::HostWait, 1),
                (Idiom::Finish, 1),
            ],
            gates: 70,
            blocking: 25,
            gated_blocks: 0,
            rects: 30,
            cell_words: vec![4, 16, 16, 16, 32, 64, 256],
            failures: 0,
            gated_barriers: 4,
            crowds: 6,
            watchers: 8,
            looks_back: 0,
            callbacks: 15,
            threads: 20,
            releases: 25,
            independent: 25,
            twins: 15,
            longest_gate: 300,
        }
    }

    /// Every idiom alike.
    pub fn sync() -> Profile {
        Profile {
            commands: (2, 5),
            idioms: Idiom::ALL.iter().map(|i| (*i, 1)).collect(),
            callbacks: 25,
            ..Profile::queue()
        }
    }

    /// Every kind of buffer and transfer, maps and sub-buffers.
    pub fn memory() -> Profile {
        Profile {
            objects: vec![
                (BUFFER, 2),
                (Kind::Buffer(HostPointer::Use), 2),
                (Kind::Buffer(HostPointer::Alloc), 1),
            ],
            sub_buffers: 40,
            crowds: 0,
            works: vec![
                (Work::Kernel, 4),
                (Work::Read, 3),
                (Work::Write, 3),
                (Work::Copy, 3),
                (Work::Fill, 2),
                (Work::Map, 4),
                (Work::Migrate, 2),
            ],
            ..Profile::queue()
        }
    }

    /// Mostly maps, also of what is mapped already.
    pub fn maps() -> Profile {
        Profile {
            commands: (2, 4),
            works: vec![(Work::Map, 6), (Work::Kernel, 2), (Work::Write, 1)],
            ..Profile::memory()
        }
    }

    /// Coarse-grain SVM.
    pub fn svm_coarse() -> Profile {
        Profile {
            objects: vec![(Kind::SvmCoarse, 4), (Kind::Buffer(HostPointer::UseSvm), 1)],
            works: Profile::memory().works,
            ..Profile::queue()
        }
    }

    /// Fine-grain SVM allocations.
    pub fn svm_fine() -> Profile {
        Profile {
            objects: vec![(Kind::SvmFine, 4), (Kind::SvmCoarse, 1)],
            ..Profile::svm_coarse()
        }
    }

    /// Memory of the host.
    pub fn svm_system() -> Profile {
        Profile {
            objects: vec![(Kind::SvmSystem, 4), (Kind::SvmFine, 1)],
            ..Profile::svm_coarse()
        }
    }

    /// Native kernels among others.
    pub fn native() -> Profile {
        Profile {
            works: vec![
                (Work::Native, 6),
                (Work::Kernel, 3),
                (Work::Read, 2),
                (Work::Write, 1),
            ],
            ..Profile::sync()
        }
    }

    /// A program-scope variable.
    pub fn variable() -> Profile {
        Profile {
            objects: vec![(Kind::Variable, 2), (BUFFER, 1)],
            works: vec![(Work::Kernel, 8), (Work::Read, 1), (Work::Write, 1)],
            ..Profile::queue()
        }
    }

    /// Gates that fail.
    pub fn failure() -> Profile {
        Profile {
            gates: 100,
            failures: 60,
            looks_back: 75,
            out_of_order: 80,
            callbacks: 50,
            threads: 0,
            releases: 0,
            independent: 0,
            idioms: vec![
                (Idiom::WaitList, 6),
                (Idiom::MarkerList, 2),
                (Idiom::BarrierList, 1),
            ],
            ..Profile::queue()
        }
    }

    /// Barriers in queues out of order, and gates before and behind them that open one after another.
    pub fn barriers() -> Profile {
        Profile {
            commands: (1, 3),
            queues: 2,
            out_of_order: 100,
            gated_barriers: 85,
            crowds: 40,
            rects: 0,
            releases: 5,
            independent: 0,
            twins: 0,
            ..Profile::queue()
        }
    }

    /// Queues and events that are released while gates hold their commands back.
    pub fn released() -> Profile {
        Profile {
            commands: (2, 5),
            out_of_order: 30,
            gates: 85,
            callbacks: 40,
            threads: 0,
            releases: 100,
            independent: 5,
            twins: 5,
            ..Profile::queue()
        }
    }

    /// Commands that are let go together and read the same memory at the same time.
    pub fn together() -> Profile {
        Profile {
            commands: (1, 3),
            out_of_order: 80,
            works: vec![(Work::Kernel, 3), (Work::Read, 3), (Work::Copy, 1)],
            gates: 100,
            twins: 90,
            callbacks: 5,
            threads: 5,
            releases: 5,
            independent: 0,
            ..Profile::queue()
        }
    }

    /// Reads and writes that block while a gate is closed, of so much memory that none is done at once.
    pub fn blocking() -> Profile {
        Profile {
            commands: (2, 5),
            works: vec![(Work::Write, 6), (Work::Read, 2), (Work::Kernel, 1)],
            gates: 100,
            blocking: 80,
            gated_blocks: 80,
            rects: 5,
            cell_words: vec![16, 256, 256, 256],
            longest_gate: 3000,
            callbacks: 5,
            threads: 5,
            releases: 5,
            independent: 0,
            ..Profile::queue()
        }
    }

    /// Several devices of a context.
    pub fn devices() -> Profile {
        Profile {
            devices: 2,
            objects: vec![(BUFFER, 2), (Kind::Buffer(HostPointer::Use), 1)],
            ..Profile::sync()
        }
    }

    /// Coarse-grain SVM on several devices.
    pub fn svm_devices() -> Profile {
        Profile {
            devices: 2,
            queues: 4,
            ..Profile::svm_coarse()
        }
    }

    /// The profile of this name, `family/kind`.
    pub fn find(name: &str) -> Option<Profile> {
        let mut all = Profile::all().into_iter();
        let (.., profile) = all.find(|(family, kind, _)| name == format!("{family}/{kind}"))?;
        Some(profile)
    }

    /// Every profile with its family and name.
    pub fn all() -> Vec<(&'static str, &'static str, Profile)> {
        vec![
            ("queue", "random", Profile::queue()),
            ("queue", "failure", Profile::failure()),
            ("queue", "barriers", Profile::barriers()),
            ("queue", "released", Profile::released()),
            ("queue", "together", Profile::together()),
            ("queue", "blocking", Profile::blocking()),
            ("queue", "devices", Profile::devices()),
            ("sync", "random", Profile::sync()),
            ("memory", "random", Profile::memory()),
            ("memory", "maps", Profile::maps()),
            ("memory", "variable", Profile::variable()),
            ("svm", "coarse", Profile::svm_coarse()),
            ("svm", "devices", Profile::svm_devices()),
            ("svm", "fine", Profile::svm_fine()),
            ("svm", "system", Profile::svm_system()),
            ("kernels", "native", Profile::native()),
        ]
    }
}
