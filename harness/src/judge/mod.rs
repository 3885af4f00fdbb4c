//! What a memory model says: of a test, and of what a device did with it.
//!
//! [`model`] finds the model, `verdict` judges the outcomes of a litmus test by it, `commands` those of other
//! cases, `drawn` explains the forbidden ones again for reports, `outcome` names one state to the oracle,
//! `apart` gives the oracle a thread of its own.

mod apart;
mod commands;
mod drawn;
pub mod model;
mod outcome;
mod verdict;

pub use apart::{Broken, apart};
pub use commands::judge_commands;
pub use drawn::forbidden;
pub use model::ChosenModel;
pub use verdict::{Judged, allowed_values, axioms, judge_case};
