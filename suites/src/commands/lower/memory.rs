//! Makes what is in memory, with its first tokens.

use super::*;
use crate::commands::memory::in_place;
use crate::commands::program::{HostPointer, Kind};

impl Lowering<'_> {
    /// Makes a log.
    pub(super) fn log(&mut self, n: usize) {
        // One word more, for kernels that read nothing.
        let bytes = self.bytes(self.logs[n].cells) + 4;
        let host = self
            .builder
            .slot(format!("saw_{n}"), SlotKind::Host { bytes });
        let log = self.builder.slot(format!("log_{n}"), SlotKind::Memory);
        let context = self.contexts[self.logs[n].context.index()].slot;
        self.create(context, log, &[cl::CL_MEM_COPY_HOST_PTR], bytes, host);
        self.logs[n].memory = Some((log, host));
    }

    /// A buffer over memory of the host.
    fn create(&mut self, context: Slot, slot: Slot, flags: &[Constant], bytes: usize, over: Slot) {
        let flags = [&[cl::CL_MEM_READ_WRITE], flags].concat();
        let arguments = [
            context.into(),
            Value::Flags(flags),
            bytes.into(),
            over.at(0).into(),
        ];
        let call = Call::new(Function::CreateBuffer, arguments);
        self.builder.begin(call.makes(slot));
    }

    /// An object with its first tokens.
    pub(super) fn make(&mut self, id: ObjectId) -> Object {
        let object = self.program().objects[id.index()];
        let bytes = self.bytes(object.cells);
        let context = self.contexts[object.context.index()].slot;
        let name = format!("object_{}", id.0);
        let host = |this: &mut Self| {
            let kind = SlotKind::Host { bytes };
            let slot = this.builder.slot(format!("{name}_host"), kind);
            let first = this.first(id, slot);
            this.builder.begin(first);
            slot
        };
        match object.kind {
            Kind::Buffer(how) => {
                let over = match how {
                    HostPointer::UseSvm => self.svm(id, &format!("{name}_svm"), false),
                    HostPointer::Copy | HostPointer::Use | HostPointer::Alloc => host(self),
                };
                let slot = self.builder.slot(name.clone(), SlotKind::Memory);
                let flags: &[Constant] = match how {
                    HostPointer::Copy => &[cl::CL_MEM_COPY_HOST_PTR],
                    HostPointer::Alloc => &[cl::CL_MEM_ALLOC_HOST_PTR, cl::CL_MEM_COPY_HOST_PTR],
                    HostPointer::Use | HostPointer::UseSvm => &[cl::CL_MEM_USE_HOST_PTR],
                };
                self.create(context, slot, flags, bytes, over);
                if in_place(object.kind) {
                    return Object::Buffer(slot, Some(over));
                }
                // The memory is the program's again.
                self.builder.begin(zeros(over, bytes));
                Object::Buffer(slot, None)
            }
            Kind::SubBuffer { of, first } => {
                let slot = self.builder.slot(name.clone(), SlotKind::Memory);
                if let Some(parent) = self.buffer(of) {
                    let flags = cl::CL_MEM_READ_WRITE.into();
                    let call = Call::sub_buffer(parent, flags, self.bytes(first), bytes);
                    self.builder.begin(call.makes(slot));
                }
                Object::Buffer(slot, None)
            }
            Kind::SvmCoarse | Kind::SvmFine => {
                let fine = object.kind == Kind::SvmFine;
                let freed =
                    |c: &commands::Command| matches!(&c.what, What::Free(all) if all.contains(&id));
                if !self.program().commands.iter().any(freed) {
                    let slot = self.svm(id, &name, fine);
                    return Object::Memory(slot, slot);
                }
                // A command takes it, but until that runs it is used.
                let owner = self.svm(id, &format!("{name}_svm"), fine);
                let slot = self.builder.slot(name.clone(), SlotKind::Address);
                self.builder.begin(Op::Point {
                    slot,
                    at: owner.at(0),
                });
                Object::Memory(slot, owner)
            }
            Kind::SvmSystem | Kind::Host => {
                let slot = host(self);
                Object::Memory(slot, slot)
            }
            Kind::Variable => {
                self.begin_variable(id);
                Object::Variable
            }
        }
    }

    /// Puts an object's first tokens; a part of a buffer has none of its own.
    fn first(&self, id: ObjectId, into: Slot) -> Step {
        let all = self.program().whole(id);
        self.tokens(into.at(0), Writer::Creation(id), all)
    }

    /// An SVM allocation with its first tokens.
    fn svm(&mut self, id: ObjectId, name: &str, fine: bool) -> Slot {
        let object = self.program().objects[id.index()];
        let bytes = self.bytes(object.cells);
        let place = &self.contexts[object.context.index()];
        let (context, service) = (place.slot, place.service);
        let slot = self.builder.slot(name, SlotKind::Svm(context));
        let mut flags = vec![cl::CL_MEM_READ_WRITE];
        if fine {
            flags.push(cl::CL_MEM_SVM_FINE_GRAIN_BUFFER);
        }
        let arguments = [
            context.into(),
            Value::Flags(flags),
            bytes.into(),
            0_u32.into(),
        ];
        let alloc = Call::new(Function::SVMAlloc, arguments);
        self.builder.begin(alloc.makes(slot));
        let first = self.first(id, slot);
        if fine {
            self.builder.begin(first);
            return slot;
        }
        let of = [
            true.into(),
            cl::CL_MAP_WRITE.into(),
            slot.into(),
            bytes.into(),
        ];
        let map = Call::enqueue(Function::EnqueueSVMMap, service, of, &[], None);
        let unmap = Call::enqueue(Function::EnqueueSVMUnmap, service, [slot.into()], &[], None);
        self.builder.begin(map);
        self.builder.begin(first);
        self.builder.begin(unmap);
        self.builder.begin(Call::of(Function::Finish, service));
        slot
    }

    /// The variable's first tokens, by a kernel that is none of the program's.
    fn begin_variable(&mut self, id: ObjectId) {
        let object = self.program().objects[id.index()];
        let number = self.program().commands.len();
        let Some(kernel) = self.kernel(object.context, number, true) else {
            return;
        };
        let arguments = enqueue::Arguments {
            ranges: [[0; 4], [0; 4], [0, object.cells.into(), 1, 0], [0; 4]],
            token: Writer::Creation(id),
            spin: 0,
            which: Some(4),
            pointers: [const { None }; 4],
        };
        for call in self.arguments(kernel, None, &arguments) {
            self.builder.begin(call);
        }
        let service = self.contexts[object.context.index()].service;
        self.builder
            .begin(Call::launch(service, kernel, 16, &[], None));
        self.builder.begin(Call::of(Function::Finish, service));
    }
}

/// Memory of the host is empty again.
pub(super) fn zeros(memory: Slot, bytes: usize) -> Op {
    Op::Write {
        at: memory.at(0),
        data: Data::zeros(bytes),
    }
}
