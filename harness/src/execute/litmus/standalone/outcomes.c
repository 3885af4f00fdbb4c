/* ---- outcomes ---------------------------------------------------------------------------------- */

static struct outcome {
    long long values[FIELDS];
    unsigned long long count;
    int forbidden;
} outcomes[4096];
static size_t outcome_count;
static unsigned long long unfinished, unwritten, beyond;

static int forbidden(const long long *values)
{
    if (!JUDGED)
        return 0;
    for (size_t n = 0; n != ALLOWED; n++)
        if (memcmp(allowed[n], values, sizeof allowed[n]) == 0)
            return 0;
    return 1;
}

static void count_outcome(const long long *values)
{
    size_t at = 0;
    while (at < outcome_count && memcmp(outcomes[at].values, values, sizeof outcomes[at].values) != 0)
        at++;
    if (at == sizeof outcomes / sizeof outcomes[0]) {
        beyond++;
        return;
    }
    if (at == outcome_count) {
        memcpy(outcomes[at].values, values, sizeof outcomes[at].values);
        outcomes[at].forbidden = forbidden(values);
        outcome_count++;
    }
    outcomes[at].count++;
}

/* How instance k of a launch ended. */
static void look(const uint32_t *environment, const uint32_t *memory, const uint32_t *results, uint32_t k)
{
    long long values[FIELDS] = {0};
    uint32_t count = environment[COUNT];
    if (BOUND_COLUMN >= 0 && results[(size_t)BOUND_COLUMN * PITCH_OF_RESULTS + k] != 0) {
        unfinished++;
        return;
    }
    for (size_t n = 0; n < FIELD_COUNT; n++) {
        const struct field *f = &fields[n];
        uint64_t low, high = 0;
        if (f->column >= 0) {
            const uint32_t *at = results + (size_t)f->column * PITCH_OF_RESULTS + k;
            low = at[0];
            if (f->bits == 64)
                high = at[PITCH_OF_RESULTS];
            if (low == UNWRITTEN && (f->bits < 64 || high == UNWRITTEN)) {
                unwritten++;
                return;
            }
        } else {
            const uint32_t *slot = environment + SLOTS_AT + 4 * f->slot;
            uint64_t place = ((uint64_t)k * slot[1] + slot[2]) % count;
            const uint32_t *at = memory + slot[0] + place * environment[PITCH_OF_INSTANCES] + f->word;
            low = at[0] >> f->shift;
            if (f->bits == 64)
                high = at[1];
        }
        uint64_t raw = high << 32 | low;
        if (f->bits < 64)
            raw &= ((uint64_t)1 << f->bits) - 1;
        if (f->is_signed && f->bits < 64 && raw >> (f->bits - 1))
            raw |= ~(uint64_t)0 << f->bits;
        memcpy(&values[n], &raw, sizeof raw);
    }
    count_outcome(values);
}

static int by_count(const void *a, const void *b)
{
    unsigned long long x = ((const struct outcome *)a)->count, y = ((const struct outcome *)b)->count;
    return (x < y) - (x > y);
}

static unsigned long long tell(void)
{
    unsigned long long broken = 0;
    qsort(outcomes, outcome_count, sizeof outcomes[0], by_count);
    for (size_t n = 0; n < outcome_count; n++) {
        printf("%14llu ", outcomes[n].count);
        for (size_t f = 0; f < FIELD_COUNT; f++) {
            if (fields[f].is_signed || fields[f].bits < 64)
                printf(" %s=%lld", fields[f].name, outcomes[n].values[f]);
            else
                printf(" %s=%llu", fields[f].name, (unsigned long long)outcomes[n].values[f]);
        }
        printf("%s\n", outcomes[n].forbidden ? "   FORBIDDEN" : "");
        if (outcomes[n].forbidden)
            broken += outcomes[n].count;
    }
    if (unfinished)
        printf("%14llu  gave up a loop and say nothing\n", unfinished);
    if (unwritten)
        printf("%14llu  have a thread that left no result\n", unwritten);
    if (beyond)
        printf("%14llu  had outcomes for which there was no room\n", beyond);
    return broken;
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* What everything holds when a launch begins. */
static void start(uint32_t *initial, uint32_t *unset)
{
    for (size_t n = 0; n < sizeof starts / sizeof starts[0]; n++)
        for (size_t x = 0; x < PLACES; x++)
            initial[starts[n].base + x * environments[0][PITCH_OF_INSTANCES] + starts[n].word] =
                starts[n].value;
    for (size_t n = 0; n < RESULT_WORDS; n++)
        unset[n] = (long)(n / PITCH_OF_RESULTS) == BOUND_COLUMN ? 0 : UNWRITTEN;
}

/* Tells what was seen; does not come back. */
static void end(unsigned long long instances, unsigned long long launches)
{
    unsigned long long broken = tell();
    printf("%llu instances in %llu launches; %llu with a forbidden outcome\n", instances, launches,
           broken);
    fflush(stdout);
    _exit(broken > 0 || unwritten > 0);
}

