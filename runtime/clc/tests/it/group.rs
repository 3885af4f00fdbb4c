//! Copies by a work-group, generic pointers, `printf`.

use crate::support::{Given, build_with, fails, launch, launch_printing};

fn words(values: impl IntoIterator<Item = i32>) -> Vec<u8> {
    values.into_iter().flat_map(i32::to_ne_bytes).collect()
}

/// Element `e` of `in` goes to local memory, work-item 0 moves every element one on, and another
/// copy takes them out again; all sizes against all groups.
#[test]
fn contiguous_copies_arrive() {
    let source = |ty: &str| {
        format!(
            "kernel void k(global {ty} *out, global const {ty} *in, local {ty} *l, uint n) {{
                event_t e = async_work_group_copy(l, in, n, 0);
                wait_group_events(1, &e);
                if (get_local_id(0) == 0) {{
                    {ty} last = l[n - 1];
                    for (uint i = n - 1; i > 0; i--) l[i] = l[i - 1];
                    l[0] = last;
                }}
                barrier(CLK_LOCAL_MEM_FENCE);
                e = async_work_group_copy(out, l, n, (event_t)0);
                wait_group_events(1, &e);
            }}"
        )
    };
    for (ty, size) in [
        ("uchar", 1),
        ("int", 4),
        ("short3", 8),
        ("float4", 16),
        ("double16", 128),
    ] {
        for (n, group) in [(1, 1), (1, 7), (5, 1), (5, 4), (8, 4), (13, 16), (64, 5)] {
            let bytes: Vec<u8> = (0..n * size).map(|i| (i * 7 % 251) as u8).collect();
            let (mut out, mut input) = (vec![0; n * size], bytes.clone());
            let given = vec![
                Given::Buffer(&mut out),
                Given::Buffer(&mut input),
                Given::Local((n * size) as u64),
                Given::Value((n as u32).to_ne_bytes().to_vec()),
            ];
            let compiled = build_with("-cl-std=CL1.2", &source(ty)).unwrap();
            launch(compiled, "k", given, group, group);
            let mut wanted = bytes;
            wanted.rotate_right(size);
            // The fourth element of a vector of three is nobody's.
            if ty != "short3" {
                assert_eq!(out, wanted, "{n} of {ty} by {group}");
            } else {
                for (a, b) in out.chunks(8).zip(wanted.chunks(8)) {
                    assert_eq!(a[..6], b[..6], "{n} of {ty} by {group}");
                }
            }
        }
    }
}

#[test]
fn strided_copies_gather_and_scatter() {
    let source = "kernel void k(global int *out, global const int *in, local int *l, uint n,
                                ulong stride) {
        event_t e = async_work_group_strided_copy(l, in, n, stride, 0);
        event_t same = async_work_group_strided_copy(out, l, 0, stride, e);
        if (same != e) { }
        wait_group_events(1, &e);
        e = async_work_group_strided_copy(out, l, n, stride, 0);
        wait_group_events(1, &e);
    }";
    // Events are not compared.
    assert!(build_with("-cl-std=CL1.2", source).is_err());
    let source = source.replace("if (same != e) { }", "(void)same;");
    for (n, stride, group) in [(1, 1, 1), (10, 3, 4), (7, 2, 16), (32, 1, 5)] {
        let mut input = words((0..(n * stride) as i32).map(|i| i * i));
        let mut out = words(std::iter::repeat_n(-1, n * stride));
        let given = vec![
            Given::Buffer(&mut out),
            Given::Buffer(&mut input),
            Given::Local((4 * n) as u64),
            Given::Value((n as u32).to_ne_bytes().to_vec()),
            Given::Value((stride as u64).to_ne_bytes().to_vec()),
        ];
        launch(
            build_with("-cl-std=CL1.2", &source).unwrap(),
            "k",
            given,
            group,
            group,
        );
        let wanted = (0..(n * stride) as i32).map(|i| match i as usize % stride {
            0 => i * i,
            _ => -1,
        });
        assert_eq!(out, words(wanted), "{n} with stride {stride} by {group}");
    }
}

#[test]
fn events_are_private_variables() {
    let log = fails(
        "event_t e;
         struct s { event_t e; };
         kernel void k(event_t e) { }
         kernel void l(global int *a) {
             local event_t e;
             static event_t f[2];
             event_t g = 1;
             async_work_group_copy(a, a, 1, 0);
         }",
    );
    assert_eq!(log.matches("error").count(), 8, "{log}");
}

#[test]
fn generic_pointers_know_where_they_point() {
    let source = "
        int where(int *p) {
            return (to_global(p) == p && p) | (to_local(p) == p && p) << 1
                | (to_private(p) == p && p) << 2 | get_fence(p) << 4;
        }
        global int variable;
        kernel void k(global int *out, local int *l) {
            int p = 0;
            local int s;
            int *mine = &p;
            int *any = get_global_id(0) ? mine : out;
            out[0] = where(out);
            out[1] = where(l);
            out[2] = where(&s);
            out[3] = where(&p);
            out[4] = where(&variable);
            out[5] = where(0);
            out[6] = where(any);
            global int *back = to_global((int *)out);
            back[7] = 5;
        }";
    let mut out = words([-1; 8]);
    let given = vec![Given::Buffer(&mut out), Given::Local(16)];
    launch(
        build_with("-cl-std=CL3.0", source).unwrap(),
        "k",
        given,
        1,
        1,
    );
    let (global, local) = (1 | 2 << 4, 2 | 1 << 4);
    assert_eq!(out, words([global, local, local, 4, global, 0, global, 5]));
    assert!(build_with("-cl-std=CL1.2", source).is_err());
}

#[test]
fn printf_prints_what_it_is_given() {
    let source = r#"
        constant char format[] = "%s: %d\n";
        kernel void k(global int *out) {
            float4 f = (float4)(1.0f, 2.0f, 3.0f, 4.0f);
            uchar4 uc = (uchar4)(0xFA, 0xFB, 0xFC, 0xFD);
            char c = -1;
            out[0] = printf("f4 = %2.2v4hlf\n", f);
            out[1] = printf("uc = %#v4hhx\n", uc);
            out[2] = printf("%c%c %hhu %d %u\n", 'o', 'k', c, c, (uchar)c);
            out[3] = printf("%.3f %g %lu %%\n", 0.5f, 2.5, ~0ul);
            out[4] = printf(format, get_local_size(0) > 1 ? "many" : "one", 1);
            out[5] = printf("%d\n");
            out[6] = printf("%v2ld %v3hd\n", (long2)(-1, 2), (short3)(1, -2, 3));
            printf("the last\n", 1);
        }"#;
    let mut out = words([7; 7]);
    let compiled = build_with("-cl-std=CL1.2", source).unwrap();
    let printed = launch_printing(compiled, "k", vec![Given::Buffer(&mut out)], 1, 1);
    assert_eq!(
        printed,
        "f4 = 1.00,2.00,3.00,4.00\nuc = 0xfa,0xfb,0xfc,0xfd\nok 255 -1 255\n\
         0.500 2.5 18446744073709551615 %\none: 1\n%d\n-1,2 1,-2,3\nthe last\n"
    );
    assert_eq!(out, words([0, 0, 0, 0, 0, -1, 0]));
}

/// Bytes that are no UTF-8 reach the kernel as they are, and are shown in messages.
#[test]
fn strings_keep_their_bytes() {
    let source = |body: &str| {
        let bytes = [
            b"/* gr\xfcn */ kernel void k(global int *out) { ",
            body.as_bytes(),
            b" }",
        ]
        .concat();
        let latin: Vec<u8> = bytes
            .iter()
            .map(|&b| if b == b'@' { 0xe9 } else { b })
            .collect();
        touchstone_clc::encoding::text_of(&latin)
    };
    let mut out = words([0, 0]);
    let text =
        source("constant char *s = \"a@\\xe9\"; out[0] = (uchar)s[1]; out[1] = s[2] == '@';");
    let compiled = build_with("-cl-std=CL1.2", &text).unwrap();
    launch(compiled, "k", vec![Given::Buffer(&mut out)], 1, 1);
    assert_eq!(out, words([0xe9, 1]));
    let log = build_with("", &source("int @ = 1;")).unwrap_err();
    assert!(log.contains("int \u{fffd} = 1;"), "{log}");
}

#[test]
fn every_work_item_prints_its_own_line() {
    let source = r#"kernel void k(void) { printf("item %d of group %d\n",
                    (int)get_local_id(0), (int)get_group_id(0)); }"#;
    let compiled = build_with("-cl-std=CL3.0", source).unwrap();
    let printed = launch_printing(compiled, "k", Vec::new(), 64, 8);
    let mut lines: Vec<&str> = printed.lines().collect();
    lines.sort_unstable();
    let mut wanted: Vec<String> = (0..64)
        .map(|i| format!("item {} of group {}", i % 8, i / 8))
        .collect();
    wanted.sort_unstable();
    assert_eq!(lines, wanted);
}

#[test]
fn printf_takes_constant_formats_and_numbers() {
    for wrong in [
        "printf();",
        "printf(a);",
        "printf(1);",
        "struct s { int x; } s; printf(\"%d\", s);",
        "event_t e; printf(\"%d\", e);",
    ] {
        let log = fails(&format!("kernel void k(global char *a) {{ {wrong} }}"));
        assert!(log.contains("printf"), "{log}");
    }
    assert!(build_with("-cl-std=CL1.1", "kernel void k() { printf(\"x\"); }").is_err());
}

/// Without variables in global memory, a constant variable does not need to say so.
#[test]
fn const_variables_are_constant_before_2_0() {
    let source = "const int table[] = { 1, 2, 3 };
                  kernel void k(global int *out) { constant int *p = table; out[0] = p[1]; }";
    let mut out = words([0]);
    let compiled = build_with("-cl-std=CL1.2", source).unwrap();
    launch(compiled, "k", vec![Given::Buffer(&mut out)], 1, 1);
    assert_eq!(out, words([2]));
    assert!(build_with("-cl-std=CL1.2", "int table[1];").is_err());
}
