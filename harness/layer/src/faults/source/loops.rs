//! Loops that end early.
//!
//! A loop gets a counter of its own and a condition more. `for (a; b; c) s` becomes
//! `for (uint once = 1, turns = 0; once; once = 0) for (a; turns++ < N && (b); c) s`: the outer loop
//! declares the counter wherever the inner may stand, and takes one turn, so `break` and `continue` in `s`
//! mean what they meant.

use super::calls::CallSite;
use super::tokens::{Kind, Token};

/// The turns that are left of a loop of more.
pub(super) const TURNS: u32 = 65_535;

/// A token, and what it becomes.
pub(super) type Change = (usize, String);

/// What a loop becomes that the word at `index` begins; none for what is no loop, and for a `while` that
/// ends a loop or has an empty body, which look alike.
pub(super) fn cut(tokens: &[Token<'_>], index: usize, site: &CallSite) -> Option<Vec<Change>> {
    let (first, last) = (site.arguments.first()?.start, site.close);
    let open = (index..first).rev().find(|at| tokens[*at].is(b'('))?;
    let counter = format!("for (uint classay_once{index} = 1, classay_turns{index} = 0");
    let once = format!("; classay_once{index}; classay_once{index} = 0) for ");
    let more = format!("classay_turns{index}++ < {TURNS}u");
    match tokens.get(index)?.text {
        b"for" => {
            let (begin, end) = condition(tokens, first, last)?;
            let empty = tokens[begin + 1..end]
                .iter()
                .all(|token| token.kind == Kind::Blank);
            let (behind, before) = if empty {
                (format!("; {more}"), ";".to_owned())
            } else {
                (format!("; {more} && ("), ");".to_owned())
            };
            Some(vec![
                (index, counter + &once),
                (begin, behind),
                (end, before),
            ])
        }
        b"while" => {
            let next = tokens[last + 1..]
                .iter()
                .find(|token| token.kind != Kind::Blank)?;
            (!next.is(b';')).then(|| {
                vec![
                    (index, counter + &once),
                    (open, format!("(; {more} && (")),
                    (last, "); )".to_owned()),
                ]
            })
        }
        _ => None,
    }
}

/// The two semicolons of a `for`.
fn condition(tokens: &[Token<'_>], first: usize, close: usize) -> Option<(usize, usize)> {
    let mut depth = 0usize;
    let mut found = Vec::new();
    for (at, token) in tokens.iter().enumerate().take(close).skip(first) {
        if token.is(b'(') || token.is(b'[') || token.is(b'{') {
            depth += 1;
        } else if token.is(b')') || token.is(b']') || token.is(b'}') {
            depth = depth.checked_sub(1)?;
        } else if depth == 0 && token.is(b';') {
            found.push(at);
        }
    }
    match found.as_slice() {
        [begin, end] => Some((*begin, *end)),
        _ => None,
    }
}
