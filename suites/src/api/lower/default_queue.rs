//! Queues on the device, and which of them is the default one.

use super::*;
use crate::host::Class;
use crate::host::answers::{Question, Wanted};

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
                let list = values![cl::CL_QUEUE_PROPERTIES, Value::Flags(flags), 0];
                let list = Value::list(Class::Long, list);
                let made = Call::queue(place.context, place.device, list).makes(queue);
                // "The maximum number of device queues that can be created for this device in a single context" may
                // be one.
                self.step(if n == 0 { made } else { made.whatever() });
                queue
            })
            .collect();
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
