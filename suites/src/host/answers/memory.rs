//! What buffers, sub-buffers, images and pipes must answer.

use super::known::{Known, bits, object};
use super::objects::list;
use super::{Question, Wanted};
use crate::host::constant::{Constant, cl};
use crate::host::function::{Class, Function};
use crate::host::program::{Call, SlotKind};
use crate::host::value::{Layout, Place, Slot, Value};

/// What kernels may do.
const ACCESS: [Constant; 3] = [
    cl::CL_MEM_READ_WRITE,
    cl::CL_MEM_READ_ONLY,
    cl::CL_MEM_WRITE_ONLY,
];
/// What the host may do.
const HOST: [Constant; 3] = [
    cl::CL_MEM_HOST_READ_ONLY,
    cl::CL_MEM_HOST_WRITE_ONLY,
    cl::CL_MEM_HOST_NO_ACCESS,
];
/// Where memory is.
const POINTERS: [Constant; 3] = [
    cl::CL_MEM_USE_HOST_PTR,
    cl::CL_MEM_ALLOC_HOST_PTR,
    cl::CL_MEM_COPY_HOST_PTR,
];

fn all_of(flags: &[Constant]) -> u64 {
    flags.iter().fold(0, |all, flag| all | flag.value() as u64)
}

/// Whether memory is the program's own.
fn uses(flags: u64) -> bool {
    flags & all_of(&[cl::CL_MEM_USE_HOST_PTR]) != 0
}

/// What a memory object was made with.
struct Made<'c> {
    kind: Value,
    flags: u64,
    /// Bytes of its data store, at least.
    bytes: Option<u64>,
    /// The pointer that it was given.
    host: Option<&'c Value>,
    /// What it is made from.
    parent: Option<Slot>,
    /// Where it begins there.
    origin: u64,
    properties: Option<Wanted>,
}

impl<'c> Made<'c> {
    fn by(call: &'c Call) -> Option<Made<'c>> {
        let arguments = &call.arguments[..];
        let parameters = call.function.signature().parameters;
        let of = |name: &str| {
            let place = parameters.iter().position(|(own, _)| *own == name)?;
            arguments.get(place)
        };
        let mut made = Made {
            kind: cl::CL_MEM_OBJECT_BUFFER.into(),
            flags: bits(of("flags")?)?,
            bytes: of("size").and_then(bits),
            host: of("host_ptr"),
            parent: None,
            origin: 0,
            properties: of("properties").map_or(Some(Wanted::nothing()), list),
        };
        match call.function {
            Function::CreateBuffer | Function::CreateBufferWithProperties => {}
            Function::CreateSubBuffer => {
                made.parent = object(call, 0);
                let Value::List(_, region) = of("info")? else {
                    return None;
                };
                made.origin = bits(region.first()?)?;
                made.bytes = Some(bits(region.get(1)?)?);
            }
            Function::CreateImage
            | Function::CreateImageWithProperties
            | Function::CreateImage2D
            | Function::CreateImage3D => {
                let image = Image::of(call)?;
                made.kind = Value::Number(image.kind);
                made.parent = image.buffer;
                made.bytes = Some(image.bytes());
            }
            Function::CreatePipe => {
                made.kind = cl::CL_MEM_OBJECT_PIPE.into();
                made.properties = None;
            }
            _ => return None,
        }
        Some(made)
    }

    /// The host pointer that is answered; none where it is not known.
    fn answered_host(&self) -> Option<Value> {
        match (uses(self.flags), self.host) {
            (false, _) => Some(Value::Null),
            (true, Some(pointer @ (Value::At(_) | Value::Slot(_)))) => Some(pointer.clone()),
            (true, _) => None,
        }
    }

    /// Whether it is made over shared virtual memory; none where that depends on the device, for one with fine-grain
    /// system sharing has such pointers to all memory.
    fn is_over_svm(&self, known: &Known<'_>) -> Option<bool> {
        let slot = match (uses(self.flags), self.host) {
            (false, _) => return Some(false),
            (true, Some(Value::At(Place { object, .. }) | Value::Slot(object))) => *object,
            (true, _) => return None,
        };
        matches!(known.kind(slot)?, SlotKind::Svm(_)).then_some(true)
    }
}

/// So many bytes after an address.
fn moved(address: &Value, bytes: u64) -> Option<Value> {
    Some(match address {
        Value::Null => Value::Null,
        Value::At(place) => place.object.at(place.byte + bytes as usize).into(),
        Value::Slot(slot) => slot.at(bytes as usize).into(),
        _ => return None,
    })
}

/// The flags of a pipe where none are given: "the default is used which is CL_MEM_READ_WRITE | CL_MEM_HOST_NO_ACCESS".
const PIPE: u64 = cl::CL_MEM_READ_WRITE.value() as u64 | cl::CL_MEM_HOST_NO_ACCESS.value() as u64;

/// The flags of what was made with these: none at all mean CL_MEM_READ_WRITE, which may be said or not.
fn own_flags(flags: u64) -> Wanted {
    let usual = match flags & all_of(&ACCESS) {
        0 => all_of(&[cl::CL_MEM_READ_WRITE]),
        _ => 0,
    };
    Wanted::Bits(flags, usual)
}

/// The flags of a sub-buffer: those that it does not say itself, and those of host pointers, "are inherited from the
/// corresponding memory access qualifiers associated with buffer", and "the memory access qualifiers inherited from
/// parent buffer is also returned".
fn inherited(own: u64, parent: u64) -> Wanted {
    let (mut must, mut may) = (own | parent & all_of(&POINTERS), 0);
    for group in [&ACCESS, &HOST] {
        if own & all_of(group) == 0 {
            must |= parent & all_of(group);
        }
    }
    if must & all_of(&ACCESS) == 0 {
        may |= all_of(&[cl::CL_MEM_READ_WRITE]);
    }
    Wanted::Bits(must, may)
}

/// The flags of all that a memory object is made from; none where they are not known.
fn flags_above(known: &Known<'_>, memory: Slot) -> Option<u64> {
    let mut flags = 0;
    let mut next = Made::by(known.made(memory)?)?.parent;
    while let Some(above) = next {
        let made = Made::by(known.made(above)?)?;
        flags |= made.flags;
        next = made.parent;
    }
    Some(flags)
}

/// The buffer that an image is made from; null where there is none, and nothing where that is not known.
fn buffer_of(known: &Known<'_>, image: &Image) -> Option<Value> {
    let Some(of) = image.buffer else {
        return Some(Value::Null);
    };
    match known.made(of)?.function {
        Function::CreateBuffer
        | Function::CreateBufferWithProperties
        | Function::CreateSubBuffer => Some(of.into()),
        _ => None,
    }
}

/// What a memory object must answer.
pub fn of_memory(known: &Known<'_>, memory: Slot) -> Vec<Question> {
    let ask = |name, wanted| Question::new(Function::GetMemObjectInfo, memory, name, wanted);
    let mut all = vec![ask(cl::CL_MEM_REFERENCE_COUNT, Wanted::references())];
    let context = known.context(memory);
    all.extend(context.map(|of| ask(cl::CL_MEM_CONTEXT, Wanted::object(of))));
    let maps = match known.is_mapped(memory) {
        false => Wanted::word(0),
        true => Wanted::Number(4, 0, u32::MAX.into()),
    };
    all.push(ask(cl::CL_MEM_MAP_COUNT, maps));
    let call = known.made(memory);
    let Some((call, made)) = call.and_then(|call| Some((call, Made::by(call)?))) else {
        return all;
    };
    all.push(ask(cl::CL_MEM_TYPE, Wanted::word(made.kind.clone())));
    let parent = made.parent.map_or(Value::Null, Value::Slot);
    all.push(ask(cl::CL_MEM_ASSOCIATED_MEMOBJECT, Wanted::object(parent)).since(110));
    all.push(ask(cl::CL_MEM_OFFSET, Wanted::long(made.origin)).since(110));
    let properties = made.properties.clone();
    all.extend(properties.map(|wanted| ask(cl::CL_MEM_PROPERTIES, wanted).since(300)));
    let whole = match call.function {
        Function::CreateSubBuffer => made.parent.and_then(|of| known.made(of)).and_then(Made::by),
        _ => None,
    };
    let is_part = call.function == Function::CreateSubBuffer;
    all.extend(made.bytes.map(|bytes| {
        // A part is a region, and memory of the program's own is no larger than it said; what an implementation
        // allocates may be.
        let is_exact =
            is_part || (uses(made.flags) && made.kind == cl::CL_MEM_OBJECT_BUFFER.into());
        let most = if is_exact { bytes } else { u64::MAX };
        ask(cl::CL_MEM_SIZE, Wanted::Number(8, bytes, most))
    }));
    match (&whole, made.parent) {
        (Some(whole), _) => {
            all.push(ask(cl::CL_MEM_FLAGS, inherited(made.flags, whole.flags)));
            let host = whole
                .answered_host()
                .and_then(|host| moved(&host, made.origin));
            all.extend(host.map(|host| ask(cl::CL_MEM_HOST_PTR, Wanted::object(host))));
        }
        (None, None) => {
            let flags = match made.flags {
                0 if call.function == Function::CreatePipe => Wanted::Bits(0, PIPE),
                flags => own_flags(flags),
            };
            all.push(ask(cl::CL_MEM_FLAGS, flags));
            let host = made.answered_host();
            all.extend(host.map(|host| ask(cl::CL_MEM_HOST_PTR, Wanted::object(host))));
        }
        // "If […] not specified in flags, they are inherited": whether that is answered is left open.
        (None, Some(_)) => {
            if let Some(flags) = flags_above(known, memory) {
                let may = flags | all_of(&[cl::CL_MEM_READ_WRITE]);
                all.push(ask(cl::CL_MEM_FLAGS, Wanted::Bits(made.flags, may)));
                // So is whether it has the pointer of what it is made from.
                if !uses(flags) {
                    let none = Wanted::object(Value::Null);
                    all.push(ask(cl::CL_MEM_HOST_PTR, none));
                    let svm = ask(cl::CL_MEM_USES_SVM_POINTER, Wanted::word(0));
                    all.push(svm.since(200));
                }
            }
        }
    }
    if made.parent.is_none() || whole.is_some() {
        let svm = whole.as_ref().unwrap_or(&made).is_over_svm(known);
        let svm = svm.map(|is| ask(cl::CL_MEM_USES_SVM_POINTER, Wanted::word(is)));
        all.extend(svm.map(|question| question.since(200)));
    }
    all.extend(of_image(known, memory, call));
    all.extend(of_pipe(memory, call));
    all
}

/// What an image was made with.
struct Image {
    format: [u64; 2],
    kind: u64,
    /// Width, height, depth, array size, row pitch, slice pitch.
    sizes: [u64; 6],
    levels: u64,
    samples: u64,
    buffer: Option<Slot>,
}

impl Image {
    /// An image that is made as OpenCL 1.1 does.
    fn early(call: &Call) -> Option<Image> {
        let parameters = call.function.signature().parameters;
        let of = |name: &str| {
            let place = parameters.iter().position(|(own, _)| *own == name);
            place.map_or(Some(0), |place| bits(call.arguments.get(place)?))
        };
        let (kind, Some(Value::Struct(Layout::ImageFormat, format))) = (
            match call.function {
                Function::CreateImage2D => cl::CL_MEM_OBJECT_IMAGE2D,
                Function::CreateImage3D => cl::CL_MEM_OBJECT_IMAGE3D,
                _ => return None,
            },
            call.arguments.get(2),
        ) else {
            return None;
        };
        let (row, slice) = (of("row_pitch")?, of("slice_pitch")?);
        Some(Image {
            format: [bits(format.first()?)?, bits(format.get(1)?)?],
            kind: kind.value() as u64,
            sizes: [of("width")?, of("height")?, of("depth")?, 0, row, slice],
            levels: 0,
            samples: 0,
            buffer: None,
        })
    }

    fn of(call: &Call) -> Option<Image> {
        if let Some(image) = Image::early(call) {
            return Some(image);
        }
        let mut structures = call.arguments.iter().filter_map(|value| match value {
            Value::Struct(layout, members) => Some((*layout, members)),
            _ => None,
        });
        let (Some((Layout::ImageFormat, format)), Some((Layout::ImageDesc, desc))) =
            (structures.next(), structures.next())
        else {
            return None;
        };
        let number = |n: usize| desc.get(n).map_or(Some(0), bits);
        let mut sizes = [0; 6];
        for (n, size) in sizes.iter_mut().enumerate() {
            *size = number(n + 1)?;
        }
        Some(Image {
            format: [bits(format.first()?)?, bits(format.get(1)?)?],
            kind: number(0)?,
            sizes,
            levels: number(7)?,
            samples: number(8)?,
            buffer: match desc.get(9) {
                Some(Value::Slot(slot)) => Some(*slot),
                _ => None,
            },
        })
    }

    /// Whether it is of one of these kinds.
    fn is(&self, kinds: &[Constant]) -> bool {
        kinds.iter().any(|kind| kind.value() as u64 == self.kind)
    }

    /// Bytes of an element; none of formats that are not in the table.
    fn element(&self) -> Option<u64> {
        let [order, channel] = self.format;
        let is = |number: u64, all: &[Constant]| all.iter().any(|one| one.value() as u64 == number);
        let channels = match order {
            n if is(
                n,
                &[
                    cl::CL_R,
                    cl::CL_A,
                    cl::CL_INTENSITY,
                    cl::CL_LUMINANCE,
                    cl::CL_DEPTH,
                ],
            ) =>
            {
                1
            }
            n if is(n, &[cl::CL_RG, cl::CL_RA]) => 2,
            n if is(
                n,
                &[
                    cl::CL_RGBA,
                    cl::CL_BGRA,
                    cl::CL_ARGB,
                    cl::CL_ABGR,
                    cl::CL_sRGBA,
                    cl::CL_sBGRA,
                ],
            ) =>
            {
                4
            }
            _ => return None,
        };
        let bytes = match channel {
            n if is(
                n,
                &[
                    cl::CL_SNORM_INT8,
                    cl::CL_UNORM_INT8,
                    cl::CL_SIGNED_INT8,
                    cl::CL_UNSIGNED_INT8,
                ],
            ) =>
            {
                1
            }
            n if is(
                n,
                &[
                    cl::CL_SNORM_INT16,
                    cl::CL_UNORM_INT16,
                    cl::CL_SIGNED_INT16,
                    cl::CL_UNSIGNED_INT16,
                    cl::CL_HALF_FLOAT,
                ],
            ) =>
            {
                2
            }
            n if is(
                n,
                &[cl::CL_SIGNED_INT32, cl::CL_UNSIGNED_INT32, cl::CL_FLOAT],
            ) =>
            {
                4
            }
            _ => return None,
        };
        Some(channels * bytes)
    }

    /// Bytes that its elements have at least.
    fn bytes(&self) -> u64 {
        let [width, height, depth, layers] = self.shape();
        let count = width * height.max(1) * depth.max(1) * layers.max(1);
        count * self.element().unwrap_or(1)
    }

    /// What counts for its kind, of members that mean nothing for others: width, height, depth, array size.
    fn shape(&self) -> [u64; 4] {
        let [width, height, depth, layers, ..] = self.sizes;
        let plane = [
            cl::CL_MEM_OBJECT_IMAGE2D,
            cl::CL_MEM_OBJECT_IMAGE2D_ARRAY,
            cl::CL_MEM_OBJECT_IMAGE3D,
        ];
        let arrays = [
            cl::CL_MEM_OBJECT_IMAGE1D_ARRAY,
            cl::CL_MEM_OBJECT_IMAGE2D_ARRAY,
        ];
        [
            width,
            if self.is(&plane) { height } else { 0 },
            if self.is(&[cl::CL_MEM_OBJECT_IMAGE3D]) {
                depth
            } else {
                0
            },
            if self.is(&arrays) { layers } else { 0 },
        ]
    }

    /// Row and slice pitch as they are given or computed; none of formats whose elements are not known.
    fn pitches(&self) -> Option<[u64; 2]> {
        let [width, height, .., row, slice] = self.sizes;
        let row = match row {
            0 => width * self.element()?,
            row => row,
        };
        let flat = [
            cl::CL_MEM_OBJECT_IMAGE1D,
            cl::CL_MEM_OBJECT_IMAGE1D_BUFFER,
            cl::CL_MEM_OBJECT_IMAGE2D,
        ];
        let slice = match slice {
            _ if self.is(&flat) => 0,
            0 if self.is(&[cl::CL_MEM_OBJECT_IMAGE1D_ARRAY]) => row,
            0 => height * row,
            slice => slice,
        };
        Some([row, slice])
    }
}

fn of_image(known: &Known<'_>, memory: Slot, call: &Call) -> Vec<Question> {
    let Some(image) = Image::of(call) else {
        return Vec::new();
    };
    let ask = |name, wanted| Question::new(Function::GetImageInfo, memory, name, wanted);
    let format = image.format.map(|word| (Class::Word, Value::Number(word)));
    let mut all = vec![
        ask(cl::CL_IMAGE_FORMAT, Wanted::Values(format.into())),
        ask(cl::CL_IMAGE_NUM_MIP_LEVELS, Wanted::word(image.levels)).since(120),
        ask(cl::CL_IMAGE_NUM_SAMPLES, Wanted::word(image.samples)).since(120),
    ];
    let buffer = buffer_of(known, &image);
    all.extend(buffer.map(|of| ask(cl::CL_IMAGE_BUFFER, Wanted::object(of)).since(120)));
    let element = image.element();
    all.extend(element.map(|bytes| ask(cl::CL_IMAGE_ELEMENT_SIZE, Wanted::long(bytes))));
    let [width, height, depth, layers] = image.shape();
    all.push(ask(cl::CL_IMAGE_WIDTH, Wanted::long(width)));
    all.push(ask(cl::CL_IMAGE_HEIGHT, Wanted::long(height)));
    all.push(ask(cl::CL_IMAGE_DEPTH, Wanted::long(depth)));
    all.push(ask(cl::CL_IMAGE_ARRAY_SIZE, Wanted::long(layers)).since(120));
    if let Some([row, slice]) = image.pitches() {
        all.push(ask(cl::CL_IMAGE_ROW_PITCH, Wanted::long(row)));
        all.push(ask(cl::CL_IMAGE_SLICE_PITCH, Wanted::long(slice)));
    }
    all
}

fn of_pipe(memory: Slot, call: &Call) -> Vec<Question> {
    if call.function != Function::CreatePipe {
        return Vec::new();
    }
    let ask = |name, wanted| Question::new(Function::GetPipeInfo, memory, name, wanted);
    let argument = |n: usize| call.arguments.get(n);
    let mut all = Vec::new();
    let size = argument(2).and_then(bits);
    all.extend(size.map(|size| ask(cl::CL_PIPE_PACKET_SIZE, Wanted::word(size))));
    let packets = argument(3).and_then(bits);
    all.extend(packets.map(|packets| ask(cl::CL_PIPE_MAX_PACKETS, Wanted::word(packets))));
    let properties = argument(4).and_then(list);
    all.extend(properties.map(|wanted| ask(cl::CL_PIPE_PROPERTIES, wanted).since(300)));
    all
}
