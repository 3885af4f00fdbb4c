//! Parts of vectors, arrays and structs.

use super::function::{Body, Value};
use super::reader::{id, result, result_type};
use super::types::Ty;
use super::{Check, ensure};
use rspirv::dr::Instruction;
use rspirv::spirv::{Op as Code, Word};
use touchstone_ir::{self as ir, Const, Op, Operand, Scalar};

impl Body<'_, '_> {
    /// Reads an instruction about parts of values; false if it is none.
    pub(super) fn composite(&mut self, inst: &Instruction) -> Check<bool> {
        let value = match inst.class.opcode {
            Code::VectorExtractDynamic => {
                let (vector, index) = (self.arg(inst, 0)?, self.arg(inst, 1)?);
                let index = self.integer_as(index, ir::Type::I64, ir::NumKind::Unsigned);
                let ty = self.reader.ty(self.arg_type(inst, 0)?)?;
                self.element(&ty, vector, index)?
            }
            Code::VectorInsertDynamic => {
                let (vector, part) = (self.arg(inst, 0)?, self.arg(inst, 1)?);
                let index = self.arg(inst, 2)?;
                let index = self.integer_as(index, ir::Type::I64, ir::NumKind::Unsigned);
                let part = self.as_element(part);
                let ty = self.own_type(inst)?;
                self.b.emit(ty, Op::Insert(vector, index, part)).into()
            }
            Code::VectorShuffle => self.shuffle(inst)?,
            Code::CompositeConstruct => self.construct(inst)?,
            Code::CompositeExtract => self.extract(inst)?,
            Code::CompositeInsert => self.insert(inst)?,
            _ => return Ok(false),
        };
        self.set(inst, value)?;
        Ok(true)
    }

    /// An element of a vector; of booleans, as one.
    fn element(&mut self, vector_ty: &Ty, vector: Operand, index: Operand) -> Check<Operand> {
        let &Ty::Vector(scalar, _) = vector_ty else {
            return Err("it takes an element of what is no vector".into());
        };
        let ir::Type::Vector(stored, _) = self.b.type_of(vector) else {
            return Err("it takes an element of what is no vector".into());
        };
        let element = ir::Type::Scalar(stored);
        let part = self.b.emit(element, Op::Extract(vector, index));
        Ok(match scalar {
            Scalar::Bool => {
                let zero = Const::scalar(stored, 0);
                self.b.compare(ir::Cmp::Ne, part, zero).into()
            }
            _ => part.into(),
        })
    }

    /// A scalar as an element of a vector: a boolean is a byte there.
    fn as_element(&mut self, value: Operand) -> Operand {
        match self.b.type_of(value) {
            ir::Type::BOOL => {
                let [yes, no] = [0xff, 0].map(|bits| Const::scalar(Scalar::I8, bits));
                self.b.select(value, yes, no).into()
            }
            _ => value,
        }
    }

    fn shuffle(&mut self, inst: &Instruction) -> Check<Operand> {
        let (a, b) = (self.arg(inst, 0)?, self.arg(inst, 1)?);
        let [left, right] = [a, b].map(|v| self.b.type_of(v));
        let ty = self.own_type(inst)?;
        let (&ir::Type::Vector(element, count), ir::Type::Vector(..)) = (&left, right) else {
            return Err("it takes elements of what is no vector".into());
        };
        let count = count.count();
        let chosen = Self::literals(inst, 2)?;
        // Any element will do where none is named.
        let chosen = chosen.iter().map(|&n| if n == u32::MAX { 0 } else { n });
        let chosen: Vec<u32> = chosen.collect();
        let all = count + right.lanes();
        ensure!(
            chosen.iter().all(|&n| n < all),
            "it takes an element that neither vector has"
        );
        if left == right {
            let mask = chosen.iter().map(|&n| n as u8).collect();
            return Ok(self.b.emit(ty, Op::Shuffle(a, b, mask)).into());
        }
        let mut parts = Vec::with_capacity(chosen.len());
        for n in chosen {
            let (from, at) = if n < count { (a, n) } else { (b, n - count) };
            let index = Const::i32(at as i32).into();
            let part = self
                .b
                .emit(ir::Type::Scalar(element), Op::Extract(from, index));
            parts.push(part.into());
        }
        Ok(self.b.emit(ty, Op::Construct(parts)).into())
    }

    fn construct(&mut self, inst: &Instruction) -> Check<Operand> {
        let ty = result_type(inst)?;
        let shape = self.reader.ty(ty)?;
        if let Ty::Vector(..) = shape {
            let mut parts = Vec::new();
            for n in 0..inst.operands.len() {
                let part = self.arg(inst, n)?;
                match self.b.type_of(part) {
                    ir::Type::Vector(scalar, lanes) => {
                        for at in 0..lanes.count() {
                            let op = Op::Extract(part, Const::i32(at as i32).into());
                            parts.push(self.b.emit(ir::Type::Scalar(scalar), op).into());
                        }
                    }
                    ir::Type::Scalar(_) | ir::Type::Pointer(_) => parts.push(self.as_element(part)),
                }
            }
            let register = self.reader.register(ty)?;
            return Ok(self.b.emit(register, Op::Construct(parts)).into());
        }
        ensure!(shape.is_aggregate(), "it makes what has no parts");
        let room = self.room(ty)?;
        let align = self.reader.layout(ty)?.align;
        for n in 0..inst.operands.len() {
            let (part_ty, offset) = self.reader.part(ty, n as u64)?;
            let part = self.arg(inst, n)?;
            ensure!(
                self.arg_type(inst, n)? == part_ty,
                "{} is of another type than its part",
                self.arg_name(inst, n)
            );
            self.put((room, align), offset, part_ty, part)?;
        }
        Ok(room)
    }

    /// Writes a part of a value that is being made, in memory that is so aligned.
    fn put(
        &mut self,
        (room, whole): (Operand, u32),
        offset: u64,
        ty: Word,
        part: Operand,
    ) -> Check<()> {
        let place = self.b.ptr_offset(room, offset as i64).into();
        let natural = self.reader.layout(ty)?.align;
        let align = known_alignment(offset, natural, whole);
        if self.reader.ty(ty)?.is_aggregate() {
            return self.copy_aligned(ty, place, part, align);
        }
        self.b.push(Op::Store {
            ptr: place,
            value: part,
            align,
            volatile: false,
        });
        Ok(())
    }

    /// Follows indices into a value in memory: the type and offset of the part, and the element where that is in
    /// a vector, whose type it then is.
    fn path(&self, mut ty: Word, indices: &[u32]) -> Check<(Word, u64, Option<u32>)> {
        let mut offset = 0;
        for (n, &index) in indices.iter().enumerate() {
            if let Ty::Vector(_, lanes) = self.reader.ty(ty)? {
                let last = n + 1 == indices.len();
                ensure!(
                    last && index < lanes.count(),
                    "a vector has no part {index}"
                );
                return Ok((ty, offset, Some(index)));
            }
            let part;
            (ty, part) = self.reader.part(ty, index.into())?;
            offset += part;
        }
        Ok((ty, offset, None))
    }

    fn extract(&mut self, inst: &Instruction) -> Check<Operand> {
        let indices = Self::literals(inst, 1)?;
        let whole = id(inst, 0)?;
        let value = self.value(whole)?;
        let ty = self.reader.type_of(whole)?;
        let shape = self.reader.ty(ty)?;
        // Only what is used of a built-in variable is asked for.
        if let (Value::Asked(query, _), &[index]) = (value, &indices[..])
            && query.takes_dim()
        {
            ensure!(index < 3, "a vector has no part {index}");
            let element = self.own_type(inst)?;
            return Ok(self.ask_one(query, Const::i32(index as i32).into(), element));
        }
        let value = self.operand_of(&value)?;
        if let Ty::Vector(_, lanes) = shape {
            let &[index] = &indices[..] else {
                return Err("a part of a part of a vector".into());
            };
            ensure!(index < lanes.count(), "a vector has no part {index}");
            return self.element(&shape, value, Const::i32(index as i32).into());
        }
        ensure!(shape.is_aggregate(), "it takes a part of what has none");
        let (part, offset, element) = self.path(ty, &indices)?;
        let place = self.b.ptr_offset(value, offset as i64).into();
        let shape = self.reader.ty(part)?;
        let natural = self.reader.layout(part)?.align;
        let align = known_alignment(offset, natural, self.reader.layout(ty)?.align);
        if shape.is_aggregate() {
            if align == natural {
                return Ok(place);
            }
            let room = self.room(part)?;
            self.copy_aligned(part, room, place, align)?;
            return Ok(room);
        }
        let register = self.reader.register(part)?;
        let loaded = self.b.emit(
            register,
            Op::Load {
                ptr: place,
                align,
                volatile: false,
            },
        );
        match element {
            Some(index) => self.element(&shape, loaded.into(), Const::i32(index as i32).into()),
            None => Ok(loaded.into()),
        }
    }

    fn insert(&mut self, inst: &Instruction) -> Check<Operand> {
        let part = self.arg(inst, 0)?;
        let indices = Self::literals(inst, 2)?;
        let ty = result_type(inst)?;
        let whole = self.arg(inst, 1)?;
        if let Ty::Vector(_, lanes) = self.reader.ty(ty)? {
            let &[index] = &indices[..] else {
                return Err("a part of a part of a vector".into());
            };
            ensure!(index < lanes.count(), "a vector has no part {index}");
            let (part, register) = (self.as_element(part), self.reader.register(ty)?);
            let op = Op::Insert(whole, Const::i32(index as i32).into(), part);
            return Ok(self.b.emit(register, op).into());
        }
        ensure!(
            self.reader.ty(ty)?.is_aggregate(),
            "it takes a part of what has none"
        );
        let room = self.copied(ty, whole)?;
        let align = self.reader.layout(ty)?.align;
        let (part_ty, offset, element) = self.path(ty, &indices)?;
        let Some(index) = element else {
            self.put((room, align), offset, part_ty, part)?;
            return Ok(room);
        };
        let part = self.as_element(part);
        let natural = self.b.type_of(part).align();
        let offset = offset + u64::from(index) * u64::from(natural);
        let ptr = self.b.ptr_offset(room, offset as i64).into();
        self.b.push(Op::Store {
            ptr,
            value: part,
            align: known_alignment(offset, natural, align),
            volatile: false,
        });
        Ok(room)
    }

    /// A value that is only a name for another.
    pub(super) fn alias(&mut self, inst: &Instruction, value: Value) -> Check<()> {
        self.values.insert(result(inst)?, value);
        Ok(())
    }
}

/// What an address is known to be aligned to that is so many bytes behind the start of an object, which is aligned to
/// `whole`: no more than its type is. Members of packed structs are where they are.
fn known_alignment(offset: u64, natural: u32, whole: u32) -> u32 {
    let known = match offset.trailing_zeros() {
        zeros @ 0..=12 => 1 << zeros,
        _ => whole,
    };
    natural.min(whole).min(known)
}
