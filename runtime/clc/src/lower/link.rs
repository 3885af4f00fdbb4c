//! Several units to one module: names of one unit find what another defines.

use super::Lowered;
use std::collections::HashMap;
use std::fmt::Write as _;
use touchstone_faults::{Fault, on};
use touchstone_ir as ir;
use touchstone_ir::calls::{calls, cycles};
use touchstone_ir::{FuncId, GlobalId, LocalId, Op, accesses, computations};

/// What other units see of a function or a variable.
#[derive(Clone, Debug)]
pub(crate) struct Linkage {
    pub(crate) name: String,
    pub(crate) external: bool,
    pub(crate) defined: bool,
    /// Several units may define it, all alike (`LinkOnceODR` of SPIR-V).
    pub(crate) shared: bool,
}

/// Where each thing of each unit is in the module.
struct Places {
    functions: Vec<Vec<Option<u32>>>,
    globals: Vec<Vec<Option<u32>>>,
}

/// The number in the module of what a unit knows by another; None where it is missing.
fn find(places: &[Vec<Option<u32>>], unit: usize, id: u32) -> Option<u32> {
    places[unit].get(id as usize).copied().flatten()
}

/// Gives numbers to what is defined, then finds what is not by name.
fn number<'u>(
    units: impl Iterator<Item = &'u [Linkage]> + Clone,
    what: &str,
    log: &mut String,
) -> Vec<Vec<Option<u32>>> {
    let mut by_name: HashMap<&str, u32> = HashMap::new();
    let mut next = 0;
    let mut places: Vec<Vec<Option<u32>>> = Vec::new();
    for unit in units.clone() {
        let mut here = Vec::new();
        for item in unit {
            if !item.defined {
                here.push(None);
                continue;
            }
            if item.external && by_name.insert(&item.name, next).is_some() && !item.shared {
                let _ = writeln!(log, "error: the {what} `{}` is defined twice", item.name);
            }
            here.push(Some(next));
            next += 1;
        }
        places.push(here);
    }
    for (unit, here) in units.zip(&mut places) {
        for (item, place) in unit.iter().zip(here) {
            if place.is_none() && item.external {
                *place = by_name.get(item.name.as_str()).copied();
            }
        }
    }
    places
}

/// Links units; the log says why not.
pub(crate) fn link(units: &[&Lowered]) -> Result<ir::Module, String> {
    let mut log = String::new();
    let places = Places {
        functions: number(units.iter().map(|u| &*u.functions), "function", &mut log),
        globals: number(units.iter().map(|u| &*u.globals), "variable", &mut log),
    };
    let mut module = ir::Module::new();
    for unit in units {
        for (function, linkage) in unit.module.functions.iter().zip(&unit.functions) {
            if linkage.defined {
                module.add_function(function.clone());
            }
        }
    }
    // The signatures that callers saw have to be those of the definitions.
    for (unit, functions) in units.iter().zip(&places.functions) {
        for (declared, place) in unit.module.functions.iter().zip(functions) {
            let Some(defined) = place.and_then(|p| module.functions.get(p as usize)) else {
                continue;
            };
            let types = |f: &ir::Function| -> Vec<Option<ir::Type>> {
                f.params.iter().map(|&p| f.reg_type(p)).collect()
            };
            if types(declared) != types(defined) || declared.ret != defined.ret {
                let _ = writeln!(
                    log,
                    "error: `{}` is declared with another type than it is defined with",
                    declared.name
                );
            }
        }
    }
    let mut missing = Vec::new();
    let mut next_function = 0usize;
    let mut next_local = 0u32;
    for (u, unit) in units.iter().enumerate() {
        let first_local = next_local;
        for linkage in &unit.functions {
            if !linkage.defined {
                continue;
            }
            let function = &mut module.functions[next_function];
            next_function += 1;
            for block in &mut function.blocks {
                for inst in &mut block.insts {
                    relocate(&mut inst.op, u, unit, &places, first_local, &mut missing);
                }
            }
        }
        for local in &unit.module.locals {
            let place = |kernel: FuncId| find(&places.functions, u, kernel.0).map(FuncId);
            let kernel = local.kernel.and_then(place);
            module.add_local(ir::LocalVar {
                kernel,
                ..local.clone()
            });
            next_local += 1;
        }
        for (global, linkage) in unit.module.globals.iter().zip(&unit.globals) {
            if !linkage.defined {
                continue;
            }
            let mut global = global.clone();
            let is_later = u > 0 && global.space == ir::AddressSpace::Global;
            if is_later && global.relocs.is_empty() && on(Fault::LaterUnitBeginsZero) {
                global.init.clear();
            }
            for reloc in &mut global.relocs {
                let target = reloc.target.0;
                match find(&places.globals, u, target) {
                    Some(place) => reloc.target = GlobalId(place),
                    None => missing.push(unit.globals[target as usize].name.clone()),
                }
            }
            module.add_global(global);
        }
    }
    missing.sort_unstable();
    missing.dedup();
    for name in missing {
        let _ = writeln!(log, "error: `{name}` is used and nowhere defined");
    }
    // In a unit of OpenCL C there is none: it comes about between units, or was in a module of SPIR-V.
    // A call of what is missing leads nowhere that could be followed.
    let mut first = None;
    if log.is_empty() {
        cycles(&calls(&module), |cycle, _| {
            first = first.or(cycle.first().copied())
        });
    }
    if let Some(function) = first {
        let name = &module.functions[function].name;
        let _ = writeln!(
            log,
            "error: `{name}` calls itself; kernels have no recursion"
        );
    }
    if log.is_empty() { Ok(module) } else { Err(log) }
}

/// Renumbers what an operation names.
fn relocate(
    op: &mut Op,
    u: usize,
    unit: &Lowered,
    places: &Places,
    first_local: u32,
    missing: &mut Vec<String>,
) {
    match op {
        Op::Call { callee, .. } => match find(&places.functions, u, callee.0) {
            Some(place) => *callee = FuncId(place),
            None => missing.push(unit.functions[callee.0 as usize].name.clone()),
        },
        Op::Device {
            block: Some(block), ..
        } => match find(&places.functions, u, block.0) {
            Some(place) => *block = FuncId(place),
            None => missing.push(unit.functions[block.0 as usize].name.clone()),
        },
        Op::GlobalAddr(global) => match find(&places.globals, u, global.0) {
            Some(place) => *global = GlobalId(place),
            None => missing.push(unit.globals[global.0 as usize].name.clone()),
        },
        Op::LocalAddr(local) => *local = LocalId(local.0 + first_local),
        computations!()
        | accesses!()
        | Op::Copy(_)
        | Op::Convert { .. }
        | Op::Bitcast(_)
        | Op::PtrCast(_)
        | Op::ToSpace(_)
        | Op::Select(..)
        | Op::SlotAddr(_)
        | Op::PtrAdd { .. }
        | Op::Fence { .. }
        | Op::Barrier { .. }
        | Op::Collective { .. }
        | Op::Device { block: None, .. }
        | Op::Printf { .. } => {}
    }
}
