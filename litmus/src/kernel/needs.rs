//! What a test asks of a device, so that what a device lacks can be reported by name.

use super::shape::{Inexpressible, Shape};
use crate::program::{
    Address, Api, BarrierScope, Expr, Instr, LOAD_FORBIDS, MemOrder, MemScope, Placement, Program,
    STORE_FORBIDS, ThreadId, each_expr, each_instr,
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
        if program.api == Api::Vulkan {
            all.insert(Need::VulkanMemoryModel);
            fits_v1 = false;
        }
        if shape.devices.iter().any(|d| d.device > 0) {
            let highest = shape.devices.iter().map(|d| d.device).max().unwrap_or(0);
            all.insert(Need::Devices(highest + 1));
        }
        if program.api == Api::Vulkan {
            let families = shape.families().len() as u32;
            all.extend((families > 1).then_some(Need::QueueFamilies(families)));
        } else if shape.crosses_devices() {
            all.extend([Need::SvmFine, Need::SvmAtomics, Need::ScopeAllDevices]);
        }
        if shape.uses_sub_groups() {
            all.insert(Need::SubGroups);
        }
        for (index, thread) in program.threads.iter().enumerate() {
            for u in uses(program, ThreadId(index as u32))? {
                if u.access == Some(64) {
                    all.insert(Need::Int64Atomics);
                    fits_v1 = false;
                }
                if thread.placement == Placement::Host {
                    // A host thread's atomics are the host language's own.
                    continue;
                }
                let ordered = match u.order {
                    MemOrder::Relaxed => None,
                    MemOrder::Acquire | MemOrder::Release | MemOrder::AcqRel => {
                        Some(Need::OrderAcqRel)
                    }
                    MemOrder::SeqCst => Some(Need::OrderSeqCst),
                };
                let scoped = of_scope(u.scope);
                if program.api == Api::OpenCl {
                    all.insert(Need::C11Atomics);
                    all.extend(ordered);
                }
                all.extend(scoped);
                let narrow = matches!(scoped, None | Some(Need::ScopeDevice));
                fits_v1 &= ordered.is_none() && narrow && u.access.is_some();
            }
            each_instr(&thread.body, &mut |i| {
                if let Instr::Barrier(b) = i {
                    fits_v1 &= b.scope.is_none() && b.group == BarrierScope::WorkGroup;
                    let wide = b.scope.filter(|scope| *scope > MemScope::WorkGroup);
                    all.extend(wide.and_then(of_scope));
                }
            });
        }
        Ok(Needs { all, fits_v1 })
    }
}

/// What using a scope asks for. The identifier must exist where the scope is wider than local memory,
/// too.
fn of_scope(scope: MemScope) -> Option<Need> {
    match scope {
        MemScope::WorkItem | MemScope::WorkGroup | MemScope::QueueFamily => None,
        MemScope::SubGroup => Some(Need::ScopeSubGroup),
        MemScope::Device => Some(Need::ScopeDevice),
        MemScope::AllSvmDevices => Some(Need::ScopeAllDevices),
    }
}

/// One use of an atomic function or fence.
struct Use {
    order: MemOrder,
    scope: MemScope,
    /// The bits that it accesses; none for a fence.
    access: Option<u32>,
}

/// What a thread uses, or the first function that it calls as nobody can.
fn uses(program: &Program, id: ThreadId) -> Result<Vec<Use>, Inexpressible> {
    let body = &program.threads[id.index()].body;
    let mut uses = Vec::new();
    let mut fault = None;
    let mut bad = |function: &'static str, order: MemOrder, forbidden: &[MemOrder]| {
        if forbidden.contains(&order) {
            fault.get_or_insert(Inexpressible::InvalidOrder {
                thread: id,
                function,
                order: order.name(),
            });
        }
    };
    let mut wrong_type = None;
    let mut access = |address: &Address, order: MemOrder, scope: MemScope| {
        let location = &program.locations[address.location.index()];
        if location.ty.atomic_name().is_none() {
            wrong_type.get_or_insert(Inexpressible::NotAtomicType {
                thread: id,
                location: location.name.clone(),
                ty: location.ty.name(),
            });
        }
        uses.push(Use {
            order,
            scope,
            access: Some(location.ty.bits()),
        });
    };
    each_instr(body, &mut |i| {
        if let Instr::Store { access: to, .. } = i
            && let Some(atomic) = to.atomicity.atomic()
        {
            bad("an atomic store", atomic.order, STORE_FORBIDS);
            access(&to.address, atomic.order, atomic.reach());
        }
    });
    each_expr(body, &mut |e| match e {
        Expr::Load(from) => {
            if let Some(atomic) = from.atomicity.atomic() {
                bad("an atomic load", atomic.order, LOAD_FORBIDS);
                access(&from.address, atomic.order, atomic.reach());
            }
        }
        Expr::Rmw(rmw) => access(&rmw.address, rmw.atomic.order, rmw.atomic.reach()),
        Expr::Cas(cas) => {
            let failing = "the failure case of a compare-exchange";
            bad(failing, cas.failure, LOAD_FORBIDS);
            for order in [cas.atomic.order, cas.failure] {
                access(&cas.address, order, cas.atomic.reach());
            }
        }
        Expr::Const(_) | Expr::Reg(_) | Expr::Unary(..) | Expr::Binary(..) | Expr::Select(..) => {}
    });
    each_instr(body, &mut |i| {
        if let Instr::Fence(fence) = i {
            uses.push(Use {
                order: fence.order,
                scope: fence.scope,
                access: None,
            });
        }
    });
    fault.or(wrong_type).map_or(Ok(uses), Err)
}
