//! The kernel IR of Touchstone: what front ends make and executors run.
//!
//! A [`Module`] holds functions, some of which are kernels, program-scope
//! variables and the static local variables of kernels. A [`Function`] is a
//! graph of basic blocks over *typed mutable virtual registers*; aggregates
//! live only in memory, so a register holds a scalar, a vector or a pointer.
//! Integers carry no sign: operations do. Every access to memory is an
//! instruction of its own that states its type, its address space (that of the
//! pointer's type) and, for atomics, order and scope, so that an executor of a
//! memory model sees everything it needs.
//!
//! | module | subject |
//! | --- | --- |
//! | [`ids`] | numbers of functions, blocks and variables |
//! | [`types`] | scalars, vectors, pointers, address spaces, sizes |
//! | [`value`] | registers, constants, operands, source locations |
//! | [`memory`] | orders, scopes, fence regions, read-modify-write operations |
//! | [`op`] | instructions and terminators |
//! | [`intrinsic`] | built-in math and integer functions |
//! | [`device`] | functions of device-side enqueue |
//! | [`function`] | functions, blocks, kernels and their metadata |
//! | [`module`] | modules and program-scope variables |
//! | [`calls`] | who calls whom, and recursion |
//! | [`builder`] | what a front end uses to write functions |
//! | [`validate`] | the rules of a well-formed module |
//! | [`print`] | the textual form |
//!
//! It depends on nothing else of the project.
#![forbid(unsafe_code)]
#![warn(clippy::missing_errors_doc)]

pub mod builder;
pub mod calls;
pub mod device;
pub mod function;
mod half;
pub mod ids;
pub mod intrinsic;
pub mod memory;
pub mod module;
mod names;
pub mod op;
pub mod print;
pub mod types;
pub mod validate;
pub mod value;

pub use builder::FunctionBuilder;
pub use device::{DeviceFunction, DeviceOperand};
pub use function::{
    ArgPass, Block, Function, ImageAccess, ImageKind, KernelArg, KernelInfo, RegDecl, Slot,
    TypeQualifiers,
};
pub use half::{half_value, nearest_half};
pub use ids::{BlockId, FuncId, GlobalId, LocalId, Reg, SlotId};
pub use intrinsic::Intrinsic;
pub use memory::{MemScope, Order, Regions, RmwOp};
pub use module::{Global, LocalVar, Module, Reloc};
pub use op::{
    BarrierKind, Cmp, Collective, FloatOp, Inst, IntOp, NumKind, Op, Query, Rounding, Terminator,
    TrapReason, UnaryOp,
};
pub use types::{AddressSpace, Lanes, Scalar, Type};
pub use validate::{ValidateError, validate};
pub use value::{Const, Loc, Operand};
