//! An API case as one C program that needs a C compiler and an OpenCL library, and nothing of ours.
//!
//! [`to_c`] writes it: what calls are made with (`stage.c`), the functions of the story's kind (calls that
//! must be refused, what threads do, the lives of objects, what is held back), and `play`, which tells the
//! story once. What is right is what [`super::check`] says.

mod refuse;

use super::check::rules;
use super::{Act, Case, Legacy, Story};
use crate::host::c::text::{Text, quoted};
use crate::host::c::{REPORT as TELL, named};
use crate::rule::{self, RuleId};
use classay_vocabulary::Need;

const STAGE: &str = include_str!("stage.c");
const REFUSALS: &str = include_str!("refuse.c");
const ACTS: &str = include_str!("acts.c");
const LIVES: &str = include_str!("lives.c");
const SHARED: &str = include_str!("shared.c");
const ORDER: &str = include_str!("order.c");
const BUILT_IN: &str = include_str!("built_in.c");
const MAIN: &str = include_str!("main.c");

/// The C program.
pub fn to_c(case: &Case) -> String {
    let mut c = Text::default();
    heading(case, &mut c);
    let deprecated: &[&str] = match case.story {
        Story::Legacy { .. } | Story::BuiltIn => &["1_1"],
        _ => &[],
    };
    c.headers(version(case), deprecated);
    c.line("#include <limits.h>");
    c.line("");
    c.line("/* The rules that are broken where this story goes wrong. */");
    c.line(&format!("#define STORY {}", names(&rules(&case.story))));
    c.line("");
    c.raw(TELL);
    c.raw(STAGE);
    match &case.story {
        Story::Refusals { .. } => c.raw(REFUSALS),
        Story::Threads { .. }
        | Story::Again { .. }
        | Story::Destructors { .. }
        | Story::Context { .. }
        | Story::SvmFree { .. }
        | Story::FailedEvent { .. }
        | Story::BuiltIn
        | Story::Legacy { .. } => {
            c.line("/* Of the context that a story makes. */");
            c.line("static cl_program own_program;");
            c.line("");
            c.raw(ACTS);
        }
    }
    match &case.story {
        Story::Refusals { .. } | Story::Threads { .. } => {}
        Story::Again { .. } | Story::Destructors { .. } | Story::Context { .. } => c.raw(LIVES),
        Story::SvmFree { .. } => {
            c.raw(LIVES);
            c.raw(SHARED);
        }
        Story::Legacy { .. } | Story::FailedEvent { .. } => c.raw(ORDER),
        Story::BuiltIn => {
            c.raw(ORDER);
            c.raw(BUILT_IN);
        }
    }
    if let Story::Threads { threads, rounds } = &case.story {
        self::threads(threads, *rounds, &mut c);
    }
    c.line("/* Tells the story once. */");
    c.line("static void play(void)");
    c.line("{");
    play(case, &mut c);
    c.line("}");
    c.line("");
    c.raw(MAIN);
    c.done()
}

/// Rules as a C string.
fn names(rules: &[RuleId]) -> String {
    let names: Vec<&str> = rules.iter().map(|rule| rule.as_str()).collect();
    quoted(&names.join("|"))
}

/// The version of OpenCL whose functions it calls, as CL_TARGET_OPENCL_VERSION has it.
fn version(case: &Case) -> u32 {
    let needs = |need| case.needs.contains(&need);
    if matches!(case.story, Story::Context { .. }) {
        300
    } else if needs(Need::Api21) {
        210
    } else if needs(Need::SvmCoarse) {
        200
    } else {
        120
    }
}

/// The function that does it.
fn act(act: Act) -> &'static str {
    match act {
        Act::Buffer => "act_buffer",
        Act::Part => "act_part",
        Act::UserEvent => "act_user_event",
        Act::Queue => "act_queue",
        Act::Kernel => "act_kernel",
        Act::Program => "act_program",
        Act::Context => "act_context",
        Act::Marker => "act_marker",
        Act::Fill => "act_fill",
        Act::Map => "act_map",
        Act::Callback => "act_callback",
        Act::Register => "act_register",
        Act::Retain => "act_retain",
        Act::Query => "act_query",
    }
}

/// A function for each thread.
fn threads(threads: &[Vec<Act>], rounds: u16, c: &mut Text) {
    c.line("static pthread_barrier_t beginning;");
    c.line("");
    for (n, acts) in threads.iter().enumerate() {
        c.line(&format!("static void *thread_{n}(void *unused)"));
        c.line("{");
        c.line("    pthread_barrier_wait(&beginning);");
        c.line(&format!("    for (int n = 0; n < {rounds}; n++)"));
        let all: Vec<String> = acts
            .iter()
            .map(|one| format!("!{}(context)", act(*one)))
            .collect();
        c.line(&format!("        if ({})", all.join(" || ")));
        c.line("            break;");
        c.line("    return unused;");
        c.line("}");
        c.line("");
    }
}

fn play(case: &Case, c: &mut Text) {
    match &case.story {
        Story::Refusals { held, calls } => {
            let svm = case.needs.contains(&Need::SvmCoarse) || case.needs.contains(&Need::Api21);
            c.line(&format!(
                "    make({}, {});",
                u8::from(*held),
                u8::from(svm)
            ));
            c.line("    do {");
            for call in calls {
                let codes = call.codes();
                let last = codes.last().copied().unwrap_or_default();
                c.line(&format!(
                    "        if (!refused({}, {},",
                    names(&call.rules()),
                    quoted(&call.to_string())
                ));
                c.line(&format!(
                    "                     {}, {}, {last}))",
                    refuse::call(*call),
                    codes.first().copied().unwrap_or_default()
                ));
                c.line("            break;");
            }
            c.line("    } while (0);");
            if calls.iter().any(|call| call.fails()) {
                c.line("    /* After a failure the context may do anything. */");
                c.line("    if (0)");
                c.line("        end();");
            } else {
                c.line("    end();");
            }
            c.line("    take_down();");
        }
        Story::Threads { threads, .. } => {
            let count = threads.len();
            let all: Vec<String> = (0..count).map(|n| format!("thread_{n}")).collect();
            c.line(&format!(
                "    static void *(*const functions[{count}])(void *) = {{ {} }};",
                all.join(", ")
            ));
            c.line(&format!("    pthread_t threads[{count}];"));
            c.line("    share(context);");
            c.line(&format!(
                "    pthread_barrier_init(&beginning, NULL, {count});"
            ));
            c.line(&format!("    for (int n = 0; n < {count}; n++)"));
            c.line("        if (pthread_create(&threads[n], NULL, functions[n], NULL) != 0)");
            c.line("            abort();");
            c.line(&format!("    for (int n = 0; n < {count}; n++)"));
            c.line("        pthread_join(threads[n], NULL);");
            c.line("    pthread_barrier_destroy(&beginning);");
            c.line("    counted();");
            c.line("    unshare();");
        }
        Story::Again { act: one, times } => {
            c.line("    share(context);");
            c.line(&format!("    (void)again({}, {times});", act(*one)));
            c.line("    unshare();");
        }
        Story::Destructors { callbacks, part } => c.line(&format!(
            "    (void)destructors({callbacks}, {});",
            u8::from(*part)
        )),
        Story::Context { acts } => {
            c.line("    cl_context own = new_context();");
            c.line("    cl_command_queue own_queue;");
            c.line("    ended = 0;");
            c.line("    must(clSetContextDestructorCallback(own, context_ends, NULL), \"clSetContextDestructorCallback\");");
            c.line("    own_program = new_program(own);");
            c.line("    own_queue = new_queue(own, 0);");
            c.line("    share(own);");
            for one in acts {
                c.line(&format!("    (void){}(own);", act(*one)));
            }
            c.line("    unshare();");
            c.line("    must(clEnqueueMarkerWithWaitList(own_queue, 0, NULL, NULL), \"clEnqueueMarkerWithWaitList\");");
            c.line("    must(clFinish(own_queue), \"clFinish\");");
            c.line("    clReleaseCommandQueue(own_queue);");
            c.line("    clReleaseProgram(own_program);");
            c.line("    clReleaseContext(own);");
            c.line("    wait_for_ends(1, \"callbacks for the end of a context\");");
        }
        Story::SvmFree { allocations, times } => {
            c.line(&format!("    for (int n = 0; n < {times}; n++)"));
            c.line(&format!("        if (!shared_freed({allocations}))"));
            c.line("            return;");
        }
        Story::FailedEvent { code } => c.line(&format!("    (void)failed_event({code});")),
        Story::BuiltIn => {
            c.line("    char names[10000] = \"\", *rest = names;");
            c.line("    must(clGetDeviceInfo(device, CL_DEVICE_BUILT_IN_KERNELS, sizeof names, names, NULL), \"clGetDeviceInfo\");");
            c.line("    (void)built_in_together(names);");
            c.line("    for (char *name = strtok_r(rest, \";\", &rest); name; name = strtok_r(NULL, \";\", &rest))");
            c.line("        (void)built_in(name);");
        }
        Story::Legacy { call } => {
            let call = match call {
                Legacy::Marker => "MARKER",
                Legacy::Barrier => "BARRIER",
                Legacy::WaitForEvents => "WAIT_FOR_EVENTS",
            };
            c.line(&format!("    (void)legacy({call});"));
        }
    }
}

/// What the reader is told first.
fn heading(case: &Case, c: &mut Text) {
    let about = match &case.story {
        Story::Refusals { .. } => {
            "Calls that an implementation must refuse, with the errors that the specification names."
        }
        Story::Threads { .. } => {
            "Host threads that make, use and give up objects at the same time."
        }
        Story::Again { .. } => "One thing again and again: it must give back its memory.",
        Story::Destructors { .. } => {
            "A buffer with callbacks for its end, released while a command that uses it is held back."
        }
        Story::Context { .. } => "A context with a callback for its end.",
        Story::SvmFree { .. } => "clEnqueueSVMFree with a callback, held back by a user event.",
        Story::FailedEvent { .. } => "A user event that fails, by itself.",
        Story::BuiltIn => "Every built-in kernel, held back by a user event.",
        Story::Legacy { .. } => {
            "A function of OpenCL 1.1 between two commands of an out-of-order queue."
        }
    };
    let mut lines = vec![
        about.to_string(),
        String::new(),
        "    cc -std=c11 -o program THIS.c -lOpenCL -lpthread".into(),
        "    ./program [RUNS] [PLATFORM] [DEVICE]".into(),
        String::new(),
        "It plays what follows RUNS times (1000) and prints what was wrong in how many runs, with the"
            .into(),
        "rules of which one is broken. Exit code: 0 nothing was wrong, 1 something was, 2 the test"
            .into(),
        "could not be made. A run that takes more than a minute counts as hung.".into(),
        String::new(),
    ];
    let mut rules = case.covers();
    rules.insert(rule::API_VALID);
    lines.extend(named(&rules));
    c.comment(&lines);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::{FAMILIES, draw};

    #[test]
    fn cases_of_every_family_are_written() {
        for (family, kind, _) in FAMILIES {
            let case = draw(&format!("{family}/{kind}"), 3).expect("a case");
            let text = to_c(&case);
            assert!(text.contains("static void play(void)"), "{family}/{kind}");
            let count = |c: char| text.matches(c).count();
            assert_eq!(count('{'), count('}'), "{family}/{kind}");
        }
    }
}
