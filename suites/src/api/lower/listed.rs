//! Objects and lists that few programs ask for.

use super::images;
use super::*;
use crate::api::listed::{Access, Flag, Listed, PAGE, Shape};
use crate::host::answers::Described;
use crate::host::check::{Contains, Same, Want};
use crate::host::{Class, Contents, Unit};

/// Formats that an implementation has at most for one shape of images.
const FORMATS: usize = 512;

/// Bytes of a format.
const FORMAT: usize = 8;

/// A kernel that says of each work-item of a range, which begins at one id in all dimensions, that it ran.
const COUNTS: &str = "
kernel void counts(global uint *to, uint first) {
    uint n = (get_global_id(2) - (get_work_dim() > 2 ? first : 0)) * (uint)get_global_size(1);
    n = (n + get_global_id(1) - (get_work_dim() > 1 ? first : 0)) * (uint)get_global_size(0);
    to[n + get_global_id(0) - first] += 9;
}
";

impl Lowering {
    /// Asks for each, one after the other.
    pub(super) fn listed(&mut self, all: &[Listed]) {
        let place = self.place();
        let platform = self.builder.fixture("platform", Fixture::Platform);
        for one in all {
            match one {
                Listed::Kernels { count } => self.all_kernels(place, usize::from((*count).max(1))),
                Listed::SubDevices { count, units, more } => {
                    let units = u64::from((*units).max(1));
                    let more = more.iter().map(|more| units + u64::from(*more));
                    let counts = vec![units; usize::from(*count)].into_iter().chain(more);
                    let counts = (*count > 0).then(|| counts.collect::<Vec<_>>());
                    self.sub_devices(place, units, counts.as_deref());
                }
                Listed::Formats {
                    access,
                    shape,
                    over,
                } => self.formats(place, *access, (*shape, *over)),
                Listed::SubBuffer { whole, own, pages } => self.part_of(place, whole, own, *pages),
                Listed::References { newer } => self.references(place, *newer),
                Listed::Timers => self.timers(place),
                Listed::Devices => self.devices(platform),
                Listed::Compiler => {
                    self.compiler(place, Call::of(Function::UnloadPlatformCompiler, platform));
                }
                Listed::AnyCompiler => {
                    self.compiler(place, Call::new(Function::UnloadCompiler, values![]));
                }
                Listed::EarlyImage {
                    size,
                    apart,
                    memory,
                } => {
                    let size = size.map(|size| size.max(1));
                    let shape = if size[2] == 1 {
                        Shape::Plane
                    } else {
                        Shape::Block
                    };
                    let image = images::Described::of(shape, size, *apart, false);
                    self.image_of(place, &image, *memory, 0, true);
                }
                Listed::LocalSize {
                    items,
                    offset,
                    required,
                } => self.local_size(place, items, *offset, required),
                Listed::Arguments(arguments) => self.arguments(place, arguments),
                Listed::Head(head) => self.head(place, head),
                Listed::Made(made) => self.made(place, platform, made),
                Listed::Flagged(flagged) => self.flagged(place, flagged),
                Listed::Task => self.task(place),
                Listed::WholeGroup { words } => self.whole_group(place, (*words).max(1)),
                Listed::Crowd(sort) => self.crowd(place, *sort),
                Listed::DefaultQueue { queues } => self.default_queue(place, (*queues).max(1)),
            }
        }
        self.end_thread();
    }

    /// What a device and its platform say of themselves.
    pub(super) fn described(&mut self, said: &Described) {
        let device = self.builder.fixture("device", Fixture::Device(0));
        let platform = self.builder.fixture("platform", Fixture::Platform);
        let questions = said.of_platform(platform);
        for question in questions
            .into_iter()
            .chain(said.of_device(device, platform))
        {
            let step = self.builder.question(question);
            self.step(step);
        }
        // "A return value of NULL indicates […] that the specified extension function does not exist for the platform".
        for name in said.functions() {
            let function = Function::GetExtensionFunctionAddressForPlatform;
            let call = Call::new(function, values![platform, Value::Text(name.into())]);
            let mark = self.marked(call.whatever());
            let says = format!("{function} finds no {name}, whose extension the device offers");
            self.must(&says, That::Code(mark, Right::Among(vec![0])));
        }
        self.offered(said);
        self.end_thread();
    }

    /// A number of four bytes that is this.
    pub(super) fn is_number(&mut self, answer: AnswerId, number: usize, says: &str) {
        let right = Right::Among(vec![number as i64]);
        self.must(says, That::Number(answer, right));
    }

    /// What must be in a buffer when its queue is finished.
    pub(super) fn holds(&mut self, queue: Slot, buffer: Slot, wanted: Vec<u32>, says: &str) {
        let answer = self.builder.answer();
        let bytes = 4 * wanted.len();
        self.step(Call::read(
            queue,
            buffer,
            bytes,
            Value::Answer(answer, bytes),
            None,
        ));
        let same = Same::new(Unit::Word, Contents::Words(wanted), false);
        self.must(says, That::Bytes(answer, Want::Same(same)));
    }

    /// clCreateKernelsInProgram: counts, refuses room for too few, makes each once.
    fn all_kernels(&mut self, place: Place, count: usize) {
        let each = (0..count).map(|n| {
            format!("kernel void count_{n}(global uint *to) {{ to[{n}] = to[{n}] + 1u; }}\n")
        });
        let program = self.own_program(place, each.collect::<String>());
        let function = Function::CreateKernelsInProgram;
        let says = "a program of other kernels is said to have {} of them";
        let number = self.builder.answer();
        let arguments = values![program, 0, Value::Null, Value::Answer(number, 4)];
        self.step(Call::new(function, arguments));
        self.is_number(number, count, says);
        if count > 1 {
            let room = self.builder.answer();
            let arguments = values![
                program,
                count - 1,
                Value::Answer(room, 8 * count),
                Value::Null
            ];
            let code = cl::CL_INVALID_VALUE.value();
            let sentence = "if kernels is not NULL and num_kernels is less than the number of \
                            kernels in program";
            let call = Call::new(function, arguments).refused(vec![code as i32], sentence);
            let mark = self.marked(call);
            let right = Right::Among(vec![code]);
            self.must(
                "clCreateKernelsInProgram returns {} where there is room for too few kernels",
                That::Code(mark, right),
            );
        }
        let kernels: Vec<Slot> = (0..count)
            .map(|_| self.own("kernel", SlotKind::Kernel))
            .collect();
        let made = Value::List(
            Class::Object,
            kernels.iter().map(|slot| Value::Into(*slot)).collect(),
        );
        let number = self.builder.answer();
        let arguments = values![program, count, made, Value::Answer(number, 4)];
        self.step(Call::new(function, arguments));
        self.is_number(number, count, says);
        let (queue, to) = (
            self.own("queue", SlotKind::Queue),
            self.own("counts", SlotKind::Memory),
        );
        self.step(super::queue(place, queue));
        self.step(buffer(place.context, to));
        // "The program object is deleted after all kernel objects associated with program have been deleted".
        let is_kept = count % 2 == 1;
        if !is_kept {
            self.release([program]);
        }
        for kernel in &kernels {
            self.step(Call::object_argument(*kernel, 0, to));
            self.step(Call::launch(queue, *kernel, 1, &[], None));
        }
        let says = "how often kernels ran that were made together";
        self.holds(queue, to, vec![1; count], says);
        for kernel in kernels {
            self.release([kernel]);
        }
        self.release([to, queue]);
        if is_kept {
            self.release([program]);
        }
    }

    /// clGetSupportedImageFormats: as many by each form, with all that must be there.
    fn formats(&mut self, place: Place, access: Access, (shape, over): (Shape, bool)) {
        let (of, name) = match over {
            true => (
                cl::CL_MEM_OBJECT_IMAGE1D_BUFFER,
                "line over a buffer".into(),
            ),
            false => (shape.constant(), shape.to_string()),
        };
        let mut numbers = Vec::new();
        let mut listed = None;
        for entries in [0, FORMATS, 1] {
            let number = self.builder.answer();
            let room = match entries {
                0 => Value::Null,
                entries => {
                    let answer = self.builder.answer();
                    listed = listed.or(Some(answer));
                    Value::Answer(answer, entries * FORMAT)
                }
            };
            let arguments = values![
                place.context,
                access.flag(),
                of,
                entries,
                room,
                Value::Answer(number, 4)
            ];
            self.step(Call::new(Function::GetSupportedImageFormats, arguments));
            numbers.push(number);
        }
        let says = "clGetSupportedImageFormats says by one of its forms that there are more formats than by another";
        for (one, other) in [(0, 1), (1, 0), (1, 2), (2, 1)] {
            self.must(says, That::NotAfter(numbers[one], numbers[other]));
        }
        let long =
            |[order, channel]: [Constant; 2]| (channel.value() as u64) << 32 | order.value() as u64;
        let formats = Listed::formats(access).into_iter();
        let says = format!(
            "the formats of images, {name}, that kernels may {access}, each with its order in the lower half"
        );
        let want = Want::Contains(Contains {
            unit: Unit::Long,
            values: formats.map(long).collect(),
        });
        if let Some(listed) = listed {
            self.must(&says, That::Bytes(listed, want));
        }
    }

    /// A buffer and a part of it: what the part says of its flags and its place is asked of all memory.
    fn part_of(&mut self, place: Place, whole: &[Flag], own: &[Flag], pages: u8) {
        let (all, part) = (
            self.own("whole", SlotKind::Memory),
            self.own("part", SlotKind::Memory),
        );
        let flags = |flags: &[Flag]| match flags {
            [] => Value::Number(0),
            flags => Value::Flags(flags.iter().map(|flag| flag.constant()).collect()),
        };
        let origin = PAGE as usize * usize::from(pages);
        let bytes = origin + PAGE as usize;
        let of_host = |flag: &&Flag| matches!(flag, Flag::Uses | Flag::Copies | Flag::Shared);
        let host = match whole.iter().find(of_host) {
            Some(Flag::Shared) => {
                let memory = self.own("shared", SlotKind::Svm(place.context));
                let arguments = values![place.context, cl::CL_MEM_READ_WRITE, bytes, 0];
                self.step(Call::new(Function::SVMAlloc, arguments).makes(memory));
                memory.into()
            }
            Some(_) => Value::Slot(self.own("memory", SlotKind::Host { bytes })),
            None => Value::Null,
        };
        let arguments = values![place.context, flags(whole), bytes, host];
        self.step(Call::new(Function::CreateBuffer, arguments).makes(all));
        self.step(Call::sub_buffer(all, flags(own), origin, BYTES).makes(part));
        self.release([part, all]);
    }

    /// clGetKernelSuggestedLocalWorkSize: sizes that the launch may have, the same each time.
    fn local_size(&mut self, place: Place, items: &[u16], offset: Option<u16>, required: &[u16]) {
        let dimensions = items.len().clamp(1, 3);
        let items = &items[..dimensions];
        let (queue, kernel, to) = (
            self.own("queue", SlotKind::Queue),
            self.own("kernel", SlotKind::Kernel),
            self.own("counted", SlotKind::Memory),
        );
        self.step(super::queue(place, queue));
        let all: usize = items.iter().map(|n| usize::from(*n)).product();
        let flags = Value::Flags(vec![cl::CL_MEM_READ_WRITE, cl::CL_MEM_COPY_HOST_PTR]);
        let zeros = Value::Bytes(vec![0; 4 * all]);
        let arguments = values![place.context, flags, 4 * all, zeros];
        self.step(Call::new(Function::CreateBuffer, arguments).makes(to));
        let required = (!required.is_empty()).then(|| {
            let one = |n: usize| required.get(n).copied().filter(|_| n < dimensions);
            [0, 1, 2].map(|n| one(n).unwrap_or(1).max(1))
        });
        let source = required.map_or(COUNTS.into(), |[x, y, z]| {
            let attribute = format!("kernel __attribute__((reqd_work_group_size({x}, {y}, {z})))");
            COUNTS.replacen("kernel", &attribute, 1)
        });
        let program = self.own_program(place, source);
        self.step(Call::kernel(program, "counts", kernel));
        self.step(Call::object_argument(kernel, 0, to));
        let first = u32::from(offset.unwrap_or(0)).to_ne_bytes();
        self.step(Call::bytes_argument(kernel, 1, first.to_vec()));
        let offset = offset.map(|first| Value::sizes(vec![first; dimensions]));
        let sizes = Value::sizes(items.iter().copied());
        let [one, other] = [self.builder.answer(), self.builder.answer()];
        for answer in [one, other] {
            let room = Value::Answer(answer, 8 * dimensions);
            let arguments = values![
                queue,
                kernel,
                dimensions,
                offset.clone(),
                sizes.clone(),
                room
            ];
            let function = Function::GetKernelSuggestedLocalWorkSize;
            self.step(Call::new(function, arguments));
        }
        // The first of them is a number.
        let says = "clGetKernelSuggestedLocalWorkSize suggests another size the second time";
        self.must(says, That::NotAfter(one, other));
        self.must(says, That::NotAfter(other, one));
        let right = Right::Between(1, items[0].into());
        let says = "clGetKernelSuggestedLocalWorkSize suggests {} work-items, of a launch of fewer";
        self.must(says, That::Number(one, right));
        if let Some(required) = required {
            let longs = required[..dimensions].iter();
            let words = longs.flat_map(|size| [u32::from(*size), 0]).collect();
            let same = Same::new(Unit::Word, Contents::Words(words), false);
            let says = "the size that is suggested for a kernel that requires one";
            self.must(says, That::Bytes(one, Want::Same(same)));
        }
        // A launch may have them.
        let of = values![kernel, dimensions, offset, sizes, Value::Answered(one)];
        let function = Function::EnqueueNDRangeKernel;
        let launched = self.own_event("launched");
        self.step(Call::enqueue(function, queue, of, &[], Some(launched)));
        // Where the library lacks the function nothing is suggested, launched or read.
        let answer = self.builder.answer();
        let read = values![to, true, 0, 4 * all, Value::Answer(answer, 4 * all)];
        let function = Function::EnqueueReadBuffer;
        self.step(Call::enqueue(function, queue, read, &[launched], None));
        self.release([launched]);
        let same = Same::new(Unit::Word, Contents::Words(vec![9; all]), false);
        let says = "what a launch of the sizes wrote that were suggested";
        self.must(says, That::Bytes(answer, Want::Same(same)));
        self.step(Call::of(Function::Finish, queue));
        self.release([kernel, program, to, queue]);
    }

    /// clUnloadPlatformCompiler: "Calls to clBuildProgram, clCompileProgram, or clLinkProgram after
    /// clUnloadPlatformCompiler will reload the compiler, if necessary".
    fn compiler(&mut self, place: Place, unload: Call) {
        self.step(unload);
        let source = format!("{SOURCE}// after its compiler\n");
        let program = self.own_program(place, source);
        let (kernel, queue, to) = (
            self.own("kernel", SlotKind::Kernel),
            self.own("queue", SlotKind::Queue),
            self.own("filled", SlotKind::Memory),
        );
        self.step(super::queue(place, queue));
        self.step(buffer(place.context, to));
        self.add(super::kernel(Place { program, ..place }, kernel, to, 9));
        self.step(Call::launch(queue, kernel, BYTES / 4, &[], None));
        let says = "what a kernel wrote that was built after the compiler was unloaded";
        self.holds(queue, to, vec![9; BYTES / 4], says);
        self.release([kernel, program, to, queue]);
    }
}
