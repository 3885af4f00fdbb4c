//! Host programs of programs of commands: they keep to the table of functions, and their records read as traces.

use super::*;
use crate::commands::generate::{Profile, random};
use crate::commands::order::Moment;
use crate::host::Record;
use std::collections::BTreeSet;

fn plans() -> impl Iterator<Item = Plan> {
    Profile::all().into_iter().flat_map(|(_, _, profile)| {
        (0..4).map(move |seed| random(seed, &profile).expect("a program"))
    })
}

/// What is wrong with a host program, by what the table of functions and its own lists say.
fn faults(program: &HostProgram) -> Vec<String> {
    let mut found = Vec::new();
    let mut marks = BTreeSet::new();
    program.steps(&mut |step| {
        if let Some(mark) = step.mark
            && !marks.insert(mark)
        {
            found.push(format!("{mark:?} comes twice"));
        }
        let Op::Call(call) = &step.op else {
            return;
        };
        let parameters = call.function.signature().parameters.len();
        if call.arguments.len() != parameters {
            found.push(format!("{} has {parameters} parameters", call.function));
        }
        let mut slots: Vec<Slot> = call.made.into_iter().collect();
        for argument in &call.arguments {
            argument.needed(&mut slots);
            argument.each(&mut |value| {
                if let Value::Callback(id) | Value::Data(id) = value
                    && id.index() >= program.callbacks.len()
                {
                    found.push(format!("{id:?} is not there"));
                }
            });
        }
        let missing = slots
            .iter()
            .filter(|slot| slot.index() >= program.slots.len());
        found.extend(missing.map(|slot| format!("{slot:?} is not there")));
    });
    found
}

#[test]
fn calls_keep_to_the_table_of_functions() {
    for plan in plans() {
        let mut program = lower(&plan).program;
        assert_eq!(faults(&program), Vec::<String>::new());
        // What is left out shows.
        let call = program
            .begin
            .iter_mut()
            .find_map(|step| match &mut step.op {
                Op::Call(call) => Some(call),
                _ => None,
            });
        call.expect("a call").arguments.pop();
        assert_eq!(faults(&program).len(), 1);
    }
}

#[test]
fn every_command_is_enqueued_once_with_its_wait_list() {
    for plan in plans() {
        let lowered = lower(&plan);
        let (mut enqueues, mut waits) = (0, 0);
        for thread in &lowered.program.threads {
            all_calls(thread, &mut |call| {
                if call.function.name().starts_with("clEnqueue") {
                    enqueues += 1;
                    let list = &call.arguments[call.arguments.len() - 2];
                    if let Value::List(_, events) = list {
                        waits += events.len();
                    }
                }
            });
        }
        let commands = &plan.program.commands;
        assert_eq!(enqueues, commands.len());
        assert_eq!(waits, commands.iter().map(|c| c.wait.len()).sum::<usize>());
        let functions = lowered.program.functions();
        for command in commands {
            let function = match &command.what {
                What::Kernel(_) => Function::EnqueueNDRangeKernel,
                What::Native(_) => Function::EnqueueNativeKernel,
                What::Marker => Function::EnqueueMarkerWithWaitList,
                What::Barrier => Function::EnqueueBarrierWithWaitList,
                What::Free(_) => Function::EnqueueSVMFree,
                _ => continue,
            };
            assert!(functions.contains(&function), "{function}");
        }
    }
}

fn all_calls(steps: &[Step], then: &mut dyn FnMut(&Call)) {
    for step in steps {
        match &step.op {
            Op::Call(call) => then(call),
            Op::Sequence(steps) => all_calls(steps, then),
            _ => {}
        }
    }
}

#[test]
fn every_step_has_marks_of_its_own() {
    for plan in plans() {
        let lowered = lower(&plan);
        let mut marks = BTreeSet::new();
        for (place, step) in plan.program.steps() {
            let (first, last) = lowered.names.steps[&place];
            let asks = matches!(step, crate::commands::program::Step::Status(_));
            assert_eq!(first != last, asks, "{place}");
            assert!(
                marks.insert(first) && (!asks || marks.insert(last)),
                "{place}"
            );
        }
    }
}

#[test]
fn a_record_reads_as_a_trace_and_an_empty_one_as_none() {
    let mut read = 0;
    for plan in plans() {
        let lowered = lower(&plan);
        let nothing = lowered.trace(&plan, &Record::default(), 3);
        assert_eq!(nothing.run, 3);
        assert!(nothing.codes.is_empty() && nothing.stamps.is_empty() && nothing.reads.is_empty());
        assert_eq!(plan.check(&nothing), []);
        // Every marked step came one after the other, and failed with a number of its own.
        let mut record = Record::default();
        for (n, (first, last)) in (1..).zip(lowered.names.steps.values()) {
            for mark in [*first, *last] {
                record.codes.insert(mark, -n);
                record
                    .stamps
                    .insert(mark, (10 * n as u64, 10 * n as u64 + 5));
            }
        }
        let trace = lowered.trace(&plan, &record, 0);
        for (n, place) in (1..).zip(lowered.names.steps.keys()) {
            assert_eq!(trace.codes[place], -n);
            assert_eq!(trace.stamps[&Moment::Call(*place)], 10 * n as u64);
            assert_eq!(trace.stamps[&Moment::Return(*place)], 10 * n as u64 + 5);
        }
        read += trace.codes.len();
    }
    assert!(read > 500, "{read}");
}

#[test]
fn what_was_read_is_told_cell_by_cell() {
    let mut seen = 0;
    for plan in plans() {
        let lowered = lower(&plan);
        let words = usize::from(plan.program.cell_words);
        let mut record = Record::default();
        for place in (0..plan.program.commands.len()).map(CommandId::at) {
            let (_, mark) = lowered.names.steps[&plan.order.enqueued(place)];
            record.codes.insert(mark, 0);
        }
        for (read, answer) in &lowered.names.reads {
            let cells = plan.memory.reads().get(read).map_or(1, Vec::len);
            let whole = vec![7_u32; words * cells];
            let bytes = whole.iter().flat_map(|word| word.to_ne_bytes());
            record.answers.insert(*answer, bytes.collect());
        }
        let trace = lowered.trace(&plan, &record, 0);
        let looked_at = plan.memory.reads().iter();
        for (read, cells) in looked_at.filter(|(read, _)| lowered.names.reads.contains_key(read)) {
            let all = vec![crate::commands::trace::Seen::Whole(7); cells.len()];
            assert_eq!(trace.reads.get(read), Some(&all), "{read:?}");
            seen += cells.len();
        }
    }
    assert!(seen > 200, "{seen}");
}

#[test]
fn checks_are_drawn_that_an_empty_record_passes() {
    for plan in plans().step_by(5) {
        let lowered = lower(&plan);
        let checks = lowered.checks(&plan);
        assert!(!checks.is_empty());
        let nothing = Record::default();
        let broken: Vec<_> = checks
            .iter()
            .flat_map(|c| c.evaluate(&nothing, 0))
            .collect();
        assert_eq!(broken, []);
        for check in &checks {
            let known = |rule: &crate::rule::RuleId| crate::catalogue::of(*rule).is_some();
            assert!(check.rules.iter().all(known), "{check:?}");
        }
    }
}
