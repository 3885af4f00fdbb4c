//! Integers of 64 bits as pairs of words, the lower one first.

use super::module::{Id, Module, ids};
use super::number::{Number, comparison};
use crate::hir::{ArithOp, CompareOp};
use rspirv::dr::Operand;
use rspirv::spirv::{LoopControl, Op, SelectionControl};

type Pair = [Id; 2];

impl Module {
    /// `a op b`; a shift's count is less than 64.
    pub(super) fn pair_arith(&mut self, op: ArithOp, signed: bool, a: Pair, b: Pair) -> Pair {
        match op {
            ArithOp::Add => {
                let [low, carry] = self.two(Op::IAddCarry, a[0], b[0]);
                let high = self.binary(Op::IAdd, a[1], b[1]);
                [low, self.binary(Op::IAdd, high, carry)]
            }
            ArithOp::Sub => {
                let [low, borrow] = self.two(Op::ISubBorrow, a[0], b[0]);
                let high = self.binary(Op::ISub, a[1], b[1]);
                [low, self.binary(Op::ISub, high, borrow)]
            }
            ArithOp::Mul => {
                let [low, high] = self.two(Op::UMulExtended, a[0], b[0]);
                let x = self.binary(Op::IMul, a[0], b[1]);
                let y = self.binary(Op::IMul, a[1], b[0]);
                let cross = self.binary(Op::IAdd, x, y);
                [low, self.binary(Op::IAdd, high, cross)]
            }
            ArithOp::Div => self.divide(signed, a, b).0,
            ArithOp::Rem => self.divide(signed, a, b).1,
            ArithOp::Shl => self.shift_left(a, b[0]),
            ArithOp::Shr => self.shift_right(signed, a, b[0]),
            ArithOp::And => [0, 1].map(|i| self.binary(Op::BitwiseAnd, a[i], b[i])),
            ArithOp::Or => [0, 1].map(|i| self.binary(Op::BitwiseOr, a[i], b[i])),
            ArithOp::Xor => [0, 1].map(|i| self.binary(Op::BitwiseXor, a[i], b[i])),
        }
    }

    /// The result of an instruction on words, and what does not fit in it.
    fn two(&mut self, op: Op, a: Id, b: Id) -> Pair {
        let zero = self.constant(0);
        let none = match op {
            Op::UMulExtended => a == zero || b == zero,
            Op::IAddCarry => a == zero || b == zero,
            _ => b == zero,
        };
        if none {
            let op = match op {
                Op::UMulExtended => Op::IMul,
                Op::IAddCarry => Op::IAdd,
                _ => Op::ISub,
            };
            return [self.binary(op, a, b), zero];
        }
        let (ty, word) = (self.two_words(), self.word());
        let both = self.emit(op, ty, ids(&[a, b]));
        [0, 1].map(|i| {
            let operands = vec![Operand::IdRef(both), Operand::LiteralBit32(i)];
            self.emit(Op::CompositeExtract, word, operands)
        })
    }

    /// What a shift by one more than 31 - n gives of a word, in two steps that are less than 32.
    fn across(&mut self, first: Op, word: Id, n: Id) -> Id {
        let (one, most) = (self.constant(1), self.constant(31));
        let rest = self.binary(Op::ISub, most, n);
        let once = self.binary(first, word, one);
        self.binary(first, once, rest)
    }

    /// The count's five lower bits, and whether it has the sixth.
    fn count(&mut self, count: Id) -> (Id, Option<bool>, Id) {
        let (five, sixth) = (self.constant(31), self.constant(32));
        let known = self.known(count).map(|count| count & 32 != 0);
        let n = match self.known(count) {
            Some(count) => self.constant(count & 31),
            None => self.binary(Op::BitwiseAnd, count, five),
        };
        let far = match known {
            Some(far) => self.truth(far),
            None => {
                let bit = self.binary(Op::BitwiseAnd, count, sixth);
                self.is_true(Number::Word(bit))
            }
        };
        (n, known, far)
    }

    fn either(&mut self, known: Option<bool>, far: Id, yes: Pair, no: Pair) -> Pair {
        match known {
            Some(true) => yes,
            Some(false) => no,
            None => [0, 1].map(|i| self.select_word(far, yes[i], no[i])),
        }
    }

    fn shift_left(&mut self, [low, high]: Pair, count: Id) -> Pair {
        let (n, known, far) = self.count(count);
        let zero = self.constant(0);
        let low_moved = self.binary(Op::ShiftLeftLogical, low, n);
        let high_moved = self.binary(Op::ShiftLeftLogical, high, n);
        let carried = self.across(Op::ShiftRightLogical, low, n);
        let near = [low_moved, self.binary(Op::BitwiseOr, high_moved, carried)];
        self.either(known, far, [zero, low_moved], near)
    }

    fn shift_right(&mut self, signed: bool, [low, high]: Pair, count: Id) -> Pair {
        let (n, known, far) = self.count(count);
        let (op, filled) = if signed {
            let most = self.constant(31);
            let sign = self.binary(Op::ShiftRightArithmetic, high, most);
            (Op::ShiftRightArithmetic, sign)
        } else {
            (Op::ShiftRightLogical, self.constant(0))
        };
        let low_moved = self.binary(Op::ShiftRightLogical, low, n);
        let high_moved = self.binary(op, high, n);
        let carried = self.across(Op::ShiftLeftLogical, high, n);
        let near = [self.binary(Op::BitwiseOr, low_moved, carried), high_moved];
        self.either(known, far, [high_moved, filled], near)
    }

    /// Whether `a op b`: by the higher words, and where these are equal by the lower ones.
    pub(super) fn compare_pairs(&mut self, op: CompareOp, signed: bool, a: Pair, b: Pair) -> Id {
        let equal = self.test(Op::IEqual, a[1], b[1]);
        let low = self.test(comparison(op, false), a[0], b[0]);
        let strictly = match op {
            CompareOp::Eq => return self.test(Op::LogicalAnd, equal, low),
            CompareOp::Ne => {
                let high = self.test(Op::INotEqual, a[1], b[1]);
                return self.test(Op::LogicalOr, high, low);
            }
            CompareOp::Lt | CompareOp::Le => CompareOp::Lt,
            CompareOp::Gt | CompareOp::Ge => CompareOp::Gt,
        };
        let high = self.test(comparison(strictly, signed), a[1], b[1]);
        let low = self.test(Op::LogicalAnd, equal, low);
        self.test(Op::LogicalOr, high, low)
    }

    /// Quotient and remainder. The remainder has the sign of the dividend (C99 6.5.5).
    fn divide(&mut self, signed: bool, a: Pair, b: Pair) -> (Pair, Pair) {
        if !signed {
            return self.divide_unsigned(a, b);
        }
        let [sign_a, sign_b] = [a, b].map(|[_, high]| {
            let most = self.constant(31);
            self.binary(Op::ShiftRightArithmetic, high, most)
        });
        let [x, y] = [(a, sign_a), (b, sign_b)].map(|(n, sign)| self.signed_by(n, sign));
        let (quotient, remainder) = self.divide_unsigned(x, y);
        let sign = self.binary(Op::BitwiseXor, sign_a, sign_b);
        (
            self.signed_by(quotient, sign),
            self.signed_by(remainder, sign_a),
        )
    }

    /// A number, or its negative where `sign` is all ones: `(n ^ sign) - sign`.
    fn signed_by(&mut self, n: Pair, sign: Id) -> Pair {
        let flipped = n.map(|word| self.binary(Op::BitwiseXor, word, sign));
        self.pair_arith(ArithOp::Sub, false, flipped, [sign, sign])
    }

    /// Division of words where both numbers are words, else bit by bit.
    fn divide_unsigned(&mut self, a: Pair, b: Pair) -> (Pair, Pair) {
        let (word, zero) = (self.word(), self.constant(0));
        let high = self.binary(Op::BitwiseOr, a[1], b[1]);
        if high == zero {
            let quotient = self.binary(Op::UDiv, a[0], b[0]);
            let remainder = self.binary(Op::UMod, a[0], b[0]);
            return ([quotient, zero], [remainder, zero]);
        }
        let (short, long, end) = (self.id(), self.id(), self.id());
        let is_short = self.test(Op::IEqual, high, zero);
        let control = Operand::SelectionControl(SelectionControl::NONE);
        self.push(Op::SelectionMerge, vec![Operand::IdRef(end), control]);
        self.branch(is_short, short, long);
        self.begin(short);
        let quotient = self.binary(Op::UDiv, a[0], b[0]);
        let remainder = self.binary(Op::UMod, a[0], b[0]);
        let of_short = [quotient, zero, remainder, zero];
        self.jump(end);
        self.begin(long);
        let (of_long, from) = self.divide_bits(a, b);
        self.jump(end);
        self.begin(end);
        let mut result = [0; 4];
        for (i, result) in result.iter_mut().enumerate() {
            *result = self.phi(word, [(of_short[i], short), (of_long[i], from)]);
        }
        let [q0, q1, r0, r1] = result;
        ([q0, q1], [r0, r1])
    }

    /// Long division, a bit at a time from the top: quotient bits come into the dividend as its
    /// own bits leave it for the remainder. Gives both, and the block that has them.
    fn divide_bits(&mut self, a: Pair, b: Pair) -> ([Id; 4], Id) {
        let (word, zero, one) = (self.word(), self.constant(0), self.constant(1));
        let before = self.here();
        let (head, next, end) = (self.id(), self.id(), self.id());
        self.jump(head);
        self.begin(head);
        // What begins as the operands: how many bits are done, the dividend, the remainder.
        let begin = [zero, a[0], a[1], zero, zero];
        let now = begin.map(|_| self.id());
        let then = begin.map(|_| self.id());
        for ((now, begin), then) in now.into_iter().zip(begin).zip(then) {
            let operands = ids(&[begin, before, then, next]);
            self.emit_as(now, Op::Phi, word, operands);
        }
        let [done, low, high, rest_low, rest_high] = now;
        let control = Operand::LoopControl(LoopControl::NONE);
        let merge = vec![Operand::IdRef(end), Operand::IdRef(next), control];
        self.push(Op::LoopMerge, merge);
        self.terminate(Op::Branch, ids(&[next]));
        self.begin(next);
        let most = self.constant(31);
        let top = |m: &mut Self, word| m.binary(Op::ShiftRightLogical, word, most);
        let shifted = |m: &mut Self, word, bit| {
            let word = m.binary(Op::ShiftLeftLogical, word, one);
            m.binary(Op::BitwiseOr, word, bit)
        };
        let overflow = top(self, rest_high);
        let bits = [top(self, rest_low), top(self, high), top(self, low)];
        let rest = [
            shifted(self, rest_low, bits[1]),
            shifted(self, rest_high, bits[0]),
        ];
        let fits = self.compare_pairs(CompareOp::Ge, false, rest, b);
        let overflow = self.is_true(Number::Word(overflow));
        let fits = self.test(Op::LogicalOr, overflow, fits);
        let less = self.pair_arith(ArithOp::Sub, false, rest, b);
        let bit = self.select_word(fits, one, zero);
        self.emit_as(then[0], Op::IAdd, word, ids(&[done, one]));
        let low = self.binary(Op::ShiftLeftLogical, low, one);
        self.emit_as(then[1], Op::BitwiseOr, word, ids(&[low, bit]));
        let high = self.binary(Op::ShiftLeftLogical, high, one);
        self.emit_as(then[2], Op::BitwiseOr, word, ids(&[high, bits[2]]));
        for i in 0..2 {
            let operands = ids(&[fits, less[i], rest[i]]);
            self.emit_as(then[3 + i], Op::Select, word, operands);
        }
        let all = self.constant(64);
        let more = self.test(Op::ULessThan, then[0], all);
        self.branch(more, head, end);
        self.begin(end);
        let [_, q0, q1, r0, r1] = then;
        ([q0, q1, r0, r1], end)
    }
}

#[cfg(test)]
mod tests {
    //! The steps above with numbers in place of ids.

    use proptest::prelude::*;

    type Words = [u32; 2];

    fn halves(n: u64) -> Words {
        [n as u32, (n >> 32) as u32]
    }

    fn joined([low, high]: Words) -> u64 {
        u64::from(high) << 32 | u64::from(low)
    }

    fn sub(a: Words, b: Words) -> Words {
        let (low, borrow) = a[0].overflowing_sub(b[0]);
        [low, a[1].wrapping_sub(b[1]).wrapping_sub(borrow.into())]
    }

    fn at_least(a: Words, b: Words) -> bool {
        a[1] > b[1] || a[1] == b[1] && a[0] >= b[0]
    }

    /// As `divide_bits`.
    fn divide_bits(a: Words, b: Words) -> (Words, Words) {
        let ([mut low, mut high], [mut rest_low, mut rest_high]) = (a, [0, 0]);
        for _ in 0..64 {
            let overflow = rest_high >> 31;
            let bits = [rest_low >> 31, high >> 31, low >> 31];
            let rest = [rest_low << 1 | bits[1], rest_high << 1 | bits[0]];
            let fits = overflow != 0 || at_least(rest, b);
            (low, high) = (low << 1 | u32::from(fits), high << 1 | bits[2]);
            [rest_low, rest_high] = if fits { sub(rest, b) } else { rest };
        }
        ([low, high], [rest_low, rest_high])
    }

    /// As `signed_by`.
    fn signed_by(n: Words, sign: u32) -> Words {
        sub(n.map(|word| word ^ sign), [sign, sign])
    }

    /// As `divide`.
    fn divide(a: Words, b: Words) -> (Words, Words) {
        let [sign_a, sign_b] = [a, b].map(|[_, high]| (high as i32 >> 31) as u32);
        let (quotient, remainder) = divide_bits(signed_by(a, sign_a), signed_by(b, sign_b));
        (
            signed_by(quotient, sign_a ^ sign_b),
            signed_by(remainder, sign_a),
        )
    }

    /// As `shift_left`.
    fn shift_left([low, high]: Words, count: u32) -> Words {
        let n = count & 31;
        let carried = low >> 1 >> (31 - n);
        match count & 32 {
            0 => [low << n, high << n | carried],
            _ => [0, low << n],
        }
    }

    /// As `shift_right`.
    fn shift_right([low, high]: Words, count: u32) -> Words {
        let (n, high) = (count & 31, high as i32);
        let carried = (high as u32) << 1 << (31 - n);
        match count & 32 {
            0 => [low >> n | carried, (high >> n) as u32],
            _ => [(high >> n) as u32, (high >> 31) as u32],
        }
    }

    /// Numbers of every length, and those at the ends.
    fn number() -> impl Strategy<Value = u64> {
        prop_oneof![
            (any::<u64>(), 0..64u32).prop_map(|(n, shift)| n >> shift),
            (any::<u64>(), 0..64u32).prop_map(|(n, shift)| !(n >> shift)),
            prop::sample::select(vec![0, 1, u64::MAX, 1 << 63, (1 << 63) - 1, 1 << 32]),
        ]
    }

    proptest! {
        #[test]
        fn division_is_that_of_64_bits(a in number(), b in number()) {
            prop_assume!(b != 0);
            let (q, r) = divide_bits(halves(a), halves(b));
            prop_assert_eq!((joined(q), joined(r)), (a / b, a % b));
            let (q, r) = divide(halves(a), halves(b));
            let (a, b) = (a as i64, b as i64);
            let expected = (a.wrapping_div(b) as u64, a.wrapping_rem(b) as u64);
            prop_assert_eq!((joined(q), joined(r)), expected);
        }

        #[test]
        fn shifts_are_those_of_64_bits(a in number(), count in 0..64u32) {
            prop_assert_eq!(joined(shift_left(halves(a), count)), a << count);
            let expected = (a as i64 >> count) as u64;
            prop_assert_eq!(joined(shift_right(halves(a), count)), expected);
        }
    }
}
