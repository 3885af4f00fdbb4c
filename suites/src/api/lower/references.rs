//! References to objects of every kind, taken and given back: each is whole with one reference of two.

use super::*;
use crate::host::check::{Same, Want};
use crate::host::{Contents, Unit};

/// The functions that take a reference to an object of a kind and ask how many there are, and the name by which that
/// is asked.
fn counted(kind: SlotKind) -> Option<(Function, Function, Constant)> {
    Some(match kind {
        SlotKind::Device => (
            Function::RetainDevice,
            Function::GetDeviceInfo,
            cl::CL_DEVICE_REFERENCE_COUNT,
        ),
        SlotKind::Context => (
            Function::RetainContext,
            Function::GetContextInfo,
            cl::CL_CONTEXT_REFERENCE_COUNT,
        ),
        SlotKind::Queue => (
            Function::RetainCommandQueue,
            Function::GetCommandQueueInfo,
            cl::CL_QUEUE_REFERENCE_COUNT,
        ),
        SlotKind::Memory => (
            Function::RetainMemObject,
            Function::GetMemObjectInfo,
            cl::CL_MEM_REFERENCE_COUNT,
        ),
        SlotKind::Sampler => (
            Function::RetainSampler,
            Function::GetSamplerInfo,
            cl::CL_SAMPLER_REFERENCE_COUNT,
        ),
        SlotKind::Program => (
            Function::RetainProgram,
            Function::GetProgramInfo,
            cl::CL_PROGRAM_REFERENCE_COUNT,
        ),
        SlotKind::Kernel => (
            Function::RetainKernel,
            Function::GetKernelInfo,
            cl::CL_KERNEL_REFERENCE_COUNT,
        ),
        SlotKind::Event => (
            Function::RetainEvent,
            Function::GetEventInfo,
            cl::CL_EVENT_REFERENCE_COUNT,
        ),
        SlotKind::CommandBuffer => (
            Function::RetainCommandBufferKHR,
            Function::GetCommandBufferInfoKHR,
            cl::CL_COMMAND_BUFFER_REFERENCE_COUNT_KHR,
        ),
        SlotKind::Platform
        | SlotKind::MutableCommand
        | SlotKind::Svm(_)
        | SlotKind::Address
        | SlotKind::Host { .. } => return None,
    })
}

/// The function that gives up a reference to an object of a kind; also to a device, which may be a part of another.
fn releasing(kind: SlotKind) -> Option<Function> {
    match kind {
        SlotKind::Device => Some(Function::ReleaseDevice),
        kind => kind.release(),
    }
}

impl Lowering {
    /// Takes a reference to an object of each kind and gives it back, counts them, and uses all with what is left. What
    /// a device cannot make is left out where it is played.
    pub(super) fn references(&mut self, place: Place, newer: bool) {
        let context = self.own("context", SlotKind::Context);
        self.step(operations::context_of(place.device, context));
        let program = self.source(context, SOURCE);
        self.step(Call::build(program, place.device));
        let of = Place {
            context,
            program,
            ..place
        };
        let [unit, linked] = ["unit", "linked"].map(|name| self.own(name, SlotKind::Program));
        let [made, _] = operations::built(of, unit);
        self.step(made);
        self.step(programs::compile(unit, Value::Null));
        self.step(programs::link(context, unit, Value::Null).makes(linked));
        let (queue, kernel) = (
            self.own("queue", SlotKind::Queue),
            self.own("kernel", SlotKind::Kernel),
        );
        let [whole, part, image] =
            ["whole", "part", "image"].map(|name| self.own(name, SlotKind::Memory));
        self.step(super::queue(of, queue));
        self.step(buffer(context, whole));
        let flags = Value::Flags(vec![cl::CL_MEM_READ_WRITE]);
        self.step(Call::sub_buffer(whole, flags.clone(), 0, BYTES).makes(part));
        let members = values![
            cl::CL_MEM_OBJECT_IMAGE2D,
            8,
            8,
            0,
            0,
            0,
            0,
            0,
            0,
            Value::Null
        ];
        let made = super::image(context, flags, members, Value::Null, image);
        self.step(made.whatever());
        let sampler = self.own("sampler", SlotKind::Sampler);
        let arguments = values![
            context,
            Constant::FALSE,
            cl::CL_ADDRESS_CLAMP,
            cl::CL_FILTER_NEAREST
        ];
        // A device without images may have no samplers.
        let made = Call::new(Function::CreateSampler, arguments).whatever();
        self.step(made.makes(sampler));
        self.add(super::kernel(of, kernel, part, 7));
        let (user, marked) = (self.own_event("user"), self.own_event("marked"));
        self.step(user_event(context, user));
        self.step(marker(queue, &[user], marked));
        self.step(flush(queue));
        // While a command waits for a user event nothing but events may be released.
        for event in [user, marked] {
            self.retained(event, SlotKind::Event);
        }
        self.has_status(marked, true);
        self.step(set(user));
        self.step(Call::wait(&[marked]));
        self.has_status(marked, false);
        let device = self.own("part_of_device", SlotKind::Device);
        let list = values![
            cl::CL_DEVICE_PARTITION_BY_COUNTS,
            1,
            cl::CL_DEVICE_PARTITION_BY_COUNTS_LIST_END,
            0
        ];
        let one = Value::List(Class::Object, values![Value::Into(device)]);
        let list = Value::List(Class::Long, list);
        let arguments = values![place.device, list, 1, one, Value::Null];
        self.step(Call::new(Function::CreateSubDevices, arguments).whatever());
        let mut all = vec![
            (place.context, SlotKind::Context),
            (place.program, SlotKind::Program),
            (context, SlotKind::Context),
            (program, SlotKind::Program),
            (linked, SlotKind::Program),
            (queue, SlotKind::Queue),
            (kernel, SlotKind::Kernel),
            (whole, SlotKind::Memory),
            (part, SlotKind::Memory),
            (image, SlotKind::Memory),
            (sampler, SlotKind::Sampler),
            (device, SlotKind::Device),
        ];
        let copy = newer.then(|| {
            let (pipe, copy) = (
                self.own("pipe", SlotKind::Memory),
                self.own("copy", SlotKind::Kernel),
            );
            let arguments = values![context, 0, 4, 8, Value::Null];
            self.step(
                Call::new(Function::CreatePipe, arguments)
                    .whatever()
                    .makes(pipe),
            );
            self.step(Call::of(Function::CloneKernel, kernel).makes(copy));
            all.extend([(pipe, SlotKind::Memory), (copy, SlotKind::Kernel)]);
            copy
        });
        for (slot, kind) in &all {
            self.retained(*slot, *kind);
        }
        // All are used with the references that are left.
        for (kernel, value) in [Some(kernel), copy].into_iter().flatten().zip([7, 9]) {
            self.step(Call::bytes_argument(
                kernel,
                1,
                u32::to_ne_bytes(value).into(),
            ));
            self.step(Call::launch(queue, kernel, BYTES / 4, &[], None));
            let says = "what a kernel wrote after one of two references to it was given up";
            self.holds(queue, whole, vec![value; BYTES / 4], says);
        }
        let another = self.own("fill", SlotKind::Kernel);
        for program in [program, linked] {
            self.add(super::kernel(Place { program, ..of }, another, part, 11));
            self.step(Call::launch(queue, another, BYTES / 4, &[], None));
            let says =
                "what a kernel of a program wrote after one of two references to that was given up";
            self.holds(queue, whole, vec![11; BYTES / 4], says);
            self.release([another]);
        }
        self.command_buffer(queue, whole);
        let (origin, region) = (Value::sizes([0, 0, 0]), Value::sizes([8, 8, 1]));
        let colour = Value::words([5; 4]);
        let filled = values![image, colour, origin.clone(), region.clone()];
        self.step(Call::enqueue(
            Function::EnqueueFillImage,
            queue,
            filled,
            &[],
            None,
        ));
        let answer = self.builder.answer();
        let read = values![
            image,
            true,
            origin,
            region,
            0,
            0,
            Value::Answer(answer, BYTES)
        ];
        self.step(Call::enqueue(
            Function::EnqueueReadImage,
            queue,
            read,
            &[],
            None,
        ));
        let want = Same::new(Unit::Word, Contents::Every(0x0505_0505), true);
        let says = "what an image was filled with after one of two references to it was given up";
        self.must(says, That::Bytes(answer, Want::Same(want)));
        self.step(self.builder.release(unit));
        // The first two are the fixture's.
        for (slot, kind) in &all[2..] {
            let release = releasing(*kind).unwrap_or(Function::ReleaseMemObject);
            self.step(Call::take(release, *slot));
        }
    }

    /// A command-buffer that fills a buffer, where the device has any: it is retained while it is recorded, and when it
    /// is executable.
    fn command_buffer(&mut self, queue: Slot, to: Slot) {
        let buffer = self.own("recorded", SlotKind::CommandBuffer);
        let of = values![1, Value::objects([queue]), Value::Null];
        let made = Call::new(Function::CreateCommandBufferKHR, of);
        self.step(made.whatever().makes(buffer));
        self.retained(buffer, SlotKind::CommandBuffer);
        let none = || Value::Null;
        let pattern = Value::Bytes(13_u32.to_ne_bytes().into());
        let fill = values![
            buffer,
            none(),
            none(),
            to,
            pattern,
            4,
            0,
            BYTES,
            0,
            none(),
            none(),
            none()
        ];
        self.step(Call::new(Function::CommandFillBufferKHR, fill));
        self.step(Call::of(Function::FinalizeCommandBufferKHR, buffer));
        self.retained(buffer, SlotKind::CommandBuffer);
        let played = self.own_event("played");
        let of = values![0, none(), buffer, 0, none(), Value::Into(played)];
        self.step(Call::new(Function::EnqueueCommandBufferKHR, of));
        // Where there is no command-buffer nothing is read.
        let answer = self.builder.answer();
        let read = values![to, true, 0, BYTES, Value::Answer(answer, BYTES)];
        let function = Function::EnqueueReadBuffer;
        self.step(Call::enqueue(function, queue, read, &[played], None));
        let want = Same::new(Unit::Word, Contents::Every(13), true);
        let says = "what a command-buffer filled after one of two references to it was given up";
        self.must(says, That::Bytes(answer, Want::Same(want)));
        self.release([played, buffer]);
    }

    /// Takes a reference and gives it back: the program has two, and then one.
    fn retained(&mut self, of: Slot, kind: SlotKind) {
        let Some(((retain, ask, count), release)) = counted(kind).zip(releasing(kind)) else {
            return;
        };
        for (function, least) in [(retain, 2), (release, 1)] {
            self.step(Call::of(function, of));
            let (step, answer) = self.ask(ask, of, count.into(), 4);
            self.steps.push(step);
            let says = format!("{ask} says {{}} references after {function}");
            let right = Right::Between(least, i64::MAX);
            self.must(&says, That::Number(answer, right));
        }
    }
}
