//! The textual form of a module, for people and snapshots.
//!
//! One line an instruction, `%dst: type = operation operands`, with the source
//! place at the end. Nothing reads this form back.

use crate::function::{ArgPass, Block, Function, KernelInfo};
use crate::module::{Global, LocalVar, Module};
use crate::op::{BarrierKind, Collective, Inst, NumKind, Op, Rounding, Terminator};
use crate::value::{Loc, Operand};
use std::fmt::{self, Display, Formatter, Write};

impl Display for Module {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (i, global) in self.globals.iter().enumerate() {
            write_global(f, i, global)?;
        }
        for (i, local) in self.locals.iter().enumerate() {
            write_local(f, i, local)?;
        }
        for (i, function) in self.functions.iter().enumerate() {
            if i > 0 || !self.globals.is_empty() || !self.locals.is_empty() {
                writeln!(f)?;
            }
            write!(f, "@f{i} {function}")?;
        }
        Ok(())
    }
}

fn write_global(f: &mut Formatter<'_>, i: usize, g: &Global) -> fmt::Result {
    write!(
        f,
        "@g{i} {} {:?}: {} bytes, align {}",
        g.space, g.name, g.size, g.align
    )?;
    if !g.init.is_empty() {
        f.write_str(" =")?;
        for byte in &g.init {
            write!(f, " {byte:02x}")?;
        }
    }
    for r in &g.relocs {
        write!(f, ", [{}] = {} + {}", r.offset, r.target, r.addend)?;
    }
    writeln!(f)
}

fn write_local(f: &mut Formatter<'_>, i: usize, l: &LocalVar) -> fmt::Result {
    writeln!(
        f,
        "@l{i} local {:?}{}: {} bytes, align {}",
        l.name,
        l.kernel.map(|k| format!(" of {k}")).unwrap_or_default(),
        l.size,
        l.align
    )
}

impl Display for Function {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let kind = if self.kernel.as_ref().is_some_and(|kernel| kernel.is_block) {
            "block"
        } else if self.kernel.is_some() {
            "kernel"
        } else {
            "function"
        };
        write!(f, "{kind} {}(", self.name)?;
        for (i, &p) in self.params.iter().enumerate() {
            let comma = if i > 0 { ", " } else { "" };
            write!(f, "{comma}{p}: ")?;
            write_type(f, self, p.into())?;
        }
        f.write_char(')')?;
        if let Some(ty) = self.ret {
            write!(f, " -> {ty}")?;
        }
        f.write_char('\n')?;
        if let Some(kernel) = &self.kernel {
            write_kernel(f, kernel)?;
        }
        for (i, slot) in self.slots.iter().enumerate() {
            writeln!(
                f,
                "  s{i} {:?}: {} bytes, align {}",
                slot.name, slot.size, slot.align
            )?;
        }
        for (i, reg) in self.regs.iter().enumerate() {
            if let Some(name) = &reg.variable {
                writeln!(f, "  %{i} is {name}: {}", reg.ty)?;
            }
        }
        for (i, block) in self.blocks.iter().enumerate() {
            writeln!(f, "b{i}:")?;
            write_block(f, self, block)?;
        }
        Ok(())
    }
}

fn write_type(f: &mut Formatter<'_>, function: &Function, operand: Operand) -> fmt::Result {
    match function.operand_type(operand) {
        Some(ty) => write!(f, "{ty}"),
        None => f.write_str("?"),
    }
}

fn write_kernel(f: &mut Formatter<'_>, kernel: &KernelInfo) -> fmt::Result {
    for (i, arg) in kernel.args.iter().enumerate() {
        write!(f, "  arg {i} {:?} {:?}: ", arg.name, arg.type_name)?;
        match arg.pass {
            ArgPass::Value(ty) => write!(f, "{ty}")?,
            ArgPass::Aggregate { size, align } => write!(f, "{size} bytes, align {align}")?,
            ArgPass::Pointer(space) => write!(f, "pointer to {space}")?,
            ArgPass::LocalPointer { align } => write!(f, "local memory, align {align}")?,
            ArgPass::Image(kind, access) => write!(f, "{} {}", access.name(), kind.name())?,
            ArgPass::Pipe { writes } => f.write_str(match writes {
                true => "write_only pipe",
                false => "read_only pipe",
            })?,
            ArgPass::Sampler => f.write_str("sampler")?,
            ArgPass::Queue => f.write_str("queue")?,
        }
        let q = arg.qualifiers;
        for (set, name) in [
            (q.is_const, "const"),
            (q.is_restrict, "restrict"),
            (q.is_volatile, "volatile"),
        ] {
            if set {
                write!(f, " {name}")?;
            }
        }
        f.write_char('\n')?;
    }
    for (name, size) in [
        ("reqd_work_group_size", kernel.reqd_work_group_size),
        ("work_group_size_hint", kernel.work_group_size_hint),
    ] {
        if let Some([x, y, z]) = size {
            writeln!(f, "  {name}({x}, {y}, {z})")?;
        }
    }
    if let Some(hint) = &kernel.vec_type_hint {
        writeln!(f, "  vec_type_hint({hint})")?;
    }
    Ok(())
}

fn write_block(f: &mut Formatter<'_>, function: &Function, block: &Block) -> fmt::Result {
    for inst in &block.insts {
        f.write_str("  ")?;
        write_inst(f, function, inst)?;
        write_loc(f, inst.loc)?;
    }
    f.write_str("  ")?;
    write_terminator(f, &block.term)?;
    write_loc(f, block.term_loc)
}

fn write_loc(f: &mut Formatter<'_>, loc: Loc) -> fmt::Result {
    if loc == Loc::NONE {
        writeln!(f)
    } else {
        writeln!(f, "  ; {loc}")
    }
}

fn write_list(f: &mut Formatter<'_>, operands: &[Operand]) -> fmt::Result {
    for (i, o) in operands.iter().enumerate() {
        let comma = if i > 0 { ", " } else { "" };
        write!(f, "{comma}{o}")?;
    }
    Ok(())
}

/// The name of an enum value in lower case.
fn word(value: impl fmt::Debug) -> String {
    format!("{value:?}").to_lowercase()
}

/// The name of an enum value in lower case with underscores.
fn snake(value: impl fmt::Debug) -> String {
    let mut out = String::new();
    for c in format!("{value:?}").chars() {
        if c.is_uppercase() && !out.is_empty() {
            out.push('_');
        }
        out.extend(c.to_lowercase());
    }
    out
}

#[rustfmt::skip]
fn write_inst(f: &mut Formatter<'_>, function: &Function, inst: &Inst) -> fmt::Result {
    if let Some(dst) = inst.dst {
        write!(f, "{dst}: ")?;
        write_type(f, function, dst.into())?;
        f.write_str(" = ")?;
    }
    // The address space of an access is that of its pointer.
    let space = |ptr: Operand| {
        let space = function.operand_type(ptr).and_then(|ty| ty.space());
        space.map_or("?".to_string(), |s| s.to_string())
    };
    let volatile = |v: bool| if v { " volatile" } else { "" };
    match &inst.op {
        Op::Copy(a) => write!(f, "copy {a}"),
        Op::Int(op, a, b) => write!(f, "{} {a}, {b}", word(op)),
        Op::Float(op, a, b) => write!(f, "f{} {a}, {b}", word(op)),
        Op::Unary(op, a) => write!(f, "{} {a}", word(op)),
        Op::Compare(cmp, a, b) => write!(f, "compare.{} {a}, {b}", word(cmp)),
        Op::Convert { value, from, to, rounding, saturate } => {
            let kind = |k: &NumKind| match k {
                NumKind::Signed => "s",
                NumKind::Unsigned => "u",
                NumKind::Float => "f",
            };
            write!(f, "convert.{}{}", kind(from), kind(to))?;
            if *saturate {
                f.write_str(".sat")?;
            }
            f.write_str(match rounding {
                Rounding::Default => "",
                Rounding::NearestEven => ".rte",
                Rounding::TowardZero => ".rtz",
                Rounding::Up => ".rtp",
                Rounding::Down => ".rtn",
            })?;
            write!(f, " {value}")
        }
        Op::Bitcast(a) => write!(f, "bitcast {a}"),
        Op::PtrCast(a) => write!(f, "ptr_cast {a}"),
        Op::ToSpace(a) => write!(f, "to_space {a}"),
        Op::Select(c, a, b) => write!(f, "select {c}, {a}, {b}"),
        Op::Splat(a) => write!(f, "splat {a}"),
        Op::Construct(elements) => {
            f.write_str("construct ")?;
            write_list(f, elements)
        }
        Op::Extract(v, i) => write!(f, "extract {v}, {i}"),
        Op::Insert(v, i, x) => write!(f, "insert {v}, {i}, {x}"),
        Op::Shuffle(a, b, mask) => write!(f, "shuffle {a}, {b}, {mask:?}"),
        Op::SlotAddr(slot) => write!(f, "slot_addr {slot}"),
        Op::GlobalAddr(id) => write!(f, "global_addr {id}"),
        Op::LocalAddr(id) => write!(f, "local_addr {id}"),
        Op::PtrAdd { base, index, scale, disp } =>
            write!(f, "ptr_add {base} + {index} * {scale} + {disp}"),
        Op::Load { ptr, align, volatile: v } =>
            write!(f, "load.{}{} [{ptr}], align {align}", space(*ptr), volatile(*v)),
        Op::Store { ptr, value, align, volatile: v } =>
            write!(f, "store.{}{} [{ptr}], {value}, align {align}", space(*ptr), volatile(*v)),
        Op::AtomicLoad { ptr, order, scope } =>
            write!(f, "atomic_load.{} [{ptr}], {order}, {scope}", space(*ptr)),
        Op::AtomicStore { ptr, value, order, scope } =>
            write!(f, "atomic_store.{} [{ptr}], {value}, {order}, {scope}", space(*ptr)),
        Op::AtomicRmw { op, ptr, value, order, scope } =>
            write!(f, "atomic_{op}.{} [{ptr}], {value}, {order}, {scope}", space(*ptr)),
        Op::AtomicCas { ptr, expected, desired, success, failure, scope, weak } =>
            write!(
                f,
                "atomic_cas{}.{} [{ptr}], {expected} -> {desired}, {success} else {failure}, {scope}",
                if *weak { "_weak" } else { "" },
                space(*ptr)
            ),
        Op::Fence { regions, order, scope } => write!(f, "fence {regions}, {order}, {scope}"),
        Op::Barrier { kind, regions, scope } => {
            let kind = match kind {
                BarrierKind::WorkGroup => "work_group",
                BarrierKind::SubGroup => "sub_group",
            };
            write!(f, "barrier.{kind} {regions}, {scope}")
        }
        Op::Collective { kind, function, value, from } => {
            let kind = match kind {
                BarrierKind::WorkGroup => "work_group",
                BarrierKind::SubGroup => "sub_group",
            };
            let (name, op) = match function {
                Collective::Broadcast => ("broadcast", None),
                Collective::Shuffle => ("shuffle", None),
                Collective::Reduce(op) => ("reduce", Some(op)),
                Collective::InclusiveScan(op) => ("inclusive_scan", Some(op)),
                Collective::ExclusiveScan(op) => ("exclusive_scan", Some(op)),
            };
            write!(f, "{name}.{kind}")?;
            if let Some(op) = op {
                write!(f, ".{op}")?;
            }
            write!(f, " {value}")?;
            if !from.is_empty() {
                f.write_str(" from ")?;
                write_list(f, from)?;
            }
            Ok(())
        }
        Op::MemCopy { dst, src, size, align } =>
            write!(
                f,
                "mem_copy.{}.{} [{dst}], [{src}], {size}, align {align}",
                space(*dst),
                space(*src)
            ),
        Op::MemSet { dst, byte, size, align } =>
            write!(f, "mem_set.{} [{dst}], {byte}, {size}, align {align}", space(*dst)),
        Op::Call { callee, args } => {
            write!(f, "call {callee}(")?;
            write_list(f, args)?;
            f.write_char(')')
        }
        Op::Query { query, dim } => {
            write!(f, "query.{}", snake(query))?;
            match dim {
                Some(dim) => write!(f, " {dim}"),
                None => Ok(()),
            }
        }
        Op::Intrinsic(intrinsic, args) => {
            write!(f, "{} ", intrinsic.name())?;
            write_list(f, args)
        }
        Op::Printf { format, args } => {
            write!(f, "printf.{} [{format}](", space(*format))?;
            write_list(f, args)?;
            f.write_char(')')
        }
        Op::Device { function, block, args } => {
            write!(f, "{function}")?;
            if let Some(block) = block {
                write!(f, " {block}")?;
            }
            f.write_char('(')?;
            write_list(f, args)?;
            f.write_char(')')
        }
    }
}

fn write_terminator(f: &mut Formatter<'_>, term: &Terminator) -> fmt::Result {
    match term {
        Terminator::Jump(to) => write!(f, "jump {to}"),
        Terminator::Branch {
            cond,
            then_block,
            else_block,
        } => write!(f, "branch {cond}, {then_block}, {else_block}"),
        Terminator::Switch {
            value,
            cases,
            default,
        } => {
            write!(f, "switch {value}")?;
            for (value, block) in cases {
                write!(f, ", {value} => {block}")?;
            }
            write!(f, ", else {default}")
        }
        Terminator::Return(Some(value)) => write!(f, "return {value}"),
        Terminator::Return(None) => f.write_str("return"),
        Terminator::Unreachable => f.write_str("unreachable"),
        Terminator::Trap(reason) => write!(f, "trap {}", snake(reason)),
    }
}
