use super::*;
use crate::commands::generate::{Profile, random};
use std::collections::BTreeSet;

/// Programs of every profile.
fn programs() -> impl Iterator<Item = Program> {
    Profile::all().into_iter().flat_map(|(_, _, profile)| {
        (0..6).map(move |seed| random(seed, &profile).expect("a program").program)
    })
}

/// Everything that a part names.
fn named(part: &(impl Names + Clone)) -> BTreeSet<(Sort, u16)> {
    let mut all = BTreeSet::new();
    part.clone().visit(&mut |sort, n| {
        all.insert((sort, *n));
        true
    });
    all
}

#[test]
fn what_is_named_is_there_and_what_is_done_is_named() {
    for program in programs() {
        for (sort, n) in named(&program) {
            assert!(usize::from(n) < program.count(sort), "{sort:?} {n}");
        }
        for (place, step) in program.steps() {
            if let Some((sort, n)) = step.does() {
                assert!(named(step).contains(&(sort, n as u16)), "{place}");
            }
        }
    }
}

#[test]
fn a_program_names_all_of_its_things_but_those_of_no_use() {
    let mut sorts = BTreeSet::new();
    for program in programs() {
        let all = named(&program);
        for sort in [Sort::Command, Sort::Callback, Sort::Access, Sort::Signal] {
            let own = (0..program.count(sort) as u16).map(|n| (sort, n));
            let unnamed: Vec<_> = own.filter(|one| !all.contains(one)).collect();
            assert!(unnamed.is_empty(), "{unnamed:?}");
        }
        sorts.extend(all.into_iter().map(|(sort, _)| sort));
    }
    assert_eq!(sorts.into_iter().collect::<Vec<_>>(), Sort::ALL);
}

#[test]
fn a_visitor_that_keeps_everything_changes_nothing() {
    for program in programs() {
        let mut same = program.clone();
        assert!(same.visit(&mut |_, _| true));
        assert_eq!(same, program);
        let mut back = program.clone();
        back.visit(&mut |_, n| {
            *n += 1;
            true
        });
        assert_ne!(back, program);
        back.visit(&mut |_, n| {
            *n -= 1;
            true
        });
        assert_eq!(back, program);
    }
}

#[test]
fn lists_lose_entries_and_others_are_gone_with_what_they_name() {
    let wait = |events: &[u16]| {
        let events = events.iter().map(|n| Event::Command(CommandId(*n)));
        Step::Wait(events.collect())
    };
    let without_3 = &mut |sort, n: &mut u16| (sort, *n) != (Sort::Command, 3);
    let mut step = wait(&[1, 3, 4]);
    assert!(step.visit(without_3));
    assert_eq!(step, wait(&[1, 4]));
    assert!(!wait(&[3, 3]).visit(without_3));
    assert!(!Step::Inspect(CommandId(3)).visit(without_3));
    assert!(Step::Finish(QueueId(3)).visit(without_3));
    assert!(Step::Sleep(3).visit(&mut |_, _| false), "it names nothing");
    let mut unmap = What::Unmap(CommandId(3));
    assert!(!unmap.visit(without_3));
    let objects = vec![ObjectId(0), ObjectId(3)];
    let mut free = What::Free(objects);
    assert!(free.visit(&mut |sort, n| (sort, *n) != (Sort::Object, 3)));
    assert_eq!(free, What::Free(vec![ObjectId(0)]));
    assert!(!free.visit(&mut |_, _| false));
}

#[test]
fn a_kernel_goes_on_without_a_range_and_a_copy_does_not() {
    let range = |object| Range {
        object: ObjectId(object),
        first: 0,
        count: 1,
        stride: 1,
    };
    let without_1 = &mut |sort, n: &mut u16| (sort, *n) != (Sort::Object, 1);
    let mut kernel = What::Kernel(Kernel {
        reads: vec![range(0), range(1)],
        writes: vec![range(1)],
        spin: 0,
        items: 1,
        reuse: false,
    });
    assert!(kernel.visit(without_1));
    assert_eq!(kernel.data(), (&[range(0)][..], &[][..]));
    let mut copy = What::Copy {
        from: range(0),
        to: range(1),
        rect: false,
    };
    assert_eq!(copy.data(), (&[range(0)][..], &[range(1)][..]));
    assert!(!copy.visit(without_1));
}

#[test]
fn ranges_are_the_same_to_read_and_to_change() {
    let mut kinds = 0;
    for program in programs() {
        for command in &program.commands {
            let mut what = command.what.clone();
            let ranges: Vec<Range> = command.what.ranges().copied().collect();
            let to_change: Vec<Range> = what.ranges_mut().into_iter().map(|r| *r).collect();
            assert_eq!(ranges, to_change);
            let (reads, writes) = command.what.data();
            let map = usize::from(matches!(command.what, What::Map { .. }));
            assert_eq!(reads.len() + writes.len() + map, ranges.len());
            kinds += map + usize::from(command.what.kernel().is_some());
        }
        let mut changed = program.clone();
        let all = changed.ranges_mut().count();
        let commands = program.commands.iter().map(|c| c.what.ranges().count());
        assert_eq!(all, program.accesses.len() + commands.sum::<usize>());
    }
    assert!(kinds > 100, "{kinds}");
}

#[test]
fn an_unmap_names_the_object_of_its_map() {
    let mut unmaps = 0;
    for program in programs() {
        for command in &program.commands {
            let objects: Vec<ObjectId> = program.objects_of(&command.what).collect();
            if let What::Unmap(map) = command.what {
                let map = &program.commands[map.index()].what;
                assert_eq!(objects, program.objects_of(map).collect::<Vec<_>>());
                assert_eq!(objects.len(), 1);
                unmaps += 1;
            }
        }
    }
    assert!(unmaps > 10, "{unmaps}");
}

#[test]
fn things_have_names_in_sentences() {
    let names = Sort::ALL.map(Sort::name);
    assert_eq!(BTreeSet::from(names).len(), names.len());
    assert_eq!(Sort::Access.plural(), "accesses");
    assert_eq!(Sort::User.plural(), "user events");
}
