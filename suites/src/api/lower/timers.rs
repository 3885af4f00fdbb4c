//! The timers of the host and of a device, and the times of commands.

use super::operations::fill;
use super::*;
use crate::host::Class;
use crate::host::answers::{Question, Wanted};

/// Microseconds by which timers of one device may differ: no text says how well they are read.
const MEANWHILE: u32 = 2000;

impl Lowering {
    /// The host's timer is one, whichever function asks for it, and time passes. The device's timer is that of the times of
    /// commands.
    pub(super) fn timers(&mut self, place: Place) {
        let mut times = [Vec::new(), Vec::new()];
        let mut of_command = None;
        for n in 0..3 {
            if n == 1 {
                of_command = Some(self.timed_command(place));
            }
            let host = self.builder.answer();
            let room = |answer| Value::Answer(answer, 8);
            let (function, arguments) = match n {
                1 => (Function::GetHostTimer, values![place.device, room(host)]),
                _ => {
                    let device = self.builder.answer();
                    times[1].push(device);
                    let arguments = values![place.device, room(device), room(host)];
                    (Function::GetDeviceAndHostTimer, arguments)
                }
            };
            times[0].push(host);
            let mut call = Call::new(function, arguments);
            // "if the platform associated with device does not support device and host timer synchronization"
            call.expect.codes = vec![0, cl::CL_INVALID_OPERATION.value() as i32];
            self.step(call);
        }
        if let (Some([start, end]), [before, after]) = (of_command, &times[1][..]) {
            let says = "a command started before the device's timer was asked that was enqueued afterwards";
            self.must(says, That::NotAfter(*before, start));
            let says =
                "a command ended after the device's timer was asked that had been waited for";
            self.must(says, That::NotAfter(end, *after));
        }
        for (times, whose) in times.into_iter().zip(["host", "device"]) {
            for pair in times.windows(2) {
                let says = format!("a later time of the {whose}'s timer is less than one before");
                self.must(&says, That::NotAfter(pair[0], pair[1]));
            }
        }
    }

    /// When a command started and ended, which is waited for; some time passes before it and behind it.
    fn timed_command(&mut self, place: Place) -> [AnswerId; 2] {
        let profiling = Value::Flags(vec![cl::CL_QUEUE_PROFILING_ENABLE]);
        let list = Value::List(Class::Long, values![cl::CL_QUEUE_PROPERTIES, profiling, 0]);
        let (queue, to) = (
            self.own("queue", SlotKind::Queue),
            self.own("filled", SlotKind::Memory),
        );
        let filled = self.own_event("filled");
        self.step(Call::queue(place.context, place.device, list).makes(queue));
        self.step(buffer(place.context, to));
        self.step(Op::Sleep(MEANWHILE));
        self.step(fill(queue, to, 3, filled));
        self.step(Call::wait(&[filled]));
        self.step(Op::Sleep(MEANWHILE));
        let times = [cl::CL_PROFILING_COMMAND_START, cl::CL_PROFILING_COMMAND_END];
        let answers = times.map(|time| {
            let answer = self.builder.answer();
            self.step(Call::time(filled, time, answer));
            answer
        });
        // What a queue says of its times is asked wherever it may have none; this one has them all.
        let (function, name) = (
            Function::GetEventProfilingInfo,
            cl::CL_PROFILING_COMMAND_COMPLETE,
        );
        let any = Wanted::Number(8, 0, u64::MAX);
        let question = Question::new(function, filled, name, any).since(200);
        let step = self.builder.question(question);
        self.step(step);
        self.release([filled, to, queue]);
        answers
    }
}
