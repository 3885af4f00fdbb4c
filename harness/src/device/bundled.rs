//! Where the bundled libraries are: Touchstone, and the layer that stands between a worker and a
//! driver. Both are looked for beside this program, where cargo puts them and where an
//! installation does.

use std::path::{Path, PathBuf};

/// Names the file of Touchstone, where it is not beside the program.
pub const TOUCHSTONE_VARIABLE: &str = "CLASSAY_TOUCHSTONE";

/// Names the file of the layer, where it is not beside the program.
pub const LAYER_VARIABLE: &str = "CLASSAY_LAYER";

/// Path of the bundled reference runtime, or a sentence that says where it was looked for.
pub fn touchstone() -> Result<String, String> {
    find("libtouchstone.so", TOUCHSTONE_VARIABLE)
}

/// Path of the layer, or a sentence that says where it was looked for.
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
    match candidates.iter().find(|c| c.is_file()) {
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
