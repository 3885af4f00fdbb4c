//! Expressions.

use super::{Parsed, Parser};
use crate::ast::{ArithOp, BinaryOp, Expr, ExprKind, Init, InitItem, Measure, Measured, UnaryOp};
use crate::source::Loc;
use crate::token::{Keyword, Punct, Tok};

/// How deep the tree of an expression may be: operators in a row nest to the left.
const HEIGHT: u32 = 1500;

/// The operator inside an assignment; `Some(None)` for plain `=`.
fn assignment_operator(punct: Punct) -> Option<Option<ArithOp>> {
    match punct.text().strip_suffix('=')? {
        "" => Some(None),
        text => ArithOp::of(text).map(|(op, _)| Some(op)),
    }
}

/// `++` or `--`.
fn step(punct: Punct, prefix: bool, target: Expr) -> ExprKind {
    ExprKind::Step {
        op: match punct {
            Punct::PlusPlus => ArithOp::Add,
            _ => ArithOp::Sub,
        },
        prefix,
        target: Box::new(target),
    }
}

/// The height of the tallest operand.
fn operand_height(kind: &ExprKind) -> u32 {
    let all = |list: &[Expr]| list.iter().map(|e| e.height).max().unwrap_or(0);
    match kind {
        ExprKind::Ident(_)
        | ExprKind::Number(_)
        | ExprKind::Char(_)
        | ExprKind::Str(_)
        | ExprKind::Block(_)
        | ExprKind::Measure(_, Measured::Type(_)) => 0,
        ExprKind::Unary(_, e)
        | ExprKind::Cast(_, e)
        | ExprKind::Measure(_, Measured::Expr(e))
        | ExprKind::Step { target: e, .. }
        | ExprKind::Member { base: e, .. } => e.height,
        ExprKind::Binary(_, a, b)
        | ExprKind::Assign(_, a, b)
        | ExprKind::Comma(a, b)
        | ExprKind::Index(a, b) => a.height.max(b.height),
        ExprKind::Ternary(a, b, c) => a.height.max(b.height).max(c.height),
        ExprKind::VectorLiteral(_, list) => all(list),
        ExprKind::Compound(_, items) => init_height(items),
        ExprKind::Call(f, args) => f.height.max(all(args)),
    }
}

fn init_height(items: &[InitItem]) -> u32 {
    let one = |item: &InitItem| match &item.value {
        Init::Expr(e) => e.height,
        Init::List(items, _) => init_height(items),
    };
    items.iter().map(one).max().unwrap_or(0)
}

impl Parser<'_> {
    /// An expression, commas included.
    pub(super) fn expression(&mut self) -> Parsed<Expr> {
        let mut left = self.assignment()?;
        while self.at(Punct::Comma) {
            let loc = self.loc();
            self.advance();
            let right = self.assignment()?;
            left = self.node(ExprKind::Comma(Box::new(left), Box::new(right)), loc)?;
        }
        Ok(left)
    }

    /// A node of the tree. Types inside expressions hold expressions too; `type_height` is the
    /// tallest of those met since the item began.
    pub(super) fn node(&mut self, kind: ExprKind, loc: Loc) -> Parsed<Expr> {
        let below = match kind {
            ExprKind::Block(_) => self.tallest,
            ExprKind::Cast(..)
            | ExprKind::VectorLiteral(..)
            | ExprKind::Compound(..)
            | ExprKind::Measure(_, Measured::Type(_)) => self.type_height,
            _ => 0,
        };
        let height = operand_height(&kind).max(below) + 1;
        if height > HEIGHT {
            let message = format!("this expression is more than {HEIGHT} operators deep");
            return self.fail(loc, message);
        }
        self.tallest = self.tallest.max(height);
        Ok(Expr { kind, loc, height })
    }

    pub(super) fn assignment(&mut self) -> Parsed<Expr> {
        self.enter()?;
        let left = self.conditional()?;
        let loc = self.loc();
        let operator = match *self.peek() {
            Tok::Punct(punct) => assignment_operator(punct),
            _ => None,
        };
        let result = match operator {
            Some(op) => {
                self.advance();
                let right = self.assignment()?;
                self.node(ExprKind::Assign(op, Box::new(left), Box::new(right)), loc)?
            }
            None => left,
        };
        self.leave();
        Ok(result)
    }

    pub(super) fn conditional(&mut self) -> Parsed<Expr> {
        self.enter()?;
        let cond = self.binary(0)?;
        let loc = self.loc();
        let result = if self.eat(Punct::Question) {
            let yes = self.expression()?;
            self.expect(Punct::Colon, "after the second operand of `?:`")?;
            let no = self.conditional()?;
            let kind = ExprKind::Ternary(Box::new(cond), Box::new(yes), Box::new(no));
            self.node(kind, loc)?
        } else {
            cond
        };
        self.leave();
        Ok(result)
    }

    fn binary(&mut self, above: u8) -> Parsed<Expr> {
        let mut left = self.cast()?;
        while let Tok::Punct(punct) = *self.peek() {
            let Some((op, level)) = BinaryOp::of(punct).filter(|&(_, level)| level > above) else {
                break;
            };
            let loc = self.loc();
            self.advance();
            let right = self.binary(level)?;
            left = self.node(ExprKind::Binary(op, Box::new(left), Box::new(right)), loc)?;
        }
        Ok(left)
    }

    /// A cast, or a unary expression.
    fn cast(&mut self) -> Parsed<Expr> {
        self.enter()?;
        let loc = self.loc();
        let result = if self.at(Punct::LParen) && self.starts_type(1) {
            self.advance();
            let ty = self.type_name()?;
            self.expect(Punct::RParen, "after this type")?;
            if self.eat(Punct::LBrace) {
                let items = self.init_list_rest()?;
                let literal = self.node(ExprKind::Compound(ty, items), loc)?;
                self.postfix(literal)?
            } else if self.at(Punct::LParen) && !self.starts_type(1) {
                // `(float4)(a, b, c, d)`; for other types it is a cast of a comma expression.
                self.advance();
                let paren = self.previous_loc();
                let mut items = vec![self.assignment()?];
                while self.eat(Punct::Comma) {
                    items.push(self.assignment()?);
                }
                self.expect(Punct::RParen, "after this expression")?;
                if items.len() == 1 {
                    let inner = items.remove(0);
                    let operand = self.postfix(inner)?;
                    self.node(ExprKind::Cast(ty, Box::new(operand)), loc)?
                } else {
                    let literal = self.node(ExprKind::VectorLiteral(ty, items), paren)?;
                    self.postfix(literal)?
                }
            } else {
                let operand = self.cast()?;
                self.node(ExprKind::Cast(ty, Box::new(operand)), loc)?
            }
        } else {
            self.unary()?
        };
        self.leave();
        Ok(result)
    }

    fn unary(&mut self) -> Parsed<Expr> {
        let loc = self.loc();
        let operator = match *self.peek() {
            Tok::Punct(punct @ (Punct::PlusPlus | Punct::MinusMinus)) => {
                self.advance();
                let target = self.cast()?;
                return self.node(step(punct, true, target), loc);
            }
            Tok::Keyword(Keyword::Sizeof) => return self.measure(Measure::Size),
            Tok::Keyword(Keyword::Alignof) => return self.measure(Measure::Align),
            Tok::Keyword(Keyword::VecStep) => return self.measure(Measure::Step),
            Tok::Punct(punct) => UnaryOp::of(punct.text()),
            _ => None,
        };
        let Some((operator, _)) = operator else {
            let primary = self.primary()?;
            return self.postfix(primary);
        };
        self.advance();
        let operand = Box::new(self.cast()?);
        self.node(ExprKind::Unary(operator, operand), loc)
    }

    fn measure(&mut self, measure: Measure) -> Parsed<Expr> {
        let loc = self.loc();
        self.advance();
        let of = if self.at(Punct::LParen) && self.starts_type(1) {
            self.advance();
            let ty = self.type_name()?;
            self.expect(Punct::RParen, "after this type")?;
            // `sizeof (T){…}` measures a compound literal, whose type is T all the same.
            if self.eat(Punct::LBrace) {
                self.init_list_rest()?;
            }
            Measured::Type(ty)
        } else {
            self.enter()?;
            let operand = self.unary()?;
            self.leave();
            if measure == Measure::Align {
                return self.fail(loc, "`__alignof__` takes a type");
            }
            Measured::Expr(Box::new(operand))
        };
        self.node(ExprKind::Measure(measure, of), loc)
    }

    fn primary(&mut self) -> Parsed<Expr> {
        let loc = self.loc();
        let kind = match self.peek().clone() {
            Tok::Ident(symbol) => {
                if self.is_type_name(symbol) {
                    let name = self.names.get(symbol);
                    let message = format!("`{name}` is a type; an expression is expected here");
                    return self.fail(loc, message);
                }
                ExprKind::Ident(symbol)
            }
            Tok::Number(literal) => ExprKind::Number(literal),
            Tok::Char(value) => ExprKind::Char(value),
            Tok::Str(bytes) => ExprKind::Str(bytes),
            Tok::Punct(Punct::LParen) => {
                self.advance();
                if self.at(Punct::LBrace) {
                    return self.fail(self.loc(), "statement expressions are not in OpenCL C");
                }
                let inner = self.expression()?;
                self.expect(Punct::RParen, "after this expression")?;
                return Ok(inner);
            }
            Tok::Punct(Punct::Caret) => return self.block_literal(),
            Tok::Keyword(Keyword::Generics) => {
                return self.fail(loc, "`_Generic` is not in OpenCL C");
            }
            Tok::Punct(_) | Tok::Keyword(_) | Tok::End => {
                return self.expected("an expression");
            }
        };
        self.advance();
        self.node(kind, loc)
    }

    fn postfix(&mut self, mut base: Expr) -> Parsed<Expr> {
        loop {
            let loc = self.loc();
            let kind = match *self.peek() {
                Tok::Punct(Punct::LBracket) => {
                    self.advance();
                    let index = self.expression()?;
                    self.expect(Punct::RBracket, "after this index")?;
                    ExprKind::Index(Box::new(base), Box::new(index))
                }
                Tok::Punct(Punct::LParen) => {
                    self.advance();
                    let args = self.list(Punct::RParen, Self::assignment)?;
                    let at = base.loc;
                    base = self.node(ExprKind::Call(Box::new(base), args), at)?;
                    continue;
                }
                Tok::Punct(punct @ (Punct::Dot | Punct::Arrow)) => {
                    self.advance();
                    ExprKind::Member {
                        name: self.name("a field's name")?,
                        base: Box::new(base),
                        arrow: punct == Punct::Arrow,
                    }
                }
                Tok::Punct(punct @ (Punct::PlusPlus | Punct::MinusMinus)) => {
                    self.advance();
                    step(punct, false, base)
                }
                _ => return Ok(base),
            };
            base = self.node(kind, loc)?;
        }
    }
}
