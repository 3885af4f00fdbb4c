//! Expressions.
//!
//! Infix operators from weakest to strongest: `|`, `++`, `;`, `\`, `&`, `*`; then prefix `~`, then
//! the postfix operators, then application. `*` is a product where an expression can follow it and
//! the reflexive-transitive closure elsewhere.

use super::Parser;
use crate::cat::ast::{Case, Expr, ExprKind, Infix, Postfix};
use crate::cat::error::Result;
use crate::cat::lexer::{Sign, Token, Word};
use std::sync::Arc;

impl Parser<'_> {
    pub(super) fn expr(&mut self) -> Result<Expr> {
        self.nested(|p| p.infix(0))
    }

    fn infix(&mut self, level: u8) -> Result<Expr> {
        let mut left = self.prefix()?;
        let mut chain = 0;
        while let Some(op) = self.infix_here() {
            let strength = op as u8;
            if strength < level {
                break;
            }
            self.chained(&mut chain)?;
            self.next();
            let right = self.nested(|p| p.infix(strength + 1))?;
            left = Expr {
                span: left.span.to(right.span),
                kind: ExprKind::Infix(op, Box::new(left), Box::new(right)),
            };
        }
        Ok(left)
    }

    fn infix_here(&self) -> Option<Infix> {
        match self.peek() {
            Token::Sign(sign) => Infix::named(sign.name()),
            _ => None,
        }
    }

    fn prefix(&mut self) -> Result<Expr> {
        let start = self.span();
        if self.is_sign(Sign::Tilde) || self.is_sign(Sign::Bang) {
            self.next();
            let inner = self.nested(Parser::prefix)?;
            return Ok(Expr {
                span: start.to(inner.span),
                kind: ExprKind::Complement(Box::new(inner)),
            });
        }
        self.postfix()
    }

    /// Whether the token after the current one can begin an expression; a `~` before a property
    /// begins the next check.
    fn operand_follows(&self) -> bool {
        let ahead = |n: usize| self.tokens.get(self.at + n).map_or(&Token::End, |t| &t.0);
        match ahead(1) {
            Token::Sign(Sign::Tilde) => !matches!(
                ahead(2),
                Token::Word(Word::Acyclic | Word::Irreflexive | Word::Empty)
            ),
            Token::Name(_) | Token::Tag(_) | Token::Zero => true,
            Token::Sign(sign) => matches!(
                sign,
                Sign::Open | Sign::OpenSquare | Sign::OpenBrace | Sign::Underscore
            ),
            Token::Text(_) | Token::Word(_) | Token::End => false,
        }
    }

    pub(super) fn postfix(&mut self) -> Result<Expr> {
        let mut inner = self.application()?;
        let mut chain = 0;
        loop {
            let op = match self.peek() {
                Token::Sign(Sign::Plus | Sign::CaretPlus) => Postfix::Plus,
                Token::Sign(Sign::Star) if !self.operand_follows() => Postfix::Star,
                Token::Sign(Sign::CaretStar) => Postfix::Star,
                Token::Sign(Sign::Question) => Postfix::Opt,
                Token::Sign(Sign::Inverse) => Postfix::Inverse,
                _ => return Ok(inner),
            };
            self.chained(&mut chain)?;
            let (_, span) = self.next();
            inner = Expr {
                span: inner.span.to(span),
                kind: ExprKind::Postfix(op, Box::new(inner)),
            };
        }
    }

    fn application(&mut self) -> Result<Expr> {
        let mut function = self.primary()?;
        let mut chain = 0;
        loop {
            let argument = matches!(
                function.kind,
                ExprKind::Name(_) | ExprKind::Apply(..) | ExprKind::Tuple(_) | ExprKind::Fun(..)
            ) && match self.peek() {
                Token::Name(_) | Token::Tag(_) | Token::Zero => {
                    matches!(function.kind, ExprKind::Name(_) | ExprKind::Apply(..))
                }
                Token::Sign(Sign::Open) => true,
                Token::Sign(Sign::OpenBrace | Sign::OpenSquare | Sign::Underscore) => {
                    matches!(function.kind, ExprKind::Name(_))
                }
                _ => false,
            };
            if !argument {
                return Ok(function);
            }
            self.chained(&mut chain)?;
            let argument = self.nested(Parser::primary)?;
            function = Expr {
                span: function.span.to(argument.span),
                kind: ExprKind::Apply(Box::new(function), Box::new(argument)),
            };
        }
    }

    pub(super) fn list(&mut self, close: Sign) -> Result<Vec<Expr>> {
        let items = match self.is_sign(close) {
            true => Vec::new(),
            false => self.separated(Sign::Comma, Parser::expr)?,
        };
        self.sign(close)?;
        Ok(items)
    }

    pub(super) fn primary(&mut self) -> Result<Expr> {
        let start = self.span();
        let kind = match self.peek().clone() {
            Token::Name(name) => {
                self.next();
                ExprKind::Name(name)
            }
            Token::Tag(tag) => {
                self.next();
                ExprKind::Tag(tag)
            }
            Token::Zero => {
                self.next();
                ExprKind::Zero
            }
            Token::Sign(Sign::Underscore) => {
                self.next();
                ExprKind::Universe
            }
            Token::Sign(Sign::OpenBrace) => {
                self.next();
                ExprKind::Braces(self.list(Sign::CloseBrace)?)
            }
            Token::Sign(Sign::OpenSquare) => {
                self.next();
                let inner = self.expr()?;
                self.sign(Sign::CloseSquare)?;
                ExprKind::Identity(Box::new(inner))
            }
            Token::Sign(Sign::Open) => {
                self.next();
                let items = self.list(Sign::Close)?;
                match <[Expr; 1]>::try_from(items) {
                    Ok([mut inner]) => {
                        inner.span = start.to(self.previous());
                        // A bracketed name is an operand, not the head of an application.
                        return Ok(inner);
                    }
                    Err(items) => ExprKind::Tuple(items),
                }
            }
            Token::Word(Word::Begin) => {
                self.next();
                let inner = self.expr()?;
                self.word(Word::End)?;
                return Ok(inner);
            }
            Token::Word(Word::Fun) => {
                self.next();
                let pattern = self.pattern()?;
                self.sign(Sign::Arrow)?;
                ExprKind::Fun(pattern, Arc::new(self.expr()?))
            }
            Token::Word(Word::Let) => {
                self.next();
                let (recursive, bindings) = self.bindings()?;
                self.word(Word::In)?;
                ExprKind::Let {
                    recursive,
                    bindings,
                    body: Box::new(self.expr()?),
                }
            }
            Token::Word(Word::If) => {
                self.next();
                let condition = self.condition()?;
                self.word(Word::Then)?;
                let then = Box::new(self.expr()?);
                self.word(Word::Else)?;
                ExprKind::If(condition, then, Box::new(self.expr()?))
            }
            Token::Word(Word::Try) => {
                self.next();
                let first = Box::new(self.expr()?);
                self.word(Word::With)?;
                ExprKind::Try(first, Box::new(self.expr()?))
            }
            Token::Word(Word::Match) => self.match_()?,
            _ => return self.unexpected("an expression"),
        };
        Ok(Expr {
            kind,
            span: start.to(self.previous()),
        })
    }

    fn match_(&mut self) -> Result<ExprKind> {
        self.next();
        let subject = Box::new(self.expr()?);
        self.word(Word::With)?;
        self.eat_sign(Sign::BarBar);
        let cases = self.separated(Sign::BarBar, |p| {
            let case = p.case()?;
            p.sign(Sign::Arrow)?;
            Ok((case, p.expr()?))
        })?;
        self.word(Word::End)?;
        Ok(ExprKind::Match(subject, cases))
    }

    fn case(&mut self) -> Result<Case> {
        let case = match self.peek().clone() {
            Token::Tag(tag) => Case::Tag(tag),
            Token::Sign(Sign::Underscore) => Case::Default,
            Token::Sign(Sign::OpenBrace) => {
                self.next();
                self.sign(Sign::CloseBrace)?;
                return Ok(Case::Empty);
            }
            Token::Name(first) => {
                self.next();
                self.sign(Sign::PlusPlus)?;
                return Ok(Case::Parts(
                    first,
                    self.name("the name of the other elements")?,
                ));
            }
            _ => return self.unexpected("a tag, `{}`, `x ++ rest` or `_`"),
        };
        self.next();
        Ok(case)
    }
}
