constant uint table[@words@] = { @listed@ };
constant struct { uchar a; ulong b; ushort c[3]; } mixed = { 7, 0x123456789abcdefUL, { 1, 2, 3 } };
kernel void everywhere(global uint *out, constant uint *given, local uint *argument, uint words) {
    local uint fixed[@words@];
    uint own[@words@];
    uint me = get_local_id(0), size = get_local_size(0), item = get_global_id(0);
    for (uint pass = 0; pass < 2; pass++) {
        for (uint i = me; i < words; i += size) {
            fixed[i] = 0x10000u + i + pass;
            argument[i] = 0x20000u + i + pass;
        }
        for (uint i = 0; i < words; i++) {
            own[i] = 0x30000u + i + item + pass;
            out[item * words + i] = 0x40000u + i + item + pass;
        }
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
        uint bad = 0;
        for (uint i = 0; i < words; i++) {
            bad += fixed[i] != 0x10000u + i + pass;
            bad += argument[i] != 0x20000u + i + pass;
            bad += own[i] != 0x30000u + i + item + pass;
            bad += out[item * words + i] != 0x40000u + i + item + pass;
            bad += table[i] != given[i];
        }
        bad += mixed.a != 7 || mixed.b != 0x123456789abcdefUL || mixed.c[2] != 3;
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
        if (pass == 1) out[item * words] = bad;
    }
}
