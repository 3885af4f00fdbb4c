#ifdef cl_khr_subgroups
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
#endif
kernel void k(global uint *o) {
  sub_group_barrier(CLK_GLOBAL_MEM_FENCE);
  o[get_global_id(0)] = get_sub_group_id() + get_sub_group_local_id();
}
