//! Block literals (OpenCL C, Blocks).

use super::{Parsed, Parser};
use crate::ast::{BlockLiteral, DeclPart, Expr, ExprKind, Param, TypeName};
use crate::token::Punct;

/// What stands before the body of a block: the type of the result, the parameters, and whether they end in `...`.
type Head = (Option<TypeName>, Vec<Param>, bool);

impl Parser<'_> {
    /// `^`, what the block returns and takes, as far as that is written, and its body.
    pub(super) fn block_literal(&mut self) -> Parsed<Expr> {
        let loc = self.loc();
        self.advance();
        self.enter()?;
        let (ret, params, variadic) = self.block_head()?;
        self.expect(Punct::LBrace, "before the body of this block")?;
        // What is tall in the body makes the block as tall.
        let around = std::mem::take(&mut self.tallest);
        self.scopes.open();
        for param in &params {
            self.declare(param.declarator.name, false);
        }
        let body = self.block_rest();
        self.scopes.close();
        self.leave();
        let literal = BlockLiteral {
            ret,
            params,
            variadic,
            body: body?,
            end: self.previous_loc(),
        };
        let block = self.node(ExprKind::Block(Box::new(literal)), loc)?;
        self.tallest = self.tallest.max(around);
        Ok(block)
    }

    fn block_head(&mut self) -> Parsed<Head> {
        if self.at(Punct::LBrace) {
            return Ok((None, Vec::new(), false));
        }
        if self.eat(Punct::LParen) {
            let (params, variadic) = self.params()?;
            return Ok((None, params, variadic));
        }
        let specs = Box::new(self.specs()?);
        let mut declarator = self.declarator(true)?;
        if let Some(name) = declarator.name {
            return self.fail(name.loc, "a block has no name of its own");
        }
        // A type alone is that of the result.
        let (params, variadic) = match declarator.parts.first() {
            Some(DeclPart::Function { .. }) => match declarator.parts.remove(0) {
                DeclPart::Function { params, variadic } => (params, variadic),
                DeclPart::Pointer(_) | DeclPart::Block | DeclPart::Array(_) => (Vec::new(), false),
            },
            Some(_) | None => (Vec::new(), false),
        };
        Ok((Some(TypeName { specs, declarator }), params, variadic))
    }
}
