//! What command-buffers and the kernels that are recorded must answer.

use super::known::{Known, bits, object, only_queue};
use super::objects::list;
use super::{Question, Wanted};
use crate::host::constant::cl;
use crate::host::function::{Class, Function};
use crate::host::program::Call;
use crate::host::value::{Layout, Slot, Value};
use crate::rule;

/// What a command-buffer answers after the calls that were `done`. What properties there are without a list, and
/// whether one that is not complete is pending (before version 0.9.8), is left open; and of one that can be updated,
/// whether its kernels have their arguments.
pub(super) fn of_command_buffer(known: &Known<'_>, buffer: Slot, done: &[&Call]) -> Vec<Question> {
    let function = Function::GetCommandBufferInfoKHR;
    let ask = |name, wanted| Question::new(function, buffer, name, wanted);
    let references = Wanted::references();
    let mut all = vec![
        ask(cl::CL_COMMAND_BUFFER_REFERENCE_COUNT_KHR, references),
        ask(cl::CL_COMMAND_BUFFER_NUM_QUEUES_KHR, Wanted::word(1)),
    ];
    let Some(call) = known.made(buffer) else {
        return all;
    };
    let queue = only_queue(call);
    let queues = cl::CL_COMMAND_BUFFER_QUEUES_KHR;
    all.extend(queue.map(|queue| ask(queues, Wanted::object(queue))));
    let properties = call.arguments.get(2).filter(|list| **list != Value::Null);
    let array = cl::CL_COMMAND_BUFFER_PROPERTIES_ARRAY_KHR;
    all.extend(
        properties
            .and_then(properties_of)
            .map(|wanted| ask(array, wanted)),
    );
    // It came with version 0.9.2.
    all.extend(known.context(buffer).map(|context| {
        let name = cl::CL_COMMAND_BUFFER_CONTEXT_KHR;
        let mut question = ask(name, Wanted::object(context));
        question.unless.push(cl::CL_INVALID_VALUE.value() as i32);
        question
    }));
    let with = |function, place| {
        done.iter().any(|call| {
            call.function == function
                && object(call, place) == Some(buffer)
                && !call.expect.refused()
        })
    };
    let finalized = with(Function::FinalizeCommandBufferKHR, 0);
    let open = is_mutable(call) || with(Function::EnqueueCommandBufferKHR, 2);
    let state = match (finalized, open) {
        (false, _) => Wanted::word(cl::CL_COMMAND_BUFFER_STATE_RECORDING_KHR),
        (true, false) => Wanted::word(cl::CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR),
        // Executable, or pending; or finalized, whose number is that of pending.
        (true, true) => Wanted::Number(4, 1, 2),
    };
    let question = ask(cl::CL_COMMAND_BUFFER_STATE_KHR, state);
    all.push(question.about(rule::CB_LIFECYCLE));
    all
}

/// The properties of a command-buffer as they must be answered: "the values specified in the properties argument". Nothing
/// says in which order several are, so that of these only the length is known.
fn properties_of(given: &Value) -> Option<Wanted> {
    match given {
        Value::List(_, all) if all.len() > 3 => Some(Wanted::Length(8 * all.len())),
        given => list(given),
    }
}

/// Whether a call makes a command-buffer that can be updated.
fn is_mutable(made: &Call) -> bool {
    let Some(Value::List(_, properties)) = made.arguments.get(2) else {
        return false;
    };
    let flags = properties
        .chunks_exact(2)
        .find(|pair| bits(&pair[0]) == Some(cl::CL_COMMAND_BUFFER_FLAGS_KHR.value() as u64));
    let mutable = cl::CL_COMMAND_BUFFER_MUTABLE_KHR.value() as u64;
    flags.is_some_and(|pair| bits(&pair[1]).is_some_and(|flags| flags & mutable != 0))
}

/// The offset, the global and the local size in an update, from this member of the structure on.
const SIZES: usize = 8;

/// What a recorded kernel answers after the calls that were `done`: the sizes that it was recorded with, or those of the
/// last update that has some. Its handle goes with its command-buffer.
pub(super) fn of_mutable_command(known: &Known<'_>, handle: Slot, done: &[&Call]) -> Vec<Question> {
    let Some(call) = known.made(handle) else {
        return Vec::new();
    };
    let Some(buffer) = object(call, 0) else {
        return Vec::new();
    };
    let given_up = |call: &&Call| call.arguments.contains(&Value::Take(buffer));
    if done.iter().any(given_up) {
        return Vec::new();
    }
    let function = Function::GetMutableCommandInfoKHR;
    let ask =
        |name, wanted| Question::new(function, handle, name, wanted).about(rule::CB_UPDATE_INFO);
    let dimensions = call.arguments.get(4).and_then(bits).unwrap_or(0);
    let command = cl::CL_COMMAND_NDRANGE_KERNEL;
    let mut all = vec![
        ask(
            cl::CL_MUTABLE_COMMAND_COMMAND_BUFFER_KHR,
            Wanted::object(buffer),
        ),
        ask(
            cl::CL_MUTABLE_COMMAND_COMMAND_TYPE_KHR,
            Wanted::word(command),
        ),
        ask(
            cl::CL_MUTABLE_DISPATCH_DIMENSIONS_KHR,
            Wanted::word(dimensions),
        ),
    ];
    let queue = known.made(buffer).and_then(only_queue);
    let queues = cl::CL_MUTABLE_COMMAND_COMMAND_QUEUE_KHR;
    all.extend(queue.map(|queue| ask(queues, Wanted::object(queue))));
    let array = cl::CL_MUTABLE_COMMAND_PROPERTIES_ARRAY_KHR;
    all.extend(
        call.arguments
            .get(2)
            .and_then(list)
            .map(|wanted| ask(array, wanted)),
    );
    let kernel = cl::CL_MUTABLE_DISPATCH_KERNEL_KHR;
    all.extend(object(call, 3).map(|of| ask(kernel, Wanted::object(of))));
    let names = [
        cl::CL_MUTABLE_DISPATCH_GLOBAL_WORK_OFFSET_KHR,
        cl::CL_MUTABLE_DISPATCH_GLOBAL_WORK_SIZE_KHR,
        cl::CL_MUTABLE_DISPATCH_LOCAL_WORK_SIZE_KHR,
    ];
    let updates = done.iter().flat_map(|call| updates(call, handle));
    let updates: Vec<&[Value]> = updates.collect();
    for (n, name) in names.into_iter().enumerate() {
        let updated = updates.iter().rev().map(|update| &update[SIZES + n]);
        let mut sizes = updated.chain(call.arguments.get(5 + n));
        let given = sizes.find_map(|sizes| match sizes {
            Value::List(_, sizes) => Some(sizes.clone()),
            _ => None,
        });
        // "If a local work-item size was not set, zero is returned for each element in the array."
        let given = given.unwrap_or_else(|| vec![Value::Number(0); dimensions as usize]);
        let each = given.into_iter().map(|size| (Class::Long, size));
        all.push(ask(name, Wanted::Values(each.collect())));
    }
    all
}

/// What a call says of a command, where it updates it.
fn updates(call: &Call, handle: Slot) -> impl Iterator<Item = &[Value]> {
    let given: &[Value] = match call.arguments.get(3) {
        Some(Value::List(_, all))
            if call.function == Function::UpdateMutableCommandsKHR && !call.expect.refused() =>
        {
            all
        }
        _ => &[],
    };
    given.iter().filter_map(move |one| match one {
        Value::Struct(Layout::KernelUpdate, members)
            if members.first() == Some(&Value::Slot(handle)) =>
        {
            Some(members.as_slice())
        }
        _ => None,
    })
}
