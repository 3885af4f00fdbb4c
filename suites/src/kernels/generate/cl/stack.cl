#ifdef cl_khr_int64_base_atomics
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
#endif
#define ALL memory_scope_all_svm_devices
typedef struct { ulong next; uint number; uint sum; uint more; uint mark; } node;
uint walk(ulong from, global uint *marks, uint most) {
    uint bad = 0;
    for (uint n = 0; from && n < most; n++) {
        global node *at = (global node *)from;
        uint number = at->number;
        if (number >= most || at->sum != number * 77u + 5u || at->more != number * 13u + 1u) return bad + 1;
        marks[number] += 1;
        from = at->next;
    }
    return bad + (from != 0);
}
kernel void push(volatile global atomic_ulong *head, volatile global atomic_uint *here, volatile global atomic_uint *quit,
                 global node *pool, global uint *marks, global uint *bad, uint each, uint most) {
    uint item = get_global_id(0), wrong = 0;
    atomic_store_explicit(here, 1u, memory_order_relaxed, ALL);
    for (uint n = 0; n < each; n++) {
        uint number = item * each + n;
        global node *own = pool + number;
        own->number = number; own->sum = number * 77u + 5u; own->more = number * 13u + 1u;
        ulong old = atomic_load_explicit(head, memory_order_relaxed, ALL);
        uint tries = 0;
        do {
            own->next = old;
            if (++tries > 1000000u) { atomic_store_explicit(quit, 1u, memory_order_relaxed, ALL); return; }
        } while (!atomic_compare_exchange_weak_explicit(head, &old, (ulong)own, memory_order_release, memory_order_relaxed, ALL));
        if (@kernel_takes@ && n % 4 == 3)
            wrong += walk(atomic_exchange_explicit(head, 0ul, memory_order_acquire, ALL), marks, most);
    }
    bad[item] = wrong;
}
kernel void rest(volatile global atomic_ulong *head, global uint *marks, global uint *bad, uint most) {
    bad[0] = walk(atomic_exchange_explicit(head, 0ul, memory_order_acquire, ALL), marks, most);
}
