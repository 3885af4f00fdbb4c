//! Text to tokens.
//!
//! Names may contain `-`, `.` and `'` after their first letter (`po-loc`, `mm.sc.total`, `rs'`).
//! Comments are `(* … *)`, which nest, and `// …` and `# …` to the end of the line.

use super::error::{Result, Source, Span};
use crate::syntax::nested_comment;
use std::sync::Arc;

/// A token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Token {
    /// A name.
    Name(Arc<str>),
    /// `'tag`
    Tag(Arc<str>),
    /// `"text"`
    Text(Arc<str>),
    /// A word of the language.
    Word(Word),
    /// An operator or bracket.
    Sign(Sign),
    /// The empty relation, `0`.
    Zero,
    /// The end of the file.
    End,
}

classay_vocabulary::words! {
    /// The words of the language.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    #[allow(missing_docs)]
    pub enum Word {
        Let = "let", Rec = "rec", And = "and", In = "in", With = "with", From = "from",
        Fun = "fun", Procedure = "procedure", End = "end", Begin = "begin", Call = "call",
        Forall = "forall", Do = "do", As = "as", Flag = "flag", Show = "show", Unshow = "unshow",
        Include = "include", Acyclic = "acyclic", Irreflexive = "irreflexive", Empty = "empty",
        Assert = "assert", UndefinedUnless = "undefined_unless", If = "if", Then = "then",
        Else = "else", Match = "match", Try = "try", Enum = "enum",
        Instructions = "instructions", Default = "default", Variant = "variant",
    }
}

classay_vocabulary::words! {
    /// Operators and brackets; where one is a prefix of another the longer one comes first.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    #[allow(missing_docs)]
    pub enum Sign {
        Inverse = "^-1", CaretStar = "^*", CaretPlus = "^+", Arrow = "->", PlusPlus = "++",
        BarBar = "||", AndAnd = "&&",
        Open = "(", Close = ")", OpenSquare = "[", CloseSquare = "]", OpenBrace = "{",
        CloseBrace = "}", Bar = "|", Amp = "&", Semi = ";", Backslash = "\\", Tilde = "~",
        Star = "*", Plus = "+", Question = "?", Comma = ",", Equals = "=", Bang = "!",
        Underscore = "_",
    }
}

impl Token {
    /// The token as a message names it.
    pub fn describe(&self) -> String {
        match self {
            Token::Name(n) => format!("`{n}`"),
            Token::Tag(t) => format!("`'{t}`"),
            Token::Text(t) => format!("the string \"{t}\""),
            Token::Word(w) => format!("`{}`", w.name()),
            Token::Sign(s) => format!("`{}`", s.name()),
            Token::Zero => "`0`".to_owned(),
            Token::End => "the end of the file".to_owned(),
        }
    }
}

/// The tokens of a file, ending with [`Token::End`].
///
/// # Errors
/// A character that begins no token, or a text or comment that does not end.
pub fn tokens(source: &Source) -> Result<Vec<(Token, Span)>> {
    let text: &str = &source.text;
    let bytes = text.as_bytes();
    if bytes.len() > u32::MAX as usize / 2 {
        let span = Span::new(0, 0);
        return Err(source.error(span, "this file is too large to be a model", "starts here"));
    }
    let mut out = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        let span = |end: usize| Span::new(start, end);
        let c = bytes[at];
        if c.is_ascii_whitespace() {
            at += 1;
            continue;
        }
        if c == b'#' || text[at..].starts_with("//") {
            at = text[at..].find('\n').map_or(bytes.len(), |n| at + n);
            continue;
        }
        if text[at..].starts_with("(*") {
            at = comment_end(source, at)?;
            continue;
        }
        if c == b'"' {
            let (value, end) = string(source, at)?;
            out.push((Token::Text(value.into()), span(end)));
            at = end;
            continue;
        }
        if c == b'\'' || c.is_ascii_alphabetic() {
            let from = if c == b'\'' { at + 1 } else { at };
            let end = name_end(bytes, from);
            if end == from {
                return Err(source.error(
                    span(end),
                    "a quote must be followed by the name of a tag",
                    "no name follows",
                ));
            }
            let name = &text[from..end];
            let token = if c == b'\'' {
                Token::Tag(name.into())
            } else {
                match Word::named(name) {
                    Some(word) => Token::Word(word),
                    None => Token::Name(name.into()),
                }
            };
            out.push((token, span(end)));
            at = end;
            continue;
        }
        if c == b'0' {
            out.push((Token::Zero, span(at + 1)));
            at += 1;
            continue;
        }
        let mut signs = Sign::ALL.into_iter();
        if let Some(sign) = signs.find(|s| text[at..].starts_with(s.name())) {
            let end = at + sign.name().len();
            out.push((Token::Sign(sign), span(end)));
            at = end;
            continue;
        }
        let strange = text[at..].chars().next().unwrap_or(' ');
        return Err(source.error(
            span(at + strange.len_utf8()),
            format!("the character {strange:?} has no meaning in a cat file"),
            "here",
        ));
    }
    out.push((Token::End, Span::new(bytes.len(), bytes.len())));
    Ok(out)
}

fn name_end(bytes: &[u8], from: usize) -> usize {
    let mut end = from;
    while end < bytes.len() {
        let c = bytes[end];
        let inner = c.is_ascii_alphanumeric() || c == b'_';
        // A dash or a dot belongs to a name only when the name goes on after it.
        let joint = (c == b'-' || c == b'.')
            && end > from
            && bytes
                .get(end + 1)
                .is_some_and(|n| n.is_ascii_alphanumeric() || *n == b'_');
        let prime = c == b'\'' && end > from;
        if !(inner || joint || prime) {
            break;
        }
        end += 1;
    }
    end
}

fn comment_end(source: &Source, start: usize) -> Result<usize> {
    let length = nested_comment(&source.text[start..]);
    length.map(|length| start + length).ok_or_else(|| {
        let span = Span::new(start, start + 2);
        source.error(span, "this comment is never closed", "opened here")
    })
}

fn string(source: &Source, start: usize) -> Result<(String, usize)> {
    let mut value = String::new();
    let mut chars = source.text[start + 1..].char_indices();
    while let Some((offset, c)) = chars.next() {
        match c {
            '"' => return Ok((value, start + 1 + offset + 1)),
            '\\' => {
                if let Some((_, escaped)) = chars.next() {
                    value.push(escaped);
                }
            }
            other => value.push(other),
        }
    }
    let span = Span::new(start, start + 1);
    Err(source.error(span, "this string is never closed", "opened here"))
}
