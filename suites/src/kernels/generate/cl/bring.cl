@pragma@kernel void bring(global const @ty@ *from, global @ty@ *to, uint in_span, uint out_span) {
    local @ty@ near[@count@];
    const uint middle = @count@u / 2u;
    const uint me = get_local_id(1) * get_local_size(0) + get_local_id(0);
    const uint all = get_local_size(0) * get_local_size(1);
    for (uint pass = 0; pass < @passes@u; pass++) {
        event_t e[2];
        prefetch(from + get_group_id(0) * in_span, 1);
        uint part;
        size_t first = get_group_id(0) * in_span;
@into@        // One more in each part, whatever its type is.
        for (uint i = me; i < @parts@u; i += all) ((local @part@ *)near)[@index@] += 1;
        barrier(CLK_LOCAL_MEM_FENCE);
        first = get_group_id(0) * out_span;
@back@        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    }
}
