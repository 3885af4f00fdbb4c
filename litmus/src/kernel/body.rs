//! A thread's instructions as OpenCL C statements.
//!
//! Locations are reached through the pointers `loc<i>` (to 32-bit words, global or local) that the
//! test kernel sets up for each instance, registers are private variables `p<t>_<name>`.

use super::operation::Operation;
use crate::program::{
    Access, Address, Atomicity, Barrier, BarrierScope, BinOp, Cas, Expected, Expr, Instr, LocId,
    Program, RegId, Region, RmwOp, ThreadId, each_instr,
};

/// Which atomic functions the kernel is written with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AtomicsDialect {
    /// OpenCL C 2.0 and later: the C11 functions.
    C11,
    /// OpenCL 1.x: relaxed 32-bit read-modify-writes. A store is an exchange and a load adds zero,
    /// because 1.x promises indivisibility of these functions alone.
    V1,
    /// Vulkan: what the test does to memory are calls of the functions of [`Operation`]s, all else is as in
    /// [`AtomicsDialect::C11`].
    Vulkan,
}

/// Writes statements of one thread.
pub struct BodyWriter<'p> {
    program: &'p Program,
    thread: ThreadId,
    dialect: AtomicsDialect,
    /// The thread contains `return`, which must leave the instance but not the kernel.
    returns: bool,
    text: String,
    depth: usize,
    loops: u32,
    temporaries: u32,
    /// The expression being written touches memory more than once: each access becomes a statement
    /// of its own, because C leaves the order of operands open and a program does not. A
    /// compare-exchange always does: its expected value is read before, and written back after a
    /// failure, plainly, as the function does itself, through a private copy, because
    /// implementations differ in which address spaces they accept there.
    sequencing: bool,
}

impl<'p> BodyWriter<'p> {
    /// A writer for one thread, indenting by `depth` levels.
    pub fn new(
        program: &'p Program,
        thread: ThreadId,
        dialect: AtomicsDialect,
        depth: usize,
    ) -> Self {
        let mut returns = false;
        each_instr(&program.threads[thread.index()].body, &mut |i| {
            returns |= matches!(i, Instr::Return);
        });
        BodyWriter {
            program,
            thread,
            dialect,
            returns,
            text: String::new(),
            depth,
            loops: 0,
            temporaries: 0,
            sequencing: false,
        }
    }

    /// The statements of a barrier-free stretch of the body.
    pub fn segment(mut self, body: &[Instr], index: usize) -> String {
        self.loops = index as u32 * 1000;
        self.temporaries = index as u32 * 1000;
        if self.returns {
            self.line("do {");
            self.depth += 1;
            self.instrs(body, 0);
            self.depth -= 1;
            self.line("} while (0);");
        } else {
            self.instrs(body, 0);
        }
        self.text
    }

    /// Declarations of the thread's registers with their initial values.
    pub fn declarations(mut self) -> String {
        for (i, r) in self.program.threads[self.thread.index()]
            .registers
            .iter()
            .enumerate()
        {
            let name = self.register(RegId(i as u32));
            let ty = match r.ty.atomic_name() {
                Some("atomic_flag") => "int",
                Some(_) | None => r.ty.name(),
            };
            let init = constant(r.init, r.ty.bits());
            self.line(&format!("{ty} {name} = {init};"));
        }
        if self.returns {
            let flag = self.return_flag();
            self.line(&format!("int {flag} = 0;"));
        }
        self.text
    }

    /// Ordinary reads of whole locations, mixed into a variable.
    pub fn reads(mut self, locations: &[LocId], into: &str) -> String {
        for &location in locations {
            let address = Address {
                location,
                index: None,
            };
            let at = self.plain_pointer(&address, false);
            self.line(&format!("{into} ^= (uint)*{at};"));
        }
        self.text
    }

    fn return_flag(&self) -> String {
        format!("p{}_returned_", self.thread.0)
    }

    /// The C name of a register.
    pub fn register(&self, r: RegId) -> String {
        register_name(self.program, self.thread, r)
    }

    fn line(&mut self, text: &str) {
        for _ in 0..self.depth {
            self.text.push_str("    ");
        }
        self.text.push_str(text);
        self.text.push('\n');
    }

    fn instrs(&mut self, body: &[Instr], loop_depth: u32) {
        for instr in body {
            self.instr(instr, loop_depth);
        }
    }

    fn instr(&mut self, instr: &Instr, loop_depth: u32) {
        match instr {
            Instr::Assign { register, value } => {
                let (r, e) = (self.register(*register), self.value(value));
                self.line(&format!("{r} = {e};"));
            }
            Instr::Effect(e) => {
                let e = self.value(e);
                self.line(&format!("(void)({e});"));
            }
            Instr::Store { access, value } => {
                let value = self.value(value);
                let text = self.store(access, &value);
                self.line(&format!("{text};"));
            }
            Instr::Fence(fence) if self.dialect == AtomicsDialect::Vulkan => {
                let name = Operation::of_fence(fence).name(None);
                self.line(&format!("{name}();"));
            }
            Instr::Fence(fence) => self.line(&format!("{fence};")),
            // Barriers stand between segments, where the test kernel writes them; `Shape::of`
            // refuses programs with commands, and those of another API.
            Instr::Barrier(_) | Instr::Host(_) | Instr::Domain(_) => {}
            Instr::If(branch) => {
                let c = self.value(&branch.condition);
                self.line(&format!("if ({c}) {{"));
                self.block(&branch.then, loop_depth);
                if !branch.otherwise.is_empty() {
                    self.line("} else {");
                    self.block(&branch.otherwise, loop_depth);
                }
                self.line("}");
            }
            Instr::While { condition, body } => {
                // Bounded: no progress is promised among work-items. Giving up is recorded.
                let n = self.loops;
                self.loops += 1;
                self.line(&format!("uint spin{n} = 0;"));
                self.line("for (;;) {");
                self.depth += 1;
                let c = self.value(condition);
                self.line(&format!("if (!({c})) break;"));
                self.line(&format!(
                    "if (++spin{n} > loop_bound) {{ gave_up = 1; break; }}"
                ));
                self.instrs(body, loop_depth + 1);
                self.depth -= 1;
                self.line("}");
                if self.returns {
                    let flag = self.return_flag();
                    self.line(&format!("if ({flag}) break;"));
                }
            }
            Instr::Return => {
                let flag = self.return_flag();
                self.line(&format!("{flag} = 1;"));
                self.line("break;");
            }
        }
    }

    fn block(&mut self, body: &[Instr], loop_depth: u32) {
        self.depth += 1;
        self.instrs(body, loop_depth);
        self.depth -= 1;
    }

    /// Pointer to an element, as type `ty` in the location's address space.
    fn pointer(&mut self, address: &Address, ty: &str, volatile: bool) -> String {
        let location = &self.program.locations[address.location.index()];
        let space = match location.region {
            Region::Global | Region::Image | Region::Output | Region::Input => "__global",
            Region::Local => "__local",
        };
        let qualifier = if volatile { "volatile " } else { "" };
        let base = format!(
            "({qualifier}{space} {ty} *){}",
            location_pointer(address.location)
        );
        match &address.index {
            None => base,
            Some(index) => {
                let index = self.expr(index);
                // An index outside the location is undefined; keep it from leaving the instance.
                format!(
                    "({base} + classay_clamp((long)({index}), {}))",
                    location.len()
                )
            }
        }
    }

    fn atomic_pointer(&mut self, address: &Address) -> String {
        let ty = self.program.locations[address.location.index()].ty;
        let name = match self.dialect {
            AtomicsDialect::C11 | AtomicsDialect::Vulkan => {
                ty.atomic_name().unwrap_or("atomic_int")
            }
            AtomicsDialect::V1 => match ty.atomic_name() {
                Some("atomic_uint") => "uint",
                Some(_) | None => "int",
            },
        };
        self.pointer(address, name, true)
    }

    fn plain_pointer(&mut self, address: &Address, volatile: bool) -> String {
        let ty = self.program.locations[address.location.index()].ty;
        let name = match ty.atomic_name() {
            Some("atomic_flag") => "int",
            Some(_) | None => ty.name(),
        };
        self.pointer(address, name, volatile)
    }

    /// What an ordinary access reads or writes.
    fn plain(&mut self, access: &Access) -> String {
        let volatile = access.atomicity == Atomicity::Volatile;
        format!("*{}", self.plain_pointer(&access.address, volatile))
    }

    /// The call of the function that stands for an operation of Vulkan on memory.
    fn operation(&mut self, operation: Operation, on: &Address, values: &[String]) -> String {
        let location = &self.program.locations[on.location.index()];
        let name = operation.name(Some((location.ty, location.region)));
        let mut arguments = vec![self.plain_pointer(on, false)];
        arguments.extend_from_slice(values);
        format!("{name}({})", arguments.join(", "))
    }

    fn store(&mut self, access: &Access, value: &str) -> String {
        if self.dialect == AtomicsDialect::Vulkan {
            let value = self.operand(access.address.location, value.to_string());
            let operation = Operation::of_store(access);
            return self.operation(operation, &access.address, &[value]);
        }
        let Some(atomic) = access.atomicity.atomic() else {
            return format!("{} = {value}", self.plain(access));
        };
        let location = access.address.location;
        let value = self.operand(location, value.to_string());
        let p = self.atomic_pointer(&access.address);
        match self.dialect {
            AtomicsDialect::V1 => format!("(void)atomic_xchg({p}, {value})"),
            AtomicsDialect::C11 | AtomicsDialect::Vulkan if self.is_flag(location) => {
                atomic.call("atomic_flag_clear", vec![p], None)
            }
            AtomicsDialect::C11 | AtomicsDialect::Vulkan => {
                atomic.call("atomic_store", vec![p, value], None)
            }
        }
    }

    fn is_flag(&self, location: LocId) -> bool {
        self.program.locations[location.index()].ty.atomic_name() == Some("atomic_flag")
    }

    /// A whole expression: its accesses in order, as statements where there are several, then
    /// the text of its value.
    fn value(&mut self, e: &Expr) -> String {
        let (total, compare_exchanges) = accesses(e);
        self.sequencing = total > 1 || compare_exchanges > 0;
        let text = self.expr(e);
        self.sequencing = false;
        text
    }

    /// The text of an access, or the temporary that holds its value.
    fn accessed(&mut self, ty: &str, text: String) -> String {
        if !self.sequencing {
            return text;
        }
        let n = self.temporaries;
        self.temporaries += 1;
        self.line(&format!("{ty} t{n} = {text};"));
        format!("t{n}")
    }

    /// A value for an atomic function, in the type of its object: the functions are overloaded, and
    /// a value of another type makes some compilers see several that fit.
    fn operand(&self, location: LocId, value: String) -> String {
        let ty = self.value_type(location);
        if ty == "int" && value.parse::<i32>().is_ok() {
            value
        } else {
            format!("({ty})({value})")
        }
    }

    fn value_type(&self, location: LocId) -> &'static str {
        if self.is_flag(location) {
            "int"
        } else {
            self.program.locations[location.index()].ty.name()
        }
    }

    /// `&&`, `||` and `?:` whose later operands touch memory, as branches.
    fn branches(&mut self, c: &Expr, yes: Option<&Expr>, no: Option<&Expr>) -> String {
        let n = self.temporaries;
        self.temporaries += 1;
        let condition = self.expr(c);
        // The arms of `?:` may be of any integer type; `&&` and `||` give 0 or 1.
        let ty = if yes.is_some() && no.is_some() {
            "long"
        } else {
            "int"
        };
        self.line(&format!("{ty} t{n} = ({condition}) != 0;"));
        self.line(&format!("if (t{n}) {{"));
        let logical = yes.is_none() || no.is_none();
        for (arm, more) in [(yes, true), (no, false)] {
            self.depth += 1;
            if let Some(arm) = arm {
                let text = self.expr(arm);
                let text = if logical {
                    format!("({text}) != 0")
                } else {
                    text
                };
                self.line(&format!("t{n} = {text};"));
            }
            self.depth -= 1;
            self.line(if more { "} else {" } else { "}" });
        }
        format!("t{n}")
    }

    /// An expression, parenthesised wherever that could matter.
    fn expr(&mut self, e: &Expr) -> String {
        match e {
            Expr::Binary(BinOp::LogicalAnd, a, b) if self.sequencing && accesses(b).0 > 0 => {
                self.branches(a, Some(b), None)
            }
            Expr::Binary(BinOp::LogicalOr, a, b) if self.sequencing && accesses(b).0 > 0 => {
                self.branches(a, None, Some(b))
            }
            Expr::Select(c, a, b) if self.sequencing && accesses(a).0 + accesses(b).0 > 0 => {
                self.branches(c, Some(a), Some(b))
            }
            Expr::Const(c) => constant(*c, if i32::try_from(*c).is_ok() { 32 } else { 64 }),
            Expr::Reg(r) => self.register(*r),
            Expr::Unary(op, a) => {
                let a = self.expr(a);
                format!("({op}{a})")
            }
            Expr::Binary(op, a, b) => {
                let (a, b) = (self.expr(a), self.expr(b));
                format!("({a} {op} {b})")
            }
            Expr::Select(c, a, b) => {
                let (c, a, b) = (self.expr(c), self.expr(a), self.expr(b));
                format!("({c} ? {a} : {b})")
            }
            Expr::Load(access) => {
                let text = match access.atomicity.atomic() {
                    _ if self.dialect == AtomicsDialect::Vulkan => {
                        self.operation(Operation::of_load(access), &access.address, &[])
                    }
                    None => self.plain(access),
                    Some(atomic) => {
                        let p = self.atomic_pointer(&access.address);
                        match self.dialect {
                            AtomicsDialect::V1 => format!("atomic_add({p}, 0)"),
                            AtomicsDialect::C11 | AtomicsDialect::Vulkan => {
                                atomic.call("atomic_load", vec![p], None)
                            }
                        }
                    }
                };
                self.accessed(self.value_type(access.address.location), text)
            }
            Expr::Rmw(rmw) => {
                let location = rmw.address.location;
                let p = self.atomic_pointer(&rmw.address);
                let operand = self.expr(&rmw.operand);
                let operand = self.operand(location, operand);
                let call = |arguments| rmw.atomic.call(rmw.op.name(), arguments, None);
                let text = match self.dialect {
                    AtomicsDialect::Vulkan => {
                        let ty = self.program.locations[location.index()].ty;
                        let operation = Operation::of_rmw(rmw, ty);
                        self.operation(operation, &rmw.address, &[operand])
                    }
                    AtomicsDialect::V1 => {
                        format!("atomic_{}({p}, {operand})", rmw.op.legacy_name())
                    }
                    AtomicsDialect::C11 if rmw.op == RmwOp::TestAndSet => {
                        format!("(int){}", call(vec![p]))
                    }
                    AtomicsDialect::C11 => call(vec![p, operand]),
                };
                self.accessed(self.value_type(location), text)
            }
            Expr::Cas(cas) => self.compare_exchange(cas),
        }
    }

    fn compare_exchange(&mut self, cas: &Cas) -> String {
        let p = self.atomic_pointer(&cas.address);
        let desired = self.expr(&cas.desired);
        let desired = self.operand(cas.address.location, desired);
        let place = match &cas.expected {
            Expected::Location(a) => {
                let at = self.plain_pointer(a, false);
                format!("*({at})")
            }
            Expected::Register(r) => self.register(*r),
        };
        let n = self.temporaries;
        self.temporaries += 1;
        let ty = self.value_type(cas.address.location);
        self.line(&format!("{ty} want{n} = {place};"));
        match self.dialect {
            AtomicsDialect::C11 => {
                let arguments = vec![p, format!("&want{n}"), desired];
                let failure = Some(cas.failure);
                let text = cas.atomic.call(cas.strength.name(), arguments, failure);
                self.line(&format!("const int t{n} = {text};"));
            }
            AtomicsDialect::V1 | AtomicsDialect::Vulkan => {
                let seen = match self.dialect {
                    AtomicsDialect::Vulkan => {
                        let values = [format!("want{n}"), desired];
                        self.operation(Operation::of_cas(cas), &cas.address, &values)
                    }
                    _ => format!("atomic_cmpxchg({p}, want{n}, {desired})"),
                };
                self.line(&format!("const {ty} seen{n} = {seen};"));
                self.line(&format!("const int t{n} = seen{n} == want{n};"));
                self.line(&format!("want{n} = seen{n};"));
            }
        }
        self.line(&format!("if (!t{n}) {place} = want{n};"));
        format!("t{n}")
    }
}

/// Number of accesses in an expression (a compare-exchange and its expected value count as one),
/// and how many of them are compare-exchanges.
fn accesses(e: &Expr) -> (u32, u32) {
    let (mut total, mut compare_exchanges) = (0, 0);
    e.each(&mut |e| {
        total += u32::from(matches!(e, Expr::Load(_) | Expr::Rmw(_) | Expr::Cas(_)));
        compare_exchanges += u32::from(matches!(e, Expr::Cas(_)));
    });
    (total, compare_exchanges)
}

/// The pointer variable of a location.
pub fn location_pointer(location: LocId) -> String {
    format!("loc{}", location.0)
}

/// The C name of a register: prefixed, so that it cannot meet a keyword, a macro or another thread.
pub fn register_name(program: &Program, thread: ThreadId, r: RegId) -> String {
    let name = &program.threads[thread.index()].registers[r.index()].name;
    let clean: String = name
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
        .collect();
    format!("p{}_{}_{clean}", thread.0, r.0)
}

/// A barrier as a statement.
pub fn barrier(b: &Barrier, dialect: AtomicsDialect) -> String {
    if dialect == AtomicsDialect::Vulkan {
        return format!("{}();", Operation::of_barrier(b).name(None));
    }
    let flags = b.flags;
    let name = match (b.group, dialect) {
        (BarrierScope::SubGroup, _) => "sub_group_barrier",
        (
            BarrierScope::WorkGroup | BarrierScope::QueueFamily | BarrierScope::Device,
            AtomicsDialect::C11 | AtomicsDialect::Vulkan,
        ) => "work_group_barrier",
        (
            BarrierScope::WorkGroup | BarrierScope::QueueFamily | BarrierScope::Device,
            AtomicsDialect::V1,
        ) => "barrier",
    };
    match b.scope {
        Some(scope) => format!("{name}({flags}, {});", scope.name()),
        None => format!("{name}({flags});"),
    }
}

/// A constant of so many bits. The least one has no literal of its own.
fn constant(value: i64, bits: u32) -> String {
    let (suffix, least) = match bits {
        64 => ("L", i64::MIN),
        _ => ("", i64::from(i32::MIN)),
    };
    if value == least {
        return format!("({}{suffix} - 1{suffix})", value + 1);
    }
    let digits = format!("{value}{suffix}");
    match value < 0 {
        true => format!("({digits})"),
        false => digits,
    }
}
