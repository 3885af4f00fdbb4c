//! The values of a slot in the form that is asked for: lanes of some type, a mask, or what one of the items has.

use super::super::translate::Translator;
use super::lanes::{Cell, as_lanes, lane_type};
use super::shape::Shape;
use super::{LANES, NARROW, WIDE};
use crate::interp::code::Slot;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Type, Value, types};

impl Translator<'_> {
    /// Constant lanes of 32 bits, from one on: so many times a number.
    fn steps32(&mut self, by: i64, first: u32) -> Value {
        let mut bytes = Vec::new();
        for lane in first..first + 4 {
            bytes.extend((by as u32).wrapping_mul(lane).to_le_bytes());
        }
        let constant = self.b.func.dfg.constants.insert(bytes.into());
        self.b.ins().vconst(types::I32X4, constant)
    }

    fn steps64(&mut self, by: i64, first: u64) -> Value {
        let mut bytes = Vec::new();
        for lane in first..first + 2 {
            bytes.extend((by as u64).wrapping_mul(lane).to_le_bytes());
        }
        let constant = self.b.func.dfg.constants.insert(bytes.into());
        self.b.ins().vconst(types::I64X2, constant)
    }

    /// The low 32 bits of each.
    pub(super) fn int_lanes(&mut self, slot: Slot) -> [Value; NARROW] {
        let cell = self.lane_cell(slot);
        if let Some(ints) = cell.ints {
            return ints;
        }
        let ints = match self.lanes.shape(slot) {
            Shape::Even(by) => {
                let first = self.values.int(&mut self.b, slot);
                let first = self.b.ins().splat(types::I32X4, first);
                match by as u32 {
                    0 => [first; NARROW],
                    _ => std::array::from_fn(|n| {
                        let steps = self.steps32(by, 4 * n as u32);
                        self.b.ins().iadd(first, steps)
                    }),
                }
            }
            Shape::Any => match cell {
                Cell {
                    singles: Some(singles),
                    ..
                } => singles.map(|x| self.b.ins().bitcast(types::I32X4, as_lanes(), x)),
                Cell {
                    mask: Some(mask), ..
                } => mask.map(|x| self.b.ins().ushr_imm_u(x, 31)),
                _ => {
                    let wides = self.wide_lanes(slot);
                    std::array::from_fn(|n| self.low_halves(wides[2 * n], wides[2 * n + 1]))
                }
            },
        };
        self.lanes.change(slot, |cell| cell.ints = Some(ints));
        ints
    }

    /// The low halves of the lanes of two registers.
    pub(super) fn low_halves(&mut self, x: Value, y: Value) -> Value {
        let [x, y] = [x, y].map(|x| self.b.ins().bitcast(types::I8X16, as_lanes(), x));
        let picked = [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27];
        let picked = self.b.func.dfg.immediates.push(Vec::from(picked).into());
        let halves = self.b.ins().shuffle(x, y, picked);
        self.b.ins().bitcast(types::I32X4, as_lanes(), halves)
    }

    /// The low 32 bits of each as floats.
    pub(super) fn single_lanes(&mut self, slot: Slot) -> [Value; NARROW] {
        let cell = self.lane_cell(slot);
        if let Some(singles) = cell.singles {
            return singles;
        }
        let singles = if self.lanes.shape(slot) == Shape::SAME {
            let single = self.values.single(&mut self.b, slot);
            [self.b.ins().splat(types::F32X4, single); NARROW]
        } else {
            let ints = self.int_lanes(slot);
            ints.map(|x| self.b.ins().bitcast(types::F32X4, as_lanes(), x))
        };
        self.lanes.change(slot, |cell| cell.singles = Some(singles));
        singles
    }

    /// All bits of each.
    pub(super) fn wide_lanes(&mut self, slot: Slot) -> [Value; WIDE] {
        let cell = self.lane_cell(slot);
        if let Some(wides) = cell.wides {
            return wides;
        }
        let wides = if let Some(doubles) = cell.doubles {
            doubles.map(|x| self.b.ins().bitcast(types::I64X2, as_lanes(), x))
        } else if self.lanes_narrow(slot) && self.lanes.shape(slot) != Shape::SAME {
            let ints = self.int_lanes(slot);
            std::array::from_fn(|n| match n % 2 {
                0 => self.b.ins().uwiden_low(ints[n / 2]),
                _ => self.b.ins().uwiden_high(ints[n / 2]),
            })
        } else {
            let by = match self.lanes.shape(slot) {
                Shape::Even(by) => by,
                Shape::Any => unreachable!("lanes of 64 bits have a form"),
            };
            let first = self.values.wide(&mut self.b, slot);
            let first = self.b.ins().splat(types::I64X2, first);
            std::array::from_fn(|n| match by {
                0 => first,
                _ => {
                    let steps = self.steps64(by, 2 * n as u64);
                    self.b.ins().iadd(first, steps)
                }
            })
        };
        self.lanes.change(slot, |cell| cell.wides = Some(wides));
        wides
    }

    /// All bits of each as doubles.
    pub(super) fn double_lanes(&mut self, slot: Slot) -> [Value; WIDE] {
        let cell = self.lane_cell(slot);
        if let Some(doubles) = cell.doubles {
            return doubles;
        }
        let doubles = if self.lanes.shape(slot) == Shape::SAME {
            let double = self.values.double(&mut self.b, slot);
            [self.b.ins().splat(types::F64X2, double); WIDE]
        } else {
            let wides = self.wide_lanes(slot);
            wides.map(|x| self.b.ins().bitcast(types::F64X2, as_lanes(), x))
        };
        self.lanes.change(slot, |cell| cell.doubles = Some(doubles));
        doubles
    }

    /// All ones where a slot is not zero, else zero.
    pub(super) fn mask_lanes(&mut self, slot: Slot) -> [Value; NARROW] {
        let cell = self.lane_cell(slot);
        if let Some(mask) = cell.mask {
            return mask;
        }
        if self.lanes_narrow(slot) {
            let zero = self.steps32(0, 0);
            let ints = self.int_lanes(slot);
            return ints.map(|x| self.b.ins().icmp(IntCC::NotEqual, x, zero));
        }
        let zero = self.steps64(0, 0);
        let wides = self.wide_lanes(slot);
        let masks = wides.map(|x| self.b.ins().icmp(IntCC::NotEqual, x, zero));
        std::array::from_fn(|n| self.low_halves(masks[2 * n], masks[2 * n + 1]))
    }

    /// Lanes of a type.
    pub(super) fn typed_lanes(&mut self, slot: Slot, ty: Type) -> Vec<Value> {
        match ty {
            types::F32 => self.single_lanes(slot).to_vec(),
            types::I64 => self.wide_lanes(slot).to_vec(),
            types::F64 => self.double_lanes(slot).to_vec(),
            _ => self.int_lanes(slot).to_vec(),
        }
    }

    /// The type in which lanes are there.
    pub(super) fn form_of(&mut self, slot: Slot) -> Type {
        let is_narrow = self.lanes_narrow(slot);
        let cell = self.lane_cell(slot);
        match is_narrow {
            true if cell.ints.is_none() && cell.singles.is_some() => types::F32,
            true => types::I32,
            false if cell.wides.is_none() && cell.doubles.is_some() => types::F64,
            false => types::I64,
        }
    }

    /// What one of the items has in a slot, as scalar code has it.
    pub(super) fn one_lane(&mut self, slot: Slot, lane: usize) -> (Type, Value) {
        let index = lane as i64;
        match self.lanes.shape(slot) {
            Shape::Even(by) if self.values.narrow(&mut self.b, slot) => {
                let first = self.values.int(&mut self.b, slot);
                let more = i64::from((by as i32).wrapping_mul(index as i32));
                (types::I32, self.b.ins().iadd_imm_s(first, more))
            }
            Shape::Even(by) => {
                let first = self.values.wide(&mut self.b, slot);
                let more = by.wrapping_mul(index);
                (types::I64, self.b.ins().iadd_imm_s(first, more))
            }
            Shape::Any => {
                let ty = self.form_of(slot);
                let lanes = self.typed_lanes(slot, ty);
                let each = LANES / lanes.len();
                let register = lanes[lane / each];
                (ty, self.b.ins().extractlane(register, (lane % each) as u8))
            }
        }
    }

    /// Registers of values of one type, one for each lane.
    pub(super) fn gathered(&mut self, ty: Type, values: &[Value]) -> Vec<Value> {
        let (lanes, count) = lane_type(ty);
        let each = LANES / count;
        let registers = values.chunks(each).map(|values| {
            let mut register = self.b.ins().splat(lanes, values[0]);
            for (n, &value) in values.iter().enumerate().skip(1) {
                register = self.b.ins().insertlane(register, value, n as u8);
            }
            register
        });
        registers.collect()
    }
}
