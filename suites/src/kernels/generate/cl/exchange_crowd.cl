@pragmas@@declared@kernel void crowd(volatile global atomic_@t@ *shared, volatile global atomic_uint *here,
                  volatile global atomic_uint *quit, global @bits@ *out, uint passes, uint first) {
    volatile global atomic_@t@ *p = @place@;
    uint item = get_global_id(0);
    atomic_store_explicit(here, 1u, memory_order_relaxed, memory_scope_@scope@);
    for (uint pass = 0; pass < passes; pass++) {
        uint i = first + item * passes + pass;
        @bits@ before;
        @operations@
        out[i - first] = before;
    }
}
kernel void last(volatile global atomic_@t@ *shared, global @bits@ *one, global @bits@ *two, global @bits@ *all,
                 uint ones, uint twos) {
    @told@
    for (uint i = 0; i < ones; i++) all[i] = one[i];
    for (uint i = 0; i < twos; i++) all[ones + i] = two[i];
    all[ones + twos] = @left@;
}
