/* ---- the map of sub-groups --------------------------------------------------------------------- */

/* What the host is told of the sub-groups of work-groups of one shape. */
struct sub_groups {
    size_t size, count, local, again;
};

/* The answers to what was asked: the last three where the implementation said how long its answer is. */
static inline struct sub_groups sub_groups_of(unsigned size, unsigned count, unsigned local,
                                              unsigned length, unsigned again)
{
    struct sub_groups said = { 0, 0, 0, 0 };
    said.size = answers[size].there ? (size_t)number(size) : 0;
    said.count = answers[count].there ? (size_t)number(count) : 0;
    if (answers[length].there && number(length) > 0 && answers[local].there && answers[again].there) {
        said.local = (size_t)number(local);
        said.again = (size_t)number(again);
    }
    return said;
}

/* Words in a record of a work-item: the number of its sub-group, its place in it, the size, the largest
   size, the number of sub-groups, and the same for a whole work-group. */
#define SUB_GROUP_FIELDS 6

/* Holds one work-group of so many work-items against what the host is told; whether it is right. */
static inline int expect_sub_group(const char *rules, const char *name, size_t group, size_t size,
                                   const unsigned char *records, size_t whole, struct sub_groups said)
{
    unsigned long long count = element(records, 4, 4);
    if (count == 0 || count > size || (size == whole && count != said.count)) {
        violation(rules, "%s: group %zu of %zu work-items: %llu sub-groups, the host is told %zu", name,
                  group, size, count, said.count);
        return 0;
    }
    /* The size of each sub-group, and which of its places are taken. */
    cl_uint *sizes = (cl_uint *)room(count * sizeof *sizes);
    unsigned char *taken = room(count * size);
    int right = 1;
    for (size_t me = 0; me < size && right; me++) {
        unsigned long long r[SUB_GROUP_FIELDS];
        for (unsigned f = 0; f < SUB_GROUP_FIELDS; f++)
            r[f] = element(records, 4, me * SUB_GROUP_FIELDS + f);
        right = r[0] < count && r[1] < r[2] && r[2] <= r[3] && r[3] == said.size && r[4] == count &&
                r[5] == said.count && r[1] < size && !taken[r[0] * size + r[1]] &&
                (sizes[r[0]] == 0 || sizes[r[0]] == r[2]);
        if (!right) {
            violation(rules,
                      "%s: group %zu of %zu work-items: work-item %zu: place %llu of %llu, at most %llu,"
                      " in sub-group %llu of %llu (%llu in a whole group); the host is told %zu of %zu",
                      name, group, size, me, r[1], r[2], r[3], r[0], r[4], r[5], said.count, said.size);
            break;
        }
        sizes[r[0]] = (cl_uint)r[2];
        taken[r[0] * size + r[1]] = 1;
    }
    for (size_t n = 0; n < count && right; n++) {
        right = n + 1 < count ? sizes[n] == sizes[0] : sizes[n] > 0 && sizes[n] <= sizes[0];
        for (size_t place = 0; place < sizes[n] && right; place++)
            right = place < size && taken[n * size + place];
        if (!right)
            violation(rules, "%s: group %zu of %zu work-items: sub-group %zu of %llu has %u work-items",
                      name, group, size, n, count, sizes[n]);
    }
    free(taken);
    free(sizes);
    return right;
}

/* Which work-items make up a sub-group is the device's choice; all sub-groups of a work-group have one
   size, but for the last, which may be smaller. */
static inline void expect_sub_groups(const char *rules, const char *name, const unsigned char *seen,
                                     const cl_uint *groups, size_t count, struct sub_groups said)
{
    size_t whole = 0;
    for (size_t n = 0; n < count; n++)
        whole = groups[n] > whole ? groups[n] : whole;
    if (said.count == 0 || said.size == 0)
        violation(rules, "%s: the host is told of %zu sub-groups of %zu", name, said.count, said.size);
    else if (said.local != 0 && said.again != said.count)
        violation(rules, "%s: the host is told of a local size for %zu sub-groups that has %zu", name,
                  said.count, said.again);
    else
        for (size_t n = 0; n < count; n++) {
            if (!expect_sub_group(rules, name, n, groups[n], seen, whole, said))
                return;
            seen += groups[n] * SUB_GROUP_FIELDS * 4;
        }
}

