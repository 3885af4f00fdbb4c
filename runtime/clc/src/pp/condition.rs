//! The value of an `#if` expression (C99 6.10.1).

use super::Preprocessor;
use crate::diag::Reported;
use crate::operator::{ArithOp, BinaryOp};
use crate::source::Loc;
use crate::token::{Literal, PpKind, PpToken, Punct, char_constant, number};
use crate::types::{Scalar, constant};
use touchstone_faults::{Fault, on};

/// How deep an expression may nest.
const DEPTH: u32 = 200;

/// A number of `#if`: a `long` or a `ulong`.
#[derive(Clone, Copy, Debug)]
struct Value {
    bits: u64,
    unsigned: bool,
}

impl Value {
    fn bool(value: bool) -> Self {
        Self {
            bits: u64::from(value),
            unsigned: false,
        }
    }

    fn truth(self) -> bool {
        self.bits != 0
    }
}

fn scalar(unsigned: bool) -> Scalar {
    if unsigned {
        Scalar::ULong
    } else {
        Scalar::Long
    }
}

/// The tokens of one expression and how far it has been read.
struct Reader<'p, 'a> {
    pp: &'p mut Preprocessor<'a>,
    tokens: Vec<PpToken>,
    next: usize,
    at: Loc,
    depth: u32,
}

impl Preprocessor<'_> {
    /// Whether the expression in `tokens` is not zero; false with an error if it is none.
    pub(super) fn condition(&mut self, at: Loc, tokens: Vec<PpToken>) -> bool {
        let Ok(tokens) = self.replace_defined(at, tokens) else {
            return false;
        };
        let tokens = self.expand_alone(tokens, at);
        let mut reader = Reader {
            pp: self,
            tokens,
            next: 0,
            at,
            depth: 0,
        };
        if reader.tokens.is_empty() {
            reader.error("#if needs an expression");
            return false;
        }
        match reader.ternary(true) {
            Ok(value) => {
                if reader.next < reader.tokens.len() {
                    reader.error("an operator is expected in this #if expression");
                }
                value.truth()
            }
            Err(Reported) => false,
        }
    }

    /// Replaces `defined X` and `defined(X)` by 1 or 0.
    fn replace_defined(&mut self, at: Loc, tokens: Vec<PpToken>) -> Result<Vec<PpToken>, Reported> {
        let mut out = Vec::with_capacity(tokens.len());
        let mut i = 0;
        while i < tokens.len() {
            let token = tokens[i];
            i += 1;
            if token.kind != PpKind::Ident || token.text != self.known.defined {
                out.push(token);
                continue;
            }
            let open = tokens.get(i).is_some_and(|t| t.is(Punct::LParen));
            i += usize::from(open);
            let name = tokens.get(i).filter(|t| t.kind == PpKind::Ident);
            i += 1;
            let close = !open || tokens.get(i).is_some_and(|t| t.is(Punct::RParen));
            i += usize::from(open);
            match name {
                Some(name) if close => {
                    let value = self.macros.contains_key(&name.text);
                    out.push(PpToken {
                        kind: PpKind::Number,
                        text: self.shared.names.intern(if value { "1" } else { "0" }),
                        ..token
                    });
                }
                Some(_) | None => {
                    return Err(self.error(at, "`defined` needs the name of a macro after it"));
                }
            }
        }
        Ok(out)
    }
}

impl Reader<'_, '_> {
    fn error(&mut self, message: &str) -> Reported {
        let at = self.tokens.get(self.next).map_or(self.at, |t| t.loc);
        self.pp.shared.diags.error(at, message)
    }

    fn eat(&mut self, punct: Punct) -> bool {
        let found = self.tokens.get(self.next).is_some_and(|t| t.is(punct));
        self.next += usize::from(found);
        found
    }

    fn enter(&mut self) -> Result<(), Reported> {
        self.depth += 1;
        if self.depth > DEPTH {
            return Err(self.error("this #if expression nests too deep"));
        }
        Ok(())
    }

    /// `live`: whether the value matters; `0 && 1 / 0` is fine.
    fn ternary(&mut self, live: bool) -> Result<Value, Reported> {
        self.enter()?;
        let condition = self.binary(0, live)?;
        let value = if self.eat(Punct::Question) {
            let yes = self.ternary(live && condition.truth())?;
            if !self.eat(Punct::Colon) {
                return Err(self.error("`:` is expected in this #if expression"));
            }
            let no = self.ternary(live && !condition.truth())?;
            let chosen = if condition.truth() { yes } else { no };
            Value {
                unsigned: yes.unsigned || no.unsigned,
                ..chosen
            }
        } else {
            condition
        };
        self.depth -= 1;
        Ok(value)
    }

    fn operator(&self) -> Option<(BinaryOp, u8)> {
        match self.tokens.get(self.next)?.kind {
            PpKind::Punct(punct) => BinaryOp::of(punct),
            _ => None,
        }
    }

    fn binary(&mut self, above: u8, live: bool) -> Result<Value, Reported> {
        let mut left = self.unary(live)?;
        while let Some((op, level)) = self.operator().filter(|&(_, level)| level > above) {
            self.next += 1;
            let right_live = live
                && match op {
                    BinaryOp::And => left.truth(),
                    BinaryOp::Or => !left.truth(),
                    BinaryOp::Arith(_) | BinaryOp::Compare(_) => true,
                };
            let right = self.binary(level, right_live)?;
            left = self.apply(op, left, right, right_live)?;
        }
        Ok(left)
    }

    fn apply(&mut self, op: BinaryOp, a: Value, b: Value, live: bool) -> Result<Value, Reported> {
        // The result of a shift has the type of its left operand.
        let shift = matches!(op, BinaryOp::Arith(ArithOp::Shl | ArithOp::Shr));
        let unsigned = a.unsigned || (b.unsigned && !shift);
        let (x, y) = (a.bits, b.bits);
        Ok(match op {
            BinaryOp::Or => Value::bool(a.truth() || b.truth()),
            BinaryOp::And => Value::bool(a.truth() && b.truth()),
            BinaryOp::Compare(op) => {
                Value::bool(constant::compare(op, scalar(unsigned), x, y) == Some(true))
            }
            BinaryOp::Arith(op) => match constant::arith(op, scalar(unsigned), x, y) {
                Some(bits) => Value { bits, unsigned },
                None if live => {
                    return Err(self.error("division by zero in this #if expression"));
                }
                None => Value { bits: 0, unsigned },
            },
        })
    }

    fn unary(&mut self, live: bool) -> Result<Value, Reported> {
        let mut operators = Vec::new();
        while let Some(PpKind::Punct(
            punct @ (Punct::Plus | Punct::Minus | Punct::Tilde | Punct::Bang),
        )) = self.tokens.get(self.next).map(|t| t.kind)
        {
            operators.push(punct);
            self.next += 1;
        }
        let mut value = self.primary(live)?;
        for op in operators.into_iter().rev() {
            value = match op {
                Punct::Minus => Value {
                    bits: value.bits.wrapping_neg(),
                    ..value
                },
                Punct::Tilde => Value {
                    bits: !value.bits,
                    ..value
                },
                Punct::Bang => Value::bool(!value.truth()),
                _ => value,
            };
        }
        Ok(value)
    }

    fn primary(&mut self, live: bool) -> Result<Value, Reported> {
        let Some(&token) = self.tokens.get(self.next) else {
            return Err(self.error("a value is expected at the end of this #if expression"));
        };
        let text = self.pp.shared.names.get(token.text);
        let value = match token.kind {
            PpKind::Punct(Punct::LParen) => {
                self.next += 1;
                self.enter()?;
                let value = self.ternary(live)?;
                self.depth -= 1;
                if !self.eat(Punct::RParen) {
                    return Err(self.error("`)` is expected in this #if expression"));
                }
                return Ok(value);
            }
            PpKind::Number => match number(text) {
                Ok(Literal::Int {
                    value, unsigned, ..
                }) => Ok(Value {
                    bits: value,
                    unsigned: (unsigned || value > i64::MAX as u64) && !on(Fault::ConditionsSigned),
                }),
                Ok(Literal::Float { .. }) => Err("an #if expression has integers only".to_owned()),
                Err(message) => Err(message),
            },
            PpKind::Char => char_constant(text).map(|value| Value {
                bits: value as i64 as u64,
                unsigned: false,
            }),
            PpKind::Ident => Ok(Value::bool(false)),
            PpKind::Str
            | PpKind::Punct(_)
            | PpKind::Stray
            | PpKind::Placemarker
            | PpKind::EndOfLine => Err("a value is expected in this #if expression".to_owned()),
        };
        self.next += usize::from(value.is_ok());
        value.map_err(|message| self.error(&message))
    }
}
