//! Types: scalars, vectors, pointers, arrays, structs, and the atomic types, interned so that the
//! same type has the same number.

pub(crate) mod constant;
mod convert;
mod layout;

pub(crate) use convert::{Rank, promoted, usual};
pub(crate) use layout::LayoutError;

use crate::intern::{Interner, Symbol, add};
use std::collections::HashMap;
use std::fmt::Write as _;
use touchstone_ir as ir;

pub(crate) use ir::{AddressSpace as Space, Lanes};

macro_rules! scalars {
    ($($name:ident $text:literal $ir:ident;)*) => {
        /// A scalar type of OpenCL C.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub(crate) enum Scalar { $($name,)* }

        impl Scalar {
            pub(crate) const ALL: &'static [Self] = &[$(Self::$name,)*];

            pub(crate) const fn name(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }

            /// What it is in the IR, which knows no signs.
            pub(crate) const fn ir(self) -> ir::Scalar {
                match self { $(Self::$name => ir::Scalar::$ir,)* }
            }
        }
    };
}

scalars! {
    Bool "bool" Bool;
    Char "char" I8;
    UChar "uchar" I8;
    Short "short" I16;
    UShort "ushort" I16;
    Int "int" I32;
    UInt "uint" I32;
    Long "long" I64;
    ULong "ulong" I64;
    Half "half" F16;
    Float "float" F32;
    Double "double" F64;
}

impl Scalar {
    /// `size_t`, `uintptr_t`: addresses have 64 bits.
    pub(crate) const SIZE: Self = Self::ULong;
    /// `ptrdiff_t`, `intptr_t`.
    pub(crate) const PTRDIFF: Self = Self::Long;

    pub(crate) const fn is_float(self) -> bool {
        self.ir().is_float()
    }

    /// Integers in the sense of C, `bool` among them.
    pub(crate) const fn is_int(self) -> bool {
        !self.is_float()
    }

    pub(crate) const fn is_signed(self) -> bool {
        self.is_float() || matches!(self, Self::Char | Self::Short | Self::Int | Self::Long)
    }

    pub(crate) const fn kind(self) -> ir::NumKind {
        if self.is_float() {
            ir::NumKind::Float
        } else if self.is_signed() {
            ir::NumKind::Signed
        } else {
            ir::NumKind::Unsigned
        }
    }

    /// Bytes.
    pub(crate) const fn size(self) -> u64 {
        self.ir().size() as u64
    }

    /// The signed integer of the same size.
    pub(crate) const fn signed_of_size(self) -> Self {
        match self.size() {
            1 => Self::Char,
            2 => Self::Short,
            4 => Self::Int,
            _ => Self::Long,
        }
    }

    /// The unsigned integer of the same size.
    pub(crate) const fn unsigned_of_size(self) -> Self {
        match self.size() {
            1 => Self::UChar,
            2 => Self::UShort,
            4 => Self::UInt,
            _ => Self::ULong,
        }
    }

    /// The scalar a basic type's keyword names.
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|s| s.name() == name)
    }
}

/// An arithmetic type: its element and, of a vector, how many.
pub(crate) type Shape = (Scalar, Option<Lanes>);

/// A type in the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct TypeId(u32);

/// A struct or union in the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct RecordId(u32);

/// The result and the parameters of a block's type, in the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct SignatureId(u32);

/// What a block returns and takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Signature {
    pub(crate) ret: Qual,
    pub(crate) params: Vec<Qual>,
}

/// A type without the qualifiers of its outermost level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Type {
    Void,
    Scalar(Scalar),
    Vector(Scalar, Lanes),
    Pointer(Qual),
    /// No length: `int a[]`.
    Array(Qual, Option<u64>),
    Record(RecordId),
    /// `atomic_int` and its like.
    Atomic(Scalar),
    AtomicFlag,
    /// `event_t`
    Event,
    Image(ir::ImageKind, ir::ImageAccess),
    /// `sampler_t`
    Sampler,
    /// A pipe with packets of a type, and whether it is for writing.
    Pipe(Qual, bool),
    /// `reserve_id_t`
    Reservation,
    /// `queue_t`
    Queue,
    /// `clk_event_t`
    DeviceEvent,
    Block(SignatureId),
}

/// A type with qualifiers. `space` is where an object of this type lies; it means something for
/// lvalues and for what a pointer points to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Qual {
    pub(crate) ty: TypeId,
    pub(crate) space: Space,
    pub(crate) constant: bool,
    pub(crate) volatile: bool,
    pub(crate) restrict: bool,
}

/// A field of a struct or union. An anonymous one has no name.
#[derive(Clone, Debug)]
pub(crate) struct Field {
    pub(crate) name: Option<Symbol>,
    pub(crate) qual: Qual,
    pub(crate) offset: u64,
    /// Known alignment of the field, less than its type's in packed structs.
    pub(crate) align: u64,
    /// It has the attribute `packed` of its own.
    pub(crate) packed: bool,
}

/// A struct or union.
#[derive(Clone, Debug, Default)]
pub(crate) struct Record {
    pub(crate) tag: Option<Symbol>,
    pub(crate) union: bool,
    pub(crate) complete: bool,
    pub(crate) fields: Vec<Field>,
    pub(crate) size: u64,
    pub(crate) align: u64,
    /// A type of the language, which is shown by its tag and whose fields are nobody's.
    pub(crate) opaque: bool,
    /// Holds a type that a kernel's argument may not hold; says which.
    pub(crate) not_for_kernels: Option<&'static str>,
}

/// The types of one compilation.
#[derive(Debug, Default)]
pub(crate) struct Types {
    types: Vec<Type>,
    map: HashMap<Type, TypeId>,
    records: Vec<Record>,
    signatures: Vec<Signature>,
}

impl Types {
    /// The number of a type.
    pub(crate) fn id(&mut self, ty: Type) -> TypeId {
        if let Some(&id) = self.map.get(&ty) {
            return id;
        }
        let id = TypeId(add(&mut self.types, ty));
        self.map.insert(ty, id);
        id
    }

    pub(crate) fn of(&self, qual: Qual) -> Type {
        self.types[qual.ty.0 as usize]
    }

    pub(crate) fn void(&mut self) -> Qual {
        self.plain(Type::Void)
    }

    pub(crate) fn scalar(&mut self, scalar: Scalar) -> Qual {
        self.plain(Type::Scalar(scalar))
    }

    /// A scalar or vector of `lanes` elements.
    pub(crate) fn shaped(&mut self, scalar: Scalar, lanes: Option<Lanes>) -> Qual {
        match lanes {
            Some(lanes) => self.plain(Type::Vector(scalar, lanes)),
            None => self.scalar(scalar),
        }
    }

    /// The type of a truth about values of a shape: an `int`, or a vector of 0 and -1.
    pub(crate) fn truth(&mut self, (scalar, lanes): Shape) -> Qual {
        match lanes {
            Some(_) => self.shaped(scalar.signed_of_size(), lanes),
            None => self.scalar(Scalar::Int),
        }
    }

    pub(crate) fn pointer(&mut self, to: Qual) -> Qual {
        self.plain(Type::Pointer(to))
    }

    /// A type without qualifiers.
    pub(crate) fn plain(&mut self, ty: Type) -> Qual {
        Qual::plain(self.id(ty))
    }

    pub(crate) fn add_record(&mut self, record: Record) -> RecordId {
        RecordId(add(&mut self.records, record))
    }

    /// The type of blocks that return and take this.
    pub(crate) fn block(&mut self, ret: Qual, params: impl Iterator<Item = Qual>) -> Qual {
        let signature = Signature {
            ret: ret.value(),
            params: params.map(Qual::value).collect(),
        };
        let known = self.signatures.iter().position(|known| *known == signature);
        let id = match known {
            Some(known) => u32::try_from(known).unwrap_or(u32::MAX),
            None => add(&mut self.signatures, signature),
        };
        self.plain(Type::Block(SignatureId(id)))
    }

    /// What blocks of a type return and take.
    pub(crate) fn signature(&self, id: SignatureId) -> &Signature {
        &self.signatures[id.0 as usize]
    }

    pub(crate) fn is_block(&self, qual: Qual) -> bool {
        matches!(self.of(qual), Type::Block(_))
    }

    pub(crate) fn record(&self, id: RecordId) -> &Record {
        &self.records[id.0 as usize]
    }

    pub(crate) fn record_mut(&mut self, id: RecordId) -> &mut Record {
        &mut self.records[id.0 as usize]
    }

    /// What a pointer points to.
    pub(crate) fn pointee(&self, qual: Qual) -> Option<Qual> {
        match self.of(qual) {
            Type::Pointer(to) => Some(to),
            _ => None,
        }
    }

    pub(crate) fn as_scalar(&self, qual: Qual) -> Option<Scalar> {
        match self.of(qual) {
            Type::Scalar(scalar) => Some(scalar),
            _ => None,
        }
    }

    /// The element and the shape of an arithmetic type.
    pub(crate) fn arithmetic(&self, qual: Qual) -> Option<Shape> {
        if let Type::Vector(scalar, lanes) = self.of(qual) {
            return Some((scalar, Some(lanes)));
        }
        self.as_scalar(qual).map(|scalar| (scalar, None))
    }

    /// An array's elements carry the array's qualifiers.
    pub(crate) fn element(&self, array: Qual) -> Option<(Qual, Option<u64>)> {
        let Type::Array(element, len) = self.of(array) else {
            return None;
        };
        let element = Qual {
            space: array.space,
            constant: element.constant || array.constant,
            volatile: element.volatile || array.volatile,
            ..element
        };
        Some((element, len))
    }

    /// What a register or a memory access of this type is; None for aggregates and `void`.
    pub(crate) fn ir(&self, qual: Qual) -> Option<ir::Type> {
        match self.of(qual) {
            Type::Scalar(scalar) | Type::Atomic(scalar) => Some(ir::Type::Scalar(scalar.ir())),
            Type::AtomicFlag => Some(ir::Type::I32),
            Type::Event | Type::Reservation | Type::Queue | Type::DeviceEvent => {
                Some(ir::Type::I64)
            }
            Type::Image(..) => Some(ir::Type::Pointer(Space::Constant)),
            Type::Sampler => Some(ir::Type::I32),
            Type::Pipe(..) => Some(ir::Type::Pointer(Space::Global)),
            // To what it captured.
            Type::Block(_) => Some(ir::Type::Pointer(Space::Private)),
            Type::Vector(scalar, lanes) => Some(ir::Type::Vector(scalar.ir(), lanes)),
            Type::Pointer(to) => Some(ir::Type::Pointer(to.space)),
            Type::Void | Type::Array(..) | Type::Record(_) => None,
        }
    }

    /// A type as a message shows it.
    pub(crate) fn show(&self, qual: Qual, names: &Interner) -> String {
        let mut out = String::new();
        if qual.constant {
            out.push_str("const ");
        }
        if qual.volatile {
            out.push_str("volatile ");
        }
        let text = match self.of(qual) {
            Type::Void => "void".to_owned(),
            Type::Scalar(scalar) => scalar.name().to_owned(),
            Type::Vector(scalar, lanes) => format!("{}{}", scalar.name(), lanes.count()),
            Type::Pointer(to) => {
                let space = match to.space {
                    Space::Private => "private ",
                    Space::Local => "local ",
                    Space::Global => "global ",
                    Space::Constant => "constant ",
                    Space::Generic => "",
                };
                format!("{space}{}*", self.show(to, names))
            }
            Type::Array(..) => {
                let mut lens = String::new();
                let mut at = qual;
                while let Type::Array(element, len) = self.of(at) {
                    match len {
                        Some(len) => {
                            let _ = write!(lens, "[{len}]");
                        }
                        None => lens.push_str("[]"),
                    }
                    at = element;
                }
                format!("{}{lens}", self.show(at, names))
            }
            Type::Record(id) => {
                let record = self.record(id);
                let word = if record.union { "union" } else { "struct" };
                match record.tag {
                    Some(tag) if record.opaque => names.get(tag).to_owned(),
                    Some(tag) => format!("{word} {}", names.get(tag)),
                    None => format!("an unnamed {word}"),
                }
            }
            Type::Atomic(scalar) => format!("atomic_{}", scalar.name()),
            Type::AtomicFlag => "atomic_flag".to_owned(),
            Type::Event => "event_t".to_owned(),
            Type::Image(kind, access) => format!("{} {}", access.name(), kind.name()),
            Type::Sampler => "sampler_t".to_owned(),
            Type::Pipe(packet, writes) => {
                let access = if writes { "write_only" } else { "read_only" };
                format!("{access} pipe {}", self.show(packet, names))
            }
            Type::Reservation => "reserve_id_t".to_owned(),
            Type::Queue => "queue_t".to_owned(),
            Type::DeviceEvent => "clk_event_t".to_owned(),
            Type::Block(id) => {
                let Signature { ret, params } = self.signature(id);
                let params: Vec<String> = params.iter().map(|&p| self.show(p, names)).collect();
                let params = match params.is_empty() {
                    true => "void".to_owned(),
                    false => params.join(", "),
                };
                format!("{} (^)({params})", self.show(*ret, names))
            }
        };
        out + &text
    }
}

impl Qual {
    const fn plain(ty: TypeId) -> Self {
        Self {
            ty,
            space: Space::Private,
            constant: false,
            volatile: false,
            restrict: false,
        }
    }

    /// The type of a value read from an lvalue: qualifiers do not matter to it.
    pub(crate) fn value(self) -> Self {
        Self::plain(self.ty)
    }

    pub(crate) fn in_space(self, space: Space) -> Self {
        Self { space, ..self }
    }
}
