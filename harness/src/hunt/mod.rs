//! Looks for outcomes that the memory model forbids, for hours.
//!
//! What is played are conformance tests of the generator, whose outcome is forbidden, in environments from
//! a pool. Which shape of cycle comes next and in which environment is decided by a [`bandit`]: it is
//! rewarded when the *mutant* of a test, whose outcome is allowed, shows it often, because where weak
//! outcomes are frequent a broken implementation has most chances to show a forbidden one. Every shape
//! keeps a share of its own, so none is starved by what it cannot show. Everything that happens is a line
//! of a [`journal`] before the next thing is done, and a hunt that is resumed is what the journal says.
//! A forbidden outcome is [`reduce`]d, to a small environment and a small test, and written down
//! ([`violation`]) for who has to repair it. What only some readings of the specification forbid is contested:
//! counted and reported apart, and reduced like the rest only where the hunt is strict.

pub mod bandit;
pub mod candidate;
pub mod journal;
pub mod reduce;
mod search;
mod session;
pub mod state;
pub mod violation;
mod write_up;

pub use search::Hunt;
pub use session::Hunted;
