/* ---- the map of sub-groups --------------------------------------------------------------------- */

/* What the host is told of the sub-groups of work-groups of one shape. */
struct sub_groups {
    size_t size, count, local, again;
};

static inline size_t sub_group_info(cl_kernel kernel, cl_kernel_sub_group_info what,
                                    const size_t *input, size_t bytes)
{
    size_t answer = 0;
    must(clGetKernelSubGroupInfo(kernel, device, what, bytes, input, sizeof answer, &answer, NULL),
         "clGetKernelSubGroupInfo");
    return answer;
}

static inline struct sub_groups ask_sub_groups(const char *name, const size_t *local, size_t bytes)
{
    cl_int code;
    cl_kernel kernel = clCreateKernel(program, name, &code);
    must(code, "clCreateKernel");
    struct sub_groups told = { 0, 0, 1, 0 };
    told.size = sub_group_info(kernel, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, local, bytes);
    told.count = sub_group_info(kernel, CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, local, bytes);
    size_t sizes[3] = { 0, 0, 0 }, length = 0;
    must(clGetKernelSubGroupInfo(kernel, device, CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT,
                                 sizeof told.count, &told.count, 0, NULL, &length),
         "clGetKernelSubGroupInfo");
    /* Nothing is told by an implementation that does not say how long its answer is. */
    if (length == 0 || length > sizeof sizes)
        told.local = 0;
    else
        must(clGetKernelSubGroupInfo(kernel, device, CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT,
                                     sizeof told.count, &told.count, length, sizes, NULL),
             "clGetKernelSubGroupInfo");
    for (size_t n = 0; told.local && n < length / sizeof sizes[0]; n++)
        told.local *= sizes[n];
    if (told.local)
        told.again = sub_group_info(kernel, CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, &told.local,
                                    sizeof told.local);
    clReleaseKernel(kernel);
    return told;
}

/* Words in a record of a work-item: the number of its sub-group, its place in it, the size, the largest
   size, the number of sub-groups, and the same for a whole work-group. */
#define SUB_GROUP_FIELDS 6

/* Holds one work-group of so many work-items against what the host is told; whether it is right. */
static inline int expect_sub_group(const char *rules, const char *name, size_t group, size_t size,
                                   const unsigned char *records, size_t whole, struct sub_groups told)
{
    unsigned long long count = element(records, 4, 4);
    if (count == 0 || count > size || (size == whole && count != told.count)) {
        violation(rules, "%s: group %zu of %zu work-items: %llu sub-groups, the host is told %zu", name,
                  group, size, count, told.count);
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
        right = r[0] < count && r[1] < r[2] && r[2] <= r[3] && r[3] == told.size && r[4] == count &&
                r[5] == told.count && r[1] < size && !taken[r[0] * size + r[1]] &&
                (sizes[r[0]] == 0 || sizes[r[0]] == r[2]);
        if (!right) {
            violation(rules,
                      "%s: group %zu of %zu work-items: work-item %zu: place %llu of %llu, at most %llu,"
                      " in sub-group %llu of %llu (%llu in a whole group); the host is told %zu of %zu",
                      name, group, size, me, r[1], r[2], r[3], r[0], r[4], r[5], told.count, told.size);
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
                                     const cl_uint *groups, size_t count, struct sub_groups told)
{
    size_t whole = 0;
    for (size_t n = 0; n < count; n++)
        whole = groups[n] > whole ? groups[n] : whole;
    if (told.count == 0 || told.size == 0)
        violation(rules, "%s: the host is told of %zu sub-groups of %zu", name, told.count, told.size);
    else if (told.local != 0 && told.again != told.count)
        violation(rules, "%s: the host is told of a local size for %zu sub-groups that has %zu", name,
                  told.count, told.again);
    else
        for (size_t n = 0; n < count; n++) {
            if (!expect_sub_group(rules, name, n, groups[n], seen, whole, told))
                return;
            seen += groups[n] * SUB_GROUP_FIELDS * 4;
        }
}

