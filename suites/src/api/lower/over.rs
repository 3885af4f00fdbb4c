//! Images over buffers and parts of buffers.

use super::*;
use crate::api::made::{Elements, PITCH, Writing};
use crate::host::check::{Same, Want};
use crate::host::{Contents, Data, Unit};

/// Bytes of a part, to which any device lets a part begin.
const PART: usize = 4096;

/// Bytes of a word.
const WORD: usize = 4;

/// The type of which four are an element in the memory of a kernel, and what it writes there of the element `seen`, and to
/// the image of its memory.
fn forms(elements: Elements) -> (&'static str, String, String) {
    let store = |of: &str| format!("to[n] = {of}");
    let normalized = |ty: &str, most: &str| {
        (
            store(&format!("convert_{ty}4_rte(seen * {most})")),
            format!("convert_float4(from[n]) / {most}"),
        )
    };
    let (ty, (seen, put)) = match elements {
        Elements::Uchar | Elements::Ushort | Elements::Uint => {
            let ty = elements.name();
            let seen = store(&format!("convert_{ty}4(seen)"));
            (ty, (seen, "convert_uint4(from[n])".into()))
        }
        Elements::Char | Elements::Short | Elements::Int => {
            let ty = elements.name();
            let seen = store(&format!("convert_{ty}4(seen)"));
            (ty, (seen, "convert_int4(from[n])".into()))
        }
        Elements::Unorm8 => ("uchar", normalized("uchar", "255.0f")),
        Elements::Unorm16 => ("ushort", normalized("ushort", "65535.0f")),
        Elements::Half => {
            let seen = "vstore_half4(seen, n, (global half *)to)".into();
            let put = "vload_half4(n, (global const half *)from)".into();
            ("ushort", (seen, put))
        }
        Elements::Float => ("float", (store("seen"), "from[n]".into())),
    };
    (ty, seen, put)
}

/// Kernels that read such an image, and write it: a line, or a plane. Where they ask, one that is not what it says of itself
/// leaves zeros.
fn kernels(elements: Elements, [width, rows]: [usize; 2], asks: bool) -> String {
    let (channel, _, end) = elements.row();
    let (image, at, high) = match rows {
        0 => ("image1d_buffer_t", "n".to_string(), String::new()),
        _ => (
            "image2d_t",
            format!("(int2)(n % {width}, n / {width})"),
            format!(" && get_image_height(image) == {rows}"),
        ),
    };
    let channel = channel.name().replace("CL_", "CLK_");
    let wide = match end {
        "i" => "int4",
        "ui" => "uint4",
        _ => "float4",
    };
    let (ty, seen, put) = forms(elements);
    let says = match asks {
        true => format!(
            "if (get_image_width(image) == {width}{high} && get_image_channel_data_type(image) == {channel} &&
        get_image_channel_order(image) == CLK_RGBA)
        "
        ),
        false => String::new(),
    };
    format!(
        "
kernel void seen(read_only {image} image, global {ty}4 *to) {{
    int n = get_global_id(0);
    {wide} seen = read_image{end}(image, {at});
    {says}{seen};
}}

kernel void put(write_only {image} image, global const {ty}4 *from) {{
    int n = get_global_id(0);
    write_image{end}(image, {at}, {put});
}}
"
    )
}

/// The words of an element with these channels, and the words that clEnqueueFillImage is given for them.
fn element(elements: Elements, channels: [u32; 4]) -> (Vec<u32>, [u32; 4]) {
    let (_, bytes, _) = elements.row();
    let real = |most: f32| channels.map(|one| (one as f32 / most).to_bits());
    let (kept, given) = match elements {
        Elements::Uchar | Elements::Ushort | Elements::Uint => (channels, channels),
        Elements::Char | Elements::Short | Elements::Int => (channels, channels),
        Elements::Unorm8 => (channels, real(255.0)),
        Elements::Unorm16 => (channels, real(65535.0)),
        // Of small whole numbers the float ends in zeros.
        Elements::Half => (real(1.0).map(|bits| (bits - (112 << 23)) >> 13), real(1.0)),
        Elements::Float => (real(1.0), real(1.0)),
    };
    let all = kept
        .iter()
        .flat_map(|one| one.to_ne_bytes().into_iter().take(bytes));
    let all: Vec<u8> = all.collect();
    let (words, _) = all.as_chunks::<WORD>();
    let words = words.iter().map(|word| u32::from_ne_bytes(*word)).collect();
    (words, given)
}

/// The word that a buffer has at a place, which is no NaN and no number so small that it may become zero.
fn before(elements: Elements, place: usize) -> u32 {
    let any = (place as u32).wrapping_mul(0x0101_0301).wrapping_add(7);
    match elements {
        Elements::Half => 0x3c00_3c00 | any & 0x03ff_03ff,
        Elements::Float => 0x3f80_0000 | any & 0x007f_ffff,
        _ => any,
    }
}

/// Another word of such numbers.
fn changed(elements: Elements, word: u32) -> u32 {
    match elements {
        Elements::Half => word ^ 0x8000_8000,
        Elements::Float => word ^ 0x8000_0000,
        _ => !word,
    }
}

/// Who reads and writes an image.
#[derive(Debug, Clone, Copy)]
pub(super) enum Through {
    /// The host, which writes it so.
    Host(Writing),
    /// Kernels, which ask it for its size and its format, or do not.
    Kernels { asks: bool },
}

impl Lowering {
    /// An image over a part of a buffer, which begins so many parts behind its beginning, or over the whole: its elements
    /// are what the buffer has there, also after some were written through it. Without rows it is a line.
    pub(super) fn image_over(
        &mut self,
        place: Place,
        begin: Option<u8>,
        [width, rows]: [usize; 2],
        (elements, through): (Elements, Through),
    ) {
        // An element has four channels, which are as many words as a channel has bytes.
        let (channel, apart, _) = elements.row();
        let most = if rows > 0 { PITCH } else { PART / WORD / apart };
        let width = width.clamp(1, most);
        let part_bytes = PART * rows.max(1);
        let first = usize::from(begin.unwrap_or(0)) * PART / WORD;
        let mut words: Vec<u32> = (0..first + part_bytes / WORD)
            .map(|at| before(elements, at))
            .collect();
        let bytes = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
        let [whole, part, slot] =
            ["whole", "part", "image"].map(|name| self.own(name, SlotKind::Memory));
        let queue = self.own("queue", SlotKind::Queue);
        self.step(super::queue(place, queue));
        let flags = Value::Flags(vec![cl::CL_MEM_READ_WRITE, cl::CL_MEM_COPY_HOST_PTR]);
        let size = WORD * words.len();
        let arguments = values![place.context, flags, size, Value::Bytes(bytes)];
        self.step(Call::new(Function::CreateBuffer, arguments).makes(whole));
        let over = match begin {
            Some(_) => {
                let flags = Value::from(cl::CL_MEM_READ_WRITE);
                let part_of = Call::sub_buffer(whole, flags, WORD * first, part_bytes);
                self.step(part_of.makes(part));
                part
            }
            None => whole,
        };
        let (shape, pitch) = match rows {
            0 => (cl::CL_MEM_OBJECT_IMAGE1D_BUFFER, 0),
            _ => (cl::CL_MEM_OBJECT_IMAGE2D, PITCH * apart * WORD),
        };
        let members = values![shape, width, rows, 0, 0, pitch, 0, 0, 0, over];
        let flags = Value::from(cl::CL_MEM_READ_WRITE);
        let made = (members, Value::Null);
        self.step(image_of(place.context, flags, channel, made, slot));
        let places = (0..rows.max(1)).flat_map(|row| {
            let begin = first + row * PITCH * apart;
            begin..begin + width * apart
        });
        let places: Vec<usize> = places.collect();
        let mut own: Vec<u32> = places.iter().map(|at| words[*at]).collect();
        let size = [width, rows];
        match through {
            Through::Kernels { asks } => {
                let source = kernels(elements, size, asks);
                self.by_kernels(place, queue, (slot, elements), source, &mut own);
            }
            Through::Host(by) => self.by_host(place, queue, (slot, elements, size), &mut own, by),
        }
        for (at, word) in places.into_iter().zip(own) {
            words[at] = word;
        }
        let says = "what is in a buffer when an image over it was written";
        self.holds(queue, whole, words, says);
        self.release([slot]);
        if begin.is_some() {
            self.release([part]);
        }
        self.release([whole, queue]);
    }

    /// The host reads the image, and writes the second half of it or of its last row.
    fn by_host(
        &mut self,
        place: Place,
        queue: Slot,
        (slot, elements, [width, rows]): (Slot, Elements, [usize; 2]),
        words: &mut [u32],
        by: Writing,
    ) {
        let (channel, apart, _) = elements.row();
        let bytes_of = |count: usize| WORD * apart * count;
        let high = rows.max(1);
        let sizes = |from: usize, count: usize| {
            values![
                Value::sizes([from, high - 1, 0]),
                Value::sizes([count, 1, 1])
            ]
        };
        let moved = |sizes: Vec<Value>, memory: Value| {
            let rest = values![0, 0, memory];
            [values![slot, true], sizes, rest].concat()
        };
        let seen = self.builder.answer();
        let all = values![Value::sizes([0, 0, 0]), Value::sizes([width, high, 1])];
        let read = moved(all, Value::Answer(seen, bytes_of(width * high)));
        let function = Function::EnqueueReadImage;
        self.step(Call::enqueue(function, queue, read, &[], None));
        let same = Same::new(Unit::Word, Contents::Words(words.to_vec()), false);
        let says = "the elements of an image over a buffer";
        self.must(says, That::Bytes(seen, Want::Same(same)));
        let from = width / 2;
        let count = width - from;
        let (filled, colour) = element(elements, [9, 8, 7, 6]);
        let changed = &mut words[apart * (width * (high - 1) + from)..];
        match by {
            Writing::Fill => changed
                .iter_mut()
                .zip(filled.iter().cycle())
                .for_each(|(word, new)| *word = *new),
            _ => changed
                .iter_mut()
                .for_each(|word| *word = self::changed(elements, *word)),
        }
        let bytes: Vec<u8> = changed.iter().flat_map(|word| word.to_ne_bytes()).collect();
        let mut source = None;
        let (function, of) = match by {
            Writing::Write => {
                let of = moved(sizes(from, count), Value::Bytes(bytes));
                (Function::EnqueueWriteImage, of)
            }
            Writing::Fill => {
                let colour = Value::words(colour);
                let of = [values![slot, colour], sizes(from, count)].concat();
                (Function::EnqueueFillImage, of)
            }
            Writing::Buffer => {
                let memory = self.own("source", SlotKind::Memory);
                let flags = Value::Flags(vec![cl::CL_MEM_READ_WRITE, cl::CL_MEM_COPY_HOST_PTR]);
                let of = values![place.context, flags, bytes.len(), Value::Bytes(bytes)];
                self.step(Call::new(Function::CreateBuffer, of).makes(memory));
                source = Some(memory);
                let of = [values![memory, slot, 0], sizes(from, count)].concat();
                (Function::EnqueueCopyBufferToImage, of)
            }
            Writing::Image => {
                let memory = self.own("source", SlotKind::Memory);
                let flags = Value::Flags(vec![cl::CL_MEM_READ_WRITE, cl::CL_MEM_COPY_HOST_PTR]);
                let shape = cl::CL_MEM_OBJECT_IMAGE1D;
                let members = values![shape, count, 0, 0, 0, 0, 0, 0, 0, Value::Null];
                let made = (members, Value::Bytes(bytes));
                self.step(image_of(place.context, flags, channel, made, memory));
                source = Some(memory);
                let first = Value::sizes([0, 0, 0]);
                let of = [values![memory, slot, first], sizes(from, count)].concat();
                (Function::EnqueueCopyImage, of)
            }
            Writing::Map => {
                let (at, row) = (self.own("map", SlotKind::Address), self.builder.answer());
                let head = values![slot, true, cl::CL_MAP_WRITE];
                let tail = values![Value::Answer(row, 8), Value::Null];
                let of = [head, sizes(from, count), tail].concat();
                let function = Function::EnqueueMapImage;
                self.step(Call::enqueue(function, queue, of, &[], None).makes(at));
                let (contents, bytes) = (Contents::Bytes(bytes), bytes_of(count));
                self.step(Op::Write {
                    at: at.at(0),
                    data: Data::Contents { contents, bytes },
                });
                (Function::EnqueueUnmapMemObject, values![slot, at])
            }
        };
        self.step(Call::enqueue(function, queue, of, &[], None));
        if let Some(source) = source {
            self.release([source]);
        }
    }

    /// A kernel of this source reads the image, and another writes all of it.
    fn by_kernels(
        &mut self,
        place: Place,
        queue: Slot,
        (slot, elements): (Slot, Elements),
        source: String,
        words: &mut [u32],
    ) {
        let (_, apart, _) = elements.row();
        let program = self.own_program(place, source);
        let [seen, put] = ["seen", "put"].map(|name| {
            let kernel = self.own(name, SlotKind::Kernel);
            self.step(Call::kernel(program, name, kernel));
            kernel
        });
        let [to, from] = ["to", "from"].map(|name| self.own(name, SlotKind::Memory));
        let before = words.to_vec();
        words
            .iter_mut()
            .for_each(|word| *word = changed(elements, *word));
        for (memory, contents) in [(to, vec![0; words.len()]), (from, words.to_vec())] {
            let flags = Value::Flags(vec![cl::CL_MEM_READ_WRITE, cl::CL_MEM_COPY_HOST_PTR]);
            let bytes: Vec<u8> = contents
                .iter()
                .flat_map(|word| word.to_ne_bytes())
                .collect();
            let arguments = values![place.context, flags, bytes.len(), Value::Bytes(bytes)];
            self.step(Call::new(Function::CreateBuffer, arguments).makes(memory));
        }
        for (kernel, memory) in [(seen, to), (put, from)] {
            self.step(Call::object_argument(kernel, 0, slot));
            self.step(Call::object_argument(kernel, 1, memory));
            self.step(Call::launch(queue, kernel, words.len() / apart, &[], None));
        }
        let says = "what a kernel reads of an image over a buffer";
        self.holds(queue, to, before, says);
        self.release([from, to, put, seen, program]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_element_has_the_words_of_its_channels() {
        let colour = [9, 8, 7, 6];
        let words = |elements| element(elements, colour).0;
        assert_eq!(words(Elements::Char), [0x0607_0809]);
        assert_eq!(words(Elements::Ushort), [0x0008_0009, 0x0006_0007]);
        assert_eq!(words(Elements::Int), colour);
        assert_eq!(words(Elements::Unorm16), words(Elements::Ushort));
        assert_eq!(words(Elements::Half), [0x4800_4880, 0x4600_4700]);
        assert_eq!(words(Elements::Float)[0], 9f32.to_bits());
    }
}
