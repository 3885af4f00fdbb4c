//! What the host does with shared memory while kernels run: its side of an exchange.
//!
//! An exchange is a small program over registers of 64 bits. Its accesses are to cells: elements of
//! fine-grain SVM, or of memory of the host. Atomic accesses have the host language's own atomics, whose
//! scope is all_svm_devices (architecture, section "Atomic Operations"); other accesses are plain, and
//! whoever writes an exchange orders them.
//!
//! There is no promise that anybody makes progress while another waits, so every wait has a bound: a
//! side that has waited too long writes the case's `quit` word, which every loop of either side reads,
//! and the exchange ends. That is no failure; such runs are counted apart.

use super::value::Place;
use crate::host::contents::Unit;
use classay_vocabulary::words;
use serde::{Deserialize, Serialize};

/// A register.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Reg(pub u8);

/// Registers of an exchange.
pub const REGISTERS: usize = 16;

/// A number: a constant and multiples of registers, modulo 2^64.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Num {
    /// The constant.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub plus: u64,
    /// Registers and what they are multiplied by.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub of: Vec<(Reg, u64)>,
}

fn is_zero(n: &u64) -> bool {
    *n == 0
}

impl Num {
    /// A constant.
    pub fn of(n: u64) -> Num {
        Num {
            plus: n,
            of: Vec::new(),
        }
    }

    /// A register.
    pub fn reg(reg: Reg) -> Num {
        Num::of(0).and(reg, 1)
    }

    /// And so many times a register.
    pub fn and(mut self, reg: Reg, times: u64) -> Num {
        self.of.push((reg, times));
        self
    }

    /// And a constant.
    pub fn more(mut self, n: u64) -> Num {
        self.plus = self.plus.wrapping_add(n);
        self
    }

    /// Its value.
    pub fn value(&self, registers: &[u64; REGISTERS]) -> u64 {
        self.of.iter().fold(self.plus, |sum, (reg, times)| {
            let value = registers.get(usize::from(reg.0)).unwrap_or(&0);
            sum.wrapping_add(value.wrapping_mul(*times))
        })
    }
}

macro_rules! num_from {
    ($($from:ty => $make:expr),*) => {
        $(impl From<$from> for Num {
            fn from(value: $from) -> Num {
                $make(value)
            }
        })*
    };
}
num_from!(Reg => Num::reg, u64 => Num::of, u32 => |n| Num::of(u64::from(n)));

/// Where a cell is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Base {
    /// So many elements after a place.
    At(Place, Num),
    /// At an address with these bytes after it; it has to lie in memory that the program holds.
    Pointer(Reg, u64),
}

/// An element.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cell {
    /// Where.
    pub base: Base,
    /// How large.
    pub unit: Unit,
}

/// A memory order of the host.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Order {
    /// memory_order_relaxed.
    Relaxed,
    /// memory_order_acquire for what reads, memory_order_release for what writes, memory_order_acq_rel
    /// for what does both.
    AcqRel,
    /// memory_order_seq_cst.
    SeqCst,
}

words! {
    /// A read-modify-write.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum Change {
        /// Addition.
        Add = "add",
        /// Subtraction.
        Sub = "sub",
        /// Bitwise or.
        Or = "or",
        /// Bitwise and.
        And = "and",
        /// Bitwise exclusive or.
        Xor = "xor",
        /// The smaller, of unsigned numbers.
        Min = "min",
        /// The larger, of unsigned numbers.
        Max = "max",
        /// The smaller, of signed numbers.
        MinSigned = "min-signed",
        /// The larger, of signed numbers.
        MaxSigned = "max-signed",
        /// The new value.
        Exchange = "exchange",
    }
}

/// What to compare.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Is {
    /// They are equal.
    Equal,
    /// They are not.
    Unequal,
    /// The left one is smaller, of unsigned numbers.
    Below,
}

/// Something that the host does.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Operation {
    /// A register gets a number.
    Put(Reg, Num),
    /// A register gets the address of a cell.
    Address(Reg, Cell),
    /// A plain read.
    Read(Reg, Cell),
    /// A plain write.
    Write(Cell, Num),
    /// An atomic load.
    Load(Reg, Cell, Order),
    /// An atomic store.
    Store(Cell, Num, Order),
    /// A read-modify-write; the register gets the value before.
    Change {
        /// What.
        how: Change,
        /// Where.
        at: Cell,
        /// The operand.
        by: Num,
        /// Its order.
        order: Order,
        /// The register.
        before: Reg,
    },
    /// A compare-exchange; where it fails, the register gets what was found.
    Swap {
        /// Where.
        at: Cell,
        /// What is expected.
        expected: Reg,
        /// The new value.
        new: Num,
        /// The order of success; failure is relaxed.
        order: Order,
        /// It may fail for no reason.
        weak: bool,
        /// Gets 1 where it succeeded, else 0.
        done: Reg,
    },
    /// A fence; `AcqRel` is both.
    Fence(Order),
    /// Atomic loads until the cell has a value: for a bounded time.
    Await {
        /// The cell.
        at: Cell,
        /// The value.
        value: Num,
        /// The order of each load.
        order: Order,
        /// Where the value does not come: whether the side gives up, or just goes on.
        must: bool,
    },
    /// Does it so often; the register counts from 0. Ends where somebody has given up.
    Repeat(Num, Reg, Vec<Operation>),
    /// Does it where numbers compare so.
    When(Num, Is, Num, Vec<Operation>),
    /// Leaves the innermost repetition.
    Leave,
}

/// Whether operations keep to registers that there are and to places that the host may use while kernels
/// run, which `open` says; that cells lie in their memory is seen when they are played.
pub fn fits(operations: &[Operation], open: &dyn Fn(Place) -> bool) -> bool {
    let reg = |r: &Reg| usize::from(r.0) < REGISTERS;
    let num = |n: &Num| n.of.iter().all(|(r, _)| reg(r));
    let cell = |c: &Cell| match &c.base {
        Base::At(at, index) => num(index) && open(*at),
        Base::Pointer(r, _) => reg(r),
    };
    operations.iter().all(|operation| match operation {
        Operation::Put(r, n) => reg(r) && num(n),
        Operation::Address(r, c) | Operation::Read(r, c) | Operation::Load(r, c, _) => {
            reg(r) && cell(c)
        }
        Operation::Write(c, n) | Operation::Store(c, n, _) => cell(c) && num(n),
        Operation::Change { at, by, before, .. } => cell(at) && num(by) && reg(before),
        Operation::Swap {
            at,
            expected,
            new,
            done,
            ..
        } => cell(at) && reg(expected) && num(new) && reg(done),
        Operation::Fence(_) | Operation::Leave => true,
        Operation::Await { at, value, .. } => cell(at) && num(value),
        Operation::Repeat(n, r, body) => num(n) && reg(r) && fits(body, open),
        Operation::When(a, _, b, body) => num(a) && num(b) && fits(body, open),
    })
}
