/* ---- what a run observes ----------------------------------------------------------------------- */

/* The order in which things happen, for all threads. */
static atomic_ulong ticks;
static inline unsigned long tick(void)
{
    return atomic_fetch_add(&ticks, 1) + 1;
}

/* The host's clock. */
static inline cl_ulong nanoseconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (cl_ulong)time.tv_sec * 1000000000u + (cl_ulong)time.tv_nsec;
}

static inline void pause_microseconds(unsigned long microseconds)
{
    struct timespec time = { (time_t)(microseconds / 1000000),
                             (long)(microseconds % 1000000) * 1000 };
    nanosleep(&time, NULL);
}

#define NOT_MADE INT_MIN /* the code of a call that was not made, since what it needs is missing */

/* When marked steps began and ended, by the order of ticks and by the clock, and what they returned. */
static struct mark {
    int made;
    cl_int code;
    unsigned long began, ended;
    cl_ulong clock_began, clock_ended;
} marks[MARKS + 1];

static inline void begins(unsigned n)
{
    marks[n].clock_began = nanoseconds();
    marks[n].began = tick();
}

/* What a fill fills with. Its memory is the caller's again when the call returns, so that what keeps the address
   finds something else there. */
static _Thread_local cl_uint pattern;

static inline cl_uint *pattern_of(cl_uint token)
{
    pattern = token;
    return &pattern;
}

static inline void ends(unsigned n, cl_int code)
{
    pattern = 0xa5a5a5a5u;
    marks[n].ended = tick();
    marks[n].clock_ended = nanoseconds();
    marks[n].code = code;
    marks[n].made = 1;
}

/* Memory of the host's own, of zeros. */
static inline unsigned char *room(size_t bytes)
{
    void *memory = NULL;
    if (posix_memalign(&memory, 4096, bytes ? bytes : 1) != 0)
        abort();
    memset(memory, 0, bytes ? bytes : 1);
    return memory;
}

/* What was answered and read. */
static struct answer {
    int there;
    size_t length;
    unsigned char *bytes;
} answers[ANSWERS + 1];

static inline void *answer(unsigned n, size_t length)
{
    free(answers[n].bytes);
    answers[n].bytes = room(length);
    answers[n].length = length;
    answers[n].there = 0;
    return answers[n].bytes;
}

static inline void answered(unsigned n, cl_int code)
{
    answers[n].there = code == CL_SUCCESS;
}

/* An answer as a signed number. */
static inline long long number(unsigned n)
{
    signed char one = 0;
    short two = 0;
    cl_int four = 0;
    cl_long eight = 0;
    switch (answers[n].length) {
    case 1: memcpy(&one, answers[n].bytes, 1); return one;
    case 2: memcpy(&two, answers[n].bytes, 2); return two;
    case 4: memcpy(&four, answers[n].bytes, 4); return four;
    default: memcpy(&eight, answers[n].bytes, answers[n].length < 8 ? answers[n].length : 8);
    }
    return eight;
}

/* Callbacks that were called, in that order. */
static pthread_mutex_t firing = PTHREAD_MUTEX_INITIALIZER;
static struct fired {
    unsigned callback;
    cl_int status;
    int right;
    unsigned long stamp;
} fired[4096];
static unsigned fired_count;
static atomic_int in_callbacks; /* callbacks that have begun and not ended */

static inline void fire(unsigned callback, cl_int status, int right, unsigned long stamp)
{
    pthread_mutex_lock(&firing);
    if (fired_count < sizeof fired / sizeof fired[0]) {
        unsigned at = fired_count++;
        for (; at > 0 && fired[at - 1].stamp > stamp; at--)
            fired[at] = fired[at - 1];
        fired[at] = (struct fired){ callback, status, right, stamp };
    }
    pthread_mutex_unlock(&firing);
}

/* How often one was called. */
static inline unsigned times_fired(unsigned callback)
{
    unsigned times = 0;
    pthread_mutex_lock(&firing);
    for (unsigned n = 0; n < fired_count; n++)
        times += fired[n].callback == callback;
    pthread_mutex_unlock(&firing);
    return times;
}

/* The first call of one; a later one is no matter. */
static inline struct fired first_fired(unsigned callback)
{
    for (unsigned n = 0; n < fired_count; n++)
        if (fired[n].callback == callback)
            return fired[n];
    return (struct fired){ callback, 0, 1, 0 };
}

static inline int wrongly_fired(unsigned callback)
{
    int wrong = 0;
    for (unsigned n = 0; n < fired_count; n++)
        wrong |= fired[n].callback == callback && !fired[n].right;
    return wrong;
}

/* What callbacks are given: the run, and never nothing. */
#define THIS_RUN ((void *)((uintptr_t)run_number + 1))

/* Signals from one host thread to others; a run that is over releases all. */
static pthread_mutex_t signalling = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t signalled = PTHREAD_COND_INITIALIZER;
static int given[SIGNALS + 1], over;

static inline void give(unsigned n)
{
    pthread_mutex_lock(&signalling);
    given[n] = 1;
    pthread_cond_broadcast(&signalled);
    pthread_mutex_unlock(&signalling);
}

/* Whether the signal came. */
static inline int await_signal(unsigned n)
{
    pthread_mutex_lock(&signalling);
    while (!given[n] && !over)
        pthread_cond_wait(&signalled, &signalling);
    int came = given[n];
    pthread_mutex_unlock(&signalling);
    return came;
}

/* A call failed that must not. */
static inline void stop(void)
{
    pthread_mutex_lock(&signalling);
    over = 1;
    pthread_cond_broadcast(&signalled);
    pthread_mutex_unlock(&signalling);
}

/* The same of a call of a host thread that nothing else is said of. */
static inline void call_failed(const char *rules, const char *call, cl_int code)
{
    violation(rules, "%s gives error %d", call, code);
    stop();
}

static int exchange_timed_out; /* a side of an exchange waited too long */
static const char *astray;     /* what led an exchange nowhere */
static int left_pending;       /* events that never ended: nothing is given up */
static cl_ulong finished;      /* when everything was finished */

/* Whether the call of a step was made and succeeded. */
static inline int succeeded(unsigned mark)
{
    return marks[mark].made && marks[mark].code == CL_SUCCESS;
}

/* Some call was not made, for what it needs was not there: a wait among them kept nobody waiting. */
static inline int left_undone(void)
{
    for (unsigned n = 0; n <= MARKS; n++)
        if (marks[n].made && marks[n].code == NOT_MADE)
            return 1;
    return 0;
}

/* Of two moments that both came, the first came later. */
static inline int later(unsigned long first, unsigned long then)
{
    return first && then && first > then;
}

/* Of two answers that are there, the first is larger. */
static inline int larger(unsigned first, unsigned then)
{
    return answers[first].there && answers[then].there && number(first) > number(then);
}

/* Of two lists that are there, the first has a number twice or one that the second lacks; zeros are room that is left. */
static inline int strays(unsigned one, unsigned other)
{
    const cl_ulong *all = (const cl_ulong *)(const void *)answers[one].bytes;
    const cl_ulong *theirs = (const cl_ulong *)(const void *)answers[other].bytes;
    if (!answers[one].there || !answers[other].there)
        return 0;
    for (size_t n = 0; n < answers[one].length / sizeof *all; n++) {
        int found = 0;
        for (size_t k = 0; k < answers[other].length / sizeof *theirs; k++)
            found |= theirs[k] == all[n];
        for (size_t k = 0; k < n; k++)
            found &= all[k] != all[n];
        if (all[n] && !found)
            return 1;
    }
    return 0;
}

/* The host held a command back from the end of one step until the beginning of the last of others, for at
   least so long, and by its times it started less than half as long after it was queued, even with a step of the
   device's timer more. */
static inline int started_early(unsigned queued, unsigned start, unsigned since, cl_ulong least,
                                unsigned resolution, const unsigned *until, unsigned count)
{
    cl_ulong longest = 0;
    if (!answers[queued].there || !answers[start].there || !marks[since].made)
        return 0;
    for (unsigned n = 0; n < count; n++) {
        const struct mark *mark = &marks[until[n]];
        if (mark->made && mark->clock_began > marks[since].clock_ended + longest)
            longest = mark->clock_began - marks[since].clock_ended;
    }
    const long long step = answers[resolution].there ? number(resolution) : 0;
    return longest >= least && number(start) - number(queued) + step < (long long)(longest / 2);
}

/* A command took, by its times, longer than twice from the beginning of a step to the end of the run. */
static inline int took_long(unsigned queued, unsigned end, unsigned since, cl_ulong slack)
{
    return answers[queued].there && answers[end].there && marks[since].made &&
           number(end) - number(queued) >
               (long long)(2 * (finished - marks[since].clock_began) + slack);
}

/* Memory grew by more than so many bytes from each of these answers to the next. */
static inline int grew(long long most, const unsigned *all, unsigned count)
{
    for (unsigned n = 0; n < count; n++)
        if (!answers[all[n]].there || (n > 0 && number(all[n]) - number(all[n - 1]) <= most))
            return 0;
    return 1;
}

/* Before a run. */
static inline void forget(void)
{
    for (unsigned n = 0; n <= MARKS; n++)
        marks[n] = (struct mark){ 0, 0, 0, 0, 0, 0 };
    for (unsigned n = 0; n <= ANSWERS; n++)
        answers[n].there = 0;
    for (unsigned n = 0; n <= SIGNALS; n++)
        given[n] = 0;
    pthread_mutex_lock(&firing);
    fired_count = 0;
    pthread_mutex_unlock(&firing);
    over = exchange_timed_out = left_pending = 0;
    astray = NULL;
    finished = 0;
}

static inline int status_of(cl_event event)
{
    cl_int status = 0;
    cl_int code = clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status,
                                 NULL);
    return code == CL_SUCCESS ? status : CL_COMPLETE;
}

/* A number that a device says of itself; 0 where it says none. */
static inline unsigned long long info(cl_device_id device, cl_device_info what)
{
    unsigned char bytes[8] = { 0 };
    unsigned long long value = 0;
    (void)clGetDeviceInfo(device, what, sizeof bytes, bytes, NULL);
    for (unsigned n = 0; n < sizeof bytes; n++)
        value |= (unsigned long long)bytes[n] << (8 * n);
    return value;
}

static inline void need(int missing, const char *what)
{
    if (!missing)
        return;
    fprintf(stderr, "the device lacks %s: the test cannot be made\n", what);
    exit(2);
}

/* A kernel may permit smaller work-groups than its device. */
static inline void need_group(cl_int code, cl_command_queue queue, cl_kernel kernel, size_t items)
{
    cl_device_id device;
    size_t most = items;
    if (code == CL_INVALID_WORK_GROUP_SIZE &&
        clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof device, &device, NULL) == CL_SUCCESS &&
        clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_WORK_GROUP_SIZE, sizeof most, &most,
                                 NULL) == CL_SUCCESS)
        need(most < items, "a kernel whose work-groups are that large");
}

/* Before OpenCL 2.0 there is another function. */
static inline cl_command_queue new_queue(cl_context context, cl_device_id device,
                                         cl_command_queue_properties flags, cl_int *code)
{
#ifdef CL_VERSION_2_0
    const cl_queue_properties list[] = { CL_QUEUE_PROPERTIES, flags, 0 };
    return clCreateCommandQueueWithProperties(context, device, flags ? list : NULL, code);
#else
    return clCreateCommandQueue(context, device, flags, code);
#endif
}

/* The bytes that this process has in use; 0 where the system does not say. */
static inline long long resident(void)
{
    long all = 0, used = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file && fscanf(file, "%ld %ld", &all, &used) != 2)
        used = 0;
    if (file)
        fclose(file);
    return (long long)used * sysconf(_SC_PAGESIZE);
}

