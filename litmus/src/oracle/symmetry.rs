//! Symmetric threads: permutations of a skeleton's events under which nothing changes.
//!
//! A symmetry maps threads to threads, the n-th event to the n-th event, and elements to elements,
//! such that everything by which executions of the skeleton are judged stays what it is: every set
//! and relation of the vocabulary that the model reads, which writes a read may choose and which
//! writes coherence orders, types, initial and written values as functions of the thread's reads,
//! what the paths need, and what is observed. A model's value on an execution is a function of
//! those, of reads-from and of its orders. So a symmetry carries a consistent execution to a
//! consistent execution that raises the same flags, and its outcome to the other's outcome with
//! the observables exchanged.
//!
//! The search therefore visits only executions whose reads-from is smallest among its images (see
//! `Search::mirrored`), and [`Symmetries::close`] adds the images of the outcomes that were found.
//!
//! Symmetries form a group. It is kept as a chain in the manner of Sims (*Computation with
//! permutation groups*, 1971): level `t` has, for each thread `u` that `t` can be carried to while
//! all threads before `t` stay, one symmetry that does so. Every symmetry is a product of one of
//! each level, deepest first, so there are few to look for and few to keep however large the group
//! is.

use super::bits::{Row, each};
use super::eval::Bounds;
use super::skeleton::{Skeleton, Written};
use super::state::State;
use crate::cat::Model;
use crate::cat::ir::Op;
use crate::program::{LocId, Observable, RegId, ThreadId};
use std::collections::HashSet;

/// Most steps to look for symmetries of one skeleton; when they do not suffice there are none, as a
/// part of a chain is no group.
const STEPS: u32 = 20_000;

/// A permutation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Symmetry {
    /// Where each event goes.
    pub to: Vec<usize>,
    /// Where each event comes from.
    pub from: Vec<usize>,
    /// For each observable of an image the one that has its value in the original.
    observables: Vec<usize>,
}

/// The symmetries of a skeleton, those that move nothing left out.
#[derive(Debug, Default)]
pub struct Symmetries {
    levels: Vec<Vec<Symmetry>>,
}

impl Symmetries {
    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.levels.iter().all(Vec::is_empty)
    }

    /// All that the chain has.
    pub fn iter(&self) -> impl Iterator<Item = &Symmetry> {
        self.levels.iter().flatten()
    }

    /// Adds the images of outcomes under all symmetries; false when there are more than `most`.
    pub fn close(&self, states: &mut HashSet<State>, most: usize) -> bool {
        let mut image = State(Vec::new());
        for level in self.levels.iter().rev() {
            if level.is_empty() {
                continue;
            }
            let originals: Vec<State> = states.iter().cloned().collect();
            for state in &originals {
                for symmetry in level {
                    symmetry.carry(state, &mut image);
                    if !states.contains(&image) {
                        if states.len() >= most {
                            return false;
                        }
                        states.insert(image.clone());
                    }
                }
            }
        }
        true
    }
}

impl Symmetry {
    /// Makes `image` the image of an outcome.
    fn carry(&self, state: &State, image: &mut State) {
        image.0.clear();
        image.0.extend(self.observables.iter().map(|o| state.0[*o]));
    }
}

/// The symmetries of a skeleton whose reads choose among `candidates`; `coherence` are the pairs
/// that coherence decides.
pub fn find<const W: usize>(
    model: &Model,
    skeleton: &Skeleton<'_>,
    bounds: &Bounds<'_, W>,
    candidates: &[Row<W>],
    coherence: &[Row<W>],
    observables: &[Observable],
) -> Symmetries {
    let threads = skeleton.starts.len();
    let alike =
        |t: usize, u: usize| skeleton.paths[t].events.len() == skeleton.paths[u].events.len();
    if !(0..threads).any(|t| (t + 1..threads).any(|u| alike(t, u))) {
        return Symmetries::default();
    }
    let mut finder = Finder::new(model, skeleton, bounds, candidates, coherence, observables);
    let mut levels = Vec::new();
    for t in 0..threads {
        let mut level = Vec::new();
        for u in t + 1..threads {
            if !finder.threads_match(t, u) {
                continue;
            }
            let mut image = Image::new(skeleton);
            let stay = (0..t).all(|s| finder.assign(&mut image, s, s));
            if stay && finder.assign(&mut image, t, u) {
                level.extend(finder.complete(image, t + 1));
            }
            if finder.steps == 0 {
                return Symmetries::default();
            }
        }
        levels.push(level);
    }
    Symmetries { levels }
}

/// A permutation that is being built.
#[derive(Clone)]
struct Image {
    to: Vec<Option<usize>>,
    from: Vec<Option<usize>>,
    threads: Vec<usize>,
    /// Events that have an image, in the order in which they got it.
    mapped: Vec<usize>,
}

impl Image {
    fn new(skeleton: &Skeleton<'_>) -> Image {
        Image {
            to: vec![None; skeleton.len()],
            from: vec![None; skeleton.len()],
            threads: Vec::new(),
            mapped: Vec::new(),
        }
    }
}

struct Finder<'a> {
    skeleton: &'a Skeleton<'a>,
    observables: &'a [Observable],
    n: usize,
    /// For each event the sets that it is in, as bits.
    colours: Vec<u64>,
    /// For each pair of events the relations that it is in, as bits.
    edges: Vec<u64>,
    /// For each event the initial write of its element.
    initial: Vec<Option<usize>>,
    steps: u32,
}

impl<'a> Finder<'a> {
    fn new<const W: usize>(
        model: &Model,
        skeleton: &'a Skeleton<'a>,
        bounds: &Bounds<'_, W>,
        candidates: &[Row<W>],
        coherence: &[Row<W>],
        observables: &'a [Observable],
    ) -> Finder<'a> {
        let n = skeleton.len();
        let mut colours = vec![0u64; n];
        let mut edges = vec![0u64; n * n];
        // A word of the vocabulary is one node, and there are fewer than 62 of either kind.
        let (mut set, mut relation) = (0, 2);
        for (index, op) in model.ops.iter().enumerate() {
            let rows = &bounds.lower[index * n..][..n];
            if let (Op::SetBase(_), Some(row)) = (op, rows.first()) {
                each(row).for_each(|e| colours[e] |= 1 << set);
                set += 1;
            } else if let Op::RelBase(_) = op {
                mark(&mut edges, rows, relation);
                relation += 1;
            }
        }
        mark(&mut edges, candidates, 0);
        mark(&mut edges, coherence, 1);
        let initial = skeleton
            .events
            .iter()
            .map(|event| {
                let place = event.place?;
                skeleton.events[..skeleton.starts.first().copied().unwrap_or(0)]
                    .iter()
                    .position(|i| i.place == Some(place))
            })
            .collect();
        Finder {
            skeleton,
            observables,
            n,
            colours,
            edges,
            initial,
            steps: STEPS,
        }
    }

    /// Whether two threads do the same, elements apart.
    fn threads_match(&self, t: usize, u: usize) -> bool {
        let (a, b) = (self.skeleton.paths[t], self.skeleton.paths[u]);
        let (from_a, from_b) = (self.skeleton.starts[t], self.skeleton.starts[u]);
        a.events.len() == b.events.len()
            && (0..a.events.len()).all(|i| self.colours[from_a + i] == self.colours[from_b + i])
            && a.constraints.len() == b.constraints.len()
            && (a.constraints.iter().zip(&b.constraints))
                .all(|(a, b)| a.holds == b.holds && a.condition.alike(&b.condition))
            && (a.events.iter().zip(&b.events)).all(|(a, b)| match (&a.written, &b.written) {
                (Some(a), Some(b)) => a.alike(b),
                (None, None) => true,
                (Some(_), None) | (None, Some(_)) => false,
            })
            && {
                let (a, b) = (self.registers(t), self.registers(u));
                a.len() == b.len()
                    && a.iter().zip(&b).all(|(a, b)| {
                        let sym =
                            |t: usize, r: &RegId| &self.skeleton.paths[t].registers[r.index()];
                        a == b && sym(t, a).alike(sym(u, b))
                    })
            }
    }

    /// The observed registers of a thread.
    fn registers(&self, thread: usize) -> Vec<RegId> {
        let mut registers: Vec<RegId> = self
            .observables
            .iter()
            .filter_map(|o| match *o {
                Observable::Register(t, r) => (t.index() == thread).then_some(r),
                Observable::Memory(..) => None,
            })
            .collect();
        registers.sort();
        registers
    }

    /// Carries thread `t` to `u`; false where that is no part of a symmetry.
    fn assign(&mut self, image: &mut Image, t: usize, u: usize) -> bool {
        if image.threads.contains(&u) || (t != u && !self.threads_match(t, u)) {
            return false;
        }
        image.threads.push(u);
        let (from_t, from_u) = (self.skeleton.starts[t], self.skeleton.starts[u]);
        (0..self.skeleton.paths[t].events.len()).all(|i| {
            let (a, b) = (from_t + i, from_u + i);
            let places = match (self.initial[a], self.initial[b]) {
                (Some(a), Some(b)) => self.map(image, a, b),
                (None, None) => true,
                (Some(_), None) | (None, Some(_)) => false,
            };
            places && self.map(image, a, b)
        })
    }

    /// Carries event `a` to `b`, together with the events that have an image already.
    fn map(&mut self, image: &mut Image, a: usize, b: usize) -> bool {
        self.steps = self.steps.saturating_sub(1);
        if image.to[a].is_some() || image.from[b].is_some() {
            return image.to[a] == Some(b);
        }
        let initial = |e: usize| match self.skeleton.events[e].written {
            Written::Initial(v) => Some(v),
            Written::Value(..) | Written::Nothing => None,
        };
        if self.colours[a] != self.colours[b]
            || self.skeleton.type_of(a) != self.skeleton.type_of(b)
            || initial(a) != initial(b)
        {
            return false;
        }
        image.to[a] = Some(b);
        image.from[b] = Some(a);
        image.mapped.push(a);
        image.mapped.iter().all(|&other| {
            image.to[other].is_some_and(|carried| {
                self.edges[a * self.n + other] == self.edges[b * self.n + carried]
                    && self.edges[other * self.n + a] == self.edges[carried * self.n + b]
            })
        })
    }

    /// Finds images for the threads from `t` on.
    fn complete(&mut self, image: Image, t: usize) -> Option<Symmetry> {
        if t == self.skeleton.starts.len() {
            return self.symmetry(&image);
        }
        for u in 0..self.skeleton.starts.len() {
            if self.steps == 0 {
                return None;
            }
            let mut longer = image.clone();
            if self.assign(&mut longer, t, u)
                && let Some(found) = self.complete(longer, t + 1)
            {
                return Some(found);
            }
        }
        None
    }

    fn symmetry(&self, image: &Image) -> Option<Symmetry> {
        let to: Vec<usize> = image.to.iter().copied().collect::<Option<_>>()?;
        let from: Vec<usize> = image.from.iter().copied().collect::<Option<_>>()?;
        // The observable that an original's observable becomes.
        let observables = self
            .observables
            .iter()
            .map(|o| self.position(self.carried(&from, image, *o)))
            .collect::<Option<_>>()?;
        Some(Symmetry {
            to,
            from,
            observables,
        })
    }

    fn position(&self, wanted: Observable) -> Option<usize> {
        self.observables.iter().position(|o| *o == wanted)
    }

    /// The observable of the original whose value an observable of the image has.
    fn carried(&self, from: &[usize], image: &Image, observable: Observable) -> Observable {
        match observable {
            Observable::Register(t, r) => {
                let origin = image.threads.iter().position(|u| *u == t.index());
                Observable::Register(ThreadId(origin.unwrap_or(t.index()) as u32), r)
            }
            Observable::Memory(location, element) => {
                let (location, element) = self.origin(from, (location, element));
                Observable::Memory(location, element)
            }
        }
    }

    /// The element that is carried to an element; one that no thread touches stays.
    fn origin(&self, from: &[usize], place: (LocId, u32)) -> (LocId, u32) {
        let at = |e: usize| self.skeleton.events[e].place;
        (0..self.n)
            .find(|e| at(*e) == Some(place))
            .and_then(|e| at(from[e]))
            .unwrap_or(place)
    }
}

/// Sets a bit for every pair of a relation.
fn mark<const W: usize>(edges: &mut [u64], rows: &[Row<W>], bit: u32) {
    let n = rows.len();
    for (a, row) in rows.iter().enumerate() {
        for b in each(row) {
            edges[a * n + b] |= 1 << bit;
        }
    }
}
