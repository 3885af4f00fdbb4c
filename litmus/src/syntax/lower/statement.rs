//! Statements. `do`, `for`, `break` and `continue` become `while` and `if` over registers of our
//! own making.

use super::expression::Called;
use super::thread::{Loop, ThreadLowering};
use crate::program::{Access, Address, Atomicity, BinOp, Branch, Expr, Instr, RegId, ScalarType};
use crate::syntax::error::{Outcome, Span};
use crate::syntax::tree::{BaseType, Name, Node, NodeKind, Stmt, StmtKind};

impl ThreadLowering<'_> {
    /// The statements of a thread.
    pub fn body(&mut self, statements: &[Stmt]) -> Outcome<Vec<Instr>> {
        let mut out = Vec::new();
        self.statements(statements, &mut out)?;
        Ok(out)
    }

    fn block(&mut self, statements: &[Stmt]) -> Outcome<Vec<Instr>> {
        self.enter_block();
        let body = self.body(statements);
        self.leave_block();
        body
    }

    fn statements(&mut self, statements: &[Stmt], out: &mut Vec<Instr>) -> Outcome<()> {
        let mut jumped = false;
        for statement in statements {
            let running = self.loops.last().and_then(|l| l.running);
            match running {
                Some(running) if jumped => {
                    let mut guarded = Vec::new();
                    self.statement(statement, &mut guarded)?;
                    if !guarded.is_empty() {
                        self.instructions += 1;
                        out.push(when(running, guarded));
                    }
                }
                Some(_) | None => self.statement(statement, out)?,
            }
            jumped |= jumps(statement, true) || jumps(statement, false);
        }
        Ok(())
    }

    /// Adds an instruction after what must run before it.
    pub fn push(&mut self, instr: Instr, span: Span, out: &mut Vec<Instr>) -> Outcome<()> {
        self.instructions += self.before.len();
        self.check_size(&instr, span)?;
        out.append(&mut self.before);
        out.push(instr);
        Ok(())
    }

    fn statement(&mut self, statement: &Stmt, out: &mut Vec<Instr>) -> Outcome<()> {
        let span = statement.span;
        match &statement.kind {
            StmtKind::Empty => Ok(()),
            StmtKind::Declare(ty, declarators) => {
                for declarator in declarators {
                    let mut ty = *ty;
                    ty.pointer = declarator.pointer;
                    let register = self.declare(&ty, &declarator.name)?;
                    if let Some(value) = &declarator.value {
                        let value = self.value(value)?;
                        self.push(Instr::Assign { register, value }, span, out)?;
                    }
                }
                Ok(())
            }
            StmtKind::Assign(target, op, value) => {
                let instr = self.assignment(target, *op, value, span)?;
                self.push(instr, span, out)
            }
            StmtKind::Effect(node) => {
                let instr = self.effect(node, statement.label.as_ref())?;
                self.push(instr, span, out)
            }
            StmtKind::If(condition, then, otherwise) => {
                let condition = self.value(condition)?;
                let mut before = self.take_before();
                let then = self.block(then)?;
                let otherwise = self.block(otherwise)?;
                self.before.append(&mut before);
                let branch = Branch {
                    condition,
                    then,
                    otherwise,
                };
                self.push(Instr::If(branch), span, out)
            }
            StmtKind::While(condition, body) | StmtKind::DoWhile(body, condition) => {
                let repeat = Repeat {
                    condition: Some(condition),
                    body,
                    step: None,
                    body_first: matches!(statement.kind, StmtKind::DoWhile(..)),
                    span,
                };
                self.repeat(repeat, out)
            }
            StmtKind::For(first, condition, step, body) => {
                self.enter_block();
                if let Some(first) = first {
                    self.statement(first, out)?;
                }
                let repeat = Repeat {
                    condition: condition.as_ref(),
                    body,
                    step: step.as_deref(),
                    body_first: false,
                    span,
                };
                let result = self.repeat(repeat, out);
                self.leave_block();
                result
            }
            StmtKind::Block(statements) => {
                self.enter_block();
                let result = self.statements(statements, out);
                self.leave_block();
                result
            }
            StmtKind::Return => self.push(Instr::Return, span, out),
            StmtKind::Break | StmtKind::Continue => {
                let leaves = matches!(statement.kind, StmtKind::Break);
                let Some(enclosing) = self.loops.last() else {
                    return Err(
                        span.problem("this statement needs a loop around it", "not in a loop")
                    );
                };
                let going = enclosing.going.filter(|_| leaves);
                for register in [going, enclosing.running].into_iter().flatten() {
                    self.push(assign(register, 0), span, out)?;
                }
                Ok(())
            }
        }
    }

    fn assignment(
        &mut self,
        target: &Node,
        op: Option<BinOp>,
        value: &Node,
        span: Span,
    ) -> Outcome<Instr> {
        if let Some(name) = target.name() {
            let text = &name.text;
            let private = match self.register(&name)? {
                Some(_) => true,
                None => match self.location(text) {
                    Some(usage) if usage.pointer => {
                        return Err(target
                            .problem(
                                format!(
                                    "{text} is the address of a location and cannot be assigned"
                                ),
                                "an address",
                            )
                            .help(format!("write *{text} = …; to store to it")));
                    }
                    Some(_) => false,
                    None => true,
                },
            };
            if private {
                if op.is_some() && self.register(&name)?.is_none() {
                    return Err(self.unknown(text, target.span));
                }
                let value = self.value(value)?;
                let register = self.register_or_new(&name)?;
                let value = match op {
                    None => value,
                    Some(op) => Expr::binary(op, Expr::Reg(register), value),
                };
                return Ok(Instr::Assign { register, value });
            }
        }
        let place = self.lvalue(target)?;
        let access = self.plain_access(place, target.span)?;
        let value = self.value(value)?;
        let value = match op {
            None => value,
            Some(op) => {
                if access
                    .address
                    .index
                    .as_deref()
                    .is_some_and(Expr::touches_memory)
                {
                    return Err(span
                        .problem(
                            "the index would be evaluated twice, and it accesses memory",
                            "not supported",
                        )
                        .help("read the index into a register first"));
                }
                Expr::binary(op, Expr::Load(access.clone()), value)
            }
        };
        Ok(Instr::Store { access, value })
    }

    /// Takes what must run before the instruction being made.
    pub fn take_before(&mut self) -> Vec<Instr> {
        std::mem::take(&mut self.before)
    }

    /// An expression as a statement.
    pub fn effect(&mut self, node: &Node, label: Option<&Name>) -> Outcome<Instr> {
        if let NodeKind::Call(name, arguments) = &node.kind {
            return Ok(match self.call(name, arguments, node.span, label)? {
                Called::Value(value) => Instr::Effect(value),
                Called::Instr(instr) => instr,
            });
        }
        if let NodeKind::Cast(ty, inner) = &node.kind
            && ty.base == BaseType::Void
            && !ty.pointer
        {
            return self.effect(inner, label);
        }
        Ok(Instr::Effect(self.value(node)?))
    }

    /// Any loop, as a `while`.
    fn repeat(&mut self, repeat: Repeat<'_>, out: &mut Vec<Instr>) -> Outcome<()> {
        let Repeat { body, span, .. } = repeat;
        let leaves = body.iter().any(|s| jumps(s, true));
        let skips = leaves || body.iter().any(|s| jumps(s, false));
        let mut flag = |wanted: bool, stem: &str| match wanted {
            true => self.fresh(stem, span).map(Some),
            false => Ok(None),
        };
        let first = flag(repeat.body_first, "first")?;
        let going = flag(leaves, "going")?;
        let running = flag(skips, "running")?;

        let condition = match repeat.condition {
            Some(condition) => self.value(condition)?,
            None => Expr::Const(1),
        };
        // what must run before the condition, also before each later evaluation of it
        let prelude = self.take_before();

        let mut passes = Vec::new();
        passes.extend(first.map(|r| assign(r, 0)));
        passes.extend(running.map(|r| assign(r, 1)));
        self.instructions += passes.len() + 2 * prelude.len() + 1;
        self.loops.push(Loop { going, running });
        let body = self.block(body);
        self.loops.pop();
        passes.append(&mut body?);
        let mut tail = Vec::new();
        if let Some(step) = repeat.step {
            self.statement(step, &mut tail)?;
        }
        tail.extend(prelude.iter().cloned());
        match going {
            Some(going) if !tail.is_empty() => passes.push(when(going, tail)),
            Some(_) | None => passes.append(&mut tail),
        }

        let condition = match first {
            Some(first) => Expr::binary(BinOp::LogicalOr, Expr::Reg(first), condition),
            None => {
                out.extend(prelude);
                condition
            }
        };
        let condition = match going {
            Some(going) => Expr::binary(BinOp::LogicalAnd, Expr::Reg(going), condition),
            None => condition,
        };
        for register in [first, going].into_iter().flatten() {
            self.push(assign(register, 1), span, out)?;
        }
        self.push(
            Instr::While {
                condition,
                body: passes,
            },
            span,
            out,
        )
    }
}

struct Repeat<'t> {
    condition: Option<&'t Node>,
    body: &'t [Stmt],
    step: Option<&'t Stmt>,
    body_first: bool,
    span: Span,
}

fn assign(register: RegId, value: i64) -> Instr {
    Instr::Assign {
        register,
        value: Expr::Const(value),
    }
}

fn when(register: RegId, then: Vec<Instr>) -> Instr {
    Instr::If(Branch {
        condition: Expr::Reg(register),
        then,
        otherwise: Vec::new(),
    })
}

/// Whether a statement may leave (`leaves`) or go on with (otherwise) the loop it stands in.
fn jumps(statement: &Stmt, leaves: bool) -> bool {
    let any = |statements: &[Stmt]| statements.iter().any(|s| jumps(s, leaves));
    match &statement.kind {
        StmtKind::Break => leaves,
        StmtKind::Continue => !leaves,
        StmtKind::If(_, then, otherwise) => any(then) || any(otherwise),
        StmtKind::Block(statements) => any(statements),
        StmtKind::Declare(..)
        | StmtKind::Assign(..)
        | StmtKind::Effect(_)
        | StmtKind::While(..)
        | StmtKind::DoWhile(..)
        | StmtKind::For(..)
        | StmtKind::Return
        | StmtKind::Empty => false,
    }
}

impl ThreadLowering<'_> {
    /// A load from what `source` points to, as YAML writes it.
    pub fn load(&mut self, source: &Node, atomicity: Atomicity) -> Outcome<Expr> {
        Ok(Expr::Load(self.access(source, atomicity)?))
    }

    /// An access to what `target` points to or names.
    pub fn access(&mut self, target: &Node, atomicity: Atomicity) -> Outcome<Access> {
        let place = if matches!(target.kind, NodeKind::Index(..) | NodeKind::Deref(_)) {
            self.lvalue(target)?
        } else {
            self.address(target)?
        };
        let address: Address = place.address;
        let ty = self.locations.get(address.location).ty;
        if atomicity.atomic().is_some() && ty.atomic_name().is_none() {
            return Err(target.problem(
                format!("a {ty} has no atomic operations"),
                "expected 32 or 64 bits",
            ));
        }
        if ty == ScalarType::Flag {
            return Err(target
                .problem(
                    "an atomic_flag cannot be loaded or stored",
                    "expected another type",
                )
                .help("use atomic_flag_test_and_set and atomic_flag_clear"));
        }
        let atomicity = match atomicity {
            Atomicity::Plain if place.volatile => Atomicity::Volatile,
            other => other,
        };
        Ok(Access { address, atomicity })
    }
}
