//! Programs as kernels: the text, what it asks of a device, and how instances are read back.

use classay_litmus::kernel::{
    AtomicsDialect, End, Inexpressible, Layout, Needs, Shape, TestKernel,
};
use classay_litmus::program::{Memory, Program};
use classay_litmus::syntax::read_litmus;
use classay_vocabulary::Need;

fn program(text: &str) -> Program {
    read_litmus("test.litmus", text).unwrap_or_else(|e| panic!("{e:?}"))
}

fn needs(text: &str) -> Needs {
    let program = program(text);
    let shape = Shape::of(&program).unwrap();
    Needs::of(&program, &shape).unwrap()
}

fn refusal(text: &str) -> String {
    let program = program(text);
    let result: Result<(), Inexpressible> =
        Shape::of(&program).and_then(|shape| Needs::of(&program, &shape).map(drop));
    result.unwrap_err().to_string()
}

const MP: &str = "OPENCL MP
{ [x]=0; [y]=0; }
P0@wg 0, dev 0 (global int* x, global atomic_int* y) {
  *x = 1;
  atomic_store_explicit(y, 1, memory_order_release, memory_scope_device);
}
P1@wg 1, dev 0 (global int* x, global atomic_int* y) {
  int r0 = atomic_load_explicit(y, memory_order_acquire, memory_scope_device);
  if (r0 == 1) {
    int r1 = *x;
  }
}
exists (1:r0=1 /\\ 1:r1=0)
";

const BARRIER: &str = "OPENCL barrier
{ [x]=0; }
P0@wg 0, dev 0 (local int* x) {
  *x = 1;
  barrier(CLK_LOCAL_MEM_FENCE);
}
P1@wg 0, dev 0 (local int* x) {
  barrier(CLK_LOCAL_MEM_FENCE);
  int r0 = *x;
}
forall (1:r0=1 /\\ x=1)
";

#[test]
fn the_text_of_message_passing() {
    let test = TestKernel::write(&program(MP), AtomicsDialect::C11).unwrap();
    insta::assert_snapshot!("message_passing", test.source);
}

#[test]
fn the_text_of_a_barrier_over_local_memory() {
    let test = TestKernel::write(&program(BARRIER), AtomicsDialect::V1).unwrap();
    insta::assert_snapshot!("barrier_local", test.source);
}

#[test]
fn every_shipped_test_is_written_or_refused_with_a_reason() {
    for (name, text) in classay_litmus::shipped() {
        let program = program(text);
        for dialect in [AtomicsDialect::C11, AtomicsDialect::V1] {
            let written = TestKernel::write(&program, dialect).map(drop);
            if !program.commands.is_empty() {
                assert_eq!(written, Err(Inexpressible::Commands), "{name}");
                continue;
            }
            if program
                .locations
                .iter()
                .any(|l| l.memory == Memory::FineSvm)
            {
                assert!(
                    matches!(written, Err(Inexpressible::Memory { .. })),
                    "{name}"
                );
                continue;
            }
            let test =
                TestKernel::write(&program, dialect).unwrap_or_else(|why| panic!("{name}: {why}"));
            // Balanced text; one kernel a device and one that collects.
            let count = |c| test.source.matches(c).count();
            assert_eq!(count('{'), count('}'), "{name}");
            assert_eq!(count('('), count(')'), "{name}");
            let kernels = test.source.matches("__kernel void").count();
            assert_eq!(kernels, test.shape.devices.len() + 1, "{name}");
        }
    }
}

#[test]
fn what_a_test_needs_is_named() {
    let all: Vec<Need> = needs(MP).all.into_iter().collect();
    assert_eq!(
        all,
        [Need::C11Atomics, Need::OrderAcqRel, Need::ScopeDevice]
    );
    let relaxed = MP
        .replace("release", "relaxed")
        .replace("acquire", "relaxed");
    assert!(needs(&relaxed).fits_v1);
    assert!(!needs(MP).fits_v1);
    // The short forms are seq_cst at device scope.
    let short = needs(
        "OPENCL s\n{ [x]=0; } P0@wg 0, dev 0 (global atomic_int* x) { atomic_store(x, 1); } exists (x=1)",
    );
    assert_eq!(
        short.all.into_iter().collect::<Vec<_>>(),
        [Need::C11Atomics, Need::OrderSeqCst, Need::ScopeDevice]
    );
    let host = MP.replace("P1@wg 1, dev 0", "P1@host");
    assert!(needs(&host).all.contains(&Need::SvmAtomics));
    let devices = MP.replace("P1@wg 1, dev 0", "P1@wg 0, dev 1");
    assert!(needs(&devices).all.contains(&Need::Devices(2)));
    let all_devices = MP.replace("memory_scope_device", "memory_scope_all_svm_devices");
    assert!(needs(&all_devices).all.contains(&Need::ScopeAllDevices));
    let wide = MP.replace("atomic_int", "atomic_long");
    assert!(needs(&wide).all.contains(&Need::Int64Atomics));
}

#[test]
fn what_opencl_cannot_express_is_refused_in_a_sentence() {
    let apart = BARRIER.replace("P1@wg 0", "P1@wg 1");
    insta::assert_snapshot!(refusal(&apart), @"local location `x` is used by more than one work-group; local memory belongs to one");
    let uneven = BARRIER.replacen("  barrier(CLK_LOCAL_MEM_FENCE);\n", "", 1);
    insta::assert_snapshot!(refusal(&uneven), @"work-group 0 of device 0: P0 waits at 0 barriers, P1 at 1");
    let flags = BARRIER.replacen("CLK_LOCAL", "CLK_GLOBAL", 1);
    insta::assert_snapshot!(refusal(&flags), @"work-group 0 of device 0: barrier 0 differs in kind, flags or scope between P0 and P1");
    let nested = BARRIER.replacen(
        "  barrier(CLK_LOCAL_MEM_FENCE);",
        "  if (1) { barrier(CLK_LOCAL_MEM_FENCE); }",
        1,
    );
    insta::assert_snapshot!(refusal(&nested), @"P0: a barrier inside a branch or loop, or that a return may skip, cannot be matched with the other work-items");
    let order = MP.replace(
        "atomic_store_explicit(y, 1, memory_order_release, memory_scope_device)",
        "int e = 0; atomic_compare_exchange_strong_explicit(y, &e, 1, memory_order_acq_rel, memory_order_release)",
    );
    insta::assert_snapshot!(refusal(&order), @"P0: the failure case of a compare-exchange does not take memory_order_release");
}

#[test]
fn a_tuple_reads_as_the_state_it_records() {
    let program = program(
        "OPENCL t
{ [x]=0; [y]=0; }
P0@wg 0, dev 0 (global atomic_long* x, global uchar* y) {
  long r0 = atomic_load(x);
  *y = 200;
}
exists (0:r0=-1 /\\ x=4294967296 /\\ y=200)
",
    );
    let layout = Layout::of(&program);
    // Two words each for r0 and x, one for y.
    assert_eq!(layout.tuple_words, 5);
    let end = layout.decode(&program, &[u32::MAX, u32::MAX, 0, 1, 200]);
    let End::State { values, is_target } = end else {
        panic!("{end:?}")
    };
    assert_eq!(values, [-1, 1 << 32, 200]);
    assert!(is_target);
    let unwritten = layout.decode(&program, &[layout.unwritten, layout.unwritten, 0, 1, 200]);
    assert_eq!(unwritten, End::Unwritten);
}

#[test]
fn a_loop_at_its_bound_says_nothing() {
    let program = program(
        "OPENCL spin
{ [x]=0; }
P0@wg 0, dev 0 (global atomic_int* x) { while (atomic_load(x) == 0) { } int r0 = 1; }
P1@wg 1, dev 0 (global atomic_int* x) { atomic_store(x, 1); }
forall (0:r0=1)
",
    );
    let layout = Layout::of(&program);
    assert_eq!(layout.tuple_words, 2);
    assert_eq!(layout.decode(&program, &[1, 1]), End::Unfinished);
    assert!(matches!(
        layout.decode(&program, &[1, 0]),
        End::State {
            is_target: true,
            ..
        }
    ));
}

#[test]
fn a_filter_leaves_states_out_of_the_condition() {
    let text = "OPENCL f
{ [x]=0; }
P0@wg 0, dev 0 (global atomic_int* x) { int r0 = atomic_load(x); }
P1@wg 1, dev 0 (global atomic_int* x) { atomic_store(x, 1); }
filter (x=1)
exists (0:r0=0)
";
    let exists = program(text);
    let forall = program(&text.replace("exists", "forall"));
    let target = |p: &Program, r0: u32, x: u32| {
        matches!(
            Layout::of(p).decode(p, &[r0, x]),
            End::State {
                is_target: true,
                ..
            }
        )
    };
    assert!(target(&exists, 0, 1) && !target(&exists, 0, 0));
    // A state that the filter leaves out contradicts no `forall`.
    assert!(target(&forall, 1, 0) && !target(&forall, 1, 1));
}

#[test]
fn accesses_of_one_expression_keep_their_order() {
    let text = "OPENCL order
{ [x]=0; [y]=0; }
P0@wg 0, dev 0 (global atomic_int* x, global int* y) {
  int r0 = (atomic_load_explicit(x, memory_order_acquire) == 1 && *y == 2) ? *y + 1 : 7;
}
exists (0:r0=7)
";
    let test = TestKernel::write(&program(text), AtomicsDialect::C11).unwrap();
    let from = test.source.find("{ // P0").unwrap();
    let to = test.source[from..].find("result[").unwrap();
    insta::assert_snapshot!("ordered_accesses", &test.source[from..from + to]);
}

#[test]
fn kinds_of_memory_are_served_or_refused_by_name() {
    let of = |memory: &str, place: &str| {
        format!(
            "OPENCL t\n{{ {memory} [x] = 0; }}\nP0@{place} (global atomic_int* x) {{ \
             atomic_store(x, 1); }}\nP1@wg 0, dev 0 (global atomic_int* x) {{ \
             int r0 = atomic_load(x); }}\nexists (1:r0=1)\n"
        )
    };
    for (memory, place, served) in [
        ("buffer", "wg 1, dev 0", true),
        ("coarse_svm", "wg 1, dev 0", false),
        ("fine_svm_atomics", "wg 1, dev 0", false),
        ("fine_svm_atomics", "host", true),
        ("fine_svm_atomics", "wg 0, dev 1", true),
        ("buffer", "host", false),
        ("system_svm", "host", false),
    ] {
        let text = of(memory, place);
        if served {
            needs(&text);
        } else {
            let why = refusal(&text);
            assert!(
                why.starts_with(&format!("location `x` is in {memory}; ")),
                "{why}"
            );
        }
    }
}
