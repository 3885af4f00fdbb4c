//! Each check has a record that breaks it and one that passes.

use super::*;
use crate::host::token::{CommandId, Token, Writer};
use crate::host::value::{Place, Slot};
use crate::host::{Contents, Unit};
use crate::host::{Function, Kernels};
use crate::rule;

fn check(says: &str, that: That) -> Check {
    Check::new(vec![rule::API_VALID], says, that)
}

/// What a record breaks, as sentences.
fn broken(check: &Check, record: &Record) -> Vec<String> {
    let found = check.evaluate(record, 3);
    found.into_iter().map(|v| v.what).collect()
}

fn answering(id: u16, bytes: &[u8]) -> Record {
    Record {
        answers: [(AnswerId(id), bytes.to_vec())].into(),
        ..Record::default()
    }
}

fn calling(stamps: &[(u16, u64)]) -> Record {
    let fired = |&(n, stamp)| Fired {
        callback: CallbackId(n),
        status: 0,
        right: true,
        stamp,
    };
    Record {
        fired: stamps.iter().map(fired).collect(),
        ..Record::default()
    }
}

#[test]
fn codes_are_among_the_right_ones() {
    let right = Right::AmongOrNegative(vec![0]);
    let check = check("it returned {}", That::Code(Mark(1), right));
    let coded = |code| Record {
        codes: [(Mark(1), code)].into(),
        failed: Some((Function::Finish, code)),
        ..Record::default()
    };
    assert_eq!(broken(&check, &coded(1)), ["it returned 1"]);
    for code in [0, -5, NOT_MADE] {
        assert!(broken(&check, &coded(code)).is_empty());
    }
    assert!(broken(&check, &Record::default()).is_empty());
}

#[test]
fn numbers_are_signed_and_as_long_as_their_answer() {
    let between = check("{}", That::Number(AnswerId(0), Right::Between(-2, 3)));
    assert_eq!(
        broken(&between, &answering(0, &(-3i32).to_ne_bytes())),
        ["-3"]
    );
    assert!(broken(&between, &answering(0, &(-2i64).to_ne_bytes())).is_empty());
    let not = check("none is left", That::Number(AnswerId(0), Right::Not(0)));
    assert_eq!(broken(&not, &answering(0, &[0; 4])), ["none is left"]);
    assert!(broken(&not, &answering(0, &[1, 0, 0, 0])).is_empty());
}

#[test]
fn nothing_but_what_holds_even_so_is_checked_after_a_timeout() {
    let mut record = answering(0, &[0; 4]);
    record.timed_out = true;
    let not = check("wrong", That::Number(AnswerId(0), Right::Not(0)));
    assert!(broken(&not, &record).is_empty());
    assert_eq!(broken(&not.even_so(true), &record), ["wrong"]);
}

#[test]
fn what_is_wrong_is_told_of_each_column() {
    let contents = Contents::Words(vec![1, 2, 3, 4, 5, 6]);
    let mut want = Same::new(Unit::Word, contents, false);
    want.columns = ["hadd of int", "abs of int"].map(String::from).into();
    let of = check("the log", That::Bytes(AnswerId(0), Want::Same(want)));
    let seen = |words: [u32; 6]| answering(0, &words.map(u32::to_le_bytes).concat());
    assert_eq!(broken(&of, &seen([1, 2, 3, 4, 5, 6])), [""; 0]);
    let wrong = ["the log, by abs of int: word 3 is 7, not 4"];
    assert_eq!(broken(&of, &seen([1, 2, 3, 7, 5, 8])), wrong);
    let both = [
        "the log, by hadd of int: word 2 is 0, not 3",
        "the log, by abs of int: word 3 is 7, not 4",
    ];
    assert_eq!(broken(&of, &seen([1, 2, 0, 7, 5, 6])), both);
}

#[test]
fn bytes_are_compared_by_their_units() {
    let same = |racy| {
        let contents = Contents::Words(vec![1, 2]);
        let want = Want::Same(Same::new(Unit::Word, contents, racy));
        check("the log", That::Bytes(AnswerId(0), want))
    };
    let wrong = answering(0, &[1, 0, 0, 0, 3, 0, 0, 0]);
    assert_eq!(
        broken(&same(false), &wrong),
        ["the log: word 1 is 3, not 2"]
    );
    assert_eq!(broken(&same(true), &wrong), ["the log: word 1 is not 2"]);
    let right = answering(0, &[1, 0, 0, 0, 2, 0, 0, 0]);
    assert!(broken(&same(false), &right).is_empty());
    let halves = check(
        "both",
        That::Bytes(AnswerId(0), Want::Halves { unit: Unit::Byte }),
    );
    assert_eq!(
        broken(&halves, &answering(0, &[1, 2, 1, 3])),
        ["both: byte 1 is 3, not 2"]
    );
    assert!(broken(&halves, &answering(0, &[1, 2, 1, 2])).is_empty());
}

#[test]
fn each_value_of_a_permutation_comes_once() {
    let want = Want::Permutation(Permutation {
        unit: Unit::Byte,
        count: 3,
        first: 4,
        step: 2,
    });
    let check = check("tickets", That::Bytes(AnswerId(0), want));
    assert!(broken(&check, &answering(0, &[8, 4, 6, 99])).is_empty());
    assert_eq!(
        broken(&check, &answering(0, &[8, 4, 4])),
        ["tickets: a value came twice"]
    );
    assert_eq!(
        broken(&check, &answering(0, &[8, 4, 7])),
        ["tickets: a value is missing"]
    );
}

#[test]
fn pointers_lead_where_slots_are() {
    let to = Place {
        object: Slot(2),
        byte: 8,
    };
    let list = vec![(0, Some(to)), (8, None)];
    let check = check("links", That::Bytes(AnswerId(0), Want::Pointers(list)));
    let mut record = answering(0, &[108u64.to_ne_bytes(), 0u64.to_ne_bytes()].concat());
    record.addresses.insert(Slot(2), 100);
    assert!(broken(&check, &record).is_empty());
    record.addresses.insert(Slot(2), 101);
    let what = "links: the pointer at byte 0 does not lead to byte 8 of object 2";
    assert_eq!(broken(&check, &record), [what]);
}

#[test]
fn what_is_not_asked_of_sub_groups_is_not_compared() {
    let ids = [0, 1, 2, 3, 4].map(AnswerId);
    let [size, count, local, length, again] = ids;
    let answers = SubGroupAnswers {
        size,
        count,
        local,
        length,
        again,
    };
    let want = Want::SubGroups {
        answers,
        groups: vec![],
    };
    let check = check("map", That::Bytes(AnswerId(5), want));
    let mut record = answering(5, &[]);
    let mut say = |id: AnswerId, n: u64| {
        record.answers.insert(id, n.to_ne_bytes().to_vec());
    };
    say(size, 4);
    say(count, 2);
    say(local, 8);
    say(length, 0);
    say(again, 3);
    assert!(broken(&check, &record).is_empty());
    record.answers.insert(length, 8u64.to_ne_bytes().to_vec());
    let what = "map: the host is told of a local size for 2 sub-groups that has 3";
    assert_eq!(broken(&check, &record), [what]);
}

#[test]
fn callbacks_are_called_as_often_and_with_what_they_must() {
    let [one, two] = [CallbackId(1), CallbackId(2)];
    let often = That::Fired(vec![one, two], Some(Mark(0)), Right::Between(1, 1));
    let often = check("called {} times", often);
    let mut record = calling(&[(1, 5), (2, 9)]);
    assert!(broken(&often, &record).is_empty(), "not registered");
    record.codes.insert(Mark(0), 0);
    assert_eq!(broken(&often, &record), ["called 2 times"]);
    let order = |all| check("out of order", That::FiredInOrder(all));
    assert!(broken(&order(vec![one, two]), &record).is_empty());
    assert_eq!(broken(&order(vec![two, one]), &record), ["out of order"]);
    let right = check("given another", That::FiredRight(one));
    assert!(broken(&right, &record).is_empty());
    record.fired[0].right = false;
    record.fired[0].status = -1;
    assert_eq!(broken(&right, &record), ["given another"]);
    let status = That::FiredWith(one, Right::Among(vec![0]));
    assert_eq!(broken(&check("{}", status), &record), ["-1"]);
}

#[test]
fn moments_come_in_order() {
    let (began, fired) = (Moment::Began(Mark(0)), Moment::Fired(CallbackId(1)));
    let before = |first, then| check("too early", That::Before(first, then));
    let mut record = calling(&[(1, 5)]);
    assert!(broken(&before(began, fired), &record).is_empty(), "none");
    record.stamps.insert(Mark(0), (6, 7));
    assert_eq!(broken(&before(began, fired), &record), ["too early"]);
    assert!(broken(&before(fired, Moment::Ended(Mark(0))), &record).is_empty());
}

#[test]
fn profiled_times_fit_the_clock() {
    let mut record = Record::default();
    let mut say = |id: u16, n: u64| {
        record
            .answers
            .insert(AnswerId(id), n.to_ne_bytes().to_vec());
    };
    say(0, 1000);
    say(1, 2000);
    let [queued, start] = [AnswerId(0), AnswerId(1)];
    let after = |one, two| check("too late", That::NotAfter(one, two));
    assert!(broken(&after(queued, start), &record).is_empty());
    assert_eq!(broken(&after(start, queued), &record), ["too late"]);
    record.clock.insert(Mark(0), (0, 10));
    record
        .clock
        .insert(Mark(1), (HELD_LONG + 10, HELD_LONG + 20));
    let resolution = AnswerId(9);
    let that = That::Held {
        queued,
        start,
        since: Mark(0),
        until: vec![Mark(1)],
        resolution,
    };
    let held = check("too soon", that);
    assert_eq!(broken(&held, &record), ["too soon"]);
    let mut coarse = record.clone();
    let step = HELD_LONG.to_ne_bytes().to_vec();
    coarse.answers.insert(resolution, step);
    assert!(broken(&held, &coarse).is_empty());
    let end = (1000 + HELD_LONG).to_ne_bytes().to_vec();
    record.answers.insert(start, end);
    assert!(broken(&held, &record).is_empty());
    let that = That::Within {
        queued,
        end: start,
        since: Mark(0),
    };
    let within = check("too long", that);
    record.finished = Some(100);
    assert!(broken(&within, &record).is_empty());
    let end = (1000 + 2 * CLOCK_SLACK).to_ne_bytes().to_vec();
    record.answers.insert(start, end);
    assert_eq!(broken(&within, &record), ["too long"]);
}

#[test]
fn memory_that_grows_each_time_is_a_leak() {
    let grows = |sizes: [i64; 3]| {
        let all = sizes.iter().enumerate();
        let record = Record {
            answers: all
                .map(|(n, size)| (AnswerId(n as u16), size.to_ne_bytes().to_vec()))
                .collect(),
            ..Record::default()
        };
        let answers = [0, 1, 2].map(AnswerId).to_vec();
        !broken(&check("it grows", That::Growth(answers, 48)), &record).is_empty()
    };
    assert!(grows([0, 49, 98]));
    assert!(!grows([0, 49, 97]));
}

#[test]
fn kernels_are_those_that_were_asked_for() {
    let of = |names: &[&str], made: Result<&str, i32>| Record {
        kernels: [(
            Mark(0),
            Kernels {
                asked: vec!["a".into()],
                names: names.iter().map(|name| name.to_string()).collect(),
                count: 1,
                made: vec![made.map(String::from)],
            },
        )]
        .into(),
        ..Record::default()
    };
    let check = check("", That::Kernels(Mark(0)));
    assert!(broken(&check, &of(&["a"], Ok("a"))).is_empty());
    let what = "a program of the kernels a names b";
    assert_eq!(broken(&check, &of(&["b"], Ok("a"))), [what]);
    assert_eq!(
        broken(&check, &of(&["a"], Ok("c"))),
        ["the kernel a is called c"]
    );
    assert_eq!(
        broken(&check, &of(&["a"], Err(-46))),
        ["the kernel a gives error -46"]
    );
}

#[test]
fn what_led_astray_is_named() {
    let astray = check("{}", That::Astray(Mark(2)));
    let mut record = Record::default();
    assert!(broken(&astray, &record).is_empty());
    record.astray.insert(Mark(2), "a pointer to nowhere".into());
    assert_eq!(broken(&astray, &record), ["a pointer to nowhere"]);
}

#[test]
fn cells_hold_whole_tokens_of_their_writers() {
    let [one, two] = [1, 2].map(|n| (Writer::Command(CommandId(n)), 0));
    let cell = |wanted| Cell {
        reader: "command 9".into(),
        wanted,
        instead: vec![Instead {
            found: Some(two),
            rules: vec![rule::API_ERRORS],
            torn: vec![rule::QUEUE_THREADS],
        }],
        otherwise: (vec![rule::API_VALID], vec![rule::API_LIFETIME]),
    };
    let word = |of: (Writer, u8)| Token::of(3, of.0, of.1).0;
    let found = |wanted, words: [u32; 2]| {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
        let that = That::Cells(AnswerId(0), vec![cell(wanted)]);
        let found = check("", that).evaluate(&answering(0, &bytes), 3);
        found.first().map(|v| (v.rules[0], v.what.clone()))
    };
    let saw = |rule, what: &str| Some((rule, format!("command 9 saw {what}")));
    assert_eq!(found(Some(one), [word(one); 2]), None);
    let right = "not cell 0 of command 1";
    assert_eq!(
        found(Some(one), [word(two); 2]),
        saw(rule::API_ERRORS, &format!("cell 0 of command 2, {right}"))
    );
    assert_eq!(
        found(Some(one), [word(one), word(two)]),
        saw(
            rule::QUEUE_THREADS,
            &format!("cell 0 of command 1 and cell 0 of command 2, {right}")
        )
    );
    assert_eq!(
        found(Some(one), [7, 7]),
        saw(rule::API_VALID, &format!("no token of this run, {right}"))
    );
    assert_eq!(found(None, [7, 7]), None);
    assert_eq!(
        found(None, [7, word(two)]),
        saw(rule::API_ERRORS, "cell 0 of command 2")
    );
}

#[test]
fn a_list_is_contained_in_another() {
    let mut record = Record::default();
    let mut list = |id: u16, all: &[u64]| {
        let bytes = all.iter().flat_map(|n| n.to_ne_bytes()).collect();
        record.answers.insert(AnswerId(id), bytes);
    };
    list(0, &[1 << 40, 7, 0, 0]);
    list(1, &[7, 9, 1 << 40]);
    list(2, &[7, 7]);
    let within = |one, other| check("strays", That::Contained(AnswerId(one), AnswerId(other)));
    assert!(broken(&within(0, 1), &record).is_empty());
    assert!(broken(&within(0, 0), &record).is_empty());
    assert_eq!(broken(&within(1, 0), &record), ["strays"]);
    assert_eq!(broken(&within(2, 1), &record), ["strays"]);
    assert!(broken(&within(3, 1), &record).is_empty(), "none is there");
}
