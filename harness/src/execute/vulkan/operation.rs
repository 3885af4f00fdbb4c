//! What the functions that a test's text calls and does not define stand for in SPIR-V.

use classay_litmus::kernel::Operation;
use classay_litmus::kernel::operation::{Ordinary, Semantics};
use classay_litmus::program::{MemOrder, MemScope, Region, RmwOp};
use touchstone_clc::vulkan as clc;

/// The instruction of an operation.
pub fn foreign(operation: &Operation) -> clc::Foreign {
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
