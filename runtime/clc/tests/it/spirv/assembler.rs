//! Modules of SPIR-V from text in the form that `spirv-dis` writes, as far as tests need it. The grammar is that of the
//! crate, which also reads modules; ids may have names.

use rspirv::grammar::{INSTRUCTION_TABLE, OperandKind, OperandQuantifier, ext_inst_table};
use rspirv::spirv::{
    AccessQualifier, AddressingModel, BuiltIn, Capability, Decoration, Dim, ExecutionMode,
    ExecutionModel, FPRoundingMode, FunctionParameterAttribute, GroupOperation, ImageFormat,
    LinkageType, MemoryModel, Op, PackedVectorFormat, SamplerAddressingMode, SamplerFilterMode,
    StorageClass,
};
use std::collections::HashMap;
use std::str::FromStr;

/// A module in the making.
struct Assembler {
    ids: HashMap<String, u32>,
    /// Widths of scalar types, and whether they are floats, by their ids.
    scalars: HashMap<u32, (u32, bool)>,
    words: Vec<u32>,
}

/// The bytes of a module of version 1.`minor`.
pub fn assembled(minor: u32, text: &str) -> Vec<u8> {
    let mut assembler = Assembler {
        ids: HashMap::new(),
        scalars: HashMap::new(),
        words: vec![0x0723_0203, 0x0001_0000 | minor << 8, 0, 0, 0],
    };
    for line in text.lines() {
        let line = line.split(';').next().unwrap_or_default().trim();
        if !line.is_empty() {
            assembler
                .line(line)
                .unwrap_or_else(|| panic!("this is no instruction: {line}"));
        }
    }
    assembler.words[3] = assembler.ids.len() as u32 + 1;
    bytes(&assembler.words)
}

pub fn bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// Words of a line; a string with its quotes is one.
fn tokens(line: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut rest = line.trim();
    while !rest.is_empty() {
        let end = match rest.strip_prefix('"') {
            Some(text) => text.find('"').map_or(rest.len(), |end| end + 2),
            None => rest.find(char::is_whitespace).unwrap_or(rest.len()),
        };
        tokens.push(&rest[..end]);
        rest = rest[end..].trim_start();
    }
    tokens
}

fn named<T: FromStr>(token: &str, number: fn(T) -> u32) -> Option<u32> {
    T::from_str(token).ok().map(number)
}

/// The number of a name that stands for an operand of a kind.
fn enumerant(kind: OperandKind, token: &str) -> Option<u32> {
    match kind {
        OperandKind::Capability => named(token, |e: Capability| e as u32),
        OperandKind::AddressingModel => named(token, |e: AddressingModel| e as u32),
        OperandKind::MemoryModel => named(token, |e: MemoryModel| e as u32),
        OperandKind::ExecutionModel => named(token, |e: ExecutionModel| e as u32),
        OperandKind::ExecutionMode => named(token, |e: ExecutionMode| e as u32),
        OperandKind::StorageClass => named(token, |e: StorageClass| e as u32),
        OperandKind::Decoration => named(token, |e: Decoration| e as u32),
        OperandKind::GroupOperation => named(token, |e: GroupOperation| e as u32),
        OperandKind::Dim => named(token, |e: Dim| e as u32)
            .or_else(|| named(&format!("Dim{token}"), |e: Dim| e as u32)),
        OperandKind::ImageFormat => named(token, |e: ImageFormat| e as u32),
        OperandKind::AccessQualifier => named(token, |e: AccessQualifier| e as u32),
        OperandKind::SamplerAddressingMode => named(token, |e: SamplerAddressingMode| e as u32),
        OperandKind::SamplerFilterMode => named(token, |e: SamplerFilterMode| e as u32),
        OperandKind::PackedVectorFormat => named(token, |e: PackedVectorFormat| e as u32),
        OperandKind::SourceLanguage => Some(3),
        _ => mask(token),
    }
}

/// What follows a decoration.
fn parameter(token: &str) -> Option<u32> {
    named(token, |e: BuiltIn| e as u32)
        .or_else(|| named(token, |e: LinkageType| e as u32))
        .or_else(|| named(token, |e: FunctionParameterAttribute| e as u32))
        .or_else(|| named(token, |e: FPRoundingMode| e as u32))
}

fn mask(token: &str) -> Option<u32> {
    let bits = token.split('|').map(|bit| {
        Some(match bit {
            "None" => 0,
            "DontInline" | "Aligned" | "Lod" => 2,
            "Inline" | "Unroll" | "Volatile" => 1,
            "Pure" | "Nontemporal" => 4,
            "Const" => 8,
            "SignExtend" => 0x1000,
            "ZeroExtend" => 0x2000,
            _ => return None,
        })
    });
    bits.sum()
}

impl Assembler {
    fn id(&mut self, token: &str) -> u32 {
        let next = self.ids.len() as u32 + 1;
        *self.ids.entry(token.to_owned()).or_insert(next)
    }

    fn line(&mut self, line: &str) -> Option<()> {
        let mut tokens = tokens(line);
        let mut result = None;
        if tokens.get(1) == Some(&"=") {
            result = Some(self.id(tokens[0]));
            tokens.drain(..2);
        }
        let name = tokens[0].strip_prefix("Op")?;
        let class = INSTRUCTION_TABLE.iter().find(|one| one.opname == name)?;
        let mut rest = &tokens[1..];
        let mut words = vec![0];
        let mut ty = 0;
        let mut kinds = class.operands.iter().peekable();
        while let Some(logical) = kinds.peek() {
            match logical.kind {
                OperandKind::IdResult => words.push(result?),
                _ if rest.is_empty() => match logical.quantifier {
                    OperandQuantifier::One => return None,
                    OperandQuantifier::ZeroOrOne | OperandQuantifier::ZeroOrMore => break,
                },
                kind => {
                    let token = rest[0];
                    rest = &rest[1..];
                    self.operand(kind, token, ty, &mut words)?;
                    if kind == OperandKind::IdResultType {
                        ty = *words.last()?;
                    }
                    if kind == OperandKind::PairLiteralIntegerIdRef {
                        let label = self.id(rest.first()?);
                        words.push(label);
                        rest = &rest[1..];
                    }
                    // What follows these has another grammar.
                    if matches!(
                        kind,
                        OperandKind::Decoration
                            | OperandKind::ExecutionMode
                            | OperandKind::LiteralExtInstInteger
                            | OperandKind::LiteralSpecConstantOpInteger
                            | OperandKind::MemoryAccess
                            | OperandKind::ImageOperands
                    ) {
                        for token in rest {
                            self.operand(OperandKind::Decoration, token, ty, &mut words)?;
                        }
                        rest = &[];
                        break;
                    }
                }
            }
            if logical.quantifier != OperandQuantifier::ZeroOrMore {
                kinds.next();
            }
        }
        if let (Op::TypeInt | Op::TypeFloat, Some(id)) = (class.opcode, result) {
            self.scalars
                .insert(id, (words[2], class.opcode == Op::TypeFloat));
        }
        words[0] = (words.len() as u32) << 16 | class.opcode as u32;
        self.words.extend(words);
        rest.is_empty().then_some(())
    }

    fn operand(
        &mut self,
        kind: OperandKind,
        token: &str,
        ty: u32,
        words: &mut Vec<u32>,
    ) -> Option<()> {
        if token.starts_with('%') {
            let id = self.id(token);
            words.push(id);
        } else if let Some(text) = token.strip_prefix('"') {
            let mut text = text.strip_suffix('"')?.as_bytes().to_vec();
            text.push(0);
            text.resize(text.len().next_multiple_of(4), 0);
            let (chunks, _) = text.as_chunks();
            words.extend(chunks.iter().map(|&word| u32::from_le_bytes(word)));
        } else if kind == OperandKind::LiteralContextDependentNumber {
            match *self.scalars.get(&ty)? {
                (64, true) => push_64(words, token.parse::<f64>().ok()?.to_bits()),
                (_, true) => words.push(token.parse::<f32>().ok()?.to_bits()),
                (64, false) => push_64(words, token.parse::<i128>().ok()? as u64),
                (_, false) => words.push(token.parse::<i64>().ok()? as u32),
            }
        } else if let Ok(number) = token.parse::<i64>() {
            words.push(number as u32);
        } else if kind == OperandKind::LiteralExtInstInteger {
            let table = ext_inst_table("OpenCL.std")?;
            let found = table.iter().find(|one| one.opname == token)?;
            words.push(found.opcode.into());
        } else if kind == OperandKind::LiteralSpecConstantOpInteger {
            let found = INSTRUCTION_TABLE.iter().find(|one| one.opname == token)?;
            words.push(found.opcode as u32);
        } else {
            let number = match enumerant(kind, token) {
                Some(number) => number,
                None => parameter(token)?,
            };
            words.push(number);
        }
        Some(())
    }
}

fn push_64(words: &mut Vec<u32>, bits: u64) {
    words.extend([bits as u32, (bits >> 32) as u32]);
}
