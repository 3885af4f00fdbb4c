//! The words that the crates of classay share: what a case is called, what it needs, how long it runs,
//! what a run of it showed, and how it is judged.
//!
//! - [`CaseId`], [`RuleId`]: names of cases and of normative statements;
//! - [`Need`]: what a case needs of a device;
//! - [`Budget`]: when a case has run enough;
//! - [`Outcome`], [`Violation`], [`Observable`]: what one instance showed;
//! - [`Freedom`], [`FreedomCount`]: what it may do one way or another, and how often it did;
//! - [`Quantifier`]: how a litmus test's condition quantifies over final states;
//! - [`Verdict`], [`EvidenceKind`]: how a case ended, and what is kept to explain it;
//! - [`ExitCode`]: how the program ends;
//! - [`words!`]: enums of plain words, for any crate.
//!
//! These are plain data. What a rule says stands in the catalogue of `suites`, how an outcome is written
//! for people in `reports`. The crate lies within `reports/` because most of it is what a run leaves
//! behind; it depends on nothing but serde, so that `litmus` and `suites` can name these things without
//! depending on statistics or a database. The runtime does not depend on it.

#![forbid(unsafe_code)]
#![warn(clippy::missing_errors_doc)]

#[macro_use]
mod words;

mod budget;
mod case_id;
mod evidence;
mod exit_code;
mod freedom;
mod need;
mod outcome;
mod quantifier;
mod rule_id;
mod verdict;

pub use budget::{Budget, Enough};
pub use case_id::CaseId;
pub use evidence::EvidenceKind;
pub use exit_code::ExitCode;
pub use freedom::{Freedom, FreedomCount};
pub use need::{BuiltInKernel, Extension, FloatAtomics, Need};
pub use outcome::{Observable, Outcome, Violation};
pub use quantifier::Quantifier;
pub use rule_id::RuleId;
pub use verdict::Verdict;
