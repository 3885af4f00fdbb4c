/* ---- tokens ------------------------------------------------------------------------------------ */

/* Memory is divided into cells. Who writes a cell fills it with one token, which names the run, the writer
   and the cell, so that a reader shows whom it saw. The low 7 bits are the cell (127: any, by a fill). The
   others are 11 bits of the run, 2 of the kind of writer and 12 of its number, mixed so that the tokens of
   two writers differ in all their bytes but the first: a transfer that is a byte short shows. A writer is
   written down unmixed, in the bits 7-18 and 19-20. */
#define CREATION(object) (1u << 19 | (object) << 7)
#define COMMAND(command) (2u << 19 | (command) << 7)
#define ACCESS(access) (3u << 19 | (access) << 7)
#define ANY_CELL 127u

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

/* Fills cells of so many words with a writer's tokens: `count` of them, `stride` apart in memory and in
   number, the first of them number `at`. */
static inline void put_tokens(unsigned char *memory, unsigned count, unsigned stride, unsigned words,
                              cl_uint writer, unsigned at)
{
    for (unsigned n = 0; n < count; n++)
        for (unsigned w = 0; w < words; w++)
            ((volatile cl_uint *)(void *)memory)[n * stride * words + w] =
                token(writer | (at + n * stride));
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

#define ANYTHING 0xffffffffu /* an expectation: the specification leaves the value open */

/* If a cell holds this, these are the rules; or where it is the first word that differs from the
   cell's first. */
struct instead {
    cl_uint token;
    const char *rules, *torn;
};

/* Compares a cell that was read, one of so many of an answer, with what must be there. `found` ends with
   the rules for all that it does not name. */
static inline void expect_cell(const char *reader, unsigned from, size_t n, size_t of, cl_uint wanted,
                               const struct instead *found)
{
    char seen[80], other[80] = "", right[80];
    size_t count = answers[from].length / of / 4;
    const cl_uint *words = (const cl_uint *)(const void *)answers[from].bytes + n * count;
    cl_uint odd = words[0];
    int several = 0;
    for (size_t w = 1; w < count && !several; w++)
        if (words[w] != words[0]) {
            odd = words[w];
            several = 1;
        }
    if (wanted != ANYTHING && !several && words[0] == token(wanted))
        return;
    if (wanted == ANYTHING) {
        /* Only what must not have run is wrong here. */
        for (; found->token != ANYTHING; found++) {
            cl_uint wrong = found->token ? token(found->token) : 0;
            if (words[0] == wrong || odd == wrong) {
                describe(seen, sizeof seen, wrong);
                violation(found->rules, "%s saw %s", reader, seen);
                return;
            }
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

