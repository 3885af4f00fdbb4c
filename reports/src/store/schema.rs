//! The tables, and how a file says which version of them it holds.
//!
//! `PRAGMA application_id` marks the file as a store of classay, `PRAGMA user_version` is the
//! version of the schema. A change of the tables raises [`VERSION`] and adds a step that upgrades
//! from the one before.

/// Version of the schema that this program writes.
pub const VERSION: i64 = 6;

/// `clsy` in ASCII.
pub const APPLICATION_ID: i64 = 0x636c_7379;

/// The tables of version 1. Every table hangs on a run, and the rows of a case's result on its
/// row in `cases`.
const FIRST: &str = include_str!("../../schema/store-1.sql");

/// What version 2 adds: how the machine was at moments of a run.
const MOMENTS: &str = include_str!("../../schema/store-2.sql");

/// What version 3 adds: outcomes and violations that are more than texts. The new columns are NULL in rows
/// that an earlier version wrote (`old.rs` reads those).
const TYPED: &str = include_str!("../../schema/store-3.sql");

/// What version 4 adds: how often freedoms were taken, and that a verdict may be contested.
const FREEDOMS: &str = include_str!("../../schema/store-4.sql");

/// What version 5 adds: which process played a launch.
const PROCESSES: &str = include_str!("../../schema/store-5.sql");

/// What version 6 adds: that a verdict may be flaky.
const FLAKY: &str = include_str!("../../schema/store-6.sql");

/// What each version adds to the one before, from version 1.
pub const STEPS: [&str; VERSION as usize] = [FIRST, MOMENTS, TYPED, FREEDOMS, PROCESSES, FLAKY];
