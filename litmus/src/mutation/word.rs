//! Words for orders, scopes and steps.

use super::step::To;
use crate::program::{FenceFlags, Make, MemOrder, MemScope};

/// An order in a word.
pub(crate) fn order_word(order: MemOrder) -> &'static str {
    order.name().trim_start_matches("memory_order_")
}

/// A scope in a word.
pub(crate) fn scope_word(scope: MemScope) -> &'static str {
    match scope {
        MemScope::WorkItem => "work_item",
        MemScope::SubGroup => "sub_group",
        MemScope::WorkGroup => "work_group",
        MemScope::QueueFamily => "queue_family",
        MemScope::Device => "device",
        MemScope::AllSvmDevices => "all_devices",
    }
}

/// An order in the few letters of a test's name.
pub(crate) fn short_order(order: MemOrder) -> &'static str {
    match order {
        MemOrder::Relaxed => "rlx",
        MemOrder::Acquire => "acq",
        MemOrder::Release => "rel",
        MemOrder::AcqRel => "ar",
        MemOrder::SeqCst => "sc",
    }
}

/// A scope in the few letters of a test's name.
fn short_scope(scope: MemScope) -> &'static str {
    match scope {
        MemScope::WorkItem => "wi",
        MemScope::SubGroup => "sg",
        MemScope::WorkGroup => "wg",
        MemScope::QueueFamily => "qf",
        MemScope::Device => "dv",
        MemScope::AllSvmDevices => "all",
    }
}

/// What a place becomes, in the few letters of a test's name.
pub(super) fn of(to: &To) -> String {
    match to {
        To::Order(order) => short_order(*order).to_owned(),
        To::FailureOrder(order) => format!("fail-{}", short_order(*order)),
        To::Scope(scope) => short_scope(*scope).to_owned(),
        To::Flags(flags) => flag_word(*flags),
        To::Without(made) => without_word(*made).to_owned(),
        To::Private => "priv".to_owned(),
        To::NoFence => "nofence".to_owned(),
        To::NoSemantics => "nosem".to_owned(),
        To::NoBarrier => "nobar".to_owned(),
    }
}

/// The flags that are left: `gflag`, `lflag`, `noflag`.
fn flag_word(flags: FenceFlags) -> String {
    let letters: String = flags.words().iter().map(|word| &word[..1]).collect();
    match letters.as_str() {
        "" => "noflag".to_owned(),
        letters => format!("{letters}flag"),
    }
}

/// What is no longer made.
fn without_word(made: Make) -> &'static str {
    match (made.available, made.visible) {
        (true, true) => "nomake",
        (true, false) => "noav",
        (false, true) => "novis",
        (false, false) => "make",
    }
}
