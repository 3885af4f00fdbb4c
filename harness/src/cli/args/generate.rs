//! Options of `generate`.

use clap::Args;
use std::path::PathBuf;

/// What the alphabets of `generate` are.
const ALPHABETS: &str = "\
Alphabets: how much of the vocabulary a cycle is dressed with.
  full    every cycle; all 30 contexts; in the first, every pair of the 11 words that threads can
          wear, and read-modify-writes as exchange, add, strong and weak compare-exchange; in the
          others 16 words with all threads alike, and mixtures of 4
  core    the cycles with a name and the elementary ones (of Pod, Rfe, Fre and Coe alone); 8
          contexts; 10 words with all threads alike, and mixtures of 4 in the first context; add and
          compare-exchange there where all threads wear the same
  graded  3 and 4 edges: full. 5 edges: elementary and named cycles as in full, with add and
          compare-exchange where all threads wear the same; the other cycles with the words and
          contexts of core. 6 edges: core
Nothing else bounds what is generated. The litmus crate's README lists words and contexts.

Files: DIR/NAME.litmus (or .yaml), and DIR/index.csv, a line a test: name, file, class, allowed,
shape, cycle, threads, edges, orders, scopes, layout, spread, idiom, mutant_of, needs, inexpressible.
Existing files that differ are not written over unless --replace is given; then nothing is written.";

/// Options of `generate`.
#[derive(Debug, Args)]
#[command(after_help = ALPHABETS)]
pub struct GenerateArgs {
    /// Write each test into this folder as NAME.litmus, with an index; without it they are listed
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Which form the files have
    #[arg(long, value_name = "FORM", default_value = "litmus", requires = "out")]
    pub format: Form,
    /// Write over files of the folder that differ from what is to be written
    #[arg(long, requires = "out")]
    pub replace: bool,
    /// The memory model that says what each test is: a name, as opencl-3.1 or opencl-3.0, or the
    /// path of a .cat file
    #[arg(long, value_name = "MODEL", default_value = classay::judge::model::LATEST)]
    pub model: String,
    /// How many threads, within 2-4 [default: 2-4]
    #[arg(long, value_name = "N-M", value_parser = |text: &str| span(text, 2, 4))]
    pub threads: Option<Span>,
    /// How many edges the cycle has, within 3-6 [default: 3-6]
    #[arg(long, value_name = "N-M", value_parser = |text: &str| span(text, 3, 6))]
    pub edges: Option<Span>,
    /// How much of the vocabulary is used; below is what each is
    #[arg(long, value_name = "ALPHABET", default_value = "graded")]
    pub alphabet: GeneratedAlphabet,
    /// Only these classes: conformance is forbidden, weak is allowed though no interleaving gives
    /// it, sc is given by an interleaving, racy has a data race
    #[arg(long, value_name = "CLASS", value_delimiter = ',')]
    pub class: Vec<GeneratedClass>,
    /// Also each conformance test weakened by one step, or by more where that is what it takes,
    /// so that its outcome is allowed
    #[arg(long)]
    pub mutants: bool,
    /// Only a few, which have every two traits together that some test has
    #[arg(long, value_name = "HOW")]
    pub cover: Option<Cover>,
    /// Only so many, covering as many pairs of traits as possible; mutants come on top
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub count: Option<u64>,
    /// Threads that judge; what is generated does not depend on it [default: one a core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub jobs: Option<u16>,
    /// List the tests also when they are written
    #[arg(long)]
    pub list: bool,
}

/// The form of a generated file.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
pub enum Form {
    /// The OPENCL dialect of .litmus.
    Litmus,
    /// YAML.
    Yaml,
}

/// How much of the vocabulary is used.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
pub enum GeneratedAlphabet {
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
pub struct Span(pub std::ops::RangeInclusive<usize>);

/// How a selection covers what there is.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
pub enum Cover {
    /// Every two traits together.
    Pairwise,
}

/// What a generated test's outcome is to a model.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
pub enum GeneratedClass {
    /// Forbidden, and the program has no race.
    Conformance,
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
