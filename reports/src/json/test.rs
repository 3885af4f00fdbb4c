//! The result of one test as one JSON object, on one line: what `classay litmus --json` prints.
//! The keys are fixed; README.md documents them.

use crate::expectation::Standing;
use crate::record::{CaseResult, Outcome, Verdict};
use crate::text::outcome::table;
use serde::{Deserialize, Serialize};

/// One test's result, with exactly the keys that are written.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TestJson {
    /// The test's name.
    pub test: String,
    /// The file it came from; empty for a shipped or generated test.
    pub file: String,
    /// The device's name; empty where no device was reached.
    pub device: String,
    /// The verdict, in lower case.
    pub verdict: Verdict,
    /// One sentence: why.
    pub reason: String,
    /// Instances run.
    pub instances: u64,
    /// Wall time in seconds.
    pub seconds: f64,
    /// Total counts, most frequent first; equal counts by outcome.
    pub outcomes: Vec<OutcomeJson>,
    /// How it stands to what is expected of it, where something is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expectation: Option<ExpectationJson>,
}

/// How often an outcome occurred.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutcomeJson {
    /// The outcome, for people: `1:r0=1 1:r1=0`.
    pub outcome: String,
    /// The outcome, for programs.
    pub typed: Outcome,
    /// Instances that ended so.
    pub count: u64,
    /// It is a target outcome.
    pub target: bool,
}

/// What was expected of a test.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ExpectationJson {
    /// Whether its verdict is one of those that are expected.
    pub met: bool,
    /// These verdicts.
    pub verdicts: Vec<Verdict>,
    /// Why they are expected.
    pub reason: String,
    /// Where to read more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<String>,
}

impl ExpectationJson {
    /// How a result stands to what is expected of it, where something is.
    pub fn of(standing: Standing<'_>) -> Option<ExpectationJson> {
        let (met, entry) = match standing {
            Standing::Plain => return None,
            Standing::Expected(entry) => (true, entry),
            Standing::Unexpected(entry) => (false, entry),
        };
        Some(ExpectationJson {
            met,
            verdicts: entry.verdict.clone(),
            reason: entry.reason.clone(),
            link: entry.link.clone(),
        })
    }
}

impl TestJson {
    /// The object for a result that `device` gave.
    pub fn new(result: &CaseResult, device: &str) -> TestJson {
        let outcomes = table(result).into_iter();
        TestJson {
            test: result.test.clone(),
            file: result.file.clone(),
            device: device.to_string(),
            verdict: result.verdict,
            reason: result.reason.clone(),
            instances: result.instances,
            seconds: result.seconds,
            outcomes: outcomes
                .map(|(outcome, of)| OutcomeJson {
                    outcome,
                    typed: of.outcome,
                    count: of.count,
                    target: of.target,
                })
                .collect(),
            expectation: None,
        }
    }

    /// With how it stands to what is expected of it.
    pub fn compared_with(mut self, standing: Standing<'_>) -> TestJson {
        self.expectation = ExpectationJson::of(standing);
        self
    }

    /// The object on one line, without a line end. A time that is no number becomes `null`.
    pub fn to_line(&self) -> String {
        // Only a map with keys that are no strings cannot be written, and there is none.
        serde_json::to_string(self).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::sample;

    #[test]
    fn keys_and_order_are_fixed() {
        let line = TestJson::new(&sample::message_passing(), "A \"device\"").to_line();
        assert_eq!(
            line,
            concat!(
                r#"{"test":"MP+rel+acq","file":"tests/MP+rel+acq.litmus","device":"A \"device\"","#,
                r#""verdict":"pass","reason":"the target outcome was never observed in 3,000","#,
                r#""instances":3000,"seconds":0.75,"outcomes":["#,
                r#"{"outcome":"1:r0=1 1:r1=1","typed":{"state":[1,1]},"count":1800,"target":false},"#,
                r#"{"outcome":"1:r0=0 1:r1=0","typed":{"state":[0,0]},"count":900,"target":false},"#,
                r#"{"outcome":"1:r0=0 1:r1=1","typed":{"state":[0,1]},"count":300,"target":false}]}"#,
            )
        );
    }

    #[test]
    fn reads_back() {
        let object = TestJson::new(&sample::message_passing(), "d");
        assert_eq!(
            serde_json::from_str::<TestJson>(&object.to_line()).unwrap(),
            object
        );
    }
}
