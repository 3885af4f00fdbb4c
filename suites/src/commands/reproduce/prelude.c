/* ---- what every program of this kind needs ---------------------------------------------------- */

/* Memory is divided into cells of WORDS words. Who writes a cell fills it with one token, which names
   the run, the writer and the cell, so that a reader tells whom it saw:
   bits 21-31 the run, 19-20 the kind of writer, 7-18 its number, 0-6 the cell (127: any, by a fill). */
#define CREATION(object) (1u << 19 | (object) << 7)
#define COMMAND(command) (2u << 19 | (command) << 7)
#define ACCESS(access) (3u << 19 | (access) << 7)
#define ANY_CELL 127u
#define OF_RUN(run) (((run) & 0x7ffu) << 21)

#define ANYTHING 0xffffffffu   /* an expectation: the specification leaves the value open */
#define NEGATIVE (-100000)     /* an answer: any negative number that is not named beside it */
#define NOT_CALLED (-200000)   /* the call was not made, because one that it needs had failed */

static cl_uint run_number;
static unsigned long violations_of_run;
static pthread_mutex_t telling = PTHREAD_MUTEX_INITIALIZER;

static struct told {
    char text[400];
    unsigned long runs;
    cl_uint last;
} told[64];
static unsigned told_count;

/* Notes a violation: the rules of which one is broken, what was seen and what had to be. */
static inline void violation(const char *rules, const char *format, ...)
{
    char text[400];
    int used = snprintf(text, sizeof text, "%s: ", rules);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + used, sizeof text - (size_t)used, format, arguments);
    va_end(arguments);
    pthread_mutex_lock(&telling);
    violations_of_run++;
    unsigned at = 0;
    while (at < told_count && strcmp(told[at].text, text) != 0)
        at++;
    if (at == told_count && told_count < sizeof told / sizeof told[0])
        memcpy(told[told_count++].text, text, sizeof text);
    if (at < told_count && told[at].last != run_number + 1) {
        told[at].last = run_number + 1;
        told[at].runs++;
    }
    pthread_mutex_unlock(&telling);
}

/* A call outside the program's own steps, which cannot fail in a test that means anything. */
static inline void must(cl_int code, const char *call)
{
    if (code != CL_SUCCESS) {
        fprintf(stderr, "%s gives error %d: the test cannot be made\n", call, code);
        exit(2);
    }
}

/* The order in which things happen, for all threads: a number drawn before each call of a step, one
   after it, and one as the first act of each callback. */
static atomic_ulong ticks;
static inline unsigned long tick(void)
{
    return atomic_fetch_add(&ticks, 1) + 1;
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
                OF_RUN(run_number) | writer | (at + first + n * stride);
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
    unsigned kind = word >> 19 & 3, number = word >> 7 & 0xfff, cell = word & 0x7f;
    if (word >> 21 != (run_number & 0x7ff) || kind == 0)
        snprintf(text, size, "no token of this run");
    else if (cell == ANY_CELL)
        snprintf(text, size, "%s %u", kinds[kind], number);
    else
        snprintf(text, size, "cell %u of %s %u", cell, kinds[kind], number);
}

/* If a cell holds this, these are the rules. */
struct instead {
    cl_uint token;
    const char *rules;
};

/* Holds a cell that was read against what must be there. `found` ends with the rules for all that it
   does not name. */
static inline void expect_cell(const char *reader, const cl_uint *words, cl_uint wanted,
                               const struct instead *found)
{
    char seen[80], other[80] = "", right[80];
    cl_uint odd = words[0];
    int mixed = 0;
    for (unsigned w = 1; w < WORDS; w++)
        if (words[w] != words[0]) {
            odd = words[w];
            mixed = 1;
        }
    cl_uint run = OF_RUN(run_number);
    if (wanted != ANYTHING && !mixed && words[0] == (run | wanted))
        return;
    if (wanted == ANYTHING) {
        /* Only what must not have run is wrong here. */
        for (; found->token != ANYTHING; found++)
            if (words[0] == (run | found->token) || odd == (run | found->token)) {
                describe(seen, sizeof seen, run | found->token);
                violation(found->rules, "%s saw %s", reader, seen);
                return;
            }
        return;
    }
    while (found->token != ANYTHING && (mixed || odd != (found->token ? run | found->token : 0)))
        found++;
    describe(seen, sizeof seen, words[0]);
    if (mixed)
        describe(other, sizeof other, odd);
    describe(right, sizeof right, run | wanted);
    violation(found->rules, "%s saw %s%s%s, not %s", reader, seen, mixed ? " and " : "", other,
              right);
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

struct times {
    int known;
    cl_ulong of[4];
};

static inline struct times times_of(cl_event event)
{
    static const cl_profiling_info names[] = {
        CL_PROFILING_COMMAND_QUEUED, CL_PROFILING_COMMAND_SUBMIT, CL_PROFILING_COMMAND_START,
        CL_PROFILING_COMMAND_END
    };
    struct times times = { 1, { 0, 0, 0, 0 } };
    for (int n = 0; n < 4; n++)
        if (clGetEventProfilingInfo(event, names[n], sizeof times.of[n], &times.of[n], NULL) !=
            CL_SUCCESS)
            times.known = 0;
    return times;
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

