//! `classay generate`: tests from the memory model's vocabulary, as files or as a list.

use super::args::{Cover, Form, GenerateArgs};
use super::output::{Out, say};
use classay::Error;
use classay::exit;
use classay::judge::ChosenModel;
use classay_litmus::generate::{
    Class, Generated, Options, Selection, Test, generate as generated, index,
};
use classay_litmus::oracle::Model;
use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Does it; returns the exit code.
pub fn generate(args: &GenerateArgs) -> Result<u8, Error> {
    let chosen = ChosenModel::load(&args.model).map_err(Error::Usage)?;
    let sc = Model::named("sc").map_err(|error| Error::Bug(error.to_string()))?;
    let begun = Instant::now();
    // A test beyond the oracle's limits can only come from a model of the user's own.
    let made = generated(&options(args), &chosen.model, &sc)
        .map_err(|error| Error::Usage(format!("with this model, {error}")))?;
    let seconds = begun.elapsed().as_secs_f64();
    if made.tests.is_empty() {
        return Err(Error::Nothing(
            "no test has these threads, edges and classes; --threads goes from 2 to 4, --edges from \
             3 to 6"
                .into(),
        ));
    }
    if let Some(folder) = &args.out {
        write_all(folder, &made.tests, args)?;
    }
    if args.list || args.out.is_none() {
        let mut out = Out::new();
        let lines: Vec<String> = made.tests.iter().map(line).collect();
        out.line(&lines.join("\n"));
    }
    say(&summary(&made, args.mutants, seconds));
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
            (_, Some(count)) => Selection::Count(usize::try_from(count).unwrap_or(usize::MAX)),
            (Some(Cover::Pairwise), None) => Selection::Pairwise,
            (None, None) => Selection::All,
        },
        alphabet: args.alphabet.into(),
        workers: args.jobs.map_or(defaults.workers, usize::from),
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

/// Writes the tests and their index. Nothing is written where a file that differs would be lost.
fn write_all(folder: &Path, tests: &[Test], args: &GenerateArgs) -> Result<(), Error> {
    let name = |test: &Test| match args.format {
        Form::Litmus => format!("{}.litmus", test.name),
        Form::Yaml => format!("{}.yaml", test.name),
    };
    let text = |test: &Test| match args.format {
        Form::Litmus => test.to_litmus(&args.model),
        Form::Yaml => test.to_yaml(&args.model),
    };
    let mut files: Vec<(PathBuf, String)> = tests
        .iter()
        .map(|test| (folder.join(name(test)), text(test)))
        .collect();
    // The index comes last: where it is, the files are.
    files.push((folder.join("index.csv"), index(tests, &name)));
    let failure = |path: &Path, error: std::io::Error| Error::Output {
        path: path.to_path_buf(),
        reason: error.to_string(),
    };
    std::fs::create_dir_all(folder).map_err(|error| failure(folder, error))?;
    let mut missing = Vec::new();
    for (path, text) in &files {
        match std::fs::read(path) {
            Ok(there) if there == text.as_bytes() => {}
            Ok(_) if args.replace => missing.push((path, text)),
            Ok(_) => {
                return Err(Error::Output {
                    path: path.clone(),
                    reason: "it is there already with other contents, and nothing was written; \
                             choose another folder, or write over it with --replace"
                        .into(),
                });
            }
            Err(error) if error.kind() == ErrorKind::NotFound => missing.push((path, text)),
            Err(error) => return Err(failure(path, error)),
        }
    }
    for (path, text) in missing {
        std::fs::write(path, text).map_err(|error| failure(path, error))?;
    }
    Ok(())
}

/// How many of each class, how long it took, what is covered and which tests have no mutants.
fn summary(made: &Generated, mutants: bool, seconds: f64) -> String {
    let tests = &made.tests;
    let count = |class: Class| tests.iter().filter(|t| t.class == class).count();
    let classes: Vec<String> = Class::ALL
        .iter()
        .map(|class| format!("{} {class}", count(*class)))
        .collect();
    let mut text = format!(
        "{} tests in {seconds:.1} s: {}",
        tests.len(),
        classes.join(", ")
    );
    text.push_str(&format!(
        "\n{} of {} feasible pairs of traits",
        made.pairs.covered, made.pairs.feasible
    ));
    if mutants {
        let all = tests.iter().filter(|t| !t.mutant_of.is_empty());
        let (racy, defined): (Vec<&Test>, Vec<&Test>) = all.partition(|t| t.class == Class::Racy);
        text.push_str(&format!(
            "\n{} tests are mutants, {} of them racy",
            racy.len() + defined.len(),
            racy.len()
        ));
        let mut why: BTreeMap<String, usize> = BTreeMap::new();
        for (_, reason) in &made.unmutated {
            *why.entry(reason.to_string()).or_default() += 1;
        }
        for (reason, count) in why {
            text.push_str(&format!("\n{count} conformance tests without: {reason}"));
        }
    }
    text
}
