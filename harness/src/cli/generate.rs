//! `classay generate`: tests from the memory model's vocabulary, as files or as a list.

use super::options::LatestModelOption;
use super::output::{Out, say};
use clap::Args;
use classay::Error;
use classay::device::Api;
use classay_litmus::generate::{self, Class, Generated, Selection, Test, index};
use classay_litmus::oracle::Model;
use classay_vocabulary::ExitCode;
use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// What the alphabets of `generate` are.
const ALPHABETS: &str = include_str!("alphabets.txt").trim_ascii_end();

/// Options of `generate`.
#[derive(Debug, Args)]
#[command(after_help = ALPHABETS)]
pub struct GenerateOptions {
    /// Generate tests of this API
    #[arg(long, value_name = "API", default_value = "opencl")]
    api: GeneratedApi,
    /// Write each test into this folder as NAME.litmus, with an index; without it they are listed
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Write files of this form
    #[arg(long, value_name = "FORM", default_value = "litmus", requires = "out")]
    format: Form,
    /// Write over files of the folder that differ from what is to be written
    #[arg(long, requires = "out")]
    replace: bool,
    /// Take this many threads, within 2-4 [default: 2-4]
    #[arg(long, value_name = "N-M", value_parser = |text: &str| span(text, 2, 4))]
    threads: Option<Span>,
    /// Take cycles of this many edges, within 3-6 [default: 3-6]
    #[arg(long, value_name = "N-M", value_parser = |text: &str| span(text, 3, 6))]
    edges: Option<Span>,
    /// Use this much of the vocabulary; below is what each is
    #[arg(long, value_name = "ALPHABET", default_value = "graded")]
    alphabet: GeneratedAlphabet,
    /// Generate only these classes: conformance is forbidden, contested is forbidden by some readings of the
    /// specification only, weak is allowed though no interleaving gives it, sc is given by an interleaving,
    /// racy has a data race
    #[arg(long, value_name = "CLASS", value_delimiter = ',')]
    class: Vec<GeneratedClass>,
    /// Generate also each conformance test weakened by one step, or by more where that is what it takes,
    /// so that its outcome is allowed
    #[arg(long)]
    mutants: bool,
    /// Generate a few that have every two traits together that some test has
    #[arg(long, value_name = "HOW")]
    cover: Option<Cover>,
    /// Generate this many, covering as many pairs of traits as possible; mutants come on top
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    count: Option<u64>,
    /// Draw those by this seed instead, each of another shape as long as there are others; the rest is not judged
    #[arg(long, value_name = "N", requires = "count", conflicts_with = "cover")]
    seed: Option<u64>,
    /// Judge on this many threads, on which what is generated does not depend [default: one a core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,
    /// List the tests also when they are written
    #[arg(long)]
    list: bool,
    #[command(flatten)]
    model: LatestModelOption,
}

/// The form of a generated file.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum Form {
    /// The OPENCL or VULKAN dialect of .litmus.
    Litmus,
    /// YAML.
    Yaml,
}

/// What tests are generated for.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum GeneratedApi {
    /// OpenCL.
    Opencl,
    /// Vulkan.
    Vulkan,
}

impl From<GeneratedApi> for Api {
    fn from(api: GeneratedApi) -> Api {
        match api {
            GeneratedApi::Opencl => Api::OpenCl,
            GeneratedApi::Vulkan => Api::Vulkan,
        }
    }
}

/// How much of the vocabulary is used.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum GeneratedAlphabet {
    /// Full for short cycles, core for long ones.
    Graded,
    /// A little, for every size.
    Core,
    /// Everything, for every size.
    Full,
}

impl From<GeneratedAlphabet> for classay_litmus::generate::Alphabet {
    fn from(alphabet: GeneratedAlphabet) -> Self {
        match alphabet {
            GeneratedAlphabet::Graded => Self::Graded,
            GeneratedAlphabet::Core => Self::Core,
            GeneratedAlphabet::Full => Self::Full,
        }
    }
}

/// From one number to another, both included.
#[derive(Debug, Clone)]
struct Span(std::ops::RangeInclusive<usize>);

/// How a selection covers what there is.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum Cover {
    /// Every two traits together.
    Pairwise,
}

/// What a generated test's outcome is to a model.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum GeneratedClass {
    /// Forbidden, and the program has no race.
    Conformance,
    /// Forbidden by some readings of the specification only.
    Contested,
    /// Allowed, but not by an interleaving.
    Weak,
    /// Allowed by an interleaving.
    Sc,
    /// The program has a race.
    Racy,
}

impl From<GeneratedClass> for classay_litmus::generate::Class {
    fn from(class: GeneratedClass) -> Self {
        match class {
            GeneratedClass::Conformance => Self::Conformance,
            GeneratedClass::Contested => Self::Contested,
            GeneratedClass::Weak => Self::Weak,
            GeneratedClass::Sc => Self::Sc,
            GeneratedClass::Racy => Self::Racy,
        }
    }
}

/// A number or a span of numbers, `2` or `2-4`, within bounds.
fn span(text: &str, least: usize, most: usize) -> Result<Span, String> {
    let (from, to) = text.split_once('-').unwrap_or((text, text));
    match (from.trim().parse(), to.trim().parse()) {
        (Ok(from), Ok(to)) if least <= from && from <= to && to <= most => Ok(Span(from..=to)),
        (Ok(_), Ok(_)) | (Err(_), _) | (_, Err(_)) => Err(format!(
            "expected a number or a span of numbers from {least} to {most}, like {least}-{most}"
        )),
    }
}

/// Does it; returns the exit code.
pub fn main(args: &GenerateOptions) -> Result<ExitCode, Error> {
    let chosen = args.model.chosen(args.api.into())?;
    let sc = Model::named("sc").map_err(|error| Error::Bug(error.to_string()))?;
    let begun = Instant::now();
    // A test beyond the oracle's limits can only come from a model of the user's own.
    let made = generate::generate(&options(args), chosen.readings(), &sc)
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
    Ok(ExitCode::Passed)
}

fn options(args: &GenerateOptions) -> generate::Options {
    let defaults = generate::Options::default();
    generate::Options {
        api: args.api.into(),
        threads: args.threads.clone().map_or(defaults.threads, |r| r.0),
        edges: args.edges.clone().map_or(defaults.edges, |r| r.0),
        classes: if args.class.is_empty() {
            defaults.classes
        } else {
            args.class.iter().map(|c| (*c).into()).collect()
        },
        mutants: args.mutants,
        playable: false,
        selection: match (args.cover, args.count.map(size), args.seed) {
            (_, Some(count), Some(seed)) => Selection::Drawn { count, seed },
            (_, Some(count), None) => Selection::Count(count),
            (Some(Cover::Pairwise), None, _) => Selection::Pairwise,
            (None, None, _) => Selection::All,
        },
        alphabet: args.alphabet.into(),
        workers: args.jobs.map_or(defaults.workers, usize::from),
    }
}

/// As many as memory can hold.
fn size(count: u64) -> usize {
    usize::try_from(count).unwrap_or(usize::MAX)
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
fn write_all(folder: &Path, tests: &[Test], args: &GenerateOptions) -> Result<(), Error> {
    let name = |test: &Test| match args.format {
        Form::Litmus => format!("{}.litmus", test.name),
        Form::Yaml => format!("{}.yaml", test.name),
    };
    let model = args.model.name_for(args.api.into())?;
    let text = |test: &Test| match args.format {
        Form::Litmus => test.to_litmus(&model),
        Form::Yaml => test.to_yaml(&model),
    };
    let mut files: Vec<(PathBuf, String)> = tests
        .iter()
        .map(|test| (folder.join(name(test)), text(test)))
        .collect();
    // The index comes last: where it is, the files are.
    files.push((folder.join("index.csv"), index(tests, &name)));
    std::fs::create_dir_all(folder).map_err(Error::output(folder))?;
    let mut missing = Vec::new();
    for (path, text) in &files {
        match std::fs::read(path) {
            Ok(there) if there == text.as_bytes() => {}
            Ok(_) if args.replace => missing.push((path, text)),
            Ok(_) => {
                return Err(Error::output(path)(
                    "it is there already with other contents, and nothing was written; choose another \
                     folder, or write over it with --replace",
                ));
            }
            Err(error) if error.kind() == ErrorKind::NotFound => missing.push((path, text)),
            Err(error) => return Err(Error::output(path)(error)),
        }
    }
    for (path, text) in missing {
        std::fs::write(path, text).map_err(Error::output(path))?;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_checked() {
        for (text, expected) in [("3", 3..=3), ("2-4", 2..=4), ("2 - 3", 2..=3)] {
            assert_eq!(span(text, 2, 4).map(|s| s.0), Ok(expected));
        }
        for wrong in ["", "1", "1-2", "4-2", "2-5", "2-", "-", "x", "2-3-4"] {
            assert!(span(wrong, 2, 4).is_err(), "{wrong}");
        }
    }
}
