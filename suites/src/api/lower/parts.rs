//! Parts of a device: commands on them, and programs that are built for them.

use super::*;

/// Parts of a device for which there is room where nobody says how many they are: one with more cannot be divided so.
const PARTS: usize = 8;

/// What a device says that cannot be divided so.
const UNDIVIDED: [Constant; 3] = [
    cl::CL_INVALID_VALUE,
    cl::CL_DEVICE_PARTITION_FAILED,
    cl::CL_INVALID_DEVICE_PARTITION_COUNT,
];

/// Numbers that a device and its parts say alike, and their bytes: what neither the share of the device nor the time
/// changes.
const ALIKE: [(Constant, usize); 29] = [
    (cl::CL_DEVICE_TYPE, 8),
    (cl::CL_DEVICE_VENDOR_ID, 4),
    (cl::CL_DEVICE_ADDRESS_BITS, 4),
    (cl::CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS, 4),
    (cl::CL_DEVICE_MAX_WORK_GROUP_SIZE, 8),
    (cl::CL_DEVICE_MAX_PARAMETER_SIZE, 8),
    (cl::CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE, 8),
    (cl::CL_DEVICE_MAX_CONSTANT_ARGS, 4),
    (cl::CL_DEVICE_LOCAL_MEM_TYPE, 4),
    (cl::CL_DEVICE_LOCAL_MEM_SIZE, 8),
    (cl::CL_DEVICE_GLOBAL_MEM_CACHE_TYPE, 4),
    (cl::CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE, 4),
    (cl::CL_DEVICE_IMAGE_SUPPORT, 4),
    (cl::CL_DEVICE_MAX_READ_IMAGE_ARGS, 4),
    (cl::CL_DEVICE_MAX_SAMPLERS, 4),
    (cl::CL_DEVICE_IMAGE2D_MAX_WIDTH, 8),
    (cl::CL_DEVICE_MEM_BASE_ADDR_ALIGN, 4),
    (cl::CL_DEVICE_SINGLE_FP_CONFIG, 8),
    (cl::CL_DEVICE_DOUBLE_FP_CONFIG, 8),
    (cl::CL_DEVICE_PREFERRED_VECTOR_WIDTH_INT, 4),
    (cl::CL_DEVICE_ERROR_CORRECTION_SUPPORT, 4),
    (cl::CL_DEVICE_PROFILING_TIMER_RESOLUTION, 8),
    (cl::CL_DEVICE_ENDIAN_LITTLE, 4),
    (cl::CL_DEVICE_EXECUTION_CAPABILITIES, 8),
    (cl::CL_DEVICE_QUEUE_PROPERTIES, 8),
    (cl::CL_DEVICE_PRINTF_BUFFER_SIZE, 8),
    (cl::CL_DEVICE_SVM_CAPABILITIES, 8),
    (cl::CL_DEVICE_NUMERIC_VERSION, 4),
    (cl::CL_DEVICE_PLATFORM, 8),
];

/// Texts that they say alike.
const ALIKE_TEXTS: [Constant; 7] = [
    cl::CL_DEVICE_NAME,
    cl::CL_DEVICE_VENDOR,
    cl::CL_DRIVER_VERSION,
    cl::CL_DEVICE_PROFILE,
    cl::CL_DEVICE_VERSION,
    cl::CL_DEVICE_OPENCL_C_VERSION,
    cl::CL_DEVICE_EXTENSIONS,
];

impl Lowering {
    /// clCreateSubDevices, and a command on two of them, and on one of a part that is divided again; what they say of
    /// themselves is asked of all sub-devices.
    /// Each part has so many units; there are as many parts as there can be where `counts` is none.
    pub(super) fn sub_devices(&mut self, place: Place, units: u64, counts: Option<&[u64]>) {
        let equally = |units: u64| values![cl::CL_DEVICE_PARTITION_EQUALLY, units, 0];
        let mut parts = match counts {
            None => self.divided(place.device, equally(units), &[units; PARTS], false),
            Some(counts) => {
                let mut list = values![cl::CL_DEVICE_PARTITION_BY_COUNTS];
                list.extend(counts.iter().copied().map(Value::Number));
                list.extend(values![cl::CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0]);
                self.divided(place.device, list, counts, true)
            }
        };
        self.alike(place.device, &parts);
        if let [first, .., last] = parts[..] {
            self.built_for_parts([first, last]);
        }
        if units > 1 {
            let again = vec![1; units as usize];
            parts.extend(self.divided(parts[0], equally(1), &again, true));
        }
        // The first and the last, where there are several.
        let mut used = vec![parts[0]];
        used.extend(parts.last().copied().filter(|last| *last != parts[0]));
        let used: Vec<_> = used
            .into_iter()
            .map(|part| self.part_in_use(part))
            .collect();
        // What is made of them keeps them.
        for part in parts {
            self.step(Call::of(Function::RetainDevice, part));
            self.step(Call::of(Function::ReleaseDevice, part));
            self.step(Call::take(Function::ReleaseDevice, part));
        }
        for (n, [context, queue, to]) in (7_u32..).zip(used) {
            let pattern = Value::Bytes(n.to_ne_bytes().to_vec());
            let of = values![to, pattern, 4, 0, BYTES];
            let function = Function::EnqueueFillBuffer;
            self.step(Call::enqueue(function, queue, of, &[], None));
            let says = "what a sub-device filled";
            self.holds(queue, to, vec![n; BYTES / 4], says);
            self.release([to, queue, context]);
        }
    }

    /// What each part says as its parent does: "should return the same information for a root-level device […] and any
    /// sub-devices created from this device except for the following queries". Of texts that is how long they are.
    fn alike(&mut self, whole: Slot, parts: &[Slot]) {
        let numbers = ALIKE.map(|(name, bytes)| (name, Some(bytes)));
        let texts = ALIKE_TEXTS.map(|name| (name, None));
        for (name, bytes) in numbers.into_iter().chain(texts) {
            let mut ask = |of: Slot| {
                let answer = self.builder.answer();
                let call = match bytes {
                    Some(bytes) => {
                        Call::ask(Function::GetDeviceInfo, values![of, name], bytes, answer)
                    }
                    None => {
                        let size = Value::Answer(answer, 8);
                        Call::new(
                            Function::GetDeviceInfo,
                            values![of, name, 0, Value::Null, size],
                        )
                    }
                };
                // Earlier versions lack the query.
                let call = if name.newer() { call.whatever() } else { call };
                self.steps.push(call.into());
                answer
            };
            let one = ask(whole);
            let others: Vec<AnswerId> = parts.iter().map(|part| ask(*part)).collect();
            let says = format!("a sub-device says of {name} something else than its parent");
            for other in others {
                self.must(&says, That::NotAfter(one, other));
                self.must(&says, That::NotAfter(other, one));
            }
        }
    }

    /// Sub-devices of a device, of so many compute units each, as these properties ask for; where nobody knows how many
    /// those are, as many as there is room for at most.
    fn divided(
        &mut self,
        of: Slot,
        properties: Vec<Value>,
        units: &[u64],
        known: bool,
    ) -> Vec<Slot> {
        let room = units.len();
        let parts: Vec<Slot> = units
            .iter()
            .map(|_| self.own("part", SlotKind::Device))
            .collect();
        let into: Vec<Value> = parts.iter().map(|slot| Value::Into(*slot)).collect();
        let number = self.builder.answer();
        let arguments = values![
            of,
            Value::List(Class::Long, properties),
            into.len(),
            Value::List(Class::Object, into),
            Value::Answer(number, 4)
        ];
        let mut call = Call::new(Function::CreateSubDevices, arguments);
        let codes = UNDIVIDED.map(|code| code.value() as i32);
        call.expect.codes = [0].into_iter().chain(codes).collect();
        self.step(call);
        if known {
            let says = "clCreateSubDevices says that it makes {} of the sub-devices";
            self.is_number(number, room, says);
        }
        for (part, units) in parts.iter().zip(units) {
            let names = [
                cl::CL_DEVICE_MAX_COMPUTE_UNITS,
                cl::CL_DEVICE_PARTITION_MAX_SUB_DEVICES,
            ];
            let [own, most] = names.map(|name| {
                let (size, answer) = self.ask(Function::GetDeviceInfo, *part, name.into(), 4);
                self.steps.push(size);
                answer
            });
            let says = "a sub-device has {} compute units, not as many as were asked for";
            self.is_number(own, *units as usize, says);
            let says = "a sub-device can be divided into more parts than it has compute units";
            self.must(says, That::NotAfter(most, own));
        }
        parts
    }

    /// A context, a queue and a buffer of a sub-device.
    fn part_in_use(&mut self, part: Slot) -> [Slot; 3] {
        let (context, queue, to) = (
            self.own("context", SlotKind::Context),
            self.own("queue", SlotKind::Queue),
            self.own("buffer", SlotKind::Memory),
        );
        let [properties, notify, data] = [const { Value::Null }; 3];
        let devices = Value::objects([part]);
        let arguments = values![properties, 1, devices, notify, data];
        self.step(Call::new(Function::CreateContext, arguments).makes(context));
        self.step(Call::queue(context, part, Value::Null).makes(queue));
        self.step(buffer(context, to));
        [context, queue, to]
    }

    /// A program in a context of two parts, built for one and then for the other: what it says of its build for each is
    /// asked of all programs.
    fn built_for_parts(&mut self, [first, last]: [Slot; 2]) {
        let context = self.own("context", SlotKind::Context);
        let [properties, notify, data] = [const { Value::Null }; 3];
        let arguments = values![properties, 2, Value::objects([last, first]), notify, data];
        self.step(Call::new(Function::CreateContext, arguments).makes(context));
        let program = self.source(context, SOURCE);
        self.step(Call::build(program, first));
        let place = |device| Place {
            context,
            device,
            program,
        };
        let (kernel, to) = (
            self.own("kernel", SlotKind::Kernel),
            self.own("buffer", SlotKind::Memory),
        );
        let queues = [first, last].map(|device| {
            let queue = self.own("queue", SlotKind::Queue);
            self.step(super::queue(place(device), queue));
            queue
        });
        self.step(buffer(context, to));
        self.add(super::kernel(place(first), kernel, to, 7));
        self.step(Call::launch(queues[0], kernel, BYTES / 4, &[], None));
        let says = "what a kernel wrote on the part of a device that it was built for";
        self.holds(queues[0], to, vec![7; BYTES / 4], says);
        let code = cl::CL_INVALID_PROGRAM_EXECUTABLE.value();
        let sentence = "if there is no successfully built program executable available for the device \
                        associated with _command_queue_.";
        let launch = Call::launch(queues[1], kernel, BYTES / 4, &[], None);
        let mark = self.marked(launch.refused(vec![code as i32], sentence));
        let right = That::Code(mark, Right::Among(vec![code]));
        self.must("a launch on the other part returned {}", right);
        self.release([kernel]);
        let mut build = Call::build(program, last);
        build.arguments[3] = Value::Text("-w".into());
        self.step(build);
        self.add(super::kernel(place(last), kernel, to, 8));
        for (queue, says) in queues.into_iter().zip([
            "what a kernel wrote on the first of two parts that it was built for",
            "what a kernel wrote on the second of two parts that it was built for",
        ]) {
            self.step(Call::launch(queue, kernel, BYTES / 4, &[], None));
            self.holds(queue, to, vec![8; BYTES / 4], says);
        }
        self.release([kernel, to, queues[0], queues[1], program, context]);
    }
}
