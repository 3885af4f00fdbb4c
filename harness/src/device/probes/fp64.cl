#pragma OPENCL EXTENSION cl_khr_fp64 : enable
kernel void k(global double *o) { o[0] = o[1] * 2.0; }
