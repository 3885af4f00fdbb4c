//! Instructions that compute.

use super::context::{Context, Left};
use super::translate::{Translator, helper};
use super::values::constant_memory;
use crate::interp::code::{Ins, Slot};
use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::{InstBuilder, Value, types};
use std::mem::offset_of;

impl Translator<'_> {
    fn wide(&mut self, slot: Slot) -> Value {
        self.values.wide(&mut self.b, slot)
    }

    fn int(&mut self, slot: Slot) -> Value {
        self.values.int(&mut self.b, slot)
    }

    fn ints(&mut self, x: Slot, y: Slot) -> (Value, Value) {
        (self.int(x), self.int(y))
    }

    fn wides(&mut self, x: Slot, y: Slot) -> (Value, Value) {
        (self.wide(x), self.wide(y))
    }

    fn singles(&mut self, x: Slot, y: Slot) -> (Value, Value) {
        (
            self.values.single(&mut self.b, x),
            self.values.single(&mut self.b, y),
        )
    }

    fn doubles(&mut self, x: Slot, y: Slot) -> (Value, Value) {
        (
            self.values.double(&mut self.b, x),
            self.values.double(&mut self.b, y),
        )
    }

    /// Compares the low halves of two slots.
    pub(super) fn compare32(&mut self, cc: IntCC, x: Slot, y: Slot) -> Value {
        let (x, y) = self.ints(x, y);
        self.b.ins().icmp(cc, x, y)
    }

    /// Compares two slots.
    pub(super) fn compare64(&mut self, cc: IntCC, x: Slot, y: Slot) -> Value {
        let (x, y) = self.wides(x, y);
        self.b.ins().icmp(cc, x, y)
    }

    /// Whether two slots' upper halves are zero.
    fn narrow(&mut self, x: Slot, y: Slot) -> bool {
        self.values.narrow(&mut self.b, x) && self.values.narrow(&mut self.b, y)
    }

    /// One instruction that does not lead elsewhere.
    #[rustfmt::skip]
    pub(super) fn instruction(&mut self, ins: &Ins) {
        macro_rules! with32 {
            ($d:ident, $a:ident, $b:ident, $op:ident) => {{
                let (x, y) = self.ints($a, $b);
                let value = self.b.ins().$op(x, y);
                self.values.set_int($d, value);
            }};
        }
        macro_rules! with64 {
            ($d:ident, $a:ident, $b:ident, $op:ident) => {{
                let (x, y) = self.wides($a, $b);
                let value = self.b.ins().$op(x, y);
                self.values.set_wide($d, value);
            }};
        }
        // By as many bits as the low half of the second slot says.
        macro_rules! shift64 {
            ($d:ident, $a:ident, $b:ident, $op:ident) => {{
                let (x, y) = (self.wide($a), self.int($b));
                let value = self.b.ins().$op(x, y);
                self.values.set_wide($d, value);
            }};
        }
        macro_rules! bits {
            ($d:ident, $a:ident, $b:ident, $op:ident) => {
                if self.narrow($a, $b) { with32!($d, $a, $b, $op) } else { with64!($d, $a, $b, $op) }
            };
        }
        macro_rules! float32 {
            ($d:ident, $a:ident, $b:ident, $op:ident) => {{
                let (x, y) = self.singles($a, $b);
                let value = self.b.ins().$op(x, y);
                self.values.set_single($d, value);
            }};
        }
        macro_rules! float64 {
            ($d:ident, $a:ident, $b:ident, $op:ident) => {{
                let (x, y) = self.doubles($a, $b);
                let value = self.b.ins().$op(x, y);
                self.values.set_double($d, value);
            }};
        }
        macro_rules! flag {
            ($d:ident, $value:expr) => {{
                let value = $value;
                self.values.set_flag($d, value);
            }};
        }
        macro_rules! test32 {
            ($d:ident, $a:ident, $b:ident, $cc:ident) => {{
                let (x, y) = self.singles($a, $b);
                flag!($d, self.b.ins().fcmp(FloatCC::$cc, x, y))
            }};
        }
        macro_rules! test64 {
            ($d:ident, $a:ident, $b:ident, $cc:ident) => {{
                let (x, y) = self.doubles($a, $b);
                flag!($d, self.b.ins().fcmp(FloatCC::$cc, x, y))
            }};
        }
        macro_rules! mask {
            ($d:ident, $a:ident, $mask:literal) => {{
                let x = self.int($a);
                let value = self.b.ins().band_imm_u(x, $mask);
                self.values.set_int($d, value);
            }};
        }
        macro_rules! extend {
            ($d:ident, $a:ident, $from:ident) => {{
                let x = self.int($a);
                let x = self.b.ins().ireduce(types::$from, x);
                let value = self.b.ins().sextend(types::I64, x);
                self.values.set_wide($d, value);
            }};
        }
        match *ins {
            Ins::Move { d, a } => self.values.copy(&mut self.b, d, a),
            Ins::Add32 { d, a, b } => with32!(d, a, b, iadd),
            Ins::Sub32 { d, a, b } => with32!(d, a, b, isub),
            Ins::Mul32 { d, a, b } => with32!(d, a, b, imul),
            Ins::Shl32 { d, a, b } => with32!(d, a, b, ishl),
            Ins::LShr32 { d, a, b } => with32!(d, a, b, ushr),
            Ins::AShr32 { d, a, b } => with32!(d, a, b, sshr),
            Ins::Add64 { d, a, b } => with64!(d, a, b, iadd),
            Ins::Sub64 { d, a, b } => with64!(d, a, b, isub),
            Ins::Mul64 { d, a, b } => with64!(d, a, b, imul),
            Ins::Shl64 { d, a, b } => shift64!(d, a, b, ishl),
            Ins::LShr64 { d, a, b } => shift64!(d, a, b, ushr),
            Ins::AShr64 { d, a, b } => shift64!(d, a, b, sshr),
            Ins::And { d, a, b } => {
                // One whose upper half is zero is enough.
                if self.values.narrow(&mut self.b, a) || self.values.narrow(&mut self.b, b) {
                    with32!(d, a, b, band)
                } else {
                    with64!(d, a, b, band)
                }
            }
            Ins::Or { d, a, b } => bits!(d, a, b, bor),
            Ins::Xor { d, a, b } => bits!(d, a, b, bxor),
            Ins::SDiv32 { .. } | Ins::SRem32 { .. } | Ins::SDiv64 { .. } | Ins::SRem64 { .. }
            | Ins::UDiv { .. } | Ins::URem { .. } => self.divide(ins),
            Ins::Mask8 { d, a } => mask!(d, a, 0xff),
            Ins::Mask16 { d, a } => mask!(d, a, 0xffff),
            Ins::Mask32 { d, a } => {
                let value = self.int(a);
                self.values.set_int(d, value);
            }
            Ins::SExt8 { d, a } => extend!(d, a, I8),
            Ins::SExt16 { d, a } => extend!(d, a, I16),
            Ins::SExt32 { d, a } => {
                let value = self.signed(a);
                self.values.set_wide(d, value);
            }
            Ins::FAdd32 { d, a, b } => float32!(d, a, b, fadd),
            Ins::FSub32 { d, a, b } => float32!(d, a, b, fsub),
            Ins::FMul32 { d, a, b } => float32!(d, a, b, fmul),
            Ins::FDiv32 { d, a, b } => float32!(d, a, b, fdiv),
            Ins::FAdd64 { d, a, b } => float64!(d, a, b, fadd),
            Ins::FSub64 { d, a, b } => float64!(d, a, b, fsub),
            Ins::FMul64 { d, a, b } => float64!(d, a, b, fmul),
            Ins::FDiv64 { d, a, b } => float64!(d, a, b, fdiv),
            Ins::Eq { d, a, b } => flag!(d, self.values.compare(&mut self.b, IntCC::Equal, a, b)),
            Ins::Ne { d, a, b } => flag!(d, self.values.compare(&mut self.b, IntCC::NotEqual, a, b)),
            Ins::ULt { d, a, b } => flag!(d, self.values.compare(&mut self.b, IntCC::UnsignedLessThan, a, b)),
            Ins::ULe { d, a, b } => flag!(d, self.values.compare(&mut self.b, IntCC::UnsignedLessThanOrEqual, a, b)),
            Ins::SLt32 { d, a, b } => flag!(d, self.compare32(IntCC::SignedLessThan, a, b)),
            Ins::SLe32 { d, a, b } => flag!(d, self.compare32(IntCC::SignedLessThanOrEqual, a, b)),
            Ins::SLt64 { d, a, b } => flag!(d, self.compare64(IntCC::SignedLessThan, a, b)),
            Ins::SLe64 { d, a, b } => flag!(d, self.compare64(IntCC::SignedLessThanOrEqual, a, b)),
            Ins::FEq32 { d, a, b } => test32!(d, a, b, Equal),
            Ins::FNe32 { d, a, b } => test32!(d, a, b, NotEqual),
            Ins::FLt32 { d, a, b } => test32!(d, a, b, LessThan),
            Ins::FLe32 { d, a, b } => test32!(d, a, b, LessThanOrEqual),
            Ins::FOrd32 { d, a, b } => test32!(d, a, b, Ordered),
            Ins::FEq64 { d, a, b } => test64!(d, a, b, Equal),
            Ins::FNe64 { d, a, b } => test64!(d, a, b, NotEqual),
            Ins::FLt64 { d, a, b } => test64!(d, a, b, LessThan),
            Ins::FLe64 { d, a, b } => test64!(d, a, b, LessThanOrEqual),
            Ins::FOrd64 { d, a, b } => test64!(d, a, b, Ordered),
            Ins::Select { d, c, a, b } => {
                let c = self.values.truth(&mut self.b, c);
                self.values.select(&mut self.b, d, (c, a, b));
            }
            Ins::ExtractDyn { d, a, index, n } => self.extract(d, a, index, n),
            Ins::InsertDyn { d, a, index, n } => self.insert(d, a, index, n),
            Ins::PtrAdd { d, a, index, scale, disp } => {
                let index = self.wide(index);
                let value = self.address(a, Some((index, scale)), disp);
                self.values.set_wide(d, value);
            }
            Ins::PtrAddS { d, a, index, scale, disp } => {
                let index = self.signed(index);
                let value = self.address(a, Some((index, scale)), disp);
                self.values.set_wide(d, value);
            }
            Ins::Convert { d, a, conversion } => {
                let conversion = &self.kernel.conversions[usize::from(conversion)];
                if !self.convert(d, a, *conversion) {
                    let conversion = self.number(&raw const *conversion as u64);
                    let a = self.wide(a);
                    let value = self.call(helper!(convert), &[conversion, a]);
                    self.values.set_wide(d, value);
                }
            }
            Ins::Call1 { d, a, f } => {
                if !self.inline(d, &[a], self.kernel.meanings1[usize::from(f)]) {
                    let f = self.number(&raw const self.kernel.fns1[usize::from(f)] as u64);
                    let a = self.wide(a);
                    let value = self.call(helper!(call1), &[f, a]);
                    self.values.set_wide(d, value);
                }
            }
            Ins::Call2 { d, a, b, f } => {
                if !self.inline(d, &[a, b], self.kernel.meanings2[usize::from(f)]) {
                    let f = self.number(&raw const self.kernel.fns2[usize::from(f)] as u64);
                    let (a, b) = self.wides(a, b);
                    let value = self.call(helper!(call2), &[f, a, b]);
                    self.values.set_wide(d, value);
                }
            }
            Ins::Call3 { d, a, b, c, f } => {
                if !self.inline(d, &[a, b, c], self.kernel.meanings3[usize::from(f)]) {
                    let f = self.number(&raw const self.kernel.fns3[usize::from(f)] as u64);
                    let (a, b) = self.wides(a, b);
                    let c = self.wide(c);
                    let value = self.call(helper!(call3), &[f, a, b, c]);
                    self.values.set_wide(d, value);
                }
            }
            Ins::Query { d, dim, query: _ } => {
                let dim = self.wide(dim);
                let pc = self.number(self.pc.into());
                let value = self.call(helper!(query), &[self.context, pc, dim]);
                self.values.set_wide(d, value);
            }
            Ins::ToSpace { d, a, space: _ } => {
                let a = self.wide(a);
                let pc = self.number(self.pc.into());
                let value = self.call(helper!(to_space), &[self.context, pc, a]);
                self.values.set_wide(d, value);
            }
            _ => self.access(ins),
        }
    }

    /// The low half of a slot, sign-extended.
    pub(super) fn signed(&mut self, slot: Slot) -> Value {
        let value = self.int(slot);
        self.b.ins().sextend(types::I64, value)
    }

    /// `a + index * scale + disp`.
    pub(super) fn address(&mut self, a: Slot, index: Option<(Value, u32)>, disp: i32) -> Value {
        let mut value = self.wide(a);
        if let Some((index, scale)) = index {
            let index = match scale {
                1 => index,
                _ => self.b.ins().imul_imm_s(index, i64::from(scale)),
            };
            value = self.b.ins().iadd(value, index);
        }
        match disp {
            0 => value,
            _ => self.b.ins().iadd_imm_s(value, i64::from(disp)),
        }
    }

    /// The place of an index among `n` elements.
    fn lane(&mut self, index: Slot, n: u16) -> Value {
        let index = self.wide(index);
        if n.is_power_of_two() {
            self.b.ins().band_imm_u(index, i64::from(n) - 1)
        } else {
            let n = self.number(n.into());
            self.b.ins().urem(index, n)
        }
    }

    fn extract(&mut self, d: Slot, a: Slot, index: Slot, n: u16) {
        let lane = self.lane(index, n);
        let mut value = self.wide(a);
        for i in 1..n {
            let other = self.wide(a + i as Slot);
            let is_it = self.b.ins().icmp_imm_u(IntCC::Equal, lane, i64::from(i));
            value = self.b.ins().select(is_it, other, value);
        }
        self.values.set_wide(d, value);
    }

    fn insert(&mut self, d: Slot, a: Slot, index: Slot, n: u16) {
        let lane = self.lane(index, n);
        let new = self.wide(a);
        for i in 0..n {
            let old = self.wide(d + i as Slot);
            let is_it = self.b.ins().icmp_imm_u(IntCC::Equal, lane, i64::from(i));
            let value = self.b.ins().select(is_it, new, old);
            self.values.set_wide(d + i as Slot, value);
        }
    }

    /// Integer division and remainder. By zero they trap, or the quotient is zero and the
    /// remainder the dividend; the least number by -1 gives itself, and remainder zero.
    #[rustfmt::skip]
    fn divide(&mut self, ins: &Ins) {
        let (d, a, b, is_signed, is_rem, narrow) = match *ins {
            Ins::SDiv32 { d, a, b } => (d, a, b, true, false, true),
            Ins::SRem32 { d, a, b } => (d, a, b, true, true, true),
            Ins::SDiv64 { d, a, b } => (d, a, b, true, false, false),
            Ins::SRem64 { d, a, b } => (d, a, b, true, true, false),
            Ins::UDiv { d, a, b } => (d, a, b, false, false, self.narrow(a, b)),
            Ins::URem { d, a, b } => (d, a, b, false, true, self.narrow(a, b)),
            _ => unreachable!("a division"),
        };
        let ty = if narrow { types::I32 } else { types::I64 };
        let constant = self.values.constant(b);
        let (x, y) = if narrow { self.ints(a, b) } else { self.wides(a, b) };
        let is_zero = constant.map(|bits| if narrow { bits as u32 == 0 } else { bits == 0 });
        let join = self.new_block(false);
        let result = self.b.append_block_param(join, ty);
        if is_zero != Some(false) {
            let (zero, divide) = (self.new_block(true), self.new_block(false));
            self.b.ins().brif(y, divide, &[], zero, &[]);
            self.go_on(zero);
            let offset = offset_of!(Context, divides_by_zero) as i32;
            let goes_on = self.b.ins().load(types::I64, constant_memory(), self.context, offset);
            let value = if is_rem { x } else { self.b.ins().iconst(ty, 0) };
            self.unless(goes_on, Left::Zero, join, &[value.into()]);
            self.go_on(divide);
        }
        let minus_one = if narrow { i64::from(u32::MAX) } else { -1 };
        let value = if is_signed {
            // The processor traps where the quotient overflows.
            let minus_one = self.b.ins().iconst(ty, minus_one);
            let is_minus_one = self.b.ins().icmp(IntCC::Equal, y, minus_one);
            let one = self.b.ins().iconst(ty, 1);
            let divisor = self.b.ins().select(is_minus_one, one, y);
            if is_rem {
                self.b.ins().srem(x, divisor)
            } else {
                let quotient = self.b.ins().sdiv(x, divisor);
                let negated = self.b.ins().ineg(x);
                self.b.ins().select(is_minus_one, negated, quotient)
            }
        } else if is_rem {
            self.b.ins().urem(x, y)
        } else {
            self.b.ins().udiv(x, y)
        };
        self.b.ins().jump(join, &[value.into()]);
        self.go_on(join);
        self.values.set(d, ty, result);
    }
}
