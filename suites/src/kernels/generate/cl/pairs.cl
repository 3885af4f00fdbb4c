void side(volatile global atomic_uint *turns, global uint *shared, volatile global atomic_uint *quits,
          global uint *bad, uint rounds, uint me) {
    volatile global atomic_uint *turn = @turn@;
    global uint *data = @data@;
    uint wrong = 0;
    for (uint k = 0; k < rounds; k++) {
        uint r = 2 * k + me;
        if (!await(turn, r, @quit@)) break;
        for (uint i = 0; r && i < @words@u; i++) wrong += data[i] != (r - 1) * 7919u + i * 31u + @seed@u;
        for (uint i = 0; i < @words@u; i++) data[i] = r * 7919u + i * 31u + @seed@u;
        @say@;
    }
    bad[0] = wrong;
}
kernel void one(volatile global atomic_uint *turns, global uint *shared, volatile global atomic_uint *quits,
                global uint *bad, uint rounds, uint me) {
    side(turns, shared, quits, bad, rounds, me);
}
kernel void groups(volatile global atomic_uint *turns, global uint *shared, volatile global atomic_uint *quits,
                   global uint *bad, global uint *other, uint rounds) {
    uint come = atomic_inc(&other[1]);
    if (come < 2) side(turns, shared, quits, come ? other : bad, rounds, come);
}
