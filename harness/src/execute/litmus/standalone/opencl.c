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

/* ---- launches ---------------------------------------------------------------------------------- */

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
    start(initial, unset);
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
        size_t local = LOCAL_SIZE, global = groups[which][QUEUES] * local;
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

    end(instances, launches);
}
