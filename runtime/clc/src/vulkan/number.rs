//! Numbers: what a value of 1, 32 or 64 bits is in the module, and arithmetic with it.
//!
//! An integer of 64 bits is one where the device has such, else a pair of words (see `wide`).

use super::module::{Id, Module, ids};
use crate::hir::{ArithOp, CompareOp};
use crate::types::Scalar;
use rspirv::spirv::Op;

/// A scalar in the module.
#[derive(Clone, Copy, Debug)]
pub(super) enum Number {
    /// A truth in place of 0 and 1: of a `bool`, and of an `int` that a comparison gives.
    Truth(Id),
    /// 32 bits.
    Word(Id),
    /// 64 bits.
    Wide(Id),
    /// 64 bits, the lower word first.
    Pair([Id; 2]),
}

/// Whether a type has 64 bits.
pub(super) fn is_wide(scalar: Scalar) -> bool {
    scalar.size() == 8
}

/// The instruction of an operator on integers, with or without sign.
fn instruction(op: ArithOp, signed: bool) -> Op {
    match op {
        ArithOp::Add => Op::IAdd,
        ArithOp::Sub => Op::ISub,
        ArithOp::Mul => Op::IMul,
        ArithOp::Div if signed => Op::SDiv,
        ArithOp::Div => Op::UDiv,
        // C's remainder has the sign of the dividend (C99 6.5.5).
        ArithOp::Rem if signed => Op::SRem,
        ArithOp::Rem => Op::UMod,
        ArithOp::Shl => Op::ShiftLeftLogical,
        ArithOp::Shr if signed => Op::ShiftRightArithmetic,
        ArithOp::Shr => Op::ShiftRightLogical,
        ArithOp::And => Op::BitwiseAnd,
        ArithOp::Or => Op::BitwiseOr,
        ArithOp::Xor => Op::BitwiseXor,
    }
}

/// The instruction of a comparison of integers, with or without sign.
pub(super) fn comparison(op: CompareOp, signed: bool) -> Op {
    match (op, signed) {
        (CompareOp::Eq, _) => Op::IEqual,
        (CompareOp::Ne, _) => Op::INotEqual,
        (CompareOp::Lt, true) => Op::SLessThan,
        (CompareOp::Lt, false) => Op::ULessThan,
        (CompareOp::Gt, true) => Op::SGreaterThan,
        (CompareOp::Gt, false) => Op::UGreaterThan,
        (CompareOp::Le, true) => Op::SLessThanEqual,
        (CompareOp::Le, false) => Op::ULessThanEqual,
        (CompareOp::Ge, true) => Op::SGreaterThanEqual,
        (CompareOp::Ge, false) => Op::UGreaterThanEqual,
    }
}

/// The result of an instruction on words where it is a constant, or one of the operands.
fn folded(op: Op, (a, known_a): (Id, Option<u32>), (b, known_b): (Id, Option<u32>)) -> Folded {
    match (op, known_a, known_b) {
        (Op::IAdd, Some(x), Some(y)) => Folded::Constant(x.wrapping_add(y)),
        (Op::ISub, Some(x), Some(y)) => Folded::Constant(x.wrapping_sub(y)),
        (Op::IMul, Some(x), Some(y)) => Folded::Constant(x.wrapping_mul(y)),
        (Op::IMul | Op::BitwiseAnd, Some(0), _) | (Op::IMul | Op::BitwiseAnd, _, Some(0)) => {
            Folded::Constant(0)
        }
        (Op::IAdd | Op::BitwiseOr | Op::BitwiseXor, Some(0), _) | (Op::IMul, Some(1), _) => {
            Folded::Operand(b)
        }
        (Op::IMul, _, Some(1))
        | (
            Op::IAdd
            | Op::ISub
            | Op::BitwiseOr
            | Op::BitwiseXor
            | Op::ShiftLeftLogical
            | Op::ShiftRightLogical
            | Op::ShiftRightArithmetic,
            _,
            Some(0),
        ) => Folded::Operand(a),
        (Op::ShiftLeftLogical, Some(x), Some(n)) => Folded::Constant(x << (n & 31)),
        (Op::ShiftRightLogical, Some(x), Some(n)) => Folded::Constant(x >> (n & 31)),
        _ => Folded::No,
    }
}

enum Folded {
    Constant(u32),
    Operand(Id),
    No,
}

impl Module {
    /// The result of an instruction on two words.
    pub(super) fn binary(&mut self, op: Op, a: Id, b: Id) -> Id {
        match folded(op, (a, self.known(a)), (b, self.known(b))) {
            Folded::Constant(value) => self.constant(value),
            Folded::Operand(id) => id,
            Folded::No => {
                let word = self.word();
                self.emit(op, word, ids(&[a, b]))
            }
        }
    }

    /// A comparison, or an operation on truths.
    pub(super) fn test(&mut self, op: Op, a: Id, b: Id) -> Id {
        let bool = self.bool();
        self.emit(op, bool, ids(&[a, b]))
    }

    /// One of two values of a type.
    pub(super) fn select(&mut self, ty: Id, truth: Id, yes: Id, no: Id) -> Id {
        if yes == no {
            return yes;
        }
        self.emit(Op::Select, ty, ids(&[truth, yes, no]))
    }

    /// One of two words.
    pub(super) fn select_word(&mut self, truth: Id, yes: Id, no: Id) -> Id {
        let word = self.word();
        self.select(word, truth, yes, no)
    }

    /// A constant of a type.
    pub(super) fn number(&mut self, bits: u64, scalar: Scalar) -> Number {
        let low = bits as u32;
        if scalar == Scalar::Bool {
            Number::Truth(self.truth(bits != 0))
        } else if !is_wide(scalar) {
            Number::Word(self.constant(low))
        } else if self.int64 {
            Number::Wide(self.wide_constant(bits))
        } else {
            Number::Pair([self.constant(low), self.constant((bits >> 32) as u32)])
        }
    }

    /// The lower 32 bits; of a truth 0 or 1.
    pub(super) fn low(&mut self, number: Number) -> Id {
        match number {
            Number::Truth(truth) => {
                let (one, zero) = (self.constant(1), self.constant(0));
                self.select_word(truth, one, zero)
            }
            Number::Word(word) | Number::Pair([word, _]) => word,
            Number::Wide(wide) => {
                let word = self.word();
                self.emit(Op::UConvert, word, ids(&[wide]))
            }
        }
    }

    /// The two words of a number of 64 bits.
    pub(super) fn halves(&mut self, number: Number) -> [Id; 2] {
        match number {
            Number::Pair(pair) => pair,
            Number::Wide(wide) => {
                let (ty, word) = (self.wide(), self.word());
                let count = self.constant(32);
                let high = self.emit(Op::ShiftRightLogical, ty, ids(&[wide, count]));
                let high = self.emit(Op::UConvert, word, ids(&[high]));
                [self.low(number), high]
            }
            Number::Truth(_) | Number::Word(_) => [self.low(number), self.constant(0)],
        }
    }

    /// The number of 64 bits that two words are.
    pub(super) fn joined(&mut self, [low, high]: [Id; 2]) -> Number {
        if !self.int64 {
            return Number::Pair([low, high]);
        }
        let wide = self.wide();
        let low = self.emit(Op::UConvert, wide, ids(&[low]));
        let high = self.emit(Op::UConvert, wide, ids(&[high]));
        let count = self.constant(32);
        let high = self.emit(Op::ShiftLeftLogical, wide, ids(&[high, count]));
        Number::Wide(self.emit(Op::BitwiseOr, wide, ids(&[low, high])))
    }

    /// Whether a number is not zero.
    pub(super) fn is_true(&mut self, number: Number) -> Id {
        match number {
            Number::Truth(truth) => truth,
            Number::Word(word) => {
                let zero = self.constant(0);
                self.test(Op::INotEqual, word, zero)
            }
            Number::Wide(wide) => {
                let zero = self.wide_constant(0);
                self.test(Op::INotEqual, wide, zero)
            }
            Number::Pair([low, high]) => {
                let bits = self.binary(Op::BitwiseOr, low, high);
                self.is_true(Number::Word(bits))
            }
        }
    }

    /// The number in the form that variables of its type have.
    pub(super) fn settled(&mut self, number: Number, scalar: Scalar) -> Number {
        match number {
            Number::Truth(_) if scalar != Scalar::Bool => Number::Word(self.low(number)),
            _ => number,
        }
    }

    /// A number of one type as one of another (OpenCL C 6.4).
    pub(super) fn convert(&mut self, number: Number, from: Scalar, to: Scalar) -> Number {
        if to == Scalar::Bool {
            return Number::Truth(self.is_true(number));
        }
        match (number, is_wide(to)) {
            (Number::Truth(_) | Number::Word(_), false) => number,
            (Number::Wide(_) | Number::Pair(_), true) => number,
            (Number::Wide(_) | Number::Pair(_), false) => Number::Word(self.low(number)),
            (Number::Truth(_) | Number::Word(_), true) => {
                let word = self.low(number);
                self.extended(word, from.is_signed())
            }
        }
    }

    /// A word as a number of 64 bits.
    fn extended(&mut self, word: Id, signed: bool) -> Number {
        if self.int64 {
            if let Some(value) = self.known(word) {
                let value = if signed {
                    value as i32 as u64
                } else {
                    value.into()
                };
                return Number::Wide(self.wide_constant(value));
            }
            let wide = self.wide();
            let op = if signed { Op::SConvert } else { Op::UConvert };
            return Number::Wide(self.emit(op, wide, ids(&[word])));
        }
        let high = match self.known(word) {
            Some(value) if signed && value >> 31 != 0 => self.constant(u32::MAX),
            None if signed => {
                let count = self.constant(31);
                self.binary(Op::ShiftRightArithmetic, word, count)
            }
            Some(_) | None => self.constant(0),
        };
        Number::Pair([word, high])
    }

    /// `a op b` in a type that is no `bool`. Of a shift, `b` may have any type.
    pub(super) fn arith(&mut self, op: ArithOp, scalar: Scalar, a: Number, b: Number) -> Number {
        let signed = scalar.is_signed();
        let shift = matches!(op, ArithOp::Shl | ArithOp::Shr);
        let b = if shift {
            // The count is taken modulo the width (OpenCL C 6.5).
            let count = self.low(b);
            Number::Word(self.masked(count, if is_wide(scalar) { 63 } else { 31 }))
        } else {
            b
        };
        match (a, b) {
            (Number::Wide(a), Number::Wide(b) | Number::Word(b)) => {
                let wide = self.wide();
                Number::Wide(self.emit(instruction(op, signed), wide, ids(&[a, b])))
            }
            (Number::Pair(a), _) => {
                let b = self.halves(b);
                Number::Pair(self.pair_arith(op, signed, a, b))
            }
            (a, b) => {
                let (a, b) = (self.low(a), self.low(b));
                Number::Word(self.binary(instruction(op, signed), a, b))
            }
        }
    }

    fn masked(&mut self, count: Id, mask: u32) -> Id {
        match self.known(count) {
            Some(count) => self.constant(count & mask),
            None => {
                let mask = self.constant(mask);
                self.binary(Op::BitwiseAnd, count, mask)
            }
        }
    }

    /// `-a`
    pub(super) fn negated(&mut self, scalar: Scalar, a: Number) -> Number {
        let zero = self.number(0, scalar);
        self.arith(ArithOp::Sub, scalar, zero, a)
    }

    /// `~a`
    pub(super) fn complement(&mut self, scalar: Scalar, a: Number) -> Number {
        let ones = self.number(u64::MAX, scalar);
        self.arith(ArithOp::Xor, scalar, a, ones)
    }

    /// Whether `a op b`, both of one type.
    pub(super) fn compare(&mut self, op: CompareOp, scalar: Scalar, a: Number, b: Number) -> Id {
        let signed = scalar.is_signed();
        match (a, b) {
            (Number::Wide(a), Number::Wide(b)) => self.test(comparison(op, signed), a, b),
            (Number::Pair(a), Number::Pair(b)) => self.compare_pairs(op, signed, a, b),
            (a, b) => {
                let (a, b) = (self.low(a), self.low(b));
                self.test(comparison(op, signed), a, b)
            }
        }
    }

    /// One of two numbers of a type.
    pub(super) fn choose(&mut self, scalar: Scalar, truth: Id, yes: Number, no: Number) -> Number {
        match (self.settled(yes, scalar), self.settled(no, scalar)) {
            (Number::Truth(yes), Number::Truth(no)) => {
                let bool = self.bool();
                Number::Truth(self.select(bool, truth, yes, no))
            }
            (Number::Wide(yes), Number::Wide(no)) => {
                let wide = self.wide();
                Number::Wide(self.select(wide, truth, yes, no))
            }
            (Number::Pair(yes), Number::Pair(no)) => {
                Number::Pair([0, 1].map(|i| self.select_word(truth, yes[i], no[i])))
            }
            (yes, no) => {
                let (yes, no) = (self.low(yes), self.low(no));
                Number::Word(self.select_word(truth, yes, no))
            }
        }
    }

    /// The number of a type that comes from whichever of two blocks was before; both are settled.
    pub(super) fn merged(&mut self, [(a, of_a), (b, of_b)]: [(Number, Id); 2]) -> Number {
        let word = self.word();
        match (a, b) {
            (Number::Truth(a), Number::Truth(b)) => {
                let bool = self.bool();
                Number::Truth(self.phi(bool, [(a, of_a), (b, of_b)]))
            }
            (Number::Wide(a), Number::Wide(b)) => {
                let wide = self.wide();
                Number::Wide(self.phi(wide, [(a, of_a), (b, of_b)]))
            }
            (Number::Pair(a), Number::Pair(b)) => {
                Number::Pair([0, 1].map(|i| self.phi(word, [(a[i], of_a), (b[i], of_b)])))
            }
            (Number::Word(a), Number::Word(b)) => {
                Number::Word(self.phi(word, [(a, of_a), (b, of_b)]))
            }
            // Numbers of one type that are settled have one form.
            (a, _) => a,
        }
    }
}
