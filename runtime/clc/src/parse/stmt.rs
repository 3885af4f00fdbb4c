//! Statements.

use super::{Parsed, Parser};
use crate::ast::{Label, Stmt, StmtKind};
use crate::diag::Reported;
use crate::token::{Keyword, Punct, Tok};

impl Parser<'_> {
    /// The statements up to the `}` that closes the block, which is consumed.
    pub(super) fn block_rest(&mut self) -> Parsed<Vec<Stmt>> {
        let open = self.previous_loc();
        let mut stmts = Vec::new();
        while !self.eat(Punct::RBrace) {
            if *self.peek() == Tok::End {
                let first = !self.end_missed;
                let missing = self.expected("`}`");
                if first {
                    self.diags.note(open, "to match this `{`");
                }
                return missing;
            }
            let (depth, scopes) = (self.depth, self.scopes.depth());
            let before = self.next;
            match self.statement() {
                Ok(stmt) => stmts.push(stmt),
                Err(Reported) => {
                    if self.diags.hopeless() {
                        return Err(Reported);
                    }
                    self.depth = depth;
                    self.scopes.close_to(scopes);
                    self.skip_statement();
                    if self.next == before && !self.at(Punct::RBrace) {
                        self.advance();
                    }
                }
            }
        }
        Ok(stmts)
    }

    /// A statement or, where a block allows it, a declaration.
    fn statement(&mut self) -> Parsed<Stmt> {
        self.enter()?;
        let loc = self.loc();
        let kind = self.statement_kind()?;
        self.leave();
        Ok(Stmt { kind, loc })
    }

    fn statement_kind(&mut self) -> Parsed<StmtKind> {
        let labels = self.labels()?;
        if !labels.is_empty() {
            // A label may end a block, standing for nothing.
            let rest = if self.at(Punct::RBrace) {
                Stmt {
                    kind: StmtKind::Empty,
                    loc: self.loc(),
                }
            } else {
                self.statement()?
            };
            return Ok(StmtKind::Labelled(labels, Box::new(rest)));
        }
        if self.at_keyword(Keyword::Attribute) {
            self.statement_attributes()?;
        }
        if self.starts_declaration() {
            return Ok(StmtKind::Declaration(Box::new(self.declaration()?)));
        }
        match *self.peek() {
            Tok::Punct(Punct::Semi) => {
                self.advance();
                return Ok(StmtKind::Empty);
            }
            Tok::Punct(Punct::LBrace) => {
                self.advance();
                self.scopes.open();
                let stmts = self.block_rest();
                self.scopes.close();
                return Ok(StmtKind::Block(stmts?));
            }
            Tok::Keyword(keyword) => {
                if let Some(kind) = self.keyword_statement(keyword)? {
                    return Ok(kind);
                }
            }
            _ => {}
        }
        let value = self.expression()?;
        self.expect(Punct::Semi, "after this expression")?;
        Ok(StmtKind::Expr(value))
    }

    /// The statement that a keyword begins; None if it begins none.
    fn keyword_statement(&mut self, keyword: Keyword) -> Parsed<Option<StmtKind>> {
        let (start, loc) = (self.next, self.loc());
        self.advance();
        let kind = match keyword {
            Keyword::If => {
                let cond = self.parenthesised("if")?;
                let then = Box::new(self.statement()?);
                let other = if self.eat_keyword(Keyword::Else) {
                    Some(Box::new(self.statement()?))
                } else {
                    None
                };
                StmtKind::If { cond, then, other }
            }
            Keyword::While => {
                let cond = self.parenthesised("while")?;
                let body = Box::new(self.statement()?);
                StmtKind::While { cond, body }
            }
            Keyword::Do => {
                let body = Box::new(self.statement()?);
                if !self.eat_keyword(Keyword::While) {
                    return self.expected("`while` of this do loop");
                }
                let cond = self.parenthesised("while")?;
                self.expect(Punct::Semi, "after this do loop")?;
                StmtKind::Do { body, cond }
            }
            Keyword::For => {
                self.scopes.open();
                let result = self.for_rest();
                self.scopes.close();
                result?
            }
            Keyword::Switch => {
                let value = self.parenthesised("switch")?;
                let body = Box::new(self.statement()?);
                StmtKind::Switch { value, body }
            }
            Keyword::Goto => {
                let name = self.name("a label")?;
                self.expect(Punct::Semi, "after this goto")?;
                StmtKind::Goto(name)
            }
            Keyword::Break => {
                self.expect(Punct::Semi, "after `break`")?;
                StmtKind::Break
            }
            Keyword::Continue => {
                self.expect(Punct::Semi, "after `continue`")?;
                StmtKind::Continue
            }
            Keyword::Return => {
                let value = self.unless_at(Punct::Semi, Self::expression)?;
                self.expect(Punct::Semi, "after this return")?;
                StmtKind::Return(value)
            }
            Keyword::Else => return self.fail(loc, "`else` without `if`"),
            Keyword::Asm => return self.fail(loc, "`asm` is not in OpenCL C"),
            _ => {
                self.next = start;
                return Ok(None);
            }
        };
        Ok(Some(kind))
    }

    /// Passes attributes before a statement, such as `__attribute__((opencl_unroll_hint)) for (…)`;
    /// those of a declaration stay.
    fn statement_attributes(&mut self) -> Parsed<()> {
        let start = self.next;
        let attrs = self.attributes()?;
        if self.starts_declaration() {
            self.next = start;
            return Ok(());
        }
        for attr in attrs {
            if self.names.get(attr.name.symbol) != "opencl_unroll_hint" {
                let message = "this attribute of a statement is ignored";
                self.diags.warning(attr.name.loc, message);
            }
        }
        Ok(())
    }

    /// Labels, and the statement they stand before.
    fn labels(&mut self) -> Parsed<Vec<Label>> {
        let mut labels = Vec::new();
        loop {
            let loc = self.loc();
            if let (Tok::Ident(_), Tok::Punct(Punct::Colon)) = (self.peek(), self.peek_at(1)) {
                labels.extend(self.optional_name().map(Label::Name));
                self.advance();
            } else if self.eat_keyword(Keyword::Case) {
                let value = self.conditional()?;
                if self.at(Punct::Ellipsis) {
                    let message = "a case has one value; ranges are not in OpenCL C";
                    return self.fail(self.loc(), message);
                }
                self.expect(Punct::Colon, "after this case")?;
                labels.push(Label::Case(value, loc));
            } else if self.eat_keyword(Keyword::Default) {
                self.expect(Punct::Colon, "after `default`")?;
                labels.push(Label::Default(loc));
            } else {
                return Ok(labels);
            }
        }
    }

    fn parenthesised(&mut self, after: &str) -> Parsed<crate::ast::Expr> {
        self.expect(Punct::LParen, &format!("after `{after}`"))?;
        let value = self.expression()?;
        self.expect(Punct::RParen, "after this condition")?;
        Ok(value)
    }

    fn for_rest(&mut self) -> Parsed<StmtKind> {
        self.expect(Punct::LParen, "after `for`")?;
        let loc = self.loc();
        let init = if self.eat(Punct::Semi) {
            None
        } else if self.starts_declaration() {
            let kind = StmtKind::Declaration(Box::new(self.declaration()?));
            Some(Box::new(Stmt { kind, loc }))
        } else {
            let kind = StmtKind::Expr(self.expression()?);
            self.expect(Punct::Semi, "after the start of this for loop")?;
            Some(Box::new(Stmt { kind, loc }))
        };
        let cond = self.unless_at(Punct::Semi, Self::expression)?;
        self.expect(Punct::Semi, "after the condition of this for loop")?;
        let step = self.unless_at(Punct::RParen, Self::expression)?;
        self.expect(Punct::RParen, "after this for loop's head")?;
        let body = Box::new(self.statement()?);
        Ok(StmtKind::For {
            init,
            cond,
            step,
            body,
        })
    }
}
