//! The reference: every candidate execution built whole, the model evaluated once at its end.
//!
//! It shares with the oracle how threads unfold and what the vocabulary means, and nothing else:
//! relations are matrices of booleans, choices are enumerated without looking at the model.

use crate::cat::ir::{NodeId, Op};
use crate::cat::{Check, Model, OrderDomain, Property, Role};
use crate::oracle::bits::{Row, has};
use crate::oracle::skeleton::{Skeleton, Written};
use crate::oracle::unfold::{Cut, Path, Paths};
use crate::oracle::{
    Judgement, Limits, State, answer, each_combination, each_skeleton, question_constants,
    unfold_all,
};
use crate::program::{Observable, Program};
use std::collections::BTreeSet;

type Matrix = Vec<Vec<bool>>;

/// What the reference found.
#[derive(Debug, PartialEq, Eq)]
pub struct Reference {
    pub states: BTreeSet<State>,
    pub flags: Vec<String>,
    pub holds: bool,
    pub bounded: bool,
    pub outside: bool,
}

impl Reference {
    pub fn agrees(&self, judgement: &Judgement) -> bool {
        self.states == judgement.states
            && self.flags == judgement.flags
            && self.holds == judgement.holds
            && self.bounded == judgement.bounded
            && self.outside == judgement.outside
    }
}

/// Everything that a model allows; none when there are more than `most` candidate executions.
pub fn judge(program: &Program, model: &Model, most: u64) -> Option<Reference> {
    let limits = Limits::default();
    let threads = unfold_all(program, &limits).unwrap();
    let observables = program.observables();
    let constants = question_constants(program);
    let mut naive = Naive {
        model,
        observables: &observables,
        constants: &constants,
        program,
        states: BTreeSet::new(),
        raised: vec![false; model.checks.len()],
        left: most,
        whole: true,
    };
    let mut complete = true;
    each_skeleton(program, &threads, &limits, &mut |skeleton| {
        complete &= naive.skeleton(skeleton).is_some();
        Ok(())
    })
    .unwrap();
    if !complete {
        return None;
    }
    let flags = model
        .checks
        .iter()
        .zip(&naive.raised)
        .filter(|(_, raised)| **raised)
        .map(|(c, _)| c.name.to_string())
        .collect();
    let left = naive.left;
    Some(Reference {
        bounded: cut(Cut::Bound, program, &threads, model, left)?,
        outside: cut(Cut::Outside, program, &threads, model, left)?,
        holds: answer(program, &observables, &naive.states),
        states: naive.states,
        flags,
    })
}

/// Whether a consistent execution is cut short in a way; none when there are too many.
fn cut(way: Cut, program: &Program, threads: &[Paths], model: &Model, most: u64) -> Option<bool> {
    let mut naive = Naive {
        model,
        observables: &[],
        constants: &[],
        program,
        states: BTreeSet::new(),
        raised: vec![false; model.checks.len()],
        left: most,
        whole: false,
    };
    let all: Vec<Vec<&Path>> = threads.iter().map(|t| t.all().collect()).collect();
    let mut complete = true;
    each_combination(program, &all, &Limits::default(), &mut |skeleton| {
        let is_cut = threads.iter().zip(&skeleton.paths).any(|(t, chosen)| {
            t.cut
                .iter()
                .any(|(why, path)| *why == way && std::ptr::eq(path, *chosen))
        });
        complete &= !is_cut || naive.skeleton(skeleton).is_some();
        Ok(())
    })
    .unwrap();
    complete.then_some(!naive.states.is_empty())
}

struct Naive<'a> {
    model: &'a Model,
    observables: &'a [Observable],
    constants: &'a [i64],
    program: &'a Program,
    states: BTreeSet<State>,
    raised: Vec<bool>,
    left: u64,
    /// Whether threads run to their ends, so that there are outcomes.
    whole: bool,
}

impl Naive<'_> {
    fn skeleton(&mut self, skeleton: &Skeleton<'_>) -> Option<()> {
        let n = skeleton.len();
        let mut choices: Vec<(usize, Vec<usize>)> = Vec::new();
        for (r, read) in skeleton.events.iter().enumerate() {
            if read.kind.reads() {
                let writes = (0..n)
                    .filter(|w| {
                        *w != r
                            && skeleton.events[*w].kind.writes()
                            && skeleton.events[*w].place == read.place
                    })
                    .collect();
                choices.push((r, writes));
            }
        }
        let mut rf = vec![None; n];
        self.reads(skeleton, &choices, &mut rf)
    }

    fn reads(
        &mut self,
        skeleton: &Skeleton<'_>,
        choices: &[(usize, Vec<usize>)],
        rf: &mut Vec<Option<usize>>,
    ) -> Option<()> {
        let Some(((read, writes), rest)) = choices.split_first() else {
            return self.values(skeleton, rf);
        };
        for write in writes {
            rf[*read] = Some(*write);
            self.reads(skeleton, rest, rf)?;
        }
        Some(())
    }

    /// Every solution of the equations between reads and writes, then every coherence order.
    fn values(&mut self, skeleton: &Skeleton<'_>, rf: &[Option<usize>]) -> Option<()> {
        let reads: Vec<usize> = (0..rf.len()).filter(|r| rf[*r].is_some()).collect();
        let mut values = vec![None; rf.len()];
        let mut solutions = Vec::new();
        self.solve(skeleton, rf, &reads, &mut values, &mut solutions);
        for values in solutions {
            let mut places: Vec<Vec<usize>> = Vec::new();
            for (w, event) in skeleton.events.iter().enumerate() {
                if !event.kind.writes() {
                    continue;
                }
                match places
                    .iter_mut()
                    .find(|p| skeleton.events[p[0]].place == event.place)
                {
                    Some(place) => place.push(w),
                    None => places.push(vec![w]),
                }
            }
            self.coherence(skeleton, rf, &values, &places, &mut Vec::new())?;
        }
        Some(())
    }

    fn solve(
        &self,
        skeleton: &Skeleton<'_>,
        rf: &[Option<usize>],
        reads: &[usize],
        values: &mut [Option<i64>],
        out: &mut Vec<Vec<Option<i64>>>,
    ) {
        let written = |w: usize, values: &[Option<i64>]| match skeleton.events[w].written {
            Written::Nothing => None,
            Written::Initial(v) => Some(v),
            Written::Value(sym, start) => sym.eval(&|e| values[start + e as usize]),
        };
        for _ in 0..=reads.len() {
            for r in reads {
                if values[*r].is_none() {
                    values[*r] = written(rf[*r].unwrap(), values);
                }
            }
        }
        match reads.iter().find(|r| values[**r].is_none()) {
            Some(r) => {
                let ty = skeleton.type_of(*r).unwrap();
                for seed in skeleton.seeds(self.constants) {
                    if ty.wrap(seed) == seed {
                        let mut guess = values.to_vec();
                        guess[*r] = Some(seed);
                        self.solve(skeleton, rf, reads, &mut guess, out);
                    }
                }
            }
            None => {
                let consistent = reads
                    .iter()
                    .all(|r| written(rf[*r].unwrap(), values) == values[*r]);
                let needed = skeleton.needs.iter().all(|need| {
                    let value = need.condition.eval(&|e| values[need.start + e as usize]);
                    value.is_some_and(|v| (v != 0) == need.holds)
                });
                if consistent && needed {
                    out.push(values.to_vec());
                }
            }
        }
    }

    fn coherence(
        &mut self,
        skeleton: &Skeleton<'_>,
        rf: &[Option<usize>],
        values: &[Option<i64>],
        places: &[Vec<usize>],
        chosen: &mut Vec<Vec<usize>>,
    ) -> Option<()> {
        if chosen.len() == places.len() {
            return self.execution(skeleton, rf, values, chosen);
        }
        // The initial write has the smallest number and stays first.
        let writes = &places[chosen.len()];
        for order in permutations(&writes[1..]) {
            let mut sequence = vec![writes[0]];
            sequence.extend(order);
            chosen.push(sequence);
            let result = self.coherence(skeleton, rf, values, places, chosen);
            chosen.pop();
            result?;
        }
        Some(())
    }

    fn execution(
        &mut self,
        skeleton: &Skeleton<'_>,
        rf: &[Option<usize>],
        values: &[Option<i64>],
        chosen: &[Vec<usize>],
    ) -> Option<()> {
        let n = skeleton.len();
        let mut co = vec![vec![false; n]; n];
        for sequence in chosen {
            total(&mut co, sequence);
        }
        let mut from = vec![vec![false; n]; n];
        for (r, w) in rf.iter().enumerate() {
            if let Some(w) = w {
                from[*w][r] = true;
            }
        }
        // Orders beyond coherence: every permutation of their static sets.
        let mut families = vec![vec![co]];
        for order in &self.model.orders[1..] {
            let OrderDomain::Linear(set) = order.domain else {
                panic!("a second coherence order");
            };
            let nothing = vec![vec![false; n]; n];
            let orders = vec![nothing.clone(); self.model.orders.len()];
            let known = evaluate(self.model, skeleton, &from, &orders);
            let members: Vec<usize> = (0..n).filter(|e| known[set.index()][0][*e]).collect();
            families.push(
                permutations(&members)
                    .into_iter()
                    .map(|p| {
                        let mut order = nothing.clone();
                        total(&mut order, &p);
                        order
                    })
                    .collect(),
            );
        }
        let mut index = vec![0; families.len()];
        loop {
            self.left = self.left.checked_sub(1)?;
            let orders: Vec<Matrix> = families
                .iter()
                .zip(&index)
                .map(|(f, i)| f[*i].clone())
                .collect();
            self.evaluate(skeleton, &from, &orders, values, chosen);
            let mut position = 0;
            loop {
                if position == index.len() {
                    return Some(());
                }
                index[position] += 1;
                if index[position] < families[position].len() {
                    break;
                }
                index[position] = 0;
                position += 1;
            }
        }
    }

    fn evaluate(
        &mut self,
        skeleton: &Skeleton<'_>,
        rf: &Matrix,
        orders: &[Matrix],
        values: &[Option<i64>],
        chosen: &[Vec<usize>],
    ) {
        let nodes = evaluate(self.model, skeleton, rf, orders);
        let consistent = self
            .model
            .checks
            .iter()
            .all(|c| c.role != Role::Require || test(c, &nodes));
        let based = self.model.orders.iter().zip(orders).all(|(var, order)| {
            let members: Vec<bool> = match var.domain {
                OrderDomain::Coherence => vec![true; skeleton.len()],
                OrderDomain::Linear(set) => nodes[set.index()][0].clone(),
            };
            var.base.is_none_or(|base| {
                let base = &nodes[base.index()];
                (0..skeleton.len()).all(|a| {
                    (0..skeleton.len()).all(|b| {
                        let decided = match var.domain {
                            OrderDomain::Coherence => order[a][b] || order[b][a],
                            OrderDomain::Linear(_) => members[a] && members[b] && a != b,
                        };
                        !(base[a][b] && decided) || order[a][b]
                    })
                })
            })
        });
        if !consistent || !based {
            return;
        }
        if !self.whole {
            self.states.insert(State(Vec::new()));
            return;
        }
        let state: Vec<i64> = self
            .observables
            .iter()
            .map(|observable| match *observable {
                Observable::Register(t, r) => {
                    let start = skeleton.starts[t.index()];
                    skeleton.paths[t.index()].registers[r.index()]
                        .eval(&|e| values[start + e as usize])
                        .unwrap()
                }
                Observable::Memory(location, element) => {
                    let place = Some((location, element));
                    let last = chosen
                        .iter()
                        .map(|sequence| sequence[sequence.len() - 1])
                        .find(|w| skeleton.events[*w].place == place);
                    match last.map(|w| skeleton.events[w].written) {
                        None => {
                            let declared = &self.program.locations[location.index()];
                            declared.ty.wrap(declared.init[element as usize])
                        }
                        Some(Written::Initial(v)) => v,
                        Some(Written::Value(sym, start)) => {
                            sym.eval(&|e| values[start + e as usize]).unwrap()
                        }
                        Some(Written::Nothing) => panic!("a write without a value"),
                    }
                }
            })
            .collect();
        let state = State(state);
        let counts = self
            .program
            .filter
            .as_ref()
            .is_none_or(|filter| filter.eval(&|o| state.value(self.observables, o)));
        if !counts {
            return;
        }
        for (check, raised) in self.model.checks.iter().zip(&mut self.raised) {
            *raised |= match check.role {
                Role::Require => false,
                Role::Flag => test(check, &nodes),
                Role::UndefinedUnless => !test(check, &nodes),
            };
        }
        self.states.insert(state);
    }
}

fn total(matrix: &mut Matrix, sequence: &[usize]) {
    for (i, a) in sequence.iter().enumerate() {
        for b in &sequence[i + 1..] {
            matrix[*a][*b] = true;
        }
    }
}

fn permutations(items: &[usize]) -> Vec<Vec<usize>> {
    if items.is_empty() {
        return vec![Vec::new()];
    }
    let mut out = Vec::new();
    for (i, first) in items.iter().enumerate() {
        let mut rest = items.to_vec();
        rest.remove(i);
        for mut tail in permutations(&rest) {
            tail.insert(0, *first);
            out.push(tail);
        }
    }
    out
}

fn test(check: &Check, nodes: &[Matrix]) -> bool {
    let r = &nodes[check.node.index()];
    let plain = match check.property {
        Property::Empty => r.iter().all(|row| row.iter().all(|b| !b)),
        Property::Irreflexive => (0..size(r)).all(|i| !r[i][i]),
        Property::Acyclic => {
            let closed = closure(r);
            (0..size(r)).all(|i| !closed[i][i])
        }
    };
    plain != check.negated
}

/// How many events a relation is over; without any it has no row, or one, as sets have.
fn size(r: &Matrix) -> usize {
    r.first().map_or(0, Vec::len)
}

fn closure(r: &Matrix) -> Matrix {
    let mut out = r.clone();
    loop {
        let longer = join(&out, &compose(&out, r));
        if longer == out {
            return out;
        }
        out = longer;
    }
}

fn compose(a: &Matrix, b: &Matrix) -> Matrix {
    let n = size(a);
    let mut out = vec![vec![false; n]; a.len()];
    for i in 0..n {
        for j in (0..n).filter(|j| a[i][*j]) {
            for k in 0..n {
                out[i][k] |= b[j][k];
            }
        }
    }
    out
}

fn join(a: &Matrix, b: &Matrix) -> Matrix {
    a.iter()
        .zip(b)
        .map(|(a, b)| a.iter().zip(b).map(|(a, b)| *a || *b).collect())
        .collect()
}

fn unpack(row: &Row<8>, n: usize) -> Vec<bool> {
    (0..n).map(|i| has(row, i)).collect()
}

/// The value of every node; a set is the first row of its matrix.
fn evaluate(model: &Model, skeleton: &Skeleton<'_>, rf: &Matrix, orders: &[Matrix]) -> Vec<Matrix> {
    let n = skeleton.len();
    let mut nodes: Vec<Matrix> = vec![vec![vec![false; n]; n.max(1)]; model.ops.len()];
    loop {
        let before = if model.groups.is_empty() {
            Vec::new()
        } else {
            nodes.clone()
        };
        for (index, op) in model.ops.iter().enumerate() {
            let value = one(model, skeleton, rf, orders, &nodes, *op);
            nodes[index] = value;
        }
        if model.groups.is_empty() || nodes == before {
            return nodes;
        }
    }
}

fn one(
    model: &Model,
    skeleton: &Skeleton<'_>,
    rf: &Matrix,
    orders: &[Matrix],
    nodes: &[Matrix],
    op: Op,
) -> Matrix {
    let n = skeleton.len();
    let rel = |f: &dyn Fn(usize, usize) -> bool| -> Matrix {
        (0..n).map(|i| (0..n).map(|j| f(i, j)).collect()).collect()
    };
    let set = |f: &dyn Fn(usize) -> bool| -> Matrix { vec![(0..n).map(f).collect()] };
    let at = |node: NodeId| &nodes[node.index()];
    match op {
        Op::EmptySet => set(&|_| false),
        Op::SetBase(base) => vec![unpack(&skeleton.set::<8>(base), n)],
        Op::SetUnion(a, b) => set(&|i| at(a)[0][i] || at(b)[0][i]),
        Op::SetInter(a, b) => set(&|i| at(a)[0][i] && at(b)[0][i]),
        Op::SetDiff(a, b) => set(&|i| at(a)[0][i] && !at(b)[0][i]),
        Op::Domain(r) => set(&|i| at(r)[i].iter().any(|b| *b)),
        Op::Range(r) => set(&|i| at(r).iter().any(|row| row[i])),
        Op::Empty | Op::Fix(_) => rel(&|_, _| false),
        Op::RelBase(base) => {
            let mut rows = vec![[0; 8]; n];
            skeleton.relation(base, &mut rows);
            rows.iter().map(|row| unpack(row, n)).collect()
        }
        Op::Rf => rf.clone(),
        Op::Order(k) => orders[k as usize].clone(),
        Op::Union(a, b) => rel(&|i, j| at(a)[i][j] || at(b)[i][j]),
        Op::Inter(a, b) => rel(&|i, j| at(a)[i][j] && at(b)[i][j]),
        Op::Diff(a, b) => rel(&|i, j| at(a)[i][j] && !at(b)[i][j]),
        Op::Seq(a, b) => compose(at(a), at(b)),
        Op::Plus(a) => closure(at(a)),
        Op::Inverse(a) => rel(&|i, j| at(a)[j][i]),
        Op::Cross(s, t) => rel(&|i, j| at(s)[0][i] && at(t)[0][j]),
        Op::Id(s) => rel(&|i, j| i == j && at(s)[0][i]),
        Op::MaskLeft(s, r) => rel(&|i, j| at(s)[0][i] && at(r)[i][j]),
        Op::MaskRight(r, s) => rel(&|i, j| at(s)[0][j] && at(r)[i][j]),
        Op::RecVar(g, i) => {
            let body = model.groups[g as usize].bodies[i as usize];
            at(body).clone()
        }
    }
}
