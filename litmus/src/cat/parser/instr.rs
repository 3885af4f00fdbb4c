//! Instructions, definitions and conditions.

use super::Parser;
use crate::cat::ast::{
    Binding, Condition, Expr, ExprKind, Instr, InstrKind, Pattern, Property, Role,
};
use crate::cat::error::Result;
use crate::cat::lexer::{Sign, Token, Word};
use std::sync::Arc;

impl Parser<'_> {
    pub(super) fn instrs(&mut self, stops: &[Word]) -> Result<Vec<Instr>> {
        let mut out = Vec::new();
        loop {
            let stop = match self.peek() {
                Token::End => true,
                Token::Word(word) => stops.contains(word),
                _ => false,
            };
            if stop {
                return Ok(out);
            }
            out.push(self.nested(Parser::instr)?);
        }
    }

    fn instr(&mut self) -> Result<Instr> {
        let start = self.span();
        let kind = match self.peek().clone() {
            Token::Word(Word::Let) => {
                self.next();
                let (recursive, bindings) = self.bindings()?;
                if self.is_word(Word::In) {
                    return Err(self.source.error(
                        self.span(),
                        "`let … in` is an expression and cannot stand as an instruction",
                        "remove this `in`",
                    ));
                }
                InstrKind::Let {
                    recursive,
                    bindings,
                }
            }
            Token::Word(Word::With) => {
                self.next();
                let name = self.name("the name that `with` defines")?;
                self.word(Word::From)?;
                InstrKind::WithFrom(name, self.expr()?)
            }
            Token::Word(Word::Include) => {
                self.next();
                InstrKind::Include(self.text("the name of a file in quotes")?)
            }
            Token::Word(Word::Procedure) => self.procedure()?,
            Token::Word(Word::Call) => {
                self.next();
                let name = self.name("the name of a procedure")?;
                let argument = self.postfix()?;
                self.named_as()?;
                InstrKind::Call(name, argument)
            }
            Token::Word(Word::Forall) => {
                self.next();
                let name = self.name("the name that `forall` defines")?;
                self.word(Word::In)?;
                let values = self.expr()?;
                self.word(Word::Do)?;
                let body = self.instrs(&[Word::End])?;
                self.word(Word::End)?;
                InstrKind::Forall(name, values, body)
            }
            Token::Word(Word::If) => {
                self.next();
                let condition = self.condition()?;
                self.word(Word::Then)?;
                let then = self.block()?;
                let otherwise = if self.eat_word(Word::Else) {
                    self.block()?
                } else {
                    Vec::new()
                };
                self.eat_word(Word::End);
                InstrKind::If(condition, then, otherwise)
            }
            Token::Word(Word::Enum) => {
                self.next();
                let name = self.name("the name of the enumeration")?;
                self.sign(Sign::Equals)?;
                self.eat_sign(Sign::BarBar);
                let tags = self.separated(Sign::BarBar, |p| match p.peek().clone() {
                    Token::Tag(tag) => {
                        p.next();
                        Ok(tag)
                    }
                    _ => p.unexpected("a tag such as `'device`"),
                })?;
                InstrKind::Enum(name, tags)
            }
            Token::Word(Word::Instructions | Word::Default) => {
                self.next();
                self.annotations()?;
                InstrKind::Nothing
            }
            Token::Word(Word::Show) => {
                self.next();
                self.separated(Sign::Comma, |p| {
                    p.expr()?;
                    p.named_as()
                })?;
                InstrKind::Nothing
            }
            Token::Word(Word::Unshow) => {
                self.next();
                self.separated(Sign::Comma, |p| p.name("a name"))?;
                InstrKind::Nothing
            }
            Token::Word(Word::Flag) => {
                self.next();
                self.check(Role::Flag)?
            }
            Token::Word(Word::Assert) => {
                self.next();
                self.check(Role::Require)?
            }
            Token::Word(Word::UndefinedUnless) => {
                self.next();
                self.check(Role::UndefinedUnless)?
            }
            Token::Word(Word::Acyclic | Word::Irreflexive | Word::Empty)
            | Token::Sign(Sign::Tilde | Sign::Bang) => self.check(Role::Require)?,
            _ => {
                return self.unexpected("an instruction (`let`, `acyclic`, `include`, …)");
            }
        };
        Ok(Instr {
            kind,
            span: start.to(self.previous()),
        })
    }

    /// `R[{'RLX, 'SC}, scopes]`: which annotations an instruction can carry. OpenCL C says that
    /// already.
    fn annotations(&mut self) -> Result<()> {
        self.name("the name of an instruction")?;
        self.sign(Sign::OpenSquare)?;
        self.list(Sign::CloseSquare)?;
        Ok(())
    }

    /// `as name`, which means nothing here.
    fn named_as(&mut self) -> Result<()> {
        if self.eat_word(Word::As) {
            self.name("a name")?;
        }
        Ok(())
    }

    fn block(&mut self) -> Result<Vec<Instr>> {
        if self.eat_word(Word::Begin) {
            let body = self.instrs(&[Word::End])?;
            self.word(Word::End)?;
            Ok(body)
        } else {
            self.instrs(&[Word::Else, Word::End])
        }
    }

    fn procedure(&mut self) -> Result<InstrKind> {
        self.next();
        let name = self.name("the name of the procedure")?;
        let pattern = self.pattern()?;
        self.sign(Sign::Equals)?;
        let body = self.instrs(&[Word::End])?;
        self.word(Word::End)?;
        Ok(InstrKind::Procedure(name, pattern, Arc::new(body)))
    }

    fn check(&mut self, role: Role) -> Result<InstrKind> {
        let negated = self.eat_sign(Sign::Tilde) || self.eat_sign(Sign::Bang);
        let property = match self.peek() {
            Token::Word(Word::Acyclic) => Property::Acyclic,
            Token::Word(Word::Irreflexive) => Property::Irreflexive,
            Token::Word(Word::Empty) => Property::Empty,
            _ => return self.unexpected("`acyclic`, `irreflexive` or `empty`"),
        };
        self.next();
        let subject = self.expr()?;
        let name = if self.eat_word(Word::As) {
            let name = match self.peek().clone() {
                Token::Name(name) | Token::Text(name) => name,
                _ => return self.unexpected("the name of the check"),
            };
            self.next();
            Some(name)
        } else {
            None
        };
        Ok(InstrKind::Check {
            role,
            negated,
            property,
            subject,
            name,
        })
    }

    pub(super) fn bindings(&mut self) -> Result<(bool, Vec<Binding>)> {
        let recursive = self.eat_word(Word::Rec);
        let mut out = Vec::new();
        loop {
            let start = self.span();
            let named = matches!(self.peek(), Token::Name(_));
            let pattern = match self.peek() {
                Token::Name(_) | Token::Sign(Sign::Open) => self.pattern()?,
                _ => return self.unexpected("the name that `let` defines"),
            };
            let is_function = self.is_sign(Sign::Open) || matches!(self.peek(), Token::Name(_));
            let parameter = match named && is_function {
                true => Some(self.pattern()?),
                false => None,
            };
            let span = start.to(self.previous());
            self.sign(Sign::Equals)?;
            let mut value = self.nested(Parser::expr)?;
            if let Some(parameter) = parameter {
                value = Expr {
                    span: value.span,
                    kind: ExprKind::Fun(parameter, Arc::new(value)),
                };
            }
            out.push(Binding {
                pattern,
                span,
                value,
            });
            if !self.eat_word(Word::And) {
                return Ok((recursive, out));
            }
        }
    }

    pub(super) fn pattern(&mut self) -> Result<Pattern> {
        if !self.eat_sign(Sign::Open) {
            return Ok(Pattern::Name(self.name("a parameter")?));
        }
        let names = match self.is_sign(Sign::Close) {
            true => Vec::new(),
            false => self.separated(Sign::Comma, |p| p.name("a parameter"))?,
        };
        self.sign(Sign::Close)?;
        Ok(match <[Arc<str>; 1]>::try_from(names) {
            Ok([name]) => Pattern::Name(name),
            Err(names) => Pattern::Tuple(names),
        })
    }

    pub(super) fn condition(&mut self) -> Result<Condition> {
        self.nested(|p| {
            let mut left = p.simple_condition()?;
            let mut chain = 0;
            loop {
                let and = p.is_sign(Sign::AndAnd);
                if !and && !p.is_sign(Sign::BarBar) {
                    return Ok(left);
                }
                p.chained(&mut chain)?;
                p.next();
                let right = Box::new(p.simple_condition()?);
                left = if and {
                    Condition::And(Box::new(left), right)
                } else {
                    Condition::Or(Box::new(left), right)
                };
            }
        })
    }

    fn simple_condition(&mut self) -> Result<Condition> {
        if self.eat_word(Word::Variant) {
            let name = self.text("the name of a variant in quotes")?;
            return Ok(Condition::Variant(name));
        }
        if let Token::Text(name) = self.peek().clone() {
            self.next();
            return Ok(Condition::Variant(name));
        }
        let negation = self.is_sign(Sign::Tilde)
            || self.is_sign(Sign::Bang)
            || *self.peek() == Token::Name("not".into());
        if negation {
            self.next();
            let inner = self.nested(Parser::simple_condition)?;
            return Ok(Condition::Not(Box::new(inner)));
        }
        let left = self.expr()?;
        self.sign(Sign::Equals)?;
        let right = self.expr()?;
        Ok(Condition::Equal(Box::new(left), Box::new(right)))
    }
}
