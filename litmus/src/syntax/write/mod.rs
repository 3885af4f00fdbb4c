//! Writing a [`Program`] as text that reads back as the same program.

mod columns;
mod command;
mod expression;
mod litmus;
mod predicate;

pub(crate) use columns::placement_text;
pub(crate) use command::names;
pub(crate) use expression::ThreadText;
pub use litmus::write_litmus;
pub(crate) use predicate::predicate;
