//! What a case of the suites needs of a device, and whether the device has it.

use super::NotRun;
use crate::device::{Capabilities, OpenDevice};
use classay_suites::commands::program::{HostPointer, Kind, Program, What};
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

/// What a program needs of the device.
pub fn of_program(program: &Program) -> BTreeSet<Need> {
    let mut needs = BTreeSet::new();
    if program.devices > 1 {
        needs.insert(Need::Devices(program.devices.into()));
    }
    if program.queues.iter().any(|q| q.out_of_order) {
        needs.insert(Need::OutOfOrderQueue);
    }
    for object in &program.objects {
        match object.kind {
            Kind::Buffer(HostPointer::UseSvm) | Kind::SvmCoarse => {
                needs.insert(Need::SvmCoarse);
            }
            Kind::SvmFine => {
                needs.insert(Need::SvmFine);
            }
            Kind::SvmSystem => {
                needs.insert(Need::SvmSystem);
            }
            Kind::Variable => {
                needs.insert(Need::ProgramScopeVariables);
            }
            Kind::SubBuffer { first, .. } => {
                let bytes = u32::from(first) * u32::from(program.cell_words) * 4;
                needs.insert(Need::SubBufferAlign(bytes));
            }
            Kind::Buffer(HostPointer::Copy | HostPointer::Use | HostPointer::Alloc) => {}
        }
    }
    if program
        .commands
        .iter()
        .any(|c| matches!(c.what, What::Native(_)))
    {
        needs.insert(Need::NativeKernels);
    }
    needs
}
