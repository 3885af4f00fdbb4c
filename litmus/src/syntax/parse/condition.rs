//! The question: quantifier and predicate over final states.

use super::Parser;
use crate::program::{Quantifier, Relation};
use crate::syntax::error::Outcome;
use crate::syntax::lexer::TokenKind;
use crate::syntax::tree::{Name, Operand, Pred};

impl Parser<'_> {
    /// `exists`, `~exists`, `not exists`, `forall`; `None` where no question starts.
    pub(super) fn quantifier(&mut self) -> Option<Quantifier> {
        let negated = self.is("~") || self.is("!") || self.is_word("not");
        if negated {
            let next = self.ahead(1);
            if next.kind != TokenKind::Word || self.text(next) != "exists" {
                return None;
            }
            self.bump();
            self.bump();
            return Some(Quantifier::NotExists);
        }
        if self.eat_word("exists").is_some() {
            return Some(Quantifier::Exists);
        }
        if self.eat_word("forall").is_some() {
            return Some(Quantifier::Forall);
        }
        None
    }

    /// A whole predicate; what the readers of predicates alone call.
    pub(crate) fn predicate(&mut self) -> Outcome<Pred> {
        let first = self.conjunction()?;
        if !(self.is("\\/") || self.is("||")) {
            return Ok(first);
        }
        let mut parts = vec![first];
        while self.eat("\\/").is_some() || self.eat("||").is_some() {
            parts.push(self.conjunction()?);
        }
        Ok(Pred::Or(parts))
    }

    fn conjunction(&mut self) -> Outcome<Pred> {
        let first = self.negation()?;
        if !(self.is("/\\") || self.is("&&")) {
            return Ok(first);
        }
        let mut parts = vec![first];
        while self.eat("/\\").is_some() || self.eat("&&").is_some() {
            parts.push(self.negation()?);
        }
        Ok(Pred::And(parts))
    }

    fn negation(&mut self) -> Outcome<Pred> {
        if self.is("~") || self.is("!") || self.is_word("not") {
            self.bump();
            let inner = self.nested(Self::negation)?;
            return Ok(Pred::Not(Box::new(inner)));
        }
        if self.eat("(").is_some() {
            let inner = self.nested(Self::predicate)?;
            self.expect(")", "to close the parenthesis")?;
            return Ok(inner);
        }
        for (word, value) in [("true", true), ("false", false)] {
            if self.is_word(word) && self.relation_after(1).is_none() {
                self.bump();
                return Ok(Pred::Bool(value));
            }
        }
        let left = self.operand()?;
        let Some(relation) = self.relation_after(0) else {
            return Err(self.unexpected("a comparison such as = or !="));
        };
        self.bump();
        let right = self.operand()?;
        Ok(Pred::Compare(relation, left, right))
    }

    fn relation_after(&self, n: usize) -> Option<Relation> {
        match self.ahead(n).kind {
            TokenKind::Mark(mark) => Relation::of_sign(mark),
            TokenKind::Word | TokenKind::Number(_) | TokenKind::End => None,
        }
    }

    /// `0:r0`, `P0:r0`, `x`, `[x]`, `*x`, `y[1]`, `5`.
    pub(super) fn operand(&mut self) -> Outcome<Operand> {
        let token = self.peek();
        match token.kind {
            TokenKind::Number(thread) if self.next_is(1, ":") => {
                self.bump();
                self.bump();
                self.register(thread, token.span)
            }
            TokenKind::Number(_) | TokenKind::Mark("-" | "+") => {
                Ok(Operand::Const(self.signed("a value")?))
            }
            TokenKind::Mark("[") => {
                self.bump();
                let name = self.word("a location")?;
                let mut index = self.element()?;
                let close = self.expect("]", "after the location")?;
                if index.is_none() {
                    index = self.element()?;
                }
                let span = token.span.to(close);
                Ok(Operand::Location { name, index, span })
            }
            TokenKind::Mark("*") => {
                self.bump();
                let name = self.word("a location")?;
                let span = token.span.to(name.span);
                Ok(Operand::Location {
                    name,
                    index: None,
                    span,
                })
            }
            TokenKind::Word => {
                let name = self.word("a location")?;
                if self.eat(":").is_some() {
                    let Some(thread) = thread_number(&name.text) else {
                        return Err(name.problem(
                            format!("{} is not a thread", name.text),
                            "expected 0, 1, … or P0, P1, …",
                        ));
                    };
                    return self.register(thread, token.span);
                }
                let index = self.element()?;
                let span = token.span.to(self.last_span());
                Ok(Operand::Location { name, index, span })
            }
            TokenKind::Mark(_) | TokenKind::End => {
                Err(self.unexpected("a register such as 0:r0, a location or a value"))
            }
        }
    }

    fn register(&mut self, thread: u64, start: crate::syntax::error::Span) -> Outcome<Operand> {
        let name: Name = self.word("a register")?;
        let span = start.to(name.span);
        Ok(Operand::Register { thread, name, span })
    }

    fn element(&mut self) -> Outcome<Option<u64>> {
        if self.eat("[").is_none() {
            return Ok(None);
        }
        let (index, _) = self.number("an index")?;
        self.expect("]", "after the index")?;
        Ok(Some(index))
    }
}

/// `P3` is 3.
pub(super) fn thread_number(word: &str) -> Option<u64> {
    let digits = word.strip_prefix('P').or_else(|| word.strip_prefix('p'))?;
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    digits.parse().ok()
}
