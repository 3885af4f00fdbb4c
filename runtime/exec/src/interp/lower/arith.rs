//! Arithmetic, conversions, vectors.
//!
//! Operations on vectors become operations on their elements. The destination
//! may be one of the operands, so an element is written only after everything
//! that its instruction still needs was read: elementwise operations read the
//! element that they write, the others work in scratch slots then.

use super::analysis::keeps_bits;
use super::function::Lowering;
use crate::interp::code::{Fill, Ins, Slot};
use crate::scalar::convert::{self, Conversion};
use crate::scalar::math::{Function, Meaning};
use touchstone_faults::{Fault, on};
use touchstone_ir::{
    FloatOp, IntOp, NumKind, Op, Operand, Reg, Rounding, Scalar, Type, UnaryOp, accesses,
};

impl Lowering<'_> {
    pub(super) fn element(&self, ty: Type) -> Scalar {
        ty.element().unwrap_or(Scalar::I64)
    }

    pub(super) fn arith(&mut self, op: &Op, dst: Reg) {
        let ty = self.reg_type(dst);
        let lanes = ty.lanes();
        let target = self.element(ty);
        match op {
            Op::Copy(value) | Op::PtrCast(value) => {
                let a = self.operand(*value);
                let d = self.home(dst);
                self.moves(d, a, lanes);
            }
            Op::Int(op, a, b) => {
                let (a, b) = (self.operand(*a), self.operand(*b));
                let d = self.home(dst);
                self.each(lanes, |l, i| l.int(*op, target, d + i, a + i, b + i));
            }
            Op::Float(op, a, b) => {
                let (a, b) = (self.operand(*a), self.operand(*b));
                let d = self.home(dst);
                self.each(lanes, |l, i| l.float(*op, target, d + i, a + i, b + i));
            }
            Op::Unary(op, a) => {
                let a = self.operand(*a);
                let d = self.home(dst);
                self.each(lanes, |l, i| l.unary(*op, target, d + i, a + i));
            }
            Op::Compare(cmp, a, b) => {
                let source = self.element(self.type_of(*a));
                let (a, b) = (self.operand(*a), self.operand(*b));
                let d = self.home(dst);
                self.each(lanes, |l, i| {
                    l.compare(*cmp, source, d + i, a + i, b + i);
                    l.spread(ty, d + i);
                });
            }
            Op::Convert {
                value,
                from,
                to,
                rounding,
                saturate,
            } => {
                let source = self.element(self.type_of(*value));
                let a = self.operand(*value);
                let d = self.home(dst);
                let conversion = Conversion {
                    from: (*from, source),
                    to: (*to, target),
                    rounding: *rounding,
                    saturate: *saturate,
                };
                self.each(lanes, |l, i| l.convert(conversion, d + i, a + i));
            }
            Op::Bitcast(value) => self.bitcast(*value, dst),
            Op::Select(c, a, b) => {
                let condition = self.type_of(*c);
                let (c, a, b) = (self.operand(*c), self.operand(*a), self.operand(*b));
                let d = self.home(dst);
                self.each(lanes, |l, i| {
                    let c = match condition {
                        Type::Vector(element, _) => l.top_bit(element, c + i),
                        Type::Scalar(_) | Type::Pointer(_) => c,
                    };
                    l.e.emit(Ins::Select {
                        d: d + i,
                        c,
                        a: a + i,
                        b: b + i,
                    });
                });
            }
            Op::Splat(value) => {
                let a = self.operand(*value);
                let d = self.home(dst);
                self.each(lanes, |l, i| l.e.emit(Ins::Move { d: d + i, a }));
            }
            Op::Construct(elements) => {
                let parts: Vec<Slot> = elements.iter().map(|&o| self.operand(o)).collect();
                self.assemble(dst, &parts);
            }
            Op::Extract(vector, index) => self.extract(*vector, *index, dst),
            Op::Insert(vector, index, value) => self.insert(*vector, *index, *value, dst),
            Op::Shuffle(a, b, mask) => {
                let n = self.type_of(*a).lanes() as Slot;
                let (a, b) = (self.operand(*a), self.operand(*b));
                let parts: Vec<Slot> = mask
                    .iter()
                    .map(|&m| {
                        let m = Slot::from(m);
                        if m < n { a + m } else { b + (m - n) }
                    })
                    .collect();
                self.assemble(dst, &parts);
            }
            Op::Query { query, dim } => {
                // What is asked of a dimension that is known is the same all the time: an item starts with it.
                let known = match dim {
                    Some(Operand::Reg(reg)) => Err(*reg),
                    Some(Operand::Const(c)) => Ok(c.bits().min(3) as u8),
                    None => Ok(0),
                };
                let ins = match known {
                    Ok(dim) => {
                        let a = self.e.fill(Fill::Query(*query, dim));
                        let d = self.home(dst);
                        Ins::Move { d, a }
                    }
                    Err(reg) => {
                        let (query, dim) = (*query, self.operand(reg.into()));
                        let d = self.home(dst);
                        Ins::Query { d, dim, query }
                    }
                };
                self.e.emit(ins);
            }
            Op::Intrinsic(intrinsic, args) => self.intrinsic(*intrinsic, args, dst),
            accesses!()
            | Op::SlotAddr(_)
            | Op::GlobalAddr(_)
            | Op::LocalAddr(_)
            | Op::PtrAdd { .. }
            | Op::ToSpace(_)
            | Op::Fence { .. }
            | Op::Barrier { .. }
            | Op::Collective { .. }
            | Op::Device { .. }
            | Op::Printf { .. }
            | Op::Call { .. } => unreachable!("not arithmetic"),
        }
    }

    fn extract(&mut self, vector: Operand, index: Operand, dst: Reg) {
        let n = self.type_of(vector).lanes();
        let a = self.operand(vector);
        match index {
            Operand::Const(c) => {
                let lane = (c.bits() % u64::from(n)) as Slot;
                let d = self.home(dst);
                self.moves(d, a + lane, 1);
            }
            Operand::Reg(_) => {
                let index = self.operand(index);
                let d = self.home(dst);
                let n = n as u16;
                self.e.emit(Ins::ExtractDyn { d, a, index, n });
            }
        }
    }

    fn insert(&mut self, vector: Operand, index: Operand, value: Operand, dst: Reg) {
        let lanes = self.reg_type(dst).lanes();
        let v = self.operand(vector);
        let a = self.operand(value);
        let slot = self.operand(index);
        let d = self.home(dst);
        self.moves(d, v, lanes);
        match index {
            Operand::Const(c) => {
                let lane = (c.bits() % u64::from(lanes)) as Slot;
                self.moves(d + lane, a, 1);
            }
            Operand::Reg(_) => {
                let (index, n) = (slot, lanes as u16);
                self.e.emit(Ins::InsertDyn { d, a, index, n });
            }
        }
    }

    pub(super) fn each(&mut self, lanes: u32, mut f: impl FnMut(&mut Self, Slot)) {
        for lane in 0..lanes as Slot {
            f(self, lane);
        }
    }

    /// Moves parts, which may lie in the destination, into the destination.
    fn assemble(&mut self, dst: Reg, parts: &[Slot]) {
        let d = self.home(dst);
        let here = d..d + parts.len() as Slot;
        let at = if parts.iter().any(|p| here.contains(p)) {
            self.scratch(parts.len() as u32)
        } else {
            d
        };
        for (i, &a) in parts.iter().enumerate() {
            self.e.emit(Ins::Move {
                d: at + i as Slot,
                a,
            });
        }
        self.moves(d, at, parts.len() as u32);
    }

    /// Clears the bits above an integer's width.
    pub(super) fn mask(&mut self, scalar: Scalar, d: Slot, a: Slot) {
        match scalar {
            Scalar::Bool => {
                let b = self.e.constant(1);
                self.e.emit(Ins::And { d, a, b });
            }
            Scalar::I8 => self.e.emit(Ins::Mask8 { d, a }),
            Scalar::I16 | Scalar::F16 => self.e.emit(Ins::Mask16 { d, a }),
            Scalar::I32 | Scalar::F32 => self.e.emit(Ins::Mask32 { d, a }),
            Scalar::I64 | Scalar::F64 => self.moves(d, a, 1),
        }
    }

    /// The signed value in 64 bits.
    pub(super) fn widen(&mut self, scalar: Scalar, a: Slot) -> Slot {
        let d = self.scratch(1);
        self.e.emit(match scalar {
            Scalar::I8 if on(Fault::NarrowSignLost) => return a,
            Scalar::I8 => Ins::SExt8 { d, a },
            Scalar::I16 | Scalar::F16 => Ins::SExt16 { d, a },
            Scalar::I32 | Scalar::F32 => Ins::SExt32 { d, a },
            Scalar::Bool | Scalar::I64 | Scalar::F64 => return a,
        });
        d
    }

    /// An operand's signed value in 64 bits.
    pub(super) fn sign_extended(&mut self, operand: Operand, element: Option<Scalar>) -> Slot {
        let a = self.operand(operand);
        self.widen(element.unwrap_or(Scalar::I64), a)
    }

    fn int(&mut self, op: IntOp, scalar: Scalar, d: Slot, a: Slot, b: Slot) {
        match scalar {
            Scalar::I32 | Scalar::F32 => self.int_of(true, op, d, a, b),
            Scalar::I64 | Scalar::F64 => self.int_of(false, op, d, a, b),
            Scalar::Bool | Scalar::I8 | Scalar::I16 | Scalar::F16 => {
                self.narrow(op, scalar, d, a, b);
            }
        }
    }

    /// Integers of 32 bits, or of 64.
    fn int_of(&mut self, single: bool, op: IntOp, d: Slot, a: Slot, b: Slot) {
        self.e.emit(match (op, single) {
            (IntOp::Add, true) => Ins::Add32 { d, a, b },
            (IntOp::Sub, true) => Ins::Sub32 { d, a, b },
            (IntOp::Mul, true) => Ins::Mul32 { d, a, b },
            (IntOp::SDiv, true) => Ins::SDiv32 { d, a, b },
            (IntOp::SRem, true) => Ins::SRem32 { d, a, b },
            (IntOp::Shl, true) => Ins::Shl32 { d, a, b },
            (IntOp::AShr, true) if on(Fault::ShiftFillsZeros) => Ins::LShr32 { d, a, b },
            (IntOp::AShr, true) => Ins::AShr32 { d, a, b },
            (IntOp::LShr, true) => Ins::LShr32 { d, a, b },
            (IntOp::Add, false) => Ins::Add64 { d, a, b },
            (IntOp::Sub, false) => Ins::Sub64 { d, a, b },
            (IntOp::Mul, false) => Ins::Mul64 { d, a, b },
            (IntOp::SDiv, false) => Ins::SDiv64 { d, a, b },
            (IntOp::SRem, false) => Ins::SRem64 { d, a, b },
            (IntOp::Shl, false) => Ins::Shl64 { d, a, b },
            (IntOp::AShr, false) => Ins::AShr64 { d, a, b },
            (IntOp::LShr, false) => Ins::LShr64 { d, a, b },
            (IntOp::UDiv, _) => Ins::UDiv { d, a, b },
            (IntOp::URem, _) => Ins::URem { d, a, b },
            (IntOp::And, _) => Ins::And { d, a, b },
            (IntOp::Or, _) => Ins::Or { d, a, b },
            (IntOp::Xor, _) => Ins::Xor { d, a, b },
        });
    }

    /// Integers below 32 bits are computed in 64 and cut.
    fn narrow(&mut self, op: IntOp, scalar: Scalar, d: Slot, a: Slot, b: Slot) {
        match op {
            IntOp::And | IntOp::Or | IntOp::Xor | IntOp::UDiv | IntOp::URem => {
                self.int_of(false, op, d, a, b);
            }
            IntOp::Add | IntOp::Sub | IntOp::Mul => {
                let t = self.scratch(1);
                self.int_of(false, op, t, a, b);
                self.mask(scalar, d, t);
            }
            IntOp::Shl | IntOp::AShr | IntOp::LShr => {
                let count = self.scratch(1);
                let modulus = if on(Fault::LaneShiftWide) {
                    32
                } else {
                    scalar.bits()
                };
                let bits = self.e.constant(u64::from(modulus) - 1);
                self.e.emit(Ins::And {
                    d: count,
                    a: b,
                    b: bits,
                });
                let a = if op == IntOp::AShr {
                    self.widen(scalar, a)
                } else {
                    a
                };
                let t = self.scratch(1);
                self.int_of(false, op, t, a, count);
                self.mask(scalar, d, t);
            }
            IntOp::SDiv | IntOp::SRem => {
                let (a, b) = (self.widen(scalar, a), self.widen(scalar, b));
                let t = self.scratch(1);
                self.int_of(false, op, t, a, b);
                self.mask(scalar, d, t);
            }
        }
    }

    fn float(&mut self, op: FloatOp, scalar: Scalar, d: Slot, a: Slot, b: Slot) {
        match scalar {
            Scalar::F64 => self.e.emit(match op {
                FloatOp::Add => Ins::FAdd64 { d, a, b },
                FloatOp::Sub => Ins::FSub64 { d, a, b },
                FloatOp::Mul => Ins::FMul64 { d, a, b },
                FloatOp::Div => Ins::FDiv64 { d, a, b },
            }),
            Scalar::F16 => {
                // The sum, product or quotient of halves, rounded to single and
                // then to half, is correctly rounded: 24 >= 2 * 11 + 2.
                let (a, b) = (self.half_to_single(a), self.half_to_single(b));
                let t = self.scratch(1);
                self.float(op, Scalar::F32, t, a, b);
                self.convert(HALF_FROM_SINGLE, d, t);
            }
            Scalar::F32 | Scalar::Bool | Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64 => {
                self.e.emit(match op {
                    FloatOp::Add => Ins::FAdd32 { d, a, b },
                    FloatOp::Sub => Ins::FSub32 { d, a, b },
                    FloatOp::Mul => Ins::FMul32 { d, a, b },
                    FloatOp::Div => Ins::FDiv32 { d, a, b },
                })
            }
        }
    }

    pub(super) fn half_to_single(&mut self, a: Slot) -> Slot {
        let d = self.scratch(1);
        self.convert(SINGLE_FROM_HALF, d, a);
        d
    }

    pub(super) fn unary(&mut self, op: UnaryOp, scalar: Scalar, d: Slot, a: Slot) {
        match op {
            // Of integers so narrow only lanes are negated as they are.
            UnaryOp::Neg
                if matches!(scalar, Scalar::I8 | Scalar::I16)
                    && on(Fault::LaneNegationComplements) =>
            {
                let b = self.e.constant(scalar.mask());
                self.e.emit(Ins::Xor { d, a, b });
            }
            UnaryOp::Neg => {
                let zero = self.e.constant(0);
                self.int(IntOp::Sub, scalar, d, zero, a);
            }
            UnaryOp::Not => {
                let b = self.e.constant(scalar.mask());
                self.e.emit(Ins::Xor { d, a, b });
            }
            UnaryOp::FNeg => {
                let b = self.e.constant(1 << (scalar.bits() - 1));
                self.e.emit(Ins::Xor { d, a, b });
            }
        }
    }

    /// 0 or 1 from the top bit of an integer.
    pub(super) fn top_bit(&mut self, element: Scalar, a: Slot) -> Slot {
        if element == Scalar::Bool {
            return a;
        }
        let d = self.scratch(1);
        let b = self.e.constant(u64::from(element.bits()) - 1);
        self.e.emit(Ins::LShr64 { d, a, b });
        d
    }

    fn convert(&mut self, c: Conversion, d: Slot, a: Slot) {
        let ((from, source), (to, target)) = (c.from, c.to);
        if keeps_bits(c.from, c.to, c.saturate) {
            return self.moves(d, a, 1);
        }
        let integers = from != NumKind::Float && to != NumKind::Float;
        if integers && !c.saturate {
            if target == Scalar::Bool {
                let b = self.e.constant(0);
                self.e.emit(Ins::Ne { d, a, b });
            } else if target.bits() <= source.bits() {
                self.mask(target, d, a);
            } else {
                // Wider, and signed: unsigned numbers keep their bits.
                let t = self.widen(source, a);
                self.mask(target, d, t);
            }
            return;
        }
        if let Some(f) = convert::direct(&c) {
            let meaning = Meaning::Conversion(c);
            let f = self.e.function(Function::One(f), meaning);
            self.e.emit(Ins::Call1 { d, a, f });
            return;
        }
        let conversion = self.e.conversion(c);
        self.e.emit(Ins::Convert { d, a, conversion });
    }

    fn bitcast(&mut self, value: Operand, dst: Reg) {
        let (from, to) = (self.type_of(value), self.reg_type(dst));
        let a = self.operand(value);
        let d = self.home(dst);
        let (from_size, to_size) = (self.element(from).size(), self.element(to).size());
        if from_size == to_size {
            return self.moves(d, a, to.lanes().min(from.lanes()));
        }
        // Put together, or take apart, the bytes of elements.
        let result = self.scratch(to.lanes());
        for lane in 0..to.lanes() {
            let out = result + lane as Slot;
            if to_size > from_size {
                let parts = to_size / from_size;
                let zero = self.e.constant(0);
                self.moves(out, zero, 1);
                for part in 0..parts {
                    let source = lane * parts + part;
                    if source >= from.lanes() {
                        break;
                    }
                    let t = self.scratch(1);
                    let by = self.e.constant(u64::from(part * from_size * 8));
                    self.e.emit(Ins::Shl64 {
                        d: t,
                        a: a + source as Slot,
                        b: by,
                    });
                    self.e.emit(Ins::Or {
                        d: out,
                        a: out,
                        b: t,
                    });
                }
            } else {
                let parts = from_size / to_size;
                let source = lane / parts;
                let t = self.scratch(1);
                let by = self.e.constant(u64::from(lane % parts * to_size * 8));
                self.e.emit(Ins::LShr64 {
                    d: t,
                    a: a + source as Slot,
                    b: by,
                });
                let element = self.element(to);
                self.mask(element, out, t);
            }
        }
        self.moves(d, result, to.lanes());
    }
}

const SINGLE_FROM_HALF: Conversion = Conversion {
    from: (NumKind::Float, Scalar::F16),
    to: (NumKind::Float, Scalar::F32),
    rounding: Rounding::Default,
    saturate: false,
};

const HALF_FROM_SINGLE: Conversion = Conversion {
    from: (NumKind::Float, Scalar::F32),
    to: (NumKind::Float, Scalar::F16),
    rounding: Rounding::Default,
    saturate: false,
};
