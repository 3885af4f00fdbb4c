//! What the specification says of each entry point, one table an idea.
//!
//! [`zoo`] has a live object of every kind and in every state that a call can be given;
//! [`table`] is how a call that must be refused is written down, with the sentence that refuses
//! it, and checks that no entry point is left out; [`refusals`] are those
//! that Touchstone alone refuses (what all must refuse is in `suites/rules/refused`); [`lists`] are the rules that every command has for its wait list; [`queries`] those
//! that every query has. [`arguments`], [`families`], [`given`] and [`limits`] are
//! about what calls do when they succeed, where programs that assess implementations look closely.

#![allow(
    clippy::undocumented_unsafe_blocks,
    reason = "tests pass what they own"
)]

mod arguments;
mod families;
mod given;
mod limits;
mod lists;
mod queries;
mod refusals;
mod table;
mod zoo;
