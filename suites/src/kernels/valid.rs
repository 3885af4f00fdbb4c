//! Whether a case keeps to its objects.

use super::case::{
    Apart, Arg, Ids, KernelCase, Kind, Launch, ObjectId, Permutation, Place, Range,
    SUB_GROUP_FIELDS, Step, Want, Within,
};
use super::effect::{inside, kind};
use super::image::{Image, Shape};
use crate::host::exchange;

/// The most bytes of an object.
const MOST: usize = 1 << 28;

impl Apart {
    /// Whether an image can be made from memory with these pitches (Image Descriptor).
    fn fits(self, image: Image) -> bool {
        let [_, rows, slices] = image.shape.size();
        let Apart { row, slice } = self;
        let whole = |of: usize, all: usize| of > 0 && all.is_multiple_of(of);
        let close = image.row();
        let sliced = match image.shape {
            Shape::Line(_) => return false,
            Shape::Plane(..) => slice == 0,
            Shape::Lines(..) => whole(row, slice) && slice >= row,
            Shape::Block(..) | Shape::Planes(..) => {
                whole(row, slice) && row.checked_mul(rows).is_some_and(|all| slice >= all)
            }
        };
        let most = MOST / rows.max(slices).max(1);
        row >= close && whole(image.format.bytes(), row) && sliced && row.max(slice) <= most
    }
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
        let fits = |apart: Apart| match object.kind.image() {
            Some(image) => apart.fits(image),
            None => false,
        };
        if !object.apart.is_none_or(fits) {
            return Err(format!("rows of object {n} cannot stand so far apart"));
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
        if object.over.is_some() && (object.kind != Kind::Buffer || object.alloc_host) {
            return Err(format!(
                "object {n} is over memory of the host, and no buffer, or allocated there"
            ));
        }
        if own != Some(object.bytes) {
            return Err(format!(
                "object {n} does not have the bytes of its elements"
            ));
        }
    }
    if case.quit.is_some_and(|at| !inside(case, at, 4)) {
        return Err("the word of those who give up is in no object".into());
    }
    if case.source.is_empty() && (case.translated || !case.units.is_empty()) {
        return Err("there are further translation units, or a translation, and no source".into());
    }
    for (n, step) in case.steps.iter().enumerate() {
        let fits = match step {
            Step::Launch(launch) => launch_fits(case, launch, n),
            Step::Talk { acts, .. } => {
                let open = |at: Place| kind(case, at).is_some_and(open) && inside(case, at, 1);
                exchange::fits(acts, &open)
            }
            Step::Move(moved) => moved.fits(case),
            Step::Record(record) => record.fits(case),
            Step::Play(play) => case.play_fits(play, n),
            Step::Update(update) => case.changes_fit(update.record, &update.changes, n),
            Step::Again(again) => case.again_fits(again, n),
            Step::Finish | Step::Listen | Step::Printed { .. } => true,
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

fn addressed(case: &KernelCase, at: Place, bytes: usize) -> bool {
    inside(case, at, bytes) && kind(case, at).is_some_and(Kind::addressed)
}

/// One to three dimensions, and as many sizes as there are.
fn space_fits(range: &Range) -> bool {
    let dimensions = range.global.len();
    let same = |list: &Option<Vec<u64>>| list.as_ref().is_none_or(|l| l.len() == dimensions);
    (1..=3).contains(&dimensions) && same(&range.local) && same(&range.offset)
}

fn launch_fits(case: &KernelCase, launch: &Launch, step: usize) -> bool {
    let after = launch.after.iter().all(|n| {
        let before = case.steps.get(usize::from(*n));
        usize::from(*n) < step && matches!(before, Some(Step::Launch(l)) if l.code == 0)
    });
    let args = launch.args.iter().all(|arg| match arg {
        Arg::Object(id) => id.index() < case.objects.len(),
        Arg::Pointer(at) => addressed(case, *at, 0),
        Arg::Queue(queue) => usize::from(*queue) < case.device_queues.len(),
        Arg::Sampler(_) | Arg::Local(_) | Arg::Bytes(_) | Arg::Uint(_) | Arg::Ulong(_) => true,
    });
    let reaches = launch
        .reaches
        .iter()
        .all(|id| addressed(case, id.at(launch.reaches_at as usize), 1));
    space_fits(&launch.range)
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
        Want::Same(_) | Want::AsMoved | Want::Halves { .. } => true,
        Want::Within(Within { bytes, numbers }) => {
            matches!(bytes, 2 | 4 | 8) && bytes.saturating_mul(numbers.len()) <= length
        }
        Want::Permutation(Permutation {
            unit, count, step, ..
        }) => *step > 0 && count.saturating_mul(unit.bytes() as u64) <= length as u64,
        Want::Turns { groups } => u64::from(*groups).saturating_mul(8) <= length as u64,
        Want::Ids(Ids { range, times, .. }) => space_fits(range) && *times > 0,
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

/// Whether the host may use it while kernels do.
fn open(kind: Kind) -> bool {
    match kind {
        Kind::Buffer
        | Kind::SubBuffer { .. }
        | Kind::SvmCoarse
        | Kind::Image(_)
        | Kind::Pipe { .. } => false,
        Kind::SvmFine | Kind::SvmAtomics | Kind::Host => true,
    }
}
