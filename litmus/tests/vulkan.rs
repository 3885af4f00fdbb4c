//! The shipped tests of Vulkan are the files of their folder, and say what they show.

use classay_litmus::explain;
use classay_litmus::kernel::played;
use classay_litmus::oracle::{Limits, Model, flags, holds, judge};
use classay_litmus::program::{Api, Predicate, Program};
use classay_litmus::shipped_vulkan;
use classay_litmus::syntax::{read_litmus, read_yaml, write_litmus, write_yaml};
use std::collections::BTreeSet;
use std::path::Path;

fn programs() -> Vec<(&'static str, &'static str, Program)> {
    shipped_vulkan()
        .iter()
        .map(|(name, text)| match read_litmus(name, text) {
            Ok(program) => (*name, *text, program),
            Err(error) => panic!("{:?}", miette::Report::new(error)),
        })
        .collect()
}

#[test]
fn the_list_is_the_folder() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vulkan");
    let files = std::fs::read_dir(folder).expect("the folder of tests");
    let files: BTreeSet<String> = files
        .map(|entry| entry.expect("an entry").path())
        .filter_map(|path| Some(path.file_stem()?.to_string_lossy().into_owned()))
        .collect();
    let listed: Vec<String> = shipped_vulkan()
        .iter()
        .map(|(n, _)| n.to_string())
        .collect();
    assert_eq!(listed, files.into_iter().collect::<Vec<_>>());
}

#[test]
fn each_test_is_named_as_its_file_and_says_what_it_shows() {
    for (name, text, program) in programs() {
        assert_eq!(program.api, Api::Vulkan);
        assert_eq!(program.name, name);
        let comment = text.lines().nth(2).unwrap_or("");
        assert!(
            comment.starts_with("(* ") && comment.ends_with(". *)"),
            "{name} says what it shows in its third line: {comment}"
        );
    }
}

#[test]
fn both_writers_keep_every_test() {
    for (name, _, program) in programs() {
        let text = write_litmus(&program);
        let read = read_litmus(name, &text);
        assert_eq!(read.as_ref().ok(), Some(&program), "{name}\n{text}");
        let yaml = write_yaml(&program);
        let read = read_yaml(name, &yaml);
        assert_eq!(read.as_ref().ok(), Some(&program), "{name}\n{yaml}");
    }
}

/// A launch orders more than a test does, and must leave it something to show.
#[test]
fn filters_can_be_met_as_launches_play_them() {
    let model = Model::named("vulkan").expect("a model");
    let mut filtered = 0;
    for (name, _, program) in programs() {
        let played = played(&program).filter(|played| played.filter.is_some());
        if let Some(played) = played {
            filtered += 1;
            let judged = judge(&played, &model, &Limits::default()).expect("it can be judged");
            assert!(!judged.states.is_empty(), "{name}");
        }
    }
    assert!(filtered > 100, "{filtered}");
}

#[test]
fn a_model_of_another_api_says_nothing() {
    let (_, _, program) = programs().remove(0);
    let limits = Limits::default();
    let judged = |model: &str| judge(&program, &Model::named(model).expect("a model"), &limits);
    let error = judged("opencl-3.1").expect_err("the program is one of Vulkan");
    assert_eq!(
        error.to_string(),
        "the test is written for vulkan, of which the model opencl-3.1 says nothing; ask vulkan"
    );
    assert!(judged("vulkan").is_ok());
    assert!(judged("sc").is_ok());
}

/// A named barrier keeps its name and how many meet at it in both forms; what one form could not say, the
/// other does not take.
#[test]
fn named_barriers_read_alike_in_both_forms() {
    let yaml = |barrier: &str| {
        format!(
            "litmus: t\napi: vulkan\nlocations: [{{name: x, type: int, init: 0}}]\nthreads:\n\
             - {{device: 0, queue_family: 0, work_group: 0, sub_group: 0, body: [{{barrier: [global]{barrier}}}]}}\n\
             exists: x=0\n"
        )
    };
    for barrier in [
        "",
        ", label: \"0\"",
        ", label: b, quorum: 1",
        ", label: \"7\", quorum: 0xffffffff",
    ] {
        let program = match read_yaml("t", &yaml(barrier)) {
            Ok(program) => program,
            Err(error) => panic!("{barrier}: {:?}", miette::Report::new(error)),
        };
        let listing = write_litmus(&program);
        assert_eq!(read_litmus("t", &listing).ok(), Some(program), "{listing}");
    }
    for (barrier, message) in [
        (
            ", quorum: 2",
            "a barrier that says how many meet has a name: add `label`",
        ),
        (
            ", label: b, quorum: 0",
            "at a barrier meets at least one thread",
        ),
        (
            ", label: \"007\"",
            "a number that names a barrier is written in its shortest form",
        ),
        (
            ", label: \"99999999999999999999\"",
            "a number that names a barrier is written in its shortest form",
        ),
    ] {
        let error = read_yaml("t", &yaml(barrier)).expect_err("refused");
        assert_eq!(error.message(), message, "{barrier}");
    }
    let listing =
        "VULKAN t\n{ x = 0; }\n P0@sg 0, wg 0, qf 0 ;\n cbar.wg 0, 0, 4294967296 ;\nexists (x=0)\n";
    let error = read_litmus("t", listing).expect_err("refused");
    assert_eq!(error.message(), "expected how many meet");
}

/// Why some outcomes are allowed or forbidden, in words.
#[test]
fn explanations() {
    let model = Model::named("vulkan").expect("a model");
    let mut all = String::new();
    for wanted in [
        "MP+cbar+av-vis",
        "MP+chain-av+wg+dv",
        "MP+no-av",
        "SSW+device",
    ] {
        let mut programs = programs().into_iter();
        let (_, _, program) = programs
            .find(|(name, ..)| *name == wanted)
            .expect("shipped");
        let asked = Box::new(program.condition.predicate.clone());
        let target = match &program.filter {
            Some(filter) => Predicate::And(vec![filter.clone(), Predicate::Not(asked)]),
            None => Predicate::Not(asked),
        };
        let report = explain::report(&program, &model, &target, &Limits::default());
        all.push_str(&explain::text(&report.expect("a small test")));
    }
    insta::assert_snapshot!("vulkan_explanations", all);
}

/// What the model says of each test, kept beside it: whether it races, and the answer to its question.
#[test]
fn verdicts() {
    let models = ["vulkan", "vulkan-no-chains"].map(|name| Model::named(name).expect("a model"));
    let limits = Limits::default();
    let mut table = String::new();
    for (name, _, program) in programs() {
        let said = models.each_ref().map(|model| {
            let judgement = judge(&program, model, &limits).expect("a small test");
            assert_eq!(
                holds(&program, model, &limits).expect("a small test"),
                judgement.holds
            );
            let raised = flags(&program, model, &limits).expect("a small test");
            assert_eq!(raised, judgement.flags, "{name}");
            match (judgement.racy, judgement.holds) {
                (true, _) => "race",
                (false, true) => "yes",
                (false, false) => "no",
            }
        });
        let said = match said {
            [same, other] if same == other => same.to_owned(),
            [chains, single] => format!("{chains}, without chains {single}"),
        };
        table.push_str(&format!("{name}: {said}\n"));
    }
    insta::assert_snapshot!("vulkan_verdicts", table);
}

/// Calls of the host, inputs and contributions stand only where they can.
#[test]
fn what_stands_in_the_wrong_place_is_told() {
    const DEVICE: &str = "sg 0, wg 0, qf 0";
    for (init, pairs, place, line, message) in [
        (
            "",
            "",
            DEVICE,
            "submit",
            "P0: only a host thread submits, flushes, invalidates and frees",
        ),
        (
            "",
            "",
            "host",
            "avhost",
            "the instruction names no location",
        ),
        (
            "",
            "",
            "host",
            "submit x",
            "the instruction is about all memory",
        ),
        ("", "", "host", "free z", "there is no location z"),
        (
            "y aliases x;",
            "",
            DEVICE,
            "st.sc4 y, 1",
            "P0: an input is only read",
        ),
        (
            "",
            "contributes 0 1;",
            "host",
            "nop",
            "P0: a host thread is no shader invocation, and contributes to none",
        ),
        (
            "coarse_svm z = 0;",
            "",
            DEVICE,
            "nop",
            "memory of Vulkan is host_coherent, or says nothing",
        ),
    ] {
        let text = format!(
            "VULKAN t\n{{ x = 0; {init} }}\n{{ {pairs} }}\n P0@{place} | P1@{DEVICE} ;\n {line} | ;\nexists (x=0)\n"
        );
        let error = read_litmus("t", &text).expect_err(line);
        assert_eq!(error.message(), message, "{line}");
    }
}
