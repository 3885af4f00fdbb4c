//! Recorded runs of real drivers, cut into pieces: what each claims, against what all of them show.

use classay_reports::stats::cluster::{Cluster, Clustered};
use std::collections::BTreeMap;

/// The drivers and what was recorded of them; the files say what a row is.
const RECORDED: [(&str, &str); 2] = [
    ("PoCL 3.1", include_str!("recorded/pocl.csv")),
    (
        "Intel CPU runtime 2026.2",
        include_str!("recorded/intel.csv"),
    ),
];

/// One test on one driver: of each run the launches of its processes, and what each showed.
pub struct Recording {
    /// The driver and the test.
    pub name: String,
    /// The outcomes.
    pub outcomes: Vec<String>,
    runs: BTreeMap<u32, Vec<Row>>,
}

struct Row {
    process: u32,
    launch: u32,
    counts: Vec<u64>,
}

/// The last row of a process holds all launches that have no row of their own.
const REST: u32 = 5;

/// Everything that was recorded.
pub fn recordings() -> Vec<Recording> {
    RECORDED
        .iter()
        .flat_map(|(driver, text)| of_driver(driver, text))
        .collect()
}

fn of_driver(driver: &str, text: &str) -> Vec<Recording> {
    let mut all: BTreeMap<&str, Recording> = BTreeMap::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let mut parts = line.split(',');
        let mut next = || parts.next().unwrap_or_default();
        let first = next();
        if first == "outcomes" {
            let test = next();
            let recording = Recording {
                name: format!("{driver}, {test}"),
                outcomes: parts.map(str::to_owned).collect(),
                runs: BTreeMap::new(),
            };
            all.insert(test, recording);
            continue;
        }
        let mut number = || next().parse().expect("a number of the recording");
        let (run, process, launch) = (number(), number(), number());
        let row = Row {
            process,
            launch,
            counts: parts.map(|n| n.parse().expect("a count")).collect(),
        };
        let recording = all.get_mut(first).expect("its outcomes are named first");
        recording.runs.entry(run).or_default().push(row);
    }
    all.into_values().collect()
}

impl Row {
    fn of(&self, outcome: usize) -> Cluster {
        Cluster {
            process: self.process,
            count: self.counts[outcome],
            instances: self.counts.iter().sum(),
        }
    }
}

impl Recording {
    /// Pieces of `processes` processes each: of every piece, what it says of each outcome.
    pub fn pieces(&self, processes: u32) -> Vec<Vec<Clustered>> {
        let of_run = |rows: &Vec<Row>| {
            let last = rows.iter().map(|row| row.process).max().unwrap_or(0);
            let piece = |from: u32| {
                let of = |outcome| {
                    let in_it = |row: &&Row| (from..from + processes).contains(&row.process);
                    let clusters = rows.iter().filter(in_it).map(|row| row.of(outcome));
                    Clustered::of(&clusters.collect::<Vec<_>>())
                };
                (0..self.outcomes.len()).map(of).collect::<Vec<_>>()
            };
            let whole = (last + 1) / processes;
            (0..whole)
                .map(|at| piece(at * processes))
                .collect::<Vec<_>>()
        };
        self.runs.values().flat_map(of_run).collect()
    }

    /// The rates of each outcome, averaged over the runs.
    pub fn rates(&self) -> Vec<f64> {
        let runs = self.runs.len() as f64;
        let mean = |outcome: usize| {
            let rate = |rows: &Vec<Row>| {
                let of = rows.iter().map(|row| row.of(outcome));
                Clustered::of(&of.collect::<Vec<_>>()).rate()
            };
            self.runs.values().map(rate).sum::<f64>() / runs
        };
        (0..self.outcomes.len()).map(mean).collect()
    }

    /// Five launches of each process of which launches are recorded, and the rate of that process, for each outcome.
    pub fn samples(&self) -> Vec<Vec<(Clustered, f64)>> {
        let mut all = Vec::new();
        for rows in self.runs.values() {
            let last = rows.iter().map(|row| row.process).max().unwrap_or(0);
            for process in 0..=last {
                if !rows
                    .iter()
                    .any(|row| (row.process, row.launch) == (process, 0))
                {
                    continue;
                }
                let of = |outcome: usize, launches: std::ops::RangeInclusive<u32>| {
                    let in_it =
                        |row: &&Row| row.process == process && launches.contains(&row.launch);
                    let clusters = rows.iter().filter(in_it).map(|row| row.of(outcome));
                    Clustered::of(&clusters.collect::<Vec<_>>())
                };
                let sample = |outcome| (of(outcome, 0..=REST - 1), of(outcome, 0..=REST).rate());
                all.push((0..self.outcomes.len()).map(sample).collect());
            }
        }
        all
    }
}
