//! Sub-groups: the answers to the host, and that kernels see the same.

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use opencl_sys::*;
use touchstone::api::device::*;
use touchstone::api::kernel::*;

use crate::kernels::{ints, kernel, release, run, set};
use crate::programs::built;
use crate::rig::{Rig, device, query, release_buffers};

const TELLS: &str = "kernel void k(global int *out) {
    size_t me = get_global_id(1) * get_global_size(0) + get_global_id(0);
    out[8 * me] = get_sub_group_size();
    out[8 * me + 1] = get_max_sub_group_size();
    out[8 * me + 2] = get_num_sub_groups();
    out[8 * me + 3] = get_enqueued_num_sub_groups();
    out[8 * me + 4] = get_sub_group_id();
    out[8 * me + 5] = get_sub_group_local_id();
    out[8 * me + 6] = sub_group_reduce_add(1);
    out[8 * me + 7] = get_local_linear_id();
}";

/// The code of a query with an input, and the numbers of its answer.
fn ask(
    kernel: cl_kernel,
    name: cl_kernel_sub_group_info,
    input: &[usize],
    room: usize,
) -> Result<Vec<usize>, cl_int> {
    let mut numbers = vec![77; room];
    let mut size = 0;
    let code = unsafe {
        clGetKernelSubGroupInfo(
            kernel,
            device(),
            name,
            size_of_val(input),
            input.as_ptr().cast(),
            8 * room,
            numbers.as_mut_ptr().cast(),
            &mut size,
        )
    };
    numbers.truncate(size / 8);
    if code == CL_SUCCESS {
        Ok(numbers)
    } else {
        Err(code)
    }
}

#[test]
fn kernels_see_what_the_host_is_told() {
    let rig = Rig::new();
    let program = built(&rig, TELLS, "-cl-std=CL3.0");
    let kernel = kernel(program, c"k");
    for (global, local) in [
        ([20, 1], [20, 1]),
        ([8, 4], [4, 4]),
        ([10, 3], [7, 3]),
        ([3, 1], [1, 1]),
    ] {
        let items = global[0] * global[1];
        let out = rig.buffer(0, 32 * items);
        set(kernel, 0, out);
        run(&rig, kernel, &global, Some(&local));
        let most = ask(kernel, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, &local, 1).unwrap()[0];
        let count = ask(kernel, CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, &local, 1).unwrap()[0];
        let whole = local[0] * local[1];
        assert_eq!(
            (most, count),
            (whole.min(8), whole.div_ceil(8)),
            "{local:?}"
        );
        let told = ints(&rig.read(out, 32 * items));
        for (me, told) in told.chunks(8).enumerate() {
            let (x, y) = (me % global[0], me / global[0]);
            let side = |d: usize, at: usize| local[d].min(global[d] - at / local[d] * local[d]);
            let group = side(0, x) * side(1, y);
            let here = told[7] as usize;
            let size = 8.min(group - here / 8 * 8);
            let wanted = [
                size,
                most,
                group.div_ceil(8),
                count,
                here / 8,
                here % 8,
                size,
                here,
            ];
            assert_eq!(told, wanted.map(|n| n as i32), "{global:?} {local:?} {me}");
        }
        release_buffers(&[out]);
    }
    release(kernel, program);
}

#[test]
fn every_query_has_its_sizes_and_codes() {
    let rig = Rig::new();
    let program = built(&rig, TELLS, "-cl-std=CL3.0");
    let kernel = kernel(program, c"k");
    let by_count = CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT;
    assert_eq!(ask(kernel, by_count, &[5], 1), Ok(vec![40]));
    assert_eq!(ask(kernel, by_count, &[5], 3), Ok(vec![40, 1, 1]));
    assert_eq!(ask(kernel, by_count, &[128], 2), Ok(vec![1024, 1]));
    assert_eq!(ask(kernel, by_count, &[129], 2), Ok(vec![0, 0]));
    assert_eq!(ask(kernel, by_count, &[0], 1), Ok(vec![0]));
    assert_eq!(
        ask(kernel, CL_KERNEL_MAX_NUM_SUB_GROUPS, &[], 1),
        Ok(vec![128])
    );
    assert_eq!(
        ask(kernel, CL_KERNEL_COMPILE_NUM_SUB_GROUPS, &[], 1),
        Ok(vec![0])
    );
    let wrong = Err(CL_INVALID_VALUE);
    assert_eq!(ask(kernel, by_count, &[1, 1], 1), wrong);
    assert_eq!(ask(kernel, by_count, &[1], 0), wrong);
    assert_eq!(
        ask(kernel, CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, &[], 1),
        wrong
    );
    assert_eq!(
        ask(kernel, CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, &[1; 4], 1),
        wrong
    );
    assert_eq!(
        ask(kernel, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, &[8], 0),
        wrong
    );
    assert_eq!(ask(kernel, 0x1234, &[8], 1), wrong);
    let mut size = 0;
    let code = unsafe {
        let name = CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE;
        clGetKernelSubGroupInfoKHR(kernel, device(), name, 8, null(), 0, null_mut(), &mut size)
    };
    assert_eq!(code, CL_INVALID_VALUE);
    release(kernel, program);
}

#[test]
fn the_device_tells_of_sub_groups() {
    let info = |name| {
        query::<u32>(|size, value: *mut c_void, ret| unsafe {
            clGetDeviceInfo(device(), name, size, value, ret)
        })
    };
    assert_eq!(info(CL_DEVICE_MAX_NUM_SUB_GROUPS), 128);
    assert_eq!(
        info(CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS),
        CL_TRUE
    );
}

/// The first sub-group waits for what the last one does.
#[test]
fn sub_groups_go_on_by_themselves() {
    let rig = Rig::new();
    let source = "kernel void k(global int *out, global atomic_int *flag) {
        if (get_sub_group_id() == 0)
            while (!atomic_load_explicit(flag, memory_order_acquire, memory_scope_work_group));
        else if (get_sub_group_id() == get_num_sub_groups() - 1)
            atomic_store_explicit(flag, 1, memory_order_release, memory_scope_work_group);
        sub_group_barrier(CLK_GLOBAL_MEM_FENCE, memory_scope_sub_group);
        out[get_global_id(0)] = sub_group_scan_inclusive_add(2);
    }";
    let program = built(&rig, source, "-cl-std=CL3.0");
    let kernel = kernel(program, c"k");
    let (out, flag) = (
        rig.buffer(0, 4 * 20),
        rig.buffer_of(&mut [0; 4], CL_MEM_COPY_HOST_PTR),
    );
    set(kernel, 0, out);
    set(kernel, 1, flag);
    run(&rig, kernel, &[20], Some(&[20]));
    let wanted: Vec<i32> = (0..20).map(|n| 2 * (n % 8) + 2).collect();
    assert_eq!(ints(&rig.read(out, 80)), wanted);
    release_buffers(&[out, flag]);
    release(kernel, program);
}
