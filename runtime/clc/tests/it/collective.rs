//! Collective functions of work-groups and of sub-groups.

use crate::support::{Element, Given, build, fails, launch};
use touchstone_clc::{BuildOptions, CompileOptions, Source, compile};

/// What each work-item of a launch gets of `call`, where `v` is the element of `values` with its number.
fn each<T: Element + Copy>(
    ty: &str,
    values: &[T],
    bytes: impl Fn(T) -> Vec<u8>,
    call: &str,
    group: u64,
) -> Vec<T> {
    let text = format!(
        "kernel void k(global {ty} *out, global const {ty} *in) {{
            size_t i = get_global_id(0);
            {ty} v = in[i];
            out[i] = {call};
        }}"
    );
    let compiled = build(&text).unwrap_or_else(|log| panic!("{log}\n{text}"));
    let mut given: Vec<u8> = values.iter().flat_map(|&value| bytes(value)).collect();
    let mut out = vec![0; given.len()];
    let args = vec![Given::Buffer(&mut out), Given::Buffer(&mut given)];
    launch(compiled, "k", args, values.len() as u64, group);
    T::read(&out)
}

/// Every function of one type against the same computed here, in groups of every size, the last one smaller.
macro_rules! computed {
    ($($test:ident: $ty:literal $t:ty, $values:expr, $zero:expr, $least:expr, $most:expr;)*) => {$(
        #[test]
        fn $test() {
            let values: [$t; 23] = $values;
            let run = |call: &str, group| each($ty, &values, |v: $t| v.to_ne_bytes().to_vec(), call, group);
            for group in [1, 4, 9, 23] {
                let groups = || values.chunks(group as usize);
                let add = |a: $t, b: $t| a + b;
                let min = |a: $t, b: $t| if b < a { b } else { a };
                let max = |a: $t, b: $t| if b > a { b } else { a };
                let ops: [(&str, &dyn Fn($t, $t) -> $t, $t); 3] =
                    [("add", &add, $zero), ("min", &min, $most), ("max", &max, $least)];
                for (name, op, identity) in ops {
                    let folded = |values: &[$t]| values.iter().fold(identity, |a, &b| op(a, b));
                    let reduced: Vec<$t> = groups().flat_map(|g| vec![folded(g); g.len()]).collect();
                    assert_eq!(run(&format!("work_group_reduce_{name}(v)"), group), reduced, "{name} {group}");
                    let scanned = |more: usize| -> Vec<$t> {
                        let scan = |g: &[$t]| (0..g.len()).map(|n| folded(&g[..n + more])).collect::<Vec<_>>();
                        groups().flat_map(scan).collect()
                    };
                    let call = format!("work_group_scan_inclusive_{name}(v)");
                    assert_eq!(run(&call, group), scanned(1), "{name} {group}");
                    let call = format!("work_group_scan_exclusive_{name}(v)");
                    assert_eq!(run(&call, group), scanned(0), "{name} {group}");
                }
                let given: Vec<$t> = groups().flat_map(|g| vec![g[g.len() / 2]; g.len()]).collect();
                let call = "work_group_broadcast(v, get_local_size(0) / 2)";
                assert_eq!(run(call, group), given, "{group}");
            }
        }
    )*};
}

/// Numbers in no order, with those at the ends of the range among them.
fn mixed(n: usize) -> i64 {
    (n as i64 * 7919 + 13) % 101 - 50
}

computed! {
    ints: "int" i32, std::array::from_fn(|n| mixed(n) as i32), 0, i32::MIN, i32::MAX;
    uints: "uint" u32, std::array::from_fn(|n| (mixed(n) + 50) as u32 + (1 << 27)), 0, 0, u32::MAX;
    longs: "long" i64, std::array::from_fn(|n| mixed(n) << 40), 0, i64::MIN, i64::MAX;
    ulongs: "ulong" u64, std::array::from_fn(|n| ((mixed(n) + 50) as u64) << 50), 0, 0, u64::MAX;
    floats: "float" f32, std::array::from_fn(|n| mixed(n) as f32 / 4.0), 0.0, f32::NEG_INFINITY, f32::INFINITY;
    doubles: "double" f64, std::array::from_fn(|n| mixed(n) as f64 / 4.0), 0.0, f64::NEG_INFINITY, f64::INFINITY;
}

#[test]
fn votes_are_about_every_work_item() {
    let values: Vec<i32> = (0..14).map(|n| i32::from(n % 7 == 3) * 8).collect();
    let run = |call: &str| each("int", &values, |v| v.to_ne_bytes().to_vec(), call, 4);
    // Groups of four, the last one of two: 0 0 0 8, 0 0 0 0, 0 0 8 0, 0 0.
    let any: Vec<i32> = [[1; 4], [0; 4], [1; 4]].concat();
    assert_eq!(run("work_group_any(v) != 0"), [any, vec![0; 2]].concat());
    assert_eq!(run("work_group_all(v) != 0"), [0; 14]);
    let none: Vec<i32> = [[0; 4], [1; 4], [0; 4]].concat();
    assert_eq!(run("work_group_all(!v) != 0"), [none, vec![1; 2]].concat());
}

/// Each pass of a loop, and each call of a function that has one, is a meeting of its own.
#[test]
fn meetings_in_loops_and_functions() {
    let text = "int all_of(int v) { return work_group_reduce_add(v); }
        kernel void k(global int *out) {
            int v = get_local_id(0) + 1;
            for (int n = 0; n < 5; ++n) v = (all_of(v) + work_group_scan_inclusive_max((char)v)) % 100;
            out[get_global_id(0)] = v;
        }";
    let mut out = vec![0; 4 * 6];
    let given = vec![Given::Buffer(&mut out)];
    launch(build(text).unwrap(), "k", given, 6, 6);
    let mut wanted: Vec<i32> = (1..=6).collect();
    for _ in 0..5 {
        let sum: i32 = wanted.iter().sum();
        let most = (1..=6).map(|n| wanted[..n].iter().copied().max().unwrap_or(0));
        wanted = most.map(|most| (sum + most) % 100).collect();
    }
    assert_eq!(i32::read(&out), wanted);
}

#[test]
fn arguments_that_do_not_fit_are_told() {
    let log = |body: &str| {
        fails(&format!(
            "kernel void k(global int *a, float4 v) {{ {body} }}"
        ))
    };
    assert!(
        log("work_group_reduce_add(v);").contains("`work_group_reduce_add` does not take (float4)")
    );
    assert!(log("sub_group_all(v);").contains("the predicate"));
    assert!(log("work_group_broadcast(1);").contains("takes 2 to 4 arguments, and is given 1"));
    assert!(log("sub_group_broadcast(1, 2, 3);").contains("takes 2 arguments, and is given 3"));
    assert!(log("work_group_reduce_add(a);").contains("does not take (global int*)"));
}

#[test]
fn a_device_without_the_features_has_none_of_the_functions() {
    let mut options = CompileOptions {
        build: BuildOptions::parse("-cl-std=CL3.0").unwrap(),
        ..CompileOptions::default()
    };
    options.device.features.clear();
    options.device.extensions.clear();
    let log = |body: &str| {
        let text = format!("kernel void k(global int *a) {{ a[0] = {body}; }}");
        compile(&[Source::new("t.cl", text)], &options)
            .unwrap_err()
            .log
    };
    let needs = "needs __opencl_c_work_group_collective_functions";
    assert!(log("work_group_any(1)").contains(needs));
    for call in [
        "sub_group_any(1)",
        "get_sub_group_size()",
        "sub_group_barrier(CLK_LOCAL_MEM_FENCE)",
    ] {
        assert!(log(call).contains("needs __opencl_c_subgroups"), "{call}");
    }
    assert!(log("memory_scope_sub_group").contains("is not declared"));
}
