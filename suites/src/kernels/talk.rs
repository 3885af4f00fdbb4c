//! What the host does with shared memory while kernels run: its side of a dialogue.
//!
//! A talk is a small program over registers of 64 bits. Its accesses are to cells: elements of
//! fine-grain SVM, or of memory of the host. Atomic accesses have the host language's own atomics, whose
//! scope is all_svm_devices (architecture, section "Atomic Operations"); other accesses are plain, and
//! a case orders them.
//!
//! There is no promise that anybody makes progress while another waits, so every wait has a bound: a
//! side that has waited too long writes the case's `quit` word, which every loop of either side reads,
//! and the dialogue ends. That is no failure; such runs are counted apart.

use super::case::{KernelCase, Kind, Place, Unit};
use serde::{Deserialize, Serialize};

/// A register.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Reg(pub u8);

/// Registers of a talk.
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
            let value = registers
                .get(usize::from(reg.0))
                .copied()
                .unwrap_or_default();
            sum.wrapping_add(value.wrapping_mul(*times))
        })
    }
}

/// Where a cell is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Base {
    /// So many elements after a place.
    At(Place, Num),
    /// At an address with these bytes after it; it has to lie in one of the case's objects.
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

/// A read-modify-write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Change {
    /// Addition.
    Add,
    /// Subtraction.
    Sub,
    /// Bitwise or.
    Or,
    /// Bitwise and.
    And,
    /// Bitwise exclusive or.
    Xor,
    /// The smaller, of unsigned numbers.
    Min,
    /// The larger, of unsigned numbers.
    Max,
    /// The smaller, of signed numbers.
    MinSigned,
    /// The larger, of signed numbers.
    MaxSigned,
    /// The new value.
    Exchange,
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
pub enum Act {
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
    Repeat(Num, Reg, Vec<Act>),
    /// Does it where numbers compare so.
    When(Num, Is, Num, Vec<Act>),
    /// Leaves the innermost repetition.
    Leave,
}

/// Whether a talk keeps to registers that there are and to places that the host may use while kernels
/// run; that cells lie in their objects is seen when it is played.
pub fn fits(case: &KernelCase, acts: &[Act]) -> bool {
    let reg = |r: &Reg| usize::from(r.0) < REGISTERS;
    let num = |n: &Num| n.of.iter().all(|(r, _)| reg(r));
    let cell = |c: &Cell| match &c.base {
        Base::At(at, index) => {
            num(index)
                && case
                    .objects
                    .get(at.object.index())
                    .is_some_and(|o| open(o.kind) && at.byte < o.bytes)
        }
        Base::Pointer(r, _) => reg(r),
    };
    acts.iter().all(|act| match act {
        Act::Put(r, n) => reg(r) && num(n),
        Act::Address(r, c) | Act::Read(r, c) | Act::Load(r, c, _) => reg(r) && cell(c),
        Act::Write(c, n) | Act::Store(c, n, _) => cell(c) && num(n),
        Act::Change { at, by, before, .. } => cell(at) && num(by) && reg(before),
        Act::Swap {
            at,
            expected,
            new,
            done,
            ..
        } => cell(at) && reg(expected) && num(new) && reg(done),
        Act::Fence(_) | Act::Leave => true,
        Act::Await { at, value, .. } => cell(at) && num(value),
        Act::Repeat(n, r, body) => num(n) && reg(r) && fits(case, body),
        Act::When(a, _, b, body) => num(a) && num(b) && fits(case, body),
    })
}

/// Whether the host may use it while kernels do.
pub fn open(kind: Kind) -> bool {
    match kind {
        Kind::Buffer
        | Kind::SubBuffer { .. }
        | Kind::SvmCoarse
        | Kind::Image(_)
        | Kind::Pipe { .. } => false,
        Kind::SvmFine | Kind::SvmAtomics | Kind::Host => true,
    }
}
