//! What an image must hold: elements by coordinates, without pitches.

use opencl_sys::*;

use crate::rig::{Stream, desc};

/// An image as the specification describes it.
#[derive(Clone)]
pub struct Model {
    pub kind: cl_mem_object_type,
    /// Sides in the coordinates of origins and regions.
    pub sides: [usize; 3],
    pub element: usize,
    pub bytes: Vec<u8>,
}

pub const KINDS: [cl_mem_object_type; 5] = [
    CL_MEM_OBJECT_IMAGE1D,
    CL_MEM_OBJECT_IMAGE1D_ARRAY,
    CL_MEM_OBJECT_IMAGE2D,
    CL_MEM_OBJECT_IMAGE2D_ARRAY,
    CL_MEM_OBJECT_IMAGE3D,
];

impl Model {
    pub fn random(kind: cl_mem_object_type, element: usize, stream: &mut Stream) -> Self {
        let dimensions = match kind {
            CL_MEM_OBJECT_IMAGE1D => 1,
            CL_MEM_OBJECT_IMAGE1D_ARRAY | CL_MEM_OBJECT_IMAGE2D => 2,
            _ => 3,
        };
        let sides: [usize; 3] = std::array::from_fn(|n| {
            if n < dimensions {
                1 + stream.below(9)
            } else {
                1
            }
        });
        let bytes = stream.bytes(sides.iter().product::<usize>() * element);
        Self {
            kind,
            sides,
            element,
            bytes,
        }
    }

    pub fn desc(&self) -> cl_image_desc {
        let images = match self.kind {
            CL_MEM_OBJECT_IMAGE1D_ARRAY => self.sides[1],
            CL_MEM_OBJECT_IMAGE2D_ARRAY => self.sides[2],
            _ => 0,
        };
        desc(self.kind, self.sides, images)
    }

    pub fn has_slices(&self) -> bool {
        self.kind != CL_MEM_OBJECT_IMAGE1D && self.kind != CL_MEM_OBJECT_IMAGE2D
    }

    /// A random region inside.
    pub fn region(&self, stream: &mut Stream) -> ([usize; 3], [usize; 3]) {
        let origin: [usize; 3] = std::array::from_fn(|n| stream.below(self.sides[n]));
        let region = std::array::from_fn(|n| 1 + stream.below(self.sides[n] - origin[n]));
        (origin, region)
    }

    fn at(&self, [x, y, z]: [usize; 3]) -> usize {
        ((z * self.sides[1] + y) * self.sides[0] + x) * self.element
    }

    /// Calls with each element's coordinates within the region and its place in `bytes`.
    pub fn each(
        &self,
        origin: [usize; 3],
        region: [usize; 3],
        mut call: impl FnMut([usize; 3], usize),
    ) {
        for z in 0..region[2] {
            for y in 0..region[1] {
                for x in 0..region[0] {
                    let at = self.at([origin[0] + x, origin[1] + y, origin[2] + z]);
                    call([x, y, z], at);
                }
            }
        }
    }

    /// The elements of a region, without gaps.
    pub fn taken(&self, origin: [usize; 3], region: [usize; 3]) -> Vec<u8> {
        let mut out = Vec::new();
        self.each(origin, region, |_, at| {
            out.extend_from_slice(&self.bytes[at..at + self.element]);
        });
        out
    }

    /// Puts elements without gaps into a region.
    pub fn put(&mut self, origin: [usize; 3], region: [usize; 3], elements: &[u8]) {
        let mut places = Vec::new();
        self.each(origin, region, |_, at| places.push(at));
        for (at, element) in places.into_iter().zip(elements.chunks_exact(self.element)) {
            self.bytes[at..at + element.len()].copy_from_slice(element);
        }
    }
}
