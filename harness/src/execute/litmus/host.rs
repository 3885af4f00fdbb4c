//! Host threads of a test: their instructions on fine-grained shared memory, by the host
//! language's own atomics.
//!
//! A host thread's atomic has the scope of all SVM devices whatever the test writes. Its plain
//! accesses are relaxed atomics of the same width, so that a race with the device is no race in
//! this process.

#![allow(unsafe_code)]

use super::built::Built;
use super::host_steps::change;
use super::plan::Plan;
use crate::environment::Arrangement;
use crate::execute::host::Shared;
use crate::execute::memory::SharedWords;
use classay_litmus::kernel::env;
use classay_litmus::program::{
    Access, Address, BinOp, CasStrength, Expected, Expr, Instr, LocId, MemOrder, RegId, ThreadId,
};
use std::sync::atomic::{AtomicU32, Ordering, fence};

/// One host thread of a test.
pub struct HostThread<'a> {
    /// The test, and how instances lie in memory.
    pub built: &'a Built,
    /// Which of its threads.
    pub thread: ThreadId,
    /// The instances' memory.
    pub mem: SharedWords,
    /// The results.
    pub res: SharedWords,
    /// The launch.
    pub plan: &'a Plan,
    /// Where things lie, and how long a loop goes on.
    pub arrangement: &'a Arrangement,
}

/// The meetings of a launch, as a host thread takes part in them: the same as the test kernel's.
pub struct Meeting<'a> {
    /// The team's counter.
    pub counter: SharedWords,
    /// Arrivals that complete a meeting.
    pub arrivals: u32,
    /// How often and how long.
    pub arrangement: &'a Arrangement,
    /// What decides which are held.
    pub seed: u32,
}

/// Where a host thread is in its meetings.
pub struct At {
    arrived: u32,
    block: u32,
    until: u32,
    patience: u32,
    spare: u32,
}

impl Meeting<'_> {
    /// Before the first instance.
    pub fn begin(&self) -> At {
        At {
            arrived: 0,
            block: 0,
            until: 1,
            patience: self.arrangement.sync_bound,
            spare: self.arrangement.spare,
        }
    }

    /// Meets the others before the instance at `position`, where a block begins there.
    pub fn before(&self, position: u32, at: &mut At) {
        let e = self.arrangement;
        if self.arrivals == 0 || e.sync_every == 0 || !position.is_multiple_of(e.batch) {
            return;
        }
        let block = at.block;
        at.block += 1;
        at.until -= 1;
        if at.until > 0 {
            return;
        }
        at.until = e.sync_every;
        if !env::meets(self.seed, 0, block, e.sync_percent.get()) {
            return;
        }
        at.arrived += self.arrivals;
        let counter = self.counter.atomic(0);
        counter.fetch_add(1, Ordering::Relaxed);
        let mut left = at.patience.saturating_add(at.spare);
        while left > 0 && counter.load(Ordering::Relaxed) < at.arrived {
            left -= 1;
            std::hint::spin_loop();
        }
        at.patience = if left > 0 {
            e.sync_bound
        } else {
            at.patience / 2
        };
        at.spare = at.spare.min(left);
    }
}

/// Why no statement follows.
#[derive(PartialEq)]
enum Stop {
    Return,
    GaveUp,
}

struct Run<'a, 't> {
    on: &'t HostThread<'a>,
    registers: Vec<i64>,
    instance: usize,
}

impl HostThread<'_> {
    /// Plays the thread in instance `k`.
    pub fn play(&self, k: u32) {
        let thread = &self.built.program.threads[self.thread.index()];
        let mut run = Run {
            on: self,
            registers: thread.registers.iter().map(|r| r.init).collect(),
            instance: k as usize,
        };
        let gave_up = run.body(&thread.body) == Err(Stop::GaveUp);
        for (r, register) in thread.registers.iter().enumerate() {
            let Some(column) = self
                .built
                .test
                .layout
                .register_column(self.thread, RegId(r as u32))
            else {
                continue;
            };
            let value = run.registers[r] as u64;
            self.result(column, k)
                .store(value as u32, Ordering::Relaxed);
            if register.ty.bits() == 64 {
                self.result(column + 1, k)
                    .store((value >> 32) as u32, Ordering::Relaxed);
            }
        }
        if let (true, Some(column)) = (gave_up, self.built.test.layout.bound_column) {
            self.result(column, k).fetch_add(1, Ordering::Relaxed);
        }
    }

    fn result(&self, column: u32, k: u32) -> &AtomicU32 {
        let word = column as usize * self.arrangement.capacity as usize + k as usize;
        self.res.atomic(word)
    }
}

impl Run<'_, '_> {
    fn body(&mut self, body: &[Instr]) -> Result<(), Stop> {
        body.iter().try_for_each(|instr| self.instr(instr))
    }

    fn instr(&mut self, instr: &Instr) -> Result<(), Stop> {
        match instr {
            Instr::Assign { register, value } => {
                let value = self.expr(value);
                self.assign(*register, value);
            }
            Instr::Effect(e) => {
                self.expr(e);
            }
            Instr::Store { access, value } => {
                let value = self.expr(value);
                let order = order_of(access);
                self.cell(&access.address).store(value as u64, order);
            }
            Instr::Fence(stated) => match stated.order {
                MemOrder::Relaxed => {}
                MemOrder::Acquire | MemOrder::Release | MemOrder::AcqRel | MemOrder::SeqCst => {
                    fence(ordering(stated.order));
                }
            },
            // `Shape::of` refuses barriers on the host and commands.
            Instr::Barrier(_) | Instr::Host(_) | Instr::Domain(_) => {}
            Instr::If(branch) => {
                let taken = if self.expr(&branch.condition) != 0 {
                    &branch.then
                } else {
                    &branch.otherwise
                };
                return self.body(taken);
            }
            Instr::While { condition, body } => {
                let mut passes = 0;
                while self.expr(condition) != 0 {
                    passes += 1;
                    if passes > self.on.arrangement.loop_bound {
                        return Err(Stop::GaveUp);
                    }
                    self.body(body)?;
                }
            }
            Instr::Return => return Err(Stop::Return),
        }
        Ok(())
    }

    fn assign(&mut self, register: RegId, value: i64) {
        let ty =
            self.on.built.program.threads[self.on.thread.index()].registers[register.index()].ty;
        self.registers[register.index()] = ty.wrap(value);
    }

    fn cell(&mut self, address: &Address) -> Shared {
        let location = &self.on.built.program.locations[address.location.index()];
        let bytes = (location.ty.bits() / 8) as usize;
        let element = match &address.index {
            None => 0,
            Some(index) => {
                let index = self.expr(index);
                // As in the kernels: an index outside stays inside its instance.
                if index < 0 || index >= i64::from(location.len()) {
                    0
                } else {
                    index as usize
                }
            }
        };
        let place = self.on.built.test.layout.places[address.location.index()];
        let slot = self.on.plan.slots[place.at as usize];
        let x = slot.place(self.instance as u32, self.on.plan.count) as usize;
        let word = slot.base as usize + x * self.on.arrangement.instance_pitch as usize;
        let start = self.on.mem.address(word * 4 + element * bytes, bytes);
        // SAFETY: the address is checked for bounds and alignment of this width, and the allocation
        // outlives the launch that this thread is part of.
        unsafe { Shared::at(start, bytes) }
    }

    fn wrap(&self, location: LocId, value: u64) -> i64 {
        self.on.built.program.locations[location.index()]
            .ty
            .wrap(value as i64)
    }

    fn expr(&mut self, e: &Expr) -> i64 {
        match e {
            Expr::Const(c) => *c,
            Expr::Reg(r) => self.registers[r.index()],
            Expr::Unary(op, a) => op.apply(self.expr(a)),
            Expr::Binary(BinOp::LogicalAnd, a, b) => {
                i64::from(self.expr(a) != 0 && self.expr(b) != 0)
            }
            Expr::Binary(BinOp::LogicalOr, a, b) => {
                i64::from(self.expr(a) != 0 || self.expr(b) != 0)
            }
            Expr::Binary(op, a, b) => {
                let (a, b) = (self.expr(a), self.expr(b));
                op.apply(a, b)
            }
            Expr::Select(c, a, b) => {
                if self.expr(c) != 0 {
                    self.expr(a)
                } else {
                    self.expr(b)
                }
            }
            Expr::Load(access) => {
                let order = order_of(access);
                let value = self.cell(&access.address).load(order);
                self.wrap(access.address.location, value)
            }
            Expr::Rmw(rmw) => {
                let location = rmw.address.location;
                let operand = self.expr(&rmw.operand);
                let ty = self.on.built.program.locations[location.index()].ty;
                let how = change(rmw.op, ty.is_signed());
                let order = ordering(rmw.atomic.order);
                let old = self.cell(&rmw.address).change(how, operand as u64, order);
                self.wrap(location, old)
            }
            Expr::Cas(cas) => {
                let desired = self.expr(&cas.desired);
                let want = match &cas.expected {
                    Expected::Register(r) => self.registers[r.index()],
                    Expected::Location(a) => {
                        let value = self.cell(a).load(Ordering::Relaxed);
                        self.wrap(a.location, value)
                    }
                };
                let orders = (ordering(cas.atomic.order), ordering(cas.failure));
                let weak = cas.strength == CasStrength::Weak;
                let result = self.cell(&cas.address).compare_exchange(
                    want as u64,
                    desired as u64,
                    orders,
                    weak,
                );
                match result {
                    Ok(_) => 1,
                    Err(seen) => {
                        let seen = self.wrap(cas.address.location, seen);
                        match &cas.expected {
                            Expected::Register(r) => self.assign(*r, seen),
                            Expected::Location(a) => {
                                self.cell(a).store(seen as u64, Ordering::Relaxed);
                            }
                        }
                        0
                    }
                }
            }
        }
    }
}

/// The order of an access; relaxed where it is not atomic in the test.
fn order_of(access: &Access) -> Ordering {
    let atomic = access.atomicity.atomic();
    atomic.map_or(Ordering::Relaxed, |atomic| ordering(atomic.order))
}

fn ordering(order: MemOrder) -> Ordering {
    match order {
        MemOrder::Relaxed => Ordering::Relaxed,
        MemOrder::Acquire => Ordering::Acquire,
        MemOrder::Release => Ordering::Release,
        MemOrder::AcqRel => Ordering::AcqRel,
        MemOrder::SeqCst => Ordering::SeqCst,
    }
}
