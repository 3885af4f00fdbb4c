//! What a memory model says: of a test, and of what a device did with it.
//!
//! [`model`] finds the model, `verdict` judges the outcomes of a litmus test by it, `commands` those of other
//! cases, `freedoms` which outcomes show what rules leave open, `contested` what readings say differently of a test,
//! `covers` names the rules that a case puts to the test, `drawn` explains the forbidden ones again for reports, `outcome` names one state to the oracle,
//! `asked` says whether a run put a test's question at all, `apart` gives the oracle a thread of its own.

mod apart;
mod asked;
mod commands;
mod contested;
mod covers;
mod drawn;
mod freedoms;
pub mod model;
mod outcome;
mod shown;
mod verdict;

pub use apart::{Broken, apart};
pub use commands::judge_commands;
pub(crate) use commands::named;
pub use contested::{Contested, contested, contested_outcome};
pub use covers::{About, covers, covers_within};
pub use drawn::forbidden;
pub use model::ChosenModel;
pub use shown::ShownBy;
pub use verdict::{Judged, allowed_values, axioms, judge_case};
