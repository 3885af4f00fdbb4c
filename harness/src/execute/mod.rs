//! How a case is run on a device.
//!
//! Runs only in a worker process. It calls OpenCL or Vulkan; it knows nothing of the protocol, the store or
//! the command line. Litmus tests are run by [`litmus`] on a [`bench`], with the calls of [`cl`] or of [`vulkan`]; cases
//! of the suites by [`Stage`], over [`host`]. How a case [`Ended`], or why it was [`NotRun`], is the base of all.

pub(crate) mod bench;
mod cl;
mod ended;
pub mod host;
pub mod litmus;
mod memory;
pub mod needs;
mod parts;
mod played;
mod repeat;
pub(crate) mod vulkan;

pub use ended::{Ended, NotRun};
pub use played::Stage;
