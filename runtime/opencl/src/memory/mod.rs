//! Memory: buffers and shared virtual memory.
//!
//! The device is the host, so memory is host memory: a buffer is a block that the
//! runtime allocates, or the application's own (`CL_MEM_USE_HOST_PTR`), and mapping it
//! gives its address. [`block`] allocates; [`buffer`] is the memory object; [`map`] keeps
//! the account of its mappings; [`rect`] is the arithmetic of rectangular regions;
//! [`svm`] is the heap of a context's shared virtual memory; [`copy`] moves the bytes.

pub mod block;
pub mod buffer;
pub mod copy;
pub mod map;
pub mod rect;
pub mod svm;

pub use buffer::Buffer;
