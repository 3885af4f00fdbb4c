@before@// What a work-item writes, in whole numbers that the channels keep exactly, with what those are that the image lacks.
int4 numbers(uint me, uint group, uint pass) {
    uint4 mixed = ((uint4)(0u, 1u, 2u, 3u) + me * 5u + group * 3u + pass * 31u) * 2654435761u;
    mixed ^= mixed >> 15;
    return (@range@ & (int4)(@channels@)) | (int4)(0, 0, 0, @alpha@);
}
kernel void exchange(read_write @ty@_t image, global uint *wrong, global int4 *asked) {
    uint me = (uint)get_local_id(0), group = (uint)get_group_id(0), bad = 0;
    for (uint pass = 0; pass < @passes@u; pass++) {
        int4 mine = numbers(me, group, pass);
        @write@(image, @own@, @made@);
        @order_it@
        uint other = @other@;
        @vector@ v = @read@;
        bad += any(@result@ != numbers(other, group, pass));
        @order_it@
    }
    wrong[get_global_id(0)] = bad;
    if (get_global_id(0) == 0) *asked = @answers@;
}
