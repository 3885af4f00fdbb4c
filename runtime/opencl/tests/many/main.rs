//! Several devices: root devices, sub-devices, and contexts, programs and kernels of more
//! than one.
//!
//! The number of devices and of their threads is read from the environment when the first
//! device is asked for, so these tests are a program of their own.

#![allow(
    clippy::undocumented_unsafe_blocks,
    reason = "tests pass what they own"
)]

mod partition;
mod programs;
mod rig;
mod roots;
mod together;
