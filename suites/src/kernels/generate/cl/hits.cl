kernel void hit(global uint *hits, ulong x, ulong y, ulong z) {
    ulong at = ((get_global_id(2) - z) * get_global_size(1) + get_global_id(1) - y)
             * get_global_size(0) + get_global_id(0) - x;
    ulong most = get_global_size(0) * get_global_size(1) * get_global_size(2);
    atomic_inc(hits + (at < most ? at : most));
}
