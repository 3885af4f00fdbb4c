//! A test as YAML: the same program in a form that scripts can make and edit.
//!
//! [`document`] is the schema as serde types, [`parse`] reads a document and says what is wrong with
//! it, [`read`] and [`instr`] make a program of it, and [`write`](mod@write) writes one. [`value`]
//! has the single values with their places. Expressions, addresses and predicates are strings in
//! the `.litmus` dialect's own syntax, read by the same parser. The README beside this crate's
//! manifest shows the schema.

mod document;
mod instr;
mod parse;
mod read;
mod value;
mod write;

pub use read::read_yaml;
pub use write::write_yaml;

/// Keys that a document may start with.
pub(crate) const FIRST_KEYS: [&str; 12] = [
    "kind",
    "litmus",
    "api",
    "synchronized",
    "contributes",
    "locations",
    "queues",
    "threads",
    "filter",
    "exists",
    "not_exists",
    "forall",
];
