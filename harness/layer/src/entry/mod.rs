//! The exported functions: one table in seven files, one macro in `forward`.
//!
//! A row of `entry_points!` is a function's signature and these facts: how its object, and with it
//! the function to call, is found (`by`), and whether the found one takes its place in the call
//! (`replaces`); through which parameter it reports its status, if not by
//! its value (`errcode`); for a command, where its queue, wait list and event are, and whether it
//! blocks (`command`); which fault can change some of its parameters (`alters`), and which can take
//! part in the call (`hook`). Everything else is the same for all of them:
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
