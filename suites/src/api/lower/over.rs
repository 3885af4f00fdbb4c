//! Images over buffers and parts of buffers.

use super::*;
use crate::host::Contents;
use crate::host::Unit;
use crate::host::check::{Same, Want};

/// Bytes of a part, to which any device lets a part begin.
const PART: usize = 4096;

/// Bytes of an element.
const ELEMENT: usize = 4;

/// The word that a buffer has at a place.
fn before(place: usize) -> u32 {
    (place as u32).wrapping_mul(0x0101_0301).wrapping_add(7)
}

impl Lowering {
    /// An image of one dimension over a part of a buffer, which begins so many parts behind its beginning, or over the
    /// whole: its elements are the buffer's words there, also after some were written through it.
    pub(super) fn image_over(&mut self, place: Place, begin: Option<u8>, width: usize) {
        let first = usize::from(begin.unwrap_or(0)) * PART / ELEMENT;
        let words: Vec<u32> = (0..first + PART / ELEMENT).map(before).collect();
        let bytes = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
        let [whole, part, slot] =
            ["whole", "part", "image"].map(|name| self.own(name, SlotKind::Memory));
        let queue = self.own("queue", SlotKind::Queue);
        self.step(super::queue(place, queue));
        let flags = Value::Flags(vec![cl::CL_MEM_READ_WRITE, cl::CL_MEM_COPY_HOST_PTR]);
        let size = ELEMENT * words.len();
        let arguments = values![place.context, flags, size, Value::Bytes(bytes)];
        self.step(Call::new(Function::CreateBuffer, arguments).makes(whole));
        let over = match begin {
            Some(_) => {
                let flags = Value::from(cl::CL_MEM_READ_WRITE);
                let part_of = Call::sub_buffer(whole, flags, ELEMENT * first, PART);
                self.step(part_of.makes(part));
                part
            }
            None => whole,
        };
        let shape = cl::CL_MEM_OBJECT_IMAGE1D_BUFFER;
        let members = values![shape, width, 0, 0, 0, 0, 0, 0, 0, over];
        let flags = Value::from(cl::CL_MEM_READ_WRITE);
        self.step(super::image(
            place.context,
            flags,
            members,
            Value::Null,
            slot,
        ));
        let moved = |from: usize, count: usize, memory: Value| {
            let (origin, region) = (Value::sizes([from, 0, 0]), Value::sizes([count, 1, 1]));
            values![slot, true, origin, region, 0, 0, memory]
        };
        let seen = self.builder.answer();
        let read = moved(0, width, Value::Answer(seen, ELEMENT * width));
        self.step(Call::enqueue(
            Function::EnqueueReadImage,
            queue,
            read,
            &[],
            None,
        ));
        let is = words[first..first + width].to_vec();
        self.is_over(seen, is, "the elements of an image over a buffer");
        let from = width / 2;
        let written: Vec<u32> = (from..width).map(|n| !before(n)).collect();
        let bytes = written.iter().flat_map(|word| word.to_ne_bytes()).collect();
        let write = moved(from, width - from, Value::Bytes(bytes));
        self.step(Call::enqueue(
            Function::EnqueueWriteImage,
            queue,
            write,
            &[],
            None,
        ));
        let mut words = words;
        words[first + from..first + width].copy_from_slice(&written);
        let says = "what is in a buffer when an image over it was written";
        self.holds(queue, whole, words, says);
        self.release([slot]);
        if begin.is_some() {
            self.release([part]);
        }
        self.release([whole, queue]);
    }

    fn is_over(&mut self, answer: AnswerId, words: Vec<u32>, says: &str) {
        let same = Same::new(Unit::Word, Contents::Words(words), false);
        self.must(says, That::Bytes(answer, Want::Same(same)));
    }
}
