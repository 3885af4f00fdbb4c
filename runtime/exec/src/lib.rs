//! Touchstone's executors: they run kernel IR.
//!
//! A front end's [`Module`](touchstone_ir::Module) becomes an [`Executable`]
//! once; a [`Pool`] of threads runs [`Launch`]es of its kernels. The work-items of a
//! group run in turns on a pool thread, over the memory of the machine itself: its atomics are the
//! processor's atomics, so outcomes of litmus tests are those of real hardware. `interp` steps
//! through a kernel's bytecode; where a kernel runs for long, `native` makes machine code of
//! it, which takes the stepper's place and agrees with it in all that a kernel does. An [`Engine`] chooses.
//!
//! | module | subject |
//! | --- | --- |
//! | [`launch`] | a launch: kernel, arguments, index space |
//! | [`map`] | the memory that a launch may touch |
//! | [`device`] | what kernels ask of device queues |
//! | [`error`] | traps and the other ways to fail |
//! | [`executable`] | a program ready to run, with its program-scope variables |
//! | [`pool`] | threads, and how groups are given to them |
//! | `float` | the processor's rounding modes while kernels run |
//! | `plan` | checks a launch against its kernel |
//! | `interp` | bytecode, its compiler, the stepper, groups and barriers |
//! | `native` | kernels as machine code |
//! | `tier` | when a kernel is compiled |
//! | `scalar` | what each operation computes, on the bits of its operands |
//! | `printf` | the text that a kernel prints |
//!
//! # What a launch promises
//!
//! * *Before and after.* What the caller of [`Pool::run`] did before is visible
//!   to every work-item: the launch reaches the threads through a mutex. What
//!   work-items did is visible to the caller after `run` returns: the last
//!   thread to finish signals through the same mutex.
//! * *Progress.* Work-items of a group progress with respect to each other:
//!   each runs for a bounded number of steps, then the next one does. Groups
//!   run together up to the number of threads, in the order of their ids;
//!   nothing is promised between a running group and one not yet started.
//! * *Determinism.* With one thread, everything but addresses is determined by
//!   the launch and its seed.
//! * *Safety.* An access outside of the memory that the launch names is a
//!   [`Trap`], not a crash.
#![warn(clippy::missing_errors_doc)]

pub mod device;
pub mod error;
pub mod executable;
mod float;
mod interp;
pub mod launch;
pub mod map;
#[cfg(compiles_kernels)]
mod native;
#[cfg(not(compiles_kernels))]
#[path = "native/absent.rs"]
mod native;
mod plan;
pub mod pool;
mod printf;
mod scalar;
mod tier;

pub use device::{BlockQuery, Child, ChildRange, ChildStart, DeviceQueues, EnqueueError};
pub use error::{LaunchError, Missed, Place, PrepareError, Trap, TrapKind};
pub use executable::{Executable, KernelMeta};
pub use interp::{CATCHES_FAULTS, copy_caught};
pub use launch::{Arg, Engine, Interleaving, KernelId, Launch, LaunchStats, Output, ZeroDivision};
pub use map::{MemoryMap, Owner, Permission};
pub use pool::{Groups, Pool};
