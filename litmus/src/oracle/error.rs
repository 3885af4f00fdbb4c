//! Why a program cannot be judged.

use crate::program::{Api, CommandError};
use std::sync::Arc;
use thiserror::Error;

/// Why a program cannot be judged.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Error {
    /// A thread has too many paths.
    #[error("P{thread} can run in more than {limit} ways; the oracle does not enumerate more")]
    Paths {
        /// The thread.
        thread: u32,
        /// The limit.
        limit: usize,
    },
    /// The threads' paths combine in too many ways.
    #[error(
        "the threads can run in more than {limit} ways together; the oracle does not enumerate more"
    )]
    Combinations {
        /// The limit.
        limit: u64,
    },
    /// An execution has too many events.
    #[error("an execution has more than {limit} events; the oracle does not judge longer ones")]
    Events {
        /// The limit.
        limit: usize,
    },
    /// Its commands make no sense together.
    #[error("{0}")]
    Commands(#[from] CommandError),
    /// The model is one of another API.
    #[error(
        "the test is written for {program}, of which the model {model} says nothing; ask {other}"
    )]
    OtherApi {
        /// The API of the program.
        program: Api,
        /// The model's name.
        model: Arc<str>,
        /// A model of that API.
        other: &'static str,
    },
    /// There are too many outcomes.
    #[error("the program has more than {limit} outcomes; the oracle does not keep more")]
    States {
        /// The limit.
        limit: usize,
    },
    /// The [`Deadline`](super::Deadline) is over.
    #[error("it takes longer than the time given")]
    Late,
    /// It was stopped from elsewhere.
    #[error("it was stopped")]
    Stopped,
}
