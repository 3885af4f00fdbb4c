uint load(const uint *p) { return *p; }
void add(uint *p, uint n) { *p += n; }
uint region(const uint *p) {
    uint kind = 0;
@kinds@    return kind;
}
kernel void roam(global uint *cells, local uint *near, global uint *out) {
    uint own = @value@u;
    uint me = get_local_id(0), item = get_global_id(0);
    near[me] = @value@u + 2;
    cells[item] = @value@u + 4;
    uint *which[3] = { cells + item, near + me, &own };
    for (uint i = 0; i < 3; i++) {
        uint *p = which[(i + item) % 3];
        add(p, item + 1);
    }
    out[item * 7] = load(&own) - @value@u;
    out[item * 7 + 1] = near[me] - @value@u;
    out[item * 7 + 2] = cells[item] - @value@u;
    for (uint i = 0; i < 3; i++) out[item * 7 + 3 + i] = region(which[i]) & (i == 2 ? 7u | 16u : 31u);
    out[item * 7 + 6] = @led@;
}
