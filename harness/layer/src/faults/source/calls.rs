//! Calls in a source: where they end, what their arguments are, and which atomic function they
//! call.

use super::tokens::{Kind, Token};
use Access::{Load, ReadModifyWrite, Store};
use std::ops::Range;

/// An atomic function: its name without `_explicit`, and how many operands and orders it takes.
pub(super) struct Atomic {
    pub(super) name: &'static str,
    pub(super) operands: usize,
    pub(super) orders: usize,
    pub(super) access: Access,
}

/// What an atomic function does, as far as orders go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Access {
    Load,
    Store,
    ReadModifyWrite,
}

const fn atomic(name: &'static str, operands: usize, orders: usize, access: Access) -> Atomic {
    Atomic {
        name,
        operands,
        orders,
        access,
    }
}

/// The C11 atomic functions of OpenCL C that have an order (OpenCL C 3.0, section 6.15.12.7).
const ATOMICS: [Atomic; 14] = [
    atomic("atomic_store", 2, 1, Store),
    atomic("atomic_load", 1, 1, Load),
    atomic("atomic_exchange", 2, 1, ReadModifyWrite),
    atomic("atomic_compare_exchange_strong", 3, 2, ReadModifyWrite),
    atomic("atomic_compare_exchange_weak", 3, 2, ReadModifyWrite),
    atomic("atomic_fetch_add", 2, 1, ReadModifyWrite),
    atomic("atomic_fetch_sub", 2, 1, ReadModifyWrite),
    atomic("atomic_fetch_or", 2, 1, ReadModifyWrite),
    atomic("atomic_fetch_xor", 2, 1, ReadModifyWrite),
    atomic("atomic_fetch_and", 2, 1, ReadModifyWrite),
    atomic("atomic_fetch_min", 2, 1, ReadModifyWrite),
    atomic("atomic_fetch_max", 2, 1, ReadModifyWrite),
    atomic("atomic_flag_test_and_set", 1, 1, ReadModifyWrite),
    atomic("atomic_flag_clear", 1, 1, Store),
];

impl Atomic {
    /// The function of this name, and whether it is the one that names its order.
    pub(super) fn named(text: &[u8]) -> Option<(&'static Atomic, bool)> {
        let (base, explicit) = match text.strip_suffix(b"_explicit") {
            Some(base) => (base, true),
            None => (text, false),
        };
        let atomic = ATOMICS
            .iter()
            .find(|atomic| atomic.name.as_bytes() == base)?;
        Some((atomic, explicit))
    }
}

/// A call in the source: the index of its closing parenthesis, and the tokens of its arguments.
pub(super) struct CallSite {
    pub(super) close: usize,
    pub(super) arguments: Vec<Range<usize>>,
}

/// The call that the word at `index` begins, if parentheses follow and close.
pub(super) fn call(tokens: &[Token<'_>], index: usize) -> Option<CallSite> {
    let open = (index + 1..tokens.len())
        .find(|at| tokens[*at].kind != Kind::Blank)
        .filter(|at| tokens[*at].is(b'('))?;
    let mut depth = 0usize;
    let mut begin = open + 1;
    let mut arguments = Vec::new();
    for (at, token) in tokens.iter().enumerate().skip(open) {
        if token.is(b'(') || token.is(b'[') || token.is(b'{') {
            depth += 1;
        } else if token.is(b')') || token.is(b']') || token.is(b'}') {
            depth -= 1;
            if depth == 0 {
                let blank = tokens[begin..at]
                    .iter()
                    .all(|token| token.kind == Kind::Blank);
                if !(blank && arguments.is_empty()) {
                    arguments.push(begin..at);
                }
                return token.is(b')').then_some(CallSite {
                    close: at,
                    arguments,
                });
            }
        } else if token.is(b',') && depth == 1 {
            arguments.push(begin..at);
            begin = at + 1;
        }
    }
    None
}

/// Whether the word at `index` is a macro being defined, or a function being declared: another
/// word stands before it on its line, and it does not begin the body of a macro.
pub(super) fn declares(tokens: &[Token<'_>], index: usize) -> bool {
    let line: Vec<&Token<'_>> = tokens[..index]
        .iter()
        .rev()
        .take_while(|token| !token.ends_line())
        .filter(|token| token.kind != Kind::Blank)
        .collect();
    match line.as_slice() {
        [_, define, hash] if define.text == b"define" && hash.is(b'#') => false,
        [before, ..] => {
            before.kind == Kind::Word
                && !matches!(before.text, b"return" | b"else" | b"do" | b"case")
        }
        [] => false,
    }
}
