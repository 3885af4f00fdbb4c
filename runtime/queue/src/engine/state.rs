//! The six states of a command (`ex.state.order`), and abnormal termination.
//!
//! ```text
//! Queued ─▶ Submitted ─▶ Ready ─▶ Running ─▶ Ended ─▶ Complete
//!    │          │          │         │
//!    └──────────┴──────────┴─────────┴────────┴─▶ Failed(negative)
//! ```
//!
//! A command that has run stays Ended while commands that it enqueued itself, its children, are not complete, and
//! fails if one of them does.//!
//! A command without side effects goes from Ready straight to Ended
//! (`ex.state.empty-command`). A user event is Submitted until it is set.

/// Where a command is on its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Enqueued, not yet flushed.
    Queued,
    /// Flushed; waits for its prerequisites.
    Submitted,
    /// All prerequisites have ended; waits for a thread.
    Ready,
    /// A thread runs it.
    Running,
    /// It has run.
    Ended,
    /// Its event is complete.
    Complete,
    /// Abnormally terminated, with a negative status.
    Failed(i32),
}

impl State {
    /// A number that goes down from state to state; negative exactly for [`State::Failed`].
    pub const fn code(self) -> i32 {
        match self {
            Self::Queued => 5,
            Self::Submitted => 4,
            Self::Ready => 3,
            Self::Running => 2,
            Self::Ended => 1,
            Self::Complete => 0,
            // Zero and above would be no failure.
            Self::Failed(status) => {
                if status < 0 {
                    status
                } else {
                    -1
                }
            }
        }
    }

    /// The state of a [`State::code`].
    pub const fn of_code(code: i32) -> Self {
        match code {
            5.. => Self::Queued,
            4 => Self::Submitted,
            3 => Self::Ready,
            2 => Self::Running,
            1 => Self::Ended,
            0 => Self::Complete,
            status => Self::Failed(status),
        }
    }

    /// Whether it is the last: the event is complete in the sense of the specification.
    pub const fn is_final(self) -> bool {
        matches!(self, Self::Complete | Self::Failed(_))
    }

    /// The negative status of an abnormal end.
    pub const fn failure(self) -> Option<i32> {
        let code = self.code();
        if code < 0 { Some(code) } else { None }
    }

    /// Whether a command may go from here to another state. What has run to its end fails only with a child.
    pub const fn may_become(self, next: Self) -> bool {
        matches!(
            (self, next),
            (Self::Queued, Self::Submitted)
                | (Self::Submitted, Self::Ready | Self::Complete)
                | (Self::Ready, Self::Running | Self::Ended)
                | (Self::Running, Self::Ended)
                | (Self::Ended, Self::Complete)
                | (
                    Self::Queued | Self::Submitted | Self::Ready | Self::Running | Self::Ended,
                    Self::Failed(_)
                )
        )
    }

    /// Whether a notice asked for at `trigger` is due: the state is equal to it or past it.
    pub const fn has_reached(self, trigger: Trigger) -> bool {
        let at = match trigger {
            Trigger::Submitted => Self::Submitted,
            Trigger::Running => Self::Running,
            Trigger::Complete => Self::Complete,
        };
        self.code() <= at.code()
    }
}

/// A state that notices can be asked for at. Abnormal termination passes all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trigger {
    /// Submitted to the device.
    Submitted,
    /// Started.
    Running,
    /// Complete.
    Complete,
}

/// When a command passed its transitions, by the clock of [`super::Command::now`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Times {
    /// Enqueued.
    pub queued: u64,
    /// Submitted.
    pub submit: u64,
    /// Started.
    pub start: u64,
    /// Ended.
    pub end: u64,
    /// Complete.
    pub complete: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [State; 7] = [
        State::Queued,
        State::Submitted,
        State::Ready,
        State::Running,
        State::Ended,
        State::Complete,
        State::Failed(-5),
    ];

    #[test]
    fn codes_name_states_and_only_go_down() {
        for state in ALL {
            assert_eq!(State::of_code(state.code()), state);
            for next in ALL {
                assert!(!state.may_become(next) || next.code() < state.code());
            }
        }
    }

    #[test]
    fn every_state_is_reached_and_the_last_ones_are_left_for_none() {
        for state in ALL {
            let first = state == State::Queued;
            assert_eq!(!ALL.iter().any(|from| from.may_become(state)), first);
            assert_eq!(
                !ALL.iter().any(|&to| state.may_become(to)),
                state.is_final()
            );
        }
    }

    #[test]
    fn a_failure_is_negative_whatever_it_was_made_of() {
        assert_eq!(State::Failed(3).code(), -1);
        assert!(State::Failed(-14).has_reached(Trigger::Submitted));
    }
}
