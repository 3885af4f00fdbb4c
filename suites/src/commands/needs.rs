//! What a program of commands needs of a device.

use super::program::{Command, HostPointer, Kind, Program, What};
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
        needs.extend(match object.kind {
            Kind::Buffer(HostPointer::UseSvm) | Kind::SvmCoarse => Some(Need::SvmCoarse),
            Kind::SvmFine => Some(Need::SvmFine),
            Kind::SvmSystem => Some(Need::SvmSystem),
            Kind::Variable => Some(Need::ProgramScopeVariables),
            Kind::SubBuffer { first: 0, .. } => None,
            Kind::SubBuffer { first, .. } => {
                let bytes = u32::from(first) * u32::from(program.cell_words) * 4;
                Some(Need::SubBufferAlign(bytes))
            }
            Kind::Buffer(HostPointer::Copy | HostPointer::Use | HostPointer::Alloc)
            | Kind::Host => None,
        });
    }
    let native = |command: &Command| matches!(command.what, What::Native(_));
    if program.commands.iter().any(native) {
        needs.insert(Need::NativeKernels);
    }
    needs
}
