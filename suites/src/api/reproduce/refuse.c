/* ---- calls that must be refused ---------------------------------------------------------------- */

/* Where sub-buffers begin. */
#define PART 4096u
#define LAST (BYTES - 32u)

static cl_mem buffer;   /* read and written by the host and by kernels */
static cl_mem parts[2]; /* two halves of it that overlap by a quarter */
static cl_mem read_only, no_access, host_writes, host_reads;
static unsigned char *svm; /* shared memory, where a call needs it */
static cl_kernel kernel, exchange, four, unset;
static cl_program unbuilt;
static cl_event set, failed, open; /* user events: set, failed, and not set before the end */
static cl_event untimed;           /* of a command without times */
static cl_event held;              /* of a command that waits for `open`, where there is one */
static cl_command_queue held_queue;
static unsigned char host[BYTES + 8]; /* a row more than the buffer has */
static const cl_uint pattern[4];
static const size_t none[3], items[1] = { 4 }, rows[3] = { 4, 2, 1 }, half[3] = { BYTES / 2, 0, 0 };

static inline void CL_CALLBACK never(cl_event event, cl_int status, void *data)
{
    (void)event;
    (void)status;
    (void)data;
}

static inline void CL_CALLBACK native(void *data)
{
    (void)data;
}

static inline cl_mem new_part(cl_mem of, cl_mem_flags flags, size_t origin, size_t size, cl_int *code)
{
    cl_buffer_region region = { origin, size };
    return clCreateSubBuffer(of, flags, CL_BUFFER_CREATE_TYPE_REGION, &region, code);
}

static inline cl_int part_made(cl_mem of, cl_mem_flags flags, size_t origin, size_t size)
{
    cl_int code;
    cl_mem made = new_part(of, flags, origin, size, &code);
    if (code == CL_SUCCESS)
        clReleaseMemObject(made);
    return code;
}

static inline cl_int buffer_made(cl_mem_flags flags, size_t size, void *over)
{
    cl_int code;
    cl_mem made = clCreateBuffer(context, flags, size, over, &code);
    if (code == CL_SUCCESS)
        clReleaseMemObject(made);
    return code;
}

static inline cl_int kernel_made(cl_program of, const char *name)
{
    cl_int code;
    cl_kernel made = clCreateKernel(of, name, &code);
    if (code == CL_SUCCESS)
        clReleaseKernel(made);
    return code;
}

static inline cl_int user_event_made(cl_context in)
{
    cl_int code;
    cl_event made = clCreateUserEvent(in, &code);
    if (code == CL_SUCCESS)
        clReleaseEvent(made);
    return code;
}

static inline cl_int mapped(cl_command_queue to, cl_mem of, cl_bool blocking, cl_map_flags flags,
                            size_t offset, cl_uint count, const cl_event *list)
{
    cl_int code;
    (void)clEnqueueMapBuffer(to, of, blocking, flags, offset, 64, count, list, NULL, &code);
    return code;
}

static inline cl_int launched(cl_kernel of, cl_uint dimensions, size_t offset, size_t local)
{
    const size_t global[4] = { 1u << 20, 1, 1, 1 }, first[4] = { offset, 0, 0, 0 },
                 sizes[4] = { local, 1, 1, 1 };
    return clEnqueueNDRangeKernel(queue, of, dimensions, offset ? first : NULL, global,
                                  local ? sizes : NULL, 0, NULL, NULL);
}

static inline cl_int other_groups(void)
{
    must(clSetKernelArg(four, 0, sizeof buffer, &buffer), "clSetKernelArg");
    return launched(four, 1, 0, 2);
}

static inline cl_int nonsense_built(void)
{
    const char *text = "kernel nonsense(";
    cl_int code;
    cl_program made = clCreateProgramWithSource(context, 1, &text, NULL, &code);
    if (code != CL_SUCCESS)
        return CL_SUCCESS;
    code = clBuildProgram(made, 1, &device, NULL, NULL, NULL);
    clReleaseProgram(made);
    return code;
}

static inline cl_int times_of(cl_event event, cl_profiling_info what)
{
    cl_ulong time;
    return clGetEventProfilingInfo(event, what, sizeof time, &time, NULL);
}

static inline cl_int status_told(cl_event event)
{
    cl_int status;
    return clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL);
}

static inline cl_int written_rect(size_t row, size_t count)
{
    const size_t region[3] = { row, count, 1 };
    return clEnqueueWriteBufferRect(queue, buffer, CL_TRUE, none, none, region, row, 0, 0, 0, host, 0,
                                    NULL, NULL);
}

static inline cl_int read_rect(size_t row, size_t slices, size_t pitch)
{
    const size_t region[3] = { row, 2, slices };
    return clEnqueueReadBufferRect(queue, buffer, CL_TRUE, none, none, region, pitch, 0, 0, 0, host, 0,
                                   NULL, NULL);
}

/* With a command that is held back, or without. */
static void make(int held_back, int shared)
{
    cl_int code = CL_SUCCESS;
    buffer = new_buffer(context, BYTES, CL_MEM_READ_WRITE);
    for (unsigned n = 0; n < 2; n++) {
        parts[n] = new_part(buffer, CL_MEM_READ_WRITE, n * PART, 2 * PART, &code);
        must(code, "clCreateSubBuffer");
    }
    read_only = new_buffer(context, BYTES, CL_MEM_READ_ONLY);
    no_access = new_buffer(context, BYTES, CL_MEM_HOST_NO_ACCESS);
    host_writes = new_buffer(context, BYTES, CL_MEM_HOST_WRITE_ONLY);
    host_reads = new_buffer(context, BYTES, CL_MEM_HOST_READ_ONLY);
#ifdef CL_VERSION_2_0
    if (shared) {
        svm = clSVMAlloc(context, CL_MEM_READ_WRITE, BYTES, 0);
        must(svm ? CL_SUCCESS : CL_OUT_OF_RESOURCES, "clSVMAlloc");
    }
#endif
    (void)shared;
    (void)pattern;
    (void)items;
    (void)rows;
    (void)half;
    (void)none;
    kernel = new_fill(program, buffer, 0);
    exchange = new_kernel(program, "exchange");
    four = new_kernel(program, "four");
    unset = new_kernel(program, "fill");
    const char *text = "kernel void k() {}";
    unbuilt = clCreateProgramWithSource(context, 1, &text, NULL, &code);
    must(code, "clCreateProgramWithSource");
    set = new_user_event(context);
    must(clSetUserEventStatus(set, CL_COMPLETE), "clSetUserEventStatus");
    failed = new_user_event(context);
    must(clSetUserEventStatus(failed, -1), "clSetUserEventStatus");
    open = new_user_event(context);
    must(clEnqueueMarkerWithWaitList(queue, 0, NULL, &untimed), "clEnqueueMarkerWithWaitList");
    must(clFinish(queue), "clFinish");
    if (held_back) {
        held_queue = new_queue(context, CL_QUEUE_PROFILING_ENABLE);
        must(clEnqueueMarkerWithWaitList(held_queue, 1, &open, &held), "clEnqueueMarkerWithWaitList");
        must(clFlush(held_queue), "clFlush");
    }
    memset(host, 0xff, sizeof host);
}

/* OpenCL 3.1 allows what versions of the platform before it refuse. */
static inline cl_int local_of_no_size(void)
{
    cl_platform_id platform;
    char version[64] = "";
    int major = 0, minor = 0;
    must(clGetDeviceInfo(device, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL),
         "clGetDeviceInfo");
    (void)clGetPlatformInfo(platform, CL_PLATFORM_VERSION, sizeof version - 1, version, NULL);
    if (sscanf(version, "OpenCL %d.%d", &major, &minor) == 2 && major * 10 + minor >= 31)
        return CL_INVALID_ARG_SIZE;
    return clSetKernelArg(exchange, 1, 0, NULL);
}

/* Holds what a call returned against the codes that the specification names for it; whether others can
   be made after it: one that was let through may have done anything to what they need. */
static int refused(const char *rules, const char *call, cl_int code, cl_int one, cl_int other)
{
    if (code != one && code != other)
        violation(rules, "%s returned %d, not %d", call, code, one);
    return code != CL_SUCCESS;
}

/* Lets go what is held, and looks whether a call changed anything. */
static void end(void)
{
    static unsigned char seen[BYTES];
    int ended = expect_success("ex.api.errors", "clSetUserEventStatus",
                               clSetUserEventStatus(open, CL_COMPLETE));
    if (ended && held_queue)
        ended = expect_success("ex.api.errors", "clFinish", clFinish(held_queue));
    ended = ended && expect_success("ex.api.errors", "clFinish", clFinish(queue)) &&
            expect_success("ex.api.errors", "clEnqueueReadBuffer",
                           clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, BYTES, seen, 0, NULL, NULL));
    unsigned changed = 0;
    for (unsigned n = 0; ended && n < BYTES; n++)
        changed += seen[n] != 0;
    if (changed)
        violation("ex.api.errors", "calls that were refused changed memory");
}

static void take_down(void)
{
    const cl_event events[] = { set, failed, open, untimed };
    const cl_kernel kernels[] = { kernel, exchange, four, unset };
    const cl_mem memory[] = { parts[0], parts[1], buffer, read_only, no_access, host_writes, host_reads };
    clFinish(queue);
    for (unsigned n = 0; n < 4; n++) {
        clReleaseEvent(events[n]);
        clReleaseKernel(kernels[n]);
    }
    if (held)
        clReleaseEvent(held);
    if (held_queue)
        clReleaseCommandQueue(held_queue);
    held = NULL;
    held_queue = NULL;
    clReleaseProgram(unbuilt);
    for (unsigned n = 0; n < sizeof memory / sizeof memory[0]; n++)
        clReleaseMemObject(memory[n]);
#ifdef CL_VERSION_2_0
    if (svm)
        clSVMFree(context, svm);
#endif
    svm = NULL;
}

