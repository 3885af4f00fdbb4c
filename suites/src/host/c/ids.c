/* ---- the ids of work-items --------------------------------------------------------------------- */

/* A record has for each of three dimensions these functions' values, then get_work_dim(), the global
   and the local linear id. */
#define FIELDS 27
static const char *const field_names[] = {
    "get_global_id", "get_local_id", "get_group_id", "get_global_size", "get_local_size",
    "get_enqueued_local_size", "get_num_groups", "get_global_offset"
};
static const char *const field_rules[] = {
    "ex.nd.global-id", "ex.nd.local-id", "ex.nd.local-id", "ex.nd.group-count",
    "ex.nd.group-count", "ex.nd.group-count", "ex.nd.group-count", "ex.nd.offset",
    "ex.nd.group-count"
};

struct space {
    unsigned dimensions;
    int local_known, uniform, remainder, offset;
    cl_ulong global[3], first[3], local[3], times;
};

static inline int by_id(const void *one, const void *other)
{
    const cl_ulong *a = one, *b = other;
    for (int d = 2; d >= 0; d--)
        if (a[d] != b[d])
            return a[d] > b[d] ? 1 : -1;
    return memcmp(a, b, FIELDS * sizeof *a);
}

static inline int inside(const cl_ulong *record, const struct space *s)
{
    for (int d = 0; d < 3; d++)
        if (record[d] < s->first[d] || record[d] - s->first[d] >= s->global[d])
            return 0;
    return 1;
}

static inline cl_ulong linear(const cl_ulong at[3], const cl_ulong of[3])
{
    return (at[2] * of[1] + at[1]) * of[0] + at[0];
}

/* A count of records in the first long, then the records, in any order. Each is known by its global
   id; from that, the offset, the global size and the local size everything else follows. */
static inline void expect_ids(const unsigned char *seen, size_t bytes, struct space s)
{
    cl_ulong *longs = (cl_ulong *)room(bytes + 8);
    memcpy(longs, seen, bytes);
    const char *global_rules = s.offset ? "ex.nd.global-id|ex.nd.offset" : "ex.nd.global-id";
    cl_ulong range = s.global[0] * s.global[1] * s.global[2], ran = longs[0];
    if (ran != range * s.times)
        violation(s.remainder ? "ex.nd.non-uniform|ex.nd.group-count|ex.nd.global-id|ex.ki.completion"
                              : "ex.nd.group-count|ex.nd.global-id|ex.ki.completion",
                  "%llu work-items ran, not %llu", (unsigned long long)ran,
                  (unsigned long long)(range * s.times));
    size_t there = bytes / 8 ? (bytes / 8 - 1) / FIELDS : 0, count = ran < there ? (size_t)ran : there;
    cl_ulong *records = longs + 1;
    qsort(records, count, FIELDS * sizeof *records, by_id);
    cl_ulong distinct = 0;
    int stray = 0, often = 0;
    for (size_t n = 0, next; n < count; n = next) {
        const cl_ulong *r = records + n * FIELDS;
        for (next = n + 1; next < count; next++)
            if (memcmp(r, records + next * FIELDS, 3 * sizeof *r) != 0)
                break;
        if (!inside(r, &s)) {
            if (!stray++)
                violation(global_rules,
                          "a work-item has the global id [%llu, %llu, %llu], outside the range",
                          (unsigned long long)r[0], (unsigned long long)r[1],
                          (unsigned long long)r[2]);
            continue;
        }
        distinct++;
        if (next - n != s.times && !often++)
            violation(global_rules,
                      "%zu work-items have the global id [%llu, %llu, %llu], not %llu", next - n,
                      (unsigned long long)r[0], (unsigned long long)r[1], (unsigned long long)r[2],
                      (unsigned long long)s.times);
    }
    if (!often && distinct < range)
        violation(global_rules, "global ids of the range are no work-item's");
    /* Where the implementation chose the local size, it is what it says. */
    for (int d = 0; d < 3 && !s.local_known; d++)
        s.local[d] = count ? records[15 + d] : 1;
    if (!s.local[0] || !s.local[1] || !s.local[2]) {
        violation("ex.nd.null-local|ex.nd.group-count", "a local size is 0");
        free(longs);
        return;
    }
    for (int d = 0, told = 0; d < 3; d++)
        if (s.uniform && s.global[d] % s.local[d] != 0 && !told++)
            violation("ex.nd.null-local|ex.nd.uniform-required",
                      "the implementation chose a local size that does not divide the global size");
    int told[FIELDS] = { 0 };
    for (size_t n = 0; n < count; n++) {
        const cl_ulong *r = records + n * FIELDS;
        if (!inside(r, &s))
            continue;
        cl_ulong right[FIELDS], within[3], whole[3], at[3];
        for (int d = 0; d < 3; d++) {
            at[d] = r[d] - s.first[d];
            cl_ulong group = at[d] / s.local[d], rest = s.global[d] - group * s.local[d];
            within[d] = at[d] % s.local[d];
            whole[d] = s.local[d] < rest ? s.local[d] : rest;
            const cl_ulong values[] = { r[d], within[d], group, s.global[d], whole[d], s.local[d],
                                        (s.global[d] + s.local[d] - 1) / s.local[d], s.first[d] };
            for (int f = 0; f < 8; f++)
                right[f * 3 + d] = values[f];
        }
        right[24] = s.dimensions;
        right[25] = linear(at, s.global);
        right[26] = linear(within, whole);
        for (int f = 0; f < FIELDS; f++) {
            if (r[f] == right[f] || told[f]++)
                continue;
            char name[60];
            if (f < 24)
                snprintf(name, sizeof name, "%s(%d)", field_names[f / 3], f % 3);
            else
                snprintf(name, sizeof name, "%s", f == 24   ? "get_work_dim()"
                                                  : f == 25 ? "get_global_linear_id()"
                                                            : "get_local_linear_id()");
            violation(field_rules[f / 3], "%s is %llu, not %llu, for the global id [%llu, %llu, %llu]",
                      name, (unsigned long long)r[f], (unsigned long long)right[f],
                      (unsigned long long)r[0], (unsigned long long)r[1],
                      (unsigned long long)r[2]);
        }
    }
    free(longs);
}

