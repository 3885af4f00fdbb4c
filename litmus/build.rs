//! Makes the list of the shipped tests: those in `tests/`.

use std::path::Path;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=tests");
    let folder = env::current_dir()?.join("tests");
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
    fs::write(Path::new(&out).join("shipped.rs"), list)
}
