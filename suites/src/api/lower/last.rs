//! Last references that are given up inside of callbacks, and objects that only pending commands use.

use super::operations::{built, context_of, settle};
use super::*;
use crate::api::{Given, Trigger};
use crate::host::check::{Moment, Same, Want};
use crate::host::{CallbackOf, Contents, Data, Stretches, Unit};

/// Launches that a queue has before it when what they use is given up, and the word that they leave.
const LAUNCHES: u32 = 40;
const WORD: u32 = 0x5eed;

/// Microseconds in which a callback may come that is one too many.
const LONGER: u32 = 500;

/// The objects, each with one reference.
struct Objects {
    context: Slot,
    program: Slot,
    queue: Slot,
    kernel: Slot,
    memory: Slot,
    user: Slot,
    last: Slot,
}

impl Objects {
    fn slot(&self, given: Given) -> Slot {
        match given {
            Given::Event => self.last,
            Given::UserEvent => self.user,
            Given::Memory => self.memory,
            Given::Kernel => self.kernel,
            Given::Program => self.program,
            Given::Queue => self.queue,
            Given::Context => self.context,
        }
    }
}

impl Lowering {
    /// Commands are enqueued, and then every reference of the program is given up: these in a callback, the others
    /// at once, while commands may be pending that use the objects. What the commands were to leave behind is in
    /// memory of the host when the callback was called that is the last.
    pub(super) fn last(&mut self, trigger: Trigger, given: &[Given]) {
        let device = self.builder.fixture("device", Fixture::Device(0));
        let objects = Objects {
            context: self.slot("context", SlotKind::Context),
            program: self.slot("program", SlotKind::Program),
            queue: self.slot("queue", SlotKind::Queue),
            kernel: self.slot("kernel", SlotKind::Kernel),
            memory: self.slot("memory", SlotKind::Memory),
            user: self.event("user"),
            last: self.event("last"),
        };
        let host = self.slot("host", SlotKind::Host { bytes: BYTES });
        let place = Place {
            context: objects.context,
            device,
            program: objects.program,
        };
        self.step(Op::Write {
            at: host.at(0),
            data: Data::zeros(BYTES),
        });
        self.step(context_of(device, objects.context));
        self.add(built(place, objects.program));
        self.step(queue(place, objects.queue));
        self.step(buffer(place.context, objects.memory));
        self.step(user_event(place.context, objects.user));
        self.add(kernel(place, objects.kernel, objects.memory, WORD));
        let ends = self.builder.callback(CallbackOf::Memory, Vec::new());
        let function = Function::SetMemObjectDestructorCallback;
        let ends_mark = self.marked(at_end(function, objects.memory, ends));
        let words = BYTES / 4;
        let launch = Call::launch(objects.queue, objects.kernel, words, &[], None);
        self.step(Op::Repeat {
            times: LAUNCHES,
            within: None,
            body: vec![launch.into()],
        });
        let of = values![objects.memory, false, 0, BYTES, host.at(0)];
        let read = Function::EnqueueReadBuffer;
        self.step(Call::enqueue(
            read,
            objects.queue,
            of,
            &[],
            Some(objects.last),
        ));
        self.give_up(trigger, given, (&objects, place), (ends, ends_mark));
        let answer = self.builder.answer();
        self.step(Op::Read {
            from: host.at(0),
            stretches: Stretches::whole(BYTES),
            into: answer,
        });
        self.end_thread();
        let want = Want::Same(Same::new(Unit::Word, Contents::Every(WORD), true));
        let says = "what commands leave behind whose objects were given up";
        self.must(says, That::Bytes(answer, want));
    }

    /// Gives everything up, and waits for the callbacks.
    fn give_up(
        &mut self,
        trigger: Trigger,
        given: &[Given],
        (objects, place): (&Objects, Place),
        ends: (CallbackId, Mark),
    ) {
        let mut released = None;
        let mut steps = Vec::new();
        for one in given {
            let mut step = Step::from(self.builder.release(objects.slot(*one)));
            if *one == Given::Memory {
                let mark = self.builder.mark();
                released = Some(mark);
                step = step.marked(mark);
            }
            steps.push(step);
        }
        // What the callback gives up is not flushed by its release.
        if given.contains(&Given::Queue) || trigger != Trigger::Event {
            self.step(flush(objects.queue));
        }
        let other = self.slot("other", SlotKind::Memory);
        let (callback, mark) = match trigger {
            Trigger::Event | Trigger::CompleteEvent => {
                if trigger == Trigger::CompleteEvent {
                    self.step(Call::wait(&[objects.last]));
                }
                let callback = self
                    .builder
                    .callback(CallbackOf::Event(objects.last), steps);
                (
                    callback,
                    self.marked(Call::register(objects.last, cl::CL_COMPLETE, callback)),
                )
            }
            Trigger::UserEvent => {
                self.step(Call::wait(&[objects.last]));
                let callback = self
                    .builder
                    .callback(CallbackOf::Event(objects.user), steps);
                (
                    callback,
                    self.marked(Call::register(objects.user, cl::CL_COMPLETE, callback)),
                )
            }
            Trigger::Memory => {
                self.step(Call::wait(&[objects.last]));
                self.step(buffer(place.context, other));
                let callback = self.builder.callback(CallbackOf::Memory, steps);
                let function = Function::SetMemObjectDestructorCallback;
                (callback, self.marked(at_end(function, other, callback)))
            }
        };
        let all = [
            Given::Kernel,
            Given::Program,
            Given::Memory,
            Given::Queue,
            Given::Context,
            Given::Event,
            Given::UserEvent,
        ];
        // What triggers it is given up when it has.
        let trigger_of = (trigger == Trigger::UserEvent).then_some(Given::UserEvent);
        for one in all
            .into_iter()
            .filter(|one| !given.contains(one) && Some(*one) != trigger_of)
        {
            let release = self.builder.release(objects.slot(one));
            if one == Given::Memory {
                released = Some(self.marked(release));
            } else {
                self.step(release);
            }
        }
        match trigger {
            Trigger::Event | Trigger::CompleteEvent => {}
            Trigger::UserEvent => self.step(set(objects.user)),
            Trigger::Memory => self.release([other]),
        }
        self.step(settle(&[(callback, mark), ends]));
        if let Some(one) = trigger_of.filter(|one| !given.contains(one)) {
            self.release([objects.slot(one)]);
        }
        self.step(Op::Sleep(LONGER));
        let says = "the callback that gives references up was called {} times";
        self.must_come(callback, mark, 1, says);
        let says = "a callback for the end of memory was called {} times";
        self.must_come(ends.0, ends.1, 1, says);
        if let Some(released) = released {
            let early = That::Before(Moment::Began(released), Moment::Fired(ends.0));
            self.must("memory ended before its last reference was released", early);
        }
    }
}
