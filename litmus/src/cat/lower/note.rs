//! What a file says about a check: the comment that opens its paragraph.

use std::ops::Range;
use std::sync::Arc;

/// The paragraph around `at`: from the last empty line before it to the next one.
pub fn paragraph(text: &str, at: usize) -> Range<usize> {
    let mut start = text[..at].rfind('\n').map_or(0, |n| n + 1);
    while start > 0 {
        let above = text[..start - 1].rfind('\n').map_or(0, |n| n + 1);
        if text[above..start].trim().is_empty() {
            break;
        }
        start = above;
    }
    let mut end = at;
    for line in text[at..].split_inclusive('\n') {
        if line.trim().is_empty() {
            break;
        }
        end += line.len();
    }
    start..end
}

/// The comment that opens the paragraph around `at`, in one line; none where the paragraph opens with
/// something else. Paragraphs are apart by empty lines.
pub fn note(text: &str, at: usize) -> Option<Arc<str>> {
    let paragraph = text[paragraph(text, at).start..].trim_start();
    let mut words: Vec<&str> = Vec::new();
    if let Some(rest) = paragraph.strip_prefix("(*") {
        let end = closing(rest)?;
        words.extend(rest[..end].split_whitespace());
    } else {
        for line in paragraph.lines().map(str::trim) {
            let Some(rest) = line.strip_prefix("//").or_else(|| line.strip_prefix('#')) else {
                break;
            };
            words.extend(rest.split_whitespace());
        }
    }
    (!words.is_empty()).then(|| words.join(" ").into())
}

/// Where the comment that began before `text` ends.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 1;
    let mut at = 0;
    loop {
        let (open, close) = (text[at..].find("(*"), text[at..].find("*)")?);
        match open {
            Some(open) if open < close => {
                depth += 1;
                at += open + 2;
            }
            Some(_) | None => {
                depth -= 1;
                if depth == 0 {
                    return Some(at + close);
                }
                at += close + 2;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::note;

    #[test]
    fn the_comment_of_the_paragraph() {
        let text = "(* other *)\n\n(* a (* b *)\n c *)\nlet x = po\nacyclic x\n\nempty po";
        let of = |check: &str| note(text, text.find(check).unwrap_or(0));
        assert_eq!(of("acyclic").as_deref(), Some("a (* b *) c"));
        assert_eq!(of("empty"), None);
        assert_eq!(of("(* other").as_deref(), Some("other"));
        assert_eq!(
            note("// one\n# two\nacyclic po", 13).as_deref(),
            Some("one two")
        );
        assert_eq!(note("let x = po // no\nacyclic x", 17), None);
        assert_eq!(note("(* open", 0), None);
    }
}
