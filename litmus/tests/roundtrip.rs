//! Properties of the readers and writers: writing and reading again changes nothing, and no text
//! makes a reader panic.

use classay_litmus::program::{
    Access, Address, Api, Atom, Atomic, Atomicity, Barrier, BarrierScope, BinOp, Branch, Cas,
    CasStrength, Command, CommandId, CommandKind, Condition, Expected, Expr, Fence, FenceFlags,
    HostCall, Instr, LocId, Location, Make, MapAccess, MemOrder, MemScope, Memory, Observable,
    Placement, Predicate, Program, Quantifier, Queue, QueueId, QueueOrder, RegId, Region, Register,
    Relation, Rmw, RmwOp, ScalarType, Thread, ThreadId, UnOp, WorkItem, legacy_fence,
};
use classay_litmus::shipped;
use classay_litmus::syntax::{read_bytes, read_litmus, read_yaml, write_litmus, write_yaml};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use std::rc::Rc;

/// Types that locations have.
const TYPES: [ScalarType; 9] = [
    ScalarType::Char,
    ScalarType::UChar,
    ScalarType::Short,
    ScalarType::UShort,
    ScalarType::Int,
    ScalarType::UInt,
    ScalarType::Long,
    ScalarType::ULong,
    ScalarType::Flag,
];

/// The shared locations and one thread's registers, by type, so that strategies can pick among
/// those an instruction may use.
#[derive(Debug, Clone)]
struct Scene {
    locations: Vec<Location>,
    registers: u32,
}

impl Scene {
    fn with(&self, allowed: impl Fn(&Location) -> bool) -> Vec<LocId> {
        (0..self.locations.len() as u32)
            .map(LocId)
            .filter(|l| allowed(&self.locations[l.index()]))
            .collect()
    }
}

fn locations() -> impl Strategy<Value = Vec<Location>> {
    // names that thread registers use too: a register may hide a location
    const NAMES: [&str; 6] = ["x", "y", "r0", "flag", "data_1", "P0"];
    let one = (
        select(&TYPES[..]),
        any::<bool>(),
        any::<bool>(),
        any::<bool>(),
        any::<bool>(),
        vec(any::<i64>(), 1..4),
        prop_oneof![3 => Just(Memory::Unstated), 1 => select(&Memory::STATED[..])],
    );
    vec(one, 1..=NAMES.len()).prop_map(|list| {
        let mut locations: Vec<Location> = list
            .into_iter()
            .zip(NAMES)
            .map(
                |((ty, atomic, local, generic, array, mut init, memory), name)| {
                    if !array {
                        init.truncate(1);
                    }
                    Location {
                        memory: if local { Memory::Unstated } else { memory },
                        name: name.to_string(),
                        alias: None,
                        region: if local { Region::Local } else { Region::Global },
                        generic,
                        ty,
                        atomic: ty == ScalarType::Flag || (atomic && ty.atomic_name().is_some()),
                        array,
                        init: init.into_iter().map(|v| ty.wrap(v)).collect(),
                    }
                },
            )
            .collect();
        // something that every instruction can use
        locations[0].ty = ScalarType::Int;
        locations[0]
            .init
            .iter_mut()
            .for_each(|v| *v = ScalarType::Int.wrap(*v));
        locations
    })
}

fn constant() -> impl Strategy<Value = i64> {
    prop_oneof![4 => -3i64..4, 1 => any::<i64>(), 1 => Just(i64::MIN)]
}

fn order() -> impl Strategy<Value = MemOrder> {
    select(&MemOrder::ALL[..])
}

fn scope() -> impl Strategy<Value = MemScope> {
    select(MemScope::of(Api::OpenCl).collect::<Vec<_>>())
}

fn atomic(orders: &'static [MemOrder]) -> impl Strategy<Value = Atomic> {
    let explicit = (select(orders), option::of(scope()))
        .prop_map(|(order, scope)| Atomic::explicit(order, scope));
    prop_oneof![3 => explicit, 1 => Just(Atomic::SHORT)]
}

const LOAD: &[MemOrder] = &[MemOrder::Relaxed, MemOrder::Acquire, MemOrder::SeqCst];
const STORE: &[MemOrder] = &[MemOrder::Relaxed, MemOrder::Release, MemOrder::SeqCst];

fn address(
    scene: &Rc<Scene>,
    allowed: impl Fn(&Location) -> bool,
    index: BoxedStrategy<Expr>,
) -> BoxedStrategy<Address> {
    let choices = scene.with(allowed);
    let scene = Rc::clone(scene);
    (select(choices), option::weighted(0.3, index))
        .prop_map(move |(location, index)| {
            let len = i64::from(scene.locations[location.index()].len());
            let index = index.map(|index| match index {
                // a constant index must be within bounds
                Expr::Const(c) => Box::new(Expr::Const(c.rem_euclid(len))),
                other => Box::new(other),
            });
            Address { location, index }
        })
        .boxed()
}

fn is_plain(location: &Location) -> bool {
    location.ty != ScalarType::Flag
}

fn is_atomic(location: &Location) -> bool {
    location.ty != ScalarType::Flag && location.ty.atomic_name().is_some()
}

fn is_flag(location: &Location) -> bool {
    location.ty == ScalarType::Flag
}

fn access(
    scene: &Rc<Scene>,
    orders: &'static [MemOrder],
    index: BoxedStrategy<Expr>,
) -> BoxedStrategy<Access> {
    let plain = (
        address(scene, is_plain, index.clone()),
        select(&[Atomicity::Plain, Atomicity::Volatile][..]),
    );
    let atomic = (address(scene, is_atomic, index), atomic(orders));
    prop_oneof![
        plain.prop_map(|(address, atomicity)| Access { address, atomicity }),
        atomic.prop_map(|(address, atomic)| Access {
            address,
            atomicity: Atomicity::Atomic(atomic),
        }),
    ]
    .boxed()
}

const BINARY: [BinOp; 18] = [
    BinOp::Add,
    BinOp::Sub,
    BinOp::Mul,
    BinOp::Div,
    BinOp::Rem,
    BinOp::And,
    BinOp::Or,
    BinOp::Xor,
    BinOp::Shl,
    BinOp::Shr,
    BinOp::Eq,
    BinOp::Ne,
    BinOp::Lt,
    BinOp::Le,
    BinOp::Gt,
    BinOp::Ge,
    BinOp::LogicalAnd,
    BinOp::LogicalOr,
];

const FETCH: [RmwOp; 8] = [
    RmwOp::Exchange,
    RmwOp::Add,
    RmwOp::Sub,
    RmwOp::Or,
    RmwOp::Xor,
    RmwOp::And,
    RmwOp::Min,
    RmwOp::Max,
];

fn expression(scene: &Rc<Scene>) -> BoxedStrategy<Expr> {
    let registers = scene.registers;
    let leaf = if registers == 0 {
        constant().prop_map(Expr::Const).boxed()
    } else {
        prop_oneof![
            constant().prop_map(Expr::Const),
            (0..registers).prop_map(|r| Expr::Reg(RegId(r))),
        ]
        .boxed()
    };
    let scene = Rc::clone(scene);
    leaf.prop_recursive(5, 24, 3, move |inner| {
        let inner = inner.boxed();
        let boxed = || inner.clone().prop_map(Box::new);
        let unary = (select(&[UnOp::Neg, UnOp::Not, UnOp::BitNot][..]), boxed())
            .prop_map(|(op, e)| Expr::Unary(op, e));
        let binary =
            (select(&BINARY[..]), boxed(), boxed()).prop_map(|(op, a, b)| Expr::Binary(op, a, b));
        let choice = (boxed(), boxed(), boxed()).prop_map(|(c, a, b)| Expr::Select(c, a, b));
        let load = access(&scene, LOAD, inner.clone()).prop_map(Expr::Load);
        let rmw = (
            select(&FETCH[..]),
            address(&scene, is_atomic, inner.clone()),
            boxed(),
            atomic(&MemOrder::ALL),
        )
            .prop_map(|(op, address, operand, atomic)| {
                Expr::Rmw(Rmw {
                    op,
                    address,
                    operand,
                    atomic,
                })
            });
        let expected = address(&scene, is_plain, inner.clone()).prop_map(Expected::Location);
        let expected = match registers {
            0 => expected.boxed(),
            _ => prop_oneof![
                expected,
                (0..registers).prop_map(|r| Expected::Register(RegId(r)))
            ]
            .boxed(),
        };
        let orders = prop_oneof![
            Just((Atomic::SHORT, MemOrder::SeqCst)),
            (order(), order(), option::of(scope()))
                .prop_map(|(success, failure, scope)| (Atomic::explicit(success, scope), failure)),
        ];
        let cas = (
            select(&[CasStrength::Weak, CasStrength::Strong][..]),
            address(&scene, is_atomic, inner.clone()),
            expected,
            boxed(),
            orders,
        )
            .prop_map(
                |(strength, address, expected, desired, (atomic, failure))| {
                    Expr::Cas(Cas {
                        strength,
                        address,
                        expected,
                        desired,
                        atomic,
                        failure,
                    })
                },
            );
        let mut all = vec![
            unary.boxed(),
            binary.boxed(),
            choice.boxed(),
            load.boxed(),
            rmw.boxed(),
            cas.boxed(),
        ];
        if !scene.with(is_flag).is_empty() {
            let set = (
                address(&scene, is_flag, inner.clone()),
                atomic(&MemOrder::ALL),
            )
                .prop_map(|(address, atomic)| {
                    Expr::Rmw(Rmw {
                        op: RmwOp::TestAndSet,
                        address,
                        operand: Box::new(Expr::Const(1)),
                        atomic,
                    })
                });
            all.push(set.boxed());
        }
        proptest::strategy::Union::new(all)
    })
    .boxed()
}

fn flags() -> impl Strategy<Value = FenceFlags> {
    any::<[bool; 3]>().prop_map(|[global, local, image]| FenceFlags {
        global,
        local,
        image,
        output: false,
    })
}

fn instruction(scene: &Rc<Scene>) -> BoxedStrategy<Instr> {
    let value = expression(scene);
    let effect = value.clone().prop_map(Instr::Effect);
    let store = (access(scene, STORE, value.clone()), value.clone())
        .prop_map(|(access, value)| Instr::Store { access, value });
    let fence = (flags(), order(), scope(), any::<bool>());
    let fence = fence.prop_map(|(mut flags, order, scope, legacy)| {
        if flags == FenceFlags::default() {
            flags.global = true;
        }
        Instr::Fence(Fence {
            flags,
            order,
            scope,
            // Where there is no function for it, nothing says that it was asked for.
            legacy: legacy && legacy_fence(order, scope).is_some(),
            make: Make::NOTHING,
        })
    });
    let barrier = (
        option::of(select(&["B1", "x", "end"][..])),
        select(&[BarrierScope::WorkGroup, BarrierScope::SubGroup][..]),
        flags(),
        option::of(scope()),
    )
        .prop_map(|(label, group, flags, scope)| {
            Instr::Barrier(Barrier {
                label: label.map(str::to_string),
                scope,
                ..Barrier::of(group, flags)
            })
        });
    let mut simple = vec![
        effect.boxed(),
        store.boxed(),
        fence.boxed(),
        barrier.boxed(),
        Just(Instr::Return).boxed(),
    ];
    if scene.registers > 0 {
        let assign = (0..scene.registers, value.clone()).prop_map(|(r, value)| Instr::Assign {
            register: RegId(r),
            value,
        });
        simple.push(assign.clone().boxed());
        simple.push(assign.boxed());
    }
    if !scene.with(is_flag).is_empty() {
        let clear = (address(scene, is_flag, value.clone()), atomic(STORE)).prop_map(
            |(address, atomic)| Instr::Store {
                access: Access {
                    address,
                    atomicity: Atomicity::Atomic(atomic),
                },
                value: Expr::Const(0),
            },
        );
        simple.push(clear.boxed());
    }
    let condition = value;
    proptest::strategy::Union::new(simple)
        .prop_recursive(3, 12, 4, move |inner| {
            let body = || vec(inner.clone(), 0..4);
            let branch =
                (condition.clone(), body(), body()).prop_map(|(condition, then, otherwise)| {
                    Instr::If(Branch {
                        condition,
                        then,
                        otherwise,
                    })
                });
            let repeat = (condition.clone(), body())
                .prop_map(|(condition, body)| Instr::While { condition, body });
            prop_oneof![branch, repeat]
        })
        .boxed()
}

fn placement() -> impl Strategy<Value = Placement> {
    let device = (0u32..3, 0u32..5, option::of(0u32..3)).prop_map(|(device, wg, sub_group)| {
        Placement::Device(WorkItem {
            device,
            queue_family: 0,
            work_group: wg,
            sub_group,
        })
    });
    prop_oneof![5 => device, 1 => Just(Placement::Host)]
}

fn thread(locations: Vec<Location>) -> impl Strategy<Value = Thread> {
    const NAMES: [&str; 4] = ["r0", "x", "tmp", "compared0"];
    vec((select(&TYPES[..]), constant()), 0..=NAMES.len()).prop_flat_map(move |types| {
        let registers: Vec<Register> = types
            .into_iter()
            .zip(NAMES)
            .map(|((ty, init), name)| Register {
                name: name.to_string(),
                ty,
                init: ty.wrap(init),
            })
            .collect();
        let scene = Rc::new(Scene {
            locations: locations.clone(),
            registers: registers.len() as u32,
        });
        (placement(), vec(instruction(&scene), 0..6)).prop_map(move |(placement, body)| Thread {
            kernel: None,
            placement,
            registers: registers.clone(),
            body,
        })
    })
}

fn predicate(locations: &[Location], threads: &[Thread]) -> BoxedStrategy<Predicate> {
    let mut observables = Vec::new();
    for (l, location) in locations.iter().enumerate() {
        for element in 0..location.len() {
            observables.push(Observable::Memory(LocId(l as u32), element));
        }
    }
    for (t, thread) in threads.iter().enumerate() {
        for r in 0..thread.registers.len() {
            observables.push(Observable::Register(ThreadId(t as u32), RegId(r as u32)));
        }
    }
    let relation = select(
        &[
            Relation::Eq,
            Relation::Ne,
            Relation::Lt,
            Relation::Le,
            Relation::Gt,
            Relation::Ge,
        ][..],
    );
    // constants that are in the range of every type
    let atom = prop_oneof![
        (0i64..100).prop_map(Atom::Const),
        select(observables).prop_map(Atom::Observe),
    ];
    let compare = (relation, atom.clone(), atom).prop_map(|(r, a, b)| Predicate::Compare(r, a, b));
    let leaf = prop_oneof![8 => compare, 1 => any::<bool>().prop_map(Predicate::Bool)];
    leaf.prop_recursive(4, 16, 3, |inner| {
        prop_oneof![
            inner.clone().prop_map(|p| Predicate::Not(Box::new(p))),
            vec(inner.clone(), 2..4).prop_map(Predicate::And),
            vec(inner, 2..4).prop_map(Predicate::Or),
        ]
    })
    .boxed()
}

fn program() -> impl Strategy<Value = Program> {
    let name = "[!-~]([ -~]{0,20}[!-~])?";
    (name, locations()).prop_flat_map(|(name, locations)| {
        vec(thread(locations.clone()), 1..4).prop_flat_map(move |threads| {
            let name = name.clone();
            let locations = locations.clone();
            (
                predicate(&locations, &threads),
                option::of(predicate(&locations, &threads)),
                select(
                    &[
                        Quantifier::Exists,
                        Quantifier::NotExists,
                        Quantifier::Forall,
                    ][..],
                ),
            )
                .prop_map(move |(predicate, filter, quantifier)| Program {
                    api: Api::OpenCl,
                    queues: Vec::new(),
                    commands: Vec::new(),
                    synchronized: Vec::new(),
                    contributes: Vec::new(),
                    name: name.clone(),
                    locations: within_reach(&locations, &threads),
                    threads: threads.clone(),
                    condition: Condition {
                        quantifier,
                        predicate,
                    },
                    filter,
                })
        })
    })
}

/// The locations, none of which is local where a host thread would touch it.
fn within_reach(locations: &[Location], threads: &[Thread]) -> Vec<Location> {
    let mut locations = locations.to_vec();
    if threads.iter().any(|t| t.placement == Placement::Host) {
        for location in &mut locations {
            location.region = Region::Global;
        }
    }
    locations
}

/// A program with commands: all its work-items in kernels, and a host thread more that enqueues them
/// with what `choices` say around them.
fn program_with_commands() -> impl Strategy<Value = Program> {
    (program(), vec(any::<usize>(), 64)).prop_map(|(mut program, choices)| {
        let mut choices = choices.into_iter().cycle();
        let mut below = move |n: usize| choices.next().unwrap_or(0) % n;
        for location in &mut program.locations {
            location.region = Region::Global;
        }
        let mut devices: Vec<u32> = Vec::new();
        for thread in &program.threads {
            if let Placement::Device(item) = thread.placement
                && !devices.contains(&item.device)
            {
                devices.push(item.device);
            }
        }
        let mut body = Vec::new();
        let mut unmapped = Vec::new();
        for device in devices {
            let queue = QueueId(program.queues.len() as u32);
            program.queues.push(Queue {
                name: format!("queue_{device}"),
                order: [QueueOrder::InOrder, QueueOrder::OutOfOrder][below(2)],
            });
            let location = LocId(below(program.locations.len()) as u32);
            let mut kinds = vec![CommandKind::Kernel];
            match below(7) {
                0 => kinds.insert(0, CommandKind::Marker),
                1 => kinds.push(CommandKind::Barrier),
                2 if !unmapped.contains(&location) => {
                    unmapped.push(location);
                    kinds.push(CommandKind::Map {
                        location,
                        access: [MapAccess::Read, MapAccess::Write][below(2)],
                        blocking: below(2) == 0,
                    });
                    kinds.push(CommandKind::Unmap { location });
                }
                3 => body.push(Instr::Host(HostCall::Finish(queue))),
                4 => body.push(Instr::Host(HostCall::Flush(queue))),
                _ => {}
            }
            for kind in kinds {
                let id = CommandId(program.commands.len() as u32);
                let waits = (0..id.0).map(CommandId).filter(|_| below(2) == 0).collect();
                let kernel = kind == CommandKind::Kernel;
                program.commands.push(Command {
                    name: format!("{}{}", if kernel { "K" } else { "e" }, id.0),
                    kind,
                    queue,
                    waits,
                });
                body.push(Instr::Host(HostCall::Enqueue(id)));
                for thread in &mut program.threads {
                    if matches!(thread.placement, Placement::Device(item) if item.device == device)
                        && kernel
                    {
                        thread.kernel = Some(id);
                    }
                }
                if below(3) == 0 {
                    body.push(Instr::Host(HostCall::Wait(vec![id])));
                }
            }
        }
        program.threads.push(Thread {
            placement: Placement::Host,
            kernel: None,
            registers: Vec::new(),
            body,
        });
        program
    })
}

fn report(error: classay_litmus::syntax::SyntaxError) -> String {
    format!("{:?}", miette::Report::new(error))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn litmus_keeps_every_program(program in program()) {
        let text = write_litmus(&program);
        let back = read_litmus("t.litmus", &text).map_err(report);
        prop_assert_eq!(back, Ok(program), "{}", text);
    }

    #[test]
    fn both_forms_keep_commands(program in program_with_commands()) {
        let text = write_litmus(&program);
        let back = read_litmus("t.litmus", &text).map_err(report);
        prop_assert_eq!(back, Ok(program.clone()), "{}", text);
        let text = write_yaml(&program);
        let back = read_yaml("t.yaml", &text).map_err(report);
        prop_assert_eq!(back, Ok(program), "{}", text);
    }

    #[test]
    fn yaml_keeps_every_program(program in program()) {
        let text = write_yaml(&program);
        let back = read_yaml("t.yaml", &text).map_err(report);
        prop_assert_eq!(back, Ok(program), "{}", text);
    }

    #[test]
    fn random_bytes_never_panic(bytes in vec(any::<u8>(), 0..300)) {
        for name in ["t.litmus", "t.yaml", "t"] {
            let _ = read_bytes(name, &bytes);
        }
    }

    #[test]
    fn random_words_never_panic(words in vec(select(WORDS), 0..60)) {
        let text = format!("OPENCL t\n{}", words.join(" "));
        let _ = read_litmus("t.litmus", &text);
        let _ = read_yaml("t.yaml", &words.join(" "));
    }

    #[test]
    fn damaged_tests_never_panic(
        (_, text) in select(shipped()),
        cuts in vec((any::<proptest::sample::Index>(), any::<u8>()), 1..6),
    ) {
        let program = read_litmus("t.litmus", text).expect("shipped tests read");
        for text in [text.to_string(), write_yaml(&program)] {
            let mut bytes = text.into_bytes();
            for (at, byte) in &cuts {
                let at = at.index(bytes.len().max(1));
                match byte % 3 {
                    0 => bytes.truncate(at),
                    1 if at < bytes.len() => bytes[at] = *byte,
                    _ => bytes.insert(at.min(bytes.len()), *byte),
                }
            }
            if let Err(error) = read_bytes("t", &bytes) {
                // rendering walks the spans
                let _ = report(error);
            }
        }
    }
}

/// Pieces of tests, to be joined at random.
const WORDS: &[&str] = &[
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    ";",
    ",",
    ":",
    "=",
    "*",
    "&",
    "+",
    "-",
    "~",
    "!",
    "?",
    "@",
    "/\\",
    "\\/",
    "==",
    "(*",
    "*)",
    "//",
    "/*",
    "*/",
    "\n",
    "\"",
    "x",
    "y",
    "r0",
    "P0",
    "P1",
    "0",
    "1",
    "0x10",
    "99999999999999999999",
    "int",
    "bool",
    "volatile",
    "global",
    "local",
    "atomic_int*",
    "atomic_flag*",
    "wg",
    "sg",
    "dev",
    "host",
    "exists",
    "forall",
    "filter",
    "locations",
    "not",
    "if",
    "else",
    "while",
    "do",
    "for",
    "break",
    "continue",
    "return",
    "atomic_load(x)",
    "atomic_store(x,1);",
    "memory_order_relaxed",
    "memory_scope_device",
    "barrier(0);",
    "atomic_cmpxchg(x,0,1)",
    "- {",
    "store:",
    "litmus:",
    "threads:",
    "&a",
    "*a",
    "<<:",
    "!t",
    "|",
];
