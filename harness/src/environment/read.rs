//! Environments as YAML, and what is wrong with one.

use super::Environment;
use std::path::Path;

/// Largest value of the knobs that count: beyond it no device could follow, and no arithmetic on it
/// overflows.
const MOST: u32 = 1 << 27;

/// Largest number of words between things in memory.
const MOST_WORDS: u32 = 1 << 20;

/// Longest text of an environment, in bytes.
const LONGEST: usize = 1 << 16;

/// Why a text is no environment; one sentence.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Unreadable(String);

impl Environment {
    /// The environment in a text: YAML, or the JSON that is part of it.
    ///
    /// # Errors
    ///
    /// It is no YAML, has a knob that there is not, or a number that no launch can be made of.
    pub fn read(text: &str) -> Result<Environment, Unreadable> {
        if text.len() > LONGEST {
            return Err(Unreadable(format!(
                "is too large: an environment has at most {LONGEST} bytes"
            )));
        }
        // An empty text says nothing, which is the default environment.
        let said = text
            .lines()
            .any(|l| !matches!(l.trim_start().chars().next(), None | Some('#')));
        if !said {
            return Ok(Environment::default());
        }
        let environment: Environment =
            serde_saphyr::from_str(text).map_err(|e| Unreadable(e.to_string()))?;
        environment.check()?;
        Ok(environment)
    }

    /// The environment in a file.
    ///
    /// # Errors
    ///
    /// The file cannot be read, or as [`Environment::read`].
    pub fn from_file(path: &Path) -> Result<Environment, Unreadable> {
        let wrong = |what: String| Unreadable(format!("{}: {what}", path.display()));
        let text = std::fs::read_to_string(path).map_err(|e| wrong(e.to_string()))?;
        Environment::read(&text).map_err(|e| wrong(e.0))
    }

    /// As text that reads as the same.
    pub fn to_yaml(&self) -> String {
        if *self == Environment::default() {
            return "# every knob is left to the device\n".into();
        }
        // Numbers and names: nothing in it can fail to become YAML.
        serde_saphyr::to_string(self).unwrap_or_default()
    }

    /// Whether every number is one that a launch can be made of.
    ///
    /// # Errors
    ///
    /// A number that no launch can be made of.
    pub fn check(&self) -> Result<(), Unreadable> {
        let within = |knob: &str, value: u32, least: u32, most: u32| {
            if (least..=most).contains(&value) {
                Ok(())
            } else {
                Err(Unreadable(format!(
                    "{knob} is {value}; it goes from {least} to {most}"
                )))
            }
        };
        let maybe = |knob: &str, value: Option<u32>, least: u32, most: u32| {
            value.map_or(Ok(()), |value| within(knob, value, least, most))
        };
        maybe("launch.instances", self.launch.instances, 1, MOST)?;
        maybe("launch.teams", self.launch.teams, 1, 1 << 20)?;
        maybe("launch.lanes", self.launch.lanes, 1, 1 << 16)?;
        maybe("launch.multiple", self.launch.multiple, 1, 1 << 16)?;
        maybe("launch.queues", self.launch.queues, 1, 64)?;
        maybe("launch.turns", self.launch.turns, 0, MOST)?;
        maybe("memory.pitch", self.memory.pitch, 1, MOST_WORDS)?;
        maybe("memory.bank", self.memory.bank, 1, MOST_WORDS)?;
        maybe("memory.skew", self.memory.skew, 0, MOST_WORDS)?;
        maybe("memory.moved", self.memory.moved, 0, 1 << 12)?;
        if let Some(bank) = self.memory.bank
            && !bank.is_power_of_two()
        {
            return Err(Unreadable(format!(
                "memory.bank is {bank}, which is no power of two"
            )));
        }
        maybe("meet.every", self.meet.every, 0, MOST)?;
        maybe("meet.bound", self.meet.bound, 0, 100_000_000)?;
        maybe("meet.lag", self.meet.lag, 0, 1_000_000)?;
        if let Some(nice) = self.processors.nice
            && !(-20..=19).contains(&nice)
        {
            return Err(Unreadable(format!(
                "processors.nice is {nice}; it goes from -20 to 19"
            )));
        }
        within("pre-stress.passes", self.pre_stress.passes, 0, 1_000_000)?;
        within("stress.groups", self.stress.groups, 0, 1 << 20)?;
        within("stress.passes", self.stress.passes, 0, 100_000_000)?;
        within("stress.lines", self.stress.lines, 1, 1 << 20)?;
        within("stress.line", self.stress.line, 1, 1 << 12)?;
        within("stress.targets", self.stress.targets, 1, 1 << 12)?;
        within("host-stress.threads", self.host_stress.threads, 0, 256)?;
        within("host-stress.lines", self.host_stress.lines, 1, 1 << 20)?;
        if u64::from(self.stress.lines) * u64::from(self.stress.line) > 1 << 24 {
            return Err(Unreadable(format!(
                "stress has {} lines of {} words; together they have at most {} words",
                self.stress.lines,
                self.stress.line,
                1 << 24
            )));
        }
        if self.name.chars().count() > 64 || self.name.chars().any(char::is_control) {
            return Err(Unreadable(
                "name is longer than 64 characters or has control characters".into(),
            ));
        }
        Ok(())
    }
}
