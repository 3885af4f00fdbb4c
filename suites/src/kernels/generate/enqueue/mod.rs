//! Device-side enqueue: trees of kernels that kernels enqueue.
//!
//! | file | what it does |
//! | --- | --- |
//! | `tree` | draws a tree: who enqueues whom with which flag, range, wait list, marker, gate |
//! | `order` | what each kernel of it must see, by the rules of device-side enqueue |
//! | `space` | what each kernel sees of its index space |
//! | `write` | the tree as OpenCL C, and as a case |
//! | `talk` | a parent and its children that run at the same time and talk through atomics |
//! | `failure` | children that fail |
//! | `ready` | children that wait for what is complete already |
//!
//! Every work-item of every kernel of a tree writes a token into a cell of its own when it ends, after
//! a delay. Before that it looks into the cells of all that must have ended before it began, and
//! nowhere else: nothing races on an implementation that keeps the rules. What it misses it tells by
//! the reason for which it should have been there. Kernels enqueue their children before their
//! delay, so that a child that begins too early has all that time to show it.

mod failure;
mod order;
mod ready;
mod space;
mod talk;
#[cfg(test)]
mod tests;
mod tree;
mod write;

pub use failure::failure;
pub use ready::ready;
pub use talk::talk;

use crate::choices::Choices;
use crate::kernels::case::KernelCase;

/// A tree of kernels.
pub fn tree(choices: &mut Choices) -> KernelCase {
    let tree = tree::draw(choices);
    write::case(&tree)
}
