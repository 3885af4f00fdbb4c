//! The cat language: memory models as readable files.
//!
//! A cat file defines sets and relations of events and says which of them must be acyclic,
//! irreflexive or empty. [`parser`] reads it, [`lower`] resolves names, checks types and inlines
//! functions, and what is left is a [`Model`]: a graph of set and relation operators ([`ir`]) over
//! the names that every program supplies ([`vocabulary`]), with the checks at its roots. The oracle
//! evaluates that graph.

pub mod ast;
mod clause;
pub mod error;
mod foreign;
pub mod ir;
pub mod lexer;
pub mod lower;
pub mod parser;
pub mod reading;
pub mod vocabulary;
mod without;

#[cfg(test)]
mod tests;

pub use ast::{Property, Role};
pub use clause::Clause;
pub use error::{CatError, Source};
pub use reading::{Bounds, Effect, Reading};

use crate::program::Api;
use error::{Result, Span};
use ir::{Group, NodeId, Op};
use std::path::Path;
use std::sync::Arc;
use without::Without;

pub use without::ways_to_miss;

/// A check of a model.
#[derive(Debug, Clone)]
pub struct Check {
    /// Its name; for the models here, the id of the rule it states.
    pub name: Arc<str>,
    /// What follows from it.
    pub role: Role,
    /// The property is negated.
    pub negated: bool,
    /// The property.
    pub property: Property,
    /// Of which relation.
    pub node: NodeId,
    /// The file that states it.
    pub file: Arc<str>,
    /// The line in that file.
    pub line: u32,
    /// The comment that opens the paragraph of the file that the check stands in.
    pub note: Option<Arc<str>>,
}

/// What a chosen order puts in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OrderDomain {
    /// The writes of each location.
    Coherence,
    /// The events of a set.
    Linear(NodeId),
}

/// A total order that an execution chooses.
#[derive(Debug, Clone)]
pub struct OrderVar {
    /// The name that the model gives it.
    pub name: Arc<str>,
    /// What it puts in order.
    pub domain: OrderDomain,
    /// A relation that it must contain.
    pub base: Option<NodeId>,
}

/// A memory model, ready to be evaluated.
#[derive(Debug, Clone)]
pub struct Model {
    /// Its name.
    pub name: Arc<str>,
    /// The operators; every node reads only earlier ones.
    pub ops: Vec<Op>,
    /// Whether a node's value depends on choices, for each node.
    pub dynamic: Vec<bool>,
    /// Which choices a node's value depends on: bit 0 is reads-from, bit `k + 1` order `k`; orders
    /// from the 62nd on share the last bit.
    pub choices: Vec<u64>,
    /// The name that the model gives a node with `let`, for each node.
    pub names: Vec<Option<Arc<str>>>,
    /// The groups of recursive relations.
    pub groups: Vec<Group>,
    /// The checks, in the order of the file.
    pub checks: Vec<Check>,
    /// The chosen orders; the first is coherence.
    pub orders: Vec<OrderVar>,
    /// What its text asks for by name (`if "name"`), in the order of first mention.
    pub options: Vec<Arc<str>>,
}

const PRELUDE: &str = include_str!("prelude.cat");

/// The models that come with classay.
const MODELS: &[(&str, &str)] = &[
    ("opencl-3.1", include_str!("../../models/opencl-3.1.cat")),
    ("opencl-3.0", include_str!("../../models/opencl-3.0.cat")),
    ("opencl-2.0", include_str!("../../models/opencl-2.0.cat")),
    (
        "opencl-scoped-sc",
        include_str!("../../models/opencl-scoped-sc.cat"),
    ),
    ("vulkan", include_str!("../../models/vulkan.cat")),
    (
        "vulkan-no-chains",
        include_str!("../../models/vulkan-no-chains.cat"),
    ),
    ("sc", include_str!("../../models/sc.cat")),
    ("x86-tso", include_str!("../../models/x86-tso.cat")),
];

/// Parts that those models include.
const PARTS: &[(&str, &str)] = &[
    ("opencl-base", include_str!("../../models/opencl-base.cat")),
    ("opencl-sc", include_str!("../../models/opencl-sc.cat")),
    ("vulkan-hb", include_str!("../../models/vulkan-hb.cat")),
    ("vulkan-base", include_str!("../../models/vulkan-base.cat")),
];

/// Files that models by others include and whose content the vocabulary already has.
const LIBRARY: &[(&str, &str)] = &[
    ("stdlib.cat", ""),
    ("fences.cat", ""),
    ("filters.cat", ""),
    ("c11_base.cat", include_str!("library/c11_base.cat")),
    ("c11_los.cat", ""),
    (
        "c11_cos.cat",
        "let co0 = loc & (IW * (W \\ IW))\nwith co from generate_cos(co0)\nlet mo = co\n",
    ),
    (
        "cos.cat",
        "let co0 = loc & (IW * (W \\ IW))\nwith co from generate_cos(co0)\n",
    ),
    ("cos-opt.cat", "with co from generate_cos(0)\n"),
    ("cross.cat", ""),
];

/// The files that a model can include although nobody keeps them beside it.
fn library() -> impl Iterator<Item = String> {
    let ours = MODELS.iter().chain(PARTS).map(|(n, _)| format!("{n}.cat"));
    ours.chain(LIBRARY.iter().map(|(n, _)| (*n).to_owned()))
}

impl Model {
    /// The API whose programs the model is of; none where it says nothing of APIs, as models of interleavings
    /// and those in files by others.
    pub fn api(&self) -> Option<Api> {
        let (stem, _) = reading::parts(&self.name);
        let ours = MODELS.iter().any(|(name, _)| *name == stem);
        let of = |api: &Api| ours && stem.starts_with(api.name());
        Api::ALL.into_iter().find(of)
    }

    /// The names of the models that come with classay, best first.
    pub fn names() -> impl Iterator<Item = &'static str> {
        MODELS.iter().map(|(name, _)| *name)
    }

    /// A model that comes with classay, perhaps with readings: `opencl-3.0`, `opencl-3.0+scoped-s`.
    ///
    /// # Errors
    /// No model has that name, or it does not know a reading.
    pub fn named(name: &str) -> Result<Model> {
        Model::named_without(name, &Without::default())
    }

    fn named_without(name: &str, without: &Without) -> Result<Model> {
        let (stem, readings) = reading::parts(name);
        let stem = stem.strip_suffix(".cat").unwrap_or(stem);
        match MODELS.iter().find(|(n, _)| *n == stem) {
            Some((_, text)) => {
                let mut without = without.clone();
                without.readings = readings.iter().map(|r| (*r).to_owned()).collect();
                let mut model = Model::build(&format!("{stem}.cat"), text, &|_| None, &without)?
                    .check_readings(&readings)?;
                model.name = reading::joined(stem, readings).into();
                Ok(model)
            }
            None => {
                let source = Source::new("model name", name);
                let all: Vec<&str> = Model::names().collect();
                let span = Span::new(0, name.len());
                Err(source
                    .error(span, format!("no model is named `{name}`"), "unknown")
                    .with_help(format!(
                        "the models are {}; a path to a .cat file is accepted too",
                        all.join(", ")
                    )))
            }
        }
    }

    /// A model from a file; files that it includes are looked for beside it.
    ///
    /// # Errors
    /// The file cannot be read, or is not a model.
    pub fn from_file(path: &Path) -> Result<Model> {
        let name = path.display().to_string();
        let text = std::fs::read_to_string(path).map_err(|error| {
            let message = format!("the model {name} cannot be read: {error}");
            Source::new(name.as_str(), "").error(Span::new(0, 0), message, "")
        })?;
        let folder = path.parent().map(Path::to_path_buf).unwrap_or_default();
        let beside = move |include: &str| {
            let path = folder.join(include);
            let text = std::fs::read_to_string(&path).ok()?;
            Some(Source::new(path.display().to_string(), text))
        };
        Model::build(&name, &text, &beside, &Without::default())
    }

    /// A model from text; it can include the models and libraries that come with classay.
    ///
    /// # Errors
    /// The text is not a model.
    pub fn parse(name: &str, text: &str) -> Result<Model> {
        Model::build(name, text, &|_| None, &Without::default())
    }

    fn build(
        name: &str,
        text: &str,
        beside: &dyn Fn(&str) -> Option<Source>,
        without: &Without,
    ) -> Result<Model> {
        let source = Source::new(name, text);
        let prelude = Source::new("prelude.cat", PRELUDE);
        let resolver = |include: &str| {
            beside(include).or_else(|| {
                let stem = include.strip_suffix(".cat").unwrap_or(include);
                let known = MODELS
                    .iter()
                    .chain(PARTS)
                    .find(|(n, _)| *n == stem)
                    .or_else(|| LIBRARY.iter().find(|(n, _)| *n == include))?;
                Some(Source::new(include, known.1))
            })
        };
        let lowered = lower::lower(&prelude, &source, &resolver, without)?;
        let stem = Path::new(name)
            .file_stem()
            .map_or_else(|| name.to_owned(), |s| s.to_string_lossy().into_owned());
        Model::assemble(stem.into(), lowered)
    }

    fn assemble(name: Arc<str>, lowered: lower::Lowered) -> Result<Model> {
        let mut roots: Vec<NodeId> = lowered.checks.iter().map(|c| c.node).collect();
        for order in &lowered.orders {
            roots.extend(order.base);
            if let OrderDomain::Linear(set) = order.domain {
                roots.push(set);
            }
        }
        let ir::Graph {
            ops,
            groups,
            names,
            roots,
        } = lowered.builder.finish(&roots);
        let mut roots = roots.into_iter();
        let mut next = || roots.next().unwrap_or(NodeId(0));
        let mut checks = lowered.checks;
        for check in &mut checks {
            check.node = next();
        }
        let mut orders = lowered.orders;
        for order in &mut orders {
            if order.base.is_some() {
                order.base = Some(next());
            }
            if let OrderDomain::Linear(set) = &mut order.domain {
                *set = next();
            }
        }
        let choices = choices(&ops, &groups);
        let dynamic: Vec<bool> = choices.iter().map(|c| *c != 0).collect();
        for (order, (source, span)) in orders.iter().skip(1).zip(&lowered.chosen) {
            if let OrderDomain::Linear(set) = order.domain
                && dynamic[set.index()]
            {
                return Err(source
                    .error(
                        *span,
                        format!(
                            "`{}` orders a set that differs between executions of one program",
                            order.name
                        ),
                        "chosen here",
                    )
                    .with_help(
                        "a set that depends on neither rf nor co is needed, such as `SC` or `W`",
                    ));
            }
        }
        Ok(Model {
            name,
            options: lowered.options,
            ops,
            dynamic,
            choices,
            names,
            groups,
            checks,
            orders,
        })
    }
}

/// Which choices each node depends on, as [`Model::choices`] says.
fn choices(ops: &[Op], groups: &[Group]) -> Vec<u64> {
    let mut choices = vec![0u64; ops.len()];
    loop {
        let mut changed = false;
        for (index, op) in ops.iter().enumerate() {
            let value = match *op {
                Op::Rf => 1,
                Op::Order(k) => order_bit(k as usize),
                Op::RecVar(g, i) => groups[g as usize]
                    .bodies
                    .get(i as usize)
                    .map_or(0, |b| choices[b.index()]),
                Op::Fix(g) => groups[g as usize]
                    .bodies
                    .iter()
                    .fold(0, |all, b| all | choices[b.index()]),
                op => op
                    .inputs()
                    .into_iter()
                    .flatten()
                    .fold(0, |all, i| all | choices[i.index()]),
            };
            if value != choices[index] {
                choices[index] = value;
                changed = true;
            }
        }
        if !changed {
            return choices;
        }
    }
}

/// The bit of an order in [`Model::choices`].
pub fn order_bit(order: usize) -> u64 {
    1 << (order + 1).min(63)
}
