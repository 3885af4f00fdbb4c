/* ---- what threads do --------------------------------------------------------------------------- */

/* What threads share: only handles, whose functions are safe to call from several at once. */
static cl_command_queue shared_queue;
static cl_mem shared_buffer;
static cl_event shared_event;
static cl_kernel shared_kernel;

/* Bytes of an act's own buffer. */
#define OWN 256u
/* References that an act takes and gives back. */
#define REFERENCES 50
/* Ends an act whose call fails. */
#define TRY(call, code)                                                                            \
    do {                                                                                           \
        if (!expect_success(STORY, call, code))                                                    \
            return 0;                                                                              \
    } while (0)

static inline int act_look(cl_mem of, cl_uint word)
{
    cl_uint seen[OWN / 4];
    TRY("clEnqueueReadBuffer",
        clEnqueueReadBuffer(shared_queue, of, CL_TRUE, 0, OWN, seen, 0, NULL, NULL));
    for (unsigned n = 0; n < OWN / 4; n++)
        if (seen[n] != word) {
            violation(STORY, "a read did not see what was filled in before it");
            break;
        }
    return 1;
}

static inline int act_buffer(cl_context in)
{
    TRY("clReleaseMemObject", clReleaseMemObject(new_buffer(in, OWN, CL_MEM_READ_WRITE)));
    return 1;
}

static inline int act_part(cl_context in)
{
    cl_mem whole = new_buffer(in, OWN, CL_MEM_READ_WRITE);
    cl_buffer_region region = { 0, OWN / 2 };
    cl_int code;
    cl_mem part = clCreateSubBuffer(whole, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region,
                                    &code);
    clReleaseMemObject(whole);
    TRY("clCreateSubBuffer", code);
    clReleaseMemObject(part);
    return 1;
}

static inline int act_user_event(cl_context in)
{
    cl_event event = new_user_event(in);
    TRY("clSetUserEventStatus", clSetUserEventStatus(event, CL_COMPLETE));
    TRY("clWaitForEvents", clWaitForEvents(1, &event));
    clReleaseEvent(event);
    return 1;
}

static inline int act_queue(cl_context in)
{
    cl_command_queue own = new_queue(in, 0);
    cl_event event;
    TRY("clEnqueueMarkerWithWaitList", clEnqueueMarkerWithWaitList(own, 0, NULL, &event));
    TRY("clFinish", clFinish(own));
    TRY("clReleaseCommandQueue", clReleaseCommandQueue(own));
    clReleaseEvent(event);
    return 1;
}

static inline int act_kernel(cl_context in)
{
    cl_mem own = new_buffer(in, OWN, CL_MEM_READ_WRITE);
    cl_kernel kernel = new_fill(in == context ? program : own_program, own, 3);
    const size_t items = OWN / 4;
    cl_int code = clEnqueueNDRangeKernel(shared_queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL);
    clReleaseKernel(kernel);
    TRY("clEnqueueNDRangeKernel", code);
    int seen = act_look(own, 3);
    clReleaseMemObject(own);
    return seen;
}

static inline int act_program(cl_context in)
{
    cl_program own = new_program(in);
    cl_int code;
    cl_kernel kernel = clCreateKernel(own, "fill", &code);
    clReleaseProgram(own);
    TRY("clCreateKernel", code);
    TRY("clReleaseKernel", clReleaseKernel(kernel));
    return 1;
}

static inline int act_context(cl_context in)
{
    cl_context own = new_context();
    cl_event event = new_user_event(own);
    (void)in;
    TRY("clReleaseContext", clReleaseContext(own));
    clReleaseEvent(event);
    return 1;
}

static inline int act_marker(cl_context in)
{
    cl_event event;
    (void)in;
    TRY("clEnqueueMarkerWithWaitList", clEnqueueMarkerWithWaitList(shared_queue, 0, NULL, &event));
    TRY("clWaitForEvents", clWaitForEvents(1, &event));
    clReleaseEvent(event);
    return 1;
}

static inline int act_fill(cl_context in)
{
    cl_mem own = new_buffer(in, OWN, CL_MEM_READ_WRITE);
    cl_uint word = 5;
    TRY("clEnqueueFillBuffer",
        clEnqueueFillBuffer(shared_queue, own, &word, sizeof word, 0, OWN, 0, NULL, NULL));
    int seen = act_look(own, word);
    clReleaseMemObject(own);
    return seen;
}

static inline int act_map(cl_context in)
{
    cl_mem own = new_buffer(in, OWN, CL_MEM_READ_WRITE);
    cl_int code;
    cl_uint *mapped = clEnqueueMapBuffer(shared_queue, own, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, OWN,
                                         0, NULL, NULL, &code);
    TRY("clEnqueueMapBuffer", code);
    for (unsigned n = 0; n < OWN / 4; n++)
        mapped[n] = 9;
    TRY("clEnqueueUnmapMemObject", clEnqueueUnmapMemObject(shared_queue, own, mapped, 0, NULL, NULL));
    int seen = act_look(own, 9);
    clReleaseMemObject(own);
    return seen;
}

struct called {
    atomic_int called;
    cl_int status;
};

/* Releases the thread's own reference, which it leaves to this callback. */
static inline void CL_CALLBACK act_called(cl_event event, cl_int status, void *data)
{
    struct called *told = data;
    clReleaseEvent(event);
    told->status = status;
    atomic_store(&told->called, 1);
}

static inline int act_callback(cl_context in)
{
    /* One that never comes still finds it. */
    struct called *told = calloc(1, sizeof *told);
    cl_command_queue own = new_queue(in, 0);
    cl_event gate = new_user_event(in), event;
    TRY("clEnqueueMarkerWithWaitList", clEnqueueMarkerWithWaitList(own, 1, &gate, &event));
    TRY("clSetEventCallback", clSetEventCallback(event, CL_COMPLETE, act_called, told));
    TRY("clFlush", clFlush(own));
    TRY("clSetUserEventStatus", clSetUserEventStatus(gate, CL_COMPLETE));
    for (unsigned n = 0; n < 200000 && !atomic_load(&told->called); n++)
        pause_microseconds(100);
    TRY("clFinish", clFinish(own));
    clReleaseEvent(gate);
    clReleaseCommandQueue(own);
    if (!atomic_load(&told->called))
        violation(STORY, "a callback that never came");
    else if (told->status != CL_COMPLETE)
        violation(STORY, "a callback returned %d", told->status);
    return 1;
}

#define REGISTERED 40

static inline void CL_CALLBACK act_registered(cl_event event, cl_int status, void *data)
{
    (void)event;
    (void)status;
    atomic_fetch_add((atomic_int *)data, 1);
}

struct setting {
    cl_event gate;
    atomic_int begun;
};

static inline void *act_set(void *data)
{
    struct setting *setting = data;
    while (!atomic_load(&setting->begun)) { }
    must(clSetUserEventStatus(setting->gate, CL_COMPLETE), "clSetUserEventStatus");
    return NULL;
}

static inline int act_register(cl_context in)
{
    /* One that comes late still finds it. */
    atomic_int *called = calloc(1, sizeof *called);
    cl_command_queue own = new_queue(in, 0);
    struct setting setting = { .gate = new_user_event(in) };
    cl_event event;
    TRY("clEnqueueMarkerWithWaitList", clEnqueueMarkerWithWaitList(own, 1, &setting.gate, &event));
    TRY("clFlush", clFlush(own));
    pthread_t setter;
    if (pthread_create(&setter, NULL, act_set, &setting) != 0)
        return 0;
    for (int n = 0; n < REGISTERED; n++) {
        must(clSetEventCallback(event, CL_COMPLETE, act_registered, called), "clSetEventCallback");
        atomic_store(&setting.begun, 1);
    }
    pthread_join(setter, NULL);
    for (unsigned n = 0; n < 200000 && atomic_load(called) < REGISTERED; n++)
        pause_microseconds(100);
    TRY("clFinish", clFinish(own));
    clReleaseEvent(event);
    clReleaseEvent(setting.gate);
    clReleaseCommandQueue(own);
    if (atomic_load(called) < REGISTERED)
        violation(STORY, "a callback that never came");
    else
        free(called);
    return 1;
}

static inline int act_retain(cl_context in)
{
    (void)in;
    for (unsigned n = 0; n < REFERENCES; n++) {
        TRY("clRetainMemObject", clRetainMemObject(shared_buffer));
        TRY("clRetainEvent", clRetainEvent(shared_event));
        TRY("clRetainCommandQueue", clRetainCommandQueue(shared_queue));
        TRY("clRetainKernel", clRetainKernel(shared_kernel));
        TRY("clReleaseMemObject", clReleaseMemObject(shared_buffer));
        TRY("clReleaseEvent", clReleaseEvent(shared_event));
        TRY("clReleaseCommandQueue", clReleaseCommandQueue(shared_queue));
        TRY("clReleaseKernel", clReleaseKernel(shared_kernel));
    }
    return 1;
}

static inline int act_query(cl_context in)
{
    (void)in;
    for (unsigned n = 0; n < REFERENCES; n++) {
        size_t size;
        cl_int status;
        cl_context of;
        TRY("clGetMemObjectInfo", clGetMemObjectInfo(shared_buffer, CL_MEM_SIZE, sizeof size, &size, NULL));
        TRY("clGetEventInfo", clGetEventInfo(shared_event, CL_EVENT_COMMAND_EXECUTION_STATUS,
                                             sizeof status, &status, NULL));
        TRY("clGetCommandQueueInfo",
            clGetCommandQueueInfo(shared_queue, CL_QUEUE_CONTEXT, sizeof of, &of, NULL));
    }
    return 1;
}

static inline void share(cl_context in)
{
    shared_queue = new_queue(in, 0);
    shared_buffer = new_buffer(in, OWN, CL_MEM_READ_WRITE);
    shared_event = new_user_event(in);
    shared_kernel = new_fill(in == context ? program : own_program, shared_buffer, 1);
}

/* An implementation may hold references of its own; but one is left of ours. */
static inline void counted(void)
{
    cl_uint counts[4] = { 1, 1, 1, 1 };
    clGetMemObjectInfo(shared_buffer, CL_MEM_REFERENCE_COUNT, 4, &counts[0], NULL);
    clGetEventInfo(shared_event, CL_EVENT_REFERENCE_COUNT, 4, &counts[1], NULL);
    clGetCommandQueueInfo(shared_queue, CL_QUEUE_REFERENCE_COUNT, 4, &counts[2], NULL);
    clGetKernelInfo(shared_kernel, CL_KERNEL_REFERENCE_COUNT, 4, &counts[3], NULL);
    for (unsigned n = 0; n < 4; n++)
        if (!counts[n])
            violation(STORY, "a reference count is 0 although a reference is left");
}

static inline void unshare(void)
{
    clFinish(shared_queue);
    clReleaseEvent(shared_event);
    clReleaseMemObject(shared_buffer);
    clReleaseKernel(shared_kernel);
    clReleaseCommandQueue(shared_queue);
}

