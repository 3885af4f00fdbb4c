//! Cases from the shipped tests and from files.

use super::{Body, Case, LitmusTest};
use classay_litmus::program::Program;
use classay_litmus::syntax::{self, SyntaxError};
use classay_reports::record::CaseId;
use classay_suites::api;
use classay_suites::commands::check::Plan;
use classay_suites::commands::generate::enumerate;
use classay_suites::family::{self, Family};
use classay_suites::kernels::yaml;
use std::collections::{HashMap, HashSet};
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

/// A case for every test that comes with the program, in the order of their names.
///
/// # Errors
///
/// A shipped test cannot be read, which is a bug.
pub fn shipped() -> Result<Vec<Case>, String> {
    classay_litmus::shipped()
        .iter()
        .map(|(name, text)| {
            let program = syntax::read_litmus(name, text)
                .map_err(|e| format!("the shipped test {name} cannot be read: {e}"))?;
            Ok(case(CaseId::new("litmus", "classic", name), &program, ""))
        })
        .collect()
}

/// So many cases of every profile of programs of commands and of every family of kernel and API cases; each
/// draws what it runs from its seed.
pub fn drawn(each: u32) -> Vec<Case> {
    let all = Body::families().into_iter();
    let cases = all.flat_map(|(family, kind, body)| {
        (0..each).map(move |n| {
            let id = CaseId::new(family, kind, &format!("{n:05}"));
            generated(id, body.clone())
        })
    });
    cases.collect()
}

/// A case that is named as its id is.
fn generated(id: CaseId, body: Body) -> Case {
    let test = id.as_str().to_string();
    Case::new(id, &test, "", body)
}

/// So many of the small programs of commands, spread over the list of all.
pub fn small(wanted: u32) -> Vec<Case> {
    let all = enumerate::shapes().len();
    let wanted = (wanted as usize).min(all);
    (0..wanted)
        .map(|n| {
            let number = n * all / wanted;
            let id = CaseId::new("queue", "small", &format!("{number:05}"));
            let number = number as u32;
            generated(id, Body::Small { number })
        })
        .collect()
}

/// A case for each litmus test in a file, in order, and what is wrong with the files that give none.
/// A case is named after the file's stem, or after its whole path where two have the same stem.
pub fn from_files(paths: &[PathBuf]) -> (Vec<Case>, Vec<Unreadable>) {
    named(paths, "litmus", &|id, path| {
        let program = read(path)?;
        Ok(case(id, &program, &path.to_string_lossy()))
    })
}

/// Most bytes of a program of commands or a kernel case: some list all that a large index space leaves.
const MOST_OF_A_CASE: usize = 1 << 22;

/// A case for each program of commands or kernel case in a file, named as litmus tests are.
pub fn programs_from_files(paths: &[PathBuf]) -> (Vec<Case>, Vec<Unreadable>) {
    named(paths, "program", &|id, path| {
        let wrong = |message| Unreadable::File {
            path: path.to_path_buf(),
            message,
        };
        let bytes = read_bounded(path, MOST_OF_A_CASE).map_err(wrong)?;
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let body = body_of(text).map_err(wrong)?;
        let test = id.name().to_string();
        Ok(Case::new(id, &test, &path.to_string_lossy(), body))
    })
}

/// What a file runs, by the `kind:` that it says; an older one that says none is what it reads as.
fn body_of(text: String) -> Result<Body, String> {
    let about = text.lines().any(|line| line.starts_with("about:"));
    match family::kind_of(&text) {
        Some(api::Case::KIND) => match api::Case::read(&text) {
            Ok(_) => Ok(Body::Api { api: text }),
            Err(why) => Err(format!("is no valid API case: {why}")),
        },
        // Every kernel case begins by saying what it is about.
        kind if kind != Some(Plan::KIND) && about => match yaml::read(&text) {
            Ok(_) => Ok(Body::Kernel { kernel: text }),
            Err(why) => Err(format!("is no valid kernel case: {why}")),
        },
        None if api::Case::read(&text).is_ok() => Ok(Body::Api { api: text }),
        _ => match Plan::read(&text) {
            Ok(_) => Ok(Body::Commands { program: text }),
            Err(why) => Err(format!("is no valid program of commands: {why}")),
        },
    }
}

/// A case for each file that `make` takes, with an id of its own.
fn named(
    paths: &[PathBuf],
    family: &str,
    make: &dyn Fn(CaseId, &Path) -> Result<Case, Unreadable>,
) -> (Vec<Case>, Vec<Unreadable>) {
    let mut stems: HashMap<String, usize> = HashMap::new();
    for path in paths.iter().collect::<HashSet<_>>() {
        *stems.entry(stem(path)).or_default() += 1;
    }
    let mut cases = Vec::new();
    let mut unreadable = Vec::new();
    let mut taken: HashMap<String, usize> = HashMap::new();
    for path in paths {
        let mut name = stem(path);
        if stems.get(&name).is_some_and(|n| *n > 1) {
            name = path.to_string_lossy().into_owned();
        }
        let times = taken.get(&name).copied().unwrap_or_default() + 1;
        let id = match times {
            1 => CaseId::new(family, "file", &name),
            n => CaseId::new(family, "file", &format!("{name}#{n}")),
        };
        match make(id, path) {
            Ok(case) => {
                taken.insert(name, times);
                cases.push(case);
            }
            Err(error) => unreadable.push(error),
        }
    }
    (cases, unreadable)
}

fn stem(path: &Path) -> String {
    path.file_stem()
        .unwrap_or(path.as_os_str())
        .to_string_lossy()
        .into_owned()
}

/// Reads the test in a file.
///
/// # Errors
///
/// The file cannot be read, or is no litmus test.
pub fn read(path: &Path) -> Result<Program, Unreadable> {
    let bytes =
        read_bounded(path, syntax::limits::MAX_BYTES).map_err(|message| Unreadable::File {
            path: path.to_path_buf(),
            message,
        })?;
    syntax::read_bytes(&path.to_string_lossy(), &bytes).map_err(|error| Unreadable::Syntax {
        path: path.to_path_buf(),
        error: Box::new(error),
    })
}

/// The file's bytes, where there are no more than a test may have; a device file has no end.
fn read_bounded(path: &Path, most: usize) -> Result<Vec<u8>, String> {
    let message = |e: std::io::Error| format!("cannot be read: {e}");
    let file = std::fs::File::open(path).map_err(message)?;
    let mut bytes = Vec::new();
    file.take(most as u64 + 1)
        .read_to_end(&mut bytes)
        .map_err(message)?;
    if bytes.len() > most {
        return Err(format!("is too large: a test has at most {most} bytes"));
    }
    Ok(bytes)
}

/// A case that runs a litmus test which comes from no file.
pub fn of_program(id: CaseId, program: &Program) -> Case {
    case(id, program, "")
}

fn case(id: CaseId, program: &Program, file: &str) -> Case {
    let body = Body::Litmus(LitmusTest::new(program));
    Case::new(id, &program.name, file, body)
}
