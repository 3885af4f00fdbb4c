//! Recursive descent over the tokens: tokens in, [`tree`](super::tree) out.
//!
//! [`test`] reads the frame (init list, threads, question), [`statement`] and [`expression`] the C
//! inside threads, [`types`] declarations, and [`condition`] the question. Depth is bounded by
//! [`MAX_NESTING`], so hostile input cannot exhaust the stack.

mod condition;
mod expression;
mod listing;
mod statement;
mod test;
mod types;

use super::error::{Outcome, Problem, Span};
use super::lexer::{Token, TokenKind, shorten};
use super::limits::MAX_NESTING;
use super::tree::Name;

/// Words with a meaning of their own, which cannot name registers, locations or labels.
pub(crate) fn is_reserved(word: &str) -> bool {
    const WORDS: &str = "if else while do for return break continue goto switch case default true \
                         false not exists forall filter locations";
    WORDS.split(' ').any(|known| known == word) || types::starts_type(word)
}

pub(crate) fn reserved(name: &Name) -> Problem {
    name.problem(
        format!("{} cannot be a name", name.text),
        "has a meaning of its own",
    )
}

/// A cursor over the tokens.
pub(crate) struct Parser<'s> {
    source: &'s str,
    tokens: Vec<Token>,
    /// What is being read, for messages.
    whole: &'static str,
    at: usize,
    depth: u32,
}

impl<'s> Parser<'s> {
    /// A parser of `whole`, a noun for messages; the last token must be [`TokenKind::End`].
    pub fn new(source: &'s str, tokens: Vec<Token>, whole: &'static str) -> Parser<'s> {
        Parser {
            source,
            tokens,
            whole,
            at: 0,
            depth: 0,
        }
    }

    fn peek(&self) -> Token {
        self.ahead(0)
    }

    /// The token `n` places on; the end is followed by itself.
    fn ahead(&self, n: usize) -> Token {
        let last = self.tokens.len() - 1;
        self.tokens[(self.at + n).min(last)]
    }

    fn text(&self, token: Token) -> &'s str {
        &self.source[token.span.start..token.span.end]
    }

    fn bump(&mut self) -> Token {
        let token = self.peek();
        if token.kind != TokenKind::End {
            self.at += 1;
        }
        token
    }

    /// Where the token before the cursor ends.
    fn last_span(&self) -> Span {
        self.tokens[self.at.saturating_sub(1)].span
    }

    fn is(&self, mark: &str) -> bool {
        self.next_is(0, mark)
    }

    fn next_is(&self, n: usize, mark: &str) -> bool {
        matches!(self.ahead(n).kind, TokenKind::Mark(found) if found == mark)
    }

    fn is_word(&self, word: &str) -> bool {
        let token = self.peek();
        token.kind == TokenKind::Word && self.text(token) == word
    }

    pub(crate) fn eat(&mut self, mark: &str) -> Option<Span> {
        self.is(mark).then(|| self.bump().span)
    }

    fn eat_word(&mut self, word: &str) -> Option<Span> {
        self.is_word(word).then(|| self.bump().span)
    }

    /// Takes `mark`; `after` says what it should end or separate.
    fn expect(&mut self, mark: &str, after: &str) -> Outcome<Span> {
        match self.eat(mark) {
            Some(span) => Ok(span),
            None => Err(self.unexpected(&format!("{mark} {after}"))),
        }
    }

    pub(crate) fn word(&mut self, what: &str) -> Outcome<Name> {
        let token = self.peek();
        if token.kind == TokenKind::Word {
            self.bump();
            Ok(Name {
                text: self.text(token).to_string(),
                span: token.span,
            })
        } else {
            Err(self.unexpected(what))
        }
    }

    /// A word that a declaration makes a name.
    fn new_name(&mut self, what: &str) -> Outcome<Name> {
        let name = self.word(what)?;
        match is_reserved(&name.text) {
            true => Err(reserved(&name)),
            false => Ok(name),
        }
    }

    fn number(&mut self, what: &str) -> Outcome<(u64, Span)> {
        let token = self.peek();
        if let TokenKind::Number(value) = token.kind {
            self.bump();
            Ok((value, token.span))
        } else {
            Err(self.unexpected(what))
        }
    }

    /// A number with an optional sign; values above `i64::MAX` keep their bits.
    pub(crate) fn signed(&mut self, what: &str) -> Outcome<i64> {
        if let Some(minus) = self.eat("-") {
            let (value, span) = self.number(what)?;
            return negative(value, minus.to(span));
        }
        self.eat("+");
        Ok(self.number(what)?.0 as i64)
    }

    /// Says what was expected where something else (or nothing) stands.
    fn unexpected(&self, expected: &str) -> Problem {
        let token = self.peek();
        match token.kind {
            TokenKind::End => {
                let end = self.last_span().end;
                Span::new(end.saturating_sub(1), end).problem(
                    format!("{} ends too early", self.whole),
                    format!("expected {expected} after this"),
                )
            }
            TokenKind::Word | TokenKind::Number(_) | TokenKind::Mark(_) => {
                let found = shorten(self.text(token));
                token.problem(
                    format!("expected {expected}, found {found}"),
                    format!("expected {expected}"),
                )
            }
        }
    }

    /// Runs `inner` one level deeper.
    fn nested<T>(&mut self, inner: impl FnOnce(&mut Self) -> Outcome<T>) -> Outcome<T> {
        if self.depth >= MAX_NESTING {
            return Err(too_deep(self.peek().span));
        }
        self.depth += 1;
        let result = inner(self);
        self.depth -= 1;
        result
    }

    pub(crate) fn at_end(&self) -> bool {
        self.peek().kind == TokenKind::End
    }

    /// Fails unless everything was read.
    pub fn finish(&self) -> Outcome<()> {
        if self.at_end() {
            return Ok(());
        }
        let token = self.peek();
        Err(token.problem(
            format!(
                "{} after the end of {}",
                shorten(self.text(token)),
                self.whole
            ),
            "nothing may follow",
        ))
    }
}

fn too_deep(span: Span) -> Problem {
    span.problem(
        format!("the test nests more than {MAX_NESTING} levels deep"),
        "too deep here",
    )
}

/// `-value`.
fn negative(value: u64, span: Span) -> Outcome<i64> {
    if value > 1 << 63 {
        return Err(span.problem("the number does not fit in 64 bits", "too small"));
    }
    Ok((value as i64).wrapping_neg())
}
