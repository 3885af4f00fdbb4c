//! Every test of a corpus written by others reads, where the corpus is present.

use classay_litmus::syntax::{read_bytes, read_litmus, read_yaml, write_litmus, write_yaml};
use std::path::{Path, PathBuf};

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|e| e == "litmus") {
            files.push(path);
        }
    }
}

#[test]
fn the_corpus_of_opencl_reads_and_both_writers_keep_it() {
    kept("opencl", 70);
}

#[test]
fn the_corpus_of_vulkan_reads_and_both_writers_keep_it() {
    kept("vulkan", 299);
}

/// Every test of a corpus survives both writers; there are at least so many where there are any.
fn kept(corpus: &str, least: usize) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../shared/corpus")
        .join(corpus);
    let mut files = Vec::new();
    collect(&root, &mut files);
    files.sort();
    let mut failures = Vec::new();
    for path in &files {
        let name = path.display().to_string();
        let bytes = std::fs::read(path).expect("the file can be read");
        match read_bytes(&name, &bytes) {
            Err(error) => failures.push(format!("{:?}", miette::Report::new(error))),
            Ok(program) => {
                assert_eq!(
                    read_litmus(&name, &write_litmus(&program)).as_ref().ok(),
                    Some(&program),
                    "{name} as litmus"
                );
                assert_eq!(
                    read_yaml(&name, &write_yaml(&program)).as_ref().ok(),
                    Some(&program),
                    "{name} as YAML"
                );
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(
        !root.is_dir() || files.len() >= least,
        "only {} files",
        files.len()
    );
}
