//! Transfers: the calls that move bytes and elements.

use super::Lower;
use crate::host::check::{Check, Right, That};
use crate::host::constant::cl;
use crate::host::*;
use crate::kernels::effect::in_image;
use crate::kernels::image::{Shape, Spot};
use crate::kernels::transfer::{Bytes, Corner, Move, Pattern, Region, Transfer};
use crate::rule;

impl Lower<'_> {
    pub(super) fn transfer(&mut self, moved: &Move) {
        self.timing = self.case.profiled && moved.code == 0;
        let calls = self.moving(&moved.what, moved.blocking.into());
        self.timing = false;
        self.calls(calls, moved.code, &moved.rules);
    }

    /// A call of the first queue without a wait list and without an event.
    pub(super) fn plain(&self, function: Function, arguments: Vec<Value>) -> Step {
        Call::enqueue(function, self.queues[0], arguments, &[], None).into()
    }

    /// The calls of a transfer, of which those that can block do so as `wait` says.
    pub(super) fn moving(&mut self, what: &Transfer, wait: Value) -> Vec<Step> {
        let sizes = |list: [usize; 3]| Value::sizes(list);
        let (function, all) = match what {
            Transfer::Read(Bytes { from, to, bytes }) => {
                let all = values![from.object, wait, from.byte, *bytes, *to];
                (Function::EnqueueReadBuffer, all)
            }
            Transfer::Write(Bytes { from, to, bytes }) => {
                let all = values![to.object, wait, to.byte, *bytes, *from];
                (Function::EnqueueWriteBuffer, all)
            }
            Transfer::Copy(Bytes { from, to, bytes }) => {
                let all = values![from.object, to.object, from.byte, to.byte, *bytes];
                (Function::EnqueueCopyBuffer, all)
            }
            Transfer::Fill(Pattern { pattern, to, bytes }) => {
                return vec![self.fill(pattern, *to, *bytes)];
            }
            Transfer::Renew {
                pattern,
                to,
                bytes,
                to_host,
            } => {
                let mut flags = vec![cl::CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED];
                flags.extend(to_host.then_some(cl::CL_MIGRATE_MEM_OBJECT_HOST));
                let all = values![1, Value::objects([to.object]), Value::Flags(flags)];
                let migrate = self.timed(Function::EnqueueMigrateMemObjects, all);
                return vec![migrate, self.fill(pattern, *to, *bytes)];
            }
            Transfer::Migrate { objects, to_host } => {
                let flags = to_host.then_some(cl::CL_MIGRATE_MEM_OBJECT_HOST);
                let flags = Value::Flags(flags.into_iter().collect());
                let list = Value::objects(objects.iter().copied());
                let all = values![objects.len(), list, flags];
                (Function::EnqueueMigrateMemObjects, all)
            }
            Transfer::ReadRect(Region { from, to, region }) => {
                let (of, host) = (values![from.object, wait], values![to.object.at(0)]);
                let all = [of, rectangle(from, to, region), host].concat();
                (Function::EnqueueReadBufferRect, all)
            }
            Transfer::WriteRect(Region { from, to, region }) => {
                let (of, host) = (values![to.object, wait], values![from.object.at(0)]);
                let all = [of, rectangle(to, from, region), host].concat();
                (Function::EnqueueWriteBufferRect, all)
            }
            Transfer::CopyRect(Region { from, to, region }) => {
                let of = values![from.object, to.object];
                let all = [of, rectangle(from, to, region)].concat();
                (Function::EnqueueCopyBufferRect, all)
            }
            Transfer::MapRead(Bytes { from, to, bytes }) => {
                let flags = cl::CL_MAP_READ.into();
                return self.map(*from, *bytes, [0; 2], flags, Copied::To(*to));
            }
            Transfer::MapReadBeside { of, first } => {
                let Bytes { from, to, bytes } = *of;
                let object = from.object;
                let rest = self.case.objects[object.index()].bytes - first;
                let all = values![object, true, cl::CL_MAP_READ, *first, rest];
                let mut map = self.timed(Function::EnqueueMapBuffer, all);
                let name = format!("beside_{}", self.steps.len());
                let beside = self.made_by(&mut map, name);
                let flags = cl::CL_MAP_READ.into();
                let inner = self.map(from, bytes, [0; 2], flags, Copied::To(to));
                let all = values![object, beside.at(0)];
                let unmap = self.timed(Function::EnqueueUnmapMemObject, all);
                return [vec![map], inner, vec![unmap]].concat();
            }
            Transfer::MapWrite {
                from,
                to,
                bytes,
                invalidate,
                around,
                reads,
            } => {
                let flags = writing(*invalidate, *reads);
                return self.map(*to, *bytes, *around, flags, Copied::From(*from));
            }
            Transfer::ReadImage(Region { from, to, region }) => {
                let all = beside_image(from, wait, region, to);
                (Function::EnqueueReadImage, all)
            }
            Transfer::WriteImage(Region { from, to, region }) => {
                let all = beside_image(to, wait, region, from);
                (Function::EnqueueWriteImage, all)
            }
            Transfer::CopyImage(Region { from, to, region }) => {
                let (a, b) = (sizes(from.origin), sizes(to.origin));
                let all = values![from.object, to.object, a, b, sizes(*region)];
                (Function::EnqueueCopyImage, all)
            }
            Transfer::CopyImageToBuffer(Region { from, to, region }) => {
                let (origin, region) = (sizes(from.origin), sizes(*region));
                let all = values![from.object, to.object, origin, region, to.byte];
                (Function::EnqueueCopyImageToBuffer, all)
            }
            Transfer::CopyBufferToImage(Region { from, to, region }) => {
                let (origin, region) = (sizes(to.origin), sizes(*region));
                let all = values![from.object, to.object, from.byte, origin, region];
                (Function::EnqueueCopyBufferToImage, all)
            }
            Transfer::FillImage { colour, to, region } => {
                let image = in_image(self.case, *to, region);
                let words = image.map(|(image, ..)| image.format.fill_words(*colour));
                let colour = Value::words(words.unwrap_or_default());
                let all = values![to.object, colour, sizes(to.origin), sizes(*region)];
                (Function::EnqueueFillImage, all)
            }
            Transfer::MapReadImage(Region { from, to, region }) => {
                let flags = cl::CL_MAP_READ.into();
                return self.map_image(*from, (region, [0; 3]), flags, Copied::To(*to));
            }
            Transfer::MapWriteImage {
                from,
                to,
                region,
                invalidate,
                beyond,
                reads,
            } => {
                let flags = writing(*invalidate, *reads);
                return self.map_image(*to, (region, *beyond), flags, Copied::From(*from));
            }
            Transfer::SvmCopy(Bytes { from, to, bytes }) => {
                let all = values![wait, *to, *from, *bytes];
                (Function::EnqueueSVMMemcpy, all)
            }
            Transfer::SvmFill(Pattern { pattern, to, bytes }) => {
                let all = values![*to, Value::Bytes(pattern.clone()), pattern.len(), *bytes];
                (Function::EnqueueSVMMemFill, all)
            }
            Transfer::SvmMigrate {
                of, parts, to_host, ..
            } => {
                let flags = to_host.then_some(cl::CL_MIGRATE_MEM_OBJECT_HOST);
                let flags = Value::Flags(flags.into_iter().collect());
                let of = of.object;
                let (places, sizes) = match parts.is_empty() {
                    // Null sizes mean whole allocations.
                    true => (vec![of.at(0)], None),
                    false => {
                        let places = parts.iter().map(|[first, _]| of.at(*first));
                        let sizes = parts.iter().map(|[_, bytes]| *bytes);
                        (places.collect(), Some(Value::sizes(sizes)))
                    }
                };
                let count = places.len();
                let list = Value::list(Class::Pointer, places);
                let function = Function::EnqueueSVMMigrateMem;
                (function, values![count, list, sizes, flags])
            }
        };
        vec![self.timed(function, all)]
    }

    fn fill(&mut self, pattern: &[u8], to: Place, bytes: usize) -> Step {
        let (size, pattern) = (pattern.len(), Value::Bytes(pattern.to_vec()));
        let all = values![to.object, pattern, size, to.byte, bytes];
        self.timed(Function::EnqueueFillBuffer, all)
    }

    /// Maps bytes of a buffer and others around them, copies the former to a place of the host or from one, and unmaps all.
    fn map(
        &mut self,
        at: Place,
        bytes: usize,
        [before, behind]: [usize; 2],
        flags: Value,
        copied: Copied,
    ) -> Vec<Step> {
        let before = before.min(at.byte);
        let end = at.byte.saturating_add(bytes);
        let size = self.case.objects[at.object.index()].bytes;
        let behind = behind.min(size.saturating_sub(end));
        let mapped = before + bytes + behind;
        let all = values![at.object, true, flags, at.byte - before, mapped];
        let map = self.timed(Function::EnqueueMapBuffer, all);
        let region = ([bytes, 1, 1], before);
        self.while_mapped(map, at.object, region, Pitches::Close, copied)
    }

    /// The same for a region of an image, of which elements beyond it are mapped too.
    fn map_image(
        &mut self,
        at: Spot,
        (region, beyond): (&[usize; 3], [usize; 3]),
        flags: Value,
        copied: Copied,
    ) -> Vec<Step> {
        let Some((image, _, rows)) = in_image(self.case, at, region) else {
            return Vec::new();
        };
        let (row, slice) = (self.b.answer(), self.b.answer());
        let size = image.shape.size();
        let mapped = [0, 1, 2].map(|d| {
            let end = at.origin[d].saturating_add(region[d]);
            region[d] + beyond[d].min(size[d].saturating_sub(end))
        });
        let (origin, region) = (Value::sizes(at.origin), Value::sizes(mapped));
        let answers = [row, slice].map(|id| Value::Answer(id, 8));
        let of = values![at.object, true, flags, origin, region];
        let map = self.timed(Function::EnqueueMapImage, [of, answers.into()].concat());
        if matches!(image.shape, Shape::Line(_) | Shape::Plane(..)) {
            // "For a 1D and 2D image, zero is returned if this argument is not NULL."
            let says = "the slice pitch of a mapped image that has no slices is {}";
            let none = That::Number(slice, Right::Among(vec![0]));
            let check = Check::new(vec![rule::RG_IMAGE], says, none);
            self.checks.push(check);
        }
        // The layers of an array of lines are slices.
        let lines = matches!(image.shape, Shape::Lines(..));
        let pitches = Pitches::Answered(if lines { slice } else { row }, slice);
        self.while_mapped(map, at.object, (rows, 0), pitches, copied)
    }

    /// The slot of the address that a map gives; every third has no place for its code.
    fn made_by(&mut self, map: &mut Step, name: String) -> Slot {
        let mapped = self.b.slot(name, SlotKind::Address);
        if let Op::Call(call) = &mut map.op {
            call.made = Some(mapped);
            call.silent = call.may_be_silent() && self.steps.len().is_multiple_of(3);
        }
        mapped
    }

    fn while_mapped(
        &mut self,
        mut map: Step,
        object: Slot,
        (region, before): ([usize; 3], usize),
        pitches: Pitches,
        copied: Copied,
    ) -> Vec<Step> {
        let mapped = self.made_by(&mut map, format!("mapped_{}", self.steps.len()));
        let inside = mapped.at(before);
        let (at, from, apart, to_apart) = match copied {
            Copied::To(to) => (to, inside, pitches, Pitches::Close),
            Copied::From(from) => (inside, from, Pitches::Close, pitches),
        };
        let data = Data::Copy {
            from,
            region,
            apart,
            to_apart,
        };
        let unmap = self.timed(
            Function::EnqueueUnmapMemObject,
            values![object, mapped.at(0)],
        );
        vec![map, Op::Write { at, data }.into(), unmap]
    }
}

/// What happens to mapped bytes.
enum Copied {
    /// They are copied to a place of the host.
    To(Place),
    /// They are copied from there.
    From(Place),
}

fn writing(invalidate: bool, reads: bool) -> Value {
    match (invalidate, reads) {
        (true, _) => cl::CL_MAP_WRITE_INVALIDATE_REGION.into(),
        (false, true) => Value::Flags(vec![cl::CL_MAP_READ, cl::CL_MAP_WRITE]),
        (false, false) => cl::CL_MAP_WRITE.into(),
    }
}

/// The origins, region and pitches of a rectangle of a buffer and of another.
fn rectangle(first: &Corner, second: &Corner, region: &[usize; 3]) -> Vec<Value> {
    let sizes = [first.origin, second.origin, *region].map(Value::sizes);
    let pitches = [first.row, first.slice, second.row, second.slice];
    [sizes.to_vec(), pitches.map(Value::from).to_vec()].concat()
}

/// What is read from a region of an image, or written to it: rectangles of the host begin at a byte of a row of some
/// slice.
fn beside_image(image: &Spot, wait: Value, region: &[usize; 3], host: &Corner) -> Vec<Value> {
    let (origin, region) = (Value::sizes(image.origin), Value::sizes(*region));
    let [byte, row, slice] = host.origin;
    let first = host.object.at(byte + row * host.row + slice * host.slice);
    values![
        image.object,
        wait,
        origin,
        region,
        host.row,
        host.slice,
        first
    ]
}
