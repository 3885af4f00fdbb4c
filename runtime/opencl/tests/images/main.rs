//! Images and samplers, used from the host only.
//!
//! Whether there are images is read from the environment when they are first asked for, so
//! these tests are a program of their own.

#![allow(
    clippy::undocumented_unsafe_blocks,
    reason = "tests pass what they own"
)]

mod buffers;
mod create;
mod errors;
mod maps;
mod model;
mod rig;
mod samplers;
mod transfers;
