//! Work-item functions, barriers and fences (OpenCL C 6.15.1, 6.15.8, 6.15.9, 6.15.12).

use super::Call;
use super::table::Sync;
use crate::hir::{Builtin, Expr};
use crate::sema::names::{MEMORY_ORDERS, MEMORY_SCOPES};
use crate::sema::{Checked, Sema};
use crate::types::Scalar;
use touchstone_ir::{BarrierKind, MemScope, Order, Query, Regions};

impl Sema<'_> {
    pub(super) fn query(
        &mut self,
        query: Query,
        scalar: Scalar,
        mut call: Call<'_>,
    ) -> Checked<Expr> {
        self.arity(&call, usize::from(query.takes_dim()))?;
        if let Some(dim) = call.args.pop() {
            let uint = self.types.scalar(Scalar::UInt);
            let dim = self.implicit(dim, uint, "the dimension")?;
            call.args.push(dim);
        }
        let qual = self.types.scalar(scalar);
        Ok(self.builtin(Builtin::Query(query), call.args, qual, call.at))
    }

    /// A `memory_order` argument.
    pub(super) fn order_argument(&mut self, call: &Call<'_>, index: usize) -> Checked<Order> {
        let value = self.constant_argument(call, index, "a memory order")?;
        let name = MEMORY_ORDERS.iter().find(|(_, v)| *v == value);
        let order = match name.map(|(name, _)| *name) {
            Some("memory_order_relaxed") => Order::Relaxed,
            Some("memory_order_acquire") => Order::Acquire,
            Some("memory_order_release") => Order::Release,
            Some("memory_order_acq_rel") => Order::AcqRel,
            Some("memory_order_seq_cst") => Order::SeqCst,
            Some(_) | None => {
                let at = call.args[index].loc;
                return self.error(at, "this is not a memory order");
            }
        };
        let weaker = matches!(order, Order::Acquire | Order::Release | Order::AcqRel);
        let fence = call.name == "atomic_work_item_fence";
        if weaker && !fence && !self.language.order_acq_rel {
            return self.error(
                call.at,
                "this memory order needs __opencl_c_atomic_order_acq_rel",
            );
        }
        if order == Order::SeqCst && !self.language.order_seq_cst {
            return self.error(
                call.at,
                "memory_order_seq_cst needs __opencl_c_atomic_order_seq_cst",
            );
        }
        Ok(order)
    }

    /// A `memory_scope` argument.
    pub(super) fn scope_argument(&mut self, call: &Call<'_>, index: usize) -> Checked<MemScope> {
        let value = self.constant_argument(call, index, "a memory scope")?;
        let name = MEMORY_SCOPES.iter().find(|(_, v)| *v == value);
        let scope = match name.map(|(name, _)| *name) {
            Some("memory_scope_work_item") => MemScope::WorkItem,
            Some("memory_scope_sub_group") => MemScope::SubGroup,
            Some("memory_scope_work_group") => MemScope::WorkGroup,
            Some("memory_scope_device") => MemScope::Device,
            Some("memory_scope_all_svm_devices" | "memory_scope_all_devices") => {
                MemScope::AllDevices
            }
            Some(_) | None => {
                let at = call.args[index].loc;
                return self.error(at, "this is not a memory scope");
            }
        };
        self.check_scope(scope, call)?;
        Ok(scope)
    }

    /// Checks that the device has a scope.
    pub(super) fn check_scope(&mut self, scope: MemScope, call: &Call<'_>) -> Checked<()> {
        let need = match scope {
            MemScope::Device if !self.language.scope_device => "__opencl_c_atomic_scope_device",
            MemScope::AllDevices if !self.language.scope_all_devices => {
                "__opencl_c_atomic_scope_all_devices"
            }
            MemScope::SubGroup if !self.language.sub_groups => "__opencl_c_subgroups",
            MemScope::WorkItem
            | MemScope::SubGroup
            | MemScope::WorkGroup
            | MemScope::Device
            | MemScope::AllDevices => return Ok(()),
        };
        self.error(
            call.at,
            format!("the scope of this `{}` needs {need}", call.name),
        )
    }

    /// A `cl_mem_fence_flags` argument.
    fn flags_argument(&mut self, call: &Call<'_>, index: usize) -> Checked<Regions> {
        let at = call.args[index].loc;
        let Some((bits, _)) = self.int_constant(&call.args[index]) else {
            return self.unsupported(
                at,
                "a fence flag that is not a constant",
                "fence flags chosen at run time",
            );
        };
        let mut regions = Regions::NONE;
        for (bit, region) in [
            (1, Regions::LOCAL),
            (2, Regions::GLOBAL),
            (4, Regions::IMAGE),
        ] {
            if bits & bit != 0 {
                regions = regions | region;
            }
        }
        if bits & !7 != 0 {
            return self.error(at, "these are not CLK_…_MEM_FENCE flags");
        }
        Ok(regions)
    }

    pub(super) fn sync(&mut self, sync: Sync, call: Call<'_>) -> Checked<Expr> {
        let builtin = match sync {
            Sync::WorkGroupBarrier => {
                let most = if call.name == "barrier" { 1 } else { 2 };
                self.arity_between(&call, 1, most)?;
                self.barrier(BarrierKind::WorkGroup, MemScope::WorkGroup, &call)?
            }
            Sync::SubGroupBarrier => {
                self.arity_between(&call, 1, 2)?;
                self.barrier(BarrierKind::SubGroup, MemScope::SubGroup, &call)?
            }
            Sync::Fence => {
                self.arity(&call, 3)?;
                let regions = self.flags_argument(&call, 0)?;
                let order = self.order_argument(&call, 1)?;
                let scope = self.scope_argument(&call, 2)?;
                if scope == MemScope::WorkItem && regions != Regions::IMAGE {
                    return self.error(
                        call.at,
                        "memory_scope_work_item is for CLK_IMAGE_MEM_FENCE only",
                    );
                }
                Builtin::Fence(regions, order, scope)
            }
            Sync::MemFence | Sync::ReadMemFence | Sync::WriteMemFence => {
                self.arity(&call, 1)?;
                let regions = self.flags_argument(&call, 0)?;
                let order = match sync {
                    Sync::ReadMemFence => Order::Acquire,
                    Sync::WriteMemFence => Order::Release,
                    Sync::MemFence
                    | Sync::WorkGroupBarrier
                    | Sync::SubGroupBarrier
                    | Sync::Fence => Order::AcqRel,
                };
                Builtin::Fence(regions, order, MemScope::WorkGroup)
            }
        };
        let void = self.types.void();
        Ok(self.builtin(builtin, Vec::new(), void, call.at))
    }

    fn barrier(
        &mut self,
        kind: BarrierKind,
        default: MemScope,
        call: &Call<'_>,
    ) -> Checked<Builtin> {
        let regions = self.flags_argument(call, 0)?;
        let scope = match call.args.len() {
            1 => default,
            _ => self.scope_argument(call, 1)?,
        };
        Ok(Builtin::Barrier(kind, regions, scope))
    }
}
