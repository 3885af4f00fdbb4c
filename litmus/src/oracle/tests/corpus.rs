//! Litmus tests by others, with their published verdicts. Passes without them.

use crate::oracle::{Limits, Model, judge};
use crate::syntax::read_litmus;
use std::path::{Path, PathBuf};

fn corpus() -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/corpus/opencl");
    root.is_dir().then_some(root)
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
    let Some(root) = corpus() else { return };
    let model = Model::named("opencl-3.0").unwrap();
    let mut wrong = Vec::new();
    let judged = |path: &str| {
        let text = std::fs::read_to_string(root.join(path)).unwrap();
        let program = read_litmus(path, &text).map_err(|e| e.to_string())?;
        judge(&program, &model, &Limits::default()).map_err(|e| e.to_string())
    };
    for (path, expected) in table(&root, "expected.csv") {
        match judged(&path) {
            Ok(judgement) if judgement.holds == expected => {}
            Ok(judgement) => wrong.push(format!("{path}: expected {expected}, {judgement:?}")),
            Err(error) => wrong.push(format!("{path}: {error}")),
        }
    }
    for (path, race_free) in table(&root, "race-free.csv") {
        match judged(&path) {
            Ok(judgement) if judgement.racy != race_free => {}
            Ok(judgement) => wrong.push(format!("{path}: race-free {race_free}, {judgement:?}")),
            Err(error) => wrong.push(format!("{path}: {error}")),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Judges the corpus under the model in the file that ORACLE_MODEL names and prints where it
/// differs from the model in ORACLE_AGAINST, opencl-3.0 if nothing is said.
#[test]
#[ignore = "needs a model of somebody else's"]
fn a_model_from_a_file_agrees() {
    let (Some(root), Ok(path)) = (corpus(), std::env::var("ORACLE_MODEL")) else {
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
