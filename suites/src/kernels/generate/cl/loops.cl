kernel void simple(volatile global uint *sums, volatile global uint *marks, uint turns, uint more) {
    const size_t me = get_global_id(0);
    const uint mine = turns + more * (uint)me;
    for (uint i = 0; i < mine; ++i) sums[me] += 1u;
    marks[me] += 1u;
}
kernel void nested(volatile global uint *sums, volatile global uint *marks, uint turns, uint more) {
    const size_t me = get_global_id(0);
    const uint mine = turns + more * (uint)me;
    uint done = 0;
    for (uint outer = 0; done < mine; ++outer)
        for (uint inner = 0; inner <= outer && done < mine; ++inner, ++done) sums[me] += 1u;
    marks[me] += 1u;
}
kernel void leaving(volatile global uint *sums, volatile global uint *marks, uint turns, uint more) {
    const size_t me = get_global_id(0);
    const uint mine = turns + more * (uint)me;
    uint i = 0;
    while (true) {
        if (i++ == mine) break;
        if (i % 3u == 0u) { sums[me] += 1u; continue; }
        sums[me] += 1u;
    }
    marks[me] += 1u;
}
kernel void meeting(volatile global uint *sums, volatile global uint *marks, uint turns, uint more) {
    const size_t me = get_global_id(0);
    const uint mine = turns + more * (uint)me;
    uint i = 0;
    if (mine) do sums[me] += 1u; while (++i < mine);
    barrier(CLK_GLOBAL_MEM_FENCE);
    marks[me] += 1u;
}
