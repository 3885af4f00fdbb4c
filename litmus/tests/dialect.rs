//! The corners of the dialect: forms that files in the wild use, and what they mean.

use classay_litmus::program::{
    Atomic, Atomicity, Expr, Instr, MemScope, Placement, Region, WorkItem,
};
use classay_litmus::program::{Program, ScalarType};
use classay_litmus::syntax::{read_bytes, read_litmus, read_yaml, write_litmus};

fn read(text: &str) -> Program {
    match read_litmus("t.litmus", text) {
        Ok(program) => program,
        Err(error) => panic!("{:?}", miette::Report::new(error)),
    }
}

/// One thread with this body, as the writer shows it.
fn body(text: &str) -> String {
    let program = read(&format!(
        "OPENCL t\n{{ int y[3]; }}\n\
         P0@wg 0, dev 0 (global atomic_int* x, global int* y, global atomic_flag* f, \
         volatile local uint* v, global uchar* c) {{\n{text}\n}}\nexists (x=1)"
    ));
    let written = write_litmus(&program);
    let start = written.find(") {\n").expect("a thread") + 4;
    let end = written.find("\n}\n\nexists").expect("its end");
    let lines: Vec<&str> = written[start..end].lines().map(str::trim).collect();
    lines.join(" ")
}

#[test]
fn every_form_of_atomic_function() {
    let same = [
        "atomic_store(x, 1);",
        "atomic_store_explicit(x, 1, memory_order_release);",
        "atomic_store_explicit(x, 1, memory_order_release, memory_scope_sub_group);",
        "int r = atomic_load(x);",
        "int r = atomic_load_explicit(&y[2], memory_order_acquire, memory_scope_all_svm_devices);",
        "int r = atomic_exchange(x, 2);",
        "int r = atomic_fetch_min_explicit(x, 2, memory_order_acq_rel);",
        "int r = atomic_compare_exchange_weak(x, y, 2);",
        "bool r = atomic_flag_test_and_set(f);",
        "bool r = atomic_flag_test_and_set_explicit(f, memory_order_acquire, memory_scope_device);",
        "atomic_flag_clear_explicit(f, memory_order_release);",
        "atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE, \
         memory_order_seq_cst, memory_scope_device);",
        "B1: barrier(CLK_LOCAL_MEM_FENCE);",
        "barrier(0);",
        "work_group_barrier(CLK_GLOBAL_MEM_FENCE, memory_scope_device);",
        "sub_group_barrier(CLK_GLOBAL_MEM_FENCE, memory_scope_sub_group);",
        "*v = *v + 1;",
        "return;",
    ];
    for text in same {
        assert_eq!(body(text), text);
    }
}

#[test]
fn other_spellings_of_the_same() {
    let pairs = [
        ("atomic_init(x, 1);", "*x = 1;"),
        (
            "atomic_add(x, 2);",
            "atomic_fetch_add_explicit(x, 2, memory_order_relaxed, memory_scope_device);",
        ),
        (
            "int r = atom_dec(x);",
            "int r = atomic_fetch_sub_explicit(x, 1, memory_order_relaxed, memory_scope_device);",
        ),
        (
            "mem_fence(CLK_LOCAL_MEM_FENCE);",
            "mem_fence(CLK_LOCAL_MEM_FENCE);",
        ),
        (
            "read_mem_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);",
            "read_mem_fence(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE);",
        ),
        (
            "atomic_thread_fence(memory_order_release);",
            "atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE, memory_order_release, memory_scope_device);",
        ),
        (
            "atomic_store_explicit(x, 1, memory_order_relaxed, memory_scope_all_devices);",
            "atomic_store_explicit(x, 1, memory_order_relaxed, memory_scope_all_svm_devices);",
        ),
        (
            "int r = atomic_compare_exchange_strong_explicit(x, y, 1, memory_order_acq_rel);",
            "int r = atomic_compare_exchange_strong_explicit(x, y, 1, memory_order_acq_rel, memory_order_acquire);",
        ),
        (
            "int r = atomic_compare_exchange_strong_explicit(x, y, 1, memory_order_release, memory_scope_device);",
            "int r = atomic_compare_exchange_strong_explicit(x, y, 1, memory_order_release, memory_order_relaxed, memory_scope_device);",
        ),
        (
            "int r = 1; r += 2; r++; --r; r <<= 1;",
            "int r = 1; r = r + 2; r = r + 1; r = r - 1; r = r << 1;",
        ),
        (
            "*y += 1; y[1]++; *(y + 2) = 3;",
            "*y = *y + 1; y[1] = y[1] + 1; y[2] = 3;",
        ),
        ("int a, b = 2; a = b;", "int a; int b = 2; a = b;"),
        ("int r = (*y == 1) && (*x);", "int r = *y == 1 && *x;"),
        (
            "int r = ((1 + 2)) * (3 - (4 - 5));",
            "int r = (1 + 2) * (3 - (4 - 5));",
        ),
        ("int r = (uchar)*y;", "int r = *y & 255;"),
        ("(void)atomic_load(x);", "atomic_load(x);"),
        ("atomic_store(&x[0], 0x10);", "atomic_store(&x[0], 16);"),
        ("r9 = *y;", "int r9 = *y;"),
        ("{ int r = 1; } { int r = 2; }", "int r = 1; r = 2;"),
        ("if (*y) ; else { *y = 1; }", "if (*y) { } else { *y = 1; }"),
    ];
    for (text, expected) in pairs {
        assert_eq!(body(text), expected, "{text}");
    }
}

#[test]
fn loops_become_while() {
    let pairs = [
        (
            "for (int i = 0; i < 3; i++) *y = i;",
            "int i = 0; while (i < 3) { *y = i; i = i + 1; }",
        ),
        (
            "do { *y = 1; } while (*x);",
            "int first0 = 1; while (first0 || *x) { first0 = 0; *y = 1; }",
        ),
        (
            "while (1) { if (*y) break; *x = 1; }",
            "int going0; int running0; going0 = 1; while (going0 && 1) { running0 = 1; \
             if (*y) { going0 = 0; running0 = 0; } if (running0) { *x = 1; } }",
        ),
        (
            "for (int i = 0; i < 2; i++) { if (*y) continue; *x = 1; }",
            "int i; int running0; i = 0; while (i < 2) { running0 = 1; if (*y) { running0 = 0; } \
             if (running0) { *x = 1; } i = i + 1; }",
        ),
        (
            "while (atomic_cmpxchg(x, 0, 1)) ;",
            "int compared0 = 0; while (atomic_compare_exchange_strong_explicit(x, &compared0, 1, \
             memory_order_relaxed, memory_order_relaxed, memory_scope_device) ? compared0 : \
             compared0) { compared0 = 0; }",
        ),
    ];
    for (text, expected) in pairs {
        assert_eq!(body(text), expected, "{text}");
    }
}

#[test]
fn comments_and_stars() {
    let expected = "if (*y == 1) { *y = 2; }";
    for text in [
        "if (*y == 1) { *y = 2; } (* a (* nested *) comment *)",
        "if (*y == 1) /* one */ { *y = 2; // two\n }",
        "(* (*y)++; *) if ((*y) == 1) { (*y) = 2; }",
    ] {
        assert_eq!(body(text), expected, "{text}");
    }
}

#[test]
fn the_frame() {
    let program = read(
        "\u{feff}(* before *)\r\nOPENCL  MP with words \r\n\"a description\"\r\nCycle=Rfe PodRR\r\n\
         { int x = -1; [y] = 0xff, atomic_long z[] = {1, 2,}; P1:r5 = 3; long 0:a = -4 ;; }\r\n\
         __kernel void P0 (__global uchar* y, int a) { int r0 = a; }\r\n\
         P1@dev 1, sg 2, wg 0 (int* x) { int s = r5; };\r\n\
         P2@host (volatile __local atomic_uint* const restrict w) { }\r\n\
         locations [x; 0:r0;]\r\n filter not 1:s <> 3\r\n\
         not exists(P0:r0=-4 /\\ [x]=1 \\/ z[1]==2 && *x >= 0:a)",
    );
    assert_eq!(program.name, "MP with words");
    let names: Vec<&str> = program.locations.iter().map(|l| l.name.as_str()).collect();
    assert_eq!(names, ["x", "y", "z", "w"]);
    let [x, y, z, w] = &program.locations[..] else {
        panic!("four locations");
    };
    assert_eq!(
        (x.ty, x.generic, &x.init[..]),
        (ScalarType::Int, true, &[-1][..])
    );
    assert_eq!(
        (y.ty, y.region, &y.init[..]),
        (ScalarType::UChar, Region::Global, &[255][..])
    );
    assert_eq!(
        (z.ty, z.array, z.atomic, &z.init[..]),
        (ScalarType::Long, true, true, &[1, 2][..])
    );
    assert_eq!(
        (w.ty, w.region, w.atomic),
        (ScalarType::UInt, Region::Local, true)
    );
    let places: Vec<Placement> = program.threads.iter().map(|t| t.placement).collect();
    let device = |device, work_group, sub_group| {
        Placement::Device(WorkItem {
            device,
            queue_family: 0,
            work_group,
            sub_group,
        })
    };
    // P1 states work-group 0, so P0, which states none, gets the next one
    assert_eq!(
        places,
        [device(0, 1, None), device(1, 0, Some(2)), Placement::Host]
    );
    assert_eq!(program.threads[0].registers[0].init, -4);
    assert_eq!(program.threads[1].registers[1].init, 3);
    assert!(program.filter.is_some());
}

#[test]
fn a_location_in_place_of_a_register() {
    let program = read("OPENCL t\n{[x]=7;}\nP0 (global int* x) { }\nexists (0:x=7 /\\ x=7)");
    assert_eq!(program.observables().len(), 1);
    let program = read("OPENCL t\n{}\nP0 (global int* x) { int x = *x; }\nexists (0:x=7 /\\ x=7)");
    assert_eq!(program.observables().len(), 2);
}

#[test]
fn values_take_their_type() {
    let program = read(
        "OPENCL t\n{ [c] = 300; [u] = -1; 0:r0 = 0xffffffff; }\n\
         P0 (global uchar* c, global uint* u) { int r0; }\n\
         exists (0:r0=-1 /\\ u=0xffffffff /\\ c=44)",
    );
    let holds = program
        .condition
        .predicate
        .eval(&|observable| match observable {
            classay_litmus::program::Observable::Register(_, _) => {
                program.threads[0].registers[0].init
            }
            classay_litmus::program::Observable::Memory(l, _) => {
                program.locations[l.index()].init[0]
            }
        });
    assert!(holds);
}

#[test]
fn the_short_form_is_marked() {
    let program =
        read("OPENCL t\n{}\nP0 (global atomic_int* x) { atomic_store(x, 1); }\nexists (x=1)");
    let Instr::Store { access, value } = &program.threads[0].body[0] else {
        panic!("a store");
    };
    assert_eq!(*value, Expr::Const(1));
    assert_eq!(access.atomicity, Atomicity::Atomic(Atomic::SHORT));
    assert!(MemScope::WorkGroup < MemScope::Device);
}

#[test]
fn yaml_is_recognised_whichever_key_comes_first() {
    let parts = [
        "kind: litmus\n",
        "litmus: t\n",
        "locations: [{name: x}]\n",
        "queues: [{name: q}]\n",
        "threads: [{host: true, body: [{finish: q}]}]\n",
        "filter: x=0\n",
        "exists: x=0\n",
    ];
    for first in 0..parts.len() {
        let mut parts = parts;
        parts.swap(0, first);
        let text = parts.concat();
        let read = read_bytes("no-extension", text.as_bytes());
        assert_eq!(
            read.map(|program| program.name).ok(),
            Some("t".into()),
            "{text}"
        );
    }
}

#[test]
fn the_readme_shows_yaml_that_reads() {
    let readme = include_str!("../README.md");
    let start = readme.find("```yaml\n").expect("a block of YAML") + 8;
    let end = start + readme[start..].find("```").expect("its end");
    let program = match read_yaml("README.md", &readme[start..end]) {
        Ok(program) => program,
        Err(error) => panic!("{:?}", miette::Report::new(error)),
    };
    assert_eq!(program.name, "MP");
    let by_content = read_bytes("no-extension", &readme.as_bytes()[start..end]);
    assert_eq!(by_content.expect("YAML is recognised"), program);
}
