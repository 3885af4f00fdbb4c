kernel void turns(global uint *wrong) {
    local atomic_uint turn;
    if (get_local_id(0) == 0) atomic_init(&turn, 0u);
    barrier(CLK_LOCAL_MEM_FENCE);
    uint count = get_num_sub_groups(), mine = @mine@, bad = 0;
    for (uint round = 0; round < @rounds@u && !bad; round++) {
        if (get_sub_group_local_id() == 0) {
            uint patience = 50000000u;
            while (atomic_load_explicit(&turn, memory_order_acquire, memory_scope_work_group) != round * count + mine)
                if (--patience == 0) { bad = 1; break; }
            if (!bad) atomic_store_explicit(&turn, round * count + mine + 1u, memory_order_release, memory_scope_work_group);
        }
        bad = (uint)sub_group_any((int)bad);
    }
    wrong[get_global_id(0)] = bad != 0;
}
