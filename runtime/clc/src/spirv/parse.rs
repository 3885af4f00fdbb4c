//! Words to the instructions of a module.

use super::{Check, VERSIONS, ensure};
use rspirv::dr::{Instruction, Module, Operand, load_words};
use rspirv::grammar::{INSTRUCTION_TABLE, OperandKind, OperandQuantifier};
use rspirv::spirv::{Decoration, Op, Word};
use std::collections::HashMap;

/// The first word of a module.
const MAGIC: u32 = 0x0723_0203;
/// Words before the first instruction.
const HEADER: usize = 5;

/// A module as instructions.
#[derive(Debug)]
pub(super) struct Parsed {
    pub(super) module: Module,
    /// What the results of `OpSpecConstantOp` are: the instruction each of them stands for.
    pub(super) constant_ops: HashMap<Word, Instruction>,
}

/// A specialization constant of a module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SpecConstant {
    /// Its `SpecId`.
    pub id: u32,
    /// How large its value is, in bytes.
    pub size: usize,
}

/// The specialization constants of a module, which must be well-formed.
///
/// # Errors
/// Why the bytes are no module.
pub fn spec_constants(bytes: &[u8]) -> Result<Vec<SpecConstant>, String> {
    let parsed = parse(bytes)?;
    let module = &parsed.module;
    let mut widths: HashMap<Word, u32> = HashMap::new();
    let mut sizes: HashMap<Word, usize> = HashMap::new();
    for inst in &module.types_global_values {
        let Some(id) = inst.result_id else { continue };
        match inst.class.opcode {
            Op::TypeInt | Op::TypeFloat => {
                if let Some(Operand::LiteralBit32(bits)) = inst.operands.first() {
                    widths.insert(id, *bits);
                }
            }
            Op::SpecConstantTrue | Op::SpecConstantFalse => {
                sizes.insert(id, 1);
            }
            Op::SpecConstant => {
                let bits = inst.result_type.and_then(|ty| widths.get(&ty));
                sizes.insert(id, bits.map_or(4, |bits| *bits as usize / 8));
            }
            _ => {}
        }
    }
    let decorated = module.annotations.iter().filter_map(|inst| {
        let (target, id) = spec_id(inst)?;
        let size = *sizes.get(&target)?;
        Some(SpecConstant { id, size })
    });
    Ok(decorated.collect())
}

/// The constant that a decoration gives a `SpecId`, and that.
pub(super) fn spec_id(inst: &Instruction) -> Option<(Word, u32)> {
    match inst.operands.as_slice() {
        [
            Operand::IdRef(target),
            Operand::Decoration(Decoration::SpecId),
            Operand::LiteralBit32(id),
        ] if inst.class.opcode == Op::Decorate => Some((*target, *id)),
        _ => None,
    }
}

/// Reads a module.
///
/// # Errors
/// Why the bytes are no module of a version that is read here.
pub(super) fn parse(bytes: &[u8]) -> Check<Parsed> {
    let words = words_of(bytes)?;
    check_header(&words)?;
    let (words, constant_ops) = without_constant_ops(&words)?;
    let module = load_words(&words).map_err(|error| error.to_string())?;
    Ok(Parsed {
        module,
        constant_ops,
    })
}

/// The words of a module, in whichever order their bytes are.
fn words_of(bytes: &[u8]) -> Check<Vec<u32>> {
    let (chunks, rest) = bytes.as_chunks::<4>();
    ensure!(
        rest.is_empty(),
        "{} bytes are no whole number of words",
        bytes.len()
    );
    let words = chunks.iter().map(|&word| u32::from_le_bytes(word));
    let words: Vec<u32> = words.collect();
    match words.first() {
        Some(&MAGIC) => Ok(words),
        Some(first) if first.swap_bytes() == MAGIC => {
            Ok(words.into_iter().map(u32::swap_bytes).collect())
        }
        Some(first) => Err(format!(
            "the first word is {first:#010x}, not the magic number {MAGIC:#010x}"
        )),
        None => Err("there are no words".into()),
    }
}

fn check_header(words: &[u32]) -> Check<()> {
    ensure!(
        words.len() >= HEADER,
        "{} words are less than the header",
        words.len()
    );
    let (major, minor) = (words[1] >> 16 & 0xff, words[1] >> 8 & 0xff);
    let [newest_major, newest_minor] = match VERSIONS.last() {
        Some(&(major, minor)) => [major, minor],
        None => [0, 0],
    };
    ensure!(
        VERSIONS.contains(&(major, minor)),
        "version {major}.{minor}; versions up to {newest_major}.{newest_minor} are read"
    );
    Ok(())
}

/// The words with `OpUndef` in place of each `OpSpecConstantOp`, and the instructions that these stand for: they have
/// the operands of the instruction, any number of them, which the parser of the crate does not expect.
fn without_constant_ops(words: &[u32]) -> Check<(Vec<u32>, HashMap<Word, Instruction>)> {
    let mut kept = words[..HEADER].to_vec();
    let mut ops = HashMap::new();
    let mut rest = &words[HEADER..];
    while let Some(&first) = rest.first() {
        let (count, opcode) = ((first >> 16) as usize, first & 0xffff);
        let Some((inst, tail)) = rest.split_at_checked(count).filter(|_| count > 0) else {
            let at = words.len() - rest.len();
            let left = rest.len();
            return Err(format!(
                "the instruction {opcode} at word {at} says that it has {count} words; {left} are left"
            ));
        };
        rest = tail;
        match inst {
            &[_, ty, id, op, ref operands @ ..] if opcode == Op::SpecConstantOp as u32 => {
                kept.extend_from_slice(&[3 << 16 | Op::Undef as u32, ty, id]);
                ops.insert(id, constant_op(ty, id, op, operands)?);
            }
            _ => kept.extend_from_slice(inst),
        }
    }
    Ok((kept, ops))
}

/// The instruction that an `OpSpecConstantOp` stands for.
fn constant_op(ty: Word, id: Word, opcode: u32, words: &[u32]) -> Check<Instruction> {
    let what = format!("%{id} = OpSpecConstantOp");
    let class = INSTRUCTION_TABLE.lookup_opcode(opcode);
    let Some(class) = class else {
        return Err(format!("{what}: there is no instruction {opcode}"));
    };
    let mut operands = Vec::with_capacity(words.len());
    let mut rest = words;
    for logical in class.operands {
        let literal = match logical.kind {
            OperandKind::IdResultType | OperandKind::IdResult => continue,
            OperandKind::IdRef | OperandKind::IdScope | OperandKind::IdMemorySemantics => false,
            OperandKind::LiteralInteger => true,
            _ => return Err(format!("{what}: Op{} is no constant", class.opname)),
        };
        let operand = |&word: &u32| match literal {
            true => Operand::LiteralBit32(word),
            false => Operand::IdRef(word),
        };
        let taken = match logical.quantifier {
            OperandQuantifier::One => 1,
            OperandQuantifier::ZeroOrOne => rest.len().min(1),
            OperandQuantifier::ZeroOrMore => rest.len(),
        };
        let Some((some, tail)) = rest.split_at_checked(taken) else {
            return Err(format!("{what}: Op{} has too few operands", class.opname));
        };
        operands.extend(some.iter().map(operand));
        rest = tail;
    }
    ensure!(
        rest.is_empty(),
        "{what}: Op{} has too many operands",
        class.opname
    );
    Ok(Instruction::new(class.opcode, Some(ty), Some(id), operands))
}
