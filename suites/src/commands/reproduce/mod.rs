//! A program of commands as one C program that needs a C compiler, threads and an OpenCL library, and
//! nothing of ours.
//!
//! [`to_c`] writes it. The C program makes what the program begins with ([`world`]), plays its host
//! threads ([`play`]) as the harness does, and holds what it saw against what had to be ([`checks`]).
//! What had to be is not computed there: each expectation is drawn from [`Plan::check`] by asking it
//! about every answer that tells something, so both judge alike. The text is C11 with POSIX threads, and
//! asks of the OpenCL headers no later version than what it calls needs.

mod checks;
mod play;
pub mod text;
mod world;

use super::check::{HELD_LONG, Plan, SLACK};
use super::program::{Kind, Place, Program, Step, What, Who};
use crate::catalogue;
use crate::rule::RuleId;
use std::collections::BTreeSet;
use text::Text;

/// How a C program of ours tells what is wrong, and chooses its device.
pub const TELL: &str = include_str!("../../host/c/tell.c");
/// Functions that every such program has.
const PRELUDE: &str = include_str!("prelude.c");
/// How every such program runs.
const MAIN: &str = include_str!("main.c");

/// The C program. `workload` is the source of the kernels `work` and `work_variable`, which do what
/// the kernel commands say.
pub fn to_c(plan: &Plan, workload: &str) -> String {
    let p = &plan.program;
    let mut checks = Text::default();
    let rules = checks::write(plan, &mut checks);
    let mut c = Text::default();
    heading(plan, &rules, &mut c);
    let version = version(p);
    c.headers(version, &[]);
    c.line("");
    c.line(&format!("#define WORDS {}u", p.cell_words));
    c.line("/* Nanoseconds: the coarsest timer of a device can be told from none; and clocks may differ. */");
    c.line(&format!("#define HELD_LONG {HELD_LONG}u"));
    c.line(&format!("#define CLOCK_SLACK {SLACK}u"));
    c.line("");
    c.raw(TELL);
    c.raw(PRELUDE);
    world::write(plan, workload, version, &mut c);
    play::write(plan, &mut c);
    c.raw(&checks.done());
    c.line(&format!("#define DEVICES {}u", p.devices));
    c.line(&format!("#define THREADS {}u", p.threads.len()));
    c.line("static void *(*const threads[THREADS])(void *) = {");
    for n in 0..p.threads.len() {
        c.line(&format!("    thread_{n},"));
    }
    c.line("};");
    c.line("");
    c.raw(MAIN);
    c.done()
}

/// What the reader is told first.
fn heading(plan: &Plan, rules: &BTreeSet<RuleId>, c: &mut Text) {
    let p = &plan.program;
    let mut lines = vec![
        "A program of OpenCL commands that an implementation must play as is said below.".into(),
        String::new(),
        "    cc -std=c11 -o program THIS.c -lOpenCL -lpthread".into(),
        "    ./program [RUNS] [PLATFORM] [DEVICE]".into(),
        String::new(),
        "It plays the program RUNS times (1000) and prints what was wrong in how many runs, with the"
            .into(),
        "rules of which one is broken. Exit code: 0 nothing was wrong, 1 something was, 2 the test"
            .into(),
        "could not be made. A run that takes more than a minute counts as hung.".into(),
        String::new(),
    ];
    for (n, queue) in p.queues.iter().enumerate() {
        let order = if queue.out_of_order {
            "out of order"
        } else {
            "in order"
        };
        lines.push(format!(
            "queue {n}: {order}, device {}, context {}",
            queue.device, queue.context.0
        ));
    }
    for (n, object) in p.objects.iter().enumerate() {
        lines.push(format!(
            "object {n}: {}, {} cells of {} bytes, context {}",
            text::kind(object.kind),
            object.cells,
            u32::from(p.cell_words) * 4,
            object.context.0
        ));
    }
    for (n, command) in p.commands.iter().enumerate() {
        lines.push(format!("command {n}: {}", text::command(p, command)));
    }
    lines.push(String::new());
    lines.extend(named(rules));
    c.comment(&lines);
}

/// What rules say, for the reader of a C program.
pub(crate) fn named(rules: &BTreeSet<RuleId>) -> Vec<String> {
    let mut lines =
        vec!["What messages name, by the section of the specification that says it:".to_string()];
    for rule in rules.iter().filter_map(|id| catalogue::of(*id)) {
        lines.push(format!(
            "  {} ({}): {}",
            rule.id, rule.section, rule.statement
        ));
    }
    lines
}

/// The version of OpenCL whose functions the program calls, as CL_TARGET_OPENCL_VERSION has it.
fn version(p: &Program) -> u32 {
    let svm = |o: &crate::commands::program::ObjectId| p.objects[o.index()].kind.is_svm();
    let migrates = p.commands.iter().any(|c| match &c.what {
        What::Migrate { objects, .. } => objects.iter().any(svm),
        _ => false,
    });
    let newer = p.objects.iter().any(|o| {
        o.kind.is_svm()
            || o.kind == Kind::Variable
            || o.kind == Kind::Buffer(crate::commands::program::HostPointer::UseSvm)
    });
    match (migrates, newer) {
        (true, _) => 210,
        (false, true) => 200,
        (false, false) => 120,
    }
}

/// The name of a step in the C program.
fn step_name(place: Place) -> String {
    match place.who {
        Who::Thread(n) => format!("T{n}_{}", place.step),
        Who::Callback(id) => format!("C{}_{}", id.0, place.step),
    }
}

/// Whether a step is a call whose answer is looked at.
fn has_code(step: &Step) -> bool {
    match step {
        Step::Enqueue(_)
        | Step::Flush(_)
        | Step::Finish(_)
        | Step::Wait(_)
        | Step::Set { .. }
        | Step::Register(_)
        | Step::Status(_)
        | Step::ReleaseEvent(_)
        | Step::ReleaseQueue(_)
        | Step::ReleaseObject(_) => true,
        Step::Access(_)
        | Step::Inspect(_)
        | Step::Signal(_)
        | Step::Await(_)
        | Step::Sleep(_)
        | Step::Yield(_) => false,
    }
}
