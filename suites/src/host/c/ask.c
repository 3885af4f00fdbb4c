/* ---- what objects answer ----------------------------------------------------------------------- */

/* What was said to the question that was asked last: how long the answer is, the answer, and what a byte of room too
   few gives, and more room than the answer needs. */
static _Thread_local struct said {
    cl_int sized, code, shortened, roomy;
    int is_told, is_beyond;
    size_t size, length, roomy_length;
    unsigned char *bytes, *other;
    unsigned char wanted[1 << 16];
    size_t wanted_bytes;
} said;

#define BEYOND 16
#define FILLED 0xa5

/* Room for an answer, where there is one that is not too long. */
static inline int said_room(void)
{
    free(said.bytes);
    free(said.other);
    said.bytes = said.other = NULL;
    if (said.sized != CL_SUCCESS || said.size == 0 || said.size > 1u << 20)
        return 0;
    said.bytes = room(said.size + BEYOND);
    said.other = room(said.size + BEYOND);
    memset(said.bytes, FILLED, said.size + BEYOND);
    return said.is_told = 1;
}

static inline void said_beyond(void)
{
    for (size_t n = said.size; n < said.size + BEYOND; n++)
        said.is_beyond |= said.bytes[n] != FILLED;
}

#define ASK_LENGTH(function, ...)                                                                   \
    do {                                                                                            \
        said.is_told = said.is_beyond = 0;                                                          \
        said.wanted_bytes = said.size = said.length = 0;                                            \
        said.sized = function(__VA_ARGS__, 0, NULL, &said.size);                                    \
    } while (0)

#define ASK(function, ...)                                                                          \
    do {                                                                                            \
        ASK_LENGTH(function, __VA_ARGS__);                                                          \
        if (said_room()) {                                                                          \
            said.code = function(__VA_ARGS__, said.size, said.bytes, &said.length);                 \
            said_beyond();                                                                          \
            said.shortened = function(__VA_ARGS__, said.size - 1, said.other, NULL);                \
            said.roomy = function(__VA_ARGS__, said.size + BEYOND, said.other, &said.roomy_length); \
        }                                                                                           \
    } while (0)

/* The version of OpenCL that a device has, as CL_TARGET_OPENCL_VERSION has it. */
static inline unsigned version_of(cl_device_id device)
{
    char text[200] = "";
    unsigned major = 1, minor = 0;
    clGetDeviceInfo(device, CL_DEVICE_VERSION, sizeof text, text, NULL);
    sscanf(text, "OpenCL %u.%u", &major, &minor);
    return 100 * major + 10 * minor;
}

static inline void want(const void *bytes, size_t count)
{
    if (said.wanted_bytes + count <= sizeof said.wanted)
        memcpy(said.wanted + said.wanted_bytes, bytes, count);
    said.wanted_bytes += count;
}

static inline void want_word(cl_uint word)
{
    want(&word, sizeof word);
}

static inline void want_long(cl_ulong number)
{
    want(&number, sizeof number);
}

static inline void want_object(const void *object)
{
    want(&object, sizeof object);
}

/* Whether there is an answer to look at, of so many bytes where that is known; says what is wrong where not. */
static inline int is_said(const char *rules, const char *what, long long bytes)
{
    const size_t size = said.size;
    if (said.sized != CL_SUCCESS)
        violation(rules, "%s gives error %d", what, said.sized);
    else if (bytes >= 0 && size != (size_t)bytes)
        violation(rules, "%s says that the answer has %zu bytes, not %lld", what, size, bytes);
    else if (said.is_told && said.code != CL_SUCCESS)
        violation(rules, "%s gives error %d where there is room for the answer", what, said.code);
    else if (said.is_told && said.length != size)
        violation(rules, "%s gives an answer of %zu bytes, and said before that it has %zu", what,
                  said.length, size);
    else if (said.is_beyond)
        violation(rules, "%s writes beyond the room that it is given", what);
    else if (said.is_told && said.shortened != CL_INVALID_VALUE)
        violation(rules, "%s returns %d where a byte of room is missing, not %d", what,
                  said.shortened, CL_INVALID_VALUE);
    else if (said.is_told && said.roomy != CL_SUCCESS)
        violation(rules, "%s gives error %d where there is more room than it needs", what,
                  said.roomy);
    else if (said.is_told && said.roomy_length != size)
        violation(rules, "%s says of its %zu bytes that they are %zu where there is more room than it needs",
                  what, size, said.roomy_length);
    else
        return said.is_told;
    return 0;
}

/* The answer is what was wanted. */
static inline void expect_said(const char *rules, const char *what)
{
    if (is_said(rules, what, (long long)said.wanted_bytes) &&
        memcmp(said.bytes, said.wanted, said.wanted_bytes) != 0)
        violation(rules, "%s answers something else", what);
}

static inline int by_address(const void *one, const void *other)
{
    const uintptr_t a = *(const uintptr_t *)one, b = *(const uintptr_t *)other;
    return (a > b) - (a < b);
}

/* The same of objects in any order. */
static inline void expect_objects(const char *rules, const char *what)
{
    const size_t count = said.wanted_bytes / sizeof(void *);
    if (!is_said(rules, what, (long long)said.wanted_bytes))
        return;
    qsort(said.bytes, count, sizeof(void *), by_address);
    qsort(said.wanted, count, sizeof(void *), by_address);
    if (memcmp(said.bytes, said.wanted, said.wanted_bytes) != 0)
        violation(rules, "%s answers other objects", what);
}

static inline cl_ulong said_number(void)
{
    cl_ulong number = 0;
    memcpy(&number, said.bytes, said.size < sizeof number ? said.size : sizeof number);
    return number;
}

/* It is a number of so many bytes in a range. */
static inline void expect_number(const char *rules, const char *what, int bytes, cl_ulong least,
                                 cl_ulong most)
{
    if (is_said(rules, what, bytes) && (said_number() < least || said_number() > most))
        violation(rules, "%s answers %llu", what, (unsigned long long)said_number());
}

/* It has all of these bits, and of others only those. */
static inline void expect_bits(const char *rules, const char *what, cl_ulong must, cl_ulong may)
{
    if (is_said(rules, what, sizeof must) &&
        ((said_number() & must) != must || (said_number() & ~(must | may)) != 0))
        violation(rules, "%s answers %#llx, not %#llx", what, (unsigned long long)said_number(),
                  (unsigned long long)must);
}

/* It is a text that begins so and says more. */
static inline void expect_text(const char *rules, const char *what, const char *start)
{
    if (!is_said(rules, what, -1))
        return;
    const char *text = (const char *)said.bytes;
    const size_t begins = strlen(start);
    if (said.size < begins + 2 || memchr(text, 0, said.size) != text + said.size - 1 ||
        strncmp(text, start, begins) != 0)
        violation(rules, "%s answers \"%.*s\", not a text that begins with \"%s\"", what,
                  (int)said.size, text, start);
}

/* These are the names of an array of names with versions, in any order. */
static inline void expect_named(const char *rules, const char *what, const char *const *names,
                                unsigned count)
{
    const size_t version = 4, named = 68;
    if (!is_said(rules, what, (long long)(named * count)))
        return;
    for (unsigned n = 0; n < count; n++) {
        int there = 0;
        for (unsigned k = 0; k < count; k++)
            there += strncmp((const char *)said.bytes + named * k + version, names[n], named - version) == 0;
        if (there != 1)
            violation(rules, "%s names %s %d times", what, names[n], there);
    }
}

/* An array of names with versions has these, in any order, each with its major and minor version; all names begin so. */
static inline void expect_versions(const char *rules, const char *what, const char *begins, int alone,
                                   const cl_ulong *versions, const char *const *names, unsigned count)
{
    const size_t version = 4, named = 68;
    const cl_uint patch = 0xfff;
    if (!is_said(rules, what, alone ? (long long)(named * count) : -1))
        return;
    for (size_t at = 0; at + named <= said.size; at += named)
        if (strncmp((const char *)said.bytes + at + version, begins, strlen(begins)) != 0)
            violation(rules, "%s names \"%.64s\"", what, (const char *)said.bytes + at + version);
    for (unsigned n = 0; n < count; n++) {
        int there = 0;
        for (size_t at = 0; at + named <= said.size; at += named) {
            cl_uint is;
            memcpy(&is, said.bytes + at, sizeof is);
            there += (is & ~patch) == versions[n] &&
                     strncmp((const char *)said.bytes + at + version, names[n], named - version) == 0;
        }
        if (there == 0 || (alone && there > 1))
            violation(rules, "%s names %s with version %#llx %d times", what, names[n],
                      (unsigned long long)versions[n], there);
    }
}

/* It is an array of numbers, each of which is one of these. */
static inline void expect_drawn(const char *rules, const char *what, const cl_ulong *all,
                                unsigned count)
{
    if (!is_said(rules, what, -1))
        return;
    for (size_t at = 0; at < said.size; at += sizeof(cl_ulong)) {
        cl_ulong is = 0;
        int there = 0;
        memcpy(&is, said.bytes + at, said.size - at < sizeof is ? said.size - at : sizeof is);
        for (unsigned n = 0; n < count; n++)
            there |= is == all[n];
        if (!there)
            violation(rules, "%s answers %#llx", what, (unsigned long long)is);
    }
}

/* It is made of these parts, in any order, with a character or blanks between them. */
static inline void expect_parts(const char *rules, const char *what, long long bytes, char between,
                                const char *const *parts, unsigned count)
{
    if (!is_said(rules, what, bytes))
        return;
    char *text = (char *)said.bytes;
    size_t left = 0;
    for (size_t n = 0; n + 1 < said.size; n++)
        if (text[n] != between && !strchr(" \t\n", text[n]))
            text[left++] = text[n];
    text[left] = 0;
    for (unsigned n = 0; n < count; n++) {
        char *found = strstr(text, parts[n]);
        if (!found) {
            violation(rules, "%s does not name %s", what, parts[n]);
            return;
        }
        memmove(found, found + strlen(parts[n]), strlen(found + strlen(parts[n])) + 1);
    }
    if (*text)
        violation(rules, "%s names %.60s, too", what, text);
}

/* It is refused with this error. */
static inline void expect_no_answer(const char *rules, const char *what, cl_int code)
{
    if (said.sized != code)
        violation(rules, "%s returns %d, not %d", what, said.sized, code);
}
