//! Objects: where they are, and reading and writing them.

use super::function::{Home, Lower, Room};
use crate::hir::{Expr, ExprKind, Init};
use crate::types::Qual;
use touchstone_faults::{Fault, on};
use touchstone_ir as ir;
use touchstone_ir::{Const, Op, Operand, Reg};

/// Where an lvalue is.
#[derive(Clone, Debug)]
pub(super) enum Place {
    Reg(Reg),
    Memory(Memory),
    /// Elements of the vector in a place.
    Elements {
        base: Box<Place>,
        vector: Qual,
        elements: Vec<u8>,
    },
}

/// An object in memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Memory {
    address: Operand,
    align: u32,
    volatile: bool,
}

impl Lower<'_> {
    /// An address some bytes on.
    pub(super) fn offset(&mut self, address: Operand, offset: u64) -> Operand {
        if offset == 0 {
            return address;
        }
        self.b.ptr_offset(address, offset as i64).into()
    }

    /// Where an lvalue is. An aggregate that is a value has its place too: its temporary.
    pub(super) fn place(&mut self, expr: &Expr) -> Place {
        let natural = self.cx.align(expr.qual);
        let (address, align) = match &expr.kind {
            ExprKind::Var(id) => match self.homes[id.0 as usize] {
                Home::Reg(reg) => return Place::Reg(reg),
                Home::Memory(room) => (room.address, room.align),
            },
            ExprKind::Global(id) => (self.b.global_addr(*id, expr.qual.space).into(), natural),
            ExprKind::Local(id) => (self.b.local_addr(*id).into(), natural),
            ExprKind::Deref(pointer) => (self.value(pointer), natural),
            ExprKind::Field(base, offset, align) => match self.place(base) {
                Place::Memory(base) => {
                    let field_align = u32::try_from(*align).unwrap_or(1);
                    let address = self.offset(base.address, *offset);
                    (address, base.align.min(field_align))
                }
                // Structs are never in registers.
                place @ (Place::Reg(_) | Place::Elements { .. }) => return place,
            },
            ExprKind::Swizzle(base, elements) => {
                let vector = base.qual;
                let base = if base.lvalue {
                    self.place(base)
                } else {
                    let value = self.value(base);
                    Place::Reg(self.b.copy(value))
                };
                return Place::Elements {
                    base: Box::new(base),
                    vector,
                    elements: elements.clone(),
                };
            }
            ExprKind::Compound(id, init) => match self.homes[id.0 as usize] {
                Home::Reg(reg) => return Place::Reg(reg),
                Home::Memory(room) => {
                    self.init_memory(room, init);
                    (room.address, room.align)
                }
            },
            _ => (self.value(expr), natural),
        };
        Place::Memory(Memory {
            address,
            align,
            volatile: expr.qual.volatile,
        })
    }

    /// The address of an lvalue in memory.
    pub(super) fn address(&mut self, expr: &Expr) -> Operand {
        match self.place(expr) {
            Place::Memory(at) => at.address,
            // The checker puts what has its address taken in memory.
            Place::Reg(_) | Place::Elements { .. } => Const::Null(expr.qual.space).into(),
        }
    }

    fn load(&mut self, at: Memory, ty: ir::Type) -> Operand {
        let op = Op::Load {
            ptr: at.address,
            align: at.align.clamp(1, ty.align()),
            volatile: at.volatile,
        };
        self.b.emit(ty, op).into()
    }

    fn store(&mut self, at: Memory, value: Operand) {
        let natural = self.b.type_of(value).align();
        self.b.push(Op::Store {
            ptr: at.address,
            value,
            align: at.align.clamp(1, natural),
            volatile: at.volatile,
        });
    }

    /// The value in a place; an aggregate's is its address.
    pub(super) fn read(&mut self, place: &Place, qual: Qual) -> Operand {
        let ty = self.cx.ty(qual);
        match place {
            Place::Reg(reg) => (*reg).into(),
            Place::Memory(at) if self.cx.is_aggregate(qual) => at.address,
            Place::Memory(at) => self.load(*at, ty),
            Place::Elements {
                base,
                vector,
                elements,
            } => {
                let values: Vec<Operand> = elements
                    .iter()
                    .map(|&e| self.read_element(base, *vector, e))
                    .collect();
                match values.as_slice() {
                    [one] => *one,
                    _ => self.b.emit(ty, Op::Construct(values)).into(),
                }
            }
        }
    }

    fn element_type(&self, vector: Qual) -> ir::Type {
        let scalar = self.cx.ty(vector).element();
        ir::Type::Scalar(scalar.unwrap_or(ir::Scalar::I8))
    }

    fn read_element(&mut self, base: &Place, vector: Qual, element: u8) -> Operand {
        let ty = self.element_type(vector);
        match base {
            Place::Reg(reg) => self.b.extract(*reg, Const::i32(i32::from(element))).into(),
            Place::Memory(at) => {
                let at = self.element_of(*at, ty, element);
                self.load(at, ty)
            }
            // The checker flattens elements of elements.
            Place::Elements { .. } => self.zero(ty),
        }
    }

    /// The memory of one element, of type `ty`, of a vector in memory.
    fn element_of(&mut self, at: Memory, ty: ir::Type, element: u8) -> Memory {
        Memory {
            address: self.offset(at.address, u64::from(element) * u64::from(ty.size())),
            ..at
        }
    }

    /// Writes a value into a place.
    pub(super) fn write(&mut self, place: &Place, value: Operand, qual: Qual) {
        match place {
            Place::Reg(reg) => self.b.assign(*reg, value),
            Place::Memory(at) if self.cx.is_aggregate(qual) => {
                self.copy(at.address, value, qual, at.align);
            }
            Place::Memory(at) => self.store(*at, value),
            Place::Elements {
                base,
                vector,
                elements,
            } => {
                for (i, &element) in elements.iter().enumerate() {
                    let part = if elements.len() == 1 {
                        value
                    } else {
                        self.b.extract(value, Const::i32(i as i32)).into()
                    };
                    match base.as_ref() {
                        Place::Reg(reg) => {
                            let index = Const::i32(i32::from(element));
                            let whole = self.b.insert(*reg, index, part);
                            self.b.assign(*reg, whole);
                        }
                        // Only this element is written: its neighbours may be others' to write.
                        Place::Memory(at) => {
                            let at = self.element_of(*at, self.element_type(*vector), element);
                            self.store(at, part);
                        }
                        // The checker flattens elements of elements.
                        Place::Elements { .. } => {}
                    }
                }
            }
        }
    }

    /// Initialises a variable in memory.
    pub(super) fn init_memory(&mut self, room: Room, init: &Init) {
        let Room {
            address,
            align,
            size,
        } = room;
        let part = |lower: &mut Self, value: &Expr, offset: u64, align| {
            let operand = lower.value(value);
            let place = Place::Memory(Memory {
                address: lower.offset(address, offset),
                align,
                volatile: false,
            });
            lower.write(&place, operand, value.qual);
        };
        match init {
            Init::None => {}
            Init::Value(value) => part(self, value, 0, align),
            Init::Parts(parts) => {
                let kept = !parts.is_empty() && on(Fault::InitializerRestKept);
                let size = if kept { 0 } else { size };
                self.b.push(Op::MemSet {
                    dst: address,
                    byte: ir::Const::scalar(ir::Scalar::I8, 0).into(),
                    size: Const::i64(size.into()).into(),
                    align,
                });
                for (offset, value) in parts {
                    let natural = self.cx.align(value.qual);
                    let known = 1 << offset.trailing_zeros().min(12);
                    part(self, value, *offset, natural.min(known).min(align.max(1)));
                }
            }
        }
    }
}
