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
