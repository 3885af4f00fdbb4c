global int kept = 7;
kernel void k(global int *o) { o[0] = kept; kept = 8; }
