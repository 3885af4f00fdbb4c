kernel void k(global atomic_int *a, global int *o) {
  atomic_store_explicit(a, 1, memory_order_seq_cst, memory_scope_work_group);
  o[0] = atomic_load_explicit(a, memory_order_seq_cst, memory_scope_work_group);
}
