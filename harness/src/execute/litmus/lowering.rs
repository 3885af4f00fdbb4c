//! What a litmus test with commands needs as a host program: its queues, its locations with what they hold
//! at first, the arguments of its kernels, and what is looked at in the end.

use classay_litmus::kernel::{CommandKernel, CommandKernels, test};
use classay_litmus::program::{
    CommandId, LocId, Memory, Observable, Program, QueueId, QueueOrder, ThreadId,
};
use classay_suites::host::constant::cl;
use classay_suites::host::{
    AnswerId, Builder, Call, Class, Constant, Contents, Data, Function, HostProgram, Op, Record,
    SignalId, Slot, SlotKind, Step, Stretches, Value,
};

/// A test as a host program.
pub struct Lowered {
    pub program: HostProgram,
    /// Where each field of the layout is left: the answer, and the first of its words.
    fields: Vec<Option<(AnswerId, usize)>>,
    /// What the threads of each kernel left, by the columns of the layout.
    results: Vec<AnswerId>,
}

impl Lowered {
    /// How an instance ended, in the words of the layout.
    pub fn tuple(&self, kernels: &CommandKernels, record: &Record) -> Vec<u32> {
        let layout = &kernels.layout;
        let word = |answer: &AnswerId, n: usize| {
            let bytes = record.answers.get(answer)?.get(4 * n..4 * n + 4)?;
            Some(u32::from_ne_bytes(bytes.try_into().ok()?))
        };
        let mut tuple = vec![layout.unwritten; layout.tuple_words.max(1) as usize];
        for (field, left) in layout.fields.iter().zip(&self.fields) {
            for n in 0..field.words as usize {
                let found = left.and_then(|(answer, first)| word(&answer, first + n));
                if let Some(found) = found {
                    tuple[field.word as usize + n] = found;
                }
            }
        }
        if let (Some(column), Some(last)) = (layout.bound_column, tuple.last_mut()) {
            let reached = |answer: &AnswerId| word(answer, column as usize);
            *last = self.results.iter().filter_map(reached).sum();
        }
        tuple
    }
}

/// What a test with commands is lowered with.
pub struct Lowering<'p> {
    pub program: &'p Program,
    pub builder: Builder,
    pub queues: Vec<Slot>,
    pub locations: Vec<(Slot, Memory)>,
    pub events: Vec<Slot>,
    /// Of each command whose event other host threads use: the signal that it is there, and who enqueues it.
    pub shared: Vec<Option<(SignalId, ThreadId)>>,
    pub kernels: Vec<(Slot, usize, usize)>,
    pub context: Slot,
    /// A queue of the harness's own.
    pub service: Slot,
    /// What is looked at when all is finished.
    pub reads: Vec<Step>,
}

impl Lowering<'_> {
    pub fn queues(&mut self, kernels: &CommandKernels, devices: &[Slot]) {
        for (n, queue) in self.program.queues.iter().enumerate() {
            let here = |k: &&CommandKernel| {
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
    pub fn location(&mut self, kernels: &CommandKernels, id: LocId) {
        let location = &self.program.locations[id.index()];
        let bytes = 4 * kernels.layout.places[id.index()].words as usize;
        let first = test::initial_words(location.ty, &location.init);
        let name = format!("location_{}", id.0);
        let kind = self.program.memory_of(id);
        let slot = match kind {
            Memory::Buffer | Memory::Unstated | Memory::HostCoherent => self.buffer(&name, first),
            Memory::CoarseSvm | Memory::FineSvm | Memory::FineSvmAtomics => {
                let slot = self.builder.slot(name, SlotKind::Svm(self.context));
                let mut flags = vec![cl::CL_MEM_READ_WRITE];
                if kind != Memory::CoarseSvm {
                    flags.push(cl::CL_MEM_SVM_FINE_GRAIN_BUFFER);
                }
                if kind == Memory::FineSvmAtomics {
                    flags.push(cl::CL_MEM_SVM_ATOMICS);
                }
                let arguments = [
                    self.context.into(),
                    Value::Flags(flags),
                    bytes.into(),
                    0_u32.into(),
                ];
                let alloc = Call::new(Function::SVMAlloc, arguments);
                self.builder.begin(alloc.makes(slot));
                let write = write(slot, first, bytes).into();
                for step in self.by_host(slot, kind, bytes, cl::CL_MAP_WRITE, write) {
                    self.builder.begin(step);
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

    /// What the host does with memory that is no buffer: while it is mapped, where it has to be.
    fn by_host(
        &self,
        slot: Slot,
        memory: Memory,
        bytes: usize,
        flags: Constant,
        step: Step,
    ) -> Vec<Step> {
        if memory != Memory::CoarseSvm {
            return vec![step];
        }
        let (queue, unmap) = (self.service, [slot.into()]);
        let map = [true.into(), flags.into(), slot.into(), bytes.into()];
        vec![
            Call::enqueue(Function::EnqueueSVMMap, queue, map, &[], None).into(),
            step,
            Call::enqueue(Function::EnqueueSVMUnmap, queue, unmap, &[], None).into(),
            Call::of(Function::Finish, queue).into(),
        ]
    }

    /// Gives a kernel its arguments; what its threads leave comes as this answer.
    pub fn arguments(&mut self, kernels: &CommandKernels, kernel: Slot, name: &str) -> AnswerId {
        for (n, (slot, memory)) in (0_u32..).zip(self.locations.clone()) {
            self.builder.begin(if is_buffer(memory) {
                Call::object_argument(kernel, n, slot)
            } else {
                let arguments = [kernel.into(), n.into(), slot.into()];
                Call::new(Function::SetKernelArgSVMPointer, arguments)
            });
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
    pub fn end(
        mut self,
        kernels: &CommandKernels,
        results: &[(CommandId, AnswerId)],
        threads: &[(ThreadId, Slot, usize)],
    ) -> Lowered {
        let mut registers = Vec::new();
        for (thread, slot, bytes) in threads {
            let into = self.builder.answer();
            self.reads.push(look(*slot, *bytes, into));
            registers.push((*thread, into));
        }
        let mut locations = Vec::new();
        for field in &kernels.layout.fields {
            if let Observable::Memory(id, _) = field.observable
                && left(&locations, id).is_none()
            {
                locations.push((id, self.last(kernels, id)));
            }
        }
        let fields = kernels
            .layout
            .fields
            .iter()
            .map(|field| match field.observable {
                Observable::Register(thread, register) => {
                    match self.program.threads[thread.index()].kernel {
                        Some(kernel) => {
                            let column = field.column.unwrap_or_default() as usize;
                            Some((left(results, kernel)?, column))
                        }
                        // Eight bytes each.
                        None => Some((left(&registers, thread)?, 2 * register.index())),
                    }
                }
                Observable::Memory(location, element) => {
                    let first = element as usize * field.words as usize;
                    Some((left(&locations, location)?, first))
                }
            });
        let fields = fields.collect();
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
            fields,
            results: results.iter().map(|(_, answer)| *answer).collect(),
        }
    }

    /// Reads what a location holds in the end.
    fn last(&mut self, kernels: &CommandKernels, id: LocId) -> AnswerId {
        let bytes = 4 * kernels.layout.places[id.index()].words as usize;
        let (slot, memory) = self.locations[id.index()];
        let answer = self.builder.answer();
        let reads = if is_buffer(memory) {
            vec![self.read(slot, bytes, answer).into()]
        } else {
            let look = look(slot, bytes, answer);
            self.by_host(slot, memory, bytes, cl::CL_MAP_READ, look)
        };
        self.reads.extend(reads);
        answer
    }

    fn read(&self, buffer: Slot, bytes: usize, answer: AnswerId) -> Call {
        let to = Value::Answer(answer, bytes);
        Call::read(self.service, buffer, bytes, to, None)
    }
}

/// The answer in which something is left.
fn left<T: PartialEq>(all: &[(T, AnswerId)], of: T) -> Option<AnswerId> {
    let found = all.iter().find(|(own, _)| *own == of);
    found.map(|(_, answer)| *answer)
}

/// Whether a location lies in a buffer, which the host reaches by mapping it.
pub fn is_buffer(memory: Memory) -> bool {
    match memory {
        Memory::Buffer | Memory::Unstated | Memory::HostCoherent => true,
        Memory::CoarseSvm | Memory::FineSvm | Memory::FineSvmAtomics | Memory::SystemSvm => false,
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
