//! From IR to the bytecode of one kernel.
//!
//! | module | subject |
//! | --- | --- |
//! | [`analysis`] | which instructions disappear into others, which registers share slots |
//! | [`provenance`] | which object each address was computed from |
//! | [`slots`] | where registers live |
//! | [`emit`] | instructions, jumps, side tables of the kernel in the making |
//! | [`order`] | in which order items that wait in different blocks are let go |
//! | [`function`] | one function: blocks, terminators, calls |
//! | [`arith`] | arithmetic, conversions, vectors |
//! | [`compare`] | comparisons |
//! | [`intrinsic`] | calls of built-in functions |
//! | [`memory`] | addresses and accesses |
//! | [`collective`] | calls of collective functions |
//! | [`printf`] | calls of `printf` |
//! | [`device`] | calls of the functions of device-side enqueue |
//!
//! The module must be valid ([`touchstone_ir::validate()`]).

mod analysis;
mod arith;
mod collective;
mod compare;
mod device;
mod emit;
mod function;
mod intrinsic;
mod memory;
mod order;
mod printf;
mod provenance;
mod slots;

use crate::error::PrepareError;
use crate::interp::code::{Kernel, MAX_ALIGN, ParamPlace, Slot};
use crate::launch::KernelId;
use crate::map::{MemoryMap, Permission};
use emit::Emitter;
use function::Interface;
#[cfg(compiles_kernels)]
pub(crate) use order::numbered;
use provenance::{InstanceId, Instances};
use std::collections::BTreeMap;
use touchstone_ir::{
    AddressSpace, ArgPass, Collective, FuncId, Function, Global, KernelInfo, Module, Op,
};

/// Compiles a kernel. `globals` has the addresses of program-scope variables, `kernels` the numbers of kernels.
pub(crate) fn kernel(
    module: &Module,
    id: FuncId,
    globals: &[u64],
    kernels: &BTreeMap<FuncId, KernelId>,
) -> Result<Kernel, PrepareError> {
    let function = &module.functions[id.0 as usize];
    let info = function.kernel.clone().unwrap_or_default();
    let mut e = Emitter::new(&function.name);
    let instances = Instances::of_kernel(module, id);
    let ids = instances.reachable();

    // Parameters, results and return places of all functions come first, so that
    // calls know them before the functions are compiled.
    let mut interfaces: BTreeMap<InstanceId, Interface> = BTreeMap::new();
    let mut params = Vec::new();
    let mut params_end = 0;
    for &i in &ids {
        let called = &module.functions[instances.list[i.0].function.0 as usize];
        let interface = Interface::new(called, &mut e);
        if params_end == 0 && params.is_empty() {
            params_end = e.frame();
            params = info
                .args
                .iter()
                .zip(&interface.params)
                .map(|(arg, &slot)| ParamPlace {
                    slot,
                    private_offset: match arg.pass {
                        ArgPass::Aggregate { size, align } => e.reserve_private(size, align),
                        ArgPass::Value(_)
                        | ArgPass::Pointer(_)
                        | ArgPass::LocalPointer { .. }
                        | ArgPass::Image(..)
                        | ArgPass::Pipe { .. }
                        | ArgPass::Sampler
                        | ArgPass::Queue => 0,
                    },
                })
                .collect();
        }
        interfaces.insert(i, interface);
    }
    // A function is active once at a time, so that its instances share their private memory.
    let mut private: BTreeMap<FuncId, Vec<u64>> = BTreeMap::new();
    for &i in &ids {
        let id = instances.list[i.0].function;
        private.entry(id).or_insert_with(|| {
            let slots = module.functions[id.0 as usize].slots.iter();
            slots.map(|s| e.reserve_private(s.size, s.align)).collect()
        });
    }
    let shuffles = ids.iter().any(|i| {
        let function = &module.functions[instances.list[i.0].function.0 as usize];
        shuffles(function)
    });
    let program = Program {
        shuffles,
        module,
        globals,
        kernels,
        info: &info,
        params: &params,
        instances: &instances,
        interfaces: &interfaces,
        private: &private,
    };
    for &i in &ids {
        function::lower(program, i, &mut e);
    }
    e.finish(info, params, params_end)
}

/// What is the same for all functions of a kernel.
#[derive(Clone, Copy)]
struct Program<'a> {
    module: &'a Module,
    /// Whether some function of the kernel has a shuffle.
    shuffles: bool,
    /// Addresses of program-scope variables.
    globals: &'a [u64],
    /// The numbers of kernels.
    kernels: &'a BTreeMap<FuncId, KernelId>,
    /// The kernel's interface.
    info: &'a KernelInfo,
    /// Where its arguments are.
    params: &'a [ParamPlace],
    instances: &'a Instances<'a>,
    interfaces: &'a BTreeMap<InstanceId, Interface>,
    /// Offsets of the private variables of each function.
    private: &'a BTreeMap<FuncId, Vec<u64>>,
}

fn shuffles(function: &Function) -> bool {
    let mut insts = function.blocks.iter().flat_map(|block| &block.insts);
    insts.any(|inst| {
        let Op::Collective { function, .. } = &inst.op else {
            return false;
        };
        *function == Collective::Shuffle
    })
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
        let mut map = MemoryMap::new();
        for (g, offset) in module.globals.iter().zip(&self.offsets) {
            // SAFETY: the caller's promise.
            unsafe { map.add(base + offset, g.size, permission_of(g)) };
        }
        map
    }
}

/// What kernels may do with a program-scope variable.
fn permission_of(global: &Global) -> Permission {
    match global.space {
        AddressSpace::Constant => Permission::Read,
        AddressSpace::Global
        | AddressSpace::Generic
        | AddressSpace::Local
        | AddressSpace::Private => Permission::ReadWrite,
    }
}
