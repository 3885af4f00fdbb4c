kernel void tell(global uint *out, global const uint *starts) {
@places@    global uint *record = out + own * @sub_group_fields@u;
    record[0] = get_sub_group_id();
    record[1] = get_sub_group_local_id();
    record[2] = get_sub_group_size();
    record[3] = get_max_sub_group_size();
    record[4] = get_num_sub_groups();
    record[5] = get_enqueued_num_sub_groups();
}
kernel void join(global const uint *first, global const uint *second, global uint *both) {
    uint n = (uint)get_global_id(0), all = (uint)get_global_size(0);
    both[n] = first[n];
    both[all + n] = second[n];
}
