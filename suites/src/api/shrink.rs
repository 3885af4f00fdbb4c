//! Makes an API case that fails small: with fewer calls, threads and rounds.

use super::{Case, Story, write};
use crate::shrink::{Candidate, Judge, Search, Shrunk, Told};

/// The size of a case: how much it does, and its text.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Size {
    doings: u64,
    length: usize,
    text: String,
}

impl Size {
    /// The size of a case.
    pub fn of(case: &Case) -> Size {
        let text = write(case);
        Size {
            doings: doings(&case.story),
            length: text.len(),
            text,
        }
    }
}

/// How many things a story does.
fn doings(story: &Story) -> u64 {
    match story {
        Story::Refusals { held, calls } => calls.len() as u64 + u64::from(*held),
        Story::Threads { threads, rounds } => {
            let acts: usize = threads.iter().map(|acts| 1 + acts.len()).sum();
            acts as u64 * u64::from(*rounds)
        }
        Story::Again { times, .. } => u64::from(*times),
        Story::Destructors { callbacks, part } => u64::from(*callbacks) + u64::from(*part),
        Story::Context { acts } => acts.len() as u64,
        Story::SvmFree { allocations, times } => u64::from(*allocations) * u64::from(*times),
        Story::FailedEvent { .. } | Story::BuiltIn | Story::Legacy { .. } => 1,
    }
}

impl Candidate for Case {
    type Whole = Case;
    type Size = Size;

    fn size(&self) -> Size {
        Size::of(self)
    }

    fn text(&self) -> String {
        write(self)
    }

    fn whole(self) -> Option<Case> {
        Some(self)
    }
}

/// Shrinks a case that fails. `told` hears of each case that is kept.
pub fn shrink(case: Case, judge: Judge<'_, Case>, told: Told<'_, Case>) -> Shrunk<Case> {
    let size = Size::of(&case);
    let mut search: Search<'_, Case> = Search::new(case, size, judge, told);
    search.rounds(|search| {
        search.take_out(|case| units(&case.story), without);
        search.go_through(
            |case| plainer(&case.story),
            |case, story| {
                Some(Case {
                    story: story.clone(),
                    ..case.clone()
                })
            },
        );
    });
    search.done()
}

/// Something that a story can do without: the call of a list; or the act of a thread, or with no act the
/// thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unit {
    Call(usize),
    Act(usize, usize),
    Thread(usize),
}

fn units(story: &Story) -> Vec<Unit> {
    match story {
        Story::Refusals { calls, .. } => (0..calls.len()).map(Unit::Call).collect(),
        Story::Context { acts } => (0..acts.len()).map(Unit::Call).collect(),
        Story::Threads { threads, .. } => {
            let acts =
                |(n, acts): (usize, &Vec<_>)| (0..acts.len()).map(move |act| Unit::Act(n, act));
            let whole = (0..threads.len()).map(Unit::Thread);
            whole
                .chain(threads.iter().enumerate().flat_map(acts))
                .collect()
        }
        Story::Again { .. }
        | Story::Destructors { .. }
        | Story::SvmFree { .. }
        | Story::FailedEvent { .. }
        | Story::BuiltIn
        | Story::Legacy { .. } => Vec::new(),
    }
}

/// A case without these units; `None` where nothing would be left of it.
fn without(case: &Case, gone: &[Unit]) -> Option<Case> {
    let mut small = case.clone();
    let something = match &mut small.story {
        Story::Refusals { calls, .. } => {
            *calls = kept(calls, |n| gone.contains(&Unit::Call(n)));
            !calls.is_empty()
        }
        Story::Context { acts } => {
            *acts = kept(acts, |n| gone.contains(&Unit::Call(n)));
            true
        }
        Story::Threads { threads, .. } => {
            for (thread, acts) in threads.iter_mut().enumerate() {
                *acts = kept(acts, |act| gone.contains(&Unit::Act(thread, act)));
            }
            let left = kept(threads, |n| gone.contains(&Unit::Thread(n)));
            *threads = left.into_iter().filter(|acts| !acts.is_empty()).collect();
            !threads.is_empty()
        }
        Story::Again { .. }
        | Story::Destructors { .. }
        | Story::SvmFree { .. }
        | Story::FailedEvent { .. }
        | Story::BuiltIn
        | Story::Legacy { .. } => false,
    };
    something.then_some(small)
}

/// A list without those of these numbers.
fn kept<T: Clone>(list: &[T], gone: impl Fn(usize) -> bool) -> Vec<T> {
    let all = list.iter().enumerate();
    all.filter(|(n, _)| !gone(*n))
        .map(|(_, one)| one.clone())
        .collect()
}

/// Stories that are a step plainer.
fn plainer(story: &Story) -> Vec<Story> {
    match story {
        Story::Refusals { held: true, calls } => vec![Story::Refusals {
            held: false,
            calls: calls.clone(),
        }],
        Story::Threads { threads, rounds } => less(u32::from(*rounds))
            .into_iter()
            .map(|rounds| Story::Threads {
                threads: threads.clone(),
                rounds: rounds as u16,
            })
            .collect(),
        Story::Destructors { callbacks, part } => {
            let fewer = less(u32::from(*callbacks))
                .into_iter()
                .map(|n| Story::Destructors {
                    callbacks: n as u8,
                    part: *part,
                });
            let whole = part.then_some(Story::Destructors {
                callbacks: *callbacks,
                part: false,
            });
            whole.into_iter().chain(fewer).collect()
        }
        Story::SvmFree { allocations, times } => {
            let one = less(u32::from(*allocations))
                .into_iter()
                .map(|n| Story::SvmFree {
                    allocations: n as u8,
                    times: *times,
                });
            let other = less(u32::from(*times)).into_iter().map(|n| Story::SvmFree {
                allocations: *allocations,
                times: n as u8,
            });
            one.chain(other).collect()
        }
        // How often a thing is done again is what its check needs.
        Story::Refusals { held: false, .. }
        | Story::Again { .. }
        | Story::Context { .. }
        | Story::FailedEvent { .. }
        | Story::BuiltIn
        | Story::Legacy { .. } => Vec::new(),
    }
}

/// Smaller numbers, from 1.
fn less(n: u32) -> Vec<u32> {
    let mut all = vec![1, n / 2, n.saturating_sub(1)];
    all.retain(|m| (1..n).contains(m));
    all.dedup();
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::refusal::Refusal;
    use crate::api::{Act, draw};
    use crate::shrink::Answer;

    fn shrunk(case: Case, fails: &dyn Fn(&Story) -> bool) -> Story {
        let done = shrink(
            case,
            &mut |case| match fails(&case.story) {
                true => Answer::Fails,
                false => Answer::Passes,
            },
            &mut |_, _| {},
        );
        assert!(done.minimal && fails(&done.found.story));
        done.found.story
    }

    #[test]
    fn one_call_of_many_is_left() {
        for seed in 0..10 {
            let case = draw("api/errors-held", seed).expect("the family");
            let Story::Refusals { calls, .. } = case.story.clone() else {
                panic!("{case:?}");
            };
            let bad: Refusal = calls[calls.len() / 2];
            let fails = |story: &Story| match story {
                Story::Refusals { calls, .. } => calls.contains(&bad),
                story => panic!("{story:?}"),
            };
            let only = Story::Refusals {
                held: false,
                calls: vec![bad],
            };
            assert_eq!(shrunk(case, &fails), only);
        }
    }

    #[test]
    fn threads_that_matter_are_left() {
        let threads = vec![
            vec![Act::Buffer, Act::Retain, Act::Fill],
            vec![Act::Map],
            vec![Act::Kernel, Act::Callback],
        ];
        let case = Case {
            needs: Default::default(),
            story: Story::Threads { threads, rounds: 7 },
        };
        let fails = |story: &Story| match story {
            Story::Threads { threads, rounds } => {
                let has = |act| threads.iter().any(|acts| acts.contains(&act));
                has(Act::Retain) && has(Act::Callback) && threads.len() > 1 && *rounds > 2
            }
            story => panic!("{story:?}"),
        };
        let two = Story::Threads {
            threads: vec![vec![Act::Retain], vec![Act::Callback]],
            rounds: 3,
        };
        assert_eq!(shrunk(case, &fails), two);
    }
}
