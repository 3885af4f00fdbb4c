//! Makes the lists of the shipped tests: those in `tests/`, those of Vulkan in `tests/vulkan/`, and the programs of
//! progress in `tests/progress/`.

use std::path::Path;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=tests");
    list("tests", "shipped.rs")?;
    list("tests/vulkan", "shipped_vulkan.rs")?;
    list("tests/progress", "shipped_progress.rs")
}

/// Lists the tests of a folder in a file.
fn list(folder: &str, name: &str) -> io::Result<()> {
    let folder = env::current_dir()?.join(folder);
    let mut files = fs::read_dir(&folder)?
        .map(|entry| Ok(entry?.path()))
        .collect::<io::Result<Vec<_>>>()?;
    files.retain(|file| file.extension().is_some_and(|kind| kind == "litmus"));
    files.sort_by_key(|file| file.file_stem().map(ToOwned::to_owned));
    let rows = files.iter().filter_map(|file| {
        let name = file.file_stem()?;
        Some(format!("    ({name:?}, include_str!({file:?})),\n"))
    });
    let out = env::var("OUT_DIR").expect("cargo sets OUT_DIR");
    let list = format!("&[\n{}]\n", rows.collect::<String>());
    fs::write(Path::new(&out).join(name), list)
}
