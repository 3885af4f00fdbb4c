/* ---- the host's side of an exchange --------------------------------------------------------------- */

/* All accesses here are atomic ones, so that those that race with a kernel are no race of this
   process; where none is asked for, they are relaxed. */

/* So many bytes after the beginning of an open memory, where they lie in it. */
static inline unsigned char *cell(unsigned memory, cl_ulong offset, unsigned unit)
{
    size_t bytes = open_memory[memory].bytes;
    if (offset > bytes || bytes - offset < unit || offset % unit != 0)
        return NULL;
    return *open_memory[memory].start + offset;
}

/* The same by its address. */
static inline unsigned char *pointed(cl_ulong address, unsigned unit)
{
    for (unsigned n = 0; n < sizeof open_memory / sizeof open_memory[0]; n++) {
        cl_ulong start = (cl_ulong)(uintptr_t)*open_memory[n].start;
        if (address >= start && address - start < open_memory[n].bytes)
            return cell(n, address - start, unit);
    }
    return NULL;
}

static inline cl_ulong load(unsigned char *at, unsigned unit, memory_order order)
{
    return unit == 1   ? atomic_load_explicit((_Atomic cl_uchar *)at, order)
           : unit == 4 ? atomic_load_explicit((_Atomic cl_uint *)(void *)at, order)
                       : atomic_load_explicit((_Atomic cl_ulong *)(void *)at, order);
}

static inline void store(unsigned char *at, unsigned unit, cl_ulong value, memory_order order)
{
    if (unit == 1)
        atomic_store_explicit((_Atomic cl_uchar *)at, (cl_uchar)value, order);
    else if (unit == 4)
        atomic_store_explicit((_Atomic cl_uint *)(void *)at, (cl_uint)value, order);
    else
        atomic_store_explicit((_Atomic cl_ulong *)(void *)at, value, order);
}

/* Compare-exchange; what is found is left in *expected where it fails. */
static inline int swap(unsigned char *at, unsigned unit, cl_ulong *expected, cl_ulong value,
                       memory_order order)
{
    int done;
    if (unit == 1) {
        cl_uchar old = (cl_uchar)*expected;
        done = atomic_compare_exchange_weak_explicit((_Atomic cl_uchar *)at, &old, (cl_uchar)value,
                                                     order, memory_order_relaxed);
        *expected = done ? *expected : old;
    } else if (unit == 4) {
        cl_uint old = (cl_uint)*expected;
        done = atomic_compare_exchange_weak_explicit((_Atomic cl_uint *)(void *)at, &old,
                                                     (cl_uint)value, order, memory_order_relaxed);
        *expected = done ? *expected : old;
    } else {
        cl_ulong old = *expected;
        done = atomic_compare_exchange_weak_explicit((_Atomic cl_ulong *)(void *)at, &old, value,
                                                     order, memory_order_relaxed);
        *expected = done ? *expected : old;
    }
    return done;
}

static inline cl_long as_signed(cl_ulong value, unsigned unit)
{
    return unit == 1 ? (cl_char)value : unit == 4 ? (cl_int)value : (cl_long)value;
}

enum change { ADD, SUB, OR, AND, XOR, MIN, MAX, MIN_SIGNED, MAX_SIGNED, EXCHANGE };

/* What a read-modify-write leaves. */
static inline cl_ulong changed(enum change how, cl_ulong old, cl_ulong by, unsigned unit)
{
    cl_ulong cut = unit == 1 ? 0xff : unit == 4 ? 0xffffffffu : ~(cl_ulong)0;
    by &= cut;
    switch (how) {
    case ADD: return old + by;
    case SUB: return old - by;
    case OR: return old | by;
    case AND: return old & by;
    case XOR: return old ^ by;
    case MIN: return by < old ? by : old;
    case MAX: return by > old ? by : old;
    case MIN_SIGNED: return as_signed(by, unit) < as_signed(old, unit) ? by : old;
    case MAX_SIGNED: return as_signed(by, unit) > as_signed(old, unit) ? by : old;
    case EXCHANGE: return by;
    }
    return by;
}

/* A read-modify-write; gives the value before. */
static inline cl_ulong change(unsigned char *at, unsigned unit, enum change how, cl_ulong by,
                              memory_order order)
{
    cl_ulong old = load(at, unit, memory_order_relaxed);
    while (!swap(at, unit, &old, changed(how, old, by, unit), order))
        ;
    return old;
}

static inline int below(cl_ulong one, cl_ulong other)
{
    return one < other;
}

static inline int quitting(unsigned char *quit)
{
    return quit && load(quit, 4, memory_order_relaxed) != 0;
}

/* Loads until the value is there: half a second at most, and until somebody gives up. */
static inline int await(unsigned char *at, unsigned unit, cl_ulong value, memory_order order,
                        unsigned char *quit)
{
    struct timespec begun, now;
    value &= unit == 1 ? 0xff : unit == 4 ? 0xffffffffu : ~(cl_ulong)0;
    clock_gettime(CLOCK_MONOTONIC, &begun);
    for (;;) {
        for (unsigned n = 0; n < 64; n++)
            if (load(at, unit, order) == value)
                return 1;
        clock_gettime(CLOCK_MONOTONIC, &now);
        double waited = (double)(now.tv_sec - begun.tv_sec) + 1e-9 * (double)(now.tv_nsec - begun.tv_nsec);
        if (quitting(quit) || waited > 0.5)
            return 0;
        sched_yield();
    }
}

