//! Functions of device-side enqueue.

use super::function::Lower;
use crate::hir::FnId;
use touchstone_ir::{Cmp, Const, DeviceFunction, Op, Operand};

/// `CLK_ENQUEUE_FAILURE`
const FAILURE: i32 = -101;

impl Lower<'_> {
    /// Asks the device. A status says why an enqueue failed only in programs that are built with `-g` (OpenCL C,
    /// Enqueuing a Kernel).
    pub(super) fn device(
        &mut self,
        function: DeviceFunction,
        block: Option<FnId>,
        explains: bool,
        args: Vec<Operand>,
    ) -> Operand {
        let op = Op::Device {
            function,
            block,
            args,
        };
        let Some(ty) = function.result() else {
            self.b.push(op);
            return Const::i32(0).into();
        };
        let result = self.b.emit(ty, op);
        match function {
            DeviceFunction::IsValidEvent => self.b.compare(Cmp::Ne, result, Const::i32(0)).into(),
            DeviceFunction::EnqueueKernel | DeviceFunction::EnqueueMarker if !explains => {
                let done = self.b.compare(Cmp::Eq, result, Const::i32(0));
                let (success, failure) = (Const::i32(0), Const::i32(FAILURE));
                self.b.select(done, success, failure).into()
            }
            DeviceFunction::EnqueueKernel
            | DeviceFunction::EnqueueMarker
            | DeviceFunction::DefaultQueue
            | DeviceFunction::CreateUserEvent
            | DeviceFunction::RetainEvent
            | DeviceFunction::ReleaseEvent
            | DeviceFunction::SetUserEventStatus
            | DeviceFunction::CaptureProfiling
            | DeviceFunction::WorkGroupSize
            | DeviceFunction::PreferredMultiple
            | DeviceFunction::MaxSubGroupSize
            | DeviceFunction::SubGroupCount => result.into(),
        }
    }
}
