//! Results as JSON, in two stable forms.
//!
//! - [`TestJson`]: one test on one line, as `classay litmus --json` prints it while it runs;
//! - [`run`]: a whole run as one object, for `classay report --json`; its schema is kept beside this crate's
//!   manifest, `schema/report.schema.json`.

pub mod run;
mod test;

pub use run::{SCHEMA_VERSION, run};
pub use test::{ExpectationJson, OutcomeJson, TestJson};
