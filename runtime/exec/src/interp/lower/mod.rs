//! From IR to the bytecode of one kernel.
//!
//! | module | subject |
//! | --- | --- |
//! | [`analysis`] | which instructions disappear into others, which registers share slots |
//! | [`slots`] | where registers live |
//! | [`emit`] | instructions, jumps, side tables of the kernel in the making |
//! | [`function`] | one function: blocks, terminators, calls |
//! | [`arith`] | arithmetic, comparisons, conversions, vectors, intrinsics |
//! | [`memory`] | addresses and accesses |
//!
//! The module must be valid ([`touchstone_ir::validate()`]).

mod analysis;
mod arith;
mod emit;
mod function;
mod memory;
mod slots;

use crate::error::PrepareError;
use crate::interp::code::{Kernel, MAX_ALIGN, ParamPlace, Slot};
use crate::launch::MemoryMap;
use emit::Emitter;
use function::Interface;
use std::collections::BTreeMap;
use touchstone_ir::{ArgPass, FuncId, Module, Op};

/// The functions that a kernel may call, itself first.
fn reachable(module: &Module, kernel: FuncId) -> Vec<FuncId> {
    let mut order = vec![kernel];
    let mut next = 0;
    while let Some(&id) = order.get(next) {
        next += 1;
        let Some(function) = module.function(id) else {
            continue;
        };
        for inst in function.blocks.iter().flat_map(|b| &b.insts) {
            if let Op::Call { callee, .. } = inst.op
                && !order.contains(&callee)
            {
                order.push(callee);
            }
        }
    }
    order
}

/// Compiles a kernel. `globals` has the addresses of program-scope variables.
pub(crate) fn kernel(module: &Module, id: FuncId, globals: &[u64]) -> Result<Kernel, PrepareError> {
    let function = &module.functions[id.0 as usize];
    let info = function.kernel.clone().unwrap_or_default();
    let mut e = Emitter::new(&function.name);
    let ids = reachable(module, id);

    // Parameters, results and return places of all functions come first, so that
    // calls know them before the functions are compiled.
    let mut interfaces: BTreeMap<FuncId, Interface> = BTreeMap::new();
    let mut params_end = 0;
    for &f in &ids {
        let interface = Interface::new(&module.functions[f.0 as usize], &mut e);
        interfaces.insert(f, interface);
        if f == id {
            params_end = e.frame();
        }
    }
    let mut params = Vec::new();
    for (i, arg) in info.args.iter().enumerate() {
        let slot = interfaces[&id].params.get(i).copied().unwrap_or(0);
        let private_offset = match arg.pass {
            ArgPass::Aggregate { size, align } => e.reserve_private(size, align),
            ArgPass::Value(_) | ArgPass::Pointer(_) | ArgPass::LocalPointer { .. } => 0,
        };
        params.push(ParamPlace {
            slot,
            private_offset,
        });
    }
    for &f in &ids {
        function::lower(module, f, f == id, globals, &interfaces, &mut e);
    }
    e.finish(info, params, params_end)
}

/// Slots a value takes: one for each element.
fn width(lanes: u32) -> usize {
    lanes as usize
}

/// A slot as a number, when it fits.
fn slot_number(n: usize) -> Option<Slot> {
    Slot::try_from(n).ok()
}

/// Places program-scope variables one after the other with room between them,
/// so that an access past the end of one does not fall into the next.
#[derive(Debug)]
pub(crate) struct GlobalsLayout {
    /// Offset of each variable.
    pub(crate) offsets: Vec<u64>,
    /// Bytes of all.
    pub(crate) bytes: u64,
}

impl GlobalsLayout {
    /// None when they do not fit into addresses.
    pub(crate) fn new(module: &Module) -> Option<GlobalsLayout> {
        let mut bytes: u64 = 0;
        let mut offsets = Vec::new();
        for g in &module.globals {
            bytes = bytes.checked_next_multiple_of(MAX_ALIGN.max(g.align.into()))?;
            offsets.push(bytes);
            bytes = bytes.checked_add(g.size)?.checked_add(8)?;
        }
        i64::try_from(bytes).ok()?;
        Some(GlobalsLayout { offsets, bytes })
    }

    /// The ranges of all variables, placed from `base` on.
    ///
    /// # Safety
    /// As for [`MemoryMap::add`].
    pub(crate) unsafe fn map(&self, module: &Module, base: u64) -> MemoryMap {
        use crate::launch::Permission;
        use touchstone_ir::AddressSpace;
        let mut map = MemoryMap::new();
        for (g, offset) in module.globals.iter().zip(&self.offsets) {
            let permission = match g.space {
                AddressSpace::Constant => Permission::Read,
                AddressSpace::Global
                | AddressSpace::Generic
                | AddressSpace::Local
                | AddressSpace::Private => Permission::ReadWrite,
            };
            // SAFETY: the caller's promise.
            unsafe { map.add(base + offset, g.size, permission) };
        }
        map
    }
}
