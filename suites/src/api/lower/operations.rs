//! What a host thread does and undoes.

use super::*;
use crate::api::Operation;
use crate::host::check::{Same, Want};
use crate::host::{Awaited, CallbackOf, Class, Contents, Data, Unit};

/// What threads share, and how they do what they do.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shared {
    pub place: Place,
    pub queue: Slot,
    pub buffer: Slot,
    pub event: Slot,
    pub kernel: Slot,
    /// Callbacks that are registered while their command completes.
    pub registered: u32,
    /// How often callbacks came is asked; in a repetition the program is over too soon to say.
    pub counts: bool,
}

/// References that an operation takes and gives back.
const REFERENCES: u32 = 50;

/// 32-bit words of a buffer.
const WORDS: usize = BYTES / 4;

impl Lowering {
    /// What threads share in a place, made by these calls.
    pub(super) fn shared(
        &mut self,
        place: Place,
        registered: u32,
        counts: bool,
    ) -> (Shared, Vec<Call>) {
        let shared = Shared {
            place,
            queue: self.slot("queue", SlotKind::Queue),
            buffer: self.slot("buffer", SlotKind::Memory),
            event: self.event("event"),
            kernel: self.slot("kernel", SlotKind::Kernel),
            registered,
            counts,
        };
        let mut calls = vec![
            queue(place, shared.queue),
            buffer(place.context, shared.buffer),
            user_event(place.context, shared.event),
        ];
        calls.extend(kernel(place, shared.kernel, shared.buffer, 1));
        (shared, calls)
    }

    /// A buffer of its own.
    fn own_buffer(&mut self, context: Slot, name: &str) -> Slot {
        let own = self.own(name, SlotKind::Memory);
        self.step(buffer(context, own));
        own
    }

    fn own_queue(&mut self, place: Place) -> Slot {
        let own = self.own("own", SlotKind::Queue);
        self.step(queue(place, own));
        own
    }

    fn own_user_event(&mut self, context: Slot, name: &str) -> Slot {
        let event = self.own_event(name);
        self.step(user_event(context, event));
        event
    }

    fn own_marker(&mut self, queue: Slot, list: &[Slot]) -> Slot {
        let event = self.own_event("marker");
        self.step(marker(queue, list, event));
        event
    }

    /// Reads a buffer that has to be full of this word, and gives it up.
    pub(super) fn look(&mut self, queue: Slot, of: Slot, word: u32) {
        let answer = self.builder.answer();
        let event = self.own_event("read");
        let to = Value::Answer(answer, BYTES);
        self.step(Call::read(queue, of, BYTES, to, Some(event)));
        self.release([event]);
        let want = Want::Same(Same::new(Unit::Word, Contents::Every(word), true));
        let says = "a read of what was filled in before it";
        self.must(says, That::Bytes(answer, want));
        self.release([of]);
    }

    /// Writes an operation.
    pub(super) fn operation(&mut self, shared: &Shared, operation: Operation) {
        let place = shared.place;
        let context = place.context;
        match operation {
            Operation::Buffer => {
                let own = self.own_buffer(context, "own");
                self.release([own]);
            }
            Operation::SubBuffer => {
                let whole = self.own_buffer(context, "whole");
                let part = self.own("part", SlotKind::Memory);
                let flags = cl::CL_MEM_READ_WRITE.into();
                self.step(Call::sub_buffer(whole, flags, 0, BYTES / 2).makes(part));
                self.release([whole, part]);
            }
            Operation::UserEvent => {
                let event = self.own_user_event(context, "user");
                self.step(set(event));
                self.step(Call::wait(&[event]));
                self.release([event]);
            }
            Operation::Queue => {
                let own = self.own_queue(place);
                let event = self.own_marker(own, &[]);
                self.step(finish(own));
                self.release([own, event]);
            }
            Operation::Kernel => self.kernel(shared),
            Operation::Program => {
                let program = self.own("program", SlotKind::Program);
                let own = self.own("fill", SlotKind::Kernel);
                self.add(built(place, program));
                self.step(Call::kernel(program, "fill", own));
                self.release([program, own]);
            }
            Operation::Context => {
                let own = self.own("own", SlotKind::Context);
                self.step(context_of(place.device, own));
                let event = self.own_user_event(own, "user");
                self.release([own, event]);
            }
            Operation::Marker => {
                let event = self.own_marker(shared.queue, &[]);
                self.step(Call::wait(&[event]));
                self.release([event]);
            }
            Operation::Fill => {
                let own = self.own_buffer(context, "own");
                let event = self.own_event("filled");
                self.step(fill(shared.queue, own, 5, event));
                self.release([event]);
                self.look(shared.queue, own, 5);
            }
            Operation::Map => self.map(shared),
            Operation::Callback => self.callback(shared),
            Operation::Register => self.register(shared),
            Operation::Retain => self.retain(shared),
            Operation::Query => self.query(shared),
            Operation::Sampler => {
                let own = self.own("sampler", SlotKind::Sampler);
                let (normalized, filter) = (Constant::FALSE, cl::CL_FILTER_NEAREST);
                let of = values![context, normalized, cl::CL_ADDRESS_CLAMP, filter];
                self.step(Call::new(Function::CreateSampler, of).makes(own));
                self.release([own]);
            }
            Operation::Linked => {
                let (unit, linked) = (
                    self.own("unit", SlotKind::Program),
                    self.own("linked", SlotKind::Program),
                );
                let own = self.own("fill", SlotKind::Kernel);
                let [made, _] = built(place, unit);
                self.step(made);
                self.step(programs::compile(unit, Value::Null));
                self.step(programs::link(context, unit, Value::Null).makes(linked));
                self.step(Call::kernel(linked, "fill", own));
                self.release([unit, linked, own]);
            }
            Operation::Image => self.image(shared),
            Operation::SharedMemory => self.filled_memory(shared),
            Operation::Clone => self.copied(shared),
        }
    }

    /// Bytes of a blocking read or copy that have to be this word again and again.
    fn are(&mut self, answer: AnswerId, word: u32, says: &str) {
        let want = Want::Same(Same::new(Unit::Word, Contents::Every(word), true));
        self.must(says, That::Bytes(answer, want));
    }

    fn image(&mut self, shared: &Shared) {
        let own = self.own("image", SlotKind::Memory);
        let flags = Value::Flags(vec![cl::CL_MEM_READ_WRITE, cl::CL_MEM_COPY_HOST_PTR]);
        let shape = cl::CL_MEM_OBJECT_IMAGE2D;
        let members = values![shape, 8, 8, 0, 0, 0, 0, 0, 0, Value::Null];
        let host = Value::Bytes(vec![7; BYTES]);
        self.step(super::image(
            shared.place.context,
            flags,
            members,
            host,
            own,
        ));
        let answer = self.builder.answer();
        let (origin, region) = (Value::sizes([0, 0, 0]), Value::sizes([8, 8, 1]));
        let to = Value::Answer(answer, BYTES);
        let of = values![own, true, origin, region, 0, 0, to];
        let function = Function::EnqueueReadImage;
        self.step(Call::enqueue(function, shared.queue, of, &[], None));
        let says = "a read of an image that was made of memory of the host";
        self.are(answer, 0x0707_0707, says);
        self.release([own]);
    }

    fn filled_memory(&mut self, shared: &Shared) {
        let context = shared.place.context;
        let own = self.own("shared", SlotKind::Svm(context));
        let of = values![context, cl::CL_MEM_READ_WRITE, BYTES, 0];
        self.step(Call::new(Function::SVMAlloc, of).makes(own));
        let filled = self.own_event("filled");
        let of = values![own, Value::Bytes(vec![6; 4]), 4, BYTES];
        let function = Function::EnqueueSVMMemFill;
        self.step(Call::enqueue(function, shared.queue, of, &[], Some(filled)));
        let answer = self.builder.answer();
        let of = values![true, Value::Answer(answer, BYTES), own, BYTES];
        let function = Function::EnqueueSVMMemcpy;
        self.step(Call::enqueue(function, shared.queue, of, &[filled], None));
        self.release([filled]);
        let says = "a copy of shared virtual memory that was filled";
        self.are(answer, 0x0606_0606, says);
        let free = values![context, Value::Take(own)];
        self.step(Call::new(Function::SVMFree, free));
    }

    fn copied(&mut self, shared: &Shared) {
        let own = self.own_buffer(shared.place.context, "own");
        let (source, copy, event) = (
            self.own("source", SlotKind::Kernel),
            self.own("copy", SlotKind::Kernel),
            self.own_event("filled"),
        );
        // No two threads may copy one kernel at the same time.
        self.add(kernel(shared.place, source, shared.buffer, 4));
        self.step(Call::new(Function::CloneKernel, values![source]).makes(copy));
        self.release([source]);
        self.step(Call::object_argument(copy, 0, own));
        let launch = Call::launch(shared.queue, copy, WORDS, &[], Some(event));
        self.step(launch);
        self.release([copy, event]);
        // The other argument is that of the kernel that was copied.
        self.look(shared.queue, own, 4);
    }

    fn kernel(&mut self, shared: &Shared) {
        let own = self.own_buffer(shared.place.context, "own");
        let filling = self.own("fill", SlotKind::Kernel);
        let event = self.own_event("filled");
        self.add(kernel(shared.place, filling, own, 3));
        let launch = Call::launch(shared.queue, filling, WORDS, &[], Some(event));
        self.step(launch);
        self.release([filling, event]);
        self.look(shared.queue, own, 3);
    }

    fn map(&mut self, shared: &Shared) {
        let own = self.own_buffer(shared.place.context, "own");
        let mapped = self.own("mapped", SlotKind::Address);
        let [map, unmap] = ["map", "unmap"].map(|name| self.own_event(name));
        let flags = Value::Flags(vec![cl::CL_MAP_READ, cl::CL_MAP_WRITE]);
        let of = values![own, true, flags, 0, BYTES];
        let function = Function::EnqueueMapBuffer;
        let call = Call::enqueue(function, shared.queue, of, &[], Some(map));
        self.step(call.makes(mapped));
        self.release([map]);
        let (contents, bytes) = (Contents::Every(9), BYTES);
        self.step(Op::Write {
            at: mapped.at(0),
            data: Data::Contents { contents, bytes },
        });
        let (function, of) = (Function::EnqueueUnmapMemObject, values![own, mapped]);
        self.step(Call::enqueue(function, shared.queue, of, &[], Some(unmap)));
        self.release([unmap]);
        self.look(shared.queue, own, 9);
    }

    /// A marker in a queue of its own. No user event holds it back: while a command waits for one that is not set, no
    /// thread may release anything but events (clSetUserEventStatus).
    fn marked_queue(&mut self, place: Place) -> (Slot, Slot) {
        let own = self.own_queue(place);
        let event = self.own_marker(own, &[]);
        (own, event)
    }

    fn callback(&mut self, shared: &Shared) {
        let (own, event) = self.marked_queue(shared.place);
        let release = self.builder.release(event).into();
        let of = CallbackOf::Event(event);
        let called = self.builder.callback(of, vec![release]);
        let mark = self.marked(Call::register(event, cl::CL_COMPLETE, called));
        self.step(flush(own));
        self.step(settle(&[(called, mark)]));
        self.step(finish(own));
        self.release([own]);
        let complete = Right::Among(vec![0]);
        let says = "a callback for CL_COMPLETE was given the status {}";
        self.must(says, That::FiredWith(called, complete));
        if shared.counts {
            self.must_come(called, mark, 1, "a callback of a command came {} times");
        }
    }

    /// Registers callbacks for a command from before its flush on, so that some come before it is complete, some
    /// after, and perhaps one at the very moment.
    fn register(&mut self, shared: &Shared) {
        let (own, event) = self.marked_queue(shared.place);
        let called = self.builder.callback(CallbackOf::Event(event), Vec::new());
        let one = Call::register(event, cl::CL_COMPLETE, called);
        let mark = self.marked(one.clone());
        self.step(flush(own));
        self.step(Op::Repeat {
            times: shared.registered - 1,
            within: None,
            body: vec![Step::from(one).marked(mark)],
        });
        self.step(settle(&[(called, mark)]));
        self.step(finish(own));
        self.release([event, own]);
        if shared.counts {
            let says = "callbacks of a command came {} times, not as often as they were registered";
            self.must_come(called, mark, i64::from(shared.registered), says);
        }
    }

    fn retain(&mut self, shared: &Shared) {
        let all = [
            (Function::RetainMemObject, shared.buffer),
            (Function::RetainEvent, shared.event),
            (Function::RetainCommandQueue, shared.queue),
            (Function::RetainKernel, shared.kernel),
        ];
        let taken = all.map(|(retain, slot)| Call::of(retain, slot).into());
        // The references that were taken are given back, not the program's own.
        let release = |slot| self.builder.release(slot).function;
        let given = all.map(|(_, slot)| Call::of(release(slot), slot).into());
        self.often([taken, given].concat());
    }

    fn query(&mut self, shared: &Shared) {
        use Function::{GetCommandQueueInfo, GetEventInfo, GetMemObjectInfo};
        let status = cl::CL_EVENT_COMMAND_EXECUTION_STATUS;
        let questions = [
            (GetMemObjectInfo, shared.buffer, cl::CL_MEM_SIZE, 8),
            (GetEventInfo, shared.event, status, 4),
            (GetCommandQueueInfo, shared.queue, cl::CL_QUEUE_CONTEXT, 8),
        ];
        let body = questions
            .map(|(function, of, what, bytes)| self.ask(function, of, what.into(), bytes).0);
        self.often(body.into());
    }

    fn often(&mut self, body: Vec<Step>) {
        self.step(Op::Repeat {
            times: REFERENCES,
            within: None,
            body,
        });
    }
}

/// Waits for callbacks that were registered.
pub(super) fn settle(callbacks: &[(CallbackId, Mark)]) -> Op {
    let awaited = callbacks.iter().map(|(callback, registered)| Awaited {
        callback: *callback,
        registered: *registered,
        sort: 0,
    });
    Op::Settle {
        events: Vec::new(),
        callbacks: awaited.collect(),
    }
}

/// A fill of a whole buffer with a word.
pub(super) fn fill(queue: Slot, buffer: Slot, word: u32, event: Slot) -> Call {
    let word = Value::Bytes(word.to_ne_bytes().to_vec());
    let of = values![buffer, word, 4, 0, BYTES];
    Call::enqueue(Function::EnqueueFillBuffer, queue, of, &[], Some(event))
}

/// A program of the operations' kernels, made and built.
pub(super) fn built(place: Place, program: Slot) -> [Call; 2] {
    let source = Value::list(Class::Pointer, [Value::Text(SOURCE.into())]);
    let arguments = values![place.context, 1, source, Value::Null];
    let made = Call::new(Function::CreateProgramWithSource, arguments);
    [made.makes(program), Call::build(program, place.device)]
}

/// A context of a device.
pub(super) fn context_of(device: Slot, context: Slot) -> Call {
    let devices = Value::objects([device]);
    let arguments = values![Value::Null, 1, devices, Value::Null, Value::Null];
    Call::new(Function::CreateContext, arguments).makes(context)
}
