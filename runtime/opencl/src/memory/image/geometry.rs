//! The shape of an image: its kind, its sides, its pitches, and regions of it
//! (`opencl_runtime_layer`, Image Descriptor; Reading, Writing and Copying Image Objects).
//!
//! Whatever its kind, an image is seen here as rows of elements with three coordinates; the
//! second is the row, or for a 1D array the image; the third the slice, or for a 2D array
//! the image.

use opencl_sys::*;
use touchstone_faults::{Fault, on};

use crate::ffi::{Error, Result, codes, ensure};
use crate::memory::rect::Shape;
use crate::platform::limits::ImageLimits;

codes! {
    /// The kinds of images.
    Kind: cl_mem_object_type;
    /// One row.
    D1 = CL_MEM_OBJECT_IMAGE1D;
    /// One row, in a buffer.
    D1Buffer = CL_MEM_OBJECT_IMAGE1D_BUFFER;
    /// Rows that are images of their own.
    D1Array = CL_MEM_OBJECT_IMAGE1D_ARRAY;
    /// Rows.
    D2 = CL_MEM_OBJECT_IMAGE2D;
    /// Slices that are images of their own.
    D2Array = CL_MEM_OBJECT_IMAGE2D_ARRAY;
    /// Slices of rows.
    D3 = CL_MEM_OBJECT_IMAGE3D;
}

impl Kind {
    /// Whether it has slices or images, whose distance is the slice pitch.
    pub const fn has_slices(self) -> bool {
        match self {
            Self::D1 | Self::D1Buffer | Self::D2 => false,
            Self::D1Array | Self::D2Array | Self::D3 => true,
        }
    }
}

/// The shape of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Geometry {
    /// The kind.
    pub kind: Kind,
    /// Elements in each of the three coordinates; one in those that the kind has not.
    pub sides: [usize; 3],
    /// Bytes of an element.
    pub element: usize,
    /// Bytes from row to row.
    pub row_pitch: usize,
    /// Bytes from slice to slice or from image to image; zero for kinds without.
    pub slice_pitch: usize,
}

/// What memory an image is made in, as far as its pitches depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// New memory: pitches cannot be chosen.
    New,
    /// Memory that the application gave or that is copied, with pitches of its choice.
    Host,
    /// A buffer, with a row pitch of the application's choice.
    Buffer,
}

impl Geometry {
    /// The shape that a descriptor asks for.
    ///
    /// # Errors
    /// `CL_INVALID_IMAGE_SIZE` for a side that is zero or too long;
    /// `CL_INVALID_IMAGE_DESCRIPTOR` for pitches that do not fit, for a 2D image in a buffer
    /// `CL_INVALID_IMAGE_FORMAT_DESCRIPTOR`.
    pub fn new(
        desc: &cl_image_desc,
        kind: Kind,
        element: usize,
        source: Source,
        limits: &ImageLimits,
    ) -> Result<Self> {
        let (width, height) = (desc.image_width, desc.image_height);
        let (depth, images) = (desc.image_depth, desc.image_array_size);
        let [plane, volume] = [limits.side_2d, limits.side_3d];
        let (sides, most) = match kind {
            Kind::D1 => ([width, 1, 1], [plane, 1, 1]),
            Kind::D1Buffer => ([width, 1, 1], [limits.buffer, 1, 1]),
            Kind::D1Array => ([width, images, 1], [plane, limits.array, 1]),
            Kind::D2 => ([width, height, 1], [plane, plane, 1]),
            Kind::D2Array => ([width, height, images], [plane, plane, limits.array]),
            Kind::D3 => ([width, height, depth], [volume; 3]),
        };
        let fits = |(&side, most): (&usize, usize)| (1..=most).contains(&side);
        ensure!(sides.iter().zip(most).all(fits), CL_INVALID_IMAGE_SIZE);

        // No product of sides that fit can overflow, but pitches can be anything.
        let tight = width * element;
        let row_pitch = match desc.image_row_pitch {
            0 => tight,
            pitch => {
                let bad = match source {
                    Source::Buffer => CL_INVALID_IMAGE_FORMAT_DESCRIPTOR,
                    Source::New | Source::Host => CL_INVALID_IMAGE_DESCRIPTOR,
                };
                let fits = pitch >= tight && pitch.is_multiple_of(element);
                if source == Source::New || !fits {
                    return Err(Error(bad));
                }
                match source {
                    Source::Buffer if on(Fault::RowsCloser) => tight,
                    _ => pitch,
                }
            }
        };
        let rows = match kind {
            Kind::D1 | Kind::D1Buffer | Kind::D1Array => 1,
            Kind::D2 | Kind::D2Array | Kind::D3 => height,
        };
        let too_long = Error(CL_INVALID_IMAGE_DESCRIPTOR);
        let slice = row_pitch.checked_mul(rows).ok_or(too_long)?;
        let slice_pitch = match desc.image_slice_pitch {
            _ if !kind.has_slices() => 0,
            0 => slice,
            pitch => {
                let fits = pitch >= slice && pitch.is_multiple_of(row_pitch);
                ensure!(source != Source::New && fits, CL_INVALID_IMAGE_DESCRIPTOR);
                pitch
            }
        };
        let shape = Self {
            kind,
            sides,
            element,
            row_pitch,
            slice_pitch,
        };
        shape.checked_bytes().ok_or(too_long)?;
        Ok(shape)
    }

    fn checked_bytes(&self) -> Option<usize> {
        let [_, rows, slices] = self.sides;
        match self.kind {
            Kind::D1 | Kind::D1Buffer => Some(self.row_pitch),
            Kind::D1Array => self.slice_pitch.checked_mul(rows),
            Kind::D2 => self.row_pitch.checked_mul(rows),
            Kind::D2Array | Kind::D3 => self.slice_pitch.checked_mul(slices),
        }
    }

    /// Bytes of memory it takes.
    pub fn bytes(&self) -> usize {
        // Checked when it was made.
        self.checked_bytes().unwrap_or(usize::MAX)
    }

    /// Bytes from row to row and from slice to slice in the sense of this module.
    pub fn strides(&self) -> [usize; 2] {
        match self.kind {
            Kind::D1 | Kind::D1Buffer | Kind::D2 => [self.row_pitch, self.bytes()],
            Kind::D1Array => [self.slice_pitch, self.bytes()],
            Kind::D2Array | Kind::D3 => [self.row_pitch, self.slice_pitch],
        }
    }

    /// Checks that a region of elements lies in the image. Coordinates that the kind has not
    /// must be zero and sides one, which follows from its sides being one there.
    ///
    /// # Errors
    /// `CL_INVALID_VALUE`.
    pub fn check_region(&self, origin: [usize; 3], region: [usize; 3]) -> Result<()> {
        for ((start, length), side) in origin.into_iter().zip(region).zip(self.sides) {
            let end = start.checked_add(length);
            ensure!(length != 0, CL_INVALID_VALUE);
            ensure!(end.is_some_and(|end| end <= side), CL_INVALID_VALUE);
        }
        Ok(())
    }

    /// The region as bytes of the image's memory. It has passed [`Geometry::check_region`].
    pub fn shape(&self, origin: [usize; 3], region: [usize; 3]) -> Shape {
        let [x, y, z] = origin;
        let strides = self.strides();
        let start = x * self.element + y * strides[0] + z * strides[1];
        Shape::strided(start, self.in_bytes(region), strides)
    }

    /// A region with its width in bytes.
    pub fn in_bytes(&self, region: [usize; 3]) -> [usize; 3] {
        [region[0] * self.element, region[1], region[2]]
    }

    /// A region as it lies in host memory with the given pitches, zero for the tightest.
    ///
    /// # Errors
    /// `CL_INVALID_VALUE`.
    pub fn host_shape(
        &self,
        region: [usize; 3],
        row_pitch: usize,
        slice_pitch: usize,
    ) -> Result<Shape> {
        ensure!(slice_pitch == 0 || self.kind.has_slices(), CL_INVALID_VALUE);
        let bytes = self.in_bytes(region);
        let row_pitch = if row_pitch == 0 { bytes[0] } else { row_pitch };
        ensure!(row_pitch >= bytes[0], CL_INVALID_VALUE);
        let beyond = Error(CL_INVALID_VALUE);
        // What lies between two slices: the rows of one, or the row of a 1D array's image.
        let rows = match self.kind {
            Kind::D1 | Kind::D1Buffer | Kind::D1Array => 1,
            Kind::D2 | Kind::D2Array | Kind::D3 => region[1],
        };
        let slice = row_pitch.checked_mul(rows).ok_or(beyond)?;
        let slice_pitch = if slice_pitch == 0 { slice } else { slice_pitch };
        ensure!(slice_pitch >= slice, CL_INVALID_VALUE);
        let strides = match self.kind {
            Kind::D1Array if on(Fault::LinesCloser) => [row_pitch, 0],
            Kind::D1Array => [slice_pitch, 0],
            Kind::D1 | Kind::D1Buffer | Kind::D2 | Kind::D2Array | Kind::D3 => {
                [row_pitch, slice_pitch]
            }
        };
        let last = strides[0]
            .checked_mul(region[1] - 1)
            .zip(strides[1].checked_mul(region[2] - 1));
        let end = last.and_then(|(y, z)| y.checked_add(z)?.checked_add(bytes[0]));
        ensure!(end.is_some(), CL_INVALID_VALUE);
        Ok(Shape::strided(0, bytes, strides))
    }
}
