//! Images and samplers, used from the host and in kernels.

#![allow(
    clippy::undocumented_unsafe_blocks,
    reason = "tests pass what they own"
)]

mod buffers;
mod create;
mod errors;
mod kernels;
mod maps;
mod model;
mod rig;
mod samplers;
mod transfers;
