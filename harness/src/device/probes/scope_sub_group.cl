#ifdef cl_khr_subgroups
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
#endif
kernel void k(global atomic_int *a, global int *o) {
  atomic_store_explicit(a, 1, memory_order_relaxed, memory_scope_sub_group);
  o[0] = atomic_load_explicit(a, memory_order_relaxed, memory_scope_sub_group);
}
