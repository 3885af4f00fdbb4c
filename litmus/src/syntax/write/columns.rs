//! A program of Vulkan as a `.litmus` file: threads beside each other, an instruction a cell.

use super::expression::ThreadText;
use super::litmus::{init_value, question};
use crate::program::{
    Access, Address, Atomic, Atomicity, Barrier, BinOp, Expected, Expr, Fence, FenceFlags, Instr,
    LocId, Location, Make, MemOrder, MemScope, Placement, Program, Region, RmwOp, ScalarType,
    Thread, WorkItem, uses_location,
};
use crate::syntax::lower::domain::DomainWord;
use crate::syntax::lower::opcode::{BRANCHES, COMPUTE, OPERATIONS, SCOPES};
use std::fmt::Write;

/// Writes a test in the VULKAN dialect.
pub(super) fn columns(program: &Program) -> String {
    let mut out = format!("VULKAN {}\n\n", program.name);
    init_list(program, &mut out);
    let pairs = [
        ("ssw", &program.synchronized),
        ("contributes", &program.contributes),
    ];
    if pairs.iter().any(|(_, pairs)| !pairs.is_empty()) {
        out.push_str("{\n");
        for (word, pairs) in pairs {
            for (before, after) in pairs {
                let _ = writeln!(out, "  {word} {} {};", before.0, after.0);
            }
        }
        out.push_str("}\n\n");
    }
    let columns: Vec<Vec<String>> = program
        .threads
        .iter()
        .enumerate()
        .map(|(t, thread)| column(program, t, thread))
        .collect();
    table(&columns, &mut out);
    out.push('\n');
    question(program, &mut out);
    out
}

fn init_list(program: &Program, out: &mut String) {
    out.push_str("{\n");
    for (l, location) in program.locations.iter().enumerate() {
        let id = LocId(l as u32);
        let used = program.threads.iter().any(|t| uses_location(&t.body, id));
        let class = match used || location.region == Region::Global {
            true => String::new(),
            false => format!("sc{} ", location.region as usize),
        };
        let entry = match location.alias {
            Some(of) => format!(
                "{} aliases {}",
                location.name,
                program.locations[of.index()].name
            ),
            None => init_entry(location),
        };
        let memory = match location.memory.name() {
            Some(memory) => format!("{memory} "),
            None => String::new(),
        };
        let _ = writeln!(out, "  {memory}{class}{entry};");
    }
    for (t, thread) in program.threads.iter().enumerate() {
        for register in &thread.registers {
            let ty = match register.ty {
                ScalarType::Int => String::new(),
                ScalarType::Flag => "bool ".to_owned(),
                other => format!("{other} "),
            };
            let value = register.ty.show(register.init);
            let _ = writeln!(out, "  {ty}{t}:{} = {value};", register.name);
        }
    }
    out.push_str("}\n\n");
}

fn init_entry(location: &Location) -> String {
    let ty = match (location.ty, location.array) {
        (ScalarType::Int, false) => String::new(),
        (ty, _) => format!("{ty} "),
    };
    format!("{ty}{}{}", location.name, init_value(location))
}

/// The cells of a thread, its placement first.
fn column(program: &Program, t: usize, thread: &Thread) -> Vec<String> {
    let text = ThreadText {
        program,
        thread,
        volatile: Vec::new(),
    };
    let mut lines = Lines {
        text: &text,
        labels: 0,
        out: vec![format!("P{t}@{}", placement_text(thread.placement))],
    };
    lines.block(&thread.body);
    lines.out
}

/// Where a thread is, as the VULKAN dialect has it.
pub(crate) fn placement_text(placement: Placement) -> String {
    match placement {
        Placement::Host => "host".to_owned(),
        Placement::Device(WorkItem {
            device,
            queue_family,
            work_group,
            sub_group,
        }) => {
            let sub_group = sub_group.map_or(String::new(), |number| format!("sg {number}, "));
            let device = match device {
                0 => String::new(),
                other => format!(", dev {other}"),
            };
            format!("{sub_group}wg {work_group}, qf {queue_family}{device}")
        }
    }
}

/// Cells as columns of equal width.
fn table(columns: &[Vec<String>], out: &mut String) {
    let widths: Vec<usize> = columns
        .iter()
        .map(|cells| cells.iter().map(String::len).max().unwrap_or(0))
        .collect();
    let rows = columns.iter().map(Vec::len).max().unwrap_or(0);
    for row in 0..rows {
        let cells: Vec<String> = columns
            .iter()
            .zip(&widths)
            .map(|(cells, width)| format!(" {:width$} ", cells.get(row).map_or("", |c| c)))
            .collect();
        let _ = writeln!(out, "{};", cells.join("|"));
    }
}

/// The lines of a thread.
struct Lines<'t> {
    text: &'t ThreadText<'t>,
    /// Labels so far.
    labels: usize,
    out: Vec<String>,
}

impl Lines<'_> {
    fn label(&mut self) -> String {
        let label = format!("LC{:02}", self.labels);
        self.labels += 1;
        label
    }

    fn mark(&mut self, label: &str) {
        self.out.push(format!("{label}:"));
    }

    fn block(&mut self, body: &[Instr]) {
        for instr in body {
            self.instr(instr);
        }
    }

    fn instr(&mut self, instr: &Instr) {
        match instr {
            Instr::If(branch) => {
                let (otherwise, end) = (self.label(), self.label());
                self.leave(&branch.condition, &otherwise);
                self.block(&branch.then);
                if !branch.otherwise.is_empty() {
                    self.out.push(format!("goto {end}"));
                }
                self.mark(&otherwise);
                if !branch.otherwise.is_empty() {
                    self.block(&branch.otherwise);
                    self.mark(&end);
                }
            }
            Instr::While { condition, body } => {
                let (start, end) = (self.label(), self.label());
                self.mark(&start);
                self.leave(condition, &end);
                self.block(body);
                self.out.push(format!("goto {start}"));
                self.mark(&end);
            }
            Instr::Assign { .. }
            | Instr::Effect(_)
            | Instr::Store { .. }
            | Instr::Fence(_)
            | Instr::Barrier(_)
            | Instr::Domain(_)
            | Instr::Return
            | Instr::Host(_) => {
                let line = self.line(instr);
                self.out.push(line);
            }
        }
    }

    /// A branch to `label` where a condition does not hold.
    fn leave(&mut self, condition: &Expr, label: &str) {
        let line = match condition {
            Expr::Binary(op, left, right) if branch_unless(*op).is_some() => {
                let name = branch_unless(*op).unwrap_or_default();
                format!(
                    "{name} {}, {}, {label}",
                    self.operand(left),
                    self.operand(right)
                )
            }
            other => format!("bz {}, {label}", self.operand(other)),
        };
        self.out.push(line);
    }

    /// An instruction that is one line.
    fn line(&self, instr: &Instr) -> String {
        match instr {
            Instr::Assign { register, value } => {
                self.assignment(Some(self.text.register(*register)), value)
            }
            Instr::Effect(value) => self.assignment(None, value),
            Instr::Store { access, value } => {
                let place = self.place(&access.address);
                format!(
                    "st{} {place}, {}",
                    self.access(access, "av"),
                    self.operand(value)
                )
            }
            Instr::Fence(fence) => memory_barrier(fence),
            Instr::Barrier(barrier) => control_barrier(barrier),
            Instr::Domain(operation) => {
                let mnemonic = DomainWord::of(*operation).mnemonic();
                match operation.location() {
                    None => mnemonic.to_owned(),
                    Some(location) => format!("{mnemonic} {}", self.text.location(location)),
                }
            }
            Instr::Return => "ret".to_owned(),
            // Blocks are written line by line, and programs of Vulkan enqueue no commands.
            Instr::If(_) | Instr::While { .. } | Instr::Host(_) => "nop".to_owned(),
        }
    }

    fn assignment(&self, register: Option<&str>, value: &Expr) -> String {
        let into = register.map_or(String::new(), |register| format!("{register}, "));
        match value {
            Expr::Load(access) => {
                let place = self.place(&access.address);
                format!("ld{} {into}{place}", self.access(access, "vis"))
            }
            Expr::Rmw(rmw) => {
                let operation = OPERATIONS.iter().find(|(_, op)| *op == rmw.op);
                let name = match operation {
                    Some((name, op)) if *op != RmwOp::Exchange => format!(".{name}"),
                    Some(_) | None => String::new(),
                };
                let modifiers = self.atomic(&rmw.address, rmw.atomic);
                let place = self.place(&rmw.address);
                let operand = self.operand(&rmw.operand);
                format!("rmw{modifiers}{name} {into}{place}, {operand}")
            }
            Expr::Cas(cas) => {
                let register = match &cas.expected {
                    Expected::Register(register) => self.text.register(*register),
                    Expected::Location(_) => "",
                };
                let failure = match cas.failure == cas.atomic.order.of_load() {
                    true => "",
                    false if cas.failure == MemOrder::Acquire => ".failacq",
                    false => ".failrlx",
                };
                let modifiers = self.atomic(&cas.address, cas.atomic);
                let place = self.place(&cas.address);
                let desired = self.operand(&cas.desired);
                format!("rmw{modifiers}.cas{failure} {register}, {place}, {desired}")
            }
            Expr::Binary(op, left, right) if compute(*op).is_some() && register.is_some() => {
                let name = compute(*op).unwrap_or_default();
                format!(
                    "{name} {into}{}, {}",
                    self.operand(left),
                    self.operand(right)
                )
            }
            other if register.is_some() => format!("mov {into}{}", self.operand(other)),
            _ => "nop".to_owned(),
        }
    }

    /// A value: bare where it is one word, in parentheses otherwise.
    fn operand(&self, value: &Expr) -> String {
        let text = self.text.expression(value);
        match value {
            Expr::Const(_) | Expr::Reg(_) => text,
            Expr::Unary(..)
            | Expr::Binary(..)
            | Expr::Select(..)
            | Expr::Load(_)
            | Expr::Rmw(_)
            | Expr::Cas(_) => format!("({text})"),
        }
    }

    fn place(&self, address: &Address) -> String {
        let name = self.text.location(address.location);
        match &address.index {
            None => name.to_owned(),
            Some(index) => format!("{name}[{}]", self.text.expression(index)),
        }
    }

    /// The modifiers of a load or a store; `coherent` is what it does with a scope.
    fn access(&self, access: &Access, coherent: &str) -> String {
        let class = self.class(&access.address);
        match access.atomicity {
            Atomicity::Plain | Atomicity::Volatile => class,
            Atomicity::NonPrivate(None) => format!(".nonpriv{class}"),
            Atomicity::NonPrivate(Some(at)) => format!(".{coherent}.{}{class}", scope(at)),
            Atomicity::Atomic(atomic) => self.atomic(&access.address, atomic),
        }
    }

    fn atomic(&self, address: &Address, atomic: Atomic) -> String {
        format!(
            ".atom{}.{}{}{}",
            order(atomic.order),
            scope(atomic.reach()),
            self.class(address),
            semantics(atomic.flags, atomic.make)
        )
    }

    fn class(&self, address: &Address) -> String {
        let location = &self.text.program.locations[address.location.index()];
        format!(".sc{}", location.region as usize)
    }
}

fn memory_barrier(fence: &Fence) -> String {
    let semantics = semantics(fence.flags, fence.make);
    format!(
        "membar{}.{}{semantics}",
        order(fence.order),
        scope(fence.scope)
    )
}

fn control_barrier(barrier: &Barrier) -> String {
    let reach = barrier.reach();
    let execution = match barrier.group.own() == reach {
        true => String::new(),
        false => format!(".exec{}", scope(barrier.group.own())),
    };
    let operands = match (&barrier.label, barrier.quorum) {
        (Some(label), None) => format!(" {label}"),
        (Some(label), Some(quorum)) => format!(" {label}, {label}, {quorum}"),
        (None, _) => String::new(),
    };
    format!(
        "cbar{}.{}{execution}{}{operands}",
        order(barrier.order),
        scope(reach),
        semantics(barrier.flags, barrier.make)
    )
}

fn order(order: MemOrder) -> &'static str {
    match order {
        MemOrder::Relaxed => "",
        MemOrder::Acquire => ".acq",
        MemOrder::Release => ".rel",
        MemOrder::AcqRel | MemOrder::SeqCst => ".acq_rel",
    }
}

fn scope(scope: MemScope) -> &'static str {
    let found = SCOPES.iter().find(|(_, known)| *known == scope);
    found.map_or("dv", |(name, _)| name)
}

fn semantics(flags: FenceFlags, make: Make) -> String {
    let mut out = String::new();
    for region in flags.regions() {
        let _ = write!(out, ".semsc{}", region as usize);
    }
    out.push_str(if make.available { ".semav" } else { "" });
    out.push_str(if make.visible { ".semvis" } else { "" });
    out
}

/// The branch that is taken where a comparison does not hold.
fn branch_unless(op: BinOp) -> Option<&'static str> {
    let opposite = match op {
        BinOp::Eq => BinOp::Ne,
        BinOp::Ne => BinOp::Eq,
        BinOp::Lt => BinOp::Ge,
        BinOp::Ge => BinOp::Lt,
        BinOp::Le => BinOp::Gt,
        BinOp::Gt => BinOp::Le,
        BinOp::Add
        | BinOp::Sub
        | BinOp::Mul
        | BinOp::Div
        | BinOp::Rem
        | BinOp::And
        | BinOp::Or
        | BinOp::Xor
        | BinOp::Shl
        | BinOp::Shr
        | BinOp::LogicalAnd
        | BinOp::LogicalOr => return None,
    };
    let found = BRANCHES.iter().find(|(_, op)| *op == opposite);
    found.map(|(name, _)| *name)
}

fn compute(op: BinOp) -> Option<&'static str> {
    let found = COMPUTE.iter().find(|(_, known)| *known == op);
    found.map(|(name, _)| *name)
}
