//! Queues on the device, and which of them is the default one.

use super::*;
use crate::host::Class;
use crate::host::answers::{Question, Wanted};

/// Bytes of a queue, which any device takes.
const SIZE: u32 = 4096;

impl Lowering {
    /// A default queue on the device, and others, where the device has so many; each becomes the default one, the first
    /// at the end again, and all queues of the device say so.
    pub(super) fn default_queue(&mut self, place: Place, queues: u8) {
        let host = self.own("queue", SlotKind::Queue);
        self.step(super::queue(place, host));
        let all: Vec<Slot> = (0..queues)
            .map(|n| {
                let queue = self.own("device_queue", SlotKind::Queue);
                let mut flags = vec![
                    cl::CL_QUEUE_ON_DEVICE,
                    cl::CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE,
                ];
                flags.extend((n == 0).then_some(cl::CL_QUEUE_ON_DEVICE_DEFAULT));
                let mut list = values![cl::CL_QUEUE_PROPERTIES, Value::Flags(flags)];
                // The others have a size of their own.
                if n % 2 == 1 {
                    list.extend(values![cl::CL_QUEUE_SIZE, SIZE]);
                }
                list.push(0.into());
                let list = Value::list(Class::Long, list);
                let made = Call::queue(place.context, place.device, list).makes(queue);
                // "The maximum number of device queues that can be created for this device in a single context" may
                // be one.
                self.step(if n == 0 { made } else { made.whatever() });
                queue
            })
            .collect();
        let of = [
            (
                Function::GetDeviceInfo,
                place.device,
                cl::CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE,
            ),
            (Function::GetCommandQueueInfo, all[0], cl::CL_QUEUE_SIZE),
        ];
        let [preferred, size] = of.map(|(function, of, name)| {
            let (step, answer) = self.ask(function, of, name.into(), 4);
            self.steps.push(step);
            answer
        });
        let says =
            "a queue on the device for which no size is given has another than the device prefers";
        self.must(says, That::NotAfter(preferred, size));
        self.must(says, That::NotAfter(size, preferred));
        self.is_default(all[0], [host, all[0]]);
        for queue in all.iter().skip(1).chain([&all[0]]) {
            let function = Function::SetDefaultDeviceCommandQueue;
            self.step(Call::new(
                function,
                values![place.context, place.device, *queue],
            ));
            self.is_default(*queue, [host, *queue]);
        }
        for queue in all {
            self.release([queue]);
        }
        self.release([host]);
    }

    /// Asks queues of a device which one is its default.
    fn is_default(&mut self, is: Slot, of: [Slot; 2]) {
        for queue in of {
            let (function, name) = (Function::GetCommandQueueInfo, cl::CL_QUEUE_DEVICE_DEFAULT);
            let question = Question::new(function, queue, name, Wanted::object(is));
            let step = self.builder.question(question);
            self.step(step);
        }
    }
}
