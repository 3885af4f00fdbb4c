//! What a program of Vulkan does to memory, as functions that a text calls and does not define.
//!
//! OpenCL C has no words for storage class semantics, for availability and visibility, or for private accesses. So
//! a kernel of such a program calls a function for each operation, whose name says all of it; the text declares it,
//! and who compiles the text is told which [`Operation`] of SPIR-V it stands for ("Memory Semantics <id>", "Memory
//! Operands", "Scope <id>" and "Atomic Instructions" of the SPIR-V specification).

use crate::program::{
    Access, Address, Atomic, Atomicity, Barrier, Cas, Expr, Fence, FenceFlags, Instr, Make,
    MemOrder, MemScope, Placement, Program, Region, Rmw, RmwOp, ScalarType, Thread, each_expr,
    each_instr,
};
use std::collections::BTreeMap;
use std::fmt::Write;

/// An operation, by what its instruction states.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Operation {
    /// OpLoad
    Load(Ordinary),
    /// OpStore
    Store(Ordinary),
    /// OpAtomicLoad
    AtomicLoad(Semantics),
    /// OpAtomicStore
    AtomicStore(Semantics),
    /// OpAtomicIAdd and its like; of minimum and maximum the one of numbers with a sign, where they have one.
    Rmw {
        /// What it computes.
        op: RmwOp,
        /// Whether its operands have signs.
        signed: bool,
        /// What it states.
        semantics: Semantics,
    },
    /// OpAtomicCompareExchange
    CompareExchange {
        /// What it states where it writes.
        equal: Semantics,
        /// What it states where it does not.
        unequal: Semantics,
    },
    /// OpMemoryBarrier
    Fence(Semantics),
    /// OpControlBarrier
    Barrier {
        /// Who waits.
        execution: MemScope,
        /// What it states of memory.
        semantics: Semantics,
    },
}

/// An access that is not atomic.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Ordinary {
    /// Volatile
    pub volatile: bool,
    /// NonPrivatePointer
    pub non_private: bool,
    /// MakePointerAvailable of a store, MakePointerVisible of a load, to this scope.
    pub made: Option<MemScope>,
}

/// Memory semantics with their scope.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Semantics {
    /// The order.
    pub order: MemOrder,
    /// The scope.
    pub scope: MemScope,
    /// The storage classes.
    pub classes: FenceFlags,
    /// Availability and visibility.
    pub make: Make,
}

/// The part of semantics that a load, or a compare-exchange that writes nothing, may have.
fn of_load(order: MemOrder) -> MemOrder {
    match order {
        MemOrder::AcqRel => MemOrder::Acquire,
        MemOrder::Release => MemOrder::Relaxed,
        MemOrder::Relaxed | MemOrder::Acquire | MemOrder::SeqCst => order,
    }
}

impl Semantics {
    fn of(atomic: &Atomic) -> Semantics {
        Semantics {
            order: atomic.order,
            scope: atomic.scope.unwrap_or(MemScope::Device),
            classes: atomic.flags,
            make: atomic.make,
        }
    }

    /// The same with another order, and of what it makes only that which the order allows.
    fn ordered(self, order: MemOrder) -> Semantics {
        let (acquires, releases) = match order {
            MemOrder::Relaxed => (false, false),
            MemOrder::Acquire => (true, false),
            MemOrder::Release => (false, true),
            MemOrder::AcqRel | MemOrder::SeqCst => (true, true),
        };
        Semantics {
            order,
            make: Make {
                available: self.make.available && releases,
                visible: self.make.visible && acquires,
            },
            ..self
        }
    }

    /// As a part of a name.
    fn write(&self, out: &mut String) {
        let _ = write!(
            out,
            "_{}_{}",
            word(self.order.name()),
            word(self.scope.name())
        );
        for class in self.classes.words() {
            let _ = write!(out, "_{class}");
        }
        for (made, name) in [
            (self.make.available, "_available"),
            (self.make.visible, "_visible"),
        ] {
            out.push_str(if made { name } else { "" });
        }
    }
}

/// The last part of an enumerator's name.
fn word(name: &str) -> &str {
    name.trim_start_matches("memory_order_")
        .trim_start_matches("memory_scope_")
}

impl Operation {
    /// Of a read.
    pub fn of_load(access: &Access) -> Operation {
        match access.atomicity.atomic() {
            Some(atomic) => Operation::AtomicLoad(Semantics::of(&atomic)),
            None => Operation::Load(Ordinary::of(access.atomicity)),
        }
    }

    /// Of a write.
    pub fn of_store(access: &Access) -> Operation {
        match access.atomicity.atomic() {
            Some(atomic) => Operation::AtomicStore(Semantics::of(&atomic)),
            None => Operation::Store(Ordinary::of(access.atomicity)),
        }
    }

    /// Of a read-modify-write of a location of this type.
    pub fn of_rmw(rmw: &Rmw, ty: ScalarType) -> Operation {
        Operation::Rmw {
            op: rmw.op,
            signed: ty.is_signed(),
            semantics: Semantics::of(&rmw.atomic),
        }
    }

    /// Of a compare-exchange.
    pub fn of_cas(cas: &Cas) -> Operation {
        let equal = Semantics::of(&cas.atomic);
        Operation::CompareExchange {
            equal,
            unequal: equal.ordered(of_load(cas.failure)),
        }
    }

    /// Of a fence.
    pub fn of_fence(fence: &Fence) -> Operation {
        Operation::Fence(Semantics {
            order: fence.order,
            scope: fence.scope,
            classes: fence.flags,
            make: fence.make,
        })
    }

    /// Of a control barrier.
    pub fn of_barrier(barrier: &Barrier) -> Operation {
        Operation::Barrier {
            execution: barrier.group.own(),
            semantics: Semantics {
                order: barrier.order,
                scope: barrier.reach(),
                classes: barrier.flags,
                make: barrier.make,
            },
        }
    }

    /// The name of the function that stands for it, on values of a type in a region where it accesses memory.
    pub fn name(&self, on: Option<(ScalarType, Region)>) -> String {
        let mut name = String::from("vulkan_");
        match self {
            Operation::Load(access) | Operation::Store(access) => {
                let what = match self {
                    Operation::Load(_) => "load",
                    _ => "store",
                };
                name.push_str(what);
                name.push_str(if access.volatile { "_volatile" } else { "" });
                name.push_str(if access.non_private {
                    "_nonprivate"
                } else {
                    ""
                });
                if let Some(scope) = access.made {
                    let _ = write!(name, "_{}", word(scope.name()));
                }
            }
            Operation::AtomicLoad(semantics) => {
                name.push_str("atomic_load");
                semantics.write(&mut name);
            }
            Operation::AtomicStore(semantics) => {
                name.push_str("atomic_store");
                semantics.write(&mut name);
            }
            Operation::Rmw { op, semantics, .. } => {
                name.push_str(op.name());
                semantics.write(&mut name);
            }
            Operation::CompareExchange { equal, unequal } => {
                name.push_str("compare_exchange");
                equal.write(&mut name);
                name.push_str("_else");
                unequal.write(&mut name);
            }
            Operation::Fence(semantics) => {
                name.push_str("fence");
                semantics.write(&mut name);
            }
            Operation::Barrier {
                execution,
                semantics,
            } => {
                let _ = write!(name, "barrier_{}", word(execution.name()));
                semantics.write(&mut name);
            }
        }
        if let Some((ty, region)) = on {
            let _ = write!(name, "_{}_{}", ty.name(), region.name());
        }
        name
    }

    /// The declaration of that function.
    fn declaration(&self, on: Option<(ScalarType, Region)>) -> String {
        let name = self.name(on);
        let Some((ty, region)) = on else {
            return format!("void {name}(void);\n");
        };
        let space = match region {
            Region::Local => "__local",
            Region::Global | Region::Image | Region::Output | Region::Input => "__global",
        };
        let ty = match ty.atomic_name() {
            Some("atomic_flag") => "int",
            Some(_) | None => ty.name(),
        };
        let result = match self {
            Operation::Store(_) | Operation::AtomicStore(_) => "void",
            _ => ty,
        };
        let values = match self.values() {
            0 => String::new(),
            1 => format!(", {ty} value"),
            _ => format!(", {ty} expected, {ty} value"),
        };
        format!("{result} {name}({space} {ty} *p{values});\n")
    }

    /// Values that it takes beside the pointer.
    fn values(&self) -> usize {
        match self {
            Operation::Load(_) | Operation::AtomicLoad(_) => 0,
            Operation::Store(_) | Operation::AtomicStore(_) | Operation::Rmw { .. } => 1,
            Operation::CompareExchange { .. } => 2,
            Operation::Fence(_) | Operation::Barrier { .. } => 0,
        }
    }
}

impl Ordinary {
    fn of(atomicity: Atomicity) -> Ordinary {
        let (volatile, non_private, made) = match atomicity {
            Atomicity::Volatile => (true, false, None),
            Atomicity::NonPrivate(made) => (false, true, made),
            Atomicity::Plain | Atomicity::Atomic(_) => (false, false, None),
        };
        Ordinary {
            volatile,
            non_private,
            made,
        }
    }
}

/// The operations of a program by the names of their functions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Operations {
    /// By name.
    pub all: BTreeMap<String, Operation>,
    /// The declarations.
    pub declarations: String,
}

impl Operations {
    /// Those of a program's work-items.
    pub fn of(program: &Program) -> Operations {
        let mut operations = Operations::default();
        let at = |address: &Address| {
            let location = &program.locations[address.location.index()];
            (location.ty, location.region)
        };
        let work_item = |thread: &&Thread| thread.placement != Placement::Host;
        for thread in program.threads.iter().filter(work_item) {
            each_instr(&thread.body, &mut |instr| match instr {
                Instr::Store { access, .. } => {
                    operations.add(Operation::of_store(access), Some(at(&access.address)));
                }
                Instr::Fence(fence) => operations.add(Operation::of_fence(fence), None),
                Instr::Barrier(barrier) => operations.add(Operation::of_barrier(barrier), None),
                _ => {}
            });
            each_expr(&thread.body, &mut |expr| match expr {
                Expr::Load(access) => {
                    operations.add(Operation::of_load(access), Some(at(&access.address)));
                }
                Expr::Rmw(rmw) => {
                    let on = at(&rmw.address);
                    operations.add(Operation::of_rmw(rmw, on.0), Some(on));
                }
                Expr::Cas(cas) => {
                    operations.add(Operation::of_cas(cas), Some(at(&cas.address)));
                }
                _ => {}
            });
        }
        operations
    }

    /// Whether one of them is of this scope.
    pub fn names(&self, scope: MemScope) -> bool {
        self.all.values().any(|operation| match operation {
            Operation::Load(access) | Operation::Store(access) => access.made == Some(scope),
            Operation::AtomicLoad(of) | Operation::AtomicStore(of) | Operation::Fence(of) => {
                of.scope == scope
            }
            Operation::Rmw { semantics, .. } => semantics.scope == scope,
            Operation::CompareExchange { equal, .. } => equal.scope == scope,
            Operation::Barrier {
                execution,
                semantics,
            } => *execution == scope || semantics.scope == scope,
        })
    }

    fn add(&mut self, operation: Operation, on: Option<(ScalarType, Region)>) {
        if self.all.insert(operation.name(on), operation).is_none() {
            self.declarations.push_str(&operation.declaration(on));
        }
    }
}
