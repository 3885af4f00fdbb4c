//! What a program of commands becomes for a player: memory that the lowering adds is memory, too.

use super::clause::{Clause, Complaint};
use super::order::Order;
use super::source;
use classay_suites::commands::check::Plan;
use classay_suites::commands::program::Program;
use classay_suites::family::{DeviceInfo, Family};
use classay_suites::host::{Call, Fixture, Function, HostProgram, Op, ProgramOf, Slot, Value};
use std::collections::{BTreeMap, BTreeSet};

/// Everything that is undefined in the memory that only the lowered program has.
pub fn complaints(plan: &Plan, lowered: &HostProgram) -> BTreeSet<Complaint> {
    judge(&plan.program, lowered)
}

fn judge(program: &Program, lowered: &HostProgram) -> BTreeSet<Complaint> {
    let used = added_memory(lowered);
    let order = Order::of(program);
    let mut found = BTreeSet::new();
    for (a, memory_a) in &used {
        for (b, memory_b) in used.range(a + 1..) {
            if order.fails(*a) || order.fails(*b) || !order.overlap(*a, *b) {
                continue;
            }
            for (name, write) in memory_a {
                if memory_b.get(name).is_some_and(|other| *write || *other) {
                    let what = format!(
                        "nothing orders commands {a} and {b}, whose kernels both get {name}"
                    );
                    let clause = Clause::Object;
                    found.insert(Complaint { clause, what });
                }
            }
        }
    }
    found
}

/// The buffers that each kernel command gets beside the program's own, and whether the kernel may write them.
fn added_memory(program: &HostProgram) -> BTreeMap<usize, BTreeMap<String, bool>> {
    let name = |slot: Slot| program.slots[slot.index()].name.as_str();
    let mut arguments: BTreeMap<Slot, BTreeMap<u64, Slot>> = BTreeMap::new();
    let mut used = BTreeMap::new();
    program.steps(&mut |step| {
        let Op::Call(call) = &step.op else { return };
        match call.function {
            Function::SetKernelArg => {
                if let [
                    Value::Slot(kernel),
                    Value::Number(n),
                    _,
                    Value::List(_, values),
                ] = &call.arguments[..]
                {
                    let arguments = arguments.entry(*kernel).or_default();
                    match values[..] {
                        [Value::Slot(slot)] => arguments.insert(*n, slot),
                        _ => arguments.remove(n),
                    };
                }
            }
            Function::EnqueueNDRangeKernel => {
                let (Some(command), Some(kernel)) = (command(program, call), kernel(call)) else {
                    return;
                };
                let writes = written(program, kernel);
                let memory = arguments.get(&kernel).into_iter().flatten();
                let memory = memory
                    .filter(|(_, slot)| !name(**slot).starts_with("object_"))
                    .map(|(n, slot)| (name(*slot).to_owned(), writes.contains(n)));
                used.insert(command, memory.collect());
            }
            _ => {}
        }
    });
    used
}

fn kernel(call: &Call) -> Option<Slot> {
    match call.arguments.get(1) {
        Some(Value::Slot(slot)) => Some(*slot),
        _ => None,
    }
}

/// The command that a call enqueues, by the name of its event.
fn command(program: &HostProgram, call: &Call) -> Option<usize> {
    let Some(Value::Into(event)) = call.arguments.last() else {
        return None;
    };
    let name = &program.slots[event.index()].name;
    name.strip_prefix("event_")?.parse().ok()
}

/// The parameters of a kernel that it may write through.
fn written(program: &HostProgram, kernel: Slot) -> BTreeSet<u64> {
    let fixture = |slot: Slot| program.fixtures.iter().find(|(other, _)| *other == slot);
    let Some((_, Fixture::Kernel { program, name, .. })) = fixture(kernel) else {
        return BTreeSet::new();
    };
    let Some((_, Fixture::Program { of, .. })) = fixture(*program) else {
        return BTreeSet::new();
    };
    let in_text = |text: &str| {
        let parameters = source::parameters(text, name).unwrap_or_default();
        let parameters = (0..).zip(parameters);
        parameters
            .filter_map(|(n, one)| one.writes.then_some(n))
            .collect()
    };
    match of {
        ProgramOf::Source(text) => in_text(text),
        ProgramOf::Translated(units) => in_text(&units.concat()),
        ProgramOf::Units(_) | ProgramOf::Module(_) | ProgramOf::BuiltIn(_) => BTreeSet::new(),
    }
}

#[test]
fn kernels_that_nothing_orders_are_not_given_one_buffer() {
    let reads = |queue: u16| {
        format!(
            "{{queue: {queue}, what: {{kernel: {{reads: [{{object: 0, first: 0, count: 1}}], items: 1}}}}}}"
        )
    };
    let program = |second: u16| {
        let text = format!(
            "{}commands: [{}, {}]\nthreads: [[{{enqueue: 0}}, {{enqueue: 1}}, {{finish: 0}}, {{finish: {second}}}]]\n",
            include_str!("prelude.yaml"),
            reads(0),
            reads(second),
        );
        Plan::read(&text).expect("a program")
    };
    for second in [0, 1] {
        let plan = program(second);
        let mut lowered = plan.lower(&DeviceInfo::unknown()).as_ref().clone();
        assert_eq!(judge(&plan.program, &lowered), BTreeSet::new());
        // Both get the log of the first.
        let log = |name: &str| lowered.slots.iter().position(|slot| slot.name == name);
        let first = Slot(log("log_0").expect("a log") as u16);
        let Some(other) = log("log_1") else {
            assert_eq!(second, 0, "kernels of an in-order queue share a log");
            continue;
        };
        for thread in &mut lowered.threads {
            give(thread, Slot(other as u16), first);
        }
        assert_eq!(judge(&plan.program, &lowered).len(), 1);
    }
}

#[cfg(test)]
fn give(steps: &mut [classay_suites::host::Step], from: Slot, to: Slot) {
    for step in steps {
        match &mut step.op {
            Op::Sequence(steps) => give(steps, from, to),
            Op::Call(call) => {
                for value in &mut call.arguments {
                    if let Value::List(_, values) = value {
                        let here = values.iter_mut().filter(|one| **one == Value::Slot(from));
                        here.for_each(|one| *one = Value::Slot(to));
                    }
                }
            }
            _ => {}
        }
    }
}
