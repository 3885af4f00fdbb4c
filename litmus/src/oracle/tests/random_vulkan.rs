//! Small random programs of Vulkan.

use super::random::Dice;
use crate::program::{
    Access, Address, Api, Atom, Atomic, Atomicity, Barrier, BarrierScope, BinOp, Branch, Cas,
    CasStrength, Condition, DomainOp, Expected, Expr, Fence, FenceFlags, Instr, LocId, Location,
    Make, MemOrder, MemScope, Memory, Observable, Placement, Predicate, Program, Quantifier, RegId,
    Region, Register, Relation, Rmw, RmwOp, ScalarType, Thread, ThreadId, WorkItem, each_instr,
    uses_location,
};

/// How much a program has.
#[derive(Clone, Copy)]
pub struct Size {
    /// Most threads, at least two.
    pub threads: u64,
    /// Most instructions of a thread.
    pub instructions: u64,
    /// Whether there are branches and loops, arrays and types other than `int`.
    pub rich: bool,
}

/// The program of a seed.
pub fn program(seed: u64, size: Size) -> Program {
    let mut dice = Dice::new(seed);
    let locations = locations(&mut dice, size);
    let count = 2 + dice.below(size.threads - 1);
    let threads: Vec<Thread> = (0..count)
        .map(|_| thread(&mut dice, size, &locations))
        .collect();
    let mut synchronized = Vec::new();
    if dice.one_in(6) {
        let after = 1 + dice.below(count - 1) as u32;
        synchronized.push((
            ThreadId(dice.below(u64::from(after)) as u32),
            ThreadId(after),
        ));
    }
    let target = predicate(&mut dice, &locations, &threads);
    let mut program = Program {
        name: format!("random-{seed}"),
        api: Api::Vulkan,
        filter: dice
            .one_in(8)
            .then(|| predicate(&mut dice, &locations, &threads)),
        locations,
        threads,
        queues: Vec::new(),
        commands: Vec::new(),
        synchronized,
        contributes: Vec::new(),
        condition: Condition {
            quantifier: dice.pick(&[
                Quantifier::Exists,
                Quantifier::NotExists,
                Quantifier::Forall,
            ]),
            predicate: target,
        },
    };
    if dice.one_in(4) {
        with_host(&mut dice, &mut program);
    }
    if dice.one_in(8) {
        with_input(&mut dice, &mut program);
    }
    program
}

/// Puts threads on the host, and adds what calls of theirs and dependencies do.
fn with_host(dice: &mut Dice, program: &mut Program) {
    let own = program
        .locations
        .iter()
        .filter(|l| l.alias.is_none())
        .count() as u64;
    let of = LocId(dice.below(own) as u32);
    let memory = &mut program.locations[of.index()];
    if memory.region != Region::Local && dice.one_in(2) {
        memory.memory = Memory::HostCoherent;
    }
    let region = |l: LocId| program.locations[l.index()].region;
    let is_local = |l: LocId| {
        [l, program.memory_behind(l)]
            .map(region)
            .contains(&Region::Local)
    };
    let local: Vec<bool> = (0..program.locations.len())
        .map(|l| is_local(LocId(l as u32)))
        .collect();
    let count = program.threads.len() as u64;
    for _ in 0..1 + dice.below(2) {
        let thread = &mut program.threads[dice.below(count) as usize];
        let mut bound = false;
        each_instr(&thread.body, &mut |instr| {
            bound |= matches!(instr, Instr::Barrier(_))
        });
        // Workgroup memory is no more the host's than a barrier is.
        for (l, &local) in local.iter().enumerate() {
            bound |= local && uses_location(&thread.body, LocId(l as u32));
        }
        if bound {
            continue;
        }
        thread.placement = Placement::Host;
        for _ in 0..1 + dice.below(2) {
            let calls = match local[of.index()] {
                true => [DomainOp::Submit; 4],
                false => [
                    DomainOp::Submit,
                    DomainOp::Flush(of),
                    DomainOp::Invalidate(of),
                    DomainOp::Free(of),
                ],
            };
            insert(dice, &mut thread.body, &calls);
        }
    }
    let dependency = [
        DomainOp::HostToDevice,
        DomainOp::DeviceToHost,
        DomainOp::Available,
        DomainOp::Visible,
    ];
    for _ in 0..dice.below(3) {
        let thread = &mut program.threads[dice.below(count) as usize];
        insert(dice, &mut thread.body, &dependency);
    }
    for after in 1..count as u32 {
        let pair = (ThreadId(after - 1), ThreadId(after));
        if dice.one_in(2) && !program.synchronized.contains(&pair) {
            program.synchronized.push(pair);
        }
    }
}

fn insert(dice: &mut Dice, body: &mut Vec<Instr>, among: &[DomainOp]) {
    let at = dice.below(body.len() as u64 + 1) as usize;
    body.insert(at, Instr::Domain(dice.pick(among)));
}

/// Makes a location an output, which a thread reads as its input.
fn with_input(dice: &mut Dice, program: &mut Program) {
    let output = &mut program.locations[0];
    (output.region, output.memory) = (Region::Output, Memory::Unstated);
    let input = Location {
        name: "taken".to_owned(),
        region: Region::Input,
        alias: Some(LocId(0)),
        ..output.clone()
    };
    let (location, array) = (LocId(program.locations.len() as u32), input.array);
    program.locations.push(input);
    let last = program.threads.len() - 1;
    let value = Expr::Load(Access {
        address: Address {
            location,
            index: array.then(|| Box::new(Expr::Const(0))),
        },
        atomicity: Atomicity::Plain,
    });
    let register = register(dice);
    (program.threads[last].body).push(Instr::Assign { register, value });
    let on_host = |t: usize| program.threads[t].placement == Placement::Host;
    if !on_host(0) && !on_host(last) {
        program
            .contributes
            .push((ThreadId(0), ThreadId(last as u32)));
    }
}

const NAMES: [&str; 3] = ["x", "y", "z"];

fn locations(dice: &mut Dice, size: Size) -> Vec<Location> {
    let count = 1 + dice.below(3) as usize;
    let mut all: Vec<Location> = (NAMES[..count].iter())
        .map(|name| {
            let array = size.rich && dice.one_in(5);
            let ty = match size.rich {
                true => dice.pick(&[
                    ScalarType::Int,
                    ScalarType::Int,
                    ScalarType::UInt,
                    ScalarType::Long,
                ]),
                false => ScalarType::Int,
            };
            let init = (0..if array { 2 } else { 1 })
                .map(|_| if dice.one_in(5) { 1 } else { 0 })
                .collect();
            Location {
                name: (*name).to_owned(),
                region: region(dice),
                alias: None,
                memory: Memory::Unstated,
                generic: false,
                ty,
                atomic: false,
                array,
                init,
            }
        })
        .collect();
    if dice.one_in(5) {
        let of = dice.below(count as u64) as usize;
        all.push(Location {
            name: "again".to_owned(),
            region: region(dice),
            alias: Some(LocId(of as u32)),
            ..all[of].clone()
        });
    }
    all
}

fn region(dice: &mut Dice) -> Region {
    dice.pick(&[Region::Global, Region::Global, Region::Local, Region::Image])
}

fn thread(dice: &mut Dice, size: Size, locations: &[Location]) -> Thread {
    let registers = (0..2)
        .map(|r| Register {
            name: format!("r{r}"),
            ty: match size.rich && dice.one_in(5) {
                true => ScalarType::Long,
                false => ScalarType::Int,
            },
            init: 0,
        })
        .collect();
    let mut body = Vec::new();
    let count = 1 + dice.below(size.instructions);
    while (body.len() as u64) < count {
        let instr = instruction(dice, size, locations, 2);
        body.push(instr);
    }
    Thread {
        placement: Placement::Device(WorkItem {
            device: 0,
            queue_family: u32::from(dice.one_in(6)),
            work_group: u32::from(dice.one_in(3)),
            sub_group: Some(u32::from(dice.one_in(2))),
        }),
        kernel: None,
        registers,
        body,
    }
}

fn instruction(dice: &mut Dice, size: Size, locations: &[Location], depth: u32) -> Instr {
    match dice.below(if size.rich { 16 } else { 12 }) {
        0..=2 => Instr::Store {
            access: access(dice, locations, false),
            value: Expr::Const(1 + dice.below(2) as i64),
        },
        3..=6 => Instr::Assign {
            register: register(dice),
            value: Expr::Load(access(dice, locations, true)),
        },
        7 => {
            let value = Expr::Rmw(Rmw {
                op: dice.pick(&[RmwOp::Exchange, RmwOp::Add, RmwOp::Max]),
                address: address(dice, locations),
                operand: Box::new(Expr::Const(1 + dice.below(2) as i64)),
                atomic: atomic(
                    dice,
                    &[
                        MemOrder::Relaxed,
                        MemOrder::Acquire,
                        MemOrder::Release,
                        MemOrder::AcqRel,
                    ],
                ),
            });
            match dice.one_in(3) {
                true => Instr::Effect(value),
                false => Instr::Assign {
                    register: register(dice),
                    value,
                },
            }
        }
        8 | 9 => {
            let order = dice.pick(&[MemOrder::Acquire, MemOrder::Release, MemOrder::AcqRel]);
            Instr::Fence(Fence {
                flags: flags(dice),
                order,
                scope: scope(dice),
                legacy: false,
                make: make(dice, order),
            })
        }
        10 => barrier(dice),
        11 => match dice.one_in(4) {
            true => Instr::Domain(dice.pick(&[DomainOp::Available, DomainOp::Visible])),
            false => Instr::Store {
                access: access(dice, locations, false),
                value: Expr::Reg(register(dice)),
            },
        },
        12 => {
            let atomic = atomic(
                dice,
                &[MemOrder::Relaxed, MemOrder::Acquire, MemOrder::AcqRel],
            );
            Instr::Effect(Expr::Cas(Cas {
                strength: CasStrength::Strong,
                address: address(dice, locations),
                expected: Expected::Register(register(dice)),
                desired: Box::new(Expr::Const(2)),
                atomic,
                failure: dice.pick(&[MemOrder::Relaxed, MemOrder::Acquire]),
            }))
        }
        13 if depth > 0 => Instr::If(Branch {
            condition: condition(dice),
            then: block(dice, size, locations, depth),
            otherwise: block(dice, size, locations, depth),
        }),
        14 if depth > 0 => Instr::While {
            condition: condition(dice),
            body: block(dice, size, locations, depth),
        },
        15 if depth > 0 => Instr::Return,
        _ => Instr::Assign {
            register: register(dice),
            value: value(dice),
        },
    }
}

fn block(dice: &mut Dice, size: Size, locations: &[Location], depth: u32) -> Vec<Instr> {
    let count = dice.below(3);
    (0..count)
        .map(|_| instruction(dice, size, locations, depth - 1))
        .collect()
}

fn register(dice: &mut Dice) -> RegId {
    RegId(dice.below(2) as u32)
}

/// A value of registers.
fn value(dice: &mut Dice) -> Expr {
    let constant = Expr::Const(dice.below(5) as i64 - 2);
    match dice.below(4) {
        0 => constant,
        1 => Expr::Reg(register(dice)),
        2 => Expr::Unary(
            crate::program::UnOp::BitNot,
            Box::new(Expr::Reg(register(dice))),
        ),
        _ => {
            let op = dice.pick(&[
                BinOp::Add,
                BinOp::Or,
                BinOp::Shl,
                BinOp::Lt,
                BinOp::LogicalAnd,
            ]);
            Expr::binary(op, Expr::Reg(register(dice)), constant)
        }
    }
}

fn condition(dice: &mut Dice) -> Expr {
    match dice.one_in(4) {
        true => value(dice),
        false => {
            let op = dice.pick(&[BinOp::Eq, BinOp::Ne, BinOp::Lt, BinOp::Ge]);
            Expr::binary(
                op,
                Expr::Reg(register(dice)),
                Expr::Const(dice.below(2) as i64),
            )
        }
    }
}

fn address(dice: &mut Dice, locations: &[Location]) -> Address {
    let location = dice.below(locations.len() as u64) as usize;
    let index = match locations[location].array {
        true if dice.one_in(3) => Some(Expr::Reg(register(dice))),
        true => Some(Expr::Const(dice.below(2) as i64)),
        false => None,
    };
    Address {
        location: LocId(location as u32),
        index: index.map(Box::new),
    }
}

fn access(dice: &mut Dice, locations: &[Location], reads: bool) -> Access {
    let atomicity = match dice.below(8) {
        0 => Atomicity::Plain,
        1 => Atomicity::NonPrivate(None),
        2 | 3 => Atomicity::NonPrivate(Some(scope(dice))),
        _ => {
            let other = match reads {
                true => MemOrder::Acquire,
                false => MemOrder::Release,
            };
            Atomicity::Atomic(atomic(dice, &[MemOrder::Relaxed, other]))
        }
    };
    Access {
        address: address(dice, locations),
        atomicity,
    }
}

fn atomic(dice: &mut Dice, orders: &[MemOrder]) -> Atomic {
    let order = dice.pick(orders);
    let semantics = order != MemOrder::Relaxed;
    Atomic {
        flags: if semantics {
            flags(dice)
        } else {
            FenceFlags::NONE
        },
        make: make(dice, order),
        ..Atomic::explicit(order, Some(scope(dice)))
    }
}

fn make(dice: &mut Dice, order: MemOrder) -> Make {
    let releases = matches!(order, MemOrder::Release | MemOrder::AcqRel);
    let acquires = matches!(order, MemOrder::Acquire | MemOrder::AcqRel);
    Make {
        available: releases && dice.one_in(2),
        visible: acquires && dice.one_in(2),
    }
}

fn scope(dice: &mut Dice) -> MemScope {
    dice.pick(&[
        MemScope::WorkItem,
        MemScope::SubGroup,
        MemScope::WorkGroup,
        MemScope::WorkGroup,
        MemScope::QueueFamily,
        MemScope::Device,
        MemScope::Device,
        MemScope::Device,
    ])
}

fn flags(dice: &mut Dice) -> FenceFlags {
    FenceFlags {
        global: !dice.one_in(4),
        local: dice.one_in(2),
        image: dice.one_in(3),
        output: false,
    }
}

fn barrier(dice: &mut Dice) -> Instr {
    let group = dice.pick(&[
        BarrierScope::SubGroup,
        BarrierScope::WorkGroup,
        BarrierScope::WorkGroup,
        BarrierScope::QueueFamily,
        BarrierScope::Device,
    ]);
    let order = dice.pick(&[MemOrder::Relaxed, MemOrder::AcqRel, MemOrder::AcqRel]);
    let scope = scope(dice);
    let quorum = dice.one_in(4).then(|| 1 + dice.below(3) as u32);
    let label = (quorum.is_some() || !dice.one_in(3)).then(|| dice.below(2).to_string());
    Instr::Barrier(Barrier {
        label,
        order,
        make: make(dice, order),
        scope: (dice.one_in(4) && scope != group.own()).then_some(scope),
        quorum,
        ..Barrier::of(group, flags(dice))
    })
}

fn predicate(dice: &mut Dice, locations: &[Location], threads: &[Thread]) -> Predicate {
    let mut parts: Vec<Predicate> = Vec::new();
    for (t, _) in threads.iter().enumerate() {
        for r in 0..2 {
            if dice.one_in(2) {
                let register = Observable::Register(ThreadId(t as u32), RegId(r));
                parts.push(compare(dice, register));
            }
        }
    }
    for (l, location) in locations.iter().enumerate() {
        if location.alias.is_none() && dice.one_in(2) {
            parts.push(compare(dice, Observable::Memory(LocId(l as u32), 0)));
        }
    }
    match parts.len() {
        0 => Predicate::Bool(true),
        1 => parts.remove(0),
        _ => Predicate::And(parts),
    }
}

fn compare(dice: &mut Dice, observable: Observable) -> Predicate {
    let relation = dice.pick(&[Relation::Eq, Relation::Eq, Relation::Ne]);
    Predicate::Compare(
        relation,
        Atom::Observe(observable),
        Atom::Const(dice.below(3) as i64),
    )
}
