//! How often the methods of `stats` are right, on processes whose rates are known.
//!
//!     cargo run --release -p classay-reports --example calibrate -- [RUNS [SEED]]
//!
//! Prints, for so many simulated runs (1,000) of each process: how often intervals hold the rate (95 % is
//! promised), also when a run stops as soon as it likes what it sees; how often a drift is seen where there
//! is none and where there is one; how often two runs of one process are said to differ, and of two
//! processes. Exits with 1 when a method falls short of its promise by more than the simulation's own
//! uncertainty explains.

mod process;

use classay_reports::stats::cluster::{Cluster, Clustered};
use classay_reports::stats::compare::{adjusted, compare};
use classay_reports::stats::sequence::{Stop, always};
use classay_reports::stats::stationarity::stationarity;
use classay_reports::stats::{Confidence, clopper_pearson};
use process::{Process, Scene};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use std::process::ExitCode;

/// Processes whose rate does not change.
const STEADY: &[Scene] = &[
    scene(Process::Independent, 0.3, 20, 1_000),
    scene(Process::Independent, 0.01, 20, 1_000),
    scene(Process::Independent, 1e-3, 100, 10_000),
    scene(Process::Independent, 1e-5, 100, 100_000),
    scene(Process::Beta(0.01), 0.3, 20, 1_000),
    scene(Process::Beta(0.01), 0.01, 50, 10_000),
    scene(Process::Beta(0.1), 0.1, 200, 1_000),
    scene(Process::Beta(1e-3), 1e-3, 200, 10_000),
    scene(Process::LogNormal(0.5), 0.1, 30, 1_000),
    scene(Process::LogNormal(1.0), 1e-3, 300, 10_000),
];

const fn scene(process: Process, rate: f64, launches: u32, instances: u64) -> Scene {
    Scene {
        process,
        rate,
        launches,
        instances,
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
    bench.stopping();
    bench.drift();
    bench.differences();
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
        for scene in STEADY {
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
            let plain = self.share(format!("Clopper-Pearson, {name}"), plain, promised);
            let clustered = self.share(format!("clustered, {name}"), clustered, 0.94..=0.98);
            println!("  {plain:>12.1} {clustered:>9.1}  {name}");
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
                    let interval = always(so_far, Confidence::P95);
                    held &= interval.contains(scene.rate);
                    if stop.at(so_far, Confidence::P95).is_some() && stopped.is_none() {
                        stopped = Some(interval);
                    }
                    let all = Clustered::of(so_far);
                    let usual = all.interval(Confidence::P95);
                    // The stop of someone who wants the rate to be anything but what it is.
                    if !usual.contains(scene.rate) && fixed_stopped.is_none() {
                        fixed_stopped = Some(usual);
                    }
                }
                let last = stopped.unwrap_or_else(|| always(&clusters, Confidence::P95));
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
            scene(Process::Drifting(0.1), 1e-3, 100, 100_000),
            scene(Process::Drifting(0.5), 1e-3, 100, 100_000),
            scene(Process::Drifting(0.5), 1e-3, 100, 1_000),
        ];
        for scene in STEADY.iter().chain(&drifting) {
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
                Process::Independent | Process::Beta(_) | Process::LogNormal(_) => 0.0..=0.015,
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
        for scene in STEADY {
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
        for scene in STEADY {
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

fn pair(a: &Scene, b: &Scene, rng: &mut ChaCha8Rng) -> f64 {
    let first: Vec<Cluster> = a.run(rng);
    compare(&first, &b.run(rng), Confidence::P95).p_value
}
