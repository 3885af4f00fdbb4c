kernel void put(global uchar *bytes, global uint *here, global uint *bad, uint every, uint passes) {
    uint i = get_global_id(0), wrong = 0;
    bad[i] = 0;
    if (i % every == 0) return;
    @tell@
    volatile global uchar *own = bytes + i;
    uchar last = *own;
    for (uint pass = 0; pass < passes; pass++) {
        wrong += *own != last;
        *own = last = (uchar)(i * 3 + pass + 1);
    }
    bad[i] = wrong;
}
