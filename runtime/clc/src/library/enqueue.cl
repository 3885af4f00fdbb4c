// Ranges (OpenCL C, Helper Functions): what `ndrange_t` is, and the functions that make one.
//
// Dimensions that a range does not have are of one work-item. Local sizes of zero leave the choice to the device.

struct range {
    ulong dimensions;
    ulong first[3], size[3], group[3];
};

static struct range range_of(ulong dimensions, const ulong *first, const ulong *size, const ulong *group) {
    struct range r;
    r.dimensions = dimensions;
    for (uint d = 0; d != 3; ++d) {
        bool used = d < dimensions;
        r.first[d] = used && first ? first[d] : 0;
        r.size[d] = used ? size[d] : 1;
        r.group[d] = group ? (used ? group[d] : 1) : 0;
    }
    return r;
}

struct range __enqueue_range_1_1(ulong size) { return range_of(1, 0, &size, 0); }

struct range __enqueue_range_1_2(ulong size, ulong group) { return range_of(1, 0, &size, &group); }

struct range __enqueue_range_1_3(ulong first, ulong size, ulong group) {
    return range_of(1, &first, &size, &group);
}

struct range __enqueue_range_2_1(const ulong *size) { return range_of(2, 0, size, 0); }

struct range __enqueue_range_2_2(const ulong *size, const ulong *group) { return range_of(2, 0, size, group); }

struct range __enqueue_range_2_3(const ulong *first, const ulong *size, const ulong *group) {
    return range_of(2, first, size, group);
}

struct range __enqueue_range_3_1(const ulong *size) { return range_of(3, 0, size, 0); }

struct range __enqueue_range_3_2(const ulong *size, const ulong *group) { return range_of(3, 0, size, group); }

struct range __enqueue_range_3_3(const ulong *first, const ulong *size, const ulong *group) {
    return range_of(3, first, size, group);
}
