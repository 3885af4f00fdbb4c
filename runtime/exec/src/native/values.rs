//! The values of slots while a block is translated.
//!
//! A slot is 64 bits. Compiled code keeps a value as what computes with it: a number of 32 bits,
//! a float, a truth value; and makes one from the other where it is asked for. From block to
//! block a slot is a variable of one type, which is chosen by what its values are.

use super::flow::Flow;
use super::operands;
use crate::interp::code::{Fill, Ins, Kernel, Slot};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, MemFlagsData, Type, Value, types};
use cranelift_frontend::{FunctionBuilder, Variable};

/// A value in the forms that there are of it by now.
#[derive(Clone, Copy, Debug, Default)]
struct Cell {
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
            types: types(kernel, flow),
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
            let slot = (n - self.below) as Slot;
            let (variable, ty) = self.variable(b, n - self.below);
            let value = match ty {
                types::I32 => self.int(b, slot),
                types::F32 => self.single(b, slot),
                types::F64 => self.double(b, slot),
                _ => self.wide(b, slot),
            };
            b.def_var(variable, value);
        }
        self.used = used;
    }
}

/// What kind of value an instruction gives.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// 64 bits.
    Wide,
    /// 32 bits with zeros above.
    Narrow,
    Single,
    Double,
    /// What memory or other slots hold.
    Bits32,
    Bits64,
}

#[rustfmt::skip]
fn kind(ins: &Ins) -> Kind {
    match ins {
        Ins::FAdd32 { .. } | Ins::FSub32 { .. } | Ins::FMul32 { .. } | Ins::FDiv32 { .. } => Kind::Single,
        Ins::FAdd64 { .. } | Ins::FSub64 { .. } | Ins::FMul64 { .. } | Ins::FDiv64 { .. } => Kind::Double,
        Ins::Add32 { .. } | Ins::Sub32 { .. } | Ins::Mul32 { .. } | Ins::Shl32 { .. } | Ins::LShr32 { .. }
        | Ins::AShr32 { .. } | Ins::SDiv32 { .. } | Ins::SRem32 { .. } | Ins::Mask8 { .. } | Ins::Mask16 { .. }
        | Ins::Mask32 { .. } | Ins::Eq { .. } | Ins::Ne { .. } | Ins::ULt { .. } | Ins::ULe { .. }
        | Ins::SLt32 { .. } | Ins::SLe32 { .. } | Ins::SLt64 { .. } | Ins::SLe64 { .. }
        | Ins::FEq32 { .. } | Ins::FNe32 { .. } | Ins::FLt32 { .. } | Ins::FLe32 { .. } | Ins::FOrd32 { .. }
        | Ins::FEq64 { .. } | Ins::FNe64 { .. } | Ins::FLt64 { .. } | Ins::FLe64 { .. } | Ins::FOrd64 { .. }
        | Ins::AtomicLoad32 { .. } | Ins::Rmw32 { .. } | Ins::Cas32 { .. } | Ins::Call { .. } => Kind::Narrow,
        Ins::Load8 { .. } | Ins::Load16 { .. } | Ins::Load32 { .. } | Ins::Load32X { .. }
        | Ins::Load32S { .. } => Kind::Bits32,
        Ins::Load64 { .. } | Ins::Load64X { .. } | Ins::Load64S { .. } => Kind::Bits64,
        _ => Kind::Wide,
    }
}

/// The type of floats that an instruction computes with.
#[rustfmt::skip]
pub(super) fn computes_with(ins: &Ins) -> Option<Type> {
    match ins {
        Ins::FAdd32 { .. } | Ins::FSub32 { .. } | Ins::FMul32 { .. } | Ins::FDiv32 { .. }
        | Ins::FEq32 { .. } | Ins::FNe32 { .. } | Ins::FLt32 { .. } | Ins::FLe32 { .. } => Some(types::F32),
        Ins::FAdd64 { .. } | Ins::FSub64 { .. } | Ins::FMul64 { .. } | Ins::FDiv64 { .. }
        | Ins::FEq64 { .. } | Ins::FNe64 { .. } | Ins::FLt64 { .. } | Ins::FLe64 { .. } => Some(types::F64),
        _ => None,
    }
}

/// The slots that an instruction passes on as they are.
#[rustfmt::skip]
fn passed(ins: &Ins) -> Option<Vec<Slot>> {
    Some(match *ins {
        Ins::Move { a, .. } | Ins::InsertDyn { a, .. } => vec![a],
        Ins::Select { a, b, .. } | Ins::And { a, b, .. } | Ins::Or { a, b, .. } | Ins::Xor { a, b, .. }
        | Ins::UDiv { a, b, .. } | Ins::URem { a, b, .. } => vec![a, b],
        Ins::ExtractDyn { a, n, .. } => (a..a + n as Slot).collect(),
        _ => return None,
    })
}

/// The type of each slot's variable. One is of 32 bits if all values that it ever has are.
fn types(kernel: &Kernel, flow: &Flow) -> Vec<Type> {
    let mut wide = vec![false; kernel.frame];
    // How often it is used as a float, a double, or otherwise.
    let mut singles = vec![0i32; kernel.frame];
    let mut doubles = vec![0i32; kernel.frame];
    wide[..kernel.params_end].fill(true);
    let mut passes: Vec<(Vec<Slot>, usize)> = Vec::new();
    let code = flow
        .blocks
        .iter()
        .flat_map(|b| &kernel.code[b.first as usize..b.end as usize]);
    for ins in code {
        let floats = computes_with(ins);
        let kind = kind(ins);
        let passed = passed(ins);
        let neutral = passed.is_some() || matches!(kind, Kind::Bits32 | Kind::Bits64);
        operands::slots(kernel, ins, |role, first, count| {
            if first < 0 {
                return;
            }
            let is_written = role == operands::Role::Written;
            for slot in first as usize..first as usize + usize::from(count) {
                if floats == Some(types::F32) && (kind == Kind::Single || !is_written) {
                    singles[slot] += 1;
                } else if floats == Some(types::F64) && (kind == Kind::Double || !is_written) {
                    doubles[slot] += 1;
                } else if !neutral {
                    singles[slot] -= 1;
                    doubles[slot] -= 1;
                }
                if is_written {
                    match (kind, &passed) {
                        (_, Some(from)) => passes.push((from.clone(), slot)),
                        (Kind::Wide | Kind::Double | Kind::Bits64, None) => wide[slot] = true,
                        (Kind::Narrow | Kind::Single | Kind::Bits32, None) => {}
                    }
                }
            }
        });
    }
    loop {
        let mut news = false;
        for (from, to) in &passes {
            let is_wide = |&slot: &Slot| match usize::try_from(slot) {
                Ok(slot) => wide[slot],
                Err(_) => match kernel.fills[(-1 - isize::from(slot)) as usize] {
                    Fill::Const(bits) => bits > u64::from(u32::MAX),
                    Fill::Query(..) | Fill::PrivateBase | Fill::Local(_) => true,
                },
            };
            if !wide[*to] && from.iter().any(is_wide) {
                wide[*to] = true;
                news = true;
            }
        }
        if !news {
            break;
        }
    }
    let of = |slot: usize| match (wide[slot], singles[slot] > 0, doubles[slot] > 0) {
        (false, true, _) => types::F32,
        (false, false, _) => types::I32,
        (true, _, true) => types::F64,
        (true, _, false) => types::I64,
    };
    (0..kernel.frame).map(of).collect()
}
