//! A part of a run: `--shard 3/16`.
//!
//! Which shard a case belongs to depends on its id and on how many shards there are, and on nothing
//! else: not on the seed, the selection or the other cases. So every machine of a campaign finds its
//! part by itself, and `classay merge` puts the parts together.

use super::Case;
use super::seed;
use classay_reports::record::CaseId;
use rand_chacha::rand_core::Rng;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// One of so many parts, both from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shard {
    /// Which part, from 1 to [`Shard::of`].
    pub index: u32,
    /// How many parts.
    pub of: u32,
}

/// What `seed::stream` takes for a master seed here: fixed for ever, like it.
const SHARDS: u64 = u64::from_le_bytes(*b"a shard?");

impl Shard {
    /// Whether a case belongs to this part. Cases are spread evenly, as drawn at random.
    pub fn has(&self, case: &CaseId) -> bool {
        seed::stream(SHARDS, case).next_u64() % u64::from(self.of) == u64::from(self.index - 1)
    }

    /// The cases of this part, in their order.
    pub fn of_cases(self, cases: Vec<Case>) -> Vec<Case> {
        cases
            .into_iter()
            .filter(|case| self.has(&case.id))
            .collect()
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index, self.of)
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Shard, String> {
        let numbers = text
            .split_once('/')
            .and_then(|(index, of)| Some((index.trim().parse().ok()?, of.trim().parse().ok()?)));
        match numbers {
            Some((index, of)) if 1 <= index && index <= of => Ok(Shard { index, of }),
            Some(_) | None => Err(
                "a shard is its number and how many there are, from 1/1: the third of sixteen is 3/16"
                    .into(),
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_case_is_in_one_shard_and_shards_are_alike() {
        let cases: Vec<CaseId> = (0..1600)
            .map(|n| CaseId::new("queue", "small", &format!("{n:05}")))
            .collect();
        let size = |index| {
            let shard = Shard { index, of: 16 };
            cases.iter().filter(|case| shard.has(case)).count()
        };
        let sizes: Vec<usize> = (1..=16).map(size).collect();
        assert_eq!(sizes.iter().sum::<usize>(), cases.len(), "{sizes:?}");
        assert!(sizes.iter().all(|n| (60..140).contains(n)), "{sizes:?}");
    }

    /// Fixed for ever: shards of one campaign may be built apart.
    #[test]
    fn shards_stay_what_they_were() {
        let of = |name: &str| {
            let id = CaseId::new("litmus", "classic", name);
            (1..=16).find(|&index| Shard { index, of: 16 }.has(&id))
        };
        assert_eq!([of("MP"), of("SB"), of("LB")], KNOWN.map(Some));
    }

    const KNOWN: [u32; 3] = [11, 14, 8];

    #[test]
    fn shards_are_read_as_they_are_written() {
        for text in ["1/1", "3/16", "16/16"] {
            assert_eq!(
                text.parse::<Shard>().map(|s| s.to_string()),
                Ok(text.into())
            );
        }
        for wrong in [
            "",
            "1",
            "0/4",
            "5/4",
            "1/0",
            "-1/4",
            "1/2/3",
            "a/b",
            "1/99999999999",
        ] {
            assert!(wrong.parse::<Shard>().is_err(), "{wrong}");
        }
    }
}
