//! Declarations: names at program scope and in blocks, and the variables they declare.

use super::scope::{Entry, TypeEntry};
use super::typing::Declared;
use super::{Checked, Sema};
use crate::ast::{self, Declaration, Declarator, InitDeclarator, Item, Specs, Storage, TypeSpec};
use crate::device::Version;
use crate::diag::Reported;
use crate::hir::{Global, GlobalId, Init, Local, LocalId, Stmt, StmtKind, Var};
use crate::intern::add;
use crate::source::Loc;
use crate::types::{Qual, Space, Type};

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

    pub(super) fn storage_words(&mut self, specs: &Specs) -> Checked<()> {
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
        let (specs, base) = self.declaration_specs(declaration)?;
        for one in &declaration.declarators {
            // Each name on its own: what is wrong with one has been reported.
            let _ = self.program_name(specs, base, one);
        }
        Ok(())
    }

    /// The specifiers of a declaration; warns if it declares nothing.
    fn declaration_specs<'d>(
        &mut self,
        declaration: &'d Declaration,
    ) -> Checked<(&'d Specs, Declared<'d>)> {
        let specs = &declaration.specs;
        self.storage_words(specs)?;
        let base = self.specified(specs)?;
        let declares = match &specs.ty {
            TypeSpec::Record(spec) => spec.tag.is_some(),
            TypeSpec::Enum(_) => true,
            TypeSpec::Void | TypeSpec::Scalar(_) | TypeSpec::Named(_) => false,
        };
        if declaration.declarators.is_empty() && !declares {
            self.diags.warning(specs.loc, "this declares nothing");
        }
        Ok((specs, base))
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
        if declared.function.is_some() {
            if one.init.is_some() {
                return self.error(at, "a function has no initialiser");
            }
            self.declare_function(specs, &one.declarator, declared, false)?;
            return Ok(());
        }
        if self.types.is_block(declared.qual) {
            let is_extern = specs.storage == Some(Storage::Extern);
            return self.program_block(declared.qual, is_extern, one);
        }
        self.static_variable(specs, declared, one, true)
    }

    fn typedef(&mut self, declared: Declared<'_>, one: &InitDeclarator) -> Checked<()> {
        let name = one.declarator.name.ok_or(Reported)?;
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

    pub(super) fn twice<T>(&mut self, name: ast::Name) -> Checked<T> {
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
        let name = one.declarator.name.ok_or(Reported)?;
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
            // A sampler in the source is a constant.
            None if self.types.of(declared.qual) == Type::Sampler => Space::Constant,
            Some(Space::Global) | None if globals => Space::Global,
            // Without global variables, a program-scope one that is const can only be constant.
            None if program_scope && declared.qual.constant => Space::Constant,
            Some(Space::Global) | None => return self.error(at, need),
            Some(space @ (Space::Private | Space::Local | Space::Generic)) => {
                let message = format!("a variable here cannot be in {space} memory");
                return self.error(at, message);
            }
        };
        let mut qual = declared.qual.in_space(space);
        self.no_event(qual, at, "a variable that outlives its function")?;
        self.no_handle(qual, at)?;
        self.no_image_variable(qual, one.init.is_some(), at)?;
        if space == Space::Constant {
            qual.constant = true;
        }
        let external = specs.storage == Some(Storage::Extern);
        if external && one.init.is_some() {
            let message = "this `extern` variable has an initialiser";
            self.diags.warning(at, message);
        }
        let (mut init, mut relocs, defined) = (Vec::new(), Vec::new(), one.init.is_some());
        if let Some(written) = &one.init {
            // The variable is in scope in its own initialiser; only its address is of use there.
            let (sized, value) = self.initializer(qual, written, at)?;
            qual = sized;
            (init, relocs) = self.static_value(qual, &value, at)?;
        } else if space == Space::Constant && !external {
            return self.error(at, "a variable in constant memory has an initialiser");
        }
        if !external || defined {
            self.complete(qual, at, "a variable")?;
        }
        let align = self.alignment(specs, one, qual);
        let previous = match self.scopes.find_here(name.symbol) {
            Some(Entry::Global(id)) if program_scope => Some(id),
            Some(_) => return self.twice(name),
            None => None,
        };
        if let Some(id) = previous {
            let old = &self.globals[id.0 as usize];
            let (old_qual, had_init) = (old.qual, !old.init.is_empty());
            if old_qual.ty != qual.ty || old_qual.space != qual.space {
                let name = self.name(name.symbol);
                return self.error(at, format!("`{name}` is declared again with another type"));
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
        let global = Global {
            name: self.name(name.symbol),
            qual,
            align,
            external: program_scope && specs.storage != Some(Storage::Static),
            declared_only: external && !defined,
            init,
            relocs,
        };
        let id = GlobalId(add(&mut self.globals, global));
        self.scopes.declare(name.symbol, Entry::Global(id));
        Ok(())
    }

    /// The alignment of a variable: its type's, or what attributes ask for if that is more.
    fn alignment(&mut self, specs: &Specs, one: &InitDeclarator, qual: Qual) -> u64 {
        let own = self.alignment_attr(&one.declarator.attrs);
        let common = self.alignment_attr(&specs.attrs);
        self.types.align(qual).max(own.max(common).unwrap_or(1))
    }

    /// Checks that a variable of a function is not too large.
    fn check_size(&mut self, qual: Qual, at: Loc) -> Checked<()> {
        let size = self.complete(qual, at, "a variable")?;
        if size > VARIABLE_LIMIT {
            let message = format!("this variable has {size} bytes, more than Touchstone gives");
            return self.error(at, message);
        }
        Ok(())
    }

    /// A declaration in a block.
    pub(super) fn local_declaration(
        &mut self,
        declaration: &Declaration,
        out: &mut Vec<Stmt>,
    ) -> Checked<()> {
        let (specs, base) = self.declaration_specs(declaration)?;
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
        let var = Var {
            name: String::new(),
            qual,
            in_memory: false,
            align: 1,
        };
        if let Ok(id) = self.new_var(var, name.loc) {
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
        let name = one.declarator.name.ok_or(Reported)?;
        let at = name.loc;
        if specs.storage == Some(Storage::Typedef) {
            return self.typedef(declared, one);
        }
        if declared.function.is_some() {
            self.declare_function(specs, &one.declarator, declared, false)?;
            return Ok(());
        }
        if specs.storage == Some(Storage::Extern) {
            return self.error(at, "`extern` variables are declared at program scope");
        }
        if self.types.is_block(declared.qual) {
            let is_static = specs.storage == Some(Storage::Static);
            return self.block_variable(declared.qual, is_static, one, out);
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
        let mut qual = declared.qual.in_space(Space::Private);
        self.no_image_variable(qual, one.init.is_some(), at)?;
        // Of an array it is the elements', whose number the initialiser may give.
        let align = self.alignment(specs, one, qual);
        if let Type::Atomic(_) | Type::AtomicFlag = self.types.of(qual)
            && one.init.is_some()
        {
            let message =
                "ATOMIC_VAR_INIT is for atomic objects at program scope; atomic_init for others";
            self.diags.warning(at, message);
        }
        // The name is in scope from its declarator on, so in its initialiser too.
        let var = Var {
            name: self.name(name.symbol),
            qual,
            in_memory: false,
            align,
        };
        let id = self.new_var(var, at)?;
        self.scopes.declare(name.symbol, Entry::Var(id));
        let init = match &one.init {
            Some(init) => {
                let (sized, init) = self.initializer(qual, init, at)?;
                qual = sized;
                init
            }
            None => Init::None,
        };
        self.check_size(qual, at)?;
        let in_memory = self.types.ir(qual).is_none()
            || matches!(self.types.of(qual), Type::Atomic(_) | Type::AtomicFlag)
            || qual.volatile;
        let var = &mut self.current(at)?.vars[id.0 as usize];
        var.qual = qual;
        var.in_memory |= in_memory;
        out.push(Stmt {
            kind: StmtKind::Init(id, init),
            loc: at,
        });
        Ok(())
    }

    /// Refuses an `event_t`, which lives in private variables only (OpenCL C 6.11).
    pub(super) fn no_event(&mut self, mut qual: Qual, at: Loc, what: &str) -> Checked<()> {
        while let Some((element, _)) = self.types.element(qual) {
            qual = element;
        }
        if self.types.of(qual) == Type::Event {
            return self.error(at, format!("{what} cannot be of type `event_t`"));
        }
        Ok(())
    }

    /// Refuses at program scope what names something of one launch (OpenCL C 6.11).
    fn no_handle(&mut self, qual: Qual, at: Loc) -> Checked<()> {
        if let Type::DeviceEvent | Type::Reservation = self.types.of(qual) {
            let ty = self.show(qual.value());
            let message = format!("a variable that outlives its function cannot be of type `{ty}`");
            return self.error(at, message);
        }
        Ok(())
    }

    /// A variable in local memory (OpenCL C 6.7.2).
    fn local_variable(&mut self, specs: &Specs, qual: Qual, one: &InitDeclarator) -> Checked<()> {
        let name = one.declarator.name.ok_or(Reported)?;
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
        self.no_event(qual, at, "a variable in local memory")?;
        self.no_image(qual, at, "a variable in local memory")?;
        self.check_size(qual, at)?;
        let local = Local {
            name: self.name(name.symbol),
            qual,
            align: self.alignment(specs, one, qual),
            kernel: id,
        };
        let local = LocalId(add(&mut self.locals, local));
        self.scopes.declare(name.symbol, Entry::Local(local));
        Ok(())
    }
}
