//! From decided reads to values, and from values to outcomes.

use super::{Search, Witness};
use crate::oracle::bits::{Row, count, each, first, minus, none, put};
use crate::oracle::eval::Bounds;
use crate::oracle::skeleton::Written;
use crate::oracle::state::State;
use crate::oracle::value::Sym;
use crate::program::Observable;

impl<const W: usize> Search<'_, W> {
    /// Computes values that have become known; false when a path's need is not met.
    pub(super) fn values(&mut self, depth: usize) -> bool {
        let mut values = std::mem::take(&mut self.frames[depth].values);
        self.spread(&self.frames[depth].rf, &mut values);
        let met = self.needs_met(&values);
        self.frames[depth].values = values;
        met
    }

    fn needs_met(&self, values: &[Option<i64>]) -> bool {
        self.skeleton.needs.iter().all(|need| {
            let value = need.condition.eval(&|e| values[need.start + e as usize]);
            value.is_none_or(|v| (v != 0) == need.holds)
        })
    }

    pub(super) fn written(&self, write: usize, values: &[Option<i64>]) -> Option<i64> {
        match self.skeleton.events[write].written {
            Written::Nothing => None,
            Written::Initial(v) => Some(v),
            Written::Value(sym, start) => sym.eval(&|e| values[start + e as usize]),
        }
    }

    /// Carries known values along decided reads.
    pub(super) fn spread(&self, rf: &[Row<W>], values: &mut [Option<i64>]) {
        loop {
            let mut changed = false;
            for read in 0..self.n {
                if values[read].is_some() || count(&rf[read]) != 1 {
                    continue;
                }
                for write in each(&rf[read]) {
                    if let Some(value) = self.written(write, values) {
                        values[read] = Some(value);
                        changed = true;
                    }
                }
            }
            if !changed {
                return;
            }
        }
    }

    /// Whether the determined outcome of a frame has been found before.
    pub(super) fn seen(&self, depth: usize) -> bool {
        let frame = &self.frames[depth];
        let mut values = frame.values.clone();
        self.spread(&frame.rf, &mut values);
        let last: Vec<usize> = (0..self.finals.len())
            .filter_map(|f| each(&self.maximal(depth, f)).next())
            .collect();
        self.outcome(&values, &last)
            .is_some_and(|state| self.findings.states.contains(&state))
    }

    /// The outcome of known values; none while some observed value is unknown.
    fn outcome(&self, values: &[Option<i64>], last: &[usize]) -> Option<State> {
        let mut state = Vec::with_capacity(self.question.observables.len());
        for observable in self.question.observables {
            state.push(match *observable {
                Observable::Register(t, r) => {
                    let start = self.skeleton.starts[t.index()];
                    let sym = &self.skeleton.paths[t.index()].registers[r.index()];
                    sym.eval(&|e| values[start + e as usize])?
                }
                Observable::Memory(location, element) => {
                    let place = (location, element);
                    match self.finals.iter().position(|(p, _)| *p == place) {
                        Some(index) => self.written(last[index], values)?,
                        None => {
                            let declared = &self.skeleton.program.locations[location.index()];
                            declared.ty.wrap(declared.init[element as usize])
                        }
                    }
                }
            });
        }
        Some(State(state))
    }

    /// Enumerates the outcomes of a frame all of whose completions are consistent.
    pub(super) fn complete(&mut self, depth: usize) -> bool {
        self.deepest = depth;
        let mut free = Vec::new();
        let mut rf = self.frames[depth].rf.clone();
        for read in each(&self.relevant) {
            if count(&rf[read]) > 1 {
                free.push((read, self.representatives(&rf[read])));
            }
        }
        let last: Vec<Row<W>> = (0..self.finals.len())
            .map(|f| self.maximal(depth, f))
            .collect();
        let values = self.frames[depth].values.clone();
        let found = self.assign(&free, &mut rf, &values, &last);
        if found {
            for index in 0..self.frames[depth].raised.len() {
                let flag = self.frames[depth].raised[index] as usize;
                self.findings.raised[flag] = true;
            }
        }
        found
    }

    /// One write for each value that a read can return, where all values are constants.
    fn representatives(&self, writes: &Row<W>) -> Row<W> {
        let mut values = Vec::new();
        let mut kept = none();
        for write in each(writes) {
            let value = match self.skeleton.events[write].written {
                Written::Initial(v) | Written::Value(&Sym::Const(v), _) => v,
                Written::Value(..) | Written::Nothing => return *writes,
            };
            if !values.contains(&value) {
                values.push(value);
                put(&mut kept, write);
            }
        }
        kept
    }

    fn assign(
        &mut self,
        free: &[(usize, Row<W>)],
        rf: &mut [Row<W>],
        values: &[Option<i64>],
        last: &[Row<W>],
    ) -> bool {
        let Some(((read, writes), rest)) = free.split_first() else {
            let mut values = values.to_vec();
            self.findings.executions += 1;
            if self.findings.executions.is_multiple_of(64) && !self.findings.go_on() {
                return false;
            }
            return self.solve(rf, &mut values, &[], last);
        };
        let mut found = false;
        let all = rf[*read];
        for write in each(writes) {
            if self.findings.ended.is_some() || self.findings.decided {
                return false;
            }
            rf[*read] = none();
            put(&mut rf[*read], write);
            if !self.mirrored(rf) {
                found |= self.assign(rest, rf, values, last);
            }
        }
        rf[*read] = all;
        found
    }

    /// Completes the values, guessing where they depend on themselves, and records the outcomes.
    fn solve(
        &mut self,
        rf: &[Row<W>],
        values: &mut [Option<i64>],
        guessed: &[(usize, i64)],
        last: &[Row<W>],
    ) -> bool {
        self.spread(rf, values);
        // What was guessed must be what is written.
        for (read, guess) in guessed {
            for write in each(&rf[*read]) {
                if self.written(write, values).is_some_and(|v| v != *guess) {
                    return false;
                }
            }
        }
        if !self.needs_met(values) {
            return false;
        }
        let unknown = each(&self.relevant).find(|r| values[*r].is_none());
        let Some(read) = unknown else {
            return self.record(values, last);
        };
        let ty = self.skeleton.type_of(read);
        let mut found = false;
        for index in 0..self.seeds.len() {
            if !self.findings.go_on() {
                return false;
            }
            let seed = self.seeds[index];
            if ty.is_some_and(|ty| ty.wrap(seed) != seed) {
                continue;
            }
            let mut guess = values.to_vec();
            guess[read] = Some(seed);
            let mut more = guessed.to_vec();
            more.push((read, seed));
            found |= self.solve(rf, &mut guess, &more, last);
        }
        found
    }

    /// Records the outcomes of known values: one for each choice of last writes.
    fn record(&mut self, values: &[Option<i64>], last: &[Row<W>]) -> bool {
        let mut chosen: Vec<usize> = last
            .iter()
            .map(|writes| each(writes).next().unwrap_or(0))
            .collect();
        let mut found = false;
        let mut tried = 0u32;
        loop {
            tried = tried.wrapping_add(1);
            if tried.is_multiple_of(64) && !self.findings.go_on() {
                return false;
            }
            if let Some(state) = self.outcome(values, &chosen)
                && self.counts(&state)
            {
                if self.wanted {
                    if self.keep(values, state) {
                        return true;
                    }
                } else {
                    found = true;
                    self.findings.decided |= self.decides(&state);
                    if !self.findings.add(state) || self.findings.decided {
                        return false;
                    }
                }
            }
            // The next combination of last writes.
            let mut position = 0;
            loop {
                let Some(writes) = last.get(position) else {
                    return found;
                };
                let above = minus(writes, &first(chosen[position] + 1));
                if let Some(next) = each(&above).next() {
                    chosen[position] = next;
                    break;
                }
                chosen[position] = each(writes).next().unwrap_or(0);
                position += 1;
            }
        }
    }

    /// Keeps the execution of the deepest frame, which is complete, where it is one that is wanted.
    fn keep(&mut self, values: &[Option<i64>], outcome: State) -> bool {
        let frame = &self.frames[self.deepest];
        let list = |rows: &[Row<W>]| rows.iter().map(|row| each(row).collect()).collect();
        let witness = Witness {
            rf: list(&frame.rf),
            orders: frame.orders.iter().map(|rows| list(rows)).collect(),
            values: values.to_vec(),
            outcome,
        };
        let accepted = self.accept.is_none_or(|accept| {
            let (model, skeleton) = (self.model, self.skeleton);
            accept(&Bounds::of_execution(
                model,
                skeleton,
                &witness.rf,
                &witness.orders,
            ))
        });
        if accepted {
            self.witness = Some(witness);
        }
        accepted
    }

    /// Whether an outcome ends the search.
    fn decides(&self, state: &State) -> bool {
        self.question.until.is_some_and(|(predicate, wanted)| {
            let value = |observable| state.value(self.question.observables, observable);
            predicate.eval(&value) == wanted
        })
    }

    pub(super) fn counts(&self, state: &State) -> bool {
        self.question.filter.is_none_or(|filter| {
            filter.eval(&|observable| state.value(self.question.observables, observable))
        })
    }
}
