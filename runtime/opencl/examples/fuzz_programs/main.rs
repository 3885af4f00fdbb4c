//! Wrong programs: texts, modules of SPIR-V and binaries, damaged at random, built through the API.
//!
//! `cargo run --release -p touchstone --example fuzz_programs -- TARGET [INPUTS [SEED]]` makes so many inputs (100,000
//! unless told otherwise) of `text`, `il` or `binary`, as many at once as there are processors. Checked is
//!
//! - that each is built or refused with a code that the call may return,
//! - that no log names a defect of Touchstone, as it does where a part of it panicked,
//! - that what was built has kernels that can be asked for their arguments,
//! - that nothing crashes, and nothing takes longer than [`PATIENCE`].
//!
//! Each input follows from the seed and its number. A finding names the command that makes that input once more;
//! with `show` in place of the number of inputs, it is written to standard output.

#![allow(
    clippy::undocumented_unsafe_blocks,
    reason = "every one calls an entry point with handles that this program made"
)]

mod damage;
mod input;

use input::{Checked, Inputs, Target};
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, ExitCode, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

/// An input that takes longer is a hang.
const PATIENCE: Duration = Duration::from_secs(30);

/// Inputs of a process: what one leaves behind does not pile up.
const BATCH: u64 = 20_000;

const INPUTS: u64 = 100_000;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let number = |at: usize, default: u64| match words.get(at) {
        None => Some(default),
        Some(text) => text.parse().ok(),
    };
    let target = words.first().and_then(|name| Target::named(name));
    let Some(target) = target else {
        return usage();
    };
    match (words.get(1).copied(), number(2, 1), number(3, 0)) {
        (Some("from"), Some(seed), Some(first)) => match (number(4, 1), number(5, 1)) {
            (Some(step), Some(many)) => inputs(target, seed, (first, step, many)),
            _ => usage(),
        },
        (Some("show"), Some(seed), Some(at)) => {
            let shown = std::io::stdout().write_all(&Inputs::new(target).input(seed, at));
            shown.map_or(ExitCode::FAILURE, |()| ExitCode::SUCCESS)
        }
        (_, Some(seed), _) => match number(1, INPUTS) {
            Some(many) => supervise(target, seed, many),
            None => usage(),
        },
        _ => usage(),
    }
}

fn usage() -> ExitCode {
    eprintln!(
        "fuzz_programs: expected text, il or binary, then [INPUTS [SEED]], or: from SEED NUMBER [STEP [MANY]], or: \
         show SEED NUMBER"
    );
    ExitCode::from(2)
}

/// Builds inputs, each announced before.
fn inputs(target: Target, seed: u64, (first, step, many): (u64, u64, u64)) -> ExitCode {
    let inputs = Inputs::new(target);
    let mut out = std::io::stdout();
    for at in (0..many).map(|n| first + n * step) {
        let begun = writeln!(out, "{at}").and_then(|()| out.flush());
        if begun.is_err() {
            return ExitCode::FAILURE;
        }
        let said = match inputs.check(&inputs.input(seed, at)) {
            Checked::Built => writeln!(out, "built"),
            Checked::Refused => Ok(()),
            Checked::Wrong(why) => {
                eprintln!("finding: {why}");
                return ExitCode::FAILURE;
            }
        };
        if said.is_err() {
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

/// Has processes build all inputs, one after the other on each processor.
fn supervise(target: Target, seed: u64, many: u64) -> ExitCode {
    let lanes = std::thread::available_parallelism().map_or(1, |lanes| lanes.get() as u64);
    let done: Vec<Result<u64, String>> = std::thread::scope(|scope| {
        let lane = |lane: u64| move || all_of_lane(target, seed, (lane, lanes), many);
        let running: Vec<_> = (0..lanes).map(|n| scope.spawn(lane(n))).collect();
        let ends = running.into_iter().map(|lane| {
            lane.join()
                .unwrap_or_else(|_| Err("this program panicked".into()))
        });
        ends.collect()
    });
    let mut built = 0;
    for lane in done {
        match lane {
            Ok(more) => built += more,
            Err(finding) => {
                println!("{}: {finding}", target.name());
                return ExitCode::FAILURE;
            }
        }
    }
    println!(
        "{}: {many} inputs of seed {seed}, {built} of them built: nothing found",
        target.name()
    );
    ExitCode::SUCCESS
}

/// Has the inputs of one processor built; how many of them were, or what was found.
fn all_of_lane(
    target: Target,
    seed: u64,
    (lane, lanes): (u64, u64),
    many: u64,
) -> Result<u64, String> {
    let mut built = 0;
    let mut first = lane;
    while first < many {
        let batch = BATCH.min((many - first).div_ceil(lanes));
        built += batch_of(target, seed, (first, lanes, batch))?;
        first += lanes * batch;
    }
    Ok(built)
}

/// Has inputs built by a process of their own.
fn batch_of(
    target: Target,
    seed: u64,
    (first, step, many): (u64, u64, u64),
) -> Result<u64, String> {
    let cannot = |what: &str, error: std::io::Error| format!("cannot {what}: {error}");
    let program = std::env::current_exe().map_err(|error| cannot("find this program", error))?;
    let numbers = [seed, first, step, many].map(|number| number.to_string());
    let mut child = Command::new(program)
        .args([target.name(), "from"])
        .args(&numbers)
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| cannot("start a process", error))?;
    let (said, heard) = channel();
    let reader = child.stdout.take().map(|out| {
        std::thread::spawn(move || {
            for line in BufReader::new(out).lines().map_while(Result::ok) {
                // Nobody listens any more once something was found.
                if said.send(line).is_err() {
                    break;
                }
            }
        })
    });
    let (built, last, hangs) = followed(&heard);
    let at = last.unwrap_or(first);
    let again = format!(
        "repeat with: fuzz_programs {} from {seed} {at}; see it with: fuzz_programs {0} show {seed} {at}",
        target.name()
    );
    if hangs {
        let killed = child.kill();
        killed.map_err(|error| cannot("kill a process that hangs", error))?;
    }
    let status = child
        .wait()
        .map_err(|error| cannot("wait for a process", error))?;
    if let Some(reader) = reader
        && reader.join().is_err()
    {
        return Err("the reader of a process panicked".into());
    }
    match (hangs, status.success()) {
        (true, _) => Err(format!("no end after {} s; {again}", PATIENCE.as_secs())),
        (false, false) => Err(format!("{status}; {again}")),
        (false, true) => Ok(built),
    }
}

/// What a process says until its end: how many inputs were built, the last that it began, and whether it said nothing
/// for too long.
fn followed(heard: &Receiver<String>) -> (u64, Option<u64>, bool) {
    let (mut built, mut last) = (0, None);
    loop {
        match heard.recv_timeout(PATIENCE) {
            Ok(line) => match line.parse() {
                Ok(at) => last = Some(at),
                Err(_) => built += 1,
            },
            Err(RecvTimeoutError::Disconnected) => return (built, last, false),
            Err(RecvTimeoutError::Timeout) => return (built, last, true),
        }
    }
}
