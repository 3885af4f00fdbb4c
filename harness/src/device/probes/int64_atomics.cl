#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
kernel void k(global atomic_long *a, global long *o) {
  atomic_store_explicit(a, 1L, memory_order_relaxed, memory_scope_work_group);
  o[0] = atomic_fetch_add_explicit(a, 1L, memory_order_relaxed, memory_scope_work_group);
}
