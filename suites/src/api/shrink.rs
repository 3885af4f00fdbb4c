//! Makes an API case that fails small: with fewer calls, threads and rounds.

use super::{Case, Scenario};
use crate::family::Family;
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
        let text = case.write();
        Size {
            doings: doings(&case.scenario),
            length: text.len(),
            text,
        }
    }
}

/// How many things a scenario does.
fn doings(scenario: &Scenario) -> u64 {
    match scenario {
        Scenario::Refused { held, calls } => calls.len() as u64 + u64::from(*held),
        Scenario::Threads { threads, rounds } => {
            let acts: usize = threads.iter().map(|acts| 1 + acts.len()).sum();
            acts as u64 * u64::from(*rounds)
        }
        Scenario::Again { times, .. } => u64::from(*times),
        Scenario::Destructors {
            callbacks,
            sub_buffer,
        } => u64::from(*callbacks) + u64::from(*sub_buffer),
        Scenario::Context {
            operations,
            callbacks,
        } => operations.len() as u64 + u64::from(*callbacks),
        Scenario::SvmFree {
            allocations,
            times,
            queues,
        } => u64::from(*allocations) * u64::from(*times) * u64::from(*queues),
        Scenario::Last { given, .. } => given.len() as u64,
        Scenario::Programs(works) => works.len() as u64,
        Scenario::Listed(all) => all.len() as u64,
        Scenario::FailedEvent { .. }
        | Scenario::Described(_)
        | Scenario::BuiltIn
        | Scenario::BuiltInKernels(_)
        | Scenario::Legacy { .. } => 1,
    }
}

impl Candidate for Case {
    type Whole = Case;
    type Size = Size;

    fn size(&self) -> Size {
        Size::of(self)
    }

    fn text(&self) -> String {
        self.write()
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
        search.take_out(|case| units(&case.scenario), without);
        search.go_through(
            |case| plainer(&case.scenario),
            |case, scenario| {
                Some(Case {
                    scenario: scenario.clone(),
                    ..case.clone()
                })
            },
        );
    });
    search.done()
}

/// Something that a scenario can do without: the call of a list; or the operation of a
/// thread, or with none the thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unit {
    Call(usize),
    Operation(usize, usize),
    Thread(usize),
}

fn units(scenario: &Scenario) -> Vec<Unit> {
    if let Scenario::Refused { calls, .. } = scenario {
        (0..calls.len()).map(Unit::Call).collect()
    } else if let Scenario::Context { operations, .. } = scenario {
        (0..operations.len()).map(Unit::Call).collect()
    } else if let Scenario::Last { given, .. } = scenario {
        (0..given.len()).map(Unit::Call).collect()
    } else if let Scenario::Programs(works) = scenario {
        (0..works.len()).map(Unit::Call).collect()
    } else if let Scenario::Listed(all) = scenario {
        (0..all.len()).map(Unit::Call).collect()
    } else if let Scenario::Threads { threads, .. } = scenario {
        let acts =
            |(n, acts): (usize, &Vec<_>)| (0..acts.len()).map(move |act| Unit::Operation(n, act));
        let whole = (0..threads.len()).map(Unit::Thread);
        whole
            .chain(threads.iter().enumerate().flat_map(acts))
            .collect()
    } else {
        Vec::new()
    }
}

/// A case without these units; `None` where nothing would be left of it.
fn without(case: &Case, gone: &[Unit]) -> Option<Case> {
    let mut small = case.clone();
    let something = if let Scenario::Refused { calls, .. } = &mut small.scenario {
        *calls = kept(calls, |n| gone.contains(&Unit::Call(n)));
        !calls.is_empty()
    } else if let Scenario::Context { operations, .. } = &mut small.scenario {
        *operations = kept(operations, |n| gone.contains(&Unit::Call(n)));
        true
    } else if let Scenario::Last { given, .. } = &mut small.scenario {
        *given = kept(given, |n| gone.contains(&Unit::Call(n)));
        true
    } else if let Scenario::Programs(works) = &mut small.scenario {
        *works = kept(works, |n| gone.contains(&Unit::Call(n)));
        !works.is_empty()
    } else if let Scenario::Listed(all) = &mut small.scenario {
        *all = kept(all, |n| gone.contains(&Unit::Call(n)));
        !all.is_empty()
    } else if let Scenario::Threads { threads, .. } = &mut small.scenario {
        for (thread, acts) in threads.iter_mut().enumerate() {
            *acts = kept(acts, |act| gone.contains(&Unit::Operation(thread, act)));
        }
        let left = kept(threads, |n| gone.contains(&Unit::Thread(n)));
        *threads = left.into_iter().filter(|acts| !acts.is_empty()).collect();
        !threads.is_empty()
    } else {
        false
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

/// Scenarios that are a step plainer. How often a thing is done again is what its check needs.
fn plainer(scenario: &Scenario) -> Vec<Scenario> {
    let mut all = Vec::new();
    if let Scenario::Refused { held: true, calls } = scenario {
        all.push(Scenario::Refused {
            held: false,
            calls: calls.clone(),
        });
    } else if let Scenario::Threads { threads, rounds } = scenario {
        all.extend(less(*rounds).into_iter().map(|rounds| Scenario::Threads {
            threads: threads.clone(),
            rounds,
        }));
    } else if let Scenario::Destructors {
        callbacks,
        sub_buffer,
    } = *scenario
    {
        let scenario = |callbacks, sub_buffer| Scenario::Destructors {
            callbacks,
            sub_buffer,
        };
        all.extend(sub_buffer.then(|| scenario(callbacks, false)));
        let fewer = less(callbacks.into()).into_iter();
        all.extend(fewer.map(|n| scenario(n as u8, sub_buffer)));
    } else if let Scenario::Context {
        operations,
        callbacks,
    } = scenario
    {
        let fewer = less((*callbacks).into()).into_iter();
        all.extend(fewer.map(|n| Scenario::Context {
            operations: operations.clone(),
            callbacks: n as u8,
        }));
    } else if let Scenario::SvmFree {
        allocations,
        times,
        queues,
    } = *scenario
    {
        let scenario = |[allocations, times, queues]: [u16; 3]| Scenario::SvmFree {
            allocations: allocations as u8,
            times: times as u8,
            queues: queues as u8,
        };
        let own = [allocations, times, queues].map(u16::from);
        for which in 0..own.len() {
            all.extend(less(own[which]).into_iter().map(|n| {
                let mut fewer = own;
                fewer[which] = n;
                scenario(fewer)
            }));
        }
    }
    all
}

/// Smaller numbers, from 1.
fn less(n: u16) -> Vec<u16> {
    let mut all = vec![1, n / 2, n.saturating_sub(1)];
    all.retain(|m| (1..n).contains(m));
    all.dedup();
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::refused::Refused;
    use crate::api::{Kind, Operation, generate};
    use crate::shrink::Answer;

    fn shrunk(case: Case, fails: &dyn Fn(&Scenario) -> bool) -> Scenario {
        let done = shrink(
            case,
            &mut |case| match fails(&case.scenario) {
                true => Answer::Fails,
                false => Answer::Passes,
            },
            &mut |_, _| {},
        );
        assert!(done.minimal && fails(&done.found.scenario));
        done.found.scenario
    }

    #[test]
    fn one_call_of_many_is_left() {
        for seed in 0..10 {
            let case = generate("api/errors-held", seed).expect("the family");
            let Scenario::Refused { calls, .. } = case.scenario.clone() else {
                panic!("{case:?}");
            };
            let bad: Refused = calls[calls.len() / 2].clone();
            let fails = |scenario: &Scenario| match scenario {
                Scenario::Refused { calls, .. } => calls.contains(&bad),
                scenario => panic!("{scenario:?}"),
            };
            let only = Scenario::Refused {
                held: false,
                calls: vec![bad.clone()],
            };
            assert_eq!(shrunk(case, &fails), only);
        }
    }

    #[test]
    fn threads_that_matter_are_left() {
        let threads = vec![
            vec![Operation::Buffer, Operation::Retain, Operation::Fill],
            vec![Operation::Map],
            vec![Operation::Kernel, Operation::Callback],
        ];
        let case = Case {
            needs: Default::default(),
            kind: Kind::Api,
            scenario: Scenario::Threads { threads, rounds: 7 },
        };
        let fails = |scenario: &Scenario| match scenario {
            Scenario::Threads { threads, rounds } => {
                let has = |act| threads.iter().any(|acts| acts.contains(&act));
                has(Operation::Retain)
                    && has(Operation::Callback)
                    && threads.len() > 1
                    && *rounds > 2
            }
            scenario => panic!("{scenario:?}"),
        };
        let two = Scenario::Threads {
            threads: vec![vec![Operation::Retain], vec![Operation::Callback]],
            rounds: 3,
        };
        assert_eq!(shrunk(case, &fails), two);
    }
}
