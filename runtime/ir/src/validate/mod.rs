//! The rules of a well-formed module.
//!
//! | file | rules |
//! | --- | --- |
//! | `mod.rs` | names, ids, variables, kernels; no recursion |
//! | `typing.rs` | operand and result types, address spaces, orders of each operation |
//! | `flow.rs` | temporaries are written before they are read |
//!
//! Executors rely on every rule: they do not check again.

mod flow;
mod typing;

pub use flow::read_before_written;

use crate::calls::{calls, cycles};
use crate::function::{ArgPass, Function};
use crate::ids::Reg;
use crate::module::{Global, Module};
use crate::types::{AddressSpace, Scalar, Type};
use crate::value::{Const, Loc, Operand};
use std::collections::BTreeSet;

/// A module breaks a rule of the IR. Front ends check programs, so this is a
/// defect of the front end, not of the program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{function} at {loc}: {message}")]
pub struct ValidateError {
    /// Function where it is, or the variable.
    pub function: String,
    /// The source place of the instruction.
    pub loc: Loc,
    /// What is wrong.
    pub message: String,
}

/// The message of an error; the place is added where it is known.
type Check = Result<(), String>;

/// `Err` with a formatted message unless the condition holds.
macro_rules! ensure {
    ($condition:expr, $($message:tt)+) => {
        if !$condition {
            return Err(format!($($message)+));
        }
    };
}
use ensure;

/// Checks a module against the rules.
///
/// # Errors
/// The first rule broken.
pub fn validate(module: &Module) -> Result<(), ValidateError> {
    variables(module)?;
    for one in &module.functions {
        function(module, one)?;
    }
    check_recursion(module)
}

/// Checks the variables of a module against the rules.
///
/// # Errors
/// The first rule broken.
pub fn variables(module: &Module) -> Result<(), ValidateError> {
    let variable = |name: &str| {
        let function = format!("variable {name}");
        move |message| ValidateError {
            function,
            loc: Loc::NONE,
            message,
        }
    };
    for global in &module.globals {
        check_global(module, global).map_err(variable(&global.name))?;
    }
    for local in &module.locals {
        check_size(local.size, local.align)
            .and_then(|()| {
                let Some(kernel) = local.kernel else {
                    return Ok(());
                };
                let owner = module.function(kernel);
                ensure!(
                    owner.is_some_and(|f| f.kernel.is_some()),
                    "{kernel} is no kernel"
                );
                Ok(())
            })
            .map_err(variable(&local.name))?;
    }
    Ok(())
}

fn check_size(size: u64, align: u32) -> Check {
    check_align(align)?;
    ensure!(i64::try_from(size).is_ok(), "size {size} is too large");
    Ok(())
}

fn check_align(align: u32) -> Check {
    ensure!(
        align.is_power_of_two(),
        "alignment {align} is no power of two"
    );
    Ok(())
}

fn check_global(module: &Module, global: &Global) -> Check {
    check_size(global.size, global.align)?;
    ensure!(
        matches!(global.space, AddressSpace::Constant | AddressSpace::Global),
        "program-scope variables lie in constant or global memory, not {}",
        global.space
    );
    let size = global.size;
    ensure!(
        global.init.len() as u64 <= size,
        "{} bytes of initial value for {size}",
        global.init.len()
    );
    for reloc in &global.relocs {
        ensure!(
            reloc.offset.checked_add(8).is_some_and(|end| end <= size),
            "a pointer at {} is past the end of {size} bytes",
            reloc.offset
        );
        ensure!(
            (reloc.target.0 as usize) < module.globals.len(),
            "a pointer to {}, which does not exist",
            reloc.target
        );
    }
    Ok(())
}

/// Checks one function of a module, in which others may lack their bodies, against the rules.
///
/// # Errors
/// The first rule broken.
pub fn function(module: &Module, function: &Function) -> Result<(), ValidateError> {
    let at = |loc: Loc| {
        move |message| ValidateError {
            function: function.name.clone(),
            loc,
            message,
        }
    };
    check_signature(function).map_err(at(function.loc))?;
    for block in &function.blocks {
        for inst in &block.insts {
            typing::check_inst(module, function, inst).map_err(at(inst.loc))?;
        }
        typing::check_terminator(function, &block.term).map_err(at(block.term_loc))?;
    }
    flow::check(function).map_err(|(loc, message)| at(loc)(message))
}

fn check_signature(function: &Function) -> Check {
    ensure!(!function.blocks.is_empty(), "has no body");
    for decl in &function.regs {
        check_type(decl.ty)?;
    }
    if let Some(ty) = function.ret {
        check_type(ty)?;
    }
    for slot in &function.slots {
        check_size(slot.size.into(), slot.align)?;
    }
    let mut seen = BTreeSet::new();
    for &param in &function.params {
        ensure!(
            function.reg_type(param).is_some(),
            "parameter {param} is not declared"
        );
        ensure!(seen.insert(param), "parameter {param} appears twice");
    }
    let Some(kernel) = &function.kernel else {
        return Ok(());
    };
    ensure!(function.ret.is_none(), "a kernel returns nothing");
    ensure!(
        kernel.args.len() == function.params.len(),
        "{} argument descriptions for {} parameters",
        kernel.args.len(),
        function.params.len()
    );
    for (arg, &param) in kernel.args.iter().zip(&function.params) {
        let expected = arg.pass.reg_type();
        let declared = function.reg_type(param);
        ensure!(
            declared == Some(expected),
            "argument {} needs a parameter of type {expected}",
            arg.name
        );
        match arg.pass {
            ArgPass::Pointer(space) => ensure!(
                matches!(space, AddressSpace::Global | AddressSpace::Constant),
                "argument {} points to {space} memory, which the host cannot name",
                arg.name
            ),
            ArgPass::Aggregate { size, align } => check_size(size.into(), align)?,
            ArgPass::LocalPointer { align } => check_size(0, align)?,
            ArgPass::Value(ty) => ensure!(
                ty.space().is_none(),
                "argument {} passes a pointer as a value",
                arg.name
            ),
            ArgPass::Image(..) | ArgPass::Pipe { .. } | ArgPass::Sampler | ArgPass::Queue => {}
        }
    }
    Ok(())
}

fn check_type(ty: Type) -> Check {
    match ty {
        Type::Vector(Scalar::Bool, _) => Err("a vector of bool".into()),
        Type::Scalar(_) | Type::Vector(..) | Type::Pointer(_) => Ok(()),
    }
}

fn check_reg(function: &Function, reg: Reg) -> Result<Type, String> {
    function
        .reg_type(reg)
        .ok_or_else(|| format!("{reg} is not declared"))
}

fn check_operand(function: &Function, operand: Operand) -> Result<Type, String> {
    match operand {
        Operand::Reg(reg) => check_reg(function, reg),
        Operand::Const(Const::Scalar { ty, bits }) => {
            ensure!(
                bits & !ty.mask() == 0,
                "constant {bits:#x} has bits beyond {ty}"
            );
            Ok(Type::Scalar(ty))
        }
        Operand::Const(Const::Null(space)) => Ok(Type::Pointer(space)),
    }
}

/// An id of a list, which has so many.
fn check_id(id: impl std::fmt::Display, index: u32, count: usize) -> Check {
    ensure!((index as usize) < count, "{id} does not exist");
    Ok(())
}

fn check_recursion(module: &Module) -> Result<(), ValidateError> {
    let mut first = Ok(());
    cycles(&calls(module), |cycle, loc| {
        let names: Vec<&str> = cycle
            .iter()
            .map(|&f| module.functions[f].name.as_str())
            .collect();
        if let (Ok(()), Some(callee), Some(caller)) = (&first, names.first(), names.last()) {
            first = Err(ValidateError {
                function: (*caller).to_owned(),
                loc,
                message: format!("recursion: {} calls {callee}", names.join(" calls ")),
            });
        }
    });
    first
}
