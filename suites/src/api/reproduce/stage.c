/* ---- what calls are made with ------------------------------------------------------------------ */

#define BYTES 16384u

static const char source[] =
    "kernel void fill(global uint *to, uint value) {\n"
    "    size_t at = get_global_id(0);\n"
    "    if (at < 4096) to[at] = value;\n"
    "}\n"
    "kernel void exchange(global uint *to, local uint *with) { with[0] = to[0]; to[0] = with[0]; }\n"
    "kernel __attribute__((reqd_work_group_size(4, 1, 1))) void four(global uint *to) { to[0] = 4; }\n";

static cl_device_id device;
static cl_context context, other_context; /* the other has nothing to do with the first */
static cl_program program, other_program;
static cl_command_queue queue; /* in order, without profiling */
static cl_mem other_buffer;
static cl_event other_event; /* a user event that is set */
static cl_kernel other_kernel;

static inline cl_context new_context(void)
{
    cl_int code;
    cl_context made = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    must(code, "clCreateContext");
    return made;
}

static inline cl_program new_program(cl_context in)
{
    const char *text = source;
    cl_int code;
    cl_program made = clCreateProgramWithSource(in, 1, &text, NULL, &code);
    must(code, "clCreateProgramWithSource");
    must(clBuildProgram(made, 1, &device, NULL, NULL, NULL), "clBuildProgram");
    return made;
}

/* A buffer of zeros. */
static inline cl_mem new_buffer(cl_context in, size_t bytes, cl_mem_flags flags)
{
    static unsigned char zeros[BYTES];
    cl_int code;
    cl_mem made = clCreateBuffer(in, flags | CL_MEM_COPY_HOST_PTR, bytes, zeros, &code);
    must(code, "clCreateBuffer");
    return made;
}

static inline cl_command_queue new_queue(cl_context in, cl_command_queue_properties properties)
{
    cl_int code;
#ifdef CL_VERSION_2_0
    const cl_queue_properties list[] = { CL_QUEUE_PROPERTIES, properties, 0 };
    cl_command_queue made = clCreateCommandQueueWithProperties(in, device, list, &code);
#else
    cl_command_queue made = clCreateCommandQueue(in, device, properties, &code);
#endif
    must(code, "clCreateCommandQueue");
    return made;
}

static inline cl_event new_user_event(cl_context in)
{
    cl_int code;
    cl_event made = clCreateUserEvent(in, &code);
    must(code, "clCreateUserEvent");
    return made;
}

static inline cl_kernel new_kernel(cl_program of, const char *name)
{
    cl_int code;
    cl_kernel made = clCreateKernel(of, name, &code);
    must(code, "clCreateKernel");
    return made;
}

/* The kernel that fills a buffer with a word. */
static inline cl_kernel new_fill(cl_program of, cl_mem to, cl_uint value)
{
    cl_kernel made = new_kernel(of, "fill");
    must(clSetKernelArg(made, 0, sizeof to, &to), "clSetKernelArg");
    must(clSetKernelArg(made, 1, sizeof value, &value), "clSetKernelArg");
    return made;
}

static inline cl_int status_of(cl_event event)
{
    cl_int status = CL_QUEUED;
    must(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL),
         "clGetEventInfo");
    return status;
}

static inline void pause_microseconds(long n)
{
    struct timespec time = { n / 1000000, n % 1000000 * 1000 };
    nanosleep(&time, NULL);
}

static void begin(void)
{
    context = new_context();
    other_context = new_context();
    program = new_program(context);
    other_program = new_program(other_context);
    queue = new_queue(context, 0);
    other_buffer = new_buffer(other_context, BYTES, CL_MEM_READ_WRITE);
    other_kernel = new_kernel(other_program, "fill");
    other_event = new_user_event(other_context);
    must(clSetUserEventStatus(other_event, CL_COMPLETE), "clSetUserEventStatus");
}

/* A call of the story itself that must not fail; whether it goes on. */
static inline int expect_success(const char *rules, const char *call, cl_int code)
{
    if (code != CL_SUCCESS)
        violation(rules, "%s returned %d", call, code);
    return code == CL_SUCCESS;
}

