//! What transfers and the host leave in memory, and whether a case keeps to its objects.

use super::case::{
    Arg, Corner, KernelCase, Kind, Launch, ObjectId, Place, SUB_GROUP_FIELDS, Step, Transfer, Want,
};
use super::image::{Image, Spot};
use super::talk;

/// The most bytes of an object.
const MOST: usize = 1 << 28;

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

    fn root(&self, at: Place) -> (usize, usize) {
        match self.case.objects[at.object.index()].kind {
            Kind::SubBuffer { of, origin } => (of.index(), origin + at.byte),
            Kind::Buffer
            | Kind::SvmCoarse
            | Kind::SvmFine
            | Kind::SvmAtomics
            | Kind::Host
            | Kind::Image(_)
            | Kind::Pipe { .. } => (at.object.index(), at.byte),
        }
    }

    fn read(&self, at: Place, bytes: usize) -> Vec<u8> {
        let (object, byte) = self.root(at);
        self.memory[object][byte..byte + bytes].to_vec()
    }

    fn write(&mut self, at: Place, bytes: &[u8]) {
        let (object, byte) = self.root(at);
        self.memory[object][byte..byte + bytes.len()].copy_from_slice(bytes);
    }

    fn transfer(&mut self, what: &Transfer) {
        match what {
            Transfer::Read { from, to, bytes }
            | Transfer::Write { from, to, bytes }
            | Transfer::Copy { from, to, bytes }
            | Transfer::MapRead { from, to, bytes }
            | Transfer::MapWrite {
                from, to, bytes, ..
            }
            | Transfer::SvmCopy { from, to, bytes } => {
                let data = self.read(*from, *bytes);
                self.write(*to, &data);
            }
            Transfer::Fill { pattern, to, bytes } | Transfer::SvmFill { pattern, to, bytes } => {
                let data: Vec<u8> = pattern.iter().copied().cycle().take(*bytes).collect();
                self.write(*to, &data);
            }
            Transfer::ReadRect { from, to, region }
            | Transfer::WriteRect { from, to, region }
            | Transfer::CopyRect { from, to, region } => self.rectangle(from, to, region),
            Transfer::FillImage { colour, to, region } => {
                let Some((image, to, region)) = in_image(self.case, *to, region) else {
                    return;
                };
                let element = image.format.encode(*colour);
                let row: Vec<u8> = element.iter().copied().cycle().take(region[0]).collect();
                for place in rows(&to, &region) {
                    self.write(place, &row);
                }
            }
            Transfer::ReadImage { .. }
            | Transfer::WriteImage { .. }
            | Transfer::CopyImage { .. }
            | Transfer::CopyImageToBuffer { .. }
            | Transfer::CopyBufferToImage { .. }
            | Transfer::MapReadImage { .. }
            | Transfer::MapWriteImage { .. } => {
                if let Some((from, to, region)) = between_images(self.case, what) {
                    self.rectangle(&from, &to, &region);
                }
            }
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

/// The image of a place in one, that place in its bytes, and a region with bytes in its rows.
fn in_image(
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

/// A transfer from or to an image as one of rectangles; none where there is no image.
fn between_images(case: &KernelCase, what: &Transfer) -> Option<(Corner, Corner, [usize; 3])> {
    // Bytes without gaps.
    let close = |at: Place| Corner {
        object: at.object,
        origin: [at.byte, 0, 0],
        row: 0,
        slice: 0,
    };
    let out = |from: Spot, region: &[usize; 3], to: Corner| {
        in_image(case, from, region).map(|(_, from, region)| (from, to, region))
    };
    let into = |to: Spot, region: &[usize; 3], from: Corner| {
        in_image(case, to, region).map(|(_, to, region)| (from, to, region))
    };
    match what {
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
        Transfer::Read { .. }
        | Transfer::Write { .. }
        | Transfer::Copy { .. }
        | Transfer::Fill { .. }
        | Transfer::ReadRect { .. }
        | Transfer::WriteRect { .. }
        | Transfer::CopyRect { .. }
        | Transfer::MapRead { .. }
        | Transfer::MapWrite { .. }
        | Transfer::SvmCopy { .. }
        | Transfer::SvmFill { .. }
        | Transfer::FillImage { .. } => None,
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
fn pitches(corner: &Corner, region: &[usize; 3]) -> (usize, usize) {
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

/// Whether every place lies in its object; else what does not.
pub fn valid(case: &KernelCase) -> Result<(), String> {
    for (n, object) in case.objects.iter().enumerate() {
        if object.bytes == 0 || object.bytes > MOST {
            return Err(format!("object {n} has {} bytes", object.bytes));
        }
        if let Kind::SubBuffer { of, origin } = object.kind {
            let parent = case.objects.get(of.index()).filter(|_| of.index() < n);
            let fits = parent.is_some_and(|p| {
                p.kind == Kind::Buffer && origin.saturating_add(object.bytes) <= p.bytes
            });
            if !fits {
                return Err(format!("object {n} is no part of a buffer before it"));
            }
        }
        let own = match object.kind {
            Kind::Image(image) => Some(image.bytes()),
            Kind::Pipe { packet, packets } => (packet as usize).checked_mul(packets as usize),
            Kind::Buffer
            | Kind::SubBuffer { .. }
            | Kind::SvmCoarse
            | Kind::SvmFine
            | Kind::SvmAtomics
            | Kind::Host => Some(object.bytes),
        };
        if own != Some(object.bytes) {
            return Err(format!(
                "object {n} does not have the bytes of its elements"
            ));
        }
    }
    if case.quit.is_some_and(|at| !inside(case, at, 4)) {
        return Err("the word of those who give up is in no object".into());
    }
    for (n, step) in case.steps.iter().enumerate() {
        let fits = match step {
            Step::Launch(launch) => launch_fits(case, launch, n),
            Step::Talk { acts, .. } => talk::fits(case, acts),
            Step::Move(moved) if images(&moved.what) => image_move_fits(case, &moved.what),
            Step::Move(moved) => {
                // A call that must be refused may speak of bytes that a buffer lacks, but never of
                // memory of the host that is not there.
                ends(&moved.what).into_iter().all(|(at, bytes)| {
                    let buffer = kind(case, at).is_some_and(|kind| !kind.addressed());
                    inside(case, at, bytes) || moved.code != 0 && buffer
                })
            }
            Step::Finish => true,
            Step::Host { at, bytes, .. } => addressed(case, *at, *bytes),
            Step::Point { at, to } => {
                addressed(case, *at, 8) && to.is_none_or(|to| addressed(case, to, 0))
            }
            Step::AskSubGroups { local, .. } => (1..=3).contains(&local.len()),
            Step::AskKernels { .. } => true,
            Step::Look { object, want, .. } => look_fits(case, n, *object, want),
        };
        if !fits {
            return Err(format!("step {n} leaves its objects"));
        }
    }
    Ok(())
}

fn kind(case: &KernelCase, at: Place) -> Option<Kind> {
    case.objects.get(at.object.index()).map(|o| o.kind)
}

fn inside(case: &KernelCase, at: Place, bytes: usize) -> bool {
    let object = case.objects.get(at.object.index());
    object.is_some_and(|o| at.byte.saturating_add(bytes) <= o.bytes)
}

fn addressed(case: &KernelCase, at: Place, bytes: usize) -> bool {
    inside(case, at, bytes) && kind(case, at).is_some_and(Kind::addressed)
}

fn launch_fits(case: &KernelCase, launch: &Launch, step: usize) -> bool {
    let after = launch.after.iter().all(|n| {
        let before = case.steps.get(usize::from(*n));
        usize::from(*n) < step && matches!(before, Some(Step::Launch(l)) if l.code == 0)
    });
    let range = &launch.range;
    let dimensions = range.global.len();
    let same = |list: &Option<Vec<u64>>| list.as_ref().is_none_or(|l| l.len() == dimensions);
    let args = launch.args.iter().all(|arg| match arg {
        Arg::Object(id) => id.index() < case.objects.len(),
        Arg::Pointer(at) => addressed(case, *at, 0),
        Arg::Queue(queue) => usize::from(*queue) < case.device_queues.len(),
        Arg::Sampler(_) | Arg::Local(_) | Arg::Bytes(_) | Arg::Uint(_) | Arg::Ulong(_) => true,
    });
    let reaches = launch.reaches.iter().all(|id| {
        let at = Place {
            object: *id,
            byte: 0,
        };
        addressed(case, at, 0)
    });
    (1..=3).contains(&dimensions)
        && same(&range.local)
        && same(&range.offset)
        && args
        && reaches
        && after
        && usize::from(launch.queue) <= case.queues.len()
}

fn look_fits(case: &KernelCase, step: usize, object: ObjectId, want: &Want) -> bool {
    let Some(object) = case.objects.get(object.index()) else {
        return false;
    };
    if matches!(object.kind, Kind::Pipe { .. }) {
        return false;
    }
    let length = object.bytes;
    match want {
        Want::Same { .. } | Want::AsMoved | Want::Halves { .. } => true,
        Want::Permutation {
            unit, count, step, ..
        } => *step > 0 && count.saturating_mul(unit.bytes() as u64) <= length as u64,
        Want::Ids { range, times, .. } => {
            let dimensions = range.global.len();
            let same =
                |list: &Option<Vec<u64>>| list.as_ref().is_none_or(|l| l.len() == dimensions);
            (1..=3).contains(&dimensions) && same(&range.local) && same(&range.offset) && *times > 0
        }
        Want::SubGroups { asked, groups } => {
            let ask = case.steps.get(*asked).filter(|_| *asked < step);
            let items: u64 = groups.iter().map(|g| u64::from(*g)).sum();
            matches!(ask, Some(Step::AskSubGroups { .. }))
                && items.saturating_mul(4 * SUB_GROUP_FIELDS as u64) <= length as u64
        }
        Want::Pointers(list) => list.iter().all(|(at, to)| {
            at.saturating_add(8) <= length && to.is_none_or(|to| addressed(case, to, 0))
        }),
    }
}

/// Whether a transfer has to do with images.
fn images(what: &Transfer) -> bool {
    match what {
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
        | Transfer::SvmCopy { .. }
        | Transfer::SvmFill { .. } => false,
    }
}

/// Whether a transfer of images keeps to them, and to memory of the right kind beside them.
fn image_move_fits(case: &KernelCase, what: &Transfer) -> bool {
    let spot = |at: &Spot, region: &[usize; 3]| {
        in_image(case, *at, region).is_some_and(|(image, ..)| {
            let size = image.shape.size();
            (0..3).all(|d| region[d] > 0 && at.origin[d].saturating_add(region[d]) <= size[d])
        })
    };
    let rectangle = |corner: &Corner, region: &[usize; 3]| {
        let (at, bytes) = stretch(corner, region);
        inside(case, at, bytes)
    };
    let beside = |corner: &Corner, host: bool, region: &[usize; 3]| {
        let at = Place {
            object: corner.object,
            byte: 0,
        };
        let right = kind(case, at).is_some_and(|kind| match kind {
            Kind::Host => host,
            Kind::Buffer | Kind::SubBuffer { .. } => !host,
            Kind::SvmCoarse
            | Kind::SvmFine
            | Kind::SvmAtomics
            | Kind::Image(_)
            | Kind::Pipe { .. } => false,
        });
        right && rectangle(corner, region)
    };
    match what {
        Transfer::FillImage { to, region, .. } => spot(to, region),
        Transfer::CopyImage { from, to, region } => {
            let format = |at: &Spot| in_image(case, *at, region).map(|(image, ..)| image.format);
            spot(from, region) && spot(to, region) && format(from) == format(to)
        }
        Transfer::ReadImage { from, region, .. }
        | Transfer::MapReadImage { from, region, .. }
        | Transfer::CopyImageToBuffer { from, region, .. } => {
            let host = !matches!(what, Transfer::CopyImageToBuffer { .. });
            spot(from, region)
                && between_images(case, what).is_some_and(|(_, to, r)| beside(&to, host, &r))
        }
        Transfer::WriteImage { to, region, .. }
        | Transfer::MapWriteImage { to, region, .. }
        | Transfer::CopyBufferToImage { to, region, .. } => {
            let host = !matches!(what, Transfer::CopyBufferToImage { .. });
            spot(to, region)
                && between_images(case, what).is_some_and(|(from, _, r)| beside(&from, host, &r))
        }
        Transfer::Read { .. }
        | Transfer::Write { .. }
        | Transfer::Copy { .. }
        | Transfer::Fill { .. }
        | Transfer::ReadRect { .. }
        | Transfer::WriteRect { .. }
        | Transfer::CopyRect { .. }
        | Transfer::MapRead { .. }
        | Transfer::MapWrite { .. }
        | Transfer::SvmCopy { .. }
        | Transfer::SvmFill { .. } => false,
    }
}

/// The stretches that a transfer of buffers touches.
fn ends(what: &Transfer) -> Vec<(Place, usize)> {
    match what {
        Transfer::Read { from, to, bytes }
        | Transfer::Write { from, to, bytes }
        | Transfer::Copy { from, to, bytes }
        | Transfer::MapRead { from, to, bytes }
        | Transfer::MapWrite {
            from, to, bytes, ..
        }
        | Transfer::SvmCopy { from, to, bytes } => vec![(*from, *bytes), (*to, *bytes)],
        Transfer::Fill { to, bytes, .. } | Transfer::SvmFill { to, bytes, .. } => {
            vec![(*to, *bytes)]
        }
        Transfer::ReadRect { from, to, region }
        | Transfer::WriteRect { from, to, region }
        | Transfer::CopyRect { from, to, region } => {
            [from, to].map(|corner| stretch(corner, region)).into()
        }
        Transfer::ReadImage { .. }
        | Transfer::WriteImage { .. }
        | Transfer::CopyImage { .. }
        | Transfer::CopyImageToBuffer { .. }
        | Transfer::CopyBufferToImage { .. }
        | Transfer::FillImage { .. }
        | Transfer::MapReadImage { .. }
        | Transfer::MapWriteImage { .. } => Vec::new(),
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
    let at = Place {
        object: corner.object,
        byte: 0,
    };
    (at, end)
}
