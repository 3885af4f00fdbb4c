//! What a case needs of a device, and whether the device has it.

use super::ended::NotRun;
use crate::device::{Capabilities, OpenDevice};
use classay_litmus::kernel::{AtomicsDialect, Needs};
use classay_suites::host::Record;
use classay_vocabulary::Need;
use std::collections::BTreeSet;

/// An error that names what is missing, where something is.
pub fn check(device: &OpenDevice, needs: &BTreeSet<Need>) -> Result<(), NotRun> {
    check_offer(&device.capabilities, device.devices(), needs)
}

/// The same of a device that is not at hand, one of so many of its platform.
fn check_offer(
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

/// An error that names what a run came to need and its kernel does not permit on the device, where something is.
pub fn check_run(record: &Record) -> Result<(), NotRun> {
    record.lacks.map_or(Ok(()), |need| {
        let reason = match need {
            Need::WorkGroupSize(_) => {
                format!("a kernel of the case does not permit {need} on the device")
            }
            _ => format!("the device lacks {need}"),
        };
        Err(NotRun::Skip {
            reason,
            lacks: vec![need],
        })
    })
}

/// The atomic functions to write the test with, or which capability is missing.
pub fn choose_dialect(
    capabilities: &Capabilities,
    needs: &Needs,
    devices: usize,
) -> Result<AtomicsDialect, NotRun> {
    if needs.all.contains(&Need::VulkanMemoryModel) {
        let mut all = needs.all.clone();
        if !capabilities.memory_model {
            // Modules of the memory model before it do without, and have these scopes.
            all.retain(|need| {
                let has = [
                    Need::VulkanMemoryModel,
                    Need::ScopeDevice,
                    Need::ScopeSubGroup,
                ];
                !has.contains(need)
            });
        }
        return check_offer(capabilities, devices, &all).map(|()| AtomicsDialect::Vulkan);
    }
    match check_offer(capabilities, devices, &needs.all) {
        Ok(()) if capabilities.c11_atomics => Ok(AtomicsDialect::C11),
        Ok(()) => Ok(AtomicsDialect::V1),
        Err(_) if needs.fits_v1 => {
            // The functions of OpenCL 1.x do without these two alone.
            let mut others = needs.all.clone();
            others.retain(|need| !matches!(need, Need::C11Atomics | Need::ScopeDevice));
            check_offer(capabilities, devices, &others)?;
            Ok(AtomicsDialect::V1)
        }
        Err(lacking) => Err(lacking),
    }
}
