//! Forward progress: whether a program with spin loops always ends.
//!
//! A progress model says which threads an implementation has to schedule again and again. The models are
//! those of "Specifying and testing GPU workgroup progress models" (Sorensen, Salvador, Raval, Evrard,
//! Wickerson, Martonosi, Donaldson; OOPSLA 2021). A program can get stuck where some execution goes on for
//! ever although every thread that the model guarantees is scheduled, or where everybody waits at a barrier.
//! Some thread always goes on while one can. Memory is that of interleavings: what a thread spins on it sees
//! in the end.
//!
//! [`machine`] plays a program step by step; here all its states are gathered, and the circles among them
//! are judged.

mod machine;

use super::error::Error;
use super::limits::Limits;
use crate::program::Program;
use machine::{Machine, State, Turn};
use std::collections::HashMap;

classay_vocabulary::words! {
    /// Which threads are guaranteed to be scheduled again and again, as long as they have not ended.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum Progress {
        /// Every one.
        Fair = "fair",
        /// The one with the lowest number: the model of the Heterogeneous System Architecture.
        Hsa = "hsa",
        /// Those that have taken a step: occupancy-bound execution.
        Obe = "obe",
        /// Those that HSA guarantees, and those that occupancy-bound execution guarantees.
        HsaObe = "hsa+obe",
        /// Those that have taken a step, those before one that has, and the one with the lowest number:
        /// linear occupancy-bound execution.
        Lobe = "lobe",
    }
}

impl Progress {
    /// Whether it guarantees all that another does, and more.
    pub fn is_stronger_than(self, other: Progress) -> bool {
        match self {
            Progress::Fair => other != Progress::Fair,
            Progress::Lobe => !matches!(other, Progress::Fair | Progress::Lobe),
            Progress::HsaObe => matches!(other, Progress::Hsa | Progress::Obe),
            Progress::Hsa | Progress::Obe => false,
        }
    }

    /// The guaranteed threads of a state, as bits.
    fn guaranteed(self, state: &State) -> u64 {
        let lowest = state.live & state.live.wrapping_neg();
        let begun = state.begun & state.live;
        match self {
            Progress::Fair => state.live,
            Progress::Hsa => lowest,
            Progress::Obe => begun,
            Progress::HsaObe => lowest | begun,
            Progress::Lobe => {
                // Every thread up to the highest that has taken a step, ended or not.
                let up_to = match state.begun {
                    0 => 0,
                    begun => u64::MAX >> begun.leading_zeros(),
                };
                lowest | (up_to & state.live)
            }
        }
    }
}

/// Whether a program always ends under a progress model.
///
/// # Errors
/// The program has more states than `limits` allow, or does what this cannot play.
pub fn terminates(program: &Program, progress: Progress, limits: &Limits) -> Result<bool, Error> {
    Ok(Graph::of(program, limits)?.terminates(progress))
}

/// Every state that a program can reach.
#[derive(Debug)]
pub struct Graph {
    states: Vec<State>,
    /// From each state, who takes a step (as bits) and where it leads.
    steps: Vec<Vec<(u64, usize)>>,
}

impl Graph {
    /// Gathers the states of a program.
    ///
    /// # Errors
    /// As [`terminates`].
    pub fn of(program: &Program, limits: &Limits) -> Result<Graph, Error> {
        let machine = Machine::new(program);
        let mut graph = Graph {
            states: Vec::new(),
            steps: Vec::new(),
        };
        let mut numbers: HashMap<State, usize> = HashMap::new();
        let first = machine.first();
        numbers.insert(first.clone(), 0);
        graph.states.push(first);
        while graph.steps.len() < graph.states.len() {
            if graph.steps.len().is_multiple_of(256) {
                limits.deadline.check()?;
            }
            let state = graph.states[graph.steps.len()].clone();
            let mut steps = Vec::new();
            for Turn { threads, next } in machine.turns(&state) {
                let fresh = graph.states.len();
                let number = *numbers.entry(next).or_insert_with_key(|next| {
                    graph.states.push(next.clone());
                    fresh
                });
                steps.push((threads, number));
            }
            graph.steps.push(steps);
            if graph.states.len() > limits.states {
                return Err(Error::States {
                    limit: limits.states,
                });
            }
        }
        Ok(graph)
    }

    /// Whether every execution ends under a progress model.
    pub fn terminates(&self, progress: Progress) -> bool {
        let waits = self.states.iter().zip(&self.steps);
        let deadlock = waits
            .into_iter()
            .any(|(state, steps)| steps.is_empty() && state.live != 0);
        if deadlock {
            return false;
        }
        let all: Vec<usize> = (0..self.states.len()).collect();
        !self.stuck_within(all, progress)
    }

    /// Whether an execution can stay among some states for ever.
    ///
    /// It then stays in one strongly connected part of them, where each thread that is guaranteed and able
    /// throughout takes a step somewhere. What a thread has begun and which have ended is the same in all of
    /// a part, so the guaranteed threads are, too.
    fn stuck_within(&self, among: Vec<usize>, progress: Progress) -> bool {
        let mut inside = vec![false; self.states.len()];
        among.iter().for_each(|s| inside[*s] = true);
        for part in self.parts(&among, &inside) {
            let mut member = vec![false; self.states.len()];
            part.iter().for_each(|s| member[*s] = true);
            let stays = |s: &usize| self.steps[*s].iter().filter(|(_, to)| member[*to]);
            if part.iter().all(|s| stays(s).next().is_none()) {
                continue;
            }
            let taken = part
                .iter()
                .flat_map(stays)
                .fold(0, |all, (threads, _)| all | threads);
            let able = part.iter().fold(u64::MAX, |all, s| {
                all & self.steps[*s]
                    .iter()
                    .fold(0, |any, (threads, _)| any | threads)
            });
            let guaranteed = part.iter().fold(u64::MAX, |all, s| {
                all & progress.guaranteed(&self.states[*s])
            });
            if guaranteed & able & !taken == 0 {
                return true;
            }
        }
        false
    }

    /// The strongly connected parts of some states (Tarjan's algorithm, with a stack of its own).
    fn parts(&self, among: &[usize], inside: &[bool]) -> Vec<Vec<usize>> {
        const UNSEEN: usize = usize::MAX;
        let n = self.states.len();
        let (mut index, mut low) = (vec![UNSEEN; n], vec![0; n]);
        let mut on_stack = vec![false; n];
        let (mut stack, mut parts, mut next) = (Vec::new(), Vec::new(), 0);
        for root in among {
            if index[*root] != UNSEEN {
                continue;
            }
            let mut calls = vec![(*root, 0)];
            while let Some((state, at)) = calls.pop() {
                if at == 0 {
                    (index[state], low[state]) = (next, next);
                    next += 1;
                    stack.push(state);
                    on_stack[state] = true;
                }
                let mut descended = false;
                for (offset, (_, to)) in self.steps[state].iter().enumerate().skip(at) {
                    if !inside[*to] {
                        continue;
                    }
                    if index[*to] == UNSEEN {
                        calls.push((state, offset + 1));
                        calls.push((*to, 0));
                        descended = true;
                        break;
                    }
                    if on_stack[*to] {
                        low[state] = low[state].min(index[*to]);
                    }
                }
                if descended {
                    continue;
                }
                if low[state] == index[state] {
                    let mut part = Vec::new();
                    while let Some(member) = stack.pop() {
                        on_stack[member] = false;
                        part.push(member);
                        if member == state {
                            break;
                        }
                    }
                    parts.push(part);
                }
                if let Some((parent, _)) = calls.last() {
                    low[*parent] = low[*parent].min(low[state]);
                }
            }
        }
        parts
    }
}
