//! Text to preprocessing tokens: splices, comments, the shapes of C99 6.4.

use crate::diag::Diagnostics;
use crate::intern::Interner;
use crate::source::{FileId, Loc};
use crate::token::{PpKind, PpToken, Punct};
use std::rc::Rc;

/// Reads one text.
#[derive(Debug)]
pub(crate) struct Lexer {
    text: Rc<str>,
    file: FileId,
    pos: usize,
    first: bool,
    /// Inside a directive a line end is a token.
    pub(crate) in_directive: bool,
}

impl Lexer {
    pub(crate) fn new(file: FileId, text: Rc<str>) -> Self {
        Self {
            text,
            file,
            pos: 0,
            first: true,
            in_directive: false,
        }
    }

    /// Whether nothing is left of the text.
    pub(crate) fn at_end(&self) -> bool {
        self.pos >= self.text.len()
    }

    /// The place of the next character.
    pub(crate) fn loc(&self) -> Loc {
        self.loc_at(self.pos)
    }

    fn loc_at(&self, pos: usize) -> Loc {
        Loc {
            file: self.file,
            offset: u32::try_from(pos).unwrap_or(u32::MAX),
        }
    }

    /// The length of a line splice at `pos`, if there is one (C99 5.1.1.2, phase 2).
    fn splice(&self, pos: usize) -> Option<usize> {
        let bytes = self.text.as_bytes();
        if bytes.get(pos) != Some(&b'\\') {
            return None;
        }
        match (bytes.get(pos + 1), bytes.get(pos + 2)) {
            (Some(b'\n'), _) => Some(2),
            (Some(b'\r'), Some(b'\n')) => Some(3),
            _ => None,
        }
    }

    fn skip_splices(&mut self) {
        while let Some(n) = self.splice(self.pos) {
            self.pos += n;
        }
    }

    fn peek(&mut self) -> Option<u8> {
        self.skip_splices();
        self.text.as_bytes().get(self.pos).copied()
    }

    /// The next characters without their splices, up to four.
    fn ahead(&mut self) -> ([u8; 4], usize) {
        self.skip_splices();
        let (mut out, mut n, mut pos) = ([0; 4], 0, self.pos);
        while n < 4 {
            while let Some(skip) = self.splice(pos) {
                pos += skip;
            }
            let Some(&b) = self.text.as_bytes().get(pos) else {
                break;
            };
            out[n] = b;
            n += 1;
            pos += 1;
        }
        (out, n)
    }

    fn bump(&mut self, n: usize) {
        for _ in 0..n {
            self.skip_splices();
            self.pos += 1;
        }
    }

    /// Skips white space and comments; true if there was any. Stops at a line end in a directive.
    fn skip_space(&mut self, diags: &mut Diagnostics) -> bool {
        let mut any = false;
        loop {
            let (ahead, n) = self.ahead();
            match &ahead[..n] {
                [b'\n', ..] if self.in_directive => return any,
                [b'\n', ..] => {
                    self.bump(1);
                    self.first = true;
                }
                [b' ' | b'\t' | b'\r' | 0x0b | 0x0c, ..] => self.bump(1),
                [b'/', b'/', ..] => {
                    while self.peek().is_some_and(|b| b != b'\n') {
                        self.pos += 1;
                    }
                }
                [b'/', b'*', ..] => {
                    let start = self.loc();
                    self.bump(2);
                    loop {
                        let (ahead, n) = self.ahead();
                        match &ahead[..n] {
                            [] => {
                                diags.error(start, "this comment is never closed");
                                return true;
                            }
                            [b'*', b'/', ..] => {
                                self.bump(2);
                                break;
                            }
                            _ => self.bump(1),
                        }
                    }
                }
                _ => return any,
            }
            any = true;
        }
    }

    /// The next token, or none at the end of the text.
    pub(crate) fn next(
        &mut self,
        names: &mut Interner,
        diags: &mut Diagnostics,
    ) -> Option<PpToken> {
        let space = self.skip_space(diags);
        let loc = self.loc();
        let first = std::mem::take(&mut self.first);
        let mut token = PpToken {
            kind: PpKind::EndOfLine,
            text: names.intern(""),
            loc,
            space: space || first,
            first,
            painted: false,
        };
        let (ahead, n) = self.ahead();
        let ahead = &ahead[..n];
        let &[c, ..] = ahead else {
            return self.in_directive.then_some(token);
        };
        if c == b'\n' {
            return Some(token);
        }
        let mut text = String::new();
        token.kind = match c {
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => {
                while let Some(b) = self
                    .peek()
                    .filter(|b| b.is_ascii_alphanumeric() || *b == b'_')
                {
                    text.push(b as char);
                    self.pos += 1;
                }
                PpKind::Ident
            }
            b'0'..=b'9' => self.number(&mut text),
            b'.' if ahead.get(1).is_some_and(u8::is_ascii_digit) => self.number(&mut text),
            b'"' | b'\'' => self.quoted(c, &mut text, loc, diags),
            _ => match Punct::lex(ahead) {
                Some((punct, len)) => {
                    // A digraph keeps its spelling (C99 6.4.6).
                    text.push_str(&String::from_utf8_lossy(&ahead[..len]));
                    self.bump(len);
                    PpKind::Punct(punct)
                }
                None => {
                    let ch = self.text[self.pos..].chars().next().unwrap_or('\u{fffd}');
                    self.pos += ch.len_utf8();
                    text.push(ch);
                    PpKind::Stray
                }
            },
        };
        token.text = names.intern(&text);
        Some(token)
    }

    /// A preprocessing number (C99 6.4.8).
    fn number(&mut self, text: &mut String) -> PpKind {
        while let Some(b) = self.peek() {
            let exponent = matches!(text.as_bytes().last(), Some(b'e' | b'E' | b'p' | b'P'));
            if b.is_ascii_alphanumeric()
                || b == b'_'
                || b == b'.'
                || (exponent && (b == b'+' || b == b'-'))
            {
                text.push(b as char);
                self.pos += 1;
            } else {
                break;
            }
        }
        PpKind::Number
    }

    /// A string or character constant with its quotes, escapes unread.
    fn quoted(
        &mut self,
        quote: u8,
        text: &mut String,
        loc: Loc,
        diags: &mut Diagnostics,
    ) -> PpKind {
        let (kind, what) = match quote {
            b'"' => (PpKind::Str, "string"),
            _ => (PpKind::Char, "character constant"),
        };
        let mut bytes = vec![quote];
        self.bump(1);
        loop {
            match self.peek() {
                None | Some(b'\n') => {
                    diags.error(loc, format!("this {what} is not closed on its line"));
                    return PpKind::Stray;
                }
                Some(b'\\') => {
                    bytes.push(b'\\');
                    self.pos += 1;
                    if let Some(b) = self.peek().filter(|&b| b != b'\n') {
                        bytes.push(b);
                        self.pos += 1;
                    }
                }
                Some(b) => {
                    bytes.push(b);
                    self.pos += 1;
                    if b == quote {
                        break;
                    }
                }
            }
        }
        text.push_str(&String::from_utf8_lossy(&bytes));
        kind
    }

    /// The rest of an `#include` line: `"name"` or `<name>`, read as it stands.
    pub(crate) fn header_name(&mut self, diags: &mut Diagnostics) -> Option<(String, bool)> {
        self.skip_space(diags);
        let close = match self.peek()? {
            b'"' => b'"',
            b'<' => b'>',
            _ => return None,
        };
        let start = self.pos + 1;
        let rest = self.text.get(start..)?;
        let end = rest.find(['\n', close as char])?;
        if rest.as_bytes()[end] != close {
            return None;
        }
        self.pos = start + end + 1;
        Some((rest[..end].to_owned(), close == b'>'))
    }

    /// The rest of the line, as it stands.
    pub(crate) fn rest_of_line(&mut self) -> String {
        let mut bytes = Vec::new();
        while let Some(b) = self.peek().filter(|&b| b != b'\n') {
            bytes.push(b);
            self.pos += 1;
        }
        String::from_utf8_lossy(&bytes).trim().to_owned()
    }

    /// Goes to the line end; the end itself stays unread.
    pub(crate) fn skip_line(&mut self, names: &mut Interner, diags: &mut Diagnostics) {
        while let Some(token) = self.next(names, diags) {
            if token.kind == PpKind::EndOfLine {
                break;
            }
        }
    }
}
