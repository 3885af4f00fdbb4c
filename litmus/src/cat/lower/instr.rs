//! Instructions: definitions, checks, procedures, choices of orders.

use super::{Env, Family, Lowerer, Procedure, Value};
use crate::cat::ast::{
    Binding, Condition, Expr, ExprKind, Instr, InstrKind, Pattern, Property, Role,
};
use crate::cat::error::{Result, Source, Span};
use crate::cat::{Check, OrderDomain, OrderVar, library, parser};
use std::rc::Rc;
use std::sync::Arc;

impl Lowerer<'_> {
    pub(super) fn instrs(&mut self, env: &mut Env, instrs: &[Instr]) -> Result<()> {
        for instr in instrs {
            self.step(instr.span)?;
            self.instr(env, instr)?;
        }
        Ok(())
    }

    fn instr(&mut self, env: &mut Env, instr: &Instr) -> Result<()> {
        match &instr.kind {
            InstrKind::Let {
                recursive,
                bindings,
            } => {
                self.bind_all(env, *recursive, bindings)?;
                for binding in bindings {
                    if let Pattern::Name(name) = &binding.pattern
                        && let Some(Value::Rel(node)) = env.get(name)
                    {
                        self.builder.call(*node, name, self.prelude);
                    }
                }
                self.anew(env, bindings)
            }
            InstrKind::Check {
                role,
                negated,
                property,
                subject,
                name,
            } => self.check(env, instr.span, (*role, *negated, *property), subject, name),
            InstrKind::WithFrom(name, from) => self.with_from(env, name, from),
            InstrKind::Include(path) => {
                let Some(included) = (self.resolver)(path) else {
                    return Err(self.error(
                            instr.span,
                            format!("the file \"{path}\" cannot be found or read"),
                            "included here",
                        )
                        .with_help(format!(
                            "files are looked for beside the one that includes them; classay has {}",
                            library().collect::<Vec<_>>().join(", ")
                        )));
                };
                self.called(instr.span, |l| l.file(env, &included))?;
                Ok(())
            }
            InstrKind::Procedure(name, pattern, body) => {
                let procedure = Value::Procedure(Rc::new(Procedure {
                    pattern: pattern.clone(),
                    body: body.clone(),
                    env: env.clone(),
                    source: self.source.clone(),
                }));
                env.bind(name.clone(), procedure);
                Ok(())
            }
            InstrKind::Call(name, argument) => {
                let value = self.name(env, instr.span, name)?;
                let Value::Procedure(procedure) = value else {
                    return Err(self.error(
                        instr.span,
                        format!(
                            "`{name}` is {}, and only procedures are called",
                            value.kind()
                        ),
                        "called here",
                    ));
                };
                let argument = self.expr(env, argument)?;
                let mut inner = procedure.env.clone();
                self.bind(&mut inner, instr.span, &procedure.pattern, argument)?;
                self.called(instr.span, |l| {
                    l.within(&procedure.source, |l| l.instrs(&mut inner, &procedure.body))
                })
            }
            InstrKind::Forall(name, values, body) => {
                let span = values.span;
                let values = self.expr(env, values)?;
                let items: Vec<Value> = match values {
                    Value::Tags(tags) => tags.into_iter().map(Value::Tag).collect(),
                    Value::Empty => Vec::new(),
                    other => {
                        return Err(self.error(
                            span,
                            format!("`forall` needs a set of tags, this is {}", other.kind()),
                            "not a set of tags",
                        ));
                    }
                };
                for item in items {
                    let mut inner = env.clone();
                    inner.bind(name.clone(), item);
                    self.instrs(&mut inner, body)?;
                }
                Ok(())
            }
            InstrKind::If(condition, then, otherwise) => {
                let chosen = if self.condition(env, condition)? {
                    then
                } else {
                    otherwise
                };
                self.instrs(env, chosen)
            }
            InstrKind::Enum(name, tags) => {
                env.bind(name.clone(), Value::Tags(tags.clone()));
                Ok(())
            }
            InstrKind::Nothing => Ok(()),
        }
    }

    /// Defines anew what a model without some rule defines differently.
    fn anew(&mut self, env: &mut Env, bindings: &[Binding]) -> Result<()> {
        for binding in bindings {
            let Pattern::Name(name) = &binding.pattern else {
                continue;
            };
            for (changed, statement) in &self.without.instead {
                if **changed == **name {
                    let source = Source::new(format!("{name} without a rule"), statement.as_str());
                    for instr in parser::parse(&source)?.instrs {
                        if let InstrKind::Let { bindings, .. } = instr.kind {
                            self.within(&source, |l| l.bind_all(env, false, &bindings))?;
                        }
                    }
                }
            }
        }
        Ok(())
    }

    fn check(
        &mut self,
        env: &Env,
        span: Span,
        (role, negated, property): (Role, bool, Property),
        subject: &Expr,
        name: &Option<Arc<str>>,
    ) -> Result<()> {
        let value = self.expr(env, subject)?;
        let node = match (&value, property) {
            (Value::Set(s), Property::Empty) => self.builder.id(*s),
            _ => self.relation(subject.span, value)?,
        };
        let name = match name {
            Some(name) => name.clone(),
            None => {
                let text =
                    &self.source.text[subject.span.start as usize..subject.span.end as usize];
                text.split_whitespace().collect::<Vec<_>>().join(" ").into()
            }
        };
        let line = self.source.text[..span.start as usize]
            .matches('\n')
            .count()
            + 1;
        if self.without.left_out.iter().any(|out| **out == *name) {
            return Ok(());
        }
        self.checks.push(Check {
            name,
            role,
            negated,
            property,
            node,
            file: self.source.name.clone(),
            line: line as u32,
            note: super::note::note(&self.source.text, span.start as usize),
        });
        Ok(())
    }

    fn with_from(&mut self, env: &mut Env, name: &Arc<str>, from: &Expr) -> Result<()> {
        match self.expr(env, from)? {
            Value::Orders(OrderDomain::Coherence, base) => {
                // Coherence is one order however often a model names it.
                if let Some(base) = base {
                    let merged = match self.orders[0].base {
                        Some(old) => self.builder.union(old, base),
                        None => base,
                    };
                    self.orders[0].base = Some(merged);
                }
                let node = self.builder.order(0);
                env.bind(name.clone(), Value::Rel(node));
            }
            Value::Orders(domain, base) => {
                let number = self.orders.len() as u32;
                self.orders.push(OrderVar {
                    name: name.clone(),
                    domain,
                    base,
                });
                self.chosen.push((self.source.clone(), from.span));
                let node = self.builder.order(number);
                env.bind(name.clone(), Value::Rel(node));
            }
            // `with co from co`: the order that every execution has.
            Value::Rel(node) => env.bind(name.clone(), Value::Rel(node)),
            other => {
                return Err(self
                    .error(
                        from.span,
                        format!(
                            "`with` chooses from a set of orders, this is {}",
                            other.kind()
                        ),
                        "not a set of orders",
                    )
                    .with_help("write `generate_cos(r)` or `linearisations(s, r)`"));
            }
        }
        Ok(())
    }

    pub(super) fn bind_all(
        &mut self,
        env: &mut Env,
        recursive: bool,
        bindings: &[Binding],
    ) -> Result<()> {
        if !recursive {
            // All values are computed before any name is bound.
            let mut values = Vec::new();
            for binding in bindings {
                values.push(self.expr(env, &binding.value)?);
            }
            for (binding, value) in bindings.iter().zip(values) {
                self.bind(env, binding.span, &binding.pattern, value)?;
            }
            return Ok(());
        }
        let functions = bindings
            .iter()
            .filter_map(|b| match (&b.pattern, &b.value.kind) {
                (Pattern::Name(name), ExprKind::Fun(pattern, body)) => {
                    Some((name.clone(), pattern.clone(), body.clone()))
                }
                _ => None,
            });
        let family = Rc::new(functions.collect::<Family>());
        if family.len() == bindings.len() {
            env.bind_family(&family, &self.source);
            return Ok(());
        }
        let (group, vars) = self.builder.open_group(bindings.len());
        for (binding, var) in bindings.iter().zip(&vars) {
            let Pattern::Name(name) = &binding.pattern else {
                return Err(self.error(
                    binding.span,
                    "`let rec` defines relations by name",
                    "a tuple stands here",
                ));
            };
            if matches!(binding.value.kind, ExprKind::Fun(..)) {
                return Err(self.error(
                    binding.span,
                    format!("`{name}` is a function, and others of this `let rec` are not"),
                    "define functions with a `let rec` of their own",
                ));
            }
            env.bind(name.clone(), Value::Rel(*var));
        }
        let mut bodies = Vec::new();
        for binding in bindings {
            let value = self.expr(env, &binding.value)?;
            if let Value::Set(_) = value {
                return Err(self
                    .error(
                        binding.value.span,
                        "`let rec` defines relations, this is a set",
                        "not a relation",
                    )
                    .with_help("define the identity `[s]` recursively and take its `domain`"));
            }
            bodies.push(self.relation(binding.value.span, value)?);
        }
        if !self.builder.close_group(group, bodies) {
            return Err(self.error(
                bindings[0].span,
                "a recursive definition must not use its own name under `~` or to the right of `\\`",
                "this definition has no least solution",
            ));
        }
        Ok(())
    }

    pub(super) fn bind(
        &mut self,
        env: &mut Env,
        span: Span,
        pattern: &Pattern,
        value: Value,
    ) -> Result<()> {
        match pattern {
            Pattern::Name(name) => env.bind(name.clone(), value),
            Pattern::Tuple(names) => {
                let values = match value {
                    Value::Tuple(values) => values,
                    single => vec![single],
                };
                if values.len() != names.len() {
                    return Err(self.error(
                        span,
                        format!(
                            "{} values are expected, {} are given",
                            names.len(),
                            values.len()
                        ),
                        "here",
                    ));
                }
                for (name, value) in names.iter().zip(values) {
                    env.bind(name.clone(), value);
                }
            }
        }
        Ok(())
    }

    pub(super) fn condition(&mut self, env: &Env, condition: &Condition) -> Result<bool> {
        Ok(match condition {
            Condition::Variant(name) => {
                if !self.options.contains(name) {
                    self.options.push(name.clone());
                }
                self.without.readings.iter().any(|r| **r == **name)
            }
            Condition::Not(inner) => !self.condition(env, inner)?,
            Condition::And(a, b) => self.condition(env, a)? && self.condition(env, b)?,
            Condition::Or(a, b) => self.condition(env, a)? || self.condition(env, b)?,
            Condition::Equal(a, b) => {
                let span = a.span.to(b.span);
                let left = self.expr(env, a)?;
                let right = self.expr(env, b)?;
                match (left, right) {
                    (Value::Tag(a), Value::Tag(b)) => a == b,
                    (Value::Tags(a), Value::Tags(b)) => a == b,
                    (Value::Empty, Value::Tags(t)) | (Value::Tags(t), Value::Empty) => t.is_empty(),
                    (Value::Empty, Value::Empty) => true,
                    (a, b) => {
                        return Err(self.error(
                            span,
                            format!(
                                "{} and {} cannot be compared before an execution is known",
                                a.kind(),
                                b.kind()
                            ),
                            "only tags can",
                        ));
                    }
                }
            }
        })
    }
}
