//! Splits OpenCL C into tokens that, joined, are the source again.

/// What a token is, as far as rewriting cares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// An identifier or keyword.
    Word,
    /// A number of the preprocessor.
    Number,
    /// A string or character literal, to its closing quote or the end of its line.
    Quoted,
    /// White space, comments and joined lines.
    Blank,
    /// One byte of anything else.
    Mark,
}

/// A token: a kind and its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Token<'a> {
    pub(super) kind: Kind,
    pub(super) text: &'a [u8],
}

impl Token<'_> {
    /// Whether this is the mark `byte`.
    pub(super) fn is(&self, byte: u8) -> bool {
        self.kind == Kind::Mark && self.text == [byte]
    }

    /// Whether a line of the source ends in this token: not behind a backslash, not in a comment.
    pub(super) fn ends_line(&self) -> bool {
        self.kind == Kind::Blank
            && self.text.contains(&b'\n')
            && self.text.first().is_some_and(u8::is_ascii_whitespace)
    }
}

/// Splits a source.
pub(super) fn split(source: &[u8]) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut rest = source;
    while let Some(&first) = rest.first() {
        let (kind, length) = measure(first, rest);
        let (text, behind) = rest.split_at(length.clamp(1, rest.len()));
        tokens.push(Token { kind, text });
        rest = behind;
    }
    tokens
}

fn measure(first: u8, rest: &[u8]) -> (Kind, usize) {
    let second = rest.get(1).copied();
    match first {
        b'a'..=b'z' | b'A'..=b'Z' | b'_' => (
            Kind::Word,
            span(rest, |byte| byte.is_ascii_alphanumeric() || byte == b'_'),
        ),
        b'0'..=b'9' => (Kind::Number, number(rest)),
        b'.' if second.is_some_and(|byte| byte.is_ascii_digit()) => (Kind::Number, number(rest)),
        b'"' | b'\'' => (Kind::Quoted, quoted(first, rest)),
        b'/' if second == Some(b'/') => (Kind::Blank, line_comment(rest)),
        b'/' if second == Some(b'*') => {
            let end = rest.windows(2).skip(2).position(|pair| pair == b"*/");
            (Kind::Blank, end.map_or(rest.len(), |at| at + 4))
        }
        b'\\' if joins_lines(rest) > 0 => (Kind::Blank, joins_lines(rest)),
        byte if byte.is_ascii_whitespace() => {
            (Kind::Blank, span(rest, |byte| byte.is_ascii_whitespace()))
        }
        _ => (Kind::Mark, 1),
    }
}

fn span(rest: &[u8], inside: impl Fn(u8) -> bool) -> usize {
    rest.iter()
        .position(|byte| !inside(*byte))
        .unwrap_or(rest.len())
}

/// A preprocessing number: digits, letters, dots, and signs behind an exponent.
fn number(rest: &[u8]) -> usize {
    let mut before = 0u8;
    let end = rest.iter().position(|&byte| {
        let sign = matches!(byte, b'+' | b'-') && matches!(before, b'e' | b'E' | b'p' | b'P');
        before = byte;
        !(byte.is_ascii_alphanumeric() || byte == b'.' || byte == b'_' || sign)
    });
    end.unwrap_or(rest.len())
}

fn quoted(quote: u8, rest: &[u8]) -> usize {
    let mut escaped = false;
    for (at, &byte) in rest.iter().enumerate().skip(1) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'\n' => return at,
            _ if byte == quote => return at + 1,
            _ => {}
        }
    }
    rest.len()
}

fn line_comment(rest: &[u8]) -> usize {
    let mut escaped = false;
    for (at, &byte) in rest.iter().enumerate() {
        match byte {
            b'\n' if !escaped => return at,
            b'\r' if escaped => {}
            _ => escaped = byte == b'\\',
        }
    }
    rest.len()
}

/// The length of a backslash and the end of line that it hides, or 0.
fn joins_lines(rest: &[u8]) -> usize {
    match rest {
        [b'\\', b'\n', ..] => 2,
        [b'\\', b'\r', b'\n', ..] => 3,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(source: &str, kind: Kind) -> Vec<String> {
        split(source.as_bytes())
            .into_iter()
            .filter(|token| token.kind == kind)
            .map(|token| String::from_utf8_lossy(token.text).into_owned())
            .collect()
    }

    #[test]
    fn words_are_found_outside_of_comments_and_quotes_only() {
        let source = "a /* b */ c // d \\\n e\nf \"g \\\" h\" 'i' 0x1e+j .5f k\\\nl";
        assert_eq!(texts(source, Kind::Word), ["a", "c", "f", "k", "l"]);
        assert_eq!(texts(source, Kind::Quoted), ["\"g \\\" h\"", "'i'"]);
        assert_eq!(texts(source, Kind::Number), ["0x1e+j", ".5f"]);
    }

    #[test]
    fn an_open_quote_ends_with_its_line_and_an_open_comment_with_the_source() {
        assert_eq!(texts("a \" b\nc 'd", Kind::Word), ["a", "c"]);
        assert_eq!(texts("a /* b", Kind::Word), ["a"]);
        assert_eq!(texts("a /*/ b */ c", Kind::Word), ["a", "c"]);
    }

    proptest::proptest! {
        #[test]
        fn the_tokens_of_any_bytes_join_to_them(source: Vec<u8>) {
            let joined: Vec<u8> =
                split(&source).iter().flat_map(|token| token.text).copied().collect();
            proptest::prop_assert_eq!(joined, source);
        }
    }
}
