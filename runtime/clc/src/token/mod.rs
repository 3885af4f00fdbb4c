//! Tokens of the language: what the preprocessor's tokens become for the parser.

mod keyword;
mod literal;
mod preprocessing;
mod punct;

pub(crate) use keyword::{Begins, Keyword};
pub(crate) use literal::{FloatSuffix, Literal, char_constant, number, string_constant};
pub(crate) use preprocessing::{PpKind, PpToken};
pub(crate) use punct::Punct;

use crate::diag::Diagnostics;
use crate::intern::{Interner, Symbol};
use crate::source::Loc;

/// A token.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Tok {
    Ident(Symbol),
    Keyword(Keyword),
    Punct(Punct),
    Number(Literal),
    Char(i32),
    Str(Vec<u8>),
    End,
}

/// A token and where it is.
#[derive(Clone, Debug)]
pub(crate) struct Token {
    pub(crate) tok: Tok,
    pub(crate) loc: Loc,
}

/// Reads the meaning of each token; bad ones are reported and stand as a zero or nothing.
pub(crate) fn tokens(
    pp: &[PpToken],
    names: &Interner,
    diags: &mut Diagnostics,
    end: Loc,
) -> Vec<Token> {
    let mut out: Vec<Token> = Vec::with_capacity(pp.len() + 1);
    for token in pp {
        let text = names.get(token.text);
        let mut or = |read: Result<Tok, String>, otherwise| match read {
            Ok(tok) => tok,
            Err(message) => {
                diags.error(token.loc, message);
                otherwise
            }
        };
        let tok = match token.kind {
            PpKind::Ident => match Keyword::from_text(text) {
                Some(keyword) => Tok::Keyword(keyword),
                None => Tok::Ident(token.text),
            },
            PpKind::Number => or(number(text).map(Tok::Number), Tok::Number(Literal::ZERO)),
            PpKind::Char => or(char_constant(text).map(Tok::Char), Tok::Char(0)),
            PpKind::Str => {
                let read = string_constant(text);
                // Adjacent strings are one (C99 6.4.5).
                if let (Ok(bytes), Some(Tok::Str(last))) =
                    (&read, out.last_mut().map(|token| &mut token.tok))
                {
                    last.extend(bytes);
                    continue;
                }
                or(read.map(Tok::Str), Tok::Str(Vec::new()))
            }
            PpKind::Punct(punct) => Tok::Punct(punct),
            PpKind::Stray => {
                // An unclosed quote has been reported by the lexer.
                if !text.is_empty() {
                    diags.error(token.loc, format!("no token starts with `{text}`"));
                }
                continue;
            }
            PpKind::Placemarker | PpKind::EndOfLine => continue,
        };
        out.push(Token {
            tok,
            loc: token.loc,
        });
    }
    out.push(Token {
        tok: Tok::End,
        loc: end,
    });
    out
}
