//! The values of slots while a block of vector code is translated.
//!
//! Where the items have the same in a slot, or each so much more than the one before, the first one's value is a
//! scalar ([`Values`](super::super::values) has it); the values of all are made of it where they are asked for. Else
//! they are registers of lanes: two of 32 bits each, or four of 64.

use super::super::translate::Translator;
use super::super::values::Cell as ScalarCell;
use super::shape::{Shape, Shapes, is_plain_fill, of_filled};
use super::{LANES, NARROW, WIDE};
use crate::interp::code::{Kernel, Slot};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Endianness, InstBuilder, MemFlagsData, Type, Value, types};
use cranelift_frontend::{FunctionBuilder, Variable};

/// What is known of a slot.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Cell {
    /// None if the block has not looked at it.
    shape: Option<Shape>,
    /// The low 32 bits of each.
    pub(super) ints: Option<[Value; NARROW]>,
    /// The same as floats.
    pub(super) singles: Option<[Value; NARROW]>,
    /// All bits of each.
    pub(super) wides: Option<[Value; WIDE]>,
    /// The same as doubles.
    pub(super) doubles: Option<[Value; WIDE]>,
    /// All ones where the slot is 1, zero where it is 0.
    pub(super) mask: Option<[Value; NARROW]>,
    /// Of lanes: the upper 32 bits of each are zero.
    pub(super) narrow: bool,
    /// It was written in this block.
    pub(super) written: bool,
    /// Of an even one of 32 bits: no lane wraps as a signed number, as an unsigned one.
    straight: [bool; 2],
    /// As [`Shapes::is_plain`](super::shape::Shapes::is_plain).
    plain: bool,
}

/// Slots as lanes.
pub(in super::super) struct Lanes<'a> {
    kernel: &'a Kernel,
    shapes: Option<&'a Shapes>,
    below: usize,
    cells: Vec<Cell>,
    used: Vec<usize>,
    variables: Vec<Option<[Variable; WIDE]>>,
    /// The block that is translated.
    pub(super) block: usize,
    /// In a region: the shapes of slots from 0 on, and whether their numbers are plain, from its branch on until all meet.
    pub(super) apart: Option<Vec<(Shape, bool)>>,
}

/// What was known of all slots at some place.
#[derive(Clone, Debug, Default)]
pub(in super::super) struct Known {
    scalars: Vec<(usize, ScalarCell)>,
    lanes: Vec<(usize, Cell)>,
}

/// How bits are seen as lanes of another type.
pub(super) fn as_lanes() -> MemFlagsData {
    MemFlagsData::new().with_endianness(Endianness::Little)
}

/// The type of lanes, and how many registers of them there are.
pub(super) fn lane_type(ty: Type) -> (Type, usize) {
    match ty {
        types::F32 => (types::F32X4, NARROW),
        types::I64 => (types::I64X2, WIDE),
        types::F64 => (types::F64X2, WIDE),
        _ => (types::I32X4, NARROW),
    }
}

impl<'a> Lanes<'a> {
    pub(in super::super) fn new(kernel: &'a Kernel, shapes: Option<&'a Shapes>) -> Lanes<'a> {
        let below = kernel.fills.len();
        let slots = match shapes {
            Some(_) => below + kernel.frame,
            None => 0,
        };
        Lanes {
            kernel,
            shapes,
            below,
            cells: vec![Cell::default(); slots],
            used: Vec::new(),
            variables: vec![None; slots],
            block: 0,
            apart: None,
        }
    }

    fn index(&self, slot: Slot) -> usize {
        (self.below as isize + isize::from(slot)) as usize
    }

    /// A block begins.
    pub(super) fn clear(&mut self, block: usize) {
        for n in self.used.drain(..) {
            self.cells[n] = Cell::default();
        }
        self.block = block;
    }

    /// The shape of a slot at the start of a block.
    pub(super) fn start(&self, block: usize, slot: usize) -> Shape {
        self.shapes
            .map_or(Shape::Any, |shapes| shapes.at(block, slot))
    }

    pub(super) fn shape(&self, slot: Slot) -> Shape {
        match self.cells[self.index(slot)].shape {
            Some(shape) => shape,
            None if slot < 0 => of_filled(self.kernel, slot),
            None => match &self.apart {
                Some(slots) => slots[slot as usize].0,
                None => self.start(self.block, slot as usize),
            },
        }
    }

    /// Whether the numbers of the items are plain: see [`Shapes::is_plain`](super::shape::Shapes::is_plain).
    pub(super) fn is_plain(&self, slot: Slot) -> bool {
        let cell = &self.cells[self.index(slot)];
        match slot {
            ..0 => is_plain_fill(self.kernel, slot),
            _ if cell.written => cell.plain,
            _ => match &self.apart {
                Some(slots) => slots[slot as usize].1,
                None => self
                    .shapes
                    .is_some_and(|shapes| shapes.is_plain(self.block, slot as usize)),
            },
        }
    }

    pub(super) fn set_plain(&mut self, slot: Slot) {
        self.change(slot, |cell| cell.plain = true);
    }

    pub(super) fn is_written(&self, slot: Slot) -> bool {
        self.cells[self.index(slot)].written
    }

    fn put(&mut self, slot: Slot, cell: Cell) {
        let n = self.index(slot);
        self.used.push(n);
        self.cells[n] = Cell {
            written: true,
            ..cell
        };
    }

    pub(super) fn change(&mut self, slot: Slot, change: impl FnOnce(&mut Cell)) {
        let (n, shape) = (self.index(slot), self.shape(slot));
        self.used.push(n);
        self.cells[n].shape = Some(shape);
        change(&mut self.cells[n]);
    }

    /// Gives a slot what scalar code has computed for the first item.
    pub(in super::super) fn set_even(&mut self, slot: Slot, by: i64) {
        let shape = Some(Shape::Even(by));
        self.put(
            slot,
            Cell {
                shape,
                ..Cell::default()
            },
        );
    }

    /// Gives a slot lanes of some type, with zeros above those of 32 bits.
    pub(super) fn set(&mut self, slot: Slot, ty: Type, values: &[Value]) {
        let shape = Some(Shape::Any);
        let mut cell = Cell {
            shape,
            narrow: values.len() == NARROW,
            ..Cell::default()
        };
        let two = || std::array::from_fn(|n| values[n]);
        match ty {
            types::F32 => cell.singles = Some(two()),
            types::I64 => cell.wides = Some(std::array::from_fn(|n| values[n])),
            types::F64 => cell.doubles = Some(std::array::from_fn(|n| values[n])),
            _ => cell.ints = Some(two()),
        }
        self.put(slot, cell);
    }

    /// Gives a slot 1 where a mask is all ones, else 0.
    pub(super) fn set_mask(&mut self, slot: Slot, mask: [Value; NARROW]) {
        let cell = Cell {
            shape: Some(Shape::Any),
            mask: Some(mask),
            narrow: true,
            ..Cell::default()
        };
        self.put(slot, cell);
    }

    /// Gives a slot what another one has.
    pub(super) fn copy(&mut self, d: Slot, a: Slot) {
        let (shape, plain) = (self.shape(a), self.is_plain(a));
        let cell = self.cells[self.index(a)];
        self.put(
            d,
            Cell {
                shape: Some(shape),
                plain,
                ..cell
            },
        );
    }
}

impl Translator<'_> {
    /// What is known of all slots.
    pub(super) fn known(&self) -> Known {
        let lanes = &self.lanes;
        Known {
            scalars: self.values.known(),
            lanes: lanes.used.iter().map(|&n| (n, lanes.cells[n])).collect(),
        }
    }

    /// Goes back to what was known somewhere before.
    pub(super) fn know(&mut self, known: &Known) {
        self.values.know(&known.scalars);
        let block = self.lanes.block;
        self.lanes.clear(block);
        for &(n, cell) in &known.lanes {
            self.lanes.used.push(n);
            self.lanes.cells[n] = cell;
        }
    }

    /// The registers of a slot from block to block, and their type.
    pub(super) fn lane_variables(&mut self, slot: usize) -> (Vec<Variable>, Type) {
        let ty = self.values.type_of(slot);
        let (lanes, count) = lane_type(ty);
        let b = &mut self.b;
        let all = self.lanes.variables[slot].get_or_insert_with(|| declare(b, lanes, count));
        (all[..count].to_vec(), ty)
    }

    /// What is known of a slot, with one form at least where it is no even one.
    pub(super) fn lane_cell(&mut self, slot: Slot) -> Cell {
        let n = self.lanes.index(slot);
        let shape = self.lanes.shape(slot);
        let cell = self.lanes.cells[n];
        if shape == Shape::Any && cell.shape.is_none() {
            let (variables, ty) = self.lane_variables(slot as usize);
            let values: Vec<Value> = variables.iter().map(|&v| self.b.use_var(v)).collect();
            self.lanes.set(slot, ty, &values);
            self.lanes.cells[n].written = false;
        } else if cell.shape.is_none() {
            self.lanes.change(slot, |_| {});
        }
        self.lanes.cells[n]
    }

    /// Whether the upper halves of all lanes are zero.
    pub(super) fn lanes_narrow(&mut self, slot: Slot) -> bool {
        match self.lanes.shape(slot) {
            Shape::Even(_) => self.values.narrow(&mut self.b, slot),
            Shape::Any => self.lane_cell(slot).narrow,
        }
    }

    /// Leaves vector code unless an even slot of 32 bits grows without wrapping, as a signed number or as an
    /// unsigned one: then the numbers of 64 bits that are made of it are even.
    pub(super) fn straight(&mut self, slot: Slot, is_signed: bool) {
        let by = match self.lanes.shape(slot) {
            Shape::Even(by) => i64::from(by as i32),
            Shape::Any => return,
        };
        if by == 0
            || self.lanes.is_plain(slot)
            || self.lane_cell(slot).straight[usize::from(is_signed)]
        {
            return;
        }
        let first = self.values.int(&mut self.b, slot);
        let extend = |b: &mut FunctionBuilder<'_>, x| match is_signed {
            true => b.ins().sextend(types::I64, x),
            false => b.ins().uextend(types::I64, x),
        };
        let wide = extend(&mut self.b, first);
        let last = self.b.ins().iadd_imm_s(wide, by * (LANES as i64 - 1));
        let low = self.b.ins().ireduce(types::I32, last);
        let again = extend(&mut self.b, low);
        let is_straight = self.b.ins().icmp(IntCC::Equal, again, last);
        self.leave_unless(is_straight);
        let of_it = usize::from(is_signed);
        self.lanes.change(slot, |cell| cell.straight[of_it] = true);
    }

    /// The same for a slot whose 64 bits are asked for, as far as they may be made of 32.
    pub(super) fn straight_wide(&mut self, slot: Slot) {
        if matches!(self.lanes.shape(slot), Shape::Even(_)) && self.values.narrow(&mut self.b, slot)
        {
            self.straight(slot, false);
        }
    }
}

fn declare(b: &mut FunctionBuilder<'_>, ty: Type, count: usize) -> [Variable; WIDE] {
    let mut last = None;
    std::array::from_fn(|n| match last {
        Some(last) if n >= count => last,
        _ => *last.insert(b.declare_var(ty)),
    })
}
