/* ---- what every program of this kind needs ---------------------------------------------------- */

/* Memory is divided into cells of WORDS words. Who writes a cell fills it with one token, which names
   the run, the writer and the cell, so that a reader tells whom it saw. The low 7 bits are the cell
   (127: any, by a fill). The others are 11 bits of the run, 2 of the kind of writer and 12 of its
   number, mixed so that the tokens of two writers differ in all their bytes but the first: a transfer
   that is a byte short shows. A writer is written down unmixed, in the bits 7-18 and 19-20. */
#define CREATION(object) (1u << 19 | (object) << 7)
#define COMMAND(command) (2u << 19 | (command) << 7)
#define ACCESS(access) (3u << 19 | (access) << 7)
#define ANY_CELL 127u

#define ANYTHING 0xffffffffu   /* an expectation: the specification leaves the value open */
#define NEGATIVE (-100000)     /* an answer: any negative number that is not named beside it */
#define NOT_CALLED (-200000)   /* the call was not made, because one that it needs had failed */

/* Numbers of 25 bits, one to one: shifts of at least half the bits undo themselves, and odd factors
   have inverses. */
static inline cl_uint mixed(cl_uint x)
{
    x ^= x >> 13;
    x = x * 0x013c6ef3u & 0x1ffffffu;
    return x ^ x >> 13;
}
static inline cl_uint unmixed(cl_uint x)
{
    x ^= x >> 13;
    x = x * 0x01eb5a3bu & 0x1ffffffu;
    return x ^ x >> 13;
}

/* The token of a writer for a cell, as in COMMAND(3u) | 5u, in this run. */
static inline cl_uint token(cl_uint writer)
{
    cl_uint name = (run_number & 0x7ffu) << 14 | (writer >> 7 & 0x3fffu);
    return mixed(name) << 7 | (writer & 0x7fu);
}

/* The order in which things happen, for all threads: a number drawn before each call of a step, one
   after it, and one as the first act of each callback. */
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

/* A signal from one host thread to others. */
struct sign {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int given;
};
static inline void give(struct sign *sign)
{
    pthread_mutex_lock(&sign->lock);
    sign->given = 1;
    pthread_cond_broadcast(&sign->changed);
    pthread_mutex_unlock(&sign->lock);
}
static inline void await(struct sign *sign)
{
    pthread_mutex_lock(&sign->lock);
    while (!sign->given)
        pthread_cond_wait(&sign->changed, &sign->lock);
    pthread_mutex_unlock(&sign->lock);
}

/* Fills cells with a writer's tokens: `count` of them, `stride` apart, from cell `first` of `memory`
   on; `at` is the number there of the object's first cell in the memory that holds the data. */
static inline void put(cl_uint *memory, unsigned first, unsigned count, unsigned stride,
                       cl_uint writer, unsigned at)
{
    for (unsigned n = 0; n < count; n++)
        for (unsigned w = 0; w < WORDS; w++)
            ((volatile cl_uint *)memory)[(first + n * stride) * WORDS + w] =
                token(writer | (at + first + n * stride));
}

/* Copies cells one after another. */
static inline void look(cl_uint *to, const cl_uint *memory, unsigned first, unsigned count,
                        unsigned stride)
{
    for (unsigned n = 0; n < count; n++)
        for (unsigned w = 0; w < WORDS; w++)
            to[n * WORDS + w] =
                ((const volatile cl_uint *)memory)[(first + n * stride) * WORDS + w];
}

static inline void *cells(size_t n)
{
    void *memory = NULL;
    size_t bytes = (n * WORDS * 4 + 4095) / 4096 * 4096;
    if (posix_memalign(&memory, 4096, bytes ? bytes : 4096) != 0)
        abort();
    memset(memory, 0, bytes ? bytes : 4096);
    return memory;
}

/* What a word says. */
static inline void describe(char *text, size_t size, cl_uint word)
{
    static const char *const kinds[] = { "", "the creation of object", "command", "host access" };
    cl_uint name = unmixed(word >> 7);
    unsigned kind = name >> 12 & 3, number = name & 0xfff, cell = word & 0x7f;
    if (name >> 14 != (run_number & 0x7ff) || kind == 0)
        snprintf(text, size, "no token of this run");
    else if (cell == ANY_CELL)
        snprintf(text, size, "%s %u", kinds[kind], number);
    else
        snprintf(text, size, "cell %u of %s %u", cell, kinds[kind], number);
}

/* If a cell holds this, these are the rules; or where it is the first word that differs from the
   cell's first. */
struct instead {
    cl_uint token;
    const char *rules, *torn;
};

/* Holds a cell that was read against what must be there. `found` ends with the rules for all that it
   does not name. */
static inline void expect_cell(const char *reader, const cl_uint *words, cl_uint wanted,
                               const struct instead *found)
{
    char seen[80], other[80] = "", right[80];
    cl_uint odd = words[0];
    int several = 0;
    for (unsigned w = 1; w < WORDS && !several; w++)
        if (words[w] != words[0]) {
            odd = words[w];
            several = 1;
        }
    if (wanted != ANYTHING && !several && words[0] == token(wanted))
        return;
    if (wanted == ANYTHING) {
        /* Only what must not have run is wrong here. */
        for (; found->token != ANYTHING; found++)
            if (words[0] == token(found->token) || odd == token(found->token)) {
                describe(seen, sizeof seen, token(found->token));
                violation(found->rules, "%s saw %s", reader, seen);
                return;
            }
        return;
    }
    while (found->token != ANYTHING && odd != (found->token ? token(found->token) : 0))
        found++;
    describe(seen, sizeof seen, words[0]);
    if (several)
        describe(other, sizeof other, odd);
    describe(right, sizeof right, token(wanted));
    violation(several ? found->torn : found->rules, "%s saw %s%s%s, not %s", reader, seen,
              several ? " and " : "", other, right);
}

/* Holds an answer against those that are right. */
static inline void expect_answer(const char *rules, const char *what, int answer, unsigned count,
                                 const int *right)
{
    int other = answer < 0;
    for (unsigned n = 0; n < count; n++) {
        if (answer == right[n])
            return;
        if (right[n] == NEGATIVE && other)
            return;
    }
    violation(rules, "%s was %d", what, answer);
}

static inline void expect_before(const char *rules, unsigned long early, const char *first,
                                 unsigned long late, const char *second)
{
    if (early && late && early > late)
        violation(rules, "%s came before %s", second, first);
}

static inline int status_of(cl_event event)
{
    cl_int status = 0;
    cl_int code = clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status,
                                 NULL);
    return code == CL_SUCCESS ? status : NOT_CALLED;
}

/* OpenCL 2.0 brought the last of the five times. */
#ifndef CL_PROFILING_COMMAND_COMPLETE
#define CL_PROFILING_COMMAND_COMPLETE 0x1284
#endif

struct times {
    int known, five; /* the first four, and the last */
    cl_ulong of[5];
};

static inline struct times times_of(cl_event event)
{
    static const cl_profiling_info names[] = {
        CL_PROFILING_COMMAND_QUEUED, CL_PROFILING_COMMAND_SUBMIT, CL_PROFILING_COMMAND_START,
        CL_PROFILING_COMMAND_END, CL_PROFILING_COMMAND_COMPLETE
    };
    struct times times = { 1, 1, { 0, 0, 0, 0, 0 } };
    for (int n = 0; n < 5; n++)
        if (clGetEventProfilingInfo(event, names[n], sizeof times.of[n], &times.of[n], NULL) !=
            CL_SUCCESS) {
            times.five = 0;
            if (n < 4)
                times.known = 0;
        }
    return times;
}

/* A command's states follow each other. */
static inline void expect_times(const char *rules, unsigned command, const struct times *times)
{
    static const char *const states[] = { "queued", "submitted", "started", "ended", "complete" };
    for (int n = 0; n + 1 < 5; n++)
        if (times->known && (n + 1 < 4 || times->five) && times->of[n] > times->of[n + 1])
            violation(rules, "by its times command %u was %s after it was %s", command, states[n],
                      states[n + 1]);
}

/* A command that the host held back from `since` on, by its own clock, until the latest of `until`,
   was queued at least half as long before it started: half, because clocks differ. */
static inline void expect_held(const char *rules, unsigned command, const struct times *times,
                               cl_ulong since, unsigned count, const cl_ulong *until)
{
    cl_ulong longest = 0;
    for (unsigned n = 0; n < count; n++)
        if (since && until[n] > since && until[n] - since > longest)
            longest = until[n] - since;
    if (times->known && longest >= HELD_LONG && times->of[2] - times->of[0] < longest / 2)
        violation(rules,
                  "by its times command %u started much sooner after it was queued than the host "
                  "let it",
                  command);
}

/* A command took no longer, from queued to ended, than the run from its enqueue on; twice that and a
   little more is let pass, because clocks differ. */
static inline void expect_within(const char *rules, unsigned command, const struct times *times,
                                 cl_ulong since, cl_ulong until)
{
    if (times->known && since && times->of[3] > times->of[0] &&
        times->of[3] - times->of[0] > 2 * (until - since) + CLOCK_SLACK)
        violation(rules, "by its times command %u was queued long before it was enqueued", command);
}

/* Sets the arguments of the kernels from the fifth on: see their source. */
static inline cl_int set_words(cl_kernel kernel, cl_mem log, const cl_uint ranges[4][4],
                               cl_uint token, cl_uint spin)
{
    cl_uint words = WORDS;
    cl_int code = clSetKernelArg(kernel, 4, sizeof log, &log);
    for (cl_uint n = 0; n < 4 && code == CL_SUCCESS; n++)
        code = clSetKernelArg(kernel, 5 + n, 16, ranges[n]);
    if (code == CL_SUCCESS)
        code = clSetKernelArg(kernel, 9, sizeof words, &words);
    if (code == CL_SUCCESS)
        code = clSetKernelArg(kernel, 10, sizeof token, &token);
    if (code == CL_SUCCESS)
        code = clSetKernelArg(kernel, 11, sizeof spin, &spin);
    return code;
}

