//! The shipped tests are the files of this folder, read without complaint, and can run.

use classay_litmus::program::{LocId, Placement, Program, Region, uses_location};
use classay_litmus::shipped;
use classay_litmus::syntax::{read_litmus, read_yaml, write_litmus, write_yaml};
use std::collections::BTreeSet;
use std::path::Path;

fn programs() -> Vec<(&'static str, &'static str, Program)> {
    shipped()
        .iter()
        .map(|(name, text)| match read_litmus(name, text) {
            Ok(program) => (*name, *text, program),
            Err(error) => panic!("{:?}", miette::Report::new(error)),
        })
        .collect()
}

#[test]
fn the_list_is_the_folder() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let mut files = BTreeSet::new();
    for entry in std::fs::read_dir(folder).expect("the folder of tests") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|e| e == "litmus") {
            let stem = path.file_stem().expect("a name").to_string_lossy();
            files.insert(stem.into_owned());
        }
    }
    let listed: Vec<String> = shipped().iter().map(|(n, _)| n.to_string()).collect();
    assert!(listed.is_sorted(), "the list is sorted");
    assert_eq!(listed, files.into_iter().collect::<Vec<_>>());
}

#[test]
fn each_test_is_named_as_its_file_and_says_what_it_shows() {
    for (name, text, program) in programs() {
        assert_eq!(program.name, name);
        let comment = text.lines().nth(2).unwrap_or("");
        assert!(
            comment.starts_with("(* ") && comment.ends_with(". *)"),
            "{name} says what it shows in its third line: {comment}"
        );
    }
}

#[test]
fn threads_that_share_local_memory_share_a_work_group() {
    for (name, _, program) in programs() {
        for (index, location) in program.locations.iter().enumerate() {
            if location.region != Region::Local {
                continue;
            }
            let users = program
                .threads
                .iter()
                .filter(|thread| uses_location(&thread.body, LocId(index as u32)));
            let groups: BTreeSet<_> = users
                .map(|thread| match thread.placement {
                    Placement::Device(item) => item.group(),
                    Placement::Host => panic!("{name}: a host thread uses local memory"),
                })
                .collect();
            assert_eq!(groups.len(), 1, "{name}: {}", location.name);
        }
    }
}

#[test]
fn both_writers_keep_each_test() {
    for (name, _, program) in programs() {
        let litmus = write_litmus(&program);
        assert_eq!(
            read_litmus(name, &litmus).ok(),
            Some(program.clone()),
            "{litmus}"
        );
        let yaml = write_yaml(&program);
        assert_eq!(read_yaml(name, &yaml).ok(), Some(program), "{yaml}");
    }
}

#[test]
fn the_forms_as_text() {
    let pick = |name: &str| {
        let (_, text) = shipped().iter().find(|(n, _)| *n == name).expect("shipped");
        read_litmus(name, text).expect("reads")
    };
    insta::assert_snapshot!("mp_litmus", write_litmus(&pick("MP+rel+acq+spin")));
    insta::assert_snapshot!("mp_yaml", write_yaml(&pick("MP+rel+acq+spin")));
    insta::assert_snapshot!("barrier_yaml", write_yaml(&pick("MP+barrier+both")));
}
