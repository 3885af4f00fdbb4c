//! Memory that is shared as whole objects, or by bytes, and what a test leaves unsaid about it.

use super::under;

/// What two kernels, or a kernel and another of `devices`, do to two elements of one location; nothing orders
/// them unless the queue does.
fn elements(memory: &str, queue: &str, devices: (u32, u32), bodies: (&str, &str)) -> String {
    let second = if devices.0 == devices.1 { "q" } else { "p" };
    format!(
        "OPENCL test\n{{ queue q{queue}; queue p; {memory} int x[2] = {{0, 0}}; }}\n\
         P0@kernel A, wg 0, dev {} (global int* x) {{ {} }}\n\
         P1@kernel B, wg 0, dev {} (global int* x) {{ {} }}\n\
         P2@host () {{ clEnqueueNDRangeKernel(q, A); clEnqueueNDRangeKernel({second}, B); }}\n\
         exists (x[0]=0)",
        devices.0, bodies.0, devices.1, bodies.1
    )
}

const MODELS: [&str; 3] = ["opencl-2.0", "opencl-3.0", "opencl-3.1"];
const WRITE_0: &str = "x[0] = 1;";
const READ_1: &str = "int r0 = x[1];";

#[track_caller]
fn flagged(text: &str, flags: &[&str]) {
    for model in MODELS {
        assert_eq!(under(model, text).flags, flags, "{model}\n{text}");
    }
}

#[test]
fn kernels_that_nothing_orders_share_no_buffer_that_one_of_them_writes() {
    let of = |memory, queue, bodies| elements(memory, queue, (0, 0), bodies);
    let out = " = out_of_order";
    for memory in ["buffer", ""] {
        flagged(&of(memory, out, (WRITE_0, READ_1)), &["sp.object"]);
        flagged(&of(memory, out, (READ_1, WRITE_0)), &["sp.object"]);
        flagged(&of(memory, "", (WRITE_0, READ_1)), &[]);
        flagged(&of(memory, out, ("int r0 = x[0];", READ_1)), &[]);
    }
    // "Concurrent access to the same memory allocation from multiple kernels on a single device is valid".
    for memory in ["coarse_svm", "fine_svm", "fine_svm_atomics", "system_svm"] {
        flagged(&of(memory, out, (WRITE_0, READ_1)), &[]);
        flagged(&of(memory, out, (WRITE_0, "int r0 = x[0];")), &["mm.race"]);
    }
}

#[test]
fn devices_share_coarse_grained_memory_whole_and_fine_grained_memory_by_bytes() {
    let of = |memory| elements(memory, "", (0, 1), (WRITE_0, READ_1));
    for memory in ["buffer", "coarse_svm"] {
        flagged(&of(memory), &["sp.object"]);
        let ordered = of(memory).replace(
            "clEnqueueNDRangeKernel(p, B)",
            "clEnqueueNDRangeKernel(p, B, A)",
        );
        flagged(&ordered, &[]);
    }
    for memory in ["fine_svm", "fine_svm_atomics", "system_svm"] {
        flagged(&of(memory), &[]);
    }
}

/// Message passing of `d` through `x` by two threads.
fn passing(memory: &str, places: (&str, &str), scopes: (&str, &str)) -> String {
    format!(
        "OPENCL test\n{{ {memory} [x]=0; {memory} [d]=0; }}\n\
         P0@{} (global atomic_int* x, global int* d) {{ *d = 1; \
         atomic_store_explicit(x, 1, memory_order_release, memory_scope_{}); }}\n\
         P1@{} (global atomic_int* x, global int* d) {{ \
         int r0 = atomic_load_explicit(x, memory_order_acquire, memory_scope_{}); \
         int r1 = 7; if (r0 == 1) {{ r1 = *d; }} }}\n\
         exists (1:r0=1 /\\ 1:r1=0)",
        places.0, scopes.0, places.1, scopes.1
    )
}

#[test]
fn a_location_of_no_stated_kind_is_what_a_launch_allocates() {
    let all = "all_svm_devices";
    let there = ("wg 0, dev 0", "wg 1, dev 0");
    // One device: a buffer, where the widest scope behaves as device.
    assert!(!under("opencl-3.0", &passing("", there, (all, "device"))).racy);
    assert!(!under("opencl-3.0", &passing("buffer", there, (all, "device"))).racy);
    assert!(under("opencl-3.0", &passing("system_svm", there, (all, "device"))).racy);
    assert!(!under("opencl-3.1", &passing("system_svm", there, (all, "device"))).racy);
    // Two devices, or a device and the host: fine-grained memory with atomics for all locations.
    for place in ["wg 0, dev 1", "host"] {
        let places = ("wg 0, dev 0", place);
        let wide = under("opencl-3.0", &passing("", places, (all, all)));
        assert!(!wide.racy && !wide.holds, "{place}");
        assert!(under("opencl-3.1", &passing("fine_svm", places, (all, all))).racy);
    }
    // A third thread elsewhere decides about locations that it does not touch.
    let third = |text: String| text.replace("exists", "P2@wg 0, dev 1 () { int r0 = 0; }\nexists");
    assert!(under("opencl-3.0", &third(passing("", there, (all, "device")))).racy);
}

#[test]
fn fences_of_the_widest_scope_reach_each_other_and_accesses_of_that_scope_on_a_buffer() {
    let text = |scope: &str| {
        format!(
            "OPENCL test\n{{ [x]=0; [d]=0; }}\n\
             P0@wg 0, dev 0 (global atomic_int* x, global int* d) {{ *d = 1; \
             atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_release, memory_scope_all_svm_devices); \
             atomic_store_explicit(x, 1, memory_order_relaxed, memory_scope_device); }}\n\
             P1@wg 1, dev 0 (global atomic_int* x, global int* d) {{ \
             int r0 = atomic_load_explicit(x, memory_order_acquire, memory_scope_{scope}); \
             int r1 = 7; if (r0 == 1) {{ r1 = *d; }} }}\n\
             exists (1:r0=1 /\\ 1:r1=0)"
        )
    };
    assert!(!under("opencl-3.0", &text("all_svm_devices")).racy);
    assert!(under("opencl-3.0", &text("device")).racy);
    assert!(!under("opencl-3.1", &text("device")).racy);
}

#[test]
fn host_threads_meet_by_their_own_atomics_whatever_the_memory() {
    let all = "all_svm_devices";
    for memory in ["", "fine_svm", "fine_svm_atomics", "system_svm"] {
        for model in MODELS {
            let judgement = under(model, &passing(memory, ("host", "host"), (all, all)));
            assert!(!judgement.racy && !judgement.holds, "{model} {memory}");
        }
    }
    // A kernel does not meet them on memory without atomics.
    let mixed = passing("fine_svm", ("host", "wg 0, dev 0"), (all, all));
    for model in MODELS {
        assert_eq!(under(model, &mixed).flags, ["mm.race"], "{model}");
    }
    // Without synchronization two host threads race like any others.
    let relaxed = passing("fine_svm", ("host", "host"), (all, all)).replace("acquire", "relaxed");
    assert!(under("opencl-3.1", &relaxed).racy);
}

#[test]
fn host_threads_have_no_local_memory() {
    let read = |place: &str| {
        let text = format!(
            "OPENCL test\n{{ [x]=0; }}\nP0@{place} (local int* x) {{ *x = 1; }}\nexists (x=1)"
        );
        crate::syntax::read_litmus("test", &text).map_err(|error| error.to_string())
    };
    assert!(read("wg 0, dev 0").is_ok());
    let refused = read("host").expect_err("a host thread");
    assert!(
        refused.contains("x is local memory, and a host thread uses it"),
        "{refused}"
    );
}
