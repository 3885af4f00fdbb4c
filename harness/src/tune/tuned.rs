//! What tuning gives: environments, with what they are worth, as YAML that is kept for a device.

use super::mutants::{Mutant, Sight};
use super::search::Found;
use crate::environment::Environment;
use classay_reports::record::DeviceRecord;
pub use classay_reports::report::tuning::Wanted;
use classay_reports::report::tuning::{Mutant as Shown, Part, Score};
use classay_reports::stats::Confidence;
use classay_reports::stats::frequency::Frequency;
use classay_reports::stats::power::expected_for;
use classay_reports::store::PlanHash;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// What tuning gave for a device.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Tuned {
    /// The version of classay.
    pub classay: String,
    /// The device.
    pub device: For,
    /// The master seed of the search.
    pub seed: u64,
    /// Seconds that were spent playing.
    pub seconds: f64,
    /// How many environments were tried.
    pub tried: usize,
    /// What was wanted.
    pub wanted: Wanted,
    /// How many mutants there are, and how many showed their outcome.
    pub score: Score,
    /// One environment for all tests: it keeps most mutants often enough.
    pub merged: Environment,
    /// Seconds in the merged environment after which every mutant that it shows has shown its outcome
    /// with the reproducibility wanted of them together; by the lower ends of the frequencies.
    pub budget: Option<f64>,
    /// The environments that are the best for some mutant, by name.
    pub environments: Vec<Environment>,
    /// The mutants.
    pub mutants: Vec<Shown>,
    /// What went wrong in environments.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub trouble: Vec<Trouble>,
}

/// The device that was tuned for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct For {
    /// CL_PLATFORM_NAME.
    pub platform: String,
    /// CL_DEVICE_NAME.
    pub name: String,
    /// CL_DEVICE_VERSION.
    pub version: String,
    /// CL_DRIVER_VERSION.
    pub driver: String,
}

/// An environment in which something went wrong.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Trouble {
    /// What, once each.
    pub what: Vec<String>,
    /// Where.
    pub environment: Environment,
}

/// Occurrences a second of each of so many tests, for which all of them show theirs with this probability
/// in this many seconds each.
pub fn ceiling(reproducibility: Confidence, tests: usize, seconds_each: f64) -> f64 {
    expected_for(reproducibility, tests) / seconds_each
}

impl Tuned {
    /// Puts together what a search found.
    pub fn new(
        device: &DeviceRecord,
        seed: u64,
        wanted: Wanted,
        mutants: &[Mutant],
        not_run: usize,
        found: &Found,
        seconds: f64,
    ) -> Tuned {
        let name = |trial: usize| format!("e{trial}");
        let named = |trial: usize| Environment {
            name: name(trial),
            ..found.trials[trial].environment.clone()
        };
        let three = |f: &Frequency| [f.per_second(), f.low, f.high].map(rounded);
        let mut used: Vec<usize> = found.best.iter().flatten().map(|(t, _)| *t).collect();
        used.sort_unstable();
        used.dedup();
        let enough = |f: &Frequency| f.independent_per_second() >= wanted.ceiling;
        let count = |f: &dyn Fn(usize) -> bool| (0..mutants.len()).filter(|m| f(*m)).count();
        let best = |m: usize| found.best[m].as_ref().map(|(_, frequency)| frequency);
        let part = |sight: Sight| Part {
            mutants: count(&|m| mutants[m].sight == sight),
            killed: count(&|m| mutants[m].sight == sight && found.killed[m]),
        };
        let score = Score {
            mutants: mutants.len(),
            killed: count(&|m| found.killed[m]),
            interleaving: part(Sight::Interleaving),
            x86: part(Sight::X86),
            weaker: part(Sight::Weaker),
            often_enough: count(&|m| best(m).is_some_and(enough)),
            often_enough_in_merged: count(&|m| found.in_merged[m].as_ref().is_some_and(enough)),
            not_run,
        };
        let confidence = Confidence::new(wanted.reproducibility).unwrap_or(Confidence::P95);
        let shown: Vec<&Frequency> = found.in_merged.iter().flatten().collect();
        let lows: Vec<f64> = shown
            .iter()
            .map(|f| f.low)
            .filter(|low| *low > 0.0)
            .collect();
        let occurrences = expected_for(confidence, lows.len());
        Tuned {
            classay: env!("CARGO_PKG_VERSION").into(),
            device: For::of(device),
            seed,
            seconds: rounded(seconds),
            tried: found.trials.len(),
            wanted,
            score,
            merged: found
                .trials
                .get(found.merged)
                .map_or_else(Environment::default, |_| Environment {
                    name: "tuned".into(),
                    ..named(found.merged)
                }),
            budget: (!lows.is_empty())
                .then(|| rounded(lows.iter().map(|low| occurrences / low).sum())),
            environments: used.iter().map(|trial| named(*trial)).collect(),
            mutants: mutants
                .iter()
                .enumerate()
                .map(|(m, mutant)| Shown {
                    name: mutant.name.clone(),
                    of: mutant.of.clone(),
                    shape: mutant.shape.clone(),
                    sight: mutant.sight,
                    seen: found.killed[m],
                    best: found.best[m].as_ref().map(|(trial, _)| name(*trial)),
                    rate: best(m).map(three),
                    in_merged: found.in_merged[m].as_ref().map(three),
                })
                .collect(),
            trouble: found
                .trials
                .iter()
                .filter(|trial| !trial.trouble.is_empty())
                .map(|trial| Trouble {
                    what: trial.trouble.clone(),
                    environment: trial.environment.clone(),
                })
                .collect(),
        }
    }

    /// From a file; the error is a sentence.
    ///
    /// # Errors
    ///
    /// The file cannot be read, or is none that tuning wrote; one sentence.
    pub fn read(path: &Path) -> Result<Tuned, String> {
        let text = std::fs::read_to_string(path)
            .map_err(|e| format!("{} cannot be read: {e}", path.display()))?;
        serde_saphyr::from_str(&text).map_err(|e| format!("{}: {e}", path.display()))
    }

    /// As YAML.
    ///
    /// # Errors
    ///
    /// An environment cannot be written as YAML, which is a bug.
    pub fn to_yaml(&self) -> Result<String, String> {
        serde_saphyr::to_string(self).map_err(|e| e.to_string())
    }
}

/// To five digits: what follows is noise.
fn rounded(x: f64) -> f64 {
    if x == 0.0 || !x.is_finite() {
        return x;
    }
    let digits = 10f64.powi(4 - x.abs().log10().floor() as i32);
    (x * digits).round() / digits
}

impl For {
    /// What tells a device from others.
    pub fn of(device: &DeviceRecord) -> For {
        For {
            platform: device.platform.clone(),
            name: device.name.clone(),
            version: device.version.clone(),
            driver: device.driver.clone(),
        }
    }

    /// The file in which what was tuned for this device and driver is kept: in `tuned` within
    /// `$CLASSAY_HOME`, or else within the user's data folder. None where the system names neither.
    pub fn file(&self) -> Option<PathBuf> {
        let set = |name| {
            std::env::var_os(name)
                .filter(|v| !v.is_empty())
                .map(PathBuf::from)
        };
        let home = set("CLASSAY_HOME")
            .or_else(|| set("XDG_DATA_HOME").map(|data| data.join("classay")))
            .or_else(|| set("HOME").map(|home| home.join(".local/share/classay")))?;
        let clean: String = self
            .name
            .chars()
            .map(|c| {
                if c.is_ascii_alphanumeric() {
                    c.to_ascii_lowercase()
                } else {
                    '-'
                }
            })
            .collect();
        let words: Vec<&str> = clean.split('-').filter(|word| !word.is_empty()).collect();
        let text = [&*self.platform, &*self.name, &*self.version, &*self.driver].join("\n");
        let hash: String = PlanHash::of(&text).as_str().chars().take(8).collect();
        let mut name = words.join("-");
        name.truncate(40);
        Some(home.join("tuned").join(format!("{name}-{hash}.yaml")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_keep_five_digits() {
        for (x, is) in [
            (0.0, 0.0),
            (123_456_789.0, 123_460_000.0),
            (0.001_234_567, 0.001_234_6),
        ] {
            assert!((rounded(x) - is).abs() <= is * 1e-12, "{x}: {}", rounded(x));
        }
    }

    /// Twenty tests of a second each that are to reproduce with 95 % together: 5.97 occurrences each.
    #[test]
    fn the_ceiling_is_that_of_the_suite() {
        let of = |tests, seconds| ceiling(Confidence::P95, tests, seconds);
        assert!((of(1, 1.0) - 2.9957).abs() < 1e-4);
        assert!((5.9..6.1).contains(&of(20, 1.0)));
        assert!((of(20, 2.0) * 2.0 - of(20, 1.0)).abs() < 1e-12);
    }
}
