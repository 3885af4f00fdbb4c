//! Cases from what a user names: files, folders of files, `@lists` of files, and shipped tests.

use super::cases::{case, kind_of};
use super::{Body, Case, select};
use classay_litmus::program::{Api, Program};
use classay_litmus::syntax::{self, SyntaxError};
use classay_reports::record::CaseId;
use classay_suites::api;
use classay_suites::commands::check::Plan;
use classay_suites::family::{self, Family};
use classay_suites::kernels::yaml;
use std::collections::{HashMap, HashSet};
use std::io::Read;
use std::path::{Path, PathBuf};

/// A file that gives no case.
#[derive(Debug, Clone)]
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

/// What the files of a command hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holding {
    /// Litmus tests.
    Tests,
    /// Generated cases as YAML.
    Programs,
}

impl Holding {
    /// What the names of such files end in.
    fn extensions(self) -> &'static [&'static str] {
        match self {
            Holding::Tests => &["litmus", "yaml", "yml"],
            Holding::Programs => &["yaml", "yml"],
        }
    }
}

/// Lists that may name each other, one in the other.
const DEEPEST_LIST: usize = 16;

/// The files that arguments name, or what is wrong with them, in order. An argument is
///
/// - a file, which stands for itself;
/// - a folder, which stands for the files within that end in what such files end in, sorted, those of the
///   folders in it too;
/// - a list, a file whose name begins with `@` or is written after an `@`: a line is an argument, relative to
///   the list's folder; empty lines and lines that begin with `#` are left out;
/// - the name of a shipped test, or a pattern of such names, where `holding` is of tests.
pub fn expand(given: &[PathBuf], holding: Holding) -> Vec<Result<PathBuf, Unreadable>> {
    let mut found = Found {
        holding,
        files: Vec::new(),
    };
    for path in given {
        found.argument(path, None, 0);
    }
    found.files
}

/// What arguments stand for, so far.
struct Found {
    holding: Holding,
    files: Vec<Result<PathBuf, Unreadable>>,
}

impl Found {
    /// Adds what an argument stands for: one of the command line, or one of a list in this folder.
    fn argument(&mut self, given: &Path, folder: Option<&Path>, depth: usize) {
        let path = folder.map_or_else(|| given.to_path_buf(), |folder| folder.join(given));
        if let Some(list) = list(&path, given, folder) {
            return self.list(&list, depth);
        }
        if path.is_dir() {
            return self.folder(&path);
        }
        if !path.exists() && self.holding == Holding::Tests {
            let name = given.to_str().unwrap_or_default();
            let mut names = shipped_like(name).map(|test| test.called).peekable();
            if names.peek().is_some() {
                return self.files.extend(names.map(|name| Ok(name.into())));
            }
        }
        self.files.push(Ok(path));
    }

    fn list(&mut self, list: &Path, depth: usize) {
        let folder = list.parent().unwrap_or(Path::new(""));
        let text = match read_bounded(list, MOST_OF_A_LIST) {
            Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            Err(message) => return self.wrong(list, message),
        };
        if depth == DEEPEST_LIST {
            return self.wrong(list, "is a list within too many lists".into());
        }
        let lines = text.lines().map(str::trim);
        for line in lines.filter(|line| !line.is_empty() && !line.starts_with('#')) {
            self.argument(Path::new(line), Some(folder), depth + 1);
        }
    }

    fn folder(&mut self, folder: &Path) {
        let extensions = self.holding.extensions();
        let mut any = false;
        let walk = walkdir::WalkDir::new(folder).follow_links(true);
        for entry in walk.sort_by_file_name() {
            match entry {
                Ok(entry) => {
                    let path = entry.into_path();
                    let end = path.extension().and_then(|end| end.to_str());
                    if path.is_file() && end.is_some_and(|end| extensions.contains(&end)) {
                        any = true;
                        self.files.push(Ok(path));
                    }
                }
                Err(error) => {
                    any = true;
                    let path = error.path().unwrap_or(folder).to_path_buf();
                    self.wrong(&path, format!("cannot be read: {error}"));
                }
            }
        }
        if !any {
            let ends = extensions.join(", ");
            self.wrong(folder, format!("has no file that ends in one of {ends}"));
        }
    }

    fn wrong(&mut self, path: &Path, message: String) {
        self.files.push(Err(Unreadable::File {
            path: path.to_path_buf(),
            message,
        }));
    }
}

/// The list that an argument names, if it names one.
fn list(path: &Path, given: &Path, folder: Option<&Path>) -> Option<PathBuf> {
    let name = path.file_name()?.to_str()?;
    if name.starts_with('@') && path.exists() {
        return Some(path.to_path_buf());
    }
    let rest = Path::new(given.to_str()?.strip_prefix('@')?);
    Some(folder.map_or_else(|| rest.to_path_buf(), |folder| folder.join(rest)))
}

/// A test that comes with the program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shipped {
    /// What it is called on the command line: its name, and before that of a test of Vulkan `vulkan/`.
    pub called: String,
    /// What it is written for.
    pub api: Api,
    /// Its name.
    pub name: &'static str,
    /// Its text.
    pub text: &'static str,
}

/// Every shipped test, those of OpenCL first.
pub fn all_shipped() -> impl Iterator<Item = Shipped> {
    let of = |api, &(name, text): &(&'static str, &'static str)| Shipped {
        called: match api {
            Api::OpenCl => name.to_owned(),
            Api::Vulkan => format!("{}/{name}", kind_of(api)),
        },
        api,
        name,
        text,
    };
    let opencl = classay_litmus::shipped().iter();
    let vulkan = classay_litmus::shipped_vulkan().iter();
    let opencl = opencl.map(move |test| of(Api::OpenCl, test));
    opencl.chain(vulkan.map(move |test| of(Api::Vulkan, test)))
}

/// The shipped tests that a name or a pattern is of.
pub fn shipped_like(name: &str) -> impl Iterator<Item = Shipped> {
    all_shipped().filter(move |test| test.called == name || select::matches(name, &test.called))
}

/// The shipped test of this name, where no file has it.
fn shipped_named(path: &Path) -> Option<Shipped> {
    let name = path.to_str().filter(|_| !path.exists())?;
    all_shipped().find(|test| test.called == name)
}

/// Whether this is written as the name of a test and not as a file's path.
fn is_name(path: &Path) -> bool {
    let end = path.extension().and_then(|end| end.to_str());
    let file = end.is_some_and(|end| Holding::Tests.extensions().contains(&end));
    let vulkan = path.starts_with(kind_of(Api::Vulkan));
    path.components().count() == 1 + usize::from(vulkan) && !file
}

/// What to say after a name that no shipped test has.
pub fn no_shipped_test(name: &str) -> String {
    let names = all_shipped().map(|test| test.called);
    let alike = |shipped: &str| strsim::jaro_winkler(name, shipped);
    let nearest = names
        .max_by(|a, b| alike(a).total_cmp(&alike(b)))
        .filter(|nearest| alike(nearest) > 0.8)
        .map_or_else(String::new, |nearest| format!(" ({nearest} is one)"));
    format!("is no shipped test{nearest}: `classay show` lists them")
}

/// A case for each litmus test that arguments name (see [`expand`]), in order, and what is wrong with those
/// that name none. A case is named after the file's stem, or after its whole path where two have the same
/// stem.
pub fn from_files(given: &[PathBuf]) -> (Vec<Case>, Vec<Unreadable>) {
    named(given, Holding::Tests, "litmus", &|id, path| {
        let program = read(path)?;
        let file = match shipped_named(path) {
            Some(_) => String::new(),
            None => path.to_string_lossy().into_owned(),
        };
        Ok(case(id, &program, &file))
    })
}

/// Most bytes of a program of commands or a kernel case: some list all that a large index space leaves.
const MOST_OF_A_CASE: usize = 1 << 22;

/// Most bytes of a list of files.
const MOST_OF_A_LIST: usize = 1 << 22;

/// A case for each program of commands, kernel case or API case that arguments name, as litmus tests are
/// named.
pub fn programs_from_files(given: &[PathBuf]) -> (Vec<Case>, Vec<Unreadable>) {
    named(given, Holding::Programs, "program", &|id, path| {
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
    given: &[PathBuf],
    holding: Holding,
    family: &str,
    make: &dyn Fn(CaseId, &Path) -> Result<Case, Unreadable>,
) -> (Vec<Case>, Vec<Unreadable>) {
    let paths = expand(given, holding);
    let mut stems: HashMap<String, usize> = HashMap::new();
    for path in paths.iter().flatten().collect::<HashSet<_>>() {
        *stems.entry(stem(path)).or_default() += 1;
    }
    let mut cases = Vec::new();
    let mut unreadable = Vec::new();
    let mut taken: HashMap<String, usize> = HashMap::new();
    for path in paths {
        let path = match path {
            Ok(path) => path,
            Err(error) => {
                unreadable.push(error);
                continue;
            }
        };
        let mut name = stem(&path);
        if stems.get(&name).is_some_and(|n| *n > 1) {
            name = path.to_string_lossy().into_owned();
        }
        let times = taken.get(&name).copied().unwrap_or_default() + 1;
        // A shipped test has the id that it has in a run of all.
        let kind = match shipped_named(&path) {
            Some(test) if holding == Holding::Tests => kind_of(test.api),
            Some(_) | None => "file",
        };
        let id = match times {
            1 => CaseId::new(family, kind, &name),
            n => CaseId::new(family, kind, &format!("{name}#{n}")),
        };
        match make(id, &path) {
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
    if let Some(test) = shipped_named(path) {
        return test.name.to_string();
    }
    path.file_stem()
        .unwrap_or(path.as_os_str())
        .to_string_lossy()
        .into_owned()
}

/// Reads the test in a file, or the shipped test of this name where no file has it.
///
/// # Errors
///
/// The file cannot be read, or is no litmus test.
pub fn read(path: &Path) -> Result<Program, Unreadable> {
    let syntax = |error| Unreadable::Syntax {
        path: path.to_path_buf(),
        error: Box::new(error),
    };
    if let Some(Shipped { name, text, .. }) = shipped_named(path) {
        return syntax::read_litmus(name, text).map_err(syntax);
    }
    let wrong = |message| Unreadable::File {
        path: path.to_path_buf(),
        message,
    };
    if !path.exists() && is_name(path) {
        let name = path.to_string_lossy();
        return Err(wrong(format!("is no file, and {}", no_shipped_test(&name))));
    }
    let bytes = read_bounded(path, syntax::limits::MAX_BYTES).map_err(wrong)?;
    syntax::read_bytes(&path.to_string_lossy(), &bytes).map_err(syntax)
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
