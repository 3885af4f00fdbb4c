//! Results as JSON, in two stable forms.
//!
//! - [`TestJson`]: one test on one line, as `classay litmus --json` prints it while it runs;
//! - [`run`]: a whole run as one object, for `classay report --json`; its schema is kept beside this crate's
//!   manifest, `schema/report.schema.json`;
//! - [`mod@history`]: the runs of a driver's versions, for `classay history --json`, with `schema/history.schema.json`.

pub mod history;
pub mod run;
mod test;

pub use history::{HISTORY_VERSION, history};
pub use run::{SCHEMA_VERSION, run};
pub use test::{ExpectationJson, OutcomeJson, TestJson};
