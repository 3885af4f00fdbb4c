//! Atomic operations as ordinary ones, or in two halves.
//!
//! An ordinary access is private, has no order, and belongs to no modification order (`vk.non-private`, `vk.smo`). A
//! read-modify-write in two halves is an atomic load and an atomic store of the same scope, the first with what the
//! operation acquires and the other with what it releases; between them others may write (`vk.coherence`). A
//! compare-exchange that finds another value stores that value again.

use super::editor::Editor;
use super::ordering::{acquire_half, release_half};
use rspirv::dr::{Instruction, Operand};
use rspirv::spirv::{MemoryAccess, Op, StorageClass, Word};

/// The operands of an ordinary access behind the pointer and the value. None for texels, which only atomic operations
/// point to (SPIR-V specification, OpImageTexelPointer).
fn memory_operands(editor: &Editor, pointer: Word, of: Word) -> Option<Vec<Operand>> {
    match editor.storage_class(pointer)? {
        StorageClass::Image => None,
        // SPIR-V specification, "Memory Operands": Aligned is required; an atomic operation is aligned to its size.
        StorageClass::PhysicalStorageBuffer => Some(vec![
            Operand::MemoryAccess(MemoryAccess::ALIGNED),
            Operand::LiteralBit32(editor.width(of)? / 8),
        ]),
        _ => Some(Vec::new()),
    }
}

/// An ordinary load in the place of an atomic one.
pub(super) fn ordinary_load(
    editor: &Editor,
    instruction: &Instruction,
) -> Option<Vec<Instruction>> {
    let (Op::AtomicLoad, [Operand::IdRef(pointer), ..]) =
        (instruction.class.opcode, instruction.operands.as_slice())
    else {
        return None;
    };
    let mut operands = vec![Operand::IdRef(*pointer)];
    operands.extend(memory_operands(editor, *pointer, instruction.result_type?)?);
    let (of, id) = (instruction.result_type, instruction.result_id);
    Some(vec![Instruction::new(Op::Load, of, id, operands)])
}

/// An ordinary store in the place of an atomic one.
pub(super) fn ordinary_store(
    editor: &Editor,
    instruction: &Instruction,
) -> Option<Vec<Instruction>> {
    let (Op::AtomicStore, [Operand::IdRef(pointer), _, _, Operand::IdRef(value)]) =
        (instruction.class.opcode, instruction.operands.as_slice())
    else {
        return None;
    };
    let mut operands = vec![Operand::IdRef(*pointer), Operand::IdRef(*value)];
    operands.extend(memory_operands(editor, *pointer, editor.type_of(*value)?)?);
    Some(vec![Instruction::new(Op::Store, None, None, operands)])
}

/// What a read-modify-write stores, of what it loads.
enum Stores {
    /// Its value.
    Value,
    /// What this operation makes of what it loads and its value.
    Result(Op),
    /// What this operation makes of what it loads and one.
    WithOne(Op),
    /// What it loads where this comparison of that with its value holds, its value otherwise.
    Chosen(Op),
    /// Its value where it loads what it compares with.
    Exchanged,
}

/// None for what is no read-modify-write of Vulkan.
fn stores(operation: Op, float: bool) -> Option<Stores> {
    Some(match operation {
        Op::AtomicExchange => Stores::Value,
        Op::AtomicCompareExchange => Stores::Exchanged,
        Op::AtomicIIncrement => Stores::WithOne(Op::IAdd),
        Op::AtomicIDecrement => Stores::WithOne(Op::ISub),
        Op::AtomicIAdd => Stores::Result(Op::IAdd),
        Op::AtomicISub => Stores::Result(Op::ISub),
        Op::AtomicAnd => Stores::Result(Op::BitwiseAnd),
        Op::AtomicOr => Stores::Result(Op::BitwiseOr),
        Op::AtomicXor => Stores::Result(Op::BitwiseXor),
        Op::AtomicFAddEXT if float => Stores::Result(Op::FAdd),
        Op::AtomicSMin => Stores::Chosen(Op::SLessThan),
        Op::AtomicUMin => Stores::Chosen(Op::ULessThan),
        Op::AtomicSMax => Stores::Chosen(Op::SGreaterThan),
        Op::AtomicUMax => Stores::Chosen(Op::UGreaterThan),
        Op::AtomicFMinEXT if float => Stores::Chosen(Op::FOrdLessThan),
        Op::AtomicFMaxEXT if float => Stores::Chosen(Op::FOrdGreaterThan),
        _ => return None,
    })
}

/// A load and a store in the place of a read-modify-write.
pub(super) fn halves(editor: &mut Editor, instruction: &Instruction) -> Option<Vec<Instruction>> {
    let (of, old) = (instruction.result_type?, instruction.result_id?);
    let stores = stores(instruction.class.opcode, editor.is_float(of))?;
    let (pointer, scope, semantics, behind) = match instruction.operands.as_slice() {
        [
            Operand::IdRef(pointer),
            Operand::IdScope(scope),
            Operand::IdMemorySemantics(semantics),
            behind @ ..,
        ] => (*pointer, *scope, *semantics, behind),
        _ => return None,
    };
    let mut values = behind.iter().filter_map(|operand| match operand {
        Operand::IdRef(id) => Some(*id),
        _ => None,
    });
    let both = editor.semantics(semantics)?;
    let acquires = editor.like(semantics, acquire_half(both).bits())?;
    let releases = editor.like(semantics, release_half(both).bits())?;
    let ordered = |semantics| {
        vec![
            Operand::IdRef(pointer),
            Operand::IdScope(scope),
            Operand::IdMemorySemantics(semantics),
        ]
    };
    let load = Instruction::new(Op::AtomicLoad, Some(of), Some(old), ordered(acquires));
    let mut parts = vec![load];
    let mut make = |editor: &mut Editor, operation, of, operands: &[Word]| {
        let id = editor.id();
        let operands = operands.iter().copied().map(Operand::IdRef).collect();
        parts.push(Instruction::new(operation, Some(of), Some(id), operands));
        id
    };
    let new = match stores {
        Stores::Value => values.next()?,
        Stores::Result(operation) => make(editor, operation, of, &[old, values.next()?]),
        Stores::WithOne(operation) => {
            let one = editor.one(of)?;
            make(editor, operation, of, &[old, one])
        }
        Stores::Chosen(comparison) => {
            let (value, truth) = (values.next()?, editor.bool_type());
            let stays = make(editor, comparison, truth, &[old, value]);
            make(editor, Op::Select, of, &[stays, old, value])
        }
        Stores::Exchanged => {
            let (value, comparator) = (values.next()?, values.next()?);
            let truth = editor.bool_type();
            let equal = make(editor, Op::IEqual, truth, &[old, comparator]);
            make(editor, Op::Select, of, &[equal, value, old])
        }
    };
    let mut operands = ordered(releases);
    operands.push(Operand::IdRef(new));
    parts.push(Instruction::new(Op::AtomicStore, None, None, operands));
    Some(parts)
}
