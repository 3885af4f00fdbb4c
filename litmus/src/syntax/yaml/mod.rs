//! A test as YAML: the same program in a form that scripts can make and edit.
//!
//! [`node`] takes any YAML document apart with the place of every value, [`fields`] reads mappings
//! of known keys, [`read`] makes a program of them, and [`write`] writes one. Expressions,
//! addresses and predicates are strings in the `.litmus` dialect's own syntax, read by the same
//! parser. The schema is in the README beside this crate's manifest.

mod fields;
mod instr;
mod node;
mod read;
mod write;

pub(crate) use read::KEYS;
pub use read::read_yaml;
pub use write::write_yaml;
