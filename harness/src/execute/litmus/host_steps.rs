//! Host threads of a test with commands: their calls are calls of the host program, and what stands
//! between two calls is an exchange over the locations and the thread's registers, which lie in memory of
//! the host, eight bytes each.
//!
//! What a real program has to do beside the calls of a test is added here. A queue is flushed before a command of
//! another queue waits for one of its events: "To use event objects that refer to commands enqueued in a
//! command-queue as event objects to wait on by commands enqueued in a different command-queue, the application
//! must call a clFlush or any blocking commands that perform an implicit flush of the command-queue where the
//! commands that refer to these event objects are enqueued" (clFlush). A host thread that uses the event of a
//! command which another one enqueues waits until it is there; what that orders besides is more than the test says.

use super::lowering::{Lowering, is_buffer};
use classay_litmus::kernel::Inexpressible;
use classay_litmus::program::{
    Access, Address, BinOp, CommandId, CommandKind, Expr, HostCall, Instr, LocId, MapAccess,
    MemOrder, Program, QueueId, RegId, RmwOp, Thread, ThreadId,
};
use classay_suites::host::constant::cl;
use classay_suites::host::exchange::{
    Base, Cell, Change, Is, Num, Operation, Order, REGISTERS, Reg,
};
use classay_suites::host::{Call, Data, Function, Op, SignalId, Slot, SlotKind, Step, Value};
use classay_suites::host::{Contents, Unit};
use std::collections::{BTreeMap, BTreeSet};

/// The steps of a host thread, and where its registers are.
///
/// # Errors
/// Where it does what an exchange cannot say.
pub fn thread(
    lowering: &mut Lowering<'_>,
    id: ThreadId,
) -> Result<(Slot, Vec<Step>), Inexpressible> {
    let thread = &lowering.program.threads[id.index()];
    let bytes = 8 * thread.registers.len().max(1);
    let name = format!("registers_{}", id.0);
    let registers = lowering.builder.slot(name, SlotKind::Host { bytes });
    let first = thread.registers.iter().map(|r| r.init as u64).collect();
    lowering.builder.begin(Op::Write {
        at: registers.at(0),
        data: Data::Contents {
            contents: Contents::Longs(first),
            bytes,
        },
    });
    let mut host = HostThread {
        lowering,
        id,
        registers,
        maps: BTreeMap::new(),
        used: 0,
    };
    let mut steps = Vec::new();
    let mut between = Vec::new();
    for instr in &thread.body {
        if let Instr::Host(call) = instr {
            host.exchange(&mut between, &mut steps);
            host.call(call, &mut steps);
        } else {
            host.used = 0;
            between.extend(host.instr(instr)?);
        }
    }
    host.exchange(&mut between, &mut steps);
    Ok((registers, steps))
}

struct HostThread<'l, 'p> {
    lowering: &'l mut Lowering<'p>,
    id: ThreadId,
    registers: Slot,
    /// The latest maps of buffers that have not ended.
    maps: BTreeMap<LocId, Slot>,
    /// Registers of the exchange that a statement has used.
    used: u8,
}

impl HostThread<'_, '_> {
    fn exchange(&self, operations: &mut Vec<Operation>, steps: &mut Vec<Step>) {
        if !operations.is_empty() {
            steps.push(Step::from(Op::Exchange {
                quit: None,
                operations: std::mem::take(operations),
            }));
        }
    }

    fn no<T>(&self, what: &'static str) -> Result<T, Inexpressible> {
        let thread = self.id;
        Err(Inexpressible::HostWithCommands { thread, what })
    }

    fn call(&mut self, call: &HostCall, steps: &mut Vec<Step>) {
        let l = &self.lowering;
        for used in used(l.program, call) {
            if let Some((signal, _)) = l.shared[used.index()].filter(|(_, by)| *by != self.id) {
                steps.push(Op::Await(signal).into());
            }
        }
        steps.push(match call {
            HostCall::Enqueue(id) => {
                for queue in awaited_queues(l.program, *id) {
                    steps.push(Call::of(Function::Flush, l.queues[queue.index()]).into());
                }
                self.enqueue(*id, steps);
                if let Some((signal, _)) = self.lowering.shared[id.index()] {
                    steps.push(Op::Signal(signal).into());
                }
                return;
            }
            HostCall::Wait(events) => {
                let events: Vec<Slot> = events.iter().map(|id| l.events[id.index()]).collect();
                Call::wait(&events).into()
            }
            HostCall::Finish(queue) => Call::of(Function::Finish, l.queues[queue.index()]).into(),
            HostCall::Flush(queue) => Call::of(Function::Flush, l.queues[queue.index()]).into(),
        });
    }

    fn enqueue(&mut self, id: CommandId, steps: &mut Vec<Step>) {
        let program = self.lowering.program;
        let command = &program.commands[id.index()];
        let bytes = |location: LocId| {
            let location = &program.locations[location.index()];
            (location.ty.bits() / 8 * location.len()) as usize
        };
        let l = &self.lowering;
        let (queue, event) = (l.queues[command.queue.index()], l.events[id.index()]);
        let wait: Vec<Slot> = command.waits.iter().map(|e| l.events[e.index()]).collect();
        let (wait, event) = (&wait[..], Some(event));
        steps.push(
            match command.kind {
                CommandKind::Kernel => {
                    let (kernel, groups, items) = l.kernels[id.index()];
                    let of = [
                        kernel.into(),
                        1_u32.into(),
                        Value::Null,
                        Value::sizes([groups * items]),
                        Value::sizes([items]),
                    ];
                    Call::enqueue(Function::EnqueueNDRangeKernel, queue, of, wait, event)
                }
                CommandKind::Marker => {
                    Call::enqueue(Function::EnqueueMarkerWithWaitList, queue, [], wait, event)
                }
                CommandKind::Barrier => {
                    Call::enqueue(Function::EnqueueBarrierWithWaitList, queue, [], wait, event)
                }
                CommandKind::Map {
                    location,
                    access,
                    blocking,
                } => {
                    let flags = Value::Flags(match access {
                        MapAccess::Read => vec![cl::CL_MAP_READ],
                        MapAccess::Write => vec![cl::CL_MAP_READ, cl::CL_MAP_WRITE],
                    });
                    let (blocking, size): (Value, Value) =
                        (blocking.into(), bytes(location).into());
                    let (slot, memory) = l.locations[location.index()];
                    if is_buffer(memory) {
                        let name = format!("map_{}", id.0);
                        let map = self.lowering.builder.slot(name, SlotKind::Address);
                        self.maps.insert(location, map);
                        let of = [slot.into(), blocking, flags, 0_u32.into(), size];
                        Call::enqueue(Function::EnqueueMapBuffer, queue, of, wait, event).makes(map)
                    } else {
                        let of = [blocking, flags, slot.into(), size];
                        Call::enqueue(Function::EnqueueSVMMap, queue, of, wait, event)
                    }
                }
                CommandKind::Unmap { location } => {
                    let (slot, memory) = l.locations[location.index()];
                    match self.maps.remove(&location).filter(|_| is_buffer(memory)) {
                        Some(map) => {
                            let of = [slot.into(), map.into()];
                            Call::enqueue(Function::EnqueueUnmapMemObject, queue, of, wait, event)
                        }
                        None => {
                            let of = [slot.into()];
                            Call::enqueue(Function::EnqueueSVMUnmap, queue, of, wait, event)
                        }
                    }
                }
            }
            .into(),
        );
    }

    /// A register of the exchange for this statement.
    fn scratch(&mut self) -> Result<Reg, Inexpressible> {
        if usize::from(self.used) >= REGISTERS {
            return self.no("expression so long");
        }
        self.used += 1;
        Ok(Reg(self.used - 1))
    }

    fn register(&self, id: RegId) -> Cell {
        let register = &self.lowering.program.threads[self.id.index()].registers[id.index()];
        Cell {
            base: Base::At(self.registers.at(8 * id.index()), Num::of(0)),
            unit: unit(register.ty.bits()),
        }
    }

    fn instr(&mut self, instr: &Instr) -> Result<Vec<Operation>, Inexpressible> {
        let mut all = Vec::new();
        match instr {
            Instr::Assign { register, value } => {
                let value = self.value(value, &mut all)?;
                all.push(Operation::Write(self.register(*register), value));
            }
            Instr::Effect(value) => {
                self.value(value, &mut all)?;
            }
            Instr::Store { access, value } => {
                let value = self.value(value, &mut all)?;
                let cell = self.cell(&access.address, &mut all)?;
                all.push(match order(access) {
                    None => Operation::Write(cell, value),
                    Some(order) => Operation::Store(cell, value, order),
                });
            }
            Instr::Fence(fence) => all.push(Operation::Fence(order_of(fence.order))),
            Instr::If(branch) => {
                let (left, is, right) = self.condition(&branch.condition, &mut all)?;
                let not = match is {
                    Is::Equal => Is::Unequal,
                    Is::Unequal | Is::Below => Is::Equal,
                };
                // What is compared is kept, for a branch may change it.
                let which = self.scratch()?;
                let taken = |n| vec![Operation::Put(which, Num::of(n))];
                all.push(Operation::When(left.clone(), is, right.clone(), taken(1)));
                all.push(Operation::When(left, not, right, taken(0)));
                for (n, block) in [(1, &branch.then), (0, &branch.otherwise)] {
                    let mut body = Vec::new();
                    for instr in block {
                        body.extend(self.instr(instr)?);
                    }
                    let (which, n) = (Num::reg(which), Num::of(n));
                    all.push(Operation::When(which, Is::Equal, n, body));
                }
            }
            Instr::While { .. } => return self.no("loop"),
            Instr::Barrier(_) => return self.no("barrier"),
            Instr::Return => return self.no("return"),
            Instr::Host(_) => return self.no("call inside of a branch"),
            Instr::Domain(_) => return self.no("operation on memory domains"),
        }
        Ok(all)
    }

    /// Where an element of a location is.
    fn cell(&mut self, address: &Address, all: &mut Vec<Operation>) -> Result<Cell, Inexpressible> {
        let index = match &address.index {
            None => Num::of(0),
            Some(index) => self.value(index, all)?,
        };
        let (slot, memory) = self.lowering.locations[address.location.index()];
        let slot = match self.maps.get(&address.location) {
            Some(map) if is_buffer(memory) => *map,
            None if is_buffer(memory) => return self.no("buffer that is not mapped"),
            Some(_) | None => slot,
        };
        let location = &self.lowering.program.locations[address.location.index()];
        Ok(Cell {
            base: Base::At(slot.at(0), index),
            unit: unit(location.ty.bits()),
        })
    }

    fn value(&mut self, e: &Expr, all: &mut Vec<Operation>) -> Result<Num, Inexpressible> {
        Ok(match e {
            Expr::Const(n) => Num::of(*n as u64),
            Expr::Reg(id) => {
                let reg = self.scratch()?;
                all.push(Operation::Read(reg, self.register(*id)));
                Num::reg(reg)
            }
            Expr::Binary(op @ (BinOp::Add | BinOp::Sub), a, b) => {
                let (a, b) = (self.value(a, all)?, self.value(b, all)?);
                let times = if *op == BinOp::Add { 1 } else { u64::MAX };
                let sum = a.more(b.plus.wrapping_mul(times));
                b.of.iter()
                    .fold(sum, |sum, (reg, n)| sum.and(*reg, n.wrapping_mul(times)))
            }
            Expr::Load(access) => {
                let cell = self.cell(&access.address, all)?;
                let reg = self.scratch()?;
                all.push(match order(access) {
                    None => Operation::Read(reg, cell),
                    Some(order) => Operation::Load(reg, cell, order),
                });
                Num::reg(reg)
            }
            Expr::Rmw(rmw) => {
                let by = self.value(&rmw.operand, all)?;
                let at = self.cell(&rmw.address, all)?;
                let before = self.scratch()?;
                let order = order_of(rmw.atomic.order);
                let how = match rmw.op {
                    RmwOp::Min | RmwOp::Max => return self.no("minimum or maximum"),
                    op => change(op, false),
                };
                all.push(Operation::Change {
                    how,
                    at,
                    by,
                    order,
                    before,
                });
                Num::reg(before)
            }
            Expr::Cas(_) => return self.no("compare-exchange"),
            Expr::Unary(..) | Expr::Binary(..) | Expr::Select(..) => {
                return self.no("operator but plus and minus");
            }
        })
    }

    fn condition(
        &mut self,
        e: &Expr,
        all: &mut Vec<Operation>,
    ) -> Result<(Num, Is, Num), Inexpressible> {
        if let Expr::Binary(_, a, b) = e
            && [a, b]
                .iter()
                .any(|e| matches!(***e, Expr::Const(n) if n < 0))
        {
            return self.no("comparison with a negative number");
        }
        Ok(match e {
            Expr::Binary(op @ (BinOp::Eq | BinOp::Ne), a, b) => {
                let is = match op {
                    BinOp::Eq => Is::Equal,
                    _ => Is::Unequal,
                };
                (self.value(a, all)?, is, self.value(b, all)?)
            }
            e => (self.value(e, all)?, Is::Unequal, Num::of(0)),
        })
    }
}

/// The commands whose events a call is given.
fn used<'p>(program: &'p Program, call: &'p HostCall) -> &'p [CommandId] {
    match call {
        HostCall::Enqueue(id) => &program.commands[id.index()].waits,
        HostCall::Wait(events) => events,
        HostCall::Finish(_) | HostCall::Flush(_) => &[],
    }
}

/// The other queues whose commands a command waits for.
fn awaited_queues(program: &Program, id: CommandId) -> BTreeSet<QueueId> {
    let command = &program.commands[id.index()];
    let queues = command
        .waits
        .iter()
        .map(|e| program.commands[e.index()].queue);
    queues.filter(|queue| *queue != command.queue).collect()
}

/// For each command whose event another host thread uses than the one which enqueues it, that one and a signal
/// that it gives when the event is there.
///
/// # Errors
/// Where host threads would wait for each other's events without end.
pub fn shared_events<'p>(
    program: &'p Program,
    mut signal: impl FnMut() -> SignalId,
) -> Result<Vec<Option<(SignalId, ThreadId)>>, Inexpressible> {
    let call = |instr: &'p Instr| match instr {
        Instr::Host(call) => Some(call),
        _ => None,
    };
    let calls = |thread: &'p Thread| thread.body.iter().filter_map(call).peekable();
    let mut left: Vec<_> = program.threads.iter().map(calls).collect();
    let mut by: Vec<Option<ThreadId>> = vec![None; program.commands.len()];
    let mut shared = vec![None; program.commands.len()];
    // Each goes on while the events are there that its next call is given.
    loop {
        let mut stuck = None;
        let mut moved = false;
        for (thread, left) in (0..).map(ThreadId).zip(&mut left) {
            while let Some(call) = left.peek() {
                let used = used(program, call);
                if used.iter().any(|event| by[event.index()].is_none()) {
                    stuck = Some(thread);
                    break;
                }
                for event in used.iter().map(|event| event.index()) {
                    let other = by[event].filter(|other| *other != thread);
                    if let (None, Some(other)) = (shared[event], other) {
                        shared[event] = Some((signal(), other));
                    }
                }
                if let HostCall::Enqueue(id) = call {
                    by[id.index()] = Some(thread);
                }
                left.next();
                moved = true;
            }
        }
        match (stuck, moved) {
            (None, _) => return Ok(shared),
            (Some(_), true) => {}
            (Some(thread), false) => {
                let what = "event that is made only after it is used";
                return Err(Inexpressible::HostWithCommands { thread, what });
            }
        }
    }
}

/// A read-modify-write of a test as one of host memory.
pub fn change(op: RmwOp, signed: bool) -> Change {
    match (op, signed) {
        (RmwOp::Add, _) => Change::Add,
        (RmwOp::Sub, _) => Change::Sub,
        (RmwOp::And, _) => Change::And,
        (RmwOp::Or, _) => Change::Or,
        (RmwOp::Xor, _) => Change::Xor,
        (RmwOp::Exchange | RmwOp::TestAndSet, _) => Change::Exchange,
        (RmwOp::Min, false) => Change::Min,
        (RmwOp::Max, false) => Change::Max,
        (RmwOp::Min, true) => Change::MinSigned,
        (RmwOp::Max, true) => Change::MaxSigned,
    }
}

/// None for a plain access.
fn order(access: &Access) -> Option<Order> {
    Some(order_of(access.atomicity.atomic()?.order))
}

fn order_of(order: MemOrder) -> Order {
    match order {
        MemOrder::Relaxed => Order::Relaxed,
        MemOrder::Acquire | MemOrder::Release | MemOrder::AcqRel => Order::AcqRel,
        MemOrder::SeqCst => Order::SeqCst,
    }
}

fn unit(bits: u32) -> Unit {
    match bits {
        8 => Unit::Byte,
        64 => Unit::Long,
        _ => Unit::Word,
    }
}
