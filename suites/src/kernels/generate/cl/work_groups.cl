@pragma@kernel void collect(@parameters@) {
    uint group = (uint)((get_group_id(2) * get_num_groups(1) + get_group_id(1)) * get_num_groups(0) + get_group_id(0));
    uint me = (uint)get_local_linear_id();
    uint mixed = (group * 977u + me * 7919u + @seed@u) * 2654435761u;
    @ty@ v = (@ty@)((long)(mixed >> 16) % @spread@ - @spread@ / 2 + @bias@);
    uint from = @at@u;
    size_t item = get_global_linear_id();
    @ty@ result;
@calls@}
