//! What is no shader, and what nobody needed yet.

use super::{first_error, least, most, write};

/// The first error of a kernel's body, with declarations before the kernel.
fn refusal(before: &str, body: &str) -> String {
    let text = format!(
        "{before}\nkernel void k(global uint *a, global uint *b, local uint *l) {{ {body} }}"
    );
    match write(&text, "CL3.0", &most()) {
        Ok(_) => panic!("this is written:\n{text}"),
        Err(log) => first_error(&log).to_owned(),
    }
}

#[test]
fn by_name() {
    let cases = [
        (
            "",
            "global uint *p = a; if (*a) p = b; *p = 1;",
            "a pointer that may point into one of several objects",
        ),
        (
            "",
            "*(*a ? a : b) = 1;",
            "a pointer that may point into one of several objects",
        ),
        (
            "",
            "global uint *p; *p = 1;",
            "a pointer that is read before it is assigned",
        ),
        ("", "a[0] = a < b;", "two pointers into different objects"),
        ("", "a[0] = a == 0;", "a null pointer"),
        ("", "if (a) a[0] = 1;", "a pointer as a truth"),
        (
            "",
            "a[0] = (uint)(ulong)a;",
            "a pointer as a number, or a number as a pointer",
        ),
        ("", "global uint *t[2]; t[0] = a;", "a pointer in memory"),
        (
            "",
            "*(global uchar *)a = 1;",
            "`uchar` (integers of 8 or 16 bits)",
        ),
        (
            "",
            "char c = (char)a[0]; a[0] = c;",
            "`char` (integers of 8 or 16 bits)",
        ),
        (
            "",
            "a[0] = (uint)(1.5f * a[1]);",
            "`float` (floating-point numbers)",
        ),
        ("", "uchar t[3]; a[0] = t[0];", "memory in single bytes"),
        ("", "switch (a[0]) { case 1: a[1] = 1; }", "`switch`"),
        ("", "again: a[0] = 1; if (a[1]) goto again;", "a label"),
        (
            "struct S { int x; };",
            "struct S s; s.x = 1; a[0] = s.x;",
            "a struct",
        ),
        (
            "constant uint c[2] = {1, 2};",
            "a[0] = c[a[1]];",
            "a variable of the program's scope",
        ),
        ("", "a[0] = popcount(a[1]);", "the function `popcount`"),
        ("", "a[0] = mul_hi(a[1], a[2]);", "the function `umul_hi`"),
        (
            "",
            "a[0] = (uint)get_global_id(a[1]);",
            "a dimension that is not a constant",
        ),
        ("", "a[0] = get_work_dim();", "the function `get_work_dim`"),
        ("", "printf(\"%u\", a[0]);", "the function `printf`"),
        (
            "",
            "atomic_store((volatile global atomic_uint *)a, 1);",
            "`memory_order_seq_cst` (the Vulkan memory model has no such order)",
        ),
        (
            "",
            "atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_seq_cst, memory_scope_device);",
            "`memory_order_seq_cst` (the Vulkan memory model has no such order)",
        ),
        (
            "",
            "atomic_store_explicit((volatile global atomic_uint *)a, 1, memory_order_relaxed, memory_scope_all_svm_devices);",
            "`memory_scope_all_svm_devices` (there is no shared virtual memory)",
        ),
        (
            "",
            "atom_inc((volatile local ulong *)l);",
            "an atomic operation on 64 bits of local memory",
        ),
        (
            "",
            "atomic_int x; atomic_init(&x, 1); a[0] = (uint)atomic_load_explicit(&x, memory_order_relaxed, memory_scope_device);",
            "an atomic operation on private memory",
        ),
    ];
    for (before, body, what) in cases {
        let expected = format!("{what} is not supported in Vulkan shaders");
        assert_eq!(refusal(before, body), expected, "{body}");
    }
}

#[test]
fn on_devices_that_lack_it() {
    let text = "kernel void k(global ulong *a) { atom_inc((volatile global ulong *)a); }";
    let log = write(text, "CL3.0", &least()).unwrap_err();
    assert!(
        log.contains("an atomic operation on 64 bits (of this device)"),
        "{log}"
    );
    assert!(write(text, "CL3.0", &most()).is_ok());
}

#[test]
fn arguments_that_no_kernel_takes() {
    for (parameter, what) in [
        ("uint4 v", "a vector as an argument of a kernel"),
        ("float f", "`float` (floating-point numbers)"),
        ("uchar c", "`uchar` (integers of 8 or 16 bits)"),
    ] {
        let text = format!("kernel void k({parameter}) {{}}");
        let log = write(&text, "CL3.0", &most()).unwrap_err();
        let expected = format!("{what} is not supported in Vulkan shaders");
        assert_eq!(first_error(&log), expected, "{parameter}");
    }
}

/// Functions that each call the one before twice.
fn doubling(first: &str, call: &str, levels: usize) -> String {
    let mut text = format!("uint f0(uint x); uint f0(uint x) {{ {first} }}\n");
    for n in 1..=levels {
        let before = n - 1;
        let body = call.replace('F', &format!("f{before}"));
        text += &format!("uint f{n}(uint x); uint f{n}(uint x) {{ {body} }}\n");
    }
    text + &format!("kernel void k(global uint *a) {{ *a = f{levels}(*a); }}\n")
}

#[test]
fn programs_that_grow_without_bound() {
    for (first, call) in [
        ("return x + 1;", "return F(F(x));"),
        ("return 1;", "F(x); return F(x);"),
    ] {
        let log = write(&doubling(first, call, 30), "CL3.0", &least()).unwrap_err();
        let expected = "a program so large is not supported in Vulkan shaders";
        assert_eq!(first_error(&log), expected);
    }
    let log = write(
        &doubling("return x;", "return F(x);", 40),
        "CL3.0",
        &least(),
    )
    .unwrap_err();
    let expected = "so deep a nesting of calls is not supported in Vulkan shaders";
    assert_eq!(first_error(&log), expected);
    let large = "kernel void k(global uint *a) { uint t[10000000] = {1}; *a = t[*a]; }";
    let log = write(large, "CL3.0", &least()).unwrap_err();
    assert_eq!(
        first_error(&log),
        "a program so large is not supported in Vulkan shaders"
    );
}

#[test]
fn deep_nesting_fits_the_stack() {
    let nested = |inner: &str| format!("{}{inner}{}", "(x + ~".repeat(60), ")".repeat(60));
    let text = doubling("return x;", &format!("return {};", nested("F(x)")), 30);
    let written = write(&text, "CL3.0", &least());
    assert!(written.is_ok(), "{written:?}");
}
