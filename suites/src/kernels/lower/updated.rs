//! Updates of recorded kernels: what a call mentions of what changes.

use super::Lower;
use super::recorded::{Held, range, told};
use crate::host::check::{Check, Right, That};
use crate::host::constant::cl;
use crate::host::*;
use crate::kernels::recorded::{Action, Mix, Sample};
use crate::kernels::updated::{ARGUMENTS, Again, Change, GLOBAL, LOCAL, OFFSET};
use crate::rule;
use classay_vocabulary::Need;

/// What an argument of a recorded kernel is given.
#[derive(PartialEq)]
pub(super) enum Given {
    /// An object of the case.
    Object(Slot),
    /// Bytes.
    Bytes(Vec<u8>),
    /// Local memory of so many words.
    Room(u32),
}

/// The arguments of a kernel, by their numbers.
type Arguments = Vec<(u32, Given)>;

fn word(value: u32) -> Given {
    Given::Bytes(value.to_ne_bytes().into())
}

/// The arguments of `mixed`, or of `shaped`.
pub(super) fn of_mix(mix: &Mix) -> Arguments {
    let offset = |byte: usize| word((byte / 4) as u32);
    let mut all = vec![
        (0, Given::Object(mix.from.object)),
        (1, offset(mix.from.byte)),
        (2, Given::Object(mix.to.object)),
        (3, offset(mix.to.byte)),
        (4, word(mix.add)),
        (5, word(mix.turns)),
    ];
    if let Some(form) = &mix.form {
        let words = told(form).into_iter().flat_map(u32::to_ne_bytes);
        all.push((6, Given::Bytes(words.collect())));
        all.push((7, Given::Room(form.group().unwrap_or(1))));
    }
    all
}

/// The arguments of `sampled` that updates change: not its sampler.
fn of_sample(sample: &Sample) -> Arguments {
    vec![
        (0, Given::Object(sample.from)),
        (2, Given::Object(sample.to.object)),
        (3, word((sample.to.byte / 4) as u32)),
    ]
}

/// The flags of fields.
pub(super) fn flags(fields: u8) -> Vec<Constant> {
    let all = [
        (OFFSET, cl::CL_MUTABLE_DISPATCH_GLOBAL_OFFSET_KHR),
        (GLOBAL, cl::CL_MUTABLE_DISPATCH_GLOBAL_SIZE_KHR),
        (LOCAL, cl::CL_MUTABLE_DISPATCH_LOCAL_SIZE_KHR),
        (ARGUMENTS, cl::CL_MUTABLE_DISPATCH_ARGUMENTS_KHR),
    ];
    let set = all.into_iter().filter(|(field, _)| fields & field != 0);
    set.map(|(_, flag)| flag).collect()
}

impl Lower<'_> {
    /// What a command-buffer must be, and how it must refuse to be enqueued, before its kernels have their arguments.
    pub(super) fn lacks_arguments(&mut self, buffer: Slot) {
        let says = "the state of a command-buffer whose kernels lack arguments is {}";
        self.state(buffer, cl::CL_COMMAND_BUFFER_STATE_FINALIZED_KHR, says);
        let none = || Value::Null;
        let of = values![0, none(), buffer, 0, none(), none()];
        let code = cl::CL_INVALID_OPERATION.value() as i32;
        let sentence = "if _command_buffer_ is not in the <<executable, Executable>> state.";
        let rules = vec![rule::CB_LATE_ARGUMENTS, rule::API_ERRORS];
        let call = Call::new(Function::EnqueueCommandBufferKHR, of).about(rules);
        self.add(call.refused(vec![code], sentence));
    }

    fn state(&mut self, buffer: Slot, wanted: Constant, says: &str) {
        let state = self.b.answer();
        let of = values![buffer, cl::CL_COMMAND_BUFFER_STATE_KHR];
        let function = Function::GetCommandBufferInfoKHR;
        self.add(Call::ask(function, of, 4, state));
        let right = That::Number(state, Right::Among(vec![wanted.value()]));
        let rules = vec![rule::CB_LATE_ARGUMENTS, rule::API_ANSWERS];
        self.checks.push(Check::new(rules, says, right));
    }

    /// Updates kernels by one call, which mentions what differs; or has one refused that says too much of the last.
    pub(super) fn update(&mut self, n: usize, record: u16, changes: &[Change], refused: bool) {
        let Some(made) = self.recorded.get(&usize::from(record)) else {
            return;
        };
        let Some(now) = self.case.record_at(record, n) else {
            return;
        };
        let (buffer, handles) = (made.buffer, made.handles.clone());
        let mut configs = Vec::new();
        let mut last = None;
        for change in changes {
            let place = usize::from(change.command);
            let (Some(held), Some(command)) =
                (handles.get(&change.command), now.commands.get(place))
            else {
                continue;
            };
            let late = command.handle.is_some_and(|handle| handle.late);
            let first = late && !self.case.is_updated(record, change.command, n);
            configs.push(self.config(held, &command.what, &change.to, first));
            last = Some((held.handle, dimensions(&change.to)));
        }
        if let Some((handle, dimensions)) = last.filter(|_| refused) {
            configs.push(config(
                handle,
                dimensions % 3 + 1,
                [&[], &[]],
                [const { Value::Null }; 3],
            ));
        }
        let kind = cl::CL_STRUCTURE_TYPE_MUTABLE_DISPATCH_CONFIG_KHR;
        let kinds = configs.iter().map(|_| kind);
        let of = values![
            buffer,
            configs.len(),
            Value::words(kinds),
            Value::list(Class::Pointer, configs.clone())
        ];
        let call = Call::new(Function::UpdateMutableCommandsKHR, of);
        if refused {
            let code = cl::CL_INVALID_OPERATION.value() as i32;
            let sentence = "if _work_dim_ is not zero and different from the _work_dim_ set on _command_ recording.";
            let rules = vec![rule::CB_UPDATE_ALL, rule::API_ERRORS];
            self.add(call.about(rules).refused(vec![code], sentence));
            return;
        }
        self.add(call.about(vec![rule::CB_UPDATE, rule::API_VALID]));
        let lacked = !self.case.has_arguments(record, n);
        // The step itself counts, too.
        if lacked && self.case.has_arguments(record, n + 1) {
            let says = "the state of a command-buffer whose kernels have got their arguments is {}";
            self.state(buffer, cl::CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR, says);
        }
    }

    /// What one change says: all arguments where it is the first to give any.
    fn config(&self, held: &Held, old: &Action, new: &Action, first: bool) -> Value {
        let (old_arguments, arguments) = match (old, new) {
            (Action::Mix(old), Action::Mix(new)) => (of_mix(old), of_mix(new)),
            (Action::Sample(old), Action::Sample(new)) => (of_sample(old), of_sample(new)),
            _ => Default::default(),
        };
        let (mut plain, mut pointers) = (Vec::new(), Vec::new());
        for (argument, old) in arguments.into_iter().zip(old_arguments) {
            if !first && argument == old {
                continue;
            }
            let (n, given) = argument;
            match given {
                Given::Object(id) if self.case.objects[id.index()].kind.addressed() => {
                    pointers.extend(values![n, 0, id.at(0)]);
                }
                Given::Object(id) => plain.extend(values![n, 8, Value::objects([id])]),
                Given::Bytes(bytes) => plain.extend(values![n, bytes.len(), Value::Bytes(bytes)]),
                Given::Room(words) => plain.extend(values![n, 4 * words, Value::Null]),
            }
        }
        let (before, after) = (self.sizes(old), self.sizes(new));
        let differ = |n: usize| match before[n] == after[n] {
            true => Value::Null,
            false => after[n].clone(),
        };
        let sizes = [differ(0), differ(1), differ(2)];
        // "May be set to zero to signify the number of dimensions is not changed", from version 0.9.4 on.
        let newer = self.case.needs.contains(&Need::MutableDispatch(4));
        let unchanged = newer && sizes.iter().all(|size| *size == Value::Null);
        let dimensions = if unchanged { 0 } else { dimensions(new) };
        config(held.handle, dimensions, [&plain, &pointers], sizes)
    }

    /// The offset, the global and the local size of a kernel, as calls give them.
    fn sizes(&self, what: &Action) -> [Value; 3] {
        match what {
            Action::Mix(mix) => {
                let mut all = range(mix).into_iter().skip(1);
                [(); 3].map(|()| all.next().unwrap_or(Value::Null))
            }
            Action::Sample(sample) => {
                let [width, height, _] = sample.size(self.case);
                [Value::Null, Value::sizes([width, height]), Value::Null]
            }
            Action::Move(_) | Action::Barrier => [const { Value::Null }; 3],
        }
    }

    /// Enqueues the kernel of a recorded command by itself.
    pub(super) fn again(&mut self, again: &Again) {
        let made = self.recorded.get(&usize::from(again.record));
        let held = made.and_then(|made| made.handles.get(&again.command).copied());
        let record = self.case.record(again.record);
        let command = record.and_then(|it| it.commands.get(usize::from(again.command)));
        let (Some(held), Some(Action::Mix(mix))) = (held, command.map(|one| &one.what)) else {
            return;
        };
        let of = [values![held.kernel], range(mix)].concat();
        let function = Function::EnqueueNDRangeKernel;
        self.add(Call::enqueue(function, self.queues[0], of, &[], None));
    }
}

/// How many dimensions a kernel has.
fn dimensions(what: &Action) -> u8 {
    match what {
        Action::Mix(mix) => mix.form.map_or(1, |form| form.dimensions),
        Action::Sample(_) => 2,
        Action::Move(_) | Action::Barrier => 1,
    }
}

/// One update, with arguments by their kinds and sizes.
fn config(handle: Slot, dimensions: u8, given: [&[Value]; 2], sizes: [Value; 3]) -> Value {
    let members = Layout::UpdatedArgument.members().len();
    let list = |all: &[Value]| match all {
        [] => Value::Null,
        all => Value::Struct(Layout::UpdatedArgument, all.to_vec()),
    };
    let [plain, pointers] = given;
    let [offset, global, local] = sizes;
    let all = values![
        handle,
        plain.len() / members,
        pointers.len() / members,
        0,
        dimensions,
        list(plain),
        list(pointers),
        Value::Null,
        offset,
        global,
        local
    ];
    Value::Struct(Layout::KernelUpdate, all)
}
