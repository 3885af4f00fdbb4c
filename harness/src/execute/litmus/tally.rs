//! From rows of counts to outcomes: the host's half of collecting.

use crate::execute::ended::NotRun;
use classay_litmus::kernel::{End, Layout, collect};
use classay_litmus::program::{Program, Quantifier};
use classay_reports::record::{EvidenceKind, Outcome, OutcomeCount};
use std::collections::HashMap;

/// The outcomes seen so far and the table that the device looks them up in.
pub struct Tally {
    words: usize,
    most_slots: usize,
    /// Tuples in order of first occurrence, with how they read.
    known: Vec<(Vec<u32>, End)>,
    index: HashMap<Vec<u32>, usize>,
    /// How often each was seen.
    seen: Vec<u64>,
    /// Slot → position in `known`.
    slots: Vec<Option<usize>>,
    version: u64,
}

impl Tally {
    /// An empty tally for a layout. The table grows to `most_slots` slots; outcomes beyond are
    /// counted on the host, never lost.
    pub fn new(layout: &Layout, most_slots: usize) -> Tally {
        Tally {
            most_slots,
            words: layout.tuple_words.max(1) as usize,
            known: Vec::new(),
            index: HashMap::new(),
            seen: Vec::new(),
            slots: vec![None; 8],
            version: 0,
        }
    }

    /// Changes whenever the table does.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// Slots of the table, a power of two.
    pub fn slot_count(&self) -> usize {
        self.slots.len()
    }

    /// Words of a tuple.
    pub fn tuple_words(&self) -> usize {
        self.words
    }

    /// Words of the table with its tail.
    pub fn table_words(&self) -> usize {
        self.slots.len() * (self.words + 1) + 1 + collect::OFTEN
    }

    /// The table as the collecting kernel reads it: for each slot a used flag and a tuple; then how many
    /// slots are listed as those of frequent outcomes, and these, the most frequent first.
    pub fn table(&self) -> Vec<u32> {
        let mut table = Vec::with_capacity(self.table_words());
        for slot in &self.slots {
            match slot {
                Some(at) => {
                    table.push(1);
                    table.extend_from_slice(&self.known[*at].0);
                }
                None => table.extend(std::iter::repeat_n(0, self.words + 1)),
            }
        }
        let mut often: Vec<(u64, u32)> = (0u32..)
            .zip(&self.slots)
            .filter_map(|(slot, at)| Some((self.seen[(*at)?], slot)))
            .collect();
        often.sort_by_key(|&(seen, slot)| (std::cmp::Reverse(seen), slot));
        often.truncate(collect::OFTEN);
        table.push(often.len() as u32);
        table.extend(often.into_iter().map(|(_, slot)| slot));
        table
    }

    /// A snapshot of which outcome each slot means, to read rows that were counted with it.
    pub fn slots(&self) -> Vec<Option<usize>> {
        self.slots.clone()
    }

    /// Adds an unknown tuple; returns its position.
    fn learn(&mut self, program: &Program, layout: &Layout, tuple: &[u32]) -> usize {
        if let Some(&at) = self.index.get(tuple) {
            return at;
        }
        let at = self.known.len();
        let end = layout.decode(program, &tuple[..layout.tuple_words as usize]);
        self.known.push((tuple.to_vec(), end));
        self.seen.push(0);
        self.index.insert(tuple.to_vec(), at);
        // Half full at most, so that probing stays short.
        if (at + 1) * 2 > self.slots.len() && self.slots.len() < self.most_slots {
            self.slots = vec![None; self.slots.len() * 2];
            for i in 0..self.known.len() {
                self.place(i);
            }
        } else {
            self.place(at);
        }
        at
    }

    fn place(&mut self, at: usize) {
        let in_table = self.slots.iter().flatten().count();
        if (in_table + 1) * 2 > self.slots.len() {
            return;
        }
        let n = self.slots.len();
        let start = collect::hash(&self.known[at].0) as usize & (n - 1);
        let mut probes = (start..start + n).map(|p| p & (n - 1));
        if let Some(slot) = probes.find(|&slot| self.slots[slot].is_none()) {
            self.slots[slot] = Some(at);
            self.version += 1;
        }
    }

    /// Counts of one launch: from its rows, read with the slots they were counted with, and from
    /// the tuples that were not in the table.
    pub fn count(
        &mut self,
        program: &Program,
        layout: &Layout,
        slots: &[Option<usize>],
        rows: &[u32],
        unlisted: &[Vec<u32>],
    ) -> Result<Counts, NotRun> {
        let mut counts: Vec<u64> = vec![0; self.known.len()];
        for row in rows.chunks(slots.len() + 1) {
            for (slot, &n) in slots.iter().zip(row) {
                match slot {
                    Some(at) => counts[*at] += u64::from(n),
                    None if n == 0 => {}
                    None => {
                        let why = "the device counted an outcome that is not in its table";
                        let text = format!("{n} instances in an empty slot");
                        return Err(NotRun::failed(why.into()).with(EvidenceKind::Counts, text));
                    }
                }
            }
        }
        for tuples in unlisted {
            for tuple in tuples.chunks(self.words) {
                let at = self.learn(program, layout, tuple);
                if at == counts.len() {
                    counts.push(0);
                }
                counts[at] += 1;
            }
        }
        for (seen, n) in self.seen.iter_mut().zip(&counts) {
            *seen += n;
        }
        Ok(Counts {
            total: counts.iter().sum(),
            counts,
        })
    }

    /// The outcomes of a launch, for its record. Tuples that read the same are one outcome. An instance that
    /// a thread left no result for has none: its launch is refused ([`Tally::unwritten`]).
    pub fn outcomes(&self, program: &Program, counts: &Counts) -> Vec<OutcomeCount> {
        let always = program.condition.quantifier == Quantifier::Forall;
        let mut outcomes: Vec<OutcomeCount> = Vec::new();
        for (&count, (_, end)) in counts.counts.iter().zip(&self.known) {
            if count == 0 {
                continue;
            }
            let (outcome, target) = match end {
                End::State { values, is_target } => (Outcome::State(values.clone()), *is_target),
                // Says nothing, so it contradicts no `forall` and satisfies no `exists`.
                End::Unfinished => (Outcome::Incomplete, always),
                End::Unwritten => continue,
            };
            match outcomes.iter_mut().find(|o| o.outcome == outcome) {
                Some(o) => o.count += count,
                None => outcomes.push(OutcomeCount {
                    outcome,
                    count,
                    target,
                }),
            }
        }
        outcomes
    }

    /// Instances of a launch that a thread left no result for.
    pub fn unwritten(&self, counts: &Counts) -> u64 {
        let pairs = counts.counts.iter().zip(&self.known);
        pairs
            .filter(|(_, (_, end))| *end == End::Unwritten)
            .map(|(n, _)| n)
            .sum()
    }
}

/// Counts of one launch by position in the tally.
pub struct Counts {
    counts: Vec<u64>,
    /// Their sum.
    pub total: u64,
}

#[cfg(test)]
mod tests {
    use super::*;
    use classay_litmus::program::{
        Atom, Condition, Observable, Placement, Predicate, RegId, Register, Relation, ScalarType,
        Thread, ThreadId, WorkItem,
    };

    fn program() -> Program {
        let r = |i| Observable::Register(ThreadId(0), RegId(i));
        let is = |i, v| Predicate::Compare(Relation::Eq, Atom::Observe(r(i)), Atom::Const(v));
        Program {
            name: "two registers".into(),
            api: Default::default(),
            locations: Vec::new(),
            queues: Vec::new(),
            commands: Vec::new(),
            synchronized: Vec::new(),
            contributes: Vec::new(),
            threads: vec![Thread {
                placement: Placement::Device(WorkItem {
                    device: 0,
                    queue_family: 0,
                    work_group: 0,
                    sub_group: None,
                }),
                kernel: None,
                registers: ["a", "b"]
                    .map(|name| Register {
                        name: name.into(),
                        ty: ScalarType::Int,
                        init: 0,
                    })
                    .to_vec(),
                body: Vec::new(),
            }],
            condition: Condition {
                quantifier: Quantifier::Exists,
                predicate: Predicate::And(vec![is(0, 1), is(1, -1)]),
            },
            filter: None,
        }
    }

    /// What the collecting kernel does for one work-item.
    fn device(tally: &Tally, tuples: &[Vec<u32>]) -> (Vec<u32>, Vec<u32>) {
        let (slots, words, table) = (tally.slot_count(), tally.tuple_words(), tally.table());
        let (mut row, mut list) = (vec![0; slots + 1], Vec::new());
        for tuple in tuples {
            let start = collect::hash(tuple) as usize;
            let mut found = false;
            for probe in 0..slots {
                let s = (start + probe) & (slots - 1);
                let entry = &table[s * (words + 1)..(s + 1) * (words + 1)];
                if entry[0] == 0 {
                    break;
                }
                if entry[1..] == tuple[..] {
                    row[s] += 1;
                    found = true;
                    break;
                }
            }
            if !found {
                list.extend_from_slice(tuple);
                row[slots] += 1;
            }
        }
        (row, list)
    }

    #[test]
    fn every_instance_is_counted_while_the_table_learns_and_overflows() {
        let program = program();
        let layout = Layout::of(&program);
        // So small that most outcomes never fit.
        let mut tally = Tally::new(&layout, 8);
        let tuples: Vec<Vec<u32>> = (0..1000_u32)
            .map(|i| vec![i % 37, (i % 5).wrapping_sub(1)])
            .collect();
        let mut seen: HashMap<Outcome, u64> = HashMap::new();
        for _ in 0..4 {
            let slots = tally.slots();
            let (row, list) = device(&tally, &tuples);
            let counts = tally
                .count(&program, &layout, &slots, &row, &[list])
                .unwrap();
            assert_eq!(counts.total, 1000);
            for o in tally.outcomes(&program, &counts) {
                *seen.entry(o.outcome.clone()).or_default() += o.count;
                assert_eq!(o.target, o.outcome == Outcome::State(vec![1, -1]));
            }
        }
        assert_eq!(seen.len(), 37 * 5);
        for tuple in &tuples[..185] {
            let state = Outcome::State(tuple.iter().map(|word| i64::from(*word as i32)).collect());
            let expected = tuples.iter().filter(|t| *t == tuple).count() as u64 * 4;
            assert_eq!(seen[&state], expected, "{state:?}");
        }
    }

    #[test]
    fn a_register_that_no_thread_wrote_is_noticed() {
        let program = program();
        let layout = Layout::of(&program);
        let mut tally = Tally::new(&layout, 64);
        let list = vec![vec![0, layout.unwritten]];
        let counts = tally.count(&program, &layout, &[], &[1], &list).unwrap();
        assert_eq!((counts.total, tally.unwritten(&counts)), (1, 1));
    }

    #[test]
    fn a_count_in_an_empty_slot_is_refused() {
        let program = program();
        let layout = Layout::of(&program);
        let mut tally = Tally::new(&layout, 64);
        let mut row = vec![0; 9];
        row[3] = 7;
        assert!(
            tally
                .count(&program, &layout, &[None; 8], &row, &[])
                .is_err()
        );
    }
}
