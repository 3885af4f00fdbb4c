//! Modules of instructions, assembled.

use super::{Given, ITEMS, Lane, Piece};
use crate::kernels::code::number::INTEGERS;
use crate::kernels::generate::assembled::Kernel;
use crate::kernels::math::format::{FORMATS, Format};
use rspirv::dr::{Builder, Error, InsertPoint, Instruction as Built, Operand};
use rspirv::spirv::{Capability, MemoryAccess, Op, StorageClass, Word};

/// A module that is being made.
struct Module<'b> {
    b: &'b mut Builder,
    /// The type of 64 bits, and that of pointers to it in global memory.
    long: Word,
    pointer: Word,
    /// The work-item's number, and the pointer to the operands of all.
    id: Word,
    from: Word,
    /// Numbers of operands so far, of each work-item.
    read: u64,
    /// The block that is being written.
    block: Word,
    /// A word of the work-item's own memory.
    counter: Word,
}

impl Module<'_> {
    fn lane(&mut self, of: Lane) -> Word {
        match of {
            Lane::Integer(of) => self.b.type_int(of.bits.into(), 0),
            Lane::Real(format) => self.b.type_float(8 * format.bytes() as u32, None),
            Lane::Truth => self.b.type_bool(),
        }
    }

    fn type_of(&mut self, of: Lane, lanes: usize) -> Word {
        let lane = self.lane(of);
        match lanes {
            1 => lane,
            n => self.b.type_vector(lane, n as u32),
        }
    }

    /// Appends an instruction, and gives its result.
    fn push(&mut self, op: Op, ty: Word, operands: Vec<Operand>) -> Result<Word, Error> {
        let id = self.b.id();
        let built = Built::new(op, Some(ty), Some(id), operands);
        self.b.insert_into_block(InsertPoint::End, built)?;
        Ok(id)
    }

    /// The address of a work-item's number so many arrays of one for each behind the beginning.
    fn place(&mut self, of: Word, array: u64) -> Result<Word, Error> {
        let first = self.b.constant_bit64(self.long, array * ITEMS as u64);
        let at = self.b.i_add(self.long, None, self.id, first)?;
        self.b
            .in_bounds_ptr_access_chain(self.pointer, None, of, at, vec![])
    }

    /// The next operand.
    fn operand(&mut self, given: &Given) -> Result<Word, Error> {
        let mut lanes = Vec::new();
        for _ in 0..given.lanes {
            let at = self.place(self.from, self.read)?;
            self.read += 1;
            let access = Some(MemoryAccess::ALIGNED);
            let aligned = vec![Operand::LiteralBit32(8)];
            let long = self.b.load(self.long, None, at, access, aligned)?;
            let bits = match given.of {
                Lane::Integer(of) => of.bits,
                Lane::Real(format) => 8 * format.bytes() as u8,
                Lane::Truth => 64,
            };
            let word = self.b.type_int(bits.into(), 0);
            let narrow = match bits {
                64 => long,
                _ => self.b.u_convert(word, None, long)?,
            };
            let ty = self.lane(given.of);
            lanes.push(match given.of {
                Lane::Integer(_) => narrow,
                Lane::Real(_) => self.b.bitcast(ty, None, narrow)?,
                Lane::Truth => {
                    let zero = self.b.constant_bit64(self.long, 0);
                    self.b.i_not_equal(ty, None, narrow, zero)?
                }
            });
        }
        match lanes[..] {
            [one] => Ok(one),
            _ => {
                let ty = self.type_of(given.of, given.lanes);
                self.b.composite_construct(ty, None, lanes)
            }
        }
    }

    /// A loop whose values of a turn are those of the turn before, exchanged; gives the first behind it.
    fn turns(&mut self, piece: &Piece, ty: Word, of: [Word; 3]) -> Result<Word, Error> {
        let [first, second, count] = of;
        let b = &mut *self.b;
        let word = b.type_int(32, 0);
        let [zero, one] = [0, 1].map(|n| b.constant_bit32(word, n));
        let truth = b.type_bool();
        let [head, body, end] = [(); 3].map(|()| b.id());
        let [turn, x, y, next, sum] = [(); 5].map(|()| b.id());
        let (before, counter) = (self.block, self.counter);
        let in_memory = piece.counts_in_memory();
        let aligned = || vec![Operand::LiteralBit32(4)];
        let access = Some(MemoryAccess::ALIGNED);
        if in_memory {
            b.store(counter, zero, access, aligned())?;
        }
        b.branch(head)?;
        b.begin_block(Some(head))?;
        if !in_memory {
            b.phi(word, Some(turn), [(zero, before), (next, body)])?;
        }
        b.phi(ty, Some(x), [(first, before), (y, body)])?;
        let behind = if piece.adds() { sum } else { x };
        b.phi(ty, Some(y), [(second, before), (behind, body)])?;
        if in_memory {
            b.load(word, Some(turn), counter, access, aligned())?;
        }
        let goes_on = b.u_less_than(truth, None, turn, count)?;
        b.branch_conditional(goes_on, body, end, [])?;
        b.begin_block(Some(body))?;
        if piece.adds() {
            b.i_add(ty, Some(sum), x, y)?;
        }
        b.i_add(word, Some(next), turn, one)?;
        if in_memory {
            b.store(counter, next, access, aligned())?;
        }
        b.branch(head)?;
        b.begin_block(Some(end))?;
        self.block = end;
        Ok(x)
    }

    /// Writes what an instruction gives.
    fn store(&mut self, piece: &Piece, result: Word, to: Word) -> Result<(), Error> {
        let ty = self.lane(piece.of);
        for lane in 0..piece.lanes {
            let one = match piece.lanes {
                1 => result,
                _ => {
                    let places = match (piece.pairs(), piece.lanes / 2) {
                        (false, _) => vec![lane as u32],
                        (true, 1) => vec![lane as u32],
                        (true, own) => vec![(lane / own) as u32, (lane % own) as u32],
                    };
                    self.b.composite_extract(ty, None, result, places)?
                }
            };
            let (one, bits) = match piece.of {
                Lane::Integer(of) => (one, of.bits),
                Lane::Real(format) => {
                    let bits = 8 * format.bytes() as u8;
                    let word = self.b.type_int(bits.into(), 0);
                    (self.b.bitcast(word, None, one)?, bits)
                }
                Lane::Truth => {
                    let [no, yes] = [0, 1].map(|n| self.b.constant_bit64(self.long, n));
                    (self.b.select(self.long, None, one, yes, no)?, 64)
                }
            };
            let long = match bits {
                64 => one,
                _ => self.b.u_convert(self.long, None, one)?,
            };
            let at = self.place(to, lane as u64)?;
            let aligned = vec![Operand::LiteralBit32(8)];
            self.b
                .store(at, long, Some(MemoryAccess::ALIGNED), aligned)?;
        }
        Ok(())
    }
}

/// A module with the kernel `apply(global ulong *from, global ulong *to, …)`, which leaves what each instruction gives in
/// memory of its own.
pub(super) fn module(pieces: &[Piece]) -> Result<Vec<u32>, Error> {
    let lanes = |of: Lane| {
        let mut pieces = pieces.iter();
        pieces.any(|one| one.of == of || one.given.iter().any(|given| given.of == of))
    };
    let bits = |n: u8| {
        let mut all = INTEGERS.into_iter();
        let format = FORMATS
            .into_iter()
            .find(|f| 8 * f.bytes() == usize::from(n));
        all.any(|of| of.bits == n && lanes(Lane::Integer(of)))
            || format.is_some_and(|format| lanes(Lane::Real(format)))
    };
    let needs = [
        (bits(8), Capability::Int8),
        (bits(16), Capability::Int16),
        (lanes(Lane::Real(Format::Half)), Capability::Float16),
        (lanes(Lane::Real(Format::Double)), Capability::Float64),
    ];
    let needs = needs.into_iter().filter(|(needed, _)| *needed);
    let needs: Vec<Capability> = needs.map(|(_, capability)| capability).collect();
    let mut kernel = Kernel::begin(&needs, 64, pieces.len() + 1)?;
    let (pointer, id, block) = (kernel.pointer, kernel.id, kernel.block);
    let (from, to) = (kernel.parameters[0], kernel.parameters[1..].to_vec());
    let b = &mut kernel.b;
    let (word, long) = (b.type_int(32, 0), b.type_int(64, 0));
    let own = b.type_pointer(None, StorageClass::Function, word);
    // A variable of a function comes before all else in its first block.
    let counter = b.id();
    let storage = vec![Operand::StorageClass(StorageClass::Function)];
    let variable = Built::new(Op::Variable, Some(own), Some(counter), storage);
    b.insert_into_block(InsertPoint::Begin, variable)?;
    let mut module = Module {
        b,
        long,
        pointer,
        id,
        from,
        read: 0,
        block,
        counter,
    };
    for (piece, to) in pieces.iter().zip(to) {
        let mut operands = Vec::new();
        for given in &piece.given {
            operands.push(module.operand(given)?);
        }
        let ty = match piece.pairs() {
            true => {
                let member = module.type_of(piece.of, piece.lanes / 2);
                module.b.type_struct([member, member])
            }
            false => module.type_of(piece.of, piece.lanes),
        };
        let result = match (piece.op, &operands[..]) {
            (Op::Phi, [first, second, count]) => {
                module.turns(piece, ty, [*first, *second, *count])?
            }
            (op, _) => {
                let mut operands: Vec<Operand> =
                    operands.iter().map(|id| Operand::IdRef(*id)).collect();
                operands.extend(piece.literals.iter().map(|n| Operand::LiteralBit32(*n)));
                module.push(op, ty, operands)?
            }
        };
        module.store(piece, result, to)?;
    }
    kernel.end()
}
