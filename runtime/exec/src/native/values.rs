//! The values of slots while a block is translated.
//!
//! A slot is 64 bits. Compiled code keeps a value as what computes with it: a number of 32 bits,
//! a float, a truth value; and makes one from the other where it is asked for. From block to
//! block a slot is a variable of one type, which is chosen by what its values are.

use super::flow::Flow;
use super::kinds::types_of;
use crate::interp::code::{Fill, Kernel, Slot};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, MemFlagsData, Type, Value, types};
use cranelift_frontend::{FunctionBuilder, Variable};

/// A value in the forms that there are of it by now.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Cell {
    /// All 64 bits.
    wide: Option<Value>,
    /// The low 32 bits.
    int: Option<Value>,
    /// The low 32 bits as a float.
    single: Option<Value>,
    /// All bits as a double.
    double: Option<Value>,
    /// Not zero if the slot is not zero; 8 bits.
    flag: Option<Value>,
    /// The upper 32 bits are zero.
    narrow: bool,
    /// It was written in this block.
    written: bool,
}

/// The slots of a kernel.
pub(super) struct Values<'a> {
    kernel: &'a Kernel,
    /// Slots below 0.
    below: usize,
    cells: Vec<Cell>,
    /// Cells that are in use.
    used: Vec<usize>,
    types: Vec<Type>,
    variables: Vec<Option<Variable>>,
    /// The address of the values of slots below 0.
    fills: Value,
    /// Those of them that differ from item to item.
    varying: Vec<Option<Value>>,
}

/// Memory of our own that does not change while compiled code runs.
pub(super) fn constant_memory() -> MemFlagsData {
    MemFlagsData::trusted().with_readonly().with_can_move()
}

impl<'a> Values<'a> {
    pub(super) fn new(kernel: &'a Kernel, flow: &Flow, fills: Value) -> Values<'a> {
        Values {
            kernel,
            below: kernel.fills.len(),
            cells: vec![Cell::default(); kernel.fills.len() + kernel.frame],
            used: Vec::new(),
            types: types_of(kernel, flow),
            variables: vec![None; kernel.frame],
            fills,
            varying: vec![None; kernel.fills.len()],
        }
    }

    /// What the n-th fill is of the item that runs.
    pub(super) fn vary(&mut self, fill: usize, value: Value) {
        self.varying[fill] = Some(value);
    }

    /// The variable of a slot, and its type.
    pub(super) fn variable(
        &mut self,
        b: &mut FunctionBuilder<'_>,
        slot: usize,
    ) -> (Variable, Type) {
        let ty = self.types[slot];
        (
            *self.variables[slot].get_or_insert_with(|| b.declare_var(ty)),
            ty,
        )
    }

    /// The type of a slot's variable.
    pub(super) fn type_of(&self, slot: usize) -> Type {
        self.types[slot]
    }

    /// What is known of slots.
    pub(super) fn known(&self) -> Vec<(usize, Cell)> {
        self.used.iter().map(|&n| (n, self.cells[n])).collect()
    }

    /// Goes back to what was known somewhere before.
    pub(super) fn know(&mut self, known: &[(usize, Cell)]) {
        self.clear();
        for &(n, cell) in known {
            self.used.push(n);
            self.cells[n] = cell;
        }
    }

    /// What is known of some slots.
    pub(super) fn cells_of(&self, slots: &[Slot]) -> Vec<(usize, Cell)> {
        let of = |&slot: &Slot| (self.index(slot), self.cells[self.index(slot)]);
        slots.iter().map(of).collect()
    }

    /// Goes back to what was known of some slots.
    pub(super) fn put_back(&mut self, cells: &[(usize, Cell)]) {
        for &(n, cell) in cells {
            self.cells[n] = cell;
        }
    }

    /// A value in one of its forms, and the form's type.
    pub(super) fn typed(&mut self, b: &mut FunctionBuilder<'_>, slot: Slot) -> (Type, Value) {
        match self.cell(b, slot) {
            Cell {
                int: None,
                wide: None,
                single: Some(single),
                ..
            } => (types::F32, single),
            Cell {
                wide: None,
                double: Some(double),
                ..
            } => (types::F64, double),
            Cell { narrow: true, .. } => (types::I32, self.int(b, slot)),
            _ => (types::I64, self.wide(b, slot)),
        }
    }

    /// The same value as one of another type, of all bits where the types differ.
    pub(super) fn retyped(
        &self,
        b: &mut FunctionBuilder<'_>,
        (from, value): (Type, Value),
        to: Type,
    ) -> Value {
        if from == to {
            return value;
        }
        let flags = MemFlagsData::new();
        match from {
            types::F32 => {
                let int = b.ins().bitcast(types::I32, flags, value);
                b.ins().uextend(types::I64, int)
            }
            types::F64 => b.ins().bitcast(types::I64, flags, value),
            types::I32 => b.ins().uextend(types::I64, value),
            _ => value,
        }
    }

    /// A block begins: nothing is known.
    pub(super) fn clear(&mut self) {
        for n in self.used.drain(..) {
            self.cells[n] = Cell::default();
        }
    }

    fn index(&self, slot: Slot) -> usize {
        (self.below as isize + isize::from(slot)) as usize
    }

    /// The constant that a slot holds always.
    pub(super) fn constant(&self, slot: Slot) -> Option<u64> {
        match self.fill(slot)? {
            Fill::Const(bits) => Some(bits),
            Fill::Query(..) | Fill::PrivateBase | Fill::Local(_) => None,
        }
    }

    /// What a slot below 0 is filled with.
    pub(super) fn fill(&self, slot: Slot) -> Option<Fill> {
        (slot < 0).then(|| self.kernel.fills[(-1 - isize::from(slot)) as usize])
    }

    fn cell(&mut self, b: &mut FunctionBuilder<'_>, slot: Slot) -> Cell {
        let n = self.index(slot);
        let cell = self.cells[n];
        if cell.wide.is_some()
            || cell.int.is_some()
            || cell.single.is_some()
            || cell.double.is_some()
            || cell.flag.is_some()
        {
            return cell;
        }
        let mut cell = Cell::default();
        if slot < 0 {
            match self.constant(slot) {
                Some(bits) => {
                    cell.narrow = u32::try_from(bits).is_ok();
                    cell.wide = Some(b.ins().iconst(types::I64, bits as i64));
                }
                None if self.varying[self.below - 1 - n].is_some() => {
                    cell.wide = self.varying[self.below - 1 - n];
                }
                None => {
                    let offset = 8 * (-1 - i32::from(slot));
                    let fill = b
                        .ins()
                        .load(types::I64, constant_memory(), self.fills, offset);
                    cell.wide = Some(fill);
                }
            }
        } else {
            let (variable, ty) = self.variable(b, slot as usize);
            let value = Some(b.use_var(variable));
            match ty {
                types::I32 => cell.int = value,
                types::F32 => cell.single = value,
                types::F64 => cell.double = value,
                _ => cell.wide = value,
            }
            cell.narrow = ty.bits() == 32;
        }
        self.used.push(n);
        self.cells[n] = cell;
        cell
    }

    fn put(&mut self, slot: Slot, cell: Cell) {
        let n = self.index(slot);
        self.used.push(n);
        self.cells[n] = Cell {
            written: true,
            ..cell
        };
    }

    /// Whether the upper 32 bits of a slot are known to be zero.
    pub(super) fn narrow(&mut self, b: &mut FunctionBuilder<'_>, slot: Slot) -> bool {
        self.cell(b, slot).narrow
    }

    /// All bits.
    pub(super) fn wide(&mut self, b: &mut FunctionBuilder<'_>, slot: Slot) -> Value {
        let cell = self.cell(b, slot);
        let value = if let Some(value) = cell.wide {
            return value;
        } else if let Some(double) = cell.double {
            b.ins().bitcast(types::I64, MemFlagsData::new(), double)
        } else {
            let int = self.int(b, slot);
            b.ins().uextend(types::I64, int)
        };
        let n = self.index(slot);
        self.cells[n].wide = Some(value);
        value
    }

    /// The low 32 bits.
    pub(super) fn int(&mut self, b: &mut FunctionBuilder<'_>, slot: Slot) -> Value {
        let cell = self.cell(b, slot);
        let value = if let Some(value) = cell.int {
            return value;
        } else if let Some(bits) = self.constant(slot) {
            b.ins().iconst(types::I32, i64::from(bits as u32))
        } else if let Some(single) = cell.single {
            b.ins().bitcast(types::I32, MemFlagsData::new(), single)
        } else if let Some(flag) = cell.flag {
            b.ins().uextend(types::I32, flag)
        } else {
            let wide = self.wide(b, slot);
            b.ins().ireduce(types::I32, wide)
        };
        let n = self.index(slot);
        self.cells[n].int = Some(value);
        value
    }

    /// The low 32 bits as a float.
    pub(super) fn single(&mut self, b: &mut FunctionBuilder<'_>, slot: Slot) -> Value {
        let cell = self.cell(b, slot);
        let value = if let Some(value) = cell.single {
            return value;
        } else if let Some(bits) = self.constant(slot) {
            b.ins().f32const(f32::from_bits(bits as u32))
        } else {
            let int = self.int(b, slot);
            b.ins().bitcast(types::F32, MemFlagsData::new(), int)
        };
        let n = self.index(slot);
        self.cells[n].single = Some(value);
        value
    }

    /// All bits as a double.
    pub(super) fn double(&mut self, b: &mut FunctionBuilder<'_>, slot: Slot) -> Value {
        let cell = self.cell(b, slot);
        let value = if let Some(value) = cell.double {
            return value;
        } else if let Some(bits) = self.constant(slot) {
            b.ins().f64const(f64::from_bits(bits))
        } else {
            let wide = self.wide(b, slot);
            b.ins().bitcast(types::F64, MemFlagsData::new(), wide)
        };
        let n = self.index(slot);
        self.cells[n].double = Some(value);
        value
    }

    /// Something that is zero exactly if the slot is.
    pub(super) fn truth(&mut self, b: &mut FunctionBuilder<'_>, slot: Slot) -> Value {
        let cell = self.cell(b, slot);
        match (cell.flag, cell.narrow) {
            (Some(flag), _) => flag,
            (None, true) => self.int(b, slot),
            (None, false) => self.wide(b, slot),
        }
    }

    /// What a store of all bits writes: a double, if that is there.
    pub(super) fn stored64(&mut self, b: &mut FunctionBuilder<'_>, slot: Slot) -> Value {
        match self.cell(b, slot) {
            Cell {
                wide: None,
                double: Some(double),
                ..
            } => double,
            _ => self.wide(b, slot),
        }
    }

    /// What a store of 32 bits, or of some of these, writes: a float, if that is there and may be.
    pub(super) fn stored32(
        &mut self,
        b: &mut FunctionBuilder<'_>,
        slot: Slot,
        may_be_float: bool,
    ) -> Value {
        match self.cell(b, slot) {
            Cell {
                wide: None,
                int: None,
                single: Some(single),
                ..
            } if may_be_float => single,
            _ => self.int(b, slot),
        }
    }

    /// Gives a slot all its bits.
    pub(super) fn set_wide(&mut self, slot: Slot, value: Value) {
        let wide = Some(value);
        let cell = Cell {
            wide,
            ..Cell::default()
        };
        self.put(slot, cell);
    }

    /// Gives a slot 32 bits, and zeros above.
    pub(super) fn set_int(&mut self, slot: Slot, value: Value) {
        let int = Some(value);
        let cell = Cell {
            int,
            narrow: true,
            ..Cell::default()
        };
        self.put(slot, cell);
    }

    /// Gives a slot the bits of a float, and zeros above.
    pub(super) fn set_single(&mut self, slot: Slot, value: Value) {
        let single = Some(value);
        let cell = Cell {
            single,
            narrow: true,
            ..Cell::default()
        };
        self.put(slot, cell);
    }

    /// Gives a slot the bits of a double.
    pub(super) fn set_double(&mut self, slot: Slot, value: Value) {
        let double = Some(value);
        let cell = Cell {
            double,
            ..Cell::default()
        };
        self.put(slot, cell);
    }

    /// Gives a slot 0 or 1, which the value is.
    pub(super) fn set_flag(&mut self, slot: Slot, value: Value) {
        let flag = Some(value);
        let cell = Cell {
            flag,
            narrow: true,
            ..Cell::default()
        };
        self.put(slot, cell);
    }

    /// Gives a slot a value of some type: of 32 bits, a float, a double, or all bits.
    pub(super) fn set(&mut self, slot: Slot, ty: Type, value: Value) {
        match ty {
            types::I32 => self.set_int(slot, value),
            types::F32 => self.set_single(slot, value),
            types::F64 => self.set_double(slot, value),
            _ => self.set_wide(slot, value),
        }
    }

    /// Gives a slot what another holds.
    pub(super) fn copy(&mut self, b: &mut FunctionBuilder<'_>, d: Slot, a: Slot) {
        // Constants become values of the type that is asked for first.
        if self.constant(a).is_some() {
            self.int(b, a);
        }
        let cell = self.cell(b, a);
        self.put(d, cell);
    }

    /// `c ? a : b`.
    pub(super) fn select(
        &mut self,
        b: &mut FunctionBuilder<'_>,
        d: Slot,
        (c, x, y): (Value, Slot, Slot),
    ) {
        if self.narrow(b, x) && self.narrow(b, y) {
            let (x, y) = (self.int(b, x), self.int(b, y));
            let value = b.ins().select(c, x, y);
            self.set_int(d, value);
        } else {
            let (x, y) = (self.wide(b, x), self.wide(b, y));
            let value = b.ins().select(c, x, y);
            self.set_wide(d, value);
        }
    }

    /// Compares two slots as unsigned numbers.
    pub(super) fn compare(
        &mut self,
        b: &mut FunctionBuilder<'_>,
        cc: IntCC,
        x: Slot,
        y: Slot,
    ) -> Value {
        let (x, y) = if self.narrow(b, x) && self.narrow(b, y) {
            (self.int(b, x), self.int(b, y))
        } else {
            (self.wide(b, x), self.wide(b, y))
        };
        b.ins().icmp(cc, x, y)
    }

    /// The block ends: what it has written and others need goes to variables.
    pub(super) fn settle(&mut self, b: &mut FunctionBuilder<'_>, needed: impl Fn(usize) -> bool) {
        let mut used = std::mem::take(&mut self.used);
        used.sort_unstable();
        used.dedup();
        for &n in &used {
            if n < self.below || !self.cells[n].written || !needed(n - self.below) {
                continue;
            }
            self.settle_one(b, n - self.below);
        }
        self.used = used;
    }

    /// A slot's value goes to its variable.
    pub(super) fn settle_one(&mut self, b: &mut FunctionBuilder<'_>, n: usize) {
        let slot = n as Slot;
        let (variable, ty) = self.variable(b, n);
        let value = match ty {
            types::I32 => self.int(b, slot),
            types::F32 => self.single(b, slot),
            types::F64 => self.double(b, slot),
            _ => self.wide(b, slot),
        };
        b.def_var(variable, value);
    }
}
