//! Touchstone's execution model: commands, events, queues, and the threads that run them.
//!
//! The crate knows nothing of OpenCL's objects or of what commands do. A runtime gives it a
//! type that is both a command and its event ([`Command`]), which it moves through the six
//! states of the specification ([`State`]).
//!
//! ```text
//!   enqueue ──▶ Queue: takes a place in its order (engine/order) and waits for its list
//!                 │ prerequisites: the order's, the list's, the flush
//!                 ▼ the last one ends
//!               Agenda of the thread that ended it ──▶ prompt ones: performed at once
//!                 │                              └───▶ one: that thread goes on with it
//!                 ▼
//!               Pool: a thread of its own, or one that waits for the command, claims it
//!                 │ performs
//!                 ▼
//!               finish ──▶ sleepers wake, notices go to the Lane, dependents and the queue
//!                          lose a prerequisite
//! ```
//!
//! | module of `engine` | subject |
//! | --- | --- |
//! | `state` | the states, which follows which, the times |
//! | `command` | one command: its state, what it waits for, what waits for it |
//! | `order` | in order, and out of order with markers and barriers |
//! | `queue` | taking in, flushing, finishing, helping |
//! | `agenda` | what a thread has made ready |
//! | `pool` | the threads |
//! | `choice` | which of the commands that are ready comes next |
//! | `lane` | notifying the application, on a thread of its own |
//!
//! # What it promises
//! - A command runs at most once, and not before all its prerequisites have ended: the events
//!   of its list; in an in-order queue the command before it; the last barrier before it; for
//!   a marker or barrier without a list, everything before it.
//! - One whose list has an event that ended abnormally does not run and ends with
//!   [`WAIT_LIST_FAILED`], after all its prerequisites have ended. An abnormal end in the
//!   queue before it does not stop a command: the order of a queue orders only.
//! - A command that enqueues others while it is performed ([`adopt`]) is their parent: it stays Ended until they are
//!   complete, and ends abnormally if it or one of them did, with the status that came first.
//! - Every command whose prerequisites end is run, whoever has released what: a pending
//!   command is held by its queue or by what it waits for.
//! - Queues are independent: the pool has a thread for each that has work.
//! - Notices are delivered once each, those of one event in the order of its states, on a thread
//!   that runs no commands. They may take as long as they like.
//!
//! # Who runs a command
//! A thread of the pool, or a thread that waits for it in [`wait`], [`Queue::finish`] or
//! [`Queue::enqueue_and_wait`]: that one runs what it waits for itself, when it is ready, and
//! in an in-order queue what comes before. It would be blocked until then anyway, so this
//! can delay nothing; it never runs a command that it does not wait for. With a [`Choice`] other than the eager
//! one, which uses freedoms that only tests want, threads that wait run nothing. A command that is
//! [`Role::prompt`] runs on the thread that ended its last prerequisite.
//!
//! # Why this cannot deadlock
//! - *Waiting is acyclic.* A command waits for commands and user events that were there when
//!   it was enqueued. What a program can do wrong, such as never setting a user event, stops
//!   what waits for that and nothing else.
//! - *Children.* A parent waits for its children, and a child for what was there when it was enqueued: for commands
//!   that its parent enqueued before, for user events, for an event that is set when the parent has been
//!   performed. It must not wait for the parent's completion; so its queue is none that the host enqueues to, where a
//!   barrier could stand between them.
//! - *Threads of the pool wait for work only*: what reaches them has no prerequisites left.
//! - *Locks.* There are four kinds: a command's, a queue's, the pool's, a lane's. The only one
//!   that is taken under another is a lane's, under a command's; a lane holds its lock for a
//!   few instructions, never while it notifies. No code of the runtime or the application, and
//!   no destructor of a command, runs under a lock.
//! - *No wake-up is lost.* Each condition has its lock, and what is waited for is changed under
//!   it: the last state of a command under the command's, the count of ended commands under
//!   the queue's, the list of ready commands under the pool's. A thread of the pool that looks
//!   for work without the lock is announced under it (`looking`), and looks once more under
//!   it before it sleeps; those who add work count on it only until then. Where a queue runs one command at a time,
//!   nobody looks without the lock, and a thread that sleeps although something is listed is woken when that queue
//!   has ended the one that it had (`Pool::give_back`): marked and unmarked under the pool's lock as well.
//!
//! # Happens-before
//! Written A → B where A happens before B.
//! - *Enqueue → command* (`sp.enqueue`): the enqueuing thread takes one off the count of
//!   prerequisites with release; the thread that takes the last one off does so with acquire,
//!   and read-modify-writes of one count form a release sequence, so it sees them all. It
//!   stores Ready with release; whoever claims the command has loaded that with acquire, or
//!   got it through the pool's lock. Claiming is done under the command's lock, so one thread
//!   runs it.
//! - *Command → its event* (`sp.completion-event`): the thread that ran it stores the last
//!   state with release, under the command's lock, after the command's last write.
//! - *Event → who waits* (`sp.host-wait`, `sp.blocking`): a waiter has loaded the last state
//!   with acquire. *Queue → who finishes it* (`sp.finish`): it has loaded the count of ended
//!   commands with acquire; each was added under the queue's lock after its command's end.
//! - *Event → dependents* (`sp.event-wait`, `sp.user-event`), *command → the next*
//!   (`sp.in-order`), *everything → marker, barrier → everything* (`sp.marker`, `sp.barrier`):
//!   each such prerequisite is taken off the dependent's count by the thread that ended it,
//!   after the end, with acquire-release; then as above. One that had ended before it was
//!   registered was seen to under its lock.
//! - *Parent → child* (`sp.enqueue`): an enqueue by a command that is performed is an enqueue. A child that waits for the
//!   end of its parent, or of a part of it (`sp.device-wait-kernel`, `sp.device-wait-work-group`), waits for a user
//!   event that is set after that: *event → dependents*.
//! - *Child → parent's event* (`ex.state.complete-children`): whoever ends a child takes it off the parent's
//!   count of unfinished ones with acquire-release, after the child's last state; the thread that takes the last one off
//!   has acquired all of them, and finishes the parent. A thread that finds that its command has no child left loads the
//!   count with acquire. Statuses of failures are written before that, and read after it.
//! - *Event → notice* (`sp.callback`): the notice is posted under the command's lock after
//!   the state was stored, and the lane's lock hands it over.
//! - These compose (`sp.transitive`), as happens-before is transitive.
//!
//! # How it is tested
//! `tests/model` compiles the engine over shuttle's primitives and plays generated programs
//! of several host threads, and of notices that do what host threads do, under schedules that
//! shuttle controls; see there. Shuttle's atomics are sequentially consistent: it explores
//! interleavings, not weak memory. For that there are the argument above and a race detector,
//! and little to argue about: all is under locks but eight atomics. Four of them order others,
//! and are written with release and read with acquire: the state, the count of prerequisites,
//! the count of unfinished children, the count of ended commands. The rest is ordered by these or by a lock: whether
//! a listed event failed and the number in the queue are written before the last prerequisite is taken off, the
//! status of a failed child before the child is; the length of the pool's list is a hint. `tests/threads` has commands, hosts and notices share plain
//! memory that only these edges order; under the detector (`ci/tsan.sh`) it is silent, and it
//! reports each but the count of children when either side of it is weakened; that one has not been tried.
#![warn(clippy::missing_errors_doc)]

pub mod engine;
pub mod sync;

pub use engine::*;
