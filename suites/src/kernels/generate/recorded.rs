//! Command-buffers: commands that are recorded and enqueued, once or several times, among other commands.

use super::builder::{CaseBuilder, at, noise};
use super::images;
use super::transfer::{corner, sides};
use crate::choices::Choices;
use crate::kernels::case::{Contents, KernelCase, Kind, ObjectId, Step, Want};
use crate::kernels::image::{Image, Shape, Spot};
use crate::kernels::recorded::{
    Action, Form, MULTIPLIER, Mix, Play, Record, Recorded, Sample, WORDS,
};
use crate::kernels::transfer::{Bytes, Corner, Pattern, Region, Transfer};
use crate::kernels::updated::Handle;
use crate::rule::{self, RuleId};
use classay_vocabulary::Need;

/// Kernels that take long enough for what does not wait for them to be early. The second is given its offset, the size
/// of its groups, how many work-items it has, and twice the number of its dimensions, and one more where the size of its
/// groups is known.
pub(super) fn source() -> String {
    format!(
        "kernel void mixed(global const uint *from, uint from_at, global uint *to, uint to_at,
                uint add, uint turns)
{{
    uint n = get_global_id(0);
    uint x = from[from_at + n];
    for (uint k = 0; k < turns; k++)
        x = x * {MULTIPLIER}u + add;
    to[to_at + n] = x;
}}
kernel void shaped(global const uint *from, uint from_at, global uint *to, uint to_at,
                   uint add, uint turns, uint8 form, local uint *room)
{{
    uint n = (get_global_id(2) - form.s2) * (uint)get_global_size(1) + get_global_id(1) - form.s1;
    n = n * (uint)get_global_size(0) + get_global_id(0) - form.s0;
    if (n >= form.s6 || get_work_dim() != form.s7 / 2)
        return;
    uint x = from[from_at + n];
    for (uint k = 0; k < turns; k++)
        x = x * {MULTIPLIER}u + add;
    if (form.s7 % 2) {{
        if (get_local_size(0) != form.s3 || get_local_size(1) != form.s4 || get_local_size(2) != form.s5)
            return;
        uint own = (get_local_id(2) * form.s4 + get_local_id(1)) * form.s3 + get_local_id(0);
        room[own] = x;
        barrier(CLK_LOCAL_MEM_FENCE);
        x = room[own];
    }}
    to[to_at + n] = x;
}}
"
    )
}

/// A kernel that brings the elements of an image to a buffer.
pub(super) const SAMPLED: &str =
    "kernel void sampled(read_only image2d_t from, sampler_t by, global uint *to, uint to_at)
{
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    uint n = at.y * (int)get_global_size(0) + at.x;
    vstore4(read_imageui(from, by, at), n, to + to_at);
}
";

/// What a draw knows of its case.
pub(super) struct Draw<'c> {
    pub choices: &'c mut Choices,
    pub case: CaseBuilder,
    pub memory: Vec<ObjectId>,
    pub images: Vec<(ObjectId, Image)>,
    /// Two images that kernels read, where there are any.
    pub sampled: Option<[ObjectId; 2]>,
    pub svm: bool,
    /// Kernels are recorded, too.
    pub mixes: bool,
    /// Their arguments stay as they were when they were recorded.
    pub stays: bool,
    /// Rectangles and images are copied from parts of buffers, too.
    pub parts: bool,
}

/// Where a part of a buffer begins, at a multiple of what a device that is not skipped asks for.
const ORIGIN: usize = 512;

/// Commands of a command-buffer, at most.
const MOST: usize = 9;

/// Command-buffers of an in-order or an out-of-order queue.
pub fn recorded(choices: &mut Choices) -> KernelCase {
    let svm = choices.percent(25);
    let mut case = CaseBuilder::new("command-buffers, recorded and enqueued among other commands");
    case.case.source = source();
    // What copies and fills shared memory came with version 0.9.4, other queues than one with the same properties with
    // 0.9.7. Before 0.9.8 one that is pending must not be enqueued, unless it may be in flight more than once.
    let newest = choices.percent(45);
    case.need(&[Need::CommandBuffers(match (newest, svm) {
        (true, _) => 8,
        (false, true) => 4,
        (false, false) => 0,
    })]);
    case.need_if(svm, &[Need::SvmCoarse]);
    let bytes = 4 * choices.one_of(&[32, 64, 100, 256, 300]);
    let kind = if svm { Kind::SvmCoarse } else { Kind::Buffer };
    let mut memory: Vec<ObjectId> = (0..choices.between(3, 4))
        .map(|_| case.noise(choices, kind, bytes))
        .collect();
    if let Some(most) = bytes.checked_sub(ORIGIN)
        && !svm
    {
        case.need(&[Need::SubBufferAlign(ORIGIN as u32)]);
        let of = memory[0];
        let kind = Kind::SubBuffer { of, origin: ORIGIN };
        let bytes = 4 * choices.between(most / 8, most / 4);
        memory.push(case.object(kind, bytes, Contents::Zero));
    }
    let images = match !svm && choices.percent(40) {
        true => {
            case.need(&[Need::ImageObjects]);
            let format = images::format(choices, &mut case);
            let each = (0..2).map(|_| {
                let kind = images::kind(choices, format.order);
                let own = Image {
                    shape: images::shape(choices, kind),
                    format,
                };
                (case.noise(choices, Kind::Image(own), own.bytes()), own)
            });
            each.collect()
        }
        false => Vec::new(),
    };
    let sampled = (!svm && choices.percent(12)).then(|| to_sample(choices, &mut case));
    let mixes = choices.percent(60);
    // Some implementations die of such copies, and show nothing of all the others then.
    let parts = choices.percent(25);
    // Some take the arguments of the time when the command-buffer is enqueued.
    let stays = choices.percent(50);
    let mut draw = Draw {
        choices,
        case,
        memory,
        images,
        sampled,
        svm,
        mixes,
        stays,
        parts,
    };
    let mut rules: Vec<RuleId> = Vec::new();
    // Those that may be enqueued again on a queue that is not the first one, and whether that is another than their own.
    let mut others: Vec<(u16, bool)> = Vec::new();
    for _ in 0..draw.choices.between(1, 2) {
        draw.between();
        // What was enqueued before has done what it does, or not.
        let mut before = rules.clone();
        before.push(rule::CB_NO_EFFECT);
        let record = draw.record();
        let while_pending = newest || record.at_once;
        for rule in record.rules() {
            if !rules.contains(&rule) {
                rules.push(rule);
            }
        }
        let step = draw.case.case.steps.len() as u16;
        if newest || record.out_of_order {
            others.push((step, newest && !record.out_of_order));
        }
        draw.case.step(Step::Record(record));
        // Nothing is done yet.
        if draw.choices.percent(30) {
            draw.look(&before);
        }
        let plays = draw.choices.between(1, 3);
        for n in 1..=plays {
            draw.between();
            // While a user event is awaited nothing is released.
            let held = draw.choices.percent(25);
            let elsewhere = newest && draw.choices.percent(30);
            // Its commands are ordered as they were recorded, also where the other queue orders none.
            let free = elsewhere && draw.choices.percent(40);
            draw.case.need_if(
                free,
                &[Need::CommandBuffersOutOfOrder, Need::OutOfOrderQueue],
            );
            let play = Play {
                record: step,
                times: match while_pending {
                    true => draw.choices.one_of(&[1, 1, 2, 3]),
                    false => 1,
                },
                elsewhere,
                free,
                held,
                fails: None,
                awaited: !while_pending || draw.choices.percent(40),
                last: n == plays && !held && draw.choices.percent(50),
                update: Vec::new(),
            };
            if play.last {
                others.retain(|(record, _)| *record != step);
            }
            draw.case.step(Step::Play(play));
        }
    }
    draw.between();
    rules.extend([rule::CB_AGAIN, rule::CB_WAIT_LIST, rule::RG_TRANSFER]);
    draw.look(&rules);
    if let Some((record, elsewhere)) = draw.choices.pick(&others)
        && draw.choices.percent(15)
    {
        draw.case.step(Step::Play(Play {
            record,
            times: 1,
            elsewhere,
            held: true,
            fails: Some(-(draw.choices.between(1, 9999) as i32)),
            ..Play::default()
        }));
        draw.look(&[rule::FAIL_PROPAGATE, rule::CB_WAIT_LIST]);
    }
    draw.case.case.profiled = draw.choices.percent(40);
    draw.case.case
}

/// Two images for the kernel that reads one.
pub(super) fn to_sample(choices: &mut Choices, case: &mut CaseBuilder) -> [ObjectId; 2] {
    case.need(&[Need::Images, Need::FullProfile]);
    case.case.source += SAMPLED;
    [(); 2].map(|()| {
        let shape = Shape::Plane(choices.between(1, 3), choices.between(1, 2));
        let own = Image {
            shape,
            format: WORDS,
        };
        case.noise(choices, Kind::Image(own), own.bytes())
    })
}

/// Work-items of a work-group that is given its size, at most.
const GROUP: u32 = 16;

/// A divisor of a number that is no larger than another.
fn divisor(choices: &mut Choices, of: u32, most: u32) -> u32 {
    let all: Vec<u32> = (1..=most.min(of))
        .filter(|n| of.is_multiple_of(*n))
        .collect();
    choices.pick(&all).unwrap_or(1)
}

impl Draw<'_> {
    pub(super) fn look(&mut self, rules: &[RuleId]) {
        let images = self.images.iter().map(|(id, _)| *id);
        for id in self
            .memory
            .iter()
            .copied()
            .chain(images)
            .collect::<Vec<_>>()
        {
            let of = match (self.mixes, self.stays) {
                (true, false) => "",
                (true, true) => ", of kernels whose arguments stay",
                (false, _) => ", of transfers alone",
            };
            let name = format!("object {}{of}", id.index());
            self.case.look(id, rules, &name, Want::AsMoved);
        }
    }

    /// Ordinary commands.
    pub(super) fn between(&mut self) {
        for _ in 0..self.choices.below(3) {
            let what = self.transfer();
            self.case.transfer(what, false);
        }
    }

    fn is_part(&self, object: ObjectId) -> bool {
        let kind = self.case.case.objects[object.index()].kind;
        matches!(kind, Kind::SubBuffer { .. })
    }

    pub(super) fn bytes(&self, object: ObjectId) -> usize {
        self.case.case.objects[object.index()].bytes
    }

    /// Two objects that share no byte.
    pub(super) fn pair(&mut self) -> (ObjectId, ObjectId) {
        let root = |object: ObjectId| self.case.case.root(object.at(0)).object;
        let from = self.choices.pick(&self.memory).unwrap_or(self.memory[0]);
        let others: Vec<ObjectId> = self
            .memory
            .iter()
            .copied()
            .filter(|id| root(*id) != root(from))
            .collect();
        let to = self.choices.pick(&others).unwrap_or(self.memory[1]);
        (from, to)
    }

    /// So many words, and where they are in two objects.
    pub(super) fn words(&mut self, from: ObjectId, to: ObjectId) -> (usize, usize, usize) {
        let [all, other] = [from, to].map(|object| self.bytes(object) / 4);
        let least = all.min(other);
        let words = match self.choices.percent(50) {
            true => least,
            false => self.choices.between(1, least),
        };
        let [from, to] = [all, other].map(|all| 4 * self.choices.below(all - words + 1));
        (words, from, to)
    }

    /// A transfer of a region of an image; none where a region of it leaves the buffer.
    fn of_image(&mut self, [from, to]: [(ObjectId, Image); 2]) -> Option<Transfer> {
        let (own, target) = (from.1.shape.size(), to.1.shape.size());
        let kind = self.choices.below(4);
        let limits = match kind {
            0 => [0, 1, 2].map(|d| own[d].min(target[d])),
            1 => own,
            _ => target,
        };
        let region = limits.map(|n| self.choices.between(1, n));
        let mut spot = |object: ObjectId, size: [usize; 3]| Spot {
            object,
            origin: [0, 1, 2].map(|d| self.choices.below(size[d] - region[d] + 1)),
        };
        if kind == 0 {
            let (from, to) = (spot(from.0, own), spot(to.0, target));
            return Some(Transfer::CopyImage(Region { from, to, region }));
        } else if kind == 3 {
            let to = spot(to.0, target);
            let seed = self.choices.below(1000) as u32;
            return Some(Transfer::FillImage {
                colour: images::values(self.images[0].1.format, seed, 0),
                to,
                region,
            });
        }
        let spot = match kind {
            1 => spot(from.0, own),
            _ => spot(to.0, target),
        };
        let bytes = region.iter().product::<usize>() * from.1.format.bytes();
        let buffer = self.choices.pick(&self.memory).unwrap_or(self.memory[0]);
        if self.is_part(buffer) && !self.parts {
            return None;
        }
        let most = self.bytes(buffer).checked_sub(bytes)?;
        let place = at(buffer, self.choices.below(most + 1));
        Some(match kind {
            1 => Transfer::CopyImageToBuffer(Region {
                from: spot,
                to: place,
                region,
            }),
            _ => Transfer::CopyBufferToImage(Region {
                from: place,
                to: spot,
                region,
            }),
        })
    }

    /// A transfer that can be recorded, too.
    pub(super) fn transfer(&mut self) -> Transfer {
        if let [one, other] = self.images[..]
            && self.choices.percent(50)
        {
            let images = match self.choices.percent(50) {
                true => [one, other],
                false => [other, one],
            };
            if let Some(moved) = self.of_image(images) {
                return moved;
            }
        }
        let (from, to) = self.pair();
        match self.choices.below(if self.svm { 4 } else { 6 }) {
            0 | 1 => {
                let most = self.bytes(to);
                let sizes: Vec<usize> = (0..8)
                    .map(|n| 1 << n)
                    .filter(|size| *size <= most)
                    .collect();
                let size = self.choices.pick(&sizes).unwrap_or(1);
                let first = self.choices.below(most / size) * size;
                let times = self.choices.between(1, (most - first) / size);
                let pattern = Pattern {
                    pattern: noise(self.choices).bytes(size),
                    to: at(to, first),
                    bytes: times * size,
                };
                match self.svm {
                    true => Transfer::SvmFill(pattern),
                    false => Transfer::Fill(pattern),
                }
            }
            4 | 5 if let Some(region) = self.rectangle(from, to) => Transfer::CopyRect(region),
            _ => {
                let (words, from_byte, to_byte) = self.words(from, to);
                let copied = Bytes {
                    from: at(from, from_byte),
                    to: at(to, to_byte),
                    bytes: 4 * words,
                };
                match self.svm {
                    true => Transfer::SvmCopy(copied),
                    false => Transfer::Copy(copied),
                }
            }
        }
    }

    /// A rectangle of bytes with its own origin and pitches on either side; few fit in little memory.
    fn rectangle(&mut self, from: ObjectId, to: ObjectId) -> Option<Region<Corner, Corner>> {
        if self.is_part(from) && !self.parts {
            return None;
        }
        let [all, other] = [from, to].map(|object| self.bytes(object));
        (0..20).find_map(|_| {
            let region = sides(self.choices);
            let from = corner(self.choices, from, all, region)?;
            let to = corner(self.choices, to, other, region)?;
            Some(Region { from, to, region })
        })
    }

    pub(super) fn mix(&mut self) -> Mix {
        let (from, to) = self.pair();
        let (words, from_byte, to_byte) = self.words(from, to);
        Mix {
            from: at(from, from_byte),
            to: at(to, to_byte),
            words: words as u32,
            add: self.choices.below(1 << 16) as u32,
            turns: self.choices.one_of(&[1, 100, 20_000, 60_000]),
            form: self.form(words as u32),
            stays: self.stays,
        }
    }

    /// A kernel that reads an image, where there is one.
    pub(super) fn sample(&mut self) -> Option<Sample> {
        let [one, other] = self.sampled?;
        let (from, then) = match self.choices.percent(50) {
            true => (one, other),
            false => (other, one),
        };
        let to = self.choices.pick(&self.memory).unwrap_or(self.memory[0]);
        let most = self.bytes(to).checked_sub(self.bytes(from))?;
        let to = at(to, 4 * self.choices.below(most / 4 + 1));
        Some(Sample { from, then, to })
    }

    /// An ND-range of so many work-items, at times.
    fn form(&mut self, words: u32) -> Option<Form> {
        if !self.choices.percent(40) {
            return None;
        }
        let dimensions = self.choices.between(1, 3);
        Some(self.shape(dimensions, words, [60, 60]))
    }

    /// An ND-range of so many dimensions and work-items, with an offset and a size of groups in so many of a hundred.
    pub(super) fn shape(&mut self, dimensions: usize, words: u32, lists: [usize; 2]) -> Form {
        let mut global = [1; 3];
        let mut left = words;
        for size in &mut global[1..dimensions] {
            *size = divisor(self.choices, left, left);
            left /= *size;
        }
        global[0] = left;
        let offset = self.choices.percent(lists[0]).then(|| {
            let mut offset = [0; 3];
            offset[..dimensions].fill_with(|| self.choices.below(1000) as u32);
            offset
        });
        let local = self.choices.percent(lists[1]).then(|| {
            let mut most = GROUP;
            global.map(|size| {
                let local = divisor(self.choices, size, most);
                most /= local;
                local
            })
        });
        let form = Form {
            dimensions: dimensions as u8,
            global,
            offset,
            local,
        };
        self.case.need(
            &form
                .group()
                .map(Need::WorkGroupSize)
                .into_iter()
                .collect::<Vec<_>>(),
        );
        form
    }

    /// A command-buffer whose commands race nowhere: what meets an earlier command waits for its sync point, unless a
    /// barrier, another sync point or the queue has it wait already.
    fn record(&mut self) -> Record {
        let mut record = Record {
            out_of_order: self.choices.percent(65),
            at_once: self.choices.percent(20),
            ..Record::default()
        };
        self.case.need_if(
            record.out_of_order,
            &[Need::CommandBuffersOutOfOrder, Need::OutOfOrderQueue],
        );
        self.case
            .need_if(record.at_once, &[Need::CommandBuffersAtOnce]);
        if !self.svm && self.choices.percent(35) {
            let bytes = 4 * self.choices.between(16, 64);
            let passing = self.case.noise(self.choices, Kind::Buffer, bytes);
            record.released.push(passing);
        }
        // An empty one has an event, too.
        let commands = match self.choices.percent(8) {
            true => 0,
            false => self.choices.between(2, MOST),
        };
        for _ in 0..commands {
            let what = match self.choices.below(9) {
                0 | 1 if !record.commands.is_empty() => Action::Barrier,
                0..=3 if self.mixes => Action::Mix(self.mix()),
                4 if let Some(sample) = self.sample() => Action::Sample(sample),
                _ => {
                    let lasting = self.memory.len();
                    self.memory.extend(&record.released);
                    let what = Action::Move(self.transfer());
                    self.memory.truncate(lasting);
                    what
                }
            };
            self.add(&mut record, what, None);
        }
        record
    }

    /// Records a command behind those that it shares memory with.
    pub(super) fn add(&mut self, record: &mut Record, what: Action, handle: Option<Handle>) {
        let n = record.commands.len();
        let mut after = Vec::new();
        if n > 0 && self.choices.percent(25) {
            after.push(self.choices.below(n) as u16);
        }
        record.commands.push(Recorded {
            what,
            after,
            handle,
        });
        let before = &record.before()[n];
        let missing: Vec<usize> = record.meetings(&self.case.case)[n]
            .difference(before)
            .copied()
            .collect();
        let command = &mut record.commands[n];
        // The latest first: it may have the earlier ones before it.
        command
            .after
            .extend(missing.iter().rev().map(|n| *n as u16));
    }
}
