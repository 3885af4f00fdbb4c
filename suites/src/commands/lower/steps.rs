//! What host threads and callbacks do.

use super::enqueue::numbers_of;
use super::*;
use crate::commands::program::{AccessId, Step as CommandStep, Who};
use crate::host::SignalId;

impl Lowering<'_> {
    /// Callbacks, native kernels and threads.
    pub(super) fn threads(&mut self) {
        let p = self.program();
        let native = p
            .commands()
            .filter_map(|(id, command)| match &command.what {
                What::Native(work) => Some((id, work)),
                _ => None,
            });
        for ((command, _), n) in native.clone().zip(p.callbacks.len() as u16..) {
            self.natives.insert(command, CallbackId(n));
        }
        for (id, callback) in p.callbacks() {
            let of = CallbackOf::Event(self.event(callback.event));
            let steps = self.steps(Who::Callback(id), &callback.steps);
            self.builder.callback(of, steps);
        }
        for (command, work) in native {
            let (slots, steps) = self.native_kernel(command, work);
            let numbers = numbers_of(command);
            self.builder
                .callback(CallbackOf::Native { slots, numbers }, steps);
        }
        for _ in 0..p.signals {
            self.builder.signal();
        }
        for (n, thread) in p.threads.iter().enumerate() {
            let steps = self.steps(Who::Thread(n as u16), thread);
            self.builder.thread(steps);
        }
    }

    fn steps(&mut self, who: Who, steps: &[CommandStep]) -> Vec<Step> {
        commands::places(who, steps)
            .flat_map(|(place, step)| self.step(place, step))
            .collect()
    }

    fn step(&mut self, place: commands::Place, step: &CommandStep) -> Vec<Step> {
        let mark = self.builder.mark();
        self.names.steps.insert(place, (mark, mark));
        let call = |call: Call| Step::from(call.whatever()).marked(mark);
        let nothing = || Step::from(Op::Yield(0)).marked(mark);
        vec![match step {
            CommandStep::Enqueue(id) => return self.enqueue(*id, mark),
            CommandStep::Flush(q) => call(Call::of(Function::Flush, self.queue(*q))),
            CommandStep::Finish(q) => call(Call::of(Function::Finish, self.queue(*q))),
            CommandStep::Wait(events) => {
                let events: Vec<Slot> = events.iter().map(|e| self.event(*e)).collect();
                call(Call::wait(&events))
            }
            CommandStep::Set { user, status } => {
                call(Call::set(self.event(Event::User(*user)), *status))
            }
            CommandStep::Register(id) => {
                let callback = &self.program().callbacks[id.index()];
                let (event, at) = (self.event(callback.event), callback.at.constant());
                call(Call::register(event, at, CallbackId(id.0)))
            }
            CommandStep::Access(id) => return vec![self.access(*id).marked(mark)],
            CommandStep::Inspect(id) => self.inspect(*id).marked(mark),
            CommandStep::Status(event) => {
                let (event, then) = (self.event(*event), self.builder.mark());
                let (time, status) = (self.builder.answer(), self.builder.answer());
                self.names.steps.insert(place, (mark, then));
                self.names.statuses.insert(place, status);
                let times = Call::time(event, cl::CL_PROFILING_COMMAND_END, time);
                let status = Call::status(event, status).whatever();
                return vec![call(times), Step::from(status).marked(then)];
            }
            CommandStep::Signal(id) => Step::from(Op::Signal(SignalId(id.0))).marked(mark),
            CommandStep::Await(id) => Step::from(Op::Await(SignalId(id.0))).marked(mark),
            CommandStep::Sleep(micros) => Step::from(Op::Sleep(*micros)).marked(mark),
            CommandStep::Yield(times) => Step::from(Op::Yield(*times)).marked(mark),
            CommandStep::ReleaseEvent(event) => {
                call(Call::take(Function::ReleaseEvent, self.event(*event)))
            }
            CommandStep::ReleaseQueue(q) => {
                call(Call::take(Function::ReleaseCommandQueue, self.queue(*q)))
            }
            CommandStep::ReleaseObject(id) => match self.object(*id) {
                Object::Buffer(slot, _) => call(Call::take(Function::ReleaseMemObject, slot)),
                Object::Memory(_, owner) if self.is_svm(*id) => {
                    let object = self.program().objects[id.index()];
                    let context = self.contexts[object.context.index()].slot;
                    let arguments = [context.into(), Value::Take(owner)];
                    call(Call::new(Function::SVMFree, arguments))
                }
                Object::Memory(..) | Object::Variable => nothing(),
            },
        }]
    }

    /// Whether an object is an SVM allocation.
    fn is_svm(&self, id: ObjectId) -> bool {
        let kind = self.program().objects[id.index()].kind;
        matches!(kind, commands::Kind::SvmCoarse | commands::Kind::SvmFine)
    }

    fn access(&mut self, id: AccessId) -> Step {
        let access = &self.program().accesses[id.index()];
        // The first cell that the pointer is at.
        let map = access.map.and_then(|map| {
            let range = self.program().what(map).mapped()?;
            Some((self.maps[&map], range.first))
        });
        let pointer = self.pointer(access.range.object).map(|slot| (slot, 0));
        let Some((slot, first)) = map.or(pointer) else {
            return Op::Yield(0).into();
        };
        let range = access.range;
        let at = slot.at(self.bytes(range.first.saturating_sub(first)));
        if access.write {
            return self.tokens(at, Writer::Access(id), range);
        }
        self.look(Read::Access(id), range, at)
    }

    /// Reads the cells of a range, the first of which is at a place.
    pub(super) fn look(&mut self, read: Read, range: Range, from: Place) -> Step {
        let into = self.builder.answer();
        self.names.reads.insert(read, into);
        let stretches = Stretches {
            count: range.count.into(),
            bytes: self.bytes(1_u8),
            pitch: self.bytes(range.stride),
        };
        Step::from(Op::Read {
            from,
            stretches,
            into,
        })
    }

    fn inspect(&mut self, id: CommandId) -> Step {
        let command = &self.program().commands[id.index()];
        let (What::Read(transfer), Some(memory)) = (&command.what, self.staging.get(&id)) else {
            return Op::Yield(0).into();
        };
        let whole = Range {
            stride: 1,
            ..transfer.range
        };
        self.look(Read::Command(id), whole, memory.at(0))
    }
}
