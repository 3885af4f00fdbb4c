//! Statements.

use super::Parser;
use super::types::starts_type;
use crate::program::BinOp;
use crate::syntax::error::Outcome;
use crate::syntax::lexer::TokenKind;
use crate::syntax::tree::{Declarator, Name, Node, NodeKind, Stmt, StmtKind};

impl Parser<'_> {
    /// Statements up to the brace that closes the block; the opening one is taken.
    pub(super) fn block(&mut self, what: &str) -> Outcome<Vec<Stmt>> {
        let open = self.last_span();
        let mut statements = Vec::new();
        while self.eat("}").is_none() {
            if self.at_end() {
                return Err(open.problem(
                    format!("the file ends before the end of {what}"),
                    "this brace is never closed",
                ));
            }
            let statement = self.nested(Self::statement)?;
            if !(matches!(statement.kind, StmtKind::Empty) && statement.label.is_none()) {
                statements.push(statement);
            }
        }
        Ok(statements)
    }

    pub(super) fn statement(&mut self) -> Outcome<Stmt> {
        let start = self.peek().span;
        let mut label = None;
        while self.peek().kind == TokenKind::Word && self.next_is(1, ":") {
            label = Some(self.new_name("a label")?);
            self.bump();
            if self.is("}") {
                // a label before the end of a block names nothing
                return Ok(Stmt {
                    label: None,
                    kind: StmtKind::Empty,
                    span: start,
                });
            }
        }
        let kind = self.statement_kind()?;
        let span = start.to(self.last_span());
        Ok(Stmt { label, kind, span })
    }

    fn statement_kind(&mut self) -> Outcome<StmtKind> {
        let token = self.peek();
        if self.eat(";").is_some() {
            return Ok(StmtKind::Empty);
        }
        if self.eat("{").is_some() {
            return Ok(StmtKind::Block(self.block("a block")?));
        }
        if token.kind == TokenKind::Word {
            let word = self.text(token);
            match word {
                "if" => return self.if_statement(),
                "while" => {
                    self.bump();
                    let condition = self.parenthesised("while")?;
                    return Ok(StmtKind::While(condition, self.body()?));
                }
                "do" => return self.do_while(),
                "for" => return self.for_statement(),
                "else" => {
                    return Err(token.problem("an else without an if before it", "no if"));
                }
                "return" => {
                    self.bump();
                    if !self.is(";") {
                        self.expression()?;
                    }
                    self.semicolon("after return")?;
                    return Ok(StmtKind::Return);
                }
                "break" | "continue" => {
                    self.bump();
                    self.semicolon(&format!("after {word}"))?;
                    return Ok(if word == "break" {
                        StmtKind::Break
                    } else {
                        StmtKind::Continue
                    });
                }
                "goto" | "switch" | "case" | "default" => {
                    return Err(token
                        .problem(format!("{word} is not supported"), "not supported")
                        .help("use if, while, do or for"));
                }
                _ => {}
            }
        }
        let kind = self.simple()?;
        self.semicolon("after a statement")?;
        Ok(kind)
    }

    fn semicolon(&mut self, after: &str) -> Outcome<()> {
        if self.eat(";").is_some() {
            return Ok(());
        }
        if self.at_end() {
            return Err(self.unexpected("; or more of the statement"));
        }
        let end = self.last_span();
        let found = self.text(self.peek());
        Err(end.problem(
            format!(
                "expected ; {after}, found {}",
                crate::syntax::lexer::shorten(found)
            ),
            "a ; is missing after this",
        ))
    }

    /// A declaration, an assignment or an expression, without its semicolon.
    fn simple(&mut self) -> Outcome<StmtKind> {
        let token = self.peek();
        if token.kind == TokenKind::Word && starts_type(self.text(token)) {
            return self.declaration();
        }
        for (mark, op) in [("++", BinOp::Add), ("--", BinOp::Sub)] {
            if self.eat(mark).is_some() {
                let target = self.expression()?;
                return Ok(step(target, op));
            }
        }
        let target = self.expression()?;
        let TokenKind::Mark(mark) = self.peek().kind else {
            return Ok(StmtKind::Effect(target));
        };
        let op = match mark {
            "=" => None,
            "++" | "--" => {
                self.bump();
                let op = if mark == "++" { BinOp::Add } else { BinOp::Sub };
                return Ok(step(target, op));
            }
            mark => match mark.strip_suffix('=').and_then(BinOp::named) {
                Some(op) => Some(op),
                None => return Ok(StmtKind::Effect(target)),
            },
        };
        self.bump();
        let value = self.expression()?;
        self.no_assignment("write one assignment a statement; compare with ==")?;
        Ok(StmtKind::Assign(target, op, value))
    }

    /// Fails before a `=`, where an expression has ended.
    fn no_assignment(&self, help: &str) -> Outcome<()> {
        if !self.is("=") {
            return Ok(());
        }
        let message = "an assignment inside an expression is not supported";
        Err(self.peek().problem(message, "not here").help(help))
    }

    fn declaration(&mut self) -> Outcome<StmtKind> {
        let ty = self.type_name()?;
        let mut declarators = Vec::new();
        let mut pointer = ty.pointer;
        loop {
            let name: Name = self.new_name("the name of a variable")?;
            if self.is("[") {
                return Err(self.peek().problem(
                    "private arrays are not supported",
                    "a register holds one value",
                ));
            }
            let value = match self.eat("=") {
                Some(_) => Some(self.expression()?),
                None => None,
            };
            declarators.push(Declarator {
                name,
                pointer,
                value,
            });
            if self.eat(",").is_none() {
                return Ok(StmtKind::Declare(ty, declarators));
            }
            pointer = self.eat("*").is_some();
        }
    }

    fn parenthesised(&mut self, after: &str) -> Outcome<Node> {
        self.expect("(", &format!("after {after}"))?;
        let condition = self.expression()?;
        self.no_assignment("compare with ==")?;
        self.expect(")", &format!("after the condition of {after}"))?;
        Ok(condition)
    }

    /// A block, or a single statement in its place.
    fn body(&mut self) -> Outcome<Vec<Stmt>> {
        if self.eat("{").is_some() {
            return self.block("a block");
        }
        if self.at_end() {
            return Err(self.unexpected("a statement"));
        }
        let statement = self.nested(Self::statement)?;
        if matches!(statement.kind, StmtKind::Empty) {
            return Ok(Vec::new());
        }
        Ok(vec![statement])
    }

    fn if_statement(&mut self) -> Outcome<StmtKind> {
        self.bump();
        let condition = self.parenthesised("if")?;
        let then = self.body()?;
        let otherwise = match self.eat_word("else") {
            Some(_) => self.body()?,
            None => Vec::new(),
        };
        Ok(StmtKind::If(condition, then, otherwise))
    }

    fn do_while(&mut self) -> Outcome<StmtKind> {
        self.bump();
        let body = self.body()?;
        if self.eat_word("while").is_none() {
            return Err(self.unexpected("while after the body of do"));
        }
        let condition = self.parenthesised("while")?;
        self.semicolon("after do … while (…)")?;
        Ok(StmtKind::DoWhile(body, condition))
    }

    fn for_statement(&mut self) -> Outcome<StmtKind> {
        self.bump();
        self.expect("(", "after for")?;
        let first = match self.is(";") {
            true => None,
            false => Some(self.boxed_simple()?),
        };
        self.expect(";", "after the first part of for")?;
        let condition = match self.is(";") {
            true => None,
            false => Some(self.expression()?),
        };
        self.expect(";", "after the condition of for")?;
        let step = match self.is(")") {
            true => None,
            false => Some(self.boxed_simple()?),
        };
        self.expect(")", "after the parts of for")?;
        Ok(StmtKind::For(first, condition, step, self.body()?))
    }

    fn boxed_simple(&mut self) -> Outcome<Box<Stmt>> {
        let start = self.peek().span;
        let kind = self.simple()?;
        Ok(Box::new(Stmt {
            label: None,
            kind,
            span: start.to(self.last_span()),
        }))
    }
}

/// `target++` and its kin.
fn step(target: Node, op: BinOp) -> StmtKind {
    let one = Node {
        kind: NodeKind::Int(1),
        span: target.span,
        height: 1,
    };
    StmtKind::Assign(target, Some(op), one)
}
