//! Kernels that call functions of numbers with a fraction, and the numbers that these may give.

mod arguments;
mod relations;

use super::builder::{CaseBuilder, constants, load, store, vector};
use crate::choices::Choices;
use crate::host::check::Wanted;
use crate::kernels::case::{Arg, Contents, KernelCase, Kind, ObjectId, Range, Unit, Want, Within};
use crate::kernels::math::format::{FORMATS, Format};
use crate::kernels::math::functions::{FUNCTIONS, Form, Function, Given, Type};
use crate::kernels::math::{Gives, bounds};
use crate::rule;
use arguments::{SIZES, draw};
use classay_vocabulary::Need;

/// Functions of a case.
const CALLED: usize = 24;

/// Functions of a kernel: a compiler takes longer for several kernels than for one of as many lines.
const TOGETHER: usize = 6;

/// Where a function stores what its last argument points to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Space {
    Private,
    Local,
    Global,
    /// Local memory, by a pointer to any.
    Generic,
}

/// A call of a function, as it is drawn.
struct Drawn<'f> {
    function: &'f Function,
    format: Format,
    lanes: usize,
    /// Arguments that are scalars beside vectors.
    scalar: Vec<bool>,
    /// The argument that is a whole number, and the type of integers as which it is written.
    whole: Option<(usize, &'static str)>,
    /// An operator stands in an assignment, `x op= y`.
    assigned: bool,
    /// The numbers of each argument.
    arguments: Vec<Vec<f64>>,
    /// The `int`s, one for each vector or each lane.
    ints: Vec<i32>,
    /// The arguments are in the text.
    known: bool,
    /// It has to be the number that is nearest, by an option of the build.
    rounded: bool,
    space: Space,
}

/// Functions of one format, some of them together in a kernel.
pub fn math(choices: &mut Choices) -> KernelCase {
    functions(choices, |_| true)
}

/// The same of those that become an instruction of SPIR-V each: one that becomes several, as functions of vectors do, may be
/// wrong by what all of these are.
pub fn instructions(choices: &mut Choices) -> KernelCase {
    functions(choices, |form| {
        !matches!(form, Form::Whole | Form::Vector | Form::Cross)
    })
}

/// Functions that are called in some ways.
fn functions(choices: &mut Choices, fits: fn(Form) -> bool) -> KernelCase {
    let format = choices
        .weighted(&[
            (Format::Float, 58),
            (Format::Double, 28),
            (Format::Half, 14),
        ])
        .unwrap_or(FORMATS[1]);
    let about = format!("functions of {} come as near as they must", format.name());
    let mut case = CaseBuilder::new(about);
    // Other bounds hold of the embedded profile.
    case.need(&[Need::FullProfile]);
    case.case.source = case.need_type(format.name()).into();
    let asked =
        |function: &&Function| (function.ulps)(format, 1.0).is_some() && fits(function.form);
    let all: Vec<&Function> = FUNCTIONS.iter().filter(asked).collect();
    // Neighbours in the table are alike, so a case has functions that are as far apart as they can be; cases that follow
    // each other begin at other places, so that a few of them have all.
    let step = all.len().div_ceil(CALLED);
    let first = choices.below(step);
    let mut functions: Vec<&Function> = all.into_iter().skip(first).step_by(step).collect();
    let alone = choices.percent(12);
    if alone {
        functions = choices.pick(&functions).into_iter().collect();
    }
    // Of floats a device may round quotients and roots correctly where it is asked to.
    let rounded = format == Format::Float && choices.percent(12);
    if rounded {
        case.need(&[Need::RoundedDivision]);
        case.case.build.options = "-cl-fp32-correctly-rounded-divide-sqrt".into();
        let more = FUNCTIONS.iter().filter(|function| may_be_rounded(function));
        functions.retain(|function| !may_be_rounded(function));
        functions.extend(more);
    }
    // Every other case asks the relational functions too, which are as much for a compiler.
    let relations = choices.percent(50);
    // Vectors of each size in turn.
    let turn = choices.below(SIZES);
    let drawn = functions.into_iter().enumerate();
    let drawn = drawn.filter_map(|(n, function)| {
        let mut drawn = choices.part(|choices| draw(choices, function, format, turn + n))?;
        drawn.rounded = rounded && may_be_rounded(function);
        Some(drawn)
    });
    // Constants are computed by one work-item, and local memory stands in no block.
    let apart = |drawn: &Drawn| drawn.known || matches!(drawn.space, Space::Local | Space::Generic);
    let (apart, together): (Vec<Drawn>, Vec<Drawn>) = drawn.partition(apart);
    let kernels = apart.chunks(1).chain(together.chunks(TOGETHER));
    for (n, kernel) in kernels.enumerate() {
        add(&mut case, n, kernel);
    }
    if relations && !alone {
        relations::add(choices, &mut case, format);
    }
    case.case
}

/// Whether an option of the build demands that the function is rounded correctly: "single precision floating-point divide
/// (x/y and 1/x) and sqrt" (`-cl-fp32-correctly-rounded-divide-sqrt`).
fn may_be_rounded(function: &Function) -> bool {
    matches!(function.name, "/" | "sqrt")
}

impl Drawn<'_> {
    /// Lanes of what it gives.
    fn given_lanes(&self) -> usize {
        match self.function.form {
            Form::Whole => 1,
            _ => self.lanes,
        }
    }

    /// Vectors that it is called with.
    fn calls(&self) -> usize {
        self.arguments.first().map_or(0, Vec::len) / self.lanes
    }

    fn type_name(&self, of: Type, lanes: usize) -> String {
        match of {
            Type::Real => vector(self.format.name(), lanes),
            Type::Int => vector("int", lanes),
        }
    }

    /// The arguments of a lane of a call, or of all lanes where it is a function of vectors.
    fn given(&self, call: usize, lane: usize) -> Given {
        let whole = matches!(self.function.form, Form::Whole | Form::Vector | Form::Cross);
        let lanes = match whole {
            true => call * self.lanes..(call + 1) * self.lanes,
            false => call * self.lanes + lane..call * self.lanes + lane + 1,
        };
        let of = |numbers: &Vec<f64>| numbers.get(lanes.clone()).unwrap_or_default().to_vec();
        Given {
            format: self.format,
            of: self.arguments.iter().map(of).collect(),
            n: self
                .ints
                .get(call * self.lanes + lane)
                .copied()
                .unwrap_or(0),
            lane,
        }
    }

    /// The call with these arguments.
    fn text(&self, arguments: &[String], lanes: usize) -> String {
        match self.function.form {
            Form::Bits => {
                let bits = match self.format {
                    Format::Half => "ushort",
                    Format::Float => "uint",
                    Format::Double => "ulong",
                };
                let given = format!("as_{}({})", vector(bits, lanes), arguments.concat());
                format!("{}({given})", self.function.name)
            }
            Form::Operator => arguments.join(&format!(" {} ", self.function.name)),
            Form::Prefix => format!("{}{}", self.function.name, arguments.join(", ")),
            _ => format!("{}({})", self.function.name, arguments.join(", ")),
        }
    }

    /// What a call is in a sentence.
    fn named(&self, given: &Given) -> String {
        let bits = |x: &f64| {
            let width = 2 * self.format.bytes();
            format!("0x{:0width$x}", self.format.bits(*x))
        };
        let mut arguments: Vec<String> = given
            .of
            .iter()
            .map(|lanes| match lanes.as_slice() {
                [one] => bits(one),
                all => format!("({})", all.iter().map(bits).collect::<Vec<_>>().join(", ")),
            })
            .collect();
        if self.function.takes_int {
            arguments.push(given.n.to_string());
        }
        let text = self.text(&arguments, 1);
        match self.function.form {
            Form::Vector | Form::Cross => format!("{text}, lane {}", given.lane),
            _ => text,
        }
    }

    /// What its numbers have to be, with what each is of.
    fn wanted(&self, of: fn(&Given) -> Gives) -> Vec<(Given, Gives)> {
        let lanes = self.given_lanes();
        let places = (0..self.calls()).flat_map(|call| (0..lanes).map(move |lane| (call, lane)));
        let given = places.map(|(call, lane)| self.given(call, lane));
        // A quotient or a root of floats that is rounded to a double, and then to a float, is rounded as if at once.
        let exactly = |gives: Gives| match gives {
            Gives::Near(value) if self.rounded => Gives::Exactly(value),
            gives => gives,
        };
        given
            .map(|given| (given.clone(), exactly(of(&given))))
            .collect()
    }

    /// The statements of one call: its arguments, the call, and what becomes of what it gives.
    fn body(&self, arguments: &[String], call: &str, pad: &str) -> String {
        let stored =
            |lanes: usize, what: &str, to: &str| format!("{pad}{}\n", store(lanes, what, to, call));
        let (lanes, given) = (self.lanes, self.given_lanes());
        let mut text = String::new();
        let mut passed: Vec<String> = Vec::new();
        for (n, scalar) in self.scalar.iter().enumerate() {
            let of = match n < self.function.takes.len() {
                true => Type::Real,
                false => Type::Int,
            };
            let (own, value) = match arguments.get(n) {
                Some(known) => (lanes, known.clone()),
                None if *scalar => (1, format!("a{n}[{call} * {lanes}]")),
                None => (lanes, load(lanes, &format!("a{n}"), call)),
            };
            let value = match self.whole {
                Some((at, ty)) if at == n => format!("({ty}){value}"),
                _ => value,
            };
            if self.known {
                passed.push(value);
            } else {
                let ty = match self.whole {
                    Some((at, ty)) if at == n => ty.to_owned(),
                    _ => self.type_name(of, own),
                };
                text += &format!("{pad}{ty} x{n} = {value};\n");
                passed.push(format!("x{n}"));
            }
        }
        if let Some(also) = self.function.stores {
            let ty = self.type_name(also, given);
            match self.space {
                Space::Private => {
                    text += &format!("{pad}{ty} also;\n");
                    passed.push("&also".into());
                }
                Space::Local => passed.push("rooms + get_local_id(0)".into()),
                Space::Generic => {
                    text += &format!("{pad}{ty} *room = rooms + get_local_id(0);\n");
                    passed.push("room".into());
                }
                Space::Global => passed.push(format!("(global {ty}*)second + {call}")),
            }
        }
        let ty = self.type_name(self.function.gives, given);
        match (self.assigned, passed.as_slice()) {
            (true, [x, y]) => {
                let op = self.function.name;
                text += &format!("{pad}{ty} result = {x};\n{pad}result {op}= {y};\n");
            }
            _ => text += &format!("{pad}{ty} result = {};\n", self.text(&passed, lanes)),
        }
        let seen = |of: Type, what: &str| match of {
            Type::Real => what.to_owned(),
            Type::Int => {
                let ty = self.type_name(of, given);
                self.function.seen.replace('@', what).replace('#', &ty)
            }
        };
        text += &stored(given, &seen(self.function.gives, "result"), "first");
        if let Some(of) = self.function.stores {
            let there = match self.space {
                Space::Private => Some("also"),
                Space::Local | Space::Generic => Some("rooms[get_local_id(0)]"),
                Space::Global => None,
            };
            if let Some(there) = there {
                text += &stored(given, &seen(of, there), "second");
            }
        }
        text
    }
}

/// Where a kernel leaves what a function gives, or what it stores.
struct Out {
    object: ObjectId,
    of: Type,
    what: fn(&Given) -> Gives,
    /// What it is, behind the function's name.
    says: &'static str,
}

/// A kernel that is being written.
#[derive(Default)]
struct Written {
    /// Its parameters: the type of a pointer, and the name.
    parameters: Vec<(String, String)>,
    args: Vec<Arg>,
    body: String,
}

/// The kernel of some functions, its launch, and the looks at what it left.
fn add(case: &mut CaseBuilder, n: usize, all: &[Drawn]) {
    let name = format!("math{n}");
    let mut kernel = Written::default();
    let mut outs = Vec::new();
    for (n, drawn) in all.iter().enumerate() {
        let mut own = Written::default();
        outs.push(write(case, drawn, &mut own));
        kernel.args.extend(own.args);
        match all {
            [_] => {
                kernel.parameters.extend(own.parameters);
                kernel.body += &own.body;
            }
            // Each has names of its own in a block.
            _ => {
                kernel.body += &format!("    if (get_global_id(0) < {}) {{\n", drawn.calls());
                for (ty, name) in own.parameters {
                    kernel.body += &format!("    {ty}{name} = f{n}_{name};\n");
                    kernel.parameters.push((ty, format!("f{n}_{name}")));
                }
                kernel.body += &own.body;
                kernel.body += "    }\n";
            }
        }
    }
    let parameters = kernel.parameters.iter();
    let parameters: Vec<String> = parameters.map(|(ty, name)| format!("{ty}{name}")).collect();
    case.case.source += &format!(
        "kernel void {name}({}) {{\n{}}}\n",
        parameters.join(", "),
        kernel.body
    );
    let calls = all.iter().map(Drawn::calls).max().unwrap_or(1);
    let range = match all {
        [one] if one.known => Range::line(1, 1),
        _ => Range::line(calls as u64, if calls.is_multiple_of(3) { 3 } else { 1 }),
    };
    case.launch(name, kernel.args, range);
    for (drawn, outs) in all.iter().zip(outs) {
        look(case, drawn, outs);
    }
}

/// What a kernel does about a function: gives where it leaves its numbers.
fn write(case: &mut CaseBuilder, drawn: &Drawn, kernel: &mut Written) -> Vec<Out> {
    let (function, format) = (drawn.function, drawn.format);
    let calls = drawn.calls();
    case.need_if(drawn.space == Space::Generic, &[Need::GenericAddressSpace]);
    if !drawn.known {
        for (n, numbers) in drawn.arguments.iter().enumerate() {
            let bytes = numbers.iter().flat_map(|x| {
                let bits = format.bits(*x).to_le_bytes();
                bits.into_iter().take(format.bytes())
            });
            let bytes: Vec<u8> = bytes.collect();
            let buffer = case.object(Kind::Buffer, bytes.len(), Contents::Bytes(bytes));
            kernel.args.push(buffer.into());
            let ty = format!("global const {} *", format.name());
            kernel.parameters.push((ty, format!("a{n}")));
        }
        if function.takes_int {
            let words: Vec<u32> = drawn.ints.iter().map(|n| *n as u32).collect();
            let buffer = case.object(Kind::Buffer, 4 * words.len(), Contents::Words(words));
            kernel.args.push(buffer.into());
            let name = format!("a{}", drawn.arguments.len());
            kernel.parameters.push(("global const int *".into(), name));
        }
    }
    let mut outs: Vec<Out> = Vec::new();
    let results = [
        Some((function.gives, function.of, "first", "")),
        function
            .stores
            .map(|of| (of, function.stored, "second", ", what it stores")),
    ];
    for (of, what, name, says) in results.into_iter().flatten() {
        let bytes = match of {
            Type::Real => format.bytes(),
            Type::Int => 4,
        };
        let all = calls * drawn.given_lanes() * bytes;
        let out = case.object(Kind::Buffer, all, Contents::Every(0xa5a5_a5a5));
        kernel.args.push(out.into());
        let ty = format!("global {} *", drawn.type_name(of, 1));
        kernel.parameters.push((ty, name.into()));
        outs.push(Out {
            object: out,
            of,
            what,
            says,
        });
    }
    let body = &mut kernel.body;
    if matches!(drawn.space, Space::Local | Space::Generic)
        && let Some(stored) = function.stores
    {
        let ty = drawn.type_name(stored, drawn.given_lanes());
        let rooms = if drawn.known { 1 } else { 3 };
        *body += &format!("    local {ty} rooms[{rooms}];\n");
    }
    match drawn.known {
        false => {
            *body += "    size_t i = get_global_id(0);\n";
            *body += &drawn.body(&[], "i", "    ");
        }
        true => {
            for call in 0..calls {
                let written = |(numbers, scalar): (&Vec<f64>, &bool)| {
                    let taken = if *scalar { 1 } else { drawn.lanes };
                    let lanes = numbers.iter().skip(call * drawn.lanes).take(taken);
                    constants(format.name(), lanes.map(|x| format.bits(*x)))
                };
                let each = drawn.arguments.iter().zip(&drawn.scalar);
                let mut known: Vec<String> = each.map(written).collect();
                if function.takes_int {
                    known.push(drawn.ints[call * drawn.lanes].to_string());
                }
                let inside = drawn.body(&known, &call.to_string(), "        ");
                *body += &format!("    {{\n{inside}    }}\n");
            }
        }
    }
    outs
}

/// The looks at what a kernel left of a function.
fn look(case: &mut CaseBuilder, drawn: &Drawn, outs: Vec<Out>) {
    let (function, format) = (drawn.function, drawn.format);
    let called = match function.form {
        Form::Operator if drawn.assigned => format!("x {}= y", function.name),
        Form::Operator => format!("x {} y", function.name),
        Form::Prefix => format!("{}x", function.name),
        _ => function.name.to_owned(),
    };
    let of = vector(format.name(), drawn.lanes);
    let lanes = drawn.lanes as f64;
    for Out {
        object,
        of: gives,
        what,
        says,
    } in outs
    {
        let wanted = drawn.wanted(what);
        // Such a function is there, and ends: no more is known of it.
        if wanted.iter().all(|(_, gives)| *gives == Gives::Any) {
            continue;
        }
        let want = match gives {
            Type::Real => {
                let ulps = (function.ulps)(format, lanes).unwrap_or_default();
                let number = |(given, gives): &(Given, Gives)| Wanted {
                    of: drawn.named(given),
                    right: bounds(format, ulps, *gives),
                };
                Want::Within(Within {
                    bytes: format.bytes(),
                    numbers: wanted.iter().map(number).collect(),
                })
            }
            Type::Int => {
                let int = |(_, gives): &(Given, Gives)| match gives {
                    Gives::Exactly(n) => *n as i32 as u32,
                    _ => 0,
                };
                Want::same(
                    Unit::Word,
                    Contents::Words(wanted.iter().map(int).collect()),
                )
            }
        };
        case.look(
            object,
            &[rule::C_MATH],
            &format!("{called} of {of}{says}"),
            want,
        );
    }
}
