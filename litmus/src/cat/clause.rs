//! The clauses of a model, each of which can be taken away.
//!
//! A clause is an operand of a union, an intersection or a sequence, what a difference takes out, a
//! closure, or a check. Without it a union has one way less, an intersection and a sequence one condition
//! less. They are found in the text of a model, so that none can be forgotten: a test asks of each whether
//! some program has another verdict without it.
//!
//! Definitions come in twins, of global and of local memory (`g-sync`, `l-sync`). A clause of a
//! definition that both use can also be taken away from one of them alone.

use super::ast::{Condition, Expr, ExprKind, Infix, Instr, InstrKind, Pattern, Postfix};
use super::error::{Result, Source, Span};
use super::lower::note;
use super::without::Without;
use super::{MODELS, Model, PARTS, parser, reading};
use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

/// A part of a model that can be taken away.
#[derive(Debug, Clone)]
pub struct Clause {
    /// The file that it stands in.
    pub file: Arc<str>,
    /// The statement in one line, with what is taken away between `‹` and `›`.
    pub marked: String,
    /// The region, where it is taken away from the definitions of one region only.
    pub region: Option<&'static str>,
    /// The ids of the rules that it comes from: those that its paragraph of the file names.
    pub rules: BTreeSet<String>,
    cut: Cut,
}

/// What is taken away, and where.
#[derive(Debug, Clone)]
pub(super) struct Cut {
    file: Arc<str>,
    /// Of the expression that is left with less, or of the check that is dropped.
    span: Span,
    loss: Loss,
    /// Where it is taken away from the definitions of one region only.
    twin: Option<Twin>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Loss {
    /// The left operand.
    Left,
    /// The right operand.
    Right,
    /// A closure.
    Closure,
    /// A check.
    Check,
}

/// Definitions of one region, which get copies of what both regions share.
#[derive(Debug, Clone)]
struct Twin {
    definitions: BTreeSet<Arc<str>>,
    /// The definition that loses something, and those between it and the region's.
    copied: BTreeSet<Arc<str>>,
}

/// The regions, and the letters that their definitions begin with.
const REGIONS: [(char, &str); 2] = [('g', "global"), ('l', "local")];

impl Model {
    /// The clauses of a model that comes with classay, perhaps with readings, in the order of its text:
    /// those of its checks, and of the definitions that they use.
    ///
    /// # Errors
    /// No model has that name.
    pub fn clauses(name: &str) -> Result<Vec<Clause>> {
        Model::named(name)?;
        let statements = statements(name)?;
        let mut clauses = Vec::new();
        for (source, instr) in &statements {
            let rules = rules(source, instr, &statements);
            let regional = REGIONS.iter().filter_map(|(letter, region)| {
                Some((Some(*region), Some(twin(instr, *letter, &statements)?)))
            });
            let twins: Vec<_> = regional.chain([(None, None)]).collect();
            each_cut(instr, &mut |span, lost, loss| {
                let before = Span {
                    end: lost.start,
                    ..instr.span
                };
                let after = Span {
                    start: lost.end,
                    ..instr.span
                };
                let [before, lost, after] = [before, lost, after].map(|span| text(source, span));
                for (region, twin) in &twins {
                    clauses.push(Clause {
                        file: source.name.clone(),
                        marked: in_one_line(&format!("{before}‹{lost}›{after}")),
                        region: *region,
                        rules: rules.clone(),
                        cut: Cut {
                            file: source.name.clone(),
                            span,
                            loss,
                            twin: twin.clone(),
                        },
                    });
                }
            });
        }
        Ok(clauses)
    }

    /// A model that comes with classay, as it is when one of its clauses is taken away.
    ///
    /// # Errors
    /// No model has that name.
    pub fn without_clause(name: &str, clause: &Clause) -> Result<Model> {
        let without = Without {
            cut: Some(clause.cut.clone()),
            ..Without::default()
        };
        Model::named_without(name, &without)
    }
}

impl fmt::Display for Clause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.file, self.marked)?;
        self.region
            .map_or(Ok(()), |region| write!(f, " [{region}]"))
    }
}

fn text(source: &Source, span: Span) -> &str {
    &source.text[span.start as usize..span.end as usize]
}

/// The statements of a model and of the files that it includes, each with its file: with these readings,
/// and without definitions that nothing then uses.
fn statements(name: &str) -> Result<Vec<(Source, Instr)>> {
    let (stem, readings) = reading::parts(name);
    let mut all = Vec::new();
    read(stem, &readings, &mut all)?;
    let mut used: BTreeSet<Arc<str>> = BTreeSet::new();
    let mut live = Vec::new();
    for (source, mut instr) in all.into_iter().rev() {
        let names = defined(&instr);
        if names.is_empty() || names.into_iter().any(|name| used.contains(name)) {
            each_expr(&mut instr, &mut |e| {
                if let ExprKind::Name(name) = &e.kind {
                    used.insert(name.clone());
                }
            });
            live.push((source, instr));
        }
    }
    live.reverse();
    Ok(live)
}

fn read(name: &str, readings: &[&str], statements: &mut Vec<(Source, Instr)>) -> Result<()> {
    let stem = name.strip_suffix(".cat").unwrap_or(name);
    let Some((_, text)) = MODELS.iter().chain(PARTS).find(|(known, _)| *known == stem) else {
        return Ok(());
    };
    let source = Source::new(format!("{stem}.cat"), *text);
    let mut instrs = parser::parse(&source)?.instrs;
    // The statements of the branch that is taken stand for the whole.
    instrs.reverse();
    while let Some(mut instr) = instrs.pop() {
        match &mut instr.kind {
            InstrKind::Include(file) => read(file, readings, statements)?,
            InstrKind::If(condition, then, otherwise) => {
                let taken = if holds(condition, readings) {
                    then
                } else {
                    otherwise
                };
                instrs.extend(std::mem::take(taken).into_iter().rev());
            }
            InstrKind::Let { .. }
            | InstrKind::Check { .. }
            | InstrKind::WithFrom(..)
            | InstrKind::Procedure(..)
            | InstrKind::Call(..)
            | InstrKind::Forall(..)
            | InstrKind::Enum(..)
            | InstrKind::Nothing => {
                each_expr(&mut instr, &mut |e| take_branches(e, readings));
                statements.push((source.clone(), instr));
            }
        }
    }
    Ok(())
}

/// Puts the branch that is taken in the place of an `if`.
fn take_branches(expr: &mut Expr, readings: &[&str]) {
    while let ExprKind::If(condition, then, otherwise) = &mut expr.kind {
        let taken = if holds(condition, readings) {
            then
        } else {
            otherwise
        };
        *expr = (**taken).clone();
    }
}

/// Whether a condition on the readings holds; one on values, which the models here do not have, does not.
fn holds(condition: &Condition, readings: &[&str]) -> bool {
    match condition {
        Condition::Variant(name) => readings.contains(&&**name),
        Condition::Equal(..) => false,
        Condition::Not(inner) => !holds(inner, readings),
        Condition::And(a, b) => holds(a, readings) && holds(b, readings),
        Condition::Or(a, b) => holds(a, readings) || holds(b, readings),
    }
}

/// The rules of a statement: the ids in brackets at the end of the comment of its paragraph and the names
/// of the checks in the paragraph.
fn rules(source: &Source, instr: &Instr, statements: &[(Source, Instr)]) -> BTreeSet<String> {
    let paragraph = note::paragraph(&source.text, instr.span.start as usize);
    let mut rules: BTreeSet<String> = statements
        .iter()
        .filter(|(of, other)| {
            of.name == source.name && paragraph.contains(&(other.span.start as usize))
        })
        .filter_map(|(_, other)| check_name(other))
        .map(str::to_owned)
        .collect();
    let note = note::note(&source.text, instr.span.start as usize);
    let bracketed = note.iter().flat_map(|note| note.split('[').skip(1));
    let ids = bracketed
        .filter_map(|rest| rest.split_once(']'))
        .flat_map(|(ids, _)| ids.split(", "));
    rules.extend(ids.map(str::to_owned));
    rules
}

/// A statement without its comments and line breaks.
fn in_one_line(text: &str) -> String {
    let mut kept = String::new();
    let mut rest = text;
    while let Some((before, comment)) = rest.split_once("(*") {
        kept.push_str(before);
        rest = comment.split_once("*)").map_or("", |(_, after)| after);
    }
    kept.push_str(rest);
    kept.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The name of a check that has one; none of other statements.
fn check_name(instr: &Instr) -> Option<&str> {
    let InstrKind::Check { name, .. } = &instr.kind else {
        return None;
    };
    name.as_deref()
}

/// The names that a statement defines.
fn defined(instr: &Instr) -> Vec<&Arc<str>> {
    let InstrKind::Let { bindings, .. } = &instr.kind else {
        return Vec::new();
    };
    bindings
        .iter()
        .filter_map(|binding| match &binding.pattern {
            Pattern::Name(name) => Some(name),
            Pattern::Tuple(_) => None,
        })
        .collect()
}

/// The definitions of one region that use what a statement defines, where those of the other do too.
fn twin(instr: &Instr, letter: char, statements: &[(Source, Instr)]) -> Option<Twin> {
    let names: BTreeSet<&str> = statements
        .iter()
        .flat_map(|(_, instr)| defined(instr))
        .map(|name| &**name)
        .collect();
    let region = |name: &str| {
        let (first, rest) = (name.chars().next()?, name.get(1..)?);
        let other = REGIONS.iter().find(|(l, _)| *l != first)?.0;
        let regional = REGIONS.iter().any(|(l, _)| *l == first);
        (regional && names.contains(format!("{other}{rest}").as_str())).then_some(first)
    };
    let mut copied: BTreeSet<Arc<str>> = defined(instr).into_iter().cloned().collect();
    if copied.is_empty() || copied.iter().any(|name| region(name).is_some()) {
        return None;
    }
    let mut definitions = BTreeSet::new();
    let mut reached = BTreeSet::new();
    for (_, user) in statements {
        let mut user = user.clone();
        let mut uses = false;
        each_expr(&mut user, &mut |e| {
            uses |= matches!(&e.kind, ExprKind::Name(name) if copied.contains(name));
        });
        for name in defined(&user).into_iter().filter(|_| uses) {
            match region(name) {
                None => drop(copied.insert(name.clone())),
                Some(first) => {
                    reached.insert(first);
                    if first == letter {
                        definitions.insert(name.clone());
                    }
                }
            }
        }
    }
    (reached.len() == REGIONS.len()).then_some(Twin {
        definitions,
        copied,
    })
}

/// Calls `each` with the expressions of a statement, outer ones first.
fn each_expr(instr: &mut Instr, each: &mut dyn FnMut(&mut Expr)) {
    match &mut instr.kind {
        InstrKind::Let { bindings, .. } => {
            for binding in bindings {
                each_within(&mut binding.value, each);
            }
        }
        InstrKind::Check { subject, .. } => each_within(subject, each),
        InstrKind::WithFrom(_, from) => each_within(from, each),
        InstrKind::If(_, then, otherwise) => {
            for instr in then.iter_mut().chain(otherwise) {
                each_expr(instr, each);
            }
        }
        InstrKind::Forall(_, values, body) => {
            each_within(values, each);
            for instr in body {
                each_expr(instr, each);
            }
        }
        InstrKind::Procedure(_, _, body) => {
            for instr in Arc::make_mut(body) {
                each_expr(instr, each);
            }
        }
        InstrKind::Call(_, argument) => each_within(argument, each),
        InstrKind::Include(_) | InstrKind::Enum(..) | InstrKind::Nothing => {}
    }
}

fn each_within(expr: &mut Expr, each: &mut dyn FnMut(&mut Expr)) {
    each(expr);
    match &mut expr.kind {
        ExprKind::Name(_) | ExprKind::Tag(_) | ExprKind::Zero | ExprKind::Universe => {}
        ExprKind::Braces(items) | ExprKind::Tuple(items) => {
            for item in items {
                each_within(item, each);
            }
        }
        ExprKind::Identity(inner) | ExprKind::Complement(inner) | ExprKind::Postfix(_, inner) => {
            each_within(inner, each);
        }
        ExprKind::Infix(_, left, right)
        | ExprKind::Apply(left, right)
        | ExprKind::Try(left, right) => {
            each_within(left, each);
            each_within(right, each);
        }
        ExprKind::Fun(_, body) => each_within(Arc::make_mut(body), each),
        ExprKind::Let { bindings, body, .. } => {
            for binding in bindings {
                each_within(&mut binding.value, each);
            }
            each_within(body, each);
        }
        ExprKind::If(_, then, otherwise) => {
            each_within(then, each);
            each_within(otherwise, each);
        }
        ExprKind::Match(subject, cases) => {
            each_within(subject, each);
            for (_, value) in cases {
                each_within(value, each);
            }
        }
    }
}

/// Calls `each` for all that can be taken away from a statement: what is left with less, where the text of
/// the lost part stands, and what is lost.
fn each_cut(instr: &Instr, each: &mut dyn FnMut(Span, Span, Loss)) {
    if let InstrKind::Check { .. } = instr.kind {
        each(instr.span, instr.span, Loss::Check);
    }
    let between = |start: u32, end: u32| Span { start, end };
    each_expr(&mut instr.clone(), &mut |e| match &e.kind {
        // The two sides of a product are one condition, which the product as a whole is.
        ExprKind::Infix(op, left, right) if *op != Infix::Product => {
            // Of a chain each link is taken away, and no part of the chain.
            let link =
                |operand: &Expr| !matches!(&operand.kind, ExprKind::Infix(of, ..) if of == op);
            if *op != Infix::Diff && link(left) {
                each(
                    e.span,
                    between(left.span.start, right.span.start),
                    Loss::Left,
                );
            }
            if *op == Infix::Diff || link(right) {
                each(e.span, between(left.span.end, right.span.end), Loss::Right);
            }
        }
        ExprKind::Postfix(Postfix::Plus | Postfix::Star | Postfix::Opt, inner) => {
            each(e.span, between(inner.span.end, e.span.end), Loss::Closure);
        }
        _ => {}
    });
}

impl Cut {
    /// The statements of a file without what is taken away.
    pub(super) fn applied(&self, file: &str, instrs: Vec<Instr>) -> Vec<Instr> {
        let mut left = Vec::new();
        for mut instr in instrs {
            if let InstrKind::If(_, then, otherwise) = &mut instr.kind {
                for branch in [then, otherwise] {
                    *branch = self.applied(file, std::mem::take(branch));
                }
                left.push(instr);
                continue;
            }
            let Some(twin) = &self.twin else {
                if !(self.loss == Loss::Check && *self.file == *file && self.span == instr.span) {
                    self.cut(file, &mut instr);
                    left.push(instr);
                }
                continue;
            };
            let defines =
                |names: &BTreeSet<Arc<str>>| defined(&instr).iter().any(|n| names.contains(*n));
            if defines(&twin.copied) {
                left.push(instr.clone());
                self.cut(file, &mut instr);
                twin.rename(&mut instr);
                if let InstrKind::Let { bindings, .. } = &mut instr.kind {
                    for binding in bindings {
                        if let Pattern::Name(name) = &mut binding.pattern {
                            *name = copy(name);
                        }
                    }
                }
            } else if defines(&twin.definitions) {
                twin.rename(&mut instr);
            }
            left.push(instr);
        }
        left
    }

    /// Takes it away from a statement that has it.
    fn cut(&self, file: &str, instr: &mut Instr) {
        if *self.file != *file {
            return;
        }
        let mut done = false;
        each_expr(instr, &mut |e| {
            // A function has the span of its body.
            let cuts = matches!(&e.kind, ExprKind::Infix(..) | ExprKind::Postfix(..));
            if done || !cuts || e.span != self.span {
                return;
            }
            done = true;
            let kind = std::mem::replace(&mut e.kind, ExprKind::Universe);
            e.kind = match (kind, self.loss) {
                (ExprKind::Infix(_, _, kept), Loss::Left)
                | (ExprKind::Infix(_, kept, _), Loss::Right)
                | (ExprKind::Postfix(_, kept), Loss::Closure) => kept.kind,
                (kind, _) => kind,
            };
        });
    }
}

/// The name of the copy that has lost something.
fn copy(name: &str) -> Arc<str> {
    format!("{name}-without").into()
}

impl Twin {
    fn rename(&self, instr: &mut Instr) {
        each_expr(instr, &mut |e| {
            if let ExprKind::Name(name) = &mut e.kind
                && self.copied.contains(name)
            {
                *name = copy(name);
            }
        });
    }
}
