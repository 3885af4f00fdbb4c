//! What must hold of a run's [`Record`]: checks as data, which the harness evaluates and the C program
//! makes with the same sentences.

mod bytes;
mod cells;
pub mod ids;
mod printed;
mod sub_groups;
#[cfg(test)]
mod tests;
mod within;

pub use bytes::{Contains, Ids, Permutation, Same, SubGroupAnswers, Want};
pub use cells::{Cell, Instead};
pub use printed::{MARK, Printed};
pub(in crate::host) use within::right_numbers;
pub use within::{Bounds, Wanted, Within};

use super::ids::{AnswerId, CallbackId, Mark};
use super::record::{Fired, NOT_MADE, Record};
use crate::rule::RuleId;
use classay_vocabulary::Violation;

/// Something that must hold of a run. What the run did not come to breaks nothing.
#[derive(Debug, Clone, PartialEq)]
pub struct Check {
    /// The rules of which one is broken where it does not hold, the likeliest first.
    pub rules: Vec<RuleId>,
    /// What is wrong then, in a sentence; `{}` stands for what was seen. Of bytes and cells, what they are
    /// called.
    pub says: String,
    /// It holds even where a side of an exchange timed out.
    pub even_so: bool,
    /// The statuses of commands all of which must have been complete in the end for it to be made: what did not
    /// run has no times.
    pub complete: Vec<AnswerId>,
    /// What must hold.
    pub that: That,
}

/// Which numbers are right.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Right {
    /// These.
    Among(Vec<i64>),
    /// These, and any negative one.
    AmongOrNegative(Vec<i64>),
    /// Any other.
    Not(i64),
    /// From the first to the second.
    Between(i64, i64),
}

impl Right {
    /// Whether a number is right.
    pub fn holds(&self, n: i64) -> bool {
        match self {
            Right::Among(all) => all.contains(&n),
            Right::AmongOrNegative(all) => n < 0 || all.contains(&n),
            Right::Not(wrong) => n != *wrong,
            Right::Between(least, most) => (*least..=*most).contains(&n),
        }
    }
}

/// A moment of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moment {
    /// A step began.
    Began(Mark),
    /// A step ended.
    Ended(Mark),
    /// A callback was called for the first time.
    Fired(CallbackId),
}

/// Nanoseconds that a command must have been held back before its times are compared with the host's.
pub const HELD_LONG: u64 = 200_000;

/// Nanoseconds by which the clocks of host and device may differ over a run.
pub const CLOCK_SLACK: u64 = 50_000_000;

/// What must hold of a run.
#[derive(Debug, Clone, PartialEq)]
pub enum That {
    /// What a call returned.
    Code(Mark, Right),
    /// An answer of up to eight bytes, as a signed number.
    Number(AnswerId, Right),
    /// An answer's bytes.
    Bytes(AnswerId, Want),
    /// The cells of an answer hold tokens.
    Cells(AnswerId, Vec<Cell>),
    /// How often callbacks were called, all together; where the step that registers them succeeded.
    Fired(Vec<CallbackId>, Option<Mark>, Right),
    /// The status that a callback was given first.
    FiredWith(CallbackId, Right),
    /// A callback was given what it was registered for.
    FiredRight(CallbackId),
    /// Callbacks were called in this order.
    FiredInOrder(Vec<CallbackId>),
    /// Of two moments that both came, the first came first.
    Before(Moment, Moment),
    /// Of two answers that are there, the first is not larger.
    NotAfter(AnswerId, AnswerId),
    /// Of two answers that are there, lists of numbers of eight bytes, the first has no number twice and none that the
    /// second lacks; zeros are room that is left.
    Contained(AnswerId, AnswerId),
    /// A command that the host held back from the end of one step until the beginning of the last of others
    /// started, by its times, at least half as long after it was queued, because clocks differ, or a step of the
    /// device's timer less.
    Held {
        /// CL_PROFILING_COMMAND_QUEUED.
        queued: AnswerId,
        /// CL_PROFILING_COMMAND_START.
        start: AnswerId,
        /// The step that enqueues it.
        since: Mark,
        /// Steps before which it cannot start.
        until: Vec<Mark>,
        /// CL_DEVICE_PROFILING_TIMER_RESOLUTION.
        resolution: AnswerId,
    },
    /// A command took, by its times, no longer than from the beginning of a step to the end of the run.
    Within {
        /// CL_PROFILING_COMMAND_QUEUED.
        queued: AnswerId,
        /// CL_PROFILING_COMMAND_END.
        end: AnswerId,
        /// The step that enqueues it.
        since: Mark,
    },
    /// Memory did not grow by more than so many bytes from each of these answers to the next.
    Growth(Vec<AnswerId>, i64),
    /// A program's kernels are those that were asked for.
    Kernels(Mark),
    /// No pointer or number led an exchange astray.
    Astray(Mark),
}

impl Check {
    /// A check that is not made where a side timed out.
    pub fn new(rules: Vec<RuleId>, says: impl Into<String>, that: That) -> Check {
        Check {
            rules,
            says: says.into(),
            even_so: false,
            complete: Vec::new(),
            that,
        }
    }

    /// It holds even where a side timed out.
    pub fn even_so(mut self, even_so: bool) -> Check {
        self.even_so |= even_so;
        self
    }

    fn violation(&self, what: String) -> Violation {
        Violation {
            rules: self.rules.clone(),
            what,
        }
    }

    /// The sentence with what was seen.
    fn sentence(&self, seen: impl std::fmt::Display) -> String {
        self.says.replacen("{}", &seen.to_string(), 1)
    }

    /// What a record breaks. `run` is the number that the run's tokens name.
    pub fn evaluate(&self, record: &Record, run: u32) -> Vec<Violation> {
        let answers = Answers(record);
        let of = |what: Option<String>| what.map(|w| self.violation(w)).into_iter().collect();
        let judged = |seen: Option<i64>, right: &Right| {
            let wrong = seen.filter(|seen| !right.holds(*seen));
            of(wrong.map(|seen| self.sentence(seen)))
        };
        let is_complete = |status: &AnswerId| answers.number(*status) == Some(0);
        if record.timed_out && !self.even_so || !self.complete.iter().all(is_complete) {
            return Vec::new();
        }
        match &self.that {
            That::Code(mark, right) => {
                let code = record.codes.get(mark).copied();
                let code = code.filter(|code| *code != NOT_MADE);
                judged(code.map(i64::from), right)
            }
            That::Number(answer, right) => judged(answers.number(*answer), right),
            That::Bytes(answer, want) => match record.answers.get(answer) {
                None => Vec::new(),
                Some(seen) => bytes::check(want, &self.says, seen, record)
                    .into_iter()
                    .map(|(own, what)| Violation {
                        rules: if own.is_empty() {
                            self.rules.clone()
                        } else {
                            own
                        },
                        what,
                    })
                    .collect(),
            },
            That::Cells(answer, cells) => match record.answers.get(answer) {
                None => Vec::new(),
                Some(seen) => cells
                    .iter()
                    .enumerate()
                    .filter_map(|(n, cell)| cell.check(n, cells.len(), seen, run))
                    .collect(),
            },
            That::Fired(callbacks, registered, right) => {
                let there = |mark: &Mark| record.codes.get(mark) == Some(&0);
                let seen = registered.as_ref().is_none_or(there);
                let times: usize = callbacks.iter().map(|c| record.times(*c)).sum();
                judged(seen.then_some(times as i64), right)
            }
            That::FiredWith(callback, right) => {
                let first = fired(record, &[*callback]).next();
                judged(first.map(|fired| i64::from(fired.status)), right)
            }
            That::FiredRight(callback) => {
                let wrong = fired(record, &[*callback]).any(|fired| !fired.right);
                of(wrong.then(|| self.says.clone()))
            }
            That::FiredInOrder(callbacks) => {
                let place = |fired: &Fired| callbacks.iter().position(|c| *c == fired.callback);
                let places: Vec<_> = fired(record, callbacks).filter_map(place).collect();
                of((!places.is_sorted()).then(|| self.says.clone()))
            }
            That::Before(first, then) => {
                let both = stamp(record, *first).zip(stamp(record, *then));
                let wrong = both.is_some_and(|(first, then)| first > then);
                of(wrong.then(|| self.says.clone()))
            }
            That::NotAfter(first, then) => {
                let both = answers.number(*first).zip(answers.number(*then));
                let wrong = both.is_some_and(|(first, then)| first > then);
                of(wrong.then(|| self.says.clone()))
            }
            That::Contained(one, other) => {
                let wrong = answers.list(*one).zip(answers.list(*other));
                let wrong = wrong.is_some_and(|(one, other)| {
                    let twice = |n: usize| one[..n].contains(&one[n]);
                    (0..one.len()).any(|n| twice(n) || !other.contains(&one[n]))
                });
                of(wrong.then(|| self.says.clone()))
            }
            That::Held {
                queued,
                start,
                since,
                until,
                resolution,
            } => {
                let wrong = answers.held([*queued, *start, *resolution], *since, until);
                of(wrong.then(|| self.says.clone()))
            }
            That::Within { queued, end, since } => {
                let wrong = answers.outside(*queued, *end, *since);
                of(wrong.then(|| self.says.clone()))
            }
            That::Growth(stretches, most) => {
                let numbers: Option<Vec<i64>> =
                    stretches.iter().map(|id| answers.number(*id)).collect();
                let grew = |all: &Vec<i64>| all.windows(2).all(|two| two[1] - two[0] > *most);
                of(numbers.filter(grew).map(|_| self.says.clone()))
            }
            That::Kernels(mark) => of(record.kernels.get(mark).and_then(bytes::kernels)),
            That::Astray(mark) => of(record.astray.get(mark).map(|what| self.sentence(what))),
        }
    }
}

fn fired<'r>(record: &'r Record, of: &[CallbackId]) -> impl Iterator<Item = &'r Fired> {
    let of = of.to_vec();
    let wanted = move |fired: &&Fired| of.contains(&fired.callback);
    record.fired.iter().filter(wanted)
}

fn stamp(record: &Record, moment: Moment) -> Option<u64> {
    match moment {
        Moment::Began(mark) => record.stamps.get(&mark).map(|stamps| stamps.0),
        Moment::Ended(mark) => record.stamps.get(&mark).map(|stamps| stamps.1),
        Moment::Fired(callback) => fired(record, &[callback]).next().map(|f| f.stamp),
    }
}

/// What a record answers, as numbers.
struct Answers<'r>(&'r Record);

impl Answers<'_> {
    /// A signed number of up to eight bytes.
    fn number(&self, id: AnswerId) -> Option<i64> {
        let bytes = self.0.answers.get(&id)?;
        Some(match *bytes.as_slice() {
            [a] => i64::from(a as i8),
            [a, b] => i64::from(i16::from_ne_bytes([a, b])),
            [a, b, c, d] => i64::from(i32::from_ne_bytes([a, b, c, d])),
            _ => i64::from_ne_bytes(*bytes.first_chunk()?),
        })
    }

    /// The numbers of eight bytes of a list, but for zeros.
    fn list(&self, id: AnswerId) -> Option<Vec<u64>> {
        let (all, _) = self.0.answers.get(&id)?.as_chunks::<8>();
        let all = all.iter().map(|bytes| u64::from_ne_bytes(*bytes));
        Some(all.filter(|number| *number != 0).collect())
    }

    /// A device's times between two questions.
    fn between(&self, first: AnswerId, then: AnswerId) -> Option<u64> {
        let times = self.number(first).zip(self.number(then))?;
        Some((times.1 as u64).saturating_sub(times.0 as u64))
    }

    fn held(&self, told: [AnswerId; 3], since: Mark, until: &[Mark]) -> bool {
        let [queued, start, resolution] = told;
        let clock = &self.0.clock;
        let Some((_, since)) = clock.get(&since) else {
            return false;
        };
        let began = until.iter().filter_map(|mark| clock.get(mark));
        let longest = began.map(|(began, _)| began.saturating_sub(*since)).max();
        let longest = longest.filter(|longest| *longest >= HELD_LONG);
        let step = self.number(resolution).unwrap_or_default() as u64;
        let both = self.between(queued, start).zip(longest);
        both.is_some_and(|(waited, longest)| waited.saturating_add(step) < longest / 2)
    }

    fn outside(&self, queued: AnswerId, end: AnswerId, since: Mark) -> bool {
        let begun = self.0.clock.get(&since).map(|clock| clock.0);
        let run = self.0.finished.zip(begun);
        let all = self.between(queued, end).zip(run);
        all.is_some_and(|(took, (finished, begun))| {
            took > 2 * finished.saturating_sub(begun) + CLOCK_SLACK
        })
    }
}
