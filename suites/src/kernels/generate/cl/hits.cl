int placed(ulong id, ulong all, ulong group, ulong groups, ulong own, ulong local_size, ulong chosen);
// Whether the ids of a work-item in a dimension fit each other, its group's size where one was chosen, and the launch's.
int placed(ulong id, ulong all, ulong group, ulong groups, ulong own, ulong local_size, ulong chosen) {
    if (id >= all || group >= groups || own >= local_size) return 0;
    return chosen == 0 || (group * chosen + own == id && groups == (all + chosen - 1) / chosen && local_size <= chosen);
}

kernel void hit(global uint *hits, ulong x, ulong y, ulong z, ulong width, ulong height, ulong depth, ulong w, ulong h, ulong d, ulong limit) {
    ulong column = get_global_id(0) - x, row = get_global_id(1) - y, slice = get_global_id(2) - z;
    int right = get_global_size(0) == width && get_global_size(1) == height && get_global_size(2) == depth
             && get_global_offset(0) == x && get_global_offset(1) == y && get_global_offset(2) == z
             && placed(column, width, get_group_id(0), get_num_groups(0), get_local_id(0), get_local_size(0), w)
             && placed(row, height, get_group_id(1), get_num_groups(1), get_local_id(1), get_local_size(1), h)
             && placed(slice, depth, get_group_id(2), get_num_groups(2), get_local_id(2), get_local_size(2), d);
    // A work-item whose ids do not fit counts behind all others.
    ulong items = width * height * depth, place = (slice * height + row) * width + column;
    atomic_inc(hits + (right ? place : items));
    // Many count in few places.
    if (right) atomic_add(hits + items + 1 + place % CLASSES, 3u);
    // Ids below a limit, of the longest dimension.
    if (get_global_id(LONGEST) < limit) atomic_inc(hits + items + 1 + CLASSES);
}
