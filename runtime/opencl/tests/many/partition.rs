//! Sub-devices.

use std::collections::BTreeSet;
use std::ffi::c_void;
use std::ptr::{null, null_mut};
use std::sync::Mutex;

use opencl_sys::*;
use touchstone::api::context::*;
use touchstone::api::device::*;
use touchstone::api::queue::*;
use touchstone::api::range::*;

use crate::rig::*;

const EQUALLY: cl_device_partition_property = CL_DEVICE_PARTITION_EQUALLY;
const BY_COUNTS: cl_device_partition_property = CL_DEVICE_PARTITION_BY_COUNTS;

fn release(parts: &[cl_device_id]) {
    for &part in parts {
        assert_eq!(unsafe { clReleaseDevice(part) }, CL_SUCCESS);
    }
}

fn partition_type(device: cl_device_id) -> Vec<cl_device_partition_property> {
    list(|size, value, ret| unsafe {
        clGetDeviceInfo(device, CL_DEVICE_PARTITION_TYPE, size, value, ret)
    })
}

#[test]
fn parts_know_where_they_come_from() {
    let root = roots()[0];
    let schemes: Vec<cl_device_partition_property> = list(|size, value, ret| unsafe {
        clGetDeviceInfo(root, CL_DEVICE_PARTITION_PROPERTIES, size, value, ret)
    });
    assert_eq!(schemes, [EQUALLY, BY_COUNTS]);
    assert_eq!(
        info::<u32>(root, CL_DEVICE_PARTITION_MAX_SUB_DEVICES),
        UNITS
    );
    assert_eq!(partition_type(root), []);

    let cases: [(&[cl_device_partition_property], &[u32]); 4] = [
        (&[EQUALLY, 1, 0], &[1, 1, 1, 1]),
        (&[EQUALLY, 3, 0], &[3]),
        (&[BY_COUNTS, 3, 1, 0, 0], &[3, 1]),
        (&[BY_COUNTS, 2, 0, 0], &[2]),
    ];
    for (scheme, units) in cases {
        let parts = split(root, scheme).unwrap();
        let got: Vec<u32> = parts
            .iter()
            .map(|&p| info(p, CL_DEVICE_MAX_COMPUTE_UNITS))
            .collect();
        assert_eq!(got, units);
        for &part in &parts {
            assert_eq!(info::<usize>(part, CL_DEVICE_PARENT_DEVICE), root as usize);
            assert_eq!(partition_type(part), scheme);
            assert_eq!(info::<u32>(part, CL_DEVICE_REFERENCE_COUNT), 1);
            assert_eq!(
                info::<cl_device_type>(part, CL_DEVICE_TYPE),
                CL_DEVICE_TYPE_CPU
            );
        }
        release(&parts);
        for &part in &parts {
            assert_eq!(unsafe { clRetainDevice(part) }, CL_INVALID_DEVICE);
        }
    }
}

#[test]
fn parts_are_split_further_and_keep_their_parents() {
    let root = roots()[0];
    let halves = split(root, &[EQUALLY, 2, 0]).unwrap();
    let quarters = split(halves[0], &[EQUALLY, 1, 0]).unwrap();
    release(&halves);
    // The second half is gone, the first is needed by its parts.
    assert_eq!(unsafe { clRetainDevice(halves[1]) }, CL_INVALID_DEVICE);
    assert_eq!(
        info::<usize>(quarters[1], CL_DEVICE_PARENT_DEVICE),
        halves[0] as usize
    );
    assert_eq!(info::<u32>(halves[0], CL_DEVICE_MAX_COMPUTE_UNITS), 2);
    assert_eq!(
        split(quarters[0], &[EQUALLY, 1, 0]),
        Err(CL_DEVICE_PARTITION_FAILED)
    );
    let schemes: Vec<cl_device_partition_property> = list(|size, value, ret| unsafe {
        clGetDeviceInfo(
            quarters[0],
            CL_DEVICE_PARTITION_PROPERTIES,
            size,
            value,
            ret,
        )
    });
    assert_eq!(schemes, [0]);
    release(&quarters);
    assert_eq!(unsafe { clRetainDevice(halves[0]) }, CL_INVALID_DEVICE);
}

#[test]
fn each_mistake_has_its_code() {
    let root = roots()[0];
    let cases: [(&[cl_device_partition_property], cl_int); 10] = [
        (&[0], CL_INVALID_VALUE),
        (&[EQUALLY, 0, 0], CL_INVALID_VALUE),
        (&[EQUALLY, 1, BY_COUNTS, 1, 0, 0], CL_INVALID_VALUE),
        (&[EQUALLY, 4, 0], CL_DEVICE_PARTITION_FAILED),
        (&[EQUALLY, 5, 0], CL_INVALID_DEVICE_PARTITION_COUNT),
        (&[BY_COUNTS, 0, 0], CL_INVALID_VALUE),
        (&[BY_COUNTS, 5, 0, 0], CL_INVALID_DEVICE_PARTITION_COUNT),
        (&[BY_COUNTS, 3, 2, 0, 0], CL_INVALID_DEVICE_PARTITION_COUNT),
        (&[BY_COUNTS, -1, 0, 0], CL_INVALID_DEVICE_PARTITION_COUNT),
        (
            &[
                CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN,
                CL_DEVICE_AFFINITY_DOMAIN_NUMA as isize,
                0,
            ],
            CL_INVALID_VALUE,
        ),
    ];
    for (scheme, code) in cases {
        assert_eq!(split(root, scheme), Err(code), "{scheme:?}");
    }
    let scheme = [EQUALLY, 1, 0];
    let mut parts = [null_mut(); 4];
    let mut call = |device, list, room| unsafe {
        clCreateSubDevices(device, list, room, parts.as_mut_ptr(), null_mut())
    };
    assert_eq!(call(null_mut(), scheme.as_ptr(), 4), CL_INVALID_DEVICE);
    assert_eq!(call(root, null(), 4), CL_INVALID_VALUE);
    assert_eq!(call(root, scheme.as_ptr(), 3), CL_INVALID_VALUE);
}

#[test]
fn a_context_and_a_queue_keep_a_part() {
    let part = split(roots()[1], &[BY_COUNTS, 1, 0, 0]).unwrap()[0];
    let context = context(&[part]);
    let queue = queue(context, part);
    release(&[part]);
    let device: usize = query(|size, value, ret| unsafe {
        clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, size, value, ret)
    });
    assert_eq!(device, part as usize);
    assert_eq!(info::<u32>(part, CL_DEVICE_MAX_COMPUTE_UNITS), 1);
    // The queue of a part is no queue of the root.
    let mut code = 1;
    let other =
        unsafe { clCreateCommandQueueWithProperties(context, roots()[1], null(), &mut code) };
    assert_eq!((other, code), (null_mut(), CL_INVALID_DEVICE));
    release_all(&[], &[], &[], &[queue], &[context]);
    assert_eq!(unsafe { clRetainDevice(part) }, CL_INVALID_DEVICE);
}

/// A kernel on a part of one unit runs its groups on one thread: no two of them ever run at
/// once, so a count that goes up and down again is never above one.
#[test]
fn a_part_uses_only_its_share_of_threads() {
    const SOURCE: &str = "
        kernel void meet(global volatile int *inside, global volatile int *most) {
            int now = atomic_inc(inside) + 1;
            for (int i = 0; i < 2000; i++)
                now = max(now, atomic_add(inside, 0));
            atomic_max(most, now);
            atomic_dec(inside);
        }";
    let part = split(roots()[2], &[BY_COUNTS, 1, 0, 0]).unwrap()[0];
    let context = context(&[part]);
    let queue = queue(context, part);
    let program = program(context, SOURCE);
    assert_eq!(build(program, &[], c""), CL_SUCCESS);
    let kernel = kernel(program, c"meet").unwrap();
    let (inside, most) = (buffer(context, 4), buffer(context, 4));
    set(kernel, 0, inside);
    set(kernel, 1, most);
    let one = 1;
    let groups = 64;
    let code = unsafe {
        clEnqueueNDRangeKernel(
            queue,
            kernel,
            1,
            null(),
            &groups,
            &one,
            0,
            null(),
            null_mut(),
        )
    };
    assert_eq!(code, CL_SUCCESS);
    assert_eq!(read(queue, most, 1), [1]);
    release_all(&[kernel], &[program], &[inside, most], &[queue], &[context]);
    release(&[part]);
}

#[test]
fn a_context_made_of_parts_and_roots_lists_each_once() {
    let root = roots()[0];
    let parts = split(root, &[EQUALLY, 2, 0]).unwrap();
    let context = context(&[parts[0], root, parts[0], parts[1]]);
    let devices: Vec<usize> = list(|size, value, ret| unsafe {
        clGetContextInfo(context, CL_CONTEXT_DEVICES, size, value, ret)
    });
    assert_eq!(
        devices,
        [parts[0] as usize, root as usize, parts[1] as usize]
    );
    release(&parts);
    release_all(&[], &[], &[], &[], &[context]);
}

/// Splitting and releasing from many threads at once leaves nothing behind and gives no
/// part twice.
#[test]
fn parts_come_and_go_from_many_threads() {
    let root = roots()[0] as usize;
    let seen = Mutex::new(BTreeSet::new());
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..200 {
                    let parts = split(root as *mut c_void, &[EQUALLY, 2, 0]).unwrap();
                    for &part in &parts {
                        assert!(seen.lock().unwrap().insert(part as usize), "given twice");
                    }
                    assert_eq!(unsafe { clRetainDevice(parts[0]) }, CL_SUCCESS);
                    assert_eq!(info::<u32>(parts[0], CL_DEVICE_REFERENCE_COUNT), 2);
                    for &part in &parts {
                        seen.lock().unwrap().remove(&(part as usize));
                    }
                    release(&parts);
                    release(&parts[..1]);
                }
            });
        }
    });
}
