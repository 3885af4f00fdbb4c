//! Expressions: C's operators with C's precedence.

use super::types::starts_type;
use super::{Parser, negative, too_deep};
use crate::program::{BinOp, UnOp};
use crate::syntax::error::{Outcome, Span};
use crate::syntax::lexer::TokenKind;
use crate::syntax::limits::MAX_NESTING;
use crate::syntax::tree::{Name, Node, NodeKind};

impl Parser<'_> {
    /// A whole expression; what the readers of expressions alone call.
    pub(crate) fn expression(&mut self) -> Outcome<Node> {
        let condition = self.binary(1)?;
        if self.eat("?").is_none() {
            return Ok(condition);
        }
        let yes = self.nested(Self::expression)?;
        self.expect(":", "between the two values of ?:")?;
        let no = self.nested(Self::expression)?;
        let span = condition.span.to(no.span);
        let height = condition.height.max(yes.height).max(no.height);
        self.node(
            NodeKind::Select(Box::new(condition), Box::new(yes), Box::new(no)),
            span,
            height,
        )
    }

    /// A node over children of at most `below` levels.
    fn node(&self, kind: NodeKind, span: Span, below: u32) -> Outcome<Node> {
        if below + self.depth >= MAX_NESTING {
            return Err(too_deep(span));
        }
        Ok(Node {
            kind,
            span,
            height: below + 1,
        })
    }

    fn binary(&mut self, weakest: u8) -> Outcome<Node> {
        let mut left = self.unary()?;
        loop {
            let TokenKind::Mark(mark) = self.peek().kind else {
                return Ok(left);
            };
            let Some(op) = BinOp::named(mark).filter(|op| op.level() >= weakest) else {
                return Ok(left);
            };
            self.bump();
            let right = self.nested(|p| p.binary(op.level() + 1))?;
            let span = left.span.to(right.span);
            let below = left.height.max(right.height);
            left = self.node(
                NodeKind::Binary(op, Box::new(left), Box::new(right)),
                span,
                below,
            )?;
        }
    }

    /// An expression without operators of two sides, other than in parentheses.
    pub(super) fn unary(&mut self) -> Outcome<Node> {
        let token = self.peek();
        let TokenKind::Mark(mark) = token.kind else {
            return self.postfix();
        };
        let wrap: fn(Box<Node>) -> NodeKind = match mark {
            "-" => {
                if let TokenKind::Number(value) = self.ahead(1).kind {
                    self.bump();
                    let span = token.span.to(self.bump().span);
                    let value = negative(value, span)?;
                    return self.node(NodeKind::Int(value), span, 0);
                }
                |e| NodeKind::Unary(UnOp::Neg, e)
            }
            "!" => |e| NodeKind::Unary(UnOp::Not, e),
            "~" => |e| NodeKind::Unary(UnOp::BitNot, e),
            "*" => NodeKind::Deref,
            "&" => NodeKind::AddressOf,
            "+" => {
                self.bump();
                return self.nested(Self::unary);
            }
            "++" | "--" => {
                return Err(token
                    .problem(
                        format!("{mark} inside an expression is not supported"),
                        "not here",
                    )
                    .help("write it as a statement of its own"));
            }
            "(" if self.cast_follows() => return self.cast(),
            _ => return self.postfix(),
        };
        self.bump();
        let operand = self.nested(Self::unary)?;
        let span = token.span.to(operand.span);
        let below = operand.height;
        self.node(wrap(Box::new(operand)), span, below)
    }

    fn cast_follows(&self) -> bool {
        let next = self.ahead(1);
        next.kind == TokenKind::Word && starts_type(self.text(next))
    }

    fn cast(&mut self) -> Outcome<Node> {
        let open = self.bump().span;
        let ty = self.type_name()?;
        self.expect(")", "after the type of a cast")?;
        let operand = self.nested(Self::unary)?;
        let span = open.to(operand.span);
        let below = operand.height;
        self.node(NodeKind::Cast(ty, Box::new(operand)), span, below)
    }

    fn postfix(&mut self) -> Outcome<Node> {
        let mut node = self.primary()?;
        loop {
            if self.eat("[").is_some() {
                let index = self.nested(Self::expression)?;
                let close = self.expect("]", "after an index")?;
                let span = node.span.to(close);
                let below = node.height.max(index.height);
                node = self.node(
                    NodeKind::Index(Box::new(node), Box::new(index)),
                    span,
                    below,
                )?;
            } else if self.is(".") || self.is("->") {
                return Err(self.peek().problem(
                    "structures are not supported",
                    "a location holds an integer",
                ));
            } else {
                return Ok(node);
            }
        }
    }

    fn primary(&mut self) -> Outcome<Node> {
        let token = self.peek();
        match token.kind {
            TokenKind::Number(value) => {
                self.bump();
                self.node(NodeKind::Int(value as i64), token.span, 0)
            }
            TokenKind::Word => {
                self.bump();
                let text = self.text(token).to_string();
                if self.is("(") {
                    let name = Name {
                        text,
                        span: token.span,
                    };
                    return self.call(name);
                }
                self.node(NodeKind::Name(text), token.span, 0)
            }
            TokenKind::Mark("(") => {
                self.bump();
                let mut inner = self.nested(Self::expression)?;
                let close = self.expect(")", "to close the parenthesis")?;
                inner.span = token.span.to(close);
                Ok(inner)
            }
            TokenKind::Mark(_) | TokenKind::End => Err(self.unexpected("an expression")),
        }
    }

    fn call(&mut self, name: Name) -> Outcome<Node> {
        self.bump();
        let mut arguments = Vec::new();
        let mut below = 0;
        if !self.is(")") {
            loop {
                let argument = self.nested(Self::expression)?;
                below = below.max(argument.height);
                arguments.push(argument);
                if self.eat(",").is_none() {
                    break;
                }
            }
        }
        let close = self.expect(")", &format!("or , in the arguments of {}", name.text))?;
        let span = name.span.to(close);
        self.node(NodeKind::Call(name, arguments), span, below)
    }
}
