//! Operand and result types, address spaces and orders of each operation.

use super::{Check, check_align, check_id, check_operand, check_reg, ensure};
use crate::device::{DeviceFunction, DeviceOperand};
use crate::float_comparisons;
use crate::function::{ArgPass, Function};
use crate::ids::FuncId;
use crate::intrinsic::{Intrinsic, Signature};
use crate::memory::{Order, RmwOp};
use crate::module::Module;
use crate::op::{
    BarrierKind, Cmp, Collective, Inst, IntOp, NumKind, Op, Query, Terminator, UnaryOp,
};
use crate::types::{AddressSpace, Lanes, Scalar, Type};
use crate::value::{Const, Operand};

/// Types of the operands and the result of one instruction.
struct Types<'a> {
    module: &'a Module,
    function: &'a Function,
    dst: Option<Type>,
}

pub(super) fn check_inst(module: &Module, function: &Function, inst: &Inst) -> Check {
    let dst = inst.dst.map(|reg| check_reg(function, reg)).transpose()?;
    let types = Types {
        module,
        function,
        dst,
    };
    types.op(&inst.op)
}

pub(super) fn check_terminator(function: &Function, term: &Terminator) -> Check {
    let mut targets = Ok(());
    term.for_each_target(|b| {
        if targets.is_ok() {
            targets = check_id(b, b.0, function.blocks.len());
        }
    });
    targets?;
    match term {
        Terminator::Branch { cond, .. } => {
            let ty = check_operand(function, *cond)?;
            ensure!(ty == Type::BOOL, "a branch by {ty}, not bool");
        }
        Terminator::Switch { value, cases, .. } => {
            let ty = check_operand(function, *value)?;
            let Type::Scalar(scalar) = ty else {
                return Err(format!("a switch by {ty}, not an integer"));
            };
            ensure!(scalar.is_int(), "a switch by {ty}, not an integer");
            let mut values: Vec<u64> = cases.iter().map(|c| c.0).collect();
            values.sort_unstable();
            for pair in values.windows(2) {
                ensure!(pair[0] != pair[1], "case {} appears twice", pair[0]);
            }
            if let Some(&last) = values.last() {
                ensure!(
                    last & !scalar.mask() == 0,
                    "case {last:#x} has bits beyond {ty}"
                );
            }
        }
        Terminator::Return(value) => {
            let ty = value
                .map(|value| check_operand(function, value))
                .transpose()?;
            ensure!(
                ty == function.ret,
                "returns {}, the function has {}",
                show(ty),
                show(function.ret)
            );
        }
        Terminator::Jump(_) | Terminator::Unreachable | Terminator::Trap(_) => {}
    }
    Ok(())
}

fn show(ty: Option<Type>) -> String {
    ty.map_or("nothing".into(), |ty| ty.to_string())
}

impl Types<'_> {
    fn of(&self, operand: Operand) -> Result<Type, String> {
        check_operand(self.function, operand)
    }

    /// The operand has this type.
    fn is(&self, operand: Operand, ty: Type, what: &str) -> Check {
        let found = self.of(operand)?;
        ensure!(found == ty, "{what} is {found}, not {ty}");
        Ok(())
    }

    fn operands(&self, a: Operand, b: Operand, ty: Type) -> Check {
        self.is(a, ty, "the first operand")?;
        self.is(b, ty, "the second operand")
    }

    /// The type of the result, which there must be.
    fn result(&self) -> Result<Type, String> {
        self.dst
            .ok_or_else(|| "the result goes nowhere".to_string())
    }

    fn no_result(&self) -> Check {
        ensure!(
            self.dst.is_none(),
            "has a destination, but there is no result"
        );
        Ok(())
    }

    /// The result, if it is wanted, has this type.
    fn result_if_any(&self, ty: Type) -> Check {
        ensure!(
            self.dst.is_none_or(|d| d == ty),
            "the result is {ty}, the destination {}",
            show(self.dst)
        );
        Ok(())
    }

    fn result_is(&self, ty: Type) -> Check {
        let found = self.result()?;
        ensure!(found == ty, "the result is {ty}, the destination {found}");
        Ok(())
    }

    fn pointer(&self, ptr: Operand) -> Result<AddressSpace, String> {
        let ty = self.of(ptr)?;
        ty.space()
            .ok_or_else(|| format!("the address is {ty}, not a pointer"))
    }

    /// A pointer to memory that can be written.
    fn writable(&self, ptr: Operand) -> Check {
        let space = self.pointer(ptr)?;
        ensure!(space != AddressSpace::Constant, "writes to constant memory");
        Ok(())
    }

    fn op(&self, op: &Op) -> Check {
        match op {
            Op::Copy(a) => self.result_is(self.of(*a)?),
            Op::Int(op, a, b) => {
                let ty = self.result()?;
                let bits = matches!(op, IntOp::And | IntOp::Or | IntOp::Xor) && ty == Type::BOOL;
                ensure!(ty.is_int() || bits, "integer arithmetic on {ty}");
                self.operands(*a, *b, ty)
            }
            Op::Float(_, a, b) => {
                let ty = self.result()?;
                ensure!(ty.is_float(), "floating-point arithmetic on {ty}");
                self.operands(*a, *b, ty)
            }
            Op::Unary(op, a) => {
                let ty = self.result()?;
                let fits = match op {
                    UnaryOp::Neg => ty.is_int(),
                    UnaryOp::Not => ty.is_int() || ty == Type::BOOL,
                    UnaryOp::FNeg => ty.is_float(),
                };
                ensure!(fits, "{op:?} of {ty}");
                self.is(*a, ty, "the operand")
            }
            Op::Compare(cmp, a, b) => self.compare(*cmp, *a, *b),
            Op::Convert {
                value,
                from,
                to,
                saturate,
                ..
            } => self.convert(*value, *from, *to, *saturate),
            Op::Bitcast(a) => {
                let (from, to) = (self.of(*a)?, self.result()?);
                let bool = |ty: Type| ty.element() == Some(Scalar::Bool);
                ensure!(
                    from.size() == to.size() && bool(from) == bool(to),
                    "{from} and {to} have different sizes"
                );
                Ok(())
            }
            Op::PtrCast(a) => {
                self.pointer(*a)?;
                let to = self.result()?;
                ensure!(to.space().is_some(), "{to} is no pointer");
                Ok(())
            }
            Op::ToSpace(a) => {
                self.is(*a, Type::Pointer(AddressSpace::Generic), "the pointer")?;
                let to = self.result()?;
                let fits = matches!(
                    to.space(),
                    Some(AddressSpace::Global | AddressSpace::Local | AddressSpace::Private)
                );
                ensure!(fits, "a generic pointer does not become {to}");
                Ok(())
            }
            Op::Select(c, a, b) => {
                let ty = self.result()?;
                self.is(*a, ty, "the first value")?;
                self.is(*b, ty, "the second value")?;
                let condition = self.of(*c)?;
                let fits = condition == Type::BOOL
                    || (matches!(ty, Type::Vector(..))
                        && condition.is_int()
                        && condition.lanes() == ty.lanes());
                ensure!(fits, "{condition} cannot choose between values of {ty}");
                Ok(())
            }
            Op::Splat(a) => {
                let (element, _) = self.vector_result()?;
                self.is(*a, Type::Scalar(element), "the element")
            }
            Op::Construct(elements) => {
                let (element, lanes) = self.vector_result()?;
                ensure!(
                    elements.len() == lanes.count() as usize,
                    "{} elements for {}",
                    elements.len(),
                    lanes.count()
                );
                elements
                    .iter()
                    .try_for_each(|&e| self.is(e, Type::Scalar(element), "an element"))
            }
            Op::Extract(v, index) => {
                let (element, _) = self.vector(*v)?;
                self.index(*index)?;
                self.result_is(Type::Scalar(element))
            }
            Op::Insert(v, index, value) => {
                let (element, _) = self.vector(*v)?;
                self.index(*index)?;
                self.is(*value, Type::Scalar(element), "the element")?;
                self.result_is(self.of(*v)?)
            }
            Op::Shuffle(a, b, mask) => {
                let (element, lanes) = self.vector(*a)?;
                self.is(*b, self.of(*a)?, "the second vector")?;
                let (result, count) = self.vector_result()?;
                ensure!(result == element, "a shuffle of {element} gives {result}");
                ensure!(
                    mask.len() == count.count() as usize,
                    "a mask of {} for {} elements",
                    mask.len(),
                    count.count()
                );
                for &m in mask {
                    ensure!(
                        u32::from(m) < 2 * lanes.count(),
                        "mask element {m} is out of range"
                    );
                }
                Ok(())
            }
            Op::SlotAddr(slot) => {
                check_id(slot, slot.0, self.function.slots.len())?;
                self.result_is(Type::Pointer(AddressSpace::Private))
            }
            Op::GlobalAddr(id) => {
                let Some(global) = self.module.globals.get(id.0 as usize) else {
                    return Err(format!("{id} does not exist"));
                };
                self.result_is(Type::Pointer(global.space))
            }
            Op::LocalAddr(id) => {
                check_id(id, id.0, self.module.locals.len())?;
                self.result_is(Type::Pointer(AddressSpace::Local))
            }
            Op::PtrAdd { base, index, .. } => {
                self.pointer(*base)?;
                self.is(*index, Type::I64, "the index")?;
                self.result_is(self.of(*base)?)
            }
            Op::Load { ptr, align, .. } => {
                self.pointer(*ptr)?;
                self.result()?;
                check_align(*align)
            }
            Op::Store {
                ptr, value, align, ..
            } => {
                self.writable(*ptr)?;
                self.of(*value)?;
                self.no_result()?;
                check_align(*align)
            }
            Op::AtomicLoad { ptr, order, .. } => {
                self.pointer(*ptr)?;
                atomic_type(self.result()?)?;
                ensure!(
                    load_order(*order),
                    "an atomic load cannot have order {order}"
                );
                Ok(())
            }
            Op::AtomicStore {
                ptr, value, order, ..
            } => {
                self.writable(*ptr)?;
                atomic_type(self.of(*value)?)?;
                ensure!(
                    matches!(order, Order::Relaxed | Order::Release | Order::SeqCst),
                    "an atomic store cannot have order {order}"
                );
                self.no_result()
            }
            Op::AtomicRmw { op, ptr, value, .. } => {
                self.writable(*ptr)?;
                let ty = self.of(*value)?;
                atomic_type(ty)?;
                let fits = *op == RmwOp::Exchange
                    || if op.is_float() {
                        ty.is_float()
                    } else {
                        ty.is_int()
                    };
                ensure!(fits, "atomic {op} of {ty}");
                self.result_if_any(ty)
            }
            Op::AtomicCas {
                ptr,
                expected,
                desired,
                failure,
                ..
            } => {
                self.writable(*ptr)?;
                let ty = self.of(*expected)?;
                atomic_type(ty)?;
                self.is(*desired, ty, "the desired value")?;
                ensure!(
                    load_order(*failure),
                    "a failed compare-and-exchange cannot have order {failure}"
                );
                self.result_if_any(ty)
            }
            Op::Fence { .. } | Op::Barrier { .. } => self.no_result(),
            Op::Collective {
                kind,
                function,
                value,
                from,
            } => self.collective((*kind, *function), *value, from),
            Op::MemCopy {
                dst,
                src,
                size,
                align,
            } => {
                self.writable(*dst)?;
                self.pointer(*src)?;
                self.is(*size, Type::I64, "the size")?;
                self.no_result()?;
                check_align(*align)
            }
            Op::MemSet {
                dst,
                byte,
                size,
                align,
            } => {
                self.writable(*dst)?;
                self.is(*byte, Type::I8, "the byte")?;
                self.is(*size, Type::I64, "the size")?;
                self.no_result()?;
                check_align(*align)
            }
            Op::Call { callee, args } => {
                let Some(function) = self.module.function(*callee) else {
                    return Err(format!("{callee} does not exist"));
                };
                ensure!(
                    args.len() == function.params.len(),
                    "{} arguments for the {} parameters of {}",
                    args.len(),
                    function.params.len(),
                    function.name
                );
                for (&arg, &param) in args.iter().zip(&function.params) {
                    let ty = check_reg(function, param)?;
                    self.is(arg, ty, "an argument")?;
                }
                match function.ret {
                    Some(ty) => self.result_if_any(ty),
                    None => self.no_result(),
                }
            }
            Op::Query { query, dim } => self.query(*query, *dim),
            Op::Intrinsic(intrinsic, args) => self.intrinsic(*intrinsic, args),
            Op::Printf { format, args } => {
                self.pointer(*format)?;
                args.iter().try_for_each(|&arg| self.of(arg).map(drop))?;
                self.result_if_any(Type::I32)
            }
            Op::Device {
                function,
                block,
                args,
            } => self.device(*function, *block, args),
        }
    }

    fn device(&self, function: DeviceFunction, block: Option<FuncId>, args: &[Operand]) -> Check {
        ensure!(
            block.is_some() == function.takes_block(),
            "{function} of {} block",
            if block.is_some() { "a" } else { "no" }
        );
        let sizes = match block {
            Some(block) if function == DeviceFunction::EnqueueKernel => self.local_sizes(block)?,
            Some(block) => self.local_sizes(block).map(|_| 0)?,
            None => 0,
        };
        let operands = function.operands();
        ensure!(
            args.len() == operands.len() + sizes,
            "{function} has {} operands, not {}",
            operands.len() + sizes,
            args.len()
        );
        let size = DeviceOperand::Number(Type::I32);
        let all = operands.iter().chain(std::iter::repeat(&size));
        for (&arg, operand) in args.iter().zip(all) {
            match *operand {
                DeviceOperand::Number(ty) => self.is(arg, ty, "an operand")?,
                DeviceOperand::Read => self.pointer(arg).map(drop)?,
                DeviceOperand::Written => self.writable(arg)?,
            }
        }
        match function.result() {
            Some(ty) => self.result_if_any(ty),
            None => self.no_result(),
        }
    }

    /// How many arguments of a block are local memory.
    fn local_sizes(&self, block: FuncId) -> Result<usize, String> {
        let function = self.module.function(block);
        let info = function.and_then(|function| function.kernel.as_ref());
        let Some(info) = info.filter(|info| info.is_block) else {
            return Err(format!("{block} is no block"));
        };
        let passes: Vec<ArgPass> = info.args.iter().map(|arg| arg.pass).collect();
        match &*passes {
            [ArgPass::Aggregate { .. }, rest @ ..]
                if rest
                    .iter()
                    .all(|pass| matches!(pass, ArgPass::LocalPointer { .. })) =>
            {
                Ok(rest.len())
            }
            _ => Err(format!("{block} takes what no block takes")),
        }
    }

    fn collective(
        &self,
        (kind, function): (BarrierKind, Collective),
        value: Operand,
        from: &[Operand],
    ) -> Check {
        let ty = self.of(value)?;
        ensure!(
            matches!(ty, Type::Scalar(_)) && ty != Type::BOOL,
            "a collective function of {ty}"
        );
        if let Some(op) = function.operation() {
            let fits = match op {
                RmwOp::Exchange | RmwOp::Sub | RmwOp::Xor | RmwOp::FSub => false,
                RmwOp::FAdd | RmwOp::FMin | RmwOp::FMax => ty.is_float(),
                RmwOp::Add
                | RmwOp::And
                | RmwOp::Or
                | RmwOp::SMin
                | RmwOp::SMax
                | RmwOp::UMin
                | RmwOp::UMax => ty.is_int(),
            };
            ensure!(fits, "{op} of {ty} by a group");
        }
        let ids = match (function, kind) {
            (Collective::Broadcast, BarrierKind::WorkGroup) => 1..=3,
            (Collective::Broadcast, BarrierKind::SubGroup) => 1..=1,
            (Collective::Shuffle, BarrierKind::SubGroup) => 1..=2,
            (Collective::Shuffle, BarrierKind::WorkGroup) => {
                return Err("only sub-groups shuffle".into());
            }
            _ => 0..=0,
        };
        ensure!(
            ids.contains(&from.len()),
            "{} ids of a work-item",
            from.len()
        );
        from.iter()
            .try_for_each(|&id| self.is(id, Type::I64, "an id"))?;
        self.result_if_any(ty)
    }

    fn vector(&self, v: Operand) -> Result<(Scalar, Lanes), String> {
        parts_of_vector(self.of(v)?)
    }

    fn vector_result(&self) -> Result<(Scalar, Lanes), String> {
        parts_of_vector(self.result()?)
    }

    fn index(&self, index: Operand) -> Check {
        let ty = self.of(index)?;
        ensure!(matches!(ty, Type::I32 | Type::I64), "an index of type {ty}");
        Ok(())
    }

    fn compare(&self, cmp: Cmp, a: Operand, b: Operand) -> Check {
        let ty = self.of(a)?;
        // Null may be compared with pointers of any space.
        let null = |o: Operand| matches!(o, Operand::Const(Const::Null(_)));
        if !(ty.space().is_some() && null(b)) {
            self.is(b, ty, "the second operand")?;
        }
        let fits = match cmp {
            Cmp::Eq | Cmp::Ne => !ty.is_float(),
            Cmp::SLt | Cmp::SLe | Cmp::SGt | Cmp::SGe => ty.is_int(),
            Cmp::ULt | Cmp::ULe | Cmp::UGt | Cmp::UGe => ty.is_int() || ty.space().is_some(),
            float_comparisons!() => ty.is_float(),
        };
        ensure!(fits, "comparison {cmp:?} of {ty}");
        self.result_is(ty.compare_result())
    }

    fn convert(&self, value: Operand, from: NumKind, to: NumKind, saturate: bool) -> Check {
        let (source, target) = (self.of(value)?, self.result()?);
        ensure!(
            source.lanes() == target.lanes(),
            "a conversion of {source} to {target}"
        );
        let fits = |kind: NumKind, ty: Type| match kind {
            NumKind::Float => ty.is_float(),
            NumKind::Signed => ty.is_int(),
            NumKind::Unsigned => ty.is_int() || ty == Type::BOOL,
        };
        ensure!(fits(from, source), "{source} is not {from:?}");
        ensure!(fits(to, target), "{target} is not {to:?}");
        ensure!(
            !(saturate && to == NumKind::Float),
            "a conversion to floating point cannot saturate"
        );
        Ok(())
    }

    fn query(&self, query: Query, dim: Option<Operand>) -> Check {
        match (query.takes_dim(), dim) {
            (true, Some(dim)) => self.is(dim, Type::I32, "the dimension")?,
            (false, None) => {}
            (true, None) => return Err(format!("{query:?} needs a dimension")),
            (false, Some(_)) => return Err(format!("{query:?} takes no dimension")),
        }
        self.result_is(Type::I64)
    }

    fn intrinsic(&self, intrinsic: Intrinsic, args: &[Operand]) -> Check {
        let name = intrinsic.name();
        ensure!(
            args.len() == intrinsic.arity(),
            "{name} has {} operands, not {}",
            intrinsic.arity(),
            args.len()
        );
        let result = self.result()?;
        let first = self.of(args[0])?;
        let signature = intrinsic.signature();
        match signature {
            Signature::Nan => {
                let fits = result.is_float()
                    && first.is_int()
                    && first.lanes() == result.lanes()
                    && first.size() == result.size();
                ensure!(fits, "{name} from {first} to {result}");
            }
            Signature::LaneTest => ensure!(
                first.is_int() && first.lanes() > 1,
                "{name} of {first}, not a vector of integers"
            ),
            Signature::Int(_) => ensure!(first.is_int(), "{name} of {first}"),
            Signature::Float(_)
            | Signature::FloatInt
            | Signature::FloatToInt
            | Signature::Float2ToInt
            | Signature::FloatTest => ensure!(first.is_float(), "{name} of {first}"),
        }
        if signature == Signature::FloatInt {
            let int = first.with_element(Scalar::I32);
            self.is(args[1], int, "the second operand")?;
        } else {
            for &arg in args {
                self.is(arg, first, "an operand")?;
            }
        }
        self.result_is(intrinsic.result(first))
    }
}

fn parts_of_vector(ty: Type) -> Result<(Scalar, Lanes), String> {
    match ty {
        Type::Vector(element, lanes) => Ok((element, lanes)),
        Type::Scalar(_) | Type::Pointer(_) => Err(format!("{ty} is no vector")),
    }
}

/// Atomics exist for scalars of four and eight bytes, and pointers.
fn atomic_type(ty: Type) -> Check {
    let fits = match ty {
        Type::Scalar(s) => matches!(s.size(), 4 | 8),
        Type::Pointer(_) => true,
        Type::Vector(..) => false,
    };
    ensure!(fits, "no atomic operation on {ty}");
    Ok(())
}

fn load_order(order: Order) -> bool {
    matches!(order, Order::Relaxed | Order::Acquire | Order::SeqCst)
}
