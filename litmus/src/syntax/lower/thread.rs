//! A thread's registers, and how names resolve inside it.
//!
//! One name may stand for a register and a location at once. Registers are never pointers, so
//! where a pointer is needed the location is meant, and where a value is needed the register.

use super::command::CallTree;
use super::locations::{Locations, names_location};
use crate::program::{Instr, LocId, RegId, Register, ScalarType};
use crate::syntax::error::{Outcome, Problem, Span, nearest};
use crate::syntax::limits::MAX_REGISTERS;
use crate::syntax::parse::{is_reserved, reserved};
use crate::syntax::tree::{BaseType, Name, Param, Space, Type};
use std::collections::HashMap;

/// A register that the init list sets.
pub(crate) struct InitialRegister {
    pub name: Name,
    pub ty: Option<ScalarType>,
    pub value: i64,
}

/// How a thread declares a location.
#[derive(Clone, Copy)]
pub(super) struct ParamUse {
    pub location: LocId,
    pub volatile: bool,
    pub pointer: bool,
}

/// An enclosing loop, as `break` and `continue` see it.
pub(crate) struct Loop {
    /// Zero once `break` was taken.
    pub(super) going: Option<RegId>,
    /// Zero while the rest of the pass is skipped.
    pub(super) running: Option<RegId>,
}

/// A thread on its way from tree to instructions.
pub(crate) struct ThreadLowering<'l> {
    pub(super) locations: &'l Locations,
    params: HashMap<String, ParamUse>,
    registers: Vec<Register>,
    names: HashMap<String, (RegId, Span)>,
    /// Names declared in each block that is still open.
    open: Vec<Vec<String>>,
    /// Entries of the init list whose register has not appeared yet.
    initial: Vec<InitialRegister>,
    /// Instructions that must run before the one being made.
    pub(super) before: Vec<Instr>,
    /// Inside how many operands that C may leave unevaluated.
    pub(super) conditional: u32,
    pub(super) loops: Vec<Loop>,
    pub(super) instructions: usize,
    /// Calls of the OpenCL API, whose names are not yet resolved.
    pub(super) calls: Vec<CallTree>,
}

impl<'l> ThreadLowering<'l> {
    pub fn new(locations: &'l Locations, initial: Vec<InitialRegister>) -> ThreadLowering<'l> {
        ThreadLowering {
            locations,
            params: HashMap::new(),
            registers: Vec::new(),
            names: HashMap::new(),
            open: vec![Vec::new()],
            initial,
            before: Vec::new(),
            conditional: 0,
            loops: Vec::new(),
            instructions: 0,
            calls: Vec::new(),
        }
    }

    /// A parameter: a location, or a private variable that the init list sets.
    pub fn parameter(&mut self, param: &Param) -> Outcome<()> {
        let Name { text, span } = &param.name;
        let twice = self.params.contains_key(text) || self.names.contains_key(text);
        if twice {
            return Err(span.second(format!("the parameter {text} is declared twice")));
        }
        match self.locations.find(text) {
            Some(location) => {
                let usage = ParamUse {
                    location,
                    volatile: param.ty.volatile,
                    pointer: param.ty.pointer,
                };
                self.params.insert(text.clone(), usage);
            }
            None => {
                debug_assert!(!names_location(param));
                self.declare(&param.ty, &param.name)?;
            }
        }
        Ok(())
    }

    /// The calls of the OpenCL API, in order.
    pub fn take_calls(&mut self) -> Vec<CallTree> {
        std::mem::take(&mut self.calls)
    }

    /// The registers, those that only the init list names last.
    pub fn finish(mut self) -> Outcome<Vec<Register>> {
        self.initial_registers()?;
        Ok(self.registers)
    }

    /// Declares the registers of the init list that have not appeared yet, in its order.
    pub(super) fn initial_registers(&mut self) -> Outcome<()> {
        while !self.initial.is_empty() {
            let name = self.initial[0].name.clone();
            self.initial_register(&name)?;
        }
        Ok(())
    }

    /// Declares a register. The name must not be declared in a block that is still open; a
    /// register of a block that has ended is taken up again.
    pub(super) fn declare(&mut self, ty: &Type, name: &Name) -> Outcome<RegId> {
        let scalar = register_type(ty)?;
        if let Some((id, before)) = self.names.get(&name.text).copied() {
            let visible = self.open.iter().flatten().any(|n| *n == name.text);
            let same = self.registers[id.index()].ty == scalar;
            if visible || !same {
                let message = if visible {
                    format!("{} is already declared", name.text)
                } else {
                    format!("{} is declared with two types", name.text)
                };
                return Err(name
                    .span
                    .second(message)
                    .also(before, "the first one")
                    .help("a test's question cannot tell two registers of one name apart"));
            }
            self.open_block().push(name.text.clone());
            return Ok(id);
        }
        self.open_block().push(name.text.clone());
        let id = self.add(&name.text, scalar, name.span)?;
        self.take_initial(&name.text, id);
        Ok(id)
    }

    fn open_block(&mut self) -> &mut Vec<String> {
        if self.open.is_empty() {
            self.open.push(Vec::new());
        }
        let last = self.open.len() - 1;
        &mut self.open[last]
    }

    pub(super) fn enter_block(&mut self) {
        self.open.push(Vec::new());
    }

    pub(super) fn leave_block(&mut self) {
        self.open.pop();
    }

    fn add(&mut self, name: &str, ty: ScalarType, span: Span) -> Outcome<RegId> {
        if self.registers.len() == MAX_REGISTERS {
            return Err(span.problem(
                format!("a thread has more than {MAX_REGISTERS} registers"),
                "one too many",
            ));
        }
        let id = RegId(self.registers.len() as u32);
        self.registers.push(Register {
            name: name.to_string(),
            ty,
            init: 0,
        });
        self.names.insert(name.to_string(), (id, span));
        Ok(id)
    }

    /// A complete register, as YAML states it.
    pub fn add_register(&mut self, register: Register, span: Span) -> Outcome<()> {
        if self.names.contains_key(&register.name) {
            return Err(span.second(format!("{} is already declared", register.name)));
        }
        let id = self.add(&register.name, register.ty, span)?;
        self.registers[id.index()].init = register.ty.wrap(register.init);
        Ok(())
    }

    fn take_initial(&mut self, name: &str, id: RegId) {
        if let Some(at) = self.initial.iter().position(|i| i.name.text == name) {
            let initial = self.initial.remove(at);
            let register = &mut self.registers[id.index()];
            register.init = register.ty.wrap(initial.value);
        }
    }

    /// The register of an entry of the init list that no declaration has claimed.
    fn initial_register(&mut self, name: &Name) -> Outcome<Option<RegId>> {
        let Some(at) = self.initial.iter().position(|i| i.name.text == name.text) else {
            return Ok(None);
        };
        let ty = self.initial[at].ty.unwrap_or_default();
        let id = self.add(&name.text, ty, name.span)?;
        self.take_initial(&name.text, id);
        Ok(Some(id))
    }

    /// A register of our own making, named so that it meets no other name of the thread.
    pub(super) fn fresh(&mut self, stem: &str, span: Span) -> Outcome<RegId> {
        let mut n = 0;
        loop {
            let name = format!("{stem}{n}");
            let taken = self.names.contains_key(&name)
                || self.params.contains_key(&name)
                || self.locations.find(&name).is_some()
                || self.initial.iter().any(|i| i.name.text == name);
            if !taken {
                return self.add(&name, ScalarType::Int, span);
            }
            n += 1;
        }
    }

    pub(super) fn set_type(&mut self, register: RegId, ty: ScalarType) {
        self.registers[register.index()].ty = ty;
    }

    /// The register named so, if there is one.
    pub(super) fn register(&mut self, name: &Name) -> Outcome<Option<RegId>> {
        match self.names.get(&name.text) {
            Some((id, _)) => Ok(Some(*id)),
            None => self.initial_register(name),
        }
    }

    /// The register to assign to; one that was never declared becomes an `int`.
    pub fn register_or_new(&mut self, name: &Name) -> Outcome<RegId> {
        match self.register(name)? {
            Some(id) => Ok(id),
            None if is_reserved(&name.text) => Err(reserved(name)),
            None => self.add(&name.text, ScalarType::Int, name.span),
        }
    }

    /// The location named so, if there is one, and how this thread declares it.
    pub(super) fn location(&self, name: &str) -> Option<ParamUse> {
        self.params.get(name).copied().or_else(|| {
            self.locations.find(name).map(|location| ParamUse {
                location,
                volatile: false,
                pointer: true,
            })
        })
    }

    pub(super) fn unknown(&self, name: &str, span: Span) -> Problem {
        let known = self.names.keys().map(String::as_str);
        let problem = span.problem(
            format!("{name} is neither a register of this thread nor a location"),
            "unknown name",
        );
        problem.did_you_mean(
            nearest(name, known).or_else(|| self.locations.nearest(name)),
            || "declare registers (int r0;) and make locations parameters of the thread".to_owned(),
        )
    }
}

/// The type of a private variable.
pub(crate) fn register_type(ty: &Type) -> Outcome<ScalarType> {
    if ty.pointer {
        return Err(ty
            .problem(
                "pointer variables are not supported",
                "a register holds an integer",
            )
            .help("name the location itself where it is accessed"));
    }
    if ty.atomic {
        return Err(ty.problem(
            "a private variable cannot be atomic",
            "expected an integer type",
        ));
    }
    if let Some((Space::Memory(_) | Space::Generic | Space::Constant, span)) = ty.space {
        return Err(span
            .problem(
                "a variable of a thread is private",
                "remove the address space",
            )
            .help("shared locations are declared in the init list and as parameters"));
    }
    scalar_type(ty.base, ty.span)
}

/// The scalar a declaration stands for; `bool` is a flag, 0 or 1.
fn scalar_type(base: BaseType, span: Span) -> Outcome<ScalarType> {
    match base {
        BaseType::Scalar(ty) => Ok(ty),
        BaseType::Bool => Ok(ScalarType::Flag),
        BaseType::Void => {
            Err(span.problem("a variable cannot be void", "expected an integer type"))
        }
    }
}
