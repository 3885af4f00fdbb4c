//! A mutation campaign: which injected faults the suites detect. Read from the lines of JSON that
//! `classay faults --json` prints, one a fault.

use serde::{Deserialize, Serialize};

/// A line: a fault and what became of it. Keys that are not known here are left aside, so that a campaign
/// may say more than a report shows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FaultLine {
    /// The fault's name.
    pub id: String,
    /// Who breaks the device: `call`, `source`, `module`, `capability` or `touchstone`.
    #[serde(alias = "by")]
    pub carrier: String,
    /// The rules that it breaks, the main one first.
    pub rules: Vec<String>,
    /// What it does, in words.
    #[serde(alias = "breaks")]
    pub sentence: String,
    /// What became of it.
    pub result: Fate,
    /// Whether the device can show it at all; where that is not said, a fault of which it is said what the
    /// device can show at best is one that it does not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub showable: Option<bool>,
    /// The case that detected it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub case: Option<String>,
    /// That case names one of the fault's rules.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub own: Option<bool>,
    /// Runs of cases until then, or in all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runs: Option<u64>,
    /// Cases that could run, or that it makes no difference to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cases: Option<u64>,
    /// Seconds in which that case alone shows the fault with a probability of 99 %.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected: Option<f64>,
    /// What the device can show of it at best.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub power: Option<String>,
    /// Why the broken device did not open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// Capabilities of which the device would have to have one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lacks: Vec<String>,
    /// What is wrong with the case.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

classay_vocabulary::words! {
    /// What became of a fault.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum Fate {
        /// No case detected it.
        Undetected = "undetected",
        /// The broken device does not open.
        Unopened = "unopened",
        /// It changed nothing of what any case gives the device.
        NotActed = "not-acted",
        /// The device lacks what programs need that have what it breaks.
        NotApplicable = "not-applicable",
        /// The device breaks the same by itself.
        Obscured = "obscured",
        /// A case detected it.
        Detected = "detected",
    }
}

/// A campaign.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Faults {
    /// Where it was read from, as the user named it.
    pub source: String,
    /// Its faults.
    pub lines: Vec<FaultLine>,
}

/// A campaign that cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("line {line} is no fault of a campaign as `classay faults --json` prints them: {reason}")]
pub struct FaultsError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong.
    pub reason: String,
}

impl Faults {
    /// Reads the lines; empty ones are left out.
    ///
    /// # Errors
    ///
    /// A line is no fault of a campaign; the error has its number.
    pub fn read(source: &str, text: &str) -> Result<Faults, FaultsError> {
        let lines = text.lines().enumerate();
        let lines = lines.filter(|(_, line)| !line.trim().is_empty());
        Ok(Faults {
            source: source.to_owned(),
            lines: lines
                .map(|(place, line)| {
                    serde_json::from_str(line).map_err(|error| FaultsError {
                        line: place + 1,
                        reason: error.to_string(),
                    })
                })
                .collect::<Result<_, _>>()?,
        })
    }

    /// How many ended so.
    pub fn count(&self, fate: Fate) -> usize {
        self.lines.iter().filter(|line| line.result == fate).count()
    }

    /// Faults that this device can show.
    pub fn showable(&self) -> impl Iterator<Item = &FaultLine> {
        self.lines.iter().filter(|line| line.is_showable())
    }
}

impl FaultLine {
    /// Whether the device can show it: what was detected could be shown, and what the device lacks or breaks
    /// by itself could not.
    pub fn is_showable(&self) -> bool {
        match self.result {
            Fate::Detected => true,
            Fate::NotApplicable | Fate::Obscured => false,
            Fate::Undetected | Fate::NotActed | Fate::Unopened => {
                self.showable.unwrap_or(self.power.is_none())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINES: &str = concat!(
        r#"{"id":"a","by":"touchstone","rules":["mm.x"],"breaks":"It does.","shows":"anywhere","#,
        r#""result":"detected","case":"litmus/classic/MP","verdict":"fail","reason":"r","own":true,"#,
        r#""runs":3,"seconds":0.5,"of":10,"shown":9,"expected":0.25}"#,
        "\n\n",
        r#"{"id":"b","by":"layer","rules":[],"breaks":"B.","shows":"weak-processor","#,
        r#""result":"undetected","runs":9,"seconds":1.0,"cases":4,"power":"cannot"}"#,
        "\n",
        r#"{"id":"c","by":"source","rules":[],"breaks":"C.","shows":"x","result":"unopened","why":"w"}"#,
        "\n",
        r#"{"id":"d","by":"source","rules":[],"breaks":"D.","shows":"x","result":"not-applicable","lacks":["pipes"],"#,
        r#""cases":7}"#,
        "\n",
        r#"{"id":"e","by":"layer","rules":[],"breaks":"E.","shows":"x","result":"obscured","cases":3,"#,
        r#""case":"queue/failure/00001","reason":"it fails"}"#,
        "\n",
        r#"{"id":"f","by":"source","rules":[],"breaks":"F.","shows":"store-buffer","result":"undetected","#,
        r#""showable":true,"power":"x86-TSO shows it"}"#,
    );

    #[test]
    fn lines_of_a_campaign_are_read() {
        let faults = Faults::read("f.jsonl", LINES).expect("six lines");
        let fates = [
            Fate::Detected,
            Fate::Undetected,
            Fate::Unopened,
            Fate::NotApplicable,
            Fate::Obscured,
        ];
        assert_eq!(fates.map(|fate| faults.count(fate)), [1, 2, 1, 1, 1]);
        assert_eq!(faults.lines[0].case.as_deref(), Some("litmus/classic/MP"));
        let showable: Vec<&str> = faults.showable().map(|line| line.id.as_str()).collect();
        assert_eq!(showable, ["a", "c", "f"]);
        assert_eq!(faults.lines[3].lacks, ["pipes"]);
    }

    #[test]
    fn what_is_no_campaign_is_reported_with_its_line() {
        let error = Faults::read("f", "\n{\"id\":3}\n").expect_err("no fault");
        assert_eq!(error.line, 2);
        assert!(Faults::read("f", "").expect("nothing").lines.is_empty());
    }
}
