//! What kernels must answer.

use super::known::{Known, Origin, bits, object};
use super::programs;
use super::signature::Argument;
use super::{Question, Wanted};
use crate::host::constant::{Constant, cl};
use crate::host::function::{Class, Function};
use crate::host::program::{Call, Fixture, ProgramOf};
use crate::host::value::{Slot, Value};
use std::collections::BTreeMap;

/// The program of a kernel and the kernel's name, where that is known.
fn named(known: &Known<'_>, kernel: Slot) -> Option<(Slot, Option<String>)> {
    match known.origin(kernel)? {
        Origin::Fixture(Fixture::Kernel { program, name, .. }) => {
            Some((*program, Some(name.clone())))
        }
        Origin::Made(call) => match (call.function, &call.arguments[..]) {
            (Function::CreateKernel, [Value::Slot(program), Value::Text(name)]) => {
                Some((*program, Some(name.clone())))
            }
            // Which of several kernels of a program is where is not said.
            (Function::CreateKernelsInProgram, [Value::Slot(program), ..]) => {
                let sources = programs::made(known, *program, &[]).and_then(|made| made.sources);
                let kernels = sources.and_then(|sources| programs::kernels_of(&sources));
                let only = match kernels.as_deref() {
                    Some([only]) => Some(only.name.clone()),
                    _ => None,
                };
                Some((*program, only))
            }
            (Function::CloneKernel, [Value::Slot(other)]) => named(known, *other),
            _ => None,
        },
        Origin::Fixture(_) | Origin::Event(_) | Origin::Build(..) => None,
    }
}

/// The options that a program is built with, where they are known.
fn options_of(known: &Known<'_>, program: Slot) -> Option<String> {
    match known.origin(program)? {
        Origin::Fixture(Fixture::Program { build, .. }) | Origin::Build(_, _, build) => build
            .through_binary
            .is_none()
            .then(|| build.options.clone()),
        Origin::Made(_) => match known.builds(program) {
            [one] => match one.arguments.get(3) {
                Some(Value::Text(options)) => Some(options.clone()),
                _ => None,
            },
            _ => None,
        },
        Origin::Fixture(_) | Origin::Event(_) => None,
    }
}

/// Whether a program's kernels are "not created from OpenCL C source and the clCreateProgramWithSource API call", which
/// have no attributes; not where it is linked.
fn is_from_elsewhere(known: &Known<'_>, program: Slot) -> bool {
    match known.origin(program) {
        Some(Origin::Fixture(Fixture::Program { of, build, .. }) | Origin::Build(_, of, build)) => {
            build.through_binary.is_some()
                || match of {
                    ProgramOf::Module(_) | ProgramOf::Translated(_) | ProgramOf::BuiltIn(_) => true,
                    ProgramOf::Source(_) | ProgramOf::Units(_) => false,
                }
        }
        Some(Origin::Made(call)) => matches!(
            call.function,
            Function::CreateProgramWithBinary
                | Function::CreateProgramWithIL
                | Function::CreateProgramWithBuiltInKernels
        ),
        Some(Origin::Fixture(_) | Origin::Event(_)) | None => false,
    }
}

/// The sizes of local memory that a kernel's arguments were given last, by their numbers: by these calls, or before it was
/// copied from another kernel.
fn local_sizes(known: &Known<'_>, kernel: Slot, done: &[&Call]) -> BTreeMap<u64, u64> {
    if known.is_set_inside(kernel) {
        return BTreeMap::new();
    }
    let source = known
        .made(kernel)
        .filter(|call| call.function == Function::CloneKernel);
    let copied = source.and_then(|call| {
        let at = done.iter().position(|other| std::ptr::eq(*other, call))?;
        Some(local_sizes(known, object(call, 0)?, &done[..at]))
    });
    let mut sizes = copied.unwrap_or_default();
    let sets = done.iter().filter(|call| {
        let sets = call.function == Function::SetKernelArg && object(call, 0) == Some(kernel);
        sets && call.expect.codes == [0]
    });
    for call in sets {
        if let [_, index, size, Value::Null] = &call.arguments[..]
            && let (Some(index), Some(size)) = (bits(index), bits(size))
        {
            sizes.insert(index, size);
        }
    }
    sizes
}

/// What a kernel must answer after these calls.
pub fn of_kernel(known: &Known<'_>, kernel: Slot, done: &[&Call]) -> Vec<Question> {
    let ask = |name, wanted| Question::new(Function::GetKernelInfo, kernel, name, wanted);
    let mut all = vec![ask(cl::CL_KERNEL_REFERENCE_COUNT, Wanted::references())];
    let Some((program, name)) = named(known, kernel) else {
        return all;
    };
    all.push(ask(cl::CL_KERNEL_PROGRAM, Wanted::object(program)));
    let text = name.clone().map(Wanted::Text);
    all.extend(text.map(|wanted| ask(cl::CL_KERNEL_FUNCTION_NAME, wanted)));
    let context = known.context(program);
    all.extend(context.map(|of| ask(cl::CL_KERNEL_CONTEXT, Wanted::object(of))));
    let device = context.and_then(|of| known.devices(of)).unwrap_or_default();
    let is_alone = device.len() == 1;
    let device = device.first().copied();
    let of_device = |name: Constant, wanted| {
        let mut question = Question::new(Function::GetKernelWorkGroupInfo, kernel, name, wanted);
        question
            .of
            .insert(1, device.map_or(Value::Null, Value::Slot));
        question
    };
    if device.is_some() {
        all.extend([
            of_device(
                cl::CL_KERNEL_WORK_GROUP_SIZE,
                Wanted::Number(8, 1, u64::MAX),
            ),
            of_device(
                cl::CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE,
                Wanted::Number(8, 1, u64::MAX),
            )
            .since(110),
            of_device(
                cl::CL_KERNEL_PRIVATE_MEM_SIZE,
                Wanted::Number(8, 0, u64::MAX),
            )
            .since(110),
        ]);
        all.extend([
            of_sub_groups(
                (kernel, device),
                cl::CL_KERNEL_MAX_NUM_SUB_GROUPS,
                Wanted::Number(8, 1, u64::MAX),
            ),
            // "If the sub-group count is not specified then 0 is returned": no kernel of the suites says how many it needs.
            of_sub_groups(
                (kernel, device),
                cl::CL_KERNEL_COMPILE_NUM_SUB_GROUPS,
                Wanted::long(0),
            ),
        ]);
        if is_alone {
            // "If the list of devices associated with kernel is a single device, device can be a NULL value."
            let mut alone = of_device(
                cl::CL_KERNEL_WORK_GROUP_SIZE,
                Wanted::Number(8, 1, u64::MAX),
            );
            alone.of[1] = Value::Null;
            all.push(alone);
        }
    }
    let made = programs::made(known, program, &[]);
    let is_from_source = made.as_ref().is_some_and(|made| made.source.is_some());
    let entry = made.as_ref().and_then(|made| {
        let mut entries = made.entries.iter().flatten();
        entries.find(|(own, _)| Some(own) == name.as_ref())
    });
    all.extend(entry.map(|(_, arguments)| ask(cl::CL_KERNEL_NUM_ARGS, Wanted::word(*arguments))));
    let signatures = made.and_then(|made| programs::kernels_of(&made.sources?));
    let own = signatures
        .into_iter()
        .flatten()
        .find(|own| Some(&own.name) == name.as_ref());
    // "Local memory to be allocated for arguments […] whose size is specified with clSetKernelArg" is part of it.
    let mut given = local_sizes(known, kernel, done);
    given.retain(|index, _| {
        let argument = own
            .as_ref()
            .and_then(|own| own.arguments.get(*index as usize));
        argument.is_some_and(|argument| argument.address == Some(cl::CL_KERNEL_ARG_ADDRESS_LOCAL))
    });
    let least = given.values().sum();
    all.extend(device.map(|_| {
        of_device(
            cl::CL_KERNEL_LOCAL_MEM_SIZE,
            Wanted::Number(8, least, u64::MAX),
        )
    }));
    if is_from_elsewhere(known, program) {
        let none = Wanted::Text(String::new());
        all.push(ask(cl::CL_KERNEL_ATTRIBUTES, none).since(120));
    }
    let Some(own) = own else {
        return all;
    };
    all.push(ask(
        cl::CL_KERNEL_NUM_ARGS,
        Wanted::word(own.arguments.len()),
    ));
    if is_from_source {
        all.push(
            ask(
                cl::CL_KERNEL_ATTRIBUTES,
                Wanted::Parts(own.attributes.clone()),
            )
            .since(120),
        );
    }
    if let Some(required) = own.required.filter(|_| device.is_some()) {
        let sizes = required.map(|size| (Class::Long, Value::from(size)));
        all.push(of_device(
            cl::CL_KERNEL_COMPILE_WORK_GROUP_SIZE,
            Wanted::Values(sizes.into()),
        ));
    }
    // A linked program may have kept what its units were compiled with, or not.
    let options = options_of(known, program).filter(|_| is_from_source);
    let promised = options.is_some_and(|options| options.contains("-cl-kernel-arg-info"));
    for (n, argument) in own.arguments.iter().enumerate() {
        all.extend(of_argument(kernel, n, argument, promised));
    }
    all
}

/// What a kernel must answer about its sub-groups, where the device has any.
fn of_sub_groups(
    (kernel, device): (Slot, Option<Slot>),
    name: Constant,
    wanted: Wanted,
) -> Question {
    let mut question = Question::new(Function::GetKernelSubGroupInfo, kernel, name, wanted);
    question
        .of
        .insert(1, device.map_or(Value::Null, Value::Slot));
    question.of.extend([Value::Number(0), Value::Null]);
    question
        .unless
        .push(cl::CL_INVALID_OPERATION.value() as i32);
    question
}

/// What a kernel must answer about an argument; where nothing promises that it is told, if it is.
fn of_argument(kernel: Slot, n: usize, argument: &Argument, promised: bool) -> Vec<Question> {
    let unless = cl::CL_KERNEL_ARG_INFO_NOT_AVAILABLE.value() as i32;
    let ask = |name: Constant, wanted| {
        let mut question = Question::new(Function::GetKernelArgInfo, kernel, name, wanted);
        question.of.insert(1, n.into());
        if !promised {
            question.unless.push(unless);
        }
        question
    };
    let address = argument.address.map(Wanted::word);
    let mut all: Vec<Question> = address
        .map(|wanted| ask(cl::CL_KERNEL_ARG_ADDRESS_QUALIFIER, wanted))
        .into_iter()
        .collect();
    all.push(ask(
        cl::CL_KERNEL_ARG_ACCESS_QUALIFIER,
        Wanted::word(argument.access),
    ));
    let type_name = argument.type_name.clone().map(Wanted::Text);
    all.extend(type_name.map(|wanted| ask(cl::CL_KERNEL_ARG_TYPE_NAME, wanted)));
    let qualifiers = argument.qualifiers.map(Wanted::long);
    all.extend(qualifiers.map(|wanted| ask(cl::CL_KERNEL_ARG_TYPE_QUALIFIER, wanted)));
    all.push(ask(
        cl::CL_KERNEL_ARG_NAME,
        Wanted::Text(argument.name.clone()),
    ));
    all
}
