//! A thread to the paths it can take.
//!
//! A path is a run of the thread in which every decision that depends on a read (a branch, the
//! element of an array, whether a compare-exchange succeeds) has been taken one way. It lists the
//! events in the order of execution, the values as functions of its reads, and what the reads must
//! satisfy for the thread to go this way. Paths are found by running the thread again and again
//! with the next list of decisions.
//!
//! Operands of an operator are unsequenced ("because of the undefined argument evaluation order of
//! the OpenCL C kernel language", 3.3.6), so sequenced-before is partial within an expression. Calls of
//! functions are not: of two of them one "is either sequenced-before or sequenced-after" the other, "but
//! it is unspecified which", so each of the two orders is a path of its own.

mod expr;
mod loops;
mod path;
mod vulkan;

pub use path::{BarrierId, Constraint, Cut, EventKind, Path, PathEvent, Paths};
pub use vulkan::coherent_at;

use super::error::Error;
use super::limits::Limits;
use super::value::Sym;
use crate::program::{
    Api, Atomic, Atomicity, BarrierScope, FenceFlags, Instr, LocId, MemOrder, Program, RegId,
    ScalarType, ThreadId,
};

/// A set of a thread's events.
pub type Mask = [u64; WORDS];
const WORDS: usize = 8;
/// Most events of one path.
pub const MAX_EVENTS: usize = 64 * WORDS;
/// Most steps of one path, so that a loop that no read controls ends.
const MAX_STEPS: u32 = 100_000;

/// All paths of a thread.
pub fn unfold(program: &Program, thread: ThreadId, limits: &Limits) -> Result<Paths, Error> {
    let mut out = Paths::default();
    let mut decisions = Vec::new();
    loop {
        limits.deadline.check()?;
        let body = &program.threads[thread.index()];
        let mut run = Run {
            program,
            limits,
            decisions: &mut decisions,
            decided: 0,
            steps: 0,
            path: Path {
                events: Vec::new(),
                constraints: Vec::new(),
                registers: Vec::new(),
                arrivals: Vec::new(),
                blocked: false,
            },
            thread,
            registers: body
                .registers
                .iter()
                .map(|r| Value::known(r.ty.wrap(r.init)))
                .collect(),
            types: body.registers.iter().map(|r| r.ty).collect(),
            read_types: Vec::new(),
            before: [0; WORDS],
            calls_of: Vec::new(),
            functions: 0,
            inside: None,
            calls: 0,
            ctrl: [0; WORDS],
            barriers: Vec::new(),
        };
        let end = run.block(&body.body);
        let mut path = run.path;
        path.registers = run.registers.into_iter().map(|v| v.sym).collect();
        match end {
            Ok(()) | Err(Stop::Return) => out.paths.push(path),
            Err(Stop::Blocked) => {
                path.blocked = true;
                out.paths.push(path);
            }
            Err(Stop::Bound) => out.cut.push((Cut::Bound, path)),
            Err(Stop::Outside) => out.cut.push((Cut::Outside, path)),
            Err(Stop::TooLong) => {
                return Err(Error::Events {
                    limit: MAX_EVENTS.min(limits.events),
                });
            }
        }
        if out.paths.len().max(out.cut.len()) > limits.paths {
            return Err(Error::Paths {
                thread: thread.0,
                limit: limits.paths,
            });
        }
        // The next list of decisions: the last one that has another way left takes it.
        loop {
            match decisions.pop() {
                None => return Ok(out),
                Some((taken, ways)) if taken + 1 < ways => {
                    decisions.push((taken + 1, ways));
                    break;
                }
                Some(_) => {}
            }
        }
    }
}

/// Why a run ended early.
enum Stop {
    Return,
    Blocked,
    Bound,
    Outside,
    TooLong,
}

type Run1<T> = Result<T, Stop>;

/// A value with the reads it depends on.
#[derive(Clone)]
struct Value {
    sym: Sym,
    deps: Mask,
}

impl Value {
    fn known(value: i64) -> Value {
        Value {
            sym: Sym::Const(value),
            deps: [0; WORDS],
        }
    }
}

struct Run<'a> {
    program: &'a Program,
    thread: ThreadId,
    limits: &'a Limits,
    decisions: &'a mut Vec<(u32, u32)>,
    decided: usize,
    steps: u32,
    path: Path,
    registers: Vec<Value>,
    types: Vec<ScalarType>,
    /// Type of what each event reads.
    read_types: Vec<Option<ScalarType>>,
    before: Mask,
    /// The call of a function that made each event, where one did.
    calls_of: Vec<Option<u32>>,
    /// Calls of functions so far.
    functions: u32,
    /// The call of several events that is going on.
    inside: Option<u32>,
    /// Calls of the OpenCL API so far.
    calls: u32,
    ctrl: Mask,
    barriers: Vec<(BarrierScope, Option<String>, u32)>,
}

fn join(a: &Mask, b: &Mask) -> Mask {
    std::array::from_fn(|i| a[i] | b[i])
}

fn intersect(a: &Mask, b: &Mask) -> bool {
    a.iter().zip(b).any(|(a, b)| a & b != 0)
}

fn add(mask: &mut Mask, i: usize) {
    mask[i / 64] |= 1 << (i % 64);
}

impl Run<'_> {
    fn choose(&mut self, ways: u32) -> u32 {
        if self.decided == self.decisions.len() {
            self.decisions.push((0, ways));
        }
        let (taken, _) = self.decisions[self.decided];
        self.decided += 1;
        taken
    }

    fn wrap(&self, ty: ScalarType, value: Sym) -> Sym {
        match value {
            Sym::Read(e) if self.read_types.get(e as usize) == Some(&Some(ty)) => value,
            Sym::Wrap(inner, _) if inner == ty => value,
            Sym::Rmw(_, inner, _, _) if inner == ty => value,
            other => Sym::wrap(ty, other),
        }
    }

    /// Which way a condition goes; reads that decide it control everything after it.
    fn decide(&mut self, condition: &Value) -> bool {
        self.ctrl = join(&self.ctrl, &condition.deps);
        match condition.sym {
            Sym::Const(c) => c != 0,
            _ => {
                let holds = self.choose(2) == 0;
                self.path.constraints.push(Constraint {
                    condition: condition.sym.clone(),
                    holds,
                });
                holds
            }
        }
    }

    fn block(&mut self, instrs: &[Instr]) -> Run1<()> {
        for instr in instrs {
            self.instr(instr)?;
        }
        Ok(())
    }

    fn instr(&mut self, instr: &Instr) -> Run1<()> {
        self.steps += 1;
        if self.steps > MAX_STEPS {
            return Err(Stop::Bound);
        }
        match instr {
            Instr::Assign { register, value } => {
                let value = self.expr(value)?;
                self.assign(*register, value);
            }
            Instr::Effect(value) => {
                self.expr(value)?;
            }
            Instr::Store { access, value } => {
                let (place, value) =
                    self.unsequenced(|r| r.place(&access.address), |r| r.expr(value))?;
                let ty = self.program.locations[place.location.index()].ty;
                let written = self.wrap(ty, value.sym);
                self.prepare(EventKind::Write, access.atomicity)?;
                self.access(
                    EventKind::Write,
                    &place,
                    access.atomicity,
                    Some(written),
                    value.deps,
                )?;
            }
            Instr::Fence(fence) if self.program.api == Api::Vulkan => self.memory_barrier(fence)?,
            Instr::Barrier(barrier) if self.program.api == Api::Vulkan => {
                self.control_barrier(barrier)?;
            }
            Instr::Domain(operation) => self.domain(*operation)?,
            Instr::Fence(fence) => {
                let atomic = Atomic::explicit(fence.order, Some(fence.scope));
                self.fence(EventKind::Fence, fence.flags, atomic, None)?;
            }
            Instr::Barrier(barrier) => {
                let met = self
                    .barriers
                    .iter_mut()
                    .find(|(g, l, _)| *g == barrier.group && *l == barrier.label);
                let instance = match met {
                    Some((_, _, count)) => {
                        *count += 1;
                        *count
                    }
                    None => {
                        self.barriers
                            .push((barrier.group, barrier.label.clone(), 0));
                        0
                    }
                };
                let id = BarrierId {
                    group: barrier.group,
                    label: barrier.label.clone(),
                    instance,
                    wanted: 0,
                    open_later: false,
                };
                for (kind, order) in [
                    (EventKind::Entry, MemOrder::Release),
                    (EventKind::Exit, MemOrder::Acquire),
                ] {
                    let atomic = Atomic::explicit(order, Some(barrier.reach()));
                    self.fence(kind, barrier.flags, atomic, Some(id.clone()))?;
                }
            }
            Instr::If(branch) => {
                let condition = self.expr(&branch.condition)?;
                if self.decide(&condition) {
                    self.block(&branch.then)?;
                } else {
                    self.block(&branch.otherwise)?;
                }
            }
            Instr::While { condition, body } => {
                let entry = self.registers.clone();
                let mut by_reads = None;
                let (mut rounds, mut decided) = (0, 0);
                loop {
                    self.steps += 1;
                    let value = self.expr(condition)?;
                    let known = matches!(value.sym, Sym::Const(_));
                    if !self.decide(&value) {
                        break;
                    }
                    // Rounds that reads decide are bounded; the others end by themselves or
                    // run into the bound on steps.
                    rounds += 1;
                    decided += u32::from(!known);
                    let bounded = decided > self.limits.loop_bound
                        || (rounds > self.limits.loop_bound
                            && *by_reads.get_or_insert_with(|| {
                                loops::kept_going_by_reads(condition, body, &entry)
                            }));
                    if bounded || self.steps > MAX_STEPS {
                        return Err(Stop::Bound);
                    }
                    self.block(body)?;
                }
            }
            Instr::Return => return Err(Stop::Return),
            Instr::Host(_) => self.calls += 1,
        }
        Ok(())
    }

    fn assign(&mut self, register: RegId, value: Value) {
        let sym = self.wrap(self.types[register.index()], value.sym);
        self.registers[register.index()] = Value {
            sym,
            deps: value.deps,
        };
    }

    fn emit(&mut self, event: PathEvent, reads: Option<ScalarType>) -> Run1<u32> {
        let index = self.path.events.len();
        if index >= MAX_EVENTS.min(self.limits.events) {
            return Err(Stop::TooLong);
        }
        let call = match (self.inside, event.atomicity) {
            (Some(call), _) => Some(call),
            (None, Atomicity::Atomic(_)) => {
                self.functions += 1;
                Some(self.functions)
            }
            (None, Atomicity::Plain | Atomicity::Volatile | Atomicity::NonPrivate(_)) => None,
        };
        self.calls_of.push(call);
        self.path.events.push(event);
        self.read_types.push(reads);
        add(&mut self.before, index);
        Ok(index as u32)
    }

    fn fence(
        &mut self,
        kind: EventKind,
        flags: FenceFlags,
        atomic: Atomic,
        barrier: Option<BarrierId>,
    ) -> Run1<u32> {
        let event = PathEvent {
            flags,
            barrier,
            ..self.event(kind, Atomicity::Atomic(atomic))
        };
        self.emit(event, None)
    }

    /// An event that happens now, without what it touches and writes.
    fn event(&self, kind: EventKind, atomicity: Atomicity) -> PathEvent {
        PathEvent {
            kind,
            place: None,
            reference: None,
            atomicity,
            flags: atomicity.atomic().map_or(FenceFlags::NONE, |a| a.flags),
            barrier: None,
            written: None,
            calls: self.calls,
            before: self.before,
            addr: [0; WORDS],
            data: [0; WORDS],
            ctrl: self.ctrl,
        }
    }

    fn access(
        &mut self,
        kind: EventKind,
        place: &Place,
        atomicity: Atomicity,
        written: Option<Sym>,
        data: Mask,
    ) -> Run1<u32> {
        let memory = self.program.memory_behind(place.location);
        let ty = self.program.locations[memory.index()].ty;
        let event = PathEvent {
            place: Some((memory, place.element)),
            reference: Some(place.location),
            written,
            addr: place.deps,
            data,
            ..self.event(kind, atomicity)
        };
        let index = self.emit(event, kind.reads().then_some(ty))?;
        self.complete(kind, atomicity)?;
        Ok(index)
    }

    fn read(&mut self, kind: EventKind, place: &Place, atomicity: Atomicity) -> Run1<Value> {
        self.prepare(kind, atomicity)?;
        let index = self.access(kind, place, atomicity, None, [0; WORDS])?;
        Ok(self.result(index))
    }

    fn result(&self, index: u32) -> Value {
        let mut deps = [0; WORDS];
        add(&mut deps, index as usize);
        Value {
            sym: Sym::Read(index),
            deps,
        }
    }
}

struct Place {
    location: LocId,
    element: u32,
    deps: Mask,
}
