kernel void hold(volatile global atomic_flag *flag, volatile global atomic_uint *here, global uint *data,
                 volatile global atomic_uint *holders, global uint *bad, uint passes) {
    uint wrong = 0, held = 0;
    atomic_store_explicit(here, 1u, memory_order_relaxed, @scope@);
    for (uint pass = 0; pass < passes; pass++) {
        for (uint tries = 0; tries < 1000; tries++) {
            if (atomic_flag_test_and_set_explicit(flag, memory_order_@take@, @scope@)) continue;
            uint one = data[0], two = data[1];
            wrong += one != two;
            data[0] = one + 1;
            data[1] = two + 1;
            held++;
            atomic_flag_clear_explicit(flag, memory_order_@give@, @scope@);
            break;
        }
    }
    atomic_fetch_add_explicit(holders, held, memory_order_relaxed, @scope@);
    bad[get_global_id(0)] = wrong;
}
kernel void compare(global uint *data, global uint *holders, global uint *out) {
    out[0] = data[0]; out[1] = data[1]; out[2] = out[3] = holders[0];
}
