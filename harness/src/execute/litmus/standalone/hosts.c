/* ---- threads of the host ----------------------------------------------------------------------- */

/* What they are written in is OpenCL C, whose types and atomic functions are these of a compiler that has GNU C. The
   scope of what the host does is all there is. */
#pragma GCC diagnostic ignored "-Wunused-but-set-variable"
typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
typedef int atomic_int;
typedef uint atomic_uint;
typedef long atomic_long;
typedef ulong atomic_ulong;
_Static_assert(sizeof(long) == 8, "a long has 64 bits in OpenCL C");
#define __global
#define memory_order_relaxed __ATOMIC_RELAXED
#define memory_order_acquire __ATOMIC_ACQUIRE
#define memory_order_release __ATOMIC_RELEASE
#define memory_order_acq_rel __ATOMIC_ACQ_REL
#define memory_order_seq_cst __ATOMIC_SEQ_CST
#define atomic_work_item_fence(flags, order, scope) __atomic_thread_fence(order)
#define atomic_load_explicit(at, order, scope) __atomic_load_n(at, order)
#define atomic_store_explicit(at, value, order, scope) __atomic_store_n(at, value, order)
#define atomic_exchange_explicit(at, value, order, scope) __atomic_exchange_n(at, value, order)
#define atomic_fetch_add_explicit(at, value, order, scope) __atomic_fetch_add(at, value, order)
#define atomic_fetch_sub_explicit(at, value, order, scope) __atomic_fetch_sub(at, value, order)
#define atomic_fetch_or_explicit(at, value, order, scope) __atomic_fetch_or(at, value, order)
#define atomic_fetch_xor_explicit(at, value, order, scope) __atomic_fetch_xor(at, value, order)
#define atomic_fetch_and_explicit(at, value, order, scope) __atomic_fetch_and(at, value, order)
#define CHOSEN(at, value, order, is_better)                                                        \
    __extension__({                                                                                \
        __typeof__(value) given = (value), old = __atomic_load_n(at, __ATOMIC_RELAXED);            \
        while (!__atomic_compare_exchange_n(at, &old, given is_better old ? given : old, 0, order, \
                                            __ATOMIC_RELAXED))                                     \
            ;                                                                                      \
        old;                                                                                       \
    })
#define atomic_fetch_min_explicit(at, value, order, scope) CHOSEN(at, value, order, <)
#define atomic_fetch_max_explicit(at, value, order, scope) CHOSEN(at, value, order, >)
#define EXCHANGED(at, expected, value, is_weak, order, failure)                                    \
    __extension__({                                                                                \
        int done = __atomic_compare_exchange_n(at, expected, value, is_weak, order,                \
                                               __ATOMIC_RELAXED);                                  \
        if (!done)                                                                                 \
            __atomic_thread_fence(failure);                                                        \
        done;                                                                                      \
    })
#define atomic_compare_exchange_strong_explicit(at, expected, value, order, failure, scope)        \
    EXCHANGED(at, expected, value, 0, order, failure)
#define atomic_compare_exchange_weak_explicit(at, expected, value, order, failure, scope)          \
    EXCHANGED(at, expected, value, 1, order, failure)

/* An index outside of its location is undefined; it stays inside of its instance. */
static inline long classay_clamp(long index, long length)
{
    return index < 0 || index >= length ? 0 : index;
}

/* Where a location of an instance lies. */
static inline uint *lies(const uint32_t *environment, uint32_t *memory, size_t slot, uint32_t k)
{
    const uint32_t *of = environment + SLOTS_AT + 4 * slot;
    uint64_t place = ((uint64_t)k * of[1] + of[2]) % environment[COUNT];
    return memory + of[0] + place * environment[PITCH_OF_INSTANCES];
}

