//! What of a program is needed for what its kernels leave.

use super::*;
use std::collections::BTreeSet;

/// What statements do.
#[derive(Default)]
struct Does {
    /// Variables that they name.
    names: BTreeSet<VarId>,
    /// Those that they change themselves.
    changes: BTreeSet<VarId>,
    /// They do something that is seen beyond the variables of their function.
    reaches: bool,
    /// Functions that they call, and tables that they read.
    calls: BTreeSet<usize>,
    tables: BTreeSet<usize>,
}

/// Statements one after the other, without those that only change variables of which no later one has need.
pub fn needed(variables: &[Variable], body: Vec<Stmt>) -> Vec<Stmt> {
    let mut used = BTreeSet::new();
    let mut kept = Vec::new();
    for stmt in body.into_iter().rev() {
        let mut does = Does::default();
        does.stmt(variables, &stmt);
        if does.reaches || !does.changes.is_disjoint(&used) {
            used.append(&mut does.names);
            kept.push(stmt);
        }
    }
    kept.reverse();
    kept
}

impl Program {
    /// Leaves functions out of the text that none of these calls, and tables that none of them reads.
    pub fn leave_out_unneeded(&mut self, by: impl IntoIterator<Item = usize>) {
        let mut called: BTreeSet<usize> = by.into_iter().collect();
        let mut tables = BTreeSet::new();
        // Each stands after those that it calls.
        for (n, function) in self.functions.iter_mut().enumerate().rev() {
            function.left_out = !called.contains(&n);
            if !function.left_out {
                let mut does = Does::default();
                does.block(&function.variables, &function.body);
                called.append(&mut does.calls);
                tables.append(&mut does.tables);
            }
        }
        for (n, table) in self.tables.iter_mut().enumerate() {
            table.left_out = !tables.contains(&n);
        }
    }
}

impl Does {
    fn block(&mut self, of: &[Variable], body: &[Stmt]) {
        for stmt in body {
            self.stmt(of, stmt);
        }
    }

    fn stmt(&mut self, of: &[Variable], stmt: &Stmt) {
        match stmt {
            Stmt::Declare(id, init) => {
                self.changes.insert(*id);
                match init {
                    None => {}
                    Some(Init::Number(value)) => self.expr(of, value),
                    Some(Init::List(values)) => self.all(of, values),
                    Some(Init::Parts(parts)) => {
                        parts.iter().for_each(|(_, value, _)| self.expr(of, value));
                    }
                    Some(Init::Whole(place)) => self.place(of, place),
                    Some(Init::Pointer(target)) => self.target(of, target),
                }
            }
            Stmt::Assign(place, value) | Stmt::Compound(place, value) => {
                self.change(of, place);
                self.expr(of, value);
            }
            Stmt::Step(place, _) => self.change(of, place),
            Stmt::Atomic(_, place, by) => {
                self.reaches = true;
                self.place(of, place);
                self.expr(of, by);
            }
            Stmt::Copy(to, from) => {
                self.change(of, to);
                self.place(of, from);
            }
            Stmt::Point(id, target) => {
                self.names.insert(*id);
                self.changes.insert(*id);
                self.target(of, target);
            }
            Stmt::If(condition, then, otherwise) => {
                self.expr(of, condition);
                self.block(of, then);
                self.block(of, otherwise);
            }
            Stmt::For(each) => {
                self.names.insert(each.variable);
                for value in [&each.first, &each.goes_on, &each.next.1] {
                    self.expr(of, value);
                }
                self.block(of, &each.body);
            }
            Stmt::While(condition, body) | Stmt::DoWhile(body, condition) => {
                self.expr(of, condition);
                self.block(of, body);
            }
            Stmt::Switch(on, arms) => {
                self.expr(of, on);
                arms.iter().for_each(|arm| self.block(of, &arm.body));
            }
            Stmt::Break | Stmt::Continue => {}
            Stmt::Return(value) => {
                self.reaches = true;
                value.iter().for_each(|value| self.argument(of, value));
            }
            Stmt::Barrier { .. } => self.reaches = true,
            Stmt::Call(function, arguments, to) => {
                self.calls.insert(*function);
                for argument in arguments {
                    self.argument(of, argument);
                    // It may change what it gets a pointer to.
                    match argument {
                        Argument::Pointer(Target::To(place)) => self.change(of, place),
                        Argument::Pointer(Target::From(..)) => self.reaches = true,
                        Argument::Number(_) | Argument::Whole(_) => {}
                    }
                }
                to.iter().for_each(|place| self.change(of, place));
            }
        }
    }

    fn all(&mut self, of: &[Variable], values: &[Expr]) {
        values.iter().for_each(|value| self.expr(of, value));
    }

    fn argument(&mut self, of: &[Variable], argument: &Argument) {
        match argument {
            Argument::Number(value) => self.expr(of, value),
            Argument::Whole(place) => self.place(of, place),
            Argument::Pointer(target) => self.target(of, target),
        }
    }

    fn target(&mut self, of: &[Variable], target: &Target) {
        match target {
            Target::To(place) => self.place(of, place),
            Target::From(id, by) => {
                self.names.insert(*id);
                by.iter().for_each(|by| self.expr(of, by));
            }
        }
    }

    fn place(&mut self, of: &[Variable], place: &Place) {
        match place.root {
            Root::Variable(id) => self.names.insert(id),
            Root::Table(n) => self.tables.insert(n),
        };
        for step in &place.path {
            if let Step::Index(index) = step {
                self.expr(of, index);
            }
        }
    }

    /// A place that gets another value.
    fn change(&mut self, of: &[Variable], place: &Place) {
        self.place(of, place);
        let Root::Variable(id) = place.root else {
            return;
        };
        let variable = &of[id];
        match variable.shape {
            Shape::Pointer(..) | Shape::ToStruct(..) | Shape::ToPointer(..) => self.reaches = true,
            _ if variable.local => self.reaches = true,
            _ => {
                self.changes.insert(id);
            }
        }
    }

    fn expr(&mut self, of: &[Variable], expr: &Expr) {
        match &expr.kind {
            Kind::Constant(_) | Kind::Held | Kind::Size(_) => {}
            Kind::Read(place) => self.place(of, place),
            Kind::Post(place, _) => self.change(of, place),
            Kind::Negate(a)
            | Kind::Plus(a)
            | Kind::Complement(a)
            | Kind::Not(a)
            | Kind::Implicit(a)
            | Kind::Cast(a)
            | Kind::Convert { of: a, .. }
            | Kind::Reinterpret(a)
            | Kind::Union(a)
            | Kind::Lanes(a, _)
            | Kind::Spread(a)
            | Kind::WorkItem(_, a) => self.expr(of, a),
            Kind::Arithmetic(_, a, b)
            | Kind::Comparison(_, a, b)
            | Kind::And(a, b)
            | Kind::Or(a, b) => {
                self.expr(of, a);
                self.expr(of, b);
            }
            Kind::Choice(c, a, b) => {
                for part in [c, a, b] {
                    self.expr(of, part);
                }
            }
            Kind::Builtin(_, values) | Kind::Vector(values) | Kind::Real(_, values) => {
                self.all(of, values);
            }
            Kind::Shuffle(values, mask, _) => {
                self.all(of, values);
                self.expr(of, mask);
            }
            Kind::Call(function, arguments) => {
                self.calls.insert(*function);
                for argument in arguments {
                    self.argument(of, argument);
                }
            }
            Kind::Distance(a, b) | Kind::Beside(_, a, b) => self.names.extend([*a, *b]),
            Kind::Offset(id, ..) => {
                self.names.insert(*id);
            }
            Kind::After(stmt, a) | Kind::Gives(stmt, a) => {
                self.stmt(of, stmt);
                self.expr(of, a);
            }
        }
    }
}
