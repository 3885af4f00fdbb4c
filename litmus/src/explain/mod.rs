//! Explanations for people: why an outcome is allowed or forbidden, as text, DOT and SVG.
//!
//! ```text
//! text ─ outcome ─▶ Predicate ─ oracle::explain ─▶ Execution ─ graph ─▶ Drawing ─┬ text
//! Program ─ mutation ▶ weaker programs ─ oracle::judge ─▶ remedies                ├ dot
//!                                                                                └ svg
//! ```
//!
//! [`outcome`] reads what a user asks about; [`report`] asks the oracle and tries every mutation
//! of one order, scope, fence or barrier ([`crate::mutation`]); [`Drawing`] is the execution with the
//! events named ([`label`]) and the edges of the smallest failing cycle marked, which [`text`],
//! [`dot`] and [`svg`] write.

mod dot;
mod graph;
mod label;
mod outcome;
mod remedy;
mod svg;
mod text;
mod wrap;

pub use dot::dot;
pub use graph::{Arrow, Broken, Column, Drawing, Strand};
pub use label::Node;
pub use outcome::{Misread, OutcomeError, outcome, outcome_text};
pub use remedy::{Remedy, remedies};
pub use svg::svg;
pub use text::text;
pub use wrap::wrap;

use crate::oracle::{self, Error, Explanation, Limits, Model};
use crate::program::{Condition, Predicate, Program, Quantifier};

/// Everything there is to say about an outcome.
#[derive(Debug, Clone)]
pub struct Report {
    /// The test's name.
    pub test: String,
    /// The model's name.
    pub model: String,
    /// The outcome as conditions write it.
    pub outcome: String,
    /// What the oracle says.
    pub explanation: Explanation,
    /// The execution it shows; none for an impossible outcome.
    pub drawing: Option<Drawing>,
    /// The test's behaviour is undefined: the flags of the model that say so.
    pub flags: Vec<String>,
    /// A loop was cut at the oracle's bound, so a forbidden outcome may need more passes.
    pub bounded: bool,
    /// For a forbidden outcome, the single changes after which it can be seen; smallest first.
    pub remedies: Vec<Remedy>,
}

/// Explains an outcome.
///
/// # Errors
/// The program is beyond `limits`.
pub fn report(
    program: &Program,
    model: &Model,
    outcome: &Predicate,
    limits: &Limits,
) -> Result<Report, Error> {
    let explanation = oracle::explain(program, model, outcome, limits)?;
    let judgement = oracle::judge(&asking(program, outcome), model, limits)?;
    let text = outcome_text(program, outcome);
    let (drawing, remedies) = match &explanation {
        Explanation::Allowed(execution) => {
            (Some(Drawing::new(program, execution, &[])), Vec::new())
        }
        Explanation::Forbidden(refusal) => {
            let drawing = Drawing::new(program, &refusal.execution, &refusal.failures);
            let remedies = remedies(program, model, outcome, limits, judgement.racy)?;
            (Some(drawing), remedies)
        }
        Explanation::Impossible => (None, Vec::new()),
    };
    Ok(Report {
        test: program.name.clone(),
        model: model.name.to_string(),
        outcome: text,
        explanation,
        drawing,
        flags: judgement.flags,
        bounded: judgement.bounded,
        remedies,
    })
}

impl Report {
    /// One line: which outcome of which test, and whether it is allowed.
    pub fn verdict(&self) -> String {
        let verdict = match self.explanation {
            Explanation::Allowed(_) => "allowed",
            Explanation::Forbidden(_) => "forbidden",
            Explanation::Impossible => "impossible",
        };
        format!(
            "{}: {} is {verdict} by {}",
            self.test, self.outcome, self.model
        )
    }
}

/// The same program, asking whether the outcome exists, and about all of its executions.
fn asking(program: &Program, outcome: &Predicate) -> Program {
    let mut program = program.clone();
    program.filter = None;
    program.condition = Condition {
        quantifier: Quantifier::Exists,
        predicate: outcome.clone(),
    };
    program
}
