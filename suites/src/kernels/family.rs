//! Kernel cases as a family of cases.

use super::case::KernelCase;
use super::generate::draw;
use super::{lower, shrink, yaml};
use crate::family::{DeviceInfo, Family};
use crate::host::{Lowered, Record};
use crate::rule::RuleId;
use crate::shrink::{Judge, Shrunk, Told};
use classay_vocabulary::{Need, Violation};
use std::collections::BTreeSet;

impl Family for KernelCase {
    const KIND: &'static str = "kernel";

    type Lowered = Lowered;

    fn generate(name: &str, seed: u64) -> Option<KernelCase> {
        draw(name, seed)
    }

    fn needs(&self) -> BTreeSet<Need> {
        let mut needs = self.needs.clone();
        if self.devices() > 1 {
            needs.insert(Need::Devices(self.devices().into()));
        }
        // Groups of one work-item are all that a device must have (CL_DEVICE_MAX_WORK_GROUP_SIZE).
        let groups = self
            .launches()
            .filter_map(|(_, launch)| launch.range.local.as_ref());
        let largest = groups.map(|local| local.iter().product::<u64>()).max();
        if let Some(items) = largest.filter(|items| *items > 1) {
            needs.insert(Need::WorkGroupSize(
                u32::try_from(items).unwrap_or(u32::MAX),
            ));
        }
        needs
    }

    fn covers(&self) -> BTreeSet<RuleId> {
        KernelCase::covers(self)
    }

    fn lower(&self, _: &DeviceInfo) -> Lowered {
        lower::lower(self)
    }

    fn check(&self, lowered: &Lowered, record: &Record, run: u32) -> Vec<Violation> {
        lowered.violations(record, run)
    }

    fn shrink(
        self,
        judge: Judge<'_, KernelCase>,
        told: Told<'_, KernelCase>,
    ) -> Shrunk<KernelCase> {
        shrink::shrink(self, judge, told)
    }

    fn to_c(&self, _: &DeviceInfo, asks: bool) -> String {
        lower::to_c(self, asks)
    }

    fn write(&self) -> String {
        yaml::write(self)
    }

    fn read(text: &str) -> Result<KernelCase, String> {
        yaml::read(text).map_err(|why| why.to_string())
    }
}
