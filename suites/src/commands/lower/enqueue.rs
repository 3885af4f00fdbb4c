//! The calls that enqueue commands.

use super::*;
use crate::commands::memory::in_place;
use crate::commands::program::{ANY_CELL, Kernel, MapMode, Transfer};

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

impl Lowering<'_> {
    /// Enqueues a command.
    pub(super) fn enqueue(&mut self, id: CommandId, mark: Mark) -> Vec<Step> {
        let command = &self.program().commands[id.index()];
        let blocking = command.blocking;
        let steps: Vec<Step> = match &command.what {
            What::Kernel(kernel) => self.kernel_command(id, kernel),
            What::Native(kernel) => vec![self.native(id, kernel)],
            What::Read(transfer) => vec![self.transfer(id, transfer, false)],
            What::Write(transfer) => {
                let mut steps = self.source(id, transfer);
                steps.push(self.transfer(id, transfer, true));
                let mut all = one(steps, mark);
                // After a blocking write the application may use its memory again.
                if blocking {
                    let bytes = self.bytes(transfer.range.count);
                    all.push(memory::zeros(self.staging[&id], bytes).into());
                }
                return all;
            }
            What::Copy { from, to, rect } => vec![self.copy(id, *from, *to, *rect)],
            What::Fill(range) => {
                let token = Value::Token(Writer::Command(id), ANY_CELL);
                let (four, size) = (Value::Number(4), self.bytes(range.count).into());
                vec![match self.buffer(range.object) {
                    Some(buffer) => {
                        let offset = self.bytes(range.first).into();
                        let of = [buffer.into(), token, four, offset, size];
                        self.command(id, Function::EnqueueFillBuffer, of)
                    }
                    None => {
                        let of = [self.cell(*range).into(), token, four, size];
                        self.command(id, Function::EnqueueSVMMemFill, of)
                    }
                }]
            }
            What::Map { range, mode } => self.map(id, *range, *mode),
            What::Unmap(map) => vec![self.unmap(id, *map)],
            What::Migrate { objects, to_host } => vec![self.migrate(id, objects, *to_host)],
            What::Free(objects) => {
                let owners = objects.iter().filter_map(|o| match self.object(*o) {
                    Object::Memory(_, owner) => Some(Value::Take(owner)),
                    Object::Buffer(..) | Object::Variable => None,
                });
                let list = Value::list(Class::Pointer, owners);
                let of = [objects.len().into(), list, Value::Null, Value::Null];
                vec![self.command(id, Function::EnqueueSVMFree, of)]
            }
            What::Marker => vec![self.command(id, Function::EnqueueMarkerWithWaitList, [])],
            What::Barrier => vec![self.command(id, Function::EnqueueBarrierWithWaitList, [])],
        };
        one(steps, mark)
    }

    /// The call that enqueues a command: its queue, what it is about, its wait list and its event.
    fn command<const N: usize>(&self, id: CommandId, function: Function, of: [Value; N]) -> Step {
        let command = &self.program().commands[id.index()];
        let wait: Vec<Slot> = command.wait.iter().map(|e| self.event(*e)).collect();
        let event = self.events[id.index()];
        Call::enqueue(function, self.queue(command.queue), of, &wait, Some(event))
            .whatever()
            .into()
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

    fn kernel_command(&mut self, id: CommandId, kernel: &Kernel) -> Vec<Step> {
        let Some(object) = self.kernels.get(&id).copied() else {
            return vec![Op::Yield(0).into()];
        };
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
        let context = self.context_of(id);
        let set = |call: Call| Step::from(call.whatever());
        let mut steps: Vec<Step> = self
            .arguments(object, context, &arguments)
            .map(set)
            .collect();
        let of = [
            object.into(),
            1_u32.into(),
            Value::Null,
            Value::sizes([kernel.items]),
            Value::Null,
        ];
        steps.push(self.command(id, Function::EnqueueNDRangeKernel, of));
        if kernel.reuse {
            // Arguments are those at the enqueue: these must reach nothing.
            let ranges = (5..9).map(|n| words(object, n, [0, 0, 1, 0]));
            let others = [10, 11].map(|n| words(object, n, [0]));
            steps.extend(ranges.chain(others).map(set));
        }
        steps
    }

    /// Sets the arguments of a kernel.
    pub(super) fn arguments(
        &self,
        kernel: Slot,
        context: ContextId,
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
        calls.push(match self.contexts[context.index()].log {
            None => null_argument(kernel, 4),
            Some((log, _)) => Call::object_argument(kernel, 4, log),
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

    fn native(&mut self, id: CommandId, kernel: &Kernel) -> Step {
        let callback = self.natives[&id];
        let ranges = kernel.reads.iter().chain(&kernel.writes);
        let buffers: Vec<Slot> = ranges.filter_map(|r| self.buffer(r.object)).collect();
        let own = buffers.iter().map(|slot| Value::from(*slot));
        let block: Vec<Value> = std::iter::once(Value::Data(callback)).chain(own).collect();
        let places = (1..=buffers.len()).map(|n| Value::Within {
            argument: 2,
            byte: 8 * n,
        });
        let of = [
            Value::Callback(callback),
            Value::list(Class::Pointer, block),
            (8 * (1 + buffers.len())).into(),
            buffers.len().into(),
            Value::objects(buffers.iter().copied()),
            Value::list(Class::Pointer, places),
        ];
        self.command(id, Function::EnqueueNativeKernel, of)
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

    fn transfer(&self, id: CommandId, transfer: &Transfer, write: bool) -> Step {
        let blocking: Value = self.program().commands[id.index()].blocking.into();
        let host: Value = self.staging[&id].at(0).into();
        let range = transfer.range;
        let size: Value = self.bytes(range.count).into();
        let Some(buffer) = self.buffer(range.object) else {
            let at = self.cell(range).into();
            let (to, from) = if write { (at, host) } else { (host, at) };
            return self.command(id, Function::EnqueueSVMMemcpy, [blocking, to, from, size]);
        };
        if !transfer.rect {
            let function = match write {
                true => Function::EnqueueWriteBuffer,
                false => Function::EnqueueReadBuffer,
            };
            let offset = self.bytes(range.first).into();
            let of = [buffer.into(), blocking, offset, size, host];
            return self.command(id, function, of);
        }
        // A cell is a row; rows of the buffer are a stride apart, those of the host follow each other.
        let (cell, pitch) = (self.bytes(1_u8), self.bytes(range.stride));
        let function = match write {
            true => Function::EnqueueWriteBufferRect,
            false => Function::EnqueueReadBufferRect,
        };
        let of = [
            buffer.into(),
            blocking,
            self.origin(range),
            Value::sizes([0_usize; 3]),
            Value::sizes([cell, range.count.into(), 1]),
            pitch.into(),
            0_u32.into(),
            cell.into(),
            0_u32.into(),
            host,
        ];
        self.command(id, function, of)
    }

    fn copy(&self, id: CommandId, from: Range, to: Range, rect: bool) -> Step {
        let size: Value = self.bytes(from.count).into();
        let (Some(a), Some(b)) = (self.buffer(from.object), self.buffer(to.object)) else {
            let (to, from) = (self.cell(to).into(), self.cell(from).into());
            let of = [false.into(), to, from, size];
            return self.command(id, Function::EnqueueSVMMemcpy, of);
        };
        if !rect {
            let [first, second] = [from, to].map(|range| self.bytes(range.first).into());
            let of = [a.into(), b.into(), first, second, size];
            return self.command(id, Function::EnqueueCopyBuffer, of);
        }
        let [first, second] = [from, to].map(|range| self.bytes(range.stride).into());
        let of = [
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
        self.command(id, Function::EnqueueCopyBufferRect, of)
    }

    fn map(&mut self, id: CommandId, range: Range, mode: MapMode) -> Vec<Step> {
        let blocking: Value = self.program().commands[id.index()].blocking.into();
        let slot = self.maps[&id];
        let flags = Value::Flags(mode.flags().into());
        let size: Value = self.bytes(range.count).into();
        let offset = self.bytes(range.first);
        let Some(buffer) = self.buffer(range.object) else {
            let Some(at) = self.cell(range) else {
                return vec![Op::Yield(0).into()];
            };
            let of = [blocking, flags, at.into(), size];
            let map = self.command(id, Function::EnqueueSVMMap, of);
            return vec![map, Op::Point { slot, at }.into()];
        };
        let of = [buffer.into(), blocking, flags, offset.into(), size];
        let mut map = self.command(id, Function::EnqueueMapBuffer, of);
        if let Op::Call(call) = &mut map.op {
            call.made = Some(slot);
        }
        let (root, first) = self.program().root(range.object);
        if in_place(self.program().objects[root.index()].kind)
            && let Object::Buffer(_, Some(under)) = self.object(root)
        {
            let there = under.at(self.bytes(first) + offset);
            self.names.in_place.push((id, slot, there));
        }
        vec![map]
    }

    fn unmap(&self, id: CommandId, map: CommandId) -> Step {
        let Some(range) = self.program().what(map).mapped() else {
            return Op::Yield(0).into();
        };
        let pointer = self.maps[&map].into();
        match self.buffer(range.object) {
            Some(buffer) => {
                let of = [buffer.into(), pointer];
                self.command(id, Function::EnqueueUnmapMemObject, of)
            }
            None => self.command(id, Function::EnqueueSVMUnmap, [pointer]),
        }
    }

    fn migrate(&self, id: CommandId, objects: &[ObjectId], to_host: bool) -> Step {
        let flags = Value::Flags(match to_host {
            true => vec![cl::CL_MIGRATE_MEM_OBJECT_HOST],
            false => Vec::new(),
        });
        let buffers: Vec<Slot> = objects.iter().filter_map(|o| self.buffer(*o)).collect();
        let pointers: Vec<Slot> = objects.iter().filter_map(|o| self.pointer(*o)).collect();
        if pointers.is_empty() {
            let of = [buffers.len().into(), Value::objects(buffers), flags];
            return self.command(id, Function::EnqueueMigrateMemObjects, of);
        }
        // Null sizes mean whole allocations.
        let of = [
            pointers.len().into(),
            Value::list(Class::Pointer, pointers),
            Value::Null,
            flags,
        ];
        self.command(id, Function::EnqueueSVMMigrateMem, of)
    }
}

/// Steps under one mark.
fn one(mut steps: Vec<Step>, mark: Mark) -> Vec<Step> {
    match steps.len() {
        1 => vec![steps.remove(0).marked(mark)],
        _ => vec![Step::from(Op::Sequence(steps)).marked(mark)],
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
