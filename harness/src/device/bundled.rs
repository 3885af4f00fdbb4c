//! Where the bundled libraries are: Touchstone, and the layer that stands between a worker and a
//! driver. Both are looked for beside this program, where cargo puts them and where an
//! installation does.

use std::path::{Path, PathBuf};

/// Names the file of Touchstone, where it is not beside the program.
pub const TOUCHSTONE_VARIABLE: &str = "CLASSAY_TOUCHSTONE";

/// Names the file of the layer, where it is not beside the program.
pub const LAYER_VARIABLE: &str = "CLASSAY_LAYER";

/// Path of the bundled reference runtime, or a sentence that says where it was looked for.
///
/// # Errors
///
/// It is not there; one sentence that says where it was looked for.
pub fn touchstone() -> Result<String, String> {
    find("libtouchstone.so", TOUCHSTONE_VARIABLE)
}

/// Path of the layer, or a sentence that says where it was looked for.
///
/// # Errors
///
/// It is not there; one sentence that says where it was looked for.
pub fn layer() -> Result<String, String> {
    find("libclassay_layer.so", LAYER_VARIABLE)
}

fn find(file: &str, variable: &str) -> Result<String, String> {
    if let Some(path) = std::env::var_os(variable).filter(|v| !v.is_empty()) {
        let path = std::path::absolute(PathBuf::from(path))
            .map_err(|e| format!("{variable} does not name a path: {e}"))?;
        return as_text(&path);
    }
    let program = std::env::current_exe()
        .map_err(|e| format!("{file} could not be looked for beside this program: {e}"))?;
    let folder = program.parent().unwrap_or(Path::new("."));
    let candidates = candidates(folder, file);
    match newest(&candidates[..BUILT]).or_else(|| candidates.iter().find(|c| c.is_file())) {
        Some(path) => as_text(path),
        None => {
            let looked: Vec<String> = candidates
                .iter()
                .map(|c| format!("  {}", c.display()))
                .collect();
            Err(format!(
                "{file} is not beside this program; it was looked for as\n{}\nBuild it with \
                 `cargo build`, or name it with {variable}=PATH.",
                looked.join("\n")
            ))
        }
    }
}

/// How many of the candidates are places where cargo puts what it builds: a library that was once built
/// by itself lies beside the program, and stays there when the program is built again, with a newer one in
/// `deps`.
const BUILT: usize = 2;

/// The file that was written last; of files of one time, which are one file by two names, the first.
fn newest(candidates: &[PathBuf]) -> Option<&PathBuf> {
    let written = |path: &PathBuf| path.metadata().and_then(|m| m.modified()).ok();
    let files = candidates.iter().rev().filter(|path| path.is_file());
    files.max_by_key(|path| written(path))
}

/// Beside the program, where cargo puts a dependency's library, beside a test program (which is
/// itself in `deps`), and in the `lib` folder of an installation.
fn candidates(folder: &Path, file: &str) -> Vec<PathBuf> {
    let mut all = vec![folder.join(file), folder.join("deps").join(file)];
    if let Some(up) = folder.parent() {
        all.push(up.join(file));
        all.push(up.join("lib").join(file));
        all.push(up.join("lib").join("classay").join(file));
    }
    all
}

fn as_text(path: &Path) -> Result<String, String> {
    let text = path.to_str().ok_or_else(|| {
        format!(
            "the path {} is not UTF-8; move it to a path that is",
            path.display()
        )
    })?;
    if text.contains(';') {
        return Err(format!(
            "the path {text} contains ';', which OpenCL's loader takes as a separator; move it"
        ));
    }
    Ok(text.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, SystemTime};

    #[test]
    fn a_library_that_was_left_behind_gives_way_to_the_one_that_was_built() {
        let folder = tempfile::tempdir().expect("a folder");
        let candidates = candidates(folder.path(), "lib.so");
        std::fs::create_dir(folder.path().join("deps")).expect("a folder");
        assert_eq!(newest(&candidates[..BUILT]), None);
        let write = |path: &Path, age: u64| {
            let file = std::fs::File::create(path).expect("a file");
            file.set_modified(SystemTime::now() - Duration::from_secs(age))
                .expect("a time");
        };
        write(&candidates[0], 100);
        assert_eq!(newest(&candidates[..BUILT]), Some(&candidates[0]));
        write(&candidates[1], 10);
        assert_eq!(newest(&candidates[..BUILT]), Some(&candidates[1]));
        write(&candidates[1], 1000);
        assert_eq!(newest(&candidates[..BUILT]), Some(&candidates[0]));
    }
}
