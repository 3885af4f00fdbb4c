//! The engine under a controlled scheduler.
//!
//! The engine's own files are compiled here once more, over shuttle's locks, conditions,
//! atomics and threads ([`sync`]): shuttle runs one thread at a time and decides at each of
//! their operations which goes on, at random, so that every test run explores other
//! interleavings and a failing one is printed and can be replayed. It finds a lost wake-up
//! or a deadlock as a state in which no thread can go on.
//!
//! Every schedule plays a program of its own ([`program`]): some host threads that enqueue
//! to, flush, finish and release some queues, set, wait for, ask about and release events.
//! When it has been played, what happened to each command is held against the rules
//! ([`check`]).
//!
//! The normal tests play some thousands. As many as wanted are played by
//!
//! ```sh
//! SCHEDULES=1000000 cargo test --release -p touchstone-queue --test model -- --ignored
//! ```

#[path = "../../src/engine/mod.rs"]
#[allow(
    dead_code,
    unused_imports,
    unreachable_pub,
    missing_docs,
    reason = "the engine's files, compiled again"
)]
mod engine;

mod check;
mod play;
mod program;
mod sync;

use shuttle::scheduler::{PctScheduler, RandomScheduler, Scheduler};
use shuttle::{Config, Runner};

use sync::Fault;

/// Plays so many programs, each under one schedule.
fn explore(scheduler: impl Scheduler + 'static, fault: Fault) {
    let mut config = Config::new();
    config.silence_warnings = true;
    config.stack_size = 0x20000;
    Runner::new(scheduler, config).run(move || {
        sync::reset(fault);
        let seed = shuttle::rand::Rng::r#gen(&mut shuttle::rand::thread_rng());
        let program = program::Program::generate(seed);
        let records = play::play(&program);
        check::check(&program, &records);
    });
}

#[test]
fn random_schedules_keep_every_rule() {
    explore(RandomScheduler::new(4_000), Fault::None);
}

#[test]
fn schedules_with_few_preemptions_keep_every_rule() {
    explore(PctScheduler::new(3, 2_000), Fault::None);
}

/// The checks find what they are for: a lost wake-up.
#[test]
#[should_panic(expected = "deadlock")]
fn a_lost_wake_up_is_found() {
    explore(RandomScheduler::new(4_000), Fault::LostWakeUp);
}

/// The checks find what they are for: a count that two threads take down at once.
#[test]
#[should_panic]
fn a_torn_count_is_found() {
    explore(RandomScheduler::new(4_000), Fault::TornCount);
}

/// Half of `SCHEDULES` (a million if unset) at random, a quarter each with two and with
/// four preemptions, on as many processors as there are.
#[test]
#[ignore = "takes minutes; for running by hand in release mode"]
fn as_many_schedules_as_wanted() {
    let wanted = std::env::var("SCHEDULES").ok();
    let wanted: usize = wanted
        .and_then(|count| count.parse().ok())
        .unwrap_or(1_000_000);
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    let share = wanted.div_ceil(4 * workers).max(1);
    let start = std::time::Instant::now();
    std::thread::scope(|scope| {
        for worker in 0..workers {
            scope.spawn(move || {
                let seed = std::time::UNIX_EPOCH
                    .elapsed()
                    .map_or(0, |since| since.as_nanos() as u64)
                    .wrapping_add(worker as u64);
                explore(RandomScheduler::new_from_seed(seed, 2 * share), Fault::None);
                explore(PctScheduler::new_from_seed(seed, 2, share), Fault::None);
                explore(PctScheduler::new_from_seed(seed, 4, share), Fault::None);
            });
        }
    });
    let played = 4 * share * workers;
    println!(
        "{played} schedules in {:.0} s",
        start.elapsed().as_secs_f64()
    );
}
