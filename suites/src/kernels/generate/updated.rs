//! Command-buffers whose kernels are updated between enqueues.

use super::builder::{CaseBuilder, at};
use super::recorded::{Draw, source, to_sample};
use crate::choices::Choices;
use crate::kernels::case::{KernelCase, Kind, Step};
use crate::kernels::recorded::{Action, Form, Mix, Play, Record};
use crate::kernels::updated::{ARGUMENTS, Again, Change, GLOBAL, Handle, LOCAL, OFFSET, Update};
use crate::rule::{self, RuleId};
use classay_vocabulary::Need;

/// Commands of a command-buffer, at most.
const MOST: usize = 4;

/// Draws of a change, at most, before a kernel stays as it is.
const TRIES: usize = 12;

/// Command-buffers whose kernels change: their arguments, offsets and sizes.
pub fn updated(choices: &mut Choices) -> KernelCase {
    let svm = choices.percent(25);
    let mut case = CaseBuilder::new("command-buffers whose kernels are updated between enqueues");
    case.case.source = source();
    // From version 0.9.4 on kernels may get their arguments later. What copies shared memory came with version 0.9.4 of
    // that of command-buffers. With older versions than 0.9.3 updates are other structures.
    let newest = choices.percent(40);
    let updates = Need::MutableDispatch(if newest { 4 } else { 3 });
    let buffers = Need::CommandBuffers(if svm { 4 } else { 0 });
    case.need(&[buffers, updates, Need::UpdatedArguments, Need::UpdatedSizes]);
    case.need_if(svm, &[Need::SvmCoarse]);
    let bytes = 4 * choices.one_of(&[32, 64, 100, 256]);
    let kind = if svm { Kind::SvmCoarse } else { Kind::Buffer };
    let memory = (0..choices.between(3, 4))
        .map(|_| case.noise(choices, kind, bytes))
        .collect();
    let sampled = (!svm && choices.percent(20)).then(|| to_sample(choices, &mut case));
    let stays = choices.percent(60);
    let mut draw = Draw {
        choices,
        case,
        memory,
        images: Vec::new(),
        sampled,
        svm,
        mixes: true,
        stays,
        parts: false,
    };
    let mut rules: Vec<RuleId> = vec![rule::CB_UPDATE, rule::CB_UPDATE_KEEPS];
    for _ in 0..draw.choices.between(1, 2) {
        draw.changing(newest, &mut rules);
    }
    draw.between();
    draw.look(&rules);
    draw.case.case.profiled = draw.choices.percent(30);
    draw.case.case
}

/// Puts a rule before those that more steps are about.
fn first(rules: &mut Vec<RuleId>, rule: RuleId) {
    if !rules.contains(&rule) {
        rules.insert(0, rule);
    }
}

/// Adds rules that are not there yet.
fn and(rules: &mut Vec<RuleId>, more: impl IntoIterator<Item = RuleId>) {
    for rule in more {
        if !rules.contains(&rule) {
            rules.push(rule);
        }
    }
}

impl Draw<'_> {
    /// One command-buffer, with its updates and enqueues.
    fn changing(&mut self, newest: bool, rules: &mut Vec<RuleId>) {
        self.between();
        let made = self.kernels(newest);
        let step = self.case.case.steps.len() as u16;
        and(rules, made.rules());
        let (at_once, commands) = (made.at_once, made.commands.len());
        let kept: Vec<u16> = (0..commands as u16).collect();
        self.case.step(Step::Record(made));
        let mut ready = self.is_ready(step);
        for _ in 0..self.choices.between(3, 6) {
            self.between();
            match self.choices.below(10) {
                0..=2 => self.update(step, ready, rules),
                _ if !ready => self.update(step, ready, rules),
                3 => {
                    let command = self.choices.pick(&kept).unwrap_or(0);
                    let again = Again {
                        record: step,
                        command,
                    };
                    let now = self.case.case.steps.len();
                    if self.case.case.again_fits(&again, now) {
                        first(rules, rule::CB_UPDATE_KERNEL);
                        self.case.step(Step::Again(again));
                    }
                }
                4 => self.look(&rules.clone()),
                _ => self.play_once(step, at_once, rules),
            }
            ready = self.is_ready(step);
        }
        if !ready {
            self.update(step, ready, rules);
        }
        if self.is_ready(step) {
            self.play_once(step, at_once, rules);
        }
    }

    /// Whether the kernels of a command-buffer have their arguments.
    fn is_ready(&self, record: u16) -> bool {
        let case = &self.case.case;
        case.has_arguments(record, case.steps.len())
    }

    /// An update, or one that is refused.
    fn update(&mut self, record: u16, ready: bool, rules: &mut Vec<RuleId>) {
        let refused = ready && self.choices.percent(25);
        let changes = self.changes(record);
        if changes.is_empty() {
            return;
        }
        if refused {
            first(rules, rule::CB_UPDATE_ALL);
        }
        self.case.step(Step::Update(Update {
            record,
            changes,
            refused,
        }));
    }

    fn play_once(&mut self, record: u16, at_once: bool, rules: &mut Vec<RuleId>) {
        let held = self.choices.percent(if at_once { 50 } else { 15 });
        let pending = held && at_once && self.choices.percent(70);
        let update = match pending {
            true => self.changes(record),
            false => Vec::new(),
        };
        if !update.is_empty() {
            first(rules, rule::CB_UPDATE_LATER);
        }
        let again = [1, 1, 2];
        self.case.step(Step::Play(Play {
            record,
            times: if at_once {
                self.choices.one_of(&again)
            } else {
                1
            },
            held,
            awaited: !at_once || self.choices.percent(40),
            update,
            ..Play::default()
        }));
    }

    /// A command-buffer of kernels, most of which have handles, and of little else.
    fn kernels(&mut self, newest: bool) -> Record {
        let mut record = Record {
            out_of_order: self.choices.percent(40),
            at_once: self.choices.percent(65),
            mutable: true,
            capped: self.choices.percent(20),
            ..Record::default()
        };
        self.case.need_if(
            record.out_of_order,
            &[Need::CommandBuffersOutOfOrder, Need::OutOfOrderQueue],
        );
        self.case
            .need_if(record.at_once, &[Need::CommandBuffersAtOnce]);
        for _ in 0..self.choices.between(1, MOST) {
            let what = match self.choices.below(8) {
                0 if !record.commands.is_empty() => Action::Barrier,
                1 => Action::Move(self.transfer()),
                2 if !record.capped
                    && let Some(sample) = self.sample() =>
                {
                    Action::Sample(sample)
                }
                _ => self.kernel(record.capped),
            };
            let handle = self.handle_of(&what, newest);
            self.add(&mut record, what, handle);
        }
        // There is one to update.
        if record.commands.iter().all(|one| one.handle.is_none()) {
            let what = self.kernel(record.capped);
            self.add(&mut record, what, Some(Handle::default()));
        }
        record
    }

    /// A kernel; one that is given the size of its groups, where there must not become more of them.
    fn kernel(&mut self, capped: bool) -> Action {
        let mut mix = self.mix();
        if capped {
            let dimensions = self.choices.between(1, 3);
            mix.form = Some(self.shape(dimensions, mix.words, [60, 100]));
        }
        Action::Mix(mix)
    }

    /// The handle of a kernel, mostly.
    fn handle_of(&mut self, what: &Action, newest: bool) -> Option<Handle> {
        let is_mix = match what {
            Action::Mix(_) => true,
            Action::Sample(_) => false,
            Action::Move(_) | Action::Barrier => return None,
        };
        if !self.choices.percent(85) {
            return None;
        }
        let all = [OFFSET, GLOBAL, LOCAL, ARGUMENTS];
        let fields = match self.choices.below(5) {
            0 | 1 => None,
            2 | 3 => Some(all.iter().sum()),
            _ => {
                let some = all.into_iter().filter(|_| self.choices.percent(60));
                Some(some.sum::<u8>() | self.choices.one_of(&all))
            }
        };
        let late = newest && is_mix && self.choices.percent(30);
        let fields = match late {
            true => Some(fields.unwrap_or(0) | ARGUMENTS),
            false => fields,
        };
        Some(Handle { fields, late })
    }

    /// Changes of some kernels; of each one that lacks arguments.
    fn changes(&mut self, record: u16) -> Vec<Change> {
        let step = self.case.case.steps.len();
        let Some(now) = self.case.case.record_at(record, step) else {
            return Vec::new();
        };
        let mut changes: Vec<Change> = Vec::new();
        for (n, command) in now.commands.iter().enumerate() {
            let Some(handle) = command.handle else {
                continue;
            };
            let n = n as u16;
            let lacks = handle.late && !self.case.case.is_updated(record, n, step);
            if !lacks && !self.choices.percent(65) {
                continue;
            }
            let fits = |draw: &Draw<'_>, to: &Action, changes: &[Change]| {
                let change = Change {
                    command: n,
                    to: to.clone(),
                };
                let all = [changes, &[change]].concat();
                draw.case
                    .case
                    .changes_fit(record, &all, step)
                    .then_some(all)
            };
            let mut drawn = None;
            for _ in 0..TRIES {
                let to = self.other(&command.what);
                drawn = (to != command.what)
                    .then(|| fits(self, &to, &changes))
                    .flatten();
                if drawn.is_some() {
                    break;
                }
            }
            if drawn.is_none() && lacks {
                drawn = fits(self, &command.what, &changes);
            }
            changes = drawn.unwrap_or(changes);
        }
        changes
    }

    /// The same kernel with something else.
    fn other(&mut self, what: &Action) -> Action {
        match what {
            Action::Mix(mix) => {
                let mut mix = *mix;
                for _ in 0..self.choices.between(1, 3) {
                    self.alter(&mut mix);
                }
                Action::Mix(mix)
            }
            Action::Sample(sample) => {
                let mut new = *sample;
                if let Some(other) = self.sample() {
                    new.to = other.to;
                    if self.choices.percent(60) {
                        new.from = other.from;
                    }
                }
                Action::Sample(new)
            }
            Action::Move(_) | Action::Barrier => what.clone(),
        }
    }

    /// Gives a kernel another argument, or other sizes.
    fn alter(&mut self, mix: &mut Mix) {
        match self.choices.below(7) {
            0 => mix.add = self.choices.below(1 << 16) as u32,
            1 => mix.turns = self.choices.one_of(&[1, 2, 100, 20_000]),
            2 => {
                let object = self.choices.pick(&self.memory).unwrap_or(mix.to.object);
                let room = self.bytes(object) / 4 + 1;
                let most = room.saturating_sub(mix.words as usize);
                mix.to = at(object, 4 * self.choices.below(most));
            }
            3 => {
                let object = self.choices.pick(&self.memory).unwrap_or(mix.from.object);
                let room = self.bytes(object) / 4 + 1;
                let most = room.saturating_sub(mix.words as usize);
                mix.from = at(object, 4 * self.choices.below(most));
            }
            4 if let Some(form) = &mut mix.form => {
                let mut offset = [0; 3];
                let count = usize::from(form.dimensions).min(3);
                offset[..count].fill_with(|| self.choices.below(1000) as u32);
                form.offset = Some(offset);
            }
            5 if let Some(form) = mix.form => mix.form = Some(self.shape_like(form, mix.words)),
            _ => {
                let left = [mix.from, mix.to].map(|at| (self.bytes(at.object) - at.byte) / 4);
                let most = left[0].min(left[1]).max(1);
                mix.words = self.choices.between(1, most) as u32;
                mix.form = mix.form.map(|form| self.shape_like(form, mix.words));
            }
        }
    }

    /// An ND-range of as many dimensions, with the lists that another has.
    fn shape_like(&mut self, form: Form, words: u32) -> Form {
        let chance = |is: bool, other: usize| if is { 100 } else { other };
        let lists = [
            chance(form.offset.is_some(), 20),
            chance(form.local.is_some(), 20),
        ];
        let mut new = self.shape(form.dimensions.into(), words, lists);
        // Half of the time an offset stays.
        if form.offset.is_some() && self.choices.percent(50) {
            new.offset = form.offset;
        }
        new
    }
}
