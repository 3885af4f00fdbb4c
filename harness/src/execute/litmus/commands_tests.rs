//! What tests with commands are lowered to is defined, by the checker that is written from the text of the
//! specification and shares no code with the lowering.

use super::*;
use classay_litmus::kernel::AtomicsDialect;
use classay_litmus::program::Command;
use classay_litmus::{shipped, syntax};
use classay_suites::host::{Call, Function, HostProgram, Op};
use clause::Clause;
use std::collections::BTreeSet;

#[allow(dead_code, reason = "the checker's own tests use all of it")]
#[path = "../../../../suites/tests/defined/clause.rs"]
mod clause;
#[allow(dead_code, reason = "the checker's own tests use all of it")]
#[path = "../../../../suites/tests/defined/host.rs"]
mod host;

fn lowered(program: &Program) -> Result<HostProgram, String> {
    let kernels = CommandKernels::write(program, AtomicsDialect::C11);
    let kernels = kernels.map_err(|why| why.to_string())?;
    let lowered = lower(program, &kernels).map_err(|why| why.reason().to_owned())?;
    Ok(lowered.program)
}

/// The clauses that a host program is against.
fn against(program: &HostProgram) -> BTreeSet<Clause> {
    let found = host::complaints(program);
    found.into_iter().map(|one| one.clause).collect()
}

/// The program without some steps of its threads.
fn without(program: &HostProgram, dropped: fn(&Op) -> bool) -> HostProgram {
    let mut program = program.clone();
    for thread in &mut program.threads {
        thread.retain(|step| !dropped(&step.op));
    }
    program
}

fn flushes(op: &Op) -> bool {
    matches!(op, Op::Call(Call { function, .. }) if *function == Function::Flush)
}

#[test]
fn shipped_tests_are_lowered_to_defined_programs() {
    let mut lowered_tests = 0;
    for (name, text) in shipped() {
        let program = syntax::read_litmus(name, text).expect("a shipped test");
        if program.commands.is_empty() {
            continue;
        }
        let Ok(program) = lowered(&program) else {
            continue;
        };
        assert_eq!(host::complaints(&program), BTreeSet::new(), "{name}");
        lowered_tests += 1;
    }
    assert!(lowered_tests > 20, "{lowered_tests} tests with commands");
}

/// Two kernels and a marker on queues of two host threads, `p` and `q` of one, `r` of the other: each way to place
/// them and to have them wait for those before.
fn programs() -> Vec<Program> {
    let mut all = Vec::new();
    let lists = |earlier: &[&str]| -> Vec<String> {
        let names = |bits: usize| {
            let here = earlier
                .iter()
                .enumerate()
                .filter(|(n, _)| bits >> n & 1 == 1);
            here.map(|(_, name)| format!(", {name}")).collect()
        };
        (0..1 << earlier.len()).map(names).collect()
    };
    for marker in ["p", "q", "r"] {
        for marker_waits in lists(&["A"]) {
            for kernel in ["p", "q", "r"] {
                for kernel_waits in lists(&["A", "M"]) {
                    let mut bodies = [String::new(), "clFlush(r);".into()];
                    let mut enqueue = |queue: &str, call: &str| {
                        bodies[usize::from(queue == "r")].push_str(call);
                    };
                    enqueue("p", "clEnqueueNDRangeKernel(p, A);");
                    enqueue(
                        marker,
                        &format!("M: clEnqueueMarkerWithWaitList({marker}{marker_waits});"),
                    );
                    enqueue(
                        kernel,
                        &format!("clEnqueueNDRangeKernel({kernel}, B{kernel_waits});"),
                    );
                    all.push(program(&bodies));
                }
            }
        }
    }
    all
}

fn program([first, second]: &[String; 2]) -> Program {
    let text = format!(
        "OPENCL t
{{ queue p = out_of_order; queue q = in_order; queue r = in_order; coarse_svm [x] = 0; }}
P0@host () {{ {first} }}
P1@host () {{ {second} }}
P2@kernel A, wg 0, dev 0 (global int* x) {{ int r0 = *x; }}
P3@kernel B, wg 0, dev 0 (global int* x) {{ int r0 = *x; }}
exists (2:r0=0)"
    );
    syntax::read_litmus("t", &text).unwrap_or_else(|why| panic!("{text}\n{why:?}"))
}

#[test]
fn queues_are_flushed_and_events_are_there_before_others_wait_for_them() {
    let (mut across, mut handed) = (0, 0);
    for program in programs() {
        let lowered = lowered(&program).expect("a host program");
        assert_eq!(host::complaints(&lowered), BTreeSet::new(), "{program:#?}");
        let some = |differs: &dyn Fn(&Command, &Command) -> bool| {
            let waits = |then: &Command| {
                let mut events = then
                    .waits
                    .iter()
                    .map(|first| &program.commands[first.index()]);
                events.any(|first| differs(first, then))
            };
            program.commands.iter().any(waits)
        };
        let other_queue = some(&|first, then| first.queue != then.queue);
        let silent = against(&without(&lowered, flushes));
        assert_eq!(
            silent.contains(&Clause::NeverEnds),
            other_queue,
            "{program:#?}"
        );
        across += u32::from(other_queue);
        let second = |command: &Command| program.queues[command.queue.index()].name == "r";
        let other_thread = some(&|first, then| second(first) != second(then));
        let early = against(&without(&lowered, |op| matches!(op, Op::Await(_))));
        assert_eq!(
            early.contains(&Clause::NoEvent),
            other_thread,
            "{program:#?}"
        );
        handed += u32::from(other_thread);
    }
    assert_eq!((across, handed), (50, 30), "of 72 programs");
}

#[test]
fn host_threads_that_need_each_others_events_first_are_not_played() {
    let circle = program(&[
        "M: clEnqueueMarkerWithWaitList(p, N); clEnqueueNDRangeKernel(p, A); clEnqueueNDRangeKernel(q, B);"
            .into(),
        "N: clEnqueueMarkerWithWaitList(r, A);".into(),
    ]);
    let why = lowered(&circle).expect_err("it would wait without end");
    assert!(
        why.contains("event that is made only after it is used"),
        "{why}"
    );
}
