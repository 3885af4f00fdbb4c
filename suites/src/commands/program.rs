//! What a program of commands is made of.
//!
//! Everything is numbered from 0 within its list; an id is that number. Nothing here is checked: a
//! program is *valid* when [`super::order::Order::of`] and [`super::memory::Memory::of`] accept it.

pub use crate::host::token::{ANY_CELL, AccessId, CommandId, ObjectId, Token, Writer};

use crate::host::constant::{Constant, cl};
use crate::host::ids;
use serde::{Deserialize, Serialize};
use std::fmt;

ids! {
    /// A context.
    ContextId;
    /// A queue.
    QueueId;
    /// A user event.
    UserId;
    /// A callback on an event.
    CallbackId;
    /// A signal from one host thread to others.
    SignalId;
}

/// Most cells of an object.
pub const MOST_CELLS: u8 = 64;
/// Most 32-bit words of a cell.
pub const MOST_WORDS: u16 = 0x8000;
/// Most 32-bit words of a cell of a program-scope variable, which has room for [`MOST_CELLS`] of them.
pub const MOST_VARIABLE_WORDS: u16 = 256;
/// Most of each of the other things in a program, so that tokens have room for them.
pub const MOST: usize = 1000;

/// The `kind:` of a file of a program of commands; older files have none.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FileKind {
    /// `commands`.
    #[default]
    Commands,
}

/// A program of commands.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Program {
    /// What kind of case it is.
    #[serde(default)]
    pub kind: FileKind,
    /// Devices that it needs, at least 1.
    pub devices: u8,
    /// Contexts, each with all those devices, at least 1.
    pub contexts: u8,
    /// 32-bit words of a cell.
    pub cell_words: u16,
    /// Host queues.
    pub queues: Vec<Queue>,
    /// Memory.
    pub objects: Vec<Object>,
    /// User events, each of a context.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub users: Vec<ContextId>,
    /// Commands; every one is enqueued by exactly one step.
    pub commands: Vec<Command>,
    /// Callbacks; every one is registered by exactly one step.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub callbacks: Vec<Callback>,
    /// Accesses of host threads to memory; every one is made by exactly one step.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub accesses: Vec<Access>,
    /// Signals between host threads; every one is given by exactly one step.
    #[serde(default)]
    pub signals: u16,
    /// What host threads do, each from first to last. The first is the main thread; the others start
    /// and end with it.
    pub threads: Vec<Vec<Step>>,
}

/// A host queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Queue {
    /// Its context.
    pub context: ContextId,
    /// Its device, below [`Program::devices`].
    pub device: u8,
    /// Created with CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE.
    pub out_of_order: bool,
}

/// An object in memory. All its cells begin with the token of no writer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Object {
    /// Its context.
    pub context: ContextId,
    /// Its cells, 1 to [`MOST_CELLS`].
    pub cells: u8,
    /// What it is.
    pub kind: Kind,
}

/// What an object is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// A buffer.
    Buffer(HostPointer),
    /// A part of a buffer from this cell on.
    SubBuffer {
        /// The buffer.
        of: ObjectId,
        /// The first of its cells.
        first: u8,
    },
    /// A coarse-grain SVM allocation.
    SvmCoarse,
    /// A fine-grain SVM allocation.
    SvmFine,
    /// Memory of the host, shared as it is (fine-grain system SVM).
    SvmSystem,
    /// A program-scope variable of the kernels' program; one a context.
    Variable,
    /// Memory of the host that commands reach through the pointers of their transfers alone: reads bring cells
    /// there, and writes take theirs from there.
    Host,
}

/// How a buffer gets its first contents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum HostPointer {
    /// CL_MEM_COPY_HOST_PTR.
    Copy,
    /// CL_MEM_USE_HOST_PTR.
    Use,
    /// CL_MEM_ALLOC_HOST_PTR with CL_MEM_COPY_HOST_PTR.
    Alloc,
    /// CL_MEM_USE_HOST_PTR over a coarse-grain SVM allocation.
    UseSvm,
}

/// Cells of an object: `count` of them, `stride` apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Range {
    /// The object.
    pub object: ObjectId,
    /// The first cell.
    pub first: u8,
    /// How many, at least 1.
    pub count: u8,
    /// From one to the next, at least 1. Only rectangular transfers and kernels take more than 1.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub stride: u8,
}

fn one() -> u8 {
    1
}

fn is_one(stride: &u8) -> bool {
    *stride == 1
}

impl Range {
    /// Cells that follow each other.
    pub fn of(object: ObjectId, first: u8, count: u8) -> Range {
        Range {
            object,
            first,
            count,
            stride: 1,
        }
    }

    /// The cells, in order.
    pub fn cells(self) -> impl Iterator<Item = u8> {
        (0..self.count).map(move |i| self.first.saturating_add(i.saturating_mul(self.stride)))
    }

    /// One past the last cell.
    pub fn end(self) -> usize {
        usize::from(self.first)
            + usize::from(self.count.saturating_sub(1)) * usize::from(self.stride)
            + 1
    }
}

/// A command with its place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Command {
    /// Its queue.
    pub queue: QueueId,
    /// What it does.
    pub what: What,
    /// Its wait list; empty for none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub wait: Vec<Event>,
    /// Enqueued by a blocking call; only reads, writes, maps and SVM copies can be.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub blocking: bool,
    /// Enqueued without a place for its event (NULL): nothing names that, and its queue is not released.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub eventless: bool,
}

/// What a command does. Commands on SVM use the functions for SVM.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum What {
    /// A kernel that reads cells, takes its time and writes cells.
    Kernel(Kernel),
    /// A native kernel that does so; buffers only.
    Native(Kernel),
    /// Cells to memory that the host looks at later, or to memory that others use as well.
    Read(Transfer),
    /// Cells from memory of the host: this command's token, or what others left there.
    Write(Transfer),
    /// Cells to cells.
    Copy {
        /// From.
        from: Range,
        /// To; the same number of cells.
        to: Range,
        /// By the rectangular form.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        rect: bool,
    },
    /// One token into all cells.
    Fill(Range),
    /// Makes cells accessible to the host.
    Map {
        /// Which; stride 1.
        range: Range,
        /// For what.
        mode: MapMode,
    },
    /// Ends a map.
    Unmap(CommandId),
    /// clEnqueueMigrateMemObjects or clEnqueueSVMMigrateMem.
    Migrate {
        /// What; all SVM or none.
        objects: Vec<ObjectId>,
        /// To the host, not to the queue's device.
        to_host: bool,
    },
    /// clEnqueueSVMFree of these allocations; nothing uses them afterwards.
    Free(Vec<ObjectId>),
    /// clEnqueueMarkerWithWaitList.
    Marker,
    /// clEnqueueBarrierWithWaitList.
    Barrier,
}

/// A transfer between an object and the host.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Transfer {
    /// The cells.
    pub range: Range,
    /// By the rectangular form.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub rect: bool,
    /// As many cells of a [`Kind::Host`], which it brings its cells to or takes them from; none for memory that
    /// no other has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<Range>,
}

/// A kernel's work.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Kernel {
    /// Cells that it reads first, at most [`Kernel::RANGES`] ranges.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reads: Vec<Range>,
    /// Cells that it writes last, at most [`Kernel::RANGES`] ranges.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub writes: Vec<Range>,
    /// Turns of an empty loop between the two.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub spin: u32,
    /// Work-items, at least 1; each takes a part of every cell. 0 enqueues an empty index space; then
    /// it reads and writes nothing.
    pub items: u16,
    /// Its arguments are set to others as soon as it is enqueued.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub reuse: bool,
}

fn is_zero(n: &u32) -> bool {
    *n == 0
}

impl Kernel {
    /// Most ranges that a kernel reads, and most that it writes.
    pub const RANGES: usize = 2;
}

/// What a map is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MapMode {
    /// CL_MAP_READ.
    Read,
    /// CL_MAP_WRITE.
    Write,
    /// CL_MAP_READ | CL_MAP_WRITE.
    ReadWrite,
    /// CL_MAP_WRITE_INVALIDATE_REGION: what the host does not write is lost.
    Invalidate,
}

impl MapMode {
    /// Its flags.
    pub fn flags(self) -> &'static [Constant] {
        match self {
            MapMode::Read => &[cl::CL_MAP_READ],
            MapMode::Write => &[cl::CL_MAP_WRITE],
            MapMode::ReadWrite => &[cl::CL_MAP_READ, cl::CL_MAP_WRITE],
            MapMode::Invalidate => &[cl::CL_MAP_WRITE_INVALIDATE_REGION],
        }
    }

    /// Whether the host may write.
    pub fn writes(self) -> bool {
        self != MapMode::Read
    }
}

/// An event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Event {
    /// A command's.
    Command(CommandId),
    /// A user event.
    User(UserId),
}

impl Event {
    /// The command; none of a user event.
    pub fn command(self) -> Option<CommandId> {
        match self {
            Event::Command(id) => Some(id),
            Event::User(_) => None,
        }
    }
}

/// A callback on an event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Callback {
    /// The event.
    pub event: Event,
    /// The status that it is registered for.
    pub at: Reached,
    /// What it does; no step of it may block.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<Step>,
}

/// An execution status that callbacks are registered for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reached {
    /// CL_SUBMITTED.
    Submitted,
    /// CL_RUNNING.
    Running,
    /// CL_COMPLETE.
    Complete,
}

impl Reached {
    /// The constant of the headers.
    pub fn constant(self) -> Constant {
        match self {
            Reached::Submitted => cl::CL_SUBMITTED,
            Reached::Running => cl::CL_RUNNING,
            Reached::Complete => cl::CL_COMPLETE,
        }
    }

    /// Its number.
    pub fn status(self) -> i32 {
        self.constant().value() as i32
    }
}

/// An access of a host thread to memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Access {
    /// The cells.
    pub range: Range,
    /// Writes them; else reads.
    pub write: bool,
    /// Through the pointer of this map; `None` for memory that the host needs none for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub map: Option<CommandId>,
}

/// What a host thread does.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Step {
    /// Enqueues a command.
    Enqueue(CommandId),
    /// clFlush.
    Flush(QueueId),
    /// clFinish.
    Finish(QueueId),
    /// clWaitForEvents.
    Wait(Vec<Event>),
    /// clSetUserEventStatus: 0 is CL_COMPLETE, a negative number a failure.
    Set {
        /// The user event.
        user: UserId,
        /// The status.
        status: i32,
    },
    /// clSetEventCallback.
    Register(CallbackId),
    /// Makes an access.
    Access(AccessId),
    /// Looks at what a read brought.
    Inspect(CommandId),
    /// Asks for CL_EVENT_COMMAND_EXECUTION_STATUS.
    Status(Event),
    /// Lets others go on that await it.
    Signal(SignalId),
    /// Waits for a signal.
    Await(SignalId),
    /// Does nothing for some microseconds.
    Sleep(u32),
    /// Lets other threads run this many times.
    Yield(u16),
    /// clReleaseEvent; no step uses it afterwards.
    ReleaseEvent(Event),
    /// clReleaseCommandQueue; no step uses it afterwards.
    ReleaseQueue(QueueId),
    /// clReleaseMemObject or clSVMFree after its last command; no step uses it afterwards.
    ReleaseObject(ObjectId),
}

/// Who does steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Who {
    /// A host thread, by number.
    Thread(u16),
    /// A callback.
    Callback(CallbackId),
}

/// A step of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Place {
    /// Who does it.
    pub who: Who,
    /// Its number among theirs.
    pub step: u16,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.who {
            Who::Thread(n) => write!(f, "step {} of thread {n}", self.step),
            Who::Callback(c) => write!(f, "step {} of callback {}", self.step, c.0),
        }
    }
}

/// The steps of one with their places.
pub fn places(who: Who, steps: &[Step]) -> impl Iterator<Item = (Place, &Step)> {
    let places = (0..).map(move |step| Place { who, step });
    places.zip(steps)
}

impl Kind {
    /// Whether commands reach it by pointer.
    pub fn is_svm(self) -> bool {
        matches!(self, Kind::SvmCoarse | Kind::SvmFine | Kind::SvmSystem)
    }

    /// Whether the host may use it at any time that no command does.
    pub fn is_open(self) -> bool {
        matches!(self, Kind::SvmFine | Kind::SvmSystem | Kind::Host)
    }

    /// Whether a kernel can be given it.
    pub fn is_kernels(self) -> bool {
        self != Kind::Host
    }
}
