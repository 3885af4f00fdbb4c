//! From a forbidden outcome to a small test in a small environment that still shows it.
//!
//! First the environment: all knobs left to the device at once, then one after the other. Then the test:
//! an instruction taken out, an order, scope, fence or barrier made weaker. A step is kept where a
//! forbidden outcome is still seen, at least a quarter as often a second; a test without it says more,
//! because it needs less. Each try takes as long as ten occurrences take at the rate that is known,
//! within bounds, so that chance alone seldom refuses a step (fewer than a quarter of ten expected:
//! 0.3 % for independent occurrences).

use crate::environment::Environment;
use crate::judge::{self, ChosenModel};
use classay_litmus::mutation;
use classay_litmus::program::{Instr, Program};
use classay_reports::record::{CaseResult, Verdict};
use std::time::Instant;

/// Occurrences that a try is meant to see.
const EXPECTED: f64 = 10.0;
/// Of the rate that is known, what must be left.
const LEFT: f64 = 0.25;
/// Seconds of a try.
const SHORTEST: f64 = 0.2;
/// Seconds of a try.
const LONGEST: f64 = 20.0;

/// What a try showed.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Seen {
    /// Instances with a forbidden outcome.
    pub forbidden: u64,
    /// Instances with an outcome that some readings of the model forbid and others allow.
    pub contested: u64,
    /// All instances.
    pub instances: u64,
    /// Seconds.
    pub seconds: f64,
}

impl Seen {
    /// How often a result has an outcome that every reading of the model forbids for this program, and how
    /// often one that only some do.
    pub fn of(program: &Program, result: &CaseResult, model: &ChosenModel) -> Seen {
        let beyond = |model: &ChosenModel| {
            let Ok(allowed) = judge::allowed_values(program.clone(), model) else {
                return 0;
            };
            let is = |values: &[i64]| !allowed.iter().any(|known| known == values);
            let histogram = result.histogram();
            let beyond = histogram
                .iter()
                .filter(|o| o.outcome.state().is_some_and(is));
            beyond.map(|o| o.count).sum::<u64>()
        };
        let strict = model.clone().strict();
        let (forbidden, contested) = match result.verdict {
            Verdict::Fail => {
                let forbidden = beyond(model);
                (forbidden, beyond(&strict).saturating_sub(forbidden))
            }
            Verdict::Contested => (0, beyond(&strict)),
            Verdict::Pass
            | Verdict::Inconclusive
            | Verdict::Skip
            | Verdict::Crash
            | Verdict::Timeout
            | Verdict::Flaky => (0, 0),
        };
        Seen {
            forbidden,
            contested,
            instances: result.instances,
            seconds: result.device_seconds.max(1e-6),
        }
    }

    fn per_second(&self) -> f64 {
        self.forbidden as f64 / self.seconds.max(1e-9)
    }
}

/// Plays a test in an environment for so many seconds.
pub type Play<'a, H> = &'a mut dyn FnMut(&Program, &Environment, f64) -> Result<Seen, H>;

/// A small test in a small environment.
#[derive(Debug, Clone)]
pub struct Small {
    /// The test.
    pub program: Program,
    /// The environment.
    pub environment: Environment,
    /// What was seen of it at last.
    pub seen: Seen,
    /// What was left out of the environment and the test, in words.
    pub steps: Vec<String>,
    /// A forbidden outcome was seen again after the first time.
    pub confirmed: bool,
}

/// Seconds to play for ten occurrences.
fn patience(seen: &Seen) -> f64 {
    (EXPECTED / seen.per_second().max(1e-9)).clamp(SHORTEST, LONGEST)
}

/// Reduces; `first` is what was seen at first. After `until` no further step is tried.
///
/// # Errors
///
/// What `play` gives.
pub fn reduce<H>(
    program: &Program,
    environment: &Environment,
    first: Seen,
    until: Instant,
    play: Play<'_, H>,
) -> Result<Small, H> {
    let mut small = Small {
        program: program.clone(),
        environment: environment.clone(),
        seen: first,
        steps: Vec::new(),
        confirmed: false,
    };
    // Where it was seen once in a long time, once in three times as long would be expected.
    for _ in 0..3 {
        let seen = play(program, environment, patience(&small.seen))?;
        if seen.forbidden > 0 {
            small.confirmed = true;
            small.seen = seen;
            break;
        }
    }
    if !small.confirmed {
        return Ok(small);
    }
    knobs(&mut small, until, play)?;
    test(&mut small, until, play)?;
    // What is told comes from playing that chose nothing.
    let last = play(&small.program, &small.environment, patience(&small.seen))?;
    if last.forbidden > 0 {
        small.seen = last;
    }
    Ok(small)
}

/// Whether a step still shows enough.
fn still<H>(
    small: &Small,
    program: &Program,
    environment: &Environment,
    play: Play<'_, H>,
) -> Result<Option<Seen>, H> {
    let seen = play(program, environment, patience(&small.seen))?;
    let enough = seen.forbidden > 0 && seen.per_second() >= LEFT * small.seen.per_second();
    Ok(enough.then_some(seen))
}

fn knobs<H>(small: &mut Small, until: Instant, play: Play<'_, H>) -> Result<(), H> {
    let default = Environment::default();
    if small.environment == default {
        return Ok(());
    }
    let program = small.program.clone();
    if let Some(seen) = still(small, &program, &default, play)? {
        small.environment = default;
        small.seen = seen;
        small.steps.push("the whole environment".into());
        return Ok(());
    }
    for knob in leaves(&small.environment) {
        if Instant::now() >= until {
            break;
        }
        let Some(without) = without(&small.environment, &knob) else {
            continue;
        };
        if let Some(seen) = still(small, &program, &without, play)? {
            small.environment = without;
            small.seen = seen;
            small.steps.push(format!("the knob {}", knob.join(".")));
        }
    }
    Ok(())
}

fn test<H>(small: &mut Small, until: Instant, play: Play<'_, H>) -> Result<(), H> {
    // Again from the beginning after a step: what was needed before may not be now.
    'again: while Instant::now() < until {
        let environment = small.environment.clone();
        for (what, program) in smaller(&small.program) {
            if Instant::now() >= until {
                break 'again;
            }
            if let Some(seen) = still(small, &program, &environment, play)? {
                small.program = program;
                small.seen = seen;
                small.steps.push(what);
                continue 'again;
            }
        }
        break;
    }
    Ok(())
}

/// Programs with one thing less, with what that is.
fn smaller(program: &Program) -> Vec<(String, Program)> {
    let mut all = Vec::new();
    for (t, thread) in program.threads.iter().enumerate() {
        for (at, instr) in thread.body.iter().enumerate() {
            // Registers that the condition reads stay; fences and barriers are mutated below.
            let what = match instr {
                Instr::Store { .. } => "a store",
                Instr::If(_) => "a branch",
                Instr::While { .. } => "a loop",
                Instr::Return => "a return",
                Instr::Assign { .. }
                | Instr::Effect(_)
                | Instr::Fence(_)
                | Instr::Barrier(_)
                | Instr::Domain(_)
                | Instr::Host(_) => continue,
            };
            let mut less = program.clone();
            less.threads[t].body.remove(at);
            all.push((format!("{what} of P{t}"), less));
        }
    }
    for change in mutation::changes(program) {
        all.push((change.what.clone(), change.apply(program)));
    }
    all
}

/// The knobs that an environment turns, as paths into it.
fn leaves(environment: &Environment) -> Vec<Vec<String>> {
    fn walk(value: &serde_json::Value, path: &mut Vec<String>, out: &mut Vec<Vec<String>>) {
        match value {
            serde_json::Value::Object(map) => {
                for (key, value) in map {
                    path.push(key.clone());
                    walk(value, path, out);
                    path.pop();
                }
            }
            serde_json::Value::Null
            | serde_json::Value::Bool(_)
            | serde_json::Value::Number(_)
            | serde_json::Value::String(_)
            | serde_json::Value::Array(_) => out.push(path.clone()),
        }
    }
    let mut out = Vec::new();
    let nameless = Environment {
        name: String::new(),
        ..environment.clone()
    };
    if let Ok(value) = serde_json::to_value(&nameless) {
        walk(&value, &mut Vec::new(), &mut out);
    }
    out
}

/// The environment with a knob left to the device; none where that is no other environment.
fn without(environment: &Environment, knob: &[String]) -> Option<Environment> {
    let nameless = Environment {
        name: String::new(),
        ..environment.clone()
    };
    let mut value = serde_json::to_value(&nameless).ok()?;
    let (last, path) = knob.split_last()?;
    let mut at = &mut value;
    for key in path {
        at = at.get_mut(key)?;
    }
    at.as_object_mut()?.remove(last)?;
    let less: Environment = serde_json::from_value(value).ok()?;
    (less.check().is_ok() && less != nameless).then_some(less)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::environment::{Percent, Spacing};
    use classay_litmus::syntax;
    use std::convert::Infallible;
    use std::time::Duration;

    const SB: &str = "OPENCL SB
{ [x]=0; [y]=0; }
P0 (global atomic_int* x, global atomic_int* y) {
  atomic_store_explicit(x, 1, memory_order_seq_cst, memory_scope_device);
  int r0 = atomic_load_explicit(y, memory_order_seq_cst, memory_scope_device);
}
P1 (global atomic_int* x, global atomic_int* y) {
  atomic_store_explicit(y, 1, memory_order_seq_cst, memory_scope_device);
  atomic_store_explicit(x, 2, memory_order_relaxed, memory_scope_device);
  int r0 = atomic_load_explicit(x, memory_order_seq_cst, memory_scope_device);
}
~exists (0:r0=0 /\\ 1:r0=0)
";

    fn program() -> Program {
        syntax::read_litmus("SB", SB).expect("a program")
    }

    fn crowded() -> Environment {
        let mut environment = Environment::default();
        environment.launch.teams = Some(3);
        environment.order.groups = Some(Percent::ALWAYS);
        environment.memory.spacing = Some(Spacing::Line);
        environment.meet.every = Some(1);
        environment.stress.passes = 7;
        environment
    }

    /// A device that shows the outcome where locations share a line and the stores are seq_cst.
    #[test]
    fn what_does_not_matter_is_left_out() {
        let mut tries = 0;
        let mut play = |program: &Program, environment: &Environment, seconds: f64| {
            tries += 1;
            assert!((SHORTEST..=LONGEST).contains(&seconds));
            let needed = environment.memory.spacing == Some(Spacing::Line);
            let stores = format!("{program:?}").matches("Store").count();
            let rate = if needed && stores >= 2 { 100.0 } else { 1.0 };
            Ok::<_, Infallible>(Seen {
                forbidden: (rate * seconds) as u64,
                contested: 0,
                instances: 1000,
                seconds,
            })
        };
        let first = Seen {
            forbidden: 4,
            contested: 0,
            instances: 1000,
            seconds: 0.1,
        };
        let until = Instant::now() + Duration::from_secs(60);
        let Ok(small) = reduce(&program(), &crowded(), first, until, &mut play);
        assert!(small.confirmed);
        let mut only = Environment::default();
        only.memory.spacing = Some(Spacing::Line);
        assert_eq!(small.environment, only);
        let stores: usize = small
            .program
            .threads
            .iter()
            .map(|t| {
                t.body
                    .iter()
                    .filter(|i| matches!(i, Instr::Store { .. }))
                    .count()
            })
            .sum();
        assert_eq!(stores, 2, "{:?}", small.steps);
        assert!(small.steps.iter().any(|s| s == "the knob meet.every"));
        assert!(tries > 5);
    }

    #[test]
    fn what_is_not_seen_again_is_kept_as_it_is() {
        let mut tries = 0;
        let mut play = |_: &Program, _: &Environment, seconds: f64| {
            tries += 1;
            Ok::<_, Infallible>(Seen {
                seconds,
                instances: 5,
                forbidden: 0,
                contested: 0,
            })
        };
        let first = Seen {
            forbidden: 1,
            contested: 0,
            instances: 1000,
            seconds: 0.1,
        };
        let until = Instant::now() + Duration::from_secs(60);
        let Ok(small) = reduce(&program(), &crowded(), first, until, &mut play);
        assert!(!small.confirmed);
        assert_eq!((small.environment, small.seen), (crowded(), first));
        assert_eq!(tries, 3);
    }

    #[test]
    fn every_knob_can_be_left_out() {
        let mut environment = crowded();
        let mut count = 0;
        for knob in leaves(&environment) {
            if let Some(less) = without(&environment, &knob) {
                environment = less;
                count += 1;
            }
        }
        assert_eq!(environment, Environment::default());
        assert_eq!(count, 5);
    }
}
