//! What one instance of a case showed.

use crate::RuleId;
use serde::{Deserialize, Serialize};

/// How an instance ended: one instance of a litmus test within a launch, or one run of another case.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// The final state of a litmus test: the values of its [`Observable`]s, in their order. Those that are
    /// unsigned and of 64 bits are here as the signed numbers of the same bits.
    State(Vec<i64>),
    /// Everything was as the rules require.
    Required,
    /// It did not come to its end: a loop reached its bound, or a wait its deadline. Nothing promises that
    /// two sides make progress together, so this breaks no rule; nor does it show that one is kept.
    Incomplete,
    /// A rule was broken.
    Violation(Violation),
}

/// A broken rule.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Violation {
    /// The rules of which one is broken, the likeliest first.
    pub rules: Vec<RuleId>,
    /// What was seen and what had to be, the same words in every run that sees the same.
    pub what: String,
}

/// Something of which a final state has a value.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Observable {
    /// `1:r0` for a register, `x` or `x[1]` for memory.
    pub name: String,
    /// Its value is an unsigned number of 64 bits.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unsigned: bool,
}

impl Outcome {
    /// The violation that it is, where it is one.
    pub fn violation(&self) -> Option<&Violation> {
        match self {
            Outcome::Violation(violation) => Some(violation),
            Outcome::State(_) | Outcome::Required | Outcome::Incomplete => None,
        }
    }

    /// The values of the final state that it is, where it is one.
    pub fn state(&self) -> Option<&[i64]> {
        match self {
            Outcome::State(values) => Some(values),
            Outcome::Required | Outcome::Incomplete | Outcome::Violation(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outcomes_have_a_form_in_json() {
        let violation = Violation {
            rules: vec![RuleId::new("sp.event-wait"), RuleId::new("sp.in-order")],
            what: "late".into(),
        };
        for (outcome, json) in [
            (Outcome::State(vec![1, -1]), r#"{"state":[1,-1]}"#),
            (Outcome::Required, r#""required""#),
            (Outcome::Incomplete, r#""incomplete""#),
            (
                Outcome::Violation(violation),
                r#"{"violation":{"rules":["sp.event-wait","sp.in-order"],"what":"late"}}"#,
            ),
        ] {
            assert_eq!(serde_json::to_string(&outcome).expect("JSON"), json);
            let read: Outcome = serde_json::from_str(json).expect("an outcome");
            assert_eq!(read, outcome);
        }
    }
}
