//! What the default set consists of, counted: every dimension of the vocabulary is there.

use super::{DEFAULT, VULKAN, shapes, spell};
use crate::generate::{Dependency, Found, Mode, Step, Update};
use crate::mutation::{order_word, scope_word};
use crate::program::{
    Api, Atomicity, BarrierScope, Expr, FenceFlags, Instr, Make, MemOrder, MemScope, Placement,
};
use std::collections::{BTreeMap, BTreeSet};

/// The failure orders of a block's compare-exchanges.
fn failures(block: &[Instr], out: &mut BTreeSet<String>) {
    for instr in block {
        match instr {
            Instr::Assign {
                value: Expr::Cas(cas),
                ..
            } => {
                out.insert(format!("update failure {}", order_word(cas.failure)));
            }
            Instr::If(branch) => {
                failures(&branch.then, out);
                failures(&branch.otherwise, out);
            }
            Instr::Assign { .. }
            | Instr::Effect(_)
            | Instr::Store { .. }
            | Instr::Fence(_)
            | Instr::Barrier(_)
            | Instr::While { .. }
            | Instr::Domain(_)
            | Instr::Return
            | Instr::Host(_) => {}
        }
    }
}

fn flags(flags: FenceFlags) -> &'static str {
    match (flags.global, flags.local) {
        (true, _) if flags.image => "all flags",
        (false, false) if flags.image => "image flag",
        (true, true) => "both flags",
        (true, false) => "global flag",
        (false, true) => "local flag",
        (false, false) => "no flag",
    }
}

/// How an ordinary access reaches memory.
fn ordinary(atomicity: Atomicity) -> String {
    match atomicity {
        Atomicity::Plain => "access plain".into(),
        Atomicity::NonPrivate(None) => "access non-private".into(),
        Atomicity::NonPrivate(Some(scope)) => format!("access made at {}", scope_word(scope)),
        Atomicity::Volatile | Atomicity::Atomic(_) => panic!("no ordinary access is {atomicity:?}"),
    }
}

fn made(what: &str, make: Make, out: &mut BTreeSet<String>) {
    for (made, word) in [(make.available, "available"), (make.visible, "visible")] {
        if made {
            out.insert(format!("{what} makes {word}"));
        }
    }
}

fn thread(steps: &[Step], out: &mut BTreeSet<String>) {
    let accesses = (steps.iter()).filter(|s| matches!(s, Step::Access { .. }));
    out.insert(format!("thread of {} accesses", accesses.count()));
    for step in steps {
        match step {
            Step::Access {
                mode, dependency, ..
            } => {
                out.insert(match dependency {
                    Dependency::None => "dependency none".into(),
                    Dependency::Address => "dependency address".into(),
                    Dependency::Data => "dependency data".into(),
                    Dependency::Control => "dependency control".into(),
                });
                let atomic = match mode {
                    Mode::Ordinary(atomicity) => {
                        out.insert(ordinary(*atomicity));
                        continue;
                    }
                    Mode::Atomic(atomic) => atomic,
                    Mode::Update(update, atomic) => {
                        out.insert(match update {
                            Update::Exchange => "update exchange".into(),
                            Update::Add => "update fetch-add".into(),
                            Update::CasStrong => "update compare-exchange strong".into(),
                            Update::CasWeak => "update compare-exchange weak".into(),
                        });
                        atomic
                    }
                };
                out.insert(format!("access {}", order_word(atomic.order)));
                out.insert(format!("access scope {}", scope_word(atomic.reach())));
                if atomic.flags != FenceFlags::NONE {
                    out.insert(format!("access {}", flags(atomic.flags)));
                }
                made("access", atomic.make, out);
            }
            Step::Fence(fence) => {
                out.insert(format!("fence {}", flags(fence.flags)));
                out.insert(format!("fence {}", order_word(fence.order)));
                out.insert(format!("fence scope {}", scope_word(fence.scope)));
                made("fence", fence.make, out);
            }
            Step::Barrier(barrier) => {
                let group = match barrier.group {
                    BarrierScope::WorkGroup => "barrier",
                    BarrierScope::SubGroup => "sub-group barrier",
                    BarrierScope::QueueFamily | BarrierScope::Device => "no barrier of OpenCL",
                };
                out.insert(format!("{group} {}", flags(barrier.flags)));
                let scope = barrier.scope.map_or("of its own", scope_word);
                out.insert(format!("{group} scope {scope}"));
                if barrier.order == MemOrder::Relaxed {
                    out.insert(format!("{group} without semantics"));
                }
                made(group, barrier.make, out);
            }
        }
    }
}

/// How many of these tests have what.
fn tally(all: &[Found]) -> BTreeMap<String, usize> {
    let shapes = shapes(2..=4, 3..=6);
    let mut tally: BTreeMap<String, usize> = BTreeMap::new();
    for found in all {
        let candidate = &found.candidate;
        let shape = &shapes[found.shape];
        let mut lines = BTreeSet::new();
        for edge in &shape.edges {
            lines.insert(format!("edge {}", spell(&[*edge])));
        }
        lines.insert(format!("edges {}", shape.edges.len()));
        lines.insert(format!("threads {}", shape.threads.len()));
        for steps in &candidate.design.threads {
            thread(steps, &mut lines);
        }
        for thread in &candidate.program().threads {
            failures(&thread.body, &mut lines);
        }
        lines.insert(format!("memory {}", candidate.context.memory()));
        lines.insert(format!("placement {}", candidate.context.spread));
        lines.insert(format!("scopes {}", candidate.context.reach));
        lines.insert(format!("idiom {}", candidate.handing()));
        for line in lines {
            *tally.entry(line).or_default() += 1;
        }
    }
    tally
}

fn table(tally: &BTreeMap<String, usize>) -> String {
    let lines = tally
        .iter()
        .map(|(line, count)| format!("{count:6} {line}"));
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn every_dimension_is_in_the_default_set() {
    let tally = tally(&DEFAULT);
    insta::assert_snapshot!(table(&tally));
    let scarce: Vec<_> = tally.iter().filter(|(_, count)| **count < 25).collect();
    assert!(scarce.is_empty(), "{scarce:?}");
}

#[test]
fn every_dimension_is_in_the_default_set_of_vulkan() {
    let tally = tally(&VULKAN);
    insta::assert_snapshot!(table(&tally));
    let scarce: Vec<_> = tally.iter().filter(|(_, count)| **count < 10).collect();
    assert!(scarce.is_empty(), "{scarce:?}");
}

#[test]
fn every_word_of_vulkan_occurs() {
    let tally = tally(&VULKAN);
    let mut expected: BTreeSet<String> = BTreeSet::new();
    for scope in MemScope::of(Api::Vulkan) {
        for what in ["access scope", "fence scope", "access made at"] {
            expected.insert(format!("{what} {}", scope_word(scope)));
        }
    }
    for order in ["relaxed", "acquire", "release", "acq_rel"] {
        expected.insert(format!("access {order}"));
        if order != "relaxed" {
            expected.insert(format!("fence {order}"));
        }
    }
    for what in ["access", "fence", "barrier", "sub-group barrier"] {
        expected.extend(["available", "visible"].map(|made| format!("{what} makes {made}")));
    }
    for what in ["access", "fence", "barrier"] {
        for flags in ["global flag", "local flag", "both flags"] {
            expected.insert(format!("{what} {flags}"));
        }
    }
    for what in ["access", "fence"] {
        expected.extend(["all flags", "image flag"].map(|flags| format!("{what} {flags}")));
    }
    for line in [
        "access plain",
        "access non-private",
        "barrier without semantics",
        "sub-group barrier without semantics",
        "placement work-groups",
        "placement sub-groups",
        "placement one sub-group",
        "placement queue families",
        "placement devices",
        "memory global",
        "memory local",
        "memory both",
        "memory image",
    ] {
        expected.insert(line.into());
    }
    let missing: Vec<&String> = expected
        .iter()
        .filter(|line| !tally.contains_key(*line))
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
    let unknown = tally
        .keys()
        .filter(|line| line.contains("seq_cst") || line.contains("host"));
    assert_eq!(unknown.collect::<Vec<_>>(), Vec::<&String>::new());
}

#[test]
fn threads_of_vulkan_are_in_sub_groups_and_on_devices() {
    for found in VULKAN.iter() {
        for placement in &found.candidate.design.placements {
            let item = match placement {
                Placement::Device(item) => item,
                Placement::Host => panic!("{} has a host", found.candidate.name),
            };
            assert!(item.sub_group.is_some(), "{}", found.candidate.name);
        }
    }
}
