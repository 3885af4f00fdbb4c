//! What a memory model says: of a test, and of what a device did with it.
//!
//! [`model`] finds the model, [`outcome`] turns what a device shows into what the oracle computes
//! and back, `verdict` judges the outcomes of a case, `drawn` explains the forbidden ones again for reports,
//! `apart` gives the oracle a thread of its own.

mod apart;
mod commands;
mod drawn;
pub mod model;
pub mod outcome;
mod verdict;

pub use commands::{AS_REQUIRED, GAVE_UP, judge_commands};
pub use drawn::forbidden;
pub use model::ChosenModel;
pub use verdict::{Judged, allowed_values, judge_case};
