kernel void k(global int *o) { o[get_global_id(0)] = work_group_reduce_add(1); }
