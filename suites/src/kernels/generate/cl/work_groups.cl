@pragma@kernel void collect(@parameters@) {
    uint group = (uint)((get_group_id(2) * get_num_groups(1) + get_group_id(1)) * get_num_groups(0) + get_group_id(0));
    uint me = (uint)get_local_linear_id();
    uint mixed = (group * 977u + me * 7919u + @seed@u) * 2654435761u;
    uint size = (uint)(get_local_size(0) * get_local_size(1) * get_local_size(2));
    uint odd = group % 3u == 0 ? size - 1u : (@at@u + group) % (size + 1u);
    long small = me == odd ? (group % 2u == 1u ? @spread@ : -@spread@) : (long)(mixed >> 16) % @spread@ - @spread@ / 2;
    @ty@ v = @made@;
    uint from = @at@u;
    size_t item = get_global_linear_id();
    @ty@ result;
@calls@}
