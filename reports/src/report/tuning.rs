//! What tuning found for a device: which mutants (tests weakened by one step) showed their outcome, and how
//! often at best. Read from the YAML that `classay tune` keeps.

use serde::{Deserialize, Serialize};

/// A tuning. Keys that are not known here are left aside.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Tuning {
    /// Where it was read from, as the user named it.
    #[serde(default)]
    pub source: String,
    /// The device.
    pub device: TunedDevice,
    /// Seconds that were spent playing.
    pub seconds: f64,
    /// How many environments were tried.
    pub tried: usize,
    /// What was wanted.
    pub wanted: Wanted,
    /// Mutants and how many of them were seen.
    pub score: Score,
    /// One environment for all tests.
    pub merged: serde_json::Value,
    /// Seconds in the merged environment after which all that it shows was shown again, with the
    /// reproducibility wanted.
    #[serde(default)]
    pub budget: Option<f64>,
    /// The mutants.
    pub mutants: Vec<Mutant>,
}

/// The device that was tuned for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TunedDevice {
    /// CL_PLATFORM_NAME.
    pub platform: String,
    /// CL_DEVICE_NAME.
    pub name: String,
    /// CL_DEVICE_VERSION.
    pub version: String,
    /// CL_DRIVER_VERSION.
    pub driver: String,
}

/// What environments were compared by.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Wanted {
    /// The probability that a run of all mutants shows every outcome again.
    pub reproducibility: f64,
    /// Seconds that a run gives each test.
    pub seconds_each: f64,
    /// Occurrences a second that this takes of each.
    pub ceiling: f64,
}

/// How many mutants were seen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Score {
    /// Mutants that the device can run.
    pub mutants: usize,
    /// Of these, those whose outcome was seen in some environment.
    pub killed: usize,
    /// Of those that an interleaving shows.
    pub interleaving: Part,
    /// Of the others that x86-TSO allows where a work-group runs on one processor: with the first, the
    /// most that a CPU device of that kind can show.
    pub x86: Part,
    /// Of those that are weaker than that.
    pub weaker: Part,
    /// Mutants whose outcome is frequent enough in the environment that is best for each.
    pub often_enough: usize,
    /// Mutants whose outcome is frequent enough in the merged environment.
    pub often_enough_in_merged: usize,
    /// Mutants that the device cannot run.
    pub not_run: usize,
}

/// How many mutants of a kind were seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Part {
    /// Mutants of the kind that the device can run.
    pub mutants: usize,
    /// Of these, those whose outcome was seen in some environment.
    pub killed: usize,
}

/// A mutant.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Mutant {
    /// Its name.
    pub name: String,
    /// The conformance test that it was weakened from.
    pub of: String,
    /// The shape of its cycle.
    pub shape: String,
    /// What it takes to show its outcome.
    pub sight: Sight,
    /// Its outcome was seen in some environment, be it once; then the rate may be of another time.
    #[serde(default)]
    pub seen: bool,
    /// The environment that is best for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub best: Option<String>,
    /// Occurrences a second there, with the ends of the 95 % interval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<[f64; 3]>,
    /// The same in the merged environment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub in_merged: Option<[f64; 3]>,
}

/// What it takes to show a mutant's outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Sight {
    /// An interleaving: any device whose work-items take turns within the test.
    Interleaving,
    /// Weaker than an interleaving, but x86-TSO allows it where a work-group runs on one processor.
    X86,
    /// Weaker than x86-TSO.
    Weaker,
}

impl Tuning {
    /// Reads what `classay tune` keeps. The error is a sentence.
    ///
    /// # Errors
    ///
    /// The text is not what tuning keeps; the error says where.
    pub fn read(source: &str, text: &str) -> Result<Tuning, String> {
        let tuning: Tuning = serde_saphyr::from_str(text)
            .map_err(|e| format!("it is none that `classay tune` kept: {e}"))?;
        Ok(Tuning {
            source: source.to_owned(),
            ..tuning
        })
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) const KEPT: &str = "\
classay: 0.1.0
device: {platform: P, name: D, version: OpenCL 3.0, driver: '1'}
seed: 11
seconds: 241.0
tried: 26
wanted: {reproducibility: 0.95, seconds-each: 1.0, ceiling: 6.4}
score:
  mutants: 3
  killed: 2
  interleaving: {mutants: 1, killed: 1}
  x86: {mutants: 1, killed: 1}
  weaker: {mutants: 1, killed: 0}
  often-enough: 2
  often-enough-in-merged: 1
  not-run: 0
merged: {name: tuned, launch: {instances: 4096}}
budget: 0.156
environments: []
mutants:
- {name: SB+sc~P0.0-rel, of: SB+sc, shape: SB, sight: x86, seen: true, best: e3, rate: [1000.0, 900.0, 1100.0], in-merged: [2.0, 1.0, 3.0]}
- {name: CoRR~swap, of: CoRR, shape: CoRR, sight: interleaving, seen: true, best: e1, rate: [50000.0, 40000.0, 60000.0]}
- {name: MP+rel+acq~P0.1-rlx, of: MP+rel+acq, shape: MP, sight: weaker}
";

    #[test]
    fn what_tune_keeps_is_read() {
        let tuning = Tuning::read("t.yaml", KEPT).expect("a tuning");
        assert_eq!(
            tuning.score.x86,
            Part {
                mutants: 1,
                killed: 1
            }
        );
        let seen: Vec<bool> = tuning.mutants.iter().map(|mutant| mutant.seen).collect();
        assert_eq!(seen, [true, true, false]);
        assert_eq!(tuning.merged["launch"]["instances"], 4096);
        let wrong = Tuning::read("t.yaml", "a: 1").expect_err("no tuning");
        assert!(wrong.contains("none that `classay tune` kept"), "{wrong}");
    }
}
