//! Work-groups that exchange numbers between barriers which all work-items reach, while what each does between
//! them depends on it: reductions, scans, sorting, trips of its own, values that live across barriers.

mod forms;
mod records;
mod tally;
mod uniform;

use super::builder::CaseBuilder;
use super::computed::{Author, buffer, numbers, wanted};
use super::rewrite::{OPAQUE, Opaque};
use crate::choices::Choices;
use crate::kernels::case::{Arg, KernelCase, Launch, Range};
use crate::kernels::code::number::*;
use crate::kernels::code::run::{Given, Machine};
use crate::kernels::code::write::write;
use crate::kernels::code::*;
use crate::rule;
use classay_vocabulary::Need;

/// Sizes of work-groups: one, odd ones, those around the width of vectors and of sub-groups, and large ones.
const SIZES: [&[u64]; 32] = [
    &[8],
    &[1],
    &[2],
    &[3],
    &[5],
    &[7],
    &[16],
    &[31],
    &[32],
    &[33],
    &[63],
    &[64],
    &[65],
    &[96],
    &[127],
    &[128],
    &[129],
    &[200],
    &[255],
    &[256],
    &[4, 4],
    &[8, 9],
    &[5, 13],
    &[16, 8],
    &[33, 3],
    &[2, 3, 4],
    &[4, 4, 8],
    &[5, 3, 7],
    &[257],
    &[512],
    &[1000],
    &[1024],
];

/// Beyond this size a kernel is in one or two groups, and has few forms.
const LARGE: u64 = 129;

/// The largest group that passes structures on: its local memory has room for them.
const BOXES: u64 = 128;

/// What a kernel is written of: its variables, all of which every work-item has.
struct Phases<'a, 'c> {
    author: &'a mut Author<'c>,
    /// The type of what is exchanged.
    ty: Type,
    /// The work-item's number in its group, the group's size, and the group's number: `uint`s.
    me: VarId,
    size: VarId,
    group: VarId,
    /// What is computed.
    value: VarId,
    /// A private array of four.
    keep: VarId,
    /// Two arrays in local memory, and the group's part of global memory, a number for each work-item.
    cells: VarId,
    other: VarId,
    mine: VarId,
    /// A structure type, and an array in local memory with one for each work-item; not of large groups.
    boxes: Option<(usize, VarId)>,
    /// The functions with barriers: one that exchanges numbers, and one that calls it twice.
    functions: [usize; 2],
    /// Work-items of a group.
    items: u64,
}

/// A case.
pub fn phases(choices: &mut Choices) -> KernelCase {
    several(choices, 0)
}

/// A case of one kernel, and it written otherwise so many times.
pub(super) fn rewritten(choices: &mut Choices, forms: usize) -> KernelCase {
    several(choices, forms)
}

fn several(choices: &mut Choices, forms: usize) -> KernelCase {
    let mut case = CaseBuilder::new(match forms {
        0 => "work-items of a group compute in phases between barriers",
        _ => "work-items of a group compute the same, however their phases are written",
    });
    // Of what is written otherwise the text is long, so that groups are small.
    let mut sizes = SIZES[choices.below(SIZES.len())];
    if forms > 0 && sizes.iter().product::<u64>() > LARGE {
        sizes = SIZES[0];
    }
    let items: u64 = sizes.iter().product();
    let groups = choices.between(1, if items > LARGE { 2 } else { 4 }) as u64;
    let along = choices.below(sizes.len());
    let mut global = sizes.to_vec();
    global[along] *= groups;
    let range = Range::new(global, sizes.to_vec());
    let of = choices.one_of(&[UINT, UINT, ULONG, INT]);
    let most = match forms {
        0 if items > LARGE => 2,
        0 => 3,
        _ => 1,
    };
    let kernels = choices.between(1, most);
    let mut author = Author::new(choices);
    author.rewrites = forms > 0;
    let functions = functions(&mut author, of.scalar());
    let mut names = Vec::new();
    for n in 0..kernels {
        let name = format!("phases{n}");
        let (function, opaque) = kernel(&mut author, &name, of.scalar(), &range, functions);
        names.push(name);
        for form in 0..forms {
            let Some(opaque) = opaque else { break };
            let name = format!("phases{n}_{form}");
            author.rewrite(function, opaque, &name);
            names.push(name);
        }
    }
    let seed = author.choices.below(1 << 30) as u64;
    let program = author.program;
    let mut machine = Machine::new(&program);
    let total = range.items() as usize;
    let inputs = numbers(of, total, seed);
    let none = vec![[0; LANES]; total];
    let mut launched = Vec::new();
    let uint = UINT.scalar();
    let opaque = OPAQUE.map(|number| uint.value(number));
    let opaque = if forms > 0 { &opaque[..] } else { &[] };
    for name in names {
        let [out, from, all] =
            [&none, &inputs, &none].map(|values| machine.buffer(values.iter().copied()));
        let given = [out, from, all].map(Given::Buffer).into_iter();
        let given: Vec<Given> = given
            .chain([Given::Local(items as usize)])
            .chain(opaque.iter().map(|number| Given::Number(*number)))
            .collect();
        // One that takes too long to run here is not launched there.
        if machine.launch(&name, &given, &range).is_ok() {
            launched.push((name, out));
        }
    }
    case.need_if(items > 64, &[Need::WorkGroupSize(items as u32)]);
    case.case.source = write(&program, machine.guarded()).concat();
    let bytes = usize::from(of.bits) / 8;
    for (name, out) in launched {
        let to = case.buffer(bytes * total);
        let from = buffer(&mut case, of, &inputs);
        let all = case.buffer(bytes * total);
        let objects = [to, from, all].map(Arg::Object).into_iter();
        let args = objects
            .chain([Arg::Local(bytes * items as usize)])
            .chain(
                opaque
                    .iter()
                    .map(|number| Arg::Bytes((number[0] as u32).to_le_bytes().into())),
            )
            .collect();
        case.run(Launch::new(name.clone(), args, range.clone()));
        let atomics = case.case.source.contains("atomic_");
        let rules = [
            rule::WG_BARRIER,
            rule::MM_BARRIER_WG,
            rule::RG_PRIVATE,
            rule::RG_LOCAL,
            rule::C_STATEMENTS,
        ];
        let rules: Vec<_> = rules
            .into_iter()
            .chain(atomics.then_some(rule::MM_ATOMICITY))
            .collect();
        let want = wanted(of, &machine.contents(out));
        case.look(to, &rules, &format!("what {name} computed"), want);
    }
    case.case
}

/// Functions with barriers inside: one that exchanges numbers, and one that calls it twice.
fn functions(author: &mut Author<'_>, ty: Type) -> [usize; 2] {
    let uint = Shape::Number(UINT.scalar());
    let begin = |author: &mut Author<'_>, name: &str| {
        author.begin(name, false);
        author.function.gives = Some(Shape::Number(ty));
        let cells = author.parameter("cells", Shape::Pointer(Region::Local, ty));
        let [me, size] = ["me", "size"].map(|name| author.parameter(name, uint));
        let value = author.parameter("value", Shape::Number(ty));
        let shift = author.parameter("shift", uint);
        (cells, me, size, value, shift)
    };
    let barrier = Stmt::Barrier {
        local: true,
        global: false,
    };
    let (cells, me, size, value, shift) = begin(author, "turn");
    let make = &mut author.make;
    let uint = UINT.scalar();
    let [id, own, width, by] = [me, me, size, shift].map(|id| make.variable(id, uint));
    let seen = make.arithmetic(Arithmetic::Add, own, by);
    let seen = make.arithmetic(Arithmetic::Remainder, seen, width);
    let mine = make.variable(value, ty);
    let read = make.read(Place::variable(cells).at(seen), ty);
    let sum = make.with(mine, Arithmetic::Multiply, 3);
    let sum = make.arithmetic(Arithmetic::Xor, sum, read);
    let written = make.variable(value, ty);
    let given = make.variable(value, ty);
    let body = vec![
        Stmt::Assign(Place::variable(cells).at(id), written),
        barrier.clone(),
        Stmt::Assign(Place::variable(value), sum),
        barrier,
        Stmt::Return(Some(Argument::Number(given))),
    ];
    let turn = author.end(body);
    let (cells, me, size, value, shift) = begin(author, "turn_twice");
    let make = &mut author.make;
    let mut body = Vec::new();
    for n in 1..3 {
        let [me, size, by] = [me, size, shift].map(|id| make.variable(id, uint));
        let by = make.with(by, Arithmetic::Multiply, n);
        let now = make.variable(value, ty);
        let numbers = [me, size, now, by].map(Argument::Number).into_iter();
        let pointer = Argument::Pointer(Target::From(cells, None));
        let arguments = [pointer].into_iter().chain(numbers).collect();
        body.push(Stmt::Call(turn, arguments, Some(Place::variable(value))));
    }
    let given = make.variable(value, ty);
    body.push(Stmt::Return(Some(Argument::Number(given))));
    [turn, author.end(body)]
}

/// A kernel over a range: its number, and its parameters that are 0 and 1, if it has such.
fn kernel(
    author: &mut Author<'_>,
    name: &str,
    ty: Type,
    range: &Range,
    functions: [usize; 2],
) -> (usize, Option<Opaque>) {
    author.begin(name, true);
    let global = Shape::Pointer(Region::Global, ty);
    let out = author.parameter("out", global);
    let from = author.parameter("from", Shape::Pointer(Region::GlobalConst, ty));
    let all = author.parameter("all", global);
    let cells = author.parameter("cells", Shape::Pointer(Region::Local, ty));
    let opaque = author.rewrites.then(|| author.opaque());
    let items = range.group();
    let other = author.named("other", Shape::Array(ty, items as usize));
    author.function.variables[other].local = true;
    let boxes = (items <= BOXES).then(|| {
        let of = author.narrow_structure();
        let boxes = author.named("boxes", Shape::Structs(of, items as usize));
        author.function.variables[boxes].local = true;
        (of, boxes)
    });
    let [me, size, group] =
        ["me", "size", "group"].map(|name| author.named(name, Shape::Number(UINT.scalar())));
    let mine = author.named("mine", global);
    let value = author.named("value", Shape::Number(ty));
    let keep = author.named("keep", Shape::Array(ty, 4));
    author.sources = [me, group]
        .map(|id| (Place::variable(id), UINT.scalar()))
        .into();
    author.sources.push((Place::variable(value), ty));
    let mut phases = Phases {
        author,
        ty,
        me,
        size,
        group,
        value,
        keep,
        cells,
        other,
        mine,
        boxes,
        functions,
        items,
    };
    let dimensions = range.global.len() as u32;
    let mut body = phases.begin(dimensions, all, from);
    let more = phases
        .author
        .choices
        .between(1, if items > LARGE { 4 } else { 6 });
    for n in 0..more {
        if n > 0 && phases.author.choices.percent(12) {
            phases.ends_early(&mut body, out);
        }
        phases.form(&mut body, 2);
    }
    phases.end(&mut body, out);
    (phases.author.end(body), opaque)
}
