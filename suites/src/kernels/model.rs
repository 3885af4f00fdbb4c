//! What transfers and the host leave in memory.

use super::case::{KernelCase, Kind, ObjectId, Place, Step};
use super::transfer::{Corner, Effect, Transfer};

/// The bytes of every object.
#[derive(Debug, Clone)]
pub struct Model<'a> {
    case: &'a KernelCase,
    /// None for sub-buffers, whose bytes are their parents'.
    memory: Vec<Vec<u8>>,
}

impl Model<'_> {
    /// The memory of a valid case at its beginning.
    pub fn new(case: &KernelCase) -> Model<'_> {
        let memory = case
            .objects
            .iter()
            .map(|object| match object.kind {
                Kind::SubBuffer { .. } | Kind::Pipe { .. } => Vec::new(),
                Kind::Buffer
                | Kind::SvmCoarse
                | Kind::SvmFine
                | Kind::SvmAtomics
                | Kind::Host
                | Kind::Image(_) => object.contents.bytes(object.bytes),
            })
            .collect();
        Model { case, memory }
    }

    /// What a step of the host does to it; what kernels do is not known here.
    pub fn step(&mut self, step: &Step) {
        match step {
            Step::Move(moved) if moved.code == 0 => self.transfer(&moved.what),
            Step::Host {
                at,
                bytes,
                contents,
            } => self.write(*at, &contents.bytes(*bytes)),
            Step::Move(_)
            | Step::Launch(_)
            | Step::Finish
            | Step::Talk { .. }
            | Step::AskSubGroups { .. }
            | Step::AskKernels { .. }
            | Step::Point { .. }
            | Step::Look { .. } => {}
        }
    }

    /// The bytes of an object.
    pub fn bytes(&self, object: ObjectId) -> Vec<u8> {
        let length = self.case.objects[object.index()].bytes;
        self.read(Place { object, byte: 0 }, length)
    }

    fn read(&self, at: Place, bytes: usize) -> Vec<u8> {
        let Place { object, byte } = self.case.root(at);
        self.memory[object.index()][byte..byte + bytes].to_vec()
    }

    fn write(&mut self, at: Place, bytes: &[u8]) {
        let Place { object, byte } = self.case.root(at);
        self.memory[object.index()][byte..byte + bytes.len()].copy_from_slice(bytes);
    }

    fn transfer(&mut self, what: &Transfer) {
        match what.effect(self.case) {
            Some(Effect::Bytes { from, to, bytes }) => {
                let data = self.read(from, bytes);
                self.write(to, &data);
            }
            Some(Effect::Pattern { pattern, to, bytes }) => {
                let data: Vec<u8> = pattern.iter().copied().cycle().take(bytes).collect();
                self.write(to, &data);
            }
            Some(Effect::Rectangle { from, to, region }) => self.rectangle(&from, &to, &region),
            Some(Effect::Elements {
                element,
                to,
                region,
            }) => {
                let row: Vec<u8> = element.iter().copied().cycle().take(region[0]).collect();
                for place in rows(&to, &region) {
                    self.write(place, &row);
                }
            }
            None => {}
        }
    }

    fn rectangle(&mut self, from: &Corner, to: &Corner, region: &[usize; 3]) {
        let rows: Vec<(Place, Vec<u8>)> = rows(to, region)
            .zip(rows(from, region))
            .map(|(to, from)| (to, self.read(from, region[0])))
            .collect();
        for (to, row) in rows {
            self.write(to, &row);
        }
    }
}

/// Where each row of a rectangle begins.
fn rows(corner: &Corner, region: &[usize; 3]) -> impl Iterator<Item = Place> + use<> {
    let (row, slice) = pitches(corner, region);
    let Corner { object, origin, .. } = *corner;
    let (rows, slices) = (region[1], region[2]);
    (0..slices).flat_map(move |z| {
        (0..rows).map(move |y| Place {
            object,
            byte: origin[0] + (origin[1] + y) * row + (origin[2] + z) * slice,
        })
    })
}

/// The pitches of a rectangle, where 0 means close.
pub(super) fn pitches(corner: &Corner, region: &[usize; 3]) -> (usize, usize) {
    let row = if corner.row == 0 {
        region[0]
    } else {
        corner.row
    };
    let slice = if corner.slice == 0 {
        row.saturating_mul(region[1])
    } else {
        corner.slice
    };
    (row, slice)
}
