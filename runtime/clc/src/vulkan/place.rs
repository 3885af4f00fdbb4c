//! Values, variables, and reading and writing objects.
//!
//! A value of an arithmetic type is a list of numbers, one for a scalar and one for each element
//! of a vector: the module has no vectors.

use super::Writer;
use super::memory::{ObjectId, Pointer, Region};
use super::module::{Id, ids};
use super::number::{Number, is_wide};
use crate::hir::{Expr, ExprKind, Init, Var, VarId};
use crate::sema::Checked;
use crate::source::Loc;
use crate::types::{Qual, Scalar, Type};
use rspirv::spirv::Op;

/// The value of an expression.
#[derive(Clone, Debug)]
pub(super) enum Value {
    Void,
    Numbers(Vec<Number>),
    Pointer(Pointer),
}

impl Value {
    pub(super) fn one(number: Number) -> Self {
        Self::Numbers(vec![number])
    }
}

/// A private variable that holds a number.
#[derive(Clone, Copy, Debug)]
pub(super) enum Cell {
    Truth(Id),
    Word(Id),
    Wide(Id),
    Pair([Id; 2]),
}

/// Where a variable of the function lives.
#[derive(Clone, Debug)]
pub(super) enum Home {
    Cells(Vec<Cell>),
    /// A variable for how far, and the object, which is the same in all assignments: where it is
    /// known, where nothing has been assigned yet it is not.
    Pointer {
        offset: Id,
        object: Option<ObjectId>,
    },
    Memory(Pointer),
}

/// Where an lvalue is.
#[derive(Clone, Debug)]
pub(super) enum Place {
    Var(VarId),
    /// In memory.
    Memory {
        pointer: Pointer,
        volatile: bool,
    },
    /// Elements of the vector in a place.
    Elements {
        base: Box<Place>,
        vector: Qual,
        elements: Vec<u8>,
    },
    /// What is no object.
    Value(Value),
}

impl Writer<'_> {
    /// The element of an arithmetic type and how many there are.
    pub(super) fn shape(&mut self, qual: Qual, at: Loc) -> Checked<(Scalar, usize)> {
        let what = match self.unit.types.of(qual) {
            Type::Scalar(scalar) | Type::Atomic(scalar) => return Ok((scalar, 1)),
            Type::Vector(scalar, lanes) => return Ok((scalar, lanes.count() as usize)),
            Type::AtomicFlag => return Ok((Scalar::Int, 1)),
            Type::Void => "a value of type `void`",
            Type::Pointer(_) => "a pointer as a number",
            Type::Array(..) | Type::Record(_) => "a value that is an array or a struct",
            Type::Event => "`event_t`",
            Type::Image(..) | Type::Sampler => "an image or a sampler",
            Type::Pipe(..) | Type::Reservation => "a pipe",
            Type::Queue | Type::DeviceEvent => "device-side enqueue",
            Type::Block(_) => "a block",
        };
        self.refuse(at, what)
    }

    pub(super) fn is_void(&self, qual: Qual) -> bool {
        self.unit.types.of(qual) == Type::Void
    }

    pub(super) fn is_pointer(&self, qual: Qual) -> bool {
        matches!(self.unit.types.of(qual), Type::Pointer(_))
    }

    /// How many words an object has.
    pub(super) fn words_in(&mut self, qual: Qual, at: Loc) -> Checked<u32> {
        let bytes = self.unit.types.size(qual).unwrap_or(0);
        self.words_of_bytes(bytes, at)
    }

    /// How many words a number of bytes is.
    pub(super) fn words_of_bytes(&mut self, bytes: u64, at: Loc) -> Checked<u32> {
        match u32::try_from(bytes / 4) {
            Ok(words) if bytes.is_multiple_of(4) => Ok(words),
            Ok(_) => self.refuse(at, "memory in single bytes"),
            Err(_) => self.refuse(at, "an object so large"),
        }
    }

    /// A private variable for numbers of a type.
    fn cell(&mut self, scalar: Scalar, name: &str, at: Loc) -> Checked<Cell> {
        self.supported(scalar, at)?;
        Ok(if scalar == Scalar::Bool {
            let ty = self.m.bool();
            Cell::Truth(self.m.variable(ty, name))
        } else if !is_wide(scalar) {
            let ty = self.m.word();
            Cell::Word(self.m.variable(ty, name))
        } else if self.target.int64 {
            let ty = self.m.wide();
            Cell::Wide(self.m.variable(ty, name))
        } else {
            let ty = self.m.word();
            Cell::Pair(["low", "high"].map(|half| self.m.variable(ty, &format!("{name}.{half}"))))
        })
    }

    /// Room for values of a type.
    pub(super) fn room(&mut self, qual: Qual, name: &str, at: Loc) -> Checked<Home> {
        if self.is_pointer(qual) {
            let ty = self.m.word();
            let offset = self.m.variable(ty, name);
            let object = None;
            return Ok(Home::Pointer { offset, object });
        }
        let (scalar, lanes) = self.shape(qual, at)?;
        let mut cells = Vec::with_capacity(lanes);
        for _ in 0..lanes {
            cells.push(self.cell(scalar, name, at)?);
        }
        Ok(Home::Cells(cells))
    }

    /// Where a variable lives, which is decided when it is first met.
    fn home(&mut self, id: VarId, at: Loc) -> Checked<Home> {
        let index = id.0 as usize;
        if let Some(home) = &self.frame.homes[index] {
            return Ok(home.clone());
        }
        let Var {
            name,
            qual,
            in_memory,
            ..
        } = self.frame.vars[index].clone();
        let home = if in_memory && !self.is_pointer(qual) {
            let words = self.words_in(qual, at)?;
            let object = self.object(&name, Region::Private { words });
            let offset = self.m.constant(0);
            Home::Memory(Pointer { object, offset })
        } else if in_memory {
            return self.refuse(at, "the address of a pointer");
        } else {
            self.room(qual, &name, at)?
        };
        self.frame.homes[index] = Some(home.clone());
        Ok(home)
    }

    fn read_cell(&mut self, cell: Cell) -> Number {
        match cell {
            Cell::Truth(variable) => {
                let ty = self.m.bool();
                Number::Truth(self.m.emit(Op::Load, ty, ids(&[variable])))
            }
            Cell::Word(variable) => {
                let ty = self.m.word();
                Number::Word(self.m.emit(Op::Load, ty, ids(&[variable])))
            }
            Cell::Wide(variable) => {
                let ty = self.m.wide();
                Number::Wide(self.m.emit(Op::Load, ty, ids(&[variable])))
            }
            Cell::Pair(variables) => {
                let ty = self.m.word();
                Number::Pair(variables.map(|v| self.m.emit(Op::Load, ty, ids(&[v]))))
            }
        }
    }

    fn write_cell(&mut self, cell: Cell, number: Number) {
        match cell {
            Cell::Truth(variable) => {
                let truth = self.m.is_true(number);
                self.m.push(Op::Store, ids(&[variable, truth]));
            }
            Cell::Word(variable) => {
                let word = self.m.low(number);
                self.m.push(Op::Store, ids(&[variable, word]));
            }
            Cell::Wide(variable) => {
                if let Number::Wide(wide) = number {
                    self.m.push(Op::Store, ids(&[variable, wide]));
                }
            }
            Cell::Pair(variables) => {
                for (variable, half) in variables.into_iter().zip(self.m.halves(number)) {
                    self.m.push(Op::Store, ids(&[variable, half]));
                }
            }
        }
    }

    /// The value in room for one.
    pub(super) fn read_home(&mut self, home: &Home, qual: Qual, at: Loc) -> Checked<Value> {
        match home {
            Home::Cells(cells) => {
                let numbers = cells.iter().map(|&cell| self.read_cell(cell));
                Ok(Value::Numbers(numbers.collect()))
            }
            Home::Pointer {
                offset,
                object: Some(object),
            } => {
                let ty = self.m.word();
                let offset = self.m.emit(Op::Load, ty, ids(&[*offset]));
                let object = *object;
                Ok(Value::Pointer(Pointer { object, offset }))
            }
            Home::Pointer { object: None, .. } => {
                self.refuse(at, "a pointer that is read before it is assigned")
            }
            Home::Memory(pointer) => self.read_memory(*pointer, qual, false, at),
        }
    }

    /// Puts a value into room for one.
    pub(super) fn write_home(
        &mut self,
        home: &mut Home,
        value: &Value,
        qual: Qual,
        at: Loc,
    ) -> Checked<()> {
        match (home, value) {
            (Home::Cells(cells), Value::Numbers(numbers)) => {
                for (&cell, &number) in cells.iter().zip(numbers) {
                    self.write_cell(cell, number);
                }
                Ok(())
            }
            (Home::Pointer { offset, object }, Value::Pointer(pointer)) => {
                if object.is_some_and(|object| object != pointer.object) {
                    let what = "a pointer that may point into one of several objects";
                    return self.refuse(at, what);
                }
                *object = Some(pointer.object);
                self.m.push(Op::Store, ids(&[*offset, pointer.offset]));
                Ok(())
            }
            (Home::Memory(pointer), value) => self.write_memory(*pointer, value, qual, false, at),
            (Home::Cells(_) | Home::Pointer { .. }, _) => {
                self.refuse(at, "a number as a pointer, or a pointer as a number")
            }
        }
    }

    fn read_memory(
        &mut self,
        pointer: Pointer,
        qual: Qual,
        volatile: bool,
        at: Loc,
    ) -> Checked<Value> {
        let (scalar, lanes) = self.shape(qual, at)?;
        let access = self.ordinary(volatile);
        let mut numbers = Vec::with_capacity(lanes);
        for lane in 0..lanes {
            let place = self.element_of(pointer, scalar, lane);
            numbers.push(self.load(place, scalar, &access, at)?);
        }
        Ok(Value::Numbers(numbers))
    }

    fn write_memory(
        &mut self,
        pointer: Pointer,
        value: &Value,
        qual: Qual,
        volatile: bool,
        at: Loc,
    ) -> Checked<()> {
        let Value::Numbers(numbers) = value else {
            return self.refuse(at, "a pointer in memory");
        };
        let (scalar, _) = self.shape(qual, at)?;
        let access = self.ordinary(volatile);
        for (lane, &number) in numbers.iter().enumerate() {
            let place = self.element_of(pointer, scalar, lane);
            self.store(place, number, scalar, &access, at)?;
        }
        Ok(())
    }

    /// The place of an element.
    pub(super) fn element_of(&mut self, pointer: Pointer, scalar: Scalar, lane: usize) -> Pointer {
        let words = lane as u32 * if is_wide(scalar) { 2 } else { 1 };
        self.words_on(pointer, words)
    }

    /// Where an lvalue is.
    pub(super) fn place(&mut self, expr: &Expr) -> Checked<Place> {
        let (at, volatile) = (expr.loc, expr.qual.volatile);
        let pointer = match &expr.kind {
            ExprKind::Var(id) => match self.home(*id, at)? {
                Home::Memory(pointer) => pointer,
                Home::Cells(_) | Home::Pointer { .. } => return Ok(Place::Var(*id)),
            },
            ExprKind::Global(_) => return self.refuse(at, "a variable of the program's scope"),
            ExprKind::Local(id) => self.local_variable(*id, at)?,
            ExprKind::Deref(pointer) => self.pointer(pointer)?,
            ExprKind::Swizzle(base, elements) => {
                let vector = base.qual;
                let base = if base.lvalue {
                    self.place(base)?
                } else {
                    Place::Value(self.value(base)?)
                };
                return Ok(Place::Elements {
                    base: Box::new(base),
                    vector,
                    elements: elements.clone(),
                });
            }
            ExprKind::Compound(id, init) => {
                self.initialize(*id, init, at)?;
                match self.home(*id, at)? {
                    Home::Memory(pointer) => pointer,
                    Home::Cells(_) | Home::Pointer { .. } => return Ok(Place::Var(*id)),
                }
            }
            ExprKind::Field(..) => return self.refuse(at, "a struct"),
            _ => return Ok(Place::Value(self.value(expr)?)),
        };
        Ok(Place::Memory { pointer, volatile })
    }

    /// The value in a place.
    pub(super) fn read(&mut self, place: &Place, qual: Qual, at: Loc) -> Checked<Value> {
        match place {
            Place::Var(id) => {
                let home = self.home(*id, at)?;
                self.read_home(&home, qual, at)
            }
            Place::Memory { pointer, volatile } => {
                if self.is_pointer(qual) {
                    return self.refuse(at, "a pointer in memory");
                }
                self.read_memory(*pointer, qual, *volatile, at)
            }
            Place::Elements {
                base,
                vector,
                elements,
            } => {
                let (scalar, _) = self.shape(*vector, at)?;
                if let Place::Memory { pointer, volatile } = base.as_ref() {
                    let access = self.ordinary(*volatile);
                    let mut numbers = Vec::with_capacity(elements.len());
                    for &element in elements {
                        let place = self.element_of(*pointer, scalar, element.into());
                        numbers.push(self.load(place, scalar, &access, at)?);
                    }
                    return Ok(Value::Numbers(numbers));
                }
                let Value::Numbers(whole) = self.read(base, *vector, at)? else {
                    return self.refuse(at, "an element of what is no vector");
                };
                let numbers = elements.iter().filter_map(|&e| whole.get(usize::from(e)));
                Ok(Value::Numbers(numbers.copied().collect()))
            }
            Place::Value(value) => Ok(value.clone()),
        }
    }

    /// Writes a value into a place.
    pub(super) fn write(
        &mut self,
        place: &Place,
        value: &Value,
        qual: Qual,
        at: Loc,
    ) -> Checked<()> {
        match place {
            Place::Var(id) => {
                let mut home = self.home(*id, at)?;
                self.write_home(&mut home, value, qual, at)?;
                self.frame.homes[id.0 as usize] = Some(home);
                Ok(())
            }
            Place::Memory { pointer, volatile } => {
                self.write_memory(*pointer, value, qual, *volatile, at)
            }
            Place::Elements {
                base,
                vector,
                elements,
            } => {
                let (scalar, _) = self.shape(*vector, at)?;
                let Value::Numbers(numbers) = value else {
                    return self.refuse(at, "an element of what is no vector");
                };
                // Only these elements are written: their neighbours may be others' to write.
                for (&element, &number) in elements.iter().zip(numbers) {
                    let lane = usize::from(element);
                    match base.as_ref() {
                        Place::Memory { pointer, volatile } => {
                            let access = self.ordinary(*volatile);
                            let place = self.element_of(*pointer, scalar, lane);
                            self.store(place, number, scalar, &access, at)?;
                        }
                        Place::Var(id) => {
                            if let Home::Cells(cells) = self.home(*id, at)?
                                && let Some(&cell) = cells.get(lane)
                            {
                                self.write_cell(cell, number);
                            }
                        }
                        Place::Elements { .. } | Place::Value(_) => {
                            return self.refuse(at, "an element of what is no object");
                        }
                    }
                }
                Ok(())
            }
            Place::Value(_) => self.refuse(at, "an assignment to what is no object"),
        }
    }

    /// A variable comes to life.
    pub(super) fn initialize(&mut self, id: VarId, init: &Init, at: Loc) -> Checked<()> {
        let qual = self.frame.vars[id.0 as usize].qual;
        let home = self.home(id, at)?;
        match (init, home) {
            (Init::None, _) => Ok(()),
            (Init::Parts(parts), Home::Memory(pointer)) => {
                let (words, zero) = (self.words_in(qual, at)?, self.m.constant(0));
                let access = self.ordinary(false);
                for word in 0..words {
                    let place = self.words_on(pointer, word);
                    let zero = Number::Word(zero);
                    self.store(place, zero, Scalar::UInt, &access, at)?;
                    self.small_enough(at)?;
                }
                for (offset, part) in parts {
                    let words = self.words_of_bytes(*offset, part.loc)?;
                    let value = self.value(part)?;
                    let place = self.words_on(pointer, words);
                    self.write_memory(place, &value, part.qual, false, part.loc)?;
                }
                Ok(())
            }
            // A scalar or vector in braces has one part.
            (Init::Parts(parts), Home::Cells(_) | Home::Pointer { .. }) => match parts.first() {
                Some((_, value)) => self.initial_value(id, value, qual, at),
                None => Ok(()),
            },
            (Init::Value(value), _) => self.initial_value(id, value, qual, at),
        }
    }

    fn initial_value(&mut self, id: VarId, value: &Expr, qual: Qual, at: Loc) -> Checked<()> {
        let value = self.value(value)?;
        let mut home = self.home(id, at)?;
        self.write_home(&mut home, &value, qual, at)?;
        self.frame.homes[id.0 as usize] = Some(home);
        Ok(())
    }
}
