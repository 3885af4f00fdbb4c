//! Work-item functions, barriers and fences (OpenCL C 6.15.1, 6.15.8, 6.15.9, 6.15.12).

use super::Call;
use super::table::Sync;
use crate::hir::{Builtin, Expr};
use crate::sema::names::{MEMORY_ORDERS, MEMORY_SCOPES};
use crate::sema::{Checked, Sema};
use crate::types::Scalar;
use touchstone_ir::{MemScope, Order, Query, Regions};

impl Sema<'_> {
    pub(super) fn query(
        &mut self,
        query: Query,
        scalar: Scalar,
        mut call: Call<'_>,
    ) -> Checked<Expr> {
        self.arity(&call, usize::from(query.takes_dim()))?;
        if query.takes_dim() {
            let uint = self.types.scalar(Scalar::UInt);
            self.convert_argument(&mut call, 0, uint, "the dimension")?;
        }
        let qual = self.types.scalar(scalar);
        Ok(self.builtin(Builtin::Query(query), call.args, qual, call.at))
    }

    /// A `memory_order` argument.
    pub(super) fn order_argument(&mut self, call: &Call<'_>, index: usize) -> Checked<Order> {
        let value = self.constant_argument(call, index)?;
        let Some(&(.., order)) = MEMORY_ORDERS.iter().find(|row| row.1 == value) else {
            return self.error(call.args[index].loc, "this is not a memory order");
        };
        let weaker = matches!(order, Order::Acquire | Order::Release | Order::AcqRel);
        let fence = call.name == "atomic_work_item_fence";
        if weaker && !fence && !self.language.order_acq_rel {
            let message = "this memory order needs __opencl_c_atomic_order_acq_rel";
            return self.error(call.at, message);
        }
        if order == Order::SeqCst && !self.language.order_seq_cst {
            let message = "memory_order_seq_cst needs __opencl_c_atomic_order_seq_cst";
            return self.error(call.at, message);
        }
        Ok(order)
    }

    /// A `memory_scope` argument.
    pub(super) fn scope_argument(&mut self, call: &Call<'_>, index: usize) -> Checked<MemScope> {
        let value = self.constant_argument(call, index)?;
        let Some(&(.., scope)) = MEMORY_SCOPES.iter().find(|row| row.1 == value) else {
            return self.error(call.args[index].loc, "this is not a memory scope");
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
        let message = format!("the scope of this `{}` needs {need}", call.name);
        self.error(call.at, message)
    }

    /// A `cl_mem_fence_flags` argument.
    fn flags_argument(&mut self, call: &Call<'_>, index: usize) -> Checked<Regions> {
        let at = call.args[index].loc;
        let Some((bits, _)) = self.int_constant(&call.args[index]) else {
            return self.no_overload(call);
        };
        match u8::try_from(bits).ok().and_then(Regions::from_bits) {
            Some(regions) => Ok(regions),
            None => self.error(at, "these are not CLK_…_MEM_FENCE flags"),
        }
    }

    pub(super) fn sync(&mut self, sync: Sync, mut call: Call<'_>) -> Checked<Expr> {
        let mut computed = Vec::new();
        self.settle_flags(&mut call, 0, &mut computed);
        match sync {
            Sync::Barrier(..) => self.settle_scope(&mut call, 1, &mut computed),
            Sync::Fence => {
                // Every device has fences that acquire and release.
                let strongest = match self.language.order_seq_cst {
                    true => Order::SeqCst,
                    false => Order::AcqRel,
                };
                self.settle_order(&mut call, 1, strongest, &mut computed);
                self.settle_scope(&mut call, 2, &mut computed);
            }
            Sync::MemFence(_) => {}
        }
        let builtin = match sync {
            Sync::Barrier(kind, default) => {
                self.arity_between(&call, 1, if call.name == "barrier" { 1 } else { 2 })?;
                let regions = self.flags_argument(&call, 0)?;
                let scope = match call.args.len() {
                    1 => default,
                    _ => self.scope_argument(&call, 1)?,
                };
                Builtin::Barrier(kind, regions, scope)
            }
            Sync::Fence => {
                self.arity(&call, 3)?;
                let regions = self.flags_argument(&call, 0)?;
                let order = self.order_argument(&call, 1)?;
                let scope = self.scope_argument(&call, 2)?;
                if scope == MemScope::WorkItem && regions != Regions::IMAGE {
                    let message = "memory_scope_work_item is for CLK_IMAGE_MEM_FENCE only";
                    return self.error(call.at, message);
                }
                Builtin::Fence(regions, order, scope)
            }
            Sync::MemFence(order) => {
                self.arity(&call, 1)?;
                let regions = self.flags_argument(&call, 0)?;
                Builtin::Fence(regions, order, MemScope::WorkGroup)
            }
        };
        let void = self.types.void();
        let fence = self.builtin(builtin, Vec::new(), void, call.at);
        Ok(self.after(computed, fence))
    }
}
