@pragma@typedef @ty@ T;
kernel void compare(global uint *out) {
    uint me = (uint)get_global_id(0), wrong = 0;
    uint inside = (uint)get_local_id(0), count = (uint)get_local_size(0), number = (uint)get_group_id(0);
    uint odd = number % 3u == 0 ? count - 1u : (@seed@u + number) % (count + 1u);
    long small = inside == odd ? (number % 2u == 1u ? 21l : -21l) : (long)((me * 7919u + @seed@u) % 21u) - 10;
    T v = @made@;
    // How work-items are divided is the device's choice.
    if (get_num_sub_groups() == 1) {
@body@    wrong |= (get_sub_group_id() != 0 || get_sub_group_size() != get_local_size(0)) << 31;
    }
    out[me] = wrong;
}
