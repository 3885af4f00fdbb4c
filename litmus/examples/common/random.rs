//! Random numbers for the fuzzers, and the damage that any text can take.

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

/// Flips a bit, cuts off the end, cuts something out, repeats something, or takes something over from
/// another text.
pub fn damage(text: &mut Vec<u8>, other: &[u8], random: &mut Random) {
    let at = random.below(text.len() + 1);
    match random.below(5) {
        0 if at < text.len() => text[at] ^= 1 << random.below(8),
        0 | 1 => text.truncate(at),
        2 => {
            let range = random.range(text, 40);
            text.drain(range);
        }
        3 => {
            let piece = text[random.range(text, 200)].to_vec();
            let times = random.times(400);
            text.splice(at..at, piece.repeat(times));
        }
        _ => {
            let piece = other[random.range(other, 160)].to_vec();
            text.splice(at..at, piece);
        }
    }
}
