//! Fuzzes the readers of litmus tests, on stable Rust and without further tools.
//!
//! `cargo run --release -p classay-litmus --example fuzz_reader -- [SECONDS [SEED]]` damages the
//! shipped tests in both forms (bytes changed, cut, repeated, spliced; words swapped for others)
//! and reads the result, for 60 seconds unless stated otherwise. It checks that no reader panics,
//! that no reading takes over a second, that every error can be shown, that whatever reads can be
//! written in both forms and read back equal, and that the oracle has an answer for it, be it that
//! the program is too large. It exits with 1 and shows the input on the first failure; the same seed
//! and version give the same inputs.

#[path = "common/random.rs"]
mod random;

use classay_litmus::oracle::{self, Limits, Model};
use classay_litmus::program::Program;
use classay_litmus::syntax::{SyntaxError, read_bytes, write_litmus, write_yaml};
use classay_litmus::{shipped, shipped_vulkan};
use random::Random;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// Longest time one reading may take.
const PATIENCE: Duration = Duration::from_secs(1);
/// Longest time one judgement may take; programs are small.
const JUDGING: Duration = Duration::from_secs(20);

/// Words that mean something to a reader.
const WORDS: &[&str] = &[
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    ";",
    ",",
    ":",
    "=",
    "*",
    "&",
    "-",
    "~",
    "!",
    "?",
    "@",
    "/\\",
    "\\/",
    "==",
    "(*",
    "*)",
    "//",
    "/*",
    "*/",
    "\n",
    "\"",
    "x",
    "y",
    "x[1]",
    "r0",
    "P0",
    "P1",
    "0",
    "1",
    "-1",
    "0xffffffff",
    "99999999999999999999",
    "int",
    "uint",
    "char",
    "ulong",
    "bool",
    "volatile",
    "global",
    "local",
    "constant",
    "atomic_int*",
    "atomic_flag*",
    "wg 0",
    "sg 0",
    "dev 1",
    "host",
    "exists",
    "~exists",
    "forall",
    "filter",
    "locations",
    "not",
    "if (r0) {",
    "} else {",
    "while (r0) {",
    "do {",
    "} while (r0);",
    "for (;;) {",
    "break;",
    "continue;",
    "return;",
    "atomic_load(x)",
    "atomic_store(x, 1);",
    "atomic_fetch_add(x, 1)",
    "(char)",
    "(volatile int*)",
    "atomic_cmpxchg(x, 0, 1)",
    "atomic_inc(x);",
    "r0++;",
    "*x += 1;",
    "r0 +",
    "memory_order_relaxed",
    "memory_scope_device",
    "CLK_LOCAL_MEM_FENCE |",
    "barrier(0);",
    "B1:",
    "- {",
    "store: x",
    "value: 1",
    "- while: r0",
    "do:",
    "init: [0, 0]",
    "generic: true",
    "&a ",
    "*a",
    "<<: *a",
    "!t",
    "|",
    "'",
    "null",
];

fn damage(text: &mut Vec<u8>, other: &[u8], random: &mut Random) {
    let at = random.below(text.len() + 1);
    match random.below(14) {
        0..=4 => random::damage(text, other, random),
        5 => {
            let range = random.range(text, 12);
            let word = random.pick(WORDS).as_bytes().to_vec();
            text.splice(range, word);
        }
        6 => {
            let word = random.pick(WORDS).as_bytes();
            let times = random.times(300);
            text.splice(at..at, word.repeat(times));
        }
        7..=10 => swap_word(text, random),
        11 | 12 => {
            // one statement, moved
            let lines: Vec<&[u8]> = text.split_inclusive(|b| *b == b'\n').collect();
            let mut lines: Vec<Vec<u8>> = lines.into_iter().map(<[u8]>::to_vec).collect();
            if lines.len() > 1 {
                let line = lines.remove(random.below(lines.len()));
                lines.insert(random.below(lines.len() + 1), line);
            }
            *text = lines.concat();
        }
        _ => text.insert(at, random.next() as u8),
    }
}

/// Replaces one word of the text by another word of it, or by one of ours.
fn swap_word(text: &mut Vec<u8>, random: &mut Random) {
    let is_word = |b: &u8| b.is_ascii_alphanumeric() || *b == b'_';
    let mut words = Vec::new();
    let mut at = 0;
    while at < text.len() {
        if is_word(&text[at]) {
            let end = at + text[at..].iter().take_while(|b| is_word(b)).count();
            words.push(at..end);
            at = end;
        } else {
            at += 1;
        }
    }
    if words.is_empty() {
        return;
    }
    let target = random.pick(&words).clone();
    let word = match random.below(3) {
        0 => random.pick(WORDS).as_bytes().to_vec(),
        _ => text[random.pick(&words).clone()].to_vec(),
    };
    text.splice(target, word);
}

/// Counts of what happened.
#[derive(Default)]
struct Tally {
    read: u64,
    refused: u64,
    judged: u64,
    too_large: u64,
}

/// Reads one input and checks everything; the message says what failed.
fn check(name: &str, input: &[u8], models: &[Model], tally: &mut Tally) -> Result<(), String> {
    let started = Instant::now();
    let outcome = catch_unwind(AssertUnwindSafe(|| read_bytes(name, input)));
    let took = started.elapsed();
    let result = outcome.map_err(|_| "the reader panicked".to_string())?;
    if took > PATIENCE {
        return Err(format!("reading took {took:?}"));
    }
    match result {
        Err(error) => {
            tally.refused += 1;
            show(&error)
        }
        Ok(program) => {
            tally.read += 1;
            round_trip(&program)?;
            let of = |model: &&Model| model.api().is_none_or(|api| api == program.api);
            models
                .iter()
                .filter(of)
                .try_for_each(|model| judge(&program, model, tally))
        }
    }
}

fn show(error: &SyntaxError) -> Result<(), String> {
    catch_unwind(AssertUnwindSafe(|| {
        let (line, column) = error.position();
        assert!(line > 0 && column > 0);
        assert!(!error.message().is_empty());
        format!("{:?}", miette::Report::new(error.clone()))
    }))
    .map(|_| ())
    .map_err(|_| format!("showing the error panicked: {error}"))
}

fn round_trip(program: &Program) -> Result<(), String> {
    let forms = [
        ("a.litmus", write_litmus(program)),
        ("a.yaml", write_yaml(program)),
    ];
    for (name, text) in forms {
        match read_bytes(name, text.as_bytes()) {
            Ok(back) if back == *program => {}
            Ok(_) => return Err(format!("{name} reads back as another program:\n{text}")),
            // longer than the input that it came from
            Err(error) if text.len() > 1 << 20 && error.message().contains("bytes") => {}
            Err(error) => {
                return Err(format!("{name} does not read back: {error}\n{text}"));
            }
        }
    }
    Ok(())
}

/// Asks the oracle, within limits that a reader's test can afford.
fn judge(program: &Program, model: &Model, tally: &mut Tally) -> Result<(), String> {
    let limits = Limits {
        loop_bound: 1,
        events: 14,
        paths: 64,
        combinations: 256,
        states: 10_000,
        ..Limits::default()
    };
    let started = Instant::now();
    let answer = catch_unwind(AssertUnwindSafe(|| oracle::judge(program, model, &limits)))
        .map_err(|_| format!("judging by {} panicked", model.name))?;
    let took = started.elapsed();
    if took > JUDGING {
        return Err(format!("judging by {} took {took:?}", model.name));
    }
    match answer {
        Ok(_) => tally.judged += 1,
        Err(_) => tally.too_large += 1,
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
        eprintln!("usage: fuzz_reader [SECONDS [SEED]]");
        return ExitCode::from(2);
    };
    let mut corpus: Vec<(&str, String)> = Vec::new();
    for (name, text) in shipped().iter().chain(shipped_vulkan()) {
        corpus.push(("a.litmus", text.to_string()));
        match read_bytes(name, text.as_bytes()) {
            Ok(program) => corpus.push(("a.yaml", write_yaml(&program))),
            Err(error) => {
                eprintln!("{name} does not read: {error}");
                return ExitCode::FAILURE;
            }
        }
    }
    let models = match ["opencl-3.1", "vulkan", "sc"].map(Model::named) {
        [Ok(ours), Ok(vulkan), Ok(strong)] => [ours, vulkan, strong],
        [Err(error), ..] | [_, Err(error), _] | [.., Err(error)] => {
            eprintln!("{error}");
            return ExitCode::FAILURE;
        }
    };
    let mut random = Random(seed);
    let mut tally = Tally::default();
    let started = Instant::now();
    while started.elapsed() < Duration::from_secs(seconds) {
        let (name, text) = random.pick(&corpus);
        let other = &random.pick(&corpus).1;
        let mut input = text.clone().into_bytes();
        // mostly little, so that much still reads
        let most = *random.pick(&[1, 1, 1, 2, 6]);
        for _ in 0..1 + random.below(most) {
            damage(&mut input, other.as_bytes(), &mut random);
        }
        if let Err(failure) = check(name, &input, &models, &mut tally) {
            eprintln!("{failure}\n--- the input, as {name}:");
            eprintln!("{}", String::from_utf8_lossy(&input));
            return ExitCode::FAILURE;
        }
    }
    println!(
        "{} inputs in {:.1} s, seed {seed}: {} read and written back, {} refused; {} judgements, \
         {} too large",
        tally.read + tally.refused,
        started.elapsed().as_secs_f64(),
        tally.read,
        tally.refused,
        tally.judged,
        tally.too_large
    );
    ExitCode::SUCCESS
}
