//! The interpreter and machine code agree: on random kernels of every kind of instruction, in what they leave
//! in memory, in steps, and in traps with their kind, place and item; and on all other tests.
//!
//! On one thread a launch is determined by its seed, also where work-items race: so a race shows
//! whether both engines give the same turns.

use crate::random::{Form, Step, program, step};
use crate::support::*;
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use std::process::Command;
use touchstone_exec::{Arg, Engine, Interleaving, Launch, LaunchError, LaunchStats, ZeroDivision};
use touchstone_ir::Module;

/// What a launch left and said.
type Seen = (Result<LaunchStats, String>, Vec<u64>);

fn run(
    (m, form): (&Module, Form),
    engine: Engine,
    seed: u64,
    (known, checked): (bool, bool),
) -> Seen {
    let longs: Vec<u64> = (0..form.longs())
        .map(|n| n.wrapping_mul(0x9e37_79b9_0000_0001))
        .collect();
    let longs = Longs::of(&longs);
    let exe = prepare(m.clone());
    let (address, len) = (longs.address(), longs.0.len() as u64 * 8);
    let argument = match known {
        true => Arg::Object {
            address,
            base: address,
            len,
            permission: touchstone_exec::Permission::ReadWrite,
        },
        false => Arg::Pointer(address),
    };
    let mut map = longs.map();
    if !checked {
        let map = std::sync::Arc::make_mut(&mut map);
        // SAFETY: the kernels that are run so stay within their memory.
        unsafe { map.without_bounds_checks() };
    }
    let mut launch = Launch::linear(exe.kernel("k").expect("k").id, vec![argument], 1, 1, map);
    launch.work_dim = 2;
    (launch.global_size, launch.local_size) = form.sizes();
    launch.global_offset = [seed % 3, seed % 7, 0];
    launch.interleaving = match form {
        Form::Any => Interleaving::Fine,
        Form::Plain | Form::Apart | Form::Parted => Interleaving::Coarse,
    };
    launch.sub_group_size = 2;
    launch.seed = seed;
    launch.engine = engine;
    launch.zero_division = match seed % 2 {
        0 => ZeroDivision::Trap,
        _ => ZeroDivision::Continue,
    };
    let result = pool(1).run(&exe, launch);
    // Addresses differ from launch to launch.
    let place = |text: String| text.replace(&format!("{address:#x}"), "base");
    let result = result.map_err(|error| match error {
        LaunchError::Trap(trap) => {
            let kind = std::mem::discriminant(&trap.kind);
            place(format!("{kind:?} {:?} {:?}", trap.place, trap.global_id))
        }
        other => panic!("{other}"),
    });
    (result, longs.all())
}

/// Whether bits are the same, or both are a NaN of the same width, of which a word may hold two: which payload comes out
/// where both operands are NaNs, and whether a function makes a signalling NaN a quiet one, is the choice of who
/// compiles.
fn same(x: u64, y: u64) -> bool {
    let is_single = |bits: u32| f32::from_bits(bits).is_nan();
    let is_double = |bits: u64| f64::from_bits(bits).is_nan();
    let half = |x: u32, y: u32| x == y || is_single(x) && is_single(y);
    let halves = half(x as u32, y as u32) && half((x >> 32) as u32, (y >> 32) as u32);
    halves || is_double(x) && is_double(y)
}

fn agree(
    blocks: &[(Vec<Step>, [u8; 4])],
    form: Form,
    seed: u64,
    known: bool,
) -> Result<(), TestCaseError> {
    let m = program(blocks, form);
    let with = |engine, checked| run((&m, form), engine, seed, (known, checked));
    let interpreted = with(Engine::Interpreter, true);
    let mut compiled = vec![with(Engine::Native, true)];
    if interpreted.0.is_ok() {
        compiled.push(with(Engine::Native, false));
    }
    for compiled in compiled {
        prop_assert_eq!(&interpreted.0, &compiled.0, "{}", m);
        // Where items run at once, others have come further than the one that traps.
        if form.is_apart() && interpreted.0.is_err() {
            continue;
        }
        let memory = interpreted.1.iter().zip(&compiled.1);
        let differ = memory.enumerate().find(|(_, (x, y))| !same(**x, **y));
        prop_assert!(differ.is_none(), "{:?}\n{}", differ, m);
    }
    Ok(())
}

/// How many random kernels are tried: `RANDOM_KERNELS`, or some.
fn cases() -> u32 {
    let set = std::env::var("RANDOM_KERNELS").ok();
    set.and_then(|n| n.parse().ok()).unwrap_or(1000)
}

/// The steps of the blocks of a kernel, and how each ends.
type Blocks = Vec<(Vec<Step>, [u8; 4])>;

fn blocks() -> impl Strategy<Value = Blocks> {
    prop::collection::vec(
        (prop::collection::vec(step(), 0..24), any::<[u8; 4]>()),
        1..8,
    )
}

/// Both engines agree on random kernels of a form, a quarter of all that are tried.
fn agree_on(form: Form) {
    let config = ProptestConfig {
        cases: cases().div_ceil(4),
        source_file: Some(file!()),
        ..ProptestConfig::default()
    };
    let kernels = (blocks(), any::<u64>(), any::<bool>());
    let ran = TestRunner::new(config).run(&kernels, |(blocks, seed, known)| {
        agree(&blocks, form, seed, known)
    });
    if let Err(error) = ran {
        panic!("{error}");
    }
}

// Each form has a test of its own: they run beside each other.

#[test]
fn engines_agree_on_random_kernels() {
    agree_on(Form::Any);
}

#[test]
fn engines_agree_on_random_kernels_that_run_coarsely() {
    agree_on(Form::Plain);
}

#[test]
fn engines_agree_on_random_kernels_whose_items_go_apart() {
    agree_on(Form::Apart);
}

#[test]
fn engines_agree_on_random_kernels_that_are_parted() {
    agree_on(Form::Parted);
}

/// Whatever the other tests say holds with either engine from the start.
#[test]
fn every_test_passes_with_either_engine() {
    let me = std::env::current_exe().expect("this program");
    for engine in ["interpreter", "native"] {
        let run = Command::new(&me)
            // Those of this file choose engines themselves.
            .args(["--skip", "engines::"])
            .env("TOUCHSTONE_ENGINE", engine)
            .output()
            .expect("runs");
        let said = String::from_utf8_lossy(&run.stdout);
        assert!(run.status.success(), "{engine}: {said}");
        assert!(
            said.contains("test traps::misaligned_atomics ... ok"),
            "{said}"
        );
    }
}
