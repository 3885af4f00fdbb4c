//! Programs in every state: created, built, compiled, linked, failed; what they must answer then is asked of every
//! program of the suites ([`crate::host::answers`]).

use super::operations::settle;
use super::*;
use crate::api::Work;
use crate::host::{CallbackOf, Class};

/// Kernels, of which the text is complete with a value for `VALUE` only; `OTHER` is defined or is not. The first writes
/// which options they were built with.
const SOURCE: &str = "
#ifdef OTHER
#define OTHERS 1000
#else
#define OTHERS 0
#endif
#ifdef __FAST_RELAXED_MATH__
#define FAST 2000
#else
#define FAST 0
#endif
kernel void first(global uint *to, const uint n) {
    size_t at = get_global_id(0);
    to[at] = at % 2 ? __OPENCL_C_VERSION__ : n + VALUE + OTHERS + FAST;
}
kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void second(constant uint *restrict from, global volatile uint *to, local uint4 *room) { to[0] = from[0] + VALUE; }
kernel void third(global const float *restrict from, const global volatile int *restrict seen, global ulong2 *restrict to,
                  local volatile short *room, constant char *table, const float4 n) {
    to[0].x = (ulong)(from[0] + n.x) + seen[0] + room[0] + table[0] + VALUE;
}
";

/// Options that kernels of integers do the same with.
const OPTIONS: [&str; 5] = [
    "-cl-mad-enable -cl-strict-aliasing",
    "-cl-fast-relaxed-math",
    "-cl-no-signed-zeros -cl-finite-math-only -cl-single-precision-constant",
    "-cl-unsafe-math-optimizations -cl-denorms-are-zero",
    // Of no warning nothing becomes an error.
    "-w -Werror",
];

/// Options of a link that makes an executable; none is NULL. Most have none: a runtime that refuses them links the others.
const LINKS: [Option<&str>; 8] = [
    None,
    Some("-cl-fast-relaxed-math"),
    Some(""),
    None,
    Some("-cl-denorms-are-zero -cl-no-signed-zeros"),
    Some(""),
    None,
    Some("-cl-unsafe-math-optimizations -cl-finite-math-only"),
];

/// The version of OpenCL C that programs are in without an option: "the highest OpenCL C 1.x language version".
const VERSION: u32 = 120;

/// A kernel that calls a function that nothing defines.
const INCOMPLETE: &str = "
uint missing(uint n);
kernel void first(global uint *to, const uint n) { to[get_global_id(0)] = missing(n); }
";

/// Other units of what is linked, each with the name of its kernel and what that writes.
const BESIDE: [(&str, &str, u32); 3] = [
    (
        "kernel void beside(global uint *to) { to[get_global_id(0)] = 13; }",
        "beside",
        13,
    ),
    (
        "kernel void behind(global uint *to) { to[get_global_id(0)] = 29; }",
        "behind",
        29,
    ),
    (
        "kernel void beyond(global uint *to) { to[get_global_id(0)] = 31; }",
        "beyond",
        31,
    ),
];

/// The names under which a source includes headers.
const NAMES: [&str; 4] = ["number.h", "deep/number.h", "deep/er/number.h", "number"];

/// The headers of the names, by their numbers; that of the last place may have the first name, too, for which "the first
/// one encountered will be used".
const HEADERS: [[usize; 5]; 3] = [[0, 1, 2, 0, 1], [2, 0, 1, 1, 0], [1, 2, 2, 0, 2]];

/// What a header says: its own number, and one that the options say.
fn header(number: usize) -> String {
    format!("#define FROM ({}{number} + VALUE)\n", number + 1)
}

/// A source that includes every name, and is no program where a name gives another header than the options say.
fn including() -> String {
    let included = NAMES.iter().enumerate().map(|(n, name)| {
        format!(
            "#include \"{name}\"\n#if FROM != IS_{n} + VALUE\n#error {name} is another header\n#endif\n#undef FROM\n"
        )
    });
    included.collect::<String>() + SOURCE
}

impl Lowering {
    /// Does this with programs, one after the other.
    pub(super) fn programs(&mut self, works: &[Work]) {
        let device = self.builder.fixture("device", Fixture::Device(0));
        let (devices, number) = (1, 0);
        let context = self
            .builder
            .fixture("context", Fixture::Context { devices, number });
        let mut now: Option<(Slot, Option<Work>)> = None;
        for work in works {
            now = self.work((context, device), *work, now);
        }
        if let Some((program, _)) = now {
            self.release([program]);
        }
        self.end_thread();
    }

    /// Does something with the program that there is, or with a new one where it cannot be done with that; gives the
    /// program, and what was done with it last.
    fn work(
        &mut self,
        (context, device): (Slot, Slot),
        work: Work,
        now: Option<(Slot, Option<Work>)>,
    ) -> Option<(Slot, Option<Work>)> {
        let usable = now.filter(|(_, last)| match work {
            Work::Create | Work::Headers | Work::HeadersTwice | Work::LinkWrong => false,
            Work::Kernels => matches!(last, Some(Work::Build | Work::Link | Work::LinkAgain)),
            Work::LinkAgain => matches!(last, Some(Work::LinkLibrary)),
            Work::Link | Work::LinkLibrary => {
                matches!(last, Some(Work::Compile | Work::Headers))
            }
            // What includes headers is no program without them.
            Work::Build | Work::BuildWrong | Work::Compile | Work::CompileWrong => {
                let is_linked = matches!(
                    last,
                    Some(Work::Link | Work::LinkAgain | Work::LinkLibrary | Work::LinkWrong)
                );
                !is_linked && *last != Some(Work::Headers)
            }
        });
        let Some((program, last)) = usable else {
            if let Some((program, _)) = now {
                self.release([program]);
            }
            let text = match work {
                Work::Headers | Work::HeadersTwice => including(),
                Work::LinkWrong => INCOMPLETE.into(),
                _ => SOURCE.into(),
            };
            let program = self.source(context, &text);
            return match work {
                Work::Create => Some((program, None)),
                Work::Headers | Work::HeadersTwice => {
                    let twice = work == Work::HeadersTwice;
                    self.headers((context, device), program, twice);
                    Some((program, Some(Work::Headers)))
                }
                Work::LinkWrong => {
                    self.step(compile(program, Value::Null));
                    let linked = self.fails_to_link(context, device, program);
                    Some((linked, Some(work)))
                }
                Work::LinkAgain => {
                    let state = Some((program, None));
                    let library = self.work((context, device), Work::LinkLibrary, state);
                    self.work((context, device), work, library)
                }
                Work::Kernels => {
                    let built = self.work((context, device), Work::Build, Some((program, None)));
                    self.work((context, device), work, built)
                }
                Work::Link | Work::LinkLibrary => {
                    let compiled =
                        self.work((context, device), Work::Compile, Some((program, None)));
                    self.work((context, device), work, compiled)
                }
                work => self.work((context, device), work, Some((program, None))),
            };
        };
        match work {
            Work::Create | Work::Headers | Work::HeadersTwice | Work::LinkWrong => {}
            Work::Build => {
                let options = self.options();
                self.does(
                    (program, device),
                    build(program, Value::Text(options)),
                    None,
                );
            }
            Work::BuildWrong => {
                if !matches!(last, Some(Work::Build)) && self.value.is_multiple_of(2) {
                    // What it was built with does not matter any more.
                    let options = self.options();
                    self.does(
                        (program, device),
                        build(program, Value::Text(options)),
                        None,
                    );
                }
                let code = cl::CL_BUILD_PROGRAM_FAILURE;
                let options = self.no_options();
                self.does((program, device), build(program, options), Some(code));
            }
            Work::Compile => {
                let options = self.options();
                self.does(
                    (program, device),
                    compile(program, Value::Text(options)),
                    None,
                );
            }
            Work::CompileWrong => {
                let code = cl::CL_COMPILE_PROGRAM_FAILURE;
                let options = self.no_options();
                self.does((program, device), compile(program, options), Some(code));
            }
            Work::Link | Work::LinkLibrary | Work::LinkAgain => {
                let linked = self.own("linked", SlotKind::Program);
                let options = self.link_options(work);
                let turn = self.calls;
                let others = match (work, turn % 5) {
                    (Work::LinkAgain, _) => 0,
                    (_, 0) => BESIDE.len(),
                    (_, 1) => 2,
                    (_, 3) => 1,
                    _ => 0,
                };
                let beside: Vec<Slot> = BESIDE[..others]
                    .iter()
                    .map(|(source, ..)| self.unit(context, last, source))
                    .collect();
                let mut call = link(context, program, options).makes(linked);
                let mut inputs = vec![program];
                inputs.extend(&beside);
                if turn.is_multiple_of(2) {
                    inputs.reverse();
                }
                call.arguments[4] = inputs.len().into();
                call.arguments[5] = Value::objects(inputs);
                if turn % 4 > 1 {
                    // The only one that the context has.
                    call.arguments[1] = 1.into();
                    call.arguments[2] = Value::objects([device]);
                }
                self.links(call, (linked, device));
                self.release([program]);
                self.release(beside);
                if work == Work::Link {
                    let says =
                        "what a kernel wrote of another unit of those that a program was linked of";
                    for (_, name, value) in &BESIDE[..others] {
                        let wrote = ([*value; 2], says);
                        self.writes(linked, (context, device), (name, None), wrote);
                    }
                }
                return Some((linked, Some(work)));
            }
            Work::Kernels => {
                for name in ["first", "second", "third"] {
                    let kernel = self.own("kernel", SlotKind::Kernel);
                    self.step(Call::kernel(program, name, kernel));
                    let copy = self.own("kernel", SlotKind::Kernel);
                    // Older implementations lack it, and the slot stays empty.
                    let clone = Call::new(Function::CloneKernel, values![kernel]);
                    self.step(clone.whatever().makes(copy));
                    self.step(self.builder.release(copy).whatever());
                    self.release([kernel]);
                }
                self.is_built_with(program, (context, device));
                return Some((program, last));
            }
        }
        Some((program, Some(work)))
    }
}

impl Lowering {
    /// The options of the next build or compilation: a value, where it may stand, and others.
    fn options(&mut self) -> String {
        self.value += 1;
        let value = self.value;
        let more = OPTIONS[value as usize % OPTIONS.len()];
        let (std, version) = self.language(value);
        let others = if value.is_multiple_of(4) { 1000 } else { 0 };
        let fast = if more.contains("-cl-fast-relaxed-math") {
            2000
        } else {
            0
        };
        (self.added, self.version) = (value + others + fast, version);
        let own = match value % 4 {
            1 => format!("-DVALUE={value} -cl-kernel-arg-info"),
            2 => format!("-D VALUE={value}"),
            3 => format!("-cl-kernel-arg-info -w -DVALUE={value}u"),
            _ => format!("-DOTHER -D VALUE={value} -cl-opt-disable"),
        };
        match value % 2 {
            0 => format!("{own} {more}{std}"),
            _ => format!("{more}{std} {own}"),
        }
    }

    /// The option that says the version of OpenCL C, and the version; between two that have it comes one without.
    fn language(&self, value: u32) -> (String, u32) {
        let (name, version) = match (value % 6, self.late) {
            (1, Some(late)) => late,
            (3, _) => ("CL1.1", 110),
            (5, _) => ("CL1.2", 120),
            _ => return (String::new(), VERSION),
        };
        (format!(" -cl-std={name}"), version)
    }

    /// Another unit, compiled in the language that the last one was, of what is linked.
    fn unit(&mut self, context: Slot, last: Option<Work>, source: &str) -> Slot {
        let unit = self.source(context, source);
        let std = match last {
            Some(Work::Compile) => self.language(self.value).0,
            _ => String::new(),
        };
        self.step(compile(unit, Value::Text(std)));
        unit
    }

    /// The options of a link.
    fn link_options(&self, work: Work) -> Value {
        let text = |text: &str| Value::Text(text.into());
        match (work, self.calls % 2) {
            (Work::LinkLibrary, 0) => text("-create-library"),
            (Work::LinkLibrary, _) => text("-create-library -enable-link-options"),
            _ => LINKS[self.calls % LINKS.len()].map_or(Value::Null, text),
        }
    }

    /// Links what is not complete: "If the linking operation can begin, {clLinkProgram} returns a valid non-zero program
    /// object", of which kernels cannot be made.
    fn fails_to_link(&mut self, context: Slot, device: Slot, program: Slot) -> Slot {
        let linked = self.own("linked", SlotKind::Program);
        let failure = cl::CL_LINK_PROGRAM_FAILURE.value() as i32;
        let mut call = link(context, program, Value::Null).makes(linked);
        call.expect.ended = Some(failure);
        self.calls += 1;
        if self.calls.is_multiple_of(2) {
            call.expect.codes = vec![0, failure];
            self.calls_back(call, (linked, device), cl::CL_BUILD_ERROR);
        } else {
            call.expect.codes = vec![failure];
            // Alone the call would have the code of success.
            let mark = self.marked(Op::Sequence(vec![call.into()]));
            let says = "the link of a kernel with a function that there is not returned {}";
            self.must(says, That::Code(mark, Right::Among(vec![failure.into()])));
            self.has_build_status(
                linked,
                device,
                cl::CL_BUILD_ERROR,
                "after a link that failed",
            );
        }
        self.release([program]);
        let codes = vec![cl::CL_INVALID_PROGRAM_EXECUTABLE.value() as i32];
        let sentence = "if there is no successfully built executable for _program_.";
        let kernel = self.own("kernel", SlotKind::Kernel);
        let mark =
            self.marked(Call::kernel(linked, "first", kernel).refused(codes.clone(), sentence));
        let says = "the creation of a kernel of a program whose link failed returned {}";
        let codes = codes.into_iter().map(i64::from).collect();
        self.must(says, That::Code(mark, Right::Among(codes)));
        linked
    }

    /// No options, without which the sources are no programs: not those of an earlier build either, for NULL "will
    /// have the same result as the empty string".
    fn no_options(&self) -> Value {
        match self.calls.is_multiple_of(4) {
            true => Value::Text(String::new()),
            false => Value::Null,
        }
    }

    /// Builds or compiles, and is called back where that has been done an odd number of times before: "If pfn_notify is
    /// not NULL, [the function] does not need to wait for the build to complete", and may say then that it began.
    fn does(&mut self, (program, device): (Slot, Slot), mut call: Call, failure: Option<Constant>) {
        let codes: Vec<i32> = failure.iter().map(|code| code.value() as i32).collect();
        self.calls += 1;
        if self.calls % 3 == 1 {
            // The only one that the program has.
            call.arguments[1] = 1.into();
            call.arguments[2] = Value::objects([device]);
        }
        if self.calls % 2 == 1 {
            if failure.is_some() {
                call.expect.codes = codes;
            }
            self.step(call);
            return;
        }
        call.expect.ended = codes.first().copied();
        call.expect.codes = [0].into_iter().chain(codes).collect();
        let status = match failure {
            Some(_) => cl::CL_BUILD_ERROR,
            None => cl::CL_BUILD_SUCCESS,
        };
        self.calls_back(call, (program, device), status);
    }

    /// Links, and is called back every second time: "If pfn_notify is not NULL, {clLinkProgram} does not need to wait for
    /// the linker to complete".
    fn links(&mut self, call: Call, linked: (Slot, Slot)) {
        self.calls += 1;
        match self.calls % 2 {
            0 => self.calls_back(call, linked, cl::CL_BUILD_SUCCESS),
            _ => self.step(call),
        }
    }

    /// Makes a call that builds, compiles or links, with a callback: when it has come, once, the program has a status.
    fn calls_back(&mut self, mut call: Call, (program, device): (Slot, Slot), status: Constant) {
        let called = (self.builder).callback(CallbackOf::Program(program), Vec::new());
        let last = call.arguments.len() - 2;
        call.arguments[last] = Value::Callback(called);
        call.arguments[last + 1] = Value::Data(called);
        let mark = self.marked(call);
        self.step(settle(&[(called, mark)]));
        let says = "the callback of a build, a compilation or a link came {} times";
        self.must_come(called, mark, 1, says);
        let says = "the callback of a build, a compilation or a link was given another program";
        self.must(says, That::FiredRight(called));
        let when = "after the callback of a build, a compilation or a link";
        self.has_build_status(program, device, status, when);
    }

    /// What a program must say of its build.
    fn has_build_status(&mut self, program: Slot, device: Slot, status: Constant, when: &str) {
        let answer = self.builder.answer();
        let of = values![program, device, cl::CL_PROGRAM_BUILD_STATUS];
        self.step(Call::ask(Function::GetProgramBuildInfo, of, 4, answer));
        let says = format!("CL_PROGRAM_BUILD_STATUS is {{}} {when}");
        let right = Right::Among(vec![status.value()]);
        self.must(&says, That::Number(answer, right));
    }

    /// A kernel of the program knows the value that its last build or compilation was given.
    fn is_built_with(&mut self, program: Slot, (context, device): (Slot, Slot)) {
        let own = 1000 * self.value;
        let says = "what a kernel wrote of the options that its program was built with last";
        let wrote = ([own + self.added, self.version], says);
        self.writes(program, (context, device), ("first", Some(own)), wrote);
    }

    /// A kernel of the program, which takes a buffer and perhaps a number, fills the buffer with a pair of values.
    fn writes(
        &mut self,
        program: Slot,
        (context, device): (Slot, Slot),
        (name, number): (&str, Option<u32>),
        (pair, says): ([u32; 2], &str),
    ) {
        let (queue, kernel, to) = (
            self.own("queue", SlotKind::Queue),
            self.own(name, SlotKind::Kernel),
            self.own("values", SlotKind::Memory),
        );
        let place = Place {
            context,
            device,
            program,
        };
        self.step(super::queue(place, queue));
        self.step(super::buffer(context, to));
        self.step(Call::kernel(program, name, kernel));
        self.step(Call::object_argument(kernel, 0, to));
        if let Some(number) = number {
            self.step(Call::bytes_argument(
                kernel,
                1,
                number.to_ne_bytes().to_vec(),
            ));
        }
        self.step(Call::launch(queue, kernel, BYTES / 4, &[], None));
        self.holds(queue, to, pair.repeat(BYTES / 8), says);
        self.step(finish(queue));
        self.release([kernel, to, queue]);
    }

    /// A program of a text, given in pieces: lines, or so many bytes wherever they end, with empty ones between them, or
    /// one. Each ends with a zero byte, or where its length says, or one of both, for "if an element in lengths is zero,
    /// its accompanying string is null-terminated".
    pub(super) fn source(&mut self, context: Slot, text: &str) -> Slot {
        let program = self.own("program", SlotKind::Program);
        let (way, cut) = (self.sources % 3, (self.sources + self.sources / 4) % 4);
        self.sources += 1;
        let mut lines: Vec<&str> = match cut {
            0 => text.split_inclusive('\n').collect(),
            1 => pieces(text, 7),
            2 => pieces(text, 61),
            _ => vec![text],
        };
        if cut == 2 {
            let empty = lines.len().min(3);
            lines.insert(empty, "");
            lines.push("");
        }
        let said =
            |n: usize| !lines[n].is_empty() && (way == 1 || (way == 2 && n.is_multiple_of(2)));
        let given = lines.iter().enumerate().map(|(n, line)| match said(n) {
            true => Value::Text(format!(
                "{line}what is behind the length is no part of the program"
            )),
            false => Value::Text((*line).into()),
        });
        let given = Value::list(Class::Pointer, given);
        let lengths = lines.iter().enumerate();
        let lengths = lengths.map(|(n, line)| if said(n) { line.len() } else { 0 });
        let lengths = match way {
            0 => Value::Null,
            _ => Value::sizes(lengths),
        };
        let arguments = values![context, lines.len(), given, lengths];
        self.step(Call::new(Function::CreateProgramWithSource, arguments).makes(program));
        program
    }

    /// Compiles a source that includes headers, with each of the ways in which they have their names, or with the first
    /// and a name that two have.
    fn headers(&mut self, (context, device): (Slot, Slot), program: Slot, twice: bool) {
        let count = HEADERS[0].iter().max().map_or(0, |most| most + 1);
        let headers: Vec<Slot> = (0..count)
            .map(|number| self.source(context, &header(number)))
            .collect();
        let ways = if twice { 1 } else { HEADERS.len() };
        for (way, order) in HEADERS.iter().enumerate().take(ways) {
            let order = if twice {
                &order[..]
            } else {
                &order[..NAMES.len()]
            };
            let is = NAMES.iter().zip(order).enumerate();
            let is = is.map(|(n, (_, number))| format!(" -DIS_{n}={}{number}", number + 1));
            let options = format!("-DVALUE={way}{}", is.collect::<String>());
            let names = NAMES.iter().chain([&NAMES[0]]).take(order.len());
            let names = Value::list(
                Class::Pointer,
                names.map(|name| Value::Text((*name).into())),
            );
            let inputs = Value::objects(order.iter().map(|number| headers[*number]));
            let [devices, notify, data] = [const { Value::Null }; 3];
            let options = Value::Text(options);
            let arguments = values![
                program,
                0,
                devices,
                options,
                order.len(),
                inputs,
                names,
                notify,
                data
            ];
            let mut call = Call::new(Function::CompileProgram, arguments);
            if way == 1 {
                // The only one that the program has.
                call.arguments[1] = 1.into();
                call.arguments[2] = Value::objects([device]);
            }
            match way {
                2 => self.calls_back(call, (program, device), cl::CL_BUILD_SUCCESS),
                _ => self.step(call),
            }
            self.value = way as u32;
            (self.added, self.version) = (self.value, VERSION);
        }
        for one in headers {
            self.release([one]);
        }
    }
}

/// A text in pieces of so many bytes; of texts that are ASCII.
fn pieces(text: &str, bytes: usize) -> Vec<&str> {
    let mut all = Vec::new();
    let mut rest = text;
    while let Some((piece, behind)) = rest.split_at_checked(bytes) {
        all.push(piece);
        rest = behind;
    }
    all.push(rest);
    all
}

fn build(program: Slot, options: Value) -> Call {
    let [devices, notify, data] = [const { Value::Null }; 3];
    Call::new(
        Function::BuildProgram,
        values![program, 0, devices, options, notify, data],
    )
}

pub(super) fn compile(program: Slot, options: Value) -> Call {
    let [devices, headers, names, notify, data] = [const { Value::Null }; 5];
    let arguments = values![
        program, 0, devices, options, 0, headers, names, notify, data
    ];
    Call::new(Function::CompileProgram, arguments)
}

pub(super) fn link(context: Slot, program: Slot, options: Value) -> Call {
    let [devices, notify, data] = [const { Value::Null }; 3];
    let inputs = Value::objects([program]);
    let arguments = values![context, 0, devices, options, 1, inputs, notify, data];
    Call::new(Function::LinkProgram, arguments)
}
