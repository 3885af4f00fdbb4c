//! Transfers: simulated a byte at a time, by the coordinates of the API, against the model that says what
//! looks want.

use super::super::model::Model;
use super::cases;
use crate::host::{Place, Slot};
use crate::kernels::case::{KernelCase, Kind, Step, Want};
use crate::kernels::image::{Shape, Spot};
use crate::kernels::transfer::{Bytes, Corner, Pattern, Region, Transfer};

/// A byte: of an object, and which.
type Byte = (Slot, usize);

/// The memory of a case.
struct Memory<'c> {
    case: &'c KernelCase,
    bytes: Vec<Vec<u8>>,
}

impl<'c> Memory<'c> {
    fn of(case: &'c KernelCase) -> Memory<'c> {
        let objects = case.objects.iter();
        let bytes = objects.map(|o| o.contents.bytes(o.bytes)).collect();
        let mut memory = Memory { case, bytes };
        for (n, object) in case.objects.iter().enumerate() {
            if matches!(object.kind, Kind::SubBuffer { .. }) {
                memory.bytes[n].clear();
            }
        }
        memory
    }

    /// A byte, counted from the beginning of an object, which may be a part of another.
    fn at(&mut self, object: Slot, byte: usize) -> &mut u8 {
        let (n, at) = match self.case.objects[object.index()].kind {
            Kind::SubBuffer { of, origin } => (of.index(), origin + byte),
            _ => (object.index(), byte),
        };
        &mut self.bytes[n][at]
    }

    fn object(&mut self, object: Slot) -> Vec<u8> {
        let length = self.case.objects[object.index()].bytes;
        (0..length).map(|n| *self.at(object, n)).collect()
    }

    /// Copies single bytes, all of which are read before one is written.
    fn copy(&mut self, pairs: &[(Byte, Byte)]) {
        let read: Vec<u8> = pairs
            .iter()
            .map(|(from, _)| *self.at(from.0, from.1))
            .collect();
        for ((_, to), byte) in pairs.iter().zip(read) {
            *self.at(to.0, to.1) = byte;
        }
    }

    fn bytes(&mut self, Bytes { from, to, bytes }: Bytes) {
        let pairs = (0..bytes).map(|n| ((from.object, from.byte + n), (to.object, to.byte + n)));
        self.copy(&pairs.collect::<Vec<_>>());
    }

    fn pattern(&mut self, pattern: &[u8], to: Place, bytes: usize) {
        for n in 0..bytes {
            *self.at(to.object, to.byte + n) = pattern[n % pattern.len()];
        }
    }

    /// The byte of an element of an image.
    fn element(&self, spot: Spot, at: [usize; 3], byte: usize) -> usize {
        let Kind::Image(image) = self.case.objects[spot.object.index()].kind else {
            panic!("an image")
        };
        let [w, h, _] = image.shape.size();
        let [x, y, z] = [0, 1, 2].map(|d| spot.origin[d] + at[d]);
        ((z * h + y) * w + x) * image.format.bytes() + byte
    }

    fn element_bytes(&self, spot: Spot) -> usize {
        let Kind::Image(image) = self.case.objects[spot.object.index()].kind else {
            panic!("an image")
        };
        image.format.bytes()
    }

    fn is_of_lines(&self, spot: Spot) -> bool {
        let kind = self.case.objects[spot.object.index()].kind;
        matches!(kind, Kind::Image(image) if matches!(image.shape, Shape::Lines(..)))
    }

    /// Copies a region of an image to or from memory, of which `beside` says where an element's bytes begin.
    fn image(
        &mut self,
        spot: Spot,
        region: [usize; 3],
        out: bool,
        beside: &dyn Fn([usize; 3]) -> Byte,
    ) {
        let size = self.element_bytes(spot);
        let mut pairs = Vec::new();
        for at in points(region) {
            let (object, start) = beside(at);
            for byte in 0..size {
                let inside = (spot.object, self.element(spot, at, byte));
                let outside = (object, start + byte);
                pairs.push(if out {
                    (inside, outside)
                } else {
                    (outside, inside)
                });
            }
        }
        self.copy(&pairs);
    }

    fn play(&mut self, what: &Transfer) {
        match what {
            Transfer::Read(bytes)
            | Transfer::Write(bytes)
            | Transfer::Copy(bytes)
            | Transfer::MapRead(bytes)
            | Transfer::SvmCopy(bytes) => self.bytes(*bytes),
            Transfer::MapReadBeside { of, .. } => self.bytes(*of),
            &Transfer::MapWrite {
                from, to, bytes, ..
            } => self.bytes(Bytes { from, to, bytes }),
            // What is migrated keeps its bytes.
            Transfer::Migrate { .. } | Transfer::SvmMigrate { .. } => {}
            Transfer::Fill(Pattern { pattern, to, bytes })
            | Transfer::SvmFill(Pattern { pattern, to, bytes })
            | Transfer::Renew {
                pattern, to, bytes, ..
            } => self.pattern(pattern, *to, *bytes),
            Transfer::ReadRect(moved) | Transfer::WriteRect(moved) | Transfer::CopyRect(moved) => {
                let Region { from, to, region } = *moved;
                let pairs: Vec<_> = points(region)
                    .map(|at| (rect(&from, region, at), rect(&to, region, at)))
                    .collect();
                self.copy(&pairs);
            }
            Transfer::FillImage { colour, to, region } => {
                let Kind::Image(image) = self.case.objects[to.object.index()].kind else {
                    panic!("an image")
                };
                let element = image.format.encode(*colour);
                for at in points(*region) {
                    for (n, byte) in element.iter().enumerate() {
                        let place = self.element(*to, at, n);
                        *self.at(to.object, place) = *byte;
                    }
                }
            }
            Transfer::ReadImage(Region { from, to, region }) => {
                let size = self.element_bytes(*from);
                let lines = self.is_of_lines(*from);
                self.image(*from, *region, true, &|at| {
                    host(to, *region, size, slices(lines, to, at))
                });
            }
            Transfer::WriteImage(Region { from, to, region }) => {
                let size = self.element_bytes(*to);
                let lines = self.is_of_lines(*to);
                self.image(*to, *region, false, &|at| {
                    host(from, *region, size, slices(lines, from, at))
                });
            }
            Transfer::CopyImage(Region { from, to, region }) => {
                let size = self.element_bytes(*from);
                let mut pairs = Vec::new();
                for at in points(*region) {
                    for n in 0..size {
                        let one = (from.object, self.element(*from, at, n));
                        pairs.push((one, (to.object, self.element(*to, at, n))));
                    }
                }
                self.copy(&pairs);
            }
            Transfer::CopyImageToBuffer(Region { from, to, region })
            | Transfer::MapReadImage(Region { from, to, region }) => {
                let size = self.element_bytes(*from);
                self.image(*from, *region, true, &|at| close(*to, *region, size, at));
            }
            Transfer::CopyBufferToImage(Region { from, to, region })
            | Transfer::MapWriteImage {
                from, to, region, ..
            } => {
                let size = self.element_bytes(*to);
                self.image(*to, *region, false, &|at| close(*from, *region, size, at));
            }
        }
    }
}

/// Every point of a region.
fn points(region: [usize; 3]) -> impl Iterator<Item = [usize; 3]> {
    let [w, h, d] = region;
    (0..w * h * d).map(move |n| [n % w, n / w % h, n / w / h])
}

/// A byte of a rectangle of a buffer (clEnqueueReadBufferRect): pitches of zero are those of the region.
fn rect(corner: &Corner, region: [usize; 3], at: [usize; 3]) -> Byte {
    let row = if corner.row == 0 {
        region[0]
    } else {
        corner.row
    };
    let slice = if corner.slice == 0 {
        region[1] * row
    } else {
        corner.slice
    };
    let [x, y, z] = [0, 1, 2].map(|d| corner.origin[d] + at[d]);
    (corner.object, z * slice + y * row + x)
}

/// Coordinates on the host of an element of a region: the images of an array of lines are its slices, where their pitch
/// is said.
fn slices(lines: bool, corner: &Corner, [x, y, z]: [usize; 3]) -> [usize; 3] {
    match lines && corner.slice > 0 {
        true => [x, 0, y],
        false => [x, y, z],
    }
}

/// An element of the host's memory (clEnqueueReadImage).
fn host(corner: &Corner, region: [usize; 3], size: usize, at: [usize; 3]) -> Byte {
    let row = if corner.row == 0 {
        region[0] * size
    } else {
        corner.row
    };
    let slice = if corner.slice == 0 {
        row * region[1]
    } else {
        corner.slice
    };
    (
        corner.object,
        corner.origin[0] + at[2] * slice + at[1] * row + at[0] * size,
    )
}

/// An element of memory without gaps.
fn close(place: Place, region: [usize; 3], size: usize, at: [usize; 3]) -> Byte {
    let number = (at[2] * region[1] + at[1]) * region[0] + at[0];
    (place.object, place.byte + number * size)
}

/// Plays the cases of a kind, and counts the transfers and the bytes that they changed.
fn agree(kind: &str, seeds: u64) -> (usize, usize) {
    let (mut transfers, mut changed) = (0, 0);
    for (name, case) in cases(kind, seeds) {
        let mut memory = Memory::of(&case);
        let mut model = Model::new(&case);
        let before = memory.bytes.concat();
        for step in &case.steps {
            if let Step::Move(moved) = step
                && moved.code == 0
            {
                memory.play(&moved.what);
                transfers += 1;
            }
            model.step(step);
            if let Step::Look { object, want, .. } = step {
                assert_eq!(*want, Want::AsMoved, "{name}");
                assert_eq!(
                    memory.object(*object),
                    model.bytes(*object),
                    "{name}: {object:?}"
                );
            }
        }
        let after = memory.bytes.concat();
        changed += before.iter().zip(&after).filter(|(a, b)| a != b).count();
    }
    (transfers, changed)
}

#[test]
fn transfers_of_bytes_leave_what_the_model_says() {
    for kind in ["transfer/buffer", "transfer/map", "transfer/svm"] {
        let (transfers, changed) = agree(kind, 40);
        assert!(
            transfers > 80 && changed > 1000,
            "{kind}: {transfers}, {changed}"
        );
    }
}

#[test]
fn rectangles_leave_what_the_model_says() {
    let (transfers, changed) = agree("transfer/rect", 80);
    assert!(transfers > 150 && changed > 1000, "{transfers}, {changed}");
}

#[test]
fn transfers_of_images_leave_what_the_model_says() {
    let (transfers, changed) = agree("image/transfer", 80);
    assert!(transfers > 250 && changed > 1000, "{transfers}, {changed}");
}

#[test]
fn refused_transfers_change_nothing() {
    let (transfers, changed) = agree("transfer/errors", 60);
    assert_eq!((transfers, changed), (0, 0));
}

/// Why a call must be refused (clEnqueueReadBuffer, clEnqueueCopyBuffer and the others: their lists of
/// errors), by the buffer's bytes.
fn refused(what: &Transfer, bytes: usize) -> Option<i32> {
    const INVALID_VALUE: i32 = -30;
    const MEM_COPY_OVERLAP: i32 = -8;
    let beyond = |at: Place, count: usize| at.byte + count > bytes;
    let meets = |a: usize, b: usize, count: usize| a < b + count && b < a + count;
    match what {
        Transfer::Read(b) => beyond(b.from, b.bytes).then_some(INVALID_VALUE),
        Transfer::Write(b) => beyond(b.to, b.bytes).then_some(INVALID_VALUE),
        Transfer::Copy(b) => meets(b.from.byte, b.to.byte, b.bytes).then_some(MEM_COPY_OVERLAP),
        Transfer::Fill(fill) => {
            let size = fill.pattern.len();
            let allowed = size.is_power_of_two() && size <= 128;
            let whole = fill.bytes % size == 0 && fill.to.byte % size == 0;
            (!allowed || !whole).then_some(INVALID_VALUE)
        }
        Transfer::CopyRect(moved) => {
            let cells = |corner: &Corner| {
                let all = points(moved.region).map(|at| rect(corner, moved.region, at).1);
                all.collect::<std::collections::BTreeSet<_>>()
            };
            let both = cells(&moved.from).intersection(&cells(&moved.to)).count();
            (both > 0).then_some(MEM_COPY_OVERLAP)
        }
        other => panic!("no error of {other:?}"),
    }
}

#[test]
fn transfers_are_refused_for_what_the_specification_lists() {
    let mut codes = std::collections::BTreeSet::new();
    for (name, case) in cases("transfer/errors", 120) {
        for step in &case.steps {
            if let Step::Move(moved) = step {
                let bytes = case.objects[0].bytes;
                let why = refused(&moved.what, bytes);
                let what = &moved.what;
                // Rectangles may overlap in their rows alone: then the specification's own test decides.
                let rows = matches!(what, Transfer::CopyRect(_)) && why.is_none();
                assert!(rows || why == Some(moved.code), "{name}: {what:?}");
                codes.insert(moved.code);
            }
        }
    }
    assert_eq!(codes.len(), 2, "{codes:?}");
}

#[test]
fn sub_buffers_lie_apart_and_copies_between_relatives_do_not_overlap() {
    for (name, case) in cases("transfer/buffer", 100) {
        let mut parts: Vec<(usize, usize)> = case
            .objects
            .iter()
            .filter_map(|object| match object.kind {
                Kind::SubBuffer { origin, .. } => Some((origin, origin + object.bytes)),
                _ => None,
            })
            .collect();
        parts.sort_unstable();
        assert!(
            parts.windows(2).all(|p| p[0].1 <= p[1].0),
            "{name}: {parts:?}"
        );
        for step in &case.steps {
            let Step::Move(moved) = step else { continue };
            let Transfer::Copy(Bytes { from, to, bytes }) = moved.what else {
                continue;
            };
            let (a, b) = (case.root(from), case.root(to));
            if a.object == b.object {
                let apart = a.byte + bytes <= b.byte || b.byte + bytes <= a.byte;
                assert!(apart, "{name}: {moved:?}");
            }
        }
    }
}

#[test]
fn the_host_does_not_write_from_where_it_reads_to() {
    for kind in ["transfer/buffer", "transfer/rect", "transfer/map"] {
        for (name, case) in cases(kind, 60) {
            let (mut sources, mut targets) = (Vec::new(), Vec::new());
            for step in &case.steps {
                let Step::Move(moved) = step else { continue };
                match &moved.what {
                    Transfer::Read(b)
                    | Transfer::MapRead(b)
                    | Transfer::MapReadBeside { of: b, .. } => targets.push(b.to.object),
                    Transfer::Write(b) => sources.push(b.from.object),
                    Transfer::MapWrite { from, .. } => sources.push(from.object),
                    Transfer::ReadRect(r) => targets.push(r.to.object),
                    Transfer::WriteRect(r) => sources.push(r.from.object),
                    _ => {}
                }
            }
            assert!(!sources.iter().any(|s| targets.contains(s)), "{name}");
            let host = |id: &Slot| case.objects[id.index()].kind == Kind::Host;
            assert!(sources.iter().chain(&targets).all(host), "{name}");
        }
    }
}
