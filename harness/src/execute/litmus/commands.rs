//! Litmus tests whose host threads enqueue commands: a test becomes a host program that plays one
//! instance, its kernels those of the litmus kernel writer.

use super::super::host::{Play, SetupError};
use super::super::{Ended, NotRun, Stage, choose_dialect};
use super::host_steps;
use super::tally::Tally;
use classay_litmus::kernel::commands::{memory, needs};
use classay_litmus::kernel::{CommandKernels, test};
use classay_litmus::program::{
    LocId, Memory, Observable, Placement, Program, QueueId, QueueOrder, ThreadId,
};
use classay_reports::record::{EvidenceKind, Launch};
use classay_suites::host::constant::cl;
use classay_suites::host::{
    AnswerId, Builder, Call, Class, Constant, Data, Fixture, Function, HostProgram, Op, ProgramOf,
    Record, Slot, SlotKind, Step, Stretches, Value,
};
use classay_suites::host::{Build, Contents};
use classay_vocabulary::Budget;
use std::time::Instant;

/// Instances that are reported as one launch.
const INSTANCES: u64 = 64;

/// Seconds after which a launch is reported although it has fewer.
const SLOW: f64 = 0.3;

/// Runs a test with commands until the budget is spent.
pub fn run(stage: Stage<'_>, program: &Program) -> Result<Ended, NotRun> {
    let Stage {
        device,
        fixtures,
        budget,
        on_launch,
    } = stage;
    let devices = device.platform_devices.len();
    let dialect = choose_dialect(&device.capabilities, &needs(program)?, devices)?;
    let kernels = CommandKernels::write(program, dialect)?;
    let lowered = lower(program, &kernels)?;
    fixtures.take_build_seconds();
    let play = Play::of(fixtures, lowered.program.clone())?;
    let mut ended = Ended {
        build_seconds: fixtures.take_build_seconds(),
        ..Ended::default()
    };
    let mut tally = Tally::new(&kernels.layout, 0);
    let started = Instant::now();
    let (mut done, mut index) = (0, 0);
    loop {
        let left = match budget {
            Budget::Instances(n) => n.saturating_sub(done).min(INSTANCES),
            Budget::Seconds(seconds) | Budget::Enough { seconds, .. } => {
                let more = done == 0 || started.elapsed().as_secs_f64() < seconds;
                u64::from(more) * INSTANCES
            }
        };
        if left == 0 {
            return Ok(ended);
        }
        let begun = Instant::now();
        let mut tuples = Vec::new();
        for _ in 0..left {
            let record = play.run((done + tuples.len() as u64) as u32);
            if let Some((call, code)) = record.failed {
                return Err(SetupError { call, code }.into());
            }
            tuples.push(lowered.tuple(&kernels, &record));
            if begun.elapsed().as_secs_f64() > SLOW {
                break;
            }
        }
        done += tuples.len() as u64;
        let counts = tally.count(program, &kernels.layout, &[], &[], &tuples)?;
        if tally.unwritten(&counts) > 0 {
            let why = format!(
                "{} of {} instances have a thread that left no result",
                tally.unwritten(&counts),
                counts.total
            );
            return Err(NotRun::failed(why).with(EvidenceKind::Source, kernels.source.clone()));
        }
        let seconds = begun.elapsed().as_secs_f64();
        ended.device_seconds += seconds;
        on_launch(Launch {
            index,
            instances: counts.total,
            seconds,
            outcomes: tally.outcomes(program, &counts),
        });
        index += 1;
    }
}

/// A test as a host program.
struct Lowered {
    program: HostProgram,
    /// What the threads of each kernel left, by the columns of the layout.
    results: Vec<(Vec<ThreadId>, AnswerId)>,
    /// The registers of host threads, eight bytes each.
    registers: Vec<(ThreadId, AnswerId)>,
    /// Locations, where their ends are asked for.
    locations: Vec<(LocId, AnswerId)>,
}

impl Lowered {
    /// How an instance ended, in the words of the layout.
    fn tuple(&self, kernels: &CommandKernels, record: &Record) -> Vec<u32> {
        let layout = &kernels.layout;
        let word = |answer: &AnswerId, n: usize| {
            let bytes = record.answers.get(answer)?.get(4 * n..4 * n + 4)?;
            Some(u32::from_ne_bytes(bytes.try_into().ok()?))
        };
        let mut tuple = vec![layout.unwritten; layout.tuple_words.max(1) as usize];
        for field in &layout.fields {
            let (answer, first) = match field.observable {
                Observable::Register(thread, register) => {
                    let own = self.registers.iter().find(|(of, _)| *of == thread);
                    match own {
                        Some((_, answer)) => (Some(answer), 2 * register.index()),
                        None => {
                            let of = self.results.iter().find(|(all, _)| all.contains(&thread));
                            let column = field.column.unwrap_or_default() as usize;
                            (of.map(|(_, answer)| answer), column)
                        }
                    }
                }
                Observable::Memory(location, element) => {
                    let of = self.locations.iter().find(|(of, _)| *of == location);
                    let at = element as usize * field.words as usize;
                    (of.map(|(_, answer)| answer), at)
                }
            };
            for n in 0..field.words as usize {
                let found = answer.and_then(|answer| word(answer, first + n));
                if let Some(found) = found {
                    tuple[field.word as usize + n] = found;
                }
            }
        }
        if let (Some(column), Some(last)) = (layout.bound_column, tuple.last_mut()) {
            let reached = |(_, answer): &(Vec<ThreadId>, AnswerId)| word(answer, column as usize);
            *last = self.results.iter().filter_map(reached).sum();
        }
        tuple
    }
}

/// What a test with commands is lowered with.
pub(super) struct Lowering<'p> {
    pub program: &'p Program,
    pub builder: Builder,
    pub queues: Vec<Slot>,
    pub locations: Vec<(Slot, Memory)>,
    pub events: Vec<Slot>,
    pub kernels: Vec<(Slot, usize, usize)>,
    context: Slot,
    service: Slot,
    /// What is looked at when all is finished.
    reads: Vec<Step>,
}

fn lower(program: &Program, kernels: &CommandKernels) -> Result<Lowered, NotRun> {
    let mut builder = Builder::default();
    let on = |thread: &classay_litmus::program::Thread| match thread.placement {
        Placement::Device(item) => item.device as u8 + 1,
        Placement::Host => 1,
    };
    let count = program.threads.iter().map(on).max().unwrap_or(1);
    let devices: Vec<Slot> = (0..count)
        .map(|n| builder.fixture(format!("device_{n}"), Fixture::Device(n)))
        .collect();
    let context = Fixture::Context {
        devices: count,
        number: 0,
    };
    let context = builder.fixture("context", context);
    let service = Fixture::Queue {
        context,
        device: 0,
        profiling: false,
        number: 0,
    };
    let service = builder.fixture("service", service);
    let built = Fixture::Program {
        context,
        of: ProgramOf::Source(kernels.source.clone()),
        build: Build::default(),
    };
    let built = builder.fixture("program", built);
    let mut lowering = Lowering {
        program,
        builder,
        queues: Vec::new(),
        locations: Vec::new(),
        events: Vec::new(),
        kernels: vec![(service, 0, 0); program.commands.len()],
        context,
        service,
        reads: Vec::new(),
    };
    lowering.queues(kernels, &devices);
    for n in 0..program.locations.len() {
        lowering.location(kernels, LocId(n as u32));
    }
    let mut results = Vec::new();
    for kernel in &kernels.kernels {
        let fixture = Fixture::Kernel {
            program: built,
            name: kernel.name.clone(),
            number: 0,
        };
        let slot = lowering.builder.fixture(kernel.name.clone(), fixture);
        let result = lowering.arguments(kernels, slot, &kernel.name);
        let own = |(n, thread): (usize, &classay_litmus::program::Thread)| {
            (thread.kernel == Some(kernel.command)).then_some(ThreadId(n as u32))
        };
        let threads = program.threads.iter().enumerate().filter_map(own).collect();
        results.push((threads, result));
        lowering.kernels[kernel.command.index()] = (slot, kernel.groups, kernel.items);
    }
    let events = program.commands.len();
    lowering.events = lowering.builder.slots("event", SlotKind::Event, events);
    let mut registers = Vec::new();
    for (n, thread) in program.threads.iter().enumerate() {
        if thread.placement == Placement::Host {
            let id = ThreadId(n as u32);
            let (slot, steps) = host_steps::thread(&mut lowering, id)?;
            lowering.builder.thread(steps);
            registers.push((id, slot, 8 * thread.registers.len().max(1)));
        }
    }
    Ok(lowering.end(kernels, results, &registers))
}

impl Lowering<'_> {
    fn queues(&mut self, kernels: &CommandKernels, devices: &[Slot]) {
        for (n, queue) in self.program.queues.iter().enumerate() {
            let here = |k: &&classay_litmus::kernel::CommandKernel| {
                self.program.commands[k.command.index()].queue == QueueId(n as u32)
            };
            let device = kernels.kernels.iter().find(here).map_or(0, |k| k.device);
            let mut flags = Vec::new();
            if queue.order == QueueOrder::OutOfOrder {
                flags.push(cl::CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
            }
            let properties = [
                cl::CL_QUEUE_PROPERTIES.into(),
                Value::Flags(flags),
                Value::Number(0),
            ];
            let slot = self.builder.slot(format!("queue_{n}"), SlotKind::Queue);
            let arguments = [
                self.context.into(),
                devices[device as usize].into(),
                Value::list(Class::Long, properties),
            ];
            let create = Call::new(Function::CreateCommandQueueWithProperties, arguments);
            self.builder.begin(create.makes(slot));
            self.queues.push(slot);
        }
    }

    /// A location with what it holds at first.
    fn location(&mut self, kernels: &CommandKernels, id: LocId) {
        let location = &self.program.locations[id.index()];
        let bytes = 4 * kernels.layout.places[id.index()].words as usize;
        let first = test::initial_words(location.ty, &location.init);
        let name = format!("location_{}", id.0);
        let kind = memory(self.program, id);
        let slot = match kind {
            Memory::Buffer | Memory::Unstated => self.buffer(&name, first),
            Memory::CoarseSvm | Memory::FineSvm | Memory::FineSvmAtomics => {
                let flags: &[Constant] = match kind {
                    Memory::FineSvm => &[cl::CL_MEM_SVM_FINE_GRAIN_BUFFER],
                    Memory::FineSvmAtomics => {
                        &[cl::CL_MEM_SVM_FINE_GRAIN_BUFFER, cl::CL_MEM_SVM_ATOMICS]
                    }
                    _ => &[],
                };
                let slot = self.builder.slot(name, SlotKind::Svm(self.context));
                let flags = [&[cl::CL_MEM_READ_WRITE], flags].concat();
                let arguments = [
                    self.context.into(),
                    Value::Flags(flags),
                    bytes.into(),
                    0_u32.into(),
                ];
                let alloc = Call::new(Function::SVMAlloc, arguments);
                self.builder.begin(alloc.makes(slot));
                let write = write(slot, first, bytes);
                if kind == Memory::CoarseSvm {
                    let [map, unmap, finish] = self.mapped(slot, bytes, cl::CL_MAP_WRITE);
                    self.builder.begin(map);
                    self.builder.begin(write);
                    self.builder.begin(unmap);
                    self.builder.begin(finish);
                } else {
                    self.builder.begin(write);
                }
                slot
            }
            Memory::SystemSvm => {
                let slot = self.builder.slot(name, SlotKind::Host { bytes });
                self.builder.begin(write(slot, first, bytes));
                slot
            }
        };
        self.locations.push((slot, kind));
    }

    fn buffer(&mut self, name: &str, words: Vec<u32>) -> Slot {
        let slot = self.builder.slot(name, SlotKind::Memory);
        let flags = vec![cl::CL_MEM_READ_WRITE, cl::CL_MEM_COPY_HOST_PTR];
        let arguments = [
            self.context.into(),
            Value::Flags(flags),
            (4 * words.len()).into(),
            Value::words(words),
        ];
        let create = Call::new(Function::CreateBuffer, arguments);
        self.builder.begin(create.makes(slot));
        slot
    }

    /// Maps an SVM allocation, unmaps it, and waits for that.
    fn mapped(&self, slot: Slot, bytes: usize, flags: Constant) -> [Call; 3] {
        let map = [
            self.service.into(),
            true.into(),
            flags.into(),
            slot.into(),
            bytes.into(),
            0_u32.into(),
            Value::Null,
            Value::Null,
        ];
        let unmap = [
            self.service.into(),
            slot.into(),
            0_u32.into(),
            Value::Null,
            Value::Null,
        ];
        [
            Call::new(Function::EnqueueSVMMap, map),
            Call::new(Function::EnqueueSVMUnmap, unmap),
            Call::of(Function::Finish, self.service),
        ]
    }

    /// Gives a kernel its arguments; what its threads leave comes as this answer.
    fn arguments(&mut self, kernels: &CommandKernels, kernel: Slot, name: &str) -> AnswerId {
        for (n, (slot, memory)) in (0_u32..).zip(self.locations.clone()) {
            let call = match memory {
                Memory::Buffer | Memory::Unstated => Call::object_argument(kernel, n, slot),
                Memory::CoarseSvm
                | Memory::FineSvm
                | Memory::FineSvmAtomics
                | Memory::SystemSvm => Call::new(
                    Function::SetKernelArgSVMPointer,
                    [kernel.into(), n.into(), slot.into()],
                ),
            };
            self.builder.begin(call);
        }
        let layout = &kernels.layout;
        let mut words = vec![layout.unwritten; layout.columns.max(1) as usize];
        if let Some(column) = layout.bound_column {
            words[column as usize] = 0;
        }
        let bytes = 4 * words.len();
        let result = self.buffer(&format!("{name}_result"), words);
        let n = self.locations.len() as u32;
        self.builder.begin(Call::object_argument(kernel, n, result));
        let answer = self.builder.answer();
        let read = self.read(result, bytes, answer);
        self.reads.push(read.into());
        answer
    }

    /// Finishes everything, and looks at what there is to see then.
    fn end(
        mut self,
        kernels: &CommandKernels,
        results: Vec<(Vec<ThreadId>, AnswerId)>,
        threads: &[(ThreadId, Slot, usize)],
    ) -> Lowered {
        let mut registers = Vec::new();
        for (thread, slot, bytes) in threads {
            let into = self.builder.answer();
            self.reads.push(look(*slot, *bytes, into));
            registers.push((*thread, into));
        }
        let mut locations: Vec<(LocId, AnswerId)> = Vec::new();
        for field in &kernels.layout.fields {
            if let Observable::Memory(id, _) = field.observable
                && !locations.iter().any(|(of, _)| *of == id)
            {
                locations.push((id, self.last(kernels, id)));
            }
        }
        for queue in self.queues.clone() {
            self.builder.end(Call::of(Function::Finish, queue));
        }
        self.builder.end(Op::Settle {
            events: self.events.clone(),
            callbacks: Vec::new(),
        });
        self.builder.end(Op::Settled(self.reads));
        Lowered {
            program: self.builder.finish(),
            results,
            registers,
            locations,
        }
    }

    /// Reads what a location holds in the end.
    fn last(&mut self, kernels: &CommandKernels, id: LocId) -> AnswerId {
        let bytes = 4 * kernels.layout.places[id.index()].words as usize;
        let (slot, memory) = self.locations[id.index()];
        let answer = self.builder.answer();
        match memory {
            Memory::Buffer | Memory::Unstated => {
                let read = self.read(slot, bytes, answer);
                self.reads.push(read.into());
            }
            Memory::CoarseSvm => {
                let [map, unmap, finish] = self.mapped(slot, bytes, cl::CL_MAP_READ);
                let steps = [
                    map.into(),
                    look(slot, bytes, answer),
                    unmap.into(),
                    finish.into(),
                ];
                self.reads.extend(steps);
            }
            Memory::FineSvm | Memory::FineSvmAtomics | Memory::SystemSvm => {
                self.reads.push(look(slot, bytes, answer));
            }
        }
        answer
    }

    fn read(&self, buffer: Slot, bytes: usize, answer: AnswerId) -> Call {
        Call::new(
            Function::EnqueueReadBuffer,
            [
                self.service.into(),
                buffer.into(),
                true.into(),
                0_u32.into(),
                bytes.into(),
                Value::Answer(answer, bytes),
                0_u32.into(),
                Value::Null,
                Value::Null,
            ],
        )
    }
}

/// Reads memory that the host may use.
fn look(slot: Slot, bytes: usize, into: AnswerId) -> Step {
    Step::from(Op::Read {
        from: slot.at(0),
        stretches: Stretches::whole(bytes),
        into,
    })
}

/// Writes words to memory that the host may use.
fn write(slot: Slot, words: Vec<u32>, bytes: usize) -> Op {
    Op::Write {
        at: slot.at(0),
        data: Data::Contents {
            contents: Contents::Words(words),
            bytes,
        },
    }
}
