@pragma@typedef @ty@ T;
kernel void collect(global long *out, global const uint *starts, global uint *exchange) {
    local T values[@largest@];
    local uint cells[@largest@], bases[@largest@], used;
@places@    uint all = (uint)(get_global_size(0) * get_global_size(1) * get_global_size(2));
    uint count = get_sub_group_size(), inside = get_sub_group_local_id();
    // Each sub-group takes as many places as it has work-items; none lies outside, whatever the
    // device says of its sub-groups.
    if (me == 0) used = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (inside == 0) bases[get_sub_group_id() % @largest@u] = atomic_add(&used, count);
    barrier(CLK_LOCAL_MEM_FENCE);
    uint begin = min(bases[get_sub_group_id() % @largest@u], @largest@u - 1u);
    count = min(count, @largest@u - begin);
    inside = min(inside, count - 1u);
    local T *sub = values + begin;
    // The last work-item, another or none stands out: it has the least or the greatest number of all.
    uint number = group + get_sub_group_id();
    uint odd = number % 3u == 0 ? count - 1u : (@seed@u + number) % (count + 1u);
    long small = inside == odd ? (number % 2u == 1u ? 21l : -21l) : (long)((own * 7919u + @seed@u) % 21u) - 10;
    T v = @made@;
    sub[inside] = v;
    barrier(CLK_LOCAL_MEM_FENCE);
    T result = @call@;
    T r = @first@;
    for (uint i = 0; i < @end@; i++) @fold@;
    out[own] = result == r ? (long)own : -1l - (long)own;
    out[own + all] = (long)own;
    uint wrong = 0;
    for (uint pass = 0; pass < 4; pass++) {
        cells[begin + inside] = own * 4 + pass;
        sub_group_barrier(CLK_LOCAL_MEM_FENCE);
        uint other = (inside + 1) % count;
        wrong += cells[begin + other] % 4 != pass;
        sub_group_barrier(CLK_LOCAL_MEM_FENCE);
    }
    exchange[own] = wrong;
}
