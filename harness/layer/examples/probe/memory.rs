//! Transfers, maps, host pointers, sub-buffers and shared virtual memory.

use crate::LACKS;
use crate::cl::{Cl, NULL, Outcome, cl, done, must};
use libc::c_void;
use opencl_sys::cl_function_types::*;
use opencl_sys::*;
use std::ptr;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Bytes of the buffers here, each with its place as content.
const SIZE: usize = 256;

fn places() -> Vec<u8> {
    (0..SIZE).map(|place| place as u8).collect()
}

/// Asks the probe of this name, if it is here.
pub fn ask(cl: &Cl, name: &str) -> Option<Outcome> {
    Some(match name {
        "read" => read(cl),
        "write" => write(cl),
        "copy" => copy(cl),
        "fill" => fill(cl),
        "valid" => valid(cl),
        "rect" => rect(cl),
        "image" => image(cl),
        "image-fill" => image_fill(cl),
        "svm-migrate" => svm_migrate(cl),
        "overlap" => overlap(cl),
        "map" => map(cl),
        "unmap" => unmap(cl),
        "invalidate" => invalidate(cl),
        "host-ptr" => host_ptr(cl),
        "sub-buffer" => sub_buffer(cl),
        "sub-buffer-data" => sub_buffer_data(cl),
        "svm-map" => svm_mapped(cl),
        "misaligned" => misaligned(cl),
        "migrate" => migrate(cl),
        "svm-copy" => svm_copy(cl),
        "svm-free" => svm_free(cl),
        "svm-callback" => svm_callback(cl),
        "svm-pointer" => svm_pointer(cl),
        "svm-misuse" => svm_misuse(cl),
        _ => return None,
    })
}

fn read(cl: &Cl) -> Outcome {
    let buffer = cl.buffer(&places())?;
    let mut part = [0u8; 32];
    let status = cl!(cl, clEnqueueReadBuffer: clEnqueueReadBuffer_t,
        cl.queue, buffer, CL_TRUE, 16, 32, part.as_mut_ptr().cast(), 0, ptr::null(), ptr::null_mut());
    done("clEnqueueReadBuffer", status)?;
    must(part == places()[16..48], "a read brings its bytes")
}

fn write(cl: &Cl) -> Outcome {
    let buffer = cl.buffer(&[0; SIZE])?;
    let status = cl!(cl, clEnqueueWriteBuffer: clEnqueueWriteBuffer_t,
        cl.queue, buffer, CL_TRUE, 16, 32, [9u8; 32].as_ptr().cast(), 0, ptr::null(), ptr::null_mut());
    done("clEnqueueWriteBuffer", status)?;
    let mut expected = [0u8; SIZE];
    expected[16..48].fill(9);
    must(
        cl.content(buffer, SIZE)? == expected,
        "a write brings its bytes",
    )
}

fn copy(cl: &Cl) -> Outcome {
    let (from, to) = (cl.buffer(&places())?, cl.buffer(&[0; SIZE])?);
    let status = cl!(cl, clEnqueueCopyBuffer: clEnqueueCopyBuffer_t,
        cl.queue, from, to, 16, 64, 32, 0, ptr::null(), ptr::null_mut());
    done("clEnqueueCopyBuffer", status)?;
    let mut expected = [0u8; SIZE];
    expected[64..96].copy_from_slice(&places()[16..48]);
    must(cl.content(to, SIZE)? == expected, "a copy brings its bytes")
}

fn fill(cl: &Cl) -> Outcome {
    let buffer = cl.buffer(&[0; SIZE])?;
    let status = cl!(cl, clEnqueueFillBuffer: clEnqueueFillBuffer_t,
        cl.queue, buffer, [1u8, 2, 3, 4].as_ptr().cast(), 4, 16, 32, 0, ptr::null(), ptr::null_mut());
    done("clEnqueueFillBuffer", status)?;
    let mut expected = [0u8; SIZE];
    for (index, byte) in expected[16..48].iter_mut().enumerate() {
        *byte = index as u8 % 4 + 1;
    }
    must(
        cl.content(buffer, SIZE)? == expected,
        "a fill repeats its pattern",
    )
}

fn valid(cl: &Cl) -> Outcome {
    let buffer = cl.buffer(&[0; SIZE])?;
    let status = cl!(cl, clEnqueueFillBuffer: clEnqueueFillBuffer_t,
        cl.queue, buffer, [1u8, 2].as_ptr().cast(), 2, 0, 2, 0, ptr::null(), ptr::null_mut());
    must(status == CL_SUCCESS, "a call that is right succeeds")
}

fn rect(cl: &Cl) -> Outcome {
    let buffer = cl.buffer(&places())?;
    let mut host = [0u8; SIZE];
    // Two slices of two rows of three bytes: pitches of 8 and 32 in the buffer, 5 and 20 outside.
    let (from, to, region) = ([1usize, 1, 1], [2usize, 1, 0], [3usize, 2, 2]);
    let status = cl!(cl, clEnqueueReadBufferRect: clEnqueueReadBufferRect_t,
        cl.queue, buffer, CL_TRUE, from.as_ptr(), to.as_ptr(), region.as_ptr(), 8, 32, 5, 20,
        host.as_mut_ptr().cast(), 0, ptr::null(), ptr::null_mut());
    done("clEnqueueReadBufferRect", status)?;
    let mut expected = [0u8; SIZE];
    for (z, y, x) in (0..12).map(|i| (i / 6, i / 3 % 2, i % 3)) {
        expected[z * 20 + (y + 1) * 5 + x + 2] = places()[(z + 1) * 32 + (y + 1) * 8 + x + 1];
    }
    must(host == expected, "a rectangle brings its bytes")
}

fn image(cl: &Cl) -> Outcome {
    let mut status = CL_SUCCESS;
    let format = cl_image_format {
        image_channel_order: CL_RGBA,
        image_channel_data_type: CL_UNSIGNED_INT8,
    };
    let image = cl!(cl, clCreateImage2D: clCreateImage2D_t,
        cl.context, CL_MEM_READ_WRITE, &format, 4, 4, 0, NULL, &mut status);
    if image.is_null() {
        return Err(LACKS.to_owned());
    }
    let (zero, all) = ([0usize; 3], [4usize, 4, 1]);
    let status = cl!(cl, clEnqueueWriteImage: clEnqueueWriteImage_t,
        cl.queue, image, CL_TRUE, zero.as_ptr(), all.as_ptr(), 32, 0, places().as_ptr().cast(), 0,
        ptr::null(), ptr::null_mut());
    done("clEnqueueWriteImage", status)?;
    let mut host = [0u8; SIZE];
    let (origin, region) = ([1usize, 1, 0], [2usize, 2, 1]);
    let status = cl!(cl, clEnqueueReadImage: clEnqueueReadImage_t,
        cl.queue, image, CL_TRUE, origin.as_ptr(), region.as_ptr(), 64, 0, host.as_mut_ptr().cast(), 0,
        ptr::null(), ptr::null_mut());
    done("clEnqueueReadImage", status)?;
    let row = |y: usize| places()[(y + 1) * 32 + 4..(y + 1) * 32 + 12].to_vec();
    must(
        host[..8] == row(0) && host[64..72] == row(1),
        "a region of an image comes as it is",
    )
}

fn image_fill(cl: &Cl) -> Outcome {
    let mut status = CL_SUCCESS;
    let format = cl_image_format {
        image_channel_order: CL_RGBA,
        image_channel_data_type: CL_UNSIGNED_INT8,
    };
    let image = cl!(cl, clCreateImage2D: clCreateImage2D_t,
        cl.context, CL_MEM_READ_WRITE, &format, 4, 4, 0, NULL, &mut status);
    if image.is_null() {
        return Err(LACKS.to_owned());
    }
    let (zero, all) = ([0usize; 3], [4usize, 4, 1]);
    let status = cl!(cl, clEnqueueFillImage: clEnqueueFillImage_t,
        cl.queue, image, [5u32, 6, 7, 8].as_ptr().cast(), zero.as_ptr(), all.as_ptr(), 0, ptr::null(),
        ptr::null_mut());
    done("clEnqueueFillImage", status)?;
    let mut host = [0u8; 64];
    let status = cl!(cl, clEnqueueReadImage: clEnqueueReadImage_t,
        cl.queue, image, CL_TRUE, zero.as_ptr(), all.as_ptr(), 0, 0, host.as_mut_ptr().cast(), 0,
        ptr::null(), ptr::null_mut());
    done("clEnqueueReadImage", status)?;
    let filled = host.chunks(4).all(|element| element == [5, 6, 7, 8]);
    must(filled, "a fill of an image has its colour up to its end")
}

fn svm_migrate(cl: &Cl) -> Outcome {
    let memory = svm(cl)?;
    let mut pointer: *const c_void = memory.cast();
    let status = cl!(cl, clEnqueueSVMMigrateMem: clEnqueueSVMMigrateMem_t,
        cl.queue, 1, &mut pointer, ptr::null(), CL_MIGRATE_MEM_OBJECT_HOST, 0, ptr::null(),
        ptr::null_mut());
    if status == CL_INVALID_OPERATION {
        return Err(LACKS.to_owned());
    }
    done("clEnqueueSVMMigrateMem", status)?;
    cl.finish(cl.queue)?;
    must(
        svm_content(cl, memory)? == [7; SIZE],
        "a migration keeps the contents",
    )
}

fn overlap(cl: &Cl) -> Outcome {
    let buffer = cl.buffer(&places())?;
    let status = cl!(cl, clEnqueueCopyBuffer: clEnqueueCopyBuffer_t,
        cl.queue, buffer, buffer, 0, 16, 32, 0, ptr::null(), ptr::null_mut());
    must(
        status == CL_MEM_COPY_OVERLAP,
        "an overlapping copy is refused",
    )
}

fn mapped(
    cl: &Cl,
    buffer: cl_mem,
    blocking: bool,
    flags: cl_map_flags,
    offset: usize,
    size: usize,
) -> Outcome<*mut u8> {
    let mut status = CL_SUCCESS;
    let mut event = NULL;
    let blocks = if blocking { CL_TRUE } else { CL_FALSE };
    let mapped = cl!(cl, clEnqueueMapBuffer: clEnqueueMapBuffer_t,
        cl.queue, buffer, blocks, flags, offset, size, 0, ptr::null(), &mut event, &mut status);
    done("clEnqueueMapBuffer", status)?;
    done("clWaitForEvents", cl.wait(&[event]))?;
    Ok(mapped.cast())
}

fn unmapped(cl: &Cl, buffer: cl_mem, mapped: *mut u8) -> Outcome {
    let status = cl!(cl, clEnqueueUnmapMemObject: clEnqueueUnmapMemObject_t,
        cl.queue, buffer, mapped.cast(), 0, ptr::null(), ptr::null_mut());
    done("clEnqueueUnmapMemObject", status)?;
    cl.finish(cl.queue)
}

fn map(cl: &Cl) -> Outcome {
    let buffer = cl.buffer(&places())?;
    for blocking in [true, false] {
        let seen = mapped(cl, buffer, blocking, CL_MAP_READ, 64, 32)?;
        // SAFETY: a mapped region of 32 bytes.
        let same = unsafe { std::slice::from_raw_parts(seen, 32) } == &places()[64..96];
        must(same, "a map gives the latest contents")?;
        unmapped(cl, buffer, seen)?;
    }
    Ok(())
}

fn unmap(cl: &Cl) -> Outcome {
    for blocking in [true, false] {
        let buffer = cl.buffer(&places())?;
        let seen = mapped(cl, buffer, blocking, CL_MAP_READ | CL_MAP_WRITE, 64, 32)?;
        // SAFETY: a mapped region of 32 bytes.
        let same = unsafe { std::slice::from_raw_parts(seen, 32) } == &places()[64..96];
        must(same, "a map gives the latest contents")?;
        // SAFETY: as above.
        unsafe { seen.write_bytes(3, 32) };
        unmapped(cl, buffer, seen)?;
        let mut expected = places();
        expected[64..96].fill(3);
        must(
            cl.content(buffer, SIZE)? == expected,
            "an unmap gives the host's writes to the device",
        )?;
    }
    Ok(())
}

fn invalidate(cl: &Cl) -> Outcome {
    let buffer = cl.buffer(&places())?;
    let seen = mapped(cl, buffer, true, CL_MAP_WRITE_INVALIDATE_REGION, 64, 32)?;
    // SAFETY: a mapped region of 32 bytes.
    unsafe { seen.write_bytes(3, 32) };
    unmapped(cl, buffer, seen)?;
    let mut expected = places();
    expected[64..96].fill(3);
    must(
        cl.content(buffer, SIZE)? == expected,
        "the rest of an invalidated region is left alone",
    )
}

fn host_ptr(cl: &Cl) -> Outcome {
    let mut status = CL_SUCCESS;
    let host: &'static mut [u8] = Box::leak(places().into_boxed_slice());
    let host = host.as_mut_ptr();
    let copied = cl!(cl, clCreateBuffer: clCreateBuffer_t,
        cl.context, CL_MEM_COPY_HOST_PTR, SIZE, host.cast(), &mut status);
    done("clCreateBuffer", status)?;
    must(
        cl.content(copied, SIZE)? == places(),
        "a buffer begins with the data that it copies",
    )?;
    let used = cl!(cl, clCreateBuffer: clCreateBuffer_t,
        cl.context, CL_MEM_USE_HOST_PTR, SIZE, host.cast(), &mut status);
    done("clCreateBuffer", status)?;
    let seen = mapped(cl, used, true, CL_MAP_READ, 0, SIZE)?;
    must(
        seen == host,
        "a buffer is mapped at the host pointer that it uses",
    )
}

fn sub(cl: &Cl, buffer: cl_mem, origin: usize) -> (cl_mem, cl_int) {
    let region = cl_buffer_region { origin, size: 64 };
    let mut status = CL_SUCCESS;
    let sub = cl!(cl, clCreateSubBuffer: clCreateSubBuffer_t,
        buffer, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, (&raw const region).cast(), &mut status);
    (sub, status)
}

fn sub_buffer(cl: &Cl) -> Outcome {
    let buffer = cl.buffer(&[0; 8192])?;
    let (sub, status) = sub(cl, buffer, 4096);
    done("clCreateSubBuffer", status)?;
    cl.fill(cl.queue, sub, 0x0505_0505, 64, &[])?;
    let seen = cl.content(buffer, 8192)?;
    must(
        seen[4096..4160] == [5; 64] && seen[..64] == [0; 64],
        "a sub-buffer begins at its origin",
    )
}

fn misaligned(cl: &Cl) -> Outcome {
    let buffer = cl.buffer(&[0; 8192])?;
    let (_, status) = sub(cl, buffer, 4097);
    must(
        status == CL_MISALIGNED_SUB_BUFFER_OFFSET,
        "a misaligned sub-buffer is refused",
    )
}

fn migrate(cl: &Cl) -> Outcome {
    let buffer = cl.buffer(&places())?;
    let status = cl!(cl, clEnqueueMigrateMemObjects: clEnqueueMigrateMemObjects_t,
        cl.queue, 1, &buffer, CL_MIGRATE_MEM_OBJECT_HOST, 0, ptr::null(), ptr::null_mut());
    done("clEnqueueMigrateMemObjects", status)?;
    must(
        cl.content(buffer, SIZE)? == places(),
        "a migration keeps the contents",
    )
}

/// Shared virtual memory, filled with 7 while it is mapped.
fn svm(cl: &Cl) -> Outcome<*mut u8> {
    let memory = cl!(cl, clSVMAlloc: clSVMAlloc_t, cl.context, CL_MEM_READ_WRITE, SIZE, 0);
    if memory.is_null() {
        return Err(LACKS.to_owned());
    }
    svm_map(cl, memory.cast())?;
    // SAFETY: an allocation of this size, mapped.
    unsafe { memory.cast::<u8>().write_bytes(7, SIZE) };
    let status = cl!(cl, clEnqueueSVMUnmap: clEnqueueSVMUnmap_t,
        cl.queue, memory, 0, ptr::null(), ptr::null_mut());
    done("clEnqueueSVMUnmap", status)?;
    cl.finish(cl.queue)?;
    Ok(memory.cast())
}

fn svm_map(cl: &Cl, memory: *mut u8) -> Outcome {
    let flags = CL_MAP_READ | CL_MAP_WRITE;
    let status = cl!(cl, clEnqueueSVMMap: clEnqueueSVMMap_t,
        cl.queue, CL_TRUE, flags, memory.cast(), SIZE, 0, ptr::null(), ptr::null_mut());
    done("clEnqueueSVMMap", status)
}

fn svm_content(cl: &Cl, memory: *mut u8) -> Outcome<Vec<u8>> {
    svm_map(cl, memory)?;
    // SAFETY: an allocation of this size, mapped.
    Ok(unsafe { std::slice::from_raw_parts(memory, SIZE) }.to_vec())
}

fn svm_copy(cl: &Cl) -> Outcome {
    let memory = svm(cl)?;
    let status = cl!(cl, clEnqueueSVMMemcpy: clEnqueueSVMMemcpy_t,
        cl.queue, CL_TRUE, memory.cast(), [9u8; 32].as_ptr().cast(), 32, 0, ptr::null(), ptr::null_mut());
    done("clEnqueueSVMMemcpy", status)?;
    // SAFETY: within the allocation.
    let place = unsafe { memory.add(64) };
    let status = cl!(cl, clEnqueueSVMMemFill: clEnqueueSVMMemFill_t,
        cl.queue, place.cast(), [1u8, 2, 3, 4].as_ptr().cast(), 4, 32, 0, ptr::null(), ptr::null_mut());
    done("clEnqueueSVMMemFill", status)?;
    cl.finish(cl.queue)?;
    let mut expected = [7u8; SIZE];
    expected[..32].fill(9);
    expected[64..96].copy_from_slice(&[1, 2, 3, 4].repeat(8));
    must(
        svm_content(cl, memory)? == expected,
        "copies and fills bring every byte",
    )
}

fn svm_free(cl: &Cl) -> Outcome {
    let memory = svm(cl)?;
    let gate = cl.user_event()?;
    let mut pointer: *mut c_void = memory.cast();
    let status = cl!(cl, clEnqueueSVMFree: clEnqueueSVMFree_t,
        cl.queue, 1, &mut pointer, None, NULL, 1, &gate, ptr::null_mut());
    done("clEnqueueSVMFree", status)?;
    // SAFETY: the command waits, so the memory is there.
    let same = unsafe { std::slice::from_raw_parts(memory, SIZE) } == [7; SIZE];
    cl.set(gate, CL_COMPLETE)?;
    must(same, "memory is not freed before its turn")
}

static CALLED: AtomicUsize = AtomicUsize::new(0);

unsafe extern "C" fn freed(
    _: cl_command_queue,
    _: cl_uint,
    pointers: *mut *mut c_void,
    _: *mut c_void,
) {
    // SAFETY: one pointer was passed.
    CALLED.store(unsafe { *pointers } as usize, Ordering::SeqCst);
}

fn svm_callback(cl: &Cl) -> Outcome {
    let memory = svm(cl)?;
    let gate = cl.user_event()?;
    // Never freed: a callback may read it late.
    let pointers: &'static mut [*mut c_void; 1] = Box::leak(Box::new([memory.cast()]));
    let status = cl!(cl, clEnqueueSVMFree: clEnqueueSVMFree_t,
        cl.queue, 1, pointers.as_mut_ptr(), Some(freed), NULL, 1, &gate, ptr::null_mut());
    done("clEnqueueSVMFree", status)?;
    must(
        CALLED.load(Ordering::SeqCst) == 0,
        "the callback is called in its turn",
    )?;
    pointers[0] = 8 as *mut c_void;
    cl.set(gate, CL_COMPLETE)?;
    cl.flush(cl.queue)?;
    cl.soon(
        || Ok(CALLED.load(Ordering::SeqCst) != 0),
        "the callback is called",
    )?;
    must(
        CALLED.load(Ordering::SeqCst) == memory as usize,
        "the callback gets the pointers that were given",
    )
}

fn svm_pointer(cl: &Cl) -> Outcome {
    let memory = svm(cl)?;
    let buffer = cl.buffer(&[0; SIZE])?;
    let kernel = cl.kernel(c"set", buffer, 1)?;
    // SAFETY: within the allocation.
    let middle = unsafe { memory.add(64) };
    let status =
        cl!(cl, clSetKernelArgSVMPointer: clSetKernelArgSVMPointer_t, kernel, 0, middle.cast());
    done("clSetKernelArgSVMPointer", status)?;
    cl.launch(cl.queue, kernel, &[])?;
    cl.finish(cl.queue)?;
    let seen = svm_content(cl, memory)?;
    must(
        seen[64] == 1 && seen[0] == 7,
        "a pointer into the middle points there",
    )
}

fn svm_misuse(cl: &Cl) -> Outcome {
    let memory = svm(cl)?;
    let status = cl!(cl, clEnqueueSVMMemcpy: clEnqueueSVMMemcpy_t,
        cl.queue, CL_TRUE, NULL, memory.cast(), SIZE, 0, ptr::null(), ptr::null_mut());
    must(status == CL_INVALID_VALUE, "a copy to nowhere is refused")
}

fn sub_buffer_data(cl: &Cl) -> Outcome {
    let buffer = cl.buffer(&[3; 8192])?;
    let (sub, status) = sub(cl, buffer, 4096);
    done("clCreateSubBuffer", status)?;
    must(
        cl.content(sub, 64)? == [3; 64],
        "a sub-buffer sees its parent's data",
    )
}

fn svm_mapped(cl: &Cl) -> Outcome {
    let memory = svm(cl)?;
    // A kernel adds to what the host wrote, and the host sees it.
    let buffer = cl.buffer(&[0; SIZE])?;
    let kernel = cl.kernel(c"add", buffer, 1)?;
    let status = cl!(
        cl,
        clSetKernelArgSVMPointer: clSetKernelArgSVMPointer_t,
        kernel,
        0,
        memory.cast()
    );
    done("clSetKernelArgSVMPointer", status)?;
    cl.launch(cl.queue, kernel, &[])?;
    cl.finish(cl.queue)?;
    must(
        svm_content(cl, memory)?[..4] == [8, 7, 7, 7],
        "kernels see what the host wrote before the unmap, the host what kernels wrote before the map",
    )
}
