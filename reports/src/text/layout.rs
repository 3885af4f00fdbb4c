//! Wrapping, cutting and cleaning of text. Much of it comes from a driver or a file, and may hold
//! anything.

use super::WIDTH;

/// `text` with every control character spelt out (`\x1b`, `\n`), so that nothing in it moves the
/// cursor, colours the terminal or breaks a line.
pub fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push(' '),
            c if c.is_control() => out.push_str(&format!("\\x{:02x}", c as u32)),
            c => out.push(c),
        }
    }
    out
}

/// Columns that a text takes, one a character.
pub fn columns(text: &str) -> usize {
    text.chars().count()
}

/// `text` cut to `width` columns, with `…` at its end where something is missing.
pub fn cut(text: &str, width: usize) -> String {
    if columns(text) <= width {
        return text.to_string();
    }
    let mut out: String = text.chars().take(width.saturating_sub(1)).collect();
    out.truncate(out.trim_end().len());
    if width > 0 {
        out.push('…');
    }
    out
}

/// `text` in lines of at most `width` columns (at least 1), broken at spaces, within words only
/// where a word is longer than a line. At least one line.
pub fn wrap(text: &str, width: usize) -> Vec<String> {
    let width = width.max(1);
    let mut lines = Vec::new();
    let mut line = String::new();
    let mut used = 0;
    for word in text.split(' ').filter(|w| !w.is_empty()) {
        let length = columns(word);
        if used > 0 && used + 1 + length <= width {
            line.push(' ');
            line.push_str(word);
            used += 1 + length;
            continue;
        }
        if used > 0 {
            lines.push(std::mem::take(&mut line));
        }
        let mut rest = word;
        while let Some((at, _)) = rest.char_indices().nth(width) {
            lines.push(rest[..at].to_string());
            rest = &rest[at..];
        }
        line.push_str(rest);
        used = columns(rest);
    }
    if used > 0 || lines.is_empty() {
        lines.push(line);
    }
    lines
}

/// Adds a text in lines that begin with an indent.
pub fn paragraph(out: &mut String, indent: &str, text: &str) {
    for line in wrap(text, WIDTH - indent.len()) {
        push(out, &format!("{indent}{line}"));
    }
}

/// Adds a line without the spaces at its end.
pub fn push(out: &mut String, line: &str) {
    out.push_str(line.trim_end());
    out.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn control_characters_are_spelt_out() {
        assert_eq!(plain("a\x1b[31mb\nc\td\u{7f}"), "a\\x1b[31mb\\nc d\\x7f");
    }

    #[test]
    fn cuts_and_wraps() {
        assert_eq!(cut("abcdef", 6), "abcdef");
        assert_eq!(cut("abc def", 5), "abc…");
        assert_eq!(cut("abc", 0), "");
        assert_eq!(wrap("one two  three", 7), ["one two", "three"]);
        assert_eq!(wrap("abcdefgh ij", 3), ["abc", "def", "gh", "ij"]);
        assert_eq!(wrap("", 3), [""]);
    }

    proptest! {
        #[test]
        fn wrapping_loses_nothing_and_fits(text in "\\PC{0,60}", width in 1usize..20) {
            let lines = wrap(&text, width);
            prop_assert!(lines.iter().all(|l| columns(l) <= width));
            let letters = |s: &str| s.replace(' ', "");
            prop_assert_eq!(letters(&lines.concat()), letters(&text));
            prop_assert!(columns(&cut(&text, width)) <= width);
        }
    }
}
