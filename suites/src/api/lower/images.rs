//! Images of every shape, with memory of the host or without, which are read and mapped.

use super::made::{flags_of, from_host};
use super::*;
use crate::api::listed::{Flag, Shape};
use crate::host::check::{Same, Want};
use crate::host::{Contents, Data, Pitches, Stretches, Unit};

/// Bytes of an element of the images.
const ELEMENT: usize = 4;

/// What stands in members of a description that are not used.
const STRAY: usize = 3;

/// An image, and how its rows and slices stand apart.
pub(super) struct Described {
    shape: Shape,
    /// Width, rows, slices.
    region: [usize; 3],
    /// Bytes from one row to the next, and from one slice to the next, in the host's memory.
    pitches: [usize; 2],
    strays: bool,
    apart: [usize; 2],
}

impl Described {
    pub(super) fn of(shape: Shape, size: [u8; 3], apart: [u8; 2], strays: bool) -> Described {
        let [width, height, depth] = size.map(usize::from);
        let apart = apart.map(usize::from);
        let region = match shape {
            Shape::Line => [width, 1, 1],
            Shape::Plane | Shape::Lines => [width, height, 1],
            Shape::Block | Shape::Planes => [width, height, depth],
        };
        let row = (width + apart[0]) * ELEMENT;
        let pitches = match shape {
            // Each image of an array of lines is a slice of one row.
            Shape::Lines => [row * (1 + apart[1]), row * (1 + apart[1]) * height],
            Shape::Line | Shape::Plane => [row, row * height],
            Shape::Block | Shape::Planes => [row, row * (height + apart[1])],
        };
        Described {
            shape,
            region,
            pitches,
            strays,
            apart,
        }
    }

    /// The members of its description; pitches only where there is memory of the host.
    fn members(&self, from_host: bool) -> Vec<Value> {
        let [width, height, depth] = self.region;
        let used = match self.shape {
            Shape::Line => [None, None, None],
            Shape::Plane => [Some(height), None, None],
            Shape::Block => [Some(height), Some(depth), None],
            Shape::Lines => [None, None, Some(height)],
            Shape::Planes => [Some(height), None, Some(depth)],
        };
        // "It is only used if the image is a …"
        let stray = if self.strays { STRAY } else { 0 };
        let row = (width + self.apart[0]) * ELEMENT;
        let (row, slice) = match self.shape {
            Shape::Line | Shape::Plane => (row, 0),
            Shape::Lines => (row, self.pitches[0]),
            Shape::Block | Shape::Planes => (row, self.pitches[1]),
        };
        // What is not apart need not be said.
        let row = if self.apart[0] == 0 { 0 } else { row };
        let slice = if self.apart[1] == 0 { 0 } else { slice };
        let (row, slice) = if from_host { (row, slice) } else { (0, 0) };
        let mut members = values![self.shape.constant(), width];
        members.extend(used.map(|used| Value::from(used.unwrap_or(stray))));
        members.extend(values![row, slice, 0, 0, Value::Null]);
        members
    }

    /// Its elements in the host's memory, with other words between them, and by themselves.
    fn contents(&self) -> (Vec<u8>, Vec<u32>) {
        let [width, rows, slices] = self.region;
        let mut host = vec![0x5a; self.pitches[1] * slices];
        let mut words = Vec::new();
        for slice in 0..slices {
            for row in 0..rows {
                for column in 0..width {
                    let word = (words.len() as u32)
                        .wrapping_mul(0x0103_0507)
                        .wrapping_add(0x0b);
                    let at = slice * self.pitches[1] + row * self.pitches[0] + column * ELEMENT;
                    host[at..at + ELEMENT].copy_from_slice(&word.to_ne_bytes());
                    words.push(word);
                }
            }
        }
        (host, words)
    }
}

/// The channels of an element that is filled.
const FILLED: [u8; 4] = [0x11, 0x22, 0x33, 0x44];

/// clCreateImage2D or clCreateImage3D, by the members of a description.
fn early_image(context: Slot, flags: Value, members: &[Value], host: Value, shape: Shape) -> Call {
    let format = values![cl::CL_RGBA, cl::CL_UNSIGNED_INT8];
    let format = Value::Struct(Layout::ImageFormat, format);
    // The width, the height, the depth, and the pitches behind the size of an array.
    let (function, sizes): (_, &[usize]) = match shape {
        Shape::Block => (Function::CreateImage3D, &[1, 2, 3, 5, 6]),
        _ => (Function::CreateImage2D, &[1, 2, 5]),
    };
    let sizes: Vec<Value> = sizes.iter().map(|n| members[*n].clone()).collect();
    let head = values![context, flags, format];
    Call::new(function, [head, sizes, values![host]].concat())
}

/// A map of an image.
struct Map {
    /// What it gives.
    at: Slot,
    origin: [usize; 3],
    region: [usize; 3],
    pitches: Pitches,
}

impl Described {
    /// The rows of a region, each as the places of its elements among those of all.
    fn rows(
        &self,
        origin: [usize; 3],
        region: [usize; 3],
    ) -> impl Iterator<Item = std::ops::Range<usize>> + use<> {
        let [width, rows, _] = self.region;
        let slices = origin[2]..origin[2] + region[2];
        slices.flat_map(move |z| {
            (origin[1]..origin[1] + region[1]).map(move |y| {
                let first = (z * rows + y) * width + origin[0];
                first..first + region[0]
            })
        })
    }

    /// The elements of a region among those of all.
    fn part(&self, words: &[u32], origin: [usize; 3], region: [usize; 3]) -> Vec<u32> {
        let rows = self.rows(origin, region);
        rows.flat_map(|row| words[row].to_vec()).collect()
    }

    /// Where an element is in the host's memory.
    fn byte(&self, [x, y, z]: [usize; 3]) -> usize {
        z * self.pitches[1] + y * self.pitches[0] + x * ELEMENT
    }

    /// A region that is not all of an image where it can be less, another one for each number.
    fn region(&self, n: usize) -> ([usize; 3], [usize; 3]) {
        let origin = self.region.map(|size| n % size);
        let region = [0, 1, 2].map(|d| (self.region[d] - origin[d]).div_ceil(1 + n / 2 % 2));
        (origin, region)
    }
}

impl Lowering {
    /// An image, as OpenCL 1.1 makes one or as later versions do, its elements, and so many maps of it.
    pub(super) fn image_of(
        &mut self,
        place: Place,
        image: &Described,
        memory_flag: Option<Flag>,
        maps: usize,
        early: bool,
    ) {
        let (host, words) = image.contents();
        let mut used = None;
        let is_from_host = from_host(memory_flag);
        let members = image.members(is_from_host);
        let (queue, slot) = (
            self.own("queue", SlotKind::Queue),
            self.own("image", SlotKind::Memory),
        );
        let pointer = match is_from_host {
            true => {
                let bytes = host.len();
                let memory = self.own("memory", SlotKind::Host { bytes });
                let contents = Contents::Bytes(host);
                self.step(Op::Write {
                    at: memory.at(0),
                    data: Data::Contents { contents, bytes },
                });
                used = (memory_flag == Some(Flag::Uses)).then_some(memory);
                Value::Slot(memory)
            }
            false => Value::Null,
        };
        self.step(super::queue(place, queue));
        let flags = flags_of(memory_flag);
        self.step(match early {
            false => super::image(place.context, flags, members, pointer, slot),
            true => early_image(place.context, flags, &members, pointer, image.shape).makes(slot),
        });
        let moved = |memory: Value| {
            values![
                slot,
                true,
                Value::sizes([0; 3]),
                Value::sizes(image.region),
                0,
                0,
                memory
            ]
        };
        if !is_from_host {
            let bytes = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
            let write = moved(Value::Bytes(bytes));
            let function = Function::EnqueueWriteImage;
            self.step(Call::enqueue(function, queue, write, &[], None));
        }
        let answer = self.builder.answer();
        let read = moved(Value::Answer(answer, ELEMENT * words.len()));
        let function = Function::EnqueueReadImage;
        self.step(Call::enqueue(function, queue, read, &[], None));
        let same = Same::new(Unit::Word, Contents::Words(words.clone()), false);
        let says = "the elements of an image";
        self.must(says, That::Bytes(answer, Want::Same(same)));
        self.maps_of_image(queue, (slot, image), words, used, maps);
        self.release([slot, queue]);
    }

    /// Elements that the host reads where rows and slices are so far apart.
    fn are_elements(
        &mut self,
        from: crate::host::Place,
        region: [usize; 3],
        apart: Pitches,
        wanted: Vec<u32>,
        says: &str,
    ) {
        let bytes = ELEMENT * wanted.len();
        let memory = self.own("seen", SlotKind::Host { bytes });
        let [width, rows, slices] = region;
        self.step(Op::Write {
            at: memory.at(0),
            data: Data::Copy {
                from,
                region: [ELEMENT * width, rows, slices],
                apart,
                to_apart: Pitches::Close,
            },
        });
        let answer = self.builder.answer();
        self.step(Op::Read {
            from: memory.at(0),
            stretches: Stretches::whole(bytes),
            into: answer,
        });
        let same = Same::new(Unit::Word, Contents::Words(wanted), false);
        self.must(says, That::Bytes(answer, Want::Same(same)));
    }

    /// Fills a part of an image, and maps it so often for reading: what is seen through each map, and in memory of the
    /// program's own that it uses, is what is in the image.
    fn maps_of_image(
        &mut self,
        queue: Slot,
        (slot, image): (Slot, &Described),
        mut words: Vec<u32>,
        used: Option<Slot>,
        maps: usize,
    ) {
        if maps == 0 {
            return;
        }
        let (origin, region) = image.region(1);
        let colour = Value::words(FILLED);
        let (from, size) = (Value::sizes(origin), Value::sizes(region));
        let fill = values![slot, colour, from, size];
        let function = Function::EnqueueFillImage;
        self.step(Call::enqueue(function, queue, fill, &[], None));
        for row in image.rows(origin, region) {
            words[row].fill(u32::from_ne_bytes(FILLED));
        }
        let mut open: Vec<Map> = Vec::new();
        for n in 0..maps {
            let (origin, region) = image.region(n);
            // Of maps of several sizes at one place nothing says which of them an unmap ends.
            let same = open.iter().find(|map| map.origin == origin);
            let region = same.map_or(region, |map| map.region);
            let (row, slice) = (self.builder.answer(), self.builder.answer());
            let (from, size) = (Value::sizes(origin), Value::sizes(region));
            // "For a 1D and 2D image" nothing need be asked.
            let asked = match image.shape {
                Shape::Line | Shape::Plane if n % 2 == 1 => Value::Null,
                _ => Value::Answer(slice, 8),
            };
            let (all, at) = (cl::CL_MAP_READ, self.own("map", SlotKind::Address));
            let of = values![slot, true, all, from, size, Value::Answer(row, 8), asked];
            let function = Function::EnqueueMapImage;
            self.step(Call::enqueue(function, queue, of, &[], None).makes(at));
            let pitches = match image.shape {
                // What is only one row or slice begins where it is.
                Shape::Line | Shape::Plane => Pitches::Answered(row, row),
                Shape::Lines => Pitches::Answered(slice, slice),
                Shape::Block | Shape::Planes => Pitches::Answered(row, slice),
            };
            open.push(Map {
                at,
                origin,
                region,
                pitches,
            });
            self.is_mapped(slot, open.len());
            if let Some(memory) = used {
                let wanted = image.part(&words, origin, region);
                let apart = Pitches::Given(image.pitches[0], image.pitches[1]);
                let says = "what is in the memory that a mapped image uses";
                self.are_elements(memory.at(image.byte(origin)), region, apart, wanted, says);
            }
        }
        while !open.is_empty() {
            for map in &open {
                let wanted = image.part(&words, map.origin, map.region);
                let says = "what is seen through a map of an image";
                self.are_elements(map.at.at(0), map.region, map.pitches, wanted, says);
            }
            let map = open.remove(open.len() / 2);
            let of = values![slot, map.at];
            let function = Function::EnqueueUnmapMemObject;
            self.step(Call::enqueue(function, queue, of, &[], None));
            self.step(finish(queue));
            self.is_mapped(slot, open.len());
        }
    }
}
