//! The options string of `clBuildProgram`, `clCompileProgram` and `clLinkProgram`.

use crate::device::Version;
use thiserror::Error;

/// Why an options string is refused (`CL_INVALID_BUILD_OPTIONS`).
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum OptionError {
    /// No OpenCL compiler knows this option.
    #[error("unknown build option `{0}`")]
    Unknown(String),
    /// The option needs a value and has none.
    #[error("build option `{0}` needs a value after it")]
    MissingValue(String),
    /// The option's value is not one it takes.
    #[error("build option `{option}` does not take `{value}`: expected {expected}")]
    BadValue {
        /// The option.
        option: String,
        /// What it was given.
        value: String,
        /// What it takes.
        expected: &'static str,
    },
    /// A quote is opened and never closed.
    #[error("a quote in the build options is not closed")]
    UnclosedQuote,
}

/// A macro from the command line, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MacroOption {
    /// `-D name` (value `1`), `-D name=value`.
    Define {
        /// The macro's name, with its parameter list if it has one.
        name: String,
        /// Its replacement text.
        value: String,
    },
    /// `-U name`
    Undefine(String),
}

/// Parsed build options.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BuildOptions {
    /// `-D` and `-U`, in order.
    pub macros: Vec<MacroOption>,
    /// `-I` directories, in order.
    pub include_dirs: Vec<String>,
    /// `-cl-std=`; the default is OpenCL C 1.2.
    pub standard: Option<Version>,
    /// `-w`
    pub no_warnings: bool,
    /// `-Werror`
    pub warnings_are_errors: bool,
    /// `-cl-kernel-arg-info`
    pub kernel_arg_info: bool,
    /// `-cl-single-precision-constant`
    pub single_precision_constant: bool,
    /// `-cl-fast-relaxed-math`, which defines `__FAST_RELAXED_MATH__`.
    pub fast_relaxed_math: bool,
    /// `-cl-uniform-work-group-size`
    pub uniform_work_group_size: bool,
    /// `-create-library`
    pub create_library: bool,
    /// `-enable-link-options`
    pub enable_link_options: bool,
    /// `-g`, with which functions of device-side enqueue say why they failed.
    pub debug: bool,
}

impl BuildOptions {
    /// Reads an options string.
    ///
    /// Permissions to be less exact (`-cl-mad-enable`, `-cl-denorms-are-zero`, …) are
    /// accepted and not used.
    ///
    /// # Errors
    /// The option that is unknown or badly formed.
    pub fn parse(text: &str) -> Result<Self, OptionError> {
        let mut options = Self::default();
        let words = split(text)?;
        let mut words = words.into_iter();
        while let Some(word) = words.next() {
            let mut value_of = |prefix: &str| -> Result<String, OptionError> {
                match &word[prefix.len()..] {
                    "" => words.next(),
                    rest => Some(rest.to_owned()),
                }
                .ok_or_else(|| OptionError::MissingValue(prefix.to_owned()))
            };
            match word.as_str() {
                "-w" => options.no_warnings = true,
                "-Werror" => options.warnings_are_errors = true,
                "-cl-kernel-arg-info" => options.kernel_arg_info = true,
                "-cl-single-precision-constant" => options.single_precision_constant = true,
                "-cl-fast-relaxed-math" => options.fast_relaxed_math = true,
                "-cl-uniform-work-group-size" => options.uniform_work_group_size = true,
                "-create-library" => options.create_library = true,
                "-enable-link-options" => options.enable_link_options = true,
                "-g" => options.debug = true,
                "-cl-opt-disable"
                | "-cl-denorms-are-zero"
                | "-cl-fp32-correctly-rounded-divide-sqrt"
                | "-cl-strict-aliasing"
                | "-cl-no-subgroup-ifp"
                | "-cl-mad-enable"
                | "-cl-no-signed-zeros"
                | "-cl-unsafe-math-optimizations"
                | "-cl-finite-math-only" => {}
                _ if word.starts_with("-D") => {
                    let definition = value_of("-D")?;
                    let (name, value) = match definition.split_once('=') {
                        Some((name, value)) => (name.to_owned(), value.to_owned()),
                        None => (definition, "1".to_owned()),
                    };
                    check_macro_name("-D", &name)?;
                    options.macros.push(MacroOption::Define { name, value });
                }
                _ if word.starts_with("-U") => {
                    let name = value_of("-U")?;
                    check_macro_name("-U", &name)?;
                    options.macros.push(MacroOption::Undefine(name));
                }
                _ if word.starts_with("-I") => {
                    options.include_dirs.push(value_of("-I")?);
                }
                _ if word.starts_with("-cl-std=") => {
                    let value = &word["-cl-std=".len()..];
                    let version = Version::ALL
                        .into_iter()
                        .find(|v| value.strip_prefix("CL") == Some(&v.name()));
                    options.standard = Some(version.ok_or_else(|| OptionError::BadValue {
                        option: "-cl-std".to_owned(),
                        value: value.to_owned(),
                        expected: "CL1.0, CL1.1, CL1.2, CL2.0, CL3.0 or CL3.1",
                    })?);
                }
                _ => return Err(OptionError::Unknown(word)),
            }
        }
        Ok(options)
    }

    /// The version of OpenCL C to read the program as.
    pub fn version(&self) -> Version {
        self.standard.unwrap_or(Version::V1_2)
    }
}

fn check_macro_name(option: &str, name: &str) -> Result<(), OptionError> {
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let begins = name.starts_with(|c: char| word(c) && !c.is_ascii_digit());
    if begins && name.chars().take_while(|&c| c != '(').all(word) {
        return Ok(());
    }
    Err(OptionError::BadValue {
        option: option.to_owned(),
        value: name.to_owned(),
        expected: "the name of a macro",
    })
}

/// Splits at white space; quotes (single or double) and backslashes keep it.
fn split(text: &str) -> Result<Vec<String>, OptionError> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote: Option<char> = None;
    let mut chars = text.trim_end_matches('\0').chars().peekable();
    while let Some(c) = chars.next() {
        match (quote, c) {
            (Some(q), c) if c == q => quote = None,
            (_, '\\') if chars.peek().is_some_and(|n| "\\\"' ".contains(*n)) => {
                let next = chars.next().unwrap_or('\\');
                word.get_or_insert_default().push(next);
            }
            (Some(_), c) => word.get_or_insert_default().push(c),
            (None, '"' | '\'') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, c) if c.is_whitespace() => words.extend(word.take()),
            (None, c) => word.get_or_insert_default().push(c),
        }
    }
    if quote.is_some() {
        return Err(OptionError::UnclosedQuote);
    }
    words.extend(word);
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_option_of_the_specification_is_known() {
        let all = "-D A -DB=2 -D 'C=a b' -U A -I dir -Idir2 -cl-single-precision-constant \
            -cl-denorms-are-zero -cl-fp32-correctly-rounded-divide-sqrt -cl-opt-disable \
            -cl-strict-aliasing -cl-uniform-work-group-size -cl-no-subgroup-ifp -cl-mad-enable \
            -cl-no-signed-zeros -cl-unsafe-math-optimizations -cl-finite-math-only \
            -cl-fast-relaxed-math -w -Werror -cl-std=CL2.0 -cl-kernel-arg-info -g \
            -create-library -enable-link-options";
        let options = BuildOptions::parse(all).unwrap();
        assert_eq!(options.macros.len(), 4);
        assert_eq!(
            options.macros[2],
            MacroOption::Define {
                name: "C".into(),
                value: "a b".into()
            }
        );
        assert_eq!(options.include_dirs, ["dir", "dir2"]);
        assert_eq!(options.version(), Version::V2_0);
        assert!(options.warnings_are_errors && options.no_warnings);
    }

    #[test]
    fn a_bad_option_is_named() {
        for (text, part) in [
            ("-cl-std=CL4.0", "CL4.0"),
            ("-O3", "`-O3`"),
            ("foo.cl", "`foo.cl`"),
            ("-D", "`-D` needs a value"),
            ("-D 1x", "1x"),
            ("-I", "`-I` needs a value"),
            ("-D \"A", "not closed"),
        ] {
            let error = BuildOptions::parse(text).unwrap_err().to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
    }

    #[test]
    fn the_default_is_opencl_c_1_2() {
        assert_eq!(BuildOptions::parse("").unwrap().version(), Version::V1_2);
        assert_eq!(BuildOptions::parse(" \0").unwrap(), BuildOptions::default());
    }
}
