@pragma@typedef @ty@ T;
static int holds(T value) {
    return (int)value % 3 != 0;
}
kernel void exchange(global long *out, global const uint *starts) {
    local T values[@largest@];
    local uint bases[@largest@], used;
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
    T v = (T)((own * 7919u + @seed@u) % 21u);
    sub[inside] = v;
    barrier(CLK_LOCAL_MEM_FENCE);
    T result = (T)0, r = (T)0;
@body@    out[own] = result == r ? (long)own : -1l - (long)own;
    out[own + all] = (long)own;
}
