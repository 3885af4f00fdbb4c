//! Families of outcomes: all the combinations of what observed reads return.
//!
//! Where reads that race are observed there are exponentially many outcomes, and every path of every loop that
//! waits has the same ones. So where there may be many, the search first makes the choices that are not observed:
//! what loops read while they wait, which of their writes comes first. What is then left is soon no more than a
//! combination of values for each observable, and where all of these have been found before, nothing below the
//! node is new. Such combinations are kept as a [`Family`]: most nodes are left because theirs lie in one.

use super::{Search, Split};
use crate::oracle::bits::{Row, count, each, has, minus, none, put};
use crate::oracle::skeleton::Written;
use crate::oracle::state::State;
use crate::oracle::value::Sym;
use crate::program::{LocId, Observable};

/// For each observable the values that it can take, in order, whatever the others are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Family(Vec<Vec<i64>>);

impl Family {
    /// How many outcomes it has.
    fn size(&self) -> u64 {
        let each = self.0.iter().map(|values| values.len() as u64);
        each.fold(1, u64::saturating_mul)
    }

    fn is_within(&self, other: &Family) -> bool {
        let mut pairs = self.0.iter().zip(&other.0);
        pairs.all(|(own, all)| own.iter().all(|value| all.binary_search(value).is_ok()))
    }

    /// Whether something holds of every outcome.
    fn all(&self, holds: impl Fn(&State) -> bool) -> bool {
        let mut chosen = vec![0; self.0.len()];
        let mut state = State(self.0.iter().map(|values| values[0]).collect());
        loop {
            if !holds(&state) {
                return false;
            }
            let mut at = 0;
            loop {
                let Some(values) = self.0.get(at) else {
                    return true;
                };
                chosen[at] = (chosen[at] + 1) % values.len();
                state.0[at] = values[chosen[at]];
                if chosen[at] > 0 {
                    break;
                }
                at += 1;
            }
        }
    }
}

/// Most ways of choosing what is not observed with which that is chosen first.
const MOST_OTHERS: u64 = 4096;

/// What a search by families knows from the beginning.
#[derive(Debug, Clone, Copy)]
pub struct Observed<const W: usize> {
    /// The reads whose values can influence what is observed.
    reads: Row<W>,
    /// Fewest outcomes of a family that is looked for.
    least: u64,
}

impl<const W: usize> Search<'_, W> {
    /// Looks for outcomes by families where the observed reads can choose in at least so many ways, and
    /// something else has a choice as well, or other paths may have the same outcomes.
    pub(super) fn look_for_families(&mut self, least: u64) {
        let rf = &self.frames[0].rf;
        let reads = self.skeleton.observed(rf, self.question.observables);
        let mut all: Row<W> = none();
        (0..self.n).for_each(|read| put(&mut all, read));
        let undecided = |reads: Row<W>| {
            let mut open = none();
            for read in each(&reads).filter(|read| count(&rf[*read]) > 1) {
                put(&mut open, read);
            }
            open
        };
        let others = self.ways(&undecided(minus(&all, &reads)));
        let is_worth_it = self.question.until.is_none()
            && self.ways(&undecided(reads)) >= least
            && (others > 1 || !self.skeleton.needs.is_empty())
            && others <= MOST_OTHERS;
        self.observed = is_worth_it.then_some(Observed { reads, least });
    }

    /// What to split before anything that is observed: other reads, and orders of writes to what is not.
    pub(super) fn split_unobserved(&self, depth: usize) -> Option<Split> {
        let observed = self.observed?.reads;
        let rf = &self.frames[depth].rf;
        let open = |read: &usize| count(&rf[*read]) > 1 && !has(&observed, *read);
        if let Some(read) = (0..self.n).find(open) {
            return Some(Split::Read(read));
        }
        let is_last = |write| self.finals.iter().any(|(_, writes)| has(writes, write));
        self.open_pair(depth, |a, b| !is_last(a) && !is_last(b))
    }

    /// Whether nothing below a frame is new: no outcome, and no flag.
    pub(super) fn covered(&mut self, depth: usize) -> bool {
        let Some(observed) = self.observed.filter(|_| !self.wanted) else {
            return false;
        };
        let (frame, findings) = (&self.frames[depth], &self.findings);
        let raised = |flag: &u32| findings.raised[*flag as usize];
        if findings.states.is_empty() || !frame.flags.iter().chain(&frame.raised).all(raised) {
            return false;
        }
        let Some(family) = self
            .family(depth)
            .filter(|own| own.size() >= observed.least)
        else {
            return false;
        };
        if findings.families.iter().any(|all| family.is_within(all)) {
            return true;
        }
        let is_known = |state: &State| !self.counts(state) || findings.states.contains(state);
        if !family.all(is_known) {
            return false;
        }
        let kept = &mut self.findings.families;
        kept.retain(|known| !known.is_within(&family));
        kept.push(family);
        true
    }

    /// The family that every outcome below a frame is of; none where values are not constants or depend on
    /// several reads.
    fn family(&self, depth: usize) -> Option<Family> {
        let frame = &self.frames[depth];
        let mut values = frame.values.clone();
        self.spread(&frame.rf, &mut values);
        let of = |observable: &Observable| {
            let mut own = match *observable {
                Observable::Register(t, r) => {
                    let sym = &self.skeleton.paths[t.index()].registers[r.index()];
                    self.taken(depth, sym, self.skeleton.starts[t.index()], &values)?
                }
                Observable::Memory(location, element) => {
                    self.last(depth, (location, element), &values)?
                }
            };
            own.sort_unstable();
            own.dedup();
            (!own.is_empty()).then_some(own)
        };
        let all: Option<Vec<_>> = self.question.observables.iter().map(of).collect();
        all.map(Family)
    }

    /// The values of an expression of which at most one read is not known.
    fn taken(
        &self,
        depth: usize,
        sym: &Sym,
        start: usize,
        values: &[Option<i64>],
    ) -> Option<Vec<i64>> {
        let mut open = Vec::new();
        sym.reads(&mut |e| {
            let read = start + e as usize;
            if values[read].is_none() && !open.contains(&read) {
                open.push(read);
            }
        });
        match open.as_slice() {
            [] => Some(vec![sym.eval(&|e| values[start + e as usize])?]),
            [read] => {
                let with = |value: i64| {
                    sym.eval(&|e| match start + e as usize {
                        own if own == *read => Some(value),
                        other => values[other],
                    })
                };
                let returned =
                    each(&self.frames[depth].rf[*read]).map(|write| self.constant(write));
                returned.map(|value| with(value?)).collect()
            }
            [_, _, ..] => None,
        }
    }

    /// The value that a write writes whatever is read.
    fn constant(&self, write: usize) -> Option<i64> {
        match self.skeleton.events[write].written {
            Written::Initial(value) | Written::Value(&Sym::Const(value), _) => Some(value),
            Written::Value(..) | Written::Nothing => None,
        }
    }

    /// The values that an element can have at the end.
    fn last(&self, depth: usize, place: (LocId, u32), values: &[Option<i64>]) -> Option<Vec<i64>> {
        let Some(index) = self.finals.iter().position(|(p, _)| *p == place) else {
            let declared = &self.skeleton.program.locations[place.0.index()];
            return Some(vec![declared.ty.wrap(declared.init[place.1 as usize])]);
        };
        let writes = self.maximal(depth, index);
        each(&writes)
            .map(|write| self.written(write, values))
            .collect()
    }
}
