kernel void root(global uint *cells, global uint *wrong, global ulong *times@parameter@) {
    node0(cells, wrong, times, @queue@);
}
kernel void hold(global const ulong *times, global uint *out) {
    const int parents[] = { @parents@ };
    size_t n = get_global_id(0);
    uint wrong = times[2 * n] == (ulong)-1 || times[2 * n] > times[2 * n + 1];
    // All of a child lies between the start of its parent and when that is complete.
    if (parents[n] >= 0) wrong |= times[2 * n + 1] > times[2 * parents[n] + 1];
    out[n] = wrong;
}
