//! Declarations: variables, functions, kernels and their arguments.

use super::scope::{Entry, TypeEntry};
use super::typing::Declared;
use super::{Checked, Current, Sema};
use crate::ast::{
    self, Attr, Declaration, Declarator, FunctionDef, InitDeclarator, Item, Param, Specs, Storage,
    TypeSpec,
};
use crate::device::Version;
use crate::diag::Reported;
use crate::hir::{Body, FnId, Function, Global, GlobalId, Init, Local, LocalId, Stmt, StmtKind};
use crate::hir::{Var, VarId};
use crate::source::Loc;
use crate::types::{Qual, Space, Type};
use std::collections::HashMap;
use touchstone_ir as ir;

/// The largest private variable and the largest local one, in bytes.
const VARIABLE_LIMIT: u64 = 1 << 28;

impl Sema<'_> {
    /// Checks what stands at program scope.
    pub(super) fn item(&mut self, item: &Item) -> Checked<()> {
        match item {
            Item::Declaration(declaration) => self.program_declaration(declaration),
            Item::Function(function) => self.function(function),
        }
    }

    fn storage_words(&mut self, specs: &Specs) -> Checked<()> {
        match specs.storage {
            Some(Storage::Auto | Storage::Register) => {
                self.error(specs.loc, "`auto` and `register` are not in OpenCL C")
            }
            Some(Storage::Extern | Storage::Static) if self.language.version < Version::V1_2 => {
                self.error(specs.loc, "`extern` and `static` need OpenCL C 1.2")
            }
            Some(Storage::Typedef | Storage::Extern | Storage::Static) | None => Ok(()),
        }
    }

    fn program_declaration(&mut self, declaration: &Declaration) -> Checked<()> {
        let specs = &declaration.specs;
        self.storage_words(specs)?;
        let base = self.specified(specs)?;
        if declaration.declarators.is_empty() {
            self.useless(specs);
        }
        for one in &declaration.declarators {
            // Each name on its own: what is wrong with one has been reported.
            let _ = self.program_name(specs, base, one);
        }
        Ok(())
    }

    /// Warns of a declaration that declares nothing.
    fn useless(&mut self, specs: &Specs) {
        let declares = match &specs.ty {
            TypeSpec::Record(spec) => spec.tag.is_some(),
            TypeSpec::Enum(_) => true,
            TypeSpec::Basic(_) | TypeSpec::Named(_) => false,
        };
        if !declares {
            self.diags.warning(specs.loc, "this declares nothing");
        }
    }

    fn program_name(
        &mut self,
        specs: &Specs,
        base: Declared<'_>,
        one: &InitDeclarator,
    ) -> Checked<()> {
        let declared = self.declared(base, &one.declarator)?;
        let at = one.declarator.loc;
        if specs.storage == Some(Storage::Typedef) {
            return self.typedef(declared, one);
        }
        if let Some((params, variadic)) = declared.function {
            if one.init.is_some() {
                return self.error(at, "a function has no initialiser");
            }
            self.declare_function(specs, &one.declarator, declared, params, variadic, false)?;
            return Ok(());
        }
        self.static_variable(specs, declared, one, true)
    }

    fn typedef(&mut self, declared: Declared<'_>, one: &InitDeclarator) -> Checked<()> {
        let Some(name) = one.declarator.name else {
            return Err(Reported);
        };
        if one.init.is_some() {
            return self.error(name.loc, "a typedef has no initialiser");
        }
        if declared.function.is_some() {
            return self.unsupported(name.loc, "this typedef", "types of functions");
        }
        // The base types that kernels' arguments may not have are known by the names of the
        // specification; a typedef of one is as little allowed.
        let entry = TypeEntry::Known {
            qual: declared.qual,
            space: declared.space,
            not_for_kernels: declared.not_for_kernels,
        };
        match self.scopes.find_here(name.symbol) {
            Some(Entry::Typedef(TypeEntry::Known { qual, .. })) if qual == declared.qual => {}
            Some(_) => return self.twice(name),
            None => {}
        }
        self.scopes.declare(name.symbol, Entry::Typedef(entry));
        Ok(())
    }

    fn twice<T>(&mut self, name: ast::Name) -> Checked<T> {
        let message = format!("`{}` is declared again", self.name(name.symbol));
        self.error(name.loc, message)
    }

    /// A variable that outlives functions: at program scope, `static`, or in constant memory.
    fn static_variable(
        &mut self,
        specs: &Specs,
        declared: Declared<'_>,
        one: &InitDeclarator,
        program_scope: bool,
    ) -> Checked<()> {
        let Some(name) = one.declarator.name else {
            return Err(Reported);
        };
        let at = name.loc;
        if specs.kernel || specs.inline {
            return self.error(at, "`kernel` and `inline` are for functions");
        }
        let globals = self.language.program_scope_globals;
        let need = "variables in global memory at program scope or static need OpenCL C 2.0, or \
                    3.0 with __opencl_c_program_scope_global_variables; without, they are \
                    `constant`";
        let space = match declared.space {
            Some(Space::Constant) => Space::Constant,
            Some(Space::Global) | None if globals => Space::Global,
            Some(Space::Global) | None => return self.error(at, need),
            Some(space @ (Space::Private | Space::Local | Space::Generic)) => {
                let message = format!("a variable here cannot be in {space} memory");
                return self.error(at, message);
            }
        };
        let mut qual = declared.qual.in_space(space);
        if space == Space::Constant {
            qual.constant = true;
        }
        let external = specs.storage == Some(Storage::Extern);
        if external && one.init.is_some() {
            self.diags
                .warning(at, "this `extern` variable has an initialiser");
        }
        let mut init = None;
        if let Some(written) = &one.init {
            // The variable is in scope in its own initialiser; only its address is of use there.
            let (sized, value) = self.initializer(qual, written, at)?;
            qual = sized;
            init = Some(self.static_value(qual, &value, at)?);
        } else if space == Space::Constant && !external {
            return self.error(at, "a variable in constant memory has an initialiser");
        }
        if !external || init.is_some() {
            self.complete(qual, at, "a variable")?;
        }
        let aligned = self
            .alignment_attr(&one.declarator.attrs)
            .max(self.alignment_attr(&specs.attrs));
        let align = self.types.align(qual).max(aligned.unwrap_or(1));
        let (init, relocs, defined) = match init {
            Some((init, relocs)) => (init, relocs, true),
            None => (Vec::new(), Vec::new(), false),
        };
        let previous = match self.scopes.find_here(name.symbol) {
            Some(Entry::Global(id)) if program_scope => Some(id),
            Some(_) => return self.twice(name),
            None => None,
        };
        if let Some(id) = previous {
            let old = &self.globals[id.0 as usize];
            let (old_qual, had_init) = (old.qual, !old.init.is_empty());
            if old_qual.ty != qual.ty || old_qual.space != qual.space {
                let message = format!(
                    "`{}` is declared again with another type",
                    self.name(name.symbol)
                );
                return self.error(at, message);
            }
            if had_init && defined {
                return self.twice(name);
            }
            let old = &mut self.globals[id.0 as usize];
            old.declared_only &= external && !defined;
            if defined {
                old.init = init;
                old.relocs = relocs;
            }
            return Ok(());
        }
        let id = GlobalId(u32::try_from(self.globals.len()).unwrap_or(u32::MAX));
        let text = self.name(name.symbol);
        self.globals.push(Global {
            name: text,
            qual,
            align,
            external: program_scope && specs.storage != Some(Storage::Static),
            declared_only: external && !defined,
            init,
            relocs,
        });
        self.scopes.declare(name.symbol, Entry::Global(id));
        Ok(())
    }

    /// A declaration in a block.
    pub(super) fn local_declaration(
        &mut self,
        declaration: &Declaration,
        out: &mut Vec<Stmt>,
    ) -> Checked<()> {
        let specs = &declaration.specs;
        self.storage_words(specs)?;
        let base = self.specified(specs)?;
        if declaration.declarators.is_empty() {
            self.useless(specs);
        }
        for one in &declaration.declarators {
            if self.block_name(specs, base, one, out).is_err() {
                // The name exists all the same, so that its uses are not wrong too.
                self.placeholder(base, &one.declarator);
            }
        }
        Ok(())
    }

    /// Declares a variable whose declaration is wrong.
    fn placeholder(&mut self, base: Declared<'_>, declarator: &Declarator) {
        let Some(name) = declarator.name else {
            return;
        };
        if self.scopes.find_here(name.symbol).is_some() {
            return;
        }
        let pointer = matches!(
            declarator.parts.first(),
            Some(ast::DeclPart::Pointer(_) | ast::DeclPart::Array(_))
        );
        let mut qual = base.qual;
        if pointer {
            let space = base.space.unwrap_or_else(|| self.default_pointee());
            qual = self.types.pointer(qual.in_space(space));
        }
        qual = qual.in_space(Space::Private);
        qual.constant = false;
        if let Some(current) = &mut self.current {
            let id = VarId(u32::try_from(current.vars.len()).unwrap_or(u32::MAX));
            current.vars.push(Var {
                name: String::new(),
                qual,
                in_memory: false,
                align: 1,
            });
            self.scopes.declare(name.symbol, Entry::Var(id));
        }
    }

    fn block_name(
        &mut self,
        specs: &Specs,
        base: Declared<'_>,
        one: &InitDeclarator,
        out: &mut Vec<Stmt>,
    ) -> Checked<()> {
        let declared = self.declared(base, &one.declarator)?;
        let Some(name) = one.declarator.name else {
            return Err(Reported);
        };
        let at = name.loc;
        if specs.storage == Some(Storage::Typedef) {
            return self.typedef(declared, one);
        }
        if let Some((params, variadic)) = declared.function {
            self.declare_function(specs, &one.declarator, declared, params, variadic, false)?;
            return Ok(());
        }
        if specs.storage == Some(Storage::Extern) {
            return self.error(at, "`extern` variables are declared at program scope");
        }
        if specs.storage == Some(Storage::Static) || declared.space == Some(Space::Constant) {
            return self.static_variable(specs, declared, one, false);
        }
        if self.scopes.find_here(name.symbol).is_some() {
            return self.twice(name);
        }
        match declared.space {
            Some(Space::Local) => return self.local_variable(specs, declared.qual, one),
            Some(space @ (Space::Global | Space::Generic)) => {
                let message = format!("a variable of a function cannot be in {space} memory");
                return self.error(at, message);
            }
            Some(Space::Private | Space::Constant) | None => {}
        }
        let aligned = self
            .alignment_attr(&one.declarator.attrs)
            .max(self.alignment_attr(&specs.attrs));
        let mut qual = declared.qual.in_space(Space::Private);
        if let Type::Atomic(_) | Type::AtomicFlag = self.types.of(qual)
            && one.init.is_some()
        {
            self.diags.warning(
                at,
                "ATOMIC_VAR_INIT is for atomic objects at program scope; atomic_init for others",
            );
        }
        // The name is in scope from its declarator on, so in its initialiser too.
        let text = self.name(name.symbol);
        let current = self.current(at)?;
        let id = VarId(u32::try_from(current.vars.len()).unwrap_or(u32::MAX));
        current.vars.push(Var {
            name: text,
            qual,
            in_memory: false,
            align: 1,
        });
        self.scopes.declare(name.symbol, Entry::Var(id));
        let init = match &one.init {
            Some(init) => {
                let (sized, init) = self.initializer(qual, init, at)?;
                qual = sized;
                init
            }
            None => Init::None,
        };
        let size = self.complete(qual, at, "a variable")?;
        if size > VARIABLE_LIMIT {
            let message = format!("this variable has {size} bytes, more than Touchstone gives");
            return self.error(at, message);
        }
        let align = self.types.align(qual).max(aligned.unwrap_or(1));
        let in_memory = self.types.ir(qual).is_none()
            || matches!(self.types.of(qual), Type::Atomic(_) | Type::AtomicFlag)
            || qual.volatile;
        if let Some(var) = self.current(at)?.vars.get_mut(id.0 as usize) {
            var.qual = qual;
            var.align = align;
            var.in_memory |= in_memory;
        }
        out.push(Stmt {
            kind: StmtKind::Init(id, init),
            loc: at,
        });
        Ok(())
    }

    /// A variable in local memory (OpenCL C 6.7.2).
    fn local_variable(&mut self, specs: &Specs, qual: Qual, one: &InitDeclarator) -> Checked<()> {
        let Some(name) = one.declarator.name else {
            return Err(Reported);
        };
        let at = name.loc;
        let current = self.current(at)?;
        let (kernel, blocks, id) = (current.kernel, current.blocks, current.id);
        if !kernel || blocks > 0 {
            return self.error(
                at,
                "a variable in local memory is declared at the outermost scope of a kernel",
            );
        }
        if one.init.is_some() {
            return self.error(at, "a variable in local memory has no initialiser");
        }
        let qual = qual.in_space(Space::Local);
        let size = self.complete(qual, at, "a variable")?;
        if size > VARIABLE_LIMIT {
            let message = format!("this variable has {size} bytes, more than Touchstone gives");
            return self.error(at, message);
        }
        let aligned = self
            .alignment_attr(&one.declarator.attrs)
            .max(self.alignment_attr(&specs.attrs));
        let local = LocalId(u32::try_from(self.locals.len()).unwrap_or(u32::MAX));
        let align = self.types.align(qual).max(aligned.unwrap_or(1));
        let text = self.name(name.symbol);
        self.locals.push(Local {
            name: text,
            qual,
            align,
            kernel: id,
        });
        self.scopes.declare(name.symbol, Entry::Local(local));
        Ok(())
    }

    /// The type of a parameter: arrays are pointers (C99 6.7.5.3p7).
    fn parameter(&mut self, param: &Param) -> Checked<(Qual, Declared<'static>)> {
        let at = param.declarator.loc;
        match param.specs.storage {
            None => {}
            Some(_) => return self.error(at, "a parameter has no storage class"),
        }
        if let Some(word) = param.specs.access {
            let what = format!("`{word}`");
            return self.unsupported(at, &what, "images and pipes");
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
        self.complete(qual, at, "a parameter")?;
        Ok((
            qual.in_space(Space::Private),
            Declared {
                qual,
                space,
                not_for_kernels: declared.not_for_kernels,
                function: None,
            },
        ))
    }

    /// Checks a parameter against the rules for kernels (OpenCL C 6.11).
    fn kernel_argument(
        &mut self,
        param: &Param,
        qual: Qual,
        declared: Declared<'_>,
    ) -> Checked<ir::KernelArg> {
        let at = param.declarator.loc;
        if let Some(name) = declared.not_for_kernels
            && self.types.pointee(qual).is_none()
        {
            let message = match self.types.of(qual) {
                Type::Record(_) => {
                    format!("a kernel's argument cannot have a field of type `{name}`")
                }
                _ => format!("a kernel's argument cannot be of type `{name}`"),
            };
            return self.error(at, message);
        }
        let mut qualifiers = ir::TypeQualifiers::default();
        let (mut address, pass) = (ir::ArgQualifier::Private, self.argument_pass(qual, at)?);
        if let Type::Pointer(to) = self.types.of(qual) {
            address = match to.space {
                Space::Global => ir::ArgQualifier::Global,
                Space::Local => ir::ArgQualifier::Local,
                Space::Constant => ir::ArgQualifier::Constant,
                Space::Private | Space::Generic => {
                    return self.error(
                        at,
                        "a kernel's pointer argument points to global, constant or local memory",
                    );
                }
            };
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
        Ok(ir::KernelArg {
            name: param
                .declarator
                .name
                .map(|n| self.name(n.symbol))
                .unwrap_or_default(),
            type_name: self.argument_type_name(param, qual),
            address,
            access: ir::AccessQualifier::None,
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
            Type::Void
            | Type::Scalar(_)
            | Type::Vector(..)
            | Type::Array(..)
            | Type::Atomic(_)
            | Type::AtomicFlag => match self.types.ir(qual) {
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
            TypeSpec::Basic(_) | TypeSpec::Record(_) | TypeSpec::Enum(_) => self.show(at.value()),
        };
        base + &stars
    }

    /// Declares a function, or finds its earlier declaration.
    fn declare_function(
        &mut self,
        specs: &Specs,
        declarator: &Declarator,
        declared: Declared<'_>,
        params: &[Param],
        variadic: bool,
        definition: bool,
    ) -> Checked<FnId> {
        let Some(name) = declarator.name else {
            return Err(Reported);
        };
        let at = name.loc;
        if variadic {
            return self.error(
                at,
                "functions with a variable number of arguments are not in OpenCL C",
            );
        }
        let text = self.name(name.symbol);
        if self.is_builtin(&text) {
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
        let mut quals = Vec::with_capacity(params.len());
        let mut args = Vec::new();
        let mut failed = false;
        for param in params {
            let Ok((qual, declared)) = self.parameter(param) else {
                failed = true;
                continue;
            };
            quals.push(qual);
            if specs.kernel {
                match self.kernel_argument(param, qual, declared) {
                    Ok(arg) => args.push(arg),
                    Err(Reported) => failed = true,
                }
            }
        }
        if failed {
            return Err(Reported);
        }
        let attrs: Vec<&Attr> = specs.attrs.iter().chain(&declarator.attrs).collect();
        let attrs = self.kernel_attrs(&attrs, specs.kernel);
        let kernel = specs.kernel.then(|| ir::KernelInfo {
            args,
            reqd_work_group_size: attrs.reqd_work_group_size,
            work_group_size_hint: attrs.work_group_size_hint,
            vec_type_hint: attrs.vec_type_hint,
            attributes: attrs.spellings.join(" "),
        });
        if let Some(&id) = self.by_name.get(&name.symbol) {
            let old = &self.functions[id.0 as usize];
            let same = old.ret.ty == ret.ty
                && old.params.len() == quals.len()
                && old.params.iter().zip(&quals).all(|(a, b)| a.ty == b.ty);
            let (old_at, defined) = (old.loc, old.body.is_some());
            let is_current = self.current.as_ref().is_some_and(|c| c.id == id);
            if !same || old.kernel.is_some() != kernel.is_some() {
                let message = format!("`{text}` is declared again with another type");
                self.diags.error(at, message);
                self.diags.note(old_at, "the earlier declaration is here");
                return Err(Reported);
            }
            if definition && (defined || is_current) {
                let message = format!("`{text}` is defined again");
                self.diags.error(at, message);
                self.diags.note(old_at, "the earlier definition is here");
                return Err(Reported);
            }
            let old = &mut self.functions[id.0 as usize];
            if definition {
                old.loc = at;
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
            return Ok(id);
        }
        if let Some(Entry::Global(_) | Entry::Typedef(_) | Entry::Enumerator(..)) =
            self.scopes.find(name.symbol)
            && self.current.is_none()
        {
            return self.twice(name);
        }
        let id = FnId(u32::try_from(self.functions.len()).unwrap_or(u32::MAX));
        self.functions.push(Function {
            name: text,
            loc: at,
            ret,
            params: quals,
            external: specs.storage != Some(Storage::Static),
            kernel,
            body: None,
        });
        self.by_name.insert(name.symbol, id);
        self.scopes.declare_global(name.symbol, Entry::Function(id));
        Ok(id)
    }

    fn function(&mut self, def: &FunctionDef) -> Checked<()> {
        let specs = &def.specs;
        self.storage_words(specs)?;
        if specs.storage == Some(Storage::Typedef) {
            return self.error(specs.loc, "a typedef has no body");
        }
        let base = self.specified(specs)?;
        let declared = self.declared(base, &def.declarator)?;
        let Some((params, variadic)) = declared.function else {
            return self.error(
                def.declarator.loc,
                "a function's parameters are expected here",
            );
        };
        let id = self.declare_function(specs, &def.declarator, declared, params, variadic, true)?;
        let ret = self.functions[id.0 as usize].ret;
        if self.types.of(ret) != Type::Void {
            self.complete(ret, def.declarator.loc, "a function's result")?;
        }
        self.current = Some(Current {
            id,
            ret,
            kernel: specs.kernel,
            vars: Vec::new(),
            labels: 0,
            named_labels: HashMap::new(),
            loops: 0,
            breakables: 0,
            switches: Vec::new(),
            blocks: 0,
        });
        self.scopes.open();
        let quals = self.functions[id.0 as usize].params.clone();
        for (i, (param, qual)) in params.iter().zip(quals).enumerate() {
            self.bind_parameter(i, param, qual);
        }
        let stmts = self.statements(&def.body);
        self.check_labels();
        self.scopes.close();
        if let Some(current) = self.current.take() {
            self.functions[id.0 as usize].body = Some(Body {
                vars: current.vars,
                stmts,
                end: def.end,
            });
        }
        Ok(())
    }

    fn bind_parameter(&mut self, index: usize, param: &Param, qual: Qual) {
        let in_memory = self.types.ir(qual).is_none() || qual.volatile;
        let align = self.types.align(qual);
        let name = param.declarator.name;
        let text = name.map(|n| self.name(n.symbol)).unwrap_or_default();
        if let Some(current) = &mut self.current {
            current.vars.push(Var {
                name: text,
                qual,
                in_memory,
                align,
            });
        }
        match name {
            None => {
                self.diags
                    .error(param.declarator.loc, "this parameter has no name");
            }
            Some(name) => {
                if self.scopes.find_here(name.symbol).is_some() {
                    let message = format!("there are two parameters `{}`", self.name(name.symbol));
                    self.diags.error(name.loc, message);
                }
                let id = VarId(u32::try_from(index).unwrap_or(u32::MAX));
                self.scopes.declare(name.symbol, Entry::Var(id));
            }
        }
    }
}
