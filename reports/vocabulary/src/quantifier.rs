//! How a litmus test's condition quantifies over final states.

use serde::{Deserialize, Serialize};

/// The quantifier of a condition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Quantifier {
    /// `exists`: can the predicate hold?
    Exists,
    /// `~exists`: can the predicate never hold?
    NotExists,
    /// `forall`: does the predicate always hold?
    Forall,
}
