//! What a case of the suites needs of a device, and whether the device has it.

use super::NotRun;
use crate::device::{Capabilities, OpenDevice};
use classay_vocabulary::Need;
use std::collections::BTreeSet;

/// An error that names what is missing, where something is.
pub fn check(device: &OpenDevice, needs: &BTreeSet<Need>) -> Result<(), NotRun> {
    check_offer(&device.capabilities, device.platform_devices.len(), needs)
}

/// The same of a device that is not at hand, one of so many of its platform.
pub fn check_offer(
    capabilities: &Capabilities,
    devices: usize,
    needs: &BTreeSet<Need>,
) -> Result<(), NotRun> {
    let lacks: Vec<Need> = needs
        .iter()
        .copied()
        .filter(|need| !capabilities.offers(*need, devices))
        .collect();
    if lacks.is_empty() {
        return Ok(());
    }
    let names: Vec<String> = lacks.iter().map(ToString::to_string).collect();
    Err(NotRun::Skip {
        reason: format!("the device lacks {}", names.join(", ")),
        lacks,
    })
}
