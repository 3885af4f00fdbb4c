/* ---- memory ------------------------------------------------------------------------------------ */

static cl_context context;
static cl_device_id device, devices[DEVICES]; /* the first of all */
static cl_command_queue queue, queues[QUEUES];
static struct object {
    cl_mem buffer;         /* where it is one, or a part of one */
    unsigned char *memory; /* where it has an address */
    unsigned char *model;  /* what transfers and the host leave in it */
    int coarse;            /* the host has to map it */
    size_t size[3];        /* of an image: elements in each direction */
} objects[OBJECTS];

/* A number that the device tells of itself; 0 where it tells none. */
static inline unsigned long long info(cl_device_info what)
{
    unsigned char answer[8] = { 0 };
    unsigned long long value = 0;
    (void)clGetDeviceInfo(device, what, sizeof answer, answer, NULL);
    for (unsigned n = 0; n < sizeof answer; n++)
        value |= (unsigned long long)answer[n] << (8 * n);
    return value;
}

static inline void need(int missing, const char *what)
{
    if (!missing)
        return;
    fprintf(stderr, "the device lacks %s: the test cannot be made\n", what);
    exit(2);
}

/* First contents: bytes from a list, with zeros after them. */
static inline void listed(unsigned char *to, size_t bytes, const void *from, size_t length)
{
    memset(to, 0, bytes);
    memcpy(to, from, length < bytes ? length : bytes);
}

/* The same 32-bit word again and again, or words that count up from it. */
static inline void words(unsigned char *to, size_t bytes, cl_uint first, cl_uint step)
{
    for (size_t n = 0; n < bytes; n++)
        to[n] = (unsigned char)((first + (cl_uint)(n / 4) * step) >> (8 * (n % 4)));
}

/* Bytes that look random; none is like the one before. */
static inline void noise(unsigned char *to, size_t bytes, cl_uint seed)
{
    cl_uint state = seed * 0x9e3779b9u + 0x7f4a7c15u;
    unsigned char last = 0;
    for (size_t n = 0; n < bytes; n++) {
        state = state * 1664525u + 1013904223u;
        unsigned char byte = (unsigned char)(state >> 24);
        if (byte == last)
            byte++;
        to[n] = last = byte;
    }
}

static inline unsigned char *room(size_t bytes)
{
    void *memory = NULL;
    if (posix_memalign(&memory, 128, bytes ? bytes : 1) != 0)
        abort();
    memset(memory, 0, bytes ? bytes : 1);
    return memory;
}

/* Copies as the host does, into an object or out of it, while nothing else uses it. */
static inline void by_host(const struct object *object, unsigned char *at, unsigned char *mine,
                           size_t bytes, int write)
{
#ifdef CL_VERSION_2_0
    if (object->coarse && bytes)
        must(clEnqueueSVMMap(queue, CL_TRUE, write ? CL_MAP_WRITE : CL_MAP_READ, at, bytes, 0, NULL,
                             NULL), "clEnqueueSVMMap");
#endif
    memcpy(write ? at : mine, write ? mine : at, bytes);
#ifdef CL_VERSION_2_0
    if (object->coarse && bytes) {
        must(clEnqueueSVMUnmap(queue, at, 0, NULL, NULL), "clEnqueueSVMUnmap");
        must(clFinish(queue), "clFinish");
    }
#endif
    (void)object;
}

/* All bytes of an object. */
static inline unsigned char *look(struct object *object, size_t bytes)
{
    unsigned char *seen = room(bytes);
    if (object->size[0])
        must(clEnqueueReadImage(queue, object->buffer, CL_TRUE, (const size_t[]){ 0, 0, 0 },
                                object->size, 0, 0, seen, 0, NULL, NULL), "clEnqueueReadImage");
    else if (object->buffer)
        must(clEnqueueReadBuffer(queue, object->buffer, CL_TRUE, 0, bytes, seen, 0, NULL, NULL),
             "clEnqueueReadBuffer");
    else
        by_host(object, object->memory, seen, bytes, 0);
    return seen;
}

/* A rectangle from one memory to another, as clEnqueueCopyBufferRect describes it. */
static inline void rectangle(unsigned char *to, const size_t at[3], size_t row, size_t slice,
                             const unsigned char *from, const size_t begin[3], size_t from_row,
                             size_t from_slice, const size_t region[3])
{
    row = row ? row : region[0];
    slice = slice ? slice : row * region[1];
    from_row = from_row ? from_row : region[0];
    from_slice = from_slice ? from_slice : from_row * region[1];
    for (size_t z = 0; z < region[2]; z++)
        for (size_t y = 0; y < region[1]; y++)
            memmove(to + at[0] + (at[1] + y) * row + (at[2] + z) * slice,
                    from + begin[0] + (begin[1] + y) * from_row + (begin[2] + z) * from_slice,
                    region[0]);
}

static inline void repeated(unsigned char *to, size_t bytes, const unsigned char *pattern,
                            size_t length)
{
    for (size_t n = 0; n < bytes; n++)
        to[n] = pattern[n % length];
}

/* ---- programs ---------------------------------------------------------------------------------- */

/* Builds it; says why where it cannot be built by this version of the language. */
static inline cl_program built(cl_program made, const char *options, int last)
{
    cl_int code = clBuildProgram(made, DEVICES, devices, options, NULL, NULL);
    if (code == CL_SUCCESS)
        return made;
    if (last) {
        static char log[100000];
        clGetProgramBuildInfo(made, device, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log, NULL);
        fprintf(stderr, "%s\n", log);
        must(code, "clBuildProgram");
    }
    clReleaseProgram(made);
    return NULL;
}

/* From source, in the latest of these versions that the device builds. */
static inline cl_program from_source(const char *text, const char *const *options, unsigned count,
                                     unsigned *which)
{
    for (unsigned n = 0; n < count; n++) {
        cl_int code;
        cl_program made = clCreateProgramWithSource(context, 1, &text, NULL, &code);
        must(code, "clCreateProgramWithSource");
        made = built(made, options[n], n + 1 == count);
        *which = n;
        if (made)
            return made;
    }
    return NULL;
}

/* The same from its own binary. */
static inline cl_program through_binary(cl_program source, const char *options)
{
    size_t size = 0;
    must(clGetProgramInfo(source, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL),
         "clGetProgramInfo");
    unsigned char *binary = room(size);
    must(clGetProgramInfo(source, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL),
         "clGetProgramInfo");
    cl_int code;
    cl_program made = clCreateProgramWithBinary(context, 1, &device, &size,
                                                (const unsigned char **)&binary, NULL, &code);
    must(code, "clCreateProgramWithBinary");
    free(binary);
    clReleaseProgram(source);
    return built(made, options, 1);
}

/* ---- queues ------------------------------------------------------------------------------------ */

static inline cl_int flush_all(void)
{
    cl_int code = CL_SUCCESS;
    for (unsigned n = 0; n < QUEUES && code == CL_SUCCESS; n++)
        code = clFlush(queues[n]);
    return code;
}

/* Flushes first, so that no queue waits for what another has not been given. */
static inline cl_int finish_all(void)
{
    cl_int code = QUEUES > 1 ? flush_all() : CL_SUCCESS;
    for (unsigned n = 0; n < QUEUES && code == CL_SUCCESS; n++)
        code = clFinish(queues[n]);
    return code;
}

/* ---- what must be ------------------------------------------------------------------------------ */

/* Holds a call's code against what it must be; whether the run can go on. */
static inline int expect_code(const char *rules, const char *call, cl_int code, cl_int wanted)
{
    if (code != wanted && wanted == CL_SUCCESS)
        violation(rules, "%s gives error %d", call, code);
    else if (code != wanted)
        violation(rules, "%s gives %d, not error %d", call, code, wanted);
    return code == wanted || wanted != CL_SUCCESS;
}

/* Waits for a command that has to fail. */
static inline void expect_failure(const char *rules, const char *kernel, cl_event event)
{
    cl_int status = CL_QUEUED;
    (void)clWaitForEvents(1, &event);
    must(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL),
         "clGetEventInfo");
    clReleaseEvent(event);
    if (status >= 0)
        violation(rules, "the kernel %s ends with status %d, not an error", kernel, status);
}

/* An element of one, four or eight bytes. */
static inline unsigned long long element(const unsigned char *bytes, unsigned unit, size_t n)
{
    unsigned long long value = 0;
    for (unsigned b = 0; b < unit; b++)
        value |= (unsigned long long)bytes[n * unit + b] << (8 * b);
    return value;
}

static inline const char *unit_name(unsigned unit)
{
    return unit == 1 ? "byte" : unit == 4 ? "word" : "long";
}

/* The first element that differs is told; its value is not where it depends on races. */
static inline void expect_same(const char *rules, const char *name, unsigned unit,
                               const unsigned char *wanted, const unsigned char *seen,
                               size_t bytes, int racy)
{
    for (size_t n = 0; n < bytes / unit; n++) {
        unsigned long long right = element(wanted, unit, n), is = element(seen, unit, n);
        if (right == is)
            continue;
        if (racy)
            violation(rules, "%s: %s %zu is not %llu", name, unit_name(unit), n, right);
        else
            violation(rules, "%s: %s %zu is %llu, not %llu", name, unit_name(unit), n, is, right);
        return;
    }
}

static inline int by_size(const void *one, const void *other)
{
    unsigned long long a = *(const unsigned long long *)one, b = *(const unsigned long long *)other;
    return (a > b) - (a < b);
}

/* Each value once, in any order. */
static inline void expect_permutation(const char *rules, const char *name, unsigned unit,
                                      const unsigned char *seen, size_t count,
                                      unsigned long long first, unsigned long long step)
{
    unsigned long long *values = (unsigned long long *)room(count * sizeof *values);
    int right = 1, twice = 0;
    for (size_t n = 0; n < count; n++)
        values[n] = element(seen, unit, n);
    qsort(values, count, sizeof *values, by_size);
    for (size_t n = 0; n < count; n++) {
        right &= values[n] == first + n * step;
        twice |= n > 0 && values[n] == values[n - 1];
    }
    if (!right)
        violation(rules, "%s: a value %s", name, twice ? "came twice" : "is missing");
    free(values);
}

/* The address at a byte leads to a place. */
static inline void expect_pointer(const char *rules, const char *name, const unsigned char *seen,
                                  size_t at, const unsigned char *to, const char *goal)
{
    if (element(seen + at, 8, 0) != (unsigned long long)(uintptr_t)to)
        violation(rules, "%s: the pointer at byte %zu does not lead %s", name, at, goal);
}

