//! Device-side enqueue: kernels that kernels enqueue.
//!
//! ```text
//!   clEnqueueNDRangeKernel ─▶ command ── its action ──▶ exec::Pool runs the launch, with a Parent that
//!                                                        answers what the kernel asks of device queues
//!                                                          │ enqueue_kernel
//!                                       Parent::enqueue ◀──┘
//!                                          │ a command of the device queue, adopted by the parent's
//!                                          ▼
//!                                       command ── its action ──▶ exec::Pool, with a Parent of its own …
//! ```
//!
//! [`parent`] is one kernel-instance as its children see it; [`family`] what the kernel that the host enqueued and
//! all that descend from it have in common: the events that they know by numbers, and the memory; [`activity`]
//! finds out that all that is left of a family waits for what nobody can do any more.
//!
//! A device queue is a queue of the engine (`touchstone_queue`) like that of the host, and children are commands like
//! others: what orders them, runs them and makes their parents complete is there.
//!
//! # When children begin
//! A child waits for the events of its list and for a *gate*: none with `CLK_ENQUEUE_FLAGS_NO_WAIT`, with
//! `CLK_ENQUEUE_FLAGS_WAIT_WORK_GROUP` one that opens when its work-group has ended, with
//! `CLK_ENQUEUE_FLAGS_WAIT_KERNEL` one that opens when the parent has. Gates are user events of the engine. Those of a parent
//! that fails never open: they fail, and what waits behind them does not run.
//!
//! # Happens-before
//! Written A → B where A happens before B; the engine's edges are those of its own text.
//! - *Enqueue → child* (`sp.enqueue`): the thread that runs the work-item takes the captures out of memory and makes the
//!   command, then enqueues it; the engine orders the enqueue before the command.
//! - *Work-group → child* (`sp.device-wait-work-group`): one thread runs all work-items of a group, and opens the
//!   group's gate after the last has ended; the engine orders the setting of a user event before what waits for it.
//! - *Parent → child* (`sp.device-wait-kernel`): the threads of all work-groups hand them over to the one that runs the
//!   command (`touchstone_exec`, *Before and after*), which opens the parent's gate after that.
//! - *Child → parent's event* (`ex.state.complete-children`), *child → what waits for its event*: by the engine.
//! - The table of events is locked. An event's number reaches another kernel through memory, by which the program
//!   orders them.
//!
//! # What is limited
//! A command takes room in its queue until it is complete, so that kernels that enqueue each other without end meet
//! `CLK_DEVICE_QUEUE_FULL` instead of the end of memory. Events that have not been released are limited, too.

pub mod activity;
pub mod family;
pub mod parent;

pub use activity::Activity;
pub use family::Family;
pub use parent::Parent;
