//! Calls that the specification refuses, one file a chapter.

mod contexts;
mod devices;
mod events;
mod images;
mod kernels;
mod memory;
mod programs;
mod ranges;
mod shared;
mod transfers;

use crate::table::Refusal;

/// Every refusal.
pub fn all() -> Vec<Refusal> {
    [
        devices::cases(),
        contexts::cases(),
        memory::cases(),
        transfers::cases(),
        images::cases(),
        shared::cases(),
        programs::cases(),
        kernels::cases(),
        ranges::cases(),
        events::cases(),
    ]
    .into_iter()
    .flatten()
    .collect()
}
