//! Shuffles and rotations of sub-groups, and functions of sub-groups of more types.

use crate::support::{Element, Given, build_with, fails, launch, launch_in_sub_groups};

/// Work-items of a sub-group.
const SIZE: usize = 8;
/// Work-items of a group: the last sub-group of each has five.
const GROUP: usize = 21;
const ITEMS: usize = 2 * GROUP;

/// Types, and how a work-item's number becomes one of them.
const TYPES: [&str; 11] = [
    "char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "half", "float", "double",
];

/// What each work-item gets of `call`, in which `v` is its number and a hundred as the type, `id` its id in the
/// sub-group, `size` how many that has, and `i` its number, as an `int`.
fn each(std: &str, ty: &str, call: &str) -> Vec<i32> {
    let text = format!(
        "#pragma OPENCL EXTENSION cl_khr_fp16 : enable
        kernel void k(global int *out) {{
            int i = get_global_id(0);
            {ty} v = ({ty})(i + 1);
            uint id = get_sub_group_local_id(), size = get_sub_group_size();
            out[i] = (int)({call});
        }}"
    );
    let compiled = build_with(std, &text).unwrap_or_else(|log| panic!("{log}\n{text}"));
    let mut out = vec![0; 4 * ITEMS];
    let given = vec![Given::Buffer(&mut out)];
    let range = (ITEMS as u64, GROUP as u64);
    launch_in_sub_groups(compiled, "k", given, range, SIZE as u32);
    i32::read(&out)
}

/// For each work-item: the number of the one whose id in the sub-group `from` gives for (id, size of the sub-group), plus
/// one, or zero where there is none.
fn expected(from: impl Fn(i64, i64) -> i64) -> Vec<i32> {
    let all = (0..ITEMS).map(|n| {
        let in_group = n % GROUP;
        let first = in_group / SIZE * SIZE;
        let size = SIZE.min(GROUP - first) as i64;
        let other = from((in_group - first) as i64, size);
        match (0..size).contains(&other) {
            true => (n - in_group + first) as i32 + other as i32 + 1,
            false => 0,
        }
    });
    all.collect()
}

#[test]
fn shuffles_of_every_type() {
    for ty in TYPES {
        let check = |call: &str, from: &dyn Fn(i64, i64) -> i64| {
            assert_eq!(
                each("-cl-std=CL3.1", ty, call),
                expected(from),
                "{ty}: {call}"
            );
        };
        check("sub_group_shuffle(v, 3)", &|_, _| 3);
        check("sub_group_shuffle(v, size - 1 - id)", &|id, size| {
            size - 1 - id
        });
        check("sub_group_shuffle(v, id * id)", &|id, _| id * id);
        check("sub_group_shuffle(v, 0x80000000u + id)", &|_, _| -1);
        for mask in [0, 1, 2, 5, 7, 8] {
            check(&format!("sub_group_shuffle_xor(v, {mask})"), &|id, _| {
                id ^ mask
            });
        }
        check("sub_group_shuffle_xor(v, id)", &|_, _| 0);
        for delta in [0, 1, 3, 7, 8, 4_294_967_295] {
            check(&format!("sub_group_shuffle_up(v, {delta}u)"), &|id, _| {
                id - delta
            });
            check(&format!("sub_group_shuffle_down(v, {delta}u)"), &|id, _| {
                id + delta
            });
        }
        check("sub_group_shuffle_up(v, id / 2)", &|id, _| id - id / 2);
        check("sub_group_shuffle_down(v, id & 1)", &|id, _| id + (id & 1));
    }
}

#[test]
fn rotations_of_every_type() {
    for ty in TYPES {
        for delta in [-17_i64, -8, -1, 0, 1, 3, 8, 13] {
            let call = format!("sub_group_rotate(v, {delta})");
            let whole = expected(|id, _| (id + delta).rem_euclid(SIZE as i64));
            assert_eq!(each("-cl-std=CL3.1", ty, &call), whole, "{ty}: {call}");
            for cluster in [1_i64, 2, 4, 8] {
                let call = format!("sub_group_clustered_rotate(v, {delta}, {cluster})");
                let found = each("-cl-std=CL3.1", ty, &call);
                let clustered = expected(|id, _| {
                    id / cluster * cluster + (id % cluster + delta).rem_euclid(cluster)
                });
                assert_eq!(found, clustered, "{ty}: {call}");
            }
        }
    }
}

/// The maximum size of a sub-group is that of the group where it is smaller.
#[test]
fn small_groups_rotate_by_their_own_size() {
    let text = "kernel void k(global int *out) {
        int i = get_global_id(0);
        out[i] = sub_group_rotate(i, 2) * 10 + sub_group_rotate(i, -1);
    }";
    let compiled = build_with("-cl-std=CL3.1", text).unwrap();
    let mut out = vec![0; 4 * 6];
    launch(compiled, "k", vec![Given::Buffer(&mut out)], 6, 3);
    assert_eq!(i32::read(&out), [22, 0, 11, 55, 33, 44]);
}

/// In a branch only those take part that are there; behind it all do.
#[test]
fn not_all_need_come() {
    let text = "
        int next(int v) { return sub_group_shuffle_down(v, 2); }
        kernel void k(global int *out) {
            int i = get_global_id(0), v = i + 1, w = 0;
            if (i & 1) w = next(v);
            else if (i % 4 == 0) w = next(10 * v) + next(0);
            for (int n = 0; n < i; ++n) v += sub_group_shuffle(1, 7);
            out[i] = w + 1000 * sub_group_shuffle_xor(v, 1);
        }";
    let compiled = build_with("-cl-std=CL3.1", text).unwrap();
    let mut out = vec![0; 4 * 8];
    launch(compiled, "k", vec![Given::Buffer(&mut out)], 8, 8);
    let wanted: Vec<i32> = (0..8)
        .map(|i| {
            // Odd ones find the odd one two further on; those that 4 divides find nobody.
            let w = if i & 1 == 1 && i + 2 < 8 { i + 3 } else { 0 };
            // The last one is in the loop as long as any is.
            w + 1000 * (2 * (i ^ 1) + 1)
        })
        .collect();
    assert_eq!(i32::read(&out), wanted);
}

#[test]
fn other_functions_of_sub_groups_take_narrow_integers() {
    for (ty, least, most) in [
        ("char", -128, 127),
        ("uchar", 0, 255),
        ("short", -32768, 32767),
        ("ushort", 0, 65535),
    ] {
        let wrapped = |n: i64| match ty {
            "char" => i32::from(n as i8),
            "uchar" => i32::from(n as u8),
            "short" => i32::from(n as i16),
            _ => i32::from(n as u16),
        };
        // By item: its sub-group's numbers, and its place among them, of numbers that wrap when they are added.
        let scaled = |n: usize| wrapped((n as i64 + 1) * 11_003);
        let groups: Vec<(Vec<i32>, usize)> = (0..ITEMS)
            .map(|n| {
                let first = n - n % GROUP % SIZE;
                let size = SIZE.min(GROUP - first % GROUP);
                ((first..first + size).map(scaled).collect(), n - first)
            })
            .collect();
        let check = |call: &str, of: &dyn Fn(&[i32], usize) -> i32| {
            let call = call.replace("(v", &format!("(({ty})((i + 1) * 11003)"));
            let wanted: Vec<i32> = groups.iter().map(|(all, at)| of(all, *at)).collect();
            assert_eq!(each("-cl-std=CL3.1", ty, &call), wanted, "{ty}: {call}");
        };
        let sum = |some: &[i32]| wrapped(some.iter().map(|&n| i64::from(n)).sum());
        let min = |some: &[i32]| some.iter().copied().min().unwrap_or(most);
        let max = |some: &[i32]| some.iter().copied().max().unwrap_or(least);
        check("sub_group_broadcast(v, 2)", &|all, _| all[2]);
        check("sub_group_reduce_add(v)", &|all, _| sum(all));
        check("sub_group_reduce_min(v)", &|all, _| min(all));
        check("sub_group_reduce_max(v)", &|all, _| max(all));
        check("sub_group_scan_inclusive_add(v)", &|all, at| {
            sum(&all[..=at])
        });
        check("sub_group_scan_inclusive_min(v)", &|all, at| {
            min(&all[..=at])
        });
        check("sub_group_scan_inclusive_max(v)", &|all, at| {
            max(&all[..=at])
        });
        check(
            "sub_group_scan_exclusive_add(v)",
            &|all, at| sum(&all[..at]),
        );
        check(
            "sub_group_scan_exclusive_min(v)",
            &|all, at| min(&all[..at]),
        );
        check(
            "sub_group_scan_exclusive_max(v)",
            &|all, at| max(&all[..at]),
        );
    }
}

#[test]
fn vectors_are_broadcast() {
    for ty in TYPES {
        for lanes in [2, 3, 4, 8, 16] {
            let last = lanes - 1;
            let call =
                format!("sub_group_broadcast(({ty}{lanes})(v) + ({ty})(id == 4), 4).s{last:x}");
            let wanted: Vec<i32> = expected(|_, _| 4).iter().map(|n| n + 1).collect();
            assert_eq!(each("-cl-std=CL3.1", ty, &call), wanted, "{ty}{lanes}");
        }
    }
}

#[test]
fn what_they_do_not_take() {
    for (call, message) in [
        (
            "sub_group_shuffle((int2)(1), 0)",
            "`sub_group_shuffle` does not take (int2, int)",
        ),
        ("sub_group_shuffle(1)", "takes 2 arguments, and is given 1"),
        (
            "sub_group_rotate(1, (int2)(0))",
            "argument 2 of `sub_group_rotate`",
        ),
        (
            "sub_group_clustered_rotate(1, 2)",
            "takes 3 arguments, and is given 2",
        ),
        (
            "sub_group_clustered_rotate(1, 2, n)",
            "is no constant power of two",
        ),
        (
            "sub_group_clustered_rotate(1, 2, 3)",
            "is no constant power of two",
        ),
        (
            "sub_group_clustered_rotate(1, 2, 0)",
            "is no constant power of two",
        ),
        ("sub_group_reduce_add((char2)(1))", "does not take (char2)"),
        (
            "work_group_broadcast((char2)(1), 0)",
            "does not take (char2, int)",
        ),
    ] {
        let log = fails(&format!("kernel void k(int n) {{ {call}; }}"));
        assert!(log.contains(message), "{call}: {log}");
    }
}
