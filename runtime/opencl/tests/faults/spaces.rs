//! Kernels as commands, and their index spaces.

use opencl_sys::*;
use touchstone::api::memory::*;

use crate::Scenario;
use crate::rig::Rig;
use crate::tools::*;

pub const SCENARIOS: &[Scenario] = &[
    ("argument_released", argument_released),
    ("ids", ids),
    ("null_local", null_local),
    ("binary", binary),
];

fn argument_released() {
    let rig = Rig::new();
    let kernel = kernel(
        &rig,
        "kernel void k(global int *x, global int *y) { *x = *y; }",
    );
    let (target, source) = (buffer(&rig, &[0]), buffer(&rig, &[7]));
    set(kernel, 0, target);
    set(kernel, 1, source);
    let gate = rig.user_event();
    enqueue(&rig, kernel, 1, &[gate]);
    assert_eq!(unsafe { clReleaseMemObject(source) }, CL_SUCCESS);
    set_user(gate, CL_COMPLETE);
    rig.finish();
    assert_eq!(words(&rig, target, 1), [7]);
}

const QUERIES: usize = 24;

/// Every work-item writes all that it is told, at its place by its own count; each must agree
/// with the formulae.
fn ids() {
    let rig = Rig::new();
    let source = "kernel void k(global uint *x, uint ox, uint oy, uint oz, uint sx, uint sy) {
        uint p = ((get_global_id(2) - oz) * sy + get_global_id(1) - oy) * sx
            + get_global_id(0) - ox;
        global uint *at = x + 24 * p;
        atomic_inc(at);
        at[1] = get_global_linear_id();
        at[2] = get_local_linear_id();
        for (uint d = 0; d < 3; ++d) {
            at[3 + d] = get_local_id(d);
            at[6 + d] = get_group_id(d);
            at[9 + d] = get_local_size(d);
            at[12 + d] = get_enqueued_local_size(d);
            at[15 + d] = get_num_groups(d);
            at[18 + d] = get_global_size(d);
            at[21 + d] = get_global_id(d);
        }
    }";
    let kernel = kernel(&rig, source);
    let shapes: [([usize; 3], [usize; 3], [usize; 3]); 2] = [
        ([5, 6, 4], [2, 4, 3], [4, 8, 3]),
        ([7, 1, 1], [3, 1, 1], [0, 0, 0]),
    ];
    for (global, local, offset) in shapes {
        let items: usize = global.iter().product();
        let out = buffer(&rig, &vec![0; QUERIES * items]);
        set(kernel, 0, out);
        for (d, side) in offset.into_iter().enumerate() {
            set(kernel, 1 + d as u32, side as u32);
        }
        set(kernel, 4, global[0] as u32);
        set(kernel, 5, global[1] as u32);
        let space = Space {
            offset: Some(&offset),
            global: &global,
            local: Some(&local),
        };
        run(&rig, kernel, space);
        let found = words(&rig, out, QUERIES * items);
        for (linear, got) in found.chunks(QUERIES).enumerate() {
            let at = [
                linear % global[0],
                linear / global[0] % global[1],
                linear / global[0] / global[1],
            ];
            let of = |f: &dyn Fn(usize) -> usize| [f(0) as u32, f(1) as u32, f(2) as u32];
            let rest = |d: usize| local[d].min(global[d] - at[d] / local[d] * local[d]);
            assert_eq!(got[0], 1, "runs of the work-item at {at:?}");
            assert_eq!(got[1] as usize, linear);
            assert_eq!(got[3..6], of(&|d| at[d] % local[d]));
            assert_eq!(got[6..9], of(&|d| at[d] / local[d]));
            assert_eq!(got[9..12], of(&rest));
            assert_eq!(got[12..15], of(&|d| local[d]));
            assert_eq!(got[15..18], of(&|d| global[d].div_ceil(local[d])));
            assert_eq!(got[18..21], of(&|d| global[d]));
            assert_eq!(got[21..24], of(&|d| at[d] + offset[d]));
            let [x, y, z] = [got[3], got[4], got[5]];
            assert_eq!(got[2], (z * got[10] + y) * got[9] + x);
        }
    }
}

fn null_local() {
    let rig = Rig::new();
    let source = "kernel void k(global int *x) { x[get_global_id(0)] = 1; }";
    let space = Space {
        offset: None,
        global: &[100],
        local: None,
    };
    assert_eq!(output(&rig, source, 100, space), [1; 100]);
}

/// A kernel from a binary does what it did from its source.
fn binary() {
    let rig = Rig::new();
    let source = "kernel void k(global int *x) { x[get_global_id(0)] = 1; }";
    let first = program(&rig, source);
    let second = of_binary(&rig, first);
    let kernel = kernel_of(second, "k");
    let out = buffer(&rig, &[0; 8]);
    set(kernel, 0, out);
    run(&rig, kernel, space(&[8], &[4]));
    assert_eq!(words(&rig, out, 8), [1; 8]);
}
