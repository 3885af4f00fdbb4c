//! The machine itself. See the crate's text for the whole.

mod agenda;
mod choice;
mod command;
mod lane;
mod order;
mod pool;
mod queue;
mod state;

pub use choice::{Choice, draw};
pub use command::{Command, Core, WAIT_LIST_FAILED, adopt, ask, set, wait};
pub use lane::Lane;
pub use order::Role;
pub use pool::Pool;
pub use queue::{Queue, Submission};
pub use state::{State, Times, Trigger};
