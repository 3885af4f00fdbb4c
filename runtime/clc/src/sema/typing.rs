//! Specifiers and declarators to types.

use super::scope::{Entry, Tag, TypeEntry};
use super::{Checked, Sema};
use crate::ast::{
    self, DeclPart, Declarator, EnumSpec, Name, Param, RecordSpec, Specs, TypeName, TypeSpec,
};
use crate::intern::Symbol;
use crate::source::Loc;
use crate::types::constant;
use crate::types::{Field, LayoutError, Qual, Record, Scalar, Space, Type};

/// What a declaration's specifiers, or a whole declarator, come to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Declared<'t> {
    /// For functions, what they return.
    pub(super) qual: Qual,
    /// The address space written for the object itself.
    pub(super) space: Option<Space>,
    pub(super) not_for_kernels: Option<&'static str>,
    pub(super) function: Option<(&'t [Param], bool)>,
}

impl Sema<'_> {
    /// Where `T *p` points when nothing is written (OpenCL C 6.7.1).
    pub(super) fn default_pointee(&self) -> Space {
        if self.language.generic {
            Space::Generic
        } else {
            Space::Private
        }
    }

    /// Checks that the language has an address space that is written.
    fn check_space(&mut self, word: Option<Space>, at: Loc) -> Checked<()> {
        if word == Some(Space::Generic) && !self.language.generic {
            return self.error(
                at,
                "the generic address space needs OpenCL C 2.0, or 3.0 with \
                 __opencl_c_generic_address_space",
            );
        }
        Ok(())
    }

    /// The type that specifiers name.
    pub(super) fn specified<'t>(&mut self, specs: &Specs) -> Checked<Declared<'t>> {
        let at = specs.loc;
        let (mut qual, mut own_space, mut not_for_kernels) = (self.types.void(), None, None);
        match &specs.ty {
            TypeSpec::Void => {}
            &TypeSpec::Scalar(scalar) => {
                self.check_double(scalar, at)?;
                qual = self.types.scalar(scalar);
                let banned =
                    scalar == Scalar::Bool || scalar == Scalar::Half && !self.language.fp16;
                not_for_kernels = banned.then_some(scalar.name());
            }
            TypeSpec::Named(name) => match self.scopes.find(name.symbol) {
                Some(Entry::Typedef(TypeEntry::Known {
                    qual: known,
                    space,
                    not_for_kernels: sized,
                })) => {
                    if let Some((scalar, _)) = self.types.arithmetic(known) {
                        self.check_double(scalar, at)?;
                    }
                    if self.types.of(known) == Type::Atomic(Scalar::Double) {
                        self.check_double(Scalar::Double, at)?;
                    }
                    (qual, own_space, not_for_kernels) = (known, space, sized);
                }
                Some(Entry::Typedef(TypeEntry::Missing(feature))) => {
                    let what = format!("the type `{}`", self.name(name.symbol));
                    return self.unsupported(name.loc, &what, feature);
                }
                Some(_) | None => {
                    let message = format!("`{}` is not a type", self.name(name.symbol));
                    return self.error(name.loc, message);
                }
            },
            TypeSpec::Record(spec) => {
                qual = self.record(spec)?;
                if let Type::Record(id) = self.types.of(qual) {
                    not_for_kernels = self.types.record(id).not_for_kernels;
                }
            }
            TypeSpec::Enum(spec) => qual = self.enumeration(spec)?,
        }
        if specs.pipe {
            qual = self.pipe_of(qual, specs.access, at)?;
            not_for_kernels = None;
        } else if let Some(word) = specs.access {
            qual = self.image_access(qual, word, at)?;
        }
        qual.constant |= specs.quals.constant;
        qual.volatile |= specs.quals.volatile;
        if specs.quals.restrict {
            if self.types.pointee(qual).is_none() {
                return self.error(at, "`restrict` is for pointers");
            }
            qual.restrict = true;
        }
        self.check_space(specs.quals.space, at)?;
        if own_space.is_some()
            && specs
                .quals
                .space
                .is_some_and(|word| own_space != Some(word))
        {
            return self.error(at, "a type has only one address space");
        }
        Ok(Declared {
            qual,
            space: specs.quals.space.or(own_space),
            not_for_kernels,
            function: None,
        })
    }

    /// Refuses to compute with halves where the device does not.
    pub(super) fn check_half(&mut self, scalar: Scalar, at: Loc) -> Checked<()> {
        if scalar == Scalar::Half && !self.language.fp16 {
            return self.error(
                at,
                "this device has no half-precision arithmetic (cl_khr_fp16)",
            );
        }
        Ok(())
    }

    fn check_double(&mut self, scalar: Scalar, at: Loc) -> Checked<()> {
        if scalar == Scalar::Double && !self.language.fp64 {
            return self.error(at, "this device has no double precision (cl_khr_fp64)");
        }
        Ok(())
    }

    /// The type a declarator gives to its name, from that of the specifiers.
    pub(super) fn declared<'t>(
        &mut self,
        base: Declared<'t>,
        declarator: &'t Declarator,
    ) -> Checked<Declared<'t>> {
        let mut out = Declared {
            function: None,
            ..base
        };
        let at = declarator.loc;
        for (i, part) in declarator.parts.iter().enumerate().rev() {
            match part {
                DeclPart::Block => {
                    let has_parameters =
                        matches!(declarator.parts.get(i + 1), Some(DeclPart::Function { .. }));
                    if !has_parameters {
                        let message = "`^` stands before the name of a block, whose parameters follow in \
                                       parentheses";
                        return self.error(at, message);
                    }
                }
                DeclPart::Function { params, variadic }
                    if matches!(
                        i.checked_sub(1).map(|before| &declarator.parts[before]),
                        Some(DeclPart::Block)
                    ) =>
                {
                    out.qual = self.block_type(out.qual, params, *variadic, at)?;
                    out.space = None;
                    out.not_for_kernels = Some("a block");
                }
                DeclPart::Pointer(quals) => {
                    self.no_block(out.qual, at, "what a pointer points to")?;
                    self.no_image(out.qual, at, "what a pointer points to")?;
                    let space = out.space.unwrap_or_else(|| self.default_pointee());
                    let pointer = self.types.pointer(out.qual.in_space(space));
                    self.check_space(quals.space, at)?;
                    out.qual = Qual {
                        constant: quals.constant,
                        volatile: quals.volatile,
                        restrict: quals.restrict,
                        ..pointer
                    };
                    out.space = quals.space;
                    out.not_for_kernels = None;
                }
                DeclPart::Array(len) => {
                    self.no_image(out.qual, at, "an array's element")?;
                    self.no_block(out.qual, at, "an array's element")?;
                    let len = len.as_ref().map(|len| self.array_length(len)).transpose()?;
                    if i + 1 < declarator.parts.len()
                        || matches!(self.types.of(out.qual), Type::Array(..))
                    {
                        self.complete(out.qual, at, "an array's elements")?;
                    }
                    if self.types.of(out.qual) == Type::Void {
                        return self.error(at, "an array cannot have elements of type void");
                    }
                    out.qual = Qual {
                        constant: out.qual.constant,
                        volatile: out.qual.volatile,
                        ..self.types.plain(Type::Array(out.qual, len))
                    };
                    if self.types.size(out.qual) == Err(LayoutError::TooLarge) {
                        return self.error(at, "this array is too large");
                    }
                }
                DeclPart::Function { params, variadic } => {
                    if i != 0 {
                        return self.error(at, "pointers to functions are not in OpenCL C");
                    }
                    if let Type::Array(..) = self.types.of(out.qual) {
                        return self.error(at, "a function cannot return an array");
                    }
                    out.function = Some((params, *variadic));
                }
            }
        }
        Ok(out)
    }

    /// The type of blocks that return and take this.
    fn block_type(
        &mut self,
        ret: Qual,
        params: &[Param],
        variadic: bool,
        at: Loc,
    ) -> Checked<Qual> {
        if variadic {
            return self.error(at, "a block takes a fixed number of arguments");
        }
        self.no_block(ret, at, "a block's result")?;
        let mut quals = Vec::with_capacity(params.len());
        for param in params {
            let (qual, _) = self.parameter(param)?;
            self.no_block(qual, param.declarator.loc, "a block's parameter")?;
            quals.push(qual);
        }
        Ok(self.types.block(ret, quals.into_iter()))
    }

    /// Refuses blocks, which are variables and parameters of functions only (OpenCL C, Blocks, Restrictions).
    pub(super) fn no_block(&mut self, qual: Qual, at: Loc, what: &str) -> Checked<()> {
        if self.types.is_block(qual) {
            let ty = self.show(qual.value());
            return self.error(at, format!("{what} cannot be a block, as `{ty}` is"));
        }
        Ok(())
    }

    fn array_length(&mut self, len: &ast::Expr) -> Checked<u64> {
        let value = self.rvalue(len)?;
        let Some((bits, scalar)) = self.int_constant(&value) else {
            return self.error(
                len.loc,
                "an array's length is an integer constant; arrays of variable length are not in \
                 OpenCL C",
            );
        };
        let negative = scalar.is_signed() && (constant::extend(bits, scalar) as i64) < 0;
        if negative || bits == 0 {
            return self.error(len.loc, "an array's length is at least 1");
        }
        Ok(bits)
    }

    /// Checks that objects of a type can exist.
    pub(super) fn complete(&mut self, qual: Qual, at: Loc, what: &str) -> Checked<u64> {
        match self.types.size(qual) {
            Ok(size) => Ok(size),
            Err(LayoutError::Incomplete) => {
                let ty = self.show(qual);
                let message = format!("{what} cannot have type `{ty}`: its size is unknown");
                self.error(at, message)
            }
            Err(LayoutError::TooLarge) => {
                let message = format!("`{}` is too large", self.show(qual));
                self.error(at, message)
            }
        }
    }

    /// The type in a cast or `sizeof`.
    pub(super) fn type_name(&mut self, name: &TypeName) -> Checked<Qual> {
        let base = self.specified(&name.specs)?;
        let declared = self.declared(base, &name.declarator)?;
        if declared.function.is_some() {
            let message = "pointers to functions are not in OpenCL C";
            return self.error(name.declarator.loc, message);
        }
        Ok(declared
            .qual
            .in_space(declared.space.unwrap_or(Space::Private)))
    }

    fn record(&mut self, spec: &RecordSpec) -> Checked<Qual> {
        let found = spec.tag.and_then(|tag| match spec.fields {
            Some(_) => self.tags.find_here(tag.symbol),
            None => self.tags.find(tag.symbol),
        });
        let id = match found {
            Some(Tag::Record(id)) => {
                if self.types.record(id).union != spec.union {
                    return self.error(spec.loc, "this tag is of the other kind: struct or union");
                }
                id
            }
            Some(Tag::Enum(_)) => return self.error(spec.loc, "this tag is an enum's"),
            None => {
                let id = self.types.add_record(Record {
                    tag: spec.tag.map(|t| t.symbol),
                    union: spec.union,
                    ..Record::default()
                });
                if let Some(tag) = spec.tag {
                    self.tags.declare(tag.symbol, Tag::Record(id));
                }
                id
            }
        };
        let qual = self.types.plain(Type::Record(id));
        let Some(groups) = &spec.fields else {
            return Ok(qual);
        };
        if self.types.record(id).complete {
            return self.error(spec.loc, "this struct is defined again");
        }
        let attrs = self.record_attrs(&spec.attrs);
        let mut fields: Vec<Field> = Vec::new();
        let mut not_for_kernels = None;
        for group in groups {
            let base = self.specified(&group.specs)?;
            if group.specs.storage.is_some() {
                return self.error(group.specs.loc, "a field has no storage class");
            }
            let group_align = self.alignment_attr(&group.specs.attrs);
            let group_packed = self.packed_attr(&group.specs.attrs);
            if group.declarators.is_empty() {
                if let Type::Record(inner) = self.types.of(base.qual)
                    && self.types.record(inner).tag.is_none()
                {
                    not_for_kernels = not_for_kernels.or(base.not_for_kernels);
                    fields.push(field(None, base.qual, group_align, group_packed));
                } else {
                    let at = group.specs.loc;
                    self.diags.warning(at, "this declares no field");
                }
            }
            for member in &group.declarators {
                let loc = member.declarator.loc;
                if member.bits.is_some() {
                    return self.error(loc, "bit-fields are not in OpenCL C");
                }
                let declared = self.declared(base, &member.declarator)?;
                let Some(name) = member.declarator.name else {
                    return self.error(loc, "a field needs a name");
                };
                if declared.function.is_some() {
                    return self.error(loc, "a field cannot be a function");
                }
                if declared.space.is_some() {
                    return self.error(loc, "a field has no address space of its own");
                }
                self.no_block(declared.qual, loc, "a field")?;
                self.complete(declared.qual, loc, "a field")?;
                self.no_event(declared.qual, loc, "a field")?;
                self.no_image(declared.qual, loc, "a field")?;
                if fields.iter().any(|f| f.name == Some(name.symbol)) {
                    let message = format!("there are two fields `{}`", self.name(name.symbol));
                    return self.error(loc, message);
                }
                let banned = match self.types.of(declared.qual) {
                    Type::Pointer(_) => None,
                    _ => declared.not_for_kernels,
                };
                not_for_kernels = not_for_kernels.or(banned);
                let own = self.alignment_attr(&member.declarator.attrs);
                let packed = self.packed_attr(&member.declarator.attrs);
                fields.push(field(
                    Some(name.symbol),
                    declared.qual,
                    own.max(group_align),
                    packed || group_packed,
                ));
            }
        }
        if fields.is_empty() {
            return self.error(spec.loc, "a struct has at least one field");
        }
        let record = self.types.record_mut(id);
        record.fields = fields;
        record.not_for_kernels = not_for_kernels;
        match self.types.lay_out(id, attrs.packed, attrs.aligned) {
            Ok(()) => Ok(qual),
            Err(_) => self.error(spec.loc, "this struct is too large"),
        }
    }

    /// An `enum` is an `int`. Where a value does not fit, it and the type are of the first of `uint`,
    /// `ulong` and `long` that holds all values, as C compilers extend C99 6.7.2.2.
    fn enumeration(&mut self, spec: &EnumSpec) -> Checked<Qual> {
        let Some(enumerators) = &spec.enumerators else {
            return match spec.tag.and_then(|t| self.tags.find(t.symbol)) {
                Some(Tag::Enum(scalar)) => Ok(self.types.scalar(scalar)),
                Some(Tag::Record(_)) => self.error(spec.loc, "this tag is a struct's"),
                None => self.error(spec.loc, "this enum is not defined"),
            };
        };
        if let Some(tag) = spec.tag {
            if self.tags.find_here(tag.symbol).is_some() {
                return self.error(spec.loc, "this enum is defined again");
            }
            self.tags.declare(tag.symbol, Tag::Enum(Scalar::Int));
        }
        let mut values = Vec::with_capacity(enumerators.len());
        let mut next = 0i128;
        for (name, value) in enumerators {
            if let Some(value) = value {
                let expr = self.rvalue(value)?;
                let Some((bits, scalar)) = self.int_constant(&expr) else {
                    return self.error(value.loc, "an enumerator's value is an integer constant");
                };
                let wide = constant::extend(bits, scalar);
                next = if scalar.is_signed() {
                    i128::from(wide as i64)
                } else {
                    i128::from(wide)
                };
            }
            if self.scopes.find_here(name.symbol).is_some() {
                let message = format!("`{}` is declared again", self.name(name.symbol));
                return self.error(name.loc, message);
            }
            // Until the end of the list each is of the type that holds its own value.
            let Some(own) = enumeration_type(next, next) else {
                return self.error(name.loc, "no integer type holds this enumerator's value");
            };
            self.declare_enumerator(*name, next, own);
            values.push((*name, next));
            next += 1;
        }
        let least = values.iter().map(|&(_, value)| value).min().unwrap_or(0);
        let most = values.iter().map(|&(_, value)| value).max().unwrap_or(0);
        let Some(scalar) = enumeration_type(least, most) else {
            return self.error(spec.loc, "no integer type holds all values of this enum");
        };
        for (name, value) in values {
            if i32::try_from(value).is_err() {
                self.declare_enumerator(name, value, scalar);
            }
        }
        if let Some(tag) = spec.tag {
            self.tags.declare(tag.symbol, Tag::Enum(scalar));
        }
        Ok(self.types.scalar(scalar))
    }

    fn declare_enumerator(&mut self, name: Name, value: i128, scalar: Scalar) {
        let bits = value as u64 & (u64::MAX >> (64 - 8 * scalar.size()));
        let entry = Entry::Enumerator(bits, scalar);
        self.scopes.declare(name.symbol, entry);
    }
}

/// The type of an `enum` with values between these.
fn enumeration_type(least: i128, most: i128) -> Option<Scalar> {
    let ranges: [(Scalar, i128, i128); 4] = [
        (Scalar::Int, i32::MIN.into(), i32::MAX.into()),
        (Scalar::UInt, 0, u32::MAX.into()),
        (Scalar::ULong, 0, u64::MAX.into()),
        (Scalar::Long, i64::MIN.into(), i64::MAX.into()),
    ];
    let mut fitting = ranges.iter().filter(|r| least >= r.1 && most <= r.2);
    fitting.next().map(|&(scalar, ..)| scalar)
}

fn field(name: Option<Symbol>, qual: Qual, aligned: Option<u64>, packed: bool) -> Field {
    Field {
        packed,
        name,
        qual,
        offset: 0,
        align: aligned.unwrap_or(1),
    }
}
