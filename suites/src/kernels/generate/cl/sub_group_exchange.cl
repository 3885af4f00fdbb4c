@pragma@typedef @ty@ T;
static int holds(uint key) {
    return key % 3u != 0;
}
// Whether a mask has other bits than those from one on to before another.
static uint differs(uint4 mask, uint from, uint end) {
    uint bits[4], other = 0;
    vstore4(mask, 0, bits);
    for (uint i = 0; i < 128; i++) other |= (bits[i / 32u] >> i % 32u & 1u) != (uint)(i >= from && i < end);
    return other;
}
kernel void exchange(global long *out, global const uint *starts, uint a, uint by) {
    local T values[@largest@];
    local uint all_keys[@largest@], bases[@largest@], used;
@places@    uint all = (uint)(get_global_size(0) * get_global_size(1) * get_global_size(2));
    uint count = get_sub_group_size(), inside = get_sub_group_local_id();
    // Each sub-group takes as many places as it has work-items; none lies outside, whatever the device says of its
    // sub-groups.
    if (me == 0) used = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (inside == 0) bases[get_sub_group_id() % @largest@u] = atomic_add(&used, count);
    barrier(CLK_LOCAL_MEM_FENCE);
    uint begin = min(bases[get_sub_group_id() % @largest@u], @largest@u - 1u);
    count = min(count, @largest@u - begin);
    inside = min(inside, count - 1u);
    local T *sub = values + begin;
    local uint *keys = all_keys + begin;
    const uint key = (own * 7919u + @seed@u) % 21u;
    const long small = (long)key - 10;
    const T v = @made@;
    keys[inside] = key;
    sub[inside] = v;
    barrier(CLK_LOCAL_MEM_FENCE);
    uint wrong = 0;
@body@    out[own] = wrong == 0 ? (long)own : -1l - (long)wrong;
    out[own + all] = (long)own;
}
