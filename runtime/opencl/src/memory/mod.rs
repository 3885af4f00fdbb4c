//! Memory: buffers, images, pipes and shared virtual memory.
//!
//! The device is the host, so memory is host memory: a buffer is a block that the
//! runtime allocates, or the application's own (`CL_MEM_USE_HOST_PTR`), and mapping it
//! gives its address. [`block`] allocates, [`owned`] lists what was allocated; [`buffer`]
//! [`image`] and [`pipe`] are the memory objects, [`object`] any of them; [`flags`] says what
//! their flags mean; [`map`] keeps the account of their mappings; [`rect`] is the arithmetic
//! of rectangular regions; [`svm`] is the heap of a context's shared virtual memory; [`copy`]
//! moves the bytes, [`stream`] many of them, and [`named`] those that an application names by
//! their address. Under latitudes there are copies of an object ([`apart`], [`shadow`]), the host sees it in other places
//! ([`view`]), and what nobody wrote is [`rubbish`].

pub mod apart;
pub mod block;
pub mod broken;
pub mod buffer;
pub mod copy;
pub mod flags;
pub mod image;
pub mod map;
pub mod named;
pub mod object;
pub mod owned;
pub mod pipe;
pub mod rect;
pub mod rubbish;
pub mod shadow;
pub mod stream;
pub mod svm;
pub mod view;

pub use buffer::Buffer;
pub use image::Image;
pub use object::MemObject;
pub use pipe::Pipe;
