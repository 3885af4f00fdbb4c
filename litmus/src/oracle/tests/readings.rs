//! What each reading of the text makes of a program, beside one that it leaves as it is.

use super::under;
use crate::cat::{Effect, Reading};
use crate::oracle::Model;
use crate::shipped;
use crate::syntax::read_litmus;
use std::collections::BTreeSet;

const MODELS: [&str; 4] = ["opencl-3.1", "opencl-3.0", "opencl-2.0", "opencl-scoped-sc"];

/// Whether a program's outcome is allowed: it is, or the program is undefined.
fn allows(model: &str, text: &str) -> bool {
    let judgement = under(model, text);
    judgement.racy || judgement.holds
}

/// Asserts that the model forbids the outcome without the reading and allows it with it, or the other way
/// round.
#[track_caller]
fn turns(reading: &str, text: &str) {
    let found = Reading::all().iter().find(|r| r.name == reading);
    let more = found.expect("a reading").effect == Effect::AllowsMore;
    for model in ["opencl-3.0", "opencl-3.1"] {
        assert_eq!(allows(model, text), !more, "{model}\n{text}");
        assert_eq!(
            allows(&format!("{model}+{reading}"), text),
            more,
            "{model}\n{text}"
        );
    }
}

/// Asserts that the reading is nothing to the program.
#[track_caller]
fn leaves(reading: &str, text: &str) {
    let read = under(&format!("opencl-3.1+{reading}"), text);
    let whole = under("opencl-3.1", text);
    assert_eq!(
        (read.states, read.flags),
        (whole.states, whole.flags),
        "{text}"
    );
}

/// Store buffering between two work-groups, of operations or around fences.
fn buffering(order: &str, between: &str) -> String {
    let thread = |t: u32, mine: &str, theirs: &str| {
        format!(
            "P{t}@wg {t}, dev 0 (global atomic_int* x, global atomic_int* y) {{ \
             atomic_store_explicit({mine}, 1, memory_order_{order}); {between} \
             int r0 = atomic_load_explicit({theirs}, memory_order_{order}); }}\n"
        )
    };
    let threads = thread(0, "x", "y") + &thread(1, "y", "x");
    format!("OPENCL test\n{{ [x]=0; [y]=0; }}\n{threads}exists (0:r0=0 /\\ 1:r0=0)")
}

fn fence(scope: &str) -> String {
    format!(
        "atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_seq_cst, memory_scope_{scope});"
    )
}

#[test]
fn narrow_seq_cst_fences_and_s_by_scope() {
    for reading in ["scoped-s", "narrow-fences"] {
        turns(reading, &buffering("relaxed", &fence("work_group")));
        leaves(reading, &buffering("relaxed", &fence("device")));
        leaves(reading, &buffering("seq_cst", ""));
    }
}

#[test]
fn seq_cst_operations_of_one_region() {
    // Message passing of local data through a seq_cst flag in global memory.
    let text = |flag: &str| {
        format!(
            "OPENCL test\n{{ [x]=0; [e]=0; }}\n\
             P0@wg 0, dev 0 (global atomic_int* x, local atomic_int* e) {{ \
             atomic_store_explicit(e, 1, memory_order_relaxed, memory_scope_work_group); \
             atomic_store_explicit(x, 1, memory_order_{flag}, memory_scope_work_group); }}\n\
             P1@wg 0, dev 0 (global atomic_int* x, local atomic_int* e) {{ \
             int r0 = atomic_load_explicit(x, memory_order_seq_cst, memory_scope_work_group); \
             int r1 = atomic_load_explicit(e, memory_order_relaxed, memory_scope_work_group); }}\n\
             exists (1:r0=1 /\\ 1:r1=0)"
        )
    };
    turns("one-region", &text("seq_cst"));
    leaves("one-region", &text("release"));
}

/// Message passing between two kernels that nothing orders, or a kernel and the host.
fn passing(memory: (&str, &str), between: (&str, &str), host: &str) -> String {
    format!(
        "OPENCL test\n{{ queue q = out_of_order; {} [x]=0; {} [d]=0; }}\n\
         P0@kernel A, wg 0, dev 0 (global atomic_int* x, global int* d) {{ *d = 1; {} }}\n\
         P1@{host} (global atomic_int* x, global int* d) {{ {} \
         int r1 = 7; if (r0 == 1) {{ r1 = *d; }} }}\n\
         P2@host () {{ clEnqueueNDRangeKernel(q, A); {} }}\n\
         exists (1:r0=1 /\\ 1:r1=0)",
        memory.0,
        memory.1,
        between.0,
        between.1,
        if host == "host" {
            ""
        } else {
            "clEnqueueNDRangeKernel(q, B);"
        },
    )
}

#[test]
fn fences_between_kernels() {
    let fences = (
        "atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_release, memory_scope_device); \
         atomic_store_explicit(x, 1, memory_order_relaxed, memory_scope_device);",
        "int r0 = atomic_load_explicit(x, memory_order_relaxed, memory_scope_device); \
         atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acquire, memory_scope_device);",
    );
    let svm = ("coarse_svm", "coarse_svm");
    turns(
        "fences-on-no-memory",
        &passing(svm, fences, "kernel B, wg 0, dev 0"),
    );
    let operations = (
        "atomic_store_explicit(x, 1, memory_order_release, memory_scope_device);",
        "int r0 = atomic_load_explicit(x, memory_order_acquire, memory_scope_device);",
    );
    leaves(
        "fences-on-no-memory",
        &passing(svm, operations, "kernel B, wg 0, dev 0"),
    );
}

#[test]
fn data_in_other_memory_than_its_flag() {
    let flag = (
        "atomic_store_explicit(x, 1, memory_order_release, memory_scope_all_svm_devices);",
        "int r0 = atomic_load_explicit(x, memory_order_acquire, memory_scope_all_svm_devices);",
    );
    turns(
        "flags-carry-all",
        &passing(("fine_svm_atomics", "fine_svm"), flag, "host"),
    );
    leaves(
        "flags-carry-all",
        &passing(("fine_svm_atomics", "fine_svm_atomics"), flag, "host"),
    );
}

#[test]
fn reads_before_a_barrier_that_see_writes_after_it() {
    let text = |group: &str, flag: &str| {
        format!(
            "OPENCL test\n{{ [x]=0; }}\n\
             P0@wg 0, dev 0 (global atomic_int* x) {{ \
             int r0 = atomic_load_explicit(x, memory_order_relaxed); {group}_barrier(CLK_{flag}_MEM_FENCE); }}\n\
             P1@wg 0, dev 0 (global atomic_int* x) {{ \
             {group}_barrier(CLK_{flag}_MEM_FENCE); atomic_store_explicit(x, 1, memory_order_relaxed); }}\n\
             exists (0:r0=1)"
        )
    };
    turns("barrier-completes", &text("work_group", "LOCAL"));
    leaves("barrier-completes", &text("work_group", "GLOBAL"));
    // The sentence is about work-group functions.
    let sub = text("sub_group", "LOCAL").replace("@wg", "@sg 0, wg");
    leaves("barrier-completes", &sub);
}

#[test]
fn kernels_on_different_bytes_of_one_object() {
    let text = |queue: &str| {
        format!(
            "OPENCL test\n{{ queue q = {queue}; buffer int x[2] = {{0, 0}}; }}\n\
             P0@kernel A, wg 0, dev 0 (global int* x) {{ x[0] = 1; }}\n\
             P1@kernel B, wg 0, dev 0 (global int* x) {{ int r0 = x[1]; }}\n\
             P2@host () {{ clEnqueueNDRangeKernel(q, A); clEnqueueNDRangeKernel(q, B); }}\n\
             exists (not 1:r0=0)"
        )
    };
    turns("by-bytes", &text("out_of_order"));
    leaves("by-bytes", &text("in_order"));
}

#[test]
fn every_reading_of_the_table_is_one_of_a_model_and_the_other_way_round() {
    let named: BTreeSet<&str> = Reading::all().iter().map(|r| r.name.as_str()).collect();
    assert_eq!(named.len(), 7);
    let mut taken = BTreeSet::new();
    for model in MODELS {
        let model = Model::named(model).unwrap();
        taken.extend(model.options.iter().map(|o| o.to_string()));
        assert_eq!(model.readings().count(), model.options.len());
    }
    assert_eq!(taken, named.iter().map(|n| (*n).to_owned()).collect());
    assert_eq!(Model::named("sc").unwrap().readings().count(), 0);
}

#[test]
fn a_model_is_named_with_its_readings() {
    let model = Model::named("opencl-3.0+scoped-s+by-bytes").unwrap();
    assert_eq!(&*model.name, "opencl-3.0+scoped-s+by-bytes");
    let plain = Model::named("opencl-3.0").unwrap();
    assert_eq!(
        plain.with_every(Effect::ForbidsMore),
        "opencl-3.0+flags-carry-all+barrier-completes+by-bytes"
    );
    assert_eq!(
        Model::named("sc").unwrap().with_every(Effect::AllowsMore),
        "sc"
    );
    for (name, words) in [
        ("opencl-3.0+scoped", "has no reading named `scoped`"),
        ("sc+scoped-s", "reads the text in one way only"),
    ] {
        let error = format!("{:?}", Model::named(name).unwrap_err());
        assert!(error.contains(words), "{error}");
    }
}

/// What the effects promise, of the shipped tests: the strictest and the weakest model bound every reading.
#[test]
fn readings_do_to_every_shipped_test_what_they_say() {
    for name in ["opencl-3.0", "opencl-3.1"] {
        let model = Model::named(name).unwrap();
        for (file, text) in shipped() {
            let Ok(program) = read_litmus(file, text) else {
                continue;
            };
            let limits = crate::oracle::Limits::default();
            let judged = |model: &str| {
                crate::oracle::judge(&program, &Model::named(model).unwrap(), &limits).unwrap()
            };
            let whole = judged(name);
            for reading in model.readings() {
                let read = judged(&format!("{name}+{}", reading.name));
                let (less, more) = match reading.effect {
                    Effect::AllowsMore => (&whole, &read),
                    Effect::ForbidsMore => (&read, &whole),
                };
                assert!(
                    more.racy || (!less.racy && less.states.is_subset(&more.states)),
                    "{file} {name}+{}",
                    reading.name
                );
            }
        }
    }
}
