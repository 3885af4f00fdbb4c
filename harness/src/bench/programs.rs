//! Small programs of commands: how many a second, and the driver's share of the time.
//!
//! The programs are the bounded-exhaustive ones of the suites, spread over the list of all. In the first
//! measure each is a case of its own, run once: planned, sent to the worker, run, checked, reported and
//! judged. In the second each is run many times. For the third, the share of the implementation, the
//! programs are run once more through the layer, which measures the calls of the worker's main thread: the
//! one that makes a program's objects, runs its first host thread, waits for the others, and checks.

use crate::device::Selector;
use crate::interrupt::Interrupt;
use crate::judge::ChosenModel;
use crate::plan::{self, Case};
use crate::worker::session::{Breakage, Limits, Session};
use crate::{Error, open};
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

/// What a device does with programs of commands.
#[derive(Debug, Clone, PartialEq)]
pub struct Programs {
    /// The device's name.
    pub device: String,
    /// Programs a second, each a case of its own and run once.
    pub programs_per_second: f64,
    /// Runs a second, where each program is run many times.
    pub runs_per_second: f64,
    /// The part of the time that the worker's main thread spends in the driver.
    pub driver_share: f64,
    /// Calls of that thread for each run.
    pub calls_per_run: f64,
}

/// What one measure gave.
#[derive(Debug, Default, Clone, Copy)]
struct Rate {
    runs: u64,
    seconds: f64,
}

impl Rate {
    fn runs_per_second(self) -> f64 {
        self.runs as f64 / self.seconds.max(1e-9)
    }
}

/// Measures programs of commands on a device, for about `seconds` in each of the three measures.
///
/// # Errors
///
/// The device does not open or is gone, or the user interrupted.
pub fn programs(
    selector: &Selector,
    seconds: f64,
    seed: u64,
    interrupt: &Interrupt,
) -> Result<Programs, Error> {
    let mut cases = plan::small(PROGRAMS);
    plan::share_out(&mut cases, seed, Budget::Instances(1));
    let (mut session, model) = open::judged(selector, None, interrupt)?;
    let device = session.known().record.name.clone();
    let mut measuring = Measuring {
        cases,
        model,
        seconds,
    };
    let once = measuring.measure(&mut session, 1)?;
    let often = measuring.measure(&mut session, RUNS)?;
    session.close();
    let folder = std::env::temp_dir().join(format!("classay-bench-{}", std::process::id()));
    let measured = measuring.share(selector, interrupt, &folder);
    // It is empty now, and nobody misses it.
    let _ = std::fs::remove_file(&folder);
    let (driver_share, calls_per_run) = measured?;
    Ok(Programs {
        device,
        programs_per_second: once.runs_per_second(),
        runs_per_second: often.runs_per_second(),
        driver_share,
        calls_per_run,
    })
}

struct Measuring {
    cases: Vec<Case>,
    model: ChosenModel,
    seconds: f64,
}

impl Measuring {
    /// Plays programs for the time, each so often. What the device cannot play counts for nothing.
    fn measure(&mut self, session: &mut Session, runs: u64) -> Result<Rate, Error> {
        let limits = Limits::once(Duration::from_secs(10));
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
                Verdict::Pass | Verdict::Fail | Verdict::Inconclusive | Verdict::Contested => {
                    rate.runs += runs;
                }
                Verdict::Skip | Verdict::Crash | Verdict::Timeout | Verdict::Flaky => {}
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
