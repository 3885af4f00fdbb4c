//! Transfers: the functions that move bytes and elements, and what they leave behind.

use super::case::{KernelCase, Kind, ObjectId, Place};
use super::image::{Image, Spot};
use crate::catalogue;
use crate::rule::RuleId;
use serde::{Deserialize, Serialize};

/// A rectangle's place and pitches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Corner {
    /// The object.
    pub object: ObjectId,
    /// Byte of the row, row, slice.
    pub origin: [usize; 3],
    /// Bytes from row to row; 0 for rows that follow each other closely.
    pub row: usize,
    /// Bytes from slice to slice; 0 for slices that follow each other closely.
    pub slice: usize,
}

/// A transfer and the code that it gives.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Move {
    /// What is moved.
    pub what: Transfer,
    /// The call blocks, where it can.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub blocking: bool,
    /// The code.
    #[serde(default)]
    pub code: i32,
    /// The rules that are broken where it gives another, if it should give an error.
    #[serde(
        default,
        deserialize_with = "catalogue::known",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub rules: Vec<RuleId>,
}

/// A transfer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Transfer {
    /// clEnqueueReadBuffer.
    Read {
        /// A buffer.
        from: Place,
        /// Memory of the host.
        to: Place,
        /// How much.
        bytes: usize,
    },
    /// clEnqueueWriteBuffer.
    Write {
        /// Memory of the host.
        from: Place,
        /// A buffer.
        to: Place,
        /// How much.
        bytes: usize,
    },
    /// clEnqueueCopyBuffer.
    Copy {
        /// A buffer.
        from: Place,
        /// A buffer.
        to: Place,
        /// How much.
        bytes: usize,
    },
    /// clEnqueueFillBuffer.
    Fill {
        /// The pattern.
        pattern: Vec<u8>,
        /// A buffer.
        to: Place,
        /// How much.
        bytes: usize,
    },
    /// clEnqueueReadBufferRect.
    ReadRect {
        /// A buffer.
        from: Corner,
        /// Memory of the host.
        to: Corner,
        /// Bytes of a row, rows, slices.
        region: [usize; 3],
    },
    /// clEnqueueWriteBufferRect.
    WriteRect {
        /// Memory of the host.
        from: Corner,
        /// A buffer.
        to: Corner,
        /// Bytes of a row, rows, slices.
        region: [usize; 3],
    },
    /// clEnqueueCopyBufferRect.
    CopyRect {
        /// A buffer.
        from: Corner,
        /// A buffer.
        to: Corner,
        /// Bytes of a row, rows, slices.
        region: [usize; 3],
    },
    /// A blocking clEnqueueMapBuffer for reading, the host's copy of what it sees, and the unmap.
    MapRead {
        /// A buffer.
        from: Place,
        /// Memory of the host.
        to: Place,
        /// How much.
        bytes: usize,
    },
    /// A blocking clEnqueueMapBuffer for writing, the host's copy into it, and the unmap.
    MapWrite {
        /// Memory of the host.
        from: Place,
        /// A buffer.
        to: Place,
        /// How much.
        bytes: usize,
        /// With CL_MAP_WRITE_INVALIDATE_REGION.
        invalidate: bool,
    },
    /// clEnqueueMigrateMemObjects of a whole buffer with CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED, and
    /// clEnqueueFillBuffer of all of it.
    Renew {
        /// The pattern.
        pattern: Vec<u8>,
        /// A buffer, from its first byte on.
        to: Place,
        /// All its bytes.
        bytes: usize,
        /// Migrated to the host, not to the queue's device.
        to_host: bool,
    },
    /// clEnqueueReadImage.
    ReadImage {
        /// An image.
        from: Spot,
        /// Memory of the host.
        to: Corner,
        /// Elements in each direction.
        region: [usize; 3],
    },
    /// clEnqueueWriteImage.
    WriteImage {
        /// Memory of the host.
        from: Corner,
        /// An image.
        to: Spot,
        /// Elements in each direction.
        region: [usize; 3],
    },
    /// clEnqueueCopyImage.
    CopyImage {
        /// An image.
        from: Spot,
        /// Another image of the same format.
        to: Spot,
        /// Elements in each direction.
        region: [usize; 3],
    },
    /// clEnqueueCopyImageToBuffer.
    CopyImageToBuffer {
        /// An image.
        from: Spot,
        /// A buffer.
        to: Place,
        /// Elements in each direction.
        region: [usize; 3],
    },
    /// clEnqueueCopyBufferToImage.
    CopyBufferToImage {
        /// A buffer.
        from: Place,
        /// An image.
        to: Spot,
        /// Elements in each direction.
        region: [usize; 3],
    },
    /// clEnqueueFillImage.
    FillImage {
        /// Red, green, blue and alpha, as whole numbers that the channels keep exactly.
        colour: [i64; 4],
        /// An image.
        to: Spot,
        /// Elements in each direction.
        region: [usize; 3],
    },
    /// A blocking clEnqueueMapImage for reading, the host's copy of what it sees, and the unmap.
    MapReadImage {
        /// An image.
        from: Spot,
        /// Memory of the host, without gaps.
        to: Place,
        /// Elements in each direction.
        region: [usize; 3],
    },
    /// A blocking clEnqueueMapImage for writing, the host's copy into it, and the unmap.
    MapWriteImage {
        /// Memory of the host, without gaps.
        from: Place,
        /// An image.
        to: Spot,
        /// Elements in each direction.
        region: [usize; 3],
        /// With CL_MAP_WRITE_INVALIDATE_REGION.
        invalidate: bool,
    },
    /// clEnqueueSVMMemcpy.
    SvmCopy {
        /// SVM or memory of the host.
        from: Place,
        /// SVM or memory of the host.
        to: Place,
        /// How much.
        bytes: usize,
    },
    /// clEnqueueSVMMemFill.
    SvmFill {
        /// The pattern.
        pattern: Vec<u8>,
        /// SVM.
        to: Place,
        /// How much.
        bytes: usize,
    },
}

/// What a transfer leaves behind, by whatever function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect<'t> {
    /// The bytes of one place at another.
    Bytes {
        /// The one.
        from: Place,
        /// The other.
        to: Place,
        /// How much.
        bytes: usize,
    },
    /// A pattern again and again.
    Pattern {
        /// The pattern.
        pattern: &'t [u8],
        /// Where it begins.
        to: Place,
        /// How much.
        bytes: usize,
    },
    /// The bytes of one rectangle in another.
    Rectangle {
        /// The one.
        from: Corner,
        /// The other.
        to: Corner,
        /// Bytes of a row, rows, slices.
        region: [usize; 3],
    },
    /// The bytes of one element again and again in the rows of a rectangle.
    Elements {
        /// The element.
        element: Vec<u8>,
        /// The rectangle.
        to: Corner,
        /// Bytes of a row, rows, slices.
        region: [usize; 3],
    },
}

/// The image of a place in one, that place in its bytes, and a region with bytes in its rows; none where
/// the object is no image.
pub fn in_image(
    case: &KernelCase,
    at: Spot,
    region: &[usize; 3],
) -> Option<(Image, Corner, [usize; 3])> {
    let Kind::Image(image) = case.objects.get(at.object.index())?.kind else {
        return None;
    };
    let bytes = region[0].saturating_mul(image.format.bytes());
    Some((image, at.corner(image), [bytes, region[1], region[2]]))
}

/// Bytes without gaps.
fn close(at: Place) -> Corner {
    Corner {
        object: at.object,
        origin: [at.byte, 0, 0],
        row: 0,
        slice: 0,
    }
}

impl Transfer {
    /// Whether it has to do with images.
    pub fn of_images(&self) -> bool {
        match self {
            Transfer::ReadImage { .. }
            | Transfer::WriteImage { .. }
            | Transfer::CopyImage { .. }
            | Transfer::CopyImageToBuffer { .. }
            | Transfer::CopyBufferToImage { .. }
            | Transfer::FillImage { .. }
            | Transfer::MapReadImage { .. }
            | Transfer::MapWriteImage { .. } => true,
            Transfer::Read { .. }
            | Transfer::Write { .. }
            | Transfer::Copy { .. }
            | Transfer::Fill { .. }
            | Transfer::ReadRect { .. }
            | Transfer::WriteRect { .. }
            | Transfer::CopyRect { .. }
            | Transfer::MapRead { .. }
            | Transfer::MapWrite { .. }
            | Transfer::Renew { .. }
            | Transfer::SvmCopy { .. }
            | Transfer::SvmFill { .. } => false,
        }
    }

    /// What it leaves behind; none where an image that it speaks of is none.
    pub fn effect(&self, case: &KernelCase) -> Option<Effect<'_>> {
        let out = |from: Spot, region: &[usize; 3], to: Corner| {
            let (_, from, region) = in_image(case, from, region)?;
            Some(Effect::Rectangle { from, to, region })
        };
        let into = |to: Spot, region: &[usize; 3], from: Corner| {
            let (_, to, region) = in_image(case, to, region)?;
            Some(Effect::Rectangle { from, to, region })
        };
        match self {
            Transfer::Read { from, to, bytes }
            | Transfer::Write { from, to, bytes }
            | Transfer::Copy { from, to, bytes }
            | Transfer::MapRead { from, to, bytes }
            | Transfer::MapWrite {
                from, to, bytes, ..
            }
            | Transfer::SvmCopy { from, to, bytes } => Some(Effect::Bytes {
                from: *from,
                to: *to,
                bytes: *bytes,
            }),
            Transfer::Fill { pattern, to, bytes }
            | Transfer::SvmFill { pattern, to, bytes }
            | Transfer::Renew {
                pattern, to, bytes, ..
            } => Some(Effect::Pattern {
                pattern,
                to: *to,
                bytes: *bytes,
            }),
            Transfer::ReadRect { from, to, region }
            | Transfer::WriteRect { from, to, region }
            | Transfer::CopyRect { from, to, region } => Some(Effect::Rectangle {
                from: *from,
                to: *to,
                region: *region,
            }),
            Transfer::FillImage { colour, to, region } => {
                let (image, to, region) = in_image(case, *to, region)?;
                Some(Effect::Elements {
                    element: image.format.encode(*colour),
                    to,
                    region,
                })
            }
            Transfer::ReadImage { from, to, region } => out(*from, region, *to),
            Transfer::WriteImage { from, to, region } => into(*to, region, *from),
            Transfer::CopyImage { from, to, region } => {
                let (_, to, _) = in_image(case, *to, region)?;
                out(*from, region, to)
            }
            Transfer::CopyImageToBuffer { from, to, region }
            | Transfer::MapReadImage { from, to, region } => out(*from, region, close(*to)),
            Transfer::CopyBufferToImage { from, to, region }
            | Transfer::MapWriteImage {
                from, to, region, ..
            } => into(*to, region, close(*from)),
        }
    }
}
