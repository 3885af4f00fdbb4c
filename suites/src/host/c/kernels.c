/* ---- the kernels of a program ------------------------------------------------------------------ */

static inline int by_name(const void *one, const void *other)
{
    return strcmp(*(char *const *)one, *(char *const *)other);
}

/* The names in a list with semicolons, sorted; so many at most. The list is cut up. */
static inline size_t cut(char *list, char **names, size_t most)
{
    size_t count = 0;
    for (char *name = strtok(list, "; "); name && count < most; name = strtok(NULL, "; "))
        names[count++] = name;
    qsort(names, count, sizeof *names, by_name);
    return count;
}

/* The kernels that a program was made of are those that it counts, names and makes; `*` are all built-in
   kernels of the device. */
static inline void expect_kernels(const char *rules, cl_program of, const char *asked)
{
    static char wanted[10000], named[10000];
    static char *wanted_names[500], *names[500];
    size_t counted = 0;
    snprintf(wanted, sizeof wanted, "%s", asked);
    if (strcmp(asked, "*") == 0)
        must(clGetDeviceInfo(devices[0], CL_DEVICE_BUILT_IN_KERNELS, sizeof wanted, wanted, NULL),
             "clGetDeviceInfo");
    must(clGetProgramInfo(of, CL_PROGRAM_KERNEL_NAMES, sizeof named, named, NULL),
         "clGetProgramInfo");
    must(clGetProgramInfo(of, CL_PROGRAM_NUM_KERNELS, sizeof counted, &counted, NULL),
         "clGetProgramInfo");
    size_t count = cut(wanted, wanted_names, 500), found = cut(named, names, 500);
    if (counted != count)
        violation(rules, "a program of %zu kernels has %zu", count, counted);
    else if (found != count)
        violation(rules, "a program of %zu kernels names %zu", count, found);
    for (size_t n = 0; n < count && found == count; n++) {
        char own[1000] = "";
        cl_int code;
        if (strcmp(wanted_names[n], names[n]) != 0)
            violation(rules, "a program of the kernel %s names %s", wanted_names[n], names[n]);
        cl_kernel kernel = clCreateKernel(of, wanted_names[n], &code);
        if (code == CL_SUCCESS) {
            code = clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof own, own, NULL);
            clReleaseKernel(kernel);
        }
        if (code != CL_SUCCESS)
            violation(rules, "the kernel %s gives error %d", wanted_names[n], code);
        else if (strcmp(own, wanted_names[n]) != 0)
            violation(rules, "the kernel %s is called %s", wanted_names[n], own);
    }
}

