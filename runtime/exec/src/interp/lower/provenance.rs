//! Where addresses come from.
//!
//! A pointer computed from a buffer may reach this buffer only (C99 6.5.6: arithmetic
//! stays within one object), whatever lies beside it in memory. So for every register that
//! holds a pointer the pass finds out which object it was computed from: a kernel
//! argument, a variable, or, where different objects meet in one register or the pointer
//! comes out of memory or of an integer, any. Accesses through the first kind are checked
//! against the object, those through the second against all that the launch may touch.
//!
//! The pass does not look at the order of instructions: a variable that is assigned pointers
//! to two objects may hold either everywhere. It does look through calls: a function is
//! analysed, and compiled, once for each combination of origins of its arguments, so that a
//! helper that is called with one buffer and with another is held to each in turn.

use std::collections::BTreeMap;
use touchstone_ir::{
    ArgPass, FuncId, Function, GlobalId, LocalId, Module, Op, Operand, SlotId, Terminator, Type,
    accesses, computations,
};

/// An object of memory, as the program names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Root {
    /// What an argument of the kernel points to, or the copy of an aggregate.
    Argument(u32),
    /// A program-scope variable.
    Global(GlobalId),
    /// A static local variable.
    Local(LocalId),
    /// A private variable of a function.
    Slot(FuncId, SlotId),
}

/// What is known of a pointer's object.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Origin {
    /// No object so far: the null pointer, or no pointer at all.
    #[default]
    Nowhere,
    /// This object.
    From(Root),
    /// Several, or unknown ones.
    Anywhere,
}

impl Origin {
    fn join(self, other: Origin) -> Origin {
        match (self, other) {
            (Origin::Nowhere, x) | (x, Origin::Nowhere) => x,
            (a, b) if a == b => a,
            (Origin::From(_) | Origin::Anywhere, Origin::From(_) | Origin::Anywhere) => {
                Origin::Anywhere
            }
        }
    }

    /// The object, if it is known.
    pub(super) fn root(self) -> Option<Root> {
        match self {
            Origin::From(root) => Some(root),
            Origin::Nowhere | Origin::Anywhere => None,
        }
    }
}

/// An index into [`Instances::list`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct InstanceId(pub(super) usize);

/// A function with arguments of certain origins.
#[derive(Debug)]
pub(super) struct Instance {
    pub(super) function: FuncId,
    /// By register; only those of the parameters until it is analysed.
    regs: Vec<Origin>,
    /// Of the result, once it is analysed.
    result: Option<Origin>,
    /// The instance called, by block and instruction.
    calls: BTreeMap<(usize, usize), InstanceId>,
}

impl Instance {
    /// The origin of an operand.
    pub(super) fn origin(&self, operand: Operand) -> Origin {
        origin(&self.regs, operand)
    }

    /// The instance that the call at a place calls.
    pub(super) fn callee(&self, block: usize, inst: usize) -> Option<InstanceId> {
        self.calls.get(&(block, inst)).copied()
    }
}

fn origin(regs: &[Origin], operand: Operand) -> Origin {
    match operand {
        Operand::Reg(r) => regs[r.0 as usize],
        Operand::Const(_) => Origin::Nowhere,
    }
}

/// The instances that a kernel consists of.
#[derive(Debug)]
pub(super) struct Instances<'a> {
    module: &'a Module,
    pub(super) list: Vec<Instance>,
    known: BTreeMap<(FuncId, Vec<Origin>), InstanceId>,
}

/// Instances of one kernel, at most, before further ones are made for arguments of any origin
/// only. Each costs code and registers.
const LIMIT: usize = 256;

/// Calls within calls, at most, through which the origin of a result is followed.
const DEPTH: usize = 64;

impl<'a> Instances<'a> {
    /// Analyses a kernel and the functions it calls. The kernel's instance is the first.
    pub(super) fn of_kernel(module: &'a Module, kernel: FuncId) -> Instances<'a> {
        let mut instances = Instances {
            module,
            list: Vec::new(),
            known: BTreeMap::new(),
        };
        let function = &module.functions[kernel.0 as usize];
        let args = function.kernel.iter().flat_map(|info| &info.args);
        let params = args
            .enumerate()
            .map(|(i, arg)| match arg.pass {
                ArgPass::Value(Type::Pointer(_)) => Origin::Anywhere,
                ArgPass::Value(Type::Scalar(_) | Type::Vector(..))
                | ArgPass::Sampler
                | ArgPass::Queue => Origin::Nowhere,
                ArgPass::Aggregate { .. }
                | ArgPass::Pointer(_)
                | ArgPass::Image(..)
                | ArgPass::Pipe { .. }
                | ArgPass::LocalPointer { .. } => Origin::From(Root::Argument(i as u32)),
            })
            .collect();
        instances.instance(kernel, params);
        let mut next = 0;
        while next < instances.list.len() {
            instances.analyse(InstanceId(next), 0);
            next += 1;
        }
        instances
    }

    /// The instances that the kernel needs, its own first.
    pub(super) fn reachable(&self) -> Vec<InstanceId> {
        let mut order = vec![InstanceId(0)];
        let mut next = 0;
        while let Some(&id) = order.get(next) {
            next += 1;
            for &callee in self.list[id.0].calls.values() {
                if !order.contains(&callee) {
                    order.push(callee);
                }
            }
        }
        order
    }

    /// The instance of a function for arguments of these origins, perhaps not yet analysed.
    fn instance(&mut self, function: FuncId, params: Vec<Origin>) -> InstanceId {
        let mut key = (function, params);
        if let Some(&known) = self.known.get(&key) {
            return known;
        }
        if self.list.len() >= LIMIT {
            for origin in &mut key.1 {
                *origin = match *origin {
                    Origin::Nowhere => Origin::Nowhere,
                    Origin::From(_) | Origin::Anywhere => Origin::Anywhere,
                };
            }
            if let Some(&known) = self.known.get(&key) {
                return known;
            }
        }
        let next = InstanceId(self.list.len());
        let declared = &self.module.functions[function.0 as usize];
        let mut regs = vec![Origin::Nowhere; declared.regs.len()];
        for (&param, &origin) in declared.params.iter().zip(&key.1) {
            regs[param.0 as usize] = origin;
        }
        self.list.push(Instance {
            function,
            regs,
            result: None,
            calls: BTreeMap::new(),
        });
        self.known.insert(key, next);
        next
    }

    /// Analyses an instance. `depth` counts the calls on the way to it; there is no recursion
    /// in the program.
    fn analyse(&mut self, id: InstanceId, depth: usize) {
        if self.list[id.0].result.is_some() {
            return;
        }
        let module = self.module;
        let number = self.list[id.0].function;
        let function = &module.functions[number.0 as usize];
        let mut regs = std::mem::take(&mut self.list[id.0].regs);
        while self.pass(number, function, &mut regs, depth) {}
        let mut result = Origin::Nowhere;
        let mut calls = BTreeMap::new();
        for (b, block) in function.blocks.iter().enumerate() {
            for (i, inst) in block.insts.iter().enumerate() {
                if let Op::Call { callee, args } = &inst.op {
                    calls.insert((b, i), self.call(&regs, *callee, args));
                }
            }
            if let Terminator::Return(Some(value)) = block.term
                && is_pointer(function, value)
            {
                result = result.join(origin(&regs, value));
            }
        }
        let instance = &mut self.list[id.0];
        instance.regs = regs;
        instance.result = Some(result);
        instance.calls = calls;
    }

    fn call(&mut self, regs: &[Origin], callee: FuncId, args: &[Operand]) -> InstanceId {
        let origins = args.iter().map(|&arg| origin(regs, arg)).collect();
        self.instance(callee, origins)
    }

    /// Goes over a function once; says whether it found out anything new.
    fn pass(
        &mut self,
        number: FuncId,
        function: &Function,
        regs: &mut [Origin],
        depth: usize,
    ) -> bool {
        let mut news = false;
        for inst in function.blocks.iter().flat_map(|b| &b.insts) {
            let Some(dst) = inst.dst else { continue };
            if !matches!(function.regs[dst.0 as usize].ty, Type::Pointer(_)) {
                continue;
            }
            let found = self.result(number, function, regs, &inst.op, depth);
            let old = &mut regs[dst.0 as usize];
            let new = old.join(found);
            news |= new != *old;
            *old = new;
        }
        news
    }

    /// The origin of a pointer that an operation results in.
    fn result(
        &mut self,
        number: FuncId,
        function: &Function,
        regs: &[Origin],
        op: &Op,
        depth: usize,
    ) -> Origin {
        match op {
            Op::Copy(value) | Op::PtrCast(value) | Op::ToSpace(value) => origin(regs, *value),
            Op::Bitcast(value) if is_pointer(function, *value) => origin(regs, *value),
            Op::Select(_, a, b) => origin(regs, *a).join(origin(regs, *b)),
            Op::PtrAdd { base, .. } => origin(regs, *base),
            Op::SlotAddr(slot) => Origin::From(Root::Slot(number, *slot)),
            Op::GlobalAddr(global) => Origin::From(Root::Global(*global)),
            Op::LocalAddr(local) => Origin::From(Root::Local(*local)),
            Op::Call { callee, args } if depth < DEPTH => {
                let callee = self.call(regs, *callee, args);
                self.analyse(callee, depth + 1);
                self.list[callee.0].result.unwrap_or(Origin::Anywhere)
            }
            Op::Call { .. }
            | Op::Bitcast(_)
            | Op::Convert { .. }
            | Op::Fence { .. }
            | Op::Barrier { .. }
            | Op::Collective { .. }
            | Op::Device { .. }
            | Op::Printf { .. }
            | computations!()
            | accesses!() => Origin::Anywhere,
        }
    }
}

fn is_pointer(function: &Function, operand: Operand) -> bool {
    matches!(function.operand_type(operand), Some(Type::Pointer(_)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use touchstone_ir::{AddressSpace, Const, FunctionBuilder, KernelArg, KernelInfo, Reg};

    const GLOBAL: Type = Type::Pointer(AddressSpace::Global);

    fn kernel(module: &mut Module, args: usize, body: impl FnOnce(&mut FunctionBuilder)) -> FuncId {
        let mut b = FunctionBuilder::new("k", &vec![GLOBAL; args], None);
        b.function_mut().kernel = Some(KernelInfo {
            args: vec![
                KernelArg {
                    name: String::new(),
                    type_name: String::new(),
                    qualifiers: touchstone_ir::TypeQualifiers::default(),
                    pass: ArgPass::Pointer(AddressSpace::Global),
                };
                args
            ],
            ..KernelInfo::default()
        });
        body(&mut b);
        b.ret(None);
        module.add_function(b.finish())
    }

    fn argument(n: u32) -> Origin {
        Origin::From(Root::Argument(n))
    }

    #[test]
    fn arithmetic_keeps_the_object_and_meeting_loses_it() {
        let mut m = Module::new();
        let mut regs = Vec::new();
        let k = kernel(&mut m, 2, |b| {
            let moved = b.ptr_offset(b.param(0), 40);
            let c = b.compare(touchstone_ir::Cmp::Eq, b.param(0), b.param(1));
            let either = b.select(c, b.param(0), b.param(1));
            let same = b.select(c, b.param(0), moved);
            let or_null = b.select(c, b.param(1), Const::Null(AddressSpace::Global));
            let loaded = b.load(GLOBAL, b.param(0));
            regs = vec![moved, either, same, or_null, loaded];
        });
        let instances = Instances::of_kernel(&m, k);
        let found: Vec<Origin> = regs
            .iter()
            .map(|&r: &Reg| instances.list[0].origin(r.into()))
            .collect();
        let any = Origin::Anywhere;
        assert_eq!(found, [argument(0), any, argument(0), argument(1), any]);
    }

    /// A helper is distinguished by its arguments, through its result as well.
    #[test]
    fn calls_are_looked_through() {
        let mut m = Module::new();
        let mut f = FunctionBuilder::new("next", &[GLOBAL], Some(GLOBAL));
        let p = f.ptr_offset(f.param(0), 4);
        f.ret(Some(p.into()));
        let next = m.add_function(f.finish());
        let mut regs = Vec::new();
        let k = kernel(&mut m, 2, |b| {
            for param in [b.param(0), b.param(1)] {
                regs.push(
                    b.call(next, vec![param.into()], Some(GLOBAL))
                        .expect("result"),
                );
            }
        });
        let instances = Instances::of_kernel(&m, k);
        let kernel = &instances.list[0];
        assert_eq!(kernel.origin(regs[0].into()), argument(0));
        assert_eq!(kernel.origin(regs[1].into()), argument(1));
        assert_eq!(instances.reachable().len(), 3);
    }

    /// Past the limit functions are shared, and what they do may be anywhere.
    #[test]
    fn many_combinations_share_an_instance() {
        let mut m = Module::new();
        let mut f = FunctionBuilder::new("id", &[GLOBAL], Some(GLOBAL));
        f.ret(Some(f.param(0).into()));
        let same = m.add_function(f.finish());
        let args = LIMIT + 10;
        let mut regs = Vec::new();
        let k = kernel(&mut m, args, |b| {
            for n in 0..args {
                let param = b.param(n);
                regs.push(
                    b.call(same, vec![param.into()], Some(GLOBAL))
                        .expect("result"),
                );
            }
        });
        let instances = Instances::of_kernel(&m, k);
        let kernel = &instances.list[0];
        assert_eq!(kernel.origin(regs[0].into()), argument(0));
        assert_eq!(kernel.origin(regs[args - 1].into()), Origin::Anywhere);
        assert!(instances.list.len() <= LIMIT + 2);
    }
}
