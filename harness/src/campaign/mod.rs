//! Whether the suites would notice: a device is broken in one way after another, and for each the
//! cases are run that have most to do with it, until one fails.
//!
//! [`list`] knows the faults of Touchstone and of the layer, [`covers`] the rules of each case,
//! [`hunt`] runs the cases against one fault. A case that fails without any fault says nothing about
//! one, so it is left out: the clean device is run first.

pub mod covers;
pub mod hunt;
pub mod list;

pub use hunt::{Found, hunt};
pub use list::Fault;
