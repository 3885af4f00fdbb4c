//! Memory orders, scopes and fence flags that only the run knows.

use crate::support::{Given, build, build_with, fails, launch};

const TEXT: &str = "
int add(global atomic_int *a, int n, memory_order order, memory_scope scope) {
    return atomic_fetch_add_explicit(a, n, order, scope);
}
kernel void k(global int *out, global atomic_int *a, int order, local int *l) {
    int times = 0;
    int failure = order == memory_order_release ? memory_order_relaxed : order;
    out[0] = add(a, 5, order, memory_scope_device);
    out[1] = add(a, 6, memory_order_relaxed, get_global_id(0) ? memory_scope_device : memory_scope_work_group);
    int expected = 11;
    out[2] = atomic_compare_exchange_strong_explicit(a, &expected, 20, order, failure, memory_scope_device);
    out[3] = atomic_load_explicit(a, order == memory_order_release ? memory_order_relaxed : order);
    atomic_store_explicit(a, 30, (memory_order)(order + 0 * ++times));
    atomic_work_item_fence(order ? CLK_LOCAL_MEM_FENCE : CLK_GLOBAL_MEM_FENCE, order, memory_scope_work_group);
    l[0] = 7;
    barrier(order ? CLK_LOCAL_MEM_FENCE : CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    out[4] = l[0] + times;
    out[5] = atomic_load(a);
}";

#[test]
fn they_may_be_computed() {
    for order in [0, 2, 3, 4, 5] {
        let (mut out, mut object) = (vec![0; 24], vec![0; 4]);
        let given = vec![
            Given::Buffer(&mut out),
            Given::Buffer(&mut object),
            Given::Value(i32::to_ne_bytes(order).to_vec()),
            Given::Local(4),
        ];
        launch(build(TEXT).unwrap(), "k", given, 1, 1);
        let words = out
            .chunks(4)
            .map(|w| i32::from_ne_bytes([w[0], w[1], w[2], w[3]]));
        assert_eq!(words.collect::<Vec<_>>(), [0, 5, 1, 20, 8, 30], "{order}");
    }
}

#[test]
fn they_are_integers_all_the_same() {
    let log = fails(
        "kernel void k(global atomic_int *a, float order) { atomic_load_explicit(a, order); }",
    );
    assert!(log.contains("does not take"), "{log}");
    let log = build_with(
        "-cl-std=CL3.0",
        "kernel void k(global int *p) { barrier(p); }",
    )
    .unwrap_err();
    assert!(log.contains("does not take"), "{log}");
}
