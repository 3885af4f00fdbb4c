//! What is taken out goes with what hangs on it, and nothing else.

use super::cut::{Class, Unit, without};
use super::size::Size;
use super::{candidates, simplify};
use crate::commands::generate::{Profile, random};
use crate::commands::program::*;
use crate::commands::walk::{Names, Sort};
use crate::commands::yaml;

/// Programs of every profile but those of hundreds of commands, of which there are too many parts to try each.
fn programs(seeds: u64) -> impl Iterator<Item = Program> {
    let profiles = Profile::all().into_iter();
    let profiles = profiles.filter(|(_, _, profile)| profile.hundreds == 0);
    profiles.flat_map(move |(_, _, profile)| {
        (0..seeds).map(move |seed| random(seed, &profile).expect("a program").program)
    })
}

/// Whether everything that a program names is there.
fn is_whole(program: &Program) -> bool {
    let mut whole = true;
    program.clone().visit(&mut |sort, n| {
        whole &= usize::from(*n) < program.count(sort);
        true
    });
    whole
}

#[test]
fn nothing_names_what_was_taken_out() {
    let mut cuts = 0;
    for program in programs(2) {
        for class in Class::ALL {
            for unit in class.units(&program) {
                let Some(cut) = without(&program, &[unit]) else {
                    continue;
                };
                let text = || format!("{unit:?}\n{}", yaml::write(&program));
                assert!(is_whole(&cut), "{}", text());
                assert!(Size::of(&cut) < Size::of(&program), "{}", text());
                let sort = match unit {
                    Unit::Thing(sort, _) => sort,
                    Unit::Thread(_) | Unit::Step(_) | Unit::Entry(..) | Unit::Waited(..) => {
                        continue;
                    }
                };
                assert!(cut.count(sort) < program.count(sort), "{}", text());
                cuts += 1;
            }
        }
    }
    assert!(cuts > 500, "{cuts}");
}

#[test]
fn nothing_taken_out_is_the_same_program() {
    for program in programs(2) {
        assert_eq!(without(&program, &[]), Some(program));
    }
}

#[test]
fn taking_out_two_things_is_as_one_after_the_other() {
    for program in programs(2) {
        let commands = program.count(Sort::Command) as u16;
        if commands < 3 {
            continue;
        }
        // The later first, so that the number of the other stays.
        let [last, first] = [commands - 1, 0].map(|n| Unit::Thing(Sort::Command, n));
        let both = without(&program, &[first, last]);
        let one =
            without(&program, &[last]).filter(|p| p.count(Sort::Command) + 1 == commands.into());
        if let Some(one) = one {
            assert_eq!(without(&one, &[first]), both);
        }
    }
}

#[test]
fn every_thread_gone_is_no_program() {
    for program in programs(1) {
        let all = Class::Threads.units(&program);
        assert_eq!(without(&program, &all), None);
        assert!(without(&program, &all[..all.len() - 1]).is_some());
    }
}

const MAPPED: &str = "
devices: 1
contexts: 1
cell_words: 1
queues:
- {context: 0, device: 0, out_of_order: false}
- {context: 0, device: 0, out_of_order: true}
objects:
- {context: 0, cells: 4, kind: {buffer: copy}}
- {context: 0, cells: 2, kind: {sub-buffer: {of: 0, first: 2}}}
- {context: 0, cells: 4, kind: {buffer: copy}}
commands:
- {queue: 0, what: {map: {range: {object: 0, first: 0, count: 2}, mode: write}}, blocking: true}
- {queue: 0, what: {unmap: 0}}
- {queue: 1, what: {kernel: {reads: [{object: 0, first: 0, count: 1}, {object: 1, first: 0, count: 1}], items: 1}}, wait: [{command: 1}]}
- {queue: 1, what: {migrate: {objects: [0, 2], to_host: true}}, wait: [{command: 2}, {command: 1}]}
accesses:
- {range: {object: 0, first: 0, count: 2}, write: true, map: 0}
signals: 1
threads:
- - enqueue: 0
  - access: 0
  - enqueue: 1
  - flush: 0
  - enqueue: 2
  - enqueue: 3
  - signal: 0
  - wait: [{command: 3}, {command: 1}]
- - await: 0
  - sleep: 50
";

fn mapped() -> Program {
    yaml::read(MAPPED).expect("a program")
}

fn cut(unit: Unit) -> Program {
    without(&mapped(), &[unit]).expect("something is left")
}

#[test]
fn a_map_goes_with_its_unmap_and_its_accesses() {
    for end in [0, 1] {
        let left = cut(Unit::Thing(Sort::Command, end));
        assert_eq!(left.commands.len(), 2);
        assert!(left.accesses.is_empty());
        let what = &left.commands[1];
        assert_eq!(what.wait, [Event::Command(CommandId(0))]);
        let waited = Step::Wait(vec![Event::Command(CommandId(1))]);
        assert_eq!(left.threads[0].last(), Some(&waited));
        assert_eq!(left.signals, 1);
    }
}

#[test]
fn a_buffer_goes_with_its_parts_and_kernels_lose_ranges() {
    let left = cut(Unit::Thing(Sort::Object, 0));
    assert_eq!(left.objects.len(), 1);
    let whats: Vec<&What> = left.commands.iter().map(|c| &c.what).collect();
    let [What::Kernel(kernel), What::Migrate { objects, .. }] = whats.as_slice() else {
        panic!("{whats:?}");
    };
    assert!(kernel.reads.is_empty());
    assert_eq!(*objects, [ObjectId(0)]);
    let part = cut(Unit::Thing(Sort::Object, 1));
    assert_eq!((part.objects.len(), part.commands.len()), (2, 4));
}

#[test]
fn a_queue_goes_with_its_commands_and_a_step_with_what_it_does() {
    let left = cut(Unit::Thing(Sort::Queue, 1));
    assert_eq!((left.queues.len(), left.commands.len()), (1, 2));
    assert!(!left.queues[0].out_of_order);
    let enqueue = Place {
        who: Who::Thread(0),
        step: 4,
    };
    let left = cut(Unit::Step(enqueue));
    assert_eq!(left.commands.len(), 3);
    assert_eq!(left, cut(Unit::Thing(Sort::Command, 2)));
}

#[test]
fn a_signal_goes_with_who_waits_for_it_and_entries_alone() {
    let left = cut(Unit::Thing(Sort::Signal, 0));
    assert_eq!(left.signals, 0);
    assert_eq!(left.threads[1], [Step::Sleep(50)]);
    let left = cut(Unit::Entry(CommandId(3), 0));
    assert_eq!(left.commands[3].wait, [Event::Command(CommandId(1))]);
    assert_eq!(left.commands.len(), 4);
    let wait = Place {
        who: Who::Thread(0),
        step: 7,
    };
    let left = cut(Unit::Waited(wait, 1));
    let waits = Step::Wait(vec![Event::Command(CommandId(3))]);
    assert_eq!(left.threads[0].last(), Some(&waits));
    let none = [Unit::Waited(wait, 0), Unit::Waited(wait, 1)];
    let left = without(&mapped(), &none).expect("something is left");
    assert_eq!(left.threads[0].len(), 7);
}

#[test]
fn a_narrower_map_keeps_the_accesses_within() {
    let narrower = simplify::all(&mapped())
        .into_iter()
        .filter(|p| matches!(&p.commands[0].what, What::Map { range, .. } if range.count == 1));
    let narrower: Vec<Program> = narrower.collect();
    assert!(narrower.len() >= 2, "{}", narrower.len());
    for p in narrower {
        let ranges: Vec<&Range> = p.commands[0].what.ranges().collect();
        assert_eq!(ranges, [&p.accesses[0].range]);
    }
}

#[test]
fn candidates_are_smaller_and_whole_and_not_all_valid() {
    let (mut all, mut valid) = (0, 0);
    for program in programs(1).step_by(3) {
        let size = Size::of(&program);
        for candidate in candidates(&program) {
            assert!(Size::of(&candidate) < size);
            assert!(is_whole(&candidate), "{}", yaml::write(&candidate));
            all += 1;
            valid += usize::from(crate::commands::check::Plan::of(candidate).is_ok());
        }
    }
    assert!(valid > 100 && valid < all, "{valid} of {all}");
}

#[test]
fn copies_stay_as_wide_on_both_sides_and_kernels_lose_what_they_can() {
    let (mut copies, mut kernels) = (0, 0);
    for program in programs(3) {
        for plainer in simplify::all(&program) {
            for command in &plainer.commands {
                if let What::Copy { from, to, .. } = &command.what {
                    assert_eq!(from.count, to.count);
                    copies += 1;
                }
            }
            let work = |p: &Program| {
                let kernels = p.commands.iter().filter_map(|c| c.what.kernel());
                kernels
                    .map(|k| u64::from(k.spin) + u64::from(k.items))
                    .sum::<u64>()
            };
            kernels += usize::from(work(&plainer) < work(&program));
        }
    }
    assert!(copies > 20 && kernels > 100, "{copies} {kernels}");
}

#[test]
fn every_delay_and_failure_can_be_made_less() {
    let mut program = mapped();
    program.users.push(ContextId(0));
    program.threads[1].push(Step::Set {
        user: UserId(0),
        status: -9,
    });
    program.threads[1].push(Step::Yield(40));
    let all = simplify::all(&program);
    let has = |step: Step| all.iter().any(|p| p.threads[1].contains(&step));
    for status in [0, -1] {
        let user = UserId(0);
        assert!(has(Step::Set { user, status }), "{status}");
    }
    assert!(has(Step::Sleep(0)) && has(Step::Sleep(25)) && has(Step::Yield(20)));
    assert!(!has(Step::Sleep(60)));
}
