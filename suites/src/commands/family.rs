//! Programs of commands as a family of cases.

use super::check::Plan;
use super::generate::{Profile, random};
use super::{lower, needs, reproduce, shrink, yaml};
use crate::family::{DeviceInfo, Family};
use crate::host::Record;
use crate::rule::RuleId;
use crate::shrink::{Judge, Shrunk, Told};
use classay_vocabulary::{Need, Violation};
use std::collections::BTreeSet;

impl Family for Plan {
    const KIND: &'static str = "commands";

    type Lowered = lower::Lowered;

    fn generate(name: &str, seed: u64) -> Option<Plan> {
        random(seed, &Profile::find(name)?).ok()
    }

    fn needs(&self) -> BTreeSet<Need> {
        needs::needs(&self.program)
    }

    fn covers(&self) -> BTreeSet<RuleId> {
        Plan::covers(self)
    }

    fn lower(&self, _: &DeviceInfo) -> lower::Lowered {
        lower::lower(self)
    }

    fn check(&self, lowered: &lower::Lowered, record: &Record, run: u32) -> Vec<Violation> {
        Plan::check(self, &lowered.trace(self, record, run))
    }

    fn shrink(self, judge: Judge<'_, Plan>, told: Told<'_, Plan>) -> Shrunk<Plan> {
        shrink::shrink(self, judge, told)
    }

    fn to_c(&self, _: &DeviceInfo, asks: bool) -> String {
        reproduce::to_c(self, asks)
    }

    fn write(&self) -> String {
        yaml::write(&self.program)
    }

    fn read(text: &str) -> Result<Plan, String> {
        Plan::of(yaml::read(text)?).map_err(|e| e.to_string())
    }
}

/// Equal programs have equal plans.
impl PartialEq for Plan {
    fn eq(&self, other: &Plan) -> bool {
        self.program == other.program
    }
}
