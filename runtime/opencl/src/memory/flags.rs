//! Memory flags: which may be combined, and what a part or a view of a memory object takes
//! over from it (`opencl_runtime_layer`, Memory Flags).

use opencl_sys::*;

use crate::ffi::{Result, ensure};

/// What kernels may do.
pub const DEVICE_ACCESS: cl_mem_flags = CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY;
/// What the host may do.
pub const HOST_ACCESS: cl_mem_flags =
    CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS;
/// Where the memory comes from.
pub const HOST_POINTER: cl_mem_flags =
    CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR;

/// Whether more than one flag of an exclusive group is set.
fn conflict(flags: cl_mem_flags, group: cl_mem_flags) -> bool {
    (flags & group).count_ones() > 1
}

/// Checks the flags of a new memory object, which keeps them as they are: without a flag of
/// access kernels may read and write.
///
/// # Errors
/// `CL_INVALID_VALUE`.
pub fn of_object(flags: cl_mem_flags) -> Result<()> {
    ensure!(
        flags & !(DEVICE_ACCESS | HOST_ACCESS | HOST_POINTER) == 0,
        CL_INVALID_VALUE
    );
    ensure!(!conflict(flags, DEVICE_ACCESS), CL_INVALID_VALUE);
    ensure!(!conflict(flags, HOST_ACCESS), CL_INVALID_VALUE);
    let uses = flags & CL_MEM_USE_HOST_PTR != 0;
    let other = flags & (CL_MEM_COPY_HOST_PTR | CL_MEM_ALLOC_HOST_PTR) != 0;
    ensure!(!(uses && other), CL_INVALID_VALUE);
    Ok(())
}

/// Checks the flags of a part or a view of an object and completes them with what it takes
/// over. It may restrict what its parent allows, never widen it.
///
/// # Errors
/// `CL_INVALID_VALUE`.
pub fn of_part(parent: cl_mem_flags, flags: cl_mem_flags) -> Result<cl_mem_flags> {
    ensure!(
        flags & !(DEVICE_ACCESS | HOST_ACCESS) == 0,
        CL_INVALID_VALUE
    );
    ensure!(!conflict(flags, DEVICE_ACCESS), CL_INVALID_VALUE);
    ensure!(!conflict(flags, HOST_ACCESS), CL_INVALID_VALUE);
    let widens = |has: cl_mem_flags, wants: cl_mem_flags| parent & has != 0 && flags & wants != 0;
    let wider = widens(CL_MEM_WRITE_ONLY, CL_MEM_READ_WRITE | CL_MEM_READ_ONLY)
        || widens(CL_MEM_READ_ONLY, CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY)
        || widens(CL_MEM_HOST_WRITE_ONLY, CL_MEM_HOST_READ_ONLY)
        || widens(CL_MEM_HOST_READ_ONLY, CL_MEM_HOST_WRITE_ONLY)
        || widens(
            CL_MEM_HOST_NO_ACCESS,
            CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_WRITE_ONLY,
        );
    ensure!(!wider, CL_INVALID_VALUE);
    let flags = with_default(flags, DEVICE_ACCESS, parent & DEVICE_ACCESS);
    let flags = with_default(flags, HOST_ACCESS, parent & HOST_ACCESS);
    Ok(flags | (parent & HOST_POINTER))
}

/// Checks that the host may read.
///
/// # Errors
/// `CL_INVALID_OPERATION`.
pub fn check_host_reads(flags: cl_mem_flags) -> Result<()> {
    let denied = CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS;
    ensure!(flags & denied == 0, CL_INVALID_OPERATION);
    Ok(())
}

/// Checks that the host may write.
///
/// # Errors
/// `CL_INVALID_OPERATION`.
pub fn check_host_writes(flags: cl_mem_flags) -> Result<()> {
    let denied = CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS;
    ensure!(flags & denied == 0, CL_INVALID_OPERATION);
    Ok(())
}

/// Checks that a host pointer is given when and only when the flags speak of one.
///
/// # Errors
/// `CL_INVALID_HOST_PTR`.
pub fn check_host_pointer(flags: cl_mem_flags, is_null: bool) -> Result<()> {
    let wanted = flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR) != 0;
    ensure!(is_null != wanted, CL_INVALID_HOST_PTR);
    Ok(())
}

fn with_default(flags: cl_mem_flags, group: cl_mem_flags, default: cl_mem_flags) -> cl_mem_flags {
    if flags & group == 0 {
        flags | default
    } else {
        flags
    }
}
