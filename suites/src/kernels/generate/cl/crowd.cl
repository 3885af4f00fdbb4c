kernel void crowd(global @t@ *left, global @word@ *out, volatile global uint *firsts, uint passes) {
    const uint base = @base@;
@declare@@begin@    for (uint pass = 0; pass < passes; pass++) {
        @t@ i = (@t@)(@item@ + pass * @all@ + base), before;
        {
@operations@        }
        out[get_global_id(0) + pass * get_global_size(0)] = (@word@)before;
@first@    }
@end@}
