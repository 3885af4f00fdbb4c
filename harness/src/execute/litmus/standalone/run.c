/* ---- memory ------------------------------------------------------------------------------------ */

enum kind { BUFFER, COARSE, FINE, SYSTEM };

static cl_context context;
static cl_device_id device;
static cl_command_queue queue;

/* Words that the kernel reads or writes. */
struct words {
    enum kind kind;
    cl_mem buffer;
    cl_uint *svm;
    size_t bytes;
};

static struct words take(size_t count, enum kind kind)
{
    struct words words = {kind, NULL, NULL, (count ? count : 1) * sizeof(cl_uint)};
    cl_int error = CL_SUCCESS;
    if (kind == BUFFER)
        words.buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, words.bytes, NULL, &error);
#ifdef CL_VERSION_2_0
    else if (kind == SYSTEM) {
        void *memory = NULL;
        error = posix_memalign(&memory, 4096, words.bytes) ? CL_OUT_OF_HOST_MEMORY : CL_SUCCESS;
        words.svm = memory;
    } else {
        cl_svm_mem_flags fine = kind == FINE ? CL_MEM_SVM_FINE_GRAIN_BUFFER : 0;
        words.svm = clSVMAlloc(context, CL_MEM_READ_WRITE | fine, words.bytes, 128);
        error = words.svm ? CL_SUCCESS : CL_OUT_OF_RESOURCES;
    }
#endif
    must(error, "an allocation");
    return words;
}

static void give(cl_kernel kernel, cl_uint at, const struct words *words)
{
#ifdef CL_VERSION_2_0
    if (words->kind != BUFFER) {
        must(clSetKernelArgSVMPointer(kernel, at, words->svm), "clSetKernelArgSVMPointer");
        return;
    }
#endif
    must(clSetKernelArg(kernel, at, sizeof words->buffer, &words->buffer), "clSetKernelArg");
}

/* Copies between the device's words and the host's, while no kernel runs. */
static void copy(const struct words *words, cl_uint *host, size_t bytes, int write)
{
    if (words->kind == BUFFER && write) {
        must(clEnqueueWriteBuffer(queue, words->buffer, CL_TRUE, 0, bytes, host, 0, NULL, NULL),
             "clEnqueueWriteBuffer");
        return;
    }
    if (words->kind == BUFFER) {
        must(clEnqueueReadBuffer(queue, words->buffer, CL_TRUE, 0, bytes, host, 0, NULL, NULL),
             "clEnqueueReadBuffer");
        return;
    }
#ifdef CL_VERSION_2_0
    cl_map_flags flags = write ? CL_MAP_WRITE : CL_MAP_READ;
    if (words->kind == COARSE)
        must(clEnqueueSVMMap(queue, CL_TRUE, flags, words->svm, bytes, 0, NULL, NULL),
             "clEnqueueSVMMap");
    memcpy(write ? words->svm : host, write ? host : words->svm, bytes);
    if (words->kind == COARSE) {
        must(clEnqueueSVMUnmap(queue, words->svm, 0, NULL, NULL), "clEnqueueSVMUnmap");
        must(clFinish(queue), "clFinish");
    }
#endif
}

/* ---- outcomes ---------------------------------------------------------------------------------- */

static struct outcome {
    long long values[FIELDS];
    unsigned long long count;
    int forbidden;
} outcomes[4096];
static size_t outcome_count;
static unsigned long long unfinished, unwritten, beyond;

static int forbidden(const long long *values)
{
    if (!JUDGED)
        return 0;
    for (size_t n = 0; n < ALLOWED; n++)
        if (memcmp(allowed[n], values, sizeof allowed[n]) == 0)
            return 0;
    return 1;
}

static void count_outcome(const long long *values)
{
    size_t at = 0;
    while (at < outcome_count && memcmp(outcomes[at].values, values, sizeof outcomes[at].values) != 0)
        at++;
    if (at == sizeof outcomes / sizeof outcomes[0]) {
        beyond++;
        return;
    }
    if (at == outcome_count) {
        memcpy(outcomes[at].values, values, sizeof outcomes[at].values);
        outcomes[at].forbidden = forbidden(values);
        outcome_count++;
    }
    outcomes[at].count++;
}

/* How instance k of a launch ended. */
static void look(const cl_uint *environment, const cl_uint *memory, const cl_uint *results, cl_uint k)
{
    long long values[FIELDS] = {0};
    cl_uint count = environment[COUNT];
    if (BOUND_COLUMN >= 0 && results[(size_t)BOUND_COLUMN * PITCH_OF_RESULTS + k] != 0) {
        unfinished++;
        return;
    }
    for (size_t n = 0; n < FIELD_COUNT; n++) {
        const struct field *f = &fields[n];
        cl_ulong low, high = 0;
        if (f->column >= 0) {
            const cl_uint *at = results + (size_t)f->column * PITCH_OF_RESULTS + k;
            low = at[0];
            if (f->bits == 64)
                high = at[PITCH_OF_RESULTS];
            if (low == UNWRITTEN && (f->bits < 64 || high == UNWRITTEN)) {
                unwritten++;
                return;
            }
        } else {
            const cl_uint *slot = environment + SLOTS_AT + 4 * f->slot;
            cl_ulong place = ((cl_ulong)k * slot[1] + slot[2]) % count;
            const cl_uint *at = memory + slot[0] + place * environment[PITCH_OF_INSTANCES] + f->word;
            low = at[0] >> f->shift;
            if (f->bits == 64)
                high = at[1];
        }
        cl_ulong raw = high << 32 | low;
        if (f->bits < 64)
            raw &= ((cl_ulong)1 << f->bits) - 1;
        if (f->is_signed && f->bits < 64 && raw >> (f->bits - 1))
            raw |= ~(cl_ulong)0 << f->bits;
        memcpy(&values[n], &raw, sizeof raw);
    }
    count_outcome(values);
}

static int by_count(const void *a, const void *b)
{
    unsigned long long x = ((const struct outcome *)a)->count, y = ((const struct outcome *)b)->count;
    return (x < y) - (x > y);
}

static unsigned long long tell(void)
{
    unsigned long long broken = 0;
    qsort(outcomes, outcome_count, sizeof outcomes[0], by_count);
    for (size_t n = 0; n < outcome_count; n++) {
        printf("%14llu ", outcomes[n].count);
        for (size_t f = 0; f < FIELD_COUNT; f++) {
            if (fields[f].is_signed || fields[f].bits < 64)
                printf(" %s=%lld", fields[f].name, outcomes[n].values[f]);
            else
                printf(" %s=%llu", fields[f].name, (unsigned long long)outcomes[n].values[f]);
        }
        printf("%s\n", outcomes[n].forbidden ? "   FORBIDDEN" : "");
        if (outcomes[n].forbidden)
            broken += outcomes[n].count;
    }
    if (unfinished)
        printf("%14llu  gave up a loop and say nothing\n", unfinished);
    if (unwritten)
        printf("%14llu  have a thread that left no result\n", unwritten);
    if (beyond)
        printf("%14llu  had outcomes for which there was no room\n", beyond);
    return broken;
}

/* ---- launches ---------------------------------------------------------------------------------- */

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static cl_kernel build(void)
{
    cl_int error;
    const char *text = source;
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &error);
    must(error, "clCreateProgramWithSource");
    if (clBuildProgram(program, 1, &device, OPTIONS, NULL, NULL) != CL_SUCCESS) {
        static char log[16384];
        clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log, NULL);
        fprintf(stderr, "the kernel does not build:\n%s\n", log);
        exit(2);
    }
    cl_kernel kernel = clCreateKernel(program, KERNEL, &error);
    must(error, "clCreateKernel");
    return kernel;
}

static cl_uint *room(size_t words)
{
    cl_uint *memory = calloc(words ? words : 1, sizeof *memory);
    if (!memory)
        abort();
    return memory;
}

int main(int argc, char **argv)
{
    double seconds = argc > 1 ? strtod(argv[1], NULL) : 10;
    cl_device_id sorted[64];
    choose(argc, argv, 1, sorted);
    device = sorted[0];
    cl_int error;
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    must(error, "clCreateContext");
    queue = clCreateCommandQueue(context, device, 0, &error);
    must(error, "clCreateCommandQueue");
    cl_kernel kernel = build();
    size_t most = 0;
    must(clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_WORK_GROUP_SIZE, sizeof most, &most, NULL),
         "clGetKernelWorkGroupInfo");
    if (most < LOCAL_SIZE) {
        fprintf(stderr, "the device permits this kernel work-groups of %zu work-items, and the test needs "
                        "%zu: it cannot be made\n", most, (size_t)LOCAL_SIZE);
        return 2;
    }

    struct words memory = take(MEMORY_WORDS, KIND), results = take(RESULT_WORDS, BUFFER);
    struct words meeting = take(MEETING_WORDS, BUFFER), scratch = take(SCRATCH_WORDS, BUFFER);
    struct words environment = take(ENVIRONMENT_WORDS, BUFFER);
    give(kernel, 0, &memory);
    give(kernel, 1, &results);
    give(kernel, 2, &meeting);
    give(kernel, 3, &environment);
    give(kernel, 4, &scratch);
    if (LOCAL_BYTES > 0)
        must(clSetKernelArg(kernel, 5, LOCAL_BYTES, NULL), "clSetKernelArg");

    /* What everything holds when a launch begins. */
    cl_uint *initial = room(MEMORY_WORDS), *unset = room(RESULT_WORDS), *zeros = room(MEETING_WORDS);
    for (size_t n = 0; n < sizeof starts / sizeof starts[0]; n++)
        for (size_t x = 0; x < PLACES; x++)
            initial[starts[n].base + x * environments[0][PITCH_OF_INSTANCES] + starts[n].word] =
                starts[n].value;
    for (size_t n = 0; n < RESULT_WORDS; n++)
        unset[n] = (long)(n / PITCH_OF_RESULTS) == BOUND_COLUMN ? 0 : UNWRITTEN;
    cl_uint *ended = room(MEMORY_WORDS), *seen = room(RESULT_WORDS), *words = room(ENVIRONMENT_WORDS);

    signal(SIGALRM, hung);
    unsigned long long instances = 0, launches = 0;
    double until = now() + seconds;
    do {
        alarm(60); /* for a launch */
        size_t which = launches % LAUNCHES;
        memcpy(words, environments[which], sizeof environments[which]);
        words[SEED] += (cl_uint)launches * 0x9e3779b9u;
        copy(&memory, initial, sizeof(cl_uint) * MEMORY_WORDS, 1);
        copy(&results, unset, sizeof(cl_uint) * RESULT_WORDS, 1);
        copy(&meeting, zeros, sizeof(cl_uint) * MEETING_WORDS, 1);
        copy(&environment, words, sizeof(cl_uint) * ENVIRONMENT_WORDS, 1);
        size_t local = LOCAL_SIZE, global = groups[which] * local;
        must(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL),
             "clEnqueueNDRangeKernel");
        must(clFinish(queue), "clFinish");
        copy(&memory, ended, sizeof(cl_uint) * MEMORY_WORDS, 0);
        copy(&results, seen, sizeof(cl_uint) * RESULT_WORDS, 0);
        for (cl_uint k = 0; k < words[COUNT]; k++)
            look(words, ended, seen, k);
        instances += words[COUNT];
        launches++;
    } while (now() < until);

    unsigned long long broken = tell();
    printf("%llu instances in %llu launches; %llu with a forbidden outcome\n", instances, launches,
           broken);
    fflush(stdout);
    _exit(broken > 0);
}
