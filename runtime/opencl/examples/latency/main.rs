//! What commands and kernels cost, side by side on any OpenCL implementations.
//!
//! ```sh
//! cargo run --release -p touchstone --example latency -- [--rounds N] [LIBRARY...]
//! ```
//!
//! Libraries are shared objects with the entry points of the ICD (`cl_khr_icd`); the
//! Touchstone that cargo built beside this program comes first. Every round measures
//! everything on each library in turn, so that what else the machine does falls on all
//! alike. The table has the median over the rounds, with the least and the greatest.

#![allow(
    clippy::undocumented_unsafe_blocks,
    reason = "a client: it passes what it owns"
)]

mod client;
mod copies;
mod kernels;
mod small;

use std::path::PathBuf;
use std::process::ExitCode;

use client::Client;

/// One measurement: a name, the unit, and how to do it once.
pub struct Measurement {
    name: &'static str,
    unit: &'static str,
    run: fn(&Client) -> f64,
}

fn main() -> ExitCode {
    let mut rounds = 9;
    let mut only = None;
    let mut libraries = vec![own_library()];
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--rounds" => match arguments.next().and_then(|count| count.parse().ok()) {
                Some(count) if count > 0 => rounds = count,
                _ => return usage("--rounds needs a number"),
            },
            "--only" => only = arguments.next(),
            option if option.starts_with("--") => return usage(&format!("{option} is unknown")),
            path => libraries.push(PathBuf::from(path)),
        }
    }
    let mut clients = Vec::new();
    for library in &libraries {
        match Client::open(library) {
            Ok(client) => clients.push(client),
            Err(error) => return usage(&format!("{}: {error}", library.display())),
        }
    }
    let measurements: Vec<_> = small::all()
        .into_iter()
        .chain(copies::all())
        .chain(kernels::all())
        .filter(|one| {
            only.as_ref()
                .is_none_or(|only| one.name.contains(only.as_str()))
        })
        .collect();
    // samples[measurement][client][round]
    let mut samples = vec![vec![Vec::new(); clients.len()]; measurements.len()];
    for round in 0..=rounds {
        for (measurement, samples) in measurements.iter().zip(&mut samples) {
            for (client, samples) in clients.iter().zip(samples.iter_mut()) {
                let sample = (measurement.run)(client);
                // The first round is for warming up.
                if round > 0 {
                    samples.push(sample);
                }
            }
        }
    }
    print(&clients, &measurements, &samples);
    ExitCode::SUCCESS
}

fn usage(problem: &str) -> ExitCode {
    eprintln!("latency: {problem}\nusage: latency [--rounds N] [--only NAME] [LIBRARY...]");
    ExitCode::from(2)
}

/// `target/<profile>/deps/libtouchstone.so`, seen from `target/<profile>/examples/latency`.
fn own_library() -> PathBuf {
    let program = std::env::current_exe().unwrap_or_default();
    let profile = program.parent().and_then(std::path::Path::parent);
    profile.unwrap_or(&program).join("deps/libtouchstone.so")
}

fn print(clients: &[Client], measurements: &[Measurement], samples: &[Vec<Vec<f64>>]) {
    print!("{:<44}", "median [least, greatest]");
    for client in clients {
        print!("  {:<26}", client.name.chars().take(26).collect::<String>());
    }
    println!();
    for (measurement, samples) in measurements.iter().zip(samples) {
        print!(
            "{:<44}",
            format!("{}, {}", measurement.name, measurement.unit)
        );
        for samples in samples {
            let mut sorted = samples.clone();
            sorted.sort_by(f64::total_cmp);
            let at = |share: usize| sorted[(sorted.len() - 1) * share / 2];
            let cell = match at(1).is_nan() {
                true => "-".to_owned(),
                false => format!("{:.2} [{:.2}, {:.2}]", at(1), at(0), at(2)),
            };
            print!("  {cell:<26}");
        }
        println!();
    }
}
