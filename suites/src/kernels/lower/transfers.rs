//! Transfers: the calls that move bytes and elements.

use super::Lower;
use crate::host::constant::{Constant, cl};
use crate::host::*;
use crate::kernels::image::{Shape, Spot};
use crate::kernels::transfer::{Corner, Move, Transfer, in_image};

impl Lower<'_> {
    pub(super) fn transfer(&mut self, moved: &Move) {
        let calls = self.moving(&moved.what, moved.blocking.into());
        self.calls(calls, moved.code, &moved.rules);
    }

    /// A call of the first queue without a wait list and without an event.
    fn plain(&self, function: Function, arguments: Vec<Value>) -> Step {
        let mut all = vec![self.queues[0].into()];
        all.extend(arguments);
        all.extend([0_u32.into(), Value::Null, Value::Null]);
        let mut call = Call::new(function, []);
        call.arguments = all;
        call.into()
    }

    fn moving(&mut self, what: &Transfer, wait: Value) -> Vec<Step> {
        let one = |function, arguments: Vec<Value>| vec![self.plain(function, arguments)];
        let sizes = |list: [usize; 3]| Value::sizes(list);
        // Rectangles of the host begin at a byte of a row of some slice.
        let byte = |corner: &Corner| {
            let [byte, row, slice] = corner.origin;
            corner
                .object
                .at(byte + row * corner.row + slice * corner.slice)
        };
        match what {
            Transfer::Read { from, to, bytes } => {
                let (offset, size, to) = (from.byte.into(), (*bytes).into(), (*to).into());
                let all = vec![from.object.into(), wait, offset, size, to];
                one(Function::EnqueueReadBuffer, all)
            }
            Transfer::Write { from, to, bytes } => {
                let (offset, size, from) = (to.byte.into(), (*bytes).into(), (*from).into());
                let all = vec![to.object.into(), wait, offset, size, from];
                one(Function::EnqueueWriteBuffer, all)
            }
            Transfer::Copy { from, to, bytes } => {
                let (a, b) = (from.byte.into(), to.byte.into());
                let all = vec![from.object.into(), to.object.into(), a, b, (*bytes).into()];
                one(Function::EnqueueCopyBuffer, all)
            }
            Transfer::Fill { pattern, to, bytes } => vec![self.fill(pattern, *to, *bytes)],
            Transfer::Renew {
                pattern,
                to,
                bytes,
                to_host,
            } => {
                let mut flags = vec![cl::CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED];
                if *to_host {
                    flags.push(cl::CL_MIGRATE_MEM_OBJECT_HOST);
                }
                let list = Value::objects([to.object]);
                let all = vec![1_u32.into(), list, Value::Flags(flags)];
                let migrate = self.plain(Function::EnqueueMigrateMemObjects, all);
                vec![migrate, self.fill(pattern, *to, *bytes)]
            }
            Transfer::ReadRect { from, to, region } => {
                let mut all = vec![from.object.into(), wait];
                all.extend(rectangle(from, to, region));
                all.push(to.object.at(0).into());
                one(Function::EnqueueReadBufferRect, all)
            }
            Transfer::WriteRect { from, to, region } => {
                let mut all = vec![to.object.into(), wait];
                all.extend(rectangle(to, from, region));
                all.push(from.object.at(0).into());
                one(Function::EnqueueWriteBufferRect, all)
            }
            Transfer::CopyRect { from, to, region } => {
                let mut all = vec![from.object.into(), to.object.into()];
                all.extend(rectangle(from, to, region));
                one(Function::EnqueueCopyBufferRect, all)
            }
            Transfer::MapRead { from, to, bytes } => {
                self.map(*from, *bytes, cl::CL_MAP_READ, Some(*to), None)
            }
            Transfer::MapWrite {
                from,
                to,
                bytes,
                invalidate,
            } => self.map(*to, *bytes, writing(*invalidate), None, Some(*from)),
            Transfer::ReadImage { from, to, region } => {
                let (origin, region) = (sizes(from.origin), sizes(*region));
                let (row, slice) = (to.row.into(), to.slice.into());
                let (image, to) = (from.object.into(), byte(to).into());
                let all = vec![image, wait, origin, region, row, slice, to];
                one(Function::EnqueueReadImage, all)
            }
            Transfer::WriteImage { from, to, region } => {
                let (origin, region) = (sizes(to.origin), sizes(*region));
                let (row, slice) = (from.row.into(), from.slice.into());
                let (image, from) = (to.object.into(), byte(from).into());
                let all = vec![image, wait, origin, region, row, slice, from];
                one(Function::EnqueueWriteImage, all)
            }
            Transfer::CopyImage { from, to, region } => {
                let (a, b) = (sizes(from.origin), sizes(to.origin));
                let all = vec![from.object.into(), to.object.into(), a, b, sizes(*region)];
                one(Function::EnqueueCopyImage, all)
            }
            Transfer::CopyImageToBuffer { from, to, region } => {
                let (origin, region) = (sizes(from.origin), sizes(*region));
                let (image, buffer) = (from.object.into(), to.object.into());
                let all = vec![image, buffer, origin, region, to.byte.into()];
                one(Function::EnqueueCopyImageToBuffer, all)
            }
            Transfer::CopyBufferToImage { from, to, region } => {
                let (origin, region) = (sizes(to.origin), sizes(*region));
                let (buffer, image) = (from.object.into(), to.object.into());
                let all = vec![buffer, image, from.byte.into(), origin, region];
                one(Function::EnqueueCopyBufferToImage, all)
            }
            Transfer::FillImage { colour, to, region } => {
                let image = in_image(self.case, *to, region);
                let words = image.map(|(image, ..)| image.format.fill_words(*colour));
                let colour = Value::words(words.unwrap_or_default());
                let (origin, region) = (sizes(to.origin), sizes(*region));
                let all = vec![to.object.into(), colour, origin, region];
                one(Function::EnqueueFillImage, all)
            }
            Transfer::MapReadImage { from, to, region } => {
                self.map_image(*from, region, cl::CL_MAP_READ, Some(*to), None)
            }
            Transfer::MapWriteImage {
                from,
                to,
                region,
                invalidate,
            } => self.map_image(*to, region, writing(*invalidate), None, Some(*from)),
            Transfer::SvmCopy { from, to, bytes } => {
                let all = vec![wait, (*to).into(), (*from).into(), (*bytes).into()];
                one(Function::EnqueueSVMMemcpy, all)
            }
            Transfer::SvmFill { pattern, to, bytes } => {
                let (size, pattern) = (pattern.len().into(), Value::Bytes(pattern.clone()));
                let all = vec![(*to).into(), pattern, size, (*bytes).into()];
                one(Function::EnqueueSVMMemFill, all)
            }
        }
    }

    fn fill(&self, pattern: &[u8], to: Place, bytes: usize) -> Step {
        let (size, pattern) = (pattern.len().into(), Value::Bytes(pattern.to_vec()));
        let (offset, bytes) = (to.byte.into(), bytes.into());
        let all = vec![to.object.into(), pattern, size, offset, bytes];
        self.plain(Function::EnqueueFillBuffer, all)
    }

    /// Maps bytes of a buffer, copies them to a place of the host or from one, and unmaps them.
    fn map(
        &mut self,
        at: Place,
        bytes: usize,
        flags: Constant,
        to: Option<Place>,
        from: Option<Place>,
    ) -> Vec<Step> {
        let all = vec![
            at.object.into(),
            true.into(),
            flags.into(),
            at.byte.into(),
            bytes.into(),
        ];
        let map = self.plain(Function::EnqueueMapBuffer, all);
        let region = [bytes, 1, 1];
        self.while_mapped(map, at.object, region, Pitches::Close, to, from)
    }

    /// The same for a region of an image.
    fn map_image(
        &mut self,
        at: Spot,
        region: &[usize; 3],
        flags: Constant,
        to: Option<Place>,
        from: Option<Place>,
    ) -> Vec<Step> {
        let Some((image, _, rows)) = in_image(self.case, at, region) else {
            return Vec::new();
        };
        let (row, slice) = (self.b.answer(), self.b.answer());
        let all = vec![
            at.object.into(),
            true.into(),
            flags.into(),
            Value::sizes(at.origin),
            Value::sizes(*region),
            Value::Answer(row, 8),
            Value::Answer(slice, 8),
        ];
        let map = self.plain(Function::EnqueueMapImage, all);
        // The layers of an array of lines are slices.
        let pitches = match image.shape {
            Shape::Lines(..) => Pitches::Answered(slice, slice),
            Shape::Line(_) | Shape::Plane(..) | Shape::Block(..) | Shape::Planes(..) => {
                Pitches::Answered(row, slice)
            }
        };
        self.while_mapped(map, at.object, rows, pitches, to, from)
    }

    fn while_mapped(
        &mut self,
        mut map: Step,
        object: Slot,
        region: [usize; 3],
        pitches: Pitches,
        to: Option<Place>,
        from: Option<Place>,
    ) -> Vec<Step> {
        let name = format!("mapped_{}", self.steps.len());
        let mapped = self.b.slot(name, SlotKind::Address);
        if let Op::Call(call) = &mut map.op {
            call.made = Some(mapped);
        }
        let inside = mapped.at(0);
        let copy = |at: Place, from: Place, apart: Pitches, to_apart: Pitches| Op::Write {
            at,
            data: Data::Copy {
                from,
                region,
                apart,
                to_apart,
            },
        };
        let read = to.map(|to| copy(to, inside, pitches, Pitches::Close));
        let write = from.map(|from| copy(inside, from, Pitches::Close, pitches));
        let mut steps = vec![map];
        steps.extend(read.into_iter().chain(write).map(Step::from));
        let unmap = vec![object.into(), inside.into()];
        steps.push(self.plain(Function::EnqueueUnmapMemObject, unmap));
        steps
    }
}

fn writing(invalidate: bool) -> Constant {
    match invalidate {
        true => cl::CL_MAP_WRITE_INVALIDATE_REGION,
        false => cl::CL_MAP_WRITE,
    }
}

/// The origins, region and pitches of a rectangle of a buffer and of another.
fn rectangle(first: &Corner, second: &Corner, region: &[usize; 3]) -> Vec<Value> {
    vec![
        Value::sizes(first.origin),
        Value::sizes(second.origin),
        Value::sizes(*region),
        first.row.into(),
        first.slice.into(),
        second.row.into(),
        second.slice.into(),
    ]
}
