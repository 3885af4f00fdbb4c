kernel void exchange(read_write @ty@_t image, global uint *wrong, global int4 *asked) {
    uint me = (uint)get_local_id(0), group = (uint)get_group_id(0), bad = 0;
    for (uint pass = 0; pass < @passes@u; pass++) {
        uint mine = (me * 5u + group * 3u + pass * 31u + 1u) & 0xffu;
        write_imageui(image, @own@, (uint4)(mine));
        @order_it@
        uint other = @read@;
        uint wanted = (other * 5u + group * 3u + pass * 31u + 1u) & 0xffu;
        bad += read_imageui(image, @theirs@).x != wanted;
        @order_it@
    }
    wrong[get_global_id(0)] = bad;
    if (get_global_id(0) == 0) *asked = @answers@;
}
