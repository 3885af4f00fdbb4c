//! Fuzzes the reader of cat files, and the oracle with what reads, on stable Rust.
//!
//! `cargo run --release -p classay-litmus --example fuzz_cat -- [SECONDS [SEED]]` damages the models
//! that come with classay, and writes models of its own, mostly well typed, for 60 seconds unless
//! stated otherwise. It checks that the reader does not panic and takes no second, that every error
//! has a place in the text and can be shown, and that small programs are judged and explained by
//! whatever reads. It exits with 1 and shows the input on the first failure; the same seed and version
//! give the same inputs.

#[path = "common/random.rs"]
mod random;

use classay_litmus::cat::CatError;
use classay_litmus::explain::Drawing;
use classay_litmus::oracle::{self, Explanation, Limits, Model};
use classay_litmus::program::Program;
use classay_litmus::shipped;
use classay_litmus::syntax::read_litmus;
use random::Random;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// Longest time one reading may take.
const READING: Duration = Duration::from_secs(1);
/// Longest time one judgement or explanation may take; programs are small.
const JUDGING: Duration = Duration::from_secs(20);

const MODELS: &[&str] = &[
    include_str!("../models/opencl-3.1.cat"),
    include_str!("../models/opencl-2.0.cat"),
    include_str!("../models/opencl-base.cat"),
    include_str!("../models/opencl-sc.cat"),
    include_str!("../models/opencl-scoped-sc.cat"),
    include_str!("../models/sc.cat"),
    include_str!("../src/cat/library/c11_base.cat"),
];

/// Tests that the models are target about: few events, and every kind of them.
const TESTS: &[&str] = &[
    "MP+rel+acq",
    "SB+sc-fences",
    "MP+barrier+both",
    "RMW+cas",
    "CoRR+local",
    "LB+rlx",
];

const SETS: &[&str] = &[
    "_", "R", "W", "M", "F", "A", "NAL", "RMW", "IW", "SC", "ACQ", "REL", "RLX", "WG", "DV",
    "GLOBAL", "LOCAL", "EF", "XF", "{}", "s", "FW",
];
const RELATIONS: &[&str] = &[
    "po", "rf", "co", "fr", "rfe", "coe", "fre", "rmw", "loc", "int", "ext", "id", "addr", "data",
    "ctrl", "swg", "sdv", "syncbar", "0", "unv", "asw", "a", "b", "S",
];
const WORDS: &[&str] = &[
    "let ",
    "rec ",
    " and ",
    " in ",
    "with ",
    " from ",
    "fun ",
    "procedure ",
    " end ",
    "begin ",
    "call ",
    "forall ",
    " do ",
    " as ",
    "flag ",
    "show ",
    "include ",
    "acyclic ",
    "irreflexive ",
    "empty ",
    "if ",
    " then ",
    " else ",
    "match ",
    "try ",
    "enum ",
    "instructions ",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "|",
    "&",
    ";",
    "\\",
    "~",
    "*",
    "+",
    "?",
    "^-1",
    ",",
    "=",
    "_",
    "0",
    "'t",
    "\"x\"",
    "->",
    "||",
    "++",
    "(*",
    "*)",
    "//",
    "#",
    "\"",
    "po",
    "rf",
    "W",
    "linearisations",
    "domain",
];

/// Writes models.
struct Author<'a>(&'a mut Random);

impl Author<'_> {
    fn set(&mut self, depth: usize) -> String {
        if depth == 0 {
            return (*self.0.pick(SETS)).to_owned();
        }
        let d = depth - 1;
        match self.0.below(7) {
            0 => format!("({} | {})", self.set(d), self.set(d)),
            1 => format!("{} & {}", self.set(d), self.set(d)),
            2 => format!("({} \\ {})", self.set(d), self.set(d)),
            3 => format!("domain({})", self.relation(d)),
            4 => format!("range({})", self.relation(d)),
            5 => format!("(~{})", self.set(d)),
            _ => self.set(0),
        }
    }

    fn relation(&mut self, depth: usize) -> String {
        if depth == 0 {
            return (*self.0.pick(RELATIONS)).to_owned();
        }
        let d = depth - 1;
        match self.0.below(16) {
            0 | 1 => format!("({} | {})", self.relation(d), self.relation(d)),
            2 => format!("({} & {})", self.relation(d), self.relation(d)),
            3 => format!("({} \\ {})", self.relation(d), self.relation(d)),
            4..=6 => format!("({}; {})", self.relation(d), self.relation(d)),
            7 => format!("({})+", self.relation(d)),
            8 => format!("({})*", self.relation(d)),
            9 => format!("({})?", self.relation(d)),
            10 => format!("({})^-1", self.relation(d)),
            11 => format!("[{}]", self.set(d)),
            12 => format!("({} * {})", self.set(d), self.set(d)),
            13 => format!("(~{})", self.relation(d)),
            14 => format!("f({})", self.relation(d)),
            _ => format!("(let a = {} in {})", self.relation(d), self.relation(d)),
        }
    }

    fn instruction(&mut self) -> String {
        let depth = self.0.below(4);
        match self.0.below(14) {
            0 => format!("let a = {}", self.relation(depth)),
            1 => format!("let s = {}", self.set(depth)),
            2 => format!(
                "let rec a = {} and b = {}",
                self.relation(depth),
                self.relation(depth)
            ),
            3 => format!("let f(b) = {}", self.relation(depth)),
            // How many orders of many events there are is the model's own doing.
            4 => format!(
                "with S from linearisations(SC & ({}), {})",
                self.set(depth),
                self.relation(1)
            ),
            5 => format!("with co from generate_cos({})", self.relation(1)),
            6 => format!("flag ~empty {} as odd", self.relation(depth)),
            7 => format!(
                "procedure p(a) = acyclic {} end call p(rf)",
                self.relation(depth)
            ),
            8 => format!("undefined_unless empty {} as u", self.relation(depth)),
            9 => format!("show {} as x", self.relation(depth)),
            _ => {
                let negation = if self.0.below(12) == 0 { "~" } else { "" };
                let property = *self.0.pick(&["acyclic", "irreflexive", "empty"]);
                format!("{negation}{property} {} as c", self.relation(depth))
            }
        }
    }

    fn model(&mut self) -> String {
        let mut text =
            "\"random\"\nlet a = po let b = rf let s = W let S = co let f(b) = b\n".to_owned();
        for _ in 0..1 + self.0.below(8) {
            text.push_str(&self.instruction());
            text.push('\n');
        }
        text
    }
}

fn damage(text: &mut Vec<u8>, other: &[u8], random: &mut Random) {
    let at = random.below(text.len() + 1);
    match random.below(9) {
        0..=4 => random::damage(text, other, random),
        5 => {
            let times = random.times(300);
            let word = random.pick(WORDS).as_bytes().repeat(times);
            text.splice(at..at, word);
        }
        _ => {
            let range = random.range(text, 6);
            let words = [WORDS, SETS, RELATIONS];
            let word = random.pick(random_list(&words, at)).as_bytes().to_vec();
            text.splice(range, word);
        }
    }
}

fn random_list<'a>(lists: &[&'a [&'a str]; 3], at: usize) -> &'a [&'a str] {
    lists[at % lists.len()]
}

/// Counts of what happened.
#[derive(Default)]
struct Tally {
    read: u64,
    refused: u64,
    judged: u64,
    explained: u64,
}

/// Reads one input and checks everything; the message says what failed.
fn check(
    text: &str,
    programs: &[Program],
    random: &mut Random,
    tally: &mut Tally,
) -> Result<(), String> {
    let started = Instant::now();
    let result = catch_unwind(|| Model::parse("fuzz.cat", text));
    let took = started.elapsed();
    let result = result.map_err(|_| "the reader panicked".to_owned())?;
    if took > READING {
        return Err(format!("reading took {took:?}"));
    }
    let model = match result {
        Err(error) => {
            tally.refused += 1;
            return show(text, *error);
        }
        Ok(model) => model,
    };
    tally.read += 1;
    let program = random.pick(programs);
    let started = Instant::now();
    let limits = Limits::default();
    catch_unwind(AssertUnwindSafe(|| oracle::judge(program, &model, &limits)))
        .map_err(|_| format!("judging {} panicked", program.name))?
        .map_err(|error| format!("{}: {error}", program.name))?;
    tally.judged += 1;
    if random.below(4) == 0 {
        catch_unwind(AssertUnwindSafe(|| explain(program, &model, &limits)))
            .map_err(|_| format!("explaining {} panicked", program.name))??;
        tally.explained += 1;
    }
    let took = started.elapsed();
    if took > JUDGING {
        return Err(format!("judging {} took {took:?}", program.name));
    }
    Ok(())
}

/// An error is in the text it is about, unless another file is to blame, and can be shown.
fn show(text: &str, error: CatError) -> Result<(), String> {
    let (start, length) = (error.span.offset(), error.span.len());
    let ours = error.source_code.name() == "fuzz.cat";
    if ours && text.get(start..start + length).is_none() {
        return Err(format!("{error}: {start}+{length} is no place in the text"));
    }
    if error.message.is_empty() {
        return Err("an error says nothing".to_owned());
    }
    catch_unwind(AssertUnwindSafe(|| {
        format!("{:?}", miette::Report::new(error))
    }))
    .map(|_| ())
    .map_err(|_| "showing an error panicked".to_owned())
}

fn explain(program: &Program, model: &Model, limits: &Limits) -> Result<(), String> {
    let target = &program.condition.predicate;
    let explanation =
        oracle::explain(program, model, target, limits).map_err(|error| error.to_string())?;
    match &explanation {
        Explanation::Allowed(execution) => {
            Drawing::new(program, execution, &[]);
        }
        Explanation::Forbidden(refusal) => {
            if refusal.failures.is_empty() {
                return Err("a forbidden outcome has no reason".to_owned());
            }
            let drawing = Drawing::new(program, &refusal.execution, &refusal.failures);
            for failure in &drawing.failures {
                drawing.cycle_lines(failure);
            }
        }
        Explanation::Impossible => {}
    }
    Ok(())
}

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let mut number = |otherwise: u64| match arguments.next().map(|a| a.parse()) {
        None => Some(otherwise),
        Some(parsed) => parsed.ok(),
    };
    let (Some(seconds), Some(seed)) = (number(60), number(1)) else {
        eprintln!("usage: fuzz_cat [SECONDS [SEED]]");
        return ExitCode::from(2);
    };
    let mut programs = Vec::new();
    for (name, text) in shipped().iter().filter(|(name, _)| TESTS.contains(name)) {
        match read_litmus(name, text) {
            Ok(program) => programs.push(program),
            Err(error) => {
                eprintln!("{name} does not read: {error}");
                return ExitCode::FAILURE;
            }
        }
    }
    let mut random = Random(seed);
    let mut tally = Tally::default();
    let started = Instant::now();
    while started.elapsed() < Duration::from_secs(seconds) {
        let mut input = if random.below(3) == 0 {
            (*random.pick(MODELS)).as_bytes().to_vec()
        } else {
            Author(&mut random).model().into_bytes()
        };
        let other = *random.pick(MODELS);
        let most = *random.pick(&[0, 0, 1, 1, 2, 6]);
        for _ in 0..most {
            damage(&mut input, other.as_bytes(), &mut random);
        }
        let text = String::from_utf8_lossy(&input);
        if let Err(failure) = check(&text, &programs, &mut random, &mut tally) {
            eprintln!("{failure}\n--- the input:\n{text}");
            return ExitCode::FAILURE;
        }
    }
    println!(
        "{} inputs in {:.1} s, seed {seed}: {} read, {} refused; {} judged, {} explained",
        tally.read + tally.refused,
        started.elapsed().as_secs_f64(),
        tally.read,
        tally.refused,
        tally.judged,
        tally.explained
    );
    ExitCode::SUCCESS
}
