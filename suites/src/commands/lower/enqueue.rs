//! The calls that enqueue commands.

use super::*;
use crate::commands::program::{ANY_CELL, Command, Kernel, Transfer};
use crate::host::number_in_block;

/// The arguments of the workload's kernels.
#[derive(Clone)]
pub(super) struct Arguments {
    /// What is read and written: a buffer, or an address.
    pub pointers: [Option<Pointer>; 4],
    pub ranges: [[u32; 4]; 4],
    pub token: Writer,
    pub spin: u32,
    /// For the kernel with the variable: which ranges are in it.
    pub which: Option<u32>,
}

#[derive(Clone, Copy)]
pub(super) enum Pointer {
    Buffer(Slot),
    Svm(Place),
}

/// A function of the API, and what it is given between a command's queue and its wait list.
type Enqueue = (Function, Vec<Value>);

impl Lowering<'_> {
    /// Enqueues a command, with what is done just before and after it.
    pub(super) fn enqueue(&mut self, id: CommandId, mark: Mark) -> Vec<Step> {
        let command = &self.program().commands[id.index()];
        let Some((function, of)) = self.function(id, command) else {
            // A valid program has all that its commands name.
            return vec![Step::from(Op::Yield(0)).marked(mark)];
        };
        let wait: Vec<Slot> = command.wait.iter().map(|e| self.event(*e)).collect();
        let queue = self.queue(command.queue);
        let event = (!command.eventless).then_some(self.events[id.index()]);
        let mut call = Call::enqueue(function, queue, of, &wait, event).whatever();
        let (mut steps, mut after, mut later) = (Vec::new(), None, None);
        if let What::Kernel(kernel) = &command.what {
            steps = self.kernel_arguments(id, kernel);
            after = kernel.reuse.then(|| self.no_arguments(id, kernel));
        } else if let What::Write(transfer) = &command.what
            && transfer.host.is_none()
        {
            steps = self.source(id, transfer);
            // After a blocking write the application may use its memory again.
            let bytes = self.bytes(transfer.range.count);
            let zeros = || memory::zeros(self.staging[&id], bytes).into();
            later = command.blocking.then(zeros);
        } else if let What::Map { range, .. } = &command.what {
            let slot = self.maps[&id];
            match self.cell(*range) {
                Some(at) => after = Some(vec![Op::Point { slot, at }.into()]),
                None => {
                    call.made = Some(slot);
                    self.mapped_in_place(id, *range);
                }
            }
        }
        steps.push(call.into());
        steps.extend(after.into_iter().flatten());
        let enqueued = match steps.len() {
            1 => steps.remove(0),
            _ => Op::Sequence(steps).into(),
        };
        std::iter::once(enqueued.marked(mark))
            .chain(later)
            .collect()
    }

    /// The function that enqueues a command.
    fn function(&self, id: CommandId, command: &Command) -> Option<Enqueue> {
        let blocking = Value::from(command.blocking);
        Some(match &command.what {
            What::Kernel(kernel) => {
                let (object, items) = (*self.kernels.get(&id)?, Value::sizes([kernel.items]));
                let of = vec![object.into(), 1_u32.into(), Value::Null, items, Value::Null];
                (Function::EnqueueNDRangeKernel, of)
            }
            What::Native(kernel) => self.native(id, kernel),
            What::Read(transfer) => self.transfer(id, transfer, blocking, false)?,
            What::Write(transfer) => self.transfer(id, transfer, blocking, true)?,
            What::Copy { from, to, rect } => self.copy(*from, *to, *rect),
            What::Fill(range) => {
                let token = Value::Token(Writer::Command(id), ANY_CELL);
                let (four, size) = (Value::Number(4), self.bytes(range.count).into());
                match self.buffer(range.object) {
                    Some(buffer) => {
                        let offset = self.bytes(range.first).into();
                        let of = vec![buffer.into(), token, four, offset, size];
                        (Function::EnqueueFillBuffer, of)
                    }
                    None => {
                        let of = vec![self.cell(*range)?.into(), token, four, size];
                        (Function::EnqueueSVMMemFill, of)
                    }
                }
            }
            What::Map { range, mode } => {
                let (flags, size) = (mode.flags().into(), self.bytes(range.count).into());
                let flags = Value::Flags(flags);
                match self.buffer(range.object) {
                    Some(buffer) => {
                        let offset = self.bytes(range.first).into();
                        let of = vec![buffer.into(), blocking, flags, offset, size];
                        (Function::EnqueueMapBuffer, of)
                    }
                    None => {
                        let of = vec![blocking, flags, self.cell(*range)?.into(), size];
                        (Function::EnqueueSVMMap, of)
                    }
                }
            }
            What::Unmap(map) => {
                let range = self.program().what(*map).mapped()?;
                let pointer = self.maps[map].into();
                match self.buffer(range.object) {
                    Some(buffer) => {
                        let of = vec![buffer.into(), pointer];
                        (Function::EnqueueUnmapMemObject, of)
                    }
                    None => (Function::EnqueueSVMUnmap, vec![pointer]),
                }
            }
            What::Migrate { objects, to_host } => self.migrate(objects, *to_host),
            What::Free(objects) => {
                let owners = objects.iter().filter_map(|o| match self.object(*o) {
                    Object::Memory(_, owner) => Some(Value::Take(owner)),
                    Object::Buffer(..) | Object::Variable => None,
                });
                let list = Value::list(Class::Pointer, owners);
                let of = vec![objects.len().into(), list, Value::Null, Value::Null];
                (Function::EnqueueSVMFree, of)
            }
            What::Marker => (Function::EnqueueMarkerWithWaitList, Vec::new()),
            What::Barrier => (Function::EnqueueBarrierWithWaitList, Vec::new()),
        })
    }

    /// How a kernel is given a range; none where that lies in the variable.
    fn argument(&self, range: &Range) -> Option<Pointer> {
        match self.object(range.object) {
            Object::Buffer(slot, _) => Some(Pointer::Buffer(slot)),
            // A pointer into the middle: to the range's first cell.
            Object::Memory(..) => self.cell(*range).map(Pointer::Svm),
            Object::Variable => None,
        }
    }

    /// Sets the arguments of a kernel command.
    fn kernel_arguments(&self, id: CommandId, kernel: &Kernel) -> Vec<Step> {
        let mut arguments = Arguments {
            pointers: [const { None }; 4],
            ranges: [[0; 4]; 4],
            token: Writer::Command(id),
            spin: kernel.spin,
            which: None,
        };
        let mut which = 0;
        let reads = kernel.reads.iter().enumerate().map(|(n, r)| (n, r, false));
        let writes = kernel.writes.iter().enumerate();
        for (at, range, write) in reads.chain(writes.map(|(n, r)| (n + 2, r, true))) {
            let pointer = self.argument(range);
            let by_address = matches!(pointer, Some(Pointer::Svm(_)));
            arguments.pointers[at] = pointer;
            let first = if by_address { 0 } else { range.first };
            let last = match (write, by_address) {
                (true, true) => usize::from(range.first),
                (true, false) => usize::from(self.program().root(range.object).1),
                (false, _) => {
                    let read = Read::Kernel {
                        command: id,
                        range: at as u8,
                    };
                    self.logged.get(&read).map_or(0, |(_, cells)| cells.start)
                }
            };
            arguments.ranges[at] = [
                first.into(),
                range.count.into(),
                range.stride.into(),
                last as u32,
            ];
            which |= u32::from(pointer.is_none()) << at;
        }
        arguments.which = Some(which).filter(|which| *which != 0);
        let log = self.log_of.get(&id).and_then(|log| self.logs[*log].memory);
        let log = log.map(|(log, _)| log);
        let calls = self.arguments(self.kernels[&id], log, &arguments);
        calls.map(|call| call.whatever().into()).collect()
    }

    /// Sets them to others: arguments are those at the enqueue, and these must reach nothing.
    fn no_arguments(&self, id: CommandId, of: &Kernel) -> Vec<Step> {
        let kernel = self.kernels[&id];
        let other = self.another_buffer(of);
        let pointers = (0..4_u32).map(|n| match other {
            Some(other) if (id.index() + n as usize).is_multiple_of(2) => {
                Call::object_argument(kernel, n, other)
            }
            Some(_) | None => null_argument(kernel, n),
        });
        let ranges = (5..9).map(|n| words(kernel, n, [0, 0, 1, 0]));
        let others = [10, 11].map(|n| words(kernel, n, [0]));
        let calls = pointers.chain(ranges).chain(others);
        calls.map(|call| call.whatever().into()).collect()
    }

    /// A buffer that a kernel does not use, as large as any that it does; none where buffers may be released before the
    /// end.
    fn another_buffer(&self, kernel: &Kernel) -> Option<Slot> {
        let program = self.program();
        let released = |step: &commands::Step| matches!(step, commands::Step::ReleaseObject(_));
        if program.steps().any(|(_, step)| released(step)) {
            return None;
        }
        let ranges = || kernel.reads.iter().chain(&kernel.writes);
        let used = |id: ObjectId| ranges().any(|range| program.root(range.object).0 == id);
        let most = ranges()
            .map(|range| program.objects[range.object.index()].cells)
            .max();
        let context = program.objects[ranges().next()?.object.index()].context;
        let fits = |(id, object): &(ObjectId, &commands::Object)| {
            matches!(object.kind, commands::Kind::Buffer(_))
                && object.context == context
                && Some(object.cells) >= most
                && !used(*id)
        };
        program
            .objects()
            .find(fits)
            .and_then(|(id, _)| self.buffer(id))
    }

    /// Sets the arguments of a kernel; one that reads nothing and does not spin needs no log.
    pub(super) fn arguments(
        &self,
        kernel: Slot,
        log: Option<Slot>,
        arguments: &Arguments,
    ) -> impl Iterator<Item = Call> + use<> {
        let mut calls = Vec::new();
        for (n, pointer) in (0..).zip(&arguments.pointers) {
            calls.push(match pointer {
                None => null_argument(kernel, n),
                Some(Pointer::Buffer(slot)) => Call::object_argument(kernel, n, *slot),
                Some(Pointer::Svm(at)) => Call::new(
                    Function::SetKernelArgSVMPointer,
                    [kernel.into(), n.into(), (*at).into()],
                ),
            });
        }
        calls.push(match log {
            None => null_argument(kernel, 4),
            Some(log) => Call::object_argument(kernel, 4, log),
        });
        for (n, range) in (5..).zip(arguments.ranges) {
            calls.push(words(kernel, n, range));
        }
        calls.push(words(kernel, 9, [self.words() as u32]));
        calls.push(Call::new(
            Function::SetKernelArg,
            [
                kernel.into(),
                10_u32.into(),
                4_u32.into(),
                Value::Token(arguments.token, 0),
            ],
        ));
        calls.push(words(kernel, 11, [arguments.spin]));
        calls.extend(arguments.which.map(|which| words(kernel, 12, [which])));
        calls.into_iter()
    }

    fn native(&self, id: CommandId, kernel: &Kernel) -> Enqueue {
        let callback = self.natives[&id];
        let ranges = kernel.reads.iter().chain(&kernel.writes);
        let buffers: Vec<Slot> = ranges.filter_map(|r| self.buffer(r.object)).collect();
        let own = buffers.iter().map(|slot| Value::from(*slot));
        let numbers = (0..numbers_of(id)).map(|n| Value::from(number_in_block(n)));
        let block: Vec<Value> = std::iter::once(Value::Data(callback))
            .chain(own)
            .chain(numbers)
            .collect();
        let bytes = 8 * block.len();
        let places = (1..=buffers.len()).map(|n| Value::Within {
            argument: 2,
            byte: 8 * n,
        });
        let of = vec![
            Value::Callback(callback),
            Value::list(Class::Pointer, block),
            bytes.into(),
            buffers.len().into(),
            Value::objects(buffers.iter().copied()),
            Value::list(Class::Pointer, places),
        ];
        (Function::EnqueueNativeKernel, of)
    }

    /// The workload on the host.
    pub(super) fn native_kernel(
        &mut self,
        id: CommandId,
        kernel: &Kernel,
    ) -> (Vec<Slot>, Vec<Step>) {
        let mut slots = Vec::new();
        let mut steps = Vec::new();
        let mut inside = |this: &mut Self| {
            let name = format!("native_{}_{}", id.0, slots.len());
            let slot = this.builder.slot(name, SlotKind::Address);
            slots.push(slot);
            slot
        };
        for (n, range) in kernel.reads.iter().enumerate() {
            let from = inside(self).at(self.bytes(range.first));
            let read = Read::Kernel {
                command: id,
                range: n as u8,
            };
            steps.push(self.look(read, *range, from));
        }
        steps.push(Op::Spin(kernel.spin).into());
        for range in &kernel.writes {
            let at = inside(self).at(self.bytes(range.first));
            steps.push(self.tokens(at, Writer::Command(id), *range));
        }
        (slots, steps)
    }

    /// Fills the source of a write with its tokens.
    fn source(&self, id: CommandId, transfer: &Transfer) -> Vec<Step> {
        let (range, memory) = (transfer.range, self.staging[&id]);
        let writer = Writer::Command(id);
        if range.stride == 1 {
            return vec![self.tokens(memory.at(0), writer, range)];
        }
        // In memory of the host they follow each other.
        let cell = |(n, first): (usize, u8)| {
            let one = Range::of(range.object, first, 1);
            self.tokens(memory.at(self.bytes(n)), writer, one)
        };
        range.cells().enumerate().map(cell).collect()
    }

    /// Where a range begins among rows that are a stride apart, of which each cell is one.
    fn origin(&self, range: Range) -> Value {
        let (offset, pitch) = (self.bytes(range.first), self.bytes(range.stride));
        Value::sizes([offset % pitch, offset / pitch, 0])
    }

    fn transfer(
        &self,
        id: CommandId,
        transfer: &Transfer,
        blocking: Value,
        write: bool,
    ) -> Option<Enqueue> {
        let range = transfer.range;
        // Memory of its own has the cells one after the other.
        let (memory, there) = match transfer.host {
            Some(host) => (self.pointer(host.object)?, host),
            None => {
                let of = Range::of(range.object, 0, range.count);
                (self.staging[&id], of)
            }
        };
        let host: Value = memory.at(self.bytes(there.first)).into();
        let size: Value = self.bytes(range.count).into();
        let Some(buffer) = self.buffer(range.object) else {
            let at = self.cell(range).into();
            let (to, from) = if write { (at, host) } else { (host, at) };
            return Some((Function::EnqueueSVMMemcpy, vec![blocking, to, from, size]));
        };
        if !transfer.rect {
            let function = match write {
                true => Function::EnqueueWriteBuffer,
                false => Function::EnqueueReadBuffer,
            };
            let offset = self.bytes(range.first).into();
            let of = vec![buffer.into(), blocking, offset, size, host];
            return Some((function, of));
        }
        // A cell is a row; rows are a stride apart, in the buffer and on the host.
        let cell = self.bytes(1_u8);
        let [pitch, host_pitch] = [range, there].map(|range| self.bytes(range.stride));
        let function = match write {
            true => Function::EnqueueWriteBufferRect,
            false => Function::EnqueueReadBufferRect,
        };
        let of = vec![
            buffer.into(),
            blocking,
            self.origin(range),
            self.origin(there),
            Value::sizes([cell, range.count.into(), 1]),
            pitch.into(),
            0_u32.into(),
            host_pitch.into(),
            0_u32.into(),
            memory.at(0).into(),
        ];
        Some((function, of))
    }

    fn copy(&self, from: Range, to: Range, rect: bool) -> Enqueue {
        let size: Value = self.bytes(from.count).into();
        let (Some(a), Some(b)) = (self.buffer(from.object), self.buffer(to.object)) else {
            let (to, from) = (self.cell(to).into(), self.cell(from).into());
            return (
                Function::EnqueueSVMMemcpy,
                vec![false.into(), to, from, size],
            );
        };
        if !rect {
            let [first, second] = [from, to].map(|range| self.bytes(range.first).into());
            let of = vec![a.into(), b.into(), first, second, size];
            return (Function::EnqueueCopyBuffer, of);
        }
        let [first, second] = [from, to].map(|range| self.bytes(range.stride).into());
        let of = vec![
            a.into(),
            b.into(),
            self.origin(from),
            self.origin(to),
            Value::sizes([self.bytes(1_u8), from.count.into(), 1]),
            first,
            0_u32.into(),
            second,
            0_u32.into(),
        ];
        (Function::EnqueueCopyBufferRect, of)
    }

    /// A map of memory that is the program's own is at its address.
    fn mapped_in_place(&mut self, id: CommandId, range: Range) {
        let (root, first) = self.program().root(range.object);
        if let Object::Buffer(_, Some(under)) = self.object(root) {
            let there = under.at(self.bytes(first) + self.bytes(range.first));
            self.names.in_place.push((id, self.maps[&id], there));
        }
    }

    fn migrate(&self, objects: &[ObjectId], to_host: bool) -> Enqueue {
        let flags = Value::Flags(match to_host {
            true => vec![cl::CL_MIGRATE_MEM_OBJECT_HOST],
            false => Vec::new(),
        });
        let buffers: Vec<Slot> = objects.iter().filter_map(|o| self.buffer(*o)).collect();
        let pointers: Vec<Slot> = objects.iter().filter_map(|o| self.pointer(*o)).collect();
        if pointers.is_empty() {
            let of = vec![buffers.len().into(), Value::objects(buffers), flags];
            return (Function::EnqueueMigrateMemObjects, of);
        }
        // Null sizes mean whole allocations.
        let list = Value::list(Class::Pointer, pointers.iter().copied());
        let of = vec![pointers.len().into(), list, Value::Null, flags];
        (Function::EnqueueSVMMigrateMem, of)
    }
}

/// An argument of words.
fn words<const N: usize>(kernel: Slot, n: u32, words: [u32; N]) -> Call {
    let size: Value = (4 * N).into();
    let arguments = [kernel.into(), n.into(), size, Value::words(words)];
    Call::new(Function::SetKernelArg, arguments)
}

/// An argument that is no object.
fn null_argument(kernel: Slot, n: u32) -> Call {
    let none = Value::List(Class::Object, vec![Value::Null]);
    let arguments = [kernel.into(), n.into(), 8_u32.into(), none];
    Call::new(Function::SetKernelArg, arguments)
}

/// How many numbers a native kernel is given beside memory objects: few, and more than an implementation may have room
/// for at hand.
pub(super) fn numbers_of(id: CommandId) -> usize {
    [0, 1, 9, 300][id.index() % 4]
}
