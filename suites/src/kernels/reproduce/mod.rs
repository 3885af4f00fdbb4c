//! A kernel case as one C program that needs a C compiler and an OpenCL library, and nothing of ours.
//!
//! [`to_c`] writes it. The C program makes the case's memory and program ([`world`]), plays its steps
//! as the harness does ([`steps`]), and holds each object that the case looks at against what it wants
//! ([`wants`]) by the same formulae as [`super::check`]. What transfers leave behind the C program
//! computes as [`super::model`] does, in memory of its own.

mod steps;
mod talk;
mod wants;
mod world;

use super::case::{KernelCase, Kind, Step, Want};
use crate::commands::reproduce::text::Text;
use crate::commands::reproduce::{HEADERS, TELL, named};
use crate::rule;

/// Functions that every such program has.
const PRELUDE: &str = include_str!("prelude.c");
/// How ids of work-items are held against the formulae.
const IDS: &str = include_str!("ids.c");
/// How every such program runs.
const MAIN: &str = include_str!("main.c");

/// Why a case is not written as a C program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a case with {0} cannot be written as a C program yet: only `classay replay` runs it")]
pub struct NotInC(&'static str);

/// What a case has that is not written in C.
fn beyond(case: &KernelCase) -> Option<NotInC> {
    let image = |kind| matches!(kind, Kind::Image(_));
    let pipe = |kind| matches!(kind, Kind::Pipe { .. });
    let asks = |step: &Step| matches!(step, Step::AskSubGroups { .. } | Step::AskKernels { .. });
    let special = |step: &Step| match step {
        Step::Launch(launch) => launch.fails || launch.rebuilt,
        Step::Move(_)
        | Step::Finish
        | Step::Talk { .. }
        | Step::Host { .. }
        | Step::Point { .. }
        | Step::AskSubGroups { .. }
        | Step::AskKernels { .. }
        | Step::Look { .. } => false,
    };
    let found = [
        (case.objects.iter().any(|o| image(o.kind)), "images"),
        (case.objects.iter().any(|o| pipe(o.kind)), "pipes"),
        (!case.device_queues.is_empty(), "queues on the device"),
        (!case.module.is_empty(), "a SPIR-V module"),
        (!case.built_in.is_empty(), "built-in kernels"),
        (case.steps.iter().any(asks), "questions about kernels"),
        (
            case.steps.iter().any(special),
            "kernels that fail or are built again",
        ),
    ];
    found
        .into_iter()
        .find_map(|(has, what)| has.then_some(NotInC(what)))
}

/// The C program of a valid case; an error names what in it the C program cannot do.
pub fn to_c(case: &KernelCase) -> Result<String, NotInC> {
    if let Some(why) = beyond(case) {
        return Err(why);
    }
    let mut c = Text::default();
    heading(case, &mut c);
    c.line(&format!(
        "#define CL_TARGET_OPENCL_VERSION {}",
        if needs_2_0(case) { 200 } else { 120 }
    ));
    c.line("#define _POSIX_C_SOURCE 200809L");
    c.line("#include <CL/cl.h>");
    for header in HEADERS {
        c.line(&format!("#include <{header}.h>"));
    }
    c.line("");
    c.line(&format!("#define OBJECTS {}", case.objects.len().max(1)));
    c.line(&format!("#define DEVICES {}", case.devices()));
    c.line(&format!("#define QUEUES {}", case.queues.len() + 1));
    c.line("");
    c.raw(TELL);
    c.raw(PRELUDE);
    if looks(case).any(|want| matches!(want, Want::Ids { .. })) {
        c.raw(IDS);
    }
    world::shared(case, &mut c);
    if talks(case) {
        c.raw(talk::FUNCTIONS);
    }
    world::begin(case, &mut c);
    world::make(case, &mut c);
    steps::write(case, &mut c);
    world::take_down(case, &mut c);
    c.raw(MAIN);
    Ok(c.done())
}

/// What the case looks at.
fn looks(case: &KernelCase) -> impl Iterator<Item = &Want> {
    case.steps.iter().filter_map(|step| match step {
        Step::Look { want, .. } => Some(want),
        Step::Launch(_)
        | Step::Move(_)
        | Step::Finish
        | Step::Talk { .. }
        | Step::Host { .. }
        | Step::Point { .. }
        | Step::AskSubGroups { .. }
        | Step::AskKernels { .. } => None,
    })
}

/// Whether the host takes part in what kernels do.
fn talks(case: &KernelCase) -> bool {
    let mut steps = case.steps.iter();
    steps.any(|step| matches!(step, Step::Talk { .. }))
}

/// Whether the C program follows what transfers leave behind.
fn models(case: &KernelCase) -> bool {
    looks(case).any(|want| matches!(want, Want::AsMoved))
}

/// Whether it calls functions that came with OpenCL 2.0.
fn needs_2_0(case: &KernelCase) -> bool {
    case.objects.iter().any(|object| match object.kind {
        Kind::SvmCoarse | Kind::SvmFine | Kind::SvmAtomics | Kind::Host => true,
        Kind::Buffer | Kind::SubBuffer { .. } | Kind::Image(_) | Kind::Pipe { .. } => false,
    })
}

/// What the reader is told first.
fn heading(case: &KernelCase, c: &mut Text) {
    let mut lines = vec![
        case.about.clone(),
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
    if !case.needs.is_empty() {
        let needs: Vec<String> = case.needs.iter().map(ToString::to_string).collect();
        lines.push(format!("The device must offer: {}.", needs.join(", ")));
        lines.push(String::new());
    }
    let mut rules = case.covers();
    rules.insert(rule::API_VALID);
    lines.extend(named(&rules));
    c.comment(&lines);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::generate::{FAMILIES, draw};
    use crate::rule::RuleId;

    #[test]
    fn every_rule_that_the_c_text_names_is_one() {
        let names = PRELUDE
            .split('"')
            .chain(IDS.split('"'))
            .filter(|text| text.starts_with("ex.") || text.starts_with("mm."))
            .flat_map(|text| text.split('|'));
        let mut found = 0;
        for name in names {
            assert!(RuleId::find(name).is_some(), "{name}");
            found += 1;
        }
        assert!(found > 10);
    }

    #[test]
    fn cases_of_every_family_can_be_written_but_for_what_is_named() {
        let mut refused = std::collections::BTreeSet::new();
        for (family, kind, _) in FAMILIES {
            let case = draw(&format!("{family}/{kind}"), 3).expect("a case");
            let text = match to_c(&case) {
                Ok(text) => text,
                Err(NotInC(what)) => {
                    assert!(!what.is_empty());
                    refused.insert(format!("{family}/{kind}"));
                    continue;
                }
            };
            assert!(text.contains("int main("), "{family}/{kind}");
            assert_eq!(
                text.matches('{').count(),
                text.matches('}').count(),
                "{family}/{kind}"
            );
        }
        let families = ["enqueue/", "image/", "pipe/", "program/", "subgroup/map"];
        let expected = |name: &String| families.iter().any(|family| name.starts_with(family));
        assert!(refused.iter().all(expected), "{refused:?}");
    }
}
