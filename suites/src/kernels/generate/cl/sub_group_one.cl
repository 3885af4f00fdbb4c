@pragma@typedef @ty@ T;
kernel void compare(global uint *out) {
    uint me = (uint)get_global_id(0), wrong = 0;
    T v = (T)((me * 7919u + @seed@u) % 21u);
    // How work-items are divided is the device's choice.
    if (get_num_sub_groups() == 1) {
@body@    wrong |= (get_sub_group_id() != 0 || get_sub_group_size() != get_local_size(0)) << 31;
    }
    out[me] = wrong;
}
