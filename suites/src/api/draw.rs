//! Draws API cases from a seed, one function a kind.

use super::refusal::{Misuse, Refusal};
use super::{Act, Case, Legacy, Story};
use crate::choices::Choices;
use classay_vocabulary::Need;
use std::collections::BTreeSet;

/// A family of API cases: `family`, `kind`, and how one is drawn.
pub type Family = (&'static str, &'static str, fn(&mut Choices) -> Case);

/// Every family.
pub const FAMILIES: &[Family] = &[
    ("api", "errors", errors),
    ("api", "errors-held", errors_held),
    ("queue", "failed-list", failed_list),
    ("queue", "failed-event", failed_event),
    ("api", "threads", threads),
    ("api", "again", again),
    ("api", "destructors", destructors),
    ("api", "context", context),
    ("svm", "free", svm_free),
    ("kernels", "builtin", built_in),
    ("sync", "legacy", legacy),
];

/// The case of a family, `family/kind`, that a seed draws; `None` where there is no such family.
pub fn draw(family: &str, seed: u64) -> Option<Case> {
    let (.., one) = FAMILIES
        .iter()
        .find(|(name, kind, _)| family == format!("{name}/{kind}"))?;
    Some(one(&mut Choices::new(seed)))
}

fn plain(story: Story) -> Case {
    Case {
        needs: BTreeSet::new(),
        story,
    }
}

/// Refusals in one case: about a third of those that need the same.
const CALLS: usize = 40;

/// Calls that must be refused: of those that every device refuses, or of those that need one more
/// thing.
fn refusals(choices: &mut Choices, held: bool) -> Case {
    let mut needs: Vec<Option<Need>> = Refusal::all().iter().map(|r| r.need()).collect();
    needs.sort();
    needs.dedup();
    // Half of the cases are for every device.
    let need = if choices.percent(50) {
        None
    } else {
        choices.pick(&needs).flatten()
    };
    let all: Vec<Refusal> = Refusal::all()
        .into_iter()
        .filter(|refusal| refusal.need() == need && !refusal.fails())
        // What needs a command that is held back.
        .filter(|refusal| held || *refusal != Refusal::Misuse(Misuse::TimesTooSoon))
        .collect();
    let calls = (0..CALLS).filter_map(|_| choices.pick(&all)).collect();
    // What came with OpenCL 2.1 is about SVM, too.
    let also = (need == Some(Need::Api21)).then_some(Need::SvmCoarse);
    Case {
        needs: need.into_iter().chain(also).collect(),
        story: Story::Refusals { held, calls },
    }
}

fn errors(choices: &mut Choices) -> Case {
    refusals(choices, false)
}

fn errors_held(choices: &mut Choices) -> Case {
    refusals(choices, true)
}

/// A blocking call whose list has failed, by itself: nothing is known of what comes after it.
fn failed_list(choices: &mut Choices) -> Case {
    let all: Vec<Refusal> = Refusal::all().into_iter().filter(|r| r.fails()).collect();
    plain(Story::Refusals {
        held: false,
        calls: choices.pick(&all).into_iter().collect(),
    })
}

/// A user event that fails, by itself: what fails with it is the business of other cases.
fn failed_event(choices: &mut Choices) -> Case {
    plain(Story::FailedEvent {
        code: -(choices.between(1, 9999) as i32),
    })
}

fn act(choices: &mut Choices) -> Act {
    choices.pick(&Act::ALL).unwrap_or(Act::Buffer)
}

fn threads(choices: &mut Choices) -> Case {
    let threads = (0..choices.between(2, 4))
        .map(|_| (0..choices.between(2, 5)).map(|_| act(choices)).collect());
    let threads = threads.collect();
    plain(Story::Threads {
        threads,
        rounds: choices.between(3, 8) as u16,
    })
}

fn again(choices: &mut Choices) -> Case {
    let act = act(choices);
    let times = match act {
        // What takes long.
        Act::Program | Act::Context => 20,
        Act::Queue | Act::Kernel | Act::Fill | Act::Map | Act::Callback | Act::Register => 300,
        Act::Buffer | Act::Part | Act::UserEvent | Act::Marker | Act::Retain | Act::Query => 1500,
    };
    plain(Story::Again { act, times })
}

fn destructors(choices: &mut Choices) -> Case {
    plain(Story::Destructors {
        callbacks: choices.between(1, 4) as u8,
        part: choices.percent(40),
    })
}

fn context(choices: &mut Choices) -> Case {
    let acts = (0..choices.between(0, 4)).map(|_| act(choices)).collect();
    Case {
        needs: [Need::Api30].into(),
        story: Story::Context { acts },
    }
}

fn svm_free(choices: &mut Choices) -> Case {
    Case {
        needs: [Need::SvmCoarse].into(),
        story: Story::SvmFree {
            allocations: choices.between(1, 5) as u8,
            times: choices.between(1, 3) as u8,
        },
    }
}

fn built_in(_: &mut Choices) -> Case {
    Case {
        needs: [Need::BuiltInKernels].into(),
        story: Story::BuiltIn,
    }
}

fn legacy(choices: &mut Choices) -> Case {
    let all = [Legacy::Marker, Legacy::Barrier, Legacy::WaitForEvents];
    Case {
        needs: [Need::OutOfOrderQueue].into(),
        story: Story::Legacy {
            call: choices.pick(&all).unwrap_or(Legacy::Marker),
        },
    }
}
