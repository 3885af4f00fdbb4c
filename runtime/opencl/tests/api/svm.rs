//! Shared virtual memory from the host's side.

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use opencl_sys::*;
use touchstone::api::event::*;
use touchstone::api::memory::*;
use touchstone::api::svm::*;

use crate::rig::{Notes, Rig, query, release_buffers, release_events, wait};

fn alloc(rig: &Rig, flags: cl_svm_mem_flags, size: usize, alignment: u32) -> *mut u8 {
    unsafe { clSVMAlloc(rig.context, flags, size, alignment).cast() }
}

#[test]
fn allocations_are_checked() {
    let rig = Rig::new();
    let fine = CL_MEM_SVM_FINE_GRAIN_BUFFER;
    for (flags, size, alignment) in [
        (0, 0, 0),
        (0, usize::MAX, 0),
        (0, 64, 3),
        (0, 64, 4 << 20),
        (CL_MEM_SVM_ATOMICS, 64, 0),
        (CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, 64, 0),
        (CL_MEM_USE_HOST_PTR, 64, 0),
    ] {
        assert!(
            alloc(&rig, flags, size, alignment).is_null(),
            "{flags:#x} {size} {alignment}"
        );
    }
    assert!(unsafe { clSVMAlloc(null_mut(), 0, 64, 0) }.is_null());
    for (flags, alignment) in [(0, 0), (fine, 64), (fine | CL_MEM_SVM_ATOMICS, 4096)] {
        let pointer = alloc(&rig, flags, 100, alignment);
        assert!(!pointer.is_null());
        assert!((pointer as usize).is_multiple_of(alignment.max(1) as usize));
        unsafe { clSVMFree(rig.context, pointer.cast()) };
    }
    unsafe {
        clSVMFree(rig.context, null_mut());
        clSVMFree(null_mut(), null_mut());
    }
}

#[test]
fn commands_move_bytes_in_queue_order() {
    let rig = Rig::new();
    let from = alloc(&rig, 0, 64, 0);
    let to = alloc(&rig, CL_MEM_SVM_FINE_GRAIN_BUFFER, 64, 0);
    let word = 0x0102_0304u32;
    unsafe {
        let pattern = (&raw const word).cast();
        let code = clEnqueueSVMMemFill(
            rig.queue,
            from.cast(),
            pattern,
            4,
            64,
            0,
            null(),
            null_mut(),
        );
        assert_eq!(code, CL_SUCCESS);
        let (target, source) = (to.cast(), from.cast());
        let code = clEnqueueSVMMemcpy(
            rig.queue,
            CL_FALSE,
            target,
            source,
            64,
            0,
            null(),
            null_mut(),
        );
        assert_eq!(code, CL_SUCCESS);
        let code = clEnqueueSVMMap(
            rig.queue,
            CL_TRUE,
            CL_MAP_READ,
            to.cast(),
            64,
            0,
            null(),
            null_mut(),
        );
        assert_eq!(code, CL_SUCCESS);
        let words = std::slice::from_raw_parts(to.cast::<u32>(), 16);
        assert_eq!(words, [word; 16]);
        let code = clEnqueueSVMUnmap(rig.queue, to.cast(), 0, null(), null_mut());
        assert_eq!(code, CL_SUCCESS);
        rig.finish();
        clSVMFree(rig.context, from.cast());
        clSVMFree(rig.context, to.cast());
    }
}

unsafe extern "C" fn note_free(
    _: cl_command_queue,
    count: cl_uint,
    pointers: *mut *mut c_void,
    notes: *mut c_void,
) {
    let notes = unsafe { Notes::at(notes) };
    notes.add(count as i32);
    assert!(!unsafe { *pointers }.is_null());
}

#[test]
fn freeing_waits_its_turn_and_may_be_the_applications() {
    let rig = Rig::new();
    let notes = Notes::default();
    let gate = rig.user_event();
    let mut pointers = [alloc(&rig, 0, 16, 0).cast(), alloc(&rig, 0, 16, 0).cast()];
    let mut event = null_mut();
    let code = unsafe {
        clEnqueueSVMFree(
            rig.queue,
            2,
            pointers.as_mut_ptr(),
            Some(note_free),
            notes.pointer(),
            1,
            &gate,
            &mut event,
        )
    };
    assert_eq!(code, CL_SUCCESS);
    assert_eq!(notes.seen(), []);
    assert_eq!(
        unsafe { clSetUserEventStatus(gate, CL_COMPLETE) },
        CL_SUCCESS
    );
    assert_eq!(wait(&[event]), CL_SUCCESS);
    assert_eq!(notes.seen(), [2]);
    // The callback has not freed; this does.
    let code = unsafe {
        let pointers = pointers.as_mut_ptr();
        clEnqueueSVMFree(
            rig.queue,
            2,
            pointers,
            None,
            null_mut(),
            0,
            null(),
            null_mut(),
        )
    };
    assert_eq!(code, CL_SUCCESS);
    rig.finish();
    release_events(&[gate, event]);
}

#[test]
fn a_buffer_over_shared_memory_says_so() {
    let rig = Rig::new();
    let memory = alloc(&rig, 0, 64, 0);
    let bytes = unsafe { std::slice::from_raw_parts_mut(memory, 64) };
    let shared = rig.buffer_of(bytes, CL_MEM_USE_HOST_PTR);
    let plain = rig.buffer(0, 64);
    let uses = |buffer| -> cl_bool {
        query(|size, value, ret| unsafe {
            clGetMemObjectInfo(buffer, CL_MEM_USES_SVM_POINTER, size, value, ret)
        })
    };
    assert_eq!((uses(shared), uses(plain)), (CL_TRUE, CL_FALSE));
    release_buffers(&[shared, plain]);
    unsafe { clSVMFree(rig.context, memory.cast()) };
}

#[test]
fn commands_are_checked() {
    let rig = Rig::new();
    let memory = alloc(&rig, 0, 64, 0);
    let at = |offset: usize| unsafe { memory.add(offset).cast::<c_void>() };
    unsafe {
        let copy = |to, from, size| {
            clEnqueueSVMMemcpy(rig.queue, CL_TRUE, to, from, size, 0, null(), null_mut())
        };
        assert_eq!(copy(null_mut(), at(0), 8), CL_INVALID_VALUE);
        assert_eq!(copy(at(0), at(4), 8), CL_MEM_COPY_OVERLAP);
        assert_eq!(copy(at(0), at(8), 8), CL_SUCCESS);
        let fill = |to, pattern_size, size| {
            clEnqueueSVMMemFill(
                rig.queue,
                to,
                at(0),
                pattern_size,
                size,
                0,
                null(),
                null_mut(),
            )
        };
        assert_eq!(fill(at(2), 4, 8), CL_INVALID_VALUE);
        assert_eq!(fill(at(4), 3, 9), CL_INVALID_VALUE);
        assert_eq!(fill(at(4), 4, 10), CL_INVALID_VALUE);
        let map = |pointer, size, flags| {
            clEnqueueSVMMap(
                rig.queue,
                CL_TRUE,
                flags,
                pointer,
                size,
                0,
                null(),
                null_mut(),
            )
        };
        assert_eq!(map(null_mut(), 8, CL_MAP_READ), CL_INVALID_VALUE);
        assert_eq!(map(at(0), 0, CL_MAP_READ), CL_INVALID_VALUE);
        assert_eq!(map(at(0), 8, 1 << 7), CL_INVALID_VALUE);
        assert_eq!(
            clEnqueueSVMUnmap(rig.queue, null_mut(), 0, null(), null_mut()),
            CL_INVALID_VALUE
        );
        let migrate = |offset, size: usize| {
            let mut pointer = at(offset).cast_const();
            clEnqueueSVMMigrateMem(rig.queue, 1, &mut pointer, &size, 0, 0, null(), null_mut())
        };
        assert_eq!(migrate(0, 64), CL_SUCCESS);
        assert_eq!(migrate(32, 0), CL_SUCCESS);
        assert_eq!(migrate(32, 64), CL_INVALID_VALUE);
        rig.finish();
        clSVMFree(rig.context, memory.cast());
    }
}

/// Two pages of which the second cannot be used.
fn pages() -> *mut u8 {
    let size = 4096;
    unsafe {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        let start = libc::mmap(null_mut(), 2 * size, libc::PROT_READ, flags, -1, 0);
        assert_ne!(start, libc::MAP_FAILED);
        assert_eq!(
            libc::mprotect(start.byte_add(size), size, libc::PROT_NONE),
            0
        );
        start.cast()
    }
}

/// A copy or a fill where nothing is mapped, or that leaves its allocation, ends its command,
/// and nothing else.
#[test]
fn wrong_addresses_end_the_command() {
    if !touchstone_exec::CATCHES_FAULTS {
        return;
    }
    let rig = Rig::new();
    let shared = alloc(&rig, 0, 256, 0);
    let readable = pages();
    let mut own = [7u8; 256];
    let nowhere = 4096 as *mut u8;
    let start = own.as_mut_ptr();
    let copy = |blocking, to: *mut u8, from: *mut u8, size, event: *mut cl_event| unsafe {
        let (to, from) = (to.cast(), from.cast_const().cast());
        clEnqueueSVMMemcpy(rig.queue, blocking, to, from, size, 0, null(), event)
    };
    for (to, from, size) in [
        (nowhere, shared, 8),
        (shared, nowhere, 8),
        (readable, shared, 8),
        (shared, readable.wrapping_add(4000), 97),
        (shared.wrapping_add(250), start, 8),
        (start, shared.wrapping_add(250), 8),
    ] {
        assert_eq!(
            copy(CL_TRUE, to, from, size, null_mut()),
            CL_INVALID_OPERATION
        );
        let mut event = null_mut();
        assert_eq!(copy(CL_FALSE, to, from, size, &mut event), CL_SUCCESS);
        assert_eq!(wait(&[event]), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
        release_events(&[event]);
    }
    for (to, size) in [
        (nowhere, 8),
        (readable, 8),
        (readable.wrapping_add(4096), 4096),
        (shared.wrapping_add(248), 16),
    ] {
        let pattern = 5u64;
        let mut event = null_mut();
        let code = unsafe {
            let pattern = (&raw const pattern).cast();
            clEnqueueSVMMemFill(
                rig.queue,
                to.cast(),
                pattern,
                8,
                size,
                0,
                null(),
                &mut event,
            )
        };
        assert_eq!(code, CL_SUCCESS);
        assert_eq!(wait(&[event]), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
        release_events(&[event]);
    }
    assert_eq!(
        copy(CL_TRUE, shared, readable.wrapping_add(4000), 96, null_mut()),
        CL_SUCCESS
    );
    assert_eq!(copy(CL_TRUE, start, shared, 256, null_mut()), CL_SUCCESS);
    assert_eq!(own[..96], [0; 96]);
    unsafe { clSVMFree(rig.context, shared.cast()) };
}

/// Fills of memory of the application of every pattern size and many lengths.
#[test]
fn fills_reach_memory_of_the_application() {
    let rig = Rig::new();
    for size in (0..8).map(|power| 1usize << power) {
        let pattern: Vec<u8> = (0..size).map(|at| at as u8 ^ 0x5a).collect();
        for count in [1, 3, 4096 / size, 4096 / size + 1, 9000 / size] {
            let mut words = vec![0u128; (count * size).div_ceil(16) + 16];
            let bytes: &mut [u8] = unsafe {
                std::slice::from_raw_parts_mut(words.as_mut_ptr().cast(), words.len() * 16)
            };
            let from = bytes.as_ptr().align_offset(128);
            let code = unsafe {
                let (to, pattern) = (bytes[from..].as_mut_ptr().cast(), pattern.as_ptr().cast());
                clEnqueueSVMMemFill(
                    rig.queue,
                    to,
                    pattern,
                    size,
                    count * size,
                    0,
                    null(),
                    null_mut(),
                )
            };
            assert_eq!(code, CL_SUCCESS);
            rig.finish();
            let filled = &bytes[from..][..count * size];
            assert!(
                filled.chunks(size).all(|chunk| chunk == pattern),
                "{size} {count}"
            );
            assert!(bytes[..from].iter().all(|byte| *byte == 0));
            assert!(bytes[from + count * size..].iter().all(|byte| *byte == 0));
        }
    }
}
