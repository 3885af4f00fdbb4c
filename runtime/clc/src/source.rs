//! Where text comes from: files, positions in them, and the lines that `#line` says they have.

use crate::intern::add;
use std::rc::Rc;

/// One file (or in-memory header, or command-line text) of a compilation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct FileId(pub(crate) u32);

/// A byte position in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Loc {
    pub(crate) file: FileId,
    pub(crate) offset: u32,
}

/// A position as a person reads it; line and column count from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Position {
    pub(crate) name: Rc<str>,
    pub(crate) line: u32,
    pub(crate) column: u32,
}

/// From `offset` on, lines are counted from `line` and the file is called `name`.
#[derive(Debug)]
struct LineMark {
    physical: u32,
    presumed: u32,
    name: Rc<str>,
}

/// A text with its line table.
#[derive(Debug)]
pub(crate) struct SourceFile {
    name: Rc<str>,
    text: Rc<str>,
    starts: Vec<u32>,
    marks: Vec<LineMark>,
}

impl SourceFile {
    /// The number of the line that a place is in, from 1.
    fn line(&self, at: Loc) -> u32 {
        self.starts.partition_point(|&start| start <= at.offset) as u32
    }
}

/// Every text of one compilation.
#[derive(Debug, Default)]
pub(crate) struct SourceMap {
    files: Vec<SourceFile>,
}

impl SourceMap {
    /// Adds a text; the same header included twice is added twice, since `#line` may differ.
    pub(crate) fn add(&mut self, name: &str, text: Rc<str>) -> FileId {
        let mut starts = vec![0];
        starts.extend(
            text.bytes()
                .enumerate()
                .filter(|&(_, b)| b == b'\n')
                .map(|(i, _)| u32::try_from(i + 1).unwrap_or(u32::MAX)),
        );
        let file = SourceFile {
            name: name.into(),
            text,
            starts,
            marks: Vec::new(),
        };
        FileId(add(&mut self.files, file))
    }

    fn file(&self, id: FileId) -> Option<&SourceFile> {
        self.files.get(id.0 as usize)
    }

    /// The text of a file.
    pub(crate) fn text(&self, id: FileId) -> Rc<str> {
        self.file(id).map_or_else(|| "".into(), |f| f.text.clone())
    }

    /// The name a file was added under.
    pub(crate) fn file_name(&self, id: FileId) -> Rc<str> {
        self.file(id).map_or_else(|| "".into(), |f| f.name.clone())
    }

    /// Records a `#line` directive: the line after `at` is called `line` (of `name`).
    pub(crate) fn mark_line(&mut self, at: Loc, line: u32, name: Option<&str>) {
        let Some(file) = self.files.get_mut(at.file.0 as usize) else {
            return;
        };
        let physical = file.line(at) + 1;
        let last = file.marks.last().map_or(&file.name, |mark| &mark.name);
        let name = name.map_or_else(|| last.clone(), Rc::from);
        file.marks.push(LineMark {
            physical,
            presumed: line,
            name,
        });
    }

    /// The position as `#line` directives present it.
    pub(crate) fn position(&self, at: Loc) -> Position {
        let Some(file) = self.file(at.file) else {
            return Position {
                name: "".into(),
                line: 0,
                column: 0,
            };
        };
        let physical = file.line(at);
        let start = file.starts[physical as usize - 1] as usize;
        let upto = (at.offset as usize).min(file.text.len());
        let before = String::from_utf8_lossy(&file.text.as_bytes()[start.min(upto)..upto]);
        let mark = file.marks.iter().rev().find(|m| m.physical <= physical);
        Position {
            name: mark.map_or(&file.name, |mark| &mark.name).clone(),
            line: mark.map_or(physical, |mark| {
                mark.presumed.saturating_add(physical - mark.physical)
            }),
            column: before.chars().count() as u32 + 1,
        }
    }

    /// The physical line that holds `at`, without its line end.
    pub(crate) fn line_text(&self, at: Loc) -> &str {
        let Some(file) = self.file(at.file) else {
            return "";
        };
        let line = file.line(at) as usize;
        let start = file.starts[line - 1] as usize;
        let end = file
            .starts
            .get(line)
            .map_or(file.text.len(), |&e| e as usize);
        let text = file.text.get(start..end).unwrap_or("");
        text.trim_end_matches(['\n', '\r'])
    }
}
