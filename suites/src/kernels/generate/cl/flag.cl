kernel void crowd(global int *left, global int *out, volatile global uint *firsts, uint passes) {
@begin@    for (uint pass = 0; pass < passes; pass++) {
        int before;
        {
@operations@        }
        out[get_global_id(0) + pass * get_global_size(0)] = before;
    }
}
