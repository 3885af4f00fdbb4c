@variable@kernel void sample@n@(read_only @ty@_t image, global const int4 *places, global int4 *out@parameter@) {
    int4 where = places[get_global_id(0)];
@place@    @vector@ v = @function@(image, @how@@at@);
    out[get_global_id(0)] = @result@;
}
