//! At which calls a fault happens.

/// A set of call numbers, which begin at 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum When {
    /// `N`: the N-th call.
    Nth(u64),
    /// `N+`: the N-th call and all behind it.
    From(u64),
    /// `*`: every call.
    Always,
    /// `%P`: every P-th call.
    Every(u64),
    /// `~p/seed`: each call with probability p, decided by its number and the seed alone.
    Chance {
        /// Happens where the hash of the call is below this.
        below: u64,
        /// Chooses one of the sequences.
        seed: u64,
    },
}

/// A word that is no such set.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "'{0}' does not say when: expected N, N+, *, %P or ~PROBABILITY/SEED, with N and P at least 1 and \
     the probability from 0 to 1"
)]
pub(crate) struct NoWhen(String);

impl When {
    /// Reads a set of call numbers.
    pub(crate) fn parse(word: &str) -> Result<When, NoWhen> {
        let wrong = || NoWhen(word.to_owned());
        let positive = |digits: &str| {
            digits
                .parse::<u64>()
                .ok()
                .filter(|n| *n > 0)
                .ok_or_else(wrong)
        };
        if word == "*" {
            return Ok(When::Always);
        }
        if let Some(period) = word.strip_prefix('%') {
            return positive(period).map(When::Every);
        }
        if let Some(chance) = word.strip_prefix('~') {
            let (probability, seed) = chance.split_once('/').ok_or_else(wrong)?;
            let probability: f64 = probability.parse().map_err(|_| wrong())?;
            if !(0.0..=1.0).contains(&probability) {
                return Err(wrong());
            }
            let seed = seed.parse().map_err(|_| wrong())?;
            // A probability of one saturates, and `includes` counts that as always.
            let below = (probability * 2f64.powi(64)) as u64;
            return Ok(When::Chance { below, seed });
        }
        match word.strip_suffix('+') {
            Some(first) => positive(first).map(When::From),
            None => positive(word).map(When::Nth),
        }
    }

    /// Whether the fault happens at this call.
    pub(crate) fn includes(self, call: u64) -> bool {
        match self {
            When::Nth(wanted) => call == wanted,
            When::From(first) => call >= first,
            When::Always => true,
            When::Every(period) => call.is_multiple_of(period),
            When::Chance { below, seed } => {
                below == u64::MAX || mix(seed.wrapping_add(mix(call))) < below
            }
        }
    }
}

/// The finaliser of SplitMix64 (Steele, Lea, Flood 2014): a bijection whose output bits are even.
fn mix(value: u64) -> u64 {
    let value = value.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let value = (value ^ (value >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    value ^ (value >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn calls(word: &str, count: u64) -> Vec<u64> {
        let when = When::parse(word).expect("a set");
        (1..=count).filter(|call| when.includes(*call)).collect()
    }

    #[test]
    fn each_form_names_its_calls() {
        assert_eq!(calls("3", 9), [3]);
        assert_eq!(calls("7+", 9), [7, 8, 9]);
        assert_eq!(calls("*", 3), [1, 2, 3]);
        assert_eq!(calls("%4", 9), [4, 8]);
        assert_eq!(calls("~0/1", 1000), Vec::<u64>::new());
        assert_eq!(calls("~1/1", 3), [1, 2, 3]);
    }

    #[test]
    fn a_chance_has_its_rate_and_repeats_with_its_seed() {
        let happened = calls("~0.1/42", 20_000);
        assert_eq!(happened, calls("~0.1/42", 20_000));
        assert_ne!(happened, calls("~0.1/43", 20_000));
        // 2000 expected, standard deviation 42: five of them.
        assert!((1790..2210).contains(&happened.len()), "{}", happened.len());
    }

    #[test]
    fn other_words_are_refused() {
        for word in [
            "", "0", "-1", "%0", "%", "~0.5", "~2/1", "~x/1", "~0.1/x", "3x", "0+", "+", "~NaN/1",
        ] {
            assert!(When::parse(word).is_err(), "{word}");
        }
    }
}
