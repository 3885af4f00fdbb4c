//! What the default set consists of, counted: every dimension of the vocabulary is there.

use super::{DEFAULT, shapes, spell};
use crate::generate::{Dependency, Mode, Step, Update};
use crate::mutation::{order_word, scope_word};
use crate::program::{BarrierScope, Expr, FenceFlags, Instr};
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
        (true, true) => "both flags",
        (true, false) => "global flag",
        (false, true) => "local flag",
        (false, false) => "no flag",
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
                let (order, scope) = match mode {
                    Mode::Plain => {
                        out.insert("access plain".into());
                        continue;
                    }
                    Mode::Atomic(order, scope) => (order, scope),
                    Mode::Update(update, order, scope) => {
                        out.insert(match update {
                            Update::Exchange => "update exchange".into(),
                            Update::Add => "update fetch-add".into(),
                            Update::CasStrong => "update compare-exchange strong".into(),
                            Update::CasWeak => "update compare-exchange weak".into(),
                        });
                        (order, scope)
                    }
                };
                out.insert(format!("access {}", order_word(*order)));
                out.insert(format!("access scope {}", scope_word(*scope)));
            }
            Step::Fence(regions, order, scope) => {
                out.insert(format!("fence {}", flags(*regions)));
                out.insert(format!("fence {}", order_word(*order)));
                out.insert(format!("fence scope {}", scope_word(*scope)));
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
            }
        }
    }
}

#[test]
fn every_dimension_is_in_the_default_set() {
    let shapes = shapes(2..=4, 3..=6);
    let mut tally: BTreeMap<String, usize> = BTreeMap::new();
    for found in DEFAULT.iter() {
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
        lines.insert(format!("idiom {}", candidate.idiom));
        for line in lines {
            *tally.entry(line).or_default() += 1;
        }
    }
    let table: Vec<String> = (tally.iter())
        .map(|(line, count)| format!("{count:6} {line}"))
        .collect();
    insta::assert_snapshot!(table.join("\n"));
    let scarce: Vec<_> = tally.iter().filter(|(_, count)| **count < 25).collect();
    assert!(scarce.is_empty(), "{scarce:?}");
}
