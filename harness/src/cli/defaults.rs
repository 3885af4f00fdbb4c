//! `classay.toml`: a project's defaults.
//!
//! ```toml
//! device = "system"                       # for every command that takes --device
//! expect = ["ci/expectations.yaml"]
//!
//! [run]                                   # for one command
//! budget = 120
//! ```
//!
//! A key is the name of a long option. What the command line says goes before what a command's table says, and that
//! before what is above the tables. Paths of files are relative to the file's folder.

use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Command};
use classay::Error;
use classay::device::Selector;
use std::any::TypeId;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use toml::{Table, Value};

/// The file's name.
const NAME: &str = "classay.toml";

/// Names another file, or none where it is empty.
const VARIABLE: &str = "CLASSAY_CONFIG";

/// What a file adds to a command line.
pub struct Defaults {
    /// The file.
    pub file: PathBuf,
    /// Options, as they stand on a command line.
    pub options: Vec<OsString>,
}

/// The defaults for a command line that was parsed to `matches`; nothing where no file has any for it.
///
/// # Errors
///
/// A file cannot be read, or has a key that is no option.
pub fn of(command: &Command, matches: &ArgMatches) -> Result<Option<Defaults>, Error> {
    let Some(file) = file()? else {
        return Ok(None);
    };
    let wrong = |what: String| Error::Usage(format!("{}: {what}", file.display()));
    let text = std::fs::read_to_string(&file).map_err(|e| wrong(format!("cannot be read: {e}")))?;
    let table: Table = text.parse().map_err(|e: toml::de::Error| {
        let text = e.to_string();
        wrong(format!("is no TOML: {}", text.trim_end()))
    })?;
    let folder = file.parent().unwrap_or(Path::new(""));
    check(command, &table).map_err(wrong)?;
    let (command, matches, name) = match matches.subcommand() {
        Some((name, matches)) => match command.find_subcommand(name) {
            Some(command) => (command, matches, name),
            None => return Ok(None),
        },
        None => (command, matches, "run"),
    };
    let own = table.get(name).and_then(Value::as_table);
    let mut options = Vec::new();
    for arg in command.get_arguments() {
        let Some(long) = arg.get_long() else { continue };
        let value = own
            .and_then(|own| own.get(long))
            .or_else(|| table.get(long));
        if let Some(value) = value.filter(|_| is_free(command, arg, matches)) {
            options.extend(spelled(arg, long, value, folder).map_err(wrong)?);
        }
    }
    Ok((!options.is_empty()).then_some(Defaults { file, options }))
}

/// The nearest file, in this folder or one that it lies in.
fn file() -> Result<Option<PathBuf>, Error> {
    match std::env::var_os(VARIABLE) {
        Some(none) if none.is_empty() => return Ok(None),
        Some(file) => return Ok(Some(file.into())),
        None => {}
    }
    let Ok(here) = std::env::current_dir() else {
        return Ok(None);
    };
    let mut files = here.ancestors().map(|folder| folder.join(NAME));
    Ok(files.find(|file| file.is_file()))
}

/// Every key is an option of its command, or of some command where it stands above the tables.
fn check(command: &Command, table: &Table) -> Result<(), String> {
    let has = |command: &Command, key: &str| {
        let mut all = command.get_arguments();
        all.any(|arg| arg.get_long() == Some(key))
    };
    for (key, value) in table {
        let Value::Table(own) = value else {
            if !command.get_subcommands().any(|command| has(command, key)) {
                return Err(format!("no command has an option --{key}"));
            }
            continue;
        };
        let Some(of) = command.find_subcommand(key) else {
            return Err(format!(
                "there is no command {key}: `classay --help` lists them"
            ));
        };
        if let Some(none) = own.keys().find(|key| !has(of, key)) {
            return Err(format!(
                "[{key}] {none}: `classay {key}` has no option --{none}"
            ));
        }
    }
    Ok(())
}

/// Whether the command line says neither this nor what cannot stand beside it.
fn is_free(command: &Command, arg: &Arg, matches: &ArgMatches) -> bool {
    let said = |arg: &Arg| {
        let source = matches.value_source(arg.get_id().as_str());
        source == Some(ValueSource::CommandLine)
    };
    let conflicts = |one: &Arg, other: &Arg| {
        let mut all = command.get_arg_conflicts_with(one).into_iter();
        all.any(|arg| arg.get_id() == other.get_id())
    };
    !command.get_arguments().any(|other| {
        said(other) && (other == arg || conflicts(arg, other) || conflicts(other, arg))
    })
}

/// An option with its value, or values, as on a command line.
fn spelled(arg: &Arg, long: &str, value: &Value, folder: &Path) -> Result<Vec<OsString>, String> {
    let with = |value: String| {
        let mut option = OsString::from(format!("--{long}="));
        option.push(placed(arg, value, folder));
        option
    };
    let flag = matches!(arg.get_action(), ArgAction::SetTrue);
    Ok(match value {
        Value::Boolean(true) if flag || arg.get_num_args().is_some_and(|n| n.min_values() == 0) => {
            vec![format!("--{long}").into()]
        }
        Value::Boolean(false) => Vec::new(),
        _ if flag => return Err(format!("{long} is true or false")),
        Value::Array(values) => {
            if !matches!(arg.get_action(), ArgAction::Append) && values.len() > 1 {
                return Err(format!("{long} has one value"));
            }
            let values = values.iter().map(|value| scalar(long, value));
            values
                .map(|value| value.map(with))
                .collect::<Result<_, _>>()?
        }
        value => vec![with(scalar(long, value)?)],
    })
}

/// A value as on a command line.
fn scalar(long: &str, value: &Value) -> Result<String, String> {
    match value {
        Value::String(text) => Ok(text.clone()),
        Value::Integer(number) => Ok(number.to_string()),
        Value::Float(number) => Ok(number.to_string()),
        Value::Boolean(_) | Value::Datetime(_) | Value::Array(_) | Value::Table(_) => {
            Err(format!("{long} is a text or a number"))
        }
    }
}

/// A file's path, and that of a library, relative to the folder.
fn placed(arg: &Arg, value: String, folder: &Path) -> OsString {
    let of = arg.get_value_parser().type_id();
    let is_file = of == TypeId::of::<PathBuf>() && value != "-";
    let is_library = of == TypeId::of::<Selector>() && value.contains('/');
    match is_file || is_library {
        true => folder.join(value).into(),
        false => value.into(),
    }
}
