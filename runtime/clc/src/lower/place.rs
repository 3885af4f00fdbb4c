//! Objects: where they are, and reading and writing them.

use super::function::{Home, Lower};
use crate::hir::{Expr, ExprKind, Init, VarId};
use crate::types::Qual;
use touchstone_ir as ir;
use touchstone_ir::{Const, Op, Operand, Reg};

/// Where an lvalue is.
#[derive(Clone, Debug)]
pub(super) enum Place {
    Reg(Reg),
    Memory {
        address: Operand,
        align: u32,
        volatile: bool,
    },
    /// Elements of the vector in a place.
    Elements {
        base: Box<Place>,
        vector: Qual,
        elements: Vec<u8>,
    },
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
        let volatile = expr.qual.volatile;
        let natural = self.cx.align(expr.qual);
        match &expr.kind {
            ExprKind::Var(id) => match self.homes.get(id.0 as usize) {
                Some(&Home::Reg(reg)) => Place::Reg(reg),
                Some(&Home::Memory(address, align)) => Place::Memory {
                    address,
                    align,
                    volatile,
                },
                None => Place::Memory {
                    address: Const::Null(ir::AddressSpace::Private).into(),
                    align: 1,
                    volatile,
                },
            },
            ExprKind::Global(id) => {
                let address = self.b.global_addr(*id, expr.qual.space).into();
                Place::Memory {
                    address,
                    align: natural,
                    volatile,
                }
            }
            ExprKind::Local(id) => Place::Memory {
                address: self.b.local_addr(*id).into(),
                align: natural,
                volatile,
            },
            ExprKind::Deref(pointer) => Place::Memory {
                address: self.value(pointer),
                align: natural,
                volatile,
            },
            ExprKind::Field(base, offset, align) => {
                let field_align = u32::try_from(*align).unwrap_or(1);
                match self.place(base) {
                    Place::Memory { address, align, .. } => Place::Memory {
                        address: self.offset(address, *offset),
                        align: align.min(field_align),
                        volatile,
                    },
                    // Structs are never in registers.
                    place @ (Place::Reg(_) | Place::Elements { .. }) => place,
                }
            }
            ExprKind::Swizzle(base, elements) => {
                let vector = base.qual;
                let base = if base.lvalue {
                    self.place(base)
                } else {
                    let value = self.value(base);
                    Place::Reg(self.b.copy(value))
                };
                Place::Elements {
                    base: Box::new(base),
                    vector,
                    elements: elements.clone(),
                }
            }
            ExprKind::Compound(id, init) => {
                let (address, align) = self
                    .init_object(*id, init)
                    .unwrap_or((Const::Null(ir::AddressSpace::Private).into(), 1));
                Place::Memory {
                    address,
                    align,
                    volatile,
                }
            }
            _ => {
                let address = self.value(expr);
                Place::Memory {
                    address,
                    align: natural,
                    volatile,
                }
            }
        }
    }

    /// The address of an lvalue in memory.
    pub(super) fn address(&mut self, expr: &Expr) -> Operand {
        match self.place(expr) {
            Place::Memory { address, .. } => address,
            // The checker puts what has its address taken in memory.
            Place::Reg(_) | Place::Elements { .. } => Const::Null(expr.qual.space).into(),
        }
    }

    /// The value in a place; an aggregate's is its address.
    pub(super) fn read(&mut self, place: &Place, qual: Qual) -> Operand {
        let ty = self.cx.ty(qual);
        match place {
            Place::Reg(reg) => (*reg).into(),
            Place::Memory { address, .. } if self.cx.is_aggregate(qual) => *address,
            Place::Memory {
                address,
                align,
                volatile,
            } => {
                let op = Op::Load {
                    ptr: *address,
                    align: (*align).clamp(1, ty.align()),
                    volatile: *volatile,
                };
                self.b.emit(ty, op).into()
            }
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
        match base {
            Place::Reg(reg) => self.b.extract(*reg, Const::i32(i32::from(element))).into(),
            Place::Memory { .. } => {
                let place = self.element_place(base, vector, element);
                let ty = self.element_type(vector);
                let Place::Memory {
                    address,
                    align,
                    volatile,
                } = place
                else {
                    return self.zero(ty);
                };
                let op = Op::Load {
                    ptr: address,
                    align,
                    volatile,
                };
                self.b.emit(ty, op).into()
            }
            Place::Elements { .. } => {
                // The checker flattens elements of elements.
                let ty = self.element_type(vector);
                self.zero(ty)
            }
        }
    }

    /// The memory of one element of a vector in memory.
    fn element_place(&mut self, base: &Place, vector: Qual, element: u8) -> Place {
        let size = self.element_type(vector).size();
        match base {
            Place::Memory {
                address,
                align,
                volatile,
            } => {
                let address = self.offset(*address, u64::from(element) * u64::from(size));
                Place::Memory {
                    address,
                    align: (*align).clamp(1, size),
                    volatile: *volatile,
                }
            }
            Place::Reg(_) | Place::Elements { .. } => base.clone(),
        }
    }

    /// Writes a value into a place.
    pub(super) fn write(&mut self, place: &Place, value: Operand, qual: Qual) {
        match place {
            Place::Reg(reg) => self.b.assign(*reg, value),
            Place::Memory { address, align, .. } if self.cx.is_aggregate(qual) => {
                self.copy(*address, value, qual, *align);
            }
            Place::Memory {
                address,
                align,
                volatile,
            } => {
                let natural = self.b.type_of(value).align();
                self.b.push(Op::Store {
                    ptr: *address,
                    value,
                    align: (*align).clamp(1, natural),
                    volatile: *volatile,
                });
            }
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
                        Place::Memory { .. } | Place::Elements { .. } => {
                            let place = self.element_place(base, *vector, element);
                            self.write(&place, part, qual);
                        }
                    }
                }
            }
        }
    }

    /// Initialises the memory at an address, so aligned.
    pub(super) fn init_memory(&mut self, address: Operand, align: u32, id: VarId, init: &Init) {
        match init {
            Init::None => {}
            Init::Value(value) => {
                let qual = value.qual;
                let place = Place::Memory {
                    address,
                    align,
                    volatile: false,
                };
                let value = self.value(value);
                self.write(&place, value, qual);
            }
            Init::Parts(parts) => {
                let size = self
                    .slot_size(id)
                    .map(|n| ir::Const::scalar(ir::Scalar::I64, u64::from(n)));
                if let Some(size) = size {
                    self.b.push(Op::MemSet {
                        dst: address,
                        byte: ir::Const::scalar(ir::Scalar::I8, 0).into(),
                        size: size.into(),
                        align,
                    });
                }
                for (offset, value) in parts {
                    let qual = value.qual;
                    let value = self.value(value);
                    let part = self.offset(address, *offset);
                    let place = Place::Memory {
                        address: part,
                        align: self
                            .cx
                            .align(qual)
                            .min(1 << offset.trailing_zeros().min(12))
                            .min(align.max(1)),
                        volatile: false,
                    };
                    self.write(&place, value, qual);
                }
            }
        }
    }

    /// The size of the slot that a variable's address comes from.
    fn slot_size(&mut self, id: VarId) -> Option<u32> {
        let home = *self.homes.get(id.0 as usize)?;
        let Home::Memory(Operand::Reg(reg), _) = home else {
            return None;
        };
        self.slot_sizes.get(&reg).copied()
    }
}
