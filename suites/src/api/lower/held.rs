//! Commands and events that are held back, or fail.

use super::operations::fill;
use super::*;
use crate::api::Legacy;
use crate::host::Class;

/// Microseconds in which a command that is not held back would run.
const SHOWS: u32 = 1000;

/// Most arguments of a built-in kernel.
const ARGUMENTS: u32 = 8;

impl Lowering {
    /// A user event that fails, by itself.
    pub(super) fn failed_event(&mut self, code: i32) {
        let place = self.place();
        let event = self.event("event");
        let answer = self.builder.answer();
        self.step(user_event(place.context, event));
        self.step(Call::set(event, code));
        self.step(Call::status(event, answer));
        let operation = cl::CL_INVALID_OPERATION.value() as i32;
        let sentence = "if the _execution_status_ for _event_ has already been changed by a previous call to clSetUserEventStatus";
        let again = [0, code, -5]
            .map(|status| self.marked(Call::set(event, status).refused(vec![operation], sentence)));
        let still = self.builder.answer();
        self.step(Call::status(event, still));
        let waited = self.marked(Call::wait(&[event]).whatever());
        self.release([event]);
        self.end_thread();
        for mark in again {
            let says =
                "a user event that had failed was set again: clSetUserEventStatus returned {}";
            let right = Right::Among(vec![i64::from(operation)]);
            self.must(says, That::Code(mark, right));
        }
        let says = "a user event that had failed and was set again has the status {}";
        let right = Right::Among(vec![i64::from(code)]);
        self.must(says, That::Number(still, right));
        let status = Right::Among(vec![i64::from(code)]);
        let says = "a user event has the status {}, not the one it was set to";
        self.must(says, That::Number(answer, status));
        let failed = cl::CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST.value();
        let says = "clWaitForEvents returned {} for an event that had failed";
        self.must(says, That::Code(waited, Right::Among(vec![failed])));
    }

    /// Every built-in kernel, held back by a user event; and a program that has them all.
    pub(super) fn built_in(&mut self, names: &[String]) {
        let place = self.place();
        let own = self.slot("queue", SlotKind::Queue);
        self.step(queue(place, own));
        for name in names {
            self.one_built_in(place, own, name);
        }
        if names.len() > 1 {
            let program = self.slot("together", SlotKind::Program);
            self.program_of(place, &names.join(";"), program);
            for name in names {
                let kernel = self.own("kernel", SlotKind::Kernel);
                self.step(Call::kernel(program, name, kernel));
                self.release([kernel]);
            }
            self.release([program]);
        }
        self.end_thread();
    }

    /// A program of built-in kernels. Some want it built, others refuse to build what has no source.
    fn program_of(&mut self, place: Place, names: &str, program: Slot) {
        let (devices, names) = (Value::objects([place.device]), Value::Text(names.into()));
        let arguments = values![place.context, 1, devices, names];
        let made = Call::new(Function::CreateProgramWithBuiltInKernels, arguments);
        self.step(made.makes(program));
        self.step(Call::build(program, place.device).whatever());
    }

    /// A built-in kernel over buffers, wherever it takes one, and small numbers elsewhere.
    fn one_built_in(&mut self, place: Place, own: Slot, name: &str) {
        let program = self.own("program", SlotKind::Program);
        let kernel = self.own("kernel", SlotKind::Kernel);
        let [gate, event] = ["gate", "event"].map(|name| self.own_event(name));
        self.program_of(place, name, program);
        self.step(Call::kernel(program, name, kernel));
        for n in 0..ARGUMENTS {
            let memory = self.own("argument", SlotKind::Memory);
            self.step(buffer(place.context, memory));
            // A number of eight bytes takes the buffer's handle for one.
            let number = Call::bytes_argument(kernel, n, 1_u32.to_ne_bytes().to_vec());
            self.step(Call::object_argument(kernel, n, memory).whatever());
            self.step(number.whatever());
        }
        self.step(user_event(place.context, gate));
        let mut enqueue = Call::launch(own, kernel, 4, &[gate], Some(event));
        // One that takes something else is not enqueued.
        let unset = cl::CL_INVALID_KERNEL_ARGS.value() as i32;
        enqueue.expect.codes.push(unset);
        self.step(enqueue);
        self.step(flush(own));
        self.step(Op::Sleep(SHOWS));
        self.has_status(event, true);
        self.step(set(gate));
        self.step(finish(own));
        self.has_status(event, false);
        self.release([kernel, program]);
    }

    /// A queue that is out of order: a held marker, the old function, and a fill behind it.
    pub(super) fn legacy(&mut self, call: Legacy) {
        let place = self.place();
        let own = self.slot("queue", SlotKind::Queue);
        let memory = self.slot("memory", SlotKind::Memory);
        let names = ["gate", "first", "between", "behind"];
        let [gate, first, between, behind] = names.map(|name| self.event(name));
        let out_of_order = cl::CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
        let properties = values![cl::CL_QUEUE_PROPERTIES, out_of_order, 0];
        let properties = Value::list(Class::Long, properties);
        let (old, waits) = match call {
            Legacy::Marker => {
                let arguments = values![own, Value::Into(between)];
                (Call::new(Function::EnqueueMarker, arguments), between)
            }
            Legacy::Barrier => (Call::of(Function::EnqueueBarrier, own), behind),
            Legacy::WaitForEvents => {
                let arguments = values![own, 1, Value::objects([first])];
                (Call::new(Function::EnqueueWaitForEvents, arguments), behind)
            }
        };
        self.step(Call::queue(place.context, place.device, properties).makes(own));
        self.step(user_event(place.context, gate));
        self.step(buffer(place.context, memory));
        self.step(marker(own, &[gate], first));
        // Nothing is shown where the implementation lacks the function.
        let shown = vec![
            old.into(),
            fill(own, memory, 0, behind).into(),
            flush(own).into(),
            Op::Sleep(SHOWS).into(),
            self.status(waits, true),
        ];
        self.step(Op::Sequence(shown));
        self.step(set(gate));
        self.step(finish(own));
        self.has_status(waits, false);
        self.end_thread();
    }
}
