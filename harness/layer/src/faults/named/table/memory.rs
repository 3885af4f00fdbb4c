//! What memory objects, maps and shared virtual memory promise.

use super::super::sites::{BUFFERS, SVM};
use super::row;
use crate::faults::named::{Breach, Named};

/// The rows.
pub(super) const ROWS: &[Named] = &[
    // Maps and what memory objects promise the host.
    row(
        "map-without-data",
        Breach::MapStale,
        &[&["clEnqueueMapBuffer", "clEnqueueUnmapMemObject"]],
        &["sp.map-unmap"],
        "a map gives the latest contents: the host sees memory of 0xA5 (not for USE_HOST_PTR)",
    ),
    row(
        "unmap-loses-writes",
        Breach::UnmapLoses,
        &[&["clEnqueueMapBuffer", "clEnqueueUnmapMemObject"]],
        &["sp.map-unmap"],
        "an unmap gives the host's writes to the device: they are lost (not for USE_HOST_PTR)",
    ),
    row(
        "map-invalidate-clobbers",
        Breach::InvalidateClobbers,
        &[&["clEnqueueMapBuffer"]],
        &["sp.map-invalidate"],
        "CL_MAP_WRITE_INVALIDATE_REGION leaves the rest alone: the rest is filled with 0xA5",
    ),
    row(
        "map-offset-ignored",
        Breach::OffsetIgnored,
        &[&["clEnqueueMapBuffer"]],
        &["sp.map-unmap", "rg.host-ptr"],
        "a map begins at its offset: at the beginning of the buffer",
    ),
    row(
        "use-host-ptr-copied",
        Breach::UseHostPtrCopied,
        &[BUFFERS],
        &["rg.host-ptr"],
        "a buffer of CL_MEM_USE_HOST_PTR is mapped at that pointer: it copies the memory once",
    ),
    row(
        "copy-host-ptr-ignored",
        Breach::CopyHostPtrIgnored,
        &[BUFFERS],
        &["rg.host-ptr"],
        "a buffer of CL_MEM_COPY_HOST_PTR begins with that data: it begins with none",
    ),
    row(
        "sub-buffer-origin-ignored",
        Breach::SubBufferOrigin,
        &[&["clCreateSubBuffer"]],
        &["rg.sub-buffer"],
        "a sub-buffer begins at its origin: at the beginning of its parent",
    ),
    row(
        "migrate-clobbers",
        Breach::MigrateClobbers,
        &[&["clEnqueueMigrateMemObjects"]],
        &["rg.transfer"],
        "a migration keeps the contents: the first buffer is filled with 0xA5",
    ),
    row(
        "sub-buffer-detached",
        Breach::SubBufferDetached,
        &[&["clCreateSubBuffer"]],
        &["rg.sub-buffer"],
        "a sub-buffer sees its parent's data: it is a buffer by itself",
    ),
    // Shared virtual memory.
    row(
        "svm-map-stale",
        Breach::SvmMapStale,
        &[&["clEnqueueSVMMap", "clEnqueueSVMUnmap"]],
        &["sv.coarse.map", "sp.map-unmap"],
        "a map shows what kernels wrote: it shows what was there at the unmap before",
    ),
    row(
        "svm-unmap-loses-writes",
        Breach::SvmUnmapLoses,
        &[&["clEnqueueSVMMap", "clEnqueueSVMUnmap"]],
        &["sv.coarse.map", "sp.map-unmap"],
        "an unmap gives the host's writes to kernels: what was there at the map comes back",
    ),
    row(
        "svm-free-early",
        Breach::SvmFreeEarly,
        &[&["clSVMAlloc", "clSVMFree", "clEnqueueSVMFree"]],
        &["sv.api", "ex.queue.in-order"],
        "memory is freed in queue order: it is overwritten with 0xA5 by the enqueue, as a new \
         owner would",
    ),
    row(
        "svm-free-callback-early",
        Breach::SvmCallbackEarly,
        &[&["clEnqueueSVMFree"]],
        &["sv.api"],
        "the callback of clEnqueueSVMFree is called in queue order: by the enqueue",
    ),
    row(
        "svm-free-callback-lost",
        Breach::SvmCallbackLost,
        &[&["clEnqueueSVMFree"]],
        &["sv.api"],
        "the callback of clEnqueueSVMFree is called: it is not",
    ),
    row(
        "svm-free-keeps-array",
        Breach::SvmKeepsArray,
        &[&["clEnqueueSVMFree"]],
        &["sv.api"],
        "the array of pointers is the caller's again: the callback gets the caller's own array",
    ),
    row(
        "svm-copy-short",
        Breach::Short,
        &[&["clEnqueueSVMMemcpy"]],
        &["sv.api"],
        "clEnqueueSVMMemcpy copies every byte: not the last",
    ),
    row(
        "svm-fill-short",
        Breach::Short,
        &[&["clEnqueueSVMMemFill"]],
        &["sv.api"],
        "clEnqueueSVMMemFill fills every byte: not the last pattern",
    ),
    row(
        "svm-fill-pattern-wrong",
        Breach::FillPattern,
        &[&["clEnqueueSVMMemFill"]],
        &["sv.api"],
        "clEnqueueSVMMemFill repeats its pattern: the pattern's last byte is one more",
    ),
    row(
        "svm-pointer-to-base",
        Breach::PointerToBase,
        &[&["clSVMAlloc", "clSVMFree", "clSetKernelArgSVMPointer"]],
        &["sv.address"],
        "a kernel gets a pointer into the middle of an allocation: to its beginning",
    ),
    row(
        "svm-misuse-accepted",
        Breach::SvmMisuse,
        &[SVM],
        &["sv.api"],
        "wrong use of shared virtual memory gets its error: success, and a complete event",
    ),
];
