//! What will run, decided before anything runs.
//!
//! A plan is a list of [`Case`]s with a master seed and a budget. [`seed`] gives each case its own
//! stream, [`select`] picks cases by pattern, [`shard`] a machine's part of them. `cases` makes them from the shipped tests and
//! the suites' generators, `files` from what a user names; `body` is what a case runs. The store keeps the plan and each case's specification, so that a run can be resumed from
//! the store alone.

mod body;
mod cases;
mod files;
pub mod seed;
pub mod select;
pub mod shard;

pub use body::{Body, LitmusTest, Work};
pub use cases::{
    MOST_OF_A_KIND, drawn, drawn_for_a_run, generated_tests, is_generated_test, of_program,
    shipped, shipped_called, shipped_of, small,
};
pub use files::{
    Holding, Shipped, Unreadable, all_shipped, expand, from_files, no_shipped_test,
    programs_from_files, read, shipped_like,
};

use crate::environment::Environment;
use classay_reports::record::CaseId;
use classay_reports::store::{PlanHash, PlannedCase};
use classay_vocabulary::Budget;
use select::Selection;
use serde::{Deserialize, Serialize};
use shard::Shard;

/// One generated thing to run, with all that decides what it does. The store keeps it as JSON, with the
/// id beside it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Case {
    /// Its stable name.
    #[serde(skip_serializing, default = "unnamed")]
    pub id: CaseId,
    /// The test's own name.
    pub test: String,
    /// The file it came from; empty for a shipped test.
    pub file: String,
    /// What it runs.
    pub body: Body,
    /// How a litmus test is placed and stressed.
    #[serde(default, skip_serializing_if = "is_default")]
    pub environment: Environment,
    /// Seed of everything it draws.
    pub seed: u64,
    /// When to stop.
    pub budget: Budget,
    /// Its place among all that the run selects, from 0, also in a shard.
    #[serde(default)]
    pub place: u32,
    /// What a violation says that counts ([`classay_reports::pattern`]); of others the run knows nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keep: Option<String>,
}

fn unnamed() -> CaseId {
    CaseId::from_stored(String::new())
}

fn is_default(environment: &Environment) -> bool {
    *environment == Environment::default()
}

impl Case {
    /// A case that has no seed, budget and place yet, in the environment that suits the device.
    pub fn new(id: CaseId, test: &str, file: &str, body: Body) -> Case {
        Case {
            id,
            test: test.to_string(),
            file: file.to_string(),
            body,
            environment: Environment::default(),
            seed: 0,
            budget: Budget::Instances(0),
            place: 0,
            keep: None,
        }
    }

    /// For the store.
    pub fn planned(&self) -> PlannedCase {
        PlannedCase {
            case: self.id.clone(),
            // Strings and numbers: nothing in it can fail to become JSON.
            spec: serde_json::to_string(self).unwrap_or_default(),
        }
    }

    /// From the store.
    ///
    /// # Errors
    ///
    /// The specification is another version's; one sentence.
    pub fn from_planned(planned: PlannedCase) -> Result<Case, String> {
        let case: Case = serde_json::from_str(&planned.spec)
            .map_err(|e| format!("the specification of {} cannot be read: {e}", planned.case))?;
        Ok(Case {
            id: planned.case,
            ..case
        })
    }
}

/// A run's description, as the store keeps it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// The device, as the user chose it.
    pub device: String,
    /// The memory model that judges, as the user chose it, or the device's own.
    pub model: String,
    /// The master seed.
    pub seed: u64,
    /// Which cases were selected.
    #[serde(flatten)]
    pub selection: Selection,
    /// How litmus tests are placed and stressed.
    #[serde(default, skip_serializing_if = "is_default")]
    pub environment: Environment,
    /// What was asked for: seconds for the whole run, or instances for each case.
    pub asked: Budget,
    /// How many cases.
    pub cases: usize,
    /// Hash of the cases' ids and specifications.
    pub digest: String,
    /// The part of a run that this is, where it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part: Option<Part>,
}

/// What a shard knows of the run that it is a part of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    /// Which part.
    pub shard: Shard,
    /// Cases of the whole run.
    pub cases: usize,
    /// Hash of all their ids, bodies and seeds.
    pub digest: String,
}

impl Plan {
    /// The description of these cases, which are all that was selected, or a part of it. Its litmus tests
    /// share an environment.
    pub fn new(
        device: String,
        model: String,
        seed: u64,
        selection: Selection,
        asked: Budget,
        cases: &[Case],
        part: Option<Part>,
    ) -> Plan {
        Plan {
            device,
            model,
            seed,
            selection,
            environment: cases
                .iter()
                .find(|case| case.body.is_litmus())
                .map(|case| case.environment.clone())
                .unwrap_or_default(),
            asked,
            cases: cases.len(),
            digest: digest(cases),
            part,
        }
    }

    /// As text, one line.
    pub fn to_text(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// From what the store kept.
    ///
    /// # Errors
    ///
    /// The text is another version's; one sentence.
    pub fn from_text(text: &str) -> Result<Plan, String> {
        serde_json::from_str(text).map_err(|e| format!("the stored plan cannot be read: {e}"))
    }
}

/// The hash of cases' ids and specifications.
pub fn digest(cases: &[Case]) -> String {
    let all: String = cases
        .iter()
        .map(Case::planned)
        .flat_map(|p| [p.case.to_string(), "\n".into(), p.spec, "\n".into()])
        .collect();
    PlanHash::of(&all).as_str().to_string()
}

/// Gives every case its place, and keeps those of the shard, where there is one.
pub fn part(mut cases: Vec<Case>, master: u64, shard: Option<Shard>) -> (Vec<Case>, Option<Part>) {
    for (place, case) in (0..).zip(&mut cases) {
        case.place = place;
    }
    let Some(shard) = shard else {
        return (cases, None);
    };
    // How long each may take is a shard's own affair.
    share_out(&mut cases, master, Budget::Instances(0));
    let part = Part {
        shard,
        cases: cases.len(),
        digest: digest(&cases),
    };
    (shard.of_cases(cases), Some(part))
}

/// Gives every case its seed and its budget. Seconds are shared out equally, instances are each
/// case's own.
pub fn share_out(cases: &mut [Case], master: u64, asked: Budget) {
    let share = asked.seconds().unwrap_or(0.0) / cases.len().max(1) as f64;
    let budget = asked.lasting(share);
    for case in cases {
        case.seed = seed::of_case(master, &case.id);
        case.budget = budget;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn test(name: &str) -> LitmusTest {
        let text = format!(
            "OPENCL {name}\n{{ [x]=0; }}\nP0 (global int* x) {{ *x = 1; }}\nexists (x=1)\n"
        );
        LitmusTest::read(&text).expect("a test")
    }

    fn case(name: &str) -> Case {
        Case {
            id: CaseId::new("litmus", "classic", name),
            test: name.into(),
            file: String::new(),
            body: Body::Litmus(test(name)),
            environment: Environment::default(),
            seed: 0,
            budget: Budget::Instances(0),
            place: 0,
            keep: None,
        }
    }

    #[test]
    fn a_case_survives_the_store() {
        let mut cases = vec![case("MP")];
        share_out(&mut cases, u64::MAX, Budget::Seconds(0.1));
        assert_eq!(Case::from_planned(cases[0].planned()), Ok(cases[0].clone()));
    }

    #[test]
    fn seconds_are_shared_and_instances_are_not() {
        let mut cases = vec![case("MP"), case("SB"), case("LB"), case("R")];
        share_out(&mut cases, 7, Budget::Seconds(60.0));
        assert!(cases.iter().all(|c| c.budget == Budget::Seconds(15.0)));
        share_out(&mut cases, 7, Budget::Instances(1000));
        assert!(cases.iter().all(|c| c.budget == Budget::Instances(1000)));
        share_out(&mut [], 7, Budget::Seconds(60.0));
    }

    #[test]
    fn a_cases_seed_does_not_depend_on_the_others() {
        let mut all = vec![case("MP"), case("SB")];
        let mut one = vec![case("SB")];
        share_out(&mut all, 7, Budget::Instances(1));
        share_out(&mut one, 7, Budget::Instances(1));
        assert_eq!(all[1], one[0]);
        assert_ne!(all[0].seed, all[1].seed);
    }

    #[test]
    fn the_digest_sees_every_change() {
        let plan = |cases: &[Case]| {
            Plan::new(
                "d".into(),
                "opencl-3.0".into(),
                1,
                Selection::default(),
                Budget::Instances(1),
                cases,
                None,
            )
        };
        let one = plan(&[case("MP"), case("SB")]);
        assert_eq!(one, plan(&[case("MP"), case("SB")]));
        assert_ne!(one.digest, plan(&[case("SB"), case("MP")]).digest);
        let mut changed = case("MP");
        changed.body = Body::Litmus(test("other"));
        assert_ne!(one.digest, plan(&[changed, case("SB")]).digest);
        assert_eq!(Plan::from_text(&one.to_text()), Ok(one));
    }
}
