//! Variables, and what is made once: contexts, queues, programs and kernels.

use super::text::{Text, quoted, source};
use super::{Document, Writer};
use crate::host::build::{Build, Linking, OfBinary};
use crate::host::program::*;
use crate::host::value::Slot;
use classay_vocabulary::Need;
use std::collections::BTreeSet;

/// Devices that a program uses, from the first on.
pub fn devices(program: &HostProgram) -> u8 {
    let each = program.fixtures.iter().map(|(_, fixture)| match fixture {
        Fixture::Device(n) => n.saturating_add(1),
        Fixture::Context { devices, .. } => *devices,
        Fixture::Queue { device, .. } => device.saturating_add(1),
        Fixture::Platform | Fixture::Program { .. } | Fixture::Kernel { .. } => 1,
    });
    each.max().unwrap_or(1)
}

/// The version of OpenCL whose functions the fixtures need.
pub fn version(program: &HostProgram) -> u16 {
    let each = programs(program).into_iter().map(|(_, of, build)| {
        let mut earlier = build.earlier.iter();
        let is_specialized =
            !build.specialized.is_empty() || earlier.any(|one| !one.specialized.is_empty());
        match of {
            ProgramOf::Module(_) if is_specialized => 220,
            ProgramOf::Module(_) => 210,
            ProgramOf::Source(_)
            | ProgramOf::Units(_)
            | ProgramOf::Translated(_)
            | ProgramOf::BuiltIn(_) => 120,
        }
    });
    each.max().unwrap_or(120)
}

/// A program of a context: what it is made of, and how.
type Made<'p> = (Slot, &'p ProgramOf, &'p Build);

/// The programs that are made, each once: those that outlive a run, and those that a run makes anew.
fn programs(program: &HostProgram) -> Vec<Made<'_>> {
    let mut programs = Vec::new();
    let mut add = |made| {
        if !programs.contains(&made) {
            programs.push(made);
        }
    };
    for (_, fixture) in &program.fixtures {
        if let Fixture::Program { context, of, build } = fixture {
            add((*context, of, build));
        }
    }
    program.steps(&mut |step| {
        if let Op::Build {
            context, of, build, ..
        } = &step.op
        {
            add((*context, of, build));
        }
    });
    programs
}

/// The function that makes a program.
pub fn made(writer: &Writer<'_>, program: Made<'_>) -> String {
    let all = programs(writer.program);
    let number = all.iter().position(|other| *other == program);
    format!("make_program_{}()", number.unwrap_or_default())
}

/// Writes the variables and `begin`, which makes what outlives a run.
pub fn write(writer: &mut Writer<'_>, document: &Document<'_>, c: &mut Text) {
    let program = writer.program;
    c.line("/* ---- objects ---------------------------------------------------------------------------------- */");
    c.line("");
    for info in &program.slots {
        let kind = info.kind.c_type();
        let name = &info.name;
        if info.kind == SlotKind::Event && writer.shared {
            c.line(&format!("static _Atomic(cl_event) {name};"));
        } else {
            let blank = if kind.ends_with('*') { "" } else { " " };
            c.line(&format!("static {kind}{blank}{name};"));
        }
    }
    c.line("");
    let programs = programs(program);
    if !programs.is_empty() {
        c.raw(include_str!("programs.c"));
    }
    for (n, program) in programs.iter().enumerate() {
        maker(writer, n, *program, c);
    }
    c.line("/* Makes what outlives a run. */");
    c.function("static void begin(cl_uint count)");
    c.put("cl_int code = CL_SUCCESS;");
    needs(document.needs, c);
    for (slot, fixture) in &program.fixtures {
        make(writer, *slot, fixture, c);
        c.put(format!("(void){};", writer.name(*slot)));
    }
    c.put("(void)code;");
    c.put("(void)count;");
    c.close();
}

/// Makes what a fixture says.
fn make(writer: &Writer<'_>, slot: Slot, fixture: &Fixture, c: &mut Text) {
    let name = writer.name(slot);
    let (made, by) = match fixture {
        Fixture::Platform => {
            let (of, question) = ("clGetDeviceInfo", "CL_DEVICE_PLATFORM");
            let asked = format!("{of}(devices[0], {question}, sizeof {name}, &{name}, NULL)");
            c.put(format!("must({asked}, \"{of}\");"));
            return;
        }
        Fixture::Device(n) => (format!("devices[{n}]"), None),
        Fixture::Context { devices, .. } => {
            let arguments = format!("NULL, {devices}, devices, NULL, NULL, &code");
            (
                format!("clCreateContext({arguments})"),
                Some("clCreateContext"),
            )
        }
        Fixture::Queue {
            context,
            device,
            profiling,
            ..
        } => {
            let flags = match profiling {
                true => "CL_QUEUE_PROFILING_ENABLE",
                false => "0",
            };
            let context = writer.name(*context);
            let arguments = format!("{context}, devices[{device}], {flags}, &code");
            (
                format!("new_queue({arguments})"),
                Some("clCreateCommandQueue"),
            )
        }
        Fixture::Program { context, of, build } => (made(writer, (*context, of, build)), None),
        Fixture::Kernel {
            program,
            name: kernel,
            ..
        } => {
            let (program, kernel) = (writer.name(*program), quoted(kernel));
            let made = format!("clCreateKernel({program}, {kernel}, &code)");
            (made, Some("clCreateKernel"))
        }
    };
    c.put(format!("{name} = {made};"));
    if let Some(by) = by {
        c.put(format!("must(code, \"{by}\");"));
    }
}

/// Asks the device for the names of its built-in kernels.
const ALL_BUILT_IN: &str = "\
must(clGetDeviceInfo(devices[0], CL_DEVICE_BUILT_IN_KERNELS, sizeof names, names, NULL),
     \"clGetDeviceInfo\");";

/// A program that a function makes, which must succeed.
fn created(by: &str, arguments: &str, c: &mut Text) {
    c.put(format!("cl_program made = {by}({arguments}, &code);"));
    c.put(format!("must(code, \"{by}\");"));
}

/// The function that makes a program.
fn maker(writer: &Writer<'_>, n: usize, made: Made<'_>, c: &mut Text) {
    let (context, of, build) = made;
    let fixtures = &writer.program.fixtures;
    let fixture = fixtures.iter().find(|(slot, _)| *slot == context);
    let count = match fixture {
        Some((_, Fixture::Context { devices, .. })) => *devices,
        _ => 1,
    };
    let context = writer.name(context);
    let options = quoted(&build.options);
    let head = format!("static cl_program make_program_{n}(void)");
    // Nothing of a C program translates: what no module has been made of is given as it is.
    let as_it_is = match of {
        ProgramOf::Translated(units) => Some(match units.as_slice() {
            [one] => ProgramOf::Source(one.clone()),
            units => ProgramOf::Units(units.to_vec()),
        }),
        ProgramOf::Source(_)
        | ProgramOf::Units(_)
        | ProgramOf::Module(_)
        | ProgramOf::BuiltIn(_) => None,
    };
    let again = match as_it_is.as_ref().unwrap_or(of) {
        ProgramOf::Source(text) => {
            let versions = versions(build);
            for (at, other) in build.before.iter().enumerate() {
                let (name, options) = (format!("before_{n}_{at}"), &other.options);
                text_of(&name, &other.source, options, &versions, c);
            }
            let source = format!("source_{n}");
            text_of(&source, text, &build.options, &versions, c);
            for (at, earlier) in build.earlier.iter().enumerate() {
                let name = format!("earlier_{n}_{at}");
                options_of(&name, &earlier.options, &versions, c);
            }
            c.function(&head);
            c.put("unsigned which;");
            let versions = versions.len();
            let from_source = |text: &str, options: &str| {
                let arguments = format!("{text}, {options}_options, {versions}, &which");
                format!("from_source({context}, {count}, {arguments});")
            };
            for at in 0..build.before.len() {
                let other = format!("before_{n}_{at}");
                c.put("/* Built first, and kept: it must not matter. */");
                c.put(format!("(void){}", from_source(&other, &other)));
            }
            let names = (0..build.earlier.len()).map(|at| format!("earlier_{n}_{at}"));
            let mut names = names.chain([source.clone()]);
            if let Some(first) = names.next() {
                let first = from_source(&source, &first);
                c.put(format!("cl_program made = {first}"));
            }
            for name in names {
                c.put("/* Built again. */");
                c.put(format!(
                    "made = built(made, {count}, {name}_options[which], 1);"
                ));
            }
            Some(format!("{source}_options[which]"))
        }
        ProgramOf::Units(units) | ProgramOf::Translated(units) => {
            let versions = versions(build);
            let names: Vec<_> = (0..units.len())
                .map(|at| format!("unit_{n}_{at}"))
                .collect();
            for (at, (name, unit)) in names.iter().zip(units).enumerate() {
                // The options of the first are those of all.
                match at {
                    0 => text_of(name, unit, &build.options, &versions, c),
                    _ => text_alone(name, unit, c),
                }
            }
            c.function(&head);
            c.put(format!("const char *units[] = {{ {} }};", names.join(", ")));
            let (count_of, versions) = (units.len(), versions.len());
            let options = format!("{}_options", names[0]);
            let library = match build.linking.library {
                true => quoted(Linking::LIBRARY),
                false => "NULL".into(),
            };
            let linking = format!("{library}, {}", u8::from(build.linking.binaries));
            let arguments =
                format!("{context}, {count}, units, {count_of}, {options}, {versions}, {linking}");
            c.put(format!("cl_program made = from_units({arguments});"));
            None
        }
        ProgramOf::Module(words) => {
            c.line(&format!("static const cl_uint module_{n}[] = {{"));
            for words in words.chunks(8) {
                let words = words.iter().map(|word| format!("0x{word:08x}u"));
                let words: Vec<String> = words.collect();
                c.line(&format!("    {},", words.join(", ")));
            }
            c.line("};");
            c.function(&head);
            c.put("cl_int code;");
            let words = format!("{context}, module_{n}, sizeof module_{n}");
            created("clCreateProgramWithIL", &words, c);
            let earlier = build.earlier.iter();
            let earlier = earlier.map(|one| (quoted(&one.options), &one.specialized));
            for (options, constants) in earlier.chain([(options.clone(), &build.specialized)]) {
                for (constant, value) in constants {
                    let bytes = value.bytes();
                    let size = bytes.len();
                    let bytes: Vec<String> = bytes.iter().map(u8::to_string).collect();
                    let bytes = format!("(const cl_uchar[]){{{}}}", bytes.join(", "));
                    c.put(format!("specialize(made, {constant}, {size}, {bytes});"));
                }
                c.put(format!("made = built(made, {count}, {options}, 1);"));
            }
            Some(options)
        }
        ProgramOf::BuiltIn(names) => {
            c.function(&head);
            c.put("cl_int code;");
            let given = if names == "*" { "" } else { names.as_str() };
            c.put(format!("static char names[10000] = {};", quoted(given)));
            if names == "*" {
                c.put(ALL_BUILT_IN);
            }
            let names = format!("{context}, {count}, devices, names");
            created("clCreateProgramWithBuiltInKernels", &names, c);
            None
        }
    };
    if let (Some(built), Some(options)) = (build.through_binary, again) {
        let options = match built {
            OfBinary::SameOptions => options,
            OfBinary::NoOptions => "NULL".into(),
        };
        c.put(format!(
            "made = through_binary({context}, made, {options});"
        ));
    }
    c.put("return made;");
    c.close();
}

/// A text.
fn text_alone(name: &str, text: &str, c: &mut Text) {
    c.line(&format!("static const char {name}[] ="));
    c.raw(&source(text));
    c.line("    ;");
}

/// A text and the options with which it is built.
fn text_of(name: &str, text: &str, options: &str, versions: &[&str], c: &mut Text) {
    text_alone(name, text, c);
    options_of(name, options, versions, c);
}

/// The options with which a text is built, for each version of the language.
fn options_of(name: &str, options: &str, versions: &[&str], c: &mut Text) {
    let options = |version| quoted(format!("-cl-std={version} {options}").trim_end());
    let list: Vec<String> = versions.iter().map(options).collect();
    let list = list.join(", ");
    c.line(&format!(
        "static const char *const {name}_options[] = {{ {list} }};"
    ));
}

/// The versions of the language in which it may be built: the device's latest, unless it is said which.
fn versions(build: &Build) -> Vec<&str> {
    match &build.std {
        Some(version) => vec![version.as_str()],
        None => vec!["CL3.0", "CL2.0", "CL1.2", "CL1.1"],
    }
}

/// The question of what the device must offer and no call of the program shows, and when the answer, `{}`, is wrong.
/// Without what else there is to need something cannot be built, made or called, or there is a choice of devices.
fn question(need: Need) -> Option<(&'static str, String)> {
    let none = || "{} == 0".to_string();
    Some(match need {
        Need::WorkGroupSize(n) => ("CL_DEVICE_MAX_WORK_GROUP_SIZE", format!("{{}} < {n}")),
        Need::SubBufferAlign(n) => {
            let bits = u64::from(n) * 8;
            let name = "CL_DEVICE_MEM_BASE_ADDR_ALIGN";
            (name, format!("{{}} == 0 || {bits}u % {{}} != 0"))
        }
        Need::PitchAlign(n) => {
            let name = "CL_DEVICE_IMAGE_PITCH_ALIGNMENT";
            (name, format!("{{}} == 0 || {n}u % {{}} != 0"))
        }
        Need::SubGroupProgress => {
            let name = "CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS";
            (name, none())
        }
        Need::Bits64 => ("CL_DEVICE_ADDRESS_BITS", "{} != 64".into()),
        Need::Linker => ("CL_DEVICE_LINKER_AVAILABLE", none()),
        Need::Images | Need::ImageObjects => ("CL_DEVICE_IMAGE_SUPPORT", none()),
        Need::ReadWriteImages => ("CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS", none()),
        _ => return None,
    })
}

/// The questions that needs ask.
pub fn questions(needs: &BTreeSet<Need>) -> impl Iterator<Item = &'static str> {
    let questions = needs.iter().filter_map(|need| question(*need));
    questions.map(|(name, _)| name)
}

fn needs(needs: &BTreeSet<Need>, c: &mut Text) {
    for need in needs {
        if let Some((name, wrong)) = question(*need) {
            let wrong = wrong.replace("{}", &format!("info(devices[0], {name})"));
            c.put(format!("need({wrong}, {});", quoted(&need.to_string())));
        }
    }
}

/// `take_down`: gives up what is in slots, the last first.
pub fn take_down(writer: &Writer<'_>, c: &mut Text) {
    let program = writer.program;
    c.line("/* Gives up what is left of a run; while commands are pending, nothing. */");
    c.function("static void take_down(void)");
    for (n, info) in program.slots.iter().enumerate().rev() {
        if program.fixtures.iter().any(|(slot, _)| slot.index() == n) {
            continue;
        }
        let name = &info.name;
        let release = match info.kind {
            SlotKind::Svm(context) => Some(format!("clSVMFree({}, {name})", writer.name(context))),
            SlotKind::Host { .. } => Some(format!("free({name})")),
            kind => kind.release().map(|release| format!("{release}({name})")),
        };
        if let Some(release) = release {
            c.when(format!("{name} && !left_pending"), format!("{release};"));
        }
        c.put(format!("{name} = NULL;"));
    }
    c.close();
}
