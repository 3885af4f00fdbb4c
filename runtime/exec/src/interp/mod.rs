//! The interpreter: kernel IR becomes bytecode over a register file, and a
//! stepper runs it over a memory port.
//!
//! | module | subject |
//! | --- | --- |
//! | [`code`] | the bytecode: instructions, kernels, side tables |
//! | [`lower`] | from IR to bytecode |
//! | [`port`] | the memory port: what the stepper asks of memory; the machine's own memory |
//! | [`device`] | calls of the functions of device-side enqueue |
//! | [`regs`] | the slots of a work-item |
//! | [`space`] | the index space, and the place of a work-item in it |
//! | [`step`] | the stepper: runs one work-item until it yields, waits, ends or traps |
//! | [`group`] | a work-group: items in turns, barriers |
//!
//! # Shape
//!
//! Every kernel is compiled by itself with all functions it calls. As OpenCL C
//! has no recursion, each function's registers have fixed places in one frame:
//! a call is a few moves and a jump. Vectors are taken apart: each element has
//! a register slot of 64 bits, which holds the bits of the value zero-extended.
//! Constants, ids and addresses that never change within a work-item are slots
//! too, below the frame (negative numbers), filled from a template when the
//! item starts; so every operand is a slot.

pub(crate) mod code;
pub(crate) mod device;
pub(crate) mod group;
pub(crate) mod lower;
pub(crate) mod port;
pub(crate) mod regs;
pub(crate) mod space;
pub(crate) mod step;

pub use port::fault::{CATCHES_FAULTS, copy_caught};
