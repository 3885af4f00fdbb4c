//! Transfers, arguments and index spaces of kernels, and errors that are kept from the program.

use super::super::sites::{IMAGE_ORIGINS, IMAGES, ORDERS, RANGES, RECTS, RELEASES, WORK};
use super::{refused, row};
use crate::faults::named::{Breach, Named};
use opencl_sys::CL_INVALID_VALUE;

/// The rows.
pub(super) const ROWS: &[Named] = &[
    // Transfers.
    row(
        "read-short",
        Breach::Short,
        &[&["clEnqueueReadBuffer"]],
        &["rg.transfer"],
        "a read brings every byte: not the last",
    ),
    row(
        "write-short",
        Breach::Short,
        &[&["clEnqueueWriteBuffer"]],
        &["rg.transfer"],
        "a write brings every byte: not the last",
    ),
    row(
        "copy-short",
        Breach::Short,
        &[&["clEnqueueCopyBuffer"]],
        &["rg.transfer"],
        "a copy brings every byte: not the last",
    ),
    row(
        "fill-short",
        Breach::Short,
        &[&["clEnqueueFillBuffer"]],
        &["rg.transfer"],
        "a fill reaches its end: not the last pattern",
    ),
    row(
        "read-offset-ignored",
        Breach::OffsetIgnored,
        &[&["clEnqueueReadBuffer"]],
        &["rg.transfer"],
        "a read begins at its offset: at the beginning of the buffer",
    ),
    row(
        "write-offset-ignored",
        Breach::OffsetIgnored,
        &[&["clEnqueueWriteBuffer"]],
        &["rg.transfer"],
        "a write begins at its offset: at the beginning of the buffer",
    ),
    row(
        "copy-source-offset-ignored",
        Breach::OffsetIgnored,
        &[&["clEnqueueCopyBuffer"]],
        &["rg.transfer"],
        "a copy begins at its offset in the source: at the beginning",
    ),
    row(
        "copy-target-offset-ignored",
        Breach::TargetOffsetIgnored,
        &[&["clEnqueueCopyBuffer"]],
        &["rg.transfer"],
        "a copy begins at its offset in the target: at the beginning",
    ),
    row(
        "fill-offset-ignored",
        Breach::OffsetIgnored,
        &[&["clEnqueueFillBuffer"]],
        &["rg.transfer"],
        "a fill begins at its offset: at the beginning of the buffer",
    ),
    row(
        "fill-pattern-wrong",
        Breach::FillPattern,
        &[&["clEnqueueFillBuffer"]],
        &["rg.transfer"],
        "a fill repeats its pattern: the pattern's last byte is one more",
    ),
    row(
        "fill-pattern-first-byte",
        Breach::FillTruncated,
        &[&["clEnqueueFillBuffer"]],
        &["rg.transfer"],
        "a fill repeats its pattern: the pattern's first byte",
    ),
    row(
        "rect-origin-ignored",
        Breach::OriginIgnored,
        &[RECTS],
        &["rg.transfer"],
        "a rectangle begins at its origin in the buffer, or in the source: at the beginning",
    ),
    row(
        "rect-target-origin-ignored",
        Breach::TargetOriginIgnored,
        &[RECTS],
        &["rg.transfer"],
        "a rectangle begins at its origin in the host's memory, or in the target: at the beginning",
    ),
    row(
        "rect-row-pitch-ignored",
        Breach::RowPitchIgnored,
        &[RECTS],
        &["rg.transfer"],
        "rows of a rectangle are as far apart as their pitch says: they follow each other closely",
    ),
    row(
        "rect-slice-pitch-ignored",
        Breach::SlicePitchIgnored,
        &[RECTS],
        &["rg.transfer"],
        "slices of a rectangle are as far apart as their pitch says: they follow each other closely",
    ),
    row(
        "image-origin-ignored",
        Breach::OriginIgnored,
        &[IMAGE_ORIGINS],
        &["rg.image"],
        "a transfer or map of an image begins at its origin: at the beginning",
    ),
    row(
        "image-pitch-ignored",
        Breach::RowPitchIgnored,
        &[IMAGES],
        &["rg.image"],
        "rows of an image lie as far apart on the host as their pitch says: closely",
    ),
    row(
        "copy-overlap-accepted",
        Breach::OverlapAccepted,
        &[&[
            "clEnqueueCopyBuffer",
            "clEnqueueCopyBufferRect",
            "clEnqueueCopyImage",
            "clEnqueueSVMMemcpy",
        ]],
        &["rg.transfer", "ex.api.errors"],
        "an overlapping copy gets CL_MEM_COPY_OVERLAP: success, and a complete event",
    ),
    // Arguments of kernels.
    row(
        "args-captured-late",
        Breach::ArgsLate,
        &[RANGES],
        &["ex.ki.args-captured"],
        "arguments are captured by the enqueue: by the next call that is no clSetKernelArg…",
    ),
    row(
        "args-stale",
        Breach::ArgsStale,
        &[
            RANGES,
            &[
                "clSetKernelArg",
                "clSetKernelArgSVMPointer",
                "clReleaseKernel",
            ],
        ],
        &["ex.ki.args-captured", "sp.enqueue"],
        "a kernel takes the arguments that are set last: those of its first enqueue stay",
    ),
    row(
        "arg-truncated",
        Breach::ArgTruncated,
        &[&["clSetKernelArg"]],
        &["rg.args"],
        "an argument arrives whole: the upper half of a value is zero (not of eight bytes, which \
         may be an object)",
    ),
    // Index spaces.
    row(
        "offset-dropped",
        Breach::OffsetDropped,
        &[RANGES],
        &["ex.nd.offset", "ex.nd.global-id"],
        "the global offset shifts global ids: there is none",
    ),
    row(
        "offset-first-only",
        Breach::OffsetFirstOnly,
        &[RANGES],
        &["ex.nd.offset"],
        "the global offset shifts every dimension: only the first",
    ),
    row(
        "offset-32-bit",
        Breach::Offset32Bit,
        &[RANGES],
        &["ex.nd.offset", "ex.nd.global-id"],
        "offsets have as many bits as size_t: they have 32",
    ),
    row(
        "local-size-ignored",
        Breach::LocalSizeIgnored,
        &[RANGES],
        &["ex.nd.local-id", "ex.nd.group-count"],
        "work-groups have the size that is asked for: each work-item is a group",
    ),
    row(
        "local-size-halved",
        Breach::LocalSizeHalved,
        &[RANGES],
        &["ex.nd.local-id", "ex.nd.group-count"],
        "work-groups have the size that is asked for: half of an even size in the first dimension",
    ),
    row(
        "last-group-lost",
        Breach::LastGroupLost,
        &[RANGES],
        &["ex.nd.global-id", "ex.nd.group-count", "ex.ki.completion"],
        "every work-group runs: the last one of the first dimension does not",
    ),
    row(
        "remainder-lost",
        Breach::RemainderLost,
        &[RANGES],
        &["ex.nd.non-uniform"],
        "remainder work-groups run: they do not",
    ),
    row(
        "kernel-runs-twice",
        Breach::RunsTwice,
        &[RANGES],
        &["ex.nd.global-id"],
        "every work-item runs once: the kernel is enqueued twice",
    ),
    row(
        "group-size-accepted",
        Breach::GroupSizeAccepted,
        &[RANGES],
        &["ex.nd.uniform-required", "ex.api.errors"],
        "an impossible local size gets CL_INVALID_WORK_GROUP_SIZE: the kernel runs without one",
    ),
    Named {
        needs: &["built-in kernels"],
        ..row(
            "built-in-kernels-first-only",
            Breach::BuiltInsFirst,
            &[&["clCreateProgramWithBuiltInKernels"]],
            &["ex.kind.builtin"],
            "a program of built-in kernels has all that are named: only the first",
        )
    },
    // Errors that are no errors, and calls that are none.
    refused(
        "fill-refused",
        CL_INVALID_VALUE,
        &[&["clEnqueueFillBuffer", "clEnqueueSVMMemFill"]],
        &["ex.api.valid"],
        "a fill that is right is enqueued: it gets CL_INVALID_VALUE",
    ),
    row(
        "foreign-events-accepted",
        Breach::ForeignEvents,
        &[WORK, ORDERS],
        &["ex.prereq.wait-list"],
        "an event of another context gets CL_INVALID_CONTEXT: the command runs without its list",
    ),
    row(
        "over-release-accepted",
        Breach::OverRelease,
        &[RELEASES],
        &["ex.queue.release"],
        "releasing too often gets the error of the object: success",
    ),
    row(
        "sub-buffer-misaligned-accepted",
        Breach::SubBufferMisaligned,
        &[&["clCreateSubBuffer"]],
        &["rg.sub-buffer", "ex.api.errors"],
        "a misaligned sub-buffer gets CL_MISALIGNED_SUB_BUFFER_OFFSET: it begins at the page before",
    ),
];
