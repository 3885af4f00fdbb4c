//! Functions that a text declares and does not define, and that stand for operations of Vulkan.

use super::Writer;
use super::memory::Pointer;
use super::module::{Id, ids};
use super::number::{Number, is_wide};
use super::place::Value;
use crate::hir::{Expr, FnId};
use crate::sema::Checked;
use crate::source::Loc;
use crate::spirv_writer::modification;
use crate::types::{Qual, Scalar, Type};
use rspirv::dr::Operand;
use rspirv::spirv::{Capability, MemorySemantics, Op, Scope};
use touchstone_ir::RmwOp;

/// An operation of Vulkan's memory model, exactly as its instruction says it (SPIR-V 3.32.8,
/// 3.32.18, 3.32.20). A pointer is the function's first argument, the values it needs are the
/// next ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Foreign {
    /// OpLoad: `T f(T *p)`.
    Load(Access),
    /// OpStore: `void f(T *p, T value)`.
    Store(Access),
    /// OpAtomicLoad: `T f(T *p)`.
    AtomicLoad {
        /// Who takes part.
        scope: Scope,
        /// Order, storage classes, availability and visibility.
        semantics: MemorySemantics,
    },
    /// OpAtomicStore: `void f(T *p, T value)`.
    AtomicStore {
        /// Who takes part.
        scope: Scope,
        /// Order, storage classes, availability and visibility.
        semantics: MemorySemantics,
    },
    /// OpAtomicExchange, OpAtomicIAdd and their like: `T f(T *p, T value)`, the value before.
    Rmw {
        /// Which.
        operation: RmwOp,
        /// Who takes part.
        scope: Scope,
        /// Order, storage classes, availability and visibility.
        semantics: MemorySemantics,
    },
    /// OpAtomicCompareExchange: `T f(T *p, T expected, T value)`, the value before.
    CompareExchange {
        /// Who takes part.
        scope: Scope,
        /// The semantics where it writes.
        equal: MemorySemantics,
        /// The semantics where it does not.
        unequal: MemorySemantics,
    },
    /// OpMemoryBarrier: `void f(void)`.
    Fence {
        /// Who takes part.
        scope: Scope,
        /// Order, storage classes, availability and visibility.
        semantics: MemorySemantics,
    },
    /// OpControlBarrier: `void f(void)`.
    ControlBarrier {
        /// Who waits.
        execution: Scope,
        /// Who takes part in the ordering.
        memory: Scope,
        /// Order, storage classes, availability and visibility.
        semantics: MemorySemantics,
    },
    /// An operation with memory barriers before and after it.
    Fenced {
        /// The scope and semantics of OpMemoryBarrier before it.
        before: Option<(Scope, MemorySemantics)>,
        /// The operation.
        of: Box<Foreign>,
        /// The scope and semantics of OpMemoryBarrier after it.
        after: Option<(Scope, MemorySemantics)>,
    },
}

/// How an ordinary access is made: the memory operands of OpLoad and OpStore (SPIR-V 3.26).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Access {
    /// Volatile
    pub volatile: bool,
    /// NonPrivatePointer
    pub non_private: bool,
    /// MakePointerAvailable, of a store, and its scope.
    pub available: Option<Scope>,
    /// MakePointerVisible, of a load, and its scope.
    pub visible: Option<Scope>,
}

impl Foreign {
    /// The values after the pointer, or None where there is no pointer.
    fn values(&self) -> Option<usize> {
        match self {
            Self::Load(_) | Self::AtomicLoad { .. } => Some(0),
            Self::Store(_) | Self::AtomicStore { .. } | Self::Rmw { .. } => Some(1),
            Self::CompareExchange { .. } => Some(2),
            Self::Fence { .. } | Self::ControlBarrier { .. } => None,
            Self::Fenced { of, .. } => of.values(),
        }
    }
}

/// The instruction of a read-modify-write.
pub(super) fn rmw_instruction(operation: RmwOp) -> Option<Op> {
    match operation {
        RmwOp::FAdd | RmwOp::FSub | RmwOp::FMin | RmwOp::FMax => None,
        of_integers => Some(modification(of_integers)),
    }
}

impl Writer<'_> {
    /// A call of a function without a body.
    pub(super) fn foreign_call(
        &mut self,
        callee: FnId,
        args: &[Expr],
        ret: Qual,
        at: Loc,
    ) -> Checked<Value> {
        let unit = self.unit;
        let name = &unit.functions[callee.0 as usize].name;
        let Some(foreign) = self.target.foreign.get(name) else {
            let message = format!("`{name}` is called and not defined");
            return Err(self.diags.error(at, message));
        };
        let Some((pointer, scalar)) = self.foreign_signature(foreign, args, ret) else {
            let message = format!("`{name}` is not declared as the operation that it stands for");
            return Err(self.diags.error(at, message));
        };
        let pointer = match pointer {
            Some(pointer) => Some(self.pointer(pointer)?),
            None => None,
        };
        let mut values = Vec::new();
        for arg in args.iter().skip(1) {
            values.push(self.number(arg)?);
        }
        let (foreign, fences) = match foreign {
            Foreign::Fenced { before, of, after } => (&**of, [*before, *after]),
            other => (other, [None; 2]),
        };
        self.foreign_fence(fences[0], at)?;
        let result = match pointer {
            Some(pointer) => self.foreign_access(foreign, pointer, &values, scalar, at)?,
            None => {
                self.foreign_barrier(foreign, at)?;
                None
            }
        };
        self.foreign_fence(fences[1], at)?;
        Ok(match result {
            Some(number) if !self.is_void(ret) => Value::one(number),
            Some(_) | None => Value::Void,
        })
    }

    /// The pointer among the arguments and the type that it points to; None where the function is
    /// not declared as the operation needs it.
    fn foreign_signature<'e>(
        &self,
        foreign: &Foreign,
        args: &'e [Expr],
        ret: Qual,
    ) -> Option<(Option<&'e Expr>, Scalar)> {
        let types = &self.unit.types;
        let scalar = |qual| match types.of(qual) {
            Type::Scalar(scalar) | Type::Atomic(scalar) => Some(scalar),
            _ => None,
        };
        let Some(values) = foreign.values() else {
            return (args.is_empty() && self.is_void(ret)).then_some((None, Scalar::UInt));
        };
        let (pointer, rest) = args.split_first()?;
        let of = scalar(types.pointee(pointer.qual)?)?;
        let fits = |qual| scalar(qual).is_some_and(|s| is_wide(s) == is_wide(of));
        let result = match foreign {
            Foreign::Store(_) | Foreign::AtomicStore { .. } => self.is_void(ret),
            Foreign::Load(_)
            | Foreign::AtomicLoad { .. }
            | Foreign::Rmw { .. }
            | Foreign::CompareExchange { .. }
            | Foreign::Fence { .. }
            | Foreign::ControlBarrier { .. } => self.is_void(ret) || fits(ret),
            Foreign::Fenced { of, .. } => return self.foreign_signature(of, args, ret),
        };
        let fit = result && rest.len() == values && rest.iter().all(|arg| fits(arg.qual));
        fit.then_some((Some(pointer), of))
    }

    fn foreign_access(
        &mut self,
        foreign: &Foreign,
        pointer: Pointer,
        values: &[Number],
        scalar: Scalar,
        at: Loc,
    ) -> Checked<Option<Number>> {
        // The signature gives each operation its values.
        let zero = self.m.number(0, scalar);
        let value = |i: usize| values.get(i).copied().unwrap_or(zero);
        match foreign {
            Foreign::Load(access) => {
                self.check_access(access, access.available, at)?;
                self.load(pointer, scalar, access, at).map(Some)
            }
            Foreign::Store(access) => {
                self.check_access(access, access.visible, at)?;
                self.store(pointer, value(0), scalar, access, at)?;
                Ok(None)
            }
            Foreign::AtomicLoad { scope, semantics } => {
                let says = self.says(*scope, &[*semantics], at)?;
                self.atomic(Op::AtomicLoad, pointer, scalar, &says, &[], at)
            }
            Foreign::AtomicStore { scope, semantics } => {
                let says = self.says(*scope, &[*semantics], at)?;
                self.atomic(Op::AtomicStore, pointer, scalar, &says, &[value(0)], at)
            }
            Foreign::Rmw {
                operation,
                scope,
                semantics,
            } => {
                let Some(op) = rmw_instruction(*operation) else {
                    return self.refuse(at, "an atomic operation on floating-point numbers");
                };
                let says = self.says(*scope, &[*semantics], at)?;
                self.atomic(op, pointer, scalar, &says, &[value(0)], at)
            }
            Foreign::CompareExchange {
                scope,
                equal,
                unequal,
            } => {
                let says = self.says(*scope, &[*equal, *unequal], at)?;
                // The instruction takes the value before what is expected.
                let values = [value(1), value(0)];
                let op = Op::AtomicCompareExchange;
                self.atomic(op, pointer, scalar, &says, &values, at)
            }
            // These have no pointer.
            Foreign::Fence { .. } | Foreign::ControlBarrier { .. } => Ok(None),
            // None within another.
            Foreign::Fenced { .. } => Ok(None),
        }
    }

    /// A memory barrier beside an operation, where there is one.
    fn foreign_fence(&mut self, fence: Option<(Scope, MemorySemantics)>, at: Loc) -> Checked<()> {
        match fence {
            Some((scope, semantics)) => {
                self.foreign_barrier(&Foreign::Fence { scope, semantics }, at)
            }
            None => Ok(()),
        }
    }

    fn foreign_barrier(&mut self, foreign: &Foreign, at: Loc) -> Checked<()> {
        match *foreign {
            Foreign::Fence { scope, semantics } => {
                let says = self.says(scope, &[semantics], at)?;
                self.m.push(Op::MemoryBarrier, says);
                Ok(())
            }
            Foreign::ControlBarrier {
                execution,
                memory,
                semantics,
            } => self.control_barrier(execution, memory, semantics, at),
            // These have a pointer, or are none within another.
            Foreign::Fenced { .. }
            | Foreign::Load(_)
            | Foreign::Store(_)
            | Foreign::AtomicLoad { .. }
            | Foreign::AtomicStore { .. }
            | Foreign::Rmw { .. }
            | Foreign::CompareExchange { .. } => Ok(()),
        }
    }

    /// Checks the scopes and bits of an ordinary access; `wrong` is the scope that a load or a
    /// store does not have.
    fn check_access(&mut self, access: &Access, wrong: Option<Scope>, at: Loc) -> Checked<()> {
        let Access {
            volatile: _,
            non_private,
            available,
            visible,
        } = *access;
        if !self.target.memory_model && (non_private || available.is_some() || visible.is_some()) {
            return self.refuse(at, "this access without the Vulkan memory model");
        }
        if wrong.is_some() {
            return self.refuse(
                at,
                "a load that makes available, or a store that makes visible,",
            );
        }
        if !non_private && (available.is_some() || visible.is_some()) {
            return self.refuse(at, "availability or visibility of a private access");
        }
        for scope in available.into_iter().chain(visible) {
            self.scope(scope, at)?;
        }
        Ok(())
    }

    /// The constant of a scope, whose capability the module then declares.
    pub(super) fn scope(&mut self, scope: Scope, at: Loc) -> Checked<Id> {
        match scope {
            Scope::Device if self.target.memory_model => {
                if !self.target.device_scope {
                    return self.refuse(at, "the scope Device (of this device)");
                }
                self.m.capability(Capability::VulkanMemoryModelDeviceScope);
            }
            Scope::QueueFamily if !self.target.memory_model => {
                return self.refuse(at, "the scope QueueFamily without the Vulkan memory model");
            }
            Scope::Subgroup => self.m.capability(Capability::GroupNonUniform),
            Scope::CrossDevice => return self.refuse(at, "the scope CrossDevice"),
            Scope::ShaderCallKHR => return self.refuse(at, "the scope ShaderCall"),
            Scope::Device | Scope::QueueFamily | Scope::Workgroup | Scope::Invocation => {}
        }
        Ok(self.m.constant(scope as u32))
    }

    /// The operands that say a scope and semantics.
    pub(super) fn says(
        &mut self,
        scope: Scope,
        semantics: &[MemorySemantics],
        at: Loc,
    ) -> Checked<Vec<Operand>> {
        let vulkan = MemorySemantics::MAKE_AVAILABLE
            | MemorySemantics::MAKE_VISIBLE
            | MemorySemantics::VOLATILE
            | MemorySemantics::OUTPUT_MEMORY;
        let mut operands = vec![Operand::IdScope(self.scope(scope, at)?)];
        for &semantics in semantics {
            if semantics.contains(MemorySemantics::SEQUENTIALLY_CONSISTENT) {
                return self.refuse_order(at);
            }
            if semantics.intersects(vulkan) && !self.target.memory_model {
                return self.refuse(
                    at,
                    "availability in memory semantics without the Vulkan memory model",
                );
            }
            operands.push(Operand::IdMemorySemantics(
                self.m.constant(semantics.bits()),
            ));
        }
        Ok(operands)
    }

    /// An atomic instruction on the object that a pointer points to.
    pub(super) fn atomic(
        &mut self,
        op: Op,
        pointer: Pointer,
        scalar: Scalar,
        says: &[Operand],
        values: &[Number],
        at: Loc,
    ) -> Checked<Option<Number>> {
        let wide = is_wide(scalar);
        self.supported(scalar, at)?;
        let (ty, place) = self.reach_atomic(pointer, wide, at)?;
        if op != Op::AtomicLoad {
            self.writes(pointer.object);
        }
        let mut operands = ids(&[place]);
        operands.extend(says.iter().cloned());
        for &value in values {
            let value = match value {
                Number::Wide(wide) => wide,
                Number::Truth(_) | Number::Word(_) | Number::Pair(_) => self.m.low(value),
            };
            operands.push(Operand::IdRef(value));
        }
        if op == Op::AtomicStore {
            self.m.push(op, operands);
            return Ok(None);
        }
        let before = self.m.emit(op, ty, operands);
        Ok(Some(if wide {
            Number::Wide(before)
        } else {
            Number::Word(before)
        }))
    }
}
