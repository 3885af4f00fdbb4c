//! What a host thread does and undoes.

use super::*;
use crate::api::Operation;
use crate::host::check::{Same, Want};
use crate::host::{Awaited, CallbackOf, Data, Mark, Op, SignalId};
use crate::host::{Contents, Unit};

/// What threads share.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shared {
    pub place: Place,
    pub queue: Slot,
    pub buffer: Slot,
    pub event: Slot,
    pub kernel: Slot,
}

/// References that an operation takes and gives back.
const REFERENCES: u32 = 50;

/// 32-bit words of a buffer.
const WORDS: usize = BYTES / 4;

/// A signal that lets another thread set a user event, and one that says that it did.
#[derive(Debug, Clone, Copy)]
pub(super) struct Helped {
    pub gate: Slot,
    pub begin: SignalId,
    pub done: SignalId,
}

/// Operations that are being written: the steps of a thread, and what another does for it.
pub(super) struct Operations<'l> {
    pub lowering: &'l mut Lowering,
    pub shared: Shared,
    /// User events that a thread beside sets; `None` where there is none, and the thread sets them itself.
    pub helped: Option<Vec<Helped>>,
    /// Callbacks that are registered while their command completes.
    pub registered: u32,
    pub steps: Vec<Step>,
}

impl Lowering {
    /// What threads share in a place, made by these steps.
    pub(super) fn shared(&mut self, place: Place) -> (Shared, Vec<Step>) {
        let shared = Shared {
            place,
            queue: self.builder.slot("queue", SlotKind::Queue),
            buffer: self.builder.slot("buffer", SlotKind::Memory),
            event: self.builder.slot("event", SlotKind::Event),
            kernel: self.builder.slot("kernel", SlotKind::Kernel),
        };
        let mut steps = vec![
            queue(place, shared.queue),
            buffer(place.context, shared.buffer),
            user_event(place.context, shared.event),
        ];
        steps.extend(kernel(place, shared.kernel, shared.buffer, 1));
        (shared, steps)
    }
}

impl Operations<'_> {
    fn slot(&mut self, name: &str, kind: SlotKind) -> Slot {
        self.lowering.builder.slot_of_its_own(name, kind)
    }

    fn step(&mut self, step: impl Into<Step>) {
        self.steps.push(step.into());
    }

    fn release(&mut self, slot: Slot) {
        let step = self.lowering.release(slot);
        self.steps.push(step);
    }

    /// Reads a buffer that has to be full of this word.
    fn look(&mut self, of: Slot, word: u32) {
        let answer = self.lowering.builder.answer();
        let event = self.slot("read", SlotKind::Event);
        let to = Value::Answer(answer, BYTES);
        self.step(Call::read(self.shared.queue, of, BYTES, to, Some(event)));
        self.release(event);
        let want = Want::Same(Same {
            unit: Unit::Word,
            contents: Contents::Every(word),
            racy: true,
        });
        let says = "a read of what was filled in before it";
        self.lowering.must(says, That::Bytes(answer, want));
    }

    /// Writes an operation.
    pub(super) fn write(&mut self, operation: Operation) {
        let Shared {
            place,
            queue: shared_queue,
            ..
        } = self.shared;
        let context = place.context;
        match operation {
            Operation::Buffer => {
                let own = self.slot("own", SlotKind::Memory);
                self.step(buffer(context, own));
                self.release(own);
            }
            Operation::SubBuffer => {
                let whole = self.slot("whole", SlotKind::Memory);
                let part = self.slot("part", SlotKind::Memory);
                self.step(buffer(context, whole));
                let flags = cl::CL_MEM_READ_WRITE.into();
                self.step(Call::sub_buffer(whole, flags, 0, BYTES / 2).makes(part));
                self.release(whole);
                self.release(part);
            }
            Operation::UserEvent => {
                let event = self.slot("user", SlotKind::Event);
                self.step(user_event(context, event));
                self.step(set(event));
                self.step(Call::wait(&[event]));
                self.release(event);
            }
            Operation::Queue => {
                let own = self.slot("own", SlotKind::Queue);
                let event = self.slot("marker", SlotKind::Event);
                self.step(queue(place, own));
                self.step(marker(own, &[], event));
                self.step(finish(own));
                self.release(own);
                self.release(event);
            }
            Operation::Kernel => self.kernel(),
            Operation::Program => {
                let program = self.slot("program", SlotKind::Program);
                let own = self.slot("fill", SlotKind::Kernel);
                self.steps.extend(built(place, program));
                self.step(Call::kernel(program, "fill", own));
                self.release(program);
                self.release(own);
            }
            Operation::Context => {
                let own = self.slot("own", SlotKind::Context);
                let event = self.slot("user", SlotKind::Event);
                self.step(context_of(place.device, own));
                self.step(user_event(own, event));
                self.release(own);
                self.release(event);
            }
            Operation::Marker => {
                let event = self.slot("marker", SlotKind::Event);
                self.step(marker(shared_queue, &[], event));
                self.step(Call::wait(&[event]));
                self.release(event);
            }
            Operation::Fill => {
                let own = self.slot("own", SlotKind::Memory);
                let event = self.slot("filled", SlotKind::Event);
                self.step(buffer(context, own));
                self.step(fill(shared_queue, own, 5, event));
                self.release(event);
                self.look(own, 5);
                self.release(own);
            }
            Operation::Map => self.map(),
            Operation::Callback => self.callback(),
            Operation::Register => self.register(),
            Operation::Retain => self.retain(),
            Operation::Query => self.query(),
        }
    }

    fn kernel(&mut self) {
        let own = self.slot("own", SlotKind::Memory);
        let filling = self.slot("fill", SlotKind::Kernel);
        let event = self.slot("filled", SlotKind::Event);
        self.step(buffer(self.shared.place.context, own));
        self.steps
            .extend(kernel(self.shared.place, filling, own, 3));
        let queue = self.shared.queue;
        self.step(Call::launch(queue, filling, WORDS, &[], Some(event)));
        self.release(filling);
        self.release(event);
        self.look(own, 3);
        self.release(own);
    }

    fn map(&mut self) {
        let own = self.slot("own", SlotKind::Memory);
        let mapped = self.slot("mapped", SlotKind::Address);
        let events = [
            self.slot("map", SlotKind::Event),
            self.slot("unmap", SlotKind::Event),
        ];
        let queue = self.shared.queue;
        self.step(buffer(self.shared.place.context, own));
        let flags = Value::Flags(vec![cl::CL_MAP_READ, cl::CL_MAP_WRITE]);
        let of = [own.into(), true.into(), flags, 0_usize.into(), BYTES.into()];
        let map = Call::enqueue(Function::EnqueueMapBuffer, queue, of, &[], Some(events[0]));
        self.step(map.makes(mapped));
        self.release(events[0]);
        self.step(Op::Write {
            at: mapped.at(0),
            data: Data::Contents {
                contents: Contents::Every(9),
                bytes: BYTES,
            },
        });
        let of = [own.into(), mapped.into()];
        let function = Function::EnqueueUnmapMemObject;
        self.step(Call::enqueue(function, queue, of, &[], Some(events[1])));
        self.release(events[1]);
        self.look(own, 9);
        self.release(own);
    }

    /// A marker in a queue of its own, behind a user event.
    fn gated(&mut self) -> (Slot, Slot, Slot) {
        let own = self.slot("own", SlotKind::Queue);
        let gate = self.slot("gate", SlotKind::Event);
        let event = self.slot("marker", SlotKind::Event);
        self.step(queue(self.shared.place, own));
        self.step(user_event(self.shared.place.context, gate));
        self.step(marker(own, &[gate], event));
        (own, gate, event)
    }

    fn callback(&mut self) {
        let (own, gate, event) = self.gated();
        let release = self.lowering.release(event);
        let builder = &mut self.lowering.builder;
        let called = builder.callback(CallbackOf::Event(event), vec![release]);
        let mark = builder.mark();
        self.step(Step::from(on_complete(event, called)).marked(mark));
        self.step(flush(own));
        self.step(set(gate));
        self.step(settle(called, mark));
        self.step(finish(own));
        self.release(gate);
        self.release(own);
        let complete = Right::Among(vec![0]);
        let says = "a callback for CL_COMPLETE was given the status {}";
        self.lowering.must(says, That::FiredWith(called, complete));
        let says = "a callback of a command came {} times";
        self.came(called, mark, says, 1);
    }

    /// Callbacks that came as often as they were registered; in a repetition the program is over too soon to say.
    fn came(&mut self, called: crate::host::CallbackId, mark: Mark, says: &str, times: i64) {
        if self.helped.is_some() {
            let right = Right::Among(vec![times]);
            self.lowering
                .must(says, That::Fired(vec![called], Some(mark), right));
        }
    }

    /// Registers callbacks for a command while another thread lets it go, so that some come before it is complete, some
    /// after, and perhaps one at the very moment.
    fn register(&mut self) {
        let (own, gate, event) = self.gated();
        let builder = &mut self.lowering.builder;
        let called = builder.callback(CallbackOf::Event(event), Vec::new());
        let mark = builder.mark();
        let one = || Step::from(on_complete(event, called)).marked(mark);
        let helped = self.helped.is_some().then(|| Helped {
            gate,
            begin: builder.signal(),
            done: builder.signal(),
        });
        self.step(flush(own));
        self.step(one());
        match helped {
            Some(helped) => self.step(Op::Signal(helped.begin)),
            None => self.step(set(gate)),
        }
        self.step(Op::Repeat {
            times: self.registered - 1,
            within: None,
            body: vec![one()],
        });
        if let Some(helped) = helped {
            self.step(Op::Await(helped.done));
        }
        self.step(settle(called, mark));
        self.step(finish(own));
        self.release(event);
        self.release(gate);
        self.release(own);
        let registered = i64::from(self.registered);
        let says = "callbacks of a command came {} times, not as often as they were registered";
        self.came(called, mark, says, registered);
        if let (Some(all), Some(helped)) = (&mut self.helped, helped) {
            all.push(helped);
        }
    }

    fn retain(&mut self) {
        let all = [
            (Function::RetainMemObject, self.shared.buffer),
            (Function::RetainEvent, self.shared.event),
            (Function::RetainCommandQueue, self.shared.queue),
            (Function::RetainKernel, self.shared.kernel),
        ];
        let taken = all.map(|(retain, slot)| Call::of(retain, slot).into());
        // The references that were taken are given back, not the program's own.
        let given = all.map(|(_, slot)| {
            let release = self.lowering.builder.release(slot);
            Call::of(release.function, slot).into()
        });
        let body = taken.into_iter().chain(given).collect();
        self.step(Op::Repeat {
            times: REFERENCES,
            within: None,
            body,
        });
    }

    fn query(&mut self) {
        let shared = self.shared;
        let questions = [
            (
                Function::GetMemObjectInfo,
                shared.buffer,
                cl::CL_MEM_SIZE,
                8,
            ),
            (
                Function::GetEventInfo,
                shared.event,
                cl::CL_EVENT_COMMAND_EXECUTION_STATUS,
                4,
            ),
            (
                Function::GetCommandQueueInfo,
                shared.queue,
                cl::CL_QUEUE_CONTEXT,
                8,
            ),
        ];
        let body = questions.map(|(function, of, what, bytes)| {
            self.lowering.ask(function, of, what.into(), bytes).0
        });
        self.step(Op::Repeat {
            times: REFERENCES,
            within: None,
            body: body.into(),
        });
    }
}

/// Waits for the callbacks of a registration.
fn settle(callback: crate::host::CallbackId, registered: Mark) -> Step {
    Op::Settle {
        events: Vec::new(),
        callbacks: vec![Awaited {
            callback,
            registered,
            sort: 0,
        }],
    }
    .into()
}

/// A callback for CL_COMPLETE.
fn on_complete(event: Slot, callback: crate::host::CallbackId) -> Call {
    Call::register(event, cl::CL_COMPLETE, callback)
}

/// A fill of a whole buffer with a word.
pub(super) fn fill(queue: Slot, buffer: Slot, word: u32, event: Slot) -> Step {
    let of = [
        buffer.into(),
        Value::Bytes(word.to_ne_bytes().to_vec()),
        4_usize.into(),
        0_usize.into(),
        BYTES.into(),
    ];
    Call::enqueue(Function::EnqueueFillBuffer, queue, of, &[], Some(event)).into()
}

/// A program of the operations' kernels, made and built.
pub(super) fn built(place: Place, program: Slot) -> [Step; 2] {
    let source = Value::list(crate::host::Class::Pointer, [Value::Text(SOURCE.into())]);
    [
        Call::new(
            Function::CreateProgramWithSource,
            [place.context.into(), 1_u32.into(), source, Value::Null],
        )
        .makes(program)
        .into(),
        Call::build(program, place.device).into(),
    ]
}

/// A context of a device.
pub(super) fn context_of(device: Slot, context: Slot) -> Step {
    Call::new(
        Function::CreateContext,
        [
            Value::Null,
            1_u32.into(),
            Value::objects([device]),
            Value::Null,
            Value::Null,
        ],
    )
    .makes(context)
    .into()
}
