//! Text to tokens. Comments come in three kinds: `(* … *)` (nested), `// …` and `/* … */`.

use super::error::{Outcome, Problem, Span};

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TokenKind {
    /// A word.
    Word,
    /// A number without sign.
    Number(u64),
    /// An operator or bracket.
    Mark(&'static str),
    /// The end of the text.
    End,
}

/// A token and where it stands.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Token {
    pub kind: TokenKind,
    pub span: Span,
}

impl Token {
    /// A problem where it stands.
    pub fn problem(&self, message: impl Into<String>, label: impl Into<String>) -> Problem {
        self.span.problem(message, label)
    }
}

/// Longest first.
const MARKS: &[&str] = &[
    "<<=", ">>=", "/\\", "\\/", "&&", "||", "==", "!=", "<>", "<=", ">=", "<<", ">>", "++", "--",
    "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "->", "{", "}", "(", ")", "[", "]", ";", ",",
    ":", "=", "<", ">", "+", "-", "*", "/", "%", "&", "|", "^", "~", "!", "?", "@", ".",
];

/// Splits `source[from..]` into tokens; the last one is [`TokenKind::End`].
///
/// `(*` opens a comment everywhere except in thread bodies and questions, where C's `(*x == 1)`
/// must stay possible: there it is a comment only when a blank or another star follows and a
/// closing `*)` exists.
pub(crate) fn tokens(source: &str, from: usize, bodies: Bodies) -> Outcome<Vec<Token>> {
    Lexer {
        source,
        bytes: source.as_bytes(),
        at: from,
        c_like: bodies == Bodies::Everywhere,
        blocks: 0,
        depth: 0,
        comment_ends: None,
        flat_comments: false,
        out: Vec::new(),
    }
    .run()
}

/// Where the text is C rather than litmus frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Bodies {
    /// A whole test: from the second block in braces on, and in the question.
    Braced,
    /// An expression or a predicate alone.
    Everywhere,
}

struct Lexer<'s> {
    source: &'s str,
    bytes: &'s [u8],
    at: usize,
    /// In a question, or given an expression alone.
    c_like: bool,
    /// Blocks opened at the outermost level so far; the first is the init list.
    blocks: usize,
    depth: usize,
    /// Offset of the last `*)` of the source, found once when first needed.
    comment_ends: Option<Option<usize>>,
    /// Comments were found not to nest properly.
    flat_comments: bool,
    out: Vec<Token>,
}

impl Lexer<'_> {
    fn run(mut self) -> Outcome<Vec<Token>> {
        loop {
            self.skip_blanks()?;
            let start = self.at;
            let Some(&byte) = self.bytes.get(start) else {
                break;
            };
            if byte.is_ascii_alphabetic() || byte == b'_' {
                self.word();
            } else if byte.is_ascii_digit() {
                self.number()?;
            } else if let Some(mark) = MARKS
                .iter()
                .find(|m| self.bytes[start..].starts_with(m.as_bytes()))
            {
                self.mark(mark);
            } else {
                return Err(self.stray());
            }
        }
        let end = self.source.len();
        self.push(TokenKind::End, end);
        Ok(self.out)
    }

    fn push(&mut self, kind: TokenKind, start: usize) {
        let span = Span::new(start, self.at.max(start));
        self.out.push(Token { kind, span });
    }

    fn word(&mut self) {
        let start = self.at;
        while self
            .bytes
            .get(self.at)
            .is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_')
        {
            self.at += 1;
        }
        if self.depth == 0
            && matches!(
                &self.source[start..self.at],
                "exists" | "forall" | "filter" | "locations"
            )
        {
            self.c_like = true;
        }
        self.push(TokenKind::Word, start);
    }

    fn mark(&mut self, mark: &'static str) {
        let start = self.at;
        self.at += mark.len();
        if mark == "{" {
            self.blocks += usize::from(self.depth == 0);
            self.depth += 1;
        } else if mark == "}" {
            self.depth = self.depth.saturating_sub(1);
        }
        self.push(TokenKind::Mark(mark), start);
    }

    fn number(&mut self) -> Outcome<()> {
        let start = self.at;
        while self
            .bytes
            .get(self.at)
            .is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_' || *b == b'.')
        {
            self.at += 1;
        }
        let span = Span::new(start, self.at);
        let text = &self.source[start..self.at];
        let digits = text.trim_end_matches(['u', 'U', 'l', 'L']);
        let (digits, radix) = if let Some(hex) = digits
            .strip_prefix("0x")
            .or_else(|| digits.strip_prefix("0X"))
        {
            (hex, 16)
        } else if let Some(binary) = digits
            .strip_prefix("0b")
            .or_else(|| digits.strip_prefix("0B"))
        {
            (binary, 2)
        } else if digits.len() > 1 && digits.starts_with('0') {
            (&digits[1..], 8)
        } else {
            (digits, 10)
        };
        if !digits.is_empty() && digits.chars().all(|c| c.is_digit(radix)) {
            match u64::from_str_radix(digits, radix) {
                Ok(value) => {
                    self.push(TokenKind::Number(value), start);
                    Ok(())
                }
                Err(_) => Err(span.problem(
                    format!("the number {} does not fit in 64 bits", shorten(text)),
                    "too large",
                )),
            }
        } else if radix != 16 && text.contains('.') {
            Err(span.problem(
                format!("{} is not an integer", shorten(text)),
                "floating-point values are not supported",
            ))
        } else {
            Err(span.problem(
                format!("{} is not a number", shorten(text)),
                "expected a decimal, hexadecimal (0x…), octal (0…) or binary (0b…) integer",
            ))
        }
    }

    fn stray(&self) -> Problem {
        let c = self.source[self.at..].chars().next().unwrap_or('\0');
        let span = Span::new(self.at, self.at + c.len_utf8());
        let shown = if c.is_control() {
            format!("a character with code {}", c as u32)
        } else {
            format!("the character '{c}'")
        };
        let problem = span.problem(format!("{shown} has no meaning here"), "unexpected");
        match c {
            '"' => problem.help(
                "a description in quotes may only stand between the first line and the init list",
            ),
            '#' => problem.help("there is no preprocessor; write the values out"),
            '∧' | '∨' | '¬' => {
                problem.help("write /\\ for and, \\/ for or, not or ~ for negation")
            }
            _ => problem,
        }
    }

    fn skip_blanks(&mut self) -> Outcome<()> {
        loop {
            let rest = &self.bytes[self.at..];
            match rest {
                [b, ..] if b.is_ascii_whitespace() || *b == 0x0b => self.at += 1,
                [b'/', b'/', ..] => {
                    self.at += rest.iter().position(|b| *b == b'\n').unwrap_or(rest.len());
                }
                [b'/', b'*', ..] => {
                    let Some(end) = self.source[self.at + 2..].find("*/") else {
                        return Err(self.unclosed("/*", "*/"));
                    };
                    self.at += 2 + end + 2;
                }
                [b'(', b'*', ..] if self.opens_comment() => self.nested_comment()?,
                _ => return Ok(()),
            }
        }
    }

    fn opens_comment(&mut self) -> bool {
        let in_body = self.depth > 0 && self.blocks > 1;
        if !(in_body || self.c_like) {
            return true;
        }
        let blank = self
            .bytes
            .get(self.at + 2)
            .is_none_or(|b| b.is_ascii_whitespace() || *b == b'*');
        let source = self.source;
        let last = *self.comment_ends.get_or_insert_with(|| source.rfind("*)"));
        blank && last.is_some_and(|end| end > self.at + 1)
    }

    /// Skips a comment that may hold others. C inside it (`(* (*x)++; *)`) can open what nothing
    /// closes; then the first `*)` ends it, and those after it are taken as flat too.
    fn nested_comment(&mut self) -> Outcome<()> {
        let rest = &self.source[self.at..];
        let nested = match self.flat_comments {
            true => None,
            false => nested_comment(rest),
        };
        let length = match nested {
            Some(length) => Some(length),
            None => rest[2..].find("*)").map(|end| end + 4),
        };
        self.flat_comments |= nested.is_none();
        match length {
            Some(length) => {
                self.at += length;
                Ok(())
            }
            None => Err(self.unclosed("(*", "*)")),
        }
    }

    fn unclosed(&self, open: &str, close: &str) -> Problem {
        Span::new(self.at, self.at + open.len()).problem(
            format!("a comment opened by {open} is never closed"),
            format!("no {close} follows"),
        )
    }
}

/// Length of the comment that `text` starts with, those inside it included.
pub(crate) fn nested_comment(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let (mut at, mut open) = (2, 1);
    while open > 0 {
        match bytes.get(at..)? {
            [] => return None,
            [b'(', b'*', ..] => (at, open) = (at + 2, open + 1),
            [b'*', b')', ..] => (at, open) = (at + 2, open - 1),
            _ => at += 1,
        }
    }
    Some(at)
}

/// Text for a message, cut where it is too long to be read.
pub(crate) fn shorten(text: &str) -> String {
    const LONGEST: usize = 40;
    if text.chars().count() <= LONGEST {
        text.to_string()
    } else {
        let start: String = text.chars().take(LONGEST).collect();
        format!("{start}…")
    }
}
