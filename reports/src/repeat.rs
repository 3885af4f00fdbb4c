//! The command that plays a case of a run again.

use crate::record::CaseResult;
use crate::store::Run;

/// The command line, for a shell.
pub fn command(result: &CaseResult, run: &Run) -> String {
    let device = run
        .device
        .as_ref()
        .map_or("touchstone", |d| d.selector.as_str());
    let device = quoted(device);
    let seed = run.record.seed;
    let id = result.case.as_str();
    match (result.case.family(), result.file.as_str()) {
        ("litmus", "") => {
            let name = quoted(result.case.name());
            format!("classay litmus {name} --device {device} --seed {seed}")
        }
        ("litmus", file) => {
            format!(
                "classay litmus {} --device {device} --seed {seed}",
                quoted(file)
            )
        }
        (_, "") => format!(
            "classay program {id} --seed {seed} | classay replay /dev/stdin --device {device}"
        ),
        (_, file) => format!("classay replay {} --device {device}", quoted(file)),
    }
}

/// A word as a shell takes it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._+-=:,@%".contains(c);
    // A `#` begins a comment at the start of a word only.
    let within = |c: char| plain(c) || c == '#';
    if !word.is_empty() && word.starts_with(plain) && word.chars().all(within) {
        return word.to_string();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_where_a_shell_would_read_more_into_them() {
        assert_eq!(
            quoted("/usr/lib/libOpenCL.so#0.1"),
            "/usr/lib/libOpenCL.so#0.1"
        );
        assert_eq!(quoted("my file"), "'my file'");
        assert_eq!(quoted("it's"), "'it'\\''s'");
        assert_eq!(quoted("#1"), "'#1'");
        assert_eq!(quoted(""), "''");
    }
}
