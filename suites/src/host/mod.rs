//! The one language of host programs: what a host process does with the OpenCL API.
//!
//! Whatever a family generates (programs of commands, kernel cases, API cases, litmus tests with commands)
//! it lowers to a [`HostProgram`]: slots that hold objects, fixtures that outlive a run, threads of typed
//! operations, callbacks. A [`Call`] names one of the API's functions ([`function`], one row each) with its
//! arguments ([`value`]), what it may return, the rules it is about, and, where it must be refused, the
//! sentence that refuses it. There are two back ends: the harness's executor, which plays a program on a
//! driver and gives back a [`Record`], and [`c`], which writes it as one C program.

pub mod answers;
mod build;
pub mod builder;
pub mod c;
pub mod check;
pub mod constant;
mod contents;
pub mod exchange;
mod freedom;
pub mod function;
mod ids;
mod lowered;
pub mod program;
mod range;
mod record;
pub mod scalar;
pub mod token;
pub mod value;

pub use build::{Build, EarlierBuild, Linking, OfBinary, OtherProgram, SpecializationValue};
pub use builder::{Builder, TIMES};
pub use check::Check;
pub use constant::Constant;
pub use contents::{Contents, Unit};
pub use freedom::Choice;
pub use function::{Class, Function, PROPERTIES};
pub(crate) use ids::ids;
pub use ids::{AnswerId, CallbackId, Mark, SignalId};
pub use lowered::Lowered;
pub use program::*;
pub use range::{FIELDS, Range, SUB_GROUP_FIELDS};
pub use record::{Fired, Kernels, NOT_MADE, Record, failed};
pub use token::{Token, Writer};
pub(crate) use value::values;
pub use value::{Layout, Place, Slot, Value};
