//! Reading, writing, copying and filling buffers.

use std::ptr::{null, null_mut};

use opencl_sys::*;
use touchstone::api::rect::*;
use touchstone::api::transfer::*;

use crate::table::{Refusal, refused, room, to};
use crate::zoo::SIZE;

/// Where regions begin, and a region of 16 bytes by 4 rows.
const O: [usize; 3] = [0; 3];
const R: [usize; 3] = [16, 4, 1];

pub fn cases() -> Vec<Refusal> {
    let mut all = linear();
    all.extend(rectangles());
    all
}

fn linear() -> Vec<Refusal> {
    refused! { zoo:
        status clEnqueueReadBuffer {
            (zoo.context, zoo.buffer, CL_TRUE, 0, 8, room(&mut 0u64), 0, null(), null_mut())
                CL_INVALID_COMMAND_QUEUE "if _command_queue_ is not a valid host command-queue";
            (zoo.queue, zoo.foreign_buffer, CL_TRUE, 0, 8, room(&mut 0u64), 0, null(), null_mut())
                CL_INVALID_CONTEXT "if the context associated with _command_queue_ and _buffer_ are not the same";
            (zoo.queue, zoo.plane, CL_TRUE, 0, 8, room(&mut 0u64), 0, null(), null_mut())
                CL_INVALID_MEM_OBJECT "if _buffer_ is not a valid buffer object";
            (zoo.queue, zoo.buffer, CL_TRUE, SIZE - 7, 8, room(&mut 0u64), 0, null(), null_mut())
                CL_INVALID_VALUE "if the region being read or written specified by _offset_ and _size_ is out of bounds";
            (zoo.queue, zoo.sub_buffer, CL_TRUE, 505, 8, room(&mut 0u64), 0, null(), null_mut())
                CL_INVALID_VALUE "if the region being read or written specified by _offset_ and _size_ is out of bounds";
            (zoo.queue, zoo.buffer, CL_TRUE, usize::MAX, 8, room(&mut 0u64), 0, null(), null_mut())
                CL_INVALID_VALUE "if the region being read or written specified by _offset_ and _size_ is out of bounds";
            (zoo.queue, zoo.buffer, CL_TRUE, 0, 8, null_mut(), 0, null(), null_mut())
                CL_INVALID_VALUE "if _ptr_ is `NULL`";
            (zoo.queue, zoo.buffer, CL_TRUE, 0, 8, room(&mut 0u64), 1, &zoo.failed, null_mut())
                CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST
                "if the read or write operations are blocking and the execution status of any of the events in _event_wait_list_ is a negative integer value indicating an error.";
            (zoo.queue, zoo.host_writes, CL_TRUE, 0, 8, room(&mut 0u64), 0, null(), null_mut())
                CL_INVALID_OPERATION "if {clEnqueueReadBuffer} is called on _buffer_ which has been created with {CL_MEM_HOST_WRITE_ONLY} or {CL_MEM_HOST_NO_ACCESS}";
            (zoo.queue, zoo.host_none, CL_TRUE, 0, 8, room(&mut 0u64), 0, null(), null_mut())
                CL_INVALID_OPERATION "if {clEnqueueReadBuffer} is called on _buffer_ which has been created with {CL_MEM_HOST_WRITE_ONLY} or {CL_MEM_HOST_NO_ACCESS}";
        }
        status clEnqueueWriteBuffer {
            (null_mut(), zoo.buffer, CL_TRUE, 0, 8, to(&0u64), 0, null(), null_mut())
                CL_INVALID_COMMAND_QUEUE "if _command_queue_ is not a valid host command-queue";
            (zoo.queue, zoo.foreign_buffer, CL_TRUE, 0, 8, to(&0u64), 0, null(), null_mut())
                CL_INVALID_CONTEXT "if the context associated with _command_queue_ and _buffer_ are not the same";
            (zoo.queue, null_mut(), CL_TRUE, 0, 8, to(&0u64), 0, null(), null_mut())
                CL_INVALID_MEM_OBJECT "if _buffer_ is not a valid buffer object";
            (zoo.queue, zoo.buffer, CL_TRUE, SIZE, 1, to(&0u64), 0, null(), null_mut())
                CL_INVALID_VALUE "if the region being read or written specified by _offset_ and _size_ is out of bounds";
            (zoo.queue, zoo.buffer, CL_TRUE, 0, 8, null(), 0, null(), null_mut())
                CL_INVALID_VALUE "if _ptr_ is `NULL`";
            (zoo.queue, zoo.buffer, CL_TRUE, 0, 8, to(&0u64), 1, &zoo.failed, null_mut())
                CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST
                "if the read or write operations are blocking and the execution status of any of the events in _event_wait_list_ is a negative integer value indicating an error.";
            (zoo.queue, zoo.host_reads, CL_TRUE, 0, 8, to(&0u64), 0, null(), null_mut())
                CL_INVALID_OPERATION "if {clEnqueueWriteBuffer} is called on _buffer_ which has been created with {CL_MEM_HOST_READ_ONLY} or {CL_MEM_HOST_NO_ACCESS}";
            (zoo.queue, zoo.host_none, CL_TRUE, 0, 8, to(&0u64), 0, null(), null_mut())
                CL_INVALID_OPERATION "if {clEnqueueWriteBuffer} is called on _buffer_ which has been created with {CL_MEM_HOST_READ_ONLY} or {CL_MEM_HOST_NO_ACCESS}";
        }
        status clEnqueueCopyBuffer {
            (zoo.context, zoo.buffer, zoo.other, 0, 0, 8, 0, null(), null_mut())
                CL_INVALID_COMMAND_QUEUE "if _command_queue_ is not a valid host command-queue";
            (zoo.queue, zoo.foreign_buffer, zoo.other, 0, 0, 8, 0, null(), null_mut())
                CL_INVALID_CONTEXT "if the context associated with _command_queue_ and _src_buffer_ are not the same";
            (zoo.queue, zoo.buffer, zoo.foreign_buffer, 0, 0, 8, 0, null(), null_mut())
                CL_INVALID_CONTEXT "if the context associated with _command_queue_ and _dst_buffer_ are not the same";
            (zoo.queue, zoo.plane, zoo.other, 0, 0, 8, 0, null(), null_mut())
                CL_INVALID_MEM_OBJECT "if _src_buffer_ is not a valid buffer object";
            (zoo.queue, zoo.buffer, null_mut(), 0, 0, 8, 0, null(), null_mut())
                CL_INVALID_MEM_OBJECT "if _dst_buffer_ is not a valid buffer object";
            (zoo.queue, zoo.buffer, zoo.other, SIZE, 0, 8, 0, null(), null_mut())
                CL_INVALID_VALUE "if the region specified by _src_offset_ and _size_ is out of bounds of _src_buffer_";
            (zoo.queue, zoo.buffer, zoo.other, 0, SIZE - 7, 8, 0, null(), null_mut())
                CL_INVALID_VALUE "if the region specified by _dst_offset_ and _size_ is out of bounds of _dst_buffer_";
            (zoo.queue, zoo.buffer, zoo.buffer, 0, 7, 8, 0, null(), null_mut())
                CL_MEM_COPY_OVERLAP "if _src_buffer_ and _dst_buffer_ are the same buffer or sub-buffer object and the source and destination regions overlap";
            (zoo.queue, zoo.sub_buffer, zoo.sub_buffer, 8, 1, 8, 0, null(), null_mut())
                CL_MEM_COPY_OVERLAP "if _src_buffer_ and _dst_buffer_ are the same buffer or sub-buffer object and the source and destination regions overlap";
        }
        status clEnqueueFillBuffer {
            (zoo.context, zoo.buffer, to(&0u64), 4, 0, 64, 0, null(), null_mut())
                CL_INVALID_COMMAND_QUEUE "if _command_queue_ is not a valid host command-queue";
            (zoo.queue, zoo.foreign_buffer, to(&0u64), 4, 0, 64, 0, null(), null_mut())
                CL_INVALID_CONTEXT "if the context associated with _command_queue_ and _buffer_ are not the same";
            (zoo.queue, zoo.plane, to(&0u64), 4, 0, 64, 0, null(), null_mut())
                CL_INVALID_MEM_OBJECT "if _buffer_ is not a valid buffer object";
            (zoo.queue, zoo.buffer, to(&0u64), 4, SIZE, 4, 0, null(), null_mut())
                CL_INVALID_VALUE "if the region being filled specified by _offset_ and _size_ is out of bounds";
            (zoo.queue, zoo.buffer, null(), 4, 0, 64, 0, null(), null_mut())
                CL_INVALID_VALUE "if _pattern_ is `NULL`";
            (zoo.queue, zoo.buffer, to(&0u64), 0, 0, 64, 0, null(), null_mut())
                CL_INVALID_VALUE "if _pattern_size_ is zero";
            (zoo.queue, zoo.buffer, to(&0u64), 3, 0, 63, 0, null(), null_mut())
                CL_INVALID_VALUE "if _pattern_size_ is not a power of two";
            (zoo.queue, zoo.buffer, to(&[0u64; 32]), 256, 0, 512, 0, null(), null_mut())
                CL_INVALID_VALUE "if _pattern_size_ is greater than 128";
            (zoo.queue, zoo.buffer, to(&0u64), 4, 2, 64, 0, null(), null_mut())
                CL_INVALID_VALUE "if _offset_ is not a multiple of _pattern_size_";
            (zoo.queue, zoo.buffer, to(&0u64), 4, 0, 62, 0, null(), null_mut())
                CL_INVALID_VALUE "if _size_ is not a multiple of _pattern_size_";
        }
    }
}

fn rectangles() -> Vec<Refusal> {
    refused! { zoo:
        status clEnqueueReadBufferRect {
            (zoo.context, zoo.buffer, CL_TRUE, O.as_ptr(), O.as_ptr(), R.as_ptr(), 0, 0, 0, 0, zoo.shared(0), 0, null(), null_mut())
                CL_INVALID_COMMAND_QUEUE "if _command_queue_ is not a valid host command-queue";
            (zoo.queue, zoo.foreign_buffer, CL_TRUE, O.as_ptr(), O.as_ptr(), R.as_ptr(), 0, 0, 0, 0, zoo.shared(0), 0, null(), null_mut())
                CL_INVALID_CONTEXT "if the context associated with _command_queue_ and _buffer_ are not the same";
            (zoo.queue, zoo.row, CL_TRUE, O.as_ptr(), O.as_ptr(), R.as_ptr(), 0, 0, 0, 0, zoo.shared(0), 0, null(), null_mut())
                CL_INVALID_MEM_OBJECT "if _buffer_ is not a valid buffer object";
            (zoo.queue, zoo.buffer, CL_TRUE, null(), O.as_ptr(), R.as_ptr(), 0, 0, 0, 0, zoo.shared(0), 0, null(), null_mut())
                CL_INVALID_VALUE "if _buffer_origin_, _host_origin_, or _region_ is `NULL`";
            (zoo.queue, zoo.buffer, CL_TRUE, O.as_ptr(), null(), R.as_ptr(), 0, 0, 0, 0, zoo.shared(0), 0, null(), null_mut())
                CL_INVALID_VALUE "if _buffer_origin_, _host_origin_, or _region_ is `NULL`";
            (zoo.queue, zoo.buffer, CL_TRUE, O.as_ptr(), O.as_ptr(), null(), 0, 0, 0, 0, zoo.shared(0), 0, null(), null_mut())
                CL_INVALID_VALUE "if _buffer_origin_, _host_origin_, or _region_ is `NULL`";
            (zoo.queue, zoo.buffer, CL_TRUE, [0, 61, 0].as_ptr(), O.as_ptr(), R.as_ptr(), 0, 0, 0, 0, zoo.shared(0), 0, null(), null_mut())
                CL_INVALID_VALUE "if the region being read or written specified by _buffer_origin_, _region_, _buffer_row_pitch_, and _buffer_slice_pitch_ is out of bounds";
            (zoo.queue, zoo.buffer, CL_TRUE, O.as_ptr(), O.as_ptr(), [16, 0, 1].as_ptr(), 0, 0, 0, 0, zoo.shared(0), 0, null(), null_mut())
                CL_INVALID_VALUE "if any _region_ array element is zero";
            (zoo.queue, zoo.buffer, CL_TRUE, O.as_ptr(), O.as_ptr(), R.as_ptr(), 15, 0, 0, 0, zoo.shared(0), 0, null(), null_mut())
                CL_INVALID_VALUE "if _buffer_row_pitch_ is not equal to zero and is less than _region_[0]";
            (zoo.queue, zoo.buffer, CL_TRUE, O.as_ptr(), O.as_ptr(), R.as_ptr(), 16, 48, 0, 0, zoo.shared(0), 0, null(), null_mut())
                CL_INVALID_VALUE "if _buffer_slice_pitch_ is not equal to zero and is less than _region_[1] times _buffer_row_pitch_";
            (zoo.queue, zoo.buffer, CL_TRUE, O.as_ptr(), O.as_ptr(), R.as_ptr(), 16, 72, 0, 0, zoo.shared(0), 0, null(), null_mut())
                CL_INVALID_VALUE "if _buffer_slice_pitch_ is not equal to zero and is not a multiple of _buffer_row_pitch_";
            (zoo.queue, zoo.buffer, CL_TRUE, O.as_ptr(), O.as_ptr(), R.as_ptr(), 0, 0, 15, 0, zoo.shared(0), 0, null(), null_mut())
                CL_INVALID_VALUE "if _host_row_pitch_ is not equal to zero and is less than _region_[0]";
            (zoo.queue, zoo.buffer, CL_TRUE, O.as_ptr(), O.as_ptr(), R.as_ptr(), 0, 0, 16, 48, zoo.shared(0), 0, null(), null_mut())
                CL_INVALID_VALUE "if _host_slice_pitch_ is not equal to zero and is less than _region_[1] times _host_row_pitch_";
            (zoo.queue, zoo.buffer, CL_TRUE, O.as_ptr(), O.as_ptr(), R.as_ptr(), 0, 0, 16, 72, zoo.shared(0), 0, null(), null_mut())
                CL_INVALID_VALUE "if _host_slice_pitch_ is not equal to zero and is not a multiple of _host_row_pitch_";
            (zoo.queue, zoo.buffer, CL_TRUE, O.as_ptr(), O.as_ptr(), R.as_ptr(), 0, 0, 0, 0, null_mut(), 0, null(), null_mut())
                CL_INVALID_VALUE "if _ptr_ is `NULL`";
            (zoo.queue, zoo.buffer, CL_TRUE, O.as_ptr(), O.as_ptr(), R.as_ptr(), 0, 0, 0, 0, zoo.shared(0), 1, &zoo.failed, null_mut())
                CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST
                "if the read or write operations are blocking and the execution status of any of the events in _event_wait_list_ is a negative integer value indicating an error.";
            (zoo.queue, zoo.host_writes, CL_TRUE, O.as_ptr(), O.as_ptr(), R.as_ptr(), 0, 0, 0, 0, zoo.shared(0), 0, null(), null_mut())
                CL_INVALID_OPERATION "if {clEnqueueReadBufferRect} is called on _buffer_ which has been created with {CL_MEM_HOST_WRITE_ONLY} or {CL_MEM_HOST_NO_ACCESS}";
        }
        status clEnqueueWriteBufferRect {
            (zoo.context, zoo.buffer, CL_TRUE, O.as_ptr(), O.as_ptr(), R.as_ptr(), 0, 0, 0, 0, zoo.shared(0), 0, null(), null_mut())
                CL_INVALID_COMMAND_QUEUE "if _command_queue_ is not a valid host command-queue";
            (zoo.queue, zoo.foreign_buffer, CL_TRUE, O.as_ptr(), O.as_ptr(), R.as_ptr(), 0, 0, 0, 0, zoo.shared(0), 0, null(), null_mut())
                CL_INVALID_CONTEXT "if the context associated with _command_queue_ and _buffer_ are not the same";
            (zoo.queue, zoo.queue, CL_TRUE, O.as_ptr(), O.as_ptr(), R.as_ptr(), 0, 0, 0, 0, zoo.shared(0), 0, null(), null_mut())
                CL_INVALID_MEM_OBJECT "if _buffer_ is not a valid buffer object";
            (zoo.queue, zoo.buffer, CL_TRUE, [1, 60, 0].as_ptr(), O.as_ptr(), R.as_ptr(), 0, 0, 0, 0, zoo.shared(0), 0, null(), null_mut())
                CL_INVALID_VALUE "if the region being read or written specified by _buffer_origin_, _region_, _buffer_row_pitch_, and _buffer_slice_pitch_ is out of bounds";
            (zoo.queue, zoo.buffer, CL_TRUE, O.as_ptr(), O.as_ptr(), [0, 1, 1].as_ptr(), 0, 0, 0, 0, zoo.shared(0), 0, null(), null_mut())
                CL_INVALID_VALUE "if any _region_ array element is zero";
            (zoo.queue, zoo.buffer, CL_TRUE, O.as_ptr(), O.as_ptr(), R.as_ptr(), 8, 0, 0, 0, zoo.shared(0), 0, null(), null_mut())
                CL_INVALID_VALUE "if _buffer_row_pitch_ is not equal to zero and is less than _region_[0]";
            (zoo.queue, zoo.buffer, CL_TRUE, O.as_ptr(), O.as_ptr(), R.as_ptr(), 0, 0, 0, 0, null(), 0, null(), null_mut())
                CL_INVALID_VALUE "if _ptr_ is `NULL`";
            (zoo.queue, zoo.host_reads, CL_TRUE, O.as_ptr(), O.as_ptr(), R.as_ptr(), 0, 0, 0, 0, zoo.shared(0), 0, null(), null_mut())
                CL_INVALID_OPERATION "if {clEnqueueWriteBufferRect} is called on _buffer_ which has been created with {CL_MEM_HOST_READ_ONLY} or {CL_MEM_HOST_NO_ACCESS}";
        }
        status clEnqueueCopyBufferRect {
            (zoo.context, zoo.buffer, zoo.other, O.as_ptr(), O.as_ptr(), R.as_ptr(), 0, 0, 0, 0, 0, null(), null_mut())
                CL_INVALID_COMMAND_QUEUE "if _command_queue_ is not a valid host command-queue";
            (zoo.queue, zoo.foreign_buffer, zoo.other, O.as_ptr(), O.as_ptr(), R.as_ptr(), 0, 0, 0, 0, 0, null(), null_mut())
                CL_INVALID_CONTEXT "if the context associated with _command_queue_ and _src_buffer_ are not the same";
            (zoo.queue, zoo.buffer, zoo.foreign_buffer, O.as_ptr(), O.as_ptr(), R.as_ptr(), 0, 0, 0, 0, 0, null(), null_mut())
                CL_INVALID_CONTEXT "if the context associated with _command_queue_ and _dst_buffer_ are not the same";
            (zoo.queue, null_mut(), zoo.other, O.as_ptr(), O.as_ptr(), R.as_ptr(), 0, 0, 0, 0, 0, null(), null_mut())
                CL_INVALID_MEM_OBJECT "if _src_buffer_ is not a valid buffer object";
            (zoo.queue, zoo.buffer, zoo.plane, O.as_ptr(), O.as_ptr(), R.as_ptr(), 0, 0, 0, 0, 0, null(), null_mut())
                CL_INVALID_MEM_OBJECT "if _dst_buffer_ is not a valid buffer object";
            (zoo.queue, zoo.buffer, zoo.other, null(), O.as_ptr(), R.as_ptr(), 0, 0, 0, 0, 0, null(), null_mut())
                CL_INVALID_VALUE "if _src_origin_, _dst_origin_, or _region_ is `NULL`";
            (zoo.queue, zoo.buffer, zoo.other, [0, 61, 0].as_ptr(), O.as_ptr(), R.as_ptr(), 0, 0, 0, 0, 0, null(), null_mut())
                CL_INVALID_VALUE "if the region specified by _src_origin_, _region_, _src_row_pitch_, and _src_slice_pitch_ is out of bounds of _src_buffer_";
            (zoo.queue, zoo.buffer, zoo.other, O.as_ptr(), [0, 61, 0].as_ptr(), R.as_ptr(), 0, 0, 0, 0, 0, null(), null_mut())
                CL_INVALID_VALUE "if the region specified by _dst_origin_, _region_, _dst_row_pitch_, and _dst_slice_pitch_ is out of bounds of _dst_buffer_";
            (zoo.queue, zoo.buffer, zoo.other, O.as_ptr(), O.as_ptr(), [16, 4, 0].as_ptr(), 0, 0, 0, 0, 0, null(), null_mut())
                CL_INVALID_VALUE "if any _region_ array element is zero";
            (zoo.queue, zoo.buffer, zoo.other, O.as_ptr(), O.as_ptr(), R.as_ptr(), 15, 0, 0, 0, 0, null(), null_mut())
                CL_INVALID_VALUE "if _src_row_pitch_ is not equal to zero and is less than _region_[0]";
            (zoo.queue, zoo.buffer, zoo.other, O.as_ptr(), O.as_ptr(), R.as_ptr(), 16, 48, 0, 0, 0, null(), null_mut())
                CL_INVALID_VALUE "if _src_slice_pitch_ is not equal to zero and is less than _region_[1] times _src_row_pitch_";
            (zoo.queue, zoo.buffer, zoo.other, O.as_ptr(), O.as_ptr(), R.as_ptr(), 16, 72, 0, 0, 0, null(), null_mut())
                CL_INVALID_VALUE "if _src_slice_pitch_ is not equal to zero and is not a multiple of _src_row_pitch_";
            (zoo.queue, zoo.buffer, zoo.other, O.as_ptr(), O.as_ptr(), R.as_ptr(), 0, 0, 15, 0, 0, null(), null_mut())
                CL_INVALID_VALUE "if _dst_row_pitch_ is not equal to zero and is less than _region_[0]";
            (zoo.queue, zoo.buffer, zoo.other, O.as_ptr(), O.as_ptr(), R.as_ptr(), 0, 0, 16, 48, 0, null(), null_mut())
                CL_INVALID_VALUE "if _dst_slice_pitch_ is not equal to zero and is less than _region_[1] times _dst_row_pitch_";
            (zoo.queue, zoo.buffer, zoo.other, O.as_ptr(), O.as_ptr(), R.as_ptr(), 0, 0, 16, 72, 0, null(), null_mut())
                CL_INVALID_VALUE "if _dst_slice_pitch_ is not equal to zero and is not a multiple of _dst_row_pitch_";
            (zoo.queue, zoo.buffer, zoo.buffer, O.as_ptr(), [0, 8, 0].as_ptr(), R.as_ptr(), 16, 0, 32, 0, 0, null(), null_mut())
                CL_INVALID_VALUE "if _src_buffer_ and _dst_buffer_ are the same buffer object and _src_row_pitch_ is not equal to _dst_row_pitch_";
            (zoo.queue, zoo.buffer, zoo.buffer, O.as_ptr(), [0, 8, 0].as_ptr(), R.as_ptr(), 16, 64, 16, 128, 0, null(), null_mut())
                CL_INVALID_VALUE "if _src_buffer_ and _dst_buffer_ are the same buffer object and _src_slice_pitch_ is not equal to _dst_slice_pitch_";
            (zoo.queue, zoo.buffer, zoo.buffer, O.as_ptr(), [8, 2, 0].as_ptr(), R.as_ptr(), 32, 0, 32, 0, 0, null(), null_mut())
                CL_MEM_COPY_OVERLAP "if _src_buffer_ and _dst_buffer_ are the same buffer or sub-buffer object and the source and destination regions overlap";
        }
    }
}
