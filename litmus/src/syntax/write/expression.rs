//! Expressions as C, with no more parentheses than reading back needs.

use crate::program::{
    Access, Address, Atomicity, Expected, Expr, LocId, Program, RegId, RmwOp, ScalarType, Thread,
    UnOp,
};

/// How tightly `?:`, binary operators, and everything tighter bind; as in the parser.
const SELECT: u8 = 0;
const TIGHTEST: u8 = 11;

/// Writes what stands inside one thread.
pub(crate) struct ThreadText<'p> {
    pub program: &'p Program,
    pub thread: &'p Thread,
    /// Locations that the thread's parameters declare volatile.
    pub volatile: Vec<LocId>,
}

impl ThreadText<'_> {
    /// An expression.
    pub fn expression(&self, expr: &Expr) -> String {
        self.at_level(expr, SELECT)
    }

    pub fn register(&self, register: RegId) -> &str {
        &self.thread.registers[register.index()].name
    }

    pub fn location(&self, location: LocId) -> &str {
        &self.program.locations[location.index()].name
    }

    /// An expression where only operators of at least `level` may stand bare.
    fn at_level(&self, expr: &Expr, level: u8) -> String {
        let (text, own) = self.with_level(expr);
        if own < level {
            format!("({text})")
        } else {
            text
        }
    }

    fn with_level(&self, expr: &Expr) -> (String, u8) {
        match expr {
            Expr::Const(value) => (value.to_string(), TIGHTEST),
            Expr::Reg(register) => (self.register(*register).to_string(), TIGHTEST),
            Expr::Unary(op, operand) => {
                let operand =
                    if *op == UnOp::Neg && matches!(**operand, Expr::Const(value) if value >= 0) {
                        // `-1` would read as one constant
                        format!("({})", self.expression(operand))
                    } else {
                        self.at_level(operand, TIGHTEST)
                    };
                // `--` would read as one mark
                let space = if operand.starts_with('-') { " " } else { "" };
                (format!("{op}{space}{operand}"), TIGHTEST)
            }
            Expr::Binary(op, left, right) => {
                let level = op.level();
                let left = self.at_level(left, level);
                let right = self.at_level(right, level + 1);
                (format!("{left} {op} {right}"), level)
            }
            Expr::Select(condition, yes, no) => {
                let condition = self.at_level(condition, SELECT + 1);
                let text = format!(
                    "{condition} ? {} : {}",
                    self.expression(yes),
                    self.expression(no)
                );
                (text, SELECT)
            }
            Expr::Load(access) => (self.load(access), TIGHTEST),
            Expr::Rmw(rmw) => {
                let mut arguments = vec![self.pointer(&rmw.address)];
                if rmw.op != RmwOp::TestAndSet {
                    arguments.push(self.expression(&rmw.operand));
                }
                (rmw.atomic.call(rmw.op.name(), arguments, None), TIGHTEST)
            }
            Expr::Cas(cas) => {
                let expected = match &cas.expected {
                    Expected::Location(address) => self.pointer(address),
                    Expected::Register(register) => format!("&{}", self.register(*register)),
                };
                let desired = self.expression(&cas.desired);
                let arguments = vec![self.pointer(&cas.address), expected, desired];
                let name = cas.strength.name();
                let call = cas.atomic.call(name, arguments, Some(cas.failure));
                (call, TIGHTEST)
            }
        }
    }

    fn load(&self, access: &Access) -> String {
        match access.atomicity.atomic() {
            None => self.element(access),
            Some(atomic) => atomic.call("atomic_load", vec![self.pointer(&access.address)], None),
        }
    }

    /// A plain or volatile element, as it is read or assigned.
    pub fn element(&self, access: &Access) -> String {
        let location = access.address.location;
        let name = self.location(location);
        let index = access.address.index.as_deref();
        let cast = access.atomicity == Atomicity::Volatile && !self.volatile.contains(&location);
        match (cast, index) {
            (false, None) => format!("*{name}"),
            (false, Some(index)) => format!("{name}[{}]", self.expression(index)),
            (true, index) => {
                let ty = self.program.locations[location.index()].ty;
                let pointer = format!("(volatile {ty}*){name}");
                match index {
                    None => format!("*{pointer}"),
                    Some(index) => format!("({pointer})[{}]", self.expression(index)),
                }
            }
        }
    }

    /// An address, as atomic functions take it.
    pub fn pointer(&self, address: &Address) -> String {
        let name = self.location(address.location);
        match &address.index {
            None => name.to_string(),
            Some(index) => format!("&{name}[{}]", self.expression(index)),
        }
    }

    /// A store without its semicolon.
    pub fn store(&self, access: &Access, value: &Expr) -> String {
        let Some(atomic) = access.atomicity.atomic() else {
            return format!("{} = {}", self.element(access), self.expression(value));
        };
        let location = &self.program.locations[access.address.location.index()];
        let mut arguments = vec![self.pointer(&access.address)];
        if location.ty == ScalarType::Flag {
            return atomic.call("atomic_flag_clear", arguments, None);
        }
        arguments.push(self.expression(value));
        atomic.call("atomic_store", arguments, None)
    }
}
