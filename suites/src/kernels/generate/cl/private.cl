typedef struct { uint2 pair; uchar bytes[5]; } thing;
kernel void keep(global uint *wrong) {
    uint cells[@words@];
    thing things[4];
    uint me = get_global_id(0) * 65536u + 1u;
    for (uint i = 0; i < @words@u; i++) cells[i] = me + i * @stride@u;
    for (uint i = 0; i < 4; i++) {
        things[i].pair = (uint2)(me + i, me - i);
        for (uint b = 0; b < 5; b++) things[i].bytes[b] = (uchar)(get_global_id(0) * 5u + b + i);
    }
    uint bad = 0;
    for (uint pass = 0; pass < 3; pass++) {
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint i = 0; i < @words@u; i++) {
            bad += cells[i] != me + i * @stride@u + pass;
            cells[i] += 1u;
        }
        for (uint i = 0; i < 4; i++) {
            bad += things[i].pair.x != me + i || things[i].pair.y != me - i;
            for (uint b = 0; b < 5; b++)
                bad += things[i].bytes[b] != (uchar)(get_global_id(0) * 5u + b + i);
        }
    }
    wrong[get_global_id(0)] = bad;
}
