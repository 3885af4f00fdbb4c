//! What a run of a kernel case observed.

use super::case::ObjectId;
use std::collections::BTreeMap;

/// A run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Trace {
    /// The function that each step called, and the code that it gave; a step that was not reached
    /// has none.
    pub codes: BTreeMap<usize, (&'static str, i32)>,
    /// The bytes that each look saw.
    pub looks: BTreeMap<usize, Vec<u8>>,
    /// Addresses of objects that have one.
    pub addresses: BTreeMap<ObjectId, u64>,
    /// A side of a dialogue gave up waiting.
    pub gave_up: bool,
    /// Where a talk came upon a pointer that leads nowhere, and which.
    pub astray: BTreeMap<usize, String>,
}
