//! Commands and kinds of memory, rule by rule, each with a program that it decides.

use super::under;
use crate::oracle::{Explanation, Limits, Model, explain};
use crate::shipped::shipped;
use crate::syntax::read_litmus;

const MODELS: [&str; 4] = ["opencl-2.0", "opencl-3.0", "opencl-3.1", "opencl-scoped-sc"];

/// What a test says of the outcome it asks about.
#[derive(Debug, PartialEq, Eq)]
enum Verdict {
    Forbidden,
    Allowed,
    /// Some execution raises these flags.
    Undefined(Vec<String>),
}
use Verdict::{Allowed, Forbidden, Undefined};

fn flags(names: &[&str]) -> Verdict {
    Undefined(names.iter().map(|n| (*n).to_owned()).collect())
}

fn race() -> Verdict {
    flags(&["mm.race"])
}

/// Two kernels touch a buffer that nothing orders.
fn race_on_a_buffer() -> Verdict {
    flags(&["mm.race", "sp.object"])
}

/// The verdict of a test that asks `exists`.
fn verdict(model: &str, text: &str) -> Verdict {
    let judgement = under(model, text);
    match (judgement.racy, judgement.holds) {
        (true, _) => Undefined(judgement.flags),
        (false, true) => Allowed,
        (false, false) => Forbidden,
    }
}

#[track_caller]
fn everywhere(text: &str, expected: &Verdict) {
    for model in MODELS {
        assert_eq!(&verdict(model, text), expected, "{model}\n{text}");
    }
}

/// A test of one writer of `x` and one reader; `memory` is the init list's entries of `x` and `y`.
fn two_kernels(queues: &str, host: &str, devices: (u32, u32), memory: &str) -> String {
    format!(
        "OPENCL test\n{{ {queues} {memory} }}\n\
         P0@host () {{ {host} }}\n\
         P1@kernel A, wg 0, dev {} (global int* x) {{ *x = 1; }}\n\
         P2@kernel B, wg 0, dev {} (global int* x) {{ int r0 = *x; }}\n\
         exists (2:r0=0)",
        devices.0, devices.1
    )
}

/// The host around one kernel that runs `*x = *x + 1;`.
fn host_and_kernel(memory: &str, order: &str, host: &str, exists: &str) -> String {
    format!(
        "OPENCL test\n{{ queue q = {order}; {memory} [x] = 0; }}\n\
         P0@host (global int* x) {{ {host} }}\n\
         P1@kernel A, wg 0, dev 0 (global int* x) {{ int r0 = *x; *x = r0 + 1; }}\n\
         exists ({exists})"
    )
}

#[test]
fn the_shipped_tests_answer_as_they_say() {
    let undefined: &[(&str, &[&str])] = &[
        ("CoWR+kernel+host+fine", &["mm.race"]),
        ("MP+enqueue+no-wait", &["mm.race"]),
        ("MP+finish+unmapped", &["sp.map-unmap"]),
        ("MP+host+fine", &["mm.race"]),
        ("MP+hosts+rlx", &["mm.race"]),
        ("MP+kernel+mapped", &["sp.map-unmap"]),
        (
            "MP+kernels+buffer",
            &["mm.race", "sp.cross-kernel-atomics-clmem"],
        ),
        (
            "MP+kernels+elements+atomics",
            &["sp.cross-kernel-atomics-clmem"],
        ),
        ("MP+kernels+elements+buffer", &["sp.object"]),
        ("MP+map+no-wait", &["mm.race", "sp.map-unmap"]),
        ("MP+out-of-order", &["mm.race", "sp.object"]),
        ("MP+out-of-order+lone-marker", &["mm.race", "sp.object"]),
        ("MP+queues+elements+coarse", &["sp.object"]),
        ("MP+queues+flag+coarse", &["mm.race", "sp.object"]),
        ("MP+queues+flag+no-atomics", &["mm.race"]),
    ];
    // What older versions say otherwise.
    let races_in = |name: &str, model: &str| {
        name == "MP+rel+acq+dev+all" && ["opencl-2.0", "opencl-3.0"].contains(&model)
    };
    let unordered_in = |name: &str, model: &str| {
        ["SB+sc+all+two-kinds", "SB+sc+dev+fine"].contains(&name) && model == "opencl-2.0"
    };
    let mut seen = 0;
    for (name, text) in shipped() {
        let program = read_litmus(name, text).unwrap();
        let stated = program.locations.iter().any(|l| l.memory.name().is_some());
        if program.commands.is_empty() && !stated {
            continue;
        }
        seen += 1;
        for model in MODELS {
            let judgement = under(model, text);
            let expected = undefined.iter().find(|(n, _)| n == name);
            let expected: &[&str] = match expected {
                Some((_, flags)) => flags,
                None if races_in(name, model) => &["mm.race"],
                None => &[],
            };
            assert_eq!(judgement.flags, expected, "{name} {model}");
            if expected.is_empty() {
                let holds = !unordered_in(name, model);
                assert_eq!(judgement.holds, holds, "{name} {model}");
            }
        }
    }
    assert_eq!(seen, 40);
}

#[test]
fn an_in_order_queue_orders_its_commands_and_an_out_of_order_queue_does_not() {
    let host = "clEnqueueNDRangeKernel(q, A); clEnqueueNDRangeKernel(q, B);";
    everywhere(&two_kernels("queue q;", host, (0, 0), ""), &Forbidden);
    let out = two_kernels("queue q = out_of_order;", host, (0, 0), "");
    everywhere(&out, &race_on_a_buffer());
    let two = two_kernels(
        "queue q; queue p;",
        "clEnqueueNDRangeKernel(q, A); clEnqueueNDRangeKernel(p, B);",
        (0, 0),
        "",
    );
    everywhere(&two, &race_on_a_buffer());
}

#[test]
fn events_barriers_and_markers_order_an_out_of_order_queue() {
    let queue = "queue q = out_of_order;";
    let (a, b) = (
        "clEnqueueNDRangeKernel(q, A);",
        "clEnqueueNDRangeKernel(q, B);",
    );
    let after = |event: &str| format!("clEnqueueNDRangeKernel(q, B, {event});");
    for (host, expected) in [
        (format!("{a} {}", after("A")), Forbidden),
        (
            format!("{a} clEnqueueBarrierWithWaitList(q); {b}"),
            Forbidden,
        ),
        (
            format!("{a} clEnqueueBarrierWithWaitList(q, A); {b}"),
            Forbidden,
        ),
        (
            format!("{a} M: clEnqueueMarkerWithWaitList(q); {}", after("M")),
            Forbidden,
        ),
        (
            format!("{a} M: clEnqueueMarkerWithWaitList(q, A); {}", after("M")),
            Forbidden,
        ),
        (
            format!(
                "{a} M: clEnqueueMarkerWithWaitList(q); clEnqueueMarkerWithWaitList(q, M); {b}"
            ),
            race_on_a_buffer(),
        ),
        (format!("{a} clFinish(q); {b}"), Forbidden),
        (format!("{a} clWaitForEvents(A); {b}"), Forbidden),
        (
            format!("clEnqueueBarrierWithWaitList(q); {a} {b}"),
            race_on_a_buffer(),
        ),
        (format!("{b} {a} clFinish(q);"), race_on_a_buffer()),
    ] {
        everywhere(&two_kernels(queue, &host, (0, 0), ""), &expected);
    }
}

#[test]
fn a_barrier_or_marker_with_a_list_waits_for_the_list_alone() {
    let text = |what: &str, after: &str| {
        two_kernels(
            "queue q = out_of_order;",
            &format!(
                "clEnqueueNDRangeKernel(q, A); clEnqueueNDRangeKernel(q, C); \
                 M: {what}(q, C); clEnqueueNDRangeKernel(q, B{after});"
            ),
            (0, 0),
            "",
        )
        .replace(
            "exists",
            "P3@kernel C, wg 0, dev 0 () { int r0 = 0; }\nexists",
        )
    };
    everywhere(
        &text("clEnqueueBarrierWithWaitList", ""),
        &race_on_a_buffer(),
    );
    everywhere(
        &text("clEnqueueMarkerWithWaitList", ", M"),
        &race_on_a_buffer(),
    );
}

#[test]
fn events_order_queues_of_two_devices_and_clfinish_only_its_own_queue() {
    for memory in [
        "buffer",
        "coarse_svm",
        "fine_svm",
        "fine_svm_atomics",
        "system_svm",
    ] {
        let memory = format!("{memory} [x] = 0;");
        let host = "clEnqueueNDRangeKernel(p, A); clEnqueueNDRangeKernel(q, B, A);";
        everywhere(
            &two_kernels("queue p; queue q;", host, (0, 1), &memory),
            &Forbidden,
        );
        let own = "clEnqueueNDRangeKernel(p, A); clFinish(p); clEnqueueNDRangeKernel(q, B);";
        everywhere(
            &two_kernels("queue p; queue q;", own, (0, 1), &memory),
            &Forbidden,
        );
        let other = "clEnqueueNDRangeKernel(p, A); clFinish(q); clEnqueueNDRangeKernel(q, B);";
        let expected = match memory.as_str() {
            "buffer [x] = 0;" | "coarse_svm [x] = 0;" => race_on_a_buffer(),
            _ => race(),
        };
        everywhere(
            &two_kernels("queue p; queue q;", other, (0, 1), &memory),
            &expected,
        );
    }
}

#[test]
fn chains_go_over_several_host_threads() {
    let text = "OPENCL test\n{ queue p; queue q; [x] = 0; }\n\
        P0@host () { clEnqueueNDRangeKernel(p, A); }\n\
        P1@host () { clWaitForEvents(A); clEnqueueNDRangeKernel(q, B); }\n\
        P2@kernel A, wg 0, dev 0 (global int* x) { *x = 1; }\n\
        P3@kernel B, wg 0, dev 0 (global int* x) { int r0 = *x; }\n\
        exists (3:r0=0)";
    everywhere(text, &Forbidden);
    everywhere(
        &text.replace("clWaitForEvents(A); ", ""),
        &race_on_a_buffer(),
    );
}

#[test]
fn the_host_and_a_kernel_meet_at_enqueue_and_at_waits() {
    for memory in ["", "fine_svm", "fine_svm_atomics", "system_svm"] {
        let at = |host: &str, exists: &str| host_and_kernel(memory, "out_of_order", host, exists);
        let before = "*x = 1; clEnqueueNDRangeKernel(q, A);";
        everywhere(&at(before, "not 1:r0=1"), &Forbidden);
        everywhere(
            &at("clEnqueueNDRangeKernel(q, A); *x = 1;", "1:r0=1"),
            &race(),
        );
        for wait in ["clFinish(q);", "clWaitForEvents(A);"] {
            let host = format!("{before} {wait} int r0 = *x;");
            everywhere(&at(&host, "not 0:r0=2"), &Forbidden);
        }
        everywhere(&at(&format!("{before} int r0 = *x;"), "0:r0=1"), &race());
    }
}

#[test]
fn buffers_and_coarse_grained_memory_must_be_mapped_for_the_host() {
    let enqueue = "clEnqueueNDRangeKernel(q, A);";
    for memory in ["buffer", "coarse_svm"] {
        let at = |host: &str, exists: &str| host_and_kernel(memory, "in_order", host, exists);
        let stray = flags(&["sp.map-unmap"]);
        let write = "clEnqueueSVMMap(q, x, CL_TRUE, CL_MAP_WRITE); *x = 1;";
        let read = "clEnqueueSVMMap(q, x, CL_TRUE, CL_MAP_READ); int r0 = *x;";
        let unmap = "clEnqueueSVMUnmap(q, x);";
        // Host to kernel to host.
        everywhere(
            &at(&format!("{write} {unmap} {enqueue} {read}"), "not 0:r0=2"),
            &Forbidden,
        );
        // No map, or one that ended, or one that only allows reading.
        everywhere(&at(&format!("*x = 1; {enqueue}"), "1:r0=1"), &stray);
        everywhere(
            &at(&format!("{enqueue} clFinish(q); int r0 = *x;"), "0:r0=1"),
            &stray,
        );
        everywhere(
            &at(&format!("{write} {unmap} int r0 = *x; {enqueue}"), "0:r0=1"),
            &stray,
        );
        everywhere(
            &at(
                &format!("{} {unmap} {enqueue}", write.replace("WRITE", "READ")),
                "1:r0=1",
            ),
            &stray,
        );
        // A map that nobody waits for.
        let late = format!("{enqueue} {}", read.replace("CL_TRUE", "CL_FALSE"));
        everywhere(&at(&late, "0:r0=1"), &flags(&["mm.race", "sp.map-unmap"]));
        let waited = late.replace("int r0", "clFinish(q); int r0");
        everywhere(&at(&waited, "not 0:r0=1"), &Forbidden);
        // The kernel writes while the memory is mapped, for writing and for reading.
        everywhere(&at(&format!("{write} {enqueue} {unmap}"), "1:r0=1"), &stray);
        everywhere(&at(&format!("{read} {enqueue} {unmap}"), "0:r0=1"), &stray);
    }
}

#[test]
fn a_kernel_may_read_what_is_mapped_for_reading() {
    let text = |access: &str| {
        format!(
            "OPENCL test\n{{ queue q; coarse_svm [x] = 3; }}\n\
             P0@host (global int* x) {{ \
               clEnqueueSVMMap(q, x, CL_TRUE, {access}); int r0 = *x; \
               clEnqueueNDRangeKernel(q, A); }}\n\
             P1@kernel A, wg 0, dev 0 (global int* x) {{ int r0 = *x; }}\n\
             exists (not 1:r0=3)"
        )
    };
    everywhere(&text("CL_MAP_READ"), &Forbidden);
    everywhere(&text("CL_MAP_WRITE"), &flags(&["sp.map-unmap"]));
}

/// Data `x` and a flag `y` between two threads, the kernels running together.
fn flag(data: &str, flag: &str, scope: &str, places: (&str, &str)) -> String {
    format!(
        "OPENCL test\n{{ {data} [x] = 0; {flag} [y] = 0; }}\n\
         P0@{} (global int* x, global atomic_int* y) {{ *x = 1; \
           atomic_store_explicit(y, 1, memory_order_release, memory_scope_{scope}); }}\n\
         P1@{} (global int* x, global atomic_int* y) {{ \
           int r0 = atomic_load_explicit(y, memory_order_acquire, memory_scope_{scope}); \
           int r1 = 7; if (r0 == 1) {{ r1 = *x; }} }}\n\
         exists (1:r0=1 /\\ 1:r1=0)",
        places.0, places.1
    )
}

#[test]
fn all_svm_devices_reaches_the_host_and_other_devices_on_fine_grained_memory_with_atomics() {
    let with = ["", "fine_svm_atomics", "system_svm"];
    let without = ["fine_svm", "coarse_svm", "buffer"];
    for places in [("wg 0, dev 0", "wg 0, dev 1"), ("host", "wg 0, dev 0")] {
        for (of_data, of_flag) in with.iter().flat_map(|d| with.map(|f| (*d, f))) {
            let text = flag(of_data, of_flag, "all_svm_devices", places);
            everywhere(&text, &Forbidden);
        }
        // [sv.scope-down]
        everywhere(
            &flag("fine_svm_atomics", "fine_svm", "all_svm_devices", places),
            &race(),
        );
        // Atomics do not control the visibility of other memory.
        everywhere(
            &flag("fine_svm", "fine_svm_atomics", "all_svm_devices", places),
            &race(),
        );
        assert!(
            under(
                "opencl-3.1",
                &flag("coarse_svm", "", "all_svm_devices", places)
            )
            .racy
        );
    }
    // On one device it is the device, which is enough there.
    for memory in without {
        let places = ("wg 0, dev 0", "wg 1, dev 0");
        everywhere(&flag(memory, memory, "all_svm_devices", places), &Forbidden);
    }
}

#[test]
fn a_scope_that_was_stepped_down_is_the_same_as_device_scope() {
    // Before 3.1 both sides must have the same scope, which they then do.
    let text = flag(
        "coarse_svm",
        "coarse_svm",
        "device",
        ("wg 0, dev 0", "wg 1, dev 0"),
    )
    .replacen("memory_scope_device", "memory_scope_all_svm_devices", 1);
    everywhere(&text, &Forbidden);
    let fine = text.replace("coarse_svm", "fine_svm_atomics");
    assert_eq!(verdict("opencl-3.1", &fine), Forbidden);
    assert_eq!(verdict("opencl-3.0", &fine), race());
}

#[test]
fn host_operations_apply_at_all_svm_devices_scope() {
    // C11 on the host has no scopes: whatever is written there means all_svm_devices.
    let text = flag("", "", "all_svm_devices", ("host", "wg 0, dev 0"));
    for stated in ["memory_scope_device", "memory_scope_work_group"] {
        everywhere(
            &text.replacen("memory_scope_all_svm_devices", stated, 1),
            &Forbidden,
        );
    }
    let bare = text.replacen(", memory_scope_all_svm_devices", "", 1);
    everywhere(&bare, &Forbidden);
    // The device's side must say so.
    let narrow = flag("", "", "device", ("host", "wg 0, dev 0"));
    everywhere(&narrow, &race());
}

#[test]
fn the_device_is_a_scope_between_kernels_on_svm_and_within_a_kernel_elsewhere() {
    let text = |memory: &str| {
        let kernels = flag(
            memory,
            memory,
            "device",
            ("kernel A, wg 0, dev 0", "kernel B, wg 0, dev 0"),
        );
        kernels
            .replacen("{ ", "{ queue q = out_of_order; ", 1)
            .replace(
                "exists",
                "P2@host () { clEnqueueNDRangeKernel(q, A); clEnqueueNDRangeKernel(q, B); }\nexists",
            )
    };
    for memory in ["coarse_svm", "fine_svm", "fine_svm_atomics", "system_svm"] {
        everywhere(&text(memory), &Forbidden);
    }
    everywhere(
        &text("buffer"),
        &flags(&["mm.race", "sp.cross-kernel-atomics-clmem", "sp.object"]),
    );
    let within = flag("buffer", "buffer", "device", ("wg 0, dev 0", "wg 1, dev 0"));
    everywhere(&within, &Forbidden);
}

#[test]
fn work_groups_of_two_kernels_are_two_work_groups() {
    let text = "OPENCL test\n{ queue q = out_of_order; coarse_svm [x] = 0; coarse_svm [y] = 0; }\n\
        P0@kernel A, wg 0, dev 0 (global int* x, global atomic_int* y) { *x = 1; \
          atomic_store_explicit(y, 1, memory_order_release, memory_scope_work_group); }\n\
        P1@kernel B, wg 0, dev 0 (global int* x, global atomic_int* y) { \
          int r0 = atomic_load_explicit(y, memory_order_acquire, memory_scope_work_group); \
          int r1 = 7; if (r0 == 1) { r1 = *x; } }\n\
        P2@host () { clEnqueueNDRangeKernel(q, A); clEnqueueNDRangeKernel(q, B); }\n\
        exists (1:r0=1 /\\ 1:r1=0)";
    everywhere(text, &race());
    let one = text
        .replace("kernel B", "kernel A")
        .replace(" clEnqueueNDRangeKernel(q, B);", "");
    everywhere(&one, &Forbidden);
}

#[test]
fn atomics_of_two_kernels_on_two_elements_of_a_buffer_are_undefined() {
    let text = |memory: &str, queue: &str| {
        format!(
            "OPENCL test\n{{ queue q = {queue}; {memory} atomic_int x[2] = {{0, 0}}; }}\n\
             P0@kernel A, wg 0, dev 0 (global atomic_int* x) {{ \
               atomic_store_explicit(&x[0], 1, memory_order_relaxed, memory_scope_device); }}\n\
             P1@kernel B, wg 0, dev 0 (global atomic_int* x) {{ int r0 = \
               atomic_load_explicit(&x[1], memory_order_relaxed, memory_scope_device); }}\n\
             P2@host () {{ clEnqueueNDRangeKernel(q, A); clEnqueueNDRangeKernel(q, B); }}\n\
             exists (not 1:r0=0)"
        )
    };
    everywhere(
        &text("buffer", "out_of_order"),
        &flags(&["sp.cross-kernel-atomics-clmem"]),
    );
    everywhere(&text("buffer", "in_order"), &Forbidden);
    everywhere(&text("coarse_svm", "out_of_order"), &Forbidden);
}

/// Store buffering of seq_cst operations.
fn buffering(memory: &str, scope: &str, second: &str) -> String {
    let side = |mine: &str, other: &str| {
        format!(
            "atomic_store_explicit({mine}, 1, memory_order_seq_cst, memory_scope_{scope}); int r0 = \
             atomic_load_explicit({other}, memory_order_seq_cst, memory_scope_{scope});"
        )
    };
    let parameters = "global atomic_int* x, global atomic_int* y";
    format!(
        "OPENCL test\n{{ {memory} [x] = 0; {memory} [y] = 0; }}\n\
         P0@wg 0, dev 0 ({parameters}) {{ {} }}\nP1@{second} ({parameters}) {{ {} }}\n\
         exists (0:r0=0 /\\ 1:r0=0)",
        side("x", "y"),
        side("y", "x")
    )
}

#[test]
fn in_2_0_the_order_of_seq_cst_operations_asks_where_memory_is() {
    let one_device = |memory, scope| buffering(memory, scope, "wg 1, dev 0");
    // (1) all_svm_devices on fine-grained memory with atomics; (2) device on other memory, which
    // is also what all_svm_devices means there.
    for (memory, scope, expected) in [
        ("fine_svm_atomics", "all_svm_devices", Forbidden),
        ("system_svm", "all_svm_devices", Forbidden),
        ("fine_svm_atomics", "device", Allowed),
        ("system_svm", "device", Allowed),
        ("coarse_svm", "device", Forbidden),
        ("buffer", "device", Forbidden),
        ("fine_svm", "device", Forbidden),
        ("coarse_svm", "all_svm_devices", Forbidden),
        ("", "device", Forbidden),
        ("", "all_svm_devices", Forbidden),
    ] {
        let text = one_device(memory, scope);
        assert_eq!(verdict("opencl-2.0", &text), expected, "{memory} {scope}");
        assert_eq!(verdict("opencl-3.0", &text), Forbidden, "{memory} {scope}");
    }
    // One location of each kind: neither condition holds for all operations.
    let mixed = one_device("fine_svm_atomics", "all_svm_devices").replacen(
        "fine_svm_atomics [y]",
        "coarse_svm [y]",
        1,
    );
    assert_eq!(verdict("opencl-2.0", &mixed), Allowed);
    assert_eq!(verdict("opencl-3.1", &mixed), Forbidden);
}

#[test]
fn the_example_of_42_stays_allowed_across_regions_on_any_memory() {
    for memory in ["", "buffer", "coarse_svm", "fine_svm_atomics"] {
        let text = format!(
            "OPENCL test\n{{ {memory} [x] = 0; local atomic_int y = 0; }}\n\
             P0@wg 0, dev 0 (global atomic_int* x, local atomic_int* y) {{ \
               int t = atomic_load_explicit(y, memory_order_acquire); \
               atomic_store_explicit(x, t, memory_order_release); }}\n\
             P1@wg 0, dev 0 (global atomic_int* x, local atomic_int* y) {{ \
               int t = atomic_load_explicit(x, memory_order_acquire); \
               atomic_store_explicit(y, t, memory_order_release); }}\n\
             exists (x=42 /\\ y=42)"
        );
        everywhere(&text, &Allowed);
        let one = text.replace("local atomic_int* y", "global atomic_int* y");
        let one = one.replace("local atomic_int y", "atomic_int y");
        everywhere(&one, &Forbidden);
    }
}

#[test]
fn commands_are_steps_of_an_explanation() {
    let text = two_kernels(
        "queue q;",
        "clEnqueueNDRangeKernel(q, A); clEnqueueNDRangeKernel(q, B);",
        (0, 0),
        "",
    );
    let program = read_litmus("test", &text).unwrap();
    let model = Model::named("opencl-3.0").unwrap();
    let outcome = &program.condition.predicate;
    let explanation = explain(&program, &model, outcome, &Limits::default()).unwrap();
    let Explanation::Forbidden(refusal) = explanation else {
        panic!("the second kernel sees the first");
    };
    let edges: Vec<&str> = refusal.failures[0]
        .cycle
        .iter()
        .map(|edge| edge.label.as_str())
        .collect();
    assert!(edges.contains(&"command"), "{edges:?}");
}
