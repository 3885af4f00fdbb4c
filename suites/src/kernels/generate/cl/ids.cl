kernel void ids(global uint *count, global ulong *out, uint most) {
    uint slot = atomic_inc(count);
    if (slot >= most) return;
    global ulong *record = out + 1 + (ulong)slot * 27;
    for (uint d = 0; d < 3; d++) {
        record[d] = get_global_id(d);
        record[3 + d] = get_local_id(d);
        record[6 + d] = get_group_id(d);
        record[9 + d] = get_global_size(d);
        record[12 + d] = get_local_size(d);
#if __OPENCL_C_VERSION__ >= 200
        record[15 + d] = get_enqueued_local_size(d);
#else
        record[15 + d] = get_local_size(d);
#endif
        record[18 + d] = get_num_groups(d);
        record[21 + d] = get_global_offset(d);
    }
    record[24] = get_work_dim();
#if __OPENCL_C_VERSION__ >= 200
    record[25] = get_global_linear_id();
    record[26] = get_local_linear_id();
#else
    record[25] = ((get_global_id(2) - get_global_offset(2)) * get_global_size(1)
                  + get_global_id(1) - get_global_offset(1)) * get_global_size(0)
               + get_global_id(0) - get_global_offset(0);
    record[26] = (get_local_id(2) * get_local_size(1) + get_local_id(1)) * get_local_size(0)
               + get_local_id(0);
#endif
}
kernel void tell(global uint *count, global ulong *out) { out[0] = *count; }
