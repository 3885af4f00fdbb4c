/* ---- telling what is wrong --------------------------------------------------------------------- */

static _Atomic(cl_uint) run_number;
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
    if (at == told_count && told_count < sizeof told / sizeof told[0]) {
        memcpy(told[told_count++].text, text, sizeof text);
        printf("run %lu: %s\n", (unsigned long)run_number + 1, text);
        fflush(stdout);
    }
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

static void hung(int signal)
{
    static const char text[] = "a run does not come to its end\n";
    (void)signal;
    if (write(1, text, sizeof text - 1) < 0)
        _exit(1);
    _exit(1);
}

/* The devices of the platform that the second argument chooses, the one that the third argument
   chooses first; at least so many. Says which it is. */
static inline cl_uint choose(int argc, char **argv, cl_uint needed, cl_device_id sorted[64])
{
    unsigned long platform = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
    unsigned long device = argc > 3 ? strtoul(argv[3], NULL, 10) : 0;
    cl_platform_id platforms[64];
    cl_device_id devices[64];
    cl_uint count = 0;
    must(clGetPlatformIDs(64, platforms, &count), "clGetPlatformIDs");
    if (platform >= count || platform >= 64) {
        fprintf(stderr, "there is no platform %lu\n", platform);
        exit(2);
    }
    must(clGetDeviceIDs(platforms[platform], CL_DEVICE_TYPE_ALL, 64, devices, &count),
         "clGetDeviceIDs");
    if (count > 64)
        count = 64;
    if (device >= count || count < needed) {
        fprintf(stderr, "there is no device %lu, or there are fewer than %u\n", device, needed);
        exit(2);
    }
    for (cl_uint n = 0; n < count; n++)
        sorted[n] = devices[(n + device) % count];
    char name[200] = "", driver[200] = "";
    clGetDeviceInfo(sorted[0], CL_DEVICE_NAME, sizeof name, name, NULL);
    clGetDeviceInfo(sorted[0], CL_DRIVER_VERSION, sizeof driver, driver, NULL);
    printf("%s, driver %s\n", name, driver);
    fflush(stdout);
    return count;
}

/* What was wrong in all runs; does not come back. */
static inline void sum_up(unsigned long runs, unsigned long wrong)
{
    for (unsigned n = 0; n < told_count; n++)
        printf("%lu of %lu runs: %s\n", told[n].runs, runs, told[n].text);
    printf("%lu of %lu runs had something wrong\n", wrong, runs);
    fflush(stdout);
    _exit(wrong > 0);
}

