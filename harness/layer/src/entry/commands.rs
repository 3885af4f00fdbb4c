//! Commands: everything that is enqueued.

use super::forward::entry_points;
use crate::faults::{corrupt, kernels, memory, parts, svm, transfers};
use libc::{c_void, size_t};
use opencl_sys::*;

entry_points! {
    command(command_queue, num_events_in_wait_list, event_wait_list, event) {
        clEnqueueReadBuffer(
            buffer: cl_mem, blocking_read: cl_bool, offset: size_t, size: size_t, ptr: *mut c_void,
        ) -> cl_int,
            blocks(blocking_read),
            alters(offset) => transfers::offset,
            alters(size) => transfers::size,
            alters(buffer, offset, size) => transfers::to_the_end,
            hook(; offset, size, ptr) => parts::read;
        clEnqueueWriteBuffer(
            buffer: cl_mem, blocking_write: cl_bool, offset: size_t, size: size_t,
            ptr: *const c_void,
        ) -> cl_int,
            blocks(blocking_write),
            alters(offset) => transfers::offset,
            alters(size) => transfers::size,
            alters(buffer, offset, size) => transfers::to_the_end,
            hook(; offset, size, ptr) => parts::write;
        clEnqueueCopyBuffer(
            src_buffer: cl_mem, dst_buffer: cl_mem, src_offset: size_t, dst_offset: size_t,
            size: size_t,
        ) -> cl_int,
            alters(src_offset) => transfers::offset,
            alters(dst_offset) => transfers::target_offset,
            alters(size) => transfers::size,
            alters(dst_buffer, dst_offset, size) => transfers::to_the_end;
        clEnqueueReadImage(
            image: cl_mem, blocking_read: cl_bool, origin: *const size_t, region: *const size_t,
            row_pitch: size_t, slice_pitch: size_t, ptr: *mut c_void,
        ) -> cl_int,
            blocks(blocking_read),
            alters(origin) => transfers::origin,
            alters(row_pitch, slice_pitch) => transfers::image_pitch;
        clEnqueueWriteImage(
            image: cl_mem, blocking_write: cl_bool, origin: *const size_t, region: *const size_t,
            input_row_pitch: size_t, input_slice_pitch: size_t, ptr: *const c_void,
        ) -> cl_int,
            blocks(blocking_write),
            alters(origin) => transfers::origin,
            alters(input_row_pitch, input_slice_pitch) => transfers::image_pitch;
        clEnqueueCopyImage(
            src_image: cl_mem, dst_image: cl_mem, src_origin: *const size_t,
            dst_origin: *const size_t, region: *const size_t,
        ) -> cl_int,
            alters(src_origin) => transfers::origin;
        clEnqueueCopyImageToBuffer(
            src_image: cl_mem, dst_buffer: cl_mem, src_origin: *const size_t, region: *const size_t,
            dst_offset: size_t,
        ) -> cl_int;
        clEnqueueCopyBufferToImage(
            src_buffer: cl_mem, dst_image: cl_mem, src_offset: size_t, dst_origin: *const size_t,
            region: *const size_t,
        ) -> cl_int;
        clEnqueueMapBuffer(
            buffer: cl_mem, blocking_map: cl_bool, map_flags: cl_map_flags, offset: size_t,
            size: size_t,
        ) -> *mut c_void,
            errcode(errcode_ret),
            blocks(blocking_map),
            alters(offset) => transfers::offset,
            hook(buffer, map_flags, offset, size) => memory::map;
        clEnqueueMapImage(
            image: cl_mem, blocking_map: cl_bool, map_flags: cl_map_flags, origin: *const size_t,
            region: *const size_t, image_row_pitch: *mut size_t, image_slice_pitch: *mut size_t,
        ) -> *mut c_void,
            errcode(errcode_ret), blocks(blocking_map), alters(origin) => transfers::origin;
        clEnqueueUnmapMemObject(memobj: cl_mem, mapped_ptr: *mut c_void) -> cl_int,
            alters(mapped_ptr) => memory::unmap;
        clEnqueueNDRangeKernel(
            kernel: cl_kernel, work_dim: cl_uint, global_work_offset: *const size_t,
            global_work_size: *const size_t, local_work_size: *const size_t,
        ) -> cl_int,
            hook(kernel, work_dim; global_work_offset, global_work_size, local_work_size)
                => kernels::range;
        clEnqueueTask(kernel: cl_kernel) -> cl_int;
        clEnqueueNativeKernel(
            user_func: Option<unsafe extern "C" fn(*mut c_void)>, args: *mut c_void,
            cb_args: size_t, num_mem_objects: cl_uint, mem_list: *const cl_mem,
            args_mem_loc: *mut *const c_void,
        ) -> cl_int;
        clEnqueueReadBufferRect(
            buffer: cl_mem, blocking_read: cl_bool, buffer_origin: *const size_t,
            host_origin: *const size_t, region: *const size_t, buffer_row_pitch: size_t,
            buffer_slice_pitch: size_t, host_row_pitch: size_t, host_slice_pitch: size_t,
            ptr: *mut c_void,
        ) -> cl_int,
            blocks(blocking_read),
            alters(buffer_origin) => transfers::origin,
            alters(host_origin) => transfers::target_origin,
            alters(region, buffer_row_pitch, buffer_slice_pitch) => transfers::rect_pitches,
            alters(region, host_row_pitch, host_slice_pitch) => transfers::rect_pitches,
            alters(buffer_row_pitch, host_row_pitch) => transfers::shared_pitch;
        clEnqueueWriteBufferRect(
            buffer: cl_mem, blocking_write: cl_bool, buffer_origin: *const size_t,
            host_origin: *const size_t, region: *const size_t, buffer_row_pitch: size_t,
            buffer_slice_pitch: size_t, host_row_pitch: size_t, host_slice_pitch: size_t,
            ptr: *const c_void,
        ) -> cl_int,
            blocks(blocking_write),
            alters(buffer_origin) => transfers::origin,
            alters(host_origin) => transfers::target_origin,
            alters(region, buffer_row_pitch, buffer_slice_pitch) => transfers::rect_pitches,
            alters(region, host_row_pitch, host_slice_pitch) => transfers::rect_pitches,
            alters(buffer_row_pitch, host_row_pitch) => transfers::shared_pitch;
        clEnqueueCopyBufferRect(
            src_buffer: cl_mem, dst_buffer: cl_mem, src_origin: *const size_t,
            dst_origin: *const size_t, region: *const size_t, src_row_pitch: size_t,
            src_slice_pitch: size_t, dst_row_pitch: size_t, dst_slice_pitch: size_t,
        ) -> cl_int,
            alters(src_origin) => transfers::origin,
            alters(dst_origin) => transfers::target_origin,
            alters(region, src_row_pitch, src_slice_pitch) => transfers::rect_pitches,
            alters(region, dst_row_pitch, dst_slice_pitch) => transfers::rect_pitches;
        clEnqueueFillBuffer(
            buffer: cl_mem, pattern: *const c_void, pattern_size: size_t, offset: size_t,
            size: size_t,
        ) -> cl_int,
            alters(pattern, pattern_size, size) => transfers::fill,
            alters(offset) => transfers::offset;
        clEnqueueFillImage(
            image: cl_mem, fill_color: *const c_void, origin: *const size_t, region: *const size_t,
        ) -> cl_int,
            alters(fill_color) => transfers::fill_colour,
            alters(region) => transfers::fill_region;
        clEnqueueMigrateMemObjects(
            num_mem_objects: cl_uint, mem_objects: *const cl_mem, flags: cl_mem_migration_flags,
        ) -> cl_int,
            hook(num_mem_objects, mem_objects, flags) => memory::migrate;
        clEnqueueMarkerWithWaitList() -> cl_int;
        clEnqueueBarrierWithWaitList() -> cl_int;
        clEnqueueSVMFree(
            num_svm_pointers: cl_uint, svm_pointers: *mut *mut c_void,
            pfn_free_func: Option<svm::Free>, user_data: *mut c_void,
        ) -> cl_int,
            hook(num_svm_pointers, svm_pointers; pfn_free_func, user_data) => svm::enqueue_free;
        clEnqueueSVMMemcpy(
            blocking_copy: cl_bool, dst_ptr: *mut c_void, src_ptr: *const c_void, size: size_t,
        ) -> cl_int,
            blocks(blocking_copy),
            alters(size) => transfers::size,
            hook(dst_ptr, size) => corrupt::filled;
        clEnqueueSVMMemFill(
            svm_ptr: *mut c_void, pattern: *const c_void, pattern_size: size_t, size: size_t,
        ) -> cl_int,
            alters(pattern, pattern_size, size) => transfers::fill;
        clEnqueueSVMMap(
            blocking_map: cl_bool, flags: cl_map_flags, svm_ptr: *mut c_void, size: size_t,
        ) -> cl_int,
            blocks(blocking_map), hook(svm_ptr, size) => svm::map;
        clEnqueueSVMUnmap(svm_ptr: *mut c_void) -> cl_int, alters(svm_ptr) => svm::unmap;
        clEnqueueSVMMigrateMem(
            num_svm_pointers: cl_uint, svm_pointers: *mut *const c_void, sizes: *const size_t,
            flags: cl_mem_migration_flags,
        ) -> cl_int,
            hook(num_svm_pointers, svm_pointers, sizes, flags) => svm::migrate;
    }
    object(command_queue: cl_command_queue, CL_INVALID_COMMAND_QUEUE) {
        clEnqueueMarker(event: *mut cl_event) -> cl_int;
        clEnqueueWaitForEvents(num_events: cl_uint, event_list: *const cl_event) -> cl_int;
        clEnqueueBarrier() -> cl_int;
    }
}
