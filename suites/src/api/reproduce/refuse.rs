//! The calls that must be refused, in C.

use crate::api::refusal::{Enqueue, Misuse, Refusal, Wrong};

/// The call.
pub fn call(refusal: Refusal) -> String {
    match refusal {
        Refusal::Enqueue(call, wrong) => enqueue(call, wrong),
        Refusal::Misuse(wrong) => misuse(wrong).into(),
    }
}

/// An enqueue with something wrong.
fn enqueue(call: Enqueue, wrong: Wrong) -> String {
    let list = |events: &str| {
        let count = events.split(',').count();
        format!("{count}, (const cl_event[]){{ {events} }}")
    };
    let waits = match wrong {
        Wrong::ForeignEvent => list("other_event"),
        Wrong::ForeignLast => list("set, set, other_event"),
        Wrong::NullEvent => list("set, NULL"),
        Wrong::NullList => "1, NULL".into(),
        Wrong::NoLength => "0, &set".into(),
        Wrong::FailedEvent => list("failed"),
        Wrong::NullQueue | Wrong::ForeignBuffer | Wrong::NullBuffer => "0, NULL".into(),
    };
    let q = match wrong {
        Wrong::NullQueue => "NULL",
        Wrong::ForeignEvent
        | Wrong::ForeignLast
        | Wrong::NullEvent
        | Wrong::NullList
        | Wrong::NoLength
        | Wrong::FailedEvent
        | Wrong::ForeignBuffer
        | Wrong::NullBuffer => "queue",
    };
    let b = match wrong {
        Wrong::ForeignBuffer => "other_buffer",
        Wrong::NullBuffer => "NULL",
        Wrong::ForeignEvent
        | Wrong::ForeignLast
        | Wrong::NullEvent
        | Wrong::NullList
        | Wrong::NoLength
        | Wrong::FailedEvent
        | Wrong::NullQueue => "buffer",
    };
    let rect = "none, none, rows, 8, 0, 8, 0, host";
    match call {
        Enqueue::Marker => format!("clEnqueueMarkerWithWaitList({q}, {waits}, NULL)"),
        Enqueue::Barrier => format!("clEnqueueBarrierWithWaitList({q}, {waits}, NULL)"),
        Enqueue::Kernel => {
            format!("clEnqueueNDRangeKernel({q}, kernel, 1, NULL, items, NULL, {waits}, NULL)")
        }
        Enqueue::Native => {
            format!("clEnqueueNativeKernel({q}, native, NULL, 0, 0, NULL, NULL, {waits}, NULL)")
        }
        Enqueue::ReadBlocking => {
            format!("clEnqueueReadBuffer({q}, {b}, CL_TRUE, 0, 64, host, {waits}, NULL)")
        }
        Enqueue::Read => {
            format!("clEnqueueReadBuffer({q}, {b}, CL_FALSE, 0, 64, host, {waits}, NULL)")
        }
        Enqueue::Write => {
            format!("clEnqueueWriteBuffer({q}, {b}, CL_FALSE, 0, 64, host, {waits}, NULL)")
        }
        Enqueue::Copy => {
            format!("clEnqueueCopyBuffer({q}, {b}, buffer, 0, BYTES / 2, 64, {waits}, NULL)")
        }
        Enqueue::Fill => format!("clEnqueueFillBuffer({q}, {b}, pattern, 4, 0, 64, {waits}, NULL)"),
        Enqueue::ReadRect => {
            format!("clEnqueueReadBufferRect({q}, {b}, CL_FALSE, {rect}, {waits}, NULL)")
        }
        Enqueue::WriteRect => {
            format!("clEnqueueWriteBufferRect({q}, {b}, CL_FALSE, {rect}, {waits}, NULL)")
        }
        Enqueue::CopyRect => format!(
            "clEnqueueCopyBufferRect({q}, {b}, buffer, none, half, rows, 8, 0, 8, 0, {waits}, NULL)"
        ),
        Enqueue::Map => format!("mapped({q}, {b}, CL_FALSE, CL_MAP_READ, 0, {waits})"),
        Enqueue::Migrate => {
            format!(
                "clEnqueueMigrateMemObjects({q}, 1, (const cl_mem[]){{ {b} }}, 0, {waits}, NULL)"
            )
        }
        Enqueue::SvmCopy => {
            format!("clEnqueueSVMMemcpy({q}, CL_FALSE, svm, svm + BYTES / 2, 64, {waits}, NULL)")
        }
        Enqueue::SvmFill => format!("clEnqueueSVMMemFill({q}, svm, pattern, 4, 64, {waits}, NULL)"),
        Enqueue::SvmMap => {
            format!("clEnqueueSVMMap({q}, CL_FALSE, CL_MAP_READ, svm, 64, {waits}, NULL)")
        }
        Enqueue::SvmFree => {
            format!("clEnqueueSVMFree({q}, 1, (void *[]){{ svm }}, NULL, NULL, {waits}, NULL)")
        }
        Enqueue::SvmMigrate => format!(
            "clEnqueueSVMMigrateMem({q}, 1, (const void *[]){{ svm }}, NULL, 0, {waits}, NULL)"
        ),
    }
}

/// Another call.
fn misuse(wrong: Misuse) -> &'static str {
    match wrong {
        Misuse::WaitForNone => "clWaitForEvents(0, &set)",
        Misuse::WaitForNull => "clWaitForEvents(2, (const cl_event[]){ set, NULL })",
        Misuse::WaitForTwoContexts => "clWaitForEvents(2, (const cl_event[]){ set, other_event })",
        Misuse::SetTwice => "clSetUserEventStatus(set, CL_COMPLETE)",
        Misuse::SetFailedTwice => "clSetUserEventStatus(failed, CL_COMPLETE)",
        Misuse::SetPositive => "clSetUserEventStatus(open, CL_RUNNING)",
        Misuse::SetOfCommand => "clSetUserEventStatus(untimed, CL_COMPLETE)",
        Misuse::SetNull => "clSetUserEventStatus(NULL, CL_COMPLETE)",
        Misuse::UserEventOfNull => "user_event_made(NULL)",
        Misuse::CallbackForQueued => "clSetEventCallback(set, CL_QUEUED, never, NULL)",
        Misuse::CallbackForError => "clSetEventCallback(set, -1, never, NULL)",
        Misuse::CallbackOnNull => "clSetEventCallback(NULL, CL_COMPLETE, never, NULL)",
        Misuse::StatusOfNull => "status_told(NULL)",
        Misuse::TimesOfUserEvent => "times_of(set, CL_PROFILING_COMMAND_END)",
        Misuse::TimesUnasked => "times_of(untimed, CL_PROFILING_COMMAND_END)",
        Misuse::TimesTooSoon => "times_of(held, CL_PROFILING_COMMAND_END)",
        Misuse::TimesOfNull => "times_of(NULL, CL_PROFILING_COMMAND_END)",
        Misuse::TimesOfNoState => "times_of(untimed, 0x1000)",
        Misuse::FlushNull => "clFlush(NULL)",
        Misuse::FinishNull => "clFinish(NULL)",
        Misuse::ReleaseNullEvent => "clReleaseEvent(NULL)",
        Misuse::ReleaseNullQueue => "clReleaseCommandQueue(NULL)",
        Misuse::ReleaseNullMemory => "clReleaseMemObject(NULL)",
        Misuse::ReleaseNullKernel => "clReleaseKernel(NULL)",
        Misuse::ReleaseNullProgram => "clReleaseProgram(NULL)",
        Misuse::ReleaseNullContext => "clReleaseContext(NULL)",
        Misuse::RetainNullEvent => "clRetainEvent(NULL)",
        Misuse::RetainNullMemory => "clRetainMemObject(NULL)",
        Misuse::BufferOfNoSize => "buffer_made(CL_MEM_READ_WRITE, 0, NULL)",
        Misuse::BufferOfTwoUses => "buffer_made(CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, 64, NULL)",
        Misuse::BufferOverNull => "buffer_made(CL_MEM_USE_HOST_PTR, 64, NULL)",
        Misuse::BufferCopiesNull => "buffer_made(CL_MEM_COPY_HOST_PTR, 64, NULL)",
        Misuse::BufferOverUnasked => "buffer_made(CL_MEM_READ_WRITE, 64, host)",
        Misuse::BufferUsesAndAllocates => {
            "buffer_made(CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR, 64, host)"
        }
        Misuse::PartMisaligned => "part_made(buffer, CL_MEM_READ_WRITE, 1, 64)",
        Misuse::PartOutside => "part_made(buffer, CL_MEM_READ_WRITE, BYTES, 64)",
        Misuse::PartTooLong => "part_made(buffer, CL_MEM_READ_WRITE, PART, BYTES)",
        Misuse::PartOfNoSize => "part_made(buffer, CL_MEM_READ_WRITE, 0, 0)",
        Misuse::PartOfPart => "part_made(parts[0], CL_MEM_READ_WRITE, 0, 64)",
        Misuse::PartMayMore => "part_made(read_only, CL_MEM_READ_WRITE, 0, 64)",
        Misuse::ReadBeyondEnd => {
            "clEnqueueReadBuffer(queue, buffer, CL_TRUE, LAST, 64, host, 0, NULL, NULL)"
        }
        Misuse::WriteBeyondEnd => {
            "clEnqueueWriteBuffer(queue, buffer, CL_TRUE, LAST, 64, host, 0, NULL, NULL)"
        }
        Misuse::CopyBeyondEnd => {
            "clEnqueueCopyBuffer(queue, buffer, buffer, 0, LAST, 64, 0, NULL, NULL)"
        }
        Misuse::FillBeyondEnd => {
            "clEnqueueFillBuffer(queue, buffer, pattern, 4, LAST, 64, 0, NULL, NULL)"
        }
        Misuse::MapBeyondEnd => "mapped(queue, buffer, CL_TRUE, CL_MAP_READ, LAST, 0, NULL)",
        Misuse::ReadBeyondPart => {
            "clEnqueueReadBuffer(queue, parts[0], CL_TRUE, 2 * PART - 32, 64, host, 0, NULL, NULL)"
        }
        Misuse::ReadToNull => {
            "clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, 64, NULL, 0, NULL, NULL)"
        }
        Misuse::WriteFromNull => {
            "clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, 64, NULL, 0, NULL, NULL)"
        }
        Misuse::CopyOverlaps => {
            "clEnqueueCopyBuffer(queue, buffer, buffer, 0, 32, 64, 0, NULL, NULL)"
        }
        Misuse::CopyOverlapsInParts => {
            "clEnqueueCopyBuffer(queue, parts[0], parts[1], PART, 32, 64, 0, NULL, NULL)"
        }
        Misuse::CopyRectOverlaps => {
            "clEnqueueCopyBufferRect(queue, buffer, buffer, none, (const size_t[]){ 4, 1, 0 }, \
             (const size_t[]){ 8, 4, 1 }, 64, 0, 64, 0, 0, NULL, NULL)"
        }
        Misuse::FillOfThree => {
            "clEnqueueFillBuffer(queue, buffer, pattern, 3, 0, 48, 0, NULL, NULL)"
        }
        Misuse::FillOfNone => {
            "clEnqueueFillBuffer(queue, buffer, pattern, 0, 0, 48, 0, NULL, NULL)"
        }
        Misuse::FillMisaligned => {
            "clEnqueueFillBuffer(queue, buffer, pattern, 4, 2, 48, 0, NULL, NULL)"
        }
        Misuse::FillOfAPart => {
            "clEnqueueFillBuffer(queue, buffer, pattern, 4, 0, 50, 0, NULL, NULL)"
        }
        Misuse::RectOfNothing => "read_rect(4, 0, 8)",
        Misuse::RectPitchShort => "read_rect(8, 1, 4)",
        Misuse::RectBeyondEnd => "written_rect(8, BYTES / 8 + 1)",
        Misuse::ReadNoAccess => {
            "clEnqueueReadBuffer(queue, no_access, CL_TRUE, 0, 64, host, 0, NULL, NULL)"
        }
        Misuse::ReadWriteOnly => {
            "clEnqueueReadBuffer(queue, host_writes, CL_TRUE, 0, 64, host, 0, NULL, NULL)"
        }
        Misuse::WriteReadOnly => {
            "clEnqueueWriteBuffer(queue, host_reads, CL_TRUE, 0, 64, host, 0, NULL, NULL)"
        }
        Misuse::MapWriteOnly => "mapped(queue, host_writes, CL_TRUE, CL_MAP_READ, 0, 0, NULL)",
        Misuse::MapReadOnly => "mapped(queue, host_reads, CL_TRUE, CL_MAP_WRITE, 0, 0, NULL)",
        Misuse::MapReadAndInvalidate => {
            "mapped(queue, buffer, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE_INVALIDATE_REGION, 0, 0, NULL)"
        }
        Misuse::UnmapStranger => "clEnqueueUnmapMemObject(queue, buffer, host, 0, NULL, NULL)",
        Misuse::MigrateNothing => "clEnqueueMigrateMemObjects(queue, 0, NULL, 0, 0, NULL, NULL)",
        Misuse::MigrateNowhere => {
            "clEnqueueMigrateMemObjects(queue, 1, &buffer, (cl_mem_migration_flags)1 << 40, 0, NULL, NULL)"
        }
        Misuse::KernelUnknown => "kernel_made(program, \"none\")",
        Misuse::KernelUnbuilt => "kernel_made(unbuilt, \"k\")",
        Misuse::BuildNonsense => "nonsense_built()",
        Misuse::ArgBeyondLast => "clSetKernelArg(kernel, 2, 4, host)",
        Misuse::ArgOfWrongSize => "clSetKernelArg(kernel, 1, 2, host)",
        Misuse::ArgOfNoValue => "clSetKernelArg(kernel, 1, 4, NULL)",
        Misuse::ArgLocalOfNoSize => "local_of_no_size()",
        Misuse::ArgsUnset => "launched(unset, 1, 0, 0)",
        Misuse::KernelNull => "launched(NULL, 1, 0, 0)",
        Misuse::KernelForeign => "launched(other_kernel, 1, 0, 0)",
        Misuse::NoDimensions => "launched(kernel, 0, 0, 0)",
        Misuse::TooManyDimensions => "launched(kernel, 4, 0, 0)",
        Misuse::GroupTooLarge => "launched(kernel, 1, 0, 1u << 20)",
        Misuse::GroupNotRequired => "other_groups()",
        Misuse::OffsetTooLarge => "launched(kernel, 1, SIZE_MAX - 8, 0)",
        Misuse::NativeNull => {
            "clEnqueueNativeKernel(queue, NULL, NULL, 0, 0, NULL, NULL, 0, NULL, NULL)"
        }
        Misuse::SvmCopyFromNull => {
            "clEnqueueSVMMemcpy(queue, CL_TRUE, svm, NULL, 64, 0, NULL, NULL)"
        }
        Misuse::SvmCopyToNull => "clEnqueueSVMMemcpy(queue, CL_TRUE, NULL, svm, 64, 0, NULL, NULL)",
        Misuse::SvmCopyOverlaps => {
            "clEnqueueSVMMemcpy(queue, CL_TRUE, svm + 32, svm, 64, 0, NULL, NULL)"
        }
        Misuse::SvmFillNull => "clEnqueueSVMMemFill(queue, NULL, pattern, 4, 64, 0, NULL, NULL)",
        Misuse::SvmFillOfThree => "clEnqueueSVMMemFill(queue, svm, pattern, 3, 48, 0, NULL, NULL)",
        Misuse::SvmFillMisaligned => {
            "clEnqueueSVMMemFill(queue, svm + 2, pattern, 4, 48, 0, NULL, NULL)"
        }
        Misuse::SvmFillOfAPart => "clEnqueueSVMMemFill(queue, svm, pattern, 4, 50, 0, NULL, NULL)",
        Misuse::SvmMapNull => {
            "clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ, NULL, 64, 0, NULL, NULL)"
        }
        Misuse::SvmMapOfNoSize => {
            "clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ, svm, 0, 0, NULL, NULL)"
        }
        Misuse::SvmUnmapNull => "clEnqueueSVMUnmap(queue, NULL, 0, NULL, NULL)",
        Misuse::SvmFreeOfNoLength => {
            "clEnqueueSVMFree(queue, 0, (void *[]){ svm }, NULL, NULL, 0, NULL, NULL)"
        }
        Misuse::SvmFreeOfNoList => "clEnqueueSVMFree(queue, 1, NULL, NULL, NULL, 0, NULL, NULL)",
        Misuse::SvmMigrateNothing => {
            "clEnqueueSVMMigrateMem(queue, 0, NULL, NULL, 0, 0, NULL, NULL)"
        }
    }
}
