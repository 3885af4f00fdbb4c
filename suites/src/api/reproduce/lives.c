/* ---- the lives of objects ---------------------------------------------------------------------- */

/* The ends that were told, in order. */
static pthread_mutex_t ending = PTHREAD_MUTEX_INITIALIZER;
static unsigned ends[64], ended;

static inline void one_ends(void *number)
{
    pthread_mutex_lock(&ending);
    if (ended < 64)
        ends[ended++] = (unsigned)(uintptr_t)number;
    pthread_mutex_unlock(&ending);
}

static inline unsigned ends_now(void)
{
    pthread_mutex_lock(&ending);
    unsigned count = ended;
    pthread_mutex_unlock(&ending);
    return count;
}

static inline void CL_CALLBACK memory_ends(cl_mem memory, void *number)
{
    (void)memory;
    one_ends(number);
}

static inline void CL_CALLBACK context_ends(cl_context of, void *number)
{
    (void)of;
    one_ends(number);
}

/* Waits until so many ends came, ten seconds at most, and a little longer for one too many. */
static inline void wait_for_ends(unsigned wanted, const char *what)
{
    for (unsigned n = 0; n < 100000 && ends_now() < wanted; n++)
        pause_microseconds(100);
    pause_microseconds(1000);
    if (ends_now() != wanted)
        violation(STORY, "%s were called %u times, not %u", what, ends_now(), wanted);
}

/* A buffer with callbacks for its end, released while a command that uses it is held back. */
static inline int destructors(unsigned callbacks, int part)
{
    cl_mem whole = new_buffer(context, BYTES, CL_MEM_READ_WRITE), last = NULL;
    cl_mem out = new_buffer(context, BYTES, CL_MEM_READ_WRITE);
    cl_event gate = new_user_event(context);
    cl_int code = CL_SUCCESS;
    ended = 0;
    for (unsigned n = 0; n < callbacks; n++)
        TRY("clSetMemObjectDestructorCallback",
            clSetMemObjectDestructorCallback(whole, memory_ends, (void *)(uintptr_t)n));
    TRY("clEnqueueCopyBuffer", clEnqueueCopyBuffer(queue, whole, out, 0, 0, BYTES, 1, &gate, NULL));
    TRY("clFlush", clFlush(queue));
    if (part) {
        cl_buffer_region region = { 0, BYTES / 2 };
        last = clCreateSubBuffer(whole, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
        TRY("clCreateSubBuffer", code);
    }
    TRY("clReleaseMemObject", clReleaseMemObject(whole));
    unsigned early = ends_now();
    TRY("clSetUserEventStatus", clSetUserEventStatus(gate, CL_COMPLETE));
    TRY("clFinish", clFinish(queue));
    clReleaseEvent(gate);
    if (last) {
        /* It keeps its parent. */
        early += ends_now();
        TRY("clReleaseMemObject", clReleaseMemObject(last));
    }
    clReleaseMemObject(out);
    if (early)
        violation(STORY, "memory ended while a command needed it");
    wait_for_ends(callbacks, "callbacks for the end of memory");
    for (unsigned n = 1; n < ends_now(); n++)
        if (ends[n - 1] <= ends[n])
            violation(STORY, "callbacks for the end of memory were not called in the reverse order");
    return 1;
}

/* The bytes that this process has in use; 0 where the system does not tell. */
static inline long resident(void)
{
    long all = 0, used = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file && fscanf(file, "%ld %ld", &all, &used) != 2)
        used = 0;
    if (file)
        fclose(file);
    return used * sysconf(_SC_PAGESIZE);
}

/* One thing again and again: the process must not grow by the size of an object each time, in each of
   many stretches. */
static inline int again(int (*act)(cl_context), long times)
{
    long last = 0, least = LONG_MAX;
    for (unsigned stretch = 0; stretch <= 12 && least > 48; stretch++) {
        for (long n = 0; n < times; n++)
            if (!act(context))
                return 0;
        TRY("clFinish", clFinish(queue));
        long now = resident();
        if (stretch && (now - last) / times < least)
            least = (now - last) / times;
        last = now;
    }
    if (least > 48)
        violation(STORY, "memory is not given back: the process grows with each time");
    return 1;
}

/* What a callback of clEnqueueSVMFree got. */
static struct freed {
    void *wanted[64];
    cl_uint count;
    atomic_int calls, others;
} freed;

