//! What programs must answer.

use super::known::{Known, Origin, object};
use super::signature::{self, Signature};
use super::{Question, Wanted};
use crate::host::constant::{Constant, cl};
use crate::host::function::{Class, Function};
use crate::host::program::{Call, Fixture, ProgramOf};
use crate::host::value::{Slot, Value};
use rspirv::dr::Operand;

/// What was done to a program last, as far as it is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Nothing.
    Created,
    /// It was built, or linked: an executable.
    Built,
    /// It was compiled.
    Compiled,
    /// It was linked as a library.
    Library,
    /// What was done last failed.
    Failed,
}

impl Stage {
    fn status(self) -> Constant {
        match self {
            Stage::Created => cl::CL_BUILD_NONE,
            Stage::Built | Stage::Compiled | Stage::Library => cl::CL_BUILD_SUCCESS,
            Stage::Failed => cl::CL_BUILD_ERROR,
        }
    }

    /// What its binary is; none where that is not said.
    fn binary(self) -> Option<Constant> {
        Some(match self {
            Stage::Created => cl::CL_PROGRAM_BINARY_TYPE_NONE,
            Stage::Built => cl::CL_PROGRAM_BINARY_TYPE_EXECUTABLE,
            Stage::Compiled => cl::CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT,
            Stage::Library => cl::CL_PROGRAM_BINARY_TYPE_LIBRARY,
            // One that was built before may have kept its binary.
            Stage::Failed => return None,
        })
    }
}

/// How a program came to be.
pub(super) struct Made {
    /// The sources that it is made of, where they are known.
    pub sources: Option<Vec<String>>,
    /// The kernels of the intermediate language that it is made of, where it is, and how many arguments they have.
    pub entries: Option<Vec<(String, usize)>>,
    /// What CL_PROGRAM_SOURCE answers; none where the text leaves that open.
    pub source: Option<String>,
    /// What CL_PROGRAM_IL answers.
    il: Option<Wanted>,
    /// What was done last, and the options that it was given, where they are known.
    stage: Option<(Stage, Option<String>)>,
}

pub(super) fn made(known: &Known<'_>, program: Slot, done: &[&Call]) -> Option<Made> {
    match known.origin(program)? {
        Origin::Fixture(Fixture::Program { of, build, .. }) | Origin::Build(_, of, build) => {
            let sources = match of {
                ProgramOf::Source(text) => Some(vec![text.clone()]),
                ProgramOf::Units(units) => Some(units.clone()),
                ProgramOf::Module(_) | ProgramOf::Translated(_) | ProgramOf::BuiltIn(_) => None,
            };
            let source = match of {
                ProgramOf::Source(text) if build.through_binary.is_none() => Some(text.clone()),
                ProgramOf::Source(_)
                | ProgramOf::Units(_)
                | ProgramOf::Module(_)
                | ProgramOf::Translated(_)
                | ProgramOf::BuiltIn(_) => None,
            };
            let il = match of {
                ProgramOf::Module(words) if build.through_binary.is_none() => {
                    let words = words.iter().map(|word| (Class::Word, Value::from(*word)));
                    Some(Wanted::Values(words.collect()))
                }
                // What is linked is not named among those that have none, and which words a source becomes is
                // not known here.
                ProgramOf::Units(_) | ProgramOf::Translated(_)
                    if build.through_binary.is_none() =>
                {
                    None
                }
                ProgramOf::Source(_)
                | ProgramOf::Units(_)
                | ProgramOf::Module(_)
                | ProgramOf::Translated(_)
                | ProgramOf::BuiltIn(_) => Some(Wanted::nothing()),
            };
            let entries = match of {
                ProgramOf::Module(words) => entries(words),
                // A translation has the kernels of its sources.
                ProgramOf::Translated(units) => kernels_of(units).map(|kernels| {
                    let each = kernels.into_iter();
                    each.map(|kernel| (kernel.name, kernel.arguments.len()))
                        .collect()
                }),
                ProgramOf::Source(_) | ProgramOf::Units(_) | ProgramOf::BuiltIn(_) => None,
            };
            Some(Made {
                sources,
                entries,
                source,
                il,
                // Some want built-in kernels built, others refuse to.
                stage: (!matches!(of, ProgramOf::BuiltIn(_))).then_some((Stage::Built, None)),
            })
        }
        Origin::Made(call) => {
            let source = match call.function {
                Function::CreateProgramWithSource => Some(concatenation(call)?),
                Function::LinkProgram | Function::CreateProgramWithIL => None,
                _ => return None,
            };
            let linked = || match call.arguments.get(5) {
                Some(Value::List(_, inputs)) => {
                    let mut all = Vec::new();
                    for input in inputs {
                        let Value::Slot(slot) = input else {
                            return None;
                        };
                        all.extend(made(known, *slot, done)?.sources?);
                    }
                    Some(all)
                }
                _ => None,
            };
            Some(Made {
                sources: match call.function {
                    Function::LinkProgram => linked(),
                    _ => source.clone().map(|source| vec![source]),
                },
                entries: None,
                il: source.as_ref().map(|_| Wanted::nothing()),
                source,
                stage: stage(known, program, call, done, None),
            })
        }
        Origin::Fixture(_) | Origin::Event(_) => None,
    }
}

/// The strings of clCreateProgramWithSource, one after the other, each as long as is said: a length of zero, and none,
/// says that it ends with a zero byte.
fn concatenation(call: &Call) -> Option<String> {
    let [_, _, Value::List(_, strings), lengths] = &call.arguments[..] else {
        return None;
    };
    let length = |n: usize| match lengths {
        Value::Null => Some(0),
        Value::List(_, all) => match all.get(n)? {
            Value::Number(length) => usize::try_from(*length).ok(),
            _ => None,
        },
        _ => None,
    };
    let strings = strings.iter().enumerate().map(|(n, string)| match string {
        Value::Text(text) => match length(n)? {
            0 => Some(text.as_str()),
            length => text.get(..length),
        },
        _ => None,
    });
    strings.collect()
}

/// What was done last to a program that a call makes, by the calls that were done so far: for a device, or for any.
fn stage(
    known: &Known<'_>,
    program: Slot,
    by: &Call,
    done: &[&Call],
    device: Option<Slot>,
) -> Option<(Stage, Option<String>)> {
    if known.is_built_inside(program) {
        return None;
    }
    let is_for = |call: &Call| match device {
        Some(device) => is_done_for(call, device),
        None => true,
    };
    if by.function == Function::LinkProgram && !is_for(by) {
        return None;
    }
    let mut builds = done.iter().filter(|call| {
        let does = matches!(
            call.function,
            Function::BuildProgram | Function::CompileProgram
        );
        does && object(call, 0) == Some(program) && is_for(call)
    });
    let last = match by.function {
        Function::LinkProgram => builds.next_back().copied().or(Some(by)),
        _ => builds.next_back().copied(),
    };
    let Some(last) = last else {
        return (by.function != Function::LinkProgram)
            .then_some((Stage::Created, Some(String::new())));
    };
    let parameters = last.function.signature().parameters;
    let argument = |name: &str| {
        let place = parameters.iter().position(|(own, _)| *own == name)?;
        last.arguments.get(place)
    };
    // What calls back is not done yet.
    if argument("notify") != Some(&Value::Null) {
        return None;
    }
    let options = match argument("options")? {
        Value::Null => String::new(),
        Value::Text(text) => text.clone(),
        _ => return None,
    };
    let failures = [
        cl::CL_BUILD_PROGRAM_FAILURE,
        cl::CL_COMPILE_PROGRAM_FAILURE,
        cl::CL_LINK_PROGRAM_FAILURE,
    ];
    let failed = |code: &i32| {
        failures
            .iter()
            .any(|failure| failure.value() as i32 == *code)
    };
    let stage = match last.expect.codes.as_slice() {
        [0] if last.function == Function::CompileProgram => Stage::Compiled,
        [0] if last.function == Function::LinkProgram && options.contains("-create-library") => {
            Stage::Library
        }
        [0] => Stage::Built,
        [] => return None,
        codes if codes.iter().all(failed) => Stage::Failed,
        _ => return None,
    };
    Some((stage, Some(options)))
}

/// Whether a build, a compilation or a link is done for a device: no list names all of the program's.
fn is_done_for(call: &Call, device: Slot) -> bool {
    let parameters = call.function.signature().parameters;
    let place = parameters.iter().position(|(name, _)| *name == "devices");
    match place.and_then(|place| call.arguments.get(place)) {
        Some(Value::List(_, devices)) => devices.contains(&device.into()),
        _ => true,
    }
}

/// What a program must answer after these calls.
pub fn of_program(known: &Known<'_>, program: Slot, done: &[&Call]) -> Vec<Question> {
    let ask = |name, wanted| Question::new(Function::GetProgramInfo, program, name, wanted);
    let mut all = vec![ask(cl::CL_PROGRAM_REFERENCE_COUNT, Wanted::references())];
    let Some(context) = known.context(program) else {
        return all;
    };
    all.push(ask(cl::CL_PROGRAM_CONTEXT, Wanted::object(context)));
    let Some(made) = made(known, program, done) else {
        return all;
    };
    let devices = known.devices(context).unwrap_or_default();
    if !devices.is_empty() {
        let count = devices.len();
        all.push(ask(cl::CL_PROGRAM_NUM_DEVICES, Wanted::word(count)));
        all.push(ask(
            cl::CL_PROGRAM_DEVICES,
            Wanted::Objects(devices.clone()),
        ));
        all.push(ask(cl::CL_PROGRAM_BINARIES, Wanted::Length(8 * count)));
        let stage = made.stage.as_ref().map(|(stage, _)| *stage);
        let sizes = match stage {
            // "If a binary is not available for a device(s), a size of zero is returned".
            Some(Stage::Created) => Wanted::Values(vec![(Class::Long, Value::from(0u64)); count]),
            // Some implementations make a binary only when they are asked for its size, which takes as long as a build.
            _ => Wanted::Length(8 * count),
        };
        all.push(ask(cl::CL_PROGRAM_BINARY_SIZES, sizes));
    }
    all.extend(
        made.source
            .clone()
            .map(|text| ask(cl::CL_PROGRAM_SOURCE, Wanted::Text(text))),
    );
    all.extend(
        made.il
            .clone()
            .map(|il| ask(cl::CL_PROGRAM_IL, il).since(210)),
    );
    let Some((last, _)) = &made.stage else {
        return all;
    };
    let signatures = made
        .sources
        .as_ref()
        .and_then(|sources| kernels_of(sources));
    let from_source = signatures.map(|all| all.into_iter().map(|kernel| kernel.name).collect());
    let entries = made.entries.as_ref();
    let from_entries = || entries.map(|all| all.iter().map(|(name, _)| name.clone()).collect());
    let names: Option<Vec<String>> = from_source.or_else(from_entries);
    let counts = Question::new(
        Function::GetProgramInfo,
        program,
        cl::CL_PROGRAM_NUM_KERNELS,
        Wanted::nothing(),
    );
    match (last, names) {
        (Stage::Built, Some(names)) => {
            all.push(Question {
                wanted: Wanted::long(names.len()),
                ..counts.since(120)
            });
            all.push(ask(cl::CL_PROGRAM_KERNEL_NAMES, Wanted::Names(names)).since(120));
            // Truths: what needs no constructor may have one all the same.
            let truth = || Wanted::Number(4, 0, 1);
            all.extend([
                ask(cl::CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT, truth()).since(220),
                ask(cl::CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT, truth()).since(220),
            ]);
        }
        (Stage::Created | Stage::Compiled | Stage::Failed, _) => {
            // "if […] a successful program executable has not been built for at least one device"
            let refused = Wanted::Refused(cl::CL_INVALID_PROGRAM_EXECUTABLE.value() as i32);
            let was_built = done.iter().any(|call| {
                call.function == Function::BuildProgram
                    && object(call, 0) == Some(program)
                    && call.expect.codes.first() == Some(&0)
            });
            if !was_built {
                all.push(Question {
                    wanted: refused,
                    ..counts.since(120)
                });
            }
        }
        (_, _) => {}
    }
    for device in devices {
        let own = match known.origin(program) {
            Some(Origin::Made(by)) => stage(known, program, by, done, Some(device)),
            _ => made.stage.clone(),
        };
        if let Some((stage, options)) = own {
            let mut sources = made.sources.iter().flatten();
            let has_globals = sources.any(|source| signature::has_global_variables(source));
            all.extend(of_build(
                program,
                device,
                stage,
                options.as_deref(),
                has_globals,
            ));
        }
    }
    all
}

/// What a program must answer about its build for a device; it may have variables of global memory.
fn of_build(
    program: Slot,
    device: Slot,
    stage: Stage,
    options: Option<&str>,
    has_globals: bool,
) -> Vec<Question> {
    let ask = |name: Constant, wanted| {
        let mut question = Question::new(Function::GetProgramBuildInfo, program, name, wanted);
        question.of.insert(1, device.into());
        question
    };
    let mut all = vec![ask(
        cl::CL_PROGRAM_BUILD_STATUS,
        Wanted::word(stage.status()),
    )];
    let options = options.map(|options| Wanted::Text(options.to_string()));
    all.extend(options.map(|wanted| ask(cl::CL_PROGRAM_BUILD_OPTIONS, wanted)));
    if stage == Stage::Created {
        all.push(ask(cl::CL_PROGRAM_BUILD_LOG, Wanted::Text(String::new())));
    }
    if stage == Stage::Built {
        let bytes = Wanted::Number(8, u64::from(has_globals), u64::MAX);
        all.push(ask(cl::CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE, bytes).since(200));
    }
    let binary = stage.binary().map(Wanted::word);
    all.extend(binary.map(|wanted| ask(cl::CL_PROGRAM_BINARY_TYPE, wanted).since(120)));
    all
}

/// The kernels of a module of SPIR-V, and how many arguments each has; none where it is none.
fn entries(words: &[u32]) -> Option<Vec<(String, usize)>> {
    let module = rspirv::dr::load_words(words).ok()?;
    let entry = |entry: &rspirv::dr::Instruction| {
        let [
            _,
            Operand::IdRef(function),
            Operand::LiteralString(name),
            ..,
        ] = &entry.operands[..]
        else {
            return None;
        };
        let own = |of: &&rspirv::dr::Function| {
            of.def.as_ref().and_then(|def| def.result_id) == Some(*function)
        };
        let function = module.functions.iter().find(own)?;
        Some((name.clone(), function.parameters.len()))
    };
    module.entry_points.iter().map(entry).collect()
}

pub(super) fn kernels_of(sources: &[String]) -> Option<Vec<Signature>> {
    let mut all = Vec::new();
    for kernel in sources.iter().map(|source| signature::kernels(source)) {
        for kernel in kernel? {
            // Another unit may declare it.
            if !all
                .iter()
                .any(|other: &Signature| other.name == kernel.name)
            {
                all.push(kernel);
            }
        }
    }
    Some(all)
}
