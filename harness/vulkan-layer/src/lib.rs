//! A pass-through Vulkan layer that breaks promises of the memory model on request.
//!
//! The Vulkan loader puts it between a program and a driver where `VK_INSTANCE_LAYERS` names
//! [`manifest::NAME`]. What it breaks is said in `CLASSAY_LAYER_FAULTS`, names of rows of
//! `classay_faults::vulkan::ROWS`; without that variable it breaks nothing. Which faults could make a difference to a
//! program is counted in the file that `CLASSAY_LAYER_EFFECTS` names.
//!
//! | file | what it does |
//! | --- | --- |
//! | [`manifest`] | tells the loader of the library |
//! | `loader` | what the loader and a layer say to each other |
//! | `entry` | the functions that go through the layer; all others go past it |
//! | `instance`, `device` | what is known of each, and its creation and end |
//! | `registry` | finds it by an object's dispatch key |
//! | [`setting`] | the faults that the environment names |
//! | [`effects`] | counts what faults could change |
//! | [`spirv`] | the edits of modules |
//! | `modules`, `barriers`, `submits`, `memory` | the functions where faults act |
//! | [`queues`] | more queues than the driver has |
//!
//! A call goes through the files in that order. As a Rust library the crate offers the edits, the list of faults and
//! the manifest; the layer itself is loaded by the loader alone.
//!
//! # Threads
//!
//! Threads meet in three places. The registry is behind a lock: an object is known there before the call that
//! creates it returns, the program may give it to another thread only after that, and the lock orders the insertion
//! before every later look-up. A look-up holds its device or instance by a counted reference, so that a call that
//! overlaps a destruction, which the specification forbids, finds memory that lives. The set of non-coherent memory
//! objects of a device is behind a lock for the same reason. The counts of effects are atomic and relaxed: they
//! publish nothing but themselves, and are read when the program has ended or waits. Whatever else a device or
//! instance knows is written before it enters the registry, and never again.

mod barriers;
#[cfg(test)]
mod chain;
mod device;
pub mod effects;
mod entry;
mod instance;
mod loader;
pub mod manifest;
mod memory;
mod modules;
pub mod queues;
mod registry;
mod say;
pub mod setting;
pub mod spirv;
mod submits;
