//! Standard output that may go away: after `| head` has seen enough, a run goes on quietly.

use classay::Error;
use classay_reports::text::Paper;
use classay_reports::text::layout::wrap;
use std::fs::OpenOptions;
use std::io::{self, IsTerminal, Write};
use std::path::Path;

/// Standard output.
pub struct Out {
    closed: bool,
}

impl Out {
    /// Standard output, open.
    pub fn new() -> Out {
        Out { closed: false }
    }

    /// Writes text and a line end. Once nobody reads any more, writes nothing.
    pub fn line(&mut self, text: &str) {
        self.text(text);
        self.text("\n");
    }

    /// Writes text.
    pub fn text(&mut self, text: &str) {
        if self.closed {
            return;
        }
        let mut out = io::stdout().lock();
        if let Err(error) = out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
            if error.kind() != io::ErrorKind::BrokenPipe {
                complain(&format!("standard output cannot be written: {error}"));
            }
            self.closed = true;
        }
    }
}

/// Whether to colour standard output.
pub fn colour() -> classay_reports::text::Colour {
    colour_of(&io::stdout())
}

/// What standard output is: a terminal, or a log.
pub fn paper() -> Paper {
    let columns = io::stdout()
        .is_terminal()
        .then(|| terminal_size::terminal_size().map_or(WIDTH, |(width, _)| width.0.into()));
    Paper {
        colour: colour(),
        columns,
    }
}

/// Whether to colour what goes there: a terminal that knows colours, and nobody asked for none.
pub fn colour_of(stream: &impl IsTerminal) -> classay_reports::text::Colour {
    let wanted = stream.is_terminal()
        && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty())
        && std::env::var_os("TERM").is_none_or(|v| v != "dumb");
    if wanted {
        classay_reports::text::Colour::On
    } else {
        classay_reports::text::Colour::Off
    }
}

/// Writes a line to standard error; nothing can be done when that is gone too.
pub fn say(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// Columns of a line for a person.
const WIDTH: usize = 80;

/// Writes to standard error what a person reads: at a terminal, long lines go on in the next ones.
pub fn say_folded(text: &str) {
    if io::stderr().is_terminal() {
        say(&folded(text));
    } else {
        say(text);
    }
}

/// A text whose lines are at most [`WIDTH`] columns long where its words are; what goes on is set in.
fn folded(text: &str) -> String {
    let lines = text.lines().flat_map(|line| {
        let mut parts = wrap(line, WIDTH);
        if parts.len() > 1 {
            let rest = wrap(&parts.split_off(1).join(" "), WIDTH - 2);
            parts.extend(rest.iter().map(|part| format!("  {part}")));
        }
        parts
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Tells an error.
pub fn complain(text: &str) {
    say(&format!("error: {text}"));
}

/// Whether a file that is written at the end can be; better known before a run than after.
///
/// # Errors
///
/// It cannot.
pub fn can_be_written(path: &Path) -> Result<(), Error> {
    let is_new = !path.exists();
    let opened = OpenOptions::new().append(true).create(true).open(path);
    opened.map_err(Error::output(path))?;
    if is_new {
        std::fs::remove_file(path).map_err(Error::output(path))?;
    }
    Ok(())
}

/// Whether a path means standard output.
pub fn is_standard(path: &Path) -> bool {
    path == Path::new("-")
}

/// Writes a file, or standard output.
///
/// # Errors
///
/// It cannot be written.
pub fn put(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), Error> {
    let written = if is_standard(path) {
        let mut out = io::BufWriter::new(io::stdout().lock());
        match write(&mut out).and_then(|()| out.flush()) {
            // Nobody reads any more, which is theirs to decide.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            done => done,
        }
    } else {
        std::fs::File::create(path).and_then(|file| {
            let mut out = io::BufWriter::new(file);
            write(&mut out).and_then(|()| out.flush())
        })
    };
    written.map_err(Error::output(path))
}

#[cfg(test)]
mod tests {
    use super::folded;

    #[test]
    fn long_lines_go_on_set_in() {
        assert_eq!(folded("short\nlines"), "short\nlines");
        let text = folded(&"word ".repeat(40));
        assert!(text.lines().all(|line| line.len() <= 80), "{text}");
        assert_eq!(text.lines().count(), 3);
        assert!(text.lines().skip(1).all(|line| line.starts_with("  word")));
        assert_eq!(text.split_whitespace().count(), 40);
    }
}
