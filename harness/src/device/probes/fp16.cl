#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void k(global half *o) { o[0] = o[1] * (half)2.0f; }
