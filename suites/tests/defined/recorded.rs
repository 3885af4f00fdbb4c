//! Command-buffers: which of their commands nothing orders, found from one edge to the next.

use super::clause::{Clause, Complaint};
use super::kernels::{Use, moved};
use classay_suites::kernels::recorded::{Action, Record};
use std::collections::BTreeSet;

/// What a recorded command uses.
pub fn uses(what: &Action) -> Vec<Use> {
    match what {
        Action::Barrier => Vec::new(),
        Action::Move(what) => moved(what),
        Action::Sample(sample) => vec![
            Use {
                object: sample.from,
                writes: false,
            },
            Use {
                object: sample.to.object,
                writes: true,
            },
        ],
        Action::Mix(mix) => vec![
            Use {
                object: mix.from.object,
                writes: false,
            },
            Use {
                object: mix.to.object,
                writes: true,
            },
        ],
    }
}

/// The commands that another one waits for directly.
fn waits(record: &Record, n: usize) -> Vec<usize> {
    let command = &record.commands[n];
    let is_barrier = |m: &usize| record.commands[*m].what == Action::Barrier;
    if !record.out_of_order {
        // "an additional dependency is created on the last command appended"
        return n.checked_sub(1).into_iter().collect();
    }
    let listed = command.after.iter().map(|m| usize::from(*m));
    // "any following commands recorded after it do not execute until it completes"
    let barriers = (0..n).filter(is_barrier);
    let mut all: Vec<usize> = listed.chain(barriers).collect();
    if is_barrier(&n) && command.after.is_empty() {
        // "if the list is empty it waits for all commands previously recorded"
        all.extend(0..n);
    }
    all
}

/// Whether one command is complete before another begins.
fn ordered(record: &Record, first: usize, then: usize) -> bool {
    let direct = waits(record, then);
    direct.contains(&first)
        || direct
            .into_iter()
            .any(|between| between > first && ordered(record, first, between))
}

/// What is undefined between the commands of a command-buffer.
pub fn complaints(record: &Record) -> BTreeSet<Complaint> {
    let mut found = BTreeSet::new();
    for then in 0..record.commands.len() {
        for first in 0..then {
            let (one, other) = (
                uses(&record.commands[first].what),
                uses(&record.commands[then].what),
            );
            let meet = one.iter().any(|a| {
                let same = |b: &&Use| a.object == b.object && (a.writes || b.writes);
                other.iter().any(|b| same(&b))
            });
            if meet && !ordered(record, first, then) {
                found.insert(Complaint {
                    clause: Clause::Object,
                    what: format!("recorded commands {first} and {then}"),
                });
            }
        }
    }
    found
}

#[test]
fn what_nothing_orders_is_found() {
    let read = |text: &str| -> Record { serde_saphyr::from_str(text).expect("a command-buffer") };
    let mix = |from: u8, to: u8| {
        format!(
            "{{mix: {{from: {{object: {from}, byte: 0}}, to: {{object: {to}, byte: 0}}, words: 1, add: 1, turns: 1}}}}"
        )
    };
    let record = |out_of_order: bool, second: &str| {
        read(&format!(
            "out_of_order: {out_of_order}\ncommands:\n- what: {}\n{second}- what: {}\n",
            mix(0, 1),
            mix(1, 2)
        ))
    };
    assert_eq!(complaints(&record(true, "")).len(), 1);
    assert!(complaints(&record(false, "")).is_empty());
    assert!(complaints(&record(true, "- what: barrier\n")).is_empty());
    let after = format!("- what: {}\n  after: [0]\n", mix(3, 4));
    assert_eq!(complaints(&record(true, &after)).len(), 1);
}
