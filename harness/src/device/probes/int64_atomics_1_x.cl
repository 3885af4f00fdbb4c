#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
kernel void k(volatile global long *a, global long *o) { o[0] = atom_add(a, 1L) + atom_or(a, 2L); }
