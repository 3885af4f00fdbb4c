//! Functions of those work-items of a sub-group that are present, against the same computed here, for various sets of
//! items that come.

use crate::support::{Element, Given, build_with, fails, launch_in_sub_groups};

/// Work-items of a sub-group.
const SIZE: usize = 8;
/// Work-items of the group: the last sub-group has five.
const ITEMS: usize = 21;

/// By bit: the items of each sub-group that come.
const SETS: [u32; 5] = [0xff, 0x01, 0xa5, 0x3c, 0xe0];

/// What items get that do not come.
const ABSENT: i64 = -777_777;

/// What each work-item of a group for each set gets of `call`, in which `v` is its number in the group as a type, and `id`
/// its id in the sub-group.
fn each(ty: &str, number: &str, call: &str) -> Vec<i64> {
    let text = format!(
        "#pragma OPENCL EXTENSION cl_khr_fp16 : enable
        kernel void k(global long *out, global const uint *sets) {{
            int i = get_local_id(0);
            uint id = get_sub_group_local_id();
            {ty} v = ({ty})({number});
            size_t at = get_global_id(0);
            if (sets[get_group_id(0)] >> id & 1) out[at] = (long)({call});
            else out[at] = {ABSENT};
        }}"
    );
    let compiled = build_with("-cl-std=CL3.1", &text).unwrap_or_else(|log| panic!("{log}\n{text}"));
    let mut out = vec![0; 8 * ITEMS * SETS.len()];
    let mut sets: Vec<u8> = SETS.iter().flat_map(|set| set.to_ne_bytes()).collect();
    let given = vec![Given::Buffer(&mut out), Given::Buffer(&mut sets)];
    let range = ((ITEMS * SETS.len()) as u64, ITEMS as u64);
    launch_in_sub_groups(compiled, "k", given, range, SIZE as u32);
    i64::read(&out)
}

/// The same computed here, of the ids that are present in the sub-group of a work-item, its own and the first item of it.
fn expected(of: impl Fn(&[usize], usize, usize) -> i64) -> Vec<i64> {
    let all = (0..ITEMS * SETS.len()).map(|n| {
        let (set, n) = (SETS[n / ITEMS], n % ITEMS);
        let (first, id) = (n / SIZE * SIZE, n % SIZE);
        let size = SIZE.min(ITEMS - first);
        let present: Vec<usize> = (0..size).filter(|n| set >> n & 1 == 1).collect();
        match set >> id & 1 {
            1 => of(&present, id, first),
            _ => ABSENT,
        }
    });
    all.collect()
}

/// Wraps a number as a conversion to an integer type does.
fn wrapped(ty: &str, n: i64) -> i64 {
    match ty {
        "char" => i64::from(n as i8),
        "uchar" => i64::from(n as u8),
        "short" => i64::from(n as i16),
        "ushort" => i64::from(n as u16),
        "int" => i64::from(n as i32),
        "uint" => i64::from(n as u32),
        _ => n,
    }
}

const INTEGERS: [&str; 8] = [
    "char", "uchar", "short", "ushort", "int", "uint", "long", "ulong",
];
const FLOATS: [&str; 3] = ["half", "float", "double"];

/// An operation: its name, what it does to two numbers, and what it gives where there is none.
type Operation = (&'static str, fn(i64, i64) -> i64, i64);

/// All forms of an operation on numbers of a type, each of which item `n` gives as `value(n)`.
fn check(ty: &str, number: &str, (op, join, none): Operation, value: &dyn Fn(usize) -> i64) {
    let joined = |ids: &mut dyn Iterator<Item = usize>, first: usize| {
        let all = ids.map(|id| value(first + id));
        all.reduce(|a, b| wrapped(ty, join(a, b))).unwrap_or(none)
    };
    let run = |call: String, of: &dyn Fn(&[usize], usize, usize) -> i64| {
        assert_eq!(each(ty, number, &call), expected(of), "{ty} {call}");
    };
    run(
        format!("sub_group_non_uniform_reduce_{op}(v)"),
        &|present, _, first| joined(&mut present.iter().copied(), first),
    );
    run(
        format!("sub_group_non_uniform_scan_inclusive_{op}(v)"),
        &|present, own, first| joined(&mut present.iter().copied().filter(|&id| id <= own), first),
    );
    run(
        format!("sub_group_non_uniform_scan_exclusive_{op}(v)"),
        &|present, own, first| joined(&mut present.iter().copied().filter(|&id| id < own), first),
    );
    for size in [1, 4, 8] {
        run(
            format!("sub_group_clustered_reduce_{op}(v, {size})"),
            &|present, own, first| {
                let same = |id: &usize| id / size == own / size;
                joined(&mut present.iter().copied().filter(same), first)
            },
        );
    }
}

#[test]
fn integers_are_joined() {
    for ty in INTEGERS {
        let bits = 8 << (INTEGERS.iter().position(|&name| name == ty).unwrap() / 2);
        let (least, most) = match (ty.starts_with('u'), bits) {
            (true, 64) => (0, -1),
            (true, _) => (0, (1_i64 << bits) - 1),
            (false, 64) => (i64::MIN, i64::MAX),
            (false, _) => (-(1_i64 << (bits - 1)), (1_i64 << (bits - 1)) - 1),
        };
        let value = |n: usize| wrapped(ty, (n as i64 * 29 + 5) % 13 + 120);
        let operations: [Operation; 7] = [
            ("add", |a, b| a + b, 0),
            ("mul", |a, b| a.wrapping_mul(b), 1),
            ("min", |a, b| a.min(b), most),
            ("max", |a, b| a.max(b), least),
            ("and", |a, b| a & b, wrapped(ty, -1)),
            ("or", |a, b| a | b, 0),
            ("xor", |a, b| a ^ b, 0),
        ];
        for operation in operations {
            check(ty, "(i * 29 + 5) % 13 + 120", operation, &value);
        }
    }
}

#[test]
fn floats_are_joined() {
    for ty in FLOATS {
        let value = |n: usize| (n as i64 * n as i64 / 2) % 2 + 1;
        // Exclusive scans of the first item: an infinity, which becomes the nearest number.
        let operations: [Operation; 4] = [
            ("add", |a, b| a + b, 0),
            ("mul", |a, b| a * b, 1),
            ("min", |a, b| a.min(b), i64::MAX),
            ("max", |a, b| a.max(b), i64::MIN),
        ];
        for operation in operations {
            let convert = match operation.0 {
                "min" | "max" => "i * i / 2 % 2 + 1",
                _ => "(i * i / 2) % 2 + 1",
            };
            check(ty, convert, operation, &value);
        }
    }
}

#[test]
fn truths_are_joined() {
    let operations: [Operation; 3] = [
        ("logical_and", |a, b| a & b, -1),
        ("logical_or", |a, b| a | b, 0),
        ("logical_xor", |a, b| a ^ b, 0),
    ];
    for operation in operations {
        // Other numbers than zero are true, and so is what an exclusive scan has before there is one.
        check("int", "i % 3 ? i * 6 : 0", operation, &|n| {
            i64::from(n % 3 != 0)
        });
    }
}

#[test]
fn votes_and_ballots() {
    let odd = |ids: &[usize], first: usize| -> Vec<usize> {
        ids.iter()
            .copied()
            .filter(|id| (first + id) % 3 == 1)
            .collect()
    };
    let bits = |ids: &[usize]| ids.iter().fold(0, |all, id| all | 1_i64 << id);
    let run = |call: &str, of: &dyn Fn(&[usize], usize, usize) -> i64| {
        let found = each("int", "i", call);
        assert_eq!(found, expected(of), "{call}");
    };
    run("sub_group_elect() != 0", &|ids, own, _| {
        i64::from(ids[0] == own)
    });
    run(
        "sub_group_non_uniform_any(i % 3 == 1) != 0",
        &|ids, _, first| i64::from(!odd(ids, first).is_empty()),
    );
    run(
        "sub_group_non_uniform_all(i % 3 == 1) != 0",
        &|ids, _, first| i64::from(odd(ids, first).len() == ids.len()),
    );
    run(
        "sub_group_non_uniform_all_equal(i & 2) != 0",
        &|ids, _, _| i64::from(ids.iter().all(|id| id & 2 == ids[0] & 2)),
    );
    run("sub_group_broadcast_first(v)", &|ids, _, first| {
        (first + ids[0]) as i64
    });
    run(
        "sub_group_non_uniform_broadcast((int3)(v, 1, 2 * v), 2).z",
        &|ids, _, first| {
            if ids.contains(&2) {
                2 * (first as i64 + 2)
            } else {
                0
            }
        },
    );
    let ballot = "sub_group_ballot((i % 3 == 1) * 8)";
    run(&format!("{ballot}.x"), &|ids, _, first| {
        bits(&odd(ids, first))
    });
    run(&format!("any({ballot}.yzw != 0)"), &|_, _, _| 0);
    run(
        &format!("sub_group_inverse_ballot({ballot})"),
        &|ids, own, first| i64::from(odd(ids, first).contains(&own)),
    );
    run(
        &format!("sub_group_ballot_bit_extract({ballot}, 5 - id % 4)"),
        &|ids, own, first| i64::from(odd(ids, first).contains(&(5 - own % 4))),
    );
    run(
        &format!("sub_group_ballot_bit_count({ballot})"),
        &|ids, _, first| odd(ids, first).len() as i64,
    );
    let to = |ids: &[usize], first: usize, end: usize| {
        odd(ids, first).iter().filter(|&&id| id < end).count() as i64
    };
    run(
        &format!("sub_group_ballot_inclusive_scan({ballot})"),
        &|ids, own, first| to(ids, first, own + 1),
    );
    run(
        &format!("sub_group_ballot_exclusive_scan({ballot})"),
        &|ids, own, first| to(ids, first, own),
    );
    run(
        &format!("sub_group_ballot_find_lsb({ballot} | (uint4)(128, 0, 0, 0))"),
        &|ids, _, first| odd(ids, first).first().copied().unwrap_or(7) as i64,
    );
    run(
        &format!("sub_group_ballot_find_msb({ballot} | (uint4)(1, 1, 0, 0))"),
        &|ids, _, first| odd(ids, first).last().copied().unwrap_or(0) as i64,
    );
    // Bits above those of the sub-group count for nothing.
    run(
        "sub_group_ballot_bit_count((uint4)(0xffffff00u, 7, 8, 9))",
        &|_, _, _| 0,
    );
    run("get_sub_group_eq_mask().x", &|_, own, _| 1 << own);
    run("get_sub_group_ge_mask().x", &|_, own, _| {
        0xff & !((1 << own) - 1)
    });
    run("get_sub_group_gt_mask().x", &|_, own, _| {
        0xff & !((2 << own) - 1)
    });
    run("get_sub_group_le_mask().x", &|_, own, _| (2 << own) - 1);
    run("get_sub_group_lt_mask().x", &|_, own, _| (1 << own) - 1);
}

/// Floats are equal as `==` has it.
#[test]
fn all_equal_of_every_type() {
    for ty in INTEGERS.iter().chain(&FLOATS) {
        let call = "sub_group_non_uniform_all_equal(v) != 0";
        let equal = expected(|ids, _, _| i64::from(ids.len() == 1));
        assert_eq!(each(ty, "i", call), equal, "{ty}");
        let same = expected(|_, _, _| 1);
        assert_eq!(each(ty, "7", call), same, "{ty}");
    }
    let nan = each("float", "NAN", "sub_group_non_uniform_all_equal(v) != 0");
    assert_eq!(nan, expected(|_, _, _| 0));
    let zeros = each(
        "float",
        "i & 1 ? 0.0f : -0.0f",
        "sub_group_non_uniform_all_equal(v) != 0",
    );
    assert_eq!(zeros, expected(|_, _, _| 1));
}

#[test]
fn what_they_do_not_take() {
    for (call, message) in [
        ("sub_group_elect(1)", "takes 0 arguments, and is given 1"),
        (
            "sub_group_non_uniform_reduce_and(1.0f)",
            "does not take (float)",
        ),
        (
            "sub_group_non_uniform_reduce_add((int2)(1))",
            "does not take (int2)",
        ),
        (
            "sub_group_clustered_reduce_add(1, n)",
            "argument 2 of `sub_group_clustered_reduce_add`, is no constant power of two",
        ),
        (
            "sub_group_clustered_reduce_or(1, 6)",
            "is no constant power of two",
        ),
        (
            "sub_group_non_uniform_reduce_logical_add(1)",
            "`sub_group_non_uniform_reduce_logical_add`",
        ),
    ] {
        let log = fails(&format!("kernel void k(int n) {{ {call}; }}"));
        assert!(log.contains(message), "{call}: {log}");
    }
}
