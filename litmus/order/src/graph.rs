//! Moments, edges, and whether one moment is before another.

use crate::host::Name;
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// One moment before another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Edge<M, W> {
    /// The earlier.
    pub from: M,
    /// The later.
    pub to: M,
    /// Why.
    pub why: W,
}

/// Moments that are each before the next, and the last before the first: no order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cycle<M>(
    /// At least one moment.
    pub Vec<M>,
);

/// Moments with edges, and once closed the order that they give.
#[derive(Debug, Clone)]
pub struct Graph<M, W> {
    moments: Vec<M>,
    /// Asked for in every question about two moments: names are small, and nobody chooses them to collide.
    numbers: FxHashMap<M, usize>,
    out: Vec<Vec<(usize, W)>>,
    into: Vec<Vec<(usize, W)>>,
    sorted: Vec<usize>,
    /// For each moment the set of later ones, as bits.
    later: Vec<u64>,
    words: usize,
}

impl<M, W> Default for Graph<M, W> {
    fn default() -> Graph<M, W> {
        Graph {
            moments: Vec::new(),
            numbers: FxHashMap::default(),
            out: Vec::new(),
            into: Vec::new(),
            sorted: Vec::new(),
            later: Vec::new(),
            words: 0,
        }
    }
}

impl<M: Name, W: Copy + Eq> Graph<M, W> {
    /// The number of a moment, new or known.
    fn number_or_new(&mut self, moment: M) -> usize {
        *self.numbers.entry(moment).or_insert_with(|| {
            self.moments.push(moment);
            self.out.push(Vec::new());
            self.into.push(Vec::new());
            self.moments.len() - 1
        })
    }

    /// The number of a moment, for many questions about it; nothing where no edge touches it.
    pub fn number(&self, moment: M) -> Option<usize> {
        self.numbers.get(&moment).copied()
    }

    /// Adds an edge; whether it is new.
    pub fn edge(&mut self, from: M, to: M, why: W) -> bool {
        let (a, b) = (self.number_or_new(from), self.number_or_new(to));
        if self.out[a].contains(&(b, why)) {
            return false;
        }
        self.out[a].push((b, why));
        self.into[b].push((a, why));
        true
    }

    /// Computes the order: chains of edges are edges. [sp.transitive]
    ///
    /// # Errors
    /// A cycle, where the edges have one.
    pub fn close(&mut self) -> Result<(), Cycle<M>> {
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
            return Err(self.cycle(stuck, &missing));
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

    /// A cycle, found backwards from a moment that is on one or behind one.
    fn cycle(&self, mut at: usize, missing: &[usize]) -> Cycle<M> {
        let mut seen: Vec<usize> = Vec::new();
        while !seen.contains(&at) {
            seen.push(at);
            let before = self.into[at].iter().find(|(j, _)| missing[*j] > 0);
            match before {
                Some((j, _)) => at = *j,
                None => break,
            }
        }
        let first = seen.iter().position(|i| *i == at).unwrap_or(0);
        // Found backwards, the first moment last but the cycle's own first.
        let (head, tail) = (seen[first], &seen[first + 1..]);
        let moments = std::iter::once(&head).chain(tail.iter().rev());
        Cycle(moments.map(|i| self.moments[*i]).collect())
    }

    /// Whether a chain of edges leads from `a` to `b`.
    pub fn before(&self, a: M, b: M) -> bool {
        let numbers = self.number(a).zip(self.number(b));
        numbers.is_some_and(|(a, b)| self.is_before(a, b))
    }

    /// The same of two moments by their numbers.
    pub fn is_before(&self, a: usize, b: usize) -> bool {
        self.later[a * self.words + b / 64] >> (b % 64) & 1 == 1
    }

    /// A chain of edges from `a` to `b` with the fewest that are not `free`; empty where there is
    /// none.
    pub fn path(&self, a: M, b: M, free: impl Fn(W) -> bool) -> Vec<Edge<M, W>> {
        let numbers = self.number(a).zip(self.number(b));
        numbers.map_or(Vec::new(), |(a, b)| self.path_of(a, b, free))
    }

    /// The same of two moments by their numbers.
    pub fn path_of(&self, a: usize, b: usize, free: impl Fn(W) -> bool) -> Vec<Edge<M, W>> {
        let mut from: Vec<Option<(usize, W)>> = vec![None; self.moments.len()];
        let mut queue = VecDeque::from([a]);
        while from[b].is_none()
            && let Some(i) = queue.pop_front()
        {
            for &(j, why) in &self.out[i] {
                if from[j].is_none() && j != a {
                    from[j] = Some((i, why));
                    match free(why) {
                        true => queue.push_front(j),
                        false => queue.push_back(j),
                    }
                }
            }
        }
        let mut path = Vec::new();
        let mut at = b;
        while let Some((i, why)) = from[at] {
            path.push(self.edge_of(i, at, why));
            at = i;
        }
        path.reverse();
        path
    }

    fn edge_of(&self, from: usize, to: usize, why: W) -> Edge<M, W> {
        Edge {
            from: self.moments[from],
            to: self.moments[to],
            why,
        }
    }

    /// Every moment, earlier ones first.
    pub fn sorted(&self) -> impl Iterator<Item = M> {
        self.sorted.iter().map(|i| self.moments[*i])
    }

    /// Every edge.
    pub fn edges(&self) -> impl Iterator<Item = Edge<M, W>> {
        let out = self.out.iter().enumerate();
        out.flat_map(move |(i, out)| out.iter().map(move |&(j, why)| self.edge_of(i, j, why)))
    }

    /// The edges that end in a moment.
    pub fn incoming(&self, moment: M) -> impl Iterator<Item = Edge<M, W>> {
        let into = self.number(moment).into_iter();
        into.flat_map(move |j| {
            self.into[j]
                .iter()
                .map(move |&(i, why)| self.edge_of(i, j, why))
        })
    }
}
