//! The memory of a case: made, written and looked at by the host.

use super::Lower;
use crate::host::check::SubGroupAnswers;
use crate::host::constant::{Constant, cl};
use crate::host::*;
use crate::kernels::case::{Apart, Contents, KernelCase, Kind, Object, ObjectId};
use crate::kernels::image::{Format, Image, Order, Shape};
use classay_vocabulary::Need;
use std::collections::BTreeSet;

/// The alignment of SVM allocations.
const ALIGN: u32 = 128;

/// What is between the rows of an image where they stand apart.
const GAP: u32 = 0x5a5a_5a5a;

/// Formats of one kind of image that are asked for at most.
const FORMATS: usize = 1024;

impl Lower<'_> {
    /// Makes every object with its first contents.
    pub(super) fn objects(&mut self) {
        for (n, object) in self.case.objects.iter().enumerate() {
            let slot = Slot(n as u16);
            let (function, arguments) = match object.kind {
                Kind::Buffer => {
                    let first = self.first(n, object);
                    let arguments = values![self.context, flags(object), object.bytes, first];
                    (Function::CreateBuffer, arguments)
                }
                Kind::Image(image) => {
                    let first = match object.apart {
                        None => self.first(n, object),
                        Some(apart) => self.first_apart(n, object, (image, apart)),
                    };
                    let format = format(image.format).map(Value::Constant);
                    let format = Value::Struct(Layout::ImageFormat, format.into());
                    let shape = Value::Struct(Layout::ImageDesc, description(image, object.apart));
                    let arguments = values![self.context, flags(object), format, shape, first];
                    (Function::CreateImage, arguments)
                }
                Kind::SubBuffer { of, origin } => {
                    let flags = cl::CL_MEM_READ_WRITE.into();
                    let call = Call::sub_buffer(of, flags, origin, object.bytes);
                    self.b.begin(call.makes(slot));
                    continue;
                }
                Kind::Pipe { packet, packets } => {
                    let flags = vec![cl::CL_MEM_READ_WRITE, cl::CL_MEM_HOST_NO_ACCESS];
                    let flags = Value::Flags(flags);
                    let arguments = values![self.context, flags, packet, packets, Value::Null];
                    (Function::CreatePipe, arguments)
                }
                Kind::SvmCoarse | Kind::SvmFine | Kind::SvmAtomics => {
                    self.svm(slot, object);
                    continue;
                }
                Kind::Host => {
                    self.write_first(slot.at(0), object);
                    continue;
                }
            };
            self.b.begin(Call::new(function, arguments).makes(slot));
        }
    }

    /// The host writes an object's first contents to a place.
    fn write_first(&mut self, at: Place, object: &Object) {
        let data = contents(object);
        self.b.begin(Op::Write { at, data });
    }

    /// Memory of the host with an object's first contents.
    fn first(&mut self, n: usize, object: &Object) -> Place {
        let before = usize::from(object.over.unwrap_or(0));
        let bytes = before + object.bytes;
        let first = self.b.slot(format!("first_{n}"), SlotKind::Host { bytes });
        let first = first.at(before);
        // What a buffer is made over has what the last run left there.
        if !object.contents.is_zero() || object.over.is_some() {
            self.write_first(first, object);
        }
        first
    }

    /// The same of an image, with gaps between its rows and slices that are no zeros.
    fn first_apart(&mut self, n: usize, object: &Object, (image, apart): (Image, Apart)) -> Place {
        let close = self.first(n, object);
        let [_, rows, slices] = image.shape.size();
        let row = match image.shape {
            // Each image of an array of lines is a slice.
            Shape::Lines(..) => apart.slice,
            _ => apart.row,
        };
        let bytes = (row * rows).max(apart.slice * slices);
        let name = format!("apart_{n}");
        let at = self.b.slot(name, SlotKind::Host { bytes }).at(0);
        let contents = Contents::Every(GAP);
        self.b.begin(Op::Write {
            at,
            data: Data::Contents { contents, bytes },
        });
        let data = Data::Copy {
            from: close,
            region: [image.row(), rows, slices],
            apart: Pitches::Close,
            to_apart: Pitches::Given(row, apart.slice),
        };
        self.b.begin(Op::Write { at, data });
        at
    }

    fn svm(&mut self, slot: Slot, object: &Object) {
        let coarse = object.kind == Kind::SvmCoarse;
        let mut flags = vec![cl::CL_MEM_READ_WRITE];
        flags.extend((!coarse).then_some(cl::CL_MEM_SVM_FINE_GRAIN_BUFFER));
        flags.extend((object.kind == Kind::SvmAtomics).then_some(cl::CL_MEM_SVM_ATOMICS));
        let arguments = values![self.context, Value::Flags(flags), object.bytes, ALIGN];
        self.b
            .begin(Call::new(Function::SVMAlloc, arguments).makes(slot));
        let (at, data) = (slot.at(0), contents(object));
        let write = Op::Write { at, data }.into();
        for step in self.mapped(coarse, at, object.bytes, true, write) {
            self.b.begin(step);
        }
    }

    /// A step of the host, with the bytes mapped that it uses in coarse-grain SVM.
    fn mapped(&self, coarse: bool, at: Place, bytes: usize, write: bool, step: Step) -> Vec<Step> {
        if !coarse || bytes == 0 {
            return vec![step];
        }
        let queue = self.queues[0];
        let flags = match write {
            true => cl::CL_MAP_WRITE,
            false => cl::CL_MAP_READ,
        };
        let map = self.plain(Function::EnqueueSVMMap, values![true, flags, at, bytes]);
        let unmap = self.plain(Function::EnqueueSVMUnmap, values![at]);
        vec![map, step, unmap, Call::of(Function::Finish, queue).into()]
    }

    fn coarse(&self, object: ObjectId) -> bool {
        self.case.objects[object.index()].kind == Kind::SvmCoarse
    }

    /// The host writes at a place, so many bytes.
    pub(super) fn by_host(&mut self, at: Place, bytes: usize, data: Data) {
        let step = Op::Write { at, data }.into();
        let steps = self.mapped(self.coarse(at.object), at, bytes, true, step);
        self.steps.extend(steps);
    }

    /// Finishes everything, and reads all bytes of an object.
    pub(super) fn look(&mut self, object: ObjectId) -> AnswerId {
        self.finish();
        let answer = self.b.answer();
        let bytes = self.case.objects[object.index()].bytes;
        self.read_place(object.at(0), Stretches::whole(bytes), answer);
        answer
    }

    /// Reads from a place on.
    pub(super) fn read_place(&mut self, from: Place, stretches: Stretches, into: AnswerId) {
        let object = &self.case.objects[from.object.index()];
        let bytes = stretches.bytes;
        let room = Value::Answer(into, bytes);
        match object.kind {
            Kind::Buffer | Kind::SubBuffer { .. } => {
                let all = values![from.object, true, from.byte, bytes, room];
                self.add(self.plain(Function::EnqueueReadBuffer, all));
            }
            Kind::Image(image) => {
                let origin = Value::sizes([0; 3]);
                let region = Value::sizes(image.shape.size());
                let all = values![from.object, true, origin, region, 0, 0, room];
                self.add(self.plain(Function::EnqueueReadImage, all));
            }
            Kind::SvmCoarse | Kind::SvmFine | Kind::SvmAtomics | Kind::Host => {
                let read = Op::Read {
                    from,
                    stretches,
                    into,
                };
                let coarse = self.coarse(from.object);
                let steps = self.mapped(coarse, from, bytes, false, read.into());
                self.steps.extend(steps);
            }
            // Nothing but kernels sees what is in a pipe.
            Kind::Pipe { .. } => {}
        }
    }

    /// The queues on the device.
    pub(super) fn queues(&mut self) {
        for (n, queue) in self.case.device_queues.iter().enumerate() {
            let slot = self.b.slot(format!("device_queue_{n}"), SlotKind::Queue);
            let out_of_order = cl::CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
            let mut flags = vec![cl::CL_QUEUE_ON_DEVICE, out_of_order];
            flags.extend(queue.default.then_some(cl::CL_QUEUE_ON_DEVICE_DEFAULT));
            flags.extend(queue.profiling.then_some(cl::CL_QUEUE_PROFILING_ENABLE));
            let mut list = values![cl::CL_QUEUE_PROPERTIES, Value::Flags(flags)];
            if let Some(bytes) = queue.bytes {
                list.extend(values![cl::CL_QUEUE_SIZE, bytes]);
            }
            list.push(0.into());
            let list = Value::list(Class::Long, list);
            self.b
                .begin(Call::queue(self.context, self.device, list).makes(slot));
            self.device_queues.push(slot);
        }
    }

    /// Asks how work-groups of a shape are divided into sub-groups.
    pub(super) fn ask_sub_groups(&mut self, n: usize, name: &str, local: &[u64]) {
        let Some(program) = self.program else {
            return;
        };
        let kernel = self.b.slot(format!("asked_{n}"), SlotKind::Kernel);
        self.add(Call::kernel(program, name, kernel));
        let [size, count, again] = [(); 3].map(|()| self.b.answer());
        let [its_local, length] = [(); 2].map(|()| self.b.answer());
        let device = self.device;
        let ask = |what: Constant, input: Value, bytes: usize, answer: AnswerId, length: Value| {
            let answer = Value::Answer(answer, 8);
            let arguments = values![kernel, device, what, bytes, input, 8, answer, length];
            Call::new(Function::GetKernelSubGroupInfo, arguments)
        };
        let sizes = || Value::sizes(local.iter().copied());
        let bytes = 8 * local.len();
        let most = cl::CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE;
        let counts = cl::CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE;
        let shape = cl::CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT;
        self.add(ask(most, sizes(), bytes, size, Value::Null));
        self.add(ask(counts, sizes(), bytes, count, Value::Null));
        let whole = Value::Answered(count);
        // What an implementation does not answer in one dimension is not compared.
        let its_length = Value::Answer(length, 8);
        self.add(ask(shape, whole, 8, its_local, its_length).whatever());
        let shape = Value::Answered(its_local);
        self.add(ask(counts, shape, 8, again, Value::Null).whatever());
        self.add(Call::take(Function::ReleaseKernel, kernel));
        let answers = SubGroupAnswers {
            size,
            count,
            local: its_local,
            length,
            again,
        };
        self.sub_groups.insert(n, answers);
    }
}

/// The flags of a buffer or an image.
fn flags(object: &Object) -> Value {
    let access = match object.kind {
        Kind::Image(image) if image.format.order == Order::Srgba => cl::CL_MEM_READ_ONLY,
        _ => cl::CL_MEM_READ_WRITE,
    };
    let first = match object.over {
        Some(_) => cl::CL_MEM_USE_HOST_PTR,
        None => cl::CL_MEM_COPY_HOST_PTR,
    };
    let mut flags = vec![access, first];
    flags.extend(object.alloc_host.then_some(cl::CL_MEM_ALLOC_HOST_PTR));
    Value::Flags(flags)
}

fn contents(object: &Object) -> Data {
    Data::Contents {
        contents: object.contents.clone(),
        bytes: object.bytes,
    }
}

fn format(format: Format) -> [Constant; 2] {
    [format.order.constant(), format.channel.constant()]
}

/// The description of an image: members that have no meaning for its type are zero.
fn description(image: Image, apart: Option<Apart>) -> Vec<Value> {
    let (row, slice) = apart.map_or((0, 0), |apart| (apart.row, apart.slice));
    let [width, height, depth] = image.shape.size();
    let (height, depth, layers) = match image.shape {
        Shape::Line(_) => (0, 0, 0),
        Shape::Plane(..) => (height, 0, 0),
        Shape::Block(..) => (height, depth, 0),
        Shape::Lines(..) => (0, 0, height),
        Shape::Planes(..) => (height, 0, depth),
    };
    let sizes = [width, height, depth, layers, row, slice, 0, 0];
    let mut members: Vec<Value> = vec![image.shape.constant().into()];
    members.extend(sizes.map(Value::from));
    members.push(Value::Null);
    members
}

/// The images of a case.
fn images(case: &KernelCase) -> impl Iterator<Item = (usize, Image)> {
    let objects = case.objects.iter().enumerate();
    objects.filter_map(|(n, object)| Some((n, object.kind.image()?)))
}

/// The flag with which the formats of images are asked for that kernels use as they use this one (Image Format Mapping).
fn access(case: &KernelCase, image: Image) -> Constant {
    match image.format.order {
        Order::Srgba => cl::CL_MEM_READ_ONLY,
        _ if case.needs.contains(&Need::ReadWriteImages) => cl::CL_MEM_KERNEL_READ_AND_WRITE,
        _ => cl::CL_MEM_READ_WRITE,
    }
}

/// What asks the implementation for the formats of images that kernels may use as they do; which it offers beyond a few is
/// its own affair. The answers are the formats of each kind of image.
pub fn formats(case: &KernelCase) -> (HostProgram, Vec<(usize, AnswerId)>) {
    let mut b = Builder::default();
    let devices = case.devices();
    let context = b.fixture("context", Fixture::Context { devices, number: 0 });
    let (mut asked, mut kinds) = (Vec::new(), BTreeSet::new());
    for (n, image) in images(case) {
        let of = access(case, image);
        if !kinds.insert((image.shape.constant(), of)) {
            continue;
        }
        let answer = b.answer();
        let room = Value::Answer(answer, 8 * FORMATS);
        let arguments = values![
            context,
            of,
            image.shape.constant(),
            FORMATS,
            room,
            Value::Null
        ];
        b.begin(Call::new(Function::GetSupportedImageFormats, arguments));
        asked.push((n, answer));
    }
    (b.finish(), asked)
}

/// The first format of an image of the case that is not among the answers.
pub fn lacking(case: &KernelCase, asked: &[(usize, AnswerId)], record: &Record) -> Option<String> {
    let asks = |image: Image| (image.shape.constant(), access(case, image));
    let listed = |image: Image| {
        let same = |(n, _): &&(usize, AnswerId)| {
            let kind = case.objects.get(*n).map(|object| object.kind);
            matches!(kind, Some(Kind::Image(other)) if asks(other) == asks(image))
        };
        let answer = asked.iter().find(same).map(|(_, answer)| answer);
        let Some(bytes) = answer.and_then(|answer| record.answers.get(answer)) else {
            return false;
        };
        let word = |constant: Constant| (constant.value() as u32).to_ne_bytes();
        let wanted = format(image.format).map(word).concat();
        bytes.chunks_exact(8).any(|format| format == wanted)
    };
    let (_, image) = images(case).find(|(_, image)| !listed(*image))?;
    let (kind, Format { order, channel }) = (image.c_type(), image.format);
    Some(format!("{kind} of the format {order:?} {channel:?}"))
}
