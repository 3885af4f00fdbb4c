//! How inputs are damaged.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::Rng;
use std::ops::Range;

/// A number below `end`, which is not 0.
pub fn below(random: &mut ChaCha8Rng, end: usize) -> usize {
    (random.next_u64() % end.max(1) as u64) as usize
}

/// One of several; there is one.
pub fn one<'a, T>(random: &mut ChaCha8Rng, all: &'a [T]) -> &'a T {
    &all[below(random, all.len())]
}

/// A part of so many places, mostly a short one.
fn part(random: &mut ChaCha8Rng, places: usize) -> Range<usize> {
    let begin = below(random, places + 1);
    let most = match below(random, 8) {
        0 => places - begin,
        _ => (places - begin).min(6),
    };
    begin..begin + below(random, most + 1)
}

/// Changes a list of parts in some places: some are gone, twice there, exchanged, replaced by what `other` gives.
pub fn change<T: Clone>(
    random: &mut ChaCha8Rng,
    parts: &mut Vec<T>,
    mut other: impl FnMut(&mut ChaCha8Rng) -> T,
) {
    for _ in 0..1 + below(random, 6) {
        let taken = part(random, parts.len());
        match below(random, 6) {
            0 => {
                parts.drain(taken);
            }
            1 => {
                let copied = parts[taken].to_vec();
                let to = below(random, parts.len() + 1);
                parts.splice(to..to, copied);
            }
            2 if parts.len() > 1 => {
                let (a, b) = (below(random, parts.len()), below(random, parts.len()));
                parts.swap(a, b);
            }
            3 => parts.insert(taken.start, other(random)),
            _ => {
                if let Some(place) = parts.get_mut(taken.start) {
                    *place = other(random);
                }
            }
        }
    }
    if below(random, 16) == 0 {
        parts.truncate(below(random, parts.len() + 1));
    }
}

/// The tokens of a text, and what is between them, roughly as OpenCL C has them.
pub fn tokens(text: &str) -> Vec<&str> {
    let mut all = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let of_word = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
        let end = match first {
            c if of_word(c) => rest.find(|c| !of_word(c)),
            c if c.is_whitespace() => rest.find(|c: char| !c.is_whitespace()),
            c => Some(c.len_utf8()),
        };
        let (token, tail) = rest.split_at(end.unwrap_or(rest.len()));
        all.push(token);
        rest = tail;
    }
    all
}

/// Whole instructions of a module of SPIR-V behind its header of five words.
pub fn instructions(words: &[u32]) -> Vec<Vec<u32>> {
    let mut all = Vec::new();
    let mut rest = words.get(5..).unwrap_or_default();
    while let Some(first) = rest.first() {
        let count = ((first >> 16) as usize).clamp(1, rest.len());
        let (instruction, tail) = rest.split_at(count);
        all.push(instruction.to_vec());
        rest = tail;
    }
    all
}
