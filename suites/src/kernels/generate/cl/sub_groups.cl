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
kernel void compare(global const uint *first, global const uint *map, global const uint *twins, global ulong *pairs) {
    uint n = (uint)get_global_id(0), all = (uint)get_global_size(0);
    global const uint *own = map + n * @sub_group_fields@u;
    // A work-item of a group at the edge is its own twin.
    global const uint *twin = (twins[n] == n ? map : first) + twins[n] * @sub_group_fields@u;
    pairs[n] = (ulong)own[0] << 32 | own[1];
    pairs[all + n] = (ulong)twin[0] << 32 | twin[1];
}
