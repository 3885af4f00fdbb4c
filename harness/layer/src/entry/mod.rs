//! The exported functions: one table in six files, one macro in `forward`.
//!
//! A section of `entry_points!` says which parameters its functions begin and end with, and how the
//! object is found, and with it the function to call: `object` by the first parameter, `platform`
//! likewise or by the first platform, `command` by the queue, before a wait list and an event. A row
//! is the signature of a function without these, and facts in this order: how the object is found
//! where no parameter is it (`by`); through which last parameter it reports its status, if not by
//! its value (`errcode`); what says that it blocks (`blocks`); which fault can change some of its
//! parameters (`alters`), and which can take part in the call (`hook`). A hook is called with the
//! call, a command's hook with the command too, with a function that goes on, with the parameters
//! that the row names, and gives those behind a semicolon to that function, changed or not.
//! Everything else is the same for all functions:
//!
//! 1. the faults see the call; they may end it, or the process, here;
//! 2. the function of the implementation is found; where there is none, the call answers with the
//!    status that the specification names for the missing object, or `CL_INVALID_OPERATION` where
//!    the implementation left the entry out;
//! 3. it is called, through the hook if there is one;
//! 4. what faults have to do when a command completes is done, if it did.
//!
//! Nothing unwinds into the caller: a panic, which would be a bug of the layer, is reported and
//! answered as `CL_OUT_OF_HOST_MEMORY`.

mod commands;
mod find;
mod forward;
mod memory;
mod platforms;
mod programs;
mod queues;
mod sharing;
mod special;
