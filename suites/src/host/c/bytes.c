/* ---- what bytes must be ------------------------------------------------------------------------ */

/* An element of one, four or eight bytes. */
static inline unsigned long long element(const unsigned char *bytes, unsigned unit, size_t n)
{
    unsigned long long value = 0;
    for (unsigned b = 0; b < unit; b++)
        value |= (unsigned long long)bytes[n * unit + b] << (8 * b);
    return value;
}

static inline const char *unit_name(unsigned unit)
{
    return unit == 1 ? "byte" : unit == 4 ? "word" : "long";
}

/* The first element that differs is reported, with what its column is about where there are columns; its value is not
 * where it depends on races. */
static inline void expect_same(const char *rules, const char *name, unsigned unit,
                               const unsigned char *wanted, const unsigned char *seen,
                               size_t bytes, int racy, const char *const *columns, size_t count)
{
    for (size_t n = 0; n < bytes / unit; n++) {
        unsigned long long right = element(wanted, unit, n), is = element(seen, unit, n);
        if (right == is)
            continue;
        const char *by = count ? ", by " : "", *column = count ? columns[n % count] : "";
        if (racy)
            violation(rules, "%s%s%s: %s %zu is not %llu", name, by, column, unit_name(unit), n,
                      right);
        else
            violation(rules, "%s%s%s: %s %zu is %llu, not %llu", name, by, column, unit_name(unit),
                      n, is, right);
        return;
    }
}

static inline int by_size(const void *one, const void *other)
{
    unsigned long long a = *(const unsigned long long *)one, b = *(const unsigned long long *)other;
    return (a > b) - (a < b);
}

/* Each value once, in any order. */
static inline void expect_permutation(const char *rules, const char *name, unsigned unit,
                                      const unsigned char *seen, size_t count,
                                      unsigned long long first, unsigned long long step)
{
    unsigned long long *values = (unsigned long long *)room(count * sizeof *values);
    int right = 1, twice = 0;
    for (size_t n = 0; n < count; n++)
        values[n] = element(seen, unit, n);
    qsort(values, count, sizeof *values, by_size);
    for (size_t n = 0; n < count; n++) {
        right &= values[n] == first + n * step;
        twice |= n > 0 && values[n] == values[n - 1];
    }
    if (!right)
        violation(rules, "%s: a value %s", name, twice ? "came twice" : "is missing");
    free(values);
}

/* One of the elements is this. */
static inline void expect_contained(const char *rules, const char *name, unsigned unit,
                                    const unsigned char *seen, size_t bytes,
                                    unsigned long long value)
{
    for (size_t n = 0; n < bytes / unit; n++)
        if (element(seen, unit, n) == value)
            return;
    violation(rules, "%s: %s %llu is missing", name, unit_name(unit), value);
}

/* What a number has to be: a number from the least to the greatest, by their places in the order of all numbers of the
 * format, or a zero where zero is right, or a NaN where a NaN is. +0 is at place 0, -0 at place -1. */
struct bounds {
    const char *of, *right;
    long long low, high;
    int zero, nan;
};

static inline void expect_within(const char *rules, const char *name, unsigned unit,
                                 const unsigned char *seen, const struct bounds *wanted, size_t count)
{
    unsigned long long top = 1ull << (8 * unit - 1);
    unsigned long long infinity = unit == 2 ? 0x7c00 : unit == 4 ? 0x7f800000 : 0x7ff0000000000000ull;
    for (size_t n = 0; n < count; n++) {
        unsigned long long bits = element(seen, unit, n), size = bits & (top - 1);
        long long place = bits & top ? ~(long long)size : (long long)size;
        int right = size > infinity ? wanted[n].nan
                                    : (wanted[n].zero && size == 0) ||
                                          (wanted[n].low <= place && place <= wanted[n].high);
        if (right)
            continue;
        violation(rules, "%s: %s is 0x%0*llx, not %s", name, wanted[n].of, (int)(2 * unit), bits,
                  wanted[n].right);
        return;
    }
}

/* The address at a byte leads to a place. */
static inline void expect_pointer(const char *rules, const char *name, const unsigned char *seen,
                                  size_t at, const unsigned char *to, const char *goal)
{
    if (element(seen + at, 8, 0) != (unsigned long long)(uintptr_t)to)
        violation(rules, "%s: the pointer at byte %zu does not lead %s", name, at, goal);
}

