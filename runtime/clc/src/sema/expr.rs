//! Expressions.

use super::missing::{self, What};
use super::scope::Entry;
use super::{Checked, Sema};
use crate::ast::{self, Name, UnaryOp};
use crate::hir::{Expr, ExprKind, Global, GlobalId};
use crate::intern::{Symbol, add};
use crate::source::Loc;
use crate::token::{FloatSuffix, Literal};
use crate::types::{Lanes, Qual, Scalar, Space, Type};
use touchstone_faults::{Fault, on};
use touchstone_ir::nearest_half;

impl Sema<'_> {
    /// Checks an expression and takes its value.
    pub(super) fn rvalue(&mut self, expr: &ast::Expr) -> Checked<Expr> {
        let checked = self.expr(expr)?;
        self.load(checked)
    }

    /// Checks an expression, which may be an lvalue.
    pub(super) fn expr(&mut self, expr: &ast::Expr) -> Checked<Expr> {
        let at = expr.loc;
        match &expr.kind {
            ast::ExprKind::Ident(symbol) => self.identifier(*symbol, at),
            ast::ExprKind::Number(literal) => self.literal(*literal, at),
            ast::ExprKind::Char(value) => Ok(self.number(*value as u32 as u64, Scalar::Int, at)),
            ast::ExprKind::Str(bytes) => Ok(self.string(bytes, at)),
            ast::ExprKind::Unary(UnaryOp::Deref, operand) => {
                let operand = self.rvalue(operand)?;
                self.deref(operand, at)
            }
            ast::ExprKind::Unary(UnaryOp::AddressOf, operand) => {
                let operand = self.expr(operand)?;
                self.address_of(operand, at)
            }
            ast::ExprKind::Unary(op, operand) => {
                let operand = self.expr(operand)?;
                self.unary(*op, operand, at)
            }
            ast::ExprKind::Binary(op, a, b) => {
                let (a, b) = (self.expr(a), self.expr(b));
                self.binary(*op, a?, b?, at)
            }
            ast::ExprKind::Assign(op, target, value) => {
                let (target, value) = (self.expr(target), self.expr(value));
                match op {
                    None => self.assign(target?, value?, at),
                    Some(op) => self.assign_op(*op, target?, value?, false, at),
                }
            }
            ast::ExprKind::Step { op, prefix, target } => {
                let target = self.expr(target)?;
                let one = self.number(1, Scalar::Int, at);
                self.assign_op(*op, target, one, !prefix, at)
            }
            ast::ExprKind::Ternary(cond, yes, no) => {
                let (cond, yes, no) = (self.expr(cond), self.expr(yes), self.expr(no));
                self.ternary(cond?, yes?, no?, at)
            }
            ast::ExprKind::Comma(a, b) => {
                let (a, b) = (self.discarded(a), self.rvalue(b));
                let (a, b) = (a?, b?);
                let qual = b.qual;
                Ok(self.value(ExprKind::Comma(Box::new(a), Box::new(b)), qual, at))
            }
            ast::ExprKind::Cast(ty, operand) => {
                let (ty, operand) = (self.type_name(ty), self.expr(operand));
                self.cast(operand?, ty?, at)
            }
            ast::ExprKind::VectorLiteral(ty, items) => self.vector_literal(ty, items, at),
            ast::ExprKind::Compound(ty, items) => self.compound_literal(ty, items, at),
            ast::ExprKind::Measure(measure, of) => {
                let qual = match of {
                    ast::Measured::Type(ty) => self.type_name(ty)?,
                    ast::Measured::Expr(operand) => self.expr(operand)?.qual,
                };
                self.measure(*measure, qual, at)
            }
            ast::ExprKind::Call(function, args) => self.call(function, args, at),
            ast::ExprKind::Block(literal) => self.block_literal(literal, at),
            ast::ExprKind::Index(base, index) => {
                let (base, index) = (self.expr(base), self.expr(index));
                self.subscript(base?, index?, at)
            }
            ast::ExprKind::Member { base, arrow, name } => {
                let mut base = self.expr(base)?;
                if *arrow {
                    base = self.load(base)?;
                    base = self.deref(base, at)?;
                }
                self.member(base, *name)
            }
        }
    }

    /// An expression whose value is not wanted.
    pub(super) fn discarded(&mut self, expr: &ast::Expr) -> Checked<Expr> {
        let checked = self.expr(expr)?;
        // A struct that nobody wants is not read, and an atomic object is not accessed.
        match self.types.of(checked.qual) {
            Type::Record(_) | Type::Array(..) | Type::Atomic(_) | Type::AtomicFlag
                if checked.lvalue =>
            {
                self.mark_in_memory(&checked);
                let qual = self.types.pointer(checked.qual);
                let at = checked.loc;
                Ok(self.value(ExprKind::AddressOf(Box::new(checked)), qual, at))
            }
            _ => self.load(checked),
        }
    }

    fn identifier(&mut self, symbol: Symbol, at: Loc) -> Checked<Expr> {
        match self.resolve(symbol, at)? {
            Some(Entry::Block(block)) => Ok(self.named_block(block, at)),
            Some(Entry::Through(id)) => {
                let qual = self.current(at)?.vars[id.0 as usize].qual;
                let pointer = lvalue(ExprKind::Var(id), qual, at);
                let pointer = self.value(ExprKind::Load(Box::new(pointer)), qual, at);
                self.deref(pointer, at)
            }
            Some(Entry::Var(id)) => {
                let qual = self.current(at)?.vars[id.0 as usize].qual;
                Ok(lvalue(ExprKind::Var(id), qual, at))
            }
            Some(Entry::Global(id)) => {
                let qual = self.globals[id.0 as usize].qual;
                Ok(lvalue(ExprKind::Global(id), qual, at))
            }
            Some(Entry::Local(id)) => {
                let qual = self.locals[id.0 as usize].qual;
                Ok(lvalue(ExprKind::Local(id), qual, at))
            }
            Some(Entry::Enumerator(bits, scalar)) => Ok(self.number(bits, scalar, at)),
            Some(Entry::Typedef(_)) => {
                let name = self.name(symbol);
                self.error(at, format!("`{name}` is a type"))
            }
            found @ (Some(Entry::Function(_)) | None) => {
                let name = self.name(symbol);
                // "The predefined identifier __func__ is available": of a block, the function around it.
                if let Some(around) = self.enclosing.first().or(self.current.as_ref())
                    && found.is_none()
                    && name == "__func__"
                {
                    let own = self.functions[around.id.0 as usize].name.clone();
                    return Ok(self.string(own.as_bytes(), at));
                }
                let missing = missing::feature(What::Function, &name).is_some();
                if found.is_some() || missing || self.is_builtin(&name) {
                    let message = format!("`{name}` is a function; it can only be called");
                    return self.error(at, message);
                }
                self.error(at, format!("`{name}` is not declared"))
            }
        }
    }

    fn literal(&mut self, literal: Literal, at: Loc) -> Checked<Expr> {
        Ok(match literal {
            Literal::Int {
                value,
                unsigned,
                long,
                decimal,
            } => {
                let int = i32::try_from(value).is_ok();
                let uint = u32::try_from(value).is_ok();
                let signed_long = i64::try_from(value).is_ok();
                // The first type of the list of C99 6.4.4.1p5 that holds the value.
                let scalar = if !unsigned && !long && int {
                    Scalar::Int
                } else if !long && uint && (unsigned || !decimal) {
                    Scalar::UInt
                } else if !unsigned && signed_long {
                    Scalar::Long
                } else {
                    if !unsigned && decimal {
                        let message = "this number is too large for long; it is taken as ulong";
                        self.diags.warning(at, message);
                    }
                    Scalar::ULong
                };
                self.number(value, scalar, at)
            }
            Literal::Float {
                value,
                single,
                suffix,
            } => {
                let doubles = self.language.fp64 && !self.language.single_precision_constants;
                match suffix {
                    FloatSuffix::Half => {
                        self.check_half(Scalar::Half, at)?;
                        self.number(nearest_half(value).into(), Scalar::Half, at)
                    }
                    FloatSuffix::None if doubles => {
                        self.number(value.to_bits(), Scalar::Double, at)
                    }
                    FloatSuffix::None | FloatSuffix::Single => {
                        self.number(single.to_bits().into(), Scalar::Float, at)
                    }
                }
            }
        })
    }

    /// A string is an array in constant memory.
    fn string(&mut self, bytes: &[u8], at: Loc) -> Expr {
        let mut init = bytes.to_vec();
        init.push(0);
        let mut element = self.types.scalar(Scalar::Char);
        element.constant = true;
        let len = init.len() as u64;
        let mut qual = self.types.plain(Type::Array(element, Some(len)));
        qual.space = Space::Constant;
        qual.constant = true;
        let global = Global {
            name: String::new(),
            qual,
            align: 1,
            external: false,
            declared_only: false,
            init,
            relocs: Vec::new(),
        };
        let id = GlobalId(add(&mut self.globals, global));
        lvalue(ExprKind::Global(id), qual, at)
    }

    pub(super) fn deref(&mut self, pointer: Expr, at: Loc) -> Checked<Expr> {
        let Some(to) = self.types.pointee(pointer.qual) else {
            let message = format!("`{}` is not a pointer", self.show(pointer.qual));
            return self.error(at, message);
        };
        Ok(lvalue(ExprKind::Deref(Box::new(pointer)), to, at))
    }

    fn address_of(&mut self, operand: Expr, at: Loc) -> Checked<Expr> {
        if !operand.lvalue {
            return self.error(at, "this has no address");
        }
        if matches!(operand.kind, ExprKind::Swizzle(..)) {
            return self.error(at, "an element of a vector has no address");
        }
        let qual = self.types.pointer(operand.qual);
        if let ExprKind::Deref(pointer) = operand.kind {
            return Ok(*pointer);
        }
        self.mark_in_memory(&operand);
        Ok(self.value(ExprKind::AddressOf(Box::new(operand)), qual, at))
    }

    fn subscript(&mut self, base: Expr, index: Expr, at: Loc) -> Checked<Expr> {
        let (base, index) = (self.load(base)?, self.load(index)?);
        if let Type::Vector(..) = self.types.of(base.qual) {
            return self.error(at, "a vector is indexed by .s0, .x, …, not by []");
        }
        // a[i] is i[a].
        let (base, index) = match self.types.pointee(base.qual) {
            Some(_) => (base, index),
            None => (index, base),
        };
        if self.types.pointee(base.qual).is_none() {
            let message = format!("`{}` cannot be indexed", self.show(index.qual));
            return self.error(at, message);
        }
        let sum = self.pointer_plus(base, index, false, at)?;
        self.deref(sum, at)
    }

    fn measure(&mut self, measure: ast::Measure, qual: Qual, at: Loc) -> Checked<Expr> {
        let (value, scalar) = match measure {
            ast::Measure::Size => (
                self.complete(qual, at, "an operand of sizeof")?,
                Scalar::SIZE,
            ),
            ast::Measure::Align => {
                self.complete(qual, at, "an operand of alignof")?;
                (self.types.align(qual), Scalar::SIZE)
            }
            ast::Measure::Step => {
                let lanes = self.types.arithmetic(qual).and_then(|(_, lanes)| lanes);
                let step = lanes.map_or(1, |lanes| lanes.count().next_power_of_two());
                (u64::from(step), Scalar::Int)
            }
        };
        Ok(self.number(value, scalar, at))
    }

    fn member(&mut self, base: Expr, name: Name) -> Checked<Expr> {
        match self.types.of(base.qual) {
            Type::Record(id) => {
                if !self.types.record(id).complete {
                    let message = format!("`{}` is not defined", self.show(base.qual));
                    return self.error(name.loc, message);
                }
                let Some(field) = self.types.find_field(id, name.symbol) else {
                    let (ty, field) = (self.show(base.qual.value()), self.name(name.symbol));
                    return self.error(name.loc, format!("`{ty}` has no field `{field}`"));
                };
                let qual = Qual {
                    space: base.qual.space,
                    constant: field.qual.constant || base.qual.constant,
                    volatile: field.qual.volatile || base.qual.volatile,
                    ..field.qual
                };
                // A field of a value (of what a function returned) lies in its temporary.
                let kind = ExprKind::Field(Box::new(base), field.offset, field.align);
                Ok(lvalue(kind, qual, name.loc))
            }
            Type::Vector(scalar, lanes) => {
                let text = self.name(name.symbol);
                let Some(elements) = swizzle(&text, lanes) else {
                    let ty = self.show(base.qual.value());
                    return self.error(name.loc, format!("`{ty}` has no elements `{text}`"));
                };
                let n = elements.len();
                let shape = u32::try_from(n).ok().and_then(Lanes::from_count);
                if n != 1 && shape.is_none() {
                    return self.error(name.loc, format!("there are no vectors of {n} elements"));
                }
                let qual = Qual {
                    ty: self.types.shaped(scalar, shape).ty,
                    restrict: false,
                    ..base.qual
                };
                let lvalue = base.lvalue;
                // An element of elements is an element of the whole.
                let (base, elements) = match base.kind {
                    ExprKind::Swizzle(inner, outer) => {
                        let elements = elements.iter().filter_map(|&e| outer.get(e as usize));
                        (inner, elements.copied().collect())
                    }
                    _ => (Box::new(base), elements),
                };
                Ok(Expr {
                    kind: ExprKind::Swizzle(base, elements),
                    qual,
                    lvalue,
                    loc: name.loc,
                })
            }
            other => {
                let what = match other {
                    Type::Pointer(_) => "is a pointer; use `->`",
                    _ => "has no fields",
                };
                let message = format!("`{}` {what}", self.show(base.qual));
                self.error(name.loc, message)
            }
        }
    }

    /// `(float4)(a, b, …)`
    fn vector_literal(
        &mut self,
        ty: &ast::TypeName,
        items: &[ast::Expr],
        at: Loc,
    ) -> Checked<Expr> {
        let qual = self.type_name(ty)?;
        let Type::Vector(scalar, lanes) = self.types.of(qual) else {
            // For other types it is a cast of a comma expression.
            let Some((last, rest)) = items.split_last() else {
                return self.error(at, "a value is expected here");
            };
            let last = self.expr(last)?;
            let mut out = self.cast(last, qual, at)?;
            for item in rest.iter().rev() {
                let item = self.discarded(item)?;
                let qual = out.qual;
                out = self.value(ExprKind::Comma(Box::new(item), Box::new(out)), qual, at);
            }
            return Ok(out);
        };
        let mut parts = Vec::new();
        let mut count = 0;
        for item in items {
            let value = self.rvalue(item)?;
            match self.types.of(value.qual) {
                Type::Scalar(_) => {
                    count += 1;
                    parts.push(self.numeric(value, scalar));
                }
                Type::Vector(element, n) if element == scalar => {
                    count += n.count();
                    parts.push(value);
                }
                _ => {
                    let (part, whole) = (self.show(value.qual), self.show(qual.value()));
                    let message = format!("`{part}` cannot be part of a `{whole}`");
                    return self.error(value.loc, message);
                }
            }
        }
        if count != lanes.count() {
            let (ty, n) = (self.show(qual.value()), lanes.count());
            return self.error(at, format!("a `{ty}` has {n} elements; these are {count}"));
        }
        Ok(self.value(ExprKind::Build(parts), qual, at))
    }
}

fn lvalue(kind: ExprKind, qual: Qual, loc: Loc) -> Expr {
    Expr {
        kind,
        qual,
        lvalue: true,
        loc,
    }
}

/// The elements that `.xyzw`, `.s0…`, `.lo`, `.hi`, `.even` or `.odd` name (OpenCL C 6.3.7).
fn swizzle(text: &str, lanes: Lanes) -> Option<Vec<u8>> {
    let n = lanes.count() as u8;
    // A vector of three counts as four here; its last element is undefined.
    let even = if n == 3 { 4 } else { n };
    let pick = |i: u8| if i < n { i } else { n - 1 };
    match text {
        "lo" => return Some((0..even / 2).collect()),
        "hi" if n == 3 && on(Fault::HighHalfOfThree) => return Some(vec![1, 2]),
        "hi" => return Some((even / 2..even).map(pick).collect()),
        "even" => return Some((0..even / 2).map(|i| i * 2).collect()),
        "odd" => return Some((0..even / 2).map(|i| pick(i * 2 + 1)).collect()),
        _ => {}
    }
    let elements: Option<Vec<u8>> = match text.strip_prefix(['s', 'S']) {
        Some(digits) if !digits.is_empty() => digits
            .chars()
            .map(|c| c.to_digit(16).map(|d| d as u8))
            .collect(),
        Some(_) | None => text
            .chars()
            .map(|c| match c {
                'x' | 'r' => Some(0),
                'y' | 'g' => Some(1),
                'z' | 'b' => Some(2),
                'w' | 'a' => Some(3),
                _ => None,
            })
            .collect(),
    };
    elements.filter(|e| e.iter().all(|&i| i < n))
}
