//! What a host program is made of.

use super::answers::{Question, QuestionId};
use super::build::Build;
use super::constant::cl;
use super::contents::Contents;
use super::exchange;
use super::function::{Class, Function, Gives};
use super::ids::{AnswerId, CallbackId, Mark, SignalId};
use super::token::Writer;
use super::value::{Place, Slot, Value};
use crate::rule::RuleId;
use std::collections::{BTreeMap, BTreeSet};

/// A host program: what one process does with the API.
///
/// A run makes what `begin` says, then plays `threads` beside each other, then `end`. `begin` and `end`
/// belong to the main thread. A call that fails against its [`Expect`] ends the run, which then says
/// nothing of the implementation but that; `end` is played all the same. What is in slots when all is over
/// is released by the player, the last first; but nothing is where commands may be left that use it,
/// because events stayed pending or a call of `end` failed.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct HostProgram {
    /// What it keeps, each with the name that its variable has in C.
    pub slots: Vec<SlotInfo>,
    /// What outlives a run, in order; kept from program to program by those that play many.
    pub fixtures: Vec<(Slot, Fixture)>,
    /// Makes what a run begins with.
    pub begin: Vec<Step>,
    /// What host threads do, each from first to last. The first is the main thread; the others start and
    /// end with it.
    pub threads: Vec<Vec<Step>>,
    /// Finishes what is left, and looks at what is known only then.
    pub end: Vec<Step>,
    /// Functions that the implementation calls.
    pub callbacks: Vec<Callback>,
    /// Signals between host threads.
    pub signals: u16,
    /// What its objects are asked, by [`Op::Ask`].
    pub questions: Vec<Question>,
}

impl HostProgram {
    /// Gives every step to a function, also those inside of others.
    pub fn steps<'p>(&'p self, then: &mut dyn FnMut(&'p Step)) {
        fn all<'p>(steps: &'p [Step], then: &mut dyn FnMut(&'p Step)) {
            for step in steps {
                then(step);
                if let Op::Repeat { body, .. } | Op::Sequence(body) | Op::Settled(body) = &step.op {
                    all(body, then);
                }
            }
        }
        all(&self.begin, then);
        self.threads.iter().for_each(|steps| all(steps, then));
        all(&self.end, then);
        let callbacks = self.callbacks.iter();
        callbacks.for_each(|callback| all(&callback.steps, then));
    }

    /// The functions that its steps call.
    pub fn functions(&self) -> BTreeSet<Function> {
        let mut functions = BTreeSet::new();
        self.steps(&mut |step| {
            if let Op::Call(call) = &step.op {
                functions.insert(call.function);
            }
        });
        functions
    }

    /// Whether it ends commands abnormally, by user events that it sets to failures: its contexts "and all other
    /// command-queues in this context […] may no longer be available" then.
    pub fn may_lose_contexts(&self) -> bool {
        let mut fails = false;
        self.steps(&mut |step| {
            if let Op::Call(call) = &step.op
                && call.function == Function::SetUserEventStatus
                && let Some(Value::Number(status)) = call.arguments.get(1)
            {
                fails |= (*status as i64) < 0;
            }
        });
        fails
    }

    /// The slots of shared virtual memory, with the multiple of bytes at which each begins.
    pub fn alignments(&self) -> BTreeMap<Slot, u64> {
        let mut all = BTreeMap::new();
        self.steps(&mut |step| {
            if let Op::Call(call) = &step.op
                && let Some((slot, alignment)) = call.alignment()
            {
                all.insert(slot, alignment);
            }
        });
        all
    }

    /// The memory that the host may use while kernels run, with its length: its own, and fine-grain SVM.
    pub fn open_memory(&self) -> BTreeMap<Slot, usize> {
        let mut open = BTreeMap::new();
        for (n, info) in self.slots.iter().enumerate() {
            if let SlotKind::Host { bytes } = info.kind {
                open.insert(Slot(n as u16), bytes);
            }
        }
        self.steps(&mut |step| {
            if let Op::Call(call) = &step.op
                && call.function == Function::SVMAlloc
                && let (Some(slot), Some(Value::Flags(flags)), Some(Value::Number(bytes))) =
                    (call.made, call.arguments.get(1), call.arguments.get(2))
                && flags.contains(&cl::CL_MEM_SVM_FINE_GRAIN_BUFFER)
            {
                open.insert(slot, *bytes as usize);
            }
        });
        open
    }
}

/// A slot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SlotInfo {
    /// Its name, an identifier of C.
    pub name: String,
    /// What it holds.
    pub kind: SlotKind,
}

/// What a slot holds, and how that is given up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SlotKind {
    /// A platform; never given up.
    Platform,
    /// A device; never given up.
    Device,
    /// A context.
    Context,
    /// A command-queue.
    Queue,
    /// A buffer, an image or a pipe.
    Memory,
    /// A sampler.
    Sampler,
    /// A program.
    Program,
    /// A kernel.
    Kernel,
    /// An event.
    Event,
    /// A command-buffer.
    CommandBuffer,
    /// A handle of a recorded command; it goes with its command-buffer.
    MutableCommand,
    /// The address of an SVM allocation of this context.
    Svm(Slot),
    /// An address that belongs to something else: of a map, or of a native kernel's argument.
    Address,
    /// The address of memory of the host's own, freed with the run.
    Host {
        /// Its length in bytes, filled with zeros when the run begins.
        bytes: usize,
    },
}

impl SlotKind {
    /// The type of its variable in C, and the function that gives up the program's reference to an object.
    fn row(self) -> (&'static str, Option<Function>) {
        match self {
            SlotKind::Platform => ("cl_platform_id", None),
            SlotKind::Device => ("cl_device_id", None),
            SlotKind::Context => ("cl_context", Some(Function::ReleaseContext)),
            SlotKind::Queue => ("cl_command_queue", Some(Function::ReleaseCommandQueue)),
            SlotKind::Memory => ("cl_mem", Some(Function::ReleaseMemObject)),
            SlotKind::Sampler => ("cl_sampler", Some(Function::ReleaseSampler)),
            SlotKind::Program => ("cl_program", Some(Function::ReleaseProgram)),
            SlotKind::Kernel => ("cl_kernel", Some(Function::ReleaseKernel)),
            SlotKind::Event => ("cl_event", Some(Function::ReleaseEvent)),
            // Older headers do not name its type.
            SlotKind::CommandBuffer => ("void *", Some(Function::ReleaseCommandBufferKHR)),
            SlotKind::MutableCommand => ("void *", None),
            SlotKind::Svm(_) | SlotKind::Address | SlotKind::Host { .. } => {
                ("unsigned char *", None)
            }
        }
    }

    /// The type of its variable in C.
    pub fn c_type(self) -> &'static str {
        self.row().0
    }

    /// The function that gives up the program's reference to an object; none where there is no such reference.
    pub fn release(self) -> Option<Function> {
        self.row().1
    }

    /// Whether it holds an object of the API.
    pub fn is_object(self) -> bool {
        let kept = [
            SlotKind::Platform,
            SlotKind::Device,
            SlotKind::MutableCommand,
        ];
        self.release().is_some() || kept.contains(&self)
    }

    /// The kind of objects that belong into a parameter, or where it points to; none where any may stand.
    pub fn of_parameter(function: Function, name: &str, class: Class) -> Option<SlotKind> {
        Some(match (name, class) {
            ("properties", Class::Pointer) if function.is_extension() => return None,
            ("queues", Class::Pointer) => SlotKind::Queue,
            ("command_buffer", _) => SlotKind::CommandBuffer,
            ("command", _) | ("handle", Class::Pointer) => SlotKind::MutableCommand,
            ("properties", Class::Pointer) | ("platform", _) => SlotKind::Platform,
            ("value", Class::Pointer) if function == Function::SetKernelArg => SlotKind::Memory,
            ("device" | "devices", Class::Object | Class::Pointer) => SlotKind::Device,
            ("context", _) => SlotKind::Context,
            ("queue", _) => SlotKind::Queue,
            ("program" | "programs" | "headers", Class::Object | Class::Pointer) => {
                SlotKind::Program
            }
            ("kernel", _) => SlotKind::Kernel,
            ("sampler", _) => SlotKind::Sampler,
            ("event" | "events" | "list", Class::Object | Class::Pointer) => SlotKind::Event,
            ("memory" | "buffer" | "image" | "pipe" | "from" | "to", Class::Object)
            | ("memory", Class::Pointer) => SlotKind::Memory,
            _ => return None,
        })
    }
}

/// Something that outlives a run.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Fixture {
    /// The platform of the device under test.
    Platform,
    /// A device: 0 is the one under test, the others are its neighbours on the platform.
    Device(u8),
    /// A context of the first so many devices. Contexts of other numbers are others.
    Context {
        /// How many devices.
        devices: u8,
        /// Which of those with so many.
        number: u8,
    },
    /// A queue of a context, that no case releases.
    Queue {
        /// The context.
        context: Slot,
        /// The device.
        device: u8,
        /// With CL_QUEUE_PROFILING_ENABLE.
        profiling: bool,
        /// Which of those that are alike.
        number: u8,
    },
    /// A program, built for all devices of its context.
    Program {
        /// The context.
        context: Slot,
        /// What it is made of.
        of: ProgramOf,
        /// How it is built.
        build: Build,
    },
    /// A kernel of a program.
    Kernel {
        /// The program.
        program: Slot,
        /// Its name.
        name: String,
        /// Which of those of that name: each has arguments of its own.
        number: u16,
    },
}

/// What a program is made of.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum ProgramOf {
    /// OpenCL C.
    Source(String),
    /// OpenCL C in several translation units, which are compiled and then linked.
    Units(Vec<String>),
    /// The words of a SPIR-V module.
    Module(Vec<u32>),
    /// OpenCL C in one or several translation units, of which the player makes a SPIR-V module that it gives the
    /// implementation.
    Translated(Vec<String>),
    /// The names of built-in kernels, separated by semicolons; `*` means all that the device has.
    BuiltIn(String),
}

/// A step of a thread.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// What is done.
    pub op: Op,
    /// Under which number the record tells of it; none for steps of which nothing is asked.
    pub mark: Option<Mark>,
}

/// An operation of the host.
#[derive(Debug, Clone, PartialEq)]
pub enum Op {
    /// A call of the API.
    Call(Call),
    /// The host writes memory that it may use at this time.
    Write {
        /// Where to.
        at: Place,
        /// What.
        data: Data,
    },
    /// The host reads memory that it may use at this time.
    Read {
        /// Where from.
        from: Place,
        /// How much; stretches of so many bytes, so far apart, one after the other.
        stretches: Stretches,
        /// The answer that gets the bytes.
        into: AnswerId,
    },
    /// Lets others go on that await it.
    Signal(SignalId),
    /// Waits for a signal.
    Await(SignalId),
    /// Does nothing for so many microseconds.
    Sleep(u32),
    /// Lets other threads run this many times.
    Yield(u16),
    /// Turns of an empty loop.
    Spin(u32),
    /// Does steps again and again.
    Repeat {
        /// How often.
        times: u32,
        /// Where this many milliseconds are over before, the thread's further steps are left out.
        within: Option<u32>,
        /// What.
        body: Vec<Step>,
    },
    /// The host takes part in what kernels do, through memory that both share.
    Exchange {
        /// The word that a side writes which has waited too long, and that all read who wait.
        quit: Option<Place>,
        /// What the host does.
        operations: Vec<exchange::Operation>,
    },
    /// Steps up to the first call that fails, as one: the code of the mark is that call's, or that of the
    /// last.
    Sequence(Vec<Step>),
    /// A slot of an address gets that of a place.
    Point {
        /// The slot.
        slot: Slot,
        /// The place.
        at: Place,
    },
    /// Waits until none of these events is pending and each of these callbacks was called as often as it
    /// was registered, at most until the deadline. Where events stay pending the run gives nothing up.
    Settle {
        /// The events, where their slots hold one.
        events: Vec<Slot>,
        /// The callbacks.
        callbacks: Vec<Awaited>,
    },
    /// Steps that are done only where no event stayed pending.
    Settled(Vec<Step>),
    /// Makes a program in a run as for a fixture, anew: it is given up like what calls make.
    Build {
        /// Its slot.
        program: Slot,
        /// The context, a fixture.
        context: Slot,
        /// What it is made of.
        of: ProgramOf,
        /// How it is built.
        build: Build,
    },
    /// Counts and names the kernels of a program, makes one of each name that was asked for, and asks it for
    /// its own.
    Kernels {
        /// The program.
        program: Slot,
        /// The names, separated by semicolons; `*` means all built-in kernels of the device.
        asked: String,
    },
    /// From here on what comes to standard output is kept.
    Listen,
    /// Gives what was kept, and keeps no more. The answer is not there where nothing ever came: then the
    /// implementation prints to another stream.
    Heard {
        /// The answer.
        into: AnswerId,
    },
    /// Asks an object something that it must answer, where the device knows the question and the objects are there.
    Ask(QuestionId),
    /// Bytes of memory that the process has in use, as an answer of eight bytes; none where the system does
    /// not say.
    Resident {
        /// The answer.
        into: AnswerId,
        /// Where memory grew by at most so many bytes since this answer, the thread's further steps are
        /// left out.
        since: Option<(AnswerId, u64)>,
    },
}

/// A callback that has to come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Awaited {
    /// Which.
    pub callback: CallbackId,
    /// The mark of its registration: one that was refused never comes.
    pub registered: Mark,
    /// Callbacks of one sort are those that an implementation treats alike.
    pub sort: u8,
}

/// A call of the API.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    /// The function.
    pub function: Function,
    /// As many arguments as it has parameters, but for the error pointer.
    pub arguments: Vec<Value>,
    /// The slot that gets what the function gives back, where it makes something.
    pub made: Option<Slot>,
    /// What it may return.
    pub expect: Expect,
    /// A function that makes something gets NULL where its code would come: "If errcode_ret is NULL, no error code is
    /// returned". A null result says that it failed then, with CL_INVALID_VALUE.
    pub silent: bool,
}

/// What a call may return.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Expect {
    /// The codes, the right one first; empty where any will do. A call that gives another ends the run,
    /// unless it had to be refused or was not made: all further steps of threads are left out. One that had
    /// to be refused and was let through ends its thread alone, whose further steps are left out, for it may
    /// have done anything to what they need. A function that gives an address alone gives CL_INVALID_VALUE
    /// with a null one.
    pub codes: Vec<i32>,
    /// The rules that it breaks with another code, the likeliest first.
    pub rules: Vec<RuleId>,
    /// Where it must be refused, the sentence of the specification that refuses it.
    pub sentence: Option<String>,
    /// A code besides 0 that says how the work of the call ended, and does not refuse it: a build that fails before its
    /// call returns. What follows a call that succeeded follows this one, too.
    pub ended: Option<i32>,
}

impl Call {
    /// Whether it can be made without a place for its code: it makes something, and must succeed.
    pub fn may_be_silent(&self) -> bool {
        let makes = self.function.signature().gives == Gives::Made && self.made.is_some();
        makes && self.expect.codes == [0] && self.expect.ended.is_none()
    }

    /// Gives every value of its arguments to a function, also those inside of others.
    pub fn each<'c>(&'c self, then: &mut dyn FnMut(&'c Value)) {
        self.arguments.iter().for_each(|value| value.each(then));
    }

    /// The memory that clSVMAlloc makes, and the multiple of bytes at which it begins: "If alignment is 0, a default
    /// alignment will be used that is equal to the size of largest data type supported by the OpenCL implementation",
    /// which is long16. It is double16's size, too; a device of the embedded profile without 64-bit types, which has
    /// neither, is not known here.
    pub fn alignment(&self) -> Option<(Slot, u64)> {
        if self.function != Function::SVMAlloc || self.expect.refused() {
            return None;
        }
        match (self.made?, self.arguments.get(3)?) {
            (slot, Value::Number(0)) => Some((slot, 128)),
            (slot, Value::Number(asked)) => Some((slot, *asked)),
            _ => None,
        }
    }

    /// The work-items of the work-groups that it launches, where it says how many. A kernel may permit fewer than its
    /// device: "The OpenCL implementation uses the resource requirements of the kernel (register usage etc.) to
    /// determine what this work-group size should be" (CL_KERNEL_WORK_GROUP_SIZE). CL_INVALID_WORK_GROUP_SIZE says
    /// so, where no other reason for it is expected.
    pub fn launched_group(&self) -> Option<u32> {
        let other_reason = cl::CL_INVALID_WORK_GROUP_SIZE.value() as i32;
        if self.function != Function::EnqueueNDRangeKernel
            || self.expect.codes.contains(&other_reason)
        {
            return None;
        }
        let Some(Value::List(_, sizes)) = self.arguments.get(5) else {
            return None;
        };
        sizes.iter().try_fold(1_u32, |items, size| match size {
            Value::Number(size) => items.checked_mul(u32::try_from(*size).ok()?),
            _ => None,
        })
    }
}

impl Expect {
    /// Success, and nothing else.
    pub fn success(rules: Vec<RuleId>) -> Expect {
        Expect {
            codes: vec![0],
            rules,
            sentence: None,
            ended: None,
        }
    }

    /// The code as what follows takes it: that of success where it says how the work ended.
    pub fn taken(&self, code: i32) -> i32 {
        if self.ended == Some(code) { 0 } else { code }
    }

    /// Whether the call must be refused.
    pub fn refused(&self) -> bool {
        self.codes.first().is_some_and(|code| *code != 0)
    }
}

/// Where bytes are that the host reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stretches {
    /// How many.
    pub count: usize,
    /// Bytes of each.
    pub bytes: usize,
    /// From the beginning of one to the next.
    pub pitch: usize,
}

impl Stretches {
    /// So many bytes in one piece.
    pub fn whole(bytes: usize) -> Stretches {
        Stretches {
            count: 1,
            bytes,
            pitch: bytes,
        }
    }
}

/// What the host writes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Data {
    /// So many bytes of these contents.
    Contents {
        /// The contents.
        contents: Contents,
        /// How many bytes.
        bytes: usize,
    },
    /// Cells filled with a writer's tokens.
    Tokens {
        /// The writer.
        writer: Writer,
        /// The number of the first cell in its token.
        first: u8,
        /// How many cells.
        count: u8,
        /// From one to the next, in cells, in memory and in tokens.
        stride: u8,
        /// 32-bit words of a cell.
        words: u16,
    },
    /// The address of a place, as long as a pointer of the host; null where there is none.
    Address(Option<Place>),
    /// What is at another place: rows of slices.
    Copy {
        /// The place.
        from: Place,
        /// Bytes of a row, rows, slices.
        region: [usize; 3],
        /// How rows follow each other where it is taken from.
        apart: Pitches,
        /// How they follow each other where it comes to.
        to_apart: Pitches,
    },
}

impl Data {
    /// So many zeros.
    pub fn zeros(bytes: usize) -> Data {
        Data::Contents {
            contents: Contents::Zero,
            bytes,
        }
    }
}

/// How rows and slices follow each other in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pitches {
    /// Without gaps.
    Close,
    /// From row to row and from slice to slice so many bytes as these answers of eight bytes say.
    Answered(AnswerId, AnswerId),
    /// From row to row and from slice to slice so many bytes.
    Given(usize, usize),
}

/// A function of the program that the implementation calls.
#[derive(Debug, Clone, PartialEq)]
pub struct Callback {
    /// What calls it.
    pub of: CallbackOf,
    /// What it does; no step may block.
    pub steps: Vec<Step>,
}

/// What calls a function of the program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CallbackOf {
    /// An event's status; the event.
    Event(Slot),
    /// The end of a memory object.
    Memory,
    /// The end of a context.
    Context,
    /// The end of a build, a compilation or a linking; the program, where its slot holds it.
    Program(Slot),
    /// A clEnqueueSVMFree on a queue, which frees nothing itself: the function does.
    SvmFree {
        /// The queue.
        queue: Slot,
        /// The allocations of the list.
        pointers: Vec<Slot>,
    },
    /// A native kernel: it finds its identity, the addresses of memory objects and [`number_in_block`]s in its block of
    /// arguments, in this order. Where the numbers are others, it ran without its arguments.
    Native {
        /// Where it keeps the addresses while it runs.
        slots: Vec<Slot>,
        /// How many numbers there are.
        numbers: usize,
    },
}

/// The nth number among the arguments of a native kernel: a small one, as programs give them, and another than at
/// the places beside it.
pub fn number_in_block(n: usize) -> u64 {
    (NUMBER_STEP * n as u64 + NUMBER_FIRST) % NUMBER_END
}

/// The first of those numbers.
pub const NUMBER_FIRST: u64 = 3;

/// How much larger each of them is than the one before.
pub const NUMBER_STEP: u64 = 7;

/// All of them are below this; beyond it they begin anew.
pub const NUMBER_END: u64 = 251;
