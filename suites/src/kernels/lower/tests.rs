//! Cases of every family become programs whose checks pass what is right and break on what is not.

use super::{lower, to_c};
use crate::host::check::{Bounds, Permutation, Printed, Right, Same, That, Want, Within};
use crate::host::*;
use crate::kernels::case::{KernelCase, Kind};
use crate::kernels::generate::{FAMILIES, draw};
use crate::rule;

/// Some cases of every family.
fn cases(seeds: std::ops::Range<u64>) -> impl Iterator<Item = (String, KernelCase)> {
    let names = FAMILIES
        .iter()
        .map(|(family, kind, _)| format!("{family}/{kind}"));
    names.flat_map(move |name| {
        seeds.clone().map(move |seed| {
            let case = draw(&name, seed).expect("the family is there");
            (format!("{name} of seed {seed}"), case)
        })
    })
}

/// The lengths of answers that are read.
fn length(program: &HostProgram, id: AnswerId) -> usize {
    let mut length = 0;
    program.steps(&mut |step| match &step.op {
        Op::Read {
            stretches, into, ..
        } if *into == id => length = stretches.bytes,
        Op::Call(call) => {
            for value in &call.arguments {
                if let Value::Answer(into, bytes) = value
                    && *into == id
                {
                    length = *bytes;
                }
            }
        }
        _ => {}
    });
    length
}

fn code(right: &Right) -> i64 {
    match right {
        Right::Among(all) | Right::AmongOrNegative(all) => all[0],
        Right::Not(n) => n + 1,
        Right::Between(_, most) => *most,
    }
}

/// Makes a record pass a check; whether it is known how.
fn pass(lowered: &Lowered, check: &Check, record: &mut Record) -> bool {
    match &check.that {
        That::Code(mark, right) => {
            record.codes.insert(*mark, code(right) as i32);
        }
        That::Number(id, right) => {
            let number = code(right) as i32;
            record.answers.insert(*id, number.to_ne_bytes().into());
        }
        That::Bytes(id, want) => {
            let length = length(&lowered.program, *id);
            let bytes = match want {
                Want::Same(Same { contents, .. }) => contents.bytes(length),
                Want::Halves { .. } => vec![0; length],
                Want::Permutation(Permutation {
                    unit,
                    count,
                    first,
                    step,
                }) => {
                    let values = (0..*count).rev().map(|n| first + n * step);
                    let bytes = values.flat_map(|n| n.to_le_bytes()[..unit.bytes()].to_vec());
                    let mut bytes: Vec<u8> = bytes.collect();
                    bytes.resize(length, 0);
                    bytes
                }
                Want::Pointers(list) => {
                    let mut bytes = vec![0; length];
                    for (at, to) in list {
                        let address = to.map_or(0, |to| {
                            let start = 4096 * (1 + u64::from(to.object.0));
                            record.addresses.insert(to.object, start);
                            start + to.byte as u64
                        });
                        bytes[*at..*at + 8].copy_from_slice(&address.to_ne_bytes());
                    }
                    bytes
                }
                Want::Printed(printed) => printed_text(printed),
                Want::Within(Within { bytes, numbers }) => numbers
                    .iter()
                    .flat_map(|wanted| right_bits(*bytes, wanted.right))
                    .collect(),
                Want::Ids(_) | Want::SubGroups { .. } | Want::Contains(_) => return false,
            };
            record.answers.insert(*id, bytes);
        }
        That::Kernels(mark) => {
            record.kernels.insert(*mark, Kernels::default());
        }
        That::Astray(_) => {}
        _ => return false,
    }
    true
}

/// The bytes of a number that is right.
fn right_bits(bytes: usize, right: Bounds) -> Vec<u8> {
    let ones = u64::MAX >> (64 - 8 * bytes);
    let bits = match (right.nan, right.low < 0) {
        // All bits set are a NaN's of every format.
        (true, _) => ones,
        (_, true) => ones & !(!right.low as u64 ^ ones >> 1),
        (_, false) => right.low as u64,
    };
    bits.to_le_bytes()[..bytes].to_vec()
}

/// A text of lines that each match their pattern.
fn printed_text(printed: &Printed) -> Vec<u8> {
    let mut text = String::new();
    for line in &printed.lines {
        let mut parts = line.split(['{', '}']);
        text += parts.next().unwrap_or_default();
        while let (Some(open), Some(after)) = (parts.next(), parts.next()) {
            text += open.split('|').next().unwrap_or_default();
            text += after;
        }
        text.push('\n');
    }
    text.into_bytes()
}

/// Makes a record fail a check that it passes.
fn fail(check: &Check, record: &mut Record) {
    match &check.that {
        That::Code(mark, _) => {
            record.codes.insert(*mark, -7777);
        }
        That::Number(id, _) => {
            record.answers.insert(*id, 77_i32.to_ne_bytes().into());
        }
        That::Bytes(id, want) => {
            let bytes = record.answers.get_mut(id).expect("an answer");
            let at = match want {
                Want::Pointers(list) => list[0].0,
                _ => 0,
            };
            bytes[at] ^= 0x81;
            let some = |right: Bounds| !(right.nan && right.zero);
            if let Want::Within(Within {
                bytes: each,
                numbers,
            }) = want
                && let Some(at) = numbers.iter().position(|number| some(number.right))
            {
                // A NaN, or zero where that is right: of what may not be anything, no bounds reach to both.
                let nan = !numbers[at].right.nan;
                bytes[at * each..(at + 1) * each].fill(if nan { 0xff } else { 0 });
            }
        }
        That::Kernels(mark) => {
            let said = record.kernels.entry(*mark).or_default();
            said.count += 1;
        }
        That::Astray(mark) => {
            record.astray.insert(*mark, "nowhere".into());
        }
        other => panic!("no kernel case checks {other:?}"),
    }
}

#[test]
fn every_check_passes_what_is_right_and_breaks_on_what_is_not() {
    let mut broken = 0;
    for (name, case) in cases(0..6) {
        let lowered = lower(&case);
        let mut right = Record::default();
        right
            .stamps
            .extend(lowered.started.map(|mark| (mark, (1, 2))));
        let known: Vec<bool> = lowered
            .checks
            .iter()
            .map(|check| pass(&lowered, check, &mut right))
            .collect();
        assert!(
            lowered.started(&right) && !lowered.timed_out(&right),
            "{name}"
        );
        assert_eq!(lowered.violations(&right, 0), [], "{name}");
        for (check, _) in lowered.checks.iter().zip(known).filter(|(_, known)| *known) {
            let mut wrong = right.clone();
            fail(check, &mut wrong);
            let found = lowered.violations(&wrong, 0);
            let same = found.iter().any(|v| v.rules == check.rules);
            assert!(same, "{name}: {check:?} against {found:?}");
            broken += 1;
        }
    }
    assert!(broken > 500, "{broken}");
}

#[test]
fn a_call_that_fails_against_the_case_is_a_violation_and_one_before_it_is_none() {
    let case = draw("transfer/buffer", 1).expect("a case");
    let lowered = lower(&case);
    let mut record = Record {
        failed: Some((Function::Finish, -36)),
        ..Record::default()
    };
    assert!(!lowered.started(&record));
    record
        .stamps
        .extend(lowered.started.map(|mark| (mark, (1, 2))));
    let found = lowered.violations(&record, 0);
    assert_eq!(found[0].rules, [rule::API_VALID]);
    assert_eq!(found[0].what, "clFinish gives error -36");
}

#[test]
fn after_a_timeout_only_what_holds_even_so_is_checked() {
    let of = |(_, case): &(String, KernelCase)| case.quit.is_some();
    let (name, case) = cases(0..3).find(of).expect("an exchange");
    let lowered = lower(&case);
    let mut record = Record::default();
    let quit = lowered.quit.expect("a word");
    record.answers.insert(quit, vec![0; 4]);
    assert!(!lowered.timed_out(&record), "{name}");
    record.answers.insert(quit, vec![1, 0, 0, 0]);
    assert!(lowered.timed_out(&record), "{name}");
    for check in lowered.checks.iter().filter(|check| !check.even_so) {
        if let That::Bytes(id, _) = &check.that {
            record
                .answers
                .insert(*id, vec![0x81; length(&lowered.program, *id)]);
        }
    }
    assert_eq!(lowered.violations(&record, 0), [], "{name}");
}

#[test]
fn objects_are_the_first_slots_and_only_places_inside_them_are_named() {
    for (name, case) in cases(0..4) {
        let lowered = lower(&case);
        for (n, object) in case.objects.iter().enumerate() {
            let kind = lowered.program.slots[n].kind;
            let right = match object.kind {
                Kind::Buffer | Kind::SubBuffer { .. } | Kind::Image(_) | Kind::Pipe { .. } => {
                    kind == SlotKind::Memory
                }
                Kind::SvmCoarse | Kind::SvmFine | Kind::SvmAtomics => {
                    let SlotKind::Svm(context) = kind else {
                        panic!("{name}: object {n}")
                    };
                    lowered.program.slots[context.index()].kind == SlotKind::Context
                }
                Kind::Host => {
                    kind == SlotKind::Host {
                        bytes: object.bytes,
                    }
                }
            };
            assert!(right, "{name}: object {n}");
        }
        lowered.program.steps(&mut |step| {
            if let Op::Call(call) = &step.op {
                let row = call.function.signature();
                assert_eq!(
                    call.arguments.len(),
                    row.parameters.len(),
                    "{name}: {row:?}"
                );
                let mut slots = Vec::new();
                call.arguments.iter().for_each(|v| v.needed(&mut slots));
                let there = |slot: &Slot| slot.index() < lowered.program.slots.len();
                assert!(slots.iter().all(there), "{name}: {call:?}");
            }
        });
    }
}

#[test]
fn cases_of_every_family_are_written_in_c() {
    for (name, case) in cases(3..4) {
        let text = to_c(&case, false);
        assert!(text.contains("int main("), "{name}");
        let count = |brace: char| text.matches(brace).count();
        assert_eq!(count('{'), count('}'), "{name}");
    }
}
