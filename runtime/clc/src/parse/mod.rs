//! The parser: recursive descent over C99's grammar with OpenCL C's words.
//!
//! C's grammar needs to know which identifiers name types, so the parser keeps that much of the
//! scopes. After an error it goes on at the next statement or declaration. Nesting has a limit,
//! far below what the stack holds.

mod block;
mod decl;
mod declarator;
mod expr;
mod stmt;

use crate::ast::{Item, Name};
use crate::diag::{Diagnostics, Reported};
use crate::intern::{Interner, Symbol};
use crate::scope::Scopes;
use crate::source::Loc;
use crate::token::{Keyword, Punct, Tok, Token};

/// How deep expressions, statements and declarators may nest.
const DEPTH: u32 = 256;

/// The result of reading a piece of syntax.
pub(crate) type Parsed<T> = Result<T, Reported>;

/// The state of a parse.
pub(crate) struct Parser<'a> {
    tokens: Vec<Token>,
    next: usize,
    names: &'a Interner,
    diags: &'a mut Diagnostics,
    /// Whether a name is that of a type.
    scopes: Scopes<bool>,
    depth: u32,
    /// The tallest expression in a type of the current item.
    type_height: u32,
    /// The tallest expression of the block literal that is being read, or of everything around it.
    tallest: u32,
    /// It has been said that something is missing at the end of the program.
    end_missed: bool,
}

/// Parses a translation unit. `types` are the names that are types from the start.
pub(crate) fn parse(
    tokens: Vec<Token>,
    names: &Interner,
    diags: &mut Diagnostics,
    types: impl Iterator<Item = Symbol>,
) -> Vec<Item> {
    let mut scopes = Scopes::default();
    for name in types {
        scopes.declare(name, true);
    }
    scopes.open();
    let mut parser = Parser {
        tokens,
        next: 0,
        names,
        diags,
        scopes,
        depth: 0,
        type_height: 0,
        tallest: 0,
        end_missed: false,
    };
    let mut items = Vec::new();
    while *parser.peek() != Tok::End && !parser.diags.hopeless() {
        let before = parser.next;
        parser.type_height = 0;
        match parser.item() {
            Ok(found) => items.extend(found),
            Err(Reported) => {
                parser.depth = 0;
                parser.scopes.close_to(2);
                parser.skip_item(before);
            }
        }
    }
    items
}

impl Parser<'_> {
    fn token(&self) -> &Token {
        // The list ends with `End`, which is never passed.
        &self.tokens[self.next.min(self.tokens.len() - 1)]
    }

    fn peek(&self) -> &Tok {
        &self.token().tok
    }

    fn peek_at(&self, ahead: usize) -> &Tok {
        &self.tokens[(self.next + ahead).min(self.tokens.len() - 1)].tok
    }

    fn loc(&self) -> Loc {
        self.token().loc
    }

    /// The place of the token before the next one.
    fn previous_loc(&self) -> Loc {
        self.tokens[self.next.saturating_sub(1).min(self.tokens.len() - 1)].loc
    }

    fn advance(&mut self) {
        if self.next + 1 < self.tokens.len() {
            self.next += 1;
        }
    }

    fn at(&self, punct: Punct) -> bool {
        *self.peek() == Tok::Punct(punct)
    }

    fn at_keyword(&self, keyword: Keyword) -> bool {
        *self.peek() == Tok::Keyword(keyword)
    }

    fn eat(&mut self, punct: Punct) -> bool {
        let found = self.at(punct);
        if found {
            self.advance();
        }
        found
    }

    fn eat_keyword(&mut self, keyword: Keyword) -> bool {
        let found = self.at_keyword(keyword);
        if found {
            self.advance();
        }
        found
    }

    /// The next token as a message shows it.
    fn shown(&self) -> String {
        match self.peek() {
            Tok::Ident(symbol) => format!("`{}`", self.names.get(*symbol)),
            Tok::Keyword(keyword) => format!("`{}`", keyword.text()),
            Tok::Punct(punct) => format!("`{}`", punct.text()),
            Tok::Number(_) => "a number".to_owned(),
            Tok::Char(_) => "a character".to_owned(),
            Tok::Str(_) => "a string".to_owned(),
            Tok::End => "the end of the program".to_owned(),
        }
    }

    /// Reports an error, after which this rule cannot go on.
    fn fail<T>(&mut self, loc: Loc, message: impl Into<String>) -> Parsed<T> {
        Err(self.diags.error(loc, message))
    }

    /// Reports that `what` is missing here.
    fn expected<T>(&mut self, what: &str) -> Parsed<T> {
        // The end of the program is missed once, not by everything that is open.
        if *self.peek() == Tok::End && std::mem::replace(&mut self.end_missed, true) {
            return Err(Reported);
        }
        let message = format!("{what} is expected here, not {}", self.shown());
        Err(self.diags.error(self.loc(), message))
    }

    fn expect(&mut self, punct: Punct, after: &str) -> Parsed<()> {
        if self.eat(punct) {
            return Ok(());
        }
        let (mark, shown) = (punct.text(), self.shown());
        let message = format!("`{mark}` is expected {after}, not {shown}");
        // A missing `;` is best shown where it should be.
        let loc = match punct {
            Punct::Semi => self.previous_loc(),
            _ => self.loc(),
        };
        Err(self.diags.error(loc, message))
    }

    fn name(&mut self, what: &str) -> Parsed<Name> {
        match self.optional_name() {
            Some(name) => Ok(name),
            None => self.expected(what),
        }
    }

    fn optional_name(&mut self) -> Option<Name> {
        let loc = self.loc();
        let Tok::Ident(symbol) = *self.peek() else {
            return None;
        };
        self.advance();
        Some(Name { symbol, loc })
    }

    /// What stands before `end`, if anything does.
    fn unless_at<T>(
        &mut self,
        end: Punct,
        read: impl FnOnce(&mut Self) -> Parsed<T>,
    ) -> Parsed<Option<T>> {
        if self.at(end) {
            return Ok(None);
        }
        read(self).map(Some)
    }

    /// What stands after `start`, if that is next.
    fn after<T>(
        &mut self,
        start: Punct,
        read: impl FnOnce(&mut Self) -> Parsed<T>,
    ) -> Parsed<Option<T>> {
        if !self.eat(start) {
            return Ok(None);
        }
        read(self).map(Some)
    }

    /// A list with commas, and the `close` that ends it; a comma may stand before that.
    fn list<T>(
        &mut self,
        close: Punct,
        mut read: impl FnMut(&mut Self) -> Parsed<T>,
    ) -> Parsed<Vec<T>> {
        let mut items = Vec::new();
        while !self.eat(close) {
            items.push(read(self)?);
            if !self.eat(Punct::Comma) && !self.at(close) {
                return self.expected(&format!("`,` or `{}`", close.text()));
            }
        }
        Ok(items)
    }

    /// Goes one level deeper; `leave` goes back.
    fn enter(&mut self) -> Parsed<()> {
        self.depth += 1;
        if self.depth > DEPTH {
            let message = format!("this nests deeper than {DEPTH} levels, Touchstone's limit");
            return self.fail(self.loc(), message);
        }
        Ok(())
    }

    fn leave(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }

    fn is_type_name(&self, symbol: Symbol) -> bool {
        self.scopes.find(symbol).unwrap_or(false)
    }

    fn declare(&mut self, name: Option<Name>, is_type: bool) {
        if let Some(name) = name {
            self.scopes.declare(name.symbol, is_type);
        }
    }

    /// After an error at program scope: past the next `;`, or the braces of a body.
    fn skip_item(&mut self, from: usize) {
        // Braces opened since the start of the item are still to be closed.
        let mut depth = 0i32;
        for token in &self.tokens[from..self.next] {
            match token.tok {
                Tok::Punct(Punct::LBrace) => depth += 1,
                Tok::Punct(Punct::RBrace) => depth -= 1,
                _ => {}
            }
        }
        if self.skip(depth, false) {
            self.eat(Punct::Semi);
        }
    }

    /// After an error in a statement: past the next `;`, or before the `}` that ends the block.
    fn skip_statement(&mut self) {
        self.skip(0, true);
    }

    /// Goes past the next `;`, or past the `}` that closes as many braces as `depth`, which it
    /// tells; in a block it stops before a `}` that closes none.
    fn skip(&mut self, mut depth: i32, in_block: bool) -> bool {
        loop {
            match self.peek() {
                Tok::End => return false,
                Tok::Punct(Punct::LBrace) => depth += 1,
                Tok::Punct(Punct::RBrace) if in_block && depth == 0 => return false,
                Tok::Punct(Punct::RBrace) => {
                    depth -= 1;
                    if depth <= 0 {
                        self.advance();
                        return true;
                    }
                }
                Tok::Punct(Punct::Semi) if depth <= 0 => {
                    self.advance();
                    return false;
                }
                _ => {}
            }
            self.advance();
        }
    }
}
