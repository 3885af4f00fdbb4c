//! Recorded kernels that are updated between enqueues.

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use opencl_sys::*;
use touchstone::api::command_buffer::*;
use touchstone::api::device::*;
use touchstone::api::event::*;
use touchstone::api::kernel::*;
use touchstone::api::range::*;
use touchstone::api::svm::*;

use crate::kernels::{ints, kernel, set};
use crate::programs::built;
use crate::rig::{Rig, device, list, query, query_bytes, query_text, wait};

/// Each work-item writes a value at its global id.
const WRITES: &str = "kernel void k(global int *x, int value, local int *room) {
    room[get_local_id(0)] = value;
    x[get_global_id(0)] = room[get_local_id(0)] + (int)get_local_size(0) * 1000;
}";

const ALL: u64 = CL_MUTABLE_DISPATCH_GLOBAL_OFFSET_KHR
    | CL_MUTABLE_DISPATCH_GLOBAL_SIZE_KHR
    | CL_MUTABLE_DISPATCH_LOCAL_SIZE_KHR
    | CL_MUTABLE_DISPATCH_ARGUMENTS_KHR
    | CL_MUTABLE_DISPATCH_EXEC_INFO_KHR;

const EMPTY: cl_mutable_dispatch_config_khr = cl_mutable_dispatch_config_khr {
    command: null_mut(),
    num_args: 0,
    num_svm_args: 0,
    num_exec_infos: 0,
    work_dim: 0,
    arg_list: null(),
    arg_svm_list: null(),
    exec_info_list: null(),
    global_work_offset: null(),
    global_work_size: null(),
    local_work_size: null(),
};

type Buffer = cl_command_buffer_khr;
type Command = cl_mutable_command_khr;
type Config = cl_mutable_dispatch_config_khr;

fn buffer_with(rig: &Rig, list: &[u64]) -> Buffer {
    let mut code = 1;
    let buffer = unsafe { clCreateCommandBufferKHR(1, &rig.queue, list.as_ptr(), &mut code) };
    assert_eq!(code, CL_SUCCESS);
    buffer
}

fn mutable(rig: &Rig) -> Buffer {
    let flags = CL_COMMAND_BUFFER_MUTABLE_KHR | CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR;
    buffer_with(rig, &[CL_COMMAND_BUFFER_FLAGS_KHR, flags, 0])
}

/// Records a kernel over some work-items in groups, or in such as there are; gives its handle and the code.
fn recorded(
    to: Buffer,
    kernel: cl_kernel,
    (items, group): (usize, Option<usize>),
    properties: &[u64],
) -> (Command, cl_int) {
    let mut handle = null_mut();
    let properties = match properties {
        [] => null(),
        list => list.as_ptr(),
    };
    let code = unsafe {
        clCommandNDRangeKernelKHR(
            to,
            null_mut(),
            properties,
            kernel,
            1,
            null(),
            &items,
            group.as_ref().map_or(null(), std::ptr::from_ref),
            0,
            null(),
            null_mut(),
            &mut handle,
        )
    };
    (handle, code)
}

fn finalize(buffer: Buffer) {
    assert_eq!(unsafe { clFinalizeCommandBufferKHR(buffer) }, CL_SUCCESS);
}

fn update(buffer: Buffer, configs: &[Config]) -> cl_int {
    let types = vec![CL_STRUCTURE_TYPE_MUTABLE_DISPATCH_CONFIG_KHR; configs.len()];
    let mut pointers: Vec<*const c_void> = configs
        .iter()
        .map(|config| std::ptr::from_ref(config).cast())
        .collect();
    let count = configs.len() as u32;
    unsafe { clUpdateMutableCommandsKHR(buffer, count, types.as_ptr(), pointers.as_mut_ptr()) }
}

fn argument<T>(index: u32, value: &T) -> cl_mutable_dispatch_arg_khr {
    cl_mutable_dispatch_arg_khr {
        arg_index: index,
        arg_size: size_of::<T>(),
        arg_value: std::ptr::from_ref(value).cast(),
    }
}

fn room(index: u32, bytes: usize) -> cl_mutable_dispatch_arg_khr {
    cl_mutable_dispatch_arg_khr {
        arg_index: index,
        arg_size: bytes,
        arg_value: null(),
    }
}

fn enqueue(buffer: Buffer, waits: &[cl_event]) -> (cl_event, cl_int) {
    let (mut event, count) = (null_mut(), waits.len() as u32);
    let code =
        unsafe { clEnqueueCommandBufferKHR(0, null_mut(), buffer, count, list(waits), &mut event) };
    (event, code)
}

fn done(buffer: Buffer) {
    let (event, code) = enqueue(buffer, &[]);
    assert_eq!(code, CL_SUCCESS);
    assert_eq!(wait(&[event]), CL_SUCCESS);
}

fn state(buffer: Buffer) -> u32 {
    query(|size, value, ret| unsafe {
        clGetCommandBufferInfoKHR(buffer, CL_COMMAND_BUFFER_STATE_KHR, size, value, ret)
    })
}

fn zeroed(rig: &Rig) -> cl_mem {
    let memory = rig.buffer(CL_MEM_READ_WRITE, 64);
    let event = rig.write(memory, &[0; 64], &[]);
    assert_eq!(wait(&[event]), CL_SUCCESS);
    memory
}

/// A kernel with its arguments, and the memory that it writes.
fn ready(rig: &Rig) -> (cl_kernel, cl_mem) {
    // Of a language in which groups may differ in size.
    let kernel = kernel(built(rig, WRITES, "-cl-std=CL3.0"), c"k");
    let memory = zeroed(rig);
    set(kernel, 0, memory);
    set(kernel, 1, 1i32);
    assert_eq!(unsafe { clSetKernelArg(kernel, 2, 64, null()) }, CL_SUCCESS);
    (kernel, memory)
}

fn info(command: Command, name: cl_mutable_command_info_khr) -> Vec<u8> {
    query_bytes(|size, value, ret| unsafe {
        clGetMutableCommandInfoKHR(command, name, size, value, ret)
    })
}

fn sizes(command: Command, name: cl_mutable_command_info_khr) -> Vec<usize> {
    let bytes = info(command, name);
    let each = bytes.chunks_exact(8);
    each.map(|word| usize::from_ne_bytes(word.try_into().unwrap()))
        .collect()
}

fn numbers(rig: &Rig, memory: cl_mem) -> Vec<i32> {
    ints(&rig.read(memory, 64))[..8].to_vec()
}

#[test]
fn an_update_changes_what_it_mentions_of_later_enqueues() {
    let rig = Rig::new();
    let (kernel, memory) = ready(&rig);
    let buffer = mutable(&rig);
    let (command, code) = recorded(buffer, kernel, (4, Some(2)), &[]);
    assert_eq!(code, CL_SUCCESS);
    finalize(buffer);
    done(buffer);
    assert_eq!(numbers(&rig, memory), [2001, 2001, 2001, 2001, 0, 0, 0, 0]);

    // What is pending keeps its argument.
    let gate = rig.user_event();
    let (event, code) = enqueue(buffer, &[gate]);
    assert_eq!(code, CL_SUCCESS);
    let (value, offset) = (argument(1, &7i32), 4);
    let config = Config {
        command,
        work_dim: 1,
        num_args: 1,
        arg_list: &value,
        global_work_offset: &offset,
        ..EMPTY
    };
    assert_eq!(update(buffer, &[config]), CL_SUCCESS);
    assert_eq!(
        unsafe { clSetUserEventStatus(gate, CL_COMPLETE) },
        CL_SUCCESS
    );
    assert_eq!(wait(&[event]), CL_SUCCESS);
    assert_eq!(numbers(&rig, memory), [2001, 2001, 2001, 2001, 0, 0, 0, 0]);
    done(buffer);
    assert_eq!(numbers(&rig, memory)[4..], [2007; 4]);

    // Sizes alone: value and offset stay.
    let (items, group) = (2, 1);
    let config = Config {
        command,
        global_work_size: &items,
        local_work_size: &group,
        ..EMPTY
    };
    assert_eq!(update(buffer, &[config]), CL_SUCCESS);
    done(buffer);
    assert_eq!(numbers(&rig, memory)[4..], [1007, 1007, 2007, 2007]);

    // The kernel itself has what it had.
    let one = 1;
    let code = unsafe {
        clEnqueueNDRangeKernel(
            rig.queue,
            kernel,
            1,
            null(),
            &one,
            null(),
            0,
            null(),
            null_mut(),
        )
    };
    assert_eq!(code, CL_SUCCESS);
    rig.finish();
    assert_eq!(numbers(&rig, memory)[0], 1001);
}

#[test]
fn objects_local_memory_and_svm_pointers_are_updated() {
    let rig = Rig::new();
    let (kernel, first) = ready(&rig);
    let second = zeroed(&rig);
    let buffer = mutable(&rig);
    let (command, code) = recorded(buffer, kernel, (8, Some(8)), &[]);
    assert_eq!(code, CL_SUCCESS);
    finalize(buffer);
    let arguments = [argument(0, &second), room(2, 32)];
    let config = Config {
        command,
        num_args: 2,
        arg_list: arguments.as_ptr(),
        ..EMPTY
    };
    assert_eq!(update(buffer, &[config]), CL_SUCCESS);
    done(buffer);
    assert_eq!(numbers(&rig, first), [0; 8]);
    assert_eq!(numbers(&rig, second), [8001; 8]);

    let shared = unsafe { clSVMAlloc(rig.context, CL_MEM_READ_WRITE, 64, 0) };
    let pointer = cl_mutable_dispatch_arg_khr {
        arg_index: 0,
        arg_size: 0,
        arg_value: shared,
    };
    let config = Config {
        command,
        num_svm_args: 1,
        arg_svm_list: &pointer,
        ..EMPTY
    };
    assert_eq!(update(buffer, &[config]), CL_SUCCESS);
    done(buffer);
    // SAFETY: the allocation, which is fine-grained where the host may look at it so.
    let bytes = unsafe { std::slice::from_raw_parts(shared.cast::<i32>(), 8) };
    assert_eq!(bytes, [8001; 8]);
    unsafe { clSVMFree(rig.context, shared) };
}

#[test]
fn kernels_may_get_their_arguments_after_the_recording() {
    let rig = Rig::new();
    let bare = kernel(built(&rig, WRITES, ""), c"k");
    let memory = zeroed(&rig);
    let buffer = mutable(&rig);
    let fields = CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR;
    let sizes = [fields, CL_MUTABLE_DISPATCH_GLOBAL_SIZE_KHR, 0];
    // "The CL_MUTABLE_DISPATCH_ARGUMENTS_KHR flag was not set in the properties parameter."
    for list in [&[][..], &sizes] {
        let (_, code) = recorded(buffer, bare, (2, None), list);
        assert_eq!(code, CL_INVALID_KERNEL_ARGS);
    }
    let list = [fields, CL_MUTABLE_DISPATCH_ARGUMENTS_KHR, 0];
    let (command, code) = recorded(buffer, bare, (2, None), &list);
    assert_eq!(code, CL_SUCCESS);
    finalize(buffer);
    assert_eq!(state(buffer), CL_COMMAND_BUFFER_STATE_FINALIZED_KHR);
    assert_eq!(enqueue(buffer, &[]).1, CL_INVALID_OPERATION);
    let arguments = [argument(0, &memory), argument(1, &3i32), room(2, 64)];
    for some in [&arguments[..1], &arguments[1..]] {
        assert_eq!(state(buffer), CL_COMMAND_BUFFER_STATE_FINALIZED_KHR);
        let config = Config {
            command,
            num_args: some.len() as u32,
            arg_list: some.as_ptr(),
            ..EMPTY
        };
        assert_eq!(update(buffer, &[config]), CL_SUCCESS);
    }
    assert_eq!(state(buffer), CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR);
    done(buffer);
    assert_eq!(numbers(&rig, memory)[0] % 1000, 3);
}

#[test]
fn a_recorded_kernel_answers_about_itself() {
    let rig = Rig::new();
    let (kernel, _) = ready(&rig);
    let buffer = mutable(&rig);
    let fields = [CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR, ALL, 0];
    let (command, _) = recorded(buffer, kernel, (4, None), &fields);
    let (plain, _) = recorded(buffer, kernel, (4, Some(4)), &[]);
    finalize(buffer);
    let word = |name| {
        let bytes: [u8; 8] = info(command, name).try_into().unwrap();
        usize::from_ne_bytes(bytes)
    };
    assert_eq!(
        word(CL_MUTABLE_COMMAND_COMMAND_QUEUE_KHR),
        rig.queue as usize
    );
    assert_eq!(word(CL_MUTABLE_COMMAND_COMMAND_BUFFER_KHR), buffer as usize);
    assert_eq!(word(CL_MUTABLE_DISPATCH_KERNEL_KHR), kernel as usize);
    let kind = info(command, CL_MUTABLE_COMMAND_COMMAND_TYPE_KHR);
    assert_eq!(kind, CL_COMMAND_NDRANGE_KERNEL.to_ne_bytes());
    let dimensions = info(command, CL_MUTABLE_DISPATCH_DIMENSIONS_KHR);
    assert_eq!(dimensions, 1u32.to_ne_bytes());
    let list = CL_MUTABLE_COMMAND_PROPERTIES_ARRAY_KHR;
    assert_eq!(sizes(command, list), fields.map(|word| word as usize));
    assert!(info(plain, list).is_empty());
    let names = [
        CL_MUTABLE_DISPATCH_GLOBAL_WORK_OFFSET_KHR,
        CL_MUTABLE_DISPATCH_GLOBAL_WORK_SIZE_KHR,
        CL_MUTABLE_DISPATCH_LOCAL_WORK_SIZE_KHR,
    ];
    assert_eq!(names.map(|name| sizes(command, name)), [[0], [4], [0]]);
    assert_eq!(names.map(|name| sizes(plain, name)), [[0], [4], [4]]);
    let (offset, group) = (3, 2);
    let config = Config {
        command,
        global_work_offset: &offset,
        local_work_size: &group,
        ..EMPTY
    };
    assert_eq!(update(buffer, &[config]), CL_SUCCESS);
    assert_eq!(names.map(|name| sizes(command, name)), [[3], [4], [2]]);

    let ask = |command, name, room| {
        let mut bytes = [0u8; 64];
        let value = bytes.as_mut_ptr().cast();
        unsafe { clGetMutableCommandInfoKHR(command, name, room, value, null_mut()) }
    };
    assert_eq!(
        ask(command, CL_COMMAND_BUFFER_STATE_KHR, 64),
        CL_INVALID_VALUE
    );
    assert_eq!(ask(command, names[0], 7), CL_INVALID_VALUE);
    let gone = CL_INVALID_MUTABLE_COMMAND_KHR;
    assert_eq!(ask(buffer, names[0], 64), gone);
    assert_eq!(unsafe { clReleaseCommandBufferKHR(buffer) }, CL_SUCCESS);
    assert_eq!(
        ask(command, names[0], 64),
        gone,
        "it goes with its command-buffer"
    );
}

#[test]
fn a_refused_update_changes_nothing() {
    let rig = Rig::new();
    let (kernel, memory) = ready(&rig);
    let (buffer, other) = (mutable(&rig), mutable(&rig));
    let fields = CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR;
    let (command, _) = recorded(buffer, kernel, (4, Some(2)), &[]);
    let (still, _) = recorded(buffer, kernel, (4, Some(2)), &[fields, 0, 0]);
    let (foreign, _) = recorded(other, kernel, (4, Some(2)), &[]);
    let plain = buffer_with(&rig, &[0]);
    let (fixed, _) = recorded(plain, kernel, (4, Some(2)), &[]);
    let (one, three) = (1, 3);
    let value = argument(1, &9i32);
    let good = Config {
        command,
        num_args: 1,
        arg_list: &value,
        ..EMPTY
    };
    assert_eq!(
        update(buffer, &[good]),
        CL_INVALID_OPERATION,
        "it is not finalized"
    );
    finalize(buffer);
    finalize(plain);
    let immutable = Config {
        command: fixed,
        ..good
    };
    assert_eq!(update(plain, &[immutable]), CL_INVALID_OPERATION);
    assert_eq!(update(null_mut(), &[good]), CL_INVALID_COMMAND_BUFFER_KHR);
    let of_another = Config {
        command: foreign,
        ..good
    };
    let of_none = Config {
        command: null_mut(),
        ..good
    };
    let wrong = argument(1, &9i64);
    let refused = [
        (of_another, CL_INVALID_MUTABLE_COMMAND_KHR),
        (of_none, CL_INVALID_MUTABLE_COMMAND_KHR),
        (
            Config {
                command: still,
                ..good
            },
            CL_INVALID_OPERATION,
        ),
        (
            Config {
                command: still,
                global_work_size: &one,
                ..EMPTY
            },
            CL_INVALID_OPERATION,
        ),
        (
            Config {
                command: still,
                global_work_offset: &one,
                ..EMPTY
            },
            CL_INVALID_OPERATION,
        ),
        (
            Config {
                command: still,
                local_work_size: &one,
                ..EMPTY
            },
            CL_INVALID_OPERATION,
        ),
        (
            Config {
                command: still,
                num_exec_infos: 1,
                ..EMPTY
            },
            CL_INVALID_OPERATION,
        ),
        (
            Config {
                work_dim: 2,
                ..good
            },
            CL_INVALID_OPERATION,
        ),
        (
            Config {
                command,
                global_work_size: &three,
                ..EMPTY
            },
            CL_INVALID_OPERATION,
        ),
        (
            Config {
                command,
                local_work_size: &three,
                ..EMPTY
            },
            CL_INVALID_OPERATION,
        ),
        (
            Config {
                command,
                num_args: 1,
                ..EMPTY
            },
            CL_INVALID_VALUE,
        ),
        (
            Config {
                command,
                arg_list: &value,
                ..EMPTY
            },
            CL_INVALID_VALUE,
        ),
        (
            Config {
                command,
                num_svm_args: 1,
                ..EMPTY
            },
            CL_INVALID_VALUE,
        ),
        (
            Config {
                command,
                num_exec_infos: 1,
                ..EMPTY
            },
            CL_INVALID_VALUE,
        ),
        (
            Config {
                arg_list: &wrong,
                ..good
            },
            CL_INVALID_ARG_SIZE,
        ),
    ];
    for (n, (bad, code)) in refused.into_iter().enumerate() {
        assert_eq!(update(buffer, &[good, bad]), code, "{n}");
    }
    let call = |count, types: *const u32, configs| unsafe {
        clUpdateMutableCommandsKHR(buffer, count, types, configs)
    };
    let kinds = [CL_STRUCTURE_TYPE_MUTABLE_DISPATCH_CONFIG_KHR, 77];
    let mut pointers = [(&raw const good).cast::<c_void>(), null()];
    let pointers = pointers.as_mut_ptr();
    assert_eq!(call(0, null(), null_mut()), CL_SUCCESS);
    assert_eq!(call(1, null(), pointers), CL_INVALID_VALUE);
    assert_eq!(call(1, kinds.as_ptr(), null_mut()), CL_INVALID_VALUE);
    assert_eq!(call(0, kinds.as_ptr(), null_mut()), CL_INVALID_VALUE);
    assert_eq!(call(1, &kinds[1], pointers), CL_INVALID_VALUE);
    assert_eq!(call(2, [0, 0].as_ptr(), pointers), CL_INVALID_VALUE);
    done(buffer);
    assert_eq!(
        numbers(&rig, memory)[..4],
        [2001; 4],
        "nothing of them is kept"
    );
}

#[test]
fn what_is_recorded_says_what_may_change() {
    let rig = Rig::new();
    let (kernel, _) = ready(&rig);
    let name = CL_DEVICE_MUTABLE_DISPATCH_CAPABILITIES_KHR;
    let can: u64 =
        query(|size, value, ret| unsafe { clGetDeviceInfo(device(), name, size, value, ret) });
    assert_eq!(can, ALL);
    let extensions = query_text(|size, value, ret| unsafe {
        clGetDeviceInfo(device(), CL_DEVICE_EXTENSIONS, size, value, ret)
    });
    let mut all = extensions.split(' ');
    assert!(all.any(|name| name == "cl_khr_command_buffer_mutable_dispatch"));
    let fields = CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR;
    let asserts = CL_MUTABLE_DISPATCH_ASSERTS_KHR;
    let no_more = CL_MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR;
    let flags = CL_COMMAND_BUFFER_FLAGS_KHR;
    let buffer = mutable(&rig);
    let record = |list: &[u64], group| recorded(buffer, kernel, (4, group), list).1;
    assert_eq!(
        record(&[fields, ALL, asserts, no_more, 0], Some(2)),
        CL_SUCCESS
    );
    assert_eq!(record(&[asserts, no_more, 0], None), CL_INVALID_VALUE);
    assert_eq!(record(&[asserts, 1 << 9, 0], Some(2)), CL_INVALID_VALUE);
    assert_eq!(record(&[fields, 1 << 9, 0], Some(2)), CL_INVALID_OPERATION);
    assert_eq!(
        record(&[fields, 0, fields, 0, 0], Some(2)),
        CL_INVALID_VALUE
    );
    assert_eq!(record(&[77, 0, 0], Some(2)), CL_INVALID_VALUE);
    let list = [
        flags,
        CL_COMMAND_BUFFER_MUTABLE_KHR,
        touchstone::command_buffer::CL_COMMAND_BUFFER_MUTABLE_DISPATCH_ASSERTS_KHR,
        no_more,
        0,
    ];
    let asserting = buffer_with(&rig, &list);
    let (_, code) = recorded(asserting, kernel, (4, None), &[]);
    assert_eq!(code, CL_INVALID_VALUE);
}
