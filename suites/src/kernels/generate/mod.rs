//! Generates kernel cases from a seed: one function for each family. What they share is in [`builder`].

mod assembled;
mod atomics;
mod builder;
mod computed;
mod conversions;
mod copies;
mod enqueue;
mod exchange;
mod functions;
mod group;
mod halves;
mod images;
mod instructions;
mod joined;
mod language;
mod loops;
mod macros;
mod math;
mod modules;
mod ndrange;
mod phases;
mod pieces;
mod pipes;
mod pointers;
mod printf;
mod random;
mod recorded;
mod regions;
mod rewrite;
mod source;
mod streams;
mod subgroups;
mod svm;
mod transfer;
mod translated;
mod updated;
mod variables;
mod vectors;

pub(crate) use modules::specializable;

use super::case::{Drawn, KernelCase};
use crate::choices::Choices;

/// A family of kernel cases: `family`, `kind`, and how one is drawn.
pub type Family = (&'static str, &'static str, fn(&mut Choices) -> KernelCase);

/// Every family.
pub const FAMILIES: &[Family] = &[
    ("ndrange", "ids", ndrange::ids),
    ("ndrange", "large", ndrange::large),
    ("ndrange", "errors", ndrange::errors),
    ("ndrange", "loops", loops::loops),
    ("ndrange", "groups", ndrange::groups),
    ("group", "barrier", group::barrier),
    ("group", "local", group::local),
    ("group", "private", group::private),
    ("group", "functions", |c| {
        joined::several(c, functions::work_group)
    }),
    ("group", "copies", |c| {
        joined::several(c, copies::asynchronous)
    }),
    ("subgroup", "collective", |c| {
        joined::several(c, subgroups::collective)
    }),
    ("subgroup", "exchange", subgroups::exchange),
    ("subgroup", "map", subgroups::map),
    ("subgroup", "one", |c| joined::several(c, subgroups::one)),
    ("subgroup", "progress", subgroups::progress),
    ("atomics", "crowd", atomics::crowd),
    ("atomics", "store", atomics::store),
    ("atomics", "init", atomics::init),
    ("atomics", "values", atomics::values),
    ("memory", "disjoint", regions::disjoint),
    ("memory", "program-scope", regions::program_scope),
    ("memory", "generic", regions::generic),
    ("memory", "arguments", regions::arguments),
    ("kernels", "pointers", |c| {
        joined::several(c, pointers::pointers)
    }),
    ("memory", "halves", halves::halves),
    ("memory", "vectors", |c| {
        joined::several(c, vectors::vectors)
    }),
    ("kernels", "source", source::again),
    ("kernels", "macros", macros::macros),
    ("kernels", "language", language::language),
    ("kernels", "computed", computed::computed),
    ("kernels", "functions", computed::functions),
    ("kernels", "streams", streams::streams),
    ("kernels", "phases", phases::phases),
    ("kernels", "random", random::random),
    ("kernels", "printf", printf::printf),
    ("kernels", "conversions", |c| {
        let case = conversions::conversions(c);
        joined::often(c, case)
    }),
    ("kernels", "math", |c| {
        let case = math::math(c);
        joined::often(c, case)
    }),
    ("svm", "structures", svm::structures),
    ("svm", "places", svm::places),
    ("svm", "bytes", exchange::beside::bytes),
    ("svm", "turns", exchange::turns::turns),
    ("svm", "crowd", exchange::crowd::crowd),
    ("svm", "lock", exchange::lock::lock),
    ("svm", "stack", exchange::stack::stack),
    ("svm", "seen", exchange::seen::seen),
    ("svm", "pairs", exchange::pairs::pairs),
    ("queue", "recorded", recorded::recorded),
    ("queue", "updated", updated::updated),
    ("transfer", "buffer", transfer::buffer),
    ("transfer", "rect", transfer::rect),
    ("transfer", "map", transfer::map),
    ("transfer", "errors", transfer::errors),
    ("transfer", "svm", transfer::svm),
    ("image", "transfer", |c| {
        joined::several(c, images::transfer)
    }),
    ("image", "read", images::read),
    ("image", "write", images::write),
    ("image", "fence", images::fence),
    ("pipe", "order", pipes::order),
    ("pipe", "again", pipes::again),
    ("pipe", "limits", pipes::limits),
    ("pipe", "crowd", pipes::crowd),
    ("pipe", "reserve", pipes::reserve),
    ("pipe", "reserve-again", pipes::reserve_again),
    ("pipe", "sub-group", pipes::sub_group_reserve),
    ("pipe", "held", pipes::held),
    ("program", "il", modules::il),
    ("program", "instructions", instructions::instructions),
    ("program", "built-in", modules::built_in),
    ("program", "again", modules::again),
    ("il", "computed", translated::computed),
    ("il", "functions", translated::functions),
    ("il", "random", translated::random),
    ("il", "conversions", translated::conversions),
    ("il", "math", translated::math),
    ("il", "groups", translated::groups),
    ("il", "atomics", translated::atomics),
    ("enqueue", "blocks", language::blocks),
    ("enqueue", "tree", enqueue::tree),
    ("enqueue", "talk", enqueue::talk),
    ("enqueue", "failure", enqueue::failure),
    ("enqueue", "ready", enqueue::ready),
];

/// So many cases of a kind (`family/kind`) a run plays where it plays one of another. What these compute and answer is the
/// same each time, so that another case says what another instance does not.
pub fn cases_a_round(kind: &str) -> u32 {
    match kind {
        "kernels/computed" => 8,
        "kernels/functions" => 6,
        "kernels/math" | "image/transfer" => 4,
        "api/lists" | "transfer/buffer" | "transfer/rect" | "queue/recorded" => 3,
        "kernels/conversions"
        | "subgroup/exchange"
        | "kernels/streams"
        | "program/instructions"
        | "api/programs"
        | "api/errors-objects"
        | "api/objects"
        | "kernels/language"
        | "transfer/map"
        | "transfer/svm"
        | "image/read"
        | "image/write"
        | "atomics/values"
        | "ndrange/ids" => 2,
        _ => 1,
    }
}

/// How many cases of a kind (`family/kind`) a run plays at most. Those of some make the same calls whatever their seed, in
/// another order or in the same one.
pub fn most_cases(kind: &str) -> u32 {
    match kind {
        "api/device" => 1,
        "api/errors" | "api/errors-held" => 2,
        _ => u32::MAX,
    }
}

/// The case that a family (`family/kind`) draws from a seed.
pub fn draw(family: &str, seed: u64) -> Option<KernelCase> {
    let mut case = function(family)?(&mut Choices::new(seed));
    case.drawn = Some(Drawn {
        family: family.into(),
        seed,
    });
    Some(case)
}

/// What draws the cases of a family (`family/kind`).
pub(super) fn function(family: &str) -> Option<fn(&mut Choices) -> KernelCase> {
    let mut all = FAMILIES.iter();
    let (_, _, draw) = all.find(|(name, kind, _)| family == format!("{name}/{kind}"))?;
    Some(*draw)
}
