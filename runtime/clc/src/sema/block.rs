//! Blocks (OpenCL C, Blocks).
//!
//! A block is a function whose first parameter points to what it captured: a struct that the literal fills and
//! that lies in private memory where the literal is. Which function a block variable stands for is known when
//! it is declared, as it never changes; a parameter of a function that is a block gets the function's body
//! checked, and lowered, once for each block that is passed ([`template`](super::template)).

use super::scope::{BlockEntry, Entry};
use super::{Checked, Current, Sema};
use crate::ast::{self, BlockLiteral, InitDeclarator, Param};
use crate::diag::{Reported, count};
use crate::hir::{Body, Expr, ExprKind, FnId, Function, Init, Stmt, StmtKind, Var, VarId};
use crate::intern::{Symbol, add};
use crate::source::Loc;
use crate::types::{Field, Qual, Record, Space, Type};
use touchstone_faults::{Fault, on};
use touchstone_ir as ir;

/// A variable of the function around a block that the block has a copy of.
pub(super) struct Capture {
    /// What the name means outside.
    from: Entry,
    /// The copy.
    to: VarId,
}

const NEEDS: &str = "a block needs OpenCL C 2.0, or 3.0 with __opencl_c_device_enqueue";

impl Sema<'_> {
    /// What a name means here. A variable of a function around a block is captured by it.
    pub(super) fn resolve(&mut self, name: Symbol, at: Loc) -> Checked<Option<Entry>> {
        let Some((scope, entry)) = self.scopes.find_in(name) else {
            return Ok(None);
        };
        let own = self.current.as_ref().map_or(0, |current| current.base);
        // What is at program scope, and before it, is everybody's.
        if scope >= own || scope <= 1 {
            return Ok(Some(entry));
        }
        match entry {
            Entry::Var(_) | Entry::Local(_) | Entry::Through(_) => {
                self.capture(name, scope, entry, at).map(Some)
            }
            Entry::Block(_) => {
                let name = self.name(name);
                let message = format!("a block cannot capture another block, as `{name}` is");
                self.error(at, message)
            }
            Entry::Global(_) | Entry::Function(_) | Entry::Typedef(_) | Entry::Enumerator(..) => {
                Ok(Some(entry))
            }
        }
    }

    /// The function or block that is being checked, by how many are around it.
    fn level(&mut self, level: usize, at: Loc) -> Checked<&mut Current> {
        if level < self.enclosing.len() {
            return Ok(&mut self.enclosing[level]);
        }
        self.current(at)
    }

    /// Captures a variable in each block between where it was declared and here.
    fn capture(&mut self, name: Symbol, scope: usize, entry: Entry, at: Loc) -> Checked<Entry> {
        let mut entry = entry;
        for level in 1..=self.enclosing.len() {
            if self.level(level, at)?.base > scope {
                entry = self.captured(level, name, entry, at)?;
            }
        }
        Ok(entry)
    }

    /// Captures in one block what its surroundings know as `entry`.
    fn captured(&mut self, level: usize, name: Symbol, entry: Entry, at: Loc) -> Checked<Entry> {
        let outer = level - 1;
        let (mut qual, through) = match entry {
            Entry::Local(id) => {
                let object = self.locals[id.0 as usize].qual;
                (self.types.pointer(object), true)
            }
            Entry::Through(id) => (self.level(outer, at)?.vars[id.0 as usize].qual, true),
            Entry::Var(id) => {
                let var = &mut self.level(outer, at)?.vars[id.0 as usize];
                (var.qual, false)
            }
            _ => return Err(Reported),
        };
        if let Type::Atomic(_) | Type::AtomicFlag = self.types.of(qual) {
            let message = format!(
                "`{}`, an atomic object, cannot be captured",
                self.name(name)
            );
            return self.error(at, message);
        }
        // An array is captured as it is passed to functions.
        if let (Some((element, _)), Entry::Var(id)) = (self.types.element(qual), entry) {
            qual = self.types.pointer(element);
            self.level(outer, at)?.vars[id.0 as usize].in_memory = true;
        }
        qual.constant = true;
        let var = Var {
            name: self.name(name),
            qual,
            in_memory: self.types.ir(qual).is_none() || qual.volatile,
            align: self.types.align(qual),
        };
        let block = self.level(level, at)?;
        let to = VarId(add(&mut block.vars, var));
        block.captures.push(Capture { from: entry, to });
        let base = block.base;
        let inner = match through {
            true => Entry::Through(to),
            false => Entry::Var(to),
        };
        self.scopes.declare_in(base, name, inner);
        Ok(inner)
    }

    /// `^result (parameters) { … }`
    pub(super) fn block_literal(&mut self, literal: &BlockLiteral, at: Loc) -> Checked<Expr> {
        if !self.language.device_enqueue {
            return self.error(at, NEEDS);
        }
        if literal.variadic {
            return self.error(at, "a block takes a fixed number of arguments");
        }
        let ret = literal.ret.as_ref().map(|ret| self.type_name(ret));
        let ret = ret.transpose()?.map(Qual::value);
        if let Some(ret) = ret.filter(|&ret| self.types.is_block(ret)) {
            let message = format!("a block cannot return a block, as `{}` is", self.show(ret));
            return self.error(at, message);
        }
        let quals = self.block_parameters(&literal.params)?;
        let within = self.current.as_ref().map(|current| current.id);
        let within = within.map_or(String::new(), |id| {
            format!(" in {}", self.functions[id.0 as usize].name)
        });
        let pointer = self.captured_pointer();
        let void = self.types.void();
        let function = Function {
            name: format!("block{within}"),
            loc: at,
            ret: ret.unwrap_or(void),
            params: std::iter::once(pointer)
                .chain(quals.iter().copied())
                .collect(),
            external: false,
            kernel: None,
            body: None,
        };
        let id = FnId(add(&mut self.functions, function));
        let base = self.scopes.depth();
        let block = Current {
            infers: ret.is_none(),
            ..Current::new(id, ret.unwrap_or(void), base)
        };
        let around = self.current.replace(block);
        let nested = around.is_some();
        self.enclosing.extend(around);
        // What is captured is declared around the parameters.
        self.open_scope();
        self.open_scope();
        let stmts = self.block_body(literal, &quals, at);
        self.close_scope();
        self.close_scope();
        let block = self.current.take();
        self.current = if nested { self.enclosing.pop() } else { None };
        let stmts = stmts?;
        let block = block.ok_or(Reported)?;
        self.finish_block(id, block, stmts, literal, at)
    }

    fn block_parameters(&mut self, params: &[Param]) -> Checked<Vec<Qual>> {
        // Each on its own: all that are wrong are reported.
        let quals: Vec<_> = params
            .iter()
            .map(|param| self.block_parameter(param))
            .collect();
        quals.into_iter().collect()
    }

    /// The type of a parameter of a block, which is none itself.
    fn block_parameter(&mut self, param: &Param) -> Checked<Qual> {
        let (qual, _) = self.parameter(param)?;
        if self.types.is_block(qual) {
            let at = param.declarator.loc;
            return self.error(at, "a block cannot be a parameter of a block");
        }
        Ok(qual)
    }

    fn block_body(
        &mut self,
        literal: &BlockLiteral,
        quals: &[Qual],
        at: Loc,
    ) -> Checked<Vec<Stmt>> {
        let pointer = self.captured_pointer();
        let var = Var {
            name: String::new(),
            qual: pointer,
            in_memory: false,
            align: self.types.align(pointer),
        };
        self.new_var(var, at)?;
        for (param, &qual) in literal.params.iter().zip(quals) {
            // What is wrong has been reported.
            let _ = self.bind_parameter(param, qual);
        }
        let stmts = self.statements(&literal.body);
        self.check_labels();
        Ok(stmts)
    }

    /// The type of pointers to what blocks captured.
    pub(super) fn captured_pointer(&mut self) -> Qual {
        let void = self.types.void();
        self.types.pointer(void)
    }

    /// Gives a block its captures, and the literal that makes it.
    fn finish_block(
        &mut self,
        id: FnId,
        block: Current,
        stmts: Vec<Stmt>,
        literal: &BlockLiteral,
        at: Loc,
    ) -> Checked<Expr> {
        let copies: Vec<Qual> = block
            .captures
            .iter()
            .map(|capture| block.vars[capture.to.0 as usize].qual)
            .collect();
        let record = self.captures_record(&copies, at)?;
        let mut body = self.taken_over(&block, record, &copies, at);
        body.extend(stmts);
        let function = &mut self.functions[id.0 as usize];
        function.ret = block.ret;
        function.body = Some(Body {
            vars: block.vars,
            stmts: body,
            end: literal.end,
        });
        let (ret, params) = (function.ret, function.params[1..].to_vec());
        self.captures.insert(id, record);
        let captured = match block.captures.is_empty() {
            true => None,
            false => Some(Box::new(self.filled(&block.captures, record, at)?)),
        };
        let qual = self.types.block(ret, params.into_iter());
        Ok(self.value(ExprKind::Block(id, captured), qual, at))
    }

    /// The struct of what a block captured; one byte where that is nothing.
    fn captures_record(&mut self, copies: &[Qual], at: Loc) -> Checked<Qual> {
        let byte = self.types.scalar(crate::types::Scalar::UChar);
        let of = if copies.is_empty() {
            &[byte][..]
        } else {
            copies
        };
        let fields = of.iter().map(|&qual| Field {
            name: None,
            qual: qual.value(),
            offset: 0,
            align: 1,
            packed: false,
        });
        let record = Record {
            fields: fields.collect(),
            ..Record::default()
        };
        let id = self.types.add_record(record);
        match self.types.lay_out(id, false, None) {
            Ok(()) => Ok(self.types.plain(Type::Record(id))),
            Err(_) => self.error(at, "what this block captures is too large"),
        }
    }

    /// The fields of a struct of captures: where they are, and how they are aligned.
    fn capture_places(&self, record: Qual) -> Vec<(u64, u64)> {
        match self.types.of(record) {
            Type::Record(id) => {
                let fields = self.types.record(id).fields.iter();
                fields.map(|field| (field.offset, field.align)).collect()
            }
            _ => Vec::new(),
        }
    }

    /// What a block begins with: its copies get their values.
    fn taken_over(&self, block: &Current, record: Qual, copies: &[Qual], at: Loc) -> Vec<Stmt> {
        let places = self.capture_places(record);
        let captures = block.captures.iter().zip(copies).zip(places);
        captures
            .map(|((capture, &qual), (offset, align))| {
                let own = |kind, qual| Expr {
                    kind,
                    qual,
                    lvalue: true,
                    loc: at,
                };
                let pointer = block.vars[0].qual;
                let pointer = own(ExprKind::Var(VarId(0)), pointer);
                let pointer = self.value(ExprKind::Load(Box::new(pointer)), block.vars[0].qual, at);
                let all = own(ExprKind::Deref(Box::new(pointer)), record);
                let field = own(ExprKind::Field(Box::new(all), offset, align), qual.value());
                let value = self.value(ExprKind::Load(Box::new(field)), qual, at);
                Stmt {
                    kind: StmtKind::Init(capture.to, Init::Value(Box::new(value))),
                    loc: at,
                }
            })
            .collect()
    }

    /// The struct of what a block captures, filled: the pointer to it.
    fn filled(&mut self, captures: &[Capture], record: Qual, at: Loc) -> Checked<Expr> {
        let places = self.capture_places(record);
        let mut parts = Vec::with_capacity(captures.len());
        for (capture, (offset, _)) in captures.iter().zip(places) {
            parts.push((offset, self.capture_of(capture.from, at)?));
        }
        let var = Var {
            name: String::new(),
            qual: record,
            in_memory: true,
            align: self.types.align(record),
        };
        let var = self.new_var(var, at)?;
        let object = Expr {
            kind: ExprKind::Compound(var, Box::new(Init::Parts(parts))),
            qual: record,
            lvalue: true,
            loc: at,
        };
        let pointer = self.types.pointer(record);
        let pointer = self.value(ExprKind::AddressOf(Box::new(object)), pointer, at);
        let to = self.captured_pointer();
        Ok(self.pointer_as(pointer, to))
    }

    /// The value that a block captures of a name.
    fn capture_of(&mut self, from: Entry, at: Loc) -> Checked<Expr> {
        let (kind, qual) = match from {
            Entry::Local(id) => (ExprKind::Local(id), self.locals[id.0 as usize].qual),
            Entry::Var(id) | Entry::Through(id) => {
                let qual = self.current(at)?.vars[id.0 as usize].qual;
                (ExprKind::Var(id), qual)
            }
            _ => return Err(Reported),
        };
        let object = Expr {
            kind,
            qual,
            lvalue: true,
            loc: at,
        };
        if matches!(from, Entry::Local(_)) {
            let qual = self.types.pointer(qual);
            return Ok(self.value(ExprKind::AddressOf(Box::new(object)), qual, at));
        }
        if let Type::Array(..) = self.types.of(qual) {
            return self.load(object);
        }
        Ok(self.value(ExprKind::Load(Box::new(object)), qual, at))
    }

    /// A block by its name.
    pub(super) fn named_block(&mut self, block: BlockEntry, at: Loc) -> Expr {
        let pointer = self.captured_pointer();
        let captured = block.captured.map(|var| {
            let var = Expr {
                kind: ExprKind::Var(var),
                qual: pointer,
                lvalue: true,
                loc: at,
            };
            Box::new(self.value(ExprKind::Load(Box::new(var)), pointer, at))
        });
        self.value(ExprKind::Block(block.function, captured), block.qual, at)
    }

    /// A variable that is a block, in a function.
    pub(super) fn block_variable(
        &mut self,
        qual: Qual,
        is_static: bool,
        one: &InitDeclarator,
        out: &mut Vec<Stmt>,
    ) -> Checked<()> {
        let name = one.declarator.name.ok_or(Reported)?;
        let (function, captured) = self.initial_block(qual, one)?;
        let captured = match captured {
            None => None,
            Some(_) if is_static => {
                let message = "a static block captures nothing";
                return self.error(name.loc, message);
            }
            Some(pointer) => {
                let qual = pointer.qual;
                let var = Var {
                    name: self.name(name.symbol),
                    qual,
                    in_memory: false,
                    align: self.types.align(qual),
                };
                let var = self.new_var(var, name.loc)?;
                out.push(Stmt {
                    kind: StmtKind::Init(var, Init::Value(pointer)),
                    loc: name.loc,
                });
                Some(var)
            }
        };
        self.declare_block(name, qual, function, captured)
    }

    /// A variable that is a block, at program scope.
    pub(super) fn program_block(
        &mut self,
        qual: Qual,
        is_extern: bool,
        one: &InitDeclarator,
    ) -> Checked<()> {
        let name = one.declarator.name.ok_or(Reported)?;
        if is_extern {
            return self.error(name.loc, "a block variable cannot be `extern`");
        }
        // There is nothing at program scope that could be captured.
        let (function, _) = self.initial_block(qual, one)?;
        self.declare_block(name, qual, function, None)
    }

    fn declare_block(
        &mut self,
        name: ast::Name,
        qual: Qual,
        function: FnId,
        captured: Option<VarId>,
    ) -> Checked<()> {
        if self.scopes.find_here(name.symbol).is_some() {
            return self.twice(name);
        }
        let entry = Entry::Block(BlockEntry {
            function,
            qual: qual.value(),
            captured,
        });
        self.scopes.declare(name.symbol, entry);
        Ok(())
    }

    /// The block that a block variable is, which is said where it is declared.
    fn initial_block(
        &mut self,
        qual: Qual,
        one: &InitDeclarator,
    ) -> Checked<(FnId, Option<Box<Expr>>)> {
        let at = one.declarator.loc;
        if !self.language.device_enqueue {
            return self.error(at, NEEDS);
        }
        let Some(ast::Init::Expr(init)) = &one.init else {
            let message = "a block variable has an initialiser, as it never changes";
            return self.error(at, message);
        };
        let value = self.rvalue(init)?;
        self.block_of(value, qual, "the initialiser")
    }

    /// The block that an expression of a type of blocks is. `what` begins the message when it is none.
    pub(super) fn block_of(
        &mut self,
        value: Expr,
        qual: Qual,
        what: &str,
    ) -> Checked<(FnId, Option<Box<Expr>>)> {
        let at = value.loc;
        let value = self.implicit(value, qual.value(), what)?;
        match value.kind {
            ExprKind::Block(function, captured) => Ok((function, captured)),
            _ => self.error(
                at,
                "which block this is cannot be known when it is compiled",
            ),
        }
    }

    /// A call of a block.
    pub(super) fn call_block(&mut self, block: Expr, args: &[ast::Expr], at: Loc) -> Checked<Expr> {
        let Type::Block(id) = self.types.of(block.qual) else {
            return self.error(at, "only a function or a block can be called");
        };
        let signature = self.types.signature(id).clone();
        let qual = block.qual;
        let (function, captured) = self.block_of(block, qual, "what is called")?;
        if args.len() != signature.params.len() {
            let (takes, given) = (count(signature.params.len(), "argument"), args.len());
            let message = format!("this block takes {takes}, and is given {given}");
            return self.error(at, message);
        }
        let pointer = self.captured_pointer();
        let captured = captured.filter(|_| !on(Fault::CalledBlockHoldsNothing));
        let first = captured.map_or_else(|| self.null(pointer, at), |captured| *captured);
        let mut values = vec![first];
        for (i, (arg, param)) in (1..).zip(args.iter().zip(signature.params)) {
            let value = self.expr(arg)?;
            values.push(self.implicit(value, param, &format!("argument {i} of this block"))?);
        }
        self.note_call(function, at);
        Ok(self.value(ExprKind::Call(function, values), signature.ret, at))
    }

    /// Makes a block one that kernels enqueue.
    pub(super) fn make_child(&mut self, function: FnId) {
        let Some(&captures) = self.captures.get(&function) else {
            // A parameter in the first look at a function.
            return;
        };
        let block = &self.functions[function.0 as usize];
        let locals = block.params.len() - 1;
        let number = |bytes: u64| u32::try_from(bytes).unwrap_or(u32::MAX);
        let size = self.types.size(captures).unwrap_or(0);
        let argument = |name: &str, pass| ir::KernelArg {
            name: name.to_owned(),
            type_name: String::new(),
            qualifiers: ir::TypeQualifiers::default(),
            pass,
        };
        let first = ir::ArgPass::Aggregate {
            size: number(size),
            align: number(self.types.align(captures)),
        };
        let local = ir::ArgPass::LocalPointer { align: LOCAL_ALIGN };
        let rest = (0..locals).map(|_| argument("local memory", local));
        let args = std::iter::once(argument("captures", first)).chain(rest);
        let info = ir::KernelInfo {
            args: args.collect(),
            is_block: true,
            ..ir::KernelInfo::default()
        };
        self.functions[function.0 as usize].kernel = Some(info);
    }

    /// Checks that blocks of a type can be enqueued: they return nothing and take pointers to local memory; how
    /// many.
    pub(super) fn local_parameters(&mut self, qual: Qual, at: Loc) -> Checked<usize> {
        let Type::Block(id) = self.types.of(qual) else {
            return Err(Reported);
        };
        let signature = self.types.signature(id).clone();
        let is_void = |qual| self.types.of(qual) == Type::Void;
        let is_local = |qual| {
            let to = self.types.pointee(qual);
            to.is_some_and(|to| to.space == Space::Local && is_void(to))
        };
        if !is_void(signature.ret) || !signature.params.iter().all(|&param| is_local(param)) {
            let message = format!(
                "`{}` cannot be enqueued: such a block returns nothing and takes pointers of type `local void *`",
                self.show(qual)
            );
            return self.error(at, message);
        }
        Ok(signature.params.len())
    }
}

/// Alignment of local memory whose type nobody knows: that of the largest type.
const LOCAL_ALIGN: u32 = 128;
