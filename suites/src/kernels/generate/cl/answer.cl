@int64@@wait@kernel void answer(volatile global atomic_@ty@ *turn, global uint *data, volatile global atomic_uint *quit,
                   global uint *bad, uint rounds, uint words) {
    uint wrong = 0;
    for (uint k = 0; k < rounds; k++) {
        if (!await(turn, (@ty@)(2 * k + 1), quit)) break;
        for (uint i = 0; i < words; i++) wrong += data[i] != k * 7919u + i * 31u + @asked@u;
        for (uint i = 0; i < words; i++) data[i] = k * 104729u + i * 17u + @answered@u;
        @next@;
    }
    bad[0] = wrong;
}
