kernel void k(global atomic_int *a, global int *o) {
  atomic_store_explicit(a, 1, memory_order_release, memory_scope_work_group);
  o[0] = atomic_load_explicit(a, memory_order_acquire, memory_scope_work_group)
       + atomic_fetch_add_explicit(a, 1, memory_order_acq_rel, memory_scope_work_group);
}
