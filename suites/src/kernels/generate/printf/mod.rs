//! Kernels that print: each conversion with its flags, widths, precisions and length modifiers, of scalars, vectors and
//! literal strings. What is printed is known before ([`convert`]).

mod convert;
mod number;

use super::builder::{CaseBuilder, args};
use crate::choices::Choices;
use crate::host::check::{MARK, Printed};
use crate::kernels::case::{Contents, KernelCase, Kind, Range, Step, Want};
use crate::rule;
use classay_vocabulary::Need;
use convert::{Conversion, Flags, one_of};
use number::{DOUBLE, FLOAT, HALF, Number, SIGNED, UNSIGNED, printed};
use std::fmt::Write;

/// The conversions of numbers.
const LETTERS: [char; 14] = [
    'd', 'f', 'x', 'u', 'g', 'e', 'i', 'o', 'X', 'F', 'E', 'a', 'G', 'A',
];

/// Words and numbers between conversions, of characters that are no part of a pattern.
const WORDS: [&str; 8] = [" ", ", ", "=", " end", ":", "a b", "%%", "(x)"];

/// Literal strings.
const STRINGS: [&str; 6] = [
    "",
    "a",
    "word",
    "two words",
    "100 & 1",
    "longer than the others",
];

/// Where the calls behind the first ones stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    /// With these.
    None,
    /// In a function that the kernel calls.
    Function,
    /// In a kernel of their own.
    Kernel,
}

/// A call of printf: its format, its arguments, and what each work-item's line is.
struct Line {
    format: String,
    arguments: String,
    wanted: Vec<String>,
}

/// What an argument of a conversion of integers is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Passed {
    /// Of the type that is printed.
    Own,
    /// An `int` or `uint` of more bits: "its value shall be converted … before printing" (`hh`, `h`).
    Wide,
    /// A `char` or a `short`, which becomes an `int`.
    Char,
    Short,
}

impl Passed {
    /// The bits of the number that is printed, of bits that are drawn.
    fn held(self, of: Number, bits: u64) -> u64 {
        let int = match self {
            Passed::Own | Passed::Wide => return bits,
            Passed::Char => i32::from(bits as i8),
            Passed::Short => i32::from(bits as i16),
        };
        u64::from(int as u32) & (u64::MAX >> (64 - of.bits))
    }

    /// The `long` that it is made of, with any bits above its own.
    fn read(self, of: Number, bits: u64, any: u64) -> u64 {
        let wide = || bits | any << of.bits;
        match self {
            Passed::Own => bits,
            // An `int` or a `uint` holds it.
            Passed::Wide if of.signed => i64::from(wide() as i32) as u64,
            Passed::Wide => wide() & u64::from(u32::MAX),
            Passed::Char | Passed::Short => i64::from(bits as i32) as u64,
        }
    }

    fn text(self, of: Number, long: &str) -> String {
        match self {
            Passed::Own => of.of(long),
            Passed::Wide if of.signed => format!("(int){long}"),
            Passed::Wide => format!("(uint){long}"),
            Passed::Char => format!("(char){long}"),
            Passed::Short => format!("(short){long}"),
        }
    }
}

/// Who writes the calls of a kernel.
struct Author<'c> {
    choices: &'c mut Choices,
    /// The next conversion of numbers that none before has had.
    turn: usize,
    /// Work-items that print; each reads numbers of its own.
    items: usize,
    doubles: bool,
    halves: bool,
    /// What each work-item reads.
    read: Vec<Vec<u64>>,
}

/// One work-item prints lines, or each of some a line; the host listens, and what was printed is there when the queue
/// is finished.
pub fn printf(choices: &mut Choices) -> KernelCase {
    let mut case = CaseBuilder::new("kernels print what their formats say of their arguments");
    // Where each prints, the characters of lines may mix: then there is one right text of each.
    let many = choices.percent(20);
    let (items, group) = match many {
        // Groups at once have one buffer for what they print.
        true if choices.percent(35) => (
            choices.one_of(&[130, 260, 390]),
            choices.one_of(&[1, 10, 65]),
        ),
        true => (choices.between(2, 9), 1),
        false => (1, 1),
    };
    let doubles = choices.percent(20);
    let others = choices.below(4) as u64;
    let who = choices.below(others as usize + 1) as u64;
    let looped = !many && choices.percent(25);
    let calls = if many {
        1
    } else {
        choices.one_of(&[1, 8, 12, 16])
    };
    let turn = choices.below(LETTERS.len());
    let mut author = Author {
        turn,
        items,
        doubles,
        halves: !doubles && choices.percent(15),
        choices,
        read: vec![Vec::new(); items],
    };
    let mut lines = Vec::new();
    for n in 0..calls {
        if author.choices.begins() {
            lines.push(author.line(n, many));
            author.choices.ends();
        }
    }
    let read = author.read;
    let of = |ty: &&str| lines.iter().any(|line| line.arguments.contains(*ty));
    let types = ["double", "half"].into_iter().filter(of);
    let mut before: String = types.map(|ty| case.need_type(ty)).collect();
    case.need(&[Need::FullProfile]);
    let length = read[0].len().max(1);
    let mut body: Vec<String> = Vec::new();
    for (n, line) in lines.iter().enumerate() {
        let Line {
            format, arguments, ..
        } = line;
        // "format … must be resolvable at compile time": a literal, or a name of one.
        let named = n % 8 == 5;
        let call = match named {
            true => format!("printf(format{n}{arguments})"),
            false => format!("printf(\"{format}\\n\"{arguments})"),
        };
        if named {
            before += &format!("constant char format{n}[] = \"{format}\\n\";\n");
        }
        body.push(format!(
            "    r = {call};\n    out[{n}] |= r == 0 || r == -1 ? 0 : r;\n"
        ));
    }
    // Those behind stand in a function, or in a kernel of their own.
    let part = match calls {
        1 => Part::None,
        _ => choices.one_of(&[Part::None, Part::Function, Part::Kernel]),
    };
    let half = lines.len().div_ceil(2);
    let behind = match part {
        Part::None => String::new(),
        _ => body.split_off(half).concat(),
    };
    let chosen = match many {
        true => {
            "    v += get_global_id(0) * length;\n    out += get_global_id(0) * calls;\n".to_owned()
        }
        false => format!("    if (get_global_id(0) != {who})\n        return;\n"),
    };
    let body = body.concat();
    let kernel = |name: &str, body: &str| {
        let body = match looped {
            true => format!("    for (uint turn = 0; turn < turns; turn++) {{\n{body}    }}\n"),
            false => body.to_owned(),
        };
        format!(
            "kernel void {name}(global const long *v, global int *out, uint length, uint calls, uint turns) {{\n    int r;\n{chosen}{body}}}\n"
        )
    };
    let (first, second) = match part {
        Part::None => (kernel("show", &body), String::new()),
        Part::Function => {
            let function = format!(
                "static void behind(global const long *v, global int *out) {{\n    int r;\n{behind}}}\n"
            );
            let all = kernel("show", &(body + "    behind(v, out);\n"));
            (function, all)
        }
        Part::Kernel => (kernel("show", &body), kernel("behind", &behind)),
    };
    case.case.source = before + &first + &second;
    let turns = if looped { 2 } else { 1 };
    let contents = read.iter().flat_map(|own| {
        let mut own = own.clone();
        own.resize(length, 0);
        own
    });
    let contents: Vec<u64> = contents.collect();
    let from = case.object(Kind::Buffer, contents.len() * 8, Contents::Longs(contents));
    let gave = case.buffer(4 * items * calls);
    let range = match many {
        true => items as u64,
        false => others + 1,
    };
    case.step(Step::Listen);
    let given = args![from, gave, length as u32, calls as u32, turns as u32];
    case.launch("show", given.clone(), Range::line(range, group));
    if part == Part::Kernel {
        case.launch("behind", given, Range::line(range, group));
    }
    let mut once: Vec<String> = match many {
        true => lines.into_iter().flat_map(|line| line.wanted).collect(),
        false => lines
            .into_iter()
            .map(|line| line.wanted[0].clone())
            .collect(),
    };
    let second = match part {
        Part::Kernel => once.split_off(half),
        Part::None | Part::Function => Vec::new(),
    };
    // Each kernel prints its own so often, one after the other.
    let wanted = [once, second].map(|own| vec![own; turns].concat()).concat();
    case.step(Step::Printed {
        awaited: case.case.queues.is_empty() && choices.percent(50),
        rules: vec![rule::C_PRINTF, rule::C_PRINTF_FLUSHED],
        wanted: Printed {
            lines: wanted,
            // What the first of two launches prints is there before the second begins.
            in_order: !many,
        },
    });
    let says = "what printf gave but 0 and -1";
    case.look(gave, &[rule::C_PRINTF], says, Want::zeros());
    case.case
}

impl Author<'_> {
    /// A call; its line begins with its number, or that of the work-item.
    fn line(&mut self, n: usize, many: bool) -> Line {
        let mut line = Line {
            format: format!("{MARK}{n}:"),
            arguments: String::new(),
            wanted: vec![format!("{MARK}{n}:"); self.items],
        };
        if many {
            line.format = format!("{MARK}%u:");
            line.arguments = ", (uint)get_global_id(0)".into();
            let items = line.wanted.iter_mut().enumerate();
            items.for_each(|(item, text)| *text = format!("{MARK}{item}:"));
        }
        for _ in 0..self.choices.one_of(&[1, 1, 2, 3, 5]) {
            match self.choices.below(12) {
                0 => self.character(&mut line),
                1 => self.string(&mut line),
                2..=4 => self.number(&mut line, true),
                _ => self.number(&mut line, false),
            }
            let words = self.choices.one_of(&WORDS);
            line.format += words;
            let words = words.replace("%%", "%");
            line.wanted.iter_mut().for_each(|text| *text += &words);
        }
        line
    }

    /// What every work-item prints alike.
    fn alike(&self, line: &mut Line, format: &str, argument: &str, printed: &str) {
        line.format += format;
        let _ = write!(line.arguments, ", {argument}");
        line.wanted.iter_mut().for_each(|text| *text += printed);
    }

    fn conversion(&mut self, letter: char) -> Conversion {
        Conversion {
            flags: Flags {
                left: self.choices.percent(25),
                ..Flags::default()
            },
            width: match self.choices.percent(50) {
                true => self.choices.between(1, 14),
                false => 0,
            },
            precision: None,
            letter,
        }
    }

    fn character(&mut self, line: &mut Line) {
        let letter = self.choices.one_of(&['A', 'z', '0', ' ', '#', '&']);
        let conversion = self.conversion('c');
        let printed = conversion.plain(&letter.to_string());
        // "The int argument is converted to an unsigned char".
        let argument = match self.choices.percent(30) {
            true => (letter as u32 + 256).to_string(),
            false => format!("'{letter}'"),
        };
        self.alike(line, &conversion.text(""), &argument, &printed);
    }

    fn string(&mut self, line: &mut Line) {
        let text = self.choices.one_of(&STRINGS);
        let mut conversion = self.conversion('s');
        if self.choices.percent(40) {
            conversion.precision = Some(self.choices.below(9));
        }
        let printed = conversion.plain(text);
        self.alike(line, &conversion.text(""), &format!("\"{text}\""), &printed);
    }

    fn number(&mut self, line: &mut Line, vector: bool) {
        self.turn += 1;
        let letter = LETTERS[self.turn % LETTERS.len()];
        let of = match letter {
            'd' | 'i' => self.choices.one_of(&SIGNED),
            'o' | 'u' | 'x' | 'X' => self.choices.one_of(&UNSIGNED),
            _ if self.doubles && self.choices.percent(50) => DOUBLE,
            _ if self.halves && self.choices.percent(50) => HALF,
            _ => FLOAT,
        };
        let conversion = self.of_number(letter, of);
        // Lines of several work-items have one right text each.
        let open = matches!(letter, 'a' | 'A');
        let conversion = match open && self.items > 1 {
            true => Conversion {
                letter: 'e',
                ..conversion
            },
            false => conversion,
        };
        let lanes = match vector {
            true if open => self.choices.one_of(&[2, 3]),
            true => self.choices.one_of(&[4, 2, 3, 8, 16]),
            false => 1,
        };
        // What is open has no field.
        let conversion = match vector && (open || self.items > 1) {
            true => conversion.bare(),
            false => conversion,
        };
        let constant = !vector && self.choices.percent(25);
        let passed = match vector || constant {
            true => Passed::Own,
            false => self.passed(of),
        };
        let first = self.read[0].len();
        let mut known = 0;
        for item in 0..self.items {
            let (mut each, mut bare) = (Vec::new(), Vec::new());
            for _ in 0..lanes {
                let bits = match constant && item > 0 {
                    true => known,
                    false => passed.held(of, self.bits(of, conversion, vector)),
                };
                known = bits;
                let texts = |c: Conversion| printed(c, of, bits);
                each.push(texts(conversion));
                bare.push(texts(conversion.bare()));
                if !constant {
                    let more = self.any();
                    self.read[item].push(passed.read(of, bits, more));
                }
            }
            let all = match vector {
                true => conversion.vector(&each, &bare),
                false => each.swap_remove(0),
            };
            line.wanted[item] += &one_of(&all);
        }
        let element = |n: usize| match constant {
            true => of.literal(known),
            false => passed.text(of, &format!("v[{}]", first + n)),
        };
        let elements: Vec<String> = (0..lanes).map(element).collect();
        let (modifier, argument) = match vector {
            true => (
                format!("v{lanes}{}", of.vector),
                format!("({}{lanes})({})", of.name, elements.join(", ")),
            ),
            false => (of.scalar.to_owned(), elements[0].clone()),
        };
        line.format += &conversion.text(&modifier);
        let _ = write!(line.arguments, ", {argument}");
    }

    /// How a number that is no constant is passed.
    fn passed(&mut self, of: Number) -> Passed {
        match (of.fraction, of.bits, of.signed) {
            (false, 8 | 16, _) if self.choices.percent(40) => Passed::Wide,
            (false, 32, true) if self.choices.percent(30) => {
                self.choices.one_of(&[Passed::Char, Passed::Short])
            }
            _ => Passed::Own,
        }
    }

    /// Flags and a precision that mean something there.
    fn of_number(&mut self, letter: char, of: Number) -> Conversion {
        let mut conversion = self.conversion(letter);
        let flags = &mut conversion.flags;
        flags.zeros = self.choices.percent(35);
        if matches!(letter, 'd' | 'i') || of.fraction {
            flags.plus = self.choices.percent(25);
            flags.space = self.choices.percent(20);
        }
        if matches!(letter, 'o' | 'x' | 'X') || of.fraction {
            flags.other = self.choices.percent(30);
        }
        if self.choices.percent(50) {
            let most = if of.fraction { 9 } else { 7 };
            conversion.precision = Some(match letter {
                // As long as every number.
                'a' | 'A' => self.choices.between(6, 9),
                _ => self.choices.below(most),
            });
        }
        // Zeros fill a field that has room, and none with a precision of integers.
        if conversion.flags.zeros && self.choices.percent(60) {
            conversion.width = conversion.width.max(self.choices.between(8, 14));
        }
        conversion
    }

    /// The bits of a number of which it is known how it is printed.
    fn bits(&mut self, of: Number, conversion: Conversion, vector: bool) -> u64 {
        if !of.fraction {
            let bits = of.bits;
            let any = match self.choices.below(6) {
                0 => self.choices.below(2) as u64,
                1 => self.choices.below(200) as u64,
                2 => 1 << self.choices.below(bits as usize),
                3 => u64::MAX,
                _ => self.any() >> self.choices.below(bits as usize),
            };
            return any & (u64::MAX >> (64 - bits));
        }
        for _ in 0..20 {
            let bits = of.bits_of(self.real(conversion, vector));
            if conversion.real(of.real(bits)).is_some() {
                return bits;
            }
        }
        // One that every conversion prints without rounding.
        of.bits_of(0.0)
    }

    fn any(&mut self) -> u64 {
        let [high, low] = [(); 2].map(|()| self.choices.below(1 << 32) as u64);
        high << 32 | low
    }

    /// A number that a `float` holds.
    fn real(&mut self, conversion: Conversion, vector: bool) -> f64 {
        let Conversion { letter, flags, .. } = conversion;
        let bits = self.choices.between(1, 20);
        let whole = self.choices.below(1 << bits) as f64;
        // It is open what an infinity is written as, but not that zeros fill no field of it.
        let often = if flags.zeros { 30 } else { 8 };
        let infinite = self.items == 1 && !vector && self.choices.percent(often);
        let alone = self.items == 1 && !vector && conversion.width == 0;
        let magnitude = match self.choices.below(12) {
            _ if infinite => f64::INFINITY,
            _ if alone && self.choices.percent(6) => f64::NAN,
            0 => 0.0,
            // Where one style or number of digits ends and the next begins.
            9.. => {
                let tens = 10f64.powi(self.choices.between(0, 12) as i32 - 5);
                let beside = self
                    .choices
                    .one_of(&[1.0, 1.0, 0.999_999_9, 1.000_000_1, 0.5, 1.25]);
                f64::from((tens * beside) as f32)
            }
            1 | 2 => whole,
            3..=5 => whole / f64::from(1 << self.choices.below(8)),
            _ => {
                let powers = match letter {
                    'f' | 'F' => 12,
                    _ => 60,
                };
                let power = self.choices.between(0, 2 * powers) as i32 - powers as i32;
                whole * f64::from(power).exp2()
            }
        };
        match self.choices.percent(30) {
            true => -magnitude,
            false => magnitude,
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::kernels::generate::draw;

    #[test]
    fn formats_have_every_conversion_modifier_and_size_of_vectors() {
        let mut text = String::new();
        for seed in 0..80 {
            text += &draw("kernels/printf", seed).expect("a case").source;
        }
        let mut missing: Vec<String> = Vec::new();
        for letter in "diouxXfFeEgGaAcs".chars() {
            let has = text.split('%').skip(1).any(|rest| {
                let end = rest.find(|c: char| c.is_ascii_alphabetic());
                end.is_some_and(|end| rest[end..].starts_with(letter))
            });
            if !has {
                missing.push(format!("%{letter}"));
            }
        }
        for lanes in [2, 3, 4, 8, 16] {
            for modifier in ["hh", "h", "hl", "l"] {
                let wanted = format!("v{lanes}{modifier}");
                if !text.contains(&wanted) {
                    missing.push(wanted);
                }
            }
        }
        assert_eq!(missing, [""; 0]);
        assert!(text.contains("%%") && text.contains("for (uint turn"));
        assert!(text.contains("constant char format5[]") && text.contains("as_half("));
    }
}
