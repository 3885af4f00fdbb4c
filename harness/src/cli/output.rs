//! Standard output that may go away: after `| head` has seen enough, a run goes on quietly.

use std::io::{self, IsTerminal, Write};

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

/// Tells an error.
pub fn complain(text: &str) {
    say(&format!("error: {text}"));
}
