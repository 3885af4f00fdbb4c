//! `classay bench`: how many small programs of commands a second a device plays, and how much of the
//! time it is the implementation's; and how many instances of litmus tests ([`litmus`]).
//!
//! The programs are the small ones of the suites, spread over the list of all. In the first measure each
//! is a case of its own, played once: planned, sent to the worker, played, checked, told and judged. In
//! the second each is played many times. For the third, the share of the implementation, the programs
//! are played once more through the layer, which measures the calls of the worker's main thread: the
//! one that makes a program's objects, plays its first host thread, waits for the others, and checks.

mod litmus;

use super::args::{BenchArgs, Part};
use super::output::Out;
use classay::device::Selector;
use classay::interrupt::Interrupt;
use classay::judge::ChosenModel;
use classay::plan::{self, Case};
use classay::worker::session::{Breakage, Limits, Session};
use classay::{Error, exit, open};
use classay_reports::record::Verdict;
use classay_vocabulary::Budget;
use std::path::Path;
use std::time::{Duration, Instant};

/// Programs that are played before anything is measured.
const WARM: usize = 40;

/// Programs to choose from.
const PROGRAMS: u32 = 2000;

/// Runs of a program where it is played many times.
const RUNS: u64 = 64;

/// What one measure gave.
#[derive(Debug, Default, Clone, Copy)]
struct Rate {
    programs: u64,
    runs: u64,
    seconds: f64,
}

impl Rate {
    fn runs_a_second(self) -> f64 {
        self.runs as f64 / self.seconds.max(1e-9)
    }
}

/// Does it; returns the exit code.
pub fn bench(args: &BenchArgs) -> Result<u8, Error> {
    let interrupt = Interrupt::listen().map_err(Error::Bug)?;
    let mut devices = args.device.clone();
    if devices.is_empty() {
        devices.push("touchstone".parse().map_err(Error::Bug)?);
    }
    let mut out = Out::new();
    let wanted = |part| args.only.is_none_or(|only| only == part);
    if wanted(Part::Programs) {
        out.line("programs/s  runs/s  in the driver  calls a run  device");
        for selector in &devices {
            let line = device(args, selector, &interrupt)?;
            out.line(&line);
        }
    }
    if wanted(Part::Litmus) {
        out.line(litmus::HEADING);
        for selector in &devices {
            let mut session = open::device(selector, &interrupt)?;
            let name = format!("{} ({selector})", session.known().record.name);
            litmus::bench(&mut session, args.seconds, args.seed, &name, &mut out)?;
            session.close();
        }
    }
    Ok(exit::PASSED)
}

fn device(args: &BenchArgs, selector: &Selector, interrupt: &Interrupt) -> Result<String, Error> {
    let mut cases = plan::small(PROGRAMS);
    plan::share_out(&mut cases, args.seed, Budget::Instances(1));
    let (mut session, model) = open::judged(selector, None, interrupt)?;
    let name = session.known().record.name.clone();
    let mut bench = Bench {
        cases,
        model,
        seconds: args.seconds,
    };
    let once = bench.measure(&mut session, 1)?;
    let often = bench.measure(&mut session, RUNS)?;
    session.close();
    let folder = std::env::temp_dir().join(format!("classay-bench-{}", std::process::id()));
    let measured = bench.share(selector, interrupt, &folder);
    // It is empty now, and nobody misses it.
    let _ = std::fs::remove_file(&folder);
    let (share, calls) = measured?;
    Ok(format!(
        "{:>10.0}  {:>6.0}  {:>11.0} %  {:>11.0}  {name} ({selector})",
        once.runs_a_second(),
        often.runs_a_second(),
        share * 100.0,
        calls
    ))
}

struct Bench {
    cases: Vec<Case>,
    model: ChosenModel,
    seconds: f64,
}

impl Bench {
    /// Plays programs for the time, each so often. What the device cannot play counts for nothing.
    fn measure(&mut self, session: &mut Session, runs: u64) -> Result<Rate, Error> {
        let limits = Limits {
            patience: Duration::from_secs(10),
            retries: 0,
        };
        for case in &mut self.cases {
            case.budget = Budget::Instances(1);
        }
        for case in self.cases.iter().take(WARM) {
            session.run(case, limits, &self.model, &mut |_| {})?;
        }
        for case in &mut self.cases {
            case.budget = Budget::Instances(runs);
        }
        let mut play = |case: &Case| session.run(case, limits, &self.model, &mut |_| {});
        let mut rate = Rate::default();
        let begun = Instant::now();
        for case in self.cases.iter().cycle() {
            let result = play(case)?;
            match result.verdict {
                Verdict::Pass | Verdict::Fail | Verdict::Inconclusive => {
                    rate.programs += 1;
                    rate.runs += runs;
                }
                Verdict::Skip | Verdict::Crash | Verdict::Timeout => {}
            }
            rate.seconds = begun.elapsed().as_secs_f64();
            if rate.seconds > self.seconds {
                break;
            }
        }
        Ok(rate)
    }

    /// The part of the time that the main thread spends in the implementation, and its calls a run.
    fn share(
        &mut self,
        selector: &Selector,
        interrupt: &Interrupt,
        file: &Path,
    ) -> Result<(f64, f64), Error> {
        let broken = Breakage {
            times: Some(file.to_path_buf()),
            ..Breakage::default()
        };
        let mut session = Session::open_broken(selector, &broken, None, interrupt)?;
        // The same programs, so that what is built is built.
        self.measure(&mut session, 1)?;
        let before = counters(file)?;
        let begun = Instant::now();
        let rate = self.measure(&mut session, RUNS)?;
        let all = begun.elapsed().as_secs_f64();
        let after = counters(file)?;
        session.close();
        let inside = (after[1] - before[1]) as f64 / 1e9;
        // Those that warmed up are played, too.
        let runs = rate.runs as f64 + WARM as f64;
        Ok((inside / all, (after[0] - before[0]) as f64 / runs))
    }
}

/// Calls and nanoseconds, as the layer counts them.
fn counters(file: &Path) -> Result<[u64; 2], Error> {
    let bytes = std::fs::read(file)
        .map_err(|e| Error::Bug(format!("the layer left no {}: {e}", file.display())))?;
    let word = |n: usize| {
        let bytes = bytes.get(8 * n..8 * n + 8).and_then(|b| b.try_into().ok());
        bytes.map(u64::from_ne_bytes).unwrap_or_default()
    };
    Ok([word(0), word(1)])
}
