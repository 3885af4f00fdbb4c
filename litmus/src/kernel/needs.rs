//! What a test asks of a device, so that what a device lacks can be reported by name.

use super::shape::{Inexpressible, Shape};
use crate::program::{
    Atomicity, BarrierScope, Expr, Instr, MemOrder, MemScope, Placement, Program, Region, ThreadId,
    each_expr, each_instr,
};
use classay_vocabulary::Need;
use std::collections::BTreeSet;

/// Everything a program needs, and whether the OpenCL 1.x atomics could say it instead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Needs {
    /// What the program needs as it is written.
    pub all: BTreeSet<Need>,
    /// All its atomics are 32-bit, relaxed and of device scope or narrower, on global or local
    /// memory of one device: OpenCL 1.x has functions for them.
    pub fits_v1: bool,
}

impl Needs {
    /// Works out what `program` needs. Also refuses programs with an order that its function does
    /// not take: they have no meaning on any device.
    ///
    /// # Errors
    /// An order that its function does not take, or an operation that no device has.
    pub fn of(program: &Program, shape: &Shape) -> Result<Needs, Inexpressible> {
        let mut all = BTreeSet::new();
        let mut fits_v1 = !shape.crosses_devices() && !shape.uses_sub_groups();
        if shape.devices.iter().any(|d| d.device > 0) {
            let highest = shape.devices.iter().map(|d| d.device).max().unwrap_or(0);
            all.insert(Need::Devices(highest + 1));
        }
        if shape.crosses_devices() {
            all.extend([Need::SvmFine, Need::SvmAtomics, Need::ScopeAllDevices]);
        }
        if shape.uses_sub_groups() {
            all.insert(Need::SubGroups);
        }
        for (index, thread) in program.threads.iter().enumerate() {
            let id = ThreadId(index as u32);
            let on_host = matches!(thread.placement, Placement::Host);
            let mut uses = Vec::new();
            let mut fault = None;
            collect_uses(program, id, &mut uses, &mut fault);
            if let Some(fault) = fault {
                return Err(fault);
            }
            for u in uses {
                if u.bits == 64 && u.memory {
                    all.insert(Need::Int64Atomics);
                    fits_v1 = false;
                }
                if on_host {
                    // A host thread's atomics are the host language's own.
                    continue;
                }
                all.insert(Need::C11Atomics);
                match u.order {
                    MemOrder::Relaxed => {}
                    MemOrder::Acquire | MemOrder::Release | MemOrder::AcqRel => {
                        all.insert(Need::OrderAcqRel);
                        fits_v1 = false;
                    }
                    MemOrder::SeqCst => {
                        all.insert(Need::OrderSeqCst);
                        fits_v1 = false;
                    }
                }
                match u.scope {
                    MemScope::WorkItem | MemScope::WorkGroup => {}
                    MemScope::SubGroup => {
                        all.insert(Need::ScopeSubGroup);
                        fits_v1 = false;
                    }
                    MemScope::Device => {
                        all.insert(Need::ScopeDevice);
                    }
                    MemScope::AllSvmDevices => {
                        all.insert(Need::ScopeAllDevices);
                        fits_v1 = false;
                    }
                }
                if !u.memory {
                    fits_v1 = false;
                }
            }
            each_instr(&thread.body, &mut |i| {
                if let Instr::Barrier(b) = i {
                    if b.scope.is_some() || b.group == BarrierScope::SubGroup {
                        fits_v1 = false;
                    }
                    match b.scope {
                        Some(MemScope::Device) => {
                            all.insert(Need::ScopeDevice);
                        }
                        Some(MemScope::AllSvmDevices) => {
                            all.insert(Need::ScopeAllDevices);
                        }
                        Some(MemScope::WorkItem | MemScope::SubGroup | MemScope::WorkGroup)
                        | None => {}
                    }
                }
            });
        }
        Ok(Needs { all, fits_v1 })
    }
}

/// One use of an atomic function or fence.
struct Use {
    order: MemOrder,
    scope: MemScope,
    bits: u32,
    /// An access, not a fence.
    memory: bool,
}

fn collect_uses(
    program: &Program,
    id: ThreadId,
    uses: &mut Vec<Use>,
    fault: &mut Option<Inexpressible>,
) {
    let thread = &program.threads[id.index()];
    let mut bad = |function: &'static str, order: MemOrder| {
        fault.get_or_insert(Inexpressible::InvalidOrder {
            thread: id,
            function,
            order: order.name(),
        });
    };
    let mut wrong_type = None;
    let mut atomic = |loc: crate::program::LocId, order: MemOrder, scope: Option<MemScope>| {
        let location = &program.locations[loc.index()];
        if location.ty.atomic_name().is_none() {
            wrong_type.get_or_insert(Inexpressible::NotAtomicType {
                thread: id,
                location: location.name.clone(),
                ty: location.ty.name(),
            });
        }
        let mut scope = scope.unwrap_or(MemScope::Device);
        if location.region == Region::Local && scope > MemScope::WorkGroup {
            // The identifier must exist all the same, so the capability is still needed.
            scope = scope.max(MemScope::WorkGroup);
        }
        uses.push(Use {
            order,
            scope,
            bits: location.ty.bits(),
            memory: true,
        });
    };
    each_instr(&thread.body, &mut |i| {
        if let Instr::Store { access, .. } = i
            && let Atomicity::Atomic { order, scope, .. } = access.atomicity
        {
            if matches!(order, MemOrder::Acquire | MemOrder::AcqRel) {
                bad("an atomic store", order);
            }
            atomic(access.address.location, order, scope);
        }
    });
    each_expr(&thread.body, &mut |e| match e {
        Expr::Load(access) => {
            if let Atomicity::Atomic { order, scope, .. } = access.atomicity {
                if matches!(order, MemOrder::Release | MemOrder::AcqRel) {
                    bad("an atomic load", order);
                }
                atomic(access.address.location, order, scope);
            }
        }
        Expr::Rmw {
            address, atomicity, ..
        } => {
            if let Atomicity::Atomic { order, scope, .. } = atomicity {
                atomic(address.location, *order, *scope);
            }
        }
        Expr::Cas {
            address,
            success,
            failure,
            scope,
            ..
        } => {
            if matches!(failure, MemOrder::Release | MemOrder::AcqRel) {
                bad("the failure case of a compare-exchange", *failure);
            }
            atomic(address.location, *success, *scope);
            atomic(address.location, *failure, *scope);
        }
        Expr::Const(_) | Expr::Reg(_) | Expr::Unary(..) | Expr::Binary(..) | Expr::Select(..) => {}
    });
    each_instr(&thread.body, &mut |i| {
        if let Instr::Fence { order, scope, .. } = i {
            uses.push(Use {
                order: *order,
                scope: *scope,
                bits: 32,
                memory: false,
            });
        }
    });
    if fault.is_none() {
        *fault = wrong_type;
    }
}
