//! Statements, as structured control flow.
//!
//! A function is written in place of its call. One that returns before its end is a loop of one
//! pass, which a return leaves; out of a loop inside it a return goes by a flag, because a branch
//! leaves one loop at a time (SPIR-V 2.11).

use super::Writer;
use super::module::{Id, ids};
use super::place::{Home, Place, Value};
use crate::hir::{Body, Expr, ExprKind, FnId, Stmt, StmtKind, Var, VarId};
use crate::sema::Checked;
use crate::source::Loc;
use crate::types::Qual;
use rspirv::dr::Operand;
use rspirv::spirv::{LoopControl, Op, SelectionControl};

/// How deep calls nest.
const CALLS: u32 = 32;
/// Most instructions of a module.
const LENGTH: usize = 1 << 20;

/// The call that is being written.
#[derive(Debug, Default)]
pub(super) struct Frame {
    pub(super) vars: Vec<Var>,
    /// By variable; those that are not met yet live nowhere.
    pub(super) homes: Vec<Option<Home>>,
    loops: Vec<Loop>,
    /// None in a kernel.
    exit: Option<Exit>,
}

impl Frame {
    pub(super) fn of(body: &Body) -> Self {
        Self {
            vars: body.vars.clone(),
            homes: vec![None; body.vars.len()],
            ..Self::default()
        }
    }
}

/// A loop that is being written.
#[derive(Debug)]
struct Loop {
    labels: Labels,
    /// Whether a return leaves it.
    returned: bool,
}

/// The blocks of a loop.
#[derive(Clone, Copy, Debug)]
struct Labels {
    /// Where every pass begins.
    head: Id,
    /// Where `break` goes.
    leave: Id,
    /// Where `continue` goes.
    next: Id,
}

/// How a call that is being written returns before its end; the first loop is its pass.
#[derive(Debug)]
struct Exit {
    /// Room for the result.
    result: Option<Home>,
    /// Whether it has returned, of a call that may return out of a loop.
    flag: Option<Id>,
}

/// Where a function returns before its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Early {
    No,
    Yes,
    InLoop,
}

/// Where statements return.
fn returns(stmts: &[Stmt]) -> Early {
    stmts.iter().map(returns_in).max().unwrap_or(Early::No)
}

fn returns_in(stmt: &Stmt) -> Early {
    match &stmt.kind {
        StmtKind::Return(_) => Early::Yes,
        StmtKind::Block(stmts) => returns(stmts),
        StmtKind::If { then, other, .. } => {
            let other = other.as_ref().map_or(Early::No, |other| returns_in(other));
            returns_in(then).max(other)
        }
        StmtKind::Loop { body, .. } | StmtKind::DoWhile { body, .. } => match returns_in(body) {
            Early::No => Early::No,
            Early::Yes | Early::InLoop => Early::InLoop,
        },
        StmtKind::Expr(_)
        | StmtKind::Init(..)
        | StmtKind::Switch { .. }
        | StmtKind::Label(_)
        | StmtKind::Goto(_)
        | StmtKind::Break
        | StmtKind::Continue => Early::No,
    }
}

impl Writer<'_> {
    /// Goes to one of two blocks and meets again at `end`.
    pub(super) fn selection(&mut self, truth: Id, yes: Id, no: Id, end: Id) {
        let control = Operand::SelectionControl(SelectionControl::NONE);
        self.m
            .push(Op::SelectionMerge, vec![Operand::IdRef(end), control]);
        self.m.branch(truth, yes, no);
    }

    /// Checks that the module has not grown without bound.
    pub(super) fn small_enough(&mut self, at: Loc) -> Checked<()> {
        if self.m.length() > LENGTH {
            return self.refuse(at, "a program so large");
        }
        Ok(())
    }

    /// The statements that come one after another; those after a jump are never reached.
    pub(super) fn stmts(&mut self, stmts: &[Stmt]) -> Checked<()> {
        for stmt in stmts {
            if !self.m.is_open() {
                break;
            }
            self.stmt(stmt)?;
        }
        Ok(())
    }

    fn stmt(&mut self, stmt: &Stmt) -> Checked<()> {
        let at = stmt.loc;
        self.small_enough(at)?;
        match &stmt.kind {
            StmtKind::Expr(expr) => self.effect(expr),
            StmtKind::Init(id, init) => self.initialize(*id, init, at),
            StmtKind::Block(stmts) => self.stmts(stmts),
            StmtKind::If { cond, then, other } => self.conditional(cond, then, other.as_deref()),
            StmtKind::Loop { cond, step, body } => {
                self.loop_from_the_top(cond.as_ref(), step.as_ref(), body)
            }
            StmtKind::DoWhile { body, cond } => self.loop_to_the_end(body, cond),
            StmtKind::Switch { .. } => self.refuse(at, "`switch`"),
            StmtKind::Label(_) => self.refuse(at, "a label"),
            StmtKind::Goto(_) => self.refuse(at, "`goto`"),
            StmtKind::Break => {
                if let Some(innermost) = self.frame.loops.last() {
                    self.m.jump(innermost.labels.leave);
                }
                Ok(())
            }
            StmtKind::Continue => {
                if let Some(innermost) = self.frame.loops.last() {
                    self.m.jump(innermost.labels.next);
                }
                Ok(())
            }
            StmtKind::Return(value) => self.ret(value.as_ref(), at),
        }
    }

    fn conditional(&mut self, cond: &Expr, then: &Stmt, other: Option<&Stmt>) -> Checked<()> {
        if let ExprKind::Const(bits) = cond.kind {
            return match (bits != 0, other) {
                (true, _) => self.stmt(then),
                (false, Some(other)) => self.stmt(other),
                (false, None) => Ok(()),
            };
        }
        let truth = self.truth(cond)?;
        let (yes, end) = (self.m.id(), self.m.id());
        let no = if other.is_some() { self.m.id() } else { end };
        self.selection(truth, yes, no, end);
        self.m.begin(yes);
        self.stmt(then)?;
        self.m.jump(end);
        if let Some(other) = other {
            self.m.begin(no);
            self.stmt(other)?;
            self.m.jump(end);
        }
        self.m.begin(end);
        Ok(())
    }

    /// Opens a loop; the block that is open then is inside.
    fn open_loop(&mut self) -> Labels {
        let [head, inside, leave, next] = [(); 4].map(|()| self.m.id());
        let labels = Labels { head, leave, next };
        self.m.jump(head);
        self.m.begin(head);
        let control = Operand::LoopControl(LoopControl::NONE);
        let operands = vec![Operand::IdRef(leave), Operand::IdRef(next), control];
        self.m.push(Op::LoopMerge, operands);
        self.m.jump(inside);
        self.m.begin(inside);
        self.frame.loops.push(Loop {
            labels,
            returned: false,
        });
        labels
    }

    /// Begins what a loop does between two passes.
    fn between_passes(&mut self, Labels { next, .. }: Labels) {
        self.m.jump(next);
        self.m.begin(next);
    }

    /// Closes a loop whose last block has its end.
    fn close_loop(&mut self) {
        let Some(inner) = self.frame.loops.pop() else {
            return;
        };
        self.m.begin(inner.labels.leave);
        let flag = self.frame.exit.as_ref().and_then(|exit| exit.flag);
        if let (true, Some(flag), Some(outer)) = (inner.returned, flag, self.frame.loops.last()) {
            let (bool, outer, on) = (self.m.bool(), outer.labels.leave, self.m.id());
            let returned = self.m.emit(Op::Load, bool, ids(&[flag]));
            self.m.branch(returned, outer, on);
            self.m.begin(on);
        }
    }

    /// `for` and `while`.
    fn loop_from_the_top(
        &mut self,
        cond: Option<&Expr>,
        step: Option<&Expr>,
        body: &Stmt,
    ) -> Checked<()> {
        let labels = self.open_loop();
        if let Some(cond) = cond {
            let truth = self.truth(cond)?;
            let on = self.m.id();
            self.m.branch(truth, on, labels.leave);
            self.m.begin(on);
        }
        self.stmt(body)?;
        self.between_passes(labels);
        if let Some(step) = step {
            self.effect(step)?;
        }
        self.m.jump(labels.head);
        self.close_loop();
        Ok(())
    }

    /// `do`
    fn loop_to_the_end(&mut self, body: &Stmt, cond: &Expr) -> Checked<()> {
        let labels = self.open_loop();
        self.stmt(body)?;
        self.between_passes(labels);
        let truth = self.truth(cond)?;
        self.m.branch(truth, labels.head, labels.leave);
        self.close_loop();
        Ok(())
    }

    fn ret(&mut self, value: Option<&Expr>, at: Loc) -> Checked<()> {
        let Some(exit) = self.frame.exit.take() else {
            self.m.terminate(Op::Return, Vec::new());
            return Ok(());
        };
        let Exit { mut result, flag } = exit;
        if let (Some(value), Some(result)) = (value, &mut result) {
            let qual = value.qual;
            let value = self.value(value)?;
            self.write_home(result, &value, qual, at)?;
        }
        self.frame.exit = Some(Exit { result, flag });
        let nested = self.frame.loops.len() > 1;
        if let Some(flag) = flag.filter(|_| nested) {
            let truth = self.m.truth(true);
            self.m.push(Op::Store, ids(&[flag, truth]));
        }
        for of_call in self.frame.loops.iter_mut().skip(1) {
            of_call.returned = true;
        }
        if let Some(innermost) = self.frame.loops.last() {
            self.m.jump(innermost.labels.leave);
        }
        Ok(())
    }

    /// Writes a call of a function in its place.
    pub(super) fn call(&mut self, callee: FnId, args: &[Expr], at: Loc) -> Checked<Value> {
        let unit = self.unit;
        let function = &unit.functions[callee.0 as usize];
        let Some(body) = &function.body else {
            return self.foreign_call(callee, args, function.ret, at);
        };
        if self.depth >= CALLS {
            return self.refuse(at, "so deep a nesting of calls");
        }
        self.m.count_call();
        self.small_enough(at)?;
        let mut values = Vec::with_capacity(args.len());
        for arg in args {
            values.push(self.value(arg)?);
        }
        let outer = std::mem::replace(&mut self.frame, Frame::of(body));
        self.depth += 1;
        for (i, (value, &qual)) in values.iter().zip(&function.params).enumerate() {
            let place = Place::Var(VarId(i as u32));
            self.write(&place, value, qual, at)?;
        }
        let value = self.called(&body.stmts, function.ret, at);
        self.depth -= 1;
        self.frame = outer;
        value
    }

    /// The statements of a call, and what it returns.
    fn called(&mut self, stmts: &[Stmt], ret: Qual, at: Loc) -> Checked<Value> {
        let (last, before) = match stmts.split_last() {
            Some((last, before)) if matches!(last.kind, StmtKind::Return(_)) => {
                (Some(last), before)
            }
            Some(_) | None => (None, stmts),
        };
        let early = returns(before);
        if early == Early::No {
            self.stmts(before)?;
            return match last.map(|last| &last.kind) {
                Some(StmtKind::Return(Some(value))) => self.value(value),
                _ if self.is_void(ret) => Ok(Value::Void),
                _ => {
                    // What a function returns that ends without `return` is indeterminate.
                    let home = self.room(ret, "", at)?;
                    self.read_home(&home, ret, at)
                }
            };
        }
        let result = match self.is_void(ret) {
            true => None,
            false => Some(self.room(ret, "result", at)?),
        };
        let flag = (early == Early::InLoop).then(|| {
            let (bool, no) = (self.m.bool(), self.m.truth(false));
            let flag = self.m.variable(bool, "returned");
            self.m.push(Op::Store, ids(&[flag, no]));
            flag
        });
        self.frame.exit = Some(Exit { result, flag });
        let pass = self.open_loop();
        self.stmts(stmts)?;
        self.m.jump(pass.leave);
        self.between_passes(pass);
        self.m.jump(pass.head);
        self.close_loop();
        match self.frame.exit.take().and_then(|exit| exit.result) {
            Some(result) => self.read_home(&result, ret, at),
            None => Ok(Value::Void),
        }
    }
}
