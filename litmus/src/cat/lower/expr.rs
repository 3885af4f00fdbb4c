//! Expressions: operators on sets, relations and tags, functions and their application.

use super::{Closure, Env, Lowerer, Value};
use crate::cat::OrderDomain;
use crate::cat::ast::{Case, Expr, ExprKind, Infix, Postfix};
use crate::cat::error::{Result, Span};
use crate::cat::ir::{Builder, NodeId};
use crate::cat::vocabulary::{BaseSet, Function, Known, lookup, scope_of_tag};
use std::rc::Rc;
use std::sync::Arc;

impl Lowerer<'_> {
    pub(super) fn expr(&mut self, env: &Env, expr: &Expr) -> Result<Value> {
        self.step(expr.span)?;
        match &expr.kind {
            ExprKind::Name(name) => {
                if env.get(name).is_none()
                    && let Some(known) = lookup(name)
                {
                    return Ok(self.known(known));
                }
                self.name(env, expr.span, name)
            }
            ExprKind::Tag(tag) => Ok(Value::Tag(tag.clone())),
            ExprKind::Zero => Ok(Value::Empty),
            ExprKind::Universe => Ok(Value::Set(self.builder.set(BaseSet::All))),
            ExprKind::Braces(items) => self.braces(env, items),
            ExprKind::Tuple(items) => {
                let mut values = Vec::new();
                for item in items {
                    values.push(self.expr(env, item)?);
                }
                Ok(Value::Tuple(values))
            }
            ExprKind::Identity(inner) => {
                let value = self.expr(env, inner)?;
                let set = self.set(inner.span, value)?;
                Ok(Value::Rel(self.builder.id(set)))
            }
            ExprKind::Complement(inner) => match self.expr(env, inner)? {
                Value::Set(set) => {
                    let all = self.builder.set(BaseSet::All);
                    Ok(Value::Set(self.builder.set_diff(all, set)))
                }
                value => {
                    let rel = self.relation(inner.span, value)?;
                    let full = self.builder.full();
                    Ok(Value::Rel(self.builder.diff(full, rel)))
                }
            },
            ExprKind::Infix(op, a, b) => self.infix(env, expr.span, *op, a, b),
            ExprKind::Postfix(op, inner) => {
                let value = self.expr(env, inner)?;
                let r = self.relation(inner.span, value)?;
                Ok(Value::Rel(match op {
                    Postfix::Plus => self.builder.plus(r),
                    Postfix::Star => self.builder.star(r),
                    Postfix::Opt => self.builder.opt(r),
                    Postfix::Inverse => self.builder.inverse(r),
                }))
            }
            ExprKind::Apply(function, argument) => {
                let callee = self.expr(env, function)?;
                let value = self.expr(env, argument)?;
                self.apply(expr.span, callee, argument.span, value)
            }
            ExprKind::Fun(pattern, body) => Ok(Value::Closure(Rc::new(Closure {
                pattern: pattern.clone(),
                body: body.clone(),
                env: env.clone(),
                source: self.source.clone(),
                family: Rc::default(),
            }))),
            ExprKind::Let {
                recursive,
                bindings,
                body,
            } => {
                let mut inner = env.clone();
                self.bind_all(&mut inner, *recursive, bindings)?;
                self.expr(&inner, body)
            }
            ExprKind::If(condition, then, otherwise) => {
                let chosen = if self.condition(env, condition)? {
                    then
                } else {
                    otherwise
                };
                self.expr(env, chosen)
            }
            ExprKind::Match(subject, cases) => self.chosen(env, subject, cases),
            ExprKind::Try(first, second) => match self.expr(env, first) {
                Ok(value) => Ok(value),
                Err(_) => self.expr(env, second),
            },
        }
    }

    /// The result of the first case of a `match` that accepts its subject.
    fn chosen(&mut self, env: &Env, subject: &Expr, cases: &[(Case, Expr)]) -> Result<Value> {
        let value = self.expr(env, subject)?;
        for (case, result) in cases {
            let taken = match (case, &value) {
                (Case::Empty | Case::Parts(..), Value::Set(_) | Value::Rel(_)) => {
                    return Err(self
                        .error(
                            subject.span,
                            "the elements of a set or relation are not known before an \
                             execution is, so `match` cannot take it apart",
                            format!("this is {}", value.kind()),
                        )
                        .with_help(
                            "`match` works on tags and sets of tags; sets and relations \
                             are combined with operators",
                        ));
                }
                (Case::Default, _) | (Case::Empty, Value::Empty) => true,
                (Case::Tag(wanted), Value::Tag(tag)) => wanted == tag,
                (Case::Empty, Value::Tags(tags)) => tags.is_empty(),
                (Case::Parts(first, rest), Value::Tags(tags)) if !tags.is_empty() => {
                    let mut inner = env.clone();
                    inner.bind(first.clone(), Value::Tag(tags[0].clone()));
                    inner.bind(rest.clone(), Value::Tags(tags[1..].to_vec()));
                    return self.expr(&inner, result);
                }
                (Case::Tag(_) | Case::Empty | Case::Parts(..), _) => false,
            };
            if taken {
                return self.expr(env, result);
            }
        }
        Err(self
            .error(
                subject.span,
                "no case of this `match` accepts the value",
                format!("this is {}", value.shown()),
            )
            .with_help("add a last case `|| _ -> …` for everything else"))
    }

    fn braces(&mut self, env: &Env, items: &[Expr]) -> Result<Value> {
        if items.is_empty() {
            return Ok(Value::Empty);
        }
        let mut tags = Vec::new();
        for item in items {
            match self.expr(env, item)? {
                Value::Tag(tag) => tags.push(tag),
                other => {
                    return Err(self.error(
                        item.span,
                        format!("braces list tags, this is {}", other.kind()),
                        "not a tag",
                    ));
                }
            }
        }
        Ok(Value::Tags(tags))
    }

    fn infix(&mut self, env: &Env, span: Span, op: Infix, a: &Expr, b: &Expr) -> Result<Value> {
        let left = self.expr(env, a)?;
        let right = self.expr(env, b)?;
        type Combine = fn(&mut Builder, NodeId, NodeId) -> NodeId;
        let (sets, relations): (Combine, Combine) = match op {
            Infix::Union => (Builder::set_union, Builder::union),
            Infix::Inter => (Builder::set_inter, Builder::inter),
            Infix::Diff => (Builder::set_diff, Builder::diff),
            Infix::Seq => {
                let r = self.relation(a.span, left)?;
                let q = self.relation(b.span, right)?;
                return Ok(Value::Rel(self.builder.seq(r, q)));
            }
            Infix::Product => {
                let s = self.set(a.span, left)?;
                let t = self.set(b.span, right)?;
                return Ok(Value::Rel(self.builder.cross(s, t)));
            }
            Infix::Add => return self.add_tag(span, left, right),
        };
        let is_set = |value: &Value| matches!(value, Value::Set(_));
        let is_relation = |value: &Value| matches!(value, Value::Rel(_));
        match (&left, &right) {
            (Value::Empty, Value::Empty) => Ok(Value::Empty),
            (Value::Tags(l), Value::Tags(r)) => {
                let mut tags = l.clone();
                match op == Infix::Union {
                    true => tags.extend(r.iter().filter(|t| !l.contains(t)).cloned()),
                    false => tags.retain(|t| r.contains(t) == (op == Infix::Inter)),
                }
                Ok(Value::Tags(tags))
            }
            (l, r) if (is_set(l) || is_set(r)) && (is_relation(l) || is_relation(r)) => Err(self
                .error(
                    span,
                    format!("`{op}` joins two sets or two relations"),
                    format!("here it joins {} and {}", left.kind(), right.kind()),
                )
                .with_help("write `[s]` for the identity on a set")),
            (l, r) if is_set(l) || is_set(r) => {
                let s = self.set(a.span, left)?;
                let t = self.set(b.span, right)?;
                Ok(Value::Set(sets(&mut self.builder, s, t)))
            }
            _ => {
                let r = self.relation(a.span, left)?;
                let q = self.relation(b.span, right)?;
                Ok(Value::Rel(relations(&mut self.builder, r, q)))
            }
        }
    }

    fn add_tag(&self, span: Span, left: Value, right: Value) -> Result<Value> {
        match (left, right) {
            (Value::Tag(tag), Value::Tags(mut tags)) => {
                if !tags.contains(&tag) {
                    tags.insert(0, tag);
                }
                Ok(Value::Tags(tags))
            }
            (Value::Tag(tag), Value::Empty) => Ok(Value::Tags(vec![tag])),
            (left, right) => Err(self.error(
                span,
                format!(
                    "`++` adds a tag to a set of tags, here {} to {}",
                    left.kind(),
                    right.kind()
                ),
                "here",
            )),
        }
    }

    fn apply(&mut self, span: Span, callee: Value, at: Span, argument: Value) -> Result<Value> {
        match callee {
            Value::Closure(closure) => {
                let mut inner = closure.inside();
                self.bind(&mut inner, at, &closure.pattern, argument)?;
                self.called(span, |l| {
                    l.within(&closure.source, |l| l.expr(&inner, &closure.body))
                })
            }
            Value::Function(function) => self.builtin(at, function, argument),
            Value::Mapper(function) => self.map(at, &function, argument),
            other => Err(self.error(
                span,
                format!("{} is applied like a function", other.kind()),
                "here",
            )),
        }
    }

    fn builtin(&mut self, at: Span, function: Function, argument: Value) -> Result<Value> {
        match function {
            Function::Domain => {
                let r = self.relation(at, argument)?;
                Ok(Value::Set(self.builder.domain(r)))
            }
            Function::Range => {
                let r = self.relation(at, argument)?;
                Ok(Value::Set(self.builder.range(r)))
            }
            Function::GenerateCos => {
                let r = self.relation(at, argument)?;
                Ok(Value::Orders(OrderDomain::Coherence, Some(r)))
            }
            Function::Linearisations => match two(argument) {
                Ok([set, rel]) => {
                    let s = self.set(at, set)?;
                    let r = self.relation(at, rel)?;
                    Ok(Value::Orders(OrderDomain::Linear(s), Some(r)))
                }
                Err(_) => Err(self.error(
                    at,
                    "`linearisations` takes a set and a relation",
                    "two arguments are needed",
                )),
            },
            Function::ClassesLoc => Ok(Value::Classes(self.set(at, argument)?)),
            Function::Map => match two(argument) {
                Ok([function, classes]) => self.map(at, &function, classes),
                Err(Value::Tuple(_)) => Err(self.error(
                    at,
                    "`map` takes a function and a set",
                    "two arguments are needed",
                )),
                Err(function) => Ok(Value::Mapper(Rc::new(function))),
            },
            Function::Cross => match argument {
                Value::OrdersOfClasses(set, base) if set == self.builder.set(BaseSet::Write) => {
                    Ok(Value::Orders(OrderDomain::Coherence, base))
                }
                other => Err(self.error(
                        at,
                        format!(
                            "`cross` combines total orders of the writes of each location, this is {}",
                            other.kind()
                        ),
                        "not orders of `classes-loc(W)`",
                    )
                    .with_help("write `with co from generate_cos(r)` for coherence")),
            },
            Function::TagToScope => {
                let tag = self.tag(at, "tag2scope", argument)?;
                match scope_of_tag(&tag) {
                    Some(rel) => Ok(Value::Rel(self.builder.rel(rel))),
                    None if matches!(&*tag.to_lowercase(), "sys" | "system" | "all") => {
                        Ok(Value::Rel(self.builder.full()))
                    }
                    None => Err(self.error(at, format!("`'{tag}` is not a scope"), "here")),
                }
            }
            Function::TagToEvents => {
                let tag = self.tag(at, "tag2events", argument)?;
                match lookup(&tag).or_else(|| lookup(&tag.to_uppercase())) {
                    Some(Known::Set(set)) => Ok(Value::Set(self.builder.set(set))),
                    Some(Known::Empty) => Ok(Value::Empty),
                    Some(Known::Rel(_) | Known::Rf | Known::Co | Known::Function(_)) | None => {
                        Err(self.error(at, format!("no event carries `'{tag}`"), "here"))
                    }
                }
            }
        }
    }

    /// The tag that a function takes.
    fn tag(&self, at: Span, function: &str, argument: Value) -> Result<Arc<str>> {
        match argument {
            Value::Tag(tag) => Ok(tag),
            other => Err(self.error(
                at,
                format!("`{function}` takes a tag, this is {}", other.kind()),
                "not a tag",
            )),
        }
    }

    /// `map f c`, where `f` gives the total orders of a class, or takes a tag to a tag.
    fn map(&mut self, at: Span, function: &Value, argument: Value) -> Result<Value> {
        match argument {
            Value::Empty => Ok(Value::Empty),
            Value::Tags(tags) => {
                let mut images: Vec<Arc<str>> = Vec::new();
                for tag in tags {
                    match self.apply(at, function.clone(), at, Value::Tag(tag))? {
                        Value::Tag(image) if images.contains(&image) => {}
                        Value::Tag(image) => images.push(image),
                        other => {
                            return Err(self.error(
                                at,
                                format!("`map` over tags gives tags, here {}", other.kind()),
                                "not tags",
                            ));
                        }
                    }
                }
                Ok(Value::Tags(images))
            }
            Value::Classes(set) => match self.apply(at, function.clone(), at, Value::Set(set))? {
                Value::Orders(OrderDomain::Linear(ordered), base) if ordered == set => {
                    Ok(Value::OrdersOfClasses(set, base))
                }
                other => Err(self
                    .error(
                        at,
                        format!(
                            "of classes only the total orders can be asked, here {}",
                            other.kind()
                        ),
                        "not `linearisations` of the class",
                    )
                    .with_help("write `with co from generate_cos(r)` for coherence")),
            },
            other => Err(self.error(
                at,
                format!(
                    "`map` needs tags or `classes-loc(…)`, this is {}",
                    other.kind()
                ),
                "cannot be taken apart",
            )),
        }
    }
}

/// The two values of a pair, or what else it is.
fn two(argument: Value) -> std::result::Result<[Value; 2], Value> {
    match argument {
        Value::Tuple(parts) => <[Value; 2]>::try_from(parts).map_err(Value::Tuple),
        other => Err(other),
    }
}
