kernel void begin(global uint *to, uint value) {
    local atomic_uint here[16];
    uint item = get_local_id(0);
    if (item == 0)
        for (uint n = 0; n < 16; n++) ((local uint *)here)[n] = 7u;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_init(&here[item], value + (uint)get_global_id(0));
    to[get_global_id(0)] =
        atomic_load_explicit(&here[item], memory_order_relaxed, memory_scope_work_group);
}
