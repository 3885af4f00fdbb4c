kernel void k(global atomic_int *a, local atomic_uint *b, global int *o) {
  atomic_store_explicit(a, 1, memory_order_relaxed, memory_scope_work_group);
  o[0] = atomic_load_explicit(a, memory_order_relaxed, memory_scope_work_group)
       + (int)atomic_fetch_add_explicit(b, 1u, memory_order_relaxed, memory_scope_work_group);
}
