//! Moments, edges, and whether one moment is before another.

use crate::commands::program::{CallbackId, CommandId, Place};
use crate::rule::RuleId;
use std::collections::{HashMap, VecDeque};
use std::fmt;

/// A moment of a program's run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Moment {
    /// A step begins.
    Call(Place),
    /// A step ends.
    Return(Place),
    /// A command starts: its first effect or observation.
    Start(CommandId),
    /// A command is complete, and its event says so.
    End(CommandId),
    /// A callback is invoked.
    Run(CallbackId),
}

impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Moment::Call(place) => write!(f, "{place}"),
            Moment::Return(place) => write!(f, "the return of {place}"),
            Moment::Start(command) => write!(f, "the start of command {}", command.0),
            Moment::End(command) => write!(f, "the completion of command {}", command.0),
            Moment::Run(callback) => write!(f, "callback {}", callback.0),
        }
    }
}

/// Why one moment is before another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Why {
    /// A rule says so.
    Rule(RuleId),
    /// A host thread does one after the other.
    Sequence,
    /// A host thread waits for another's signal.
    Signal,
    /// A command starts before it ends.
    Runs,
}

impl Why {
    /// The rule, where it is one.
    pub fn rule(self) -> Option<RuleId> {
        match self {
            Why::Rule(rule) => Some(rule),
            Why::Sequence | Why::Signal | Why::Runs => None,
        }
    }
}

/// One moment before another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Edge {
    /// The earlier.
    pub from: Moment,
    /// The later.
    pub to: Moment,
    /// Why.
    pub why: Why,
}

/// Moments with edges, and once closed the relation that they give.
#[derive(Debug, Clone, Default)]
pub(super) struct Graph {
    moments: Vec<Moment>,
    index: HashMap<Moment, usize>,
    out: Vec<Vec<(usize, Why)>>,
    into: Vec<Vec<(usize, Why)>>,
    sorted: Vec<usize>,
    /// For each moment the set of later ones, as bits.
    later: Vec<u64>,
    words: usize,
}

impl Graph {
    /// The number of a moment, new or known.
    fn number(&mut self, moment: Moment) -> usize {
        *self.index.entry(moment).or_insert_with(|| {
            self.moments.push(moment);
            self.out.push(Vec::new());
            self.into.push(Vec::new());
            self.moments.len() - 1
        })
    }

    /// Adds an edge; whether it is new.
    pub fn edge(&mut self, from: Moment, to: Moment, why: Why) -> bool {
        let (a, b) = (self.number(from), self.number(to));
        if self.out[a].contains(&(b, why)) {
            return false;
        }
        self.out[a].push((b, why));
        self.into[b].push((a, why));
        true
    }

    /// Computes the relation. Where the edges have a cycle, one moment of it.
    pub fn close(&mut self) -> Result<(), Moment> {
        let n = self.moments.len();
        let mut missing: Vec<usize> = self.into.iter().map(Vec::len).collect();
        let mut ready: VecDeque<usize> = (0..n).filter(|i| missing[*i] == 0).collect();
        self.sorted.clear();
        while let Some(i) = ready.pop_front() {
            self.sorted.push(i);
            for (j, _) in &self.out[i] {
                missing[*j] -= 1;
                if missing[*j] == 0 {
                    ready.push_back(*j);
                }
            }
        }
        if self.sorted.len() < n {
            let stuck = (0..n).find(|i| missing[*i] > 0).unwrap_or(0);
            return Err(self.on_cycle(stuck, &missing));
        }
        self.words = n.div_ceil(64);
        self.later = vec![0; n * self.words];
        for &i in self.sorted.iter().rev() {
            for e in 0..self.out[i].len() {
                let j = self.out[i][e].0;
                for w in 0..self.words {
                    self.later[i * self.words + w] |= self.later[j * self.words + w];
                }
                self.later[i * self.words + j / 64] |= 1 << (j % 64);
            }
        }
        Ok(())
    }

    /// A moment on a cycle, found backwards from one that is on a cycle or behind it.
    fn on_cycle(&self, mut at: usize, missing: &[usize]) -> Moment {
        let mut seen = vec![false; self.moments.len()];
        while !seen[at] {
            seen[at] = true;
            let before = self.into[at].iter().find(|(j, _)| missing[*j] > 0);
            match before {
                Some((j, _)) => at = *j,
                None => break,
            }
        }
        self.moments[at]
    }

    /// Whether a chain of edges leads from `a` to `b`.
    pub fn before(&self, a: Moment, b: Moment) -> bool {
        match (self.index.get(&a), self.index.get(&b)) {
            (Some(a), Some(b)) => self.later[a * self.words + b / 64] >> (b % 64) & 1 == 1,
            (Some(_) | None, Some(_) | None) => false,
        }
    }

    /// A shortest chain of edges from `a` to `b`.
    pub fn path(&self, a: Moment, b: Moment) -> Vec<Edge> {
        let (Some(&a), Some(&b)) = (self.index.get(&a), self.index.get(&b)) else {
            return Vec::new();
        };
        let mut from: Vec<Option<(usize, Why)>> = vec![None; self.moments.len()];
        let mut queue = VecDeque::from([a]);
        'search: while let Some(i) = queue.pop_front() {
            for &(j, why) in &self.out[i] {
                if from[j].is_none() && j != a {
                    from[j] = Some((i, why));
                    if j == b {
                        break 'search;
                    }
                    queue.push_back(j);
                }
            }
        }
        let mut path = Vec::new();
        let mut at = b;
        while let Some((i, why)) = from[at] {
            path.push(Edge {
                from: self.moments[i],
                to: self.moments[at],
                why,
            });
            at = i;
        }
        path.reverse();
        path
    }

    /// Every moment, earlier ones first.
    pub fn sorted(&self) -> impl Iterator<Item = Moment> {
        self.sorted.iter().map(|i| self.moments[*i])
    }

    /// Every edge.
    pub fn edges(&self) -> impl Iterator<Item = Edge> {
        self.out.iter().enumerate().flat_map(move |(i, out)| {
            out.iter().map(move |&(j, why)| Edge {
                from: self.moments[i],
                to: self.moments[j],
                why,
            })
        })
    }

    /// The edges that end in a moment.
    pub fn incoming(&self, moment: Moment) -> impl Iterator<Item = Edge> {
        let at = self.index.get(&moment).copied();
        at.into_iter().flat_map(move |j| {
            self.into[j].iter().map(move |&(i, why)| Edge {
                from: self.moments[i],
                to: self.moments[j],
                why,
            })
        })
    }
}
