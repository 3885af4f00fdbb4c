@variable@kernel void sample@n@(read_only @ty@_t image, global const int4 *restrict places, global int4 *restrict out, global int4 *asked@parameter@) {
    int4 where = places[get_global_id(0)];
@place@    @vector@ v = @function@(image, @how@@at@);
    out[get_global_id(0)] = @result@;
    int kept = (get_image_channel_data_type(image) == @channel@) + 2 * (get_image_channel_order(image) == @order@);
    if (get_global_id(0) == 0) *asked = (int4)(@size@, kept);
}
