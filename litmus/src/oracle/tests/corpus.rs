//! Litmus tests by others, with their published verdicts. Passes without them.

use crate::oracle::{
    Deadline, Limits, Model, Progress, flags, holds, judge, satisfiable, terminates,
};
use crate::program::Program;
use crate::syntax::{read_alloy, read_litmus};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

fn corpus(name: &str) -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../shared/corpus")
        .join(name);
    if !root.is_dir() {
        println!("the corpus {name} is not here, so nothing is compared with it");
        return None;
    }
    Some(root)
}

fn table(root: &Path, name: &str) -> Vec<(String, bool)> {
    std::fs::read_to_string(root.join(name))
        .unwrap()
        .lines()
        .filter_map(|line| line.split_once(','))
        .map(|(path, value)| (path.to_owned(), value.trim() == "1"))
        .collect()
}

#[test]
fn published_verdicts_are_reproduced() {
    let Some(root) = corpus("opencl") else {
        return;
    };
    let mut wrong = answers(&root, "expected.csv", "opencl-3.0");
    wrong.extend(races(&root, "opencl-3.0"));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// With availability and visibility chains, and without them.
#[test]
fn published_verdicts_of_vulkan_are_reproduced() {
    let Some(root) = corpus("vulkan") else {
        return;
    };
    let mut wrong = answers(&root, "expected.csv", "vulkan");
    wrong.extend(answers(&root, "expected-nochains.csv", "vulkan-no-chains"));
    wrong.extend(races(&root, "vulkan"));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn read(root: &Path, path: &str) -> Result<Program, String> {
    let text = std::fs::read_to_string(root.join(path)).unwrap();
    read_litmus(path, &text).map_err(|e| e.to_string())
}

/// Where the answers to the tests' questions differ from a table.
fn answers(root: &Path, name: &str, model: &str) -> Vec<String> {
    let model = Model::named(model).unwrap();
    let answer = |path: &str| {
        let program = read(root, path)?;
        holds(&program, &model, &Limits::default()).map_err(|e| e.to_string())
    };
    let differs = |(path, expected): (String, bool)| match answer(&path) {
        Ok(answer) if answer == expected => None,
        Ok(answer) => Some(format!("{path}: expected {expected}, not {answer}")),
        Err(error) => Some(format!("{path}: {error}")),
    };
    table(root, name).into_iter().filter_map(differs).collect()
}

/// Where the races differ from the table of race-free tests.
fn races(root: &Path, model: &str) -> Vec<String> {
    let model = Model::named(model).unwrap();
    let raised = |path: &str| {
        let program = read(root, path)?;
        flags(&program, &model, &Limits::default()).map_err(|e| e.to_string())
    };
    let differs = |(path, race_free): (String, bool)| match raised(&path) {
        Ok(flags) if flags.is_empty() == race_free => None,
        Ok(flags) => Some(format!("{path}: race-free {race_free}, {flags:?}")),
        Err(error) => Some(format!("{path}: {error}")),
    };
    let table = table(root, "race-free.csv");
    table.into_iter().filter_map(differs).collect()
}

/// Which programs always end, under each progress model.
#[test]
fn published_progress_of_vulkan_is_reproduced() {
    let Some(root) = corpus("vulkan") else {
        return;
    };
    let mut wrong = Vec::new();
    for progress in Progress::ALL {
        let name = format!("progress-{progress}.csv");
        if progress == Progress::HsaObe {
            continue;
        }
        for (path, ends) in table(&root, &name) {
            let program = read(&root, &path);
            let answer = program.and_then(|p| {
                terminates(&p, progress, &Limits::default()).map_err(|e| e.to_string())
            });
            if answer != Ok(ends) {
                wrong.push(format!("{path}, {progress}: expected {ends}, {answer:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Every claim of the Alloy tests.
#[test]
fn claims_of_alloy_tests_hold() {
    let Some(root) = corpus("vulkan-alloy") else {
        return;
    };
    let mut wrong = Vec::new();
    let mut claims = 0;
    for entry in std::fs::read_dir(root).unwrap() {
        let path = entry.unwrap().path();
        let name = path.display().to_string();
        let text = std::fs::read_to_string(&path).unwrap();
        let test = match read_alloy(&name, &text) {
            Ok(test) => test,
            Err(error) => {
                wrong.push(error.to_string());
                continue;
            }
        };
        for claim in &test.claims {
            claims += 1;
            match satisfiable(&test.program, claim, &Limits::default()) {
                Ok(answer) if answer == claim.satisfiable => {}
                Ok(answer) => wrong.push(format!("{name}: {claim:?} is {answer}")),
                Err(error) => wrong.push(format!("{name}: {error}")),
            }
        }
    }
    assert!(claims >= 60, "only {claims} claims");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// How long the corpora of Vulkan take, reading included.
#[test]
#[ignore = "prints times"]
fn times_of_vulkan() {
    let parts: [(&str, fn()); 3] = [
        ("verdicts", published_verdicts_of_vulkan_are_reproduced),
        ("progress", published_progress_of_vulkan_is_reproduced),
        ("Alloy", claims_of_alloy_tests_hold),
    ];
    for (name, part) in parts {
        let start = std::time::Instant::now();
        part();
        println!("{name}: {:?}", start.elapsed());
    }
}

/// Judges the corpus under the model in the file that ORACLE_MODEL names and prints where it
/// differs from the model in ORACLE_AGAINST, opencl-3.0 if nothing is said.
#[test]
#[ignore = "needs a model of somebody else's"]
fn a_model_from_a_file_agrees() {
    let (Some(root), Ok(path)) = (corpus("opencl"), std::env::var("ORACLE_MODEL")) else {
        return;
    };
    let against = std::env::var("ORACLE_AGAINST").unwrap_or("opencl-3.0".to_owned());
    let ours = Model::named(&against).unwrap();
    let theirs = Model::from_file(Path::new(&path)).unwrap_or_else(|e| panic!("{e:?}"));
    let (mut same, mut different) = (0, Vec::new());
    for (test, _) in table(&root, "expected.csv") {
        let text = std::fs::read_to_string(root.join(&test)).unwrap();
        let program = read_litmus(&test, &text).unwrap();
        let a = judge(&program, &ours, &Limits::default()).unwrap();
        let b = judge(&program, &theirs, &Limits::default()).unwrap();
        if (a.holds, a.racy) == (b.holds, b.racy) && (a.racy || a.states == b.states) {
            same += 1;
        } else {
            different.push(format!(
                "{test}: holds {} and {}, racy {} and {}",
                a.holds, b.holds, a.racy, b.racy
            ));
        }
    }
    println!("{same} agree");
    assert!(different.is_empty(), "{}", different.join("\n"));
}

/// How long it takes to list every outcome of each published test of Vulkan, one after the other.
#[test]
#[ignore = "prints times"]
fn times_of_listing() {
    let Some(root) = corpus("vulkan") else {
        return;
    };
    let model = Model::named("vulkan").unwrap();
    for families in [Limits::default().families, u64::MAX] {
        let limits = Limits {
            families,
            deadline: Deadline::after(Duration::from_secs(200)),
            ..Limits::default()
        };
        let mut all = Vec::new();
        for (path, _) in table(&root, "expected.csv") {
            let program = read(&root, &path).unwrap();
            let begun = Instant::now();
            let judged = judge(&program, &model, &limits);
            all.push((
                begun.elapsed(),
                path,
                judged.map(|j| (j.states.len(), j.nodes)),
            ));
        }
        all.sort_by_key(|(took, ..)| std::cmp::Reverse(*took));
        let total: Duration = all.iter().map(|(took, ..)| *took).sum();
        println!(
            "families from {families}: {total:?} for {} tests",
            all.len()
        );
        for (took, path, judged) in all.iter().take(3) {
            println!("  {took:?} {path} {judged:?}");
        }
    }
}
