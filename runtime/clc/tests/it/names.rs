//! Functions of a program's own, whatever their names begin with.

use crate::support::{build_with, fails, run, run_with};

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
