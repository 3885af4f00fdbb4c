//! Initialisers (C99 6.7.8): of variables, and, as bytes, of what is there before a launch.

use super::{Checked, Sema};
use crate::ast::{self, Designator, InitItem};
use crate::hir::{ArithOp, Expr, ExprKind, GlobalId, Init, Reloc, Var};
use crate::source::Loc;
use crate::types::constant;
use crate::types::{Qual, Scalar, Type};
use touchstone_faults::{Fault, on};

/// The largest initial value of one variable, in bytes.
const INIT_LIMIT: u64 = 1 << 28;

const NOT_CONSTANT: &str = "this is not a constant; an initial value has to be one";

/// A list of initialisers being consumed.
struct Cursor<'i> {
    items: &'i [InitItem],
    next: usize,
    /// The value of the next item, when it had to be looked at.
    ready: Option<Expr>,
}

/// Where parts of an object begin, and what they are.
type Parts = Vec<(u64, Expr)>;

impl Sema<'_> {
    /// Checks an initialiser; gives the type its length if it has none.
    pub(super) fn initializer(
        &mut self,
        qual: Qual,
        init: &ast::Init,
        at: Loc,
    ) -> Checked<(Qual, Init)> {
        match init {
            ast::Init::Expr(expr) => {
                if let (Type::Array(element, len), ast::ExprKind::Str(bytes)) =
                    (self.types.of(qual), &expr.kind)
                {
                    let mut parts = Vec::new();
                    let n = self.string_parts(element, len, bytes, 0, &mut parts, expr.loc)?;
                    return Ok((self.with_length(qual, n), Init::Parts(parts)));
                }
                let value = self.expr(expr)?;
                if let Type::Array(..) = self.types.of(qual) {
                    return self.error(at, "an array's initialiser stands in braces");
                }
                let value = self.initial(value, qual)?;
                Ok((qual, Init::Value(Box::new(value))))
            }
            ast::Init::List(items, loc) => {
                let mut parts = Vec::new();
                let len = self.braced(qual, items, 0, &mut parts, *loc)?;
                Ok((self.with_length(qual, len), Init::Parts(parts)))
            }
        }
    }

    /// The initial value of an object; of an atomic one, a value of its plain type
    /// (`atomic_int x = ATOMIC_VAR_INIT(1)`).
    fn initial(&mut self, value: Expr, qual: Qual) -> Checked<Expr> {
        let plain = match self.types.of(qual) {
            Type::Atomic(scalar) => self.types.scalar(scalar),
            Type::AtomicFlag => self.types.scalar(Scalar::Int),
            _ => qual.value(),
        };
        self.implicit(value, plain, "the initialiser")
    }

    fn with_length(&mut self, qual: Qual, n: u64) -> Qual {
        match self.types.of(qual) {
            Type::Array(element, None) => {
                let id = self.types.id(Type::Array(element, Some(n.max(1))));
                Qual { ty: id, ..qual }
            }
            _ => qual,
        }
    }

    /// An object from its own braces; the number of elements an array needs.
    fn braced(
        &mut self,
        qual: Qual,
        items: &[InitItem],
        offset: u64,
        parts: &mut Parts,
        at: Loc,
    ) -> Checked<u64> {
        let mut cursor = Cursor {
            items,
            next: 0,
            ready: None,
        };
        let n = match self.types.of(qual) {
            Type::Array(..) | Type::Record(_) => {
                self.aggregate(qual, offset, 0, (&mut cursor, true), parts, at)?
            }
            Type::Vector(scalar, lanes) if items.len() > 1 => {
                let mut values = Vec::new();
                for item in items {
                    let ast::Init::Expr(expr) = &item.value else {
                        return self.error(at, "a vector's elements are scalars");
                    };
                    let value = self.rvalue(expr)?;
                    let element = self.types.scalar(scalar);
                    values.push(self.implicit(value, element, "this element")?);
                }
                if values.len() != lanes.count() as usize {
                    return self.error(at, "a vector's initialiser has as many elements as it");
                }
                cursor.next = items.len();
                let value = self.value(ExprKind::Build(values), qual, at);
                parts.push((offset, value));
                1
            }
            _ => {
                if items.is_empty() {
                    return self.error(at, "an initialiser of a scalar is not empty");
                }
                self.element(qual, offset, &mut cursor, parts, at)?;
                1
            }
        };
        if cursor.next < items.len() {
            return self.error(at, "this has more initialisers than elements");
        }
        Ok(n)
    }

    /// Elements of an array or fields of a struct from a list, in braces of its own or not, from one on and up to the end of
    /// the list or the object.
    fn aggregate(
        &mut self,
        qual: Qual,
        offset: u64,
        from: u64,
        (cursor, braced): (&mut Cursor<'_>, bool),
        parts: &mut Parts,
        at: Loc,
    ) -> Checked<u64> {
        let mut index = from;
        let mut most = from;
        while let Some(item) = cursor.items.get(cursor.next) {
            let mut path: &[Designator] = &[];
            let before = index;
            if let Some((first, rest)) = item.designators.split_first() {
                if !braced {
                    break;
                }
                index = self.designated(qual, first)?;
                path = rest;
            }
            // An element of a union is the only one, but for those with a name.
            let full = match self.types.of(qual) {
                Type::Record(id) => self.types.record(id).union && most > 0,
                _ => false,
            };
            if full && item.designators.is_empty() {
                break;
            }
            let Some((element, here)) = self.part(qual, index, offset, at)? else {
                break;
            };
            self.along(element, here, path, cursor, parts, at)?;
            if !item.designators.is_empty() && on(Fault::DesignatorKeepsPlace) {
                index = before;
            }
            index += 1;
            most = most.max(index);
        }
        Ok(most)
    }

    /// An element of an array or a field of a struct, by its number, and where it begins in an
    /// object that begins at `offset`; None if there is none.
    fn part(
        &mut self,
        qual: Qual,
        index: u64,
        offset: u64,
        at: Loc,
    ) -> Checked<Option<(Qual, u64)>> {
        Ok(match self.types.of(qual) {
            Type::Array(_, Some(len)) if index >= len => None,
            Type::Array(element, _) => {
                let size = self.complete(element, at, "an element")?;
                let here = size.checked_mul(index).and_then(|n| n.checked_add(offset));
                here.map(|here| (element, here))
            }
            Type::Record(id) => {
                let fields = &self.types.record(id).fields;
                let field = usize::try_from(index).ok().and_then(|i| fields.get(i));
                field.map(|f| (f.qual, offset + f.offset))
            }
            _ => None,
        })
    }

    /// The index of an element or a field that a designator names.
    fn designated(&mut self, qual: Qual, designator: &Designator) -> Checked<u64> {
        match (designator, self.types.of(qual)) {
            (Designator::Index(expr), Type::Array(_, len)) => {
                let value = self.rvalue(expr)?;
                match self.int_constant(&value) {
                    Some((bits, scalar))
                        if (constant::extend(bits, scalar) as i64) >= 0
                            && len.is_none_or(|len| bits < len) =>
                    {
                        Ok(bits)
                    }
                    Some(_) => self.error(expr.loc, "this index is outside the array"),
                    None => self.error(expr.loc, "a designator's index is an integer constant"),
                }
            }
            (Designator::Field(name), Type::Record(id)) => {
                let mut fields = self.types.record(id).fields.iter();
                match fields.position(|f| f.name == Some(name.symbol)) {
                    Some(i) => Ok(i as u64),
                    None => {
                        let message = format!("there is no field `{}`", self.name(name.symbol));
                        self.error(name.loc, message)
                    }
                }
            }
            (Designator::Index(expr), _) => {
                self.error(expr.loc, "an index designates an element of an array")
            }
            (Designator::Field(name), _) => {
                self.error(name.loc, "a name designates a field of a struct")
            }
        }
    }

    /// The part of an object that designators name, and those behind it: "Initialization then continues forward in order,
    /// beginning with the next subobject after that described by the designator" (C99 6.7.8).
    fn along(
        &mut self,
        qual: Qual,
        offset: u64,
        path: &[Designator],
        cursor: &mut Cursor<'_>,
        parts: &mut Parts,
        at: Loc,
    ) -> Checked<()> {
        let Some((first, rest)) = path.split_first() else {
            return self.element(qual, offset, cursor, parts, at);
        };
        let index = self.designated(qual, first)?;
        let Some((element, here)) = self.part(qual, index, offset, at)? else {
            return self.error(at, "this designator names nothing");
        };
        self.along(element, here, rest, cursor, parts, at)?;
        self.aggregate(qual, offset, index + 1, (cursor, false), parts, at)?;
        Ok(())
    }

    /// One element from the next item.
    fn element(
        &mut self,
        qual: Qual,
        offset: u64,
        cursor: &mut Cursor<'_>,
        parts: &mut Parts,
        at: Loc,
    ) -> Checked<()> {
        let Some(item) = cursor.items.get(cursor.next) else {
            return Ok(());
        };
        let expr = match &item.value {
            ast::Init::List(items, loc) => {
                cursor.next += 1;
                self.braced(qual, items, offset, parts, *loc)?;
                return Ok(());
            }
            ast::Init::Expr(expr) => expr,
        };
        if let (Type::Array(element, len), ast::ExprKind::Str(bytes)) =
            (self.types.of(qual), &expr.kind)
            && self.types.as_scalar(element).is_some_and(|s| s.size() == 1)
        {
            cursor.next += 1;
            self.string_parts(element, len, bytes, offset, parts, expr.loc)?;
            return Ok(());
        }
        let value = match cursor.ready.take() {
            Some(value) => value,
            None => self.expr(expr)?,
        };
        if matches!(self.types.of(qual), Type::Array(..) | Type::Record(_))
            && value.qual.ty != qual.ty
        {
            // Without braces of its own the object takes what it needs.
            cursor.ready = Some(value);
            let before = cursor.next;
            self.aggregate(qual, offset, 0, (cursor, false), parts, at)?;
            if cursor.next == before {
                return self.error(expr.loc, "this does not initialise anything");
            }
            return Ok(());
        }
        cursor.next += 1;
        let value = self.initial(value, qual)?;
        parts.push((offset, value));
        Ok(())
    }

    /// The characters of a string in an array of them.
    fn string_parts(
        &mut self,
        element: Qual,
        len: Option<u64>,
        bytes: &[u8],
        offset: u64,
        parts: &mut Parts,
        at: Loc,
    ) -> Checked<u64> {
        let Some(scalar) = self.types.as_scalar(element).filter(|s| s.size() == 1) else {
            return self.error(at, "a string initialises an array of characters");
        };
        if len.is_some_and(|len| bytes.len() as u64 > len) {
            return self.error(at, "this string is longer than the array");
        }
        for (i, &byte) in bytes.iter().enumerate() {
            let value = self.number(u64::from(byte), scalar, at);
            parts.push((offset + i as u64, value));
        }
        Ok(bytes.len() as u64 + 1)
    }

    /// `(T){…}`: an object with the life of the block it stands in.
    pub(super) fn compound_literal(
        &mut self,
        ty: &ast::TypeName,
        items: &[InitItem],
        at: Loc,
    ) -> Checked<Expr> {
        let qual = self.type_name(ty)?;
        let list = ast::Init::List(items.to_vec(), at);
        let (qual, init) = self.initializer(qual, &list, at)?;
        self.complete(qual, at, "a literal")?;
        let align = self.types.align(qual);
        let var = Var {
            name: String::new(),
            qual,
            in_memory: true,
            align,
        };
        let id = self.new_var(var, at)?;
        Ok(Expr {
            kind: ExprKind::Compound(id, Box::new(init)),
            qual,
            lvalue: true,
            loc: at,
        })
    }

    /// The bytes of a variable that is there before a launch.
    pub(super) fn static_value(
        &mut self,
        qual: Qual,
        init: &Init,
        at: Loc,
    ) -> Checked<(Vec<u8>, Vec<Reloc>)> {
        let (mut bytes, mut relocs) = (Vec::new(), Vec::new());
        match init {
            Init::None => {}
            Init::Value(value) => self.static_part(value, 0, &mut bytes, &mut relocs)?,
            Init::Parts(parts) => {
                for (offset, value) in parts {
                    self.static_part(value, *offset, &mut bytes, &mut relocs)?;
                }
            }
        }
        let size = self.complete(qual, at, "a variable")?;
        bytes.truncate(usize::try_from(size).unwrap_or(usize::MAX));
        Ok((bytes, relocs))
    }

    fn static_part(
        &mut self,
        value: &Expr,
        offset: u64,
        bytes: &mut Vec<u8>,
        relocs: &mut Vec<Reloc>,
    ) -> Checked<()> {
        let at = value.loc;
        if let Type::Pointer(_) = self.types.of(value.qual) {
            match self.static_address(value) {
                Some((Some(target), addend)) => relocs.push(Reloc {
                    offset,
                    target,
                    addend,
                }),
                Some((None, address)) => put(bytes, offset, address as u64, 8),
                None => return self.error(at, NOT_CONSTANT),
            }
            return Ok(());
        }
        if let (Type::Sampler, ExprKind::Const(bits)) = (self.types.of(value.qual), &value.kind) {
            put(bytes, offset, *bits, 4);
            return Ok(());
        }
        let scalar = self.types.arithmetic(value.qual).map(|(scalar, _)| scalar);
        let (Some(elements), Some(scalar)) = (self.static_elements(value), scalar) else {
            return self.error(at, NOT_CONSTANT);
        };
        if offset + scalar.size() * elements.len() as u64 > INIT_LIMIT {
            let limit = INIT_LIMIT >> 20;
            let message = format!("initial values end at {limit} MiB, Touchstone's limit");
            return self.error(at, message);
        }
        for (i, bits) in (0..).zip(elements) {
            put(bytes, offset + i * scalar.size(), bits, scalar.size());
        }
        Ok(())
    }

    /// The elements of a constant scalar or vector.
    fn static_elements(&self, value: &Expr) -> Option<Vec<u64>> {
        let (scalar, lanes) = self.types.arithmetic(value.qual)?;
        let each = |inner: &Expr, f: &dyn Fn(u64) -> Option<u64>| {
            self.static_elements(inner)?.into_iter().map(f).collect()
        };
        match &value.kind {
            ExprKind::Const(bits) => Some(vec![*bits]),
            ExprKind::Splat(inner) => {
                let n = lanes.map_or(1, |l| l.count() as usize);
                let bits = *self.static_elements(inner)?.first()?;
                Some(vec![bits; n])
            }
            ExprKind::Build(parts) => {
                let mut out = Vec::new();
                for part in parts {
                    out.extend(self.static_elements(part)?);
                }
                Some(out)
            }
            ExprKind::Convert(inner) => {
                let (from, _) = self.types.arithmetic(inner.qual)?;
                each(inner, &|bits| constant::convert(bits, from, scalar))
            }
            ExprKind::Neg(inner) if scalar.is_float() => {
                let sign = 1 << (scalar.ir().bits() - 1);
                each(inner, &|bits| Some(bits ^ sign))
            }
            ExprKind::Neg(inner) => each(inner, &|bits| {
                constant::arith(ArithOp::Sub, scalar, 0, bits)
            }),
            ExprKind::Arith(op, a, b) => {
                let pairs = self
                    .static_elements(a)?
                    .into_iter()
                    .zip(self.static_elements(b)?);
                pairs
                    .map(|(a, b)| constant::arith(*op, scalar, a, b))
                    .collect()
            }
            ExprKind::PtrConvert(inner) => match self.static_address(inner)? {
                (None, address) => Some(vec![address as u64]),
                (Some(_), _) => None,
            },
            _ => None,
        }
    }

    /// A constant address: a variable (or none) and bytes from it.
    fn static_address(&self, value: &Expr) -> Option<(Option<GlobalId>, i64)> {
        match &value.kind {
            ExprKind::Null => Some((None, 0)),
            ExprKind::PtrConvert(inner) => match self.types.of(inner.qual) {
                Type::Pointer(_) => self.static_address(inner),
                _ => match inner.kind {
                    ExprKind::Const(bits) => Some((None, bits as i64)),
                    _ => None,
                },
            },
            ExprKind::AddressOf(object) => self.static_object(object),
            ExprKind::PtrAdd {
                ptr,
                index,
                size,
                minus,
            } => {
                let (target, base) = self.static_address(ptr)?;
                let ExprKind::Const(bits) = index.kind else {
                    return None;
                };
                let step = (bits as i64).checked_mul(i64::try_from(*size).ok()?)?;
                let step = if *minus { step.checked_neg()? } else { step };
                Some((target, base.checked_add(step)?))
            }
            _ => None,
        }
    }

    fn static_object(&self, object: &Expr) -> Option<(Option<GlobalId>, i64)> {
        match &object.kind {
            ExprKind::Global(id) => Some((Some(*id), 0)),
            ExprKind::Field(base, offset, _) => {
                let (target, addend) = self.static_object(base)?;
                Some((target, addend.checked_add(i64::try_from(*offset).ok()?)?))
            }
            ExprKind::Deref(pointer) => self.static_address(pointer),
            _ => None,
        }
    }
}

/// Writes `size` bytes of `bits` at `offset`.
fn put(bytes: &mut Vec<u8>, offset: u64, bits: u64, size: u64) {
    let (start, size) = (offset as usize, size as usize);
    if bytes.len() < start + size {
        bytes.resize(start + size, 0);
    }
    bytes[start..start + size].copy_from_slice(&bits.to_le_bytes()[..size]);
}
