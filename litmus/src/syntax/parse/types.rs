//! Declarations' types: qualifiers, address spaces and type names, in any order C allows.

use super::Parser;
use crate::program::{Region, ScalarType};
use crate::syntax::error::{Outcome, Span};
use crate::syntax::tree::{BaseType, Space, Type};

/// What one word of a type means.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Word {
    Base(BaseType),
    Atomic(ScalarType),
    Unsigned,
    Signed,
    /// `_Atomic`
    AtomicQualifier,
    Volatile,
    /// `const` and other words without a meaning here.
    Ignored,
    Space(Space),
    /// A type that litmus tests cannot hold.
    Unsupported,
}

fn classify(word: &str) -> Option<Word> {
    use ScalarType::{Char, Int, Long, Short, UChar, UInt, ULong, UShort};
    let scalar = |ty| Some(Word::Base(BaseType::Scalar(ty)));
    match word {
        "void" => Some(Word::Base(BaseType::Void)),
        "bool" | "_Bool" => Some(Word::Base(BaseType::Bool)),
        "char" | "int8_t" => scalar(Char),
        "uchar" | "uint8_t" => scalar(UChar),
        "short" | "int16_t" => scalar(Short),
        "ushort" | "uint16_t" => scalar(UShort),
        "int" | "int32_t" => scalar(Int),
        "uint" | "uint32_t" => scalar(UInt),
        "long" | "ptrdiff_t" | "intptr_t" | "int64_t" => scalar(Long),
        "ulong" | "size_t" | "uintptr_t" | "uint64_t" => scalar(ULong),
        "atomic_int" => Some(Word::Atomic(Int)),
        "atomic_uint" => Some(Word::Atomic(UInt)),
        "atomic_long" | "atomic_ptrdiff_t" | "atomic_intptr_t" => Some(Word::Atomic(Long)),
        "atomic_ulong" | "atomic_size_t" | "atomic_uintptr_t" => Some(Word::Atomic(ULong)),
        "atomic_flag" => Some(Word::Atomic(ScalarType::Flag)),
        "unsigned" => Some(Word::Unsigned),
        "signed" => Some(Word::Signed),
        "_Atomic" => Some(Word::AtomicQualifier),
        "volatile" => Some(Word::Volatile),
        "const" | "restrict" | "__restrict" | "register" => Some(Word::Ignored),
        "global" | "__global" => Some(Word::Space(Space::Memory(Region::Global))),
        "local" | "__local" => Some(Word::Space(Space::Memory(Region::Local))),
        "constant" | "__constant" => Some(Word::Space(Space::Constant)),
        "private" | "__private" => Some(Word::Space(Space::Private)),
        "generic" | "__generic" => Some(Word::Space(Space::Generic)),
        "float" | "double" | "half" | "atomic_float" | "atomic_double" | "atomic_half"
        | "struct" | "union" | "enum" => Some(Word::Unsupported),
        _ => None,
    }
}

/// Whether a declaration may start with this word.
pub(super) fn starts_type(word: &str) -> bool {
    classify(word).is_some()
}

impl Parser<'_> {
    /// Qualifiers, a type name, and stars.
    pub(super) fn type_name(&mut self) -> Outcome<Type> {
        let start = self.peek().span;
        let mut seen = Seen::default();
        while self.type_word(&mut seen)? {}
        let base = seen.base(start.to(self.last_span()))?;
        let Some(base) = base else {
            return Err(self.unexpected("a type"));
        };
        let mut ty = Type {
            base,
            atomic: seen.atomic,
            volatile: seen.volatile,
            space: seen.space,
            pointer: false,
            span: start.to(self.last_span()),
        };
        if let Some(star) = self.eat("*") {
            ty.pointer = true;
            // what follows the star qualifies the pointer itself; only an address space is
            // taken to mean what is pointed to
            let mut after = Seen {
                space: ty.space,
                ..Seen::default()
            };
            while !self.is_base_word() && self.type_word(&mut after)? {}
            ty.space = after.space;
            ty.span = start.to(star);
        }
        if let Some(star) = self.eat("*") {
            return Err(start.to(star).problem(
                "pointers to pointers are not supported",
                "a location holds an integer",
            ));
        }
        Ok(ty)
    }

    fn is_base_word(&self) -> bool {
        matches!(
            classify(self.text(self.peek())),
            Some(Word::Base(_) | Word::Atomic(_) | Word::Unsigned | Word::Signed)
        )
    }

    fn type_word(&mut self, seen: &mut Seen) -> Outcome<bool> {
        let token = self.peek();
        let Some(word) = classify(self.text(token)) else {
            return Ok(false);
        };
        self.bump();
        let clash = |what: &str| {
            Err(token
                .span
                .second(format!("a declaration states {what} twice")))
        };
        match word {
            Word::Base(BaseType::Scalar(ScalarType::Int)) => seen.ints += 1,
            Word::Base(BaseType::Scalar(ScalarType::Long)) if self.text(token) == "long" => {
                seen.longs += 1;
            }
            Word::Base(base) => {
                if seen.named.replace(base).is_some() {
                    return clash("its type");
                }
            }
            Word::Atomic(ty) => {
                if seen.named.replace(BaseType::Scalar(ty)).is_some() {
                    return clash("its type");
                }
                seen.atomic = true;
            }
            Word::Unsigned => seen.unsigned = true,
            Word::Signed => seen.signed = true,
            Word::AtomicQualifier => {
                seen.atomic = true;
                if self.eat("(").is_some() {
                    while self.type_word(seen)? {}
                    self.expect(")", "after the type")?;
                }
            }
            Word::Volatile => seen.volatile = true,
            Word::Ignored => {}
            Word::Space(space) => {
                if seen.space.is_some_and(|(before, _)| before != space) {
                    return clash("its address space");
                }
                seen.space = Some((space, token.span));
            }
            Word::Unsupported => {
                return Err(token.problem(
                    format!("the type {} is not supported", self.text(token)),
                    "litmus tests hold integers",
                ));
            }
        }
        Ok(true)
    }
}

/// The words of a type read so far.
#[derive(Default)]
struct Seen {
    named: Option<BaseType>,
    ints: u32,
    longs: u32,
    unsigned: bool,
    signed: bool,
    atomic: bool,
    volatile: bool,
    space: Option<(Space, Span)>,
}

impl Seen {
    fn base(&self, span: Span) -> Outcome<Option<BaseType>> {
        use ScalarType::{Char, Int, Long, Short, UChar, UInt, ULong, UShort};
        let wrong = || span.problem("these words do not form a type together", "not a type");
        let signed = match self.named {
            None if self.longs > 0 => Long,
            None if self.ints > 0 || self.unsigned || self.signed => Int,
            None => return Ok(None),
            Some(BaseType::Scalar(ty)) => ty,
            Some(other) => {
                let alone = self.ints == 0
                    && self.longs == 0
                    && !self.unsigned
                    && !self.signed
                    && !self.atomic;
                return if alone { Ok(Some(other)) } else { Err(wrong()) };
            }
        };
        let extra_int = self.ints > u32::from(self.named.is_none() || signed == Short);
        if self.unsigned && self.signed
            || extra_int
            || self.longs > 2
            || (self.named.is_some() && self.longs > 0)
        {
            return Err(wrong());
        }
        let ty = match (signed, self.unsigned) {
            (Char, true) => UChar,
            (Short, true) => UShort,
            (Int, true) => UInt,
            (Long, true) => ULong,
            (UChar | UShort | UInt | ULong | ScalarType::Flag, true) => return Err(wrong()),
            (ty, false) => ty,
        };
        if self.atomic && ty.atomic_name().is_none() {
            return Err(span.problem(
                format!("{} has no atomic type", ty.name()),
                "atomic types are 32 or 64 bits wide",
            ));
        }
        Ok(Some(BaseType::Scalar(ty)))
    }
}
