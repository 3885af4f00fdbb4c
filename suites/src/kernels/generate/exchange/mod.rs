//! Exchanges: sides that exchange data through atomics while they run.
//!
//! The sides are the host and a kernel ([`turns`], [`crowd`], [`lock`], [`stack`], [`seen`],
//! [`beside`]), or two kernels in two queues, or two work-groups of one kernel ([`pairs`]). Nothing
//! promises that two sides make progress together, so every wait has a bound, and who waits too long
//! writes the case's `quit` word. What a crowd leaves behind needs no progress and is always checked.

pub mod beside;
pub mod crowd;
pub mod lock;
pub mod pairs;
pub mod seen;
mod sides;
pub mod stack;
pub mod turns;
