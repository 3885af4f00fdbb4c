//! What a case of the suites needs of a device, and whether the device has it.

use super::NotRun;
use crate::device::Capabilities;
use classay_suites::commands::program::{HostPointer, Kind, Program, What};
use classay_suites::need::Need;
use std::collections::BTreeSet;

/// An error that names what is missing, where something is.
pub fn check(
    capabilities: &Capabilities,
    devices: usize,
    needs: &BTreeSet<Need>,
) -> Result<(), NotRun> {
    let missing: Vec<String> = needs
        .iter()
        .filter(|need| !offers(capabilities, devices, **need))
        .map(ToString::to_string)
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    let capability = missing.join(", ");
    Err(NotRun::Skip {
        reason: format!("the device lacks {capability}"),
        capability,
    })
}

/// What a program needs of the device.
pub fn of_program(program: &Program) -> BTreeSet<Need> {
    let mut needs = BTreeSet::new();
    if program.devices > 1 {
        needs.insert(Need::Devices(program.devices));
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

/// Whether the device offers what a case needs.
fn offers(capabilities: &Capabilities, devices: usize, need: Need) -> bool {
    let c = capabilities;
    match need {
        Need::Devices(n) => devices >= usize::from(n),
        Need::OutOfOrderQueue => c.out_of_order_queue,
        Need::NativeKernels => c.native_kernels,
        Need::BuiltInKernels => !c.built_in_kernels.is_empty(),
        Need::BuiltIn(kernel) => c
            .built_in_kernels
            .split(';')
            .any(|name| name.trim() == kernel.name()),
        Need::SvmCoarse => c.svm_coarse,
        Need::SvmFine => c.svm_fine_buffer,
        Need::SvmSystem => c.svm_fine_system,
        Need::SvmAtomics => c.svm_atomics,
        Need::ProgramScopeVariables => c.program_scope_variables,
        Need::GenericAddressSpace => c.generic_address_space,
        Need::NonUniformGroups => c.non_uniform_groups,
        Need::SubGroups => c.sub_groups,
        Need::SubGroupProgress => c.sub_group_progress,
        Need::WorkGroupFunctions => c.work_group_functions,
        Need::DeviceEnqueue => c.device_enqueue,
        Need::Pipes => c.pipes,
        Need::Images => c.images,
        Need::ImageObjects => c.image_objects,
        Need::ReadWriteImages => c.read_write_images,
        Need::FullProfile => c.full_profile,
        Need::Il => !c.il.is_empty(),
        Need::C11Atomics => c.c11_atomics,
        Need::OrderAcqRel => c.order_acq_rel,
        Need::OrderSeqCst => c.order_seq_cst,
        Need::ScopeDevice => c.scope_device,
        Need::ScopeAllDevices => c.scope_all_devices,
        Need::Int64Atomics => c.int64_atomics,
        Need::Fp64 => c.fp64,
        Need::Fp16 => c.fp16,
        Need::WorkGroupSize(n) => c.max_work_group_size >= n as usize,
        Need::SubBufferAlign(bytes) => bytes % (c.mem_base_addr_align_bits / 8).max(1) == 0,
        Need::C20 => c.c_version >= (2, 0),
        Need::Bits64 => c.address_bits == 64,
        Need::Api21 => c.version >= (2, 1),
        Need::Api30 => c.version >= (3, 0),
    }
}
