//! What documents and comments say of the tree is so: the folders that READMEs list are there, all of them,
//! and no sentence names a path that is gone.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    let harness = Path::new(env!("CARGO_MANIFEST_DIR"));
    harness.parent().expect("the workspace").to_path_buf()
}

/// Documents that list what is in a folder, and that folder.
const MAPS: [(&str, &str); 7] = [
    ("harness/README.md", "harness/src"),
    ("harness/layer/README.md", "harness/layer/src"),
    ("litmus/README.md", "litmus/src"),
    ("reports/README.md", "reports/src"),
    ("runtime/README.md", "runtime"),
    ("runtime/README.md", "runtime/opencl/src"),
    ("suites/README.md", "suites/src"),
];

/// Folders that no map lists: tests and their snapshots.
const UNLISTED: [&str; 3] = ["tests", "snapshots", "examples"];

/// Whether a word is a folder or a source file: `store/`, `src/store/`, `csv.rs`.
fn is_entry(word: &str) -> bool {
    let name = word.strip_suffix('/').or_else(|| word.strip_suffix(".rs"));
    let of_names = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '_' | '/');
    name.is_some_and(|name| !name.is_empty() && name.chars().all(of_names))
}

/// The entries that a document lists: the first words of indented lines, and the first column of tables.
fn listed(text: &str) -> BTreeSet<String> {
    let mut entries = BTreeSet::new();
    for line in text.lines() {
        if let Some(row) = line.strip_prefix("| `") {
            let cell = row.split(" |").next().unwrap_or_default();
            let words = cell.split(['`', ',', ' ']);
            entries.extend(words.filter(|w| is_entry(w)).map(str::to_string));
        } else if let Some(row) = line.strip_prefix("    ") {
            let words = row.split_whitespace().take_while(|w| is_entry(w));
            entries.extend(words.map(str::to_string));
        }
    }
    entries
}

#[test]
fn readmes_list_the_folders_that_there_are() {
    let root = root();
    let mut wrong = Vec::new();
    for (document, folder) in MAPS {
        let text = std::fs::read_to_string(root.join(document)).expect("a document");
        let listed = listed(&text);
        assert!(listed.len() > 3, "{document} lists too little: {listed:?}");
        let bare = |entry: &str| entry.strip_prefix("src/").unwrap_or(entry).to_string();
        let names: BTreeSet<String> = listed.iter().map(|entry| bare(entry)).collect();
        for entry in std::fs::read_dir(root.join(folder)).expect("a folder") {
            let entry = entry.expect("an entry");
            let name = entry.file_name().to_string_lossy().into_owned();
            // The folder of a file that is listed, with its tests or parts, goes with it.
            let of_file = names.contains(&format!("{name}.rs"));
            if entry.path().is_dir()
                && !of_file
                && !UNLISTED.contains(&name.as_str())
                && !names.iter().any(|n| n.split('/').next() == Some(&name))
            {
                wrong.push(format!("{document} does not list {folder}/{name}/"));
            }
        }
        let base = root.join(document);
        let base = base.parent().expect("a folder");
        let homes: Vec<PathBuf> = MAPS
            .iter()
            .filter(|(other, _)| *other == document)
            .map(|(_, folder)| root.join(folder))
            .chain([base.to_path_buf()])
            .collect();
        for entry in &listed {
            if !homes.iter().any(|home| home.join(entry).exists()) {
                wrong.push(format!("{document} lists {entry}, which is not there"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Every text file of the workspace's own.
fn texts(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
        let (path, name) = (entry.path(), entry.file_name());
        let name = name.to_string_lossy();
        if path.is_dir() {
            if !name.starts_with('.') && name != "target" {
                texts(&path, found);
            }
        } else if ["rs", "md", "toml", "c", "cl", "cat", "yml", "yaml", "sh"]
            .iter()
            .any(|end| name.ends_with(&format!(".{end}")))
        {
            found.push(path);
        }
    }
}

/// The paths of the tree that a line names: words that begin with one of its top folders.
fn paths(line: &str) -> impl Iterator<Item = &str> {
    const TOP: [&str; 6] = [
        "harness/", "suites/", "litmus/", "reports/", "runtime/", "ci/",
    ];
    let of_paths = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '/' | '.' | '-' | '+');
    line.split(move |c| !of_paths(c))
        .map(|word| word.trim_end_matches(['.', '/']))
        .filter(|word| {
            let mut parts = word.split('/');
            let inside =
                |p: &str| ["src", "tests", "models", "rules", "findings", "layer"].contains(&p);
            TOP.iter().any(|top| word.starts_with(top)) && parts.nth(1).is_some_and(inside)
        })
}

#[test]
fn no_sentence_names_a_path_that_is_gone() {
    let root = root();
    let mut found = Vec::new();
    texts(&root, &mut found);
    assert!(found.len() > 500, "{}", found.len());
    let mut wrong = Vec::new();
    // This file has examples of paths.
    found.retain(|file| !file.ends_with(file!()));
    for file in found {
        let Ok(text) = std::fs::read_to_string(&file) else {
            continue;
        };
        for (n, line) in text.lines().enumerate() {
            for path in paths(line) {
                let pattern = line.contains(&format!("{path}*"));
                if !pattern && !root.join(path).exists() {
                    let file = file.strip_prefix(&root).unwrap_or(&file);
                    wrong.push(format!("{}:{}: {path}", file.display(), n + 1));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn entries_and_paths_are_told_from_other_words() {
    assert!(is_entry("src/store/") && is_entry("csv.rs") && is_entry("store/"));
    assert!(!is_entry("name") && !is_entry("/") && !is_entry("N+") && !is_entry("*.cat"));
    let line = "see `suites/src/host/c`, harness/x and (litmus/models/sc.cat).";
    let found: Vec<&str> = paths(line).collect();
    assert_eq!(found, ["suites/src/host/c", "litmus/models/sc.cat"]);
}
