//! Why an outcome is allowed or forbidden.
//!
//! An allowed outcome has a witness: a consistent execution that ends in it. A forbidden one has
//! none, and the reason is a smallest set of checks without which there would be one: checks are
//! taken in, one after the other, as long as an execution with the outcome is left, and those that
//! had to stay out are shown failing on the execution that is left at the end, each with a smallest
//! cycle, taken apart into reads-from, coherence, program order and what synchronizes ([`derive`]).

mod derive;

use super::eval::{Bounds, Truth};
use super::meet::Meetings;
use super::search::{Findings, Question, Search, Witness};
use super::skeleton::{Setting, Skeleton, Written};
use super::unfold::EventKind;
use super::{Error, Limits, Model, State, each_skeleton, question_constants, unfold_all};
use crate::cat::{Check, Property, Role, order_bit};
use crate::program::{
    Atomicity, FenceFlags, LocId, MemOrder, MemScope, Point, Predicate, Program, Region, ThreadId,
};
use derive::Derivation;
use std::sync::Arc;

/// What is to be said about an outcome.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Explanation {
    /// It is allowed; here is an execution that ends in it.
    Allowed(Execution),
    /// It is forbidden.
    Forbidden(Refusal),
    /// No choice of what reads return and how writes are ordered gives these values.
    Impossible,
}

/// Why no consistent execution has an outcome.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// An execution that fails as few checks as possible.
    pub execution: Execution,
    /// The checks that it fails.
    pub failures: Vec<Failure>,
}

/// A check that an execution fails.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// The name of the check: the id of the rule.
    pub check: Arc<str>,
    /// The file that states it.
    pub file: Arc<str>,
    /// The line in that file.
    pub line: u32,
    /// What the file says about it: the comment above.
    pub note: Option<Arc<str>>,
    /// Edges that lead from an event back to itself; for a check of emptiness, from one event to
    /// the other. Empty where a total order cannot be completed, or where something that must be
    /// there is missing.
    pub cycle: Vec<Edge>,
    /// The check asks for something (`~empty`, `~acyclic`, …) that is not there.
    pub missing: bool,
}

/// An edge between events.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edge {
    /// Index of the event where it begins.
    pub from: usize,
    /// Index of the event where it ends.
    pub to: usize,
    /// The name of the relation; `^-1` after it for an edge that runs backward.
    pub label: String,
    /// The edges that a relation of the model's making stands for here; none for one that the program
    /// or the execution has.
    pub parts: Vec<Edge>,
}

/// An execution.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Execution {
    /// Its events: initial writes, then each thread's in the order of execution.
    pub events: Vec<Shown>,
    /// Which write each read reads from.
    pub reads_from: Vec<(usize, usize)>,
    /// Pairs of neighbours in coherence.
    pub coherence: Vec<(usize, usize)>,
    /// Its outcome.
    pub outcome: State,
}

/// An event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown {
    /// Its thread; none for an initial write.
    pub thread: Option<ThreadId>,
    /// Where it stands in the order of commands; none for an initial write.
    pub point: Option<Point>,
    /// What it does; none for an initial write.
    pub kind: Option<EventKind>,
    /// The element it touches.
    pub place: Option<(LocId, u32)>,
    /// Its region, for accesses.
    pub region: Option<Region>,
    /// Its order and scope, unless it is not atomic.
    pub ordering: Option<(MemOrder, MemScope)>,
    /// The regions that it orders, for fences and barriers, and for atomics of Vulkan; or that it covers, for
    /// availability and visibility operations.
    pub flags: Option<FenceFlags>,
    /// For a non-private access of Vulkan that is not atomic, the scope at which it makes available what it
    /// writes, or visible what it reads, if any.
    pub non_private: Option<Option<MemScope>>,
    /// The value read.
    pub read: Option<i64>,
    /// The value written.
    pub written: Option<i64>,
}

/// Explains whether `outcome` is allowed.
///
/// # Errors
/// What of the program is beyond `limits`, or wrong with its commands.
pub fn explain(
    program: &Program,
    model: &Model,
    outcome: &Predicate,
    limits: &Limits,
) -> Result<Explanation, Error> {
    super::check_api(program, model)?;
    let search = Explainer {
        program,
        model,
        outcome,
        limits,
    };
    let all: Vec<bool> = vec![true; model.checks.len()];
    if let Some(found) = search.witness(&all)? {
        return Ok(Explanation::Allowed(found.execution));
    }
    // Checks join in the order of the file; those over one chosen order join together, with it.
    let mut kept: Vec<bool> = model
        .checks
        .iter()
        .map(|c| c.role != Role::Require)
        .collect();
    let Some(mut left) = search.witness(&kept)? else {
        return Ok(Explanation::Impossible);
    };
    for group in groups(model) {
        let mut more = kept.clone();
        group.iter().for_each(|c| more[*c] = true);
        if let Some(found) = search.witness(&more)? {
            kept = more;
            left = found;
        }
    }
    let over_order =
        |check: &Check| model.choices[check.node.index()] >> 2 != 0 && model.orders.len() > 1;
    let mut failures: Vec<Failure> = Vec::new();
    for (check, _) in model.checks.iter().zip(&kept).filter(|(_, kept)| !**kept) {
        if over_order(check) {
            continue;
        }
        if let Some(failure) = search.failure(check, &left)?
            && !failures.iter().any(|f| f.cycle == failure.cycle)
        {
            failures.push(failure);
        }
    }
    if failures.is_empty() {
        // Only the choice of a total order fails: each one that its base allows breaks a check.
        failures.extend(
            model
                .checks
                .iter()
                .zip(&kept)
                .filter(|(check, kept)| !**kept && over_order(check))
                .map(|(check, _)| Failure::new(check, Vec::new())),
        );
    }
    Ok(Explanation::Forbidden(Refusal {
        execution: left.execution,
        failures,
    }))
}

impl Failure {
    fn new(check: &Check, cycle: Vec<Edge>) -> Failure {
        Failure {
            check: check.name.clone(),
            file: check.file.clone(),
            line: check.line,
            note: check.note.clone(),
            cycle,
            missing: check.negated,
        }
    }
}

/// Required checks that are taken in together.
fn groups(model: &Model) -> Vec<Vec<usize>> {
    let orders = |check: &Check| {
        (1..model.orders.len())
            .map(order_bit)
            .filter(|bit| model.choices[check.node.index()] & bit != 0)
            .fold(0, |all, bit| all | bit)
    };
    let mut out: Vec<(u64, Vec<usize>)> = Vec::new();
    for (index, check) in model.checks.iter().enumerate() {
        if check.role != Role::Require {
            continue;
        }
        let over = orders(check);
        match out.iter_mut().find(|(o, _)| over != 0 && *o & over != 0) {
            Some((_, group)) => group.push(index),
            None => out.push((over, vec![index])),
        }
    }
    out.into_iter().map(|(_, group)| group).collect()
}

struct Explainer<'a> {
    program: &'a Program,
    model: &'a Model,
    outcome: &'a Predicate,
    limits: &'a Limits,
}

/// An execution with everything needed to evaluate the model on it again.
struct Found {
    execution: Execution,
    paths: Vec<usize>,
    meetings: Meetings,
    choices: Vec<Vec<usize>>,
    orders: Vec<Vec<Vec<usize>>>,
}

impl Explainer<'_> {
    /// An execution with the outcome that passes the checks of a selection.
    fn witness(&self, required: &[bool]) -> Result<Option<Found>, Error> {
        let threads = unfold_all(self.program, self.limits)?;
        let observables = self.program.observables();
        let mut constants = question_constants(self.program);
        super::collect_constants(self.outcome, &mut constants);
        let mut wanted = observables.clone();
        self.outcome.each_observable(&mut |o| {
            if !wanted.contains(&o) {
                wanted.push(o);
            }
        });
        let mut found = None;
        each_skeleton(self.program, &threads, self.limits, &mut |skeleton| {
            if found.is_some() {
                return Ok(());
            }
            let question = Question {
                observables: &wanted,
                filter: Some(self.outcome),
                constants: &constants,
                required: Some(required),
                until: None,
            };
            let witness = match skeleton.len() {
                0..=64 => one::<1>(self.model, skeleton, question, self.limits)?,
                65..=128 => one::<2>(self.model, skeleton, question, self.limits)?,
                129..=256 => one::<4>(self.model, skeleton, question, self.limits)?,
                257..=512 => one::<8>(self.model, skeleton, question, self.limits)?,
                _ => return Err(Error::Events { limit: 512 }),
            };
            if let Some(witness) = witness {
                let paths = threads
                    .iter()
                    .zip(&skeleton.paths)
                    .map(|(t, p)| {
                        t.paths
                            .iter()
                            .position(|q| std::ptr::eq(q, *p))
                            .unwrap_or(0)
                    })
                    .collect();
                found = Some(Found {
                    execution: show(skeleton, &witness, observables.len()),
                    paths,
                    meetings: skeleton.meetings.clone(),
                    choices: witness.rf,
                    orders: witness.orders,
                });
            }
            Ok(())
        })?;
        Ok(found)
    }

    /// How an execution fails a check; none when it passes.
    fn failure(&self, check: &Check, found: &Found) -> Result<Option<Failure>, Error> {
        let threads = unfold_all(self.program, self.limits)?;
        let paths = threads
            .iter()
            .zip(&found.paths)
            .map(|(t, p)| &t.paths[*p])
            .collect();
        let setting = Setting::of(self.program)?;
        let skeleton = Skeleton::new(self.program, &setting, paths, found.meetings.clone());
        let cycle = match skeleton.len() {
            0..=64 => cycle_of::<1>(self.model, &skeleton, check, found),
            65..=128 => cycle_of::<2>(self.model, &skeleton, check, found),
            129..=256 => cycle_of::<4>(self.model, &skeleton, check, found),
            _ => cycle_of::<8>(self.model, &skeleton, check, found),
        };
        Ok(cycle.map(|cycle| Failure::new(check, cycle)))
    }
}

fn one<const W: usize>(
    model: &Model,
    skeleton: &Skeleton<'_>,
    question: Question<'_>,
    limits: &Limits,
) -> Result<Option<Witness>, Error> {
    let candidates = skeleton.candidates::<W>();
    if skeleton.hopeless(&candidates) {
        return Ok(None);
    }
    // Flags are of no concern here, so all count as raised.
    let mut findings = Findings::new(model.checks.len(), limits);
    findings.raised.fill(true);
    let witness = Search::witness(model, skeleton, candidates, question, &mut findings);
    findings.ended.map_or(Ok(witness), Err)
}

fn show(skeleton: &Skeleton<'_>, witness: &Witness, recorded: usize) -> Execution {
    let value = |e: usize| witness.values[e];
    let events = (0..skeleton.len())
        .map(|i| {
            let event = &skeleton.events[i];
            Shown {
                thread: event.thread.map(|t| ThreadId(t as u32)),
                point: skeleton.point(event),
                kind: event.source.map(|_| event.kind),
                place: event.place,
                region: skeleton.region_of(event),
                ordering: skeleton.order_of(event),
                flags: match event.kind {
                    EventKind::Fence | EventKind::Entry | EventKind::Exit | EventKind::Barrier => {
                        event.source.map(|s| s.flags)
                    }
                    EventKind::Available | EventKind::Visible => {
                        let bulk = event.source.filter(|_| skeleton.scope_of(event).is_some());
                        bulk.map(|s| s.flags)
                    }
                    EventKind::Flush
                    | EventKind::Invalidate
                    | EventKind::HostToDevice
                    | EventKind::DeviceToHost
                    | EventKind::Free => None,
                    EventKind::Read | EventKind::Write | EventKind::Rmw => {
                        let source = event.source.map(|s| s.flags);
                        source.filter(|flags| *flags != FenceFlags::NONE)
                    }
                },
                non_private: match event.source.map(|s| s.atomicity) {
                    Some(Atomicity::NonPrivate(scope)) => Some(scope),
                    Some(Atomicity::Plain | Atomicity::Volatile | Atomicity::Atomic(_)) | None => {
                        None
                    }
                },
                read: event.kind.reads().then(|| value(i)).flatten(),
                written: match event.written {
                    Written::Nothing => None,
                    Written::Initial(v) => Some(v),
                    Written::Value(sym, start) => sym.eval(&|e| value(start + e as usize)),
                },
            }
        })
        .collect();
    let reads_from = witness
        .rf
        .iter()
        .enumerate()
        .flat_map(|(read, writes)| writes.iter().map(move |w| (*w, read)))
        .collect();
    let co = &witness.orders[0];
    let coherence = co
        .iter()
        .enumerate()
        .flat_map(|(a, after)| {
            let direct = move |b: &&usize| !after.iter().any(|m| co[*m].contains(b));
            after.iter().filter(direct).map(move |b| (a, *b))
        })
        .collect();
    let mut outcome = witness.outcome.clone();
    outcome.0.truncate(recorded);
    Execution {
        events,
        reads_from,
        coherence,
        outcome,
    }
}

/// The shortest cycle by which an execution fails a check; none when it passes.
fn cycle_of<const W: usize>(
    model: &Model,
    skeleton: &Skeleton<'_>,
    check: &Check,
    found: &Found,
) -> Option<Vec<Edge>> {
    let bounds: Bounds<'_, W> =
        Bounds::of_execution(model, skeleton, &found.choices, &found.orders);
    if bounds.truth(check, true) != Truth::Fails {
        return None;
    }
    if check.negated {
        // Something is missing, and what is missing cannot be shown.
        return Some(Vec::new());
    }
    let initial = skeleton.events.iter().map(|e| e.source.is_none()).collect();
    let mut derivation = Derivation::new(&bounds, initial, check.node);
    match check.property {
        Property::Empty => derivation.best(|_, _| true),
        Property::Irreflexive => derivation.best(|a, b| a == b),
        Property::Acyclic => derivation.cycle(),
    }
}
