kernel void arrive(volatile global uint *turn, global uint *out, uint tries) {
    if (get_local_id(0) != 0) return;
    uint group = (uint)get_group_id(0), groups = (uint)get_num_groups(0);
    out[2 * group] = atomic_inc(turn);
    // Nothing promises that the others begin while this one waits.
    for (uint n = 0; n < tries; n++)
        if (atomic_add(turn, 0) >= groups) break;
    out[2 * group + 1] = atomic_inc(turn);
}
