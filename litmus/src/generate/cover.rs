//! Greedy pairwise covering: a small selection in which every two values that some test has
//! together are together in a selected one.

use std::collections::{HashMap, HashSet};

/// Number of dimensions: shape, orders, scopes, layout, spread, idiom.
pub const DIMENSIONS: usize = 6;

/// What the dimensions are called.
pub const TRAITS: [&str; DIMENSIONS] = ["shape", "orders", "scopes", "layout", "spread", "idiom"];

/// A test's value in each dimension of [`TRAITS`].
pub type Traits = [String; DIMENSIONS];

/// How many pairs of values a selection has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Coverage {
    /// Pairs that some selected test has.
    pub covered: usize,
    /// Pairs that some test has.
    pub feasible: usize,
}

impl Coverage {
    /// That of the tests with the numbers `chosen`.
    pub(super) fn of(tests: &[&Traits], chosen: &[usize]) -> Coverage {
        let pairs = pairs(tests);
        let count = |tests: &mut dyn Iterator<Item = &Vec<u32>>| {
            tests.flatten().copied().collect::<HashSet<u32>>().len()
        };
        Coverage {
            covered: count(&mut chosen.iter().map(|c| &pairs[*c])),
            feasible: count(&mut pairs.iter()),
        }
    }
}

/// The tests that cover all pairs, in the order of choice. With a count, exactly so many where
/// there are as many: a covering that is complete starts again over what is left.
pub fn pairwise(tests: &[&Traits], count: Option<usize>) -> Vec<usize> {
    let pairs = pairs(tests);
    let total = pairs.iter().flatten().copied().collect::<HashSet<u32>>();
    let wanted = count.unwrap_or(usize::MAX).min(tests.len());
    let mut left: Vec<usize> = (0..tests.len()).collect();
    let mut open = total.clone();
    let mut chosen = Vec::new();
    // what a test can still add only shrinks within a round, so an old number bounds the new one
    let mut bound: Vec<usize> = pairs.iter().map(Vec::len).collect();
    while chosen.len() < wanted {
        let mut best: Option<(usize, usize)> = None;
        for (at, &test) in left.iter().enumerate() {
            if best.is_some_and(|(_, gain)| bound[test] <= gain) {
                continue;
            }
            bound[test] = pairs[test].iter().filter(|p| open.contains(p)).count();
            if best.is_none_or(|(_, gain)| bound[test] > gain) {
                best = Some((at, bound[test]));
            }
        }
        match best {
            Some((at, gain)) if gain > 0 => {
                let test = left.remove(at);
                for pair in &pairs[test] {
                    open.remove(pair);
                }
                chosen.push(test);
            }
            Some(_) if count.is_some() && open.len() < total.len() => {
                open.clone_from(&total);
                for test in &left {
                    bound[*test] = pairs[*test].len();
                }
            }
            Some(_) | None => break,
        }
    }
    chosen
}

/// Each test's pairs of values, as numbers.
fn pairs(tests: &[&Traits]) -> Vec<Vec<u32>> {
    let mut numbers: HashMap<(usize, usize, &str, &str), u32> = HashMap::new();
    tests
        .iter()
        .map(|traits| {
            let mut out = Vec::new();
            for a in 0..DIMENSIONS {
                for b in a + 1..DIMENSIONS {
                    let next = numbers.len() as u32;
                    let key = (a, b, traits[a].as_str(), traits[b].as_str());
                    out.push(*numbers.entry(key).or_insert(next));
                }
            }
            out
        })
        .collect()
}
