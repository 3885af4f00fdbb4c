//! In which step a thread runs whose test leaves a choice.

use crate::program::{Expr, Instr, LocId, Program, Thread, each_expr, each_instr};

/// What decides: which threads may communicate.
pub(super) struct Choice<'p> {
    /// By unit; none in those that are represented by another.
    accesses: Vec<Accesses>,
    /// Pairs of units of which the first runs before the second.
    edges: &'p [(usize, usize)],
}

/// The memory that a unit reads and writes.
#[derive(Default, Clone)]
struct Accesses {
    reads: Vec<LocId>,
    writes: Vec<LocId>,
}

impl Accesses {
    fn add(&mut self, program: &Program, thread: &Thread) {
        each_instr(&thread.body, &mut |instr| {
            if let Instr::Store { access, .. } = instr {
                let memory = program.memory_behind(access.address.location);
                self.writes.push(memory);
            }
        });
        each_expr(&thread.body, &mut |expr| {
            for address in expr.addresses() {
                let memory = program.memory_behind(address.location);
                self.reads.push(memory);
                if matches!(expr, Expr::Rmw(_) | Expr::Cas(_)) {
                    self.writes.push(memory);
                }
            }
        });
    }

    /// How many reads may be from a write of another.
    fn may_read(&self, other: &Accesses) -> usize {
        let written = |read: &&LocId| other.writes.contains(read);
        self.reads.iter().filter(written).count()
    }
}

impl<'p> Choice<'p> {
    /// `units` has for each thread that which stands for all that run with it; `edges` are pairs of such.
    pub fn new(program: &Program, units: &[usize], edges: &'p [(usize, usize)]) -> Choice<'p> {
        let mut accesses = vec![Accesses::default(); units.len()];
        for (thread, &unit) in program.threads.iter().zip(units) {
            accesses[unit].add(program, thread);
        }
        Choice { accesses, edges }
    }

    /// Chooses among the levels from 0 to `most`. `levels` has one for each unit that the order allows, the latest; each
    /// move lets more be read, or as much at once, so that this ends.
    pub fn make(&self, levels: &mut [usize], most: usize) {
        let mut moved = most > 0;
        while moved {
            moved = false;
            for unit in 0..levels.len() {
                let (first, last) = self.allowed(unit, levels, most);
                let now = self.worth(unit, levels[unit], levels);
                let best =
                    (first..=last).max_by_key(|&level| (self.worth(unit, level, levels), level));
                if let Some(level) = best.filter(|&level| self.worth(unit, level, levels) > now) {
                    levels[unit] = level;
                    moved = true;
                }
            }
        }
    }

    /// The first and the last level at which a unit may run while the others stay.
    fn allowed(&self, unit: usize, levels: &[usize], most: usize) -> (usize, usize) {
        let before = self.edges.iter().filter(|(_, after)| *after == unit);
        let after = self.edges.iter().filter(|(before, _)| *before == unit);
        let first = before.map(|(before, _)| levels[*before] + 1).max();
        let last = after
            .map(|(_, after)| levels[*after].saturating_sub(1))
            .min();
        (first.unwrap_or(0), last.unwrap_or(most))
    }

    /// What a unit's running at a level is worth: reads that may be from writes of others, and how many of these
    /// are at once with it.
    fn worth(&self, unit: usize, level: usize, levels: &[usize]) -> (usize, usize) {
        let own = &self.accesses[unit];
        let (mut reads, mut at_once) = (0, 0);
        for (other, theirs) in self.accesses.iter().enumerate() {
            if other == unit {
                continue;
            }
            let (from_them, from_us) = (own.may_read(theirs), theirs.may_read(own));
            reads += if levels[other] <= level { from_them } else { 0 };
            reads += if level <= levels[other] { from_us } else { 0 };
            at_once += if level == levels[other] {
                from_them + from_us
            } else {
                0
            };
        }
        (reads, at_once)
    }
}
