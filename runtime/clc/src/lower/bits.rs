//! Extended bit operations (OpenCL C 6.15.3.1) and dot products of integers (6.15.3).

use super::function::Lower;
use crate::types::Scalar;
use touchstone_ir as ir;
use touchstone_ir::{Cmp, Const, IntOp, NumKind, Operand, UnaryOp};

impl Lower<'_> {
    /// So many ones, in the shape of a type: no more than an element has bits.
    fn ones(&mut self, count: Operand, scalar: Scalar, ty: ir::Type) -> Operand {
        let element = ir::Type::Scalar(scalar.ir());
        let all = Const::scalar(scalar.ir(), scalar.ir().mask());
        let width = Const::i32((scalar.size() * 8) as i32);
        let absent = self.b.int(IntOp::Sub, width, count);
        let absent = self.integer(absent.into(), element);
        let some = self.b.int(IntOp::LShr, all, absent);
        // To shift by the whole width is to shift by nothing.
        let none = self.b.compare(Cmp::Eq, count, Const::i32(0));
        let zero = Const::scalar(scalar.ir(), 0);
        let ones = self.b.select(none, zero, some);
        self.shaped(ones.into(), ty)
    }

    /// A `uint` as an integer of another width.
    fn integer(&mut self, value: Operand, ty: ir::Type) -> Operand {
        match self.b.type_of(value) == ty {
            true => value,
            false => {
                let kind = NumKind::Unsigned;
                self.b.convert(value, kind, ty, kind).into()
            }
        }
    }

    /// A number of bits to shift each element by.
    fn distance(&mut self, by: Operand, scalar: Scalar, ty: ir::Type) -> Operand {
        let by = self.integer(by, ir::Type::Scalar(scalar.ir()));
        self.shaped(by, ty)
    }

    /// `bitfield_insert(base, insert, offset, count)`
    pub(super) fn bitfield_insert(
        &mut self,
        scalar: Scalar,
        [base, insert]: [Operand; 2],
        (offset, count): (Operand, Operand),
    ) -> Operand {
        let ty = self.b.type_of(base);
        let offset = self.distance(offset, scalar, ty);
        let ones = self.ones(count, scalar, ty);
        let field = self.b.int(IntOp::Shl, ones, offset);
        let insert = self.b.int(IntOp::Shl, insert, offset);
        let insert = self.b.int(IntOp::And, insert, field);
        let outside = self.b.unary(UnaryOp::Not, field);
        let base = self.b.int(IntOp::And, base, outside);
        self.b.int(IntOp::Or, base, insert).into()
    }

    /// `bitfield_extract_signed` and `bitfield_extract_unsigned` of (base, offset, count)
    pub(super) fn bitfield_extract(
        &mut self,
        signed: bool,
        scalar: Scalar,
        base: Operand,
        (offset, count): (Operand, Operand),
    ) -> Operand {
        let ty = self.b.type_of(base);
        let offset = self.distance(offset, scalar, ty);
        let ones = self.ones(count, scalar, ty);
        let field = self.b.int(IntOp::LShr, base, offset);
        let field = self.b.int(IntOp::And, field, ones);
        if !signed {
            return field.into();
        }
        // The top bit of the field, and all above it where that is one.
        let one = self.shaped(Const::scalar(scalar.ir(), 1).into(), ty);
        let half = self.b.int(IntOp::LShr, ones, one);
        let top = self.b.int(IntOp::Xor, ones, half);
        let flipped = self.b.int(IntOp::Xor, field, top);
        self.b.int(IntOp::Sub, flipped, top).into()
    }

    /// The sum of the products of the elements, which have signs or have not.
    pub(super) fn integer_dot(&mut self, vectors: [Operand; 2], kinds: [NumKind; 2]) -> Operand {
        let mut wide = Vec::new();
        for (vector, kind) in vectors.into_iter().zip(kinds) {
            let ty = self.b.type_of(vector).with_element(ir::Scalar::I32);
            wide.push(self.b.convert(vector, kind, ty, kind));
        }
        let products = self.b.int(IntOp::Mul, wide[0], wide[1]).into();
        let products = self.elements(products);
        let mut sum: Operand = Const::i32(0).into();
        for product in products {
            sum = self.b.int(IntOp::Add, sum, product).into();
        }
        sum
    }
}
