//! Programs from text to results.

mod first;
mod support;
