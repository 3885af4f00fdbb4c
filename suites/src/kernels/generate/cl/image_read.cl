@variable@kernel void sample@n@(read_only @ty@_t image, global const int4 *restrict places, global int4 *restrict out, global int4 *asked@parameter@) {
@inside@    int4 where = places[get_global_id(0)];
@place@    @vector@ v = @read@;
    out[get_global_id(0)] = @result@;
    if (get_global_id(0) == 0) *asked = @answers@;
}
