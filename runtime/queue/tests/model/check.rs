//! Holds what happened against the rules.

use crate::engine::{Choice, State, Times, Trigger, WAIT_LIST_FAILED};
use crate::play::{Record, Records};
use crate::program::{Enqueue, Kind, Program, Step};

/// What is known of one command in the end.
struct Played<'a> {
    enqueue: &'a Enqueue,
    /// With the command that an empty list makes of it.
    kind: Kind,
    queue: usize,
    place: u64,
    list: Vec<usize>,
    state: State,
    times: Times,
}

/// Checks a program that was played to its end.
pub fn check(program: &Program, records: &Records) {
    for event in 0..program.user_events {
        let record = records.of(event);
        let mut first = record.sets.iter().filter(|(_, was_first)| *was_first);
        let Some((fails, _)) = first.next() else {
            panic!("no setting of a user event was the first");
        };
        let expected = if *fails {
            State::Failed(-77)
        } else {
            State::Complete
        };
        assert_eq!(final_state(&record), expected);
        assert!(first.next().is_none(), "a user event is set once");
        check_looks_and_notices(&record, expected);
    }
    let played = played(program, records);
    for command in &played {
        check_command(command, &records.of(command.enqueue.event), records);
        check_children(command, &played, records);
        check_order(program, command, &played);
    }
}

fn final_state(record: &Record) -> State {
    let (state, _) = record.last.expect("an event was not deleted");
    assert!(state.is_final(), "deleted while {state:?}");
    state
}

/// The commands that were enqueued: those on a queue that their thread had not released.
fn played<'a>(program: &'a Program, records: &Records) -> Vec<Played<'a>> {
    let enqueues = program.threads.iter().flatten().filter_map(Step::enqueue);
    enqueues
        .flat_map(Enqueue::family)
        .filter_map(|enqueue| {
            let record = records.of(enqueue.event);
            let (queue, place) = record.place?;
            let list = record.list.clone();
            let kind = match enqueue.kind {
                Kind::MarkerWithList if list.is_empty() => Kind::Marker,
                Kind::BarrierWithList if list.is_empty() => Kind::Barrier,
                kind => kind,
            };
            let state = final_state(&record);
            let (_, times) = record.last?;
            Some(Played {
                enqueue,
                kind,
                queue,
                place,
                list,
                state,
                times,
            })
        })
        .collect()
}

fn check_command(command: &Played<'_>, record: &Record, records: &Records) {
    let listed_failed = command.list.iter().any(|&event| {
        if event == command.enqueue.event {
            return false;
        }
        matches!(final_state(&records.of(event)), State::Failed(_))
    });
    let own = if listed_failed {
        Some(WAIT_LIST_FAILED)
    } else if command.kind == (Kind::Work { fails: true }) {
        Some(-5)
    } else {
        None
    };
    let mut failures: Vec<_> = own.into_iter().collect();
    if !listed_failed {
        let children = command.enqueue.children.iter();
        let failed = children.filter_map(|child| final_state(&records.of(child.event)).failure());
        failures.extend(failed);
    }
    match command.state.failure() {
        Some(status) => assert!(failures.contains(&status), "{:?}", command.enqueue),
        None => assert!(failures.is_empty(), "{:?}", command.enqueue),
    }
    let runs = usize::from(!listed_failed);
    assert_eq!((record.performed, record.discarded), (runs, 1 - runs));
    let Times {
        queued,
        submit,
        start,
        end,
        complete,
    } = command.times;
    assert!(
        queued < submit && submit < start && start <= end && end <= complete,
        "{:?}",
        command.times
    );
    for &event in &command.list {
        let (_, before) = records.of(event).last.expect("an event was not deleted");
        assert!(before.complete < start, "started before its list had ended");
    }
    check_looks_and_notices(record, command.state);
}

/// What a command enqueues is enqueued if it is performed, and is complete before it is.
fn check_children(command: &Played<'_>, played: &[Played<'_>], records: &Records) {
    let performed = records.of(command.enqueue.event).performed == 1;
    for child in &command.enqueue.children {
        let mut same = played
            .iter()
            .filter(|other| other.enqueue.event == child.event);
        let Some(child) = same.next() else {
            assert!(!performed, "a child is lost");
            continue;
        };
        assert!(performed && command.times.start < child.times.submit);
        assert!(
            child.times.complete < command.times.complete,
            "complete before its children: {:?}",
            command.enqueue
        );
    }
}

fn check_looks_and_notices(record: &Record, last: State) {
    let codes: Vec<_> = record.seen.iter().map(|state| state.code()).collect();
    assert!(
        codes.is_sorted_by(|before, after| before >= after),
        "{codes:?}"
    );
    let mut told: Vec<_> = record
        .told
        .iter()
        .map(|(trigger, _)| *trigger as u8)
        .collect();
    let mut asked: Vec<_> = record.asked.iter().map(|trigger| *trigger as u8).collect();
    told.sort_unstable();
    asked.sort_unstable();
    assert_eq!(told, asked, "a notice is told once");
    for &(trigger, failure) in &record.told {
        // A failure may come after a notice of the states before it, never instead of none.
        assert!(failure.is_none() || failure == last.failure());
        if trigger == Trigger::Complete {
            assert_eq!(failure, last.failure());
        }
    }
}

/// The order that the command's queue promises.
fn check_order(program: &Program, command: &Played<'_>, played: &[Played<'_>]) {
    let in_order = !program.queues[command.queue].out_of_order;
    for earlier in played {
        if earlier.queue != command.queue || earlier.place >= command.place {
            continue;
        }
        let after_all = matches!(command.kind, Kind::Marker | Kind::Barrier);
        let before_all = matches!(earlier.kind, Kind::Barrier | Kind::BarrierWithList);
        if in_order || after_all || before_all {
            assert!(
                earlier.times.complete < command.times.start,
                "{:?} before {:?}",
                command.enqueue,
                earlier.enqueue
            );
        }
    }
    let alone = matches!(program.choice, Choice::OneAtATime | Choice::LastFirst);
    let runs =
        |one: &Played<'_>| matches!(one.kind, Kind::Work { .. }) && one.times.start < one.times.end;
    for other in played {
        let apart = other.queue != command.queue || other.place == command.place;
        if alone && !apart && runs(command) && runs(other) {
            let (one, other) = (command.times, other.times);
            assert!(
                one.end < other.start || other.end < one.start,
                "two at a time"
            );
        }
    }
    let mut same = played
        .iter()
        .filter(|other| other.queue == command.queue && other.place == command.place);
    assert!(
        same.next().is_some() && same.next().is_none(),
        "a place is taken once"
    );
}
