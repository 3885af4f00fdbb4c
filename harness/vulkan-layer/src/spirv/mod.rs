//! Edits of SPIR-V modules: each fault of the memory model that a module can carry.
//!
//! | file | what it does |
//! | --- | --- |
//! | `editor` | a module as its instructions, which edits replace one by one |
//! | `ordering` | memory scopes and semantics of atomic operations and barriers |
//! | `access` | flags and scopes of memory and image operands |
//! | `atomic` | atomic operations as ordinary ones, or in two halves |
//!
//! Instructions that an edit does not concern keep their words. Scopes and semantics are ids of constants that
//! instructions share: an edit gives the instruction another constant, one that the module has or a new one before
//! the first function. Ids that are no constants of 32 bits (specialization constants are none) are left alone, and
//! so is a module that the grammar does not know as a whole.
//!
//! An edit keeps a valid module valid. Where a flag, an order or a scope may not stand without what was taken away
//! (Vulkan specification, appendix "Memory Model", section "Memory Semantics"; SPIR-V specification, "Memory
//! Semantics" and "Memory Operands"), it goes with it.

mod access;
mod atomic;
mod editor;
mod ordering;
#[cfg(test)]
pub(crate) mod tests;

use classay_faults::VulkanFault;
use editor::Editor;
use rspirv::spirv::{MemorySemantics, Scope};

/// A module that a fault has changed.
pub struct Mutated {
    /// The module.
    pub words: Vec<u32>,
    /// How many of its instructions were changed.
    pub changed: u64,
}

/// A module as this fault changes it; none where it changes nothing: a fault of calls, no module in the byte order
/// of the host, or one without what the fault breaks.
pub fn mutate(words: &[u32], fault: VulkanFault) -> Option<Mutated> {
    let edit = Edit::of(fault)?;
    let mut editor = Editor::new(words)?;
    for at in 0..editor.len() {
        let instruction = editor.instruction(at)?.clone();
        let instead = match edit {
            Edit::Scope(change) => {
                let ordering = ordering::rescoped(&mut editor, &instruction, change);
                ordering.or_else(|| access::rescoped(&mut editor, &instruction, change))
            }
            Edit::Semantics(change) => ordering::weakened(&mut editor, &instruction, change),
            Edit::ControlBarrier => ordering::only_waiting(&mut editor, &instruction),
            Edit::MemoryBarrier => ordering::without_barrier(&instruction),
            Edit::Coherent => access::without_coherence(&instruction),
            Edit::Access(flags) => access::without(&instruction, flags),
            Edit::Load => atomic::ordinary_load(&editor, &instruction),
            Edit::Store => atomic::ordinary_store(&editor, &instruction),
            Edit::Halve => atomic::halves(&mut editor, &instruction),
        };
        if let Some(instead) = instead {
            editor.replace(at, instead);
        }
    }
    editor.finish()
}

/// What a fault does to the instructions of a module.
#[derive(Clone, Copy)]
enum Edit {
    /// Memory scopes are others.
    Scope(fn(Scope) -> Scope),
    /// Memory semantics are others.
    Semantics(fn(MemorySemantics) -> MemorySemantics),
    /// Control barriers have no memory semantics.
    ControlBarrier,
    /// There are no memory barriers.
    MemoryBarrier,
    /// Nothing is decorated as coherent.
    Coherent,
    /// Memory and image operands lose flags.
    Access(access::Flags),
    /// Atomic loads are ordinary ones.
    Load,
    /// Atomic stores are ordinary ones.
    Store,
    /// Read-modify-writes are a load and a store.
    Halve,
}

impl Edit {
    /// None for a fault of calls.
    fn of(fault: VulkanFault) -> Option<Edit> {
        use VulkanFault::*;
        Some(match fault {
            DropMakeAvailable => Edit::Semantics(|all| all - MemorySemantics::MAKE_AVAILABLE),
            DropMakeVisible => Edit::Semantics(|all| all - MemorySemantics::MAKE_VISIBLE),
            DropPointerAvailable => Edit::Access(access::Flags::Available),
            DropPointerVisible => Edit::Access(access::Flags::Visible),
            DropNonPrivate => Edit::Access(access::Flags::NonPrivate),
            DropCoherent => Edit::Coherent,
            DropUniformMemory => Edit::Semantics(|all| all - MemorySemantics::UNIFORM_MEMORY),
            DropWorkgroupMemory => Edit::Semantics(|all| all - MemorySemantics::WORKGROUP_MEMORY),
            DropImageMemory => Edit::Semantics(|all| all - MemorySemantics::IMAGE_MEMORY),
            DeviceScopeToQueueFamily => Edit::Scope(|scope| match scope {
                Scope::Device => Scope::QueueFamily,
                other => other,
            }),
            DeviceScopeToWorkgroup => Edit::Scope(|scope| match scope {
                Scope::Device => Scope::Workgroup,
                other => other,
            }),
            QueueFamilyScopeToWorkgroup => Edit::Scope(|scope| match scope {
                Scope::QueueFamily => Scope::Workgroup,
                other => other,
            }),
            WorkgroupScopeToSubgroup => Edit::Scope(|scope| match scope {
                Scope::Workgroup => Scope::Subgroup,
                other => other,
            }),
            ScopeToInvocation => Edit::Scope(|_| Scope::Invocation),
            WeakenRelease => Edit::Semantics(|all| {
                ordering::reordered(all, MemorySemantics::RELEASE, MemorySemantics::RELAXED)
            }),
            WeakenAcquire => Edit::Semantics(|all| {
                ordering::reordered(all, MemorySemantics::ACQUIRE, MemorySemantics::RELAXED)
            }),
            AcquireReleaseToAcquire => Edit::Semantics(|all| {
                let both = MemorySemantics::ACQUIRE_RELEASE;
                ordering::reordered(all, both, MemorySemantics::ACQUIRE)
            }),
            AcquireReleaseToRelease => Edit::Semantics(|all| {
                let both = MemorySemantics::ACQUIRE_RELEASE;
                ordering::reordered(all, both, MemorySemantics::RELEASE)
            }),
            DropControlBarrierSemantics => Edit::ControlBarrier,
            DropMemoryBarrier => Edit::MemoryBarrier,
            OrdinaryAtomicLoad => Edit::Load,
            OrdinaryAtomicStore => Edit::Store,
            HalveReadModifyWrite => Edit::Halve,
            DropPipelineBarrier | DropSemaphoreWait | DropFlush | DropInvalidate => return None,
        })
    }
}
