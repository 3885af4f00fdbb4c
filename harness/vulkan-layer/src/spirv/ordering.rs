//! Memory scopes and semantics of atomic operations and barriers.
//!
//! The instructions have a scope and semantics: `vk.semantics`, `vk.validity`. A compare-exchange has two semantics,
//! and that for unequal values may not be stronger than the other. A control barrier has an execution scope before
//! its memory scope, which stays.

use super::editor::Editor;
use rspirv::dr::{Instruction, Operand};
use rspirv::spirv::{Capability, MemorySemantics, Op, Scope, Word};

/// All orders but relaxed, which has no bit.
const ORDERS: MemorySemantics = MemorySemantics::ACQUIRE
    .union(MemorySemantics::RELEASE)
    .union(MemorySemantics::ACQUIRE_RELEASE)
    .union(MemorySemantics::SEQUENTIALLY_CONSISTENT);

/// Orders that acquire.
const ACQUIRES: MemorySemantics = ORDERS.difference(MemorySemantics::RELEASE);

/// Orders that release.
const RELEASES: MemorySemantics = ORDERS.difference(MemorySemantics::ACQUIRE);

/// What has a meaning only beside an order and a storage class.
const CLASSES: MemorySemantics = MemorySemantics::UNIFORM_MEMORY
    .union(MemorySemantics::SUBGROUP_MEMORY)
    .union(MemorySemantics::WORKGROUP_MEMORY)
    .union(MemorySemantics::CROSS_WORKGROUP_MEMORY)
    .union(MemorySemantics::ATOMIC_COUNTER_MEMORY)
    .union(MemorySemantics::IMAGE_MEMORY)
    .union(MemorySemantics::OUTPUT_MEMORY);

/// What an instruction orders, and how far.
struct Ordering {
    scope: Scope,
    /// Where the scope stands among the operands.
    scope_at: usize,
    /// The semantics, with where they stand.
    semantics: Vec<(usize, MemorySemantics)>,
}

impl Ordering {
    /// Whether it orders other accesses.
    fn orders(&self) -> bool {
        let mut all = self.semantics.iter();
        all.any(|(_, semantics)| semantics.intersects(ORDERS))
    }
}

/// None for an instruction without memory semantics, and where they or the scope are no constants.
fn ordering(editor: &Editor, instruction: &Instruction) -> Option<Ordering> {
    let mut scope_at = None;
    let mut semantics = Vec::new();
    for (at, operand) in instruction.operands.iter().enumerate() {
        match operand {
            Operand::IdScope(id) if semantics.is_empty() => scope_at = Some((at, *id)),
            Operand::IdMemorySemantics(id) => semantics.push((at, editor.semantics(*id)?)),
            _ => {}
        }
    }
    if semantics.is_empty() {
        return None;
    }
    let (scope_at, id) = scope_at?;
    Some(Ordering {
        scope: editor.scope(id)?,
        scope_at,
        semantics,
    })
}

/// Memory semantics with another order, where they have exactly this one.
pub(super) fn reordered(
    semantics: MemorySemantics,
    from: MemorySemantics,
    to: MemorySemantics,
) -> MemorySemantics {
    if semantics & ORDERS == from {
        (semantics - from) | to
    } else {
        semantics
    }
}

/// The acquire half of semantics.
pub(super) fn acquire_half(semantics: MemorySemantics) -> MemorySemantics {
    if semantics.intersects(ACQUIRES) {
        valid((semantics - ORDERS) | MemorySemantics::ACQUIRE)
    } else {
        valid(semantics - ORDERS)
    }
}

/// The release half of semantics.
pub(super) fn release_half(semantics: MemorySemantics) -> MemorySemantics {
    if semantics.intersects(RELEASES) {
        valid((semantics - ORDERS) | MemorySemantics::RELEASE)
    } else {
        valid(semantics - ORDERS)
    }
}

/// Semantics without the flags that may not stand without what they lack: MakeAvailable needs a release,
/// MakeVisible an acquire, an order a storage class, and a storage class an order (`vk.validity`).
fn valid(semantics: MemorySemantics) -> MemorySemantics {
    let mut left = semantics;
    if !left.intersects(CLASSES) {
        left -= ORDERS;
    }
    if !left.intersects(ORDERS) {
        left -= CLASSES;
    }
    if !left.intersects(RELEASES) {
        left -= MemorySemantics::MAKE_AVAILABLE;
    }
    if !left.intersects(ACQUIRES) {
        left -= MemorySemantics::MAKE_VISIBLE;
    }
    left
}

/// A narrower scope, where the module may name it.
pub(super) fn narrowed(editor: &Editor, scope: Scope, change: fn(Scope) -> Scope) -> Option<Scope> {
    let narrower = change(scope);
    // SPIR-V specification, "Scope <id>": QueueFamily requires the capability.
    let known = narrower != Scope::QueueFamily || editor.declares(Capability::VulkanMemoryModel);
    (narrower != scope && known).then_some(narrower)
}

/// An instruction with another memory scope. At Invocation nothing is ordered, and there are no semantics. A control
/// barrier without semantics has a memory scope that means nothing, and stays.
pub(super) fn rescoped(
    editor: &mut Editor,
    instruction: &Instruction,
    change: fn(Scope) -> Scope,
) -> Option<Vec<Instruction>> {
    let mut ordering = ordering(editor, instruction)?;
    if instruction.class.opcode == Op::ControlBarrier && !ordering.orders() {
        return None;
    }
    ordering.scope = narrowed(editor, ordering.scope, change)?;
    if ordering.scope == Scope::Invocation {
        for (_, semantics) in &mut ordering.semantics {
            *semantics &= MemorySemantics::VOLATILE;
        }
    }
    with(editor, instruction, &ordering)
}

/// An instruction with other memory semantics.
pub(super) fn weakened(
    editor: &mut Editor,
    instruction: &Instruction,
    change: fn(MemorySemantics) -> MemorySemantics,
) -> Option<Vec<Instruction>> {
    let mut ordering = ordering(editor, instruction)?;
    let mut changed = false;
    for (_, semantics) in &mut ordering.semantics {
        let other = change(*semantics);
        if other != *semantics {
            *semantics = valid(other);
            changed = true;
        }
    }
    if let [(_, equal), (_, unequal)] = ordering.semantics.as_mut_slice() {
        // SPIR-V specification, OpAtomicCompareExchange: no stronger than the other.
        if changed && !equal.intersects(ACQUIRES) {
            *unequal &= MemorySemantics::VOLATILE;
        }
    }
    if changed {
        with(editor, instruction, &ordering)
    } else {
        None
    }
}

/// A control barrier without memory semantics.
pub(super) fn only_waiting(
    editor: &mut Editor,
    instruction: &Instruction,
) -> Option<Vec<Instruction>> {
    if instruction.class.opcode != Op::ControlBarrier {
        return None;
    }
    weakened(editor, instruction, |_| MemorySemantics::RELAXED)
}

/// No memory barrier.
pub(super) fn without_barrier(instruction: &Instruction) -> Option<Vec<Instruction>> {
    (instruction.class.opcode == Op::MemoryBarrier).then(Vec::new)
}

/// The instruction with this scope and these semantics; a memory barrier without an order is none.
fn with(
    editor: &mut Editor,
    instruction: &Instruction,
    ordering: &Ordering,
) -> Option<Vec<Instruction>> {
    if instruction.class.opcode == Op::MemoryBarrier && !ordering.orders() {
        return Some(Vec::new());
    }
    let mut changed = instruction.clone();
    let scope = changed.operands.get_mut(ordering.scope_at)?;
    *scope = Operand::IdScope(constant(editor, scope, ordering.scope as u32)?);
    for (at, semantics) in &ordering.semantics {
        let operand = changed.operands.get_mut(*at)?;
        *operand = Operand::IdMemorySemantics(constant(editor, operand, semantics.bits())?);
    }
    Some(vec![changed])
}

/// A constant of this value, of the type that an operand's has.
fn constant(editor: &mut Editor, operand: &Operand, value: u32) -> Option<Word> {
    editor.like(operand.id_ref_any()?, value)
}
