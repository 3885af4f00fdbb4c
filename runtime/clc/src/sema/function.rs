//! Functions and kernels: their declarations, parameters and bodies.

use super::scope::Entry;
use super::typing::Declared;
use super::{Checked, Current, Sema};
use crate::ast::{Attr, DeclPart, Declarator, FunctionDef, Name, Param, Specs, Storage, TypeSpec};
use crate::device::Version;
use crate::diag::Reported;
use crate::hir::{Body, FnId, Function, Var};
use crate::intern::add;
use crate::source::Loc;
use crate::types::{Qual, Space, Type};
use touchstone_ir as ir;

impl Sema<'_> {
    /// The type of a parameter and, where kernels may not have it, that type's name: arrays are pointers (C99 6.7.5.3p7).
    pub(super) fn parameter(&mut self, param: &Param) -> Checked<(Qual, Option<&'static str>)> {
        let at = param.declarator.loc;
        if param.specs.storage.is_some() {
            return self.error(at, "a parameter has no storage class");
        }
        let base = self.specified(&param.specs)?;
        let declared = self.declared(base, &param.declarator)?;
        if declared.function.is_some() {
            return self.error(at, "pointers to functions are not in OpenCL C");
        }
        let mut qual = declared.qual;
        let mut space = declared.space;
        if let Type::Array(element, _) = self.types.of(qual) {
            let to = element.in_space(space.unwrap_or_else(|| self.default_pointee()));
            qual = self.types.pointer(to);
            space = None;
        }
        if let Some(space) = space
            && space != Space::Private
        {
            let message = format!("a parameter is in private memory, not in {space} memory");
            return self.error(at, message);
        }
        if let Type::Atomic(_) | Type::AtomicFlag = self.types.of(qual) {
            return self.error(at, "an atomic object cannot be passed by value");
        }
        if !self.types.is_block(qual) {
            self.complete(qual, at, "a parameter")?;
        }
        Ok((qual.in_space(Space::Private), declared.not_for_kernels))
    }

    /// Checks a parameter against the rules for kernels (OpenCL C 6.11).
    fn kernel_argument(
        &mut self,
        param: &Param,
        qual: Qual,
        not_for_kernels: Option<&str>,
    ) -> Checked<ir::KernelArg> {
        let at = param.declarator.loc;
        if let Some(name) = not_for_kernels
            && self.types.pointee(qual).is_none()
        {
            let how = match self.types.of(qual) {
                Type::Record(id) if !self.types.record(id).opaque => "have a field",
                _ => "be",
            };
            let message = format!("a kernel's argument cannot {how} of type `{name}`");
            return self.error(at, message);
        }
        let mut qualifiers = ir::TypeQualifiers::default();
        let pass = self.argument_pass(qual, at)?;
        if let Type::Pointer(to) = self.types.of(qual) {
            if matches!(to.space, Space::Private | Space::Generic) {
                let message =
                    "a kernel's pointer argument points to global, constant or local memory";
                return self.error(at, message);
            }
            if self.types.pointee(to).is_some() && self.language.version <= Version::V1_2 {
                return self.error(
                    at,
                    "a kernel's argument cannot be a pointer to a pointer before OpenCL C 2.0",
                );
            }
            qualifiers.is_const = to.constant || to.space == Space::Constant;
            qualifiers.is_volatile = to.volatile;
            qualifiers.is_restrict = qual.restrict;
        }
        let name = param.declarator.name;
        Ok(ir::KernelArg {
            name: name.map(|n| self.name(n.symbol)).unwrap_or_default(),
            type_name: self.argument_type_name(param, qual),
            qualifiers,
            pass,
        })
    }

    fn argument_pass(&mut self, qual: Qual, at: Loc) -> Checked<ir::ArgPass> {
        match self.types.of(qual) {
            Type::Pointer(to) => Ok(match to.space {
                Space::Local => ir::ArgPass::LocalPointer {
                    align: u32::try_from(self.types.align(to)).unwrap_or(1),
                },
                space => ir::ArgPass::Pointer(space),
            }),
            Type::Record(_) => {
                let size = self.complete(qual, at, "an argument")?;
                let Ok(size) = u32::try_from(size) else {
                    return self.error(at, "this argument is too large");
                };
                Ok(ir::ArgPass::Aggregate {
                    size,
                    align: u32::try_from(self.types.align(qual)).unwrap_or(1),
                })
            }
            Type::Image(kind, access) => Ok(ir::ArgPass::Image(kind, access)),
            Type::Sampler => Ok(ir::ArgPass::Sampler),
            Type::Queue => Ok(ir::ArgPass::Queue),
            Type::Pipe(_, writes) => Ok(ir::ArgPass::Pipe { writes }),
            _ => match self.types.ir(qual) {
                Some(ty) => Ok(ir::ArgPass::Value(ty)),
                None => self.error(at, "this cannot be an argument"),
            },
        }
    }

    /// `CL_KERNEL_ARG_TYPE_NAME`: the type without qualifiers, as it is spelled.
    fn argument_type_name(&self, param: &Param, qual: Qual) -> String {
        let mut stars = String::new();
        let mut at = qual;
        while let Some(to) = self.types.pointee(at) {
            stars.push('*');
            at = to;
        }
        let base = match &param.specs.ty {
            TypeSpec::Named(name) => self.names.get(name.symbol).to_owned(),
            TypeSpec::Void | TypeSpec::Scalar(_) | TypeSpec::Record(_) | TypeSpec::Enum(_) => {
                self.show(at.value())
            }
        };
        base + &stars
    }

    /// Declares a function, or finds its earlier declaration.
    pub(super) fn declare_function(
        &mut self,
        specs: &Specs,
        declarator: &Declarator,
        declared: Declared<'_>,
        definition: bool,
    ) -> Checked<FnId> {
        let name = declarator.name.ok_or(Reported)?;
        let (params, variadic) = declared.function.ok_or(Reported)?;
        let at = name.loc;
        if variadic {
            let message = "functions with a variable number of arguments are not in OpenCL C";
            return self.error(at, message);
        }
        let text = self.name(name.symbol);
        if self.is_reserved(&text) {
            let message = format!("`{text}` is a built-in function; it cannot be declared");
            return self.error(at, message);
        }
        let ret = declared.qual.in_space(Space::Private).value();
        if let Some(space) = declared.space
            && space != Space::Private
        {
            return self.error(at, "what a function returns has no address space");
        }
        if specs.kernel && self.types.of(ret) != Type::Void {
            let message = format!("the kernel `{text}` returns a value; kernels return void");
            return self.error(at, message);
        }
        if let Type::Atomic(_) | Type::AtomicFlag = self.types.of(ret) {
            return self.error(at, "an atomic object cannot be returned");
        }
        self.no_image(ret, at, "a function's result")?;
        self.no_block(ret, at, "a function's result")?;
        let mut quals = Vec::with_capacity(params.len());
        let mut args = Vec::new();
        let mut failed = false;
        for param in params {
            let Ok((qual, not_for_kernels)) = self.parameter(param) else {
                failed = true;
                continue;
            };
            quals.push(qual);
            if specs.kernel {
                let arg = self.kernel_argument(param, qual, not_for_kernels);
                failed |= arg.is_err();
                args.extend(arg);
            }
        }
        if failed {
            return Err(Reported);
        }
        let attrs: Vec<&Attr> = specs.attrs.iter().chain(&declarator.attrs).collect();
        let attrs = self.kernel_attrs(&attrs, specs.kernel);
        let kernel = specs.kernel.then_some(ir::KernelInfo { args, ..attrs });
        if let Some(&id) = self.by_name.get(&name.symbol) {
            return self.redeclare(id, name, ret, &quals, kernel, definition);
        }
        if let Some(Entry::Global(_) | Entry::Typedef(_) | Entry::Enumerator(..)) =
            self.scopes.find(name.symbol)
            && self.current.is_none()
        {
            return self.twice(name);
        }
        let function = Function {
            name: text,
            loc: at,
            ret,
            params: quals,
            external: specs.storage != Some(Storage::Static),
            kernel,
            body: None,
        };
        let id = FnId(add(&mut self.functions, function));
        self.by_name.insert(name.symbol, id);
        self.scopes.declare_global(name.symbol, Entry::Function(id));
        Ok(id)
    }

    /// Another declaration of a function, which must agree with the earlier one.
    fn redeclare(
        &mut self,
        id: FnId,
        name: Name,
        ret: Qual,
        quals: &[Qual],
        kernel: Option<ir::KernelInfo>,
        definition: bool,
    ) -> Checked<FnId> {
        let (at, text) = (name.loc, self.name(name.symbol));
        let old = &self.functions[id.0 as usize];
        let same = old.ret.ty == ret.ty
            && old.params.len() == quals.len()
            && old.params.iter().zip(quals).all(|(a, b)| a.ty == b.ty);
        let (old_at, defined) = (old.loc, old.body.is_some() || self.templates.defines(id));
        let is_current = self.current.as_ref().is_some_and(|c| c.id == id);
        let differs = !same || old.kernel.is_some() != kernel.is_some();
        if differs || definition && (defined || is_current) {
            let (again, earlier) = if differs {
                ("declared again with another type", "declaration")
            } else {
                ("defined again", "definition")
            };
            self.diags.error(at, format!("`{text}` is {again}"));
            self.diags
                .note(old_at, format!("the earlier {earlier} is here"));
            return Err(Reported);
        }
        let old = &mut self.functions[id.0 as usize];
        if definition {
            old.loc = at;
            // Qualifiers of parameters are each declaration's own: the definition's count (C99 6.7.5.3).
            old.params = quals.to_vec();
        }
        // Attributes may stand on either declaration; names on the definition.
        if let (Some(old), Some(new)) = (&mut old.kernel, kernel) {
            let args = if definition {
                new.args.clone()
            } else {
                std::mem::take(&mut old.args)
            };
            if !new.attributes.is_empty() {
                *old = new;
            }
            old.args = args;
        }
        Ok(id)
    }

    pub(super) fn function(&mut self, def: &FunctionDef) -> Checked<()> {
        let specs = &def.specs;
        self.storage_words(specs)?;
        if specs.storage == Some(Storage::Typedef) {
            return self.error(specs.loc, "a typedef has no body");
        }
        let base = self.specified(specs)?;
        let declared = self.declared(base, &def.declarator)?;
        if declared.function.is_none() {
            let at = def.declarator.loc;
            return self.error(at, "a function's parameters are expected here");
        }
        let id = self.declare_function(specs, &def.declarator, declared, true)?;
        let ret = self.functions[id.0 as usize].ret;
        if self.types.of(ret) != Type::Void {
            self.complete(ret, def.declarator.loc, "a function's result")?;
        }
        if self.takes_blocks(id) {
            return self.define_template(id, def);
        }
        let quals = self.functions[id.0 as usize].params.clone();
        self.function_body(id, def, &quals, &[]);
        Ok(())
    }

    /// Checks the body of a function; `blocks` are those that parameters are, as far as these are blocks.
    pub(super) fn function_body(
        &mut self,
        id: FnId,
        def: &FunctionDef,
        quals: &[Qual],
        blocks: &[FnId],
    ) {
        let ret = self.functions[id.0 as usize].ret;
        let base = self.scopes.depth();
        self.current = Some(Current {
            kernel: def.specs.kernel,
            ..Current::new(id, ret, base)
        });
        self.open_scope();
        let params = match def.declarator.parts.first() {
            Some(DeclPart::Function { params, .. }) => &params[..],
            Some(_) | None => &[],
        };
        let mut blocks = blocks.iter();
        for (param, &qual) in params.iter().zip(quals) {
            // What is wrong has been reported.
            let _ = match self.types.is_block(qual).then(|| blocks.next()).flatten() {
                Some(&block) => self.bind_block(param, qual, block),
                None => self.bind_parameter(param, qual),
            };
        }
        let stmts = self.statements(&def.body);
        self.check_labels();
        self.close_scope();
        if let Some(current) = self.current.take() {
            self.functions[id.0 as usize].body = Some(Body {
                vars: current.vars,
                stmts,
                end: def.end,
            });
        }
    }

    pub(super) fn bind_parameter(&mut self, param: &Param, qual: Qual) -> Checked<()> {
        let (name, at) = (param.declarator.name, param.declarator.loc);
        let var = Var {
            name: name.map(|n| self.name(n.symbol)).unwrap_or_default(),
            qual,
            in_memory: self.types.ir(qual).is_none() || qual.volatile,
            align: self.types.align(qual),
        };
        let id = self.new_var(var, at)?;
        let Some(name) = name else {
            return self.error(at, "this parameter has no name");
        };
        if self.scopes.find_here(name.symbol).is_some() {
            let message = format!("there are two parameters `{}`", self.name(name.symbol));
            self.diags.error(name.loc, message);
        }
        self.scopes.declare(name.symbol, Entry::Var(id));
        Ok(())
    }
}
