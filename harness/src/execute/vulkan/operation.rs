//! What the functions that a test's text calls and does not define stand for in SPIR-V.

use crate::environment::ModuleModel;
use classay_litmus::kernel::Operation;
use classay_litmus::kernel::operation::{Ordinary, Semantics};
use classay_litmus::program::{MemOrder, MemScope, Region, RmwOp};
use touchstone_clc::vulkan as clc;

/// The instruction of an operation, in a module of the Vulkan memory model or of the one before it.
pub fn foreign(operation: &Operation, model: ModuleModel) -> clc::Foreign {
    match model {
        ModuleModel::Vulkan => exactly(operation),
        ModuleModel::Glsl450 => legacy(exactly(operation)),
    }
}

/// As the model GLSL450 has it, which has no words for availability and visibility: variables are `Coherent`, so that
/// every access is available and visible as far as any needs to be, and nothing is private. It promises no order of
/// atomics, so barriers stand around them; the queue family is its device. All that the operation orders this does,
/// and more.
fn legacy(operation: clc::Foreign) -> clc::Foreign {
    use clc::Foreign;
    let access = |access: clc::Access| clc::Access {
        volatile: access.volatile,
        ..clc::Access::default()
    };
    match operation {
        Foreign::Load(of) => Foreign::Load(access(of)),
        Foreign::Store(of) => Foreign::Store(access(of)),
        Foreign::AtomicLoad { scope, semantics } => {
            let scope = known(scope);
            let semantics = [semantics];
            fenced(scope, &semantics, |semantics| Foreign::AtomicLoad {
                scope,
                semantics,
            })
        }
        Foreign::AtomicStore { scope, semantics } => {
            let scope = known(scope);
            let semantics = [semantics];
            fenced(scope, &semantics, |semantics| Foreign::AtomicStore {
                scope,
                semantics,
            })
        }
        Foreign::Rmw {
            operation,
            scope,
            semantics,
        } => {
            let scope = known(scope);
            fenced(scope, &[semantics], |semantics| Foreign::Rmw {
                operation,
                scope,
                semantics,
            })
        }
        Foreign::CompareExchange {
            scope,
            equal,
            unequal,
        } => {
            let scope = known(scope);
            fenced(scope, &[equal, unequal], |semantics| {
                Foreign::CompareExchange {
                    scope,
                    equal: semantics,
                    unequal: semantics,
                }
            })
        }
        Foreign::Fence { scope, semantics } => Foreign::Fence {
            scope: known(scope),
            semantics: match ordering(semantics) {
                // One has to order something.
                none if none.is_empty() => {
                    clc::MemorySemantics::ACQUIRE_RELEASE | clc::MemorySemantics::UNIFORM_MEMORY
                }
                some => some,
            },
        },
        Foreign::ControlBarrier {
            execution,
            memory,
            semantics,
        } => Foreign::ControlBarrier {
            execution,
            memory: known(memory),
            semantics: ordering(semantics),
        },
        Foreign::Fenced { .. } => operation,
    }
}

/// A scope by the name that GLSL450 has for it.
fn known(scope: clc::Scope) -> clc::Scope {
    match scope {
        clc::Scope::QueueFamily => clc::Scope::Device,
        other => other,
    }
}

/// Of semantics what GLSL450 knows: an order of storage classes that compute shaders have; nothing where there are
/// none.
fn ordering(semantics: clc::MemorySemantics) -> clc::MemorySemantics {
    use clc::MemorySemantics as Bits;
    let orders = Bits::ACQUIRE | Bits::RELEASE | Bits::ACQUIRE_RELEASE;
    let classes = Bits::UNIFORM_MEMORY | Bits::WORKGROUP_MEMORY | Bits::IMAGE_MEMORY;
    match semantics.intersects(orders) && semantics.intersects(classes) {
        true => semantics & (orders | classes),
        false => Bits::empty(),
    }
}

/// A relaxed atomic with the barriers around it that its semantics ask for.
fn fenced(
    scope: clc::Scope,
    semantics: &[clc::MemorySemantics],
    atomic: impl FnOnce(clc::MemorySemantics) -> clc::Foreign,
) -> clc::Foreign {
    use clc::MemorySemantics as Bits;
    let all = semantics
        .iter()
        .map(|of| ordering(*of))
        .fold(Bits::empty(), |a, b| a | b);
    let classes = all & (Bits::UNIFORM_MEMORY | Bits::WORKGROUP_MEMORY | Bits::IMAGE_MEMORY);
    let where_it = |bit| {
        let asks = all.intersects(bit | Bits::ACQUIRE_RELEASE);
        asks.then_some((scope, Bits::ACQUIRE_RELEASE | classes))
    };
    clc::Foreign::Fenced {
        before: where_it(Bits::RELEASE),
        of: Box::new(atomic(Bits::empty())),
        after: where_it(Bits::ACQUIRE),
    }
}

/// The instruction, as the operation states it.
fn exactly(operation: &Operation) -> clc::Foreign {
    match *operation {
        Operation::Load(access) => clc::Foreign::Load(clc::Access {
            visible: access.made.map(scope),
            ..ordinary(access)
        }),
        Operation::Store(access) => clc::Foreign::Store(clc::Access {
            available: access.made.map(scope),
            ..ordinary(access)
        }),
        Operation::AtomicLoad(of) => clc::Foreign::AtomicLoad {
            scope: scope(of.scope),
            semantics: semantics(of),
        },
        Operation::AtomicStore(of) => clc::Foreign::AtomicStore {
            scope: scope(of.scope),
            semantics: semantics(of),
        },
        Operation::Rmw {
            op,
            signed,
            semantics: of,
        } => clc::Foreign::Rmw {
            operation: rmw(op, signed),
            scope: scope(of.scope),
            semantics: semantics(of),
        },
        Operation::CompareExchange { equal, unequal } => clc::Foreign::CompareExchange {
            scope: scope(equal.scope),
            equal: semantics(equal),
            unequal: semantics(unequal),
        },
        Operation::Fence(of) => clc::Foreign::Fence {
            scope: scope(of.scope),
            semantics: semantics(of),
        },
        Operation::Barrier {
            execution,
            semantics: of,
        } => clc::Foreign::ControlBarrier {
            execution: scope(execution),
            memory: scope(of.scope),
            semantics: semantics(of),
        },
    }
}

fn ordinary(access: Ordinary) -> clc::Access {
    clc::Access {
        volatile: access.volatile,
        non_private: access.non_private,
        available: None,
        visible: None,
    }
}

fn scope(scope: MemScope) -> clc::Scope {
    match scope {
        MemScope::WorkItem => clc::Scope::Invocation,
        MemScope::SubGroup => clc::Scope::Subgroup,
        MemScope::WorkGroup => clc::Scope::Workgroup,
        MemScope::QueueFamily => clc::Scope::QueueFamily,
        MemScope::Device => clc::Scope::Device,
        MemScope::AllSvmDevices => clc::Scope::CrossDevice,
    }
}

fn semantics(of: Semantics) -> clc::MemorySemantics {
    use clc::MemorySemantics as Bits;
    let mut bits = match of.order {
        MemOrder::Relaxed => Bits::empty(),
        MemOrder::Acquire => Bits::ACQUIRE,
        MemOrder::Release => Bits::RELEASE,
        MemOrder::AcqRel => Bits::ACQUIRE_RELEASE,
        MemOrder::SeqCst => Bits::SEQUENTIALLY_CONSISTENT,
    };
    for region in of.classes.regions() {
        bits |= match region {
            Region::Global => Bits::UNIFORM_MEMORY,
            Region::Local => Bits::WORKGROUP_MEMORY,
            Region::Image => Bits::IMAGE_MEMORY,
            Region::Output => Bits::OUTPUT_MEMORY,
            Region::Input => Bits::empty(),
        };
    }
    if of.make.available {
        bits |= Bits::MAKE_AVAILABLE;
    }
    if of.make.visible {
        bits |= Bits::MAKE_VISIBLE;
    }
    bits
}

fn rmw(op: RmwOp, signed: bool) -> clc::RmwOp {
    match op {
        RmwOp::Exchange | RmwOp::TestAndSet => clc::RmwOp::Exchange,
        RmwOp::Add => clc::RmwOp::Add,
        RmwOp::Sub => clc::RmwOp::Sub,
        RmwOp::Or => clc::RmwOp::Or,
        RmwOp::Xor => clc::RmwOp::Xor,
        RmwOp::And => clc::RmwOp::And,
        RmwOp::Min if signed => clc::RmwOp::SMin,
        RmwOp::Min => clc::RmwOp::UMin,
        RmwOp::Max if signed => clc::RmwOp::SMax,
        RmwOp::Max => clc::RmwOp::UMax,
    }
}
