//! Transfers: the functions that move bytes and elements.

use super::image::Spot;
use crate::catalogue;
use crate::host::{Place, Slot as ObjectId};
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

/// The bytes of one place at another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bytes {
    /// The one.
    pub from: Place,
    /// The other.
    pub to: Place,
    /// How much.
    pub bytes: usize,
}

/// A pattern again and again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pattern {
    /// The pattern.
    pub pattern: Vec<u8>,
    /// Where it begins.
    pub to: Place,
    /// How much.
    pub bytes: usize,
}

/// A region of one object in another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Region<From, To> {
    /// Where it is in the one.
    pub from: From,
    /// Where it is in the other.
    pub to: To,
    /// Bytes of a row, rows, slices; of images elements in each direction.
    pub region: [usize; 3],
}

/// A transfer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Transfer {
    /// clEnqueueReadBuffer, from a buffer to memory of the host.
    Read(Bytes),
    /// clEnqueueWriteBuffer, from memory of the host to a buffer.
    Write(Bytes),
    /// clEnqueueCopyBuffer.
    Copy(Bytes),
    /// clEnqueueFillBuffer.
    Fill(Pattern),
    /// clEnqueueReadBufferRect, from a buffer to memory of the host.
    ReadRect(Region<Corner, Corner>),
    /// clEnqueueWriteBufferRect, from memory of the host to a buffer.
    WriteRect(Region<Corner, Corner>),
    /// clEnqueueCopyBufferRect.
    CopyRect(Region<Corner, Corner>),
    /// A blocking clEnqueueMapBuffer for reading, the host's copy of what it sees, and the unmap.
    MapRead(Bytes),
    /// The same, while the rest of the buffer from a byte on is mapped for reading, too.
    MapReadBeside {
        /// From a buffer to memory of the host.
        of: Bytes,
        /// Where the other map begins in the buffer.
        first: usize,
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
        /// Bytes before and behind these that are mapped too, and that the host leaves as they are.
        #[serde(default)]
        around: [usize; 2],
        /// With CL_MAP_READ as well.
        #[serde(default)]
        reads: bool,
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
    /// clEnqueueMigrateMemObjects of buffers and images, which keep their contents.
    Migrate {
        /// Which, at least one.
        objects: Vec<ObjectId>,
        /// To the host, not to the queue's device.
        to_host: bool,
    },
    /// clEnqueueReadImage, from an image to memory of the host.
    ReadImage(Region<Spot, Corner>),
    /// clEnqueueWriteImage, from memory of the host to an image.
    WriteImage(Region<Corner, Spot>),
    /// clEnqueueCopyImage, to another image of the same format.
    CopyImage(Region<Spot, Spot>),
    /// clEnqueueCopyImageToBuffer.
    CopyImageToBuffer(Region<Spot, Place>),
    /// clEnqueueCopyBufferToImage.
    CopyBufferToImage(Region<Place, Spot>),
    /// clEnqueueFillImage.
    FillImage {
        /// Red, green, blue and alpha, as whole numbers that the channels keep exactly.
        colour: [i64; 4],
        /// An image.
        to: Spot,
        /// Elements in each direction.
        region: [usize; 3],
    },
    /// A blocking clEnqueueMapImage for reading, the host's copy of what it sees to memory without gaps, and
    /// the unmap.
    MapReadImage(Region<Spot, Place>),
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
        /// Elements beyond these in each direction that are mapped too, and that the host leaves as they are.
        #[serde(default)]
        beyond: [usize; 3],
        /// With CL_MAP_READ as well.
        #[serde(default)]
        reads: bool,
    },
    /// clEnqueueSVMMemcpy, from and to SVM or memory of the host.
    SvmCopy(Bytes),
    /// clEnqueueSVMMemFill.
    SvmFill(Pattern),
    /// clEnqueueSVMMigrateMem of an allocation, which keeps its contents.
    SvmMigrate {
        /// The allocation, from its first byte on.
        of: Place,
        /// All its bytes.
        bytes: usize,
        /// Stretches of it, each a first byte and a length, 0 for all of the allocation; none for a list of pointers
        /// without lengths.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        parts: Vec<[usize; 2]>,
        /// To the host, not to the queue's device.
        to_host: bool,
    },
}
