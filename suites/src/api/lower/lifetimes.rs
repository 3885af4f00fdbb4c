//! The ends of objects: destructors, contexts, SVM that a command frees.

use super::operations::{built, context_of, fill, settle};
use super::*;
use crate::api::Operation;
use crate::host::check::Moment;
use crate::host::{CallbackOf, Class};

/// Microseconds in which a callback may come that is one too many.
const LONGER: u32 = 1000;

/// Copies that a queue has before it when their source is released, and the word that they bring.
const COPIES: u32 = 50;
const WORD: u32 = 7;

/// A clEnqueueSVMFree that a user event holds back.
struct Freeing {
    queue: Slot,
    gate: Slot,
    freed: Slot,
    callback: CallbackId,
    enqueued: Mark,
}

impl Lowering {
    /// Waits for callbacks, and a little longer for one too many.
    fn wait_for(&mut self, callbacks: &[(CallbackId, Mark)]) {
        self.step(settle(callbacks));
        self.step(Op::Sleep(LONGER));
    }

    /// A buffer with callbacks for its end, released while commands that use it may still have to run. No user event
    /// holds them back: "the status of these user events being waited on" must be "set using clSetUserEventStatus
    /// before any OpenCL APIs that release OpenCL objects except for event objects are called".
    pub(super) fn destructors(&mut self, callbacks: u8, sub_buffer: bool) {
        let place = self.place();
        let own = self.slot("queue", SlotKind::Queue);
        let [whole, out] = ["whole", "out"].map(|name| self.slot(name, SlotKind::Memory));
        let filled = self.event("filled");
        self.step(queue(place, own));
        self.step(buffer(place.context, whole));
        let mut registered = Vec::new();
        for _ in 0..callbacks {
            let callback = self.builder.callback(CallbackOf::Memory, Vec::new());
            let function = Function::SetMemObjectDestructorCallback;
            let mark = self.marked(at_end(function, whole, callback));
            registered.push((callback, mark));
        }
        self.step(buffer(place.context, out));
        self.step(fill(own, whole, WORD, filled));
        self.release([filled]);
        let copy = values![whole, out, 0, 0, BYTES];
        let copy = Call::enqueue(Function::EnqueueCopyBuffer, own, copy, &[], None);
        self.step(Op::Repeat {
            times: COPIES,
            within: None,
            body: vec![copy.into()],
        });
        self.step(flush(own));
        let part = sub_buffer.then(|| self.slot("part", SlotKind::Memory));
        if let Some(part) = part {
            let flags = cl::CL_MEM_READ_WRITE.into();
            self.step(Call::sub_buffer(whole, flags, 0, BYTES / 2).makes(part));
        }
        let mut needed_until = self.marked(self.builder.release(whole));
        self.step(finish(own));
        if let Some(part) = part {
            // It keeps its parent.
            needed_until = self.marked(self.builder.release(part));
        }
        self.look(own, out, WORD);
        self.wait_for(&registered);
        self.release([own]);
        self.end_thread();
        for (callback, mark) in &registered {
            let early = That::Before(Moment::Began(needed_until), Moment::Fired(*callback));
            self.must("memory ended before its last reference was released", early);
            let says = "a callback for the end of memory was called {} times";
            self.must_come(*callback, *mark, 1, says);
        }
        let reverse = registered.iter().rev().map(|(callback, _)| *callback);
        let says = "callbacks for the end of memory were not called in the reverse order";
        self.must(says, That::FiredInOrder(reverse.collect()));
    }

    /// A context with so many callbacks for its end, after these operations were done in it.
    pub(super) fn context(&mut self, operations: &[Operation], callbacks: u8) {
        let device = self.builder.fixture("device", Fixture::Device(0));
        let context = self.slot("context", SlotKind::Context);
        let program = self.slot("program", SlotKind::Program);
        let event = self.event("last");
        let place = Place {
            context,
            device,
            program,
        };
        self.step(context_of(device, context));
        let registered: Vec<_> = (0..callbacks)
            .map(|_| {
                let callback = self.builder.callback(CallbackOf::Context, Vec::new());
                let function = Function::SetContextDestructorCallback;
                let mark = self.marked(at_end(function, context, callback));
                (callback, mark)
            })
            .collect();
        self.add(built(place, program));
        let (shared, made) = self.shared(place, 40, false);
        self.add(made);
        operations
            .iter()
            .for_each(|of| self.operation(&shared, *of));
        self.step(marker(shared.queue, &[], event));
        self.step(finish(shared.queue));
        self.release([event, shared.kernel, shared.event, shared.buffer]);
        self.release([shared.queue, program, context]);
        self.wait_for(&registered);
        self.end_thread();
        for (callback, mark) in &registered {
            let says = "a callback for the end of a context was called {} times";
            self.must_come(*callback, *mark, 1, says);
        }
        let reverse = registered.iter().rev().map(|(callback, _)| *callback);
        let says = "callbacks for the end of a context were not called in the reverse order";
        self.must(says, That::FiredInOrder(reverse.collect()));
    }

    /// clEnqueueSVMFree with a callback, held back by a user event, in each of some queues.
    pub(super) fn svm_free(&mut self, allocations: u8, times: u8, queues: u8) {
        let place = self.place();
        let all: Vec<Slot> = (0..queues.max(1))
            .map(|_| {
                let own = self.own("queue", SlotKind::Queue);
                self.step(queue(place, own));
                own
            })
            .collect();
        for _ in 0..times {
            let held: Vec<Freeing> = (all.iter())
                .map(|own| self.hold_free(place, *own, allocations))
                .collect();
            held.into_iter().for_each(|freeing| self.let_free(freeing));
        }
        self.end_thread();
    }

    fn hold_free(&mut self, place: Place, own: Slot, allocations: u8) -> Freeing {
        let context = place.context;
        let kind = SlotKind::Svm(context);
        let pointers = (0..allocations).map(|_| self.own("allocation", kind));
        let pointers: Vec<Slot> = pointers.collect();
        for pointer in &pointers {
            let arguments = values![context, cl::CL_MEM_READ_WRITE, 64, 0];
            self.step(Call::new(Function::SVMAlloc, arguments).makes(*pointer));
        }
        let free = |pointer: &Slot| {
            Call::new(Function::SVMFree, values![context, Value::Take(*pointer)]).into()
        };
        let frees = pointers.iter().map(free).collect();
        let of = CallbackOf::SvmFree {
            queue: own,
            pointers: pointers.clone(),
        };
        let callback = self.builder.callback(of, frees);
        let [gate, freed] = ["gate", "freed"].map(|name| self.own_event(name));
        let (list, notify) = (
            Value::list(Class::Pointer, pointers),
            Value::Callback(callback),
        );
        let of = values![allocations, list, notify, Value::Data(callback)];
        let free = Call::enqueue(Function::EnqueueSVMFree, own, of, &[gate], Some(freed));
        self.step(user_event(context, gate));
        let enqueued = self.marked(free);
        self.step(flush(own));
        self.step(Op::Sleep(200));
        self.has_status(freed, true);
        Freeing {
            queue: own,
            gate,
            freed,
            callback,
            enqueued,
        }
    }

    fn let_free(&mut self, freeing: Freeing) {
        let Freeing {
            queue,
            gate,
            freed,
            callback,
            enqueued,
        } = freeing;
        let let_go = self.marked(set(gate));
        let finished = self.marked(finish(queue));
        self.has_status(freed, false);
        self.release([freed, gate]);
        let early = That::Before(Moment::Began(let_go), Moment::Fired(callback));
        self.must("memory was freed while the command was held back", early);
        let late = That::Before(Moment::Fired(callback), Moment::Ended(finished));
        self.must("memory was freed after the command was complete", late);
        let says = "the callback of clEnqueueSVMFree was called {} times";
        self.must_come(callback, enqueued, 1, says);
        let says = "the callback of clEnqueueSVMFree got other pointers or another queue";
        self.must(says, That::FiredRight(callback));
    }
}
