//! Small random programs for comparing the oracle with the reference.

use crate::program::{
    Access, Address, Api, Atom, Atomic, Atomicity, Barrier, BarrierScope, BinOp, Branch, Cas,
    CasStrength, CommandOrder, Condition, Expected, Expr, Fence, FenceFlags, Instr, LocId,
    Location, Make, MemOrder, MemScope, Memory, Observable, Placement, Predicate, Program,
    Quantifier, RegId, Region, Register, Relation, Rmw, RmwOp, ScalarType, Thread, ThreadId,
    WorkItem,
};

/// A small generator of numbers (SplitMix64), so that a seed names a program for good.
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Dice {
        Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }

    pub fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len() as u64) as usize]
    }

    pub fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }
}

struct Builder {
    dice: Dice,
    locations: u32,
    /// Added to the number of every location.
    shift: u32,
    registers: Vec<Register>,
    /// How many more events the program may have.
    budget: u32,
    writes: u32,
    seq_cst: u32,
}

/// The program of a seed: two or three threads, one to three locations, up to eight accesses. One in
/// ten states kinds of memory, one in twelve has commands.
pub fn program(seed: u64) -> Program {
    let mut dice = Dice::new(seed);
    let locations = 1 + dice.below(3) as u32;
    let threads = 2 + dice.below(2);
    let budget = 3 + dice.below(5) as u32;
    let mut builder = Builder {
        dice,
        locations,
        shift: 0,
        registers: Vec::new(),
        budget,
        writes: 0,
        seq_cst: 0,
    };
    let mut bodies = Vec::new();
    for _ in 0..threads {
        let mut body = Vec::new();
        let length = 1 + builder.dice.below(3);
        for _ in 0..length {
            builder.instr(&mut body, 1);
        }
        let placement = match builder.dice.below(8) {
            0 => Placement::Host,
            _ => Placement::Device(WorkItem {
                device: u32::from(builder.dice.one_in(6)),
                queue_family: 0,
                work_group: u32::from(builder.dice.one_in(3)),
                sub_group: match builder.dice.below(3) {
                    0 => None,
                    _ => Some(builder.dice.below(2) as u32),
                },
            }),
        };
        bodies.push(Thread {
            placement,
            kernel: None,
            registers: std::mem::take(&mut builder.registers),
            body,
        });
    }
    let on_host = bodies.iter().any(|t| t.placement == Placement::Host);
    let declared = (0..locations)
        .map(|l| Location {
            name: format!("x{l}"),
            alias: None,
            memory: Memory::Unstated,
            region: if builder.dice.one_in(4) && !on_host {
                Region::Local
            } else {
                Region::Global
            },
            generic: builder.dice.one_in(12),
            ty: ScalarType::Int,
            atomic: true,
            array: false,
            init: vec![0],
        })
        .collect();
    let mut parts = Vec::new();
    for (t, thread) in bodies.iter().enumerate() {
        for r in 0..thread.registers.len() {
            let observable = Observable::Register(ThreadId(t as u32), RegId(r as u32));
            parts.push(builder.atom(observable));
        }
    }
    for l in 0..locations {
        if builder.dice.one_in(2) {
            parts.push(builder.atom(Observable::Memory(LocId(l), 0)));
        }
    }
    let filter = builder
        .dice
        .one_in(8)
        .then(|| builder.atom(Observable::Memory(LocId(0), 0)));
    let predicate = match parts.len() {
        0 => Predicate::Bool(true),
        1 => parts.remove(0),
        _ => Predicate::And(parts),
    };
    let mut program = Program {
        name: format!("random-{seed}"),
        locations: declared,
        threads: bodies,
        api: Api::OpenCl,
        queues: Vec::new(),
        commands: Vec::new(),
        synchronized: Vec::new(),
        contributes: Vec::new(),
        condition: Condition {
            quantifier: builder.dice.pick(&[
                Quantifier::Exists,
                Quantifier::NotExists,
                Quantifier::Forall,
            ]),
            predicate,
        },
        filter,
    };
    // Some programs state where their memory is, and some enqueue their kernels.
    if builder.dice.one_in(10) {
        for location in &mut program.locations {
            if location.region == Region::Global {
                location.memory = builder.dice.pick(&Memory::STATED);
            }
        }
    }
    if builder.dice.one_in(12) {
        super::with_commands::add_commands(&mut program, &mut builder.dice);
    }
    program
}

/// The symmetric program of a seed: copies of one thread, each perhaps with the locations shifted,
/// and sometimes another thread beside them.
pub fn symmetric(seed: u64) -> Program {
    let mut base = program(seed);
    let mut dice = Dice::new(!seed);
    let body_seed = dice.next();
    let locations = 1 + dice.below(3) as u32;
    let declared = base.locations[0].clone();
    base.locations = (0..locations)
        .map(|l| {
            let mut location = declared.clone();
            location.name = format!("x{l}");
            location
        })
        .collect();
    let step = dice.below(2) as u32;
    let length = 2 + dice.below(2);
    let thread = |body_seed: u64, shift: u32, length: u64| {
        let mut builder = Builder {
            dice: Dice::new(body_seed),
            locations,
            shift,
            registers: Vec::new(),
            budget: 3,
            writes: 2,
            seq_cst: 2,
        };
        let mut body = Vec::new();
        for _ in 0..length {
            builder.instr(&mut body, 1);
        }
        (builder.registers, body)
    };
    let mut threads: Vec<Thread> = (0..2 + dice.below(2) as u32)
        .map(|copy| {
            let mut copied = base.threads[copy as usize % base.threads.len()].clone();
            if dice.one_in(2) {
                copied.placement = base.threads[0].placement;
            }
            (copied.registers, copied.body) = thread(body_seed, copy * step, length);
            copied
        })
        .collect();
    if dice.one_in(3) {
        let mut other = threads[0].clone();
        (other.registers, other.body) = thread(dice.next(), 0, 1);
        threads.push(other);
    }
    base.threads = threads;
    // Commands stay where they make sense with other threads too.
    if CommandOrder::of(&base).is_err() {
        base.commands.clear();
        base.queues.clear();
        for thread in &mut base.threads {
            thread.kernel = None;
        }
    }
    let mut parts = Vec::new();
    let all =
        |observable| Predicate::Compare(Relation::Eq, Atom::Observe(observable), Atom::Const(1));
    for (t, thread) in base.threads.iter().enumerate() {
        for r in 0..thread.registers.len() {
            parts.push(all(Observable::Register(
                ThreadId(t as u32),
                RegId(r as u32),
            )));
        }
    }
    if dice.one_in(2) {
        parts.extend((0..locations).map(|l| all(Observable::Memory(LocId(l), 0))));
    }
    // Now and then something is not observed of all alike.
    if dice.one_in(4) && parts.len() > 1 {
        parts.pop();
    }
    base.condition.predicate = Predicate::And(parts);
    if !dice.one_in(8) {
        base.filter = None;
    }
    base
}

impl Builder {
    fn atom(&mut self, observable: Observable) -> Predicate {
        let value = self.dice.below(3) as i64;
        Predicate::Compare(Relation::Eq, Atom::Observe(observable), Atom::Const(value))
    }

    fn register(&mut self) -> RegId {
        let id = RegId(self.registers.len() as u32);
        self.registers.push(Register {
            name: format!("r{}", id.0),
            ty: ScalarType::Int,
            init: 0,
        });
        id
    }

    fn address(&mut self) -> Address {
        // An index that a read decides: locations have one element, so others lie outside.
        if !self.registers.is_empty() && self.dice.one_in(12) {
            let register = || Box::new(Expr::Reg(RegId(0)));
            let index = match self.dice.below(3) {
                0 => Expr::Binary(BinOp::Xor, register(), register()),
                1 => Expr::Binary(BinOp::Sub, register(), Box::new(Expr::Const(1))),
                _ => *register(),
            };
            return Address {
                location: LocId(self.shift % self.locations),
                index: Some(Box::new(index)),
            };
        }
        Address {
            location: LocId(
                (self.dice.below(u64::from(self.locations)) as u32 + self.shift) % self.locations,
            ),
            index: None,
        }
    }

    fn order(&mut self) -> MemOrder {
        let order = self.dice.pick(&MemOrder::ALL);
        // The reference tries every permutation of seq_cst operations.
        if order == MemOrder::SeqCst {
            if self.seq_cst >= 4 {
                return MemOrder::AcqRel;
            }
            self.seq_cst += 1;
        }
        order
    }

    fn scope(&mut self) -> MemScope {
        self.dice.pick(&[
            MemScope::SubGroup,
            MemScope::WorkGroup,
            MemScope::WorkGroup,
            MemScope::Device,
            MemScope::Device,
            MemScope::Device,
            MemScope::AllSvmDevices,
        ])
    }

    fn atomic(&mut self) -> Atomic {
        Atomic::explicit(self.order(), Some(self.scope()))
    }

    fn atomicity(&mut self) -> Atomicity {
        if self.dice.one_in(3) {
            Atomicity::Plain
        } else {
            Atomicity::Atomic(self.atomic())
        }
    }

    fn value(&mut self) -> Expr {
        if !self.registers.is_empty() && self.dice.one_in(3) {
            let register = RegId(self.dice.below(self.registers.len() as u64) as u32);
            return match self.dice.below(3) {
                0 => Expr::Binary(
                    BinOp::Add,
                    Box::new(Expr::Reg(register)),
                    Box::new(Expr::Const(1)),
                ),
                _ => Expr::Reg(register),
            };
        }
        Expr::Const(1 + self.dice.below(2) as i64)
    }

    fn spend(&mut self) -> bool {
        let left = self.budget > 0;
        self.budget = self.budget.saturating_sub(1);
        left
    }

    fn instr(&mut self, body: &mut Vec<Instr>, depth: u32) {
        if !self.spend() {
            return;
        }
        let may_write = self.writes < 4;
        match self.dice.below(13) {
            0..=3 if may_write => {
                self.writes += 1;
                let access = Access {
                    address: self.address(),
                    atomicity: self.atomicity(),
                };
                let value = self.value();
                body.push(Instr::Store { access, value });
            }
            7 if may_write => {
                self.writes += 1;
                let op = self.dice.pick(&[RmwOp::Add, RmwOp::Exchange, RmwOp::Max]);
                let value = Expr::Rmw(Rmw {
                    op,
                    address: self.address(),
                    operand: Box::new(self.value()),
                    atomic: self.atomic(),
                });
                let register = self.register();
                body.push(Instr::Assign { register, value });
            }
            8 if may_write => {
                self.writes += 1;
                let expected = self.register();
                let strength = self.dice.pick(&[CasStrength::Strong, CasStrength::Weak]);
                let (address, desired) = (self.address(), Box::new(self.value()));
                let success = self.order();
                let failure = self.dice.pick(&[MemOrder::Relaxed, MemOrder::Acquire]);
                let value = Expr::Cas(Cas {
                    strength,
                    address,
                    expected: Expected::Register(expected),
                    desired,
                    atomic: Atomic::explicit(success, Some(self.scope())),
                    failure,
                });
                let register = self.register();
                body.push(Instr::Assign { register, value });
            }
            9 => body.push(Instr::Fence(Fence {
                flags: self.flags(),
                order: self.order(),
                scope: self.scope(),
                legacy: false,
                make: Make::NOTHING,
            })),
            10 => {
                let groups = [BarrierScope::WorkGroup, BarrierScope::SubGroup];
                let group = self.dice.pick(&groups);
                body.push(Instr::Barrier(Barrier::of(group, self.flags())));
            }
            11 if depth > 0 && !self.registers.is_empty() => {
                let register = RegId(self.dice.below(self.registers.len() as u64) as u32);
                let mut then = Vec::new();
                let mut otherwise = Vec::new();
                self.instr(&mut then, depth - 1);
                if self.dice.one_in(2) {
                    self.instr(&mut otherwise, depth - 1);
                }
                body.push(Instr::If(Branch {
                    condition: Expr::Reg(register),
                    then,
                    otherwise,
                }));
            }
            12 if depth > 0 && !self.registers.is_empty() && self.dice.one_in(2) => {
                // A loop that a read ends, now and then after more rounds than the bound.
                let register = RegId(self.dice.below(self.registers.len() as u64) as u32);
                let value = Expr::Load(Access {
                    address: self.address(),
                    atomicity: self.atomicity(),
                });
                let relation = self.dice.pick(&[BinOp::Eq, BinOp::Lt]);
                body.push(Instr::While {
                    condition: Expr::Binary(
                        relation,
                        Box::new(Expr::Reg(register)),
                        Box::new(Expr::Const(1)),
                    ),
                    body: vec![Instr::Assign { register, value }],
                });
            }
            _ => {
                let load = Expr::Load(Access {
                    address: self.address(),
                    atomicity: self.atomicity(),
                });
                let register = self.register();
                body.push(Instr::Assign {
                    register,
                    value: load,
                });
            }
        }
    }

    fn flags(&mut self) -> FenceFlags {
        let which = 1 + self.dice.below(3);
        FenceFlags {
            global: which & 1 != 0,
            local: which & 2 != 0,
            ..FenceFlags::NONE
        }
    }
}
