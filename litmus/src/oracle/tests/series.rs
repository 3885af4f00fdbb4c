//! Families of programs that grow, by which the oracle's speed is measured.

use crate::oracle::{Deadline, Error, Judgement, Limits, Model, explain, judge};
use crate::program::{
    Access, Address, Api, Atom, Atomic, Atomicity, Condition, Expr, Instr, LocId, Location,
    MemOrder, Memory, Observable, Placement, Predicate, Program, Quantifier, RegId, Region,
    Register, Relation, ScalarType, Thread, ThreadId, WorkItem,
};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

#[derive(Clone, Copy)]
enum Act {
    Store(u32, i64),
    Load(u32),
}

/// Threads of atomic loads and stores; everything they read, and the locations asked for, is
/// observed.
fn program(threads: &[Vec<Act>], locations: u32, order: MemOrder, memory: bool) -> Program {
    let of = |act: &Act| match (order, act) {
        (MemOrder::AcqRel, Act::Store(..)) => MemOrder::Release,
        (MemOrder::AcqRel, Act::Load(_)) => MemOrder::Acquire,
        (order, _) => order,
    };
    let access = |location: u32, act: &Act| Access {
        address: Address {
            location: LocId(location),
            index: None,
        },
        atomicity: Atomicity::Atomic(Atomic::explicit(of(act), None)),
    };
    let mut parts = Vec::new();
    let mut observe = |o| {
        parts.push(Predicate::Compare(
            Relation::Eq,
            Atom::Observe(o),
            Atom::Const(1),
        ));
    };
    let bodies = threads
        .iter()
        .enumerate()
        .map(|(t, acts)| {
            let mut registers = Vec::new();
            let body = acts
                .iter()
                .map(|act| match act {
                    Act::Store(l, v) => Instr::Store {
                        access: access(*l, act),
                        value: Expr::Const(*v),
                    },
                    Act::Load(l) => {
                        let register = RegId(registers.len() as u32);
                        observe(Observable::Register(ThreadId(t as u32), register));
                        registers.push(Register {
                            name: format!("r{}", register.0),
                            ty: ScalarType::Int,
                            init: 0,
                        });
                        Instr::Assign {
                            register,
                            value: Expr::Load(access(*l, act)),
                        }
                    }
                })
                .collect();
            Thread {
                kernel: None,
                placement: Placement::Device(WorkItem {
                    device: 0,
                    queue_family: 0,
                    work_group: t as u32,
                    sub_group: None,
                }),
                registers,
                body,
            }
        })
        .collect();
    if memory {
        for l in 0..locations {
            observe(Observable::Memory(LocId(l), 0));
        }
    }
    Program {
        api: Api::OpenCl,
        queues: Vec::new(),
        commands: Vec::new(),
        synchronized: Vec::new(),
        contributes: Vec::new(),
        name: "series".to_owned(),
        locations: (0..locations)
            .map(|l| Location {
                memory: Memory::Unstated,
                name: format!("x{l}"),
                alias: None,
                region: Region::Global,
                generic: false,
                ty: ScalarType::Int,
                atomic: true,
                array: false,
                init: vec![0],
            })
            .collect(),
        threads: bodies,
        condition: Condition {
            quantifier: Quantifier::Exists,
            predicate: Predicate::And(parts),
        },
        filter: None,
    }
}

/// `n` threads in a ring: each stores to its location and loads the next one's.
fn ring(n: u32, order: MemOrder) -> Program {
    let threads: Vec<Vec<Act>> = (0..n)
        .map(|t| vec![Act::Store(t, 1), Act::Load((t + 1) % n)])
        .collect();
    program(&threads, n, order, false)
}

/// Two writers and `k` threads that read both locations, every other one the other way round.
fn iriw(k: u32, order: MemOrder) -> Program {
    let mut threads = vec![vec![Act::Store(0, 1)], vec![Act::Store(1, 1)]];
    threads.extend((0..k).map(|t| vec![Act::Load(t % 2), Act::Load(1 - t % 2)]));
    program(&threads, 2, order, false)
}

/// Two writers to one location and `k` threads that read it twice.
fn readers(k: u32) -> Program {
    let mut threads = vec![vec![Act::Store(0, 1)], vec![Act::Store(0, 2)]];
    threads.extend((0..k).map(|_| vec![Act::Load(0), Act::Load(0)]));
    program(&threads, 1, MemOrder::Relaxed, false)
}

/// `k` threads that store twice to one location.
fn writers(k: u32) -> Program {
    let threads: Vec<Vec<Act>> = (0..i64::from(k))
        .map(|t| vec![Act::Store(0, 2 * t + 1), Act::Store(0, 2 * t + 2)])
        .collect();
    program(&threads, 1, MemOrder::Relaxed, true)
}

fn run(program: &Program) -> Judgement {
    let model = Model::named("opencl-3.0").unwrap();
    judge(program, &model, &Limits::default()).unwrap()
}

#[test]
fn a_ring_of_n_has_every_outcome_but_under_seq_cst_the_one_of_zeros() {
    for n in 2..=6 {
        let all = 1 << n;
        assert_eq!(run(&ring(n, MemOrder::Relaxed)).states.len(), all);
        assert_eq!(run(&ring(n, MemOrder::AcqRel)).states.len(), all);
        assert_eq!(run(&ring(n, MemOrder::SeqCst)).states.len(), all - 1);
    }
}

#[test]
fn readers_of_one_location_agree_on_its_order() {
    for k in 1..=3u32 {
        // With either order of the writes a pair of reads goes one of six ways; five of them do
        // not tell the order.
        let expected = 2 * 6usize.pow(k) - 5usize.pow(k);
        assert_eq!(run(&readers(k)).states.len(), expected);
    }
}

#[test]
fn symmetric_threads_share_their_outcomes() {
    let model = Model::named("opencl-3.0").unwrap();
    let alone = Limits {
        symmetry: u64::MAX,
        ..Limits::default()
    };
    let shared = Limits {
        symmetry: 0,
        ..Limits::default()
    };
    for (program, times) in [
        // The threads of a ring can be rotated, those of the others exchanged.
        (ring(8, MemOrder::AcqRel), 2),
        (ring(8, MemOrder::SeqCst), 2),
        (iriw(4, MemOrder::AcqRel), 2),
        (readers(4), 3),
    ] {
        let one = judge(&program, &model, &alone).unwrap();
        let other = judge(&program, &model, &shared).unwrap();
        assert_eq!(one.states, other.states);
        assert_eq!(one.flags, other.flags);
        assert!(
            one.nodes > other.nodes * times,
            "{} and {}",
            one.nodes,
            other.nodes
        );
    }
    let few = Limits {
        states: 1000,
        ..shared
    };
    assert_eq!(
        judge(&ring(10, MemOrder::SeqCst), &model, &few),
        Err(Error::States { limit: 1000 })
    );
}

#[test]
fn limits_are_reported_and_not_silent() {
    let model = Model::named("opencl-3.0").unwrap();
    let judged = |limits: &Limits| judge(&ring(6, MemOrder::Relaxed), &model, limits);
    let few = Limits {
        states: 10,
        ..Limits::default()
    };
    assert_eq!(judged(&few), Err(Error::States { limit: 10 }));
    let short = Limits {
        events: 1,
        ..Limits::default()
    };
    assert_eq!(judged(&short), Err(Error::Events { limit: 1 }));
    assert!(judged(&Limits::default()).is_ok());
}

#[test]
fn searches_stop_when_deadline_is_over() {
    let model = Model::named("opencl-3.0").unwrap();
    // Far more work than any machine does in the time given.
    let large = ring(40, MemOrder::SeqCst);
    let judged = |deadline: Deadline| {
        let limits = Limits {
            deadline,
            ..Limits::default()
        };
        let outcome = &large.condition.predicate;
        (
            judge(&large, &model, &limits),
            explain(&large, &model, outcome, &limits).map(|_| ()),
        )
    };
    let over = Deadline::after(Duration::ZERO);
    assert_eq!(judged(over), (Err(Error::Late), Err(Error::Late)));
    let short = Deadline::after(Duration::from_millis(30));
    assert_eq!(judged(short).0, Err(Error::Late));
    let stop = Arc::new(AtomicBool::new(false));
    let stopped = Deadline {
        until: None,
        stop: Some(stop.clone()),
    };
    let waiting = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(30));
        stop.store(true, Ordering::Relaxed);
    });
    assert_eq!(judged(stopped).0, Err(Error::Stopped));
    waiting.join().unwrap();
}

#[test]
fn executions_of_more_than_64_events_are_judged() {
    // 70 stores of one thread, and a reader that must not go back.
    let mut threads = vec![(1..=70).map(|v| Act::Store(0, v)).collect::<Vec<_>>()];
    threads.push(vec![Act::Load(0), Act::Load(0)]);
    let judgement = run(&program(&threads, 1, MemOrder::Relaxed, true));
    assert_eq!(judgement.states.len(), 71 * 72 / 2);
}

#[test]
fn the_last_store_is_some_threads_second() {
    for k in 1..=6 {
        let judgement = run(&writers(k));
        assert_eq!(judgement.states.len(), k as usize);
        assert!(judgement.nodes < 100, "{}", judgement.nodes);
    }
}

/// Processor time of this thread in seconds, where the system tells; wall-clock time elsewhere.
fn cpu_time() -> f64 {
    static START: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    std::fs::read_to_string("/proc/thread-self/schedstat")
        .ok()
        .and_then(|text| text.split_whitespace().next()?.parse::<f64>().ok())
        .map_or_else(
            || START.get_or_init(Instant::now).elapsed().as_secs_f64(),
            |ns| ns / 1e9,
        )
}

#[test]
#[ignore = "prints times"]
fn times() {
    let model = Model::named("opencl-3.0").unwrap();
    let time = |name: String, program: &Program| {
        let start = cpu_time();
        let judgement = judge(program, &model, &Limits::default()).unwrap();
        println!(
            "{name:24} {:10.3} ms {:8} states {:8} nodes",
            (cpu_time() - start) * 1e3,
            judgement.states.len(),
            judgement.nodes
        );
    };
    for order in [MemOrder::Relaxed, MemOrder::AcqRel, MemOrder::SeqCst] {
        for n in [2, 4, 6, 8, 10, 12, 14, 16] {
            time(format!("ring {n} {order:?}"), &ring(n, order));
        }
        for k in 2..=6 {
            time(format!("iriw {k} {order:?}"), &iriw(k, order));
        }
    }
    for k in 2..=6 {
        time(format!("readers {k}"), &readers(k));
    }
    for k in 2..=6 {
        time(format!("writers {k}"), &writers(k));
    }
    match peak_memory() {
        Some(mib) => println!("peak resident memory {mib:.1} MiB"),
        None => println!("the system does not tell the peak of resident memory"),
    }
}

/// The most memory that this process had resident, in MiB, where the system tells.
fn peak_memory() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:"))?;
    let kib: f64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib / 1024.0)
}

#[test]
#[ignore = "prints times"]
fn corpus_times() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/corpus/opencl");
    let Ok(list) = std::fs::read_to_string(root.join("expected.csv")) else {
        return;
    };
    let model = Model::named("opencl-3.0").unwrap();
    let mut times = Vec::new();
    for (path, _) in list.lines().filter_map(|l| l.split_once(',')) {
        let text = std::fs::read_to_string(root.join(path)).unwrap();
        let program = crate::syntax::read_litmus(path, &text).unwrap();
        let mut best = f64::MAX;
        for _ in 0..20 {
            let start = Instant::now();
            judge(&program, &model, &Limits::default()).unwrap();
            best = best.min(start.elapsed().as_secs_f64() * 1e6);
        }
        times.push((best, path));
    }
    times.sort_by(|a, b| a.0.total_cmp(&b.0));
    println!("median {:.1} us", times[times.len() / 2].0);
    for (time, path) in times {
        println!("{time:8.1} us {path}");
    }
}
