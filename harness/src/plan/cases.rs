//! Cases from the shipped tests and from files.

use super::Case;
use crate::execute::Budget;
use classay_litmus::program::{self, Program};
use classay_litmus::syntax::{self, SyntaxError};
use classay_reports::record::CaseId;
use classay_reports::verdict::Quantifier;
use std::collections::HashMap;
use std::io::Read;
use std::path::{Path, PathBuf};

/// A file that gives no case.
#[derive(Debug)]
pub enum Unreadable {
    /// It cannot be read.
    File {
        /// The file.
        path: PathBuf,
        /// One sentence.
        message: String,
    },
    /// It is no litmus test.
    Syntax {
        /// The file.
        path: PathBuf,
        /// What is wrong and where.
        error: Box<SyntaxError>,
    },
}

impl Unreadable {
    /// The file, as the user wrote it.
    pub fn path(&self) -> &Path {
        match self {
            Unreadable::File { path, .. } | Unreadable::Syntax { path, .. } => path,
        }
    }

    /// What is wrong, on one line, with the place where there is one.
    pub fn message(&self) -> String {
        match self {
            Unreadable::File { message, .. } => message.clone(),
            Unreadable::Syntax { error, .. } => {
                let (line, column) = error.position();
                format!("{line}:{column}: {}", error.message())
            }
        }
    }
}

/// A case for every test that comes with the program.
pub fn shipped() -> Result<Vec<Case>, String> {
    Ok(Vec::new())
}

/// A case for each file, in order, and what is wrong with the files that give none. A case is
/// named after the file's stem, or after its whole path where two have the same stem.
pub fn from_files(paths: &[PathBuf]) -> (Vec<Case>, Vec<Unreadable>) {
    let mut stems: HashMap<String, usize> = HashMap::new();
    for path in paths {
        *stems.entry(stem(path)).or_default() += 1;
    }
    let mut cases = Vec::new();
    let mut unreadable = Vec::new();
    let mut taken: HashMap<String, usize> = HashMap::new();
    for path in paths {
        let program = match read(path) {
            Ok(program) => program,
            Err(error) => {
                unreadable.push(error);
                continue;
            }
        };
        let mut name = stem(path);
        if stems.get(&name).is_some_and(|n| *n > 1) {
            name = path.to_string_lossy().into_owned();
        }
        let times = taken.entry(name.clone()).or_default();
        *times += 1;
        if *times > 1 {
            name = format!("{name}#{times}");
        }
        let id = CaseId::new("litmus", "file", &name);
        cases.push(case(id, &program, &path.to_string_lossy()));
    }
    (cases, unreadable)
}

fn stem(path: &Path) -> String {
    path.file_stem()
        .unwrap_or(path.as_os_str())
        .to_string_lossy()
        .into_owned()
}

fn read(path: &Path) -> Result<Program, Unreadable> {
    let bytes = read_bounded(path).map_err(|message| Unreadable::File {
        path: path.to_path_buf(),
        message,
    })?;
    syntax::read_bytes(&path.to_string_lossy(), &bytes).map_err(|error| Unreadable::Syntax {
        path: path.to_path_buf(),
        error: Box::new(error),
    })
}

/// The file's bytes; one more than a test may have is enough to know that it has too many.
fn read_bounded(path: &Path) -> Result<Vec<u8>, String> {
    let message = |e: std::io::Error| format!("cannot be read: {e}");
    let file = std::fs::File::open(path).map_err(message)?;
    let mut bytes = Vec::new();
    file.take(syntax::limits::MAX_BYTES as u64 + 1)
        .read_to_end(&mut bytes)
        .map_err(message)?;
    Ok(bytes)
}

fn case(id: CaseId, program: &Program, file: &str) -> Case {
    Case {
        id,
        test: program.name.clone(),
        file: file.to_string(),
        source: syntax::write_litmus(program),
        question: match program.condition.quantifier {
            program::Quantifier::Exists => Quantifier::Exists,
            program::Quantifier::NotExists => Quantifier::NotExists,
            program::Quantifier::Forall => Quantifier::Forall,
        },
        seed: 0,
        budget: Budget::Instances(0),
    }
}
