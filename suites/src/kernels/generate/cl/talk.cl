uint count(global atomic_uint *counter, global uint *olds, uint who, uint passes) {
    uint last = 0, bad = 0;
    for (uint i = 0; i < passes; i++) {
        uint old = atomic_fetch_add_explicit(counter, 1u, memory_order_relaxed, memory_scope_device);
        olds[who * passes + i] = old;
        bad += i > 0 && old <= last;
        last = old;
    }
    return bad;
}
uint hear(global atomic_uint *flag, global uint *data, uint value) {
    for (uint i = 0; i < @patience@u; i++)
        if (atomic_load_explicit(flag, memory_order_acquire, memory_scope_device) == value)
            return *data != value * 3u;
    return 0;
}
void say(global atomic_uint *flag, global uint *data, uint value) {
    *data = value * 3u;
    atomic_store_explicit(flag, value, memory_order_release, memory_scope_device);
}
void child(global atomic_uint *counter, global uint *olds, global atomic_uint *flags, global uint *data, global uint *wrong, uint number) {
    uint me = (uint)get_global_id(0), who = @parents@u + number * @items@u + me;
    uint bad = count(counter, olds, who, @passes@u);
    if (me == 0u) say(flags + 1 + number, data + 1 + number, number + 5u);
    bad += hear(flags, data, 1u);
    wrong[who] = bad;
}
kernel void parent(global atomic_uint *counter, global uint *olds, global atomic_uint *flags, global uint *data, global uint *wrong, queue_t q) {
    uint me = (uint)get_global_id(0), bad = 0;
    for (uint number = 0; number < @children@u; number++)
        if (me == @enqueuer@)
            bad += enqueue_kernel(q, CLK_ENQUEUE_FLAGS_@flag@, ndrange_1D(@items@), ^{ child(counter, olds, flags, data, wrong, number); }) != CLK_SUCCESS;
    bad += count(counter, olds, me, @passes@u);
    if (me == 0u) {
        say(flags, data, 1u);
        for (uint number = 0; number < @children@u; number++)
            bad += hear(flags + 1 + number, data + 1 + number, number + 5u);
    }
    wrong[me] = bad;
}
