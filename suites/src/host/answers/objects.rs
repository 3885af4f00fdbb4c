//! What contexts, queues, memory objects, samplers and events must answer.

use super::known::{Known, Origin, bits, object};
use super::{Question, Wanted, bytes_of, kernels, memory, programs, recorded};
use crate::host::constant::{Constant, cl};
use crate::host::function::{Class, Function};
use crate::host::program::{Call, Fixture, SlotKind};
use crate::host::value::{Slot, Value};
use crate::rule;

/// A moment of an object's life.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Age {
    /// It was made just now, and nothing else was done with it.
    New,
    /// After that, until its end.
    Used,
    /// When every command is complete.
    Over,
}

impl Known<'_> {
    /// What a slot's object must answer at this age.
    /// Programs and kernels answer after the calls that were `done`.
    pub fn questions(&self, slot: Slot, age: Age, done: &[&Call]) -> Vec<Question> {
        let Some((origin, kind)) = self.origin(slot).zip(self.kind(slot)) else {
            return Vec::new();
        };
        match kind {
            SlotKind::Context => self.of_context(slot, origin),
            SlotKind::Queue => self.of_queue(slot, origin),
            SlotKind::Memory => memory::of_memory(self, slot),
            SlotKind::Sampler => self.of_sampler(slot),
            SlotKind::Event => self.of_event(slot, origin, age),
            SlotKind::CommandBuffer => recorded::of_command_buffer(self, slot, done),
            SlotKind::MutableCommand => recorded::of_mutable_command(self, slot, done),
            SlotKind::Program => programs::of_program(self, slot, done),
            SlotKind::Kernel => kernels::of_kernel(self, slot, done),
            SlotKind::Device => self.of_device(slot, origin),
            SlotKind::Platform | SlotKind::Svm(_) | SlotKind::Address | SlotKind::Host { .. } => {
                Vec::new()
            }
        }
    }

    /// What a sub-device answers; of others nothing is known.
    fn of_device(&self, device: Slot, origin: Origin<'_>) -> Vec<Question> {
        let call = match origin {
            Origin::Made(call) if call.function == Function::CreateSubDevices => call,
            _ => return Vec::new(),
        };
        let ask =
            |name, wanted| Question::new(Function::GetDeviceInfo, device, name, wanted).since(120);
        let parent = object(call, 0).map_or(Value::Null, Value::Slot);
        let mut all = vec![
            ask(cl::CL_DEVICE_PARENT_DEVICE, Wanted::object(parent)),
            ask(cl::CL_DEVICE_REFERENCE_COUNT, Wanted::references()),
        ];
        // Whether the two zeros that end a list of counts are both a part of "the properties argument" is left open.
        let properties = call.arguments.get(1).filter(|properties| {
            let equally = Value::from(cl::CL_DEVICE_PARTITION_EQUALLY);
            matches!(properties, Value::List(_, all) if all.first() == Some(&equally))
        });
        let wanted = properties.and_then(list);
        all.extend(wanted.map(|wanted| ask(cl::CL_DEVICE_PARTITION_TYPE, wanted)));
        all
    }

    fn of_context(&self, context: Slot, origin: Origin<'_>) -> Vec<Question> {
        let ask = |name, wanted| Question::new(Function::GetContextInfo, context, name, wanted);
        let mut all = vec![ask(cl::CL_CONTEXT_REFERENCE_COUNT, Wanted::references())];
        let properties = match origin {
            Origin::Fixture(_) => Some(Wanted::nothing()),
            Origin::Made(call) => call.arguments.first().and_then(list),
            Origin::Event(_) | Origin::Build(..) => None,
        };
        all.extend(properties.map(|wanted| ask(cl::CL_CONTEXT_PROPERTIES, wanted)));
        if let Some(devices) = self.devices(context) {
            all.push(ask(cl::CL_CONTEXT_NUM_DEVICES, Wanted::word(devices.len())));
            all.push(ask(cl::CL_CONTEXT_DEVICES, Wanted::Objects(devices)));
        }
        all
    }

    fn of_queue(&self, queue: Slot, origin: Origin<'_>) -> Vec<Question> {
        let ask = |name, wanted| Question::new(Function::GetCommandQueueInfo, queue, name, wanted);
        let mut all = vec![ask(cl::CL_QUEUE_REFERENCE_COUNT, Wanted::references())];
        all.extend(
            self.context(queue)
                .map(|of| ask(cl::CL_QUEUE_CONTEXT, Wanted::object(of))),
        );
        let (device, array) = match origin {
            Origin::Fixture(Fixture::Queue { device, .. }) => (self.device(*device), None),
            Origin::Made(call) => match call.function {
                Function::CreateCommandQueue => (object(call, 1), Some(Wanted::nothing())),
                _ => (object(call, 1), call.arguments.get(2).and_then(list)),
            },
            Origin::Fixture(_) | Origin::Event(_) | Origin::Build(..) => (None, None),
        };
        let flags = self.flags_of_queue(queue);
        all.extend(device.map(|device| ask(cl::CL_QUEUE_DEVICE, Wanted::object(device))));
        all.extend(flags.map(|flags| ask(cl::CL_QUEUE_PROPERTIES, Wanted::long(flags))));
        let array = array.map(|wanted| ask(cl::CL_QUEUE_PROPERTIES_ARRAY, wanted).since(300));
        all.extend(array);
        let on_device = flags.map(|flags| flags & cl::CL_QUEUE_ON_DEVICE.value() as u64 != 0);
        let size = on_device.map(|on_device| match (on_device, self.size_of_queue(queue)) {
            (false, _) => Wanted::Refused(cl::CL_INVALID_COMMAND_QUEUE.value() as i32),
            (true, Some(size)) => Wanted::word(size),
            // That which the device prefers.
            (true, None) => Wanted::Number(4, 1, u32::MAX.into()),
        });
        all.extend(size.map(|wanted| ask(cl::CL_QUEUE_SIZE, wanted).since(200)));
        all
    }

    fn of_sampler(&self, sampler: Slot) -> Vec<Question> {
        let ask = |name, wanted| Question::new(Function::GetSamplerInfo, sampler, name, wanted);
        let mut all = vec![ask(cl::CL_SAMPLER_REFERENCE_COUNT, Wanted::references())];
        all.extend(
            self.context(sampler)
                .map(|of| ask(cl::CL_SAMPLER_CONTEXT, Wanted::object(of))),
        );
        let Some(call) = self.made(sampler) else {
            return all;
        };
        let names = [
            cl::CL_SAMPLER_NORMALIZED_COORDS,
            cl::CL_SAMPLER_ADDRESSING_MODE,
            cl::CL_SAMPLER_FILTER_MODE,
        ];
        // What a list does not say.
        let usual = [Constant::TRUE, cl::CL_ADDRESS_CLAMP, cl::CL_FILTER_NEAREST];
        let given: Option<[u64; 3]> = match (call.function, call.arguments.get(1)) {
            (Function::CreateSampler, _) => {
                let given = [1, 2, 3].map(|n| call.arguments.get(n).and_then(bits));
                given
                    .iter()
                    .copied()
                    .collect::<Option<Vec<u64>>>()
                    .and_then(|all| all.try_into().ok())
            }
            (Function::CreateSamplerWithProperties, Some(Value::List(_, properties))) => {
                let mut given = usual.map(|value| value.value() as u64);
                for pair in properties.chunks_exact(2) {
                    let place = names
                        .iter()
                        .position(|name| bits(&pair[0]) == Some(name.value() as u64));
                    if let Some((place, value)) = place.zip(bits(&pair[1])) {
                        given[place] = value;
                    }
                }
                Some(given)
            }
            _ => None,
        };
        if let Some(given) = given {
            let each = names.iter().zip(given);
            all.extend(each.map(|(name, value)| ask(*name, Wanted::word(value))));
        }
        let array = match call.function {
            Function::CreateSamplerWithProperties => call.arguments.get(1).and_then(list),
            _ => Some(Wanted::nothing()),
        };
        all.extend(array.map(|wanted| ask(cl::CL_SAMPLER_PROPERTIES, wanted).since(300)));
        all
    }

    /// CL_QUEUE_PROPERTIES of a queue, where these are known.
    fn flags_of_queue(&self, queue: Slot) -> Option<u64> {
        match self.origin(queue)? {
            Origin::Fixture(Fixture::Queue { profiling, .. }) => {
                let profiling = profiling.then_some(cl::CL_QUEUE_PROFILING_ENABLE);
                Some(profiling.map_or(0, |flag| flag.value() as u64))
            }
            Origin::Made(call) => match call.function {
                Function::CreateCommandQueue => call.arguments.get(2).and_then(bits),
                _ => call.arguments.get(2).and_then(queue_flags),
            },
            Origin::Fixture(_) | Origin::Event(_) | Origin::Build(..) => None,
        }
    }

    /// CL_QUEUE_SIZE of a queue, where it was given.
    fn size_of_queue(&self, queue: Slot) -> Option<u64> {
        let Value::List(_, all) = self.made(queue)?.arguments.get(2)? else {
            return None;
        };
        property(all, cl::CL_QUEUE_SIZE)
    }

    /// When the command of an event was queued and so on, of which nothing is known but that it is said where its queue
    /// was made for that, and is not where it was not.
    fn times(&self, event: Slot, queue: Slot) -> Vec<Question> {
        let ask =
            |name, wanted| Question::new(Function::GetEventProfilingInfo, event, name, wanted);
        let Some(flags) = self.flags_of_queue(queue) else {
            return Vec::new();
        };
        if flags & cl::CL_QUEUE_PROFILING_ENABLE.value() as u64 == 0 {
            let code = cl::CL_PROFILING_INFO_NOT_AVAILABLE.value() as i32;
            return vec![ask(cl::CL_PROFILING_COMMAND_START, Wanted::Refused(code))];
        }
        let names = [
            cl::CL_PROFILING_COMMAND_QUEUED,
            cl::CL_PROFILING_COMMAND_SUBMIT,
            cl::CL_PROFILING_COMMAND_START,
            cl::CL_PROFILING_COMMAND_END,
        ];
        let any = || Wanted::Number(8, 0, u64::MAX);
        let mut all: Vec<Question> = names.map(|name| ask(name, any())).into();
        all.push(ask(cl::CL_PROFILING_COMMAND_COMPLETE, any()).since(200));
        all
    }

    fn of_event(&self, event: Slot, origin: Origin<'_>, age: Age) -> Vec<Question> {
        let ask = |name, wanted| Question::new(Function::GetEventInfo, event, name, wanted);
        let mut all = vec![ask(cl::CL_EVENT_REFERENCE_COUNT, Wanted::references())];
        let context = self.context(event);
        all.extend(context.map(|of| ask(cl::CL_EVENT_CONTEXT, Wanted::object(of)).since(110)));
        match origin {
            Origin::Made(call) if call.function == Function::CreateUserEvent => {
                all.push(ask(cl::CL_EVENT_COMMAND_QUEUE, Wanted::object(Value::Null)));
                all.push(ask(
                    cl::CL_EVENT_COMMAND_TYPE,
                    Wanted::word(cl::CL_COMMAND_USER),
                ));
                if age == Age::New {
                    let status = cl::CL_EVENT_COMMAND_EXECUTION_STATUS;
                    all.push(ask(status, Wanted::word(cl::CL_SUBMITTED)));
                }
            }
            Origin::Event(call) => {
                let queue = match call.function {
                    Function::EnqueueCommandBufferKHR => self.executes_on(call),
                    _ => object(call, 0),
                };
                if let Some(queue) = queue.filter(|_| age == Age::Over) {
                    all.extend(self.times(event, queue));
                }
                let queue = queue.map(|of| ask(cl::CL_EVENT_COMMAND_QUEUE, Wanted::object(of)));
                all.extend(queue.map(|question| match call.function {
                    Function::EnqueueCommandBufferKHR => question.about(rule::CB_QUEUE),
                    _ => question,
                }));
                let command = command(call.function);
                // "Prior to OpenCL 3.0" a migration of shared virtual memory may be called another.
                let since = match call.function {
                    Function::EnqueueSVMMigrateMem => 300,
                    _ => 100,
                };
                let command = command.map(|of| ask(cl::CL_EVENT_COMMAND_TYPE, Wanted::word(of)));
                all.extend(command.map(|question| question.since(since)));
            }
            Origin::Made(_) | Origin::Fixture(_) | Origin::Build(..) => {}
        }
        all
    }
}

/// The flags in a list of properties of a queue.
fn queue_flags(properties: &Value) -> Option<u64> {
    let Value::List(_, all) = properties else {
        return matches!(properties, Value::Null).then_some(0);
    };
    let named = |pair: &[Value]| bits(&pair[0]) == Some(cl::CL_QUEUE_PROPERTIES.value() as u64);
    match all.chunks_exact(2).any(named) {
        true => property(all, cl::CL_QUEUE_PROPERTIES),
        false => Some(0),
    }
}

/// The value of a property in a list.
fn property(list: &[Value], name: Constant) -> Option<u64> {
    let named = |pair: &&[Value]| bits(&pair[0]) == Some(name.value() as u64);
    bits(&list.chunks_exact(2).find(named)?[1])
}

/// A list of properties as it must be answered: "the same values […] in the same order", and nothing for no list.
pub(super) fn list(properties: &Value) -> Option<Wanted> {
    match properties {
        Value::Null => Some(Wanted::nothing()),
        Value::List(class, all) if bytes_of(*class) == 8 => {
            let each = all.iter().map(|value| (Class::Long, value.clone()));
            Some(Wanted::Values(each.collect()))
        }
        _ => None,
    }
}

/// The command that a function enqueues (table "Event Command Types").
fn command(function: Function) -> Option<Constant> {
    Some(match function {
        Function::EnqueueNDRangeKernel => cl::CL_COMMAND_NDRANGE_KERNEL,
        Function::EnqueueTask => cl::CL_COMMAND_TASK,
        Function::EnqueueNativeKernel => cl::CL_COMMAND_NATIVE_KERNEL,
        Function::EnqueueReadBuffer => cl::CL_COMMAND_READ_BUFFER,
        Function::EnqueueWriteBuffer => cl::CL_COMMAND_WRITE_BUFFER,
        Function::EnqueueCopyBuffer => cl::CL_COMMAND_COPY_BUFFER,
        Function::EnqueueReadImage => cl::CL_COMMAND_READ_IMAGE,
        Function::EnqueueWriteImage => cl::CL_COMMAND_WRITE_IMAGE,
        Function::EnqueueCopyImage => cl::CL_COMMAND_COPY_IMAGE,
        Function::EnqueueCopyBufferToImage => cl::CL_COMMAND_COPY_BUFFER_TO_IMAGE,
        Function::EnqueueCopyImageToBuffer => cl::CL_COMMAND_COPY_IMAGE_TO_BUFFER,
        Function::EnqueueMapBuffer => cl::CL_COMMAND_MAP_BUFFER,
        Function::EnqueueMapImage => cl::CL_COMMAND_MAP_IMAGE,
        Function::EnqueueUnmapMemObject => cl::CL_COMMAND_UNMAP_MEM_OBJECT,
        Function::EnqueueMarker | Function::EnqueueMarkerWithWaitList => cl::CL_COMMAND_MARKER,
        Function::EnqueueBarrierWithWaitList => cl::CL_COMMAND_BARRIER,
        Function::EnqueueReadBufferRect => cl::CL_COMMAND_READ_BUFFER_RECT,
        Function::EnqueueWriteBufferRect => cl::CL_COMMAND_WRITE_BUFFER_RECT,
        Function::EnqueueCopyBufferRect => cl::CL_COMMAND_COPY_BUFFER_RECT,
        Function::EnqueueMigrateMemObjects => cl::CL_COMMAND_MIGRATE_MEM_OBJECTS,
        Function::EnqueueFillBuffer => cl::CL_COMMAND_FILL_BUFFER,
        Function::EnqueueFillImage => cl::CL_COMMAND_FILL_IMAGE,
        Function::EnqueueSVMFree => cl::CL_COMMAND_SVM_FREE,
        Function::EnqueueSVMMemcpy => cl::CL_COMMAND_SVM_MEMCPY,
        Function::EnqueueSVMMemFill => cl::CL_COMMAND_SVM_MEMFILL,
        Function::EnqueueSVMMap => cl::CL_COMMAND_SVM_MAP,
        Function::EnqueueSVMUnmap => cl::CL_COMMAND_SVM_UNMAP,
        Function::EnqueueSVMMigrateMem => cl::CL_COMMAND_SVM_MIGRATE_MEM,
        Function::EnqueueCommandBufferKHR => cl::CL_COMMAND_COMMAND_BUFFER_KHR,
        _ => return None,
    })
}
