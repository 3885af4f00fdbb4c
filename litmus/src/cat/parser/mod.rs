//! Tokens to instructions.

mod expr;
mod instr;

use super::ast::File;
use super::error::{Result, Source, Span};
use super::lexer::{Sign, Token, Word, tokens};
use std::sync::Arc;

/// How deep brackets, functions and blocks may nest.
const MAX_DEPTH: u32 = 100;
/// How many operators one expression may chain without brackets.
const MAX_CHAIN: u32 = 300;

/// Parses a file.
///
/// # Errors
/// What is no token, or stands where the language has something else.
pub fn parse(source: &Source) -> Result<File> {
    let mut parser = Parser {
        source,
        tokens: tokens(source)?,
        at: 0,
        depth: 0,
    };
    let title = match parser.peek().clone() {
        Token::Text(title) => {
            parser.at += 1;
            Some(title)
        }
        // Older files open with bare names.
        Token::Name(title) => {
            while matches!(parser.peek(), Token::Name(_)) {
                parser.at += 1;
            }
            Some(title)
        }
        _ => None,
    };
    let instrs = parser.instrs(&[])?;
    Ok(File { title, instrs })
}

struct Parser<'a> {
    source: &'a Source,
    tokens: Vec<(Token, Span)>,
    at: usize,
    depth: u32,
}

impl Parser<'_> {
    fn peek(&self) -> &Token {
        &self.tokens[self.at].0
    }

    fn span(&self) -> Span {
        self.tokens[self.at].1
    }

    fn previous(&self) -> Span {
        self.tokens[self.at.saturating_sub(1)].1
    }

    fn next(&mut self) -> (Token, Span) {
        let token = self.tokens[self.at].clone();
        if self.at + 1 < self.tokens.len() {
            self.at += 1;
        }
        token
    }

    fn is_sign(&self, sign: Sign) -> bool {
        *self.peek() == Token::Sign(sign)
    }

    fn is_word(&self, word: Word) -> bool {
        *self.peek() == Token::Word(word)
    }

    fn eat_sign(&mut self, sign: Sign) -> bool {
        let found = self.is_sign(sign);
        if found {
            self.next();
        }
        found
    }

    fn eat_word(&mut self, word: Word) -> bool {
        let found = self.is_word(word);
        if found {
            self.next();
        }
        found
    }

    fn unexpected<T>(&self, wanted: &str) -> Result<T> {
        let found = self.peek().describe();
        Err(self.source.error(
            self.span(),
            format!("expected {wanted}, found {found}"),
            format!("{wanted} should stand here"),
        ))
    }

    fn sign(&mut self, sign: Sign) -> Result<Span> {
        if self.is_sign(sign) {
            Ok(self.next().1)
        } else {
            self.unexpected(&format!("`{}`", sign.name()))
        }
    }

    fn word(&mut self, word: Word) -> Result<Span> {
        if self.is_word(word) {
            Ok(self.next().1)
        } else {
            self.unexpected(&format!("`{}`", word.name()))
        }
    }

    fn name(&mut self, what: &str) -> Result<Arc<str>> {
        match self.peek().clone() {
            Token::Name(name) => {
                self.next();
                Ok(name)
            }
            _ => self.unexpected(what),
        }
    }

    fn text(&mut self, what: &str) -> Result<Arc<str>> {
        match self.peek().clone() {
            Token::Text(text) => {
                self.next();
                Ok(text)
            }
            _ => self.unexpected(what),
        }
    }

    /// One thing or more, with a sign between them.
    fn separated<T>(
        &mut self,
        by: Sign,
        mut one: impl FnMut(&mut Self) -> Result<T>,
    ) -> Result<Vec<T>> {
        let mut all = vec![one(self)?];
        while self.eat_sign(by) {
            all.push(one(self)?);
        }
        Ok(all)
    }

    fn nested<T>(&mut self, f: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        if self.depth >= MAX_DEPTH {
            return Err(self.source.error(
                self.span(),
                format!("this is nested more than {MAX_DEPTH} deep"),
                "too deep here",
            ));
        }
        self.depth += 1;
        let result = f(self);
        self.depth -= 1;
        result
    }

    fn chained(&self, count: &mut u32) -> Result<()> {
        *count += 1;
        if *count > MAX_CHAIN {
            return Err(self.source.error(
                self.span(),
                format!("this expression chains more than {MAX_CHAIN} operators"),
                "split it with `let`",
            ));
        }
        Ok(())
    }
}
