//! Random numbers for the fuzzers.

/// SplitMix64: small, fast, and good enough to choose what to damage.
pub struct Random(pub u64);

impl Random {
    /// The next number.
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `n`, which must not be 0.
    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    /// One of some things, of which there must be one.
    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }

    /// How often to repeat something: mostly once or twice, now and then up to `most` times.
    pub fn times(&mut self, most: usize) -> usize {
        let many = self.below(20) == 0;
        1 + self.below(if many { most } else { 2 })
    }

    /// A range of at most `longest` bytes.
    pub fn range(&mut self, text: &[u8], longest: usize) -> std::ops::Range<usize> {
        let start = self.below(text.len() + 1);
        let length = self.below(longest).min(text.len() - start);
        start..start + length
    }
}
