//! Which injected faults the suites detect: a device is broken in one way after another, and for each the
//! cases are run that have most to do with it, until one fails.
//!
//! [`list`] knows the faults of Touchstone and of the layers, [`covers`] the rules of each case, [`terms`]
//! what they are looked for with. [`hunt`] runs the cases against one fault, [`drive`] gives each fault its
//! time, [`order`] puts those cases first that are most likely to show it for their time, [`survey`] finds out
//! which cases have what a fault breaks, [`power`] what a device can show of it
//! at all (`weaken` says what a fault makes of a test of Vulkan). What a case shows without any fault says nothing
//! about one: [`clean`] knows it.
//!
//! The other way round, [`latitudes`] runs the cases where Touchstone takes the freedoms of the specification, and
//! none may fail.

pub mod clean;
pub mod drive;
pub mod hunt;
pub mod latitudes;
pub mod list;
pub mod order;
pub mod power;
pub mod survey;
pub mod terms;
mod weaken;

pub use hunt::Found;
pub use list::Fault;
pub use terms::{Campaign, Hunted, Terms};
