//! The shipped programs of progress are the files of their folder, and can be played in both APIs with threads of
//! every kind.

use classay_litmus::kernel::{AtomicsDialect, TestKernel};
use classay_litmus::program::{Api, Program, Quantifier};
use classay_litmus::progress::Among;
use classay_litmus::shipped_progress;
use classay_litmus::syntax::{read_litmus, write_litmus};
use std::collections::BTreeSet;
use std::path::Path;

fn programs() -> Vec<(&'static str, &'static str, Program)> {
    shipped_progress()
        .iter()
        .map(|(name, text)| match read_litmus(name, text) {
            Ok(program) => (*name, *text, program),
            Err(error) => panic!("{:?}", miette::Report::new(error)),
        })
        .collect()
}

#[test]
fn the_list_is_the_folder() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/progress");
    let files = std::fs::read_dir(folder).expect("the folder of programs");
    let files: BTreeSet<String> = files
        .map(|entry| entry.expect("an entry").path())
        .filter_map(|path| Some(path.file_stem()?.to_string_lossy().into_owned()))
        .collect();
    let listed: BTreeSet<String> = programs().iter().map(|(n, ..)| n.to_string()).collect();
    assert_eq!(listed, files);
}

#[test]
fn each_says_who_waits_for_whom_and_asks_whether_it_came() {
    for (name, text, program) in programs() {
        assert_eq!(program.name, name);
        let comment = text.lines().nth(2).unwrap_or("");
        assert!(
            comment.starts_with("(* ") && comment.ends_with(". *)"),
            "{name} says in its third line who waits for whom: {comment}"
        );
        assert_eq!(program.condition.quantifier, Quantifier::Forall, "{name}");
        assert!(program.filter.is_none(), "{name}");
    }
}

#[test]
fn each_can_be_played_by_threads_of_every_kind() {
    for (name, _, program) in programs() {
        for (api, dialect) in [
            (Api::OpenCl, AtomicsDialect::C11),
            (Api::Vulkan, AtomicsDialect::Vulkan),
        ] {
            for among in Among::ALL {
                let placed = among.placed(&program, api);
                let kernel = TestKernel::write(&placed, dialect);
                assert!(kernel.is_ok(), "{name}, {among}, {api}: {kernel:?}");
                let text = write_litmus(&placed);
                let read = read_litmus(name, &text);
                // A listing has jumps for loops and one instruction for each access.
                match api {
                    Api::OpenCl => {
                        assert_eq!(read.as_ref().ok(), Some(&placed), "{text}\n{read:?}")
                    }
                    Api::Vulkan => assert!(read.is_ok(), "{text}\n{read:?}"),
                }
            }
        }
    }
}
