//! Buffers, pipes and memory objects in general.

use std::ptr::{null, null_mut};

use opencl_sys::*;
use touchstone::api::buffer::*;
use touchstone::api::map::*;
use touchstone::api::memory::*;
use touchstone::api::pipe::*;

use crate::table::{Refusal, refused, room, to};
use crate::zoo::SIZE;

const REGION: cl_buffer_create_type = CL_BUFFER_CREATE_TYPE_REGION;

fn part(origin: usize, size: usize) -> cl_buffer_region {
    cl_buffer_region { origin, size }
}

pub fn cases() -> Vec<Refusal> {
    let mut all = making();
    all.extend(using());
    all
}

fn making() -> Vec<Refusal> {
    refused! { zoo:
        create clCreateBuffer {
            (zoo.device, 0, SIZE, null_mut()) CL_INVALID_CONTEXT "if _context_ is not a valid context";
            (zoo.context, 1 << 40, SIZE, null_mut()) CL_INVALID_VALUE
                "if values specified in _flags_ are not valid";
            (zoo.context, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, SIZE, null_mut()) CL_INVALID_VALUE
                "{CL_MEM_READ_WRITE} or {CL_MEM_WRITE_ONLY} and {CL_MEM_READ_ONLY} are mutually exclusive.";
            (zoo.context, CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY, SIZE, null_mut()) CL_INVALID_VALUE
                "{CL_MEM_READ_WRITE} and {CL_MEM_WRITE_ONLY} are mutually exclusive.";
            (zoo.context, CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_WRITE_ONLY, SIZE, null_mut()) CL_INVALID_VALUE
                "{CL_MEM_HOST_WRITE_ONLY} and {CL_MEM_HOST_READ_ONLY} are mutually exclusive.";
            (zoo.context, CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS, SIZE, null_mut()) CL_INVALID_VALUE
                "{CL_MEM_HOST_WRITE_ONLY} or {CL_MEM_HOST_READ_ONLY} and {CL_MEM_HOST_NO_ACCESS} are mutually exclusive.";
            (zoo.context, CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR, 64, zoo.mapping) CL_INVALID_VALUE
                "{CL_MEM_ALLOC_HOST_PTR} and {CL_MEM_USE_HOST_PTR} are mutually exclusive.";
            (zoo.context, CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR, 64, zoo.mapping) CL_INVALID_VALUE
                "{CL_MEM_COPY_HOST_PTR} and {CL_MEM_USE_HOST_PTR} are mutually exclusive.";
            (zoo.context, CL_MEM_KERNEL_READ_AND_WRITE, SIZE, null_mut()) CL_INVALID_VALUE
                "This flag is only used by {clGetSupportedImageFormats}";
            (zoo.context, 0, 0, null_mut()) CL_INVALID_BUFFER_SIZE "if _size_ is zero";
            (zoo.context, 0, usize::MAX, null_mut()) CL_INVALID_BUFFER_SIZE
                "if _size_ is greater than {CL_DEVICE_MAX_MEM_ALLOC_SIZE} for all devices in _context_";
            (zoo.context, CL_MEM_USE_HOST_PTR, SIZE + 1, zoo.shared(0)) CL_INVALID_BUFFER_SIZE
                "if {CL_MEM_USE_HOST_PTR} or {CL_MEM_COPY_HOST_PTR} is set in _flags_, and _host_ptr_ is a pointer returned by {clSVMAlloc}, and _size_ is greater than the size passed to {clSVMAlloc}";
            (zoo.context, CL_MEM_USE_HOST_PTR, SIZE, null_mut()) CL_INVALID_HOST_PTR
                "if _host_ptr_ is `NULL`, and {CL_MEM_USE_HOST_PTR} or {CL_MEM_COPY_HOST_PTR} are set in _flags_";
            (zoo.context, CL_MEM_COPY_HOST_PTR, SIZE, null_mut()) CL_INVALID_HOST_PTR
                "if _host_ptr_ is `NULL`, and {CL_MEM_USE_HOST_PTR} or {CL_MEM_COPY_HOST_PTR} are set in _flags_";
            (zoo.context, CL_MEM_ALLOC_HOST_PTR, 64, zoo.mapping) CL_INVALID_HOST_PTR
                "if _host_ptr_ is not `NULL` but {CL_MEM_COPY_HOST_PTR} or {CL_MEM_USE_HOST_PTR} are not set in _flags_";
        }
        create clCreateBufferWithProperties {
            (zoo.queue, null(), 0, SIZE, null_mut()) CL_INVALID_CONTEXT
                "if _context_ is not a valid context";
            (zoo.context, [77, 1, 0].as_ptr(), 0, SIZE, null_mut()) CL_INVALID_PROPERTY
                "if a property name in _properties_ is not a supported property name";
            (zoo.context, [0].as_ptr(), 1 << 40, SIZE, null_mut()) CL_INVALID_VALUE
                "if values specified in _flags_ are not valid";
            (zoo.context, [0].as_ptr(), 0, 0, null_mut()) CL_INVALID_BUFFER_SIZE
                "if _size_ is zero";
        }
        create clCreateSubBuffer {
            (zoo.plane, 0, REGION, to(&part(0, 64))) CL_INVALID_MEM_OBJECT
                "if _buffer_ is not a valid buffer object";
            (zoo.sub_buffer, 0, REGION, to(&part(0, 64))) CL_INVALID_MEM_OBJECT
                "if _buffer_ is a sub-buffer object";
            (zoo.kernel_writes, CL_MEM_READ_ONLY, REGION, to(&part(0, 64))) CL_INVALID_VALUE
                "if _buffer_ was created with {CL_MEM_WRITE_ONLY} and _flags_ specifies {CL_MEM_READ_WRITE} or {CL_MEM_READ_ONLY}";
            (zoo.kernel_writes, CL_MEM_READ_WRITE, REGION, to(&part(0, 64))) CL_INVALID_VALUE
                "if _buffer_ was created with {CL_MEM_WRITE_ONLY} and _flags_ specifies {CL_MEM_READ_WRITE} or {CL_MEM_READ_ONLY}";
            (zoo.kernel_reads, CL_MEM_WRITE_ONLY, REGION, to(&part(0, 64))) CL_INVALID_VALUE
                "if _buffer_ was created with {CL_MEM_READ_ONLY} and _flags_ specifies {CL_MEM_READ_WRITE} or {CL_MEM_WRITE_ONLY}";
            (zoo.host_writes, CL_MEM_HOST_READ_ONLY, REGION, to(&part(0, 64))) CL_INVALID_VALUE
                "if _buffer_ was created with {CL_MEM_HOST_WRITE_ONLY} and _flags_ specify {CL_MEM_HOST_READ_ONLY}";
            (zoo.host_reads, CL_MEM_HOST_WRITE_ONLY, REGION, to(&part(0, 64))) CL_INVALID_VALUE
                "if _buffer_ was created with {CL_MEM_HOST_READ_ONLY} and _flags_ specify {CL_MEM_HOST_WRITE_ONLY}";
            (zoo.host_none, CL_MEM_HOST_READ_ONLY, REGION, to(&part(0, 64))) CL_INVALID_VALUE
                "if _buffer_ was created with {CL_MEM_HOST_NO_ACCESS} and _flags_ specify {CL_MEM_HOST_READ_ONLY} or {CL_MEM_HOST_WRITE_ONLY}";
            (zoo.buffer, CL_MEM_ALLOC_HOST_PTR, REGION, to(&part(0, 64))) CL_INVALID_VALUE
                "if _flags_ specifies {CL_MEM_USE_HOST_PTR} or {CL_MEM_ALLOC_HOST_PTR} or {CL_MEM_COPY_HOST_PTR}";
            (zoo.buffer, 0, 0, to(&part(0, 64))) CL_INVALID_VALUE
                "if the value specified in _buffer_create_type_ is not valid";
            (zoo.buffer, 0, REGION, null()) CL_INVALID_VALUE "if _buffer_create_info_ is `NULL`";
            (zoo.buffer, 0, REGION, to(&part(512, 513))) CL_INVALID_VALUE
                "passed in _buffer_create_info_ is out of bounds in _buffer_";
            (zoo.buffer, 0, REGION, to(&part(usize::MAX, 2))) CL_INVALID_VALUE
                "passed in _buffer_create_info_ is out of bounds in _buffer_";
            (zoo.buffer, 0, REGION, to(&part(0, 0))) CL_INVALID_BUFFER_SIZE
                "passed in _buffer_create_info_ is zero";
            (zoo.buffer, 0, REGION, to(&part(4, 64))) CL_MISALIGNED_SUB_BUFFER_OFFSET
                "passed in _buffer_create_info_ is aligned to the {CL_DEVICE_MEM_BASE_ADDR_ALIGN} value.";
        }
        create clCreatePipe {
            (zoo.device, 0, 4, 4, null()) CL_INVALID_CONTEXT "if _context_ is not a valid context.";
            (zoo.context, 0, 4, 4, null()) CL_INVALID_OPERATION
                "if no devices in _context_ support pipes.";
        }
        status clGetPipeInfo {
            (zoo.buffer, CL_PIPE_PACKET_SIZE, 0, null_mut(), &mut 0) CL_INVALID_MEM_OBJECT
                "if _pipe_ is a not a valid pipe object.";
        }
    }
}

fn using() -> Vec<Refusal> {
    refused! { zoo:
        status clRetainMemObject {
            (zoo.context) CL_INVALID_MEM_OBJECT "if _memobj_ is not a valid memory object";
            (null_mut()) CL_INVALID_MEM_OBJECT "if _memobj_ is not a valid memory object";
        }
        status clReleaseMemObject {
            (zoo.sampler) CL_INVALID_MEM_OBJECT "if _memobj_ is not a valid memory object.";
        }
        status clSetMemObjectDestructorCallback {
            (zoo.queue, None, null_mut()) CL_INVALID_MEM_OBJECT
                "if _memobj_ is not a valid memory object.";
            (zoo.buffer, None, null_mut()) CL_INVALID_VALUE "if _pfn_notify_ is `NULL`.";
        }
        status clGetMemObjectInfo {
            (zoo.kernel, CL_MEM_TYPE, 0, null_mut(), &mut 0) CL_INVALID_MEM_OBJECT
                "if _memobj_ is a not a valid memory object.";
            (zoo.buffer, CL_IMAGE_WIDTH, 0, null_mut(), &mut 0) CL_INVALID_VALUE
                "if _param_name_ is not one of the supported values";
            (zoo.buffer, CL_MEM_SIZE, 7, room(&mut 0u64), &mut 0) CL_INVALID_VALUE
                "or if the size in bytes specified by _param_value_size_ is less than size of the return type";
        }
        create clEnqueueMapBuffer {
            (zoo.context, zoo.buffer, CL_TRUE, CL_MAP_READ, 0, 64, 0, null(), null_mut())
                CL_INVALID_COMMAND_QUEUE "if _command_queue_ is not a valid host command-queue";
            (zoo.queue, zoo.foreign_buffer, CL_TRUE, CL_MAP_READ, 0, 64, 0, null(), null_mut())
                CL_INVALID_CONTEXT "if the context associated with _command_queue_ and _buffer_ are not the same";
            (zoo.queue, zoo.plane, CL_TRUE, CL_MAP_READ, 0, 64, 0, null(), null_mut())
                CL_INVALID_MEM_OBJECT "if _buffer_ is not a valid buffer object";
            (zoo.queue, zoo.buffer, CL_TRUE, CL_MAP_READ, SIZE, 1, 0, null(), null_mut())
                CL_INVALID_VALUE "if the region being mapped specified by _offset_ and _size_ is out of bounds";
            (zoo.queue, zoo.buffer, CL_TRUE, CL_MAP_READ, usize::MAX, 2, 0, null(), null_mut())
                CL_INVALID_VALUE "if the region being mapped specified by _offset_ and _size_ is out of bounds";
            (zoo.queue, zoo.buffer, CL_TRUE, CL_MAP_READ, 0, 0, 0, null(), null_mut())
                CL_INVALID_VALUE "if _size_ is zero";
            (zoo.queue, zoo.buffer, CL_TRUE, 1 << 9, 0, 64, 0, null(), null_mut())
                CL_INVALID_VALUE "if values specified in _map_flags_ are not valid";
            (zoo.queue, zoo.buffer, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE_INVALIDATE_REGION, 0, 64, 0, null(), null_mut())
                CL_INVALID_VALUE "{CL_MAP_READ} or {CL_MAP_WRITE} and {CL_MAP_WRITE_INVALIDATE_REGION} are mutually exclusive.";
            (zoo.queue, zoo.host_writes, CL_TRUE, CL_MAP_READ, 0, 64, 0, null(), null_mut())
                CL_INVALID_OPERATION "if _buffer_ was created with {CL_MEM_HOST_WRITE_ONLY} or {CL_MEM_HOST_NO_ACCESS} and {CL_MAP_READ} is set in _map_flags_";
            (zoo.queue, zoo.host_reads, CL_TRUE, CL_MAP_WRITE, 0, 64, 0, null(), null_mut())
                CL_INVALID_OPERATION "if _buffer_ was created with {CL_MEM_HOST_READ_ONLY} or {CL_MEM_HOST_NO_ACCESS} and {CL_MAP_WRITE} or {CL_MAP_WRITE_INVALIDATE_REGION} is set in _map_flags_";
            (zoo.queue, zoo.host_none, CL_TRUE, CL_MAP_WRITE_INVALIDATE_REGION, 0, 64, 0, null(), null_mut())
                CL_INVALID_OPERATION "if _buffer_ was created with {CL_MEM_HOST_READ_ONLY} or {CL_MEM_HOST_NO_ACCESS} and {CL_MAP_WRITE} or {CL_MAP_WRITE_INVALIDATE_REGION} is set in _map_flags_";
            (zoo.queue, zoo.mapped, CL_TRUE, CL_MAP_WRITE, 127, 64, 0, null(), null_mut())
                CL_INVALID_OPERATION "if mapping would lead to overlapping regions being mapped for writing";
        }
        status clEnqueueUnmapMemObject {
            (zoo.context, zoo.mapped, zoo.mapping, 0, null(), null_mut()) CL_INVALID_COMMAND_QUEUE
                "if _command_queue_ is not a valid host command-queue.";
            (zoo.queue, zoo.sampler, zoo.mapping, 0, null(), null_mut()) CL_INVALID_MEM_OBJECT
                "if _memobj_ is not a valid memory object or is a pipe object.";
            (zoo.queue, zoo.buffer, zoo.mapping, 0, null(), null_mut()) CL_INVALID_VALUE
                "if _mapped_ptr_ is not a valid pointer returned by {clEnqueueMapBuffer} or {clEnqueueMapImage} for _memobj_.";
            (zoo.queue, zoo.mapped, zoo.mapping.wrapping_byte_add(1), 0, null(), null_mut()) CL_INVALID_VALUE
                "if _mapped_ptr_ is not a valid pointer returned by {clEnqueueMapBuffer} or {clEnqueueMapImage} for _memobj_.";
            (zoo.foreign_queue, zoo.mapped, zoo.mapping, 0, null(), null_mut()) CL_INVALID_CONTEXT
                "if context associated with _command_queue_ and _memobj_ are not the same";
        }
        status clEnqueueMigrateMemObjects {
            (zoo.context, 1, &zoo.buffer, 0, 0, null(), null_mut()) CL_INVALID_COMMAND_QUEUE
                "if _command_queue_ is not a valid host command-queue.";
            (zoo.queue, 2, [zoo.buffer, zoo.foreign_buffer].as_ptr(), 0, 0, null(), null_mut())
                CL_INVALID_CONTEXT "if the context associated with _command_queue_ and memory objects in _mem_objects_ are not the same";
            (zoo.queue, 2, [zoo.buffer, null_mut()].as_ptr(), 0, 0, null(), null_mut())
                CL_INVALID_MEM_OBJECT "if any of the memory objects in _mem_objects_ is not a valid memory object.";
            (zoo.queue, 0, &zoo.buffer, 0, 0, null(), null_mut()) CL_INVALID_VALUE
                "if _num_mem_objects_ is zero or if _mem_objects_ is `NULL`.";
            (zoo.queue, 1, null(), 0, 0, null(), null_mut()) CL_INVALID_VALUE
                "if _num_mem_objects_ is zero or if _mem_objects_ is `NULL`.";
            (zoo.queue, 1, &zoo.buffer, 1 << 9, 0, null(), null_mut()) CL_INVALID_VALUE
                "if _flags_ is not 0 or is not any of the values described in the table above.";
        }
    }
}
