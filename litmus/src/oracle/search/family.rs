//! Families of outcomes: all the combinations of what observed reads return.
//!
//! Where reads that race are observed there are exponentially many outcomes, and most choices that the search
//! has to make for them are of others: what loops read while they wait, which of their writes comes first. Those
//! are then made first. As soon as every completion of a node is consistent, its outcomes are a product: each
//! observable takes its values whatever the others are. The product is kept as one [`Family`], and every other
//! node whose outcomes lie in one that is kept, such as those of paths that wait once more, is left at once.

use super::{Search, Split};
use crate::oracle::bits::{Row, count, each, has, minus, none, put};
use crate::oracle::skeleton::Written;
use crate::oracle::value::Sym;
use crate::program::Observable;

/// For each observable the values that it takes, in order, whatever the others are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Family(Vec<Vec<i64>>);

impl Family {
    fn is_within(&self, other: &Family) -> bool {
        let mut pairs = self.0.iter().zip(&other.0);
        pairs.all(|(own, all)| own.iter().all(|value| all.binary_search(value).is_ok()))
    }
}

/// Most ways of choosing what is not observed with which that is chosen first.
const MOST_OTHERS: u64 = 4096;

/// Most families that are kept. One that is not kept is found again.
const MOST_KEPT: usize = 256;

impl<const W: usize> Search<'_, W> {
    /// Looks for outcomes by families where the observed reads can choose in at least so many ways, and
    /// something else has a choice as well.
    pub(super) fn look_for_families(&mut self, least: u64) {
        let rf = &self.frames[0].rf;
        let observed = self.skeleton.observed(rf, self.question.observables);
        let mut others: Row<W> = none();
        (0..self.n).for_each(|read| put(&mut others, read));
        let undecided = |reads: Row<W>| {
            let mut open = none();
            for read in each(&reads).filter(|read| count(&rf[*read]) > 1) {
                put(&mut open, read);
            }
            open
        };
        let others = self.ways(&undecided(minus(&others, &observed)));
        let is_worth_it = self.question.until.is_none()
            && self.ways(&undecided(observed)) >= least
            && (2..=MOST_OTHERS).contains(&others);
        self.observed = is_worth_it.then_some(observed);
    }

    /// What to split before anything that is observed: other reads, and orders of writes to what is not.
    pub(super) fn split_unobserved(&self, depth: usize) -> Option<Split> {
        let observed = self.observed?;
        let rf = &self.frames[depth].rf;
        let open = |read: &usize| count(&rf[*read]) > 1 && !has(&observed, *read);
        if let Some(read) = (0..self.n).find(open) {
            return Some(Split::Read(read));
        }
        let is_last = |write| self.finals.iter().any(|(_, writes)| has(writes, write));
        self.open_pair(depth, |a, b| !is_last(a) && !is_last(b))
    }

    /// Whether nothing below a frame is new: no outcome, and no flag.
    pub(super) fn covered(&self, depth: usize) -> bool {
        let (frame, findings) = (&self.frames[depth], &self.findings);
        let raised = |flag: &u32| findings.raised[*flag as usize];
        if self.observed.is_none()
            || self.wanted
            || findings.families.is_empty()
            || !frame.flags.iter().chain(&frame.raised).all(raised)
        {
            return false;
        }
        let family = self.family(depth);
        family.is_some_and(|(own, _)| findings.families.iter().any(|all| own.is_within(all)))
    }

    /// Keeps the family of a frame all of whose outcomes have been found.
    pub(super) fn keep_family(&mut self, depth: usize) {
        let is_whole = self.findings.ended.is_none() && !self.findings.decided;
        if self.observed.is_none() || !is_whole || self.findings.families.len() >= MOST_KEPT {
            return;
        }
        if let Some((family, true)) = self.family(depth) {
            let kept = &mut self.findings.families;
            kept.retain(|known| !known.is_within(&family));
            kept.push(family);
        }
    }

    /// The family that every outcome below a frame is of; none where values are not constants or depend on
    /// several reads. And whether each of its members is such an outcome if all completions are consistent.
    fn family(&self, depth: usize) -> Option<(Family, bool)> {
        let frame = &self.frames[depth];
        let mut values = frame.values.clone();
        self.spread(&frame.rf, &mut values);
        let mut used: Row<W> = none();
        let mut product = true;
        let mut all = Vec::with_capacity(self.question.observables.len());
        for observable in self.question.observables {
            let mut own = match *observable {
                Observable::Register(t, r) => {
                    let sym = &self.skeleton.paths[t.index()].registers[r.index()];
                    let start = self.skeleton.starts[t.index()];
                    let open = unknown(sym, start, &values);
                    for read in &open {
                        product &= !has(&used, *read);
                        put(&mut used, *read);
                    }
                    self.taken(sym, start, &open, &values, depth)?
                }
                Observable::Memory(location, element) => {
                    self.last(depth, (location, element), &values)?
                }
            };
            own.sort_unstable();
            own.dedup();
            all.push(own);
        }
        let is_whole = product && self.is_free(depth, &values);
        Some((Family(all), is_whole))
    }

    /// The values of an expression of which these reads are not known: at most one.
    fn taken(
        &self,
        sym: &Sym,
        start: usize,
        open: &[usize],
        values: &[Option<i64>],
        depth: usize,
    ) -> Option<Vec<i64>> {
        match open {
            [] => Some(vec![sym.eval(&|e| values[start + e as usize])?]),
            [read] => {
                let returned = self.returned(depth, *read)?;
                let with = |value: i64| {
                    sym.eval(&|e| match start + e as usize {
                        own if own == *read => Some(value),
                        other => values[other],
                    })
                };
                returned.into_iter().map(with).collect()
            }
            [_, _, ..] => None,
        }
    }

    /// The values that an element can have at the end.
    fn last(
        &self,
        depth: usize,
        place: (crate::program::LocId, u32),
        values: &[Option<i64>],
    ) -> Option<Vec<i64>> {
        let Some(index) = self.finals.iter().position(|(p, _)| *p == place) else {
            let declared = &self.skeleton.program.locations[place.0.index()];
            return Some(vec![declared.ty.wrap(declared.init[place.1 as usize])]);
        };
        let writes = self.maximal(depth, index);
        each(&writes)
            .map(|write| self.written(write, values))
            .collect()
    }

    /// The values that a read can return, each once; none where they are not constants.
    fn returned(&self, depth: usize, read: usize) -> Option<Vec<i64>> {
        let constant = |write: usize| match self.skeleton.events[write].written {
            Written::Initial(value) | Written::Value(&Sym::Const(value), _) => Some(value),
            Written::Value(..) | Written::Nothing => None,
        };
        let mut all: Vec<i64> = each(&self.frames[depth].rf[read])
            .map(constant)
            .collect::<Option<_>>()?;
        all.sort_unstable();
        all.dedup();
        Some(all)
    }

    /// Whether no choice that is left is tied to another: what paths need is met whatever is chosen, and no value
    /// has to be guessed.
    fn is_free(&self, depth: usize, values: &[Option<i64>]) -> bool {
        let only = |read: usize| match (values[read], self.returned(depth, read).as_deref()) {
            (Some(value), _) | (None, Some(&[value])) => Some(value),
            (None, _) => None,
        };
        let met = self.skeleton.needs.iter().all(|need| {
            let value = need.condition.eval(&|e| only(need.start + e as usize));
            value.is_some_and(|value| (value != 0) == need.holds)
        });
        let known = |read: usize| values[read].is_some() || self.returned(depth, read).is_some();
        met && each(&self.relevant).all(known)
    }
}

/// The reads of an expression whose values are not known, each once.
fn unknown(sym: &Sym, start: usize, values: &[Option<i64>]) -> Vec<usize> {
    let mut open = Vec::new();
    sym.reads(&mut |e| {
        let read = start + e as usize;
        if values[read].is_none() && !open.contains(&read) {
            open.push(read);
        }
    });
    open
}
