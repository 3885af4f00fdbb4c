//! Generates API cases from a seed, one function a kind.

use super::fixture;
use super::listed::{self, Listed};
use super::made;
use super::refused::{self, Refused};
use super::{Case, Given, Kind, Legacy, Operation, Scenario, Trigger, Work};
use crate::choices::Choices;
use crate::host::answers::Described;
use classay_vocabulary::Need;

/// A family of API cases: `family`, `kind`, and how one is generated.
pub type Family = (&'static str, &'static str, fn(&mut Choices) -> Case);

/// Every family.
pub const FAMILIES: &[Family] = &[
    ("api", "errors", errors),
    ("api", "errors-held", errors_held),
    ("api", "errors-objects", errors_objects),
    ("queue", "failed-list", failed_list),
    ("queue", "failed-event", failed_event),
    ("api", "threads", threads),
    ("api", "again", again),
    ("api", "destructors", destructors),
    ("api", "context", context),
    ("api", "last", last),
    ("api", "programs", programs),
    ("api", "lists", lists),
    ("api", "objects", objects),
    ("api", "parts", parts),
    ("api", "device", device),
    ("image", "formats", formats),
    ("svm", "free", svm_free),
    ("kernels", "builtin", built_in),
    ("sync", "legacy", legacy),
];

/// The case of a family, `family/kind`, that a seed generates; `None` where there is no such family.
pub fn generate(family: &str, seed: u64) -> Option<Case> {
    let (.., one) = FAMILIES
        .iter()
        .find(|(name, kind, _)| family == format!("{name}/{kind}"))?;
    Some(one(&mut Choices::new(seed)))
}

fn plain(scenario: Scenario) -> Case {
    needing([], scenario)
}

fn needing(needs: impl IntoIterator<Item = Need>, scenario: Scenario) -> Case {
    Case {
        kind: Kind::Api,
        needs: needs.into_iter().collect(),
        scenario,
    }
}

/// Calls of one case with NULL or an object of another type for an object, or with an event that has failed: they may
/// end the process or the context, so that they share a case with few others.
const STRANGE: usize = 24;

/// Calls that must be refused, in random order: all that may end nothing, or some of the others. What a device lacks
/// is left out where the case is played.
fn refused(choices: &mut Choices, held: bool, strange: bool) -> Case {
    let when = |row: &Refused| if held { !row.releases() } else { !row.holds() };
    let ends = |row: &Refused| row.is_strange() || row.has_failed();
    let fits = |row: &&Refused| ends(row) == strange && !row.fails() && when(row);
    let mut left: Vec<&Refused> = refused::all().iter().filter(fits).collect();
    let count = if strange { STRANGE } else { left.len() };
    let mut calls = Vec::new();
    while calls.len() < count && !left.is_empty() {
        calls.push(left.swap_remove(choices.below(left.len())).clone());
    }
    // Those that need the same few programs follow each other: they take long to be made, and are made anew behind a
    // call that ends the process.
    calls.sort_by_cached_key(|row| fixture::programs(row.call.objects()));
    plain(Scenario::Refused { held, calls })
}

fn errors(choices: &mut Choices) -> Case {
    refused(choices, false, false)
}

fn errors_held(choices: &mut Choices) -> Case {
    refused(choices, true, false)
}

fn errors_objects(choices: &mut Choices) -> Case {
    let held = choices.percent(35);
    refused(choices, held, true)
}

/// A blocking call whose list has failed, by itself: nothing is known of what comes after it.
fn failed_list(choices: &mut Choices) -> Case {
    let all: Vec<&Refused> = refused::all().iter().filter(|row| row.fails()).collect();
    let calls: Vec<Refused> = choices.pick(&all).into_iter().cloned().collect();
    plain(Scenario::Refused { held: false, calls })
}

/// A user event that fails, by itself: what fails with it is the business of other cases.
fn failed_event(choices: &mut Choices) -> Case {
    plain(Scenario::FailedEvent {
        code: -(choices.between(1, 9999) as i32),
    })
}

/// Operations, of which some may need what not every device has.
fn operations(choices: &mut Choices) -> Vec<Operation> {
    let all = choices.percent(40);
    let mut operations = Operation::ALL.to_vec();
    operations.retain(|one| all || one.needs().is_empty());
    operations
}

/// A case of operations, which needs what they need.
fn of_operations(scenario: Scenario, needs: &[Need], operations: &[Operation]) -> Case {
    let own = operations.iter().flat_map(|one| one.needs());
    needing(own.chain(needs).copied(), scenario)
}

fn threads(choices: &mut Choices) -> Case {
    let all = operations(choices);
    let threads = (0..choices.between(2, 4)).map(|_| {
        (0..choices.between(2, 5))
            .map(|_| choices.pick(&all).unwrap_or(Operation::Buffer))
            .collect()
    });
    let threads: Vec<Vec<Operation>> = threads.collect();
    let used = threads.concat();
    let rounds = choices.between(3, 8) as u16;
    of_operations(Scenario::Threads { threads, rounds }, &[], &used)
}

fn again(choices: &mut Choices) -> Case {
    let all = operations(choices);
    let operation = choices.pick(&all).unwrap_or(Operation::Buffer);
    let times = match operation {
        // What takes long.
        Operation::Program | Operation::Context | Operation::Linked => 20,
        Operation::Queue
        | Operation::Kernel
        | Operation::Fill
        | Operation::Map
        | Operation::Callback
        | Operation::Image
        | Operation::SharedMemory
        | Operation::Clone
        | Operation::Register => 300,
        Operation::Buffer
        | Operation::SubBuffer
        | Operation::UserEvent
        | Operation::Marker
        | Operation::Retain
        | Operation::Sampler
        | Operation::Query => 1500,
    };
    of_operations(Scenario::Again { operation, times }, &[], &[operation])
}

fn destructors(choices: &mut Choices) -> Case {
    plain(Scenario::Destructors {
        callbacks: choices.between(1, 4) as u8,
        sub_buffer: choices.percent(40),
    })
}

fn context(choices: &mut Choices) -> Case {
    let all = operations(choices);
    let used: Vec<Operation> = (0..choices.between(0, 4))
        .map(|_| choices.pick(&all).unwrap_or(Operation::Buffer))
        .collect();
    let callbacks = choices.between(1, 4) as u8;
    let scenario = Scenario::Context {
        operations: used.clone(),
        callbacks,
    };
    of_operations(scenario, &[Need::Api30], &used)
}

/// What is given up in the callback of each trigger, and how: one object alone as often as several.
fn last(choices: &mut Choices) -> Case {
    let trigger = choices.pick(&Trigger::ALL).unwrap_or(Trigger::Event);
    let most = if choices.percent(40) {
        1
    } else {
        Given::ALL.len() - 1
    };
    let mut left = Given::ALL.to_vec();
    // The call that sets a user event has not returned when its callback comes, and uses it.
    left.retain(|one| (trigger, *one) != (Trigger::UserEvent, Given::UserEvent));
    let mut given = Vec::new();
    for _ in 0..choices.between(1, most) {
        given.push(left.swap_remove(choices.below(left.len())));
    }
    plain(Scenario::Last { trigger, given })
}

fn programs(choices: &mut Choices) -> Case {
    let works =
        (0..choices.between(8, 14)).map(|_| choices.pick(&Work::ALL).unwrap_or(Work::Create));
    plain(Scenario::Programs(works.collect()))
}

fn lists(choices: &mut Choices) -> Case {
    let mut all: Vec<Listed> = (0..choices.between(5, 9))
        .map(|_| listed::other(choices))
        .collect();
    // Buffers and parts have many pairs of flags, and no kernel is compiled for them.
    all.extend((0..3).map(|_| listed::sub_buffer(choices)));
    all.sort_by_key(|one| match one {
        Listed::Made(made) => made.fails_oftener(),
        _ => 0,
    });
    of_lists(all)
}

/// Objects of every kind that is made without a compiler.
fn objects(choices: &mut Choices) -> Case {
    let all = made::some_of_each(choices);
    of_lists(all.into_iter().map(Listed::Made).collect())
}

/// Sub-devices, which are in no other case: an implementation that breaks what is used after them does so here alone.
fn parts(choices: &mut Choices) -> Case {
    let all = (0..choices.between(1, 3)).map(|_| listed::sub_devices(choices));
    of_lists(all.collect())
}

/// It is the same for every seed: what a device says of itself does not change.
fn device(_: &mut Choices) -> Case {
    plain(Scenario::Described(Described::default()))
}

fn formats(choices: &mut Choices) -> Case {
    let all = (0..choices.between(2, 4)).map(|_| listed::formats(choices));
    of_lists(all.collect())
}

fn of_lists(all: Vec<Listed>) -> Case {
    plain(Scenario::Listed(all))
}

fn svm_free(choices: &mut Choices) -> Case {
    let scenario = Scenario::SvmFree {
        allocations: choices.between(1, 5) as u8,
        times: choices.between(1, 3) as u8,
        queues: choices.between(1, 3) as u8,
    };
    needing([Need::SvmCoarse], scenario)
}

fn built_in(_: &mut Choices) -> Case {
    needing([Need::BuiltInKernels], Scenario::BuiltIn)
}

fn legacy(choices: &mut Choices) -> Case {
    let all = [Legacy::Marker, Legacy::Barrier, Legacy::WaitForEvents];
    let scenario = Scenario::Legacy {
        call: choices.pick(&all).unwrap_or(Legacy::Marker),
    };
    needing([Need::OutOfOrderQueue], scenario)
}
