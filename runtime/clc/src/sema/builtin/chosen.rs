//! Memory orders, scopes and fence flags that only the run knows.
//!
//! Whatever a program chooses, the strongest that it may choose does at least as much, so that is taken; the argument
//! is still computed.

use super::Call;
use crate::hir::{Expr, ExprKind};
use crate::sema::Sema;
use crate::sema::names::{MEMORY_ORDERS, MEMORY_SCOPES};
use crate::types::Scalar;
use touchstone_ir::{MemScope, Order, Regions};

impl Sema<'_> {
    /// Takes the place of an argument, where it is there and no constant: a constant does, and the argument joins
    /// those that are computed only.
    fn settle(&mut self, call: &mut Call<'_>, index: usize, value: u64, computed: &mut Vec<Expr>) {
        let Some(arg) = call.args.get_mut(index) else {
            return;
        };
        let is_int = self.types.as_scalar(arg.qual).is_some_and(Scalar::is_int);
        if !is_int || self.int_constant(arg).is_some() {
            return;
        }
        let constant = self.number(value, Scalar::Int, arg.loc);
        computed.push(std::mem::replace(arg, constant));
    }

    /// Settles a memory order, which may be no stronger than one.
    pub(super) fn settle_order(
        &mut self,
        call: &mut Call<'_>,
        index: usize,
        strongest: Order,
        computed: &mut Vec<Expr>,
    ) {
        let row = MEMORY_ORDERS.iter().find(|row| row.2 == strongest);
        let value = row.map_or(0, |row| row.1);
        self.settle(call, index, value, computed);
    }

    /// Settles a memory scope: the widest of the device.
    pub(super) fn settle_scope(
        &mut self,
        call: &mut Call<'_>,
        index: usize,
        computed: &mut Vec<Expr>,
    ) {
        let widest = match self.language.scope_all_devices {
            true => MemScope::AllDevices,
            false if self.language.scope_device => MemScope::Device,
            false => MemScope::WorkGroup,
        };
        let row = MEMORY_SCOPES.iter().find(|row| row.2 == widest);
        let value = row.map_or(0, |row| row.1);
        self.settle(call, index, value, computed);
    }

    /// Settles fence flags: all that the device has.
    pub(super) fn settle_flags(
        &mut self,
        call: &mut Call<'_>,
        index: usize,
        computed: &mut Vec<Expr>,
    ) {
        let mut all = Regions::LOCAL | Regions::GLOBAL;
        all.set(Regions::IMAGE, self.language.read_write_images);
        self.settle(call, index, all.bits().into(), computed);
    }

    /// The strongest order of an operation: sequential consistency where the device has it, else the strongest
    /// of acquiring and releasing that the operation may have, else none.
    pub(super) fn strongest(&self, weaker: Order) -> Order {
        match self.language.order_seq_cst {
            true => Order::SeqCst,
            false if self.language.order_acq_rel => weaker,
            false => Order::Relaxed,
        }
    }

    /// Computes what was settled before a call.
    pub(super) fn after(&mut self, computed: Vec<Expr>, call: Expr) -> Expr {
        computed.into_iter().rev().fold(call, |call, first| {
            let (qual, at, void) = (call.qual, call.loc, self.types.void());
            let first = self.value(ExprKind::Discard(Box::new(first)), void, at);
            self.value(ExprKind::Comma(Box::new(first), Box::new(call)), qual, at)
        })
    }
}
