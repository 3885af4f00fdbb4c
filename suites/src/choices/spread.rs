//! The first choices of the cases of a kind, spread evenly over what there is to choose.
//!
//! Cases that are drawn independently miss a choice of one in eight in ten cases of a kind with probability 0.26.
//! Here the choice at a place is, over the cases of a kind, a van der Corput sequence whose digits are scrambled as
//! nested trees (A. B. Owen, "Randomly permuted (t,m,s)-nets and (t,s)-sequences", 1995): of any 2^k cases that follow
//! each other from a multiple of 2^k on, each of the 2^k equal parts of the range holds exactly one choice. The choice
//! of each case alone is uniform, and choices at different places are independent of each other.

/// How many choices of a case are spread; what generators decide for a whole case comes first. Later ones mean
/// different things in different cases.
pub(super) const SPREAD: usize = 64;

/// The bits of a seed that number the cases of a kind: the lowest ones.
pub const NUMBER_BITS: u32 = 16;

/// The cases of a kind, and which of them this is.
pub(super) struct Spread {
    kind: u64,
    number: u64,
}

impl Spread {
    /// The parts of a seed.
    pub(super) fn of(seed: u64) -> Spread {
        Spread {
            kind: seed >> NUMBER_BITS,
            number: seed & ((1 << NUMBER_BITS) - 1),
        }
    }

    /// The highest [`NUMBER_BITS`] bits of the choice at a place, and below them bits of a number that is random.
    pub(super) fn choice(&self, place: usize, random: u64) -> u64 {
        let tree = mixed(self.kind ^ mixed(place as u64));
        // In an order of its own, or half of the range at one place would go with one half at every other place.
        let turn = scrambled(self.number, mixed(tree));
        let high = scrambled(turn.reverse_bits() >> UNUSED, tree);
        (high << UNUSED) | (random >> NUMBER_BITS)
    }
}

/// The bits of 64 that a number of [`NUMBER_BITS`] leaves.
const UNUSED: u32 = u64::BITS - NUMBER_BITS;

/// A number of [`NUMBER_BITS`] each bit of which is flipped or not by all bits above it, as a tree says: numbers from a
/// multiple of 2^k to the next are again all from a multiple of 2^k to the next, in another order.
fn scrambled(number: u64, tree: u64) -> u64 {
    (0..NUMBER_BITS).fold(0, |scrambled, bit| {
        let node = ((1 << NUMBER_BITS) | number) >> (bit + 1);
        let digit = (number >> bit) ^ mixed(tree ^ node);
        scrambled | ((digit & 1) << bit)
    })
}

/// A number whose bits all depend on all bits of another: the output function of SplitMix64 (G. L. Steele, D. Lea,
/// C. H. Flood, "Fast splittable pseudorandom number generators", 2014).
fn mixed(number: u64) -> u64 {
    let mut mixed = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seed(kind: u64, number: u64) -> u64 {
        (kind << NUMBER_BITS) | number
    }

    /// Which of so many equal parts of the range a choice is in.
    fn part(parts: usize, seed: u64, place: usize) -> usize {
        let choice = Spread::of(seed).choice(place, 0);
        ((u128::from(choice) * parts as u128) >> 64) as usize
    }

    #[test]
    fn of_a_power_of_two_of_cases_each_part_has_one() {
        for kind in 0..20 {
            for place in [0, 1, 7, 63] {
                for parts in [2, 4, 16, 64] {
                    for from in [0, parts, 5 * parts] {
                        let numbers = from..from + parts;
                        let mut all: Vec<usize> = numbers
                            .map(|n| part(parts, seed(kind, n as u64), place))
                            .collect();
                        all.sort();
                        assert!(all.into_iter().eq(0..parts), "{kind} {place} {from}");
                    }
                }
            }
        }
    }

    /// Pairs of choices at two places, over kinds and over the cases of one: each of sixteen pairs of quarters is as
    /// likely.
    #[test]
    fn choices_at_different_places_are_independent() {
        let over_kinds = (0..4000).map(|kind| seed(kind, 9));
        let over_cases = (0..4000).map(|number| seed(5, number));
        let seeds: [Vec<u64>; 2] = [over_kinds.collect(), over_cases.collect()];
        for seeds in seeds {
            let mut seen = [[0; 4]; 4];
            for seed in seeds {
                seen[part(4, seed, 2)][part(4, seed, 3)] += 1;
            }
            // 250 of each are expected; five standard deviations are 77.
            let each = |n: &i32| (173..328).contains(n);
            assert!(seen.iter().flatten().all(each), "{seen:?}");
        }
    }

    #[test]
    fn kinds_begin_at_different_places() {
        let first: std::collections::BTreeSet<usize> =
            (0..64).map(|kind| part(16, seed(kind, 1), 0)).collect();
        assert!(first.len() > 12, "{first:?}");
    }
}
