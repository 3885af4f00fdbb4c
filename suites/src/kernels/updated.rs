//! Kernels of command-buffers that are updated between enqueues (`cl_khr_command_buffer_mutable_dispatch`).
//!
//! An update says what a kernel does from then on; lowered, it mentions what differs from what the kernel did, and
//! nothing else: what is not mentioned has to stay.

use super::case::{KernelCase, Step};
use super::recorded::{Action, Form, Mix, Record, Recorded};
use serde::{Deserialize, Serialize};

/// The handle of a recorded kernel.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Handle {
    /// CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR; without it all that the device can update.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fields: Option<u8>,
    /// Its arguments are not set when it is recorded: the first update of it sets them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub late: bool,
}

/// CL_MUTABLE_DISPATCH_GLOBAL_OFFSET_KHR.
pub const OFFSET: u8 = 1;
/// CL_MUTABLE_DISPATCH_GLOBAL_SIZE_KHR.
pub const GLOBAL: u8 = 1 << 1;
/// CL_MUTABLE_DISPATCH_LOCAL_SIZE_KHR.
pub const LOCAL: u8 = 1 << 2;
/// CL_MUTABLE_DISPATCH_ARGUMENTS_KHR.
pub const ARGUMENTS: u8 = 1 << 3;

/// Kernels of a command-buffer are updated, all by one call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Update {
    /// The step that records it.
    pub record: u16,
    /// What they do from now on.
    pub changes: Vec<Change>,
    /// The call has another change after these, which must be refused: all stay as they are.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub refused: bool,
}

/// What a kernel does from an update on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Change {
    /// The command, by its place.
    pub command: u16,
    /// The same kernel, with other arguments and sizes.
    pub to: Action,
}

/// The kernel of a recorded command is enqueued by itself, with the arguments that it has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Again {
    /// The step that records it.
    pub record: u16,
    /// The command, by its place.
    pub command: u16,
}

impl Recorded {
    /// Whether only kernels of mutable command-buffers have handles, and those of capped ones sizes of groups.
    pub(super) fn handle_fits(&self, of: &Record) -> bool {
        let form = match &self.what {
            Action::Mix(Mix { form, .. }) => *form,
            Action::Sample(_) => None,
            Action::Move(_) | Action::Barrier => return self.handle.is_none(),
        };
        let sized = form.is_some_and(|form| form.local.is_some());
        // "If the kernel argument values have not been specified and the CL_MUTABLE_DISPATCH_ARGUMENTS_KHR flag was not
        // set in the properties parameter".
        let named = |handle: &Handle| handle.fields.is_some_and(|all| all & ARGUMENTS != 0);
        let handle = self.handle.as_ref();
        handle.is_none_or(|handle| of.mutable && (!handle.late || named(handle)))
            && (!of.capped || sized)
    }
}

impl Form {
    /// How many work-groups it has, where their size is given.
    fn groups(&self) -> Option<u32> {
        let local = self.local?;
        let each = self.global.iter().zip(local);
        Some(each.map(|(global, local)| global.div_ceil(local)).product())
    }

    /// Whether an update makes this of another, of as many dimensions: lists that it has stay lists.
    fn may_follow(&self, old: &Form) -> bool {
        self.dimensions == old.dimensions
            && (self.offset.is_some() || old.offset.is_none())
            && (self.local.is_some() || old.local.is_none())
    }
}

impl Action {
    /// The fields that an update mentions which makes another of it; none where no update does.
    pub fn fields_to(&self, case: &KernelCase, other: &Action) -> Option<u8> {
        let one = |differs: bool, field: u8| if differs { field } else { 0 };
        match (self, other) {
            (Action::Mix(old), Action::Mix(new)) => {
                let forms = match (old.form, new.form) {
                    (None, None) => one(old.words != new.words, GLOBAL),
                    (Some(old), Some(new)) if new.may_follow(&old) => {
                        one(old.offset != new.offset, OFFSET)
                            | one(old.global != new.global, GLOBAL)
                            | one(old.local != new.local, LOCAL)
                            | one(old != new, ARGUMENTS)
                    }
                    _ => return None,
                };
                let given = |mix: &Mix| (mix.from, mix.to, mix.add, mix.turns);
                let arguments = one(given(old) != given(new), ARGUMENTS);
                (old.stays == new.stays).then_some(forms | arguments)
            }
            (Action::Sample(old), Action::Sample(new)) => {
                let arguments = one((old.from, old.to) != (new.from, new.to), ARGUMENTS);
                let sizes = one(old.size(case) != new.size(case), GLOBAL);
                (old.then == new.then).then_some(arguments | sizes)
            }
            _ => None,
        }
    }
}

impl Record {
    /// Lets commands do something else.
    pub fn update(&mut self, changes: &[Change]) {
        for change in changes {
            if let Some(command) = self.commands.get_mut(usize::from(change.command)) {
                command.what = change.to.clone();
            }
        }
    }
}

/// The changes of a step, with the step that records what they change.
fn changes(step: &Step) -> Option<(u16, &[Change])> {
    match step {
        Step::Update(update) if !update.refused => Some((update.record, &update.changes)),
        Step::Play(play) => Some((play.record, &play.update)),
        _ => None,
    }
}

impl KernelCase {
    /// A command-buffer as the updates before a step have left it.
    pub fn record_at(&self, record: u16, step: usize) -> Option<Record> {
        let mut made = self.record(record)?.clone();
        let before = self.steps[..step].iter().filter_map(changes);
        before
            .filter(|(of, _)| *of == record)
            .for_each(|(_, changes)| made.update(changes));
        Some(made)
    }

    /// Whether an update before a step has given a command arguments.
    pub fn is_updated(&self, record: u16, command: u16, step: usize) -> bool {
        let before = self.steps[..step].iter().filter_map(changes);
        let mut own = before.filter(|(of, _)| *of == record);
        own.any(|(_, changes)| changes.iter().any(|change| change.command == command))
    }

    /// Whether every kernel of a command-buffer has its arguments before a step.
    pub fn has_arguments(&self, record: u16, step: usize) -> bool {
        let Some(made) = self.record(record) else {
            return false;
        };
        let mut commands = made.commands.iter().enumerate();
        commands.all(|(n, command)| {
            let late = command.handle.is_some_and(|handle| handle.late);
            !late || self.is_updated(record, n as u16, step)
        })
    }

    /// Whether a step may update a command-buffer so: each command once, to what its handle allows; and nothing races
    /// then.
    pub fn changes_fit(&self, record: u16, changes: &[Change], step: usize) -> bool {
        let (Some(first), Some(mut made)) = (self.record(record), self.record_at(record, step))
        else {
            return false;
        };
        let groups = |what: &Action| match what {
            Action::Mix(mix) => mix.form.and_then(|form| form.groups()),
            Action::Sample(_) | Action::Move(_) | Action::Barrier => None,
        };
        let one = |(n, change): (usize, &Change)| {
            let place = usize::from(change.command);
            let (Some(original), Some(old)) = (first.commands.get(place), made.commands.get(place))
            else {
                return false;
            };
            let late =
                |handle: &Handle| handle.late && !self.is_updated(record, change.command, step);
            let allowed = original.handle.is_some_and(|handle| {
                let fields = old.what.fields_to(self, &change.to);
                let all = if late(&handle) { ARGUMENTS } else { 0 };
                let named = handle.fields.unwrap_or(u8::MAX);
                fields.is_some_and(|fields| (fields | all) & !named == 0)
            });
            let twice = changes[..n]
                .iter()
                .any(|other| other.command == change.command);
            let capped = !first.capped || groups(&change.to) <= groups(&original.what);
            allowed && !twice && capped
        };
        let before = usize::from(record) < step && !self.is_given_up(record, step);
        if !before || changes.is_empty() || !changes.iter().enumerate().all(one) {
            return false;
        }
        made.update(changes);
        made.commands_fit(self)
    }

    /// Whether a command can be enqueued by itself: a kernel that keeps its arguments.
    pub fn again_fits(&self, again: &Again, step: usize) -> bool {
        let record = self.record(again.record);
        let command = record.and_then(|it| it.commands.get(usize::from(again.command)));
        let own = |command: &Recorded| {
            let kept = matches!(command.what, Action::Mix(Mix { stays: true, .. }));
            kept && command.handle.is_some_and(|handle| !handle.late)
        };
        usize::from(again.record) < step && command.is_some_and(own)
    }
}
