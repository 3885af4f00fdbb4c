//! `classay generate`: tests from the memory model's vocabulary, as files or as a list.

use super::args::{Cover, GenerateArgs};
use super::exit;
use super::failure::Failure;
use super::output::{Out, say};
use crate::judge::ChosenModel;
use classay_litmus::generate::{Class, Options, Selection, Test, generate as tests};
use classay_litmus::oracle::Model;
use std::path::Path;
use std::time::Instant;

/// Does it; returns the exit code.
pub fn generate(args: &GenerateArgs) -> Result<u8, Failure> {
    let chosen = ChosenModel::load(&args.model).map_err(Failure::Usage)?;
    let sc = Model::named("sc").map_err(|error| Failure::Bug(error.to_string()))?;
    let begun = Instant::now();
    let tests = tests(&options(args), &chosen.model, &sc)
        .map_err(|error| Failure::Bug(error.to_string()))?;
    let seconds = begun.elapsed().as_secs_f64();
    if tests.is_empty() {
        return Err(Failure::Nothing(
            "no test has these threads, edges and classes; --threads goes from 2 to 4, --edges from \
             3 to 6"
                .into(),
        ));
    }
    if let Some(folder) = &args.out {
        write_all(folder, &tests, &args.model)?;
    }
    if args.list || args.out.is_none() {
        let mut out = Out::new();
        let lines: Vec<String> = tests.iter().map(line).collect();
        out.line(&lines.join("\n"));
    }
    say(&summary(&tests, seconds));
    Ok(exit::PASSED)
}

fn options(args: &GenerateArgs) -> Options {
    let defaults = Options::default();
    Options {
        threads: args.threads.clone().map_or(defaults.threads, |r| r.0),
        edges: args.edges.clone().map_or(defaults.edges, |r| r.0),
        classes: if args.class.is_empty() {
            defaults.classes
        } else {
            args.class.iter().map(|c| (*c).into()).collect()
        },
        mutants: args.mutants,
        selection: match (args.cover, args.count) {
            (_, Some(count)) => Selection::Count(count),
            (Some(Cover::Pairwise), None) => Selection::Pairwise,
            (None, None) => Selection::All,
        },
    }
}

/// A test in a list: name, class, and what it is a mutant of.
fn line(test: &Test) -> String {
    let mut line = format!("{}\t{}", test.name, test.class);
    if !test.mutant_of.is_empty() {
        line.push_str(&format!("\tmutant of {}", test.mutant_of.join(", ")));
    }
    line
}

fn write_all(folder: &Path, tests: &[Test], model: &str) -> Result<(), Failure> {
    let failure = |path: &Path, error: std::io::Error| Failure::Output {
        path: path.to_path_buf(),
        reason: error.to_string(),
    };
    std::fs::create_dir_all(folder).map_err(|error| failure(folder, error))?;
    for test in tests {
        let path = folder.join(format!("{}.litmus", test.name));
        std::fs::write(&path, test.to_litmus(model)).map_err(|error| failure(&path, error))?;
    }
    Ok(())
}

/// How many of each class, and how long it took.
fn summary(tests: &[Test], seconds: f64) -> String {
    let count = |class: Class| tests.iter().filter(|t| t.class == class).count();
    let classes: Vec<String> = Class::ALL
        .iter()
        .map(|class| format!("{} {class}", count(*class)))
        .collect();
    let mutants = tests.iter().filter(|t| !t.mutant_of.is_empty()).count();
    let mutants = match mutants {
        0 => String::new(),
        n => format!("; {n} are mutants"),
    };
    format!(
        "{} tests in {seconds:.1} s: {}{mutants}",
        tests.len(),
        classes.join(", ")
    )
}
