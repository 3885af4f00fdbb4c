//! A program played one step at a time, threads interleaved.
//!
//! A step of a thread is an instruction or a condition with accesses to memory, a barrier, or a jump back;
//! what the thread computes in its registers after that belongs to the step.

use crate::oracle::meet;
use crate::program::{Access, Address, Barrier, Expected, Expr, Instr, Program, RegId, ThreadId};

/// What a thread does, as a list with jumps.
enum Op<'p> {
    Instr(&'p Instr),
    /// Goes on at a place unless a condition holds.
    Unless(&'p Expr, usize),
    /// Goes on at an earlier or a later place.
    Jump(usize),
    End,
}

/// A state.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct State {
    /// Where each thread is.
    at: Vec<u32>,
    registers: Vec<Vec<i64>>,
    memory: Vec<Vec<i64>>,
    /// Threads that wait at the barrier where they are.
    waiting: u64,
    /// Named barriers that have been passed, so that who comes later passes as well.
    opened: Vec<(u32, u32)>,
    /// Threads that have not ended, as bits.
    pub live: u64,
    /// Threads that have taken a step.
    pub begun: u64,
}

/// A step: who takes it, and where it leads.
pub struct Turn {
    /// Threads as bits; more than one where a barrier is passed.
    pub threads: u64,
    /// The state after it.
    pub next: State,
}

/// A program that can be played.
pub struct Machine<'p> {
    program: &'p Program,
    code: Vec<Vec<Op<'p>>>,
}

/// Most computations in registers that belong to one step.
const MOST_LOCAL: usize = 10_000;

impl<'p> Machine<'p> {
    /// Of a program.
    pub fn new(program: &'p Program) -> Machine<'p> {
        let code = program.threads.iter().map(|thread| {
            let mut code = Vec::new();
            let mut returns = Vec::new();
            block(&thread.body, &mut code, &mut returns);
            let end = code.len();
            for at in returns {
                code[at] = Op::Jump(end);
            }
            code.push(Op::End);
            code
        });
        Machine {
            program,
            code: code.collect(),
        }
    }

    /// The state in which a program begins.
    pub fn first(&self) -> State {
        let threads = &self.program.threads;
        let mut state = State {
            at: vec![0; threads.len()],
            registers: threads
                .iter()
                .map(|t| t.registers.iter().map(|r| r.ty.wrap(r.init)).collect())
                .collect(),
            memory: (self.program.locations.iter())
                .map(|l| l.init.iter().map(|v| l.ty.wrap(*v)).collect())
                .collect(),
            waiting: 0,
            opened: Vec::new(),
            live: 0,
            begun: 0,
        };
        for thread in 0..threads.len() {
            state.live |= 1 << thread;
            self.compute(&mut state, thread);
        }
        state
    }

    /// Every step that can be taken.
    pub fn turns(&self, state: &State) -> Vec<Turn> {
        let mut turns = Vec::new();
        for thread in 0..self.code.len() {
            let bit = 1u64 << thread;
            if state.live & bit == 0 {
                continue;
            }
            if state.waiting & bit != 0 {
                turns.extend(self.meetings(state, thread));
                continue;
            }
            let mut next = state.clone();
            next.begun |= bit;
            match &self.code[thread][state.at[thread] as usize] {
                Op::Instr(Instr::Barrier(_)) => next.waiting |= bit,
                Op::Instr(instr) => {
                    self.instr(&mut next, thread, instr);
                    next.at[thread] += 1;
                    self.compute(&mut next, thread);
                }
                Op::Jump(target) => {
                    next.at[thread] = *target as u32;
                    self.compute(&mut next, thread);
                }
                Op::Unless(condition, target) => {
                    let holds = self.value(&mut next, thread, condition) != 0;
                    next.at[thread] = if holds {
                        state.at[thread] + 1
                    } else {
                        *target as u32
                    };
                    self.compute(&mut next, thread);
                }
                // Nothing is left of a thread at its end, which is not live.
                Op::End => continue,
            }
            turns.push(Turn { threads: bit, next });
        }
        turns
    }

    fn barrier(&self, state: &State, thread: usize) -> Option<&'p Barrier> {
        match &self.code[thread][state.at[thread] as usize] {
            Op::Instr(Instr::Barrier(barrier)) => Some(barrier),
            Op::Instr(_) | Op::Unless(..) | Op::Jump(_) | Op::End => None,
        }
    }

    /// The ways in which a thread that waits passes its barrier as the first of those who do.
    fn meetings(&self, state: &State, thread: usize) -> Vec<Turn> {
        let Some(barrier) = self.barrier(state, thread) else {
            return Vec::new();
        };
        let wanted = meet::wanted(self.program, ThreadId(thread as u32), barrier) as usize;
        let together = |other: &usize| {
            state.waiting & (1 << other) != 0
                && meet::meet(self.program, thread, *other, barrier.group)
                && (self.barrier(state, *other))
                    .is_some_and(|b| b.group == barrier.group && b.label == barrier.label)
        };
        let others: Vec<usize> = (thread + 1..self.code.len()).filter(together).collect();
        let mut ways = Vec::new();
        choose(
            &others,
            wanted.saturating_sub(1),
            &mut Vec::new(),
            &mut ways,
        );
        let name = barrier.quorum.map(|_| self.name(thread, barrier));
        if name.is_some_and(|name| state.opened.contains(&name)) {
            ways.push(Vec::new());
        }
        let pass = |mut who: Vec<usize>| {
            who.push(thread);
            let mut next = state.clone();
            let mut threads = 0;
            for passing in who {
                threads |= 1 << passing;
                next.waiting &= !(1 << passing);
                next.at[passing] += 1;
                self.compute(&mut next, passing);
            }
            if let Some(name) = name
                && !next.opened.contains(&name)
            {
                next.opened.push(name);
                next.opened.sort_unstable();
            }
            Turn { threads, next }
        };
        ways.into_iter().map(pass).collect()
    }

    /// A barrier by the first thread that has it, and its place there.
    fn name(&self, thread: usize, barrier: &Barrier) -> (u32, u32) {
        for (t, code) in self.code.iter().enumerate() {
            if !meet::meet(self.program, thread, t, barrier.group) {
                continue;
            }
            let same = |op: &Op<'_>| {
                matches!(op, Op::Instr(Instr::Barrier(b))
                    if b.group == barrier.group && b.label == barrier.label)
            };
            if let Some(at) = code.iter().position(same) {
                return (t as u32, at as u32);
            }
        }
        (thread as u32, 0)
    }

    /// Goes on to the next access, barrier or jump back, or to the end.
    fn compute(&self, state: &mut State, thread: usize) {
        for _ in 0..MOST_LOCAL {
            let at = state.at[thread] as usize;
            match &self.code[thread][at] {
                Op::End => {
                    state.live &= !(1 << thread);
                    return;
                }
                Op::Jump(target) if *target <= at => return,
                Op::Jump(target) => state.at[thread] = *target as u32,
                Op::Unless(condition, _) if condition.touches_memory() => return,
                Op::Unless(condition, target) => {
                    let holds = self.value(state, thread, condition) != 0;
                    state.at[thread] = if holds { at as u32 + 1 } else { *target as u32 };
                }
                Op::Instr(Instr::Assign { register, value }) if !value.touches_memory() => {
                    let value = self.value(state, thread, value);
                    self.assign(state, thread, *register, value);
                    state.at[thread] += 1;
                }
                Op::Instr(Instr::Fence(_) | Instr::Domain(_)) => state.at[thread] += 1,
                Op::Instr(Instr::Effect(value)) if !value.touches_memory() => {
                    state.at[thread] += 1;
                }
                Op::Instr(_) => return,
            }
        }
    }

    fn assign(&self, state: &mut State, thread: usize, register: RegId, value: i64) {
        let ty = self.program.threads[thread].registers[register.index()].ty;
        state.registers[thread][register.index()] = ty.wrap(value);
    }

    fn instr(&self, state: &mut State, thread: usize, instr: &Instr) {
        match instr {
            Instr::Assign { register, value } => {
                let value = self.value(state, thread, value);
                self.assign(state, thread, *register, value);
            }
            Instr::Effect(value) => {
                self.value(state, thread, value);
            }
            Instr::Store { access, value } => {
                let value = self.value(state, thread, value);
                self.store(state, thread, &access.address, value);
            }
            // Blocks are lists with jumps here, barriers are met elsewhere, and the order of accesses is that
            // of the interleaving.
            Instr::Fence(_)
            | Instr::Domain(_)
            | Instr::Barrier(_)
            | Instr::If(_)
            | Instr::While { .. }
            | Instr::Return
            | Instr::Host(_) => {}
        }
    }

    /// The element that an address stands for; none outside of its array.
    fn place(&self, state: &mut State, thread: usize, address: &Address) -> Option<(usize, usize)> {
        let location = self.program.memory_behind(address.location).index();
        let element = match &address.index {
            None => 0,
            Some(index) => self.value(state, thread, index),
        };
        let element = usize::try_from(element).ok()?;
        (element < state.memory[location].len()).then_some((location, element))
    }

    fn load(&self, state: &mut State, thread: usize, address: &Address) -> i64 {
        let place = self.place(state, thread, address);
        place.map_or(0, |(location, element)| state.memory[location][element])
    }

    fn store(&self, state: &mut State, thread: usize, address: &Address, value: i64) {
        if let Some((location, element)) = self.place(state, thread, address) {
            let ty = self.program.locations[location].ty;
            state.memory[location][element] = ty.wrap(value);
        }
    }

    fn value(&self, state: &mut State, thread: usize, expr: &Expr) -> i64 {
        match expr {
            Expr::Const(value) => *value,
            Expr::Reg(register) => state.registers[thread][register.index()],
            Expr::Unary(op, a) => op.apply(self.value(state, thread, a)),
            Expr::Binary(op, a, b) => {
                let a = self.value(state, thread, a);
                let b = self.value(state, thread, b);
                op.apply(a, b)
            }
            Expr::Select(condition, yes, no) => {
                let chosen = match self.value(state, thread, condition) {
                    0 => no,
                    _ => yes,
                };
                self.value(state, thread, chosen)
            }
            Expr::Load(Access { address, .. }) => self.load(state, thread, address),
            Expr::Rmw(rmw) => {
                let operand = self.value(state, thread, &rmw.operand);
                let old = self.load(state, thread, &rmw.address);
                let ty = self.program.locations[rmw.address.location.index()].ty;
                self.store(state, thread, &rmw.address, rmw.op.apply(ty, old, operand));
                old
            }
            Expr::Cas(cas) => {
                let desired = self.value(state, thread, &cas.desired);
                let expected = match &cas.expected {
                    Expected::Register(register) => state.registers[thread][register.index()],
                    Expected::Location(address) => self.load(state, thread, address),
                };
                let old = self.load(state, thread, &cas.address);
                let ty = self.program.locations[cas.address.location.index()].ty;
                let equal = old == ty.wrap(expected);
                match (equal, &cas.expected) {
                    (true, _) => self.store(state, thread, &cas.address, desired),
                    (false, Expected::Register(register)) => {
                        self.assign(state, thread, *register, old);
                    }
                    (false, Expected::Location(address)) => self.store(state, thread, address, old),
                }
                i64::from(equal)
            }
        }
    }
}

/// Instructions as a list with jumps; `returns` are the places of those that end the thread.
fn block<'p>(body: &'p [Instr], code: &mut Vec<Op<'p>>, returns: &mut Vec<usize>) {
    for instr in body {
        match instr {
            Instr::If(branch) => {
                let start = code.len();
                code.push(Op::End);
                block(&branch.then, code, returns);
                let over = code.len();
                code.push(Op::End);
                code[start] = Op::Unless(&branch.condition, code.len());
                block(&branch.otherwise, code, returns);
                code[over] = Op::Jump(code.len());
            }
            Instr::While { condition, body } => {
                let start = code.len();
                code.push(Op::End);
                block(body, code, returns);
                code.push(Op::Jump(start));
                code[start] = Op::Unless(condition, code.len());
            }
            Instr::Return => {
                returns.push(code.len());
                code.push(Op::End);
            }
            Instr::Assign { .. }
            | Instr::Effect(_)
            | Instr::Store { .. }
            | Instr::Fence(_)
            | Instr::Barrier(_)
            | Instr::Domain(_)
            | Instr::Host(_) => code.push(Op::Instr(instr)),
        }
    }
}

/// Every choice of so many of the threads.
fn choose(among: &[usize], count: usize, chosen: &mut Vec<usize>, out: &mut Vec<Vec<usize>>) {
    if count == 0 {
        out.push(chosen.clone());
        return;
    }
    for (at, thread) in among.iter().enumerate() {
        chosen.push(*thread);
        choose(&among[at + 1..], count - 1, chosen, out);
        chosen.pop();
    }
}
