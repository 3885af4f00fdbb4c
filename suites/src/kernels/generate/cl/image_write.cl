kernel void fill(write_only @ty@_t image, global const int4 *numbers, global int4 *asked) {
    uint n = (uint)((get_global_id(2) * @h@ + get_global_id(1)) * @w@ + get_global_id(0));
    if (n == 0) *asked = @answers@;
    n = (n * @stride@u + @first@u) % @elements@u;
    int4 where = (int4)(n % @w@, n / @w@ % @h@, n / (@w@ * @h@), 0);
    @vector@ v = @make@;
    if (n % @every@u == @rest@u) @function@(image, @at@, @written@);
}
