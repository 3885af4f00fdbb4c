//! Functions of a program's own, whatever their names begin with.

use crate::support::{build_with, build_without, fails, run, run_with};

#[test]
fn names_that_begin_as_built_in_functions_do_are_the_programs() {
    let text = "
        int get_kernel_index(int n);
        int read_imagef_row(int n) { return n + 1; }
        int write_image_row(int n) { return n + 2; }
        int work_group_sum(int n) { return n + 3; }
        int sub_group_sum(int n) { return n + 4; }
        int enqueue_item(int n) { return n + 5; }
        int ndrange_of(int n) { return n + 6; }
        int read_pipeline(int n) { return n + 7; }
        int reserve_room(int n) { return n + 8; }
        int commit_room(int n) { return n + 9; }
        int get_image_row(int n) { return n + 10; }
        int get_pipeline(int n) { return n + 11; }
        int async_work_group_copy_all(int n) { return n + 12; }
        int get_sub_group_of(int n) { return n + 13; }
        int atomic_sum(int n) { return n + 14; }
        int convert_units(int n) { return n + 15; }
        int as_number(int n) { return n + 16; }
        int vload_all(int n) { return n + 17; }
        int native_sum(int n) { return n + 18; }
        int get_kernel_index(int n) { return n; }
        kernel void k(global int *out) {
            out[0] = get_kernel_index(100); out[1] = read_imagef_row(100); out[2] = write_image_row(100);
            out[3] = work_group_sum(100); out[4] = sub_group_sum(100); out[5] = enqueue_item(100);
            out[6] = ndrange_of(100); out[7] = read_pipeline(100); out[8] = reserve_room(100);
            out[9] = commit_room(100); out[10] = get_image_row(100); out[11] = get_pipeline(100);
            out[12] = async_work_group_copy_all(100); out[13] = get_sub_group_of(100); out[14] = atomic_sum(100);
            out[15] = convert_units(100); out[16] = as_number(100); out[17] = vload_all(100);
            out[18] = native_sum(100);
        }";
    let expected: Vec<i32> = (100..119).collect();
    assert_eq!(run::<i32>(text, 19), expected);
    assert_eq!(run_with::<i32>("-cl-std=CL1.2", text, 19), expected);
}

/// A version of the language that has no such function has no claim to its name.
#[test]
fn names_of_later_versions_are_the_programs() {
    let text = "
        int work_group_reduce_add(int n) { return n + 1; }
        int get_local_linear_id(void) { return 7; }
        int sub_group_all(int n) { return n + 2; }
        kernel void k(global int *out) {
            out[0] = work_group_reduce_add(1); out[1] = get_local_linear_id(); out[2] = sub_group_all(1);
        }";
    assert_eq!(run_with::<i32>("-cl-std=CL1.2", text, 3), [2, 7, 3]);
}

#[test]
fn names_of_built_in_functions_are_not() {
    for name in [
        "get_global_id",
        "work_group_barrier",
        "work_group_reduce_add",
        "sub_group_all",
        "get_sub_group_id",
        "async_work_group_copy",
        "vload4",
        "convert_int",
        "as_int",
    ] {
        let log = fails(&format!("int {name}(int n) {{ return n; }}"));
        assert!(
            log.contains(&format!("`{name}` is a built-in function")),
            "{log}"
        );
    }
    let text = "kernel void k(global int *out) { out[0] = get_image_num_samples(1) + get_kernel_index(0); }";
    let log = fails(text);
    assert!(
        log.contains("`get_image_num_samples` is not supported"),
        "{log}"
    );
    assert!(
        build_with("-cl-std=CL1.2", text)
            .is_err_and(|log| log.contains("there is no function `get_kernel_index`"))
    );
}

/// What 3.1 has or an extension adds: a call, the extension or feature that it needs below 3.1, and whether it has to have a
/// newer version than 1.2 all the same.
const ADDED: [(&str, &str, bool); 9] = [
    (
        "bitfield_insert(1, 2, 3, 4)",
        "cl_khr_extended_bit_ops",
        false,
    ),
    (
        "bitfield_extract_signed(1, 2, 3)",
        "cl_khr_extended_bit_ops",
        false,
    ),
    ("bit_reverse(1)", "cl_khr_extended_bit_ops", false),
    ("sub_group_shuffle(1, 0)", "cl_khr_subgroup_shuffle", true),
    (
        "sub_group_shuffle_xor(1, 0)",
        "cl_khr_subgroup_shuffle",
        true,
    ),
    (
        "sub_group_shuffle_down(1, 0)",
        "cl_khr_subgroup_shuffle_relative",
        true,
    ),
    (
        "sub_group_clustered_rotate(1, 0, 2)",
        "cl_khr_subgroup_rotate",
        true,
    ),
    (
        "dot_acc_sat((char4)(1), (char4)(1), 1)",
        "__opencl_c_integer_dot_product_input_4x8bit",
        true,
    ),
    (
        "dot_4x8packed_us_int(1, 2)",
        "__opencl_c_integer_dot_product_input_4x8bit_packed",
        true,
    ),
];

fn name(call: &str) -> &str {
    call.split('(').next().unwrap_or_default()
}

#[test]
fn functions_of_3_1_are_there_where_the_version_or_an_extension_has_them() {
    for (call, needs, newer) in ADDED {
        let text = format!("kernel void k() {{ {call}; }}");
        let builds = |std: &str| build_with(std, &text).map(drop);
        assert_eq!(builds("-cl-std=CL3.1"), Ok(()), "{call}");
        assert_eq!(builds("-cl-std=CL3.0"), Ok(()), "{call}");
        assert_eq!(builds("-cl-std=CL1.2").is_err(), newer, "{call}");
        let without = |std| build_without(&[needs], std, &text).map(drop);
        assert!(without("-cl-std=CL3.0").is_err(), "{call}");
        // The language of 3.1 has what was an extension, and features are the device's.
        let is_feature = needs.starts_with("__opencl_c");
        assert_eq!(without("-cl-std=CL3.1").is_err(), is_feature, "{call}");
    }
    let narrow =
        "kernel void k(global int *a) { char c = 100; a[0] = sub_group_reduce_add(c) > 127; }
                  kernel void v(global int *a) { a[0] = sub_group_broadcast((int2)(1), 0).x; }";
    let without = ["cl_khr_subgroup_extended_types"];
    assert!(
        build_without(&without, "-cl-std=CL3.0", narrow)
            .is_err_and(|log| log.contains("(int2, int)"))
    );
    assert!(build_without(&without, "-cl-std=CL3.1", narrow).is_ok());
}

/// A program that is older than an extension may have functions of its own of the names that this adds.
#[test]
fn names_that_extensions_add_are_the_programs_before_3_1() {
    for (call, ..) in ADDED {
        let name = name(call);
        let text = format!(
            "int {name}(int n) {{ return n + 1; }}
             kernel void k(global int *out) {{ out[0] = {name}(41); }}"
        );
        for std in ["-cl-std=CL1.2", "-cl-std=CL3.0"] {
            assert_eq!(run_with::<i32>(std, &text, 1), [42], "{std} {name}");
        }
        let log = build_with("-cl-std=CL3.1", &text).map(drop).unwrap_err();
        assert!(
            log.contains(&format!("`{name}` is a built-in function")),
            "{log}"
        );
    }
}

#[test]
fn macros_say_the_version() {
    let text = "kernel void k(global int *out) {
        out[0] = __OPENCL_C_VERSION__; out[1] = __OPENCL_VERSION__; out[2] = CL_VERSION_3_1;
    }";
    assert_eq!(run_with::<i32>("-cl-std=CL3.1", text, 3), [310, 310, 310]);
    assert_eq!(run_with::<i32>("-cl-std=CL3.0", text, 3), [300, 310, 310]);
    let log = build_without(&[], "-cl-std=CL3.0", text)
        .map(drop)
        .unwrap_err();
    assert!(log.contains("CL_VERSION_3_1"), "{log}");
}

/// What no version has but an extension brings is a program's own in any version.
#[test]
fn names_of_extensions_that_no_version_has_are_free() {
    for (call, needs) in [
        ("get_sub_group_eq_mask()", "cl_khr_subgroup_ballot"),
        ("sub_group_ballot(1)", "cl_khr_subgroup_ballot"),
        ("sub_group_broadcast_first(1)", "cl_khr_subgroup_ballot"),
        ("sub_group_elect()", "cl_khr_subgroup_non_uniform_vote"),
        (
            "sub_group_non_uniform_all_equal(1)",
            "cl_khr_subgroup_non_uniform_vote",
        ),
        (
            "sub_group_non_uniform_scan_inclusive_mul(1)",
            "cl_khr_subgroup_non_uniform_arithmetic",
        ),
        (
            "sub_group_clustered_reduce_logical_xor(1, 2)",
            "cl_khr_subgroup_clustered_reduce",
        ),
    ] {
        let name = name(call);
        for std in ["-cl-std=CL3.0", "-cl-std=CL3.1"] {
            let text = format!("kernel void k() {{ {call}; }}");
            assert!(build_with(std, &text).is_ok(), "{std} {call}");
            assert!(build_without(&[needs], std, &text).is_err(), "{std} {call}");
            let text = format!(
                "int {name}(int n) {{ return n + 1; }}
                 kernel void k(global int *out) {{ out[0] = {name}(41); }}"
            );
            assert_eq!(run_with::<i32>(std, &text, 1), [42], "{std} {name}");
        }
    }
}
