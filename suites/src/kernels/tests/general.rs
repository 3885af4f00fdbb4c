//! What holds of the cases of every kind.

use super::super::generate::{FAMILIES, draw};
use super::super::{valid, yaml};
use super::{cases, too_long, wants};
use crate::kernels::case::{Ids, KernelCase, Kind, Permutation, Same, Step, Want, Within};
use std::collections::BTreeSet;

/// The names of all kinds.
fn kinds() -> impl Iterator<Item = String> {
    FAMILIES
        .iter()
        .map(|(family, kind, _)| format!("{family}/{kind}"))
}

#[test]
fn every_kind_draws_valid_cases_and_the_same_ones_twice() {
    for kind in kinds() {
        for (seed, (name, case)) in cases(&kind, 60).enumerate() {
            valid::valid(&case).unwrap_or_else(|e| panic!("{name}: {e}"));
            assert_eq!(Some(&case), draw(&kind, seed as u64).as_ref(), "{name}");
            assert!(!case.covers().is_empty(), "{name}");
            let drawn = case.drawn.as_ref().expect("how it was drawn");
            assert_eq!((&drawn.family, drawn.seed), (&kind, seed as u64), "{name}");
        }
    }
}

#[test]
fn a_case_in_yaml_reads_as_the_same() {
    for kind in kinds() {
        for (name, case) in cases(&kind, 4) {
            let text = yaml::write(&case);
            assert_eq!(yaml::read(&text).as_ref(), Ok(&case), "{name}");
            assert_eq!(yaml::write(&case), text, "{name}");
        }
    }
}

#[test]
fn a_text_that_names_what_is_not_there_is_refused_with_its_place() {
    let text = yaml::write(&draw("ndrange/ids", 1).expect("a kind"));
    let known = yaml::read(&text);
    assert!(known.is_ok());
    let cases = [
        (text.replace("objects:", "things:"), "things"),
        (text.replace("kind: buffer", "kind: bucket"), "bucket"),
        (text.replace("times: 1", "times: often"), "often"),
        (
            text.replace("nd.global-id", "nd.no-such-rule"),
            "nd.no-such-rule",
        ),
        (format!("{text}more: 1\n"), "more"),
    ];
    for (changed, word) in cases {
        assert_ne!(changed, text, "{word}");
        let error = yaml::read(&changed).expect_err(word).to_string();
        assert!(
            error.contains(word) || error.contains("line"),
            "{word}: {error}"
        );
    }
}

#[test]
fn a_file_says_its_kind_and_older_ones_that_do_not_are_read() {
    let case = draw("memory/generic", 3).expect("a kind");
    let text = yaml::write(&case);
    let older = text
        .strip_prefix("kind: kernel\n")
        .expect("it begins with its kind");
    assert_eq!(yaml::read(older).as_ref(), Ok(&case));
    for other in ["api", "commands", "litmus", "kernels"] {
        let foreign = format!("kind: {other}\n{older}");
        let error = yaml::read(&foreign).expect_err(other).to_string();
        assert!(error.contains(other) || error.contains("kernel"), "{error}");
    }
}

#[test]
fn findings_of_kernel_cases_say_their_kind_and_are_read() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/findings");
    let mut seen = 0;
    for driver in std::fs::read_dir(folder).expect("findings").flatten() {
        for file in std::fs::read_dir(driver.path())
            .into_iter()
            .flatten()
            .flatten()
        {
            let text = std::fs::read_to_string(file.path()).expect("a text");
            if text.lines().any(|line| line.starts_with("about:")) {
                let path = file.path();
                assert!(text.contains("kind: kernel\n"), "{}", path.display());
                let case = yaml::read(&text);
                assert!(case.is_ok(), "{}: {case:?}", path.display());
                seen += 1;
            }
        }
    }
    assert!(seen > 15, "{seen}");
}

#[test]
fn seeds_give_cases_of_their_own() {
    for kind in kinds() {
        // Two kinds have few choices.
        let few = ["program/built-in", "svm/seen"].contains(&kind.as_str());
        let least = if few { 5 } else { 10 };
        let texts = cases(&kind, 30).map(|(_, case)| {
            let case = KernelCase {
                drawn: None,
                ..case
            };
            yaml::write(&case)
        });
        let different = texts.collect::<BTreeSet<_>>().len();
        assert!(different >= least, "{kind}: {different}");
    }
}

#[test]
fn unknown_kinds_draw_nothing() {
    for kind in [
        "",
        "ndrange",
        "ndrange/",
        "ndrange/id",
        "ndrange/ids/0",
        "ids",
        "NDRANGE/IDS",
    ] {
        assert_eq!(draw(kind, 0), None, "{kind}");
    }
}

#[test]
fn what_is_wanted_fits_into_its_object() {
    for kind in kinds() {
        for (name, case) in cases(&kind, 20) {
            assert!(
                !wants(&case).is_empty() || kind == "program/built-in",
                "{name}"
            );
            for (object, want) in wants(&case) {
                let bytes = case.objects[object.index()].bytes as u64;
                match want {
                    Want::Same(Same { unit, contents, .. }) => {
                        assert_eq!(bytes % unit.bytes() as u64, 0, "{name}");
                        assert!(!too_long(contents, bytes as usize), "{name}");
                    }
                    Want::Permutation(Permutation { unit, count, .. }) => {
                        assert!(count * unit.bytes() as u64 <= bytes, "{name}");
                        assert!(*count > 0, "{name}");
                    }
                    Want::Turns { groups } => assert_eq!(bytes, 8 * u64::from(*groups), "{name}"),
                    Want::Ids(Ids { range, times, .. }) => {
                        let records = range.items() * u64::from(*times);
                        assert_eq!(bytes, 8 * (1 + 27 * records), "{name}");
                    }
                    Want::Halves { unit } => {
                        assert_eq!(bytes % (2 * unit.bytes() as u64), 0, "{name}");
                    }
                    Want::Pointers(list) => {
                        let last = list.iter().map(|(at, _)| *at as u64 + 8).max();
                        assert!(last <= Some(bytes), "{name}");
                    }
                    Want::SubGroups { groups, .. } => {
                        let items: u64 = groups.iter().map(|n| u64::from(*n)).sum();
                        assert_eq!(bytes, items * 6 * 4, "{name}");
                    }
                    Want::Within(Within {
                        bytes: each,
                        numbers,
                    }) => {
                        assert_eq!(bytes as usize, each * numbers.len(), "{name}");
                    }
                    Want::AsMoved => {}
                }
            }
        }
    }
}

#[test]
fn first_contents_fit_into_their_objects() {
    for kind in kinds() {
        for (name, case) in cases(&kind, 20) {
            for object in &case.objects {
                assert!(!too_long(&object.contents, object.bytes), "{name}");
                let apart = matches!(object.kind, Kind::SubBuffer { .. } | Kind::Pipe { .. });
                assert!(!apart || object.contents.is_zero(), "{name}");
            }
        }
    }
}

#[test]
fn only_exchanges_have_a_word_of_those_who_give_up() {
    for kind in kinds() {
        for (name, case) in cases(&kind, 10) {
            let even_so = |step: &Step| matches!(step, Step::Look { even_so: true, .. });
            let Some(quit) = case.quit else {
                assert!(!case.steps.iter().any(even_so), "{name}: nobody gives up");
                continue;
            };
            assert!(kind.starts_with("svm/"), "{name}");
            let word = &case.objects[quit.object.index()];
            assert_eq!(word.bytes, 4, "{name}");
            assert!(word.contents.is_zero(), "{name}");
        }
    }
}

#[test]
fn every_look_names_rules_of_the_catalogue_once() {
    for kind in kinds() {
        for (name, case) in cases(&kind, 10) {
            for step in &case.steps {
                if let Step::Look {
                    rules, name: says, ..
                } = step
                {
                    let different: BTreeSet<_> = rules.iter().collect();
                    assert!(!rules.is_empty(), "{name}: {says}");
                    assert_eq!(different.len(), rules.len(), "{name}: {says}");
                    assert!(!says.is_empty(), "{name}");
                    assert!(
                        rules.iter().all(|rule| case.covers().contains(rule)),
                        "{name}"
                    );
                }
            }
        }
    }
}
