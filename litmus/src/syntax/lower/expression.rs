//! Expressions and addresses.

use super::thread::{ParamUse, ThreadLowering};
use crate::program::{Access, Address, Atomicity, BinOp, Expr, Instr, ScalarType, UnOp};
use crate::syntax::error::{Outcome, Span};
use crate::syntax::tree::{BaseType, Name, Node, NodeKind, Type};

/// An element of a location, and whether the way to it is volatile.
pub(super) struct Place {
    pub address: Address,
    pub volatile: bool,
}

impl From<ParamUse> for Place {
    fn from(usage: ParamUse) -> Place {
        Place {
            address: Address {
                location: usage.location,
                index: None,
            },
            volatile: usage.volatile,
        }
    }
}

/// What a call became.
pub(super) enum Called {
    /// Something with a value.
    Value(Expr),
    /// Something without.
    Instr(Instr),
}

impl ThreadLowering<'_> {
    /// The value of an expression.
    pub fn value(&mut self, node: &Node) -> Outcome<Expr> {
        match &node.kind {
            NodeKind::Int(value) => Ok(Expr::Const(*value)),
            NodeKind::Name(text) => self.named_value(text, node.span),
            NodeKind::Unary(op, operand) => Ok(Expr::Unary(*op, Box::new(self.value(operand)?))),
            NodeKind::Deref(pointer) => {
                let place = self.address(pointer)?;
                self.plain_load(place, node.span)
            }
            NodeKind::Index(..) => {
                let place = self.lvalue(node)?;
                self.plain_load(place, node.span)
            }
            NodeKind::AddressOf(_) => Err(node
                .problem("an address cannot be used as a value", "expected a value")
                .help(
                    "locations and registers hold integers; pointers as values are not supported",
                )),
            NodeKind::Binary(op, left, right) => {
                let left = self.value(left)?;
                let lazy = matches!(op, BinOp::LogicalAnd | BinOp::LogicalOr);
                self.conditional += u32::from(lazy);
                let right = self.value(right);
                self.conditional -= u32::from(lazy);
                Ok(Expr::binary(*op, left, right?))
            }
            NodeKind::Select(condition, yes, no) => {
                let condition = self.value(condition)?;
                self.conditional += 1;
                let both = self.value(yes).and_then(|yes| Ok((yes, self.value(no)?)));
                self.conditional -= 1;
                let (yes, no) = both?;
                Ok(Expr::Select(
                    Box::new(condition),
                    Box::new(yes),
                    Box::new(no),
                ))
            }
            NodeKind::Call(name, arguments) => {
                match self.call(name, arguments, node.span, None)? {
                    Called::Value(value) => Ok(value),
                    Called::Instr(_) => Err(node
                        .problem(
                            format!("{} returns nothing", name.text),
                            "used as a value here",
                        )
                        .help("write it as a statement of its own")),
                }
            }
            NodeKind::Cast(ty, operand) => {
                let value = self.value(operand)?;
                convert(ty, value)
            }
        }
    }

    fn named_value(&mut self, text: &str, span: Span) -> Outcome<Expr> {
        let name = Name {
            text: text.to_string(),
            span,
        };
        if let Some(register) = self.register(&name)? {
            return Ok(Expr::Reg(register));
        }
        if let Some(usage) = self.location(text) {
            if usage.pointer {
                return Err(span
                    .problem(
                        format!("{text} is a location; its address cannot be used as a value"),
                        "an address",
                    )
                    .help(format!(
                        "write *{text} to read it, or use an atomic function"
                    )));
            }
            return self.plain_load(Place::from(usage), span);
        }
        match text {
            "true" => Ok(Expr::Const(1)),
            "false" => Ok(Expr::Const(0)),
            _ => Err(self.unknown(text, span)),
        }
    }

    fn plain_load(&mut self, place: Place, span: Span) -> Outcome<Expr> {
        Ok(Expr::Load(self.plain_access(place, span)?))
    }

    /// An ordinary access.
    pub(super) fn plain_access(&self, place: Place, span: Span) -> Outcome<Access> {
        let Place { address, volatile } = place;
        let location = self.locations.get(address.location);
        if location.ty == ScalarType::Flag {
            return Err(span
                .problem(
                    format!("{} is an atomic_flag", location.name),
                    "an ordinary access",
                )
                .help("use atomic_flag_test_and_set and atomic_flag_clear"));
        }
        let atomicity = match volatile {
            true => Atomicity::Volatile,
            false => Atomicity::Plain,
        };
        Ok(Access { address, atomicity })
    }

    /// What a pointer expression points to.
    pub(super) fn address(&mut self, node: &Node) -> Outcome<Place> {
        let place = match &node.kind {
            NodeKind::Name(text) => return self.named_place(text, node.span),
            NodeKind::AddressOf(inner) => return self.lvalue(inner),
            NodeKind::Cast(ty, inner) if ty.pointer => {
                let mut place = self.address(inner)?;
                place.volatile |= ty.volatile;
                return Ok(place);
            }
            NodeKind::Binary(op @ (BinOp::Add | BinOp::Sub), left, right) => {
                let swapped = *op == BinOp::Add && !self.points(left) && self.points(right);
                let (pointer, offset) = match swapped {
                    true => (right, left),
                    false => (left, right),
                };
                let mut place = self.address(pointer)?;
                let offset = self.value(offset)?;
                place.address.index = Some(Box::new(match (place.address.index, op) {
                    (None, BinOp::Add) => offset,
                    (None, _) => Expr::Unary(UnOp::Neg, Box::new(offset)),
                    (Some(index), op) => Expr::Binary(*op, index, Box::new(offset)),
                }));
                place
            }
            NodeKind::Int(_)
            | NodeKind::Unary(..)
            | NodeKind::Deref(_)
            | NodeKind::Binary(..)
            | NodeKind::Select(..)
            | NodeKind::Index(..)
            | NodeKind::Call(..)
            | NodeKind::Cast(..) => {
                return Err(node
                    .problem(
                        "this is not the address of a location",
                        "expected a location",
                    )
                    .help("name a location, x, or an element of one, &y[1] or y + 1"));
            }
        };
        self.check_bounds(&place.address, node.span)?;
        Ok(place)
    }

    /// Whether an expression is a pointer, by its form.
    fn points(&self, node: &Node) -> bool {
        match &node.kind {
            NodeKind::Name(text) => self.location(text).is_some(),
            NodeKind::AddressOf(_) => true,
            NodeKind::Cast(ty, _) => ty.pointer,
            NodeKind::Binary(BinOp::Add, left, right) => self.points(left) || self.points(right),
            NodeKind::Binary(BinOp::Sub, left, _) => self.points(left),
            NodeKind::Int(_)
            | NodeKind::Unary(..)
            | NodeKind::Deref(_)
            | NodeKind::Binary(..)
            | NodeKind::Select(..)
            | NodeKind::Index(..)
            | NodeKind::Call(..) => false,
        }
    }

    fn named_place(&mut self, text: &str, span: Span) -> Outcome<Place> {
        if let Some(usage) = self.location(text) {
            return Ok(Place::from(usage));
        }
        let name = Name {
            text: text.to_string(),
            span,
        };
        if self.register(&name)?.is_some() {
            return Err(span.problem(
                format!("{text} is a register, not a location"),
                "expected a location",
            ));
        }
        Err(self.unknown(text, span))
    }

    /// What an expression before `=`, or after `&`, names.
    pub(super) fn lvalue(&mut self, node: &Node) -> Outcome<Place> {
        match &node.kind {
            NodeKind::Name(text) => self.named_place(text, node.span),
            NodeKind::Deref(pointer) => self.address(pointer),
            NodeKind::Index(pointer, offset) => {
                let mut place = self.address(pointer)?;
                let offset = self.value(offset)?;
                place.address.index = Some(Box::new(match place.address.index {
                    None => offset,
                    Some(index) => Expr::Binary(BinOp::Add, index, Box::new(offset)),
                }));
                self.check_bounds(&place.address, node.span)?;
                Ok(place)
            }
            NodeKind::Int(_)
            | NodeKind::Unary(..)
            | NodeKind::AddressOf(_)
            | NodeKind::Binary(..)
            | NodeKind::Select(..)
            | NodeKind::Call(..)
            | NodeKind::Cast(..) => Err(node.problem(
                "this cannot be written to",
                "expected a register or a location",
            )),
        }
    }

    fn check_bounds(&self, address: &Address, span: Span) -> Outcome<()> {
        let location = self.locations.get(address.location);
        if let Some(Expr::Const(index)) = address.index.as_deref()
            && !(0..i64::from(location.len())).contains(index)
        {
            return Err(span
                .problem(
                    format!(
                        "element {index} is outside {}, which has {}",
                        location.name,
                        location.len()
                    ),
                    "out of bounds",
                )
                .help(format!(
                    "declare a longer array in the init list, as in int {}[2] = {{0, 0}};",
                    location.name
                )));
        }
        Ok(())
    }
}

/// A cast. Values are as wide as C's arithmetic, so only casts to narrower or unsigned types do
/// anything.
fn convert(ty: &Type, value: Expr) -> Outcome<Expr> {
    let wrong = |what: &str| {
        Err(ty.problem(
            format!("a value cannot be cast to {what}"),
            "not an integer type",
        ))
    };
    if ty.pointer {
        return wrong("a pointer");
    }
    let binary = |op, left, right| Expr::binary(op, left, Expr::Const(right));
    let sign_extend = |value, mask: i64| {
        let sign = (mask + 1) / 2;
        let flipped = binary(BinOp::Xor, binary(BinOp::And, value, mask), sign);
        binary(BinOp::Sub, flipped, sign)
    };
    match ty.base {
        BaseType::Void => wrong("void"),
        BaseType::Bool => Ok(binary(BinOp::Ne, value, 0)),
        BaseType::Scalar(scalar) => {
            if let Expr::Const(value) = value {
                return Ok(Expr::Const(scalar.wrap(value)));
            }
            Ok(match scalar {
                ScalarType::Char => sign_extend(value, 0xff),
                ScalarType::Short => sign_extend(value, 0xffff),
                ScalarType::UChar => binary(BinOp::And, value, 0xff),
                ScalarType::UShort => binary(BinOp::And, value, 0xffff),
                ScalarType::UInt => binary(BinOp::And, value, 0xffff_ffff),
                ScalarType::Int | ScalarType::Long | ScalarType::ULong => value,
                ScalarType::Flag => return wrong("atomic_flag"),
            })
        }
    }
}
