//! Holds what a run of a kernel case observed against what the case wants.

use super::case::{Contents, KernelCase, Launch, Place, Step, Unit, Want};
use super::model::Model;
use super::trace::{Kernels, Trace};
use super::transfer::Move;
use super::{ids, sub_groups};
use crate::rule::{self, RuleId};
use classay_vocabulary::Violation;

/// Every rule that a run breaks, in the order of the steps.
pub fn check(case: &KernelCase, trace: &Trace) -> Vec<Violation> {
    let mut found = Vec::new();
    let mut model = Model::new(case);
    for (n, step) in case.steps.iter().enumerate() {
        found.extend(call(step, trace.codes.get(&n)));
        if let Step::Launch(launch) = step
            && launch.fails
            && let Some(status) = trace.statuses.get(&n).filter(|status| **status >= 0)
        {
            found.push(Violation {
                rules: launch.rules.clone(),
                what: format!(
                    "the kernel {} ends with status {status}, not an error",
                    launch.kernel
                ),
            });
        }
        if let Step::AskKernels { rules } = step
            && let Some(what) = trace.kernels.get(&n).and_then(kernels)
        {
            found.push(Violation {
                rules: rules.clone(),
                what,
            });
        }
        if let Step::Look {
            object,
            rules,
            name,
            want,
            even_so,
        } = step
            && (*even_so || !trace.gave_up)
            && let Some(seen) = trace.looks.get(&n)
        {
            for (own, what) in look(trace, &model, *object, name, want, seen) {
                let rules = if own.is_empty() { rules.clone() } else { own };
                found.push(Violation { rules, what });
            }
        }
        if let (Step::Talk { rules, .. }, Some(what)) = (step, trace.astray.get(&n)) {
            found.push(Violation {
                rules: rules.clone(),
                what: what.clone(),
            });
        }
        model.step(step);
    }
    found
}

/// A call that gave another code than it should.
fn call(step: &Step, code: Option<&(&'static str, i32)>) -> Option<Violation> {
    let (name, code) = code?;
    let (wanted, rules) = match step {
        Step::Launch(Launch { code, rules, .. }) | Step::Move(Move { code, rules, .. }) => {
            (*code, rules.clone())
        }
        Step::Finish
        | Step::Talk { .. }
        | Step::Host { .. }
        | Step::Point { .. }
        | Step::AskSubGroups { .. }
        | Step::AskKernels { .. }
        | Step::Look { .. } => (0, Vec::new()),
    };
    if *code == wanted {
        return None;
    }
    let what = if wanted == 0 {
        format!("{name} gives error {code}")
    } else {
        format!("{name} gives {code}, not error {wanted}")
    };
    let rules = if wanted == 0 || rules.is_empty() {
        vec![rule::API_VALID]
    } else {
        rules
    };
    Some(Violation { rules, what })
}

/// What is wrong with the kernels of a program.
fn kernels(told: &Kernels) -> Option<String> {
    let sorted = |names: &[String]| {
        let mut names = names.to_vec();
        names.sort();
        names
    };
    if told.count != told.asked.len() as u64 {
        return Some(format!(
            "a program of {} kernels has {}",
            told.asked.len(),
            told.count
        ));
    }
    if sorted(&told.names) != sorted(&told.asked) {
        return Some(format!(
            "a program of the kernels {} names {}",
            told.asked.join(";"),
            told.names.join(";")
        ));
    }
    let wrong = |(name, made): (&String, &Result<String, i32>)| match made {
        Ok(own) if own == name => None,
        Ok(own) => Some(format!("the kernel {name} is called {own}")),
        Err(code) => Some(format!("the kernel {name} gives error {code}")),
    };
    told.asked.iter().zip(&told.made).find_map(wrong)
}

/// What is wrong in an object, with rules of its own where it has any.
fn look(
    trace: &Trace,
    model: &Model<'_>,
    object: super::case::ObjectId,
    name: &str,
    want: &Want,
    seen: &[u8],
) -> Vec<(Vec<RuleId>, String)> {
    let plain = |what: Option<String>| what.map(|w| (Vec::new(), w)).into_iter().collect();
    match want {
        Want::Same {
            unit,
            contents,
            racy,
        } => plain(same(name, *unit, &contents.bytes(seen.len()), seen, *racy)),
        Want::AsMoved => plain(same(name, Unit::Byte, &model.bytes(object), seen, false)),
        Want::Permutation {
            unit,
            count,
            first,
            step,
        } => {
            let count = usize::try_from(*count).unwrap_or(usize::MAX);
            let mut values: Vec<u64> = units(*unit, seen).take(count).collect();
            values.sort_unstable();
            let right = values
                .iter()
                .enumerate()
                .all(|(n, v)| *v == first.wrapping_add((n as u64).wrapping_mul(*step)));
            plain((!right).then(|| {
                let twice = values.windows(2).any(|pair| pair[0] == pair[1]);
                if twice {
                    format!("{name}: a value came twice")
                } else {
                    format!("{name}: a value is missing")
                }
            }))
        }
        Want::Ids {
            range,
            uniform,
            times,
        } => {
            let longs: Vec<u64> = units(Unit::Long, seen).collect();
            ids::check(&longs, range, *uniform, *times)
                .into_iter()
                .map(|v| (v.rules, v.what))
                .collect()
        }
        Want::Halves { unit } => {
            let half = seen.len() / 2 / unit.bytes() * unit.bytes();
            plain(same(
                name,
                *unit,
                &seen[..half],
                &seen[half..2 * half],
                false,
            ))
        }
        Want::SubGroups { asked, groups } => plain(trace.sub_groups.get(asked).and_then(|told| {
            let words: Vec<u32> = units(Unit::Word, seen).map(|word| word as u32).collect();
            sub_groups::check(&words, groups, told).map(|what| format!("{name}: {what}"))
        })),
        Want::Pointers(list) => list
            .iter()
            .filter_map(|(at, to)| pointer(trace, name, *at, *to, seen))
            .take(1)
            .map(|what| (Vec::new(), what))
            .collect(),
    }
}

/// The elements of some bytes.
fn units(unit: Unit, bytes: &[u8]) -> impl Iterator<Item = u64> + '_ {
    bytes.chunks_exact(unit.bytes()).map(|chunk| {
        let mut long = [0; 8];
        long[..chunk.len()].copy_from_slice(chunk);
        u64::from_le_bytes(long)
    })
}

fn same(name: &str, unit: Unit, wanted: &[u8], seen: &[u8], racy: bool) -> Option<String> {
    let (n, (wanted, seen)) = units(unit, wanted)
        .zip(units(unit, seen))
        .enumerate()
        .find(|(_, (wanted, seen))| wanted != seen)?;
    Some(if racy {
        format!("{name}: {} {n} is not {wanted}", unit.name())
    } else {
        format!("{name}: {} {n} is {seen}, not {wanted}", unit.name())
    })
}

fn pointer(trace: &Trace, name: &str, at: usize, to: Option<Place>, seen: &[u8]) -> Option<String> {
    let is = units(Unit::Long, seen.get(at..at + 8)?).next()?;
    let wanted = match to {
        None => 0,
        Some(to) => trace.addresses.get(&to.object)? + to.byte as u64,
    };
    if is == wanted {
        return None;
    }
    let goal = match to {
        None => "nowhere".to_string(),
        Some(to) => format!("to byte {} of object {}", to.byte, to.object.0),
    };
    Some(format!(
        "{name}: the pointer at byte {at} does not lead {goal}"
    ))
}

impl Want {
    /// These words.
    pub fn words(words: Vec<u32>) -> Want {
        Want::Same {
            unit: Unit::Word,
            contents: Contents::Words(words),
            racy: false,
        }
    }
}
