kernel void bring(global const @ty@ *from, global @ty@ *to, uint in_span, uint out_span) {
    local @ty@ near[@count@];
    const uint middle = @count@u / 2u;
    for (uint pass = 0; pass < @passes@u; pass++) {
        event_t e[2];
        uint part;
        size_t first = get_group_id(0) * in_span;
@into@        for (uint i = get_local_id(0); i < @count@u; i += get_local_size(0)) near[i] += (@ty@)1;
        barrier(CLK_LOCAL_MEM_FENCE);
        first = get_group_id(0) * out_span;
@back@        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    }
}
