//! Copies by a work-group (OpenCL C 6.15.13), collective functions, shuffles of sub-groups.
//!
//! Every work-item copies its part when it comes to the copy, and waiting for the events is a
//! barrier: after it all parts are there for all. Contiguous blocks are cut into one part a
//! work-item; of strided ones each work-item takes every so manieth element. Elements that nobody
//! has waited for may be there or not, as the specification allows.

use super::function::Lower;
use crate::hir::{Strided, SubGroupShuffle};
use touchstone_ir as ir;
use touchstone_ir::{Cmp, Const, IntOp, NumKind, Op, Operand, Query, Reg};

impl Lower<'_> {
    /// The work-item's number in its group, and how many there are.
    fn place_in_group(&mut self) -> (Reg, Reg) {
        let place = self.b.query(Query::LocalLinearId, Const::i32(0));
        let [x, y, z] = [0, 1, 2].map(|dim| self.b.query(Query::LocalSize, Const::i32(dim)));
        let layer = self.b.int(IntOp::Mul, x, y);
        (place, self.b.int(IntOp::Mul, layer, z))
    }

    /// `align` is what both addresses are known to be aligned to.
    fn copy_block(&mut self, dst: Operand, src: Operand, size: Operand, align: u32) {
        self.b.push(Op::MemCopy {
            dst,
            src,
            size,
            align,
        });
    }

    /// Copies `n` elements of `size` bytes and gives the event.
    pub(super) fn async_copy(
        &mut self,
        (dst, src, n): (Operand, Operand, Operand),
        (size, align): (u32, u32),
        event: Operand,
    ) -> Operand {
        let (place, items) = self.place_in_group();
        // The parts of all but the last work-items are of one size.
        let part = self.b.int(IntOp::UDiv, n, items);
        let part = self.b.int(IntOp::Add, part, Const::i64(1));
        let first = self.b.int(IntOp::Mul, place, part);
        let first = self.at_most(first, n);
        let end = self.b.int(IntOp::Add, first, part);
        let end = self.at_most(end, n);
        let count = self.b.int(IntOp::Sub, end, first);
        let bytes = self.b.int(IntOp::Mul, count, Const::i64(i64::from(size)));
        let [dst, src] = [dst, src].map(|p| self.b.ptr_add(p, first, size, 0).into());
        self.copy_block(dst, src, bytes.into(), align);
        self.event_of_copy(event)
    }

    /// Copies `n` elements of `size` bytes that are `stride` elements apart on one side.
    pub(super) fn strided_copy(
        &mut self,
        (dst, src, n): (Operand, Operand, Operand),
        (size, align): (u32, u32),
        (side, stride): (Strided, Operand),
        event: Operand,
    ) -> Operand {
        let (place, items) = self.place_in_group();
        let i = self.b.copy(place);
        let (head, body, end) = (self.b.block(), self.b.block(), self.b.block());
        self.b.jump(head);
        self.b.switch_to(head);
        let more = self.b.compare(Cmp::ULt, i, n);
        self.b.branch(more, body, end);
        self.b.switch_to(body);
        let apart = self.b.int(IntOp::Mul, i, stride);
        let (to, from) = match side {
            Strided::Source => (i, apart),
            Strided::Destination => (apart, i),
        };
        let to = self.b.ptr_add(dst, to, size, 0).into();
        let from = self.b.ptr_add(src, from, size, 0).into();
        self.copy_block(to, from, Const::i64(i64::from(size)).into(), align);
        let next = self.b.int(IntOp::Add, i, items);
        self.b.assign(i, next);
        self.b.jump(head);
        self.b.switch_to(end);
        self.event_of_copy(event)
    }

    /// The event that the copy was given, or one that is not zero.
    fn event_of_copy(&mut self, event: Operand) -> Operand {
        let none = self.b.compare(Cmp::Eq, event, Const::i64(0));
        self.b.select(none, Const::i64(1), event).into()
    }

    /// What the work-items of a group compute together of a scalar each, or of each element of a vector.
    pub(super) fn collective(
        &mut self,
        (kind, function): (ir::BarrierKind, ir::Collective),
        value: Operand,
        from: Vec<Operand>,
    ) -> Operand {
        let ty = self.b.type_of(value);
        let mut parts = Vec::new();
        for value in self.elements(value) {
            let op = Op::Collective {
                kind,
                function,
                value,
                from: from.clone(),
            };
            let ty = self.b.type_of(value);
            parts.push(self.b.emit(ty, op).into());
        }
        match parts.as_slice() {
            [one] => *one,
            _ => self.b.emit(ty, Op::Construct(parts)).into(),
        }
    }

    /// The value of another work-item of the sub-group, zero where that one takes no part.
    pub(super) fn sub_group_shuffle(
        &mut self,
        how: SubGroupShuffle,
        value: Operand,
        number: Operand,
    ) -> Operand {
        let id = self.b.query(Query::SubGroupLocalId, Const::i32(0));
        let signed = match how {
            SubGroupShuffle::Rotate(_) => NumKind::Signed,
            SubGroupShuffle::Index
            | SubGroupShuffle::Xor
            | SubGroupShuffle::Up
            | SubGroupShuffle::Down => NumKind::Unsigned,
        };
        let number = self.b.convert(number, signed, ir::Type::I64, signed);
        let from: Vec<Operand> = match how {
            SubGroupShuffle::Index => vec![number.into()],
            SubGroupShuffle::Xor => vec![self.b.int(IntOp::Xor, id, number).into()],
            // Before the first one the number wraps to one that nobody has.
            SubGroupShuffle::Up => vec![self.b.int(IntOp::Sub, id, number).into()],
            SubGroupShuffle::Down => vec![self.b.int(IntOp::Add, id, number).into()],
            SubGroupShuffle::Rotate(None) => {
                let size = self.b.query(Query::MaxSubGroupSize, Const::i32(0));
                let sum = self.b.int(IntOp::Add, id, number);
                let place = self.b.int(IntOp::SRem, sum, size);
                let behind = self.b.int(IntOp::Add, place, size);
                let below = self.b.compare(Cmp::SLt, place, Const::i64(0));
                vec![self.b.select(below, behind, place).into(), number.into()]
            }
            SubGroupShuffle::Rotate(Some(cluster)) => {
                let inside = i64::from(cluster) - 1;
                let first = self.b.int(IntOp::And, id, Const::i64(!inside));
                let sum = self.b.int(IntOp::Add, id, number);
                let place = self.b.int(IntOp::And, sum, Const::i64(inside));
                let place = self.b.int(IntOp::Or, first, place);
                vec![place.into(), number.into()]
            }
        };
        let of = (ir::BarrierKind::SubGroup, ir::Collective::Shuffle);
        self.collective(of, value, from)
    }

    fn at_most(&mut self, value: Reg, most: Operand) -> Reg {
        let less = self.b.compare(Cmp::ULt, value, most);
        self.b.select(less, value, most)
    }

    /// The fence flag of where a generic pointer points; 0 for private memory, which needs none.
    pub(super) fn fence_of(&mut self, pointer: Operand) -> Operand {
        let mut flags: Operand = Const::i32(0).into();
        for (space, flag) in [(ir::AddressSpace::Local, 1), (ir::AddressSpace::Global, 2)] {
            let there = self.b.emit(ir::Type::Pointer(space), Op::ToSpace(pointer));
            let null = self.b.compare(Cmp::Eq, there, Const::Null(space));
            flags = self.b.select(null, flags, Const::i32(flag)).into();
        }
        flags
    }
}
