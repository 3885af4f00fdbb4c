//! Statements (OpenCL C 6.12).

use super::{Checked, NamedLabel, Sema, Switch};
use crate::ast::{self, Label, Name};
use crate::diag::Reported;
use crate::hir::{LabelId, Stmt, StmtKind};
use crate::source::Loc;
use crate::types::{Scalar, Type};

impl Sema<'_> {
    /// Checks statements one after another; those that are wrong are left out.
    pub(super) fn statements(&mut self, stmts: &[ast::Stmt]) -> Vec<Stmt> {
        let mut out = Vec::new();
        for stmt in stmts {
            if self.diags.hopeless() {
                break;
            }
            // What is wrong has been reported.
            let _ = self.statement(stmt, &mut out);
        }
        out
    }

    /// A statement that is the body of another.
    fn body(&mut self, stmt: &ast::Stmt) -> Box<Stmt> {
        let stmts = self.in_block(|sema| sema.statements(std::slice::from_ref(stmt)));
        Box::new(Stmt {
            kind: StmtKind::Block(stmts),
            loc: stmt.loc,
        })
    }

    /// Checks what stands in a block of its own.
    fn in_block<T>(&mut self, check: impl FnOnce(&mut Self) -> T) -> T {
        self.open_scope();
        if let Some(current) = &mut self.current {
            current.blocks += 1;
        }
        let checked = check(self);
        if let Some(current) = &mut self.current {
            current.blocks -= 1;
        }
        self.close_scope();
        checked
    }

    fn statement(&mut self, stmt: &ast::Stmt, out: &mut Vec<Stmt>) -> Checked<()> {
        let loc = stmt.loc;
        let mut push = |kind| out.push(Stmt { kind, loc });
        match &stmt.kind {
            ast::StmtKind::Empty => {}
            ast::StmtKind::Expr(expr) => {
                let expr = self.discarded(expr)?;
                push(StmtKind::Expr(expr));
            }
            ast::StmtKind::Declaration(declaration) => {
                self.local_declaration(declaration, out)?;
            }
            ast::StmtKind::Block(stmts) => {
                let stmts = self.in_block(|sema| sema.statements(stmts));
                push(StmtKind::Block(stmts));
            }
            ast::StmtKind::If { cond, then, other } => {
                let cond = self.checked_condition(cond);
                let then = self.body(then);
                let other = other.as_ref().map(|other| self.body(other));
                push(StmtKind::If {
                    cond: cond?,
                    then,
                    other,
                });
            }
            ast::StmtKind::While { cond, body } => {
                let cond = self.checked_condition(cond);
                let body = self.loop_body(body);
                push(StmtKind::Loop {
                    cond: Some(cond?),
                    step: None,
                    body,
                });
            }
            ast::StmtKind::Do { body, cond } => {
                let body = self.loop_body(body);
                let cond = self.checked_condition(cond)?;
                push(StmtKind::DoWhile { body, cond });
            }
            ast::StmtKind::For {
                init,
                cond,
                step,
                body,
            } => {
                let result = self.in_block(|sema| {
                    sema.for_loop(init.as_deref(), cond.as_ref(), step.as_ref(), body)
                });
                push(StmtKind::Block(result?));
            }
            ast::StmtKind::Switch { value, body } => {
                let kind = self.switch(value, body)?;
                push(kind);
            }
            ast::StmtKind::Labelled(labels, rest) => {
                for label in labels {
                    let label = self.label(label).map(StmtKind::Label);
                    out.extend(label.map(|kind| Stmt { kind, loc }));
                }
                self.statement(rest, out)?;
            }
            ast::StmtKind::Goto(name) => {
                let id = self.label_named(*name, false)?;
                push(StmtKind::Goto(id));
            }
            ast::StmtKind::Break => {
                if self.current(loc)?.breakables == 0 {
                    return self.error(loc, "`break` outside a loop or switch");
                }
                push(StmtKind::Break);
            }
            ast::StmtKind::Continue => {
                if self.current(loc)?.loops == 0 {
                    return self.error(loc, "`continue` outside a loop");
                }
                push(StmtKind::Continue);
            }
            ast::StmtKind::Return(value) => {
                let value = self.returned(value.as_ref(), loc, out)?;
                let kind = StmtKind::Return(value);
                out.push(Stmt { kind, loc });
            }
        }
        Ok(())
    }

    /// The value that a `return` gives; of a void function it is only computed.
    fn returned(
        &mut self,
        value: Option<&ast::Expr>,
        loc: Loc,
        out: &mut Vec<Stmt>,
    ) -> Checked<Option<crate::hir::Expr>> {
        if self.current(loc)?.infers {
            return self.first_returned(value, loc);
        }
        let ret = self.current(loc)?.ret;
        match (value, self.types.of(ret) == Type::Void) {
            (None, true) => Ok(None),
            (None, false) => self.error(loc, "this function returns a value"),
            (Some(value), true) => {
                let value = self.rvalue(value)?;
                if self.types.of(value.qual) != Type::Void {
                    return self.error(loc, "a void function returns no value");
                }
                let kind = StmtKind::Expr(value);
                out.push(Stmt { kind, loc });
                Ok(None)
            }
            (Some(value), false) => {
                let value = self.expr(value)?;
                let value = self.implicit(value, ret.value(), "the value returned")?;
                Ok(Some(value))
            }
        }
    }

    /// The value of the first `return` of a block that does not say what it returns: that says it.
    fn first_returned(
        &mut self,
        value: Option<&ast::Expr>,
        loc: Loc,
    ) -> Checked<Option<crate::hir::Expr>> {
        let value = value.map(|value| self.rvalue(value)).transpose()?;
        let void = self.types.void();
        let ret = value.as_ref().map_or(void, |value| value.qual.value());
        self.no_block(ret, loc, "a block's result")?;
        let block = self.current(loc)?;
        block.infers = false;
        block.ret = ret;
        Ok(value)
    }

    fn checked_condition(&mut self, cond: &ast::Expr) -> Checked<crate::hir::Expr> {
        let expr = self.expr(cond)?;
        self.condition(expr)
    }

    fn loop_body(&mut self, body: &ast::Stmt) -> Box<Stmt> {
        if let Some(current) = &mut self.current {
            current.loops += 1;
            current.breakables += 1;
        }
        let body = self.body(body);
        if let Some(current) = &mut self.current {
            current.loops -= 1;
            current.breakables -= 1;
        }
        body
    }

    fn for_loop(
        &mut self,
        init: Option<&ast::Stmt>,
        cond: Option<&ast::Expr>,
        step: Option<&ast::Expr>,
        body: &ast::Stmt,
    ) -> Checked<Vec<Stmt>> {
        let mut out = self.statements(init.map_or(&[], std::slice::from_ref));
        let cond = cond.map(|cond| self.checked_condition(cond));
        let step = step.map(|step| self.discarded(step));
        let inner = self.loop_body(body);
        out.push(Stmt {
            kind: StmtKind::Loop {
                cond: cond.transpose()?,
                step: step.transpose()?,
                body: inner,
            },
            loc: body.loc,
        });
        Ok(out)
    }

    fn switch(&mut self, value: &ast::Expr, body: &ast::Stmt) -> Checked<StmtKind> {
        let at = value.loc;
        let value = self.rvalue(value);
        let qual = match &value {
            Ok(value) => value.qual,
            Err(Reported) => self.types.scalar(Scalar::Long),
        };
        let value = match self.types.as_scalar(qual) {
            Some(scalar) if scalar.is_int() => value.map(|v| self.promote(v)),
            Some(_) | None => {
                let message = format!("a switch is on an integer, not `{}`", self.show(qual));
                Err(self.diags.error(at, message))
            }
        };
        let qual = value.as_ref().map_or(qual, |v| v.qual);
        let current = self.current(at)?;
        current.switches.push(Switch {
            qual,
            cases: Vec::new(),
            default: None,
        });
        current.breakables += 1;
        let body = self.body(body);
        let current = self.current(at)?;
        current.breakables -= 1;
        let done = current.switches.pop().ok_or(Reported)?;
        Ok(StmtKind::Switch {
            value: value?,
            cases: done.cases,
            default: done.default,
            body,
        })
    }

    fn new_label(&mut self, at: Loc) -> Checked<LabelId> {
        let current = self.current(at)?;
        current.labels += 1;
        Ok(LabelId(current.labels - 1))
    }

    fn label(&mut self, label: &Label) -> Checked<LabelId> {
        match label {
            Label::Name(name) => self.label_named(*name, true),
            Label::Default(at) => {
                let id = self.new_label(*at)?;
                let Some(switch) = self.current(*at)?.switches.last_mut() else {
                    return self.error(*at, "`default` outside a switch");
                };
                if switch.default.is_some() {
                    return self.error(*at, "a switch has one default");
                }
                switch.default = Some(id);
                Ok(id)
            }
            Label::Case(value, at) => {
                let expr = self.rvalue(value)?;
                let Some(switch) = self.current(*at)?.switches.last() else {
                    return self.error(*at, "`case` outside a switch");
                };
                let qual = switch.qual;
                let Some(scalar) = self.types.as_scalar(qual).filter(|s| s.is_int()) else {
                    return Err(Reported);
                };
                if self.int_constant(&expr).is_none() {
                    return self.error(value.loc, "a case is an integer constant");
                }
                let expr = self.numeric(expr, scalar);
                let (bits, _) = self.int_constant(&expr).ok_or(Reported)?;
                let id = self.new_label(*at)?;
                let switch = self.current(*at)?.switches.last_mut().ok_or(Reported)?;
                let twice = switch.cases.iter().any(|(old, _)| *old == bits);
                switch.cases.push((bits, id));
                if twice {
                    return self.error(*at, "this case is there twice");
                }
                Ok(id)
            }
        }
    }

    fn label_named(&mut self, name: Name, define: bool) -> Checked<LabelId> {
        let id = self.new_label(name.loc)?;
        let current = self.current(name.loc)?;
        let label = current
            .named_labels
            .entry(name.symbol)
            .or_insert(NamedLabel {
                id,
                defined: false,
                at: name.loc,
            });
        let (id, twice) = (label.id, define && label.defined);
        label.defined |= define;
        if twice {
            let message = format!("the label `{}` is there twice", self.name(name.symbol));
            return self.error(name.loc, message);
        }
        Ok(id)
    }

    /// Reports labels that are gone to and not there.
    pub(super) fn check_labels(&mut self) {
        let mut missing: Vec<_> = self
            .current
            .iter()
            .flat_map(|c| &c.named_labels)
            .filter(|(_, label)| !label.defined)
            .map(|(&symbol, label)| (label.at, symbol))
            .collect();
        missing.sort_unstable();
        for (at, symbol) in missing {
            let message = format!("there is no label `{}`", self.name(symbol));
            self.diags.error(at, message);
        }
    }
}
