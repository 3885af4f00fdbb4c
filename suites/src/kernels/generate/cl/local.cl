kernel void fill(global uint *wrong@parameters@) {
@declared@    uint group = get_group_id(0), size = get_local_size(0), me = get_local_id(0);
    for (uint pass = 0; pass < 3; pass++) {
        ulong token = (group * 8 + pass + 1) << 12;
@fills@        barrier(CLK_LOCAL_MEM_FENCE);
        uint bad = 0;
@checks@        wrong[get_global_id(0)] += bad;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
