//! Preprocessing tokens.

use super::Punct;
use crate::intern::Symbol;
use crate::source::Loc;

/// What a preprocessing token is (C99 6.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PpKind {
    Ident,
    Number,
    Char,
    Str,
    Punct(Punct),
    /// A character that no token of C starts with, or an unclosed quote.
    Stray,
    /// What an empty macro argument leaves beside `##`.
    Placemarker,
    /// The end of a directive's line.
    EndOfLine,
}

/// A preprocessing token. `text` is its spelling without line splices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PpToken {
    pub(crate) kind: PpKind,
    pub(crate) text: Symbol,
    pub(crate) loc: Loc,
    /// White space before it.
    pub(crate) space: bool,
    /// First of its line.
    pub(crate) first: bool,
    /// The name of a macro inside its own expansion: never expanded again (C99 6.10.3.4).
    pub(crate) painted: bool,
}

impl PpToken {
    pub(crate) fn is(&self, punct: Punct) -> bool {
        self.kind == PpKind::Punct(punct)
    }
}
