//! Flags and scopes of memory operands and image operands (SPIR-V specification, "Memory Operands" and "Image
//! Operands"): per-instruction availability and visibility, and what is not private.
//!
//! A mask is followed by what its flags bring, in the order of the bits: the scopes of availability and of
//! visibility are the first and the second scope behind it.
//!
//! In the old memory model, GLSL450, it is a decoration of variables and members that lets accesses take part: Coherent.

use super::editor::Editor;
use super::ordering::narrowed;
use rspirv::dr::{Instruction, Operand};
use rspirv::spirv::{Decoration, ImageOperands, MemoryAccess, Op, Scope};

/// What operands lose.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Flags {
    /// MakePointerAvailable and MakeTexelAvailable.
    Available,
    /// MakePointerVisible and MakeTexelVisible.
    Visible,
    /// NonPrivatePointer and NonPrivateTexel, and with them both others, which need them (`vk.validity`).
    NonPrivate,
}

impl Flags {
    fn of_memory(self) -> MemoryAccess {
        match self {
            Flags::Available => MemoryAccess::MAKE_POINTER_AVAILABLE,
            Flags::Visible => MemoryAccess::MAKE_POINTER_VISIBLE,
            Flags::NonPrivate => MemoryAccess::NON_PRIVATE_POINTER
                .union(MemoryAccess::MAKE_POINTER_AVAILABLE)
                .union(MemoryAccess::MAKE_POINTER_VISIBLE),
        }
    }

    fn of_images(self) -> ImageOperands {
        match self {
            Flags::Available => ImageOperands::MAKE_TEXEL_AVAILABLE,
            Flags::Visible => ImageOperands::MAKE_TEXEL_VISIBLE,
            Flags::NonPrivate => ImageOperands::NON_PRIVATE_TEXEL
                .union(ImageOperands::MAKE_TEXEL_AVAILABLE)
                .union(ImageOperands::MAKE_TEXEL_VISIBLE),
        }
    }

    fn drops_scope_of(self, of: Flags) -> bool {
        self == of || self == Flags::NonPrivate
    }
}

/// Which scopes come behind a mask.
fn scopes_behind(operand: &Operand) -> Option<Vec<Flags>> {
    let (available, visible) = match operand {
        Operand::MemoryAccess(mask) => (
            mask.contains(MemoryAccess::MAKE_POINTER_AVAILABLE),
            mask.contains(MemoryAccess::MAKE_POINTER_VISIBLE),
        ),
        Operand::ImageOperands(mask) => (
            mask.contains(ImageOperands::MAKE_TEXEL_AVAILABLE),
            mask.contains(ImageOperands::MAKE_TEXEL_VISIBLE),
        ),
        _ => return None,
    };
    let flags = [(available, Flags::Available), (visible, Flags::Visible)];
    let flags = flags.into_iter().filter(|(has, _)| *has);
    Some(flags.map(|(_, flag)| flag).collect())
}

/// Each operand with the flag whose scope it is, where it is one.
fn operands(instruction: &Instruction) -> impl Iterator<Item = (&Operand, Option<Flags>)> {
    let mut pending = Vec::new().into_iter();
    instruction.operands.iter().map(move |operand| {
        if let Some(behind) = scopes_behind(operand) {
            pending = behind.into_iter();
        }
        let scope = matches!(operand, Operand::IdScope(_));
        (operand, if scope { pending.next() } else { None })
    })
}

/// An instruction without flags, and without the scopes that go with them.
pub(super) fn without(instruction: &Instruction, flags: Flags) -> Option<Vec<Instruction>> {
    let left = operands(instruction).filter_map(|(operand, scope_of)| match operand {
        Operand::MemoryAccess(mask) => Some(Operand::MemoryAccess(*mask - flags.of_memory())),
        Operand::ImageOperands(mask) => Some(Operand::ImageOperands(*mask - flags.of_images())),
        _ if scope_of.is_some_and(|of| flags.drops_scope_of(of)) => None,
        other => Some(other.clone()),
    });
    changed(instruction, left.collect())
}

/// An instruction with other scopes of availability and visibility.
pub(super) fn rescoped(
    editor: &mut Editor,
    instruction: &Instruction,
    change: fn(Scope) -> Scope,
) -> Option<Vec<Instruction>> {
    let other = operands(instruction).map(|(operand, scope_of)| match (operand, scope_of) {
        (Operand::IdScope(id), Some(_)) => {
            let scope = editor.scope(*id);
            let narrower = scope.and_then(|scope| narrowed(editor, scope, change));
            let constant = narrower.and_then(|scope| editor.like(*id, scope as u32));
            Operand::IdScope(constant.unwrap_or(*id))
        }
        (other, _) => other.clone(),
    });
    let other = other.collect();
    changed(instruction, other)
}

/// Not the decoration that makes accesses coherent.
pub(super) fn without_coherence(instruction: &Instruction) -> Option<Vec<Instruction>> {
    let decorates = matches!(instruction.class.opcode, Op::Decorate | Op::MemberDecorate);
    let coherent = Operand::Decoration(Decoration::Coherent);
    (decorates && instruction.operands.contains(&coherent)).then(Vec::new)
}

/// The instruction with these operands, where they are others than it has.
fn changed(instruction: &Instruction, operands: Vec<Operand>) -> Option<Vec<Instruction>> {
    (operands != instruction.operands).then(|| {
        vec![Instruction {
            operands,
            ..instruction.clone()
        }]
    })
}
