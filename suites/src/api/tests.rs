use super::*;
use crate::host::check::{Moment, Right, Same, That, Want};
use crate::host::{
    AnswerId, Fired, Function, HostProgram, Mark, NOT_MADE, Op, Record, Step, Value,
};

fn generated() -> impl Iterator<Item = Case> {
    let kinds = FAMILIES
        .iter()
        .map(|(family, kind, _)| format!("{family}/{kind}"));
    kinds.flat_map(|name| {
        let case = move |seed| few_calls(generate(&name, seed).expect("a case"), seed);
        (0..25).map(case)
    })
}

/// A case of all calls that must be refused as one of some of them, others with each seed.
fn few_calls(case: Case, seed: u64) -> Case {
    let from = seed as usize * 40;
    match case.calls() {
        0..200 => case,
        all => case.part(from.min(all - 150)..(from + 150).min(all)),
    }
}

fn device() -> DeviceInfo {
    DeviceInfo {
        built_in_kernels: vec!["one".into(), "two".into()],
        said: Described::default(),
    }
}

/// Gives each step of a program, in the order in which one thread would do them.
fn steps<'p>(program: &'p HostProgram, then: &mut dyn FnMut(&'p Step)) {
    fn all<'p>(steps: &'p [Step], then: &mut dyn FnMut(&'p Step)) {
        for step in steps {
            then(step);
            match &step.op {
                Op::Repeat { body, .. } | Op::Sequence(body) => all(body, then),
                _ => {}
            }
        }
    }
    all(&program.begin, then);
    program.threads.iter().for_each(|steps| all(steps, then));
    all(&program.end, then);
}

/// What an ideal device shows of a case: every call returns what it must, what is held back is queued until it is let
/// go, and every callback comes once for each registration, in the order in which they may come.
fn ideal(lowered: &Lowered) -> Record {
    let mut record = Record::default();
    let mut stamp = 0;
    steps(&lowered.program, &mut |step| {
        stamp += 10;
        if let (Some(mark), Op::Call(call)) = (step.mark, &step.op) {
            record
                .codes
                .insert(mark, call.expect.codes.first().copied().unwrap_or(0));
            record.stamps.insert(mark, (stamp, stamp + 5));
        }
    });
    for check in &lowered.checks {
        match &check.that {
            That::Number(answer, right) => {
                let number: i32 = match right {
                    Right::Among(all) => all[0] as i32,
                    Right::Between(least, _) => *least as i32,
                    Right::Not(_) | Right::AmongOrNegative(_) => 1,
                };
                record
                    .answers
                    .insert(*answer, number.to_ne_bytes().to_vec());
            }
            That::Code(mark, Right::Among(all)) => {
                record.codes.insert(*mark, all[0] as i32);
            }
            That::Bytes(answer, Want::Same(Same { contents, .. })) => {
                let bytes = read_of(&lowered.program, *answer);
                record.answers.insert(*answer, contents.bytes(bytes));
            }
            That::Growth(answers, _) => {
                for answer in answers {
                    record
                        .answers
                        .insert(*answer, 4096_u64.to_ne_bytes().to_vec());
                }
            }
            _ => {}
        }
    }
    for check in &lowered.checks {
        if let That::Fired(callbacks, _, Right::Among(times)) = &check.that {
            let callback = callbacks[0];
            let in_time = lowered.checks.iter().find_map(|check| match check.that {
                That::Before(Moment::Fired(of), Moment::Ended(mark)) if of == callback => {
                    record.stamps.get(&mark).map(|stamps| stamps.1 - 1)
                }
                _ => None,
            });
            let stamp = in_time.unwrap_or(stamp + 100);
            let fired = Fired {
                callback,
                status: 0,
                right: true,
                stamp,
            };
            // The last one first, as destructors come.
            (0..times[0]).for_each(|_| record.fired.insert(0, fired));
        }
    }
    for check in &lowered.checks {
        if let That::FiredWith(callback, _) = check.that
            && !record.fired.iter().any(|fired| fired.callback == callback)
        {
            record.fired.push(Fired {
                callback,
                status: 0,
                right: true,
                stamp,
            });
        }
    }
    record
}

/// Bytes of an answer.
fn read_of(program: &HostProgram, answer: AnswerId) -> usize {
    let mut bytes = 0;
    steps(program, &mut |step| {
        if let Op::Call(call) = &step.op {
            for argument in &call.arguments {
                if let Value::Answer(id, length) = argument
                    && *id == answer
                {
                    bytes = *length;
                }
            }
        } else if let Op::Read {
            stretches, into, ..
        } = &step.op
            && *into == answer
        {
            bytes = stretches.count * stretches.bytes;
        }
    });
    bytes
}

#[test]
fn a_case_reads_as_it_was_written() {
    for case in generated() {
        let text = case.write();
        assert!(text.starts_with("kind: api\n"), "{text}");
        assert_eq!(Case::read(&text), Ok(case), "{text}");
    }
}

#[test]
fn older_files_are_read() {
    let text = "story:\n  again:\n    act: part\n    times: 3\n";
    let scenario = Scenario::Again {
        operation: Operation::SubBuffer,
        times: 3,
    };
    assert_eq!(Case::read(text).map(|case| case.scenario), Ok(scenario));
    let destructors = "story:\n  destructors:\n    callbacks: 1\n    part: true\n";
    assert!(Case::read(destructors).is_ok());
    assert!(Case::read("kind: kernel\nscenario: built-in\n").is_err());
}

#[test]
fn a_file_that_calls_with_what_there_is_not_is_refused() {
    let file = |call: &str| {
        let text = format!(
            "scenario:\n  refused:\n    held: false\n    calls:\n    - call: {call}\n      codes: [CL_INVALID_VALUE]\n      sentence: one\n"
        );
        Case::read(&text).map(|_| ())
    };
    assert_eq!(file("clFlush(queue)"), Ok(()));
    for wrong in [
        "clFlush(no_such)",
        "clFlush()",
        "clNothing()",
        "clFlush(&no_such)",
    ] {
        assert!(file(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn every_refused_call_is_generated() {
    let all = ["api/errors", "api/errors-held"].map(|name| generate(name, 0));
    let some = ["api/errors-objects", "queue/failed-list"];
    let some = (0..200).flat_map(|seed| some.map(|name| generate(name, seed)));
    let cases = all.into_iter().chain(some);
    let mut seen = BTreeSet::new();
    for case in cases.flatten() {
        let Scenario::Refused { held, calls } = case.scenario else {
            panic!("another scenario");
        };
        assert!(!calls.is_empty());
        let ends = |call: &&Refused| call.is_strange() || call.has_failed();
        let strange = calls.iter().filter(ends).count();
        assert!(strange == 0 || (strange == calls.len() && strange <= 24));
        for call in &calls {
            assert!(held || !call.holds(), "{call}");
        }
        seen.extend(calls);
    }
    for row in refused::all() {
        assert!(seen.contains(row), "{row}");
    }
}

#[test]
fn a_device_is_asked_what_it_can_be() {
    let count = |case: &Case| match &case.scenario {
        Scenario::Refused { calls, .. } => calls.len(),
        other => panic!("{other:?}"),
    };
    let case = (0..100).find_map(|seed| {
        let case = generate("api/errors", seed)?;
        (case.needs().is_empty() && count(&case) > 200).then_some(case)
    });
    let case = case.expect("a case of many calls");
    let all = case.on(&device(), |_| true);
    assert_eq!(all, case);
    let few = case.on(&device(), BTreeSet::is_empty);
    assert!(
        (100..count(&case)).contains(&count(&few)),
        "{}",
        count(&few)
    );
    assert!(few.needs_of_all().is_empty());
    // One that asks for nothing else is skipped for what its calls have in common.
    let nothing = case.on(&device(), |needs| needs.contains(&Need::SvmCoarse));
    let nothing = nothing.on(&device(), BTreeSet::is_empty);
    assert!(nothing.needs().contains(&Need::SvmCoarse));
}

#[test]
fn calls_behind_one_that_was_let_through_are_a_part() {
    let case = generate("api/errors-held", 1).expect("a case");
    let lowered = case.lower(&device());
    let mut record = ideal(&lowered);
    assert_eq!(case.let_through(&record), None);
    record.codes.insert(Mark(3), 0);
    record.codes.insert(Mark(5), 0);
    assert_eq!(case.let_through(&record), Some(3));
    // What is in memory afterwards may be the work of the first, and is not told.
    let answers = record.answers.values_mut();
    answers.for_each(|bytes| bytes.iter_mut().for_each(|byte| *byte ^= 1));
    assert_eq!(case.check(&lowered, &record, 0).len(), 2);
    let rest = case.part(4..case.calls());
    assert_eq!(rest.calls() + 4, case.calls());
    // Marks number the calls of a part from its first on.
    let lowered = rest.lower(&device());
    let mut record = ideal(&lowered);
    record.codes.insert(Mark(0), 0);
    assert_eq!(rest.let_through(&record), Some(0));
    let other = generate("api/threads", 1).expect("a case");
    assert_eq!((other.calls(), other.part(0..0)), (0, other.clone()));
}

#[test]
fn every_refused_call_is_lowered_with_its_sentence() {
    for row in refused::all() {
        let case = Case {
            kind: Kind::Api,
            needs: row.all_needs(),
            scenario: Scenario::Refused {
                held: false,
                calls: vec![row.clone()],
            },
        };
        let lowered = case.lower(&device());
        let [step] = lowered.program.threads[0].as_slice() else {
            panic!("{row}: {:?}", lowered.program.threads);
        };
        let Op::Call(call) = &step.op else {
            panic!("{row}: {step:?}");
        };
        assert!(call.expect.refused(), "{row}");
        assert_eq!(call.expect.sentence.as_ref(), Some(&row.sentence));
        assert_eq!(call.function, row.call.function);
        let parameters = call.function.signature().parameters.len();
        assert_eq!(call.arguments.len(), parameters, "{row}");
    }
}

#[test]
fn what_is_as_it_must_be_passes() {
    for case in generated() {
        let lowered = case.lower(&device());
        // What programs must answer is asked of those of every case.
        let only_asks = matches!(
            case.scenario,
            Scenario::Programs(_) | Scenario::Described(_)
        );
        assert!(only_asks || !lowered.checks.is_empty(), "{case:?}");
        let record = ideal(&lowered);
        assert_eq!(case.check(&lowered, &record, 0), [], "{case:?}");
        for check in &lowered.checks {
            let covers = case.covers();
            assert!(check.rules.iter().all(|rule| covers.contains(rule)));
        }
    }
}

#[test]
fn a_call_that_is_let_through_fails_with_its_rule() {
    let objects = (0..5).filter_map(|seed| generate("api/errors-objects", seed));
    let held = generate("api/errors-held", 0).expect("a case").part(0..200);
    for case in objects.chain([held]) {
        let Scenario::Refused { calls, .. } = &case.scenario else {
            panic!("another scenario");
        };
        let lowered = case.lower(&device());
        for (n, call) in calls.iter().enumerate() {
            for code in [0, -6] {
                let mut record = ideal(&lowered);
                record.codes.insert(Mark(n as u16), code);
                let found = case.check(&lowered, &record, 0);
                assert_eq!(found.len(), 1, "{found:?}");
                assert_eq!(found[0].rules, call.rules());
                assert!(found[0].what.contains(&call.to_string()));
            }
            let mut record = ideal(&lowered);
            record.codes.insert(Mark(n as u16), NOT_MADE);
            assert_eq!(case.check(&lowered, &record, 0), []);
        }
    }
}

#[test]
fn everything_else_that_is_wrong_fails() {
    for case in generated() {
        let lowered = case.lower(&device());
        let fails = |wrong: &dyn Fn(&mut Record)| {
            let mut record = ideal(&lowered);
            wrong(&mut record);
            assert!(!case.check(&lowered, &record, 0).is_empty(), "{case:?}");
        };
        for check in &lowered.checks {
            match &check.that {
                That::Number(answer, right) => {
                    let wrong = match right {
                        Right::Not(wrong) => *wrong as i32,
                        Right::Between(least, i64::MAX) => *least as i32 - 1,
                        _ => 0x7000,
                    };
                    fails(&|record| {
                        let bytes = wrong.to_ne_bytes().to_vec();
                        record.answers.insert(*answer, bytes);
                    });
                }
                That::Bytes(answer, _) => fails(&|record| {
                    // A list that must have something in it is empty.
                    let bytes = record.answers.entry(*answer).or_insert(vec![0; 16]);
                    let at = bytes.len().min(8) - 1;
                    bytes[at] ^= 1;
                }),
                That::Fired(..) => fails(&|record| record.fired.clear()),
                That::FiredWith(..) => fails(&|record| {
                    record.fired.iter_mut().for_each(|fired| fired.status = -5);
                }),
                That::FiredRight(_) => fails(&|record| {
                    record
                        .fired
                        .iter_mut()
                        .for_each(|fired| fired.right = false);
                }),
                That::Growth(answers, least) => fails(&|record| {
                    for (n, answer) in answers.iter().enumerate() {
                        let bytes = n as i64 * (least + 1);
                        record.answers.insert(*answer, bytes.to_ne_bytes().to_vec());
                    }
                }),
                _ => {}
            }
        }
        fails(&|record| record.failed = Some((Function::Finish, -5)));
    }
}

#[test]
fn callbacks_that_come_too_early_or_in_another_order_fail() {
    let case = Case::read("scenario:\n  destructors:\n    callbacks: 2\n    sub_buffer: true\n");
    let case = case.expect("a case");
    let lowered = case.lower(&device());
    let mut early = ideal(&lowered);
    early.fired[0].stamp = 0;
    assert_eq!(case.check(&lowered, &early, 0).len(), 1);
    let mut turned = ideal(&lowered);
    turned.fired.reverse();
    assert_eq!(case.check(&lowered, &turned, 0).len(), 1);
}

#[test]
fn some_of_what_is_made_has_no_place_for_its_code() {
    let [mut silent, mut others] = [0, 0];
    for case in generated() {
        steps(&case.lower(&device()).program, &mut |step| {
            if let Op::Call(call) = &step.op {
                assert!(!call.silent || call.may_be_silent());
                silent += usize::from(call.silent);
                others += usize::from(call.may_be_silent() && !call.silent);
            }
        });
    }
    assert!(
        silent > 50 && others > 2 * silent,
        "{silent} beside {others}"
    );
}
