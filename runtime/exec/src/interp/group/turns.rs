//! How long items run before the next one does.

/// The next number of a small generator: splitmix64.
pub(crate) fn splitmix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// A small generator for the lengths of turns: splitmix64.
#[derive(Clone, Copy, Debug)]
pub(super) struct Turns {
    state: u64,
}

impl Turns {
    pub(super) fn new(seed: u64, group: u64) -> Turns {
        let mut turns = Turns {
            state: seed ^ group.wrapping_mul(0x9e37_79b9_7f4a_7c15),
        };
        turns.next();
        turns
    }

    fn next(&mut self) -> u64 {
        splitmix(&mut self.state)
    }

    /// A length from 1 to 1024 whose logarithm is uniform.
    pub(super) fn length(&mut self) -> u64 {
        let x = self.next();
        let log = (x & 0xff) % 10;
        let base = 1 << log;
        base + ((x >> 8) & (base - 1)) + u64::from(log == 9) * ((x >> 40) & 1)
    }
}
