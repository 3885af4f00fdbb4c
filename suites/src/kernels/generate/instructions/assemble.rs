//! Modules of instructions, assembled.

use super::piece::MEMBERS;
use super::{Given, ITEMS, Lane, Piece};
use crate::kernels::code::number::INTEGERS;
use crate::kernels::generate::assembled::Kernel;
use crate::kernels::math::format::{FORMATS, Format};
use rspirv::dr::{Builder, Error, InsertPoint, Instruction as Built, Operand};
use rspirv::spirv::{
    Capability, Decoration, LoopControl, MemoryAccess, Op, SelectionControl, StorageClass, Word,
};

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
    /// Variables of the function, which come before all else in its first block.
    variables: Vec<Built>,
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
        if piece.merges() {
            b.loop_merge(end, body, LoopControl::NONE, [])?;
        }
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

    /// One of two values, each from a block of its own.
    fn branches(&mut self, ty: Word, of: [Word; 3]) -> Result<Word, Error> {
        let [holds, first, second] = of;
        let b = &mut *self.b;
        let [yes, no, end] = [(); 3].map(|()| b.id());
        b.selection_merge(end, SelectionControl::NONE)?;
        b.branch_conditional(holds, yes, no, [])?;
        let mut copies = Vec::new();
        for (block, value) in [(yes, first), (no, second)] {
            b.begin_block(Some(block))?;
            copies.push((b.copy_object(ty, None, value)?, block));
            b.branch(end)?;
        }
        b.begin_block(Some(end))?;
        let result = b.phi(ty, None, copies)?;
        self.block = end;
        Ok(result)
    }

    /// A vector, put lane by lane into one that is undefined.
    fn fills(&mut self, piece: &Piece, ty: Word, vector: Word) -> Result<Word, Error> {
        let lane = self.lane(piece.of);
        let mut result = self.push(Op::Undef, ty, Vec::new())?;
        for n in 0..piece.lanes as u32 {
            let one = self.b.composite_extract(lane, None, vector, [n])?;
            result = self.b.composite_insert(ty, None, one, result, [n])?;
        }
        Ok(result)
    }

    /// The address of a work-item's word in memory that a piece has for its result.
    fn word_at(&mut self, to: Word) -> Result<Word, Error> {
        let at = self.place(to, 0)?;
        let word = self.b.type_int(32, 0);
        let class = StorageClass::CrossWorkgroup;
        let pointer = self.b.type_pointer(None, class, word);
        self.b.bitcast(pointer, None, at)
    }

    /// What an atomic function of one address gives of a word there, and in the upper half what it leaves.
    fn steps(&mut self, op: Op, ty: Word, first: Word, to: Word) -> Result<Word, Error> {
        let at = self.word_at(to)?;
        let word = self.b.type_int(32, 0);
        let (access, aligned) = (Some(MemoryAccess::ALIGNED), || {
            vec![Operand::LiteralBit32(4)]
        });
        self.b.store(at, first, access, aligned())?;
        let old = self.atomic(op, word, at)?;
        let new = self.b.load(word, None, at, access, aligned())?;
        let [old, new] = [
            self.b.u_convert(ty, None, old)?,
            self.b.u_convert(ty, None, new)?,
        ];
        let half = self.b.constant_bit64(self.long, 32);
        let upper = self.b.shift_left_logical(ty, None, new, half)?;
        self.b.bitwise_or(ty, None, upper, old)
    }

    /// An atomic function of an address alone, of the device and without an order.
    fn atomic(&mut self, op: Op, ty: Word, at: Word) -> Result<Word, Error> {
        let word = self.b.type_int(32, 0);
        let [scope, order] = [1, 0].map(|n| self.b.constant_bit32(word, n));
        let operands = [at, scope, order].map(Operand::IdRef).into();
        self.push(op, ty, operands)
    }

    /// What a flag gives that is clear, that is set, and that was cleared, in the bits of a number that differ.
    fn flags(&mut self, ty: Word, number: Word, to: Word) -> Result<Word, Error> {
        let at = self.word_at(to)?;
        let truth = self.b.type_bool();
        let [zero, clear] = [0, 0].map(|n| self.b.constant_bit32(ty, n));
        let aligned = vec![Operand::LiteralBit32(4)];
        let access = Some(MemoryAccess::ALIGNED);
        self.b.store(at, clear, access, aligned)?;
        let mut result = number;
        for n in 0..3 {
            if n == 2 {
                let scope = self.b.constant_bit32(ty, 1);
                self.b.atomic_flag_clear(at, scope, zero)?;
            }
            let was_set = self.atomic(Op::AtomicFlagTestAndSet, truth, at)?;
            let bit = self.b.constant_bit32(ty, 1 << n);
            let bit = self.b.select(ty, None, was_set, bit, zero)?;
            result = self.b.bitwise_xor(ty, None, result, bit)?;
        }
        Ok(result)
    }

    /// A lane that was put, with all others, into an array in a structure of the work-item's own memory.
    fn members(
        &mut self,
        piece: &Piece,
        ty: Word,
        [lanes, place]: [Word; 2],
    ) -> Result<Word, Error> {
        let bits = match piece.of {
            Lane::Integer(of) => u32::from(of.bits),
            Lane::Real(_) | Lane::Truth => 64,
        };
        let word = self.b.type_int(32, 0);
        let length = self.b.constant_bit32(word, MEMBERS as u32);
        let array = self.b.type_array(ty, length);
        // Where it is packed, the array begins behind one byte.
        let structure = self.b.id();
        let (first, aligned) = match piece.is_packed() {
            true => (self.b.type_int(8, 0), 1),
            false => (self.b.type_int(16, 0), bits / 8),
        };
        let members = [first, array].map(Operand::IdRef).into();
        let built = Built::new(Op::TypeStruct, None, Some(structure), members);
        self.b.module_mut().types_global_values.push(built);
        if piece.is_packed() {
            self.b.decorate(structure, Decoration::CPacked, vec![]);
        }
        let class = StorageClass::Function;
        let [whole, element, head] =
            [structure, ty, first].map(|of| self.b.type_pointer(None, class, of));
        let own = self.b.id();
        let storage = vec![Operand::StorageClass(class)];
        let variable = Built::new(Op::Variable, Some(whole), Some(own), storage);
        self.variables.push(variable);
        let (access, alignment) = (Some(MemoryAccess::ALIGNED), Operand::LiteralBit32(aligned));
        let [zero, one] = [0, 1].map(|n| self.b.constant_bit32(word, n));
        for n in 0..MEMBERS as u32 {
            let lane = self.b.composite_extract(ty, None, lanes, [n])?;
            let n = self.b.constant_bit32(word, n);
            let at = [own, one, n].map(Operand::IdRef).into();
            let at = self.push(piece.op, element, at)?;
            self.b.store(at, lane, access, [alignment.clone()])?;
        }
        // What stands before the array leaves it as it is.
        let at = self.push(piece.op, head, [own, zero].map(Operand::IdRef).into())?;
        let before = self.b.constant_bit32(first, 0x5a);
        let beside = Operand::LiteralBit32(if piece.is_packed() { 1 } else { 2 });
        self.b.store(at, before, access, [beside])?;
        let at = [own, one, place].map(Operand::IdRef).into();
        let at = self.push(piece.op, element, at)?;
        self.b.load(ty, None, at, access, [alignment])
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
    let packs = |packed: bool| {
        let members = |one: &&Piece| matches!(one.op, Op::AccessChain | Op::InBoundsAccessChain);
        let mut all = pieces.iter().filter(members);
        all.any(|one| one.is_packed() == packed)
    };
    let wide = |lanes: usize| lanes > 4;
    let wide = pieces.iter().any(|one| {
        let of = if one.pairs() {
            one.lanes / 2
        } else {
            one.lanes
        };
        wide(of) || one.given.iter().any(|given| wide(given.lanes))
    });
    let needs = [
        (bits(8) || packs(true), Capability::Int8),
        (bits(16) || packs(false), Capability::Int16),
        (wide, Capability::Vector16),
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
    let counter = b.id();
    let storage = vec![Operand::StorageClass(StorageClass::Function)];
    let variable = Built::new(Op::Variable, Some(own), Some(counter), storage);
    let mut module = Module {
        b,
        long,
        pointer,
        id,
        from,
        read: 0,
        block,
        counter,
        variables: vec![variable],
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
            (Op::SelectionMerge, [holds, first, second]) => {
                module.branches(ty, [*holds, *first, *second])?
            }
            (Op::Undef, [vector]) => module.fills(piece, ty, *vector)?,
            (Op::AtomicIIncrement | Op::AtomicIDecrement, [first]) => {
                module.steps(piece.op, ty, *first, to)?
            }
            (Op::AtomicFlagTestAndSet, [number]) => module.flags(ty, *number, to)?,
            (Op::AccessChain | Op::InBoundsAccessChain, [lanes, place]) => {
                module.members(piece, ty, [*lanes, *place])?
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
    kernel.variables = module.variables;
    kernel.end()
}
