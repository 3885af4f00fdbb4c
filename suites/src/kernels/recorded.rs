//! Command-buffers of a case: what is recorded, in which order it must be done, and what that leaves in memory.

use super::case::{KernelCase, Kind, ObjectId, Place, Step};
use super::effect::Effect;
use super::image::{Channel, Format, Image, Order, Shape, Spot};
use super::transfer::{Move, Region, Transfer};
use super::updated::{Change, Handle};
use crate::host::Function;
use crate::rule::{self, RuleId};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// A command-buffer that is made, recorded and finalized.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Record {
    /// It is recorded to an out-of-order queue; else to the case's first queue.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub out_of_order: bool,
    /// It is made with CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub at_once: bool,
    /// It is made with CL_COMMAND_BUFFER_MUTABLE_KHR.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub mutable: bool,
    /// It is made with CL_MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub capped: bool,
    /// Its commands, in the order in which they are recorded.
    pub commands: Vec<Recorded>,
    /// Buffers that its transfers alone name, and that the program gives up when it is finalized.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub released: Vec<ObjectId>,
}

/// A command of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recorded {
    /// What it does.
    pub what: Action,
    /// The commands, by their places, whose sync points it waits for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub after: Vec<u16>,
    /// Of a kernel, the handle by which it is updated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handle: Option<Handle>,
}

/// What a recorded command does.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Action {
    /// A transfer among those that can be recorded.
    Move(Transfer),
    /// The kernel `mixed` of the case.
    Mix(Mix),
    /// The kernel `sampled` of the case.
    Sample(Sample),
    /// A barrier.
    Barrier,
}

/// A launch of the kernel `mixed`: each word of one place, taken so many times through `x * MULTIPLIER + add`, comes to
/// another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mix {
    /// Where words come from.
    pub from: Place,
    /// Where they go.
    pub to: Place,
    /// How many: a work-item each.
    pub words: u32,
    /// What is added each time.
    pub add: u32,
    /// How many times.
    pub turns: u32,
    /// The kernel is `shaped`, which sees these sizes; else one dimension without an offset.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub form: Option<Form>,
    /// Its arguments stay as they were when it was recorded; else it gets others then.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stays: bool,
}

/// A launch of the kernel `sampled`: the elements of an image of two dimensions, of four words each, come to a place,
/// read by a sampler.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sample {
    /// The image.
    pub from: ObjectId,
    /// Another one, which the kernel is given when it is recorded.
    pub then: ObjectId,
    /// Where its elements go.
    pub to: Place,
}

/// The ND-range of a launch. Of dimensions that it has not the sizes are 1 and the offsets 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Form {
    /// How many dimensions.
    pub dimensions: u8,
    /// Work-items in each.
    pub global: [u32; 3],
    /// The first id in each; none gives no list of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offset: Option<[u32; 3]>,
    /// Work-items of a group in each; none gives no list of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub local: Option<[u32; 3]>,
}

impl Form {
    /// Work-items of a group, where it says how many.
    pub fn group(&self) -> Option<u32> {
        self.local.map(|local| local.iter().product())
    }

    /// Whether so many words have a work-item each, in groups of one size.
    pub(super) fn fits(&self, words: u32) -> bool {
        let dimensions = usize::from(self.dimensions);
        let local = self.local.unwrap_or([1; 3]);
        let divided = |(global, local): (&u32, &u32)| *local > 0 && global % local == 0;
        let others = dimensions..3;
        (1..=3).contains(&dimensions)
            && self
                .global
                .iter()
                .try_fold(1_u32, |all, n| all.checked_mul(*n))
                == Some(words)
            && self.global.iter().zip(&local).all(divided)
            && others.clone().all(|n| self.global[n] == 1 && local[n] == 1)
            && self
                .offset
                .is_none_or(|offset| others.clone().all(|n| offset[n] == 0))
    }
}

/// The format of images whose elements are four words.
pub const WORDS: Format = Format {
    order: Order::Rgba,
    channel: Channel::Unsigned32,
};

/// What a word is multiplied with each time.
pub const MULTIPLIER: u32 = 1_664_525;

/// A command-buffer that is enqueued.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Play {
    /// The step that records it.
    pub record: u16,
    /// How often, one after the other.
    pub times: u8,
    /// On another queue than that which it is recorded to.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub elsewhere: bool,
    /// That queue is an out-of-order one.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub free: bool,
    /// A user event holds it back until the host has looked at its status.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub held: bool,
    /// That user event is set to this error then: nothing of it is done, and nothing but looks at memory comes after it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fails: Option<i32>,
    /// The host waits for its event, and looks at its status then; else what comes after it on the first queue does.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub awaited: bool,
    /// The program gives up its reference as soon as it is enqueued.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub last: bool,
    /// While the user event holds it back, commands are updated, which later plays alone do so then.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub update: Vec<Change>,
}

impl Mix {
    /// A word that went through it.
    pub fn word(&self, word: u32) -> u32 {
        // Two steps are a step with another factor and another sum, so many are composed by squaring.
        let (mut factor, mut sum) = (1_u32, 0_u32);
        let (mut step, mut add) = (MULTIPLIER, self.add);
        let mut turns = self.turns;
        while turns > 0 {
            if turns & 1 == 1 {
                (factor, sum) = (
                    factor.wrapping_mul(step),
                    sum.wrapping_mul(step).wrapping_add(add),
                );
            }
            (step, add) = (
                step.wrapping_mul(step),
                add.wrapping_mul(step).wrapping_add(add),
            );
            turns >>= 1;
        }
        word.wrapping_mul(factor).wrapping_add(sum)
    }

    fn bytes(&self) -> usize {
        4 * self.words as usize
    }
}

/// The function that records what another enqueues.
pub fn recording(enqueue: Function) -> Option<Function> {
    Some(match enqueue {
        Function::EnqueueCopyBuffer => Function::CommandCopyBufferKHR,
        Function::EnqueueCopyBufferRect => Function::CommandCopyBufferRectKHR,
        Function::EnqueueFillBuffer => Function::CommandFillBufferKHR,
        Function::EnqueueCopyImage => Function::CommandCopyImageKHR,
        Function::EnqueueCopyImageToBuffer => Function::CommandCopyImageToBufferKHR,
        Function::EnqueueCopyBufferToImage => Function::CommandCopyBufferToImageKHR,
        Function::EnqueueFillImage => Function::CommandFillImageKHR,
        Function::EnqueueSVMMemcpy => Function::CommandSVMMemcpyKHR,
        Function::EnqueueSVMMemFill => Function::CommandSVMMemFillKHR,
        _ => return None,
    })
}

/// Whether a transfer can be recorded.
fn recordable(what: &Transfer) -> bool {
    match what {
        Transfer::Copy(_)
        | Transfer::Fill(_)
        | Transfer::CopyRect(_)
        | Transfer::CopyImage(_)
        | Transfer::CopyImageToBuffer(_)
        | Transfer::CopyBufferToImage(_)
        | Transfer::FillImage { .. }
        | Transfer::SvmCopy(_)
        | Transfer::SvmFill(_) => true,
        Transfer::Read(_)
        | Transfer::Write(_)
        | Transfer::ReadRect(_)
        | Transfer::WriteRect(_)
        | Transfer::MapRead(_)
        | Transfer::MapReadBeside { .. }
        | Transfer::MapWrite { .. }
        | Transfer::Renew { .. }
        | Transfer::Migrate { .. }
        | Transfer::ReadImage(_)
        | Transfer::WriteImage(_)
        | Transfer::MapReadImage(_)
        | Transfer::MapWriteImage { .. }
        | Transfer::SvmMigrate { .. } => false,
    }
}

/// What a command reads and writes, as whole objects.
#[derive(Default)]
struct Touched {
    reads: Option<ObjectId>,
    writes: Option<ObjectId>,
}

impl Touched {
    /// Of a command.
    fn of(case: &KernelCase, what: &Action) -> Touched {
        let (from, to) = match what {
            Action::Barrier => return Touched::default(),
            Action::Mix(mix) => (Some(mix.from.object), mix.to.object),
            Action::Sample(sample) => (Some(sample.from), sample.to.object),
            Action::Move(what) => match what.effect(case) {
                None => return Touched::default(),
                Some(Effect::Bytes(bytes)) => (Some(bytes.from.object), bytes.to.object),
                Some(Effect::Pattern { to, .. }) => (None, to.object),
                Some(Effect::Rectangle(region)) => (Some(region.from.object), region.to.object),
                Some(Effect::Elements { to, .. }) => (None, to.object),
            },
        };
        let root = |object: ObjectId| case.root(object.at(0)).object;
        Touched {
            reads: from.map(root),
            writes: Some(root(to)),
        }
    }

    fn meets(&self, other: &Touched) -> bool {
        let one = |a: &Touched, b: &Touched| {
            a.writes.is_some() && (a.writes == b.writes || a.writes == b.reads)
        };
        one(self, other) || one(other, self)
    }
}

impl Record {
    /// For each command, those that are complete before it begins: the ones whose sync points it waits for, those
    /// before the barriers before it, all in an in-order queue; and what is before these.
    pub fn before(&self) -> Vec<BTreeSet<usize>> {
        let mut all: Vec<BTreeSet<usize>> = Vec::new();
        let mut barriers: Vec<usize> = Vec::new();
        for (n, command) in self.commands.iter().enumerate() {
            let is_barrier = command.what == Action::Barrier;
            let everything = !self.out_of_order || is_barrier && command.after.is_empty();
            let mut before: BTreeSet<usize> = match everything {
                true => (0..n).collect(),
                false => BTreeSet::new(),
            };
            let listed = command.after.iter().map(|n| usize::from(*n));
            for direct in listed
                .chain(barriers.iter().copied())
                .filter(|one| *one < n)
            {
                before.insert(direct);
                before.extend(&all[direct]);
            }
            barriers.extend(is_barrier.then_some(n));
            all.push(before);
        }
        all
    }

    /// The commands, each with the earlier ones that share memory with it which one of the two writes.
    pub fn meetings(&self, case: &KernelCase) -> Vec<BTreeSet<usize>> {
        let commands = self.commands.iter();
        let touched: Vec<Touched> = commands.map(|one| Touched::of(case, &one.what)).collect();
        (0..touched.len())
            .map(|n| (0..n).filter(|m| touched[n].meets(&touched[*m])).collect())
            .collect()
    }

    /// Whether its commands fit, and nothing else names what it gives up.
    pub fn fits(&self, case: &KernelCase) -> bool {
        self.commands_fit(case) && self.gives_up(case)
    }

    /// Whether every command keeps to its objects and can be recorded, waits for earlier ones alone, and races with
    /// none.
    pub(super) fn commands_fit(&self, case: &KernelCase) -> bool {
        let one = |(n, command): (usize, &Recorded)| {
            let earlier = command.after.iter().all(|m| usize::from(*m) < n);
            earlier
                && match &command.what {
                    Action::Barrier => true,
                    Action::Move(what) => {
                        let alone = Move {
                            what: what.clone(),
                            blocking: false,
                            code: 0,
                            rules: Vec::new(),
                        };
                        recordable(what) && alone.fits(case)
                    }
                    Action::Mix(mix) => mix.fits(case),
                    Action::Sample(sample) => sample.fits(case),
                }
        };
        let ordered = || {
            let mut both = self.before().into_iter().zip(self.meetings(case));
            both.all(|(before, meets)| meets.is_subset(&before))
        };
        let handles = self
            .commands
            .iter()
            .all(|command| command.handle_fits(self));
        self.commands.iter().enumerate().all(one) && handles && ordered()
    }

    /// Whether nothing but transfers of it names what is given up when it is finalized.
    fn gives_up(&self, case: &KernelCase) -> bool {
        let named = |command: &Recorded, object: ObjectId| {
            let touched = Touched::of(case, &command.what);
            [touched.reads, touched.writes].contains(&Some(object))
        };
        let kernels = |changes: &[Change], object: ObjectId| {
            changes.iter().any(|change| {
                let touched = Touched::of(case, &change.to);
                [touched.reads, touched.writes].contains(&Some(object))
            })
        };
        let elsewhere = |step: &Step, object: ObjectId| match step {
            Step::Record(other) => {
                let mut others = other.commands.iter();
                let mixed = |one: &Recorded| !matches!(one.what, Action::Move(_));
                others.any(|one| (other != self || mixed(one)) && named(one, object))
            }
            Step::Move(other) => {
                let what = Action::Move(other.what.clone());
                let command = Recorded {
                    what,
                    after: Vec::new(),
                    handle: None,
                };
                named(&command, object)
            }
            Step::Finish => false,
            // What they name are the places of kernels.
            Step::Play(play) => kernels(&play.update, object),
            Step::Update(update) => kernels(&update.changes, object),
            Step::Again(_) => false,
            Step::Look { object: seen, .. } => *seen == object,
            _ => true,
        };
        self.released.iter().all(|object| {
            let plain = case.objects.get(object.index()).map(|it| it.kind) == Some(Kind::Buffer);
            plain && !case.steps.iter().any(|step| elsewhere(step, *object))
        })
    }

    /// The rules that say in which order its commands are done.
    pub fn rules(&self) -> Vec<RuleId> {
        let mut rules = Vec::new();
        let barrier = self.commands.iter().any(|c| c.what == Action::Barrier);
        if !self.out_of_order {
            rules.push(rule::CB_IN_ORDER);
        } else {
            let listed = self.commands.iter().any(|c| !c.after.is_empty());
            rules.extend(listed.then_some(rule::CB_SYNC_POINT));
            rules.extend(barrier.then_some(rule::CB_BARRIER));
        }
        let mixes = |c: &Recorded| matches!(c.what, Action::Mix(_) | Action::Sample(_));
        let mixes = self.commands.iter().any(mixes);
        rules.extend(mixes.then_some(rule::CB_ARGUMENTS));
        let formed = |c: &Recorded| matches!(c.what, Action::Mix(Mix { form: Some(_), .. }));
        let formed = self.commands.iter().any(formed);
        rules.extend(formed.then_some(rule::ND_GLOBAL_ID));
        rules.extend([rule::CB_COMMANDS, rule::CB_EVENT]);
        rules
    }
}

impl Sample {
    /// The size of the image.
    pub fn size(&self, case: &KernelCase) -> [usize; 3] {
        image_of_words(case, self.from).map_or([1; 3], |image| image.shape.size())
    }

    /// The transfer that does the same.
    pub fn moved(&self, case: &KernelCase) -> Transfer {
        let (object, origin) = (self.from, [0; 3]);
        Transfer::CopyImageToBuffer(Region {
            from: Spot { object, origin },
            to: self.to,
            region: self.size(case),
        })
    }

    fn fits(&self, case: &KernelCase) -> bool {
        let sampled = |object| image_of_words(case, object).is_some();
        let alone = Move {
            what: self.moved(case),
            blocking: false,
            code: 0,
            rules: Vec::new(),
        };
        sampled(self.from)
            && sampled(self.then)
            && self.to.byte.is_multiple_of(4)
            && alone.fits(case)
    }
}

/// An image of two dimensions whose elements are four words.
fn image_of_words(case: &KernelCase, object: ObjectId) -> Option<Image> {
    match case.objects.get(object.index())?.kind {
        Kind::Image(image) if matches!(image.shape, Shape::Plane(..)) && image.format == WORDS => {
            Some(image)
        }
        _ => None,
    }
}

impl Mix {
    fn fits(&self, case: &KernelCase) -> bool {
        let inside = |at: Place| {
            let object = case.objects.get(at.object.index());
            object.is_some_and(|object| {
                let plain = matches!(
                    object.kind,
                    Kind::Buffer | Kind::SubBuffer { .. } | Kind::SvmCoarse
                );
                let end = at.byte.checked_add(self.bytes());
                plain && at.byte.is_multiple_of(4) && end.is_some_and(|end| end <= object.bytes)
            })
        };
        let (from, to) = (case.root(self.from), case.root(self.to));
        let apart = from.object != to.object || from.byte.abs_diff(to.byte) >= self.bytes();
        let formed = self.form.is_none_or(|form| form.fits(self.words));
        self.words > 0 && inside(self.from) && inside(self.to) && apart && formed
    }
}

impl KernelCase {
    /// The command-buffer that a step records.
    pub fn record(&self, step: u16) -> Option<&Record> {
        match self.steps.get(usize::from(step))? {
            Step::Record(record) => Some(record),
            _ => None,
        }
    }

    /// Whether the program gives up a command-buffer before a step.
    pub(super) fn is_given_up(&self, record: u16, step: usize) -> bool {
        self.steps[..step].iter().any(|step| match step {
            Step::Play(other) => other.record == record && other.last,
            _ => false,
        })
    }

    /// Whether a play is of a command-buffer that was recorded before it and not given up yet.
    pub(super) fn play_fits(&self, play: &Play, step: usize) -> bool {
        // What fails has a queue of its own, and does not keep others from theirs.
        let alone = || {
            let looks = |step: &Step| matches!(step, Step::Look { .. });
            let elsewhere =
                play.elsewhere || self.record(play.record).is_some_and(|it| it.out_of_order);
            elsewhere
                && play.held
                && play.times == 1
                && !play.last
                && self.steps[step + 1..].iter().all(looks)
        };
        let updated = || {
            let pending = play.held && play.fails.is_none() && !play.last;
            play.update.is_empty() || pending && self.changes_fit(play.record, &play.update, step)
        };
        usize::from(play.record) < step
            && play.times > 0
            && updated()
            && self.has_arguments(play.record, step)
            && (play.fails.is_none() || alone())
            && self.record(play.record).is_some()
            && !self.is_given_up(play.record, step)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_turns_at_once_are_the_turns_one_by_one() {
        for turns in [0, 1, 2, 3, 100, 12_345] {
            let mix = Mix {
                from: ObjectId(0).at(0),
                to: ObjectId(1).at(0),
                words: 1,
                add: 77,
                turns,
                form: None,
                stays: false,
            };
            let mut word = 5_u32;
            for _ in 0..turns {
                word = word.wrapping_mul(MULTIPLIER).wrapping_add(77);
            }
            assert_eq!(mix.word(5), word);
        }
    }

    fn recorded(out_of_order: bool, commands: &[(bool, &[u16])]) -> Record {
        let each = commands.iter().map(|(barrier, after)| Recorded {
            what: match barrier {
                true => Action::Barrier,
                false => Action::Mix(Mix {
                    from: ObjectId(0).at(0),
                    to: ObjectId(1).at(0),
                    words: 1,
                    add: 0,
                    turns: 1,
                    form: None,
                    stays: false,
                }),
            },
            after: after.to_vec(),
            handle: None,
        });
        Record {
            out_of_order,
            commands: each.collect(),
            ..Record::default()
        }
    }

    #[test]
    fn sync_points_barriers_and_in_order_queues_order_commands() {
        let set = |list: &[usize]| list.iter().copied().collect::<BTreeSet<usize>>();
        let free = recorded(true, &[(false, &[]), (false, &[]), (false, &[1])]);
        assert_eq!(free.before(), [set(&[]), set(&[]), set(&[1])]);
        let all = [(false, &[][..]), (false, &[]), (true, &[]), (false, &[])];
        let behind = recorded(true, &all).before();
        assert_eq!(behind[3], set(&[0, 1, 2]));
        // A barrier with a list waits for that alone.
        let all = [(false, &[][..]), (false, &[]), (true, &[0]), (false, &[])];
        let behind = recorded(true, &all).before();
        assert_eq!(behind[3], set(&[0, 2]));
        let chain = recorded(false, &[(false, &[]), (false, &[]), (false, &[])]);
        assert_eq!(chain.before()[2], set(&[0, 1]));
    }
}
