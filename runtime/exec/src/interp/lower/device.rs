//! Calls of the functions of device-side enqueue.

use super::function::Lowering;
use crate::interp::code::Ins;
use crate::interp::device::DeviceCall;
use crate::launch::KernelId;
use touchstone_ir::{ArgPass, DeviceFunction, DeviceOperand, FuncId, Operand, Reg};

impl Lowering<'_> {
    pub(super) fn device(
        &mut self,
        function: DeviceFunction,
        block: Option<FuncId>,
        args: &[Operand],
        dst: Option<Reg>,
    ) {
        let kinds = function.operands();
        let args = args
            .iter()
            .enumerate()
            .map(|(n, &arg)| {
                let site = match kinds.get(n) {
                    // Ranges and events are words, what is captured is bytes.
                    Some(DeviceOperand::Read) if n == CAPTURES => self.site(arg, 1, false),
                    Some(DeviceOperand::Read) => self.site(arg, 8, false),
                    Some(DeviceOperand::Written) => self.site(arg, 8, true),
                    Some(DeviceOperand::Number(_)) | None => 0,
                };
                (self.operand(arg), site)
            })
            .collect();
        let call = DeviceCall {
            function,
            block: block.and_then(|block| self.child(block)),
            args,
        };
        let call = self.e.device_call(call);
        let d = self.result(dst);
        self.e.emit(Ins::Device { d, call });
    }

    /// The number of a block among the kernels, and how many bytes it captures.
    fn child(&self, block: FuncId) -> Option<(KernelId, usize)> {
        let id = *self.program.kernels.get(&block)?;
        let function = &self.program.module.functions[block.0 as usize];
        let args = function.kernel.iter().flat_map(|info| &info.args);
        let mut captured = args.map(|arg| match arg.pass {
            ArgPass::Aggregate { size, .. } => size as usize,
            _ => 0,
        });
        Some((id, captured.next().unwrap_or(0)))
    }
}

/// Which operand of `enqueue_kernel` is what the block captured.
const CAPTURES: usize = 6;
