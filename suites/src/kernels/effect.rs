//! What transfers leave behind, by whatever function.

use super::case::{KernelCase, Place};
use super::image::{Image, Spot};
use super::transfer::{Bytes, Corner, Pattern, Region, Transfer};

/// What a transfer leaves behind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect<'t> {
    /// The bytes of one place at another.
    Bytes(Bytes),
    /// A pattern again and again.
    Pattern {
        /// The pattern.
        pattern: &'t [u8],
        /// Where it begins.
        to: Place,
        /// How much.
        bytes: usize,
    },
    /// The bytes of one rectangle in another: of a row, rows, slices.
    Rectangle(Region<Corner, Corner>),
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
    let image = case.objects.get(at.object.index())?.kind.image()?;
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

impl Spot {
    /// The same place in the image's bytes, as rectangles speak of it.
    pub fn corner(self, image: Image) -> Corner {
        let [w, h, _] = image.shape.size();
        let element = image.format.bytes();
        let [x, y, z] = self.origin;
        let row = w.saturating_mul(element);
        Corner {
            object: self.object,
            origin: [x.saturating_mul(element), y, z],
            row,
            slice: row.saturating_mul(h),
        }
    }
}

impl Transfer {
    /// What it leaves behind; none where an image that it speaks of is none.
    pub fn effect(&self, case: &KernelCase) -> Option<Effect<'_>> {
        let rectangle = |from: Corner, to: Corner, region: [usize; 3]| {
            Some(Effect::Rectangle(Region { from, to, region }))
        };
        let out = |from: Spot, region: &[usize; 3], to: Corner| {
            let (_, from, region) = in_image(case, from, region)?;
            rectangle(from, to, region)
        };
        let into = |to: Spot, region: &[usize; 3], from: Corner| {
            let (_, to, region) = in_image(case, to, region)?;
            rectangle(from, to, region)
        };
        match self {
            Transfer::Read(bytes)
            | Transfer::Write(bytes)
            | Transfer::Copy(bytes)
            | Transfer::MapRead(bytes)
            | Transfer::SvmCopy(bytes) => Some(Effect::Bytes(*bytes)),
            &Transfer::MapWrite {
                from, to, bytes, ..
            } => Some(Effect::Bytes(Bytes { from, to, bytes })),
            Transfer::Fill(Pattern { pattern, to, bytes })
            | Transfer::SvmFill(Pattern { pattern, to, bytes })
            | Transfer::Renew {
                pattern, to, bytes, ..
            } => {
                let (to, bytes) = (*to, *bytes);
                Some(Effect::Pattern { pattern, to, bytes })
            }
            Transfer::ReadRect(region)
            | Transfer::WriteRect(region)
            | Transfer::CopyRect(region) => Some(Effect::Rectangle(*region)),
            Transfer::FillImage { colour, to, region } => {
                let (image, to, region) = in_image(case, *to, region)?;
                Some(Effect::Elements {
                    element: image.format.encode(*colour),
                    to,
                    region,
                })
            }
            Transfer::ReadImage(Region { from, to, region }) => out(*from, region, *to),
            Transfer::WriteImage(Region { from, to, region }) => into(*to, region, *from),
            Transfer::CopyImage(Region { from, to, region }) => {
                let (_, to, _) = in_image(case, *to, region)?;
                out(*from, region, to)
            }
            Transfer::CopyImageToBuffer(Region { from, to, region })
            | Transfer::MapReadImage(Region { from, to, region }) => out(*from, region, close(*to)),
            Transfer::CopyBufferToImage(Region { from, to, region })
            | Transfer::MapWriteImage {
                from, to, region, ..
            } => into(*to, region, close(*from)),
        }
    }
}
