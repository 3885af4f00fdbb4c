//! Buffers, sub-buffers, mappings, transfers, images.

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use opencl_sys::*;
use touchstone::api::buffer::*;
use touchstone::api::image::*;
use touchstone::api::image_transfer::*;
use touchstone::api::memory::*;
use touchstone::api::rect::*;
use touchstone::api::transfer::*;

use crate::Scenario;
use crate::rig::Rig;
use crate::tools::*;

pub const SCENARIOS: &[Scenario] = &[
    ("host_pointer", host_pointer),
    ("map_latest", map_latest),
    ("unmap_writes", unmap_writes),
    ("invalidate", invalidate),
    ("copy_host_pointer", copy_host_pointer),
    ("sub_buffer", sub_buffer),
    ("sub_buffer_alignment", sub_buffer_alignment),
    ("rect", rect),
    ("fill_pattern", fill_pattern),
    ("copy", copy),
    ("read_write", read_write),
    ("overlap", overlap),
    ("migrate", migrate),
    ("readers", readers),
    ("images", images),
];

fn host_pointer() {
    let rig = Rig::new();
    let mut memory = [1u8; 64];
    let buffer = rig.buffer_of(&mut memory, CL_MEM_USE_HOST_PTR);
    let address = map(&rig, buffer, CL_MAP_READ, 8, 8);
    assert_eq!(address as usize, memory.as_ptr() as usize + 8);
    unmap(&rig, buffer, address);
}

fn map_latest() {
    let rig = Rig::new();
    let target = buffer(&rig, &[0; 16]);
    for word in 1..4 {
        fill(&rig, target, word, 16, &[]);
        rig.finish();
        let address = map(&rig, target, CL_MAP_READ, 0, 64);
        assert_eq!(unsafe { address.cast::<u32>().read() }, word);
        unmap(&rig, target, address);
    }
}

fn unmap_writes() {
    let rig = Rig::new();
    let target = buffer(&rig, &[0; 16]);
    let address = map(&rig, target, CL_MAP_WRITE, 0, 64);
    unsafe { address.cast::<u32>().write(7) };
    unmap(&rig, target, address);
    assert_eq!(words(&rig, target, 1), [7]);
}

fn invalidate() {
    let rig = Rig::new();
    let target = buffer(&rig, &[1; 16]);
    let address = map(&rig, target, CL_MAP_WRITE_INVALIDATE_REGION, 16, 16);
    unsafe { address.write_bytes(0, 16) };
    unmap(&rig, target, address);
    let found = words(&rig, target, 16);
    assert_eq!(found[..4], [1; 4]);
    assert_eq!(found[8..], [1; 8]);
}

fn copy_host_pointer() {
    let rig = Rig::new();
    let buffer = rig.buffer_of(&mut [1; 64], CL_MEM_COPY_HOST_PTR);
    assert_eq!(rig.read(buffer, 64), [1; 64]);
}

fn part(buffer: cl_mem, origin: usize, size: usize) -> Result<cl_mem, cl_int> {
    let region = cl_buffer_region { origin, size };
    let mut code = 1;
    let info = (&raw const region).cast();
    let kind = CL_BUFFER_CREATE_TYPE_REGION;
    let part = unsafe { clCreateSubBuffer(buffer, 0, kind, info, &mut code) };
    if code == CL_SUCCESS {
        Ok(part)
    } else {
        Err(code)
    }
}

fn sub_buffer() {
    let rig = Rig::new();
    let whole = buffer(&rig, &[1; 256]);
    let part = part(whole, 512, 256).expect("made");
    fill(&rig, part, 2, 64, &[]);
    let found = words(&rig, whole, 256);
    assert_eq!(found[..128], [1; 128]);
    assert_eq!(found[128..192], [2; 64]);
    fill(&rig, whole, 3, 256, &[]);
    assert_eq!(words(&rig, part, 64), [3; 64]);
}

fn sub_buffer_alignment() {
    let rig = Rig::new();
    let whole = buffer(&rig, &[1; 256]);
    assert_eq!(part(whole, 4, 64), Err(CL_MISALIGNED_SUB_BUFFER_OFFSET));
}

/// Reads a box out of a buffer whose bytes are their own numbers.
fn rect() {
    let rig = Rig::new();
    let mut bytes: Vec<u8> = (0..=255).collect();
    let buffer = rig.buffer_of(&mut bytes, CL_MEM_COPY_HOST_PTR);
    let (origin, region) = ([1usize, 1, 1], [2usize, 3, 2]);
    let mut got = [0u8; 12];
    let code = unsafe {
        let to = got.as_mut_ptr().cast();
        clEnqueueReadBufferRect(
            rig.queue,
            buffer,
            CL_TRUE,
            origin.as_ptr(),
            [0usize; 3].as_ptr(),
            region.as_ptr(),
            8,
            64,
            0,
            0,
            to,
            0,
            null(),
            null_mut(),
        )
    };
    assert_eq!(code, CL_SUCCESS);
    let at = |x: usize, y: usize, z: usize| (x + 8 * y + 64 * z) as u8;
    let expected: Vec<u8> = (1..3)
        .flat_map(|z| (1..4).flat_map(move |y| (1..3).map(move |x| at(x, y, z))))
        .collect();
    assert_eq!(got[..], expected);
}

fn fill_pattern() {
    let rig = Rig::new();
    let target = buffer(&rig, &[0; 8]);
    fill(&rig, target, 0x0102_0304, 8, &[]);
    assert_eq!(words(&rig, target, 8), [0x0102_0304; 8]);
}

fn copy_command(rig: &Rig, from: cl_mem, to: cl_mem, at: usize, size: usize) -> cl_int {
    unsafe { clEnqueueCopyBuffer(rig.queue, from, to, 0, at, size, 0, null(), null_mut()) }
}

fn copy() {
    let rig = Rig::new();
    let (from, to) = (buffer(&rig, &[!0; 8]), buffer(&rig, &[0; 8]));
    assert_eq!(copy_command(&rig, from, to, 0, 32), CL_SUCCESS);
    assert_eq!(words(&rig, to, 8), [!0; 8]);
}

fn read_write() {
    let rig = Rig::new();
    let target = buffer(&rig, &[0; 2]);
    rig.write(target, &[1, 2, 3, 4, 5, 6, 7, 8], &[]);
    rig.finish();
    assert_eq!(rig.read(target, 8), [1, 2, 3, 4, 5, 6, 7, 8]);
}

fn overlap() {
    let rig = Rig::new();
    let target = buffer(&rig, &[0; 8]);
    assert_eq!(
        copy_command(&rig, target, target, 8, 16),
        CL_MEM_COPY_OVERLAP
    );
}

fn migrate() {
    let rig = Rig::new();
    let target = buffer(&rig, &[7; 8]);
    let code = unsafe {
        let flags = CL_MIGRATE_MEM_OBJECT_HOST;
        clEnqueueMigrateMemObjects(rig.queue, 1, &target, flags, 0, null(), null_mut())
    };
    assert_eq!(code, CL_SUCCESS);
    assert_eq!(words(&rig, target, 8), [7; 8]);
}

/// A kernel and a read have a buffer at the same time: the kernel waits in SVM for the read.
fn readers() {
    use touchstone::api::kernel::clSetKernelArgSVMPointer;
    use touchstone::api::svm::clSVMAlloc;
    let rig = out_of_order();
    let source = "kernel void k(global int *x, global atomic_int *go, global const int *y) {
        atomic_store_explicit(go + 1, 1, memory_order_release, memory_scope_all_svm_devices);
        for (int n = 0; n < 50000000; ++n) {
            if (atomic_load_explicit(go, memory_order_acquire, memory_scope_all_svm_devices))
                break;
        }
        *x = *y;
    }";
    let kernel = kernel(&rig, source);
    let (target, source) = (buffer(&rig, &[0]), buffer(&rig, &[7]));
    let flags = CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS;
    let go = unsafe { clSVMAlloc(rig.context, flags, 8, 0) };
    let flag =
        |n: usize| unsafe { std::sync::atomic::AtomicU32::from_ptr(go.cast::<u32>().add(n)) };
    flag(0).store(0, std::sync::atomic::Ordering::Release);
    flag(1).store(0, std::sync::atomic::Ordering::Release);
    set(kernel, 0, target);
    set(kernel, 2, source);
    let code = unsafe { clSetKernelArgSVMPointer(kernel, 1, go) };
    assert_eq!(code, CL_SUCCESS);
    let running = enqueue(&rig, kernel, 1, &[]);
    while flag(1).load(std::sync::atomic::Ordering::Acquire) == 0 {
        std::thread::yield_now();
    }
    let read = words(&rig, source, 1);
    flag(0).store(1, std::sync::atomic::Ordering::Release);
    assert_eq!(crate::rig::wait(&[running]), CL_SUCCESS);
    assert_eq!(read, [7]);
}

fn image(rig: &Rig) -> cl_mem {
    let format = cl_image_format {
        image_channel_order: CL_RGBA,
        image_channel_data_type: CL_UNSIGNED_INT8,
    };
    let mut desc: cl_image_desc = unsafe { std::mem::zeroed() };
    desc.image_type = CL_MEM_OBJECT_IMAGE2D;
    desc.image_width = 4;
    desc.image_height = 4;
    let mut code = 1;
    let image = unsafe { clCreateImage(rig.context, 0, &format, &desc, null_mut(), &mut code) };
    assert_eq!(code, CL_SUCCESS);
    image
}

fn read_image(rig: &Rig, image: cl_mem) -> Vec<u8> {
    let mut bytes = vec![0u8; 64];
    let code = unsafe {
        clEnqueueReadImage(
            rig.queue,
            image,
            CL_TRUE,
            [0; 3].as_ptr(),
            [4, 4, 1].as_ptr(),
            0,
            0,
            bytes.as_mut_ptr().cast::<c_void>(),
            0,
            null(),
            null_mut(),
        )
    };
    assert_eq!(code, CL_SUCCESS);
    bytes
}

fn fill_image(rig: &Rig, image: cl_mem, value: u32, origin: [usize; 3], region: [usize; 3]) {
    let colour = [value; 4];
    let code = unsafe {
        let colour = colour.as_ptr().cast();
        let (origin, region) = (origin.as_ptr(), region.as_ptr());
        let queue = rig.queue;
        clEnqueueFillImage(queue, image, colour, origin, region, 0, null(), null_mut())
    };
    assert_eq!(code, CL_SUCCESS);
}

fn images() {
    let rig = Rig::new();
    let (from, to) = (image(&rig), image(&rig));
    fill_image(&rig, from, 1, [0; 3], [4, 4, 1]);
    assert_eq!(read_image(&rig, from), [1; 64]);
    fill_image(&rig, from, 2, [2, 2, 0], [2, 2, 1]);
    let code = unsafe {
        clEnqueueCopyImage(
            rig.queue,
            from,
            to,
            [2, 2, 0].as_ptr(),
            [0; 3].as_ptr(),
            [2, 2, 1].as_ptr(),
            0,
            null(),
            null_mut(),
        )
    };
    assert_eq!(code, CL_SUCCESS);
    assert_eq!(read_image(&rig, to)[..8], [2; 8]);
}
