//! Kernels whose answers are computed here: expressions, conversions, functions, statements, memory and numbers with a
//! fraction of one work-item each.

mod author;
mod flow;
mod input;
mod known_forms;
mod objects;
mod pieces;
mod reals;
mod structures;
mod vectors;

pub(super) use author::Author;
pub(super) use flow::Around;
pub(super) use input::numbers;

use super::builder::{CaseBuilder, linking};
use super::joined;
use super::rewrite::{OPAQUE, Opaque};
use crate::choices::Choices;
use crate::kernels::case::{Arg, Contents, KernelCase, Launch, ObjectId, Range, Unit, Want};
use crate::kernels::code::builtin::BUILTINS;
use crate::kernels::code::needed::needed;
use crate::kernels::code::number::*;
use crate::kernels::code::run::{Given, Machine};
use crate::kernels::code::write::write;
use crate::kernels::code::*;
use crate::rule::{self, RuleId};
use classay_vocabulary::{Extension, Need};
use pieces::{Results, SUBJECTS, Subject};
use structures::Kept;

/// Numbers that each work-item reads.
const INPUTS: usize = 4;

/// The most results of a kernel: compilers build it within a second, and one that only calls functions with more as soon.
const RESULTS: usize = 48;

/// Groups at least of a launch that shows what an implementation does with one only that has many: a first few may run
/// in another way while it compiles.
pub(super) const MANY_GROUPS: u64 = 10;

/// What not all devices have: a program uses one of them at most.
const OFFERS: [Need; 5] = [
    Need::Extension(Extension::ExtendedBitOps),
    Need::Extension(Extension::IntegerDotProduct),
    Need::C20,
    Need::Fp64,
    Need::Fp16,
];

/// Forms of a kernel that calls every function: of any eight cases that follow each other each function is called on
/// scalars and on vectors of each type, of 32 on vectors of each size that they are called on.
const FORMS: usize = 32;

/// A kernel and the launch of it.
#[derive(Clone)]
struct Planned {
    subject: Subject,
    name: String,
    /// Which of the kernels that are drawn it is, or a form of.
    number: usize,
    /// Its number in the program.
    function: usize,
    opaque: Option<Opaque>,
    range: Range,
    input: Integer,
    output: Integer,
    /// What each result of a work-item is about.
    results: Vec<String>,
    numbers: Vec<(Type, Value)>,
    /// The type of structures that it can leave in global memory.
    kept: Option<usize>,
}

/// What stays of parts.
fn of_those<T>(stays: &[bool], parts: Vec<T>) -> Vec<T> {
    let both = parts.into_iter().zip(stays);
    both.filter_map(|(part, stays)| stays.then_some(part))
        .collect()
}

/// A program of several kernels, each about a part of the language, each launched once.
pub fn computed(choices: &mut Choices) -> KernelCase {
    several(choices, 0)
}

/// A kernel that calls each integer function once, of a signed and of an unsigned type.
pub fn functions(choices: &mut Choices) -> KernelCase {
    let mut case = CaseBuilder::new("integer functions give what OpenCL C says");
    let form = choices.below(FORMS);
    let mut author = Author::new(choices);
    author.every = Some(form);
    author.often = author.choices.percent(50);
    let planned = [author.kernel(Subject::Functions, 0, 0)];
    author.leave_out(&planned);
    let often = author.often;
    let (program, choices) = (author.program, author.choices);
    let seed = choices.below(1 << 30) as u64;
    finish(&mut case, &program, &planned, (&[None], often), seed);
    case.case
}

/// A program of one such kernel, and it written otherwise so many times.
pub(super) fn rewritten(choices: &mut Choices, forms: usize) -> KernelCase {
    several(choices, forms)
}

fn several(choices: &mut Choices, forms: usize) -> KernelCase {
    let mut case = CaseBuilder::new(match forms {
        0 => "kernels compute what OpenCL C says of their numbers",
        _ => "kernels compute what they must, however they are written",
    });
    let mut author = Author::new(choices);
    author.rewrites = forms > 0;
    author.often = author.choices.percent(40);
    let units = if author.choices.percent(25) { 2 } else { 1 };
    let mut planned = Vec::new();
    let count = match forms {
        0 => author.choices.one_of(&[1, 5, 6, 7, 7, 8]),
        _ => 1,
    };
    let first = author.choices.below(SUBJECTS.len());
    author.offer = author
        .choices
        .pick(&OFFERS)
        .filter(|_| author.choices.percent(50));
    for unit in 0..units {
        author.helpers.clear();
        for n in 0..author.choices.below(3) {
            let helper = author.helper(&format!("helper{n}"));
            author.program.functions[helper].unit = unit;
            // One that another unit calls has a name of its own.
            author.program.functions[helper].internal = true;
            author.helpers.push(helper);
        }
        if unit > 0 {
            let shared = author.helper("shared");
            author.program.functions[shared].unit = unit;
            author.helpers.push(shared);
        }
    }
    let shared = (units > 1).then(|| author.program.functions.len() - 1);
    for n in 0..count {
        let unit = n % units;
        let functions = author.program.functions.iter().enumerate();
        let callable = functions
            .filter(|(at, f)| f.gives.is_some() && (f.unit == unit || shared == Some(*at)));
        author.helpers = callable.map(|(at, _)| at).collect();
        let subject = SUBJECTS[(first + n) % SUBJECTS.len()];
        if !author.choices.begins() {
            continue;
        }
        let plan = author.kernel(subject, n, unit);
        planned.push(plan.clone());
        for form in 0..forms {
            let Some(opaque) = plan.opaque else { break };
            let name = format!("compute{n}_{form}");
            let function = author.rewrite(plan.function, opaque, &name);
            planned.push(Planned {
                name,
                function,
                ..plan.clone()
            });
        }
        author.choices.ends();
    }
    author.leave_out(&planned);
    let often = author.often;
    let (program, needs, choices) = (author.program, author.needs, author.choices);
    let seed = choices.below(1 << 30) as u64;
    // Kernels and copies of them, of which one gets other arguments when the other has been made.
    let copies = choices.percent(30);
    case.need_if(copies, &[Need::Api21]);
    let copied = |_| match copies {
        true => choices.one_of(&[Some(true), Some(false), None]),
        false => None,
    };
    let copied: Vec<Option<bool>> = planned.iter().map(copied).collect();
    finish(&mut case, &program, &planned, (&copied, often), seed);
    // A function of a precision may be one more than a kernel has results.
    let texts = || case.case.units.iter().chain([&case.case.source]);
    let used = |need: &Need| match need {
        Need::Fp16 => texts().any(|text| text.contains("half")),
        Need::Fp64 => texts().any(|text| text.contains("double")),
        _ => true,
    };
    let needs: Vec<Need> = needs.into_iter().filter(used).collect();
    case.need(&needs);
    if units > 1 {
        case.need(&[Need::Linker]);
        case.case.build.linking = linking(choices);
    }
    case.case
}

impl Author<'_> {
    /// Leaves out of the text what these kernels have no need of, where anything is left out.
    fn leave_out(&mut self, planned: &[Planned]) {
        if self.choices.leaves_out() {
            let kernels = planned.iter().filter(|plan| !plan.results.is_empty());
            self.program
                .leave_out_unneeded(kernels.map(|plan| plan.function));
        }
    }

    fn kernel(&mut self, subject: Subject, n: usize, unit: usize) -> Planned {
        let name = format!("compute{n}");
        self.begin(&name, true);
        self.function.unit = unit;
        let input = self.integer();
        let output = match self.every {
            // Whole, so that the function which gives a wrong number is the first that is seen to.
            Some(_) => self.choices.one_of(&[ULONG, LONG]),
            None => self.choices.one_of(&[ULONG, UINT, LONG, INT, USHORT, CHAR]),
        };
        let out = self.parameter("out", Shape::Pointer(Region::Global, output.scalar()));
        let from = self.parameter("from", Shape::Pointer(Region::GlobalConst, input.scalar()));
        let kept = (subject == Subject::Memory).then(|| self.kept_parameter());
        let numbers = (0..self.choices.below(3)).map(|n| {
            let of = self.integer();
            self.number_parameter(&format!("a{n}"), of.scalar());
            let number = self.number(of);
            (of.scalar(), of.scalar().value(number))
        });
        let mut numbers: Vec<(Type, Value)> = numbers.collect();
        let opaque = self.rewrites.then(|| self.opaque());
        if opaque.is_some() {
            let ty = UINT.scalar();
            numbers.extend(OPAQUE.map(|number| (ty, ty.value(number))));
        }
        let range = self.range(subject);
        let mut body = Vec::new();
        let me = self.variable(Shape::Number(UINT.scalar()));
        // Other subjects than these need nothing of ids but that each work-item has its own.
        let index = match subject {
            Subject::WorkItems => self.linear_id(range.global.len() as u32),
            _ => self.make.work_item(WorkItem::GlobalId, 0),
        };
        let items = range.items() as i128;
        let index = self.make.with(index, Arithmetic::Remainder, items);
        body.push(Stmt::Declare(me, Some(Init::Number(index))));
        self.kept = kept.map(|(of, global)| {
            let local = self.named("room", Shape::Structs(of, range.group() as usize));
            self.function.variables[local].local = true;
            Kept {
                of,
                global,
                local,
                me,
            }
        });
        let mut inputs = Vec::new();
        for n in 0..INPUTS {
            let place = Place::variable(from).at(self.element(me, INPUTS, n));
            let read = self.make.read(place, input.scalar());
            let of = if n == 0 || self.every.is_some() {
                input
            } else {
                self.integer()
            };
            inputs.push(self.declare(&mut body, of.scalar(), read));
        }
        if self.every.is_some() {
            self.ends(&mut body, input.scalar(), &inputs);
        }
        let mut results = self.results(subject, &mut body);
        let stays: Vec<bool> = results.iter().map(|_| self.choices.result()).collect();
        results = of_those(&stays, results);
        self.columns = of_those(&stays, std::mem::take(&mut self.columns));
        let each = results.len();
        for (n, result) in results.into_iter().enumerate() {
            let place = Place::variable(out).at(self.element(me, each, n));
            let value = self.make.implicit(output.scalar(), result);
            body.push(Stmt::Assign(place, value));
        }
        if self.choices.leaves_out() {
            body = needed(&self.function.variables, body);
        }
        let function = self.end(body);
        Planned {
            subject,
            name,
            number: n,
            function,
            opaque,
            range,
            input,
            output,
            results: std::mem::take(&mut self.columns),
            numbers,
            kept: kept.map(|(of, _)| of),
        }
    }

    /// Pieces about a subject, and some others.
    fn results(&mut self, subject: Subject, body: &mut Vec<Stmt>) -> Results {
        let mut results = Results::new();
        self.turn = self.choices.below(64);
        // Of functions there are many, each of many types.
        let pieces = match subject {
            _ if self.every.is_some() => BUILTINS.len(),
            Subject::Functions => self.choices.one_of(&[1, 12, 16, 20, 24]),
            _ => self.choices.one_of(&[1, 8, 12, 16, 20]),
        };
        for _ in 0..pieces {
            if self.every.is_none() && results.len() >= RESULTS {
                break;
            }
            let others = [Subject::Operators, Subject::Memory];
            let strays = self.every.is_none() && self.choices.percent(25);
            let other = strays.then(|| self.choices.one_of(&others));
            let of = other.unwrap_or(subject);
            self.about = of.name().into();
            match of {
                Subject::Operators => self.operators(body, &mut results),
                Subject::Conversions => self.conversions(body, &mut results),
                Subject::Functions => self.functions(body, &mut results),
                Subject::Statements => self.statements(body, &mut results),
                Subject::Memory => self.memory(body, &mut results),
                Subject::WorkItems => self.work_items(body, &mut results),
                Subject::Reals => self.reals(body, &mut results),
            }
            self.are_about(&results);
        }
        if self.every.is_some() {
            for vectors in [1, 2] {
                self.about = "shuffle".into();
                self.shuffled(body, &mut results, vectors);
                self.are_about(&results);
            }
        }
        results
    }

    /// `me * each + n`.
    fn element(&mut self, me: VarId, each: usize, n: usize) -> Expr {
        let me = self.make.variable(me, UINT.scalar());
        let first = self.make.with(me, Arithmetic::Multiply, each as i128);
        self.make.with(first, Arithmetic::Add, n as i128)
    }

    /// The global linear id, from the ids of so many dimensions.
    pub(super) fn linear_id(&mut self, dimensions: u32) -> Expr {
        let mut index = self.make.uint(0);
        for d in (0..dimensions).rev() {
            let [id, offset, size] = [
                WorkItem::GlobalId,
                WorkItem::GlobalOffset,
                WorkItem::GlobalSize,
            ]
            .map(|function| self.make.work_item(function, d));
            let id = self.make.arithmetic(Arithmetic::Subtract, id, offset);
            index = if d + 1 == dimensions {
                id
            } else {
                let rows = self.make.arithmetic(Arithmetic::Multiply, index, size);
                self.make.arithmetic(Arithmetic::Add, rows, id)
            };
        }
        index
    }

    fn range(&mut self, subject: Subject) -> Range {
        let choices = &mut *self.choices;
        if self.every.is_some() {
            // As many as show each end of a type beside each other.
            let local = choices.one_of(&[1u64, 4, 16, 32]);
            return Range::line((local * MANY_GROUPS).max(96), local);
        }
        if subject != Subject::WorkItems {
            let (locals, many) = match self.often {
                true => ([1, 2, 3, 8, 16, 16, 17], 40),
                false => ([1, 2, 3, 4, 8, 16, 33], 10),
            };
            let local = choices.one_of(&locals);
            let groups = match choices.percent(many) {
                true => MANY_GROUPS,
                false => choices.between(1, 3) as u64,
            };
            return Range::line(local * groups, local);
        }
        let dimensions = choices.between(1, 3);
        let local: Vec<u64> = (0..dimensions)
            .map(|_| choices.between(1, 4) as u64)
            .collect();
        let global = local
            .iter()
            .map(|size| size * choices.between(1, 3) as u64)
            .collect();
        let offset = (0..dimensions).map(|_| choices.below(20) as u64);
        let offset: Vec<u64> = offset.collect();
        Range {
            global,
            local: Some(local),
            offset: Some(offset).filter(|offset| offset.iter().any(|n| *n > 0)),
        }
    }
}

/// Runs the launches here, and adds them to the case with what they must leave behind; `copied` says of each whether a
/// copy of the kernel is launched, or the kernel when a copy has been made, and `often` whether kernels are launched as
/// often as it takes some implementations to compile them in another way.
fn finish(
    case: &mut CaseBuilder,
    program: &Program,
    planned: &[Planned],
    (copied, often): (&[Option<bool>], bool),
    seed: u64,
) {
    let mut machine = Machine::new(program);
    let mut launched = Vec::new();
    for (n, plan) in planned.iter().enumerate() {
        if plan.results.is_empty() {
            continue;
        }
        let items = plan.range.items() as usize;
        let inputs = numbers(plan.input, items * INPUTS, seed + plan.number as u64);
        let [out, from] = [vec![[0; LANES]; items * plan.results.len()], inputs.clone()]
            .map(|values| machine.buffer(values));
        let kept = plan.kept.map(Shape::Struct).map(|of| {
            let cells = items * program.cells(of);
            machine.buffer(vec![[0; LANES]; cells])
        });
        let given = [out, from].into_iter().chain(kept).map(Given::Buffer);
        let given: Vec<Given> = given
            .chain(plan.numbers.iter().map(|(_, value)| Given::Number(*value)))
            .collect();
        // One that takes too long to run here is not launched there.
        if machine.launch(&plan.name, &given, &plan.range).is_ok() {
            launched.push((plan, copied.get(n).copied().flatten(), out, inputs));
        }
    }
    let mut texts = write(program, machine.guarded()).into_iter();
    case.case.source = texts.next().unwrap_or_default();
    case.case.units = texts.collect();
    for (plan, copied, out, inputs) in launched {
        let values = machine.contents(out);
        let length = (values.len() * usize::from(plan.output.bits) / 8).max(1);
        let to = case.buffer(length);
        let from = buffer(case, plan.input, &inputs);
        let mut args = vec![Arg::Object(to), Arg::Object(from)];
        args.extend(plan.kept.map(|n| {
            let (bytes, _) = program.bytes(Shape::Struct(n));
            Arg::Object(case.buffer(bytes * plan.range.items() as usize))
        }));
        args.extend(
            plan.numbers
                .iter()
                .map(|(ty, value)| Arg::Bytes(bytes(ty.of, &[*value]))),
        );
        case.need_if(plan.subject == Subject::Reals, &[Need::FullProfile]);
        // What a kernel finds where it leaves something for itself is another thing the second time.
        let often = often && plan.kept.is_none();
        case.run(Launch {
            times: if often { joined::times(&plan.range) } else { 1 },
            cloned: copied == Some(true),
            disturbed: copied == Some(false),
            ..Launch::new(plan.name.clone(), args, plan.range.clone())
        });
        let mut rules = rules(plan.subject);
        rules.extend((!case.case.units.is_empty()).then_some(rule::C_UNITS));
        rules.extend(copied.map(|_| rule::RG_ARGS));
        let name = format!("what {} computed", plan.name);
        // What is compared by bytes has a column for each of them.
        let width = match plan.output.bits {
            32 | 64 => 1,
            bits => usize::from(bits) / 8,
        };
        let columns = plan.results.iter().cloned();
        let columns = columns.flat_map(|result| std::iter::repeat_n(result, width));
        let want = wanted(plan.output, &values).in_columns(columns.collect());
        case.look(to, &rules, &name, want);
    }
}

/// A buffer of numbers.
pub(super) fn buffer(case: &mut CaseBuilder, of: Integer, values: &[Value]) -> ObjectId {
    let bytes = bytes(of, values);
    case.object(
        crate::kernels::case::Kind::Buffer,
        bytes.len().max(1),
        Contents::Bytes(bytes),
    )
}

/// These numbers in a buffer.
pub(super) fn wanted(of: Integer, values: &[Value]) -> Want {
    let unit = match of.bits {
        64 => Unit::Long,
        32 => Unit::Word,
        _ => Unit::Byte,
    };
    let contents = match of.bits {
        64 => Contents::Longs(values.iter().map(|value| value[0]).collect()),
        32 => Contents::Words(values.iter().map(|value| value[0] as u32).collect()),
        _ => Contents::Bytes(bytes(of, values)),
    };
    Want::same(unit, contents).racy()
}

/// Little-endian bytes, as devices of this endianness have them.
fn bytes(of: Integer, values: &[Value]) -> Vec<u8> {
    let width = usize::from(of.bits) / 8;
    values
        .iter()
        .flat_map(|value| value[0].to_le_bytes().into_iter().take(width))
        .collect()
}

fn rules(subject: Subject) -> Vec<RuleId> {
    match subject {
        Subject::Operators => vec![rule::C_OPERATORS, rule::C_CONVERSIONS],
        Subject::Conversions => vec![rule::C_CONVERSIONS, rule::C_OPERATORS],
        Subject::Functions => vec![rule::C_FUNCTIONS, rule::C_CONVERSIONS],
        Subject::Statements => vec![rule::C_STATEMENTS, rule::C_OPERATORS],
        Subject::Memory => vec![rule::C_OBJECTS, rule::C_OPERATORS],
        Subject::Reals => vec![rule::C_REALS, rule::C_CONVERSIONS],
        Subject::WorkItems => vec![
            rule::ND_GLOBAL_ID,
            rule::ND_LOCAL_ID,
            rule::ND_GROUP_COUNT,
            rule::ND_OFFSET,
            rule::C_STATEMENTS,
        ],
    }
}
