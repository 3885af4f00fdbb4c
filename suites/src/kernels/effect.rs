//! What transfers leave behind, by whatever function, and whether they keep to their objects.

use super::case::{KernelCase, Kind, ObjectId, Place};
use super::image::{Image, Shape, Spot};
use super::transfer::{Bytes, Corner, Move, Pattern, Region, Transfer};

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

impl Corner {
    /// The rectangle of the host's memory that lies beside a region of an image: the lines of an array are slices
    /// there, "the size in bytes of [...] each image of a 1D or 2D image array", and rows in the image.
    fn beside(self, case: &KernelCase, at: Spot) -> Corner {
        let object = case.objects.get(at.object.index());
        match object.and_then(|object| object.kind.image()) {
            Some(image) if self.slice > 0 && matches!(image.shape, Shape::Lines(..)) => Corner {
                row: self.slice,
                slice: 0,
                ..self
            },
            _ => self,
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
            Transfer::MapReadBeside { of, .. } => Some(Effect::Bytes(*of)),
            &Transfer::MapWrite {
                from, to, bytes, ..
            } => Some(Effect::Bytes(Bytes { from, to, bytes })),
            &Transfer::SvmMigrate { of, bytes, .. } => Some(Effect::Bytes(Bytes {
                from: of,
                to: of,
                bytes,
            })),
            // As of all of them: each keeps what it has.
            Transfer::Migrate { objects, .. } => {
                let first = *objects.first()?;
                let (from, to) = (first.at(0), first.at(0));
                let bytes = case.objects.get(first.index())?.bytes;
                Some(Effect::Bytes(Bytes { from, to, bytes }))
            }
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
            Transfer::ReadImage(Region { from, to, region }) => {
                out(*from, region, to.beside(case, *from))
            }
            Transfer::WriteImage(Region { from, to, region }) => {
                into(*to, region, from.beside(case, *to))
            }
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

impl Move {
    /// Whether a transfer keeps to its objects, and has memory of the right kind beside images.
    pub fn fits(&self, case: &KernelCase) -> bool {
        let what = &self.what;
        let spot = |at: &Spot, region: &[usize; 3]| {
            in_image(case, *at, region).is_some_and(|(image, ..)| {
                let size = image.shape.size();
                (0..3).all(|d| region[d] > 0 && at.origin[d].saturating_add(region[d]) <= size[d])
            })
        };
        // Of what is beside an image, whether it is the host's, and the rectangle in it.
        let beside = |host: bool, object: ObjectId| {
            let right = kind(case, object.at(0)).is_some_and(|kind| match kind {
                Kind::Host => host,
                Kind::Buffer | Kind::SubBuffer { .. } => !host,
                Kind::SvmCoarse
                | Kind::SvmFine
                | Kind::SvmAtomics
                | Kind::Image(_)
                | Kind::Pipe { .. } => false,
            });
            let mut ends = ends(case, what).into_iter();
            right && ends.all(|(at, bytes)| at.object != object || inside(case, at, bytes))
        };
        match what {
            Transfer::FillImage { to, region, .. } => spot(to, region),
            Transfer::CopyImage(Region { from, to, region }) => {
                let format =
                    |at: &Spot| in_image(case, *at, region).map(|(image, ..)| image.format);
                spot(from, region) && spot(to, region) && format(from) == format(to)
            }
            Transfer::ReadImage(Region { from, to, region }) => {
                spot(from, region) && beside(true, to.object)
            }
            Transfer::MapReadImage(Region { from, to, region }) => {
                spot(from, region) && beside(true, to.object)
            }
            Transfer::CopyImageToBuffer(Region { from, to, region }) => {
                spot(from, region) && beside(false, to.object)
            }
            Transfer::WriteImage(Region { from, to, region }) => {
                spot(to, region) && beside(true, from.object)
            }
            Transfer::MapWriteImage {
                from, to, region, ..
            } => spot(to, region) && beside(true, from.object),
            Transfer::CopyBufferToImage(Region { from, to, region }) => {
                spot(to, region) && beside(false, from.object)
            }
            Transfer::MapReadBeside { of, first } => {
                let ends = [
                    (of.from, of.bytes),
                    (of.to, of.bytes),
                    (of.from.object.at(*first), 1),
                ];
                ends.into_iter().all(|(at, bytes)| inside(case, at, bytes))
            }
            // A call that must be refused may speak of bytes that a buffer lacks, but never of memory of
            // the host that is not there.
            Transfer::Read(_)
            | Transfer::Write(_)
            | Transfer::Copy(_)
            | Transfer::Fill(_)
            | Transfer::ReadRect(_)
            | Transfer::WriteRect(_)
            | Transfer::CopyRect(_)
            | Transfer::MapRead(_)
            | Transfer::MapWrite { .. }
            | Transfer::Renew { .. }
            | Transfer::SvmCopy(_)
            | Transfer::SvmFill(_) => ends(case, what).into_iter().all(|(at, bytes)| {
                let buffer = kind(case, at).is_some_and(|kind| !kind.addressed());
                inside(case, at, bytes) || self.code != 0 && buffer
            }),
            Transfer::Migrate { objects, .. } => {
                let one = |object: &ObjectId| {
                    kind(case, object.at(0)).is_some_and(|kind| match kind {
                        Kind::Buffer | Kind::SubBuffer { .. } | Kind::Image(_) => true,
                        Kind::Host
                        | Kind::SvmCoarse
                        | Kind::SvmFine
                        | Kind::SvmAtomics
                        | Kind::Pipe { .. } => false,
                    })
                };
                !objects.is_empty() && objects.iter().all(one)
            }
            Transfer::SvmMigrate {
                of, bytes, parts, ..
            } => {
                let one = |[first, bytes]: &[usize; 2]| {
                    inside(case, of.object.at(*first), (*bytes).max(1))
                };
                inside(case, *of, *bytes) && parts.iter().all(one)
            }
        }
    }
}

/// The stretches that a transfer touches.
fn ends(case: &KernelCase, what: &Transfer) -> Vec<(Place, usize)> {
    match what.effect(case) {
        Some(Effect::Bytes(Bytes { from, to, bytes })) => vec![(from, bytes), (to, bytes)],
        Some(Effect::Pattern { to, bytes, .. }) => vec![(to, bytes)],
        Some(Effect::Rectangle(Region { from, to, region })) => {
            [from, to].map(|corner| stretch(&corner, &region)).into()
        }
        Some(Effect::Elements { to, region, .. }) => vec![stretch(&to, &region)],
        None => Vec::new(),
    }
}

/// From the first byte of an object to the last of a rectangle in it.
fn stretch(corner: &Corner, region: &[usize; 3]) -> (Place, usize) {
    let (row, slice) = pitches(corner, region);
    let last = |origin: usize, count: usize| origin.saturating_add(count.saturating_sub(1));
    let end = corner.origin[0]
        .saturating_add(region[0])
        .saturating_add(last(corner.origin[1], region[1]).saturating_mul(row))
        .saturating_add(last(corner.origin[2], region[2]).saturating_mul(slice));
    (corner.object.at(0), end)
}

/// What a place is in; nothing where there is no such object.
pub(super) fn kind(case: &KernelCase, at: Place) -> Option<Kind> {
    case.objects.get(at.object.index()).map(|o| o.kind)
}

/// Whether so many bytes from a place on are in its object.
pub(super) fn inside(case: &KernelCase, at: Place, bytes: usize) -> bool {
    let object = case.objects.get(at.object.index());
    object.is_some_and(|o| at.byte.saturating_add(bytes) <= o.bytes)
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
