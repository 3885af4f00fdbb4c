//! Instructions to a computation graph: names resolved, types checked, functions inlined.
//!
//! A cat file is evaluated once, at reading time, over nodes instead of relations: a function call
//! is the graph of its body. What remains is a graph with the model's checks at its roots.

use super::ast::{
    Binding, Case, Condition, Expr, ExprKind, Infix, Instr, InstrKind, Pattern, Postfix, Property,
    Role,
};
use super::error::{Result, Source, Span};
use super::ir::{Builder, NodeId};
use super::vocabulary::{BaseSet, Function, Known, NAMES, lookup, near, scope_of_tag};
use super::{Check, OrderDomain, OrderVar, parser};
use std::rc::Rc;
use std::sync::Arc;

/// How deep function calls, procedures and includes may nest.
const MAX_CALLS: u32 = 40;
/// How many expressions a file may evaluate, calls included.
const MAX_STEPS: u32 = 100_000;

/// Finds the text of an included file.
pub type Resolver<'a> = &'a dyn Fn(&str) -> Option<Source>;

/// What lowering a file gives.
pub struct Lowered {
    /// The graph.
    pub builder: Builder,
    /// The checks, in order; their nodes are the graph's roots.
    pub checks: Vec<Check>,
    /// The orders that an execution chooses; the first is coherence.
    pub orders: Vec<OrderVar>,
    /// The title of the file.
    pub title: Option<Arc<str>>,
}

/// Lowers a file after its prelude.
pub fn lower(prelude: &Source, source: &Source, resolver: Resolver<'_>) -> Result<Lowered> {
    let mut lowerer = Lowerer {
        builder: Builder::default(),
        checks: Vec::new(),
        orders: vec![OrderVar {
            name: "co".into(),
            domain: OrderDomain::Coherence,
            base: None,
        }],
        resolver,
        calls: 0,
        steps: 0,
    };
    let mut env = Env::default();
    let file = parser::parse(prelude)?;
    lowerer.instrs(&mut env, prelude, &file.instrs)?;
    let file = parser::parse(source)?;
    lowerer.instrs(&mut env, source, &file.instrs)?;
    Ok(Lowered {
        builder: lowerer.builder,
        checks: lowerer.checks,
        orders: lowerer.orders,
        title: file.title,
    })
}

/// The names in scope, innermost first.
#[derive(Clone, Default)]
struct Env(Option<Rc<Scope>>);

struct Scope {
    name: Arc<str>,
    value: Value,
    outer: Env,
}

impl Env {
    fn bind(&mut self, name: Arc<str>, value: Value) {
        let outer = self.clone();
        self.0 = Some(Rc::new(Scope { name, value, outer }));
    }

    fn get(&self, name: &str) -> Option<&Value> {
        self.scopes().find(|s| *s.name == *name).map(|s| &s.value)
    }

    fn scopes(&self) -> impl Iterator<Item = &Scope> {
        std::iter::successors(self.0.as_deref(), |s| s.outer.0.as_deref())
    }
}

impl Drop for Env {
    // A long chain of scopes is taken apart without recursion.
    fn drop(&mut self) {
        let mut next = self.0.take();
        while let Some(scope) = next {
            match Rc::try_unwrap(scope) {
                Ok(mut scope) => next = scope.outer.0.take(),
                Err(_) => break,
            }
        }
    }
}

#[derive(Clone)]
enum Value {
    Set(NodeId),
    Rel(NodeId),
    /// `0`, `{}`: a set or a relation, whichever is needed.
    Empty,
    Tag(Arc<str>),
    Tags(Vec<Arc<str>>),
    Function(Function),
    Closure(Rc<Closure>),
    Procedure(Rc<Procedure>),
    Tuple(Vec<Value>),
    /// Total orders to choose from.
    Orders(OrderDomain, Option<NodeId>),
}

struct Closure {
    pattern: Pattern,
    body: Arc<Expr>,
    env: Env,
    source: Source,
}

struct Procedure {
    pattern: Pattern,
    body: Arc<Vec<Instr>>,
    env: Env,
    source: Source,
}

impl Value {
    fn kind(&self) -> &'static str {
        match self {
            Value::Set(_) => "a set",
            Value::Rel(_) => "a relation",
            Value::Empty => "the empty set",
            Value::Tag(_) => "a tag",
            Value::Tags(_) => "a set of tags",
            Value::Function(_) | Value::Closure(_) => "a function",
            Value::Procedure(_) => "a procedure",
            Value::Tuple(_) => "a tuple",
            Value::Orders(..) => "a set of orders",
        }
    }
}

struct Lowerer<'a> {
    builder: Builder,
    checks: Vec<Check>,
    orders: Vec<OrderVar>,
    resolver: Resolver<'a>,
    calls: u32,
    steps: u32,
}

impl Lowerer<'_> {
    fn called<T>(
        &mut self,
        source: &Source,
        span: Span,
        f: impl FnOnce(&mut Self) -> Result<T>,
    ) -> Result<T> {
        if self.calls >= MAX_CALLS {
            return Err(source.error(
                span,
                format!("calls and includes nest more than {MAX_CALLS} deep"),
                "reached here",
            ));
        }
        self.calls += 1;
        let result = f(self);
        self.calls -= 1;
        result
    }

    fn step(&mut self, source: &Source, span: Span) -> Result<()> {
        self.steps += 1;
        if self.steps > MAX_STEPS {
            return Err(source.error(
                span,
                "this model grows too large when its functions are expanded",
                "the limit was reached here",
            ));
        }
        Ok(())
    }

    // Instructions

    fn instrs(&mut self, env: &mut Env, source: &Source, instrs: &[Instr]) -> Result<()> {
        for instr in instrs {
            self.step(source, instr.span)?;
            self.instr(env, source, instr)?;
        }
        Ok(())
    }

    fn instr(&mut self, env: &mut Env, source: &Source, instr: &Instr) -> Result<()> {
        match &instr.kind {
            InstrKind::Let {
                recursive,
                bindings,
            } => self.bind_all(env, source, *recursive, bindings),
            InstrKind::Check {
                role,
                negated,
                property,
                subject,
                name,
            } => self.check(
                env,
                source,
                instr.span,
                (*role, *negated, *property),
                subject,
                name,
            ),
            InstrKind::WithFrom(name, from) => self.with_from(env, source, name, from),
            InstrKind::Include(path) => {
                let Some(included) = (self.resolver)(path) else {
                    return Err(source.error(
                        instr.span,
                        format!("the file \"{path}\" cannot be found or read"),
                        "included here",
                    ));
                };
                self.called(source, instr.span, |l| {
                    let file = parser::parse(&included)?;
                    l.instrs(env, &included, &file.instrs)
                })
            }
            InstrKind::Procedure(name, pattern, body) => {
                let procedure = Value::Procedure(Rc::new(Procedure {
                    pattern: pattern.clone(),
                    body: body.clone(),
                    env: env.clone(),
                    source: source.clone(),
                }));
                env.bind(name.clone(), procedure);
                Ok(())
            }
            InstrKind::Call(name, argument) => {
                let value = self.name(env, source, instr.span, name)?;
                let Value::Procedure(procedure) = value else {
                    return Err(source.error(
                        instr.span,
                        format!(
                            "`{name}` is {}, and only procedures are called",
                            value.kind()
                        ),
                        "called here",
                    ));
                };
                let argument = self.expr(env, source, argument)?;
                let mut inner = procedure.env.clone();
                self.bind(&mut inner, source, instr.span, &procedure.pattern, argument)?;
                self.called(source, instr.span, |l| {
                    l.instrs(&mut inner, &procedure.source, &procedure.body)
                })
            }
            InstrKind::Forall(name, values, body) => {
                let span = values.span;
                let values = self.expr(env, source, values)?;
                let items: Vec<Value> = match values {
                    Value::Tags(tags) => tags.into_iter().map(Value::Tag).collect(),
                    Value::Empty => Vec::new(),
                    other => {
                        return Err(source.error(
                            span,
                            format!("`forall` needs a set of tags, this is {}", other.kind()),
                            "not a set of tags",
                        ));
                    }
                };
                for item in items {
                    let mut inner = env.clone();
                    inner.bind(name.clone(), item);
                    self.instrs(&mut inner, source, body)?;
                }
                Ok(())
            }
            InstrKind::If(condition, then, otherwise) => {
                let chosen = if self.condition(env, source, condition)? {
                    then
                } else {
                    otherwise
                };
                self.instrs(env, source, chosen)
            }
            InstrKind::Enum(name, tags) => {
                env.bind(name.clone(), Value::Tags(tags.clone()));
                Ok(())
            }
            InstrKind::Nothing => Ok(()),
        }
    }

    fn check(
        &mut self,
        env: &Env,
        source: &Source,
        span: Span,
        (role, negated, property): (Role, bool, Property),
        subject: &Expr,
        name: &Option<Arc<str>>,
    ) -> Result<()> {
        let value = self.expr(env, source, subject)?;
        let node = match (&value, property) {
            (Value::Set(s), Property::Empty) => self.builder.id(*s),
            _ => self.relation(source, subject.span, value)?,
        };
        let name = match name {
            Some(name) => name.clone(),
            None => {
                let text = &source.text[subject.span.start as usize..subject.span.end as usize];
                text.split_whitespace().collect::<Vec<_>>().join(" ").into()
            }
        };
        let line = source.text[..span.start as usize].matches('\n').count() + 1;
        self.checks.push(Check {
            name,
            role,
            negated,
            property,
            node,
            file: source.name.clone(),
            line: line as u32,
        });
        Ok(())
    }

    fn with_from(
        &mut self,
        env: &mut Env,
        source: &Source,
        name: &Arc<str>,
        from: &Expr,
    ) -> Result<()> {
        match self.expr(env, source, from)? {
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
                let node = self.builder.order(number);
                env.bind(name.clone(), Value::Rel(node));
            }
            // `with co from co`: the order that every execution has.
            Value::Rel(node) => env.bind(name.clone(), Value::Rel(node)),
            other => {
                return Err(source
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

    fn bind_all(
        &mut self,
        env: &mut Env,
        source: &Source,
        recursive: bool,
        bindings: &[Binding],
    ) -> Result<()> {
        if !recursive {
            // All values are computed before any name is bound.
            let mut values = Vec::new();
            for binding in bindings {
                values.push(self.expr(env, source, &binding.value)?);
            }
            for (binding, value) in bindings.iter().zip(values) {
                self.bind(env, source, binding.span, &binding.pattern, value)?;
            }
            return Ok(());
        }
        let (group, vars) = self.builder.open_group(bindings.len());
        for (binding, var) in bindings.iter().zip(&vars) {
            let Pattern::Name(name) = &binding.pattern else {
                return Err(source.error(
                    binding.span,
                    "`let rec` defines relations by name",
                    "a tuple stands here",
                ));
            };
            if matches!(binding.value.kind, ExprKind::Fun(..)) {
                return Err(source.error(
                    binding.span,
                    format!("`{name}` is a function, and functions cannot be recursive"),
                    "remove `rec`",
                ));
            }
            env.bind(name.clone(), Value::Rel(*var));
        }
        let mut bodies = Vec::new();
        for binding in bindings {
            let value = self.expr(env, source, &binding.value)?;
            bodies.push(self.relation(source, binding.value.span, value)?);
        }
        if !self.builder.close_group(group, bodies) {
            return Err(source.error(
                bindings[0].span,
                "a recursive definition must not use its own name under `~` or to the right of `\\`",
                "this definition has no least solution",
            ));
        }
        Ok(())
    }

    fn bind(
        &mut self,
        env: &mut Env,
        source: &Source,
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
                    return Err(source.error(
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

    fn condition(&mut self, env: &Env, source: &Source, condition: &Condition) -> Result<bool> {
        Ok(match condition {
            // No variant is ever switched on.
            Condition::Variant(_) => false,
            Condition::Not(inner) => !self.condition(env, source, inner)?,
            Condition::And(a, b) => {
                self.condition(env, source, a)? && self.condition(env, source, b)?
            }
            Condition::Or(a, b) => {
                self.condition(env, source, a)? || self.condition(env, source, b)?
            }
            Condition::Equal(a, b) => {
                let span = a.span.to(b.span);
                let left = self.expr(env, source, a)?;
                let right = self.expr(env, source, b)?;
                match (left, right) {
                    (Value::Tag(a), Value::Tag(b)) => a == b,
                    (Value::Tags(a), Value::Tags(b)) => a == b,
                    (Value::Empty, Value::Tags(t)) | (Value::Tags(t), Value::Empty) => t.is_empty(),
                    (Value::Empty, Value::Empty) => true,
                    (a, b) => {
                        return Err(source.error(
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

    // Expressions

    fn name(&self, env: &Env, source: &Source, span: Span, name: &str) -> Result<Value> {
        if let Some(value) = env.get(name) {
            return Ok(value.clone());
        }
        let candidates = env
            .scopes()
            .map(|s| &*s.name)
            .chain(NAMES.iter().map(|(n, _)| *n));
        let close = near(name, candidates);
        let error = source.error(span, format!("nothing is named `{name}`"), "unknown name");
        Err(if close.is_empty() {
            error
        } else {
            error.with_help(format!("did you mean {}?", close.join(" or ")))
        })
    }

    fn known(&mut self, known: Known) -> Value {
        match known {
            Known::Set(set) => Value::Set(self.builder.set(set)),
            Known::Rel(rel) => Value::Rel(self.builder.rel(rel)),
            Known::Rf => Value::Rel(self.builder.rf()),
            Known::Co => Value::Rel(self.builder.order(0)),
            Known::Function(function) => Value::Function(function),
            Known::Empty => Value::Empty,
        }
    }

    fn relation(&mut self, source: &Source, span: Span, value: Value) -> Result<NodeId> {
        match value {
            Value::Rel(node) => Ok(node),
            Value::Empty => Ok(self.builder.empty()),
            other => {
                let error = source.error(
                    span,
                    format!("a relation is needed here, this is {}", other.kind()),
                    "not a relation",
                );
                Err(match other {
                    Value::Set(_) => error.with_help("write `[s]` for the identity on a set"),
                    _ => error,
                })
            }
        }
    }

    fn set(&mut self, source: &Source, span: Span, value: Value) -> Result<NodeId> {
        match value {
            Value::Set(node) => Ok(node),
            Value::Empty => Ok(self.builder.empty_set()),
            other => {
                let error = source.error(
                    span,
                    format!("a set is needed here, this is {}", other.kind()),
                    "not a set",
                );
                Err(match other {
                    Value::Rel(_) => error.with_help("write `domain(r)` or `range(r)`"),
                    _ => error,
                })
            }
        }
    }

    fn expr(&mut self, env: &Env, source: &Source, expr: &Expr) -> Result<Value> {
        self.step(source, expr.span)?;
        match &expr.kind {
            ExprKind::Name(name) => {
                if env.get(name).is_none()
                    && let Some(known) = lookup(name)
                {
                    return Ok(self.known(known));
                }
                self.name(env, source, expr.span, name)
            }
            ExprKind::Tag(tag) => Ok(Value::Tag(tag.clone())),
            ExprKind::Zero => Ok(Value::Empty),
            ExprKind::Universe => Ok(Value::Set(self.builder.set(BaseSet::All))),
            ExprKind::Braces(items) => self.braces(env, source, items),
            ExprKind::Tuple(items) => {
                let mut values = Vec::new();
                for item in items {
                    values.push(self.expr(env, source, item)?);
                }
                Ok(Value::Tuple(values))
            }
            ExprKind::Identity(inner) => {
                let value = self.expr(env, source, inner)?;
                let set = self.set(source, inner.span, value)?;
                Ok(Value::Rel(self.builder.id(set)))
            }
            ExprKind::Complement(inner) => match self.expr(env, source, inner)? {
                Value::Set(set) => {
                    let all = self.builder.set(BaseSet::All);
                    Ok(Value::Set(self.builder.set_diff(all, set)))
                }
                value => {
                    let rel = self.relation(source, inner.span, value)?;
                    let full = self.builder.full();
                    Ok(Value::Rel(self.builder.diff(full, rel)))
                }
            },
            ExprKind::Infix(op, a, b) => self.infix(env, source, expr.span, *op, a, b),
            ExprKind::Postfix(op, inner) => {
                let value = self.expr(env, source, inner)?;
                let r = self.relation(source, inner.span, value)?;
                Ok(Value::Rel(match op {
                    Postfix::Plus => self.builder.plus(r),
                    Postfix::Star => self.builder.star(r),
                    Postfix::Opt => self.builder.opt(r),
                    Postfix::Inverse => self.builder.inverse(r),
                }))
            }
            ExprKind::Apply(function, argument) => {
                let callee = self.expr(env, source, function)?;
                let value = self.expr(env, source, argument)?;
                self.apply(source, expr.span, callee, argument.span, value)
            }
            ExprKind::Fun(pattern, body) => Ok(Value::Closure(Rc::new(Closure {
                pattern: pattern.clone(),
                body: body.clone(),
                env: env.clone(),
                source: source.clone(),
            }))),
            ExprKind::Let {
                recursive,
                bindings,
                body,
            } => {
                let mut inner = env.clone();
                self.bind_all(&mut inner, source, *recursive, bindings)?;
                self.expr(&inner, source, body)
            }
            ExprKind::If(condition, then, otherwise) => {
                let chosen = if self.condition(env, source, condition)? {
                    then
                } else {
                    otherwise
                };
                self.expr(env, source, chosen)
            }
            ExprKind::Match(subject, cases) => {
                let value = self.expr(env, source, subject)?;
                for (case, result) in cases {
                    let taken = match (case, &value) {
                        (Case::Default, _) | (Case::Empty, Value::Empty) => true,
                        (Case::Tag(wanted), Value::Tag(tag)) => wanted == tag,
                        (Case::Empty, Value::Tags(tags)) => tags.is_empty(),
                        (Case::Tag(_) | Case::Empty, _) => false,
                    };
                    if taken {
                        return self.expr(env, source, result);
                    }
                }
                Err(source.error(
                    subject.span,
                    "no case of this `match` accepts the value",
                    format!("this is {}", value.kind()),
                ))
            }
            ExprKind::Try(first, second) => match self.expr(env, source, first) {
                Ok(value) => Ok(value),
                Err(_) => self.expr(env, source, second),
            },
        }
    }

    fn braces(&mut self, env: &Env, source: &Source, items: &[Expr]) -> Result<Value> {
        if items.is_empty() {
            return Ok(Value::Empty);
        }
        let mut tags = Vec::new();
        for item in items {
            match self.expr(env, source, item)? {
                Value::Tag(tag) => tags.push(tag),
                other => {
                    return Err(source.error(
                        item.span,
                        format!("braces list tags, this is {}", other.kind()),
                        "not a tag",
                    ));
                }
            }
        }
        Ok(Value::Tags(tags))
    }

    fn infix(
        &mut self,
        env: &Env,
        source: &Source,
        span: Span,
        op: Infix,
        a: &Expr,
        b: &Expr,
    ) -> Result<Value> {
        let left = self.expr(env, source, a)?;
        let right = self.expr(env, source, b)?;
        match op {
            Infix::Union | Infix::Inter | Infix::Diff => {
                if matches!((&left, &right), (Value::Empty, Value::Empty)) {
                    return Ok(Value::Empty);
                }
                if let (Value::Tags(l), Value::Tags(r)) = (&left, &right) {
                    let kept = |l: &[Arc<str>], r: &[Arc<str>], wanted: bool| {
                        l.iter()
                            .filter(|t| r.contains(t) == wanted)
                            .cloned()
                            .collect::<Vec<_>>()
                    };
                    return Ok(Value::Tags(match op {
                        Infix::Inter => kept(l, r, true),
                        Infix::Diff => kept(l, r, false),
                        Infix::Union | Infix::Add | Infix::Seq | Infix::Product => {
                            let mut all = l.clone();
                            all.extend(kept(r, l, false));
                            all
                        }
                    }));
                }
                let sets = matches!(left, Value::Set(_)) || matches!(right, Value::Set(_));
                let rels = matches!(left, Value::Rel(_)) || matches!(right, Value::Rel(_));
                if sets && rels {
                    let sign = match op {
                        Infix::Union => "|",
                        Infix::Inter => "&",
                        Infix::Diff | Infix::Add | Infix::Seq | Infix::Product => "\\",
                    };
                    return Err(source
                        .error(
                            span,
                            format!("`{sign}` joins two sets or two relations"),
                            format!("here it joins {} and {}", left.kind(), right.kind()),
                        )
                        .with_help("write `[s]` for the identity on a set"));
                }
                if sets {
                    let s = self.set(source, a.span, left)?;
                    let t = self.set(source, b.span, right)?;
                    return Ok(Value::Set(match op {
                        Infix::Inter => self.builder.set_inter(s, t),
                        Infix::Diff => self.builder.set_diff(s, t),
                        Infix::Union | Infix::Add | Infix::Seq | Infix::Product => {
                            self.builder.set_union(s, t)
                        }
                    }));
                }
                let r = self.relation(source, a.span, left)?;
                let q = self.relation(source, b.span, right)?;
                Ok(Value::Rel(match op {
                    Infix::Inter => self.builder.inter(r, q),
                    Infix::Diff => self.builder.diff(r, q),
                    Infix::Union | Infix::Add | Infix::Seq | Infix::Product => {
                        self.builder.union(r, q)
                    }
                }))
            }
            Infix::Seq => {
                let r = self.relation(source, a.span, left)?;
                let q = self.relation(source, b.span, right)?;
                Ok(Value::Rel(self.builder.seq(r, q)))
            }
            Infix::Product => {
                let s = self.set(source, a.span, left)?;
                let t = self.set(source, b.span, right)?;
                Ok(Value::Rel(self.builder.cross(s, t)))
            }
            Infix::Add => match (left, right) {
                (Value::Tag(tag), Value::Tags(mut tags)) => {
                    if !tags.contains(&tag) {
                        tags.insert(0, tag);
                    }
                    Ok(Value::Tags(tags))
                }
                (Value::Tag(tag), Value::Empty) => Ok(Value::Tags(vec![tag])),
                (left, right) => Err(source.error(
                    span,
                    format!(
                        "`++` adds a tag to a set of tags, here {} to {}",
                        left.kind(),
                        right.kind()
                    ),
                    "here",
                )),
            },
        }
    }

    fn apply(
        &mut self,
        source: &Source,
        span: Span,
        callee: Value,
        at: Span,
        argument: Value,
    ) -> Result<Value> {
        match callee {
            Value::Closure(closure) => {
                let mut inner = closure.env.clone();
                self.bind(&mut inner, source, at, &closure.pattern, argument)?;
                self.called(source, span, |l| {
                    l.expr(&inner, &closure.source, &closure.body)
                })
            }
            Value::Function(function) => self.builtin(source, at, function, argument),
            other => Err(source.error(
                span,
                format!("{} is applied like a function", other.kind()),
                "here",
            )),
        }
    }

    fn builtin(
        &mut self,
        source: &Source,
        at: Span,
        function: Function,
        argument: Value,
    ) -> Result<Value> {
        match function {
            Function::Domain => {
                let r = self.relation(source, at, argument)?;
                Ok(Value::Set(self.builder.domain(r)))
            }
            Function::Range => {
                let r = self.relation(source, at, argument)?;
                Ok(Value::Set(self.builder.range(r)))
            }
            Function::GenerateCos => {
                let r = self.relation(source, at, argument)?;
                Ok(Value::Orders(OrderDomain::Coherence, Some(r)))
            }
            Function::Linearisations => match argument {
                Value::Tuple(parts) => match <[Value; 2]>::try_from(parts) {
                    Ok([set, rel]) => {
                        let s = self.set(source, at, set)?;
                        let r = self.relation(source, at, rel)?;
                        Ok(Value::Orders(OrderDomain::Linear(s), Some(r)))
                    }
                    Err(_) => Err(source.error(
                        at,
                        "`linearisations` takes a set and a relation",
                        "two arguments are needed",
                    )),
                },
                _ => Err(source.error(
                    at,
                    "`linearisations` takes a set and a relation",
                    "two arguments are needed",
                )),
            },
            Function::TagToScope => match argument {
                Value::Tag(tag) => match scope_of_tag(&tag) {
                    Some(rel) => Ok(Value::Rel(self.builder.rel(rel))),
                    None if matches!(&*tag.to_lowercase(), "sys" | "system" | "all") => {
                        Ok(Value::Rel(self.builder.full()))
                    }
                    None => Err(source.error(at, format!("`'{tag}` is not a scope"), "here")),
                },
                other => Err(source.error(
                    at,
                    format!("`tag2scope` takes a tag, this is {}", other.kind()),
                    "not a tag",
                )),
            },
            Function::TagToEvents => match argument {
                Value::Tag(tag) => match lookup(&tag).or_else(|| lookup(&tag.to_uppercase())) {
                    Some(Known::Set(set)) => Ok(Value::Set(self.builder.set(set))),
                    Some(Known::Empty) => Ok(Value::Empty),
                    Some(Known::Rel(_) | Known::Rf | Known::Co | Known::Function(_)) | None => {
                        Err(source.error(at, format!("no event carries `'{tag}`"), "here"))
                    }
                },
                other => Err(source.error(
                    at,
                    format!("`tag2events` takes a tag, this is {}", other.kind()),
                    "not a tag",
                )),
            },
        }
    }
}
