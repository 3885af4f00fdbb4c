//! Pipes: what the host asks of them, and what kernels put in and take out.

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use opencl_sys::*;
use touchstone::api::kernel::*;
use touchstone::api::map::*;
use touchstone::api::memory::*;
use touchstone::api::pipe::*;
use touchstone::api::transfer::*;

use crate::kernels::{ints, kernel, release, run, set};
use crate::programs::built;
use crate::rig::{Rig, device, query, query_bytes, release_buffers};

const OF_3_0: &str = "-cl-std=CL3.0 -cl-kernel-arg-info";

fn pipe(rig: &Rig, packet: u32, capacity: u32) -> cl_mem {
    let mut code = 1;
    let pipe = unsafe { clCreatePipe(rig.context, 0, packet, capacity, null(), &mut code) };
    assert_eq!(code, CL_SUCCESS);
    pipe
}

#[test]
fn a_pipe_answers_what_it_was_made_with() {
    let rig = Rig::new();
    let made = pipe(&rig, 12, 5);
    let of_pipe = |name| -> u32 {
        query(|size, value, ret| unsafe { clGetPipeInfo(made, name, size, value, ret) })
    };
    assert_eq!(
        (of_pipe(CL_PIPE_PACKET_SIZE), of_pipe(CL_PIPE_MAX_PACKETS)),
        (12, 5)
    );
    let properties = query_bytes(|size, value, ret| unsafe {
        clGetPipeInfo(made, CL_PIPE_PROPERTIES, size, value, ret)
    });
    assert_eq!(properties, [0u8; 0]);
    let kind: u32 = query(|size, value, ret| unsafe {
        clGetMemObjectInfo(made, CL_MEM_TYPE, size, value, ret)
    });
    let flags: u64 = query(|size, value, ret| unsafe {
        clGetMemObjectInfo(made, CL_MEM_FLAGS, size, value, ret)
    });
    assert_eq!(
        (kind, flags),
        (
            CL_MEM_OBJECT_PIPE,
            CL_MEM_READ_WRITE | CL_MEM_HOST_NO_ACCESS
        )
    );
    let code = unsafe { clGetPipeInfo(made, CL_MEM_TYPE, 0, null_mut(), null_mut()) };
    assert_eq!(code, CL_INVALID_VALUE);
    release_buffers(&[made]);
    let code = unsafe { clGetPipeInfo(made, CL_PIPE_PACKET_SIZE, 0, null_mut(), null_mut()) };
    assert_eq!(code, CL_INVALID_MEM_OBJECT);
}

#[test]
fn pipes_of_other_sizes_and_flags_are_refused() {
    let rig = Rig::new();
    let most: u32 = query(|size, value, ret| unsafe {
        touchstone::api::device::clGetDeviceInfo(
            device(),
            CL_DEVICE_PIPE_MAX_PACKET_SIZE,
            size,
            value,
            ret,
        )
    });
    let nothing = [0isize];
    for (flags, packet, capacity, properties, wanted) in [
        (CL_MEM_READ_ONLY, 4, 4, null(), CL_INVALID_VALUE),
        (CL_MEM_HOST_READ_ONLY, 4, 4, null(), CL_INVALID_VALUE),
        (0, 4, 4, nothing.as_ptr(), CL_INVALID_VALUE),
        (0, 0, 4, null(), CL_INVALID_PIPE_SIZE),
        (0, 4, 0, null(), CL_INVALID_PIPE_SIZE),
        (0, most + 1, 4, null(), CL_INVALID_PIPE_SIZE),
        (0, most, u32::MAX, null(), CL_MEM_OBJECT_ALLOCATION_FAILURE),
    ] {
        let mut code = 1;
        let made = unsafe {
            clCreatePipe(
                rig.context,
                flags,
                packet,
                capacity,
                properties.cast(),
                &mut code,
            )
        };
        assert_eq!(
            (made, code),
            (null_mut(), wanted),
            "{flags} {packet} {capacity}"
        );
    }
}

#[test]
fn the_host_does_not_reach_the_packets() {
    let rig = Rig::new();
    let made = pipe(&rig, 4, 4);
    let mut word = 0u32;
    let to: *mut c_void = (&raw mut word).cast();
    let mut code = 1;
    unsafe {
        let read = clEnqueueReadBuffer(rig.queue, made, CL_TRUE, 0, 4, to, 0, null(), null_mut());
        assert_eq!(read, CL_INVALID_MEM_OBJECT);
        clEnqueueMapBuffer(
            rig.queue,
            made,
            CL_TRUE,
            CL_MAP_READ,
            0,
            4,
            0,
            null(),
            null_mut(),
            &mut code,
        );
        assert_eq!(code, CL_INVALID_MEM_OBJECT);
        let unmapped = clEnqueueUnmapMemObject(rig.queue, made, to, 0, null(), null_mut());
        assert_eq!(unmapped, CL_INVALID_VALUE);
        let moved = clEnqueueMigrateMemObjects(rig.queue, 1, &made, 0, 0, null(), null_mut());
        assert_eq!(moved, CL_SUCCESS);
    }
    rig.finish();
    release_buffers(&[made]);
}

#[test]
fn arguments_are_pipes_of_the_context() {
    let rig = Rig::new();
    let text = "kernel void k(read_only pipe float4 from, write_only pipe uint to) {}";
    let program = built(&rig, text, OF_3_0);
    let kernel = kernel(program, c"k");
    for (index, access, name) in [
        (0, CL_KERNEL_ARG_ACCESS_READ_ONLY, "float4\0"),
        (1, CL_KERNEL_ARG_ACCESS_WRITE_ONLY, "uint\0"),
    ] {
        let told: u32 = query(|size, value, ret| unsafe {
            let asked = CL_KERNEL_ARG_ACCESS_QUALIFIER;
            clGetKernelArgInfo(kernel, index, asked, size, value, ret)
        });
        let qualifiers: u64 = query(|size, value, ret| unsafe {
            let asked = CL_KERNEL_ARG_TYPE_QUALIFIER;
            clGetKernelArgInfo(kernel, index, asked, size, value, ret)
        });
        let of_type = query_bytes(|size, value, ret| unsafe {
            clGetKernelArgInfo(kernel, index, CL_KERNEL_ARG_TYPE_NAME, size, value, ret)
        });
        assert_eq!(told, access);
        assert_eq!(qualifiers, u64::from(CL_KERNEL_ARG_TYPE_PIPE));
        assert_eq!(of_type, name.as_bytes());
    }
    let (made, buffer) = (pipe(&rig, 4, 4), rig.buffer(0, 64));
    let elsewhere = Rig::new();
    let other = pipe(&elsewhere, 4, 4);
    let given = |value: &cl_mem, size| unsafe {
        clSetKernelArg(kernel, 1, size, std::ptr::from_ref(value).cast())
    };
    assert_eq!(given(&buffer, 8), CL_INVALID_MEM_OBJECT);
    assert_eq!(given(&null_mut(), 8), CL_INVALID_MEM_OBJECT);
    assert_eq!(given(&other, 8), CL_INVALID_CONTEXT);
    assert_eq!(given(&made, 4), CL_INVALID_ARG_SIZE);
    assert_eq!(given(&made, 8), CL_SUCCESS);
    release_buffers(&[made, buffer, other]);
    release(kernel, program);
}

const ORDER: &str = "
kernel void put(write_only pipe int p, global int *out) {
    reserve_id_t first = reserve_write_pipe(p, 2), second = reserve_write_pipe(p, 1);
    int one = 1, two = 2, three = 3, four = 4;
    out[0] = is_valid_reserve_id(first) && is_valid_reserve_id(second);
    out[1] = is_valid_reserve_id(reserve_write_pipe(p, 2));
    out[2] = write_pipe(p, second, 0, &three);
    commit_write_pipe(p, second);
    out[3] = get_pipe_num_packets(p);
    out[4] = write_pipe(p, first, 1, &two) | write_pipe(p, first, 0, &one);
    out[5] = write_pipe(p, first, 2, &four) < 0;
    commit_write_pipe(p, first);
    out[6] = write_pipe(p, &four);
    out[7] = write_pipe(p, &four) < 0;
    out[8] = get_pipe_num_packets(p) * 10 + get_pipe_max_packets(p);
    out[9] = is_valid_reserve_id(CLK_NULL_RESERVE_ID);
}
kernel void take(read_only pipe int p, global int *out) {
    reserve_id_t some = reserve_read_pipe(p, 3);
    int got = 0;
    out[0] = is_valid_reserve_id(reserve_read_pipe(p, 2));
    out[1] = read_pipe(p, some, 2, &got) ? -1 : got;
    out[2] = read_pipe(p, some, 0, &got) ? -1 : got;
    out[3] = read_pipe(p, some, 1, &got) ? -1 : got;
    commit_read_pipe(p, some);
    out[4] = read_pipe(p, &got) ? -1 : got;
    out[5] = read_pipe(p, &got) < 0;
    out[6] = get_pipe_num_packets(p);
}";

#[test]
fn packets_come_in_the_order_of_reservations() {
    let rig = Rig::new();
    let program = built(&rig, ORDER, OF_3_0);
    let (put, take) = (kernel(program, c"put"), kernel(program, c"take"));
    let (made, out) = (pipe(&rig, 4, 4), rig.buffer(0, 40));
    for kernel in [put, take] {
        set(kernel, 0, made);
        set(kernel, 1, out);
    }
    // The state stays from one kernel to the next, and the slots go around.
    for _ in 0..5 {
        run(&rig, put, &[1], None);
        assert_eq!(ints(&rig.read(out, 40)), [1, 0, 0, 0, 0, 1, 0, 1, 44, 0]);
        run(&rig, take, &[1], None);
        assert_eq!(ints(&rig.read(out, 28)), [0, 3, 1, 2, 4, 1, 0]);
    }
    release_buffers(&[made, out]);
    unsafe { assert_eq!(clReleaseKernel(put), CL_SUCCESS) };
    release(take, program);
}

const GROUPS: &str = "
typedef struct { char tag; int from; long3 v; } packet;
kernel void put(write_only pipe packet p) {
    reserve_id_t all = work_group_reserve_write_pipe(p, get_local_size(0));
    if (!is_valid_reserve_id(all)) return;
    packet mine = {'g', get_group_id(0), (long3)(get_global_id(0))};
    write_pipe(p, all, get_local_id(0), &mine);
    work_group_commit_write_pipe(p, all);
}
kernel void put_by_sub_groups(write_only pipe packet p) {
    reserve_id_t all = sub_group_reserve_write_pipe(p, get_sub_group_size());
    packet mine = {'s', get_group_id(0), (long3)(get_global_id(0))};
    write_pipe(p, all, get_sub_group_local_id(), &mine);
    sub_group_commit_write_pipe(p, all);
}
kernel void take(read_only pipe packet p, global int *out) {
    local packet got[16];
    reserve_id_t all = work_group_reserve_read_pipe(p, get_local_size(0));
    read_pipe(p, all, get_local_id(0), &got[get_local_id(0)]);
    work_group_commit_read_pipe(p, all);
    work_group_barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) != 0) return;
    for (int i = 0; i < get_local_size(0); ++i) {
        packet one = got[i];
        out[one.v.z] += one.v.x == one.v.y && one.from == one.v.x / get_local_size(0) ? one.tag : 1000;
    }
}";

#[test]
fn groups_reserve_together_and_lose_nothing() {
    let rig = Rig::new();
    let program = built(&rig, GROUPS, OF_3_0);
    let take = kernel(program, c"take");
    for (name, tag) in [(c"put", b'g'), (c"put_by_sub_groups", b's')] {
        let put = kernel(program, name);
        let (made, out) = (pipe(&rig, 64, 96), rig.buffer(0, 4 * 96));
        rig.write(out, &[0; 4 * 96], &[]);
        set(put, 0, made);
        set(take, 0, made);
        set(take, 1, out);
        run(&rig, put, &[96], Some(&[16]));
        run(&rig, take, &[96], Some(&[16]));
        assert_eq!(
            ints(&rig.read(out, 4 * 96)),
            [i32::from(tag); 96],
            "{name:?}"
        );
        release_buffers(&[made, out]);
        unsafe { assert_eq!(clReleaseKernel(put), CL_SUCCESS) };
    }
    release(take, program);
}

const CROWD: &str = "
kernel void put(write_only pipe uint p, global atomic_uint *lost) {
    uint mine = get_global_id(0);
    if (write_pipe(p, &mine)) atomic_fetch_add(lost, 1);
}
kernel void take(read_only pipe uint p, global atomic_uint *seen) {
    uint got;
    if (!read_pipe(p, &got)) atomic_fetch_add(&seen[got], 1);
}";

#[test]
fn a_crowd_writes_as_many_as_fit_and_each_is_read_once() {
    let rig = Rig::new();
    let program = built(&rig, CROWD, OF_3_0);
    let (put, take) = (kernel(program, c"put"), kernel(program, c"take"));
    let (made, lost, seen) = (pipe(&rig, 4, 200), rig.buffer(0, 4), rig.buffer(0, 1024));
    rig.write(lost, &[0; 4], &[]);
    rig.write(seen, &[0; 1024], &[]);
    set(put, 0, made);
    set(put, 1, lost);
    set(take, 0, made);
    set(take, 1, seen);
    run(&rig, put, &[256], None);
    run(&rig, take, &[256], None);
    let seen_each = ints(&rig.read(seen, 1024));
    assert_eq!(ints(&rig.read(lost, 4)), [56]);
    assert_eq!(seen_each.iter().sum::<i32>(), 200);
    assert!(seen_each.iter().all(|&times| times <= 1));
    release_buffers(&[made, lost, seen]);
    unsafe { assert_eq!(clReleaseKernel(put), CL_SUCCESS) };
    release(take, program);
}
