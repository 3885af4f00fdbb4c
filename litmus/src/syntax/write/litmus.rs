//! A program as a `.litmus` file.

use super::columns::columns;
use super::command::host_call;
use super::expression::ThreadText;
use super::predicate::predicate;
use crate::program::{
    Access, Api, Atomicity, BarrierScope, Expr, Instr, LocId, Location, Placement, Program,
    Quantifier, RegId, Region, ScalarType, Thread, each_address, each_expr, each_instr,
};
use std::fmt::Write;

/// Writes a test in the `.litmus` dialect of its API. What the readers produce reads back equal.
pub fn write_litmus(program: &Program) -> String {
    match program.api {
        Api::OpenCl => in_c(program),
        Api::Vulkan => columns(program),
    }
}

fn in_c(program: &Program) -> String {
    let mut out = format!("OPENCL {}\n\n", program.name);
    init_list(program, &mut out);
    let used: Vec<Usage> = program.threads.iter().map(Usage::of).collect();
    for (t, thread) in program.threads.iter().enumerate() {
        thread_text(program, t, thread, &used, &mut out);
    }
    question(program, &mut out);
    out
}

/// The filter and the question.
pub(super) fn question(program: &Program, out: &mut String) {
    if let Some(filter) = &program.filter {
        let _ = writeln!(out, "filter ({})\n", predicate(program, filter));
    }
    let quantifier = match program.condition.quantifier {
        Quantifier::Exists => "exists",
        Quantifier::NotExists => "~exists",
        Quantifier::Forall => "forall",
    };
    let target = predicate(program, &program.condition.predicate);
    let _ = writeln!(out, "{quantifier} ({target})");
}

fn init_list(program: &Program, out: &mut String) {
    out.push_str("{\n");
    for queue in &program.queues {
        let _ = writeln!(out, "  queue {} = {};", queue.name, queue.order);
    }
    for location in &program.locations {
        let _ = writeln!(out, "  {};", init_entry(location));
    }
    for (t, thread) in program.threads.iter().enumerate() {
        for register in &thread.registers {
            if register.init != 0 {
                let value = register.ty.show(register.init);
                let _ = writeln!(out, "  {t}:{} = {value};", register.name);
            }
        }
    }
    out.push_str("}\n\n");
}

fn init_entry(location: &Location) -> String {
    let Location { name, .. } = location;
    let value = init_value(location);
    // parameters of a generic location name no region
    let space = match location.region {
        Region::Local if location.generic => "local ",
        Region::Local | Region::Global | Region::Image | Region::Output | Region::Input => "",
    };
    let type_name = type_name(location);
    let memory = match location.memory.name() {
        Some(memory) => format!("{memory} "),
        None => String::new(),
    };
    let space = format!("{memory}{space}");
    if location.array {
        format!("{space}{type_name} {name}{value}")
    } else if location.region == Region::Global || !location.generic {
        format!("{space}[{name}]{value}")
    } else {
        format!("{space}{type_name} {name}{value}")
    }
}

/// The length of an array, and what a location holds at first: ` = 1`, `[2] = {0, 0}`.
pub(super) fn init_value(location: &Location) -> String {
    let values: Vec<String> = location.init.iter().map(|v| location.ty.show(*v)).collect();
    match location.array {
        true => format!("[{}] = {{{}}}", values.len(), values.join(", ")),
        false => format!(" = {}", values[0]),
    }
}

fn type_name(location: &Location) -> &'static str {
    location
        .ty
        .atomic_name()
        .filter(|_| location.atomic)
        .unwrap_or(location.ty.name())
}

/// Which locations a thread accesses, and how.
#[derive(Default)]
struct Usage {
    all: Vec<LocId>,
    plain: Vec<LocId>,
    volatile: Vec<LocId>,
}

impl Usage {
    fn of(thread: &Thread) -> Usage {
        let mut usage = Usage::default();
        each_address(&thread.body, &mut |address| {
            usage.all.push(address.location)
        });
        each_instr(&thread.body, &mut |instr| {
            if let Instr::Store { access, .. } = instr {
                usage.access(access);
            }
        });
        each_expr(&thread.body, &mut |expr| {
            if let Expr::Load(access) = expr {
                usage.access(access);
            }
        });
        usage
    }

    fn access(&mut self, access: &Access) {
        let location = access.address.location;
        match access.atomicity {
            Atomicity::Plain | Atomicity::NonPrivate(_) => self.plain.push(location),
            Atomicity::Volatile => self.volatile.push(location),
            Atomicity::Atomic(_) => {}
        }
    }

    /// Locations that only volatile accesses reach: their parameter says so.
    fn volatile_params(&self) -> Vec<LocId> {
        let mut params = self.volatile.clone();
        params.retain(|l| !self.plain.contains(l));
        params
    }
}

fn thread_text(program: &Program, t: usize, thread: &Thread, used: &[Usage], out: &mut String) {
    let volatile = used[t].volatile_params();
    let is_param = |l: &LocId| {
        // a location that no thread accesses still needs a parameter that states its type
        used[t].all.contains(l) || (t == 0 && !used.iter().any(|u| u.all.contains(l)))
    };
    let params: Vec<String> = (0..program.locations.len() as u32)
        .map(LocId)
        .filter(is_param)
        .map(|l| param(&program.locations[l.index()], volatile.contains(&l)))
        .collect();
    let kernel = match thread.kernel {
        Some(kernel) => format!("kernel {}, ", program.commands[kernel.index()].name),
        None => String::new(),
    };
    let place = match thread.placement {
        Placement::Host => "host".to_string(),
        Placement::Device(item) => format!("{kernel}{item}"),
    };
    let _ = writeln!(out, "P{t}@{place} ({}) {{", params.join(", "));
    let text = ThreadText {
        program,
        thread,
        volatile,
    };
    Body {
        text: &text,
        inline: declared_inline(thread),
        out,
    }
    .thread();
    out.push_str("}\n\n");
}

fn param(location: &Location, volatile: bool) -> String {
    let volatile = if volatile { "volatile " } else { "" };
    let space = match location.region {
        _ if location.generic => "",
        Region::Global | Region::Image | Region::Output | Region::Input => "global ",
        Region::Local => "local ",
    };
    format!(
        "{volatile}{space}{}* {}",
        type_name(location),
        location.name
    )
}

/// How a register is declared; `bool` holds flags.
fn register_type(ty: ScalarType) -> &'static str {
    match ty == ScalarType::Flag {
        true => "bool",
        false => ty.name(),
    }
}

/// The first register of those declared where they are first assigned; lower ones are declared
/// ahead of the body. Declarations must come in the registers' order, so the longest tail is
/// taken whose first mentions are assignments at the outermost level, in that order.
fn declared_inline(thread: &Thread) -> u32 {
    let first: Vec<Option<usize>> = (0..thread.registers.len() as u32)
        .map(|r| first_assignment(thread, RegId(r)))
        .collect();
    let mut start = first.len();
    let mut later = usize::MAX;
    while start > 0 {
        match first[start - 1] {
            Some(at) if at < later => later = at,
            Some(_) | None => break,
        }
        start -= 1;
    }
    start as u32
}

/// Index of the outermost statement that assigns `register`, where nothing before it or in its
/// value mentions it.
fn first_assignment(thread: &Thread, register: RegId) -> Option<usize> {
    let at = thread
        .body
        .iter()
        .position(|instr| instr.mentions(register))?;
    let assigns = matches!(
        &thread.body[at],
        Instr::Assign { register: r, value } if *r == register && !value.mentions(register)
    );
    assigns.then_some(at)
}

/// A thread's statements.
struct Body<'t, 'o> {
    text: &'t ThreadText<'t>,
    /// Registers from here on are declared where first assigned.
    inline: u32,
    out: &'o mut String,
}

impl Body<'_, '_> {
    fn thread(&mut self) {
        let thread = self.text.thread;
        for register in &thread.registers[..self.inline as usize] {
            let ty = register_type(register.ty);
            self.line(1, &format!("{ty} {};", register.name));
        }
        let mut next = self.inline;
        for instr in &thread.body {
            let mut declared = "";
            if let Instr::Assign { register, .. } = instr
                && register.0 == next
            {
                declared = register_type(thread.registers[register.index()].ty);
                next += 1;
            }
            self.instr(instr, 1, declared);
        }
    }

    fn line(&mut self, indent: usize, text: &str) {
        let _ = writeln!(self.out, "{:1$}{text}", "", indent * 2);
    }

    fn instrs(&mut self, instrs: &[Instr], indent: usize) {
        for instr in instrs {
            self.instr(instr, indent, "");
        }
    }

    fn instr(&mut self, instr: &Instr, indent: usize, declared: &str) {
        let text = self.text;
        match instr {
            Instr::Assign { register, value } => {
                let space = if declared.is_empty() { "" } else { " " };
                let register = text.register(*register);
                let value = text.expression(value);
                self.line(indent, &format!("{declared}{space}{register} = {value};"));
            }
            Instr::Effect(value) => self.line(indent, &format!("{};", text.expression(value))),
            Instr::Store { access, value } => {
                self.line(indent, &format!("{};", text.store(access, value)));
            }
            Instr::Fence(fence) => self.line(indent, &format!("{fence};")),
            Instr::Barrier(barrier) => {
                let label = match &barrier.label {
                    Some(label) => format!("{label}: "),
                    None => String::new(),
                };
                let name = match barrier.group {
                    BarrierScope::WorkGroup if barrier.scope.is_some() => "work_group_barrier",
                    BarrierScope::WorkGroup | BarrierScope::QueueFamily | BarrierScope::Device => {
                        "barrier"
                    }
                    BarrierScope::SubGroup => "sub_group_barrier",
                };
                let flags = barrier.flags;
                let scope = match barrier.scope {
                    Some(scope) => format!(", {scope}"),
                    None => String::new(),
                };
                self.line(indent, &format!("{label}{name}({flags}{scope});"));
            }
            // Programs of OpenCL have none.
            Instr::Domain(_) => {}
            Instr::If(branch) => {
                let condition = text.expression(&branch.condition);
                self.line(indent, &format!("if ({condition}) {{"));
                self.instrs(&branch.then, indent + 1);
                if !branch.otherwise.is_empty() {
                    self.line(indent, "} else {");
                    self.instrs(&branch.otherwise, indent + 1);
                }
                self.line(indent, "}");
            }
            Instr::While { condition, body } => {
                let condition = text.expression(condition);
                self.line(indent, &format!("while ({condition}) {{"));
                self.instrs(body, indent + 1);
                self.line(indent, "}");
            }
            Instr::Return => self.line(indent, "return;"),
            Instr::Host(call) => {
                let call = host_call(text.program, call);
                self.line(indent, &call);
            }
        }
    }
}
