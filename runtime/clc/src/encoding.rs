//! Sources as bytes. A program's text need not be UTF-8: comments and strings in older encodings are
//! common, and a string's bytes reach the kernel as they are.
//!
//! Inside the compiler text is UTF-8. A byte that is part of none stands as one of the last 128
//! code points, which no text uses: byte b as U+10FF00 + b. Those code points themselves, should
//! they occur, are taken byte by byte, so that nothing is lost either way.

/// What byte 0 would be; bytes from 0x80 on occur.
const BASE: u32 = 0x10_ff00;

fn stands_for(c: char) -> Option<u8> {
    match u32::from(c).checked_sub(BASE) {
        Some(byte @ 0x80..=0xff) => Some(byte as u8),
        Some(_) | None => None,
    }
}

/// The text of a source.
#[must_use]
pub fn text_of(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    let push_bytes = |text: &mut String, bytes: &[u8]| {
        text.extend(
            bytes
                .iter()
                .filter_map(|&b| char::from_u32(BASE + u32::from(b))),
        );
    };
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            match stands_for(c) {
                Some(_) => push_bytes(&mut text, c.encode_utf8(&mut [0; 4]).as_bytes()),
                None => text.push(c),
            }
        }
        push_bytes(&mut text, chunk.invalid());
    }
    text
}

/// The bytes of a text made by [`text_of`].
#[must_use]
pub fn bytes_of(text: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    for c in text.chars() {
        match stands_for(c) {
            Some(byte) => bytes.push(byte),
            None => bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    bytes
}

/// A text as it is shown: bytes that are no UTF-8 as replacement characters.
pub(crate) fn shown(text: String) -> String {
    if text.chars().any(|c| stands_for(c).is_some()) {
        text.chars()
            .map(|c| stands_for(c).map_or(c, |_| char::REPLACEMENT_CHARACTER))
            .collect()
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_comes_back() {
        let every: Vec<u8> = (0..=255).collect();
        assert_eq!(bytes_of(&text_of(&every)), every);
        for text in [
            "",
            "plain",
            "gr\u{fc}n \u{1f600}",
            "\u{10ff80}\u{10ffff}\u{10ff7f}",
        ] {
            assert_eq!(bytes_of(&text_of(text.as_bytes())), text.as_bytes());
        }
        assert_eq!(text_of("gr\u{fc}n".as_bytes()), "gr\u{fc}n");
        assert_eq!(shown(text_of(b"gr\xfcn")), "gr\u{fffd}n");
    }
}
