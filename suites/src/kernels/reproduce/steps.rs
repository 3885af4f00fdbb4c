//! The steps of a case in C.

use super::{launch, talk, transfers, wants, world};
use crate::commands::reproduce::text::{Text, quoted};
use crate::kernels::case::{KernelCase, ObjectId, Place, Step};
use crate::rule::{self, RuleId};

/// A function for each step, and `play`, which calls them.
pub fn write(case: &KernelCase, c: &mut Text) {
    c.line("/* ---- what the host does ------------------------------------------------------------------------ */");
    c.line("");
    if !case.waited_for().is_empty() {
        c.line(&format!("static cl_event events[{}];", case.steps.len()));
        c.line("");
    }
    for (n, step) in case.steps.iter().enumerate() {
        c.line(&format!("/* Step {n}; says whether the run goes on. */"));
        c.line(&format!("static int step_{n}(void)"));
        c.line("{");
        match step {
            Step::Launch(launch) => launch::write(case, launch, n, c),
            Step::Move(moved) => transfers::write(case, moved, c),
            Step::Finish => code("clFinish", "finish_all()", 0, &[], c),
            Step::Talk { acts, rules } => {
                code_or_stop("clFlush", "flush_all()", c);
                talk::write(case, acts, rules, c);
            }
            Step::Host {
                at,
                bytes,
                contents,
            } => {
                c.line(&format!("    unsigned char *mine = room({bytes});"));
                world::contents("mine", *bytes, contents, c);
                let there = pointer(*at);
                let object = at.object.0;
                c.line(&format!(
                    "    by_host(&objects[{object}], {there}, mine, {bytes}, 1);"
                ));
                if let Some(model) = world::model(case, *at) {
                    c.line(&format!("    memcpy({model}, mine, {bytes});"));
                }
                c.line("    free(mine);");
                c.line("    return 1;");
            }
            Step::AskSubGroups { kernel, local } => {
                c.line(&format!(
                    "    asked[{n}] = ask_sub_groups({}, {}, {} * sizeof(size_t));",
                    quoted(kernel),
                    sizes(local),
                    local.len()
                ));
                c.line("    return 1;");
            }
            Step::AskKernels { rules } => {
                c.line(&format!(
                    "    expect_kernels({}, built_in);",
                    wants::rules(rules)
                ));
                c.line("    return 1;");
            }
            Step::Point { at, to } => {
                let to = to.map_or("NULL".into(), pointer);
                let (there, object) = (pointer(*at), at.object.0);
                c.line(&format!("    unsigned char *address = {to};"));
                c.line(&format!("    by_host(&objects[{object}], {there}, (unsigned char *)&address, sizeof address, 1);"));
                c.line("    return 1;");
            }
            Step::Look {
                object,
                rules,
                name,
                want,
                even_so,
            } => {
                code_or_stop("clFinish", "finish_all()", c);
                if case.quit.is_some() && !even_so {
                    c.line("    if (gave_up())");
                    c.line("        return 1;");
                }
                let bytes = case.objects[object.index()].bytes;
                c.line(&format!(
                    "    unsigned char *seen = look(&objects[{}], {bytes});",
                    object.0
                ));
                wants::write(case, *object, rules, name, want, c);
                c.line("    free(seen);");
                c.line("    return 1;");
            }
        }
        c.line("}");
        c.line("");
    }
    c.line("static void play(void)");
    c.line("{");
    let all: Vec<String> = (0..case.steps.len()).map(|n| format!("step_{n}")).collect();
    if !all.is_empty() {
        c.line("    static int (*const steps[])(void) = {");
        for line in all.chunks(8) {
            c.line(&format!("        {},", line.join(", ")));
        }
        c.line("    };");
        c.line("    for (size_t n = 0; n < sizeof steps / sizeof steps[0]; n++)");
        c.line("        if (!steps[n]())");
        c.line("            return;");
    }
    c.line("}");
    c.line("");
}

/// The rules that a call breaks which does not give the code that it must.
pub(super) fn rules(wanted: i32, of: &[RuleId]) -> String {
    if wanted == 0 || of.is_empty() {
        wants::rules(&[rule::API_VALID])
    } else {
        wants::rules(of)
    }
}

pub(super) fn code(name: &str, call: &str, wanted: i32, of: &[RuleId], c: &mut Text) {
    let rules = rules(wanted, of);
    c.line(&format!(
        "    return expect_code({rules}, {}, {call}, {wanted});",
        quoted(name)
    ));
}

fn code_or_stop(name: &str, call: &str, c: &mut Text) {
    let rules = rules(0, &[]);
    c.line(&format!(
        "    if (!expect_code({rules}, {}, {call}, 0))",
        quoted(name)
    ));
    c.line("        return 0;");
}

pub(super) fn pointer(at: Place) -> String {
    format!("objects[{}].memory + {}", at.object.0, at.byte)
}

pub(super) fn buffer(id: ObjectId) -> String {
    format!("objects[{}].buffer", id.0)
}

/// Sizes as an array.
pub(super) fn sizes(list: &[u64]) -> String {
    let all: Vec<String> = list.iter().map(|n| format!("{n}u")).collect();
    format!("(const size_t[]){{ {} }}", all.join(", "))
}
