//! Kernels that call functions of numbers with a fraction, and the numbers that these may give.

mod arguments;

use super::builder::{CaseBuilder, load, store, vector};
use crate::choices::Choices;
use crate::host::check::Wanted;
use crate::kernels::case::{Arg, Contents, KernelCase, Kind, ObjectId, Range, Unit, Want, Within};
use crate::kernels::math::format::{FORMATS, Format};
use crate::kernels::math::functions::{FUNCTIONS, Form, Function, Given, Type};
use crate::kernels::math::{Gives, bounds};
use crate::rule;
use arguments::draw;
use classay_vocabulary::Need;

/// Functions of a case.
const KERNELS: usize = 8;

/// Where a function stores what its last argument points to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Space {
    Private,
    Local,
    Global,
}

/// A call of a function, as it is drawn.
struct Drawn<'f> {
    function: &'f Function,
    format: Format,
    lanes: usize,
    /// Arguments that are scalars beside vectors.
    scalar: Vec<bool>,
    /// The numbers of each argument.
    arguments: Vec<Vec<f64>>,
    /// The `int`s, one for each vector or each lane.
    ints: Vec<i32>,
    /// The arguments are in the text.
    known: bool,
    space: Space,
}

/// Functions of one format, a kernel each.
pub fn math(choices: &mut Choices) -> KernelCase {
    let format = choices
        .weighted(&[
            (Format::Float, 70),
            (Format::Double, 20),
            (Format::Half, 10),
        ])
        .unwrap_or(FORMATS[1]);
    let about = format!("functions of {} come as near as they must", format.name());
    let mut case = CaseBuilder::new(about);
    // Other bounds hold of the embedded profile.
    case.need(&[Need::FullProfile]);
    case.case.source = case.need_type(format.name()).into();
    let asked = |function: &&Function| (function.ulps)(format, 1.0).is_some();
    let all: Vec<&Function> = FUNCTIONS.iter().filter(asked).collect();
    // Neighbours in the table are alike, so a case has functions that are as far apart as they can be; cases that follow
    // each other begin at other places, so that a dozen of them have all.
    let step = all.len().div_ceil(KERNELS);
    let first = choices.below(step);
    let mut functions: Vec<&Function> = all.into_iter().skip(first).step_by(step).collect();
    if choices.percent(12) {
        functions = choices.pick(&functions).into_iter().collect();
    }
    for (n, function) in functions.into_iter().enumerate() {
        let drawn = draw(choices, function, format);
        add(&mut case, n, &drawn);
    }
    case.case
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
    fn text(&self, arguments: &[String]) -> String {
        match self.function.form {
            Form::Operator => arguments.join(&format!(" {} ", self.function.name)),
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
        let text = self.text(&arguments);
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
        given.map(|given| (given.clone(), of(&given))).collect()
    }

    /// A number as a constant of the program.
    fn constant(&self, x: f64) -> String {
        let (format, bits) = (self.format, self.format.bits(x));
        match format {
            Format::Half => format!("as_half((ushort)0x{bits:04x})"),
            Format::Float => format!("as_float(0x{bits:08x}u)"),
            Format::Double => format!("as_double(0x{bits:016x}ul)"),
        }
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
            if self.known {
                passed.push(value);
            } else {
                let ty = self.type_name(of, own);
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
                Space::Global => passed.push(format!("(global {ty}*)second + {call}")),
            }
        }
        let ty = self.type_name(self.function.gives, given);
        text += &format!("{pad}{ty} result = {};\n", self.text(&passed));
        text += &stored(given, "result", "first");
        if self.function.stores.is_some() {
            match self.space {
                // Of a quotient the lowest seven bits are known, and its sign.
                Space::Private if self.function.name == "remquo" => {
                    text += &stored(given, "also % 128", "second");
                }
                Space::Private => text += &stored(given, "also", "second"),
                Space::Local => text += &stored(given, "rooms[get_local_id(0)]", "second"),
                Space::Global => {}
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

/// The kernel of a function, its launch, and the looks at what it left.
fn add(case: &mut CaseBuilder, n: usize, drawn: &Drawn) {
    let (function, format) = (drawn.function, drawn.format);
    let name = format!("math{n}");
    let calls = drawn.calls();
    let mut parameters: Vec<String> = Vec::new();
    let mut args: Vec<Arg> = Vec::new();
    let range = match drawn.known {
        true => Range::line(1, 1),
        false => Range::line(calls as u64, if calls.is_multiple_of(3) { 3 } else { 1 }),
    };
    if !drawn.known {
        for (n, numbers) in drawn.arguments.iter().enumerate() {
            let bytes = numbers.iter().flat_map(|x| {
                let bits = format.bits(*x).to_le_bytes();
                bits.into_iter().take(format.bytes())
            });
            let bytes: Vec<u8> = bytes.collect();
            let buffer = case.object(Kind::Buffer, bytes.len(), Contents::Bytes(bytes));
            args.push(buffer.into());
            parameters.push(format!("global const {} *a{n}", format.name()));
        }
        if function.takes_int {
            let words: Vec<u32> = drawn.ints.iter().map(|n| *n as u32).collect();
            let buffer = case.object(Kind::Buffer, 4 * words.len(), Contents::Words(words));
            args.push(buffer.into());
            parameters.push(format!("global const int *a{}", drawn.arguments.len()));
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
        args.push(out.into());
        parameters.push(format!("global {} *{name}", drawn.type_name(of, 1)));
        outs.push(Out {
            object: out,
            of,
            what,
            says,
        });
    }
    let mut body = String::new();
    if drawn.space == Space::Local
        && let Some(stored) = function.stores
    {
        let ty = drawn.type_name(stored, drawn.given_lanes());
        let rooms = if drawn.known { 1 } else { 3 };
        body += &format!("    local {ty} rooms[{rooms}];\n");
    }
    match drawn.known {
        false => {
            body += "    size_t i = get_global_id(0);\n";
            body += &drawn.body(&[], "i", "    ");
        }
        true => {
            for call in 0..calls {
                let vector = |numbers: &Vec<f64>| {
                    let lanes = numbers.iter().skip(call * drawn.lanes).take(drawn.lanes);
                    let all: Vec<String> = lanes.map(|x| drawn.constant(*x)).collect();
                    match drawn.lanes {
                        1 => all.concat(),
                        n => format!("({}{n})({})", format.name(), all.join(", ")),
                    }
                };
                let mut known: Vec<String> = drawn.arguments.iter().map(vector).collect();
                if function.takes_int {
                    known.push(drawn.ints[call * drawn.lanes].to_string());
                }
                let inside = drawn.body(&known, &call.to_string(), "        ");
                body += &format!("    {{\n{inside}    }}\n");
            }
        }
    }
    case.case.source += &format!(
        "kernel void {name}({}) {{\n{body}}}\n",
        parameters.join(", ")
    );
    case.launch(name, args, range);
    let called = match function.form {
        Form::Operator => format!("x {} y", function.name),
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
