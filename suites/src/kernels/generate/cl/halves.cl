@int64@kernel void halves(volatile global atomic_@t@ *p, global uint *torn, uint passes) {
    uint item = get_global_id(0), bad = 0;
    for (uint pass = 0; pass < passes; pass++) {
        @t@ one = (@t@)(item * 131u + pass & 0x7fffu) + 1;
        @t@ v = one << @half@ | one;
        @store@;
        @t@ seen = @load@;
        bad += (seen >> @half@) != (seen & (((@t@)1 << @half@) - 1));
    }
    torn[item] = bad;
}
