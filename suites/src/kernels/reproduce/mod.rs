//! A kernel case as one C program that needs a C compiler and an OpenCL library, and nothing of ours.
//!
//! [`to_c`] writes it. The C program makes the case's memory ([`world`], [`images`]) and program
//! ([`programs`]), plays its steps as the harness does ([`steps`]: [`launch`], [`transfers`], [`talk`]), and holds each object that the case looks at against what it wants
//! ([`wants`]) by the same formulae as [`super::check`]. What transfers leave behind the C program
//! computes as [`super::model`] does, in memory of its own.

mod images;
mod launch;
mod programs;
mod steps;
mod talk;
mod transfers;
mod wants;
mod world;

use super::case::{Arg, KernelCase, Kind, Launch, Step, Want};
use crate::commands::reproduce::text::Text;
use crate::commands::reproduce::{TELL, named};
use crate::rule;
use classay_vocabulary::Need;

/// Functions that every such program has.
const PRELUDE: &str = include_str!("prelude.c");
/// How ids of work-items are held against the formulae.
const IDS: &str = include_str!("ids.c");
/// How the map of sub-groups is held against the rules.
const SUB_GROUPS: &str = include_str!("sub_groups.c");
/// How the kernels of a program are held against what it was made of.
const NAMES: &str = include_str!("names.c");
/// How every such program runs.
const MAIN: &str = include_str!("main.c");

/// The C program of a valid case.
pub fn to_c(case: &KernelCase) -> String {
    let mut c = Text::default();
    heading(case, &mut c);
    c.headers(version(case), &[]);
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
    if case
        .objects
        .iter()
        .any(|o| matches!(o.kind, Kind::Image(_)))
    {
        c.raw(images::FUNCTIONS);
    }
    world::shared(case, &mut c);
    if talks(case) {
        c.raw(talk::FUNCTIONS);
    }
    programs::begin(case, &mut c);
    if asks_sub_groups(case) {
        c.raw(SUB_GROUPS);
        c.line(&format!(
            "static struct sub_groups asked[{}];",
            case.steps.len()
        ));
        c.line("");
    }
    if !case.built_in.is_empty() {
        c.raw(NAMES);
    }
    world::make(case, &mut c);
    steps::write(case, &mut c);
    world::take_down(case, &mut c);
    c.raw(MAIN);
    c.done()
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

/// Whether it asks for the map of sub-groups.
fn asks_sub_groups(case: &KernelCase) -> bool {
    let mut steps = case.steps.iter();
    steps.any(|step| matches!(step, Step::AskSubGroups { .. }))
}

/// The version of OpenCL whose functions it calls, as CL_TARGET_OPENCL_VERSION has it.
fn version(case: &KernelCase) -> u32 {
    let newer = case.objects.iter().any(|object| match object.kind {
        Kind::SvmCoarse | Kind::SvmFine | Kind::SvmAtomics | Kind::Host | Kind::Pipe { .. } => true,
        Kind::Buffer | Kind::SubBuffer { .. } | Kind::Image(_) => false,
    });
    let special = |launch: &Launch| {
        launch.fails || launch.args.iter().any(|arg| matches!(arg, Arg::Sampler(_)))
    };
    let launches = case.launches().any(|(_, launch)| special(launch));
    let copies = case
        .launches()
        .any(|(_, launch)| launch.cloned || launch.disturbed);
    let progress = case.needs.contains(&Need::SubGroupProgress);
    if asks_sub_groups(case) || progress || copies || !case.module.is_empty() {
        210
    } else if newer
        || launches
        || case.needs.contains(&Need::ReadWriteImages)
        || !case.device_queues.is_empty()
    {
        200
    } else {
        120
    }
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

    #[test]
    fn every_rule_that_the_c_text_names_is_one() {
        let names = PRELUDE
            .split('"')
            .chain(IDS.split('"'))
            .filter(|text| text.starts_with("ex.") || text.starts_with("mm."))
            .flat_map(|text| text.split('|'));
        let mut found = 0;
        for name in names {
            assert!(crate::catalogue::find(name).is_some(), "{name}");
            found += 1;
        }
        assert!(found > 10);
    }

    #[test]
    fn cases_of_every_family_are_written() {
        for (family, kind, _) in FAMILIES {
            let case = draw(&format!("{family}/{kind}"), 3).expect("a case");
            let text = to_c(&case);
            assert!(text.contains("int main("), "{family}/{kind}");
            assert_eq!(
                text.matches('{').count(),
                text.matches('}').count(),
                "{family}/{kind}"
            );
        }
    }
}
