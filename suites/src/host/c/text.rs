//! Lines of C.

use std::fmt::Display;

/// Headers that every program of ours includes beside `CL/cl.h`.
const HEADERS: &str =
    "limits pthread sched signal stdarg stdatomic stdint stdio stdlib string time unistd";

/// C that is being written.
#[derive(Default)]
pub struct Text {
    text: String,
    depth: usize,
}

impl Text {
    /// A line.
    pub fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    /// Lines as they are.
    pub fn raw(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// A comment of these lines, broken where they are too long.
    pub fn comment(&mut self, lines: &[String]) {
        let mut first = true;
        for line in lines {
            for part in broken(&line.replace("*/", "* /"), 94) {
                let head = if first { "/* " } else { "   " };
                first = false;
                self.line(format!("{head}{part}").trim_end());
            }
        }
        self.line("*/");
    }

    /// What stands before the functions of every such program: the version of OpenCL whose functions
    /// it calls, as `CL_TARGET_OPENCL_VERSION` has it, the older versions (`1_1`) of which it calls
    /// some that are deprecated, and the headers.
    pub fn headers(&mut self, version: u16, deprecated: impl IntoIterator<Item = impl Display>) {
        self.line(&format!("#define CL_TARGET_OPENCL_VERSION {version}"));
        for older in deprecated {
            self.line(&format!("#define CL_USE_DEPRECATED_OPENCL_{older}_APIS"));
        }
        self.line("#define _POSIX_C_SOURCE 200809L");
        self.line("#include <CL/cl.h>");
        for header in HEADERS.split(' ') {
            self.line(&format!("#include <{header}.h>"));
        }
    }

    /// All of it.
    pub fn done(self) -> String {
        self.text
    }

    /// A statement, indented.
    pub fn put(&mut self, statement: impl AsRef<str>) {
        for line in statement.as_ref().lines() {
            self.text.push_str(&"    ".repeat(self.depth));
            self.line(line);
        }
    }

    /// Begins a block after these words.
    pub fn open(&mut self, words: impl AsRef<str>) {
        let words = words.as_ref();
        self.put(format!(
            "{words}{}{{",
            if words.is_empty() { "" } else { " " }
        ));
        self.depth += 1;
    }

    /// Begins the body of a function.
    pub fn function(&mut self, head: &str) {
        self.line(head);
        self.open("");
    }

    /// Ends a block or a function.
    pub fn close(&mut self) {
        self.depth = self.depth.saturating_sub(1);
        self.put("}");
        if self.depth == 0 {
            self.line("");
        }
    }

    /// Ends a block that is done once, and may be left before its end.
    pub fn close_once(&mut self) {
        self.depth = self.depth.saturating_sub(1);
        self.put("} while (0);");
    }

    /// A statement where a condition holds.
    pub fn when(&mut self, condition: impl Display, statement: impl Display) {
        self.put(format!("if ({condition})\n    {statement}"));
    }

    /// A call as a statement, broken where its line is too long: the function, with what stands before it, and its
    /// arguments.
    pub fn call(&mut self, function: &str, arguments: &[&dyn Display]) {
        let mut line = format!("{function}(");
        let width = 98 - 4 * self.depth;
        for (n, argument) in arguments.iter().enumerate() {
            let end = if n + 1 == arguments.len() { ");" } else { "," };
            let argument = format!("{argument}{end}");
            if line.len() + argument.len() > width && !line.trim().is_empty() {
                self.put(line.trim_end());
                line = " ".repeat(8);
            }
            line += &format!("{argument} ");
        }
        if arguments.is_empty() {
            line += ");";
        }
        self.put(line.trim_end());
    }
}

/// A line in parts of about so many characters, the later ones indented.
fn broken(line: &str, width: usize) -> Vec<String> {
    let indent: String = line.chars().take_while(|c| *c == ' ').collect();
    let mut parts = vec![indent.clone()];
    for word in line.split_whitespace() {
        let Some(last) = parts.last_mut() else { break };
        if last.trim().is_empty() {
            last.push_str(word);
        } else if last.chars().count() + word.chars().count() < width {
            last.push(' ');
            last.push_str(word);
        } else {
            parts.push(format!("{indent}    {word}"));
        }
    }
    parts
}

/// A C string.
pub fn quoted(text: &str) -> String {
    let escaped = text.replace('\\', "\\\\").replace('"', "\\\"");
    format!("\"{}\"", escaped.replace('\n', "\\n"))
}

/// A text as C strings, one a line.
pub fn source(text: &str) -> String {
    text.lines()
        .map(|line| format!("    {}\n", quoted(&format!("{line}\n"))))
        .collect()
}
