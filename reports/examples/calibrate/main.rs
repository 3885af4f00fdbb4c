//! How often the methods of `stats` are right, on processes whose rates are known.
//!
//!     cargo run --release -p classay-reports --example calibrate -- [RUNS [SEED]]
//!
//! Prints, for so many simulated runs (1,000) of each process: how often intervals hold the rate (95 % is
//! promised), also when a run stops as soon as it likes what it sees; how often a drift is seen where there
//! is none and where there is one; how often two runs of one process are said to differ, and of two
//! processes. Then the same of recorded runs of real drivers, cut into pieces. Exits with 1 when a method falls short of its promise by more than the simulation's own
//! uncertainty explains.

mod process;
mod replay;

use classay_reports::stats::cluster::{Cluster, Clustered};
use classay_reports::stats::compare::{adjusted, compare};
use classay_reports::stats::sequence::{Stop, always};
use classay_reports::stats::stationarity::stationarity;
use classay_reports::stats::{Confidence, Interval, Never, clopper_pearson};
use process::{Process, Scene};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use std::process::ExitCode;

/// Launches of one process, whose rate does not change.
const STEADY: &[Scene] = &[
    one(Process::Independent, 0.3, 20, 1_000),
    one(Process::Independent, 0.01, 20, 1_000),
    one(Process::Independent, 1e-3, 100, 10_000),
    one(Process::Independent, 1e-5, 100, 100_000),
    one(Process::Beta(0.01), 0.3, 20, 1_000),
    one(Process::Beta(0.01), 0.01, 50, 10_000),
    one(Process::Beta(0.1), 0.1, 200, 1_000),
    one(Process::Beta(1e-3), 1e-3, 200, 10_000),
    one(Process::LogNormal(0.5), 0.1, 30, 1_000),
    one(Process::LogNormal(1.0), 1e-3, 300, 10_000),
];

/// Several processes.
const SEVERAL: &[Scene] = &[
    several(Process::Nested(0.3, 0.5), 0.1, 8, 30),
    several(Process::Nested(0.3, 0.5), 0.1, 3, 30),
    several(Process::Nested(0.5, 1.0), 1e-3, 8, 30),
    several(Process::Nested(0.5, 0.0), 1e-5, 20, 10),
    several(Process::Phased(5), 0.1, 8, 30),
    several(Process::Phased(50), 0.1, 8, 30),
    several(Process::Phased(500), 1e-3, 8, 30),
    several(Process::Independent, 1e-2, 8, 30),
];

/// Outcomes that few processes or launches show.
fn sparse() -> Vec<Scene> {
    let mut all = Vec::new();
    for rate in [1e-1, 1e-2, 1e-4, 1e-6] {
        let ways = [
            Process::OneProcessOf(2),
            Process::OneProcessOf(5),
            Process::OneProcessOf(20),
            Process::OneLaunchOf(2),
            Process::OneLaunchOf(10),
            Process::OneLaunchOf(100),
        ];
        for process in ways {
            let (Process::OneProcessOf(of) | Process::OneLaunchOf(of)) = process else {
                continue;
            };
            // A rate above one has none to show it in.
            if rate * f64::from(of) <= 1.0 {
                all.push(several(process, rate, 3, 10));
                all.push(several(process, rate, 8, 30));
            }
        }
    }
    all
}

const fn one(process: Process, rate: f64, launches: u32, instances: u64) -> Scene {
    Scene {
        process,
        rate,
        processes: 1,
        launches,
        instances,
    }
}

const fn several(process: Process, rate: f64, processes: u32, launches: u32) -> Scene {
    Scene {
        process,
        rate,
        processes,
        launches,
        instances: 100_000,
    }
}

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1).map(|a| a.parse::<u64>());
    let (runs, seed) = match (arguments.next().transpose(), arguments.next().transpose()) {
        (Ok(runs), Ok(seed)) => (runs.unwrap_or(1_000).max(1), seed.unwrap_or(1)),
        (Err(_), _) | (_, Err(_)) => {
            eprintln!("calibrate: the arguments are RUNS and SEED, both whole numbers");
            return ExitCode::from(2);
        }
    };
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut bench = Bench {
        runs,
        rng: &mut rng,
        short: Vec::new(),
    };
    println!("{runs} runs of each process, seed {seed}; shares in per cent\n");
    bench.intervals();
    bench.sparse();
    bench.stopping();
    bench.drift();
    bench.differences();
    bench.replay();
    if bench.short.is_empty() {
        println!("\nEvery method keeps what it promises, as far as {runs} runs can tell.");
        return ExitCode::SUCCESS;
    }
    println!();
    for short in &bench.short {
        println!("falls short: {short}");
    }
    ExitCode::FAILURE
}

struct Bench<'r> {
    runs: u64,
    rng: &'r mut ChaCha8Rng,
    short: Vec<String>,
}

impl Bench<'_> {
    /// Of this many hits in all runs: the share, and whether it lies within a range widened by four
    /// standard errors of the simulation.
    fn share(&mut self, what: String, hits: u64, promised: std::ops::RangeInclusive<f64>) -> f64 {
        let runs = self.runs as f64;
        let share = hits as f64 / runs;
        let error = |p: f64| 4.0 * (p * (1.0 - p) / runs).sqrt();
        let (low, high) = (*promised.start(), *promised.end());
        if share < low - error(low) || share > high + error(high) {
            let share = 100.0 * share;
            self.short.push(format!(
                "{what}: {share:.2} of 100, promised {low} to {high}"
            ));
        }
        100.0 * share
    }

    fn intervals(&mut self) {
        println!("intervals of a run of fixed length that hold the rate, 95 promised");
        println!("  {:>12} {:>9}  process", "as if indep.", "clustered");
        for scene in STEADY.iter().chain(SEVERAL) {
            let (mut plain, mut clustered) = (0, 0);
            for _ in 0..self.runs {
                let clusters = scene.run(self.rng);
                let all = Clustered::of(&clusters);
                let independent = clopper_pearson(all.count, all.instances, Confidence::P95);
                plain += u64::from(independent.contains(scene.rate));
                clustered += u64::from(all.interval(Confidence::P95).contains(scene.rate));
            }
            let name = scene.name();
            let promised = if scene.process == Process::Independent {
                0.95..=1.0
            } else {
                0.0..=1.0
            };
            // Few clusters that may agree by chance cost width, which is no lie.
            let most = if scene.processes > 1 { 1.0 } else { 0.98 };
            let plain = self.share(format!("Clopper-Pearson, {name}"), plain, promised);
            let clustered = self.share(format!("clustered, {name}"), clustered, 0.94..=most);
            println!("  {plain:>12.1} {clustered:>9.1}  {name}");
        }
    }

    fn sparse(&mut self) {
        println!(
            "\nclaims of outcomes that few show (an interval, or a bound where none was seen) that hold"
        );
        println!("  {:>6} {:>12}  process", "hold", "none seen");
        for scene in sparse() {
            let (mut held, mut unseen) = (0, 0);
            for _ in 0..self.runs {
                let all = Clustered::of(&scene.run(self.rng));
                held += u64::from(claim(&all, &[]).contains(scene.rate));
                unseen += u64::from(all.count == 0);
            }
            let name = scene.name();
            let held = self.share(format!("sparse, {name}"), held, 0.95..=1.0);
            let unseen = 100.0 * unseen as f64 / self.runs as f64;
            println!("  {held:>6.1} {unseen:>12.1}  {name}");
        }
    }

    /// What pieces of recorded runs claim of the rates over all of them. A piece is a draw from the same
    /// driver, not from the same moment: what is promised for the whole is asked of all outcomes together.
    fn replay(&mut self) {
        println!(
            "\nrecorded runs: claims of pieces that hold the mean of all, and of five launches that hold their process's"
        );
        println!(
            "  {:>9} {:>9} {:>9} {:>9}  test",
            "1 process", "3", "8", "launches"
        );
        let mut total = [(0u64, 0u64); 4];
        for recording in replay::recordings() {
            let rates = recording.rates();
            let mut shown = [(0u64, 0u64); 4];
            let mut see = |which: usize, holds: bool| {
                shown[which].0 += u64::from(holds);
                shown[which].1 += 1;
            };
            for (which, processes) in [(0, 1), (1, 3), (2, 8)] {
                for piece in recording.pieces(processes) {
                    for (all, rate) in piece.iter().zip(&rates) {
                        see(which, claim(all, &piece).contains(*rate));
                    }
                }
            }
            for sample in recording.samples() {
                let all: Vec<Clustered> = sample.iter().map(|(all, _)| *all).collect();
                for (of, rate) in &sample {
                    see(3, claim(of, &all).contains(*rate));
                }
            }
            let percent = |(hits, all): (u64, u64)| match all {
                0 => "-".to_owned(),
                _ => format!("{:.1}", 100.0 * hits as f64 / all as f64),
            };
            let [a, b, c, d] = shown.map(percent);
            println!("  {a:>9} {b:>9} {c:>9} {d:>9}  {}", recording.name);
            for (sum, (hits, all)) in total.iter_mut().zip(shown) {
                sum.0 += hits;
                sum.1 += all;
            }
        }
        // What one process says of others is not promised, which is why it is told.
        for ((hits, all), what) in total[1..]
            .iter()
            .zip(["3 processes", "8 processes", "launches"])
        {
            let share = *hits as f64 / (*all).max(1) as f64;
            println!("  {:>6.1}  all together, {what}", 100.0 * share);
            if share < 0.95 {
                self.short
                    .push(format!("recorded runs, {what}: {share:.3}, promised 0.95"));
            }
        }
    }

    fn stopping(&mut self) {
        println!(
            "\nintervals that hold the rate when a run stops as soon as they are narrow, and at all times"
        );
        println!(
            "  {:>9} {:>8} {:>8}  process",
            "clustered", "sequence", "always"
        );
        for scene in STEADY {
            let (mut fixed, mut sequence, mut throughout) = (0, 0, 0);
            for _ in 0..self.runs {
                let clusters = scene.run(self.rng);
                let stop = Stop {
                    relative_half_width: Some(0.25),
                    ..Stop::default()
                };
                let mut stopped = None;
                let mut fixed_stopped = None;
                let mut held = true;
                for n in 8..=clusters.len() {
                    let so_far = &clusters[..n];
                    let all = Clustered::of(so_far);
                    let interval = always(&all, [], Confidence::P95);
                    held &= interval.contains(scene.rate);
                    if stop.at(&all, [], Confidence::P95).is_some() && stopped.is_none() {
                        stopped = Some(interval);
                    }
                    let usual = all.interval(Confidence::P95);
                    // The stop of someone who wants the rate to be anything but what it is.
                    if !usual.contains(scene.rate) && fixed_stopped.is_none() {
                        fixed_stopped = Some(usual);
                    }
                }
                let whole = Clustered::of(&clusters);
                let last = stopped.unwrap_or_else(|| always(&whole, [], Confidence::P95));
                sequence += u64::from(last.contains(scene.rate));
                throughout += u64::from(held);
                fixed += u64::from(fixed_stopped.is_none());
            }
            let name = scene.name();
            let fixed = 100.0 * fixed as f64 / self.runs as f64;
            let sequence = self.share(
                format!("sequence at its stop, {name}"),
                sequence,
                0.95..=1.0,
            );
            let throughout = self.share(
                format!("sequence at all times, {name}"),
                throughout,
                0.94..=1.0,
            );
            println!("  {fixed:>9.1} {sequence:>8.1} {throughout:>8.1}  {name}");
        }
    }

    fn drift(&mut self) {
        println!("\nruns that are said to drift, at 1 in 100");
        let drifting = [
            one(Process::Drifting(0.1), 1e-3, 100, 100_000),
            one(Process::Drifting(0.5), 1e-3, 100, 100_000),
            one(Process::Drifting(0.5), 1e-3, 100, 1_000),
        ];
        for scene in STEADY.iter().chain(SEVERAL).chain(&drifting) {
            let mut seen = 0;
            let mut answers = 0u64;
            for _ in 0..self.runs {
                if let Some(answer) = stationarity(&scene.run(self.rng)) {
                    answers += 1;
                    seen += u64::from(answer.drifts(0.01));
                }
            }
            if answers == 0 {
                continue;
            }
            let name = scene.name();
            let promised = match scene.process {
                Process::Drifting(_) => 0.0..=1.0,
                // Phases as long as an eighth of a process drift, as far as one process can tell.
                Process::Phased(_) => 0.0..=1.0,
                Process::Independent
                | Process::Beta(_)
                | Process::LogNormal(_)
                | Process::Nested(..)
                | Process::OneProcessOf(_)
                | Process::OneLaunchOf(_) => 0.0..=0.015,
            };
            let seen = self.share(format!("drift, {name}"), seen, promised);
            println!("  {seen:>12.1}  {name}");
        }
    }

    fn differences(&mut self) {
        println!(
            "\npairs of runs in which some of ten outcomes is said to differ, at 5 in 100, and single outcomes below p = 0.05"
        );
        println!("  {:>12} {:>9}  process", "any of ten", "p < 0.05");
        for scene in SEVERAL {
            let (mut any, mut single, mut all) = (0, 0u64, 0u64);
            for _ in 0..self.runs {
                let p: Vec<f64> = (0..10).map(|_| pair(scene, scene, self.rng)).collect();
                single += p.iter().filter(|p| **p < 0.05).count() as u64;
                all += p.len() as u64;
                any += u64::from(adjusted(&p).iter().any(|q| *q < 0.05));
            }
            let name = scene.name();
            let any = self.share(format!("differences, {name}"), any, 0.0..=0.05);
            let single = 100.0 * single as f64 / all as f64;
            println!("  {any:>12.1} {single:>9.1}  {name}");
        }
        println!("\npairs whose second run has half as much again: said to differ at p < 0.05");
        for scene in SEVERAL {
            let more = Scene {
                rate: 1.5 * scene.rate,
                ..*scene
            };
            let seen = (0..self.runs)
                .filter(|_| pair(scene, &more, self.rng) < 0.05)
                .count();
            println!(
                "  {:>12.1}  {}",
                100.0 * seen as f64 / self.runs as f64,
                scene.name()
            );
        }
    }
}

/// What is claimed at 95 %: the interval, or the bound of what was never seen.
fn claim(all: &Clustered, others: &[Clustered]) -> Interval {
    if all.count > 0 {
        return all.interval(Confidence::P95);
    }
    Interval {
        low: 0.0,
        high: Never::of(all, others, Confidence::P95).bound(),
    }
}

fn pair(a: &Scene, b: &Scene, rng: &mut ChaCha8Rng) -> f64 {
    let first: Vec<Cluster> = a.run(rng);
    compare(&first, &b.run(rng), Confidence::P95).p_value
}
