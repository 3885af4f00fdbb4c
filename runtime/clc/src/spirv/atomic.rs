//! Atomic instructions, fences and barriers.

use super::function::Body;
use super::{Check, ensure};
use rspirv::dr::Instruction;
use rspirv::spirv::{MemorySemantics, Op as Code, Scope};
use touchstone_faults::{Fault, on};
use touchstone_ir::{
    self as ir, BarrierKind, Cmp, Const, MemScope, Op, Operand, Order, Regions, RmwOp, Scalar,
};

/// The modification that an instruction makes.
fn modification(code: Code) -> Option<RmwOp> {
    Some(match code {
        Code::AtomicExchange => RmwOp::Exchange,
        Code::AtomicIAdd if on(Fault::IlAtomicSumReplaces) => RmwOp::Exchange,
        Code::AtomicIAdd | Code::AtomicIIncrement => RmwOp::Add,
        Code::AtomicISub | Code::AtomicIDecrement => RmwOp::Sub,
        Code::AtomicSMin => RmwOp::SMin,
        Code::AtomicUMin => RmwOp::UMin,
        Code::AtomicSMax => RmwOp::SMax,
        Code::AtomicUMax => RmwOp::UMax,
        Code::AtomicAnd => RmwOp::And,
        Code::AtomicOr => RmwOp::Or,
        Code::AtomicXor => RmwOp::Xor,
        Code::AtomicFAddEXT => RmwOp::FAdd,
        Code::AtomicFMinEXT => RmwOp::FMin,
        Code::AtomicFMaxEXT => RmwOp::FMax,
        _ => return None,
    })
}

/// What a number of memory semantics says.
fn semantics(bits: u64) -> (Order, Regions) {
    let bits = MemorySemantics::from_bits_truncate(bits as u32);
    let order = if bits.contains(MemorySemantics::SEQUENTIALLY_CONSISTENT) {
        Order::SeqCst
    } else if bits.contains(MemorySemantics::ACQUIRE_RELEASE)
        || bits.contains(MemorySemantics::ACQUIRE | MemorySemantics::RELEASE)
    {
        Order::AcqRel
    } else if bits.contains(MemorySemantics::ACQUIRE) {
        Order::Acquire
    } else if bits.contains(MemorySemantics::RELEASE) {
        Order::Release
    } else {
        Order::Relaxed
    };
    let mut regions = Regions::NONE;
    for (bit, region) in [
        (MemorySemantics::WORKGROUP_MEMORY, Regions::LOCAL),
        (MemorySemantics::CROSS_WORKGROUP_MEMORY, Regions::GLOBAL),
        (MemorySemantics::IMAGE_MEMORY, Regions::IMAGE),
    ] {
        regions.set(region, bits.contains(bit));
    }
    (order, regions)
}

/// The order of a load or of a compare and exchange that fails, which do not release.
fn reading(order: Order) -> Order {
    match order {
        Order::AcqRel => Order::Acquire,
        Order::Release => Order::Relaxed,
        Order::Relaxed | Order::Acquire | Order::SeqCst => order,
    }
}

/// The order of a store, which does not acquire.
fn writing(order: Order) -> Order {
    match order {
        Order::AcqRel => Order::Release,
        Order::Acquire => Order::Relaxed,
        Order::Relaxed | Order::Release | Order::SeqCst => order,
    }
}

impl Body<'_, '_> {
    /// The scope that an operand names; the widest of the device where only the run knows.
    pub(super) fn scope(&self, inst: &Instruction, n: usize) -> Check<MemScope> {
        let Some(scope) = self.constant_operand(inst, n)? else {
            return Ok(match () {
                () if self.reader.language.scope_all_devices => MemScope::AllDevices,
                () if self.reader.language.scope_device => MemScope::Device,
                () => MemScope::WorkGroup,
            });
        };
        Ok(match u32::try_from(scope).ok().and_then(Scope::from_u32) {
            Some(Scope::CrossDevice) => MemScope::AllDevices,
            Some(Scope::Device) => MemScope::Device,
            Some(Scope::Workgroup) => MemScope::WorkGroup,
            Some(Scope::Subgroup) => MemScope::SubGroup,
            Some(Scope::Invocation) => MemScope::WorkItem,
            _ => return Err(format!("the scope {scope} is not supported")),
        })
    }

    /// The order and the memories that an operand names; the strongest of the device, and all, where only the run
    /// knows.
    fn semantics(&self, inst: &Instruction, n: usize) -> Check<(Order, Regions)> {
        if let Some(bits) = self.constant_operand(inst, n)? {
            return Ok(semantics(bits));
        }
        let language = &self.reader.language;
        let order = match language.order_seq_cst {
            true => Order::SeqCst,
            false if language.order_acq_rel => Order::AcqRel,
            false => Order::Relaxed,
        };
        let mut regions = Regions::LOCAL | Regions::GLOBAL;
        regions.set(Regions::IMAGE, language.read_write_images);
        Ok((order, regions))
    }

    /// Who waits at a barrier, or comes together.
    pub(super) fn together(&self, inst: &Instruction, n: usize) -> Check<BarrierKind> {
        match self.scope(inst, n)? {
            MemScope::WorkGroup => Ok(BarrierKind::WorkGroup),
            MemScope::SubGroup => {
                ensure!(
                    self.reader.language.sub_groups,
                    "the device has no sub-groups"
                );
                Ok(BarrierKind::SubGroup)
            }
            other => Err(format!("the work-items of scope {other} are no group")),
        }
    }

    /// Reads an atomic instruction, a fence or a barrier; false if it is none.
    pub(super) fn atomic(&mut self, inst: &Instruction) -> Check<bool> {
        let code = inst.class.opcode;
        if let Some(op) = modification(code) {
            let (ptr, scope) = (self.arg(inst, 0)?, self.scope(inst, 1)?);
            let (order, _) = self.semantics(inst, 2)?;
            let ty = self.own_type(inst)?;
            let value = match code {
                Code::AtomicIIncrement | Code::AtomicIDecrement => {
                    Const::scalar(ty.element().unwrap_or(Scalar::I32), 1).into()
                }
                _ => self.arg(inst, 3)?,
            };
            let before = self.b.emit(
                ty,
                Op::AtomicRmw {
                    op,
                    ptr,
                    value,
                    order,
                    scope,
                },
            );
            self.set(inst, before)?;
            return Ok(true);
        }
        match code {
            Code::AtomicLoad => {
                let (ptr, scope) = (self.arg(inst, 0)?, self.scope(inst, 1)?);
                let order = reading(self.semantics(inst, 2)?.0);
                let ty = self.own_type(inst)?;
                let value = self.b.atomic_load(ty, ptr, order, scope);
                self.set(inst, value)?;
            }
            Code::AtomicStore => {
                let (ptr, scope) = (self.arg(inst, 0)?, self.scope(inst, 1)?);
                let order = writing(self.semantics(inst, 2)?.0);
                let value = self.arg(inst, 3)?;
                self.b.atomic_store(ptr, value, order, scope);
            }
            Code::AtomicCompareExchange | Code::AtomicCompareExchangeWeak => {
                let op = Op::AtomicCas {
                    ptr: self.arg(inst, 0)?,
                    scope: self.scope(inst, 1)?,
                    success: self.semantics(inst, 2)?.0,
                    failure: reading(self.semantics(inst, 3)?.0),
                    desired: self.arg(inst, 4)?,
                    expected: self.arg(inst, 5)?,
                    weak: code == Code::AtomicCompareExchangeWeak,
                };
                let ty = self.own_type(inst)?;
                let before = self.b.emit(ty, op);
                self.set(inst, before)?;
            }
            Code::AtomicFlagTestAndSet => {
                let (ptr, scope) = (self.arg(inst, 0)?, self.scope(inst, 1)?);
                let (order, _) = self.semantics(inst, 2)?;
                let set = Const::i32(1);
                let before = self.b.atomic_rmw(RmwOp::Exchange, ptr, set, order, scope);
                let was = self.b.compare(Cmp::Ne, before, Const::i32(0));
                self.set(inst, was)?;
            }
            Code::AtomicFlagClear => {
                let (ptr, scope) = (self.arg(inst, 0)?, self.scope(inst, 1)?);
                let order = writing(self.semantics(inst, 2)?.0);
                self.b.atomic_store(ptr, Const::i32(0), order, scope);
            }
            Code::MemoryBarrier => {
                let scope = self.scope(inst, 0)?;
                let (order, regions) = self.semantics(inst, 1)?;
                self.b.fence(regions, order, scope);
            }
            Code::ControlBarrier => {
                let (kind, scope) = (self.together(inst, 0)?, self.scope(inst, 1)?);
                let (_, regions) = self.semantics(inst, 2)?;
                if kind == BarrierKind::WorkGroup && on(Fault::IlBarrierLost) {
                    return Ok(true);
                }
                self.b.push(Op::Barrier {
                    kind,
                    regions,
                    scope,
                });
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// A truth as an integer.
    pub(super) fn truth_as_int(&mut self, truth: Operand) -> Check<Operand> {
        ensure!(
            self.b.type_of(truth) == ir::Type::BOOL,
            "a boolean is expected"
        );
        Ok(self.b.select(truth, Const::i32(1), Const::i32(0)).into())
    }
}
