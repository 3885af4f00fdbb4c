//! What a program of commands needs of a device.

use super::program::{HostPointer, Kind, Program, What};
use classay_vocabulary::Need;
use std::collections::BTreeSet;

/// What a program needs of the device.
pub fn needs(program: &Program) -> BTreeSet<Need> {
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
