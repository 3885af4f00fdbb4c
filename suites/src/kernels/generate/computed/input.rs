//! Numbers that kernels read.

use crate::kernels::code::number::{Integer, LANES, Value};

/// So many numbers of a type that look random, many of them where types end.
pub(in super::super) fn numbers(of: Integer, count: usize, seed: u64) -> Vec<Value> {
    let mut state = seed;
    (0..count).map(|_| number(of, &mut state)).collect()
}

fn number(of: Integer, state: &mut u64) -> Value {
    let random = next(state);
    let number = match random % 10 {
        0 => of.least(),
        1 => of.greatest(),
        2 => -1,
        3 | 4 => i128::from(random >> 32) % 16,
        5 => 1 << ((random >> 32) % u64::from(of.bits)),
        // As wide as it happens to be.
        6 => i128::from(next(state) >> ((random >> 32) % 64)),
        _ => i128::from(next(state)),
    };
    let mut value = [0; LANES];
    value[0] = of.wrap(number);
    value
}

/// SplitMix64.
fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
