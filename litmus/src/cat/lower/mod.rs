//! Instructions to a computation graph: names resolved, types checked, functions inlined.
//!
//! A cat file is evaluated once, at reading time, over nodes instead of relations: a function call
//! is the graph of its body. What remains is a graph with the model's checks at its roots.

mod expr;
mod instr;
pub(super) mod note;

use super::ast::{Expr, File, Instr, Pattern};
use super::error::{CatError, Result, Source, Span};
use super::ir::{Builder, NodeId};
use super::vocabulary::{Function, Known, names, near};
use super::without::Without;
use super::{Check, OrderDomain, OrderVar, foreign, parser};
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
    /// Where each of them but the first is chosen.
    pub chosen: Vec<(Source, Span)>,
    /// The title of the file.
    pub title: Option<Arc<str>>,
    /// What the file asks for by name.
    pub options: Vec<Arc<str>>,
}

/// Lowers a file after its prelude.
///
/// # Errors
/// What does not parse, a name that is not defined, or a value of another type than its use.
pub fn lower(
    prelude: &Source,
    source: &Source,
    resolver: Resolver<'_>,
    without: &Without,
) -> Result<Lowered> {
    let mut lowerer = Lowerer {
        source: prelude.clone(),
        builder: Builder::default(),
        checks: Vec::new(),
        orders: vec![OrderVar {
            name: "co".into(),
            domain: OrderDomain::Coherence,
            base: None,
        }],
        chosen: Vec::new(),
        options: Vec::new(),
        prelude: true,
        resolver,
        without,
        calls: 0,
        steps: 0,
    };
    let mut env = Env::default();
    let file = parser::parse(prelude)?;
    lowerer.instrs(&mut env, &file.instrs)?;
    lowerer.prelude = false;
    let title = lowerer.file(&mut env, source)?;
    for text in &without.more {
        let source = Source::new(source.name.clone(), *text);
        let file = parser::parse(&source)?;
        lowerer.within(&source, |l| l.instrs(&mut env, &file.instrs))?;
    }
    Ok(Lowered {
        builder: lowerer.builder,
        checks: lowerer.checks,
        orders: lowerer.orders,
        chosen: lowerer.chosen,
        title,
        options: lowerer.options,
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

    /// Binds the functions of one `let rec`, whose bodies see what is in scope before them.
    fn bind_family(&mut self, family: &Rc<Family>, source: &Source) {
        let outside = self.clone();
        for (name, pattern, body) in family.iter() {
            let closure = Closure {
                pattern: pattern.clone(),
                body: body.clone(),
                env: outside.clone(),
                source: source.clone(),
                family: family.clone(),
            };
            self.bind(name.clone(), Value::Closure(Rc::new(closure)));
        }
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
    /// The events of a set, apart by location.
    Classes(NodeId),
    /// `map f`, which wants classes.
    Mapper(Rc<Value>),
    /// Total orders of each class of a set that contain a relation.
    OrdersOfClasses(NodeId, Option<NodeId>),
}

struct Closure {
    pattern: Pattern,
    body: Arc<Expr>,
    env: Env,
    source: Source,
    /// The functions of one `let rec`, which can call each other.
    family: Rc<Family>,
}

/// Functions by name, with what they take and what they give.
type Family = Vec<(Arc<str>, Pattern, Arc<Expr>)>;

impl Closure {
    /// The names that its body sees, parameters aside.
    fn inside(&self) -> Env {
        let mut env = self.env.clone();
        env.bind_family(&self.family, &self.source);
        env
    }
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
            Value::Classes(_) => "a set of classes",
            Value::Mapper(_) => "a function",
            Value::OrdersOfClasses(..) => "a set of orders of classes",
        }
    }

    /// What it is, with its text where that is short.
    fn shown(&self) -> String {
        if let Value::Tag(tag) = self {
            return format!("the tag `'{tag}`");
        }
        self.kind().to_owned()
    }
}

struct Lowerer<'a> {
    /// The text that is being read.
    source: Source,
    builder: Builder,
    checks: Vec<Check>,
    orders: Vec<OrderVar>,
    chosen: Vec<(Source, Span)>,
    options: Vec<Arc<str>>,
    /// The prelude is being read.
    prelude: bool,
    resolver: Resolver<'a>,
    without: &'a Without,
    calls: u32,
    steps: u32,
}

impl Lowerer<'_> {
    /// Lowers a file, and gives its title.
    fn file(&mut self, env: &mut Env, source: &Source) -> Result<Option<Arc<str>>> {
        let File { title, mut instrs } = parser::parse(source)?;
        if let Some(cut) = &self.without.cut {
            instrs = cut.applied(&source.name, instrs);
        }
        self.within(source, |l| l.instrs(env, &instrs))?;
        Ok(title)
    }

    fn called<T>(&mut self, span: Span, f: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        if self.calls >= MAX_CALLS {
            return Err(self.error(
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

    /// What is wrong at a place of the text that is being read.
    fn error(
        &self,
        span: Span,
        message: impl Into<String>,
        label: impl Into<String>,
    ) -> Box<CatError> {
        self.source.error(span, message, label)
    }

    /// Does something in another text.
    fn within<T>(&mut self, source: &Source, f: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        let outer = std::mem::replace(&mut self.source, source.clone());
        let result = f(self);
        self.source = outer;
        result
    }

    fn step(&mut self, span: Span) -> Result<()> {
        self.steps += 1;
        if self.steps > MAX_STEPS {
            return Err(self.error(
                span,
                "this model grows too large when its functions are expanded",
                "the limit was reached here",
            ));
        }
        Ok(())
    }

    fn name(&self, env: &Env, span: Span, name: &str) -> Result<Value> {
        if let Some(value) = env.get(name) {
            return Ok(value.clone());
        }
        let candidates = env
            .scopes()
            .map(|s| &*s.name)
            .chain(names().map(|(n, _)| n));
        let close = near(name, candidates);
        let error = self.error(span, format!("nothing is named `{name}`"), "unknown name");
        Err(if let Some(home) = foreign::home(name) {
            error.with_help(format!(
                "`{name}` is a name of {home}, and programs in OpenCL C have nothing of the kind; \
                 where the model can do without, define it before, as in `let {name} = 0`"
            ))
        } else if close.is_empty() {
            error.with_help("the README of the models lists the names that every model can use")
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

    fn relation(&mut self, span: Span, value: Value) -> Result<NodeId> {
        let help = match value {
            Value::Rel(node) => return Ok(node),
            Value::Empty => return Ok(self.builder.empty()),
            Value::Set(_) => Some("write `[s]` for the identity on a set"),
            _ => None,
        };
        needed(&self.source, span, "relation", &value, help)
    }

    fn set(&mut self, span: Span, value: Value) -> Result<NodeId> {
        let help = match value {
            Value::Set(node) => return Ok(node),
            Value::Empty => return Ok(self.builder.empty_set()),
            Value::Rel(_) => Some("write `domain(r)` or `range(r)`"),
            _ => None,
        };
        needed(&self.source, span, "set", &value, help)
    }
}

/// Says that something else stands where a set or a relation is needed.
fn needed<T>(
    source: &Source,
    span: Span,
    what: &str,
    value: &Value,
    help: Option<&str>,
) -> Result<T> {
    let message = format!("a {what} is needed here, this is {}", value.kind());
    let error = source.error(span, message, format!("not a {what}"));
    Err(match help {
        Some(help) => error.with_help(help),
        None => error,
    })
}
