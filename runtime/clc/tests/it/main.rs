//! Programs from text to results.

mod first;
mod language;
mod preprocessor;
mod support;
