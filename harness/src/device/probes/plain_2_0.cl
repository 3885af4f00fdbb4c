#if __OPENCL_C_VERSION__ < 200
#error an older language version
#endif
kernel void k(global int *o) { o[0] = 1; }
